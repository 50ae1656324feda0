/* Importers: retired blocks from the text that simulators and verification flows write.
 *
 * Everything here lives in memory of the caller, allocates nothing and keeps no pointer into its
 * input.  Blocks come out canonical (block.h).  One importer belongs to one thread at a time;
 * different ones may be used on different threads at once.
 */
#ifndef HS_INGRESS_IMPORT_H
#define HS_INGRESS_IMPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <hartscope/ingress.h>
#include <hartscope/port.h>
#include <hartscope/status.h>

/** Characters of a line that an importer looks at. */
#define HS_LINE_MAX 3072

/** A line, collected from pieces of text. */
struct hs_lines {
	uint64_t number; /**< lines completed so far: the number of the current one, from 1 */
	uint64_t offset; /**< bytes before the current line */
	/* Private: */
	uint64_t next; /* bytes taken so far */
	uint32_t n;    /* characters in text */
	bool cut;      /* the line is longer than text; the rest of it is dropped */
	bool done;     /* the line is complete; the next byte starts another */
	char text[HS_LINE_MAX];
};

/** Free entries that each line of an importer needs. */
#define HS_IMPORT_ROOM 24

/** Columns of an ingress CSV, at most. */
#define HS_CSV_COLUMNS 64

/**
 * Importer of ingress rows as CSV (`encoder_input` of the E-Trace reference flow).
 *
 * The first line names the columns; itype_0, iaddr_0, iretire_0 and ilastsize_0 must be
 * there, and cause, tval, priv, context and sijump_0 are used when they are.  Each row is
 * at most one instruction: iretire 0 or 1, of 2^ilastsize half-words.  Addresses and tval
 * are hexadecimal, the rest decimal.
 * With a 3-bit itype a direct jump has itype 0.  With an image it gets the itype of its kind;
 * without one it is recognised by the next address and becomes HS_ITYPE_JUMP_INF, and an indirect
 * jump keeps itype 6.
 */
struct hs_csv {
	struct hs_lines lines;
	/* Private: */
	const struct hs_image *image;
	struct hs_builder builder;
	uint64_t context;
	uint8_t column[HS_CSV_COLUMNS]; /* which field a column is */
	uint8_t columns;
};

/**
 * Start an importer.
 * @param image  The program, or NULL; kept until the last use.
 * @param xlen   32 or 64 (0 is 64); with an image its own counts.
 * @retval HS_OK
 * @retval HS_E_CONFIG  xlen is not 0, 32 or 64.
 */
enum hs_status hs_csv_init(struct hs_csv *c, const struct hs_image *image, unsigned xlen);

/**
 * Take text, cut anywhere, and append blocks.
 * @param[in,out] in  Text; moved past what was taken.
 * @retval HS_MORE           All of @in was taken.
 * @retval HS_FULL           @out has blocks: empty it and call again with the rest of @in.
 * @retval HS_E_SPACE        out->cap is below HS_IMPORT_ROOM.
 * @retval HS_E_FORMAT       Line lines.number: a column that must be there is not, a field is
 *                           not a number or out of range, or the line is above HS_LINE_MAX.
 * @retval HS_E_BLOCK        Line lines.number: ilastsize is not the length of the code there.
 * @retval HS_E_UNSUPPORTED  Line lines.number: more than one block a row, or iretire above 1.
 * After an error in a row it was skipped and a caller may continue.
 */
enum hs_status hs_csv_feed(struct hs_csv *c, struct hs_span *in, struct hs_blocks *out);

/** End of the rows.  @retval HS_OK, else as hs_csv_feed() without HS_MORE; HS_E_FORMAT also when
 * there was no line at all. */
enum hs_status hs_csv_flush(struct hs_csv *c, struct hs_blocks *out);

/**
 * Importer of a list of executed PCs, one a line, in hexadecimal with or without "0x"; what
 * follows a comma or a blank is ignored.  The program has the instructions.
 * An address that no instruction explains becomes HS_KIND_GAP (hs_builder_insn()).
 */
struct hs_pcs {
	struct hs_lines lines;
	/* Private: */
	const struct hs_image *image;
	struct hs_builder builder;
};

/**
 * Start an importer.
 * @param image  The program; kept until the last use.
 * @retval HS_OK
 * @retval HS_E_CONFIG  The image is empty.
 */
enum hs_status hs_pcs_init(struct hs_pcs *p, const struct hs_image *image);

/**
 * Take text, cut anywhere, and append blocks.
 * @param[in,out] in  Text; moved past what was taken.
 * @retval HS_MORE      All of @in was taken.
 * @retval HS_FULL      @out has blocks: empty it and call again with the rest of @in.
 * @retval HS_E_SPACE   out->cap is below HS_IMPORT_ROOM.
 * @retval HS_E_FORMAT  Line lines.number is no address, or an odd one; it was skipped.
 * @retval HS_E_NOCODE  Line lines.number: no code is known there; it was skipped.
 */
enum hs_status hs_pcs_feed(struct hs_pcs *p, struct hs_span *in, struct hs_blocks *out);

/** End of the list.  @retval HS_OK, else as hs_pcs_feed() without HS_MORE. */
enum hs_status hs_pcs_flush(struct hs_pcs *p, struct hs_blocks *out);

/** Transfers of a line, or of a dump of CTR, at most. */
#define HS_PAIRS_MAX 256

/** A transfer of control. */
struct hs_pair {
	uint64_t source, target; /**< of the instruction that transferred, of the next one */
	bool trap, interrupt;    /**< the source says that it is a trap */
};

