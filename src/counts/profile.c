/* Counting blocks, then expanding them to instructions and functions. */
#include <stdlib.h>
#include <string.h>

#include <hartscope/block.h>
#include <hartscope/profile.h>

#include "core/access.h"
#include "core/config.h"
#include "counts/block_code.h"
#include "counts/owners.h"
#include "counts/tally.h"
#include "program/select.h"
#include "support/hash.h"
#include "support/order.h"

/* Distinct blocks held at once (72 bytes each); then they are expanded and dropped, so that a
 * hostile stream of ever new blocks does not take all memory. */
#define BLOCKS_MAX (1u << 20)
#define CODE_MAX ((size_t)1 << 26) /* bytes of code that changed, likewise */

struct counted_block {
	uint64_t iaddr;
	uint64_t shape; /* what else distinguishes blocks: shape_of() */
	struct hs_program *program;
	uint64_t number; /* of its code (code_view.h) */
	uint64_t count;
	uint64_t owner;
	const struct block_code *code; /* NULL: as the program has it */
};

#define RECENT_BITS 12u
#define FETCHED 2048 /* bytes after an item, which another core may have made, at which to fetch */

/* A block that was counted lately: its words as they are in memory, and its index in the table. */
struct recent {
	uint64_t words[2];
	uint32_t index;
	uint32_t era; /* of hs_profile, in which it is good; 0: never */
};

struct hs_profile {
	struct program_select select;
	struct owners owners;
	struct hs_profile_group *groups;
	struct support_hash blocks; /* of struct counted_block */
	struct recent *recent;      /* 1 << RECENT_BITS: blocks of the current program and owners */
	uint32_t era;
	struct block_codes codes;      /* of blocks */
	struct support_hash functions; /* of struct hs_profile_function */
	struct hs_profile_function *sorted;
	struct hs_profile_result totals; /* of the blocks that were expanded; without functions */
	void (*each)(void *to, const struct hs_profile_block *block);
	void *each_to;
};

static enum hs_status start_profile(struct hs_profile *p, const struct hs_profile_options *o)
{
	p->each = o->each;
	p->each_to = o->each_to;
	p->blocks.item_size = sizeof(struct counted_block);
	p->functions.item_size = sizeof(struct hs_profile_function);
	p->recent = calloc((size_t)1 << RECENT_BITS, sizeof(*p->recent));
	p->era = 1;
	if (!p->recent)
		return HS_E_MEMORY;
	program_select_start(&p->select, o->program, o->programs);
	if (program_select_hart(&p->select, 0) != HS_OK ||
	    profile_owners_start(&p->owners, o->guest, (enum hs_profile_by)o->by) != HS_OK)
		return HS_E_MEMORY;
	return profile_owners_follow(&p->owners, &p->select, 0);
}

enum hs_status hs_profile_open(const struct hs_profile_options *options,
                               struct hs_profile **profile)
{
	struct hs_profile_options o;

	if (base_take_config(&o, sizeof(o), options) != HS_OK || !o.program ||
	    o.by > HS_PROFILE_BY_THREAD)
		return HS_E_CONFIG;
	struct hs_profile *p = calloc(1, sizeof(*p));

	if (!p)
		return HS_E_MEMORY;
	if (start_profile(p, &o) != HS_OK) {
		hs_profile_free(p);
		return HS_E_MEMORY;
	}
	*profile = p;
	return HS_OK;
}

enum hs_status hs_profile_new(struct hs_program *program, const struct hs_program_set *programs,
                              struct hs_profile **profile)
{
	const struct hs_profile_options o = { .size = sizeof(o),
		                              .program = program,
		                              .programs = programs };

	return hs_profile_open(&o, profile);
}

void hs_profile_free(struct hs_profile *p)
{
	if (!p)
		return;
	program_select_end(&p->select);
	support_hash_free(&p->blocks);
	free(p->recent);
	profile_codes_free(&p->codes);
	profile_owners_end(&p->owners);
	free(p->groups);
	support_hash_free(&p->functions);
	free(p->sorted);
	free(p);
}

/* ---- from blocks to functions ------------------------------------------------- */

static bool same_function(const void *item, const void *key)
{
	const struct hs_profile_function *a = item, *b = key;

	return a->start == b->start && a->name == b->name && a->group == b->group &&
	       a->file == b->file;
}

