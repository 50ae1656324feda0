/* Ranges: positions from text. */
#include <stdlib.h>
#include <string.h>

#include <hartscope/status.h>

#include "source/range_private.h"

/* A count, also as 1e6 or 5M. */
static bool parse_count(const char *text, uint64_t *out)
{
	return hs_text_number(text, 1000, out) == HS_OK;
}

static bool parse_number(const char *text, const char *end, int base, uint64_t *out)
{
	char *stop;

	*out = strtoull(text, &stop, base);
	return stop == end && text < end && *text != '-' && *text != '+' && *text != ' ';
}

/* Take @N or #N from the end.  Its start, or the end of the text where there is none. */
static const char *take_count(const char *text, uint64_t *count)
{
	const char *at = strrchr(text, '@'), *hash = strrchr(text, '#');
	const char *end = text + strlen(text);

	at = hash > at ? hash : at;
	if (at && at > text && parse_number(at + 1, end, 10, count) && *count)
		return at;
	*count = 0;
	return end;
}

static bool is_word(const char *text, const char *word, const char **rest)
{
	const size_t n = strlen(word);

	*rest = text + n;
	return strncmp(text, word, n) == 0;
}

static bool parse_function(const char *text, struct hs_position *out)
{
	const char *end = take_count(text, &out->count);
	const size_t n = (size_t)(end - text);

	if (!n || n >= sizeof(out->name))
		return false;
	memcpy(out->name, text, n);
	return true;
}

static bool parse(const char *text, struct hs_position *out)
{
	const char *rest;

	if (is_word(text, "time:", &rest)) {
		out->kind = HS_POSITION_TIME;
		return parse_count(rest, &out->value);
	}
	if (is_word(text, "byte:", &rest)) {
		out->kind = HS_POSITION_BYTE;
		return parse_count(rest, &out->value);
	}
	if (is_word(text, "insn:", &rest)) {
		out->kind = HS_POSITION_BITS;
		return parse_number(rest, take_count(text, &out->count), 0, &out->value);
	}
	if (is_word(text, "ecall:", &rest)) {
		out->kind = HS_POSITION_ECALL;
		return parse_number(rest, take_count(text, &out->count), 0, &out->value);
	}
	if (is_word(text, "0x", &rest)) {
		out->kind = HS_POSITION_PC;
		return parse_number(text, take_count(text, &out->count), 16, &out->value);
	}
	if (*text >= '0' && *text <= '9') {
		out->kind = HS_POSITION_INSTRUCTION;
		return parse_count(text, &out->value);
	}
	out->kind = HS_POSITION_FUNCTION;
	return parse_function(text, out);
}

enum hs_status hs_position_parse(const char *text, struct hs_position *out)
{
	struct hs_position p = { .kind = HS_POSITION_NONE };

	if (!parse(text, &p))
		return HS_E_ARG;
	*out = p;
	return HS_OK;
}
