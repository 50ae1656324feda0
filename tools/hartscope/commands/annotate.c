/* hartscope annotate: a function's source and code with counts. */
#include <stdlib.h>
#include <string.h>

#include <hartscope/text.h>

#include "common/edges.h"
#include "common/insns.h"

static const struct usage usage = {
	.name = "annotate",
	.form = "[--json] [--elf FILE]... FUNCTION|--function FUNCTION REC|FLOW|TRACE",
	.text = "Shows the source and the instructions of a function with how often each ran, where\n"
		"jumps lead, and which way branches went: how often they were taken and not taken;\n"
		"of jumps and calls by register the most frequent targets.  Edges that are among\n"
		"the hottest have a '*'.",
	.example = "  hartscope annotate main app.rec\n"
		   "  hartscope annotate 'sum(int)' --elf app.elf app.nt",
	.often = "--elf --set --auto --function --from --to --hart --json",
	.options = OPTIONS(OPTIONS_TRACE, OPTIONS_GUEST, OPTIONS_VIEW, ROWS(options_xlen),
	                   ROWS(options_jobs), ROWS(options_json), ROWS(options_quiet),
	                   ROWS(options_terminal), ROWS(options_reading)),
	.min_args = 1,
	.max_args = 2,
};

/* What is shown, and the row before. */
struct view {
	struct report r;
	struct hs_disasm *disasm;
	const struct edge_table *edges;
	struct hs_guest *guest;
	uint64_t hottest;   /* times that the hottest edge was taken */
	uint64_t all;       /* instructions of the function */
	const char *source; /* of the row before */
	int line;
	const char *label;
};

#define TARGETS_MAX 8 /* targets of a jump that are shown as text */

/* What is counted. */
struct counted {
	struct hs_profile *profile;
	struct edge_table edges;
};

static bool count_blocks(void *to, const struct hs_block *b, size_t n)
{
	struct counted *c = to;

	return hs_profile_add(c->profile, b, n) == HS_OK && edges_add(&c->edges, b, n);
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
	fprintf(v->r.f, "  %ctaken %llu (%.1f %%), %cnot %llu", hot(v, i->taken),
	        (unsigned long long)i->taken, 100.0 * (double)i->taken / all, hot(v, i->not_taken),
	        (unsigned long long)i->not_taken);
}

/* Function and offset of a target, also as text; "": it has none. */
static struct hs_guest_place name_target(const struct view *v, const struct insn_row *i,
                                         uint64_t to, char *text, size_t size)
{
	const struct hs_guest_at at = { .priv = HS_PRIV_UNKNOWN };
	struct hs_guest_place place;

	hs_guest_name(v->guest, i->program, &at, to, &place);
	snprintf(text, size, place.offset ? "%.4000s+0x%llx" : "%.4000s",
	         place.label ? place.label : "", (unsigned long long)place.offset);
	return place;
}

static size_t count_targets(const struct view *v, const struct edge *first)
{
	size_t n = 0;

	while (first && first + n < v->edges->slots + v->edges->count &&
	       first[n].from == first->from)
		n++;
	return n;
}

/* Where a jump led, the most frequent target first. */
static void print_targets(const struct view *v, const struct insn_row *i)
{
	const struct edge *e = edges_find(v->edges, i->addr);
	const size_t all = count_targets(v, e), n = all < TARGETS_MAX ? all : TARGETS_MAX;
	char name[4096], plain[512];

	for (size_t k = 0; k < n; k++) {
		name_target(v, i, e[k].to, name, sizeof(name));
		hs_text_escape(plain, sizeof(plain), name);
		fprintf(v->r.f, "%38s%cto 0x%llx %s: %llu\n", "", hot(v, e[k].count),
		        (unsigned long long)e[k].to, plain, (unsigned long long)e[k].count);
	}
	if (n < all)
		fprintf(v->r.f, "%38s to %zu more targets (--json has them)\n", "", all - n);
}

/* The same of all instructions, as a list. */
static void report_targets(struct view *v, const struct insn_table *t)
{
	report_list(&v->r, "jumps", "");
	for (size_t i = 0; i < t->count; i++) {
		const struct edge *e = edges_find(v->edges, t->rows[i].addr);
		const size_t n = count_targets(v, e);
		char name[4096];

		for (size_t k = 0; k < n; k++) {
			name_target(v, &t->rows[i], e[k].to, name, sizeof(name));
			report_row(&v->r);
			report_hex(&v->r, "pc", "", e[k].from);
			report_hex(&v->r, "target", "", e[k].to);
			report_text(&v->r, "function", "", name);
			report_u64(&v->r, "count", "", e[k].count);
			report_row_end(&v->r);
		}
	}
	report_list_end(&v->r);
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
		report_u32(r, "line", "", (uint32_t)i->line);
	}
	if (i->has_target) {
		char name[4096];

		name_target(v, i, i->target, name, sizeof(name));
		report_hex(r, "target", "", i->target);
		report_text(r, "targetFunction", "", name);
	}
	if (i->taken || i->not_taken) {
		report_u64(r, "taken", "", i->taken);
		report_u64(r, "notTaken", "", i->not_taken);
	}
	report_row_end(r);
}

/* Put the target of a direct jump, with its function unless it is the same one, in place of the
 * distance that ends @text. */
