/* Bytes to packets (ET Packets; EE Packet Encapsulation). */
#include "etrace/bits.h"
#include "etrace/tables.h"

#include "base/mem.h"

void hs_et_reader_init(struct hs_et_reader *r, const struct hs_et_config *config)
{
	memset(r, 0, sizeof *r);
	memcpy(&r->config, config, sizeof r->config);
	et_layout_init(&r->layout, config);
}

void hs_et_reader_options(struct hs_et_reader *r, unsigned options)
{
	const uint8_t before = r->config.options;

	r->config.options = (uint8_t)options;
	if (hs_et_config_check(&r->config) != HS_OK) /* options that these parameters cannot have */
		r->config.options = before;
	et_layout_init(&r->layout, &r->config);
}

unsigned hs_et_packet_options(const struct hs_et_config *c, const struct hs_et_packet *p)
{
	const struct et_dialect *d = &et_dialects[c->dialect];
	unsigned options = c->options;

	if (c->version == HS_ET_0_026 || c->version == HS_ET_FAST) /* encoder_mode: 0 is full, 1 is delta (PT 6) */
		return c->options;
	for (unsigned i = 0; i < d->options; i++)
		options = p->field[HS_ETF_IOPTIONS] >> i & 1u ? options | d->option[i] : options & ~(unsigned)d->option[i];
	return options;
}

/* ---- payloads ------------------------------------------------------------------ */

/* The message type that a payload begins with: that of te_support is one of its fields (PT 6). */
static bool take_prefix(const struct hs_et_config *c, struct et_bits *b)
{
	if (!c->type_prefix)
		return false;
	if (et_peek(b, b->at, 2) != 2)
		return true;
	b->at += 2;
	return false;
}

/* The form that a payload's first bits name; HS_ET_FORMS: none. */
static unsigned form_of(const struct hs_et_reader *r, const struct et_bits *b, bool control)
{
	const struct hs_et_layout *l = &r->layout;
	const unsigned format = (unsigned)et_peek(b, b->at, 2);
	const unsigned bits = format == 3 ? 2 : format == 0 ? l->f0s : 0;

	if (control && et_form_of(r->config.version, HS_ET_SUPPORT)->format != ET_CONTROL)
		return HS_ET_FORMS;
	if (control) /* support_type */
		return et_peek(b, b->at + 8, 4) == 1 ? HS_ET_DISCOVERY : HS_ET_SUPPORT;
	return l->form[format][et_peek(b, b->at + 2, bits)];
}

static inline void take_field(const struct hs_et_reader *r, struct et_bits *b, struct hs_et_packet *p, unsigned field)
{
	const unsigned width = et_bits_of(&r->layout, &r->config, p, field);
	const unsigned at = b->at;
	uint64_t v = et_take(b, width);

	switch (field) {
	case HS_ETF_F0S:
		v = width ? v : r->layout.implied;
		break;
	case HS_ETF_NOTIFY:
	case HS_ETF_UPDISCON:
	case HS_ETF_IRREPORT:
		v ^= at ? et_peek(b, at - 1, 1) : 0;
		break;
	case HS_ETF_IRDEPTH:
		v = p->field[HS_ETF_IRREPORT] ? v : 0;
		break;
	default:
		break;
	}
	p->field[field] = v;
	p->present |= (uint64_t)(width != 0) << field;
}

/* notify, updiscon, irreport and irdepth end a packet, and mostly have nothing to tell: then they repeat the bit
 * before. */
static bool nothing_reported(const struct hs_et_reader *r, struct et_bits *b, struct hs_et_packet *p)
{
	const unsigned depth = r->layout.width[HS_ETF_IRDEPTH], n = 3 + depth;
	const uint64_t want = et_before(b) ? et_ones(n) : 0;

	if (et_peek(b, b->at, n) != want)
		return false;
	b->at += n;
	p->present |= 1u << HS_ETF_NOTIFY | 1u << HS_ETF_UPDISCON | 1u << HS_ETF_IRREPORT |
	              (uint32_t)(depth != 0) << HS_ETF_IRDEPTH;
	return true;
}

static void take_fields(const struct hs_et_reader *r, struct et_bits *b, struct hs_et_packet *p, unsigned form)
{
	const struct et_form *f = et_row(r->config.version, form);

	for (const struct et_slot *s = f->slot; s < f->slot + f->count; s++)
		if (et_stands(s, p)) {
			if (s->field == HS_ETF_NOTIFY && nothing_reported(r, b, p))
				return;
			take_field(r, b, p, s->field);
		}
}

