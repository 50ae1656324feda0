/* A trace of E-Trace 2.1 describes itself: its first packet is a standard support packet (ET
 * Standard Support Packet format, design/et-standard). */
#include "etrace/et_reader.h"
#include "etrace/et_standard.h"
#include "etrace/tables.h"

/* Framings that are looked for: of them the encapsulation, which self-hosted trace has. */
static const uint8_t dialects[] = { HS_ET_DIALECT_STANDARD, HS_ET_DIALECT_ATB,
	                            HS_ET_DIALECT_ENCAP1 };

#define SRC_BITS_MOST 12 /* trTeSrcBits */
#define SURE_PACKETS 8   /* of a framing where less is by chance */

/* What support packets of 2.0 never have where 2.1 has these (design/et-standard). */
#define ONLY_STANDARD \
	(ET_WORD_SIZES | 1u << ET_AT_RESYNC_DISABLED | 7u << ET_AT_TIME_WIDTH | \
	 3u << ET_AT_F0S_WIDTH)

/* What 2.0 has there with data trace only: denable, and the first bit of doptions. */
#define STANDARD_OR_DATA (1u << ET_AT_FULL_IADDRESS | 1u << ET_AT_IRET_EXT)

/* Options that are others of 2.0. */
#define STANDARD_OR_OTHER (1u << ET_AT_SIJUMP | 1u << ET_AT_IMPLICIT_EXCEPT)

/* Does the packet begin a trace? */
static bool begins_trace(const struct hs_et_packet *p)
{
	return p->form == HS_ET_FORM_SUPPORT && p->field[HS_ETF_IENABLE] &&
	       p->field[HS_ETF_QUAL_STATUS] == HS_ET_NO_CHANGE;
}

/* Can no encoder of 2.0 have sent what the packet says with another meaning?  @data: the trace has
 * packets of another type. */
static bool is_only_standard(uint32_t word, bool data)
{
	return word & (ONLY_STANDARD | (data ? 0 : STANDARD_OR_DATA));
}

/* The next packet. */
static bool read_packet(struct hs_et_reader *r, struct hs_span *in, struct hs_et_packet *p,
                        enum hs_status *status)
{
	*status = hs_et_read(r, in, p);
	if (*status == HS_OK && p->form == HS_ET_FORM_SUPPORT)
		hs_et_reader_follow(r, p);
	return *status == HS_OK;
}

/* Do the bytes read as packets of @c to their end, from a support packet on, with a synchronising
 * one after it?  @may_be: what the packet says may be of 2.0. */
static bool reads_as(const struct hs_et_config *c, struct hs_span in, bool may_be, uint32_t *word)
{
	struct hs_et_reader r;
	struct hs_et_packet p = { 0 };
	enum hs_status status = hs_et_reader_init(&r, c);
	unsigned packets = 1;
	bool synchronised = false, data = false;

	if (status != HS_OK || !read_packet(&r, &in, &p, &status))
		return false;
	*word = hs_et_standard_said(&p);
	if (!begins_trace(&p) || hs_et_reader_options(&r) != (*word & ET_WORD_FOLLOWED))
		return false;
	for (; read_packet(&r, &in, &p, &status); packets++) {
		if (!synchronised && p.form <= HS_ET_FORM_ADDRESS)
			return false;
		synchronised |= p.form == HS_ET_FORM_START || p.form == HS_ET_FORM_TRAP;
		if (p.form == HS_ET_FORM_OTHER && p.type != r.config.wire.type_data)
			return false;
		data |= p.form == HS_ET_FORM_OTHER;
	}
	const bool usual = c->dialect == HS_ET_DIALECT_STANDARD && !c->src_bits;

	return status == HS_MORE && synchronised && packets >= (usual ? 2 : SURE_PACKETS) &&
	       (is_only_standard(*word, data) || (may_be && *word & STANDARD_OR_OTHER));
}

