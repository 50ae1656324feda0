/* A perf.data file in memory, read again, and places in it. */
#ifndef HS_PERF_DATA_PERF_DATA_H
#define HS_PERF_DATA_PERF_DATA_H

#include <stddef.h>
#include <stdint.h>

#include <hartscope/capture.h>

/** What the bytes of the AUX area are. */
enum perf_form {
	PERF_FORM_FOUND, /**< what they look like */
	PERF_FORM_RAW,   /**< of encoders */
	PERF_FORM_FRAMES /**< CoreSight frames */
};

/** As hs_perf_open(), or hs_perf_open_memory() where bytes->p is not NULL. */
enum hs_status hs_perf_open_form(const char *path, const struct hs_span *bytes, enum perf_form form,
                                 struct hs_perf **perf, struct hs_error *error);

/** hs_perf_open() of a file in memory.
 * @param bytes  All of the file; the caller keeps them until hs_perf_close().
 * @param name   For messages; copied. */
enum hs_status hs_perf_open_memory(const struct hs_span *bytes, const char *name,
                                   struct hs_perf **perf, struct hs_error *error);

/** Read records from the first one again. */
void hs_perf_rewind(struct hs_perf *perf);
/** Read a buffer from its start again. */
void hs_perf_rewind_lane(struct hs_perf *perf, size_t lane);

/** Where the byte that follows @bytes of hs_perf_read() is in the buffer, as AUX has it. */
uint64_t hs_perf_offset_of(struct hs_perf *perf, size_t lane, uint64_t bytes);

/** When the kernel reported it: the time of its AUX record; UINT64_MAX: it has none. */
uint64_t hs_perf_time_of(struct hs_perf *perf, size_t lane, uint64_t bytes);

#endif
