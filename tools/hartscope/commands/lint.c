/* hartscope lint: what the specification forbids in a trace. */
#include <stdlib.h>
#include <string.h>

#include <hartscope/source.h>
#include <hartscope/status.h>

#include "common/complete.h"
#include "common/found.h"

struct lint_options {
	struct options shared;
	uint64_t max;              /* findings of a kind */
	struct option_list ignore; /* --ignore */
	int severity;              /* enum hs_severity */
	bool kinds;
};

static bool parse_severity(void *to, const struct option_row *r, char *name)
{
	int *severity = to;

	for (*severity = 0; *severity < HS_SEVERITIES; ++*severity)
		if (strcmp(hs_severity_name((unsigned)*severity), name) == 0)
			return true;
	complain("%s needs note, warning or error, not '%s'", r->name, name);
	return false;
}

/* clang-format off */
static const struct option_row lint_rows[] = {
	{ "--max", 0, "N", "show N findings of a kind (20)",
	  AS_NUMBER(struct lint_options, max, 0) },
	{ "--severity", 0, "LEVEL",
	  "only findings that are at least a note, warning or error (note)",
	  AS_PARSED(struct lint_options, severity, parse_severity), .words = "note warning error" },
	{ "--ignore", 0, "KIND", "no findings of this kind; may be given several times",
	  AS_LIST(struct lint_options, ignore, SETTINGS_MAX), .offer = complete_kinds },
	{ "--kinds", 0, NULL, "list the kinds of findings", AS_FLAG(struct lint_options, kinds) },
	{ .name = NULL }
};
/* clang-format on */

static const struct usage usage = {
	.name = "lint",
	.form = "[--dialect NAME] [--set NAME=VALUE]... [--elf FILE]... [--process CONTEXT:FILE]... "
		"[--max N] [--severity LEVEL] [--ignore KIND]... TRACE | --kinds",
	.text = "Reports everything in a trace that the specification forbids: for people who\n"
		"validate an encoder.  A line has the offset, the kind, the message with its\n"
		"fields, and the clause.\n\n"
		"With the program, also messages that contradict it\n"
		"('flow-' kinds), unless TRACE.code or --then says that it changes.  Parameters\n"
		"are those of the encoder; the dialect of ntrace, rc7 or 1.0, and the version of\n"
		"etrace, 2.0, 1.1 or 0.026, select the rules.\n\n"
		"The text forbids errors and advises\n"
		"against warnings; notes are worth knowing.  Exit status 1: there are errors or\n"
		"warnings.",
	.example = "  hartscope lint app.nt\n"
		   "  hartscope lint --dialect 1.0 --set trTeSrcBits=4 capture.bin\n"
		   "  hartscope lint --protocol etrace --severity error app.et\n"
		   "  hartscope lint --auto --elf app.elf capture.bin\n"
		   "  hartscope lint --protocol etrace --kinds",
	.often = "--protocol --dialect --set --elf --auto --max --severity --ignore --kinds --json",
	.options = OPTIONS(OPTIONS_TRACE, ROWS(options_xlen), ROWS(lint_rows), ROWS(options_jobs),
	                   ROWS(options_json), ROWS(options_terminal), ROWS(options_reading)),
	.min_args = 0,
	.max_args = 1,
};

/* Findings of one kind. */
struct lint_count {
	struct hs_lint_kind row;
	uint64_t count;
	bool ignored;
};

struct lint_tally {
	const struct hs_protocol *protocol;
	struct lint_count *kinds;
	unsigned kind_count;
	uint64_t max, of[HS_SEVERITIES], left_out;
	bool json, any; /* any: a finding was printed */
};

/* ---- kinds ---------------------------------------------------------------------- */

static bool is_ignored(const struct lint_options *own, const struct hs_lint_kind *k)
{
	for (size_t i = 0; i < own->ignore.count; i++)
		if (strcmp(own->ignore.at[i], k->name) == 0)
			return true;
	return (int)k->severity < own->severity;
}

