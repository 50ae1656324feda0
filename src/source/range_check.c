/* Ranges: was there what was asked for? */
#include <stdio.h>

#include "source/range_private.h"
#include "source/range.h"
#include "support/nearest.h"

#define TEXT 2048

static void add_nearest(const struct hs_range *r, const char *name, char *text)
{
	struct support_nearest nearest = { { NULL }, { 0 } };

	for (uint32_t i = 0; i < r->labels.count; i++)
		support_nearest_add(&nearest, name,
		                    *(const char **)support_hash_item(&r->labels, i));
	support_nearest_text(&nearest, text, TEXT);
}

static enum hs_status no_function(const struct hs_range *r, const char *name,
                                  struct hs_error *error)
{
	struct hs_program_function into;
	char text[TEXT];
	const int n = snprintf(text, sizeof(text), "no function that ran is called '%.900s'", name);

	if (r->program && hs_program_find_inlining(r->program, name, &into))
		snprintf(
			text + n, sizeof(text) - (size_t)n,
			": it is inlined, for example into '%.900s' ('report --by inline' counts it)",
			into.name);
	else
		add_nearest(r, name, text);
	return hs_error_set(error, HS_E_NOTHING, "%s", text);
}

static void describe(const struct hs_position *p, char *text, size_t size)
{
	static const char *const words[] = { [HS_POSITION_INSTRUCTION] = "instruction",
		                             [HS_POSITION_TIME] = "time",
		                             [HS_POSITION_BYTE] = "byte",
		                             [HS_POSITION_PC] = "address",
		                             [HS_POSITION_BITS] = "an instruction",
		                             [HS_POSITION_ECALL] = "an ecall with number" };
	const unsigned long long value = p->value;

	if (p->kind == HS_POSITION_FUNCTION)
		snprintf(text, size, "function '%.900s'", p->name);
	else if (p->kind == HS_POSITION_PC || p->kind == HS_POSITION_BITS)
		snprintf(text, size, "%s 0x%llx", words[p->kind], value);
	else
		snprintf(text, size, "%s %llu", words[p->kind], value);
}

static enum hs_status not_reached(const struct hs_range *r, const struct range_mark *m,
                                  const char *which, struct hs_error *error)
{
	char text[TEXT], unsure[80] = "";

	if (m->at.kind == HS_POSITION_FUNCTION && !m->times)
		return no_function(r, m->at.name, error);
	describe(&m->at, text, sizeof(text));
	if (m->at.kind < HS_POSITION_PC)
		return hs_error_set(error, HS_E_NOTHING,
		                    "the %s of the range, %s, is not reached: there are %llu "
		                    "instructions",
		                    which, text, (unsigned long long)r->found.seen);
	if (m->unsure)
		snprintf(unsure, sizeof(unsure), "; the numbers of %llu ecalls are not known",
		         (unsigned long long)m->unsure);
	return hs_error_set(error, HS_E_NOTHING,
	                    "the %s of the range, %s, is not reached: it ran %llu times%s%s", which,
	                    text, (unsigned long long)m->times,
	                    m->at.count || !m->times ? "" : ", none of them after the range began",
	                    unsure);
}

enum hs_status hs_range_check(const struct hs_range *r, struct hs_error *error)
{
	if (!r->from.reached && !r->to.reached)
		return not_reached(r, &r->from, "start", error);
	if (r->to.reached && !r->found.end && !r->found.wanted && r->found.seen)
		return hs_error_set(error, HS_E_NOTHING,
		                    "the range is empty: its end is not after its start");
	if (!r->to.reached && r->to.at.kind >= HS_POSITION_PC)
		return not_reached(r, &r->to, "end", error);
	if (r->function && !r->found.wanted)
		return no_function(r, r->function, error);
	return HS_OK;
}
