/* stat --rate: bytes over time, and the smallest queue that loses nothing. */
#include "commands/stat.h"

/* ---- result --------------------------------------------------------------------- */

static double in_a_cycle(uint64_t bytes, uint64_t cycles)
{
	return cycles ? 8.0 * (double)bytes / (double)cycles : 0;
}

static void show_spans(struct report *p, const struct hs_encode_rate *r)
{
	report_list(p, "rate", "rate: from cycle, bytes, bits in a cycle");
	for (unsigned i = 0; i < HS_ENCODE_SPANS && i * r->span <= r->cycles; i++) {
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

static void show_queues(struct report *p, const struct hs_encode_rate *r,
                        const struct queue_options *q)
{
	report_list(p, "queues",
	            "smallest queue that loses nothing: bits that leave in a cycle, bytes, pins");
	for (unsigned i = 0; i < r->ports; i++) {
		const bool pins = i < HS_ENCODE_PORTS - 1;

		report_row(p);
		report_fine(p, "bits_per_cycle", "",
		            pins ? 1u << i : (double)q->drain_bits / (double)q->drain_cycles);
		report_u64(p, "bytes", "", r->peaks[i]);
		if (pins)
			report_u32(p, "pins", "", 1u << i);
		else
			report_text(p, "option", "", "--drain");
		report_row_end(p);
	}
	report_list_end(p);
}

static void show(const struct hs_encode_rate *r, const struct options *o,
                 const struct queue_options *q)
{
	struct report p;

	report_begin(&p, stdout, o->json);
	report_text(&p, "protocol", "protocol", r->protocol->name);
	report_u32(&p, "harts", "harts", r->harts);
	report_u64(&p, "cycles", "cycles", r->cycles);
	report_u64(&p, "bytes", "bytes", r->bytes);
	report_fine(&p, "bits_per_cycle", "bits/cycle", in_a_cycle(r->bytes, r->cycles));
	show_spans(&p, r);
	show_queues(&p, r, q);
	report_end(&p);
}

static void take_fault(void *damage, const struct hs_encode_fault *f)
{
	struct damage *d = damage;

	if (f->source)
		damage_add_of(d, &f->error, f->source);
	else
		damage_add(d, &f->error, f->reason);
}

/* Of a recording blocks have times where messages do, as encode has it. */
static enum hs_status choose_clock(struct options *o, struct hs_error *e)
{
	struct hs_trace_params_options po = o->params;
	struct hs_protocol_traits traits = { .timed = false };
	struct hs_trace_params *params = NULL;

	po.trace = NULL;
	const enum hs_status s = hs_trace_params_open(&po, &params, e);

	if (s == HS_OK) {
		hs_trace_params_set_default_sync(params);
		hs_protocol_check(hs_trace_params_protocol(params), hs_trace_params_config(params),
		                  &traits);
	}
	if (traits.timed)
		o->source.clock = &o->store.clock;
	hs_trace_params_free(params);
	return s;
}

static int measure(struct hs_source *source, const struct options *o, const struct queue_options *q)
{
	const struct hs_queue_config drain = { sizeof(drain), 0, q->drain_bits, q->drain_cycles };
	struct damage damage = { 0 };
	const struct hs_encode_rate_options ro = { .size = sizeof(ro),
		                                   .params = &o->params,
		                                   .drain = q->drain_given ? &drain : NULL,
		                                   .to = &damage,
		                                   .fault = take_fault };
	struct hs_encode_rate rate;
	struct hs_error e = { 0 };

	if (hs_encode_measure(source, &ro, &rate, &e) != HS_OK)
		return fail(&e);
	show(&rate, o, q);
	return damage_exit(&damage);
}

int stat_rate(struct options *o, const struct queue_options *drain)
{
	struct hs_error e = { 0 };
	int status;

	o->source.threads = 1; /* which bytes the items come from */
	if (is_recording(o->args[0]) && choose_clock(o, &e) != HS_OK)
		return fail(&e);
	struct hs_source *source = open_argument(o, &status);

	if (source)
		status = measure(source, o, drain);
	hs_source_close(source);
	return status;
}
