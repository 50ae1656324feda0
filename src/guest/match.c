/* Choosing among candidates: a file is where it is when the code that ran there is the file's. */
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "guest/private.h"
#include "support/grow.h"

#define CANDIDATES_MAX 256u /* of a space: those with the most votes */
#define BYTES_MIN 32u       /* that have to agree, in two pieces at least */
#define NEAR_BYTES 512u     /* a file that is refused with so much in common is worth a note */
#define PATCHED_SHARE 8u    /* one in so many bytes of a kernel may be patched */

/* What a piece says of a mapping. */
enum verdict { OUTSIDE, SAME, DIFFERENT };

/* Do two candidates have code in common, as two builds of one program have? */
enum relation { RELATION_UNKNOWN, RELATED, STRANGERS };

struct settling {
	struct hs_guest *g;
	struct guest_evidence *e;
	struct guest_space *space;
	struct guest_mapping *v; /* of the space */
	size_t n;
	uint64_t ends[DIFFERENT + 1]; /* of the pieces so far, by verdict */
	uint8_t related[CANDIDATES_MAX]; /* to the current one: enum relation */
};

const struct guest_segment *guest_segment_at(const struct guest_object *o, uint64_t bias,
                                             uint64_t addr)
{
	for (size_t i = 0; i < o->segment_count; i++)
		if (addr - bias - o->segments[i].start < o->segments[i].size)
			return &o->segments[i];
	return NULL;
}

static struct guest_object *object_of(const struct settling *s, const struct guest_mapping *m)
{
	return &s->g->objects.items[m->object];
}

static enum verdict judge(const struct guest_object *o, uint64_t bias, const struct guest_piece *p)
{
	const struct guest_segment *s = guest_segment_at(o, bias, p->addr);

	if (!s)
		return OUTSIDE;
	const uint64_t at = p->addr - bias - s->start, left = s->size - at;

	return memcmp(s->bytes + at, p->bytes, p->size < left ? p->size : left) ? DIFFERENT : SAME;
}

/* Calls @use with each piece of the space in the range of a mapping. */
typedef void (*piece_fn)(struct settling *s, struct guest_mapping *m, uint32_t piece,
                         enum verdict verdict);

static void for_pieces(struct settling *s, struct guest_mapping *m, piece_fn use)
{
	const struct guest_object *o = object_of(s, m);

	for (size_t k = 0; k < o->segment_count; k++) {
		const uint64_t start = o->segments[k].start + m->bias;
		const uint32_t end = s->space->first + s->space->count;

		for (uint32_t i = guest_first_piece(s->e, s->space, start);
		     i < end && guest_piece(s->e, i)->addr - start < o->segments[k].size; i++)
			use(s, m, i, judge(o, m->bias, guest_piece(s->e, i)));
	}
}

/* ---- how well a candidate fits -------------------------------------------------------------- */

static void count_piece(struct settling *s, struct guest_mapping *m, uint32_t i,
                        enum verdict verdict)
{
	const struct guest_piece *p = guest_piece(s->e, i);

	m->changed |= p->addr < s->ends[verdict == SAME ? DIFFERENT : SAME];
	if (s->ends[verdict] < p->addr + p->size)
		s->ends[verdict] = p->addr + p->size;
	if (verdict != SAME) {
		m->other++;
		return;
	}
	if (!m->pieces++)
		m->first = m->last = p->seen;
	m->first = p->seen < m->first ? p->seen : m->first;
	m->last = p->seen > m->last ? p->seen : m->last;
	m->bytes += p->size;
}

/* Half of a mapping's pieces are the other's, too. */
static bool are_related(struct settling *s, const struct guest_mapping *m,
                        const struct guest_mapping *r)
{
	const uint32_t end = s->space->first + s->space->count;
	uint32_t both = 0;

	for (uint32_t i = s->space->first; i < end; i++) {
		const struct guest_piece *p = guest_piece(s->e, i);

		both += judge(object_of(s, m), m->bias, p) == SAME &&
			judge(object_of(s, r), r->bias, p) == SAME;
	}
	return 2 * both >= m->pieces;
}

/* Is a piece that differs from a mapping the code of another file, which was there at another
 * time? */
static bool is_of_stranger(struct settling *s, const struct guest_mapping *m, uint32_t i)
{
	for (size_t k = 0; k < s->n; k++) {
		const struct guest_mapping *r = &s->v[k];

		if (r == m || judge(object_of(s, r), r->bias, guest_piece(s->e, i)) != SAME)
			continue;
		if (s->related[k] == RELATION_UNKNOWN)
			s->related[k] = are_related(s, m, r) ? RELATED : STRANGERS;
		if (s->related[k] == STRANGERS)
			return true;
	}
	return false;
}

/* Did a piece run before or after a mapping was there?  Only where it is clear that other code came
 * to its addresses. */
