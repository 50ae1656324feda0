/* Places in a perf.data file. */
#ifndef HS_PERF_DATA_PERF_DATA_H
#define HS_PERF_DATA_PERF_DATA_H

#include <stddef.h>
#include <stdint.h>

#include <hartscope/perf_data.h>

/** Where the byte that follows @bytes of hs_perf_read() is in the buffer, as AUX has it. */
uint64_t hs_perf_offset_of(const struct hs_perf *perf, size_t lane, uint64_t bytes);

/** When the kernel reported it: the time of its AUX record; UINT64_MAX: it has none. */
uint64_t hs_perf_time_of(const struct hs_perf *perf, size_t lane, uint64_t bytes);

#endif
