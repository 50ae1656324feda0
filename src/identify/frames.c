/* Packets of E-Trace, cut as each kind of frame has them (EE Packet Encapsulation,
 * design/et-layouts). */
#include <stdlib.h>

#include "etrace/etrace.h"
#include "identify/private.h"

#define MOST_SOURCES 32
#define COMMON_SOURCES 16 /* more are none */
#define FORM_BYTES ((size_t)1 << 13)
#define SEEK_BYTES (1u << 20)
#define ALIGN_BYTES 48 /* where the first packet may begin, in bytes that begin inside one */
#define START 3        /* format 3 subformat 0 */

/* At most @most bits of one byte and of those after it, up to the end. */
static uint64_t load(const struct identify_payload *p, unsigned bit, unsigned most, unsigned *have)
{
	const unsigned left = p->end - bit, some = left < 56 ? left : 56;
	uint64_t v = 0;

	*have = some < most ? some : most;
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
		v |= load(p, p->at + at + n, width - n, &have) << n;
		n += have;
	}
	return (n < 64 ? v | fill << n : v) & mask;
}

/* ---- frames ------------------------------------------------------------------------- */

static const struct row {
	uint8_t dialect, src, step, stamp;
} rows[] = {
#define HS_IDENTIFY_FRAME(dialect, src, step, stamp) { HS_ET_DIALECT_##dialect, src, step, stamp },
#include "identify/identify.def"
};

static unsigned bits_to_byte(unsigned bits)
{
	return (8 - bits % 8) % 8;
}

static bool has_source(const struct identify_frame *f)
{
	return f->kind == HS_ET_FRAME_ENCAP || f->kind == HS_ET_FRAME_MESSAGE;
}

void identify_frame_of(struct identify_frame *f, unsigned dialect, unsigned src, unsigned stamp)
{
	struct hs_et_config c = { .size = sizeof(c) };
	struct hs_et_layout_config w;

	hs_et_config_dialect(&c, dialect);
	hs_et_layout_of(dialect, c.version, &w);
	*f = (struct identify_frame){
		.dialect = (uint8_t)dialect,
		.src_bits = (uint8_t)src,
		.stamp = (uint8_t)stamp,
		.kind = w.frame,
		.length_bits = w.length_bits,
		.type_bits = w.type_bits,
		.type_inst = w.type_inst,
		.type_control = w.type_control,
		.type_data = w.type_data,
		.family = w.padding + 1u,
		.stamp_first = w.stamp_first,
		.prefix = c.type_prefix ? 2 : 0,
	};
	for (unsigned i = 0; i < w.ioptions_width; i++)
		f->family = f->family * 64 + w.ioptions[i];
	if (f->kind == HS_ET_FRAME_ENCAP)
		f->begin = (uint8_t)(8 + src + w.type_bits);
	else if (f->kind == HS_ET_FRAME_JOINED)
		f->begin = (uint8_t)(w.length_bits + w.type_bits);
	else if (f->kind == HS_ET_FRAME_INDEXED)
		f->begin = 24;
	else
		f->begin = (uint8_t)(8 + src);
	if (w.padding == HS_ET_PADDING_BYTES)
		f->spare = (uint8_t)bits_to_byte(f->begin);
}

/* Frame number @i of all.  False: there are fewer. */
static bool find_frame(struct identify_frame *f, unsigned i)
{
	for (size_t k = 0; k < sizeof(rows) / sizeof(*rows); k++) {
		const struct row *r = &rows[k];
		const unsigned sources = r->src / r->step + 1u, all = sources * (r->stamp + 1u);

		if (i < all) {
			identify_frame_of(f, r->dialect, i % sources * r->step, i / sources);
			return true;
		}
		i -= all;
	}
	return false;
}

/* What pins carried was cut by one length of header. */
static bool comes_in(const struct identify_frame *f, const struct identify_way *way)
{
	return !way || !way->headers ||
	       (f->kind == HS_ET_FRAME_ENCAP && f->src_bits / 8 == way->src_bytes &&
	        f->stamp == way->tstamp_bytes);
}

