/* One guess, tried with the program: how much of the capture makes sense with it. */
#include <stdlib.h>

#include "etrace/etrace.h"
#include "identify/private.h"
#include "ntrace/ntrace.h"

#define CONTRADICTION 8.0 /* bytes that may have made sense before one by chance */
#define FORGIVEN 2.0      /* the same of code that is missing: a wrong reading comes there often */
#define FLOOD 256         /* bytes that a trial lacks which a count of blocks ended early */
#define CHUNK 16          /* bytes that are given at once: what is explained is counted so */
#define WAIT_BYTES 512    /* messages without blocks that may stand between two with some */
#define MOST_BLOCKS (UINT64_C(1) << 18) /* and those of each byte: more are a count that is none */
#define BYTE_BLOCKS 16
#define PATIENT_BLOCKS (UINT64_C(1) << 25)
#define LEAST_SEEN 256 /* bytes that are explained, of what also ran code that is missing */
#define FORM_BYTES 1024
#define MOST_COUNT (UINT64_C(1) << 24) /* branches that one packet of these may count */
#define SOURCES 32
#define ROOM 64

unsigned identify_share(const struct identify_fit *fit)
{
	const uint64_t seen = fit->bytes - fit->unseen;

	return seen ? (unsigned)(fit->explained * 10000 / seen) : 0;
}

bool identify_is_whole(const struct identify_fit *fit)
{
	const uint64_t bytes = fit->bytes - fit->head - fit->unseen;

	if (fit->unseen && fit->explained < LEAST_SEEN)
		return false;
	return !fit->contradicted && !fit->flooded && fit->any && fit->head * 2 <= fit->bytes &&
	       fit->explained * 100 > bytes * 99;
}

static double score(const struct identify_fit *fit)
{
	const double good = (double)fit->explained - CONTRADICTION * (double)fit->contradicted -
	                    FORGIVEN * (double)fit->forgiven;
	const double bytes = (double)(fit->bytes + (fit->flooded ? FLOOD : 0));

	return fit->bytes ? good / bytes : -1;
}

bool identify_better(const struct identify_fit *a, const struct identify_fit *b)
{
	const double x = score(a), y = score(b);

	if (x != y)
		return x > y;
	return a->flooded != b->flooded ? b->flooded : a->contradicted < b->contradicted;
}

/* The decoder of either protocol. */
struct decoder {
	enum identify_protocol is;
	struct tacit_decoder own; /* of TACIT */
	struct tacit_source own_source;
	struct hs_nt_decoder nt;
	struct hs_et_decoder et;
	struct hs_nt_source nt_sources[SOURCES];
	struct hs_et_source et_sources[SOURCES];
	void *tables;
	struct hs_block out[ROOM];
	size_t n;
};

/* The programs of contexts. */
static struct hs_decoder_options options_of(const struct identify_code *code)
{
	return (struct hs_decoder_options){
		.size = sizeof(struct hs_decoder_options),
		.count = code->set.count,
		.tables = code->tables,
		.contexts = code->set.contexts,
		.others_run_first = code->set.others_run_first,
	};
}

static bool start_etrace(struct decoder *d, struct identify_code *code,
                         const struct hs_et_config *c)
{
	const size_t each = hs_et_source_memory(c), sources = c->src_bits ? SOURCES : 1;

	const struct hs_decoder_options o = options_of(code);

	d->tables = each ? malloc(sources * each) : NULL; /* of most of them nothing is touched */
	if (each && !d->tables)
		return false;
	return hs_et_decoder_init(&d->et, c, &code->table, d->et_sources, sources, d->tables,
	                          sources * each) == HS_OK &&
	       hs_et_decoder_set(&d->et, &o) == HS_OK;
}

static bool start(struct decoder *d, struct identify_code *code, const struct identify_config *c)
{
	d->is = c->is;
	if (c->is == IDENTIFY_TACIT)
		return tacit_decoder_init(&d->own, &c->tacit, &code->table, &d->own_source) ==
		       HS_OK;
	if (c->is == IDENTIFY_ETRACE)
		return start_etrace(d, code, &c->et);
	const struct hs_decoder_options o = options_of(code);
	struct hs_nt_config nt = c->nt;

	nt.periodic_events = 1;
	return hs_nt_decoder_init(&d->nt, &nt, &code->table, d->nt_sources, SOURCES) == HS_OK &&
	       hs_nt_decoder_set(&d->nt, &o) == HS_OK;
}

