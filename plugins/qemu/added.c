/* Runs of programs that are written, with those that were only added before them (added.h). */
#define _GNU_SOURCE
#include <stdlib.h>
#include <sys/mman.h>

#include "added.h"

#define USERS (1u << 20)
#define MEMORY (ADDED_MEMOS * sizeof(struct added_memo)) /* of all memos */

struct added_memo *added_memos;
struct hs_wire_hart *added_hart;

/* Of each run, the memos with a bit for one of its successors. */
static struct {
	uint64_t sum;
	uint32_t next;
} * users;
static uint32_t user_count, *user_of; /* by keys */

static void forget_memos(void)
{
	madvise(added_memos, MEMORY, MADV_DONTNEED);
	madvise(user_of, (HS_WIRE_ADDED_RUNS + 1u) * sizeof(*user_of), MADV_DONTNEED);
	user_count = 0;
}

void *added_map(size_t size)
{
	void *p = mmap(NULL, size, PROT_READ | PROT_WRITE,
	               MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	return plugin_memory(p == MAP_FAILED ? NULL : p);
}

void added_open(struct hs_wire_hart *h)
{
	if (added_memos == NULL) {
		added_memos = added_map(MEMORY);
		users = added_map(USERS * sizeof(*users));
		user_of = added_map((HS_WIRE_ADDED_RUNS + 1u) * sizeof(*user_of));
	} else {
		forget_memos(); /* the child of a fork */
	}
	added_hart = h;
	h->sum = HS_WIRE_SUM_BEFORE;
}

/* ---- memos ------------------------------------------------------------------------- */

static struct added_memo *second_place(struct added_memo *m)
{
	return added_memos + ((size_t)(m - added_memos) ^ 1);
}

static struct added_memo *find_memo(uint64_t sum)
{
	struct added_memo *m = added_place(sum);

	if (m->sum != sum)
		m = second_place(m);
	return m->sum == sum ? m : NULL;
}

static void drop_memo(uint64_t sum)
{
	struct added_memo *m = find_memo(sum);

	if (m != NULL)
		m->sum = 0;
}

static void put_memo(const struct added_memo *memo)
{
	struct added_memo *m = added_place(memo->sum);

	drop_memo(memo->sum);
	if (m->sum != 0)
		*second_place(m) = *m;
	*m = *memo;
}

static void use_successor(uint32_t key, uint64_t sum)
{
	for (uint32_t i = user_of[key]; i != 0; i = users[i].next)
		if (users[i].sum == sum)
			return;
	user_count++;
	users[user_count].sum = sum;
	users[user_count].next = user_of[key];
	user_of[key] = user_count;
}

/* The successors of a run are others now, or in another order. */
static void drop_users(uint32_t key)
{
	for (uint32_t i = key <= HS_WIRE_ADDED_RUNS ? user_of[key] : 0; i != 0; i = users[i].next)
		drop_memo(users[i].sum);
	if (key <= HS_WIRE_ADDED_RUNS)
		user_of[key] = 0;
}

/* ---- writing ----------------------------------------------------------------------- */

static struct pack_slot *slot_of(const struct hs_wire_hart *h, uint32_t key)
{
	return (struct pack_slot *)(uintptr_t)h->slots + key;
}

/* Write a run as a successor of the one before, or as a number. */
static void write_run(struct hs_wire_hart *h, uint32_t id, uint32_t insns)
{
	const uint32_t last = hs_wire_last_run(h), key = id + 1;
	const struct pack_slot *slot = slot_of(h, last <= HS_REC_PACKED_RUNS ? last : 0);
	const bool foreseen = slot->first == key || slot->second == key;

	pack_run(h, id, insns, true);
	if (!foreseen)
		drop_users(last);
}

/* Runs that were added since the last one that was written, before the one with the key @to. */
static void find_added(const struct hs_wire_hart *h, uint32_t to, struct added_way *way)
{
	const uint32_t last = h->apart ? 0 : hs_wire_last_run(h);
	const uint64_t begin =
		last == 0 ? HS_WIRE_SUM_BEFORE : hs_wire_sum_after(hs_wire_written(last - 1));

	if (added_find(last, h->sum - begin, to, way))
		return;
	plugin_process->lost = 1; /* the program wrote over its emulator's memory */
	way->count = 0;
}

static void write_anew(struct hs_wire_hart *h)
{
	if (!h->anew)
		return;
	pack_anew(h, 0);
	forget_memos();
}

/* The last run was written: begin to add. */
static void begin_sum(struct hs_wire_hart *h)
{
	const uint32_t last = hs_wire_last_run(h);

	h->sum = hs_wire_sum_after(hs_wire_written(last - 1));
	h->apart = 0;
	if (last <= HS_REC_PACKED_RUNS)
		pack_after(h, last - 1);
}

void added_apart(struct hs_wire_hart *h)
{
	h->sum = HS_WIRE_SUM_BEFORE;
	h->apart = 1;
}

void added_settle(struct hs_wire_hart *h)
{
	struct added_way way;

	find_added(h, 0, &way);
	for (uint32_t i = 0; i < way.count; i++)
		write_run(h, way.runs[i], added_insns(way.runs[i]));
	if (way.count > 0)
		begin_sum(h);
}

void added_end(struct hs_wire_hart *h)
{
	if (h->sum == 0)
		return;
	added_settle(h);
	pack_stop(h);
	h->sum = 0;
}

/* Store how the runs from @from to @key, which were just written, are coded from now on. */
static void store_memo(const struct hs_wire_hart *h, uint32_t from, const struct added_way *way,
                       uint32_t key, uint32_t insns)
{
	struct added_memo m = { .sum = hs_wire_sum_after(hs_wire_written(from - 1)) +
		                       hs_wire_written(key - 1),
		                .slot = (uint64_t)(uintptr_t)slot_of(h, key),
		                .first = way->count > 0 ? way->runs[0] + 1 : key,
		                .insns = (uint16_t)insns,
		                .runs = (uint8_t)way->count };

	for (uint32_t i = 0; i < way->count; i++)
		m.sum += hs_wire_number(way->runs[i]);
	if (user_count + m.runs >= USERS)
		forget_memos();
	for (uint32_t i = 0; i < way->count; i++) {
		const uint32_t last = way->runs[i] + 1;
		const uint32_t next = i + 1 < way->count ? way->runs[i + 1] + 1 : key;

		m.outcomes = 2 * m.outcomes + (slot_of(h, last)->second == next);
		use_successor(last, m.sum);
	}
	put_memo(&m);
}

/* The first run of a memo was not foreseen. */
static void write_first(struct hs_wire_hart *h, struct pack_slot *slot, uint32_t key)
{
	const uint32_t last = hs_wire_last_run(h);

	plugin_push_outcomes(h, h->outcomes);
	plugin_push(h, key - 1);
	plugin_ring_await(h);
	slot->second = slot->first;
	slot->first = key;
	if (last > h->used)
		h->used = last;
	if (user_of[last] != 0)
		drop_users(last);
}

/* There is a memo: at its second place, or with no room for it in the word, or with a first run
 * that was not foreseen. */
static bool write_memo(struct hs_wire_hart *h, uint64_t written)
{
	struct pack_slot *slot = (struct pack_slot *)(uintptr_t)h->slot;
	const struct added_memo *m = find_memo(h->sum + written);

	if (m == NULL || h->slot == h->slots)
		return false;
	if (h->outcomes >> (HS_WIRE_OUTCOMES_MOST - m->runs) != 0)
		pack_flush(h);
	if (h->anew)
		return false;
	h->sum = hs_wire_sum_after(written);
	if (slot->first != m->first && slot->second != m->first)
		write_first(h, slot, m->first);
	else
		h->outcomes = 2 * h->outcomes + (slot->second == m->first);
	h->slot = m->slot;
	__atomic_store_n(&h->outcomes, h->outcomes << m->runs | m->outcomes, __ATOMIC_RELEASE);
	h->instructions += m->insns;
	return true;
}

void added_write(struct hs_wire_hart *h, uint64_t written)
{
	const uint32_t key = (uint32_t)written, from = h->apart ? 0 : hs_wire_last_run(h);
	struct added_way way;
	uint32_t insns;
	bool anew;

	if (write_memo(h, written))
		return;
	insns = added_insns(key - 1);
	find_added(h, key, &way);
	anew = h->anew;
	write_anew(h);
	for (uint32_t i = 0; i < way.count; i++) {
		write_run(h, way.runs[i], added_insns(way.runs[i]));
		insns += added_insns(way.runs[i]);
	}
	write_run(h, key - 1, added_insns(key - 1));
	begin_sum(h);
	if (from != 0 && from <= HS_WIRE_ADDED_RUNS && !anew)
		store_memo(h, from, &way, key, insns);
}

void added_write_apart(struct hs_wire_hart *h, uint32_t id, uint32_t insns)
{
	added_settle(h);
	write_anew(h);
	write_run(h, id, insns);
	begin_sum(h);
}
