/* Retired blocks to N-Trace messages (NT 10).
 *
 * An address is known one block late: a block that ends in an uninferable jump or a trap
 * leaves a message pending, and the next block's first address completes it.
 */
#include "ntrace/call_stack.h"
#include "ntrace/emit.h"
#include "ntrace/nt_encoder.h"
#include "ntrace/nt_message.h"
#include "ntrace/tables.h"

#include "core/mem.h"

/* The top bit of a field of address_bits, and those above it that it stands for. */
static uint64_t sign_bits(const struct hs_nt_config *c)
{
	const uint64_t all = ((uint64_t)1 << (c->xlen == 32 ? 31 : 63)) - 1;

	return c->address_bits ? all & ~(nt_top_of(c) - 1) : 0;
}

enum hs_status hs_nt_encoder_init(struct hs_nt_encoder *e, const struct hs_nt_config *config)
{
	struct hs_nt_config own;
	const enum hs_status s = nt_config_take(&own, config);

	if (s != HS_OK)
		return s;
	nt_config_resolve(&own);
	memset(e, 0, sizeof *e);
	memcpy(&e->config, &own, sizeof e->config);
	e->dialect = hs_nt_dialect_get(own.dialect);
	e->icnt_limit = (uint32_t)1 << (own.icnt_bits - 1);
	e->repeat_limit = ((uint32_t)1 << own.hrepeat_bits) - 1;
	if (own.sync_mode != HS_NT_SYNC_OFF)
		e->interval = (uint64_t)1 << (own.sync_max + 4);
	e->sign = sign_bits(&own);
	e->hist = 1;
	e->priv = HS_PRIV_UNKNOWN;
	return HS_OK;
}

/* ---- at an address ------------------------------------------------------------- */

static void emit_error_once(struct hs_nt_encoder *e, struct nt_output *out)
{
	if (!e->error_sent)
		nt_emit_error(e, out);
	e->error_sent = true;
}

/* SYNC codes that mark an address, and start no trace (NT Table 25). */
static bool is_marker(unsigned sync)
{
	return sync == SYNC_EXTERNAL || sync == SYNC_WATCHPOINT;
}

/* SYNC of a start for which no event gives a reason: by what was reported last (NT Table 25). */
static unsigned start_code(const struct hs_nt_encoder *e)
{
	if (!e->stopped)
		return e->started ? SYNC_ENABLE : e->config.start_sync;
	return e->evcode == EVCODE_DEBUG       ? SYNC_DEBUG_EXIT
	       : e->evcode == EVCODE_LOW_POWER ? SYNC_POWER_UP
	                                       : SYNC_ENABLE;
}

/* Start or restart: ProgTraceSync with I-CNT 0 (NT 7.5). */
static void start_trace(struct hs_nt_encoder *e, struct nt_output *out, uint64_t addr)
{
	unsigned sync = start_code(e);

	if (e->sync && !is_marker(e->sync - 1u))
		sync = e->sync - 1u;
	if (e->lost) { /* NT 7.4: right before the synchronisation */
		sync = SYNC_OVERRUN;
		emit_error_once(e, out);
	}
	e->sync = 0;
	e->lost = false;
	nt_emit_sync(e, out, HS_NT_PROG_TRACE_SYNC, sync, addr);
	e->running = true;
	e->started = true;
}

/* TCODE of a synchronising message with no jump: with HIST in HTM, without it in BTM. */
static unsigned plain_sync_tcode(const struct hs_nt_encoder *e)
{
	return nt_emit_htm(e) ? HS_NT_INDIRECT_BRANCH_HIST_SYNC : HS_NT_PROG_TRACE_SYNC;
}

/* The same at the target of a jump. */
static unsigned jump_sync_tcode(const struct hs_nt_encoder *e)
{
	return nt_emit_htm(e) ? HS_NT_INDIRECT_BRANCH_HIST_SYNC : HS_NT_INDIRECT_BRANCH_SYNC;
}

