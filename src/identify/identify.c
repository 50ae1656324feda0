/* The search: windows, ways, protocols (design/identify). */
#include <stdlib.h>
#include <string.h>

#include <hartscope/capture.h>
#include <hartscope/protocol.h>

#include "core/config.h"
#include "identify/run.h"

#define TOTAL_WORK (UINT64_C(1) << 26) /* of all of them */
#define MOVED_WORK (UINT64_C(1) << 23) /* the same for each place where the program may be */
#define WAY_BYTES ((size_t)1 << 19)    /* of samples and frames */
#define LEAST_FORM 5000                /* of 10,000 bytes, for a way that is worth it */
#define LEAST_PACKETS 16
#define RAW_BETTER 1000       /* of 10,000 bytes, by which pins have to be better */
#define LEAST_OF_FRAMES 2500  /* of 10,000 bytes of all sources */
#define LEAST_SEEN 64         /* bytes that are explained, where others ran unknown code, */
#define SEEN_CONTRADICTED 256 /* and for each contradiction */

static bool wants(const struct identify_run *r, const char *protocol)
{
	return !r->options->protocol || strcmp(r->options->protocol, protocol) == 0;
}

/* ---- guesses ------------------------------------------------------------------------ */

static void keep(struct identify_part *p, const struct identify_guess *g, bool decodes)
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
static void sum_up(const struct identify_attempt *a, bool *decodes, struct identify_fit *fit)
{
	*fit = (struct identify_fit){ 0 };
	bool any = false, all = true;

	*decodes = true;
	for (size_t i = 0; i < a->count; i++) {
		const struct identify_part *p = &a->part[i];

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

static bool is_found(const struct identify_run *r)
{
	struct identify_fit fit;
	bool decodes;

	sum_up(&r->best, &decodes, &fit);
	return decodes == r->has_code && identify_share(&fit) > 9000;
}

static void keep_attempt(struct identify_run *r)
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
static bool fits(const struct identify_run *r, const struct identify_fit *fit)
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
static uint64_t end_of(const struct identify_run *r, uint64_t most)
{
	const uint64_t end = r->code.work + most;

	return end < r->limit ? end : r->limit;
}

/* A few messages that give more blocks than are read may have a count that is none: what comes
 * after it shows that. */
static bool follows(struct identify_run *r, const struct identify_search *s,
                    struct identify_guess *g)
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

static void look_ntrace(struct identify_run *r, struct identify_search *s, struct identify_part *p)
{
	if (!wants(r, "ntrace") || !identify_ntrace(s))
		return;
	const bool decodes = r->has_code && follows(r, s, &s->best);

	keep(p, decodes ? &s->best : &s->form, decodes);
}

/* The frame with its defaults, which needs no packet that synchronises with few bytes before it. */
static void try_defaults(struct identify_run *r, const struct identify_search *s,
                         struct identify_guess *g, struct identify_part *p)
{
	const struct hs_span bytes = { s->bytes.p,
		                       s->bytes.n < REFINE_BYTES ? s->bytes.n : REFINE_BYTES };

	identify_follow(&r->code, &bytes, g, NULL);
	if (fits(r, &g->fit) && !g->fit.flooded)
		keep(p, g, true);
}

static void look_etrace(struct identify_run *r, struct identify_search *s, struct identify_part *p)
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

static void look_at_part(struct identify_run *r, const struct identify_way *way,
                         struct identify_part *p)
{
	struct identify_search s = { .code = r->has_code ? &r->code : NULL, .way = way };
	struct identify_guess g = { .transport = way->transport };
	const uint64_t most = r->moved ? MOVED_WORK : SEARCH_WORK;
	struct identify_bytes b;

	/* encoders of one chip are mostly alike: what the first one has not, others have not */
	s.end = end_of(r, r->next.count > 1 ? most / 4 : most);
	*p = (struct identify_part){ .source_id = way->source_id };
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
static bool look_like(struct identify_run *r, const struct identify_way *way,
                      const struct identify_part *other, struct identify_part *p)
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
		*p = (struct identify_part){ way->source_id, true, r->has_code, .best = g };
	return like;
}

/* A source with few messages: is it like one that has more? */
static void look_again_at_sources(struct identify_run *r, struct identify_way *way)
{
	for (size_t i = 0; i < r->next.count; i++) {
		struct identify_part *p = &r->next.part[i];

		way->source_id = p->source_id;
		for (size_t k = 0; k < r->next.count; k++)
			if (!p->any || p->decodes < r->has_code)
				look_like(r, way, &r->next.part[k], p);
	}
}

/* Each source of frames that has data. */
static void look_at_sources(struct identify_run *r, const struct identify_way *frames)
{
	struct identify_way way = *frames;
	uint64_t ids[2];

	if (!identify_sources(&r->capture, &way, ids))
		return;
	for (unsigned id = 1; id <= HS_FRAME_SOURCE_MAX && r->next.count < PARTS; id++) {
		way.source_id = (uint8_t)id;
		if (!(ids[id / 64] >> id % 64 & 1))
			continue;
		struct identify_part *p = &r->next.part[r->next.count++];

		if (!r->has_code || !look_like(r, &way, &r->next.part[0], p))
			look_at_part(r, &way, p);
	}
	look_again_at_sources(r, &way);
}

static void look_at(struct identify_run *r, const struct identify_way *found)
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
static void look_at_window(struct identify_run *r, size_t window, bool inside)
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
static void look_at_windows(struct identify_run *r)
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
static void look_at_ring(struct identify_run *r)
{
	struct identify_part *p = &r->best.part[0];
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

static size_t find_offsets(struct identify_run *r, size_t window, int64_t out[IDENTIFY_OFFSETS])
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
static bool follows_at(struct identify_run *r, int64_t offset)
{
	const struct identify_attempt found = { .way = r->best.way, .window = r->best.window };
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
static bool look_elsewhere(struct identify_run *r, struct hs_error *error)
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

static enum hs_status search(struct identify_run *r, struct hs_error *error)
{
	r->has_code = identify_names_code(r->options);
	if (identify_is_dump(&r->file.window[0])) /* the others lack its names */
		r->file.windows = 1;
	if (r->has_code && !identify_load(&r->code, r->options, 0, error))
		return error ? error->status : HS_E_FORMAT;
	look_at_windows(r);
	const bool loaded = look_elsewhere(r, error);

	if (loaded) {
		look_at_ring(r);
		identify_conclude(r);
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
	struct identify_run *r = calloc(1, sizeof(*r));
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
