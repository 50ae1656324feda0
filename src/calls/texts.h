/* Events of exports with a time axis, and the text that threads make of them (texts.c). */
#ifndef HS_EXPORTS_TEXTS_H
#define HS_EXPORTS_TEXTS_H

#include <string.h>

#include "calls/exports_private.h"
#include "support/digits.h"

enum exports_event_type {
	EXPORTS_OPEN,
	EXPORTS_CLOSE,
	EXPORTS_TRACK,  /* a stack is met for the first time */
	EXPORTS_MOMENT, /* a trap, see exports_put_moment() */
	EXPORTS_COUNT   /* of a hart */
};

/* Of EXPORTS_MOMENT: self is where it struck, total its number; bits of how. */
enum exports_what {
	EXPORTS_INTERRUPT = 1,
	EXPORTS_CAUSE = 2,
	EXPORTS_SIGNAL = 4,
	EXPORTS_CALL = 8
};

enum exports_counter { EXPORTS_COUNT_TRAPS, EXPORTS_COUNT_INSTRUCTIONS };

/* What the text of an event needs. */
struct exports_event {
	uint64_t now;                      /* nanoseconds */
	uint64_t self, total; /* EXPORTS_CLOSE; EXPORTS_COUNT: the count, and which one */
	const struct exports_label *label; /* of the function; NULL: of a stack */
	const struct hs_guest_task *task;  /* EXPORTS_TRACK: who runs; NULL: not known */
	uint32_t hart, track, function, lane;
	uint8_t type; /* enum exports_event_type */
	uint8_t how;  /* enum hs_frame_how; EXPORTS_MOMENT: enum exports_what */
	bool first;   /* of its function, its lane, or a track of a hart: none came before */
};

/* Bytes that are made of events; a format asks for room first. */
struct exports_text {
	char *bytes;
	size_t n, room;
	bool failed; /* no memory: nothing more is added */
};

#define EXPORTS_EVENT_ROOM 1024u /* of an event, without its label */

static inline void exports_put_bytes(struct exports_text *t, const void *bytes, size_t n)
{
	memcpy(t->bytes + t->n, bytes, n);
	t->n += n;
}

#define exports_put_literal(t, text) exports_put_bytes(t, text, sizeof(text) - 1)

static inline void exports_put_decimal(struct exports_text *t, uint64_t value)
{
	char digits[SUPPORT_DIGITS], *end = digits + sizeof(digits);
	const char *at = support_digits(end, value);

	exports_put_bytes(t, at, (size_t)(end - at));
}

/* The next event of a track, for the format to complete; NULL: *s is HS_E_MEMORY or HS_E_SYSTEM.
 * Valid until the next one. */
struct exports_event *exports_next_event(struct hs_export *x, const struct exports_track *t,
                                         enum hs_status *s);
/* The same, with the function of a span, which is @first where it was not met before. */
struct exports_event *exports_next_call(struct hs_export *x, const struct exports_track *t,
                                        struct exports_span *span, uint8_t type, enum hs_status *s);

/* What a format with tracks has for open and close: EXPORTS_TRACK before the first event of each
 * track, which is @first where its hart is met for the first time. */
enum hs_status exports_put_open(struct hs_export *x, struct exports_track *t,
                                struct exports_span *s);
enum hs_status exports_put_close(struct hs_export *x, struct exports_track *t,
                                 struct exports_span *s);

/* The same for moment: an instant and counts of the hart of a track that is known. */
enum hs_status exports_put_moment(struct hs_export *x, const struct exports_moment *m);

#endif
