/* Importers: line after line from pieces of text. */
#ifndef HS_IMPORT_LINES_H
#define HS_IMPORT_LINES_H

#include "core/text.h"
#include "ingress/import.h"

/* An importer, which takes line after line. */
struct import_importer {
	struct hs_lines *lines;
	void *state; /* what take_line() gets */
	enum hs_status (*take_line)(void *state, struct hs_blocks *out);
	size_t room; /* free entries of @out that a line needs */
};

/* The feed() of importers. */
enum hs_status import_feed(const struct import_importer *i, struct hs_span *in,
                           struct hs_blocks *out);
/* The last line, if it has no end.  After HS_OK the importer reports what it still has. */
enum hs_status import_flush(const struct import_importer *i, struct hs_blocks *out);

/* The current line, to be read. */
struct base_text import_text(const struct hs_lines *l);

#endif
