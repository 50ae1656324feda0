/* Rows of data trace packets, worked by hand: the layout as written, encoded, decoded, and cut at
 * each byte (tests/unit/etrace_data.c, etrace_data_mmacas.c). */
#ifndef TESTS_UNIT_ET_DATA_ROWS_H
#define TESTS_UNIT_ET_DATA_ROWS_H

#include "cases.h"

#include <hartscope/etrace.h>

#include "core/access.h"
#include "etrace/etrace_data.h"

#define C(...) \
	{ \
		.size = sizeof(struct hs_et_data_config), __VA_ARGS__ \
	}
#define ADDRESS HS_ACCESS_HAS_ADDRESS
#define DATA HS_ACCESS_HAS_DATA
#define OPERAND HS_ACCESS_HAS_OPERAND
#define BOTH (ADDRESS | DATA)
#define ALL (ADDRESS | DATA | OPERAND)
#define ACCESS(t, sz, addr, value) \
	{ \
		.type = t, .size = sz, .address = addr, .data = value, .known = BOTH \
	}
#define LOAD(sz, addr, value) ACCESS(HS_ACCESS_LOAD, sz, addr, value)
#define STORE(sz, addr, value) ACCESS(HS_ACCESS_STORE, sz, addr, value)
#define PLACE(t, sz, addr) \
	{ \
		.type = t, .size = sz, .address = addr, .known = ADDRESS \
	}
#define VALUE(t, sz, value) \
	{ \
		.type = t, .size = sz, .data = value, .known = DATA \
	}
#define OPERATION(t, sz, addr, value, op) \
	{ \
		.type = t, .size = sz, .address = addr, .data = value, .operand = op, .known = ALL \
	}
#define REQUEST(t, sz, lrid, addr, op, has) \
	{ \
		.type = t, .size = sz, .id = lrid, .address = addr, .operand = op, \
		.phase = HS_ACCESS_REQUEST, .known = has \
	}
#define RESPONSE(t, sz, lrid, addr, value, has) \
	{ \
		.type = t, .size = sz, .id = lrid, .address = addr, .data = value, \
		.phase = HS_ACCESS_RESPONSE, .known = has \
	}

/* The last access of a row is the one whose packet is given: its fields in wire order, WIDTH=VALUE,
 * and its bytes. */
struct row {
	const char *name;
	struct hs_et_data_config config;
	unsigned n;
	struct hs_access in[3];
	uint8_t form;
	const char *fields;
	unsigned length;
	uint8_t bytes[HS_ET_DATA_PAYLOAD_MAX];
};

/* ---- the layout as written ---------------------------------------------------------- */

/* Pack "WIDTH=VALUE ..." least significant bit first; the bytes at the end that repeat the sign are
 * not there (ET Payload). */
static unsigned pack(const char *fields, uint8_t out[64])
{
	unsigned at = 0, sign = 0;

	memset(out, 0, 64);
	for (const char *p = fields; *p;) {
		char *end;
		const unsigned width = (unsigned)strtoul(p, &end, 10);
		const uint64_t v = strtoull(end + 1, &end, 0);

		for (unsigned i = 0; i < width; i++, at++) {
			sign = v >> i & 1;
			out[at / 8] |= (uint8_t)(sign << at % 8);
		}
		for (p = end; *p == ' ';)
			p++;
	}
	for (; at % 8; at++)
		out[at / 8] |= (uint8_t)(sign << at % 8);
	unsigned n = at / 8;
	while (n > 1 && out[n - 1] == (out[n - 2] & 0x80 ? 0xff : 0))
		n--;
	return n;
}

static void layout(void **state)
{
	const struct row *r = *state;
	uint8_t bytes[64];

	if (r->length == 0)
		return;
	assert_int_equal(pack(r->fields, bytes), r->length);
	assert_memory_equal(bytes, r->bytes, r->length);
}

/* ---- encoding and decoding ----------------------------------------------------------- */

static bool same(const struct hs_access *a, const struct hs_access *b)
{
	return a->address == b->address && a->data == b->data && a->operand == b->operand &&
	       a->id == b->id && a->type == b->type && a->size == b->size && a->phase == b->phase &&
	       a->known == b->known;
}

/* What a configuration leaves out is not known at the other side. */
static struct hs_access expected(const struct row *r, unsigned i)
{
	struct hs_access a = r->in[i];
	const bool csr = hs_access_is_csr(a.type);

