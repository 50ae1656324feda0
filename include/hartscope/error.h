/* What went wrong, in words, for the rooms that have an operating system.
 *
 * Threads: every call here may run on several threads at once, on different errors.
 */
#ifndef HARTSCOPE_ERROR_H
#define HARTSCOPE_ERROR_H

#include <stddef.h>
#include <stdint.h>

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

/* ---- text ---------------------------------------------------------------------------
 *
 * Text of others, for terminals.
 *
 * Threads: every call here may run on several threads at once.
 */

/**
 * Copy @text so that it is one line and does nothing but be read.
 *
 * Printable ASCII and UTF-8 stay as they are.  Control characters (those of C1, U+0080 to U+009F,
 * too), bytes that are not UTF-8, line separators and what changes the direction of text become
 * \xNN for each byte.  Names from programs, recordings and traces can hold all of them; hs_error
 * texts have been through this.
 *
 * @param out  Room for @size bytes, at least 1; terminated.  Text that does not fit is cut after a
 *             whole character.
 * @return     Bytes written, without the terminator.
 */
HS_API size_t hs_text_escape(char *out, size_t size, const char *text);

/**
 * How far a word is from a name, to find the name that was meant.
 *
 * @return  0 where they are equal, 1 where @wanted is a part of @name; else one more than the
 *          letters to insert, to remove or to change, or neighbours to swap.  Capitals count as
 *          small letters.  Of longer names 64 bytes are compared.
 */
HS_API unsigned hs_text_distance(const char *wanted, const char *name);

/**
 * Read all of @text as a number: digits, also with a point and with e and an exponent (1e6, 2.5e3),
 * or with k, M or G after them for @unit, its square and its cube; or hexadecimal after 0x.
 *
 * @param unit   1000 for counts, 1024 for bytes.
 * @param value  Unchanged on an error.
 * @retval HS_OK     *value is the number.
 * @retval HS_E_ARG  It is none, or not a whole one, or above 2^64 - 1.
 */
HS_API enum hs_status hs_text_number(const char *text, unsigned unit, uint64_t *value);

/* ---- json ----
 * JSON strings from text of any encoding.
 *
 * Threads: every call here may run on several threads at once.
 */

/**
 * Write @text as a JSON string with its quotes.
 *
 * UTF-8 stays as it is; a byte that is not UTF-8 becomes \u0080 to \u00ff, so that the
 * result is always valid; what acts on a terminal (error.h) becomes \uNNNN.  Text that does not fit
 * is cut after a whole character.
 *
 * @param out  Room for @size bytes, at least 3; terminated.
 * @return     Bytes written, without the terminator.
 */
HS_API size_t hs_json_string(char *out, size_t size, const char *text);

#define HS_JSON_NUMBER 24 /**< bytes that hs_json_u64() writes, at most */

/**
 * Write a count, a time or a size: a number, in all its digits.  Readers that keep numbers as
 * floating point round it above 2^53 (design/output); addresses and values of 64 bits are strings.
 * @return  Bytes written, without the terminator.
 */
HS_API size_t hs_json_u64(char out[HS_JSON_NUMBER], uint64_t value);

#ifdef __cplusplus
}
#endif
#endif
