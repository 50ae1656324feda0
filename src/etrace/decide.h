/* What the encoder decides of an instruction, and what passes without. */
#ifndef HS_ETRACE_DECIDE_H
#define HS_ETRACE_DECIDE_H

#include "etrace/emit.h"

/* Decide cur, and make @next the current item; NULL: the trace stops behind cur. */
void et_advance(struct hs_et_encoder *e, struct et_sheet *out, const struct hs_et_item *next);

/* Does cur begin with a synchronising packet? */
bool et_synchronises(const struct hs_et_encoder *e);

/* cur, an instruction, was told of, if need be: what comes before the next one, at @to; @more: there is one. */
enum et_before et_after_insn(struct hs_et_encoder *e, struct et_sheet *out, bool more, uint64_t to);

/* Report cur, the target of an uninferable jump. */
void et_report_target(struct hs_et_encoder *e, struct et_sheet *out, bool sync_follows);

/* May et_pass() look at what follows?  Nothing that came before makes the encoder send a packet: cur came after
 * an instruction that does not jump, in the same mode and context, and no synchronisation is due. */
bool et_smooth(const struct hs_et_encoder *e);

/* Take blocks that fill the branch map, or need no more than the packet for a jump's target.
 * @return  How many of @n; the next one, if any, needs a closer look or more room. */
size_t et_pass(struct hs_et_encoder *e, struct et_sheet *out, const struct hs_block *b, size_t n);

/* 0.026: more than the figure asks for, so that a stream has one meaning (ADR-0017). */
static inline bool et_marks(const struct hs_et_encoder *e)
{
	return e->config.context_mark;
}

static inline bool et_on(const struct hs_et_encoder *e, enum hs_et_option option)
{
	return e->config.options & option;
}

/* A synchronising packet is due at the next instruction (ET Resynchronisation). */
static inline bool et_due(const struct hs_et_encoder *e)
{
	return e->config.sync_mode == HS_ET_SYNC_PACKETS ? e->count > e->interval : e->armed;
}

/* It becomes due behind cur, when cur is reported. */
static inline bool et_due_next(const struct hs_et_encoder *e)
{
	return e->count >= e->interval;
}

/* Branches are full, or one was not predicted (ET Algorithm, rpt_br). */
static inline bool et_branches_due(const struct hs_et_encoder *e)
{
	if (e->failed || e->correct == (uint64_t)UINT32_MAX + 31)
		return true;
	return e->branches == 31 && (e->wrong || e->correct < 31);
}

static inline bool et_is_call(const struct hs_et_item *i)
{
	return i->itype == HS_ITYPE_CALL_INF || i->itype == HS_ITYPE_CALL_UNINF;
}

/* What the trace knows of a context. */
static inline uint64_t et_context(const struct hs_et_encoder *e)
{
	return e->context & et_ones(e->config.context_width);
}

#endif
