/* Sources: the checksum of a trace, taken while it is read (design/whole-files). */
#include <stdlib.h>

#include <xxhash.h>

#include <hartscope/trace_params.h>

#include "trace/trace.h"
#include "source/private.h"

void source_sum_add(struct source_trace *t, const uint8_t *bytes, size_t n, bool ended)
{
	if (!t->hash.sum)
		return;
	if (n)
		XXH64_update(t->hash.sum, bytes, n);
	t->hash.summed += n;
	t->hash.sum_ended = ended;
}

void source_sum_restart(struct source_trace *t)
{
	t->hash.summed = 0;
	t->hash.sum_ended = false;
	if (t->hash.sum)
		XXH64_reset(t->hash.sum, 0);
}

void source_sum_stop(struct source_trace *t)
{
	XXH64_freeState(t->hash.sum);
	t->hash.sum = NULL;
	t->hash.sum_ended = false;
}
