/* JSON strings from text of any encoding. */
#ifndef HARTSCOPE_JSON_H
#define HARTSCOPE_JSON_H

#include <stddef.h>

#include <hartscope/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Write @text as a JSON string with its quotes.
 *
 * UTF-8 stays as it is; a byte that is no UTF-8 becomes \u0080 to \u00ff, so that the
 * result is always valid.  What does not fit is cut at a character.
 *
 * @param out  Room for @size bytes, at least 3; terminated.
 * @return     Bytes written, without the terminator.
 */
HS_API size_t hs_json_string(char *out, size_t size, const char *text);

#ifdef __cplusplus
}
#endif
#endif
