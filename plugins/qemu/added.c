/* Runs of programs that are written, with those that were only added before them (added.h). */
#define _GNU_SOURCE
#include <stdlib.h>
#include <sys/mman.h>

#include "added.h"

#define SEARCHED 64u /* latest users that are compared with a new one */
#define WIDE_VCPUS 64u /* those before it have room for more */
#define MEMOS (1u << 15)
#define MEMOS_LESS (1u << 10)
#define USERS (1u << 20) /* of MEMOS; of less, as many less */
#define KEYS (HS_WIRE_ADDED_RUNS + 1u)

/* Of each run, the memos with a bit for one of its successors. */
struct user {
	uint64_t sum;
	uint32_t next;
};

/* Of a hart.  The memory that is used is that of what executed. */
static struct tables {
	struct added_memo *memos; /* NULL: there are none */
	struct user *users;
	uint32_t *user_of; /* by keys */
	uint32_t user_count, memo_count;
} tables[PLUGIN_VCPUS];

static struct tables *tables_of(const struct hs_wire_hart *h)
{
	return &tables[h->vcpu % PLUGIN_VCPUS];
}

static size_t memos_size(const struct tables *t)
{
	return t->memo_count * sizeof(*t->memos);
}

static uint32_t users_most(const struct tables *t)
{
	return t->memo_count * (USERS / MEMOS);
}

static size_t tables_size(const struct tables *t)
{
	return memos_size(t) + users_most(t) * sizeof(*t->users) + KEYS * sizeof(*t->user_of);
}

