/* Listings: several threads make the text (design/pool).
 *
 * Items are cut into batches, each of which is a strand of a pool.  A thread has a listing of its
 * own, goes to where a batch begins, and makes its text.  Texts are written in order, by one thread
 * at a time: the caller's, or where that is allowed whichever has made the next one, whose core has
 * it in its cache (design/listing).  One thing in a text depends on the text before: whether its
 * first header is that which was printed last.  Where that header is in the text is known, so that
 * it can be left out. */
#include <stdlib.h>
#include <string.h>

#include "listing/private.h"
#include "support/crew.h"
#include "support/grow.h"
#include "support/pool.h"

#define BATCH ((size_t)1 << 12)
#define BATCH_LEAST ((size_t)1 << 8)
/* Text of a batch: mostly one buffer, and that a third of a core's second cache.  Each batch costs
 * about a microsecond on its way between threads. */
#define BATCH_TEXT ((size_t)700 << 10)
#define BATCHES 6u /* for each thread */
#define STRIDE 16u /* one item is taken at once for so many blocks that a batch still wants */
#define WORTH ((uint64_t)1 << 14) /* items after which it is worth threads */
#define THREADS_MAX SUPPORT_CREW_MAX

/* A piece of a text: what a listing's buffer was. */
struct text_piece {
	char *text; /* OUT_SIZE bytes */
	size_t n;
};

/* A buffer that holds nothing. */
struct spare_text {
	struct spare_text *next;
};

/* What makes the texts of one thread, and always of the same: the texts of blocks that it keeps,
 * and its buffers, stay in that core's cache. */
struct text_maker {
	struct hs_listing *listing;
	struct spare_text *spare; /* its buffers; with the team's lock of buffers */
	uint32_t paths_gone;      /* as often as it forgot them */
};

struct text_batch {
	struct hs_block items[BATCH];
	size_t n, blocks; /* those of paths, too */
	bool made;        /* and not taken: atomic */
	bool ends;        /* all of its text is in the buffer */
	bool only_blocks; /* no events, and none ends in a trap */
	/* where it begins: */
	struct program_select select;
	struct listed_last before;
	uint32_t paths_gone; /* the team's */
	/* what came of it: */
	struct listing_team *team;
	struct text_maker *maker;
	struct text_piece *pieces;
	size_t count, cap;
	size_t bytes; /* that were written */
	struct listing_seam seam;
	struct listed_header last; /* the last header, where seam.any */
	uint64_t seen, unmapped;
	enum hs_status status;
};

struct listing_team {
	pthread_mutex_t programs;  /* the lock of all its listings, and of the author */
	struct hs_listing *author; /* of their texts */
	struct hs_pool *pool;
	struct text_maker *makers; /* of each thread */
	uint32_t maker_count;
	struct text_batch **batches; /* a ring */
	uint32_t room;
	size_t want;        /* blocks of a batch, whose text then stays in a core's cache */
	uint32_t paths_gone; /* so often did paths that were given go */
	uint64_t filled, taken;
	pthread_mutex_t buffers;   /* the lock of spare ones */
	pthread_mutex_t writing;   /* the lock of what follows, held while a text is written */
	struct hs_listing *writer; /* the caller's */
	uint64_t written;
	enum hs_status status; /* of what was written */
};

/* ---- making a text -------------------------------------------------------------- */

/* An empty buffer of a maker, the last that came back: it is in the cache.  NULL: no memory. */
static char *take_buffer(struct listing_team *t, struct text_maker *m)
{
	pthread_mutex_lock(&t->buffers);
	struct spare_text *text = m->spare;

	m->spare = text ? text->next : NULL;
	pthread_mutex_unlock(&t->buffers);
	return text ? (char *)text : malloc(OUT_SIZE);
}

static void give_buffer(struct listing_team *t, struct text_maker *m, char *text)
{
	struct spare_text *spare = (void *)text;

	pthread_mutex_lock(&t->buffers);
	spare->next = m->spare;
	m->spare = spare;
	pthread_mutex_unlock(&t->buffers);
}

/* The text of a batch is not needed any more. */
static void give_buffers(struct text_batch *b)
{
	while (b->count)
		give_buffer(b->team, b->maker, b->pieces[--b->count].text);
}

