/* Execution logs: retired blocks from the text that simulators, emulators and cores' tracers write.
 *
 * Each format is rows of tables: what its lines look like, or which columns it has
 * (tables/log_formats.def; src/inputs).  A log may have lines of several harts.  The opcodes in
 * its lines are code, which a recording can store, so that no program file is needed; where an
 * address later has another opcode, HS_KIND_VERSION says so.
 *
 * Memory does not grow with the log, but with the code in it.
 *
 * Threads: a reader belongs to one thread at a time; different readers share nothing.
 */
#ifndef HS_INPUTS_EXEC_LOG_H
#define HS_INPUTS_EXEC_LOG_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <hartscope/image.h>
#include <hartscope/ingress.h>
#include <hartscope/port.h>
#include <hartscope/status.h>

/** What is true of a format. */
enum hs_log_flags {
	HS_LOG_RV32 = 1,    /**< always of an RV32 core */
	HS_LOG_MIXED = 2,   /**< lines of other kinds may stand between, and are left out */
	HS_LOG_PROGRAM = 4, /**< its lines have no opcodes: it needs the program */
	HS_LOG_VECTORED = 8 /**< the address of a handler shows what a trap was */
};

/** A format of execution logs (tables/log_formats.def). */
struct hs_log_format {
	const char *name;    /**< such as "spike" */
	const char *what;    /**< what it is, in words */
	const char *made_by; /**< a command, or what writes it */
	const char *source;  /**< where the format was read: repository, commit, when */
	const char *gaps;    /**< what a gap in its flow may come from; "" */
	unsigned flags;      /**< enum hs_log_flags */
};

/** A format by number, from 0.  @return NULL past the last. */
const struct hs_log_format *hs_log_get_format(unsigned number);

/** A format by name.  @return NULL: there is none. */
const struct hs_log_format *hs_log_find_format(const char *name);

/** First bytes of a file that hs_log_detect() may use. */
#define HS_LOG_DETECT_BYTES 65536

/** What the first lines of a text show. */
struct hs_log_detected {
	const struct hs_log_format *format; /**< NULL: no lines of a format that is known */
	unsigned lines;                     /**< how many lines fit it */
	uint8_t xlen;                       /**< 32 or 64, where addresses show it, else 0 */
};

/** Which format do the first bytes of a text have?  A line that they cut is not looked at. */
void hs_log_detect(const struct hs_span *first, struct hs_log_detected *found);

/** The same for one format: do they have lines of it?  found->format is NULL if not. */
void hs_log_probe(const struct hs_span *first, const struct hs_log_format *format,
                  struct hs_log_detected *found);

/** How to read a log. */
struct hs_exec_log_options {
	uint32_t size;                      /**< sizeof(struct hs_exec_log_options) */
	uint8_t xlen;                       /**< 32 or 64; 0: the program's, else 32 for
	                                         HS_LOG_RV32, else 64 */
	const struct hs_log_format *format; /**< one of hs_log_get_format() */
	const struct hs_image *program;     /**< code that is known before, kept until
	                                         hs_exec_log_free(); NULL: none */
	bool skip_unknown;                  /**< lines that begin like the format's and are in no
	                                         form that is known are the program's own: left
	                                         out without error (HS_LOG_MIXED) */
};

/* ---- code that was seen ---------------------------------------------------------------- */

/** Code that an execution showed: the first bytes at each address, and what came there later. */
struct hs_seen_code;

/**
 * @param program  What is known before, kept; NULL: nothing.
 * @retval HS_OK
 * @retval HS_E_MEMORY
 */
enum hs_status hs_seen_code_new(const struct hs_image *program, struct hs_seen_code **code);
void hs_seen_code_free(struct hs_seen_code *code); /**< NULL is allowed */

/** A hs_port_code_fn: the code that an ingress port shows, with a struct hs_seen_code as @of.
 * 16-bit instructions that a port has as their 32-bit equals are found again where they are of
 * RV32C. */
