/* The search: windows, ways, protocols, and what is certain in the end (design/identify). */
#include <stdlib.h>
#include <string.h>

#include <hartscope/capture.h>
#include <hartscope/protocol.h>

#include "core/config.h"
#include "identify/private.h"

#define SEARCH_WORK (UINT64_C(1) << 24) /* of one way, in bytes of trials: a second or two */
#define TOTAL_WORK (UINT64_C(1) << 26)  /* of all of them */
#define MOVED_WORK (UINT64_C(1) << 23)  /* the same for each place where the program may be */
#define DOUBT_BYTES ((size_t)1 << 15)
#define LAST_BYTES ((size_t)1 << 20)
#define ALL_BYTES (3 * LAST_BYTES)
#define REFINE_BYTES ((size_t)1 << 17)
#define WAY_BYTES ((size_t)1 << 19) /* of samples and frames */
#define PARTS 16
#define LEAST_EXPLAINED 5000 /* of 10,000 bytes, for a program that can be the one that ran */
#define LEAST_FORM 5000 /* of 10,000 bytes, for a way that is worth it */
#define LEAST_PACKETS 16
#define LEAST_SEGMENTS 8         /* that contradict the program, to say that it is another one */
#define RAW_BETTER 1000          /* of 10,000 bytes, by which pins have to be better */
#define LEAST_OF_FRAMES 2500     /* of 10,000 bytes of all sources */
#define MOST_HEAD 128            /* bytes of idle before a trace */
#define LEAST_SEEN 64            /* bytes that are explained, where others ran unknown code, */
#define SEEN_CONTRADICTED 256    /* and for each contradiction */
#define CONTRADICTED_BYTES 16384 /* at most one contradiction in so many */

struct hs_identity {
	struct hs_identified results[PARTS];
	size_t count;
	enum hs_identify_verdict verdict;
	uint64_t frames[2]; /* whole_frames.c */
};

/* The trace of one source; of what is not in frames, all. */
struct part {
	uint8_t source_id;
	bool any;     /* best is something */
	bool decodes; /* best was decoded with the program */
	struct identify_guess best;
	struct identify_fit window[IDENTIFY_WINDOWS]; /* how it fits in each */
	char unsure[HS_IDENTIFY_TEXT];
};

/* What the capture may be. */
struct attempt {
	struct identify_way way;
	size_t window; /* in which it was found */
	struct part part[PARTS];
	size_t count;
};

/* What is being looked at. */
struct run {
	const struct hs_identify_options *options;
	struct hs_identity *id;
	struct identify_file file;
	struct hs_span capture; /* a window of it */
	struct identify_code code;
	bool has_code, moved; /* the program is tried elsewhere */
	uint64_t limit;       /* of work, up to now */
	struct attempt best, next;
};

static bool wants(const struct run *r, const char *protocol)
{
	return !r->options->protocol || strcmp(r->options->protocol, protocol) == 0;
}

/* ---- guesses ------------------------------------------------------------------------ */

static void keep(struct part *p, const struct identify_guess *g, bool decodes)
{
	if (p->any && (p->decodes > decodes ||
	               (p->decodes == decodes && !identify_better(&g->fit, &p->best.fit))))
		return;
	p->best = *g;
	p->any = true;
	p->decodes = decodes;
}

/* All parts as one: decoded only where each of them is that is something.  Many sources that
 * nothing reads, and one of which a few bytes do, are no frames. */
static void sum_up(const struct attempt *a, bool *decodes, struct identify_fit *fit)
{
	*fit = (struct identify_fit){ 0 };
	bool any = false, all = true;

	*decodes = true;
	for (size_t i = 0; i < a->count; i++) {
		const struct part *p = &a->part[i];

		*decodes &= p->decodes || !p->any;
		any |= p->decodes;
		all &= p->any;
		fit->bytes += p->best.fit.bytes;
		fit->explained += p->any ? p->best.fit.explained : 0;
		fit->unseen += p->any ? p->best.fit.unseen : 0;
		fit->contradicted += p->best.fit.contradicted;
		fit->forgiven += p->best.fit.forgiven;
	}
	*decodes &= any && (all || identify_share(fit) > LEAST_OF_FRAMES);
}

