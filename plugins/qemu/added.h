/* Programs: most runs are added up, not written (design/added-runs, design/rec-qemu).
 *
 * The translated code of such a run adds a number of its own to hs_wire_vcpu.sum, without a
 * callback.  A run that is written finds in the sum which runs were executed since the one that
 * was written before.  No way from one to the next through added runs is longer than
 * HS_WIRE_ADDED_MOST, and there are few, so that they can be searched.  How the runs of a way are
 * coded in the words is kept by its sum. */
#ifndef ADDED_H
#define ADDED_H

#include "pack.h"

#pragma GCC visibility push(hidden) /* nothing of this is looked for in tables when it is used */

/* added_ways.c: which runs are added, and what a sum stands for; the same for all threads. */

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

/* No thread is in added_ways.c between the two: for a fork. */
void added_lock(void);
void added_unlock(void);

/* added.c: runs that are written. */
void *added_map(size_t size); /* zeros, as far as they are used */

/* How the runs since the one that was written before, and one that is written now, are coded.  It
 * is dropped when one of them gets another code. */
struct added_memo {
	uint64_t sum;      /* with the number of the one that is written; 0: none */
	uint64_t slot;     /* as hs_wire_hart.slot afterwards */
	uint32_t outcomes; /* of all, but for one that has a number */
	uint32_t limit;    /* of hs_wire_hart.outcomes >> ADDED_LIMIT_SHIFT: they fit below this */
	uint32_t number;   /* key of the first one, which has no code; 0: it has one */
	uint16_t insns;
	uint8_t bits;
};

#define ADDED_MEMO_BITS 24u
#define ADDED_LIMIT_SHIFT (HS_WIRE_OUTCOMES_MOST - ADDED_MEMO_BITS)
_Static_assert(sizeof(struct added_memo) == 32, "a memo does not cross a line of the cache");

/* Each hart has memos of its own (hs_wire_hart.memos): each is at the place that bits of its sum
 * name, or next to it. */
void added_open(struct hs_wire_hart *h); /* of a program's thread, or of the child of a fork */
void added_close(unsigned vcpu);         /* its thread has ended */
/* All runs that were only added get their words. */
void added_settle(struct hs_wire_hart *h);
/* The same, and from here on each run is written by others. */
void added_end(struct hs_wire_hart *h);
/* Before the next run come words that are none of a run: it is not foreseen. */
void added_apart(struct hs_wire_hart *h);
/* A run that added_take() did not write. */
void added_write(struct hs_wire_hart *h, uint64_t written);
/* The same where there is a memo for it, but perhaps no room. */
void added_write_memo(struct hs_wire_hart *h, uint64_t written, const struct added_memo *m);
/* The same of a run that has a callback of its own. */
void added_write_apart(struct hs_wire_hart *h, uint32_t id, uint32_t insns);

static inline struct added_memo *added_place(const struct hs_wire_hart *h, uint64_t sum)
{
	return (void *)(uintptr_t)(h->memos + (sum & h->memo_mask));
}

/* Write the run of a memo, and those before it.  @outcomes: what waits for a word, in which they
 * have room.  Killed between two stores the emulator leaves out what was added. */
static inline void added_put(struct hs_wire_hart *h, uint64_t written, const struct added_memo *m,
                             uint64_t outcomes)
{
	plugin_line(h->vcpu)->sum = hs_wire_sum_after(written);
	h->slot = m->slot;
	__atomic_store_n(&h->outcomes, outcomes << m->bits | m->outcomes, __ATOMIC_RELEASE);
	h->instructions += m->insns;
}

/* Write the run with hs_wire_written() @written. */
static inline void added_take(struct hs_wire_hart *h, uint64_t written)
{
	const uint64_t sum = plugin_line(h->vcpu)->sum + written, outcomes = h->outcomes;
	const struct added_memo *m = added_place(h, sum);

	if (__builtin_expect(m->sum != sum, 0))
		added_write(h, written);
	else if (__builtin_expect(outcomes >> ADDED_LIMIT_SHIFT >= m->limit, 0))
		added_write_memo(h, written, m);
	else
		added_put(h, written, m, outcomes);
}

#pragma GCC visibility pop

#endif
