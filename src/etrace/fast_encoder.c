/* Blocks to packets for fast profiles and cycle counts (PT 7.2, 7.3; design/et-draft).
 *
 * cur is the last instruction that retired; where it led is known with the next block.  e->address
 * is the address of the last packet, e->time_sent its time.
 */
#include "etrace/decide.h"
#include "etrace/emit.h"

#include "core/mem.h"

#define CYCLES_MAX (((uint64_t)1 << 56) - 1) /* cycle_size has 3 bits */

/* The reason that an itype is reported with; 0: chapter 7 does not ask for it. */
static unsigned reason_of(unsigned itype)
{
	static const uint8_t of[16] = {
		[HS_ITYPE_EXCEPTION] = HS_ET_REASON_EXCEPTION,
		[HS_ITYPE_INTERRUPT] = HS_ET_REASON_INTERRUPT,
		[HS_ITYPE_XRET] = HS_ET_REASON_XRET,
		[HS_ITYPE_CALL_UNINF] = HS_ET_REASON_CALL_UNINF,
		[HS_ITYPE_CALL_INF] = HS_ET_REASON_CALL,
		[HS_ITYPE_SWAP] = HS_ET_REASON_SWAP,
		[HS_ITYPE_RETURN] = HS_ET_REASON_RETURN,
	};

	return of[itype & 15];
}

static unsigned address_bits(const struct hs_et_encoder *e)
{
	return e->config.iaddress_width - e->config.iaddress_lsb;
}

/* @to - @from in units of 2^iaddress_lsb. */
static uint64_t difference(const struct hs_et_encoder *e, uint64_t to, uint64_t from)
{
	return ((to - from) >> e->config.iaddress_lsb) & et_ones(address_bits(e));
}

/* Bytes that a difference with its sign needs, minus 1. */
static unsigned source_size(uint64_t v, unsigned bits)
{
	const bool negative = v >> (bits - 1) & 1;
	unsigned n = 0;

	if (negative)
		v = ~v & et_ones(bits);
	while (v >> (8 * n + 7))
		if (++n == 7)
			break;
	return n;
}

/* @base: the address that the source is a difference to. */
static void set_source_fields(const struct hs_et_encoder *e, struct hs_et_packet *p, uint64_t base)
{
	const unsigned bits = address_bits(e);
	uint64_t v = difference(e, e->cur.addr, base);

	if (e->config.fast != HS_ET_FAST_SOURCES)
		return;
	p->field[HS_ETF_SOURCE_SIZE] = source_size(v, bits);
	if (v >> (bits - 1) & 1)
		v |= ~et_ones(bits);
	p->field[HS_ETF_SOURCE] = v;
}

static void set_cycle_fields(const struct hs_et_encoder *e, struct hs_et_packet *p)
{
	const uint64_t cycles = e->time - e->time_sent;
	unsigned n = 0;

	if (!e->config.cycles)
		return;
	while (n < 7 && cycles >> 8 * n)
		n++;
	p->field[HS_ETF_CYCLE_SIZE] = n;
	p->field[HS_ETF_CYCLES] = cycles;
}

/* Send a packet, which stands for @addr and the current time. */
static void send_at(struct hs_et_encoder *e, struct et_output *out, const struct hs_et_packet *p,
                    uint64_t addr)
{
	et_send_packet(e, out, p);
	e->address = addr;
	e->time_sent = e->time;
	e->count += e->config.sync_mode == HS_ET_SYNC_PACKETS;
}

static void emit_start(struct hs_et_encoder *e, struct et_output *out, const struct hs_et_item *at,
                       unsigned reason)
{
	struct hs_et_packet p;

	et_begin_packet(e, &p, HS_ET_FORM_START);
	et_set_sync_fields(e, &p, at);
	p.field[HS_ETF_REASON] = reason;
	if (reason)
		set_source_fields(e, &p, at->addr);
	p.field[HS_ETF_ADDRESS] = difference(e, at->addr, 0);
	send_at(e, out, &p, at->addr);
	e->count = 0;
	et_clear(e, ET_PENDING_SYNC);
}

