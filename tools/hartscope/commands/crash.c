/* hartscope crash: why a program died, or the trap from which a hart did not come back. */
#include <stdio.h>
#include <stdlib.h>

#include "commands/crash.h"
#include "common/interrupt.h"

static const struct usage usage = {
	.name = "crash",
	.form = "[--json] [--elf FILE]... REC|FLOW|TRACE",
	.text = "Says why a program died: the signal and what led to it (a memory access, abort,\n"
		"an exception that nothing catches, ...), the place in your own code, the\n"
		"instruction that faulted, who called it, and the last source lines that ran.  For\n"
		"bare metal and traces: the first exception that never returned.\n\n"
		"The faulting instruction is known if only one of the last block can fault, or\n"
		"with record --exact-faults; otherwise all that can are shown.\n\n"
		"Exit status: 0; 1 where nothing crashed.",
	.example = "  hartscope record -o app.rec -- ./app; hartscope crash app.rec\n"
		   "  hartscope crash --elf firmware.elf capture.bin",
	.often = "--elf --set --auto --hart --source-path --json",
	.options = OPTIONS(OPTIONS_TRACE, OPTIONS_GUEST, ROWS(options_xlen), ROWS(options_jobs),
	                   ROWS(options_json), ROWS(options_quiet), ROWS(options_terminal),
	                   ROWS(options_reading)),
	.min_args = 1,
	.max_args = 1,
};

/* ---- the trap of bare metal -------------------------------------------------------------- */

static bool is_ecall(const struct hs_trap_taken *t)
{
	return t->call.system_call || (t->has_cause && t->cause >= 8 && t->cause <= 11);
}

/* The first exception that did not return. */
static void take_trap(void *to, const struct hs_trap_taken *t)
{
	struct crash *c = to;

	if (t->interrupt || t->returned || is_ecall(t) || !t->has_epc || t->call.signal)
		return;
	if (c->has_trap && c->trap.number < t->number)
		return;
	c->trap = *t;
	c->has_trap = true;
}

/* False, after a complaint: out of memory. */
static bool find_trap(struct crash *c, struct hs_source *source, const struct options *o,
                      struct damage *damage)
{
	const struct hs_counts_options co = { .size = sizeof(co),
		                              .what = HS_COUNTS_TRAPS,
		                              .source = source,
		                              .trap = take_trap,
		                              .trap_to = c };
	const struct block_look look = { "looking for the trap", o->quiet, true, damage };
	struct hs_counts *counts = NULL;
	struct hs_traps_result all;
	const bool good = hs_counts_new(&co, &counts) == HS_OK &&
	                  count_source(&look, source, counts) == HS_OK &&
	                  hs_counts_get_traps(counts, &all) == HS_OK;

	hs_counts_free(counts);
	if (!good)
		complain("out of memory");
	return good;
}

/* Only the trap's hart, up to the trap, as a source of its own. */
static struct hs_source *open_at_trap(const struct crash *c, struct hs_source *source)
{
	const struct hs_range_options range = { .size = sizeof(range),
		                                .to = { .kind = HS_POSITION_INSTRUCTION,
		                                        .value = c->trap.at } };
	struct hs_source *hart = NULL;
	struct hs_error e = { 0 };

	if (hs_source_rewind(source, &e) == HS_OK &&
	    hs_source_open_hart(source, c->trap.hart, &hart, &e) == HS_OK &&
	    hs_source_set_range(hart, &range, &e) == HS_OK)
		return hart;
	fail(&e);
	hs_source_close(hart);
	return NULL;
}

/* ---- all blocks --------------------------------------------------------------------------- */

static struct crash_hart *hart_of(struct crash *c, uint32_t number)
{
	for (size_t i = 0; i < c->hart_count; i++)
		if (c->harts[i].number == number)
			return &c->harts[i];
	struct crash_hart *more = realloc(c->harts, (c->hart_count + 1) * sizeof(*more));

	if (!more)
		return NULL;
	c->harts = more;
	more[c->hart_count] = (struct crash_hart){ .number = number };
	return &more[c->hart_count++];
}

static void follow_block(struct crash_hart *h, const struct hs_block *b)
{
	h->past[h->count++ % CRASH_PAST] = *b;
	h->partial = false;
}

