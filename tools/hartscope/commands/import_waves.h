/* hartscope import of waves: value change dumps. */
#ifndef HS_TOOLS_HARTSCOPE_COMMANDS_IMPORT_WAVES_H
#define HS_TOOLS_HARTSCOPE_COMMANDS_IMPORT_WAVES_H

#include "commands/import_formats.h"

/* Are the first bytes those of a value change dump? */
bool waves_is_vcd(const struct hs_span *first);

/* The importer of waves: rows of its signals, for the importer of what they are. */
struct waves;
enum hs_status waves_open(struct waves **w, const struct importer *importer,
                          const struct import_setup *setup, struct hs_error *e);
void waves_close(struct waves *w);
struct hs_exec_log *waves_log(const struct waves *w);
struct hs_seen_code *waves_code(const struct waves *w);
enum hs_status waves_feed(struct waves *w, struct hs_span *in, struct hs_blocks *out,
                          struct hs_error *e);
enum hs_status waves_end(struct waves *w, struct hs_blocks *out, struct hs_error *e);

#endif
