/* Threads that share pieces of work which do not depend on each other. */
#ifndef HS_TOOLS_HARTSCOPE_COMMON_TEAM_H
#define HS_TOOLS_HARTSCOPE_COMMON_TEAM_H

#include <stdint.h>

struct team;

/** One piece of work.
 * @param thread  Below the number of threads; the caller's is 0. */
typedef void team_work(void *to, unsigned piece, unsigned thread);

/** @threads of them, the caller's among them; there may be fewer.  NULL: no memory. */
struct team *team_new(uint32_t threads);
void team_free(struct team *t); /**< NULL is allowed */

/** Do pieces 0 to @count - 1, in any order, and return when all are done.  @t NULL: the caller's
 * thread does. */
void team_run(struct team *t, team_work *work, void *to, unsigned count);

#endif
