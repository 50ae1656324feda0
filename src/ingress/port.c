/* Cycles of the ingress port to retired blocks.
 *
 * Which instruction a trigger, a privilege or a precise context belongs to is known when it
 * retires, so notes wait for the next retirement, and the block that is open then ends there. */
#include "ingress/ingress.h"
#include "ingress/port.h"

#include "core/mem.h"

/* Actions of a trigger unit (PT Table 4.1). */
enum { ACTION_ON = 2, ACTION_OFF = 3, ACTION_SINGLE = 4 };

/* NT Tables 23 and 25. */
enum { STOP_DEBUG = 0, STOP_LOW_POWER = 1, STOP_DISABLED = 4 };
enum { SYNC_RESET = 1, SYNC_DEBUG = 3, SYNC_ENABLE = 5, SYNC_POWER_UP = 9 };

/* What is reported where the trace stops, and where it starts again, by hs_port.down. */
static const struct {
	uint8_t stop, sync, trcstate;
} edges[] = {
	[PORT_WAITS] = { STOP_LOW_POWER, SYNC_POWER_UP, TRCSTATE_WAIT },
	[PORT_SECURED] = { STOP_DISABLED, SYNC_ENABLE, TRCSTATE_SECURITY },
	[PORT_HALTED] = { STOP_DEBUG, SYNC_DEBUG, TRCSTATE_DEBUG },
	[PORT_RESET] = { STOP_DISABLED, SYNC_RESET, 0 },
};

enum { DISCONTINUITY = 3 }; /* ctype (ET Context type) */

enum hs_status hs_port_init(struct hs_port *p, const struct hs_port_config *config,
                            const struct hs_image *image)
{
	struct hs_port_config c;

	if (hs_port_config_resolve(config, &c) != HS_OK)
		return HS_E_CONFIG;
	memset(p, 0, sizeof *p);
	p->config = c;
	p->time = c.cycle_time ? UINT64_MAX : 0; /* cycle 0 is reported, too */
	p->image = image && image->count ? image : NULL;
	hs_builder_init(&p->builder, c.isa.xlen);
	return HS_OK;
}

void hs_port_set_code(struct hs_port *p, hs_port_code_fn code, void *of)
{
	p->code = code;
	p->code_of = of;
}

static void push(struct hs_blocks *out, unsigned kind, unsigned itype, uint64_t value, uint32_t arg)
{
	const struct hs_block b = { .value = value,
		                    .arg = arg,
		                    .itype = (uint8_t)itype,
		                    .priv = HS_PRIV_UNKNOWN,
		                    .kind = (uint8_t)kind };

	out->at[out->n++] = b;
}

static void push_gap(struct hs_port *p, enum hs_status why, struct hs_blocks *out)
{
	const struct hs_block gap = { .value = p->builder.offset,
		                      .arg = (uint32_t)why,
		                      .kind = HS_KIND_GAP };

	out->at[out->n++] = gap;
}

/* ---- before an instruction ---------------------------------------------------------- */

/* priv of the port (ET Privilege level encoding; PT leaves the values open) to that of blocks. */
uint8_t port_privilege(const struct hs_port *p, uint64_t priv)
{
	static const uint8_t of[8] = { HS_PRIV_U, HS_PRIV_S,  HS_PRIV_UNKNOWN, HS_PRIV_M,
		                       HS_PRIV_D, HS_PRIV_VU, HS_PRIV_VS,      HS_PRIV_UNKNOWN };

	if (p->no_priv)
		return HS_PRIV_UNKNOWN;
	if (p->config.machine_is_7 && priv == 7)
		return HS_PRIV_M;
	return of[priv & 7u];
}

void port_note(struct hs_port *p, uint64_t iaddr, struct hs_blocks *out)
{
	if (!p->pending)
		return;
	hs_builder_cut(&p->builder, iaddr, out);
	for (unsigned i = 0; i < 4; i++)
		if (p->pending & PORT_USER0 << i)
			push(out, HS_KIND_NOTE, i, p->user[i], HS_NOTE_USER);
	if (p->pending & PORT_OFF)
		push(out, HS_KIND_NOTE, 0, ACTION_OFF, HS_NOTE_TRIGGER);
	if (p->pending & PORT_ON)
		push(out, HS_KIND_NOTE, 0, ACTION_ON, HS_NOTE_TRIGGER);
	if (p->pending & PORT_NOTIFY)
		push(out, HS_KIND_NOTE, 0, ACTION_SINGLE, HS_NOTE_TRIGGER);
	p->pending = 0;
}

/* ctype 2 and 3 ask for the address of the first instruction of the context, 1 and a port without
 * ctype for nothing but the value (ET Context type). */
