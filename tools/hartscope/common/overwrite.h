/* What an output replaces only with --force (design/whole-files). */
#ifndef TOOL_OVERWRITE_H
#define TOOL_OVERWRITE_H

#include <stdbool.h>

#include <hartscope/status.h>
#include <hartscope/trace_params.h>

struct option_row;

/* Each is true where nothing is at @path, where what is there was made in the same way, and with
 * --force.  False, with a complaint that says what differs. */

/* A trace of these parameters.  @transport: NULL: raw.  @recording: what it is encoded from; NULL:
 * a program that runs, whose harts still decide some parameters.  Files next to it that are no
 * TRACE.json and TRACE.code stay, too. */
bool overwrite_trace(const char *path, const struct hs_trace_params *params, const char *transport,
                     const char *recording);
/* A flow; @made_by is what its manifest is to say.  HS_OK or HS_E_CONFIG, without a complaint. */
enum hs_status overwrite_flow(const char *path, const char *made_by, struct hs_error *e);
/* A copy of the recording or flow @of, or of what is left of it. */
bool overwrite_copy(const char *path, const char *of);
/* The code of a trace, which goes with it. */
bool overwrite_code(const char *path);
/* A file without parameters, such as an export: no program, trace or recording is replaced, nor a
 * file of one. */
bool overwrite_file(const char *path);

/* The parser of --force. */
bool overwrite_allow(void *options, const struct option_row *row, char *none);
/* Was it, or HARTSCOPE_FORCE? */
bool overwrite_is_allowed(void);

#endif
