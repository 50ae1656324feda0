/* Bytes to packets (ET Packets; EE Packet Encapsulation). */
#include "etrace/bits.h"
#include "etrace/tables.h"

#include "base/mem.h"

void hs_et_reader_init(struct hs_et_reader *r, const struct hs_et_config *config)
{
	memset(r, 0, sizeof *r);
	memcpy(&r->config, config, sizeof r->config);
}

void hs_et_reader_options(struct hs_et_reader *r, unsigned options)
{
	const uint8_t before = r->config.options;

	r->config.options = (uint8_t)options;
	if (hs_et_config_check(&r->config) != HS_OK) /* options that these parameters cannot have */
		r->config.options = before;
}

unsigned hs_et_packet_options(const struct hs_et_config *c, const struct hs_et_packet *p)
{
	const struct et_dialect *d = &et_dialects[c->dialect];
	unsigned options = 0;

	if (c->version == HS_ET_0_026) /* encoder_mode: 0 is full, 1 is delta (PT 6) */
		return c->options;
	for (unsigned i = 0; i < d->options; i++)
		if (p->field[HS_ETF_IOPTIONS] >> i & 1u)
			options |= d->option[i];
	return options;
}

/* ---- payloads ------------------------------------------------------------------ */

/* Width 0: the one of the two that is in use (ET Format 0 subformat). */
static unsigned implied_f0s(const struct hs_et_config *c)
{
	return c->options & HS_ET_BRANCH_PREDICTION ? 0 : c->options & HS_ET_JUMP_TARGET_CACHE ? 1 : ET_ANY - 1;
}

/* The message type that a payload begins with: that of te_support is one of its fields (PT 6). */
static bool take_prefix(const struct hs_et_config *c, struct et_bits *b)
{
	struct et_bits ahead = *b;
	const unsigned type = (unsigned)et_take(&ahead, 2);

	if (c->type_prefix && type == 2)
		*b = ahead;
	return c->type_prefix && type != 2;
}

/* The form that a payload's first bits name; HS_ET_FORMS: none. */
static unsigned form_of(const struct hs_et_config *c, const struct et_bits *bits, bool control)
{
	struct et_bits b = *bits;
	const unsigned format = control ? ET_CONTROL : (unsigned)et_take(&b, 2);
	unsigned subformat = ET_ANY;

	if (format == 3)
		subformat = (unsigned)et_take(&b, 2);
	else if (format == 0 && c->version != HS_ET_0_026)
		subformat = c->f0s_width ? (unsigned)et_take(&b, c->f0s_width) : implied_f0s(c);
	for (unsigned i = 0; i < HS_ET_FORMS; i++) {
		const struct et_form *f = et_form_of(c->version, i);

		if (f && f->format == format && (f->subformat == ET_ANY || f->subformat == subformat))
			return i;
	}
	return HS_ET_FORMS;
}

static void take_field(const struct hs_et_config *c, struct et_bits *b, struct hs_et_packet *p,
                       unsigned field)
{
	const unsigned before = b->at ? et_bit(b, b->at - 1) : 0;
	const unsigned width = et_width(c, p, field);
	uint64_t v = et_take(b, width);

	if (field == HS_ETF_F0S && width == 0)
		v = implied_f0s(c);
	if (field == HS_ETF_NOTIFY || field == HS_ETF_UPDISCON || field == HS_ETF_IRREPORT)
		v ^= before;
	if (field == HS_ETF_IRDEPTH && !p->field[HS_ETF_IRREPORT])
		v = 0;
	p->field[field] = v;
	if (width)
		p->present |= (uint32_t)1 << field;
}

/* What follows the last field only repeats the bit before (ET Packets), or is 0. */
static bool spare_bits_good(const struct et_bits *b, bool signed_bits)
{
	for (unsigned at = b->at; b->at && at < b->end; at++)
		if (et_bit(b, at) != (signed_bits ? et_bit(b, b->at - 1) : 0))
			return false;
	return true;
}

static bool values_good(const struct hs_et_config *c, const struct hs_et_packet *p)
{
	if (p->form == HS_ET_COUNT)
		return p->field[HS_ETF_BRANCH_FMT] != 1;
	if (p->form == HS_ET_SUPPORT && c->version == HS_ET_0_026)
		return p->field[HS_ETF_MSG_TYPE] == 0 && p->field[HS_ETF_CONTROL_CODE] == 0x34;
	return true;
}

static enum hs_status parse(const struct hs_et_config *c, struct et_bits *b, bool control,
                            struct hs_et_packet *p)
{
	const unsigned from = b->at;

	control = take_prefix(c, b) || control;
	const unsigned form = form_of(c, b, control);

	if (form == HS_ET_FORMS) {
		p->bits = 0;
		return HS_E_FIELD;
	}
	const struct et_form *f = et_form_of(c->version, form);

	p->form = (uint8_t)form;
	for (unsigned i = 0; i < f->count; i++)
		if (et_stands(&f->slot[i], p))
			take_field(c, b, p, f->slot[i].field);
	p->bits = (uint16_t)(b->at - from);
	if (!values_good(c, p) || !spare_bits_good(b, et_compressed(c, p)))
		return HS_E_FIELD;
	return HS_OK;
}

