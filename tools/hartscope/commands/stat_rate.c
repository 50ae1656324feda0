/* stat --rate: bytes over time, and the smallest queue that loses nothing.
 *
 * Each hart has a clock and a queue of its own, as encode --queue has.  Of a trace the bytes come
 * with the items that they give, so that a queue may seem fuller than it was; of a recording they
 * are those that an encoder writes. */
#include <stdlib.h>
#include <string.h>

#include "commands/stat.h"

#define SPANS 32   /* of time; each gets twice as long when they are used up */
#define PORTS 6    /* of 1 to 16 pins, and --drain */
#define BATCH 16   /* items of a trace that share their bytes */

struct lane {
	uint32_t hart;
	struct block_clock clock;
	uint64_t passed; /* cycles that the queues have seen */
	struct hs_queue queues[PORTS];
};

struct rate {
	struct hs_source *source;
	struct hs_trace_params *params; /* of a recording */
	const struct hs_protocol *protocol;
	struct options *o;
	const struct queue_options *drain;
	struct lane *lanes;
	uint32_t count;
	unsigned ports;
	uint64_t bytes, cycles; /* cycles: of the slowest hart */
	uint64_t spans[SPANS], span; /* bytes in each; cycles of one */
	struct damage damage;
	struct hs_error error;
};

/* ---- counting ------------------------------------------------------------------- */

static void drain_of(const struct rate *r, unsigned port, struct hs_queue_config *c)
{
	*c = (struct hs_queue_config){ sizeof(*c), 0, 1u << port, 1 };
	if (port < PORTS - 1)
		return;
	c->drain_bits = r->drain->drain_bits;
	c->drain_cycles = r->drain->drain_cycles;
}

static struct lane *add_lane(struct rate *r, uint32_t hart)
{
	struct lane *lanes = realloc(r->lanes, (r->count + 1) * sizeof(*lanes));
	struct hs_queue_config c;

	if (!lanes)
		return NULL;
	r->lanes = lanes;
	struct lane *l = &lanes[r->count];

	memset(l, 0, sizeof(*l));
	l->hart = hart;
	if (!clock_open(&l->clock, hs_program_image(hs_source_program(r->source))))
		return NULL;
	r->count++;
	for (unsigned i = 0; i < r->ports; i++) {
		drain_of(r, i, &c);
		hs_queue_init(&l->queues[i], &c);
	}
	return l;
}

static void add_to_span(struct rate *r, uint64_t now, uint64_t bytes)
{
	while (now / r->span >= SPANS) {
		for (unsigned i = 0; i < SPANS; i++)
			r->spans[i] = i < SPANS / 2 ? r->spans[2 * i] + r->spans[2 * i + 1] : 0;
		r->span *= 2;
	}
	r->spans[now / r->span] += bytes;
}

static void add_to_rate(struct rate *r, uint64_t now, size_t bytes)
{
	r->bytes += bytes;
	r->cycles = now > r->cycles ? now : r->cycles;
	add_to_span(r, now, bytes);
}

/* Bytes come at the lane's time. */
static void add_bytes(struct rate *r, struct lane *l, size_t bytes)
{
	const uint64_t now = l->clock.now;

	for (unsigned i = 0; i < r->ports; i++) {
		hs_queue_advance(&l->queues[i], now - l->passed);
		hs_queue_put(&l->queues[i], bytes);
	}
	l->passed = now;
	add_to_rate(r, now, bytes);
}

/* ---- of a trace ----------------------------------------------------------------- */

static struct lane *lane_of(struct rate *r, uint32_t hart)
{
	for (uint32_t i = 0; i < r->count; i++)
		if (r->lanes[i].hart == hart)
			return &r->lanes[i];
	return add_lane(r, hart);
}

static enum hs_status read_trace(struct rate *r)
{
	struct hs_block items[BATCH];
	struct block_reader reader = {
		.source = r->source, .damage = &r->damage, .own = items, .room = BATCH
	};
	struct lane *l = lane_of(r, 0);
	uint64_t bytes = 0;

	while (l && reader_fill(&reader)) {
		for (size_t i = 0; l && i < reader.n; i++) {
			if (items[i].kind == HS_KIND_HART)
				l = lane_of(r, items[i].arg);
			else
				clock_pass(&l->clock, &items[i]);
		}
		if (l)
			add_bytes(r, l, hs_source_decoded(r->source) - bytes);
		bytes = hs_source_decoded(r->source);
	}
	return l ? HS_OK : HS_E_MEMORY;
}

/* ---- of a recording ------------------------------------------------------------- */

static bool count_bytes(void *bytes, const uint8_t *p, size_t n)
{
	(void)p;
	*(size_t *)bytes += n;
	return true;
}

static enum hs_status encode_blocks(struct rate *r, struct hs_source *source, struct lane *l,
                                    struct feed *f)
{
	struct hs_block *items = malloc(READ_BATCH * sizeof(*items));
	struct block_reader reader = {
		.source = source, .damage = &r->damage, .own = items, .room = READ_BATCH
	};
	size_t bytes = 0;

	f->to = &bytes;
	while (items && reader_fill(&reader)) {
		for (size_t i = 0; i < reader.n; i++) {
			clock_pass(&l->clock, &items[i]);
			bytes = 0;
			feed_blocks(f, &items[i], 1);
			if (bytes)
				add_bytes(r, l, bytes);
		}
	}
	bytes = 0;
	feed_end(f);
	add_to_rate(r, l->clock.now, bytes); /* the last messages can wait for room */
	free(items);
	return items ? HS_OK : HS_E_MEMORY;
}

