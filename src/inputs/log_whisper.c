/* Whisper's text: a line for each register, CSR or word of memory that an instruction changes, with
 * the instruction's number.  One that traps changes an epc and a cause. */
#include "inputs/log_private.h"

/* In each of the ranges. */
enum { EPC = 1, CAUSE = 2, TVAL = 3 };

static void note_csr(struct log_csrs *c, const struct log_fields *f)
{
	static const uint16_t ranges[] = { 0x140, 0x240, 0x340, 0x740 }; /* S, VS, M, NMI */

	if (!log_has(f, F_CSR))
		return;
	for (unsigned i = 0; i < sizeof(ranges) / sizeof(*ranges); i++) {
		const uint64_t of = f->v[F_CSR] - ranges[i];

		c->have_epc |= of == EPC;
		if (of == CAUSE) {
			c->have_cause = true;
			c->cause = f->v[F_VALUE];
		} else if (of == TVAL) {
			c->tval = f->v[F_VALUE];
		}
	}
}

void log_end_whisper(struct hs_exec_log *l, struct log_hart *h)
{
	const struct log_csrs *c = &h->csrs;
	const bool interrupt = c->interrupted || c->cause > INT32_MAX;
	const struct log_trap t = { .epc = h->pending.pc,
		                    .tval = c->tval,
		                    .interrupt = interrupt,
		                    .cause = (uint32_t)(c->cause & INT32_MAX),
		                    .no_cause = !c->have_cause,
		                    .have_caller = true,
		                    .caller = h->pending };

	if (!h->have_pending)
		return;
	if (!h->pending_faulted) {
		log_retire_pending(l, h);
		return;
	}
	h->have_pending = h->pending_done = h->pending_faulted = false;
	log_trap(l, h, &t);
}

void log_take_whisper(struct hs_exec_log *l, struct log_hart *h, const struct log_fields *f,
                      const struct log_insn *i)
{
	if (!h->have_pending || h->order != f->v[F_ORDER] || h->pending.pc != i->pc) {
		log_end_whisper(l, h);
		log_show(h, i, true);
		h->order = f->v[F_ORDER];
		h->csrs = (struct log_csrs){ 0 };
	}
	note_csr(&h->csrs, f);
	h->csrs.interrupted |= log_has(f, F_INTERRUPTED);
	h->pending_faulted = h->csrs.interrupted || (h->csrs.have_epc && h->csrs.have_cause);
}
