/* A trace against the rules of its protocol, a piece of it on each thread (design/pool).
 *
 * A piece begins where a message synchronises, as far as its bytes say.  A thread reads it without
 * what was before, and keeps where its lint stands at some bytes after that.  The caller's thread
 * continues from the piece before it up to these bytes: where both stand alike, what the thread
 * found after that is what it would find.  Where they never do, it reads the piece to its end. */
#include <stdlib.h>
#include <string.h>

#include "core/config.h"
#include "source/pieces.h"
#include "source/source.h"

#define PIECE_BYTES ((size_t)1 << 18)
#define STREAM_BYTES ((size_t)1 << 16) /* that one thread reads at once */
#define JOINS 6u
#define JOIN_FIRST 64u /* bytes of a piece before the first place where it may be joined, */
#define JOIN_NEXT 4u   /* and how many times as many before each next one */
#define KEPT_MAX 4096u /* findings that may be given one by one, of a piece */
#define IN_VAIN 16u    /* pieces without a join, one after the other, after which none is tried */

/* Findings between a join and the next one. */
struct found {
	uint64_t *counts;             /* by kind */
	struct hs_lint_finding *kept; /* those that may be printed */
	size_t kept_n, room;
};

/* Where a lint stood. */
struct stand {
	void *state;
	size_t room;
};

struct join {
	size_t in; /* bytes of the piece before it */
	struct stand stand;
	struct found found; /* after it */
};

struct lint_piece {
	struct source_piece piece;
	bool plain, failed;        /* no thread reads it; what a thread made is of no use */
	struct stand began, after; /* the lint of an earlier piece when it was cut; its own */
	const struct hs_lint *by;  /* the lint that read it */
	struct join joins[JOINS];
	unsigned join_count;
};

struct lint_pieces {
	struct hs_source *source;
	const struct hs_lint_options *o;
	const struct hs_protocol *protocol;
	const void *config;
	unsigned kind_count;
	struct hs_lint *truth;  /* the lint after the last piece whose findings were taken */
	struct hs_lint **lints; /* of each thread; NULL: not yet */
	unsigned in_vain;
	enum hs_status end; /* HS_OK: all was read */
};

/* ---- a thread ----------------------------------------------------------------------- */

static bool keep_stand(const struct hs_lint *lint, struct stand *s)
{
	const size_t n = machine_size(lint);

	if (n > s->room) {
		free(s->state);
		s->state = malloc(n);
		s->room = s->state ? n : 0;
	}
	if (s->state)
		machine_save(lint, s->state);
	return s->state;
}

static bool keep_finding(struct found *f, const struct hs_lint_finding *finding)
{
	if (f->kept_n == KEPT_MAX)
		return false;
	if (f->kept_n == f->room) {
		const size_t room = f->room ? 2 * f->room : 16;
		struct hs_lint_finding *more = reallocarray(f->kept, room, sizeof(*more));

		if (!more)
			return false;
		f->kept = more;
		f->room = room;
	}
	f->kept[f->kept_n++] = *finding;
	return true;
}

static bool is_ignored(const struct lint_pieces *p, unsigned kind)
{
	return p->o->ignored && p->o->ignored[kind];
}

/* Read bytes of a piece.  @found: NULL: what is before the first join is of no use. */
static void read_bytes(const struct lint_pieces *p, struct lint_piece *at, struct hs_lint *lint,
                       size_t from, size_t to, struct found *found)
{
	struct hs_span in = { at->piece.bytes + from, to - from };
	struct hs_lint_finding f;

	while (!at->failed && hs_lint_next(lint, &in, &f) == HS_OK) {
		if (!found)
			continue;
		if (found->counts[f.kind]++ < p->o->max && !is_ignored(p, f.kind))
			at->failed = !keep_finding(found, &f);
	}
}

