/* Writing runs as successors (pack.h). */
#define _GNU_SOURCE
#include <sys/mman.h>

#include "pack.h"

#define TABLE_SIZE ((HS_REC_PACKED_RUNS + 1) * sizeof(struct pack_slot))

/* The memory that is used is that of runs that executed. */
static void *tables[PLUGIN_VCPUS];

void pack_close(unsigned vcpu)
{
	void **const table = &tables[vcpu % PLUGIN_VCPUS];

	if (*table != NULL)
		munmap(*table, TABLE_SIZE);
	*table = NULL;
}

void pack_open(unsigned vcpu)
{
	struct hs_wire_hart *h = plugin_ring(vcpu);
	void *table = mmap(NULL, TABLE_SIZE, PROT_READ | PROT_WRITE,
	                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	pack_close(vcpu);
	tables[vcpu % PLUGIN_VCPUS] = plugin_memory(table == MAP_FAILED ? NULL : table);
	h->slots = h->slot = (uint64_t)(uintptr_t)table;
	plugin_ring_await(h);
}

static bool is_key(uint32_t successor, uint32_t key)
{
	return (successor & ~PACK_UNCERTAIN) == key;
}

/* The run is what follows @slot's.  False: that was not foreseen. */
static bool take_successor(struct pack_slot *slot, uint32_t key, bool certain, bool *which)
{
	const uint32_t now = certain ? key : key | PACK_UNCERTAIN;

	*which = !is_key(slot->first, key);
	if (!*which) {
		slot->first = now;
		return true;
	}
	if (is_key(slot->second, key)) {
		slot->second = now;
		return true;
	}
	slot->second = slot->first;
	slot->first = now;
	return false;
}

static struct pack_slot *slots_of(const struct hs_wire_hart *h)
{
	return (struct pack_slot *)(uintptr_t)h->slots;
}

void pack_flush(struct hs_wire_hart *h)
{
	plugin_push_outcomes(h, h->outcomes);
	plugin_ring_await(h);
	if (__builtin_expect(h->anew, 0))
		pack_stop(h); /* so that the next run is looked at */
}

void pack_run(struct hs_wire_hart *h, uint32_t id, uint32_t insns, bool certain)
{
	const uint32_t last = hs_wire_last_run(h), key = id + 1;
	const bool packed = last != 0 && last <= HS_REC_PACKED_RUNS && key <= HS_REC_PACKED_RUNS;
	bool which;

	if (h->outcomes == 1 || h->outcomes >= HS_REC_OUTCOMES_FULL)
		pack_flush(h);
	if (packed && take_successor(&slots_of(h)[last], key, certain, &which) && !h->numbered) {
		__atomic_store_n(&h->outcomes, 2 * h->outcomes + which, __ATOMIC_RELEASE);
	} else {
		pack_flush(h);
		plugin_push(h, id);
		plugin_ring_await(h);
	}
	h->numbered = 0;
	h->last_run = key;
	h->slot = h->slots;
	h->instructions += insns;
	if (packed && last > h->used)
		h->used = last;
}

void pack_anew(struct hs_wire_hart *h, unsigned events)
{
	h->anew = 0;
	pack_flush(h);
	plugin_push(h, HS_REC_WORD(HS_REC_ESCAPE_ANEW, events));
	plugin_push(h, (uint32_t)h->instructions);
	plugin_push(h, (uint32_t)(h->instructions >> 32));
	plugin_ring_await(h);
	memset(slots_of(h), 0, (h->used + 1u) * sizeof(struct pack_slot));
	h->used = 0;
	h->last_run = 0;
	h->slot = h->slots;
}

void pack_doubt(struct hs_wire_hart *h)
{
	for (uint32_t i = 0; i <= h->used; i++) {
		slots_of(h)[i].first |= PACK_UNCERTAIN;
		slots_of(h)[i].second |= PACK_UNCERTAIN;
	}
}
