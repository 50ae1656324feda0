/* hartscope check: are two flows the same? */
#include <stdlib.h>
#include <string.h>

#include "commands/check_compare.h"
#include "commands/check_packets.h"

struct check_options {
	struct options shared;
	bool gaps, packets, resolve;
};

/* clang-format off */
static const struct option_row gaps_rows[] = {
	{ "--gaps", 0, NULL,
	  "accept that one side lacks what its gaps stand for, and print the share that is equal",
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
		"With --gaps the flow may lack what its gaps stand for, and nothing else: what is between\n"
		"two gaps is looked for in the recording, in its order.  Then the share that is equal is\n"
		"printed.\n"
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

/* One of the two arguments; the first is A. */
struct side {
	const char *path;
	struct hs_source *source;
};

/* ---- showing ------------------------------------------------------------------ */

static void block_text(const struct side *s, const struct hs_block *b, char *text, size_t size)
{
	struct hs_place place;

	if (b->kind != HS_KIND_BLOCK) {
		snprintf(text, size, "%s (0x%llx, %u)", hs_kind_name(b->kind),
		         (unsigned long long)b->value, b->arg);
		return;
	}
	hs_program_find_place(hs_source_program(s->source), b->iaddr, &place);
	snprintf(text, size, "0x%llx..0x%llx  %s%s%.80s%s", (unsigned long long)b->iaddr,
	         (unsigned long long)hs_block_end(b), hs_itype_name(b->itype),
	         place.function ? "  <" : "", place.function ? place.function : "",
	         place.function ? ">" : "");
}

static void show_item(struct report *r, const struct side *s, const char *which,
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

/* Is this side, A or B, the subject of the comparison? */
static enum check_side role_of(const struct side *s, const struct comparison *c)
{
	return s->source == c->subject ? CHECK_SUBJECT : CHECK_REFERENCE;
}

static void show_difference(struct report *r, const struct side side[2],
                            const struct comparison *c, const struct check_hart *h)
{
	const uint64_t from = h->before_count < CHECK_CONTEXT ? 0 : h->before_count - CHECK_CONTEXT;

	report_u32(r, "hart", "hart", h->number);
	report_u64(r, "block", "equal blocks before", h->blocks);
	report_list(r, "difference", "first difference (both: the blocks before it)");
	for (uint64_t i = from; i < h->before_count; i++)
		show_item(r, &side[0], "both", &h->before[i % CHECK_CONTEXT]);
	for (unsigned i = 0; i < 2; i++) {
		const enum check_side role = role_of(&side[i], c);

		show_item(r, &side[i], i ? "B" : "A", h->ended[role] ? NULL : &h->items[role]);
	}
	report_list_end(r);
}

struct totals {
	uint64_t blocks, instructions, traps, ecalls;
};

static void count_equal(const struct comparison *c, struct totals *sum)
{
	*sum = (struct totals){ .instructions = c->instructions };
	for (uint32_t i = 0; i < c->count; i++) {
		sum->blocks += c->harts[i].blocks;
		sum->traps += c->harts[i].traps;
		sum->ecalls += c->harts[i].ecalls;
	}
}

/* --gaps: what of the reference is equal. */
static void show_share(struct report *r, const struct comparison *c)
{
	uint64_t gaps = 0, equal = 0, all = 0;

	for (uint32_t i = 0; i < c->count; i++) {
		gaps += c->harts[i].gaps.count;
		equal += c->harts[i].gaps.equal;
		all += c->harts[i].gaps.all;
	}
	report_u64(r, "gaps", "gaps", gaps);
	report_u64(r, "halfwords", "half-words of the reference", all);
	report_u64(r, "halfwordsEqual", "equal half-words", equal);
	report_fine(r, "percent", "equal, in percent",
	            all ? 100.0 * (double)equal / (double)all : 100.0);
}

static int show_gaps(const struct side side[2], const struct comparison *c, bool json)
{
	const struct check_hart *different = first_difference(c);
	struct report r;

	if (!json && different)
		printf("different outside of gaps: A is %s, B is %s\n", side[0].path, side[1].path);
	else if (!json)
		printf("equal outside of gaps\n");
	report_begin(&r, stdout, json);
	report_bool(&r, "equal", NULL, !different);
	show_share(&r, c);
	if (different)
		show_difference(&r, side, c, different);
	report_end(&r);
	return different ? EXIT_FINDINGS : EXIT_GOOD;
}

static int show(const struct side side[2], const struct comparison *c, bool json)
{
	const struct check_hart *different = first_difference(c);
	struct totals t;
	struct report r;

	count_equal(c, &t);
	if (!json && !different) {
		printf("equal: %llu blocks, %llu instructions, %llu traps\n",
		       (unsigned long long)t.blocks, (unsigned long long)t.instructions,
		       (unsigned long long)t.traps);
		if (t.ecalls)
			printf("%llu ecall or ebreak instructions retire on one side only: the "
			       "texts differ about them\n", (unsigned long long)t.ecalls);
		return EXIT_GOOD;
	}
	if (!json)
		printf("different: A is %s, B is %s\n", side[0].path, side[1].path);
	report_begin(&r, stdout, json);
	report_bool(&r, "equal", NULL, !different);
	report_u64(&r, "blocks", NULL, t.blocks);
	report_u64(&r, "instructions", NULL, t.instructions);
	report_u64(&r, "traps", NULL, t.traps);
	report_u64(&r, "ecalls", NULL, t.ecalls);
	if (different)
		show_difference(&r, side, c, different);
	report_end(&r);
	return different ? EXIT_FINDINGS : EXIT_GOOD;
}

/* The reference was read whole where both are equal: its manifest must have counted as much. */
static int check_manifest(const struct comparison *c)
{
	const struct hs_profile_result t = { .instructions = c->instructions,
		                             .unmapped = c->unmapped };

	return first_difference(c) || instructions_fit(c->reference, &t) ? EXIT_GOOD : EXIT_DAMAGED;
}

/* ---- the command -------------------------------------------------------------- */

static bool is_recorded(const struct side *s)
{
	return hs_source_info(s->source) != NULL;
}

/* A recording's own code is compared, whatever the options say about the trace.  The files of its
 * contexts are only needed to count instructions. */
static enum hs_status open_side(struct side *s, const struct options *o, const char *path,
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

/* Did a hart of a recording execute nothing?  No trace has it: the machine went off before. */
static bool executed_nothing(const struct side *s, uint32_t hart)
{
	struct hs_block items[64];
	struct hs_source *source;
	bool nothing = true;
	size_t n;

	if (hs_source_open_hart(s->source, hart, &source, NULL) != HS_OK)
		return false;
	while (nothing && hs_source_next(source, items, 64, &n, NULL) == HS_OK)
		for (size_t i = 0; i < n; i++)
			nothing &= items[i].kind != HS_KIND_BLOCK && items[i].kind != HS_KIND_TRAP;
	hs_source_close(source);
	return nothing;
}

struct stream_harts {
	const uint32_t *v;
	uint32_t n;
};

/* A hart of @a that executed, and that @b does not have. */
static bool find_missing(const struct side *a, const struct stream_harts *of_a,
                         const struct stream_harts *of_b, uint32_t *hart)
{
	for (uint32_t i = 0; i < of_a->n; i++) {
		*hart = of_a->v[i];
		if (hart_index(of_b->v, of_b->n, *hart) == of_b->n && !executed_nothing(a, *hart))
			return true;
	}
	return false;
}

/* Two recordings must have the same harts; the number of a single one means nothing. */
static enum hs_status compare_harts(const struct side *a, const struct side *b, struct hs_error *e)
{
	struct stream_harts x, y;
	uint32_t hart;

	if (hs_source_get_harts(a->source, &x.v, &x.n, e) != HS_OK ||
	    hs_source_get_harts(b->source, &y.v, &y.n, e) != HS_OK)
		return e->status;
	if (x.n == 1 && y.n == 1)
		return HS_OK;
	if (find_missing(a, &x, &y, &hart))
		return hs_error_set(e, HS_E_DIFFERS, "%s has no hart %u", b->path, hart);
	return find_missing(b, &y, &x, &hart)
	               ? hs_error_set(e, HS_E_DIFFERS, "%s has no hart %u", a->path, hart)
	               : HS_OK;
}

static const char *path_of(const struct side side[2], const struct comparison *c,
                           enum check_side role)
{
	return side[role_of(&side[0], c) == role ? 0 : 1].path;
}

static int show_result(struct comparison *c, const struct side side[2], const struct options *o)
{
	if (c->foreign && !first_difference(c)) {
		hs_error_set(&c->error, HS_E_DIFFERS, "%s has hart %u, %s does not",
		             path_of(side, c, CHECK_SUBJECT), c->foreign_hart,
		             path_of(side, c, CHECK_REFERENCE));
		return fail(&c->error);
	}
	if (c->gaps) /* an error of the trace is a gap */
		return show_gaps(side, c, o->json);
	const int status = show(side, c, o->json), damaged = damage_exit(&c->damage);

	if (status != EXIT_GOOD || damaged != EXIT_GOOD)
		return status == EXIT_GOOD ? damaged : status;
	return check_manifest(c);
}

/* What --gaps and --part are for. */
static bool may_compare(const struct side *reference, const struct side *subject,
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

static int compare(struct comparison *c, const struct side side[2], const struct check_options *own)
{
	const struct options *o = &own->shared;
	const struct side *reference = &side[!is_recorded(&side[0]) && is_recorded(&side[1])];
	const struct side *subject = reference == side ? &side[1] : &side[0];

	if (!may_compare(reference, subject, own))
		return EXIT_USAGE;
	if (!is_recorded(reference))
		c->trace = reference->path;
	c->options = o;
	c->silent.silent = true;
	if (is_recorded(subject) && compare_harts(reference, subject, &c->error) != HS_OK)
		return fail(&c->error);
	c->subject = subject->source;
	c->reference = reference->source;
	c->quiet = o->quiet;
	c->gaps = own->gaps;
	if (o->job.part)
		return check_part(c, o);
	const int status = o->job.parts ? check_parts(c, o) : EXIT_GOOD;

	if (status != EXIT_GOOD)
		return status;
	if (!o->job.parts && compare_sources(c) != HS_OK)
		return fail(&c->error);
	return show_result(c, side, o);
}

int cmd_check(int argc, char **argv)
{
	struct side side[2] = { 0 };
	struct comparison c = { 0 };
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
	if (open_side(&side[0], o, o->args[0], &e) != HS_OK ||
	    open_side(&side[1], o, o->args[1], &e) != HS_OK)
		status = fail(&e);
	else
		status = compare(&c, side, &own);
	comparison_free(&c);
	hs_source_close(side[0].source);
	hs_source_close(side[1].source);
	return status;
}