/* ---- framing ------------------------------------------------------------------- */

/* Bytes of the packet that begins in the buffer; 0: more are needed to tell. */
static unsigned packet_bytes(const struct hs_et_reader *r)
{
	const struct hs_et_config *c = &r->config;
	const struct et_dialect *d = &et_dialects[c->dialect];
	const unsigned header = r->buffer[0];

	switch (d->framing) {
	case ET_ENCAP:
	case ET_PLAIN:
		if ((header & 31) == 0)
			return 1;
		return 1 + c->src_bits / 8 + (header & 0x80 ? c->tstamp_bytes : 0) + (header & 31);
	case ET_HEADER:
	case ET_JOINED:
		return 1 + (header & ((1u << d->length_bits) - 1));
	default:
		break;
	}
	/* Bare: the fields tell, once enough of them are there. */
	struct hs_et_packet p = { .form = HS_ET_OTHER };
	struct et_bits b = { r->buffer, 8u * r->held, 0 };
	const bool control = take_prefix(c, &b);
	const unsigned form = form_of(c, &b, control);
	const struct et_form *f = form < HS_ET_FORMS ? et_form_of(c->version, form) : NULL;

	if (!f)
		return 1;
	for (unsigned i = 0; i < f->count && b.at <= b.end; i++)
		if (et_stands(&f->slot[i], &p))
			take_field(c, &b, &p, f->slot[i].field);
	return b.at > b.end ? 0 : (b.at + 7) / 8;
}

static enum hs_status parse_encap(const struct hs_et_reader *r, struct hs_et_packet *p)
{
	const struct hs_et_config *c = &r->config;
	struct et_bits b = { r->buffer + 1, 8u * (r->held - 1u), 0 };

	p->src = (uint16_t)et_take(&b, c->src_bits);
	p->has_tstamp = r->buffer[0] & 0x80;
	if (p->has_tstamp)
		p->tstamp = et_take(&b, 8u * c->tstamp_bytes);
	const struct et_dialect *d = &et_dialects[c->dialect];
	const bool typed = d->framing == ET_ENCAP;

	p->type = typed ? (uint8_t)et_take(&b, 2) : d->type_inst;
	if (b.at > b.end)
		return HS_E_FIELD;
	if (p->type != d->type_inst && !(p->type == d->type_control && c->version == HS_ET_0_026))
		return HS_OK;
	/* The payload as bytes of its own. */
	uint8_t payload[HS_ET_PACKET_MAX] = { 0 };
	struct et_out o = { payload, 0 };
	const unsigned bits = b.end - b.at;

	if (bits == 0)
		return HS_E_FIELD;
	while (b.at < b.end)
		et_put(&o, et_take(&b, 1), 1);
	b = (struct et_bits){ payload, bits, 0 };
	return parse(c, &b, p->type != d->type_inst, p);
}

static enum hs_status parse_packet(const struct hs_et_reader *r, struct hs_et_packet *p)
{
	const struct hs_et_config *c = &r->config;
	const struct et_dialect *d = &et_dialects[c->dialect];
	struct et_bits b = { r->buffer, 8u * r->held, 0 };

	if (et_encapsulated(d->framing))
		return parse_encap(r, p);
	p->type = d->type_inst;
	if (d->framing != ET_BARE) {
		p->type = r->buffer[0] >> d->length_bits & 3u;
		b.at = d->framing == ET_JOINED ? d->length_bits + 2u : 8;
		if (p->type != d->type_inst && !(p->type == d->type_control && c->version == HS_ET_0_026 && b.end > 8))
			return HS_OK;
		if (b.end == 8)
			return HS_E_FIELD;
	}
	return parse(c, &b, p->type != d->type_inst, p);
}

/* Is the byte in the buffer a null packet? */
static bool is_null(const struct hs_et_reader *r)
{
	return et_encapsulated(et_dialects[r->config.dialect].framing) && (r->buffer[0] & 31) == 0;
}

enum hs_status hs_et_read(struct hs_et_reader *r, const uint8_t **in, size_t *n, struct hs_et_packet *p)
{
	while (*n) {
		if (r->held == 0)
			r->start = r->offset;
		r->buffer[r->held++] = **in;
		++*in;
		--*n;
		r->offset++;
		if (is_null(r)) {
			r->held = 0;
			r->nulls++;
			continue;
		}
		const unsigned bytes = packet_bytes(r);
		if (bytes == 0 ? r->held < HS_ET_PACKET_MAX : r->held < bytes)
			continue;
		memset(p, 0, sizeof *p);
		p->offset = r->start;
		p->length = r->held;
		p->form = HS_ET_OTHER;
		const enum hs_status s = parse_packet(r, p);
		r->held = 0;
		return s;
	}
	return HS_MORE;
}

enum hs_status hs_et_reader_end(const struct hs_et_reader *r)
{
	return r->held ? HS_E_TRUNCATED : HS_OK;
}
