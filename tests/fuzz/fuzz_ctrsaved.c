/* Any bytes as a saved hart, also with the right checksum, for any hart: what is accepted keeps
 * every law, and is saved and restored as it is; what is refused changes nothing.
 * Input: numbers of the configuration and of a life (64 bytes), then the saved hart. */
#include "ctr_laws.h"
#include "ctr_saved.h"

#include "fuzz.h"
#include "numbers.h"

#define NUMBERS 64

static void check_restored(const struct hs_ctr *c)
{
	static struct ctr_view view;
	static uint8_t bytes[HS_CTR_SAVED_MAX];
	struct hs_span in = { bytes, hs_ctr_save(c, bytes) };
	struct hs_ctr again;

	fuzz_must(hs_ctr_check(c) == HS_OK);
	ctr_law_state(c, &view);
	fuzz_must(hs_ctr_init(&again, &c->config) == HS_OK);
	fuzz_must(hs_ctr_restore(&again, &in) == HS_OK && in.n == 0);
	fuzz_must(memcmp(&again, c, sizeof(again)) == 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fuzz_numbers numbers = { data, data + (size < NUMBERS ? size : NUMBERS) };
	const struct ctr_numbers s = { fuzz_below, &numbers };
	static uint8_t bytes[HS_CTR_SAVED_MAX + 64];
	const size_t n = size - (size_t)(numbers.end - data);
	struct hs_span in = { bytes, n < sizeof(bytes) ? n : sizeof(bytes) };
	const struct hs_ctr_config k = ctr_any_config(&s);
	struct hs_ctr c, before;

	fuzz_must(hs_ctr_init(&c, &k) == HS_OK);
	memcpy(bytes, numbers.end, in.n);
	if (fuzz_below(&numbers, 4) && in.n >= 40) {
		const size_t end = 36 + 24u * (size_t)(bytes[6] | bytes[7] << 8);

		if (end + 4 <= in.n)
			ctr_saved_seal(bytes, end);
	}
	before = c;
	const size_t given = in.n;

	switch (hs_ctr_restore(&c, &in)) {
	case HS_OK:
		fuzz_must(in.p == bytes + (given - in.n) && given - in.n >= 40);
		check_restored(&c);
		break;
	case HS_E_FORMAT:
	case HS_E_UNSUPPORTED:
	case HS_E_CONFIG:
	case HS_E_FIELD:
		fuzz_must(in.p == bytes && in.n == given);
		fuzz_must(memcmp(&c, &before, sizeof(c)) == 0);
		break;
	default:
		fuzz_must(false);
	}
	return 0;
}

/* Harts that ran a little, for harts of the same numbers. */
size_t fuzz_seed(unsigned i, uint8_t *data, size_t size)
{
	struct fuzz_numbers numbers = { data, data + NUMBERS };
	const struct ctr_numbers s = { fuzz_below, &numbers };
	uint32_t x = 2463534242u + i;
	struct hs_ctr_config k;
	struct hs_ctr c;
	uint64_t value;

	if (i >= 24 || size < NUMBERS + HS_CTR_SAVED_MAX)
		return 0;
	for (unsigned n = 0; n < NUMBERS; n++) {
		x ^= x << 13;
		x ^= x >> 17;
		x ^= x << 5;
		data[n] = (uint8_t)(x >> 11);
	}
	k = ctr_any_config(&s);
	fuzz_must(hs_ctr_init(&c, &k) == HS_OK);
	for (unsigned n = 0; n < 60; n++) {
		struct fuzz_numbers life = { data + n % 8, data + NUMBERS };
		const struct ctr_numbers l = { fuzz_below, &life };
		const struct ctr_op op = ctr_any_op(&l, &k);

		ctr_do(&c, &op, &value);
	}
	return NUMBERS + hs_ctr_save(&c, data + NUMBERS);
}
