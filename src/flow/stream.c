/* Sources of a stream: found, lost, closed. */
#include "flow/stream.h"

#include "base/mem.h"

void stream_init(struct hs_stream *s, struct hs_bb_table *table, void *sources, size_t size, size_t capacity,
                 bool several)
{
	memset(s, 0, sizeof *s);
	s->table = table;
	s->sources = sources;
	s->size = size;
	s->capacity = capacity;
	s->several = several;
	s->hart = UINT32_MAX;
}

struct hs_bb_table *stream_program(const struct hs_stream *s, uint64_t context)
{
	for (size_t i = 0; i < s->table_count; i++)
		if (s->contexts[i] == context)
			return s->tables[i];
	return NULL;
}

struct hs_track *stream_find(struct hs_stream *s, unsigned src, bool *fresh)
{
	size_t i = 0;

	while (i < s->count && stream_track(s, i)->src != src)
		i++;
	*fresh = i == s->count && i < s->capacity;
	if (*fresh) {
		s->count++;
		memset(stream_track(s, i), 0, s->size);
		stream_track(s, i)->src = (uint16_t)src;
		stream_track(s, i)->table = s->table;
	}
	s->current = i;
	return i < s->count ? stream_track(s, i) : NULL;
}

void stream_put_hart(struct hs_stream *s, const struct hs_track *t, struct flow_out *out)
{
	if (!s->several || s->hart == t->src)
		return;
	memset(out->p, 0, sizeof *out->p);
	out->p->kind = HS_KIND_HART;
	out->p->arg = t->src;
	out->p++;
	s->hart = t->src;
}

void stream_put_gap(struct hs_stream *s, struct hs_track *t, struct flow_out *out)
{
	stream_put_hart(s, t, out);
	if (flow_open(&t->walk))
		flow_close(&t->walk, t->table, HS_ITYPE_NONE, out);
	memset(out->p, 0, sizeof *out->p);
	out->p->kind = HS_KIND_GAP;
	out->p->value = s->offset;
	out->p->arg = s->fault;
	out->p++;
	t->state = TRACK_LOST;
	t->timed = false;
	t->walk.acc = 0;
	t->walk.off = 0;
}

uint64_t stream_lose(struct hs_stream *s)
{
	uint64_t pc = 0;

	for (size_t i = 0; i < s->count; i++) {
		struct hs_track *t = stream_track(s, i);

		if (t->state != TRACK_SYNCED && t->state != TRACK_TRAPPED)
			continue;
		t->state = TRACK_LOSING;
		pc = flow_pc(&t->walk);
	}
	stream_done(s);
	return pc;
}

bool stream_gaps(struct hs_stream *s, const struct stream_ops *ops, void *decoder, struct flow_out *out)
{
	for (size_t i = 0; i < s->count; i++) {
		if (stream_track(s, i)->state != TRACK_LOSING)
			continue;
		if (out->end - out->p < (int)ops->room)
			return false;
		ops->gap(decoder, stream_track(s, i), out);
	}
	return true;
}

bool stream_close(struct hs_stream *s, const struct stream_ops *ops, void *decoder, struct flow_out *out)
{
	for (size_t i = 0; i < s->count; i++) {
		if (stream_track(s, i)->state != TRACK_SYNCED)
			continue;
		if (out->end - out->p < (int)ops->room)
			return false;
		ops->close(decoder, stream_track(s, i), out);
		stream_track(s, i)->state = TRACK_OFF;
	}
	return true;
}
