/* The result of a coverage: functions, their lines and branches, in their order. */
#include <stdlib.h>
#include <string.h>

#include "counts/coverage_private.h"
#include "program/line_at.h"
#include "program/program.h"

/* ---- files ------------------------------------------------------------------------------ */

static bool same_path(const void *item, const void *key)
{
	return strcmp(((const struct coverage_file *)item)->file.path, key) == 0;
}

static uint32_t hash_of_path(const char *path)
{
	uint64_t sum = 0;

	for (const char *at = path; *at; at++)
		sum = sum * 31 + (unsigned char)*at;
	return support_hash_of(sum, 0);
}

uint32_t coverage_find_file(const struct hs_coverage *c, const char *path)
{
	const struct coverage_file *known =
		support_hash_find(&c->files, hash_of_path(path), same_path, path);

	return known ? (uint32_t)known->number : COVERAGE_NONE;
}

uint32_t coverage_file_number(struct hs_coverage *c, const char *path)
{
	if (path == c->last_path)
		return c->last_file;
	const uint32_t hash = hash_of_path(path);
	struct coverage_file *known = support_hash_find(&c->files, hash, same_path, path);

	if (!known) {
		known = support_hash_add(&c->files, hash);
		if (!known)
			return COVERAGE_NONE;
		known->file.path = path;
		known->number = c->files.count - 1;
	}
	c->last_path = path;
	c->last_file = (uint32_t)known->number;
	return c->last_file;
}

/* ---- functions -------------------------------------------------------------------------- */

static bool add_branch(struct hs_coverage *c, const struct coverage_insn *insn, size_t function,
                       const struct coverage_end *end)
{
	struct hs_coverage_branch *b =
		support_hash_add(&c->branches, support_hash_of(insn->addr, 0));

	if (!b)
		return false;
	*b = (struct hs_coverage_branch){ .address = insn->addr,
		                          .taken = end ? end->taken : 0,
		                          .not_taken = end ? end->not_taken : 0,
		                          .file = insn->file,
		                          .function = function,
		                          .line = insn->line };
	return true;
}

static void sum_function(struct hs_coverage_function *f, const struct coverage_graph *g)
{
	f->entries = g->nodes[0].entered;
	f->instructions = g->insn_count;
	f->blocks = g->node_count;
	f->line = g->line;
	f->file = g->file;
	for (uint32_t i = 0; i < g->insn_count; i++) {
		f->instructions_executed += g->insns[i].count != 0;
		if (g->insns[i].file == f->file && g->insns[i].line > f->last_line)
			f->last_line = g->insns[i].line;
	}
	for (uint32_t i = 0; i < g->node_count; i++)
		f->blocks_executed += g->nodes[i].count != 0;
}

/* The greatest line of a block in a file, as gcov has it for branches. */
static int greatest_line(const struct coverage_graph *g, const struct coverage_node *n,
                         uint32_t file)
{
	int line = 0;

	for (uint32_t i = n->first; i < n->first + n->n; i++)
		if (g->insns[i].file == file && g->insns[i].line > line)
			line = g->insns[i].line;
	return line;
}

static bool add_branches(struct hs_coverage *c, struct coverage_function *f,
                         const struct coverage_graph *g, const struct coverage_counts *counts)
{
	for (uint32_t i = 0; i < g->node_count; i++) {
		struct coverage_insn last = g->insns[g->nodes[i].first + g->nodes[i].n - 1];

		if (last.kind != HS_INSN_BRANCH || !last.line)
			continue;
		const struct coverage_end *end = coverage_end_at(counts, coverage_insn_end(&last));

		f->function.branches++;
		f->function.branches_both += end && end->taken && end->not_taken;
		if (!g->marks)
			last.line = greatest_line(g, &g->nodes[i], last.file);
		if (!add_branch(c, &last, f->number, end))
			return false;
	}
	return true;
}

/* Count a function without lines. */
static void count_unlined(struct hs_coverage *c, const struct coverage_graph *g)
{
	c->result.unlined++;
	c->result.unlined_executed += g->insns[0].count != 0;
}

static bool add_graph(struct hs_coverage *c, struct coverage_found *found)
{
	const struct hs_program_function *f = &found->function;
	struct coverage_graph *g = &found->graph;

	if (!g->nodes && !coverage_graph_link(g, found->counts))
		return false;
	struct coverage_function *to =
		support_hash_add(&c->functions, support_hash_of(f->start, 0));

	if (!to)
		return false;
	to->number = c->functions.count - 1;
	to->function = (struct hs_coverage_function){
		.name = f->name, .symbol = f->symbol, .start = f->start, .size = f->size
	};
	sum_function(&to->function, g);
	return add_branches(c, to, g, found->counts) && coverage_add_lines(c, g, to->number);
}

