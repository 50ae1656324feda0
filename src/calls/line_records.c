/* Records of functions and places from counts of addresses (line_format.h): a tree that is kept as
 * a list. */
#include <stdlib.h>
#include <string.h>

#include "calls/line_counts.h"
#include "program/line_at.h"

#define SPOTS 64 /* functions that are inlined in each other */

/* A change of the count at an address. */
struct step {
	uint64_t addr, change;
};

/* ---- the list ------------------------------------------------------------------------------ */

static bool same_record(const void *item, const void *key)
{
	const struct line_record *a = item, *b = key;

	return a->in == b->in && a->kind == b->kind && a->offset == b->offset &&
	       a->discriminator == b->discriminator && !a->name == !b->name &&
	       (!a->name || strcmp(a->name, b->name) == 0);
}

struct line_record *exports_lines_find(struct support_hash *records, const struct line_record *key)
{
	const uint32_t hash =
		support_hash_of((uint64_t)key->in << 32 | key->offset,
	                        (uint64_t)key->discriminator << 34 | (uint64_t)key->kind << 32 |
	                                (key->name ? support_hash_text(key->name) : 0));
	struct line_record *r = support_hash_find(records, hash, same_record, key);

	if (r)
		return r;
	r = support_hash_add(records, hash);
	if (r) {
		*r = *key;
		r->number = records->count - 1;
	}
	return r;
}

static int by_place(const void *a, const void *b)
{
	const struct line_record *x = *(struct line_record *const *)a;
	const struct line_record *y = *(struct line_record *const *)b;

	if (x->in != y->in)
		return x->in < y->in ? -1 : 1;
	if (x->offset != y->offset)
		return x->offset < y->offset ? -1 : 1;
	if (x->discriminator != y->discriminator)
		return x->discriminator < y->discriminator ? -1 : 1;
	if (x->kind != y->kind)
		return x->kind < y->kind ? -1 : 1;
	return x->name && y->name ? strcmp(x->name, y->name) : 0;
}

struct line_record **exports_lines_sort(const struct support_hash *records)
{
	struct line_record **all = calloc((size_t)records->count + 1, sizeof(*all));

	for (uint32_t i = 0; all && i < records->count; i++)
		all[i] = support_hash_item(records, i);
	if (all)
		qsort(all, records->count, sizeof(*all), by_place);
	return all;
}

/* ---- where an address is ------------------------------------------------------------------- */

/* The places of an address; 0: not known, or in a function whose line is not known. */
static size_t find_spots(struct hs_program *program, uint64_t addr,
                         const struct hs_program_function *f, struct program_spot spots[SPOTS])
{
	const size_t n = program_spots_at(program, addr, spots, SPOTS);
	struct program_line declared;

	if (!n || !program_declared_at(program, f->start, &declared))
		return 0;
	spots[0].function = f->symbol;
	spots[0].declared = declared.line;
	for (size_t i = 0; i < n; i++)
		if (!spots[i].function || spots[i].declared <= 0)
			return 0;
	return n;
}

static struct line_record place_in(const struct line_profile *p, uint32_t function,
                                   const struct program_spot *spot)
{
	return (struct line_record){
		.in = function,
		.offset = (uint32_t)(spot->line - spot->declared) & 0xffff,
		.discriminator = p->places->number(spot->discriminator),
	};
}

/* The functions around an address become records.  *place: the key of it in the innermost one.
 * False: no memory. */
static bool find_place(struct line_profile *p, const struct program_spot *spots, size_t n,
                       struct line_record *place)
{
	*place = (struct line_record){ .in = LINE_TOP };
	for (size_t i = 0; i < n; i++) {
		place->kind = LINE_FUNCTION;
		place->name = spots[i].function;
		const struct line_record *r = exports_lines_find(&p->records, place);

		if (!r)
			return false;
		*place = place_in(p, r->number, &spots[i]);
	}
	return true;
}

/* ---- from counts --------------------------------------------------------------------------- */

