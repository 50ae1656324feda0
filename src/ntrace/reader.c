/* Bytes to messages: MSEO framing (NT 3.1) and fields (NT 6).
 *
 * A byte has two bits of MSEO (low) and six of data, MDO.  MSEO 01 ends a variable-length field,
 * 11 ends the message; fixed-length fields follow each other without padding.  For example:
 *
 *     byte  MDO     MSEO  fields (of 70 51 2d 0f)
 *     70    011100  00    TCODE 28: IndirectBranchHist
 *     51    010100  01    B-TYPE 0 (two bits), I-CNT 5
 *     2d    001011  01    U-ADDR 0xb
 *     0f    000011  11    HIST 3; the message ends
 *
 * Invariants: a message is parsed only when its last byte is there, either in place or, if the
 * input ended inside it, from the reader's buffer.  After a fault bytes are skipped up to the next
 * MSEO 11, where a message may begin.
 */
#include "ntrace/reader.h"

#include "core/mem.h"
#include "core/base_word.h"
#include "ntrace/nt_message.h"
#include "ntrace/nt_reader.h"
#include "ntrace/tables.h"

#define MSEO(byte) ((byte) & 3u)
#define MSEO_END 3u
#define MSEO_RESERVED 2u
#define MSEO_FIELD 1u
#define IDLE 0xffu
#define ADDR_BITS_MAX 66u /* 63 bits in whole bytes; zeros may pad it beyond that */

/* Reads the fields of one complete message; keeps the first error. */
struct cursor {
	const uint8_t *p, *end;
	size_t readable; /* bytes from end on that may be loaded, though not looked at */
	unsigned bit;    /* of the six MDO bits of *p, the next one to take */
	unsigned width;  /* bits on the wire of the variable field just taken */
	enum hs_status err;
};

static uint64_t fail_field(struct cursor *c)
{
	c->err = HS_E_FIELD;
	return 0;
}

static inline bool fits(uint64_t bits, unsigned at, unsigned limit)
{
	if (bits == 0)
		return true;
	return at < limit && (limit - at >= 6 || bits >> (limit - at) == 0);
}

/* A fixed-length field that uses a byte up: only a message may end with it (NT 3.1). */
static uint64_t read_fixed_slow(struct cursor *c, unsigned bits)
{
	uint64_t v = 0;

	for (unsigned n = 0; n < bits;) {
		if (c->p == c->end)
			return fail_field(c);
		const unsigned take = bits - n < 6 - c->bit ? bits - n : 6 - c->bit;
		const unsigned mdo = *c->p >> (2 + c->bit);

		v |= (uint64_t)(mdo & ((1u << take) - 1)) << n;
		n += take;
		c->bit += take;
		if (c->bit == 6) {
			const unsigned mseo = MSEO(*c->p);

			if (mseo == MSEO_FIELD || (mseo && n < bits))
				return fail_field(c);
			c->bit = 0;
			c->p++;
		}
	}
	return v;
}

static inline uint64_t read_fixed(struct cursor *c, unsigned bits)
{
	if (c->p == c->end || c->bit + bits >= 6)
		return read_fixed_slow(c, bits);
	const unsigned v = (*c->p >> (2 + c->bit)) & ((1u << bits) - 1);

	c->bit += bits;
	return v;
}

/* A variable-length field: to the end of the first byte whose MSEO is not 00. */
static uint64_t read_var_slow(struct cursor *c, unsigned limit)
{
	uint64_t v = 0;
	unsigned n = 0;

	for (bool more = true; more; c->bit = 0) {
		if (c->p == c->end)
			return fail_field(c);
		const uint64_t bits = *c->p >> (2 + c->bit);

		more = MSEO(*c->p) == 0;
		c->p++;
		if (!fits(bits, n, limit))
			return fail_field(c);
		if (bits)
			v |= bits << n;
		n += 6 - c->bit;
	}
	c->width = n;
	return v;
}

