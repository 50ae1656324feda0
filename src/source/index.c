/* The index of a trace as bytes (docs/trace-index.md). */
#include <string.h>

#include "source/source.h"
#include "support/sum.h"
#include "support/words.h"

static const uint8_t magic[8] = { 'H', 'S', 'T', 'R', 'I', 'D', 'X', '2' };

/* @at: where its state begins, from the end of the entries on. */
static void put_entry(const struct hs_trace_index_entry *e, uint64_t at, uint8_t *to)
{
	support_put64(to, e->place.offset);
	support_put64(to + 8, e->place.bytes);
	support_put64(to + 16, e->place.check);
	support_put64(to + 24, e->instructions);
	support_put64(to + 32, e->time);
	support_put64(to + 40, at);
	support_put64(to + 48, e->state.n);
	support_put64(to + 56, support_sum(SUPPORT_SUM_START, e->state.p, e->state.n));
}

/* HS_E_FORMAT: its state is damaged. */
static enum hs_status get_entry(const uint8_t *from, const struct hs_span *states,
                                struct hs_trace_index_entry *e)
{
	const uint64_t at = support_get64(from + 40), n = support_get64(from + 48);

	*e = (struct hs_trace_index_entry){ .place = { support_get64(from), support_get64(from + 8),
		                                       support_get64(from + 16) },
		                            .instructions = support_get64(from + 24),
		                            .time = support_get64(from + 32) };
	if (at > states->n || n > states->n - at || n % 4)
		return HS_E_FORMAT;
	e->state = (struct hs_span){ states->p + at, (size_t)n };
	return support_sum(SUPPORT_SUM_START, e->state.p, (size_t)n) == support_get64(from + 56)
	               ? HS_OK
	               : HS_E_FORMAT;
}

static uint64_t sum_of(const uint8_t *index, uint64_t count)
{
	return support_sum(support_sum(SUPPORT_SUM_START, index, 40), index + HS_TRACE_INDEX_HEAD,
	                   (size_t)count * HS_TRACE_INDEX_ENTRY);
}

void hs_trace_index_write(uint64_t fingerprint, uint64_t instructions,
                          const struct hs_trace_index_entry *entries, size_t count, uint8_t *out)
{
	uint64_t at = 0;

	for (size_t i = 0; i < count; i++) {
		put_entry(&entries[i], at, out + HS_TRACE_INDEX_HEAD + i * HS_TRACE_INDEX_ENTRY);
		at += entries[i].state.n;
	}
	memcpy(out, magic, sizeof(magic));
	support_put64(out + 8, fingerprint);
	support_put64(out + 16, instructions);
	support_put64(out + 24, count);
	support_put64(out + 32, at);
	support_put64(out + 40, sum_of(out, count));
}

static enum hs_status check(const struct hs_span *file, uint64_t fingerprint)
{
	const size_t rest = file->n - HS_TRACE_INDEX_HEAD;

	if (file->n < HS_TRACE_INDEX_HEAD || memcmp(file->p, magic, sizeof(magic)) != 0)
		return HS_E_FORMAT;
	const uint64_t count = support_get64(file->p + 24);

	if (count > rest / HS_TRACE_INDEX_ENTRY ||
	    support_get64(file->p + 32) != rest - count * HS_TRACE_INDEX_ENTRY ||
	    support_get64(file->p + 40) != sum_of(file->p, count))
		return HS_E_FORMAT;
	return support_get64(file->p + 8) == fingerprint ? HS_OK : HS_E_DIFFERS;
}

static uint64_t value_of(const uint8_t *entry, enum hs_trace_index_key key)
{
	switch (key) {
	case HS_TRACE_INDEX_TIME:
		return support_get64(entry + 32);
	case HS_TRACE_INDEX_BYTE:
		return support_get64(entry) + support_get64(entry + 8);
	default:
		return support_get64(entry + 24);
	}
}

enum hs_status hs_trace_index_find(const struct hs_span *file, uint64_t fingerprint,
                                   enum hs_trace_index_key key, uint64_t value,
                                   struct hs_trace_index_entry *out, uint64_t *total)
{
	const uint8_t *found = NULL, *at = file->p + HS_TRACE_INDEX_HEAD;
	const enum hs_status status = check(file, fingerprint);

	if (status != HS_OK)
		return status;
	const uint8_t *const end = at + support_get64(file->p + 24) * HS_TRACE_INDEX_ENTRY;
	const struct hs_span states = { end, (size_t)support_get64(file->p + 32) };

	if (total)
		*total = support_get64(file->p + 16);
	for (; at < end && value_of(at, key) < value; at += HS_TRACE_INDEX_ENTRY)
		found = at;
	return found ? get_entry(found, &states, out) : HS_END;
}
