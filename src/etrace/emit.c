/* Packets that the encoder sends (ET Packets, ET Algorithm).
 *
 * decide.c says when a packet is needed and what it reports; here its form is chosen and its
 * fields are set.  Example: one branch, taken, waits, and the address 0x1016 is to be reported
 * after 0x1000:
 *
 *     e->branches 1, e->map 0      so format 1, not 2
 *     address 0x16 >> 1 = 0xb      the difference to e->address, without the bit that is always 0
 *
 * Invariants: e->address is the address that was reported last.  A packet with an address reports
 * all branches before it; 31 branches without one are a packet of their own, and from 31 that were
 * all predicted on they are a count.
 */
#include "core/bits.h"
#include "etrace/emit.h"

#include "core/mem.h"
#include "etrace/et_encoder.h"
#include "etrace/memory.h"
#include "etrace/predictor.h"
#include "etrace/et_standard.h"

/* The privilege of blocks as that of the ingress port (ET Table priv). */
static unsigned port_priv(const struct hs_et_resolved *c, unsigned priv)
{
	static const uint8_t of[8] = { 0, 1, 4, 3, 5, 6, 7, 0 };

	return priv == HS_PRIV_M ? c->wire.machine : of[priv & 7];
}

/* Can packets say that a hart is in this mode, and not in another one? */
static bool has_mode(const struct hs_et_resolved *c, unsigned priv)
{
	const unsigned v = port_priv(c, priv);

	return !(v >> c->privilege_width) && (priv == HS_PRIV_M || v != c->wire.machine);
}

void hs_et_get_fields(const struct hs_et_config *config, struct hs_et_fields *fields)
{
	struct hs_et_resolved c;

	*fields = (struct hs_et_fields){ .modes = UINT8_MAX };
	if (et_config_take(&c, config) != HS_OK)
		return;
	fields->cause = c.ecause_width;
	fields->value = c.notval ? 0 : c.iaddress_width;
	fields->context = c.context_width;
	for (unsigned priv = 0; priv < HS_PRIV_UNKNOWN; priv++)
		if (!has_mode(&c, priv))
			fields->modes &= (uint8_t) ~(1u << priv);
}

static void set_field(struct hs_et_packet *p, enum hs_et_field f, uint64_t v)
{
	p->field[f] = v;
}

void et_begin_packet(struct hs_et_encoder *e, struct hs_et_packet *p, enum hs_et_form form)
{
	const struct et_form *row = et_row(e->config.version, form);

	for (unsigned i = 0; i < row->count; i++) /* of other fields only branches is ever read */
		p->field[row->slot[i].field] = 0;
	p->field[HS_ETF_BRANCHES] = 0;
	p->form = (uint8_t)form;
	p->src = e->config.src_id;
	p->has_tstamp = e->config.tstamp_bytes != 0;
	p->tstamp = e->time;
	set_field(p, HS_ETF_FORMAT, row->format);
}

/* EE Synchronization: null.idle packets, and a null.alignment, where one is due. */
static void send_sync_sequence(struct hs_et_encoder *e, struct et_output *out, size_t n)
{
	const unsigned nulls = et_null_run(&e->config);

	e->aligned += n;
	if (e->aligned < (uint64_t)1 << (e->config.async_freq + 6))
		return;
	memset(out->p, 0, nulls);
	out->p[nulls] = 0x80;
	out->p += nulls + 1;
	e->aligned = 0;
}

/* The index of a packet that was written at @out->p, and what comes after it (design/captures). */
static void send_index(struct hs_et_encoder *e, struct et_output *out, size_t n)
{
	const struct hs_et_resolved *c = &e->config;

	out->p[1] = (uint8_t)e->index;
	out->p[2] = (uint8_t)(e->index >> 8);
	e->index++;
	if (!c->anchor_packets || ++e->anchored < c->anchor_packets)
		return;
	memset(out->p + n, 0, c->anchor_bytes);
	out->p += c->anchor_bytes;
	e->anchored = 0;
}

