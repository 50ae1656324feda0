/* Trace events as JSON: a begin and an end for each call; a process for each hart, and a thread
 * for each stack.  Their unit is a microsecond, with three places. */
#include <hartscope/json.h>

#include "exports/private.h"

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

/* The first event has no comma before it. */
static void separate(struct hs_export *x)
{
	support_out_text(&x->out, x->own ? ",\n" : "\n");
	x->own = x;
}

static void introduce(struct hs_export *x, struct exports_track *t)
{
	if (t->known)
		return;
	t->known = true;
	separate(x);
	support_out_print(&x->out,
	                  "{\"ph\":\"M\",\"name\":\"process_name\",\"pid\":%u,\"tid\":%u,"
	                  "\"args\":{\"name\":\"hart %u\"}},\n"
	                  "{\"ph\":\"M\",\"name\":\"thread_name\",\"pid\":%u,\"tid\":%u,"
	                  "\"args\":{\"name\":\"stack %u\"}}",
	                  t->hart, t->number, t->hart, t->hart, t->number, t->number);
}

/* Microseconds with three places. */
static void put_time(struct hs_export *x, uint64_t now)
{
	const unsigned rest = (unsigned)(now % 1000);
	const char places[] = { '.', (char)('0' + rest / 100), (char)('0' + rest / 10 % 10),
		                (char)('0' + rest % 10) };

	support_out_text(&x->out, "\",\"ts\":");
	support_out_number(&x->out, now / 1000);
	support_out_put(&x->out, places, sizeof(places));
}

/* What both ends of a call have.  There are many: printf would take most of the time. */
static void put_place(struct hs_export *x, struct exports_track *t, char phase)
{
	introduce(x, t);
	separate(x);
	support_out_text(&x->out, "{\"ph\":\"");
	support_out_put(&x->out, &phase, 1);
	put_time(x, exports_now(x, t));
	support_out_text(&x->out, ",\"pid\":");
	support_out_number(&x->out, t->hart);
	support_out_text(&x->out, ",\"tid\":");
	support_out_number(&x->out, t->number);
}

static enum hs_status open_call(struct hs_export *x, struct exports_track *t,
                                struct exports_span *s)
{
	static const char *const hows[] = { "found", "call", "trap", "signal", "start" };
	char name[4096], number[32];

	put_place(x, t, 'B');
	hs_json_string(name, sizeof(name), exports_name(s->name, s->start, number));
	support_out_text(&x->out, ",\"name\":");
	support_out_text(&x->out, name);
	support_out_text(&x->out, ",\"cat\":\"");
	support_out_text(&x->out, hows[s->how]);
	support_out_text(&x->out, "\"}");
	return HS_OK;
}

static enum hs_status close_call(struct hs_export *x, struct exports_track *t,
                                 struct exports_span *s)
{
	put_place(x, t, 'E');
	support_out_text(&x->out, ",\"args\":{\"self\":\"");
	support_out_number(&x->out, s->self);
	support_out_text(&x->out, "\",\"total\":\"");
	support_out_number(&x->out, s->self + s->inner);
	support_out_text(&x->out, "\"}}");
	return HS_OK;
}

static enum hs_status end(struct hs_export *x)
{
	support_out_print(&x->out, "\n]}\n");
	return HS_OK;
}

const struct exports_format exports_chrome = {
	.begin = begin, .open = open_call, .close = close_call, .end = end
};
