/* Lines of a log: what their fields mean. */
#include <string.h>

#include "exec_log/compress.h"
#include "exec_log/private.h"

/* ---- instructions ------------------------------------------------------------------------- */

/* An address of a line; false after an error.  RV32's may have their sign extended. */
static bool take_address(const struct hs_exec_log *l, uint64_t v, uint64_t *addr)
{
	const bool extended = v >> 31 == UINT64_C(0x1ffffffff);

	if (v & 1 || (l->isa.xlen == 32 && v > UINT32_MAX && !extended))
		return false;
	*addr = l->isa.xlen == 32 ? v & UINT32_MAX : v;
	return true;
}

/* The opcode is that of the line. */
static bool take_code(const struct hs_exec_log *l, const struct log_fields *f, struct log_insn *i)
{
	uint64_t code = f->v[F_CODE];

	i->coded = true;
	if (log_has(f, F_COMPRESSED)) {
		code = log_compress((uint32_t)code);
		if (!code)
			return false;
	}
	memset(i->bytes, 0, sizeof(i->bytes));
	for (unsigned k = 0; k < 8; k++)
		i->bytes[k] = (uint8_t)(code >> 8 * k);
	return hs_isa_decode(&l->isa, i->pc, i->bytes, 8, &i->insn) == HS_OK;
}

static enum hs_status refuse_code(const struct hs_exec_log *l, uint64_t pc, struct hs_error *e)
{
	return hs_error_set(e, HS_E_NOCODE, "line %llu: no code is known at 0x%llx: --elf",
	                    (unsigned long long)l->stats.lines, (unsigned long long)pc);
}

enum hs_status log_insn_of(struct hs_exec_log *l, struct log_hart *h, const struct log_fields *f,
                           struct log_insn *i, struct hs_error *e)
{
	memset(i, 0, sizeof(*i));
	i->priv = log_priv(f);
	i->timed = log_has(f, F_CYCLE) || log_has(f, F_TIME);
	i->time = f->v[log_has(f, F_CYCLE) ? F_CYCLE : F_TIME];
	if (!take_address(l, f->v[F_PC], &i->pc))
		return log_refuse_field(l, "an even address, as wide as XLEN", e);
	if (log_has(f, F_CODE) && take_code(l, f, i))
		return HS_OK;
	if (log_has(f, F_CODE) && !log_has(f, F_COMPRESSED))
		return log_refuse_field(l, "an opcode", e);
	i->coded = false;
	if (!log_code_get(&l->code, h->owner, &l->isa, i->pc, i->bytes, &i->insn))
		return refuse_code(l, i->pc, e);
	return HS_OK;
}

/* ---- instructions that may not have retired ----------------------------------------------- */

/* The instruction that was shown has retired unless commits are in the log, too. */
static void retire_shown(struct hs_exec_log *l, struct log_hart *h)
{
	if (!h->have_shown)
		return;
	h->have_shown = false;
	if (!h->commits)
		log_retire(l, h, &h->shown);
}

static enum hs_status take_shown(struct hs_exec_log *l, struct log_hart *h,
                                 const struct log_fields *f, struct hs_error *e)
{
	struct log_insn i;
	const enum hs_status s = log_insn_of(l, h, f, &i, e);

	if (s != HS_OK)
		return s;
	log_finish_trap(l, h);
	retire_shown(l, h);
	h->shown = i;
	h->have_shown = true;
	return HS_OK;
}

/* How a hart came from the instruction that waits to @next: with HS_LOG_VECTORED a handler's
 * address shows a trap (ADR-0127). */
