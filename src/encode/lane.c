/* A hart with its encoder: what it executed goes through the filters to the output. */
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "encode/private.h"
#include "ingress/ingress.h"
#include "source/source.h"
#include "trace/trace.h"

#define OTHER_PIECE 64

/* ---- the output ------------------------------------------------------------------------ */

/* Some bytes of each other trace.  False: the output cannot be written; *more: there are others. */
static bool put_others(struct hs_encode *e, bool *more)
{
	uint8_t bytes[OTHER_PIECE];
	bool good = true;

	*more = false;
	for (size_t i = 0; good && i < e->apart.other_count; i++) {
		const ssize_t n = read(e->apart.others[i].fd, bytes, sizeof(bytes));

		*more |= n > 0;
		good = n <= 0 || encode_pins_put(&e->pins, e->apart.others[i].id, bytes, (size_t)n);
	}
	return good;
}

bool encode_put_others(struct hs_encode *e)
{
	bool more = e->apart.other_count, good = true;

	while (more && good)
		good = put_others(e, &more);
	return good;
}

bool encode_put(void *lane, const uint8_t *bytes, size_t n)
{
	struct encode_lane *l = lane;
	struct hs_encode *e = l->e;
	bool more;

	e->bytes += n;
	for (size_t at = 0; at < n; at += OTHER_PIECE) {
		const size_t piece =
			e->apart.other_count && n - at > OTHER_PIECE ? OTHER_PIECE : n - at;

		if (!encode_pins_put(&e->pins, l->id, bytes + at, piece) ||
		    (e->apart.other_count && !put_others(e, &more)))
			return false;
		if (!e->apart.other_count)
			break;
	}
	return true;
}

/* ---- items ------------------------------------------------------------------------------- */

/* In these functions false says that encoding cannot go on. */
static bool put_of_one_program(const struct hs_encode *e, struct encode_lane *l,
                               const struct hs_block *b, size_t n)
{
	for (size_t i = 0; i < n; i++)
		l->blocks += b[i].kind == HS_KIND_BLOCK;
	const bool good = e->queued ? encode_queue_blocks(&l->queue, b, n)
	                            : encode_feed_blocks(&l->feed, b, n);

	if (l->queue.error.status != HS_OK)
		l->error = l->queue.error;
	if (l->feed.error.status != HS_OK)
		l->error = l->feed.error;
	return good;
}

static bool put_blocks(const struct hs_encode *e, struct encode_lane *l, const struct hs_block *b,
                       size_t n)
{
	const struct hs_program_set *set = e->source ? hs_source_programs(e->source) : NULL;
	const struct hs_image *image;
	size_t from = 0;
	bool good = true;

	for (size_t i = 0; good && set && set->count && i < n; i++) {
		if (!source_is_process(&b[i]))
			continue;
		good = put_of_one_program(e, l, b + from, i + 1 - from);
		from = i + 1;
		image = source_image_of(e->source, b[i].value);
		l->feed.image = image ? image : l->feed.image;
	}
	return good && (from == n || put_of_one_program(e, l, b + from, n - from));
}

/* What the filters let through. */
static bool put_items(struct hs_encode *e, struct encode_lane *l, const struct hs_block *b,
                      size_t count)
{
	bool good = true;

	if (!e->filtered)
		return put_blocks(e, l, b, count);
	for (size_t at = 0, used, n; good && at < count; at += used) {
		hs_qualify(&l->qualifier, b + at, count - at, &used, l->qualified, ENCODE_BATCH,
		           &n);
		good = put_blocks(e, l, l->qualified, n);
	}
	return good;
}

static const struct hs_image *image_of(const struct hs_encode *e)
{
	if (e->transcodes)
		return hs_program_image(hs_source_program(e->source));
	return e->source ? hs_source_image(e->source) : hs_rec_image(e->rec);
}

static enum hs_status code_of(const struct hs_encode *e, uint32_t number, struct hs_section *code)
{
	return e->source ? hs_source_code(e->source, number, code)
	                 : hs_rec_code(e->rec, number, code);
}

