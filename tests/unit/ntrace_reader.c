/* Bytes to messages, against a slow reading of the text: MDO bit by bit, MSEO byte by byte
 * (NT 3.1), fields by their rows (NT 6.2).  Random streams, whole and in pieces of their exact
 * size. */
#include "cases.h"

#include <hartscope/ntrace.h>

#include "ntrace/nt_message.h"
#include "ntrace/nt_reader.h"

#define STREAMS 12000
#define BYTES_MAX 400
#define MESSAGES_MAX BYTES_MAX

struct item {
	enum hs_status status;
	struct hs_nt_msg msg;
	unsigned payload_bits;
	uint8_t payload[HS_NT_PAYLOAD_MAX];
};

struct items {
	struct item list[MESSAGES_MAX];
	size_t n;
	uint64_t idle;
	enum hs_status end;
};

/* ---- the slow reading ---------------------------------------------------------------- */

static const struct {
	uint8_t bits, limit;
} fields[] = {
#define HS_NT_FIELD(id, name, bits, limit, clause) { bits, limit },
#include <hartscope/tables/messages.def>
#undef HS_NT_FIELD
};

/* One message: byte i has the bits 6 * i to 6 * i + 5. */
struct slow {
	const uint8_t *p;
	unsigned bits, at;
	bool bad;
};

static unsigned mseo(const struct slow *s, unsigned bit)
{
	return s->p[bit / 6] & 3u;
}

static unsigned next_bit(struct slow *s)
{
	if (s->at == s->bits) {
		s->bad = true;
		return 0;
	}
	const unsigned bit = s->p[s->at / 6] >> (2 + s->at % 6) & 1u;

	s->at++;
	return bit;
}

/* A fixed field may go on in the next byte where a byte ends with MSEO 00, and no byte that it uses
 * up ends a variable field, unless @may_end: one without bits comes next. */
static uint64_t slow_fixed(struct slow *s, unsigned bits, bool may_end)
{
	uint64_t v = 0;

	for (unsigned i = 0; i < bits; i++) {
		if (i && s->at % 6 == 0 && mseo(s, s->at - 1))
			s->bad = true;
		v |= (uint64_t)next_bit(s) << i;
		if (!s->bad && s->at % 6 == 0 && mseo(s, s->at - 1) == 1)
			s->bad = !may_end || i + 1 < bits;
	}
	return s->bad ? 0 : v;
}

/* A variable field ends with the first byte whose MSEO is not 00. */
static uint64_t slow_variable(struct slow *s, unsigned limit, unsigned *width)
{
	uint64_t v = 0;
	unsigned i = 0;

	do {
		const unsigned bit = next_bit(s);

		if (bit && i >= limit)
			s->bad = true;
		else if (bit)
			v |= (uint64_t)1 << i;
		i++;
	} while (!s->bad && (s->at % 6 || mseo(s, s->at - 1) == 0));
	*width = i;
	return v;
}

static void slow_field(struct slow *s, struct hs_nt_msg *m, unsigned f)
{
	const bool address = f == HS_NTF_FADDR || f == HS_NTF_UADDR;
	unsigned width = 0;
	uint64_t v = 0;

	if (s->bad)
		return;
	/* design/nt-dialects: an address of 0 may be left off, and I-CNT 0 after a CDF that ends
	 * its byte */
	const bool empty = f == HS_NTF_ICNT && hs_nt_has(m, HS_NTF_CDF) && s->at % 6 == 0 &&
	                   mseo(s, s->at - 1);

	if (!empty && (!address || s->at != s->bits))
		v = fields[f].bits ? slow_fixed(s, fields[f].bits, f == HS_NTF_CDF)
		                   : slow_variable(s, fields[f].limit, &width);
	if (address)
		m->addr_bits = (uint8_t)(width < 66 ? width : 66);
	m->field[f] = v;
	m->present |= (uint32_t)1 << f;
}

/* HREPEAT is there with RCODE 2, HIST of a correlation with CDF 1 (NT 7.8, 7.12). */
static bool is_there(const struct hs_nt_msg *m, unsigned f)
{
	if (f == HS_NTF_HREPEAT)
		return m->field[HS_NTF_RCODE] == 2;
	if (f == HS_NTF_CKDATA1)
		return m->field[HS_NTF_CKDF] == 1;
	return f != HS_NTF_HIST || m->tcode != HS_NT_PROG_TRACE_CORRELATION ||
	       m->field[HS_NTF_CDF] == 1;
}

static void slow_parse(const uint8_t *p, size_t n, unsigned src_bits, unsigned dialect,
                       struct item *out)
{
	struct slow s = { p, 6 * (unsigned)n, 0, false };
	enum hs_nt_field list[HS_NTF_COUNT];
	struct hs_nt_msg *m = &out->msg;

	m->length = (uint16_t)n;
	m->tcode = (uint8_t)slow_fixed(&s, 6, false);
	m->src = (uint16_t)slow_fixed(&s, src_bits, false);
	const unsigned count = hs_nt_dialect_msg_fields(dialect, m->tcode, list);

