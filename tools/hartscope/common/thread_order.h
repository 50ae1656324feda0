/* The threads of a recorded program on one axis: their system calls say what came before what. */
#ifndef HS_TOOLS_HARTSCOPE_COMMON_THREAD_ORDER_H
#define HS_TOOLS_HARTSCOPE_COMMON_THREAD_ORDER_H

#include <hartscope/views.h>

#include "common/tool.h"

struct order_call;

/* Zero is empty. */
struct thread_order {
	struct order_call *calls;
	size_t count, room;
	/* By hart, and then by instructions: those of each hart that has a place. */
	struct hs_export_place *places;
	size_t place_count, place_room, hart_count;
	uint64_t waits, unsure; /* waits that ended, and those of which the wake-up is not known */
	bool failed;            /* no memory, or too many calls */
};

/* hs_counts_options.trap. */
void thread_order_take(void *order, const struct hs_trap_taken *trap);
/* Place the threads; all calls were taken.  False: fewer than two have a place. */
bool thread_order_solve(struct thread_order *o);
void thread_order_free(struct thread_order *o);

#endif
