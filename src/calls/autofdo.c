/* Sample profiles for LLVM's -fprofile-sample-use, in its text format.  Each place of a function (a
 * line counted from its declaration, and a discriminator) has the count of that instruction of it
 * which ran most, as LLVM's own generator takes it; here counts are exact.  Functions that were
 * inlined are inside those that call them.
 *
 * Blocks and calls are counted as they come.  At the end the counts of blocks become those of
 * addresses, and these records of places: a tree that is kept as a list. */
#include <stdlib.h>
#include <string.h>

#include <hartscope/status.h>

#include "calls/exports_private.h"
#include "calls/scan.h"
#include "core/search.h"
#include "program/line_at.h"

#define SPOTS 64 /* functions that are inlined in each other */
#define TOP UINT32_MAX

/* Instructions at consecutive addresses. */
struct ran {
	uint64_t start, end;
	struct hs_program *program;
	uint64_t count;
};

/* The instruction that ends at an address called a function. */
struct called {
	uint64_t end, target;
	struct hs_program *program;
	uint64_t count;
};

enum record_kind { RECORD_BODY, RECORD_CALL, RECORD_FUNCTION };

/* A function; or of one a place, or what was called there. */
struct record {
	const char *name; /* of a function, also of one that was called */
	uint64_t count;   /* of a function its entries */
	uint64_t total;   /* of a function, with those inlined in it */
	uint32_t in;      /* number of the function that it is in, or TOP */
	uint32_t number;  /* its own */
	uint32_t offset, discriminator;
	enum record_kind kind;
};

struct profile {
	struct support_hash ran, called, records;
	uint64_t last_end; /* of the last block, where it ended with a call; 0: it did not */
};

/* A change of the count at an address. */
struct step {
	uint64_t addr, change;
};

static enum hs_status begin(struct hs_export *x)
{
	struct profile *p = calloc(1, sizeof(*p));

	if (!p)
		return HS_E_MEMORY;
	p->ran.item_size = sizeof(struct ran);
	p->called.item_size = sizeof(struct called);
	p->records.item_size = sizeof(struct record);
	x->own = p;
	return HS_OK;
}

static void free_profile(struct hs_export *x)
{
	struct profile *p = x->own;

	support_hash_free(&p->ran);
	support_hash_free(&p->called);
	support_hash_free(&p->records);
	free(p);
}

/* ---- what ran ------------------------------------------------------------------------------ */

static bool same_ran(const void *item, const void *key)
{
	const struct ran *a = item, *b = key;

	return a->start == b->start && a->end == b->end && a->program == b->program;
}

static bool same_called(const void *item, const void *key)
{
	const struct called *a = item, *b = key;

	return a->end == b->end && a->target == b->target && a->program == b->program;
}

static bool count_ran(struct profile *p, const struct ran *key)
{
	const uint32_t hash = support_hash_of(key->start, (uintptr_t)key->program + key->end);
	struct ran *r = support_hash_find(&p->ran, hash, same_ran, key);

	if (!r) {
		r = support_hash_add(&p->ran, hash);
		if (!r)
			return false;
		*r = *key;
	}
	r->count++;
	return true;
}

static bool count_called(struct profile *p, const struct called *key)
{
	const uint32_t hash = support_hash_of(key->end, (uintptr_t)key->program + key->target);
	struct called *c = support_hash_find(&p->called, hash, same_called, key);

	if (!c) {
		c = support_hash_add(&p->called, hash);
		if (!c)
			return false;
		*c = *key;
	}
	c->count++;
	return true;
}

static bool is_call(unsigned itype)
{
	return itype == HS_ITYPE_CALL_UNINF || itype == HS_ITYPE_CALL_INF;
}

static enum hs_status add_block(struct hs_export *x, const struct hs_block *b)
{
	struct profile *p = x->own;
	struct hs_program *program = x->select.program;
	const uint64_t end = hs_block_end(b);
	uint32_t n;
	const enum hs_status s = program_count_block(&x->counts, &x->select, b, &n);
	bool good = s == HS_OK;