bool encode_note_change(struct hs_encode *e, struct encode_lane *l, uint32_t number,
                        uint64_t blocks)
{
	struct hs_code_change c = { .hart = l->hart, .blocks = blocks, .offset = e->bytes };

	if (l->buffer && !encode_perf_place(l->buffer, &c.offset))
		return false;
	if (code_of(e, number, &c.code) == HS_OK && hs_code_changes_add(e->changes, &c) == HS_OK)
		return !l->buffer || encode_perf_poke(l->buffer, &c.code);
	encode_no_memory(&l->error);
	return false;
}

/* Is it more than something to encode? */
static bool is_noted(const struct encode_lane *l, const struct hs_block *item)
{
	return item->kind == HS_KIND_VERSION || (l->buffer && item->kind == HS_KIND_CONTEXT);
}

uint64_t encode_count_blocks(const struct hs_encode *e)
{
	uint64_t n = 0;

	for (uint32_t i = 0; i < e->count; i++)
		n += e->lanes[i].blocks;
	return n;
}

/* The clock of a perf.data: that of the recording, or how much is encoded. */
static void set_time(struct hs_encode *e, const struct encode_lane *l)
{
	if (l->buffer)
		encode_perf_set_time(e->perf, e->timed ? l->time : encode_count_blocks(e));
}

/* When the item at place @at of what was read happens: with the block after it, else after the one
 * before. */
static void set_time_at(struct hs_encode *e, struct encode_lane *l, size_t at)
{
	for (size_t i = at; e->timed && i < l->n && l->read[i].kind != HS_KIND_BLOCK; i++)
		if (l->read[i].kind == HS_KIND_TIME) {
			l->time = l->read[i].value;
			break;
		}
	for (size_t i = at; e->timed && i-- > 0;)
		if (l->read[i].kind == HS_KIND_TIME) {
			if (l->time < l->read[i].value)
				l->time = l->read[i].value;
			break;
		}
	set_time(e, l);
}

/* Note what comes at place @at of what was read, and encode it if that is to be. */
static bool note_item(struct hs_encode *e, struct encode_lane *l, size_t at)
{
	const struct hs_block *item = &l->read[at];

	if (l->buffer)
		set_time_at(e, l, at);
	if (item->kind == HS_KIND_VERSION)
		return l->batch ? encode_keep_change(l, item->arg)
		                : encode_note_change(e, l, item->arg, l->blocks);
	return encode_perf_item(l->buffer, item) && put_items(e, l, item, 1);
}

/* @return  false.  A batch's reason is taken when its turn comes. */
static bool fail_lane(struct hs_encode *e, const struct encode_lane *l)
{
	if (!l->batch && l->error.status != HS_OK)
		e->error = l->error;
	return false;
}

bool encode_lane_blocks(struct hs_encode *e, struct encode_lane *l)
{
	bool good = true;

	for (size_t at = 0, end; good && at < l->n; at = end + 1) {
		for (end = at; end < l->n && !is_noted(l, &l->read[end]); end++)
			continue;
		good = put_items(e, l, l->read + at, end - at);
		if (good && end < l->n)
			good = note_item(e, l, end);
	}
	return good || fail_lane(e, l);
}

bool encode_lane_end(struct hs_encode *e, struct encode_lane *l)
{
	const bool good = encode_feed_end(&l->feed);

	if (l->feed.error.status != HS_OK)
		l->error = l->feed.error;
	return good || fail_lane(e, l);
}

/* The next batch: of a recording what one call gives, of a trace as much as has room, so that it
 * does not depend on threads. */
static bool fill(struct encode_lane *l)
{
	const size_t room = l->e->timed ? ENCODE_TIMED_BATCH : ENCODE_BATCH;
	const size_t wanted = l->e->transcodes ? room : 1;
	size_t n;

	for (l->n = 0; l->n < wanted && !l->read_all; l->n += n)
		l->read_all = !encode_read(l->source, &l->faults, l->read + l->n, room - l->n, &n);
	return l->n != 0;
}

