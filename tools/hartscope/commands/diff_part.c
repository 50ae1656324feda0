/* hartscope diff: where two runs part. */
#include <stdlib.h>
#include <string.h>

#include <hartscope/compare.h>

#include "commands/diff.h"

/* ---- what is shown ------------------------------------------------------------------- */

/* "FUNCTION+OFFSET  FILE:LINE", or "(no symbol)  [LIBRARY]" */
static void describe_place(const struct report *r, const struct hs_diff_place *p, char *text,
                           size_t size)
{
	const char *line = p->source.file ? path_base(p->source.file) : NULL;
	char name[NAME_SHOWN];
	int n = snprintf(text, size, "%.1000s", name_in_text(r, p->name.label, name));

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

	describe_place(r, p, place, sizeof(place));
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
static void describe_together(const struct report *r, const struct hs_diff_together *t, char *text,
                              size_t size)
{
	if (t->found)
		describe_place(r, &t->place, text, size);
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
		describe_together(r, t, text, sizeof(text));
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
	describe_place(r, &p->last, text, sizeof(text));
	report_text(r, NULL, "", text);
	report_text(r, NULL, "", "->");
	describe_together(r, t, text, sizeof(text));
	report_text(r, NULL, "", text);
	report_row_end(r);
}

/* ---- harts ---------------------------------------------------------------------------- */

static void show_place_of(struct report *r, const struct hs_diff_found *f)
{
	if (f->place == 0 || r->json) {
		show_parting(r, &f->parting, &f->together, f->hart);
		return;
	}
	if (f->place == 1)
		report_list(r, NULL,
		            "where they part later: only in A, only in B, last in both, "
		            "together again");
	show_later(r, &f->parting, &f->together);
}

bool diff_parting(struct report *r, struct diff_side side[2], uint64_t top,
                  struct diff_parted *count)
{
	struct hs_diff_found found;
	struct hs_diff *diff = NULL;
	struct hs_error e = { 0 };
	enum hs_status s = hs_diff_new(side[0].source, side[1].source, &diff, &e);

	if (r->json)
		report_list(r, "parting", NULL);
	while (s == HS_OK) {
		s = hs_diff_next(diff, &found, &e);
		if (s != HS_OK)
			break;
		count->places++;
		count->harts += !found.place;
		if (!found.place || found.place < top)
			show_place_of(r, &found);
	}
	if (s != HS_END)
		fail(&e);
	hs_diff_free(diff);
	if (r->json)
		report_list_end(r);
	return s == HS_END;
}
