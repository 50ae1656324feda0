/* Jobs on several threads, whose results are taken in order.
 *
 * A pool has strands.  The jobs of a strand run one after the other, in the order in which they
 * were given, each on any thread; those of different strands run at the same time.  The caller
 * gives jobs and takes their results strand by strand, so that what it makes of them does not
 * depend on the threads (design/pool).
 *
 * Threads: a pool belongs to one thread at a time, the caller's, which runs jobs while it waits.
 * What a job reads and writes is the caller's: data of its strand need no lock, as no two jobs of
 * a strand run at once, and what a job wrote is seen by the next one and by who takes it.  The
 * threads of a pool take no signals of the process.
 */
#ifndef HS_SUPPORT_POOL_H
#define HS_SUPPORT_POOL_H

#include <stdbool.h>
#include <stdint.h>

#include <hartscope/status.h>

struct hs_pool;

/**
 * Do the next job of a strand.
 * @param to      As hs_pool_new() was given it.
 * @param thread  Below the number of threads; the caller's is 0.
 */
typedef void hs_pool_job(void *to, uint32_t strand, uint32_t thread);

/**
 * Start threads.
 *
 * @param pool     To be freed with hs_pool_free(); NULL unless the result is HS_OK.
 * @param threads  Those that work, the caller's among them: 1 for none but that.  There may be
 *                 fewer, as many as the system gives and at most 65.
 * @param strands  At least 1.
 * @retval HS_OK
 * @retval HS_E_MEMORY  Out of memory.
 */
enum hs_status hs_pool_new(struct hs_pool **pool, uint32_t threads, uint32_t strands,
                           hs_pool_job *job, void *to);

/** Give a strand one more job. */
void hs_pool_give(struct hs_pool *pool, uint32_t strand);

/**
 * Wait until the oldest job of a strand that was not taken is done, and take it.
 * @return  False: each job that was given is taken.
 */
bool hs_pool_take(struct hs_pool *pool, uint32_t strand);

/** Stop: wait for the jobs that run; those that no thread has begun are not done.  NULL is
 * allowed. */
void hs_pool_free(struct hs_pool *pool);

#endif
