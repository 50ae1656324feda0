/* hartscope identify: what of a trace ran where. */
#ifndef HS_TOOLS_HARTSCOPE_COMMANDS_IDENTIFY_SEEN_H
#define HS_TOOLS_HARTSCOPE_COMMANDS_IDENTIFY_SEEN_H

#include "common/tool.h"

/* Of each context what ran, and where its code is missing.  False: no context is named. */
bool show_seen(struct report *r, struct hs_source *source);

#endif
