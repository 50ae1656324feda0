/* Data for people and for programs, from the same calls. */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <hartscope/status.h>

#include "common/tool.h"

#include <hartscope/source.h>

/* Whole, however long it is. */
static void json_string(FILE *f, const char *text)
{
	char few[1024], *quoted = few;
	const size_t room = 6 * strlen(text) + 3; /* \u0080 for a byte */

	if (room > sizeof(few))
		quoted = malloc(room);
	if (!quoted) {
		complain("out of memory: a text is left out");
		fputs("\"\"", f);
		return;
	}
	hs_json_string(quoted, room, text);
	fputs(quoted, f);
	if (quoted != few)
		free(quoted);
}

/* What stands before an item: a comma and, for a member, its key. */
static void json_key(struct report *r, const char *key)
{
	if (r->comma[r->depth])
		fputc(',', r->f);
	r->comma[r->depth] = true;
	if (!r->row)
		fprintf(r->f, "\n%*s", 2 * (int)r->depth, "");
	if (key) {
		json_string(r->f, key);
		fputs(": ", r->f);
	}
}

static void json_open(struct report *r, char bracket)
{
	fputc(bracket, r->f);
	r->comma[++r->depth] = false;
}

static void json_close(struct report *r, char bracket)
{
	if (r->comma[r->depth] && !r->row)
		fprintf(r->f, "\n%*s", 2 * (int)(r->depth - 1), "");
	r->depth--;
	fputc(bracket, r->f);
}

void report_begin(struct report *r, FILE *f, bool json)
{
	*r = (struct report){ .f = f, .json = json };
	if (json)
		json_open(r, '{');
}

void report_end(struct report *r)
{
	if (!r->json)
		return;
	json_close(r, '}');
	fputc('\n', r->f);
}

/* Text that nothing in acts: a line of its own, or one more column of a row. */
static void plain_item(struct report *r, const char *label, const char *text)
{
	if (!label)
		return;
	if (!r->row) {
		fprintf(r->f, "%-20s %s\n", label, text);
		return;
	}
	fputs("  ", r->f);
	fputs(text, r->f);
	if (*label) {
		fputc(' ', r->f);
		fputs(label, r->f);
	}
}

static void text_item(struct report *r, const char *label, const char *value)
{
	char text[8192];

	if (!label)
		return;
	hs_text_escape(text, sizeof(text), value);
	plain_item(r, label, text);
}

/* The key of a member whose value is a function's name. */
static bool is_name_key(const char *key)
{
	return key && (strcmp(key, "name") == 0 || strcmp(key, "function") == 0);
}

const char *name_in_text(const struct report *r, const char *name, char text[NAME_SHOWN])
{
	if (!name)
		return "(no symbol)";
	if (r->json || !wants_short_names(r->f))
		return name;
	short_name(text, NAME_SHOWN, name);
	return text;
}

void report_text(struct report *r, const char *key, const char *label, const char *value)
{
	char name[NAME_SHOWN];

	if (!r->json) {
		text_item(r, label, is_name_key(key) ? name_in_text(r, value, name) : value);
		return;
	}
	json_key(r, key);
	json_string(r->f, value);
}

const char *number_grouped(uint64_t v, unsigned width, char text[32])
{
	char *const end = text + 31, *to = end;
	unsigned n = 0;

	*to = '\0';
	do {
		if (n && n % 3 == 0)
			*--to = ',';
		*--to = (char)('0' + v % 10);
		n++;
		v /= 10;
	} while (v);
	while (end - to < (ptrdiff_t)width)
		*--to = ' ';
	return to;
}

static void report_number(struct report *r, const char *label, uint64_t value)
{
	char text[32];

	plain_item(r, label, number_grouped(value, r->row ? 15 : 0, text));
}

void report_u64(struct report *r, const char *key, const char *label, uint64_t value)
{
	char text[HS_JSON_NUMBER];

	if (!r->json) {
		report_number(r, label, value);
		return;
	}
	json_key(r, key);
	hs_json_u64(text, value);
	fputs(text, r->f);
}

void report_u32(struct report *r, const char *key, const char *label, uint32_t value)
{
	if (!r->json) {
		report_number(r, label, value);
		return;
	}
	json_key(r, key);
	fprintf(r->f, "%u", value);
}

void report_hex(struct report *r, const char *key, const char *label, uint64_t value)
{
	char text[32];

	snprintf(text, sizeof(text), "0x%llx", (unsigned long long)value);
	report_text(r, key, label, text);
}

void report_value(struct report *r, const char *key, uint64_t value)
{
	char text[32];

	snprintf(text, sizeof(text), "%llu", (unsigned long long)value);
	report_text(r, key, "", text);
}

void report_real(struct report *r, const char *key, const char *label, double value,
                 const char *unit)
{
	char text[64];

	if (r->json) {
		json_key(r, key);
		fprintf(r->f, "%.6g", value);
		return;
	}
	snprintf(text, sizeof(text), r->row ? "%7.2f%s%s" : "%.3f%s%s", value, *unit ? " " : "",
	         unit);
	text_item(r, label, text);
}

void report_fine(struct report *r, const char *key, const char *label, double value)
{
	char text[64];

	if (r->json) {
		report_real(r, key, label, value, "");
		return;
	}
	snprintf(text, sizeof(text), "%9.4f", value);
	text_item(r, label, text);
}

void library_text(const char *path, char *text, size_t size)
{
	const char *slash = strrchr(path, '/');
	const char *name = slash && slash[1] ? slash + 1 : path;
	char plain[256];

	hs_text_escape(plain, sizeof(plain), name);
	snprintf(text, size, *name == '[' ? "%s" : "[%s]", plain);
}

