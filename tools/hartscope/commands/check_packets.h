/* hartscope check --packets. */
#ifndef HS_TOOLS_HARTSCOPE_COMMANDS_CHECK_PACKETS_H
#define HS_TOOLS_HARTSCOPE_COMMANDS_CHECK_PACKETS_H

#include "common/tool.h"

/* Compare two traces message by message; gives the exit status. */
int check_packets(struct options *o, bool gaps, bool resolve);

#endif
