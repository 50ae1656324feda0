/* Listings: the text of a block that ran before is copied as a whole (design/listing).
 *
 * A text depends on the block, on its code, and on where the hart is: its scope.  Two things in it
 * depend on what was before: the header of the first instruction, which is at the front of the
 * text, and the time, which has a known place.
 *
 * Listings of several threads have an author: a listing that none of them prints with, which makes
 * each text once, with the lock.  They read its texts, which stay where they are
 * (design/listing). */
#include <stdlib.h>
#include <string.h>

#include "listing/private.h"
#include "support/grow.h"

#define ARENA ((size_t)1 << 26) /* bytes of all texts; their memory is taken as they grow */
#define BLOCKS_MAX (1u << 20)
#define SCOPES_MAX (1u << 12)
#define IRETIRE_MAX 4096u /* longer blocks are not kept */
#define PATHS_START 4096u /* blocks of paths that there is room for at first */
#define SHORT 64u         /* texts up to here are copied by a fixed number of bytes */

struct text_scope {
	const struct hs_program *program;
	const struct hs_guest_task *task;
	uint64_t context;
	uint64_t hart;
};

/* A cache line. */
struct block_text {
	uint64_t iaddr;
	uint64_t number;  /* of its code (code_view.h) */
	const char *text; /* in the arena of the listing or of its author */
	uint32_t iretire;
	uint32_t length;
	uint32_t header_n; /* bytes of the first header */
	uint32_t time_at;  /* where its time is; 0: nowhere */
	uint32_t instructions;
	uint32_t first, last; /* number of the header of these instructions */
	uint32_t next;        /* number of the block that came after it last time */
	uint16_t scope;
	uint8_t time_n; /* how much of the text its time is */
	uint8_t itype;
};

void listing_texts_start(struct listing_texts *t)
{
	t->blocks.item_size = sizeof(struct block_text);
	t->scopes.item_size = sizeof(struct text_scope);
	t->headers.item_size = sizeof(struct listed_header);
}

void listing_texts_free(struct listing_texts *t)
{
	support_hash_free(&t->blocks);
	support_hash_free(&t->scopes);
	support_hash_free(&t->headers);
	free(t->arena);
	free(t->scratch);
	free(t->of_paths);
}

/* ---- scopes --------------------------------------------------------------------- */

static bool same_scope(const void *item, const void *key)
{
	return memcmp(item, key, sizeof(struct text_scope)) == 0;
}

/* The number of where the hart is.  Not inlined, as learn_text(): the way to a known text has all
 * registers. */
__attribute__((noinline)) static enum hs_status find_scope(struct hs_listing *l, bool in_process)
{
	struct listing_texts *t = &l->texts;
	struct text_scope key = { .program = l->o.program };

	if (in_process) {
		key.context = l->select.at.context;
		key.task = l->task;
	}
	if (l->format->names_harts)
		key.hart = l->select.hart;
	const uint32_t hash = support_hash_of((uintptr_t)key.program ^ key.context << 20,
	                                      (uintptr_t)key.task ^ key.hart);
	struct text_scope *known = support_hash_find(&t->scopes, hash, same_scope, &key);

	if (!known) {
		known = support_hash_add(&t->scopes, hash);
		if (!known)
			return HS_E_MEMORY;
		*known = key;
	}
	t->scope = (uint16_t)(known - (struct text_scope *)t->scopes.items);
	t->has_scope = true;
	t->scope_of_user = in_process;
	return HS_OK;
}

static inline enum hs_status select_scope(struct hs_listing *l)
{
	const bool in_process = listing_in_process(l);

	return l->texts.has_scope && l->texts.scope_of_user == in_process
	               ? HS_OK
	               : find_scope(l, in_process);
}

/* ---- making texts --------------------------------------------------------------- */

static enum hs_status allocate(struct listing_texts *t)
{
	if (!t->arena)
		t->arena = malloc(ARENA);
	if (!t->scratch)
		t->scratch = malloc(OUT_SIZE);
	return t->arena && t->scratch ? HS_OK : HS_E_MEMORY;
}