/* What follows the last field only repeats the bit before (ET Packets), or is 0. */
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

/* Packets that the mode has (ADR-0022). */
static bool fast_good(const struct hs_et_config *c, const struct hs_et_packet *p)
{
	if (p->form == HS_ET_CYCLES)
		return c->cycles == HS_ET_CYCLES_RETIREMENTS;
	if (8 * p->field[HS_ETF_SOURCE_SIZE] >= (unsigned)(c->iaddress_width - c->iaddress_lsb))
		return false; /* longer than an address */
	const bool led = p->field[HS_ETF_REASON] != HS_ET_REASON_NONE;

	return p->form == HS_ET_TARGET ? c->fast && led : c->fast || !led;
}

/* The field whose value the text does not have; HS_ETF_COUNT: none. */
static unsigned bad_field(const struct hs_et_config *c, const struct hs_et_packet *p)
{
	if (p->form == HS_ET_COUNT && p->field[HS_ETF_BRANCH_FMT] == 1)
		return HS_ETF_BRANCH_FMT;
	if (p->form != HS_ET_SUPPORT && p->form != HS_ET_DISCOVERY)
		return HS_ETF_COUNT;
	if (c->version != HS_ET_0_026) /* branch trace is the only mode */
		return p->field[HS_ETF_ENCODER_MODE] ? HS_ETF_ENCODER_MODE : HS_ETF_COUNT;
	if (p->field[HS_ETF_MSG_TYPE] != 0)
		return HS_ETF_MSG_TYPE;
	if (p->field[HS_ETF_CONTROL_CODE] != 0x34)
		return HS_ETF_CONTROL_CODE;
	return p->field[HS_ETF_SUPPORT_TYPE] && p->form == HS_ET_SUPPORT ? HS_ETF_SUPPORT_TYPE : HS_ETF_COUNT;
}

const char *et_bad_clause(const struct hs_et_config *c, const struct hs_et_packet *p)
{
	const unsigned field = p->form == HS_ET_OTHER ? HS_ETF_COUNT : bad_field(c, p);

	if (p->form == HS_ET_OTHER && p->bits == 0) /* nothing that begins a payload */
		return "EE Header";
	if (c->version == HS_ET_0_026)
		return p->form == HS_ET_SUPPORT ? "PT 6, Table 6.4" : "PT 6";
	return field < HS_ETF_COUNT ? hs_et_field_clause(field) : "ET Packets";
}

/* Bits of the payload before a field. */
static unsigned bits_before(const struct hs_et_reader *r, const struct hs_et_packet *p, unsigned field)
{
	unsigned bits = 0;

	for (const struct et_slot *s = et_row(r->config.version, p->form)->slot; s->field != field; s++)
		if (et_stands(s, p))
			bits += et_bits_of(&r->layout, &r->config, p, s->field);
	return bits;
}

static enum hs_status parse(const struct hs_et_reader *r, struct et_bits *b, bool control,
                            struct hs_et_packet *p)
{
	const struct hs_et_config *c = &r->config;
	const unsigned from = b->at;

	control = take_prefix(c, b) || control;
	const unsigned form = form_of(r, b, control);

	const unsigned before = b->at - from; /* a prefix */

	if (form == HS_ET_FORMS) { /* format 0 or 3: behind the format, which there is */
		p->bits = (uint16_t)(before + 2);
		return HS_E_FIELD;
	}
	p->form = (uint8_t)form;
	take_fields(r, b, p, form);
	p->bits = (uint16_t)(b->at - from);
	const unsigned bad = c->version == HS_ET_FAST ? HS_ETF_COUNT : bad_field(c, p);

	if (bad < HS_ETF_COUNT)
		p->bits = (uint16_t)(before + bits_before(r, p, bad));
	if (bad < HS_ETF_COUNT || (c->version == HS_ET_FAST && !fast_good(c, p)) ||
	    !spare_bits_good(b, et_compressed(c, p)))
		return HS_E_FIELD;
	return HS_OK;
}

/* ---- framing ------------------------------------------------------------------- */

/* Bytes of a packet whose framing begins with @header. */
static unsigned framed_bytes(const struct hs_et_config *c, unsigned header)
{
	const struct et_dialect *d = &et_dialects[c->dialect];

	if (!et_encapsulated(d->framing))
		return 1 + (header & ((1u << d->length_bits) - 1));
	if ((header & 31) == 0)
		return 1;
	return 1 + c->src_bits / 8 + (header & 0x80 ? c->tstamp_bytes : 0u) + (header & 31);
}

