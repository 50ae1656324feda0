/* hartscope record: the emulators that it uses. */
#ifndef HS_TOOLS_HARTSCOPE_COMMANDS_RECORD_CHECK_H
#define HS_TOOLS_HARTSCOPE_COMMANDS_RECORD_CHECK_H

#include <stdbool.h>

#include <hartscope/record.h>

/* record --check: print them.  Returns an exit status: good where programs of RV64 can be
 * recorded. */
int record_check(const struct hs_recorder_options *options, bool json);

/* None could be used for @program, or @program is one that could not: print the command that gets
 * one. */
void record_offer(const struct hs_recorder_options *options, const char *program);

#endif