static bool as_predicted(const struct hs_nt_encoder *e, uint64_t addr)
{
	const uint64_t differ = addr ^ e->predicted;

	if (e->config.implicit_return == 2)
		return (differ & (((uint64_t)1 << e->config.return_bits) - 1)) == 0;
	return e->config.implicit_return == 1 || differ == 0;
}

/* Does a return that is only counted lead elsewhere than its call says, as where another task
 * continues?  A count cannot show it; a synchronisation does, and no calls are remembered after it
 * (NT 9.2, design/nt-decoder). */
static bool is_astray(const struct hs_nt_encoder *e, uint64_t addr)
{
	return e->pending == PENDING_RETURN && addr != e->predicted &&
	       e->config.implicit_return == 1;
}

/* The address of the next instruction is known: send what waited for it. */
static void emit_at_address(struct hs_nt_encoder *e, struct nt_output *out, uint64_t addr)
{
	const unsigned sync = e->sync ? e->sync - 1u : SYNC_PERIODIC;
	const bool due = e->sync || e->sync_due || is_astray(e, addr);
	const unsigned pending = e->pending;
	const uint64_t now = e->time;

	if (pending != PENDING_NOTHING || e->sync) /* NT 8.7: of what led to the address */
		e->time = e->event_time;
	e->pending = PENDING_NOTHING;
	e->sync = 0;
	if (pending == PENDING_DIRECT_SYNC) {
		nt_emit_sync(e, out, HS_NT_DIRECT_BRANCH_SYNC, sync, addr);
	} else if (due && pending != PENDING_NOTHING) {
		nt_emit_sync(e, out, jump_sync_tcode(e), sync, addr);
	} else if (due) {
		e->btype = 0;
		nt_emit_sync(e, out, plain_sync_tcode(e), sync, addr);
	} else if (pending == PENDING_INDIRECT ||
	           (pending == PENDING_RETURN && !as_predicted(e, addr))) {
		nt_emit_indirect(e, out, addr);
	} else if (e->icnt >= e->icnt_limit) {
		nt_emit_icnt(e, out); /* a return as predicted sends no I-CNT */
	}
	e->time = now;
}

/* A trap right after a trap return: "synchronizing message with an address of trap return with
 * I-CNT=0", and one with the handler's address (ratified 8.6). */
static void announce_trap(struct hs_nt_encoder *e, struct nt_output *out, uint64_t addr)
{
	const uint64_t now = e->time;

	e->time = e->event_time;
	nt_emit_sync(e, out, plain_sync_tcode(e), SYNC_PERIODIC, addr);
	e->time = now;
	e->sync_due = true;
}

/* The block before ended with a trap return, and nothing retires before the next trap. */
static bool traps_after_xret(const struct hs_nt_encoder *e, const struct hs_block *b)
{
	return e->dialect->trap_after_xret && e->pending == PENDING_INDIRECT &&
	       e->jump == HS_ITYPE_XRET && b->iretire == 0 && hs_itype_is_trap(b->itype);
}

static void emit_before_block(struct hs_nt_encoder *e, struct nt_output *out,
                              const struct hs_block *b)
{
	const bool traps = traps_after_xret(e, b);

	emit_at_address(e, out, b->iaddr);
	if (traps)
		announce_trap(e, out, b->iaddr);
}

/* A taken branch whose target is never reported. */
static void emit_waiting_branch(struct hs_nt_encoder *e, struct nt_output *out)
{
	const uint64_t now = e->time;

	e->time = e->event_time;
	nt_emit_direct(e, out);
	e->time = now;
}

/* Wait for the next address: the event that leads there is now. */
static void wait_for_address(struct hs_nt_encoder *e, enum pending pending)
{
	e->pending = pending;
	e->event_time = e->time;
}

/* Is the trace off already, and nothing new to be said of it?  A hart that resumes with its trace
 * disabled is not reported in the ratified text. */
