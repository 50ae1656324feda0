/* Sample profiles for LLVM's -fprofile-sample-use, in its text format (line_format.h). */
#include <stdlib.h>
#include <string.h>

#include <hartscope/status.h>

#include "calls/line_format.h"
#include "core/search.h"

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

static uint32_t copies(uint32_t d)
{
	const uint32_t n = component(next_component(d));

	return n ? n : 1;
}

static enum hs_status begin(struct hs_export *x)
{
	static const struct line_places places = { component, copies };

	return exports_lines_begin(x, &places);
}

/* ---- the text ------------------------------------------------------------------------------ */

struct sorted {
	struct line_record **all;
	uint64_t *totals; /* of functions by number, with those inlined in them */
	uint32_t n;
};

/* A function counts what is in it and in those that were inlined. */
static void sum_up(const struct sorted *s, const struct support_hash *records)
{
	for (uint32_t i = 0; i < s->n; i++) {
		const struct line_record *r = support_hash_item(records, i);
		const bool counts = r->kind == LINE_BODY;

		for (uint32_t in = r->in; counts && in != LINE_TOP;) {
			s->totals[in] += r->count;
			in = ((const struct line_record *)support_hash_item(records, in))->in;
		}
	}
}

/* Names without what the format separates by. */
static size_t plain_name(char *to, size_t room, const char *name)
{
	const size_t n = hs_text_escape(to, room, name);

	for (char *at = to; (at = strpbrk(at, ": "));)
		*at = '_';
	return n;
}

static void print_place(struct hs_export *x, const struct line_record *r, unsigned depth)
{
	support_out_print(&x->out, "%*s%u", (int)depth, "", r->offset);
	if (r->discriminator)
		support_out_print(&x->out, ".%u", r->discriminator);
	support_out_text(&x->out, ": ");
}

static bool same_place(const struct line_record *a, const struct line_record *b)
{
	return a->in == b->in && a->offset == b->offset && a->discriminator == b->discriminator;
}

/* The records in function @in, from the first one on. */
static void print_function(struct hs_export *x, const struct sorted *s, uint32_t in, unsigned depth)
{
	struct line_record *const *all = s->all;

	for (size_t i = base_count_leading(s->n, k, all[k]->in < in); i < s->n && all[i]->in == in;
	     i++) {
		const struct line_record *r = all[i];

		if (r->kind == LINE_FUNCTION) {
			print_place(x, r, depth);
			support_out_as(&x->out, plain_name, r->name);
			support_out_print(&x->out, ":%llu\n", (ull)s->totals[r->number]);
			print_function(x, s, r->number, depth + 1);
		} else if (r->kind == LINE_BODY) {
			print_place(x, r, depth);
			support_out_print(&x->out, "%llu", (ull)r->count);
			for (; i + 1 < s->n && all[i + 1]->kind == LINE_CALL &&
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

static void print_functions(struct hs_export *x, const struct sorted *s)
{
	for (uint32_t i = 0; i < s->n; i++) {
		const struct line_record *r = s->all[i];
		const uint64_t total = s->totals[r->number];

		if (r->in != LINE_TOP || !total)
			continue;
		support_out_as(&x->out, plain_name, r->name);
		support_out_print(&x->out, ":%llu:%llu\n", (ull)total, (ull)r->count);
		print_function(x, s, r->number, 1);
	}
}

static enum hs_status end(struct hs_export *x)
{
	const struct support_hash *records = exports_lines_end(x);

	if (!records)
		return HS_E_MEMORY;
	if (!records->count) /* no line is known of what ran: that is nothing to export */
		x->report.instructions = 0;
	const struct sorted s = {
		.all = exports_lines_sort(records),
		.totals = calloc((size_t)records->count + 1, sizeof(*s.totals)),
		.n = records->count,
	};
	const bool good = s.all && s.totals;

	if (good) {
		sum_up(&s, records);
		print_functions(x, &s);
	}
	free(s.all);
	free(s.totals);
	return good ? x->out.status : HS_E_MEMORY;
}

const struct exports_format exports_autofdo = {
	.begin = begin, .item = exports_lines_item, .end = end, .free = exports_lines_free
};
