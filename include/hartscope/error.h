/* What went wrong, in words, for the rooms that have an operating system (src/host). */
#ifndef HARTSCOPE_ERROR_H
#define HARTSCOPE_ERROR_H

#include <hartscope/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/** Filled by host functions that fail; @text is one line: what, where, what to do. */
struct hs_error {
	enum hs_status status;
	char text[512];
};

/** Fill @e (may be NULL) from a printf format; cut at the size of text.  Returns @s. */
HS_API enum hs_status hs_error_set(struct hs_error *e, enum hs_status s, const char *format, ...)
	__attribute__((format(printf, 3, 4)));

#ifdef __cplusplus
}
#endif
#endif
