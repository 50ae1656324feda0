/* A coverage for other tools: lcov's tracefile, gcov's JSON, and the table of formats. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include <hartscope/status.h>

#include "counts/coverage_private.h"
#include "counts/export.h"

static struct coverage_part branches_of(const struct hs_coverage_result *r, size_t file,
                                        size_t from)
{
	struct coverage_part p = { from, from };

	while (p.end < r->branch_count && r->branches[p.end].file == file)
		p.end++;
	return p;
}

static struct coverage_part functions_of(const struct hs_coverage_result *r, size_t file,
                                         size_t from)
{
	struct coverage_part p = { from, from };

	while (p.end < r->function_count && r->functions[p.end].file == file)
		p.end++;
	return p;
}

/* ---- lcov ------------------------------------------------------------------------------- */

/* What the compiler adds to a symbol for another copy of a function, or for a part of it. */
static const struct clone {
	const char *suffix;
	bool part; /* the function comes to it, no caller does */
} clones[] = {
	{ ".constprop.", false },
	{ ".isra.", false },
	{ ".part.", true },
	{ ".cold", true },
};

/* The bytes of a symbol without these. */
static size_t own_length(const char *symbol, bool *part)
{
	size_t length = strlen(symbol);

	for (size_t i = 0; i < sizeof(clones) / sizeof(*clones); i++) {
		const char *at = strstr(symbol, clones[i].suffix);

		if (!at)
			continue;
		*part |= clones[i].part;
		length = (size_t)(at - symbol) < length ? (size_t)(at - symbol) : length;
	}
	return length;
}

void coverage_put_own(struct support_out *o, support_out_writer *write, const char *symbol)
{
	const char *clone = strstr(symbol, " [clone "); /* of C++, for people */
	const size_t n = clone ? (size_t)(clone - symbol) : own_length(symbol, &(bool){ false });
	char *own = strndup(symbol, n);

	if (own)
		support_out_as(o, write, own);
	else
		o->status = HS_E_MEMORY;
	free(own);
}

static bool is_copy(const struct hs_coverage_function *a, const struct hs_coverage_function *b)
{
	bool part;
	const size_t n = own_length(a->symbol, &part);

	return a->line == b->line && own_length(b->symbol, &part) == n &&
	       memcmp(a->symbol, b->symbol, n) == 0;
}

static void add_copy(struct coverage_merged *m, const struct hs_coverage_function *f)
{
	bool part = false;

	own_length(f->symbol, &part);
	m->entries += part ? 0 : f->entries;
	m->blocks += f->blocks;
	m->blocks_executed += f->blocks_executed;
	m->last_line = f->last_line > m->last_line ? f->last_line : m->last_line;
	m->whole |= !part;
}

bool coverage_merge(const struct hs_coverage_result *r, struct coverage_part p, size_t i,
                    struct coverage_merged *m)
{
	const struct hs_coverage_function *f = &r->functions[i];

	for (size_t k = i; k > p.first && r->functions[k - 1].line == f->line; k--)
		if (is_copy(f, &r->functions[k - 1]))
			return false;
	*m = (struct coverage_merged){ .whole = false };
	for (size_t k = i; k < p.end && r->functions[k].line == f->line; k++)
		if (is_copy(f, &r->functions[k]))
			add_copy(m, &r->functions[k]);
	return m->whole;
}

/* As hs_text_escape(), without the format's separator. */
static size_t lcov_name(char *to, size_t room, const char *name)
{
	const size_t n = hs_text_escape(to, room, name);

	for (char *at = to; (at = strchr(at, ','));)
		*at = '_';
	return n;
}

static void lcov_functions(struct support_out *o, const struct hs_coverage_result *r,
                           struct coverage_part p)
{
	size_t found = 0, hit = 0;
	struct coverage_merged m;

	for (size_t i = p.first; i < p.end; i++) {
		if (!coverage_merge(r, p, i, &m))
			continue;
		support_out_print(o, "FN:%d,", r->functions[i].line);
		coverage_put_own(o, lcov_name, r->functions[i].symbol);
		support_out_print(o, "\nFNDA:%" PRIu64 ",", m.entries);
		coverage_put_own(o, lcov_name, r->functions[i].symbol);
		support_out_text(o, "\n");
		found++;
		hit += m.entries != 0;
	}
	support_out_print(o, "FNF:%zu\nFNH:%zu\n", found, hit);
}

/* Was the branch executed? */
static bool is_seen(const struct hs_coverage_branch *b)
{
	return b->taken || b->not_taken;
}

static void lcov_direction(struct support_out *o, const struct hs_coverage_branch *b, size_t number,
                           unsigned direction)
{
	const uint64_t count = direction ? b->taken : b->not_taken;

	if (is_seen(b))
		support_out_print(o, "BRDA:%d,%zu,%u,%" PRIu64 "\n", b->line, number, direction,
		                  count);
	else
		support_out_print(o, "BRDA:%d,%zu,%u,-\n", b->line, number, direction);
}

static void lcov_branches(struct support_out *o, const struct hs_coverage_result *r,
                          struct coverage_part p)
{
	size_t hit = 0, number = 0;

	for (size_t i = p.first; i < p.end; i++) {
		const struct hs_coverage_branch *b = &r->branches[i];

		number = i > p.first && b[-1].line == b->line ? number + 1 : 0;
		lcov_direction(o, b, number, 0);
		lcov_direction(o, b, number, 1);
		hit += (b->taken != 0) + (b->not_taken != 0);
	}
	support_out_print(o, "BRF:%zu\nBRH:%zu\n", 2 * (p.end - p.first), hit);
}