	const bool failure = a.type == HS_ACCESS_SC_FAILED || a.type == HS_ACCESS_CAS_FAILED;
	const struct hs_et_data_config *c = &r->config;

	if (c->no_data)
		a.known &= (uint8_t) ~(DATA | OPERAND);
	if (c->no_address && !csr && !(c->mmacas_ext && failure))
		a.known &= (uint8_t)~ADDRESS;
	if (c->mmacas_ext && (c->no_data || (c->no_address && hs_access_is_load(a.type)))) {
		a.phase =
			HS_ACCESS_WHOLE; /* "the appropriate unified packet format will be used" */
		a.id = 0;
	}
	return a;
}

static void encode(void **state)
{
	const struct row *r = *state;
	struct hs_et_data_coder encoder, decoder;
	struct hs_et_data_packet p, q;
	uint8_t bytes[HS_ET_DATA_PAYLOAD_MAX];
	unsigned n = 0;

	assert_int_equal(hs_et_data_init(&encoder, &r->config), HS_OK);
	assert_int_equal(hs_et_data_init(&decoder, &r->config), HS_OK);
	for (unsigned i = 0; i < r->n; i++) {
		const struct hs_access want = expected(r, i);
		struct hs_access got;

		assert_int_equal(hs_et_data_encode(&encoder, &r->in[i], &p), HS_OK);
		n = hs_et_data_write(&encoder, &p, bytes);
		if (n == 0)
			continue;
		struct hs_span in = { bytes, n };

		assert_int_equal(hs_et_data_read(&decoder, &in, &q), HS_OK);
		assert_int_equal(in.n, 0);
		assert_int_equal(q.form, p.form);
		assert_int_equal(q.present, p.present);
		assert_int_equal(hs_et_data_decode(&decoder, &q, &got), HS_OK);
		assert_true(same(&got, &want));
	}
	assert_int_equal(p.form, r->form);
	assert_true(r->form != HS_ET_DATA_NONE || !p.present);
	assert_int_equal(n, r->length);
	assert_memory_equal(bytes, r->bytes, n);
}

/* Each piece is an allocation of its exact size,
so that a sanitizer sees over-reads.  A packet that
 * lacks bytes reads as if its sign went on: it is never more than that,
 and a byte more is refused. */
static void cut(void **state)
{
	const struct row *r = *state;
	struct hs_et_data_coder c;
	struct hs_et_data_packet p;

	assert_int_equal(hs_et_data_init(&c, &r->config), HS_OK);
	for (unsigned i = 0; i + 1 < r->n; i++)
		assert_int_equal(hs_et_data_encode(&c, &r->in[i], &p), HS_OK);
	for (unsigned n = 0; n < r->length; n++) {
		uint8_t *piece = malloc(n + 1u);
		struct hs_span in = { piece + 1, n };

		assert_non_null(piece);
		memcpy(piece + 1, r->bytes, n);
		const enum hs_status s = hs_et_data_read(&c, &in, &p);

		assert_true(n ? s == HS_OK || s == HS_E_FIELD : s == HS_E_FIELD);
		assert_int_equal(in.n, s == HS_OK ? 0 : n);
		free(piece);
	}
}

/* ---- packets that are refused ------------------------------------------------------------ */

struct fault {
	const char *name;
	struct hs_et_data_config config;
	const char *fields;
	unsigned bit; /* at fault */
};

static void is_refused(void **state)
{
	const struct fault *f = *state;
	struct hs_et_data_coder c;
	struct hs_et_data_packet p;
	uint8_t bytes[64];
	struct hs_span in = { bytes, pack(f->fields, bytes) };

	assert_int_equal(hs_et_data_init(&c, &f->config), HS_OK);
	assert_int_equal(hs_et_data_read(&c, &in, &p), HS_E_FIELD);
	assert_int_equal(p.bits, f->bit);
}

/* ---- cases ----------------------------------------------------------------------------- */

static void add_cases(const struct row *rows, size_t n)
{
	static const struct {
		const char *name;
		CMUnitTestFunction f;
	} kinds[] = {
		{ "layout", layout },
		{ "encode", encode },
		{ "cut", cut },
	};
	char name[128];

	for (size_t i = 0; i < n; i++)
		for (size_t k = 0; k < COUNT_OF(kinds); k++) {
			snprintf(name, sizeof name, "%s: %s", kinds[k].name, rows[i].name);
			test_add(name, kinds[k].f, &rows[i]);
		}
}

#endif
