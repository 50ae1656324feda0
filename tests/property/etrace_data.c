/* decode(encode(x)) = x for data trace: random accesses, widths and options, unified and split,
 * with synchronisation and loss; and packets of random or damaged bytes. */
#include "cases.h"

#include <hartscope/etrace.h>

#include "core/access.h"
#include "etrace/etrace_data.h"
#include "property/campaign.h"
#include "property/randprog.h"

#define ACCESSES 200

static struct {
	struct hs_et_data_config config;
	struct hs_et_data_coder encoder, decoder;
	struct hs_access request[256]; /* by lrid */
	bool open[256];
	uint64_t address; /* near the last one, as those of a program are */
} *t;

static uint64_t accesses_seen, bytes_seen, lost_seen, unknown_seen;

static uint64_t low(uint64_t v, unsigned bits)
{
	return bits >= 64 ? v : v & ((UINT64_C(1) << bits) - 1);
}

static unsigned data_width(void)
{
	return t->config.data_width ? t->config.data_width : 64;
}

static unsigned csr_width(void)
{
	return t->config.csr_width ? t->config.csr_width : 64;
}

static void random_config(struct rng *r)
{
	struct hs_et_data_config *c = &t->config;

	*c = (struct hs_et_data_config){ .size = sizeof *c };
	c->split = rng_one_in(r, 2);
	c->mmacas_ext = rng_one_in(r, 2);
	c->dtype_width = c->mmacas_ext ? (uint8_t)rng_below(r, 5) : 0;
	c->full_data = rng_one_in(r, 6);
	c->load_store = !c->split && !c->mmacas_ext && rng_one_in(r, 4);
	switch (rng_below(r, 4)) {
	case 0: c->no_data = 1; break;
	case 1: c->no_address = 1; break;
	default: break;
	}
	c->data_width = (uint8_t[]){ 0, 8, 16, 32, 64, 64 }[rng_below(r, 6)];
	c->daddress_width = rng_one_in(r, 2) ? 0 : (uint8_t)(8 + rng_below(r, 57));
	c->lrid_width = c->split ? (uint8_t)rng_below(r, HS_ET_LRID_MAX + 1) : 0;
	c->csr_width = (uint8_t[]){ 0, 32, 64 }[rng_below(r, 3)];
	c->compression = (uint8_t)rng_below(r, 3);
	c->narrow_diff = c->compression && rng_one_in(r, 2);
	c->csr_subtype_width = (uint8_t[]){ 0, 2, 3 }[rng_below(r, 3)];
	c->csr_diff = rng_one_in(r, 2);
	c->full_address = rng_one_in(r, 6);
	c->sc_failures = rng_one_in(r, 2);
}

/* Values as programs have them: small, near the last one, with a sign, or anything. */
static uint64_t random_value(struct rng *r, unsigned bits)
{
	static uint64_t last;

	switch (rng_below(r, 5)) {
	case 0: last = rng_below(r, 256); break;
	case 1: last = 0 - (uint64_t)rng_below(r, 256); break;
	case 2: last += rng_below(r, 9); break;
	case 3: last ^= UINT64_C(1) << rng_below(r, 64); break;
	default: last = rng_next(r); break;
	}
	return low(last, bits);
}

static uint64_t random_address(struct rng *r, unsigned size)
{
	const unsigned width = t->config.daddress_width ? t->config.daddress_width : 64;

	t->address = rng_one_in(r, 8) ? rng_next(r) : t->address + rng_below(r, 65) - 32;
	if (rng_below(r, 8)) /* aligned */
		t->address &= ~(((uint64_t)1 << size) - 1);
	const uint64_t v = low(t->address, width);

	/* As the hart sees it: more than 32 bits have a sign (etrace.h). */
	return width > 32 && width < 64 && v >> (width - 1) ? v | ~low(UINT64_MAX, width) : v;
}