/* A packet of @n bytes was written at @out->p. */
static void end_packet(struct hs_et_encoder *e, struct et_output *out, unsigned form, size_t n)
{
	out->p += n;
	e->written.packets[form]++;
	e->written.bytes[form] += n;
	if (e->config.async_freq)
		send_sync_sequence(e, out, n);
}

static void write_packet(struct hs_et_encoder *e, struct et_output *out,
                         const struct hs_et_packet *p)
{
	const size_t n = et_write(&e->layout, &e->config, p, out->p);

	if (e->config.wire.frame == HS_ET_FRAME_INDEXED)
		send_index(e, out, n);
	end_packet(e, out, p->form, n);
}

void et_send_full_time(struct hs_et_encoder *e, struct et_output *out)
{
	struct hs_et_packet p;

	if (e->frame_ticks && e->time_full && e->time - e->time_sent >= e->frame_ticks) {
		et_begin_packet(e, &p, HS_ET_FORM_CONTEXT);
		set_field(&p, HS_ETF_SUBFORMAT, 2);
		set_field(&p, HS_ETF_PRIVILEGE, e->priv_full);
		set_field(&p, HS_ETF_TIME, e->time);
		set_field(&p, HS_ETF_CONTEXT, e->context_full);
		write_packet(e, out, &p);
	}
	e->time_sent = e->time;
}

/* What packet @p says of times: it has the full one, or needs one before it. */
static __attribute__((noinline)) void follow_times(struct hs_et_encoder *e, struct et_output *out,
                                                   const struct hs_et_packet *p)
{
	if (p->form == HS_ET_FORM_START || p->form == HS_ET_FORM_TRAP ||
	    p->form == HS_ET_FORM_CONTEXT) {
		e->time_full = true;
		e->priv_full = (uint8_t)p->field[HS_ETF_PRIVILEGE];
		e->context_full = p->field[HS_ETF_CONTEXT];
		e->time_sent = e->time;
		return;
	}
	et_send_full_time(e, out);
	if (p->form == HS_ET_FORM_SUPPORT) /* a synchronisation comes after it, or nothing */
		e->time_full = false;
}

void et_send_packet(struct hs_et_encoder *e, struct et_output *out, const struct hs_et_packet *p)
{
	if (e->frame_ticks)
		follow_times(e, out, p);
	write_packet(e, out, p);
}

/* ---- branches ------------------------------------------------------------------- */

static uint32_t predictor_mask(const struct hs_et_encoder *e)
{
	return ((uint32_t)1 << e->config.bpred_size) - 1;
}

/* Add the depths of @from to those of @to. */
static void add_depths(struct hs_et_depths *to, const struct hs_et_depths *from)
{
	if (from->high == 0)
		return;
	if (to->high == 0 || from->low < to->low)
		to->low = from->low;
	if (from->high > to->high)
		to->high = from->high;
}

static void clear_depths(struct hs_et_depths *d)
{
	*d = (struct hs_et_depths){ 0, 0 };
}

void et_end_segment(struct hs_et_encoder *e)
{
	e->segment = 0;
	e->irets = 0;
	e->calls_seen = 0;
	e->first_open = false;
	add_depths(&e->earlier, &e->recent);
	clear_depths(&e->recent);
}

void et_predict_branch(struct hs_et_encoder *e, bool taken)
{
	const uint64_t at = et_unit(&e->config, e->cur.addr);
	const bool good = et_predict(e->tables.states, predictor_mask(e), at) == taken;

	et_train(e->tables.states, predictor_mask(e), at, taken);
	if (!good && e->correct >= 31 && !e->wrong)
		et_pend(e, ET_PENDING_FAILED);
	else if (!good)
		e->wrong = true;
	else if (!e->wrong)
		e->correct++;
}

