/* The last runs of a program that was killed: translated code only added them up
 * (design/added-runs).
 *
 * hs_wire_vcpu.sum says which runs were executed since the last one that was written.  They are
 * searched: those that the log has and the plugin adds, from the last run on, along the addresses
 * where the end of each leads. */
#include <stdlib.h>

#include "recorder/private.h"

#define STEPS 20000000u /* of a search, where the program wrote over the plugin's memory */

struct search {
	struct rec_runs runs;
	const uint8_t *added;   /* a bit for each run */
	uint32_t *heads, *next; /* by the hash of where a run starts: 1 + its number */
	uint32_t steps;
	uint32_t *way, length;
};

static uint32_t head_of(const struct search *s, uint64_t address)
{
	return (uint32_t)(address >> 1) % s->runs.count;
}

static bool is_added(const struct search *s, uint32_t run)
{
	return run < HS_WIRE_ADDED_RUNS && (s->added[run / 8] >> run % 8 & 1u);
}

static bool search_at(struct search *s, uint64_t address, uint64_t sum);

/* The added run @run, and what comes after it. */
static bool search_from(struct search *s, uint32_t run, uint64_t sum)
{
	const struct rec_run *r = &s->runs.runs[run];
	const uint64_t rest = sum - hs_wire_number(run);

	if (s->length == HS_WIRE_ADDED_MOST || ++s->steps > STEPS)
		return false;
	s->way[s->length++] = run;
	if (rest == 0 || (!rec_run_is_open(r) && (search_at(s, r->fall_or_any, rest) ||
	                                          search_at(s, rec_run_target(r), rest))))
		return true;
	s->length--;
	return false;
}

static bool search_at(struct search *s, uint64_t address, uint64_t sum)
{
	for (uint32_t i = s->heads[head_of(s, address)]; i != 0; i = s->next[i - 1])
		if (s->runs.runs[i - 1].block.iaddr == address && is_added(s, i - 1) &&
		    search_from(s, i - 1, sum))
			return true;
	return false;
}

/* @last: key of the last run that was written; 0: none.  A signal or a register can lead to any. */
static bool search_all(struct search *s, uint32_t last, uint64_t sum)
{
	const struct rec_run *r =
		last == 0 || last > s->runs.count ? NULL : &s->runs.runs[last - 1];

	for (uint32_t i = 0; i < s->runs.count; i++) {
		uint32_t *const head = &s->heads[head_of(s, s->runs.runs[i].block.iaddr)];

		s->next[i] = *head;
		*head = i + 1;
	}
	if (r != NULL && !rec_run_is_open(r) &&
	    (search_at(s, r->fall_or_any, sum) || search_at(s, rec_run_target(r), sum)))
		return true;
	for (uint32_t i = 0; i < s->runs.count; i++)
		if (is_added(s, i) && search_from(s, i, sum))
			return true;
	return false;
}

static bool build_runs(struct recorder_process *p, struct rec_runs *runs)
{
	struct rec_log log = { .limit = 0 };
	const bool ok = recorder_log_read(p, 0, recorder_store_size(&p->store.records), &log, NULL,
	                                  NULL) == HS_OK &&
	                rec_runs_build(runs, &log) == HS_OK;

	rec_log_free(&log);
	return ok;
}

uint32_t recorder_added(struct recorder_hart *h, uint32_t way[HS_WIRE_ADDED_MOST])
{
	const struct hs_wire_hart *w = h->wire;
	const uint64_t sum = hs_wire_vcpu_of(h->process->wire, w->vcpu)->sum;
	const uint32_t last = w->apart ? 0 : hs_wire_last_run(w);
	const uint64_t begin =
		last == 0 ? HS_WIRE_SUM_BEFORE : hs_wire_sum_after(hs_wire_written(last - 1));
	struct search s = { .added = (const uint8_t *)h->process->wire + HS_WIRE_ADDED_AT,
		            .way = way };

	if (!w->adding || sum == begin)
		return 0;
	recorder_log_drain(h->process);
	pthread_mutex_lock(&h->process->store.lock);
	if (!build_runs(h->process, &s.runs))
		s.runs.count = 0;
	pthread_mutex_unlock(&h->process->store.lock);
	s.heads = calloc(s.runs.count + 1u, sizeof(*s.heads));
	s.next = calloc(s.runs.count + 1u, sizeof(*s.next));
	if (s.runs.count == 0 || s.heads == NULL || s.next == NULL ||
	    !search_all(&s, last, sum - begin))
		s.length = 0;
	free(s.runs.runs);
	free(s.heads);
	free(s.next);
	return s.length;
}
