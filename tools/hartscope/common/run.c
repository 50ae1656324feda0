/* A run, counted (run.h). */
#include <stdlib.h>
#include <string.h>

#include "common/run.h"

static bool count_times(void *to, const struct hs_block *b, uint64_t times)
{
	const struct run *r = to;
	const struct hs_run_count item = { .blocks = b, .n = 1, .times = times };

	return hs_profile_add_run(r->profile, &item) == HS_OK;
}

/* What threads counted so far belongs to the hart, context and moment that end. */
static bool give_counts(struct run *r)
{
	bool good = true;

	for (unsigned i = 0; i < r->scanner_count && good; i++)
		good = hs_call_scanner_flush(r->scanners[i], count_times, r);
	return good;
}

static bool divides(const struct hs_block *b, size_t n)
{
	bool divided = false;

	for (size_t i = 0; i < n && !divided; i++)
		divided = hs_event_divides(&b[i]);
	return divided;
}

static bool count_blocks(void *to, const struct hs_block *b, size_t n)
{
	struct run *r = to;

	if (r->scanner_count && divides(b, n) && !give_counts(r))
		return false;
	return !r->scans.failed && (!r->profile || hs_profile_add(r->profile, b, n) == HS_OK) &&
	       hs_call_tree_add(r->tree, b, n) == HS_OK &&
	       (!r->wants->traps || hs_traps_add(r->wants->traps, b, n) == HS_OK);
}

static bool start_profile(struct run *r, const struct run_wants *wants)
{
	const struct hs_profile_options po = {
		.size = sizeof(po),
		.by = wants->by,
		.program = hs_source_program(r->source),
		.programs = hs_source_programs(r->source),
		.guest = hs_source_guest(r->source),
		.each = wants->insns ? insns_add : NULL,
		.each_to = wants->insns,
	};

	if (wants->insns)
		wants->insns->guest = po.guest;
	return hs_profile_open(&po, &r->profile) == HS_OK;
}

static bool start_tree(struct run *r, const struct run_wants *wants)
{
	const struct hs_stacks_options so = { .size = sizeof(so),
		                              .program = hs_source_program(r->source),
		                              .programs = hs_source_programs(r->source),
		                              .guest = hs_source_guest(r->source) };

	if (hs_call_tree_new(&so, &r->tree) != HS_OK)
		return false;
	if (wants->call)
		hs_call_tree_set_each(r->tree, wants->call, wants->call_to);
	if (wants->event)
		hs_call_tree_set_event(r->tree, wants->event, wants->event_to);
	return true;
}

/* ---- what threads do ---------------------------------------------------------------------- */

/* The position of a scanner among those that gave something; scanner_count: it did not yet. */
static unsigned place_of(const struct run *r, const struct hs_call_scanner *scanner)
{
	unsigned i = 0;

	while (i < r->scanner_count && r->scanners[i] != scanner)
		i++;
	return i;
}

static bool end_scanner(void *to, struct hs_call_scanner *scanner)
{
	struct run *r = to;
	const unsigned i = place_of(r, scanner);

	if (i == r->scanner_count)
		return true;
	r->scanners[i] = r->scanners[--r->scanner_count];
	return hs_call_scanner_flush(scanner, count_times, r);
}

static bool take_counts(struct run *r, struct hs_call_scanner *scanner,
                        const struct hs_call_scan *scan)
{
	const unsigned i = place_of(r, scanner);

	if (i == r->scanner_count && i < RUN_THREADS)
		r->scanners[r->scanner_count++] = scanner;
	if (hs_call_scan_divides(scan) && !give_counts(r))
		return false;
	return hs_call_scan_count(scanner, scan, count_times, r) &&
	       (i < RUN_THREADS || hs_call_scanner_flush(scanner, count_times, r));
}

static bool take_scan(void *to, struct hs_call_scanner *scanner, const struct hs_call_scan *scan)
{
	struct run *r = to;

	return (!r->profile || take_counts(r, scanner, scan)) &&
	       hs_call_tree_add_scan(r->tree, scanner, scan) == HS_OK &&
	       (!r->wants->traps || hs_traps_add_scan(r->wants->traps, scanner, scan) == HS_OK);
}

/* Read all items. */
static bool read_run(struct run *r, struct hs_source *source, struct damage *damage)
{
	const struct block_taker taker = { "counting", r->wants->quiet, count_blocks, r,
		                           !r->profile };

	r->scans = (struct scans){ .program = hs_source_program(r->source),
		                   .to = r,
		                   .take = take_scan,
		                   .end = end_scanner };
	scans_start(&r->scans);
	if (!read_shared(&taker, &r->scans.work, NULL, source, damage))
		return false;
	hs_source_share(source, NULL); /* who reads it again gets all items */
	return give_counts(r) && !r->scans.failed;
}

/* ---- functions -------------------------------------------------------------------------- */

/* Where a function is: of code without a symbol only its file is known. */
struct place {
	uint64_t start;
	const char *text;
};

