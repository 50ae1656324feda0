/* Retired blocks to E-Trace packets (ET Algorithm, PT 5).
 *
 * Only the first and the last instruction of a block matter (ET Multiple retirement
 * considerations).  Each becomes an item, so does a trap, and decide.c encodes one item after the
 * other.  For most blocks plain.c has a short way.
 */
#include "etrace/decide.h"

#include "core/mem.h"
#include "etrace/et_encoder.h"
#include "etrace/et_standard.h"
#include "etrace/memory.h"

size_t hs_et_encoder_memory(const struct hs_et_config *config)
{
	struct hs_et_resolved own;

	return et_config_take(&own, config) == HS_OK ? et_memory(&own) : 0;
}

/* Does each item need what plain.c leaves out?  The figure may synchronise at the second
 * instruction of a block. */
static bool is_never_plain(const struct hs_et_resolved *c)
{
	return c->version == HS_ET_0_026 || c->version == HS_ET_FAST || c->cache_returns ||
	       c->wire.arrivals || (c->strict && c->sync_mode == HS_ET_SYNC_HALFWORDS);
}

/* Do frames have the low bits of a time that payloads have (ET Timestamping)?  Texts before 2.1
 * have no such chapter. */
static bool has_partial_times(const struct hs_et_resolved *c)
{
	return c->version == HS_ET_2_1 && c->tstamp_bytes && c->time_width > 8u * c->tstamp_bytes;
}

enum hs_status hs_et_encoder_init(struct hs_et_encoder *e, const struct hs_et_config *config,
                                  void *memory, size_t bytes)
{
	struct hs_et_resolved own;
	const enum hs_status s = et_config_take(&own, config);

	if (s != HS_OK)
		return s;
	if (et_is_read_only(&own.wire))
		return HS_E_UNSUPPORTED;
	if (et_memory(&own) && (!memory || bytes < et_memory(&own)))
		return HS_E_SPACE;
	memset(e, 0, sizeof *e);
	et_tables_init(&e->tables, &own, memory);
	memcpy(&e->config, &own, sizeof e->config);
	et_layout_init(&e->layout, &own);
	et_select_source(&e->config, &e->layout, own.src_id);
	et_short_init(&e->brief, &e->layout, &e->config);
	e->interval = own.sync_mode == HS_ET_SYNC_OFF ? UINT64_MAX
	                                              : (uint64_t)1 << (own.sync_max + 4);
	if (has_partial_times(&own))
		e->frame_ticks = (uint64_t)1 << 8 * own.tstamp_bytes;
	e->priv = HS_PRIV_UNKNOWN;
	e->restarts = true;
	et_pend(e, ET_PENDING_SUPPORT | (is_never_plain(&own) ? ET_PENDING_ALWAYS : 0));
	return HS_OK;
}

/* ---- start and stop --------------------------------------------------------------- */

/* A loss is reported with the packet that synchronises after it. */
static void start_trace(struct hs_et_encoder *e, struct et_output *out)
{
	const bool changed = et_pends(e, ET_PENDING_CHANGE) && e->cur.kind == ITEM_NONE;

	if (changed)
		et_take_options(e);
	if ((et_pends(e, ET_PENDING_SUPPORT) || changed) && !et_pends(e, ET_PENDING_LOSS))
		et_emit_support(e, out, 1, HS_ET_NO_CHANGE);
	et_clear(e, ET_PENDING_SUPPORT);
}

/* Would the packet for cur have been sent if the trace went on?  The ratified text asks that of
 * uninferable jumps, the draft of all reasons (ET Format 3 qual_status, PT Table 6.4). */
static bool is_reported_anyway(const struct hs_et_encoder *e)
{
	const bool target = e->before == BEFORE_DISCON || e->before == BEFORE_FAILED;
	const bool sync = et_synchronises(e, NULL) || e->before == BEFORE_TRAP;

	/* Of the draft, at a trap without a handler: all has been sent because of the trap, unless
	 * its own packet is sent for its context. */
	if (e->cur.kind != ITEM_INSN)
		return e->config.version == HS_ET_0_026 && e->cur.kind == ITEM_TRAP &&
		       (!et_context_marks(e) || e->cur.flags & ITEM_PLACELESS);
	return e->config.version == HS_ET_0_026 ? target || sync : target && !sync;
}

