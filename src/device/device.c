/* A hart's trace system: registers, encoder and RAM sink joined. */
#include "device/control.h"
#include "device/device.h"
#include "ingress/ingress.h"

#include "core/mem.h"
#include "ntrace/ntrace.h"

/* SYNC codes (NT Table 25) and EVCODE (NT 7.12). */
enum { SYNC_TRIGGER = 0, SYNC_DEBUG = 3, SYNC_ENABLE = 5, SYNC_WATCHPOINT = 6 };
enum { EVCODE_DEBUG = 0, EVCODE_DISABLED = 4 };
/* Offsets of trTeInstFilters and trTeFilter0Control. */
enum { FILTERS = 0x00c, FILTER0 = 0x400 };

enum hs_status hs_tc_device_init(struct hs_tc_device *d, const struct hs_tc_profile *profile,
                                 const struct hs_tc_memory *memory, bool halted)
{
	memset(d, 0, sizeof(*d));
	d->halted = halted;
	d->leaves_debug = halted;
	return hs_tc_init(&d->tc, profile, memory, 0);
}

/* ---- to the sink -------------------------------------------------------------------- */

static void show_held(struct hs_tc_device *d)
{
	if (tc_active(&d->tc, HS_TC_ENCODER))
		tc_set(&d->tc, HS_TC_ENCODER, HS_TCF_TE_EMPTY, d->held_n == 0);
}

static bool accepts(struct hs_tc_device *d)
{
	return d->sink ? d->sink->accepts(d->sink_user) : hs_tc_accepts(&d->tc, 0);
}

/* Give the sink what it did not take before.  False: there is still something. */
static bool deliver(struct hs_tc_device *d)
{
	struct hs_span in = { d->held, d->held_n };

	if (in.n && d->sink)
		d->sink->put(d->sink_user, &in);
	else if (in.n)
		hs_tc_put(&d->tc, 0, &in);
	d->held_n = (uint16_t)in.n;
	memmove(d->held, in.p, in.n);
	d->data_waits &= in.n != 0;
	show_held(d);
	return d->held_n == 0;
}

/* What could not be sent waits while the hart is stalled, or is lost (TCI 4.1). */
static void overflow(struct hs_tc_device *d, bool stall)
{
	tc_set(&d->tc, HS_TC_ENCODER, HS_TCF_TE_INST_STALL_OR_OVERFLOW, 1);
	if (stall)
		return;
	d->held_n = 0;
	d->lost = true;
	if (d->codec)
		d->codec->lost(d->codec_user);
	else
		hs_nt_encoder_unsent(&d->encoder, &d->sent);
}

/* The same for the packet of a data access: what was held before it stays (TCI 6,
 * trTeDataStallEna). */
static void overflow_data(struct hs_tc_device *d, uint16_t before)
{
	tc_set(&d->tc, HS_TC_ENCODER, HS_TCF_TE_DATA_STALL_OR_OVERFLOW, 1);
	d->data_waits = tc_field(&d->tc, HS_TC_ENCODER, HS_TCF_TE_DATA_STALL_ENA);
	if (d->data_waits)
		return;
	d->held_n = before;
	if (d->codec && d->codec->lost_data)
		d->codec->lost_data(d->codec_user);
}

static bool is_access(const struct hs_block *b)
{
	return b->kind == HS_KIND_DATA || b->kind == HS_KIND_VALUE;
}

static bool stalls(const struct hs_tc_device *d)
{
	return tc_field(&d->tc, HS_TC_ENCODER, HS_TCF_TE_INST_STALL_ENA);
}

/* The end of a trace waits for room, where there will be some: nothing retires any more. */
static bool can_wait(const struct hs_tc_device *d)
{
	return d->sink && d->sink->waits && d->sink->waits(d->sink_user);
}

/* Must the hart wait for what is held? */
static bool must_wait(struct hs_tc_device *d)
{
	return !deliver(d) && (stalls(d) || d->data_waits);
}

static enum hs_status encode(struct hs_tc_device *d, const struct hs_block *b, size_t *len)
{
	uint8_t *out = d->held + d->held_n;
	const size_t cap = sizeof(d->held) - d->held_n;
	size_t used;

	if (d->codec)
		return d->codec->encode(d->codec_user, b, out, cap, len);
	if (d->held_n == 0)
		memcpy(&d->sent, &d->encoder, sizeof(d->sent));
	return hs_nt_encode(&d->encoder, b, 1, &used, out, cap, len);
}

/* A block or an event for the encoder. */
static enum hs_status feed(struct hs_tc_device *d, const struct hs_block *b)
{
	const uint16_t before = d->held_n;
	size_t len;
	const enum hs_status s = encode(d, b, &len);

	d->held_n = (uint16_t)(before + len);
	if (is_access(b) && (s == HS_E_SPACE || (len && !deliver(d))))
		overflow_data(d, before);
	else if (is_access(b))
		return s;
	else if (s == HS_E_SPACE)
		overflow(d, false);
	else if (!deliver(d) && !(b->kind == HS_KIND_STOP && can_wait(d)))
		overflow(d, stalls(d));
	return s == HS_E_SPACE ? HS_OK : s;
}