static unsigned random_size(struct rng *r)
{
	unsigned sizes = 1;

	while (8u << sizes <= data_width())
		sizes++;
	return rng_below(r, sizes);
}

static bool is_failure(unsigned type)
{
	return type == HS_ACCESS_SC_FAILED || type == HS_ACCESS_CAS_FAILED;
}

/* Can packets of this configuration have it? */
static bool has_packet(unsigned type)
{
	const struct hs_et_data_config *c = &t->config;

	if (c->mmacas_ext)
		return type >> (c->dtype_width ? c->dtype_width : 4) == 0;
	return type != HS_ACCESS_CAS_FAILED && (!c->load_store || type <= HS_ACCESS_MULTI_STORE);
}

static void random_type(struct rng *r, struct hs_access *a)
{
	static const uint8_t types[] = {
		HS_ACCESS_LOAD, HS_ACCESS_LOAD, HS_ACCESS_LOAD, HS_ACCESS_STORE, HS_ACCESS_STORE,
		HS_ACCESS_CSR_RW, HS_ACCESS_CSR_RS, HS_ACCESS_CSR_RC, HS_ACCESS_SWAP, HS_ACCESS_ADD,
		HS_ACCESS_AND, HS_ACCESS_OR, HS_ACCESS_XOR, HS_ACCESS_MAX, HS_ACCESS_MIN,
		HS_ACCESS_SC_FAILED, HS_ACCESS_CAS_FAILED, HS_ACCESS_MULTI_LOAD,
		HS_ACCESS_MULTI_STORE,
	};

	do
		a->type = types[rng_below(r, sizeof types)];
	while (!has_packet(a->type) || (t->config.load_store && a->type > HS_ACCESS_STORE));
	const unsigned csr_size = csr_width() == 64 ? 3 : 2;

	a->size = (uint8_t)(hs_access_is_csr(a->type) ? csr_size : random_size(r));
}

static struct hs_access random_access(struct rng *r)
{
	struct hs_access a = { .known = HS_ACCESS_HAS_ADDRESS };

	random_type(r, &a);
	const bool csr = hs_access_is_csr(a.type), atomic = hs_access_is_atomic(a.type);
	const unsigned bits = 8u << a.size;

	a.address = csr ? rng_below(r, 4096) : random_address(r, a.size);
	if (atomic)
		a.address &= ~(((uint64_t)1 << a.size) - 1);
	if (a.type == HS_ACCESS_SC_FAILED)
		return a;
	if (a.type != HS_ACCESS_CAS_FAILED) {
		a.data = random_value(r, bits);
		a.known |= HS_ACCESS_HAS_DATA;
	}
	if ((csr && a.address < 0xc00) || atomic) {
		a.operand = random_value(r, bits);
		a.known |= HS_ACCESS_HAS_OPERAND;
	}
	return a;
}

/* A load or atomic becomes a request; its response comes later, when it has an id again. */
static void split_access(struct rng *r, struct hs_access *a)
{
	const uint16_t id = (uint16_t)rng_below(r, 1u << t->config.lrid_width);

	if (t->open[id]) {
		*a = t->request[id];
		t->open[id] = false;
		a->phase = HS_ACCESS_RESPONSE;
		a->operand = 0;
		a->known = HS_ACCESS_HAS_ADDRESS;
		a->known |= rng_one_in(r, 10) ? HS_ACCESS_HAS_ERROR : HS_ACCESS_HAS_DATA;
		a->data = a->known & HS_ACCESS_HAS_DATA ? random_value(r, 8u << a->size) : 0;
		return;
	}
	a->id = id;
	a->phase = HS_ACCESS_REQUEST;
	a->data = 0;
	a->known &= (uint8_t)~HS_ACCESS_HAS_DATA;
	t->request[id] = *a;
	t->open[id] = a->type != HS_ACCESS_SC_FAILED;
}