/* So often a function was entered. */
static bool add_entries(struct line_profile *p, const char *name, uint64_t count)
{
	const struct line_record key = { .in = LINE_TOP, .name = name, .kind = LINE_FUNCTION };
	struct line_record *r = exports_lines_find(&p->records, &key);

	if (r)
		r->count += count;
	return r;
}

/* So often the instruction at @addr ran.  False: no memory. */
static bool add_insn(struct line_profile *p, struct hs_program *program, uint64_t addr,
                     uint64_t count)
{
	struct program_spot spots[SPOTS];
	struct hs_program_function f;
	struct line_record place;

	if (!hs_program_find_function(program, addr, &f))
		return true;
	const size_t n = find_spots(program, addr, &f, spots);

	if (!n)
		return true;
	struct line_record *r =
		find_place(p, spots, n, &place) ? exports_lines_find(&p->records, &place) : NULL;
	if (!r)
		return false;
	const uint64_t all = count * p->places->copies(spots[n - 1].discriminator);

	r->count = all > r->count ? all : r->count;
	return addr != f.start || add_entries(p, f.symbol, count);
}

static int by_addr(const void *a, const void *b)
{
	const struct step *x = a, *y = b;

	return (x->addr > y->addr) - (x->addr < y->addr);
}

static bool add_insns(struct line_profile *p, struct hs_program *program, uint64_t addr,
                      uint64_t end, uint64_t count)
{
	const struct hs_image *image = hs_program_image(program);
	struct hs_insn insn;

	for (; addr < end && hs_img_insn(image, addr, &insn) == HS_OK; addr += 2u * insn.hwords)
		if (!add_insn(p, program, addr, count))
			return false;
	return true;
}

/* Blocks that overlap become counts of instructions. */
static bool add_program(struct line_profile *p, struct hs_program *program)
{
	struct step *steps = calloc(2 * (size_t)p->blocks.count + 1, sizeof(*steps));
	uint64_t count = 0;
	size_t n = 0;
	bool good = steps;

	for (uint32_t i = 0; good && i < p->blocks.count; i++) {
		const struct line_pair *b = support_hash_item(&p->blocks, i);

		if (b->program != program)
			continue;
		steps[n++] = (struct step){ b->from, b->count };
		steps[n++] = (struct step){ b->to, -b->count };
	}
	if (good)
		qsort(steps, n, sizeof(*steps), by_addr);
	for (size_t i = 0; good && i + 1 < n; i++) {
		count += steps[i].change;
		if (count && steps[i].addr < steps[i + 1].addr)
			good = add_insns(p, program, steps[i].addr, steps[i + 1].addr, count);
	}
	free(steps);
	return good;
}

/* What an instruction called.  It ends where it is followed by the return. */
static bool add_call(struct line_profile *p, const struct line_pair *c)
{
	struct program_spot spots[SPOTS];
	struct hs_program_function f, to;
	struct line_record place;
	const uint64_t addr = c->from - 2;

	if (!hs_program_find_function(c->program, addr, &f) ||
	    !hs_program_find_function(c->program, c->to, &to) || to.start != c->to)
		return true;
	const size_t n = find_spots(c->program, addr, &f, spots);

	if (!n)
		return true;
	if (!find_place(p, spots, n, &place))
		return false;
	place.kind = LINE_CALL;
	place.name = to.symbol;
	struct line_record *r = exports_lines_find(&p->records, &place);

	if (!r)
		return false;
	r->count += c->count;
	r->indirect += c->indirect ? c->count : 0;
	return true;
}

static bool is_before(const struct hs_program_set *set, size_t i)
{
	size_t k = 0;

	while (k < i && set->programs[k] != set->programs[i])
		k++;
	return k < i;
}

bool lines_make_records(struct line_profile *p, const struct program_select *select)
{
	const struct hs_program_set *set = select->set;
	bool good = add_program(p, select->first);

	for (size_t i = 0; set && i < set->count && good; i++)
		if (set->programs[i] != select->first && !is_before(set, i))
			good = add_program(p, set->programs[i]);
	for (uint32_t i = 0; i < p->calls.count && good; i++)
		good = add_call(p, support_hash_item(&p->calls, i));
	return good;
}
