/* An encoder with a queue after it, block by block: what a full queue loses, or how long it stalls
 * the hart. */
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <hartscope/text.h>

#include "common/tool.h"

#define PIECES 256

/* ---- options ------------------------------------------------------------------------- */

static bool parse_queue(void *queue, const struct option_row *r, char *value)
{
	struct queue_options *q = queue;

	(void)r;
	q->given = true;
	if (hs_text_number(value, 1024, &q->bytes) == HS_OK && q->bytes && q->bytes <= UINT32_MAX)
		return true;
	complain("--queue needs 1 to %u bytes, such as 64 or 4k, not '%s'", UINT32_MAX, value);
	return false;
}

/* A decimal number of bits, above 0, with up to three places after the point. */
static bool parse_drain(void *queue, const struct option_row *r, char *text)
{
	struct queue_options *q = queue;
	uint32_t bits = 0, scale = 0;
	const char *at = text;

	(void)r;
	for (; *at && bits <= UINT32_MAX / 10 - 1 && scale < 10000; at++) {
		if (*at == '.' && !scale)
			scale = 1;
		else if (*at >= '0' && *at <= '9')
			bits = 10 * bits + (uint32_t)(*at - '0');
		else
			break;
		scale *= *at == '.' ? 1 : 10;
	}
	if (*at || !bits || *text == '.' || scale > 1000) {
		complain("--drain needs bits in a cycle, such as 4 or 0.5, not '%s'", text);
		return false;
	}
	q->drain_given = true;
	q->drain_bits = bits;
	q->drain_cycles = scale ? scale : 1;
	return true;
}

static int by_time(const void *a, const void *b)
{
	const struct change *x = a, *y = b;

	return (x->at > y->at) - (x->at < y->at);
}

/* CYCLE:NAME=VALUE */
static bool parse_change(void *queue, const struct option_row *r, char *text)
{
	struct queue_options *q = queue;
	struct change *c = &q->changes[q->change_count];
	char *end = text;

	if (q->change_count == SETTINGS_MAX) {
		complain("%s may be given at most %d times", r->name, SETTINGS_MAX);
		return false;
	}
	errno = 0;
	c->at = strtoull(text, &end, 0);
	if (*text < '0' || *text > '9' || *end != ':' || errno) {
		complain("%s needs CYCLE:NAME=VALUE, not '%s'", r->name, text);
		return false;
	}
	if (!setting_cut(r->name, end + 1, &c->setting))
		return false;
	qsort(q->changes, ++q->change_count, sizeof(*q->changes), by_time);
	return true;
}

/* clang-format off */
const struct option_row options_queue[] = {
	{ "--queue", 0, "BYTES",
	  "of each hart a queue of so many bytes between encoder and port: where messages do "
	  "not fit, they are lost (needs --drain)", PARSED(parse_queue) },
	{ "--drain", 0, "BITS",
	  "bits that leave the queue in a cycle, such as 4 or 0.5; a cycle is a unit of the "
	  "recording's times, or without times that of --cycles-per", PARSED(parse_drain) },
	{ "--stall", 0, NULL,
	  "a full queue stalls the hart: nothing is lost", AS_FLAG(struct queue_options, stall) },
	{ "--options-at", 0, "CYCLE:NAME=VALUE",
	  "etrace: an option that changes while the encoder traces, such as "
	  "5000:full-address=true; may be given several times", PARSED(parse_change) },
	{ .name = NULL }
};
/* clang-format on */

/* ---- an encoder with a queue ---------------------------------------------------------- */

bool port_open(struct port *p, struct feed *f, const struct queue_options *q, const void *config)
{
	const struct hs_queue_config c = { sizeof(c), (uint32_t)q->bytes, q->drain_bits,
		                           q->drain_cycles };

	p->feed = f;
	p->queued = q->given;
	p->changes = q->changes;
	p->change_count = q->change_count;
	p->config = malloc(f->protocol->config_size);
	if (!p->config || !clock_open(&p->clock, f->image))
		return false;
	memcpy(p->config, config, f->protocol->config_size);
	return hs_queue_init(&p->queue, &c) == HS_OK;
}

void port_close(struct port *p)
{
	clock_close(&p->clock);
	free(p->config);
}

/* ---- options that change ------------------------------------------------------------ */

static bool is_running(const struct hs_protocol *p, const char *name)
{
	for (unsigned i = 0; i < p->param_count; i++)
		if (strcmp(p->params[i].name, name) == 0)
			return p->params[i].running;
	return false;
}