/* The same for fields of at most eight bytes, without a decision for each byte. */
static inline uint64_t read_var(struct cursor *c, unsigned limit)
{
	if (c->p == c->end || (size_t)(c->end - c->p) + c->readable < 8)
		return read_var_slow(c, limit);
	const uint64_t v = word_load(c->p), ends = v & WORD_EACH, last = ends & -ends;

	if (!ends)
		return read_var_slow(c, limit);
	const unsigned n = word_byte(last) + 1;
	const uint64_t value = nt_pack_mdo(v & ((last << 8) - 1)) >> c->bit;

	if (limit < 64 && value >> limit)
		return fail_field(c);
	c->width = 6 * n - c->bit;
	c->p += n;
	c->bit = 0;
	return value;
}

/* F-ADDR or U-ADDR 0 is left off the wire by some encoders (design/nt-dialects). */
static bool may_be_absent(unsigned field, const struct cursor *c)
{
	return (field == HS_NTF_FADDR || field == HS_NTF_UADDR) && c->p == c->end;
}

static inline void read_field(struct cursor *c, struct hs_nt_msg *m, unsigned field)
{
	const struct nt_field_row *row = &nt_field_rows[field];

	if (may_be_absent(field, c)) {
		m->field[field] = 0;
		m->present |= (uint32_t)1 << field;
		return;
	}
	m->field[field] = row->bits ? read_fixed(c, row->bits) : read_var(c, row->limit);
	if (c->err != HS_OK)
		return;
	if (field == HS_NTF_FADDR || field == HS_NTF_UADDR)
		m->addr_bits = (uint8_t)(c->width < ADDR_BITS_MAX ? c->width : ADDR_BITS_MAX);
	m->present |= (uint32_t)1 << field;
}

/* Fields that are not known: keep the bytes for hs_nt_reader_payload(). */
static void keep_payload(struct hs_nt_reader *r, const uint8_t *p, size_t n)
{
	r->kept = (uint16_t)(n < sizeof r->buffer ? n : sizeof r->buffer);
	if (p != r->buffer)
		memcpy(r->buffer, p, r->kept);
}

/* CKDF of in-circuit trace: what is next is no TSTAMP. */
static bool has_more_data(const struct hs_nt_msg *m)
{
	return hs_nt_has(m, HS_NTF_CKDF) && m->field[HS_NTF_CKDF] > 1;
}

/* All of the message: p[0..n) begins with MSEO 00, ends with MSEO 11, has none of 10. */
static enum hs_status parse_fields(struct hs_nt_reader *r, const uint8_t *p, size_t n,
                                   size_t readable, struct hs_nt_msg *m)
{
	struct cursor c = { p, p + n, readable, 0, 0, HS_OK };
	const struct nt_layout *layout;

	m->length = (uint16_t)n;
	m->tcode = (uint8_t)read_fixed(&c, 6);
	m->src = (uint16_t)read_fixed(&c, r->src_bits);
	layout = nt_layout_of(r->more, m->tcode);
	m->known = layout->name != NULL;
	if (!m->known) {
		keep_payload(r, p, n);
		return c.err;
	}
	for (unsigned i = 0; i < layout->count && c.err == HS_OK; i++) {
		const struct nt_slot *s = &layout->slots[i];

		if (s->when == HS_NTF_COUNT || m->field[s->when] == s->value)
			read_field(&c, m, s->field);
	}
	if (c.err == HS_OK && c.p != c.end)
		read_field(&c, m, HS_NTF_TSTAMP);
	if (r->more && has_more_data(m))
		return HS_E_FIELD;
	return c.err != HS_OK || c.p != c.end ? HS_E_FIELD : HS_OK;
}

/* A ProgTraceCorrelation whose I-CNT 0 was left off, where CDF ends a byte: as if it had
 * a byte.  Out of line: no other message comes here. */