/* A context that may be reported imprecisely came during the last block. */
static void report_late_context(struct hs_et_encoder *e, struct et_output *out)
{
	const bool late = e->cur.kind == ITEM_INSN && et_pends(e, ET_PENDING_REPORT) &&
	                  e->before != BEFORE_NOTHING && et_context(e) != e->context_sent;

	if (!late || !e->config.context_width || et_context_marks(e))
		return;
	e->cur.context = et_context(e);
	et_emit_context(e, out);
}

/* Report the last instruction.  @return  Would that packet have been sent anyway? */
static bool report_last(struct hs_et_encoder *e, struct et_output *out)
{
	const bool ntr = is_reported_anyway(e);

	report_late_context(e, out);
	et_advance(e, out, NULL);
	/* After updiscon it is always ended_rep (ET Format 3 subformat 3 qual_status). */
	return ntr && (e->open_target || e->config.version == HS_ET_0_026);
}

/* The hart waits: that is no end, so that there is no support packet (RHTI Trace State).  If the
 * trace ends before the wait does, it comes then. */
static void pause_trace(struct hs_et_encoder *e, struct et_output *out)
{
	const bool returns = e->cur.kind == ITEM_INSN && et_on(e, HS_ET_IMPLICIT_RETURN) &&
	                     e->cur.itype == HS_ITYPE_RETURN && !(e->cur.flags & ITEM_INFERRED);
	uint64_t predicted;

	if (e->cur.kind == ITEM_NONE)
		return;
	/* A synchronising packet cannot say that a return failed: then the trace ends. */
	if (returns && et_peek_return(&e->tables, &predicted)) {
		e->expect = predicted;
		e->follow = true;
	}
	e->wait_linear = e->cur.kind == ITEM_INSN && e->cur.itype == HS_ITYPE_NONE;
	e->waits = true; /* a synchronising packet comes next (ET Format 2 updiscon) */
	e->wait_ntr = report_last(e, out);
	e->wait_syncs = true;
	e->before = BEFORE_NOTHING;
}

static void stop_trace(struct hs_et_encoder *e, struct et_output *out, bool enabled)
{
	const bool running = e->cur.kind != ITEM_NONE || e->waits;
	const bool ntr = e->waits ? e->wait_ntr : report_last(e, out);
	const bool announced = !et_pends(e, ET_PENDING_SUPPORT);

	if (et_pends(e, ET_PENDING_LOSS) &&
	    announced) { /* no packet since the loss has reported it */
		et_emit_loss(e, out, enabled);
		et_clear(e, ET_PENDING_LOSS);
	} else if (running) {
		et_emit_support(e, out, enabled, ntr ? HS_ET_ENDED_NTR : HS_ET_ENDED_REP);
	} else if (!enabled && announced) {
		et_emit_support(e, out, enabled, HS_ET_NO_CHANGE);
	}
	e->before = BEFORE_NOTHING; /* the next item begins with a synchronising packet */
	e->waits = e->wait_syncs = false;
	if (!enabled)
		et_pend(e, ET_PENDING_SUPPORT);
}

/* ---- blocks and events ------------------------------------------------------------ */

static bool ends_in_trap(const struct hs_block *b)
{
	return b->itype == HS_ITYPE_EXCEPTION || b->itype == HS_ITYPE_INTERRUPT;
}

static bool block_good(const struct hs_et_encoder *e, const struct hs_block *b)
{
	const uint64_t low = ((uint64_t)1 << e->config.iaddress_lsb) - 1;
	const uint64_t last = hs_block_end(b) - 2u * (uint64_t)b->ilast;

	return !(b->iaddr & 1) && !((b->iaddr | last) & low) && b->itype <= 15 &&
	       b->itype != HS_ITYPE_RESERVED && (b->iretire || ends_in_trap(b)) &&
	       b->ilast <= b->iretire && (!b->iretire || b->ilast) &&
	       et_addresses_fit(&e->config, b->iaddr, last);
}

/* A new context is reported precisely, or by a context packet (ET Table context-type). */
static void set_context(struct hs_et_encoder *e, struct hs_et_item *i)
{
	i->context = et_context(e);
	if (et_pends(e, ET_PENDING_REPORT))
		i->flags |= et_context_marks(e) ? ITEM_SYNC : ITEM_CONTEXT;
	if (et_pends(e, ET_PENDING_REPORT) || i->context == e->cur.context ||
	    e->cur.kind == ITEM_NONE)
		return;
	if (e->config.context_precise || et_context_marks(e) || i->kind == ITEM_TRAP)
		i->flags |= ITEM_SYNC;
	else
		i->flags |= ITEM_CONTEXT;
}

