/* Data trace: packets to accesses (ET Load and Store, Atomic, CSR; design/data-trace). */
#include "etrace/data.h"

struct decoding {
	struct hs_et_data_coder *c;
	const struct hs_et_data_packet *p;
	struct hs_access *a;
	struct et_data_mode mode;
	unsigned cls;
};

static unsigned type_of(const struct hs_et_data_packet *p)
{
	const uint64_t format = p->field[HS_ETDF_FORMAT], subtype = p->field[HS_ETDF_SUBTYPE];

	if (format == ET_DATA_CSR)
		return HS_ACCESS_CSR_RW + (unsigned)subtype;
	if (format == ET_DATA_ATOMIC)
		return HS_ACCESS_SWAP + (unsigned)subtype;
	return format == ET_DATA_STORE || format == ET_DATA_STORE + 1 ? HS_ACCESS_STORE
	                                                              : HS_ACCESS_LOAD;
}

/* Address, size and type of the request are those of the response. */
static void join_request(const struct decoding *k)
{
	struct hs_et_data_request *r = &k->c->request[k->p->field[HS_ETDF_LRID] & 0xff];
	struct hs_access *a = k->a;
	const bool atomic = k->p->form == HS_ET_DATA_ATOMIC_RESPONSE;

	if (atomic) {
		a->type = r->type;
		a->size = k->p->request_size;
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

static void take_data(const struct decoding *k)
{
	struct hs_et_data_coder *c = k->c;
	const unsigned bits = 8u << k->a->size;
	const uint8_t bit = (uint8_t)(1u << k->cls);
	const uint64_t v = field_value(k->p, HS_ETDF_DATA, HS_ETDF_DATA_LEN);
	const bool full = k->mode.coding == ET_DATA_FULL;

	if (!full && !(c->have_data & bit))
		return;
	k->a->data = et_low(full                            ? v
	                    : k->mode.coding == ET_DATA_XOR ? c->data[k->cls] ^ v
	                                                    : c->data[k->cls] + v,
	                    bits);
	k->a->known |= HS_ACCESS_HAS_DATA;
	c->data[k->cls] = k->a->data;
	c->have_data |= bit;
}

static uint64_t byte_address(const struct decoding *k)
{
	const uint64_t v = k->p->field[HS_ETDF_ADDRESS], before = k->c->address[k->cls];
	const uint64_t format = k->p->field[HS_ETDF_FORMAT];
	const unsigned size = k->a->size;
	const bool aligned = format == ET_DATA_ATOMIC || format % 2 == 0;

	if (!aligned)
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

static void take_operand(const struct decoding *k)
{
	const uint64_t v = field_value(k->p, HS_ETDF_OPERAND, HS_ETDF_OP_LEN);

	k->a->operand = et_low(v, 8u << k->a->size);
	k->a->known |= HS_ACCESS_HAS_OPERAND;
}

static void take_parts(const struct decoding *k)
{
	const struct hs_et_data_packet *p = k->p;

	if (p->form == HS_ET_DATA_LOAD_RESPONSE || p->form == HS_ET_DATA_ATOMIC_RESPONSE)
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

static unsigned phase_of(const struct hs_et_data_coder *c, unsigned form)
{
	switch (form) {
	case HS_ET_DATA_LOAD_REQUEST:
	case HS_ET_DATA_ATOMIC_REQUEST:
		return HS_ACCESS_REQUEST;
	case HS_ET_DATA_LOAD_RESPONSE:
	case HS_ET_DATA_ATOMIC_RESPONSE:
		return HS_ACCESS_RESPONSE;
	case HS_ET_DATA_ATOMIC_ADDRESS:
		return c->split ? HS_ACCESS_REQUEST : HS_ACCESS_WHOLE;
	default:
		return HS_ACCESS_WHOLE;
	}
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
	const bool csr = p->form == HS_ET_DATA_CSR || p->form == HS_ET_DATA_CSR_ADDRESS;

	k.mode = et_data_mode(c, p->form, (unsigned)code);
	a->type = (uint8_t)type_of(p);
	a->phase = (uint8_t)phase_of(c, p->form);
	a->id = (uint16_t)p->field[HS_ETDF_LRID];
	a->size = csr                                     ? (c->csr_width == 64 ? 3 : 2)
	          : p->form == HS_ET_DATA_ATOMIC_RESPONSE ? p->request_size
	                                                  : (uint8_t)p->field[HS_ETDF_SIZE];
	k.cls = csr ? ET_DATA_CLASS_CSR : a->size;
	take_parts(&k);
	if (a->type == HS_ACCESS_SC_FAILED) { /* its data means nothing */
		a->data = a->operand = 0;
		a->known &= HS_ACCESS_HAS_ADDRESS;
	}
	return HS_OK;
}
