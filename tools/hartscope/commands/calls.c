/* hartscope calls: the tree of calls. */
#include <stdlib.h>

#include "common/tool.h"

struct calls_options {
	struct options shared;
	uint64_t depth; /* 0: all */
	bool flat;
};

/* clang-format off */
static const struct option_row flat_rows[] = {
	{ "--flat", 0, NULL, "a list of functions", AS_FLAG(struct calls_options, flat) },
	{ .name = NULL }
};
/* clang-format on */

static const struct usage usage = {
	.name = "calls",
	.form = "[--depth N] [--flat] [--json] [--elf FILE]... REC|FLOW|TRACE",
	.text = "Shows who called whom as a tree: instructions in a function and in what it\n"
		"called, their share, those in the function itself, how often it was called on\n"
		"this path, and its name; where the flow has times, also the time in it and in\n"
		"what it called.  With --flat a list of functions instead.\n\n"
		"Stacks are exact through tail calls, longjmp, exceptions, signals, traps and\n"
		"coroutines.  [trap] and [signal] mark handlers, which nobody called, and [?]\n"
		"functions whose caller is not in the flow.",
	.example = "  hartscope calls app.rec | less\n"
		   "  hartscope calls --depth 4 --elf app.elf app.nt",
	.often = "--elf --set --auto --depth --flat --function --from --to --hart --json",
	.options = OPTIONS(OPTIONS_TRACE, OPTIONS_GUEST, OPTIONS_VIEW, ROWS(options_cycles),
	                   ROWS_AT(options_depth, struct calls_options, depth), ROWS(flat_rows),
	                   ROWS(options_xlen), ROWS(options_jobs), ROWS(options_json),
	                   ROWS(options_quiet), ROWS(options_terminal), ROWS(options_reading)),
	.min_args = 1,
	.max_args = 1,
};

static const char *mark_of(uint8_t how)
{
	static const char *const marks[] = { [HS_FRAME_FOUND] = " [?]",
		                             [HS_FRAME_CALL] = "",
		                             [HS_FRAME_TRAP] = " [trap]",
		                             [HS_FRAME_SIGNAL] = " [signal]",
		                             [HS_FRAME_START] = "" };

	return marks[how];
}

static void show_name(struct report *r, const struct hs_call_node *n)
{
	static const char *const kinds[] = { [HS_FRAME_FOUND] = "found",
		                             [HS_FRAME_CALL] = "call",
		                             [HS_FRAME_TRAP] = "trap",
		                             [HS_FRAME_SIGNAL] = "signal",
		                             [HS_FRAME_START] = "start" };
	const char *name = n->name ? n->name : "(no symbol)";
	char text[640];

	if (r->json) {
		report_text(r, "name", "", name);
		report_hex(r, "start", "", n->start);
		report_u32(r, "depth", "", n->depth);
		report_text(r, "how", "", kinds[n->how]);
		report_library(r, n->file, n->own_file);
		return;
	}
	snprintf(text, sizeof(text), "%*s%.500s%s", 2 * (int)(n->depth < 40 ? n->depth : 40), "",
	         name, mark_of(n->how));
	report_text(r, NULL, "", text);
	report_library(r, n->file, n->own_file);
}

static void show_node(struct report *r, const struct hs_call_node *n,
                      const struct hs_call_tree_result *t)
{
	const uint64_t instructions = t->instructions;

	report_row(r);
	report_u64(r, "total", "", n->total);
	report_real(r, "percent", "",
	            instructions ? 100.0 * (double)n->total / (double)instructions : 0, "%");
	report_u64(r, "self", "", n->self);
	report_u64(r, "calls", "", n->calls);
	if (t->time) {
		report_u64(r, "totalTime", "", n->total_time);
		report_u64(r, "selfTime", "", n->self_time);
	}
	show_name(r, n);
	report_row_end(r);
}

static int by_total(const void *a, const void *b)
{
	const struct hs_call_node *x = a, *y = b;

	if (x->total != y->total)
		return x->total > y->total ? -1 : 1;
	return (x->start > y->start) - (x->start < y->start);
}

/* --flat: each function as an outermost one.  False: no memory. */
static bool show_functions(struct report *r, struct hs_counts *counts,
                           const struct hs_call_tree_result *t)
{
	struct hs_call_graph_result g = { .function_count = 0 };
	struct hs_call_node *rows = NULL;

	if (hs_counts_get_graph(counts, &g) == HS_OK)
		rows = calloc(g.function_count + 1, sizeof(*rows));
	for (size_t i = 0; rows && i < g.function_count; i++) {
		const struct hs_call_function *f = &g.functions[i];

		rows[i] = (struct hs_call_node){ .name = f->name,
			                         .file = f->file,
			                         .own_file = f->own_file,
			                         .start = f->start,
			                         .calls = f->calls,
			                         .self = f->self,
			                         .total = f->total,
			                         .self_time = f->self_time,
			                         .total_time = f->total_time,
			                         .parent = UINT32_MAX,
			                         .how = HS_FRAME_CALL };
	}
	if (rows)
		qsort(rows, g.function_count, sizeof(*rows), by_total);
	for (size_t i = 0; rows && i < g.function_count; i++)
		show_node(r, &rows[i], t);
	const bool good = rows != NULL;

	free(rows);
	return good;
}

static int show(struct hs_counts *counts, const struct calls_options *own)
{
	const struct options *o = &own->shared;
	struct hs_call_tree_result t;
	struct report r;

	if (hs_counts_get_tree(counts, &t) != HS_OK) {
		complain("out of memory");
		return EXIT_USAGE;
	}
	report_begin(&r, stdout, o->json);
	report_u64(&r, "instructions", "instructions", t.instructions);
	if (t.unsure || r.json)
		report_u64(&r, "unsure", "on a stack that is not sure", t.unsure);
	bool good = true;

	if (t.time)
		report_u64(&r, "time", "time", t.time);
	report_list(&r, "calls",
	            t.time ? "calls: instructions, share, in itself, calls, time, in itself"
	                   : "calls: instructions, share, in itself, calls");
	for (size_t i = 0; i < t.count && !own->flat; i++)
		if (!own->depth || t.nodes[i].depth < own->depth)
			show_node(&r, &t.nodes[i], &t);
	if (own->flat)
		good = show_functions(&r, counts, &t);
	report_list_end(&r);
	report_end(&r);
	note_calls(&t);
	if (!good)
		complain("out of memory");
	return good ? EXIT_GOOD : EXIT_USAGE;
}

static int count(void *own, struct hs_source *source, const struct options *o,
                 struct damage *damage)
{
	const struct hs_counts_options co = { .size = sizeof(co),
		                              .what = HS_COUNTS_TREE,
		                              .source = source };
	const struct block_look look = { "counting", o->quiet, true, damage };
	struct hs_counts *counts = NULL;
	int status = EXIT_USAGE;

	if (hs_counts_new(&co, &counts) == HS_OK && count_source(&look, source, counts) == HS_OK)
		status = nothing_to_show(damage, o->json) ? EXIT_FINDINGS : show(counts, own);
	else
		complain("out of memory");
	hs_counts_free(counts);
	return status;
}

int cmd_calls(int argc, char **argv)
{
	struct calls_options own = { .depth = 0 };
	struct options *o = &own.shared;
	int status;

	if (!options_parse(&usage, argc, argv, o, &status))
		return status;
	return with_source(o, count, &own);
}
