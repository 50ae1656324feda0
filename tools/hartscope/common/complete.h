/* What a shell offers at the cursor (commands/complete.c). */
#ifndef HS_TOOLS_HARTSCOPE_COMMON_COMPLETE_H
#define HS_TOOLS_HARTSCOPE_COMMON_COMPLETE_H

#include "common/tool.h"

/* What is completed: @word, after @before in the same word. */
struct completion {
	const char *before; /* "--set=", or "" */
	unsigned before_n;
	const char *word;
	const char *protocol; /* of --protocol before it; NULL: not given */
};

/* Print the candidate @word if it begins with @typed; @help may be NULL. */
void complete_offer(const char *typed, const char *word, const char *help);
/* The same of an option's value; also of a word that "=" follows. */
void complete_name(const struct completion *c, const char *name, const char *help);
void complete_start(const struct completion *c, const char *name, const char *help);
/* For rows: parameters of protocols, their dialects, kinds of findings. */
void complete_params(const struct completion *c);
void complete_dialects(const struct completion *c);
void complete_kinds(const struct completion *c);
/* Print candidates for the last of @argc words of a command. */
void complete_options(const struct usage *u, int argc, char **argv);

#endif
