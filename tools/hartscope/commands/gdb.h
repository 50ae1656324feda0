/* hartscope gdb: a debugger that is started. */
#ifndef HS_TOOLS_HARTSCOPE_COMMANDS_GDB_H
#define HS_TOOLS_HARTSCOPE_COMMANDS_GDB_H

#include "common/tool.h"

/* gdb_start.c.  Do the words ask for a debugger: --start, or nothing else at a terminal? */
bool gdb_is_started(int argc, char **argv);
/* Become that debugger.  Returns an exit status only after a complaint. */
int gdb_start(const struct usage *u, size_t room, int argc, char **argv);

#endif