/* The framing with these bits of srcID, if there is one. */
static bool find_framing(struct hs_et_config *c, unsigned src, const struct hs_span *bytes,
                         bool may_be, uint32_t *word)
{
	const bool timed = bytes->p[0] & 0x80;

	for (size_t i = 0; i < sizeof dialects; i++) {
		for (unsigned stamp = timed; stamp <= (timed ? 8u : 0u); stamp++) {
			*c = (struct hs_et_config){ .size = sizeof *c,
				                    .version = HS_ET_2_1,
				                    .dialect = dialects[i],
				                    .src_bits = (uint8_t)src,
				                    .tstamp_bytes = (uint8_t)stamp };
			if (reads_as(c, *bytes, may_be, word))
				return true;
		}
	}
	return false;
}

void hs_et_standard_config(struct hs_et_config *c, uint32_t word)
{
	c->options = word & ET_OPTIONS;
	c->sijump = c->options & HS_ET_SIJUMP ? 1 : 0;
	c->iret_ext = word >> ET_AT_IRET_EXT & 1;
	if (word >> ET_AT_RESYNC_DISABLED & 1)
		c->sync_mode = HS_ET_SYNC_OFF;
	else if (c->sync_mode == HS_ET_SYNC_OFF)
		c->sync_mode = HS_ET_SYNC_PACKETS;
	c->time = (word >> ET_AT_TIME_WIDTH & 7) != 0;
	if (c->time)
		c->time_width = (uint8_t)((word >> ET_AT_TIME_WIDTH & 7) * ET_TIME_UNIT);
	c->f0s_width = word >> ET_AT_F0S_WIDTH & 3;
	c->return_stack_size = word >> ET_AT_RETURN_STACK_SIZE & 7;
	c->call_counter_size = word >> ET_AT_CALL_COUNTER_SIZE & 15;
	c->bpred_size = word >> ET_AT_BPRED_SIZE & 7;
	c->cache_size = word >> ET_AT_CACHE_SIZE & 7;
}

bool hs_et_recognise(const struct hs_span *bytes, bool may_be, struct hs_et_config *framing,
                     uint32_t *word)
{
	for (unsigned src = 0; bytes->n && src <= SRC_BITS_MOST; src++)
		if (find_framing(framing, src, bytes, may_be, word))
			return true;
	return false;
}

/* ---- slots ------------------------------------------------------------------------ */

#define SLOTS_LEAST 4

/* Header, time and payload, 40 bytes at most, are at its end, the last byte first; all before them
 * is 0. */
static bool is_slot(const uint8_t *slot)
{
	const unsigned header = slot[HS_ET_SLOT_BYTES - 1];
	const unsigned used = 1 + (header & 0x80 ? 8 : 0) + (header & 31);

	if (header & 0x60 || !(header & 31))
		return false;
	for (unsigned i = 0; i < HS_ET_SLOT_BYTES - used; i++)
		if (slot[i])
			return false;
	return true;
}

/* Is the first slot of a synchronising or support packet: format 3? */
static bool begins_slots(const uint8_t *slot)
{
	const unsigned time = slot[HS_ET_SLOT_BYTES - 1] & 0x80 ? 8 : 0;

	return (slot[HS_ET_SLOT_BYTES - 2 - time] & 3) == 3;
}

/* The header and a time first, the payload at the end, all between them 0. */
static bool is_slot_head(const uint8_t *slot)
{
	const unsigned size = slot[0] & 31;

	if (slot[0] & 0x60 || !(slot[0] & 0x80) || !size)
		return false;
	for (unsigned i = 1 + HS_ET_SLOT_TIME; i < HS_ET_SLOT_BYTES - size; i++)
		if (slot[i])
			return false;
	return true;
}

/* The same of its first slot. */
static bool begins_slot_heads(const uint8_t *slot)
{
	return (slot[HS_ET_SLOT_BYTES - 1] & 3) == 3;
}

static bool is_slotted(const struct hs_span *bytes, bool begins(const uint8_t *),
                       bool is(const uint8_t *))
{
	const size_t slots = bytes->n / HS_ET_SLOT_BYTES;

	if (slots < SLOTS_LEAST || !begins(bytes->p))
		return false;
	for (size_t i = 0; i < slots; i++)
		if (!is(bytes->p + i * HS_ET_SLOT_BYTES))
			return false;
	return true;
}

