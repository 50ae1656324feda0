/* Positions: from text, and in a source (position.h). */
#include <stdlib.h>
#include <string.h>

#include <hartscope/listing.h>

#include "common/position.h"

#define BATCH 64 /* as exact as hs_source_decoded() is asked for */

/* ---- text ----------------------------------------------------------------------- */

static bool parse_number(const char *text, const char *end, int base, uint64_t *out)
{
	char *stop;

	*out = strtoull(text, &stop, base);
	return stop == end && text < end && *text != '-' && *text != '+';
}

/* Take @N from the end.  Its start, or the end of the text where there is none. */
static const char *take_count(const char *text, uint64_t *count)
{
	const char *at = strrchr(text, '@'), *end = text + strlen(text);

	*count = 1;
	if (!at || at == text || !parse_number(at + 1, end, 10, count) || !*count) {
		*count = 1;
		return end;
	}
	return at;
}

bool position_parse(const char *option, const char *text, struct position *out)
{
	const char *end = text + strlen(text), *name_end;
	bool good = true;

	*out = (struct position){ .count = 1 };
	if (strncmp(text, "time:", 5) == 0) {
		out->kind = POSITION_TIME;
		good = parse_number(text + 5, end, 0, &out->value);
	} else if (strncmp(text, "byte:", 5) == 0) {
		out->kind = POSITION_BYTE;
		good = parse_number(text + 5, end, 0, &out->value);
	} else if (strncmp(text, "0x", 2) == 0) {
		out->kind = POSITION_PC;
		good = parse_number(text, take_count(text, &out->count), 16, &out->value);
	} else if (*text >= '0' && *text <= '9') {
		good = parse_number(text, end, 10, &out->value);
	} else {
		out->kind = POSITION_FUNCTION;
		name_end = take_count(text, &out->count);
		good = name_end > text && (size_t)(name_end - text) < sizeof(out->name);
		if (good)
			memcpy(out->name, text, (size_t)(name_end - text));
	}
	if (!good)
		complain("%s '%s': not a position: N, time:T, byte:OFFSET, 0xADDRESS[@N] or "
		         "FUNCTION[@N]",
		         option, text);
	return good;
}

/* ---- in a source ---------------------------------------------------------------- */

struct search {
	const struct position *at;
	uint64_t pc, left; /* times that it is still to come */
	struct hs_source *source;
	struct hs_listing *counter;
	bool found;
};

static bool discard(void *context, const void *text, size_t n)
{
	(void)context;
	(void)text;
	(void)n;
	return true;
}

static enum hs_status new_counter(struct search *s, uint64_t before)
{
	const struct hs_listing_options lo = { .size = sizeof(lo),
		                               .format = HS_LISTING_PC,
		                               .write = discard,
		                               .program = hs_source_program(s->source),
		                               .skip = UINT64_MAX,
		                               .programs = hs_source_programs(s->source),
		                               .before = before };

	return hs_listing_new(&lo, &s->counter);
}

/* Does an instruction of the block begin at the address?  Where its code is not known, yes. */
static bool begins_at(const struct search *s, const struct hs_block *b)
{
	const struct hs_image *image = hs_program_image(hs_source_program(s->source));
	struct hs_insn insn;
	uint64_t at = b->iaddr;

	if (b->kind != HS_KIND_BLOCK || s->pc < b->iaddr || s->pc >= hs_block_end(b))
		return false;
	while (at < s->pc && hs_img_insn(image, at, &insn) == HS_OK)
		at += 2u * insn.hwords;
	return at <= s->pc;
}

/* Is the position before or in this item?  What is before it is counted. */
static bool look_at(struct search *s, const struct hs_block *b)
{
	struct hs_block part = *b;

	if (s->at->kind == POSITION_TIME)
		return b->kind == HS_KIND_TIME && b->value >= s->at->value;
	if (s->at->kind == POSITION_BYTE)
		return b->kind == HS_KIND_BLOCK && hs_source_decoded(s->source) > s->at->value;
	if (!begins_at(s, b) || --s->left)
		return false;
	part.iretire = (uint32_t)((s->pc - b->iaddr) / 2);
	part.itype = HS_ITYPE_NONE;
	if (part.iretire)
		hs_listing_add(s->counter, &part, 1);
	return true;
}

static bool look_through(struct search *s)
{
	struct hs_block items[BATCH];
	struct hs_error e = { 0 };
	enum hs_status status = HS_OK;
	size_t n;

	while (status != HS_END && !s->found) {
		size_t i = 0, from = 0;

		status = hs_source_next(s->source, items, BATCH, &n, &e);
		for (; i < n && !s->found; i++) {
			if (s->at->kind < POSITION_PC && items[i].kind == HS_KIND_BLOCK &&
			    s->at->kind != POSITION_BYTE)
				continue;
			hs_listing_add(s->counter, items + from, i - from);
			from = i;
			s->found = look_at(s, &items[i]);
		}
		if (!s->found)
			hs_listing_add(s->counter, items + from, n - from);
	}
	return s->found;
}

static bool find_function(struct search *s)
{
	const struct hs_program_set *set = hs_source_programs(s->source);

	if (hs_program_find_symbol(hs_source_program(s->source), s->at->name, &s->pc))
		return true;
	for (size_t i = 0; set && i < set->count; i++)
		if (hs_program_find_symbol(set->programs[i], s->at->name, &s->pc))
			return true;
	complain("no function '%s' is known", s->at->name);
	return false;
}

bool position_find(struct hs_source *source, const char *path, const struct position *at,
                   uint64_t *n)
{
	struct search s = { .at = at, .pc = at->value, .left = at->count, .source = source };
	struct hs_trace_index_entry entry = { .instructions = 0 };
	uint64_t total;

	*n = at->value;
	if (at->kind == POSITION_INSTRUCTION)
		return true;
	if (at->kind == POSITION_FUNCTION && !find_function(&s))
		return false;
	if (at->kind == POSITION_TIME)
		index_seek(source, path, HS_TRACE_INDEX_TIME, at->value, &entry, &total);
	if (at->kind == POSITION_BYTE)
		index_seek(source, path, HS_TRACE_INDEX_BYTE, at->value, &entry, &total);
	if (new_counter(&s, entry.instructions) != HS_OK) {
		complain("out of memory");
		return false;
	}
	const bool found = look_through(&s);

	*n = hs_listing_count(s.counter);
	hs_listing_free(s.counter);
	if (!found)
		complain("%s%s is not reached",
		         at->kind == POSITION_FUNCTION ? at->name : "the position",
		         at->count > 1 ? ", so often," : "");
	return found;
}
