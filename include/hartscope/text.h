/* Text of others, for terminals.
 *
 * Threads: every call here may run on several threads at once.
 */
#ifndef HARTSCOPE_TEXT_H
#define HARTSCOPE_TEXT_H

#include <stddef.h>

#include <hartscope/status.h>

#ifdef __cplusplus
extern "C" {
#endif

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

#ifdef __cplusplus
}
#endif
#endif