static bool change_option(struct port *p, const struct change *c)
{
	const struct hs_protocol *protocol = p->feed->protocol;
	const struct hs_setting *set = &c->setting;
	enum hs_status s = HS_E_UNSUPPORTED;

	if (!protocol->encoder_options || !is_running(protocol, set->name)) {
		hs_error_set(&p->error, HS_E_CONFIG, "--options-at: %s cannot change while %s traces",
		             set->name, protocol->name);
		return false;
	}
	if (hs_protocol_set(protocol, p->config, set->name, set->value, &p->error) != HS_OK)
		return false;
	s = protocol->encoder_options(p->feed->encoder, p->config);
	if (s == HS_OK)
		return true;
	hs_error_set(&p->error, HS_E_CONFIG, "--options-at: %s=%s: %s", set->name, set->value,
	             s == HS_E_UNSUPPORTED ? "support packets of this version and layout cannot say so"
	                                   : "the encoder lacks it, or has no table for it");
	return false;
}

static bool change_options(struct port *p)
{
	while (p->changed < p->change_count && p->changes[p->changed].at <= p->clock.now)
		if (!change_option(p, &p->changes[p->changed++]))
			return false;
	return true;
}

/* ---- the queue ---------------------------------------------------------------------- */

static bool put_bytes(struct port *p, size_t len)
{
	hs_queue_put(&p->queue, len);
	return p->feed->put(p->feed->to, p->feed->out, len);
}

/* The hart waits until @n bytes have room. */
static void stall(struct port *p, size_t n)
{
	const uint64_t cycles = hs_queue_wait(&p->queue, n);

	hs_queue_advance(&p->queue, cycles);
	p->stalled += cycles;
}

static size_t room(const struct port *p)
{
	const size_t n = hs_queue_room(&p->queue);

	return n < FEED_ROOM ? n : FEED_ROOM;
}

static void note_loss(struct port *p, const struct hs_block *b, enum hs_status s, size_t len)
{
	if (s == HS_OK) {
		p->losing = p->losing && len == 0;
	} else if ((b->kind == HS_KIND_DATA || b->kind == HS_KIND_VALUE) && !p->losing) {
		p->data_lost++;
	} else {
		p->losses += !p->losing;
		p->losing = true;
	}
}

/* Encode an item, waiting for room while the encoder stalls the hart.  A message that is larger
 * than the queue goes through when it is empty.  False: the output cannot be written. */
static bool put_item(struct port *p, const struct hs_block *b, enum hs_status *s)
{
	const struct feed *f = p->feed;
	size_t cap = room(p), len;

	for (;;) {
		*s = f->protocol->encode_port(f->encoder, b, f->out, cap, &len);
		if (!put_bytes(p, len))
			return false;
		if (*s != HS_FULL)
			break;
		const bool empty = hs_queue_wait(&p->queue, SIZE_MAX) == 0;

		if (!empty)
			stall(p, room(p) + 1);
		cap = empty ? FEED_ROOM : room(p);
	}
	stall(p, 0);
	if (*s == HS_OK || *s == HS_E_LOST)
		note_loss(p, b, *s, len);
	return true;
}

/* Count @b as refused.  The trace is off there, so that no flow leads across it. */
static bool refuse_item(struct port *p, enum hs_status s, const struct hs_block *b)
{
	const struct hs_block gap = { .kind = HS_KIND_GAP, .arg = HS_E_BLOCK };

	feed_refuse(p->feed, s, b);
	return put_item(p, &gap, &s);
}

/* A block that is longer than the encoder's counter, in pieces. */
static bool put_pieces(struct port *p, const struct hs_block *b)
{
	struct hs_block pieces[PIECES];
	enum hs_status s = HS_E_BLOCK;
	size_t n;

	for (uint32_t limit = 1u << 20; b->kind == HS_KIND_BLOCK && limit >= 16; limit /= 2) {
		if (hs_block_split(p->feed->image, b, limit, pieces, PIECES, &n) != HS_OK)
			break;
		if (!put_item(p, &pieces[0], &s))
			return false;
		for (size_t i = 1; i < n && s != HS_E_BLOCK; i++)
			if (!put_item(p, &pieces[i], &s))
				return false;
		if (s != HS_E_BLOCK)
			return true;
	}
	return refuse_item(p, s, b);
}

/* A block as the encoder can take it (feed_adapt()). */
static bool put_adapted(struct port *p, const struct hs_block *b)
{
	struct hs_block own;
	const bool whole = feed_adapt(p->feed, b, &own);
	enum hs_status s;

	if (feed_gives_cause(p->feed, b) && !put_item(p, &p->feed->cause, &s))
		return false;
	feed_remember(p->feed, &own);
	if (!put_item(p, &own, &s) || (s == HS_E_BLOCK && !put_pieces(p, &own)))
		return false;
	return whole || refuse_item(p, HS_E_BLOCK, b);
}

bool port_blocks(struct port *p, const struct hs_block *b, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (!change_options(p))
			return false;
		const uint64_t now = clock_pass(&p->clock, &b[i]);

		if (!p->queued) {
			if (!feed_blocks(p->feed, &b[i], 1))
				return false;
			continue;
		}
		hs_queue_advance(&p->queue, now - p->passed);
		p->passed = now;
		if (!put_adapted(p, &b[i]))
			return false;
	}
	return true;
}
