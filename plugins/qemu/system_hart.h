/* A hart of a whole system that is recorded: where it is, and how it came from one run to the next
 * (system_record.c, system_way.c, system_stand.c). */
#ifndef SYSTEM_HART_H
#define SYSTEM_HART_H

#include <pthread.h>

#include <hartscope/image.h>

#include "pack.h"
#include "system.h"

enum system_run_flag {
	RUN_VECTOR = 1,     /* starts at the address of a trap vector */
	RUN_XRET = 2,       /* ends in a trap return; registers have its target before it retires */
	RUN_MRET = 4,       /* the same, and it is an mret */
	RUN_TVEC = 8,       /* ends with an access to a trap vector's register */
	RUN_TO_ITSELF = 16, /* its last instruction names an address in its own middle */
	RUN_MNRET = 32,     /* as RUN_MRET: an mnret */
	RUN_SPACE = 64,     /* ends with an instruction that can change the address space */
	RUN_FIRST = 128,    /* a hart starts with it */
	RUN_CHANGED = 256,  /* has code that changed, which is not reported yet */
	RUN_MOVED = 512     /* its page is not always where it was translated */
};

/* Runs after which more happens than that another one follows. */
#define RUN_SLOW (RUN_XRET | RUN_TVEC | RUN_SPACE | RUN_TO_ITSELF)

/* system_space.c */
#define PLACES 16384u /* a power of two */

/* Where a hart executed a run last: so many bytes after where it was translated. */
struct system_place {
	uint64_t moved;
	uint32_t run, space; /* space 0: nowhere */
};

/* Where a hart executes the code of a page, as its words say. */
struct system_moved {
	uint64_t page, moved;
};

#define MOVES 1024u /* a power of two */

struct space {
	struct system_place places[PLACES];
	struct system_moved moves[MOVES];
	uint32_t of_user, of_supervisor; /* numbers of the current spaces, from 1 */
	uint32_t last;                   /* number used last */
	uint64_t satp;
	bool guests; /* an address depends on more than satp */
};

/* Harts run in threads of their own: each has lines of the cache of its own. */
struct recorded_hart {
	_Alignas(64) struct plugin_run *last; /* as it was translated; system_hart_catch_up() */
	uint64_t moved;        /* where @last executed: so many bytes after that */
	uint64_t falls, leads; /* where it leads; odd: look more closely */
	struct hs_wire_hart *ring;
	uint8_t mode, after;
	bool relies;             /* on addresses of the supervisor's space */
	uint32_t used;           /* last of @slots */
	uint32_t vectors, moves; /* changes to vectors, pages that moved: up to which it knows */
	struct space *space;
	struct sys_registers registers;
	uint64_t next;  /* where a trap return at the end of @last goes */
	bool began;     /* a run was recorded */
	bool looks;     /* its context may be new */
	uint64_t scontext, hcontext; /* written last */
	uint64_t first; /* pc of that run */
	uint64_t stand; /* pc where it stood still last */
};

struct recorded_hart *system_hart(unsigned vcpu);
extern pthread_mutex_t system_lock; /* for log, pages of code, vectors, translating */

static inline bool system_is_indirect(const struct plugin_run *run)
{
	return run->kind >= HS_INSN_JUMP_IND && run->kind <= HS_INSN_TABLE_CALL;
}

/* @run, so many bytes after where it was translated, is the last one now; NULL: it is not known
 * which. */
static inline void system_hart_follow(struct recorded_hart *s, struct plugin_run *run,
                                      uint64_t moved)
{
	const bool plain = run != NULL && (run->flags & RUN_SLOW) == 0;

	s->last = run;
	s->moved = moved;
	s->falls = plain ? run->falls + moved : 1;
	s->leads = plain ? run->leads + moved : 1;
	if (plain && moved == 0 && run->id < HS_REC_PACKED_RUNS)
		pack_after(s->ring, run->id);
	else
		pack_stop(s->ring);
}

/* The last one may be further than s->last by runs that were certain. */
static inline void system_hart_catch_up(struct recorded_hart *s)
{
	const uint32_t key = hs_wire_last_run(s->ring);

	if (s->last != NULL && s->last->id + 1 != key)
		system_hart_follow(s, plugin_log_at(key - 1), 0);
}