/* From 31 predicted branches on they are a count, not a map (ET Format 0 packets). */
static bool reports_count(const struct hs_et_encoder *e)
{
	return e->correct >= 31 && !e->wrong;
}

/* A packet reported everything: nothing is left to report. */
static void clear_segment(struct hs_et_encoder *e)
{
	e->map = 0;
	e->branches = 0;
	e->correct = 0;
	e->wrong = false;
	et_clear(e, ET_PENDING_FAILED);
	e->segment = 0;
	e->irets = 0;
	e->calls_seen = 0;
	e->first_open = e->filled = false;
	clear_depths(&e->recent);
	clear_depths(&e->earlier);
	e->open_target = false;
}

void et_emit_branches(struct hs_et_encoder *e, struct et_output *out)
{
	struct hs_et_packet p;

	if (reports_count(e)) {
		et_begin_packet(e, &p, HS_ET_FORM_BRANCH_COUNT);
		set_field(&p, HS_ETF_BRANCH_COUNT, e->correct - 31);
	} else {
		const bool draft = e->config.version == HS_ET_0_026;

		et_begin_packet(e, &p, draft ? HS_ET_FORM_FULL : HS_ET_FORM_BRANCH);
		set_field(&p, HS_ETF_BRANCH_MAP, e->map);
	}
	et_send_packet(e, out, &p);
	clear_segment(e);
	e->count += e->config.sync_mode == HS_ET_SYNC_PACKETS;
}

/* ---- addresses ------------------------------------------------------------------ */

static uint64_t wire_address(const struct hs_et_encoder *e, uint64_t addr, bool full)
{
	const struct hs_et_resolved *c = &e->config;

	if (!full)
		addr = c->negated ? e->address - addr : addr - e->address;
	return (addr >> c->iaddress_lsb) & et_ones(c->iaddress_width - c->iaddress_lsb);
}

static void set_report_fields(struct hs_et_packet *p, const struct et_report *r)
{
	set_field(p, HS_ETF_NOTIFY, r->notify);
	set_field(p, HS_ETF_UPDISCON, r->updiscon);
	set_field(p, HS_ETF_IRREPORT, r->has_depth);
	set_field(p, HS_ETF_IRDEPTH, r->depth); /* one of the two has no bits */
	set_field(p, HS_ETF_IRETS, r->depth);
}

/* Formats 1 and 2, or format 0 with a count of branches. */
static void make_address_packet(struct hs_et_encoder *e, struct hs_et_packet *p,
                                const struct et_report *r)
{
	const bool count = reports_count(e), full = e->config.options & HS_ET_FULL_ADDRESS;

	et_begin_packet(e, p, count ? HS_ET_FORM_BRANCH_COUNT
	                            : e->branches ? HS_ET_FORM_BRANCH : HS_ET_FORM_ADDRESS);
	if (count) {
		set_field(p, HS_ETF_BRANCH_COUNT, e->correct - 31);
		set_field(p, HS_ETF_BRANCH_FMT, et_pends(e, ET_PENDING_FAILED) ? 3 : 2);
	}
	set_field(p, HS_ETF_BRANCHES, e->branches);
	set_field(p, HS_ETF_BRANCH_MAP, e->map);
	set_field(p, HS_ETF_ADDRESS, wire_address(e, r->addr, full));
	set_report_fields(p, r);
}

/* How many most significant bits of an address are equal. */
static unsigned equal_top_bits(const struct hs_et_resolved *c, uint64_t a)
{
	const unsigned width = c->iaddress_width - c->iaddress_lsb;
	unsigned n = 1;

	while (n < width && (a >> (width - 1 - n) & 1) == (a >> (width - 1) & 1))
		n++;
	return n;
}

/* 0.026: the address, full or differential, that has more equal top bits and so needs fewer (PT
 * 5). */
