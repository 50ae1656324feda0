/* Marks on the command line: 0xADDRESS, SYMBOL, insn:BITS, ecall:NUMBER, each with #COUNT. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <hartscope/program.h>

#include "common/mark.h"

static bool parse_number(const char *text, uint64_t *value)
{
	char *end;

	errno = 0;
	*value = strtoull(text, &end, 0);
	return text[0] >= '0' && text[0] <= '9' && *end == 0 && errno == 0;
}

static bool starts(const char *text, const char *prefix, const char **rest)
{
	const size_t n = strlen(prefix);

	*rest = text + n;
	return strncmp(text, prefix, n) == 0;
}

static bool parse_count(const char *text, uint32_t *count)
{
	uint64_t n;

	if (!parse_number(text, &n) || n == 0 || n > UINT32_MAX)
		return false;
	*count = (uint32_t)n;
	return true;
}

/* The mark without its count; a name is left for later. */
static bool parse_place(struct mark *m)
{
	const char *rest;

	if (parse_number(m->text, &m->mark.value))
		m->mark.kind = HS_RECORDER_MARK_ADDRESS;
	else if (starts(m->text, "insn:", &rest))
		m->mark.kind = HS_RECORDER_MARK_INSN;
	else if (starts(m->text, "ecall:", &rest))
		m->mark.kind = HS_RECORDER_MARK_ECALL;
	else
		m->mark.kind = HS_RECORDER_MARK_LINKED;
	if (m->mark.kind == HS_RECORDER_MARK_ADDRESS)
		return m->mark.value % 2 == 0;
	if (m->mark.kind == HS_RECORDER_MARK_LINKED)
		return m->text[0] != 0;
	return parse_number(rest, &m->mark.value);
}

bool mark_parse(const char *option, const char *text, struct mark *m)
{
	char *count;

	snprintf(m->text, sizeof(m->text), "%s", text);
	count = strchr(m->text, '#');
	if (count != NULL)
		*count = 0;
	if (strlen(text) < sizeof(m->text) &&
	    (count == NULL || parse_count(count + 1, &m->mark.count)) && parse_place(m))
		return true;
	fprintf(stderr, "hartscope record: %s %s: 0xADDRESS, SYMBOL, insn:BITS or ecall:NUMBER, "
	        "and #COUNT\n", option, text);
	return false;
}

bool mark_resolve(struct mark *m, const char *file)
{
	struct hs_program *p = NULL;
	struct hs_error error = { 0 };
	enum hs_status status;
	bool found = false;

	if (m->mark.kind != HS_RECORDER_MARK_LINKED)
		return true;
	status = hs_program_new(&p);
	if (status == HS_OK)
		status = hs_program_add_symbols(p, file, 0, &error);
	if (status == HS_OK)
		found = hs_program_find_symbol(p, m->text, &m->mark.value);
	if (status != HS_OK)
		fprintf(stderr, "hartscope record: %s\n", error.text);
	else if (!found)
		fprintf(stderr, "hartscope record: %s has no symbol %s\n", file, m->text);
	hs_program_free(p);
	return found;
}
