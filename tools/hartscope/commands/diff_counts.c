/* hartscope diff: functions and branches by how often they ran. */
#include <stdlib.h>

#include <hartscope/compare.h>

#include "commands/diff.h"

/* A kind of rows: how those of a run are read, and one is shown. */
struct kind {
	const char *key, *title;
	const char *columns[2][2]; /* keys of the counts, by run */
	size_t (*count)(const struct diff_side *side);
	/* False: the entry is not of this kind. */
	bool (*fill)(const struct diff_side *side, size_t i, struct hs_diff_row *row, unsigned run);
	void (*show)(struct report *r, const struct hs_diff_row *row);
};

static const void *any_of(const struct hs_diff_row *row)
{
	return row->of[0] ? row->of[0] : row->of[1];
}

static const char *label_of(const struct hs_diff_row *row)
{
	return row->label ? row->label : "(no symbol)";
}

/* ---- functions -------------------------------------------------------------------- */

static size_t count_functions(const struct diff_side *side)
{
	return side->run.function_count;
}

static bool fill_function(const struct diff_side *side, size_t i, struct hs_diff_row *row,
                          unsigned run)
{
	const struct hs_counts_function *f = &side->run.functions[i];

	row->label = f->name;
	row->file = f->own && !f->own->own_file ? f->own->file : NULL;
	row->count[run][0] = f->self;
	row->count[run][1] = f->calls;
	row->of[run] = f;
	return true;
}

static void show_function(struct report *r, const struct hs_diff_row *row)
{
	const struct hs_counts_function *a = row->of[0], *b = row->of[1];
	const struct hs_profile_function *own = a && a->own ? a->own : b ? b->own : NULL;

	report_text(r, "name", "", label_of(row));
	report_library(r, own ? own->file : NULL, own ? own->own_file : true);
}

/* ---- branches --------------------------------------------------------------------- */

static size_t count_insns(const struct diff_side *side)
{
	return side->run.code.insn_count;
}

static bool fill_branch(const struct diff_side *side, size_t i, struct hs_diff_row *row,
                        unsigned run)
{
	const struct hs_counts_insn *insn = &side->run.code.insns[i];

	row->label = insn->label;
	row->file = insn->own_file ? NULL : insn->file;
	row->offset = insn->label ? insn->addr - insn->start : insn->addr;
	row->count[run][0] = insn->taken;
	row->count[run][1] = insn->not_taken;
	row->of[run] = insn;
	return insn->kind == HS_INSN_BRANCH;
}

static void show_branch(struct report *r, const struct hs_diff_row *row)
{
	const struct hs_counts_insn *any = any_of(row);
	char text[1200], name[NAME_SHOWN];

	if (r->json) {
		static const char *const keys[] = { "address_a", "address_b" };

		for (unsigned run = 0; run < 2; run++)
			if (row->of[run])
				report_hex(r, keys[run], "",
				           ((const struct hs_counts_insn *)row->of[run])->addr);
		report_text(r, "function", "", label_of(row));
		report_hex(r, "offset", "", row->offset);
	} else {
		snprintf(text, sizeof(text), "%.1000s+0x%llx", name_in_text(r, label_of(row), name),
		         (unsigned long long)row->offset);
		report_text(r, NULL, "", text);
	}
	report_library(r, any->file, any->own_file);
	if (any->source && r->json) {
		report_text(r, "source", "", any->source);
		report_u32(r, "line", "", (uint32_t)any->line);
	} else if (any->source) {
		snprintf(text, sizeof(text), "%.1000s:%d", path_base(any->source), any->line);
		report_text(r, NULL, "", text);
	}
}

/* ---- both ------------------------------------------------------------------------- */

static const struct kind kinds[] = {
	[DIFF_FUNCTIONS] = { "functions",
	                     "functions that differ: instructions of A, of B, calls of A, of B",
	                     { { "instructions_a", "calls_a" }, { "instructions_b", "calls_b" } },
	                     count_functions,
	                     fill_function,
	                     show_function },
	[DIFF_BRANCHES] = { "branches",
	                    "branches that differ: taken in A, in B, not taken in A, in B",
	                    { { "taken_a", "not_taken_a" }, { "taken_b", "not_taken_b" } },
	                    count_insns,
	                    fill_branch,
	                    show_branch },
};

static void show_row(struct report *r, const struct kind *k, const struct hs_diff_row *row)
{
	report_row(r);
	for (unsigned what = 0; what < 2; what++)
		for (unsigned run = 0; run < 2; run++)
			report_u64(r, k->columns[run][what], "", row->count[run][what]);
	k->show(r, row);
	report_row_end(r);
}

bool diff_counts(struct report *r, const struct diff_side side[2], enum diff_kind kind,
                 uint64_t top, uint64_t *count)
{
	const struct kind *k = &kinds[kind];
	const size_t room = k->count(&side[0]) + k->count(&side[1]);
	struct hs_diff_row *v = calloc(room + 1, sizeof(*v));
	size_t n = 0;

	if (!v) {
		complain("out of memory");
		return false;
	}
	for (unsigned run = 0; run < 2; run++)
		for (size_t i = 0; i < k->count(&side[run]); i++) {
			v[n] = (struct hs_diff_row){ .label = NULL };
			n += k->fill(&side[run], i, &v[n], run);
		}
	n = hs_diff_join(v, n);
	*count = n;
	if (n || r->json)
		report_list(r, k->key, k->title);
	for (size_t i = 0; i < n && i < top; i++)
		show_row(r, k, &v[i]);
	if (n || r->json)
		report_list_end(r);
	free(v);
	return true;
}