static int by_place(struct place a, struct place b)
{
	const uintptr_t x = (uintptr_t)a.text, y = (uintptr_t)b.text;

	if (a.start != b.start)
		return a.start < b.start ? -1 : 1;
	return (x > y) - (x < y);
}

static struct place own_place(const struct run_function *f)
{
	return (struct place){ f->own->start, f->name ? f->name : f->own->file };
}

static int by_own_place(const void *a, const void *b)
{
	return by_place(own_place(a), own_place(b));
}

static int by_heat(const void *a, const void *b)
{
	const struct run_function *x = a, *y = b;

	if (x->self != y->self)
		return x->self > y->self ? -1 : 1;
	if (x->total != y->total)
		return x->total > y->total ? -1 : 1;
	const bool named = x->name || y->name || !x->own || !y->own;
	const char *p = named ? x->name : x->own->file, *q = named ? y->name : y->own->file;

	return p && q ? strcmp(p, q) : (p != NULL) - (q != NULL);
}

/* The row of a function that ran, of @n sorted ones; NULL: there is none. */
static struct run_function *find_row(struct run_function *rows, size_t n,
                                     const struct hs_call_function *f)
{
	const struct place place = { f->start, f->name ? f->name : f->file };
	size_t low = 0;

	while (low < n) {
		const size_t middle = low + (n - low) / 2;
		const int order = by_place(place, own_place(&rows[middle]));

		if (order == 0)
			return &rows[middle];
		if (order < 0)
			n = middle;
		else
			low = middle + 1;
	}
	return NULL;
}

/* Rows of the functions by address, and of those that only calls have. */
static bool join_functions(struct run *r)
{
	const size_t own = r->counts.function_count, called = r->edges.function_count;
	struct run_function *rows = calloc(own + called + 1, sizeof(*rows));
	size_t n = own;

	if (!rows)
		return false;
	r->functions = rows;
	for (size_t i = 0; i < own; i++) {
		const struct hs_profile_function *f = &r->counts.functions[i];

		rows[i] =
			(struct run_function){ .own = f, .name = f->name, .self = f->instructions };
	}
	qsort(rows, own, sizeof(*rows), by_own_place);
	for (size_t i = 0; i < called; i++) {
		const struct hs_call_function *f = &r->edges.functions[i];
		struct run_function *row = find_row(rows, own, f);

		row = row ? row : &rows[n++];
		row->called = f;
		row->name = f->name;
		row->total = f->total;
		row->calls = f->calls;
		row->self_time = f->self_time;
		row->total_time = f->total_time;
	}
	for (size_t i = 0; i < n; i++) /* code that a function runs into belongs to no call */
		rows[i].total = rows[i].total < rows[i].self ? rows[i].self : rows[i].total;
	r->function_count = n;
	qsort(rows, n, sizeof(*rows), by_heat);
	return true;
}

static bool finish(struct run *r)
{
	hs_call_tree_end_calls(r->tree);
	if (hs_profile_get_result(r->profile, &r->counts) != HS_OK ||
	    hs_call_tree_get_result(r->tree, &r->calls) != HS_OK ||
	    hs_call_graph_new(&r->calls, &r->graph) != HS_OK)
		return false;
	hs_call_graph_get_result(r->graph, &r->edges);
	return join_functions(r);
}

void note_unmapped(uint64_t blocks, struct damage *damage)
{
	struct hs_error e;

	if (!blocks)
		return;
	hs_error_set(&e, HS_E_NOCODE,
	             "the code of %llu blocks is not known: their instructions are not counted; "
	             "give the program with --elf",
	             (unsigned long long)blocks);
	damage_add(damage, &e, HS_REASON_NONE);
}

bool run_count(struct run *r, struct hs_source *source, const struct run_wants *wants)
{
	*r = (struct run){ .source = source, .wants = wants };
	if (start_profile(r, wants) && start_tree(r, wants) && read_run(r, source, &r->damage) &&
	    finish(r) && (!wants->insns || !wants->insns->failed)) {
		note_unmapped(r->counts.unmapped, &r->damage);
		return true;
	}
	complain("out of memory");
	return false;
}

bool run_follow(struct run *r, struct hs_source *source, const struct run_wants *wants,
                struct damage *damage)
{
	*r = (struct run){ .source = source, .wants = wants };
	if (start_tree(r, wants) && read_run(r, source, damage))
		return true;
	complain("out of memory");
	return false;
}

void run_close(struct run *r)
{
	r->scanner_count = 0;
	free(r->functions);
	hs_call_graph_free(r->graph);
	hs_call_tree_free(r->tree);
	hs_profile_free(r->profile);
}

bool run_is_name(const struct run *r, const struct run_function *f, const char *name)
{
	const struct hs_program_function named = {
		.name = f->name,
		.start = f->own ? f->own->start : f->called->start,
		.symbol = f->own ? f->own->symbol : NULL,
	};

	return f->name && hs_program_is_name(hs_source_program(r->source), &named, name);
}
