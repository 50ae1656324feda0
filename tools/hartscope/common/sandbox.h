/* What a command may reach that reads files of others (SECURITY.md, design/cli): the folders that
 * its words name, and what a system has installed.  Kernels that lack a part of it go without. */
#ifndef HS_TOOLS_HARTSCOPE_COMMON_SANDBOX_H
#define HS_TOOLS_HARTSCOPE_COMMON_SANDBOX_H

#include "common/tool.h"

/* Commands that come run confined; not those that start other programs (record). */
void sandbox_arm(void);

/* Keep the folders that words of a command line name. */
void sandbox_note(int argc, char **argv);

/* Names by files of others: only from these folders. */
void sandbox_confine_names(struct options *o);

/* From here on nothing else is reached.  Before the first thread. */
void sandbox_enter(const struct options *o);
/* For parsers of options: what is written needs a program that converts to FST; temporary files. */
void sandbox_allow_fst(void);
void sandbox_allow_temporary(void);

/* sandbox_calls.c: refuse system calls that no reading command makes.  @exec: it starts fst2vcd;
 * @network: it waits for a debugger. */
void sandbox_limit_calls(bool exec, bool network);

#endif