static enum hs_status next(struct decoder *d, struct hs_span *in)
{
	if (d->is == IDENTIFY_TACIT)
		return tacit_decode(&d->own, in, d->out, ROOM, &d->n);
	return d->is == IDENTIFY_ETRACE ? hs_et_decoder_next(&d->et, in, d->out, ROOM, &d->n)
	                                : hs_nt_decoder_next(&d->nt, in, d->out, ROOM, &d->n);
}

/* Why a decoder went wrong; HS_REASON_NONE: it did not. */
static enum hs_reason reason_of(const struct decoder *d, enum hs_status s)
{
	if (hs_status_get_class(s) < HS_CLASS_CALLER)
		return HS_REASON_NONE;
	return d->is == IDENTIFY_TACIT    ? d->own.diag.reason
	       : d->is == IDENTIFY_ETRACE ? hs_et_decoder_diag(&d->et)->reason
	                                  : hs_nt_decoder_diag(&d->nt)->reason;
}

/* Only missing code does this (design/unmapped). */
static bool is_missing_code(enum hs_reason r)
{
	return r == HS_REASON_NO_CODE || r == HS_REASON_NO_CODE_AT_SYNC ||
	       r == HS_REASON_RETURN_UNSEEN || r == HS_REASON_STATE_UNSEEN;
}

/* Losses that the encoder reports contradict nothing. */
static bool contradicts(enum hs_reason r)
{
	return r != HS_REASON_NONE && r != HS_REASON_LOST && r != HS_REASON_OVERRUN &&
	       r != HS_REASON_TRUNCATED && r != HS_REASON_INPUT_LOST && r != HS_REASON_WAY_UNKNOWN;
}

/* Mix two words into the number of a flow (FNV-1a on words). */
static void mix_words(uint64_t *flow, uint64_t a, uint64_t b)
{
	*flow = (*flow ^ a) * UINT64_C(0x100000001b3);
	*flow = (*flow ^ b) * UINT64_C(0x100000001b3);
}

/* A flow that is being followed. */
struct follower {
	struct decoder *decoder;
	struct identify_fit *fit;
	uint64_t all; /* bytes that there are */
	double beat;  /* the score of something better than which it has to be */
	bool strict;  /* one contradiction ends it */
	bool whole;   /* it is read to its end */
	bool synced;  /* since the last contradiction */
	bool unseen;  /* it runs in code that was not given */
	bool leads;   /* it was synchronised, and had no blocks yet */
	/* Contexts that packets of E-Trace named.  A field that is always the same names no
	 * process, and may be no context: until there are two, missing code is a contradiction. */
	bool has_context, has_contexts;
	uint64_t context;
	uint64_t missing; /* contradictions that were missing code, before the second context */
	uint64_t waiting; /* bytes since the last block */
	uint64_t lead;    /* of the head: bytes from the first synchronisation on */
	uint64_t blocks, most;
};

static bool is_flood(const struct follower *f)
{
	return f->blocks > f->most + BYTE_BLOCKS * f->fit->bytes;
}

static void take_context(struct follower *f, uint64_t context)
{
	if (f->has_context && context != f->context && !f->has_contexts) {
		f->has_contexts = true;
		f->fit->contradicted -= f->missing;
		f->fit->forgiven += f->missing;
	}
	f->has_context = true;
	f->context = context;
}

/* Does the trace name processes, some of whose programs may not be given? */
static bool has_processes(const struct follower *f)
{
	const struct decoder *d = f->decoder;

	return d->is == IDENTIFY_NTRACE ? hs_nt_decoder_stats(&d->nt)->messages[HS_NT_OWNERSHIP]
	                                : f->has_contexts;
}

static bool take_blocks(struct follower *f)
{
	const struct decoder *d = f->decoder;
	bool any = false;

	for (size_t i = 0; i < d->n; i++) {
		const struct hs_block *b = &d->out[i];

		if (b->kind == HS_KIND_TRAP)
			mix_words(&f->fit->flow, b->value, b->arg);
		if (b->kind == HS_KIND_CONTEXT)
			take_context(f, b->value);
		f->leads |= b->kind == HS_KIND_SYNC;
		if (b->kind != HS_KIND_BLOCK)
			continue;
		f->fit->halfwords += b->iretire;
		mix_words(&f->fit->flow, b->iaddr, b->iretire | (uint64_t)b->itype << 32);
		f->blocks++;
		any = true;
	}
	return any;
}

