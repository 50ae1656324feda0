/* What identify found, for `hartscope identify` and --auto. */
#ifndef HS_TOOLS_HARTSCOPE_COMMON_FOUND_H
#define HS_TOOLS_HARTSCOPE_COMMON_FOUND_H

#include <hartscope/capture.h>

#include "common/tool.h"

#define FOUND_PART 640 /* the words of one source */
#define FOUND_PARTS 16
#define FOUND_TEXT 16384 /* all options */

/* What identify is asked of a file. */
struct hs_identify_options found_ask(const struct options *o, const char *path);
/* The options that say the same, and the program; each has a space before it. */
void found_text(char *to, size_t size, const struct options *o, const struct hs_identity *id);
/* The words of --source for a source of frames. */
void found_part(char *to, size_t size, const struct hs_identified *f, unsigned hart);

/* What --auto found. */
struct found {
	struct hs_trace_params *params; /* freed by the caller, also after an error */
	bool wraps;      /* it is a circular buffer */
	uint64_t offset; /* of the program */
	char part[FOUND_PARTS][FOUND_PART]; /* --source, of frames */
	size_t part_count;
	const char *transport;
};

/* As parameters: what identify found. */
enum hs_status found_take(const struct hs_identity *id, struct found *found, struct hs_error *e);
/* The trace by what was found, without notes (open.c). */
enum hs_status open_found(const struct options *o, struct hs_source_options so, const char *path,
                          const struct found *found, struct hs_source **source, struct hs_error *e);
/* The parameters of a trace: as found_params() with --auto, and where nothing says what the trace
 * is; else as read_params(). */
enum hs_status open_params(const struct options *o, const char *path, struct found *found,
                           struct hs_error *e);
/* How else the trace is read by what was found: the capture, and where the program is. */
void found_move(const struct found *found, struct hs_capture_options *capture,
                struct hs_code_file *code, size_t count);

#endif
