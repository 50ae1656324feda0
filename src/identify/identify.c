/* The search: transports, protocols, and what is certain in the end. */
#include <stdlib.h>
#include <string.h>

#include <hartscope/file_kind.h>

#include "base/config.h"
#include "identify/private.h"

#define SEARCH_WORK (UINT64_C(1) << 28) /* of one transport, in bytes of trials */
#define DOUBT_BYTES ((size_t)1 << 15)
#define LAST_BYTES ((size_t)1 << 20)
#define REFINE_BYTES ((size_t)1 << 17)
#define PIN_BYTES ((size_t)1 << 18)
#define GUESSES 4
#define HEADERS 27 /* 3 widths of srcID in bytes, 9 of the timestamp */

struct hs_identity {
	struct hs_identified results[GUESSES];
	size_t count;
	enum hs_identify_verdict verdict;
};

/* What is being looked at. */
struct run {
	const struct hs_identify_options *options;
	struct hs_identity *id;
	struct hs_span capture;
	struct identify_code code;
	bool has_code;
	struct identify_guess best;
	bool any;     /* best is something */
	bool decodes; /* best was decoded with the program */
	char unsure[HS_IDENTIFY_TEXT];
};

static bool wants(const struct run *r, const char *protocol)
{
	return !r->options->protocol || strcmp(r->options->protocol, protocol) == 0;
}

/* ---- guesses ------------------------------------------------------------------------ */

static void keep(struct run *r, const struct identify_guess *g, bool decodes)
{
	if (r->any && (r->decodes > decodes ||
	               (r->decodes == decodes && !identify_better(&g->fit, &r->best.fit))))
		return;
	r->best = *g;
	r->any = true;
	r->decodes = decodes;
}

static bool is_found(const struct run *r)
{
	return r->any && r->decodes == r->has_code && identify_share(&r->best.fit) > 9000;
}

/* Does the program follow enough of it to say so? */
static bool fits(const struct identify_fit *fit)
{
	return identify_share(fit) > 5000 && fit->halfwords &&
	       fit->contradicted * 4 < fit->segments + 4;
}

static void set_frame(struct identify_config *c, const struct identify_frame *f)
{
	c->et = (struct hs_et_config){ .size = sizeof(c->et) };
	hs_et_config_dialect(&c->et, f->dialect);
	c->et.src_bits = f->src_bits;
	c->et.tstamp_bytes = f->stamp;
}

static void look_ntrace(struct run *r, struct identify_search *s)
{
	if (!wants(r, "ntrace") || !identify_ntrace(s))
		return;
	const bool decodes = r->has_code && fits(&s->best.fit);

	keep(r, decodes ? &s->best : &s->form, decodes);
}

static void look_etrace(struct run *r, struct identify_search *s)
{
	struct identify_guess g = { .transport = s->transport };
	struct identify_frame f;

	if (!wants(r, "etrace"))
		return;
	if (r->has_code && identify_etrace(s) && fits(&s->best.fit))
		keep(r, &s->best, true);
	if (r->any && r->decodes)
		return;
	if (identify_form(&s->bytes, &f, &g.fit)) {
		set_frame(&g.config, &f);
		keep(r, &g, false);
	}
}

/* ---- transports ---------------------------------------------------------------------- */

static void look_at(struct run *r, const struct identify_way *way)
{
	struct identify_search s = { .code = r->has_code ? &r->code : NULL,
		                     .transport = way->transport,
		                     .end = r->code.work + SEARCH_WORK };
	struct identify_bytes b;

	if (!identify_transport(&r->capture, way, &b))
		return;
	s.bytes = b.span;
	if (way->headers)
		look_etrace(r, &s);
	else
		look_ntrace(r, &s);
	identify_drop_bytes(&b);
}

/* A number for bytes: equal where they are. */
static uint64_t number_of(const struct hs_span *b)
{
	uint64_t n = UINT64_C(0xcbf29ce484222325);

	for (size_t i = 0; i < b->n; i++)
		n = (n ^ b->p[i]) * UINT64_C(0x100000001b3);
	return n;
}

/* What pins carried depends on how long headers are: each way that gives other bytes. */
static void look_at_headers(struct run *r, const struct identify_way *plain)
{
	uint64_t seen[HEADERS];
	const unsigned ways = plain->most < IDENTIFY_CAPTURE ? HEADERS : 1; /* pins, or bytes */
	unsigned n = 0;

	for (unsigned i = 0; i < ways && !is_found(r); i++) {
		struct identify_way way = *plain;
		struct identify_bytes b;
		unsigned k = 0;

		way.headers = true;
		way.src_bytes = (uint8_t)(i % 3);
		way.tstamp_bytes = (uint8_t)(i / 3);
		if (!identify_transport(&r->capture, &way, &b))
			continue;
		seen[n] = number_of(&b.span);
		identify_drop_bytes(&b);
		while (seen[k] != seen[n])
			k++;
		if (k < n)
			continue;
		n++;
		look_at(r, &way);
	}
}

