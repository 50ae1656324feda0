/* Scanning blocks for a tree of calls, on the thread that made them (call_tree.h, design/scans). */
#include <stdlib.h>
#include <string.h>

#include "program/block_count.h"
#include "calls/stacks_private.h"
#include "calls/scan.h"

#define ROOM_LEAST 1024u

enum hs_status hs_call_scanner_new(struct hs_program *program, struct hs_call_scanner **scanner)
{
	struct hs_call_scanner *k = calloc(1, sizeof(*k));

	if (!k)
		return HS_E_MEMORY;
	k->program = program;
	k->image = hs_program_image(program);
	if (!support_numbers_start(&k->numbers)) {
		hs_call_scanner_free(k);
		return HS_E_MEMORY;
	}
	*scanner = k;
	return HS_OK;
}

void hs_call_scanner_free(struct hs_call_scanner *k)
{
	if (!k)
		return;
	support_numbers_end(&k->numbers);
	free(k->known);
	free(k->met);
	free(k->sums);
	free(k);
}

void hs_call_scan_clear(struct hs_call_scan *s)
{
	s->word_count = s->event_count = s->stretch_count = s->count_count = 0;
	s->divided = false;
}

void hs_call_scan_free(struct hs_call_scan *s)
{
	if (!s)
		return;
	free(s->words);
	free(s->events);
	free(s->stretches);
	free(s->counts);
	free(s);
}

/* Room for @n entries of @size more in *list.  False: no memory; the list stays. */
static bool make_room(void *list, size_t count, size_t *room, size_t n, size_t size)
{
	void *old;

	if (*room - count >= n)
		return true;
	memcpy(&old, list, sizeof(old));
	const size_t more = 2 * *room + n + ROOM_LEAST;
	void *grown = reallocarray(old, more, size);

	if (!grown)
		return false;
	memcpy(list, &grown, sizeof(grown));
	*room = more;
	return true;
}

/* ---- the thread that scans --------------------------------------------------------------- */

/* The number of a block that is not among the recent ones; SUPPORT_NUMBER_NONE: it has none. */
static uint32_t number_of(struct hs_call_scanner *k, const struct hs_block *b)
{
	const uint32_t before = k->numbers.blocks.count;
	const uint32_t number = support_numbers_find(&k->numbers, b);
	size_t room = k->known_room;

	if (number == SUPPORT_NUMBER_NONE || k->numbers.blocks.count == before)
		return number;
	if (!make_room(&k->known, number, &room, 1, sizeof(*k->known)))
		return SUPPORT_NUMBER_NONE;
	k->known_room = (uint32_t)room;
	k->known[number] =
		(struct scan_known){ .instructions = program_count_instructions(k->image, b) };
	return number;
}

/* Numbered blocks become stretches.  There is room for one each. */
static void add_blocks(struct hs_call_scanner *k, struct hs_call_scan *s, const struct hs_block *b,
                       const uint32_t *words, size_t n)
{
	struct scan_stretch *now = NULL;
	bool stays = false;

	for (size_t i = 0; i < n; i++) {
		struct scan_known *known = &k->known[words[i]];
		const uint64_t at = b[i].iaddr;

		if (!known->times++)
			k->met[k->met_count++] = words[i];
		if (stays && b[i].priv == b[i - 1].priv) {
			now->n++;
			now->low = at < now->low ? at : now->low;
			now->high = at > now->high ? at : now->high;
			now->instructions += known->instructions;
		} else {
			now = &s->stretches[s->stretch_count++];
			*now = (struct scan_stretch){ .first = (uint32_t)(s->word_count + i),
				                      .n = 1,
				                      .low = UINT64_MAX };
		}
		stays = STACKS_STAYS >> b[i].itype & 1u;
	}
	s->word_count += n;
}

/* An event, or a block that has no number. */
static bool add_event(struct hs_call_scan *s, const struct hs_block *b)
{
	if (!make_room(&s->events, s->event_count, &s->event_room, 1, sizeof(*s->events)))
		return false;
	s->divided |= hs_event_divides(b);
	s->stretches[s->stretch_count++] =
		(struct scan_stretch){ .first = (uint32_t)s->event_count };
	s->events[s->event_count++] = *b;
	return true;
}

