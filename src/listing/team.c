/* Listings: several threads make the text (ADR-0178).
 *
 * Items are cut into batches.  A thread has a listing of its own, goes to where a batch begins, and
 * makes its text.  Texts are written in order, by one thread at a time: the caller's, or where that
 * is allowed whichever has made the next one, whose core has it in its cache (ADR-0299).  One thing
 * in a text depends on the text before: whether its first header is that which was printed last.
 * Where that header is in the text is known, so that it can be left out. */
#include <stdlib.h>
#include <string.h>

#include "listing/private.h"
#include "support/crew.h"

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
	_Alignas(LISTING_ALIGN) struct listing_team *team;
	struct hs_listing *listing;
	struct hs_listing *writer; /* that of the caller; NULL: this thread writes no texts */
	struct spare_text *spare;  /* its buffers */
	struct spare_text *back;   /* those whose text is written: atomic */
	uint32_t runs_gone;        /* as often as it forgot them */
};

/* Who has a batch follows from the numbers of those that were filled, started, written and taken;
 * only @made is looked at by one thread while another one has it. */
struct text_batch {
	struct hs_block items[BATCH];
	size_t n, blocks; /* those of runs, too */
	uint64_t made;    /* 1 and its number, once it is: atomic */
	bool ends;        /* all of its text is in the buffer */
	bool only_blocks; /* no events, and none ends in a trap */
	/* where it begins: */
	struct program_select select;
	uint8_t itype, priv;
	uint64_t epc;
	uint32_t runs_gone; /* the team's */
	/* what came of it: */
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
	struct support_crew crew;
	struct text_batch **batches; /* a ring */
	uint32_t room;
	size_t want;        /* blocks of a batch, whose text then stays in a core's cache */
	uint32_t runs_gone; /* so often did runs that were given go */
	uint64_t taken;
	/* atomic, each in a cache line of its own: @filled is written by the caller's thread */
	_Alignas(LISTING_ALIGN) uint64_t filled;
	_Alignas(LISTING_ALIGN) uint64_t started;
	_Alignas(LISTING_ALIGN) uint64_t written; /* by the thread that set @writing */
	bool writing;
	enum hs_status status;                 /* of what was written; that thread's */
	struct text_maker makers[THREADS_MAX]; /* the first is that of the caller's thread */
	uint32_t maker_count;
};

/* ---- making a text -------------------------------------------------------------- */

/* Those that came back are taken first: they are in the cache. */
static void take_back(struct text_maker *m)
{
	struct spare_text *back = NULL, *last;

	if (__atomic_load_n(&m->back, __ATOMIC_RELAXED))
		back = __atomic_exchange_n(&m->back, NULL, __ATOMIC_ACQUIRE);
	if (!back)
		return;
	for (last = back; last->next; last = last->next)
		;
	last->next = m->spare;
	m->spare = back;
}

/* An empty buffer of a maker; NULL: no memory. */
static char *take_buffer(struct text_maker *m)
{
	struct spare_text *text;

	take_back(m);
	text = m->spare;
	if (!text)
		return malloc(OUT_SIZE);
	m->spare = text->next;
	return (char *)text;
}

static void give_buffer(struct text_maker *m, char *text)
{
	struct spare_text *spare = (void *)text;

	spare->next = __atomic_load_n(&m->back, __ATOMIC_RELAXED);
	while (!__atomic_compare_exchange_n(&m->back, &spare->next, spare, true, __ATOMIC_RELEASE,
	                                    __ATOMIC_RELAXED))
		;
}

/* The text of a batch is not needed any more. */
static void give_buffers(struct text_batch *b)
{
	while (b->count)
		give_buffer(b->maker, b->pieces[--b->count].text);
}

/* Room for text, where a maker has none. */
static bool take_room(struct text_maker *m)
{
	if (!m->listing->out)
		m->listing->out = take_buffer(m);
	return m->listing->out;
}

