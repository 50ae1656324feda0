/* The index of a trace or recording (index_file.c). */
#ifndef TOOL_INDEX_FILE_H
#define TOOL_INDEX_FILE_H

#include "common/tool.h"

/* The index next to a trace or recording, mapped.  False: there is none. */
bool index_map(const char *path, struct hs_span *file);
void index_unmap(const struct hs_span *file);
char *index_path(const char *path); /* NULL: out of memory */

/* Go to the last place before a value, by the index of @path; *entry is where the source stands
 * then.  False: it stands at its start, and @entry is 0: there is no such place, or no index, or it
 * is not of use, which was said.
 * @total  Instructions of all of it, where that is known; else UINT64_MAX. */
bool index_seek(struct hs_source *source, const char *path, enum hs_trace_index_key key,
                uint64_t value, struct hs_trace_index_entry *entry, uint64_t *total);

#endif
