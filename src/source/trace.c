/* Sources: a trace, read in pieces. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <hartscope/trace_params.h>

#include "core/config.h"
#include "inputs/inputs.h"
#include "recording/recording.h"
#include "source/private.h"
#include "trace/trace.h"
#include "source/source.h"

#define SHARED_PIECES 4u /* that are worth several threads */
#define COUNTED_PIECES 16u

/* ---- parts and bytes ------------------------------------------------------------ */

static void free_decoder(struct source_trace *t)
{
	source_parallel_stop(t);
	source_slice_free(t);
	source_free_decoder(t);
	t->counted.memo = NULL;
	source_guide_free(t->code.guide);
	source_changes_free(t->code.events);
	t->code.guide = NULL;
	t->code.events = NULL;
	hs_reader_free(t->messages.reader);
	t->messages.reader = NULL;
}

enum hs_status source_go_on(struct source_trace *t, struct hs_error *error)
{
	if (!t->in.perf && (!t->parts || t->parts->now + 1 >= t->parts->count))
		return HS_END;
	if (t->parts) {
		source_keep_counts(t);
		free_decoder(t);
		t->in.left.n = 0;
		t->in.eof = false;
	}
	const enum hs_status status =
		t->in.perf ? source_next_buffer(t->in.perf, error) : source_next_part(t, error);

	if (status != HS_OK)
		return status;
	if (t->in.perf) {
		source_keep_counts(t);
		free_decoder(t);
	}
	t->messages.reader_base = 0;
	t->items = 0;
	t->begun = false;
	t->in.eof = t->in.eof && t->parts;
	t->ended = t->full = false;
	return HS_OK;
}

enum hs_status hs_source_next_part(struct hs_source *s, struct hs_error *error)
{
	if (s->kind != SOURCE_TRACE || !s->trace.parts)
		return HS_END;
	return source_go_on(&s->trace, error);
}

enum hs_status hs_source_read(struct hs_source *s, uint8_t *out, size_t cap, size_t *n,
                              struct hs_error *error)
{
	struct hs_span *left = &s->trace.in.left;

	*n = 0;
	if (s->kind != SOURCE_TRACE || (s->trace.parts && s->trace.ended))
		return HS_END;
	if (left->n) { /* the piece in which a discovery packet was looked for */
		*n = left->n < cap ? left->n : cap;
		memcpy(out, left->p, *n);
		left->p += *n;
		left->n -= *n;
		return HS_OK;
	}
	enum hs_status status = source_read_bytes(&s->trace, out, cap, n, error);

	if (status == HS_END && s->trace.in.perf)
		status = source_next_buffer(s->trace.in.perf, error);
	s->trace.in.bytes += *n;
	s->trace.ended |= s->trace.parts && status == HS_END && s->trace.in.bytes;
	if (status != HS_END || s->trace.in.bytes || s->trace.ended)
		return status;
	s->trace.ended = true;
	return source_nothing_read(&s->trace, error);
}

/* ---- the decoder -------------------------------------------------------------- */

static enum hs_status rewind_trace(struct hs_source *s, struct hs_error *error)
{
	struct source_trace *t = &s->trace;
	const bool decodes = source_decodes(t);
	enum hs_status status = HS_OK;

	if (t->parts)
		status = source_first_part(t, error);
	else if (!t->in.perf)
		status = hs_capture_rewind(t->in.capture, error);
	if (status != HS_OK)
		return status;
	if (t->in.perf)
		source_rewind_perf(t->in.perf);
	source_sum_restart(t);
	t->pool.threads = s->threads;
	t->in.left.n = t->counted.count_count = 0;
	t->in.bytes = t->items = 0;
	t->begun = false;
	t->in.eof = t->ended = t->full = false;
	free_decoder(t);
	return decodes ? source_new_decoder(s, error) : HS_OK;
}

static void close_trace(struct hs_source *s)
{
	struct source_trace *t = &s->trace;

	free_decoder(t);
	source_sum_stop(t);
	hs_capture_close(t->in.capture);
	source_close_perf(t->in.perf);
	hs_trace_params_free(t->parts ? t->own_params : t->params);
	source_parts_close(t);
	hs_code_changes_free(t->code.changes);
	free(t->in.buffer);
	free(t->counted.counts);
	free(t->in.name);
	if (t->in.fd > STDERR_FILENO)
		close(t->in.fd);
}

/* Several threads are of use where nothing but the bytes and the programs is needed to decode, and
 * where there are some pieces of them. */
static bool may_share(const struct hs_source *s)
{
	const struct source_trace *t = &s->trace;

	/* counting is so fast that a thread is worth it only for some more */
	const uint64_t least =
		(t->counted.memo ? COUNTED_PIECES : SHARED_PIECES) * (uint64_t)s->thread_bytes;

	return !t->in.perf && !t->parts && !t->code.search && !t->code.changes &&
	       (t->in.total ? t->in.total >= least : !t->counted.memo);
}

/* One thread decodes what is left. */
static enum hs_status leave_parallel(struct source_trace *t, struct hs_error *error)
{
	const enum hs_status status = source_parallel_end(t, error);

	source_parallel_stop(t);
	t->in.eof = status == HS_END || status == HS_E_SYSTEM;
	if (source_is_lost(t, status))
		source_decode_lose(t);
	return status == HS_END ? HS_OK : status;
}

/* The next items, of a perf.data of all its buffers. */
enum hs_status source_view_trace(struct hs_source *s, struct source_room *v, size_t *n,
                                 struct hs_error *error)
{
	struct source_trace *t = &s->trace;
	enum hs_status status;

	*n = 0;
	v->items = v->room;
	if (!source_decodes(t) && source_new_decoder(s, error) != HS_OK)
		return hs_error_set(error, HS_END, "out of memory");
	if (t->slice)
		return source_slice_next(t, v->room, v->cap, n, error);
	if (t->pool.threads > 1 && !t->counted.refers && may_share(s))
		source_parallel_start(s, t->pool.threads);
	t->pool.threads = 0;
	if (t->pool.parallel && source_parallel_next(t, v, n, &status, error))
		return status;
	if (t->pool.parallel)
		return leave_parallel(t, error);
	status = t->code.events ? source_next_changing(t, v->room, v->cap, n, error)
	                        : source_decode(t, v->room, v->cap, n, error);
	return status == HS_END ? source_go_on(t, error) : status;
}

static enum hs_status next_blocks(struct hs_source *s, struct hs_block *out, size_t cap, size_t *n,
                                  struct hs_error *error)
{
	struct source_room v = { .room = out, .cap = cap };
	const enum hs_status status = source_view_trace(s, &v, n, error);

	if (v.items != out)
		memcpy(out, v.items, *n * sizeof(*out));
	return status;
}

const struct source_ops source_trace_ops = { next_blocks, rewind_trace, close_trace };