static bool is_known_off(const struct hs_nt_encoder *e, unsigned evcode)
{
	return !e->running && e->stopped && evcode == EVCODE_DISABLED &&
	       (e->evcode == EVCODE_DISABLED || e->dialect->quiet_resume);
}

/* Trace off: what waited for an address is sent without it.  After a loss there is nothing to
 * correlate with, and only Error goes out: a trace that never starts again would hide the loss, and
 * nothing may stand between Error and the synchronisation after it (NT 7.4). */
static void stop_trace(struct hs_nt_encoder *e, struct nt_output *out, unsigned evcode)
{
	if (e->lost) {
		emit_error_once(e, out);
	} else if (!is_known_off(e, evcode)) {
		if (e->pending == PENDING_DIRECT_SYNC)
			emit_waiting_branch(e, out);
		/* "Trace starts disabled" is reported before what the hart does then (NT 8.6). */
		if (!e->started && !e->stopped && evcode != EVCODE_DISABLED)
			nt_emit_correlation(e, out, EVCODE_DISABLED);
		nt_emit_correlation(e, out, evcode);
		e->stopped = true;
		e->evcode = (uint8_t)evcode;
	}
	e->running = false;
	e->pending = PENDING_NOTHING;
	e->sync = 0;
	e->follow = false;
	e->ownership_pending = 0; /* the next start reports it */
}

/* ---- at the end of a block ----------------------------------------------------- */

static void add_branch(struct hs_nt_encoder *e, struct nt_output *out, const struct hs_block *b,
                       bool taken)
{
	if (nt_emit_htm(e)) {
		nt_emit_history(e, out, taken);
		if (e->hist_n == 0)
			e->filled_at = hs_block_end(b);
	} else if (taken && (e->sync_due || e->sync)) {
		wait_for_address(e, PENDING_DIRECT_SYNC);
	} else if (taken) {
		nt_emit_direct(e, out);
	}
}

static uint8_t btype_of(const struct hs_nt_encoder *e, unsigned itype)
{
	if ((itype != HS_ITYPE_EXCEPTION && itype != HS_ITYPE_INTERRUPT) || e->dialect->btype_zero)
		return 0;
	if (e->config.btype_plain)
		return 1;
	return itype == HS_ITYPE_EXCEPTION ? 2 : 3;
}

static bool is_direct(unsigned itype)
{
	return itype == HS_ITYPE_CALL_INF || itype == HS_ITYPE_TAIL_INF ||
	       itype == HS_ITYPE_JUMP_INF;
}

/* Push calls, pop returns (NT Table 4, last column).  True: the target of a return is predicted. */
static bool use_stack(struct hs_nt_encoder *e, const struct hs_block *b)
{
	const bool pops = b->itype == HS_ITYPE_RETURN || b->itype == HS_ITYPE_SWAP;
	const bool popped = pops && nt_pop_return(e);
	const bool reported = !e->config.reported_calls || e->new_calls == 0;

	if (b->itype == HS_ITYPE_CALL_UNINF || b->itype == HS_ITYPE_SWAP ||
	    b->itype == HS_ITYPE_CALL_INF) {
		nt_push_return(e, hs_block_end(b));
		e->new_calls = 1;
	}
	return popped && reported;
}

/* Both instructions of the pair lie in the block; one cut between them has only the jump (NT
 * 9.1). */
static bool is_sequential(const struct hs_nt_encoder *e, const struct hs_block *b)
{
	return e->config.sequential_jump && b->sijump && b->iretire > b->ilast;
}

static void end_block(struct hs_nt_encoder *e, struct nt_output *out, const struct hs_block *b)
{
	const bool popped = e->config.implicit_return && use_stack(e, b);

	if (b->itype == HS_ITYPE_TAKEN || b->itype == HS_ITYPE_NOT_TAKEN) {
		add_branch(e, out, b, b->itype == HS_ITYPE_TAKEN);
	} else if (e->config.all_jumps && (is_direct(b->itype) || b->itype == HS_ITYPE_RESERVED)) {
		add_branch(e, out, b, true);
	} else if (hs_itype_uninferable(b->itype) && !is_sequential(e, b)) {
		wait_for_address(e, popped ? PENDING_RETURN : PENDING_INDIRECT);
		e->btype = btype_of(e, b->itype);
		e->jump = b->itype;
		e->jump_size = b->ilast;
	}
}

