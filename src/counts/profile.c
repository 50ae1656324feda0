/* Profiles: counted blocks are expanded to instructions and functions. */
#include <stdlib.h>
#include <string.h>

#include "core/config.h"
#include "counts/view.h"
#include "support/order.h"

/* ---- a profile on its own ----------------------------------------------------- */

static enum hs_status expand(void *profile)
{
	struct hs_profile *p = profile;
	const enum hs_status s = counts_profile_take(p);

	counts_blocks_drop(p->blocks);
	return s;
}

enum hs_status counts_profile_new(struct counts_blocks *blocks, const struct hs_profile_options *o,
                                  struct hs_profile **profile)
{
	struct hs_profile *p = calloc(1, sizeof(*p));

	if (!p)
		return HS_E_MEMORY;
	p->blocks = blocks;
	p->each = o->each;
	p->each_to = o->each_to;
	p->functions.item_size = sizeof(struct hs_profile_function);
	*profile = p;
	return HS_OK;
}

enum hs_status hs_profile_open(const struct hs_profile_options *options,
                               struct hs_profile **profile)
{
	struct hs_profile_options o;
	struct hs_profile *p;

	if (base_take_config(&o, sizeof(o), options) != HS_OK || !o.program ||
	    o.by > HS_PROFILE_BY_THREAD)
		return HS_E_CONFIG;
	if (counts_profile_new(NULL, &o, &p) != HS_OK)
		return HS_E_MEMORY;
	p->blocks = &p->own;
	p->own.full = expand;
	p->own.full_to = p;
	if (counts_blocks_start(&p->own, &o, false) != HS_OK) {
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
	if (p->blocks == &p->own)
		counts_blocks_end(&p->own);
	free(p->groups);
	free(p->harts);
	support_hash_free(&p->functions);
	free(p->sorted);
	free(p);
}

enum hs_status hs_profile_add(struct hs_profile *p, const struct hs_block *blocks, size_t n)
{
	return counts_blocks_add(p->blocks, blocks, n, 1);
}

enum hs_status hs_profile_add_path(struct hs_profile *p, const struct hs_path_count *run)
{
	return counts_blocks_add(p->blocks, run->blocks, run->n, run->times);
}

enum hs_status hs_profile_get_result(struct hs_profile *p, struct hs_profile_result *result)
{
	const enum hs_status s = expand(p);

	return s == HS_OK ? counts_profile_get(p, result) : s;
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

/* The function at an address of a block. */
static void find_function(const struct hs_profile *p, const struct counted_block *c,
                          const struct hs_image *image, uint64_t addr, struct hs_guest_place *f)
{
	struct hs_guest_at at = profile_owner(&p->blocks->owners, (uint32_t)c->owner)->at;

	at.priv = counts_block_of(c).priv;
	at.code.p = hs_img_bytes(image, addr, &at.code.n);
	hs_guest_name(p->blocks->owners.guest, c->program, &at, addr, f);
}

/* Its hart, where harts are counted apart. */
static struct hs_profile_group *hart_of(const struct hs_profile *p, const struct counted_block *c)
{
	const struct owners *o = &p->blocks->owners;

	return o->has_harts ? profile_hart(o, profile_owner(o, (uint32_t)c->owner)->hart_group)
	                    : NULL;
}

/* The instructions of a block, cut where the function changes: the end of one function may run
 * into the next.  *last is the function where the block ends. */
static enum hs_status expand_instructions(struct hs_profile *p, const struct counted_block *c,
                                          struct hs_profile_function **last)
{
	struct hs_section own;
	const struct hs_image image = counts_code_of(c, &own);
	const struct hs_block b = counts_block_of(c);
	const uint64_t end = hs_block_end(&b);
	const uint32_t group = profile_owner(&p->blocks->owners, (uint32_t)c->owner)->group;
	struct hs_profile_group *hart = hart_of(p, c);
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
		profile_group(&p->blocks->owners, group)->instructions += n;
		if (hart)
			hart->instructions += n;
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
	const struct owner *owner = profile_owner(&p->blocks->owners, (uint32_t)c->owner);
	const struct hs_block b = counts_block_of(c);
	struct hs_section own;
	const struct hs_image image = counts_code_of(c, &own);
	struct hs_guest_at at = owner->at;

	at.priv = b.priv;
	p->each(p->each_to,
	        &(struct hs_profile_block){ &b, c->count, c->program, &image, &at, owner->group });
}

static enum hs_status expand_block(struct hs_profile *p, const struct counted_block *c)
{
	const struct hs_block b = counts_block_of(c);
	struct hs_profile_group *hart = hart_of(p, c);
	struct hs_profile_function *last;

	if (p->each)
		give_block(p, c);
	if (expand_instructions(p, c, &last) != HS_OK)
		return HS_E_MEMORY;
	p->totals.blocks += c->count;
	profile_group(&p->blocks->owners, last->group)->blocks += c->count;
	profile_group(&p->blocks->owners, last->group)->ends[b.itype] += c->count;
	if (hart) {
		hart->blocks += c->count;
		hart->ends[b.itype] += c->count;
	}
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
	if (counts_block_of(x).iretire != counts_block_of(y).iretire)
		return counts_block_of(x).iretire < counts_block_of(y).iretire ? -1 : 1;
	if (x->program != y->program)
		return (uintptr_t)x->program < (uintptr_t)y->program ? -1 : 1;
	return profile_code_compare(x->code, y->code);
}

/* Blocks that differ only in end or mode are one in totals.distinct, and sorting brings them
 * together. */
enum hs_status counts_profile_take(struct hs_profile *p)
{
	const struct support_hash *table = &p->blocks->table;
	struct counted_block *v = table->items;

	if (table->count)
		qsort(v, table->count, sizeof(*v), by_code);
	for (uint32_t i = 0; i < table->count; i++) {
		if (expand_block(p, &v[i]) != HS_OK)
			return HS_E_MEMORY;
		p->totals.distinct += counts_block_of(&v[i]).iretire &&
		                      (i == 0 || by_code(&v[i - 1], &v[i]) != 0);
	}
	return HS_OK;
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

/* What was counted; of events all that were seen. */
static void sum_up(const struct hs_profile *p, struct hs_profile_result *result)
{
	const struct hs_profile_result *seen = &p->blocks->seen;

	*result = p->totals;
	memcpy(result->events, seen->events, sizeof(seen->events));
	memcpy(result->lone_traps, seen->lone_traps, sizeof(seen->lone_traps));
	memcpy(result->unseen, seen->unseen, sizeof(seen->unseen));
	result->notifications = seen->notifications;
	result->data = seen->data;
}

enum hs_status counts_profile_get(struct hs_profile *p, struct hs_profile_result *result)
{
	sum_up(p, result);
	if (sort_functions(p, result) != HS_OK)
		return HS_E_MEMORY;
	free(p->groups);
	p->groups = profile_groups(&p->blocks->owners, result);
	return p->groups ? HS_OK : HS_E_MEMORY;
}

enum hs_status counts_profile_get_harts(struct hs_profile *p, struct hs_profile_result *result)
{
	sum_up(p, result);
	free(p->harts);
	p->harts = profile_harts(&p->blocks->owners, result);
	return p->harts ? HS_OK : HS_E_MEMORY;
}
