/* --memory-limit, --time-limit: what a command may use. */
#ifndef HS_TOOLS_HARTSCOPE_COMMON_LIMITS_H
#define HS_TOOLS_HARTSCOPE_COMMON_LIMITS_H

#include <stdbool.h>

struct option_row;

/* The parsers of these options: keep to a size of memory that is written to, such as "512M"; to
 * seconds, such as "60".  An emulator that the command starts has neither.  False, after a
 * complaint: it is no such number. */
bool limit_memory(void *options, const struct option_row *row, char *text);
bool limit_time(void *options, const struct option_row *row, char *text);

/* Is there --memory-limit? */
bool limits_memory(void);

/* Say that memory ran out because of --memory-limit, where it did.  @text: of an error. */
void limits_explain(const char *text);

#endif