static void report_context(struct hs_port *p, uint64_t context, unsigned ctype, unsigned priv,
                           uint64_t iaddr, struct hs_blocks *out)
{
	const struct hs_block event = { .value = context,
		                        .arg = 2, /* scontext, NT Table 12 */
		                        .itype = (uint8_t)ctype,
		                        .priv = priv & 7u,
		                        .kind = HS_KIND_CONTEXT };

	if (ctype == DISCONTINUITY) /* another hart's flow: nothing leads here */
		hs_builder_flush(&p->builder, out);
	else if (ctype > 1)
		hs_builder_cut(&p->builder, iaddr, out);
	hs_builder_event(&p->builder, &event, out);
	p->context = context;
}

static void report_time(struct hs_port *p, uint64_t time, unsigned ctype, struct hs_blocks *out)
{
	const struct hs_block event = { .value = time,
		                        .itype = ctype == 1, /* the time is to be reported */
		                        .priv = HS_PRIV_UNKNOWN,
		                        .kind = HS_KIND_TIME };

	hs_builder_event(&p->builder, &event, out);
	p->time = time;
}

void port_begin(struct hs_port *p, const struct hs_port_cycle *c, const struct hs_port_slot *s,
                uint64_t iaddr, struct hs_blocks *out)
{
	const struct hs_port_config *g = &p->config;
	const bool asks = g->form == HS_PORT_BLOCK && g->ctype_width;
	const bool changed = asks ? c->ctype != 0 : s->context != p->context;
	const unsigned priv = port_privilege(p, s->priv);

	port_note(p, iaddr, out);
	if (s->iretire && p->builder.have && p->builder.open.priv != priv)
		hs_builder_cut(&p->builder, iaddr, out);
	if (g->context_width && (changed || p->repeat))
		report_context(p, s->context, (unsigned)c->ctype, priv, iaddr, out);
	if (g->form == HS_PORT_BLOCK && g->time_width &&
	    (asks ? c->ctype != 0 : c->time != p->time))
		report_time(p, c->time, (unsigned)c->ctype, out);
	if (g->cycle_time && s->iretire && p->builder.offset != p->time) {
		hs_builder_cut(&p->builder, iaddr, out);
		report_time(p, p->builder.offset, 0, out);
	}
	p->repeat = false;
	p->running = true;
	p->waited = false;
}

/* ---- cycles --------------------------------------------------------------------------- */

uint64_t port_trcstate(const struct hs_port *p)
{
	return edges[p->down].trcstate;
}

static uint8_t down_of(const struct hs_port_cycle *c)
{
	static const uint8_t of[4] = { [TRCSTATE_DEBUG] = PORT_HALTED,
		                       [TRCSTATE_SECURITY] = PORT_SECURED,
		                       [TRCSTATE_WAIT] = PORT_WAITS };

	return c->reset ? PORT_RESET : c->halted ? PORT_HALTED : of[c->trcstate & 3u];
}

/* After a wait, or what was not to be seen, a halt is reported, too. */
static bool is_stop_reported(const struct hs_port *p, unsigned down)
{
	if (p->waited && down > PORT_WAITS)
		return true;
	return p->running && down > p->down &&
	       (!p->down || edges[down].stop != edges[p->down].stop);
}

/* halted, trcstate and reset: the trace ends, and begins with a synchronisation (ET Optional
 * sideband signals, RHTI Trace State). */
static void report_edges(struct hs_port *p, const struct hs_port_cycle *c, struct hs_blocks *out)
{
	const uint8_t down = down_of(c);

	if (is_stop_reported(p, down)) {
		hs_builder_flush(&p->builder, out);
		push(out, HS_KIND_STOP, edges[down].stop, 0, down == PORT_WAITS ? HS_STOP_WAIT : 0);
		p->running = down == PORT_SECURED;
		p->waited = down == PORT_WAITS;
		p->is_early = false;
	}
	if (!down && p->down) {
		push(out, HS_KIND_SYNC, edges[p->down].sync, 0, 0);
		p->running = false;
	}
	p->down = down == 0 ? 0 : down > p->down ? down : p->down;
}

static void collect_notes(struct hs_port *p, const struct hs_port_cycle *c)
{
	const uint64_t words[4] = { c->user | c->impdef, c->user_1, c->user_2, c->user_3 };

	for (unsigned i = 0; i < 4 && p->config.sideband; i++) {
		if (words[i] != p->user[i] || p->repeat)
			p->pending |= (uint8_t)(PORT_USER0 << i);
		p->user[i] = words[i];
	}
	if (c->action == ACTION_ON || (c->trigger & 1u))
		p->pending |= PORT_ON;
	if (c->action == ACTION_SINGLE)
		p->pending |= PORT_NOTIFY;
}

/* Trace goes off after the newest instruction of the cycle (ET Using trigger outputs).  An "on" for
 * which nothing retired since is dropped. */
