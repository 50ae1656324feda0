/* The results: more of the capture than the search saw, what is certain, and what all of it is
 * (design/identify). */
#include <stdlib.h>
#include <string.h>

#include <hartscope/capture.h>

#include "identify/run.h"

#define DOUBT_BYTES ((size_t)1 << 15)
#define LAST_BYTES ((size_t)1 << 20)
#define ALL_BYTES (3 * LAST_BYTES)
#define LEAST_SEGMENTS 8         /* that contradict the program, to say that it is another one */
#define MOST_HEAD 128            /* bytes of idle before a trace */
#define CONTRADICTED_BYTES 16384 /* at most one contradiction in so many */

/* What is explained of all windows; what is before the first that was explained is the head. */
static struct identify_fit sum_windows(const struct identify_run *r, const struct identify_part *p)
{
	struct identify_fit all = { 0 };

	for (size_t w = 0; w < identify_windows(&r->file, &p->best); w++) {
		const struct identify_fit *f = &p->window[w];

		all.bytes += f->bytes;
		all.explained += f->explained;
		all.head += all.any ? 0 : f->head;
		all.before += all.any ? 0 : f->before;
		all.messages += f->messages;
		all.segments += f->segments;
		all.contradicted += f->contradicted;
		all.halfwords += f->halfwords;
		all.unseen += f->unseen;
		all.any |= f->any;
		all.flooded |= f->flooded;
	}
	return all;
}

static void describe(const struct identify_run *r, const struct identify_part *p,
                     struct hs_identified *out)
{
	const struct identify_guess *g = &p->best;
	const struct identify_fit fit = p->decodes ? sum_windows(r, p) : g->fit;

	*out = (struct hs_identified){
		.protocol = identify_protocol_name(&g->config),
		.transport = r->best.way.transport,
		.source_id = p->source_id,
		.ring = g->ring.found,
		.described = g->described,
		.has_offset = g->offset != 0,
		.offset = g->offset,
		.bytes = fit.bytes - fit.unseen,
		.explained = fit.explained,
		.head = p->decodes ? fit.head : 0,
		.messages = fit.messages,
		.segments = fit.segments,
		.contradicted = fit.contradicted < fit.segments ? fit.contradicted : fit.segments,
		.halfwords = fit.halfwords,
	};
	for (size_t w = 0; p->decodes && !r->file.whole && w < identify_windows(&r->file, g); w++)
		out->share[out->shares++] = identify_share(&p->window[w]);
	memcpy(out->unsure, p->unsure, sizeof(out->unsure));
	identify_write_settings(&g->config, r->has_code ? r->code.image->isa.xlen : 64,
	                        out->settings);
}

/* What the first bytes did not show: parameters that the program contradicts later. */
static void look_again(struct identify_search *s, struct identify_guess *g)
{
	const struct hs_span all = s->bytes;

	s->bytes.n = all.n < REFINE_BYTES ? all.n : REFINE_BYTES;
	identify_follow(s->code, &s->bytes, g, NULL);
	if (!identify_is_whole(&g->fit) && g->config.is == IDENTIFY_ETRACE)
		identify_et_refine(s, g);
	else if (!identify_is_whole(&g->fit))
		identify_nt_refine(s, g);
	s->bytes = all;
}

/* How the trace of a source came, of so many bytes. */
static struct identify_way way_of(const struct identify_run *r, const struct identify_part *p,
                                  size_t most)
{
	struct identify_way way = r->best.way;

	way.source_id = p->source_id;
	way.ring = p->best.ring.found ? &p->best.ring : NULL;
	way.most = way.ring ? IDENTIFY_CAPTURE : identify_bytes_of(&way, most);
	return way;
}

/* Leave out what is not needed, also not in what the search did not look at. */
static void prune(struct identify_search *s, struct identify_guess *g)
{
	struct identify_guess all = *g, less;

	identify_prune(s, g, DOUBT_BYTES);
	less = *g;
	identify_follow(s->code, &s->bytes, &all, NULL);
	identify_follow(s->code, &s->bytes, &less, NULL);
	if (!identify_same_flow(&all.fit, &less.fit))
		*g = all;
}

/* Look at more of it than the search did, and at what it does not decide. */
static void look_at_more(struct identify_run *r, struct identify_part *p)
{
	const struct identify_way way = way_of(r, p, LAST_BYTES);
	struct identify_search s = { .code = &r->code,
		                     .way = &way,
		                     .end = r->code.work + SEARCH_WORK };
	struct identify_bytes b;

	if (p->best.described || p->best.fixed || !identify_transport(&r->capture, &way, &b))
		return;
	s.bytes = b.span;
	look_again(&s, &p->best);
	identify_settle_returns(&s, &p->best);
	prune(&s, &p->best);
	if (p->best.config.is != IDENTIFY_ETRACE)
		identify_nt_dialect(&s, &p->best);
	identify_doubt(&s, &p->best, DOUBT_BYTES, p->unsure);
	identify_drop_bytes(&b);
}

