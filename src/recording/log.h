/* The log of a recording, in memory. */
#ifndef HS_RECORDING_LOG_H
#define HS_RECORDING_LOG_H

#include <hartscope/image.h>

#include "recording/format.h"

struct rec_log {
	uint8_t *raw;
	size_t size, capacity, parsed;
	uint32_t *runs; /* offset of the record of each run number, in units of 8 bytes */
	uint32_t run_count;
	size_t run_capacity;
	uint32_t blocks; /* how many of the runs are HS_REC_LOG_BLOCK */
	uint32_t *codes; /* the same as runs of each HS_REC_LOG_VERSION */
	uint32_t code_count;
	size_t code_capacity;
	uint32_t *moves; /* and of each HS_REC_LOG_MOVED */
	uint32_t move_count;
	size_t move_capacity;
	struct hs_rec_log_start start;
	bool started;
	bool from_file; /* what is appended has the numbers of a file (order.h) */
	uint64_t limit; /* bytes that are accepted; 0: REC_LOG_LIMIT */
};

#define REC_LOG_LIMIT (UINT64_C(1) << 31)
/* How many bytes a log of @packed bytes on disk may have: real ones shrink to a tenth. */
static inline uint64_t rec_log_limit(uint64_t packed)
{
	const uint64_t least = UINT64_C(64) << 20, most = REC_LOG_LIMIT;

	return packed < least / 200 ? least : packed > most / 200 ? most : 200 * packed;
}

/* Append bytes.  HS_E_FORMAT: they are damaged; the records before them stay usable. */
enum hs_status rec_log_append(struct rec_log *log, const void *bytes, size_t n);
void rec_log_free(struct rec_log *log);

/* Forget the records that are whole: the next ones are numbered from 0 again. */
void rec_log_drop(struct rec_log *log);

/* The record at *at, which moves to the next one; false at the end.  Start with *at = 0. */
bool rec_log_next(const struct rec_log *log, size_t *at, const struct hs_rec_log_head **head);

/* The record of a run number, which is below run_count. */
const struct hs_rec_log_head *rec_log_record(const struct rec_log *log, uint32_t run);

/* The run with this number, followed by its code; NULL when there is none, or it is a block. */
const struct hs_rec_log_run *rec_log_run(const struct rec_log *log, uint32_t run);

/* The record with this number, which is below move_count. */
const struct hs_rec_log_moved *rec_log_moved(const struct rec_log *log, uint32_t number);

/* The code with this number, of HS_REC_LOG_VERSION.  False: there is none. */
bool rec_log_code(const struct rec_log *log, uint32_t number, struct hs_section *code);

/* May the record, of HS_REC_LOG_RUN, be read? */
bool rec_log_run_ok(const struct hs_rec_log_head *head);

/* How many instructions the first @hwords half-words of a run hold, and how long the last of them
 * is, in half-words (0: none).  UINT32_MAX when @hwords ends inside an instruction.  @run: NULL
 * has none. */
uint32_t rec_log_prefix(const struct hs_rec_log_run *run, uint32_t hwords, uint8_t *ilast);

struct hs_isa rec_log_isa(const struct rec_log *log);

#endif
