/* Ibex, gem5 and dromajo: lines of instructions that ran, of which some faulted after all.  What
 * became of one is known from a mark, or from the address of the line after it. */
#include "inputs/log_private.h"

/* An interrupt after the instruction that waits: entry N of Ibex's vectors is cause N. */
static void interrupt(struct hs_exec_log *l, struct log_hart *h, uint64_t handler)
{
	const bool vector = handler % 4 == 0 && handler % 256 && handler % 256 <= 124;
	const struct log_trap t = { .no_epc = true,
		                    .interrupt = true,
		                    .no_cause = !vector,
		                    .cause = (uint32_t)(handler % 256 / 4) };

	log_retire(l, h, &h->pending);
	log_trap(l, h, &t);
}

/* Without marks a handler's address shows a trap (design/logs). */
static bool struck(const struct hs_exec_log *l, const struct log_hart *h, uint64_t next)
{
	return l->flags & HS_LOG_VECTORED && !l->marks && !log_explains(l, &h->pending, next) &&
	       next % 4 == 0 && next % 256 <= 124;
}

/* How a hart came from the instruction that waits to @next.  @entry: the line of that marks it as
 * the first one of a handler. */
static void settle(struct hs_exec_log *l, struct log_hart *h, uint64_t next, bool entry)
{
	struct log_insn *i = &h->pending;
	const bool call = log_is_call(i), leaps = next != i->pc + 2u * i->insn.hwords;
	const bool vectored = l->flags & HS_LOG_VECTORED, faulted = h->pending_faulted;
	const struct log_trap t = { .epc = i->pc, .no_cause = true };

	if (!h->have_pending)
		return;
	if (call && (vectored ? leaps || faulted : leaps && faulted)) {
		log_retire(l, h, i);
		log_trap(l, h, &t);
	} else if (faulted && !call) {
		if (vectored || next != i->pc) /* else gem5 runs it again */
			log_trap(l, h, &t);
	} else if (l->format == LOG_DROMAJO && !log_explains(l, i, next)) {
		const struct log_trap before = { .epc = i->pc,
			                         .interrupt = true,
			                         .no_cause = true,
			                         .have_caller = true,
			                         .caller = *i };

		log_trap(l, h, &before);
	} else if (entry || (struck(l, h, next) && next % 256)) {
		interrupt(l, h, next);
	} else if (struck(l, h, next)) {
		log_trap(l, h, &t);
	} else {
		log_retire(l, h, i);
	}
	h->have_pending = h->pending_done = h->pending_faulted = false;
}

/* gem5: a micro-op belongs to the line before it, which is the whole instruction, or its first
 * micro-op. */
static bool continues(const struct log_hart *h, const struct log_fields *f, uint64_t pc)
{
	const bool whole = h->order == UINT64_MAX;
	const bool micro = log_has(f, F_MICRO);

	if (!micro || (h->have_pending ? h->pending.pc != pc : !h->have_last || h->last.pc != pc))
		return false;
	return whole || f->v[F_MICRO] > h->order;
}

/* gem5's instructions wait only where they faulted, or have micro-ops, which may. */
void log_take_done(struct hs_exec_log *l, struct log_hart *h, const struct log_fields *f,
                   const struct log_insn *i)
{
	const bool faulted = log_has(f, F_FAULTED), entry = log_has(f, F_ENTRY);
	const bool gem5 = l->format == LOG_GEM5, more = gem5 && continues(h, f, i->pc);
	const bool waits = !gem5 || faulted || log_has(f, F_MICRO) || !log_has(f, F_RAN);

	l->marks |= faulted || entry;
	h->order = log_has(f, F_MICRO) ? f->v[F_MICRO] : UINT64_MAX;
	if (!more)
		settle(l, h, i->pc, entry);
	if (log_has(f, F_CAUSE)) { /* dromajo */
		const struct log_trap t = { .epc = i->pc,
			                    .tval = f->v[F_TVAL],
			                    .cause = (uint32_t)f->v[F_CAUSE],
			                    .have_caller = true,
			                    .caller = *i };

		log_trap(l, h, &t);
		return;
	}
	if (!more && waits)
		log_show(h, i, true);
	else if (!more)
		log_retire(l, h, i);
	h->pending_faulted = faulted;
}