/* Is it in the trace? */
static bool is_reported(const struct hs_access *a)
{
	const struct hs_et_data_config *c = &t->config;

	if (is_failure(a->type))
		return c->sc_failures || (c->mmacas_ext ? !c->no_address : c->no_data);
	if (a->phase == HS_ACCESS_RESPONSE && c->no_data)
		return false;
	if (c->mmacas_ext)
		return !c->no_address || !hs_access_is_load(a->type) ||
		       (a->phase != HS_ACCESS_REQUEST && !(a->known & HS_ACCESS_HAS_ERROR));
	return a->phase == HS_ACCESS_RESPONSE ||
	       !(a->phase == HS_ACCESS_REQUEST && hs_access_is_load(a->type) && c->no_address);
}

/* What the decoder must know of it. */
static unsigned carried(const struct hs_access *a)
{
	const struct hs_et_data_config *c = &t->config;
	unsigned known = a->known;
	const bool request_has = c->mmacas_ext ? is_failure(a->type)
	                                       : hs_access_is_atomic(a->type) && c->split &&
	                                                 !c->no_data;

	if (c->no_data)
		known &= ~(unsigned)(HS_ACCESS_HAS_DATA | HS_ACCESS_HAS_OPERAND);
	if (c->no_address && !hs_access_is_csr(a->type) && !request_has)
		known &= ~(unsigned)HS_ACCESS_HAS_ADDRESS;
	return known;
}

/* The type and phase of what packets say. */
static struct hs_access as_said(const struct hs_access *a)
{
	const struct hs_et_data_config *c = &t->config;
	struct hs_access said = *a;

	if (!c->mmacas_ext && hs_access_is_load(a->type))
		said.type = HS_ACCESS_LOAD;
	else if (!c->mmacas_ext && hs_access_is_store(a->type))
		said.type = HS_ACCESS_STORE;
	/* "the appropriate unified packet format will be used" (ET Data Trace) */
	if (c->mmacas_ext && (c->no_data || is_failure(a->type) ||
	                      (c->no_address && hs_access_is_load(a->type))))
		said.phase = HS_ACCESS_WHOLE;
	const bool has_id = said.phase &&
	                    (c->mmacas_ext || !c->no_data || said.type == HS_ACCESS_LOAD);

	said.id = has_id ? a->id : 0;
	return said;
}

static void compare(const struct hs_access *want, const struct hs_access *got, bool whole)
{
	const unsigned known = carried(want);
	const struct hs_access said = as_said(want);

	assert_int_equal(got->type, said.type);
	assert_int_equal(got->size, want->size);
	assert_int_equal(got->phase, said.phase);
	assert_int_equal(got->id, said.id);
	if (whole)
		assert_int_equal(got->known, known);
	else
		unknown_seen += got->known != known;
	assert_int_equal(got->known & ~known, 0);
	/* What it says is true, after a loss too. */
	assert_true(got->address == (got->known & HS_ACCESS_HAS_ADDRESS ? want->address : 0));
	assert_true(got->data == (got->known & HS_ACCESS_HAS_DATA ? want->data : 0));
	assert_true(got->operand == (got->known & HS_ACCESS_HAS_OPERAND ? want->operand : 0));
}

/* Bytes from an allocation of their exact size. */
static enum hs_status read_exactly(const uint8_t *bytes, unsigned n, struct hs_et_data_packet *p)
{
	uint8_t *copy = malloc(n + 1u);
	struct hs_span in = { copy + 1, n };

	assert_non_null(copy);
	memcpy(copy + 1, bytes, n);
	const enum hs_status s = hs_et_data_read(&t->decoder, &in, p);

	free(copy);
	return s;
}

/* One access there and back.  @lost: its packet does not arrive.  @whole: nothing was lost since
 * the last synchronisation. */
