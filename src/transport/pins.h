/* What the files of this room share. */
#ifndef HS_TRANSPORT_PINS_H
#define HS_TRANSPORT_PINS_H

#include <hartscope/transport.h>

/* MSEO of a byte (NT 3.1). */
#define PIN_MSEO(byte) ((byte) & 3u)
#define PIN_MSEO_RESERVED 2u
#define PIN_MSEO_END 3u

/* The track that reads the beat to come as idle or as the first of a message. */
#define PIN_IDLE 8u

enum pin_state {
	PIN_HUNT,       /* tracks[] are the ways to read the samples */
	PIN_BETWEEN,    /* aligned, no message */
	PIN_MESSAGE,    /* aligned, inside a message */
	PIN_BLIND,      /* bytes are known, but not where their message began */
	PIN_CALIBRATING /* inside a calibration pattern */
};

enum pin_track_state {
	PIN_TRACK_DEAD,
	PIN_TRACK_VAGUE, /* inside a message and inside a byte whose MSEO was not seen */
	PIN_TRACK_BLIND, /* inside a message whose beginning was not seen, or is not certain */
	PIN_TRACK_SURE   /* kept bytes are whole messages and the beginning of one; or idle */
};

/* All bits of a beat. */
static inline unsigned pin_ones(unsigned width)
{
	return (1u << width) - 1;
}

/* The part of a byte's first beat that is MSEO: with one pin, the first bit of it. */
static inline unsigned pin_mseo_mask(unsigned width)
{
	return width == 1 ? 1 : 3;
}

/* hunt.c: every way to read what comes, from the current beat on. */
void pin_hunt_start(struct hs_pin_receiver *r);
/* One beat; when one way is left it becomes the state of the receiver. */
void pin_hunt(struct hs_pin_receiver *r, unsigned beat);

/* receiver.c: messages are reported from this beat on. */
void pin_announce(struct hs_pin_receiver *r, uint64_t beat);

/* A calibration pattern has begun: whatever was read ends.  Two periods of it were taken already.
 */
void pin_calibrate(struct hs_pin_receiver *r);
/* It has ended before the current beat. */
void pin_calibrated(struct hs_pin_receiver *r);

/* receiver.c: alignment is lost, unless it was not reported yet. */
void pin_report_loss(struct hs_pin_receiver *r);

/* headers.c: search for a synchronisation sequence; take a beat, in every state. */
void pin_headers_start(struct hs_pin_receiver *r);
void pin_take_headers(struct hs_pin_receiver *r, unsigned beat);

/* calibration.c: one beat in, and perhaps one out that is not of a calibration pattern. */
void pin_delay_init(struct hs_pin_receiver *r);
bool pin_delay(struct hs_pin_receiver *r, unsigned *beat);
/* The samples are over: the next beat that waits. */
bool pin_delay_flush(struct hs_pin_receiver *r, unsigned *beat);

#endif
