/* hartscope diff: functions and branches by how often they ran. */
#include <stdlib.h>
#include <string.h>

#include "commands/diff.h"

/* Something that both runs may have: a function or a branch. */
struct pair {
	const char *label, *file;
	uint64_t offset;       /* in the function; without one an address */
	const void *of[2];     /* struct run_function or struct insn_row; NULL: it did not run */
	uint64_t difference;   /* by which they are sorted */
};

static const char *text_of(const char *text)
{
	return text ? text : "";
}

/* Files by their names: two runs may have had other folders. */
static const char *base_of(const char *path)
{
	const char *slash = path ? strrchr(path, '/') : NULL;

	return slash ? slash + 1 : text_of(path);
}

static int by_place(const void *a, const void *b)
{
	const struct pair *x = a, *y = b;
	const int label = strcmp(text_of(x->label), text_of(y->label));
	const int file = label ? label : strcmp(base_of(x->file), base_of(y->file));

	return file ? file : (x->offset > y->offset) - (x->offset < y->offset);
}

static int by_difference(const void *a, const void *b)
{
	const struct pair *x = a, *y = b;

	if (x->difference != y->difference)
		return x->difference > y->difference ? -1 : 1;
	return by_place(a, b);
}

/* Sort pairs of one side each, and join those of the same place.  @return  How many there are. */
static size_t join(struct pair *v, size_t n)
{
	size_t kept = 0;

	if (n)
		qsort(v, n, sizeof(*v), by_place);
	for (size_t i = 0; i < n; i++) {
		struct pair *last = kept ? &v[kept - 1] : NULL;
		const unsigned side = v[i].of[0] ? 0 : 1;

		if (last && by_place(last, &v[i]) == 0 && !last->of[side])
			last->of[side] = v[i].of[side];
		else
			v[kept++] = v[i];
	}
	return kept;
}

/* Keep those that differ, the largest difference first. */
static size_t keep_different(struct pair *v, size_t n, uint64_t (*distance)(const struct pair *p))
{
	size_t kept = 0;

	for (size_t i = 0; i < n; i++) {
		v[i].difference = distance(&v[i]);
		if (v[i].difference)
			v[kept++] = v[i];
	}
	if (kept)
		qsort(v, kept, sizeof(*v), by_difference);
	return kept;
}

static uint64_t apart(uint64_t a, uint64_t b)
{
	return a > b ? a - b : b - a;
}

/* ---- functions -------------------------------------------------------------------- */

static struct run_function function_of(const struct pair *p, unsigned side)
{
	const struct run_function none = { .name = p->label };

	return p->of[side] ? *(const struct run_function *)p->of[side] : none;
}

static uint64_t functions_apart(const struct pair *p)
{
	const struct run_function a = function_of(p, 0), b = function_of(p, 1);

	return apart(a.self, b.self) + apart(a.calls, b.calls);
}

static void show_function(struct report *r, const struct pair *p)
{
	const struct run_function a = function_of(p, 0), b = function_of(p, 1);
	const struct hs_profile_function *own = a.own ? a.own : b.own;

	report_row(r);
	report_u64(r, "instructions_a", "", a.self);
	report_u64(r, "instructions_b", "", b.self);
	report_u64(r, "calls_a", "", a.calls);
	report_u64(r, "calls_b", "", b.calls);
	report_text(r, "name", "", p->label ? p->label : "(no symbol)");
	report_library(r, own ? own->file : NULL, own ? own->own_file : true);
	report_row_end(r);
}

bool diff_functions(struct report *r, const struct diff_side side[2], uint64_t top, uint64_t *count)
{
	const size_t room = side[0].run.function_count + side[1].run.function_count;
	struct pair *v = calloc(room + 1, sizeof(*v));
	size_t n = 0;

	if (!v) {
		complain("out of memory");
		return false;
	}
	for (unsigned s = 0; s < 2; s++)
		for (size_t i = 0; i < side[s].run.function_count; i++) {
			const struct run_function *f = &side[s].run.functions[i];

			v[n].label = f->name;
			v[n].file = f->own && !f->own->own_file ? f->own->file : NULL;
			v[n++].of[s] = f;
		}
	n = keep_different(v, join(v, n), functions_apart);
	*count = n;
	if (n || r->json)
		report_list(r, "functions",
		            "functions that differ: instructions of A, of B, calls of A, of B");
	for (size_t i = 0; i < n && i < top; i++)
		show_function(r, &v[i]);
	if (n || r->json)
		report_list_end(r);
	free(v);
	return true;
}

/* ---- branches --------------------------------------------------------------------- */

static struct insn_row branch_of(const struct pair *p, unsigned side)
{
	const struct insn_row none = { .count = 0 };

	return p->of[side] ? *(const struct insn_row *)p->of[side] : none;
}

static uint64_t branches_apart(const struct pair *p)
{
	const struct insn_row a = branch_of(p, 0), b = branch_of(p, 1);

	return apart(a.taken, b.taken) + apart(a.not_taken, b.not_taken);
}

static void show_branch(struct report *r, const struct pair *p)
{
	const struct insn_row a = branch_of(p, 0), b = branch_of(p, 1);
	const struct insn_row *any = p->of[0] ? p->of[0] : p->of[1];
	char text[1200];

	report_row(r);
	report_u64(r, "taken_a", "", a.taken);
	report_u64(r, "taken_b", "", b.taken);
	report_u64(r, "not_taken_a", "", a.not_taken);
	report_u64(r, "not_taken_b", "", b.not_taken);
	if (r->json) {
		if (p->of[0])
			report_hex(r, "address_a", "", a.addr);
		if (p->of[1])
			report_hex(r, "address_b", "", b.addr);
		report_text(r, "function", "", p->label ? p->label : "(no symbol)");
		report_hex(r, "offset", "", p->offset);
	} else {
		snprintf(text, sizeof(text), "%.1000s+0x%llx", p->label ? p->label : "(no symbol)",
		         (unsigned long long)p->offset);
		report_text(r, NULL, "", text);
	}
	report_library(r, any->file, any->own_file);
	if (any->source && r->json) {
		report_text(r, "source", "", any->source);
		report_u64(r, "line", "", (uint64_t)any->line);
	} else if (any->source) {
		snprintf(text, sizeof(text), "%.1000s:%d", base_of(any->source), any->line);
		report_text(r, NULL, "", text);
	}
	report_row_end(r);
}

bool diff_branches(struct report *r, const struct diff_side side[2], uint64_t top, uint64_t *count)
{
	const size_t room = side[0].insns.count + side[1].insns.count;
	struct pair *v = calloc(room + 1, sizeof(*v));
	size_t n = 0;

	if (!v) {
		complain("out of memory");
		return false;
	}
	for (unsigned s = 0; s < 2; s++)
		for (size_t i = 0; i < side[s].insns.count; i++) {
			const struct insn_row *row = &side[s].insns.rows[i];

			if (row->kind != HS_INSN_BRANCH)
				continue;
			v[n].label = row->label;
			v[n].file = row->own_file ? NULL : row->file;
			v[n].offset = row->label ? row->addr - row->start : row->addr;
			v[n++].of[s] = row;
		}
	n = keep_different(v, join(v, n), branches_apart);
	*count = n;
	if (n || r->json)
		report_list(r, "branches",
		            "branches that differ: taken in A, in B, not taken in A, in B");
	for (size_t i = 0; i < n && i < top; i++)
		show_branch(r, &v[i]);
	if (n || r->json)
		report_list_end(r);
	free(v);
	return true;
}
