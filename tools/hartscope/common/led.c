/* What each message of a trace leads to: blocks, where the hart stands, and when. */
#include <stdlib.h>
#include <string.h>

#include "common/led.h"

#define ITEMS 8192u /* one message may lead to more */

/* What is known of a hart. */
struct led_hart {
	uint32_t number;
	uint64_t time;
	bool has_time;
	struct hs_program *program; /* of its context */
	struct hs_guest_at at;
};

/* ---- harts ------------------------------------------------------------------------ */

static struct led_hart *current(const struct led_reader *r)
{
	return &r->harts[r->current];
}

/* False: no memory, and the hart stays the one before. */
static bool select_hart(struct led_reader *r, uint32_t number)
{
	struct led_hart *more;
	uint32_t i = 0;

	while (i < r->hart_count && r->harts[i].number != number)
		i++;
	if (i == r->hart_count) {
		more = reallocarray(r->harts, (size_t)i + 1, sizeof(*more));
		if (!more)
			return false;
		r->harts = more;
		r->harts[r->hart_count++] =
			(struct led_hart){ .number = number,
			                   .program = hs_source_program(r->source),
			                   .at = { .priv = HS_PRIV_UNKNOWN } };
	}
	r->current = i;
	return true;
}

static void set_context(struct led_reader *r, const struct hs_block *b)
{
	const struct hs_program_set *set = hs_source_programs(r->source);
	struct led_hart *h = current(r);

	h->at.context = b->value;
	h->at.has_context = true;
	for (size_t i = 0; set && i < set->count; i++)
		if (set->contexts[i] == b->value)
			h->program = set->programs[i];
}

/* ---- items ------------------------------------------------------------------------ */

static void keep_block(struct led_blocks *k, const struct hs_block *b)
{
	const uint64_t i = k->count++;

	if (i < LED_KEPT)
		k->first[i] = *b;
	else
		k->last[i % LED_KEPT] = *b;
}

static void take_block(struct led *out, const struct hs_block *b)
{
	if (!out->blocks++)
		out->first = *b;
	out->last = *b;
	out->halfwords += b->iretire;
}

static void take_item(struct led_reader *r, struct led *out, const struct hs_block *b)
{
	struct led_hart *h = current(r);

	if (r->item)
		r->item(r->of, b);
	switch (b->kind) {
	case HS_KIND_BLOCK:
		h->at.priv = b->priv;
		take_block(out, b);
		if (r->kept)
			keep_block(r->kept, b);
		break;
	case HS_KIND_HART:
		select_hart(r, b->arg);
		break;
	case HS_KIND_TIME:
		h->time = b->value;
		h->has_time = true;
		break;
	case HS_KIND_CONTEXT:
		set_context(r, b);
		out->event = *b;
		break;
	default:
		out->event = *b;
	}
}

/* The decoder's next items.  False: it needs more bytes than the messages so far have. */
static bool take_more(struct led_reader *r, uint64_t end, struct led *out)
{
	struct hs_error e = { 0 };
	enum hs_status s;
	size_t n = 0;

	s = hs_source_next(r->source, r->items, ITEMS, &n, &e);
	for (size_t i = 0; i < n; i++)
		take_item(r, out, &r->items[i]);
	r->ended |= s == HS_END || is_unread(s);
	if (is_unread(s)) {
		note_unread(&e); /* what is known of the message is not all there is */
	} else if (s != HS_OK && s != HS_END && s != HS_E_NOTHING) {
		r->errors++;
		out->error = e;
	}
	return !r->ended && (hs_source_decoded(r->source) < end || n >= ITEMS / 2);
}

void led_follow(struct led_reader *r, uint64_t end, struct led *out)
{
	*out = (struct led){ .blocks = 0 };
	if (!r->ended && hs_source_decoded(r->source) < end)
		while (take_more(r, end, out))
			;
	const struct led_hart *h = current(r);
	struct hs_code_place place;

	out->hart = h->number;
	out->index = r->current;
	out->time = h->time;
	out->has_time = h->has_time;
	out->has_pc = hs_source_stands(r->source, h->number, &place) && (place.pc || place.open);
	out->next = out->has_pc ? place.open : 0;
	out->pc = out->has_pc ? place.pc : 0;
}

/* ---- names ------------------------------------------------------------------------ */

bool led_name(const struct led_reader *r, const struct led *l, uint64_t addr, char *text,
              size_t size)
{
	const struct led_hart *h = &r->harts[l->index];
	struct hs_guest_place f;

	if (!hs_guest_name(hs_source_guest(r->source), h->program, &h->at, addr, &f))
		return false;
	snprintf(text, size, f.offset ? "%.200s+0x%llx" : "%.200s", f.label,
	         (unsigned long long)f.offset);
	return true;
}

uint64_t led_source(const struct hs_block *b)
{
	return hs_block_end(b) - 2u * (uint64_t)b->ilast;
}

unsigned led_blocks_first(const struct led_blocks *k)
{
	return k->count < LED_KEPT ? (unsigned)k->count : LED_KEPT;
}

unsigned led_blocks_last(const struct led_blocks *k)
{
	const uint64_t more = k->count - led_blocks_first(k);

	return more < LED_KEPT ? (unsigned)more : LED_KEPT;
}

uint64_t led_blocks_left_out(const struct led_blocks *k)
{
	return k->count - led_blocks_first(k) - led_blocks_last(k);
}

const struct hs_block *led_blocks_get_last(const struct led_blocks *k, unsigned index)
{
	return &k->last[(k->count - led_blocks_last(k) + index) % LED_KEPT];
}

/* ---- open and close --------------------------------------------------------------- */

static bool refuse(struct led_reader *r, const char *why, int *status)
{
	complain("%s", why);
	led_close(r);
	*status = EXIT_USAGE;
	return false;
}

bool led_open(struct led_reader *r, const struct options *o, const char *path, uint64_t from,
              int *status)
{
	struct hs_error e;

	*r = (struct led_reader){ .source = NULL };
	if (strcmp(path, "-") == 0)
		return refuse(r, "the trace is read twice, which standard input cannot be", status);
	if (open_source(o, path, &r->source, &e) != HS_OK) {
		*status = fail(&e);
		return false;
	}
	r->items = malloc(ITEMS * sizeof(*r->items));
	if (!r->items || !select_hart(r, 0))
		return refuse(r, "out of memory", status);
	if (!hs_source_by_byte(r->source, from))
		return refuse(r,
		              "which blocks a message leads to is known of traces of one source "
		              "whose code is of one moment",
		              status);
	return true;
}

void led_close(struct led_reader *r)
{
	hs_source_close(r->source);
	free(r->items);
	free(r->harts);
}