static void make_draft_address_packet(struct hs_et_encoder *e, struct hs_et_packet *p,
                                      const struct et_report *r)
{
	const struct hs_et_resolved *c = &e->config;
	const uint64_t full = wire_address(e, r->addr, true);
	const uint64_t diff = wire_address(e, r->addr, false);
	const unsigned f = equal_top_bits(c, full), d = equal_top_bits(c, diff);
	const bool always = c->options & HS_ET_FULL_ADDRESS;
	const bool use_full = always || (e->branches && (f > d || (f == d && c->full_on_tie)));

	et_begin_packet(e, p, e->branches == 0 ? HS_ET_FORM_ADDRESS
	                      : use_full       ? HS_ET_FORM_FULL : HS_ET_FORM_BRANCH);
	set_field(p, HS_ETF_BRANCHES, e->branches);
	set_field(p, HS_ETF_BRANCH_MAP, e->map);
	set_field(p, HS_ETF_ADDRESS, use_full ? full : diff);
}

/* Find a target in the cache, and put it there (ET Jump target cache mode). */
static bool look_up_cache(struct hs_et_encoder *e, uint64_t addr, uint64_t *index)
{
	*index = et_cache_index(&e->config, addr);
	const bool hit = e->tables.cache[*index] == addr + 1;

	e->tables.cache[*index] = addr + 1;
	e->tables.cached = true;
	return hit;
}

void et_fill_cache(struct hs_et_encoder *e)
{
	uint64_t index;

	e->fills = false;
	e->filled = true;
	if (e->config.options & HS_ET_JUMP_TARGET_CACHE)
		look_up_cache(e, e->cur.addr, &index);
}

/* May an inferred return have filled the entry on the packet's way?  With irets a decoder looks at
 * the address of the packet at each return, also before the entry has it (ET Decoder
 * is_implicit_return). */
static bool may_be_filled(const struct hs_et_encoder *e)
{
	return e->config.iret_ext && e->filled;
}

/* Replace @p by format 0 subformat 1 where that is no longer. */
static void try_cache_index(struct hs_et_encoder *e, struct hs_et_packet *p,
                            const struct et_report *r)
{
	uint8_t scratch[ET_BYTES_MAX];
	struct hs_et_packet q;
	uint64_t index;

	if (!(e->config.options & HS_ET_JUMP_TARGET_CACHE) || !r->target ||
	    (r->predicted && !e->config.cache_returns))
		return;
	if (!look_up_cache(e, r->addr, &index) || r->updiscon || r->notify || reports_count(e) ||
	    may_be_filled(e))
		return;
	et_begin_packet(e, &q, HS_ET_FORM_INDEX);
	set_field(&q, HS_ETF_F0S, 1);
	set_field(&q, HS_ETF_INDEX, index);
	set_field(&q, HS_ETF_BRANCHES, e->branches);
	set_field(&q, HS_ETF_BRANCH_MAP, e->map);
	set_report_fields(&q, r);
	const size_t direct = et_write(&e->layout, &e->config, p, scratch);

	if (et_write(&e->layout, &e->config, &q, scratch) <= direct)
		memcpy(p, &q, sizeof q);
}

/* Does the packet have nothing but branches and the address? */
static bool is_short(const struct hs_et_encoder *e, const struct et_report *r)
{
	return e->brief.usable && !r->notify && !r->updiscon && !r->has_depth &&
	       !(e->config.options & (HS_ET_BRANCH_PREDICTION | HS_ET_JUMP_TARGET_CACHE));
}

static void send_short(struct hs_et_encoder *e, struct et_output *out, uint64_t addr)
{
	const bool full = e->config.options & HS_ET_FULL_ADDRESS;
	const size_t n = et_short_write(&e->brief, &e->layout, &e->config, e->branches, e->map,
	                                wire_address(e, addr, full), out->p);

	end_packet(e, out, e->branches ? HS_ET_FORM_BRANCH : HS_ET_FORM_ADDRESS, n);
}

