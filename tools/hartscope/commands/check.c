/* hartscope check: are two flows the same? */
#include <stdlib.h>
#include <string.h>

#include <hartscope/compare.h>

#include "commands/check.h"
#include "common/interrupt.h"

struct check_options {
	struct options shared;
	bool gaps, packets, resolve;
};

/* clang-format off */
static const struct option_row gaps_rows[] = {
	{ "--gaps", 0, NULL,
	  "accept that one side lacks what its gaps and stops stand for, and print the share that is equal",
	  AS_FLAG(struct check_options, gaps) },
	{ "--packets", 0, NULL, "two traces message by message",
	  AS_FLAG(struct check_options, packets) },
	{ .name = NULL }
};
/* clang-format on */

static const struct usage usage = {
	.name = "check",
	.form = "[--protocol NAME] [--set NAME=VALUE]... [--elf FILE]... REC|FLOW|TRACE REC|FLOW|TRACE",
	.text = "Compares two flows hart by hart and block by block: first address, length, last\n"
		"instruction and end of each block, traps and gaps.  Events that one side does not carry\n"
		"(a decoded flow knows no trap causes and no signals) are left out.  Prints 'equal', or the\n"
		"first difference with the blocks before it, and then the exit status is 1.\n\n"
		"Traces\n"
		"are decoded while they are compared; of two of them the first one is read once for its\n"
		"harts, and then for each hart.\n\n"
		"With --gaps the flow may begin later and lack what its gaps and stops (a filter) stand\n"
		"for, and nothing else: what is between them is looked for in the recording, in its order.\n"
		"Then the share that is equal is printed.\n"
		"With --part a part of the trace is compared, after 'stat --part' counted those before it.\n\n"
		"With --packets two traces of one protocol are compared message by message instead, for\n"
		"which no program is needed; the first difference is shown field by field, with\n"
		"--resolve also what the messages lead to, and when.",

	.example = "  hartscope check app.rec app.flow\n"
		   "  hartscope check app.rec app.nt\n"
		   "  hartscope check app.nt app.et\n"
		   "  hartscope check --packets model.nt design.nt\n"
		   "  hartscope check --gaps --elf vmlinux --then --image after.elf boot.rec "
		   "boot.nt",
	.often = "--elf --set --auto --gaps --packets --from --to --hart --quiet --json",
	.options =
		OPTIONS(OPTIONS_TRACE, OPTIONS_GUEST, OPTIONS_VIEW,
	                ROWS_AT(options_resolve, struct check_options, resolve), ROWS(options_xlen),
	                ROWS(gaps_rows), ROWS(options_jobs), ROWS(options_part), ROWS(options_json),
	                ROWS(options_quiet), ROWS(options_reading)),
	.min_args = 2,
	.max_args = 2,
};

/* ---- showing ------------------------------------------------------------------ */

static void block_text(const struct check_side *s, const struct hs_block *b, char *text,
                       size_t size)
{
	struct hs_place place;

	if (b->kind != HS_KIND_BLOCK) {
		snprintf(text, size, "%s (0x%llx, %u)", hs_kind_name(b->kind),
		         (unsigned long long)b->value, b->arg);
		return;
	}
	hs_program_find_place(hs_source_known(s->source)->program, b->iaddr, &place);
	snprintf(text, size, "0x%llx..0x%llx  %s%s%.80s%s", (unsigned long long)b->iaddr,
	         (unsigned long long)hs_block_end(b), hs_itype_name(b->itype),
	         place.function ? "  <" : "", place.function ? place.function : "",
	         place.function ? ">" : "");
}

static void show_item(struct report *r, const struct check_side *s, const char *which,
                      const struct hs_block *b)
{
	char text[256];

	report_row(r);
	report_text(r, "side", NULL, which);
	if (!r->json)
		fprintf(r->f, "  %-4s", which);
	if (b)
		block_text(s, b, text, sizeof(text));
	report_text(r, "text", "", b ? text : "(ends here)");
	if (b && r->json) {
		report_text(r, "kind", "", hs_kind_name(b->kind));
		report_hex(r, "value", "", b->value);
		report_u32(r, "halfwords", "", b->iretire);
		report_u32(r, "last", "", b->ilast);
		report_u32(r, "itype", "", b->itype);
	}
	report_row_end(r);
}

