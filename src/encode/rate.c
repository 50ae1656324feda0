/* Bytes over time, and the smallest queue that loses nothing.
 *
 * Each hart has a clock and a queue of its own, as hs_encode_options.queue has.  Of a trace the
 * bytes come with the items that they give, so that a queue may seem fuller than it was; of a
 * recording they are those that an encoder writes. */
#include <stdlib.h>
#include <string.h>

#include "core/config.h"
#include "encode/private.h"
#include "source/source.h"
#include "trace/trace.h"

#define PORTS HS_ENCODE_PORTS /* of 1 to 16 pins, and the caller's */
#define TRACE_BATCH 16        /* items of a trace that share their bytes */

struct lane {
	uint32_t hart;
	struct encode_clock clock;
	uint64_t passed; /* cycles that the queues have seen */
	struct hs_queue queues[PORTS];
};

struct rate {
	struct hs_encode_rate_options o;
	struct hs_encode_rate *out;
	struct hs_source *source;
	struct hs_trace_params *params; /* of a recording */
	struct lane *lanes;
	struct encode_faults faults;
	struct hs_error error;
};

/* ---- counting ------------------------------------------------------------------- */

static struct hs_queue_config drain_of(const struct rate *r, unsigned port)
{
	struct hs_queue_config c = { sizeof(c), 0, 1u << port, 1 };

	if (port == PORTS - 1) {
		c.drain_bits = r->o.drain->drain_bits;
		c.drain_cycles = r->o.drain->drain_cycles;
	}
	return c;
}

static struct lane *add_lane(struct rate *r, uint32_t hart)
{
	const uint32_t count = r->out->harts;
	struct lane *lanes = realloc(r->lanes, (count + 1) * sizeof(*lanes));

	if (!lanes)
		return NULL;
	r->lanes = lanes;
	struct lane *l = &lanes[count];

	memset(l, 0, sizeof(*l));
	l->hart = hart;
	if (!encode_clock_open(&l->clock, hs_program_image(hs_source_program(r->source)))) {
		encode_clock_close(&l->clock);
		return NULL;
	}
	r->out->harts++;
	for (unsigned i = 0; i < r->out->ports; i++) {
		const struct hs_queue_config c = drain_of(r, i);

		hs_queue_init(&l->queues[i], &c);
	}
	return l;
}

static void add_to_span(struct hs_encode_rate *o, uint64_t now, uint64_t bytes)
{
	while (now / o->span >= HS_ENCODE_SPANS) { /* each gets twice as long */
		for (unsigned i = 0; i < HS_ENCODE_SPANS; i++)
			o->spans[i] =
				i < HS_ENCODE_SPANS / 2 ? o->spans[2 * i] + o->spans[2 * i + 1] : 0;
		o->span *= 2;
	}
	o->spans[now / o->span] += bytes;
}

static void add_to_rate(struct rate *r, uint64_t now, size_t bytes)
{
	r->out->bytes += bytes;
	r->out->cycles = now > r->out->cycles ? now : r->out->cycles;
	add_to_span(r->out, now, bytes);
}

/* Bytes come at the lane's time. */
static void add_bytes(struct rate *r, struct lane *l, size_t bytes)
{
	const uint64_t now = l->clock.now;

	for (unsigned i = 0; i < r->out->ports; i++) {
		hs_queue_advance(&l->queues[i], now - l->passed);
		hs_queue_put(&l->queues[i], bytes);
	}
	l->passed = now;
	add_to_rate(r, now, bytes);
}

/* ---- of a trace ----------------------------------------------------------------- */

static struct lane *lane_of(struct rate *r, uint32_t hart)
{
	for (uint32_t i = 0; i < r->out->harts; i++)
		if (r->lanes[i].hart == hart)
			return &r->lanes[i];
	return add_lane(r, hart);
}

static enum hs_status read_trace(struct rate *r)
{
	struct hs_block items[TRACE_BATCH];
	struct lane *l = lane_of(r, 0);
	uint64_t bytes = 0;
	size_t n;

	while (l && encode_read(r->source, &r->faults, items, TRACE_BATCH, &n)) {
		if (!n)
			continue;
		for (size_t i = 0; l && i < n; i++) {
			if (items[i].kind == HS_KIND_HART)
				l = lane_of(r, items[i].arg);
			else
				encode_clock_pass(&l->clock, &items[i]);
		}
		if (l)
			add_bytes(r, l, hs_source_decoded(r->source) - bytes);
		bytes = hs_source_decoded(r->source);
	}
	return l ? HS_OK : encode_no_memory(&r->error);
}

