/* Parameters: what the caller gives, its defaults, and what fits together (ET Parameters and
 * Discovery, design/interface). */
#include "etrace/etrace.h"
#include "etrace/et_standard.h"
#include "etrace/tables.h"

#include "core/config.h"

/* ---- layout --------------------------------------------------------------------- */

/* @given has its dialect and version in range. */
static void resolve_layout(struct hs_et_layout_config *w, unsigned dialect, unsigned version,
                           const struct hs_et_layout_config *given)
{
	memcpy(w, &et_dialects[dialect].layout, sizeof *w);
	if (version == HS_ET_0_026 || version == HS_ET_2_1) /* PT Table 6.4 */
		w->mode_bits = 2;
	if (version == HS_ET_2_1) /* the fields that it has are its own */
		w->ioptions_width = 0;
#define HS_ET_LAYOUT(id, member, ...) \
	if (given->given >> HS_ET_LAYOUT_##id & 1u) \
		w->member = given->member;
#include <hartscope/tables/messages.def>
#undef HS_ET_LAYOUT
	if (given->given >> HS_ET_LAYOUT_IOPTIONS & 1u) {
		w->ioptions_width = given->ioptions_width;
		memcpy(w->ioptions, given->ioptions, sizeof w->ioptions);
	}
	if (given->given >> HS_ET_LAYOUT_DOPTIONS & 1u)
		memcpy(w->doptions, given->doptions, sizeof w->doptions);
	w->given = (1u << HS_ET_LAYOUT_COUNT) - 1;
}

enum hs_status hs_et_layout_of(unsigned dialect, unsigned version,
                               struct hs_et_layout_config *layout)
{
	const struct hs_et_layout_config none = { 0 };

	if (dialect >= HS_ET_DIALECT_COUNT || version >= HS_ET_VERSIONS)
		return HS_E_CONFIG;
	resolve_layout(layout, dialect, version, &none);
	return HS_OK;
}

/* ---- defaults ------------------------------------------------------------------- */

static void replace_zero(uint8_t *v, unsigned standard)
{
	if (*v == 0)
		*v = (uint8_t)standard;
}

static void set_defaults(struct hs_et_config *c)
{
	replace_zero(&c->iaddress_width, 64);
	replace_zero(&c->iaddress_unit, 2);
	replace_zero(&c->privilege_width, 3);
	replace_zero(&c->ecause_width, 6);
	replace_zero(&c->context_width, 32);
	replace_zero(&c->time_width, 32);
	replace_zero(&c->itype_width, 4);
}

static void translate(const struct hs_et_config *c, struct hs_et_resolved *r)
{
	memset(r, 0, sizeof *r);
#define SAME(member) r->member = c->member
	SAME(version), SAME(dialect), SAME(iaddress_width), SAME(privilege_width);
	SAME(ecause_width), SAME(notval), SAME(itype_width), SAME(f0s_width), SAME(bpred_size);
	SAME(cache_size), SAME(call_counter_size), SAME(return_stack_size), SAME(sijump);
	SAME(options), SAME(sync_mode), SAME(sync_max), SAME(src_bits), SAME(src_id);
	SAME(tstamp_bytes), SAME(plain_loops), SAME(context_precise), SAME(no_compress);
	SAME(negated), SAME(type_prefix), SAME(context_mark), SAME(vector_sync), SAME(fast);
	SAME(cycles), SAME(iret_ext), SAME(data_trace), SAME(doptions_width);
	SAME(async_freq), SAME(stall), SAME(mtvec), SAME(stvec), SAME(vstvec);
	SAME(anchor_bytes), SAME(anchor_packets), SAME(flow), SAME(type_widths), SAME(other_width);
	SAME(sync_resets), SAME(cache_kept), SAME(cache_returns), SAME(counter_bits);
	SAME(x0_inferable);
#undef SAME
	resolve_layout(&r->wire, c->dialect, c->version, &c->layout);
	r->type_usual = r->wire.type_bits;
	r->iaddress_lsb = (uint8_t)(c->iaddress_unit >> 1); /* of 1, 2, 4 */
	r->context_width = c->context ? c->context_width : 0;
	r->time_width = c->time ? c->time_width : 0;
	r->resync_disabled = c->version == HS_ET_2_1 && c->sync_mode == HS_ET_SYNC_OFF;
	r->full_on_tie = !c->diff_on_tie;
	r->strict = c->strict;
	r->plain_loops = c->plain_loops || c->strict;
	r->context_mark = c->context_mark && !c->strict;
}

uint32_t hs_et_null_run(const struct hs_et_config *c)
{
	struct hs_et_resolved r;

	if (et_config_take(&r, c) != HS_OK)
		return 0;
	return et_encapsulated(r.wire.frame) ? et_null_run(&r) : r.anchor_bytes;
}

/* ---- checks --------------------------------------------------------------------- */

static bool within(unsigned v, unsigned low, unsigned high)
{
	return v >= low && v <= high;
}

/* @c has its defaults. */
static bool ranges_good(const struct hs_et_config *c)
{
	return c->version < HS_ET_VERSIONS && c->dialect < HS_ET_DIALECT_COUNT &&
	       within(c->iaddress_unit, 1, 4) && c->iaddress_unit != 3 &&
	       within(c->iaddress_width, 2 + (c->iaddress_unit >> 1), 64) &&
	       c->privilege_width <= 4 && c->ecause_width <= 64 && c->context_width <= 64 &&
	       c->time_width <= 64 && within(c->itype_width, 3, 4) && c->f0s_width <= 2 &&
	       c->arch <= 15 && c->doptions_width <= (c->data_trace ? 16 : 0) &&
	       c->src_bits <= 16 && (uint32_t)c->src_id >> c->src_bits == 0 &&
	       c->tstamp_bytes <= 8 &&
	       c->bpred_size <= HS_ET_BPRED_MAX && c->cache_size <= HS_ET_CACHE_MAX &&
	       c->return_stack_size <= HS_ET_RETURN_MAX &&
	       c->call_counter_size <= HS_ET_RETURN_MAX && c->sync_mode <= HS_ET_SYNC_HALFWORDS &&
	       c->sync_max <= 20;
}

static bool all_zero(const uint8_t *p, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (p[i])
			return false;
	return true;
}

static bool flags_good(const struct hs_et_config *c)
{
	const uint8_t flags[] = {
		c->context,         c->time,          c->notval,       c->sijump,
		c->context_precise, c->plain_loops,   c->no_compress,  c->negated,
		c->type_prefix,     c->context_mark,  c->diff_on_tie,  c->vector_sync,
		c->iret_ext,        c->data_trace,    c->strict,       c->sync_resets,
		c->cache_kept,      c->cache_returns, c->counter_bits, c->x0_inferable,
	};

	for (size_t i = 0; i < sizeof flags; i++)
		if (flags[i] > 1)
			return false;
	return all_zero(c->reserved, sizeof c->reserved) &&
	       all_zero(c->reserved_end, sizeof c->reserved_end) && c->async_freq <= 7 &&
	       c->stall <= 1 && c->anchor_bytes <= HS_ET_PAYLOAD_MAX && c->flow <= 3 &&
	       c->layout.given >> HS_ET_LAYOUT_COUNT == 0;
}

/* Options without the sizes that they need. */
static unsigned options_lacking(const struct hs_et_resolved *c)
{
	const unsigned optional = HS_ET_BRANCH_PREDICTION | HS_ET_JUMP_TARGET_CACHE;
	unsigned lacking = 0;

	if (!c->sijump)
		lacking |= HS_ET_SIJUMP;
	if (!c->return_stack_size && !c->call_counter_size)
		lacking |= HS_ET_IMPLICIT_RETURN;
	if (!c->bpred_size)
		lacking |= HS_ET_BRANCH_PREDICTION;
	if (!c->cache_size)
		lacking |= HS_ET_JUMP_TARGET_CACHE;
	/* ET Format 0 subformat: without the field, only one of the two may be in use */
	if ((c->options & optional) == optional && c->f0s_width == 0)
		lacking |= optional;
	return c->options & lacking;
}

bool et_options_good(const struct hs_et_resolved *c)
{
	if (c->version == HS_ET_FAST)
		return c->options == 0;
	if (c->version == HS_ET_0_026)
		return !c->iret_ext && (c->options & ~(unsigned)HS_ET_FULL_ADDRESS) == 0;
	return !options_lacking(c);
}

/* Only an itype of 4 bits distinguishes calls (design/et-draft). */
static bool fast_good(const struct hs_et_resolved *c)
{
	if (c->version != HS_ET_FAST)
		return !c->fast && !c->cycles;
	return c->fast <= HS_ET_FAST_SOURCES && c->cycles <= HS_ET_CYCLES_RETIREMENTS &&
	       (c->fast || c->cycles == HS_ET_CYCLES_RETIREMENTS) &&
	       (!c->fast || c->itype_width > 3);
}

/* A synchronising packet, whose source is as long as an address; or one with a count of 56 bits. */
static unsigned longest_fast_bits(const struct hs_et_resolved *c)
{
	const unsigned address = c->iaddress_width - c->iaddress_lsb;
	const unsigned source = c->fast == HS_ET_FAST_SOURCES ? 3 + (address + 7) / 8 * 8 : 0;
	const unsigned fields = 7u + 2u * c->type_prefix + source + address;

	return fields + c->privilege_width + (c->cycles ? 64 : 0) + c->context_width;
}

/* The longest packet: a trap, 31 branches with an address, or in 0.026 what describes the encoder.
 * Support packets of at most 48 bits are as many bytes as branches with an address of 2. */
unsigned et_longest_bits(const struct hs_et_resolved *c)
{
	const unsigned address = c->iaddress_width - c->iaddress_lsb;

	if (c->version == HS_ET_FAST)
		return longest_fast_bits(c);
	const unsigned trap = 7u + 2u * c->type_prefix + c->privilege_width + c->time_width +
	                      c->context_width + c->ecause_width + address +
	                      (c->notval ? 0u : c->iaddress_width);
	const unsigned branch = 38u + 2u * c->type_prefix + address + 3 + et_depth_bits(c);
	const unsigned own = c->version == HS_ET_0_026 ? 76 /* PT 3.1.5 */
	                     : c->version == HS_ET_2_1 ? 42u + c->other_width
	                                               : 0;
	const unsigned longer = trap > branch ? trap : branch;

	return longer > own ? longer : own;
}

static bool within_table(const struct hs_et_layout_config *w)
{
#define HS_ET_LAYOUT(id, member, least, most, ...) \
	if (w->member + 1u < (least) + 1u || w->member > (most)) \
		return false;
#include <hartscope/tables/messages.def>
#undef HS_ET_LAYOUT
	return w->ioptions_width <= HS_ET_IOPTIONS_MAX;
}

/* @all: every option there is. */
static bool bits_good(const uint8_t *options, unsigned n, unsigned all)
{
	unsigned seen = 0;

	for (unsigned i = 0; i < n; i++) {
		const unsigned o = options[i];

		if (o > all || (o & (o - 1)) || o & seen) /* one of them, and only once */
			return false;
		seen |= o;
	}
	return true;
}

static bool types_fit(const struct hs_et_layout_config *w)
{
	const unsigned bits = w->type_bits;

	return bits == 0 || (w->type_inst >> bits == 0 && w->type_control >> bits == 0);
}

static bool layout_good(const struct hs_et_layout_config *w)
{
	if (!within_table(w) || w->machine == 2 || !types_fit(w) ||
	    !bits_good(w->ioptions, w->ioptions_width, 2u * HS_ET_FULL_ADDRESS - 1) ||
	    !bits_good(w->doptions, HS_ET_DOPTIONS_MAX, 2u * HS_ET_DATA_FULL_ADDRESS - 1))
		return false;
	switch (w->frame) {
	case HS_ET_FRAME_ENCAP: return w->length_bits == 5; /* EE Header */
	case HS_ET_FRAME_BARE: return w->type_bits == 0;
	case HS_ET_FRAME_INDEXED:
	case HS_ET_FRAME_SLOT:
	case HS_ET_FRAME_SLOT_HEAD:
		return w->length_bits == 5 && w->type_bits == 0;
	case HS_ET_FRAME_MESSAGE: return w->length_bits == 5 && w->type_bits <= 2;
	default: return w->length_bits + w->type_bits <= 8;
	}
}

/* The types of each source hold the values that they have to. */
static bool type_widths_good(const struct hs_et_resolved *c)
{
	if (!c->type_widths)
		return true;
	if (!et_encapsulated(c->wire.frame) || !c->src_bits)
		return false;
	for (unsigned src = 0; src < 16; src++) {
		const unsigned bits = et_type_bits(c, src);

		if (bits > 8 || (bits && c->wire.type_inst >> bits != 0))
			return false;
		if (c->version == HS_ET_0_026 &&
		    (bits ? c->wire.type_control >> bits != 0 : !c->type_prefix))
			return false;
	}
	return true;
}

static unsigned widest_type(const struct hs_et_resolved *c)
{
	unsigned widest = c->type_usual;

	for (unsigned src = 0; src < 16; src++)
		widest = et_type_bits(c, src) > widest ? et_type_bits(c, src) : widest;
	return widest;
}

/* layout.raw_forms are distinguished by their length in bytes, and an address by its lowest bit. */
static bool raw_good(const struct hs_et_resolved *c)
{
	return !c->wire.raw_forms ||
	       (et_encapsulated(c->wire.frame) && c->wire.type_bits + c->src_bits % 8 == 0 &&
	        !c->type_widths && c->iaddress_lsb == 0 && c->iaddress_width >= 32);
}

static bool fits_framing(const struct hs_et_resolved *c)
{
	const unsigned least = et_longest_bits(c), bytes = (least + 7) / 8;
	const unsigned bits = c->wire.padding == HS_ET_PADDING_BYTES ? 8 * bytes : least;

	if (!et_names_source(c->wire.frame) &&
	    (c->src_bits || (c->tstamp_bytes && !et_is_slotted(c->wire.frame))))
		return false;
	if (!et_encapsulated(c->wire.frame) && (c->async_freq || c->flow))
		return false;
	if (c->wire.frame == HS_ET_FRAME_SLOT_HEAD && c->tstamp_bytes % HS_ET_SLOT_TIME)
		return false;
	if (c->wire.frame != HS_ET_FRAME_INDEXED && (c->anchor_bytes || c->anchor_packets))
		return false;
	switch (c->wire.frame) {
	case HS_ET_FRAME_ENCAP:
		return bits + widest_type(c) + c->src_bits % 8 <= 8 * HS_ET_PAYLOAD_MAX;
	case HS_ET_FRAME_INDEXED:
		return bytes + ET_INDEXED_BYTES <= HS_ET_PAYLOAD_MAX;
	case HS_ET_FRAME_JOINED: /* some bits of the payload are in the header */
	case HS_ET_FRAME_HEADER:
		return bytes < 1u << c->wire.length_bits && bytes <= HS_ET_PAYLOAD_MAX;
	default:
		return bytes <= HS_ET_PAYLOAD_MAX;
	}
}

/* What only slots of CVA6 have, without options, contexts and data trace. */
static bool cva6_good(const struct hs_et_resolved *c)
{
	const struct hs_et_layout_config *w = &c->wire;

	if (!w->address_last && !w->map_ahead && w->frame != HS_ET_FRAME_SLOT_HEAD)
		return true;
	return c->version != HS_ET_0_026 && c->version != HS_ET_FAST && c->version != HS_ET_2_1 &&
	       !(c->options & ~(unsigned)HS_ET_FULL_ADDRESS) && !c->context_width &&
	       !c->data_trace && !w->long_sign && !w->block_end && !w->raw_forms && !w->arrivals;
}

/* te_support of the draft has no format: the framing, or a prefix, must say what it is. */
static bool version_good(const struct hs_et_resolved *c)
{
	const struct hs_et_layout_config *w = &c->wire;
	const bool untyped = w->type_bits == 0 || w->type_inst == w->type_control;

	if ((w->kept_map && !w->arrivals) || !cva6_good(c))
		return false;
	if (c->version == HS_ET_FAST)
		return !w->arrivals;
	if (c->version == HS_ET_0_026)
		return (!untyped || c->type_prefix || !w->support) && !c->data_trace &&
		       w->frame != HS_ET_FRAME_INDEXED && /* its losses have another form */
		       w->frame != HS_ET_FRAME_SLOT && !w->long_sign && !w->block_end &&
		       !w->raw_forms && !w->arrivals;
	if ((w->arrivals || w->raw_forms) &&
	    (c->version == HS_ET_2_1 || c->options & ~(unsigned)HS_ET_FULL_ADDRESS ||
	     c->context_width || c->time_width || c->data_trace))
		return false;
	return !c->type_prefix && !c->context_mark && et_standard_good(c);
}

/* Readings of the text that the version has.  irdepth has n bits only. */
static bool readings_good(const struct hs_et_resolved *c)
{
	if (c->version == HS_ET_0_026 || c->version == HS_ET_FAST)
		return !c->cache_kept && !c->cache_returns && !c->counter_bits && !c->sync_resets;
	return !(c->sync_resets && c->version != HS_ET_2_1) &&
	       !(c->counter_bits && c->options & HS_ET_IMPLICIT_RETURN && !c->iret_ext);
}

/* The standard support packet has its fields in one order (ET Standard Support Packet format). */
static bool layout_free(const struct hs_et_config *c)
{
	const unsigned fixed = 1u << HS_ET_LAYOUT_MODE_BITS | 1u << HS_ET_LAYOUT_IOPTIONS |
	                       1u << HS_ET_LAYOUT_DOPTIONS;

	return c->version != HS_ET_2_1 || !(c->layout.given & fixed);
}

/* ---- configurations of callers -------------------------------------------------- */

/* Copy a caller's struct to @own, with defaults, and check it. */
static enum hs_status take_config(struct hs_et_config *own, struct hs_et_resolved *r,
                                  const struct hs_et_config *given)
{
	const enum hs_status s = base_take_config(own, sizeof *own, given);

	if (s != HS_OK)
		return s;
	set_defaults(own);
	if (!ranges_good(own) || !flags_good(own) || !layout_free(own))
		return HS_E_CONFIG;
	translate(own, r);
	return et_options_good(r) && fast_good(r) && layout_good(&r->wire) && type_widths_good(r) &&
	                       fits_framing(r) && raw_good(r) && version_good(r) && readings_good(r)
	               ? HS_OK
	               : HS_E_CONFIG;
}

enum hs_status et_config_take(struct hs_et_resolved *r, const struct hs_et_config *given)
{
	struct hs_et_config own;

	return take_config(&own, r, given);
}

enum hs_status hs_et_config_check(const struct hs_et_config *c)
{
	struct hs_et_resolved r;

	return et_config_take(&r, c);
}

void hs_et_config_await(struct hs_et_config *c)
{
	struct hs_et_resolved r;
	struct hs_et_config own;

	if (base_take_config(&own, sizeof own, c) != HS_OK || own.version != HS_ET_2_1)
		return;
	set_defaults(&own);
	if (!ranges_good(&own))
		return;
	translate(&own, &r);
	c->options = (uint8_t)(c->options & ~options_lacking(&r));
}

enum hs_status hs_et_config_resolve(struct hs_et_config *c)
{
	struct hs_et_resolved r;
	struct hs_et_config own;
	const enum hs_status s = take_config(&own, &r, c);

	if (s == HS_OK)
		base_give_config(c, &own);
	return s;
}

enum hs_status hs_et_config_dialect(struct hs_et_config *c, enum hs_et_dialect_id dialect)
{
	struct hs_et_config own;
	const enum hs_status s = base_take_config(&own, sizeof own, c);

	if (s != HS_OK)
		return s;
	own.dialect = (uint8_t)dialect;
#define HS_ET_DIALECT_VALUE(id, member, value) \
	if (dialect == HS_ET_DIALECT_##id) \
		own.member = (value);
#include "etrace/et_dialect_values.def"
#undef HS_ET_DIALECT_VALUE
	base_give_config(c, &own);
	return HS_OK;
}
