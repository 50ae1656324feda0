/* A hart of a whole system that is recorded: where it is, and how it came from one run to the next
 * (system_record.c, system_way.c, system_stand.c). */
#ifndef SYSTEM_HART_H
#define SYSTEM_HART_H

#include <hartscope/isa.h>

#include "plugin.h"
#include "system.h"

enum system_run_flag {
	RUN_VECTOR = 1,     /* starts at the address of a trap vector */
	RUN_XRET = 2,       /* ends in a trap return; registers have its target before it retires */
	RUN_MRET = 4,       /* the same, and it is an mret */
	RUN_TVEC = 8,       /* ends with an access to a trap vector's register */
	RUN_TO_ITSELF = 16, /* its last instruction may jump into its own middle */
	RUN_MNRET = 32,     /* as RUN_MRET: an mnret */
	RUN_SPACE = 64,     /* ends with an instruction that can change the address space */
	RUN_FIRST = 128,    /* a hart starts with it */
	RUN_CHANGED = 256   /* has code that changed, which is not reported yet */
};

/* Runs after which more happens than that another one follows. */
#define RUN_SLOW (RUN_XRET | RUN_TVEC | RUN_SPACE | RUN_TO_ITSELF)

/* system_space.c */
#define PLACES 16384u /* a power of two */

/* Where a hart executed a run last. */
struct system_place {
	struct plugin_run *at; /* NULL: nowhere */
	uint32_t run, space;
};

struct space {
	struct system_place places[PLACES];
	uint32_t of_user, of_supervisor; /* numbers of the current spaces, from 1 */
	uint32_t last;                   /* number used last */
	uint64_t satp;
};

/* Harts run in threads of their own: each has lines of the cache of its own. */
struct recorded_hart {
	_Alignas(64) const struct plugin_run *last;
	uint64_t falls, leads; /* as those of @last; odd: look more closely */
	struct hs_wire_hart *ring;
	uint8_t mode, after;
	struct space *space;
	struct sys_registers registers;
	uint64_t next; /* where a trap return at the end of @last goes */
	bool ended; /* @last is RUN_TO_ITSELF, and its last instruction was executed */
	bool began;     /* a run was recorded */
	bool looks;     /* its context may be new */
	uint64_t scontext, hcontext; /* written last */
	uint64_t first; /* pc of that run */
	uint64_t stand; /* pc where it stood still last */
};

struct recorded_hart *system_hart(unsigned vcpu);

static inline bool system_is_indirect(const struct plugin_run *run)
{
	return run->kind >= HS_INSN_JUMP_IND && run->kind <= HS_INSN_TABLE_CALL;
}

/* @run is the last one now; NULL: it is not known which. */
static inline void system_hart_follow(struct recorded_hart *s, const struct plugin_run *run)
{
	const bool plain = run != NULL && (run->flags & RUN_SLOW) == 0;

	s->last = run;
	s->falls = plain ? run->falls : 1;
	s->leads = plain ? run->leads : 1;
}

/* system_record.c, at marks: the rest of a piece as a run, from an instruction on; the first run;
 * the end, before the instruction at @offset bytes of the current run. */
struct plugin_run *system_record_rest(struct qemu_plugin_tb *tb, size_t first);
void system_record_begin(unsigned vcpu, struct plugin_run *run);
void system_record_end(unsigned vcpu, uint64_t offset);

/* Is @addr in the middle of the run before, without a jump to there? */
static inline bool system_way_inside(const struct recorded_hart *s, uint64_t addr)
{
	const struct plugin_run *last = s->last;
	const bool jumped = (last->flags & RUN_TO_ITSELF) && s->ended && addr == last->leads;

	return addr > last->start && addr < last->end && !jumped;
}

/* system_context.c: write what of its context is new. */
void system_context_look(struct recorded_hart *s, struct hs_wire_hart *h, unsigned mode);

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
