/* The index of a trace of any bytes: what is found is in it, and what was written is found.  The
 * input is in memory of its exact size. */
#include "fuzz.h"
#include "source/source.h"

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

	for (size_t i = 0; i < 3 * sizeof(wanted) / sizeof(*wanted); i++) {
		struct hs_trace_index_entry e;
		uint64_t total;
		const enum hs_status s = hs_trace_index_find(
			file, fingerprint, (enum hs_trace_index_key)(i % 3), wanted[i / 3], &e,
			&total);

		fuzz_must(s == HS_OK || s == HS_END || s == HS_E_FORMAT || s == HS_E_DIFFERS);
		if (s == HS_OK)
			fuzz_must(e.state.p >= file->p &&
			          e.state.n <= (size_t)(file->p + file->n - e.state.p) &&
			          (i % 3 || e.instructions < wanted[i / 3]));
	}
}

/* Entries of these bytes, in order, as an index whose states are all of them. */
static void write_and_find(const uint8_t *data, size_t n)
{
	const size_t head = HS_TRACE_INDEX_HEAD + ENTRIES * HS_TRACE_INDEX_ENTRY;
	struct hs_trace_index_entry e[ENTRIES], got;
	const size_t count = n / 16 < ENTRIES ? n / 16 : ENTRIES, each = n / 4 * 4;
	uint8_t *out = malloc(head + count * each + 1);
	uint64_t at = 0;

	fuzz_must(out != NULL);
	memset(e, 0, sizeof(e));
	for (size_t i = 0; i < count; i++) {
		memcpy(&e[i].place, data + 16 * i, 16);
		at += 1 + data[16 * i];
		e[i].instructions = at;
		e[i].state = (struct hs_span){ data, each };
	}
	hs_trace_index_write(7, at + 1, e, count, out);
	const size_t end = HS_TRACE_INDEX_HEAD + count * HS_TRACE_INDEX_ENTRY;
	const struct hs_span file = { out, end + count * each };

	for (size_t i = 0; i < count; i++)
		memcpy(out + end + i * each, data, each);
	for (size_t i = 0; i < count; i++) {
		fuzz_must(hs_trace_index_find(&file, 7, HS_TRACE_INDEX_INSTRUCTIONS,
		                              e[i].instructions + 1, &got, NULL) == HS_OK);
		fuzz_must(memcmp(&got.place, &e[i].place, sizeof(got.place)) == 0);
		fuzz_must(got.state.n == each && memcmp(got.state.p, data, each) == 0);
	}
	fuzz_must(hs_trace_index_find(&file, 8, HS_TRACE_INDEX_INSTRUCTIONS, at, &got, NULL) ==
	          HS_E_DIFFERS);
	out[9] ^= 1;
	fuzz_must(hs_trace_index_find(&file, 7, HS_TRACE_INDEX_INSTRUCTIONS, at, &got, NULL) ==
	          HS_E_FORMAT);
	free(out);
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
	e[1].time = 77;
	hs_trace_index_write(0x1234, 6000, e, i, data);
	return n;
}
