/* Bytes to packets (EE Packet Encapsulation): what frames them.
 *
 * A header byte has the length of the payload, a flow and whether a timestamp follows; srcID and
 * timestamp come before the payload.  Example, without srcID and timestamp: 03 16 2c 00 is a
 * header of 3 bytes of payload, which payload.c reads.  A header of 0 is a null packet.
 *
 * Invariants: a packet is parsed only when all of it is there.  Where a length is impossible,
 * packets may begin anywhere after it: find_sync.c looks for the next place.
 */
#include "etrace/data.h"
#include "etrace/payload.h"
#include "etrace/et_standard.h"

#include "core/mem.h"
#include "etrace/et_reader.h"

enum hs_status hs_et_reader_init(struct hs_et_reader *r, const struct hs_et_config *config)
{
	struct hs_et_resolved own;
	const enum hs_status s = et_config_take(&own, config);

	if (s != HS_OK)
		return s;
	memset(r, 0, sizeof *r);
	memcpy(&r->config, &own, sizeof r->config);
	et_layout_init(&r->layout, &own);
	return HS_OK;
}

unsigned hs_et_reader_options(const struct hs_et_reader *r)
{
	return et_options_word(&r->config);
}

/* Options as a word; those that the packet's layout lacks stay. */
unsigned et_packet_options(const struct hs_et_resolved *c, const struct hs_et_packet *p)
{
	const struct hs_et_layout_config *d = &c->wire;
	unsigned options = c->options;

	/* These have no ioptions, and no values of encoder_mode (PT Table 6.4; design/et-draft). */
	if (c->version == HS_ET_0_026 || c->version == HS_ET_FAST)
		return c->options;
	if (et_is_standard(c))
		return hs_et_standard_said(p) & ET_WORD_FOLLOWED;
	for (unsigned i = 0; i < d->ioptions_width; i++)
		options = p->field[HS_ETF_IOPTIONS] >> i & 1u ? options | d->ioptions[i]
		                                              : options & ~(unsigned)d->ioptions[i];
	return options;
}

void hs_et_reader_follow(struct hs_et_reader *r, const struct hs_et_packet *p)
{
	const uint32_t before = et_options_word(&r->config);

	et_take_options_word(&r->config, et_packet_options(&r->config, p));
	if (!et_options_good(&r->config))
		et_take_options_word(&r->config, before);
	et_layout_init(&r->layout, &r->config);
}

unsigned et_framed_bytes(const struct hs_et_resolved *c, unsigned header)
{
	if (et_is_slotted(c->wire.frame))
		return HS_ET_SLOT_BYTES;
	if (!et_names_source(c->wire.frame))
		return 1 + (header & ((1u << c->wire.length_bits) - 1));
	if ((header & 31) == 0)
		return 1;
	return 1 + et_frame_bits(c, header & 0x80) / 8 + (header & 31);
}

/* An index in whole bytes, and a time tag; the type is in the header (design/captures). */
static void take_message(const struct hs_et_resolved *c, unsigned header, struct et_bits *b,
                         struct hs_et_packet *p)
{
	const struct hs_et_layout_config *w = &c->wire;
	const unsigned index = (c->src_bits + 7u) / 8 * 8;

	if (p->has_tstamp && w->stamp_first)
		p->tstamp = et_take(b, 8u * c->tstamp_bytes);
	p->src = (uint16_t)(et_take(b, index) & et_ones(c->src_bits));
	if (p->has_tstamp && !w->stamp_first)
		p->tstamp = et_take(b, 8u * c->tstamp_bytes);
	p->type = w->type_bits ? header >> 5 & ((1u << w->type_bits) - 1) : w->type_inst;
}

static enum hs_status parse_encap(const struct hs_et_reader *r, const uint8_t *bytes,
                                  struct et_bits *b, struct hs_et_packet *p)
{
	const struct hs_et_resolved *c = &r->config;
	const struct hs_et_layout_config *w = &c->wire;

