/* The range of a flow that a command reads: --from, --to, --last, --function. */
#include <string.h>

#include "common/index_file.h"

/* ---- options ---------------------------------------------------------------------- */

static bool parse_position(void *to, const struct option_row *r, char *value)
{
	if (hs_position_parse(value, to) == HS_OK)
		return true;
	complain("%s '%s': not a position: N, time:T, byte:OFFSET, 0xADDRESS[@N], insn:BITS[@N], "
	         "ecall:A7[@N] or FUNCTION[@N]",
	         r->name, value);
	return false;
}

/* clang-format off */
const struct option_row options_range[] = {
	{ "--from", 0, "POSITION",
	  "begin there: an instruction's number N, counted from 0; time:T in ticks; "
	  "byte:OFFSET of a trace; 0xADDRESS, FUNCTION, insn:BITS, "
	  "ecall:A7, with @N the Nth time that it is executed",
	  AS_PARSED(struct options, range.of.from, parse_position) },
	{ "--to", 0, "POSITION", "stop before it; without @N the first time after --from",
	  AS_PARSED(struct options, range.of.to, parse_position) },
	{ "--last", 0, "N", "only the last N instructions",
	  AS_NUMBER(struct options, range.last, 0) },
	{ "--function", 0, "NAME", "only instructions of this function: its name, or its symbol",
	  AS_TEXT(struct options, range.of.function) },
	{ .name = NULL }
};

const struct option_row options_around[] = {
	{ "--around", 0, "POSITION", "20 instructions before and after it, or as many as --limit",
	  AS_PARSED(struct options, range.around, parse_position) },
	{ .name = NULL }
};
/* clang-format on */

static bool is_of(const struct range_options *r, enum hs_position_kind kind)
{
	return r->of.from.kind == kind || r->of.to.kind == kind || r->around.kind == kind;
}

static bool numbers_fit(const struct hs_range_options *r)
{
	const struct hs_position *from = &r->from, *to = &r->to;
	const bool fit = to->kind != from->kind || to->kind == HS_POSITION_NONE ||
	                 to->kind > HS_POSITION_BYTE || to->value > from->value;

	if (!fit)
		complain("--to %llu is not after --from %llu", (unsigned long long)to->value,
		         (unsigned long long)from->value);
	return fit;
}

bool option_ranges_fit(struct options *o)
{
	struct range_options *r = &o->range;
	const bool from_to = r->of.from.kind || r->of.to.kind;

	r->given = from_to || r->last || r->around.kind || r->of.function;
	if (r->of.function || is_of(r, HS_POSITION_FUNCTION))
		o->source.names = true;
	if (is_of(r, HS_POSITION_BYTE))
		o->source.threads = 1; /* which bytes the items come from */
	if (r->given)
		o->source.versions = true;
	if (r->last && from_to)
		complain("--last stands without --from and --to");
	else if (r->around.kind && (from_to || r->last))
		complain("--around stands without --from, --to and --last");
	else if (r->given && o->job.parts)
		complain("a range stands without --part and --parts");
	else
		return numbers_fit(&r->of);
	return false;
}

/* ---- sources ----------------------------------------------------------------------- */

/* Instructions of all of a source, which is rewound. */
static enum hs_status count_all(struct hs_source *source, uint64_t *count, struct hs_error *e)
{
	const struct hs_range_options none = {
		.size = sizeof(none),
		.from = { .kind = HS_POSITION_INSTRUCTION, .value = UINT64_MAX }
	};
	struct hs_range_found found = { .seen = 0 };
	struct hs_block items[64];
	enum hs_status s = hs_source_set_range(source, &none, 0, e);
	size_t n;

	while (s != HS_END && exit_of(s) != EXIT_USAGE)
		s = hs_source_next(source, items, sizeof(items) / sizeof(*items), &n, e);
	if (s != HS_END)
		return s;
	hs_source_get_range(source, &found);
	*count = found.seen;
	return hs_source_rewind(source, e);
}

/* Can the range begin at a place of the index?  Times before an address or function are not counted
 * there, and several harts of a recording come one after the other. */
static bool may_seek(const struct hs_range_options *r, const struct hs_source *source)
{
	const struct hs_rec_info *info = hs_source_info(source);

	if (r->from.kind == HS_POSITION_NONE || r->from.kind > HS_POSITION_BYTE || r->to.count)
		return false;
	return r->from.kind != HS_POSITION_TIME || !info || info->harts <= 1;
}

/* Go to a place before the start of the range. */
static uint64_t seek(const struct hs_range_options *r, const char *path, struct hs_source *source)
{
	static const enum hs_trace_index_key keys[] = {
		[HS_POSITION_INSTRUCTION] = HS_TRACE_INDEX_INSTRUCTIONS,
		[HS_POSITION_TIME] = HS_TRACE_INDEX_TIME,
		[HS_POSITION_BYTE] = HS_TRACE_INDEX_BYTE,
	};
	struct hs_trace_index_entry entry = { .instructions = 0 };
	uint64_t total;

	if (may_seek(r, source))
		index_seek(source, path, keys[r->from.kind], r->from.value, &entry, &total);
	return entry.instructions;
}

/* --last: where it begins. */
static enum hs_status find_last(const struct options *o, const char *path,
                                struct hs_source *source, struct hs_position *from,
                                struct hs_error *e)
{
	struct hs_trace_index_entry entry;
	uint64_t total;
	enum hs_status s = HS_OK;

	if (index_seek(source, path, HS_TRACE_INDEX_INSTRUCTIONS, 0, &entry, &total))
		s = hs_source_rewind(source, e);
	if (s == HS_OK && total == UINT64_MAX)
		s = count_all(source, &total, e);
	*from = (struct hs_position){ .kind = HS_POSITION_INSTRUCTION,
		                      .value = total > o->range.last ? total - o->range.last : 0 };
	return s;
}

enum hs_status range_set(const struct options *o, const char *path, struct hs_source *source,
                         struct hs_error *e)
{
	struct hs_range_options range = o->range.of;
	enum hs_status s = HS_OK;

	if (!o->range.given)
		return HS_OK;
	if (o->range.around.kind)
		range.from = o->range.around;
	if (o->range.last)
		s = find_last(o, path, source, &range.from, e);
	return s == HS_OK ? hs_source_set_range(source, &range, seek(&range, path, source), e) : s;
}
