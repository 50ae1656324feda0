/* The traps and gaps of a page (report_html.h).
 *
 * Of each hart as many are kept as all harts have room for: all, or evenly every second, fourth,
 * and so on. */
#include <stdlib.h>

#include "commands/report_html.h"

#define EVENTS_MAX 6000u /* traps, and gaps, of all harts */
#define LEAST_MAX 64u    /* of a hart, however many harts there are */

/* How many a hart may have. */
static uint32_t most_of(const struct events *e)
{
	const uint32_t each = EVENTS_MAX / e->count;

	return each > LEAST_MAX ? each : LEAST_MAX;
}

static struct hart_events *events_of(struct events *e, uint32_t hart)
{
	for (uint32_t i = e->count; i-- > 0;)
		if (e->harts[i].hart == hart)
			return &e->harts[i];
	struct hart_events *more = reallocarray(e->harts, e->count + 1u, sizeof(*more));

	e->failed |= !more;
	if (!more)
		return NULL;
	e->harts = more;
	struct hart_events *h = &more[e->count++];

	*h = (struct hart_events){ .hart = hart, .trap_step = 1, .gap_step = 1 };
	return h;
}

/* Items with room for one more, unless memory failed. */
static void *one_more(struct events *e, void *items, uint32_t count, uint32_t *room, size_t size)
{
	if (count < *room)
		return items;
	void *more = reallocarray(items, 2 * (size_t)*room + 16, size);

	e->failed |= !more;
	*room = more ? 2 * *room + 16 : *room;
	return more ? more : items;
}

static void thin_traps(struct hart_events *h, uint32_t most)
{
	while (h->trap_count >= most) {
		for (uint32_t i = 0; 2 * i < h->trap_count; i++)
			h->traps[i] = h->traps[2 * i];
		h->trap_count = (h->trap_count + 1) / 2;
		h->trap_step *= 2;
	}
}

static void thin_gaps(struct hart_events *h, uint32_t most)
{
	while (h->gap_count >= most) {
		for (uint32_t i = 0; 2 * i < h->gap_count; i++)
			h->gaps[i] = h->gaps[2 * i];
		h->gap_count = (h->gap_count + 1) / 2;
		h->gap_step *= 2;
	}
}

void events_trap(struct events *e, const struct hs_trap_taken *trap)
{
	struct hart_events *h = events_of(e, trap->hart);

	e->traps++;
	if (!h || e->failed)
		return;
	thin_traps(h, most_of(e));
	if (h->traps_seen++ % h->trap_step != 0)
		return;
	h->traps = one_more(e, h->traps, h->trap_count, &h->trap_room, sizeof(*h->traps));
	if (!e->failed)
		h->traps[h->trap_count++] = *trap;
}

void events_gap(struct events *e, const struct gap *gap)
{
	struct hart_events *h = events_of(e, gap->hart);

	e->gaps++;
	if (!h || e->failed)
		return;
	thin_gaps(h, most_of(e));
	if (h->gaps_seen++ % h->gap_step != 0)
		return;
	h->gaps = one_more(e, h->gaps, h->gap_count, &h->gap_room, sizeof(*h->gaps));
	if (!e->failed)
		h->gaps[h->gap_count++] = *gap;
}

void events_free(struct events *e)
{
	for (uint32_t i = 0; i < e->count; i++) {
		free(e->harts[i].traps);
		free(e->harts[i].gaps);
	}
	free(e->harts);
}

/* ---- writing ---------------------------------------------------------------------------- */

/* "U \u2192 S", "load page fault", of a system call only "U". */
static void write_modes(struct html_out *o, const struct hs_trap_kind *k)
{
	char text[96];

	fprintf(o->f, k->call.system_call || k->call.signal ? "\"%s\"," : "\"%s \u2192 %s\",",
	        mode_name(k->from), mode_name(k->to));
	trap_name(k, text, sizeof(text));
	html_string(o, text);
}

static void write_trap(struct html_out *o, const struct hs_trap_taken *t)
{
	const struct hs_trap_kind k = { .interrupt = t->interrupt,
		                        .has_cause = t->has_cause,
		                        .cause = t->cause,
		                        .from = t->from,
		                        .to = t->to,
		                        .handler = t->handler,
		                        .call = t->call };

	fprintf(o->f, "[%llu,%u,", (unsigned long long)t->at, t->hart);
	write_modes(o, &k);
	fprintf(o->f, ",\"0x%llx\",", (unsigned long long)t->epc);
	html_string(o, t->function ? t->function : "(no symbol)");
	fputc(',', o->f);
	html_string(o, trap_handler(&k));
	fprintf(o->f, t->returned ? ",%llu]" : ",-1]", (unsigned long long)t->length);
}

static void write_kinds(struct html_out *o, const struct hs_traps_result *kinds)
{
	html_key(o, "trapKinds");
	fputc('[', o->f);
	for (size_t i = 0; i < kinds->count; i++) {
		const struct hs_trap_kind *k = &kinds->kinds[i];

		fputs(i ? ",\n[" : "[", o->f);
		write_modes(o, k);
		fputc(',', o->f);
		html_string(o, trap_handler(k));
		fprintf(o->f, ",%llu,%llu,%llu]", (unsigned long long)k->count,
		        (unsigned long long)k->returned, (unsigned long long)k->instructions);
	}
	fputc(']', o->f);
}

static void write_gap(struct html_out *o, const struct gap *g)
{
	fprintf(o->f, "[%llu,", (unsigned long long)g->offset);
	html_string(o, hs_status_text(g->status));
	fprintf(o->f, ",%u,%llu]", g->hart, (unsigned long long)g->at);
}

static void write_steps(struct html_out *o, const struct events *e)
{
	html_key(o, "thinned");
	fputc('[', o->f);
	for (uint32_t i = 0; i < e->count; i++)
		fprintf(o->f, "%s[%u,%llu,%llu]", i ? "," : "", e->harts[i].hart,
		        (unsigned long long)e->harts[i].trap_step,
		        (unsigned long long)e->harts[i].gap_step);
	fputc(']', o->f);
}

void events_write(struct html_out *o, struct events *e, const struct hs_traps_result *kinds)
{
	const char *next = "";

	for (uint32_t i = 0; i < e->count; i++) { /* harts that began later have room, too */
		thin_traps(&e->harts[i], most_of(e));
		thin_gaps(&e->harts[i], most_of(e));
	}
	html_number(o, "trapCount", e->traps);
	html_number(o, "gapCount", e->gaps);
	write_kinds(o, kinds);
	write_steps(o, e);
	html_key(o, "traps");
	fputc('[', o->f);
	for (uint32_t i = 0; i < e->count; i++)
		for (uint32_t k = 0; k < e->harts[i].trap_count; k++, next = ",\n") {
			fputs(next, o->f);
			write_trap(o, &e->harts[i].traps[k]);
		}
	fputc(']', o->f);
	html_key(o, "gaps");
	fputc('[', o->f);
	next = "";
	for (uint32_t i = 0; i < e->count; i++)
		for (uint32_t k = 0; k < e->harts[i].gap_count; k++, next = ",\n") {
			fputs(next, o->f);
			write_gap(o, &e->harts[i].gaps[k]);
		}
	fputc(']', o->f);
}
