/* hartscope crash: what is kept of a run until its end. */
#ifndef HS_TOOLS_HARTSCOPE_COMMANDS_CRASH_H
#define HS_TOOLS_HARTSCOPE_COMMANDS_CRASH_H

#include <hartscope/views.h>

#include "common/tool.h"

#define CRASH_PAST 4096u /* blocks of a hart that are kept for its last source lines */

/* A hart, as far as it came. */
struct crash_hart {
	uint32_t number;
	uint32_t signal; /* with @partial: of a fault; 0: another one */
	bool partial;    /* the last block may not have run to its end */
	uint64_t count;  /* of its blocks, since the last one that did not follow */
	struct hs_block past[CRASH_PAST];
};

struct crash {
	uint32_t signal;  /* that ended the program; 0: there is a trap */
	uint64_t address; /* with @has_address: what could not be accessed */
	bool has_address, has_trap;
	struct hs_trap_taken trap;
	struct hs_source *source;
	struct hs_program *program;
	struct hs_code_view *view;
	struct hs_stacks *stacks;
	struct hs_disasm *disasm;
	struct crash_hart *harts, *hart; /* the current one, at the end that which crashed */
	size_t hart_count;
	bool failed;
	/* What the end is (crash_end.c). */
	bool exact;  /* @pc is the instruction that faulted */
	bool jump;   /* with @exact: it retired, and led to where there is no code */
	bool fault;  /* an instruction of the program did it, not a call that sends a signal */
	uint64_t pc; /* where the innermost frame stands */
	struct hs_stack_frame *frames; /* outermost first */
	size_t frame_count;
};

/* crash_end.c: find the hart that crashed and how it ended.  False: the flow has nothing of it. */
bool crash_choose(struct crash *c);
/* Where a frame stands, number 0 being the innermost; false: that is not known. */
bool crash_frame_pc(const struct crash *c, size_t frame, uint64_t *pc);
/* In words: "signal 11 (SIGSEGV): a memory access that is not allowed". */
void crash_reason(const struct crash *c, char *text, size_t size);

/* crash_show.c */
void crash_report(struct crash *c, bool json);

#endif
