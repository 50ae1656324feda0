/* The range of a flow that a command reads: --from, --to, --last, --function. */
#include <string.h>

#include "common/tool.h"

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
	if (r->of.function || r->writes_to || is_of(r, HS_POSITION_FUNCTION))
		o->source.names = true;
	if (is_of(r, HS_POSITION_BYTE))
		o->source.threads = 1; /* which bytes the items come from */
	if (r->given)
		o->source.versions = true;
	if (r->last && from_to && !r->writes_to)
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

static void say(void *to, const char *text)
{
	(void)to;
	complain("%s", text);
}

enum hs_status range_set(const struct options *o, const char *path, struct hs_source *source,
                         struct hs_error *e)
{
	struct hs_range_options range = o->range.of;

	if (!o->range.given)
		return HS_OK;
	range.size = sizeof(range);
	if (o->range.around.kind)
		range.from = o->range.around;
	range.last = o->range.writes_to ? 0 : o->range.last;
	range.index = path;
	range.note = say;
	return hs_source_set_range(source, &range, e);
}
