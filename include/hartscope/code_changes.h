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

/** An empty list.  @retval HS_OK @retval HS_E_MEMORY */
HS_API enum hs_status hs_code_changes_new(struct hs_code_changes **list);
HS_API void hs_code_changes_free(struct hs_code_changes *list); /**< NULL is allowed */

/** Add a change, whose bytes are copied.  Those of a hart come in their order.
 * @retval HS_OK
 * @retval HS_E_ARG     No bytes, or more than 1 MiB.
 * @retval HS_E_MEMORY */
HS_API enum hs_status hs_code_changes_add(struct hs_code_changes *list,
                                          const struct hs_code_change *change);

/** How many there are. */
HS_API size_t hs_code_changes_count(const struct hs_code_changes *list);
/** Number @i, which is below their count; valid until the next change is added. */
HS_API const struct hs_code_change *hs_code_changes_get(const struct hs_code_changes *list,
                                                        size_t i);

/** Harts of the trace: with one, changes are those of its only source, whatever its number. */
HS_API void hs_code_changes_set_harts(struct hs_code_changes *list, uint32_t harts);
HS_API uint32_t hs_code_changes_harts(const struct hs_code_changes *list);

/** Write TRACE.code next to the trace @trace; an empty list removes it.
 * @retval HS_OK
 * @retval HS_E_SYSTEM  The file cannot be written or removed.
 * @retval HS_E_MEMORY */
HS_API enum hs_status hs_code_changes_write_beside(const struct hs_code_changes *list,
                                                   const char *trace, struct hs_error *error);

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
