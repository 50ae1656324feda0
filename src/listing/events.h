/* Events in words, shared by the sinks that print. */
#ifndef HS_LISTING_EVENTS_H
#define HS_LISTING_EVENTS_H

#include <stddef.h>

#include <hartscope/block.h>

/* One line on an event, without a newline. */
void hs_event_text(const struct hs_block *b, char *text, size_t size);

#endif
