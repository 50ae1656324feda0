/* hartscope traps: exceptions and interrupts, one by one and by kind. */
#include <stdlib.h>
#include <string.h>

#include "commands/traps.h"

struct traps_options {
	struct options shared;
	uint64_t top;
	bool calls;
};

/* clang-format off */
static const struct option_row calls_rows[] = {
	{ "--syscalls", 0, NULL,
	  "system calls and signals of a recorded program in their order, and who called",
	  AS_FLAG(struct traps_options, calls) },
	{ .name = NULL }
};
/* clang-format on */

static const struct usage usage = {
	.name = "traps",
	.form = "[--top N] [--syscalls] [--json] [--elf FILE]... REC|FLOW|TRACE",
	.text = "Lists exceptions and interrupts: the instructions that the hart retired before it,\n"
		"the hart, the modes from and to, the cause, the address where it struck (EPC), the\n"
		"function there, and how long it was handled: instructions until it returned, with\n"
		"those of traps inside, and time where the flow has times.  '-': it did not return.\n"
		"Then by kind: instructions inside, without those of traps inside, traps, returns.\n"
		"--top is how many of each (all).\n\n"
		"With --syscalls what a program asked of its kernel: its place in the run, the\n"
		"call, and the innermost place of the program's own source; then how often from\n"
		"where.",
	.example = "  hartscope traps board.rec\n"
		   "  hartscope traps --syscalls app.rec\n"
		   "  hartscope traps --top 20 --kallsyms kallsyms linux.rec",
	.often = "--elf --set --auto --top --syscalls --from --to --kallsyms --hart --json",
	.options = OPTIONS(OPTIONS_TRACE, OPTIONS_GUEST, OPTIONS_VIEW,
	                   ROWS_AT(options_top, struct traps_options, top), ROWS(calls_rows),
	                   ROWS(options_xlen), ROWS(options_jobs), ROWS(options_json),
	                   ROWS(options_quiet), ROWS(options_terminal), ROWS(options_reading)),
	.min_args = 1,
	.max_args = 1,
};

/* Traps as they are given, until there are too many. */
#define TRAPS_MAX ((size_t)1 << 22)

struct trap_list {
	uint64_t top; /* how many are shown */
	struct hs_trap_taken *v;
	size_t count, room;
	uint64_t seen;
	bool failed, ended; /* a fault is among them that ended the program */
};

static void take_trap(void *to, const struct hs_trap_taken *trap)
{
	struct trap_list *l = to;

	l->seen++;
	l->ended |= trap->call.ended;
	if (l->count == TRAPS_MAX || l->failed)
		return;
	if (l->count == l->room) {
		const size_t room = l->room ? 2 * l->room : 256;
		struct hs_trap_taken *more = realloc(l->v, room * sizeof(*more));

		l->failed = !more;
		if (!more)
			return;
		l->v = more;
		l->room = room;
	}
	l->v[l->count++] = *trap;
}

static int by_number(const void *a, const void *b)
{
	const struct hs_trap_taken *x = a, *y = b;

	return (x->number > y->number) - (x->number < y->number);
}

static void show_one(struct report *r, const struct hs_trap_taken *t)
{
	struct hs_trap_kind k = { .interrupt = t->interrupt,
		                  .has_cause = t->has_cause,
		                  .cause = t->cause,
		                  .from = t->from,
		                  .to = t->to,
		                  .target = t->target,
		                  .handler = t->handler,
		                  .call = t->call };
	char text[400], name[NAME_SHOWN];

	report_row(r);
	report_u64(r, "at", "", t->at);
	report_u32(r, "hart", "", t->hart);
	trap_kind_report(r, &k);
	if (t->has_epc)
		report_hex(r, "epc", "", t->epc);
	snprintf(text, sizeof(text), t->function ? "%.300s+0x%llx" : "%s",
	         name_in_text(r, t->function, name), (unsigned long long)t->offset);
	if (t->has_epc)
		report_text(r, r->json ? "function" : NULL, "",
		            r->json && t->function ? t->function : text);
	if (r->json && t->has_epc)
		report_u64(r, "offset", "", t->offset);
	if (r->json && t->has_cause)
		report_hex(r, "value", "", t->value);
	if (t->returned)
		report_u64(r, "instructions", "handled", t->length);
	else if (!r->json)
		report_text(r, NULL, "", "-");
	if (t->returned && t->has_time)
		report_u64(r, "time", "ticks", t->duration);
	report_row_end(r);
}

static int show(struct hs_counts *counts, struct trap_list *l, bool json)
{
	struct hs_traps_result t;
	struct report r;

	if (hs_counts_get_traps(counts, &t) != HS_OK || l->failed) {
		complain("out of memory");
		return EXIT_USAGE;
	}
	if (l->count)
		qsort(l->v, l->count, sizeof(*l->v), by_number);
	report_begin(&r, stdout, json);
	report_u64(&r, "trapCount", "traps", l->seen);
	report_list(&r, "traps",
	            "traps: retired before, hart, modes, cause, handler, EPC, where, handled");
	for (size_t i = 0; i < l->count && i < l->top; i++)
		show_one(&r, &l->v[i]);
	report_list_end(&r);
	traps_report(&r, &t, l->top);
	report_end(&r);
	if (l->seen > l->count)
		complain("only %zu traps are kept for the list", l->count);
	return EXIT_GOOD;
}

static int count(void *to_list, struct hs_source *source, const struct options *o,
                 struct damage *damage)
{
	struct trap_list *l = to_list;
	const struct hs_counts_options co = { .size = sizeof(co),
		                              .what = HS_COUNTS_TRAPS,
		                              .source = source,
		                              .trap = take_trap,
		                              .trap_to = l,
		                              .end_signal = end_signal(source) };
	const struct block_look look = { "following", o->quiet, true, damage };
	struct hs_counts *counts = NULL;
	int status = EXIT_USAGE;

	if (hs_counts_new(&co, &counts) == HS_OK && count_source(&look, source, counts) == HS_OK)
		status =
			nothing_to_show(damage, o->json) ? EXIT_FINDINGS : show(counts, l, o->json);
	else
		complain("out of memory");
	if (status == EXIT_GOOD && co.end_signal && !l->ended && !o->range.given)
		complain("signal %u ended the program: 'hartscope crash' says where",
		         co.end_signal);
	hs_counts_free(counts);
	return status;
}

static int list_calls(void *to, struct hs_source *source, const struct options *o,
                      struct damage *damage)
{
	const struct trap_list *l = to;

	return traps_calls(source, o, l->top, damage);
}

int cmd_traps(int argc, char **argv)
{
	struct trap_list list = { .v = NULL };
	struct traps_options own = { .top = UINT32_MAX };
	struct options *o = &own.shared;
	int status;

	if (!options_parse(&usage, argc, argv, o, &status))
		return status;
	list.top = own.top;
	status = with_source(o, own.calls ? list_calls : count, &list);
	free(list.v);
	return status;
}
