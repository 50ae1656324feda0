/* Ranges: part of a flow, between two positions and by function.
 *
 * A range takes blocks and events in order and gives out those of the part: blocks are cut where it
 * begins and ends, and of the events it keeps those that belong to its blocks, with the hart, the
 * contexts and the code that hold where it begins.  hs_source_set_range() does this for all that is
 * read from a source; docs/ranges.md has the words of positions.
 *
 * Threads: a range belongs to one thread at a time, and so do the programs and the guest that it
 * was given.
 */
#ifndef HARTSCOPE_RANGE_H
#define HARTSCOPE_RANGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <hartscope/block.h>
#include <hartscope/error.h>
#include <hartscope/guest.h>
#include <hartscope/program.h>

#ifdef __cplusplus
extern "C" {
#endif

struct hs_range;

/** What a position is.  A position is before an instruction. */
enum hs_position_kind {
	HS_POSITION_NONE = 0,    /**< there is none: the start or the end of the flow */
	HS_POSITION_INSTRUCTION, /**< value: instruction number, from 0, all harts counted */
	HS_POSITION_TIME,        /**< value: of each hart the first time (HS_KIND_TIME) that is at
	                              least this */
	HS_POSITION_BYTE,        /**< value: offset in a trace: the first block decoded after it */
	HS_POSITION_PC,          /**< value: address of an instruction */
	HS_POSITION_BITS,        /**< value: the bits of an instruction, such as a hint */
	HS_POSITION_FUNCTION,    /**< name: the first instruction of a function */
	/** value: an ecall with this number in a7.  A flow has no registers: the number is known
	 * where instructions of the flow put a constant into a7, as li a7, 64 does. */
	HS_POSITION_ECALL
};

#define HS_POSITION_NAME 1024 /**< bytes of a function's name, with its terminator */

/** A place in a flow.  Zero is none. */
struct hs_position {
	enum hs_position_kind kind;
	uint64_t value;
	/** PC, bits, function, ecall: the Nth time, from 1, counted from the start of the flow;
	 * 0: the first time, and as an end the first time after the range began. */
	uint64_t count;
	char name[HS_POSITION_NAME];
};

/**
 * A position from text: N, time:T, byte:OFFSET, 0xADDRESS, insn:BITS, ecall:NUMBER or a function's
 * name; the last four with \@N or #N for the Nth time.
 * @retval HS_OK
 * @retval HS_E_ARG  It is none of these.
 */
HS_API enum hs_status hs_position_parse(const char *text, struct hs_position *out);

/** What belongs to a range.  Only program is required. */
struct hs_range_options {
	uint32_t size;                         /**< sizeof(struct hs_range_options) */
	struct hs_program *program;            /**< kept */
	const struct hs_program_set *programs; /**< the programs of contexts, or NULL; kept */
	struct hs_guest *guest;                /**< names of functions, or NULL; kept */
	struct hs_position from, to;           /**< up to, and without, @to */
	/** Only instructions of this function, by any of its names; what is left out between them
	 * is a HS_NOTE_LEFT_OUT.  Copied.  NULL: all. */
	const char *function;
	/** Only so many instructions at the end, in place of @from and @to; 0: these count. */
	uint64_t last;
	/** Path of what is read: where NAME.idx next to it is its index (docs/trace-index.md),
	 * reading begins at the last place before the range.  NULL: at the start. */
	const char *index;
	/** Gets why an index that is there is not used, with @note_to.  NULL: nobody. */
	void (*note)(void *to, const char *text);
	void *note_to;
};

/** What was found so far, in instructions of the flow. */
struct hs_range_found {
	uint64_t seen;       /**< instructions so far */
	uint64_t begin, end; /**< number of the first one between the positions, and of that after
	                          the last one; both 0 where there is none */
	uint64_t wanted;     /**< of them, given out */
};

#ifdef __cplusplus
}
#endif
#endif