static bool is_found(const struct run *r)
{
	struct identify_fit fit;
	bool decodes;

	sum_up(&r->best, &decodes, &fit);
	return decodes == r->has_code && identify_share(&fit) > 9000;
}

static void keep_attempt(struct run *r)
{
	struct identify_fit old, new;
	bool decoded, decodes;

	sum_up(&r->best, &decoded, &old);
	sum_up(&r->next, &decodes, &new);
	/* bytes are samples of pins, too, which leave out what is cut at their beginning */
	const bool as_pins = decoded && strcmp(r->best.way.transport, "raw") == 0 &&
	                     identify_is_pins(r->next.way.transport) &&
	                     identify_share(&new) < identify_share(&old) + RAW_BETTER;

	if (decodes > decoded || (decodes == decoded && !as_pins && identify_better(&new, &old)))
		r->best = r->next;
}

/* Does the program follow enough of it to say so?  Elsewhere it has to follow nearly all of it:
 * another program may have the same library at another address. */
static bool fits(const struct run *r, const struct identify_fit *fit)
{
	const bool most = identify_share(fit) > 9000 && fit->contradicted * 32 < fit->messages;

	/* what is seen may be little, and another program is contradicted at each visit */
	if (fit->unseen && (r->moved || fit->explained < LEAST_SEEN ||
	                    fit->contradicted * SEEN_CONTRADICTED > fit->explained))
		return false;
	return identify_share(fit) > (r->moved ? 9000 : LEAST_EXPLAINED) && fit->halfwords &&
	       (most || fit->contradicted * 4 < fit->segments + 4);
}

static void set_frame(struct identify_config *c, const struct identify_frame *f)
{
	c->is = IDENTIFY_ETRACE;
	c->et = (struct hs_et_config){ .size = sizeof(c->et) };
	hs_et_config_dialect(&c->et, f->dialect);
	c->et.src_bits = f->src_bits;
	c->et.tstamp_bytes = f->stamp;
}

/* Where a search has to end that may take @most. */
static uint64_t end_of(const struct run *r, uint64_t most)
{
	const uint64_t end = r->code.work + most;

	return end < r->limit ? end : r->limit;
}

/* A few messages that give more blocks than are read may have a count that is none: what comes
 * after it shows that. */
static bool follows(struct run *r, const struct identify_search *s, struct identify_guess *g)
{
	const struct hs_span bytes = { s->bytes.p,
		                       s->bytes.n < REFINE_BYTES ? s->bytes.n : REFINE_BYTES };

	if (g->fit.flooded && g->fit.messages < LEAST_PACKETS) {
		identify_follow_patiently(&r->code, &bytes, g);
		if (g->fit.flooded)
			return false;
	}
	return fits(r, &g->fit);
}

static void look_ntrace(struct run *r, struct identify_search *s, struct part *p)
{
	if (!wants(r, "ntrace") || !identify_ntrace(s))
		return;
	const bool decodes = r->has_code && follows(r, s, &s->best);

	keep(p, decodes ? &s->best : &s->form, decodes);
}

/* The frame with its defaults, which needs no packet that synchronises with few bytes before it. */
static void try_defaults(struct run *r, const struct identify_search *s, struct identify_guess *g,
                         struct part *p)
{
	const struct hs_span bytes = { s->bytes.p,
		                       s->bytes.n < REFINE_BYTES ? s->bytes.n : REFINE_BYTES };

	identify_follow(&r->code, &bytes, g, NULL);
	if (fits(r, &g->fit) && !g->fit.flooded)
		keep(p, g, true);
}

