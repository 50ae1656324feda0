/* Packets of E-Trace, cut as each kind of frame has them (EE Packet Encapsulation, ADR-0048). */
#include <stdlib.h>

#include "identify/private.h"

#define MOST_SOURCES 32

/* Bits of one byte and of those after it, up to the end. */
static uint64_t load(const struct identify_payload *p, unsigned bit, unsigned *have)
{
	const unsigned left = p->end - bit;
	uint64_t v = 0;

	*have = left < 56 ? left : 56;
	for (unsigned i = 0; i <= (bit % 8 + *have - 1) / 8; i++)
		v |= (uint64_t)p->p[bit / 8 + i] << 8 * i;
	return v >> bit % 8 & ((UINT64_C(1) << *have) - 1);
}

uint64_t identify_bits(const struct identify_payload *p, unsigned at, unsigned width)
{
	const unsigned last = p->end - 1u;
	const uint64_t fill = p->p[last / 8] >> last % 8 & 1 ? UINT64_MAX : 0;
	const uint64_t mask = width < 64 ? (UINT64_C(1) << width) - 1 : UINT64_MAX;
	unsigned n = 0, have;
	uint64_t v = 0;

	while (n < width && p->at + at + n < p->end) {
		v |= load(p, p->at + at + n, &have) << n;
		n += have;
	}
	return (n < 64 ? v | fill << n : v) & mask;
}

/* ---- frames ------------------------------------------------------------------------- */

#define SRC_BITS 17
#define STAMPS 9
#define ENCAPSULATED (SRC_BITS * STAMPS)

static unsigned bits_to_byte(unsigned bits)
{
	return (8 - bits % 8) % 8;
}

/* Number @i of those with a header, srcID and timestamp. */
static void encapsulated(struct identify_frame *f, unsigned dialect, unsigned i)
{
	const unsigned type_bits = dialect == HS_ET_DIALECT_STANDARD ? 2 : 0;
	const unsigned src = i % SRC_BITS;

	*f = (struct identify_frame){
		.dialect = (uint8_t)dialect,
		.src_bits = (uint8_t)src,
		.stamp = (uint8_t)(i / SRC_BITS),
		.begin = (uint8_t)(8 + src + type_bits),
		.prefix = dialect == HS_ET_DIALECT_DRAFT ? 2 : 0,
		.spare =
			dialect == HS_ET_DIALECT_DRAFT ? 0 : (uint8_t)bits_to_byte(src + type_bits),
	};
}

bool identify_next_frame(struct identify_frame *f, unsigned *state)
{
	static const uint8_t dialects[] = { HS_ET_DIALECT_STANDARD, HS_ET_DIALECT_ATB,
		                            HS_ET_DIALECT_DRAFT };
	const unsigned i = (*state)++;

	if (i < 3 * ENCAPSULATED)
		encapsulated(f, dialects[i / ENCAPSULATED], i % ENCAPSULATED);
	else if (i == 3 * ENCAPSULATED)
		*f = (struct identify_frame){ .dialect = HS_ET_DIALECT_REFERENCE, .begin = 8 };
	else if (i == 3 * ENCAPSULATED + 1)
		*f = (struct identify_frame){ .dialect = HS_ET_DIALECT_PULP, .begin = 6 };
	else
		return false;
	return true;
}

/* ---- packets -------------------------------------------------------------------------- */

/* Sources that were met. */
struct sources {
	uint32_t id[MOST_SOURCES];
	size_t n;
};

static void add_source(struct sources *s, uint32_t id)
{
	for (size_t i = 0; i < s->n; i++)
		if (s->id[i] == id)
			return;
	if (s->n < MOST_SOURCES)
		s->id[s->n++] = id;
}

