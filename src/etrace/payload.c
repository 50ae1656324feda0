/* Payloads to fields (ET Packets).
 *
 * Fields follow each other from bit 0 of the first byte; how wide each is depends on the parameters
 * (layout.width).  Example: 16 2c 00, type 2 bits, format 1 with one branch, address 63 bits:
 *
 *     bits 0-1    type        2: instruction trace (EE type)
 *     bits 2-3    format      1
 *     bits 4-8    branches    1, so that branch_map has 1 bit
 *     bit 9       branch_map  0: taken
 *     bits 10-72  address     0xb; the packet ends at bit 23, and the rest repeats that bit
 *     then        notify, updiscon, irreport: they repeat it, too: nothing is reported
 *
 * Invariant: bits after the last byte have the value of its highest bit (sign compression, ET
 * Packets), so that a field may lie beyond the end.
 */
#include "etrace/et_packet.h"
#include "etrace/payload.h"
#include "etrace/et_standard.h"

/* The message type that a payload begins with: that of te_support is one of its fields (PT 6). */
static bool skip_prefix(const struct hs_et_resolved *c, struct et_bits *b)
{
	if (!c->type_prefix)
		return false;
	if (et_peek(b, b->at, 2) != 2)
		return true;
	b->at += 2;
	return false;
}

/* layout.raw_forms: an address only, although the format is 3?  It fills its bytes, as does a
 * synchronising packet, which has the top bits of an address where the flags are: all equal. */
static __attribute__((noinline)) bool is_raw_address(const struct hs_et_layout *l,
                                                     const struct et_bits *b)
{
	const unsigned flags = 3u + l->width[HS_ETF_IRDEPTH] + l->width[HS_ETF_IRETS];
	const unsigned before = 2u + l->width[HS_ETF_ADDRESS];
	const uint64_t last = et_peek(b, b->at + before, flags);

	if (b->end < b->at || b->end - b->at != (before + flags + 7) / 8 * 8)
		return false;
	const uint64_t low = et_peek(b, b->at + 2, 2); /* the lowest bit of an address is 0 */

	return low == 2 || (low == 0 && last && last != et_ones(flags));
}

/* The form that a payload's first bits name; HS_ET_FORMS: none. */
static unsigned form_of(const struct hs_et_reader *r, const struct et_bits *b, bool control)
{
	const struct hs_et_layout *l = &r->layout;
	const unsigned format = (unsigned)et_peek(b, b->at, 2);
	const unsigned bits = format == 3 ? 2 : format == 0 ? l->f0s : 0;

	if (control && et_form_of(r->config.version, HS_ET_FORM_SUPPORT)->format != ET_CONTROL)
		return HS_ET_FORMS;
	if (control) /* support_type */
		return et_peek(b, b->at + 8, 4) == 1 ? HS_ET_FORM_DISCOVERY : HS_ET_FORM_SUPPORT;
	if (format == 3 && r->config.wire.raw_forms && is_raw_address(l, b))
		return HS_ET_FORM_ADDRESS;
	return l->form[format][et_peek(b, b->at + 2, bits)];
}

/* A walk over the fields of a packet. */
struct fields {
	const struct hs_et_reader *r;
	const struct et_bits *b;
	struct hs_et_packet *p;
	uint64_t present;
	unsigned at;
	unsigned apart; /* what begins here does not repeat the bit before; 0: all does */
};

static inline bool differs(const struct fields *k)
{
	return k->at != k->apart && et_peek(k->b, k->at - 1, 1);
}

/* What notify differs from, where it is set. */
static inline bool notify_differs(const struct fields *k)
{
	return k->r->config.wire.raw_forms ? k->p->field[HS_ETF_ADDRESS] >> 31 & 1 : differs(k);
}

/* notify, updiscon, irreport and irdepth (or irets) end a packet, and mostly report nothing: then
 * they repeat the bit before. */
static inline bool nothing_reported(struct fields *k)
{
	const unsigned depth = k->r->layout.width[HS_ETF_IRDEPTH],
		       irets = k->r->layout.width[HS_ETF_IRETS];
	const unsigned n = 3 + depth + irets;
	const uint64_t want = differs(k) ? et_ones(n) : 0;

	if (et_peek(k->b, k->at, n) != want)
		return false;
	k->at += n;
	k->present |= (uint64_t)7 << HS_ETF_NOTIFY | (uint64_t)(depth != 0) << HS_ETF_IRDEPTH |
	              (uint64_t)(irets != 0) << HS_ETF_IRETS;
	return true;
}