static void collect_notes_after(struct hs_port *p, const struct hs_port_cycle *c)
{
	if (c->action != ACTION_OFF && !(c->trigger & 2u))
		return;
	p->pending = (uint8_t)((p->pending & ~PORT_ON) | PORT_OFF);
}

static enum hs_status take_cycle(struct hs_port *p, const struct hs_port_cycle *c,
                                 struct hs_blocks *out)
{
	enum hs_status s = HS_OK;

	report_edges(p, c, out);
	if (p->config.retract_width)
		port_fetch(p, c);
	collect_notes(p, c);
	for (unsigned i = 0; i < p->config.slots && s == HS_OK; i++)
		s = p->config.form == HS_PORT_INSN ? port_insn_slot(p, c, i, out)
		                                   : port_block_slot(p, c, i, out);
	port_put_responses(p, c, out);
	collect_notes_after(p, c);
	return s;
}

static bool has_room(const struct hs_blocks *out)
{
	return out->n <= out->cap && out->cap - out->n >= HS_PORT_ROOM;
}

/* @s: what was found of the cycle. */
static enum hs_status take_checked(struct hs_port *p, enum hs_status s,
                                   const struct hs_port_cycle *c, struct hs_blocks *out)
{
	p->builder.offset = p->cycles++;
	if (s == HS_OK)
		s = take_cycle(p, c, out);
	if (s != HS_OK) {
		hs_builder_flush(&p->builder, out);
		push_gap(p, s, out);
	}
	return s;
}

static enum hs_status check_and_take(struct hs_port *p, const struct hs_port_cycle *cycle,
                                     struct hs_blocks *out)
{
	struct hs_port_cycle c;
	enum hs_status s;

	const unsigned slots = port_defined(&p->config, cycle, &c);

	s = port_check(p, &c, slots);
	if (s == HS_FULL)
		return s;
	return take_checked(p, s, &c, out);
}

/* Bits of it are not known.  Of cycles in a row of which it is not known whether anything retired
 * the first one says it. */
static enum hs_status settle_and_take(struct hs_port *p, const struct hs_port_cycle *cycle,
                                      const struct hs_port_cycle *unknown, struct hs_blocks *out)
{
	const bool adrift = p->adrift;
	struct hs_port_cycle c;
	enum hs_status s;

	memcpy(&c, cycle, sizeof c);
	s = port_settle(p, &c, unknown);
	if (s == HS_OK)
		return check_and_take(p, &c, out);
	if (!adrift || !p->adrift)
		return take_checked(p, s, &c, out);
	memset(&p->fault, 0, sizeof p->fault);
	p->cycles++;
	return HS_OK;
}

static enum hs_status take_either(struct hs_port *p, const struct hs_port_cycle *cycle,
                                  const struct hs_port_cycle *unknown, struct hs_blocks *out)
{
	if (unknown)
		return settle_and_take(p, cycle, unknown, out);
	p->driven = UINT8_MAX;
	p->adrift = p->no_cause = p->no_priv = false;
	p->fetch_unknown = p->no_data = 0;
	return check_and_take(p, cycle, out);
}

/* The core cannot wait: what the cycle would have given is lost. */
static enum hs_status lose_cycle(struct hs_port *p, const struct hs_port_cycle *cycle,
                                 const struct hs_port_cycle *unknown)
{
	struct hs_block at[HS_PORT_ROOM];
	struct hs_blocks nowhere = { at, HS_PORT_ROOM, 0 };
	const enum hs_status s = take_either(p, cycle, unknown, &nowhere);

	p->lost |= nowhere.n != 0;
	return s != HS_OK ? s : nowhere.n ? HS_E_LOST : HS_OK;
}

enum hs_status hs_port_clock(struct hs_port *p, const struct hs_port_cycle *cycle,
                             struct hs_blocks *out)
{
	return hs_port_clock_unknown(p, cycle, NULL, out);
}

enum hs_status hs_port_clock_unknown(struct hs_port *p, const struct hs_port_cycle *cycle,
                                     const struct hs_port_cycle *unknown, struct hs_blocks *out)
{
	enum hs_status s;

	memset(&p->fault, 0, sizeof p->fault);
	p->stall = false;
	if (!has_room(out)) {
		p->stall = !p->config.no_stall;
		return p->stall ? HS_FULL : lose_cycle(p, cycle, unknown);
	}
	if (p->lost) {
		push_gap(p, HS_E_LOST, out);
		p->lost = false;
		p->repeat = true;
	}
	s = take_either(p, cycle, unknown, out);
	p->stall = s == HS_FULL || (!p->config.no_stall && !has_room(out));
	return s;
}

enum hs_status hs_port_flush(struct hs_port *p, struct hs_blocks *out)
{
	if (!has_room(out))
		return HS_FULL;
	if (p->lost)
		push_gap(p, HS_E_LOST, out);
	p->lost = false;
	return hs_builder_flush(&p->builder, out);
}