static void show_difference(struct report *r, const struct check_side side[2],
                            const struct hs_check_hart *h)
{
	const uint64_t n = h->items < HS_CHECK_BEFORE ? h->items : HS_CHECK_BEFORE;

	report_u32(r, "hart", "hart", h->number);
	report_u64(r, "block", "equal blocks before", h->blocks);
	report_list(r, "difference", "first difference (both: the blocks before it)");
	for (uint64_t i = HS_CHECK_BEFORE - n; i < HS_CHECK_BEFORE; i++)
		show_item(r, &side[0], "both", &h->before[i]);
	for (unsigned i = 0; i < 2; i++)
		show_item(r, &side[i], i ? "B" : "A", h->ended[i] ? NULL : &h->next[i]);
	report_list_end(r);
}

/* --gaps: what of the reference is equal. */
static void show_share(struct report *r, const struct hs_check_result *c)
{
	report_u64(r, "gaps", "gaps", c->gaps);
	report_u64(r, "halfwords", "half-words of the reference", c->hwords);
	report_u64(r, "halfwordsEqual", "equal half-words", c->equal_hwords);
	report_fine(r, "percent", "equal, in percent",
	            c->hwords ? 100.0 * (double)c->equal_hwords / (double)c->hwords : 100.0);
}

static int show_gaps(const struct check_side side[2], const struct hs_check_result *c, bool json)
{
	struct report r;

	if (!json && c->differs)
		printf("different outside of gaps: A is %s, B is %s\n", side[0].path, side[1].path);
	else if (!json)
		printf("equal outside of gaps\n");
	report_begin(&r, stdout, json);
	report_bool(&r, "equal", NULL, !c->differs);
	show_share(&r, c);
	if (c->differs)
		show_difference(&r, side, &c->difference);
	report_end(&r);
	return c->differs ? EXIT_FINDINGS : EXIT_GOOD;
}

static int show(const struct check_side side[2], const struct hs_check_result *c, bool json)
{
	struct report r;

	if (!json && !c->differs) {
		printf("equal: %llu blocks, %llu instructions, %llu traps\n",
		       (unsigned long long)c->blocks, (unsigned long long)c->instructions,
		       (unsigned long long)c->traps);
		if (c->ecalls)
			printf("%llu ecall or ebreak instructions retire on one side only: the "
			       "texts differ about them\n",
			       (unsigned long long)c->ecalls);
		return EXIT_GOOD;
	}
	if (!json)
		printf("different: A is %s, B is %s\n", side[0].path, side[1].path);
	report_begin(&r, stdout, json);
	report_bool(&r, "equal", NULL, !c->differs);
	report_u64(&r, "blocks", NULL, c->blocks);
	report_u64(&r, "instructions", NULL, c->instructions);
	report_u64(&r, "traps", NULL, c->traps);
	report_u64(&r, "ecalls", NULL, c->ecalls);
	if (c->differs)
		show_difference(&r, side, &c->difference);
	report_end(&r);
	return c->differs ? EXIT_FINDINGS : EXIT_GOOD;
}

/* The reference was read whole where both are equal: its manifest must have counted as much. */
static int check_manifest(const struct hs_source *reference, const struct hs_check_result *c)
{
	const struct hs_profile_result t = { .instructions = c->instructions,
		                             .unmapped = c->unmapped };

	return c->differs || instructions_fit(reference, &t) ? EXIT_GOOD : EXIT_DAMAGED;
}

/* A hart that only one of them has. */
static int fail_missing(const struct check_side side[2], const struct hs_check_result *c)
{
	const char *without = side[c->missing_in].path, *with = side[!c->missing_in].path;
	struct hs_error e;

	if (c->compared)
		hs_error_set(&e, HS_E_DIFFERS, "%s has hart %u, %s does not", with, c->missing_hart,
		             without);
	else
		hs_error_set(&e, HS_E_DIFFERS, "%s has no hart %u", without, c->missing_hart);
	return fail(&e);
}

int check_show(struct check_work *w, const struct hs_check_result *c)
{
	const bool json = w->o->json;

	if (c->missing && !c->differs)
		return fail_missing(w->side, c);
	if (w->gaps) /* an error of the trace is a gap */
		return show_gaps(w->side, c, json);
	const int status = show(w->side, c, json), damaged = damage_exit(&w->damage);

	if (status != EXIT_GOOD || damaged != EXIT_GOOD)
		return status == EXIT_GOOD ? damaged : status;
	return check_manifest(w->side[c->reference].source, c);
}