/* A synchronisation before the next block.  A jump before it is what leads there. */
/* A marker at an address where the trace starts or the hart was reset is dropped. */
static void want_sync(struct hs_nt_encoder *e, unsigned sync)
{
	const bool restarts = e->sync && !is_marker(e->sync - 1u) && e->sync - 1u != SYNC_COUNTER;

	if (restarts && is_marker(sync))
		return;
	if (e->pending == PENDING_NOTHING && !e->sync)
		e->event_time = e->time;
	e->sync = sync + 1;
}

/* Send a counter that has reached its overflow bit, where no message is pending (NT 8.4.4). */
static void send_full_icnt(struct hs_nt_encoder *e, struct nt_output *out)
{
	if (e->icnt < e->icnt_limit || e->pending != PENDING_NOTHING)
		return;
	const bool may_sync = nt_emit_htm(e) ? e->hist_n && e->dialect->icnt_full_sync
	                                     : e->dialect->sync_resets_all;

	if (e->config.icnt_full == HS_NT_ICNT_SYNC && may_sync)
		want_sync(e, SYNC_COUNTER);
	else
		nt_emit_icnt(e, out);
}

/* Causes of exceptions that ecall and ebreak raise (the privileged architecture). */
enum { CAUSE_BREAKPOINT = 3, CAUSE_ECALL_U = 8, CAUSE_ECALL_M = 11 };

/* ---- blocks and events --------------------------------------------------------- */

/* itype 7 may stand for direct jumps where those are reported (rc7, chapter 2). */
static bool may_be_all_jumps(const struct hs_nt_encoder *e)
{
	return e->config.all_jumps && e->dialect->itype_7;
}

/* A trap that is no ecall: with B-TYPE 0 it would be read as a jump. */
static bool is_plain_trap(const struct hs_block *b)
{
	return b->itype == HS_ITYPE_INTERRUPT || (b->itype == HS_ITYPE_EXCEPTION && !b->iretire);
}

/* itypes that a configuration may refuse. */
#define SELDOM (1u << HS_ITYPE_EXCEPTION | 1u << HS_ITYPE_INTERRUPT | 1u << HS_ITYPE_RESERVED)

static bool seldom_good(const struct hs_nt_encoder *e, const struct hs_block *b)
{
	return b->itype == HS_ITYPE_RESERVED ? may_be_all_jumps(e)
	                                     : !(e->dialect->btype_zero && is_plain_trap(b));
}

/* Can a field of address_bits carry it? */
static bool address_good(const struct hs_nt_encoder *e, uint64_t addr)
{
	const uint64_t top = addr >> 1 & e->sign;

	return !(addr & 1) && (top == 0 || top == e->sign);
}

static bool block_good(const struct hs_nt_encoder *e, const struct hs_block *b)
{
	return address_good(e, b->iaddr) && b->itype <= 15 && b->iretire < 2 * e->icnt_limit &&
	       (!(SELDOM >> b->itype & 1) || seldom_good(e, b));
}

/* Modes that Ownership can report (NT 7.1): all other values are reserved there. */
static bool is_mode(unsigned priv)
{
	return priv <= HS_PRIV_VS && priv != HS_PRIV_D;
}

/* The mode of the next block.  A synchronisation at its address reports it, too. */
static void set_privilege(struct hs_nt_encoder *e, unsigned priv)
{
	if (priv == e->priv || !is_mode(priv))
		return;
	e->priv = (uint8_t)priv;
	e->ownership_pending |= 1;
}

