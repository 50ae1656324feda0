/* Lines of a log: what their fields mean. */
#include <string.h>

#include "inputs/log_compress.h"
#include "inputs/log_private.h"

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

/* Rocket prints as many bits of an address as it has, TracerV 40: the others are copies of the
 * last. */
static uint64_t extend(const struct hs_exec_log *l, const struct log_fields *f)
{
	const bool rocket = l->format == LOG_ROCKET && f->digits > 8 && f->digits < 16;
	const unsigned bits = rocket ? 4u * f->digits : l->format == LOG_TRACERV ? 40 : 64;

	return (uint64_t)((int64_t)(f->v[F_PC] << (64 - bits)) >> (64 - bits));
}

/* Is the opcode the 32-bit equal of a 16-bit instruction? */
static bool is_equal(const struct log_fields *f)
{
	return log_has(f, F_COMPRESSED) && f->code_digits > 4;
}

/* The opcode is that of the line. */
static bool take_code(const struct hs_exec_log *l, const struct log_fields *f, struct log_insn *i)
{
	uint64_t code = f->v[F_CODE];

	i->coded = true;
	if (is_equal(f)) {
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
	return hs_error_set(e, HS_E_NOCODE, "%s %llu: no code is known at 0x%llx: --elf",
	                    log_item(l), (unsigned long long)l->stats.lines,
	                    (unsigned long long)pc);
}

enum hs_status log_insn_of(struct hs_exec_log *l, struct log_hart *h, const struct log_fields *f,
                           struct log_insn *i, struct hs_error *e)
{
	memset(i, 0, sizeof(*i));
	i->priv = log_priv(f);
	i->timed = log_has(f, F_CYCLE) || log_has(f, F_TIME);
	i->time = f->v[log_has(f, F_CYCLE) ? F_CYCLE : F_TIME];
	if (!take_address(l, extend(l, f), &i->pc))
		return log_refuse_field(l, "an even address, as wide as XLEN", e);
	if (log_has(f, F_CODE) && take_code(l, f, i))
		return HS_OK;
	if (log_has(f, F_CODE) && !is_equal(f))
		return log_refuse_field(l, "an opcode", e);
	i->coded = false;
	if (!log_code_get(&l->code, h->owner, &l->isa, i->pc, i->bytes, &i->insn))
		return refuse_code(l, i->pc, e);
	return HS_OK;
}

/* ---- instructions that may not have retired ----------------------------------------------- */

static enum hs_status take_shown(struct hs_exec_log *l, struct log_hart *h,
                                 const struct log_fields *f, struct hs_error *e)
{
	struct log_insn i;
	const enum hs_status s = log_insn_of(l, h, f, &i, e);

	if (s != HS_OK)
		return s;
	log_finish_trap(l, h);
	log_retire_pending(l, h);
	log_show(h, &i, false);
	h->repeating = (struct log_again){ .insn = i, .seen = 1, .have = l->format == LOG_SPIKE };
	return HS_OK;
}

/* An interrupt struck after the instruction that was shown; the line may have the first one of its
 * handler, too. */
static enum hs_status take_handler_line(struct hs_exec_log *l, struct log_hart *h,
                                        const struct log_fields *f, struct hs_error *e)
{
	const struct log_trap t = { .no_epc = true, .interrupt = true, .no_cause = true };

	log_retire_pending(l, h);
	if (h->have_last)
		log_trap(l, h, &t);
	return log_has(f, F_PC) ? take_shown(l, h, f, e) : HS_OK;
}

/* ---- instructions that retired -------------------------------------------------------------- */

/* The trap of NEORV32's log struck after the line before. */
static void take_entry(struct hs_exec_log *l, struct log_hart *h)
{
	const bool call = h->have_last && log_is_call(&h->last);
	const struct log_trap t = {
		.epc = h->last.pc, .no_epc = !call, .interrupt = !call, .no_cause = true
	};

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
	if (l->flags & HS_LOG_VECTORED || l->format == LOG_GEM5 || l->format == LOG_DROMAJO) {
		log_take_done(l, h, f, &i);
		return HS_OK;
	}
	if (l->format == LOG_WHISPER) {
		log_take_whisper(l, h, f, &i);
		return HS_OK;
	}
	if (log_has(f, F_ENTRY))
		take_entry(l, h);
	h->has_commits = true;
	log_retire_pending(l, h);
	if (l->format == LOG_SPIKE && log_may_fault(f))
		log_show(h, &i, true);
	else
		log_retire(l, h, &i);
	return HS_OK;
}

/* ---- traps -------------------------------------------------------------------------------- */

/* Is of a fetch: the instruction never ran.  (Cause 0 is of the jump.) */
static bool is_fetch(const struct log_trap *t)
{
	return !t->interrupt && !t->no_cause && (t->cause == 1 || t->cause == 12 || t->cause == 20);
}

/* A trap whose line has no address: an interrupt and a fault of a fetch come after the instruction
 * that was shown, other exceptions are its own. */
static void place_trap(const struct log_hart *h, struct log_trap *t)
{
	t->no_epc = t->interrupt || !h->have_pending;
	t->epc = is_fetch(t) ? t->tval & ~UINT64_C(1) : h->pending.pc;
	if (is_fetch(t))
		t->no_epc = false;
}

/* The instruction of an exception did not retire.  It was shown, or is in the line. */
static void find_caller(const struct hs_exec_log *l, struct log_hart *h, const struct log_fields *f,
                        struct log_trap *t)
{
	const bool own = !t->interrupt && !t->no_epc && !is_fetch(t);

	h->repeating.traps++;
	if (own && h->have_pending && h->pending.pc == t->epc) {
		h->have_pending = h->pending_done = false;
		t->have_caller = true;
		t->caller = h->pending;
	} else if (own && log_has(f, F_CODE)) {
		t->caller = (struct log_insn){ .pc = t->epc, .priv = HS_PRIV_UNKNOWN };
		t->have_caller = take_code(l, f, &t->caller);
	} else if (own && h->repeating.insn.pc == t->epc) {
		h->repeating.seen++; /* it ran again */
	}
}

static enum hs_status take_trap(struct hs_exec_log *l, struct log_hart *h,
                                const struct log_fields *f, struct hs_error *e)
{
	struct log_trap t = { .interrupt = f->interrupt, .tval = f->v[F_TVAL], .no_cause = true };
	static const enum log_field causes[] = { F_CAUSE, F_INTERRUPT, F_CAUSE_NAME, F_CAUSE_HEX,
		                                 F_INTERRUPT_HEX };

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
	find_caller(l, h, f, &t);
	log_retire_pending(l, h);
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
	struct log_trap t = {
		.epc = h->next, .no_epc = !h->have_next, .interrupt = true, .no_cause = true
	};

	if (!h->have_trap && log_has(f, F_INTR) && f->v[F_INTR] && h->have_last) {
		if (log_is_call(&h->last))
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

/* A row with a cause: the instruction did not retire, or an interrupt came before it. */
static void take_whisper_trap(struct hs_exec_log *l, struct log_hart *h, const struct log_fields *f,
                              const struct log_insn *i)
{
	const uint64_t cause = f->v[F_CAUSE_HEX];
	const bool interrupt = cause > INT32_MAX; /* the top bit, of 32 or 64 */
	const struct log_trap t = { .epc = i->pc,
		                    .tval = log_has(f, F_TVAL) ? f->v[F_TVAL] : 0,
		                    .cause = (uint32_t)(cause & INT32_MAX),
		                    .interrupt = interrupt,
		                    .have_caller = true,
		                    .caller = *i };

	log_trap(l, h, &t);
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
	if (l->format == LOG_WHISPER_CSV && log_has(f, F_CAUSE_HEX)) {
		take_whisper_trap(l, h, f, &i);
		return HS_OK;
	}
	take_handler(l, h, f);
	if (log_has(f, F_TRAP) && f->v[F_TRAP]) {
		const struct log_trap t = {
			.epc = i.pc, .no_cause = true, .have_caller = true, .caller = i
		};

		log_trap(l, h, &t);
		return HS_OK;
	}
	log_retire(l, h, &i);
	h->have_next = log_has(f, F_NEXT) && take_address(l, f->v[F_NEXT], &h->next);
	return HS_OK;
}

/* ---- lines -------------------------------------------------------------------------------- */

uint64_t log_hart_id(const struct log_fields *f)
{
	return log_has(f, F_HART) ? f->v[F_HART] : log_has(f, F_CPU) ? f->v[F_CPU] : 0;
}

enum hs_status log_take(struct hs_exec_log *l, enum log_action action, const struct log_fields *f,
                        struct hs_error *e)
{
	if (action == LOG_NOTHING)
		return HS_OK;
	if (l->format == LOG_QEMU)
		return log_qemu_take(l, action, f, e);
	struct log_hart *h = log_hart_of(l, log_hart_id(f));

	if (!h)
		return l->no_memory ? HS_E_MEMORY : HS_E_UNSUPPORTED;
	switch (action) {
	case LOG_RETIRED:
		return take_retired(l, h, f, e);
	case LOG_SHOWN:
		return take_shown(l, h, f, e);
	case LOG_HANDLER:
		return take_handler_line(l, h, f, e);
	case LOG_TIMES:
		return log_take_times(l, h, f, e);
	case LOG_TRAP:
		return take_trap(l, h, f, e);
	default:
		take_tval(h, f);
		return HS_OK;
	}
}