static bool is_of_another_time(const struct guest_mapping *m, const struct guest_piece *p)
{
	return m->changed && (p->seen < m->first || p->seen > m->last);
}

/* How many bytes of a piece are not the file's. */
static uint32_t count_patched(const struct guest_object *o, uint64_t bias,
                              const struct guest_piece *p)
{
	const struct guest_segment *s = guest_segment_at(o, bias, p->addr);

	return guest_count_other(s, p->addr - bias - s->start, p->bytes, p->size);
}

/* Bytes that ran while the file's did, and that are not the file's, nor another one's. */
static void count_strange(struct settling *s, struct guest_mapping *m, uint32_t i,
                          enum verdict verdict)
{
	const struct guest_piece *p = guest_piece(s->e, i);
	const struct guest_object *o = object_of(s, m);

	if (verdict == DIFFERENT && o->patched)
		m->votes += count_patched(o, m->bias, p);
	else if (verdict == DIFFERENT && !is_of_another_time(m, p) && !is_of_stranger(s, m, i))
		m->votes += p->size; /* no longer in use as votes */
}

static uint32_t strange_bytes(struct settling *s, struct guest_mapping *m)
{
	m->votes = 0;
	memset(s->related, RELATION_UNKNOWN, sizeof(s->related));
	for_pieces(s, m, count_strange);
	return m->votes;
}

static void count_free(struct settling *s, struct guest_mapping *m, uint32_t i,
                       enum verdict verdict)
{
	const struct guest_piece *p = guest_piece(s->e, i);

	if (verdict == SAME && !p->mapping)
		m->votes += p->size;
}

/* Bytes that no mapping has yet. */
static uint32_t free_bytes(struct settling *s, struct guest_mapping *m)
{
	m->votes = 0;
	for_pieces(s, m, count_free);
	return m->votes;
}

static void take_piece(struct settling *s, struct guest_mapping *m, uint32_t i,
                       enum verdict verdict)
{
	struct guest_piece *p = guest_piece(s->e, i);

	if (verdict == SAME && !p->mapping)
		p->mapping = 1 + (uint32_t)(m - s->v);
}

/* ---- acceptance ----------------------------------------------------------------------------- */

static int most_bytes(const void *a, const void *b)
{
	const struct guest_mapping *x = a, *y = b;

	if (x->bytes != y->bytes)
		return x->bytes > y->bytes ? -1 : 1;
	if (x->other != y->other)
		return x->other < y->other ? -1 : 1;
	if (x->object != y->object)
		return x->object < y->object ? -1 : 1;
	return (x->bias > y->bias) - (x->bias < y->bias);
}

/* The next candidate that explains exactly the same; NULL: none. */
static struct guest_mapping *find_rival(struct settling *s, const struct guest_mapping *m,
                                        struct guest_mapping *r)
{
	for (; r < s->v + s->n && r->bytes == m->bytes; r++)
		if (r->pieces == m->pieces && r->other == m->other && r->first == m->first &&
		    r->last == m->last && free_bytes(s, r))
			return r;
	return NULL;
}

/* Keep the first complaint about a file, count the others. */
static enum hs_status complain(struct guest_object *o, const char *text)
{
	o->complaints++;
	if (!o->complaint)
		o->complaint = text;
	return text ? HS_OK : HS_E_MEMORY;
}

static enum hs_status refuse(struct settling *s, const struct guest_mapping *m, uint32_t strange)
{
	struct guest_object *o = object_of(s, m);

	if (m->bytes < NEAR_BYTES || m->bytes < strange)
		return HS_OK;
	return complain(o, guest_keep(s->g, "%s: refused at 0x%" PRIx64 " of context 0x%" PRIx64
	                              ": %" PRIu64 " bytes of the code that ran there are its own, "
	                              "%" PRIu32 " are not",
	                              o->path, o->segments[0].start + m->bias,
	                              s->space->context, m->bytes, strange));
}

static enum hs_status note_rivals(struct settling *s, const struct guest_mapping *m,
                                  const struct guest_mapping *r)
{
	struct guest_object *a = object_of(s, m);
	const struct guest_object *b = object_of(s, r);

	return complain(a, guest_keep(s->g, "%s at 0x%" PRIx64 " and %s at 0x%" PRIx64 " fit the %"
	                              PRIu64 " bytes of code that ran in context 0x%" PRIx64
	                              " alike: no names",
	                              guest_base_of(a->path), a->segments[0].start + m->bias,
	                              guest_base_of(b->path), b->segments[0].start + r->bias,
	                              m->bytes, s->space->context));
}

static enum hs_status note_complaints(struct hs_guest *g)
{
	enum hs_status status = HS_OK;

	for (size_t i = 0; i < g->objects.count && status == HS_OK; i++) {
		const struct guest_object *o = &g->objects.items[i];

		if (o->complaints == 1)
			status = guest_note(g, "%s", o->complaint);
		else if (o->complaints)
			status = guest_note(g, "%s; the like in %" PRIu32 " more contexts",
			                    o->complaint, o->complaints - 1);
	}
	return status;
}

