/* hartscope traps --syscalls. */
#ifndef HS_TOOLS_HARTSCOPE_COMMANDS_TRAPS_H
#define HS_TOOLS_HARTSCOPE_COMMANDS_TRAPS_H

#include "common/tool.h"

/* traps_calls.c: the system calls and handled signals of a program.  An exit status. */
int traps_calls(struct hs_source *source, const struct options *o, uint64_t top,
                struct damage *damage);

/* traps_words.c: a call with its arguments and its result. */
void call_words(const struct hs_trap_call *c, const struct hs_trap_values *v, char *text,
                size_t size);
void call_values_report(struct report *r, const struct hs_trap_values *v);
/* The number of an error that a call returned; 0: none. */
uint32_t call_error(const struct hs_trap_values *v);

#endif