/**
 * Importer of pairs (source, target), as buffers of the last branches have them.  Each target leads
 * straight on to the next source, and what is between has run; where the program does not lead
 * there, HS_KIND_GAP.  A line shows which form it has:
 *
 *     0x108 0x200               a pair, the oldest first; also with a comma or ->
 *     [3] SRC: 0x108 -> DST: 0x200 <TRAP_ENTRY>     NEORV32's tracer, as its script for GDB prints
 *     0x108/0x200/P/-/-/1 ...   a stack of branches as perf prints it, the youngest first
 *     ctrsource[0] = 0x109      a dump of CTR's registers; so ctrtarget[0], ctrdata[0], sctrctl;
 *                               entry 0 is the youngest
 *
 * Lines of no form are an error, but where others of NEORV32, perf or CTR came before.
 */
struct hs_pairs {
	struct hs_lines lines;
	/* Private: */
	const struct hs_image *image;
	struct hs_builder builder;
	struct hs_pair queue[HS_PAIRS_MAX]; /* not yet passed on */
	uint32_t n, next;                   /* of the queue */
	uint64_t at;                        /* where the flow is, when known */
	uint64_t data[HS_PAIRS_MAX];        /* ctrdata of an entry; the queue has the others */
	uint64_t filters;                   /* bits of CTR's control registers */
	uint8_t form;                       /* enum form in pairs.c */
	uint8_t phase;                      /* of the pair queue[next] */
	bool known;
};

/**
 * Start an importer.
 * @param image  The program; kept until the last use.
 * @retval HS_OK
 * @retval HS_E_CONFIG  The image is empty.
 */
enum hs_status hs_pairs_init(struct hs_pairs *p, const struct hs_image *image);

/**
 * Take text, cut anywhere, and append blocks.
 * @param[in,out] in  Text; moved past what was taken.
 * @retval HS_MORE      All of @in was taken.
 * @retval HS_FULL      @out has blocks: empty it and call again with the rest of @in.
 * @retval HS_E_SPACE   out->cap is below HS_IMPORT_ROOM.
 * @retval HS_E_FORMAT  Line lines.number has no form, or too many pairs; it was skipped.
 */
enum hs_status hs_pairs_feed(struct hs_pairs *p, struct hs_span *in, struct hs_blocks *out);

/** End of the pairs.  @retval HS_OK, else as hs_pairs_feed() without HS_MORE. */
enum hs_status hs_pairs_flush(struct hs_pairs *p, struct hs_blocks *out);

/**
 * Importer of cycles as text.  Either rows of numbers under a line of signal names, as
 * hs_rows_new() writes them (the rows of the E-Trace reference flow are of this kind; columns that
 * are no signal are ignored), or lines of NAME=VALUE in hexadecimal, as PULP's trace debugger
 * takes them: valid, exception, interrupt, cause, tval, priv, compressed, addr, instr.  The first
 * line shows which form it is.
 */
struct hs_port_text {
	struct hs_port port; /**< port.fault is why a row was refused */
	struct hs_lines lines;
	struct hs_port_cycle row; /**< the last one that was read */
	uint64_t rows;            /**< how many were */
	uint8_t cycle_time;   /**< hs_port_config.cycle_time, before the first line; a column time
	                          comes before it */
	hs_port_code_fn code; /**< takes opcodes as in hs_port_set_code(); before the first line */
	void *code_of;        /**< passed to code */
	/* Private: */
	struct hs_isa isa;
	const struct hs_image *image;
	uint16_t column[HS_PORT_COLUMNS]; /* signal * HS_PORT_SLOTS + slot; NO_COLUMN: none */
	uint16_t columns;
	bool pairs;                   /* NAME=VALUE */
	bool is_partial;              /* there is no column for some signals: */
	struct hs_port_cycle missing; /* all bits of these */
	bool has_unknown;             /* row has bits that are not known: */
	struct hs_port_cycle unknown; /* these */
	bool started;
};

/**
 * Start an importer.
 * @param image  The program, or NULL; kept until the last use.
 * @param xlen   32 or 64 (0 is 64); with an image its own counts.  NAME=VALUE lines are RV32 with
 *               PULP's branches in any case.
 * @retval HS_OK
 * @retval HS_E_CONFIG  xlen is not 0, 32 or 64.
 */
enum hs_status hs_port_text_init(struct hs_port_text *t, const struct hs_image *image,
                                 unsigned xlen);

/**
 * Take text, cut anywhere, and append blocks.
 * @param[in,out] in  Text; moved past what was taken.
 * @retval HS_MORE       All of @in was taken.
 * @retval HS_FULL       @out has blocks: empty it and call again with the rest of @in.
 * @retval HS_E_SPACE    out->cap is below HS_PORT_ROOM.
 * @retval HS_E_FORMAT   Line lines.number: no numbers, or too few or too many of them; no signal
 *                       that a port must have; or the line is above HS_LINE_MAX.
 * @retval HS_E_FIELD, HS_E_BLOCK, HS_E_UNKNOWN  Line lines.number: as for hs_port_clock().
 *                       A digit may be x or z: hexadecimal ones each, a decimal number as a whole.
 * After an error in a row it was skipped and a caller may continue.
 */
enum hs_status hs_port_text_feed(struct hs_port_text *t, struct hs_span *in, struct hs_blocks *out);

/** End of the text.  @retval HS_OK, else as hs_port_text_feed() without HS_MORE; HS_E_FORMAT also
 * when there was no line at all. */
enum hs_status hs_port_text_flush(struct hs_port_text *t, struct hs_blocks *out);

#endif
