/* Shared by the files that remember stretches (recall.h). */
#ifndef HS_RECORDING_RECALL_PRIVATE_H
#define HS_RECORDING_RECALL_PRIVATE_H

#include "recording/recall.h"

#define OUTCOMES 12u /* of a stretch, at most: so many blocks, too */
#define NONE UINT32_MAX

_Static_assert(HS_REC_PACKED_RUNS <= 1u << (32 - OUTCOMES), "a run and outcomes are one key");

/* Where OUTCOMES lead from a run: some of them to these blocks. */
struct stretch {
	uint32_t key;   /* the run, and the outcomes in the lower bits */
	uint32_t last;  /* the run after them */
	uint32_t first; /* of its blocks */
	uint8_t taken;  /* outcomes; 0: this is none */
	uint8_t blocks;
};

struct rec_recall {
	bool stuck;    /* until more words are read */
	uint32_t log;  /* 2 to its power stretches */
	uint32_t room; /* blocks */
	uint32_t used; /* of them */
	uint64_t *through; /* of each stretch: rec_unpack_bit() of its runs */
	struct stretch *stretches;
	struct hs_block *blocks;
	/* where blocks are counted: */
	uint32_t *ids;     /* of each block, as rec_counted_add() takes them */
	uint64_t *times;   /* of each stretch, since they were given */
	uint32_t *touched; /* stretches whose times are not 0, or were not */
	size_t touched_count;
};

static inline size_t stretches_of(const struct rec_recall *r)
{
	return (size_t)1 << r->log;
}

static inline size_t place_of(const struct rec_recall *r, uint32_t key)
{
	return (size_t)(key * UINT64_C(0x9e3779b97f4a7c15) >> (64 - r->log));
}

/* recall_learn.c */
/* Forget what led through runs that have other successors now. */
void recall_forget(struct hs_rec_stream *s, uint64_t changed);
/* Add a stretch; NULL: there is none. */
const struct stretch *recall_learn(struct hs_rec_stream *s, uint32_t key);
/* From a run whose successors change all the time there are single steps: the block of this one, if
 * there is one, goes to @out, and its number to @id.  Returns where to; NONE: nowhere. */
uint32_t recall_step(const struct hs_rec_stream *s, uint32_t run, struct rec_outcomes *outcomes,
                     struct hs_block *out, uint32_t *id);

#endif