/* Do the times of slots not run back? */
static bool runs_on(const struct hs_span *bytes)
{
	const uint8_t *p = bytes->p;

	for (size_t left = bytes->n; left >= 2 * HS_ET_SLOT_BYTES; left -= HS_ET_SLOT_BYTES) {
		const uint8_t *next = p + HS_ET_SLOT_BYTES;
		unsigned i = 1;

		while (i < HS_ET_SLOT_TIME && p[i] == next[i])
			i++;
		if (p[i] > next[i])
			return false;
		p = next;
	}
	return true;
}

/* ---- addresses of arrivals --------------------------------------------------------- */

#define ARRIVALS_LEAST 2

/* An address, and then a synchronising or trap packet of the same. */
static bool arrives(const struct hs_et_packet *p, const struct hs_et_packet *next)
{
	const unsigned field = next->form == HS_ET_FORM_TRAP ? HS_ETF_TRAP_ADDRESS : HS_ETF_ADDRESS;

	return (next->form == HS_ET_FORM_START || next->form == HS_ET_FORM_TRAP) &&
	       p->field[HS_ETF_ADDRESS] == next->field[field];
}

static uint32_t map_ones(const struct hs_et_reader *r, const struct hs_et_packet *p)
{
	return (uint32_t)et_ones(et_bits_of(&r->layout, &r->config, p, HS_ETF_BRANCH_MAP));
}

/* Are all packets of the form that QEMU's have: one with an address has updiscon, and is followed
 * by another one with the same?  @kept: bits that are set in each branch map so far; one that is
 * not any more shows that maps are cleared. */
static bool is_of_qemu(struct hs_span in, bool *clears)
{
	struct hs_et_config c = { .size = sizeof c };
	uint32_t kept = 0;
	struct hs_et_packet p[2];
	struct hs_et_reader r;
	unsigned n = 0, found = 0;
	bool reported = false;

	hs_et_config_dialect(&c, HS_ET_DIALECT_QEMU);
	hs_et_reader_init(&r, &c);
	for (; hs_et_read(&r, &in, &p[n & 1]) == HS_OK; n++) {
		const struct hs_et_packet *now = &p[n & 1];

		if (now->form == HS_ET_FORM_OTHER || now->has_tstamp || now->gap ||
		    (n == 0 && now->form != HS_ET_FORM_START) ||
		    (reported && !arrives(&p[~n & 1], now)))
			return false;
		const uint32_t map = (uint32_t)now->field[HS_ETF_BRANCH_MAP];

		if (hs_et_has(now, HS_ETF_BRANCH_MAP)) {
			*clears |= (kept & ~map & map_ones(&r, now)) != 0;
			kept |= map;
		}
		reported = hs_et_has(now, HS_ETF_UPDISCON);
		if (reported && !now->field[HS_ETF_UPDISCON] && !now->field[HS_ETF_IRREPORT])
			return false;
		reported = reported && now->field[HS_ETF_UPDISCON];
		found += reported;
	}
	return in.n == 0 && found >= ARRIVALS_LEAST;
}

bool hs_et_recognise_dialect(const struct hs_span *bytes, struct hs_et_config *c)
{
	bool clears = false;

	*c = (struct hs_et_config){ .size = sizeof *c };
	if (is_slotted(bytes, begins_slot_heads, is_slot_head) && runs_on(bytes))
		return hs_et_config_dialect(c, HS_ET_DIALECT_CVA6) == HS_OK;
	if (is_slotted(bytes, begins_slots, is_slot))
		return hs_et_config_dialect(c, HS_ET_DIALECT_RV_TRACER) == HS_OK;
	if (!is_of_qemu(*bytes, &clears))
		return false;
	c->layout.given = (uint32_t)clears << HS_ET_LAYOUT_KEPT_MAP;
	return hs_et_config_dialect(c, HS_ET_DIALECT_QEMU) == HS_OK;
}
