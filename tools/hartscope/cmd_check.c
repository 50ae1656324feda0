/* hartscope check: are two flows the same? */
#include <stdlib.h>
#include <string.h>

#include <hartscope/profile.h>

#include "tool.h"

static const struct usage usage = {
	.name = "check",
	.form = "REC|FLOW REC|FLOW",
	.text = "Compares two flows hart by hart and block by block: first address, length, last\n"
	        "instruction and end of each block, traps and gaps.  Events that one side does not carry\n"
	        "(a decoded flow knows no trap causes and no signals) are left out.  Prints 'equal', or the\n"
	        "first difference with the blocks before it, and then the exit status is 1.",
	.example = "  hartscope check app.rec app.flow",
	.set = OPT_JSON | OPT_QUIET,
	.min_args = 2,
	.max_args = 2,
};

#define BATCH 4096
#define CONTEXT 4

struct side {
	const char *path;
	struct hs_rec *rec;
	struct hs_program *program;
	struct hs_source *source; /* for the programs of contexts, or NULL */
	struct hs_rec_stream *stream;
	struct hs_profile *profile; /* of the first side alone */
	struct hs_block v[BATCH];
	size_t i, n;
	bool over;
};

struct result {
	uint64_t blocks, traps, instructions;
	bool differ;
	uint32_t hart;
	uint64_t index;         /* of the block that differs */
	bool ended[2];          /* a side has no more */
	struct hs_block at[2];  /* what differs */
	struct hs_block before[CONTEXT];
	unsigned before_n;
	struct damage damage;
};

/* ---- reading ------------------------------------------------------------------ */

static void refill(struct side *s, struct result *r)
{
	struct hs_error e = { 0 };

	s->i = s->n = 0;
	while (!s->n && !s->over) {
		const enum hs_status status = hs_rec_stream_next(s->stream, s->v, BATCH, &s->n, &e);

		s->over = status != HS_OK;
		if (s->over && status != HS_END)
			damage_add(&r->damage, &e);
		if (s->profile)
			hs_profile_add(s->profile, s->v, s->n);
	}
}

static bool compared(const struct hs_block *b)
{
	return b->kind == HS_KIND_BLOCK || b->kind == HS_KIND_TRAP || b->kind == HS_KIND_GAP;
}

/* The next item that is compared, or NULL at the end. */
static const struct hs_block *peek(struct side *s, struct result *r)
{
	for (;;) {
		while (s->i < s->n && !compared(&s->v[s->i]))
			s->i++;
		if (s->i < s->n)
			return &s->v[s->i];
		if (s->over)
			return NULL;
		refill(s, r);
	}
}

/* ---- comparing ---------------------------------------------------------------- */

static void remember(struct result *r, const struct hs_block *b)
{
	r->before[r->before_n++ % CONTEXT] = *b;
	if (b->kind != HS_KIND_BLOCK)
		return;
	r->blocks++;
	r->index++;
	r->traps += b->itype == HS_ITYPE_EXCEPTION || b->itype == HS_ITYPE_INTERRUPT;
}

static void differ(struct result *r, const struct hs_block *a, const struct hs_block *b)
{
	r->differ = true;
	r->ended[0] = !a;
	r->ended[1] = !b;
	if (a)
		r->at[0] = *a;
	if (b)
		r->at[1] = *b;
}

static void compare_hart(struct side side[2], struct result *r)
{
	for (;;) {
		const struct hs_block *a = peek(&side[0], r), *b = peek(&side[1], r);

		if (!a && !b)
			return;
		if (a && b && hs_block_same(a, b)) {
			remember(r, a);
			side[0].i++;
			side[1].i++;
		} else if (a && a->kind == HS_KIND_TRAP && (!b || b->kind != HS_KIND_TRAP)) {
			side[0].i++;
		} else if (b && b->kind == HS_KIND_TRAP && (!a || a->kind != HS_KIND_TRAP)) {
			side[1].i++;
		} else {
			differ(r, a, b);
			return;
		}
	}
}

/* The stream of a hart, by its number. */
static bool open_hart(struct side *s, uint32_t hart, struct hs_error *e)
{
	const uint32_t harts = hs_rec_info(s->rec)->harts;

	for (uint32_t i = 0; i < harts; i++) {
		if (hs_rec_stream_open(s->rec, i, &s->stream, e) != HS_OK)
			return false;
		if (hs_rec_stream_hart(s->stream) == hart || harts == 1)
			return true;
		hs_rec_stream_close(s->stream);
		s->stream = NULL;
	}
	hs_error_set(e, HS_E_DIFFERS, "%s has no hart %u", s->path, hart);
	return false;
}

static void start_hart(struct side *s)
{
	s->i = s->n = 0;
	s->over = false;
}

static enum hs_status check_hart(struct side side[2], uint32_t index, struct result *r,
                                 struct hs_error *e)
{
	if (hs_rec_stream_open(side[0].rec, index, &side[0].stream, e) != HS_OK)
		return e->status;
	r->hart = hs_rec_stream_hart(side[0].stream);
	r->index = 0;
	r->before_n = 0;
	e->status = HS_OK;
	if (open_hart(&side[1], r->hart, e)) {
		start_hart(&side[0]);
		start_hart(&side[1]);
		compare_hart(side, r);
	}
	for (unsigned i = 0; i < 2; i++) {
		hs_rec_stream_close(side[i].stream);
		side[i].stream = NULL;
	}
	return e->status;
}

static enum hs_status check_all(struct side side[2], struct result *r, struct hs_error *e)
{
	const uint32_t a = hs_rec_info(side[0].rec)->harts, b = hs_rec_info(side[1].rec)->harts;

