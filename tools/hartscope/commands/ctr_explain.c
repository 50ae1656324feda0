/* hartscope ctr --explain: a dump of CTR's registers and entries in words. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <hartscope/ctr.h>

#include "commands/ctr.h"

#define DUMP_MAX (1u << 20)

/* What was said, kept so that notes and misuse come last. */
struct remarks {
	struct hs_ctr_remark *v;
	size_t n;
	bool failed;
};

static void keep(void *context, const struct hs_ctr_remark *remark)
{
	struct remarks *r = context;
	struct hs_ctr_remark *more = realloc(r->v, (r->n + 1) * sizeof(*more)), *last;

	if (more)
		r->v = more;
	if (!more || r->failed) {
		r->failed = true;
		return;
	}
	last = &r->v[r->n++];
	*last = *remark;
	last->subject = strdup(remark->subject);
	last->text = strdup(remark->text);
	r->failed = !last->subject || !last->text;
}

static void free_remarks(struct remarks *r)
{
	for (size_t i = 0; i < r->n; i++) {
		free((char *)(uintptr_t)r->v[i].subject);
		free((char *)(uintptr_t)r->v[i].text);
	}
	free(r->v);
}

static size_t count(const struct remarks *r, enum hs_ctr_remark_kind kind)
{
	size_t n = 0;

	for (size_t i = 0; i < r->n; i++)
		n += r->v[i].kind == kind;
	return n;
}

static void show_text(const struct remarks *r)
{
	static const char *const titles[] = { NULL, "notes", "misuse: no hart holds this" };

	for (size_t i = 0; i < r->n; i++)
		if (r->v[i].kind == HS_CTR_REMARK_WORDS &&
		    strncmp(r->v[i].subject, "entry", 5) == 0)
			printf("%-13s %s\n", r->v[i].subject, r->v[i].text);
		else if (r->v[i].kind == HS_CTR_REMARK_WORDS)
			printf("%-13s 0x%llx: %s\n", r->v[i].subject,
			       (unsigned long long)r->v[i].value, r->v[i].text);
	for (int kind = HS_CTR_REMARK_NOTE; kind <= HS_CTR_REMARK_MISUSE; kind++) {
		if (!count(r, (enum hs_ctr_remark_kind)kind))
			continue;
		printf("\n%s\n", titles[kind]);
		for (size_t i = 0; i < r->n; i++)
			if ((int)r->v[i].kind == kind)
				printf("  %s: %s\n", r->v[i].subject, r->v[i].text);
	}
}

static void show_json(const struct remarks *r, enum hs_ctr_version version)
{
	static const char *const kinds[] = { "words", "note", "misuse" };
	struct report out;

	report_begin(&out, stdout, true);
	report_text(&out, "version", "", hs_ctr_version_name(version));
	report_list(&out, "remarks", "");
	for (size_t i = 0; i < r->n; i++) {
		report_row(&out);
		report_text(&out, "kind", "", kinds[r->v[i].kind]);
		report_text(&out, "subject", "", r->v[i].subject);
		report_hex(&out, "value", "", r->v[i].value);
		report_text(&out, "text", "", r->v[i].text);
		report_row_end(&out);
	}
	report_list_end(&out);
	report_end(&out);
}

/* All of a file, or of standard input; NULL after a complaint. */
static char *read_all(const char *path, size_t *n)
{
	const bool input = strcmp(path, "-") == 0;
	FILE *f = input ? stdin : fopen(path, "re");
	char *text = f ? malloc(DUMP_MAX) : NULL;

	if (!f) {
		complain("%s: %s", path, strerror(errno));
		return NULL;
	}
	*n = text ? fread(text, 1, DUMP_MAX, f) : 0;
	if (!text || ferror(f) || *n == DUMP_MAX) {
		complain("%s: %s", path, *n == DUMP_MAX ? "too long for a dump" : "cannot be read");
		free(text);
		text = NULL;
	}
	if (!input)
		fclose(f);
	return text;
}

/* --ctr version says what the dump does not. */
static bool version_of(const struct ctr_options *own, uint16_t *version)
{
	struct hs_ctr_settings s = { .size = sizeof(s) };
	struct hs_error e = { 0 };

	for (size_t i = 0; i < own->settings.count; i++) {
		if (hs_ctr_settings_set(&s, own->settings.at[i].name, own->settings.at[i].value,
		                        &e) != HS_OK) {
			complain("%s", e.text);
			return false;
		}
		if (strcmp(own->settings.at[i].name, "version") == 0)
			*version = s.version;
	}
	return true;
}

int explain_ctr(const struct ctr_options *own)
{
	const struct options *o = &own->shared;
	struct remarks r = { 0 };
	struct hs_ctr_explain_options x = { .size = sizeof(x) };
	struct hs_error e = { 0 };
	enum hs_ctr_version version = HS_CTR_ANY;
	struct hs_span span;
	char *text;
	int status;

	if (o->arg_count || own->export || own->at) {
		complain("--explain goes alone, or with --ctr version=");
		return EXIT_USAGE;
	}
	if (!version_of(own, &x.version))
		return EXIT_USAGE;
	text = read_all(own->explain, &span.n);
	if (!text)
		return EXIT_USAGE;
	span.p = (const uint8_t *)text;
	if (hs_ctr_explain(&span, &x, keep, &r, &version, &e) != HS_OK) {
		status = fail(&e);
	} else if (r.failed) {
		complain("out of memory");
		status = EXIT_USAGE;
	} else {
		if (o->json)
			show_json(&r, version);
		else
			printf("CTR %s\n\n", hs_ctr_version_name(version));
		if (!o->json)
			show_text(&r);
		status = count(&r, HS_CTR_REMARK_MISUSE) ? EXIT_FINDINGS : EXIT_GOOD;
	}
	free(text);
	free_remarks(&r);
	return status;
}
