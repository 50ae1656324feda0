/* Writing the runs of a machine as successors (system_pack.h). */
#include <stdlib.h>

#include "system_pack.h"

void pack_vcpu(struct recorded_hart *s)
{
	s->slots = plugin_memory(calloc(HS_REC_PACKED_RUNS + 1, sizeof(*s->slots)));
	s->ring->slots = s->ring->slot = (uint64_t)(uintptr_t)s->slots;
	plugin_ring_await(s->ring);
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

void pack_flush(struct hs_wire_hart *h)
{
	if (h->outcomes > 1)
		plugin_push(h, HS_REC_WORD_OUTCOMES | h->outcomes);
	plugin_ring_await(h);
}

void pack_run(struct recorded_hart *s, const struct plugin_run *run, bool certain)
{
	struct hs_wire_hart *h = s->ring;
	const uint32_t last = hs_wire_last_run(h), key = run->id + 1;
	const bool packed = last != 0 && last <= HS_REC_PACKED_RUNS && key <= HS_REC_PACKED_RUNS;
	bool which;

	if (h->outcomes == 1 || pack_is_full(h))
		pack_flush(h);
	if (packed && take_successor(&s->slots[last], key, certain, &which)) {
		pack_outcome(h, which);
	} else {
		pack_flush(h);
		plugin_push(h, run->id);
		plugin_ring_await(h);
	}
	h->last_run = key;
	h->slot = h->slots;
	h->instructions += run->insns;
	if (packed && last > s->used)
		s->used = last;
}

void pack_doubt(struct recorded_hart *s)
{
	for (uint32_t i = 0; i <= s->used; i++) {
		s->slots[i].first |= PACK_UNCERTAIN;
		s->slots[i].second |= PACK_UNCERTAIN;
	}
}
