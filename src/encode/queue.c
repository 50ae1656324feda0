/* An encoder with a queue after it, block by block: what a full queue loses, or how long it stalls
 * the hart. */
#include <stdlib.h>
#include <string.h>

#include "core/core.h"
#include "encode/private.h"
#include "trace/trace.h"

#define PIECES 256

bool encode_queue_open(struct encode_queue *p, struct encode_feed *f,
                       const struct hs_encode_options *o, const void *config)
{
	p->feed = f;
	p->queued = o->queue != NULL;
	p->changes = o->changes;
	p->change_count = o->change_count;
	p->config = malloc(f->protocol->config_size);
	if (!p->config || !encode_clock_open(&p->clock, f->image))
		return false;
	memcpy(p->config, config, f->protocol->config_size);
	return !o->queue || hs_queue_init(&p->queue, o->queue) == HS_OK;
}

void encode_queue_close(struct encode_queue *p)
{
	encode_clock_close(&p->clock);
	free(p->config);
}

/* ---- options that change ------------------------------------------------------------ */

static bool is_running(const struct hs_protocol *p, const char *name)
{
	const unsigned i = hs_protocol_param(p, name);

	return i < p->param_count && p->params[i].running;
}

static bool change_option(struct encode_queue *p, const struct hs_encode_change *c)
{
	const struct hs_protocol *protocol = p->feed->protocol;
	const struct hs_setting *set = &c->setting;
	enum hs_status s = HS_E_UNSUPPORTED;

	if (!is_running(protocol, set->name)) {
		hs_error_set(&p->error, HS_E_CONFIG,
		             "--options-at: %s cannot change while %s traces", set->name,
		             protocol->name);
		return false;
	}
	if (hs_protocol_set(protocol, p->config, set->name, set->value, &p->error) != HS_OK)
		return false;
	s = hs_encoder_set_options(p->feed->encoder, p->config);
	if (s == HS_OK)
		return true;
	hs_error_set(&p->error, HS_E_CONFIG, "--options-at: %s=%s: %s", set->name, set->value,
	             s == HS_E_UNSUPPORTED
	                     ? "support packets of this version and layout cannot say so"
	                     : "the encoder lacks it, or has no table for it");
	return false;
}

static bool change_options(struct encode_queue *p)
{
	while (p->changed < p->change_count && p->changes[p->changed].at <= p->clock.now)
		if (!change_option(p, &p->changes[p->changed++]))
			return false;
	return true;
}

/* ---- the queue ---------------------------------------------------------------------- */

static bool put_bytes(struct encode_queue *p, size_t len)
{
	hs_queue_put(&p->queue, len);
	return p->feed->put(p->feed->to, p->feed->out, len);
}

/* The hart waits until @n bytes have room. */
static void stall(struct encode_queue *p, size_t n)
{
	const uint64_t cycles = hs_queue_wait(&p->queue, n);

	hs_queue_advance(&p->queue, cycles);
	p->stalled += cycles;
}

static size_t room(const struct encode_queue *p)
{
	const size_t n = hs_queue_room(&p->queue);

	return n < ENCODE_ROOM ? n : ENCODE_ROOM;
}

static void note_loss(struct encode_queue *p, const struct hs_block *b, enum hs_status s,
                      size_t len)
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
static bool put_item(struct encode_queue *p, const struct hs_block *b, enum hs_status *s)
{
	struct encode_feed *f = p->feed;
	size_t cap = room(p), len;

	if (!encode_feed_fits(f, b, 1))
		return false;
	for (;;) {
		*s = hs_encoder_queue(f->encoder, b, f->out, cap, &len);
		if (!put_bytes(p, len))
			return false;
		if (*s != HS_FULL)
			break;
		const bool empty = hs_queue_wait(&p->queue, SIZE_MAX) == 0;

		if (!empty)
			stall(p, room(p) + 1);
		cap = empty ? ENCODE_ROOM : room(p);
	}
	stall(p, 0);
	if (*s == HS_OK || *s == HS_E_LOST)
		note_loss(p, b, *s, len);
	return true;
}

/* Count @b as refused.  The trace is off there, so that no flow leads across it. */
static bool refuse_item(struct encode_queue *p, enum hs_status s, const struct hs_block *b)
{
	const struct hs_block gap = { .kind = HS_KIND_GAP, .arg = HS_E_BLOCK };

	encode_feed_refuse(p->feed, s, b);
	return put_item(p, &gap, &s);
}

/* A block that is longer than the encoder's counter, in pieces. */
static bool put_pieces(struct encode_queue *p, const struct hs_block *b)
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

/* A block as the encoder can take it (encode_feed_adapt()). */
static bool put_adapted(struct encode_queue *p, const struct hs_block *b)
{
	struct hs_block own;
	const bool whole = encode_feed_adapt(p->feed, b, &own);
	enum hs_status s;

	if (encode_feed_gives_cause(p->feed, b) && !put_item(p, &p->feed->cause, &s))
		return false;
	encode_feed_remember(p->feed, &own);
	if (!put_item(p, &own, &s) || (s == HS_E_BLOCK && !put_pieces(p, &own)))
		return false;
	return whole || refuse_item(p, HS_E_BLOCK, b);
}

bool encode_queue_blocks(struct encode_queue *p, const struct hs_block *b, size_t n)
{
	for (size_t i = 0; i < n; i++) {
		if (!change_options(p))
			return false;
		const uint64_t now = encode_clock_pass(&p->clock, &b[i]);

		if (!p->queued) {
			if (!encode_feed_blocks(p->feed, &b[i], 1))
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
