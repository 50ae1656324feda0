/* Writing runs as successors (pack.h). */
#define _GNU_SOURCE
#include <sys/mman.h>

#include "pack.h"

#define SLOTS_SIZE ((HS_REC_PACKED_RUNS + 1) * sizeof(struct pack_slot))
#define WIDE_SIZE (HS_REC_WIDE_MOST * sizeof(uint32_t)) /* of a run's successors */
#define HINTS 4096u
#define HINTS_AT (SLOTS_SIZE + HS_REC_WIDE_RUNS * WIDE_SIZE)

uint32_t pack_wide;
/* The memory that is used is that of runs that executed. */
static struct {
	void *at;
	size_t size;
} tables[PLUGIN_VCPUS];

void pack_close(unsigned vcpu)
{
	const unsigned i = vcpu % PLUGIN_VCPUS;

	if (tables[i].at != NULL)
		munmap(tables[i].at, tables[i].size);
	tables[i].at = NULL;
}

void pack_open(unsigned vcpu, uint32_t hart)
{
	struct hs_wire_hart *h = plugin_ring(vcpu);
	const bool wide = pack_wide & (hart == 0 ? HS_REC_LOG_WIDE : HS_REC_LOG_WIDE_ALL);
	const size_t size = wide ? HINTS_AT + HINTS : SLOTS_SIZE;
	void *table = mmap(NULL, size, PROT_READ | PROT_WRITE,
	                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);

	pack_close(vcpu);
	tables[vcpu % PLUGIN_VCPUS].at = plugin_memory(table == MAP_FAILED ? NULL : table);
	tables[vcpu % PLUGIN_VCPUS].size = size;
	h->slots = h->slot = (uint64_t)(uintptr_t)table;
	h->keys.wides_most = wide ? HS_REC_WIDE_RUNS : 0;
	plugin_ring_await(h);
}

static bool is_key(uint32_t successor, uint32_t key)
{
	return (successor & ~PACK_UNCERTAIN) == key;
}

static struct pack_slot *slots_of(const struct hs_wire_hart *h)
{
	return (struct pack_slot *)(uintptr_t)h->slots;
}

static bool is_wide(const struct pack_slot *slot)
{
	return (slot->first & PACK_WIDE) != 0;
}

static uint32_t count_of(const struct pack_slot *wide)
{
	return wide->second & ~PACK_WIDE;
}

static uint32_t *keys_of(const struct hs_wire_hart *h, const struct pack_slot *wide)
{
	const size_t at = wide->first & ~PACK_WIDE;

	return (uint32_t *)(uintptr_t)(h->slots + SLOTS_SIZE + at * WIDE_SIZE);
}

/* Where a successor was found last, perhaps. */
static uint8_t *hint_of(const struct hs_wire_hart *h, const struct pack_slot *wide, uint32_t key)
{
	const uint32_t mixed = (wide->first ^ key << 10) * UINT32_C(0x9e3779b1);
	uint8_t *hints = (void *)(uintptr_t)(h->slots + HINTS_AT);

	return &hints[mixed / (UINT32_MAX / HINTS + 1)];
}

static bool find_wide(const struct hs_wire_hart *h, const struct pack_slot *slot, uint32_t key,
                      struct pack_code *code)
{
	const uint32_t *keys = keys_of(h, slot), count = count_of(slot);
	uint8_t *hint = hint_of(h, slot, key);
	uint32_t i = *hint;

	if (i >= count || keys[i] != key)
		for (i = 0; i < count && keys[i] != key;)
			i++;
	*code = (struct pack_code){ i, hs_rec_wide_bits(count) };
	*hint = (uint8_t)i;
	return i < count;
}

bool pack_find(const struct hs_wire_hart *h, uint32_t last, uint32_t key, struct pack_code *code)
{
	const struct pack_slot *slot = slots_of(h) + last;

	if (is_wide(slot))
		return find_wide(h, slot, key, code);
	*code = (struct pack_code){ !is_key(slot->first, key), 1 };
	return is_key(slot->first, key) || is_key(slot->second, key);
}

/* A wide run has one successor more.  Returns whether the others have other codes. */
static bool add_successor(const struct hs_wire_hart *h, struct pack_slot *slot, uint32_t key)
{
	const uint32_t count = count_of(slot);

	if (count == HS_REC_WIDE_MOST)
		return false;
	keys_of(h, slot)[count] = key;
	slot->second++;
	return hs_rec_wide_bits(count + 1) != hs_rec_wide_bits(count);
}

