/* Making a trace from its beginning to its files. */
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <hartscope/capture.h>

#include "core/config.h"
#include "encode/private.h"
#include "ingress/ingress.h"
#include "program/program.h"
#include "source/source.h"
#include "trace/trace.h"

/* Do messages of this configuration have times? */
static bool is_timed(const struct hs_encode *e)
{
	struct hs_protocol_traits traits;

	hs_protocol_check(e->protocol, hs_trace_params_config(e->params), &traits);
	return traits.timed;
}

/* Blocks will come while a program runs.  The clocks of harts differ, and what is written cannot
 * wait for the slowest. */
static enum hs_status begin_live(struct hs_encode *e)
{
	e->timed = is_timed(e);
	if (e->timed && e->o.harts > 1)
		return hs_error_set(&e->error, HS_E_CONFIG,
		                    "timestamps of several harts need a recording: encode it");
	e->path = e->o.recording;
	return encode_pins_open(&e->pins, &e->o, &e->error);
}

enum hs_status hs_encode_new(const struct hs_encode_options *options, struct hs_encode **out,
                             struct hs_error *error)
{
	static const struct hs_trace_params_options defaults = { .size = sizeof(defaults) };
	struct hs_encode *e = calloc(1, sizeof(*e));
	enum hs_status s;

	if (!e)
		return encode_no_memory(error);
	s = base_take_config(&e->o, sizeof(e->o), options);
	if (s == HS_OK) {
		e->o.params = e->o.params ? e->o.params : &defaults;
		e->faults = (struct encode_faults){ e->o.fault, e->o.to };
		s = encode_set_up(e);
	} else {
		hs_error_set(&e->error, s, "options of an encoder that this library lacks");
	}
	if (s == HS_OK && e->o.harts)
		s = begin_live(e);
	if (s == HS_OK) {
		*out = e;
		return HS_OK;
	}
	if (error)
		*error = e->error;
	hs_encode_free(e);
	return s;
}

void hs_encode_free(struct hs_encode *e)
{
	if (!e)
		return;
	encode_close_lanes(e);
	for (size_t i = 0; i < e->apart.other_count; i++)
		close(e->apart.others[i].fd);
	free(e->apart.others);
	encode_pins_close(&e->pins);
	encode_perf_close(e->perf);
	hs_trace_params_free(e->params);
	hs_code_changes_free(e->changes);
	hs_source_close(e->source);
	free(e);
}

/* ---- what is encoded --------------------------------------------------------------------- */

static enum hs_status check_trace(struct hs_encode *e)
{
	if (e->o.perf)
		return hs_error_set(
			&e->error, HS_E_CONFIG,
			"--perf-data needs a recording or flow: what ran is not in a trace");
	if (e->timed)
		return hs_error_set(
			&e->error, HS_E_CONFIG,
			"%s: timestamps need a recording or flow with a clock: decode it "
			"first",
			e->path);
	return HS_OK;
}

/* A trace would be a source, too; this says what is wrong. */
static enum hs_status check_recording(struct hs_encode *e, const struct hs_source_options *so)
{
	struct hs_rec *rec;

	if (so->code_count)
		return hs_error_set(&e->error, HS_E_CONFIG,
		                    "--elf and the like are for a trace; a recording has its code");
	if (so->files || hs_file_what(so->path, NULL) == HS_FILE_RECORDING)
		return HS_OK;
	const enum hs_status s = hs_rec_open(so->path, &rec, &e->error);

	if (s == HS_OK)
		hs_rec_close(rec);
	return s;
}

static enum hs_status open_source(struct hs_encode *e, struct hs_source_options *so)
{
	static const struct hs_clock_config by_default = { .size = sizeof(by_default) };
	enum hs_status s;

	e->path = so->path;
	e->timed = so->clock || is_timed(e);
	if (e->timed && !so->clock)
		so->clock = &by_default;
	e->transcodes = so->trace.p || (!so->files && so->path && encode_is_trace(so->path));
	if (e->transcodes)
		so->no_code = false;
	s = e->transcodes ? check_trace(e) : check_recording(e, so);
	if (s == HS_OK)
		s = hs_source_open(so, &e->source, &e->error);
	if (s == HS_OK && e->o.opened)
		s = e->o.opened(e->o.to, e->source, &e->error);
	return s;
}

/* A lane for each of them. */
static enum hs_status open_lanes(struct hs_encode *e, const struct hs_source_options *so,
                                 const uint32_t *harts, uint32_t count)
{
	uint32_t highest = 0;
	enum hs_status s;

	for (uint32_t i = 0; i < count; i++)
		highest = harts[i] > highest ? harts[i] : highest;
	s = encode_prepare_lanes(e, highest + 1, count);
	if (s != HS_OK)
		return s;
	if (e->o.perf)
		e->perf = encode_perf_open(e->o.perf, e->params, e->source, &e->error);
	if (e->o.perf && !e->perf)
		return e->error.status;
	for (uint32_t i = 0; i < count && s == HS_OK; i++)
		s = encode_add_lane(e, so, harts[i]);
	if (s == HS_OK && e->set_id)
		hs_protocol_set_hart(e->protocol, hs_trace_params_edit_config(e->params), 0);
	return s;
}

