/* Parts of the recorder plugin: port (to hs_record), rings, log of runs, maps, faults. */
#ifndef RECORDER_H
#define RECORDER_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <hartscope/record_port.h>

#define REC_VCPUS 65536u     /* a power of two; more threads than Linux gives a process */
#define REC_RUN_BYTES 16384u /* QEMU ends a block after 512 instructions at the latest */

struct qemu_plugin_tb;

/* A run that needs more at its start than its number written down. */
struct rec_run {
	uint64_t start, end;
	uint32_t id;
	uint32_t mode, flags; /* whole systems (system_record.c): enum hs_priv, enum rec_run_flag */
	uint64_t target;      /* the same: where a direct jump or branch at its end leads */
	uint32_t kind;        /* the same: enum hs_insn_kind of its last instruction */
	uint32_t progress;   /* exact faults: state when the run starts (exact.c) */
	uint32_t last;       /* half-words before the last instruction */
	uint32_t handler;    /* 1 + signal whose handler starts here; 0: none */
	uint32_t changed;    /* bytes of code that changed since it ran; told once */
	uint64_t changed_at;
};

/* port.c: mappings shared with hs_record(). */
bool rec_port_open(const char *name);
void *rec_port_share(size_t size, const struct hs_port_message *message);
bool rec_port_alive(void);
extern struct hs_port_process *rec_process; /* never NULL after rec_process_open() */
extern bool rec_quiet;                      /* nobody listens any more */
void rec_process_open(uint32_t child, uint64_t parent, uint64_t log_bytes);
uint64_t rec_process_token(void);
uint32_t rec_process_next_hart(void);

/* ring.c: one per vcpu. */
extern struct hs_port_hart *rec_rings[REC_VCPUS];
void rec_ring_open(unsigned vcpu, uint32_t hart);
void rec_ring_close(unsigned vcpu);
void rec_rings_forget(void);
void rec_ring_next_chunk(struct hs_port_hart *h);
void rec_ring_event(struct hs_port_hart *h, unsigned kind, uint64_t value, uint32_t arg);

static inline struct hs_port_hart *rec_ring(unsigned vcpu)
{
	return rec_rings[vcpu % REC_VCPUS];
}

/* One word.  There is always room: next_chunk() waits for it. */
static inline void rec_push(struct hs_port_hart *h, uint32_t word)
{
	uint32_t *p = (uint32_t *)(uintptr_t)h->cursor;

	*p++ = word;
	__atomic_store_n(&h->cursor, (uint64_t)(uintptr_t)p, __ATOMIC_RELEASE);
	if (__builtin_expect((uint64_t)(uintptr_t)p == h->chunk_end, 0))
		rec_ring_next_chunk(h);
}

/* log.c: what hs_record() writes to runs.zst. */
bool rec_log_open(const char *port, unsigned xlen); /* false: nobody listens */
void rec_log(uint32_t type, const void *a, size_t na, const void *b, size_t nb);
uint32_t rec_log_run(uint64_t start, uint32_t insns, const uint8_t *code, uint32_t bytes);
struct rec_run *rec_log_special(uint32_t id);
uint32_t rec_log_in_mode(uint32_t id, unsigned mode);
void rec_log_each(void (*visit)(struct rec_run *run));
uint64_t rec_log_bytes(void);

/* pages.c: did code change since it last ran? */
uint32_t rec_pages_compare(uint64_t start, const uint8_t *code, uint32_t bytes, uint64_t *at);

/* maps.c: which file is mapped where code runs. */
void rec_maps_stale(void);
void rec_maps_note(uint64_t guest, const void *host);

/* exact.c: faults in the middle of a run. */
void rec_exact_instrument(struct qemu_plugin_tb *tb, struct rec_run *run);
void rec_exact_enter(struct hs_port_hart *h, const struct rec_run *run);

#endif
