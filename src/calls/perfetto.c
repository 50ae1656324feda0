/* A trace of Perfetto: packets of track events, in the wire format of protocol buffers.
 *
 * The numbers are those of Perfetto's public messages: trace.proto, trace_packet.proto,
 * track_event.proto, track_descriptor.proto, interned_data.proto. */
#include <stdio.h>
#include <string.h>

#include <hartscope/status.h>

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
enum {
	EVENT_NOTE = 4,
	EVENT_TYPE = 9,
	EVENT_NAME = 10,
	EVENT_TRACK = 11,
	EVENT_TEXT = 23,
	EVENT_COUNT = 30
};
enum { TYPE_BEGIN = 1, TYPE_END = 2, TYPE_INSTANT = 3, TYPE_COUNTER = 4 };
enum {
	TRACK_UUID = 1,
	TRACK_NAME = 2,
	TRACK_PROCESS = 3,
	TRACK_THREAD = 4,
	TRACK_PARENT = 5,
	TRACK_COUNTER = 8
};
enum { PROCESS_PID = 1, PROCESS_NAME = 6 };
enum { THREAD_PID = 1, THREAD_TID = 2, THREAD_NAME = 5 };
enum { COUNTER_UNIT = 3, UNIT_COUNT = 2 };
enum { NOTE_NAME = 10, NOTE_POINTER = 7 };
enum { INTERNED_NAMES = 2, NAME_ID = 1, NAME_TEXT = 2 };
enum { FLAG_CLEARED = 1, FLAG_NEEDED = 2 };

#define SEQUENCE 1u
/* Tracks of harts, processes and so on have numbers above those of stacks. */
#define HARTS (UINT64_C(1) << 32)
#define PROCESSES (UINT64_C(2) << 32)
#define TRAPS (UINT64_C(3) << 32)
#define COUNTERS (UINT64_C(4) << 32) /* and enum exports_counter above that */

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

/* @kind: the field of a message that says what the track is; 0: none. */
static void put_track(struct exports_text *t, uint64_t uuid, const char *name, uint64_t parent,
                      unsigned kind, const struct message *what)
{
	struct message track, m;

	track.n = m.n = 0;
	put_value(&track, TRACK_UUID, uuid);
	put_bytes(&track, TRACK_NAME, name, strlen(name));
	if (kind)
		put_bytes(&track, kind, what->bytes, what->n);
	if (parent)
		put_value(&track, TRACK_PARENT, parent);
	put_bytes(&m, PACKET_TRACK, track.bytes, track.n);
	put_packet(t, &m);
}

/* A hart's traps and counts. */
static void put_hart(struct exports_text *t, const struct exports_event *e)
{
	const struct message unit = { .bytes = { COUNTER_UNIT << 3, UNIT_COUNT }, .n = 2 };
	const uint64_t hart = HARTS + e->hart, counters = COUNTERS + e->hart;
	char name[32];

	snprintf(name, sizeof(name), "hart %u", e->hart);
	put_track(t, hart, name, 0, 0, NULL);
	put_track(t, TRAPS + e->hart, "traps", hart, 0, NULL);
	put_track(t, counters, "number of traps", hart, TRACK_COUNTER, &unit);
	put_track(t, counters + (UINT64_C(1) << 32), "instructions", hart, TRACK_COUNTER, &unit);
}

/* The process, which is met for the first time or again, and the stack as a thread of it. */
static void put_thread(struct exports_text *t, const struct exports_event *e)
{
	const struct hs_guest_task *task = e->task && e->task->pid ? e->task : NULL;
	const uint32_t pid = task ? task->pid : 1;
	const char *process = task && task->name ? task->name : "program";
	struct message what = { .n = 0 };
	char name[128], plain[64];

	hs_text_escape(plain, sizeof(plain), process);
	put_value(&what, PROCESS_PID, pid);
	put_bytes(&what, PROCESS_NAME, plain, strlen(plain));
	put_track(t, PROCESSES + pid, plain, 0, TRACK_PROCESS, &what);
	if (task)
		snprintf(name, sizeof(name), "%s, stack %u", plain, e->track);
	else
		snprintf(name, sizeof(name), "stack %u", e->track);
	what.n = 0;
	put_value(&what, THREAD_PID, pid);
	put_value(&what, THREAD_TID, task && task->tid ? task->tid : 1 + (uint64_t)e->track);
	put_bytes(&what, THREAD_NAME, name, strlen(name));
	put_track(t, 1 + (uint64_t)e->track, name, HARTS + e->hart, TRACK_THREAD, &what);
}

/* A trap as an instant of its hart. */
static void put_moment(struct exports_text *t, const struct exports_event *e)
{
	const struct exports_moment of = { .interrupt = e->how & EXPORTS_INTERRUPT,
		                           .has_cause = e->how & EXPORTS_CAUSE,
		                           .is_signal = e->how & EXPORTS_SIGNAL,
		                           .has_number = e->how & EXPORTS_CALL,
		                           .cause = (uint32_t)e->total,
		                           .signal = (uint32_t)e->total,
		                           .number = e->total };
	struct message note = { .n = 0 }, event = { .n = 0 }, m = { .n = 0 };
	char name[96];

	exports_moment_name(&of, name, sizeof(name));
	put_bytes(&note, NOTE_NAME, "address", 7);
	put_value(&note, NOTE_POINTER, e->self);
	put_bytes(&event, EVENT_NOTE, note.bytes, note.n);
	put_value(&event, EVENT_TYPE, TYPE_INSTANT);
	put_value(&event, EVENT_TRACK, TRAPS + e->hart);
	put_bytes(&event, EVENT_TEXT, name, strlen(name));
	put_value(&m, PACKET_TIME, e->now);
	put_bytes(&m, PACKET_EVENT, event.bytes, event.n);
	put_packet(t, &m);
}

static void put_count(struct exports_text *t, const struct exports_event *e)
{
	struct message event = { .n = 0 }, m = { .n = 0 };

	put_value(&event, EVENT_TYPE, TYPE_COUNTER);
	put_value(&event, EVENT_TRACK, COUNTERS + (e->total << 32) + e->hart);
	put_value(&event, EVENT_COUNT, e->self);
	put_value(&m, PACKET_TIME, e->now);
	put_bytes(&m, PACKET_EVENT, event.bytes, event.n);
	put_packet(t, &m);
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

static void put_call(struct exports_text *t, const struct exports_event *e)
{
	struct message event, m;

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

static void put_event(struct exports_text *t, const struct exports_event *e)
{
	if (e->type == EXPORTS_TRACK && e->first)
		put_hart(t, e);
	if (e->type == EXPORTS_TRACK)
		put_thread(t, e);
	else if (e->type == EXPORTS_MOMENT)
		put_moment(t, e);
	else if (e->type == EXPORTS_COUNT)
		put_count(t, e);
	else
		put_call(t, e);
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
	                                         .event = exports_moment_event,
	                                         .block = exports_moment_block,
	                                         .moment = exports_put_moment,
	                                         .text = put_event,
	                                         .label = label,
	                                         .end = end };
