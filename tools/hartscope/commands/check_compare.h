/* Comparing for hartscope check: a source, read once, with a recording, read hart by hart. */
#ifndef HS_TOOLS_HARTSCOPE_COMMANDS_CHECK_COMPARE_H
#define HS_TOOLS_HARTSCOPE_COMMANDS_CHECK_COMPARE_H

#include <hartscope/profile.h>

#include "common/tool.h"

/* Items of a hart of the recording that are read at once, and equal items that are remembered. */
#define CHECK_CONTEXT 4

enum check_side { CHECK_SUBJECT, CHECK_REFERENCE };

/* With --gaps: what stands after the last gap of the subject, and is looked for. */
struct check_gaps {
	struct hs_block *segment; /* its blocks, as far as they were read */
	size_t *back; /* of each: how many of the first ones also end there */
	size_t n, room;
	size_t at; /* of them: found, in a row */
	bool seeks; /* else the next block stands where the reference is read */
	bool whole; /* a gap follows the last block */
	bool waits; /* a block is still to be compared: does a gap follow it? */
	struct hs_block waiting;
	uint64_t count, equal, all; /* gaps; half-words that are equal, and of the reference */
};

/* One hart of the reference, and how far it was compared. */
struct check_hart {
	uint32_t number;
	struct hs_source *source; /* NULL until the first item */
	struct block_reader reader;
	size_t at;      /* the next item of the reader's batch to be compared */
	size_t counted; /* items of the batch that were given to the profile */
	uint64_t blocks, traps; /* equal ones */
	uint64_t ecalls; /* equal blocks of which one side alone counts an ecall or ebreak */
	struct hs_block before[CHECK_CONTEXT]; /* the last equal items, a ring */
	uint64_t before_count;
	struct check_gaps gaps;
	bool differs;
	bool ended[2];             /* of the difference, by side: it has no more items */
	struct hs_block items[2];  /* of the difference, by side */
};

/* The subject may mix its harts, as a trace does; of the reference each hart is read on its own. */
struct comparison {
	const struct options *options; /* how a reference that is a trace is opened again, */
	const char *trace;             /* this one; NULL: it is a recording or flow */
	struct harts trace_harts;
	struct hs_source *subject, *reference;
	struct check_hart *harts; /* in the order of the reference */
	uint32_t count;
	struct check_hart
		*current; /* hart of the subject's next item; NULL: the reference lacks it */
	bool named;                 /* the subject named a hart */
	uint32_t only;              /* if the reference has one hart: the subject's number for it */
	bool foreign;               /* the subject has items of a hart that the reference lacks, */
	uint32_t foreign_hart;      /* this one */
	bool quiet, gaps; /* gaps: --gaps */
	struct hs_profile *profile; /* of equal blocks of the reference */
	/* runs of the subject's decoder (HS_KIND_RUN), by the number of their first block: how
	 * often they were equal and are not in the profile yet; where not 0, how many blocks */
	uint32_t *run_times;
	uint8_t *run_sizes;
	const struct hs_block *run_blocks; /* by that number */
	size_t run_room;
	uint64_t instructions, unmapped; /* what it counted */
	struct damage damage, silent;    /* silent: what others have counted */
	struct hs_error error; /* why comparing stopped */
};

/* Compare everything.  comparison_free() also after an error, which e has. */
enum hs_status compare_sources(struct comparison *c);
/* The same step by step: find the harts of the reference; take items of the subject, until they
 * decide it; @whole: the subject has no more, does the reference?  Count what was compared. */
enum hs_status compare_begin(struct comparison *c);
bool compare_batch(void *comparison, const struct hs_block *b, size_t n);
enum hs_status compare_end(struct comparison *c, bool whole);
/* Items of the reference that were compared elsewhere: blocks and gaps, and then traps. */
enum hs_status compare_skip(struct comparison *c, struct check_hart *h, uint64_t items,
                            uint64_t traps);

/* check_lane.c: the whole subject, compared on another thread.  False: there is none, and nothing
 * was read.  @whole: as compare_end() takes it. */
bool check_in_lane(struct comparison *c, bool *whole);

/* check_part.c: --part and --parts.  Exit status; of check_parts() EXIT_GOOD: @c has the result. */
int check_part(struct comparison *c, const struct options *o);
int check_parts(struct comparison *c, const struct options *o);
void comparison_free(struct comparison *c);

/* The next item of a hart of the reference that is compared; NULL: there are no more. */
enum hs_status peek_reference(struct comparison *c, struct check_hart *h,
                              const struct hs_block **item);
void check_set_difference(struct check_hart *h, const struct hs_block *subject,
                          const struct hs_block *reference);

/* check_gaps.c: the next item of the subject, and its end. */
enum hs_status check_gaps_take(struct comparison *c, struct check_hart *h,
                               const struct hs_block *b);
enum hs_status check_gaps_end(struct comparison *c, struct check_hart *h);
void check_gaps_free(struct check_gaps *g);

/* The first hart, in the order of the reference, that differs; NULL: none. */
const struct check_hart *first_difference(const struct comparison *c);

#endif
