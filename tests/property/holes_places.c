/* Code that is missing: where in the whole decode the items between two gaps are. */
#include "cases.h"

#include "property/holes.h"

bool holes_is_return(const struct hs_block *b)
{
	return b->itype == HS_ITYPE_RETURN || b->itype == HS_ITYPE_SWAP;
}

/* Does the trace surely report where @b led? */
bool holes_leads_to_address(const struct hs_block *b)
{
	if (holes_is_return(b) && t->returns)
		return false;
	return hs_itype_uninferable(b->itype) && !(b->sijump && t->pairs);
}

/* A place in the whole decode: half-words of an item. */
struct place {
	size_t i;
	uint32_t off;
};

/* What item i of the whole decode counts in a gap. */
static uint32_t weight(size_t i)
{
	const struct hs_block *b = &t->whole[i];

	if (b->kind != HS_KIND_BLOCK)
		return 0;
	return !t->etrace ? b->iretire
	                  : b->itype == HS_ITYPE_TAKEN || b->itype == HS_ITYPE_NOT_TAKEN;
}

/* Is item @h item @at of the whole decode, its head before a gap, or its tail after one?  A packet
 * of E-Trace gives the same items in both. */
static bool fits(size_t h, struct place *at, bool cut_short, bool *all)
{
	const struct hs_block *b = &t->holed[h], *w = &t->whole[at->i];

	*all = false;
	if (at->i >= t->whole_n)
		return false;
	const bool same_time = !t->etrace || t->whole_at[at->i] == t->holed_at[h];

	if (at->off == 0 && hs_block_equal(b, w) && same_time) {
		*all = true;
		at->i++;
		return true;
	}
	if (b->kind != HS_KIND_BLOCK || w->kind != HS_KIND_BLOCK ||
	    b->iaddr != w->iaddr + 2 * (uint64_t)at->off || b->iretire > w->iretire - at->off)
		return false;
	const bool tail = same_time && at->off && b->itype == w->itype &&
	                  b->iretire == w->iretire - at->off;

	if (!tail && !(cut_short && b->itype == HS_ITYPE_NONE))
		return false;
	at->off += b->iretire;
	if (at->off == w->iretire) {
		at->i++;
		at->off = 0;
	}
	return true;
}

/* The items from @h to the next gap, or the end: do they fit from @at on? */
static bool segment_fits(size_t h, size_t end, struct place *at, bool mark)
{
	struct place to = *at;
	bool all;

	for (; h < end; h++) {
		/* where a trap struck before anything retired may not be known (block.h) */
		if (t->etrace && to.i < t->whole_n && t->whole[to.i].iretire == 0 &&
		    hs_itype_is_trap(t->whole[to.i].itype) &&
		    !hs_block_equal(&t->holed[h], &t->whole[to.i]))
			to.i++;
		const size_t i = to.i;

		if (!fits(h, &to, h + 1 == end && end < t->holed_n, &all))
			return false;
		if (mark && all)
			t->seen[i] = true;
	}
	if (end == t->holed_n && to.i != t->whole_n)
		return false;
	*at = to;
	return true;
}

/* Where in item @at the block @b may begin: at its start, or, by E-Trace's packets and by
 * synchronisation, inside it. */
static bool enter(const struct hs_block *b, struct place *at, uint64_t left)
{
	const struct hs_block *w = &t->whole[at->i];

	if (b->kind != HS_KIND_BLOCK || w->kind != HS_KIND_BLOCK || b->iaddr < w->iaddr ||
	    b->iaddr > hs_block_end(w))
		return left == 0 && at->off == 0;
	const uint64_t off = (b->iaddr - w->iaddr) / 2;

	if (off < at->off || (!t->etrace && off - at->off != left))
		return false;
	at->off = (uint32_t)off;
	return true;
}

/* Does the trace report an address where item @i begins? */
static bool is_address(size_t i)
{
	return i == 0 || t->whole[i - 1].kind != HS_KIND_BLOCK ||
	       holes_leads_to_address(&t->whole[i - 1]);
}

static bool is_gap(const struct hs_block *b)
{
	return b->kind == HS_KIND_GAP || b->kind == HS_KIND_UNSEEN;
}

/* The items between two gaps: from @h to @end, @unseen further on than those before. */
struct segment {
	size_t h, end;
	uint64_t unseen;
	struct place start;
	uint64_t left; /* of unseen, in the item where it starts */
};

static struct segment segments[ITEMS];
static size_t segment_count;
static uint8_t failed[ITEMS][ITEMS]; /* segment, item, bit: offset; it has no place from there on */
static uint64_t steps;
static struct {
	size_t segment;
	struct place at;
} deepest; /* for messages */

