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
	support_out_print(&x->out, x->own ? ",\n" : "\n");
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

static enum hs_status put_event(struct hs_export *x, struct exports_track *t, char phase,
                                const struct exports_span *s)
{
	static const char *const hows[] = { "found", "call", "trap", "signal", "start" };
	const uint64_t now = exports_now(x, t);
	char name[4096], number[32];

	introduce(x, t);
	separate(x);
	support_out_print(&x->out, "{\"ph\":\"%c\",\"ts\":%llu.%03u,\"pid\":%u,\"tid\":%u", phase,
	                  (ull)(now / 1000), (unsigned)(now % 1000), t->hart, t->number);
	if (phase == 'B') {
		hs_json_string(name, sizeof(name), exports_name(s->name, s->start, number));
		support_out_print(&x->out, ",\"name\":%s,\"cat\":\"%s\"}", name, hows[s->how]);
	} else {
		support_out_print(&x->out, ",\"args\":{\"self\":\"%llu\",\"total\":\"%llu\"}}",
		                  (ull)s->self, (ull)(s->self + s->inner));
	}
	return HS_OK;
}

static enum hs_status open_call(struct hs_export *x, struct exports_track *t,
                                struct exports_span *s)
{
	return put_event(x, t, 'B', s);
}

static enum hs_status close_call(struct hs_export *x, struct exports_track *t,
                                 struct exports_span *s)
{
	return put_event(x, t, 'E', s);
}

static enum hs_status end(struct hs_export *x)
{
	support_out_print(&x->out, "\n]}\n");
	return HS_OK;
}

const struct exports_format exports_chrome = {
	.begin = begin, .open = open_call, .close = close_call, .end = end
};
