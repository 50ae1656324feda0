/* Data trace of the MMA/CAS extension against a second reading of the text (ET MMA/CAS): what our
 * encoder writes the referee reads as the access it was, and what the referee writes, with any code
 * and length that the text allows, our decoder reads. */
#include "cases.h"

#include <hartscope/etrace.h>

#include "core/access.h"
#include "etrace/etrace_data.h"
#include "property/campaign.h"
#include "property/randprog.h"
#include "referee/etrace_data_referee.h"

#define ACCESSES 60

static struct {
	struct hs_et_data_config config;
	struct hs_et_data_coder encoder, decoder;
	struct data_referee reads, writes;
	struct data_access request[256];
	bool open[256];
	uint64_t near, value;
} * t;

static uint64_t accesses_seen, written_seen, kinds_seen[HS_ET_DATA_FORMS], types_seen[16];

static uint64_t low(uint64_t v, unsigned bits)
{
	return bits >= 64 ? v : v & ((UINT64_C(1) << bits) - 1);
}

static void random_config(struct rng *r)
{
	struct hs_et_data_config *c = &t->config;
	struct data_parameters *p = &t->reads.p;

	*p = (struct data_parameters){
		.dtype_width = 1 + rng_below(r, 4),
		.data_width = (unsigned[]){ 8, 16, 32, 64, 64 }[rng_below(r, 5)],
		.daddress_width = rng_one_in(r, 2) ? 64 : 8 + rng_below(r, 57),
		.csr_width = rng_one_in(r, 2) ? 32 : 64,
		.split = rng_one_in(r, 2),
	};
	p->no_value = rng_one_in(r, 3);
	p->no_addr = !p->no_value && rng_one_in(r, 3);
	p->lrid_width = p->split ? rng_below(r, HS_ET_LRID_MAX + 1) : 0;
	const unsigned compression = rng_below(r, 3);

	p->short_diff = rng_one_in(r, 2) ? compression : 0;
	*c = (struct hs_et_data_config){
		.size = sizeof(*c),
		.mmacas_ext = 1,
		.dtype_width = (uint8_t)p->dtype_width,
		.data_width = (uint8_t)p->data_width,
		.daddress_width = (uint8_t)p->daddress_width,
		.lrid_width = (uint8_t)p->lrid_width,
		.csr_width = (uint8_t)p->csr_width,
		.split = p->split,
		.no_data = p->no_value,
		.no_address = p->no_addr,
		.compression = (uint8_t)compression,
		.narrow_diff = p->short_diff != 0,
		.sc_failures = rng_one_in(r, 2),
	};
	/* members of the packets of 2.0, which mean nothing here */
	c->csr_subtype_width = (uint8_t)(rng_one_in(r, 2) ? 2 : 3);
	c->csr_diff = rng_one_in(r, 2);
	t->writes.p = *p;
}

static uint64_t random_value(struct rng *r, unsigned bits)
{
	switch (rng_below(r, 5)) {
	case 0:
		t->value = rng_below(r, 256);
		break;
	case 1:
		t->value = 0 - (uint64_t)rng_below(r, 256);
		break;
	case 2:
		t->value += rng_below(r, 9);
		break;
	case 3:
		t->value ^= UINT64_C(1) << rng_below(r, 64);
		break;
	default:
		t->value = rng_next(r);
		break;
	}
	return low(t->value, bits);
}

static bool is_csr(const struct data_access *a)
{
	return a->dtype >= 4 && a->dtype <= 6;
}

static bool is_failure(const struct data_access *a)
{
	return a->dtype == 7 || a->dtype == 15;
}

static uint64_t random_address(struct rng *r, const struct data_access *a)
{
	const unsigned width = t->reads.p.daddress_width;

	if (is_csr(a))
		return rng_below(r, 4096);
	t->near = rng_one_in(r, 8) ? rng_next(r) : t->near + rng_below(r, 65) - 32;
	if (a->dtype > 3 || rng_below(r, 8))
		t->near &= ~(((uint64_t)1 << a->size) - 1);
	const uint64_t v = low(t->near, width);

	return width > 32 && width < 64 && v >> (width - 1) ? v | ~low(UINT64_MAX, width) : v;
}

