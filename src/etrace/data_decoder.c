/* Data trace: packets to accesses (ET Load and Store, Atomic, CSR; design/data-trace; ET MMA/CAS,
 * design/data-trace). */
#include "etrace/data.h"

struct decoding {
	struct hs_et_data_coder *c;
	const struct hs_et_data_packet *p;
	struct hs_access *a;
	struct et_data_mode mode;
	unsigned cls;
};

static unsigned old_type(const struct hs_et_data_packet *p)
{
	const uint64_t format = p->field[HS_ETDF_FORMAT], subtype = p->field[HS_ETDF_SUBTYPE];

	if (format == ET_DATA_CSR)
		return HS_ACCESS_CSR_RW + (unsigned)subtype;
	if (format == ET_DATA_ATOMIC)
		return HS_ACCESS_SWAP + (unsigned)subtype;
	return format == ET_DATA_STORE || format == ET_DATA_STORE + 1 ? HS_ACCESS_STORE
	                                                              : HS_ACCESS_LOAD;
}

static unsigned type_of(const struct hs_et_data_coder *c, const struct hs_et_data_packet *p)
{
	if (!c->mmacas_ext)
		return old_type(p);
	if (p->form == HS_ET_DATA_REVISED_RESPONSE) /* unless its request is known */
		return HS_ACCESS_LOAD;
	return et_data_type((unsigned)p->field[HS_ETDF_FORMAT],
	                    (unsigned)p->field[HS_ETDF_SUBFORMAT]);
}

/* Address, size and type of the request are those of the response. */
static void join_request(const struct decoding *k)
{
	struct hs_et_data_request *r = &k->c->request[k->p->field[HS_ETDF_LRID] & 0xff];
	struct hs_access *a = k->a;

	if (k->p->form == HS_ET_DATA_ATOMIC_RESPONSE) {
		a->type = r->type;
		a->size = k->p->request_size;
	} else if (k->p->form == HS_ET_DATA_REVISED_RESPONSE && r->open && r->size == a->size) {
		a->type = r->type;
	}
	if (r->open && r->type == a->type && r->size == a->size) {
		a->address = r->address;
		a->known |= r->known & HS_ACCESS_HAS_ADDRESS;
	}
	r->open = 0;
}

static void open_request(const struct decoding *k)
{
	k->c->request[k->p->field[HS_ETDF_LRID] & 0xff] =
		(struct hs_et_data_request){ .address = k->a->address,
		                             .type = k->a->type,
		                             .size = k->a->size,
		                             .known = k->a->known,
		                             .open = 1 };
}

/* A number that was read at @width bits, all of them. */
static uint64_t field_value(const struct hs_et_data_packet *p, enum hs_et_data_field f,
                            enum hs_et_data_field len)
{
	const uint64_t v = p->field[f];

	return et_data_has(p, len) ? et_sign(v, 8 * (1 + (unsigned)p->field[len])) : v;
}

/* The values of a class that packets differ from, and which of them are known. */
struct memory {
	uint64_t *values;
	uint8_t *have;
};

/* The value of a field of data or operand.  @return  It is known. */
static bool take_value(const struct decoding *k, struct memory m, unsigned coding, uint64_t v,
                       uint64_t *out)
{
	const uint8_t bit = (uint8_t)(1u << k->cls);
	const uint64_t before = m.values[k->cls];

	if (coding != ET_DATA_FULL && !(*m.have & bit))
		return false;
	*out = et_low(coding == ET_DATA_FULL  ? v
	              : coding == ET_DATA_XOR ? before ^ v
	                                      : before + v,
	              8u << k->a->size);
	m.values[k->cls] = *out;
	*m.have |= bit;
	return true;
}

static void take_data(const struct decoding *k)
{
	const uint64_t v = field_value(k->p, HS_ETDF_DATA, HS_ETDF_DATA_LEN);

	if (take_value(k, (struct memory){ k->c->data, &k->c->have_data }, k->mode.coding, v,
	               &k->a->data))
		k->a->known |= HS_ACCESS_HAS_DATA;
}

static bool is_aligned(const struct decoding *k)
{
	const enum hs_et_data_field f = k->c->mmacas_ext ? HS_ETDF_SUBFORMAT : HS_ETDF_FORMAT;

	return hs_access_is_atomic(k->a->type) || k->p->field[f] % 2 == 0;
}

