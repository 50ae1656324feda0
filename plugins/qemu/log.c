/* The log: every run of code once, before the first word that names it.
 *
 * QEMU translates under one lock (or system_record.c has one), so that only one thread is in here.
 * A run that is translated again with the same bytes keeps its number: the log grows with different
 * code, not with how often QEMU drops its translations.
 */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "pack.h"

struct entry {
	uint64_t start;
	uint32_t bytes, insns, hash;
	uint8_t *code;
};

static struct entry *entries;
static uint32_t *table; /* 1 + index into entries, open addressing */
static uint32_t count, capacity, table_size;
struct plugin_run **plugin_log_specials[PLUGIN_LOG_PAGES];
static uint64_t written;

uint64_t plugin_log_bytes(void)
{
	return written;
}

static bool wait_for_room(struct hs_wire_process *p, size_t n)
{
	const struct timespec nap = { .tv_nsec = 200000 };

	for (unsigned naps = 1; !plugin_quiet; naps++) {
		if (HS_WIRE_LOG_SIZE - (p->head - __atomic_load_n(&p->tail, __ATOMIC_ACQUIRE)) >= n)
			return true;
		nanosleep(&nap, NULL);
		if (naps % 512 == 0 && !plugin_wire_alive())
			plugin_quiet = true;
	}
	return false;
}

/* Copy bytes to the ring at @head.  Returns where they end. */
static uint64_t copy_to_ring(struct hs_wire_process *p, uint64_t head, const void *bytes, size_t n)
{
	uint8_t *ring = (uint8_t *)p + HS_WIRE_LOG_AT;
	const size_t at = head % HS_WIRE_LOG_SIZE;
	const size_t first = n < HS_WIRE_LOG_SIZE - at ? n : HS_WIRE_LOG_SIZE - at;

	memcpy(ring + at, bytes, first);
	memcpy(ring, (const uint8_t *)bytes + first, n - first);
	return head + n;
}

/* Write a record whose payload is @a and then @b. */
void plugin_log_record(uint32_t type, const void *a, size_t na, const void *b, size_t nb)
{
	static const uint8_t zeros[8];
	struct hs_wire_process *p = plugin_process;
	const struct hs_rec_log_head record = { type, (uint32_t)(na + nb) };
	const size_t pad = -(na + nb) & 7u;
	uint64_t head = p->head;

	if (!wait_for_room(p, sizeof(record) + na + nb + pad))
		return;
	head = copy_to_ring(p, head, &record, sizeof(record));
	head = copy_to_ring(p, head, a, na);
	head = copy_to_ring(p, head, b, nb);
	head = copy_to_ring(p, head, zeros, pad);
	written += head - p->head;
	__atomic_store_n(&p->head, head, __ATOMIC_RELEASE);
}

/* Begin the recording of the process that QEMU started with. */
bool plugin_log_open(const char *socket_name, unsigned xlen)
{
	const struct hs_rec_log_start start = { .magic = HS_REC_LOG_MAGIC,
		                                .xlen = xlen,
		                                .flags = pack_wide };

	if (!plugin_wire_open(socket_name))
		return false;
	plugin_process_open(0, 0, 0);
	if (plugin_quiet)
		return false;
	plugin_log_record(HS_REC_LOG_START, &start, sizeof(start), NULL, 0);
	return true;
}

static uint32_t hash_code(uint64_t start, const uint8_t *code, uint32_t bytes)
{
	uint64_t h = start * 0x9e3779b97f4a7c15ull + bytes;
	uint32_t i;

	for (i = 0; i < bytes; i++)
		h = (h ^ code[i]) * 0x100000001b3ull;
	return (uint32_t)(h ^ h >> 32);
}

void *plugin_memory(void *p)
{
	if (p == NULL)
		_exit(126); /* as QEMU does when it has no memory for a translation */
	return p;
}

static void grow_table(void)
{
	capacity = capacity == 0 ? 4096 : 2 * capacity;
	table_size = 2 * capacity;
	entries = plugin_memory(realloc(entries, capacity * sizeof(*entries)));
	free(table);
	table = plugin_memory(calloc(table_size, sizeof(*table)));
	for (uint32_t i = 0; i < count; i++) {
		uint32_t slot = entries[i].hash % table_size;

		while (table[slot] != 0)
			slot = (slot + 1) % table_size;
		table[slot] = i + 1;
	}
}

static bool same_run(const struct entry *e, const struct hs_rec_log_run *run, const uint8_t *code)
{
	return e->start == run->start && e->bytes == run->bytes && e->insns == run->insns &&
	       memcmp(e->code, code, run->bytes) == 0;
}

/* The number of a run, which is in the log from now on. */
uint32_t plugin_log_run(uint64_t start, uint32_t insns, const uint8_t *code, uint32_t bytes)
{
	const uint32_t hash = hash_code(start, code, bytes);
	const struct hs_rec_log_run run = { start, insns, bytes };
	uint32_t slot;

	if (count == capacity)
		grow_table();
	for (slot = hash % table_size; table[slot] != 0; slot = (slot + 1) % table_size)
		if (same_run(&entries[table[slot] - 1], &run, code))
			return table[slot] - 1;
	entries[count] =
		(struct entry){ start, bytes, insns, hash, plugin_memory(malloc(bytes + 1)) };
	memcpy(entries[count].code, code, bytes);
	table[slot] = count + 1;
	plugin_log_record(HS_REC_LOG_RUN, &run, sizeof(run), code, bytes);
	return count++;
}

uint32_t plugin_log_retires(uint32_t id)
{
	return hs_rec_run_retires(entries[id].insns, entries[id].code, entries[id].bytes);
}

/* The struct of a run.  It stays where it is: translated code names it. */
struct plugin_run *plugin_log_special(uint32_t id)
{
	struct plugin_run ***const page =
		&plugin_log_specials[id / PLUGIN_LOG_PAGE % PLUGIN_LOG_PAGES];
	const struct entry *e = &entries[id];
	struct plugin_run *run = plugin_log_at(id);

	if (run != NULL)
		return run;
	if (*page == NULL)
		*page = plugin_memory(calloc(PLUGIN_LOG_PAGE, sizeof(**page)));
	run = plugin_memory(aligned_alloc(64, sizeof(*run)));
	*run = (struct plugin_run){ .id = id,
		                    .start = e->start,
		                    .end = e->start + e->bytes,
		                    .insns = plugin_log_retires(id),
		                    .mode = HS_REC_RUN_PRIV(e->insns) };
	(*page)[id % PLUGIN_LOG_PAGE] = run;
	return run;
}

/* The number of the same run in another mode. */
uint32_t plugin_log_in_mode(uint32_t id, unsigned mode)
{
	const struct entry e = entries[id]; /* a copy: entries may move */

	return plugin_log_run(e.start, (e.insns & HS_REC_RUN_INSNS) | mode << 24, e.code, e.bytes);
}

void plugin_log_each(void (*visit)(struct plugin_run *run))
{
	for (uint32_t i = 0; i < count; i++)
		if (plugin_log_at(i) != NULL)
			visit(plugin_log_at(i));
}
