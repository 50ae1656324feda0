/* Retired blocks to E-Trace packets (ET Algorithm, PT 5).
 *
 * Of a block the first and the last instruction matter (ET Multiple retirement considerations): each becomes an
 * item, a trap becomes one too, and items are decided one by one (decide.c).  Most blocks need none of that:
 * pass.c.
 */
#include "etrace/decide.h"

#include "base/mem.h"

enum hs_status hs_et_encoder_init(struct hs_et_encoder *e, const struct hs_et_config *config)
{
	struct hs_et_resolved own;
	const enum hs_status s = et_config_take(&own, config);

	if (s != HS_OK)
		return s;
	memset(e, 0, sizeof *e);
	memcpy(&e->config, &own, sizeof e->config);
	et_layout_init(&e->layout, &own);
	e->interval = own.sync_mode == HS_ET_SYNC_OFF ? UINT64_MAX : (uint64_t)1 << (own.sync_max + 4);
	e->priv = HS_PRIV_UNKNOWN;
	return HS_OK;
}

/* ---- start and stop --------------------------------------------------------------- */

static void enable(struct hs_et_encoder *e, struct et_sheet *out)
{
	if (!e->support || e->lost)
		et_emit_support(e, out, 1, e->lost ? HS_ET_TRACE_LOST : HS_ET_NO_CHANGE);
	e->support = true;
	e->lost = false;
}

static void stop(struct hs_et_encoder *e, struct et_sheet *out, bool enabled)
{
	const bool running = e->cur.kind != ITEM_NONE;
	const bool target = e->before == BEFORE_DISCON || e->before == BEFORE_FAILED;
	const bool ntr = e->cur.kind == ITEM_INSN && target && !et_synchronises(e);

	et_advance(e, out, NULL);
	if (e->lost && e->support) { /* nothing that would say so came behind the loss */
		et_emit_support(e, out, enabled, HS_ET_TRACE_LOST);
		e->lost = false;
	} else if (running || (!enabled && e->support))
		et_emit_support(e, out, enabled, !running ? HS_ET_NO_CHANGE : ntr ? HS_ET_ENDED_NTR : HS_ET_ENDED_REP);
	e->before = BEFORE_NOTHING;
	e->follow = false;
	e->force = false;
	e->branches = 0;
	e->map = 0;
	if (!enabled)
		e->support = false;
}

void hs_et_encoder_lost(struct hs_et_encoder *e)
{
	e->lost = true;
	e->cur.kind = ITEM_NONE;
	e->before = BEFORE_NOTHING;
	e->follow = false;
	e->branches = 0;
	e->map = 0;
}

/* ---- blocks and events ------------------------------------------------------------ */

static enum hs_status check(const struct hs_et_encoder *e, const struct hs_block *b)
{
	const bool trap = b->itype == HS_ITYPE_EXCEPTION || b->itype == HS_ITYPE_INTERRUPT;
	const uint64_t low = ((uint64_t)1 << e->config.iaddress_lsb) - 1;
	const uint64_t last = hs_block_end(b) - 2u * (uint64_t)b->ilast;

	if ((b->iaddr & 1) || ((b->iaddr | last) & low) || b->itype > 15 || b->itype == HS_ITYPE_RESERVED ||
	    (b->iretire == 0 && !trap) || b->ilast > b->iretire || (b->iretire && !b->ilast) ||
	    (b->iaddr | last) & ~et_ones(e->config.iaddress_width))
		return HS_E_BLOCK;
	return HS_OK;
}

/* A new context: precise, or told by a context packet (ET Table context-type). */
static void set_context(struct hs_et_encoder *e, struct hs_et_item *i)
{
	i->context = et_context(e);
	if (i->context == e->cur.context || e->cur.kind == ITEM_NONE)
		return;
	i->flags |= e->config.context_precise || et_marks(e) || i->kind == ITEM_TRAP ? ITEM_SYNC : ITEM_CONTEXT;
}

static void feed(struct hs_et_encoder *e, struct et_sheet *out, struct hs_et_item *i)
{
	set_context(e, i);
	if (e->force)
		i->flags |= ITEM_SYNC;
	e->force = false;
	et_advance(e, out, i);
}

/* Is something missing between the last block and this one? */
static bool broken(const struct hs_et_encoder *e, const struct hs_block *b, unsigned priv)
{
	const unsigned t = e->cur.itype;

	if (e->cur.kind == ITEM_NONE)
		return false;
	if (e->follow && e->expect != b->iaddr)
		return true;
	/* Only traps and their returns change the privilege: else the decoder could not tell where. */
	return e->cur.kind == ITEM_INSN && priv != e->cur.priv && t != HS_ITYPE_XRET;
}