/* Bytes are also samples of pins: a transport must be better than none. */
static void look_at_transports(struct run *r)
{
	static const char *const names[] = {
		"raw",   "pins4-packed", "pins1-packed", "pins2-packed", "pins4",
		"pins1", "pins2",        "pins16",       "pins8",
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(*names) && !is_found(r); i++) {
		struct identify_way way = { .transport = names[i],
			                    .most = i ? PIN_BYTES : IDENTIFY_CAPTURE };

		look_at(r, &way);
		if (!is_found(r))
			look_at_headers(r, &way);
	}
}

/* A buffer that wrapped has its oldest byte in its middle. */
static void look_at_ring(struct run *r)
{
	struct identify_guess ring = r->best, whole = r->best;
	const struct identify_way way = { .transport = "raw",
		                          .ring = true,
		                          .most = IDENTIFY_CAPTURE,
		                          .src_bits = ring.config.nt.src_bits };
	struct identify_bytes b;

	if (!r->decodes || ring.config.et.size || strcmp(ring.transport, "raw") != 0 ||
	    identify_is_whole(&ring.fit) || !identify_transport(&r->capture, &way, &b))
		return;
	ring.ring = true;
	identify_follow(&r->code, &b.span, &ring);
	identify_follow(&r->code, &r->capture, &whole);
	if (identify_better(&ring.fit, &whole.fit))
		r->best = ring;
	identify_drop_bytes(&b);
}

/* ---- a program that is elsewhere --------------------------------------------------------- */

static size_t find_offsets(struct run *r, int64_t out[IDENTIFY_OFFSETS])
{
	struct identify_search s = { .code = &r->code, .bytes = r->capture };
	struct identify_frame f;
	struct identify_fit fit;
	uint64_t addresses[256];

	if (r->best.config.et.size)
		return identify_form(&r->capture, &f, &fit) ? identify_et_offsets(&s, &f, out) : 0;
	const size_t n = identify_nt_addresses(&r->capture, &r->best.config.nt, addresses, 256);

	return identify_find_offset(&r->code, addresses, n, out);
}

/* Does the program follow when it is moved? */
static bool follows_at(struct run *r, int64_t offset)
{
	const struct identify_way way = { .transport = "raw",
		                          .most = IDENTIFY_CAPTURE,
		                          .headers = r->best.config.et.size != 0 };

	identify_unload(&r->code);
	if (!identify_load(&r->code, r->options, offset, NULL))
		return false;
	look_at(r, &way);
	r->best.offset = offset;
	return r->decodes;
}

/* The form fits, and not the program: is it loaded elsewhere? */
static bool look_elsewhere(struct run *r, struct hs_error *error)
{
	const struct identify_guess form = r->best;
	int64_t offsets[IDENTIFY_OFFSETS];

	if (!r->any || r->decodes || !r->has_code || strcmp(form.transport, "raw") != 0)
		return true;
	const size_t n = find_offsets(r, offsets);

	for (size_t i = 0; i < n; i++) {
		if (follows_at(r, offsets[i]))
			return true;
		r->best = form;
	}
	if (!n)
		return true;
	identify_unload(&r->code);
	return identify_load(&r->code, r->options, 0, error);
}

/* ---- results ---------------------------------------------------------------------------- */

static void describe(const struct run *r, const struct identify_guess *g, struct hs_identified *out)
{
	*out = (struct hs_identified){
		.protocol = identify_protocol(&g->config),
		.transport = g->transport,
		.ring = g->ring,
		.has_offset = g->offset != 0,
		.offset = g->offset,
		.bytes = g->fit.bytes,
		.explained = g->fit.explained,
		.messages = g->fit.messages,
		.segments = g->fit.segments,
		.contradicted = g->fit.contradicted,
		.halfwords = g->fit.halfwords,
	};
	memcpy(out->unsure, r->unsure, sizeof(out->unsure));
	identify_write_settings(&g->config, r->has_code ? r->code.image->isa.xlen : 64,
	                        out->settings);
}