static void settle(struct hs_exec_log *l, struct log_hart *h, uint64_t next)
{
	struct log_insn *i = &h->shown;
	const bool call = i->insn.kind == HS_INSN_ECALL || i->insn.kind == HS_INSN_EBREAK;
	struct log_trap t = { .epc = i->pc, .no_cause = true };

	if (!h->have_shown)
		return;
	h->have_shown = false;
	if (call && next != i->pc + 2u * i->insn.hwords) {
		log_retire(l, h, i);
		log_trap(l, h, &t);
	} else if (log_explains(l, i, next) || next % 4 || next % 256 > 124) {
		log_retire(l, h, i);
	} else if (next % 256 == 0) {
		log_trap(l, h, &t);
	} else {
		log_retire(l, h, i);
		t = (struct log_trap){ .no_epc = true, .interrupt = true,
			               .cause = (uint32_t)(next % 256 / 4) };
		log_trap(l, h, &t);
	}
}

/* gem5: a micro-op belongs to the line before it, which is the whole instruction, or its first
 * micro-op. */
static bool continues(const struct log_hart *h, const struct log_fields *f, uint64_t pc)
{
	const bool whole = h->order == UINT64_MAX;
	const bool micro = log_has(f, F_MICRO);

	if (!h->have_last || h->last.pc != pc || !micro)
		return false;
	return whole || f->v[F_MICRO] > h->order;
}

/* The trap of NEORV32's log struck after the line before. */
static void take_entry(struct hs_exec_log *l, struct log_hart *h)
{
	const bool call = h->have_last && (h->last.insn.kind == HS_INSN_ECALL ||
	                                   h->last.insn.kind == HS_INSN_EBREAK);
	const struct log_trap t = { .epc = h->last.pc, .no_epc = !call, .interrupt = !call,
		                    .no_cause = true };

	if (h->have_last)
		log_trap(l, h, &t);
}

static enum hs_status take_retired(struct hs_exec_log *l, struct log_hart *h,
                                   const struct log_fields *f, struct hs_error *e)
{
	struct log_insn i;
	const enum hs_status s = log_insn_of(l, h, f, &i, e);

	if (s != HS_OK)
		return s;
	if (l->flags & HS_LOG_VECTORED) {
		settle(l, h, i.pc);
		h->shown = i;
		h->have_shown = true;
		return HS_OK;
	}
	if (log_has(f, F_ENTRY))
		take_entry(l, h);
	if (l->format == LOG_GEM5) {
		const bool more = continues(h, f, i.pc);

		h->order = log_has(f, F_MICRO) ? f->v[F_MICRO] : UINT64_MAX;
		if (more)
			return HS_OK;
	}
	h->have_shown = false;
	h->commits = true;
	log_retire(l, h, &i);
	return HS_OK;
}

/* ---- traps -------------------------------------------------------------------------------- */

/* A trap whose line has no address: an interrupt and a fault of a fetch come after the instruction
 * that was shown, other exceptions are its own. */
static void place_trap(const struct log_hart *h, struct log_trap *t)
{
	const bool fetch = !t->interrupt && (t->cause <= 1 || t->cause == 12 || t->cause == 20);

	t->no_epc = t->interrupt || !h->have_shown;
	t->epc = fetch ? t->tval & ~UINT64_C(1) : h->shown.pc;
	if (fetch)
		t->no_epc = false;
}

static enum hs_status take_trap(struct hs_exec_log *l, struct log_hart *h,
                                const struct log_fields *f, struct hs_error *e)
{
	struct log_trap t = { .interrupt = f->interrupt, .tval = f->v[F_TVAL], .no_cause = true };
	static const enum log_field causes[] = { F_CAUSE, F_INTERRUPT, F_CAUSE_NAME,
		                                 F_CAUSE_HEX, F_INTERRUPT_HEX };

	for (size_t i = 0; i < sizeof(causes) / sizeof(*causes); i++) {
		if (!log_has(f, causes[i]))
			continue;
		t.cause = (uint32_t)(f->v[causes[i]] & INT32_MAX);
		t.no_cause = false;
	}
	if (!log_has(f, F_TVAL))
		t.tval = 0;
	t.interrupt |= log_has(f, F_INTERRUPT) || log_has(f, F_INTERRUPT_HEX) ||
	               (log_has(f, F_ASYNC) && f->v[F_ASYNC]);
	if (!log_has(f, F_EPC))
		place_trap(h, &t);
	else if (!take_address(l, f->v[F_EPC], &t.epc))
		return log_refuse_field(l, "an even address, as wide as XLEN", e);
	if (h->have_shown && !t.interrupt && !t.no_epc && h->shown.pc == t.epc) {
		h->have_shown = false; /* it did not retire */
		t.have_caller = true;
		t.caller = h->shown;
	}
	retire_shown(l, h);
	log_trap(l, h, &t);
	return HS_OK;
}

