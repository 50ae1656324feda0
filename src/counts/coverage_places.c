/* Lines of a function's instructions, and where its statements begin. */
#include <stdlib.h>

#include "counts/coverage_private.h"
#include "program/line_at.h"

/* What is looked for among the rows of a function. */
struct rows {
	bool together; /* an address has several of them */
	bool unmarked; /* one of them begins no statement */
};

/* @v, or where it was moved to, with room for one more than @n of @size bytes; NULL: no memory. */
static void *make_room(void *v, uint32_t n, uint32_t *room, size_t size)
{
	const uint32_t more = 2 * n + 16;

	if (n < *room)
		return v;
	v = reallocarray(v, more, size);
	*room = v ? more : n;
	return v;
}

static bool add_mark(struct coverage_graph *g, const struct coverage_mark *mark)
{
	struct coverage_mark *v = make_room(g->marks, g->mark_count, &g->mark_room, sizeof(*v));

	if (!v)
		return false;
	g->marks = v;
	v[g->mark_count++] = *mark;
	return true;
}

/* The statements that begin before an instruction. */
static bool read_rows(struct hs_coverage *c, struct hs_program *program, struct coverage_graph *g,
                      uint32_t insn, struct rows *r)
{
	const uint64_t addr = g->insns[insn].addr;
	const size_t first = program_rows_at(program, addr);
	struct program_line line;

	for (size_t i = first; program_row(program, i, addr, &line); i++) {
		if (line.line <= 0)
			continue;
		r->together |= i > first;
		r->unmarked |= !line.begins;
		if (!line.begins)
			continue;
		const struct coverage_mark mark = { .insn = insn,
			                            .file = coverage_file_number(c, line.file),
			                            .line = line.line,
			                            .column = line.column };

		if (mark.file == COVERAGE_NONE || !add_mark(g, &mark))
			return false;
	}
	return true;
}

/* Compilers that say where each statement begins, also where nothing is left of it, give one
 * address several rows; what is in between does not begin a statement.  Else marks say no more
 * than rows. */
static void judge_marks(struct coverage_graph *g, const struct rows *r)
{
	if (r->together && r->unmarked && g->mark_count)
		return;
	free(g->marks);
	g->marks = NULL;
	g->mark_count = g->mark_room = 0;
}

static bool add_call(struct coverage_graph *g, const struct coverage_call *call)
{
	struct coverage_call *v = make_room(g->calls, g->call_count, &g->call_room, sizeof(*v));

	if (!v)
		return false;
	g->calls = v;
	v[g->call_count++] = *call;
	return true;
}

/* The lines whose calls were inlined, and their instructions.  A line that has no other instruction
 * is in no file that has a number. */
static bool find_calls(struct hs_coverage *c, struct hs_program *program, struct coverage_graph *g)
{
	for (uint32_t i = 0; i < g->insn_count && !g->marks; i++) {
		size_t n;
		const struct hs_program_inlined *v =
			program_inlined_at(program, g->insns[i].addr, &n);

		for (size_t k = 0; k < n; k++) {
			struct coverage_call call = { .insn = i, .line = v[k].line };

			if (!v[k].file || v[k].line <= 0)
				continue;
			call.file = coverage_find_file(c, v[k].file);
			if (call.file != COVERAGE_NONE && !add_call(g, &call))
				return false;
		}
	}
	return true;
}

/* A function begins with a row for the place of its brace, or of its name.  What has no other row
 * is what it does before its first statement: it belongs to the line where it is declared. */
static void move_start(struct hs_program *program, struct coverage_graph *g)
{
	const size_t first = program_rows_at(program, g->insns[0].addr);
	struct program_line line;

	if (g->marks && g->marks[0].insn == 0) {
		g->marks[0].file = g->file;
		g->marks[0].line = g->line;
	}
	if (!program_row(program, first, g->insns[0].addr, &line) ||
	    program_row(program, first + 1, g->insns[0].addr, &line))
		return;
	for (uint32_t i = 0; i < g->insn_count; i++) {
		if (i && program_row(program, first + 1, g->insns[i].addr, &line))
			return;
		g->insns[i].file = g->file;
		g->insns[i].line = g->line;
	}
}

/* Where the function is declared. */
static bool find_start(struct hs_coverage *c, struct hs_program *program, struct coverage_graph *g)
{
	struct program_line declared;

	g->file = g->insns[0].file;
	g->line = g->insns[0].line;
	if (!g->line || !program_declared_at(program, g->insns[0].addr, &declared))
		return true;
	g->file = coverage_file_number(c, declared.file);
	g->line = declared.line;
	if (g->file == COVERAGE_NONE)
		return false;
	move_start(program, g);
	return true;
}

bool coverage_find_lines(struct hs_coverage *c, struct hs_program *program,
                         struct coverage_graph *g)
{
	struct rows r = { .together = false };

	for (uint32_t i = 0; i < g->insn_count; i++) {
		struct program_line line;

		if (!program_line_at(program, g->insns[i].addr, &line))
			continue;
		g->insns[i].file = coverage_file_number(c, line.file);
		g->insns[i].line = line.line;
		if (g->insns[i].file == COVERAGE_NONE || !read_rows(c, program, g, i, &r))
			return false;
	}
	judge_marks(g, &r);
	return find_calls(c, program, g) && find_start(c, program, g);
}
