/* JSON strings from text of any encoding.
 *
 * Threads: every call here may run on several threads at once.
 */
#ifndef HARTSCOPE_JSON_H
#define HARTSCOPE_JSON_H

#include <stddef.h>
#include <stdint.h>

#include <hartscope/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/**
 * Write @text as a JSON string with its quotes.
 *
 * UTF-8 stays as it is; a byte that is not UTF-8 becomes \u0080 to \u00ff, so that the
 * result is always valid; what acts on a terminal (text.h) becomes \uNNNN.  Text that does not fit
 * is cut after a whole character.
 *
 * @param out  Room for @size bytes, at least 3; terminated.
 * @return     Bytes written, without the terminator.
 */
HS_API size_t hs_json_string(char *out, size_t size, const char *text);

#define HS_JSON_NUMBER 24 /**< bytes that hs_json_u64() writes, at most */

/**
 * Write a count, a time or a size: a number, in all its digits.  Readers that keep numbers as
 * floating point round it above 2^53 (ADR-0322); addresses and values of 64 bits are strings.
 * @return  Bytes written, without the terminator.
 */
HS_API size_t hs_json_u64(char out[HS_JSON_NUMBER], uint64_t value);

#ifdef __cplusplus
}
#endif
#endif