/* Decide on one candidate, those that explain more come before it. */
static enum hs_status decide(struct settling *s, struct guest_mapping *m)
{
	const struct guest_object *o = object_of(s, m);
	const uint32_t unclaimed = free_bytes(s, m);

	if (m->ambiguous || !unclaimed)
		return HS_OK;
	const uint32_t strange = strange_bytes(s, m);

	if (strange && (!o->patched || strange > m->bytes / PATCHED_SHARE))
		return refuse(s, m, strange);
	struct guest_mapping *const rival = find_rival(s, m, m + 1);

	for (struct guest_mapping *r = rival; r; r = find_rival(s, m, r + 1))
		r->ambiguous = true;
	m->accepted = !rival;
	for_pieces(s, m, take_piece);
	return rival ? note_rivals(s, m, rival) : HS_OK;
}

/* Candidates of the space that have enough in common with it to be considered. */
static void keep_likely(struct settling *s)
{
	size_t kept = 0;

	for (size_t i = 0; i < s->n; i++) {
		memset(s->ends, 0, sizeof(s->ends));
		for_pieces(s, &s->v[i], count_piece);
		if (s->v[i].bytes >= BYTES_MIN && s->v[i].pieces >= 2)
			s->v[kept++] = s->v[i];
	}
	s->n = kept;
	qsort(s->v, s->n, sizeof(*s->v), most_bytes);
}

static enum hs_status settle_space(struct settling *s)
{
	enum hs_status status = HS_OK;

	keep_likely(s);
	for (size_t i = 0; i < s->n && status == HS_OK; i++)
		status = decide(s, &s->v[i]);
	return status;
}

/* ---- all spaces ----------------------------------------------------------------------------- */

static int by_space_and_votes(const void *a, const void *b)
{
	const struct guest_mapping *x = a, *y = b;

	if (x->space != y->space)
		return x->space < y->space ? -1 : 1;
	if (x->votes != y->votes)
		return x->votes > y->votes ? -1 : 1;
	return most_bytes(a, b);
}

/* Keep the mappings of a space that were accepted; pieces name them by number. */
static void keep_accepted(struct settling *s)
{
	struct hs_guest *g = s->g;

	s->space->first_mapping = g->mapping_count;
	for (size_t i = 0; i < s->n; i++) {
		if (!s->v[i].accepted)
			continue;
		g->mappings[g->mapping_count++] = s->v[i];
		s->space->mapping_count++;
	}
}

static enum hs_status settle_all(struct settling *s, struct guest_mapping *v, uint32_t count)
{
	enum hs_status status = HS_OK;

	for (uint32_t i = 0, n; i < count && status == HS_OK; i += n) {
		for (n = 1; i + n < count && v[i + n].space == v[i].space;)
			n++;
		s->space = guest_space(s->e, v[i].space);
		s->v = &v[i];
		s->n = n < CANDIDATES_MAX ? n : CANDIDATES_MAX;
		status = settle_space(s);
		if (status == HS_OK)
			keep_accepted(s);
	}
	return status;
}

enum hs_status guest_add_mapping(struct hs_guest *g, uint32_t space,
                                 const struct guest_mapping *mapping)
{
	struct guest_space *s = guest_space(&g->evidence, space);

	if (!support_grow(&g->mappings, &g->mapping_room, g->mapping_count + 1,
	                  sizeof(*g->mappings)))
		return HS_E_MEMORY;
	if (!s->mapping_count)
		s->first_mapping = g->mapping_count;
	const uint32_t at = s->first_mapping + s->mapping_count;

	struct guest_mapping *v = g->mappings + at;

	memmove(v + 1, v, (g->mapping_count - at) * sizeof(*v));
	*v = *mapping;
	g->mapping_count++;
	s->mapping_count++;
	for (uint32_t i = 0; i < g->evidence.spaces.count; i++) {
		struct guest_space *other = guest_space(&g->evidence, i);

		if (i != space && other->mapping_count && other->first_mapping >= at)
			other->first_mapping++;
	}
	return HS_OK;
}

enum hs_status guest_settle_mappings(struct hs_guest *g)
{
	struct support_hash found = { .item_size = sizeof(struct guest_mapping) };
	struct settling s = { .g = g, .e = &g->evidence };
	enum hs_status status = guest_find_candidates(&g->evidence, &g->objects, &found);

	if (status == HS_OK && found.count) {
		qsort(found.items, found.count, sizeof(struct guest_mapping), by_space_and_votes);
		status = support_grow(&g->mappings, &g->mapping_room, found.count,
		                      sizeof(*g->mappings))
		                 ? settle_all(&s, found.items, found.count)
		                 : HS_E_MEMORY;
	}
	support_hash_free(&found);
	return status == HS_OK ? note_complaints(g) : status;
}
