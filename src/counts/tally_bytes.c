/* Tallies (tally.h) as bytes: two counts, the harts, the entries (docs/part-files.md). */
#include <stdlib.h>

#include "counts/tally.h"
#include "support/words.h"

#define HEAD 16u
#define HART 24u
#define ENTRY 56u

static size_t size_of(const struct hs_tally *t)
{
	return HEAD + (size_t)t->harts.count * HART + (size_t)t->entries.count * ENTRY;
}

static void put_entry(uint8_t *to, const struct tally_entry *e)
{
	const struct tally_key *k = &e->key;

	support_put64(to, k->address);
	support_put64(to + 8, k->shape);
	support_put64(to + 16, k->from);
	support_put64(to + 24, k->context);
	support_put64(to + 32, k->from_context);
	support_put64(to + 40, k->hart | (uint64_t)k->flags << 32 | (uint64_t)k->from_itype << 40);
	support_put64(to + 48, e->count);
}

size_t hs_tally_write(const struct hs_tally *t, uint8_t *out)
{
	const struct hs_tally_hart *h = t->harts.items;
	const struct tally_entry *e = t->entries.items;

	if (!out)
		return size_of(t);
	support_put64(out, t->harts.count);
	support_put64(out + 8, t->entries.count);
	out += HEAD;
	for (uint32_t i = 0; i < t->harts.count; i++, out += HART) {
		support_put64(out, h[i].number);
		support_put64(out + 8, h[i].items);
		support_put64(out + 16, h[i].traps);
	}
	for (uint32_t i = 0; i < t->entries.count; i++, out += ENTRY)
		put_entry(out, &e[i]);
	return size_of(t);
}

static struct tally_key get_key(const uint8_t *from)
{
	const uint64_t rest = support_get64(from + 40);

	return (struct tally_key){ .address = support_get64(from),
		                   .shape = support_get64(from + 8),
		                   .from = support_get64(from + 16),
		                   .context = support_get64(from + 24),
		                   .from_context = support_get64(from + 32),
		                   .hart = (uint32_t)rest,
		                   .flags = (uint8_t)(rest >> 32),
		                   .from_itype = (uint8_t)(rest >> 40) };
}

/* Is it what tally_count() may have been given? */
static bool is_entry(const uint8_t *from)
{
	const struct tally_key k = get_key(from);
	const struct hs_block item = tally_item(&k);

	return support_get64(from + 40) >> 48 == 0 && k.flags < 2 * TALLY_CHANGE &&
	       k.from_itype < 16 && item.kind <= HS_KIND_UNSEEN && item.kind != HS_KIND_SOURCE &&
	       item.kind != HS_KIND_TARGET && (item.kind != HS_KIND_BLOCK || item.itype < 16);
}

static bool is_tally(const struct hs_span *in)
{
	const uint64_t harts = in->n < HEAD ? 0 : support_get64(in->p);
	const uint64_t entries = in->n < HEAD ? 0 : support_get64(in->p + 8);

	if (in->n < HEAD || harts > in->n / HART || entries > in->n / ENTRY ||
	    HEAD + harts * HART + entries * ENTRY != in->n)
		return false;
	for (uint64_t i = 0; i < harts; i++)
		if (support_get64(in->p + HEAD + i * HART) > UINT32_MAX)
			return false;
	for (uint64_t i = 0; i < entries; i++)
		if (!is_entry(in->p + HEAD + harts * HART + i * ENTRY))
			return false;
	return true;
}

static enum hs_status merge_hart(struct hs_tally *t, const uint8_t *from)
{
	struct hs_tally_hart *h = tally_hart(t, (uint32_t)support_get64(from));
	const uint64_t items = support_get64(from + 8), traps = support_get64(from + 16);

	if (!h)
		return HS_E_MEMORY;
	h->traps = items ? traps : h->traps + traps;
	h->items += items;
	return HS_OK;
}

enum hs_status hs_tally_merge(struct hs_tally *t, const struct hs_span *bytes)
{
	const uint8_t *at = bytes->p + HEAD;
	enum hs_status s = HS_OK;

	if (!is_tally(bytes))
		return HS_E_FORMAT;
	const uint64_t harts = support_get64(bytes->p), entries = support_get64(bytes->p + 8);

	for (uint64_t i = 0; i < harts && s == HS_OK; i++, at += HART)
		s = merge_hart(t, at);
	for (uint64_t i = 0; i < entries && s == HS_OK; i++, at += ENTRY) {
		const struct tally_key k = get_key(at);

		s = tally_count(t, &k, support_get64(at + 48));
	}
	return s;
}
