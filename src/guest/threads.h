/* Threads, and which of them a hart was running when. */
#ifndef HS_GUEST_THREADS_H
#define HS_GUEST_THREADS_H

#include <hartscope/program.h>

#include "guest/guest.h"

/* A thread from its start, or from an exec, on; times are of perf's clock until it is settled. */
struct guest_thread {
	struct hs_guest_task task;
	uint64_t from;
	uint32_t order;
};

/* From a moment on a hart runs a thread; tid 0: nobody that is known. */
struct guest_switch {
	uint64_t moment;
	uint32_t hart, pid, tid, order;
	bool exec; /* it is an exec of the thread that runs */
	const struct hs_guest_task *task; /* when settled */
};

/* A context and a process that ran in it by the switches. */
struct guest_vote {
	uint64_t context, last; /* moment of the last vote */
	uint32_t pid, count;
};

struct guest_threads {
	struct guest_thread *items;   /* by tid and moment when settled */
	struct guest_switch *switches; /* by hart and moment when settled */
	size_t count, room, switch_count, switch_room;
	struct hs_guest_clock clock;
	bool has_clock, settled;
	size_t unplaced; /* switches whose time means nothing to the trace */
	struct support_hash votes;
};

void guest_free_threads(struct guest_threads *t);
/* Take what a record says of a thread.  HS_OK or HS_E_MEMORY. */
enum hs_status guest_take_thread(struct hs_guest *g, const struct hs_guest_record *r);
/* Sort all, with times of the trace.  No record is taken after it. */
void guest_settle_threads(struct hs_guest *g);
/* What a hart runs by the switches at a moment; NULL: they do not have it. */
const struct guest_switch *guest_find_switch(const struct hs_guest *g, uint32_t hart,
                                             uint64_t moment);
/* The last thread of a number; NULL: there is none. */
const struct hs_guest_task *guest_thread(const struct hs_guest *g, uint32_t tid);
/* A time of perf as a moment of the trace; false: nothing says how they belong together. */
bool guest_moment_of(const struct hs_guest *g, uint64_t time, uint64_t *moment);
/* A block of user mode ran in a context at a moment. */
enum hs_status guest_vote_for(struct hs_guest *g, uint32_t hart, uint64_t moment,
                              uint64_t context);
/* The number of the process that ran in a context nearly always, and a moment of it; 0: none. */
uint32_t guest_voted_pid(const struct hs_guest *g, uint64_t context, uint64_t *moment);

#endif
