/* hartscope lint: a file in pieces, each on a thread (ADR-0304).
 *
 * A piece begins where a message synchronises, as far as its bytes say.  A thread reads it without
 * what was before, and keeps where its lint stands at some bytes after that.  The caller's thread
 * continues from the piece before it up to these bytes: where both stand alike, what the thread
 * found after that is what it would find.  Where they never do, it reads the piece to its end. */
#include <stdlib.h>
#include <string.h>

#include "commands/lint.h"
#include "common/ordered.h"
#include "common/tool.h"

#define PIECE_BYTES ((size_t)1 << 18)
#define PIECES_EACH 3u  /* for each thread */
#define READ_ROOM 4096u /* as hs_source_read() needs it */
#define JOINS 6u
#define JOIN_FIRST 64u /* bytes of a piece before the first place where it may be joined, */
#define JOIN_NEXT 4u   /* and how many times as many before each next one */
#define KEPT_MAX 4096u /* findings that may be printed, of a piece */
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

struct piece {
	uint8_t *bytes;
	size_t n;
	uint64_t offset;
	enum hs_status end; /* what reading said after its bytes */
	struct hs_error error;
	bool plain, failed;        /* no thread reads it; what a thread made is of no use */
	struct stand began, after; /* the lint of an earlier piece when it was cut; its own */
	const void *by;            /* the lint that read it */
	struct join joins[JOINS];
	unsigned join_count;
};

struct pieces {
	const struct lint_input *in;
	const struct hs_protocol *protocol;
	struct lint_tally *t;
	void *truth;  /* the lint after the last piece whose findings were taken */
	void **lints; /* of each thread; NULL: not yet */
	struct piece *list;
	unsigned count, thread_count, in_vain;
	uint8_t *rest; /* bytes of the next piece */
	size_t rest_n;
	uint64_t offset; /* of the next piece */
};

/* ---- a thread ----------------------------------------------------------------------- */

