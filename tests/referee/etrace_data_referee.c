/* The second reading of the MMA/CAS extension's data packets.  Names are those of the text. */
#include "referee/etrace_data_referee.h"

#include <string.h>

/* ---- the tables of the text: field and bits, in wire order --------------------------------- */

/* "n" bits, or: F format, Z size, L lrid, D 1 or 2, O 8 * (op_len + 1), N 8 * (data_len + 1), W
 * data_width_p, A daddress_width_p, S as many bits as size says, C 2 or 3 */
enum table {
	NO_TABLE,
	UNIFIED,
	UNIFIED_ADDRESS,
	UNIFIED_DATA,
	SPLIT_REQUEST,
	DATA_PHASE,
	ATOMIC,
	CAS_FAILURE,
	ATOMIC_ADDRESS,
	ATOMIC_DATA,
	SPLIT_ATOMIC,
	SPLIT_ATOMIC_OPERAND,
	CSR,
	CSR_ADDRESS
};
static const char *const tables[] = {
	[NO_TABLE] = "",
	[UNIFIED] = "format F subformat 2 size Z diff 2 data_len S data N address A ",
	[UNIFIED_ADDRESS] = "format F subformat 2 size Z diff 1 address A ",
	[UNIFIED_DATA] = "format F subformat 2 size Z diff D data W ",
	[SPLIT_REQUEST] = "format 2 subformat 2 size Z lrid L diff 1 address A ",
	[DATA_PHASE] = "format 2 size Z lrid L resp 2 data W ",
	[ATOMIC] = "format 2 subformat 4 size Z diff 2 op_len S operand O data_len S data N "
		   "address A ",
	[CAS_FAILURE] = "format 2 subformat 4 size Z diff 2 op_len S operand O address A ",
	[ATOMIC_ADDRESS] = "format 2 subformat 4 size Z diff 1 address A ",
	[ATOMIC_DATA] = "format 2 subformat 4 size Z diff D op_len S operand O data W ",
	[SPLIT_ATOMIC] = "format 2 subformat 4 size Z lrid L diff 2 op_len S operand O address A ",
	[SPLIT_ATOMIC_OPERAND] = "format 2 subformat 4 size Z lrid L diff 2 operand W ",
	[CSR] = "format 2 subformat 4 diff D data_len C data N addr_msbs 6 op_len C operand O "
		"addr_lsbs 6 ",
	[CSR_ADDRESS] = "format 2 subformat 4 diff 1 addr_msbs 6 addr_lsbs 6 ",
};

struct te_data {
	uint64_t format, subformat, size, lrid, diff, resp, op_len, operand, data_len, data,
		address, addr_msbs, addr_lsbs;
};

static uint64_t *named(struct te_data *te, const char *name, size_t n)
{
	const struct {
		const char *name;
		uint64_t *value;
	} all[] = {
		{ "format", &te->format },       { "subformat", &te->subformat },
		{ "size", &te->size },           { "lrid", &te->lrid },
		{ "diff", &te->diff },           { "resp", &te->resp },
		{ "op_len", &te->op_len },       { "operand", &te->operand },
		{ "data_len", &te->data_len },   { "data", &te->data },
		{ "address", &te->address },     { "addr_msbs", &te->addr_msbs },
		{ "addr_lsbs", &te->addr_lsbs },
	};

	for (unsigned i = 0; i < sizeof(all) / sizeof(*all); i++)
		if (strlen(all[i].name) == n && memcmp(all[i].name, name, n) == 0)
			return all[i].value;
	return NULL;
}

static unsigned clog2(unsigned v)
{
	unsigned n = 0;

	while (1u << n < v)
		n++;
	return n;
}

static unsigned format_bits(const struct data_parameters *p)
{
	return p->split ? 2 : clog2(p->dtype_width);
}

static unsigned size_bits(const struct data_parameters *p)
{
	const unsigned n = clog2(clog2(p->data_width / 8 + 1));

	return n > 1 ? n : 1;
}