	if (a != b)
		return hs_error_set(e, HS_E_DIFFERS, "%s has %u harts, %s has %u", side[0].path, a,
		                    side[1].path, b);
	for (uint32_t i = 0; i < a && !r->differ; i++) {
		const enum hs_status s = check_hart(side, i, r, e);

		if (s != HS_OK)
			return s;
	}
	return HS_OK;
}

/* ---- showing ------------------------------------------------------------------ */

static void block_text(struct side *s, const struct hs_block *b, char *text, size_t size)
{
	struct hs_place place;

	if (b->kind != HS_KIND_BLOCK) {
		snprintf(text, size, "%s (0x%llx, %u)", hs_kind_name(b->kind),
		         (unsigned long long)b->value, b->arg);
		return;
	}
	hs_program_place(s->program, b->iaddr, &place);
	snprintf(text, size, "%llx..%llx  %s%s%.80s%s", (unsigned long long)b->iaddr,
	         (unsigned long long)hs_block_end(b), hs_itype_name(b->itype),
	         place.function ? "  <" : "", place.function ? place.function : "",
	         place.function ? ">" : "");
}

static void show_item(struct report *r, struct side *s, const char *which,
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
		report_u64(r, "halfwords", "", b->iretire);
		report_u64(r, "last", "", b->ilast);
		report_u64(r, "itype", "", b->itype);
	}
	report_row_end(r);
}

static void show_difference(struct report *r, struct side side[2], const struct result *res)
{
	const unsigned n = res->before_n < CONTEXT ? res->before_n : CONTEXT;

	report_u64(r, "hart", "hart", res->hart);
	report_u64(r, "block", "equal blocks before", res->index);
	report_list(r, "difference", "first difference (both: the blocks before it)");
	for (unsigned i = 0; i < n; i++)
		show_item(r, &side[0], "both", &res->before[(res->before_n - n + i) % CONTEXT]);
	for (unsigned i = 0; i < 2; i++)
		show_item(r, &side[i], i ? "B" : "A", res->ended[i] ? NULL : &res->at[i]);
	report_list_end(r);
}

static int show(struct side side[2], const struct result *res, bool json)
{
	struct report r;
	const bool equal = !res->differ;

	if (!json && equal) {
		printf("equal: %llu blocks, %llu instructions, %llu traps\n",
		       (unsigned long long)res->blocks, (unsigned long long)res->instructions,
		       (unsigned long long)res->traps);
		return EXIT_GOOD;
	}
	if (!json)
		printf("different: A is %s, B is %s\n", side[0].path, side[1].path);
	report_begin(&r, stdout, json);
	report_bool(&r, "equal", NULL, equal);
	report_u64(&r, "blocks", NULL, res->blocks);
	report_u64(&r, "instructions", NULL, res->instructions);
	report_u64(&r, "traps", NULL, res->traps);
	if (!equal)
		show_difference(&r, side, res);
	report_end(&r);
	return equal ? EXIT_GOOD : EXIT_FINDINGS;
}

/* ---- the command -------------------------------------------------------------- */

static enum hs_status open_side(struct side *s, const char *path, bool profile, struct hs_error *e)
{
	s->path = path;
	if (!hs_is_recording(path))
		return hs_error_set(e, HS_E_CONFIG,
		                    "%s: not a recording or flow (decode a trace first)", path);
	if (hs_rec_open(path, &s->rec, e) != HS_OK)
		return e->status;
	const struct hs_source_options so = { .path = path, .hart = HS_ALL_HARTS };

	if (profile && hs_rec_info(s->rec)->process_count && hs_source_open(&so, &s->source, NULL) != HS_OK)
		s->source = NULL; /* then instructions are counted by the snapshot alone */
	if (hs_program_new(&s->program) != HS_OK ||
	    (profile && hs_profile_new(s->source ? hs_source_program(s->source) : s->program,
	                               s->source ? hs_source_programs(s->source) : NULL,
	                               &s->profile) != HS_OK))
		return hs_error_set(e, HS_E_MEMORY, "out of memory");
	if (hs_rec_info(s->rec)->program && *hs_rec_info(s->rec)->program)
		(void)hs_program_add_symbols(s->program, hs_rec_info(s->rec)->program, 0, NULL);
	return hs_program_add_image(s->program, hs_rec_image(s->rec), e);
}

static void close_side(struct side *s)
{
	hs_profile_free(s->profile);
	hs_source_close(s->source);
	hs_program_free(s->program);
	hs_rec_close(s->rec);
}

static void count_instructions(struct side *s, struct result *r)
{
	const struct hs_profile_function *f;
	struct hs_profile_totals t;
	size_t n;

	if (hs_profile_result(s->profile, &t, &f, &n) == HS_OK)
		r->instructions = t.instructions;
}

static int check(struct side side[2], const struct options *o)
{
	struct hs_error e = { 0 };
	struct result r = { 0 };
	int status;

	if (open_side(&side[0], o->args[0], true, &e) != HS_OK ||
	    open_side(&side[1], o->args[1], false, &e) != HS_OK ||
	    check_all(side, &r, &e) != HS_OK)
		return fail(&e);
	count_instructions(&side[0], &r);
	status = show(side, &r, o->json);
	const int damaged = damage_exit(&r.damage);

	return status == EXIT_GOOD ? damaged : status;
}

int cmd_check(int argc, char **argv)
{
	struct side *side;
	struct options o;
	int status;

	if (!options_parse(&usage, argc, argv, &o, &status))
		return status;
	side = calloc(2, sizeof(*side));
	if (!side) {
		complain("out of memory");
		return EXIT_USAGE;
	}
	status = check(side, &o);
	close_side(&side[0]);
	close_side(&side[1]);
	free(side);
	return status;
}
