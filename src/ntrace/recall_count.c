/* Runs of single messages that are counted: nothing but their number is kept of them
 * (design/counting, design/counting). */
#include "ntrace/recall.h"

/* Bring @r to @p, where @last led. */
static void catch_up(struct nt_recall *r, const uint8_t *p, struct hs_memo_run *last,
                     const struct hs_bb *bbs)
{
	r->p = p;
	if (!last)
		return;
	r->last = last;
	r->window.key.state = last->after;
	r->window.key.extra = last->extra;
	if (last->odd)
		return;
	r->ref = bbs[(uint32_t)last->after].start;
	r->branch = p - flow_memo_bytes(last) + last->lead;
}

/* Take an odd run at @p, after @last.  Does it lead where it did before? */
static bool take_odd(struct nt_recall *r, const uint8_t *p, struct hs_memo_run *last,
                     struct hs_memo_run *run, const struct hs_bb *bbs)
{
	catch_up(r, p, last, bbs);
	r->window.bytes = flow_memo_bytes(run);
	nt_recall_follow(r, run, bbs);
	return !r->elsewhere;
}

/* Where a message begins does not wait for the length of the one before it, and what all runs but
 * odd ones need of each other is in the runs. */
void nt_count_marked(struct hs_nt_decoder *d, struct nt_recall *r)
{
	const struct hs_bb *bbs = d->sources->track.table->bbs;
	const uint8_t *p = r->p, *const end = r->end;
	struct hs_memo_key key = r->window.key;
	struct hs_memo_run *last = NULL;
	struct hs_memo *m = d->memo;
	struct nt_marks marks = { 0 };
	bool usual = true;

	while (usual && nt_find_marks(&marks, p, end)) {
		const uint8_t *next = marks.base + word_first_bit(marks.ends) + 1;
		const size_t n = (size_t)(next - p);

		if (unlikely(n > MEMO_BYTES))
			break;
		nt_cut(&key, p, n);
		uint64_t latest = m->latest;
		struct hs_memo_run *run = flow_memo_find(m, &key, &latest);
		if (!run)
			break;
		m->latest = latest;
		flow_memo_count(m, run);
		if (unlikely(run->odd))
			usual = take_odd(r, p, last, run, bbs);
		marks.ends &= marks.ends - 1;
		key.state = run->after;
		key.extra = run->extra;
		last = run;
		p = next;
		m->stats.hits++;
	}
	catch_up(r, p, last, bbs);
}
