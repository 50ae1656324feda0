/* Control transfer records in the formats of other tools: samples in, a file out.
 *
 * A sample is the whole array at one moment, as a profiler reads it at an interrupt.  What a format
 * cannot express is left out or cut (ADR-0021): not-taken branches are only in JSON, counts of
 * cycles end at 65535 except in JSON, and an address that the hart did not record is 0.
 *
 * perf-data and callchain have a process for each context and program; its pid and name are those
 * that the guest has for it (guest.h), else the pid is the context where Linux could give that
 * number.  In perf-data, samples of S, VS and M are of the kernel, and the file that has their code
 * is mapped there, as a module, so that perf finds its names (ADR-0087).
 *
 * Threads: calls for different exports may run at once if their programs differ too; an export is
 * used by one thread at a time.
 */
#ifndef HARTSCOPE_CTR_EXPORT_H
#define HARTSCOPE_CTR_EXPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <hartscope/ctr.h>
#include <hartscope/error.h>
#include <hartscope/guest.h>
#include <hartscope/program.h>
#include <hartscope/status.h>

#ifdef __cplusplus
extern "C" {
#endif

struct hs_ctr_export;

/** How to export.  Zero is the default of each member. */
struct hs_ctr_export_options {
	uint32_t size;            /**< sizeof(struct hs_ctr_export_options) */
	uint32_t reserved;        /**< 0 */
	uint64_t period;          /**< instructions between samples; 0: 1 */
	const char *format;       /**< one of hs_ctr_export_formats(); NULL: "json" */
	const char *program_path; /**< file of the main program, kept; NULL: that of its entry */
	struct hs_guest *guest;   /**< names of functions and processes, or NULL; kept */
};

/** A hart at one moment. */
struct hs_ctr_sample {
	const struct hs_ctr *ctr;
	struct hs_program *program; /**< of its context */
	uint64_t instructions;      /**< retired by this hart */
	uint64_t pc;                /**< of the next instruction */
	uint64_t context;           /**< of the process, with @has_context */
	uint32_t hart;
	uint8_t priv;               /**< mode, enum hs_priv */
	bool has_context;           /**< else it ran before any context was known */
};

/** What was written, and what was left out. */
struct hs_ctr_export_report {
	uint64_t samples, branches; /**< written */
	uint64_t not_taken;         /**< records of not-taken branches left out */
	uint64_t cut;               /**< counts of cycles above 65535 */
	/**< bolt, profgen: ranges that are not straight code, left out */
	uint64_t broken;
	uint64_t foreign;           /**< bolt, profgen: records from or to outside the program */
	uint64_t other;             /**< brstack, bolt, profgen: samples of other programs */
};

/** Names of the formats, separated by blanks. */
HS_API const char *hs_ctr_export_formats(void);

/** Does this format need samples with RASEMU=1? */
HS_API bool hs_ctr_export_needs_ras(const char *format);

/**
 * Begin an export.
 * @param program  Names and code of the main program; kept.
 * @param start    A hart before the first instruction: its settings; copied.
 * @param write    Receives the file in pieces, also during later calls.
 * @param context  For @write.
 * @retval HS_OK
 * @retval HS_E_ARG     No such format; @error lists them.
 * @retval HS_E_CONFIG  @options: its size, or non-zero bytes of a later version of the library.
 *                      bolt, profgen: a filter leaves a taken transfer out, so that the code
 *                      between two records is not straight; RASEMU is on, or, for a call
 *                      chain, off.
 * @retval HS_E_SYSTEM  No temporary file (perf-data); @write returned false.
 * @retval HS_E_MEMORY
 */
HS_API enum hs_status hs_ctr_export_new(struct hs_program *program, const struct hs_ctr *start,
                                        hs_write_fn write, void *context,
                                        const struct hs_ctr_export_options *options,
                                        struct hs_ctr_export **x, struct hs_error *error);
HS_API void hs_ctr_export_free(struct hs_ctr_export *x); /**< NULL is allowed */

/** Add a sample.
 * @retval HS_OK
 * @retval HS_E_MEMORY  Also: more different branches than 2^24.
 * @retval HS_E_SYSTEM  The write function returned false. */
HS_API enum hs_status hs_ctr_export_sample(struct hs_ctr_export *x, const struct hs_ctr_sample *s);

/** Write the rest of the file.  Results as hs_ctr_export_sample(). */
HS_API enum hs_status hs_ctr_export_end(struct hs_ctr_export *x,
                                        struct hs_ctr_export_report *report);

#ifdef __cplusplus
}
#endif
#endif
