/* A queue as a number: bytes come, bits leave.
 *
 * A byte has 8 * drain_cycles parts, of which drain_bits leave in a cycle, so that all numbers are
 * whole. */
#include <hartscope/transport.h>

#include "core/config.h"
#include "core/divide.h"
#include "core/mem.h"

enum hs_status hs_queue_init(struct hs_queue *q, const struct hs_queue_config *config)
{
	struct hs_queue_config c = { .size = sizeof c };

	if (base_take_config(&c, sizeof c, config) != HS_OK)
		return HS_E_CONFIG;
	memset(q, 0, sizeof *q);
	q->unit = 8 * (uint64_t)(c.drain_cycles ? c.drain_cycles : 1);
	q->drain = c.drain_bits;
	q->room = c.bytes ? c.bytes * q->unit : UINT64_MAX;
	return HS_OK;
}

void hs_queue_advance(struct hs_queue *q, uint64_t cycles)
{
	if (q->drain && cycles > base_divide(q->level, q->drain))
		q->level = 0;
	else
		q->level -= cycles * q->drain;
}

size_t hs_queue_room(const struct hs_queue *q)
{
	const uint64_t left = q->level < q->room ? base_divide(q->room - q->level, q->unit)
	                                          : 0;

	return left < SIZE_MAX ? (size_t)left : SIZE_MAX;
}

void hs_queue_put(struct hs_queue *q, size_t n)
{
	q->level += n * q->unit;
	const uint64_t bytes = base_divide(q->level + q->unit - 1, q->unit);

	if (bytes > q->peak)
		q->peak = bytes;
}

uint64_t hs_queue_wait(const struct hs_queue *q, size_t n)
{
	const uint64_t most = base_divide(q->room, q->unit) < n ? 0 : q->room - n * q->unit;

	if (q->level <= most)
		return 0;
	return q->drain ? base_divide(q->level - most + q->drain - 1, q->drain) : UINT64_MAX;
}
