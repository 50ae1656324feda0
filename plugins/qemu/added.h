/* Programs of one thread: most runs are added up, not written (ADR-0176).
 *
 * The translated code of such a run adds a number of its own to hs_wire_hart.sum, without a
 * callback.  A run that is written finds in the sum which runs were executed since the one that
 * was written before.  No way from one to the next through added runs is longer than
 * HS_WIRE_ADDED_MOST, and there are few, so that they can be searched.  How the runs of a way are
 * coded in the words is kept by its sum. */
#ifndef ADDED_H
#define ADDED_H

#include "pack.h"

#pragma GCC visibility push(hidden) /* nothing of this is looked for in tables when it is used */

/* added_ways.c: which runs are added, and what a sum stands for. */

/* Added runs, in the order in which they executed. */
struct added_way {
	uint32_t runs[HS_WIRE_ADDED_MOST];
	uint32_t count;
};

/* A run that is translated. */
struct added_code {
	uint64_t start;
	const uint8_t *code;
	uint32_t bytes, insns; /* insns: that retire */
	unsigned xlen;
};

enum added_kind {
	ADDED_SUMMED = 1, /* it is added */
	ADDED_WRITTEN,
	ADDED_FAR /* written; its number is too great */
};

/* How the run @id is recorded.  Decided when it is translated first. */
enum added_kind added_decide(uint32_t id, const struct added_code *code);
/* Which runs were executed after the one with the key @from (0: none) when their numbers are @sum?
 * @to: key of the one after them; 0: not known.  False: none that are known. */
bool added_find(uint32_t from, uint64_t sum, uint32_t to, struct added_way *way);
uint32_t added_insns(uint32_t id);
/* Does an added run start there? */
bool added_starts(uint64_t address);

/* added.c: runs that are written. */
void *added_map(size_t size); /* zeros, as far as they are used */

/* How the runs since the one that was written before, and one that is written now, are coded: which
 * successor the first of them is may change, the bits of the others do not. */
struct added_memo {
	uint64_t sum;      /* with the number of the one that is written; 0: none */
	uint64_t outcomes; /* of the others */
	uint64_t slot;     /* as hs_wire_hart.slot afterwards */
	uint32_t first;    /* key */
	uint16_t insns;
	uint8_t runs; /* the others */
};

_Static_assert(HS_WIRE_OUTCOMES_MOST + 2 + HS_WIRE_ADDED_MOST <= 64, "no outcome is shifted out");
_Static_assert(sizeof(struct added_memo) == 32, "a memo does not cross a line of the cache");

#define ADDED_MEMOS (1u << 15)

/* Each is at the place that bits of its sum name, or next to it. */
extern struct added_memo *added_memos;
extern struct hs_wire_hart *added_hart; /* whose sum translated code has */

void added_open(struct hs_wire_hart *h); /* of a program, or of the child of a fork */
/* All runs that were only added get their words. */
void added_settle(struct hs_wire_hart *h);
/* The same, and from here on each run is written by others. */
void added_end(struct hs_wire_hart *h);
/* Before the next run come words that are none of a run: it is not foreseen. */
void added_apart(struct hs_wire_hart *h);
/* A run that added_take() did not write. */
void added_write(struct hs_wire_hart *h, uint64_t written);
/* The same of a run that has a callback of its own. */
void added_write_apart(struct hs_wire_hart *h, uint32_t id, uint32_t insns);

/* Write the run with hs_wire_written() @written, if what was executed before it is known, and there
 * is room.  Killed between two stores the emulator leaves out what was added. */
static inline struct added_memo *added_place(uint64_t sum)
{
	const size_t at = sum & ((ADDED_MEMOS - 1u) * sizeof(struct added_memo));

	return (void *)((uint8_t *)added_memos + at);
}

static inline bool added_take(struct hs_wire_hart *h, uint64_t written)
{
	const uint64_t sum = h->sum + written;
	const struct added_memo *m = added_place(sum);
	const uint32_t *successors = (const void *)(uintptr_t)h->slot, first = m->first;
	uint64_t which = successors[0] != first, outcomes;

	__asm__("" : "+r"(which)); /* hard to predict: no branch */
	outcomes = (2 * h->outcomes + which) << m->runs | m->outcomes;
	if (__builtin_expect(m->sum != sum, 0) || __builtin_expect(successors[which] != first, 0) ||
	    __builtin_expect(outcomes >> (HS_WIRE_OUTCOMES_MOST + 1) != 0, 0))
		return false;
	h->sum = hs_wire_sum_after(written);
	h->slot = m->slot;
	__atomic_store_n(&h->outcomes, outcomes, __ATOMIC_RELEASE);
	h->instructions += m->insns;
	return true;
}

#pragma GCC visibility pop

#endif
