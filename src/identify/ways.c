/* How the bytes may have come: each way, by how well what it gives reads as messages
 * (design/identify). */
#include <stdlib.h>
#include <string.h>

#include <hartscope/capture.h>

#include "identify/private.h"
#include "inputs/inputs.h"

#define LOOK_BYTES ((size_t)1 << 16) /* of the capture, for the form */
#define VALUE_BYTES ((size_t)1 << 12)
#define LEAST_SAMPLES 256
#define RAW_BONUS 300 /* bytes are also samples of pins, without the message that is cut */
#define SERIAL_BONUS 400 /* start, stop and idle of a pin are where they have to be */
#define EACH 4           /* ways of one transport */
#define HEADERS 27    /* 3 widths of srcID in bytes, 9 of the timestamp */

static const struct row {
	const char *transport;
	uint8_t values, headers;
} rows[] = {
#define HS_IDENTIFY_WAY(transport, values, headers) { transport, values, headers },
#include "identify/identify.def"
};

size_t identify_bytes_of(const struct identify_way *way, size_t packed)
{
	return way->samples ? 8 * packed : packed;
}

/* What the ways are looked at for, and those that are worth it so far. */
struct look {
	const struct hs_span *capture;
	struct identify_candidate *out;
	size_t n;
};

/* In order: of equals the one that gives more bytes, else the first stays in front. */
static void keep(struct look *l, const struct identify_way *way, unsigned score, size_t bytes)
{
	size_t at = l->n, same = 0;

	while (at && (l->out[at - 1].score < score ||
	              (l->out[at - 1].score == score && l->out[at - 1].bytes < bytes)))
		at--;
	for (size_t i = 0; i < at; i++)
		same += strcmp(l->out[i].way.transport, way->transport) == 0;
	if (at == IDENTIFY_WAYS || same >= EACH)
		return;
	l->n += l->n < IDENTIFY_WAYS;
	memmove(&l->out[at + 1], &l->out[at], (l->n - 1 - at) * sizeof(*l->out));
	l->out[at] = (struct identify_candidate){ *way, score, bytes };
}

bool identify_is_pins(const char *transport)
{
	struct hs_pin_config c;

	return hs_transport_pins(transport, &c) == HS_OK || strcmp(transport, "vcd") == 0;
}

static bool is_serial(const char *transport)
{
	struct hs_serial_config c;

	return hs_transport_serial(transport, &c) == HS_OK;
}

/* How many of 10,000 bytes read as messages of either protocol. */
static unsigned score_bytes(const struct hs_span *bytes, const struct identify_way *way)
{
	struct identify_guess g = { .config.nt = { .size = sizeof(g.config.nt) } };
	struct identify_frame f;
	struct identify_fit fit;
	unsigned best = 0;

	if (!way->headers && identify_nt_form(bytes, &g))
		best = identify_share(&g.fit);
	if ((way->headers || !identify_is_pins(way->transport)) &&
	    identify_form(bytes, way, &f, &fit) && identify_share(&fit) > best)
		best = identify_share(&fit);
	return best;
}

static void look_at(struct look *l, const struct identify_way *way)
{
	struct identify_bytes b;

	if (!identify_transport(l->capture, way, &b))
		return;
	unsigned score = score_bytes(&b.span, way) +
	                 (strcmp(way->transport, "raw") == 0 ? RAW_BONUS : 0) +
	                 (b.serial ? SERIAL_BONUS : 0);

	if (is_serial(way->transport) && !b.serial)
		score /= 4;
	keep(l, way, score, b.span.n);
	identify_drop_bytes(&b);
}

/* The longest row of bytes whose samples are 0. */
static size_t longest_row(const struct hs_span *b, size_t most, unsigned values)
{
	size_t longest = 0, row = 0;

	for (size_t i = 0; i < b->n && i < most; i++) {
		row = b->p[i] & values ? 0 : row + 1;
		longest = row > longest ? row : longest;
	}
	return longest;
}

/* Bytes that are 0 in a synchronisation sequence (EE Synchronization) that pins carried: of its
 * zeros, of which a byte has one to eight, at most seven are in a byte with what is before them,
 * and at most seven in one with the 1 that ends them. */
static size_t sequence_bytes(const struct identify_way *way)
{
	return 30u + way->src_bytes + way->tstamp_bytes;
}

/* What pins carried depends on how long headers are.  Without a row of zeros nothing synchronises;
 * of a dump (values 0) that is not seen here. */
static void look_at_headers(struct look *l, const struct identify_way *plain, unsigned values)
{
	const size_t row = longest_row(l->capture, plain->most, values);

	for (unsigned i = 0; i < HEADERS; i++) {
		struct identify_way way = *plain;

		way.headers = true;
		way.src_bytes = (uint8_t)(i % 3);
		way.tstamp_bytes = (uint8_t)(i / 3);
		if (row >= sequence_bytes(&way))
			look_at(l, &way);
	}
}

/* The sources of frames, each with bytes of its own. */
static void look_at_frames(struct look *l, struct identify_way *way)
{
	uint64_t ids[2], bytes = 0, good = 0;

	if (!identify_sources(l->capture, way, ids))
		return;
	for (unsigned id = 1; id <= HS_FRAME_SOURCE_MAX; id++) {
		struct identify_bytes b;

		way->source_id = (uint8_t)id;
		if (!(ids[id / 64] >> id % 64 & 1) || !identify_transport(l->capture, way, &b))
			continue;
		bytes += b.span.n;
		good += b.span.n * score_bytes(&b.span, way) / 10000;
		identify_drop_bytes(&b);
	}
	way->source_id = 0;
	keep(l, way, bytes ? (unsigned)(good * 10000 / bytes) : 0, (size_t)bytes);
}

/* The largest byte that samples can be, where all bytes look like samples of a byte each. */
static unsigned largest_sample(const struct hs_span *b)
{
	unsigned most = 0, values = 255;

	if (identify_is_dump(b))
		return 0;
	for (size_t i = 0; i < b->n && i < VALUE_BYTES; i++)
		most = b->p[i] > most ? b->p[i] : most;
	for (size_t i = 0; b->n >= LEAST_SAMPLES && i < sizeof(rows) / sizeof(*rows); i++)
		if (rows[i].values && most <= rows[i].values && rows[i].values < values)
			values = rows[i].values;
	return values;
}

bool identify_is_dump(const struct hs_span *capture)
{
	return hs_file_what_bytes(capture, NULL) == HS_FILE_DUMP;
}

size_t identify_ways(const struct hs_span *capture, const struct identify_way *given,
                     struct identify_candidate out[IDENTIFY_WAYS])
{
	const unsigned values = largest_sample(capture);
	struct look l = { .capture = capture, .out = out };

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		struct identify_way way = *given;

		way.transport = rows[i].transport;
		way.samples = rows[i].values < 255;

		if (rows[i].values != values)
			continue;
		way.most = identify_bytes_of(&way, LOOK_BYTES);
		if (hs_transport_frames(way.transport)) {
			look_at_frames(&l, &way);
			continue;
		}
		look_at(&l, &way);
		if (rows[i].headers)
			look_at_headers(&l, &way, values);
	}
	return l.n;
}

bool identify_is_bytes(const char *transport)
{
	return strcmp(transport, "raw") == 0 || hs_transport_frames(transport);
}