/* ---- the command -------------------------------------------------------------- */

static bool is_recorded(const struct check_side *s)
{
	return hs_source_known(s->source)->info != NULL;
}

/* A recording's own code is compared, whatever the options say about the trace.  The files of its
 * contexts are only needed to count instructions. */
static enum hs_status open_side(struct check_side *s, const struct options *o, const char *path,
                                struct hs_error *e)
{
	struct hs_source_options so = recording_options(o, path);

	s->path = path;
	if (!is_recording(path))
		return open_source(o, path, &s->source, e);
	if (hs_source_open(&so, &s->source, NULL) == HS_OK) {
		verify_source(o, s->source, path);
		return range_set(o, path, s->source, e);
	}
	so.no_code = true;
	const enum hs_status status = hs_source_open(&so, &s->source, e);

	if (status == HS_OK)
		verify_source(o, s->source, path);
	return status == HS_OK ? range_set(o, path, s->source, e) : status;
}

/* What --gaps and --part are for. */
static bool may_compare(const struct check_side *reference, const struct check_side *subject,
                        const struct check_options *own)
{
	const struct options *o = &own->shared;
	const char *why = NULL;

	if (!is_recorded(reference) && (own->gaps || o->job.parts))
		why = "both are traces: --gaps and --part compare one with a recording or flow";
	else if (o->job.parts && own->gaps)
		why = "--gaps: not with --part: it looks at all of the trace";
	else if (o->job.parts && is_recorded(subject))
		why = "both are recordings: --part is for a trace";
	if (why)
		complain("%s", why);
	return !why;
}

static void add_damage(void *work, const struct hs_source *source, const struct hs_error *e)
{
	struct check_work *w = work;

	damage_add_of(&w->damage, e, source);
}

static bool go_on(void *work, const struct hs_source *source, uint64_t items)
{
	struct check_work *w = work;
	uint64_t total;

	hs_source_bytes(source, &total);
	progress_show(&w->progress, "comparing", total ? hs_source_bytes(source, NULL) : items,
	              total);
	return !interrupted();
}

enum hs_status check_compare(struct check_work *w, struct hs_check_options *co,
                             struct hs_check_result *result, struct hs_error *e)
{
	co->size = sizeof(*co);
	co->threads = (uint32_t)w->o->jobs;
	co->to = w;
	co->error = add_damage;
	co->step = go_on;
	progress_start(&w->progress, w->o->quiet);
	const enum hs_status s = hs_check(w->side[0].source, w->side[1].source, co, result, e);

	progress_end(&w->progress);
	return s;
}

static int compare(struct check_work *w, const struct check_options *own)
{
	const bool swapped = !is_recorded(&w->side[0]) && is_recorded(&w->side[1]);
	struct check_side *subject = &w->side[!swapped];
	struct hs_check_options co = { .gaps = own->gaps };
	struct hs_check_result result;
	struct hs_error e;

	if (!may_compare(&w->side[swapped], subject, own))
		return EXIT_USAGE;
	if (w->o->job.part)
		return check_part(w, subject->source);
	if (w->o->job.parts) {
		const int status = check_parts(w, subject->source, &result);

		return status == EXIT_GOOD ? check_show(w, &result) : status;
	}
	if (check_compare(w, &co, &result, &e) != HS_OK)
		return fail(&e);
	if (result.whole)
		verify_end(subject->source);
	return check_show(w, &result);
}

int cmd_check(int argc, char **argv)
{
	struct check_work w = { .damage = { 0 } };
	struct hs_error e = { 0 };
	struct check_options own = { .gaps = false };
	struct options *o = &own.shared;
	int status;

	if (!options_parse(&usage, argc, argv, o, &status))
		return status;
	o->job.trace = is_recording(o->args[0]);
	if (own.packets)
		return check_packets(o, own.gaps, own.resolve);
	o->source.names = o->reads_all = true;
	o->range.given |= o->source.select != NULL; /* what is not there is said of all harts */
	w.o = o;
	w.gaps = own.gaps;
	if (open_side(&w.side[0], o, o->args[0], &e) != HS_OK ||
	    open_side(&w.side[1], o, o->args[1], &e) != HS_OK)
		status = fail(&e);
	else
		status = compare(&w, &own);
	hs_source_close(w.side[0].source);
	hs_source_close(w.side[1].source);
	return status;
}
