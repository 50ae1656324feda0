/* Two runs of one program: where they part, and what ran another number of times.
 *
 * Code is the same in both where it has the same address, or is at the same offset of a function of
 * the same name: so a program may have been linked elsewhere.
 *
 * Threads: a hs_diff belongs to one thread at a time, and so do its sources.
 */
#ifndef HARTSCOPE_DIFF_H
#define HARTSCOPE_DIFF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <hartscope/guest.h>
#include <hartscope/program.h>
#include <hartscope/source.h>
#include <hartscope/stacks.h>

#ifdef __cplusplus
extern "C" {
#endif

/* ---- where two harts part ---------------------------------------------------------------- */

struct hs_diff;

/** Where an instruction is. */
struct hs_diff_place {
	uint64_t addr;
	struct hs_guest_place name; /**< label NULL: it has none */
	struct hs_place source;     /**< file NULL: no line is known */
};

/** How one of the runs goes on after what both have. */
struct hs_diff_end {
	bool ended;    /**< its flow ends there */
	bool began;    /**< it executed something before; else its flow begins there */
	uint8_t itype; /**< how its last block ended (enum hs_itype); with @began and not @ended */
	bool has_next;
	struct hs_diff_place next; /**< with @has_next: what it executes next */
};

/** Where two runs part.  Strings and frames live until the next call with the hs_diff. */
struct hs_diff_parting {
	bool parted;           /**< false: both have all of it, and the rest is zero */
	uint64_t blocks;       /**< that both have */
	uint64_t instructions; /**< of them; without those whose code is not known */
	bool has_last;
	struct hs_diff_place last; /**< with @has_last: the last instruction of both */
	struct hs_diff_end end[2];
	const struct hs_stack_frame *frames; /**< open there in the first run, outermost first */
	size_t depth;
};

/**
 * Compare a hart of two runs.
 * @param source  Of one hart each, or of all of a run that has only one, at their start; kept.
 *                NULL: that run does not have the hart.  At least one is not NULL.
 * @retval HS_OK
 * @retval HS_E_ARG     Both are NULL.
 * @retval HS_E_MEMORY
 */
HS_API enum hs_status hs_diff_new(struct hs_source *const source[2], struct hs_diff **diff);
HS_API void hs_diff_free(struct hs_diff *diff); /**< NULL is allowed */

/**
 * Read both up to where they part.  Damage is passed over: the blocks on both sides of a gap are
 * compared as if they followed each other.  After hs_diff_find_together() has found a place: up to
 * where they part the next time; what both have is counted from the start.
 * @retval HS_OK        Both have been read up to there.
 * @retval HS_E_SYSTEM  A file of a run cannot be read.
 * @retval HS_E_MEMORY
 */
HS_API enum hs_status hs_diff_find_parting(struct hs_diff *diff, struct hs_diff_parting *out);

/** Blocks of each run among which hs_diff_find_together() looks. */
#define HS_DIFF_BLOCKS (1u << 20)

/** Where two runs that parted come together again.  Strings live as those of the program. */
struct hs_diff_together {
	bool found;      /**< false: not in so many blocks; both have been read to their ends */
	uint64_t own[2]; /**< instructions of each from where they parted to there, or to its end */
	struct hs_diff_place place; /**< with @found: what both execute next, as in the first run */
};

/**
 * Read on after hs_diff_find_parting() to where both are at the same code again, in a function that
 * was open where they parted: the next four blocks are the same, or all to the ends of both.  Of
 * several such places it is that which is the nearest for the run which has more to it.
 * HS_DIFF_BLOCKS of each are looked at, with up to 100 bytes of memory for each.
 * @retval HS_OK        @out->found says whether there is one.
 * @retval HS_E_SYSTEM  A file of a run cannot be read.
 * @retval HS_E_MEMORY
 */
HS_API enum hs_status hs_diff_find_together(struct hs_diff *diff, struct hs_diff_together *out);

/* ---- what ran another number of times ------------------------------------------------------ */

/** A function or a branch, say, with two counts of it in each run. */
struct hs_diff_row {
	const char *label;    /**< function; NULL: it has no name */
	const char *file;     /**< path, of which the last part counts; NULL: the program's own */
	uint64_t offset;      /**< in the function; without one an address */
	uint64_t count[2][2]; /**< by run: calls and instructions, say, or taken and not taken */
	const void *of[2];    /**< by run: the caller's; NULL: that run does not have it */
	uint64_t difference;  /**< set by hs_diff_join(): of both counts together */
};

/**
 * Join rows of two runs, each with one of @of, by their place; keep those whose counts differ, the
 * largest difference first, equal ones by place.
 * @return  How many there are, at the start of @rows.
 */
HS_API size_t hs_diff_join(struct hs_diff_row *rows, size_t n);

#ifdef __cplusplus
}
#endif
#endif
