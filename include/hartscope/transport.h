/* N-Trace over pins and through memory: samples in, message bytes out, and the other way.
 *
 * "NT x.y" is a clause of RISC-V N-Trace 1.0.0-rc7, "TCI" the RISC-V Trace Control Interface
 * 1.0.  A sample is the state of TRC_DATA at one edge of TRC_CLK; both edges count (NT 3.4).
 * The width of a port is 1, 2, 4, 8 or 16 bits.  Least significant bits travel first (NT 3.3).
 *
 * Nothing here allocates, blocks, or keeps a pointer into the input.  A receiver or sender is
 * plain data in the caller's memory and shares nothing with another one.
 */
#ifndef HARTSCOPE_TRANSPORT_H
#define HARTSCOPE_TRANSPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <hartscope/span.h>
#include <hartscope/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/** How samples lie in bytes. */
enum hs_pin_format {
	/** One sample a byte, in its low bits; other bits are ignored.  Width 16: two bytes a
	 * sample, the low one first. */
	HS_PIN_BYTES = 0,
	/** Samples packed without gaps, the first one in the low bits.  Same as the other format
	 * for widths 8 and 16. */
	HS_PIN_PACKED = 1
};

/** A port and how its samples are stored; for sender and receiver alike. */
struct hs_pin_config {
	uint32_t size;      /**< sizeof(struct hs_pin_config) */
	uint8_t width;      /**< data pins: 1, 2, 4, 8 or 16; 0: 4, as the MIPI20 connector has */
	uint8_t format;     /**< enum hs_pin_format */
	uint8_t starts_idle; /**< receiver: the first sample is known to be idle or the first of a
	                          message; 0: the capture may begin anywhere */
	uint8_t pad;
};

/**
 * Check a configuration, and write a number for each zero that stands for one.
 * @param[out] out  Written only with HS_OK.
 * @retval HS_OK
 * @retval HS_E_CONFIG  There is no such width or format; the size is wrong, or bytes past this
 *                      struct are not zero.
 */
HS_API enum hs_status hs_pin_config_resolve(const struct hs_pin_config *given,
                                            struct hs_pin_config *out);

/* ---- receiver ---------------------------------------------------------------- */

/** Something that happened to the alignment. */
enum hs_pin_event_kind {
	HS_PIN_ALIGNED,    /**< messages are handed over from here on */
	HS_PIN_LOST,       /**< a sample that no message can have here */
	HS_PIN_CALIBRATION /**< a calibration pattern has ended (TCI, Calibration Mode): two periods
	                        of it, or more */
};

struct hs_pin_event {
	uint8_t kind;    /**< enum hs_pin_event_kind */
	uint8_t offset;  /**< aligned: where in the sample the message begins: bit 0, or bit 8 of 16 */
	uint8_t phase;   /**< aligned: sample modulo samples a byte; 0 for widths 8 and 16 */
	uint8_t pad[5];
	uint64_t sample; /**< aligned: the first one of the first message; lost: the one at fault;
	                      calibration: the first one after it */
	uint64_t count;  /**< lost, calibration: samples that were aligned, or in the pattern */
};

/** Counters of a receiver. */
struct hs_pin_stats {
	uint64_t samples;     /**< taken */
	uint64_t bytes;       /**< of messages, handed over */
	uint64_t idle_bits;   /**< between messages while aligned; a sample has width bits */
	uint64_t skipped;     /**< samples passed over in search of alignment, or of a message's start */
	uint64_t calibration; /**< samples of calibration patterns */
	uint64_t alignments;  /**< times that alignment was found */
	uint64_t losses;      /**< times that it was lost */
};

/** Bytes that one reading of the samples may hold before it is sure to be the right one. */
#define HS_PIN_KEEP 128

/** One way to read the samples, while more than one is possible.  Private. */
struct hs_pin_track {
	uint64_t start; /* beat where kept bytes begin */
	uint8_t state;  /* enum pin_track_state */
	uint8_t acc;    /* bits of the byte at hand */
	uint16_t n;     /* bytes kept */
	uint8_t bytes[HS_PIN_KEEP];
};

/** Receiver of one port.  Private; plain data.  A beat is a sample, or half of one of 16 bits. */
struct hs_pin_receiver {
	struct hs_pin_config config;
	uint64_t beat, from;      /* beats taken; where the present state began */
	uint64_t idle, skipped, calibration, bytes, alignments, losses;
	uint8_t width, per;       /* bits a beat, beats a byte */
	uint8_t period;           /* beats a period of the calibration pattern */
	uint8_t delay_at, delay_n; /* next place in delay[]; beats that wait in it */
	uint8_t pattern;          /* the beats that wait are the pattern */
	uint8_t same;             /* beats in a row that equal the one a period before, to 255 */
	uint8_t delay[64];        /* two periods: they may be the pattern */
	uint8_t in_bit;           /* packed: next bit of the input byte */
	uint8_t state;            /* enum pin_state */
	uint8_t acc, bits;        /* aligned: the byte at hand */
	uint8_t handed;           /* bytes went out since the last break */
	uint8_t announce;         /* the next message begins an alignment */
	uint8_t events;           /* number of waiting events */
	uint16_t held_n, held_at; /* bytes that wait for room */
	struct hs_pin_event event[3];
	uint8_t held[HS_PIN_KEEP + 8];
	struct hs_pin_track tracks[9]; /* one for each place of a byte's first beat, and idle */
};

