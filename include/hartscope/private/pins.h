/* Private state of receivers and senders of pins.  It stands here because the caller owns the
 * memory; no member may be relied upon. */
#ifndef HARTSCOPE_PRIVATE_PINS_H
#define HARTSCOPE_PRIVATE_PINS_H

#include <stdint.h>

#include <hartscope/pin_config.h>

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
	uint8_t acc, bits;        /* aligned: the current byte */
	uint8_t written;          /* bytes were written since the last loss */
	uint8_t announce;         /* the next message begins an alignment */
	uint8_t events;           /* number of waiting events */
	uint8_t nulls, rest;      /* headers: idle goes on; bytes of the packet to come */
	uint64_t zeros;           /* headers: bits of 0 in a row */
	uint16_t held_n, held_at; /* bytes that wait for room */
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

#endif
