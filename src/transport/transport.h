/* Bytes out of pins, and the wrap point of a ring in memory. */
#ifndef HS_TRANSPORT_TRANSPORT_H
#define HS_TRANSPORT_TRANSPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <hartscope/transport.h>

#include "ntrace/ntrace.h"
#include "transport/frames.h"
#include "transport/pin_config.h"
#include "transport/serial.h"

/* ---- receiver ---------------------------------------------------------------- */

/**
 * Start a receiver.
 * @retval HS_OK
 * @retval HS_E_CONFIG  See hs_pin_config_resolve().
 */
enum hs_status hs_pin_receiver_init(struct hs_pin_receiver *r, const struct hs_pin_config *config);

/**
 * Samples to message bytes, without the idle between messages.
 *
 * A receiver that does not know where messages begin follows every way to read the samples at
 * once and drops those that break a rule of MSEO (NT 3.1), until one is left.  After 14 bits of
 * 1 that is idle, whatever came before (design/alignment); other bits often decide earlier.  What
 * that one has read since it saw a message begin is then written, too.  Samples are held back for
 * two periods of the calibration pattern, 8 to 64 of them; samples of a calibration pattern are
 * dropped.
 *
 * Where alignment is lost, @out gets the bytes 0x02 0xff: a reserved MSEO and an end, so that
 * hs_nt_read() reports HS_E_FRAMING there and a decoder resumes at the next synchronisation.
 *
 * @param[in,out] in    Samples; moved past those taken.  They may stop anywhere: how they are cut
 *                      changes nothing.
 * @param out, cap      Room, at least 1 byte.
 * @param[out] len      Bytes written; also with an event.
 * @param[out] event    Written when the result is HS_OK.
 *
 * @retval HS_OK        *event is set; call again with the rest of @in.
 * @retval HS_MORE      @in is used up.
 * @retval HS_FULL      @out is full; call again with room and the rest of @in.
 * @retval HS_E_SPACE   cap is 0; nothing was done.
 */
enum hs_status hs_pin_receive(struct hs_pin_receiver *r, struct hs_span *in, uint8_t *out,
                              size_t cap, size_t *len, struct hs_pin_event *event);

/**
 * The samples are over: what was still held back comes out, as from hs_pin_receive().
 * @retval HS_OK           *event is set; call again.
 * @retval HS_FULL         Call again with room.
 * @retval HS_E_SPACE      cap is 0; nothing was done.
 * @retval HS_END          Complete: between two messages, in a calibration pattern, or empty.
 * @retval HS_E_TRUNCATED  The samples end inside a message.
 * @retval HS_E_FRAMING    Alignment was not found, or not found again.
 */
enum hs_status hs_pin_receive_end(struct hs_pin_receiver *r, uint8_t *out, size_t cap, size_t *len,
                                  struct hs_pin_event *event);

/** What the receiver counted so far. */
void hs_pin_receiver_get_stats(const struct hs_pin_receiver *r, struct hs_pin_stats *out);

/* ---- circular buffers --------------------------------------------------------- */

/**
 * Find the wrap point of a circular buffer that wrapped, where its write pointer is not known: the
 * one place where the bytes that follow cannot be a message (NT 3.1, 6), or, in a stream without
 * SRC, continue after a ProgTraceCorrelation without a synchronising message (NT 7.12).  Without
 * such a place, or with more than one, the buffer is read in the order of its addresses.  What
 * damaged bytes leave can look like the one place: ring->certain is false.
 *
 * @param buffer    All of the buffer.
 * @param src_bits  Width of SRC (trTeSrcBits).
 */
void hs_ring_find(const struct hs_span *buffer, unsigned src_bits, struct hs_ring *ring);

/**
 * Skip the rest of a message whose beginning was overwritten: up to and with the first byte whose
 * MSEO is 11 (TCI, trRamWrap).
 * @param[in,out] in  Bytes from the wrap point on; moved past that byte, or to the end.
 * @retval true   @in is at the first whole message.
 * @retval false  No byte had MSEO 11: the bytes that follow belong to the same message.
 */
bool hs_ring_skip_partial(struct hs_span *in);

/* ---- transport.h ---- */

/** Fill up the frame that was begun with bytes of HS_FRAME_NULL. @return  Bytes written. */
size_t hs_frame_flush(struct hs_frame_writer *w, uint8_t *out);

/**
 * Add a byte of a source.
 * @param id   1 to HS_FRAME_SOURCE_MAX, or HS_FRAME_TRIGGER.
 * @param out  Room for HS_FRAME_ROOM bytes.
 * @return  Bytes written: 0 until a frame is full.
 */
size_t hs_frame_put(struct hs_frame_writer *w, uint8_t id, uint8_t byte, uint8_t *out);

/**
 * Start.
 * @param every  A full synchronisation before the first frame, and after each so many; 0: none, for
 *               readers that are @aligned.
 */
void hs_frame_writer_init(struct hs_frame_writer *w, unsigned every);

/**
 * Send one byte of a message.
 * @param first, last  It begins and ends its message, which Manchester marks.
 * @param out          Room for HS_SERIAL_ROOM bytes.
 * @return  Bytes of samples.
 */
size_t hs_serial_send(struct hs_serial_sender *s, uint8_t byte, bool first, bool last,
                      uint8_t *out);

/** Send idle of @bits bits, at most 16, between two messages. @return  Bytes of samples. */
size_t hs_serial_idle(struct hs_serial_sender *s, unsigned bits, uint8_t *out);

/** Start. @retval HS_OK @retval HS_E_CONFIG  The mode or the period is none. */
enum hs_status hs_serial_sender_init(struct hs_serial_sender *s,
                                     const struct hs_serial_config *config);

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
enum hs_status hs_pin_idle(struct hs_pin_sender *s, uint64_t *beats, uint8_t *out, size_t cap,
                           size_t *len);

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
enum hs_status hs_pin_send(struct hs_pin_sender *s, struct hs_span *in, uint8_t *out, size_t cap,
                           size_t *len);

/**
 * The end: fills the last byte or 16-bit sample with idle.  At most one byte.
 * @retval HS_OK
 * @retval HS_FULL  Call again with room.
 */
enum hs_status hs_pin_sender_end(struct hs_pin_sender *s, uint8_t *out, size_t cap, size_t *len);

/**
 * Start a sender.
 * @retval HS_OK
 * @retval HS_E_CONFIG  The pins or the alignment are none that a port has.
 */
enum hs_status hs_pin_sender_init(struct hs_pin_sender *s, const struct hs_pin_config *config);

#endif