static bool has_kind(const struct lint_tally *t, const char *name)
{
	for (unsigned i = 0; i < t->kind_count; i++)
		if (strcmp(t->kinds[i].row.name, name) == 0)
			return true;
	return false;
}

static bool ignored_exist(const struct lint_tally *t, const struct lint_options *own)
{
	for (size_t i = 0; i < own->ignore.count; i++)
		if (!has_kind(t, own->ignore.at[i])) {
			complain("%s has no kind '%s'; 'hartscope lint --protocol %s --kinds' "
			         "lists them",
			         t->protocol->name, own->ignore.at[i], t->protocol->name);
			return false;
		}
	return true;
}

/* The kinds of a protocol; free() t->kinds.  False after a complaint. */
static bool tally_init(struct lint_tally *t, const struct hs_protocol *protocol,
                       const struct lint_options *own, bool several)
{
	const struct options *o = &own->shared;
	struct hs_lint_kind k;

	*t = (struct lint_tally){ .protocol = protocol, .max = own->max, .json = o->json };
	while (hs_lint_get_kind(protocol, t->kind_count, &k))
		t->kind_count++;
	t->kinds = calloc(t->kind_count, sizeof(*t->kinds));
	if (!t->kinds) {
		complain("out of memory");
		return false;
	}
	for (unsigned i = 0; i < t->kind_count; i++) {
		hs_lint_get_kind(protocol, i, &t->kinds[i].row);
		t->kinds[i].ignored = is_ignored(own, &t->kinds[i].row);
	}
	return several || ignored_exist(t, own);
}

static void print_kind(const struct lint_tally *t, const struct hs_lint_kind *k, bool first)
{
	if (t->json)
		printf("%s{\"kind\":\"%s\",\"severity\":\"%s\",\"dialect\":\"%s\","
		       "\"clause\":\"%s\",\"text\":\"%s\"}",
		       first ? "[\n" : ",\n", k->name, hs_severity_name(k->severity), k->texts,
		       k->clause, k->text);
	else
		printf("%-26s %-8s %-5s %-9s %s\n", k->name, hs_severity_name(k->severity),
		       k->texts, k->clause, k->text);
}

static int print_kinds(const struct lint_options *own)
{
	const struct options *o = &own->shared;
	const char *name = o->params.protocol ? o->params.protocol : "ntrace";
	const struct hs_protocol *protocol = hs_protocol_find(name);
	struct lint_tally t;
	bool first = true;

	if (!protocol) {
		complain("no protocol is called '%s'", name);
		return EXIT_USAGE;
	}
	const bool good = tally_init(&t, protocol, own, false);

	for (unsigned i = 0; good && i < t.kind_count; i++) {
		if (t.kinds[i].ignored)
			continue;
		print_kind(&t, &t.kinds[i].row, first);
		first = false;
	}
	if (good && t.json)
		fputs(first ? "[]\n" : "\n]\n", stdout);
	free(t.kinds);
	return good ? EXIT_GOOD : EXIT_USAGE;
}

/* ---- findings ------------------------------------------------------------------- */

static void text_fields(const struct hs_message *m)
{
	for (unsigned i = 0; i < m->count; i++)
		printf(" %s=0x%llx", m->field[i].name, (unsigned long long)m->field[i].value);
}

static void json_fields(const struct hs_message *m)
{
	for (unsigned i = 0; i < m->count; i++)
		printf("%s\"%s\":\"%llu\"", i ? "," : "", m->field[i].name,
		       (unsigned long long)m->field[i].value);
}

static void text_finding(const struct hs_lint_finding *f, const struct hs_lint_kind *k)
{
	printf("%8llx  %-7s  %s: ", (unsigned long long)f->offset, hs_severity_name(k->severity),
	       k->name);
	if (f->has_message) {
		fputs(f->message.name, stdout);
		text_fields(&f->message);
		fputs(": ", stdout);
	}
	fputs(k->text, stdout);
	if (f->field)
		printf(" [%s]", f->field);
	if (f->has_bit)
		printf(", bit %u", f->bit);
	if (f->pc)
		printf(", pc 0x%llx", (unsigned long long)f->pc);
	printf(" (%s)\n", k->clause);
}

