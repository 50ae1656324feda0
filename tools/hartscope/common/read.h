/* Sources that are read: batch by batch, by a function, counted or written. */
#ifndef HS_TOOLS_HARTSCOPE_COMMON_READ_H
#define HS_TOOLS_HARTSCOPE_COMMON_READ_H

#include <stdbool.h>
#include <stddef.h>

#include <hartscope/counts.h>

struct damage;

#define READ_BATCH 4096

/* A source whose items are read batch by batch. */
struct block_reader {
	struct hs_source *source;
	struct damage *damage;        /* errors are shown and counted there */
	struct hs_block *own;         /* where items are put; NULL: they stay the source's */
	size_t room;                  /* entries of @own */
	const struct hs_block *items; /* the current batch; all of it is in @own, if that is one */
	size_t n;                     /* items of the current batch */
	bool ended;
};
/* In a loop over a batch: fetch the item that is read some time later.  It comes from the cache of
 * the core that made it, which takes long. */
static inline void prefetch_item(const struct hs_block *b)
{
	__builtin_prefetch((const char *)b + 2048);
}
/* Read the next batch, which has at least one item.  False: there are no more. */
bool reader_fill(struct block_reader *r);

/* A recording that was read whole: are its instructions as many as its manifest says?  False: they
 * are not, which is said.  True also where nothing says so. */
bool instructions_fit(const struct hs_source *source, const struct hs_profile_result *t);

/* A function that takes all items of a source. */
struct block_taker {
	const char *what; /* the work, for the progress */
	bool quiet;
	bool (*take)(void *to, const struct hs_block *b, size_t n); /* false: stop */
	void *to;
	bool samples; /* look whether the code of some blocks is known: take() counts no other */
};
/* Call take() with every batch.  False: take() stopped it. */
bool read_blocks(const struct block_taker *t, struct hs_source *source, struct damage *damage);

/* How counting a source is looked at. */
struct block_look {
	const char *what; /* the work, for the progress */
	bool quiet;
	bool samples; /* as of a block_taker */
	struct damage *damage;
};
/* Count all of a source.  HS_MORE: it was interrupted; else as hs_source_count(). */
enum hs_status count_source(const struct block_look *look, struct hs_source *source,
                            struct hs_counts *counts);

#endif