/* The buffer of the listing becomes a piece.  It gets another one if there is more; at the end only
 * for the next text, mostly the same one, written meanwhile. */
static bool keep_text(void *batch, const void *text, size_t n)
{
	struct text_batch *b = batch;

	(void)text;
	if (b->count == b->cap) {
		struct text_piece *more = reallocarray(b->pieces, b->cap + 4, sizeof(*more));

		if (!more)
			return false;
		b->pieces = more;
		b->cap += 4;
	}
	b->pieces[b->count++] = (struct text_piece){ b->maker->listing->out, n };
	b->maker->listing->out = NULL;
	return b->ends || take_room(b->maker);
}

/* Take a listing to where a batch begins. */
static enum hs_status go_to(struct hs_listing *m, struct text_batch *b)
{
	m->o.context = b;
	m->itype = b->itype;
	m->priv = b->priv;
	m->epc = b->epc;
	m->held_n = 0;
	m->timed = false;
	m->header = 0;
	m->seam = &b->seam;
	m->seen = m->unmapped = 0;
	m->flushed = m->out_n = 0;
	m->listed = 1; /* it is in the middle */
	listing_texts_move(m);
	if (b->maker->runs_gone != b->runs_gone)
		listing_forget_runs(m);
	b->maker->runs_gone = b->runs_gone;
	const enum hs_status s = program_select_copy(&m->select, &b->select);

	m->o.program = m->select.program;
	return s == HS_OK && !take_room(b->maker) ? HS_E_MEMORY : s;
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

/* Take the next batch to make.  False: there is none. */
static bool start_batch(struct listing_team *t, uint64_t *number)
{
	*number = __atomic_load_n(&t->started, __ATOMIC_RELAXED);
	do {
		if (*number == __atomic_load_n(&t->filled, __ATOMIC_SEQ_CST))
			return false;
	} while (!__atomic_compare_exchange_n(&t->started, number, *number + 1, true,
	                                      __ATOMIC_RELAXED, __ATOMIC_RELAXED));
	return true;
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
		l->header = listing_number_header(l, &b->last);
		s = l->header || s != HS_OK ? s : HS_E_MEMORY;
	}
	return s;
}

/* The batch whose text is to be written next, if it is made; else NULL. */
static struct text_batch *next_text(struct listing_team *t)
{
	const uint64_t at = __atomic_load_n(&t->written, __ATOMIC_SEQ_CST);
	struct text_batch *b = t->batches[at % t->room];

	return __atomic_load_n(&b->made, __ATOMIC_SEQ_CST) == at + 1 ? b : NULL;
}

/* Write it, by the thread whose turn it is; nothing after what failed. */
static void write_one(struct hs_listing *l, struct text_batch *b)
{
	struct listing_team *t = l->team;

	if (t->status == HS_OK)
		t->status = write_text(l, b);
	b->status = t->status;
	give_buffers(b);
	__atomic_store_n(&t->written, t->written + 1, __ATOMIC_SEQ_CST);
	support_crew_note(&t->crew);
}

/* Write what is made, unless another thread does: it looks again before it stops. */
static void write_made(struct hs_listing *l)
{
	struct listing_team *t = l->team;
	struct text_batch *b;

	while (next_text(t)) {
		if (__atomic_exchange_n(&t->writing, true, __ATOMIC_SEQ_CST))
			return;
		for (b = next_text(t); b; b = next_text(t))
			write_one(l, b);
		__atomic_store_n(&t->writing, false, __ATOMIC_SEQ_CST);
	}
}

/* Make the text of the next batch, and write what can be written.  False: there is none. */
static bool make_one(struct text_maker *m)
{
	struct listing_team *t = m->team;
	uint64_t number;

	if (!start_batch(t, &number))
		return false;
	struct text_batch *b = t->batches[number % t->room];

	b->maker = m;
	make_text(m->listing, b);
	__atomic_store_n(&b->made, number + 1, __ATOMIC_SEQ_CST);
	if (m->writer)
		write_made(m->writer);
	else
		support_crew_note(&t->crew);
	return true;
}

