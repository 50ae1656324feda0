/* Positions in a flow, as options name them, and the index that finds them. */
#ifndef TOOL_POSITION_H
#define TOOL_POSITION_H

#include "common/tool.h"

enum position_kind {
	POSITION_INSTRUCTION, /* N: instruction N, counted from 0 */
	POSITION_TIME,        /* time:T */
	POSITION_BYTE,        /* byte:OFFSET, of a trace */
	POSITION_PC,          /* 0xADDRESS[@N]: the Nth time, from 1 */
	POSITION_FUNCTION     /* NAME[@N]: its first instruction, the Nth time */
};

struct position {
	enum position_kind kind;
	uint64_t value; /* number, time, offset, address */
	uint64_t count; /* N of @N */
	char name[256]; /* of a function */
};

/* False: the text, of @option, is none, which was said. */
bool position_parse(const char *option, const char *text, struct position *out);

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

/* How many instructions are before a position: *n.  The source is read for it, and not rewound.
 * False: it is not reached, or its function is not known, which was said. */
bool position_find(struct hs_source *source, const char *path, const struct position *at,
                   uint64_t *n);

#endif
