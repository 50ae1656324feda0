/* Rows of the ingress port: what a run drives into a trace encoder, cycle by cycle, as stimuli for
 * a test bench (docs/rtl.md).
 *
 * Threads: an object belongs to one thread at a time; those that make text
 * (hs_rows_options.threads) are its own.
 */
#ifndef HARTSCOPE_ROWS_H
#define HARTSCOPE_ROWS_H

#include <stddef.h>
#include <stdint.h>

#include <hartscope/block.h>
#include <hartscope/error.h>
#include <hartscope/image.h>
#include <hartscope/status.h>
#include <hartscope/trace_params.h>

#ifdef __cplusplus
extern "C" {
#endif

struct hs_rows;

/** What to write and how. */
struct hs_rows_options {
	uint32_t size;      /**< sizeof(struct hs_rows_options) */
	uint32_t threads;   /**< that make text, the caller's among them; the text is the same */
	const char *format; /**< a name of hs_rows_format() */
	/** The port, as port.NAME=VALUE (port_params.def); port.idle=PERCENT idle cycles by
	 * port.seed=N.  What is not set is a port of the block form for the harts of @image. */
	const struct hs_setting *settings;
	size_t setting_count;
	const struct hs_image *image; /**< the program; kept */
	hs_write_fn write;            /**< takes the text, in order */
	void *to;                     /**< of @write */
};

/** A format by number, 0 and on, with one line of text.  NULL: there are no more. */
HS_API const char *hs_rows_format(size_t index, const char **text);

/**
 * Begin.
 * @retval HS_OK         *out is to be freed with hs_rows_free().
 * @retval HS_E_ARG      There is no such format.
 * @retval HS_E_CONFIG   A setting that a port does not have, or out of its range; members of
 *                       @options that this library lacks.
 * @retval HS_E_NOCODE   The program has no code.
 * @retval HS_E_MEMORY
 */
HS_API enum hs_status hs_rows_new(const struct hs_rows_options *options, struct hs_rows **out,
                                  struct hs_error *error);
HS_API void hs_rows_free(struct hs_rows *r); /**< NULL is allowed */

/**
 * Drive the port with the next blocks and events of a hart.
 * @retval HS_OK
 * @retval HS_E_SYSTEM  hs_rows_options.write refused.
 * @retval HS_E_MEMORY
 */
HS_API enum hs_status hs_rows_add(struct hs_rows *r, const struct hs_block *b, size_t n);

/** The run ends.
 * @param[out] rows     That were written.
 * @param[out] skipped  Blocks without code, which are left out.
 * Results as hs_rows_add(). */
HS_API enum hs_status hs_rows_end(struct hs_rows *r, uint64_t *rows, uint64_t *skipped);

#ifdef __cplusplus
}
#endif
#endif
