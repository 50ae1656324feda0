/* The index of a trace of any bytes: what is found is in it, and what was written is found.  The
 * input is in memory of its exact size. */
#include <string.h>

#include <hartscope/source.h>

#include "fuzz.h"

#define ENTRIES 64u

static struct hs_span copy_of(const uint8_t *data, size_t n)
{
	uint8_t *copy = malloc(n ? n : 1);

	fuzz_must(copy != NULL);
	if (n)
		memcpy(copy, data, n);
	return (struct hs_span){ copy, n };
}

static void find_entries(const struct hs_span *file, uint64_t fingerprint)
{
	static const uint64_t wanted[] = { 0, 1, 1000, UINT64_MAX };

	for (size_t i = 0; i < sizeof(wanted) / sizeof(*wanted); i++) {
		struct hs_trace_index_entry e;
		uint64_t total;
		const enum hs_status s =
			hs_trace_index_find(file, fingerprint, wanted[i], &e, &total);

		fuzz_must(s == HS_OK || s == HS_END || s == HS_E_FORMAT);
		if (s == HS_OK)
			fuzz_must(e.instructions < wanted[i] &&
			          (!e.context.kind || e.context.kind == HS_KIND_CONTEXT));
	}
}

/* Entries of these bytes, in order, as an index. */
static void write_and_find(const uint8_t *data, size_t n)
{
	struct hs_trace_index_entry e[ENTRIES], got;
	uint8_t out[HS_TRACE_INDEX_HEAD + ENTRIES * HS_TRACE_INDEX_ENTRY];
	const size_t count = n / 16 < ENTRIES ? n / 16 : ENTRIES;
	uint64_t at = 0;

	memset(e, 0, sizeof(e));
	for (size_t i = 0; i < count; i++) {
		memcpy(&e[i].place, data + 16 * i, 16);
		at += 1 + data[16 * i];
		e[i].instructions = at;
	}
	hs_trace_index_write(7, at + 1, e, count, out);
	const struct hs_span file = { out, HS_TRACE_INDEX_HEAD + count * HS_TRACE_INDEX_ENTRY };

	for (size_t i = 0; i < count; i++) {
		fuzz_must(hs_trace_index_find(&file, 7, e[i].instructions + 1, &got, NULL) ==
		          HS_OK);
		fuzz_must(memcmp(&got.place, &e[i].place, sizeof(got.place)) == 0);
	}
	fuzz_must(hs_trace_index_find(&file, 8, at, &got, NULL) == HS_E_FORMAT);
	out[file.n - 1] ^= 1;
	fuzz_must(hs_trace_index_find(&file, 7, at, &got, NULL) == HS_E_FORMAT);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	const struct hs_span file = copy_of(data, size);
	uint64_t fingerprint = 0;

	if (size >= 16)
		memcpy(&fingerprint, data + 8, sizeof(fingerprint));
	find_entries(&file, fingerprint);
	write_and_find(file.p, size);
	free((void *)(uintptr_t)file.p);
	return 0;
}

size_t fuzz_seed(unsigned i, uint8_t *data, size_t size)
{
	struct hs_trace_index_entry e[3] = { { .instructions = 5 }, { .instructions = 900 },
		                             { .instructions = 5000 } };
	const size_t n = HS_TRACE_INDEX_HEAD + i * HS_TRACE_INDEX_ENTRY;

	if (i > 3 || n > size)
		return 0;
	e[1].context = (struct hs_block){ .value = 7, .arg = 2, .kind = HS_KIND_CONTEXT };
	hs_trace_index_write(0x1234, 6000, e, i, data);
	return n;
}
