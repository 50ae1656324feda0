/* hartscope traps --syscalls: what a program asked of its kernel, in order, and by whom. */
#include <stdlib.h>
#include <string.h>

#include <hartscope/views.h>

#include "commands/traps.h"

#define CALLS_MAX ((size_t)1 << 22) /* that are kept */

/* A system call, or a signal that was handled. */
struct asked {
	uint64_t number; /* of the trap in the flow */
	uint64_t at; /* instructions that its hart retired before it */
	uint32_t hart;
	struct hs_trap_call call;
	struct hs_trap_values values;
	uint64_t errors;             /* show_kinds() */
	const char *handler;         /* of a signal */
	const char *function, *file; /* of the program's own source; file NULL: none */
	int line;
};

struct asked_list {
	struct hs_stacks *stacks;
	struct hs_counts *counts;
	struct hs_program *program;
	struct asked *v;
	size_t count, room;
	uint64_t seen;
	bool failed;
};

/* ---- who asked ------------------------------------------------------------------------------ */

/* The innermost place of the program's own source: else the innermost function. */
static void find_caller(struct asked_list *l, const struct hs_trap_taken *t, struct asked *a)
{
	size_t n;
	const struct hs_stack_frame *frames = hs_stacks_frames(l->stacks, &n);
	uint64_t pc = t->epc;

	a->function = n ? frames[n - 1].name : NULL;
	for (size_t i = n; i-- > 0;) {
		struct hs_place p;

		if (frames[i].own_file && hs_program_find_place(l->program, pc, &p) && p.file) {
			const struct hs_program_inlined *inner =
				p.inlined_count ? &p.inlined[p.inlined_count - 1] : NULL;

			a->function = inner ? inner->function : p.function;
			a->file = p.file;
			a->line = p.line;
			return;
		}
		if (!frames[i].has_resume)
			return;
		pc = frames[i].resume - (frames[i].how == HS_FRAME_CALL ? 2 : 0);
	}
}

/* A system call of a guest, whose kernel is in the flow. */
static bool is_guest_call(const struct hs_trap_taken *t)
{
	return t->has_cause && !t->interrupt && t->cause == 8;
}

static void take_call(void *to, const struct hs_trap_taken *t)
{
	struct asked_list *l = to;

	const bool of_guest = is_guest_call(t);

	if (!t->call.system_call && !t->call.signal && !of_guest)
		return;
	l->seen++;
	if (l->count == CALLS_MAX || l->failed)
		return;
	if (l->count == l->room) {
		const size_t room = l->room ? 2 * l->room : 256;
		struct asked *more = realloc(l->v, room * sizeof(*more));

		l->failed = !more;
		if (!more)
			return;
		l->v = more;
		l->room = room;
	}
	struct asked *a = &l->v[l->count++];

	*a = (struct asked){ .number = t->number,
		             .at = t->at,
		             .hart = t->hart,
		             .call = t->call,
		             .values = t->values,
		             .handler = t->handler };
	a->call.system_call |= of_guest;
	if (of_guest) /* it is given when it returns: the stack is another one by then */
		a->function = t->function;
	else if (t->has_epc)
		find_caller(l, t, a);
}

/* A call is given with the block after it: its stack is that of the block before. */
static bool follow(void *to, const struct hs_block *b, size_t n)
{
	struct asked_list *l = to;
	struct hs_stack_step step;

	for (size_t i = 0; i < n && !l->failed; i++)
		l->failed = hs_counts_add(l->counts, &b[i], 1) != HS_OK ||
		            hs_stacks_follow(l->stacks, &b[i], &step) != HS_OK;
	return !l->failed;
}

/* ---- in words -------------------------------------------------------------------------------- */

static void place_report(struct report *r, const struct asked *a)
{
	char text[700];

	if (r->json) {
		report_text(r, "function", "", a->function ? a->function : "(no symbol)");
		if (a->file) {
			report_text(r, "file", "", a->file);
			report_u32(r, "line", "", (uint32_t)a->line);
		}
		return;
	}
	snprintf(text, sizeof(text), a->file ? "%.300s  %.300s:%d" : "%.300s",
	         a->function ? a->function : "(no symbol)", a->file ? path_base(a->file) : "",
	         a->line);
	report_text(r, NULL, "", text);
}

/* @values: those of this one call, too. */
static void call_report(struct report *r, const struct asked *a, bool values)
{
	const struct hs_trap_kind k = { .call = a->call, .handler = a->handler };
	char text[400];

	trap_name(&k, text, sizeof(text));
	if (r->json && a->call.has_number)
		report_u32(r, "systemCall", "", a->call.number);
	if (r->json && a->call.signal)
		report_u32(r, "signal", "", a->call.signal_number);
	if (values && a->values.known && r->json)
		call_values_report(r, &a->values);
	else if (values && a->values.known)
		call_words(&a->call, &a->values, text, sizeof(text));
	report_text(r, "name", "", text);
	if (a->call.signal)
		report_text(r, "handler", "", trap_handler(&k));
}

