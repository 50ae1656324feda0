/* hartscope lint: what the specification forbids in a trace. */
#include <stdlib.h>
#include <string.h>

#include <hartscope/nt_lint.h>

#include "common/tool.h"

static const struct usage usage = {
	.name = "lint",
	.form = "[--dialect NAME] [--set NAME=VALUE]... [--elf FILE]... [--max N] TRACE | --kinds",
	.text =
	"Reports everything in a trace that the specification forbids: for people who validate an\n"
	"encoder.  A line has the offset, the kind, the message with its fields, and the clause.\n"
	"With the program, also messages that contradict it ('flow-' kinds).  Parameters are those\n"
	"of the encoder; the dialect, rc7 or 1.0, selects the rules.  The text forbids errors and\n"
	"advises against warnings; notes are worth knowing.",
	.example = "  hartscope lint app.nt\n"
		   "  hartscope lint --dialect 1.0 --set trTeSrcBits=4 capture.bin\n"
		   "  hartscope lint --kinds",
	.set = OPT_JSON | OPT_PROTOCOL | OPT_CODE | OPT_LINT | OPT_TRANSPORT | OPT_CAPTURE,
	.min_args = 0,
	.max_args = 1,
};

#define PIECE 65536
#define BLOCKS (1u << 16) /* basic blocks that are remembered */

struct tally {
	uint64_t of_kind[HS_NT_FIND_COUNT];
	uint64_t max, total;
	bool json, any; /* any: a finding was printed */
};

/* ---- kinds ---------------------------------------------------------------------- */

static int print_kinds(bool json)
{
	for (unsigned i = 0; i < HS_NT_FIND_COUNT; i++) {
		const struct hs_nt_finding_kind *k = hs_nt_finding_get_kind(i);
		const unsigned both = 1u << HS_NT_DIALECT_RC7 | 1u << HS_NT_DIALECT_V1_0;
		const char *where = (k->dialects & both) == both ? "both"
		                    : k->dialects & 1u << HS_NT_DIALECT_RC7 ? "rc7" : "1.0";

		if (json)
			printf("%s{\"kind\":\"%s\",\"severity\":\"%s\",\"dialect\":\"%s\",\"clause\":\"%s\","
			       "\"text\":\"%s\"}",
			       i ? ",\n" : "[\n", k->name, hs_nt_severity_name(k->severity), where,
			       k->clause, k->text);
		else
			printf("%-26s %-8s %-5s %-9s %s\n", k->name,
			       hs_nt_severity_name(k->severity), where, k->clause, k->text);
	}
	if (json)
		fputs("\n]\n", stdout);
	return EXIT_GOOD;
}

/* ---- findings ------------------------------------------------------------------- */

static void print_fields(const struct hs_nt_msg *m, bool json)
{
	enum hs_nt_field fields[HS_NTF_COUNT];
	const unsigned n = hs_nt_msg_fields(m->tcode, fields);
	const char *before = "";

	for (unsigned i = 0; i < n; i++) {
		if (!hs_nt_has(m, fields[i]))
			continue;
		if (json)
			printf("%s\"%s\":%llu", before, hs_nt_field_name(fields[i]),
			       (unsigned long long)m->field[fields[i]]);
		else
			printf(" %s=0x%llx", hs_nt_field_name(fields[i]),
			       (unsigned long long)m->field[fields[i]]);
		before = ",";
	}
}

static void text_finding(const struct hs_nt_finding *f, const struct hs_nt_finding_kind *k)
{
	printf("%8llx  %-7s  %s: ", (unsigned long long)f->offset, hs_nt_severity_name(k->severity),
	       k->name);
	if (f->message) {
		fputs(hs_nt_msg_name(f->msg.tcode), stdout);
		print_fields(&f->msg, false);
		fputs(": ", stdout);
	}
	fputs(k->text, stdout);
	if (f->field < HS_NTF_COUNT)
		printf(" [%s]", hs_nt_field_name(f->field));
	if (f->pc)
		printf(", pc 0x%llx", (unsigned long long)f->pc);
	printf(" (%s)\n", k->clause);
}

