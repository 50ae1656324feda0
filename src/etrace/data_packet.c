/* Data trace: parameters, and packets as bits (ET Data Trace Encoder Output Packets, design/data-trace;
 * ET MMA/CAS, design/data-trace). */
#include "core/bits.h"
#include "etrace/data.h"

#include "core/config.h"

/* ---- parameters ------------------------------------------------------------------ */

static bool widths_good(const struct hs_et_data_coder *c)
{
	const unsigned w = c->data_width;

	return (w == 8 || w == 16 || w == 32 || w == 64) && c->address_width >= 4 &&
	       c->address_width <= 64 && c->lrid_width <= (c->split ? HS_ET_LRID_MAX : 0) &&
	       (c->csr_width == 32 || c->csr_width == 64) &&
	       (c->csr_subtype_width == 2 || c->csr_subtype_width == 3);
}

static bool flags_good(const struct hs_et_data_config *c)
{
	const uint8_t flags[] = { c->split,       c->no_data,  c->no_address,   c->load_store,
		                  c->narrow_diff, c->csr_diff, c->full_address, c->sc_failures,
		                  c->mmacas_ext,  c->full_data };

	for (size_t i = 0; i < sizeof flags; i++)
		if (flags[i] > 1)
			return false;
	for (size_t i = 0; i < sizeof c->reserved; i++)
		if (c->reserved[i])
			return false;
	return true;
}

static bool choices_good(const struct hs_et_data_config *c)
{
	return !(c->no_data && c->no_address) && !((c->split || c->mmacas_ext) && c->load_store) &&
	       c->dtype_width <= 4 && c->compression <= HS_ET_DATA_DIFFERENCE &&
	       !(c->narrow_diff && !c->compression) &&
	       (c->atomic_response == 0 || c->atomic_response == ET_DATA_ATOMIC_RESPONSE);
}

static uint8_t or_default(uint8_t v, uint8_t standard)
{
	return v ? v : standard;
}

enum hs_status hs_et_data_init(struct hs_et_data_coder *c, const struct hs_et_data_config *config)
{
	struct hs_et_data_config own;

	if (base_take_config(&own, sizeof own, config) != HS_OK || !flags_good(&own) ||
	    !choices_good(&own))
		return HS_E_CONFIG;
	memset(c, 0, sizeof *c);
#define SAME(member) c->member = own.member
	SAME(split), SAME(no_data), SAME(no_address), SAME(load_store), SAME(lrid_width);
	SAME(compression), SAME(narrow_diff), SAME(csr_diff), SAME(full_address), SAME(sc_failures);
	SAME(mmacas_ext), SAME(full_data);
#undef SAME
	c->data_width = or_default(own.data_width, 64);
	c->address_width = or_default(own.daddress_width, 64);
	c->csr_width = or_default(own.csr_width, 64);
	c->csr_subtype_width = or_default(own.csr_subtype_width, 3);
	c->dtype_width = or_default(own.dtype_width, 4);
	c->atomic_response = ET_DATA_ATOMIC_RESPONSE;
	return widths_good(c) ? HS_OK : HS_E_CONFIG;
}

void hs_et_data_sync(struct hs_et_data_coder *c)
{
	c->have_address = c->have_data = c->have_operand = 0;
}

void hs_et_data_lose(struct hs_et_data_coder *c)
{
	hs_et_data_sync(c);
	memset(c->request, 0, sizeof c->request);
}

/* ---- widths ----------------------------------------------------------------------- */

/* max(1, clog2(clog2(data_width_p / 8 + 1))) */
static unsigned size_width(const struct hs_et_data_coder *c)
{
	return c->data_width <= 16 ? 1 : 2;
}

static unsigned subtype_width(const struct hs_et_data_coder *c, unsigned form)
{
	if (form == HS_ET_DATA_CSR)
		return 2;
	return form == HS_ET_DATA_CSR_ADDRESS ? c->csr_subtype_width : 3;
}

/* The field that gives a number of bytes has as many bits as they have address bits. */
static unsigned length_width(const struct hs_et_data_coder *c, const struct hs_et_data_packet *p)
{
	if (et_data_form_has(p->form, HS_ETDF_ADDR_LSBS))
		return c->csr_width == 64 ? 3 : 2;
	return p->form == HS_ET_DATA_ATOMIC_RESPONSE ? p->request_size
	                                             : (unsigned)p->field[HS_ETDF_SIZE];
}

static unsigned width_of(const struct hs_et_data_coder *c, const struct hs_et_data_packet *p,
                         enum hs_et_data_field f)
{
	switch (f) {
	case HS_ETDF_FORMAT:
		return et_data_format_width(c);
	case HS_ETDF_SUBFORMAT:
		return et_data_subformat_width(c, (unsigned)p->field[HS_ETDF_FORMAT]);
	case HS_ETDF_SUBTYPE:
		return subtype_width(c, p->form);
	case HS_ETDF_SIZE:
		return size_width(c);
	case HS_ETDF_LRID:
		return c->lrid_width;
	case HS_ETDF_DIFF:
		return et_data_diff_width(c, p->form);
	case HS_ETDF_RESP:
		return 2;
	case HS_ETDF_OP_LEN:
	case HS_ETDF_DATA_LEN:
		return length_width(c, p);
	case HS_ETDF_OPERAND:
		if (p->form == HS_ET_DATA_REVISED_ATOMIC_OPERAND)
			return c->data_width;
		return 8 * (1 + (unsigned)p->field[HS_ETDF_OP_LEN]);
	case HS_ETDF_DATA:
		if (!et_data_has(p, HS_ETDF_DATA_LEN))
			return c->data_width;
		return 8 * (1 + (unsigned)p->field[HS_ETDF_DATA_LEN]);
	case HS_ETDF_ADDRESS:
		return c->address_width;
	case HS_ETDF_ADDR_MSBS:
	case HS_ETDF_ADDR_LSBS:
		return 6;
	default:
		return 0;
	}
}

