/* The queue between an encoder and what takes its bytes: how full it is, cycle by cycle.
 *
 * It holds no bytes: they leave in the order in which they came, so that only how many matters.
 * Nothing here allocates.  A queue belongs to one thread at a time; two of them share nothing.
 */
#ifndef HARTSCOPE_QUEUE_H
#define HARTSCOPE_QUEUE_H

#include <stddef.h>
#include <stdint.h>

#include <hartscope/status.h>

#ifdef __cplusplus
extern "C" {
#endif

/** A queue.  What is 0 has the default. */
struct hs_queue_config {
	uint32_t size;         /**< sizeof(struct hs_queue_config) */
	uint32_t bytes;        /**< room; 0: without end */
	uint32_t drain_bits;   /**< bits that leave in drain_cycles cycles; 0: none */
	uint32_t drain_cycles; /**< 0 is 1 */
};

/** Plain data in the caller's memory. */
struct hs_queue {
	uint64_t peak; /**< bytes, parts counted as whole ones: the most that it ever held */
	/* Private: */
	uint64_t level, room; /* parts of a byte: unit in each */
	uint64_t unit, drain; /* parts of a byte; parts that leave in a cycle */
};

/**
 * An empty queue.
 * @retval HS_OK
 * @retval HS_E_CONFIG  The size is below 4, or a byte past this struct is not 0.
 */
HS_API enum hs_status hs_queue_init(struct hs_queue *q, const struct hs_queue_config *config);

/** Time passes: bytes leave. */
HS_API void hs_queue_advance(struct hs_queue *q, uint64_t cycles);

/** Whole bytes that have room. */
HS_API size_t hs_queue_room(const struct hs_queue *q);

/** Bytes come.  They may be more than have room: a hart that is stalled holds the rest. */
HS_API void hs_queue_put(struct hs_queue *q, size_t n);

/** Cycles until @n more bytes have room, or, where they never do, until the queue is empty; until
 * it holds no more than it may for n 0.  UINT64_MAX: nothing leaves. */
HS_API uint64_t hs_queue_wait(const struct hs_queue *q, size_t n);

#ifdef __cplusplus
}
#endif
#endif
