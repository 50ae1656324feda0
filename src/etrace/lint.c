/* E-Trace's lint: makes packets of bytes, and has each one checked. */
#include "etrace/lint.h"

#include "etrace/etrace.h"

#define LINT struct hs_et_lint
#define LINT_SOURCE struct hs_et_lint_source
#include "flow/lint.h"

/* ---- bytes ---------------------------------------------------------------------- */

enum hs_status hs_et_lint_init(struct hs_et_lint *l, const struct hs_et_config *config,
                               struct hs_et_lint_source *sources, size_t source_count)
{
	struct hs_et_reader reader;
	const enum hs_status s = hs_et_reader_init(&reader, config);

	if (s != HS_OK)
		return s;
	if (reader.config.version == HS_ET_FAST)
		return HS_E_UNSUPPORTED;
	if (source_count == 0)
		return HS_E_ARG;
	memset(l, 0, sizeof *l);
	memcpy(&l->reader, &reader, sizeof l->reader);
	l->options = hs_et_reader_options(&reader);
	l->sources = sources;
	l->capacity = source_count;
	return HS_OK;
}

void hs_et_lint_program(struct hs_et_lint *l, struct hs_et_decoder *decoder)
{
	l->decoder = decoder;
}

/* The next packets of sources are not judged by earlier ones. */
static void lose_sources(struct hs_et_lint *l)
{
	for (size_t i = 0; i < l->count; i++) {
		l->sources[i].state = ET_LINT_UNKNOWN;
		l->sources[i].expected = ET_LINT_EXPECTS_NOTHING;
		l->sources[i].updiscon = false;
		l->sources[i].paused = false;
	}
}

/* Part of the stream could not be read. */
static void lose(struct hs_et_lint *l)
{
	l->damaged = true;
	lose_sources(l);
	if (l->decoder)
		et_lint_flow_lost(l);
}

static void check_packet(struct hs_et_lint *l, enum hs_status status)
{
	struct hs_et_lint_source *s;

	l->packets++;
	if (!et_lint_bytes(l, status)) {
		lose(l);
		return;
	}
	s = et_lint_source(l);
	if (!s)
		return;
	et_lint_frame(l, s);
	if (l->packet.form == HS_ET_FORM_OTHER)
		return;
	et_lint_values(l);
	et_lint_order(l, s);
	if (l->packet.form == HS_ET_FORM_SUPPORT) {
		hs_et_reader_follow(&l->reader, &l->packet);
		s->options = hs_et_reader_options(&l->reader);
	}
	if (l->decoder)
		et_lint_flow(l);
}

/* A null packet: a header of length 0 (EE Null Encapsulation). */
static void check_null(struct hs_et_lint *l)
{
	l->null = l->buffer[0];
	l->nulls = true;
	if (l->null & 0x60)
		et_lint_byte(l, HS_ET_FIND_NULL_FLOW, l->reader.start, l->null >> 5 & 3u);
}

/* The current packet is not a null packet: those before it, if any, end here. */
static void end_nulls(struct hs_et_lint *l)
{
	if (l->nulls && !(l->null & 0x80))
		et_lint_byte(l, HS_ET_FIND_NULL_NOT_ALIGNED, l->packet.offset, 0);
	l->nulls = false;
}

/* Options of the current packet's source. */
static unsigned options_of(const struct hs_et_lint *l)
{
	for (size_t i = 0; i < l->count; i++)
		if (l->sources[i].src == l->packet.src)
			return l->sources[i].options;
	return l->options;
}

/* Drop all bytes but the last @n. */
static void keep_last(struct hs_et_lint *l, unsigned n)
{
	if (l->held > n)
		memmove(l->buffer, l->buffer + l->held - n, n);
	l->held = (uint16_t)n;
}

/* Check the packet without the bytes around it: a reader of packets with an index recognises one by
 * bytes after it, and skips bytes before it. */
static void check_bytes(struct hs_et_lint *l, enum hs_status s)
{
	const unsigned rest = l->reader.held, n = l->packet.length;
	uint8_t after[HS_ET_PACKET_MAX];

	memcpy(after, l->buffer + l->held - rest, rest);
	l->held = (uint16_t)(l->held - rest);
	keep_last(l, n);
	check_packet(l, s);
	memcpy(l->buffer, after, rest);
	l->held = (uint16_t)rest;
}

static void take_byte(struct hs_et_lint *l, uint8_t byte)
{
	const uint64_t nulls = l->reader.nulls;
	struct hs_span one = { &byte, 1 };

	l->offset++;
	l->buffer[l->held++] = byte;
	enum hs_status s = hs_et_read(&l->reader, &one, &l->packet);

	if (s != HS_MORE) {
		s = hs_et_read_again(&l->reader, s, options_of(l), &byte, &one, &l->packet);
		end_nulls(l);
		check_bytes(l, s);
		return;
	}
	if (l->reader.nulls != nulls && et_encapsulated(l->reader.config.wire.frame))
		check_null(l);
	keep_last(l, l->reader.held);
}

static void end_bytes(struct hs_et_lint *l)
{
	if (l->held)
		et_lint_byte(l, HS_ET_FIND_ENDS_INSIDE, l->reader.start, l->held);
}

static void end_source(struct hs_et_lint *l, struct hs_et_lint_source *s)
{
	et_lint_order_end(l, s);
}

enum hs_status hs_et_lint_next(void *lint, struct hs_span *in, struct hs_finding *out)
{
	return next_finding(lint, in, out);
}

enum hs_status hs_et_lint_end(void *lint, struct hs_finding *out)
{
	return next_finding(lint, NULL, out);
}

/* ---- several that read parts of a stream ---------------------------------------- */

void hs_et_lint_take(void *lint, const void *from, const void *sources)
{
	take_lint(lint, from, sources);
}

void hs_et_lint_begin(void *lint, uint64_t offset)
{
	struct hs_et_lint *l = lint;

	lose_sources(l);
	l->offset = offset;
	l->reader.offset = offset;
	l->reader.held = 0;
	l->reader.known = false;
	l->reader.hunting = false;
	l->held = 0;
	l->nulls = false;
}

/* Both are at the same place; inside a packet, with the same bytes of it. */
static bool same_reader(const struct hs_et_reader *a, const struct hs_et_reader *b)
{
	return a->offset == b->offset && a->held == b->held && a->hunting == b->hunting &&
	       a->known == b->known && (!a->known || a->next == b->next) &&
	       (!a->held || a->start == b->start) && memcmp(a->buffer, b->buffer, a->held) == 0 &&
	       hs_et_reader_options(a) == hs_et_reader_options(b);
}

bool hs_et_lint_alike(const void *lint, const void *copy, const void *sources)
{
	const struct hs_et_lint *l = lint, *other = copy;

	return same_sources(l, other, sources) && same_reader(&l->reader, &other->reader) &&
	       l->options == other->options && l->nulls == other->nulls &&
	       (!l->nulls || l->null == other->null) && l->damaged == other->damaged &&
	       l->held == other->held && memcmp(l->buffer, other->buffer, l->held) == 0;
}