static enum hs_status describe(struct hs_listing *l, uint64_t at, struct listed_insn *bare,
                               const struct listed_insn **out)
{
	struct hs_insn insn;

	if (!l->format->bare)
		return listing_insn(l, at, out);
	if (hs_img_insn(program_select_image(&l->select), at, &insn) != HS_OK)
		return HS_E_NOCODE;
	bare->addr = at;
	bare->hwords = insn.hwords;
	*out = bare;
	return HS_OK;
}

/* Print a block to l->out, which is the scratch room.  HS_MORE: it does not fit, or code is
 * missing. */
static enum hs_status print_whole(struct hs_listing *l, const struct hs_block *b,
                                  struct block_text *t)
{
	const struct listing_format *f = l->format;
	const uint64_t end = hs_block_end(b);
	struct listed_insn bare = { .addr = 0 };
	const struct listed_insn *i;

	for (uint64_t at = b->iaddr; at < end; at += 2u * i->hwords, t->instructions++) {
		const enum hs_status s = describe(l, at, &bare, &i);

		if (s == HS_E_NOCODE || OUT_SIZE - l->out_n < 2 * LINE_MAX_)
			return HS_MORE;
		if (s != HS_OK)
			return s;
		if (!t->instructions && f->header) {
			f->header(l, i);
			t->header_n = (uint32_t)l->out_n;
			t->first = l->header = i->header;
		}
		t->last = i->header;
		listing_put(l, i, at + 2u * i->hwords == end ? b : NULL, NULL);
	}
	return HS_OK;
}

/* Where in the text a time is, and what is there without one. */
static void find_time(struct hs_listing *l, struct block_text *t)
{
	const size_t n = l->out_n;

	if (!l->when.at || !l->format->time)
		return;
	t->time_at = (uint32_t)l->when.at;
	l->format->time(l);
	t->time_n = (uint8_t)(l->out_n - n);
	l->out_n = n;
}

/* The text of a block without its time, in the scratch room. */
static enum hs_status make_text(struct hs_listing *l, const struct hs_block *b,
                                struct block_text *t)
{
	char *const out = l->out;
	const size_t out_n = l->out_n;
	const uint32_t header = l->header;
	const bool timed = l->when.timed;
	struct listing_seam *const seam = l->share.seam;

	l->out = l->texts.scratch;
	l->out_n = l->when.at = 0;
	l->when.timed = false;
	l->share.seam = NULL;
	const enum hs_status s = print_whole(l, b, t);

	find_time(l, t);
	t->length = (uint32_t)l->out_n;
	l->out = out;
	l->out_n = out_n;
	l->header = header;
	l->when.timed = timed;
	l->share.seam = seam;
	return s;
}

static uint32_t hash_block(const struct hs_block *b, uint32_t scope, uint64_t number)
{
	return support_hash_of(b->iaddr ^ (uint64_t)b->iretire << 44 ^ (uint64_t)b->itype << 60,
	                       number ^ (uint64_t)scope << 32);
}

struct block_key {
	const struct hs_block *block;
	uint64_t number;
	uint16_t scope;
};

static bool same_block(const void *item, const void *key)
{
	const struct block_text *t = item;
	const struct block_key *k = key;

	return t->iaddr == k->block->iaddr && t->iretire == k->block->iretire &&
	       t->itype == k->block->itype && t->scope == k->scope && t->number == k->number;
}

/* Would another text need room of those that are kept? */
static bool is_full(const struct hs_listing *l, const struct hs_block *b)
{
	const struct listing_texts *t = &l->texts;

	return t->blocks.count == BLOCKS_MAX || t->scopes.count >= SCOPES_MAX ||
	       ARENA - t->arena_n < OUT_SIZE || l->insns.count + b->iretire > LISTING_INSNS_MAX;
}

static enum hs_status keep_text(struct hs_listing *l, const struct hs_block *b, uint64_t number,
                                struct block_text **out)
{
	struct listing_texts *t = &l->texts;
	struct block_text fresh = {
		.iaddr = b->iaddr, .number = number, .iretire = b->iretire, .itype = b->itype
	};
	enum hs_status s = allocate(t);

