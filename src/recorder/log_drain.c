/* A process's log, from the shared ring to runs.zst.  It is also kept, because the log of a forked
 * child begins with its parent's; there is a file for what is not recent (store.c). */
#define _GNU_SOURCE
#include <stdlib.h>
#include <string.h>

#include "recorder/private.h"

enum hs_status recorder_log_open(struct recorder_process *p, struct hs_error *e)
{
	recorder_store_init(&p->store.records, p->dir);
	recorder_store_init(&p->store.places, p->dir);
	if (rec_zip_open(&p->store.zip) != HS_OK)
		return hs_error_set(e, HS_E_MEMORY, "out of memory");
	return p->dir < 0 ? HS_OK : rec_out_open(&p->store.out, p->dir, "runs.zst", e);
}

/* Whole records. */
static void write_frames(struct recorder_process *p, const uint8_t *bytes, size_t n)
{
	uint8_t *other = NULL;

	if (REC_SWAPS) {
		other = malloc(n);
		if (other == NULL) {
			p->is.damaged = true;
			return;
		}
		memcpy(other, bytes, n);
		rec_swap_records(other, n);
		bytes = other;
	}
	for (size_t at = 0; at < n; at += REC_FRAME_BYTES)
		rec_out_frame(&p->store.out, &p->store.zip, bytes + at,
		              n - at < REC_FRAME_BYTES ? n - at : REC_FRAME_BYTES);
	free(other);
}

/* Keep the records of p->log, which are whole. */
static bool keep_records(struct recorder_process *p)
{
	const uint64_t before = recorder_store_size(&p->store.records);
	const struct hs_rec_log_head *head;
	bool ok = before + p->store.log.parsed <= REC_LOG_LIMIT;

	for (size_t at = 0, next = 0; ok && rec_log_next(&p->store.log, &next, &head); at = next) {
		const uint32_t place = (uint32_t)((before + at) / 8);

		if (head->type != HS_REC_LOG_RUN && head->type != HS_REC_LOG_BLOCK)
			continue;
		ok = p->store.runs++ < RECORDER_RUNS &&
		     recorder_store_add(&p->store.places, &place, sizeof(place));
	}
	return ok && recorder_store_add(&p->store.records, p->store.log.raw, p->store.log.parsed);
}

/* Write and keep what is whole by now. */
static void take_records(void *process, struct rec_log *log)
{
	struct recorder_process *p = process;

	if (log->parsed == 0)
		return;
	if (!p->is.damaged)
		write_frames(p, log->raw, log->parsed);
	p->is.damaged |= !keep_records(p);
	rec_log_drop(log);
}

static void add_to_log(struct recorder_process *p, const uint8_t *bytes, size_t n)
{
	for (size_t done = 0, now; done < n && !p->is.damaged; done += now) {
		now = n - done < REC_FRAME_BYTES ? n - done : REC_FRAME_BYTES;
		p->is.damaged |= rec_log_append(&p->store.log, bytes + done, now) != HS_OK;
		take_records(p, &p->store.log);
	}
}

/* Write everything that the plugin has logged.  Called before each frame of words is written, so
 * that every run that a word on disk names is on disk too. */
void recorder_log_drain(struct recorder_process *p)
{
	const uint8_t *ring = (const uint8_t *)p->wire + HS_WIRE_LOG_AT;
	uint64_t head;

	pthread_mutex_lock(&p->store.lock);
	head = __atomic_load_n(&p->wire->head, __ATOMIC_ACQUIRE);
	if (head - p->in.tail > HS_WIRE_LOG_SIZE) {
		p->is.damaged = true; /* the program wrote over its emulator's memory */
		head = p->in.tail;
	}
	while (p->in.tail != head) {
		const size_t at = p->in.tail % HS_WIRE_LOG_SIZE;
		const size_t n = head - p->in.tail < HS_WIRE_LOG_SIZE - at ? head - p->in.tail
		                                                           : HS_WIRE_LOG_SIZE - at;

		add_to_log(p, ring + at, n);
		p->in.tail += n;
	}
	__atomic_store_n(&p->wire->tail, p->in.tail, __ATOMIC_RELEASE);
	pthread_mutex_unlock(&p->store.lock);
}