static void send_address(struct hs_et_encoder *e, struct et_output *out, const struct et_report *r)
{
	struct hs_et_packet p;

	if (e->config.version == HS_ET_0_026) {
		make_draft_address_packet(e, &p, r);
	} else {
		make_address_packet(e, &p, r);
		try_cache_index(e, &p, r);
	}
	et_send_packet(e, out, &p);
}

void et_emit_address(struct hs_et_encoder *e, struct et_output *out, const struct et_report *r)
{
	const struct hs_et_depths recent = e->recent;

	if (is_short(e, r))
		send_short(e, out, r->addr);
	else
		send_address(e, out, r);
	clear_segment(e);
	e->address = r->addr;
	e->open_target = r->target && !r->updiscon;
	/* A decoder that met the target on its way goes there once more, by the next packet (ET
	 * Decoder, inferred_address). */
	if (e->open_target)
		e->earlier = recent;
	e->count += e->config.sync_mode == HS_ET_SYNC_PACKETS;
}

/* Set the time, in cycles, which periodic synchronisation may count. */
static void set_time(struct hs_et_encoder *e, uint64_t now)
{
	if (e->config.sync_mode == HS_ET_SYNC_CYCLES && now > e->time)
		e->count += now - e->time;
	e->time = now;
	e->time_new = true;
}

/* SYNC codes (NT Table 25), and what a port asks for a context (ET Table context-type). */
enum { SYNC_RESET = 1, SYNC_NOTIFY = 6 };
enum { CTYPE_IMPRECISE = 1, CTYPE_PRECISE = 2, CTYPE_DISCONTINUITY = 3 };

/* The figure's packet for a notification is format 0, 1 or 2 (ET Format 2 notify), which 0.026 does
 * not have; ours is a synchronising packet, which has one meaning in loops too
 * (design/et-encoder). */
static bool has_notify(const struct hs_et_encoder *e)
{
	return e->config.strict && e->config.version != HS_ET_0_026;
}

#define FORMAT_HCONTEXT 3u /* NT Table 12 */

/* @return  Does the flow before the new context end here, as with an exception? */
static bool apply_context(struct hs_et_encoder *e, const struct hs_block *b)
{
	if ((b->arg & 3u) == FORMAT_HCONTEXT)
		e->hcontext = b->value;
	else
		e->context = b->value;
	if (!e->config.context_width)
		return false;
	if (b->itype == CTYPE_IMPRECISE)
		et_pend(e, ET_PENDING_REPORT);
	if (b->itype == CTYPE_PRECISE)
		et_pend(e, ET_PENDING_SYNC);
	return b->itype == CTYPE_DISCONTINUITY;
}

bool et_apply_event(struct hs_et_encoder *e, const struct hs_block *b)
{
	switch (b->kind) {
	case HS_KIND_STOP:
		return true;
	case HS_KIND_GAP:
		if (b->arg == HS_E_LOST)
			hs_et_encoder_lost(e);
		return b->arg != HS_E_LOST;
	case HS_KIND_NOTE:
		return b->arg == HS_NOTE_LEFT_OUT;
	case HS_KIND_SYNC: /* 1, a reset: the flow continues elsewhere */
		if (b->itype == SYNC_NOTIFY && has_notify(e))
			et_pend(e, ET_PENDING_NOTIFY);
		else if (b->itype != SYNC_RESET)
			et_pend(e, ET_PENDING_SYNC);
		return b->itype == SYNC_RESET;
	case HS_KIND_CONTEXT:
		return apply_context(e, b);
	case HS_KIND_TIME:
		set_time(e, b->value);
		if (b->itype == CTYPE_IMPRECISE && e->config.time_width)
			et_pend(e, ET_PENDING_REPORT);
		return false;
	default:
		return false;
	}
}

/* ---- format 3 ------------------------------------------------------------------- */