static void emit_target(struct hs_et_encoder *e, struct et_output *out, uint64_t addr,
                        unsigned reason)
{
	const bool sources = e->config.fast == HS_ET_FAST_SOURCES;
	struct hs_et_packet p;

	et_begin_packet(e, &p, HS_ET_FORM_TARGET);
	p.field[HS_ETF_REASON] = reason;
	set_source_fields(e, &p, e->address);
	set_cycle_fields(e, &p);
	p.field[HS_ETF_ADDRESS] = difference(e, addr, sources ? e->cur.addr : e->address);
	send_at(e, out, &p, addr);
}

static void emit_cycles(struct hs_et_encoder *e, struct et_output *out, uint64_t addr)
{
	struct hs_et_packet p;

	et_begin_packet(e, &p, HS_ET_FORM_CYCLES);
	set_cycle_fields(e, &p);
	p.field[HS_ETF_ADDRESS] = difference(e, addr, e->address);
	send_at(e, out, &p, addr);
}

/* Is a packet with the full address and the full time needed?  @reported: the instruction needs
 * a packet. */
static bool must_start(const struct hs_et_encoder *e, bool reported)
{
	const bool due = e->config.sync_mode != HS_ET_SYNC_OFF && e->count >= e->interval;

	if (e->cur.kind == ITEM_NONE || et_pends(e, ET_PENDING_SYNC))
		return true;
	return reported && (due || (e->config.cycles && e->time - e->time_sent > CYCLES_MAX));
}

/* Report @at, the first instruction of a block. */
static void report_insn(struct hs_et_encoder *e, struct et_output *out, const struct hs_et_item *at)
{
	const bool running = e->cur.kind != ITEM_NONE;
	const unsigned reason = running && e->config.fast ? reason_of(e->cur.itype)
	                                                  : HS_ET_REASON_NONE;
	const bool timed = e->config.cycles == HS_ET_CYCLES_RETIREMENTS && e->time_new;
	const bool moved = running && e->config.context_width && at->context != e->context_sent;

	if (must_start(e, reason || timed) || (reason && moved)) {
		emit_start(e, out, at, reason);
		return;
	}
	if (moved) {
		struct hs_et_packet p;

		et_begin_packet(e, &p, HS_ET_FORM_CONTEXT);
		p.field[HS_ETF_SUBFORMAT] = 2;
		et_set_sync_fields(e, &p, at);
		et_send_packet(e, out, &p);
	}
	if (reason)
		emit_target(e, out, at->addr, reason);
	else if (timed)
		emit_cycles(e, out, at->addr);
}

void et_fast_block(struct hs_et_encoder *e, struct et_output *out, const struct hs_block *b)
{
	const uint64_t end = hs_block_end(b);
	struct hs_et_item at = {
		.addr = b->iaddr, .context = et_context(e), .kind = ITEM_INSN, .priv = b->priv
	};

	if (et_breaks_flow(e, b->iaddr))
		et_fast_stop(e, out, true);
	if (et_pends(e, ET_PENDING_LOSS))
		et_emit_support(e, out, 1, HS_ET_TRACE_LOST);
	et_clear(e, ET_PENDING_LOSS);
	report_insn(e, out, &at);
	e->time_new = false;
	e->cur = at;
	e->cur.itype = b->itype;
	e->cur.addr = end - 2u * (uint64_t)b->ilast;
	e->count += e->config.sync_mode == HS_ET_SYNC_HALFWORDS ? b->iretire : 0;
	e->follow = et_continues(e, b->itype);
	e->expect = end;
}

void et_fast_stop(struct hs_et_encoder *e, struct et_output *out, bool enabled)
{
	if (et_pends(e, ET_PENDING_LOSS)) /* no packet since the loss has reported it */
		et_emit_support(e, out, enabled, HS_ET_TRACE_LOST);
	else if (e->cur.kind != ITEM_NONE)
		et_emit_support(e, out, enabled, HS_ET_ENDED_NTR);
	et_clear(e, ET_PENDING_LOSS);
	e->cur.kind = ITEM_NONE;
}

void et_fast_event(struct hs_et_encoder *e, struct et_output *out, const struct hs_block *b)
{
	if (et_apply_event(e, b))
		et_fast_stop(e, out, true);
}
