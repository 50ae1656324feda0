/* hartscope diff: where two runs part. */
#include <stdlib.h>
#include <string.h>

#include <hartscope/diff.h>

#include "commands/diff.h"

/* ---- what is shown ------------------------------------------------------------------- */

/* "FUNCTION+OFFSET  FILE:LINE", or "(no symbol)  [LIBRARY]" */
static void describe_place(const struct hs_diff_place *p, char *text, size_t size)
{
	const char *line = p->source.file ? path_base(p->source.file) : NULL;
	int n = snprintf(text, size, "%.1000s", p->name.label ? p->name.label : "(no symbol)");

	if (p->name.label)
		n += snprintf(text + n, size - (size_t)n, "+0x%llx",
		              (unsigned long long)p->name.offset);
	if (line)
		snprintf(text + n, size - (size_t)n, "  %.300s:%d", line, p->source.line);
	else if (p->name.file && !p->name.own)
		snprintf(text + n, size - (size_t)n, "  [%.300s]", path_base(p->name.file));
}

static void write_place(struct report *r, const char *label, const struct hs_diff_place *p)
{
	char place[1500], text[1600];

	describe_place(p, place, sizeof(place));
	snprintf(text, sizeof(text), "0x%llx %s", (unsigned long long)p->addr, place);
	report_text(r, NULL, label, text);
}

static void show_place(struct report *r, const char *key, const char *label,
                       const struct hs_diff_place *p)
{
	char name[40];

	if (!r->json) {
		write_place(r, label, p);
		return;
	}
	report_hex(r, key, "", p->addr);
	snprintf(name, sizeof(name), "%s_function", key);
	report_text(r, name, "", p->name.label ? p->name.label : "(no symbol)");
	snprintf(name, sizeof(name), "%s_offset", key);
	report_hex(r, name, "", p->name.offset);
	if (!p->source.file)
		return;
	snprintf(name, sizeof(name), "%s_source", key);
	report_text(r, name, "", p->source.file);
	snprintf(name, sizeof(name), "%s_line", key);
	report_u32(r, name, "", (uint32_t)p->source.line);
}

/* How a run goes on: how the last common block ended in it, and where it is then. */
static void show_side(struct report *r, const struct hs_diff_end *end, unsigned side)
{
	static const char *const ends[] = { "end_a", "end_b" }, *const nexts[] = { "next_a",
		                                                                   "next_b" };
	static const char *const labels[] = { "A", "B" }, *const then[] = { "A then", "B then" };

	if (end->ended)
		report_text(r, ends[side], labels[side], "its flow ends");
	else
		report_text(r, ends[side], labels[side],
		            end->began ? hs_itype_name(end->itype) : "its flow begins");
	if (end->has_next)
		show_place(r, nexts[side], then[side], &end->next);
}

static void show_stack(struct report *r, const struct hs_diff_parting *p)
{
	report_list(r, "stack", "call stack there, innermost first");
	for (size_t i = p->depth; i-- > 0;) {
		report_row(r);
		report_hex(r, "start", "", p->frames[i].start);
		report_text(r, "name", "", p->frames[i].name ? p->frames[i].name : "(no symbol)");
		report_library(r, p->frames[i].file, p->frames[i].own_file);
		report_row_end(r);
	}
	report_list_end(r);
}

/* Where both are again, or that they are not. */
static void describe_together(const struct hs_diff_together *t, char *text, size_t size)
{
	if (t->found)
		describe_place(&t->place, text, size);
	else
		snprintf(text, size, "not in %u blocks", HS_DIFF_BLOCKS);
}

/* What each runs on its own, and where both are then. */
static void show_together(struct report *r, const struct hs_diff_together *t)
{
	char text[60];

	report_u64(r, "only_a", "only in A", t->own[0]);
	report_u64(r, "only_b", "only in B", t->own[1]);
	if (t->found) {
		show_place(r, "together", "together again", &t->place);
	} else if (!r->json) {
		describe_together(t, text, sizeof(text));
		report_text(r, NULL, "together again", text);
	}
}

static void show_parting(struct report *r, const struct hs_diff_parting *p,
                         const struct hs_diff_together *t, uint32_t hart)
{
	if (!r->json)
		fputs("\nwhere they part\n", r->f);
	report_row(r);
	r->row = r->json;
	report_u32(r, "hart", "hart", hart);
	report_u64(r, "blocks", "blocks before", p->blocks);
	report_u64(r, "instructions", "instructions before", p->instructions);
	if (p->has_last)
		show_place(r, "last", "last in both", &p->last);
	show_side(r, &p->end[0], 0);
	show_side(r, &p->end[1], 1);
	show_together(r, t);
	if (p->has_last)
		show_stack(r, p);
	r->row = r->json;
	if (r->json)
		report_row_end(r);
}

/* The same in a line, as text. */
static void show_later(struct report *r, const struct hs_diff_parting *p,
                       const struct hs_diff_together *t)
{
	char text[1500];

	report_row(r);
	for (unsigned i = 0; i < 2; i++)
		report_u64(r, NULL, "", t->own[i]);
	describe_place(&p->last, text, sizeof(text));
	report_text(r, NULL, "", text);
	report_text(r, NULL, "", "->");
	describe_together(t, text, sizeof(text));
	report_text(r, NULL, "", text);
	report_row_end(r);
}

