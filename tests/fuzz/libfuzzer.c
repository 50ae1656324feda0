/* libFuzzer changes inputs as the target can, and as it does itself, in turn. */
#include "edit.h"
#include "fuzz.h"

#define STACKED 4

size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t room);
size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t room, unsigned seed);
size_t LLVMFuzzerCustomCrossOver(const uint8_t *a, size_t a_size, const uint8_t *b, size_t b_size,
                                 uint8_t *out, size_t room, unsigned seed);

/* A target without changes of its own. */
__attribute__((weak)) bool fuzz_mutate(struct fuzz_edit *e)
{
	(void)e;
	return false;
}

static bool change(struct fuzz_edit *e)
{
	bool any = false;

	for (size_t n = 1 + fuzz_pick(e, STACKED); n > 0; n--)
		any |= fuzz_mutate(e);
	return any;
}

size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t room, unsigned seed)
{
	struct fuzz_edit e = { data, size, room, data, size, seed };

	if (seed & 1 && change(&e))
		return e.size;
	return LLVMFuzzerMutate(data, size, room);
}

size_t LLVMFuzzerCustomCrossOver(const uint8_t *a, size_t a_size, const uint8_t *b, size_t b_size,
                                 uint8_t *out, size_t room, unsigned seed)
{
	struct fuzz_edit e = { out, a_size, room, b, b_size, seed };

	if (a_size > room)
		return 0;
	memcpy(out, a, a_size);
	return change(&e) ? e.size : 0;
}