void *added_map(size_t size)
{
	void *p = mmap(NULL, size, PROT_READ | PROT_WRITE,
	               MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	return plugin_memory(p == MAP_FAILED ? NULL : p);
}

void added_close(unsigned vcpu)
{
	struct tables *t = &tables[vcpu % PLUGIN_VCPUS];

	if (t->memos != NULL)
		munmap(t->memos, tables_size(t));
	t->memos = NULL;
}

void added_open(struct hs_wire_hart *h)
{
	struct tables *t = tables_of(h);

	added_close(h->vcpu);
	t->memo_count = h->vcpu < WIDE_VCPUS ? MEMOS : MEMOS_LESS;
	t->memos = added_map(tables_size(t));
	t->users = (void *)(t->memos + t->memo_count);
	t->user_of = (void *)(t->users + users_most(t));
	t->user_count = 0;
	h->memos = (uint64_t)(uintptr_t)t->memos;
	h->memo_mask = (uint32_t)((t->memo_count - 1u) * sizeof(*t->memos));
	h->adding = 1;
	plugin_line(h->vcpu)->sum = HS_WIRE_SUM_BEFORE;
}

static void forget_memos(struct tables *t)
{
	madvise(t->memos, memos_size(t), MADV_DONTNEED);
	madvise(t->user_of, KEYS * sizeof(*t->user_of), MADV_DONTNEED);
	t->user_count = 0;
}

/* ---- memos ------------------------------------------------------------------------- */

static struct added_memo *second_place(const struct hs_wire_hart *h, struct added_memo *m)
{
	struct added_memo *const memos = tables_of(h)->memos;

	return memos + ((size_t)(m - memos) ^ 1);
}

static void drop_memo(const struct hs_wire_hart *h, uint64_t sum)
{
	struct added_memo *m = added_place(h, sum);

	if (m->sum != sum)
		m = second_place(h, m);
	if (m->sum == sum)
		m->sum = 0;
}

static void put_memo(const struct hs_wire_hart *h, const struct added_memo *memo)
{
	struct added_memo *m = added_place(h, memo->sum);

	drop_memo(h, memo->sum);
	if (m->sum != 0)
		*second_place(h, m) = *m;
	*m = *memo;
}

/* One that is there twice costs its place only; where code is written anew, a run has as many users
 * as that code has had versions. */
static void use_successor(struct tables *t, uint32_t key, uint64_t sum)
{
	uint32_t i = t->user_of[key];

	for (unsigned n = 0; i != 0 && n < SEARCHED; n++, i = t->users[i].next)
		if (t->users[i].sum == sum)
			return;
	t->user_count++;
	t->users[t->user_count] = (struct user){ sum, t->user_of[key] };
	t->user_of[key] = t->user_count;
}

/* The successors of a run have other codes now. */
static void drop_users(const struct hs_wire_hart *h, uint32_t key)
{
	const struct tables *t = tables_of(h);

	if (key > HS_WIRE_ADDED_RUNS)
		return;
	for (uint32_t i = t->user_of[key]; i != 0; i = t->users[i].next)
		drop_memo(h, t->users[i].sum);
	t->user_of[key] = 0;
}

/* ---- writing ----------------------------------------------------------------------- */

/* Write a run as a successor of the one before, or as a number.  @rest: of the sum, the numbers of
 * those that are written after it. */
static void write_run(struct hs_wire_hart *h, uint32_t id, uint32_t insns, uint64_t rest)
{
	const uint32_t last = hs_wire_last_run(h);

	if (pack_put(h, id, insns, true))
		drop_users(h, last);
	plugin_line(h->vcpu)->sum = hs_wire_sum_after(hs_wire_written(id)) + rest;
	h->apart = 0;
	plugin_ring_turn(h);
}

/* Write the runs that were only added. */
static void write_way(struct hs_wire_hart *h, const struct added_way *way)
{
	uint64_t rest = 0;

	for (uint32_t i = 0; i < way->count; i++)
		rest += hs_wire_number(way->runs[i]);
	for (uint32_t i = 0; i < way->count; i++) {
		rest -= hs_wire_number(way->runs[i]);
		write_run(h, way->runs[i], added_insns(way->runs[i]), rest);
	}
}

/* Runs that were added since the last one that was written, before the one with the key @to. */
static void find_added(const struct hs_wire_hart *h, uint32_t to, struct added_way *way)
{
	const uint32_t last = h->apart ? 0 : hs_wire_last_run(h);
	const uint64_t begin =
		last == 0 ? HS_WIRE_SUM_BEFORE : hs_wire_sum_after(hs_wire_written(last - 1));

	if (added_find(last, plugin_line(h->vcpu)->sum - begin, to, way))
		return;
	plugin_process->lost = 1; /* the program wrote over its emulator's memory */
	way->count = 0;
}

static void write_anew(struct hs_wire_hart *h)
{
	if (!h->keys.anew)
		return;
	pack_anew(h, 0);
	forget_memos(tables_of(h));
}

/* The last run was written: begin to add. */
static void begin_sum(struct hs_wire_hart *h)
{
	const uint32_t last = hs_wire_last_run(h);

	plugin_line(h->vcpu)->sum = hs_wire_sum_after(hs_wire_written(last - 1));
	h->apart = 0;
	if (last <= HS_REC_PACKED_RUNS)
		pack_after(h, last - 1);
}

void added_apart(struct hs_wire_hart *h)
{
	plugin_line(h->vcpu)->sum = HS_WIRE_SUM_BEFORE;
	h->apart = 1;
}

void added_settle(struct hs_wire_hart *h)
{
	struct added_way way;

	find_added(h, 0, &way);
	write_way(h, &way);
	if (way.count > 0)
		begin_sum(h);
}

void added_end(struct hs_wire_hart *h)
{
	if (!h->adding)
		return;
	added_settle(h);
	pack_stop(h);
	h->adding = 0;
}

/* The codes of the runs of @way and of the one with @key, which were just written after the one
 * with @from.  False: they have none, or too many bits. */
static bool code_way(const struct hs_wire_hart *h, uint32_t from, const struct added_way *way,
                     uint32_t key, struct added_memo *m)
{
	struct pack_code code = { 0, 0 };

	for (uint32_t i = 0; i <= way->count; i++) {
		const uint32_t last = i == 0 ? from : way->runs[i - 1] + 1;
		const uint32_t next = i == way->count ? key : way->runs[i] + 1;
		const bool known = pack_find(h, last, next, &code);

		if (!known && i > 0)
			return false;
		if (!known) {
			m->number = next;
			code = (struct pack_code){ 0, 0 };
		}
		if (m->bits + code.bits > ADDED_MEMO_BITS)
			return false;
		m->outcomes = m->outcomes << code.bits | code.code;
		m->bits += (uint8_t)code.bits;
	}
	m->limit = m->number != 0 ? 0 : 1u << (ADDED_MEMO_BITS - m->bits);
	m->slot = h->slots + (uint64_t)key * sizeof(struct pack_slot) +
	          (code.bits == 0 ? 0 : code.bits - 1);
	return true;
}

/* Store how the runs from @from to @key, which were just written, are coded from now on. */
static void store_memo(const struct hs_wire_hart *h, uint32_t from, const struct added_way *way,
                       uint32_t key, uint32_t insns)
{
	struct tables *t = tables_of(h);
	struct added_memo m = { .sum = hs_wire_sum_after(hs_wire_written(from - 1)) +
		                       hs_wire_written(key - 1),
		                .insns = (uint16_t)insns };

	if (!code_way(h, from, way, key, &m))
		return;
	for (uint32_t i = 0; i < way->count; i++)
		m.sum += hs_wire_number(way->runs[i]);
	if (t->user_count + way->count + 1 >= users_most(t))
		forget_memos(t);
	use_successor(t, from, m.sum);
	for (uint32_t i = 0; i < way->count; i++)
		use_successor(t, way->runs[i] + 1, m.sum);
	put_memo(h, &m);
}

/* There is no memo yet. */
static void write_searched(struct hs_wire_hart *h, uint64_t written)
{
	const uint32_t key = (uint32_t)written, from = h->apart ? 0 : hs_wire_last_run(h);
	uint32_t insns = added_insns(key - 1);
	struct added_way way;
	bool anew;

	find_added(h, key, &way);
	anew = h->keys.anew;
	write_anew(h);
	write_way(h, &way);
	for (uint32_t i = 0; i < way.count; i++)
		insns += added_insns(way.runs[i]);
	write_run(h, key - 1, added_insns(key - 1), 0);
	begin_sum(h);
	if (from != 0 && from <= HS_WIRE_ADDED_RUNS && !anew)
		store_memo(h, from, &way, key, insns);
}

/* The chunk ends with these words, there is one at most, or the first run has a number. */
static __attribute__((noinline)) void write_slowly(struct hs_wire_hart *h, uint64_t written,
                                                   const struct added_memo *m)
{
	if (h->outcomes >> ADDED_LIMIT_SHIFT >= m->limit)
		pack_flush(h);
	if (h->keys.anew) {
		write_searched(h, written);
		return;
	}
	if (m->number != 0) {
		plugin_put(h, m->number - 1);
		plugin_ring_await(h);
	}
	added_put(h, written, m, h->outcomes);
	plugin_ring_turn(h);
}

void added_write_memo(struct hs_wire_hart *h, uint64_t written, const struct added_memo *m)
{
	const uint64_t outcomes = h->outcomes, end = h->cursor + 2 * sizeof(uint32_t);
	uint32_t words[2];

	if (outcomes >> HS_WIRE_WORD_RUNS <= 1 || end >= h->chunk_end || m->limit == 0 ||
	    h->keys.anew) {
		write_slowly(h, written, m);
		return;
	}
	hs_wire_outcome_words(outcomes, words);
	words[0] |= HS_REC_WORD_OUTCOMES;
	words[1] |= HS_REC_WORD_OUTCOMES;
	memcpy((void *)(uintptr_t)h->cursor, words, sizeof(words));
	__atomic_store_n(&h->cursor, end, __ATOMIC_RELEASE);
	added_put(h, written, m, 1);
	__atomic_store_n(&h->outcomes_at, (uint32_t)end, __ATOMIC_RELEASE);
}

void added_write(struct hs_wire_hart *h, uint64_t written)
{
	const uint64_t sum = plugin_line(h->vcpu)->sum + written;
	struct added_memo *m = added_place(h, sum), *second = second_place(h, m);
	struct added_memo now;

	if (second->sum != sum) {
		write_searched(h, written);
		return;
	}
	now = *second; /* it is needed more often */
	*second = *m;
	*m = now;
	if (h->outcomes >> ADDED_LIMIT_SHIFT >= m->limit)
		added_write_memo(h, written, m);
	else
		added_put(h, written, m, h->outcomes);
}

void added_write_apart(struct hs_wire_hart *h, uint32_t id, uint32_t insns)
{
	added_settle(h);
	write_anew(h);
	write_run(h, id, insns, 0);
	begin_sum(h);
}
