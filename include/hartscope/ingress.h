/* Making retired blocks: a builder that takes one retired instruction at a time.
 *
 * Everything here lives in memory of the caller and allocates nothing.  Blocks come out canonical
 * (block.h).  One builder belongs to one thread at a time; different ones may be used on different
 * threads at once.
 */
#ifndef HARTSCOPE_INGRESS_H
#define HARTSCOPE_INGRESS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <hartscope/block.h>
#include <hartscope/image.h>
#include <hartscope/isa.h>
#include <hartscope/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Where blocks go: an array of the caller.  at[0..n-1] are filled. */
struct hs_blocks {
	struct hs_block *at;
	size_t cap; /**< entries at @at */
	size_t n;   /**< entries in use; functions append */
};

/** One retired instruction. */
struct hs_retired {
	uint64_t iaddr;      /**< its address, bit 0 is 0 */
	struct hs_insn insn; /**< what it does; with @known false only hwords is read */
	bool known;          /**< false: @itype is all that is known */
	uint8_t itype;       /**< enum hs_itype as the source says, 3 or 4 bits, without 1, 2 and 7.
	                          With @known: a hint, HS_ITYPE_NOT_TAKEN or HS_ITYPE_TAKEN for
	                          the last branch of the trace, else HS_ITYPE_NONE */
	uint8_t priv;        /**< enum hs_priv */
	bool sijump;         /**< the source says: sequentially inferable (NT 9.1) */
};

/** A trap that was taken. */
struct hs_trap {
	uint64_t epc;   /**< address of the instruction that did not retire, or of the ecall,
	                     ebreak that caused it and was given as retired */
	uint64_t tval;  /**< trap value */
	uint32_t cause; /**< exception or interrupt code, without the interrupt bit */
	bool interrupt;
	bool no_epc;    /**< @epc is not known: the trap came after what retired last */
	bool no_cause;  /**< @cause and @tval are not known: no HS_KIND_TRAP is made */
	uint8_t priv;   /**< enum hs_priv before the trap; HS_PRIV_UNKNOWN: that of the open block,
	                     or of the one before where it shows it */
};

/** Free entries that each call of the builder needs. */
#define HS_BUILDER_ROOM 8

/** Events that wait for the open block to end, at most. */
#define HS_BUILDER_HELD 4

/** A builder.  Fill by hs_builder_init() only. */
struct hs_builder {
	uint64_t offset;      /**< the value of HS_KIND_GAP events; the caller may change it */
	/* Private: */
	struct hs_block open; /* the block that is being made, when have is true */
	struct hs_retired last;
	struct hs_block held[HS_BUILDER_HELD];
	uint8_t held_n, xlen, priv;
	bool have;  /* a block is open */
	bool ended; /* its last instruction can change the PC */
};

/**
 * Start a builder.
 * @param xlen  32 or 64 (0 is 64): addresses wrap there.
 */
HS_STATIC void hs_builder_init(struct hs_builder *b, unsigned xlen);

/**
 * Add a retired instruction.
 *
 * A block is complete when the next instruction or trap shows where its last instruction
 * led to, so it comes out one call later.  Where the address is one that no instruction
 * explains, HS_KIND_GAP follows the block, with arg HS_E_BLOCK.  A jump of unknown target
 * and itype 0 (3-bit itype) becomes HS_ITYPE_JUMP_INF.
 *
 * @retval HS_OK
 * @retval HS_FULL    Fewer than HS_BUILDER_ROOM entries are free; nothing was taken.
 * @retval HS_E_ARG   iaddr is odd, hwords is 0 or above HS_INSN_MAX / 2, itype is 1, 2, 7 or
 *                    above 15, or kind is not an enum hs_insn_kind.
 */
HS_STATIC enum hs_status hs_builder_insn(struct hs_builder *b, const struct hs_retired *r,
                                         struct hs_blocks *out);

/**
 * Add a trap: ends the open block, or makes one with iretire 0, and appends HS_KIND_TRAP.
 * @retval HS_OK
 * @retval HS_FULL   Fewer than HS_BUILDER_ROOM entries are free; nothing was taken.
 * @retval HS_E_ARG  epc is odd; or it is not known and no block is open.
 */
HS_STATIC enum hs_status hs_builder_trap(struct hs_builder *b, const struct hs_trap *t,
                                         struct hs_blocks *out);

/**
 * Add an event.  It is reported at once, or after the block that is open; a later
 * HS_KIND_CONTEXT or HS_KIND_TIME then replaces one that still waits.
 * @retval HS_OK
 * @retval HS_FULL     Fewer than HS_BUILDER_ROOM entries are free; nothing was taken.
 * @retval HS_E_SPACE  HS_BUILDER_HELD events wait already.
 */
HS_STATIC enum hs_status hs_builder_event(struct hs_builder *b, const struct hs_block *event,
                                          struct hs_blocks *out);

/**
 * End the open block although nothing in the program ends it, so that an event can stand here.
 * @param next  Where the next instruction is.
 * @retval HS_OK
 * @retval HS_FULL  Fewer than HS_BUILDER_ROOM entries are free; nothing was taken.
 */
HS_STATIC enum hs_status hs_builder_cut(struct hs_builder *b, uint64_t next, struct hs_blocks *out);

/**
 * End: report the open block, as far as it goes, and the events that wait.  A branch whose outcome
 * is not known ends with HS_ITYPE_NONE.  The builder can be used again.
 * @retval HS_OK
 * @retval HS_FULL  Fewer than HS_BUILDER_ROOM entries are free; nothing was taken.
 */
HS_STATIC enum hs_status hs_builder_flush(struct hs_builder *b, struct hs_blocks *out);

/* ---- clock ----
 * A clock for flows that have no time: cycles by a simple model (design/recordings).
 *
 * Recorders of emulators know the order of instructions, not when they retired.  The clock counts
 * each instruction with as many cycles as its kind takes, by default one, and puts the cycle in
 * which the last instruction of a block retires before the block, as HS_KIND_TIME.  A flow that
 * has times of its own keeps them.
 *
 * Threads: a clock belongs to one thread at a time.  Two clocks share nothing but the image.
 */

/** What an instruction is to the clock: rows of clock_kinds.def. */
enum hs_clock_kind {
#define HS_CLOCK_KIND(id, name, what) HS_CLOCK_##id,
#include <hartscope/tables/clock_kinds.def>
#undef HS_CLOCK_KIND
	HS_CLOCK_KINDS
};

/** Cycles by kind.  0 is what HS_CLOCK_INSTRUCTION takes, for that one 1, for HS_CLOCK_TRAP 0. */
struct hs_clock_config {
	uint32_t size;                   /**< sizeof(struct hs_clock_config) */
	uint16_t cycles[HS_CLOCK_KINDS]; /**< by enum hs_clock_kind */
};

/** Name of a kind, such as "load", and what it is; "?" if there is none. */
HS_API const char *hs_clock_kind_name(unsigned kind);

/** Cycles of a block that ran before.  Private. */
struct hs_clock_entry {
	uint64_t iaddr;
	uint32_t key, cycles;
};

#define HS_CLOCK_CACHE 8192 /**< a power of two */

/** The clock of one hart. */
struct hs_clock {
	uint64_t time; /**< the last time that came out */
	/* Private: */
	const struct hs_image *image;
	uint16_t cycles[HS_CLOCK_KINDS];
	bool has_time; /* the flow has times of its own */
	struct hs_clock_entry cache[HS_CLOCK_CACHE];
};

#ifdef __cplusplus
}
#endif
#endif
