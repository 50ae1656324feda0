/* A recording continues at each of its places as it does from its start (design/ranges); states
 * with wrong words are refused or give something, but nothing breaks.
 *
 *   places REC...      prints what differs; 0: nothing does, and there were places
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <hartscope/recording.h>

#include "recording/recording.h"

#define AFTER 3000u /* items that are compared after a place */
#define PLACES 12u

struct place {
	size_t item;
	uint32_t *state;
	size_t count;
};

static struct hs_block *items;
static size_t item_count, item_cap;
static struct place places[PLACES];
static size_t place_count;

static void add_item(const struct hs_block *b)
{
	if (item_count == item_cap) {
		item_cap = 2 * item_cap + 4096;
		items = reallocarray(items, item_cap, sizeof(*items));
		if (!items)
			abort();
	}
	items[item_count++] = *b;
}

static struct hs_rec_stream *open_stream(struct hs_rec *rec, uint32_t index)
{
	struct hs_rec_stream *s;

	if (hs_rec_stream_open(rec, index, &s, NULL) != HS_OK ||
	    hs_rec_stream_follow_versions(s) != HS_OK)
		abort();
	return s;
}

static void read_all(struct hs_rec *rec, uint32_t index)
{
	struct hs_rec_stream *s = open_stream(rec, index);
	enum hs_status status = HS_OK;

	item_count = place_count = 0;
	hs_rec_stream_find_places(s, 1);
	while (status == HS_OK) {
		struct hs_block b[512];
		size_t n;

		status = hs_rec_stream_next(s, b, 512, &n, NULL);
		for (size_t i = 0; i < n; i++)
			add_item(&b[i]);
		if (status != HS_OK || !hs_rec_stream_has_place(s) || place_count == PLACES)
			continue;
		struct place *p = &places[place_count++];

		p->item = item_count;
		if (hs_rec_stream_get_state(s, &p->state, &p->count) != HS_OK)
			abort();
	}
	hs_rec_stream_close(s);
}

/* The code that had changed before a place. */
static size_t versions_before(const struct place *p, struct hs_block **out)
{
	size_t n = 0;

	*out = calloc(p->item + 1, sizeof(**out));
	for (size_t i = 0; *out && i < p->item; i++)
		if (items[i].kind == HS_KIND_VERSION)
			(*out)[n++] = items[i];
	return n;
}

/* What comes after a place, up to AFTER items. */
static enum hs_status read_after(struct hs_rec *rec, uint32_t index, const struct place *p,
                                 struct hs_block *out, size_t *n)
{
	struct hs_rec_stream *s = open_stream(rec, index);
	struct hs_block *versions;
	const size_t count = versions_before(p, &versions);
	enum hs_status status = hs_rec_stream_set_state(s, p->state, p->count, versions, count);

	*n = 0;
	while (status == HS_OK && *n < AFTER) {
		size_t got;

		status = hs_rec_stream_next(s, out + *n, AFTER - *n, &got, NULL);
		*n += got;
	}
	free(versions);
	hs_rec_stream_close(s);
	return status;
}

static bool try_place(struct hs_rec *rec, uint32_t index, const struct place *p)
{
	static struct hs_block after[AFTER];
	const size_t left = item_count - p->item, want = left < AFTER ? left : AFTER;
	size_t n;

	read_after(rec, index, p, after, &n);
	const bool same = n == want && memcmp(after, items + p->item, n * sizeof(*after)) == 0;

	for (size_t i = 0; i < 10; i++) {
		const size_t at = i < 6 ? 2 * i % p->count : i * 7919u % p->count;
		const uint32_t word = p->state[at];

		p->state[at] = i % 2 ? word + 1 : word ^ 0x80000000u;
		read_after(rec, index, p, after, &n);
		p->state[at] = word;
	}
	return same;
}

static bool try_stream(struct hs_rec *rec, const char *path, uint32_t index, size_t *all)
{
	bool good = true;

	read_all(rec, index);
	*all += place_count;
	for (size_t i = 0; i < place_count; i++) {
		if (!try_place(rec, index, &places[i])) {
			printf("%s: stream %u differs after item %zu\n", path, index,
			       places[i].item);
			good = false;
		}
		free(places[i].state);
	}
	return good;
}

int main(int argc, char **argv)
{
	bool good = true;

	for (int i = 1; i < argc; i++) {
		struct hs_rec *rec;
		size_t all = 0;

		if (hs_rec_open(argv[i], &rec, NULL) != HS_OK)
			return 2;
		for (uint32_t k = 0; k < hs_rec_get_info(rec)->harts; k++)
			good &= try_stream(rec, argv[i], k, &all);
		hs_rec_close(rec);
		if (!all)
			printf("%s: no places\n", argv[i]);
		good &= all != 0;
	}
	free(items);
	return !good;
}