bool coverage_work_out(struct hs_coverage *c, struct coverage_found *f)
{
	const bool good = add_graph(c, f);

	coverage_graph_free(&f->graph);
	return good;
}

/* What the functions of a program are added with. */
struct adding {
	struct hs_coverage *c;
	struct hs_program *program;
	struct coverage_counts counts;
	struct coverage_relay *relay; /* NULL: there is one thread */
};

/* A function whose instructions are known; its graph is used up. */
static bool add_found(const struct adding *a, struct coverage_found *found)
{
	struct coverage_graph *g = &found->graph;
	const bool good = !g->insn_count || coverage_find_lines(a->c, a->program, g);

	if (good && g->line)
		return a->relay ? coverage_relay_put(a->relay, found)
		                : coverage_work_out(a->c, found);
	if (good && g->insn_count)
		count_unlined(a->c, g);
	coverage_graph_free(g);
	return good;
}

static bool add_function(const struct adding *a, const struct hs_program_function *f)
{
	struct coverage_found found = { .function = *f, .counts = &a->counts };
	struct hs_image image = *hs_program_image(a->program);
	struct hs_section code = { .start = f->start };

	/* what never ran is not in a recording's image */
	code.bytes = program_file_code(a->program, f->start, &code.size);
	image.sections = &code;
	image.count = code.bytes != NULL;
	return coverage_graph_read(a->program, &image, f, &a->counts, &found.graph) &&
	       add_found(a, &found);
}

/* The functions of a segment with code. */
static bool add_segment(const struct adding *a, const struct hs_program_segment *segment)
{
	const uint64_t end = segment->start + segment->size;
	bool good = true;

	for (uint64_t at = segment->start; at < end && good;) {
		struct hs_program_function f;

		if (!hs_program_find_function(a->program, at, &f) || f.start != at || !f.size) {
			at += 2;
			continue;
		}
		f.size = f.size < end - at ? f.size : end - at;
		good = add_function(a, &f);
		at += (f.size + 1) & ~UINT64_C(1);
	}
	return good;
}

static bool add_program(struct hs_coverage *c, struct hs_program *program)
{
	struct adding a = { .c = c, .program = program };
	struct hs_program_segment segment;
	bool good = coverage_counts_make(c->blocks, c->block_count, program, &a.counts);

	a.relay = good && c->threads > 1 ? coverage_relay_new(c) : NULL;
	for (size_t i = 0; good && hs_program_get_segment(program, i, &segment); i++)
		good = add_segment(&a, &segment);
	good = (!a.relay || coverage_relay_end(a.relay)) && good;
	coverage_counts_free(&a.counts);
	return good;
}

static bool add_programs(struct hs_coverage *c)
{
	const struct hs_program_set *set = c->programs;
	bool good = add_program(c, c->program);

	for (size_t i = 0; set && i < set->count && good; i++) {
		bool seen = set->programs[i] == c->program;

		for (size_t k = 0; k < i; k++)
			seen |= set->programs[k] == set->programs[i];
		good = seen || add_program(c, set->programs[i]);
	}
	return good;
}

/* ---- order ------------------------------------------------------------------------------ */

static int by_path(const void *a, const void *b)
{
	return strcmp(((const struct coverage_file *)a)->file.path,
	              ((const struct coverage_file *)b)->file.path);
}

static int by_place(const void *a, const void *b)
{
	const struct hs_coverage_function *x = &((const struct coverage_function *)a)->function;
	const struct hs_coverage_function *y = &((const struct coverage_function *)b)->function;

	if (x->file != y->file)
		return x->file < y->file ? -1 : 1;
	if (x->line != y->line)
		return x->line < y->line ? -1 : 1;
	return (x->start > y->start) - (x->start < y->start);
}

static int by_line(const void *a, const void *b)
{
	const struct hs_coverage_line *x = a, *y = b;

	if (x->file != y->file)
		return x->file < y->file ? -1 : 1;
	return (x->line > y->line) - (x->line < y->line);
}

static int by_address(const void *a, const void *b)
{
	const struct hs_coverage_branch *x = a, *y = b;

	if (x->file != y->file)
		return x->file < y->file ? -1 : 1;
	if (x->line != y->line)
		return x->line < y->line ? -1 : 1;
	return (x->address > y->address) - (x->address < y->address);
}

