/* Reading a dump of CTR: pairs of names and values. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ctr_explain/private.h"

const struct explain_csr explain_csrs[SINK_CSRS] = {
#define HS_CTR_CSR(version, number, name, reg) { HS_CTR_##version, reg, number, name },
#include <hartscope/tables/ctr_csrs.def>
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

static bool number(const char *text, uint64_t *out)
{
	char *end;

	errno = 0;
	*out = strtoull(text, &end, 0);
	return *text >= '0' && *text <= '9' && !*end && !errno;
}

/* ctrsource[N] and the like; -1 if it is none of them, -2 if N is wrong. */
static int entry_of(const char *name, unsigned *index)
{
	static const char *const names[] = { "ctrsource", "ctrtarget", "ctrdata" };

	for (int i = 0; i < 3; i++) {
		const size_t n = strlen(names[i]);
		char *end;

		if (strncmp(name, names[i], n) != 0)
			continue;
		const char *digits = name + n + (name[n] == '[');
		const unsigned long v = strtoul(digits, &end, 10);

		if (end == digits || v >= HS_CTR_ENTRIES || (*end == ']') != (name[n] == '[') || (*end && end[*end == ']']))
			return -2;
		*index = (unsigned)v;
		return i;
	}
	return -1;
}

/* A register of one version or both. */
static bool take_register(struct explain_dump *d, const char *name, uint64_t value)
{
	bool known = false;

	for (unsigned i = 0; i < SINK_CSRS; i++) {
		if (strcmp(explain_csrs[i].name, name) != 0)
			continue;
		d->have[i] = known = true;
		d->value[i] = value;
	}
	return known;
}

static bool take_version(struct explain_dump *d, const char *value)
{
	const bool draft = strcmp(value, "0.1.4") == 0;

	if (!draft && strcmp(value, "1.0") != 0)
		return false;
	if (d->version < 0)
		d->version = draft ? HS_CTR_0_1_4 : HS_CTR_1_0;
	return true;
}

static enum hs_status take(struct explain_dump *d, unsigned line, const char *name, const char *value,
                           struct hs_error *error)
{
	unsigned index = 0;
	const int which = entry_of(name, &index);
	uint64_t v = 0;

	if (strcmp(name, "version") == 0)
		return take_version(d, value) ? HS_OK : hs_error_set(error, HS_E_FORMAT,
		                                                     "line %u: version is 0.1.4 or 1.0", line);
	if (!number(value, &v))
		return hs_error_set(error, HS_E_FORMAT, "line %u: %s: '%s' is no number", line, name, value);
	if (which == -2)
		return hs_error_set(error, HS_E_FORMAT, "line %u: %s: entries are [0] to [255]", line, name);
	if (which >= 0) {
		d->entry[index][which] = v;
		d->entry_have[index] |= (uint8_t)(1u << which);
	} else if (strcmp(name, "xlen") == 0 && (v == 32 || v == 64)) {
		d->xlen = d->xlen ? d->xlen : (unsigned)v;
	} else if (!take_register(d, name, v)) {
		explain_say(d, HS_CTR_NOTE, name, v, "not a register of CTR");
	}
	return HS_OK;
}

/* Comments may hold anything; the rest goes to terminals. */
static bool is_text(const char *at, const char *end)
{
	for (; at < end && *at != '#'; at++)
		if ((*at < ' ' && *at != '\t' && *at != '\r') || *at > '~')
			return false;
	return true;
}

enum hs_status explain_dump_read(struct explain_dump *d, const char *text, size_t n, struct hs_error *error)
{
	const char *at = text, *end = text + n;

	for (unsigned line = 1; at < end; line++) {
		const char *stop = memchr(at, '\n', (size_t)(end - at));
		char name[TOKEN], value[TOKEN];
		enum hs_status s = HS_OK;

		stop = stop ? stop : end;
		if (!is_text(at, stop))
			return hs_error_set(error, HS_E_FORMAT, "line %u: not text", line);
		while (s == HS_OK && next_token(&at, stop, name)) {
			if (!next_token(&at, stop, value))
				return hs_error_set(error, HS_E_FORMAT, "line %u: %s has no value", line, name);
			s = take(d, line, name, value, error);
		}
		if (s != HS_OK)
			return s;
		at = stop < end ? stop + 1 : end;
	}
	return HS_OK;
}