bool hs_seen_code_port(void *code, const struct hs_port_opcode *opcode, uint32_t *version);

/**
 * Code that was seen first since the last call, or since the start; a piece at each call.  What the
 * program has is left out.
 * @param[out] section  Valid until hs_seen_code_free().
 * @return false: there is no more.
 */
bool hs_seen_code_next(struct hs_seen_code *code, struct hs_section *section);

/** A hs_version_fn: what HS_KIND_VERSION means, with a struct hs_seen_code as @of. */
enum hs_status hs_seen_code_version(void *code, uint32_t number, struct hs_section *section);

/** Counters. */
struct hs_seen_code_stats {
	uint64_t changes; /**< times that an address had another opcode than before */
	bool incomplete;  /**< memory was short: some code is missing */
};
void hs_seen_code_get_stats(const struct hs_seen_code *code, struct hs_seen_code_stats *out);

/* ---- a log ------------------------------------------------------------------------------ */

struct hs_exec_log;

/**
 * Start a reader.
 * @retval HS_OK
 * @retval HS_E_CONFIG  No format; an xlen that is not 0, 32, 64; members that this library lacks.
 * @retval HS_E_NOCODE  The format needs the program (HS_LOG_PROGRAM).
 * @retval HS_E_MEMORY
 */
enum hs_status hs_exec_log_new(const struct hs_exec_log_options *options, struct hs_exec_log **log,
                               struct hs_error *error);
void hs_exec_log_free(struct hs_exec_log *log); /**< NULL is allowed */

/**
 * Take text, cut anywhere, and append blocks.
 *
 * HS_KIND_HART says which hart the next blocks are from.  HS_KIND_TIME has the cycle at which the
 * first instruction of a block retired, or the time where the log has no cycles.  A trap whose
 * cause the log does not have is a block that ends with one, without HS_KIND_TRAP.  Where nothing
 * explains how a hart came to an address, and after a damaged line, HS_KIND_GAP has the offset of
 * the line.
 *
 * @param[in,out] in  Text; moved past what was taken.
 * @param out         At least HS_BUILDER_ROOM entries.
 * @param error       HS_E_FORMAT and others: "line N, column M: what was expected".
 *
 * @retval HS_MORE           All of @in was taken.
 * @retval HS_FULL           Empty @out and call again with the rest of @in.
 * @retval HS_E_SPACE        out->cap is below HS_BUILDER_ROOM; nothing was done.
 * @retval HS_E_FORMAT       A damaged line.  It was skipped; a caller may continue, as after
 *                           the next two.
 * @retval HS_E_NOCODE       The line has no opcode, and nobody knows the code at its address.
 * @retval HS_E_UNSUPPORTED  More than 4096 harts.
 * @retval HS_E_MEMORY
 */
enum hs_status hs_exec_log_feed(struct hs_exec_log *log, struct hs_span *in, struct hs_blocks *out,
                                struct hs_error *error);

/** End of the log: a last line without an end, and the blocks still open.  @retval HS_OK, else as
 * hs_exec_log_feed() without HS_MORE; call again after errors, too. */
enum hs_status hs_exec_log_end(struct hs_exec_log *log, struct hs_blocks *out,
                               struct hs_error *error);

/** The code that the log shows; it belongs to the reader. */
struct hs_seen_code *hs_exec_log_seen(struct hs_exec_log *log);

/** hs_seen_code_next() of the log's code. */
bool hs_exec_log_next_code(struct hs_exec_log *log, struct hs_section *code);

/** Counters. */
struct hs_exec_log_stats {
	uint64_t lines;        /**< taken */
	uint64_t ignored;      /**< of them, not of the log (HS_LOG_MIXED) */
	uint64_t instructions; /**< retired */
	uint64_t traps;        /**< taken */
	uint64_t changes;      /**< times that an address had another opcode than before */
	uint32_t harts;
	uint8_t xlen;
};
void hs_exec_log_get_stats(const struct hs_exec_log *log, struct hs_exec_log_stats *out);

#endif
