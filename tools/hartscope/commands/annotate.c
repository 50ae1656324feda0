/* hartscope annotate: a function's source and code with counts. */
#include <stdlib.h>
#include <string.h>

#include "common/insns.h"

static const struct usage usage = {
	.name = "annotate",
	.form = "[--json] [--elf FILE]... FUNCTION REC|FLOW|TRACE",
	.text = "Shows the source and the instructions of a function with how often each ran, and\n"
		"which way its branches went: how often they were taken and not taken.  Edges\n"
		"that are among the hottest have a '*'.",
	.example = "  hartscope annotate main app.rec\n"
		   "  hartscope annotate 'sum(int)' --elf app.elf app.nt",
	.set = OPT_JSON | OPT_PROTOCOL | OPT_CODE | OPT_PROCESS | OPT_GUEST | OPT_HART | OPT_AUTO |
	       OPT_TRANSPORT | OPT_CAPTURE | OPT_NAMES | OPT_RANGE | OPT_QUIET,
	.min_args = 2,
	.max_args = 2,
};

/* What is shown, and the row before. */
struct view {
	struct report r;
	struct hs_disasm *disasm;
	uint64_t hottest;   /* times that the hottest edge was taken */
	uint64_t all;       /* instructions of the function */
	const char *source; /* of the row before */
	int line;
	const char *label;
};

static bool count_blocks(void *to, const struct hs_block *b, size_t n)
{
	return hs_profile_add(to, b, n) == HS_OK;
}

/* A line of text for a source line that begins. */
static void print_source(struct view *v, const struct insn_row *i)
{
	if (i->label != v->label)
		fprintf(v->r.f, "\n%s", i->label ? i->label : "(no symbol)");
	if (i->label != v->label && i->file)
		fprintf(v->r.f, "  [%s]", path_base(i->file));
	if (i->label != v->label)
		fputc('\n', v->r.f);
	v->label = i->label;
	if (!i->source || (i->line == v->line && v->source == i->source))
		return;
	const char *text = hs_program_source_line(i->program, i->source, i->line);

	fprintf(v->r.f, "%38s%s:%d  %s\n", "", path_base(i->source), i->line, text ? text : "");
	v->source = i->source;
	v->line = i->line;
}

static char hot(const struct view *v, uint64_t times)
{
	return times && times >= v->hottest - v->hottest / 4 ? '*' : ' ';
}

static void print_branch(const struct view *v, const struct insn_row *i)
{
	const double all = (double)(i->taken + i->not_taken);

	if (!i->taken && !i->not_taken)
		return;
	fprintf(v->r.f, "  %ctaken %llu (%.1f %%) to 0x%llx, %cnot %llu", hot(v, i->taken),
	        (unsigned long long)i->taken, 100.0 * (double)i->taken / all,
	        (unsigned long long)i->target, hot(v, i->not_taken),
	        (unsigned long long)i->not_taken);
}

static void report_insn(struct view *v, const struct insn_row *i, const char *text)
{
	struct report *r = &v->r;

	report_row(r);
	report_u64(r, "count", "", i->count);
	report_hex(r, "pc", "", i->addr);
	report_text(r, "text", "", text);
	report_text(r, "function", "", i->label ? i->label : "(no symbol)");
	if (i->source) {
		report_text(r, "file", "", i->source);
		report_u64(r, "line", "", (uint64_t)i->line);
	}
	if (i->has_target)
		report_hex(r, "target", "", i->target);
	if (i->taken || i->not_taken) {
		report_u64(r, "taken", "", i->taken);
		report_u64(r, "notTaken", "", i->not_taken);
	}
	report_row_end(r);
}

static void show_insn(struct view *v, const struct insn_row *i)
{
	char text[160];

	hs_disasm_text(v->disasm, i->addr, i->bytes, 2u * i->hwords, text, sizeof(text));
	if (v->r.json) {
		report_insn(v, i, text);
		return;
	}
	print_source(v, i);
	fprintf(v->r.f, "%15llu %6.2f %%  %12llx  %-28s", (unsigned long long)i->count,
	        v->all ? 100.0 * (double)i->count / (double)v->all : 0, (unsigned long long)i->addr,
	        text);
	print_branch(v, i);
	fputc('\n', v->r.f);
}

static int show(const struct insn_table *t, const struct options *o)
{
	struct view v = { .all = 0 };
	struct hs_error e;

	if (!t->count) {
		complain("no function that ran has the name '%s'", t->function);
		return EXIT_FINDINGS;
	}
	if (hs_disasm_new(&hs_program_image(t->rows[0].program)->isa, &v.disasm, &e) != HS_OK)
		complain("%s", e.text);
	for (size_t i = 0; i < t->count; i++) {
		const uint64_t taken = t->rows[i].taken, not_taken = t->rows[i].not_taken;

		v.all += t->rows[i].count;
		v.hottest = taken > v.hottest ? taken : v.hottest;
		v.hottest = not_taken > v.hottest ? not_taken : v.hottest;
	}
	report_begin(&v.r, stdout, o->json);
	report_u64(&v.r, "instructions", "instructions", v.all);
	if (o->json)
		report_list(&v.r, "code", "");
	for (size_t i = 0; i < t->count; i++)
		show_insn(&v, &t->rows[i]);
	report_list_end(&v.r);
	report_end(&v.r);
	hs_disasm_free(v.disasm);
	return EXIT_GOOD;
}

/* Count the blocks of a source into @t, which has its guest. */
static int count(struct hs_source *source, const struct options *o, struct insn_table *t)
{
	const struct hs_profile_options po = {
		.size = sizeof(po),
		.program = hs_source_program(source),
		.programs = hs_source_programs(source),
		.guest = t->guest,
		.each = insns_add,
		.each_to = t,
	};
	struct hs_profile *profile = NULL;
	struct hs_profile_result counts;
	struct damage damage = { 0 };
	bool good = hs_profile_open(&po, &profile) == HS_OK;
	const struct block_taker taker = { "counting", o->quiet, count_blocks, profile };

	good = good && read_blocks(&taker, source, &damage) &&
	       hs_profile_get_result(profile, &counts) == HS_OK && !t->failed;
	hs_profile_free(profile);
	insns_sort(t);
	if (!good)
		complain("out of memory");
	const int damaged = damage_exit(&damage);

	return damaged || good ? damaged : EXIT_USAGE;
}

int cmd_annotate(int argc, char **argv)
{
	struct insn_table t = { .rows = NULL };
	struct hs_source *source;
	struct options o;
	int status;

	if (!options_parse(&usage, argc, argv, &o, &status))
		return status;
	o.source.names = o.source.versions = true;
	t.function = o.args[0];
	o.args[0] = o.args[1];
	source = open_argument(&o, &status);
	if (!source)
		return status;
	t.guest = hs_source_guest(source);
	const int counted = count(source, &o, &t);

	status = counted == EXIT_USAGE ? counted : show(&t, &o);
	insns_free(&t);
	hs_source_close(source);
	return counted ? counted : status;
}
