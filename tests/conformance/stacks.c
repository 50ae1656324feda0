/* The stacks of a flow where a function is entered: for each call of __cyg_profile_func_enter() the
 * hart and the functions that are open, outermost first.
 *
 *   stacks RECORDING SKIPPED   lines "HART ADDRESS..."; in a stack that is not sure "?" stands
 *                              before the frames that are.  The first SKIPPED blocks are left out.
 */
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <hartscope/source.h>
#include <hartscope/views.h>

#include "calls/stacks.h"

#define BATCH 4096u
#define HARTS 64u

static uint32_t hart;
static unsigned long skipped;

static void show(struct hs_stacks *stacks)
{
	size_t n;
	const struct hs_stack_frame *f = hs_stacks_frames(stacks, &n);

	const size_t assumed = n - hs_stacks_count_sure(stacks);

	printf("%" PRIu32, hart);
	for (size_t i = 0; i < n; i++) {
		if (i == assumed && !hs_stacks_are_sure(stacks))
			printf(" ?");
		if (i + 1 < n)
			printf(" %" PRIx64, f[i].start);
	}
	printf("\n");
}

static bool entered(struct hs_stacks *stacks)
{
	size_t n;
	const struct hs_stack_frame *f = hs_stacks_frames(stacks, &n);

	return f[n - 1].name && strcmp(f[n - 1].name, "__cyg_profile_func_enter") == 0;
}

static bool follow(struct hs_stacks *stacks, const struct hs_block *b, size_t n)
{
	struct hs_stack_step step;

	for (size_t i = 0; i < n; i++) {
		if (b[i].kind == HS_KIND_HART)
			hart = b[i].arg;
		if (b[i].kind == HS_KIND_BLOCK && skipped) {
			skipped--;
			continue;
		}
		if (hs_stacks_follow(stacks, &b[i], &step) != HS_OK)
			return false;
		if ((step.move == HS_STACK_CALL || step.move == HS_STACK_TAIL) && entered(stacks))
			show(stacks);
	}
	return true;
}

static bool follow_all(struct hs_source *source, struct hs_error *error)
{
	static struct hs_block blocks[BATCH];
	const struct hs_stacks_options o = { .size = sizeof(o),
		                             .program = hs_source_known(source)->program };
	struct hs_stacks *stacks;
	enum hs_status s = hs_stacks_new(&o, &stacks);
	bool good = s == HS_OK;
	size_t n;

	while (good && s == HS_OK) {
		s = hs_source_next(source, blocks, BATCH, &n, error);
		good = follow(stacks, blocks, n);
	}
	hs_stacks_free(stacks);
	return good && s == HS_END;
}

int main(int argc, char **argv)
{
	struct hs_source_options o = { .size = sizeof(o), .names = true };
	struct hs_source *source;
	struct hs_error error = { 0 };

	if (argc != 3)
		return 2;
	skipped = strtoul(argv[2], NULL, 10);
	o.path = argv[1];
	if (hs_source_open(&o, &source, &error) != HS_OK || !follow_all(source, &error)) {
		fprintf(stderr, "stacks: %s\n", error.text);
		return 1;
	}
	hs_source_close(source);
	return 0;
}