/* Make what there is, without the lock of the crew. */
static bool run_of_thread(void *maker)
{
	struct text_maker *m = maker;
	bool any = false;

	support_crew_unlock(&m->team->crew);
	while (make_one(m))
		any = true;
	support_crew_lock(&m->team->crew);
	return any;
}

static void *run_thread(void *maker)
{
	struct text_maker *m = maker;

	support_crew_work(&m->team->crew, run_of_thread, m);
	return NULL;
}

/* Is the oldest text that was not taken written? */
static bool is_written(struct hs_listing *l)
{
	struct listing_team *t = l->team;

	write_made(l);
	return __atomic_load_n(&t->written, __ATOMIC_SEQ_CST) != t->taken;
}

/* Wait for a text to be written, and make others meanwhile. */
static void wait_for_text(struct hs_listing *l)
{
	struct listing_team *t = l->team;

	while (!is_written(l)) {
		if (make_one(&t->makers[0]))
			continue;
		const unsigned seen = support_crew_wait_begin(&t->crew);

		if (!is_written(l)) {
			support_crew_lock(&t->crew);
			support_crew_wait_since(&t->crew, seen);
			support_crew_unlock(&t->crew);
		}
		support_crew_wait_end(&t->crew);
	}
}

/* Take the batch of the next text, once that is written. */
static enum hs_status take_one(struct hs_listing *l)
{
	struct listing_team *t = l->team;
	struct text_batch *b = t->batches[t->taken % t->room];

	wait_for_text(l);
	l->seen += b->seen;
	l->listed += b->seen;
	l->unmapped += b->unmapped;
	if (b->bytes) {
		const size_t want = b->blocks * BATCH_TEXT / b->bytes;

		t->want = want < BATCH_LEAST ? BATCH_LEAST : want < BATCH ? want : BATCH;
	}
	b->n = b->blocks = 0;
	t->taken++;
	return b->status;
}

/* ---- cutting into batches --------------------------------------------------------- */

static bool is_run(const struct hs_block *b)
{
	return b->kind == HS_KIND_RUN;
}

/* Are they blocks that end in no trap?  Those of runs do not.  All are looked at. */
static bool are_blocks(const struct hs_block *b, size_t n)
{
	unsigned others = 0;

	for (size_t i = 0; i < n; i++) {
		others |= b[i].kind && (!is_run(&b[i]) || !b[i].ilast);
		others |= hs_itype_is_trap(b[i].itype);
	}
	return !others;
}

/* The blocks of an item, and an event is one. */
static size_t blocks_of(const struct hs_block *b)
{
	return is_run(b) ? b->ilast : 1;
}

/* Do runs go that were given? */
static bool ends_runs(const struct hs_block *b, size_t n)
{
	size_t i = 0;

	while (i < n && (!is_run(&b[i]) || b[i].ilast))
		i++;
	return i < n;
}

/* Is the text of these items only theirs and their code's?  That of blocks and events is. */
static bool is_plain(const struct hs_block *b, size_t n)
{
	for (size_t i = 0; i < n; i++)
		if (b[i].kind == HS_KIND_DATA || b[i].kind == HS_KIND_VALUE ||
		    b[i].kind == HS_KIND_VERSION || (is_run(&b[i]) && !b[i].ilast))
			return false;
	return true;
}

static bool may_share(const struct hs_listing *l)
{
	return !l->o.function && !l->o.guest && !l->o.limit && !l->first_item && !l->data_n &&
	       !l->held_n && !l->timed && !l->select.views && l->seen >= l->o.skip &&
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
		is_run(last) ? listing_block_of(last, last->ilast - 1u) : *last;

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
	b->itype = l->itype;
	b->priv = l->priv;
	b->epc = l->epc;
	b->runs_gone = t->runs_gone;
	if (s == HS_OK)
		s = follow(l, b);
	__atomic_store_n(&t->filled, t->filled + 1, __ATOMIC_SEQ_CST);
	support_crew_note(&t->crew);
	return s;
}

