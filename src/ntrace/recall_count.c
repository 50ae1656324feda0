/* Counting cached paths of single messages (HTM): the shortest loop of the decoder
 * (design/counting).
 *
 * It differs from follow_as() in two ways.  Ends of messages come from a bit mask of 64 bytes
 * (nt_find_marks()), so that where a message begins does not wait for the one before it.  And of an
 * anchored path nothing is kept but the path itself: it led to the reference address, and its
 * message is the one that may be repeated.  So catch_up() computes both when they are needed.
 *
 * Example: three IndirectBranch messages of 5 bytes, whose paths lead to entries 7, 9 and 7.  The
 * loop goes from key to path to key three times.  Then catch_up() sets the reference address to
 * the start of entry 7, and the repeatable message to the last 5 bytes.
 *
 * Invariant: @r of catch_up() is right for the message after the last unanchored path; all paths
 * since then, the last of which is @last, are anchored.
 */
#include "ntrace/recall.h"

/* Bring @r to @p, where @last led; NULL: no path was taken since @r. */
static void catch_up(struct nt_recall *r, const uint8_t *p, struct hs_memo_path *last,
                     const struct hs_bb *bbs)
{
	r->p = p;
	if (!last)
		return;
	r->last = last;
	r->window.key.state = last->after;
	r->window.key.extra = last->extra;
	if (last->unanchored) /* nt_recall_follow() has set them */
		return;
	r->ref = bbs[(uint32_t)last->after].start;
	r->branch = p - flow_memo_bytes(last) + last->lead;
}

/* Follow an unanchored path at @p, after @last.  False: it led elsewhere than before. */
static bool follow_unanchored(struct nt_recall *r, const uint8_t *p, struct hs_memo_path *last,
                              struct hs_memo_path *path, const struct hs_bb *bbs)
{
	catch_up(r, p, last, bbs);
	r->window.bytes = flow_memo_bytes(path);
	nt_recall_follow(r, path, bbs);
	return !r->elsewhere;
}

void nt_count_marked(struct hs_nt_decoder *d, struct nt_recall *r)
{
	const struct hs_bb *bbs = d->sources->track.table->bbs;
	const uint8_t *p = r->p, *const end = r->end;
	struct hs_memo_key key = r->window.key;
	struct hs_memo_path *last = NULL;
	struct hs_memo *m = d->memo;
	struct nt_marks marks = { 0 };
	bool as_added = true; /* the last path led where it did when it was added */

	while (as_added && nt_find_marks(&marks, p, end)) {
		const uint8_t *next = marks.base + word_first_bit(marks.ends) + 1;
		const size_t n = (size_t)(next - p);

		if (unlikely(n > MEMO_BYTES))
			break;
		nt_cut(&key, p, n);
		uint64_t latest = m->latest;
		struct hs_memo_path *path = flow_memo_find(m, &key, &latest);
		if (!path)
			break;
		m->latest = latest;
		flow_memo_count(m, path);
		if (unlikely(path->unanchored))
			as_added = follow_unanchored(r, p, last, path, bbs);
		marks.ends &= marks.ends - 1;
		key.state = path->after;
		key.extra = path->extra;
		last = path;
		p = next;
		m->stats.hits++;
	}
	catch_up(r, p, last, bbs);
}