/* ---- of a recording ------------------------------------------------------------- */

static bool count_bytes(void *bytes, const uint8_t *p, size_t n)
{
	(void)p;
	*(size_t *)bytes += n;
	return true;
}

static void encode_blocks(struct rate *r, struct hs_source *source, struct lane *l,
                          struct encode_feed *f, struct hs_block *items)
{
	size_t bytes = 0, n;

	f->to = &bytes;
	while (encode_read(source, &r->faults, items, ENCODE_BATCH, &n)) {
		for (size_t i = 0; i < n; i++) {
			encode_clock_pass(&l->clock, &items[i]);
			bytes = 0;
			encode_feed_blocks(f, &items[i], 1);
			if (bytes)
				add_bytes(r, l, bytes);
		}
	}
	bytes = 0;
	encode_feed_end(f);
	add_to_rate(r, l->clock.now, bytes); /* the last messages can wait for room */
}

static enum hs_status encode_hart(struct rate *r, uint32_t hart)
{
	const void *config = hs_trace_params_config(r->params);
	const struct hs_protocol *p = r->out->protocol;
	struct encode_feed f = { .protocol = p,
		                 .image = hs_source_image(r->source),
		                 .put = count_bytes,
		                 .faults = r->faults };
	struct hs_block *items = malloc(ENCODE_BATCH * sizeof(*items));
	struct lane *l = add_lane(r, hart);
	struct hs_source *source = NULL;
	enum hs_status s =
		l ? hs_source_open_hart(r->source, hart, &source, &r->error) : HS_E_MEMORY;

	f.out = malloc(ENCODE_ROOM);
	if (s == HS_OK)
		s = f.out && items ? hs_encoder_new(&f.encoder, p, config) : HS_E_MEMORY;
	if (s == HS_OK)
		encode_blocks(r, source, l, &f, items);
	hs_source_close(source);
	free(items);
	hs_encoder_free(f.encoder);
	free(f.out);
	return s;
}

static enum hs_status open_params(const struct hs_trace_params_options *given,
                                  struct hs_trace_params **params, struct hs_error *error)
{
	struct hs_trace_params_options po = { .size = sizeof(po) };

	if (given)
		po = *given;
	po.trace = NULL;
	const enum hs_status s = encode_open_params(&po, params, error);

	if (s == HS_OK)
		hs_trace_params_set_default_sync(*params);
	return s;
}

static enum hs_status read_recording(struct rate *r)
{
	const uint32_t *harts;
	uint32_t count;
	enum hs_status s = open_params(r->o.params, &r->params, &r->error);

	if (s != HS_OK)
		return s;
	hs_trace_params_set_default_width(r->params, &hs_source_image(r->source)->isa);
	r->out->protocol = hs_trace_params_protocol(r->params);
	s = hs_source_get_harts(r->source, &harts, &count, &r->error);
	if (s == HS_OK)
		s = hs_protocol_set_sources(r->out->protocol,
		                            hs_trace_params_edit_config(r->params), count);
	for (uint32_t i = 0; s == HS_OK && i < count; i++)
		s = encode_hart(r, harts[i]);
	return s;
}

/* ---- result --------------------------------------------------------------------- */

static void take_peaks(struct rate *r)
{
	for (uint32_t h = 0; h < r->out->harts; h++) {
		for (unsigned i = 0; i < r->out->ports; i++)
			if (r->lanes[h].queues[i].peak > r->out->peaks[i])
				r->out->peaks[i] = r->lanes[h].queues[i].peak;
		encode_clock_close(&r->lanes[h].clock);
	}
	free(r->lanes);
}

enum hs_status hs_encode_measure(struct hs_source *source,
                                 const struct hs_encode_rate_options *options,
                                 struct hs_encode_rate *out, struct hs_error *error)
{
	struct rate r = { .source = source, .out = out };
	enum hs_status s = base_take_config(&r.o, sizeof(r.o), options);

	if (s != HS_OK)
		return hs_error_set(error, s, "options of a rate that this library lacks");
	*out = (struct hs_encode_rate){ .protocol = hs_source_protocol(source),
		                        .span = 1,
		                        .ports = r.o.drain ? PORTS : PORTS - 1 };
	r.faults = (struct encode_faults){ r.o.fault, r.o.to };
	s = out->protocol ? read_trace(&r) : read_recording(&r);
	if (s != HS_OK && r.error.status == HS_OK)
		hs_error_set(&r.error, s, "%s", hs_status_text(s));
	if (s != HS_OK && error)
		*error = r.error;
	take_peaks(&r);
	hs_trace_params_free(r.params);
	return s;
}
