/* A process's log, from the shared ring to runs.zst.  It is also kept in memory: the log of a
 * forked child begins with its parent's. */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include <hartscope/isa.h>

#include "recorder/private.h"

enum hs_status recorder_log_open(struct recorder_process *p, struct hs_error *e)
{
	p->insns = mmap(NULL, 2ull * RECORDER_RUNS, PROT_READ | PROT_WRITE,
	                MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
	if (p->insns == MAP_FAILED) {
		p->insns = NULL;
		return hs_error_set(e, HS_E_MEMORY, "out of memory");
	}
	if (rec_zip_open(&p->zip) != HS_OK)
		return hs_error_set(e, HS_E_MEMORY, "out of memory");
	return p->dir < 0 ? HS_OK : rec_out_open(&p->out, p->dir, "runs.zst", e);
}

/* Count the instructions of runs that are new in the log. */
static void count_new_runs(struct recorder_process *p)
{
	for (; p->insns_known < p->log.run_count && p->insns_known < RECORDER_RUNS;
	     p->insns_known++) {
		const struct hs_rec_log_run *run = rec_log_run(&p->log, p->insns_known);
		const uint8_t *code = (const uint8_t *)(run + 1);
		const uint32_t n =
			run == NULL ? 0 : hs_rec_run_retires(run->insns, code, run->bytes);

		p->insns[p->insns_known] = n < UINT16_MAX ? (uint16_t)n : UINT16_MAX;
	}
	p->damaged |= p->log.run_count > RECORDER_RUNS;
}

/* Whole records. */
static void write_frames(struct recorder_process *p, const uint8_t *bytes, size_t n)
{
	uint8_t *other = NULL;

	if (REC_SWAPS) {
		other = malloc(n);
		if (other == NULL) {
			p->damaged = true;
			return;
		}
		memcpy(other, bytes, n);
		rec_swap_records(other, n);
		bytes = other;
	}
	for (size_t at = 0; at < n; at += REC_FRAME_BYTES)
		rec_out_frame(&p->out, &p->zip, bytes + at,
		              n - at < REC_FRAME_BYTES ? n - at : REC_FRAME_BYTES);
	free(other);
}

static void add_to_log(struct recorder_process *p, const uint8_t *bytes, size_t n)
{
	if (!p->damaged && rec_log_append(&p->log, bytes, n) != HS_OK)
		p->damaged = true;
}

/* Write everything that the plugin has logged.  Called before each frame of words is written, so
 * that every run that a word on disk names is on disk too. */
void recorder_log_drain(struct recorder_process *p)
{
	const uint8_t *ring = (const uint8_t *)p->wire + HS_WIRE_LOG_AT;
	uint64_t head;
	size_t before;

	pthread_mutex_lock(&p->lock);
	head = __atomic_load_n(&p->wire->head, __ATOMIC_ACQUIRE);
	before = p->log.size;
	if (head - p->tail > HS_WIRE_LOG_SIZE) {
		p->damaged = true; /* the program wrote over its emulator's memory */
		head = p->tail;
	}
	while (p->tail != head) {
		const size_t at = p->tail % HS_WIRE_LOG_SIZE;
		const size_t n = head - p->tail < HS_WIRE_LOG_SIZE - at ? head - p->tail
		                                                       : HS_WIRE_LOG_SIZE - at;

		add_to_log(p, ring + at, n);
		p->tail += n;
	}
	if (!p->damaged && p->log.size > before)
		write_frames(p, p->log.raw + before, p->log.size - before);
	count_new_runs(p);
	__atomic_store_n(&p->wire->tail, p->tail, __ATOMIC_RELEASE);
	pthread_mutex_unlock(&p->lock);
}

/* The log of a child begins with the first @bytes of its parent's. */
bool recorder_log_inherit(struct recorder_process *p, struct recorder_process *parent,
                          uint64_t bytes)
{
	bool ok;

	if (!parent->finished)
		recorder_log_drain(parent);
	pthread_mutex_lock(&parent->lock);
	ok = bytes <= parent->log.parsed;
	if (ok) {
		add_to_log(p, parent->log.raw, bytes);
		write_frames(p, parent->log.raw, bytes);
		count_new_runs(p);
	}
	pthread_mutex_unlock(&parent->lock);
	return ok && !p->damaged;
}

/* Write a record that is not part of the log in memory: that is a copy of the plugin's, and
 * children inherit it by its size. */
void recorder_log_resume(struct recorder_process *p, const struct hs_rec_log_resume *resume)
{
	struct {
		struct hs_rec_log_head head;
		struct hs_rec_log_resume resume;
	} record = { { HS_REC_LOG_RESUME, sizeof(*resume) }, *resume };

	rec_order_records(&record, sizeof(record));
	pthread_mutex_lock(&p->lock);
	rec_out_frame(&p->out, &p->zip, &record, sizeof(record));
	pthread_mutex_unlock(&p->lock);
}

void recorder_log_close(struct recorder_process *p)
{
	rec_out_close(&p->out);
	rec_zip_close(&p->zip);
	rec_log_free(&p->log);
	if (p->insns != NULL)
		munmap(p->insns, 2ull * RECORDER_RUNS);
	p->insns = NULL;
}