void report_library(struct report *r, const char *path, bool own)
{
	report_library_of(r, NULL, path, own);
}

void report_library_of(struct report *r, const char *what, const char *path, bool own)
{
	char text[300];

	if (!path || (own && !r->json))
		return;
	if (r->json) {
		const char *slash = strrchr(path, '/');

		snprintf(text, sizeof(text), "%s%s", what ? what : "",
		         what ? "Library" : "library");
		report_text(r, text, "", slash && slash[1] ? slash + 1 : path);
		return;
	}
	library_text(path, text, sizeof(text));
	fprintf(r->f, "  %s", text);
}

void report_bool(struct report *r, const char *key, const char *label, bool value)
{
	if (!r->json) {
		text_item(r, label, value ? "yes" : "no");
		return;
	}
	json_key(r, key);
	fputs(value ? "true" : "false", r->f);
}

void report_list(struct report *r, const char *key, const char *title)
{
	if (!r->json) {
		fprintf(r->f, "\n%s\n", title);
		return;
	}
	json_key(r, key);
	json_open(r, '[');
}

void report_list_end(struct report *r)
{
	if (r->json)
		json_close(r, ']');
}

void report_row(struct report *r)
{
	if (r->json) {
		json_key(r, NULL);
		json_open(r, '{');
	}
	r->row = true;
}

void report_row_end(struct report *r)
{
	if (r->json)
		json_close(r, '}');
	r->row = false;
	if (!r->json)
		fputc('\n', r->f);
}

/* An image by its number, as --then separates them. */
static void show_version(struct report *r, uint32_t version)
{
	char text[32] = "patched";

	if (version != HS_CODE_PATCHED)
		snprintf(text, sizeof(text), "image %u", version);
	report_text(r, "version", NULL, text);
	if (!r->json)
		fprintf(r->f, "  %-9s", text);
}

static void report_code(struct report *r, const struct hs_section *code)
{
	report_u64(r, "bytes", "", code->size);
	report_hex(r, "address", "", code->start);
}

/* A row of a list; false: there are no more. */
typedef bool list_row(struct report *r, const struct hs_code_search *search, uint64_t i);

static bool change_row(struct report *r, const struct hs_code_search *search, uint64_t i)
{
	struct hs_code_search_change c;

	if (!hs_code_search_get_change(search, i, &c))
		return false;
	report_row(r);
	report_u32(r, "hart", "", c.source);
	report_code(r, &c.code);
	show_version(r, c.version);
	report_hex(r, "offset", "", c.offset);
	report_row_end(r);
	return true;
}

static bool doubt_row(struct report *r, const struct hs_code_search *search, uint64_t i)
{
	struct hs_code_search_doubt d;

	if (!hs_code_search_get_doubt(search, i, &d))
		return false;
	report_row(r);
	report_u64(r, "disputes", "", d.disputes);
	report_code(r, &d.code);
	report_row_end(r);
	return true;
}

/* A list of @count rows; as text only if there are any. */
static void show_list(struct report *r, const char *key, const char *title, uint64_t count,
                      list_row *row, const struct hs_code_search *search)
{
	if (!count && !r->json)
		return;
	report_list(r, key, title);
	for (uint64_t i = 0; row(r, search, i); i++)
		;
	report_list_end(r);
}

void versions_lists(struct report *r, const struct hs_source *source)
{
	const struct hs_code_search *search = hs_source_known(source)->search;
	struct hs_code_search_report v;

	if (!search)
		return;
	hs_code_search_get_report(search, &v);
	show_list(r, "changes", "changes of code: hart, bytes, address, version, trace offset",
	          v.changes, change_row, search);
	show_list(r, "doubts", "where more than one version fits: times, bytes, address",
	          v.disputes, doubt_row, search);
}

void versions_report(struct report *r, const struct hs_source *source)
{
	const struct hs_code_search *search = hs_source_known(source)->search;
	struct hs_code_search_report v;

	if (!search)
		return;
	hs_code_search_get_report(search, &v);
	report_u64(r, "codeSites", "code that differs", v.sites);
	report_u64(r, "codeSitesPlain", "  plain instructions", v.plain);
	report_u64(r, "codeChanges", "code changes", v.changes);
	report_u64(r, "codeDisputes", "versions in doubt", v.disputes);
	report_u64(r, "codeUnsolved", "no version fits", v.unsolved);
}

static void note_forgotten(uint64_t frames)
{
	if (frames)
		complain(
			"%llu open calls were dropped: a stack has more than 4194304, or more than "
			"4096 stacks wait; what was called in them is counted without them, and "
			"totals are too small; a part of the flow (--from, --to) has fewer",
			(unsigned long long)frames);
}

void note_calls(const struct hs_call_tree_result *t)
{
	const uint64_t unsure = t->unsure, instructions = t->instructions;

	if (unsure > instructions / 100)
		complain(
			"%.0f %% of the instructions ran where the callers are not sure (the flow "
			"begins inside of calls, or changes stacks in a way that is not followed): "
			"counts of functions themselves are right; their totals, callers and numbers "
			"of calls may be wrong there",
			100.0 * (double)unsure / (double)instructions);
	if (t->full)
		complain("more paths of calls than the 4194304 that are kept: what is called deep "
		         "in them is counted where they are cut; a part of the flow (--from, --to) "
		         "has fewer");
	note_forgotten(t->forgotten);
}