/* An address of 8k+1 bits: as many as there is room for before the flags and the depth. */
static __attribute__((noinline)) void read_long_sign(struct fields *k)
{
	const struct hs_et_layout *l = &k->r->layout;
	const unsigned after = 3u + l->width[HS_ETF_IRDEPTH] + l->width[HS_ETF_IRETS];
	const unsigned there = k->b->end > k->at + after ? k->b->end - k->at - after : 0;
	const unsigned width = there ? (there - 1) / 8 * 8 + 1 : 0, low = width > 64 ? 64 : width;
	uint64_t v = et_peek(k->b, k->at, low);

	if (low < 64 && low && v >> (low - 1))
		v |= ~et_ones(low);
	k->at += width;
	k->apart = k->at;
	k->p->field[HS_ETF_ADDRESS] = v & et_ones(l->width[HS_ETF_ADDRESS]);
	k->present |= (uint64_t)1 << HS_ETF_ADDRESS;
}

/* One bit of layout.address_last that differs from the bit before it. */
static unsigned take_flag(struct fields *k, enum hs_et_field field, unsigned before)
{
	const unsigned bit = (unsigned)et_peek(k->b, k->at++, 1);

	k->p->field[field] = bit ^ before;
	k->present |= (uint64_t)1 << field;
	return bit;
}

/* layout.address_last: the fields that the text has after an address, and then the address; notify
 * is compared with its top bit, as in the text. */
static __attribute__((noinline)) void read_address_last(struct fields *k, enum hs_et_field field)
{
	const struct hs_et_layout *l = &k->r->layout;
	const unsigned full = et_bits_of(l, &k->r->config, k->p, field);
	unsigned notify = 0, width;

	if (field == HS_ETF_TRAP_ADDRESS) {
		k->p->field[HS_ETF_TVAL] = et_peek(k->b, k->at, l->width[HS_ETF_TVAL]);
		k->present |= (uint64_t)(l->width[HS_ETF_TVAL] != 0) << HS_ETF_TVAL;
		k->at += l->width[HS_ETF_TVAL];
	} else if (k->p->form < HS_ET_FORM_START) {
		notify = take_flag(k, HS_ETF_NOTIFY, 0);
		take_flag(k, HS_ETF_IRREPORT, take_flag(k, HS_ETF_UPDISCON, notify));
	}
	width = k->b->end > k->at ? (k->b->end - k->at) / 8 * 8 : 0;
	width = width > 64 ? 64 : width;
	uint64_t v = et_peek(k->b, k->at, width);

	if (width && width < 64 && v >> (width - 1))
		v |= ~et_ones(width);
	k->at += width;
	k->p->field[field] = v & et_ones(full);
	k->present |= (uint64_t)1 << field;
	if (k->p->form < HS_ET_FORM_START)
		k->p->field[HS_ETF_NOTIFY] = notify ^ (v >> (full - 1) & 1);
}

/* rv_tracer says 0 branches where it synchronises, with a map whose last bits may be none and an
 * address: it is read as one of 31; QEMU says 31 where the text has 0 (design/et-layouts). */
static unsigned count_branches(const struct fields *k, unsigned branches)
{
	const struct hs_et_layout_config *w = &k->r->config.wire;

	if (!w->block_end && !w->raw_forms)
		return branches;
	const bool address = k->b->end > k->at + 31u + 8u;

	if (branches == 31 && !address && w->raw_forms)
		return 0;
	return !branches && address && w->block_end ? 31 : branches;
}

/* Read the next field.  False: what comes after it was read with it. */
static inline __attribute__((always_inline)) bool read_field(struct fields *k,
                                                             enum hs_et_field field)
{
	if (field == HS_ETF_NOTIFY && !k->r->config.wire.raw_forms && nothing_reported(k))
		return false;
	if (k->r->config.wire.address_last &&
	    (field == HS_ETF_ADDRESS || field == HS_ETF_TRAP_ADDRESS)) {
		read_address_last(k, field);
		return false;
	}
	if (field == HS_ETF_ADDRESS && k->r->config.wire.long_sign &&
	    k->p->form < HS_ET_FORM_START) {
		read_long_sign(k);
		return true;
	}
	const unsigned width = et_bits_of(&k->r->layout, &k->r->config, k->p, field);
	uint64_t v = et_peek(k->b, k->at, width);

