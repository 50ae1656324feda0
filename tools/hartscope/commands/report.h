/* What the files of hartscope report share. */
#ifndef HS_TOOLS_HARTSCOPE_COMMANDS_REPORT_H
#define HS_TOOLS_HARTSCOPE_COMMANDS_REPORT_H

#include "common/run.h"

/* --by, above enum hs_profile_by. */
#define BY_LINE 32u
#define BY_LIBRARY 33u
#define BY_INLINE 34u
#define BY_ACCESS 35u

/* --by (report_by.c), @top rows of it.  False: no memory. */
bool report_show_by(struct report *r, const struct run *run, uint8_t by, uint64_t top);

/* --by access (report_access.c): its exit status.  @to: only accesses to this, SYMBOL or ADDRESS
 * with or without a SIZE; or NULL. */
int report_access(struct hs_source *source, const struct options *o, const char *to, uint64_t top);

struct html_before;

/* --html (report_html.c): its exit status.  @before: a run that it is compared with, whose path
 * is the first argument; or NULL. */
int report_html(struct hs_source *source, const struct options *o, struct html_before *before);

#endif