static void look_etrace(struct run *r, struct identify_search *s, struct part *p)
{
	struct identify_guess g = { .transport = s->way->transport };
	struct identify_frame f;

	if (!wants(r, "etrace"))
		return;
	if (r->has_code && identify_etrace(s) && follows(r, s, &s->best))
		keep(p, &s->best, true);
	if (identify_may_be_described(s, p->decodes ? &p->best : NULL) && fits(r, &s->best.fit))
		keep(p, &s->best, true);
	s->end = end_of(r, SEARCH_WORK);
	if (r->has_code && !r->moved && !p->decodes && identify_is_bytes(s->way->transport) &&
	    identify_bare(s) && follows(r, s, &s->best))
		keep(p, &s->best, true);
	if (p->any && p->decodes)
		return;
	if (identify_form(&s->bytes, s->way, &f, &g.fit) && identify_share(&g.fit) > 9000 &&
	    g.fit.messages >= LEAST_PACKETS) {
		set_frame(&g.config, &f);
		keep(p, &g, false);
		if (r->has_code)
			try_defaults(r, s, &g, p);
	}
}

/* ---- one way ----------------------------------------------------------------------------- */

static void look_at_part(struct run *r, const struct identify_way *way, struct part *p)
{
	struct identify_search s = { .code = r->has_code ? &r->code : NULL, .way = way };
	struct identify_guess g = { .transport = way->transport };
	const uint64_t most = r->moved ? MOVED_WORK : SEARCH_WORK;
	struct identify_bytes b;

	/* encoders of one chip are mostly alike: what the first one has not, others have not */
	s.end = end_of(r, r->next.count > 1 ? most / 4 : most);
	*p = (struct part){ .source_id = way->source_id };
	if (!identify_transport(&r->capture, way, &b))
		return;
	s.bytes = b.span;
	s.all = strcmp(way->transport, "raw") == 0 ? r->file.window[0] : b.span;
	p->best.fit.bytes = b.span.n;
	if (wants(r, "etrace") && identify_described(&s, &g)) /* it says what it is */
		keep(p, &g, r->has_code && fits(r, &g.fit));
	if (wants(r, "tacit") && identify_tacit(&s))
		keep(p, &s.best, r->has_code && fits(r, &s.best.fit));
	const bool known = p->any && p->decodes == r->has_code;

	if (!known && !way->headers)
		look_ntrace(r, &s, p);
	if (!known && (way->headers || !identify_is_pins(way->transport)) &&
	    !(p->decodes && p->best.fit.halfwords))
		look_etrace(r, &s, p);
	identify_drop_bytes(&b);
}

/* Do a few messages have the form that another source's have? */
static bool has_form_of(const struct hs_span *bytes, const struct identify_way *way,
                        struct identify_guess *g)
{
	struct identify_guess own = *g;
	struct identify_frame f;

	if (g->config.is != IDENTIFY_ETRACE)
		identify_nt_form(bytes, &own);
	else if (!identify_form(bytes, way, &f, &own.fit) || f.dialect != g->config.et.dialect)
		return false;
	g->fit = own.fit;
	return identify_share(&g->fit) > 9000 && g->fit.messages >= 2;
}

/* Encoders of one chip are mostly alike: does what was found of another source fit this one? */
static bool look_like(struct run *r, const struct identify_way *way, const struct part *other,
                      struct part *p)
{
	struct identify_guess g = other->best;
	struct identify_bytes b;
	bool like;

	if (p == other || !other->any || (r->has_code && !other->decodes) ||
	    !identify_transport(&r->capture, way, &b))
		return false;
	if (r->has_code)
		identify_follow(&r->code, &b.span, &g, NULL);
	like = r->has_code ? identify_is_whole(&g.fit) : has_form_of(&b.span, way, &g);
	identify_drop_bytes(&b);
	if (like)
		*p = (struct part){ way->source_id, true, r->has_code, .best = g };
	return like;
}

