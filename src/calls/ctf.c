/* The Common Trace Format: begin and end of calls, traps, system calls and counts, a stream for
 * each hart.  vpid and vtid are those of the guest, where they are known; else a process is 1, and
 * a thread 1 + the number of its stack. */
#include <stdio.h>
#include <stdlib.h>

#include "calls/ctf_files.h"

struct ctf {
	struct ctf_folder folder;
	struct ctf_who *who; /* by number of a track */
	size_t count;
};

static enum hs_status begin(struct hs_export *x)
{
	struct ctf *c = calloc(1, sizeof(*c));

	x->own = c;
	return c ? ctf_open(&c->folder, x->o.path) : HS_E_MEMORY;
}

static void free_ctf(struct hs_export *x)
{
	struct ctf *c = x->own;

	ctf_free(&c->folder);
	free(c->who);
	free(c);
}

/* ---- threads ------------------------------------------------------------------------------ */

static enum hs_status put_thread(struct hs_export *x, const struct exports_track *t,
                                 const struct hs_guest_task *task)
{
	struct ctf *c = x->own;
	const char *process = x->o.title ? x->o.title : "";
	enum hs_status status;
	struct ctf_stream *s = ctf_begin(&c->folder, t->index, t->hart, CTF_THREAD,
	                                 exports_now(x, t), &c->who[t->number], &status);
	char name[32];

	if (!s)
		return status;
	snprintf(name, sizeof(name), "stack %u", t->number);
	ctf_put_string(s, task && task->name ? task->name : name);
	ctf_put_string(s, task && task->program ? task->program : process);
	ctf_put(s, t->number, 4);
	return HS_OK;
}

/* A track begins: who it is. */
static enum hs_status introduce(struct hs_export *x, struct exports_track *t)
{
	struct ctf *c = x->own;
	const struct hs_guest_task *task = exports_task(x);
	const bool known = task && task->pid;

	if (t->number >= c->count) {
		struct ctf_who *more = realloc(c->who, (t->number + 1u) * sizeof(*more));

		if (!more)
			return HS_E_MEMORY;
		c->who = more;
		c->count = t->number + 1u;
	}
	c->who[t->number] = (struct ctf_who){ .pid = known ? task->pid : 1,
		                              .tid = !known      ? 1 + t->number
		                                     : task->tid ? task->tid
		                                                 : task->pid };
	t->known = true;
	return put_thread(x, t, task);
}

/* ---- calls -------------------------------------------------------------------------------- */

static struct ctf_stream *begin_call(struct hs_export *x, struct exports_track *t,
                                     const struct exports_span *span, enum ctf_event event,
                                     enum hs_status *status)
{
	struct ctf *c = x->own;
	char number[32];

	*status = t->known ? HS_OK : introduce(x, t);
	struct ctf_stream *s = *status == HS_OK
	                               ? ctf_begin(&c->folder, t->index, t->hart, event,
	                                           exports_now(x, t), &c->who[t->number], status)
	                               : NULL;

	if (!s)
		return NULL;
	ctf_put_string(s, exports_name(span->name, span->start, number));
	ctf_put(s, span->start, 8);
	return s;
}

static enum hs_status open_call(struct hs_export *x, struct exports_track *t,
                                struct exports_span *span)
{
	static const char *const hows[] = { "found", "call", "trap", "signal", "start" };
	enum hs_status status;
	struct ctf_stream *s = begin_call(x, t, span, CTF_ENTRY, &status);

	if (s)
		ctf_put_string(s, hows[span->how]);
	return status;
}

static enum hs_status close_call(struct hs_export *x, struct exports_track *t,
                                 struct exports_span *span)
{
	enum hs_status status;
	struct ctf_stream *s = begin_call(x, t, span, CTF_EXIT, &status);

	if (!s)
		return status;
	ctf_put(s, span->self, 8);
	ctf_put(s, span->self + span->called, 8);
	return HS_OK;
}

/* ---- traps and counts --------------------------------------------------------------------- */

static struct ctf_stream *begin_moment(struct hs_export *x, const struct exports_moment *m,
                                       enum ctf_event event, enum hs_status *status)
{
	struct ctf *c = x->own;
	const struct exports_track *t = x->harts[m->index].track;

	return ctf_begin(&c->folder, m->index, m->hart, event, m->now, &c->who[t->number], status);
}

static enum hs_status put_trap(struct hs_export *x, const struct exports_moment *m)
{
	enum hs_status status;
	struct ctf_stream *s = begin_moment(x, m, m->has_number ? CTF_CALL : CTF_TRAP, &status);
	char name[96];

	if (!s)
		return status;
	exports_moment_name(m, name, sizeof(name));
	ctf_put_string(s, name);
	if (!m->has_number) {
		ctf_put(s, m->interrupt, 1);
		ctf_put(s, m->cause, 4);
	}
	ctf_put(s, m->address, 8);
	ctf_put(s, m->has_number ? m->number : m->value, 8);
	return HS_OK;
}

static enum hs_status put_counter(struct hs_export *x, const struct exports_moment *m,
                                  const char *name, uint64_t value)
{
	enum hs_status status;
	struct ctf_stream *s = begin_moment(x, m, CTF_COUNTER, &status);

	if (!s)
		return status;
	ctf_put_string(s, name);
	ctf_put(s, value, 8);
	return HS_OK;
}

static enum hs_status moment(struct hs_export *x, const struct exports_moment *m)
{
	enum hs_status s = put_trap(x, m);

	if (s == HS_OK)
		s = put_counter(x, m, "traps", m->traps);
	if (s == HS_OK)
		s = put_counter(x, m, "instructions", m->retired);
	return s;
}

static enum hs_status end(struct hs_export *x)
{
	struct ctf *c = x->own;

	return ctf_end(&c->folder, x->o.title,
	               x->o.clock_hz      ? "times of the flow"
	               : x->o.place_count ? "instructions, harts placed by their system calls"
	                                  : NULL);
}

const struct exports_format exports_ctf = { .begin = begin,
	                                    .open = open_call,
	                                    .close = close_call,
	                                    .event = exports_moment_event,
	                                    .block = exports_moment_block,
	                                    .moment = moment,
	                                    .end = end,
	                                    .free = free_ctf };