/* Bytes of the packet that begins with @header. */
static size_t bytes_of(const struct identify_frame *f, unsigned header)
{
	if (f->dialect == HS_ET_DIALECT_REFERENCE)
		return 1 + (header & 31);
	if (f->dialect == HS_ET_DIALECT_PULP)
		return 1 + (header & 15);
	return (header & 31) == 0
	               ? 1
	               : 1u + f->src_bits / 8 + (header & 0x80 ? f->stamp : 0u) + (header & 31);
}

/* What the frame says of a packet of @n bytes.  False: it is of another type. */
static bool take_frame(const struct identify_frame *f, const uint8_t *p, size_t n,
                       struct identify_payload *out, struct sources *sources)
{
	const struct identify_payload whole = { p, 0, (uint16_t)(8 * n) };
	unsigned begin = f->begin;

	if (f->dialect == HS_ET_DIALECT_REFERENCE || f->dialect == HS_ET_DIALECT_PULP) {
		const unsigned type =
			f->dialect == HS_ET_DIALECT_PULP ? p[0] >> 4 & 3 : p[0] >> 5 & 3;

		*out = (struct identify_payload){ p, (uint16_t)begin, (uint16_t)(8 * n) };
		return type == 2 && begin + 4 < out->end;
	}
	begin += p[0] & 0x80 ? 8u * f->stamp : 0u;
	*out = (struct identify_payload){ p, (uint16_t)(begin + f->prefix),
		                          (uint16_t)(8 * n - f->spare) };
	if (begin + 4u >= out->end)
		return false;
	add_source(sources, (uint32_t)identify_bits(&whole, 8, f->src_bits));
	if (f->prefix)
		return identify_bits(&whole, begin, 2) == 2;
	return f->dialect != HS_ET_DIALECT_STANDARD || identify_bits(&whole, begin - 2, 2) == 2;
}

void identify_cut(const struct hs_span *bytes, const struct identify_frame *f,
                  struct identify_packets *out)
{
	struct sources sources = { .n = 0 };
	size_t at = 0;

	out->count = out->packets = out->stamped = 0;
	out->flows = 0;
	while (at < bytes->n && out->count < IDENTIFY_PACKETS) {
		const uint8_t *p = bytes->p + at;
		const size_t n = bytes_of(f, *p);

		if (n > bytes->n - at)
			break;
		at += n;
		if (n == 1)
			continue;
		out->packets++;
		out->stamped += p[0] >> 7;
		out->flows |= (uint8_t)(1u << (p[0] >> 5 & 3));
		out->count += take_frame(f, p, n, &out->payload[out->count], &sources);
	}
	out->sources = sources.n;
	out->bytes = at;
}

/* ---- by their form ------------------------------------------------------------------------ */

/* How many of 10,000 bytes are in packets of instruction trace whose headers agree. */
static unsigned agreement(const struct identify_packets *p, const struct identify_frame *f,
                          size_t bytes)
{
	const unsigned most_flows = f->dialect == HS_ET_DIALECT_PULP ? 0xf : 1;
	const bool one = (p->flows & (p->flows - 1)) == 0 || p->flows <= most_flows;

	if (p->packets < 16 || !one || p->sources > 16 || p->sources * 4 > p->packets ||
	    (f->stamp && !p->stamped) || (!f->stamp && p->stamped))
		return 0;
	return (unsigned)(p->count * 10000 / p->packets * p->bytes / bytes);
}

bool identify_form(const struct hs_span *bytes, struct identify_frame *f, struct identify_fit *fit)
{
	struct identify_packets *p = malloc(sizeof(*p));
	const struct hs_span part = { bytes->p, bytes->n < 16384 ? bytes->n : 16384 };
	struct identify_frame frame;
	unsigned state = 0, best = 0;

	while (p && identify_next_frame(&frame, &state)) {
		identify_cut(&part, &frame, p);
		const unsigned share = agreement(p, &frame, part.n);

		if (share <= best)
			continue;
		best = share;
		*f = frame;
		*fit = (struct identify_fit){ .bytes = part.n,
			                      .explained = part.n * share / 10000,
			                      .messages = p->packets };
	}
	free(p);
	return best > 9000;
}