/* What the first bytes did not show: parameters that the program contradicts later. */
static void look_again(struct identify_search *s, struct identify_guess *g)
{
	const struct hs_span all = s->bytes;

	s->bytes.n = all.n < REFINE_BYTES ? all.n : REFINE_BYTES;
	identify_follow(s->code, &s->bytes, g);
	if (!identify_is_whole(&g->fit) && g->config.et.size)
		identify_et_refine(s, g);
	else if (!identify_is_whole(&g->fit))
		identify_nt_refine(s, g);
	s->bytes = all;
}

/* Decode more of it than the search did. */
static void look_at_more(struct run *r)
{
	struct identify_guess *g = &r->best;
	const struct identify_way way = {
		.transport = g->transport,
		.ring = g->ring,
		.headers = g->config.et.size != 0,
		.most = g->ring ? IDENTIFY_CAPTURE : LAST_BYTES,
		.src_bits = g->config.nt.src_bits,
		.src_bytes = g->config.et.src_bits / 8,
		.tstamp_bytes = g->config.et.tstamp_bytes,
	};
	struct identify_search s = { .code = &r->code, .end = r->code.work + SEARCH_WORK };
	struct identify_bytes b;

	if (!identify_transport(&r->capture, &way, &b))
		return;
	s.bytes = b.span;
	if (r->decodes)
		look_again(&s, g);
	if (r->decodes) {
		identify_prune(&s, g, DOUBT_BYTES);
		identify_doubt(&s, g, DOUBT_BYTES, r->unsure);
	}
	identify_follow(&r->code, &b.span, g);
	identify_drop_bytes(&b);
}

static enum hs_identify_verdict judge(const struct run *r)
{
	const unsigned share = identify_share(&r->best.fit);

	if (!r->any)
		return HS_IDENTIFY_NONE;
	if (!r->decodes)
		return HS_IDENTIFY_FORM;
	return share < 9900 || *r->unsure ? HS_IDENTIFY_LIKELY : HS_IDENTIFY_CLEAR;
}

/* Messages of N-Trace say most of what their decoder must know: where nearly all segments
 * contradict the program, it is another one.  An encoder of E-Trace has more parameters. */
static bool differs(const struct run *r)
{
	const struct identify_fit *fit = &r->best.fit;

	return r->has_code && !r->decodes && !r->best.config.et.size &&
	       fit->contradicted * 10 >= fit->segments * 8 && identify_share(fit) < 3000;
}

static void conclude(struct run *r)
{
	struct hs_identity *id = r->id;

	if (!r->any)
		return;
	if (r->has_code)
		look_at_more(r);
	id->verdict = judge(r);
	describe(r, &r->best, &id->results[0]);
	id->results[0].program_differs = differs(r);
	id->count = 1;
}

enum hs_identify_verdict hs_identity_verdict(const struct hs_identity *id)
{
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

static enum hs_status refuse(const struct hs_span *bytes, const char *path, struct hs_error *error)
{
	const struct hs_file_kind *kind = hs_file_kind_of(bytes);

	if (!bytes->n)
		return hs_error_set(error, HS_E_FORMAT, "%s is empty: it holds no trace", path);
	if (!kind || !kind->certain)
		return HS_OK;
	return hs_error_set(error, HS_E_FORMAT, "%s is %s, not a trace: %s", path, kind->what,
	                    kind->hint);
}

static enum hs_status search(struct run *r, struct hs_error *error)
{
	r->has_code = r->options->code_count != 0;
	if (r->has_code && !identify_load(&r->code, r->options, 0, error))
		return error ? error->status : HS_E_FORMAT;
	look_at_transports(r);
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
	struct identify_bytes file = { .own = NULL };
	struct hs_error own = { .status = HS_OK };

	if (base_take_config(&o, sizeof(o), options) != HS_OK)
		return hs_error_set(error, HS_E_CONFIG, "struct hs_identify_options: wrong size");
	if (o.protocol && !hs_protocol_find(o.protocol))
		return hs_error_set(error, HS_E_CONFIG, "no protocol '%.40s'", o.protocol);
	struct run *r = calloc(1, sizeof(*r));
	struct hs_identity *id = calloc(1, sizeof(*id));
	enum hs_status s = r && id ? HS_OK : hs_error_set(&own, HS_E_MEMORY, "out of memory");

	if (s == HS_OK && !o.bytes.p && !identify_read_file(o.path, &file, &own))
		s = own.status;
	if (s == HS_OK) {
		r->options = &o;
		r->id = id;
		r->capture = o.bytes.p ? o.bytes : file.span;
		s = refuse(&r->capture, o.path ? o.path : "the capture", &own);
	}
	if (s == HS_OK)
		s = search(r, &own);
	identify_drop_bytes(&file);
	free(r);
	if (error)
		*error = own;
	if (s == HS_OK)
		*identity = id;
	else
		hs_identity_free(id);
	return s;
}
