/* Pages of a machine's code that are at several addresses: which of their runs are where.
 *
 * A run that executes at another address than its record has is numbered by its move and its place
 * among the runs of its page, from the number of runs on (hs_rec_code()). */
#ifndef HS_RECORDING_MOVES_H
#define HS_RECORDING_MOVES_H

#include "recording/log.h"

/* A HS_REC_LOG_MOVED. */
struct rec_move {
	uint64_t page, end;   /* its runs are between, as their records have it */
	uint64_t by;          /* added to addresses */
	uint32_t first, runs; /* of rec_moves.order: the runs that start in the page */
	uint32_t number;      /* of the first one at this place */
};

/* All zero where the log has none. */
struct rec_moves {
	struct rec_move *items;
	uint32_t count;
	uint32_t *order; /* runs by page, and of a page by number */
	uint32_t *rank;  /* where a run is in the order */
	uint32_t run_count;
};

/* HS_E_FORMAT: a run does not fit the address space there, or there are more than 2^32. */
enum hs_status rec_moves_build(struct rec_moves *m, const struct rec_log *log);
void rec_moves_free(struct rec_moves *m);

/* The run with the least number that starts in the page of @run. */
uint32_t rec_moves_first(const struct rec_moves *m, const struct rec_log *log, uint32_t run);

/* Run @k of move @move. */
static inline uint32_t rec_moves_run(const struct rec_moves *m, uint32_t move, uint32_t k)
{
	return m->order[m->items[move].first + k];
}

/* The number of @run at the place of @move. */
static inline uint32_t rec_moves_number(const struct rec_moves *m, uint32_t move, uint32_t run)
{
	return m->items[move].number + m->rank[run] - m->items[move].first;
}

/* The run that a number names, and by how much it is moved; UINT32_MAX: it names none. */
uint32_t rec_moves_of(const struct rec_moves *m, uint32_t number, uint64_t *by);

#endif
