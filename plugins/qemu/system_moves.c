/* Pages of code that are executed at other addresses than where they were translated
 * (design/rec-machines).
 *
 * Programs and libraries are mapped at a new address in each process.  Their code is in the log
 * once: a record says at which address a page is as well, and a word of the hart from where on it
 * executes it there.
 */
#include <stdlib.h>

#include "system_hart.h"

#define BUCKETS 4096u

/* A page of code, at the address at which it was translated. */
struct page {
	struct page *next;
	uint64_t address;
	struct plugin_run *runs;
	bool moved;      /* it is elsewhere, too */
	uint32_t change; /* as that, which number it has */
};

/* A record: a page is at @to as well, which may be its own place. */
struct target {
	uint64_t page, to;
};

static struct page *buckets[BUCKETS];
static struct plugin_run end_of_list;
static struct target *targets; /* by their numbers */
static uint32_t *table;        /* 1 + number, open addressing; twice as many as there is room for */
static uint32_t count, capacity, changes;

static struct page *get_page(uint64_t address)
{
	struct page **slot = &buckets[(address >> 12 ^ address >> 24) % BUCKETS];
	struct page *p;

	for (p = *slot; p != NULL; p = p->next)
		if (p->address == address)
			return p;
	p = plugin_memory(calloc(1, sizeof(*p)));
	*p = (struct page){ .next = *slot, .address = address, .runs = &end_of_list };
	return *slot = p;
}

void system_moves_add(struct plugin_run *run)
{
	struct page *p = get_page(run->start & ~UINT64_C(4095));

	if (run->next == NULL) {
		run->next = p->runs;
		p->runs = run;
	}
	if (p->moved)
		__atomic_or_fetch(&run->flags, RUN_MOVED, __ATOMIC_RELAXED);
}

/* From now on it has to be said for each of its runs where it is. */
static void mark_moved(struct page *p)
{
	if (p->moved)
		return;
	for (struct plugin_run *run = p->runs; run != &end_of_list; run = run->next)
		__atomic_or_fetch(&run->flags, RUN_MOVED, __ATOMIC_RELAXED);
	p->moved = true;
	p->change = ++changes;
}

/* The slot of a record, or the free one where it belongs. */
static uint32_t *find_slot(const struct target *t)
{
	const uint64_t mixed = (t->page ^ t->to * 0x9e3779b97f4a7c15ull) * 0xff51afd7ed558ccdull;
	uint32_t slot = (uint32_t)(mixed >> 32) % (2 * capacity);

	while (table[slot] != 0 && (targets[table[slot] - 1].page != t->page ||
	                            targets[table[slot] - 1].to != t->to))
		slot = (slot + 1) % (2 * capacity);
	return &table[slot];
}

static void grow_table(void)
{
	capacity = capacity == 0 ? 1024 : 2 * capacity;
	targets = plugin_memory(realloc(targets, capacity * sizeof(*targets)));
	free(table);
	table = plugin_memory(calloc(2ull * capacity, sizeof(*table)));
	for (uint32_t i = 0; i < count; i++)
		*find_slot(&targets[i]) = i + 1;
}

/* The number of a record, which is in the log from now on. */
static uint32_t log_target(uint64_t page, uint64_t to)
{
	const struct target t = { page, to };
	uint32_t *slot;

	if (count == capacity)
		grow_table();
	slot = find_slot(&t);
	if (*slot == 0) {
		plugin_log_record(HS_REC_LOG_MOVED, &t, sizeof(t), NULL, 0);
		targets[count++] = t;
		*slot = count;
	}
	return *slot - 1;
}

void system_moves_push(struct recorded_hart *s, const struct plugin_run *run, uint64_t moved)
{
	const uint64_t page = run->start & ~UINT64_C(4095);
	struct page *p;
	uint32_t number;

	pthread_mutex_lock(&system_lock);
	p = get_page(page);
	mark_moved(p);
	if (p->change > s->moves) { /* its runs follow others for certain, where they were */
		pack_doubt(s->ring);
		s->moves = changes;
	}
	number = log_target(page, page + moved);
	pthread_mutex_unlock(&system_lock);
	*system_moved_slot(s, page) = (struct system_moved){ page, moved };
	plugin_ring_settle(s->ring);
	plugin_push(s->ring, HS_REC_WORD(HS_REC_ESCAPE_MOVED, 0));
	plugin_push(s->ring, number);
}