/* A source with few messages: is it like one that has more? */
static void look_again_at_sources(struct run *r, struct identify_way *way)
{
	for (size_t i = 0; i < r->next.count; i++) {
		struct part *p = &r->next.part[i];

		way->source_id = p->source_id;
		for (size_t k = 0; k < r->next.count; k++)
			if (!p->any || p->decodes < r->has_code)
				look_like(r, way, &r->next.part[k], p);
	}
}

/* Each source of frames that has data. */
static void look_at_sources(struct run *r, const struct identify_way *frames)
{
	struct identify_way way = *frames;
	uint64_t ids[2];

	if (!identify_sources(&r->capture, &way, ids))
		return;
	for (unsigned id = 1; id <= HS_FRAME_SOURCE_MAX && r->next.count < PARTS; id++) {
		way.source_id = (uint8_t)id;
		if (!(ids[id / 64] >> id % 64 & 1))
			continue;
		struct part *p = &r->next.part[r->next.count++];

		if (!r->has_code || !look_like(r, &way, &r->next.part[0], p))
			look_at_part(r, &way, p);
	}
	look_again_at_sources(r, &way);
}

static void look_at(struct run *r, const struct identify_way *found)
{
	struct identify_way way = *found;

	way.most = strcmp(way.transport, "raw") == 0 ? IDENTIFY_CAPTURE
	                                             : identify_bytes_of(&way, WAY_BYTES);
	r->next.way = way;
	r->next.count = 0;
	if (hs_transport_frames(way.transport))
		look_at_sources(r, &way);
	else
		look_at_part(r, &way, &r->next.part[r->next.count++]);
	keep_attempt(r);
}

/* ---- all ways ------------------------------------------------------------------------------ */

/* A way in which hardly anything reads as messages is none; the bytes of encoders are always tried:
 * packets without frames have no form. */
static bool is_worth_it(const struct identify_candidate *c)
{
	return c->score >= LEAST_FORM || identify_is_bytes(c->way.transport);
}

/* One window, as the beginning of a trace or as one that begins inside it. */
static void look_at_window(struct run *r, size_t window, bool inside)
{
	const struct identify_way given = { .inside = inside,
		                            .vcd_clock = r->options->vcd_clock,
		                            .vcd_data = r->options->vcd_data };
	struct identify_candidate c[IDENTIFY_WAYS];

	r->capture = r->file.window[window];
	r->next.window = window;
	const size_t n = identify_ways(&r->capture, &given, c);

	for (size_t i = 0; i < n && !is_found(r) && r->code.work < r->limit; i++)
		if (is_worth_it(&c[i]))
			look_at(r, &c[i].way);
}

/* The beginning, as one of a trace and then as the rest of a packet that was cut; other windows,
 * where what is before them is noise, older than the trace, or newer. */
static void look_at_windows(struct run *r)
{
	const bool halves =
		r->file.whole && r->file.windows > 1; /* the first begins where all does */

	r->limit = TOTAL_WORK / 2;
	look_at_window(r, 0, false);
	for (size_t w = halves; w < r->file.windows && !is_found(r); w++) {
		r->limit += (TOTAL_WORK - r->limit) / 2; /* each leaves something for the next */
		look_at_window(r, w, true);
	}
	r->limit = TOTAL_WORK;
	r->capture = r->file.window[r->best.window];
}