static void one_access(struct rng *r, bool lost, bool whole)
{
	struct hs_access a = random_access(r), got;
	struct hs_et_data_packet p, q;
	uint8_t bytes[HS_ET_DATA_PAYLOAD_MAX];
	const bool splits = hs_access_is_load(a.type) || hs_access_is_atomic(a.type);
	const bool over = t->config.mmacas_ext && is_failure(a.type);

	if (t->config.split && splits && !over)
		split_access(r, &a);
	assert_int_equal(hs_et_data_encode(&t->encoder, &a, &p), HS_OK);
	const unsigned n = hs_et_data_write(&t->encoder, &p, bytes);

	assert_int_equal(n != 0, is_reported(&a));
	accesses_seen++;
	bytes_seen += n;
	lost_seen += lost;
	if (n == 0 || lost)
		return;
	assert_int_equal(read_exactly(bytes, n, &q), HS_OK);
	assert_int_equal(q.form, p.form);
	assert_memory_equal(q.field, p.field, sizeof p.field);
	assert_int_equal(hs_et_data_decode(&t->decoder, &q, &got), HS_OK);
	compare(&a, &got, whole);
}

/* Both sides forget the requests: those that a loss hid can have no response. */
static void synchronise(bool lost)
{
	void (*const forget)(struct hs_et_data_coder *) = lost ? hs_et_data_lose : hs_et_data_sync;

	forget(&t->encoder);
	forget(&t->decoder);
	if (lost)
		memset(t->open, 0, sizeof t->open);
}

static void start(struct rng *r)
{
	random_config(r);
	memset(t->open, 0, sizeof t->open);
	t->address = rng_next(r);
	assert_int_equal(hs_et_data_init(&t->encoder, &t->config), HS_OK);
	assert_int_equal(hs_et_data_init(&t->decoder, &t->config), HS_OK);
}

static void one_case(uint64_t seed)
{
	struct rng r = rng_start(seed);
	const bool losses = rng_one_in(&r, 3);
	bool whole = true;

	start(&r);
	for (unsigned i = 0; i < ACCESSES; i++) {
		if (rng_one_in(&r, 20)) {
			synchronise(!whole);
			whole = true;
		}
		if (losses && rng_one_in(&r, 40)) {
			/* The decoder knows: the support packet says dloss. */
			one_access(&r, true, false);
			hs_et_data_sync(&t->decoder);
			whole = false;
			if (t->config.split) {
				synchronise(true);
				whole = true;
			}
			continue;
		}
		one_access(&r, false, whole);
	}
}

/* Any bytes: a packet or HS_E_FIELD, and what is a packet has an access, and is written as read. */
static void damaged_case(uint64_t seed)
{
	struct rng r = rng_start(seed);
	uint8_t bytes[HS_ET_DATA_PAYLOAD_MAX], again[HS_ET_DATA_PAYLOAD_MAX];
	struct hs_et_data_packet p, q;
	struct hs_access a;

	start(&r);
	for (unsigned i = 0; i < 100; i++) {
		const unsigned n = rng_below(&r, sizeof bytes + 1);

		for (unsigned k = 0; k < n; k++)
			bytes[k] = (uint8_t)rng_next(&r);
		if (read_exactly(bytes, n, &p) != HS_OK)
			continue;
		const unsigned m = hs_et_data_write(&t->decoder, &p, again);

		assert_true(m >= 1 && m <= n);
		assert_int_equal(read_exactly(again, m, &q), HS_OK);
		assert_memory_equal(p.field, q.field, sizeof p.field);
		assert_int_equal(hs_et_data_decode(&t->decoder, &p, &a), HS_OK);
		assert_int_equal(hs_access_check(&a), HS_OK);
	}
}

CAMPAIGN_WITH(there_and_back, t)
{
	campaign_run(2000, one_case);
	printf("# %llu accesses in %llu bytes; %llu lost, %llu not whole after them\n",
	       (unsigned long long)accesses_seen, (unsigned long long)bytes_seen,
	       (unsigned long long)lost_seen, (unsigned long long)unknown_seen);
}

CAMPAIGN_WITH(any_bytes, t)
{
	campaign_run(2000, damaged_case);
}