static void json_finding(const struct hs_lint_finding *f, const struct hs_lint_kind *k, bool first)
{
	printf("%s{\"offset\":%llu,\"kind\":\"%s\",\"severity\":\"%s\",\"clause\":\"%s\","
	       "\"text\":\"%s\"",
	       first ? "" : ",\n", (unsigned long long)f->offset, k->name,
	       hs_severity_name(k->severity), k->clause, k->text);
	if (f->field)
		printf(",\"field\":\"%s\"", f->field);
	if (f->has_bit)
		printf(",\"bit\":%u", f->bit);
	if (f->pc)
		printf(",\"pc\":\"0x%llx\"", (unsigned long long)f->pc);
	if (f->has_message) {
		printf(",\"src\":%u,\"message\":\"%s\",\"fields\":{", f->message.source,
		       f->message.name);
		json_fields(&f->message);
		putchar('}');
	}
	putchar('}');
}

/* Count a finding, and print it while there are few of its kind. */
static void take_finding(void *tally, const struct hs_lint_finding *f)
{
	struct lint_tally *t = tally;
	struct lint_count *k = &t->kinds[f->kind];

	if (k->ignored) {
		t->left_out++;
		return;
	}
	t->of[k->row.severity]++;
	if (k->count++ >= t->max)
		return;
	if (t->json)
		json_finding(f, &k->row, !t->any);
	else
		text_finding(f, &k->row);
	t->any = true;
}

/* Count @n more of a kind, of which enough were printed. */
static void take_more(void *tally, unsigned kind, uint64_t n)
{
	struct lint_tally *t = tally;
	struct lint_count *k = &t->kinds[kind];

	if (k->ignored) {
		t->left_out += n;
		return;
	}
	t->of[k->row.severity] += n;
	k->count += n;
}

static void take_error(void *tally, const struct hs_error *e)
{
	(void)tally;
	complain("%s", e->text);
}

/* ---- the summary ------------------------------------------------------------------ */

static void json_summary(const struct lint_tally *t, uint64_t bytes, uint64_t messages)
{
	printf("\n],\"bytes\":%llu,\"messages\":%llu,\"errors\":%llu,"
	       "\"warnings\":%llu,\"notes\":%llu,\"left_out\":%llu,\"kinds\":{",
	       (unsigned long long)bytes, (unsigned long long)messages,
	       (unsigned long long)t->of[HS_SEVERITY_ERROR],
	       (unsigned long long)t->of[HS_SEVERITY_WARNING],
	       (unsigned long long)t->of[HS_SEVERITY_NOTE], (unsigned long long)t->left_out);
	for (unsigned i = 0, n = 0; i < t->kind_count; i++)
		if (t->kinds[i].count)
			printf("%s\"%s\":%llu", n++ ? "," : "", t->kinds[i].row.name,
			       (unsigned long long)t->kinds[i].count);
	fputs("}}\n", stdout);
}

static void text_summary(const struct lint_tally *t, uint64_t bytes, uint64_t messages)
{
	for (unsigned i = 0; i < t->kind_count; i++)
		if (t->kinds[i].count > t->max)
			printf("%s: %llu in all, %llu shown\n", t->kinds[i].row.name,
			       (unsigned long long)t->kinds[i].count, (unsigned long long)t->max);
	printf("%llu bytes, %llu messages: %llu errors, %llu warnings, %llu notes",
	       (unsigned long long)bytes, (unsigned long long)messages,
	       (unsigned long long)t->of[HS_SEVERITY_ERROR],
	       (unsigned long long)t->of[HS_SEVERITY_WARNING],
	       (unsigned long long)t->of[HS_SEVERITY_NOTE]);
	if (t->left_out)
		printf("; %llu left out", (unsigned long long)t->left_out);
	putchar('\n');
}