/* Keep where the lint stands after @in bytes of the piece. */
static struct found *add_join(const struct lint_pieces *p, struct lint_piece *at,
                              const struct hs_lint *lint, size_t in)
{
	struct join *j = &at->joins[at->join_count++];
	struct found *f = &j->found;

	j->in = in;
	f->kept_n = 0;
	if (!f->counts)
		f->counts = malloc(p->kind_count * sizeof(*f->counts));
	if (f->counts)
		memset(f->counts, 0, p->kind_count * sizeof(*f->counts));
	at->failed |= !f->counts || !keep_stand(lint, &j->stand);
	return f;
}

static struct hs_lint *lint_of(const struct lint_pieces *p, uint32_t thread)
{
	if (!p->lints[thread] &&
	    hs_lint_new(&p->lints[thread], p->protocol, p->config, p->o->image, p->o->set) != HS_OK)
		p->lints[thread] = NULL;
	return p->lints[thread];
}

static void make_piece(void *pieces, void *piece, uint32_t thread)
{
	const struct lint_pieces *p = pieces;
	struct lint_piece *at = piece;
	struct hs_lint *lint = at->plain ? NULL : lint_of(p, thread);
	struct found *found = NULL;
	size_t done = 0;

	at->join_count = 0;
	at->by = lint;
	at->failed |= !lint;
	if (at->failed)
		return;
	machine_begin(lint, at->began.state, at->piece.offset);
	for (size_t in = JOIN_FIRST; at->join_count < JOINS && in < at->piece.n && !at->failed;
	     in *= JOIN_NEXT) {
		read_bytes(p, at, lint, done, in, found);
		found = add_join(p, at, lint, in);
		done = in;
	}
	read_bytes(p, at, lint, done, at->piece.n, found);
	at->failed |= !keep_stand(lint, &at->after);
}

/* ---- cutting ------------------------------------------------------------------------ */

/* To where the last synchronisation of its second half is seen. */
static size_t cut_piece(void *pieces, void *piece)
{
	const struct lint_pieces *p = pieces;
	struct lint_piece *at = piece;
	const size_t n = at->piece.n;
	const struct hs_span half = { at->piece.bytes + n / 2, n - n / 2 };

	at->plain = !at->piece.offset || p->in_vain >= IN_VAIN;
	at->failed = !at->plain && !keep_stand(p->truth, &at->began);
	return at->piece.end == HS_OK ? n / 2 + p->protocol->codec->find_cut(p->config, &half, true)
	                              : n;
}

/* ---- in order ----------------------------------------------------------------------- */

/* The caller's thread reads them. */
static void read_all(const struct lint_pieces *p, struct hs_span in)
{
	struct hs_lint_finding f;

	while (hs_lint_next(p->truth, &in, &f) == HS_OK)
		p->o->finding(p->o->to, &f);
}

static void read_on(const struct lint_pieces *p, const struct lint_piece *at, size_t from,
                    size_t to)
{
	read_all(p, (struct hs_span){ at->piece.bytes + from, to - from });
}

static void take_found(const struct lint_pieces *p, struct found *f)
{
	for (size_t i = 0; i < f->kept_n; i++) {
		p->o->finding(p->o->to, &f->kept[i]);
		f->counts[f->kept[i].kind]--;
	}
	for (unsigned k = 0; k < p->kind_count; k++)
		if (f->counts[k])
			p->o->more(p->o->to, k, f->counts[k]);
}

/* Read a piece, up to where what a thread found of it can be taken. */
static void join_piece(struct lint_pieces *p, struct lint_piece *at)
{
	const unsigned count = at->failed ? 0 : at->join_count;
	size_t done = 0;
	unsigned i = 0;
	bool joined = false;

	for (; i < count && !joined; i += !joined) {
		const struct join *j = &at->joins[i];

		read_on(p, at, done, j->in);
		done = j->in;
		joined = machine_alike(p->truth, at->by, j->stand.state);
	}
	p->in_vain = joined || at->plain ? 0 : p->in_vain + 1;
	if (!joined) {
		read_on(p, at, done, at->piece.n);
		return;
	}
	machine_advance(p->truth, at->by, at->joins[i].stand.state, at->after.state);
	for (; i < count; i++)
		take_found(p, &at->joins[i].found);
}