/* Room for text, where a maker has none. */
static bool take_room(struct text_batch *b)
{
	struct hs_listing *l = b->maker->listing;

	if (!l->out)
		l->out = take_buffer(b->team, b->maker);
	return l->out;
}

/* The buffer of the listing becomes a piece.  It gets another one if there is more; at the end only
 * for the next text, mostly the same one, written meanwhile. */
static bool keep_text(void *batch, const void *text, size_t n)
{
	struct text_batch *b = batch;

	(void)text;
	if (!support_grow(&b->pieces, &b->cap, b->count + 1, sizeof(*b->pieces)))
		return false;
	b->pieces[b->count++] = (struct text_piece){ b->maker->listing->out, n };
	b->maker->listing->out = NULL;
	return b->ends || take_room(b);
}

/* Take a listing to where a batch begins. */
static enum hs_status go_to(struct hs_listing *m, struct text_batch *b)
{
	m->o.context = b;
	m->last = b->before;
	m->held.n = 0;
	m->when.timed = false;
	m->header = 0;
	m->share.seam = &b->seam;
	m->seen = m->unmapped = 0;
	m->share.flushed = m->out_n = 0;
	m->listed = 1; /* it is in the middle */
	listing_texts_move(m);
	if (b->maker->paths_gone != b->paths_gone)
		listing_forget_paths(m);
	b->maker->paths_gone = b->paths_gone;
	const enum hs_status s = program_select_copy(&m->select, &b->select);

	m->o.program = m->select.program;
	return s == HS_OK && !take_room(b) ? HS_E_MEMORY : s;
}

static void make_text(struct hs_listing *m, struct text_batch *b)
{
	b->seam.any = b->ends = false;
	b->bytes = 0;
	b->status = go_to(m, b);
	if (b->status == HS_OK)
		b->status = listing_add_items(m, b->items, b->n);
	b->ends = true;
	if (b->status == HS_OK)
		b->status = listing_flush(m);
	if (b->status == HS_E_SYSTEM) /* that is keep_text() */
		b->status = HS_E_MEMORY;
	if (m->header)
		b->last = listing_header_at(m, m->header);
	b->seen = m->seen;
	b->unmapped = m->unmapped;
}

/* ---- writing texts in order ------------------------------------------------------- */

static bool is_last_header(const struct hs_listing *l, const struct listed_header *h)
{
	struct listed_header last;

	if (!l->header)
		return false;
	last = listing_header_at(l, l->header);
	return memcmp(&last, h, sizeof(last)) == 0;
}

/* Write a piece but its bytes from @from up to @to. */
static enum hs_status write_piece(const struct hs_listing *l, const struct text_piece *p,
                                  size_t from, size_t to)
{
	const bool good = (!from || l->o.write(l->o.context, p->text, from)) &&
	                  (to >= p->n || l->o.write(l->o.context, p->text + to, p->n - to));

	return good ? HS_OK : HS_E_SYSTEM;
}

/* Write a text, without its first header where that is the last one. */
static enum hs_status write_pieces(struct hs_listing *l, struct text_batch *b)
{
	const struct listing_seam *seam = &b->seam;
	const bool leave = seam->any && is_last_header(l, &seam->header);
	enum hs_status s = HS_OK;

	for (size_t i = 0; i < b->count && s == HS_OK; i++) {
		const struct text_piece *p = &b->pieces[i];
		/* a header is all in one piece */
		const bool here = leave && seam->at >= b->bytes && seam->at - b->bytes < p->n;
		const size_t from = here ? seam->at - b->bytes : 0;

		s = write_piece(l, p, from, here ? from + seam->n : 0);
		b->bytes += p->n;
	}
	return s;
}

static enum hs_status write_text(struct hs_listing *l, struct text_batch *b)
{
	enum hs_status s = b->status == HS_OK ? write_pieces(l, b) : b->status;

	if (b->seam.any) {
		l->header = listing_number_header(&l->texts, &b->last);
		s = l->header || s != HS_OK ? s : HS_E_MEMORY;
	}
	return s;
}

