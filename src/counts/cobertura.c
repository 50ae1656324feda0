/* A coverage as Cobertura's XML (coverage-04.dtd), which servers of continuous integration read: a
 * package for each source file, with a class that has its lines.
 *
 * A line's conditions are the directions of the conditional branches on it. */
#include <limits.h>
#include <string.h>

#include <hartscope/status.h>

#include "counts/export.h"

typedef unsigned long long ull; /* for printf */

/* As hs_text_escape(), in an attribute. */
static size_t xml_text(char *to, size_t room, const char *text)
{
	char plain[4096];
	size_t n = 0;

	hs_text_escape(plain, sizeof(plain), text);
	for (const char *at = plain; *at; at++) {
		const char *entity = *at == '&'   ? "&amp;"
		                     : *at == '<' ? "&lt;"
		                     : *at == '>' ? "&gt;"
		                     : *at == '"' ? "&quot;"
		                                  : NULL;
		const size_t length = entity ? strlen(entity) : 1;

		if (n + length < room)
			memcpy(to + n, entity ? entity : at, length);
		n += length;
	}
	if (room)
		to[n < room ? n : room - 1] = '\0';
	return n;
}

static double rate(size_t part, size_t whole)
{
	return whole ? (double)part / (double)whole : 1;
}

/* Directions of branches that were seen. */
static size_t seen(const struct hs_coverage_branch *b, size_t n)
{
	size_t sum = 0;

	for (size_t i = 0; i < n; i++)
		sum += (b[i].taken != 0) + (b[i].not_taken != 0);
	return sum;
}

void coverage_cobertura_begin(struct support_out *o, const struct hs_coverage_result *r)
{
	const size_t both = seen(r->branches, r->branch_count);
	size_t executed = 0;

	for (size_t i = 0; i < r->line_count; i++)
		executed += r->lines[i].count != 0;
	support_out_print(o,
	                  "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
	                  "<!DOCTYPE coverage SYSTEM "
	                  "\"http://cobertura.sourceforge.net/xml/coverage-04.dtd\">\n"
	                  "<coverage line-rate=\"%.4f\" branch-rate=\"%.4f\" "
	                  "lines-covered=\"%zu\" lines-valid=\"%zu\" branches-covered=\"%zu\" "
	                  "branches-valid=\"%zu\" complexity=\"0\" version=\"hartscope %s\" "
	                  "timestamp=\"0\">\n<sources>\n<source>/</source>\n</sources>\n"
	                  "<packages>\n",
	                  rate(executed, r->line_count), rate(both, 2 * r->branch_count), executed,
	                  r->line_count, both, 2 * r->branch_count, HS_VERSION_STRING);
}

/* A line with the branches on it. */
static void put_line(struct support_out *o, const struct hs_coverage_line *l,
                     const struct hs_coverage_branch *b, size_t n)
{
	const size_t both = seen(b, n);

	support_out_print(o, "<line number=\"%d\" hits=\"%llu\"", l->line, (ull)l->count);
	if (n)
		support_out_print(o, " branch=\"true\" condition-coverage=\"%.0f%% (%zu/%zu)\"/>\n",
		                  100 * rate(both, 2 * n), both, 2 * n);
	else
		support_out_text(o, " branch=\"false\"/>\n");
}

/* The first of the lines @at to @end - 1 that has number @line or a higher one; @end: none. */
static size_t find_line(const struct hs_coverage_result *r, size_t at, size_t end, int line)
{
	while (at < end) {
		const size_t middle = at + (end - at) / 2;

		if (r->lines[middle].line < line)
			at = middle + 1;
		else
			end = middle;
	}
	return at;
}

/* The same of branches: the first one on a higher line than @line. */
static size_t find_branch(const struct hs_coverage_result *r, size_t at, size_t end, int line)
{
	while (at < end) {
		const size_t middle = at + (end - at) / 2;

		if (r->branches[middle].line <= line)
			at = middle + 1;
		else
			end = middle;
	}
	return at;
}

/* The lines of a file from number @first to @last, with the branches on them. */
static void put_lines(struct support_out *o, const struct hs_coverage_result *r, size_t file,
                      const struct coverage_part *branches, int first, int last)
{
	const struct hs_coverage_file *f = &r->files[file];
	const size_t end = f->first_line + f->line_count;
	size_t i = find_line(r, f->first_line, end, first);
	size_t b = branches->first;

	if (i > f->first_line)
		b = find_branch(r, b, branches->end, r->lines[i - 1].line);
	support_out_text(o, "<lines>\n");
	for (; i < end && r->lines[i].line <= last; i++) {
		const size_t from = b;

		b = find_branch(r, b, branches->end, r->lines[i].line);
		put_line(o, &r->lines[i], &r->branches[from], b - from);
	}
	support_out_text(o, "</lines>\n");
}

static void put_methods(struct support_out *o, const struct hs_coverage_result *r, size_t file,
                        const struct coverage_part *functions, const struct coverage_part *branches)
{
	struct coverage_merged m;

	support_out_text(o, "<methods>\n");
	for (size_t i = functions->first; i < functions->end; i++) {
		const struct hs_coverage_function *f = &r->functions[i];

		if (!coverage_merge(r, *functions, i, &m))
			continue;
		support_out_text(o, "<method name=\"");
		coverage_put_own(o, xml_text, f->name);
		support_out_print(o,
		                  "\" signature=\"\" line-rate=\"%.4f\" branch-rate=\"%.4f\" "
		                  "complexity=\"0\">\n",
		                  rate(f->instructions_executed, f->instructions),
		                  rate(f->branches_both, f->branches));
		put_lines(o, r, file, branches, f->line, m.last_line);
		support_out_text(o, "</method>\n");
	}
	support_out_text(o, "</methods>\n");
}

void coverage_cobertura_file(struct support_out *o, const struct hs_coverage_result *r, size_t file,
                             const struct coverage_part *functions,
                             const struct coverage_part *branches)
{
	const struct hs_coverage_file *f = &r->files[file];
	const size_t n = branches->end - branches->first;
	const double lines = rate(f->lines_executed, f->line_count);
	const double both = rate(seen(&r->branches[branches->first], n), 2 * n);

	support_out_text(o, "<package name=\"");
	support_out_as(o, xml_text, f->path);
	support_out_print(o,
	                  "\" line-rate=\"%.4f\" branch-rate=\"%.4f\" complexity=\"0\">\n"
	                  "<classes>\n<class name=\"",
	                  lines, both);
	support_out_as(o, xml_text, f->path);
	support_out_text(o, "\" filename=\"");
	support_out_as(o, xml_text, f->path[0] == '/' ? f->path + 1 : f->path);
	support_out_print(o, "\" line-rate=\"%.4f\" branch-rate=\"%.4f\" complexity=\"0\">\n",
	                  lines, both);
	put_methods(o, r, file, functions, branches);
	put_lines(o, r, file, branches, 0, INT_MAX);
	support_out_text(o, "</class>\n</classes>\n</package>\n");
}
