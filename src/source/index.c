/* The index of a trace as bytes (docs/trace-index.md). */
#include <string.h>

#include "source/private.h"
#include "support/words.h"

static const uint8_t magic[8] = { 'H', 'S', 'T', 'R', 'I', 'D', 'X', '1' };

static void put_entry(const struct hs_trace_index_entry *e, uint8_t *to)
{
	const struct hs_block *c = &e->context;

	support_put64(to, e->place.offset);
	support_put64(to + 8, e->place.bytes);
	support_put64(to + 16, e->place.check);
	support_put64(to + 24, e->instructions);
	support_put64(to + 32, c->value);
	support_put64(to + 40, c->arg | (uint64_t)c->itype << 32 | (uint64_t)c->priv << 40 |
	                               (uint64_t)c->kind << 48);
	support_put64(to + 48, 0);
}

static void get_entry(const uint8_t *from, struct hs_trace_index_entry *e)
{
	const uint64_t rest = support_get64(from + 40);

	*e = (struct hs_trace_index_entry){ .place = { support_get64(from), support_get64(from + 8),
		                                       support_get64(from + 16) },
		                            .instructions = support_get64(from + 24) };
	if (rest >> 48 == HS_KIND_CONTEXT)
		e->context = (struct hs_block){ .value = support_get64(from + 32),
			                        .arg = (uint32_t)rest,
			                        .itype = (uint8_t)(rest >> 32),
			                        .priv = (rest >> 40) & 7u,
			                        .kind = HS_KIND_CONTEXT };
}

void hs_trace_index_write(uint64_t fingerprint, uint64_t instructions,
                          const struct hs_trace_index_entry *entries, size_t count, uint8_t *out)
{
	uint8_t *const first = out + HS_TRACE_INDEX_HEAD;

	for (size_t i = 0; i < count; i++)
		put_entry(&entries[i], first + i * HS_TRACE_INDEX_ENTRY);
	memcpy(out, magic, sizeof(magic));
	support_put64(out + 8, fingerprint);
	support_put64(out + 16, instructions);
	support_put64(out + 24, count);
	support_put64(out + 32, source_sum(source_sum(SOURCE_SUM_START, out, 32), first,
	                                   count * HS_TRACE_INDEX_ENTRY));
}

static bool is_whole(const struct hs_span *file, uint64_t fingerprint)
{
	const size_t rest = file->n - HS_TRACE_INDEX_HEAD;

	if (file->n < HS_TRACE_INDEX_HEAD || memcmp(file->p, magic, sizeof(magic)) != 0)
		return false;
	return support_get64(file->p + 8) == fingerprint && rest % HS_TRACE_INDEX_ENTRY == 0 &&
	       support_get64(file->p + 24) == rest / HS_TRACE_INDEX_ENTRY &&
	       support_get64(file->p + 32) == source_sum(source_sum(SOURCE_SUM_START, file->p, 32),
	                                                 file->p + HS_TRACE_INDEX_HEAD, rest);
}

enum hs_status hs_trace_index_find(const struct hs_span *file, uint64_t fingerprint,
                                   uint64_t instructions, struct hs_trace_index_entry *out,
                                   uint64_t *total)
{
	enum hs_status found = HS_END;

	if (!is_whole(file, fingerprint))
		return HS_E_FORMAT;
	if (total)
		*total = support_get64(file->p + 16);
	for (size_t at = HS_TRACE_INDEX_HEAD; at < file->n; at += HS_TRACE_INDEX_ENTRY) {
		if (support_get64(file->p + at + 24) >= instructions)
			break;
		get_entry(file->p + at, out);
		found = HS_OK;
	}
	return found;
}
