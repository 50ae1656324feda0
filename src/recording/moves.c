/* Pages of a machine's code that are at several addresses (moves.h). */
#define _GNU_SOURCE
#include <stdlib.h>

#include "core/search.h"
#include "recording/moves.h"

static uint64_t page_of(const struct rec_log *log, uint32_t run)
{
	return rec_log_run(log, run)->start / HS_REC_PAGE;
}

static int by_page(const void *a, const void *b, void *log)
{
	const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
	const uint64_t p = page_of(log, x), q = page_of(log, y);

	return p != q ? (p > q) - (p < q) : (x > y) - (x < y);
}

/* The first run in the order that is in @page or after it. */
static uint32_t find_page(const struct rec_moves *m, const struct rec_log *log, uint64_t page)
{
	return base_count_leading(m->run_count, i, page_of(log, m->order[i]) < page);
}

uint32_t rec_moves_first(const struct rec_moves *m, const struct rec_log *log, uint32_t run)
{
	return m->order[find_page(m, log, page_of(log, run))];
}

static enum hs_status allocate(struct rec_moves *m, const struct rec_log *log)
{
	m->run_count = log->run_count;
	m->items = calloc(log->move_count, sizeof(*m->items));
	m->order = calloc(log->run_count + 1u, sizeof(*m->order));
	m->rank = calloc(log->run_count + 1u, sizeof(*m->rank));
	return m->items == NULL || m->order == NULL || m->rank == NULL ? HS_E_MEMORY : HS_OK;
}

static void sort_runs(struct rec_moves *m, const struct rec_log *log)
{
	for (uint32_t i = 0; i < m->run_count; i++)
		m->order[i] = i;
	qsort_r(m->order, m->run_count, sizeof(*m->order), by_page, (void *)(uintptr_t)log);
	for (uint32_t i = 0; i < m->run_count; i++)
		m->rank[m->order[i]] = i;
}

/* Store where the move's runs end.  False: one does not fit the address space at its place. */
static bool find_end(const struct rec_moves *m, const struct rec_log *log, struct rec_move *move)
{
	move->end = move->page;
	for (uint32_t i = 0; i < move->runs; i++) {
		const struct hs_rec_log_run *run = rec_log_run(log, m->order[move->first + i]);
		const uint64_t start = run->start + move->by;

		if (start + run->bytes <= start)
			return false;
		if (run->start + run->bytes > move->end)
			move->end = run->start + run->bytes;
	}
	return true;
}

static enum hs_status add_move(struct rec_moves *m, const struct rec_log *log, uint32_t *number)
{
	const struct hs_rec_log_moved *r = rec_log_moved(log, m->count);
	const uint64_t page = r->page / HS_REC_PAGE;
	struct rec_move *move = &m->items[m->count];

	move->page = r->page;
	move->by = r->to - r->page;
	move->first = find_page(m, log, page);
	move->runs = find_page(m, log, page + 1) - move->first;
	move->number = *number;
	if (!find_end(m, log, move) || move->runs > UINT32_MAX - *number)
		return HS_E_FORMAT;
	*number += move->runs;
	m->count++;
	return HS_OK;
}

enum hs_status rec_moves_build(struct rec_moves *m, const struct rec_log *log)
{
	uint32_t number = log->run_count;
	enum hs_status status;

	if (log->move_count == 0)
		return HS_OK;
	if (log->blocks != 0)
		return HS_E_FORMAT; /* of a flow */
	status = allocate(m, log);
	if (status == HS_OK)
		sort_runs(m, log);
	while (status == HS_OK && m->count < log->move_count)
		status = add_move(m, log, &number);
	return status;
}

void rec_moves_free(struct rec_moves *m)
{
	free(m->items);
	free(m->order);
	free(m->rank);
	*m = (struct rec_moves){ 0 };
}

uint32_t rec_moves_of(const struct rec_moves *m, uint32_t number, uint64_t *by)
{
	*by = 0;
	if (m->count == 0 || number < m->run_count)
		return number;
	/* the last move that begins at the number or before it */
	const uint32_t up = base_count_leading(m->count, i, m->items[i].number <= number);
	const uint32_t low = up ? up - 1 : 0;

	if (number - m->items[low].number >= m->items[low].runs)
		return UINT32_MAX;
	*by = m->items[low].by;
	return rec_moves_run(m, low, number - m->items[low].number);
}
