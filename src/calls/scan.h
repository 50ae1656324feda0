/* Blocks that another thread looked at before a tree follows them (call_tree.h). */
#ifndef HS_STACKS_SCAN_H
#define HS_STACKS_SCAN_H

#include "calls/stacks_private.h"
#include "calls/tree.h"
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

/**
 * Blocks that other threads scan for a tree: it follows those that stay in their function together.
 * A scanner belongs to one thread that scans, and to one tree; its scans may be taken meanwhile, in
 * the order in which one thread would add their items.
 */
struct hs_call_scanner;
struct hs_call_scan;

/** @param program  The first one of the tree.  It is only read, on any thread.
 * @retval HS_OK @retval HS_E_MEMORY */
enum hs_status hs_call_scanner_new(struct hs_program *program, struct hs_call_scanner **scanner);
void hs_call_scanner_free(struct hs_call_scanner *scanner); /**< NULL is allowed */

/**
 * Append items to a scan.
 * @param[in,out] scan  NULL: a new one, which the caller frees.
 * @retval HS_OK
 * @retval HS_E_MEMORY  The scan is of no use.
 */
enum hs_status hs_call_scan_add(struct hs_call_scanner *scanner, struct hs_call_scan **scan,
                                const struct hs_block *blocks, size_t n);
void hs_call_scan_clear(struct hs_call_scan *scan); /**< it is empty again */
void hs_call_scan_free(struct hs_call_scan *scan);  /**< NULL is allowed */

/** Follow the items of a scan, with the results of hs_call_tree_add(). */
enum hs_status hs_call_tree_add_scan(struct hs_call_tree *tree,
                                     const struct hs_call_scanner *scanner,
                                     const struct hs_call_scan *scan);

/** An item, so often.  False: stop. */
typedef bool hs_call_times_fn(void *to, const struct hs_block *item, uint64_t times);
/** Is there an event in it after which blocks belong to another hart, context or moment
 * (hs_event_divides())?  Then what was counted before is to be given first. */
bool hs_call_scan_divides(const struct hs_call_scan *scan);
/**
 * Count the items of a scan, on the thread of the tree: with hs_call_scan_divides() each is given
 * to @take in order; else events are, and blocks are added up until hs_call_scanner_flush().
 * @return  false: @take stopped, or no memory.
 */
bool hs_call_scan_count(struct hs_call_scanner *scanner, const struct hs_call_scan *scan,
                        hs_call_times_fn *take, void *to);
/** Give the blocks that were added up.  @return  false: @take stopped. */
bool hs_call_scanner_flush(struct hs_call_scanner *scanner, hs_call_times_fn *take, void *to);

struct hs_export;
/** Follow blocks and events.  Memory grows with functions, lines and open calls, never with the
 * length of the flow.
 * @retval HS_OK
 * @retval HS_E_SYSTEM  write() failed.
 * @retval HS_E_MEMORY
 * After an error only free it. */
enum hs_status hs_export_add(struct hs_export *x, const struct hs_block *blocks, size_t n);
/** Follow the items of a scan, with the results of hs_export_add(). */
enum hs_status hs_export_add_scan(struct hs_export *x, const struct hs_call_scanner *scanner,
                                  const struct hs_call_scan *scan);

#endif
