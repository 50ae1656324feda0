/* What encode and record --encode share (encode.c). */
#ifndef ENCODE_JOB_H
#define ENCODE_JOB_H

#include <hartscope/encode.h>

#include "common/new_file.h"
#include "common/tool.h"

extern const struct usage encode_usage;

/* What --perf-data says. */
struct perf_options {
	bool given;
	struct hs_encode_perf perf;
};

struct encode_options {
	struct options shared;
	const char *system; /* file; NULL: none */
	struct perf_options perf;
	struct queue_options queue;
	struct hs_qualifier_config filter;
	uint64_t idle; /* samples after each message; UINT64_MAX: as many as are a byte */
};
/* Of no option. */
#define ENCODE_OPTIONS \
	{ \
		.idle = UINT64_MAX, .filter.size = sizeof(struct hs_qualifier_config) \
	}

/* A trace that is made, and its file. */
struct encode_job {
	const struct options *o;
	bool queued; /* --queue */
	struct hs_encode *encode;
	struct hs_source_part others[PARTS_MAX]; /* --source */
	struct hs_queue_config queue;
	struct new_file file;
	struct progress progress;
	struct damage damage;
	struct hs_error error;
	bool unwritten; /* the output cannot be written, which was said */
};

/* What is not in the trace. */
void encode_add_fault(struct damage *d, const struct hs_encode_fault *f);
/* encode --system (encode_system.c): its exit status. */
int encode_system(const struct options *o, const char *file);

/* In these functions an exit status but EXIT_GOOD comes after a complaint. */

/* Begin, for so many harts of a program that runs, or 0. */
int encode_begin(struct encode_job *j, const struct encode_options *own, uint32_t harts);
/* The file, where what is there may be replaced (overwrite_trace()). */
int encode_create(struct encode_job *j, const char *trace, const char *recording);
/* The trace is whole: it and its files get their names. */
int encode_finish(struct encode_job *j, const char *trace);
void encode_close(struct encode_job *j);

#endif
