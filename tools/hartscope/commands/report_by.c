/* hartscope report --by: lines, inlined functions, libraries, processes, threads, harts, modes. */
#include <stdlib.h>
#include <string.h>

#include "commands/report.h"

static void report_part(struct report *r, const char *key, uint64_t part, uint64_t all)
{
	char percent[32];

	snprintf(percent, sizeof(percent), "%sPercent", key);
	report_u64(r, key, "", part);
	report_real(r, percent, "", all ? 100.0 * (double)part / (double)all : 0, "%");
}

/* ---- lines ------------------------------------------------------------------------------ */

/* A source line, or a function without lines; a function, where it was inlined or not. */
struct line {
	const struct hs_counts_insn *first;
	uint64_t self;
};

static int by_source(const void *a, const void *b)
{
	const struct hs_counts_insn *x = ((const struct line *)a)->first;
	const struct hs_counts_insn *y = ((const struct line *)b)->first;

	if (!x->source != !y->source)
		return x->source ? -1 : 1;
	const int order = x->source ? strcmp(x->source, y->source) : 0;

	if (order || x->line != y->line)
		return order ? order : x->line - y->line;
	if (x->source || x->label == y->label)
		return 0;
	return (uintptr_t)x->label < (uintptr_t)y->label ? -1 : 1;
}

static int by_self(const void *a, const void *b)
{
	const struct line *x = a, *y = b;

	if (x->self != y->self)
		return x->self > y->self ? -1 : 1;
	return by_source(a, b);
}

static void show_line(struct report *r, const struct line *l, uint64_t all)
{
	const struct hs_counts_insn *i = l->first;
	const char *text =
		i->source ? hs_program_source_line(i->program, i->source, i->line) : NULL;
	char place[4200] = "(no line)";

	if (i->source)
		snprintf(place, sizeof(place), "%.4100s:%d",
		         r->json ? i->source : path_base(i->source), i->line);
	report_row(r);
	report_part(r, "self", l->self, all);
	report_text(r, "line", "", place);
	report_text(r, "function", "", i->label ? i->label : "(no symbol)");
	report_library(r, i->file, i->own_file);
	while (text && (*text == ' ' || *text == '\t'))
		text++;
	if (text)
		report_text(r, "text", "", text);
	report_row_end(r);
}

/* A function as it was written: itself, or inlined into another one. */
static int by_inlined(const void *a, const void *b)
{
	const struct hs_counts_insn *x = ((const struct line *)a)->first;
	const struct hs_counts_insn *y = ((const struct line *)b)->first;
	const char *const names[] = { x->inlined ? x->inlined : "", y->inlined ? y->inlined : "",
		                      x->label ? x->label : "", y->label ? y->label : "" };
	const int order = strcmp(names[0], names[1]);

	return order ? order : strcmp(names[2], names[3]);
}

static void show_inlined(struct report *r, const struct line *l, uint64_t all)
{
	const struct hs_counts_insn *i = l->first;
	const char *label = i->label ? i->label : "(no symbol)";
	char text[600];

	report_row(r);
	report_part(r, "self", l->self, all);
	if (r->json) {
		report_text(r, "function", "", i->inlined ? i->inlined : label);
		if (i->inlined)
			report_text(r, "inlinedInto", "", label);
	} else {
		snprintf(text, sizeof(text), i->inlined ? "%.255s, inlined into %.255s" : "%.255s",
		         i->inlined ? i->inlined : label, label);
		report_text(r, NULL, "", text);
	}
	report_library(r, i->file, i->own_file);
	report_row_end(r);
}

/* What --by makes of instructions: which of them are one row, and how that is shown. */
struct view {
	const char *key, *title;
	int (*order)(const void *a, const void *b);
	void (*show)(struct report *r, const struct line *l, uint64_t all);
};

static bool show_lines(struct report *r, const struct run *run, uint64_t top,
                       const struct view *view)
{
	const struct hs_counts_code *t = &run->code;
	struct line *lines = calloc(t->insn_count + 1, sizeof(*lines));
	size_t n = 0;

	if (!lines)
		return false;
	for (size_t i = 0; i < t->insn_count; i++)
		lines[i] = (struct line){ &t->insns[i], t->insns[i].count };
	qsort(lines, t->insn_count, sizeof(*lines), view->order);
	for (size_t i = 0; i < t->insn_count; i++) {
		if (n && view->order(&lines[n - 1], &lines[i]) == 0)
			lines[n - 1].self += lines[i].self;
		else
			lines[n++] = lines[i];
	}
	qsort(lines, n, sizeof(*lines), by_self);
	report_list(r, view->key, view->title);
	for (size_t i = 0; i < n && i < top; i++)
		view->show(r, &lines[i], run->counts.instructions);
	report_list_end(r);
	free(lines);
	return true;
}

/* ---- libraries -------------------------------------------------------------------------- */

#define UNKNOWN 0u /* number of the library that nothing names */
#define LIBRARIES 16u /* for which there is room at first */

/* A file with code: calls to it come from other files. */
struct library {
	const char *path;
	uint64_t self, total, calls;
	uint32_t open; /* frames of the path that are its */
};

struct libraries {
	struct library *rows;
	uint32_t count, room;
	bool failed;
	uint32_t *of;   /* of a function of the graph: number of its library */
	uint32_t *path; /* libraries of the frames to a node */
};

/* Room for one more. */
static bool have_library(struct libraries *l)
{
	if (l->count < l->room)
		return true;
	struct library *more = reallocarray(l->rows, 2 * (size_t)l->room, sizeof(*more));

	l->failed |= !more;
	if (!more)
		return false;
	l->rows = more;
	l->room *= 2;
	return true;
}