/* How it fits in each window, or in the one that is all of it. */
static void measure(struct identify_run *r, struct identify_part *p)
{
	const struct identify_way way = way_of(r, p, r->file.whole ? ALL_BYTES : LAST_BYTES);

	for (size_t w = 0; w < identify_windows(&r->file, &p->best); w++) {
		struct identify_guess g = p->best;
		struct identify_bytes b;

		if (!identify_transport(&r->file.window[w], &way, &b))
			continue;
		identify_measure(&r->code, &b.span, &g);
		p->window[w] = g.fit;
		identify_drop_bytes(&b);
	}
	p->best.fit = sum_windows(r, p);
}

/* Does something show the wrap point that damage would not?  Messages of N-Trace have a place of
 * their own for it. */
static bool is_certain(const struct identify_guess *g)
{
	return g->ring.certain ||
	       (g->config.is != IDENTIFY_ETRACE && !(g->ring.evidence & HS_RING_PROGRAM));
}

/* A trace that does not begin with the capture may be a circular buffer whose wrap point was not
 * found, or what is before it may be older. */
static bool is_clear(const struct identify_part *p)
{
	const struct identify_fit *f = &p->best.fit;
	const bool ring = p->best.ring.found;
	const unsigned most = p->best.config.is == IDENTIFY_ETRACE ? MOST_HEAD : 0;
	const bool cut = !ring && (f->head > most || f->before || p->best.skip);
	const uint64_t idle = f->head < MOST_HEAD ? f->head : 0;
	const struct identify_fit rest = { .bytes = f->bytes - idle, .explained = f->explained };

	return identify_share(&rest) >= 9900 && !cut && !f->unseen && !f->flooded && !*p->unsure &&
	       (!ring || is_certain(&p->best)) &&
	       f->contradicted * CONTRADICTED_BYTES <= rest.bytes;
}

static enum hs_identify_verdict judge(const struct identify_part *p)
{
	if (!p->any)
		return HS_IDENTIFY_NONE;
	if (!p->decodes)
		return HS_IDENTIFY_FORM;
	return is_clear(p) ? HS_IDENTIFY_CLEAR : HS_IDENTIFY_LIKELY;
}

/* Messages of N-Trace say most of what their decoder must know: where nearly all segments
 * contradict the program, it is another one.  An encoder of E-Trace has more parameters. */
static bool differs(const struct identify_run *r, const struct identify_part *p)
{
	const struct identify_fit *fit = &p->best.fit;

	return r->has_code && !p->decodes && p->best.config.is != IDENTIFY_ETRACE &&
	       fit->segments >= LEAST_SEGMENTS && fit->contradicted * 10 >= fit->segments * 8 &&
	       identify_share(fit) < 3000;
}

/* How many segments the program contradicts that does not follow. */
static void count_segments(struct identify_run *r, struct identify_part *p)
{
	const struct identify_way way = way_of(r, p, LAST_BYTES);
	struct identify_bytes b;

	if (!identify_transport(&r->capture, &way, &b))
		return;
	identify_measure(&r->code, &b.span, &p->best);
	identify_drop_bytes(&b);
}

/* Is the program followed through most of what comes after the first synchronisation? */
static bool explains(const struct identify_fit *fit)
{
	struct identify_fit rest = *fit;

	rest.bytes -= fit->head + fit->unseen < fit->bytes ? fit->head : 0;
	return identify_share(&rest) > LEAST_EXPLAINED;
}

static void conclude_part(struct identify_run *r, struct identify_part *p)
{
	struct hs_identity *id = r->id;

	if (r->has_code && p->decodes) {
		look_at_more(r, p);
		measure(r, p);
		p->decodes = explains(&p->best.fit);
	} else if (r->has_code) {
		count_segments(r, p);
	}
	const enum hs_identify_verdict v = judge(p);

	id->verdict = !id->count || v < id->verdict ? v : id->verdict;
	describe(r, p, &id->results[id->count]);
	id->results[id->count++].program_differs = differs(r, p);
}

/* A source that nothing reads may be of no encoder; or it is one, and all of them are not known. */
static void add_unknown(struct identify_run *r, const struct identify_part *p)
{
	struct hs_identity *id = r->id;

	id->results[id->count++] = (struct hs_identified){
		.protocol = HS_IDENTIFY_UNKNOWN,
		.transport = r->best.way.transport,
		.source_id = p->source_id,
		.bytes = p->best.fit.bytes,
	};
	if (id->verdict > HS_IDENTIFY_LIKELY)
		id->verdict = HS_IDENTIFY_LIKELY;
}

void identify_conclude(struct identify_run *r)
{
	for (size_t i = 0; i < r->best.count; i++)
		if (r->best.part[i].any)
			conclude_part(r, &r->best.part[i]);
	for (size_t i = 0; i < r->best.count && r->id->count; i++)
		if (!r->best.part[i].any)
			add_unknown(r, &r->best.part[i]);
}

enum hs_identify_verdict hs_identity_verdict(const struct hs_identity *id, uint64_t frames[2])
{
	if (frames)
		memcpy(frames, id->frames, sizeof(id->frames));
	return id->verdict;
}

const struct hs_identified *hs_identity_get(const struct hs_identity *id, size_t index)
{
	return index < id->count ? &id->results[index] : NULL;
}

void hs_identity_free(struct hs_identity *id)
{
	free(id);
}