/* A buffer that wrapped has its oldest byte in its middle. */
static void look_at_ring(struct run *r)
{
	struct part *p = &r->best.part[0];
	struct identify_guess ring = p->best, whole = p->best;
	struct identify_way way = { .transport = "raw", .most = IDENTIFY_CAPTURE };
	const struct hs_span *all = &r->file.window[0];
	struct identify_bytes b;

	if (!p->decodes || strcmp(r->best.way.transport, "raw") != 0 || !r->file.whole)
		return;
	whole.skip = r->best.window ? 0 : whole.skip;
	identify_measure(&r->code, all, &whole);
	if (!whole.fit.head && !whole.skip && !r->best.window) /* it begins with a trace */
		return;
	if (!identify_find_ring(&r->code, all, &p->best.config, &ring.ring))
		return;
	way.ring = &ring.ring;
	ring.skip = 0;
	if (!identify_transport(all, &way, &b))
		return;
	identify_measure(&r->code, &b.span, &ring);
	if (ring.fit.contradicted <= whole.fit.contradicted) {
		p->best = ring;
		r->best.window = 0;
		r->capture = *all;
	}
	identify_drop_bytes(&b);
}

/* ---- a program that is elsewhere --------------------------------------------------------- */

static size_t find_offsets(struct run *r, size_t window, int64_t out[IDENTIFY_OFFSETS])
{
	const struct identify_config *c = &r->best.part[0].best.config;
	struct identify_way way = r->best.way;
	struct identify_bytes b;

	way.source_id = r->best.part[0].source_id;
	if (c->is == IDENTIFY_TACIT || !identify_transport(&r->file.window[window], &way, &b))
		return 0;
	const struct identify_search s = { .code = &r->code, .way = &way, .bytes = b.span };
	const size_t n = c->is == IDENTIFY_ETRACE ? identify_et_offsets(&s, out)
	                                          : identify_nt_offsets(&s, &c->nt, out);

	identify_drop_bytes(&b);
	return n;
}

/* Does the program follow when it is moved?  Without it a trace and the rest of one look alike. */
static bool follows_at(struct run *r, int64_t offset)
{
	const struct attempt found = { .way = r->best.way, .window = r->best.window };
	bool decodes = false;
	struct identify_fit fit;

	identify_unload(&r->code);
	if (!identify_load(&r->code, r->options, offset, NULL))
		return false;
	for (unsigned cut = 0; cut <= found.way.inside && !decodes; cut++) {
		struct identify_way way = found.way;

		way.inside = cut != 0;
		r->next.window = cut ? found.window : 0;
		r->capture = r->file.window[r->next.window];
		look_at(r, &way);
		sum_up(&r->best, &decodes, &fit);
	}
	r->capture = r->file.window[r->best.window];
	for (size_t i = 0; decodes && i < r->best.count; i++)
		r->best.part[i].best.offset = offset;
	return decodes;
}

/* The form fits, and not the program: is it loaded elsewhere? */
static bool look_elsewhere(struct run *r, struct hs_error *error)
{
	int64_t offsets[IDENTIFY_OFFSETS];
	struct identify_fit fit;
	bool decodes;

	sum_up(&r->best, &decodes, &fit);
	if (!r->has_code || r->code.set.count || !r->best.count || !r->best.part[0].any || decodes)
		return true;                    /* each process is elsewhere by itself */
	size_t n = find_offsets(r, 0, offsets); /* of a small file it has all of it */

	if (!n && r->best.window)
		n = find_offsets(r, r->best.window, offsets);

	r->moved = true;
	for (size_t i = 0; i < n; i++)
		if (follows_at(r, offsets[i]))
			return true;
	if (!n)
		return true;
	identify_unload(&r->code);
	return identify_load(&r->code, r->options, 0, error);
}

/* ---- results ---------------------------------------------------------------------------- */

/* What is explained of all windows; what is before the first that was explained is the head. */
static struct identify_fit sum_windows(const struct run *r, const struct part *p)
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

static void describe(const struct run *r, const struct part *p, struct hs_identified *out)
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
static struct identify_way way_of(const struct run *r, const struct part *p, size_t most)
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
static void look_at_more(struct run *r, struct part *p)
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
static void measure(struct run *r, struct part *p)
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
static bool is_clear(const struct part *p)
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