static enum hs_status open_harts(struct hs_encode *e, const struct hs_source_options *so)
{
	struct source_harts harts;

	if (so->one_hart)
		return open_lanes(e, so, &so->hart, 1);
	enum hs_status s = source_read_harts(e->source, &harts, &e->error);

	if (s == HS_OK)
		s = open_lanes(e, so, harts.numbers, harts.count);
	free(harts.numbers);
	return s;
}

enum hs_status hs_encode_open(struct hs_encode *e, const struct hs_source_options *source,
                              struct hs_error *error)
{
	struct hs_source_options so;
	enum hs_status s = base_take_config(&so, sizeof(so), source);

	if (e->source || e->lanes)
		return hs_error_set(error, HS_E_ARG, "this trace has its source already");
	if (s != HS_OK)
		hs_error_set(&e->error, s, "options of a source that this library lacks");
	else if (!so.path && !so.trace.p && !so.files)
		s = hs_error_set(&e->error, HS_E_CONFIG, "options of a source without one");
	if (s == HS_OK)
		s = open_source(e, &so);
	if (s == HS_OK)
		s = open_harts(e, &so);
	if (s == HS_OK)
		s = encode_pins_open(&e->pins, &e->o, &e->error);
	if (s != HS_OK && error)
		*error = e->error;
	return s;
}

/* ---- bytes ------------------------------------------------------------------------------- */

/* A recording of a program has the files that it mapped. */
static bool begin_perf(struct hs_encode *e)
{
	return !e->perf ||
	       encode_perf_begin(e->perf, hs_source_info(e->source)->map_count == 0, e->timed);
}

/* Why it cannot go on: where nothing says it, the output is the reason. */
static enum hs_status say_why(struct hs_encode *e, struct hs_error *error)
{
	if (e->error.status == HS_OK)
		return hs_error_set(error, HS_E_SYSTEM, "the trace cannot be written");
	if (error)
		*error = e->error;
	return e->error.status;
}

static bool came_to(struct hs_encode *e, bool good)
{
	e->state = good ? ENCODE_GOOD : ENCODE_FAILED;
	return good;
}

enum hs_status hs_encode_run(struct hs_encode *e, struct hs_error *error)
{
	if (e->state != ENCODE_READY)
		return hs_error_set(error, HS_E_ARG, "this trace was encoded before");
	const bool good = begin_perf(e) && encode_all(e) && encode_put_others(e) &&
	                  encode_pins_end(&e->pins) &&
	                  (!e->perf || encode_perf_end(e->perf, e->o.write, e->o.to));

	return came_to(e, good) ? HS_OK : say_why(e, error);
}

/* ---- a program that runs ------------------------------------------------------------------ */

/* False: no memory. */
static bool start_clock(struct hs_encode *e, struct encode_lane *l)
{
	if (!e->timed)
		return true;
	l->clock = malloc(sizeof(*l->clock));
	if (!l->clock || hs_clock_init(l->clock, NULL, hs_rec_image(e->rec)) != HS_OK) {
		encode_no_memory(&e->error);
		return false;
	}
	return true;
}

/* The lane of a hart; NULL: there are no more, or it cannot be opened. */
static struct encode_lane *find_lane(struct hs_encode *e, uint32_t hart)
{
	for (uint32_t i = 0; i < e->count; i++)
		if (e->lanes[i].hart == hart)
			return &e->lanes[i];
	if (hart >= e->most || e->count == e->most || encode_add_lane(e, NULL, hart) != HS_OK)
		return NULL;
	return start_clock(e, &e->lanes[e->count - 1]) ? &e->lanes[e->count - 1] : NULL;
}

/* The next blocks for a lane's encoder, with times where it needs them. */
static size_t next_batch(struct encode_lane *l, const struct hs_block *b, size_t n)
{
	size_t used = n < ENCODE_BATCH ? n : ENCODE_BATCH;

	l->n = used;
	if (l->clock)
		hs_clock_run(l->clock, b, n, &used, l->read, ENCODE_BATCH, &l->n);
	else
		memcpy(l->read, b, used * sizeof(*b));
	return used;
}

static bool take_blocks(struct hs_encode *e, struct encode_lane *l, const struct hs_block *b,
                        size_t n)
{
	bool good = true;

	if (n == 0)
		return encode_lane_end(e, l);
	for (size_t at = 0; good && at < n;) {
		at += next_batch(l, b + at, n - at);
		good = encode_lane_blocks(e, l);
	}
	return good;
}

bool hs_encode_take(void *encode, const struct hs_rec *rec, uint32_t hart, const struct hs_block *b,
                    size_t n)
{
	struct hs_encode *e = encode;
	struct encode_lane *l = NULL;

	e->rec = rec;
	if (e->lanes || encode_prepare_lanes(e, e->o.harts, e->o.harts) == HS_OK)
		l = find_lane(e, hart);
	if (!l)
		e->left_out += n == 0;
	return came_to(e, l ? take_blocks(e, l, b, n) : e->error.status == HS_OK);
}

