/* A hart's flow that is played forwards and backwards. */
#ifndef HS_GDB_PLAYER_H
#define HS_GDB_PLAYER_H

#include <hartscope/source.h>
#include <hartscope/views.h>

#include "program/block_count.h"
#include "source/source.h"

/* A block that executed. */
struct gdb_run {
	uint64_t iaddr;
	uint64_t first; /* number of its first instruction */
	uint32_t hwords;
	uint32_t depth; /* open frames, of those that are known; 0: stacks are not followed */
	uint8_t priv;
	bool stack_begins; /* another stack than that of the run before */
};

#define GDB_RUNS (1u << 20) /* that are kept */
/* Instructions before the current one of which the stacks are followed: most frames were opened in
 * them.  To read twice as many takes less than to seek. */
#define GDB_LEAD ((uint64_t)1 << 24)

/* A place at which reading can begin. */
struct gdb_point {
	uint64_t first; /* instructions before it */
	struct hs_source_place place;
	uint32_t *state;
	size_t words;
};

#define GDB_FRAMES 256u /* of a stack that are shown */

/* A frame: where control is, or will return to. */
struct gdb_frame {
	uint64_t pc, function; /* address of the function, 0: not known */
	uint32_t depth;
};

/* A hart. */
struct gdb_player {
	struct hs_source *source;
	const struct hs_gdb_server_options *o;
	uint32_t hart;
	const struct hs_span *index; /* or NULL */
	uint64_t fingerprint;
	uint64_t total; /* instructions; UINT64_MAX: the end was not read yet */
	struct program_select select;
	struct program_counts counts;
	bool selecting;
	struct {
		struct hs_stacks *stacks; /* NULL: not followed */
		bool wants_stacks;
		uint64_t stacks_from; /* the first instruction that they follow */
	} followed;
	/* Where the source stands: instructions before its next item. */
	uint64_t at;
	uint64_t frontier;        /* up to which it was read from the start */
	bool ended;               /* no more items */
	struct hs_block last;     /* item */
	bool has_data;            /* accesses were read */
	struct { /* takes items as they are read, before the number of the next instruction */
		void (*look)(void *to, const struct gdb_player *p, const struct hs_block *item,
		             uint64_t first); /* NULL: nobody does */
		void *to;
	} reader;
	struct { /* in order */
		struct gdb_point *at;
		size_t n, room;
	} points;
	struct gdb_run *runs; /* the newest that were read, up to @at, without a gap between them */
	uint32_t run_count;
	size_t run_room;
	/* Where the hart is: the instruction that executes next. */
	uint64_t now, pc;
	uint32_t run; /* which has it */
	uint8_t insn; /* its half-words */
};

/* What stops a hart that runs. */
struct gdb_stops {
	const uint64_t *breaks; /* addresses, sorted */
	size_t count;
	uint64_t low, high; /* step while pc is in this range; both 0: none */
	bool (*interrupted)(void *context);
	void *context;
};

enum gdb_stop {
	GDB_STEPPED,
	GDB_BREAKPOINT,
	GDB_WATCHPOINT,
	GDB_BEGIN,
	GDB_END,
	GDB_INTERRUPT,
	GDB_FAILED
};

/* Start at the first instruction.  HS_OK, HS_E_NOCODE: there is none, HS_E_MEMORY. */
enum hs_status gdb_player_open(struct gdb_player *p);
void gdb_player_close(struct gdb_player *p);

/* Go to instruction @n, or to the last one.  GDB_STEPPED, GDB_END: to the last one, GDB_FAILED. */
enum gdb_stop gdb_player_go(struct gdb_player *p, uint64_t n);
/* One instruction. */
enum gdb_stop gdb_player_step(struct gdb_player *p, bool back);
/* Up to the next instruction that a breakpoint is at, or the end. */
enum gdb_stop gdb_player_run(struct gdb_player *p, bool back, const struct gdb_stops *stops);

/* Read all of it from the start for @look, and come back to where it is.  False: it cannot be read,
 * or the debugger wants to stop. */
bool gdb_player_look(struct gdb_player *p,
                     void (*look)(void *to, const struct gdb_player *p, const struct hs_block *item,
                                  uint64_t first),
                     void *to);

/* The frames of the current instruction, innermost first; at most GDB_FRAMES.  0: no memory.
 * *more: outer ones may be open whose calls are not kept. */
size_t gdb_player_stack(struct gdb_player *p, struct gdb_frame *frames, bool *more);

#endif
