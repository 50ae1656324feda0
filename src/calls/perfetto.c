/* A trace of Perfetto: packets of track events, in the wire format of protocol buffers.
 *
 * The numbers are those of Perfetto's public messages: trace.proto, trace_packet.proto,
 * track_event.proto, track_descriptor.proto, interned_data.proto. */
#include <stdio.h>
#include <string.h>

#include <hartscope/text.h>

#include "calls/protobuf.h"
#include "calls/texts.h"

enum { TRACE_PACKET = 1 };
enum {
	PACKET_TIME = 8,
	PACKET_SEQUENCE = 10,
	PACKET_EVENT = 11,
	PACKET_INTERNED = 12,
	PACKET_FLAGS = 13,
	PACKET_TRACK = 60
};
enum { EVENT_TYPE = 9, EVENT_NAME = 10, EVENT_TRACK = 11 };
enum { TYPE_BEGIN = 1, TYPE_END = 2 };
enum { TRACK_UUID = 1, TRACK_NAME = 2, TRACK_PARENT = 5 };
enum { INTERNED_NAMES = 2, NAME_ID = 1, NAME_TEXT = 2 };
enum { FLAG_CLEARED = 1, FLAG_NEEDED = 2 };

#define SEQUENCE 1u
#define HARTS (UINT64_C(1) << 32) /* tracks of harts have numbers above those of stacks */

/* ---- packets ----------------------------------------------------------------------- */

/* A packet of the trace: what goes before @m, which is completed. */
static void finish_packet(struct message *head, struct message *m)
{
	put_value(m, PACKET_SEQUENCE, SEQUENCE);
	head->n = 0;
	put_number(head, TRACE_PACKET << 3 | 2);
	put_number(head, m->n);
}

static void put_packet(struct exports_text *t, struct message *m)
{
	struct message head;

	finish_packet(&head, m);
	exports_put_bytes(t, head.bytes, head.n);
	exports_put_bytes(t, m->bytes, m->n);
}

static enum hs_status begin(struct hs_export *x)
{
	struct message head, m;

	m.n = 0;
	put_value(&m, PACKET_FLAGS, FLAG_CLEARED);
	finish_packet(&head, &m);
	support_out_put(&x->out, head.bytes, head.n);
	return support_out_put(&x->out, m.bytes, m.n);
}

/* ---- the packets of an event ----------------------------------------------------------- */

static void put_track(struct exports_text *t, uint64_t uuid, const char *name, uint64_t parent)
{
	struct message track, m;

	track.n = m.n = 0;
	put_value(&track, TRACK_UUID, uuid);
	put_bytes(&track, TRACK_NAME, name, strlen(name));
	if (parent)
		put_value(&track, TRACK_PARENT, parent);
	put_bytes(&m, PACKET_TRACK, track.bytes, track.n);
	put_packet(t, &m);
}

static void put_tracks(struct exports_text *t, const struct exports_event *e)
{
	char name[32];

	if (e->first) {
		snprintf(name, sizeof(name), "hart %u", e->hart);
		put_track(t, HARTS + e->hart, name, 0);
	}
	snprintf(name, sizeof(name), "stack %u", e->track);
	put_track(t, 1 + (uint64_t)e->track, name, HARTS + e->hart);
}

/* The name of a function, where it comes first. */
static void put_name(struct message *m, const struct exports_event *e)
{
	struct message name, names;

	name.n = names.n = 0;
	put_value(&name, NAME_ID, 1 + (uint64_t)e->function);
	put_bytes(&name, NAME_TEXT, e->label->text, e->label->n);
	put_bytes(&names, INTERNED_NAMES, name.bytes, name.n);
	put_bytes(m, PACKET_INTERNED, names.bytes, names.n);
}

static void put_event(struct exports_text *t, const struct exports_event *e)
{
	struct message event, m;

	if (e->type == EXPORTS_TRACK) {
		put_tracks(t, e);
		return;
	}
	event.n = m.n = 0;
	put_value(&m, PACKET_TIME, e->now);
	put_value(&event, EVENT_TYPE, e->type == EXPORTS_OPEN ? TYPE_BEGIN : TYPE_END);
	put_value(&event, EVENT_TRACK, 1 + (uint64_t)e->track);
	if (e->type == EXPORTS_OPEN) {
		put_value(&event, EVENT_NAME, 1 + (uint64_t)e->function);
		if (e->first)
			put_name(&m, e);
		put_value(&m, PACKET_FLAGS, FLAG_NEEDED);
	}
	put_bytes(&m, PACKET_EVENT, event.bytes, event.n);
	put_packet(t, &m);
}

/* A message has a fixed size; names that are cut stay apart by their number. */
static size_t label(char *to, size_t room, const char *name)
{
	return hs_text_escape(to, room < MESSAGE_NAME ? room : MESSAGE_NAME, name);
}

static enum hs_status end(struct hs_export *x)
{
	return x->out.status;
}

const struct exports_format exports_perfetto = { .begin = begin,
	                                         .open = exports_put_open,
	                                         .close = exports_put_close,
	                                         .text = put_event,
	                                         .label = label,
	                                         .end = end };