static void encode_block(struct hs_nt_encoder *e, struct nt_output *out, const struct hs_block *b)
{
	if (e->follow && !e->sync && e->expect != b->iaddr)
		stop_trace(e, out, EVCODE_DISABLED); /* blocks are missing: it was off in between */
	if (e->config.context)
		set_privilege(e, b->priv);
	if (!e->running)
		start_trace(e, out, b->iaddr);
	else if (e->pending || e->sync || e->sync_due)
		emit_before_block(e, out, b);
	if (e->ownership_pending)
		nt_emit_pending_ownership(e, out);
	if (b->iretire > e->icnt_limit && e->icnt + b->iretire >= 2 * (uint64_t)e->icnt_limit)
		nt_emit_icnt(e, out); /* the counter does not hold both (ratified 8.4) */
	e->icnt += b->iretire;
	if (e->config.sync_mode == HS_NT_SYNC_HALFWORDS)
		nt_emit_count(e, b->iretire);
	end_block(e, out, b);
	e->follow = b->itype == HS_ITYPE_NONE || b->itype == HS_ITYPE_NOT_TAKEN;
	e->expect = hs_block_end(b);
	send_full_icnt(e, out);
}

static void lose_messages(struct hs_nt_encoder *e)
{
	if (!e->lost)
		e->lost_time = e->time;
	e->error_sent &= e->lost;
	e->lost = true;
	e->running = false;
	e->icnt = 0;
	e->hist = 1;
	e->hist_n = 0;
	e->pending = PENDING_NOTHING;
	e->held = 0;
	e->repeats = 0;
	e->ownership_pending = 0;
	e->ref_known = false;
}

void hs_nt_encoder_lost(struct hs_nt_encoder *e)
{
	lose_messages(e);
	e->error_sent = false; /* it may be among them */
}

void hs_nt_encoder_unsent(struct hs_nt_encoder *e, const struct hs_nt_encoder *before)
{
	const uint64_t time = e->time, scontext = e->context[0], hcontext = e->context[1];
	const uint8_t priv = e->priv, contexts = e->contexts;

	memcpy(e, before, sizeof *e);
	e->time = time;
	e->context[0] = scontext;
	e->context[1] = hcontext;
	e->contexts = contexts;
	e->priv = priv;
	lose_messages(e);
}

/* What a change of context says.  Ownership waits for the next item: scontext may follow hcontext,
 * and a message that waits for an address, or a synchronisation that is due, goes first. */
static void set_context(struct hs_nt_encoder *e, const struct hs_block *b)
{
	const unsigned format = b->arg & 3u;

	if (format == 1)
		return;
	if (format >= 2) {
		e->context[format - 2] = b->value;
		e->contexts |= (uint8_t)(1u << format);
	}
	if (is_mode(b->priv))
		e->priv = b->priv;
	if (e->config.context && e->running)
		e->ownership_pending |= (uint8_t)(1u << format);
}

/* Between two blocks, where no message is owed that brings Ownership along. */
static void emit_waiting_ownership(struct hs_nt_encoder *e, struct nt_output *out)
{
	if (e->ownership_pending && e->pending == PENDING_NOTHING && !e->sync && !e->sync_due)
		nt_emit_pending_ownership(e, out);
}

static void set_time(struct hs_nt_encoder *e, uint64_t time)
{
	if (e->config.sync_mode == HS_NT_SYNC_CYCLES && e->running && time > e->time)
		nt_emit_count(e, time - e->time);
	e->time = time;
}

/* The cause of a trap, after its block.  B-TYPE 0 reports only one of an ecall or ebreak: for
 * others the trace is off until the handler, as it is where blocks are missing. */
static enum hs_status take_cause(struct hs_nt_encoder *e, struct nt_output *out,
                                 const struct hs_block *trap)
{
	const bool environment = trap->arg == CAUSE_BREAKPOINT ||
	                         (trap->arg >= CAUSE_ECALL_U && trap->arg <= CAUSE_ECALL_M);

	if (!e->dialect->btype_zero || environment || e->pending != PENDING_INDIRECT ||
	    e->jump != HS_ITYPE_EXCEPTION)
		return HS_OK;
	stop_trace(e, out, EVCODE_DISABLED);
	return HS_E_BLOCK;
}