static struct data_access random_access(struct rng *r)
{
	struct data_access a = { .has_address = true };
	unsigned sizes = 1;

	a.dtype = rng_below(r, 1u << t->reads.p.dtype_width);
	while (8u << sizes <= t->reads.p.data_width)
		sizes++;
	a.size = is_csr(&a) ? (t->reads.p.csr_width == 64 ? 3 : 2) : rng_below(r, sizes);
	a.address = random_address(r, &a);
	a.has_data = !is_failure(&a);
	a.has_operand = (is_csr(&a) && a.address < 0xc00) || (a.dtype > 6 && a.dtype != 15);
	a.data = a.has_data ? random_value(r, 8u << a.size) : 0;
	a.operand = a.has_operand ? random_value(r, 8u << a.size) : 0;
	return a;
}

/* A load or atomic in two phases, whose response comes when its lrid is drawn again. */
static void split_access(struct rng *r, struct data_access *a)
{
	const unsigned lrid = rng_below(r, 1u << t->reads.p.lrid_width);

	if (t->open[lrid]) {
		*a = t->request[lrid];
		t->open[lrid] = false;
		a->phase = DATA_RESPONSE;
		a->has_operand = false;
		a->operand = 0;
		a->error = rng_one_in(r, 10);
		a->has_data = !a->error;
		a->data = a->has_data ? random_value(r, 8u << a->size) : 0;
		return;
	}
	a->lrid = lrid;
	a->phase = DATA_REQUEST;
	a->has_data = false;
	a->data = 0;
	t->request[lrid] = *a;
	t->open[lrid] = true;
}

static struct hs_access as_ours(const struct data_access *a)
{
	return (struct hs_access){
		.type = (uint8_t)a->dtype,
		.size = (uint8_t)a->size,
		.id = (uint16_t)a->lrid,
		.phase = (uint8_t)a->phase,
		.address = a->address,
		.data = a->data,
		.operand = a->operand,
		.known = (uint8_t)(a->has_address * HS_ACCESS_HAS_ADDRESS |
		                   a->has_data * HS_ACCESS_HAS_DATA |
		                   a->has_operand * HS_ACCESS_HAS_OPERAND |
		                   a->error * HS_ACCESS_HAS_ERROR),
	};
}

/* What a decoder can know of it: the text leaves out what it is configured to leave out. */
static struct hs_access said_of(const struct data_access *a)
{
	const struct data_parameters *p = &t->reads.p;
	struct data_access said = *a;

	if (p->no_value || is_failure(a) ||
	    (p->no_addr && a->dtype < 4)) { /* one phase is enough */
		said.phase = DATA_WHOLE;
		said.lrid = 0;
	}
	if (p->no_value)
		said.has_data = said.has_operand = false;
	if (p->no_addr && !is_csr(a) && !is_failure(a))
		said.has_address = false;
	said.data = said.has_data ? a->data : 0;
	said.operand = said.has_operand ? a->operand : 0;
	said.address = said.has_address ? a->address : 0;
	return as_ours(&said);
}

static bool is_reported(const struct data_access *a)
{
	const struct data_parameters *p = &t->reads.p;
	const bool load = a->dtype == 0 || a->dtype == 2;

	if (is_failure(a))
		return !p->no_addr || t->config.sc_failures;
	if (a->phase == DATA_RESPONSE && p->no_value)
		return false;
	return !(load && p->no_addr && (a->phase == DATA_REQUEST || a->error));
}

static void assert_same(const struct hs_access *a, const struct hs_access *b)
{
	assert_int_equal(a->type, b->type);
	assert_int_equal(a->size, b->size);
	assert_int_equal(a->phase, b->phase);
	assert_int_equal(a->id, b->id);
	assert_int_equal(a->known, b->known);
	assert_true(a->address == b->address);
	assert_true(a->data == b->data);
	assert_true(a->operand == b->operand);
}