/**
 * @retval HS_OK
 * @retval HS_E_CONFIG  See hs_pin_config_resolve().
 */
HS_API enum hs_status hs_pin_receiver_init(struct hs_pin_receiver *r,
                                           const struct hs_pin_config *config);

/**
 * Samples to message bytes, without the idle between messages.
 *
 * A receiver that does not know where messages begin follows every way to read the samples at
 * once and drops those that break a rule of MSEO (NT 3.1), until one is left.  After 14 bits of
 * 1 that is idle, whatever came before (ADR-0012); other bits often decide earlier.  What the
 * one that is left has read since it saw a message begin is then handed over too.  Samples are
 * held back for two periods of the calibration pattern, 8 to 64 of them, which is passed over.
 *
 * Where alignment is lost, @out gets the bytes 0x02 0xff: a reserved MSEO and an end, so that
 * hs_nt_read() reports HS_E_FRAMING there and a decoder takes up at the next synchronisation.
 *
 * @param[in,out] in    Samples; moved past those taken.  They may stop anywhere: how they are cut
 *                      changes nothing.
 * @param out, cap      Room, at least 1 byte.
 * @param[out] len      Bytes written; also with an event.
 * @param[out] event    Written when the result is HS_OK.
 *
 * @retval HS_OK        *event tells; call again with the rest of @in.
 * @retval HS_MORE      @in is used up.
 * @retval HS_FULL      @out is full; call again with room and the rest of @in.
 * @retval HS_E_SPACE   cap is 0; nothing was done.
 */
HS_API enum hs_status hs_pin_receive(struct hs_pin_receiver *r, struct hs_span *in, uint8_t *out,
                                     size_t cap, size_t *len, struct hs_pin_event *event);

/**
 * The samples are over: what was still held back comes out, as from hs_pin_receive().
 * @retval HS_OK           *event tells; call again.
 * @retval HS_FULL         Call again with room.
 * @retval HS_E_SPACE      cap is 0; nothing was done.
 * @retval HS_END          Complete: between two messages, in a calibration pattern, or empty.
 * @retval HS_E_TRUNCATED  The samples end inside a message.
 * @retval HS_E_FRAMING    Alignment was not found, or not found again.
 */
HS_API enum hs_status hs_pin_receive_end(struct hs_pin_receiver *r, uint8_t *out, size_t cap,
                                         size_t *len, struct hs_pin_event *event);

HS_API void hs_pin_receiver_stats(const struct hs_pin_receiver *r, struct hs_pin_stats *out);

/* ---- sender ------------------------------------------------------------------ */

/** Sender of one port.  Private; plain data. */
struct hs_pin_sender {
	struct hs_pin_config config;
	uint64_t beats;     /* sent */
	uint8_t width, per; /* bits a beat, beats a byte */
	uint8_t byte, left; /* byte at hand and beats of it still to be sent */
	uint8_t acc, fill;  /* packed: byte of samples at hand and bits in it */
	uint8_t within;     /* inside a message */
	uint8_t pad;
};

/**
 * @retval HS_OK
 * @retval HS_E_CONFIG  See hs_pin_config_resolve().
 */
HS_API enum hs_status hs_pin_sender_init(struct hs_pin_sender *s, const struct hs_pin_config *config);

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
 *
 * @param[in,out] beats  Samples of all ones to send, halves of samples at width 16; what is
 *                       left to do when there was no room.
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

/* ---- circular buffers --------------------------------------------------------- */

/** What hs_ring_find() found: the oldest whole message and the end of the newest. */
struct hs_ring {
	uint64_t begin; /**< read from here to the end of the buffer, then from 0 to @end */
	uint64_t end;
	bool found;     /**< false: taken as it lies, begin is 0 and end the size */
};

/**
 * Find the seam of a circular buffer that wrapped, where its write pointer is not known: the one
 * place where what follows cannot be a message (NT 3.1, 6), or, in a stream without SRC, goes on
 * after a ProgTraceCorrelation without a synchronising message (NT 7.12).  None, or more than
 * one: the buffer is taken as it lies.
 *
 * @param buffer    All of the buffer.
 * @param src_bits  Width of SRC (trTeSrcBits).
 */
HS_API void hs_ring_find(const struct hs_span *buffer, unsigned src_bits, struct hs_ring *ring);

/**
 * Skip the rest of a message whose beginning was overwritten: up to and with the first byte whose
 * MSEO is 11 (TCI, trRamWrap).
 * @param[in,out] in  Bytes from the seam on; moved past that byte, or to the end.
 * @retval true   @in is at the first whole message.
 * @retval false  No byte had MSEO 11: the bytes that follow belong to the same message.
 */
HS_API bool hs_ring_skip_partial(struct hs_span *in);

#ifdef __cplusplus
}
#endif
#endif