static unsigned bits_of(const struct data_parameters *p, const struct te_data *te, char width)
{
	switch (width) {
	case 'F':
		return format_bits(p);
	case 'Z':
		return size_bits(p);
	case 'L':
		return p->lrid_width;
	case 'D':
		return p->short_diff ? 1 : 2;
	case 'O':
		return 8 * ((unsigned)te->op_len + 1);
	case 'N':
		return 8 * ((unsigned)te->data_len + 1);
	case 'W':
		return p->data_width;
	case 'A':
		return p->daddress_width;
	case 'S':
		return (unsigned)te->size;
	case 'C':
		return p->csr_width == 64 ? 3 : 2;
	default:
		return (unsigned)(width - '0');
	}
}

/* ---- which table -------------------------------------------------------------------- */

static enum table table_of_atomic(const struct data_parameters *p, unsigned dtype)
{
	if (p->no_value || dtype == 15)
		return ATOMIC_ADDRESS;
	if (dtype == 7)
		return CAS_FAILURE;
	if (p->split)
		return p->no_addr ? SPLIT_ATOMIC_OPERAND : SPLIT_ATOMIC;
	return p->no_addr ? ATOMIC_DATA : ATOMIC;
}

static enum table table_of(const struct data_parameters *p, uint64_t format, uint64_t subformat)
{
	if (format == 3)
		return p->split && !p->no_value ? DATA_PHASE : NO_TABLE;
	if (format == 2 && (subformat < 4 || subformat >= 1u << p->dtype_width))
		return NO_TABLE;
	if (format == 2 && subformat < 7)
		return p->no_value ? CSR_ADDRESS : CSR;
	if (format == 2)
		return table_of_atomic(p, (unsigned)subformat);
	if (2 * format + subformat / 2 >= 1u << p->dtype_width)
		return NO_TABLE;
	if (p->no_value)
		return UNIFIED_ADDRESS;
	if (p->no_addr)
		return UNIFIED_DATA;
	return p->split && subformat < 2 ? SPLIT_REQUEST : UNIFIED;
}

/* ---- bits --------------------------------------------------------------------------- */

struct wire {
	uint8_t bit[1024];
	unsigned n, at;
};

static uint64_t take_bits(struct wire *w, unsigned bits)
{
	uint64_t v = 0;

	for (unsigned i = 0; i < bits; i++, w->at++)
		v |= (uint64_t)w->bit[w->at < w->n ? w->at : w->n - 1] << i;
	return v;
}

static void put_bits(struct wire *w, uint64_t v, unsigned bits)
{
	for (unsigned i = 0; i < bits; i++)
		w->bit[w->n++] = v >> i & 1;
}

/* The value with all bits above @bits as the highest of these. */
static uint64_t extend(uint64_t v, unsigned bits)
{
	for (unsigned i = bits; i < 64; i++)
		v = (v & ~(UINT64_C(1) << i)) | (v >> (bits - 1) & 1) << i;
	return v;
}

static uint64_t cut(uint64_t v, unsigned bits)
{
	for (unsigned i = bits; i < 64; i++)
		v &= ~(UINT64_C(1) << i);
	return v;
}

/* Read, or write, the fields of a table.  A response that is an error has no data; a CSR whose
 * address is read only (addr[11:10] = 11) has no operand. */
static void walk(const struct data_parameters *p, enum table t, struct wire *w, struct te_data *te,
                 bool writes)
{
	const char *fields = tables[t];

	while (*fields) {
		const char *blank = strchr(fields, ' ');
		uint64_t *v = named(te, fields, (size_t)(blank - fields));
		const unsigned bits = bits_of(p, te, blank[1]);

		if (writes)
			put_bits(w, *v, bits);
		else
			*v = take_bits(w, bits);
		fields = blank + 3;
		if (v == &te->resp && te->resp == 0)
			break;
		if (v == &te->addr_msbs && te->addr_msbs >= 48 && strstr(fields, "operand"))
			fields = strstr(fields, "addr_lsbs");
	}
}

/* ---- what diff and resp mean -------------------------------------------------------- */