static bool keep_stand(const struct pieces *p, const void *lint, struct stand *s)
{
	const size_t n = p->protocol->lint_state(lint);

	if (n > s->room) {
		free(s->state);
		s->state = malloc(n);
		s->room = s->state ? n : 0;
	}
	if (s->state)
		p->protocol->lint_save(lint, s->state);
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

/* Read bytes of a piece.  @found: NULL: what is before the first join is of no use. */
static void read_bytes(const struct pieces *p, struct piece *at, void *lint, size_t from, size_t to,
                       struct found *found)
{
	struct hs_span in = { at->bytes + from, to - from };
	struct hs_lint_finding f;

	while (!at->failed && p->protocol->lint_next(lint, &in, &f) == HS_OK) {
		if (!found)
			continue;
		if (found->counts[f.kind]++ < p->t->max && !p->t->kinds[f.kind].ignored)
			at->failed = !keep_finding(found, &f);
	}
}

/* Keep where the lint stands after @in bytes of the piece. */
static struct found *add_join(const struct pieces *p, struct piece *at, const void *lint, size_t in)
{
	struct join *j = &at->joins[at->join_count++];
	struct found *f = &j->found;

	j->in = in;
	f->kept_n = 0;
	if (!f->counts)
		f->counts = malloc(p->t->kind_count * sizeof(*f->counts));
	if (f->counts)
		memset(f->counts, 0, p->t->kind_count * sizeof(*f->counts));
	at->failed |= !f->counts || !keep_stand(p, lint, &j->stand);
	return f;
}

static void *lint_of(struct pieces *p, unsigned thread)
{
	const struct lint_input *in = p->in;

	if (!p->lints[thread] &&
	    p->protocol->lint_new(&p->lints[thread], in->config, in->image, in->set) != HS_OK)
		p->lints[thread] = NULL;
	return p->lints[thread];
}

static void make_piece(void *pieces, void *piece, unsigned thread)
{
	struct pieces *p = pieces;
	struct piece *at = piece;
	void *lint = at->plain ? NULL : lint_of(p, thread);
	struct found *found = NULL;
	size_t done = 0;

	at->join_count = 0;
	at->by = lint;
	at->failed |= !lint;
	if (at->failed)
		return;
	p->protocol->lint_begin(lint, at->began.state, at->offset);
	for (size_t in = JOIN_FIRST; at->join_count < JOINS && in < at->n && !at->failed;
	     in *= JOIN_NEXT) {
		read_bytes(p, at, lint, done, in, found);
		found = add_join(p, at, lint, in);
		done = in;
	}
	read_bytes(p, at, lint, done, at->n, found);
	at->failed |= !keep_stand(p, lint, &at->after);
}

/* ---- cutting ------------------------------------------------------------------------ */

/* The bytes of the next piece, to where the last synchronisation of its second half is seen. */
static void cut_piece(struct pieces *p, struct piece *at)
{
	memcpy(at->bytes, p->rest, p->rest_n);
	at->n = p->rest_n;
	at->end = HS_OK;
	while (at->end == HS_OK && at->n + READ_ROOM <= PIECE_BYTES) {
		size_t n;

		at->end = hs_source_read(p->in->source, at->bytes + at->n, PIECE_BYTES - at->n, &n,
		                         &at->error);
		at->n += n;
	}
	const struct hs_span half = { at->bytes + at->n / 2, at->n - at->n / 2 };
	const size_t sync =
		at->end == HS_OK ? at->n / 2 + p->protocol->find_sync(p->in->config, &half) : at->n;

	p->rest_n = at->n - sync;
	memcpy(p->rest, at->bytes + sync, p->rest_n);
	at->n = sync;
	at->offset = p->offset;
	p->offset += sync;
	at->plain = !at->offset || p->in_vain >= IN_VAIN;
	at->failed = !at->plain && !keep_stand(p, p->truth, &at->began);
}

/* ---- in order ----------------------------------------------------------------------- */

/* The caller's thread reads them. */
static void read_on(const struct pieces *p, const struct piece *at, size_t from, size_t to)
{
	struct hs_span in = { at->bytes + from, to - from };
	struct hs_lint_finding f;

	while (p->protocol->lint_next(p->truth, &in, &f) == HS_OK)
		lint_take(p->t, &f);
}

static void take_found(const struct pieces *p, struct found *f)
{
	for (size_t i = 0; i < f->kept_n; i++) {
		lint_take(p->t, &f->kept[i]);
		f->counts[f->kept[i].kind]--;
	}
	for (unsigned k = 0; k < p->t->kind_count; k++)
		lint_take_more(p->t, k, f->counts[k]);
}

/* Read a piece, up to where what a thread found of it can be taken. */
static void join_piece(struct pieces *p, struct piece *at)
{
	const unsigned count = at->failed ? 0 : at->join_count;
	size_t done = 0;
	unsigned i = 0;
	bool joined = false;

	for (; i < count && !joined; i += !joined) {
		const struct join *j = &at->joins[i];

		read_on(p, at, done, j->in);
		done = j->in;
		joined = p->protocol->lint_alike(p->truth, at->by, j->stand.state);
	}
	p->in_vain = joined || at->plain ? 0 : p->in_vain + 1;
	if (!joined) {
		read_on(p, at, done, at->n);
		return;
	}
	p->protocol->lint_continue(p->truth, at->by, at->joins[i].stand.state, at->after.state);
	for (; i < count; i++)
		take_found(p, &at->joins[i].found);
}

static bool run(struct pieces *p, struct ordered *o)
{
	bool cut_all = false, more = true;

	while (more) {
		struct piece *at = cut_all ? NULL : ordered_room(o);

		if (at) {
			cut_piece(p, at);
			cut_all = at->end == HS_END || at->end == HS_E_SYSTEM;
			ordered_give(o);
			continue;
		}
		at = ordered_take(o);
		join_piece(p, at);
		if (at->end == HS_END)
			return true;
		more = at->end == HS_OK || lint_take_error(&at->error);
		ordered_done(o);
	}
	return false;
}

/* ---- beginning and ending ----------------------------------------------------------- */

static bool allocate(struct pieces *p, unsigned count, uint32_t threads)
{
	p->list = calloc(count, sizeof(*p->list));
	p->lints = calloc(threads, sizeof(*p->lints));
	p->rest = malloc(PIECE_BYTES);
	if (!p->list || !p->lints || !p->rest)
		return false;
	p->thread_count = threads;
	for (; p->count < count; p->count++) {
		p->list[p->count].bytes = malloc(PIECE_BYTES);
		if (!p->list[p->count].bytes)
			return false;
	}
	return true;
}

static void free_piece(struct piece *at)
{
	for (unsigned i = 0; i < JOINS; i++) {
		free(at->joins[i].stand.state);
		free(at->joins[i].found.counts);
		free(at->joins[i].found.kept);
	}
	free(at->began.state);
	free(at->after.state);
	free(at->bytes);
}

static void free_all(struct pieces *p)
{
	for (unsigned i = 0; i < p->count; i++)
		free_piece(&p->list[i]);
	for (unsigned i = 0; i < p->thread_count; i++)
		if (p->lints[i])
			p->protocol->lint_free(p->lints[i]);
	free(p->list);
	free(p->lints);
	free(p->rest);
}

bool lint_pieces(void *lint, const struct lint_input *in, uint32_t threads, struct lint_tally *t)
{
	struct pieces p = { .in = in, .protocol = t->protocol, .t = t, .truth = lint };
	struct ordered *o = NULL;
	bool whole = false;

	if (allocate(&p, PIECES_EACH * threads, threads))
		o = ordered_new(threads, p.list, sizeof(*p.list), p.count, make_piece, &p);
	if (o)
		whole = run(&p, o);
	else
		complain("out of memory");
	ordered_free(o);
	free_all(&p);
	return whole;
}
