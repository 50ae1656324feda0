/* Data trace: accesses to packets (ET Load and Store, Atomic, CSR; ET MMA/CAS; design/data-trace).
 *
 * An address or a value is sent whole, or as the difference to the last one of its class,
 * whichever is shorter.  Example: a load of 4 bytes at 0x2000 and then one at 0x2004: the second
 * packet has the difference without the bits that are 0 by alignment: 4 >> 2 = 1, in one byte.
 *
 * Invariants: after a synchronisation the first of each class is whole.  An access that lacks what
 * its packet needs is not sent, and counted as incomplete.
 */
#include "core/access.h"
#include "etrace/data.h"

/* One access being encoded. */
struct coding {
	struct hs_et_data_coder *c;
	const struct hs_access *a;
	unsigned format, subformat;
	unsigned cls; /* where its values are remembered */
};

static unsigned bits_of(const struct coding *k)
{
	return 8u << k->a->size;
}

/* ---- what is asked for ------------------------------------------------------------- */

/* Packets of atomics have no code for an address that is not aligned. */
static bool address_good(const struct hs_et_data_coder *c, const struct hs_access *a)
{
	const bool fits = et_low(a->address, c->address_width) == a->address ||
	                  et_sign(a->address, c->address_width) == a->address;

	return fits && (!hs_access_is_atomic(a->type) || et_data_aligned(a->address, a->size));
}

static bool is_failure(unsigned type)
{
	return type == HS_ACCESS_SC_FAILED || type == HS_ACCESS_CAS_FAILED;
}

/* What the packets of a failure carry: its address, and the operand of a compare and swap. */
static unsigned needed_of_failure(const struct hs_et_data_coder *c, const struct hs_access *a)
{
	if (c->no_address && !(c->mmacas_ext && c->sc_failures))
		return 0;
	return a->type == HS_ACCESS_SC_FAILED || c->no_data
	               ? HS_ACCESS_HAS_ADDRESS
	               : HS_ACCESS_HAS_ADDRESS | HS_ACCESS_HAS_OPERAND;
}

/* What the packets of this access carry, of what @known may have. */
static unsigned needed(const struct hs_et_data_coder *c, const struct hs_access *a)
{
	const unsigned data = c->no_data ? 0 : HS_ACCESS_HAS_DATA;
	const unsigned address = c->no_address ? 0 : HS_ACCESS_HAS_ADDRESS;
	const unsigned operand = c->no_data ? 0 : HS_ACCESS_HAS_OPERAND;

	if (a->phase == HS_ACCESS_RESPONSE)
		return a->known & HS_ACCESS_HAS_ERROR ? 0 : data;
	if (is_failure(a->type))
		return needed_of_failure(c, a);
	if (hs_access_is_csr(a->type))
		return HS_ACCESS_HAS_ADDRESS | data | (a->address >= 0xc00 ? 0 : operand);
	if (hs_access_is_atomic(a->type) && c->split)
		return (c->mmacas_ext ? address : HS_ACCESS_HAS_ADDRESS) | operand;
	if (hs_access_is_atomic(a->type))
		return address | operand | data;
	return address | (a->phase == HS_ACCESS_REQUEST ? 0 : data);
}

/* Whether an atomic failed is known when it is over: the extension has one packet for it. */
static bool phase_good(const struct hs_et_data_coder *c, const struct hs_access *a)
{
	const bool splits = hs_access_is_load(a->type) || hs_access_is_atomic(a->type);
	const struct hs_et_data_request *r = &c->request[a->id & 0xff];
	const bool asked = r->open && r->type == a->type && r->size == a->size;

	if (a->id >> c->lrid_width)
		return false;
	if (a->phase == HS_ACCESS_RESPONSE && !asked)
		return false;
	if (c->mmacas_ext && c->split && is_failure(a->type))
		return a->phase != HS_ACCESS_RESPONSE;
	return c->split && splits ? a->phase != HS_ACCESS_WHOLE : a->phase == HS_ACCESS_WHOLE;
}

/* Is there a packet for the type? */
static bool type_good(const struct hs_et_data_coder *c, unsigned type)
{
	if (c->mmacas_ext)
		return type >> c->dtype_width == 0;
	return type != HS_ACCESS_CAS_FAILED && !(c->load_store && type > HS_ACCESS_STORE);
}

static enum hs_status check(const struct hs_et_data_coder *c, const struct hs_access *a)
{
	const bool csr = hs_access_is_csr(a->type);

