/* Trace events as JSON: a begin and an end for each call; a process for each hart, and a thread
 * for each stack.  Their unit is a microsecond, with three places. */
#include <stdio.h>

#include <hartscope/status.h>

#include "calls/texts.h"

static enum hs_status begin(struct hs_export *x)
{
	char title[1024];

	hs_json_string(title, sizeof(title), x->o.title ? x->o.title : "");
	support_out_print(&x->out,
	                  "{\"displayTimeUnit\":\"ns\",\"otherData\":{\"recording\":%s,"
	                  "\"nanosecond\":\"%s\"},\n\"traceEvents\":[",
	                  title, x->o.clock_hz ? "nanosecond" : "instruction");
	return HS_OK;
}

/* ---- the text of an event --------------------------------------------------------- */

/* The first event has no comma before it. */
static void put_track(struct exports_text *t, const struct exports_event *e)
{
	t->n += (size_t)snprintf(t->bytes + t->n, EXPORTS_EVENT_ROOM,
	                         "%s{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":%u,\"tid\":%u,"
	                         "\"args\":{\"name\":\"hart %u\"}},\n"
	                         "{\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":%u,\"tid\":%u,"
	                         "\"args\":{\"name\":\"stack %u\"}}",
	                         e->track ? ",\n" : "\n", e->hart, e->track, e->hart, e->hart,
	                         e->track, e->track);
}

/* Microseconds with three places. */
static void put_time(struct exports_text *t, uint64_t now)
{
	const unsigned rest = (unsigned)(now % 1000);
	const char places[] = { '.', (char)('0' + rest / 100), (char)('0' + rest / 10 % 10),
		                (char)('0' + rest % 10) };

	exports_put_decimal(t, now / 1000);
	exports_put_bytes(t, places, sizeof(places));
}

static void put_event(struct exports_text *t, const struct exports_event *e)
{
	static const char *const hows[] = { "found", "call", "trap", "signal", "start" };

	if (e->type == EXPORTS_TRACK) {
		put_track(t, e);
		return;
	}
	if (e->type == EXPORTS_OPEN)
		exports_put_literal(t, ",\n{\"ph\":\"B\",\"ts\":");
	else /* its name, too: speedscope passes over an end without one */
		exports_put_literal(t, ",\n{\"ph\":\"E\",\"ts\":");
	put_time(t, e->now);
	exports_put_literal(t, ",\"pid\":");
	exports_put_decimal(t, e->hart);
	exports_put_literal(t, ",\"tid\":");
	exports_put_decimal(t, e->track);
	exports_put_literal(t, ",\"name\":");
	exports_put_bytes(t, e->label->text, e->label->n);
	if (e->type == EXPORTS_OPEN) {
		exports_put_literal(t, ",\"cat\":\"");
		exports_put_bytes(t, hows[e->how], strlen(hows[e->how]));
		exports_put_literal(t, "\"}");
		return;
	}
	exports_put_literal(t, ",\"args\":{\"self\":\"");
	exports_put_decimal(t, e->self);
	exports_put_literal(t, "\",\"total\":\"");
	exports_put_decimal(t, e->total);
	exports_put_literal(t, "\"}}");
}

static enum hs_status end(struct hs_export *x)
{
	support_out_print(&x->out, "\n]}\n");
	return HS_OK;
}

const struct exports_format exports_chrome = { .begin = begin,
	                                       .open = exports_put_open,
	                                       .close = exports_put_close,
	                                       .text = put_event,
	                                       .label = hs_json_string,
	                                       .end = end };