bool identify_next_frame(struct identify_frame *f, unsigned *state, const struct identify_way *way)
{
	while (find_frame(f, (*state)++))
		if (comes_in(f, way))
			return true;
	return false;
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

/* Bytes of the packet that begins with @header; 1: it is none. */
static size_t bytes_of(const struct identify_frame *f, unsigned header)
{
	if (f->kind == HS_ET_FRAME_INDEXED)
		return header > 3 && header < 32 ? header : 1;
	if (!has_source(f))
		return 1 + (header & ((1u << f->length_bits) - 1));
	if ((header & 31) == 0)
		return 1;
	return 1u + f->src_bits / 8 + (header & 0x80 ? f->stamp : 0u) + (header & 31);
}

/* The type of a packet; that of instruction trace where nothing says it. */
static unsigned type_of(const struct identify_frame *f, const uint8_t *p, unsigned begin,
                        const struct identify_payload *whole)
{
	const unsigned mask = (1u << f->type_bits) - 1;

	if (f->prefix)
		return identify_bits(whole, begin - f->prefix, f->prefix) == 2 ? f->type_inst
		                                                               : UINT32_MAX;
	if (!f->type_bits)
		return f->type_inst;
	if (f->kind == HS_ET_FRAME_ENCAP)
		return (unsigned)identify_bits(whole, begin - f->type_bits, f->type_bits);
	return p[0] >> f->length_bits & mask;
}

/* Bits of the timestamp in the packet. */
static unsigned stamp_bits(const struct identify_frame *f, const uint8_t *p)
{
	return has_source(f) && p[0] & 0x80 ? 8u * f->stamp : 0;
}

struct identify_payload identify_payload_of(const struct identify_frame *f, const uint8_t *p,
                                            size_t n)
{
	const unsigned begin = f->begin + stamp_bits(f, p) + f->prefix;

	return (struct identify_payload){ p, (uint16_t)begin, (uint16_t)(8 * n - f->spare) };
}

/* A packet of @n bytes. */
static void take_packet(const struct identify_frame *f, const uint8_t *p, size_t n,
                        struct identify_packets *out, struct sources *sources)
{
	const struct identify_payload whole = { p, 0, (uint16_t)(8 * n) };
	const struct identify_payload payload = identify_payload_of(f, p, n);
	const unsigned stamp = stamp_bits(f, p), begin = payload.at;

	if (begin + 4u >= payload.end)
		return;
	const unsigned source_at = 8 + (f->stamp_first ? stamp : 0),
		       stamp_at = 8u + (f->stamp_first ? 0 : f->src_bits);

	add_source(sources,
	           f->src_bits ? (uint32_t)identify_bits(&whole, source_at, f->src_bits) : 0);
	if (stamp) {
		const uint8_t low = (uint8_t)identify_bits(&whole, stamp_at, 8);

		if (out->stamped == 1)
			out->first_low = low;
		out->low |= low ^ out->first_low;
	}
	const unsigned type = type_of(f, p, begin, &whole);

	if (type == f->type_inst) {
		out->key = (out->key ^ (uint64_t)(p - out->begin) ^ (uint64_t)payload.at << 32 ^
		            (uint64_t)payload.end << 48) *
		           UINT64_C(0x100000001b3);
		out->payload[out->count++] = payload;
	} else if (type == f->type_data) {
		out->data++;
	} else if (type == f->type_control) {
		out->control++;
	}
}

/* Indexes count packets (design/captures). */
static void watch_index(const uint8_t *p, unsigned *next, struct identify_packets *out)
{
	const unsigned index = p[1] | (unsigned)p[2] << 8;

	out->leaps += out->packets && index != *next;
	*next = (index + 1) & 0xffff;
}

/* Do headers contradict each other, whatever comes after them? */
static bool headers_differ(const struct identify_packets *p, const struct identify_frame *f,
                           size_t sources)
{
	if (f->kind == HS_ET_FRAME_ENCAP && (p->flows & (p->flows - 1)) != 0)
		return true;
	return has_source(f) && (sources > COMMON_SOURCES || (!f->stamp && p->stamped));
}

static void cut(const struct hs_span *bytes, const struct identify_frame *f,
                struct identify_packets *out, bool agreeing)
{
	struct sources sources = { .n = 0 };
	size_t at = f->skip < bytes->n ? f->skip : bytes->n;
	unsigned next = 0;

	out->count = out->packets = out->stamped = out->data = out->control = out->leaps =
		out->stray = 0;
	out->flows = out->low = 0;
	out->key = f->family * 4 + f->prefix;
	out->begin = bytes->p;
	while (at < bytes->n && out->count < IDENTIFY_PACKETS) {
		const uint8_t *p = bytes->p + at;
		const size_t n = bytes_of(f, *p);

		if (n > bytes->n - at)
			break;
		at += n;
		if (n == 1) {
			out->stray += *p != 0;
			continue;
		}
		if (f->kind == HS_ET_FRAME_INDEXED)
			watch_index(p, &next, out);
		out->packets++;
		out->stamped += p[0] >> 7;
		out->flows |= (uint8_t)(1u << (p[0] >> 5 & 3));
		take_packet(f, p, n, out, &sources);
		if (agreeing && headers_differ(out, f, sources.n))
			break;
	}
	out->sources = sources.n;
	out->bytes = at;
}

void identify_cut(const struct hs_span *bytes, const struct identify_frame *f,
                  struct identify_packets *out)
{
	cut(bytes, f, out, false);
}

void identify_cut_agreeing(const struct hs_span *bytes, const struct identify_frame *f,
                           struct identify_packets *out)
{
	cut(bytes, f, out, true);
}

/* ---- by their form ------------------------------------------------------------------------ */

/* Do headers contradict each other? */
static bool headers_agree(const struct identify_packets *p, const struct identify_frame *f)
{
	if (f->kind == HS_ET_FRAME_INDEXED)
		return p->leaps * 8 <= p->packets && p->stray * 8 <= p->packets;
	if (headers_differ(p, f, p->sources))
		return false;
	return !has_source(f) || !f->stamp || p->stamped;
}

unsigned identify_agreement(const struct identify_packets *p, const struct identify_frame *f,
                            size_t bytes)
{
	const size_t control = p->control < p->count / 4 + 2 ? p->control : p->count / 4 + 2;
	const size_t known = p->count + p->data + control;

	if (p->packets < 2 || p->count < 2 || p->sources * 4 > p->packets + 3 ||
	    !headers_agree(p, f) || known > p->packets)
		return 0;
	return (unsigned)(known * 10000 / p->packets * p->bytes / bytes);
}

/* Where packets begin, in bytes that begin inside one. */
void identify_align(const struct hs_span *bytes, struct identify_frame *f,
                    struct identify_packets *scratch)
{
	const struct hs_span part = { bytes->p, bytes->n < 2048 ? bytes->n : 2048 };
	unsigned best = 0, skip = 0;

	for (f->skip = 0; f->skip < ALIGN_BYTES; f->skip++) {
		identify_cut_agreeing(&part, f, scratch);
		const unsigned share = identify_agreement(scratch, f, part.n);

		if (share > best) {
			best = share;
			skip = f->skip;
		}
	}
	f->skip = skip;
}

void identify_seek(const struct hs_span *bytes, struct identify_frame *f,
                   struct identify_packets *scratch)
{
	struct identify_frame from = *f;

	for (size_t before = SIZE_MAX; before != from.skip && from.skip < SEEK_BYTES;) {
		identify_cut(bytes, &from, scratch);
		for (size_t i = 0; i < scratch->count; i++) {
			const size_t at = (size_t)(scratch->payload[i].p - bytes->p);

			if (at >= ALIGN_BYTES &&
			    identify_bits(&scratch->payload[i], 0, 4) == START) {
				f->skip = (uint32_t)at;
				return;
			}
		}
		before = from.skip;
		from.skip = (uint32_t)scratch->bytes;
	}
}

bool identify_form(const struct hs_span *bytes, const struct identify_way *way,
                   struct identify_frame *f, struct identify_fit *fit)
{
	struct identify_packets *p = malloc(sizeof(*p));
	const struct hs_span part = { bytes->p, bytes->n < FORM_BYTES ? bytes->n : FORM_BYTES };
	struct identify_frame frame;
	unsigned state = 0, best = 0;

	while (p && part.n && identify_next_frame(&frame, &state, way)) {
		if (way->inside)
			identify_align(&part, &frame, p);
		identify_cut_agreeing(&part, &frame, p);
		unsigned share = identify_agreement(p, &frame, part.n);

		if (!has_source(&frame) && p->packets) /* their types are what bytes of text have */
			share = (unsigned)(share * p->count / p->packets);
		if (share <= best)
			continue;
		best = share;
		*f = frame;
		*fit = (struct identify_fit){ .bytes = part.n,
			                      .explained = part.n * share / 10000,
			                      .messages = p->packets };
	}
	free(p);
	return best != 0;
}