static unsigned priv_of(const struct hs_et_encoder *e, const struct hs_block *b)
{
	if (b->priv != HS_PRIV_UNKNOWN)
		return b->priv;
	return e->cur.kind != ITEM_NONE ? e->cur.priv : e->priv;
}

/* The pair lies in the block, or in the one before, cut between the two (ET sijump). */
static uint8_t inferred(const struct hs_et_encoder *e, const struct hs_block *b)
{
	const bool cut = e->cur.kind == ITEM_INSN && e->cur.itype == HS_ITYPE_NONE && e->expect == b->iaddr;
	const bool pair = b->sijump && (b->iretire > b->ilast || cut);

	return et_on(e, HS_ET_SIJUMP) && pair ? ITEM_INFERRED : 0;
}

/* Make the item of a block's first instruction that of its last one. */
static void set_last(struct hs_et_item *i, const struct hs_block *b, uint8_t flags)
{
	const bool trap = b->itype == HS_ITYPE_EXCEPTION || b->itype == HS_ITYPE_INTERRUPT;

	i->tval = hs_block_end(b); /* where a call returns to */
	i->addr = i->tval - 2u * (uint64_t)b->ilast;
	i->flags = flags;
	i->itype = trap ? HS_ITYPE_NONE : b->itype;
}

static void encode_block(struct hs_et_encoder *e, struct et_sheet *out, const struct hs_block *b)
{
	const uint64_t end = hs_block_end(b);
	const bool trap = b->itype == HS_ITYPE_EXCEPTION || b->itype == HS_ITYPE_INTERRUPT;
	const unsigned priv = priv_of(e, b);
	struct hs_et_item i = { .addr = b->iaddr, .kind = ITEM_INSN, .priv = (uint8_t)priv };

	const uint8_t flags = inferred(e, b);

	if (broken(e, b, priv))
		stop(e, out, true);
	enable(e, out);
	if (b->iretire > b->ilast)
		feed(e, out, &i);
	if (b->iretire) {
		set_last(&i, b, flags);
		feed(e, out, &i);
	}
	if (e->config.sync_mode == HS_ET_SYNC_HALFWORDS)
		e->count += b->iretire;
	if (trap) {
		i = (struct hs_et_item){ .addr = end, .kind = ITEM_TRAP, .itype = b->itype, .priv = (uint8_t)priv };
		feed(e, out, &i);
	}
	e->follow = (b->itype == HS_ITYPE_NONE && e->config.itype_width > 3) || b->itype == HS_ITYPE_NOT_TAKEN;
	e->expect = end;
}

static void encode_event(struct hs_et_encoder *e, struct et_sheet *out, const struct hs_block *b)
{
	if (b->kind == HS_KIND_TRAP && e->cur.kind == ITEM_TRAP) {
		e->cur.ecause = b->arg;
		e->cur.tval = b->value;
	} else if (et_take_event(e, b)) {
		stop(e, out, true);
	}
}

enum hs_status hs_et_encode(struct hs_et_encoder *e, const struct hs_block *in, size_t n, size_t *used,
                            uint8_t *out, size_t cap, size_t *len)
{
	const bool fast = e->config.version == HS_ET_FAST;
	struct et_sheet sheet = { out, out + cap };
	enum hs_status s = HS_OK;

	*used = 0;
	*len = 0;
	if (cap < HS_ET_ENCODE_ROOM)
		return HS_E_SPACE;
	for (; *used < n && s == HS_OK; *used += s == HS_OK) {
		const struct hs_block *b = &in[*used];

		if (e->smooth && (*used += et_pass(e, &sheet, b, n - *used)) == n)
			break;
		b = &in[*used];
		if (sheet.end - sheet.p < HS_ET_ENCODE_ROOM)
			s = HS_FULL;
		else if (b->kind != HS_KIND_BLOCK)
			fast ? et_fast_event(e, &sheet, b) : encode_event(e, &sheet, b);
		else if ((s = check(e, b)) == HS_OK)
			fast ? et_fast_block(e, &sheet, b) : encode_block(e, &sheet, b);
		e->smooth = !fast && et_smooth(e);
	}
	*len = (size_t)(sheet.p - out);
	return s;
}

const struct hs_et_counts *hs_et_encoder_stats(const struct hs_et_encoder *e)
{
	return &e->written;
}

enum hs_status hs_et_encode_end(struct hs_et_encoder *e, uint8_t *out, size_t cap, size_t *len)
{
	struct et_sheet sheet = { out, out + cap };

	*len = 0;
	if (cap < HS_ET_ENCODE_ROOM)
		return HS_E_SPACE;
	if (e->config.version == HS_ET_FAST)
		et_fast_stop(e, &sheet, false);
	else
		stop(e, &sheet, false);
	*len = (size_t)(sheet.p - out);
	return HS_OK;
}