	if (good && p->last_end)
		good = count_called(p, &(struct called){ p->last_end, b->iaddr, program, 0 });
	if (good && n)
		good = count_ran(p, &(struct ran){ b->iaddr, end, program, 0 });
	p->last_end = is_call(b->itype) ? end : 0;
	x->report.instructions += n;
	return good ? HS_OK : HS_E_MEMORY;
}

static enum hs_status add_item(struct hs_export *x, const struct hs_block *b)
{
	struct profile *p = x->own;

	if (b->kind == HS_KIND_BLOCK)
		return add_block(x, b);
	p->last_end = 0;
	return program_select_event(&x->select, b);
}

static enum hs_status items(struct hs_export *x, const struct hs_block *b, size_t n)
{
	enum hs_status s = HS_OK;

	for (size_t i = 0; i < n && s == HS_OK; i++)
		s = add_item(x, &b[i]);
	return s;
}

static enum hs_status scan(struct hs_export *x, const struct hs_call_scanner *k,
                           const struct hs_call_scan *scanned)
{
	enum hs_status s = HS_OK;

	for (size_t i = 0; i < scanned->stretch_count && s == HS_OK; i++) {
		const struct scan_stretch *v = &scanned->stretches[i];
		const uint32_t *words = scanned->words + v->first;

		if (!v->n)
			s = add_item(x, &scanned->events[v->first]);
		for (uint32_t w = 0; w < v->n && s == HS_OK; w++)
			s = add_block(x, support_numbers_block(&k->numbers, words[w]));
	}
	return s;
}

/* ---- discriminators ------------------------------------------------------------------------ */

/* LLVM packs three numbers into one: a number of the place, how many copies of the code are one,
 * and which copy it is.  A component: bit 0 set: it is 0; else 5 bits, or 12 where bit 6 is set. */
static uint32_t component(uint32_t d)
{
	if (d & 1)
		return 0;
	d >>= 1;
	return d & 0x20 ? (d >> 1 & 0xfe0) | (d & 0x1f) : d & 0x1f;
}

static uint32_t next_component(uint32_t d)
{
	return d & 1 ? d >> 1 : d >> (d & 0x40 ? 14 : 7);
}

/* How often the code of a place ran each time this copy did. */
static uint32_t copies(uint32_t d)
{
	const uint32_t n = component(next_component(d));

	return n ? n : 1;
}

/* ---- records ------------------------------------------------------------------------------- */

static bool same_record(const void *item, const void *key)
{
	const struct record *a = item, *b = key;

	return a->in == b->in && a->kind == b->kind && a->offset == b->offset &&
	       a->discriminator == b->discriminator && !a->name == !b->name &&
	       (!a->name || strcmp(a->name, b->name) == 0);
}

/* NULL: no memory. */
static struct record *find_record(struct profile *p, const struct record *key)
{
	const uint32_t hash =
		support_hash_of((uint64_t)key->in << 32 | key->offset,
	                        (uint64_t)key->discriminator << 34 | (uint64_t)key->kind << 32 |
	                                (key->name ? support_hash_text(key->name) : 0));
	struct record *r = support_hash_find(&p->records, hash, same_record, key);

	if (r)
		return r;
	r = support_hash_add(&p->records, hash);
	if (r) {
		*r = *key;
		r->number = p->records.count - 1;
	}
	return r;
}

static struct record place_in(uint32_t function, const struct program_spot *spot, int declared)
{
	return (struct record){
		.in = function,
		.offset = (uint32_t)(spot->line - declared) & 0xffff,
		.discriminator = component(spot->discriminator),
	};
}