/* Errors that only the program shows. */
static uint64_t count_contradictions(const struct lint_tally *t)
{
	uint64_t n = 0;

	for (unsigned i = 0; i < t->kind_count; i++)
		if (t->kinds[i].row.severity == HS_SEVERITY_ERROR &&
		    strncmp(t->kinds[i].row.name, "flow-", 5) == 0)
			n += t->kinds[i].count;
	return n;
}

static void summary(const struct lint_tally *t, const struct hs_lint *lint, const char *path)
{
	uint64_t bytes, messages;

	hs_lint_counts(lint, &bytes, &messages);
	if (t->json)
		json_summary(t, bytes, messages);
	else
		text_summary(t, bytes, messages);
	if (t->of[HS_SEVERITY_ERROR] * 4 > messages)
		hint_of_file(path);
	else if (!t->of[HS_SEVERITY_ERROR] || !hint_of_kind(path))
		hint_of_contradictions(count_contradictions(t), t->of[HS_SEVERITY_ERROR]);
}

/* ---- the stream ----------------------------------------------------------------- */

/* Threads that read a file; of a pipe what is found is shown when it comes. */
static uint32_t readers(const struct options *o, const struct hs_source *source)
{
	return is_one_stream(source, o->args[0]) ? o->source.threads : 1;
}

/* False: after a complaint, the trace cannot be read any further. */
static bool lint_all(struct hs_lint *lint, struct hs_source *source, struct lint_tally *t,
                     struct hs_lint_options *lo)
{
	bool *ignored = calloc(t->kind_count, sizeof(*ignored));

	if (!ignored) {
		complain("out of memory");
		return false;
	}
	for (unsigned i = 0; i < t->kind_count; i++)
		ignored[i] = t->kinds[i].ignored;
	lo->size = sizeof(*lo);
	lo->max = t->max;
	lo->ignored = ignored;
	lo->to = t;
	lo->finding = take_finding;
	lo->more = take_more;
	lo->error = take_error;
	const enum hs_status s = hs_source_lint(source, lint, lo);

	free(ignored);
	return s == HS_OK;
}

static int lint_source(struct hs_source *source, const void *config, struct lint_tally *t,
                       const struct lint_options *own)
{
	const struct options *o = &own->shared;
	const struct hs_image_set *set = &hs_source_known(source)->images;
	struct hs_program *p = hs_source_known(source)->program;
	const struct hs_image *image = p ? hs_program_image(p) : NULL;
	struct hs_lint *lint;
	struct hs_lint_options lo = { .threads = readers(o, source),
		                      .image = image && (image->count || set->count) ? image : NULL,
		                      .set = set };
	const enum hs_status s = hs_lint_new(&lint, t->protocol, config, lo.image, set);

	if (s != HS_OK) {
		complain("lint cannot begin: %s", hs_status_text(s));
		return EXIT_USAGE;
	}
	if (t->json)
		fputs("\"findings\":[\n", stdout);
	const bool whole = lint_all(lint, source, t, &lo);

	summary(t, lint, o->args[0]);
	hs_lint_free(lint);
	if (!whole)
		return EXIT_DAMAGED;
	return t->of[HS_SEVERITY_ERROR] || t->of[HS_SEVERITY_WARNING] ? EXIT_FINDINGS : EXIT_GOOD;
}

/* With the program of the options, or that TRACE.json names; without one if there is none. */
static enum hs_status open_trace(struct options *o, const struct hs_trace_params *params,
                                 struct hs_source **source, struct hs_error *e)
{
	o->source.path = o->args[0];
	o->source.params = params;
	enum hs_status s = hs_source_open(&o->source, source, e);

	if (s != HS_OK && !hs_source_names_code(&o->source)) {
		o->source.no_code = true;
		s = hs_source_open(&o->source, source, e);
	}
	if (s == HS_OK)
		verify_source(o, *source, o->args[0]);
	return s;
}

/* Does the code change while the trace runs (TRACE.code, --then)?  One image of it contradicts
 * packets that are right (design/code-versions). */
