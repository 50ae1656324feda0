/* What the files of check share. */
#ifndef HS_TOOLS_HARTSCOPE_COMMANDS_CHECK_H
#define HS_TOOLS_HARTSCOPE_COMMANDS_CHECK_H

#include <hartscope/compare.h>

#include "common/tool.h"

/* One of the two arguments; the first is A. */
struct check_side {
	const char *path;
	struct hs_source *source;
};

struct check_work {
	const struct options *o;
	bool gaps; /* --gaps */
	struct check_side side[2];
	struct damage damage;
	struct progress progress;
};

/* Compare them, with the rest of the options of hs_check(), whose results it has. */
enum hs_status check_compare(struct check_work *w, struct hs_check_options *co,
                             struct hs_check_result *result, struct hs_error *e);
/* Exit status. */
int check_show(struct check_work *w, const struct hs_check_result *result);

/* check_part.c: --part and --parts, of a trace.  Exit status; of check_parts() EXIT_GOOD: @result
 * is there. */
int check_part(struct check_work *w, struct hs_source *trace);
int check_parts(struct check_work *w, struct hs_source *trace, struct hs_check_result *result);

/* check_packets.c: two traces message by message.  Exit status. */
int check_packets(struct options *o, bool gaps, bool resolve);

#endif
