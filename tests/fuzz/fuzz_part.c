/* Parts of a trace as files of any bytes: what is read can be written again, and its payload is
 * taken or refused.  The sum at the end is put right, or nearly every input would stop there.  The
 * input is in memory of its exact size. */
#include <hartscope/compare.h>
#include <hartscope/counts.h>

#include "fuzz.h"
#include "counts/tally.h"

static uint8_t *copy_of(const uint8_t *data, size_t n)
{
	uint8_t *copy = malloc(n ? n : 1);

	fuzz_must(copy != NULL);
	if (n)
		memcpy(copy, data, n);
	return copy;
}

/* FNV-1a of all but the last 8 bytes. */
static void put_sum(uint8_t *p, size_t n)
{
	uint64_t sum = UINT64_C(0xcbf29ce484222325);

	for (size_t i = 0; i + 8 < n; i++)
		sum = (sum ^ p[i]) * UINT64_C(0x100000001b3);
	for (size_t i = 0; i < 8 && n >= 8; i++)
		p[n - 8 + i] = (uint8_t)(sum >> 8 * i);
}

static void apply_tally(const struct hs_tally *tally)
{
	struct hs_counts_options o = { .size = sizeof(o),
		                       .what = HS_COUNTS_PROFILE | HS_COUNTS_CALLS |
		                               HS_COUNTS_COVERAGE };
	struct hs_counts *counts = NULL;
	struct hs_profile_result r;
	struct hs_coverage_result v;
	struct hs_calls_result c;

	fuzz_must(hs_program_new(&o.program) == HS_OK && hs_counts_new(&o, &counts) == HS_OK);
	fuzz_must(hs_tally_apply(tally, counts) == HS_OK);
	fuzz_must(hs_counts_get_profile(counts, &r) == HS_OK &&
	          hs_counts_get_calls(counts, &c) == HS_OK &&
	          hs_counts_get_coverage(counts, &v) == HS_OK);
	fuzz_must(r.blocks == hs_tally_count(tally, HS_KIND_BLOCK));
	hs_counts_free(counts);
	hs_program_free(o.program);
}

/* What a tally reads of another one's bytes is the same again. */
static void take_tally(const struct hs_span *payload)
{
	struct hs_tally *tally = NULL, *again = NULL;

	fuzz_must(hs_tally_new(NULL, &tally) == HS_OK && hs_tally_new(NULL, &again) == HS_OK);
	if (hs_tally_merge(tally, payload) == HS_OK) {
		const size_t n = hs_tally_write(tally, NULL);
		uint8_t *bytes = malloc(n), *twice = malloc(n);

		fuzz_must(bytes && twice);
		hs_tally_write(tally, bytes);
		fuzz_must(hs_tally_merge(again, &(struct hs_span){ bytes, n }) == HS_OK &&
		          hs_tally_write(again, NULL) == n);
		hs_tally_write(again, twice);
		fuzz_must(memcmp(bytes, twice, n) == 0);
		apply_tally(tally);
		free(bytes);
		free(twice);
	}
	hs_tally_free(tally);
	hs_tally_free(again);
}

static void take_harts(const struct hs_span *payload)
{
	uint8_t bytes[HS_PART_HART];
	struct hs_part_hart h, again;

	for (size_t i = 0; hs_part_get_hart(payload, i, &h) == HS_OK; i++) {
		hs_part_put_hart(&h, bytes);
		fuzz_must(hs_part_get_hart(&(struct hs_span){ bytes, sizeof(bytes) }, 0, &again) ==
		          HS_OK);
		fuzz_must(h.number == again.number && h.before_count == again.before_count);
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct hs_part part, again, sum;
	const struct hs_span file = { copy_of(data, size), size };
	uint8_t *fixed = copy_of(data, size);
	const struct hs_span whole = { fixed, size };

	hs_part_read(&file, &part);
	put_sum(fixed, size);
	take_tally(&file);
	if (hs_part_read(&whole, &part) == HS_OK) {
		uint8_t *bytes = malloc(hs_part_write(&part, NULL));

		fuzz_must(bytes && hs_part_write(&part, NULL) == size);
		hs_part_write(&part, bytes);
		fuzz_must(hs_part_read(&(struct hs_span){ bytes, size }, &again) == HS_OK &&
		          again.errors == part.errors && again.type_count == part.type_count &&
		          again.payload.n == part.payload.n);
		sum = part;
		sum.slice.next = part.slice.number;
		sum.slice.end = part.slice.begin;
		fuzz_must(hs_part_join(&sum, &part) == (part.slice.empty ? HS_E_ARG : HS_OK));
		if (part.kind == HS_PART_TALLY)
			take_tally(&part.payload);
		take_harts(&part.payload);
		free(bytes);
	}
	free((void *)(uintptr_t)file.p);
	free(fixed);
	return 0;
}

/* Blocks that call and return, and events. */
static size_t seed_tally(uint8_t *out)
{
	static const struct hs_block items[] = {
		{ .value = 0x1000, .kind = HS_KIND_SYNC },
		{ .iaddr = 0x1000, .iretire = 4, .ilast = 2, .itype = HS_ITYPE_CALL_INF },
		{ .iaddr = 0x2000, .iretire = 1, .ilast = 1, .itype = HS_ITYPE_RETURN },
		{ .arg = 1, .kind = HS_KIND_HART },
		{ .value = 7, .arg = 2, .kind = HS_KIND_CONTEXT },
		{ .iaddr = 0x3000, .iretire = 2, .ilast = 2, .itype = HS_ITYPE_TAKEN },
		{ .arg = 3, .kind = HS_KIND_GAP },
	};
	struct hs_tally *t;

	fuzz_must(hs_tally_new(NULL, &t) == HS_OK &&
	          hs_tally_add(t, items, sizeof(items) / sizeof(*items)) == HS_OK);
	const size_t n = hs_tally_write(t, NULL);

	hs_tally_write(t, out);
	hs_tally_free(t);
	return n;
}

size_t fuzz_seed(unsigned i, uint8_t *data, size_t size)
{
	static struct hs_part part;
	static const struct hs_error error = { .status = HS_E_FORMAT, .text = "offset 0x10" };
	const struct hs_message_count count = { "Branch", 7, 30, 2 };
	const struct hs_part_hart hart = { .number = 1, .blocks = 5, .before_count = 5 };
	uint8_t payload[1024];

	if (i > 2)
		return 0;
	part = (struct hs_part){ .kind = i + 1, .fingerprint = 0x1234,
		                 .slice = { 2, 4, 3, false, 1000, 2000 } };
	part.payload = (struct hs_span){ payload, i == 0 ? seed_tally(payload) : 24 };
	if (i == 1)
		memset(payload, 0, 24);
	if (i == 2) {
		part.payload.n = HS_PART_HART;
		hs_part_put_hart(&hart, payload);
	}
	hs_part_set_counts(&part, &count, i != 0);
	hs_part_add_error(&part, &error, HS_REASON_LOST);
	const size_t n = hs_part_write(&part, NULL);

	if (n > size)
		return 0;
	hs_part_write(&part, data);
	return n;
}
