/* A thread for each hart: from the shared ring to hart-N.zst. */
#define _GNU_SOURCE
#include <errno.h>
#include <inttypes.h>
#include <linux/futex.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "recorder/private.h"

#define CHUNK HS_WIRE_CHUNK_WORDS
/* How long words may be in memory only, in ms: longer where many harts are waited for, so that a
 * program of 10,000 threads that rest leaves time for those that run. */
#define PATIENCE 100u
#define PATIENCE_MOST 2000u
#define PATIENCE_HARTS 64u /* for which the first is enough */

static const uint32_t *chunk_at(const struct recorder_hart *h, uint32_t chunk)
{
	const uint8_t *words = (const uint8_t *)h->wire + HS_WIRE_WORDS_AT;

	return (const uint32_t *)(const void *)(words + 4ull * CHUNK * (chunk % HS_WIRE_CHUNKS));
}

static void keep_words(struct recorder_hart *h, const uint32_t *words, size_t n)
{
	const size_t size = rec_zip_frame(&h->zip, words, 4 * n);

	if (size == 0 || !recorder_keep_frame(h, h->zip.room, size))
		h->process->is.damaged = true;
}

static void write_words(struct recorder_hart *h, const uint32_t *words, size_t n)
{
	if (n == 0)
		return;
	recorder_log_drain(h->process);
	if (h->process->live != NULL)
		recorder_live_begin(h);
	for (size_t done = 0, now; done < n; done += now) {
		const bool anew = h->keep.keeping == NULL || recorder_begins_anew(h, words[done]);

		if (h->process->keep != NULL && anew && !recorder_keep_begin(h)) {
			h->process->is.damaged = true;
			return;
		}
		now = recorder_count(h, words + done, n - done);
		if (h->process->live != NULL)
			recorder_live_words(h, words + done, now);
		if (h->process->keep == NULL)
			rec_out_frame(&h->out, &h->zip, words + done, 4 * now);
		else
			keep_words(h, words + done, now);
	}
}

static void publish_consumed(struct recorder_hart *h)
{
	__atomic_store_n(&h->wire->consumed, h->consumed, __ATOMIC_SEQ_CST);
	if (__atomic_load_n(&h->wire->full, __ATOMIC_SEQ_CST))
		syscall(SYS_futex, &h->wire->consumed, FUTEX_WAKE, 1, NULL, NULL, 0);
}

/* The program wrote over its emulator's memory.  The emulator must not wait for us then. */
static void mark_damaged(struct recorder_hart *h)
{
	h->process->is.damaged = true;
	h->consumed = __atomic_load_n(&h->wire->published, __ATOMIC_SEQ_CST);
	h->taken = 0;
	publish_consumed(h);
}

/* Write a whole chunk, less what drain_part() wrote of it before. */
static void drain_chunk(struct recorder_hart *h)
{
	write_words(h, chunk_at(h, h->consumed) + h->taken, CHUNK - h->taken);
	h->taken = 0;
	h->consumed++;
	publish_consumed(h);
}

/* Write what there is of the chunk that the producer is writing.  Its cursor may still be at the
 * end of the chunk before. */
static void drain_part(struct recorder_hart *h)
{
	const uint64_t cursor = __atomic_load_n(&h->wire->cursor, __ATOMIC_ACQUIRE);
	const uint64_t start = h->wire->base + 4ull * CHUNK * (h->consumed % HS_WIRE_CHUNKS);
	uint64_t n;

	if (__atomic_load_n(&h->wire->published, __ATOMIC_SEQ_CST) != h->consumed)
		return; /* complete by now: drain_chunk() */
	n = (cursor - start) / 4;
	if (cursor < start || n > CHUNK || n <= h->taken)
		return;
	write_words(h, chunk_at(h, h->consumed) + h->taken, n - h->taken);
	h->taken = (uint32_t)n;
}

static struct timespec patience_of(const struct recorder_hart *h)
{
	const uint32_t harts = __atomic_load_n(h->process->drains, __ATOMIC_RELAXED);
	uint32_t ms = PATIENCE + PATIENCE * (harts / PATIENCE_HARTS);

	if (ms > PATIENCE_MOST)
		ms = PATIENCE_MOST;
	return (struct timespec){ .tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000L };
}