/* Write the texts that are made, in order, with the lock; nothing after what failed. */
static void write_made(struct listing_team *t)
{
	struct text_batch *b = t->batches[t->written % t->room];

	for (; __atomic_load_n(&b->made, __ATOMIC_ACQUIRE); b = t->batches[t->written % t->room]) {
		if (t->status == HS_OK)
			t->status = write_text(t->writer, b);
		b->status = t->status;
		give_buffers(b);
		b->made = false;
		t->written++;
	}
}

/* Make the text of a batch (hs_pool_job).  Where another thread writes meanwhile, and has just
 * looked for it, it waits for the next one, or until it is taken. */
static void make_batch(void *team, uint32_t strand, uint32_t thread)
{
	struct listing_team *t = team;
	struct text_batch *b = t->batches[strand];

	b->maker = &t->makers[thread];
	make_text(b->maker->listing, b);
	__atomic_store_n(&b->made, true, __ATOMIC_RELEASE);
	if (t->writer->o.any_thread && pthread_mutex_trylock(&t->writing) == 0) {
		write_made(t);
		pthread_mutex_unlock(&t->writing);
	}
}

/* Take the batch of the next text, once that is written. */
static enum hs_status take_one(struct hs_listing *l)
{
	struct listing_team *t = l->team;
	const uint32_t strand = (uint32_t)(t->taken++ % t->room);
	struct text_batch *b = t->batches[strand];

	hs_pool_take(t->pool, strand);
	pthread_mutex_lock(&t->writing);
	write_made(t);
	pthread_mutex_unlock(&t->writing);
	l->seen += b->seen;
	l->listed += b->seen;
	l->unmapped += b->unmapped;
	if (b->bytes) {
		const size_t want = b->blocks * BATCH_TEXT / b->bytes;

		t->want = want < BATCH_LEAST ? BATCH_LEAST : want < BATCH ? want : BATCH;
	}
	b->n = b->blocks = 0;
	return b->status;
}

/* ---- cutting into batches --------------------------------------------------------- */

static bool is_path(const struct hs_block *b)
{
	return b->kind == HS_KIND_PATH;
}

/* Are they blocks that end in no trap?  Those of paths do not.  All are looked at. */
static bool are_blocks(const struct hs_block *b, size_t n)
{
	unsigned others = 0;

	for (size_t i = 0; i < n; i++) {
		others |= b[i].kind && (!is_path(&b[i]) || !b[i].ilast);
		others |= hs_itype_is_trap(b[i].itype);
	}
	return !others;
}

/* The blocks of an item, and an event is one. */
static size_t blocks_of(const struct hs_block *b)
{
	return is_path(b) ? b->ilast : 1;
}

/* Do paths go that were given? */
static bool ends_paths(const struct hs_block *b, size_t n)
{
	size_t i = 0;

	while (i < n && (!is_path(&b[i]) || b[i].ilast))
		i++;
	return i < n;
}

/* Is the text of these items only theirs and their code's?  That of blocks and events is. */
static bool is_plain(const struct hs_block *b, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (b[i].kind == HS_KIND_DATA || b[i].kind == HS_KIND_VALUE ||
		    b[i].kind == HS_KIND_VERSION || (is_path(&b[i]) && !b[i].ilast))
			return false;
	return true;
}

static bool may_share(const struct hs_listing *l)
{
	return !listing_selects(l) && !l->o.guest && !l->o.limit && !l->first_item && !l->data.n &&
	       !l->held.n && !l->when.timed && !l->select.views && l->seen >= l->o.skip &&
	       (l->listed || !l->o.skip);
}

/* Follow what a batch means to the items after it. */
static enum hs_status follow(struct hs_listing *l, const struct text_batch *batch)
{
	const struct hs_block *b = batch->items;
	enum hs_status s = HS_OK;

	for (size_t i = 0; i < batch->n && s == HS_OK && !batch->only_blocks; i++)
		if (b[i].kind != HS_KIND_BLOCK)
			s = program_select_event(&l->select, &b[i]);
		else if (hs_itype_is_trap(b[i].itype))
			listing_follow_block(l, &b[i]);
	const struct hs_block *last = &b[batch->n - 1];
	const struct hs_block block =
		is_path(last) ? listing_block_of(last, last->ilast - 1u) : *last;

