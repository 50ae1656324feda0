/* Exports that count: branches, and the straight code between two of them, over all samples.
 *
 * llvm-bolt ("pre-aggregated" format) and llvm-profgen ("unsymbolized" profile) take the
 * addresses of the program's file, so that the addresses of a program that was moved go back to
 * there. */
#include <stdlib.h>
#include <string.h>

#include "ctr_host/export_private.h"
#include "program/program.h"
#include "support/hash.h"

#define PAIRS_MAX (1u << 24)
#define RANGE_MAX 4096u /* instructions of a range that are looked at */

struct pair {
	uint64_t from, to;
	uint64_t count, misp;
};

struct counts {
	struct support_hash branches, ranges; /* of struct pair */
	uint64_t start, end, bias;            /* of the program's code, as it was loaded */
	uint64_t base;                        /* profgen: addresses are relative to it */
};

static bool same_pair(const void *item, const void *key)
{
	const struct pair *a = item, *b = key;

	return a->from == b->from && a->to == b->to;
}

static enum hs_status count_pair(struct support_hash *t, uint64_t from, uint64_t to, bool misp)
{
	const struct pair key = { .from = from, .to = to };
	const uint32_t hash = support_hash_of(from, to);
	struct pair *p = support_hash_find(t, hash, same_pair, &key);

	if (!p) {
		p = t->count < PAIRS_MAX ? support_hash_add(t, hash) : NULL;
		if (!p)
			return HS_E_MEMORY;
		*p = key;
	}
	p->count++;
	p->misp += misp;
	return HS_OK;
}

static bool inside(const struct counts *k, uint64_t addr)
{
	return addr >= k->start && addr < k->end;
}

/* Count branches, and the ranges between two records: from the older one's target to the younger
 * one's source. */
static enum hs_status count_sample(struct hs_ctr_export *x, const struct hs_ctr_sample *s)
{
	struct counts *k = x->own;
	enum hs_status status = HS_OK;
	uint64_t end = 0;
	bool have_end = false;

	(void)s;
	for (size_t i = 0; i < x->count && status == HS_OK; i++) {
		const struct export_branch *b = &x->branches[i];
		const bool from = !b->no_from && inside(k, b->from);
		const bool to = !b->no_to && inside(k, b->to);

		if (from && to) {
			status = count_pair(&k->branches, b->from, b->to, b->misp);
			x->report.branches++;
		} else {
			x->report.foreign++;
		}
		if (status == HS_OK && to && have_end && inside(k, end))
			status = count_pair(&k->ranges, b->to, end, false);
		end = b->from;
		have_end = !b->no_from;
	}
	return status;
}

/* ---- the program ------------------------------------------------------------------------- */

static enum hs_status begin_counts(struct hs_ctr_export *x)
{
	const char *path = export_file(x, x->program);
	struct counts *k = calloc(1, sizeof(*k));
	struct hs_program_segment g;

	x->own = k;
	if (!k)
		return HS_E_MEMORY;
	k->branches.item_size = k->ranges.item_size = sizeof(struct pair);
	k->end = path ? 0 : UINT64_MAX; /* raw code has one address */
	for (size_t i = 0; path && hs_program_get_segment(x->program, i, &g); i++) {
		if (g.path != path)
			continue;
		if (!k->end || g.start < k->start)
			k->start = g.start;
		if (g.start + g.size > k->end)
			k->end = g.start + g.size;
		k->bias = g.bias;
	}
	k->base = (k->start - k->bias) & ~UINT64_C(0xfff);
	return HS_OK;
}

static void free_counts(struct hs_ctr_export *x)
{
	struct counts *k = x->own;

	if (!k)
		return;
	support_hash_free(&k->branches);
	support_hash_free(&k->ranges);
	free(k);
}

/* ---- output ---------------------------------------------------------------------------- */

/* Can the hart have run from @p->from to @p->to without a transfer?  It has not if a signal's
 * handler, which begins without a record, ran between two records. */
