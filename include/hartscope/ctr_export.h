/* Control transfer records in the formats of other tools: samples in, a file out.
 *
 * A sample is the whole array at one moment, as a profiler reads it at an interrupt.  What the
 * formats cannot say is left out or cut (ADR-0021): not-taken branches are in JSON alone, counts of
 * cycles end at 65535 but in JSON, and an address that the hart did not record is 0.
 */
#ifndef HARTSCOPE_CTR_EXPORT_H
#define HARTSCOPE_CTR_EXPORT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <hartscope/ctr.h>
#include <hartscope/error.h>
#include <hartscope/program.h>

#ifdef __cplusplus
extern "C" {
#endif

struct hs_ctr_export;

/** Takes bytes; false ends the export (a closed pipe, a full disk). */
typedef bool (*hs_ctr_write_fn)(void *context, const void *bytes, size_t n);

struct hs_ctr_export_options {
	const char *format;         /**< one of hs_ctr_export_formats() */
	struct hs_program *program; /**< names and code; kept */
	const char *program_path;   /**< of the main program, or NULL; kept */
	const struct hs_ctr *ctr;   /**< a hart at the start: its settings; not kept */
	uint64_t period;            /**< instructions between samples */
	hs_ctr_write_fn write;
	void *context;
};

/** A hart at one moment. */
struct hs_ctr_sample {
	const struct hs_ctr *ctr;
	struct hs_program *program; /**< of its context */
	uint64_t instructions;      /**< retired by this hart */
	uint64_t pc;                /**< of the next instruction */
	uint32_t hart;
	uint8_t priv;               /**< mode, enum hs_priv */
};

/** What an export had to leave out. */
struct hs_ctr_export_report {
	uint64_t samples, branches; /**< written */
	uint64_t not_taken;         /**< records of not-taken branches left out */
	uint64_t cut;               /**< counts of cycles above 65535 */
	uint64_t broken;            /**< bolt, profgen: ranges that are not straight code, left out */
	uint64_t foreign;           /**< bolt, profgen: records without an address of the main program */
};

/** Names of the formats with a blank between them. */
HS_API const char *hs_ctr_export_formats(void);

/** Do samples of this format come from RASEMU=1? */
HS_API bool hs_ctr_export_needs_ras(const char *format);

/**
 * @retval HS_OK
 * @retval HS_E_ARG     No such format; @error lists them.
 * @retval HS_E_CONFIG  bolt, profgen: a filter keeps a taken transfer out, so that what lies
 *                      between two records is not straight code; or RASEMU is on, or, of a call
 *                      chain, off.
 * @retval HS_E_SYSTEM  No temporary file (perf-data).
 * @retval HS_E_MEMORY
 */
HS_API enum hs_status hs_ctr_export_new(const struct hs_ctr_export_options *options,
                                        struct hs_ctr_export **x, struct hs_error *error);
HS_API void hs_ctr_export_free(struct hs_ctr_export *x); /**< NULL is allowed */

/** @retval HS_OK
 * @retval HS_E_MEMORY  Also: more different branches than 2^24.
 * @retval HS_E_SYSTEM  The write function said no. */
HS_API enum hs_status hs_ctr_export_sample(struct hs_ctr_export *x, const struct hs_ctr_sample *s);

/** Write what is left.  Results as hs_ctr_export_sample(). */
HS_API enum hs_status hs_ctr_export_end(struct hs_ctr_export *x, struct hs_ctr_export_report *report);

#ifdef __cplusplus
}
#endif
#endif