/* ---- files --------------------------------------------------------------------------------- */

/* May the recording that TRACE.json names be read?  What we write counts as the user's own words,
 * and so must not repeat those of somebody else (design/names). */
static bool may_name(const struct hs_encode *e, const char *recording)
{
	char json[PATH_MAX];
	const int n = snprintf(json, sizeof(json), "%s.json", e->path ? e->path : "");

	return (e->path && (size_t)n < sizeof(json) && hs_is_own(json)) ||
	       hs_program_allows(hs_source_program(e->source), recording);
}

static const char *recording_of(const struct hs_encode *e)
{
	struct hs_trace_info info;

	if (!e->transcodes)
		return e->path;
	hs_trace_params_get_info(hs_source_params(e->source), &info);
	return info.recording && may_name(e, info.recording) ? info.recording : NULL;
}

/* The sources of frames: the harts, and the traces that were added, with the parameters next to
 * them. */
static enum hs_status add_sources(struct hs_encode *e)
{
	struct hs_trace_params *own = NULL;
	enum hs_status s = hs_trace_params_copy(e->params, &own);
	uint32_t next = 0; /* number that no hart has, nor any after it */

	for (uint32_t i = 0; i < e->count && s == HS_OK; i++) {
		const struct hs_source_part part = { .id = (uint8_t)(i + 1),
			                             .hart = e->lanes[i].hart,
			                             .params = own };

		next = part.hart >= next ? part.hart + 1 : next;
		s = hs_trace_params_add_source(e->params, &part);
	}
	hs_trace_params_free(own);
	for (size_t i = 0; i < e->apart.other_count && s == HS_OK; i++) {
		struct hs_trace_params_options po = { .size = sizeof(po),
			                              .trace = e->apart.others[i].path };
		struct hs_source_part part = { .id = e->apart.others[i].id,
			                       .hart = next + (uint32_t)i };

		own = NULL;
		s = hs_trace_params_open(&po, &own, &e->error);
		part.params = own;
		if (s == HS_OK)
			s = hs_trace_params_add_source(e->params, &part);
		hs_trace_params_free(own);
	}
	return s;
}

static enum hs_status write_files(struct hs_encode *e, const char *trace)
{
	enum hs_status s = HS_OK;

	if (!e->changes && hs_code_changes_new(&e->changes) != HS_OK) /* nothing was executed */
		return encode_no_memory(&e->error);
	hs_code_changes_set_harts(e->changes, e->count);
	s = hs_code_changes_write_beside(e->changes, trace, &e->error);
	if (s == HS_OK && hs_transport_frames(e->o.transport))
		s = add_sources(e);
	if (s == HS_OK)
		s = hs_trace_params_set_recording(e->params, recording_of(e));
	if (s == HS_OK)
		s = hs_trace_params_set_transport(e->params, e->o.transport);
	if (s == HS_OK)
		return hs_trace_params_write_beside(e->params, trace, &e->error);
	return e->error.status == HS_OK ? encode_no_memory(&e->error) : e->error.status;
}

/* The last bytes of what ran. */
static bool end_live(struct hs_encode *e)
{
	if (e->set_id && e->lanes)
		hs_protocol_set_hart(e->protocol, hs_trace_params_edit_config(e->params), 0);
	return encode_pins_end(&e->pins);
}

enum hs_status hs_encode_end(struct hs_encode *e, const char *trace, struct hs_error *error)
{
	if (e->state == ENCODE_FAILED || (e->o.harts && !end_live(e)) ||
	    (trace && write_files(e, trace) != HS_OK))
		return say_why(e, error);
	return HS_OK;
}

/* ---- result -------------------------------------------------------------------------------- */

static void add_queue(struct hs_encode_result *r, const struct encode_queue *q)
{
	r->cycles += q->clock.now;
	r->stalled_cycles += q->stalled;
	r->losses += q->losses;
	r->accesses_lost += q->data_lost;
	if (q->queue.peak > r->queue_peak)
		r->queue_peak = q->queue.peak;
}

void hs_encode_get_result(const struct hs_encode *e, struct hs_encode_result *r)
{
	struct hs_message_count v[HS_ENCODE_TYPES];

	*r = (struct hs_encode_result){ .params = e->params,
		                        .recording = recording_of(e),
		                        .harts = e->count,
		                        .left_out = e->left_out,
		                        .blocks = encode_count_blocks(e),
		                        .bytes = e->bytes,
		                        .sampled = e->pins.on,
		                        .sample_bytes = e->pins.bytes };
	for (uint32_t i = 0; i < e->count; i++) {
		const struct encode_lane *l = &e->lanes[i];

		r->bytes += l->buffer ? encode_perf_bytes(l->buffer) : 0;
		add_queue(r, &l->queue);
		if (!l->feed.encoder) /* it could not be opened */
			continue;
		r->type_count = hs_message_counts_add(
			r->types, r->type_count, HS_ENCODE_TYPES, v,
			hs_encoder_counts(l->feed.encoder, v, HS_ENCODE_TYPES));
	}
}
