/* N-Trace over pins and through memory: samples in, message bytes out, and the other way.
 *
 * "NT x.y" is a clause of RISC-V N-Trace 1.0.0-rc7, "TCI" the RISC-V Trace Control Interface
 * 1.0.  A sample is the state of TRC_DATA at one edge of TRC_CLK; both edges count (NT 3.4).
 * The width of a port is 1, 2, 4, 8 or 16 bits.  Least significant bits travel first (NT 3.3).
 *
 * Nothing here allocates, blocks, or keeps a pointer into the input.  A receiver or sender is
 * plain data in the caller's memory and belongs to one thread at a time; different ones may be used
 * on different threads at once.
 */
#ifndef HARTSCOPE_TRANSPORT_H
#define HARTSCOPE_TRANSPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <hartscope/pin_config.h>
#include <hartscope/private/pins.h>
#include <hartscope/ring.h>
#include <hartscope/span.h>
#include <hartscope/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- sender ------------------------------------------------------------------ */

/**
 * Start a sender.
 * @retval HS_OK
 * @retval HS_E_CONFIG  The pins or the alignment are none that a port has.
 */
HS_API enum hs_status hs_pin_sender_init(struct hs_pin_sender *s,
                                         const struct hs_pin_config *config);

/**
 * Message bytes to samples, up to the end of a message.
 *
 * @param[in,out] in  Bytes of messages, and of idle (0xff) if there are; moved past those taken.
 *                    They may stop anywhere.
 * @param out, cap    Room.
 * @param[out] len    Bytes of samples written.
 *
 * @retval HS_OK    A message has ended; hs_pin_idle() may follow.  Call again with the rest.
 * @retval HS_MORE  @in is used up.
 * @retval HS_FULL  @out is full; call again with room and the rest of @in.
 */
HS_API enum hs_status hs_pin_send(struct hs_pin_sender *s, struct hs_span *in, uint8_t *out,
                                  size_t cap, size_t *len);

/**
 * Send idle.  Only where hs_pin_send() returned HS_OK, or before the first message.
 * With headers idle is whole bytes, rounded up: null.idle, the last one null.alignment.
 *
 * @param[in,out] beats  Samples of all ones to send, halves of samples at width 16; what is
 *                       still to be sent when there was no room.
 * @retval HS_OK
 * @retval HS_FULL    Call again with room.
 * @retval HS_E_ARG   Inside a message: its samples must follow each other (NT 3.4).
 */
HS_API enum hs_status hs_pin_idle(struct hs_pin_sender *s, uint64_t *beats, uint8_t *out,
                                  size_t cap, size_t *len);

/**
 * The end: fills the last byte or 16-bit sample with idle.  At most one byte.
 * @retval HS_OK
 * @retval HS_FULL  Call again with room.
 */
HS_API enum hs_status hs_pin_sender_end(struct hs_pin_sender *s, uint8_t *out, size_t cap,
                                        size_t *len);

#ifdef __cplusplus
}
#endif
#endif