/* The functions around an address become records.  *in: the innermost.  False: no memory. */
static bool find_functions(struct profile *p, struct program_spot *spots, size_t n, uint32_t *in)
{
	struct record key = { .in = TOP, .name = spots[0].function, .kind = RECORD_FUNCTION };

	for (size_t i = 0; i < n; i++) {
		const struct record *r = find_record(p, &key);

		if (!r)
			return false;
		*in = r->number;
		key = place_in(*in, &spots[i], spots[i].declared);
		key.kind = RECORD_FUNCTION;
		key.name = i + 1 < n ? spots[i + 1].function : NULL;
	}
	return true;
}

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

/* So often the instruction at @addr ran.  False: no memory. */
static bool add_insn(struct profile *p, struct hs_program *program, uint64_t addr, uint64_t count)
{
	struct program_spot spots[SPOTS];
	struct hs_program_function f;
	uint32_t in;

	if (!hs_program_find_function(program, addr, &f))
		return true;
	const size_t n = find_spots(program, addr, &f, spots);

	if (!n)
		return true;
	if (!find_functions(p, spots, n, &in))
		return false;
	struct record key = place_in(in, &spots[n - 1], spots[n - 1].declared);
	struct record *r = find_record(p, &key);

	if (!r)
		return false;
	count *= copies(spots[n - 1].discriminator);
	r->count = count > r->count ? count : r->count;
	if (addr == f.start) {
		key = (struct record){ .in = TOP, .name = f.symbol, .kind = RECORD_FUNCTION };
		r = find_record(p, &key);
		if (r)
			r->count += count;
	}
	return r;
}

static int by_addr(const void *a, const void *b)
{
	const struct step *x = a, *y = b;

	return (x->addr > y->addr) - (x->addr < y->addr);
}

static bool add_insns(struct profile *p, struct hs_program *program, uint64_t addr, uint64_t end,
                      uint64_t count)
{
	const struct hs_image *image = hs_program_image(program);
	struct hs_insn insn;

	for (; addr < end && hs_img_insn(image, addr, &insn) == HS_OK; addr += 2u * insn.hwords)
		if (!add_insn(p, program, addr, count))
			return false;
	return true;
}