static void json_finding(const struct hs_nt_finding *f, const struct hs_nt_finding_kind *k,
                         bool first)
{
	printf("%s{\"offset\":%llu,\"kind\":\"%s\",\"severity\":\"%s\",\"clause\":\"%s\",\"text\":\"%s\"",
	       first ? "" : ",\n", (unsigned long long)f->offset, k->name,
	       hs_nt_severity_name(k->severity), k->clause, k->text);
	if (f->field < HS_NTF_COUNT)
		printf(",\"field\":\"%s\"", hs_nt_field_name(f->field));
	if (f->pc)
		printf(",\"pc\":%llu", (unsigned long long)f->pc);
	if (f->message) {
		printf(",\"src\":%u,\"message\":\"%s\",\"fields\":{", f->msg.src,
		       hs_nt_msg_name(f->msg.tcode));
		print_fields(&f->msg, true);
		putchar('}');
	}
	putchar('}');
}

static void take_finding(struct tally *t, const struct hs_nt_finding *f)
{
	const struct hs_nt_finding_kind *k = hs_nt_finding_get_kind(f->id);

	t->total++;
	if (t->of_kind[f->id]++ >= t->max)
		return;
	if (t->json)
		json_finding(f, k, !t->any);
	else
		text_finding(f, k);
	t->any = true;
}

static void summary(const struct tally *t, const struct hs_nt_lint *l)
{
	uint64_t of[3] = { 0 };

	for (unsigned i = 0; i < HS_NT_FIND_COUNT; i++)
		of[hs_nt_finding_get_kind(i)->severity] += t->of_kind[i];
	if (t->json) {
		printf("\n],\"bytes\":%llu,\"messages\":%llu,\"errors\":%llu,\"warnings\":%llu,\"notes\":%llu,"
		       "\"kinds\":{",
		       (unsigned long long)l->offset, (unsigned long long)l->messages,
		       (unsigned long long)of[2], (unsigned long long)of[1],
		       (unsigned long long)of[0]);
		for (unsigned i = 0, n = 0; i < HS_NT_FIND_COUNT; i++)
			if (t->of_kind[i])
				printf("%s\"%s\":%llu", n++ ? ","
				       : "", hs_nt_finding_get_kind(i)->name,
				       (unsigned long long)t->of_kind[i]);
		fputs("}}\n", stdout);
		return;
	}
	for (unsigned i = 0; i < HS_NT_FIND_COUNT; i++)
		if (t->of_kind[i] > t->max)
			printf("%s: %llu in all, %llu shown\n", hs_nt_finding_get_kind(i)->name,
			       (unsigned long long)t->of_kind[i], (unsigned long long)t->max);
	printf("%llu bytes, %llu messages: %llu errors, %llu warnings, %llu notes\n",
	       (unsigned long long)l->offset, (unsigned long long)l->messages,
	       (unsigned long long)of[2], (unsigned long long)of[1], (unsigned long long)of[0]);
}

/* ---- the stream ----------------------------------------------------------------- */

/* Samples of pins that could not be aligned are reported and skipped.  False: the trace cannot be
 * read any further. */
static bool lint_all(struct hs_nt_lint *l, struct hs_source *source, struct tally *t)
{
	static uint8_t bytes[PIECE];
	struct hs_nt_finding f;
	struct hs_error e = { 0 };
	enum hs_status s;
	size_t n;

	for (;;) {
		s = hs_source_read(source, bytes, sizeof(bytes), &n, &e);
		if (s == HS_END)
			break;
		struct hs_span in = { bytes, n };

		while (hs_nt_lint_next(l, &in, &f) == HS_OK)
			take_finding(t, &f);
		if (s == HS_OK)
			continue;
		complain("%s", e.text);
		if (s != HS_E_FRAMING)
			return false;
	}
	while (hs_nt_lint_end(l, &f) == HS_OK)
		take_finding(t, &f);
	return true;
}