static void ours_is_read(const struct data_access *a)
{
	const struct hs_access in = as_ours(a), want = said_of(a);
	uint8_t bytes[HS_ET_DATA_PAYLOAD_MAX];
	struct hs_et_data_packet p;
	struct data_access got;

	assert_int_equal(hs_et_data_encode(&t->encoder, &in, &p), HS_OK);
	const unsigned n = hs_et_data_write(&t->encoder, &p, bytes);

	assert_int_equal(n != 0, is_reported(a));
	if (!n)
		return;
	kinds_seen[p.form]++;
	types_seen[a->dtype]++;
	assert_true(data_referee_read(&t->reads, bytes, n, &got));
	const struct hs_access read = as_ours(&got);

	assert_same(&read, &want);
}

static void theirs_is_read(struct rng *r, const struct data_access *a)
{
	const struct hs_access want = said_of(a);
	struct hs_et_data_packet p;
	struct hs_access got;
	uint8_t bytes[64];
	unsigned n = 0;

	for (unsigned try = 0; !n; try++) /* 0, or 2 of a response, is always legal */
		n = data_referee_write(&t->writes, a, try < 8 ? rng_below(r, 4) : try % 4,
		                       rng_one_in(r, 4) ? rng_below(r, 3) : 0, bytes);
	written_seen++;
	struct hs_span in = { bytes, n };

	assert_int_equal(hs_et_data_read(&t->decoder, &in, &p), HS_OK);
	assert_int_equal(hs_et_data_decode(&t->decoder, &p, &got), HS_OK);
	assert_same(&got, &want);
}

static void one_case(uint64_t seed)
{
	struct rng r = rng_start(seed);

	memset(t, 0, sizeof(*t));
	random_config(&r);
	t->near = rng_next(&r);
	assert_int_equal(hs_et_data_init(&t->encoder, &t->config), HS_OK);
	assert_int_equal(hs_et_data_init(&t->decoder, &t->config), HS_OK);
	for (unsigned i = 0; i < ACCESSES; i++) {
		struct data_access a = random_access(&r);
		const bool splits = a.dtype == 0 || a.dtype == 2 || (a.dtype >= 8 && a.dtype < 15);

		if (t->reads.p.split && splits)
			split_access(&r, &a);
		ours_is_read(&a);
		if (is_reported(&a))
			theirs_is_read(&r, &a);
		accesses_seen++;
		if (rng_one_in(&r, 20)) {
			hs_et_data_sync(&t->encoder);
			hs_et_data_sync(&t->decoder);
			data_referee_synchronise(&t->reads);
			data_referee_synchronise(&t->writes);
		}
	}
}

/* Any bytes: both refuse them, or both read the same access. */
static void any_case(uint64_t seed)
{
	struct rng r = rng_start(seed);

	memset(t, 0, sizeof(*t));
	random_config(&r);
	assert_int_equal(hs_et_data_init(&t->decoder, &t->config), HS_OK);
	for (unsigned i = 0; i < ACCESSES; i++) {
		uint8_t bytes[HS_ET_DATA_PAYLOAD_MAX];
		const unsigned n = 1 + rng_below(&r, sizeof bytes);
		struct hs_span in = { bytes, n };
		struct hs_et_data_packet p;
		struct data_access theirs;
		struct hs_access ours;

		for (unsigned k = 0; k < n; k++)
			bytes[k] = (uint8_t)rng_next(&r);
		const bool reads = data_referee_read(&t->reads, bytes, n, &theirs);

		assert_int_equal(hs_et_data_read(&t->decoder, &in, &p), reads ? HS_OK : HS_E_FIELD);
		if (!reads)
			continue;
		assert_int_equal(hs_et_data_decode(&t->decoder, &p, &ours), HS_OK);
		const struct hs_access want = as_ours(&theirs);

		assert_same(&ours, &want);
		kinds_seen[p.form]++;
	}
}

CAMPAIGN_WITH(two_readings, t)
{
	const uint64_t cases = campaign_run(2000, one_case);

	printf("# %llu accesses, %llu packets of the referee\n", (unsigned long long)accesses_seen,
	       (unsigned long long)written_seen);
	if (cases < 1000)
		return;
	for (unsigned f = HS_ET_DATA_REVISED_ACCESS; f < HS_ET_DATA_FORMS; f++)
		assert_true(kinds_seen[f] > 0);
	for (unsigned type = 0; type < 16; type++)
		assert_true(types_seen[type] > 0);
}

CAMPAIGN_WITH(any_bytes, t)
{
	campaign_run(2000, any_case);
}
