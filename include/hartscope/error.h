/* What went wrong, in words, for the rooms that have an operating system.
 *
 * Threads: every call here may run on several threads at once, on different errors.
 */
#ifndef HARTSCOPE_ERROR_H
#define HARTSCOPE_ERROR_H

#include <hartscope/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Filled by functions that fail; unchanged where they succeed. */
struct hs_error {
	enum hs_status status;
	char text[512]; /**< one line: what failed, where, what to do */
};

/** Fill @e, which may be NULL, from a printf format; the text is cut at its size.  Returns @s. */
HS_API enum hs_status hs_error_set(struct hs_error *e, enum hs_status s, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

#ifdef __cplusplus
}
#endif
#endif