static uint64_t count_skipped(const struct decoder *d)
{
	if (d->is == IDENTIFY_TACIT)
		return d->own.skipped;
	return d->is == IDENTIFY_ETRACE ? hs_et_decoder_stats(&d->et)->skipped
	                                : hs_nt_decoder_stats(&d->nt)->skipped;
}

/* Nothing was explained yet: bytes of the head.  The first blocks may come only with the messages
 * after the synchronisation that leads to them. */
static void add_head(struct follower *f, uint64_t n, bool bad)
{
	f->leads &= !bad;
	f->lead = f->leads ? f->lead + n : 0;
	f->fit->head += n;
}

static void end_head(struct follower *f)
{
	const uint64_t lead = f->lead <= WAIT_BYTES ? f->lead : 0;

	f->fit->head -= lead;
	f->fit->explained += lead;
	f->fit->any = true;
}

/* Bytes make sense when blocks come of them, soon, and no contradiction. */
static void take_chunk(struct follower *f, struct hs_span in)
{
	const uint64_t n = in.n;
	bool bad = false, any = false;

	for (;;) {
		const enum hs_status s = next(f->decoder, &in);
		const enum hs_reason r = reason_of(f->decoder, s);
		const bool new = take_blocks(f), missing = is_missing_code(r);
		const bool lacks = missing ? has_processes(f) : false;
		const bool wrong = lacks ? false : contradicts(r);

		f->unseen = lacks || (f->unseen && !new && !wrong);
		any |= new;
		bad |= wrong;
		f->fit->contradicted += wrong;
		f->fit->forgiven += lacks;
		f->missing += missing && wrong;
		if (s == HS_MORE || is_flood(f) || s == HS_E_SPACE || s == HS_E_ARG)
			break;
	}
	if (!f->fit->any)
		f->fit->before = count_skipped(f->decoder);
	f->waiting = any ? 0 : f->waiting + n;
	f->synced = !bad && (f->synced || any);
	if (f->unseen && !any && !bad) {
		f->fit->unseen += n;
	} else if (f->synced && f->waiting <= WAIT_BYTES) {
		f->fit->explained += n;
		if (!f->fit->any)
			end_head(f);
	} else if (!f->fit->any) {
		add_head(f, n, bad);
	}
}

/* The best score that it can still reach. */
static double hope(const struct follower *f)
{
	const struct identify_fit *fit = f->fit;
	const uint64_t lost = fit->bytes - fit->explained;

	return ((double)(f->all - lost) - CONTRADICTION * (double)fit->contradicted) /
	       (double)f->all;
}

/* So many contradictions with hardly anything between them: it will not get better.  So many
 * blocks: it is good enough, or a count that is none. */
static bool decided(const struct follower *f)
{
	const struct identify_fit *fit = f->fit;

	if (is_flood(f))
		return true;
	if (f->whole)
		return false;
	if (f->beat >= 0 && fit->contradicted > 4 && identify_share(fit) < 5000)
		return true;
	return (fit->contradicted > 24 && identify_share(fit) < 2500) ||
	       (fit->bytes > (fit->unseen ? 16384 : 4096) && !fit->halfwords) ||
	       (f->strict && fit->contradicted) || hope(f) < f->beat;
}

static void count_tacit(const struct decoder *d, struct identify_fit *fit)
{
	for (unsigned i = 0; i < TACIT_CODES; i++)
		fit->messages += d->own.messages[i];
	fit->segments = d->own.messages[TACIT_START] + d->own.messages[TACIT_PERIODIC] +
	                d->own.messages[TACIT_RESUME];
}

static void count_messages(const struct decoder *d, struct identify_fit *fit)
{
	if (d->is == IDENTIFY_TACIT) {
		count_tacit(d, fit);
		return;
	}
	const struct hs_et_stats *et = hs_et_decoder_stats(&d->et);
	const struct hs_nt_stats *nt = hs_nt_decoder_stats(&d->nt);
	const uint64_t *n = d->is == IDENTIFY_ETRACE ? et->packets : nt->messages;

	for (unsigned i = 0; i < (d->is == IDENTIFY_ETRACE ? HS_ET_FORMS : 64); i++)
		fit->messages += n[i];
	fit->segments = d->is == IDENTIFY_ETRACE
	                        ? n[HS_ET_FORM_START] + n[HS_ET_FORM_TRAP]
	                        : n[HS_NT_PROG_TRACE_SYNC] + n[HS_NT_DIRECT_BRANCH_SYNC] +
	                                  n[HS_NT_INDIRECT_BRANCH_SYNC] +
	                                  n[HS_NT_INDIRECT_BRANCH_HIST_SYNC];
}