/* The run was not foreseen.  Returns whether others have other codes. */
static bool learn(struct hs_wire_hart *h, struct pack_slot *slot, uint32_t key, uint32_t now)
{
	const struct pack_slot was = *slot;

	if (is_wide(slot))
		return add_successor(h, slot, key);
	if (was.second != 0 && h->keys.wides < h->keys.wides_most) {
		*slot = (struct pack_slot){ PACK_WIDE | h->keys.wides++, PACK_WIDE };
		add_successor(h, slot, was.first & ~PACK_UNCERTAIN);
		add_successor(h, slot, was.second & ~PACK_UNCERTAIN);
		add_successor(h, slot, key);
		return true;
	}
	slot->second = slot->first;
	slot->first = now;
	return was.first != 0;
}

/* The run with the key @key follows the one with @last.  False: that was not foreseen; @others:
 * whether others have other codes now. */
static bool take_successor(struct hs_wire_hart *h, uint32_t last, uint32_t key, bool certain,
                           struct pack_code *code, bool *others)
{
	const uint32_t now = certain ? key : key | PACK_UNCERTAIN;
	struct pack_slot *slot = slots_of(h) + last;

	if (!pack_find(h, last, key, code)) {
		*others = learn(h, slot, key, now);
		return false;
	}
	if (!is_wide(slot) && code->code == 0)
		slot->first = now;
	else if (!is_wide(slot))
		slot->second = now;
	return true;
}

void pack_flush(struct hs_wire_hart *h)
{
	plugin_push_outcomes(h, 0);
	plugin_ring_await(h);
	if (__builtin_expect(h->keys.anew, 0))
		pack_stop(h); /* so that the next run is looked at */
}

bool pack_put(struct hs_wire_hart *h, uint32_t id, uint32_t insns, bool certain)
{
	const uint32_t last = hs_wire_last_run(h), key = id + 1;
	const bool packed = last != 0 && last <= HS_REC_PACKED_RUNS && key <= HS_REC_PACKED_RUNS;
	struct pack_code code = { 0, 1 };
	bool others = false;

	if (h->outcomes == 1 || h->outcomes >= HS_REC_OUTCOMES_FULL)
		pack_flush(h);
	if (packed && take_successor(h, last, key, certain, &code, &others) && !h->keys.numbered) {
		__atomic_store_n(&h->outcomes, h->outcomes << code.bits | code.code,
		                 __ATOMIC_RELEASE);
	} else {
		pack_flush(h);
		plugin_put(h, id);
		plugin_ring_await(h);
	}
	h->keys.numbered = 0;
	h->last_run = key;
	h->slot = h->slots | (code.bits - 1);
	h->instructions += insns;
	if (packed && last > h->keys.used)
		h->keys.used = last;
	return others;
}

void pack_run(struct hs_wire_hart *h, uint32_t id, uint32_t insns, bool certain)
{
	pack_put(h, id, insns, certain);
	plugin_ring_turn(h);
}

bool pack_take_wide(struct hs_wire_hart *h, const void *argument)
{
	const uint32_t last = hs_wire_last_run(h), key = pack_id(argument) + 1;
	const struct pack_slot *slot = slots_of(h) + last;
	struct pack_code code;

	if (last > HS_REC_PACKED_RUNS || !is_wide(slot) || h->keys.numbered || h->keys.anew ||
	    h->outcomes >= HS_REC_OUTCOMES_FULL || !find_wide(h, slot, key, &code))
		return false;
	__atomic_store_n(&h->outcomes, h->outcomes << code.bits | code.code, __ATOMIC_RELEASE);
	h->instructions += pack_insns(argument);
	h->slot = (h->slots + (uint64_t)key * sizeof(*slot)) | (code.bits - 1);
	return true;
}

void pack_anew(struct hs_wire_hart *h, unsigned events)
{
	h->keys.anew = 0;
	pack_flush(h);
	plugin_push(h, HS_REC_WORD(HS_REC_ESCAPE_ANEW, events));
	plugin_push(h, (uint32_t)h->instructions);
	plugin_push(h, (uint32_t)(h->instructions >> 32));
	plugin_ring_await(h);
	memset(slots_of(h), 0, (h->keys.used + 1u) * sizeof(struct pack_slot));
	h->keys.used = 0;
	h->keys.wides = 0;
	h->last_run = 0;
	h->slot = h->slots;
}

void pack_doubt(struct hs_wire_hart *h)
{
	for (uint32_t i = 0; i <= h->keys.used; i++) {
		slots_of(h)[i].first |= PACK_UNCERTAIN;
		slots_of(h)[i].second |= PACK_UNCERTAIN;
	}
}
