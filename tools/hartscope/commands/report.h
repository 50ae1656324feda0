/* What the files of hartscope report share. */
#ifndef HS_TOOLS_HARTSCOPE_COMMANDS_REPORT_H
#define HS_TOOLS_HARTSCOPE_COMMANDS_REPORT_H

#include "common/run.h"

/* --by (report_by.c).  False: no memory. */
bool report_show_by(struct report *r, const struct run *run, const struct options *o,
                    const struct insn_table *insns);

/* --html (report_html.c): its exit status. */
int report_html(struct hs_source *source, const struct options *o);

#endif