/* False, with errno: the futex did not wake us. */
static bool wait_published(struct recorder_hart *h)
{
	const struct timespec patience = patience_of(h);

	return syscall(SYS_futex, &h->wire->published, FUTEX_WAIT, h->consumed, &patience, NULL,
	               0) == 0;
}

static void wait_for_chunk(struct recorder_hart *h)
{
	__atomic_store_n(&h->wire->hungry, 1, __ATOMIC_SEQ_CST);
	if (!__atomic_load_n(&h->process->death.dead, __ATOMIC_SEQ_CST) && !wait_published(h) &&
	    errno == ETIMEDOUT) {
		if (__atomic_load_n(&h->wire->consumed, __ATOMIC_RELAXED) != h->consumed)
			mark_damaged(h);
		drain_part(h);
		recorder_log_drain(h->process);
	}
	__atomic_store_n(&h->wire->hungry, 0, __ATOMIC_SEQ_CST);
}

static bool fault_signal(int signal)
{
	return signal == SIGILL || signal == SIGTRAP || signal == SIGBUS || signal == SIGFPE ||
	       signal == SIGSEGV;
}

/* If the process died while this hart ran, write how far its last run got.  Without exact faults
 * the last fault may say it; else a note says that it is not known.  A machine's hart may have
 * stood still. */
static void note_partial_run(struct recorder_hart *h)
{
	const uint64_t progress = hs_wire_vcpu_of(h->process->wire, h->wire->vcpu)->progress;
	const int signal = h->process->death.signal;
	const bool own = fault_signal(signal) && !recorder_fault_elsewhere(h);
	const struct hs_block note = { .arg = HS_NOTE_PARTIAL,
		                       .kind = HS_KIND_NOTE,
		                       .value = own ? (uint64_t)signal : 0 };
	uint32_t words[5] = { HS_REC_WORD(HS_REC_ESCAPE_EVENT, 0) };
	unsigned n;

	if (h->wire->ended || h->wire->in_syscall || h->at.words == 0)
		return;
	if (h->wire->still.stand_cursor != 0 && h->wire->still.stand_cursor == h->wire->cursor &&
	    h->wire->outcomes <= 1) {
		write_words(h, h->wire->still.stand, 1 + HS_REC_STAND_WORDS);
		return;
	}
	if (progress != 0 && fault_signal(h->process->death.signal)) {
		words[0] = HS_REC_WORD(HS_REC_ESCAPE_PARTIAL, (uint32_t)(progress - 1) & 0xffffu);
		write_words(h, words, 1);
		return;
	}
	n = fault_signal(signal) ? recorder_fault_words(h, words) : 0;
	if (n != 0) {
		write_words(h, words, n);
		return;
	}
	hs_rec_block_pack(&note, words + 1);
	write_words(h, words, 5);
}

/* Runs of a packed stream that no word has yet. */
static void drain_outcomes(struct recorder_hart *h)
{
	const uint64_t outcomes = h->wire->outcomes;
	uint32_t words[2];
	unsigned n;

	if (outcomes <= 1 || outcomes >> (HS_WIRE_OUTCOMES_MOST + 1) != 0 ||
	    h->wire->outcomes_at != (uint32_t)h->wire->cursor)
		return;
	n = hs_wire_outcome_words(outcomes, words);
	for (unsigned i = 0; i < n; i++)
		words[i] |= HS_REC_WORD_OUTCOMES;
	write_words(h, words, n);
	h->at.last_run = hs_wire_last_run(h->wire) - 1;
}

/* Runs that were only added up.  They are not in the plugin's count. */
static void drain_added(struct recorder_hart *h)
{
	uint32_t way[HS_WIRE_ADDED_MOST];
	const uint32_t n = recorder_added(h, way);

	write_words(h, way, n);
	for (uint32_t i = 0; i < n; i++)
		recorder_count_run(h, way[i]);
}

static void drain_chunks(struct recorder_hart *h)
{
	for (;;) {
		const uint32_t n = __atomic_load_n(&h->wire->published, __ATOMIC_SEQ_CST) -
		                   h->consumed;

		if (n == 0)
			return;
		if (n > HS_WIRE_CHUNKS) {
			mark_damaged(h);
			return;
		}
		drain_chunk(h);
	}
}

