/* The changes of a target as AFL++ loads them (AFL_CUSTOM_MUTATOR_LIBRARY). */
#include "edit.h"
#include "fuzz.h"

#define STACKED 4
#define ROOM 65536

struct mutator {
	uint64_t state;
	uint8_t data[ROOM];
};

#define AFL __attribute__((visibility("default")))

AFL void *afl_custom_init(void *afl, unsigned seed);
AFL size_t afl_custom_fuzz(void *self, uint8_t *data, size_t size, uint8_t **out, uint8_t *other,
                           size_t other_size, size_t room);
AFL void afl_custom_deinit(void *self);

void *afl_custom_init(void *afl, unsigned seed)
{
	struct mutator *m = calloc(1, sizeof(*m));

	(void)afl;
	if (m)
		m->state = seed;
	return m;
}

/* @return  Bytes; 0: AFL++ goes on to the next input. */
size_t afl_custom_fuzz(void *self, uint8_t *data, size_t size, uint8_t **out, uint8_t *other,
                       size_t other_size, size_t room)
{
	struct mutator *m = self;
	struct fuzz_edit e = { .data = m->data,
		               .size = size,
		               .room = room < ROOM ? room : ROOM,
		               .other = other ? other : data,
		               .other_size = other ? other_size : size,
		               .state = m->state };
	bool any = false;

	*out = m->data;
	if (size > e.room)
		return 0;
	memcpy(m->data, data, size);
	for (size_t n = 1 + fuzz_pick(&e, STACKED); n > 0; n--)
		any |= fuzz_mutate(&e);
	m->state = e.state;
	return any ? e.size : 0;
}

void afl_custom_deinit(void *self)
{
	free(self);
}