/* What these items counted belongs to the scan. */
static bool keep_counts(struct hs_call_scanner *k, struct hs_call_scan *s)
{
	const bool good = make_room(&s->counts, s->count_count, &s->count_room, k->met_count,
	                            sizeof(*s->counts));

	for (size_t i = 0; i < k->met_count; i++) {
		struct scan_known *known = &k->known[k->met[i]];

		if (good)
			s->counts[s->count_count++] =
				(struct scan_count){ k->met[i], known->times };
		known->times = 0;
	}
	k->met_count = 0;
	return good;
}

/* Numbers of the next blocks, at @words; how many. */
static size_t number_blocks(struct hs_call_scanner *k, const struct hs_block *b, size_t n,
                            uint32_t *words)
{
	size_t done = 0;

	while (done < n) {
		done += support_recent_find(k->numbers.recent, b + done, n - done, words + done);
		if (done == n || b[done].kind != HS_KIND_BLOCK)
			break;
		words[done] = number_of(k, &b[done]);
		if (words[done] == SUPPORT_NUMBER_NONE)
			break;
		done++;
	}
	return done;
}

enum hs_status hs_call_scan_add(struct hs_call_scanner *k, struct hs_call_scan **scan,
                                const struct hs_block *blocks, size_t n)
{
	if (!*scan)
		*scan = calloc(1, sizeof(**scan));
	struct hs_call_scan *s = *scan;
	bool good = s && make_room(&s->words, s->word_count, &s->word_room, n, sizeof(*s->words)) &&
	            make_room(&s->stretches, s->stretch_count, &s->stretch_room, n,
	                      sizeof(*s->stretches)) &&
	            make_room(&k->met, 0, &k->met_room, n, sizeof(*k->met));

	for (size_t i = 0; i < n && good;) {
		uint32_t *words = s->words + s->word_count;
		const size_t numbered = number_blocks(k, blocks + i, n - i, words);

		add_blocks(k, s, blocks + i, words, numbered);
		i += numbered;
		if (i < n)
			good = add_event(s, &blocks[i++]);
	}
	return good && keep_counts(k, s) ? HS_OK : HS_E_MEMORY;
}

/* ---- the thread of the tree -------------------------------------------------------------- */

/* Give each item of a scan, in order. */
static bool give_items(const struct hs_call_scanner *k, const struct hs_call_scan *s,
                       hs_call_times_fn *take, void *to)
{
	bool good = true;

	for (size_t i = 0; i < s->stretch_count && good; i++) {
		const struct scan_stretch *t = &s->stretches[i];

		if (!t->n)
			good = take(to, &s->events[t->first], 1);
		for (uint32_t j = 0; j < t->n && good; j++)
			good = take(to, support_numbers_block(&k->numbers, s->words[t->first + j]),
			            1);
	}
	return good;
}

bool hs_call_scanner_flush(struct hs_call_scanner *k, hs_call_times_fn *take, void *to)
{
	bool good = true;

	for (uint32_t i = 0; i < k->sum_room && good; i++) {
		if (k->sums[i])
			good = take(to, support_numbers_block(&k->numbers, i), k->sums[i]);
		k->sums[i] = 0;
	}
	return good;
}

/* Room for the sum of a block. */
static bool reach(struct hs_call_scanner *k, uint32_t number)
{
	const uint32_t room = (number | (SUPPORT_NUMBERS_PIECE - 1)) + 1;
	uint64_t *more = reallocarray(k->sums, room, sizeof(*more));

	if (!more)
		return false;
	memset(more + k->sum_room, 0, (room - k->sum_room) * sizeof(*more));
	k->sums = more;
	k->sum_room = room;
	return true;
}

bool hs_call_scan_divides(const struct hs_call_scan *s)
{
	return s->divided;
}

bool hs_call_scan_count(struct hs_call_scanner *k, const struct hs_call_scan *s,
                        hs_call_times_fn *take, void *to)
{
	bool good = true;

	if (s->divided)
		return give_items(k, s, take, to);
	for (size_t i = 0; i < s->event_count && good; i++)
		good = take(to, &s->events[i], 1);
	for (size_t i = 0; i < s->count_count && good; i++) {
		const struct scan_count *c = &s->counts[i];

		good = c->number < k->sum_room || reach(k, c->number);
		if (good)
			k->sums[c->number] += c->times;
	}
	return good;
}