static int by_number(const void *a, const void *b)
{
	const struct asked *x = a, *y = b;

	return (x->number > y->number) - (x->number < y->number);
}

static void show_list(struct report *r, const struct asked_list *l, uint64_t top)
{
	if (l->count)
		qsort(l->v, l->count, sizeof(*l->v), by_number);
	report_list(r, "calls",
	            "system calls and signals: retired before, hart, call, who called, where");
	for (size_t i = 0; i < l->count && i < top; i++) {
		report_row(r);
		report_u64(r, "at", "", l->v[i].at);
		report_u32(r, "hart", "", l->v[i].hart);
		call_report(r, &l->v[i], true);
		place_report(r, &l->v[i]);
		report_row_end(r);
	}
	report_list_end(r);
}

static int compare_text(const char *a, const char *b)
{
	return a == b ? 0 : !a ? -1 : !b ? 1 : strcmp(a, b);
}

/* Equal: the same call from the same place. */
static int by_call(const void *a, const void *b)
{
	const struct asked *x = a, *y = b;
	const uint64_t kind_x = (uint64_t)x->call.signal << 33 |
	                        (uint64_t)x->call.has_number << 32 |
	                        (x->call.has_number ? x->call.number : x->call.signal_number);
	const uint64_t kind_y = (uint64_t)y->call.signal << 33 |
	                        (uint64_t)y->call.has_number << 32 |
	                        (y->call.has_number ? y->call.number : y->call.signal_number);

	if (kind_x != kind_y)
		return kind_x < kind_y ? -1 : 1;
	const int order = compare_text(x->function, y->function);

	if (order || x->line != y->line)
		return order ? order : x->line - y->line;
	return compare_text(x->file, y->file);
}

/* How often, and from the same places: @at is the number of them then. */
static int by_count(const void *a, const void *b)
{
	const struct asked *x = a, *y = b;

	if (x->at != y->at)
		return x->at > y->at ? -1 : 1;
	return by_call(a, b);
}

static void show_kinds(struct report *r, struct asked_list *l, uint64_t top)
{
	size_t kinds = 0;

	if (l->count)
		qsort(l->v, l->count, sizeof(*l->v), by_call);
	for (size_t i = 0; i < l->count; i++) {
		if (!kinds || by_call(&l->v[kinds - 1], &l->v[i]) != 0) {
			l->v[kinds] = l->v[i];
			l->v[kinds].at = l->v[kinds].errors = 0;
			kinds++;
		}
		l->v[kinds - 1].at++;
		l->v[kinds - 1].errors += call_error(&l->v[i].values) != 0;
	}
	if (kinds)
		qsort(l->v, kinds, sizeof(*l->v), by_count);
	report_list(r, "byCaller",
	            "by call and caller: how often, errors, call, who called, where");
	for (size_t i = 0; i < kinds && i < top; i++) {
		report_row(r);
		report_u64(r, "count", "", l->v[i].at);
		report_u64(r, "errors", "", l->v[i].errors);
		call_report(r, &l->v[i], false);
		place_report(r, &l->v[i]);
		report_row_end(r);
	}
	report_list_end(r);
}

static void show(struct asked_list *l, const struct options *o, uint64_t top)
{
	struct report r;

	report_begin(&r, stdout, o->json);
	report_u64(&r, "callCount", "system calls", l->seen);
	show_list(&r, l, top);
	show_kinds(&r, l, top);
	report_end(&r);
	if (l->seen > l->count)
		complain("only the first %zu system calls are kept", l->count);
}

int traps_calls(struct hs_source *source, const struct options *o, uint64_t top,
                struct damage *damage)
{
	struct asked_list l = { .program = hs_source_known(source)->program };
	const struct hs_counts_options co = { .size = sizeof(co),
		                              .what = HS_COUNTS_TRAPS,
		                              .source = source,
		                              .trap = take_call,
		                              .trap_to = &l };
	const struct hs_stacks_options so = { .size = sizeof(so),
		                              .program = l.program,
		                              .programs = hs_source_known(source)->programs,
		                              .guest = hs_source_known(source)->guest };
	const struct block_taker taker = { "following", o->quiet, follow, &l, true };
	struct hs_traps_result all;
	const bool good = hs_counts_new(&co, &l.counts) == HS_OK &&
	                  hs_stacks_new(&so, &l.stacks) == HS_OK &&
	                  read_blocks(&taker, source, damage) &&
	                  hs_counts_get_traps(l.counts, &all) == HS_OK && !l.failed;

	if (good && !nothing_to_show(damage, o->json))
		show(&l, o, top);
	else if (l.failed)
		complain("out of memory");
	hs_stacks_free(l.stacks);
	hs_counts_free(l.counts);
	free(l.v);
	return good ? EXIT_GOOD : EXIT_USAGE;
}