/* Blocks that overlap become counts of instructions. */
static bool add_program(struct profile *p, struct hs_program *program)
{
	struct step *steps = calloc(2 * (size_t)p->ran.count + 1, sizeof(*steps));
	uint64_t count = 0;
	size_t n = 0;
	bool good = steps;

	for (uint32_t i = 0; good && i < p->ran.count; i++) {
		const struct ran *r = support_hash_item(&p->ran, i);

		if (r->program != program)
			continue;
		steps[n++] = (struct step){ r->start, r->count };
		steps[n++] = (struct step){ r->end, -r->count };
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
static bool add_called(struct profile *p, const struct called *c)
{
	struct program_spot spots[SPOTS];
	struct hs_program_function f, to;
	const uint64_t addr = c->end - 2;
	uint32_t in;

	if (!hs_program_find_function(c->program, addr, &f) ||
	    !hs_program_find_function(c->program, c->target, &to) || to.start != c->target)
		return true;
	const size_t n = find_spots(c->program, addr, &f, spots);

	if (!n)
		return true;
	if (!find_functions(p, spots, n, &in))
		return false;
	struct record key = place_in(in, &spots[n - 1], spots[n - 1].declared);

	key.kind = RECORD_CALL;
	key.name = to.symbol;
	struct record *r = find_record(p, &key);

	if (r)
		r->count += c->count;
	return r;
}

static bool is_before(const struct hs_program_set *set, size_t i)
{
	size_t k = 0;

	while (k < i && set->programs[k] != set->programs[i])
		k++;
	return k < i;
}

static bool make_records(struct profile *p, const struct program_select *select)
{
	const struct hs_program_set *set = select->set;
	bool good = add_program(p, select->first);

	for (size_t i = 0; set && i < set->count && good; i++)
		if (set->programs[i] != select->first && !is_before(set, i))
			good = add_program(p, set->programs[i]);
	for (uint32_t i = 0; i < p->called.count && good; i++)
		good = add_called(p, support_hash_item(&p->called, i));
	return good;
}

/* ---- the text ------------------------------------------------------------------------------ */

/* A function counts what is in it and in those that were inlined. */
static void sum_up(struct profile *p)
{
	for (uint32_t i = 0; i < p->records.count; i++) {
		const struct record *r = support_hash_item(&p->records, i);

		if (r->kind != RECORD_BODY)
			continue;
		for (uint32_t in = r->in; in != TOP;) {
			struct record *f = support_hash_item(&p->records, in);

			f->total += r->count;
			in = f->in;
		}
	}
}

static int by_place(const void *a, const void *b)
{
	const struct record *x = *(struct record *const *)a, *y = *(struct record *const *)b;

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

/* Names without what the format separates by. */
static size_t plain_name(char *to, size_t room, const char *name)
{
	const size_t n = hs_text_escape(to, room, name);

	for (char *at = to; (at = strpbrk(at, ": "));)
		*at = '_';
	return n;
}

static void print_place(struct hs_export *x, const struct record *r, unsigned depth)
{
	support_out_print(&x->out, "%*s%u", (int)depth, "", r->offset);
	if (r->discriminator)
		support_out_print(&x->out, ".%u", r->discriminator);
	support_out_text(&x->out, ": ");
}

static bool same_place(const struct record *a, const struct record *b)
{
	return a->in == b->in && a->offset == b->offset && a->discriminator == b->discriminator;
}

/* The records in function @in, from the first one on; they are sorted. */
static void print_function(struct hs_export *x, struct record *const *all, uint32_t n, uint32_t in,
                           unsigned depth)
{
	for (size_t i = base_count_leading(n, k, all[k]->in < in); i < n && all[i]->in == in; i++) {
		const struct record *r = all[i];

		if (r->kind == RECORD_FUNCTION) {
			print_place(x, r, depth);
			support_out_as(&x->out, plain_name, r->name);
			support_out_print(&x->out, ":%llu\n", (ull)r->total);
			print_function(x, all, n, r->number, depth + 1);
		} else if (r->kind == RECORD_BODY) {
			print_place(x, r, depth);
			support_out_print(&x->out, "%llu", (ull)r->count);
			for (; i + 1 < n && all[i + 1]->kind == RECORD_CALL &&
			       same_place(r, all[i + 1]);
			     i++) {
				support_out_text(&x->out, " ");
				support_out_as(&x->out, plain_name, all[i + 1]->name);
				support_out_print(&x->out, ":%llu", (ull)all[i + 1]->count);
			}
			support_out_text(&x->out, "\n");
		}
	}
}

static enum hs_status end(struct hs_export *x)
{
	struct profile *p = x->own;

	if (!make_records(p, &x->select))
		return HS_E_MEMORY;
	sum_up(p);
	const uint32_t n = p->records.count;

	if (!n) /* no line is known of what ran: that is nothing to export */
		x->report.instructions = 0;
	struct record **all = calloc((size_t)n + 1, sizeof(*all));

	if (!all)
		return HS_E_MEMORY;
	for (uint32_t i = 0; i < n; i++)
		all[i] = support_hash_item(&p->records, i);
	qsort(all, n, sizeof(struct record *), by_place);
	for (uint32_t i = 0; i < n; i++) {
		if (all[i]->in != TOP || !all[i]->total)
			continue;
		support_out_as(&x->out, plain_name, all[i]->name);
		support_out_print(&x->out, ":%llu:%llu\n", (ull)all[i]->total, (ull)all[i]->count);
		print_function(x, all, n, all[i]->number, 1);
	}
	free(all);
	return x->out.status;
}

const struct exports_format exports_autofdo = {
	.begin = begin, .items = items, .scan = scan, .end = end, .free = free_profile
};
