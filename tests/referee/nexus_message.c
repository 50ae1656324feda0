/* Bytes to messages, by the rules of NT 3.1 and the tables of NT 6 and 7. */
#include "referee/nexus_message.h"

#include <string.h>

#define MDO 6
#define IDLE 0xff
/* Bytes of the longest message that is taken; vendors may send longer ones (design/nt-dialects). */
#define BYTES 64
#define VENDOR_BYTES 65535

/* A field: its width, 0 where it is variable, and then the bits that its value may have (NT Table
 * 10; I-CNT of the sum in NT 3; HREPEAT and B-CNT of the ratified text). */
struct part {
	uint8_t field, width, limit;
};

#define SYNC { NX_SYNC, 4, 4 }
#define BTYPE { NX_BTYPE, 2, 2 }
#define ICNT { NX_ICNT, 0, 30 }
#define FADDR { NX_FADDR, 0, 63 }
#define UADDR { NX_UADDR, 0, 63 }
#define HIST { NX_HIST, 0, 32 }
#define CKDATA(n) { NX_CKDATA##n, 0, 64 }
#define STAMP { NX_TSTAMP, 0, 64 }

static const struct {
	uint8_t tcode, count;
	struct part part[5];
	bool sifive;
} rows[] = {
	{ NX_OWNERSHIP, 1, { { NX_PROCESS, 0, 64 } }, false },
	{ NX_DIRECT, 1, { ICNT }, false },
	{ NX_INDIRECT, 3, { BTYPE, ICNT, UADDR }, false },
	{ NX_ERROR, 2, { { NX_ETYPE, 4, 4 }, { NX_ECODE, 0, 8 } }, false },
	{ NX_PROG_SYNC, 3, { SYNC, ICNT, FADDR }, false },
	{ NX_DIRECT_SYNC, 3, { SYNC, ICNT, FADDR }, false },
	{ NX_INDIRECT_SYNC, 4, { SYNC, BTYPE, ICNT, FADDR }, false },
	{ NX_RESOURCE_FULL, 2, { { NX_RCODE, 4, 4 }, { NX_RDATA, 0, 32 } }, false },
	{ NX_INDIRECT_HIST, 4, { BTYPE, ICNT, UADDR, HIST }, false },
	{ NX_INDIRECT_HIST_SYNC, 5, { SYNC, BTYPE, ICNT, FADDR, HIST }, false },
	{ NX_REPEAT, 1, { { NX_BCNT, 0, 18 } }, false },
	{ NX_CORRELATION, 3, { { NX_EVCODE, 4, 4 }, { NX_CDF, 2, 2 }, ICNT }, false },
	{ NX_ACQUISITION, 2, { { NX_IDTAG, 0, 32 }, { NX_DQDATA, 0, 64 } }, true },
	{ NX_CIRCUIT, 3, { { NX_CKSRC, 4, 4 }, { NX_CKDF, 2, 2 }, CKDATA(0) }, true },
	{ NX_CIRCUIT_FULL, 3, { { NX_CKSRC, 4, 4 }, { NX_CKDF, 2, 2 }, CKDATA(0) }, true },
};

static unsigned mseo(uint8_t byte)
{
	return byte & 3;
}

/* ---- the fields of the bytes of one message ----------------------------------------------- */

struct bits {
	const uint8_t *bytes;
	size_t n, at; /* in bits */
	bool bad;
};

static uint64_t take_bit(struct bits *b)
{
	const uint64_t bit = b->bytes[b->at / MDO] >> (2 + b->at % MDO) & 1;

	b->at++;
	return bit;
}

/* Only the last byte of a variable-length field, or of the message, has another MSEO than 00.
 * Departs: or that of the field before one without bits, where @may_end (design/nt-dialects). */
static uint64_t take_fixed(struct bits *b, unsigned width, bool may_end)
{
	uint64_t v = 0;

	for (unsigned i = 0; i < width && !b->bad; i++) {
		if (b->at == b->n) {
			b->bad = true;
			break;
		}
		v |= take_bit(b) << i;
		if (b->at % MDO)
			continue;
		const unsigned end = mseo(b->bytes[b->at / MDO - 1]);

		b->bad = (end == 1 && !may_end) || (end && i + 1 < width);
	}
	return v;
}

static uint64_t take_variable(struct bits *b, unsigned limit, unsigned *width)
{
	const size_t from = b->at;
	size_t last = from / MDO;
	uint64_t v = 0;

	if (from == b->n) {
		b->bad = true;
		return 0;
	}
	while (mseo(b->bytes[last]) == 0)
		last++;
	*width = (unsigned)(MDO * (last + 1) - from);
	for (unsigned i = 0; i < *width; i++) {
		const uint64_t bit = take_bit(b);

		if (i < limit)
			v |= bit << i;
		else
			b->bad |= bit;
	}
	return v;
}

