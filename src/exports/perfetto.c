/* A trace of Perfetto: packets of track events, in the wire format of protocol buffers.
 *
 * The numbers are those of Perfetto's public messages: trace.proto, trace_packet.proto,
 * track_event.proto, track_descriptor.proto, interned_data.proto. */
#include <stdio.h>
#include <string.h>

#include <hartscope/text.h>

#include "exports/private.h"

enum { TRACE_PACKET = 1 };
enum { PACKET_TIME = 8, PACKET_SEQUENCE = 10, PACKET_EVENT = 11, PACKET_INTERNED = 12,
       PACKET_FLAGS = 13, PACKET_TRACK = 60 };
enum { EVENT_TYPE = 9, EVENT_NAME = 10, EVENT_TRACK = 11 };
enum { TYPE_BEGIN = 1, TYPE_END = 2 };
enum { TRACK_UUID = 1, TRACK_NAME = 2, TRACK_PARENT = 5 };
enum { INTERNED_NAMES = 2, NAME_ID = 1, NAME_TEXT = 2 };
enum { FLAG_CLEARED = 1, FLAG_NEEDED = 2 };

#define SEQUENCE 1u
#define HARTS (UINT64_C(1) << 32) /* tracks of harts have numbers above those of stacks */

/* ---- protocol buffers ------------------------------------------------------------------ */

struct message {
	uint8_t bytes[5120];
	size_t n;
};

static void put_number(struct message *m, uint64_t v)
{
	for (; v > 0x7f; v >>= 7)
		m->bytes[m->n++] = (uint8_t)(v | 0x80);
	m->bytes[m->n++] = (uint8_t)v;
}

static void put_value(struct message *m, unsigned field, uint64_t v)
{
	put_number(m, field << 3);
	put_number(m, v);
}

static void put_bytes(struct message *m, unsigned field, const void *bytes, size_t n)
{
	put_number(m, field << 3 | 2);
	put_number(m, n);
	memcpy(m->bytes + m->n, bytes, n);
	m->n += n;
}

static enum hs_status put_packet(struct hs_export *x, struct message *m)
{
	struct message head = { .n = 0 };

	put_value(m, PACKET_SEQUENCE, SEQUENCE);
	put_number(&head, TRACE_PACKET << 3 | 2);
	put_number(&head, m->n);
	support_out_put(&x->out, head.bytes, head.n);
	support_out_put(&x->out, m->bytes, m->n);
	return HS_OK;
}

/* ---- tracks -------------------------------------------------------------------------------- */

static enum hs_status begin(struct hs_export *x)
{
	struct message m = { .n = 0 };

	put_value(&m, PACKET_FLAGS, FLAG_CLEARED);
	return put_packet(x, &m);
}

static void put_track(struct hs_export *x, uint64_t uuid, const char *name, uint64_t parent)
{
	struct message track = { .n = 0 }, m = { .n = 0 };

	put_value(&track, TRACK_UUID, uuid);
	put_bytes(&track, TRACK_NAME, name, strlen(name));
	if (parent)
		put_value(&track, TRACK_PARENT, parent);
	put_bytes(&m, PACKET_TRACK, track.bytes, track.n);
	put_packet(x, &m);
}

static void introduce(struct hs_export *x, struct exports_track *t)
{
	bool hart_known = false;
	char name[32];

	if (t->known)
		return;
	for (uint32_t i = 0; i < x->track_count; i++)
		hart_known |= x->tracks[i]->known && x->tracks[i]->hart == t->hart;
	t->known = true;
	if (!hart_known) {
		snprintf(name, sizeof(name), "hart %u", t->hart);
		put_track(x, HARTS + t->hart, name, 0);
	}
	snprintf(name, sizeof(name), "stack %u", t->number);
	put_track(x, 1 + (uint64_t)t->number, name, HARTS + t->hart);
}

/* ---- calls --------------------------------------------------------------------------------- */

/* The name of a function, where it comes first. */
static void put_name(struct hs_export *x, struct message *m, uint32_t function)
{
	struct exports_function *f = exports_function_at(x, function);
	struct message name = { .n = 0 }, names = { .n = 0 };
	char text[4096], number[32];

	if (f->written)
		return;
	f->written = true;
	hs_text_escape(text, sizeof(text), exports_name(f->name, f->start, number));
	put_value(&name, NAME_ID, 1 + (uint64_t)function);
	put_bytes(&name, NAME_TEXT, text, strlen(text));
	put_bytes(&names, INTERNED_NAMES, name.bytes, name.n);
	put_bytes(m, PACKET_INTERNED, names.bytes, names.n);
}

static enum hs_status put_event(struct hs_export *x, struct exports_track *t, unsigned type,
                                uint32_t function)
{
	struct message event = { .n = 0 }, m = { .n = 0 };

	introduce(x, t);
	put_value(&m, PACKET_TIME, exports_now(x, t));
	put_value(&event, EVENT_TYPE, type);
	put_value(&event, EVENT_TRACK, 1 + (uint64_t)t->number);
	if (type == TYPE_BEGIN) {
		put_value(&event, EVENT_NAME, 1 + (uint64_t)function);
		put_name(x, &m, function);
		put_value(&m, PACKET_FLAGS, FLAG_NEEDED);
	}
	put_bytes(&m, PACKET_EVENT, event.bytes, event.n);
	return put_packet(x, &m);
}

static enum hs_status open_call(struct hs_export *x, struct exports_track *t,
                                struct exports_span *s)
{
	const uint32_t function = exports_function_of(x, s);

	return function == UINT32_MAX ? HS_E_MEMORY : put_event(x, t, TYPE_BEGIN, function);
}

static enum hs_status close_call(struct hs_export *x, struct exports_track *t,
                                 struct exports_span *s)
{
	(void)s;
	return put_event(x, t, TYPE_END, 0);
}

static enum hs_status end(struct hs_export *x)
{
	return x->out.status;
}

const struct exports_format exports_perfetto = {
	.begin = begin, .open = open_call, .close = close_call, .end = end
};