static void feed_item(struct hs_et_encoder *e, struct et_output *out, struct hs_et_item *i)
{
	e->waits = false;
	set_context(e, i);
	if (et_pends(e, ET_PENDING_SYNC))
		i->flags |= ITEM_SYNC;
	if (et_pends(e, ET_PENDING_NOTIFY))
		i->flags |= ITEM_NOTIFY;
	if (et_pends(e, ET_PENDING_CHANGE_REQUESTED)) {
		i->flags |= ITEM_SYNC | ITEM_OPTIONS;
		et_set_change(e, ET_PENDING_CHANGE_COMING);
	}
	et_clear(e, ET_PENDING_SYNC | ET_PENDING_NOTIFY | ET_PENDING_REPORT);
	et_advance(e, out, i);
	e->count += et_counted_hwords(e, i);
}

/* Are blocks missing between the last one and this one? */
static bool is_discontinuous(const struct hs_et_encoder *e, const struct hs_block *b, unsigned priv)
{
	const unsigned t = e->cur.itype;

	if (et_breaks_flow(e, b->iaddr))
		return true;
	/* Only traps and their returns change the privilege. */
	return e->cur.kind == ITEM_INSN && priv != e->cur.priv && t != HS_ITYPE_XRET;
}

static unsigned priv_of(const struct hs_et_encoder *e, const struct hs_block *b)
{
	if (b->priv != HS_PRIV_UNKNOWN)
		return b->priv;
	return e->cur.kind != ITEM_NONE ? e->cur.priv : e->priv;
}

/* ITEM_PAIR, and ITEM_INFERRED, where the pair lies in the block, or is cut between this block and
 * the one before (ET sijump).  Not at a return, where sijump is ignored; but an itype of 3 bits has
 * no returns (ET Table itype, design/et-returns). */
static uint16_t inferred_flag(const struct hs_et_encoder *e, const struct hs_block *b)
{
	const bool linear = e->cur.kind == ITEM_INSN && e->cur.itype == HS_ITYPE_NONE;
	const bool cut = (linear || (e->waits && e->wait_linear)) && e->expect == b->iaddr;
	const bool counts = b->itype != HS_ITYPE_RETURN || e->config.itype_width == 3;
	const bool pair = b->sijump && counts && (b->iretire > b->ilast || cut);

	if (!pair)
		return 0;
	return et_on_next(e, HS_ET_SIJUMP) ? ITEM_PAIR | ITEM_INFERRED : ITEM_PAIR;
}

/* Make the item of a block's first instruction that of its last one. */
static void set_last_insn(struct hs_et_item *i, const struct hs_block *b, uint16_t flags)
{
	i->tval = hs_block_end(b); /* where a call returns to */
	i->addr = i->tval - 2u * (uint64_t)b->ilast;
	i->flags = flags;
	i->itype = ends_in_trap(b) ? HS_ITYPE_NONE : b->itype;
}

static void encode_block(struct hs_et_encoder *e, struct et_output *out, const struct hs_block *b)
{
	const uint64_t end = hs_block_end(b);
	const unsigned priv = priv_of(e, b);
	const uint16_t flags = inferred_flag(e, b);
	struct hs_et_item i = { .addr = b->iaddr, .kind = ITEM_INSN, .priv = (uint8_t)priv };

	if (is_discontinuous(e, b, priv))
		stop_trace(e, out, true);
	start_trace(e, out);
	if (b->iretire > b->ilast) {
		i.tval = end - 2u * (uint64_t)b->ilast; /* it stands for all but the last one */
		feed_item(e, out, &i);
	}
	if (b->iretire) {
		set_last_insn(&i, b, flags);
		feed_item(e, out, &i);
	}
	if (ends_in_trap(b)) {
		i = (struct hs_et_item){
			.addr = end, .kind = ITEM_TRAP, .itype = b->itype, .priv = (uint8_t)priv
		};
		feed_item(e, out, &i);
	}
	e->follow = et_continues(e, b->itype);
	e->expect = end;
}

static void set_cause(struct hs_et_encoder *e, const struct hs_block *trap)
{
	e->cur.ecause = trap->arg;
	e->cur.tval = trap->value;
	e->cur.flags |= ITEM_CAUSED;
}