enum coding { NOTHING, FULL, XORED, DIFFERENTIAL };
struct meaning {
	bool reserved, differential_address;
	enum coding values; /* of data and operand */
};

static bool has(enum table t, const char *field)
{
	return strstr(tables[t], field) != NULL;
}

static struct meaning meaning_of(const struct data_parameters *p, enum table t, unsigned code)
{
	const bool values = has(t, "data N") || has(t, "data W") || has(t, "operand");

	if (t == DATA_PHASE)
		return (struct meaning){
			false, false, (enum coding[]){ NOTHING, XORED, FULL, DIFFERENTIAL }[code]
		};
	if (!values)
		return (struct meaning){ false, code == 1, NOTHING };
	if (has(t, "address"))
		return (struct meaning){ false, code != 0,
			                 (enum coding[]){ FULL, XORED, FULL, DIFFERENTIAL }[code] };
	if (has(t, "diff D") && p->short_diff)
		return (struct meaning){ false, false,
			                 code == 0            ? FULL
			                 : p->short_diff == 1 ? XORED
			                                      : DIFFERENTIAL };
	return (struct meaning){ code == 2, false,
		                 (enum coding[]){ FULL, XORED, NOTHING, DIFFERENTIAL }[code] };
}

static unsigned code_bits(const struct data_parameters *p, enum table t)
{
	return has(t, "diff 1") || (has(t, "diff D") && p->short_diff) ? 1 : 2;
}

/* ---- reading ------------------------------------------------------------------------ */

static bool is_csr(unsigned dtype)
{
	return dtype >= 4 && dtype <= 6;
}

/* The value of a field of @sent bits, for an access of @bits. */
static bool value_of(uint64_t field, unsigned sent, unsigned bits, enum coding coding,
                     uint64_t *before, bool *has_before, uint64_t *out)
{
	const uint64_t v = extend(field, sent);

	if (coding != FULL && !*has_before)
		return false;
	*out = cut(coding == FULL ? v : coding == XORED ? v ^ *before : v + *before, bits);
	*before = *out;
	*has_before = true;
	return true;
}

/* Addresses above 32 bits have a sign, those up to 32 have none. */
static uint64_t as_seen(const struct data_parameters *p, uint64_t v)
{
	return p->daddress_width > 32 ? extend(v, p->daddress_width) : cut(v, p->daddress_width);
}

static void read_address(struct data_referee *r, const struct te_data *te, bool aligned,
                         bool differs, unsigned class, struct data_access *a)
{
	uint64_t v = te->address;

	if (differs && !r->m.has_address[class])
		return;
	if (aligned && differs)
		v += r->m.address[class] >> te->size;
	if (aligned)
		v <<= te->size;
	else if (differs)
		v += r->m.address[class];
	a->address = r->m.address[class] = as_seen(&r->p, v);
	a->has_address = r->m.has_address[class] = true;
}

static void read_csr_address(struct data_referee *r, const struct te_data *te, bool differs,
                             struct data_access *a)
{
	const uint64_t v = te->addr_msbs * 64 + te->addr_lsbs;

	if (differs && !r->m.has_address[4])
		return;
	a->address = r->m.address[4] = cut(v + (differs ? r->m.address[4] : 0), 12);
	a->has_address = r->m.has_address[4] = true;
}

static void join(struct data_referee *r, struct data_access *a)
{
	struct data_access *asked = &r->m.request[a->lrid].access;

	if (r->m.request[a->lrid].open && asked->size == a->size) {
		a->dtype = asked->dtype;
		a->address = asked->address;
		a->has_address = asked->has_address;
	}
	r->m.request[a->lrid].open = false;
}

static void read_values(struct data_referee *r, enum table t, const struct te_data *te,
                        enum coding coding, unsigned class, struct data_access *a)
{
	const unsigned bits = 8u << a->size, wide = r->p.data_width;
	const bool read_only = t == CSR && te->addr_msbs >= 48;

