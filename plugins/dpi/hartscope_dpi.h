/* The library inside a simulation: an encoder model, a checker of the ingress port and a decoder as
 * functions that SystemVerilog calls through DPI-C (hartscope_pkg.sv), and C++ benches directly.
 *
 * A bench drives one row of the ingress port a cycle: hs_dpi_group() for each slot in use,
 * hs_dpi_shared() and hs_dpi_set() for what else changed, then hs_dpi_clock().  All signals that
 * are not given are 0.  Numbers are those of port.h; results of the int functions are those of
 * status.h unless a comment says otherwise.
 *
 * Threads: a handle belongs to one thread at a time; two of them share nothing.
 */
#ifndef HARTSCOPE_DPI_H
#define HARTSCOPE_DPI_H

#include <stdint.h>

#define HS_DPI_API __attribute__((visibility("default")))

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Open a model.
 * @param protocol    "ntrace" or "etrace": an encoder after the port; "": only the port, whose rows
 *                    are checked.
 * @param parameters  NAME=VALUE, with spaces between them.  port.NAME: a member of struct
 *                    hs_port_config (port.form=block port.slots=2); queue.bytes, queue.drain_bits,
 *                    queue.drain_cycles: the queue after the encoder (transport.h); elf=PATH,
 *                    bin=PATH@ADDRESS: the program; others are the protocol's, as --set takes
 *                    them.
 * @return  NULL: it cannot be opened; hs_dpi_error() says why.
 */
HS_DPI_API void *hs_dpi_open(const char *protocol, const char *parameters);
/** Why hs_dpi_open() or hs_dpi_decoder_open() failed last in this thread. */
HS_DPI_API const char *hs_dpi_error(void);
HS_DPI_API void hs_dpi_close(void *model); /**< NULL is allowed */

/* ---- a row of the port ------------------------------------------------------------------ */

/** A group of the block form in slot @slot, 0 to HS_PORT_SLOTS - 1; others are ignored. */
HS_DPI_API void hs_dpi_group(void *model, int slot, int iretire, int itype, int ilastsize,
                             uint64_t iaddr);
/** What the block form has once a cycle. */
HS_DPI_API void hs_dpi_shared(void *model, int cause, uint64_t tval, int priv, uint64_t context);
/** Any signal by its name (docs/port-signals.md).
 * @return  HS_OK; HS_E_ARG: there is no such signal. */
HS_DPI_API int hs_dpi_set(void *model, const char *signal, int slot, uint64_t value);

/**
 * The rising edge: the row is taken, and all signals are 0 again.
 * @param cycle  Its number, for messages and the queue: at least that of the call before.
 * @retval HS_OK
 * @retval HS_FULL     The queue is full and the encoder stalls the hart: nothing was taken, and
 *                     the bench gives the row again in its next cycle.
 * @retval HS_E_FIELD  The row breaks a rule of the port: hs_dpi_fault() has it.  Its instructions
 * @retval HS_E_BLOCK  were dropped.
 * @retval HS_E_LOST   The queue had no room for messages, which are lost.
 */
HS_DPI_API int hs_dpi_clock(void *model, uint64_t cycle);

/**
 * A design has no room for the messages of blocks that begin in some slots of the next row.  What
 * such a block makes is lost, as if the model's queue were full (hs_dpi_open(): the parameters
 * have no trTeInstStallEna=1): the next one for which there is room begins with what reports
 * the loss (NT 7.4; ET Format 3 subformat 3).  A block that makes nothing is not lost.
 * @param slots  A bit for each: bit 0 is slot 0.
 * @retval HS_OK
 * @retval HS_E_CONFIG  The model follows another one, whose rows it cannot know before.
 */
HS_DPI_API int hs_dpi_no_room(void *model, int slots);

/**
 * Share a port: from now on each row that @leader is given is also @model's, which is given none.
 * What a row costs is mostly its checks, which are then done once.  Close both in any order.
 * @retval HS_OK
 * @retval HS_E_CONFIG  Their ports differ; one has a program, or @model a queue; one follows.
 */
HS_DPI_API int hs_dpi_follow(void *model, void *leader);
/** What hs_dpi_clock() of its leader's last row would have been for @model; -1: it follows none. */
HS_DPI_API int hs_dpi_followed(void *model);

/** One line: the clause, the signal and why the row of the last hs_dpi_clock() is illegal; "": it
 * is not. */
HS_DPI_API const char *hs_dpi_fault(void *model);

/** The hart stops and the trace ends: what is still open is encoded. */
HS_DPI_API int hs_dpi_end(void *model);

/* ---- what the encoder sends --------------------------------------------------------------- */

/** The next message of the model.  @return  Its bytes, 0: there is none yet. */
HS_DPI_API int hs_dpi_message(void *model);
HS_DPI_API int hs_dpi_message_byte(void *model, int index); /**< byte @index of it */
HS_DPI_API uint64_t hs_dpi_message_cycle(void *model);      /**< of the row that led to it */
HS_DPI_API const char *hs_dpi_message_text(void *model);    /**< name and fields */

