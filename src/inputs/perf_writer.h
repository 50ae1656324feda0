/* Writing a perf.data: records by the rows of perf.def, bytes of an AUX area, samples.
 *
 * Records are collected in a temporary file, as the header says how many bytes they are.
 *
 * Threads: a writer belongs to one thread at a time; different ones share nothing.
 */
#ifndef HS_INPUTS_PERF_WRITER_H
#define HS_INPUTS_PERF_WRITER_H

#include <hartscope/capture.h>

/** Bits of hs_perf_attr.flags (struct perf_event_attr). */
#define HS_PERF_ATTR_DISABLED (UINT64_C(1) << 0)
#define HS_PERF_ATTR_MMAP (UINT64_C(1) << 8)
#define HS_PERF_ATTR_COMM (UINT64_C(1) << 9)
#define HS_PERF_ATTR_TASK (UINT64_C(1) << 13)
#define HS_PERF_ATTR_SAMPLE_ID_ALL (UINT64_C(1) << 18)
#define HS_PERF_ATTR_MMAP2 (UINT64_C(1) << 23)
#define HS_PERF_ATTR_COMM_EXEC (UINT64_C(1) << 24)
#define HS_PERF_ATTR_CONTEXT_SWITCH (UINT64_C(1) << 26)
#define HS_PERF_ATTR_NAMESPACES (UINT64_C(1) << 28)
#define HS_PERF_ATTR_KSYMBOL (UINT64_C(1) << 29)
#define HS_PERF_ATTR_TEXT_POKE (UINT64_C(1) << 34)

/** The event of a file (struct perf_event_attr). */
struct hs_perf_attr {
	uint32_t type; /**< of the PMU */
	uint64_t config, period, sample_type, flags, branch_sample_type;
};

/** A file whose build-id is known. */
struct hs_perf_build_id {
	const char *path;
	uint32_t pid; /**< HS_PERF_NONE: the kernel */
	uint8_t size; /**< of id, at most 20 */
	uint8_t id[20];
	bool kernel; /**< the kernel or a module */
};

/** What is written before and after the records.  Strings are copied. */
struct hs_perf_writer_options {
	uint32_t size; /**< sizeof(struct hs_perf_writer_options) */
	uint8_t xlen;  /**< 32: riscv32; others: riscv64 */
	struct hs_perf_attr attr;
	const char *release; /**< what the file says of the system; NULL: nothing */
	const char *command; /**< the second word of the command line; NULL: nothing */
};

struct hs_perf_writer;

/**
 * Begin a file.
 * @retval HS_OK
 * @retval HS_E_CONFIG  Members that this library lacks.
 * @retval HS_E_SYSTEM  No temporary file.
 * @retval HS_E_MEMORY
 */
enum hs_status hs_perf_writer_new(const struct hs_perf_writer_options *options,
                                  struct hs_perf_writer **w);

void hs_perf_writer_free(struct hs_perf_writer *w); /**< NULL is allowed */

/**
 * Write the file.  Nothing more can be written after it.
 * @retval HS_OK
 * @retval HS_E_SYSTEM  @write refused, or the temporary file cannot be read.
 */
enum hs_status hs_perf_writer_end(struct hs_perf_writer *w, hs_write_fn write, void *context);

/**
 * Write a record by its row.  Those of the kernel, but not SAMPLE, end as the event's sample_type
 * says.
 * @retval HS_OK
 * @retval HS_E_ARG     The type has no row, or the record would have more than 65535 bytes.
 * @retval HS_E_SYSTEM  The temporary file cannot be written.
 * @retval HS_E_MEMORY
 */
enum hs_status hs_perf_write(struct hs_perf_writer *w, const struct hs_perf_event *event);

/** Write an AUXTRACE record with its bytes, which are padded.  Its length is set here. Results as
 * hs_perf_write(). */
enum hs_status hs_perf_write_aux(struct hs_perf_writer *w, const struct hs_perf_event *event,
                                 const struct hs_span *bytes);

/** Keep a build-id for the end of the file. @retval HS_OK @retval HS_E_MEMORY */
enum hs_status hs_perf_write_build_id(struct hs_perf_writer *w, const struct hs_perf_build_id *id);

/** The build-id of an ELF file.  False: it has none, or cannot be read. @path is kept in *id. */
bool hs_perf_find_build_id(const char *path, struct hs_perf_build_id *id);

#endif