static uint64_t byte_address(const struct decoding *k)
{
	const uint64_t v = k->p->field[HS_ETDF_ADDRESS], before = k->c->address[k->cls];
	const unsigned size = k->a->size;

	if (!is_aligned(k))
		return v + (k->mode.address_diff ? before : 0);
	return (v + (k->mode.address_diff ? before >> size : 0)) << size;
}

static void take_address(const struct decoding *k, uint64_t address)
{
	const uint8_t bit = (uint8_t)(1u << k->cls);

	if (k->mode.address_diff && !(k->c->have_address & bit))
		return;
	k->a->address = address;
	k->a->known |= HS_ACCESS_HAS_ADDRESS;
	k->c->address[k->cls] = address;
	k->c->have_address |= bit;
}

static uint64_t csr_address(const struct decoding *k)
{
	const uint64_t v = k->p->field[HS_ETDF_ADDR_MSBS] << 6 | k->p->field[HS_ETDF_ADDR_LSBS];

	return (v + (k->mode.address_diff ? k->c->address[k->cls] : 0)) & 0xfff;
}

/* That of 2.0 is never compressed. */
static void take_operand(const struct decoding *k)
{
	const uint64_t v = field_value(k->p, HS_ETDF_OPERAND, HS_ETDF_OP_LEN);
	const unsigned coding = k->c->mmacas_ext ? k->mode.coding : ET_DATA_FULL;

	if (take_value(k, (struct memory){ k->c->operand, &k->c->have_operand }, coding, v,
	               &k->a->operand))
		k->a->known |= HS_ACCESS_HAS_OPERAND;
}

static void take_parts(const struct decoding *k)
{
	const struct hs_et_data_packet *p = k->p;

	if (k->a->phase == HS_ACCESS_RESPONSE)
		join_request(k);
	if (et_data_has(p, HS_ETDF_OPERAND))
		take_operand(k);
	if (et_data_has(p, HS_ETDF_DATA))
		take_data(k);
	else if (et_data_has(p, HS_ETDF_RESP))
		k->a->known |= HS_ACCESS_HAS_ERROR;
	if (et_data_has(p, HS_ETDF_ADDRESS))
		take_address(k, et_data_address(k->c, byte_address(k)));
	if (et_data_has(p, HS_ETDF_ADDR_LSBS))
		take_address(k, csr_address(k));
	if (k->a->phase == HS_ACCESS_REQUEST)
		open_request(k);
}

/* Only split packets have lrid. */
static unsigned phase_of(const struct hs_et_data_coder *c, unsigned form)
{
	if (et_data_form_has(form, HS_ETDF_RESP))
		return HS_ACCESS_RESPONSE;
	return et_data_form_has(form, HS_ETDF_LRID) ||
	                       (form == HS_ET_DATA_ATOMIC_ADDRESS && c->split)
	               ? HS_ACCESS_REQUEST
	               : HS_ACCESS_WHOLE;
}

static unsigned size_of(const struct hs_et_data_coder *c, const struct hs_et_data_packet *p)
{
	if (et_data_form_has(p->form, HS_ETDF_ADDR_LSBS))
		return c->csr_width == 64 ? 3 : 2;
	return p->form == HS_ET_DATA_ATOMIC_RESPONSE ? p->request_size
	                                             : (unsigned)p->field[HS_ETDF_SIZE];
}

enum hs_status hs_et_data_decode(struct hs_et_data_coder *c, const struct hs_et_data_packet *p,
                                 struct hs_access *a)
{
	const bool response = et_data_has(p, HS_ETDF_RESP);
	const uint64_t code = p->field[response ? HS_ETDF_RESP : HS_ETDF_DIFF];
	struct decoding k = { .c = c, .p = p, .a = a };

	memset(a, 0, sizeof *a);
	if (p->form == HS_ET_DATA_NONE || p->form >= HS_ET_DATA_FORMS)
		return HS_E_ARG;
	k.mode = et_data_mode(c, p->form, (unsigned)code);
	a->type = (uint8_t)type_of(c, p);
	a->phase = (uint8_t)phase_of(c, p->form);
	a->id = (uint16_t)p->field[HS_ETDF_LRID];
	a->size = (uint8_t)size_of(c, p);
	k.cls = hs_access_is_csr(a->type) ? ET_DATA_CLASS_CSR : a->size;
	take_parts(&k);
	if (a->type == HS_ACCESS_SC_FAILED) { /* its data means nothing */
		a->data = a->operand = 0;
		a->known &= HS_ACCESS_HAS_ADDRESS;
	}
	return HS_OK;
}
