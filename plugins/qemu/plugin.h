/* Parts of the recorder plugin: port (to hs_record), rings, log of runs, maps, faults. */
#ifndef PLUGIN_H
#define PLUGIN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include "recorder/wire.h"
#include "recording/format.h"

#define PLUGIN_VCPUS HS_WIRE_VCPUS
#define PLUGIN_RUN_BYTES 16384u /* QEMU ends a block after 512 instructions at the latest */

struct qemu_plugin_tb;

/* A run for which more happens at its start than that its number is written.  In one line of the
 * cache: of a whole system every run is looked at. */
struct plugin_run {
	_Alignas(64) uint64_t start;
	uint64_t end;
	union {
		struct { /* whole systems (system_record.c) */
			uint64_t falls, leads; /* where its end leads: the address after it, a
			                        * direct jump's target; odd: it does not */
		};
		struct { /* programs */
			uint32_t progress; /* exact faults: state when the run starts (exact.c) */
			uint32_t last;     /* half-words before the last instruction */
			uint32_t handler;  /* 1 + signal whose handler starts here; 0: none */
		};
	};
	uint32_t id;
	uint32_t flags;      /* enum system_run_flag */
	uint32_t changed;    /* bytes of code that changed since it ran; reported once */
	uint8_t mode;        /* enum hs_priv it was translated for */
	uint8_t kind;        /* enum hs_insn_kind of its last instruction */
	uint64_t changed_at; /* (second line) */
	uint32_t insns;      /* that retire */
	struct plugin_run *next; /* whole systems: another one of its page (system_moves.c) */
};

/* wire.c: mappings shared with hs_recorder_run(). */
bool plugin_wire_open(const char *name);
void *plugin_wire_share(size_t size, const struct hs_wire_message *message);
bool plugin_wire_alive(void);
/* No thread makes a mapping between the two: for a fork. */
void plugin_wire_lock(void);
void plugin_wire_unlock(void);
extern struct hs_wire_process *plugin_process; /* never NULL after plugin_process_open() */
extern struct hs_wire_vcpu *plugin_lines;      /* the same; they stay where they are */
extern bool plugin_quiet;                      /* the recorder is gone */
void plugin_process_open(uint32_t child, uint64_t parent, uint64_t log_bytes);
uint64_t plugin_process_token(void);
void plugin_process_wait(void); /* until the recorder lets it run */
uint32_t plugin_process_next_hart(void);

/* ring.c: one per vcpu. */
extern struct hs_wire_hart *plugin_rings[PLUGIN_VCPUS];
void plugin_ring_open(unsigned vcpu, uint32_t hart);
void plugin_ring_close(unsigned vcpu);
void plugin_rings_forget(void);
void plugin_ring_next_chunk(struct hs_wire_hart *h);
void plugin_ring_settle(struct hs_wire_hart *h);
void plugin_ring_block(struct hs_wire_hart *h, const struct hs_block *event);
void plugin_ring_event(struct hs_wire_hart *h, unsigned kind, uint64_t value, uint32_t arg);

static inline struct hs_wire_hart *plugin_ring(unsigned vcpu)
{
	return plugin_rings[vcpu % PLUGIN_VCPUS];
}

static inline struct hs_wire_vcpu *plugin_line(unsigned vcpu)
{
	return plugin_lines + vcpu % PLUGIN_VCPUS;
}

/* Write one word.  There is room, which plugin_ring_turn() has to make for the next one. */
static inline void plugin_put(struct hs_wire_hart *h, uint32_t word)
{
	uint32_t *p = (uint32_t *)(uintptr_t)h->cursor;

	*p++ = word;
	__atomic_store_n(&h->cursor, (uint64_t)(uintptr_t)p, __ATOMIC_RELEASE);
}

/* Where a chunk is complete, wait for room in the next one.  The emulator may be killed while it
 * waits: what the ring says has to be right by then (design/added-runs). */
static inline void plugin_ring_turn(struct hs_wire_hart *h)
{
	if (__builtin_expect(h->cursor == h->chunk_end, 0))
		plugin_ring_next_chunk(h);
}

/* Write one word, where no run waits for one, or none that is not written again. */
static inline void plugin_push(struct hs_wire_hart *h, uint32_t word)
{
	plugin_put(h, word);
	plugin_ring_turn(h);
}

/* What waits for a word follows the cursor. */
static inline void plugin_ring_await_after(struct hs_wire_hart *h, uint64_t outcomes)
{
	__atomic_store_n(&h->outcomes, outcomes, __ATOMIC_RELEASE);
	__atomic_store_n(&h->outcomes_at, (uint32_t)h->cursor, __ATOMIC_RELEASE);
}

/* No run waits for a word: those that do from here on follow the cursor. */
static inline void plugin_ring_await(struct hs_wire_hart *h)
{
	plugin_ring_await_after(h, 1);
}