	listing_follow_block(l, &block);
	l->o.program = l->select.program;
	listing_texts_move(l);
	return s;
}

/* Give a batch to the threads; it ends with a block. */
static enum hs_status submit(struct hs_listing *l, struct text_batch *b)
{
	struct listing_team *t = l->team;
	enum hs_status s = program_select_copy(&b->select, &l->select);

	if (s == HS_OK && l->out_n) /* no batch has been given since then */
		s = listing_flush(l);
	b->before = l->last;
	b->paths_gone = t->paths_gone;
	if (s == HS_OK)
		s = follow(l, b);
	hs_pool_give(t->pool, (uint32_t)(t->filled++ % t->room));
	return s;
}

/* The batch that is being filled, once it is free. */
static enum hs_status current_batch(struct hs_listing *l, struct text_batch **b)
{
	struct listing_team *t = l->team;
	const enum hs_status s = t->filled - t->taken == t->room ? take_one(l) : HS_OK;

	*b = t->batches[t->filled % t->room];
	return s;
}

/* Up to after the last block. */
static size_t cut_after_block(const struct text_batch *b)
{
	size_t n = b->n;

	while (n && b->items[n - 1].kind != HS_KIND_BLOCK && !is_path(&b->items[n - 1]))
		n--;
	return n;
}

/* The batch is full. */
static enum hs_status submit_full(struct hs_listing *l, struct text_batch *b)
{
	const size_t n = cut_after_block(b), rest = b->n - n;
	struct text_batch *next;
	enum hs_status s;

	if (!n) /* nothing but events */
		return listing_team_drain(l);
	b->n = n;
	s = submit(l, b);
	if (s == HS_OK)
		s = current_batch(l, &next);
	if (s != HS_OK)
		return s;
	memcpy(next->items, b->items + n, rest * sizeof(*b->items));
	b->blocks -= rest;
	next->n = next->blocks = rest;
	next->only_blocks = !rest;
	return HS_OK;
}

enum hs_status listing_team_drain(struct hs_listing *l)
{
	struct listing_team *t = l->team;
	enum hs_status s = HS_OK;

	if (!t)
		return HS_OK;
	while (t->taken < t->filled) {
		const enum hs_status status = take_one(l);

		s = s == HS_OK ? status : s;
	}
	struct text_batch *b = t->batches[t->filled % t->room];
	const size_t n = b->n;

	b->n = b->blocks = 0;
	return s == HS_OK ? listing_add_items(l, b->items, n) : s;
}

/* ---- beginning and ending --------------------------------------------------------- */

/* A listing that makes texts, or NULL. */
static struct hs_listing *new_maker(const struct hs_listing *l, struct listing_team *t)
{
	struct hs_listing_options o = l->o;
	struct hs_listing *m;

	o.skip = o.before = 0;
	o.threads = 0;
	o.write = keep_text;
	o.program = l->select.first;
	if (listing_new(&o, &m) != HS_OK)
		return NULL;
	m->first_item = false;
	m->room = OUT_SIZE;
	m->share.lock = &t->programs;
	m->share.spins = support_spin_helps(l->o.threads);
	m->share.author = t->author;
	return m;
}

static struct text_batch *new_batch(const struct hs_listing *l, struct listing_team *t)
{
	struct text_batch *b = malloc(sizeof(*b));

	if (!b)
		return NULL;
	b->n = b->blocks = b->count = b->cap = 0;
	b->pieces = NULL;
	b->made = false;
	b->team = t;
	program_select_start(&b->select, l->select.first, l->select.set);
	return b;
}

static bool make_rooms(struct listing_team *t, const struct hs_listing *l, uint32_t threads)
{
	const uint32_t room = BATCHES * threads;

	t->want = BATCH;
	t->batches = calloc(room, sizeof(*t->batches));
	t->makers = calloc(threads, sizeof(*t->makers));
	t->author = new_maker(l, t);
	if (!t->batches || !t->makers || !t->author)
		return false;
	for (; t->room < room; t->room++) {
		t->batches[t->room] = new_batch(l, t);
		if (!t->batches[t->room])
			return false;
	}
	for (; t->maker_count < threads; t->maker_count++) {
		t->makers[t->maker_count].listing = new_maker(l, t);
		if (!t->makers[t->maker_count].listing)
			return false;
	}
	return hs_pool_new(&t->pool, threads, room, make_batch, t) == HS_OK;
}

