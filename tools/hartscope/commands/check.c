/* hartscope check: are two flows the same? */
#include <stdlib.h>
#include <string.h>

#include "commands/check_side.h"

static const struct usage usage = {
	.name = "check",
	.form = "[--protocol NAME] [--set NAME=VALUE]... [--elf FILE]... REC|FLOW|TRACE REC|FLOW|TRACE",
	.text = "Compares two flows hart by hart and block by block: first address, length, last\n"
	        "instruction and end of each block, traps and gaps.  Events that one side does not carry\n"
	        "(a decoded flow knows no trap causes and no signals) are left out.  Prints 'equal', or the\n"
	        "first difference with the blocks before it, and then the exit status is 1.  One of the two\n"
	        "may be a trace, which is decoded on the way, once for each hart of the other side.",
	.example = "  hartscope check app.rec app.flow\n"
	           "  hartscope check app.rec app.nt",
	.set = OPT_JSON | OPT_PROTOCOL | OPT_CODE | OPT_PROCESS | OPT_TRANSPORT | OPT_CAPTURE | OPT_QUIET,
	.min_args = 2,
	.max_args = 2,
};

#define CONTEXT 4

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
		const struct hs_block *a = side_peek(&side[0], &r->damage), *b = side_peek(&side[1], &r->damage);

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

static enum hs_status check_hart(struct side side[2], uint32_t hart, struct result *r, struct hs_error *e)
{
	enum hs_status s = HS_OK;

	r->hart = hart;
	r->index = 0;
	r->before_n = 0;
	for (unsigned i = 0; i < 2 && s == HS_OK; i++)
		s = side_start(&side[i], hart, e);
	if (s == HS_OK)
		compare_hart(side, r);
	return s;
}

static enum hs_status check_all(struct side side[2], struct result *r, struct hs_error *e)
{
	const struct side *known = &side[!side[0].rec];
	enum hs_status s = HS_OK;

	if (side[0].hart_count != side[1].hart_count)
		return hs_error_set(e, HS_E_DIFFERS, "%s has %u harts, %s has %u", side[0].path, side[0].hart_count,
		                    side[1].path, side[1].hart_count);
	for (uint32_t i = 0; i < known->hart_count && !r->differ && s == HS_OK; i++)
		s = check_hart(side, known->harts[i], r, e);
	for (unsigned i = 0; i < 2 && !r->differ && s == HS_OK; i++)
		if (side[i].strange)
			s = hs_error_set(e, HS_E_DIFFERS, "%s has hart %u, %s has not", side[i].path, side[i].stranger, known->path);
	return s;
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
	hs_program_find_place(side_program(s), b->iaddr, &place);
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

	if (side_open(&side[0], o, o->args[0], &e) != HS_OK || side_open(&side[1], o, o->args[1], &e) != HS_OK)
		return fail(&e);
	struct side *known = &side[!side[0].rec], *other = &side[known == side];

	if (!known->rec) {
		complain("both are traces; decode one of them first");
		return EXIT_USAGE;
	}
	if (!other->rec)
		side_meet(other, known);
	if (side_count(known) != HS_OK) {
		complain("out of memory");
		return EXIT_USAGE;
	}
	if (check_all(side, &r, &e) != HS_OK)
		return fail(&e);
	count_instructions(known, &r);
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
	side_close(&side[0]);
	side_close(&side[1]);
	free(side);
	return status;
}