bool encode_lane_batch(struct hs_encode *e, struct encode_lane *l, bool *ended)
{
	set_time(e, l);
	*ended = !fill(l);
	return *ended ? encode_lane_end(e, l) : encode_lane_blocks(e, l);
}

/* ---- set-up ------------------------------------------------------------------------------ */

static enum hs_status open_filter(struct hs_encode *e, struct encode_lane *l, uint32_t hart)
{
	const void *config = hs_trace_params_config(e->params);
	const struct hs_image *image = image_of(e);
	struct hs_protocol_traits traits;

	if (!e->filter.address_bits && image->isa.xlen == 32)
		e->filter.address_bits = 32;
	if (hs_qualifier_init(&l->qualifier, &e->filter, image) != HS_OK)
		return hs_error_set(&e->error, HS_E_CONFIG, "filters out of range");
	hs_qualifier_set_hart(&l->qualifier, hart);
	hs_protocol_check(e->protocol, config, &traits);
	if (!traits.has_filters || hs_qualifier_supported(&e->filter, &traits.filters) == HS_OK)
		return HS_OK;
	return hs_error_set(
		&e->error, HS_E_CONFIG,
		"the filters need more than the encoder has by comparators_p, filters_p, "
		"filter_*_p and ecause_choice_p");
}

/* Where its bytes go. */
static enum hs_status open_output(struct hs_encode *e, struct encode_lane *l)
{
	l->faults = e->faults;
	l->feed = (struct encode_feed){ .protocol = e->protocol,
		                        .image = image_of(e),
		                        .out = e->out,
		                        .put = encode_put,
		                        .to = l,
		                        .faults = e->faults };
	if (!e->perf)
		return HS_OK;
	if (e->o.perf->frames && e->count > HS_FRAME_SOURCE_MAX)
		return hs_error_set(&e->error, HS_E_CONFIG,
		                    "--perf-data: frames have IDs for %u harts at most",
		                    HS_FRAME_SOURCE_MAX);
	l->buffer = encode_perf_add(e->perf, l->hart);
	if (!l->buffer)
		return encode_no_memory(&e->error);
	l->feed.put = encode_perf_put;
	l->feed.to = l->buffer;
	return HS_OK;
}

static enum hs_status open_encoder(struct hs_encode *e, struct encode_lane *l)
{
	encode_feed_configure(&l->feed, hs_trace_params_config(e->params));
	encode_feed_limit(&l->feed, hs_trace_params_config(e->params));
	if (e->set_id)
		hs_protocol_set_hart(e->protocol, hs_trace_params_edit_config(e->params), l->hart);
	const void *config = hs_trace_params_config(e->params);

	const enum hs_status s = hs_encoder_new(&l->feed.encoder, e->protocol, config);

	if (s == HS_E_MEMORY)
		return encode_no_memory(&e->error);
	if (s == HS_OK && e->queued && !encode_queue_open(&l->queue, &l->feed, &e->o, config))
		return encode_no_memory(&e->error);
	if (s == HS_OK || hs_trace_params_check(e->params, &e->error) != HS_OK)
		return s;
	if (s == HS_E_UNSUPPORTED)
		return hs_error_set(
			&e->error, s,
			"%s: what is decoded only: dialect=rv-tracer or cva6, layout.frame=slot "
			"or slot-head (legal: any other), layout.long_sign=1 (legal: 0), "
			"layout.block_end=1 (legal: 0), layout.address_last=1 (legal: 0), "
			"layout.map_ahead=1 (legal: 0)",
			e->protocol->name);
	return hs_error_set(&e->error, s, "%s: %s", e->protocol->name, hs_status_text(s));
}

