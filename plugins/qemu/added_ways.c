/* Which runs of a program are added, and what a sum stands for (added.h).
 *
 * All threads share this: a lock keeps it while a run is translated and while a sum is searched.
 *
 * A run has at most two ways: addresses where its end leads without a register.  Runs that are
 * added have no circle of ways among them, and from each at most TREE of them can be reached,
 * counted once for each way there.  A run that would break this when it is translated is written.
 * A register or a signal can lead to any of them.  Where a register is read a run ends that is
 * written, so that only the first run of a way may be any. */
#include <pthread.h>
#include <string.h>

#include <hartscope/image.h>

#include "added.h"

#define TREE 64u
#define CLIMBS 512u /* most runs to look at before one is added */
#define HEADS (1u << 16)
#define BACKS 4096u /* most runs to look at back from one */
#define FOUND 16384u
#define NOWHERE UINT64_C(1)

struct run {
	uint64_t start, number;
	uint64_t ways[2];           /* NOWHERE: none */
	uint32_t next, next_way[2]; /* in the same list */
	uint16_t insns;
	uint8_t tree, height; /* added runs from here on: how many, and on the longest way */
};

static uint8_t *added_kinds;
static struct run *runs;       /* by keys */
static uint32_t starts[HEADS]; /* keys of runs by the hash of their start */
static uint32_t ways[HEADS];   /* 2 * key + which way, by the hash of where it leads */
static uint32_t count;         /* greatest key */

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

void added_lock(void)
{
	pthread_mutex_lock(&lock);
}

void added_unlock(void)
{
	pthread_mutex_unlock(&lock);
}

static uint32_t head_of(uint64_t address)
{
	return (uint32_t)(address * UINT64_C(0x9e3779b97f4a7c15) >> 48);
}

/* The first runs of ways that were found. */
static struct {
	uint64_t sum;
	uint32_t key;
} found[FOUND];

/* Where the code leads, by its last instruction.  Returns whether it may be added: nothing but
 * that can come next. */
static bool find_ways(const struct added_code *c, uint64_t to[2])
{
	const struct hs_isa isa = { .xlen = (uint8_t)c->xlen };
	struct hs_insn insn = { 0 }, before = { 0 };
	const uint64_t end = c->start + c->bytes;

	to[0] = to[1] = NOWHERE;
	for (uint32_t at = 0; at < c->bytes; at += 2u * insn.hwords) {
		before = insn;
		if (hs_isa_decode(&isa, c->start + at, c->code + at, c->bytes - at, &insn) != HS_OK)
			return false;
	}
	switch (insn.kind) {
	case HS_INSN_BRANCH:
		to[1] = insn.target;
		to[0] = end;
		return true;
	case HS_INSN_LINEAR:
		to[0] = end;
		return true;
	case HS_INSN_JUMP:
	case HS_INSN_CALL:
		to[0] = insn.target;
		return true;
	case HS_INSN_ECALL:
		to[0] = end;
		return false;
	default:
		return hs_isa_sequential(&before, &insn, isa.xlen, &to[0]);
	}
}

/* The next added run from the list at @key on that starts at @address; 0: none. */
static uint32_t at_start(uint32_t key, uint64_t address)
{
	while (key != 0 && (runs[key].start != address || added_kinds[key] != ADDED_SUMMED))
		key = runs[key].next;
	return key;
}

static uint32_t first_at(uint64_t address)
{
	return address == NOWHERE ? 0 : at_start(starts[head_of(address)], address);
}

/* The next one with the same start. */
static uint32_t next_at(uint32_t key)
{
	return at_start(runs[key].next, runs[key].start);
}

/* Would @run be on a circle?  @key is an added run that it leads to. */
static bool leads_back(const struct run *run, uint32_t key)
{
	for (unsigned i = 0; i < 2; i++) {
		if (runs[key].ways[i] == run->start)
			return true;
		for (uint32_t k = first_at(runs[key].ways[i]); k != 0; k = next_at(k))
			if (leads_back(run, k))
				return true;
	}
	return false;
}

/* Count what a run reaches.  False: too much, or itself. */
static bool count_tree(struct run *run)
{
	unsigned tree = 1, height = 0;

	for (unsigned i = 0; i < 2; i++) {
		if (run->ways[i] == run->start)
			return false;
		for (uint32_t k = first_at(run->ways[i]); k != 0; k = next_at(k)) {
			if (leads_back(run, k))
				return false;
			tree += runs[k].tree;
			height = runs[k].height > height ? runs[k].height : height;
		}
	}
	if (tree > TREE || height + 1 > HS_WIRE_ADDED_MOST)
		return false;
	run->tree = (uint8_t)tree;
	run->height = (uint8_t)(height + 1);
	return true;
}

struct climbed {
	uint32_t key;
	uint8_t tree, height; /* before */
};
static struct climbed climbed[CLIMBS];

/* Add what can be reached from an added run at @address to all that lead there.  False: that is
 * too much for one. */
static bool climb(uint64_t address, unsigned tree, unsigned height, unsigned *n)
{
	for (uint32_t way = ways[head_of(address)]; way != 0;
	     way = runs[way / 2].next_way[way % 2]) {
		struct run *const r = &runs[way / 2];

		if (added_kinds[way / 2] != ADDED_SUMMED || r->ways[way % 2] != address)
			continue;
		if (*n == CLIMBS || r->tree + tree > TREE || height >= HS_WIRE_ADDED_MOST)
			return false;
		climbed[(*n)++] = (struct climbed){ way / 2, r->tree, r->height };
		r->tree = (uint8_t)(r->tree + tree);
		r->height = (uint8_t)(r->height > height ? r->height : height + 1);
		if (!climb(r->start, tree, height + 1, n))
			return false;
	}
	return true;
}

