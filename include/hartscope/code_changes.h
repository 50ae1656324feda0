/* Code that changed while it was traced: what was where from which moment on.
 *
 * A trace that is made from a recording has this next to it, in TRACE.code: JSON lines, of which
 * the first says how many harts there are and each other one is a change
 * (docs/recording-format.md).  It is no part of the protocol, and hardware does not have it.
 *
 * A list belongs to one thread at a time.
 */
#ifndef HARTSCOPE_CODE_CHANGES_H
#define HARTSCOPE_CODE_CHANGES_H

#include <stddef.h>
#include <stdint.h>

#include <hartscope/error.h>
#include <hartscope/image.h>
#include <hartscope/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/** As hs_code_change.blocks: only the byte of the trace is known. */
#define HS_CHANGE_BY_OFFSET UINT64_MAX

/** From a moment on a hart finds these bytes at these addresses. */
struct hs_code_change {
	uint32_t hart;
	uint64_t blocks; /**< how many blocks the hart had retired (block.h, canonical) */
	uint64_t offset; /**< bytes of the trace that were written by then */
	struct hs_section code;
};

struct hs_code_changes;

HS_API void hs_code_changes_free(struct hs_code_changes *list); /**< NULL is allowed */

/** How many there are. */
HS_API size_t hs_code_changes_count(const struct hs_code_changes *list);

/** Read TRACE.code next to the trace @trace.  Without such a file *list is NULL.
 * @retval HS_OK
 * @retval HS_E_SYSTEM  It cannot be read.
 * @retval HS_E_FORMAT  It is damaged; the message has the line.
 * @retval HS_E_UNSUPPORTED  Its version is newer.
 * @retval HS_E_MEMORY */
HS_API enum hs_status hs_code_changes_read_beside(const char *trace, struct hs_code_changes **list,
                                                  struct hs_error *error);

#ifdef __cplusplus
}
#endif
#endif
