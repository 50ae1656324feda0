/* Traps and system calls of a flow, for formats that show them on the time axis of their hart. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "calls/exports_private.h"
#include "guest/guest.h"

const struct hs_guest_task *exports_task(const struct hs_export *x)
{
	const struct hs_guest_at at = { .context = x->select.at.context,
		                        .moment = x->select.at.moment,
		                        .has_context = x->select.at.has_context,
		                        .has_moment = x->select.at.has_moment,
		                        .priv = HS_PRIV_UNKNOWN,
		                        .has_hart = true,
		                        .hart = x->select.hart };

	return x->o.guest ? hs_guest_find_thread(x->o.guest, &at) : NULL;
}

static struct exports_moment *current(struct hs_export *x)
{
	const size_t count = x->select.harts.count;

	if (count > x->moment_count) {
		struct exports_moment *more = realloc(x->moments, count * sizeof(*more));

		if (!more)
			return NULL;
		x->moments = more;
		memset(more + x->moment_count, 0, (count - x->moment_count) * sizeof(*more));
		x->moment_count = count;
	}
	return &x->moments[x->select.index];
}

static void take_note(struct exports_moment *m, const struct hs_block *b)
{
	if (b->arg == HS_NOTE_CALL) {
		m->is_call = m->has_number = true;
		m->number = b->value;
	} else if (b->arg == HS_NOTE_SIGNAL) {
		m->is_signal = true;
		m->signal = (uint32_t)b->value;
	}
}

enum hs_status exports_moment_event(struct hs_export *x, const struct hs_block *b)
{
	struct exports_moment *m = current(x);

	if (!m)
		return HS_E_MEMORY;
	if (b->kind == HS_KIND_TRAP) {
		m->cause = b->arg;
		m->value = b->value;
		m->has_cause = true;
	}
	if (b->kind == HS_KIND_NOTE)
		take_note(m, b);
	m->pending &= !hs_event_breaks(b);
	return HS_OK;
}

/* The trap of a hart leads to its handler, or the flow ends with it. */
static enum hs_status give(struct hs_export *x, struct exports_moment *m)
{
	m->traps++;
	m->hart = x->select.hart;
	m->index = x->select.index;
	return x->format->moment(x, m);
}

enum hs_status exports_moment_block(struct hs_export *x, struct exports_span *s,
                                    const struct hs_block *b, uint32_t count)
{
	struct exports_moment *m = current(x);
	const struct exports_hart *h = &x->harts[x->select.index];

	(void)s;
	(void)count;
	if (!m)
		return HS_E_MEMORY;
	const enum hs_status status = m->pending ? give(x, m) : HS_OK;

	*m = (struct exports_moment){ .pending = hs_itype_is_trap(b->itype),
		                      .interrupt = b->itype == HS_ITYPE_INTERRUPT,
		                      .now = exports_now(x, h->track),
		                      .retired = h->instructions,
		                      .traps = m->traps,
		                      .address = hs_block_end(b) };
	return status;
}

enum hs_status exports_moments_end(struct hs_export *x)
{
	enum hs_status s = HS_OK;

	for (uint32_t i = 0; i < x->moment_count && s == HS_OK; i++) {
		if (!x->moments[i].pending || !x->moments[i].is_call)
			continue;
		s = program_select_hart(&x->select,
		                        *(uint32_t *)support_hash_item(&x->select.harts, i));
		if (s == HS_OK)
			s = give(x, &x->moments[i]);
	}
	return s;
}

void exports_moment_name(const struct exports_moment *m, char *text, size_t size)
{
	const char *cause = m->has_cause ? hs_trap_cause_name(m->interrupt, m->cause) : NULL;

	if (m->is_signal)
		snprintf(text, size, m->signal ? "signal %u" : "signal", m->signal);
	else if (m->has_number)
		snprintf(text, size, "system call %llu", (ull)m->number);
	else if (cause)
		snprintf(text, size, "%s", cause);
	else
		snprintf(text, size, m->has_cause ? "%s %u" : "%s",
		         m->interrupt ? "interrupt" : "exception", m->cause);
}