	if (b->iretire > IRETIRE_MAX)
		return HS_MORE;
	if (s == HS_OK && is_full(l, b))
		s = listing_forget(l);
	if (s == HS_OK)
		s = select_scope(l);
	if (s == HS_OK)
		s = make_text(l, b, &fresh);
	if (s != HS_OK)
		return s;
	char *const text = t->arena + t->arena_n;

	fresh.text = text;
	fresh.scope = t->scope;
	*out = support_hash_add(&t->blocks, hash_block(b, t->scope, number));
	if (!*out)
		return HS_E_MEMORY;
	**out = fresh;
	memcpy(text, t->scratch, fresh.length);
	t->arena_n += fresh.length;
	return HS_OK;
}

/* The text of a block, by the author, where the listing is; with the lock.  HS_FULL: it has no room
 * for another one, and none of its texts may go. */
static enum hs_status author_text(const struct hs_listing *l, const struct hs_block *b,
                                  uint64_t number, struct block_text **out)
{
	struct hs_listing *a = l->share.author;
	struct block_key key = { .block = b, .number = number };

	a->select.program = a->o.program = l->o.program; /* all that a text depends on */
	a->select.hart = l->select.hart;
	a->last.priv = l->last.priv;
	listing_texts_move(a);
	const enum hs_status s = is_full(a, b) ? HS_FULL : select_scope(a);

	if (s != HS_OK)
		return s;
	key.scope = a->texts.scope;
	*out = support_hash_find(&a->texts.blocks, hash_block(b, key.scope, number), same_block,
	                         &key);
	if (*out)
		return HS_OK;
	return is_full(a, b) ? HS_FULL : keep_text(a, b, number, out);
}

/* From the author's number of a header to this listing's.  False: no memory. */
static bool adopt_header(struct hs_listing *l, uint32_t *number)
{
	if (!*number)
		return true;
	const struct listed_header h = listing_header_at(l->share.author, *number);

	*number = listing_number_header(&l->texts, &h);
	return *number;
}

/* Keep what the author knows of a block, with this listing's own numbers. */
static enum hs_status adopt_text(struct hs_listing *l, const struct hs_block *b, uint64_t number,
                                 struct block_text **out)
{
	struct listing_texts *t = &l->texts;
	struct block_text *known;
	enum hs_status s = is_full(l, b) ? listing_forget(l) : HS_OK;

	if (s == HS_OK)
		s = select_scope(l);
	if (s == HS_OK)
		s = author_text(l, b, number, &known);
	if (s != HS_OK)
		return s;
	*out = support_hash_add(&t->blocks, hash_block(b, t->scope, number));
	if (!*out)
		return HS_E_MEMORY;
	**out = *known;
	(*out)->scope = t->scope;
	(*out)->next = 0;
	return adopt_header(l, &(*out)->first) && adopt_header(l, &(*out)->last) ? HS_OK
	                                                                         : HS_E_MEMORY;
}

/* The text of a block that is not known, with the lock of the programs. */
__attribute__((noinline)) static enum hs_status learn_text(struct hs_listing *l,
                                                           const struct hs_block *b,
                                                           uint64_t number, struct block_text **out)
{
	const enum hs_status s = l->share.author ? adopt_text(l, b, number, out) : HS_FULL;

	return s == HS_FULL ? keep_text(l, b, number, out) : s;
}

/* ---- using them ----------------------------------------------------------------- */

/* A block is mostly followed by the one that followed it last time. */
static struct block_text *find_text(struct listing_texts *t, const struct block_key *key)
{
	struct block_text *const all = t->blocks.items;

	if (t->has_last && same_block(&all[all[t->last].next], key))
		return &all[all[t->last].next];
	return support_hash_find(&t->blocks, hash_block(key->block, key->scope, key->number),
	                         same_block, key);
}