/* The batch that is being filled, once it is free.  Texts that are made are written before. */
static enum hs_status current_batch(struct hs_listing *l, struct text_batch **b)
{
	struct listing_team *t = l->team;
	enum hs_status s = HS_OK;

	if (t->filled - t->taken == t->room)
		s = take_one(l);
	while (s == HS_OK && !t->batches[t->filled % t->room]->n && t->taken < t->filled &&
	       is_written(l))
		s = take_one(l);
	*b = t->batches[t->filled % t->room];
	return s;
}

/* Up to after the last block. */
static size_t cut_after_block(const struct text_batch *b)
{
	size_t n = b->n;

	while (n && b->items[n - 1].kind != HS_KIND_BLOCK && !is_run(&b->items[n - 1]))
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
	if (hs_listing_new(&o, &m) != HS_OK)
		return NULL;
	m->first_item = false;
	m->room = OUT_SIZE;
	m->lock = &t->programs;
	m->crew = &t->crew;
	m->author = t->author;
	return m;
}

static void free_maker(struct text_maker *m)
{
	take_back(m);
	while (m->spare)
		free(take_buffer(m));
	hs_listing_free(m->listing);
}

static bool make_rooms(struct listing_team *t, struct hs_listing *l, uint32_t threads)
{
	t->want = BATCH;
	t->batches = calloc(BATCHES * threads, sizeof(struct text_batch *));
	if (!t->batches)
		return false;
	for (t->room = 0; t->room < BATCHES * threads; t->room++) {
		struct text_batch *b = malloc(sizeof(*b));

		if (!b)
			return false;
		b->n = b->blocks = b->count = b->cap = 0;
		b->pieces = NULL;
		b->maker = NULL;
		b->made = 0;
		program_select_start(&b->select, l->select.first, l->select.set);
		t->batches[t->room] = b;
	}
	t->author = new_maker(l, t);
	if (!t->author)
		return false;
	for (t->maker_count = 0; t->maker_count < threads; t->maker_count++) {
		struct text_maker *m = &t->makers[t->maker_count];

		m->team = t;
		m->writer = !t->maker_count || l->o.any_thread ? l : NULL;
		m->listing = new_maker(l, t);
		if (!m->listing)
			return false;
	}
	return true;
}

void listing_team_free(struct hs_listing *l)
{
	struct listing_team *t = l->team;

	if (!t)
		return;
	uint64_t number;

	while (start_batch(t, &number)) /* these are left out */
		;
	support_crew_stop(&t->crew);
	for (uint32_t i = 0; i < t->room; i++) {
		program_select_end(&t->batches[i]->select);
		give_buffers(t->batches[i]);
		free(t->batches[i]->pieces);
		free(t->batches[i]);
	}
	while (t->maker_count)
		free_maker(&t->makers[--t->maker_count]);
	hs_listing_free(t->author);
	pthread_mutex_destroy(&t->programs);
	support_crew_end(&t->crew);
	free(t->batches);
	free(t);
	l->team = NULL;
}

/* Without memory or threads, one thread lists. */
static void start(struct hs_listing *l)
{
	const uint32_t threads = l->o.threads < THREADS_MAX ? l->o.threads : THREADS_MAX;
	struct listing_team *t = aligned_alloc(LISTING_ALIGN, sizeof(*t));

	if (!t)
		return;
	memset(t, 0, sizeof(*t));
	l->team = t;
	pthread_mutex_init(&t->programs, NULL);
	support_crew_init(&t->crew);
	if (!make_rooms(t, l, threads)) {
		listing_team_free(l);
		return;
	}
	while (t->crew.count + 1 < threads &&
	       support_crew_add(&t->crew, run_thread, &t->makers[t->crew.count + 1]))
		;
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
		if (l->team && ends_runs(blocks, n))
			l->team->runs_gone++;
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
