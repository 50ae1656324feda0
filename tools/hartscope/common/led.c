/* What each message of a trace leads to (led.h). */
#include <string.h>

#include "common/led.h"

static void keep_block(struct led_blocks *k, const struct hs_block *b)
{
	const uint64_t i = k->count++;

	if (i < LED_KEPT)
		k->first[i] = *b;
	else
		k->last[i % LED_KEPT] = *b;
}

static void take_item(void *reader, const struct hs_block *b)
{
	struct led_reader *r = reader;

	if (r->item)
		r->item(r->of, b);
	if (b->kind == HS_KIND_BLOCK && r->kept)
		keep_block(r->kept, b);
}

void led_follow(struct led_reader *r, uint64_t end, struct hs_followed *out)
{
	struct hs_error e;

	if (hs_follower_to(r->follower, end, out, &e) != HS_OK)
		note_unread(&e); /* what is known of the message is not all there is */
	r->errors += out->errors;
}

/* ---- blocks ----------------------------------------------------------------------- */

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
	switch (hs_follower_new(r->source, from, take_item, r, &r->follower)) {
	case HS_OK:
		return true;
	case HS_E_MEMORY:
		return refuse(r, "out of memory", status);
	default:
		return refuse(r,
		              "which blocks a message leads to is known of traces of one source "
		              "whose code is of one moment",
		              status);
	}
}

void led_close(struct led_reader *r)
{
	hs_follower_free(r->follower);
	hs_source_close(r->source);
}
