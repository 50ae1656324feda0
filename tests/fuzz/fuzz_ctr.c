/* Hostile CTR: bytes choose a hart and what happens to it, and foreign copies of its state.  A copy
 * that hs_ctr_check() accepts keeps every law that a hart of our own keeps, from then on. */
#include "ctr_laws.h"

#include "fuzz.h"
#include "numbers.h"

#define CHECK_EVERY 16 /* steps: fuzz_ctrdiff compares all of the state after each */

/* Anywhere in the state, or where its registers are; with decisions that follow, or as they are. */
static void damage(const struct ctr_numbers *s, struct hs_ctr *c)
{
	for (uint32_t n = 1 + fuzz_below(s->ctx, 8); n > 0; n--) {
		const bool anywhere = fuzz_below(s->ctx, 4) == 0;
		const size_t at =
			fuzz_below(s->ctx, anywhere ? sizeof(*c)
			           : offsetof(struct hs_ctr, entries));
		const uint8_t byte = (uint8_t)fuzz_below(s->ctx, 256);

		memcpy((uint8_t *)c + at, &byte, 1);
	}
}

/* No byte of bool may be looked at before hs_ctr_check() has seen it. */
static void foreign(const struct ctr_numbers *s, struct hs_ctr *c)
{
	const struct hs_ctr saved = *c;
	enum hs_status status;

	damage(s, c);
	status = hs_ctr_check(c);
	fuzz_must(status == HS_OK || status == HS_E_ARG || status == HS_E_CONFIG);
	if (status == HS_OK)
		return;
	*c = saved;
	c->mctl ^= (uint64_t)fuzz_below(s->ctx, 0x10000) << fuzz_below(s->ctx, 33);
	c->vsctl ^= (uint64_t)fuzz_below(s->ctx, 0x10000) << fuzz_below(s->ctx, 33);
	c->depth ^= (uint8_t)fuzz_below(s->ctx, 8);
	c->wrptr = (uint8_t)fuzz_below(s->ctx, 256);
	hs_ctr_refresh(c);
	if (hs_ctr_check(c) != HS_OK)
		*c = saved;
}

/* All of a state: each entry again. */
static void check(const struct hs_ctr *c)
{
	static struct ctr_view view;

	fuzz_must(hs_ctr_check(c) == HS_OK);
	ctr_law_state(c, &view);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct fuzz_numbers in = { data, data + size };
	const struct ctr_numbers s = { fuzz_below, &in };
	const struct hs_ctr_config k = ctr_any_config(&s);
	static struct hs_ctr c;

	fuzz_must(hs_ctr_init(&c, &k) == HS_OK);
	for (unsigned n = 0; n < 200 && in.at < in.end; n++) {
		uint64_t value = 0;

		if (fuzz_below(&in, 8) == 0) {
			foreign(&s, &c);
			check(&c);
		} else {
			const struct ctr_op op = ctr_any_op(&s, &c.config);

			ctr_do(&c, &op, &value);
		}
		if (n % CHECK_EVERY == 0)
			check(&c);
	}
	check(&c);
	return 0;
}

/* Any bytes are a life; these are long ones. */
size_t fuzz_seed(unsigned i, uint8_t *data, size_t size)
{
	uint32_t x = 2463534242u + i;

	if (i >= 16 || size < 2048)
		return 0;
	for (unsigned n = 0; n < 2048; n++) {
		x ^= x << 13;
		x ^= x >> 17;
		x ^= x << 5;
		data[n] = (uint8_t)(x >> 11);
	}
	return 2048;
}
