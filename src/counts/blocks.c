/* Counting blocks (blocks.h). */
#include <stdlib.h>
#include <string.h>

#include <hartscope/block.h>

#include "core/access.h"
#include "counts/blocks.h"
#include "counts/calls_private.h"

/* Distinct blocks held at once (72 bytes each), where others may take them. */
#define BLOCKS_MAX (1u << 20)
#define CODE_MAX ((size_t)1 << 26) /* bytes of code that changed, likewise */

#define RECENT_BITS 12u
#define FETCHED 2048 /* bytes after an item, which another core may have made, at which to fetch */

/* A block that was counted lately: its words as they are in memory, and its index in the table. */
struct counts_recent {
	uint64_t words[2];
	uint32_t index;
	uint32_t era; /* of the table, in which it is good; 0: never */
};

/* ---- the table -------------------------------------------------------------------- */

enum hs_status counts_blocks_start(struct counts_blocks *t, const struct hs_profile_options *o,
                                   bool harts)
{
	t->table.item_size = sizeof(struct counted_block);
	t->recent = calloc((size_t)1 << RECENT_BITS, sizeof(*t->recent));
	t->era = 1;
	if (!t->recent)
		return HS_E_MEMORY;
	program_select_start(&t->select, o->program, o->programs);
	if (program_select_hart(&t->select, 0) != HS_OK ||
	    profile_owners_start(&t->owners, o->guest, (enum hs_profile_by)o->by, harts) != HS_OK)
		return HS_E_MEMORY;
	return profile_owners_follow(&t->owners, &t->select, 0);
}

void counts_blocks_end(struct counts_blocks *t)
{
	program_select_end(&t->select);
	support_hash_free(&t->table);
	free(t->recent);
	profile_codes_free(&t->codes);
	profile_owners_end(&t->owners);
}

/* What was counted lately is elsewhere now, or somebody else's. */
static void forget_recent(struct counts_blocks *t)
{
	t->era++;
	if (!t->era) {
		memset(t->recent, 0, sizeof(*t->recent) << RECENT_BITS);
		t->era = 1;
	}
}

void counts_blocks_drop(struct counts_blocks *t)
{
	support_hash_clear(&t->table);
	profile_codes_free(&t->codes);
	forget_recent(t);
}

/* The second word of a block, with iretire, itype and priv only. */
static uint64_t shape_of(const struct hs_block *b)
{
	static const struct hs_block kept = { .iretire = UINT32_MAX, .itype = 15, .priv = 7 };
	uint64_t words[2], mask[2];

	memcpy(words, b, sizeof(words));
	memcpy(mask, &kept, sizeof(mask));
	return words[1] & mask[1];
}

struct hs_image counts_code_of(const struct counted_block *c, struct hs_section *own)
{
	struct hs_image image = *hs_program_image(c->program);

	if (!c->code)
		return image;
	*own = (struct hs_section){ c->iaddr, c->code->size, c->code->bytes };
	image.sections = own;
	image.count = own->size != 0;
	return image;
}

/* ---- blocks ----------------------------------------------------------------------- */

static bool same_block(const void *item, const void *key)
{
	const struct counted_block *a = item, *b = key;

	return a->iaddr == b->iaddr && a->shape == b->shape && a->program == b->program &&
	       a->number == b->number && a->owner == b->owner;
}

/* Keep the code of a new block, if it is not the program's. */
static enum hs_status keep_code(struct counts_blocks *t, struct counted_block *c)
{
	const struct hs_block b = counts_block_of(c);
	const struct block_code *code = profile_code_copy(
		&t->codes, program_select_image(&t->select), c->iaddr, 2u * (uint64_t)b.iretire);

	if (code && !profile_code_is_in(code, hs_program_image(c->program), c->iaddr))
		c->code = code;
	return code ? HS_OK : HS_E_MEMORY;
}

/* @index: where it is in the table. */
static enum hs_status add_block(struct counts_blocks *t, const struct counted_block *c,
                                uint32_t hash, uint32_t *index)
{
	const bool full = t->table.count >= BLOCKS_MAX || t->codes.bytes >= CODE_MAX;

	if (full && t->full && t->full(t->full_to) != HS_OK)
		return HS_E_MEMORY;
	struct counted_block *added = support_hash_add(&t->table, hash);

	if (!added)
		return HS_E_MEMORY;
	*added = *c;
	*index = (uint32_t)(added - (struct counted_block *)t->table.items);
	return c->number ? keep_code(t, added) : HS_OK;
}

static enum hs_status count_block(struct counts_blocks *t, const struct hs_block *b, uint64_t times,
                                  uint32_t *index)
{
	struct counted_block c = { b->iaddr, shape_of(b), t->select.program, .count = times,
		                   .owner = profile_owner_of(&t->owners, b->priv) };

	if (program_select_number(&t->select, b->iaddr, 2u * (uint64_t)b->iretire, &c.number) !=
	    HS_OK)
		return HS_E_MEMORY;
	const uint32_t hash = support_hash_of(c.iaddr, c.shape ^ c.number << 32 ^ c.owner << 40);
	struct counted_block *known = support_hash_find(&t->table, hash, same_block, &c);

	if (!known)
		return add_block(t, &c, hash, index);
	known->count += times;
	*index = (uint32_t)(known - (struct counted_block *)t->table.items);
	return HS_OK;
}

/* ---- events ----------------------------------------------------------------------- */

