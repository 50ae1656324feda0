/* A ring of words for each vcpu, in memory shared with hs_recorder_run(). */
#define _GNU_SOURCE
#include <linux/futex.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "plugin.h"

struct hs_wire_hart *plugin_rings[PLUGIN_VCPUS];

/* Hart @hart of this process begins on @vcpu. */
void plugin_ring_open(unsigned vcpu, uint32_t hart)
{
	const struct hs_wire_message m = { .magic = HS_WIRE_MAGIC, .version = HS_WIRE_VERSION,
	                                   .type = HS_WIRE_HART, .number = hart,
	                                   .token = plugin_process_token() };
	struct hs_wire_hart *h = plugin_wire_share(HS_WIRE_HART_SIZE, &m);

	if (h == NULL)
		_exit(126);
	h->vcpu = vcpu;
	h->base = (uint64_t)(uintptr_t)h + HS_WIRE_WORDS_AT;
	h->chunk_end = h->base + 4u * HS_WIRE_CHUNK_WORDS;
	__atomic_store_n(&h->cursor, h->base, __ATOMIC_RELEASE);
	plugin_rings[vcpu % PLUGIN_VCPUS] = h;
}

void plugin_ring_close(unsigned vcpu)
{
	struct hs_wire_hart *h = plugin_ring(vcpu);

	plugin_rings[vcpu % PLUGIN_VCPUS] = NULL;
	if (h == NULL)
		return;
	__atomic_store_n(&h->ended, 1, __ATOMIC_RELEASE);
	munmap(h, HS_WIRE_HART_SIZE);
}

/* In the child of a fork the rings are still the parent's: unmap them without a change. */
void plugin_rings_forget(void)
{
	for (unsigned i = 0; i < PLUGIN_VCPUS; i++) {
		if (plugin_rings[i] != NULL)
			munmap(plugin_rings[i], HS_WIRE_HART_SIZE);
		plugin_rings[i] = NULL;
	}
}

static long futex(uint32_t *word, int op, uint32_t value, const struct timespec *timeout)
{
	return syscall(SYS_futex, word, op, value, timeout, NULL, 0);
}

/* Wait until the consumer has read all but HS_WIRE_CHUNKS - 1 of the chunks. */
static bool wait_for_room(struct hs_wire_hart *h)
{
	const struct timespec patience = { .tv_nsec = 100000000 };

	while (!plugin_quiet) {
		const uint32_t consumed = __atomic_load_n(&h->consumed, __ATOMIC_ACQUIRE);

		if (h->published - consumed < HS_WIRE_CHUNKS)
			return true;
		if (__atomic_load_n(&h->ended, __ATOMIC_ACQUIRE)) { /* written by the program */
			plugin_process->lost = 1;
			return false;
		}
		__atomic_store_n(&h->full, 1, __ATOMIC_SEQ_CST);
		if (futex(&h->consumed, FUTEX_WAIT, consumed, &patience) != 0 &&
		    !plugin_wire_alive())
			plugin_quiet = true;
		__atomic_store_n(&h->full, 0, __ATOMIC_RELAXED);
	}
	return false;
}

/* The chunk is complete: publish it and continue in the next one, or in the same one again when the
 * recorder is gone. */
void plugin_ring_next_chunk(struct hs_wire_hart *h)
{
	uint64_t start = h->chunk_end - 4u * HS_WIRE_CHUNK_WORDS;

	if (!plugin_quiet) {
		__atomic_store_n(&h->published, h->published + 1, __ATOMIC_SEQ_CST);
		if (__atomic_load_n(&h->hungry, __ATOMIC_SEQ_CST))
			futex(&h->published, FUTEX_WAKE, 1, NULL);
		if (__atomic_load_n(&h->anews, __ATOMIC_RELAXED) != h->keys.anews_seen) {
			h->keys.anews_seen = h->anews;
			h->keys.anew = 1;
		}
		if (wait_for_room(h))
			start = h->base +
			        4ull * HS_WIRE_CHUNK_WORDS * (h->published % HS_WIRE_CHUNKS);
	}
	const bool follows = h->outcomes_at == (uint32_t)h->cursor;

	h->chunk_end = start + 4u * HS_WIRE_CHUNK_WORDS;
	__atomic_store_n(&h->cursor, start, __ATOMIC_RELEASE);
	if (follows)
		__atomic_store_n(&h->outcomes_at, (uint32_t)start, __ATOMIC_RELEASE);
}

/* Words that follow belong to the last run: in a packed stream it gets a word of its own, so that
 * the recorder knows it. */
void plugin_ring_settle(struct hs_wire_hart *h)
{
	const unsigned last = 1u + (h->slot & 7u);

	if (h->outcomes >> last == 0)
		return;
	plugin_push_outcomes(h, last);
	plugin_put(h, hs_wire_last_run(h) - 1);
	plugin_ring_await(h);
	plugin_ring_turn(h);
}

void plugin_ring_block(struct hs_wire_hart *h, const struct hs_block *event)
{
	uint32_t words[4];

	plugin_ring_settle(h);
	hs_rec_block_pack(event, words);
	plugin_push(h, HS_REC_WORD(HS_REC_ESCAPE_EVENT, 0));
	for (unsigned i = 0; i < 4; i++)
		plugin_push(h, words[i]);
	plugin_ring_await(h);
}

void plugin_ring_event(struct hs_wire_hart *h, unsigned kind, uint64_t value, uint32_t arg)
{
	const struct hs_block event = { .value = value, .arg = arg, .kind = (uint8_t)kind };

	plugin_ring_block(h, &event);
}
