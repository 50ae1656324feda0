/* What the files of hs_check() share: a source that is read once, the subject, is compared with
 * another one, the reference, of which each hart is read on its own. */
#ifndef HS_COUNTS_CHECK_H
#define HS_COUNTS_CHECK_H

#include <pthread.h>

#include <hartscope/compare.h>

#include "counts/counts.h"

enum check_side { CHECK_SUBJECT, CHECK_REFERENCE };

struct check;

/* A source whose items are read batch by batch. */
struct check_reader {
	struct hs_source *source;
	bool silent; /* its errors are not reported */
	const struct hs_block *items;
	size_t n; /* of the current batch */
	bool ended;
};

/* With gaps: what stands after the last gap of the subject, and is looked for. */
struct check_gaps {
	struct hs_block *segment; /* its blocks, as far as they were read */
	size_t *back;             /* of each: how many of the first ones also end there */
	size_t n, room;
	size_t at;  /* of them: found, in a row */
	bool seeks; /* else the next block stands where the reference is read */
	bool whole; /* a gap follows the last block */
	bool waits; /* a block is still to be compared: does a gap follow it? */
	struct hs_block waiting, reference; /* without an ecall (compare_gaps_take()) */
	uint64_t count, equal, all; /* gaps; half-words that are equal, and of the reference */
};

/* The context of a flow, which selects a program. */
struct check_context {
	uint64_t value;
	bool known;
};

/* One hart of the reference, and how far it was compared. */
struct check_hart {
	uint32_t number;
	struct check_reader reader; /* its source: NULL until the first item */
	size_t at;                  /* the next item of the reader's batch to be compared */
	size_t counted;             /* items of the batch that were given to the profile */
	uint64_t blocks, traps;     /* equal ones */
	uint64_t ecalls; /* equal blocks of which one side alone counts an ecall or ebreak */
	struct check_context context[2];         /* where each side is read, by enum check_side */
	struct hs_block before[HS_CHECK_BEFORE]; /* the last equal items, a ring */
	uint64_t before_count;
	struct check_gaps gaps;
	bool differs;
	bool ended[2];            /* of the difference, by role: it has no more items */
	struct hs_block items[2]; /* of the difference, by enum check_side */
};

/* Paths of the subject's decoder (HS_KIND_PATH), by the number of their first block. */
struct check_paths {
	uint32_t *times; /* how often they were equal and are not in the profile yet */
	uint8_t *sizes;  /* where not 0: how many blocks */
	const struct hs_block *blocks;
	size_t room;
};

/* The subject may mix its harts, as a trace does. */
struct check {
	struct hs_check_options options;
	struct hs_source *subject, *reference;
	bool two_traces;
	pthread_mutex_t reporting; /* options.error is called */
	struct check_hart *harts;  /* in the order of the reference */
	uint32_t count;
	struct check_hart
		*current;      /* hart of the subject's next item; NULL: the reference lacks it */
	bool named;            /* the subject named a hart */
	uint32_t only;         /* if the reference has one hart: the subject's number for it */
	bool foreign;          /* the subject has items of a hart that the reference lacks, */
	uint32_t foreign_hart; /* this one */
	struct hs_profile *profile; /* of equal blocks of the reference */
	struct check_paths paths;
	struct hs_error error; /* why comparing stopped */
};

static inline bool check_is_trap(const struct hs_block *b)
{
	return b && b->kind == HS_KIND_TRAP;
}

/* In a loop over a batch: fetch the item that is read some time later.  It comes from the cache of
 * the core that made it, which takes long. */
static inline void check_prefetch(const struct hs_block *b)
{
	__builtin_prefetch((const char *)b + 2048);
}

/* check_read.c: the next batch, or none.  It reports errors. */
void compare_read(struct check *c, struct check_reader *r);
/* All batches of the subject go to @take.  False: it stopped, or the caller did. */
bool compare_read_subject(struct check *c,
                          bool (*take)(void *to, const struct hs_block *b, size_t n), void *to);
/* The next item of a hart of the reference that is compared; NULL: there are no more. */
enum hs_status compare_peek(struct check *c, struct check_hart *h, const struct hs_block **item);

/* Take an item that is not compared: it may be a context. */
void compare_pass(struct check_context *context, const struct hs_block *b);

/* The code of a context of @source. */
const struct hs_image *compare_image(struct hs_source *source, const struct check_context *context);
/* Are these items compared? */
bool compare_is_compared(const struct hs_block *b);
/* Count the items that were compared since the last call. */
enum hs_status compare_count(struct check *c, struct check_hart *h);
enum hs_status compare_no_memory(struct check *c);

/* check_items.c: compare items of the subject.  False: they decide it, or error says why not. */
bool compare_batch(void *check, const struct hs_block *b, size_t n);
/* One of them, or NULL for its end. */
enum hs_status compare_item(struct check *c, struct check_hart *h, const struct hs_block *subject);
/* The subject says whose items follow. */
void compare_select_hart(struct check *c, uint32_t number);
/* The next @same blocks of the reference are equal. */
void compare_add_same(struct check_hart *h, size_t same, uint64_t traps);
void compare_set_difference(struct check_hart *h, const struct hs_block *subject,
                            const struct hs_block *reference);

/* check_cached.c: compare a path; give all that were equal to the profile. */
enum hs_status compare_path(struct check *c, struct check_hart *h, const struct hs_block *path);
enum hs_status compare_end_paths(struct check *c);
/* Have the blocks of a later path come to the cache. */
void compare_fetch_path(const struct check *c, const struct hs_block *path);
void compare_free_paths(struct check_paths *r);

/* check_gaps.c: the next item of the subject, and its end. */
enum hs_status compare_gaps_take(struct check *c, struct check_hart *h, const struct hs_block *b);
enum hs_status compare_gaps_end(struct check *c, struct check_hart *h);
void compare_gaps_free(struct check_gaps *g);

/* check_lane.c: the whole subject, compared on another thread.  False: there is none, and nothing
 * was read.  @whole: was all of it? */
bool compare_in_lane(struct check *c, bool *whole);

#endif
