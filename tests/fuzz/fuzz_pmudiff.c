/* Any life of a hart's counters: our SBI PMU answers each call as the reference does
 * (tests/property/pmu_reference.c), which is written from the text alone, and has the same
 * counters, events and memory afterwards.
 *
 * Input: 16 bytes of configuration; steps of 96 bytes.
 */
#include "edit.h"
#include "fuzz.h"
#include "numbers.h"
#include "property/pmu_steps.h"

#define HEAD 16
#define STEP 96
#define STEPS 128

static void one_step(struct pmu_pair *t)
{
	struct pmu_said said;
	const char *what;

	if (t->below(t->numbers, 3) == 0) {
		pmu_pair_happen(t);
		return;
	}
	what = pmu_pair_call(t, &said);
	if (!what)
		return;
	fprintf(stderr, "%s, after %s: ours %lld %llx, theirs %lld %llx\n", what,
	        hs_pmu_function_name(said.fid), (long long)said.ours.error,
	        (unsigned long long)said.ours.value, (long long)said.theirs.error,
	        (unsigned long long)said.theirs.value);
	fuzz_must(false);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct pmu_pair t;
	const size_t head = size < HEAD ? size : HEAD;
	struct fuzz_numbers in = { data, data + head };

	t.below = fuzz_below;
	t.numbers = &in;
	pmu_pair_start(&t);
	for (size_t at = head, n = 0; at + STEP <= size && n < STEPS; at += STEP, n++) {
		in = (struct fuzz_numbers){ data + at, data + at + STEP };
		one_step(&t);
	}
	return 0;
}

bool fuzz_mutate(struct fuzz_edit *e)
{
	return fuzz_mutate_steps(e, HEAD, STEP);
}

size_t fuzz_seed(unsigned i, uint8_t *data, size_t size)
{
	return fuzz_seed_steps(i, HEAD + 32 * STEP, data, size);
}
