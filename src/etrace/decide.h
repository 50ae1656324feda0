/* What the encoder decides for each item, and the short way for plain blocks. */
#ifndef HS_ETRACE_DECIDE_H
#define HS_ETRACE_DECIDE_H

#include "etrace/emit.h"

/* Encode cur, and make @next the current item; NULL: the trace stops after cur. */
void et_advance(struct hs_et_encoder *e, struct et_output *out, const struct hs_et_item *next);

/* Does cur, before @next, begin with a synchronising packet?  NULL: the trace stops after cur. */
bool et_synchronises(const struct hs_et_encoder *e, const struct hs_et_item *next);

/* Finish cur, an instruction that needs no packet any more, or has it.  @more: there is a next
 * one, at @to.
 * @return  What cur is to the next item. */
enum et_before et_finish_insn(struct hs_et_encoder *e, struct et_output *out, bool more,
                              uint64_t to);

/* Is cur a return that does not go where the stack says?  Then the packet for the next instruction,
 * if there is one (@more), at @to, is enough. */
bool et_return_fails(const struct hs_et_encoder *e, bool more, uint64_t to);

/* Report cur, the target of an uninferable jump. */
void et_report_target(struct hs_et_encoder *e, struct et_output *out, bool updiscon);

/* May et_encode_plain() have the next blocks?  Nothing before them makes the encoder send a
 * packet: cur came after an instruction that does not jump, in the same mode and context, and no
 * synchronisation is due. */
bool et_nothing_pending(const struct hs_et_encoder *e);

/* Encode blocks that only add branches, or need no packet but the one for a jump's target.
 * @return  How many of @n; the next one, if any, needs et_advance() or more room. */
size_t et_encode_plain(struct hs_et_encoder *e, struct et_output *out, const struct hs_block *b,
                       size_t n);

/* 0.026: are there context packets beyond the figure, so that a stream has one meaning
 * (design/et-encoder)? */
static inline bool et_context_marks(const struct hs_et_encoder *e)
{
	return e->config.context_mark;
}

/* Is a run-time option on for the next item? */
static inline bool et_on_next(const struct hs_et_encoder *e, enum hs_et_option option)
{
	return (et_pends(e, ET_PENDING_CHANGE) ? e->next_options : e->config.options) & option;
}

/* Is a run-time option on? */
static inline bool et_on(const struct hs_et_encoder *e, enum hs_et_option option)
{
	return e->config.options & option;
}

/* Is the interval over after which a synchronising packet is due (ET Resynchronisation)? */
static inline bool et_interval_over(const struct hs_et_encoder *e)
{
	return e->count >= e->interval;
}

/* The branch map is full, or a branch was mispredicted (ET Algorithm, rpt_br). */
static inline bool et_branches_due(const struct hs_et_encoder *e)
{
	if (et_pends(e, ET_PENDING_FAILED) || e->correct == (uint64_t)UINT32_MAX + 31)
		return true;
	return e->branches == 31 && (e->wrong || e->correct < 31);
}

static inline bool et_is_call(const struct hs_et_item *i)
{
	return i->itype == HS_ITYPE_CALL_INF || i->itype == HS_ITYPE_CALL_UNINF;
}

#define ET_HCONTEXT_BITS 14u

/* The context of what follows, as packets carry it. */
static inline uint64_t et_context(const struct hs_et_encoder *e)
{
	const unsigned width = e->config.context_width, low = width - ET_HCONTEXT_BITS;

	if (e->hcontext == 0 || width < 16 + ET_HCONTEXT_BITS)
		return e->context & et_ones(width);
	return (e->context & et_ones(low)) | (e->hcontext & et_ones(ET_HCONTEXT_BITS)) << low;
}

#endif
