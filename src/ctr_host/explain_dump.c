/* Reading a dump of CTR: pairs of names and values. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ctr_host/explain_private.h"

const struct explain_csr explain_csrs[EXPLAIN_CSRS] = {
#define HS_CTR_CSR(version, number, name, reg) { HS_CTR_##version, reg, name },
#include "ctr/ctr_csrs.def"
#undef HS_CTR_CSR
};

#define TOKEN 64

/* The next word of a line into @token; false at its end. */
static bool next_token(const char **at, const char *end, char token[TOKEN])
{
	static const char between[] = " \t\r=:,";
	size_t n = 0;

	while (*at < end && **at && strchr(between, **at))
		(*at)++;
	if (*at == end || **at == '#')
		return false;
	for (; *at < end && !(**at && strchr(between, **at)) && **at != '#'; (*at)++)
		if (n + 1 < TOKEN)
			token[n++] = **at;
	token[n] = '\0';
	return true;
}

static bool parse_number(const char *text, uint64_t *out)
{
	char *end;

	errno = 0;
	*out = strtoull(text, &end, 0);
	return *text >= '0' && *text <= '9' && !*end && !errno;
}

enum name_kind { NAME_ENTRY, NAME_BAD_INDEX, NAME_OTHER };

/* ctrsource[N] and the like: which of the three registers, and N. */
static enum name_kind parse_entry_name(const char *name, unsigned *part, unsigned *index)
{
	static const char *const names[] = { "ctrsource", "ctrtarget", "ctrdata" };

	for (unsigned i = 0; i < EXPLAIN_PARTS; i++) {
		const size_t n = strlen(names[i]);
		char *end;

		if (strncmp(name, names[i], n) != 0)
			continue;
		const bool bracket = name[n] == '[';
		const char *digits = name + n + bracket;
		const unsigned long v = strtoul(digits, &end, 10);

		if (end == digits || v >= HS_CTR_ENTRIES || (*end == ']') != bracket ||
		    (*end && end[*end == ']']))
			return NAME_BAD_INDEX;
		*part = i;
		*index = (unsigned)v;
		return NAME_ENTRY;
	}
	return NAME_OTHER;
}

/* A register of one version or both. */
static bool set_register(struct explain_dump *d, const char *name, uint64_t value)
{
	bool known = false;

	for (unsigned i = 0; i < EXPLAIN_CSRS; i++) {
		if (strcmp(explain_csrs[i].name, name) != 0)
			continue;
		d->have[i] = known = true;
		d->value[i] = value;
	}
	return known;
}

/* What the caller chose wins over the dump. */
static bool set_version(struct explain_dump *d, const char *value)
{
	const bool draft = strcmp(value, "0.1.4") == 0;

	if (!draft && strcmp(value, "1.0") != 0)
		return false;
	if (d->version == HS_CTR_ANY)
		d->version = draft ? HS_CTR_0_1_4 : HS_CTR_1_0;
	return true;
}

static void set_other(struct explain_dump *d, const char *name, uint64_t v)
{
	if (strcmp(name, "xlen") == 0 && (v == 32 || v == 64))
		d->xlen = d->xlen ? d->xlen : (unsigned)v;
	else if (!set_register(d, name, v))
		explain_remark(d, HS_CTR_REMARK_NOTE, name, v, "not a register of CTR");
}

static enum hs_status take_pair(struct explain_dump *d, unsigned line, const char *name,
                                const char *value, struct hs_error *error)
{
	unsigned index = 0, part = 0;
	const enum name_kind kind = parse_entry_name(name, &part, &index);
	uint64_t v = 0;

	if (strcmp(name, "version") == 0) {
		if (set_version(d, value))
			return HS_OK;
		return hs_error_set(error, HS_E_FORMAT, "line %u: version is 0.1.4 or 1.0", line);
	}
	if (!parse_number(value, &v))
		return hs_error_set(error, HS_E_FORMAT, "line %u: %s: '%s' is no number", line,
		                    name, value);
	if (kind == NAME_BAD_INDEX)
		return hs_error_set(error, HS_E_FORMAT, "line %u: %s: entries are [0] to [255]",
		                    line, name);
	if (kind == NAME_ENTRY) {
		d->entry[index][part] = v;
		d->entry_have[index] |= (uint8_t)(1u << part);
	} else {
		set_other(d, name, v);
	}
	return HS_OK;
}

/* No control characters: names and values are printed.  Comments may hold anything. */
static bool is_text(const char *at, const char *end)
{
	for (; at < end && *at != '#'; at++)
		if ((*at < ' ' && *at != '\t' && *at != '\r') || *at > '~')
			return false;
	return true;
}

static enum hs_status read_line(struct explain_dump *d, unsigned line, const char *at,
                                const char *end, struct hs_error *error)
{
	char name[TOKEN], value[TOKEN];
	enum hs_status s = HS_OK;

	if (!is_text(at, end))
		return hs_error_set(error, HS_E_FORMAT, "line %u: not text", line);
	while (s == HS_OK && next_token(&at, end, name)) {
		if (!next_token(&at, end, value))
			return hs_error_set(error, HS_E_FORMAT, "line %u: %s has no value", line,
			                    name);
		s = take_pair(d, line, name, value, error);
	}
	return s;
}

enum hs_status explain_dump_read(struct explain_dump *d, struct hs_span *text,
                                 struct hs_error *error)
{
	for (unsigned line = 1; text->n; line++) {
		const char *at = (const char *)text->p;
		const char *stop = memchr(at, '\n', text->n);
		const size_t n = stop ? (size_t)(stop - at) : text->n;
		const enum hs_status s = read_line(d, line, at, at + n, error);

		if (s != HS_OK)
			return s;
		text->p += n + (stop != NULL);
		text->n -= n + (stop != NULL);
	}
	return HS_OK;
}
