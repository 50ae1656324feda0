/* A hart's trace system: registers, encoder and RAM sink joined. */
#include "control/control.h"

#include "base/mem.h"

/* SYNC codes (NT Table 25) and EVCODE (NT 7.12). */
enum { SYNC_TRIGGER = 0, SYNC_DEBUG = 3, SYNC_ENABLE = 5, SYNC_WATCHPOINT = 6 };
enum { EVCODE_DEBUG = 0, EVCODE_DISABLED = 4 };

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

/* Give the sink what it did not take before.  False: there is still something. */
static bool deliver(struct hs_tc_device *d)
{
	struct hs_span in = { d->held, d->held_n };

	if (in.n)
		hs_tc_put(&d->tc, 0, &in);
	d->held_n = (uint16_t)in.n;
	memmove(d->held, in.p, in.n);
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
	hs_nt_encoder_unsent(&d->encoder, &d->sent);
	show_held(d);
}

/* A block or an event for the encoder. */
static enum hs_status feed(struct hs_tc_device *d, const struct hs_block *b)
{
	size_t used, len;

	if (d->held_n == 0)
		memcpy(&d->sent, &d->encoder, sizeof(d->sent));
	const enum hs_status s = hs_nt_encode(&d->encoder, b, 1, &used, d->held + d->held_n,
	                                      sizeof(d->held) - d->held_n, &len);

	d->held_n = (uint16_t)(d->held_n + len);
	if (s == HS_E_SPACE)
		overflow(d, false);
	else if (!deliver(d))
		overflow(d, tc_field(&d->tc, HS_TC_ENCODER, HS_TCF_TE_INST_STALL_ENA));
	return s == HS_E_SPACE ? HS_OK : s;
}

static void feed_time(struct hs_tc_device *d)
{
	const struct hs_block time = { .value = hs_tc_time(&d->tc), .kind = HS_KIND_TIME };

	if (d->encoder.config.timestamps)
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

/* trTeEnable went to 1: the configuration holds until it is 0 again. */
static void arm(struct hs_tc_device *d)
{
	struct hs_nt_config c = { .size = sizeof(c) };

	d->armed = hs_tc_nt_config(&d->tc.regs, &c) == HS_OK &&
	           hs_nt_encoder_init(&d->encoder, &c) == HS_OK;
	d->lost = false;
	d->tracing = false;
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
		d->armed = false;
		d->tracing = false;
		d->held_n = 0;
	}
	follow(d);
	show_held(d);
}

/* ---- the hart ----------------------------------------------------------------------------- */

static enum hs_status trace_block(struct hs_tc_device *d, const struct hs_block *b)
{
	if (d->lost && !hs_tc_accepts(&d->tc, 0))
		return HS_OK;
	d->lost = false;
	if (!d->tracing)
		trace_on(d);
	feed_time(d);
	return feed(d, b);
}

static enum hs_status take_block(struct hs_tc_device *d, const struct hs_block *b)
{
	if (b->kind == HS_KIND_TIME) {
		hs_tc_tick(&d->tc, HS_TC_EXTERNAL, b->value, d->halted);
		return HS_OK;
	}
	if (!d->armed)
		return HS_OK;
	if (hs_tc_tracing(&d->tc) && b->kind == HS_KIND_BLOCK)
		return trace_block(d, b);
	/* A context is the encoder's to know, traced or not. */
	return d->tracing || b->kind == HS_KIND_CONTEXT ? feed(d, b) : HS_OK;
}

enum hs_status hs_tc_device_run(struct hs_tc_device *d, const struct hs_block *in, size_t n,
                                size_t *used)
{
	enum hs_status s = HS_OK;

	*used = 0;
	if (d->halted)
		return HS_E_ARG;
	while (*used < n && s == HS_OK) {
		if (!deliver(d))
			return HS_FULL;
		s = take_block(d, &in[*used]);
		*used += s == HS_OK;
	}
	return s;
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