	if (has(t, "operand") && !read_only)
		a->has_operand = value_of(
			te->operand, has(t, "op_len") ? 8 * ((unsigned)te->op_len + 1) : wide, bits,
			coding, &r->m.operand[class], &r->m.has_operand[class], &a->operand);
	if (has(t, " data ") && coding != NOTHING)
		a->has_data = value_of(
			te->data, has(t, "data_len") ? 8 * ((unsigned)te->data_len + 1) : wide,
			bits, coding, &r->m.data[class], &r->m.has_data[class], &a->data);
}

static struct data_access head_of(const struct data_referee *r, enum table t,
                                  const struct te_data *te)
{
	struct data_access a = { .size = (unsigned)te->size, .lrid = (unsigned)te->lrid };

	a.dtype = t == DATA_PHASE   ? 0
	          : te->format == 2 ? (unsigned)te->subformat
	                            : (unsigned)(2 * te->format + te->subformat / 2);
	if (is_csr(a.dtype))
		a.size = r->p.csr_width == 64 ? 3 : 2;
	a.phase = t == DATA_PHASE ? DATA_RESPONSE : has(t, "lrid") ? DATA_REQUEST : DATA_WHOLE;
	a.error = t == DATA_PHASE && te->resp == 0;
	return a;
}

bool data_referee_read(struct data_referee *r, const uint8_t *payload, unsigned n,
                       struct data_access *out)
{
	struct te_data te = { 0 };
	struct wire w = { .n = 8 * n };

	if (n == 0 || n > 64)
		return false;
	for (unsigned i = 0; i < w.n; i++)
		w.bit[i] = payload[i / 8] >> i % 8 & 1;
	te.format = take_bits(&w, format_bits(&r->p));
	te.subformat = te.format == 3 ? 0 : take_bits(&w, te.format == 2 ? 4 : 2);
	const enum table t = table_of(&r->p, te.format, te.subformat);

	if (t == NO_TABLE)
		return false;
	w.at = 0;
	walk(&r->p, t, &w, &te, false);
	const struct meaning means =
		meaning_of(&r->p, t, (unsigned)(t == DATA_PHASE ? te.resp : te.diff));

	if (means.reserved || 8u << te.size > r->p.data_width || w.at + 8 <= w.n)
		return false;
	*out = head_of(r, t, &te);
	const unsigned class = is_csr(out->dtype) ? 4 : out->size;

	if (t == DATA_PHASE)
		join(r, out);
	read_values(r, t, &te, means.values, class, out);
	if (has(t, " address"))
		read_address(r, &te, te.format == 2 || te.subformat % 2 == 0,
		             means.differential_address, class, out);
	if (has(t, "addr_lsbs"))
		read_csr_address(r, &te, means.differential_address, out);
	if (out->phase == DATA_REQUEST) {
		r->m.request[out->lrid].open = true;
		r->m.request[out->lrid].access = *out;
	}
	return true;
}

void data_referee_synchronise(struct data_referee *r)
{
	memset(r->m.has_address, 0, sizeof(r->m.has_address));
	memset(r->m.has_data, 0, sizeof(r->m.has_data));
	memset(r->m.has_operand, 0, sizeof(r->m.has_operand));
}

/* ---- writing ------------------------------------------------------------------------ */

/* Bytes, less 1, from which the sign gives the value back; @longer more, if the access has them. */
static uint64_t length_of(uint64_t v, unsigned bytes, unsigned longer)
{
	unsigned n = 1;

	while (n < bytes && extend(v, 8 * n) != v)
		n++;
	n += longer;
	return (n < bytes ? n : bytes) - 1;
}

static uint64_t to_send(uint64_t now, uint64_t before, enum coding coding, unsigned bits)
{
	return extend(cut(coding == XORED          ? now ^ before
	                  : coding == DIFFERENTIAL ? now - before
	                                           : now,
	                  bits),
	              bits);
}

/* The bits of an address that go into the field. */
static uint64_t address_to_send(const struct data_referee *r, const struct data_access *a,
                                bool aligned, bool differs)
{
	uint64_t v =
		extend(a->address - (differs ? r->m.address[a->size] : 0), r->p.daddress_width);

	for (unsigned i = 0; aligned && i < a->size; i++)
		v = v >> 1 | (v >> 63) << 63;
	return v;
}