/* trTeInstSyncMode 2: hart clock cycles. */
static bool counts_cycles(const struct hs_tc_device *d)
{
	return tc_field(&d->tc, HS_TC_ENCODER, HS_TCF_TE_INST_SYNC_MODE) == 2;
}

/* Timestamps, or where messages have none, the hart's cycles. */
static void feed_time(struct hs_tc_device *d)
{
	const bool stamps = tc_field(&d->tc, HS_TC_ENCODER, HS_TCF_TS_ENABLE);
	const struct hs_block time = { .value = stamps ? hs_tc_time(&d->tc) : d->tc.cycles,
		                       .kind = HS_KIND_TIME };

	if (stamps || counts_cycles(d))
		feed(d, &time);
}

/* An event of now. */
static void feed_event(struct hs_tc_device *d, enum hs_kind kind, unsigned code)
{
	const struct hs_block event = { .itype = (uint8_t)code, .kind = (uint8_t)kind };

	feed_time(d);
	feed(d, &event);
}

/* ---- trace on and off ----------------------------------------------------------------- */

/* Are there filters, or comparators that report where they match? */
static bool has_filters(const struct hs_qualifier_config *c)
{
	bool any = false;

	for (unsigned n = 0; n < HS_FILTERS; n++)
		any |= c->filters[n].enable || c->filters[n].data;
	for (unsigned n = 0; n < HS_COMPARATORS; n++)
		any |= c->comparators[n].p_notify || c->comparators[n].s_notify;
	return any;
}

/* Filters by the registers; what they look at stays.  False: they cannot be had. */
static bool set_filters(struct hs_tc_device *d)
{
	struct hs_qualifier_config c = { .size = sizeof(c) };
	const struct hs_qualifier old = d->qualifier;

	if (hs_tc_filters(&d->tc.regs, &c) != HS_OK ||
	    hs_qualifier_init(&d->qualifier, &c, d->image) != HS_OK)
		return false;
	d->qualifier.context = old.context;
	d->qualifier.tval = old.tval;
	if (old.config.size)
		d->qualifier.priv = old.priv;
	d->qualifier.tracing = d->tracing;
	d->filtered = has_filters(&c);
	return true;
}

/* A loss that was not reported before the trace was disabled is reported when it begins again.
 * (E-Trace reports it where the trace ends.) */
static bool start_encoder(struct hs_tc_device *d)
{
	struct hs_nt_config c = { .size = sizeof(c) };
	const bool lost = d->encoder.lost;

	if (d->codec)
		return d->codec->start(d->codec_user, &d->tc.regs);
	if (hs_tc_nt_config(&d->tc.regs, &c) != HS_OK ||
	    hs_nt_encoder_init(&d->encoder, &c) != HS_OK)
		return false;
	if (lost)
		hs_nt_encoder_lost(&d->encoder);
	return true;
}

/* trTeEnable went to 1: the configuration holds until it is 0 again. */
static void arm(struct hs_tc_device *d)
{
	d->armed = start_encoder(d) && set_filters(d);
	d->tc.fill = tc_field(&d->tc, HS_TC_ENCODER, HS_TCF_TE_FORMAT) ? 0xff : 0;
	d->piece_at = d->piece_n = 0;
	d->lost = false;
}

static void trace_off(struct hs_tc_device *d, unsigned evcode)
{
	if (d->tracing)
		feed_event(d, HS_KIND_STOP, evcode);
	d->tracing = false;
}

static void trace_on(struct hs_tc_device *d)
{
	feed_event(d, HS_KIND_SYNC, d->leaves_debug ? SYNC_DEBUG : SYNC_ENABLE);
	d->tracing = true;
	d->leaves_debug = false;
}

/* Registers or triggers may have switched. */
static void follow(struct hs_tc_device *d)
{
	const bool enabled = tc_enabled(&d->tc, HS_TC_ENCODER);

	if (d->armed && !hs_tc_tracing(&d->tc))
		trace_off(d, EVCODE_DISABLED);
	if (enabled && !d->armed)
		arm(d);
	if (!enabled)
		d->armed = false;
}

/* ---- registers -------------------------------------------------------------------------- */

uint32_t hs_tc_device_read(struct hs_tc_device *d, unsigned component, uint32_t offset)
{
	deliver(d);
	return hs_tc_read(&d->tc, component, offset);
}

void hs_tc_device_write(struct hs_tc_device *d, unsigned component, uint32_t offset, uint32_t value)
{
	deliver(d);
	hs_tc_write(&d->tc, component, offset, value);
	if (!tc_active(&d->tc, HS_TC_ENCODER)) { /* a reset flushes nothing */
		d->tracing = false;
		d->held_n = 0;
		d->encoder.lost = false;
	}
	if (d->armed && component == HS_TC_ENCODER && (offset == FILTERS || offset >= FILTER0))
		set_filters(d);
	follow(d);
}