static void count_access(struct hs_profile_data *d, const struct hs_block *item, uint64_t times)
{
	struct hs_access_reader r = { 0 };

	hs_access_take(&r, item);
	const struct hs_access *a = &r.access;
	const uint64_t bytes = times << (a->size & 3u);
	const bool load = hs_access_is_load(a->type), store = hs_access_is_store(a->type);
	const bool atomic = hs_access_is_atomic(a->type) && a->type != HS_ACCESS_SC_FAILED &&
	                    a->type != HS_ACCESS_CAS_FAILED;

	if (a->phase == HS_ACCESS_RESPONSE)
		return;
	d->loads += load ? times : 0;
	d->stores += store ? times : 0;
	d->atomics += atomic ? times : 0;
	d->csrs += hs_access_is_csr(a->type) ? times : 0;
	d->loaded += load || atomic ? bytes : 0;
	d->stored += store || atomic ? bytes : 0;
}

static void count_event(struct hs_profile_result *seen, const struct hs_block *b, uint64_t times)
{
	if (hs_event_counts(b))
		return;
	seen->events[b->kind & 31u] += times;
	if (b->kind == HS_KIND_TRAP && b->itype <= HS_ITYPE_INTERRUPT)
		seen->lone_traps[b->itype] += b->itype != HS_ITYPE_NONE ? times : 0;
	if (b->kind == HS_KIND_SYNC && b->itype == 6) /* NT Table 25 */
		seen->notifications += times;
	if (b->kind == HS_KIND_UNSEEN)
		seen->unseen[b->itype & 1u] += b->arg * times;
	if (b->kind == HS_KIND_DATA)
		count_access(&seen->data, b, times);
}

/* A time changes nothing else, unless threads go by it. */
static bool only_passes(const struct counts_blocks *t, const struct hs_block *b)
{
	return b->kind == HS_KIND_TIME && t->owners.by != HS_PROFILE_BY_THREAD;
}

static enum hs_status follow_event(struct counts_blocks *t, const struct hs_block *b,
                                   uint64_t times)
{
	const struct program_at before = t->select.at;

	if (only_passes(t, b))
		return program_select_event(&t->select, b);

	forget_recent(t);
	const enum hs_status s = program_select_event(&t->select, b);
	const struct program_at *at = &t->select.at;

	if (s != HS_OK ||
	    (b->kind != HS_KIND_CONTEXT && b->kind != HS_KIND_HART && b->kind != HS_KIND_TIME))
		return s;
	const bool changes = b->kind == HS_KIND_CONTEXT && at->has_context &&
	                     (!before.has_context || before.context != at->context);

	return profile_owners_follow(&t->owners, &t->select, changes ? times : 0);
}

static enum hs_status add_event(struct counts_blocks *t, const struct hs_block *b, uint64_t times)
{
	enum hs_status s = t->calls ? hs_calls_add(t->calls, b, 1) : HS_OK;

	count_event(&t->seen, b, times);
	t->doubts += b->kind == HS_KIND_GAP && counts_gap_doubts(b) ? times : 0;
	return s == HS_OK ? follow_event(t, b, times) : s;
}

/* ---- items ------------------------------------------------------------------------ */

static struct counts_recent *recent_of(const struct counts_blocks *t, const uint64_t words[2])
{
	const uint64_t mixed =
		(words[0] ^ words[1] << 23 ^ words[1] >> 17) * UINT64_C(0x9e3779b97f4a7c15);

	return &t->recent[mixed >> (64 - RECENT_BITS)];
}

/* Count blocks so often, as long as they were counted lately, and times.  Returns how many. */
static size_t count_recent(struct counts_blocks *t, const struct hs_block *b, size_t n,
                           uint64_t often)
{
	struct counted_block *all = t->table.items;
	uint64_t times = 0;
	size_t i;

	for (i = 0; i < n; i++) {
		uint64_t words[2];

		__builtin_prefetch((const char *)&b[i] + FETCHED);
		memcpy(words, &b[i], sizeof(words));
		const struct counts_recent *r = recent_of(t, words);

		if (!((r->words[0] ^ words[0]) | (r->words[1] ^ words[1]) | (r->era ^ t->era))) {
			all[r->index].count += often;
			continue;
		}
		if (!only_passes(t, &b[i]))
			break;
		program_select_time(&t->select, &b[i]);
		times++;
	}
	t->seen.events[HS_KIND_TIME] += times * often;
	return i;
}

/* Count a block, and keep where it is counted. */
static enum hs_status count_one(struct counts_blocks *t, const struct hs_block *b, uint64_t often)
{
	uint64_t words[2];
	uint32_t index;
	const enum hs_status s = count_block(t, b, often, &index);

	if (s != HS_OK)
		return s;
	memcpy(words, b, sizeof(words));
	*recent_of(t, words) = (struct counts_recent){ { words[0], words[1] }, index, t->era };
	return s;
}

enum hs_status counts_blocks_add(struct counts_blocks *t, const struct hs_block *items, size_t n,
                                 uint64_t often)
{
	enum hs_status s = HS_OK;

	for (size_t i = 0; often && i < n && s == HS_OK;) {
		const size_t recent = count_recent(t, items + i, n - i, often);

		i += recent;
		if (recent)
			continue;
		s = items[i].kind == HS_KIND_BLOCK ? count_one(t, &items[i], often)
		                                   : add_event(t, &items[i], often);
		i++;
	}
	return s;
}

enum hs_status counts_blocks_add_item(struct counts_blocks *t, const struct hs_block *item,
                                      uint64_t times)
{
	return item->kind == HS_KIND_BLOCK ? counts_blocks_add(t, item, 1, times)
	                                   : add_event(t, item, times);
}