void listing_team_free(struct hs_listing *l)
{
	struct listing_team *t = l->team;

	if (!t)
		return;
	hs_pool_free(t->pool); /* batches that no thread has begun are left out */
	for (uint32_t i = 0; i < t->room; i++) {
		program_select_end(&t->batches[i]->select);
		give_buffers(t->batches[i]);
		free(t->batches[i]->pieces);
		free(t->batches[i]);
	}
	for (uint32_t i = 0; i < t->maker_count; i++) {
		while (t->makers[i].spare)
			free(take_buffer(t, &t->makers[i]));
		listing_free(t->makers[i].listing);
	}
	listing_free(t->author);
	pthread_mutex_destroy(&t->programs);
	pthread_mutex_destroy(&t->buffers);
	pthread_mutex_destroy(&t->writing);
	free(t->makers);
	free(t->batches);
	free(t);
	l->team = NULL;
}

/* Without memory or threads, one thread lists. */
static void start(struct hs_listing *l)
{
	const uint32_t threads = l->o.threads < THREADS_MAX ? l->o.threads : THREADS_MAX;
	struct listing_team *t = calloc(1, sizeof(*t));

	if (!t)
		return;
	l->team = t;
	t->writer = l;
	pthread_mutex_init(&t->programs, NULL);
	pthread_mutex_init(&t->buffers, NULL);
	pthread_mutex_init(&t->writing, NULL);
	if (!make_rooms(t, l, threads))
		listing_team_free(l);
}

/* Copy items; how many blocks they are. */
static size_t copy_items(struct hs_block *to, const struct hs_block *from, size_t n)
{
	size_t blocks = 0;

	for (size_t i = 0; i < n; i++) {
		to[i] = from[i];
		blocks += blocks_of(&from[i]);
	}
	return blocks;
}

/* Items for the threads: as many as the batch takes. */
static enum hs_status add_some(struct hs_listing *l, const struct hs_block *blocks, size_t n,
                               bool only_blocks, size_t *used)
{
	const struct listing_team *t = l->team;
	struct text_batch *b;
	const enum hs_status s = current_batch(l, &b);

	if (s != HS_OK)
		return s;
	b->only_blocks = only_blocks && (b->only_blocks || !b->n);
	do { /* at least one: events after the last block may have filled it */
		const size_t left = t->want > b->blocks ? (t->want - b->blocks) / STRIDE + 1 : 1;
		size_t m = n - *used < left ? n - *used : left;

		if (b->n + m > BATCH)
			m = BATCH - b->n;
		b->blocks += copy_items(b->items + b->n, blocks + *used, m);
		b->n += m;
		*used += m;
	} while (*used < n && b->blocks < t->want && b->n < BATCH);
	return b->blocks >= t->want || b->n == BATCH ? submit_full(l, b) : HS_OK;
}

enum hs_status listing_team_add(struct hs_listing *l, const struct hs_block *blocks, size_t n)
{
	const bool only_blocks = are_blocks(blocks, n);
	enum hs_status s = HS_OK;

	if (!may_share(l) || (!only_blocks && !is_plain(blocks, n))) {
		s = listing_team_drain(l);
		if (l->team && ends_paths(blocks, n))
			l->team->paths_gone++;
		return s == HS_OK ? listing_add_items(l, blocks, n) : s;
	}
	if (!l->team && l->plain >= WORTH)
		start(l);
	for (size_t i = 0; i < n && !l->team; i++)
		l->plain += blocks_of(&blocks[i]);
	if (!l->team)
		return listing_add_items(l, blocks, n);
	for (size_t at = 0, used; at < n && s == HS_OK; at += used) {
		used = 0;
		s = add_some(l, blocks + at, n - at, only_blocks, &used);
	}
	return s;
}