static void take_part(struct bits *b, struct nexus_message *m, struct part p)
{
	const bool address = p.field == NX_FADDR || p.field == NX_UADDR;

	m->has[p.field] = true;
	/* Departs: encoders in the field leave an address of 0 off the end (design/nt-dialects). */
	if (address && b->at == b->n)
		return;
	if (p.field == NX_ICNT && m->has[NX_CDF] && b->at % MDO == 0 &&
	    mseo(b->bytes[b->at / MDO - 1]))
		return;
	m->width[p.field] = p.width;
	m->value[p.field] = p.width ? take_fixed(b, p.width, p.field == NX_CDF)
	                            : take_variable(b, p.limit, &m->width[p.field]);
}

/* NT 7.8 and 7.12: a field more, by the value of another. */
static void take_optional(struct bits *b, bool sifive, struct nexus_message *m)
{
	if (m->tcode == NX_RESOURCE_FULL && m->value[NX_RCODE] == 2)
		take_part(b, m, (struct part){ NX_HREPEAT, 0, 18 });
	if (m->tcode == NX_CORRELATION && m->value[NX_CDF] == 1)
		take_part(b, m, (struct part)HIST);
	if ((m->tcode == NX_CIRCUIT || m->tcode == NX_CIRCUIT_FULL) && m->value[NX_CKDF] == 1)
		take_part(b, m, (struct part)CKDATA(1));
	if (m->has[NX_CKDF] && m->value[NX_CKDF] > 1) /* more data than two */
		b->bad = true;
	if (m->tcode == NX_CORRELATION && m->value[NX_CDF] > 1)
		m->unclear = "CDF is reserved";
	if (m->tcode == NX_RESOURCE_FULL && m->value[NX_RCODE] > 2 &&
	    !(sifive && (m->value[NX_RCODE] == 8 || m->value[NX_RCODE] == 9)))
		m->unclear = "RCODE is reserved";
}

static bool parse(struct nexus_message *m, const uint8_t *bytes, unsigned src_bits, bool sifive)
{
	struct bits b = { bytes, MDO * m->size, 0, false };

	m->tcode = (unsigned)take_fixed(&b, 6, false);
	m->src = (unsigned)take_fixed(&b, src_bits, false);
	for (size_t r = 0; r < sizeof(rows) / sizeof(*rows); r++) {
		if (rows[r].tcode != m->tcode || (rows[r].sifive && !sifive))
			continue;
		m->known = true;
		for (unsigned i = 0; i < rows[r].count && !b.bad; i++)
			take_part(&b, m, rows[r].part[i]);
	}
	if (!m->known) /* what is in it is not known */
		return !b.bad;
	if (!b.bad)
		take_optional(&b, sifive, m);
	if (!b.bad && b.at < b.n)
		take_part(&b, m, (struct part)STAMP);
	return !b.bad && b.at == b.n;
}

/* ---- the messages of a stream ------------------------------------------------------------- */

/* Past the next end of a message. */
static void skip(const uint8_t *bytes, size_t n, size_t *at)
{
	while (*at < n)
		if (mseo(bytes[(*at)++]) == 3)
			return;
}

enum nexus_what nexus_read(const uint8_t *bytes, size_t n, size_t *at, unsigned src_bits,
                           bool sifive, struct nexus_message *m)
{
	unsigned tcode;
	size_t most;

	memset(m, 0, sizeof(*m));
	while (*at < n && bytes[*at] == IDLE)
		(*at)++;
	m->at = *at;
	if (*at == n)
		return NEXUS_END;
	tcode = bytes[*at] >> 2;
	most = tcode >= 56 && tcode <= 62 ? VENDOR_BYTES : BYTES;
	for (size_t i = *at; i < n; i++) {
		const bool first = i == m->at;

		if (mseo(bytes[i]) == 2 || (first && mseo(bytes[i]))) {
			*at = i;
			skip(bytes, n, at);
			return NEXUS_FRAMING;
		}
		if (i - m->at == most) {
			*at = i;
			skip(bytes, n, at);
			return NEXUS_LONG;
		}
		if (mseo(bytes[i]) == 3) {
			*at = i + 1;
			m->size = i + 1 - m->at;
			return parse(m, bytes + m->at, src_bits, sifive) ? NEXUS_MESSAGE
			                                                 : NEXUS_FIELD;
		}
	}
	*at = n;
	return NEXUS_END;
}