static void find_segments(uint64_t *gaps)
{
	uint64_t unseen = 0;
	size_t end;

	segment_count = 0;
	for (size_t h = 0; h < t->holed_n; h = end) {
		const struct hs_block *b = &t->holed[h];

		for (end = h + 1; !is_gap(b) && end < t->holed_n && !is_gap(&t->holed[end]);)
			end++;
		*gaps += b->kind == HS_KIND_GAP;
		if (b->kind == HS_KIND_UNSEEN) {
			assert_int_equal(b->itype, t->etrace ? HS_UNSEEN_BRANCHES
			                                     : HS_UNSEEN_HALFWORDS);
			assert_true(h && b[-1].kind == HS_KIND_GAP);
			unseen += b->arg;
		}
		/* addresses were lost, too: it starts again */
		if (b->kind == HS_KIND_SYNC && h && b[-1].kind == HS_KIND_GAP)
			h++;
		if (is_gap(b) || h == end)
			continue;
		segments[segment_count++] = (struct segment){ .h = h, .end = end,
			                                      .unseen = unseen };
		unseen = 0;
	}
}

static bool place_segments(size_t k, struct place at);

/* Does segment @k begin in item @try->i, and do those after it fit, too? */
static bool try_segment(size_t k, const struct place *try, uint64_t left)
{
	struct segment *s = &segments[k];
	struct place from = *try;

	steps++;
	if (s->h && !enter(&t->holed[s->h], &from, left))
		return false;
	if (!segment_fits(s->h, s->end, &from, false))
		return false;
	s->start = *try;
	s->left = left;
	return place_segments(k + 1, from);
}

static bool search_place(size_t k, struct place at);

static bool place_segments(size_t k, struct place at)
{
	if (k == segment_count)
		return true;
	if (k > deepest.segment) {
		deepest.segment = k;
		deepest.at = at;
	}
	if (at.off < 8 && failed[k][at.i] >> at.off & 1)
		return false;
	const bool placed = search_place(k, at);

	if (!placed && at.off < 8)
		failed[k][at.i] |= (uint8_t)(1u << at.off);
	return placed;
}

/* 0: an address is reported where item @i begins, and segment @k begins with it; 1: it is, and it
 * does not; 2: it is not. */
static unsigned likelihood(size_t k, size_t i)
{
	if (!is_address(i))
		return 2;
	return t->holed[segments[k].h].value != t->whole[i].value;
}

/* The places of segment @k and those after it.  Of several that are as far, the likeliest. */
static bool search_place(size_t k, struct place at)
{
	uint64_t left = segments[k].unseen;
	struct place group = at;
	uint64_t group_left = left;

	if (segments[k].h == 0) /* nothing before it */
		return try_segment(k, &at, 0);
	for (bool past = false; at.i < t->whole_n && !past;) {
		/* items after which something is counted end a group */
		for (unsigned pass = 0; pass < 3; pass++) {
			at = group;
			left = group_left;
			for (bool last = false; at.i < t->whole_n && !last; at.i++, at.off = 0) {
				const uint32_t more = t->etrace ? weight(at.i)
				                                : weight(at.i) - at.off;

				if ((t->etrace ? left == 0 : left <= more) &&
				    likelihood(k, at.i) == pass && try_segment(k, &at, left))
					return true;
				last = more != 0;
				past = left < more && !t->etrace;
				/* E-Trace counts branches that it is sure of */
				left -= left < more ? left : more;
			}
		}
		group = at;
		group_left = left;
	}
	return false;
}

/* For messages: what is around item @i of the whole decode, and item @h of the other. */
void holes_show(size_t i, size_t h)
{
	for (size_t k = h > 20 ? h - 20 : 0; k < h + 20 && k < t->holed_n; k++)
		fprintf(stderr, "%s %zx: %s %llx+%u itype %u\n", k == h ? ">" : " ", t->holed_at[k],
		        hs_kind_name(t->holed[k].kind), (unsigned long long)t->holed[k].value,
		        t->holed[k].arg, t->holed[k].itype);
	for (size_t k = i > 20 ? i - 20 : 0; k < i + 300 && k < t->whole_n; k++)
		fprintf(stderr, "%s%s %zx: whole: %s %llx+%u itype %u\n", k == i ? ">" : " ",
		        t->seen[k] ? "+" : " ", t->whole_at[k], hs_kind_name(t->whole[k].kind),
		        (unsigned long long)t->whole[k].value, t->whole[k].arg,
		        t->whole[k].itype);
}

/* Each run of items between two gaps is in the whole decode, where the gaps say. */
void holes_compare(uint64_t *gaps)
{
	memset(t->seen, 0, sizeof t->seen);
	find_segments(gaps);
	steps = 0;
	deepest.segment = 0;
	memset(failed, 0, segment_count * sizeof *failed);
	if (!place_segments(0, (struct place){ 0, 0 })) {
		fprintf(stderr, "%llu steps, deepest segment from %zu on, after item %zu + %u\n",
		        (unsigned long long)steps, segments[deepest.segment].h, deepest.at.i,
		        deepest.at.off);
		holes_show(deepest.at.i, segments[deepest.segment].h);
		fail_msg("no place for what was decoded");
	}
	for (size_t k = 0; k < segment_count; k++) {
		const struct segment *s = &segments[k];
		struct place from = s->start;

		if (s->h)
			enter(&t->holed[s->h], &from, s->left);
		segment_fits(s->h, s->end, &from, true);
	}
}
