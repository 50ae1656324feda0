/* Packet, field and dialect tables; what depends on parameters. */
#include "etrace/et_config.h"
#include "etrace/tables.h"

#include "core/mem.h"
#include "etrace/et_packet.h"

#define O(id) HS_ET_##id,
#define L(in, length, bits, inst, control, data, mode, has_thaddr, pad, chunk, has_support, m, \
          tval, stamp, sign, end, raw, arrive, keep, last, ahead) \
	.frame = HS_ET_FRAME_##in, .length_bits = length, .type_bits = bits, .type_inst = inst, \
	.type_control = control, .type_data = data, .mode_bits = mode, .thaddr = has_thaddr, \
	.padding = HS_ET_PADDING_##pad, .chunk_bytes = chunk, .support = has_support, \
	.machine = m, .trap_tval = tval, .stamp_first = stamp, .long_sign = sign, \
	.block_end = end, .raw_forms = raw, .arrivals = arrive, .kept_map = keep, \
	.address_last = last, .map_ahead = ahead
#define HS_ET_DIALECT(id, name, text, layout, options) \
	[HS_ET_DIALECT_##id] = { name, text, \
	                         { layout, \
	                           .ioptions_width = sizeof((uint8_t[]){ options 0 }) - 1, \
	                           .ioptions = { options 0 }, \
	                           .doptions = { HS_ET_DATA_NO_VALUE, HS_ET_DATA_NO_ADDRESS } } },
const struct et_dialect et_dialects[HS_ET_DIALECT_COUNT] = {
#include <hartscope/tables/messages.def>
};
#undef HS_ET_DIALECT
#undef L
#undef O

struct field_row {
	const char *name, *clause;
	uint8_t width, bits, hex;
};