	b->at = 8;
	p->has_tstamp = bytes[0] & 0x80;
	if (!et_encapsulated(w->frame)) {
		take_message(c, bytes[0], b, p);
	} else {
		p->src = (uint16_t)et_take(b, c->src_bits);
		if (p->has_tstamp)
			p->tstamp = et_take(b, 8u * c->tstamp_bytes);
		p->type = w->type_bits ? (uint8_t)et_take(b, w->type_bits) : w->type_inst;
	}
	if (b->at > b->end)
		return HS_E_FIELD;
	if (p->type != w->type_inst && !(p->type == w->type_control && c->version == HS_ET_0_026))
		return HS_OK;
	return b->at == b->end ? HS_E_FIELD : et_parse(r, b, p->type != w->type_inst, p);
}

/* Its bytes come the last one first. */
static enum hs_status parse_slot(const struct hs_et_reader *r, const uint8_t *bytes, unsigned n,
                                 struct hs_et_packet *p)
{
	const unsigned header = bytes[n - 1];
	const unsigned stamp = header & 0x80 ? r->config.tstamp_bytes : 0;
	const unsigned used = 1 + stamp + (header & 31);
	uint8_t turned[HS_ET_SLOT_BYTES];
	struct et_bits b;

	if (used > n || !(header & 31))
		return HS_E_FIELD;
	for (unsigned i = 0; i < used; i++)
		turned[i] = bytes[n - 1 - i];
	et_load(&b, turned, used, 0, r->layout.extend);
	b.at = 8;
	p->has_tstamp = stamp != 0;
	if (stamp)
		p->tstamp = et_take(&b, 8 * stamp);
	p->type = r->config.wire.type_inst;
	return et_parse(r, &b, false, p);
}

/* The header and the time first, and the payload at the end, its last byte first. */
static enum hs_status parse_slot_head(const struct hs_et_reader *r, const uint8_t *bytes,
                                      unsigned n, struct hs_et_packet *p)
{
	const unsigned size = bytes[0] & 31;
	uint8_t turned[HS_ET_SLOT_BYTES];
	struct et_bits b;

	if (!size || 1 + HS_ET_SLOT_TIME + size > n)
		return HS_E_FIELD;
	for (unsigned i = 0; i < size; i++)
		turned[i] = bytes[n - 1 - i];
	p->has_tstamp = bytes[0] & 0x80 && r->config.tstamp_bytes;
	for (unsigned i = 1; p->has_tstamp && i <= HS_ET_SLOT_TIME; i++)
		p->tstamp = p->tstamp << 8 | bytes[i];
	et_load(&b, turned, size, 0, r->layout.extend);
	b.at = 0;
	p->type = r->config.wire.type_inst;
	return et_parse(r, &b, false, p);
}

/* @room: bytes that may be looked at. */
static enum hs_status parse_packet(const struct hs_et_reader *r, const uint8_t *bytes, unsigned n,
                                   size_t room, struct hs_et_packet *p)
{
	const struct hs_et_resolved *c = &r->config;
	const struct hs_et_layout_config *w = &c->wire;
	const uint64_t extend = r->layout.extend;
	const unsigned spare = r->layout.spare;
	struct et_bits b;

	if (w->frame == HS_ET_FRAME_SLOT)
		return parse_slot(r, bytes, n, p);
	if (w->frame == HS_ET_FRAME_SLOT_HEAD)
		return parse_slot_head(r, bytes, n, p);
	if (n <= 16 && room >= 16)
		et_load_short(&b, bytes, n, spare, extend);
	else /* what is longer than any packet of ours is of another kind, or refused */
		et_load(&b, bytes, n < ET_BYTES_MAX ? n : ET_BYTES_MAX, spare, extend);
	if (et_names_source(w->frame))
		return parse_encap(r, bytes, &b, p);
	p->type = w->type_inst;
	if (w->frame == HS_ET_FRAME_INDEXED) {
		b.at = 8 * ET_INDEXED_BYTES;
	} else if (w->frame != HS_ET_FRAME_BARE) {
		if (w->type_bits)
			p->type = bytes[0] >> w->length_bits & ((1u << w->type_bits) - 1);
		b.at = w->frame == HS_ET_FRAME_JOINED ? w->length_bits + w->type_bits : 8u;
		if (p->type != w->type_inst &&
		    !(p->type == w->type_control && c->version == HS_ET_0_026 && b.end > 8))
			return HS_OK;
		if (b.end == 8 || n > ET_BYTES_MAX)
			return HS_E_FIELD;
	}
	return et_parse(r, &b, p->type != w->type_inst, p);
}