static void *drain_hart(void *argument)
{
	struct recorder_hart *h = argument;

	for (;;) {
		const bool last = __atomic_load_n(&h->wire->ended, __ATOMIC_SEQ_CST) ||
		                  __atomic_load_n(&h->process->death.dead, __ATOMIC_SEQ_CST);

		drain_chunks(h);
		if (last)
			break;
		wait_for_chunk(h);
	}
	drain_part(h);
	drain_outcomes(h);
	drain_added(h);
	note_partial_run(h);
	h->at.retired = h->wire->instructions;
	h->at.instructions += h->at.retired;
	recorder_count_end(h);
	if (h->process->live != NULL)
		recorder_live_end(h);
	if (h->process->keep == NULL)
		rec_out_close(&h->out);
	else
		recorder_keep_end(h);
	rec_zip_close(&h->zip);
	__atomic_store_n(&h->done, true, __ATOMIC_RELEASE);
	return NULL;
}

/* The recorder's threads block all signals: these go to the caller's own threads. */
static int start_thread(struct recorder_hart *h)
{
	sigset_t all, old;
	int error;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &old);
	error = pthread_create(&h->thread, NULL, drain_hart, h);
	pthread_sigmask(SIG_SETMASK, &old, NULL);
	return error;
}

/* Wait until a hart's thread has written the last words. */
void recorder_hart_join(struct recorder_hart *h)
{
	if (h->joined)
		return;
	syscall(SYS_futex, &h->wire->published, FUTEX_WAKE, 1, NULL, NULL, 0);
	pthread_join(h->thread, NULL);
	if (h->wire->instructions != h->at.retired && h->process->wire->end != HS_WIRE_MARK)
		h->process->is.damaged = true; /* it went on: the program wrote that it has ended */
	munmap(h->wire, HS_WIRE_HART_SIZE);
	h->wire = NULL;
	free(h->handlers.stack);
	h->handlers.stack = NULL;
	h->joined = true;
	__atomic_fetch_sub(h->process->drains, 1, __ATOMIC_RELAXED);
}

/* A program may make threads for ever: those that have ended are not looked at again. */
static void join_done(struct recorder_process *p)
{
	for (struct recorder_hart **at = &p->draining; *at != NULL;)
		if (__atomic_load_n(&(*at)->done, __ATOMIC_ACQUIRE)) {
			recorder_hart_join(*at);
			*at = (*at)->next_draining;
		} else {
			at = &(*at)->next_draining;
		}
}

void recorder_hart_open(struct recorder_hart *h, struct hs_error *e)
{
	char name[REC_NAME_SIZE];

	rec_hart_name(name, h->number);
	if (h->process->dir >= 0 && !h->process->code_only)
		rec_out_open(&h->out, h->process->dir, name, e);
}

/* What its thread needs. */
static enum hs_status prepare_hart(struct recorder_hart *h)
{
	enum hs_status status = rec_zip_open(&h->zip);

	if (status == HS_OK)
		status = rec_zip_take_words(&h->zip);
	h->handlers.stack = calloc(RECORDER_SIGNALS, sizeof(*h->handlers.stack));
	return h->handlers.stack == NULL ? HS_E_MEMORY : status;
}

/* Start the thread that drains a hart.  It owns @wire from here on, also on failure. */
enum hs_status recorder_hart_start(struct recorder_process *p, struct hs_wire_hart *wire,
                                 uint32_t number, struct hs_error *e)
{
	struct recorder_hart *h = calloc(1, sizeof(*h));
	enum hs_status status = HS_E_MEMORY;

	join_done(p);
	if (h != NULL) {
		*h = (struct recorder_hart){
			.process = p, .wire = wire, .number = number, .out.fd = -1, .next = p->harts
		};
		status = prepare_hart(h);
	}
	if (status == HS_OK && p->keep == NULL) /* what is kept is written at the end */
		recorder_hart_open(h, e);
	if (status != HS_OK || start_thread(h) != 0) {
		munmap(wire, HS_WIRE_HART_SIZE);
		if (h != NULL) {
			rec_out_close(&h->out);
			rec_zip_close(&h->zip);
			free(h->handlers.stack);
		}
		free(h);
		p->is.damaged = p->is.starved = true;
		return hs_error_set(e, HS_E_MEMORY, "no memory for a thread of the recorder");
	}
	p->harts = h;
	h->next_draining = p->draining;
	p->draining = h;
	__atomic_fetch_add(p->drains, 1, __ATOMIC_RELAXED);
	return HS_OK;
}