	if (hs_access_check(a) != HS_OK || !phase_good(c, a) ||
	    (needed(c, a) & ~(unsigned)a->known))
		return HS_E_ARG;
	if (8u << a->size > (csr ? c->csr_width : c->data_width) ||
	    (csr && 8u << a->size != c->csr_width))
		return HS_E_ARG;
	if (!csr && (a->known & HS_ACCESS_HAS_ADDRESS) && !address_good(c, a))
		return HS_E_ARG;
	return type_good(c, a->type) ? HS_OK : HS_E_UNSUPPORTED;
}

/* ---- fields ------------------------------------------------------------------------- */

/* The value without the bytes that its sign gives back, and how many these are (ET Load and Store
 * data_len field). */
static void put_sized(struct hs_et_data_packet *p, enum hs_et_data_field len,
                      enum hs_et_data_field field, uint64_t v, unsigned bits)
{
	const uint64_t value = et_sign(v, bits);
	unsigned n = 1;

	while (8 * n < bits && et_sign(value, 8 * n) != value)
		n++;
	et_data_set(p, len, n - 1);
	et_data_set(p, field, et_low(value, 8 * n));
}

static uint64_t coded(uint64_t now, uint64_t before, unsigned coding)
{
	return coding == ET_DATA_XOR          ? now ^ before
	       : coding == ET_DATA_DIFFERENCE ? now - before
	                                      : now;
}

/* Data or operand.  Where the packet does not have its length it has all bits of data_width_p. */
static void put_value(const struct coding *k, struct hs_et_data_packet *p,
                      enum hs_et_data_field field, uint64_t v)
{
	const bool data = field == HS_ETDF_DATA;
	const enum hs_et_data_field length = data ? HS_ETDF_DATA_LEN : HS_ETDF_OP_LEN;
	const unsigned bits = bits_of(k);

	if (et_data_form_has(p->form, length))
		put_sized(p, length, field, v, bits);
	else
		et_data_set(p, field, et_low(et_sign(v, bits), k->c->data_width));
}

static void put_csr_address(const struct coding *k, struct hs_et_data_packet *p, bool diff)
{
	const uint64_t v = k->a->address - (diff ? k->c->address[k->cls] : 0);

	et_data_set(p, HS_ETDF_ADDR_MSBS, v >> 6 & 63);
	et_data_set(p, HS_ETDF_ADDR_LSBS, v & 63);
}

/* An aligned address is sent without its low bits; they are shifted out with the sign, so that the
 * field compresses. */
static void put_address(const struct coding *k, struct hs_et_data_packet *p, bool diff)
{
	const unsigned width = k->c->address_width, size = k->a->size;
	const uint64_t v = et_sign(k->a->address - (diff ? k->c->address[k->cls] : 0), width);
	const bool aligned =
		hs_access_is_atomic(k->a->type) || et_data_aligned(k->a->address, size);
	const uint64_t sent = aligned && v >> 63 ? ~(~v >> size) : aligned ? v >> size : v;

	et_data_set(p, HS_ETDF_ADDRESS, et_low(sent, width));
}

/* CSRs that are read only have no operand; that of 2.0 is never compressed. */
static bool sends_operand(const struct coding *k, unsigned form)
{
	const bool read_only = hs_access_is_csr(k->a->type) && k->a->address >= 0xc00;

	return et_data_form_has(form, HS_ETDF_OPERAND) && !read_only;
}

static void put_operand(const struct coding *k, struct hs_et_data_packet *p, unsigned coding)
{
	const uint64_t before = k->c->operand[k->cls];

	put_value(k, p, HS_ETDF_OPERAND,
	          coded(k->a->operand, before, k->c->mmacas_ext ? coding : ET_DATA_FULL));
}

static bool is_response(unsigned form)
{
	return et_data_form_has(form, HS_ETDF_RESP);
}

static void put_head(const struct coding *k, struct hs_et_data_packet *p)
{
	const unsigned type = k->a->type;

	et_data_set(p, HS_ETDF_FORMAT, k->format);
	if (et_data_form_has(p->form, HS_ETDF_SUBFORMAT))
		et_data_set(p, HS_ETDF_SUBFORMAT, k->subformat);
	if (et_data_form_has(p->form, HS_ETDF_SUBTYPE))
		et_data_set(p, HS_ETDF_SUBTYPE, type & (hs_access_is_csr(type) ? 3u : 7u));
	if (et_data_form_has(p->form, HS_ETDF_SIZE))
		et_data_set(p, HS_ETDF_SIZE, k->a->size);
	if (p->form == HS_ET_DATA_ATOMIC_RESPONSE)
		p->request_size = k->a->size;
	if (et_data_form_has(p->form, HS_ETDF_LRID))
		et_data_set(p, HS_ETDF_LRID, k->a->id);
}

