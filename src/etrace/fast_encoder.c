/* Blocks to packets for fast profiles and cycle counts (PT 7.2, 7.3; ADR-0022).
 *
 * cur is the last instruction that retired: whatever it was, what it led to is known with the next block.
 * e->address is the address that the last packet told, e->time_sent the time that it stood for.
 */
#include "etrace/emit.h"

#include "base/mem.h"

#define CYCLES_MAX (((uint64_t)1 << 56) - 1) /* cycle_size has 3 bits */

/* reason of each itype; 0: none of those that chapter 7 asks for. */
static unsigned reason_of(unsigned itype)
{
	static const uint8_t of[16] = {
		[HS_ITYPE_EXCEPTION] = HS_ET_REASON_EXCEPTION, [HS_ITYPE_INTERRUPT] = HS_ET_REASON_INTERRUPT,
		[HS_ITYPE_XRET] = HS_ET_REASON_XRET, [HS_ITYPE_CALL_UNINF] = HS_ET_REASON_CALL_UNINF,
		[HS_ITYPE_CALL_INF] = HS_ET_REASON_CALL, [HS_ITYPE_SWAP] = HS_ET_REASON_SWAP,
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

/* Bytes, less one, that a difference takes with its sign. */
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

/* @base: the address that the source is told from. */
static void set_source(const struct hs_et_encoder *e, struct hs_et_packet *p, uint64_t base)
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

static void set_cycles(const struct hs_et_encoder *e, struct hs_et_packet *p)
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

static void sent(struct hs_et_encoder *e, struct et_sheet *out, const struct hs_et_packet *p, uint64_t addr)
{
	et_send(e, out, p);
	e->address = addr;
	e->time_sent = e->time;
	e->count += e->config.sync_mode == HS_ET_SYNC_PACKETS;
}

static void emit_start(struct hs_et_encoder *e, struct et_sheet *out, const struct hs_et_item *at, unsigned reason)
{
	struct hs_et_packet p;

	et_begin(e, &p, HS_ET_FORM_START);
	et_set_place(e, &p, at);
	p.field[HS_ETF_REASON] = reason;
	if (reason)
		set_source(e, &p, at->addr);
	p.field[HS_ETF_ADDRESS] = difference(e, at->addr, 0);
	sent(e, out, &p, at->addr);
	e->count = 0;
	e->force = false;
}

static void emit_target(struct hs_et_encoder *e, struct et_sheet *out, uint64_t addr, unsigned reason)
{
	const bool sources = e->config.fast == HS_ET_FAST_SOURCES;
	struct hs_et_packet p;

	et_begin(e, &p, HS_ET_FORM_TARGET);
	p.field[HS_ETF_REASON] = reason;
	set_source(e, &p, e->address);
	set_cycles(e, &p);
	p.field[HS_ETF_ADDRESS] = difference(e, addr, sources ? e->cur.addr : e->address);
	sent(e, out, &p, addr);
}

static void emit_cycles(struct hs_et_encoder *e, struct et_sheet *out, uint64_t addr)
{
	struct hs_et_packet p;

	et_begin(e, &p, HS_ET_FORM_CYCLES);
	set_cycles(e, &p);
	p.field[HS_ETF_ADDRESS] = difference(e, addr, e->address);
	sent(e, out, &p, addr);
}

/* A packet with a full address, and full time, is wanted. */
static bool must_start(const struct hs_et_encoder *e, bool told)
{
	const bool due = e->config.sync_mode != HS_ET_SYNC_OFF && e->count >= e->interval;

	if (e->cur.kind == ITEM_NONE || e->force)
		return true;
	return told && (due || (e->config.cycles && e->time - e->time_sent > CYCLES_MAX));
}

/* What @at, the first instruction of a block, is told by. */
static void tell(struct hs_et_encoder *e, struct et_sheet *out, const struct hs_et_item *at)
{
	const bool running = e->cur.kind != ITEM_NONE;
	const unsigned reason = running && e->config.fast ? reason_of(e->cur.itype) : HS_ET_REASON_NONE;
	const bool timed = e->config.cycles == HS_ET_CYCLES_RETIREMENTS && e->time_new;
	const bool moved = running && e->config.context_width && at->context != e->context_sent;

	if (must_start(e, reason || timed) || (reason && moved)) {
		emit_start(e, out, at, reason);
		return;
	}
	if (moved) {
		struct hs_et_packet p;

		et_begin(e, &p, HS_ET_FORM_CONTEXT);
		p.field[HS_ETF_SUBFORMAT] = 2;
		et_set_place(e, &p, at);
		et_send(e, out, &p);
	}
	if (reason)
		emit_target(e, out, at->addr, reason);
	else if (timed)
		emit_cycles(e, out, at->addr);
}

/* The flow cannot have gone from the last block to @b. */
static bool broken(const struct hs_et_encoder *e, const struct hs_block *b)
{
	return e->cur.kind != ITEM_NONE && e->follow && e->expect != b->iaddr;
}

void et_fast_block(struct hs_et_encoder *e, struct et_sheet *out, const struct hs_block *b)
{
	const uint64_t end = hs_block_end(b), low = et_ones(e->config.context_width);
	struct hs_et_item at = { .addr = b->iaddr, .context = e->context & low, .kind = ITEM_INSN, .priv = b->priv };

	if (broken(e, b))
		et_fast_stop(e, out, true);
	if (e->lost)
		et_emit_support(e, out, 1, HS_ET_TRACE_LOST);
	e->lost = false;
	tell(e, out, &at);
	e->time_new = false;
	e->cur = at;
	e->cur.itype = b->itype;
	e->cur.addr = end - 2u * (uint64_t)b->ilast;
	e->count += e->config.sync_mode == HS_ET_SYNC_HALFWORDS ? b->iretire : 0;
	e->follow = (b->itype == HS_ITYPE_NONE && e->config.itype_width > 3) || b->itype == HS_ITYPE_NOT_TAKEN;
	e->expect = end;
}

void et_fast_stop(struct hs_et_encoder *e, struct et_sheet *out, bool enabled)
{
	if (e->cur.kind != ITEM_NONE)
		et_emit_support(e, out, enabled, HS_ET_ENDED_NTR);
	e->cur.kind = ITEM_NONE;
	e->follow = false;
	e->force = false;
}

void et_fast_event(struct hs_et_encoder *e, struct et_sheet *out, const struct hs_block *b)
{
	if (et_take_event(e, b))
		et_fast_stop(e, out, true);
}