/* ---- the hart ----------------------------------------------------------------------------- */

static enum hs_status trace_block(struct hs_tc_device *d, const struct hs_block *b)
{
	if (d->lost && !accepts(d))
		return HS_OK;
	if (d->held_n) { /* the end of the trace before still waits: this one begins later */
		tc_set(&d->tc, HS_TC_ENCODER, HS_TCF_TE_INST_STALL_OR_OVERFLOW, 1);
		return HS_OK;
	}
	d->lost = false;
	if (!d->tracing)
		trace_on(d);
	feed_time(d);
	return feed(d, b);
}

/* Is an event part of the trace?  A context is the encoder's to know, traced or not; a trap of
 * which no block is traced belongs to its handler.  The block of others may be among those that
 * were lost: trace begins again with a block. */
static bool is_traced(const struct hs_tc_device *d, const struct hs_block *e)
{
	return e->kind == HS_KIND_CONTEXT ||
	       (!d->lost &&
	        (d->tracing || (e->kind == HS_KIND_TRAP && e->itype && hs_tc_tracing(&d->tc))));
}

/* trTeDataTracing: data trace is there, whether instructions are traced or not. */
static bool traces_data(const struct hs_tc_device *d)
{
	return tc_enabled(&d->tc, HS_TC_ENCODER) &&
	       tc_field(&d->tc, HS_TC_ENCODER, HS_TCF_TE_DATA_TRACING);
}

/* What the filters let through. */
static enum hs_status take_piece(struct hs_tc_device *d, const struct hs_block *b)
{
	if (is_access(b))
		return traces_data(d) ? feed(d, b) : HS_OK;
	if (b->kind == HS_KIND_BLOCK)
		return hs_tc_tracing(&d->tc) ? trace_block(d, b) : HS_OK;
	if (b->kind == HS_KIND_STOP && d->filtered) {
		trace_off(d, EVCODE_DISABLED);
		return HS_OK;
	}
	return is_traced(d, b) ? feed(d, b) : HS_OK;
}

/* Encode what was let through of a block, one by one: the hart may stall in between. */
static enum hs_status take_pieces(struct hs_tc_device *d)
{
	enum hs_status s = HS_OK;

	while (d->piece_at < d->piece_n && s == HS_OK) {
		if (must_wait(d))
			return HS_FULL;
		s = take_piece(d, &d->piece[d->piece_at]);
		d->piece_at += s == HS_OK;
	}
	return s;
}

/* One block or event; *used is 0 where the filters are not done with it. */
static enum hs_status take_block(struct hs_tc_device *d, const struct hs_block *b, size_t *used)
{
	size_t n;

	*used = 1;
	if (b->kind == HS_KIND_TIME)
		hs_tc_tick(&d->tc, HS_TC_EXTERNAL, b->value, d->halted);
	if (b->kind == HS_KIND_TIME || !d->armed)
		return HS_OK;
	if (!d->filtered)
		return take_piece(d, b);
	hs_qualify(&d->qualifier, b, 1, used, d->piece, HS_QUALIFIER_ROOM, &n);
	d->piece_at = 0;
	d->piece_n = (uint8_t)n;
	return HS_OK;
}

enum hs_status hs_tc_device_run(struct hs_tc_device *d, const struct hs_block *in, size_t n,
                                size_t *used)
{
	size_t taken;

	*used = 0;
	if (d->halted)
		return HS_E_ARG;
	for (;; *used += taken) {
		enum hs_status s = take_pieces(d);

		if (s != HS_OK || *used == n)
			return s;
		if (must_wait(d))
			return HS_FULL;
		s = take_block(d, &in[*used], &taken);
		if (s != HS_OK)
			return s;
	}
}

void hs_tc_device_halt(struct hs_tc_device *d)
{
	if (d->halted)
		return;
	/* NT Table 26: also when the trace is off. */
	if (d->armed)
		feed_event(d, HS_KIND_STOP, EVCODE_DEBUG);
	d->tracing = false;
	d->halted = true;
	d->leaves_debug = true;
}

void hs_tc_device_resume(struct hs_tc_device *d)
{
	if (!d->halted)
		return;
	d->halted = false;
	if (!d->armed || hs_tc_tracing(&d->tc))
		return;
	feed_event(d, HS_KIND_STOP, EVCODE_DISABLED);
	d->leaves_debug = false; /* what follows is SYNC 5 (NT Table 26) */
}

/* ---- triggers ------------------------------------------------------------------------------- */

static void triggered(struct hs_tc_device *d, bool notify, unsigned sync)
{
	if (notify && d->tracing)
		feed_event(d, HS_KIND_SYNC, sync);
	follow(d);
}

void hs_tc_device_trigger(struct hs_tc_device *d, enum hs_tc_action action)
{
	triggered(d, hs_tc_trigger(&d->tc, action), SYNC_WATCHPOINT);
}

void hs_tc_device_trigger_in(struct hs_tc_device *d, unsigned input)
{
	triggered(d, hs_tc_trigger_in(&d->tc, input), SYNC_TRIGGER);
}
