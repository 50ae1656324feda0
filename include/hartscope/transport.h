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

#include <hartscope/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- pin config ----
 * Traces over pins: how a port and its samples look, and what a receiver reports of them.
 *
 * "TCI" is the RISC-V Trace Control Interface 1.0.  A sample is the state of TRC_DATA at one edge
 * of TRC_CLK.  These are plain data.
 */

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
	uint32_t size;       /**< sizeof(struct hs_pin_config) */
	uint8_t width;       /**< data pins: 1, 2, 4, 8 or 16; 0: 4, as the MIPI20 connector has */
	uint8_t format;      /**< enum hs_pin_format */
	uint8_t starts_idle; /**< receiver: the first sample is known to be idle or the first of a
	                          message; 0: the capture may begin anywhere */
	uint8_t headers;     /**< 0: messages end by MSEO (NT 3.1); 1: packets of the encapsulation,
	                         whose headers say how long they are (EE Synchronization) */
	uint8_t src_bytes;   /**< headers: whole bytes of srcID, 0 to 2 */
	uint8_t tstamp_bytes; /**< headers: bytes of the timestamp, 0 to 8 */
	uint8_t pad[2];
};

/** Something that happened to the alignment. */
enum hs_pin_event_kind {
	HS_PIN_ALIGNED,    /**< messages are reported from here on */
	HS_PIN_LOST,       /**< a sample that no message can have here */
	HS_PIN_CALIBRATION /**< a calibration pattern has ended (TCI, Calibration Mode): two periods
	                        of it, or more */
};

struct hs_pin_event {
	uint8_t kind;   /**< enum hs_pin_event_kind */
	uint8_t offset; /**< aligned: bit of the sample where the message begins: 0, or 8 of 16 */
	uint8_t phase;  /**< aligned: sample modulo samples a byte; 0 for widths 8 and 16 */
	uint8_t pad[5];
	uint64_t sample; /**< aligned: the first one of the first message; lost: the one at fault;
	                      calibration: the first one after it */
	uint64_t count;  /**< lost, calibration: samples that were aligned, or in the pattern */
};

/** Counters of a receiver. */
struct hs_pin_stats {
	uint64_t samples;   /**< taken */
	uint64_t bytes;     /**< of messages, written */
	uint64_t idle_bits; /**< between messages while aligned; a sample has width bits */
	/**< samples dropped in search of alignment, or of a message's start */
	uint64_t skipped;
	uint64_t calibration; /**< samples of calibration patterns */
	uint64_t alignments;  /**< times that alignment was found */
	uint64_t losses;      /**< times that it was lost */
};

/* Private state of receivers and senders of pins.  It stands here because the caller owns the
 * memory; no member may be relied upon. */

/* Bytes that one way to read the samples may keep before it is known to be the right one. */
#define HS_PIN_KEEP 128

/* One way to read the samples, while more than one is possible. */
struct hs_pin_track {
	uint64_t start; /* beat where kept bytes begin */
	uint8_t state;  /* enum pin_track_state */
	uint8_t acc;    /* bits of the current byte */
	uint16_t n;     /* bytes kept */
	uint8_t bytes[HS_PIN_KEEP];
};

/* Receiver of one port.  A beat is a sample, or half of one of 16 bits. */
struct hs_pin_receiver {
	struct hs_pin_config config;
	uint64_t beat, from; /* beats taken; where the present state began */
	uint64_t idle, skipped, calibration, bytes, alignments, losses;
	uint8_t width, per;        /* bits a beat, beats a byte */
	uint8_t period;            /* beats a period of the calibration pattern */
	uint8_t delay_at, delay_n; /* next place in delay[]; beats that wait in it */
	uint8_t pattern;           /* the beats that wait are the pattern */
	uint8_t same;              /* beats in a row that equal the one a period before, to 255 */
	uint8_t delay[64];         /* two periods: they may be the pattern */
	uint8_t in_bit;            /* packed: next bit of the input byte */
	uint8_t state;             /* enum pin_state */
	uint8_t acc, bits;         /* aligned: the current byte */
	uint8_t written;           /* bytes were written since the last loss */
	uint8_t announce;          /* the next message begins an alignment */
	uint8_t events;            /* number of waiting events */
	uint8_t nulls, rest;       /* headers: idle goes on; bytes of the packet to come */
	uint64_t zeros;            /* headers: bits of 0 in a row */
	uint16_t held_n, held_at;  /* bytes that wait for room */
	struct hs_pin_event event[3];
	uint8_t held[HS_PIN_KEEP + 8];
	struct hs_pin_track tracks[9]; /* one for each place of a byte's first beat, and idle */
};

/* Sender of one port. */
struct hs_pin_sender {
	struct hs_pin_config config;
	uint64_t beats;     /* sent */
	uint8_t width, per; /* bits a beat, beats a byte */
	uint8_t byte, left; /* current byte and beats of it still to be sent */
	uint8_t acc, fill;  /* packed: current byte of samples and bits in it */
	uint8_t within;     /* inside a message */
	uint8_t rest;       /* headers: bytes of the packet to come */
};

/* ---- sender ------------------------------------------------------------------ */