static bool is_straight(struct hs_ctr_export *x, const struct pair *p)
{
	const struct hs_image *image = hs_program_image(x->program);
	uint64_t at = p->from;
	struct hs_insn insn;

	for (unsigned n = 0; n < RANGE_MAX && at <= p->to; n++) {
		if (at == p->to)
			return true;
		if (hs_img_insn(image, at, &insn) != HS_OK)
			return false;
		if (insn.kind != HS_INSN_LINEAR && insn.kind != HS_INSN_BRANCH &&
		    insn.kind != HS_INSN_ECALL && insn.kind != HS_INSN_CUSTOM)
			return false;
		at += 2u * insn.hwords;
	}
	return false;
}

static int by_address(const void *a, const void *b)
{
	const struct pair *x = a, *y = b;

	if (x->from != y->from)
		return x->from < y->from ? -1 : 1;
	return x->to < y->to ? -1 : x->to > y->to;
}

/* From here on the tables are arrays: nothing is looked up or added. */
static void sort_pairs(struct support_hash *t)
{
	if (t->count)
		qsort(t->items, t->count, sizeof(struct pair), by_address);
}

static void drop_broken(struct hs_ctr_export *x, struct support_hash *t)
{
	struct pair *v = t->items;
	uint32_t n = 0;

	for (uint32_t i = 0; i < t->count; i++) {
		if (is_straight(x, &v[i]))
			v[n++] = v[i];
		else
			x->report.broken += v[i].count;
	}
	t->count = n;
}

static struct counts *finish_counts(struct hs_ctr_export *x)
{
	struct counts *k = x->own;

	sort_pairs(&k->branches);
	sort_pairs(&k->ranges);
	drop_broken(x, &k->ranges);
	return k;
}

/* B FROM TO COUNT MISPREDICTED; F FIRST LAST COUNT: both ends of a range are instructions. */
static enum hs_status bolt_end(struct hs_ctr_export *x)
{
	const struct counts *k = finish_counts(x);

	for (uint32_t i = 0; i < k->branches.count; i++) {
		const struct pair *p = support_hash_item(&k->branches, i);

		export_print(x, "B %llx %llx %llu %llu\n", (ull)(p->from - k->bias),
		             (ull)(p->to - k->bias), (ull)p->count, (ull)p->misp);
	}
	for (uint32_t i = 0; i < k->ranges.count; i++) {
		const struct pair *p = support_hash_item(&k->ranges, i);

		export_print(x, "F %llx %llx %llu\n", (ull)(p->from - k->bias),
		             (ull)(p->to - k->bias), (ull)p->count);
	}
	return x->out.status;
}

static void profgen_pairs(struct hs_ctr_export *x, const struct counts *k,
                          const struct support_hash *t, const char *between)
{
	const uint64_t base = k->bias + k->base;

	export_print(x, "%u\n", (unsigned)t->count);
	for (uint32_t i = 0; i < t->count; i++) {
		const struct pair *p = support_hash_item(t, i);

		export_print(x, "%llx%s%llx:%llu\n", (ull)(p->from - base), between,
		             (ull)(p->to - base), (ull)p->count);
	}
}

static enum hs_status profgen_end(struct hs_ctr_export *x)
{
	const struct counts *k = finish_counts(x);

	profgen_pairs(x, k, &k->ranges, "-");
	profgen_pairs(x, k, &k->branches, "->");
	return x->out.status;
}

const struct export_format export_bolt = {
	.name = "bolt",
	.straight = true,
	.one = true,
	.begin = begin_counts,
	.sample = count_sample,
	.end = bolt_end,
	.free = free_counts,
};

const struct export_format export_profgen = {
	.name = "profgen",
	.straight = true,
	.one = true,
	.begin = begin_counts,
	.sample = count_sample,
	.end = profgen_end,
	.free = free_counts,
};