/* ---- bits ------------------------------------------------------------------------- */

/* The rows of the table as statements.  STEP handles one field. */
#define F(f) STEP(HS_ETDF_##f)
#define SET(f, g) \
	if (p->field[HS_ETDF_##g]) \
	F(f)
#define BELOW(f, g, n) \
	if (p->field[HS_ETDF_##g] < (n)) \
	F(f)
#define HS_ET_DATA_PACKET(id, name, slots, clause) \
	case HS_ET_DATA_##id: \
		slots break;

static void put_fields(const struct hs_et_data_coder *c, const struct hs_et_data_packet *p,
                       struct et_out *o)
{
#define STEP(f) et_put(o, p->field[f], width_of(c, p, f));
	switch (p->form) {
#include <hartscope/tables/messages.def>
	default:
		break;
	}
#undef STEP
}

/* False: a field has a value that it cannot have; b->at is where it begins. */
static bool take_field(const struct hs_et_data_coder *c, struct et_bits *b,
                       struct hs_et_data_packet *p, enum hs_et_data_field f)
{
	const unsigned width = width_of(c, p, f);
	const uint64_t v = et_peek(b, b->at, width);

	if ((f == HS_ETDF_SIZE && 8u << v > c->data_width) ||
	    (f == HS_ETDF_DIFF && !et_data_mode(c, p->form, (unsigned)v).valid) ||
	    (f == HS_ETDF_SUBTYPE && et_data_form_has(p->form, HS_ETDF_ADDR_LSBS) && v > 2))
		return false;
	b->at += width;
	et_data_set(p, f, v);
	return true;
}

static bool take_fields(const struct hs_et_data_coder *c, struct et_bits *b,
                        struct hs_et_data_packet *p)
{
#define STEP(f) \
	if (!take_field(c, b, p, f)) \
		return false;
	switch (p->form) {
#include <hartscope/tables/messages.def>
	default:
		return false;
	}
#undef STEP
	return true;
}

#undef HS_ET_DATA_PACKET
#undef BELOW
#undef SET
#undef F

unsigned hs_et_data_write(const struct hs_et_data_coder *c, const struct hs_et_data_packet *p,
                          uint8_t out[HS_ET_DATA_PAYLOAD_MAX])
{
	uint8_t bytes[8 * ET_WORDS]; /* whole words are written */
	struct et_out o;

	if (p->form == HS_ET_DATA_NONE || p->form >= HS_ET_DATA_FORMS)
		return 0;
	et_out_init(&o, 0);
	put_fields(c, p, &o);
	const unsigned whole = (o.at + 7) / 8, needed = et_finish(&o, true) / 8 + 1;
	const unsigned n = needed < whole ? needed : whole;

	et_store(&o, bytes, n);
	memcpy(out, bytes, n);
	return n;
}

/* Which packet this is: by format, and with the extension by subformat.  b->at is where a code that
 * the configuration does not have begins. */
static unsigned take_form(const struct hs_et_data_coder *c, struct et_bits *b)
{
	const unsigned width = et_data_format_width(c);
	const unsigned format = (unsigned)et_peek(b, 0, width);
	const unsigned more = et_data_subformat_width(c, format);
	const unsigned form = et_data_form(c, format, (unsigned)et_peek(b, width, more));

	b->at = form == HS_ET_DATA_NONE && more ? width : 0;
	return form;
}

/* A response of 2.0 to an atomic needs its request, which has the width of data_len. */
static bool begin_packet(const struct hs_et_data_coder *c, struct et_bits *b,
                         struct hs_et_data_packet *p)
{
	p->form = (uint8_t)take_form(c, b);
	if (p->form == HS_ET_DATA_ATOMIC_RESPONSE) {
		const uint64_t id = et_peek(b, et_data_format_width(c), c->lrid_width);
		const struct hs_et_data_request *r = &c->request[id];

		p->request_size = r->size;
		return r->open && hs_access_is_atomic(r->type);
	}
	return p->form != HS_ET_DATA_NONE;
}

enum hs_status et_data_read(const struct hs_et_data_coder *c, const uint8_t *bytes, unsigned bits,
                            struct hs_et_data_packet *p)
{
	struct et_bits b;

	memset(p, 0, sizeof *p);
	if (bits == 0 || bits > 8 * HS_ET_DATA_PAYLOAD_MAX)
		return HS_E_FIELD;
	et_load(&b, bytes, (bits + 7) / 8, 0, UINT64_MAX);
	const bool good = begin_packet(c, &b, p) && take_fields(c, &b, p);

	p->bits = (uint16_t)b.at;
	return good && b.at + 8 > bits ? HS_OK : HS_E_FIELD;
}

enum hs_status hs_et_data_read(const struct hs_et_data_coder *c, struct hs_span *in,
                               struct hs_et_data_packet *p)
{
	const size_t most = HS_ET_DATA_PAYLOAD_MAX + 1;
	const unsigned bytes = (unsigned)(in->n < most ? in->n : most);
	const enum hs_status s = et_data_read(c, in->p, 8 * bytes, p);

	if (s != HS_OK)
		return s;
	in->p += in->n;
	in->n = 0;
	return HS_OK;
}
