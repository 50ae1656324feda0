/* What the files of this room share: packet tables and bits. */
#ifndef HS_ETRACE_TABLES_H
#define HS_ETRACE_TABLES_H

#include <hartscope/etrace.h>

#include "etrace/et_config.h"

#define ET_ANY 0xff     /* the format has no subformat */
#define ET_CONTROL 0xfe /* not a te_inst: the framing says so */

static inline bool et_encapsulated(unsigned frame)
{
	return frame == HS_ET_FRAME_ENCAP;
}

/* Do packets have room for a source and a time before their payload? */
static inline bool et_names_source(unsigned frame)
{
	return frame == HS_ET_FRAME_ENCAP || frame == HS_ET_FRAME_MESSAGE;
}

/* Do packets fill slots of one size? */
static inline bool et_is_slotted(unsigned frame)
{
	return frame == HS_ET_FRAME_SLOT || frame == HS_ET_FRAME_SLOT_HEAD;
}

/* Has each packet's frame the whole time, so that one in the payload says nothing more? */
static inline bool et_frame_has_time(const struct hs_et_resolved *c)
{
	return c->wire.frame == HS_ET_FRAME_SLOT_HEAD && c->tstamp_bytes;
}

/* Are packets laid out as is decoded only (design/et-layouts)? */
static inline bool et_is_read_only(const struct hs_et_layout_config *w)
{
	return et_is_slotted(w->frame) || w->long_sign || w->block_end || w->address_last ||
	       w->map_ahead;
}

/* Bytes before the payload of HS_ET_FRAME_INDEXED, which its length counts. */
#define ET_INDEXED_BYTES 3u

/* Bits of the frame between its first byte and the type or payload. */
static inline unsigned et_frame_bits(const struct hs_et_resolved *c, bool has_tstamp)
{
	const unsigned stamp = has_tstamp ? 8u * c->tstamp_bytes : 0;

	if (c->wire.frame == HS_ET_FRAME_MESSAGE)
		return (c->src_bits + 7u) / 8 * 8 + stamp;
	return c->src_bits + stamp;
}

/* The longest run of null bytes in a packet (EE Synchronization). */
static inline unsigned et_null_run(const struct hs_et_resolved *c)
{
	return 31u + c->tstamp_bytes + c->src_bits / 8;
}

struct et_dialect {
	const char *name, *text;
	struct hs_et_layout_config layout; /* given is 0 */
};

extern const struct et_dialect et_dialects[HS_ET_DIALECT_COUNT];

/* Where the width of a field comes from: see et_width(). */
enum et_width {
	ETW_F0S,
	ETW_PRIVILEGE,
	ETW_TIME,
	ETW_CONTEXT,
	ETW_ECAUSE,
	ETW_TRAP_ADDRESS,
	ETW_TVAL,
	ETW_MODE,
	ETW_THADDR,
	ETW_IOPTIONS,
	ETW_CACHE,
	ETW_MAP,
	ETW_ADDRESS,
	ETW_DIFFERS,
	ETW_IRDEPTH,
	ETW_IRETS,
	ETW_DATA,
	ETW_DOPTIONS,
	ETW_SOURCE_SIZE,
	ETW_SOURCE,
	ETW_CYCLE_SIZE,
	ETW_CYCLES,
	ETW_STANDARD,
	ETW_OTHER,
	ETW_FIXED
};

/* When a packet has a field: always; when another field is at least `least`; when it is 0. */
enum et_when { ET_ALWAYS, ET_FROM, ET_NOT };

struct et_slot {
	uint8_t field, when, other, least;
};

#define ET_SLOTS 32

struct et_form {
	const char *name, *clause;
	uint8_t format, subformat, count;
	struct et_slot slot[ET_SLOTS];
};

/* The row of a form; NULL when the version does not have it. */
const struct et_form *et_form_of(unsigned version, unsigned form);

/* The same for a form that the version has. */
extern const struct et_form et_ratified_forms[HS_ET_FORMS], et_draft_forms[HS_ET_FORMS],
	et_fast_forms[HS_ET_FORMS];

static inline const struct et_form *et_row(unsigned version, unsigned form)
{
	return version == HS_ET_0_026  ? &et_draft_forms[form]
	       : version == HS_ET_FAST ? &et_fast_forms[form]
	                               : &et_ratified_forms[form];
}

/* Bits of a field; @p has the fields that its width depends on. */
unsigned et_width(const struct hs_et_resolved *c, const struct hs_et_packet *p, unsigned field);

/* Does a field's width depend on others of the packet? */
static inline bool et_by_packet(unsigned field)
{
	return field == HS_ETF_BRANCH_MAP || field == HS_ETF_TRAP_ADDRESS ||
	       field == HS_ETF_SOURCE || field == HS_ETF_CYCLES;
}

/* Copy a caller's configuration, of any size, check it and resolve its zeros.
 * HS_E_CONFIG: see hs_et_config_check(). */
enum hs_status et_config_take(struct hs_et_resolved *r, const struct hs_et_config *given);

/* May an encoder with these parameters have these options? */
bool et_options_good(const struct hs_et_resolved *c);

/* Bits of the longest payload of instruction trace. */
unsigned et_longest_bits(const struct hs_et_resolved *c);

/* Compute the layout: all that does not change from packet to packet. */
void et_layout_init(struct hs_et_layout *l, const struct hs_et_resolved *c);

/* Bits of the type of a source. */
static inline unsigned et_type_bits(const struct hs_et_resolved *c, unsigned src)
{
	const unsigned width = src < 16 ? c->type_widths >> 4 * src & 15 : 0;

	return width ? width - 1 : c->type_usual;
}