void et_emit_support(struct hs_et_encoder *e, struct et_output *out, unsigned enable,
                     unsigned qual)
{
	const struct hs_et_layout_config *d = &e->config.wire;
	const bool draft = e->config.version == HS_ET_0_026;
	struct hs_et_packet p;
	uint64_t options = 0;

	if (draft && !d->support)
		return;
	et_begin_packet(e, &p, HS_ET_FORM_SUPPORT);
	for (unsigned i = 0; i < d->ioptions_width; i++)
		options |= (uint64_t)((e->config.options & d->ioptions[i]) != 0) << i;
	set_field(&p, HS_ETF_SUBFORMAT, 3);
	set_field(&p, HS_ETF_CONTROL_CODE, 0x34);
	set_field(&p, HS_ETF_IENABLE, enable);
	set_field(&p, HS_ETF_QUAL_STATUS, qual);
	set_field(&p, HS_ETF_IOPTIONS, options);
	if (et_is_standard(&e->config))
		et_standard_say(&p, et_standard_word(&e->config) | (uint32_t)et_data_word(e));
	e->restarts = e->restarts || qual != HS_ET_NO_CHANGE;
	if (e->data) {
		set_field(&p, HS_ETF_DENABLE, enable);
		set_field(&p, HS_ETF_DLOSS, qual == HS_ET_TRACE_LOST || e->data_lost);
		set_field(&p, HS_ETF_DOPTIONS, et_data_options(e));
		e->data_lost = false;
		e->data_changed = false;
	}
	et_send_packet(e, out, &p);
}

/* 0.026 reserves the value trace_lost: there the encoder was disabled, said twice
 * (design/et-draft). */
void et_emit_loss(struct hs_et_encoder *e, struct et_output *out, bool enabled)
{
	et_cache_clear(&e->tables); /* what was lost filled it (ET-21) */
	if (e->config.version != HS_ET_0_026) {
		et_emit_support(e, out, enabled, HS_ET_TRACE_LOST);
		return;
	}
	et_emit_support(e, out, 0, HS_ET_NO_CHANGE);
	et_emit_support(e, out, 0, HS_ET_NO_CHANGE);
	if (enabled)
		et_emit_support(e, out, 1, HS_ET_NO_CHANGE);
}

void et_set_sync_fields(struct hs_et_encoder *e, struct hs_et_packet *p,
                        const struct hs_et_item *at)
{
	/* Where there is no branch: 1; 0.026 gives the bit no meaning there. */
	const bool otherwise = e->config.version != HS_ET_0_026;

	set_field(p, HS_ETF_BRANCH, et_is_branch(at) ? at->itype == HS_ITYPE_NOT_TAKEN : otherwise);
	set_field(p, HS_ETF_PRIVILEGE, port_priv(&e->config, at->priv));
	set_field(p, HS_ETF_TIME, e->time);
	set_field(p, HS_ETF_CONTEXT, at->context);
	e->context_sent = at->context;
}

/* A synchronising packet was sent: state from before it is void (ET Synchronization); with
 * resync_disabled only where the trace starts (ET Decoder, design/et-standard).  @starts: it has an
 * instruction. */
static void reset_at_sync(struct hs_et_encoder *e, bool starts)
{
	const struct hs_et_resolved *c = &e->config;
	const bool keeps = c->resync_disabled && !c->sync_resets && !e->restarts && !e->changed;

	clear_segment(e);
	e->count = et_counted_hwords(e, &e->cur);
	e->armed = false;
	e->restarts = e->restarts && !starts;
	if (!keeps)
		e->tables.count = 0;
	if (!c->cache_kept || e->changed)
		et_cache_clear(&e->tables);
	e->changed = e->changed && !starts;
	if (!et_is_predicting(e) || keeps)
		return;
	memset(e->tables.states, 1, (size_t)predictor_mask(e) + 1);
	if (et_is_branch(&e->cur))
		et_train(e->tables.states, predictor_mask(e), et_unit(&e->config, e->cur.addr),
		         e->cur.itype == HS_ITYPE_TAKEN);
}