/* The packet with @code in diff or resp. */
static void build(const struct coding *k, struct hs_et_data_packet *p, unsigned form, unsigned code)
{
	const struct et_data_mode m = et_data_mode(k->c, form, code);

	*p = (struct hs_et_data_packet){ .form = (uint8_t)form };
	put_head(k, p);
	et_data_set(p, is_response(form) ? HS_ETDF_RESP : HS_ETDF_DIFF, code);
	if (sends_operand(k, form))
		put_operand(k, p, m.coding);
	if (et_data_form_has(form, HS_ETDF_DATA) && m.coding != ET_DATA_ABSENT)
		put_value(k, p, HS_ETDF_DATA, coded(k->a->data, k->c->data[k->cls], m.coding));
	if (et_data_form_has(form, HS_ETDF_ADDR_LSBS))
		put_csr_address(k, p, m.address_diff);
	else if (et_data_form_has(form, HS_ETDF_ADDRESS))
		put_address(k, p, m.address_diff);
}

/* ---- the choice ---------------------------------------------------------------------- */

/* An aligned address after one that was not: the text does not say what becomes of the low bits of
 * the difference, so the full address is sent (design/data-trace). */
static bool may_differ(const struct coding *k)
{
	const struct hs_et_data_coder *c = k->c;

	if (c->full_address || !(c->have_address >> k->cls & 1))
		return false;
	if (k->cls == ET_DATA_CLASS_CSR)
		return true;
	return !et_data_aligned(k->a->address, k->a->size) ||
	       et_data_aligned(c->address[k->cls], k->a->size);
}

/* Are the values known from which those of the packet would differ? */
static bool has_before(const struct coding *k, unsigned form)
{
	const struct hs_et_data_coder *c = k->c;
	const bool data = !et_data_form_has(form, HS_ETDF_DATA) || c->have_data >> k->cls & 1;
	const bool coded_operand = c->mmacas_ext && sends_operand(k, form);

	return data && (!coded_operand || c->have_operand >> k->cls & 1);
}

static bool may_send(const struct coding *k, unsigned form, unsigned code)
{
	const struct hs_et_data_coder *c = k->c;
	const struct et_data_mode m = et_data_mode(c, form, code);
	const bool error = k->a->known & HS_ACCESS_HAS_ERROR;

	if (is_response(form) && error != (code == ET_DATA_RESP_ERROR))
		return false;
	if (!m.valid || (m.address_diff && !may_differ(k)))
		return false;
	/* The first packet after a synchronisation has both, if it has either. */
	if (m.coding == ET_DATA_FULL)
		return !m.address_diff || !et_data_form_has(form, HS_ETDF_DATA) ||
		       c->have_data >> k->cls & 1;
	if (m.coding == ET_DATA_ABSENT)
		return true;
	return has_before(k, form) && !c->full_data &&
	       c->compression != (m.coding == ET_DATA_XOR ? HS_ET_DATA_DIFFERENCE : HS_ET_DATA_XOR);
}

static unsigned codes_of(const struct hs_et_data_coder *c, unsigned form)
{
	return is_response(form) ? 4 : 1u << et_data_diff_width(c, form);
}

/* An operand is never compressed, so a split atomic only has a use for "differential address, full
 * data". */
static bool is_useful(const struct hs_et_data_coder *c, unsigned form, unsigned code)
{
	return form != HS_ET_DATA_ATOMIC_REQUEST || c->narrow_diff || code == 0 || code == 2;
}

static void choose(const struct coding *k, struct hs_et_data_packet *best, unsigned form)
{
	const unsigned codes = codes_of(k->c, form);
	uint8_t bytes[HS_ET_DATA_PAYLOAD_MAX];
	unsigned least = sizeof bytes + 1;
	struct hs_et_data_packet p;

	for (unsigned code = 0; code < codes; code++) {
		if (!may_send(k, form, code) || !is_useful(k->c, form, code))
			continue;
		build(k, &p, form, code);
		const unsigned n = hs_et_data_write(k->c, &p, bytes);

		if (n < least) {
			least = n;
			*best = p;
		}
	}
}

/* ---- what is remembered --------------------------------------------------------------- */

