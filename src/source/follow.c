/* Sources: what each message of a trace leads to: blocks, where the hart stands, and when. */
#include <stdio.h>
#include <stdlib.h>

#include "source/private.h"
#include "source/source.h"

#define ITEMS 8192u /* one message may lead to more */

/* What is known of a hart. */
struct hart {
	uint32_t number;
	uint64_t time;
	bool has_time;
	struct hs_program *program; /* of its context */
	struct hs_guest_at at;
};

struct hs_follower {
	struct hs_source *source;
	struct hart *harts; /* in the order in which they come */
	uint32_t hart_count, current;
	struct hs_block *items;
	void (*item)(void *of, const struct hs_block *item);
	void *of;
	bool ended;
};

/* ---- the source ---------------------------------------------------------------------- */

/* From byte @from on, decode no more than one byte in a call of hs_source_next():
 * hs_source_decoded() after it says which message the items came from. */
static bool decode_bytewise(struct hs_source *s, uint64_t from)
{
	struct source_trace *t = &s->trace;

	if (s->kind != SOURCE_TRACE || t->in.perf || t->parts || t->code.search || t->slice)
		return false;
	s->threads = t->pool.threads = 1;
	t->cut.by_byte = true;
	t->cut.by_byte_from = from;
	return true;
}

/* Where the decoder stands: at the end of the last block, or further, where messages say that
 * instructions retired whose block has not ended.  False: no message named the hart yet. */
static bool get_place(const struct hs_source *s, uint32_t hart, struct hs_code_place *place)
{
	const struct source_trace *t = &s->trace;

	return t->decoder && decoder_place(t->decoder, hart, place);
}

/* ---- harts --------------------------------------------------------------------------- */

/* False: no memory, and the hart stays the one before. */
static bool select_hart(struct hs_follower *f, uint32_t number)
{
	struct hart *more;
	uint32_t i = 0;

	while (i < f->hart_count && f->harts[i].number != number)
		i++;
	if (i == f->hart_count) {
		more = realloc(f->harts, ((size_t)i + 1) * sizeof(*more));
		if (!more)
			return false;
		f->harts = more;
		f->harts[f->hart_count++] = (struct hart){ .number = number,
			                                   .program = hs_source_program(f->source),
			                                   .at = { .priv = HS_PRIV_UNKNOWN } };
	}
	f->current = i;
	return true;
}

static void set_context(struct hs_follower *f, const struct hs_block *b)
{
	const struct hs_program_set *set = hs_source_programs(f->source);
	struct hart *h = &f->harts[f->current];

	h->at.context = b->value;
	h->at.has_context = true;
	for (size_t i = 0; set && i < set->count; i++)
		if (set->contexts[i] == b->value)
			h->program = set->programs[i];
}

/* ---- items --------------------------------------------------------------------------- */

static void take_block(struct hs_followed *out, const struct hs_block *b)
{
	if (!out->blocks++)
		out->first = *b;
	out->last = *b;
	out->halfwords += b->iretire;
}

static void take_item(struct hs_follower *f, struct hs_followed *out, const struct hs_block *b)
{
	struct hart *h = &f->harts[f->current];

	if (f->item)
		f->item(f->of, b);
	switch (b->kind) {
	case HS_KIND_BLOCK:
		h->at.priv = b->priv;
		take_block(out, b);
		break;
	case HS_KIND_HART:
		select_hart(f, b->arg);
		break;
	case HS_KIND_TIME:
		h->time = b->value;
		h->has_time = true;
		break;
	case HS_KIND_CONTEXT:
		set_context(f, b);
		out->event = *b;
		break;
	default:
		out->event = *b;
	}
}

/* The decoder's next items; *more: it may have others of the messages before @end. */
static enum hs_status take_more(struct hs_follower *f, uint64_t end, struct hs_followed *out,
                                struct hs_error *error, bool *more)
{
	struct hs_error e = { 0 };
	size_t n = 0;
	const enum hs_status s = hs_source_next(f->source, f->items, ITEMS, &n, &e);
	const bool unread = s == HS_E_SYSTEM || s == HS_E_MEMORY;

	for (size_t i = 0; i < n; i++)
		take_item(f, out, &f->items[i]);
	f->ended |= s == HS_END || unread;
	*more = !f->ended && (hs_source_decoded(f->source) < end || n >= ITEMS / 2);
	if (unread) {
		if (error)
			*error = e;
	} else if (s != HS_OK && s != HS_END && s != HS_E_NOTHING) {
		out->errors++;
		out->error = e;
	}
	return unread ? s : HS_OK;
}

enum hs_status hs_follower_to(struct hs_follower *f, uint64_t end, struct hs_followed *out,
                              struct hs_error *error)
{
	bool more = !f->ended && hs_source_decoded(f->source) < end;
	enum hs_status s = HS_OK;
	struct hs_code_place place;

	*out = (struct hs_followed){ .blocks = 0 };
	while (more)
		s = take_more(f, end, out, error, &more);
	const struct hart *h = &f->harts[f->current];

	out->hart = h->number;
	out->index = f->current;
	out->harts = f->hart_count;
	out->time = h->time;
	out->has_time = h->has_time;
	out->has_pc = get_place(f->source, h->number, &place) && (place.pc || place.open);
	out->next = out->has_pc ? place.open : 0;
	out->pc = out->has_pc ? place.pc : 0;
	return s;
}

bool hs_follower_name(const struct hs_follower *f, const struct hs_followed *at, uint64_t addr,
                      char *text, size_t size)
{
	const struct hart *h = &f->harts[at->index];
	struct hs_guest_place p;

	if (!hs_guest_name(hs_source_guest(f->source), h->program, &h->at, addr, &p))
		return false;
	snprintf(text, size, p.offset ? "%.200s+0x%llx" : "%.200s", p.label,
	         (unsigned long long)p.offset);
	return true;
}

/* ---- open and close ------------------------------------------------------------------ */

enum hs_status hs_follower_new(struct hs_source *source, uint64_t from,
                               void (*item)(void *of, const struct hs_block *item), void *of,
                               struct hs_follower **follower)
{
	struct hs_follower *f = calloc(1, sizeof(*f));

	*follower = NULL;
	if (!f)
		return HS_E_MEMORY;
	f->source = source;
	f->item = item;
	f->of = of;
	f->items = malloc(ITEMS * sizeof(*f->items));
	const bool whole = f->items && select_hart(f, 0);

	if (whole && decode_bytewise(source, from)) {
		*follower = f;
		return HS_OK;
	}
	hs_follower_free(f);
	return whole ? HS_E_UNSUPPORTED : HS_E_MEMORY;
}

void hs_follower_free(struct hs_follower *f)
{
	if (!f)
		return;
	free(f->items);
	free(f->harts);
	free(f);
}
