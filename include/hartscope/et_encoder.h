/* E-Trace encoder: retired blocks in, packets out (ET Algorithm, PT 5).
 *
 * Addresses are byte addresses as the hart sees them.  Nothing here allocates, blocks, or keeps a
 * pointer into the input.
 *
 * Threads: one encoder belongs to one thread at a time.  Two encoders share nothing.
 */
#ifndef HARTSCOPE_ET_ENCODER_H
#define HARTSCOPE_ET_ENCODER_H

#include <stddef.h>
#include <stdint.h>

#include <hartscope/block.h>
#include <hartscope/et_config.h>
#include <hartscope/et_packet.h>
#include <hartscope/private/et_encoder.h>
#include <hartscope/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Bytes that the tables of an encoder need: return addresses, jump target cache, branch predictor
 * (bpred_size, cache_size, call_counter_size, return_stack_size), whichever options are on.
 * @return  0 where all of them are 0, or the configuration is not good.
 */
HS_API size_t hs_et_encoder_memory(const struct hs_et_config *config);

/**
 * Start the encoder of one hart.  struct hs_et_encoder is plain data in the caller's memory; its
 * members are private.  A copy of it uses the same tables.
 * @param config         Copied.
 * @param memory, bytes  For tables: at least hs_et_encoder_memory(config), aligned for uint64_t;
 *                       kept.  NULL, 0 where that is 0.
 * @retval HS_OK
 * @retval HS_E_CONFIG  See hs_et_config_check().
 * @retval HS_E_SPACE   memory is NULL, or bytes are fewer than hs_et_encoder_memory(config).
 */
HS_API enum hs_status hs_et_encoder_init(struct hs_et_encoder *e, const struct hs_et_config *config,
                                         void *memory, size_t bytes);

/**
 * Encode blocks.  Events, which come before the block that they concern:
 * - HS_KIND_STOP: reports the last instruction, then sends a support packet; the next block starts
 *   the trace again.
 * - HS_KIND_GAP: with HS_E_LOST like hs_et_encoder_lost(), else like HS_KIND_STOP, as is a note
 *   that blocks were left out (HS_NOTE_LEFT_OUT).
 * - HS_KIND_SYNC: a reset (1) is like HS_KIND_STOP; any other code makes the next block begin with
 *   a synchronising packet.
 * - HS_KIND_CONTEXT: the context of what follows, when packets carry one.  A field of 30 bits or
 *   more has FORMAT 3 (hcontext, 14 bits) at its top, next to the others (ET Instruction interface:
 *   "ASID and VMID": bits 15:0 and 29:16); a narrower one does not have it.
 * - HS_KIND_TIME: the time of what follows, when packets carry one.
 * - HS_KIND_TRAP: comes after its block: cause and trap value.  With itype 1 or 2 it has no block:
 *   the next block is its handler, which may be the first that is traced.
 * Others are skipped.  A packet is written when the instruction after it is known.
 *
 * @param in, n       Blocks in order; they may be canonical or cut finer.
 * @param[out] used   Blocks taken.
 * @param out, cap    Room, at least HS_ET_ENCODE_ROOM bytes.
 * @param[out] len    Bytes written: whole packets.
 *
 * @retval HS_OK       All blocks were taken.
 * @retval HS_FULL     Call again with in + used and more room.
 * @retval HS_E_SPACE  cap is below HS_ET_ENCODE_ROOM; nothing was done.
 * @retval HS_E_BLOCK  in[*used] has an iaddr that is odd, wider than iaddress_width (above it all
 *                     bits are 0, or all are its top bit) or not a multiple of
 *                     the address unit; itype 7 or above 15; or iretire 0 without a trap.  Blocks
 *                     before it were encoded.
 */
HS_API enum hs_status hs_et_encode(struct hs_et_encoder *e, const struct hs_block *in, size_t n,
                                   size_t *used, uint8_t *out, size_t cap, size_t *len);