/* ---- messages beyond the text (design/nt-vendor) ------------------------------------------ */

static bool is_sample(const struct hs_block *b)
{
	return b->kind == HS_KIND_SYNC && b->itype == SYNC_SAMPLE;
}

/* In-circuit trace that has two data comes as two notes. */
static enum hs_status encode_circuit(struct hs_nt_encoder *e, struct nt_output *out,
                                     const struct hs_block *b)
{
	const bool second = b->arg == HS_NOTE_CIRCUIT_DATA, more = second || b->ilast;
	const enum nt_circuit what = nt_circuit_of(b->itype, more);
	const bool address = second ? what == NT_CIRCUIT_BOTH : what != NT_CIRCUIT_DATA;
	const bool fits = second == (e->circuit == b->itype + 1u) && (second || !e->circuit);

	e->circuit = 0;
	if (b->itype > 15 || what == NT_CIRCUIT_RESERVED || !fits ||
	    (address && !address_good(e, b->value)))
		return HS_E_BLOCK;
	if (second) {
		nt_emit_circuit(e, out, b->itype, e->circuit_first, &b->value);
	} else if (more) {
		e->circuit = (uint8_t)(b->itype + 1);
		e->circuit_first = b->value;
	} else {
		nt_emit_circuit(e, out, b->itype, b->value, NULL);
	}
	return HS_OK;
}

/* An event that only dialects with more have a message for.  False: it is none. */
static bool encode_more(struct hs_nt_encoder *e, struct nt_output *out, const struct hs_block *b,
                        enum hs_status *status)
{
	const bool note = b->kind == HS_KIND_NOTE && b->arg >= HS_NOTE_ACQUISITION &&
	                  b->arg <= HS_NOTE_CIRCUIT_DATA;

	*status = HS_OK;
	if (!e->dialect->more || !(note || is_sample(b)))
		return false;
	if (e->lost)
		emit_error_once(e, out);
	if (is_sample(b) && !address_good(e, b->value))
		*status = HS_E_BLOCK;
	else if (is_sample(b))
		nt_emit_sample(e, out, b->value);
	else if (b->arg == HS_NOTE_ACQUISITION)
		nt_emit_acquisition(e, out, b->itype | (unsigned)b->ilast << 8, b->value);
	else
		*status = encode_circuit(e, out, b);
	return true;
}

static enum hs_status encode_event(struct hs_nt_encoder *e, struct nt_output *out,
                                   const struct hs_block *b)
{
	enum hs_status status;

	if (encode_more(e, out, b, &status))
		return status;
	if (b->kind != HS_KIND_CONTEXT && b->kind != HS_KIND_TIME)
		emit_waiting_ownership(e, out);
	switch (b->kind) {
	case HS_KIND_TRAP:
		return take_cause(e, out, b);
	case HS_KIND_STOP: /* also while the trace is off (NT 8.6) */
		stop_trace(e, out, b->itype & 15u);
		break;
	case HS_KIND_GAP:
		if (b->arg == HS_E_LOST)
			lose_messages(e);
		else if (e->running)
			stop_trace(e, out, EVCODE_DISABLED);
		break;
	case HS_KIND_NOTE:
		if (b->arg == HS_NOTE_LEFT_OUT && e->running)
			stop_trace(e, out, EVCODE_DISABLED);
		break;
	case HS_KIND_SYNC:
		if (b->itype != SYNC_PERIODIC && b->itype != SYNC_COUNTER)
			want_sync(e, b->itype & 15u);
		break;
	case HS_KIND_CONTEXT:
		set_context(e, b);
		break;
	case HS_KIND_TIME:
		set_time(e, b->value);
		break;
	default:
		break;
	}
	return HS_OK;
}

