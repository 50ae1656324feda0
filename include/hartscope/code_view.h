/* The code of a program whose code changes: what each hart finds at an address at the moment.
 *
 * A flow has HS_KIND_VERSION where a hart executes other code than before.  A view follows these
 * events: it has an image for each hart, and a number for what is at an address, so that what is
 * known of a block need not be found out again.
 *
 * Threads: a view belongs to one thread at a time, together with its program.
 */
#ifndef HARTSCOPE_CODE_VIEW_H
#define HARTSCOPE_CODE_VIEW_H

#include <stdint.h>

#include <hartscope/program.h>

#ifdef __cplusplus
extern "C" {
#endif

struct hs_code_view;

/** Start a view of @program, which is kept, at hart 0.  @retval HS_OK @retval HS_E_MEMORY */
HS_API enum hs_status hs_code_view_new(struct hs_program *program, struct hs_code_view **view);
HS_API void hs_code_view_free(struct hs_code_view *view); /**< NULL is allowed */

/** Change to a hart (HS_KIND_HART).  @retval HS_OK @retval HS_E_MEMORY */
HS_API enum hs_status hs_code_view_select_hart(struct hs_code_view *view, uint32_t hart);

/**
 * The hart executes other code from now on.
 * @param number  What HS_KIND_VERSION has in arg.
 * @retval HS_OK
 * @retval HS_E_ARG  The program does not know this number.
 * @retval HS_E_MEMORY
 */
HS_API enum hs_status hs_code_view_change(struct hs_code_view *view, uint32_t number);

/** The code of the hart.  Valid until the next call with @view but hs_code_view_get_number(). */
HS_API const struct hs_image *hs_code_view_image(const struct hs_code_view *view);

/**
 * The number of the code in a range of addresses, among all moments and harts.
 * @param[out] number  0 where the program's own bytes are there.  The same number for the same
 *                     range means the same bytes; the same bytes mostly mean the same number.
 * @retval HS_OK
 * @retval HS_E_MEMORY
 */
HS_API enum hs_status hs_code_view_get_number(struct hs_code_view *view, uint64_t addr,
                                              uint64_t bytes, uint64_t *number);

#ifdef __cplusplus
}
#endif
#endif