/* Packets are laid out as those of this source, where their types differ. */
static inline void et_select_source(struct hs_et_resolved *c, struct hs_et_layout *l, unsigned src)
{
	const unsigned bits = et_type_bits(c, src);

	if (bits == c->wire.type_bits)
		return;
	c->wire.type_bits = (uint8_t)bits;
	et_layout_init(l, c);
}

/* The same as et_width(), from the layout. */
static inline unsigned et_bits_of(const struct hs_et_layout *l, const struct hs_et_resolved *c,
                                  const struct hs_et_packet *p, unsigned field)
{
	if (!et_by_packet(field))
		return l->width[field];
	return field == HS_ETF_BRANCH_MAP ? l->map[p->field[HS_ETF_BRANCHES] & 31]
	                                  : et_width(c, p, field);
}

/* Bits after the last field: some have tval in the packets of interrupts, too (design/captures). */
static inline unsigned et_bits_after(const struct hs_et_layout *l, const struct hs_et_resolved *c,
                                     const struct hs_et_packet *p)
{
	const bool after = c->wire.trap_tval && p->form == HS_ET_FORM_TRAP &&
	                   p->field[HS_ETF_INTERRUPT] && c->version != HS_ET_0_026;

	return after ? l->width[HS_ETF_TVAL] : 0;
}

/* hs_et_write() with a layout that was computed before.  @out: room for ET_BYTES_MAX, of which more
 * may be written than is returned. */
size_t et_write(const struct hs_et_layout *l, const struct hs_et_resolved *c,
                const struct hs_et_packet *p, uint8_t *out);

/* What short packets with an address are made of. */
void et_short_init(struct hs_et_short *s, const struct hs_et_layout *l,
                   const struct hs_et_resolved *c);

/* Write one, of format 1 if there are @branches, else of format 2.  @out: room for 16 bytes.
 * @return  Bytes. */
size_t et_short_write(const struct hs_et_short *s, const struct hs_et_layout *l,
                      const struct hs_et_resolved *c, unsigned branches, uint32_t map,
                      uint64_t address, uint8_t *out);

/* The clause that a packet violates which was read with HS_E_FIELD. */
const char *et_bad_clause(const struct hs_et_resolved *c, const struct hs_et_packet *p);

/* Does @p, whose earlier fields are known, have the field of this slot? */
static inline bool et_stands(const struct et_slot *s, const struct hs_et_packet *p)
{
	if (s->when == ET_FROM)
		return p->field[s->other] >= s->least;
	return s->when == ET_ALWAYS || p->field[s->other] == 0;
}

/* Bits of irdepth, or of irets in its place (ET Format 2 irreport). */
unsigned et_depth_bits(const struct hs_et_resolved *c);

static inline uint64_t et_ones(unsigned bits)
{
	return bits >= 64 ? UINT64_MAX : ((uint64_t)1 << bits) - 1;
}

/* Is the last field of the packet extended by its sign, and shortened?  trdb does so with addresses
 * (PT 6), and fills other packets with zeros. */
static inline bool et_sign_extends(const struct hs_et_resolved *c, const struct hs_et_packet *p)
{
	if (c->wire.padding != HS_ET_PADDING_ADDRESS)
		return c->wire.padding == HS_ET_PADDING_SIGN ||
		       c->wire.padding == HS_ET_PADDING_BYTES;
	return c->version == HS_ET_FAST ||
	       (p->form <= HS_ET_FORM_ADDRESS &&
	        (p->form == HS_ET_FORM_ADDRESS || p->field[HS_ETF_BRANCHES]));
}

/* Address units to bytes, by constant shifts: RV32 has no 64-bit shift by a variable without a
 * library. */
static inline uint64_t et_times_lsb(const struct hs_et_resolved *c, uint64_t v)
{
	return c->iaddress_lsb == 0 ? v : c->iaddress_lsb == 1 ? v << 1 : v << 2;
}

/* Compute the handler of a trap from its packet and the CSRs (ET Implicit exception mode).  False:
 * it is not known. */
bool et_handler(const struct hs_et_resolved *c, const struct hs_et_packet *p, uint64_t *addr);

/* Do both addresses have iaddress_width bits, with 0 above them, or their sign up to XLEN
 * (design/et-layouts)? */
static inline bool et_addresses_fit(const struct hs_et_resolved *c, uint64_t a, uint64_t b)
{
	if (c->iaddress_width >= 64)
		return true;
	const uint64_t sign = (a & b) | et_ones(c->iaddress_width - 1u);

	return !((a | b) & ~et_ones(c->iaddress_width)) || sign == UINT64_MAX ||
	       (sign == UINT32_MAX && (a | b) <= UINT32_MAX);
}

/* Do frames have fewer bits of the time than payloads (ET Timestamping)? */
static inline bool et_times_are_partial(const struct hs_et_resolved *c)
{
	return c->tstamp_bytes && c->time_width > 8u * c->tstamp_bytes;
}

/* An address in units of the smallest instruction, which index the tables (ET Branch prediction
 * mode). */
static inline uint64_t et_unit(const struct hs_et_resolved *c, uint64_t addr)
{
	return c->iaddress_lsb > 1 ? addr >> 2 : addr >> 1;
}

/* Where a target is in the cache (ET Jump target cache mode). */
static inline unsigned et_cache_index(const struct hs_et_resolved *c, uint64_t addr)
{
	return (unsigned)et_unit(c, addr) & ((1u << c->cache_size) - 1);
}

/* Do packets say that they are data trace (EE type)? */
static inline bool et_has_data_type(const struct hs_et_resolved *c)
{
	const struct hs_et_layout_config *w = &c->wire;

	return (et_names_source(w->frame) || w->frame == HS_ET_FRAME_HEADER) && w->type_bits &&
	       w->type_data >> w->type_bits == 0 && w->type_data != w->type_inst;
}

#endif