/* After a loss the first packet is a support packet (ET Algorithm); what synchronises comes with
 * it, so that both find room or none. */
static void report_loss(struct hs_et_encoder *e, struct et_output *out)
{
	if (et_pends(e, ET_PENDING_LOSS))
		et_emit_loss(e, out, true);
	et_clear(e, ET_PENDING_LOSS);
}

/* cur is a jump's target, too.  Where a pair was parted, only some decoders infer it: the entry is
 * not used. */
static void fill_by_start(struct hs_et_encoder *e)
{
	et_fill_cache(e);
	if (e->parted && e->config.options & HS_ET_JUMP_TARGET_CACHE)
		e->tables.cache[et_cache_index(&e->config, e->cur.addr)] = 0;
}

void et_emit_start(struct hs_et_encoder *e, struct et_output *out)
{
	struct hs_et_packet p;

	report_loss(e, out);
	if (e->wait_syncs) /* a decoder's may be filled by what came before the wait */
		et_cache_clear(&e->tables);
	else if (e->config.cache_kept && (e->before == BEFORE_DISCON || e->before == BEFORE_FAILED))
		fill_by_start(e);
	e->wait_syncs = false;
	et_begin_packet(e, &p, HS_ET_FORM_START);
	et_set_sync_fields(e, &p, &e->cur);
	set_field(&p, HS_ETF_ADDRESS, wire_address(e, e->cur.addr, true));
	et_send_packet(e, out, &p);
	reset_at_sync(e, true);
	e->address = e->cur.addr;
}

bool et_handler_known(const struct hs_et_encoder *e, const struct hs_et_item *t,
                      const struct hs_et_item *handler)
{
	struct hs_et_packet p;
	uint64_t addr;

	if (!(e->config.options & HS_ET_IMPLICIT_EXCEPT))
		return true;
	set_field(&p, HS_ETF_PRIVILEGE, port_priv(&e->config, handler->priv));
	set_field(&p, HS_ETF_ECAUSE, t->ecause);
	set_field(&p, HS_ETF_INTERRUPT, t->itype == HS_ITYPE_INTERRUPT);
	return et_handler(&e->config, &p, &addr) &&
	       addr == (handler->addr & et_ones(e->config.iaddress_width));
}

void et_emit_trap(struct hs_et_encoder *e, struct et_output *out, const struct hs_et_item *t,
                  bool handler)
{
	const struct hs_et_item *at = handler ? &e->cur : t;
	const bool draft = e->config.version == HS_ET_0_026;
	struct hs_et_packet p;

	report_loss(e, out);
	et_begin_packet(e, &p, HS_ET_FORM_TRAP);
	set_field(&p, HS_ETF_SUBFORMAT, 1);
	et_set_sync_fields(e, &p, at);
	set_field(&p, HS_ETF_ECAUSE, t->ecause);
	set_field(&p, HS_ETF_INTERRUPT, t->itype == HS_ITYPE_INTERRUPT);
	set_field(&p, HS_ETF_THADDR, handler || e->config.wire.arrivals);
	set_field(&p, draft ? HS_ETF_ADDRESS : HS_ETF_TRAP_ADDRESS,
	          wire_address(e, at->addr, true));
	set_field(&p, HS_ETF_TVAL, t->tval);
	et_send_packet(e, out, &p);
	reset_at_sync(e, handler);
	e->address = at->addr;
}

void et_emit_context(struct hs_et_encoder *e, struct et_output *out)
{
	struct hs_et_packet p;

	et_begin_packet(e, &p, HS_ET_FORM_CONTEXT);
	set_field(&p, HS_ETF_SUBFORMAT, 2);
	set_field(&p, HS_ETF_PRIVILEGE, port_priv(&e->config, e->cur.priv));
	set_field(&p, HS_ETF_TIME, e->time);
	set_field(&p, HS_ETF_CONTEXT, e->cur.context);
	et_send_packet(e, out, &p);
	e->context_sent = e->cur.context;
}