static bool code_changes(const struct options *o)
{
	struct hs_error e = { 0 };
	bool any = false;

	for (size_t i = 0; i < o->source.code_count; i++)
		if (o->source.code[i].moment)
			return true;
	if (hs_code_changes_beside(o->args[0], &any, &e) != HS_OK)
		complain("%s: the code is taken as one that does not change", e.text);
	return any;
}

/* The line of one of several sources, or what a JSON object of it begins with. */
static void print_part(const struct hs_source_part *p, bool json, bool first)
{
	printf(json ? "%s{\"part\":{\"id\":%u,\"hart\":%u}," : "%ssource 0x%x, hart %u:\n",
	       !json   ? ""
	       : first ? "[\n"
	               : ",\n",
	       p->id, p->hart);
}

/* The source that is being read: the trace, or one of several. */
static int lint_part(struct hs_source *source, const struct lint_options *own, bool first)
{
	const struct options *o = &own->shared;
	const struct hs_trace_params *params = hs_source_known(source)->params;
	const struct hs_source_part *part = hs_source_known(source)->part;
	struct lint_tally t;
	int status = EXIT_USAGE;

	if (tally_init(&t, hs_trace_params_protocol(params), own, part != NULL)) {
		if (part)
			print_part(part, o->json, first);
		else if (o->json)
			fputs("{", stdout);
		status = lint_source(source, hs_trace_params_config(params), &t, own);
	}
	free(t.kinds);
	return status;
}

/* The worst of all sources. */
static int lint_parts(struct hs_source *source, const struct lint_options *own)
{
	const struct options *o = &own->shared;
	struct hs_error e = { 0 };
	int status = lint_part(source, own, true);
	enum hs_status s = hs_source_next_part(source, &e);

	for (; s == HS_OK; s = hs_source_next_part(source, &e)) {
		const int one = lint_part(source, own, false);

		if (one == EXIT_DAMAGED || status == EXIT_GOOD)
			status = one;
	}
	if (o->json && hs_source_known(source)->part)
		fputs("]\n", stdout);
	return s == HS_END ? status : fail(&e);
}

static int lint_trace(struct lint_options *own, const struct hs_trace_params *params)
{
	struct options *o = &own->shared;
	struct parts parts;
	struct hs_source *source;
	struct hs_error e = { 0 };
	int status;

	if (code_changes(o)) {
		complain("%s: its code changes while it runs: the flow is not checked", o->args[0]);
		o->source.no_code = true;
	}
	enum hs_status s = parts_open(o, &parts, &e);

	o->source.parts = parts.list;
	o->source.part_count = parts.count;
	if (s == HS_OK)
		s = open_trace(o, params, &source, &e);
	parts_close(&parts);
	if (s != HS_OK)
		return fail(&e);
	note_discovery(source);
	status = lint_parts(source, own);
	hs_source_close(source);
	return status;
}

int cmd_lint(int argc, char **argv)
{
	struct found found = { .params = NULL };
	struct hs_error e = { 0 };
	struct lint_options own = { .max = 20 };
	struct options *o = &own.shared;
	int status;

	if (!options_parse(&usage, argc, argv, o, &status))
		return status;
	if (own.kinds)
		return print_kinds(&own);
	if (!o->arg_count) {
		complain("lint needs a trace; see 'hartscope lint --help'");
		return EXIT_USAGE;
	}
	if (refuse_recording(o->args[0], "encode it first"))
		return EXIT_USAGE;
	o->source.no_code = !hs_source_names_code(&o->source); /* a trace may still have its own */
	const enum hs_status s = open_params(o, o->args[0], &found, &e);

	o->source.no_code = false;
	if (s == HS_OK) {
		found_move(&found, &o->capture, o->store.code, o->source.code_count);
		for (size_t i = 0; i < found.part_count; i++)
			o->parts.at[o->parts.count++] = found.part[i];
		if (found.part_count)
			o->capture.transport = found.transport;
		status = lint_trace(&own, found.params);
	} else {
		status = fail(&e);
	}
	hs_trace_params_free(found.params);
	return status;
}