enum hs_status recorder_log_read(struct recorder_process *p, uint64_t from, uint64_t to,
                                 struct rec_log *log, void (*each)(void *of, struct rec_log *log),
                                 void *of)
{
	const size_t most = to - from < REC_FRAME_BYTES ? to - from : REC_FRAME_BYTES;
	uint8_t *room = from < to ? malloc(most) : NULL;
	enum hs_status status = room == NULL && from < to ? HS_E_MEMORY : HS_OK;

	while (status == HS_OK && from < to) {
		const size_t n = to - from < most ? to - from : most;

		status = recorder_store_read(&p->store.records, from, room, n)
		                 ? rec_log_append(log, room, n)
		                 : HS_E_SYSTEM;
		if (each != NULL)
			each(of, log);
		from += n;
	}
	free(room);
	return status;
}

/* The log of a child begins with the first @bytes of its parent's. */
bool recorder_log_inherit(struct recorder_process *p, struct recorder_process *parent,
                          uint64_t bytes)
{
	enum hs_status status;

	if (!parent->is.finished)
		recorder_log_drain(parent);
	pthread_mutex_lock(&parent->store.lock);
	status = bytes > recorder_store_size(&parent->store.records)
	                 ? HS_E_FORMAT
	                 : recorder_log_read(parent, 0, bytes, &p->store.log, take_records, p);
	pthread_mutex_unlock(&parent->store.lock);
	return status == HS_OK && p->store.log.size == 0 && !p->is.damaged;
}

/* Read a record; false: it cannot be. */
static bool read_record(struct recorder_process *p, uint64_t at)
{
	struct hs_rec_log_head head;
	struct hs_rec_log_head *more;
	size_t n;

	if (!recorder_store_read(&p->store.records, at, &head, sizeof(head)) ||
	    head.size > HS_REC_LOG_MAX)
		return false;
	n = sizeof(head) + head.size;
	if (n > p->in.record_room) {
		more = realloc(p->in.record, n);
		if (more == NULL)
			return false;
		p->in.record = more;
		p->in.record_room = n;
	}
	if (!recorder_store_read(&p->store.records, at, p->in.record, n))
		return false;
	*p->in.record = head;
	return true;
}

const struct hs_rec_log_run *recorder_log_run(struct recorder_process *p, uint32_t run)
{
	uint32_t at;

	if (run >= p->store.runs)
		return NULL;
	if (!recorder_store_read(&p->store.places, sizeof(at) * (uint64_t)run, &at, sizeof(at)) ||
	    !read_record(p, 8 * (uint64_t)at)) {
		p->is.damaged = true;
		return NULL;
	}
	if (p->in.record->type != HS_REC_LOG_RUN)
		return NULL;
	p->is.damaged |= !rec_log_run_ok(p->in.record);
	return rec_log_run_ok(p->in.record) ? (const void *)(p->in.record + 1) : NULL;
}

/* Write a record that is not part of the log that is kept: that is a copy of the plugin's, and
 * children inherit it by its size. */
void recorder_log_resume(struct recorder_process *p, const struct hs_rec_log_resume *resume)
{
	struct {
		struct hs_rec_log_head head;
		struct hs_rec_log_resume resume;
	} record = { { HS_REC_LOG_RESUME, sizeof(*resume) }, *resume };

	rec_order_records(&record, sizeof(record));
	pthread_mutex_lock(&p->store.lock);
	rec_out_frame(&p->store.out, &p->store.zip, &record, sizeof(record));
	pthread_mutex_unlock(&p->store.lock);
}

void recorder_log_close(struct recorder_process *p)
{
	rec_out_close(&p->store.out);
	rec_zip_close(&p->store.zip);
	rec_log_free(&p->store.log);
	recorder_store_close(&p->store.records);
	recorder_store_close(&p->store.places);
	free(p->in.record);
	p->in.record = NULL;
}