static bool may_code(const struct data_referee *r, enum table t, struct meaning means,
                     const struct data_access *a, unsigned class)
{
	const bool csr = is_csr(a->dtype), read_only = csr && a->address >= 0xc00;
	const bool low_bits = cut(r->m.address[class], a->size ? a->size : 1) && a->size;
	const bool coded = means.values == XORED || means.values == DIFFERENTIAL;

	if (means.reserved || (t == DATA_PHASE && a->error != (means.values == NOTHING)))
		return false;
	if (means.differential_address && !r->m.has_address[class])
		return false;
	if (means.differential_address && !csr && low_bits && a->address % (1u << a->size) == 0)
		return false; /* from an address that is not aligned to one that is */
	if (coded && has(t, " data ") && !r->m.has_data[class])
		return false;
	return !(coded && has(t, "operand") && !read_only && !r->m.has_operand[class]);
}

static unsigned finish(const struct wire *w, uint8_t out[64])
{
	unsigned n = (w->n + 7) / 8;

	memset(out, 0, 64);
	for (unsigned i = 0; i < 8 * n; i++)
		out[i / 8] |= (uint8_t)(w->bit[i < w->n ? i : w->n - 1] << i % 8);
	while (n > 1 && out[n - 1] == (out[n - 2] & 0x80 ? 0xff : 0))
		n--;
	return n;
}

static void remember(struct data_referee *r, enum table t, const struct data_access *a,
                     unsigned class)
{
	if (has(t, " address") || has(t, "addr_lsbs")) {
		r->m.address[class] = a->address;
		r->m.has_address[class] = true;
	}
	if (has(t, " data ") && !a->error) {
		r->m.data[class] = a->data;
		r->m.has_data[class] = true;
	}
	if (has(t, "operand") && !(is_csr(a->dtype) && a->address >= 0xc00)) {
		r->m.operand[class] = a->operand;
		r->m.has_operand[class] = true;
	}
}

static void set_place(const struct data_referee *r, const struct data_access *a, struct te_data *te)
{
	const bool operation = a->dtype >= 4;
	const bool split_data = a->phase == DATA_RESPONSE && !(r->p.no_addr && !operation);
	const bool low_bits = a->has_address && a->address % (1u << a->size) != 0;

	te->format = split_data ? 3 : operation ? 2 : a->dtype / 2;
	te->subformat = operation ? a->dtype : a->dtype % 2 * 2 + low_bits;
	te->size = a->size;
	te->lrid = a->lrid;
}

unsigned data_referee_write(struct data_referee *r, const struct data_access *a, unsigned code,
                            unsigned longer, uint8_t out[64])
{
	const unsigned class = is_csr(a->dtype) ? 4 : a->size, bits = 8u << a->size;
	struct te_data te = { .diff = code, .resp = code };
	struct wire w = { .n = 0 };

	set_place(r, a, &te);
	const enum table t = table_of(&r->p, te.format, te.subformat);

	if (t == NO_TABLE || code >> code_bits(&r->p, t))
		return 0;
	const struct meaning means = meaning_of(&r->p, t, code);

	if (!may_code(r, t, means, a, class))
		return 0;
	te.data = to_send(a->data, r->m.data[class], means.values, bits);
	te.operand = to_send(a->operand, r->m.operand[class], means.values, bits);
	te.data_len = length_of(te.data, bits / 8, longer);
	te.op_len = length_of(te.operand, bits / 8, longer);
	te.address = address_to_send(r, a, a->dtype >= 4 || te.subformat % 2 == 0,
	                             means.differential_address);
	const uint64_t number =
		cut(a->address - (means.differential_address ? r->m.address[4] : 0), 12);

	te.addr_msbs = number / 64;
	te.addr_lsbs = number % 64;
	walk(&r->p, t, &w, &te, true);
	remember(r, t, a, class);
	return finish(&w, out);
}