static enum hs_status encode_item(struct hs_nt_encoder *e, struct nt_output *out,
                                  const struct hs_block *b)
{
	if (out->end - out->p < HS_NT_ENCODE_ROOM)
		return HS_FULL;
	if (b->kind != HS_KIND_BLOCK)
		return encode_event(e, out, b);
	if (!block_good(e, b))
		return HS_E_BLOCK;
	encode_block(e, out, b);
	return HS_OK;
}

enum hs_status hs_nt_encode(struct hs_nt_encoder *e, const struct hs_block *in, size_t n,
                            size_t *used, uint8_t *out, size_t cap, size_t *len)
{
	struct nt_output output = { out, out + cap };
	enum hs_status s = HS_OK;
	size_t i = 0;

	*used = 0;
	*len = 0;
	if (cap < HS_NT_ENCODE_ROOM)
		return HS_E_SPACE;
	while (i < n && s == HS_OK) {
		if (e->runs)
			i += e->runs(e, &output, &in[i], n - i);
		if (i == n)
			break;
		s = encode_item(e, &output, &in[i]);
		i += s == HS_OK;
	}
	*used = i;
	*len = (size_t)(output.p - out);
	return s;
}

enum hs_status hs_nt_encode_port(struct hs_nt_encoder *e, const struct hs_block *b, uint8_t *out,
                                 size_t cap, size_t *len)
{
	const bool plenty = cap >= HS_NT_ENCODE_ROOM;
	uint8_t scratch[HS_NT_ENCODE_ROOM];
	struct hs_nt_encoder before;
	size_t used;

	if (plenty)
		return hs_nt_encode(e, b, 1, &used, out, cap, len);
	memcpy(&before, e, sizeof before);
	const enum hs_status s = hs_nt_encode(e, b, 1, &used, scratch, sizeof scratch, len);
	if (*len <= cap) {
		memcpy(out, scratch, *len);
		return s;
	}
	*len = 0;
	if (!e->config.stall) {
		hs_nt_encoder_unsent(e, &before);
		return HS_E_LOST;
	}
	memcpy(e, &before, sizeof before);
	return HS_FULL;
}

const struct hs_nt_counts *hs_nt_encoder_stats(const struct hs_nt_encoder *e)
{
	return &e->written;
}

/* The last instruction is a jump: it is reported as one to itself.  False: nothing was. */
static bool report_last_jump(struct hs_nt_encoder *e, struct nt_output *out)
{
	const uint64_t self = e->expect - 2u * e->jump_size;

	if (e->sync || e->sync_due || (e->pending == PENDING_RETURN && as_predicted(e, self)))
		return false;
	emit_at_address(e, out, self);
	return true;
}

/* A message of the last instruction ends the trace: of a jump, in BTM of a branch that was taken,
 * in HTM of a branch that filled HIST, which is the last one at its address.  What still counts
 * repeats is sent with ProgTraceCorrelation. */
static bool end_with_message(struct hs_nt_encoder *e, struct nt_output *out)
{
	if (!e->dialect->last_message || !e->running)
		return false;
	if (e->pending == PENDING_INDIRECT || e->pending == PENDING_RETURN)
		return report_last_jump(e, out);
	if (e->pending != PENDING_NOTHING || e->held || e->repeats)
		return false;
	return nt_emit_htm(e) ? e->hist_n == 0 && e->filled_at == e->expect : e->icnt == 0;
}

enum hs_status hs_nt_encode_end(struct hs_nt_encoder *e, uint8_t *out, size_t cap, size_t *len)
{
	struct nt_output output = { out, out + cap };

	*len = 0;
	if (cap < HS_NT_ENCODE_ROOM)
		return HS_E_SPACE;
	if (e->running)
		emit_waiting_ownership(e, &output);
	if (end_with_message(e, &output))
		e->running = false;
	else if (e->running || e->lost)
		stop_trace(e, &output, e->config.stop_evcode);
	*len = (size_t)(output.p - out);
	return HS_OK;
}
