/* N-Trace encoder: retired blocks in, messages out (NT 10).
 *
 * Clauses are cited as in nt_config.h.  Addresses are byte addresses as the hart sees them;
 * half-words are 16-bit units, as in I-CNT (NT 8.4).  Nothing here allocates, blocks, or keeps a
 * pointer into the input.
 *
 * Threads: one encoder belongs to one thread at a time.  Two encoders share nothing.
 */
#ifndef HARTSCOPE_NT_ENCODER_H
#define HARTSCOPE_NT_ENCODER_H

#include <stddef.h>
#include <stdint.h>

#include <hartscope/block.h>
#include <hartscope/nt_config.h>
#include <hartscope/private/nt_encoder.h>
#include <hartscope/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Room that one call of the encoder may need at least, in bytes. */
#define HS_NT_ENCODE_ROOM 512

/**
 * Start the encoder of one hart.  struct hs_nt_encoder is plain data in the caller's memory and may
 * be copied; its members are private.
 * @param config  Copied.
 * @retval HS_OK
 * @retval HS_E_CONFIG  See hs_nt_config_check().
 */
HS_API enum hs_status hs_nt_encoder_init(struct hs_nt_encoder *e,
                                         const struct hs_nt_config *config);

/** Look at runs of plain blocks first, from now on: the same bytes, in half the time, for 2 to 3
 * KiB more of code.  After hs_nt_encoder_init(); without effect with timestamps, repeated_history,
 * repeat_branch, extend_addr, address_bits and HS_NT_SYNC_HALFWORDS. */
HS_API void hs_nt_encoder_use_runs(struct hs_nt_encoder *e);

/**
 * Encode blocks.  Events, which come before the block that they concern:
 * - HS_KIND_STOP: ProgTraceCorrelation with its EVCODE; the next block starts the trace again.
 *   While the trace is off, one more reports what else happened, such as debug mode (NT 8.6).
 * - HS_KIND_SYNC: the SYNC code of the next start (3 after debug mode, 9 after power-down); while
 *   the trace is on, a synchronising message with that code before the next block: a trigger (0),
 *   a watchpoint (6), a reset (1).
 * - HS_KIND_GAP: with HS_E_LOST like hs_nt_encoder_lost(), else like HS_KIND_STOP with EVCODE 4, as
 *   is a note that blocks were left out (HS_NOTE_LEFT_OUT).
 * - HS_KIND_CONTEXT: Ownership, when context is set (NT 7.1).
 * - HS_KIND_TIME: the time of what follows, when timestamps is set (NT 8.7) or cycles are counted:
 *   at which blocks end and events come.  A message with an address has the time of what led there,
 *   the end of the block before or a trigger; Error has that of the first message lost.
 * - Dialects with more: HS_NOTE_ACQUISITION: DataAcquisition; HS_NOTE_CIRCUIT and the
 *   HS_NOTE_CIRCUIT_DATA right after it: InCircuitTrace or, where no address was sent since
 *   messages were lost, InCircuitTraceSync; HS_KIND_SYNC with itype 15: a sample of the PC.  They
 *   go out at once, before a message that waits for an address.
 * Others are skipped.
 *
 * @param in, n       Blocks in order; they may be canonical or cut finer.
 * @param[out] used   Blocks taken.
 * @param out, cap    Room, at least HS_NT_ENCODE_ROOM bytes.
 * @param[out] len    Bytes written: whole messages.
 *
 * @retval HS_OK       All blocks were taken.
 * @retval HS_FULL     Call again with in + used and more room.
 * @retval HS_E_SPACE  cap is below HS_NT_ENCODE_ROOM; nothing was done.
 * @retval HS_E_BLOCK  in[*used] has an odd iaddr, or one that a field of address_bits does
 *                     not carry; itype 7, but where rc7 allows it for direct
 *                     jumps (all_jumps), or above 15; in dialect reference, an interrupt or an
 *                     exception without instructions, or the cause (HS_KIND_TRAP) of one that
 *                     is no ecall or ebreak: the trace is then off until the next block; more
 *                     half-words than the I-CNT counter holds: cut it first;
 *                     dialects with more: a reserved CKSRC, or a second datum without its first.
 *                     Blocks before it were encoded.
 */
HS_API enum hs_status hs_nt_encode(struct hs_nt_encoder *e, const struct hs_block *in, size_t n,
                                   size_t *used, uint8_t *out, size_t cap, size_t *len);

/**
 * Messages that the encoder had written did not get out (no room, and the hart was not
 * stalled): the next block begins with Error and a synchronising message, SYNC 7 (NT 7.4).
 */
HS_API void hs_nt_encoder_lost(struct hs_nt_encoder *e);

/**
 * The same where all messages since a copy of the encoder was made did not get out: *e is as in the
 * copy again, but for the time, the privilege and the contexts, which the hart has all the same.
 * TSTAMP of the Error message then counts from the last message that did get out.
 * @param before  What *e was before those messages.
 */
HS_API void hs_nt_encoder_unsent(struct hs_nt_encoder *e, const struct hs_nt_encoder *before);

/**
 * Encode one block or event into a queue that has little room, as hardware does.
 *
 * @param b         The block or event.
 * @param out, cap  Room left in the queue, any size.
 * @param[out] len  Bytes written: whole messages.
 *
 * @retval HS_OK       Taken.
 * @retval HS_FULL     config.stall is set and there is no room: nothing was taken, the hart
 *                     waits (trTeInstStallEna); call again with the same block.
 * @retval HS_E_LOST   config.stall is not set and there is no room: the messages are lost, and
 *                     so is what follows until there is room for Error and a synchronising
 *                     message (NT 7.4, 8.5).
 * @retval HS_E_BLOCK  As for hs_nt_encode().
 */
HS_API enum hs_status hs_nt_encode_port(struct hs_nt_encoder *e, const struct hs_block *b,
                                        uint8_t *out, size_t cap, size_t *len);

/** End the trace with ProgTraceCorrelation (NT 7.12).  Same results as hs_nt_encode(). */
HS_API enum hs_status hs_nt_encode_end(struct hs_nt_encoder *e, uint8_t *out, size_t cap,
                                       size_t *len);

/** What the encoder has written since hs_nt_encoder_init(); valid as long as *e. */
HS_API const struct hs_nt_counts *hs_nt_encoder_stats(const struct hs_nt_encoder *e);

#ifdef __cplusplus
}
#endif
#endif