static __attribute__((noinline)) enum hs_status parse_without_icnt(struct hs_nt_reader *r,
                                                                   const uint8_t *p, size_t n,
                                                                   struct hs_nt_msg *m)
{
	uint8_t whole[HS_NT_MSG_MAX + 1];
	const size_t at = 2u + r->src_bits / 6u; /* bytes up to CDF, when it ends one */

	if (r->src_bits % 6 || n < at || n > HS_NT_MSG_MAX || MSEO(p[at - 1]) == 0)
		return HS_E_FIELD;
	memcpy(whole, p, at);
	whole[at - 1] &= 0xfc;
	whole[at] = MSEO(p[at - 1]);
	memcpy(whole + at + 1, p + at, n - at);
	m->present = 0;
	const enum hs_status s = parse_fields(r, whole, n + 1, 0, m);

	m->length = (uint16_t)n;
	return s;
}

static inline enum hs_status parse(struct hs_nt_reader *r, const uint8_t *p, size_t n,
                                   size_t readable, struct hs_nt_msg *m)
{
	const enum hs_status s = parse_fields(r, p, n, readable, m);

	return s == HS_E_FIELD && m->tcode == HS_NT_PROG_TRACE_CORRELATION
	               ? parse_without_icnt(r, p, n, m)
	               : s;
}

void hs_nt_reader_init(struct hs_nt_reader *r, unsigned src_bits)
{
	memset(r, 0, sizeof *r);
	r->src_bits = src_bits > 12 ? 12 : (uint8_t)src_bits;
}

void hs_nt_reader_set_dialect(struct hs_nt_reader *r, unsigned dialect)
{
	const struct hs_nt_dialect *d = hs_nt_dialect_get(dialect);

	r->more = d && d->more;
}

unsigned hs_nt_reader_payload(const struct hs_nt_reader *r, uint8_t out[HS_NT_PAYLOAD_MAX])
{
	const unsigned skip = 6u + r->src_bits, all = 6u * r->kept;

	memset(out, 0, HS_NT_PAYLOAD_MAX);
	for (unsigned at = skip; at < all; at++)
		if (r->buffer[at / 6] >> (2 + at % 6) & 1)
			out[(at - skip) / 8] |= (uint8_t)(1u << (at - skip) % 8);
	return all > skip ? all - skip : 0;
}

/* Length of the message that begins at p, its MSEO 11 included; 0 when it does not end in a whole
 * eight of n bytes, or holds an MSEO that is not allowed: then collect() reads it. */
static inline size_t message_end(const uint8_t *p, size_t n)
{
	for (size_t i = 0; i + 8 <= n; i += 8) {
		const uint64_t v = word_load(p + i), high = v >> 1;
		const uint64_t ends = v & high & WORD_EACH, last = ends & -ends,
			       bad = high & ~v & WORD_EACH;

		if (bad & (last - 1)) /* before the end, or at all when there is no end */
			return 0;
		if (ends)
			return i + word_byte(last) + 1;
	}
	return 0;
}

static void advance(struct hs_nt_reader *r, struct hs_span *in, size_t n)
{
	in->p += n;
	in->n -= n;
	r->offset += n;
}

/* Drop bytes up to the end of what is no message. */
static void skip(struct hs_nt_reader *r, struct hs_span *in)
{
	while (r->skipping && in->n) {
		r->skipping = MSEO(*in->p) != MSEO_END;
		advance(r, in, 1);
	}
}

static enum hs_status bad_message(struct hs_nt_reader *r, struct hs_nt_msg *m, enum hs_status why)
{
	r->held = 0;
	m->offset = r->start;
	return why;
}

/* Bytes that a message may have.  Only vendors may exceed what NT 3 computes. */
static size_t limit_of(const struct hs_nt_reader *r)
{
	const unsigned tcode = r->buffer[0] >> 2;

	return tcode >= 56 && tcode <= 62 ? HS_NT_VENDOR_MAX : HS_NT_MSG_MAX;
}