/* What reading said after some bytes.  False: there are no more. */
static bool take_end(struct lint_pieces *p, enum hs_status end, const struct hs_error *error)
{
	if (end == HS_OK)
		return true;
	p->end = end == HS_END ? HS_OK : end;
	if (end == HS_END)
		return false;
	p->o->error(p->o->to, error);
	return end == HS_E_FRAMING || end == HS_E_LOST;
}

static bool take_piece(void *pieces, void *piece)
{
	struct lint_pieces *p = pieces;
	struct lint_piece *at = piece;

	join_piece(p, at);
	return take_end(p, at->piece.end, &at->piece.error);
}

/* ---- beginning and ending ----------------------------------------------------------- */

static void free_piece(void *pieces, void *piece)
{
	struct lint_piece *at = piece;

	(void)pieces;
	for (unsigned i = 0; i < JOINS; i++) {
		free(at->joins[i].stand.state);
		free(at->joins[i].found.counts);
		free(at->joins[i].found.kept);
	}
	free(at->began.state);
	free(at->after.state);
}

static enum hs_status run_threads(struct lint_pieces *p)
{
	static const struct source_pieces_work work = {
		.size = sizeof(struct lint_piece),
		.bytes = PIECE_BYTES,
		.cut = cut_piece,
		.make = make_piece,
		.take = take_piece,
		.free = free_piece,
	};
	const uint32_t threads = p->o->threads;
	enum hs_status s = HS_E_MEMORY;

	p->lints = calloc(threads, sizeof(*p->lints));
	if (p->lints)
		s = source_pieces_run(p->source, threads, &work, p);
	for (uint32_t i = 0; p->lints && i < threads; i++)
		hs_lint_free(p->lints[i]);
	free(p->lints);
	return s;
}

/* The same by the caller's thread: bytes are read when they come. */
static enum hs_status run_alone(struct lint_pieces *p)
{
	uint8_t *bytes = malloc(STREAM_BYTES);
	struct hs_error error;
	enum hs_status s;
	size_t n;

	if (!bytes)
		return HS_E_MEMORY;
	do {
		s = hs_source_read(p->source, bytes, STREAM_BYTES, &n, &error);
		read_all(p, (struct hs_span){ bytes, n });
	} while (take_end(p, s, &error));
	free(bytes);
	return HS_OK;
}

static enum hs_status no_memory(const struct hs_lint_options *o)
{
	struct hs_error error;
	const enum hs_status s = hs_error_set(&error, HS_E_MEMORY, "out of memory");

	o->error(o->to, &error);
	return s;
}

enum hs_status hs_source_lint(struct hs_source *source, struct hs_lint *lint,
                              const struct hs_lint_options *options)
{
	const struct hs_trace_params *params = hs_source_params(source);
	struct hs_lint_options o;
	struct lint_pieces p = { .source = source,
		                 .o = &o,
		                 .protocol = hs_trace_params_protocol(params),
		                 .config = hs_trace_params_config(params),
		                 .truth = lint };
	struct hs_lint_finding f;
	struct hs_lint_kind kind;

	if (base_take_config(&o, sizeof(o), options) != HS_OK)
		return HS_E_CONFIG;
	while (hs_lint_get_kind(p.protocol, p.kind_count, &kind))
		p.kind_count++;
	if ((o.threads > 1 ? run_threads(&p) : run_alone(&p)) != HS_OK)
		return no_memory(&o);
	while (p.end == HS_OK && hs_lint_end(lint, &f) == HS_OK)
		o.finding(o.to, &f);
	return p.end;
}