static void sort_items(struct support_hash *t, int (*order)(const void *, const void *))
{
	if (t->count)
		qsort(t->items, t->count, t->item_size, order);
}

/* Files in the order of their paths; others get their new numbers. */
static bool order_files(struct hs_coverage *c)
{
	struct hs_coverage_file *files = calloc(c->files.count + 1u, sizeof(*files));
	size_t *to = calloc(c->files.count + 1u, sizeof(*to));
	struct coverage_file *own = c->files.items;
	struct coverage_function *f = c->functions.items;
	struct hs_coverage_line *l = c->lines.items;
	struct hs_coverage_branch *b = c->branches.items;

	c->result.files = files;
	c->result.file_count = c->files.count;
	if (files && to) {
		sort_items(&c->files, by_path);
		for (size_t i = 0; i < c->files.count; i++) {
			to[own[i].number] = i;
			files[i] = own[i].file;
		}
		for (size_t i = 0; i < c->functions.count; i++)
			f[i].function.file = to[f[i].function.file];
		for (size_t i = 0; i < c->lines.count; i++)
			l[i].file = to[l[i].file];
		for (size_t i = 0; i < c->branches.count; i++)
			b[i].file = to[b[i].file];
	}
	free(to);
	return files && to;
}

static bool order_functions(struct hs_coverage *c)
{
	struct hs_coverage_function *functions =
		calloc(c->functions.count + 1u, sizeof(*functions));
	size_t *to = calloc(c->functions.count + 1u, sizeof(*to));
	struct coverage_function *own = c->functions.items;
	struct hs_coverage_line *l = c->lines.items;
	struct hs_coverage_branch *b = c->branches.items;

	c->result.functions = functions;
	c->result.function_count = c->functions.count;
	if (functions && to) {
		sort_items(&c->functions, by_place);
		for (size_t i = 0; i < c->functions.count; i++) {
			to[own[i].number] = i;
			functions[i] = own[i].function;
		}
		for (size_t i = 0; i < c->lines.count; i++)
			l[i].function = to[l[i].function];
		for (size_t i = 0; i < c->branches.count; i++)
			b[i].function = to[b[i].function];
	}
	free(to);
	return functions && to;
}

static void sum_files(struct hs_coverage *c)
{
	struct hs_coverage_file *files = (struct hs_coverage_file *)(uintptr_t)c->result.files;
	const struct hs_coverage_line *l = c->lines.items;
	const struct hs_coverage_branch *b = c->branches.items;

	for (size_t i = c->lines.count; i--;) {
		files[l[i].file].first_line = i;
		files[l[i].file].line_count++;
		files[l[i].file].lines_executed += l[i].count != 0;
	}
	for (size_t i = 0; i < c->branches.count; i++) {
		files[b[i].file].branch_count++;
		files[b[i].file].branches_both += b[i].taken && b[i].not_taken;
	}
	for (size_t i = 0; i < c->result.function_count; i++) {
		files[c->result.functions[i].file].function_count++;
		files[c->result.functions[i].file].functions_executed +=
			c->result.functions[i].entries != 0;
	}
}

void coverage_free_result(struct hs_coverage *c)
{
	free((void *)(uintptr_t)c->result.files);
	free((void *)(uintptr_t)c->result.functions);
	c->result = (struct hs_coverage_result){ .file_count = 0 };
	support_hash_free(&c->files);
	support_hash_free(&c->functions);
	support_hash_free(&c->lines);
	support_hash_free(&c->branches);
	c->last_path = NULL;
}

/* Blocks that count for no function, with the reason. */
static void count_left_out(struct hs_coverage *c)
{
	const struct coverage_block *b = c->blocks;

	for (size_t i = 0; i < c->block_count; i++) {
		c->result.unmapped += b[i].unmapped ? b[i].count : 0;
		c->result.foreign += b[i].foreign || b[i].outside ? b[i].count : 0;
	}
}

enum hs_status coverage_make_result(struct hs_coverage *c)
{
	coverage_free_result(c);
	if (!add_programs(c) || !order_files(c) || !order_functions(c))
		return HS_E_MEMORY;
	sort_items(&c->lines, by_line);
	sort_items(&c->branches, by_address);
	sum_files(c);
	count_left_out(c);
	c->result.lines = c->lines.items;
	c->result.line_count = c->lines.count;
	c->result.branches = c->branches.items;
	c->result.branch_count = c->branches.count;
	return HS_OK;
}