/* ---- scoreboard: another encoder's bytes against those of the model ------------------------- */

/**
 * Bytes of the other encoder, in order; hs_dpi_message() is not used on the same model.
 * @param bits   The first byte is bits 7:0.
 * @param bytes  0 to 32.
 * @retval HS_OK         As far as both are known, they are equal.
 * @retval HS_E_DIFFERS  They differ: hs_dpi_difference() says where.  Nothing after it is compared.
 * @retval HS_E_MEMORY
 */
HS_DPI_API int hs_dpi_compare(void *model, const uint32_t *bits, int bytes, uint64_t cycle);
/**
 * From now on hs_dpi_compare() compares what the bytes decode to with the blocks of the port: for
 * designs whose messages are legal and other than the model's.  After hs_dpi_open(), which needs
 * the program.
 * @retval HS_OK
 * @retval HS_E_CONFIG  No program, or no protocol: hs_dpi_error().
 */
HS_DPI_API int hs_dpi_compare_blocks(void *model);
/** Both have ended.  @retval HS_OK @retval HS_E_DIFFERS */
HS_DPI_API int hs_dpi_compare_end(void *model);
/** The first difference: both messages field by field with clauses, the row that led there and its
 * cycle.  "": none. */
HS_DPI_API const char *hs_dpi_difference(void *model);
/** Bytes, or blocks, that were compared and are equal. */
HS_DPI_API uint64_t hs_dpi_compared(void *model);

/* ---- coverage -------------------------------------------------------------------------------- */

/** Count from now on which points rows and messages reach: those of the set "port" of points.h,
 * then those of the protocol.  hs_dpi_message() and hs_dpi_compare() are not used on that model.
 * @retval HS_OK @retval HS_E_MEMORY */
HS_DPI_API int hs_dpi_cover(void *model);
HS_DPI_API int hs_dpi_cover_points(void *model);                  /**< how many there are */
HS_DPI_API uint64_t hs_dpi_cover_hits(void *model, int index);    /**< how often one was reached */
HS_DPI_API const char *hs_dpi_cover_name(void *model, int index); /**< NAME (CLAUSE) */
/**
 * Count in what a file has, of any sets, and write it anew with all: JSON that `hartscope stat
 * --coverage` reads, and which it prints with --json.  Runs at the same time need a file each.
 * hs_dpi_error() says what is wrong; the file is unchanged then.
 * @retval HS_OK
 * @retval HS_E_ARG     No coverage is kept.
 * @retval HS_E_FORMAT  The file is there, and has no counts.
 * @retval HS_E_FIELD   It has a point that this version does not have.
 * @retval HS_E_SYSTEM  It cannot be read or written.
 * @retval HS_E_MEMORY  Out of memory.
 */
HS_DPI_API int hs_dpi_cover_merge(void *model, const char *path);

/* ---- decoder -------------------------------------------------------------------------------- */

/** Open a decoder.  @param parameters  As hs_dpi_open(); the program is needed. */
HS_DPI_API void *hs_dpi_decoder_open(const char *protocol, const char *parameters);
HS_DPI_API void hs_dpi_decoder_close(void *decoder); /**< NULL is allowed */
/** Bytes as for hs_dpi_compare().  @retval HS_OK @retval HS_E_MEMORY */
HS_DPI_API int hs_dpi_decode(void *decoder, const uint32_t *bits, int bytes);
HS_DPI_API void hs_dpi_decode_end(void *decoder); /**< the stream has ended */
/**
 * The next block or event that the bytes lead to (block.h): members of struct hs_block.
 * @return  1: there is one; 0: not before more bytes are given; -1: the bytes cannot be followed,
 *          hs_dpi_decoder_error() says why, and decoding resumes after them.
 */
HS_DPI_API int hs_dpi_block(void *decoder, int *kind, uint64_t *iaddr, int *iretire, int *itype);
HS_DPI_API const char *hs_dpi_decoder_error(void *decoder);

/* ---- lint ---- */

/** Open lint: what the texts forbid in a stream, also where it can be decoded.
 * @param parameters  As hs_dpi_open(); with a program its flow is looked at, too. */
HS_DPI_API void *hs_dpi_lint_open(const char *protocol, const char *parameters);
HS_DPI_API void hs_dpi_lint_close(void *lint); /**< NULL is allowed */
/** Bytes as for hs_dpi_compare().  @retval HS_OK @retval HS_E_MEMORY */
HS_DPI_API int hs_dpi_lint(void *lint, const uint32_t *bits, int bytes);
HS_DPI_API void hs_dpi_lint_end(void *lint); /**< the stream has ended */
/** The next finding.
 * @return  0: none before more bytes are given; 1: a note; 2: a warning; 3: an error. */
HS_DPI_API int hs_dpi_lint_next(void *lint);
/** Clause, what it forbids, the message and its offset. */
HS_DPI_API const char *hs_dpi_lint_text(void *lint);

#ifdef __cplusplus
}
#endif
#endif