static enum hs_identify_verdict judge(const struct part *p)
{
	if (!p->any)
		return HS_IDENTIFY_NONE;
	if (!p->decodes)
		return HS_IDENTIFY_FORM;
	return is_clear(p) ? HS_IDENTIFY_CLEAR : HS_IDENTIFY_LIKELY;
}

/* Messages of N-Trace say most of what their decoder must know: where nearly all segments
 * contradict the program, it is another one.  An encoder of E-Trace has more parameters. */
static bool differs(const struct run *r, const struct part *p)
{
	const struct identify_fit *fit = &p->best.fit;

	return r->has_code && !p->decodes && p->best.config.is != IDENTIFY_ETRACE &&
	       fit->segments >= LEAST_SEGMENTS && fit->contradicted * 10 >= fit->segments * 8 &&
	       identify_share(fit) < 3000;
}

/* How many segments the program contradicts that does not follow. */
static void count_segments(struct run *r, struct part *p)
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

static void conclude_part(struct run *r, struct part *p)
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
static void add_unknown(struct run *r, const struct part *p)
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

static void conclude(struct run *r)
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

/* ---- the call ------------------------------------------------------------------------------- */

/* Bytes of text are no messages, also where some could be; nor are bytes that are all the same. */
static bool is_plain(const struct identify_file *file)
{
	const struct hs_file_kind *kind;
	bool plain = !identify_is_dump(&file->window[0]);

	for (size_t i = 0; i < file->windows && plain; i++) {
		(void)hs_file_what_bytes(&file->window[i], &kind);
		plain = kind != NULL;
	}
	return plain;
}

static enum hs_status search(struct run *r, struct hs_error *error)
{
	r->has_code = r->options->code_count != 0;
	if (identify_is_dump(&r->file.window[0])) /* the others lack its names */
		r->file.windows = 1;
	if (r->has_code && !identify_load(&r->code, r->options, 0, error))
		return error ? error->status : HS_E_FORMAT;
	look_at_windows(r);
	const bool loaded = look_elsewhere(r, error);

	if (loaded) {
		look_at_ring(r);
		conclude(r);
	}
	if (r->has_code)
		identify_unload(&r->code);
	return loaded ? HS_OK : HS_E_MEMORY;
}

enum hs_status hs_identify(const struct hs_identify_options *options, struct hs_identity **identity,
                           struct hs_error *error)
{
	struct hs_identify_options o = { .size = sizeof(o) };
	struct hs_error own = { .status = HS_OK };

	if (base_take_config(&o, sizeof(o), options) != HS_OK)
		return hs_error_set(error, HS_E_CONFIG, "struct hs_identify_options: wrong size");
	if (o.protocol && !hs_protocol_find(o.protocol))
		return hs_error_set(error, HS_E_CONFIG, "no protocol '%.40s'", o.protocol);
	if (!o.path && !o.bytes.p)
		return hs_error_set(error, HS_E_CONFIG, "struct hs_identify_options: no capture");
	struct run *r = calloc(1, sizeof(*r));
	struct hs_identity *id = calloc(1, sizeof(*id));
	enum hs_status s = r && id ? HS_OK : hs_error_set(&own, HS_E_MEMORY, "out of memory");

	if (s == HS_OK && o.bytes.p)
		identify_use_memory(&o.bytes, &r->file);
	else if (s == HS_OK && !identify_read_file(o.path, &r->file, &own))
		s = own.status;
	if (s == HS_OK) {
		r->options = &o;
		r->id = id;
		s = identify_refuse(&r->file, o.path ? o.path : "the capture", &own);
	}
	if (s == HS_OK && !is_plain(&r->file))
		s = search(r, &own);
	if (s == HS_OK && id->verdict <= HS_IDENTIFY_FORM)
		identify_whole_frames(&o, hs_identity_get(id, 0), id->frames);
	if (r)
		free(r->file.memory);
	free(r);
	if (error)
		*error = own;
	if (s == HS_OK)
		*identity = id;
	else
		hs_identity_free(id);
	return s;
}