	m->known = count != 0;
	for (unsigned i = 0; i + 1 < count; i++)
		if (is_there(m, list[i]))
			slow_field(&s, m, list[i]);
	if (m->known && s.at != s.bits)
		slow_field(&s, m, HS_NTF_TSTAMP);
	s.bad |= hs_nt_has(m, HS_NTF_CKDF) && m->field[HS_NTF_CKDF] > 1; /* design/nt-vendor */
	out->status = s.bad || (m->known && s.at != s.bits) ? HS_E_FIELD : HS_OK;
	for (unsigned i = 6 + src_bits; !m->known && i < s.bits && i < 6 * HS_NT_PAYLOAD_MAX; i++) {
		const unsigned to = out->payload_bits++;

		out->payload[to / 8] |= (uint8_t)((p[i / 6] >> (2 + i % 6) & 1u) << to % 8);
	}
}

static size_t skip_to_end(const uint8_t *p, size_t n, size_t at)
{
	while (at < n && (p[at] & 3) != 3)
		at++;
	return at + 1; /* n + 1: it does not end */
}

/* The message at @at, or what is wrong with it.  @return where the next one begins. */
static size_t slow_message(const uint8_t *p, size_t n, size_t at, unsigned src_bits,
                           unsigned dialect, struct items *items)
{
	const unsigned tcode = p[at] >> 2;
	const size_t limit = tcode >= 56 && tcode <= 62 ? HS_NT_VENDOR_MAX : HS_NT_MSG_MAX;
	struct item *out = &items->list[items->n];

	memset(out, 0, sizeof *out);
	out->msg.offset = at;
	for (size_t i = at; i < n; i++) {
		const unsigned end = p[i] & 3;

		out->status = i - at == limit ? HS_E_LONG : HS_OK;
		if (end == 2 || (i == at && end))
			out->status = HS_E_FRAMING;
		if (out->status != HS_OK) {
			items->n++;
			return skip_to_end(p, n, i);
		}
		if (end == 3) {
			slow_parse(p + at, i + 1 - at, src_bits, dialect, out);
			items->n++;
			return i + 1;
		}
	}
	return n + 1;
}

static void read_slowly(const uint8_t *p, size_t n, unsigned src_bits, unsigned dialect,
                        struct items *items)
{
	size_t at = 0;

	items->n = 0;
	items->idle = 0;
	while (at < n) {
		if (p[at] == 0xff) {
			items->idle++;
			at++;
		} else {
			at = slow_message(p, n, at, src_bits, dialect, items);
		}
	}
	items->end = at > n ? HS_E_TRUNCATED : HS_OK;
}

/* ---- the comparison -------------------------------------------------------------------- */

static uint64_t state = 1;

static unsigned pick(unsigned n)
{
	state = state * UINT64_C(6364136223846793005) + 1442695040888963407u;
	return (unsigned)(state >> 33) % n;
}

static void compare(const struct hs_nt_reader *r, enum hs_status status,
                    const struct hs_nt_msg *m, const struct item *want)
{
	uint8_t payload[HS_NT_PAYLOAD_MAX];

	assert_int_equal(status, want->status);
	assert_int_equal(m->offset, want->msg.offset);
	assert_int_equal(m->tcode, want->msg.tcode);
	assert_int_equal(m->src, want->msg.src);
	assert_int_equal(m->length, want->msg.length);
	assert_int_equal(m->known, want->msg.known);
	if (status == HS_E_FIELD)
		return;
	assert_int_equal(m->addr_bits, want->msg.addr_bits);
	assert_int_equal(m->present, want->msg.present);
	for (unsigned f = 0; f < HS_NTF_COUNT; f++)
		if (want->msg.present >> f & 1)
			assert_true(m->field[f] == want->msg.field[f]);
	if (status != HS_OK || m->known)
		return;
	memset(payload, 0xee, sizeof payload);
	assert_int_equal(hs_nt_reader_payload(r, payload), want->payload_bits);
	assert_memory_equal(payload, want->payload, sizeof payload);
}

/* Pieces of at most @most bytes, each an allocation of its exact size. */
static void read_pieces(const uint8_t *p, size_t n, size_t most, unsigned src_bits,
                        unsigned dialect, const struct items *want)
{
	struct hs_nt_reader *const r = malloc(sizeof *r);
	struct hs_nt_msg m;
	size_t seen = 0;

	memset(r, 0xee, sizeof *r);
	hs_nt_reader_init(r, src_bits);
	hs_nt_reader_set_dialect(r, dialect);
	for (size_t at = 0, size; at < n; at += size) {
		size = 1 + (most > 1 ? pick((unsigned)most) : 0);
		size = size < n - at ? size : n - at;
		uint8_t *copy = malloc(size);
		struct hs_span in = { copy, size };

		memcpy(copy, p + at, size);
		for (;;) {
			memset(&m, 0xee, sizeof m);
			const enum hs_status s = hs_nt_read(r, &in, &m);

			if (s == HS_MORE)
				break;
			assert_true(seen < want->n);
			compare(r, s, &m, &want->list[seen++]);
		}
		assert_int_equal(in.n, 0);
		assert_int_equal(r->offset, at + size);
		free(copy);
	}
	assert_int_equal(seen, want->n);
	assert_int_equal(r->idle, want->idle);
	assert_int_equal(hs_nt_reader_end(r), want->end);
	free(r);
}

