/* --part K/N and --parts N: a command on a slice of a trace, whose result is a file, and all of
 * these files together (docs/part-files.md). */
#ifndef HS_TOOLS_HARTSCOPE_COMMON_JOB_PART_H
#define HS_TOOLS_HARTSCOPE_COMMON_JOB_PART_H

#include <hartscope/compare.h>

#include "common/tool.h"

/* A part that is made. */
struct job_part {
	const char *command;
	const struct options *o;
	struct hs_source *source;
	struct hs_part part;
	char *path;
};

/* "DIR/COMMAND.K-of-N" and @ending, allocated; NULL, after a complaint: no memory. */
char *job_part_path(const struct options *o, const char *command, uint32_t number,
                    const char *ending);

/* The part of o->job.part, of the slice that hs_source_next() then gives.  False: there is nothing
 * to do; *status is that of the command. */
bool job_part_begin(struct job_part *j, const char *command, enum hs_part_kind kind,
                    const struct options *o, struct hs_source *source, int *status);
/* Say that a part cannot have this.  Exit status. */
int job_part_refuse(const char *what);
/* Read its items.  False: @taker stopped. */
bool job_part_read(struct job_part *j, const struct block_taker *taker);
/* The same after its items were read elsewhere: what was damaged, the messages, where it ends. */
void job_part_add(struct job_part *j, const struct damage *damage);
/* Write the file; the payload is the caller's.  Exit status. */
int job_part_finish(struct job_part *j, const uint8_t *payload, size_t n);
void job_part_end(struct job_part *j);

/* --part of a command whose parts are tallies: do all of it.  Exit status. */
int job_tally_part(const char *command, const struct options *o, struct hs_source *source);

/* A word of a payload. */
void job_put_word(uint8_t *to, uint64_t v);

/* The parts of a trace together. */
struct job_sum {
	struct hs_part part; /* without payload */
	bool any;
	struct hs_tally *tally; /* HS_PART_TALLY */
	uint64_t *words;        /* HS_PART_FLOW: blocks, gaps, numbers of the parts */
	size_t word_count;
	struct hs_part_hart *harts; /* HS_PART_CHECK */
	size_t hart_count;
};
/* Add a part, or parts that are together: those that continue the sum.  False, after a complaint:
 * they do not, or what they hold is damaged. */
bool job_sum_add(struct job_sum *sum, const struct hs_part *part);
/* The sum as a file that holds all of its parts, allocated.  p is NULL: no memory. */
struct hs_span job_sum_file(const struct job_sum *sum);
void job_sum_free(struct job_sum *sum);

/* All parts of a trace, or with @before those before this slice, which the sum continues if it is
 * not part of the one before.  False, after a complaint. */
bool job_parts_add(struct job_sum *sum, const char *command, enum hs_part_kind kind,
                   const struct options *o, struct hs_source *source, uint32_t before);

/* Where parts are found in place of the files: the file of a part, which is freed by the caller.
 * NULL: files. */
extern struct hs_span (*job_find_part)(const char *command, uint32_t number, uint32_t count);

/* A whole file, allocated; p is NULL: there is none. */
struct hs_span job_read_file(const char *path);

/* The errors of a sum, which are shown as if they had just been found. */
void job_sum_damage(const struct job_sum *sum, struct damage *damage);

#endif
