/* Pieces that threads make and the caller's thread takes in the order in which it gave them
 * (ADR-0178).  A room of the tool sees no private header, so src/support/crew.h is not for it. */
#ifndef HS_TOOLS_HARTSCOPE_COMMON_ORDERED_H
#define HS_TOOLS_HARTSCOPE_COMMON_ORDERED_H

#include <stddef.h>
#include <stdint.h>

struct ordered;

/** Make one piece, on any thread.
 * @param thread  Below the number of threads; the caller's is 0. */
typedef void ordered_make(void *to, void *piece, unsigned thread);

/** @pieces: @count of them, @size bytes each, the caller's, at least one.  @threads of them work,
 * the caller's among them; there may be fewer.  NULL: no memory. */
struct ordered *ordered_new(uint32_t threads, void *pieces, size_t size, unsigned count,
                            ordered_make *make, void *to);
/** Stop: pieces that no thread has begun are not made.  NULL is allowed. */
void ordered_free(struct ordered *o);

/** The piece to fill next; NULL: all of them wait to be taken. */
void *ordered_room(const struct ordered *o);
/** That piece is filled, and may be made. */
void ordered_give(struct ordered *o);
/** The oldest that was given, when it is made; NULL: none was.  The caller's thread makes pieces
 * until then. */
void *ordered_take(struct ordered *o);
/** That piece may be filled again. */
void ordered_done(struct ordered *o);

/** Make each of the pieces once, in any order: all of them, which are free. */
void ordered_all(struct ordered *o);

#endif
