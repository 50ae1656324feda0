/* The output of encode as a perf.data: a buffer for each hart, and what its kernel would say. */
#ifndef HS_TOOLS_HARTSCOPE_ENCODE_PERF_H
#define HS_TOOLS_HARTSCOPE_ENCODE_PERF_H

#include "common/tool.h"

/* What --perf-data says. */
struct perf_options {
	bool given, threads;
	bool plain;               /* no words for each CPU in AUXTRACE_INFO */
	bool no_info;             /* no AUXTRACE_INFO */
	uint64_t type;            /* of AUXTRACE_INFO */
	uint64_t piece;           /* bytes of an AUXTRACE record */
	uint64_t snapshot, every; /* bytes of a snapshot, 0: none; between two of them */
};
/* The parser of its row. */
bool perf_options_parse(void *perf, const struct option_row *row, char *words);

struct perf_output;

/* The buffer of a hart. */
struct perf_buffer;

/* Begin.  @params and @source, the recording, are kept.  NULL, with @error: it cannot be. */
struct perf_output *perf_output_open(const struct perf_options *o,
                                     const struct hs_trace_params *params,
                                     struct hs_source *source, struct hs_error *error);
void perf_output_close(struct perf_output *p); /* NULL is allowed */

/* In these functions false says that the output cannot be written, after a complaint. */

/* The buffer of the next hart; NULL: no memory. */
struct perf_buffer *perf_output_add(struct perf_output *p, uint32_t hart);
/* Before the first byte, when all harts were added.  @machine: harts are CPUs, on which contexts
 * run as processes; else they are the threads of a program.  @timed: the trace has times, those
 * that perf_output_set_time() gets. */
bool perf_output_begin(struct perf_output *p, bool machine, bool timed);
/* From now on things happen at @time. */
void perf_output_set_time(struct perf_output *p, uint64_t time);
/* As feed.put, to a buffer. */
bool perf_output_put(void *buffer, const uint8_t *bytes, size_t n);
/* An item of the buffer's hart, before it is encoded: contexts are threads that switch. */
bool perf_output_item(struct perf_buffer *b, const struct hs_block *item);
/* The hart finds other code. */
bool perf_output_poke(struct perf_buffer *b, const struct hs_section *code);
/* Bytes that were put into a buffer. */
uint64_t perf_output_bytes(const struct perf_buffer *b);
/* Write the file. */
bool perf_output_end(struct perf_output *p, int fd);

#endif