/* Write the runs that wait for a word, but for the last @left bits.  The cursor moves. */
static inline void plugin_push_outcomes(struct hs_wire_hart *h, unsigned left)
{
	unsigned bits = 63u - (unsigned)__builtin_clzll(h->outcomes | 1);

	while (bits > left) {
		const unsigned most = HS_WIRE_WORD_RUNS;

		bits -= bits - left < most ? bits - left : most;
		plugin_put(h, HS_REC_WORD_OUTCOMES | (uint32_t)(h->outcomes >> bits));
		plugin_ring_await_after(h, UINT64_C(1) << bits |
		                                   (h->outcomes & ((UINT64_C(1) << bits) - 1)));
		plugin_ring_turn(h);
	}
}

/* Write an access.  Its words appear at once where they fit the chunk: a killed emulator leaves no
 * part of one. */
static inline void plugin_push_access(struct hs_wire_hart *h, const struct hs_access *a)
{
	uint32_t words[1 + HS_REC_ACCESS_WORDS];
	const unsigned n = hs_rec_access_pack(a, words);

	plugin_ring_settle(h);
	if (h->chunk_end - h->cursor > 4ull * n) {
		memcpy((void *)(uintptr_t)h->cursor, words, 4 * n);
		__atomic_store_n(&h->cursor, h->cursor + 4ull * n, __ATOMIC_RELEASE);
		return;
	}
	for (unsigned i = 0; i < n; i++)
		plugin_push(h, words[i]);
}

/* @p, unless there is no memory: then the emulator ends, as it does by itself. */
void *plugin_memory(void *p);

/* log.c: the log, which hs_recorder_run() writes to runs.zst. */
bool plugin_log_open(const char *socket_name, unsigned xlen); /* false: there is no recorder */
uint32_t plugin_log_retires(uint32_t id);                     /* how many instructions of a run */
void plugin_log_record(uint32_t type, const void *a, size_t na, const void *b, size_t nb);
uint32_t plugin_log_run(uint64_t start, uint32_t insns, const uint8_t *code, uint32_t bytes);
struct plugin_run *plugin_log_special(uint32_t id);
#define PLUGIN_LOG_PAGE 4096u
#define PLUGIN_LOG_PAGES 16384u
extern struct plugin_run **plugin_log_specials[PLUGIN_LOG_PAGES]; /* by numbers; they do not move */
/* The same, where it was made before. */
static inline struct plugin_run *plugin_log_at(uint32_t id)
{
	struct plugin_run **const page =
		plugin_log_specials[id / PLUGIN_LOG_PAGE % PLUGIN_LOG_PAGES];

	return page == NULL ? NULL : page[id % PLUGIN_LOG_PAGE];
}
uint32_t plugin_log_in_mode(uint32_t id, unsigned mode);
void plugin_log_each(void (*visit)(struct plugin_run *run));
uint64_t plugin_log_bytes(void);

/* pages.c: did code change since it last ran? */
uint32_t plugin_pages_compare(uint64_t start, const uint8_t *code, uint32_t bytes, uint64_t *at);

/* maps.c: which file is mapped where code runs. */
void plugin_maps_stale(void);
void plugin_maps_note(uint64_t guest, const void *host);
/* Where the emulator has the segment of a file that begins at @offset; false: nowhere. */
bool plugin_maps_program(const char *path, uint64_t offset, uint64_t *host);

/* exact.c: faults in the middle of a run. */
void plugin_exact_instrument(struct qemu_plugin_tb *tb, struct plugin_run *run);
void plugin_exact_enter(struct hs_wire_hart *h, const struct plugin_run *run);

/* fault.c: from here on note accesses that are refused.  @guest_base: what the program's addresses
 * have less than the emulator's; it stays where it is. */
void plugin_fault_thread(unsigned vcpu); /* that the calling thread executes */
void plugin_fault_watch(const uint64_t *guest_base, unsigned xlen);

/* A hart's recording ends here, after the first @hwords half-words of its last run. */
static inline void plugin_ring_end(struct hs_wire_hart *h, uint32_t hwords, uint64_t pc)
{
	plugin_ring_settle(h);
	plugin_push(h, HS_REC_WORD(HS_REC_ESCAPE_STAND, hwords));
	plugin_push(h, (uint32_t)pc);
	plugin_push(h, (uint32_t)(pc >> 32));
	plugin_process->end = HS_WIRE_MARK;
	__atomic_store_n(&h->ended, 1, __ATOMIC_RELEASE);
}

/* access.c: what the loads, stores and atomics of a program accessed. */
enum plugin_data { PLUGIN_DATA_NONE, PLUGIN_DATA_ADDRESSES, PLUGIN_DATA_VALUES };
void plugin_access_instrument(struct qemu_plugin_tb *tb, size_t first, enum plugin_data what,
                              uint64_t guest_base);

#endif