static uint32_t find_library(struct libraries *l, const char *path)
{
	for (uint32_t i = 1; path && i < l->count; i++)
		if (strcmp(l->rows[i].path, path) == 0)
			return i;
	if (!path || !have_library(l))
		return UNKNOWN;
	l->rows[l->count] = (struct library){ .path = path };
	return l->count++;
}

/* The library of a node; code without symbols is of that which has its address. */
static uint32_t library_of(struct libraries *l, const struct run *run, size_t node)
{
	const struct hs_call_node *n = &run->calls.nodes[node];
	const struct hs_guest_at at = { .priv = HS_PRIV_UNKNOWN };
	struct hs_guest_place place;

	if (n->name)
		return l->of[run->edges.function_of[node]];
	hs_guest_name(hs_source_known(run->source)->guest, hs_source_known(run->source)->program,
	              &at, n->start, &place);
	return find_library(l, place.file);
}

/* A node of the tree: its instructions are in its library, and in all that it called. */
static void add_node(struct libraries *l, const struct run *run, size_t node)
{
	const struct hs_call_node *n = &run->calls.nodes[node];
	const uint32_t own = library_of(l, run, node);
	const uint32_t caller = n->depth ? l->path[n->depth - 1] : UINT32_MAX;

	l->path[n->depth] = own;
	l->rows[own].calls += own == caller || n->how == HS_FRAME_FOUND ? 0 : n->calls;
	l->rows[own].total += l->rows[own].open ? 0 : n->total;
}

static void add_nodes(struct libraries *l, const struct run *run)
{
	uint32_t depth = 0;

	for (size_t i = 0; i < run->calls.count; i++) {
		while (depth > run->calls.nodes[i].depth)
			l->rows[l->path[--depth]].open--;
		add_node(l, run, i);
		l->rows[l->path[depth++]].open++;
	}
}

static int most_first(const void *a, const void *b)
{
	const struct library *x = a, *y = b;

	return (x->self < y->self) - (x->self > y->self);
}

static void print_libraries(struct report *r, struct libraries *l, const struct run *run)
{
	for (uint32_t i = 0; i < l->count; i++)
		if (l->rows[i].total < l->rows[i].self)
			l->rows[i].total = l->rows[i].self;
	qsort(l->rows, l->count, sizeof(*l->rows), most_first);
	report_list(r, "libraries", "programs and libraries: self, total, calls from others");
	for (uint32_t i = 0; i < l->count; i++) {
		const struct library *b = &l->rows[i];

		if (!b->total)
			continue;
		report_row(r);
		report_part(r, "self", b->self, run->counts.instructions);
		report_part(r, "total", b->total, run->counts.instructions);
		report_u64(r, "calls", "", b->calls);
		report_text(r, "library", "",
		            b->path ? r->json ? b->path : path_base(b->path) : "(not known)");
		report_row_end(r);
	}
	report_list_end(r);
}

static bool show_libraries(struct report *r, const struct run *run)
{
	uint32_t levels = 1;

	for (size_t i = 0; i < run->calls.count; i++)
		levels = run->calls.nodes[i].depth >= levels ? run->calls.nodes[i].depth + 1
		                                             : levels;
	struct libraries l = {
		.rows = calloc(LIBRARIES, sizeof(*l.rows)),
		.of = calloc(run->edges.function_count + 1, sizeof(*l.of)),
		.path = calloc(levels, sizeof(*l.path)),
		.count = 1,
		.room = LIBRARIES,
	};
	const bool good = l.rows && l.of && l.path;

	for (size_t i = 0; good && i < run->function_count; i++) {
		const struct hs_counts_function *f = &run->functions[i];
		const uint32_t library = find_library(&l, f->own ? f->own->file : NULL);

		l.rows[library].self += f->self;
		if (f->called)
			l.of[f->called - run->edges.functions] = library;
	}
	if (good) {
		add_nodes(&l, run);
		print_libraries(r, &l, run);
	}
	free(l.rows);
	free(l.of);
	free(l.path);
	return good && !l.failed;
}

/* ---- who ran ---------------------------------------------------------------------------- */

static void show_groups(struct report *r, const struct run *run, uint8_t by)
{
	report_list(r, "groups",
	            by == HS_PROFILE_BY_MODE   ? "modes: instructions"
	            : by == HS_PROFILE_BY_HART ? "harts: instructions"
	                                       : "who: instructions, switches to it");
	for (size_t i = 0; i < run->counts.group_count; i++) {
		const struct hs_profile_group *g = &run->counts.groups[i];
		const struct who who = { g->task, g->context, g->has_context };

		if (!g->instructions)
			continue;
		report_row(r);
		report_part(r, "self", g->instructions, run->counts.instructions);
		if (by == HS_PROFILE_BY_MODE) {
			report_text(r, "mode", "", mode_name(g->priv));
		} else if (by == HS_PROFILE_BY_HART) {
			report_u32(r, "hart", "", g->hart);
		} else {
			report_u64(r, "switches", "", g->switches);
			who_report(r, &who);
		}
		report_row_end(r);
	}
	report_list_end(r);
}

bool report_show_by(struct report *r, const struct run *run, uint8_t by, uint64_t top)
{
	static const struct view lines = { "lines", "lines: instructions, line, function",
		                           by_source, show_line };
	static const struct view inlined = { "inlined", "functions as written: instructions, name",
		                             by_inlined, show_inlined };

	if (by == BY_LINE || by == BY_INLINE)
		return show_lines(r, run, top, by == BY_LINE ? &lines : &inlined);
	if (by == BY_LIBRARY)
		return show_libraries(r, run);
	show_groups(r, run, by);
	return true;
}
