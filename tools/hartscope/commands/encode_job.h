/* What encode and record --encode share: encoders for the harts of a recording (encode.c). */
#ifndef ENCODE_JOB_H
#define ENCODE_JOB_H

#include <hartscope/code_changes.h>

#include "commands/encode_perf.h"
#include "common/new_file.h"
#include "common/tool.h"

extern const struct usage encode_usage;

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

#define TIMED_BATCH 64 /* few, so that harts stay together */

/* One hart of the recording with its encoder. */
struct lane {
	struct hs_source *source;
	struct block_reader reader;
	struct feed feed;
	struct port port; /* in use where job.ported */
	struct hs_qualifier qualifier;
	struct hs_block read[READ_BATCH], qualified[READ_BATCH];
	uint64_t time;   /* of the last block that was read, where there is a clock */
	uint64_t blocks; /* that were encoded */
	uint32_t hart;
	struct perf_buffer *buffer; /* with --perf-data */
	struct job *job;
	uint8_t id; /* in frames */
	bool ended;
	struct hs_error error;     /* why encoding failed, where the output is not the reason */
	struct encode_kept *batch; /* where a thread puts what it encodes; NULL: to the output */
};

/* A trace that exists, among the frames. */
struct other {
	uint8_t id;
	int fd;
};

struct job {
	struct hs_trace_params *params;
	const struct hs_protocol *protocol;
	struct hs_source *source; /* NULL: @rec, which is being recorded */
	const struct hs_rec *rec;
	bool transcodes; /* @source is a trace */
	struct harts trace_harts;
	struct lane *lanes;
	uint32_t count;
	struct new_file file;
	uint8_t *out;
	uint64_t bytes;
	struct hs_code_changes *changes; /* of the code, for TRACE.code */
	struct pin_output output;
	struct perf_output *perf; /* with --perf-data */
	struct hs_qualifier_config filter;
	bool filtered;
	bool ported; /* there is a queue, or options change */
	bool timed;  /* blocks have times */
	struct other others[PARTS_MAX];
	size_t other_count;
	struct damage damage;
	struct hs_error error;
};

/* In these functions job.error says why a result is not HS_OK. */
enum hs_status encode_configure(struct job *j, const struct encode_options *own);
enum hs_status encode_check_transport(struct job *j, const struct encode_options *own);
/* The filters of a dump of registers, unless --filter says what is traced. */
enum hs_status encode_take_filters(struct job *j, const struct encode_options *own);
/* Room for @count lanes, and parameters for numbers below @ids.  *set_id: each gets its number. */
enum hs_status encode_prepare_lanes(struct job *j, const struct encode_options *own, uint32_t ids,
                                    uint32_t count, bool *set_id);
enum hs_status encode_open_lane(struct job *j, const struct encode_options *own, struct lane *l,
                                uint32_t hart, bool set_id);
/* Encode what was read, and keep where the code changes.  False: the output cannot be written. */
bool encode_read(struct job *j, struct lane *l);
/* Read and encode some thousand blocks of one hart, or its end.  False as encode_read(). */
bool encode_batch(struct job *j, struct lane *l, bool *ended);
/* Bytes of a lane to the output. */
bool encode_put(void *lane, const uint8_t *bytes, size_t n);
/* Blocks that were encoded, of all harts. */
uint64_t encode_count_blocks(const struct job *j);
/* encode_trace.c: is it a trace whose parameters are known? */
bool encode_is_trace(const char *path);
enum hs_status encode_open_trace(struct job *j, const struct encode_options *own);
enum hs_status encode_open_trace_hart(struct job *j, const struct options *o, uint32_t hart,
                                      struct hs_source **source);
/* As reader_fill(), up to the room of the reader: a batch of a trace does not depend on threads. */
bool encode_fill(struct block_reader *r);
/* encode_lanes.c: encode all harts, each a batch in turn, on so many threads as --jobs says. */
bool encode_all(struct job *j, const struct options *o);
/* A thread: keep that the code changes. */
bool encode_keep_change(struct lane *l, uint32_t number);
/* The code changes: after so many blocks of the lane. */
bool encode_note_change(struct job *j, struct lane *l, uint32_t number, uint64_t blocks);
/* The trace is whole: it and its files get their names.  Returns an exit status. */
int encode_finish(struct job *j, const char *trace, const struct encode_options *own);
void encode_close(struct job *j);

#endif
