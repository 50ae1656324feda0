/* How a recorded hart came from one run to the next: by its last instruction, or by traps. */
#include "system_hart.h"

static bool is_direct(const struct plugin_run *run)
{
	return run->kind == HS_INSN_JUMP || run->kind == HS_INSN_CALL;
}

/* Can the run before lead to @run, in @mode, without a trap? */
static bool leads_to(const struct recorded_hart *s, const struct plugin_run *run, unsigned mode)
{
	const struct plugin_run last = system_last(s);

	if (mode != s->after)
		return false;
	if (last.kind == HS_INSN_XRET)
		return run->start == s->next;
	if (system_is_indirect(&last))
		return true;
	if (last.kind == HS_INSN_ECALL)
		return false;
	if (is_direct(&last))
		return run->start == last.leads;
	return run->start == last.end ||
	       (last.kind == HS_INSN_BRANCH && run->start == last.leads);
}

static void push_trap(struct hs_wire_hart *h, const struct sys_trap *t, uint32_t hwords)
{
	const unsigned itype = t->interrupt ? HS_ITYPE_INTERRUPT : HS_ITYPE_EXCEPTION;

	plugin_ring_settle(h);
	plugin_push(h, HS_REC_WORD(HS_REC_ESCAPE_TRAP, itype | (uint32_t)t->from << 4));
	plugin_push(h, (uint32_t)t->epc);
	plugin_push(h, (uint32_t)(t->epc >> 32));
	plugin_push(h, (uint32_t)t->value);
	plugin_push(h, (uint32_t)(t->value >> 32));
	plugin_push(h, (uint32_t)t->cause);
	plugin_push(h, hwords);
}

/* Did @t, which came from the mode of the run before, leave part of it out?  An exception is that
 * of an instruction of it: also of the jump at its end. */
static bool is_cut(const struct recorded_hart *s, const struct sys_trap *t)
{
	return t->interrupt ? system_way_inside(s, t->epc)
	                    : system_way_within(s, t->epc) || t->epc == system_last(s).start;
}

/* The traps that led from the run before to @run, and how many half-words of that run retired; how
 * many there are, 0: the registers have none. */
static unsigned find_traps(const struct recorded_hart *s, const struct plugin_run *run,
                           struct sys_trap traps[SYS_TRAPS], uint32_t *hwords)
{
	const struct plugin_run last = system_last(s);
	struct sys_place place = { last.start, last.end, last.end, system_is_indirect(&last),
		                   s->mode, s->after, false, false };
	unsigned n;

	*hwords = HS_REC_TRAP_ALL;
	if (is_direct(&last))
		place.next = last.leads;
	else if (last.kind == HS_INSN_XRET)
		place.next = s->next;
	n = sys_traps(&s->registers, &place, run->start, traps);
	if (n == 0 && last.kind == HS_INSN_BRANCH) {
		place.next = last.leads;
		n = sys_traps(&s->registers, &place, run->start, traps);
	}
	if (n > 0 && traps[0].from == s->mode && is_cut(s, &traps[0]))
		*hwords = (uint32_t)((traps[0].epc - last.start) / 2);
	return n;
}

/* Write them; false when there are none. */
static bool push_traps(const struct recorded_hart *s, struct hs_wire_hart *h,
                       const struct plugin_run *run)
{
	struct sys_trap traps[SYS_TRAPS];
	uint32_t hwords;
	const unsigned n = find_traps(s, run, traps, &hwords);

	for (unsigned i = 0; i < n; i++, hwords = HS_REC_TRAP_ALL)
		push_trap(h, &traps[i], hwords);
	return n > 0;
}

/* Was there no trap if @last can lead to @run?  Straight code and jumps through registers do not
 * lead to a trap vector on purpose: that was a trap, of an instruction before the vector or of
 * the jump. */
static bool is_plain(const struct plugin_run *last, const struct plugin_run *run)
{
	return !(run->flags & RUN_VECTOR) || is_direct(last) || last->kind == HS_INSN_BRANCH ||
	       last->kind == HS_INSN_XRET;
}

/* Where QEMU executes all harts in one thread, it does not say when it stops one (system_stand.c).
 * A reset clears mcause, which no trap to M does on a hart with compressed instructions. */
static bool is_reset(const struct recorded_hart *s, const struct plugin_run *run, unsigned mode)
{
	return mode == HS_PRIV_M && run->start == s->first &&
	       sys_read(&s->registers, SYS_MCAUSE) == 0;
}

enum way system_way_push(const struct recorded_hart *s, struct hs_wire_hart *h,
                         const struct plugin_run *run, unsigned mode)
{
	const bool leads = leads_to(s, run, mode);

	if (mode == s->mode && system_way_inside(s, run->start)) {
		plugin_ring_settle(h);
		plugin_push(h, HS_REC_WORD(HS_REC_ESCAPE_CUT,
		                           (run->start - system_last(s).start) / 2));
		return WAY_ALL;
	}
	if (!leads && is_reset(s, run, mode))
		return WAY_RESET;
	else if (!(leads && is_plain(s->last, run)) && !push_traps(s, h, run) && !leads)
		return WAY_UNKNOWN;
	return WAY_ALL;
}

enum way system_way_stand(const struct recorded_hart *s, unsigned mode, uint64_t *pc)
{
	const struct plugin_run here = { .start = *pc };
	struct sys_trap traps[SYS_TRAPS];
	uint32_t hwords;

	if (mode == s->mode && system_way_inside(s, *pc))
		return WAY_INSIDE;
	if (leads_to(s, &here, mode))
		return WAY_ALL;
	if (find_traps(s, &here, traps, &hwords) == 0)
		return WAY_UNKNOWN;
	*pc = traps[0].epc;
	return hwords == HS_REC_TRAP_ALL ? WAY_ALL : WAY_INSIDE;
}
