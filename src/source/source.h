/* What other rooms call of sources, and no user of the library does. */
#ifndef HS_SOURCE_SOURCE_H
#define HS_SOURCE_SOURCE_H

#include <hartscope/code_changes.h>
#include <hartscope/source.h>

/* The harts of a source in their order, also of a trace, of which all is read and which is then at
 * its start again; where its items name none, the one that was asked for, or 0.  The caller frees
 * the numbers, also after an error. */
struct source_harts {
	uint32_t *numbers;
	uint32_t count;
};
enum hs_status source_read_harts(struct hs_source *source, struct source_harts *h,
                                 struct hs_error *error);

/* ---- code_changes.h ---- */

/** Add a change, whose bytes are copied.  Those of a hart come in their order.
 * @retval HS_OK
 * @retval HS_E_ARG     No bytes, or more than 1 MiB.
 * @retval HS_E_MEMORY */
enum hs_status hs_code_changes_add(struct hs_code_changes *list,
                                   const struct hs_code_change *change);

/** An empty list.  @retval HS_OK @retval HS_E_MEMORY */
enum hs_status hs_code_changes_new(struct hs_code_changes **list);

/** Number @i, which is below their count; valid until the next change is added. */
const struct hs_code_change *hs_code_changes_get(const struct hs_code_changes *list, size_t i);

uint32_t hs_code_changes_harts(const struct hs_code_changes *list);

/** Harts of the trace: with one, changes are those of its only source, whatever its number. */
void hs_code_changes_set_harts(struct hs_code_changes *list, uint32_t harts);

/** Write TRACE.code next to the trace @trace; an empty list removes it.
 * @retval HS_OK
 * @retval HS_E_SYSTEM  The file cannot be written or removed.
 * @retval HS_E_MEMORY */
enum hs_status hs_code_changes_write_beside(const struct hs_code_changes *list, const char *trace,
                                            struct hs_error *error);

/* ---- source.h ---- */

/** The code snapshot of a recording; NULL for a trace. */
const struct hs_image *hs_source_image(const struct hs_source *source);

/**
 * At most @readers threads read ahead for the sources of single harts of a recording, from now on,
 * also where hs_source_options.threads would have more: for a caller whose threads read them.
 * Threads that read already are not stopped.
 */
void hs_source_limit_readers(struct hs_source *source, uint32_t readers);

/**
 * Read only what the range of @whole has of the hart of a source, which was opened of the same file
 * and program with one_hart.  @whole is read once for all of them, and then to be rewound.
 * @retval HS_OK
 * @retval HS_E_ARG      @whole has no range, or @source is not of one hart.
 * @retval HS_E_NOTHING  The range has nothing.
 * Any other status as hs_source_next().
 */
enum hs_status hs_source_take_range(struct hs_source *source, struct hs_source *whole,
                                    struct hs_error *error);

/* From the next hs_source_rewind() on, every block is an item again, after
 * hs_source_refer_runs(). */
void source_stop_runs(struct hs_source *source);

#endif
