/* Making retired blocks: a builder that is fed one retired instruction at a time, and
 * importers of the text that simulators and verification flows write.
 *
 * Everything here lives in memory of the caller, allocates nothing and keeps no pointer
 * into its input.  Blocks come out canonical (block.h).  One builder or importer belongs to
 * one thread at a time.
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
	bool no_epc;    /**< @epc is not known: it followed whatever retired last */
};

/** Free entries that each call of the builder needs. */
#define HS_BUILDER_ROOM 8

/** Events that wait for the open block to end, at most. */
#define HS_BUILDER_HELD 4

/** A builder.  Fill by hs_builder_init() only. */
struct hs_builder {
	uint64_t offset;      /**< set by the caller at will: the value of HS_KIND_GAP events */
	struct hs_block open; /**< the block that is being made, when have is true */
	struct hs_retired last;
	struct hs_block held[HS_BUILDER_HELD];
	uint8_t held_n, xlen, priv;
	bool have, ended;
};

/** Start a builder. @param xlen  32 or 64 (0 is 64): addresses wrap there. */
HS_API void hs_builder_init(struct hs_builder *b, unsigned xlen);

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
HS_API enum hs_status hs_builder_insn(struct hs_builder *b, const struct hs_retired *r,
                                      struct hs_blocks *out);

/**
 * Add a trap: ends the open block, or makes one with iretire 0, and appends HS_KIND_TRAP.
 * @retval HS_OK
 * @retval HS_FULL   Fewer than HS_BUILDER_ROOM entries are free; nothing was taken.
 * @retval HS_E_ARG  epc is odd; or it is not known and no block is open.
 */
HS_API enum hs_status hs_builder_trap(struct hs_builder *b, const struct hs_trap *t,
                                      struct hs_blocks *out);

/**
 * Add an event.  It comes out at once, or after the block that is open; a later
 * HS_KIND_CONTEXT or HS_KIND_TIME then replaces one that still waits.
 * @retval HS_OK
 * @retval HS_FULL     Fewer than HS_BUILDER_ROOM entries are free; nothing was taken.
 * @retval HS_E_SPACE  HS_BUILDER_HELD events wait already.
 */
HS_API enum hs_status hs_builder_event(struct hs_builder *b, const struct hs_block *event,
                                       struct hs_blocks *out);

/**
 * End: gives the open block, as far as it goes, and what waits.  A branch whose outcome
 * nobody told ends with HS_ITYPE_NONE.  The builder can be used again.
 * @retval HS_OK
 * @retval HS_FULL  Fewer than HS_BUILDER_ROOM entries are free; nothing was taken.
 */
HS_API enum hs_status hs_builder_flush(struct hs_builder *b, struct hs_blocks *out);

/** Characters of a line that an importer looks at. */
#define HS_LINE_MAX 512

/** A line, collected from pieces of text. */
struct hs_lines {
	uint64_t number; /**< lines completed so far: the number of the current one, from 1 */
	uint64_t offset; /**< bytes before the current line */
	uint64_t next;   /**< bytes taken so far */
	uint32_t n;      /**< characters in text */
	bool cut;        /**< the line is longer than text; the rest of it is dropped */
	bool done;       /**< the line is complete; the next byte starts another */
	char text[HS_LINE_MAX];
};

/** Free entries that each line of an importer needs. */
#define HS_IMPORT_ROOM 24

/** Harts in one Spike log, at most. */
#define HS_SPIKE_HARTS 64

/** One hart of a Spike log. */
struct hs_spike_hart {
	struct hs_builder builder;
	struct hs_trap trap; /**< waits for its tval line, when have_trap */
	uint64_t shown_pc;   /**< address of the last line with a disassembly, when have_shown */
	struct hs_insn shown;
	uint32_t id;
	bool have_trap, have_shown;
};

/**
 * Importer of Spike's log (`spike -l --log-commits`).
 *
 * The lines of instructions that committed ("core   0: 3 0x...") become retired
 * instructions.  Lines with a disassembly are needed to know an ebreak that did not
 * commit; lines of exceptions and their tval become traps.  An ecall or ebreak that
 * trapped counts as retired (NT Table 2).  Harts are told apart by HS_KIND_HART.  Other
 * lines are ignored: a log and the output of the program often share a file.
 * Without -l the log does not show traps; what they jumped over becomes HS_KIND_GAP.
 */
struct hs_spike {
	struct hs_isa isa;
	struct hs_lines lines;
	uint64_t commits, shown; /**< lines of each form so far */
	uint32_t harts, current; /**< current: the hart told last by HS_KIND_HART */
	bool told;               /**< one was told */
	struct hs_spike_hart hart[HS_SPIKE_HARTS];
};

/**
 * Start an importer.
 * @retval HS_OK
 * @retval HS_E_CONFIG  isa->xlen is not 0, 32 or 64.
 */
HS_API enum hs_status hs_spike_init(struct hs_spike *s, const struct hs_isa *isa);