/* ---- harts ---------------------------------------------------------------------------- */

/* A hart of a run, at its start; NULL: the run's only one.  It is to be closed if it is not that of
 * the run. */
static enum hs_status open_hart(const struct diff_side *s, const uint32_t *hart,
                                const struct options *o, struct hs_source **source,
                                struct hs_error *e)
{
	*source = s->source;
	if (!hart)
		return hs_source_rewind(s->source, e);
	*source = NULL;
	const enum hs_status status = open_source_hart(o, s->path, *hart, source, e);

	return status == HS_OK && o->range.given ? hs_source_take_range(*source, s->source, e)
	                                         : status;
}

/* What runs before main depends on arguments and environment, which are on the stack: is it there
 * that the runs part? */
static void hint_of_main(const struct diff_side side[2], const struct options *o,
                         const struct hs_diff_parting *p)
{
	uint64_t addr;

	if (o->range.given || !p->parted ||
	    !hs_program_find_symbol(hs_source_program(side[0].source), "main", &addr))
		return;
	for (size_t i = 0; i < p->depth; i++)
		if (p->frames[i].start == addr)
			return;
	complain(
		"hint: they part outside of main, where arguments and environment matter: 'hartscope "
		"diff --from main' compares from there on");
}

/* Show place @n of a hart. */
static void show_place_of(struct report *r, const struct hs_diff_parting *p,
                          const struct hs_diff_together *t, uint32_t hart, uint64_t n)
{
	if (n == 0 || r->json) {
		show_parting(r, p, t, hart);
		return;
	}
	if (n == 1)
		report_list(r, NULL,
		            "where they part later: only in A, only in B, last in both, "
		            "together again");
	show_later(r, p, t);
}

/* Go through all places where a hart parts, and show the first ones. */
static enum hs_status show_places(struct report *r, struct hs_diff *diff,
                                  const struct diff_side side[2], uint32_t hart,
                                  const struct options *o, uint64_t top, struct diff_parted *count)
{
	struct hs_diff_together together = { .found = true };
	enum hs_status s = HS_OK;

	for (uint64_t n = 0; s == HS_OK && together.found; n++) {
		struct hs_diff_parting p;

		s = hs_diff_find_parting(diff, &p);
		if (s != HS_OK || !p.parted)
			break;
		if (n == 0) {
			count->harts++;
			hint_of_main(side, o, &p);
		}
		count->places++;
		s = hs_diff_find_together(diff, &together);
		if (s == HS_OK && (n == 0 || n < top))
			show_place_of(r, &p, &together, hart, n);
	}
	return s;
}

/* @hart: its number in each run, NULL: it does not have it.  @only: both have one hart. */
static bool compare_hart(struct report *r, struct diff_side side[2], const uint32_t *const hart[2],
                         bool only, const struct options *o, uint64_t top,
                         struct diff_parted *count)
{
	struct hs_source *source[2] = { NULL, NULL };
	struct hs_diff *diff = NULL;
	struct hs_error e = { 0 };
	enum hs_status s = HS_OK;

	for (unsigned i = 0; i < 2 && s == HS_OK; i++)
		if (hart[i])
			s = open_hart(&side[i], only ? NULL : hart[i], o, &source[i], &e);
	if (s == HS_OK)
		s = hs_diff_new(source, &diff);
	if (s == HS_OK)
		s = show_places(r, diff, side, hart[0] ? *hart[0] : *hart[1], o, top, count);
	if (s != HS_OK && e.status == HS_OK)
		hs_error_set(&e, s, "%s",
		             s == HS_E_MEMORY ? "out of memory" : "a run cannot be read");
	if (s != HS_OK)
		fail(&e);
	hs_diff_free(diff);
	for (unsigned i = 0; i < 2; i++)
		if (source[i] != side[i].source)
			hs_source_close(source[i]);
	return s == HS_OK;
}

bool diff_parting(struct report *r, struct diff_side side[2], const struct options *o, uint64_t top,
                  struct diff_parted *count)
{
	const struct harts *a = &side[0].harts, *b = &side[1].harts;
	bool good = true;

	if (r->json)
		report_list(r, "parting", NULL);
	if (a->count == 1 && b->count == 1) { /* its number means nothing */
		const uint32_t *const only[] = { a->numbers, b->numbers };

		good = compare_hart(r, side, only, true, o, top, count);
	} else {
		for (uint32_t i = 0; i < a->count && good; i++) {
			const uint32_t k = hart_index(b->numbers, b->count, a->numbers[i]);
			const uint32_t *const both[] = { &a->numbers[i],
				                         k < b->count ? &b->numbers[k] : NULL };

			good = compare_hart(r, side, both, false, o, top, count);
		}
		for (uint32_t i = 0; i < b->count && good; i++) {
			const uint32_t *const one[] = { NULL, &b->numbers[i] };

			if (hart_index(a->numbers, a->count, b->numbers[i]) == a->count)
				good = compare_hart(r, side, one, false, o, top, count);
		}
	}
	if (r->json)
		report_list_end(r);
	return good;
}