static bool can_add(struct run *run)
{
	unsigned n = 0;

	if (!count_tree(run))
		return false;
	if (climb(run->start, run->tree, run->height, &n))
		return true;
	while (n-- > 0) {
		runs[climbed[n].key].tree = climbed[n].tree;
		runs[climbed[n].key].height = climbed[n].height;
	}
	return false;
}

static void link_run(uint32_t key, struct run *run)
{
	uint32_t *head = &starts[head_of(run->start)];

	run->next = *head;
	*head = key;
	for (uint32_t i = 0; i < 2; i++) {
		head = &ways[head_of(run->ways[i])];
		run->next_way[i] = *head;
		if (run->ways[i] != NOWHERE)
			*head = 2 * key + i;
	}
}

static void make_runs(void)
{
	if (runs != NULL)
		return;
	runs = added_map((HS_WIRE_ADDED_RUNS + 1u) * sizeof(*runs));
	added_kinds = added_map(HS_WIRE_ADDED_RUNS + 1u);
}

static enum added_kind decide(uint32_t id, const struct added_code *code)
{
	const uint32_t key = id + 1;
	uint8_t *const bits = (uint8_t *)plugin_process + HS_WIRE_ADDED_AT;
	struct run *r;

	make_runs();
	r = &runs[key];
	if (added_kinds[key] != 0)
		return added_kinds[key];
	*r = (struct run){ .start = code->start,
		           .number = hs_wire_number(id),
		           .insns = (uint16_t)code->insns };
	added_kinds[key] = find_ways(code, r->ways) && can_add(r) ? ADDED_SUMMED : ADDED_WRITTEN;
	if (added_kinds[key] == ADDED_SUMMED)
		bits[id / 8] |= (uint8_t)(1u << id % 8);
	link_run(key, r);
	count = key > count ? key : count;
	return added_kinds[key];
}

enum added_kind added_decide(uint32_t id, const struct added_code *code)
{
	enum added_kind kind;

	if (id >= HS_WIRE_ADDED_RUNS)
		return ADDED_FAR;
	added_lock();
	kind = decide(id, code);
	added_unlock();
	return kind;
}

uint32_t added_insns(uint32_t id)
{
	return id < HS_WIRE_ADDED_RUNS ? runs[id + 1].insns : plugin_log_retires(id);
}

bool added_starts(uint64_t address)
{
	bool there;

	added_lock();
	there = runs != NULL && first_at(address) != 0;
	added_unlock();
	return there;
}

/* The added run with @key, and what comes after it. */
static bool descend(uint32_t key, uint64_t sum, struct added_way *way)
{
	const uint64_t rest = sum - runs[key].number;

	if (way->count == HS_WIRE_ADDED_MOST)
		return false;
	way->runs[way->count++] = key - 1;
	if (rest == 0)
		return true;
	for (unsigned i = 0; i < 2; i++)
		for (uint32_t k = first_at(runs[key].ways[i]); k != 0; k = next_at(k))
			if (descend(k, rest, way))
				return true;
	way->count--;
	return false;
}

/* The ways that begin with the run @key. */
static bool find_from(uint32_t key, uint64_t sum, struct added_way *way)
{
	way->count = 0;
	return key != 0 && key <= count && added_kinds[key] == ADDED_SUMMED &&
	       descend(key, sum, way);
}

/* The key of the run with which the ways of a sum begin that lead to @address; 0: not found. */
static uint32_t find_back(uint64_t address, uint64_t sum, unsigned depth, unsigned *n)
{
	for (uint32_t way = ways[head_of(address)]; way != 0;
	     way = runs[way / 2].next_way[way % 2]) {
		const struct run *r = &runs[way / 2];
		uint32_t key;

		if (added_kinds[way / 2] != ADDED_SUMMED || r->ways[way % 2] != address)
			continue;
		if (r->number == sum)
			return way / 2;
		if (++*n > BACKS || depth == HS_WIRE_ADDED_MOST)
			return 0;
		key = find_back(r->start, sum - r->number, depth + 1, n);
		if (key != 0)
			return key;
	}
	return 0;
}

static uint32_t search(uint32_t from, uint64_t sum, uint64_t to, struct added_way *way)
{
	unsigned n = 0;
	uint32_t back;

	for (unsigned i = 0; i < 2 && from != 0 && from <= count; i++)
		for (uint32_t k = first_at(runs[from].ways[i]); k != 0; k = next_at(k))
			if (find_from(k, sum, way))
				return k;
	back = to == NOWHERE ? 0 : find_back(to, sum, 1, &n);
	if (find_from(back, sum, way))
		return back;
	for (uint32_t key = count; key > 0; key--)
		if (find_from(key, sum, way))
			return key;
	return 0;
}

static bool find_way(uint32_t from, uint64_t sum, uint32_t to, struct added_way *way)
{
	const size_t at = sum % FOUND;

	if (runs == NULL)
		return false;
	if (found[at].sum == sum && find_from(found[at].key, sum, way))
		return true;
	found[at].sum = sum;
	found[at].key = search(from, sum, to == 0 || to > count ? NOWHERE : runs[to].start, way);
	return way->count != 0;
}

bool added_find(uint32_t from, uint64_t sum, uint32_t to, struct added_way *way)
{
	bool known;

	way->count = 0;
	if (sum == 0)
		return true;
	added_lock();
	known = find_way(from, sum, to, way);
	added_unlock();
	return known;
}