static void put_target(const struct view *v, const struct insn_row *i, char *text, size_t size)
{
	char *last = strrchr(text, ' '), name[256], plain[512];
	size_t n = strlen(text);

	if (last && (last[1] == '-' || (last[1] >= '0' && last[1] <= '9')))
		n = (size_t)(last - text);
	const struct hs_guest_place place = name_target(v, i, i->target, name, sizeof(name));

	hs_text_escape(plain, sizeof(plain), name);
	if (place.label && place.offset && i->label && strcmp(place.label, i->label) == 0)
		snprintf(plain, sizeof(plain), "+0x%llx", (unsigned long long)place.offset);
	snprintf(text + n, size - n, *plain ? " 0x%llx <%s>" : " 0x%llx",
	         (unsigned long long)i->target, plain);
}

static void show_insn(struct view *v, const struct insn_row *i)
{
	char text[700], addr[24];

	hs_disasm_text(v->disasm, i->addr, i->bytes, 2u * i->hwords, text, 160);
	if (v->r.json) {
		report_insn(v, i, text);
		return;
	}
	print_source(v, i);
	if (i->has_target)
		put_target(v, i, text, sizeof(text));
	snprintf(addr, sizeof(addr), "0x%llx", (unsigned long long)i->addr);
	fprintf(v->r.f, "%15llu %6.2f %%  %12s  %*s", (unsigned long long)i->count,
	        v->all ? 100.0 * (double)i->count / (double)v->all : 0, addr,
	        i->taken || i->not_taken ? -28 : 0, text);
	print_branch(v, i);
	fputc('\n', v->r.f);
	print_targets(v, i);
}

static int show(struct insn_table *t, const struct edge_table *edges, const struct options *o,
                struct hs_program *program)
{
	struct view v = { .edges = edges, .guest = t->guest };
	struct hs_error e;

	if (!t->count) {
		complain("no function that ran is called '%s'%s", t->function,
		         guess_text(&t->guess));
		hint_of_inlined(program, t->function);
		return EXIT_FINDINGS;
	}
	if (hs_disasm_new(&hs_program_image(t->rows[0].program)->isa, &v.disasm, &e) != HS_OK)
		complain("%s", e.text);
	for (size_t i = 0; i < t->count; i++) {
		const uint64_t taken = t->rows[i].taken, not_taken = t->rows[i].not_taken;

		v.all += t->rows[i].count;
		v.hottest = taken > v.hottest ? taken : v.hottest;
		const struct edge *jump = edges_find(edges, t->rows[i].addr);

		v.hottest = not_taken > v.hottest ? not_taken : v.hottest;
		v.hottest = jump && jump->count > v.hottest ? jump->count : v.hottest;
	}
	report_begin(&v.r, stdout, o->json);
	report_u64(&v.r, "instructions", "instructions", v.all);
	if (o->json)
		report_list(&v.r, "code", "");
	for (size_t i = 0; i < t->count; i++)
		show_insn(&v, &t->rows[i]);
	report_list_end(&v.r);
	if (o->json)
		report_targets(&v, t);
	report_end(&v.r);
	hs_disasm_free(v.disasm);
	return EXIT_GOOD;
}

/* Count the blocks of a source into @t, which has its guest.  False, after a complaint: no
 * memory. */
static bool count(struct hs_source *source, const struct options *o, struct insn_table *t,
                  struct edge_table *edges, struct damage *damage)
{
	const struct hs_profile_options po = {
		.size = sizeof(po),
		.program = hs_source_program(source),
		.programs = hs_source_programs(source),
		.guest = t->guest,
		.each = insns_add,
		.each_to = t,
	};
	struct counted c = { .profile = NULL };
	struct hs_profile_result counts;
	bool good = hs_profile_open(&po, &c.profile) == HS_OK;
	const struct block_taker taker = { "counting", o->quiet, count_blocks, &c, true };

	good = good && read_blocks(&taker, source, damage) &&
	       hs_profile_get_result(c.profile, &counts) == HS_OK && !t->failed;
	hs_profile_free(c.profile);
	insns_sort(t);
	edges_sort(&c.edges);
	*edges = c.edges;
	if (!good)
		complain("out of memory");
	return good;
}

/* The table has the name of the function. */
static int annotate(void *to, struct hs_source *source, const struct options *o,
                    struct damage *damage)
{
	struct insn_table *t = to;
	struct edge_table edges = { .slots = NULL };

	t->guest = hs_source_guest(source);
	const int status = count(source, o, t, &edges, damage)
	                           ? show(t, &edges, o, hs_source_program(source))
	                           : EXIT_USAGE;

	insns_free(t);
	edges_free(&edges);
	return status;
}

/* The function is the first argument, or that of --function, which is no range here: where its
 * jumps lead is outside of it.  args[0] is then the source.  False, after a complaint: there is
 * none. */
static bool choose_function(struct options *o, const char **function)
{
	*function = o->range.of.function;
	o->range.of.function = NULL;
	if (o->arg_count == 1 && *function)
		return true;
	if (o->arg_count == 1 || *function) {
		complain("annotate needs one FUNCTION, as an argument or with --function");
		return false;
	}
	*function = o->args[0];
	o->args[0] = o->args[1];
	return true;
}

int cmd_annotate(int argc, char **argv)
{
	struct insn_table t = { .rows = NULL };
	struct options o = { .arg_count = 0 };
	int status;

	if (!options_parse(&usage, argc, argv, &o, &status))
		return status;
	if (!choose_function(&o, &t.function))
		return EXIT_USAGE;
	return with_source(&o, annotate, &t);
}