/* Mostly short messages with good framing; fields anywhere, bits rather 0 or 1 all over. */
static size_t make_stream(uint8_t *p)
{
	const size_t n = 1 + pick(BYTES_MAX);
	const unsigned long_one = pick(40) == 0 ? 360 : 8, zeros = pick(4), faults = pick(8);

	for (size_t i = 0; i < n;) {
		const unsigned length = 1 + pick(long_one);

		p[i++] = (uint8_t)(pick(16) == 0 ? 0xff : pick(64) << 2);
		for (unsigned k = 1; k <= length && i < n; k++) {
			unsigned end = k == length ? 3 : pick(4) == 0;

			if (faults == 0 && pick(30) == 0)
				end = 2;
			p[i++] = (uint8_t)((pick(4) < zeros ? 0 : pick(3) ? pick(64) : 63) << 2 |
			                   end);
		}
	}
	return n;
}

TEST(as_the_text)
{
	static const unsigned widths[] = { 0, 0, 1, 4, 5, 6, 11, 12 };
	static struct items want;
	uint8_t bytes[BYTES_MAX];
	size_t good = 0;

	for (unsigned i = 0; i < STREAMS; i++) {
		const size_t n = make_stream(bytes);
		const unsigned src_bits = widths[pick(8)], dialect = pick(HS_NT_DIALECT_COUNT);

		read_slowly(bytes, n, src_bits, dialect, &want);
		read_pieces(bytes, n, n, src_bits, dialect, &want);
		read_pieces(bytes, n, 1 + pick(20), src_bits, dialect, &want);
		for (size_t k = 0; k < want.n; k++)
			good += want.list[k].status == HS_OK && want.list[k].msg.known;
	}
	assert_true(good > STREAMS);
}

/* ---- by hand ----------------------------------------------------------------------------- */

/* IndirectBranch I-CNT 1, then U-ADDR 5 in 43 bytes of 6 bits: 258 bits on the wire, 3 of them
 * needed (NT 8.2); what is above 66 says no more. */
TEST(padded_address)
{
	uint8_t bytes[45] = { 0x10, 0x11, 0x14 };
	struct hs_span in = { bytes, sizeof bytes };
	struct hs_nt_reader r;
	struct hs_nt_msg m;

	bytes[44] = 0x03;
	hs_nt_reader_init(&r, 0);
	assert_int_equal(hs_nt_read(&r, &in, &m), HS_OK);
	assert_int_equal(m.field[HS_NTF_UADDR], 5);
	assert_int_equal(m.addr_bits, 66);
}

/* DirectBranch: TCODE 3, SRC 0xabc in 12 bits, I-CNT 1.  "More is taken as 12." */
TEST(src_of_at_most_12_bits)
{
	static const uint8_t bytes[] = { 0x0c, 0x3c << 2, 0x2a << 2, 0x07 };

	for (unsigned bits = 12; bits <= 14; bits++) {
		struct hs_span in = { bytes, sizeof bytes };
		struct hs_nt_reader r;
		struct hs_nt_msg m;

		hs_nt_reader_init(&r, bits);
		assert_int_equal(hs_nt_read(&r, &in, &m), HS_OK);
		assert_int_equal(m.src, 0xabc);
		assert_int_equal(m.field[HS_NTF_ICNT], 1);
	}
}

/* A dialect that does not exist has no messages of its own: TCODE 34 is reserved. */
TEST(unknown_dialect)
{
	static const uint8_t bytes[] = { 34 << 2, 0x03 };
	struct hs_span in = { bytes, sizeof bytes };
	uint8_t payload[HS_NT_PAYLOAD_MAX];
	struct hs_nt_reader r;
	struct hs_nt_msg m;

	hs_nt_reader_init(&r, 0);
	hs_nt_reader_set_dialect(&r, HS_NT_DIALECT_COUNT);
	assert_int_equal(hs_nt_reader_payload(&r, payload), 0);
	assert_int_equal(hs_nt_read(&r, &in, &m), HS_OK);
	assert_false(m.known);
}

/* NT 3.2: SRC is in every message, also in one whose fields are not known (TCODE 47, 12 bits of SRC
 * in a message that has 6). */
TEST(src_of_unknown_message)
{
	static const uint8_t bytes[] = { 47 << 2, 0x03 };
	struct hs_span in = { bytes, sizeof bytes };
	struct hs_nt_reader r;
	struct hs_nt_msg m;

	hs_nt_reader_init(&r, 12);
	assert_int_equal(hs_nt_read(&r, &in, &m), HS_E_FIELD);
}