/* What was skipped because its source had not synchronised makes no sense yet. */
static void take_off_skipped(const struct decoder *d, struct identify_fit *fit)
{
	const uint64_t skipped = count_skipped(d);

	if (skipped < fit->messages)
		fit->explained -= fit->explained * skipped / fit->messages;
}

/* Do the first packets of E-Trace have fields that can be?  A count that is none takes long. */
static bool reads_well(const struct hs_span *bytes, const struct hs_et_config *c)
{
	struct hs_span in = { bytes->p, bytes->n < FORM_BYTES ? bytes->n : FORM_BYTES };
	struct hs_et_reader r;
	struct hs_et_packet p;
	unsigned good = 0, bad = 0;

	if (hs_et_reader_init(&r, c) != HS_OK)
		return false;
	for (;;) {
		const enum hs_status s = hs_et_read(&r, &in, &p);

		if (s == HS_MORE)
			break;
		if (s == HS_OK && p.form == HS_ET_FORM_SUPPORT)
			hs_et_reader_follow(&r, &p);
		bad += s != HS_OK || p.field[HS_ETF_BRANCH_COUNT] > MOST_COUNT;
		good++;
	}
	return bad * 4 <= good + 4;
}

/* Where a trial ends. */
enum end { WHERE_DECIDED, PATIENTLY, AT_CONTRADICTION, AT_END };

static void follow(struct identify_code *code, const struct hs_span *bytes,
                   struct identify_guess *g, const struct identify_fit *beat, enum end end)
{
	/* nothing shows where packets begin */
	const bool bare =
		g->config.is == IDENTIFY_ETRACE && g->config.et.dialect == HS_ET_DIALECT_NONE;

	if (!code->decoder)
		code->decoder = calloc(1, sizeof(struct decoder));
	struct decoder *d = code->decoder;
	struct follower f = {
		.decoder = d,
		.fit = &g->fit,
		.all = bytes->n,
		.most = end == PATIENTLY ? PATIENT_BLOCKS : MOST_BLOCKS,
	};

	f.whole = end == AT_END;
	f.strict = bare || end == AT_CONTRADICTION;
	f.beat = beat ? score(beat) : -1e9;
	g->fit = (struct identify_fit){ 0 };
	code->work += CHUNK;
	if (beat && g->config.is == IDENTIFY_ETRACE && !f.strict &&
	    !reads_well(bytes, &g->config.et))
		return;
	if (d && start(d, code, &g->config)) {
		while (g->fit.bytes < bytes->n && !decided(&f)) {
			const size_t left = bytes->n - (size_t)g->fit.bytes,
				     n = left < CHUNK ? left : CHUNK;

			g->fit.bytes += n;
			take_chunk(&f, (struct hs_span){ bytes->p + g->fit.bytes - n, n });
		}
		count_messages(d, &g->fit);
		if (!f.whole)
			take_off_skipped(d, &g->fit);
		g->fit.flooded = is_flood(&f);
		code->work += g->fit.bytes + f.blocks / 4;
		if (f.strict && g->fit.contradicted) /* the rest makes no sense */
			g->fit.bytes = bytes->n;
	}
	if (d)
		free(d->tables);
	if (d)
		d->tables = NULL;
}

static struct hs_span after_skip(const struct hs_span *bytes, const struct identify_guess *g)
{
	const size_t skip = g->skip < bytes->n ? g->skip : bytes->n;

	return (struct hs_span){ bytes->p + skip, bytes->n - skip };
}

void identify_follow(struct identify_code *code, const struct hs_span *bytes,
                     struct identify_guess *g, const struct identify_fit *beat)
{
	const struct hs_span in = after_skip(bytes, g);

	follow(code, &in, g, beat, WHERE_DECIDED);
}

void identify_follow_strictly(struct identify_code *code, const struct hs_span *bytes,
                              struct identify_guess *g, const struct identify_fit *beat)
{
	const struct hs_span in = after_skip(bytes, g);

	follow(code, &in, g, beat, AT_CONTRADICTION);
}

void identify_follow_patiently(struct identify_code *code, const struct hs_span *bytes,
                               struct identify_guess *g)
{
	const struct hs_span in = after_skip(bytes, g);

	follow(code, &in, g, NULL, PATIENTLY);
}

void identify_measure(struct identify_code *code, const struct hs_span *bytes,
                      struct identify_guess *g)
{
	follow(code, bytes, g, NULL, AT_END);
}