static enum hs_status print_text(struct hs_listing *l, const struct block_text *t)
{
	const char *text = t->text;
	const size_t skip = t->first == l->header ? t->header_n : 0;
	const enum hs_status s = listing_room(l, t->length + (size_t)LISTING_TIME_SIZE + 16);

	if (s != HS_OK)
		return s;
	if (t->first && listing_is_seam(l))
		listing_note_seam(l, t->header_n, t->first);
	if (t->length - skip <= SHORT && !l->when.timed) {
		memcpy(l->out + l->out_n, text + skip, SHORT);
		l->out_n += t->length - skip;
	} else if (l->when.timed && t->time_at) {
		const size_t after = t->time_at + t->time_n;

		listing_append(l, text + skip, t->time_at - skip);
		l->format->time(l);
		listing_append(l, text + after, t->length - after);
	} else {
		listing_append(l, text + skip, t->length - skip);
	}
	l->header = t->last ? t->last : l->header;
	l->seen += t->instructions;
	l->listed += t->instructions;
	return HS_OK;
}

enum hs_status listing_kept_block(struct hs_listing *l, const struct hs_block *b)
{
	struct listing_texts *t = &l->texts;
	struct block_key key = { .block = b };
	enum hs_status s = select_scope(l);

	if (s != HS_OK || program_select_number(&l->select, b->iaddr, 2u * (uint64_t)b->iretire,
	                                        &key.number) != HS_OK)
		return HS_E_MEMORY;
	key.scope = t->scope;
	struct block_text *found = find_text(t, &key);

	if (!found) {
		listing_lock(l);
		s = learn_text(l, b, key.number, &found);
		listing_unlock(l);
	}
	if (s != HS_OK)
		return s;
	const uint32_t index = (uint32_t)(found - (struct block_text *)t->blocks.items);

	struct block_text *before = (struct block_text *)t->blocks.items + t->last;

	if (t->has_last && before->next != index)
		before->next = index;
	t->last = index;
	t->has_last = true;
	if (l->o.limit && found->instructions > l->o.limit - l->listed)
		return HS_MORE;
	s = print_text(l, found);
	return s == HS_OK && l->o.limit && l->listed == l->o.limit ? HS_END : s;
}

/* ---- paths of blocks --------------------------------------------------------------- */

/* What is known of the first @n blocks of all paths.  False: no memory. */
static bool reserve_paths(struct listing_texts *t, size_t n)
{
	const size_t room = n + n / 2 + PATHS_START;
	const size_t before = t->path_room;

	if (n <= before)
		return true;
	if (!support_grow(&t->of_paths, &t->path_room, room, sizeof(*t->of_paths)))
		return false;
	memset(t->of_paths + before, 0, (t->path_room - before) * sizeof(*t->of_paths));
	return true;
}

/* Begin with the first block of a path. */
static enum hs_status begin_path(struct hs_listing *l, const struct hs_block *path)
{
	struct listing_texts *t = &l->texts;

	l->last.priv = path->priv & 7u;
	if (select_scope(l) != HS_OK || !reserve_paths(t, (size_t)path->arg + path->ilast))
		return HS_E_MEMORY;
	if (t->path_scope != t->scope)
		listing_forget_paths(l);
	t->path_scope = t->scope;
	return HS_OK;
}

enum hs_status listing_kept_path(struct hs_listing *l, const struct hs_block *path, unsigned *next)
{
	struct listing_texts *t = &l->texts;
	enum hs_status s = HS_OK;
	unsigned i = *next;

	if (!i)
		s = begin_path(l, path);
	else if (t->has_last) /* the block before, which was printed meanwhile, is kept */
		t->of_paths[path->arg + i - 1] = t->last + 1;
	for (; i < path->ilast && s == HS_OK; i++) {
		const uint32_t known = t->of_paths[path->arg + i];

		if (!known) {
			t->has_last = false;
			break;
		}
		const struct block_text *text = (struct block_text *)t->blocks.items + known - 1;

		l->last.itype = text->itype;
		t->last = known - 1;
		s = print_text(l, text);
	}
	*next = i;
	return s;
}