/* What following the program takes; all of it NULL without one. */
struct walker {
	struct hs_nt_source *sources;
	void *memory;
	struct hs_bb_table table;
	struct hs_nt_decoder decoder;
};

static void walker_free(struct walker *w)
{
	if (!w)
		return;
	free(w->sources);
	free(w->memory);
	free(w);
}

static struct walker *walker_new(const struct hs_image *image, const struct hs_nt_config *config,
                                 size_t count)
{
	struct walker *w = calloc(1, sizeof(*w));

	if (!w)
		return NULL;
	w->sources = calloc(count, sizeof(*w->sources));
	w->memory = malloc(hs_bb_memory(BLOCKS));
	if (w->sources && w->memory && hs_bb_init(&w->table, image, w->memory, BLOCKS) == HS_OK &&
	    hs_nt_decoder_init(&w->decoder, config, &w->table, w->sources, count) == HS_OK)
		return w;
	walker_free(w);
	return NULL;
}

static int lint_source(struct hs_source *source, const struct hs_nt_config *config, struct tally *t)
{
	const size_t count = (size_t)1 << config->src_bits;
	struct hs_nt_lint_source *sources = calloc(count, sizeof(*sources));
	struct hs_program *p = hs_source_program(source);
	const struct hs_image *image = p ? hs_program_image(p) : NULL;
	struct walker *w = image && image->count ? walker_new(image, config, count) : NULL;
	struct hs_nt_lint l;
	int status = EXIT_USAGE;

	if (!sources || hs_nt_lint_init(&l, config, sources, count) != HS_OK ||
	    (image && image->count && !w)) {
		complain("out of memory");
	} else {
		if (w)
			hs_nt_lint_program(&l, &w->decoder);
		if (t->json)
			fputs("{\"findings\":[\n", stdout);
		const bool whole = lint_all(&l, source, t);

		summary(t, &l);
		status = !whole ? EXIT_DAMAGED : t->total ? EXIT_FINDINGS : EXIT_GOOD;
	}
	walker_free(w);
	free(sources);
	return status;
}

/* With the program of the options, or that TRACE.json names; without one if there is none. */
static enum hs_status open_trace(struct options *o, const struct hs_trace_params *params,
                                 struct hs_source **source, struct hs_error *e)
{
	o->source.path = o->args[0];
	o->source.params = params;
	enum hs_status s = hs_source_open(&o->source, source, e);

	if (s == HS_OK || o->source.code_count)
		return s;
	o->source.no_code = true;
	return hs_source_open(&o->source, source, e);
}

static int lint_trace(struct options *o, const struct hs_trace_params *params)
{
	const struct hs_protocol *protocol = hs_trace_params_protocol(params);
	struct tally t = { .max = o->max, .json = o->json };
	struct hs_source *source;
	struct hs_error e = { 0 };

	if (strcmp(protocol->name, "ntrace") != 0) {
		complain("lint knows ntrace, not %s", protocol->name);
		return EXIT_USAGE;
	}
	if (open_trace(o, params, &source, &e) != HS_OK)
		return fail(&e);
	const int status = lint_source(source, hs_trace_params_config(params), &t);

	hs_source_close(source);
	return status;
}

int cmd_lint(int argc, char **argv)
{
	struct hs_trace_params *params;
	struct hs_error e = { 0 };
	struct options o;
	int status;

	if (!options_parse(&usage, argc, argv, &o, &status))
		return status;
	if (o.kinds)
		return print_kinds(o.json);
	if (!o.arg_count) {
		complain("lint needs a trace; see 'hartscope lint --help'");
		return EXIT_USAGE;
	}
	if (hs_is_recording(o.args[0])) {
		complain("%s is a recording: encode it first", o.args[0]);
		return EXIT_USAGE;
	}
	if (read_params(&o, o.args[0], &params, &e) != HS_OK)
		return fail(&e);
	status = lint_trace(&o, params);
	hs_trace_params_free(params);
	return status;
}
