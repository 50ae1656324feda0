/* What identify found, for `hartscope identify` and --auto. */
#ifndef HS_TOOLS_HARTSCOPE_COMMON_FOUND_H
#define HS_TOOLS_HARTSCOPE_COMMON_FOUND_H

#include <hartscope/identify.h>

#include "common/tool.h"

/* The options that say the same, and the program. */
void found_text(char *to, size_t size, const struct options *o, const struct hs_identified *f);

/* What --auto found. */
struct found {
	struct hs_trace_params *params; /* freed by the caller, also after an error */
	bool wraps;      /* it is a circular buffer */
	uint64_t offset; /* of the program */
};

/* Find the parameters of a trace, and print them on stderr.  An error where nothing is clear. */
enum hs_status found_params(const struct options *o, const char *path, struct found *found,
                            struct hs_error *e);
/* The parameters of a trace, as found_params() with --auto, else as read_params(). */
enum hs_status open_params(const struct options *o, const char *path, struct found *found,
                           struct hs_error *e);
/* How else the trace is read by what was found: the capture, and where the program is. */
void found_move(const struct found *found, struct hs_capture_options *capture,
                struct hs_code_file *code, size_t count);

#endif
