/* What a shell offers at the cursor (commands/complete.c). */
#ifndef HS_TOOLS_HARTSCOPE_COMMON_COMPLETE_H
#define HS_TOOLS_HARTSCOPE_COMMON_COMPLETE_H

#include "common/option_table.h"

/* Print the candidate @word if it begins with @typed; @help may be NULL. */
void complete_offer(const char *typed, const char *word, const char *help);
/* Print candidates for the last of @argc words of a command. */
void complete_options(const struct usage *u, int argc, char **argv);

#endif