/* A copy of @run with the addresses at which it executes.  Odd ones stay odd: pages are even. */
static inline struct plugin_run system_run_at(const struct plugin_run *run, uint64_t moved)
{
	struct plugin_run at = *run;

	at.start += moved;
	at.end += moved;
	at.falls += moved;
	at.leads += moved;
	return at;
}

/* Where the last one executed. */
static inline struct plugin_run system_last(const struct recorded_hart *s)
{
	return system_run_at(s->last, s->moved);
}

/* system_record.c, at marks: the rest of a piece as a run, from an instruction on; the first run;
 * the end, before the instruction at @offset bytes of the current run. */
struct plugin_run *system_record_rest(struct qemu_plugin_tb *tb, size_t first);
void system_record_begin(unsigned vcpu, struct plugin_run *run, uint64_t moved);
void system_record_end(unsigned vcpu, uint64_t offset);

/* Is @addr in the middle of the run before? */
static inline bool system_way_within(const struct recorded_hart *s, uint64_t addr)
{
	const uint64_t at = addr - s->moved;

	return at > s->last->start && at < s->last->end;
}

/* May the run before, all of which was executed, have jumped to @addr in its own middle? */
bool system_record_jumped(const struct recorded_hart *s, uint64_t addr);

/* Is @addr in the middle of the run before, without a jump to there? */
static inline bool system_way_inside(const struct recorded_hart *s, uint64_t addr)
{
	return system_way_within(s, addr) && !system_record_jumped(s, addr);
}

/* system_vectors.c: vectors that harts have or had. */
bool system_at_vector(uint64_t addr);
void system_mark_vector(struct plugin_run *run); /* where it starts at one */
/* A vector's register may have been written. */
void system_read_vectors(struct recorded_hart *s);

/* system_moves.c: QEMU translates a page once for all addresses at which it is mapped.  A word
 * names the run as it was translated, and the words of the hart say where its page is now. */
void system_moves_add(struct plugin_run *run); /* it is in the log; with system_lock */
void system_moves_push(struct recorded_hart *s, const struct plugin_run *run, uint64_t moved);

static inline struct system_moved *system_moved_slot(const struct recorded_hart *s, uint64_t page)
{
	return &s->space->moves[(page >> 12 ^ page >> 22) % MOVES];
}

/* Say where @run executes, unless the hart's words do. */
static inline void system_move(struct recorded_hart *s, const struct plugin_run *run,
                               uint64_t moved)
{
	const uint64_t page = run->start & ~UINT64_C(4095);
	const struct system_moved *m = system_moved_slot(s, page);

	if (((run->flags & RUN_MOVED) || moved != 0) && (m->page != page || m->moved != moved))
		system_moves_push(s, run, moved);
}

/* system_context.c: write what of its context is new. */
void system_context_look(struct recorded_hart *s, struct hs_wire_hart *h, unsigned mode);
/* How many events say its context, where they are not those of the start; write these. */
unsigned system_context_known(const struct recorded_hart *s);
void system_context_repeat(const struct recorded_hart *s, struct hs_wire_hart *h);

/* system_way.c: how a hart came to where it is. */
enum way {
	WAY_ALL,    /* all of the run before retired, and led to there; or words say how */
	WAY_INSIDE, /* it is in the middle of the run before */
	WAY_RESET,
	WAY_UNKNOWN
};
/* To @run, which starts in @mode.  Written where the runs themselves do not show it. */
enum way system_way_push(const struct recorded_hart *s, struct hs_wire_hart *h,
                         const struct plugin_run *run, unsigned mode);
/* To @pc, where it stands still; where traps led there, @pc is set to where it was before the
 * first: no instruction of a handler executed, and what follows a trap is the handler. */
enum way system_way_stand(const struct recorded_hart *s, unsigned mode, uint64_t *pc);

/* system_stand.c: it was reset, and continues at @pc. */
void system_stand_reset(struct recorded_hart *s, struct hs_wire_hart *h, uint64_t pc);

#endif
