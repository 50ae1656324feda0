/* hartscope annotate: a function's source and code with counts. */
#include <stdlib.h>
#include <string.h>

#include <hartscope/status.h>

#include "common/tool.h"

static const struct usage usage = {
	.name = "annotate",
	.form = "[--json] [--elf FILE]... FUNCTION|--function FUNCTION REC|FLOW|TRACE",
	.text = "Shows the source and the instructions of a function with how often each ran, where\n"
		"jumps lead, and which way branches went: how often they were taken and not taken;\n"
		"of jumps and calls by register the most frequent targets.  Edges that are among\n"
		"the hottest have a '*'.  Of a function that was inlined each copy is shown.",
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
	const struct hs_counts_code *code;
	struct hs_guest *guest;
	uint64_t hottest;   /* times that the hottest edge was taken */
	uint64_t all;       /* instructions of the function */
	const char *source; /* of the row before */
	int line;
	const char *label;
	const char *copies; /* of that function, inlined into others; NULL: of none */
};

#define TARGETS_MAX 8 /* targets of a jump that are shown as text */

/* A line of text for a source line that begins. */
static void print_source(struct view *v, const struct hs_counts_insn *i)
{
	if (i->label != v->label)
		fprintf(v->r.f, v->copies ? "\n%s, inlined into %s" : "\n%.0s%s",
		        v->copies ? v->copies : "", i->label ? i->label : "(no symbol)");
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

static void print_branch(const struct view *v, const struct hs_counts_insn *i)
{
	const double all = (double)(i->taken + i->not_taken);

	if (!i->taken && !i->not_taken)
		return;
	fprintf(v->r.f, "  %ctaken %llu (%.1f %%), %cnot %llu", hot(v, i->taken),
	        (unsigned long long)i->taken, 100.0 * (double)i->taken / all, hot(v, i->not_taken),
	        (unsigned long long)i->not_taken);
}

/* Function and offset of a target, also as text; "": it has none. */
static struct hs_guest_place name_target(const struct view *v, const struct hs_counts_insn *i,
                                         uint64_t to, char *text, size_t size)
{
	const struct hs_guest_at at = { .priv = HS_PRIV_UNKNOWN };
	struct hs_guest_place place;

	hs_guest_name(v->guest, i->program, &at, to, &place);
	snprintf(text, size, place.offset ? "%.4000s+0x%llx" : "%.4000s",
	         place.label ? place.label : "", (unsigned long long)place.offset);
	return place;
}

/* Where the jump at an address led, the most frequent target first; *n of them. */
static const struct hs_counts_jump *find_targets(const struct view *v, uint64_t from, size_t *n)
{
	const struct hs_counts_jump *jumps = v->code->jumps;
	size_t low = 0, high = v->code->jump_count;

	while (low < high) {
		const size_t middle = low + (high - low) / 2;

		if (jumps[middle].from < from)
			low = middle + 1;
		else
			high = middle;
	}
	*n = 0;
	while (low + *n < v->code->jump_count && jumps[low + *n].from == from)
		++*n;
	return &jumps[low];
}

/* Where a jump led, the most frequent target first. */
static void print_targets(const struct view *v, const struct hs_counts_insn *i)
{
	size_t all;
	const struct hs_counts_jump *e = find_targets(v, i->addr, &all);
	const size_t n = all < TARGETS_MAX ? all : TARGETS_MAX;
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
static void report_targets(struct view *v)
{
	const struct hs_counts_insn *insns = v->code->insns;

	report_list(&v->r, "jumps", "");
	for (size_t i = 0; i < v->code->insn_count; i++) {
		size_t n;
		const struct hs_counts_jump *e = find_targets(v, insns[i].addr, &n);
		char name[4096];

		for (size_t k = 0; k < n; k++) {
			name_target(v, &insns[i], e[k].to, name, sizeof(name));
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

static void report_insn(struct view *v, const struct hs_counts_insn *i, const char *text)
{
	struct report *r = &v->r;

	report_row(r);
	report_u64(r, "count", "", i->count);
	report_hex(r, "pc", "", i->addr);
	report_text(r, "text", "", text);
	report_text(r, "function", "", i->label ? i->label : "(no symbol)");
	if (i->inlined)
		report_text(r, "inlined", "", i->inlined);
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
static void put_target(const struct view *v, const struct hs_counts_insn *i, char *text,
                       size_t size)
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

static void show_insn(struct view *v, const struct hs_counts_insn *i)
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

/* What is counted, and how often the hottest edge was taken. */
static void add_up(struct view *v)
{
	for (size_t i = 0; i < v->code->insn_count; i++) {
		const struct hs_counts_insn *insn = &v->code->insns[i];
		size_t n;
		const struct hs_counts_jump *jump = find_targets(v, insn->addr, &n);

		v->all += insn->count;
		v->hottest = insn->taken > v->hottest ? insn->taken : v->hottest;
		v->hottest = insn->not_taken > v->hottest ? insn->not_taken : v->hottest;
		v->hottest = n && jump->count > v->hottest ? jump->count : v->hottest;
	}
}

static int by_address(const void *a, const void *b)
{
	const struct hs_profile_function *x = a, *y = b;

	return (x->start > y->start) - (x->start < y->start);
}

/* No function that ran has the name: which one may be meant? */
static int explain_nothing(const char *name, const struct hs_profile_result *ran,
                           struct hs_program *program)
{
	struct hs_profile_function *f = calloc(ran->function_count + 1, sizeof(*f));
	struct guess guess = { .wanted = name };

	if (f && ran->function_count)
		memcpy(f, ran->functions, ran->function_count * sizeof(*f));
	if (f)
		qsort(f, ran->function_count, sizeof(*f), by_address);
	for (size_t i = 0; f && i < ran->function_count; i++)
		if (f[i].symbol)
			guess_try(&guess, f[i].name);
	free(f);
	complain("no function that ran is called '%s'%s", name, guess_text(&guess));
	hint_of_inlined(program, name);
	return EXIT_FINDINGS;
}

static int show(const struct hs_counts_code *code, struct hs_source *source,
                const struct options *o, const char *copies)
{
	struct view v = { .code = code, .guest = hs_source_known(source)->guest, .copies = copies };
	struct hs_error e;

	if (hs_disasm_new(&hs_program_image(code->insns[0].program)->isa, &v.disasm, &e) != HS_OK)
		complain("%s", e.text);
	add_up(&v);
	report_begin(&v.r, stdout, o->json);
	report_u64(&v.r, "instructions", "instructions", v.all);
	if (o->json)
		report_list(&v.r, "code", "");
	for (size_t i = 0; i < code->insn_count; i++)
		show_insn(&v, &code->insns[i]);
	report_list_end(&v.r);
	if (o->json)
		report_targets(&v);
	report_end(&v.r);
	hs_disasm_free(v.disasm);
	return EXIT_GOOD;
}

/* Count the instructions of a function, or of its copies that were inlined into others. */
static struct hs_counts *count(const char *name, bool copies, struct hs_source *source,
                               const struct block_look *look, struct hs_counts_code *code)
{
	const struct hs_counts_options co = {
		.size = sizeof(co),
		.what = (uint32_t)HS_COUNTS_PROFILE | HS_COUNTS_CODE | HS_COUNTS_JUMPS,
		.source = source,
		.function = name,
		.inlined = copies,
	};
	struct hs_counts *counts = NULL;

	if (hs_counts_new(&co, &counts) == HS_OK && count_source(look, source, counts) == HS_OK &&
	    hs_counts_get_code(counts, code) == HS_OK)
		return counts;
	complain("out of memory");
	hs_counts_free(counts);
	return NULL;
}

/* Nothing that ran has the name: was it inlined?  Then the source is read once more. */
static int show_copies(const char *name, struct hs_source *source, const struct options *o,
                       const struct block_look *look)
{
	struct hs_program_function into;
	struct hs_counts_code code = { .insn_count = 0 };
	struct hs_counts *counts;
	int status = EXIT_FINDINGS;

	if (!hs_program_find_inlining(hs_source_known(source)->program, name, &into) ||
	    hs_source_rewind(source, NULL) != HS_OK)
		return status;
	counts = count(name, true, source, look, &code);
	if (code.insn_count)
		status = show(&code, source, o, name);
	hs_counts_free(counts);
	return status;
}

static int annotate(void *name, struct hs_source *source, const struct options *o,
                    struct damage *damage)
{
	const struct block_look look = { "counting", o->quiet, true, damage };
	struct hs_profile_result ran;
	struct hs_counts_code code;
	struct hs_counts *counts = count(name, false, source, &look, &code);
	int status = EXIT_USAGE;

	if (counts && code.insn_count)
		status = show(&code, source, o, NULL);
	else if (counts)
		status = show_copies(name, source, o, &look);
	if (counts && status == EXIT_FINDINGS && hs_counts_get_profile(counts, &ran) == HS_OK)
		status = explain_nothing(name, &ran, hs_source_known(source)->program);
	hs_counts_free(counts);
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
	struct options o = { .arg_count = 0 };
	const char *name;
	int status;

	if (!options_parse(&usage, argc, argv, &o, &status))
		return status;
	if (!choose_function(&o, &name))
		return EXIT_USAGE;
	return with_source(&o, annotate, (void *)(uintptr_t)name);
}