/**
 * Encode data accesses too (HS_KIND_DATA, HS_KIND_VALUE): their packets come where the events
 * stand, before that of their instruction (ET Data Trace Encoder Output Packets).  Accesses that
 * the configuration of @data cannot carry are left out.  While the encoder traces this switches
 * data trace on or off, which a support packet reports (denable): before the next access, or the
 * next item.
 * @param data  Kept.  Its hart is that of the encoder.  NULL: no data trace.
 * @retval HS_OK
 * @retval HS_E_CONFIG  The framing of the dialect does not say which packets are data trace.
 */
HS_API enum hs_status hs_et_encoder_set_data(struct hs_et_encoder *e,
                                             struct hs_et_data_coder *data);

/**
 * Change run-time options while the encoder traces: from the next block on they are @options.  The
 * last instruction before them is reported under the old ones; a support packet with the new ones
 * and a synchronising packet follow (ET Format 3 subformat 3, ADR-0057).
 * @param options  enum hs_et_option; all of them.
 * @retval HS_OK
 * @retval HS_E_CONFIG       An option that the encoder lacks, or two that it cannot have together:
 *                           see hs_et_config_check().  Nothing changed.
 * @retval HS_E_UNSUPPORTED  The support packets of the layout have no bit for an option that would
 *                           change; those of 0.026 have none.  Nothing changed.
 */
HS_API enum hs_status hs_et_encoder_set_options(struct hs_et_encoder *e, unsigned options);

/**
 * Change run-time options of data trace: from the next access on they are @doptions.  A support
 * packet comes before it.
 * @param doptions  enum hs_et_data_option; all of them.
 * @retval HS_OK
 * @retval HS_E_CONFIG       No data trace (hs_et_encoder_set_data()), or neither data nor address
 *                           would be left.  Nothing changed.
 * @retval HS_E_UNSUPPORTED  The layout has no bit for an option that would change.  Nothing
 *                           changed.
 */
HS_API enum hs_status hs_et_encoder_set_doptions(struct hs_et_encoder *e, unsigned doptions);

/** Packets that the encoder had written did not get out: the trace continues with a support packet,
 * trace_lost, and a synchronising packet (ET Format 3 subformat 3). */
HS_API void hs_et_encoder_lost(struct hs_et_encoder *e);

/** Packets of data trace did not get out, and no others: a support packet with denable says so
 * before the next access, whose values are full.  Without data trace nothing happens. */
HS_API void hs_et_encoder_lost_data(struct hs_et_encoder *e);

/**
 * Encode one block or event into a queue that has little room, as hardware does.
 *
 * @param b         The block or event.
 * @param out, cap  Room left in the queue, any size.
 * @param[out] len  Bytes written: whole packets, but for a queue smaller than one.
 *
 * @retval HS_OK       Taken.
 * @retval HS_FULL     config.stall is set and there is no room for all of its packets: the hart
 *                     waits (trTeInstStallEna); call again with the same block, until HS_OK,
 *                     before anything else.
 * @retval HS_E_LOST   config.stall is not set and there is no room: the packets are lost, and so
 *                     is what follows until there is room for a support packet, trace_lost, and
 *                     a synchronising packet (ET Algorithm).  Of an access only the packets of
 *                     data trace are: the next of them comes after a support packet with dloss.
 * @retval HS_E_BLOCK  As for hs_et_encode().
 */
HS_API enum hs_status hs_et_encode_port(struct hs_et_encoder *e, const struct hs_block *b,
                                        uint8_t *out, size_t cap, size_t *len);

/** End the trace: the last instruction and a support packet.  Same results as hs_et_encode(). */
HS_API enum hs_status hs_et_encode_end(struct hs_et_encoder *e, uint8_t *out, size_t cap,
                                       size_t *len);

/** What the encoder has written since hs_et_encoder_init(); valid as long as *e. */
HS_API const struct hs_et_counts *hs_et_encoder_stats(const struct hs_et_encoder *e);

#ifdef __cplusplus
}
#endif
#endif