static void lcov_file(struct support_out *o, const struct hs_coverage_result *r, size_t file,
                      const struct coverage_part *functions, const struct coverage_part *branches)
{
	const struct hs_coverage_file *f = &r->files[file];
	char path[4096];

	hs_text_escape(path, sizeof(path), f->path);
	support_out_print(o, "TN:\nSF:%s\n", path);
	lcov_functions(o, r, *functions);
	lcov_branches(o, r, *branches);
	for (size_t i = f->first_line; i < f->first_line + f->line_count; i++)
		support_out_print(o, "DA:%d,%" PRIu64 "\n", r->lines[i].line, r->lines[i].count);
	support_out_print(o, "LF:%zu\nLH:%zu\nend_of_record\n", f->line_count, f->lines_executed);
}

/* ---- gcov JSON -------------------------------------------------------------------------- */

static void json_functions(struct support_out *o, const struct hs_coverage_result *r,
                           struct coverage_part p)
{
	const char *separator = "";
	struct coverage_merged m;

	for (size_t i = p.first; i < p.end; i++) {
		if (!coverage_merge(r, p, i, &m))
			continue;
		support_out_print(o, "%s\n{\"name\": ", separator);
		coverage_put_own(o, hs_json_string, r->functions[i].symbol);
		support_out_text(o, ", \"demangled_name\": ");
		coverage_put_own(o, hs_json_string, r->functions[i].name);
		support_out_print(o,
		                  ", \"start_line\": %d, \"start_column\": 1, \"end_line\": %d, "
		                  "\"end_column\": 1,",
		                  r->functions[i].line, m.last_line);
		support_out_print(
			o,
			" \"blocks\": %zu, \"blocks_executed\": %zu, \"execution_count\": %" PRIu64
			"}",
			m.blocks, m.blocks_executed, m.entries);
		separator = ",";
	}
}

/* The two arcs of a branch: on to the next instruction, and to its target. */
static void json_branch(struct support_out *o, const struct hs_coverage_branch *b, bool first)
{
	support_out_print(o,
	                  "%s{\"count\": %" PRIu64 ", \"throw\": false, \"fallthrough\": true}, "
	                  "{\"count\": %" PRIu64 ", \"throw\": false, \"fallthrough\": false}",
	                  first ? "" : ", ", b->not_taken, b->taken);
}

static void json_lines(struct support_out *o, const struct hs_coverage_result *r, size_t file,
                       struct coverage_part branches)
{
	const struct hs_coverage_file *f = &r->files[file];
	size_t b = branches.first;

	for (size_t i = f->first_line; i < f->first_line + f->line_count; i++) {
		const struct hs_coverage_line *l = &r->lines[i];
		const size_t first = b;

		support_out_print(o, "%s\n{\"line_number\": %d, \"function_name\": ",
		                  i > f->first_line ? "," : "", l->line);
		coverage_put_own(o, hs_json_string, r->functions[l->function].symbol);
		support_out_print(
			o, ", \"count\": %" PRIu64 ", \"unexecuted_block\": %s, \"branches\": [",
			l->count, l->partial ? "true" : "false");
		for (; b < branches.end && r->branches[b].line == l->line; b++)
			json_branch(o, &r->branches[b], b == first);
		support_out_print(o, "]}");
	}
}

static void json_file(struct support_out *o, const struct hs_coverage_result *r, size_t file,
                      const struct coverage_part *functions, const struct coverage_part *branches)
{
	char path[4096];

	hs_json_string(path, sizeof(path), r->files[file].path);
	support_out_print(o, "%s\n{\"file\": %s, \"functions\": [", file ? "," : "", path);
	json_functions(o, r, *functions);
	support_out_print(o, "], \"lines\": [");
	json_lines(o, r, file, *branches);
	support_out_print(o, "]}");
}

/* ---- formats ---------------------------------------------------------------------------- */

static void json_begin(struct support_out *o, const struct hs_coverage_result *r)
{
	(void)r;
	support_out_text(
		o, "{\"format_version\": \"1\", \"gcc_version\": \"hartscope " HS_VERSION_STRING
		   "\", \"current_working_directory\": \"\", "
		   "\"data_file\": \"\", \"files\": [");
}

static const struct format {
	const char *name;
	void (*begin)(struct support_out *o, const struct hs_coverage_result *r); /* or NULL */
	void (*file)(struct support_out *o, const struct hs_coverage_result *r, size_t file,
	             const struct coverage_part *functions, const struct coverage_part *branches);
	const char *end;
} formats[] = {
	{ "lcov", NULL, lcov_file, "" },
	{ "gcov-json", json_begin, json_file, "]}\n" },
	{ "cobertura", coverage_cobertura_begin, coverage_cobertura_file,
	  "</packages>\n</coverage>\n" },
};

const char *hs_coverage_formats(void)
{
	return "lcov gcov-json cobertura";
}

enum hs_status hs_coverage_export(const struct hs_coverage_result *r, const char *format,
                                  hs_write_fn write, void *context)
{
	struct coverage_part functions = { 0, 0 }, branches = { 0, 0 };
	const struct format *f = formats;
	struct support_out o;

	while (f < formats + sizeof(formats) / sizeof(*formats) && strcmp(f->name, format) != 0)
		f++;
	if (f == formats + sizeof(formats) / sizeof(*formats))
		return HS_E_ARG;
	if (support_out_open(&o, write, context) != HS_OK)
		return HS_E_MEMORY;
	if (f->begin)
		f->begin(&o, r);
	for (size_t i = 0; i < r->file_count; i++) {
		functions = functions_of(r, i, functions.end);
		branches = branches_of(r, i, branches.end);
		f->file(&o, r, i, &functions, &branches);
	}
	support_out_print(&o, "%s", f->end);
	const enum hs_status s = support_out_flush(&o);

	support_out_free(&o);
	return s;
}