static void remember(const struct coding *k, const struct hs_et_data_packet *p)
{
	struct hs_et_data_coder *c = k->c;
	const uint8_t bit = (uint8_t)(1u << k->cls);

	if (et_data_has(p, HS_ETDF_DATA)) {
		c->data[k->cls] = k->a->data;
		c->have_data |= bit;
	}
	if (et_data_has(p, HS_ETDF_OPERAND)) {
		c->operand[k->cls] = k->a->operand;
		c->have_operand |= bit;
	}
	if (et_data_has(p, HS_ETDF_ADDRESS) || et_data_has(p, HS_ETDF_ADDR_LSBS)) {
		c->address[k->cls] = k->a->address;
		c->have_address |= bit;
	}
}

static void remember_request(struct hs_et_data_coder *c, const struct hs_access *a)
{
	if (a->phase == HS_ACCESS_REQUEST)
		c->request[a->id] = (struct hs_et_data_request){ .address = a->address,
			                                         .type = a->type,
			                                         .size = a->size,
			                                         .known = a->known,
			                                         .open = 1 };
	else if (a->phase == HS_ACCESS_RESPONSE)
		c->request[a->id].open = 0;
}

static bool is_aligned(const struct hs_access *a)
{
	return !(a->known & HS_ACCESS_HAS_ADDRESS) || et_data_aligned(a->address, a->size);
}

static unsigned format_of(const struct hs_access *a)
{
	if (hs_access_is_csr(a->type))
		return ET_DATA_CSR;
	if (a->phase == HS_ACCESS_RESPONSE)
		return a->type == HS_ACCESS_LOAD ? ET_DATA_LOAD_RESPONSE : ET_DATA_ATOMIC_RESPONSE;
	if (hs_access_is_atomic(a->type))
		return ET_DATA_ATOMIC;
	return (a->type == HS_ACCESS_LOAD ? ET_DATA_LOAD : ET_DATA_STORE) + !is_aligned(a);
}

/* Where a packet of the extension says what it is.  The data of a split load without its address
 * has the unified packet. */
static void set_revised_format(struct coding *k)
{
	const struct hs_access *a = k->a;
	const bool operation = !hs_access_is_load(a->type) && !hs_access_is_store(a->type);
	const bool load = !operation && k->c->no_address;

	k->format = a->phase == HS_ACCESS_RESPONSE && !load ? ET_DATA_PHASE
	            : operation                             ? ET_DATA_OPERATION
	                                                    : a->type / 2u;
	k->subformat = operation ? a->type : 2u * hs_access_is_store(a->type) + !is_aligned(a);
}

static bool is_revised_reported(const struct hs_et_data_coder *c, const struct hs_access *a)
{
	if (is_failure(a->type))
		return !c->no_address || c->sc_failures;
	if (!hs_access_is_load(a->type) || !c->no_address)
		return true;
	return a->phase != HS_ACCESS_REQUEST && !(a->known & HS_ACCESS_HAS_ERROR);
}

static bool is_reported(const struct hs_et_data_coder *c, const struct hs_access *a, unsigned form)
{
	if (form == HS_ET_DATA_NONE)
		return false;
	if (c->mmacas_ext)
		return is_revised_reported(c, a);
	return a->type != HS_ACCESS_SC_FAILED || form == HS_ET_DATA_ATOMIC_ADDRESS ||
	       c->sc_failures;
}

/* Packets of E-Trace 2.0 do not say that an access is one of several. */
static struct hs_access as_sent(const struct hs_et_data_coder *c, const struct hs_access *a)
{
	struct hs_access sent = *a;

	if (c->mmacas_ext)
		return sent;
	if (a->type == HS_ACCESS_MULTI_LOAD)
		sent.type = HS_ACCESS_LOAD;
	else if (a->type == HS_ACCESS_MULTI_STORE)
		sent.type = HS_ACCESS_STORE;
	return sent;
}

enum hs_status hs_et_data_encode(struct hs_et_data_coder *c, const struct hs_access *access,
                                 struct hs_et_data_packet *p)
{
	const struct hs_access sent = as_sent(c, access), *a = &sent;
	const enum hs_status s = check(c, a);
	struct coding k = { .c = c, .a = a };

	memset(p, 0, sizeof *p);
	if (s != HS_OK)
		return s;
	if (c->mmacas_ext)
		set_revised_format(&k);
	else
		k.format = format_of(a);
	k.cls = hs_access_is_csr(a->type) ? ET_DATA_CLASS_CSR : a->size;
	const unsigned form = et_data_form(c, k.format, k.subformat);

	if (is_reported(c, a, form)) {
		choose(&k, p, form);
		remember(&k, p);
	}
	remember_request(c, a);
	return HS_OK;
}