static enum hs_status encode_hart(struct rate *r, uint32_t hart)
{
	const void *config = hs_trace_params_config(r->params);
	struct feed f = { .protocol = r->protocol, .image = hs_source_image(r->source),
		          .put = count_bytes, .damage = &r->damage };
	struct lane *l = add_lane(r, hart);
	struct hs_source *source = NULL;
	enum hs_status s = l ? hs_source_open_hart(r->source, hart, &source, &r->error)
	                     : HS_E_MEMORY;

	f.out = malloc(FEED_ROOM);
	f.encoder = calloc(1, r->protocol->encoder_size(config));
	if (s == HS_OK && (!f.out || !f.encoder))
		s = HS_E_MEMORY;
	if (s == HS_OK)
		s = r->protocol->encoder_init(f.encoder, config);
	if (s == HS_OK)
		s = encode_blocks(r, source, l, &f);
	hs_source_close(source);
	free(f.encoder);
	free(f.out);
	return s;
}

static enum hs_status read_recording(struct rate *r)
{
	const uint32_t *harts;
	uint32_t count;

	hs_trace_params_set_default_width(r->params, &hs_source_image(r->source)->isa);
	r->protocol = hs_trace_params_protocol(r->params);
	enum hs_status s = hs_source_get_harts(r->source, &harts, &count, &r->error);
	if (s == HS_OK)
		s = r->protocol->config_sources(hs_trace_params_edit_config(r->params), count);
	for (uint32_t i = 0; i < count && s == HS_OK; i++)
		s = encode_hart(r, harts[i]);
	return s;
}

/* ---- result --------------------------------------------------------------------- */

static double in_a_cycle(uint64_t bytes, uint64_t cycles)
{
	return cycles ? 8.0 * (double)bytes / (double)cycles : 0;
}

static void show_spans(struct report *p, const struct rate *r)
{
	report_list(p, "rate", "rate: from cycle, bytes, bits in a cycle");
	for (unsigned i = 0; i < SPANS && i * r->span <= r->cycles; i++) {
		const uint64_t left = r->cycles - i * r->span;

		report_row(p);
		report_u64(p, "cycle", "", i * r->span);
		report_u64(p, "bytes", "", r->spans[i]);
		report_fine(p, "bits_per_cycle", "",
		            in_a_cycle(r->spans[i], left < r->span ? left : r->span));
		report_row_end(p);
	}
	report_list_end(p);
}

static void show_queues(struct report *p, const struct rate *r)
{
	report_list(p, "queues",
	            "smallest queue that loses nothing: bits that leave in a cycle, bytes, pins");
	for (unsigned i = 0; i < r->ports; i++) {
		struct hs_queue_config c;
		uint64_t peak = 0;

		drain_of(r, i, &c);
		for (uint32_t h = 0; h < r->count; h++)
			if (r->lanes[h].queues[i].peak > peak)
				peak = r->lanes[h].queues[i].peak;
		report_row(p);
		report_fine(p, "bits_per_cycle", "",
		            (double)c.drain_bits / (double)c.drain_cycles);
		report_u64(p, "bytes", "", peak);
		if (i < PORTS - 1)
			report_u32(p, "pins", "", 1u << i);
		else
			report_text(p, "option", "", "--drain");
		report_row_end(p);
	}
	report_list_end(p);
}

static int show(struct rate *r)
{
	struct report p;

	report_begin(&p, stdout, r->o->json);
	report_text(&p, "protocol", "protocol", r->protocol->name);
	report_u32(&p, "harts", "harts", r->count);
	report_u64(&p, "cycles", "cycles", r->cycles);
	report_u64(&p, "bytes", "bytes", r->bytes);
	report_fine(&p, "bits_per_cycle", "bits/cycle", in_a_cycle(r->bytes, r->cycles));
	show_spans(&p, r);
	show_queues(&p, r);
	report_end(&p);
	return damage_exit(&r->damage);
}

/* The parameters of a recording's trace; blocks have times where messages do, as encode has it. */
static enum hs_status configure(struct rate *r)
{
	struct options *o = r->o;
	const enum hs_status s = read_params(o, NULL, &r->params, &r->error);

	if (s != HS_OK)
		return s;
	hs_trace_params_set_default_sync(r->params);
	if (hs_trace_params_protocol(r->params)
	            ->config_is_timed(hs_trace_params_config(r->params)))
		o->source.clock = &o->store.clock;
	return s;
}

static int run(struct rate *r)
{
	int status;

	r->span = 1;
	r->ports = r->drain->drain_given ? PORTS : PORTS - 1;
	if (is_recording(r->o->args[0]) && configure(r) != HS_OK)
		return fail(&r->error);
	r->source = open_argument(r->o, &status);
	if (!r->source)
		return status;
	r->protocol = hs_source_protocol(r->source);
	const enum hs_status s = r->protocol ? read_trace(r) : read_recording(r);

	if (s == HS_OK)
		return show(r);
	if (r->error.status == HS_OK)
		hs_error_set(&r->error, s, "%s", hs_status_text(s));
	return fail(&r->error);
}

int stat_rate(struct options *o, const struct queue_options *drain)
{
	struct rate r = { .o = o, .drain = drain };

	o->source.threads = 1; /* which bytes the items come from */
	const int status = run(&r);

	for (uint32_t i = 0; i < r.count; i++)
		clock_close(&r.lanes[i].clock);
	free(r.lanes);
	hs_trace_params_free(r.params);
	hs_source_close(r.source);
	return status;
}
