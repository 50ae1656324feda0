/* Blocks that another thread looked at before a tree follows them (call_tree.h). */
#ifndef HS_STACKS_SCAN_H
#define HS_STACKS_SCAN_H

#include <hartscope/call_tree.h>

#include "calls/stacks_private.h"
#include "support/numbers.h"

/* Blocks one after the other in one privilege, each but the last with an end after which control
 * may stay in its function; or an event. */
struct scan_stretch {
	uint32_t first, n;     /* of scan->words; n is 0: events[first] */
	uint64_t low, high;    /* addresses of the blocks after the first one: least, greatest */
	uint64_t instructions; /* of these blocks, in the scanner's program */
};

struct scan_count {
	uint32_t number, times;
};

struct hs_call_scan {
	uint32_t *words; /* numbers of blocks */
	struct hs_block *events;
	struct scan_stretch *stretches;
	struct scan_count *counts; /* of all blocks */
	size_t word_count, word_room, event_count, event_room, stretch_count, stretch_room,
		count_count, count_room;
	bool divided; /* an event changes whose blocks they are */
};

/* What the scanner knows of a block that has a number. */
struct scan_known {
	uint32_t instructions, times; /* times: in the items that are scanned now */
};

struct hs_call_scanner {
	const struct hs_program *program;
	const struct hs_image *image;
	/* of the thread that scans */
	struct support_numbers numbers;
	struct scan_known *known;
	uint32_t known_room;
	uint32_t *met; /* numbers of which times is not 0 */
	size_t met_count, met_room;
	/* of the thread of the tree: what scans counted, by number */
	uint64_t *sums;
	uint32_t sum_room;
};

/* The first block of a stretch, or the event. */
static inline const struct hs_block *scan_first(const struct hs_call_scanner *k,
                                                const struct hs_call_scan *s,
                                                const struct scan_stretch *v)
{
	return v->n ? support_numbers_block(&k->numbers, s->words[v->first]) : &s->events[v->first];
}

/* All blocks of a stretch but the first, at which the stacks are: do they stay in its function? */
static inline bool scan_stays(const struct hs_stacks *s, const struct hs_call_scanner *k,
                              const struct scan_stretch *v)
{
	if (s->select.view || s->select.program != k->program)
		return false;
	const struct hs_stack_frame *top = stacks_top(stacks_hart(s)->stack);

	return v->low - top->start < top->size && v->high - top->start < top->size;
}

#endif