/* ---- queue ----
 * The queue between an encoder and what takes its bytes: how full it is, cycle by cycle.
 *
 * It holds no bytes: they leave in the order in which they came, so that only how many matters.
 * Nothing here allocates.  A queue belongs to one thread at a time; two of them share nothing.
 */

/** A queue.  What is 0 has the default. */
struct hs_queue_config {
	uint32_t size;         /**< sizeof(struct hs_queue_config) */
	uint32_t bytes;        /**< room; 0: without end */
	uint32_t drain_bits;   /**< bits that leave in drain_cycles cycles; 0: none */
	uint32_t drain_cycles; /**< 0 is 1 */
};

/** Plain data in the caller's memory. */
struct hs_queue {
	uint64_t peak; /**< bytes, parts counted as whole ones: the most that it ever held */
	/* Private: */
	uint64_t level, room; /* parts of a byte: unit in each */
	uint64_t unit, drain; /* parts of a byte; parts that leave in a cycle */
};

/**
 * An empty queue.
 * @retval HS_OK
 * @retval HS_E_CONFIG  The size is below 4, or a byte past this struct is not 0.
 */
HS_STATIC enum hs_status hs_queue_init(struct hs_queue *q, const struct hs_queue_config *config);

/** Time passes: bytes leave. */
HS_STATIC void hs_queue_advance(struct hs_queue *q, uint64_t cycles);

/** Whole bytes that have room. */
HS_STATIC size_t hs_queue_room(const struct hs_queue *q);

/** Bytes come.  They may be more than have room: a hart that is stalled holds the rest. */
HS_STATIC void hs_queue_put(struct hs_queue *q, size_t n);

/** Cycles until @n more bytes have room, or, where they never do, until the queue is empty; until
 * it holds no more than it may for n 0.  UINT64_MAX: nothing leaves. */
HS_STATIC uint64_t hs_queue_wait(const struct hs_queue *q, size_t n);

/* ---- frames ----
 * CoreSight frames: the bytes of several sources in one stream (design/captures).
 *
 * A frame has 16 bytes.  The last one has a bit for each of the eight bytes at even places: an even
 * byte whose bit 0 is 1 is the ID of the source of the next bytes, with its bit 1 after the next
 * one; any other even byte is data whose bit 0 is that bit.  Between frames full synchronisations
 * (ff ff ff 7f) show where frames begin, and half-word synchronisations (ff 7f) fill time.
 *
 * Nothing here allocates, blocks, or keeps a pointer into the input.  A reader or writer is plain
 * data in the caller's memory and belongs to one thread at a time; different ones share nothing.
 */

/** IDs: 1 to 0x6f are sources. */
#define HS_FRAME_NULL 0x00 /**< data without a meaning */
#define HS_FRAME_SOURCE_MAX 0x6f
#define HS_FRAME_TRIGGER 0x7d /**< a trigger happened */
#define HS_FRAME_IDS 128

/** Makes frames of bytes. */
struct hs_frame_writer {
	/* Private: */
	uint8_t bytes[16];
	uint8_t at, id, held, byte, every, named;
	uint32_t count;
};

/** Room for what one byte, or the end, makes of frames. */
#define HS_FRAME_ROOM 40

/* ---- serial ----
 * Single-wire trace (SWT): samples of one pin to bytes, and back (design/captures).
 *
 * "TCI" is the RISC-V Trace Control Interface 1.0.  UART: a low start bit, 8 data bits, the least
 * significant first, a high stop bit; idle is high (TCI, SWT UART Protocol).  Manchester: a message
 * between a start and a stop bit, each bit in two phases: start and 1 are high then low, 0 is low
 * then high, stop and idle are low (TCI, SWT Manchester Protocol).
 *
 * Nothing here allocates, blocks, or keeps a pointer into the input.  A receiver or sender is plain
 * data in the caller's memory and belongs to one thread at a time; different ones share nothing.
 */

/** Protocols of the pin: trPibMode 5 and 4. */
enum hs_serial_mode { HS_SERIAL_UART = 0, HS_SERIAL_MANCHESTER = 1 };

/** The pin and its samples. */
struct hs_serial_config {
	uint32_t size;   /**< sizeof(struct hs_serial_config) */
	uint32_t period; /**< samples a bit, in units of 1/256 sample; 0: found (receiver), 8
	                       samples (sender) */
	uint8_t mode;    /**< enum hs_serial_mode */
	uint8_t packed;  /**< 1: 8 samples a byte, the first one in bit 0; 0: a byte each, in bit
	                       0 */
	uint8_t pad[2];  /**< 0 */
};

/** Least and most of period: 2 and 64 samples of sender and receiver, 2.5 a bit to find it. */
#define HS_SERIAL_PERIOD_MIN 512
#define HS_SERIAL_PERIOD_MAX 16384

/** Bytes to samples. */
struct hs_serial_sender {
	/* Private: */
	uint32_t period;
	uint64_t time, done;
	uint8_t mode, packed, acc, fill;
};

/** Room for the output of one call of a sender. */
#define HS_SERIAL_ROOM 1280

#ifdef __cplusplus
}
#endif
#endif
