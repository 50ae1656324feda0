/* What other rooms call of sources, and no user of the library does. */
#ifndef HS_SOURCE_SOURCE_H
#define HS_SOURCE_SOURCE_H

#include <hartscope/source.h>

/* The harts of a source in their order, also of a trace, of which all is read and which is then at
 * its start again; where its items name none, the one that was asked for, or 0.  The caller frees
 * the numbers, also after an error. */
struct source_harts {
	uint32_t *numbers;
	uint32_t count;
};
enum hs_status source_read_harts(struct hs_source *source, struct source_harts *h,
                                 struct hs_error *error);

#endif