static void take_tval(struct log_hart *h, const struct log_fields *f)
{
	if (h->have_trap)
		h->trap.tval = f->v[F_TVAL];
}

/* ---- RVFI --------------------------------------------------------------------------------- */

/* The first instruction of a handler: its mcause is that of the trap. */
static void take_handler(struct hs_exec_log *l, struct log_hart *h, const struct log_fields *f)
{
	const uint64_t cause = f->v[F_CAUSE_HEX];
	const bool known = log_has(f, F_CAUSE_HEX);
	struct log_trap t = { .epc = h->next, .no_epc = !h->have_next, .interrupt = true,
		              .no_cause = true };

	if (!h->have_trap && log_has(f, F_INTR) && f->v[F_INTR] && h->have_last) {
		const unsigned kind = h->last.insn.kind;

		if (kind == HS_INSN_ECALL || kind == HS_INSN_EBREAK)
			t = (struct log_trap){ .epc = h->last.pc, .no_cause = true };
		log_trap(l, h, &t);
	}
	if (!h->have_trap || !known)
		return;
	h->trap.cause = (uint32_t)(cause & INT32_MAX);
	h->trap.no_cause = false;
	h->trap.tval = log_has(f, F_TVAL) ? f->v[F_TVAL] : 0;
}

/* Retirements are missing where their numbers leap. */
static void take_order(struct hs_exec_log *l, struct log_hart *h, const struct log_fields *f)
{
	if (!log_has(f, F_ORDER))
		return;
	if (h->have_order && f->v[F_ORDER] != h->order + 1)
		log_gap(l, h, HS_E_LOST);
	h->order = f->v[F_ORDER];
	h->have_order = true;
}

enum hs_status log_column_take(struct hs_exec_log *l, const struct log_fields *f,
                               struct hs_error *e)
{
	struct log_hart *h = log_hart_of(l, log_has(f, F_HART) ? f->v[F_HART] : 0);
	struct log_insn i;

	if (!h)
		return l->no_memory ? HS_E_MEMORY : HS_E_UNSUPPORTED;
	const enum hs_status s = log_insn_of(l, h, f, &i, e);

	if (s != HS_OK)
		return s;
	take_order(l, h, f);
	take_handler(l, h, f);
	if (log_has(f, F_TRAP) && f->v[F_TRAP]) {
		const struct log_trap t = { .epc = i.pc, .no_cause = true, .have_caller = true,
			                    .caller = i };

		log_trap(l, h, &t);
		return HS_OK;
	}
	log_retire(l, h, &i);
	h->have_next = log_has(f, F_NEXT) && take_address(l, f->v[F_NEXT], &h->next);
	return HS_OK;
}

/* ---- lines -------------------------------------------------------------------------------- */

enum hs_status log_take(struct hs_exec_log *l, enum log_action action, const struct log_fields *f,
                        struct hs_error *e)
{
	const uint64_t id = log_has(f, F_HART) ? f->v[F_HART] : log_has(f, F_CPU) ? f->v[F_CPU] : 0;

	if (l->format == LOG_QEMU)
		return log_qemu_take(l, action, f, e);
	if (action == LOG_NOTHING)
		return HS_OK;
	struct log_hart *h = log_hart_of(l, id);

	if (!h)
		return l->no_memory ? HS_E_MEMORY : HS_E_UNSUPPORTED;
	switch (action) {
	case LOG_RETIRED: return take_retired(l, h, f, e);
	case LOG_SHOWN: return take_shown(l, h, f, e);
	case LOG_TRAP: return take_trap(l, h, f, e);
	default: take_tval(h, f); return HS_OK;
	}
}
