/* What a search looks at and what it found: between the search (identify.c) and the results
 * (results.c). */
#ifndef HARTSCOPE_IDENTIFY_RUN_H
#define HARTSCOPE_IDENTIFY_RUN_H

#include "identify/private.h"

#define SEARCH_WORK (UINT64_C(1) << 24) /* of one way, in bytes of trials: a second or two */
#define REFINE_BYTES ((size_t)1 << 17)
#define PARTS 16
#define LEAST_EXPLAINED 5000 /* of 10,000 bytes, for a program that can be the one that ran */

struct hs_identity {
	struct hs_identified results[PARTS];
	size_t count;
	enum hs_identify_verdict verdict;
	uint64_t frames[2]; /* whole_frames.c */
};

/* The trace of one source; of what is not in frames, all. */
struct identify_part {
	uint8_t source_id;
	bool any;     /* best is something */
	bool decodes; /* best was decoded with the program */
	struct identify_guess best;
	struct identify_fit window[IDENTIFY_WINDOWS]; /* how it fits in each */
	char unsure[HS_IDENTIFY_TEXT];
};

/* What the capture may be. */
struct identify_attempt {
	struct identify_way way;
	size_t window; /* in which it was found */
	struct identify_part part[PARTS];
	size_t count;
};

/* What is being looked at. */
struct identify_run {
	const struct hs_identify_options *options;
	struct hs_identity *id;
	struct identify_file file;
	struct hs_span capture; /* a window of it */
	struct identify_code code;
	bool has_code, moved; /* the program is tried elsewhere */
	uint64_t limit;       /* of work, up to now */
	struct identify_attempt best, next;
};

/* Look at more of what was found than the search did, and give its results. */
void identify_conclude(struct identify_run *r);

#endif
