/* Filters of data accesses (TCI, trTeDataFilters).  Accesses stand before the block of their
 * instruction (design/data-trace): they wait for it, and get its privilege and its instructions. */
#include "ingress/filter.h"

#include "core/access.h"
#include "core/mem.h"

/* What changes with each instruction, in the order of the flow. */
struct latches {
	uint32_t set;
	bool notify;
};

/* Over the accesses that wait; what is let through is moved to the front. */
struct pass {
	struct hs_qualifier *q;
	unsigned at, kept;
	struct hs_access access; /* the one that begins at @at */
	unsigned items;          /* of it; 0: there are no more */
};

bool filter_keep_access(struct hs_qualifier *q, const struct hs_block *item)
{
	const unsigned room = item->kind == HS_KIND_DATA ? HS_ACCESS_ITEMS : 1;

	if (q->waiting_n + room > HS_QUALIFIER_WAITING)
		return false;
	q->waiting[q->waiting_n++] = *item;
	return true;
}

/* The access at p->at. */
static void read_access(struct pass *p)
{
	const struct hs_qualifier *q = p->q;
	struct hs_access_reader r = { .missing = 0 };
	bool whole = false;

	for (p->items = 0; p->at + p->items < q->waiting_n && !whole; p->items++)
		whole = hs_access_take(&r, &q->waiting[p->at + p->items]);
	p->access = r.access;
}

/* Decide an access, where comparators say @matched of its instruction. */
static void decide_access(struct pass *p, uint32_t matched)
{
	struct hs_qualifier *q = p->q;

	if (filter_is_access_traced(q, &p->access, matched)) {
		memmove(&q->waiting[p->kept], &q->waiting[p->at], p->items * sizeof(q->waiting[0]));
		p->kept += p->items;
	}
	p->at += p->items;
	read_access(p);
}

/* An instruction of the block, with its bytes. */
static bool find_insn(const struct hs_qualifier *q, uint64_t at, struct hs_insn *insn,
                      const uint8_t **bytes)
{
	size_t n;

	if (hs_img_insn(q->image, at, insn) != HS_OK)
		return false;
	*bytes = hs_img_bytes(q->image, at, &n);
	return n >= 2u * insn->hwords;
}

/* How many instructions of the block from @at on make accesses? */
static unsigned count_makers(const struct hs_qualifier *q, const struct hs_block *b, uint64_t at)
{
	const uint8_t *bytes;
	struct hs_insn insn;
	unsigned n = 0;

	for (; at - b->iaddr < 2u * (uint64_t)b->iretire && find_insn(q, at, &insn, &bytes);
	     at += 2u * insn.hwords)
		n += hs_access_insn_makes_any(bytes, insn.hwords);
	return n;
}

/* Whole accesses from p->at on. */
static unsigned count_accesses(const struct pass *p)
{
	unsigned n = 0;

	for (unsigned i = p->at; i < p->q->waiting_n; i++)
		n += p->q->waiting[i].kind == HS_KIND_DATA;
	return n;
}

/* Those that an instruction makes: one; or several, but one for each maker after it. */
static void decide_accesses_of(struct pass *p, const struct hs_block *b, const struct hs_insn *insn,
                               const uint8_t *bytes, uint32_t matched)
{
	const unsigned known = hs_access_insn_count(bytes, insn->hwords);
	const bool several = p->items && (p->access.type == HS_ACCESS_MULTI_LOAD ||
	                                  p->access.type == HS_ACCESS_MULTI_STORE);
	unsigned n = known && several ? known : 1;

	if (hs_access_insn_makes_many(bytes, insn->hwords)) {
		const unsigned after = count_makers(p->q, b, p->q->iaddr + 2u * insn->hwords);
		const unsigned all = count_accesses(p);

		n = all > after ? all - after : 1;
	}
	for (; n && p->items && hs_access_insn_makes(bytes, insn->hwords, &p->access); n--)
		decide_access(p, matched);
}

/* @return  What comparators say of the last instruction of @b. */
static uint32_t decide_by_insns(struct pass *p, const struct hs_block *b)
{
	struct hs_qualifier *q = p->q;
	uint32_t matched = 0;

	for (uint64_t at = b->iaddr; at - b->iaddr < 2u * (uint64_t)b->iretire;) {
		const uint8_t *bytes;
		struct hs_insn insn;

		q->iaddr = at;
		matched = filter_match_insn(q, at);
		if (!find_insn(q, at, &insn, &bytes))
			break;
		decide_accesses_of(p, b, &insn, bytes, matched);
		at += 2u * insn.hwords;
	}
	return matched;
}

/* Comparators of an instruction are evaluated here for its accesses, and later for itself. */
void filter_decide_accesses(struct hs_qualifier *q, const struct hs_block *b)
{
	const struct latches old = { q->latches, q->notify };
	struct pass p = { .q = q };
	uint32_t matched = 0;

	read_access(&p);
	q->no_iaddr = !b;
	q->iaddr = b ? b->iaddr : 0;
	if (p.items && b && q->image)
		matched = decide_by_insns(&p, b);
	else if (p.items)
		matched = filter_match_insn(q, q->iaddr);
	while (p.items)
		decide_access(&p, matched);
	q->waiting_n = (uint16_t)p.kept;
	q->waiting_at = 0;
	q->decided = true;
	q->no_iaddr = false;
	q->latches = (old.set & ~q->of_data) | (q->latches & q->of_data);
	q->notify = old.notify;
}
