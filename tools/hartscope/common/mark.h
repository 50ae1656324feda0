/* Marks of record: where a recording begins and ends. */
#ifndef MARK_H
#define MARK_H

#include <stdbool.h>

#include <hartscope/record.h>

struct mark {
	struct hs_recorder_mark mark;
	char text[256]; /* without its count */
};

/* False: it is none; a message was written.  @option: its name. */
bool mark_parse(const char *option, const char *text, struct mark *m);
/* Find a symbol in the ELF file; other marks need nothing.  False: it has none; a message was
 * written. */
bool mark_resolve(struct mark *m, const char *file);

#endif