/* Take bytes into the buffer until the message ends. */
static enum hs_status collect(struct hs_nt_reader *r, struct hs_span *in, struct hs_nt_msg *m)
{
	while (in->n) {
		const uint8_t byte = *in->p;

		if (MSEO(byte) == MSEO_RESERVED) {
			r->skipping = true;
			return bad_message(r, m, HS_E_FRAMING);
		}
		if (r->held && r->held == limit_of(r)) {
			r->skipping = true;
			return bad_message(r, m, HS_E_LONG);
		}
		if (r->held < sizeof r->buffer)
			r->buffer[r->held] = byte;
		r->held++;
		advance(r, in, 1);
		if (MSEO(byte) == MSEO_END) {
			const size_t n = r->held, room = sizeof r->buffer;

			r->held = 0;
			return parse(r, r->buffer, n, n < room ? room - n : 0, m);
		}
	}
	return HS_MORE;
}

enum hs_status hs_nt_read(struct hs_nt_reader *r, struct hs_span *in, struct hs_nt_msg *m)
{
	m->tcode = 0;
	m->known = false;
	m->src = 0;
	m->length = 0;
	m->addr_bits = 0;
	m->present = 0;
	if (r->skipping)
		skip(r, in);
	if (r->held == 0) {
		while (in->n && *in->p == IDLE) {
			advance(r, in, 1);
			r->idle++;
		}
		if (in->n == 0)
			return HS_MORE;
		r->start = r->offset;
		if (MSEO(*in->p) != 0) {
			r->skipping = true;
			return bad_message(r, m, HS_E_FRAMING);
		}
		const size_t look = in->n < HS_NT_MSG_MAX ? in->n : HS_NT_MSG_MAX;
		const size_t n = message_end(in->p, look);
		if (n) {
			const uint8_t *p = in->p;

			advance(r, in, n);
			m->offset = r->start;
			return parse(r, p, n, in->n, m);
		}
	}
	const enum hs_status s = collect(r, in, m);
	m->offset = r->start;
	return s;
}

enum hs_status hs_nt_reader_end(const struct hs_nt_reader *r)
{
	return r->held || r->skipping ? HS_E_TRUNCATED : HS_OK;
}

/* ---- runs of short DirectBranch messages ---------------------------------------- */

#define BRANCHES_MAX 64u

static inline bool is_branch(const uint8_t *p)
{
	return p[0] == HS_NT_DIRECT_BRANCH << 2 && MSEO(p[1]) == MSEO_END;
}

struct nt_branches nt_find_branches(const struct hs_nt_reader *r, const struct hs_span *in)
{
	const size_t held = in->n / NT_BRANCH_BYTES,
		     most = held < BRANCHES_MAX ? held : BRANCHES_MAX;
	struct nt_branches run = { in->p, 0 };

	if (r->src_bits || r->held || r->skipping)
		return run;
	while (run.count + 4 <= most &&
	       (word_load(in->p + NT_BRANCH_BYTES * run.count) & NT_BRANCH_MASK) == NT_BRANCH_BITS)
		run.count += 4;
	while (run.count < most && is_branch(in->p + NT_BRANCH_BYTES * run.count))
		run.count++;
	return run;
}

void nt_take_branches(struct hs_nt_reader *r, struct hs_span *in, size_t n, struct hs_nt_msg *m)
{
	const struct nt_branches run = { in->p, n };

	advance(r, in, NT_BRANCH_BYTES * n);
	r->start = r->offset - NT_BRANCH_BYTES;
	m->offset = r->start;
	m->length = NT_BRANCH_BYTES;
	m->tcode = HS_NT_DIRECT_BRANCH;
	m->known = true; /* and m->src stays 0: there is no SRC */
	m->addr_bits = 0;
	m->present = (uint32_t)1 << HS_NTF_ICNT;
	m->field[HS_NTF_ICNT] = nt_branch_icnt(&run, n - 1);
}
