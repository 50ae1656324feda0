/* Lint: the bytes of one packet, without tolerance (ET Packets, EE Packet Encapsulation). */
#include "etrace/etrace.h"
#include "etrace/lint.h"

static unsigned framing_of(const struct hs_et_lint *l)
{
	return l->reader.config.wire.frame;
}

/* Bits of the frame before the payload. */
static unsigned bits_of_frame(const struct hs_et_lint *l)
{
	const struct hs_et_resolved *c = &l->reader.config;

	switch (c->wire.frame) {
	case HS_ET_FRAME_ENCAP:
		return 8 + et_frame_bits(c, l->buffer[0] & 0x80) + c->wire.type_bits;
	case HS_ET_FRAME_MESSAGE:
		return 8 + et_frame_bits(c, l->buffer[0] & 0x80);
	case HS_ET_FRAME_INDEXED:
		return 8 * ET_INDEXED_BYTES;
	case HS_ET_FRAME_HEADER:
		return 8;
	case HS_ET_FRAME_JOINED:
		return c->wire.length_bits + c->wire.type_bits;
	default:
		return 0;
	}
}

/* Note where each field of the packet is. */
static void locate_fields(struct hs_et_lint *l, const struct et_bits *b)
{
	const struct hs_et_resolved *c = &l->reader.config;
	const struct et_form *f = et_form_of(c->version, l->packet.form);
	unsigned at = l->payload;

	for (unsigned i = 0; i < HS_ETF_COUNT; i++)
		l->place[i] = HS_LINT_NO_BIT;
	if (c->type_prefix && et_peek(b, at, 2) == 2)
		at += 2;
	for (unsigned i = 0; f && i < f->count; i++) {
		if (!et_stands(&f->slot[i], &l->packet))
			continue;
		l->place[f->slot[i].field] = (uint16_t)(at - l->payload);
		at += et_bits_of(&l->reader.layout, c, &l->packet, f->slot[i].field);
	}
	l->end = (uint16_t)(at + et_bits_after(&l->reader.layout, c, &l->packet));
}

/* ---- what cannot be read ---------------------------------------------------------- */

/* A packet without a form: its first bits say why. */
static void check_format(struct hs_et_lint *l, const struct et_bits *b)
{
	const struct hs_et_resolved *c = &l->reader.config;
	unsigned at = l->payload;

	if (c->type_prefix && et_peek(b, at, 2) == 2)
		at += 2;
	if (b->end <= at)
		et_lint_packet(l, HS_ET_FIND_PAYLOAD_EMPTY);
	else if (et_peek(b, at, 2) == 3)
		et_lint_bit(l, HS_ET_FIND_SUBFORMAT_RESERVED, at + 2 - l->payload);
	else if (c->f0s_width && et_peek(b, at + 2, c->f0s_width) > 1)
		et_lint_bit(l, HS_ET_FIND_F0S_RESERVED, at + 2 - l->payload);
	else
		et_lint_bit(l, HS_ET_FIND_FORMAT_0, at - l->payload);
}

/* A value that changes what the rest of the packet is. */
static bool layout_good(struct hs_et_lint *l)
{
	if (l->packet.form == HS_ET_FORM_BRANCH_COUNT && et_lint_get(l, HS_ETF_BRANCH_FMT) == 1) {
		et_lint_field(l, HS_ET_FIND_BRANCH_FMT, HS_ETF_BRANCH_FMT);
		return false;
	}
	if (!et_lint_draft(l) ||
	    (l->packet.form != HS_ET_FORM_SUPPORT && l->packet.form != HS_ET_FORM_DISCOVERY))
		return true;
	if (et_lint_get(l, HS_ETF_MSG_TYPE) != 0)
		et_lint_field(l, HS_ET_FIND_MSG_TYPE, HS_ETF_MSG_TYPE);
	else if (et_lint_get(l, HS_ETF_CONTROL_CODE) != 0x34)
		et_lint_field(l, HS_ET_FIND_CONTROL_CODE, HS_ETF_CONTROL_CODE);
	else if (l->packet.form == HS_ET_FORM_SUPPORT && et_lint_get(l, HS_ETF_SUPPORT_TYPE) != 0)
		et_lint_field(l, HS_ET_FIND_SUPPORT_TYPE, HS_ETF_SUPPORT_TYPE);
	else
		return true;
	return false;
}

/* ---- length and padding ------------------------------------------------------------ */

/* More bytes than the packet has at its full length?  Would tval have been there? */
static bool length_good(struct hs_et_lint *l, const struct et_bits *b)
{
	const unsigned tval = l->reader.config.iaddress_width, spare = l->reader.layout.spare;
	const bool interrupt = l->packet.form == HS_ET_FORM_TRAP && !et_lint_draft(l) &&
	                       et_lint_get(l, HS_ETF_INTERRUPT);

	if (b->end <= (l->end + spare + 7u) / 8 * 8)
		return true;
	if (interrupt && b->end <= (l->end + tval + spare + 7u) / 8 * 8)
		et_lint_bit(l, HS_ET_FIND_INTERRUPT_TVAL, l->end - l->payload);
	else
		et_lint_bit(l, HS_ET_FIND_PAYLOAD_LONG, l->end - l->payload);
	return false;
}

