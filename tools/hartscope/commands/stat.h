/* hartscope stat: what its options make another command of. */
#ifndef HS_TOOLS_HARTSCOPE_COMMANDS_STAT_H
#define HS_TOOLS_HARTSCOPE_COMMANDS_STAT_H

#include "common/tool.h"

/* --compare, --rate, --coverage (stat_compare.c, stat_rate.c, stat_coverage.c): their exit
 * status. */
int stat_compare(const struct options *o);
int stat_rate(struct options *o, const struct queue_options *drain);
int stat_coverage(struct options *o, const char *format);

#endif