/* Piece by piece: a compiler clears as much as this at once with an instruction that takes its time
 * to start.  The fields of the standard support packet come last: of other versions none of them is
 * ever written. */
static inline void clear(struct hs_et_reader *r, struct hs_et_packet *p)
{
	const size_t piece = 64, bytes = offsetof(struct hs_et_packet, field[HS_ETF_SIJUMP]);
	unsigned char *at = (unsigned char *)p;
	size_t i = 0;

	for (; i + piece <= bytes; i += piece)
		memset(at + i, 0, piece);
	memset(at + i, 0, bytes % piece);
	if (r->cleared == p && !et_is_standard(&r->config))
		return;
	memset(at + bytes, 0, sizeof *p - bytes);
	r->cleared = p;
}

void hs_et_follow_data(const struct hs_et_reader *r, const struct hs_et_packet *p,
                       struct hs_et_data_coder *data)
{
	const struct hs_et_resolved *c = &r->config;
	uint8_t no_data = data->no_data, no_address = data->no_address;

	for (unsigned i = 0; i < c->doptions_width; i++) {
		const bool on = p->field[HS_ETF_DOPTIONS] >> i & 1u;

		if (c->wire.doptions[i] == HS_ET_DATA_NO_VALUE)
			no_data = on;
		if (c->wire.doptions[i] == HS_ET_DATA_NO_ADDRESS)
			no_address = on;
	}
	if (et_is_standard(c)) {
		no_data = p->field[HS_ETF_NODATA] != 0;
		no_address = p->field[HS_ETF_NOADDR] != 0;
		data->mmacas_ext = p->field[HS_ETF_MMACAS_EXT] != 0;
	}
	if (no_data && no_address)
		return;
	data->no_data = no_data;
	data->no_address = no_address;
}

/* hs_et_read_data() may want it. */
static void keep_foreign(struct hs_et_reader *r, const uint8_t *bytes, unsigned n)
{
	r->foreign_n = n <= sizeof r->foreign ? (uint8_t)n : 0;
	memcpy(r->foreign, bytes, r->foreign_n);
}

enum hs_status hs_et_read_data(const struct hs_et_reader *r, const struct hs_et_packet *p,
                               const struct hs_et_data_coder *c, struct hs_et_data_packet *data)
{
	const struct hs_et_layout_config *w = &r->config.wire;
	const unsigned type = et_encapsulated(w->frame) ? w->type_bits : 0u;
	const unsigned source =
		et_names_source(w->frame) ? et_frame_bits(&r->config, p->has_tstamp) : 0;
	const unsigned begin = 8 + source + type;
	uint8_t payload[HS_ET_PACKET_MAX];
	struct et_bits b;

	if (!et_has_data_type(&r->config) || p->type != w->type_data)
		return HS_E_UNSUPPORTED;
	if (r->foreign_n > ET_BYTES_MAX) /* no access is so long */
		return HS_E_FIELD;
	et_load(&b, r->foreign, r->foreign_n, r->layout.spare, UINT64_MAX);
	const unsigned bits = b.end > begin ? b.end - begin : 0;

	for (unsigned i = 0; 8 * i < bits; i++)
		payload[i] = (uint8_t)et_peek(&b, begin + 8 * i, 8);
	return et_data_read(c, payload, bits, data);
}

/* The source of a packet of at least 2 bytes. */
static unsigned source_of(const struct hs_et_reader *r, const uint8_t *bytes, unsigned n)
{
	const unsigned second = n > 2 ? bytes[2] : 0;

	return (bytes[1] | second << 8) & (unsigned)et_ones(r->config.src_bits);
}