/* False: out of memory. */
static bool follow_event(struct crash *c, const struct hs_block *b)
{
	if (b->kind == HS_KIND_NOTE && b->arg == HS_NOTE_PARTIAL) {
		c->hart->partial = true;
		c->hart->signal = (uint32_t)b->value;
	}
	if (hs_event_breaks(b))
		c->hart->count = 0;
	if (b->kind == HS_KIND_HART)
		c->hart = hart_of(c, b->arg);
	return c->hart &&
	       (b->kind != HS_KIND_HART || hs_code_view_select_hart(c->view, b->arg) == HS_OK) &&
	       (b->kind != HS_KIND_VERSION || hs_code_view_change(c->view, b->arg) == HS_OK);
}

static bool follow(void *to, const struct hs_block *b, size_t n)
{
	struct hs_stack_step step;
	struct crash *c = to;

	for (size_t i = 0; i < n && !c->failed; i++) {
		c->failed = hs_stacks_follow(c->stacks, &b[i], &step) != HS_OK ||
		            (b[i].kind != HS_KIND_BLOCK && !follow_event(c, &b[i]));
		if (b[i].kind == HS_KIND_BLOCK)
			follow_block(c->hart, &b[i]);
	}
	return !c->failed;
}

static int show(struct crash *c, const struct options *o)
{
	if (!crash_choose(c)) {
		complain("the flow has nothing of the end");
		return EXIT_FINDINGS;
	}
	crash_report(c, o->json);
	return EXIT_GOOD;
}

static int look(struct crash *c, struct hs_source *source, const struct options *o,
                struct damage *damage)
{
	const struct hs_stacks_options so = { .size = sizeof(so),
		                              .program = hs_source_known(source)->program,
		                              .programs = hs_source_known(source)->programs,
		                              .guest = hs_source_known(source)->guest };
	const struct block_taker taker = { "following", o->quiet, follow, c, false };
	struct hs_error e = { 0 };
	int status = EXIT_USAGE;

	c->source = source;
	c->program = so.program;
	if (hs_disasm_new(&hs_program_image(so.program)->isa, &c->disasm, &e) != HS_OK)
		complain("%s; instructions are shown as bytes", e.text);
	c->hart = hart_of(c, 0);
	if (c->hart && hs_code_view_new(so.program, &c->view) == HS_OK &&
	    hs_stacks_new(&so, &c->stacks) == HS_OK && read_blocks(&taker, source, damage))
		status = show(c, o);
	else if (!interrupted())
		complain("out of memory");
	hs_stacks_free(c->stacks);
	hs_code_view_free(c->view);
	hs_disasm_free(c->disasm);
	return status;
}

/* How a recorded program died.  False: it did not. */
static bool find_signal(struct crash *c, const struct hs_source *source)
{
	const struct hs_rec_info *info = hs_source_known(source)->info;
	unsigned long long address;

	c->signal = died_of(info);
	/* Of others than faults the emulator dies, too, in the middle of its work. */
	if (!c->signal && info && info->end)
		(void)sscanf(info->end, "cut: signal %u", &c->signal);
	c->has_address = c->signal && sscanf(info->end, "signal %*u, address %llx", &address) == 1;
	c->address = c->has_address ? address : 0;
	return c->signal != 0;
}

static int explain(void *to, struct hs_source *source, const struct options *o,
                   struct damage *damage)
{
	const struct hs_rec_info *info = hs_source_known(source)->info;
	struct crash *c = to;
	int status;

	if (find_signal(c, source))
		return look(c, source, o, damage);
	if (!find_trap(c, source, o, damage))
		return EXIT_USAGE;
	if (!c->has_trap) {
		complain("nothing crashed: %s%s", info && info->end ? "it ended by " : "",
		         info && info->end ? info->end : "every exception returned");
		return EXIT_FINDINGS;
	}
	struct hs_source *hart = open_at_trap(c, source);

	status = hart ? look(c, hart, o, damage) : EXIT_USAGE;
	hs_source_close(hart);
	return status;
}

int cmd_crash(int argc, char **argv)
{
	struct options o = { .arg_count = 0 };
	struct crash c = { .signal = 0 };
	int status;

	if (!options_parse(&usage, argc, argv, &o, &status))
		return status;
	status = with_source(&o, explain, &c);
	free(c.harts);
	return status;
}
