/* What the files of hartscope list share. */
#ifndef HS_TOOLS_HARTSCOPE_COMMANDS_LIST_H
#define HS_TOOLS_HARTSCOPE_COMMANDS_LIST_H

#include <hartscope/views.h>

#include "common/tool.h"

/* --writes-to SYMBOL|ADDRESS[,SIZE]: set what is listed.  False: it is nothing, which is said. */
bool writes_find(const struct options *o, struct hs_source *source, struct hs_listing_options *lo);
/* With --last N, all but the last N writes are to be skipped: the run is read for that. */
int writes_skip(const struct options *o, struct hs_source *source, struct hs_listing_options *lo);
/* Where SYMBOL|ADDRESS[,SIZE] of an option is.  False: it is nothing, which is said. */
bool writes_find_bytes(const char *option, const char *text, struct hs_source *source,
                       uint64_t *addr, uint64_t *size);
/* Read @source by a listing whose text nobody reads, for its count or for lo->accessed; @doing: the
 * words of its progress.  False: it could not be read to its end. */
bool writes_read(struct hs_source *source, struct hs_listing_options lo, const char *doing,
                 bool quiet, struct damage *damage, uint64_t *count);
/* Say that there are no data accesses, and what helps. */
void writes_note_no_data(void);
/* After all was listed: say why there is nothing.  @data: there were accesses. */
int writes_check(const struct options *o, const struct hs_listing *listing, bool data);

#endif