/* The privilege before a trap of which no block is known: the cause of an ecall says it. */
static unsigned priv_before(const struct hs_et_encoder *e, const struct hs_block *trap)
{
	static const uint8_t of[4] = { HS_PRIV_U, HS_PRIV_S, HS_PRIV_VS, HS_PRIV_M };
	const unsigned priv = priv_of(e, trap);

	if (trap->itype != HS_ITYPE_EXCEPTION || trap->arg < 8 || trap->arg > 11)
		return priv;
	return trap->arg == 8 && priv == HS_PRIV_VU ? priv : of[trap->arg - 8];
}

/* A trap of which no block is known: its handler comes next. */
static void encode_lone_trap(struct hs_et_encoder *e, struct et_output *out,
                             const struct hs_block *b)
{
	struct hs_et_item i = {
		.kind = ITEM_TRAP, .itype = b->itype, .priv = (uint8_t)priv_before(e, b),
		.flags = ITEM_PLACELESS,
	};

	if (et_pends(e, ET_PENDING_LOSS))
		i.flags |= ITEM_BLOCK_LOST;

	start_trace(e, out);
	feed_item(e, out, &i);
	set_cause(e, b);
	e->follow = false;
}

static bool is_wait(const struct hs_block *b)
{
	return b->kind == HS_KIND_STOP && b->arg == HS_STOP_WAIT;
}

static void encode_event(struct hs_et_encoder *e, struct et_output *out, const struct hs_block *b)
{
	if (b->kind == HS_KIND_DATA || b->kind == HS_KIND_VALUE) {
		if (e->data)
			et_encode_access(e, out, b);
	} else if (b->kind == HS_KIND_TRAP) {
		if (e->cur.kind == ITEM_TRAP && !(e->cur.flags & ITEM_CAUSED))
			set_cause(e, b);
		else if (b->itype == HS_ITYPE_EXCEPTION || b->itype == HS_ITYPE_INTERRUPT)
			encode_lone_trap(e, out, b);
	} else if (et_is_standard(&e->config) && is_wait(b)) {
		pause_trace(e, out);
	} else if (et_apply_event(e, b)) {
		stop_trace(e, out, true);
	}
}

static enum hs_status encode_item(struct hs_et_encoder *e, struct et_output *out,
                                  const struct hs_block *b)
{
	const bool fast = e->config.version == HS_ET_FAST, arrives = e->config.wire.arrivals;

	if (out->end - out->p < HS_ET_ENCODE_ROOM)
		return HS_FULL;
	if (b->kind == HS_KIND_BLOCK && !block_good(e, b))
		return HS_E_BLOCK;
	if (e->data_changed && !e->data)
		et_report_no_data(e, out);
	if (arrives)
		et_arrive_encode(e, out, b);
	else if (b->kind != HS_KIND_BLOCK)
		fast ? et_fast_event(e, out, b) : encode_event(e, out, b);
	else
		fast ? et_fast_block(e, out, b) : encode_block(e, out, b);
	return HS_OK;
}

enum hs_status hs_et_encode(struct hs_et_encoder *e, const struct hs_block *in, size_t n,
                            size_t *used, uint8_t *out, size_t cap, size_t *len)
{
	struct et_output output = { out, out + cap };
	enum hs_status s = HS_OK;
	size_t i = 0;

	*used = 0;
	*len = 0;
	if (cap < HS_ET_ENCODE_ROOM)
		return HS_E_SPACE;
	while (i < n && s == HS_OK) {
		if (e->plain_next)
			i += et_encode_plain(e, &output, &in[i], n - i);
		if (i == n)
			break;
		s = encode_item(e, &output, &in[i]);
		e->plain_next = et_nothing_pending(e);
		i += s == HS_OK;
	}
	*used = i;
	*len = (size_t)(output.p - out);
	return s;
}

const struct hs_et_counts *hs_et_encoder_stats(const struct hs_et_encoder *e)
{
	return &e->written;
}

enum hs_status hs_et_encode_end(struct hs_et_encoder *e, uint8_t *out, size_t cap, size_t *len)
{
	struct et_output output = { out, out + cap };

	*len = 0;
	if (cap < HS_ET_ENCODE_ROOM)
		return HS_E_SPACE;
	if (e->config.version == HS_ET_FAST)
		et_fast_stop(e, &output, false);
	else if (e->config.wire.arrivals)
		et_arrive_stop(e, &output, false);
	else
		stop_trace(e, &output, false);
	*len = (size_t)(output.p - out);
	return HS_OK;
}