enum hs_status et_read_whole(struct hs_et_reader *r, const uint8_t *bytes, unsigned n, size_t room,
                             struct hs_et_packet *p)
{
	if (r->config.type_widths && n > 1)
		et_select_source(&r->config, &r->layout, source_of(r, bytes, n));
	clear(r, p);
	p->offset = r->start;
	p->length = (uint16_t)n;
	p->form = HS_ET_FORM_OTHER;
	const enum hs_status s = parse_packet(r, bytes, n, room, p);

	if (p->form == HS_ET_FORM_OTHER)
		keep_foreign(r, bytes, n);
	return s;
}

/* Are these bytes no packet?  Of messages only a byte of 0 is known to be none
 * (design/captures). */
static inline bool is_null(unsigned frame, const uint8_t *bytes, unsigned n)
{
	if (et_is_slotted(frame))
		return bytes[frame == HS_ET_FRAME_SLOT ? n - 1 : 0] == 0;
	return et_names_source(frame) && (et_encapsulated(frame) ? !(*bytes & 31) : !*bytes);
}

/* A byte at a time, for what is cut. @return true when a packet is whole. */
static bool collect(struct hs_et_reader *r, uint8_t byte)
{
	r->buffer[r->held++] = byte;
	if (r->config.wire.frame == HS_ET_FRAME_BARE)
		return et_payload_whole(r) || r->held == ET_BYTES_MAX;
	return r->held >= et_framed_bytes(&r->config, r->buffer[0]);
}

enum hs_status hs_et_read(struct hs_et_reader *r, struct hs_span *in, struct hs_et_packet *p)
{
	const unsigned frame = r->config.wire.frame;

	if (frame == HS_ET_FRAME_INDEXED)
		return et_read_indexed(r, in, p);
	while (in->n) {
		const uint8_t *at = in->p;
		unsigned bytes = 1;
		bool whole = false;

		if (r->held == 0) {
			r->start = r->offset;
			bytes = frame == HS_ET_FRAME_BARE ? 1 : et_framed_bytes(&r->config, *at);
			whole = frame != HS_ET_FRAME_BARE && bytes <= in->n;
		}
		bytes = whole ? bytes : 1;
		in->p += bytes;
		in->n -= bytes;
		r->offset += bytes;
		if (whole && is_null(frame, at, bytes)) {
			r->nulls++; /* EE Null Encapsulation */
			continue;
		}
		if (whole)
			return et_read_whole(r, at, bytes, bytes + in->n, p);
		if (!collect(r, *at))
			continue;
		bytes = r->held;
		r->held = 0;
		if (!is_null(frame, r->buffer, bytes))
			return et_read_whole(r, r->buffer, bytes, sizeof r->buffer, p);
		r->nulls++;
	}
	return HS_MORE;
}

/* Which options change how packets are laid out. */
static unsigned layout_options(const struct hs_et_resolved *c)
{
	if (et_is_standard(c))
		return ET_WORD_FOLLOWED;
	return HS_ET_IMPLICIT_EXCEPT |
	       (c->f0s_width ? 0u : HS_ET_BRANCH_PREDICTION | HS_ET_JUMP_TARGET_CACHE);
}

enum hs_status hs_et_read_again(struct hs_et_reader *r, enum hs_status status, unsigned options,
                                const uint8_t *from, const struct hs_span *in,
                                struct hs_et_packet *p)
{
	const unsigned other = (options ^ et_options_word(&r->config)) & layout_options(&r->config);
	const bool begins = (size_t)(in->p - from) >= p->length;

	et_take_options_word(&r->config, options);
	if (!other)
		return status;
	et_layout_init(&r->layout, &r->config);
	return begins ? et_read_whole(r, in->p - p->length, p->length, p->length + in->n, p)
	              : et_read_whole(r, r->buffer, p->length, sizeof r->buffer, p);
}

void hs_et_reader_lose(struct hs_et_reader *r)
{
	r->held = 0;
	r->known = r->hunting = r->ending = false;
}

enum hs_status hs_et_reader_end(const struct hs_et_reader *r)
{
	return r->held ? HS_E_TRUNCATED : HS_OK;
}