#define BITS(n) FIXED, n
#define STANDARD(n) STANDARD, n
#define ROW(id, name, hex, clause, width, bits, ...) \
	[HS_ETF_##id] = { name, clause, ETW_##width, bits, hex },
#define EXPAND(id, name, hex, clause, ...) ROW(id, name, hex, clause, __VA_ARGS__, 0, 0)
#define HS_ET_FIELD(id, name, width, hex, clause) EXPAND(id, name, hex, clause, width)
static const struct field_row fields[HS_ETF_COUNT] = {
#include <hartscope/tables/messages.def>
};
#undef HS_ET_FIELD

#define F(f) { HS_ETF_##f, ET_ALWAYS, 0, 0 },
#define FROM(f, g, n) { HS_ETF_##f, ET_FROM, HS_ETF_##g, n },
#define NOT(f, g) { HS_ETF_##f, ET_NOT, HS_ETF_##g, 0 },
#define HS_ET_PACKET(id, name, format, subformat, slots, clause) \
	[HS_ET_FORM_##id] = { name, clause, format, subformat, \
	                      sizeof((struct et_slot[]){ slots }) / sizeof(struct et_slot), \
	                      { slots } },
const struct et_form et_ratified_forms[HS_ET_FORMS] = {
#include "etrace/et_packets.def"
};
const struct et_form et_draft_forms[HS_ET_FORMS] = {
#include "etrace/et_packets_0_026.def"
};
const struct et_form et_fast_forms[HS_ET_FORMS] = {
#include "etrace/et_packets_fast.def"
};
#undef HS_ET_PACKET
#undef F
#undef FROM
#undef NOT

const struct et_form *et_form_of(unsigned version, unsigned form)
{
	return form < HS_ET_FORMS && et_row(version, form)->name ? et_row(version, form) : NULL;
}

/* Bits of branch_map for a value of branches; 0 is a full map (ET Format 1, PT 6). */
static unsigned text_map_bits(unsigned version, unsigned branches)
{
	/* 0.026: by (branches + 6) / 8, for 1, 2-9, 10-17, 18-25, 26-31; else the next power of 2,
	 * less 1 */
	static const uint8_t draft_bits[] = { 1, 9, 17, 25, 31 };
	static const uint8_t bits[] = { 31, 1, 3, 3, 7, 7, 7, 7, 15, 15, 15, 15, 15, 15, 15, 15 };

	if (branches == 0 || branches > 31)
		return 31;
	if (version == HS_ET_0_026)
		return draft_bits[branches == 1 ? 0 : (branches + 6) / 8];
	return branches < sizeof bits ? bits[branches] : 31;
}

static unsigned map_bits(const struct hs_et_resolved *c, unsigned branches)
{
	const unsigned bits = text_map_bits(c->version, branches);

	return c->wire.raw_forms && bits < 3 ? 3 : bits;
}

unsigned et_depth_bits(const struct hs_et_resolved *c)
{
	if (c->iret_ext) /* irets */
		return 8;
	return c->return_stack_size + (c->return_stack_size > 0) + c->call_counter_size;
}

static unsigned address_bits(const struct hs_et_resolved *c)
{
	return c->iaddress_width - c->iaddress_lsb;
}

unsigned et_width(const struct hs_et_resolved *c, const struct hs_et_packet *p, unsigned field)
{
	switch (fields[field].width) {
	case ETW_F0S: return c->f0s_width;
	case ETW_PRIVILEGE: return c->privilege_width;
	case ETW_TIME:
		if (c->version == HS_ET_FAST) /* what cycles are added to */
			return c->cycles ? 64 : 0;
		return c->time_width;
	case ETW_CONTEXT: return c->context_width;
	case ETW_ECAUSE: return c->ecause_width;
	case ETW_TRAP_ADDRESS: /* ET Format 3 subformat 1: the decoder knows where handlers are */
		return (c->options & HS_ET_IMPLICIT_EXCEPT) && p->field[HS_ETF_THADDR]
		               ? 0
		               : address_bits(c);
	case ETW_TVAL: return c->notval ? 0 : c->iaddress_width;
	case ETW_MODE: return c->wire.mode_bits;
	case ETW_THADDR: return c->wire.thaddr;
	case ETW_IOPTIONS: return c->wire.ioptions_width;
	case ETW_CACHE: return c->cache_size;
	case ETW_MAP:
		return map_bits(c, (unsigned)p->field[HS_ETF_BRANCHES]);
	case ETW_ADDRESS: return address_bits(c);
	case ETW_DIFFERS: return 1;
	case ETW_IRDEPTH: return c->iret_ext ? 0 : et_depth_bits(c);
	case ETW_IRETS: return c->iret_ext ? et_depth_bits(c) : 0;
	case ETW_DATA:
		return c->data_trace || c->version == HS_ET_2_1;
	case ETW_DOPTIONS: return c->doptions_width;
	case ETW_SOURCE_SIZE: return c->fast == HS_ET_FAST_SOURCES ? 3 : 0;
	case ETW_SOURCE:
		return c->fast == HS_ET_FAST_SOURCES ? 8 * ((p->field[HS_ETF_SOURCE_SIZE] & 7u) + 1)
		                                     : 0;
	case ETW_CYCLE_SIZE: return c->cycles ? 3 : 0;
	case ETW_STANDARD:
		return c->version == HS_ET_2_1 ? fields[field].bits : 0;
	case ETW_OTHER:
		return c->other_width;
	case ETW_CYCLES: return 8 * (p->field[HS_ETF_CYCLE_SIZE] & 7u);
	default: return fields[field].bits;
	}
}

/* The subformat of format 0 that the options leave (ET Format 0 subformat); ET_ANY - 1: none. */
static unsigned implied_f0s(const struct hs_et_resolved *c)
{
	return c->options & HS_ET_BRANCH_PREDICTION   ? 0
	       : c->options & HS_ET_JUMP_TARGET_CACHE ? 1
	                                              : ET_ANY - 1;
}

static unsigned find_form(unsigned version, unsigned format, unsigned subformat)
{
	for (unsigned i = 0; i < HS_ET_FORMS; i++) {
		const struct et_form *f = et_form_of(version, i);

		if (f && f->format == format &&
		    (f->subformat == ET_ANY || f->subformat == subformat))
			return i;
	}
	return HS_ET_FORMS;
}

/* Padding of the last byte after a payload of whole bytes (EE Packet Length, design/et-layouts). */
static unsigned spare_bits(const struct hs_et_layout_config *w, unsigned src_bits)
{
	const unsigned bits = w->type_bits + (et_encapsulated(w->frame) ? src_bits : 0) +
	                      (w->frame == HS_ET_FRAME_JOINED ? w->length_bits : 0);

	if (w->padding != HS_ET_PADDING_BYTES ||
	    (!et_encapsulated(w->frame) && w->frame != HS_ET_FRAME_JOINED &&
	     w->frame != HS_ET_FRAME_BARE))
		return 0;
	return (8 - bits % 8) % 8;
}

void et_layout_init(struct hs_et_layout *l, const struct hs_et_resolved *c)
{
	const struct hs_et_packet none = { 0 };

	for (unsigned f = 0; f < HS_ETF_COUNT; f++)
		l->width[f] = et_by_packet(f) ? 0 : (uint8_t)et_width(c, &none, f);
	l->extend = c->wire.padding == HS_ET_PADDING_ZERO ? 0 : UINT64_MAX;
	l->spare = (uint8_t)spare_bits(&c->wire, c->src_bits);
	l->begin = c->wire.frame == HS_ET_FRAME_BARE ? 0
	           : c->wire.frame == HS_ET_FRAME_JOINED
	                   ? (uint8_t)(c->wire.length_bits + c->wire.type_bits)
	           : c->wire.frame == HS_ET_FRAME_INDEXED ? 8 * ET_INDEXED_BYTES
	                                                  : 8;
	/* a bit of the payload, or its first byte */
	l->least = et_encapsulated(c->wire.frame)
	                   ? (uint8_t)((c->src_bits % 8u + c->wire.type_bits + l->spare) / 8 + 1)
	                   : 1;
	for (unsigned n = 0; n < 32; n++)
		l->map[n] = (uint8_t)map_bits(c, n);
	l->f0s = c->version == HS_ET_0_026 || c->version == HS_ET_FAST ? 0 : c->f0s_width;
	l->implied = (uint8_t)implied_f0s(c);
	for (unsigned format = 0; format < 4; format++)
		for (unsigned sub = 0; sub < 4; sub++)
			l->form[format][sub] =
				(uint8_t)find_form(c->version, format,
			                           format == 0 && !l->f0s ? l->implied : sub);
}

/* The CSR of the privilege that the handler runs in: values of ET Table priv. */
static uint64_t vectors(const struct hs_et_resolved *c, uint64_t priv)
{
	if (priv == c->wire.machine)
		return c->mtvec;
	switch (priv) {
	case 1: return c->stvec;
	case 3: return c->mtvec;
	case 6: return c->vstvec;
	default: return 0;
	}
}

bool et_handler(const struct hs_et_resolved *c, const struct hs_et_packet *p, uint64_t *addr)
{
	const uint64_t tvec = vectors(c, p->field[HS_ETF_PRIVILEGE] & et_ones(c->privilege_width));
	const uint64_t cause = p->field[HS_ETF_ECAUSE] & et_ones(c->ecause_width);

	*addr = tvec & ~(uint64_t)3;
	if ((tvec & 3) == 1 && p->field[HS_ETF_INTERRUPT])
		*addr += 4 * cause;
	*addr &= et_ones(c->iaddress_width);
	return tvec && (tvec & 3) < 2;
}

const char *hs_et_form_name(unsigned version, unsigned form)
{
	const struct et_form *f = et_form_of(version, form);

	return f ? f->name : "Other";
}

const char *hs_et_form_clause(unsigned version, unsigned form)
{
	const struct et_form *f = et_form_of(version, form);

	return f ? f->clause : "EE Packet Encapsulation for E-Trace";
}

const char *hs_et_field_name(unsigned field)
{
	return field < HS_ETF_COUNT ? fields[field].name : "?";
}

const char *hs_et_field_clause(unsigned field)
{
	return field < HS_ETF_COUNT ? fields[field].clause : "?";
}

bool hs_et_field_hex(unsigned field)
{
	return field < HS_ETF_COUNT && fields[field].hex;
}

/* The support packet of 2.1 has its options in fields of their own. */
static bool is_of_version(unsigned version, unsigned field)
{
	const unsigned w = fields[field].width;

	return version == HS_ET_2_1 ? w != ETW_IOPTIONS && w != ETW_DOPTIONS
	                            : w != ETW_STANDARD && w != ETW_OTHER;
}

unsigned hs_et_form_fields(unsigned version, unsigned form, uint8_t out[HS_ETF_COUNT])
{
	const struct et_form *f = et_form_of(version, form);
	unsigned n = 0;

	for (unsigned i = 0; f && i < f->count; i++)
		if (is_of_version(version, f->slot[i].field))
			out[n++] = f->slot[i].field;
	return n;
}

unsigned hs_et_field_bits(const struct hs_et_config *c, const struct hs_et_packet *p,
                          unsigned field)
{
	struct hs_et_resolved r;

	if (field >= HS_ETF_COUNT || et_config_take(&r, c) != HS_OK)
		return 0;
	return et_width(&r, p, field);
}