/* Bytes of the packet that begins in the buffer; 0: more are needed to tell. */
static unsigned packet_bytes(const struct hs_et_reader *r)
{
	const struct hs_et_config *c = &r->config;
	struct hs_et_packet p = { .form = HS_ET_OTHER };
	struct et_bits b;

	if (et_dialects[c->dialect].framing != ET_BARE)
		return framed_bytes(c, r->buffer[0]);
	/* The fields tell, once enough of them are there. */
	et_load(&b, r->buffer, r->held);
	const bool control = take_prefix(c, &b);
	const unsigned form = form_of(r, &b, control);

	if (form == HS_ET_FORMS)
		return 1;
	take_fields(r, &b, &p, form);
	return b.at > b.end ? 0 : (b.at + 7) / 8;
}

static enum hs_status parse_encap(const struct hs_et_reader *r, const uint8_t *bytes, struct et_bits *b,
                                  struct hs_et_packet *p)
{
	const struct hs_et_config *c = &r->config;
	const struct et_dialect *d = &et_dialects[c->dialect];

	b->at = 8;
	p->src = (uint16_t)et_take(b, c->src_bits);
	p->has_tstamp = bytes[0] & 0x80;
	if (p->has_tstamp)
		p->tstamp = et_take(b, 8u * c->tstamp_bytes);
	p->type = d->framing == ET_ENCAP ? (uint8_t)et_take(b, 2) : d->type_inst;
	if (b->at > b->end)
		return HS_E_FIELD;
	if (p->type != d->type_inst && !(p->type == d->type_control && c->version == HS_ET_0_026))
		return HS_OK;
	return b->at == b->end ? HS_E_FIELD : parse(r, b, p->type != d->type_inst, p);
}

static enum hs_status parse_packet(const struct hs_et_reader *r, const uint8_t *bytes, unsigned n,
                                   struct hs_et_packet *p)
{
	const struct hs_et_config *c = &r->config;
	const struct et_dialect *d = &et_dialects[c->dialect];
	struct et_bits b;

	et_load(&b, bytes, n);
	if (et_encapsulated(d->framing))
		return parse_encap(r, bytes, &b, p);
	p->type = d->type_inst;
	if (d->framing != ET_BARE) {
		p->type = bytes[0] >> d->length_bits & 3u;
		b.at = d->framing == ET_JOINED ? d->length_bits + 2u : 8;
		if (p->type != d->type_inst && !(p->type == d->type_control && c->version == HS_ET_0_026 && b.end > 8))
			return HS_OK;
		if (b.end == 8)
			return HS_E_FIELD;
	}
	return parse(r, &b, p->type != d->type_inst, p);
}

/* The packet is whole. */
static enum hs_status take_packet(const struct hs_et_reader *r, const uint8_t *bytes, unsigned n,
                                  struct hs_et_packet *p)
{
	memset(p, 0, sizeof *p);
	p->offset = r->start;
	p->length = (uint16_t)n;
	p->form = HS_ET_OTHER;
	return parse_packet(r, bytes, n, p);
}

/* A byte at a time, for what is cut. @return true when a packet is whole. */
static bool collect(struct hs_et_reader *r, uint8_t byte)
{
	r->buffer[r->held++] = byte;
	const unsigned bytes = packet_bytes(r);

	return bytes == 0 ? r->held == HS_ET_PACKET_MAX : r->held >= bytes;
}

enum hs_status hs_et_read(struct hs_et_reader *r, const uint8_t **in, size_t *n, struct hs_et_packet *p)
{
	const unsigned framing = et_dialects[r->config.dialect].framing;

	while (*n) {
		const uint8_t *at = *in;
		unsigned bytes = 1;
		bool whole = false;

		if (r->held == 0) {
			r->start = r->offset;
			bytes = framing == ET_BARE ? 1 : framed_bytes(&r->config, *at);
			whole = framing != ET_BARE && bytes <= *n;
		}
		bytes = whole ? bytes : 1;
		*in += bytes;
		*n -= bytes;
		r->offset += bytes;
		if (whole && et_encapsulated(framing) && (*at & 31) == 0) {
			r->nulls++; /* EE Null Encapsulation */
			continue;
		}
		if (whole)
			return take_packet(r, at, bytes, p);
		if (!collect(r, *at))
			continue;
		const enum hs_status s = take_packet(r, r->buffer, r->held, p);
		r->held = 0;
		return s;
	}
	return HS_MORE;
}

enum hs_status hs_et_reader_end(const struct hs_et_reader *r)
{
	return r->held ? HS_E_TRUNCATED : HS_OK;
}