/* Do the bits after the last field repeat the bit before them? */
static bool padding_good(struct hs_et_lint *l, const struct et_bits *b)
{
	const bool sign = et_sign_extends(&l->reader.config, &l->packet) && l->end &&
	                  et_peek(b, l->end - 1u, 1);
	const unsigned bits = b->end > l->end ? b->end - l->end : 0;

	if (l->reader.config.wire.padding == HS_ET_PADDING_ANY)
		return true;
	if (et_peek(b, l->end, bits) == (sign ? et_ones(bits) : 0))
		return true;
	et_lint_bit(l,
	            et_encapsulated(framing_of(l)) ? HS_ET_FIND_PADDING_FRAME : HS_ET_FIND_PADDING,
	            l->end - l->payload);
	return false;
}

/* Bytes that a reader would restore by sign extension. */
static bool has_spare_byte(const struct hs_et_lint *l, const struct et_bits *b)
{
	const unsigned last = b->end - 8; /* the first bit of the last byte */

	return last > l->payload && last > 0 &&
	       et_peek(b, last - 1, 9) == (et_peek(b, last - 1, 1) ? 0x1ffu : 0);
}

/* Has the packet an address before its last byte, so that the byte is one of the address? */
static bool ends_in_address(const struct hs_et_lint *l, const struct et_bits *b)
{
	const unsigned form = l->packet.form;

	return (form == HS_ET_FORM_BRANCH || form == HS_ET_FORM_ADDRESS ||
	        form == HS_ET_FORM_FULL) &&
	       et_lint_has(l, HS_ETF_ADDRESS) &&
	       (unsigned)l->place[HS_ETF_ADDRESS] + l->payload < b->end - 8;
}

static void check_compression(struct hs_et_lint *l, const struct et_bits *b)
{
	const struct hs_et_resolved *c = &l->reader.config;

	if (c->no_compress || c->wire.chunk_bytes > 1 || framing_of(l) == HS_ET_FRAME_BARE ||
	    !et_sign_extends(c, &l->packet) || !has_spare_byte(l, b))
		return;
	et_lint_bit(l,
	            ends_in_address(l, b) ? HS_ET_FIND_ADDRESS_EXTENDED
	                                  : HS_ET_FIND_PAYLOAD_EXTENDED,
	            b->end - 8 - l->payload);
}

/* ---- fields that are not values ----------------------------------------------------- */

/* irdepth and irets repeat the bit of irreport when that reports nothing. */
static void check_depth_bits(struct hs_et_lint *l, const struct et_bits *b)
{
	const enum hs_et_field f = l->reader.config.iret_ext ? HS_ETF_IRETS : HS_ETF_IRDEPTH;
	const unsigned bits = et_depth_bits(&l->reader.config);

	if (!et_lint_has(l, f) || et_lint_get(l, HS_ETF_IRREPORT) || !bits)
		return;
	const unsigned at = (unsigned)l->place[f] + l->payload;

	if (at && et_peek(b, at, bits) != (et_peek(b, at - 1, 1) ? et_ones(bits) : 0))
		et_lint_field(l, HS_ET_FIND_IRDEPTH_RAW, f);
}

static void check_map(struct hs_et_lint *l)
{
	const uint64_t n = et_lint_get(l, HS_ETF_BRANCHES);

	if (et_lint_has(l, HS_ETF_BRANCH_MAP) && n && et_lint_get(l, HS_ETF_BRANCH_MAP) >> n)
		et_lint_field(l, HS_ET_FIND_MAP_SPARE, HS_ETF_BRANCH_MAP);
}

/* A packet of the data trace that the configuration has. */
static bool is_data_trace(const struct hs_et_lint *l)
{
	const struct hs_et_resolved *c = &l->reader.config;

	return c->data_trace && et_has_data_type(c) && l->packet.type == c->wire.type_data;
}

/* What no text describes is not compared with one (design/et-layouts): only its fields are. */
static bool is_read(struct hs_et_lint *l, enum hs_status status)
{
	for (unsigned i = 0; i < HS_ETF_COUNT; i++)
		l->place[i] = HS_LINT_NO_BIT;
	if (status != HS_OK)
		et_lint_packet(l, HS_ET_FIND_PAYLOAD_EMPTY);
	return status == HS_OK;
}

bool et_lint_bytes(struct hs_et_lint *l, enum hs_status status)
{
	struct et_bits b;

	if (et_is_read_only(&l->reader.config.wire) || l->reader.config.wire.raw_forms)
		return is_read(l, status);
	et_load(&b, l->buffer, l->held < ET_BYTES_MAX ? l->held : ET_BYTES_MAX,
	        l->reader.layout.spare, l->reader.layout.extend);
	l->payload = (uint16_t)bits_of_frame(l);
	locate_fields(l, &b);
	if (l->packet.form == HS_ET_FORM_OTHER) {
		if (status != HS_OK)
			check_format(l, &b);
		else if (!is_data_trace(l))
			et_lint_value(l, HS_ET_FIND_TYPE, l->packet.type);
		return status == HS_OK;
	}
	if (!layout_good(l) || !length_good(l, &b))
		return false;
	check_map(l);
	check_depth_bits(l, &b);
	if (padding_good(l, &b))
		check_compression(l, &b);
	if (l->packet.form == HS_ET_FORM_SUPPORT &&
	    et_lint_get(l, HS_ETF_ENCODER_MODE) > (et_lint_draft(l) ? 1 : 0))
		et_lint_field(l, HS_ET_FIND_ENCODER_MODE, HS_ETF_ENCODER_MODE);
	return status == HS_OK;
}