	if (field == HS_ETF_F0S && width == 0)
		v = k->r->layout.implied;
	if (field == HS_ETF_THADDR && width == 0)
		v = 1;
	if (field == HS_ETF_NOTIFY)
		v ^= notify_differs(k);
	if (field == HS_ETF_UPDISCON || field == HS_ETF_IRREPORT)
		v ^= differs(k);
	if ((field == HS_ETF_IRDEPTH || field == HS_ETF_IRETS) && !k->p->field[HS_ETF_IRREPORT])
		v = 0;
	k->at += width;
	if (field == HS_ETF_BRANCHES)
		v = count_branches(k, (unsigned)v);
	k->p->field[field] = v;
	k->present |= (uint64_t)(width != 0) << field;
	return true;
}

/* The tables as code: for each form a condition that reads its fields one after the other, to the
 * first that is false.  FROM, NOT: only when the earlier field has such a value. */
#define F(f) read_field(k, HS_ETF_##f) &&
#define FROM(f, g, n) (k->p->field[HS_ETF_##g] < (n) || read_field(k, HS_ETF_##f)) &&
#define NOT(f, g) (k->p->field[HS_ETF_##g] || read_field(k, HS_ETF_##f)) &&
#define HS_ET_PACKET(id, name, format, subformat, slots, clause) \
	case HS_ET_FORM_##id: \
		if ((HS_ET_FORM_##id == HS_ET_FORM_SUPPORT) == support) \
			(void)(slots true); \
		break;

/* Support packets are rare and have most of the fields: apart, the others stay short. */
static inline __attribute__((always_inline)) void read_some(struct fields *k, unsigned form,
                                                            const bool support)
{
	switch (form) {
#include "etrace/et_packets.def"
	default: break;
	}
}

static __attribute__((noinline)) void read_support(struct fields *k)
{
	read_some(k, HS_ET_FORM_SUPPORT, true);
}

static inline void read_ratified(struct fields *k, unsigned form)
{
	if (form == HS_ET_FORM_SUPPORT)
		read_support(k);
	else
		read_some(k, form, false);
}

#undef HS_ET_PACKET
#define HS_ET_PACKET(id, name, format, subformat, slots, clause) \
	case HS_ET_FORM_##id: \
		(void)(slots true); \
		break;

static inline void read_draft(struct fields *k, unsigned form)
{
	switch (form) {
#include "etrace/et_packets_0_026.def"
	default: break;
	}
}

static inline void read_fast(struct fields *k, unsigned form)
{
	switch (form) {
#include "etrace/et_packets_fast.def"
	default: break;
	}
}

#undef HS_ET_PACKET
#undef F
#undef FROM
#undef NOT

static void read_fields(const struct hs_et_reader *r, struct et_bits *b, struct hs_et_packet *p,
                        unsigned form)
{
	struct fields k = { .r = r, .b = b, .p = p, .at = b->at };

	if (r->config.version == HS_ET_0_026)
		read_draft(&k, form);
	else if (r->config.version == HS_ET_FAST)
		read_fast(&k, form);
	else
		read_ratified(&k, form);
	b->at = k.at;
	p->present = k.present;
}

/* The bits after the last field only repeat the bit before (ET Packets), or are 0. */
static bool spare_bits_good(const struct et_bits *b, bool signed_bits)
{
	const uint64_t want = signed_bits && et_before(b) ? UINT64_MAX : 0;

	for (unsigned at = b->at; b->at && at < b->end; at += 64) {
		const unsigned n = b->end - at < 64 ? b->end - at : 64;

		if (et_peek(b, at, n) != (want & et_ones(n)))
			return false;
	}
	return true;
}

/* Nothing says what fills the last byte of an encapsulated packet (EE Packet Length). */
static bool padding_good(const struct hs_et_resolved *c, const struct et_bits *b,
                         const struct hs_et_packet *p)
{
	if (c->wire.padding == HS_ET_PADDING_ANY)
		return true;
	/* "Any other implementation specific information" */
	if (et_is_standard(c) && p->form == HS_ET_FORM_SUPPORT)
		return true;
	if (c->wire.padding == HS_ET_PADDING_BYTES && b->end < b->at + 8)
		return true;
	return spare_bits_good(b, et_sign_extends(c, p));
}

/* Packets that the mode has (design/et-draft). */
static bool fast_good(const struct hs_et_resolved *c, const struct hs_et_packet *p)
{
	if (p->form == HS_ET_FORM_CYCLES)
		return c->cycles == HS_ET_CYCLES_RETIREMENTS;
	if (8 * p->field[HS_ETF_SOURCE_SIZE] >= (unsigned)(c->iaddress_width - c->iaddress_lsb))
		return false; /* longer than an address */
	const bool led = p->field[HS_ETF_REASON] != HS_ET_REASON_NONE;

	return p->form == HS_ET_FORM_TARGET ? c->fast && led : c->fast || !led;
}

/* The field whose value the text does not have; HS_ETF_COUNT: none. */
static unsigned bad_field(const struct hs_et_resolved *c, const struct hs_et_packet *p)
{
	if (p->form == HS_ET_FORM_BRANCH_COUNT && p->field[HS_ETF_BRANCH_FMT] == 1)
		return HS_ETF_BRANCH_FMT;
	if (p->form != HS_ET_FORM_SUPPORT && p->form != HS_ET_FORM_DISCOVERY)
		return HS_ETF_COUNT;
	if (c->version != HS_ET_0_026 && p->field[HS_ETF_ENCODER_MODE])
		return HS_ETF_ENCODER_MODE; /* branch trace is the only mode */
	if (et_is_standard(c))
		return et_standard_bad(p);
	if (c->version != HS_ET_0_026)
		return HS_ETF_COUNT;
	if (p->field[HS_ETF_MSG_TYPE] != 0)
		return HS_ETF_MSG_TYPE;
	if (p->field[HS_ETF_CONTROL_CODE] != 0x34)
		return HS_ETF_CONTROL_CODE;
	return p->field[HS_ETF_SUPPORT_TYPE] && p->form == HS_ET_FORM_SUPPORT ? HS_ETF_SUPPORT_TYPE
	                                                                      : HS_ETF_COUNT;
}

const char *et_bad_clause(const struct hs_et_resolved *c, const struct hs_et_packet *p)
{
	const unsigned field = p->form == HS_ET_FORM_OTHER ? HS_ETF_COUNT : bad_field(c, p);

	if (p->form == HS_ET_FORM_OTHER && p->bits == 0) /* nothing that begins a payload */
		return "EE Header";
	if (c->version == HS_ET_0_026)
		return p->form == HS_ET_FORM_SUPPORT ? "PT 6, Table 6.4" : "PT 6";
	return field < HS_ETF_COUNT ? hs_et_field_clause(field) : "ET Packets";
}

/* Bits of the payload before a field. */
static unsigned bits_before(const struct hs_et_reader *r, const struct hs_et_packet *p,
                            unsigned field)
{
	unsigned bits = 0;

	for (const struct et_slot *s = et_row(r->config.version, p->form)->slot; s->field != field;
	     s++)
		if (et_stands(s, p))
			bits += et_bits_of(&r->layout, &r->config, p, s->field);
	return bits;
}

enum hs_status et_parse(const struct hs_et_reader *r, struct et_bits *b, bool control,
                        struct hs_et_packet *p)
{
	const struct hs_et_resolved *c = &r->config;
	const unsigned from = b->at;

	control = skip_prefix(c, b) || control;
	const unsigned form = form_of(r, b, control);

	const unsigned before = b->at - from; /* a prefix */

	if (form == HS_ET_FORMS) { /* format 0 or 3: after the format, which exists */
		p->bits = (uint16_t)(before + 2);
		return HS_E_FIELD;
	}
	p->form = (uint8_t)form;
	read_fields(r, b, p, form);
	b->at += et_bits_after(&r->layout, c, p);
	p->bits = (uint16_t)(b->at - from);
	const unsigned bad = c->version == HS_ET_FAST ? HS_ETF_COUNT : bad_field(c, p);

	if (bad < HS_ETF_COUNT)
		p->bits = (uint16_t)(before + bits_before(r, p, bad));
	if (bad < HS_ETF_COUNT || (c->version == HS_ET_FAST && !fast_good(c, p)) ||
	    !padding_good(c, b, p))
		return HS_E_FIELD;
	return HS_OK;
}

bool et_payload_whole(const struct hs_et_reader *r)
{
	struct hs_et_packet p = { .form = HS_ET_FORM_OTHER };
	struct et_bits b;

	et_load(&b, r->buffer, r->held, 0, r->layout.extend);
	const bool control = skip_prefix(&r->config, &b);
	const unsigned form = form_of(r, &b, control);

	if (form == HS_ET_FORMS)
		return true;
	p.form = (uint8_t)form;
	read_fields(r, &b, &p, form);
	return b.at + et_bits_after(&r->layout, &r->config, &p) <= b.end;
}