/* The entry of a function, a new one where it is the first time.  NULL: no memory. */
static struct hs_profile_function *function_entry(struct hs_profile *p,
                                                  const struct hs_guest_place *f, uint32_t group)
{
	const struct hs_profile_function key = { .name = f->label,
		                                 .start = f->label ? f->start : 0,
		                                 .group = group,
		                                 .symbol = f->symbol,
		                                 .file = f->file,
		                                 .own_file = f->own };
	const uint32_t hash = support_hash_of(key.start ^ (uintptr_t)key.file,
	                                      (key.name != NULL) + 2 * (uint64_t)group);
	struct hs_profile_function *entry =
		support_hash_find(&p->functions, hash, same_function, &key);

	if (!entry) {
		entry = support_hash_add(&p->functions, hash);
		if (entry)
			*entry = key;
	}
	return entry;
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

static struct hs_block block_of(const struct counted_block *c)
{
	const uint64_t words[2] = { c->iaddr, c->shape };
	struct hs_block b;

	memcpy(&b, words, sizeof(b));
	return b;
}

/* Instructions of which all bytes are among the @n at @p, where *addr is; moves it past them. */
static uint64_t count_lengths(const uint8_t *p, size_t n, uint64_t *addr, uint64_t to)
{
	uint64_t count = 0;

	for (size_t size; *addr < to && n >= 2; p += size, n -= size, *addr += size, count++) {
		size = 2u * hs_isa_hwords((uint16_t)(p[0] | p[1] << 8));
		if (size > n)
			break;
	}
	return count;
}

/* Instructions that begin in [*addr, to) of a block that ends at @end; moves *addr past them.
 * It stops early where code is missing. */
static uint64_t count_instructions(const struct hs_image *image, uint64_t *addr, uint64_t to,
                                   uint64_t end)
{
	size_t size;
	const uint8_t *bytes = hs_img_bytes(image, *addr, &size);
	uint64_t n = 0;

	if (bytes)
		n = count_lengths(bytes, size < end - *addr ? size : (size_t)(end - *addr), addr,
		                  to);
	while (*addr < to) { /* not all of them are in one section */
		struct hs_insn insn;

		if (hs_img_insn(image, *addr, &insn) != HS_OK || 2u * insn.hwords > end - *addr)
			break;
		*addr += 2u * insn.hwords;
		n++;
	}
	return n;
}

/* The code of a block: @own has room for its section. */
static struct hs_image code_of(const struct counted_block *c, struct hs_section *own)
{
	struct hs_image image = *hs_program_image(c->program);

	if (!c->code)
		return image;
	*own = (struct hs_section){ c->iaddr, c->code->size, c->code->bytes };
	image.sections = own;
	image.count = own->size != 0;
	return image;
}

/* The function at an address of a block. */
static void find_function(const struct hs_profile *p, const struct counted_block *c,
                          const struct hs_image *image, uint64_t addr, struct hs_guest_place *f)
{
	struct hs_guest_at at = profile_owner(&p->owners, (uint32_t)c->owner)->at;

	at.priv = block_of(c).priv;
	at.code.p = hs_img_bytes(image, addr, &at.code.n);
	hs_guest_name(p->owners.guest, c->program, &at, addr, f);
}

/* The instructions of a block, cut where the function changes: the end of one function may run
 * into the next.  *last is the function where the block ends. */
static enum hs_status expand_instructions(struct hs_profile *p, const struct counted_block *c,
                                          struct hs_profile_function **last)
{
	struct hs_section own;
	const struct hs_image image = code_of(c, &own);
	const struct hs_block b = block_of(c);
	const uint64_t end = hs_block_end(&b);
	const uint32_t group = profile_owner(&p->owners, (uint32_t)c->owner)->group;
	uint64_t at = c->iaddr;

	do {
		struct hs_guest_place f;
		const uint64_t from = at;
		uint64_t to = end;

		find_function(p, c, &image, at, &f);
		if (f.label && f.size - (at - f.start) < end - at)
			to = f.start + f.size;
		*last = function_entry(p, &f, group);
		if (!*last)
			return HS_E_MEMORY;
		const uint64_t n = count_instructions(&image, &at, to, end) * c->count;

		p->totals.instructions += n;
		p->totals.modes[b.priv].instructions += n;
		profile_group(&p->owners, group)->instructions += n;
		(*last)->instructions += n;
		if (n && from == f.start && from == c->iaddr)
			(*last)->entries += c->count;
		if (at < to) {
			p->totals.unmapped += c->count;
			break;
		}
	} while (at < end);
	return HS_OK;
}

static void give_block(const struct hs_profile *p, const struct counted_block *c)
{
	const struct owner *owner = profile_owner(&p->owners, (uint32_t)c->owner);
	const struct hs_block b = block_of(c);
	struct hs_section own;
	const struct hs_image image = code_of(c, &own);
	struct hs_guest_at at = owner->at;

	at.priv = b.priv;
	p->each(p->each_to,
	        &(struct hs_profile_block){ &b, c->count, c->program, &image, &at, owner->group });
}

static enum hs_status expand_block(struct hs_profile *p, const struct counted_block *c)
{
	const struct hs_block b = block_of(c);
	struct hs_profile_function *last;

	if (p->each)
		give_block(p, c);
	if (expand_instructions(p, c, &last) != HS_OK)
		return HS_E_MEMORY;
	p->totals.blocks += c->count;
	profile_group(&p->owners, last->group)->blocks += c->count;
	profile_group(&p->owners, last->group)->ends[b.itype] += c->count;
	p->totals.halfwords += b.iretire * c->count;
	p->totals.ends[b.itype] += c->count;
	p->totals.modes[b.priv].ends[b.itype] += c->count;
	last->ends[b.itype] += c->count;
	return HS_OK;
}

static int by_code(const void *a, const void *b)
{
	const struct counted_block *x = a, *y = b;

	if (x->iaddr != y->iaddr)
		return x->iaddr < y->iaddr ? -1 : 1;
	if (block_of(x).iretire != block_of(y).iretire)
		return block_of(x).iretire < block_of(y).iretire ? -1 : 1;
	if (x->program != y->program)
		return (uintptr_t)x->program < (uintptr_t)y->program ? -1 : 1;
	return profile_code_compare(x->code, y->code);
}

/* What was counted lately is elsewhere now, or somebody else's. */
static void forget_recent(struct hs_profile *p)
{
	p->era++;
	if (!p->era) {
		memset(p->recent, 0, sizeof(*p->recent) << RECENT_BITS);
		p->era = 1;
	}
}

/* All blocks, which leaves the table empty.  Those that differ only in end or mode are one in
 * totals.distinct, and sorting brings them together. */
static enum hs_status expand_blocks(struct hs_profile *p)
{
	struct counted_block *v = p->blocks.items;

	if (p->blocks.count)
		qsort(v, p->blocks.count, sizeof(*v), by_code);
	for (uint32_t i = 0; i < p->blocks.count; i++) {
		if (expand_block(p, &v[i]) != HS_OK)
			return HS_E_MEMORY;
		p->totals.distinct +=
			block_of(&v[i]).iretire && (i == 0 || by_code(&v[i - 1], &v[i]) != 0);
	}
	support_hash_clear(&p->blocks);
	profile_codes_free(&p->codes);
	forget_recent(p);
	return HS_OK;
}

/* ---- counting ----------------------------------------------------------------- */

static bool same_block(const void *item, const void *key)
{
	const struct counted_block *a = item, *b = key;

	return a->iaddr == b->iaddr && a->shape == b->shape && a->program == b->program &&
	       a->number == b->number && a->owner == b->owner;
}

/* Keep the code of a new block, if it is not the program's. */
static enum hs_status keep_code(struct hs_profile *p, struct counted_block *c)
{
	const struct hs_block b = block_of(c);
	const struct block_code *code = profile_code_copy(
		&p->codes, program_select_image(&p->select), c->iaddr, 2u * (uint64_t)b.iretire);

	if (code && !profile_code_is_in(code, hs_program_image(c->program), c->iaddr))
		c->code = code;
	return code ? HS_OK : HS_E_MEMORY;
}

/* @index: where it is in the table. */
static enum hs_status add_block(struct hs_profile *p, const struct counted_block *c, uint32_t hash,
                                uint32_t *index)
{
	const bool full = p->blocks.count == BLOCKS_MAX || p->codes.bytes >= CODE_MAX;

	if (full && expand_blocks(p) != HS_OK)
		return HS_E_MEMORY;
	struct counted_block *added = support_hash_add(&p->blocks, hash);

	if (!added)
		return HS_E_MEMORY;
	*added = *c;
	*index = (uint32_t)(added - (struct counted_block *)p->blocks.items);
	return c->number ? keep_code(p, added) : HS_OK;
}

static enum hs_status count_block(struct hs_profile *p, const struct hs_block *b, uint64_t times,
                                  uint32_t *index)
{
	struct counted_block c = { b->iaddr, shape_of(b), p->select.program, .count = times,
		                   .owner = profile_owner_of(&p->owners, b->priv) };

	if (program_select_number(&p->select, b->iaddr, 2u * (uint64_t)b->iretire, &c.number) !=
	    HS_OK)
		return HS_E_MEMORY;
	const uint32_t hash = support_hash_of(c.iaddr, c.shape ^ c.number << 32 ^ c.owner << 40);
	struct counted_block *known = support_hash_find(&p->blocks, hash, same_block, &c);

	if (!known)
		return add_block(p, &c, hash, index);
	known->count += times;
	*index = (uint32_t)(known - (struct counted_block *)p->blocks.items);
	return HS_OK;
}

static void count_access(struct hs_profile_data *d, const struct hs_block *item, uint64_t times)
{
	struct hs_access_reader r = { 0 };

	hs_access_take(&r, item);
	const struct hs_access *a = &r.access;
	const uint64_t bytes = times << (a->size & 3u);
	const bool atomic = hs_access_is_atomic(a->type) && a->type != HS_ACCESS_SC_FAILED;

	if (a->phase == HS_ACCESS_RESPONSE)
		return;
	d->loads += a->type == HS_ACCESS_LOAD ? times : 0;
	d->stores += a->type == HS_ACCESS_STORE ? times : 0;
	d->atomics += atomic ? times : 0;
	d->csrs += hs_access_is_csr(a->type) ? times : 0;
	d->loaded += a->type == HS_ACCESS_LOAD || atomic ? bytes : 0;
	d->stored += a->type == HS_ACCESS_STORE || atomic ? bytes : 0;
}

static void count_event(struct hs_profile *p, const struct hs_block *b, uint64_t times)
{
	if (hs_event_counts(b))
		return;
	p->totals.events[b->kind & 31u] += times;
	if (b->kind == HS_KIND_TRAP && b->itype <= HS_ITYPE_INTERRUPT)
		p->totals.lone_traps[b->itype] += b->itype != HS_ITYPE_NONE ? times : 0;
	if (b->kind == HS_KIND_SYNC && b->itype == 6) /* NT Table 25 */
		p->totals.notifications += times;
	if (b->kind == HS_KIND_UNSEEN)
		p->totals.unseen[b->itype & 1u] += b->arg * times;
	if (b->kind == HS_KIND_DATA)
		count_access(&p->totals.data, b, times);
}

/* A time changes nothing else, unless threads go by it. */
static bool only_passes(const struct hs_profile *p, const struct hs_block *b)
{
	return b->kind == HS_KIND_TIME && p->owners.by != HS_PROFILE_BY_THREAD;
}

static enum hs_status follow_event(struct hs_profile *p, const struct hs_block *b, uint64_t times)
{
	const struct program_at before = p->select.at;

	if (only_passes(p, b))
		return program_select_event(&p->select, b);

	forget_recent(p);
	const enum hs_status s = program_select_event(&p->select, b);
	const struct program_at *at = &p->select.at;

	if (s != HS_OK ||
	    (b->kind != HS_KIND_CONTEXT && b->kind != HS_KIND_HART && b->kind != HS_KIND_TIME))
		return s;
	const bool changes = b->kind == HS_KIND_CONTEXT && at->has_context &&
	                     (!before.has_context || before.context != at->context);

	return profile_owners_follow(&p->owners, &p->select, changes ? times : 0);
}

enum hs_status hs_profile_add_times(struct hs_profile *p, const struct hs_block *item,
                                    uint64_t times)
{
	uint32_t index;

	if (item->kind == HS_KIND_BLOCK)
		return times ? count_block(p, item, times, &index) : HS_OK;
	count_event(p, item, times);
	return follow_event(p, item, times);
}

static struct recent *recent_of(const struct hs_profile *p, const uint64_t words[2])
{
	const uint64_t mixed =
		(words[0] ^ words[1] << 23 ^ words[1] >> 17) * UINT64_C(0x9e3779b97f4a7c15);

	return &p->recent[mixed >> (64 - RECENT_BITS)];
}

/* Count blocks so often, as long as they were counted lately, and times.  Returns how many. */
static size_t count_recent(struct hs_profile *p, const struct hs_block *b, size_t n, uint64_t often)
{
	struct counted_block *all = p->blocks.items;
	uint64_t times = 0;
	size_t i;

	for (i = 0; i < n; i++) {
		uint64_t words[2];

		__builtin_prefetch((const char *)&b[i] + FETCHED);
		memcpy(words, &b[i], sizeof(words));
		const struct recent *r = recent_of(p, words);

		if (!((r->words[0] ^ words[0]) | (r->words[1] ^ words[1]) | (r->era ^ p->era))) {
			all[r->index].count += often;
			continue;
		}
		if (!only_passes(p, &b[i]))
			break;
		program_select_time(&p->select, &b[i]);
		times++;
	}
	p->totals.events[HS_KIND_TIME] += times * often;
	return i;
}

/* Count a block, and keep where it is counted. */
static enum hs_status count_one(struct hs_profile *p, const struct hs_block *b, uint64_t often)
{
	uint64_t words[2];
	uint32_t index;
	const enum hs_status s = count_block(p, b, often, &index);

	if (s != HS_OK)
		return s;
	memcpy(words, b, sizeof(words));
	*recent_of(p, words) = (struct recent){ { words[0], words[1] }, index, p->era };
	return s;
}

static enum hs_status add_items(struct hs_profile *p, const struct hs_block *blocks, size_t n,
                                uint64_t often)
{
	enum hs_status s = HS_OK;

	for (size_t i = 0; i < n && s == HS_OK;) {
		const size_t recent = count_recent(p, blocks + i, n - i, often);

		i += recent;
		if (recent)
			continue;
		s = blocks[i].kind == HS_KIND_BLOCK ? count_one(p, &blocks[i], often)
		                                    : hs_profile_add_times(p, &blocks[i], often);
		i++;
	}
	return s;
}

enum hs_status hs_profile_add(struct hs_profile *p, const struct hs_block *blocks, size_t n)
{
	return add_items(p, blocks, n, 1);
}

enum hs_status hs_profile_add_run(struct hs_profile *p, const struct hs_run_count *run)
{
	return run->times ? add_items(p, run->blocks, run->n, run->times) : HS_OK;
}

/* ---- the result --------------------------------------------------------------- */

static int hottest_first(const void *a, const void *b)
{
	const struct hs_profile_function *x = a, *y = b;

	if (x->instructions != y->instructions)
		return x->instructions > y->instructions ? -1 : 1;
	if (x->start != y->start)
		return x->start < y->start ? -1 : 1;
	if (x->group != y->group)
		return x->group < y->group ? -1 : 1;
	if (x->file != y->file)
		return support_text_order(x->file, y->file);
	return support_text_order(x->name, y->name);
}

static enum hs_status sort_functions(struct hs_profile *p, struct hs_profile_result *result)
{
	const size_t n = p->functions.count;

	free(p->sorted);
	p->sorted = calloc(n + 1, sizeof(*p->sorted));
	if (!p->sorted)
		return HS_E_MEMORY;
	if (n)
		memcpy(p->sorted, p->functions.items, n * sizeof(*p->sorted));
	qsort(p->sorted, n, sizeof(*p->sorted), hottest_first);
	result->functions = p->sorted;
	result->function_count = n;
	return HS_OK;
}

enum hs_status hs_profile_get_result(struct hs_profile *p, struct hs_profile_result *result)
{
	if (expand_blocks(p) != HS_OK)
		return HS_E_MEMORY;
	*result = p->totals;
	if (sort_functions(p, result) != HS_OK)
		return HS_E_MEMORY;
	free(p->groups);
	p->groups = profile_groups(&p->owners, result);
	return p->groups ? HS_OK : HS_E_MEMORY;
}
