/* hartscope traps --syscalls. */
#ifndef HS_TOOLS_HARTSCOPE_COMMANDS_TRAPS_H
#define HS_TOOLS_HARTSCOPE_COMMANDS_TRAPS_H

#include "common/tool.h"

/* traps_calls.c: the system calls and handled signals of a program.  An exit status. */
int traps_calls(struct hs_source *source, const struct options *o, uint64_t top,
                struct damage *damage);

#endif
