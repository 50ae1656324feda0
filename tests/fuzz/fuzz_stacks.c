/* Any blocks are a flow: its stacks have frames, and what a step says of them is what they do. */
#include <hartscope/views.h>

#include "fuzz.h"
#include "stack_names.h"
#include "calls/stacks.h"

#define ITEM 3u /* bytes of the input for an item of the flow */

/* An event of those that stacks know, or a block. */
static struct hs_block item_of(const uint8_t *b)
{
	static const struct hs_block events[] = {
		{ .kind = HS_KIND_HART }, { .kind = HS_KIND_HART, .arg = 1 },
		{ .kind = HS_KIND_GAP }, { .kind = HS_KIND_STOP },
		{ .kind = HS_KIND_SYNC, .itype = 1 },
		{ .kind = HS_KIND_NOTE, .arg = HS_NOTE_SIGNAL },
		{ .kind = HS_KIND_NOTE, .arg = HS_NOTE_LEFT_OUT },
		{ .kind = HS_KIND_TRAP, .arg = 8 },
		{ .kind = HS_KIND_TRAP, .itype = HS_ITYPE_INTERRUPT },
		{ .kind = HS_KIND_CONTEXT, .value = 1, .arg = 2 },
		{ .kind = HS_KIND_CONTEXT, .value = 2, .arg = 2 },
	};

	if (b[0] >= 0xf0)
		return events[b[1] % (sizeof(events) / sizeof(*events))];
	return (struct hs_block){ .iaddr = MAIN * (1 + (uint64_t)(b[0] & 15)) + 2 * (b[1] & 7u),
		                  .iretire = 1 + (b[1] >> 3 & 3), .ilast = 1,
		                  .itype = b[2] & 15, .priv = b[2] >> 4 & 7 };
}

static void follow(struct hs_stacks *s, const struct hs_block *b)
{
	struct hs_stack_step step;
	size_t before, after;
	const bool first = hs_stacks_frames(s, &before) == NULL;

	fuzz_must(hs_stacks_follow(s, b, &step) == HS_OK);
	const struct hs_stack_frame *f = hs_stacks_frames(s, &after);

	if (b->kind != HS_KIND_BLOCK) {
		fuzz_must(!step.move && !step.closed && !step.opened);
		return;
	}
	fuzz_must(f && after > 0 && (!first || step.move == HS_STACK_START));
	if (step.move != HS_STACK_SWITCH && step.move != HS_STACK_START)
		fuzz_must(step.closed <= before && after == before - step.closed + step.opened);
	for (size_t i = 0; i < after; i++)
		fuzz_must((f[i].name == NULL) == (f[i].size == 0));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static struct hs_program *p;

	if (!p)
		p = stack_names_program();
	fuzz_must(p != NULL);
	const struct hs_stacks_options o = { .size = sizeof(o), .program = p };
	struct hs_stacks *s;

	fuzz_must(hs_stacks_new(&o, &s) == HS_OK);
	for (size_t i = 0; i + ITEM <= size && i < 4096 * ITEM; i += ITEM) {
		const struct hs_block b = item_of(data + i);

		follow(s, &b);
	}
	hs_stacks_free(s);
	return 0;
}

/* A call and its return; a coroutine that is left and goes on; a trap. */
size_t fuzz_seed(unsigned i, uint8_t *data, size_t size)
{
	static const uint8_t seeds[][24] = {
		{ 0, 8, 9, 1, 8, 9, 2, 0, 13, 1, 10, 13, 0, 10, 0 },
		{ 0, 8, 9, 6, 8, 10, 7, 8, 9, 1, 8, 9, 6, 8, 10, 0, 10, 9, 6, 8, 10, 1, 10, 13 },
		{ 0, 8, 9, 1, 8, 1, 0xf0, 7, 0, 9, 8, 0x19, 2, 0, 0x1d, 9, 10, 0x13, 1, 10, 13 },
	};

	if (i >= sizeof(seeds) / sizeof(*seeds) || size < sizeof(seeds[i]))
		return 0;
	memcpy(data, seeds[i], sizeof(seeds[i]));
	return sizeof(seeds[i]);
}