enum hs_status encode_add_lane(struct hs_encode *e, const struct hs_source_options *source,
                               uint32_t hart)
{
	struct encode_lane *l = &e->lanes[e->count++];
	enum hs_status s = HS_OK;

	l->hart = hart;
	l->e = e;
	l->id = (uint8_t)e->count;
	if (e->transcodes)
		s = encode_open_trace_hart(e, source, hart, e->count == 1, &l->source);
	else if (e->source)
		s = hs_source_open_hart(e->source, hart, &l->source, &e->error);
	if (s == HS_OK)
		s = open_filter(e, l, hart);
	if (s == HS_OK)
		s = open_output(e, l);
	return s == HS_OK ? open_encoder(e, l) : s;
}

/* Room for the numbers of all harts.  A single hart does without its number where that does not
 * fit. */
static enum hs_status set_sources(struct hs_encode *e, uint32_t ids, uint32_t count)
{
	void *config = hs_trace_params_edit_config(e->params);

	if (hs_protocol_set_sources(e->protocol, config, e->set_id ? ids : 1) == HS_OK)
		return HS_OK;
	e->set_id = count > 1;
	if (!e->set_id && hs_protocol_set_sources(e->protocol, config, 1) == HS_OK)
		return HS_OK;
	return hs_error_set(&e->error, HS_E_CONFIG,
	                    "%u harts do not fit the number of sources of %s (trTeSrcBits)", ids,
	                    e->protocol->name);
}

/* Do the harts have the numbers of frames? */
static enum hs_status check_frames(struct hs_encode *e, uint32_t count)
{
	if (count + e->apart.other_count > HS_FRAME_SOURCE_MAX)
		return hs_error_set(&e->error, HS_E_CONFIG, "frames have IDs for %u sources",
		                    HS_FRAME_SOURCE_MAX);
	for (size_t i = 0; i < e->apart.other_count; i++)
		if (e->apart.others[i].id <= count)
			return hs_error_set(&e->error, HS_E_CONFIG,
			                    "--source 0x%x: the harts have the IDs 1 to %u",
			                    e->apart.others[i].id, count);
	return HS_OK;
}

/* Addresses are extended from the width of the hart: another one cannot be decoded. */
static enum hs_status check_xlen(struct hs_encode *e)
{
	const unsigned xlen = image_of(e)->isa.xlen;
	const uint64_t given = hs_trace_params_number(e->params, "xlen");

	return !given || given == xlen
	               ? HS_OK
	               : hs_error_set(&e->error, HS_E_CONFIG,
	                              "xlen=%u: the program is of %u bits (legal: 0, %u)",
	                              (unsigned)given, xlen, xlen);
}

enum hs_status encode_prepare_lanes(struct hs_encode *e, uint32_t ids, uint32_t count)
{
	/* of a single hart, options may choose the number; a buffer says itself whose it is */
	const bool own_id = hs_trace_params_chose(e->params, "trTeSrcID") || e->o.params->registers;
	const bool framed = hs_transport_frames(e->o.transport);
	const bool apart = e->o.perf || framed; /* each hart in bytes of its own */

	if (check_xlen(e) != HS_OK)
		return e->error.status;
	hs_trace_params_set_default_width(e->params, &image_of(e)->isa);
	e->set_id = apart ? hs_trace_params_chose(e->params, "trTeSrcBits") : count > 1 || !own_id;
	if (framed && check_frames(e, count) != HS_OK)
		return e->error.status;
	e->lanes = calloc(count ? count : 1, sizeof(*e->lanes));
	e->out = malloc(ENCODE_ROOM);
	e->most = count;
	if (!e->lanes || !e->out || hs_code_changes_new(&e->changes) != HS_OK)
		return encode_no_memory(&e->error);
	return set_sources(e, apart ? 1 : ids, count);
}

void encode_close_lanes(struct hs_encode *e)
{
	for (uint32_t i = 0; i < e->count; i++) {
		hs_source_close(e->lanes[i].source);
		encode_queue_close(&e->lanes[i].queue);
		hs_encoder_free(e->lanes[i].feed.encoder);
		free(e->lanes[i].clock);
	}
	free(e->lanes);
	free(e->out);
}