/**
 * Take text, cut anywhere, and append blocks.
 *
 * @param[out] used  How many of @n bytes were taken.
 *
 * @retval HS_MORE           All bytes are used up.
 * @retval HS_FULL           @out has blocks: empty it and go on with the bytes that are left.
 * @retval HS_E_SPACE        out->cap is below HS_IMPORT_ROOM.
 * @retval HS_E_FORMAT       Line lines.number is of a known form but damaged.  It was
 *                           skipped; a caller may go on.
 * @retval HS_E_UNSUPPORTED  More than HS_SPIKE_HARTS harts; the line was skipped.
 */
HS_API enum hs_status hs_spike_feed(struct hs_spike *s, const char *text, size_t n, size_t *used,
                                    struct hs_blocks *out);

/**
 * End of the log: a last line without an end, and the blocks still open.
 * @retval HS_OK
 * @retval HS_FULL           Empty @out and call again.
 * @retval HS_E_SPACE        out->cap is below HS_IMPORT_ROOM.
 * @retval HS_E_FORMAT       The last line is damaged, or the log has disassembly but not one
 *                           commit (it was made without --log-commits).
 * @retval HS_E_UNSUPPORTED  As for hs_spike_feed().
 */
HS_API enum hs_status hs_spike_flush(struct hs_spike *s, struct hs_blocks *out);

/** Columns of an ingress CSV, at most. */
#define HS_CSV_COLUMNS 64

/**
 * Importer of ingress rows as CSV (`encoder_input` of the E-Trace reference flow).
 *
 * The first line names the columns; itype_0, iaddr_0, iretire_0 and ilastsize_0 must be
 * there, and cause, tval, priv, context and sijump_0 are used when they are.  Each row is
 * at most one instruction: iretire 0 or 1, of 2^ilastsize half-words.  Addresses and tval
 * are hexadecimal, the rest decimal.
 * With a 3-bit itype a direct jump has itype 0.  An image tells what it is; without, the
 * jump is seen by the next address and becomes HS_ITYPE_JUMP_INF, and an indirect one keeps
 * itype 6.
 */
struct hs_csv {
	const struct hs_image *image;
	struct hs_lines lines;
	struct hs_builder builder;
	uint64_t context;
	uint8_t column[HS_CSV_COLUMNS]; /**< which field a column is */
	uint8_t columns;
};

/**
 * Start an importer.
 * @param image  The program, or NULL; kept until the last use.
 * @param xlen   32 or 64 (0 is 64); with an image its own counts.
 * @retval HS_OK
 * @retval HS_E_CONFIG  xlen is not 0, 32 or 64.
 */
HS_API enum hs_status hs_csv_init(struct hs_csv *c, const struct hs_image *image, unsigned xlen);

/**
 * Take text, cut anywhere, and append blocks.
 * @param[out] used  How many of @n bytes were taken.
 * @retval HS_MORE           All bytes are used up.
 * @retval HS_FULL           @out has blocks: empty it and go on with the bytes that are left.
 * @retval HS_E_SPACE        out->cap is below HS_IMPORT_ROOM.
 * @retval HS_E_FORMAT       Line lines.number: a column that must be there is not, a field is
 *                           not a number or out of range, or the line is above HS_LINE_MAX.
 * @retval HS_E_BLOCK        Line lines.number: ilastsize is not the length of the code there.
 * @retval HS_E_UNSUPPORTED  Line lines.number: more than one block a row, or iretire above 1.
 * After an error in a row it was skipped and a caller may go on.
 */
HS_API enum hs_status hs_csv_feed(struct hs_csv *c, const char *text, size_t n, size_t *used,
                                  struct hs_blocks *out);

/** End of the rows.  @retval HS_OK, else as hs_csv_feed() without HS_MORE; HS_E_FORMAT also when
 * there was no line at all. */
HS_API enum hs_status hs_csv_flush(struct hs_csv *c, struct hs_blocks *out);

/**
 * Importer of a list of executed PCs, one a line, in hexadecimal with or without "0x"; what
 * follows a comma or a blank is ignored.  The program says what each instruction is.
 * An address that no instruction explains becomes HS_KIND_GAP (hs_builder_insn()).
 */
struct hs_pcs {
	const struct hs_image *image;
	struct hs_lines lines;
	struct hs_builder builder;
};

/** Start an importer. @param image  The program; kept until the last use.
 * @retval HS_OK @retval HS_E_CONFIG  The image is empty. */
HS_API enum hs_status hs_pcs_init(struct hs_pcs *p, const struct hs_image *image);

/**
 * Take text, cut anywhere, and append blocks.
 * @param[out] used  How many of @n bytes were taken.
 * @retval HS_MORE      All bytes are used up.
 * @retval HS_FULL      @out has blocks: empty it and go on with the bytes that are left.
 * @retval HS_E_SPACE   out->cap is below HS_IMPORT_ROOM.
 * @retval HS_E_FORMAT  Line lines.number is no address, or an odd one; it was skipped.
 * @retval HS_E_NOCODE  Line lines.number: no code is known there; it was skipped.
 */
HS_API enum hs_status hs_pcs_feed(struct hs_pcs *p, const char *text, size_t n, size_t *used,
                                  struct hs_blocks *out);

/** End of the list.  @retval HS_OK, else as hs_pcs_feed() without HS_MORE. */
HS_API enum hs_status hs_pcs_flush(struct hs_pcs *p, struct hs_blocks *out);

#ifdef __cplusplus
}
#endif
#endif
