/* Sources of a stream: found, lost.
 *
 * A stream has messages of several harts in turn; each hart is a source with a track: the program
 * of its context, its walk, and whether it is synchronised (enum track_state).  Example: hart 1 is
 * followed, and a message cannot be read, so that nobody knows whose it was: each track that was
 * synchronised becomes TRACK_LOSING, and the loop (loop.h) writes its gap.
 *
 * Invariants: a source keeps its place in the array for ever.  With a guide (several versions of
 * the code) blocks are counted as they are written, since the guide names the block before which
 * code changes; blocks that a gap stands for are counted from the next synchronisation on.
 */
#include <hartscope/status.h>

#include "flow/stream.h"

#include "core/image.h"
#include "core/mem.h"

enum hs_status stream_init(struct hs_stream *s, struct hs_bb_table *table, struct hs_track *tracks,
                           size_t size, size_t capacity, bool several)
{
	if (capacity == 0)
		return HS_E_ARG;
	memset(s, 0, sizeof *s);
	s->table = table;
	s->tracks = tracks;
	s->size = size;
	s->capacity = capacity;
	s->several = several;
	s->hart = UINT32_MAX;
	s->limit = HS_MESSAGE_BLOCKS;
	return HS_OK;
}

void stream_set_options(struct hs_stream *s, const struct hs_decoder_options *o)
{
	s->limit = o->message_blocks ? o->message_blocks : HS_MESSAGE_BLOCKS;
	s->guide = o->guide;
	s->tables = o->tables;
	s->contexts = o->contexts;
	s->table_count = o->count;
	s->others_run_first = o->others_run_first;
	if (!o->count)
		return;
	memset(&s->nothing.image, 0, sizeof s->nothing.image);
	s->nothing.image.isa = s->table->image->isa;
	hs_bb_init(&s->nothing.table, &s->nothing.image, s->nothing.memory, 16);
}

struct hs_bb_table *stream_program(struct hs_stream *s, uint64_t context)
{
	if (s->table_count == 0)
		return NULL;
	for (size_t i = 0; i < s->table_count; i++)
		if (s->contexts[i] == context)
			return s->tables[i];
	return s->others_run_first ? s->table : &s->nothing.table;
}

/* E-Trace: the walk stands after the first instruction of a block.  It may now be another one. */
static void reread_insn(struct hs_walk *w, const struct hs_bb_table *t)
{
	struct hs_insn insn;

	if (w->acc == 0 && w->off && hs_img_insn(t->image, w->pc, &insn) == HS_OK)
		w->off = insn.hwords;
}

/* Does it stand there, and not further on? */
static bool after_first_insn(const struct hs_walk *w, const struct hs_bb_table *t)
{
	struct hs_insn insn;

	return w->acc == 0 && w->off && hs_img_insn(t->image, w->pc, &insn) == HS_OK &&
	       w->off == insn.hwords;
}

void stream_count_blocks(struct hs_stream *s, struct hs_track *t)
{
	uint64_t n = 0;

	for (; s->counted != *s->end; s->counted++)
		n += s->counted->kind == HS_KIND_BLOCK;
	t->since += n;
	if (t->adrift || t->until == HS_GUIDE_NEVER)
		return;
	while (n >= t->until) {
		n -= t->until;
		t->until = s->guide->reach(s->guide->to, t->src);
		reread_insn(&t->walk, t->table);
	}
	if (t->until != HS_GUIDE_NEVER)
		t->until -= n;
}

void stream_place(struct hs_stream *s, struct hs_track *t, uint64_t offset)
{
	if (!t->adrift)
		return;
	const bool first = after_first_insn(&t->walk, t->table);

	s->guide->place(s->guide->to, t->src, offset);
	if (first)
		reread_insn(&t->walk, t->table);
}

void stream_expect(struct hs_stream *s, unsigned src, uint64_t blocks)
{
	const size_t i = stream_find(s, src);

	if (i == s->count)
		return;
	stream_track(s, i)->until = blocks;
	stream_track(s, i)->adrift = false;
}

/* Do both have the same calls in mind, where that matters? */
static bool same_returns(const struct hs_walk *a, const struct hs_walk *b)
{
	const struct hs_returns *x = (const void *)((const uint8_t *)a + a->returns),
				*y = (const void *)((const uint8_t *)b + b->returns);

	if (!(a->rules & FLOW_RETURNS))
		return true;
	if (x->count != y->count)
		return false;
	for (uint32_t i = 1; i <= x->count; i++)
		if (x->at[(x->top - i) % HS_RETURNS] != y->at[(y->top - i) % HS_RETURNS])
			return false;
	return true;
}

bool stream_same_track(const struct hs_track *a, const struct hs_track *b)
{
	const struct hs_walk *x = &a->walk, *y = &b->walk;

	return a->state == b->state && a->table == b->table && a->hidden == b->hidden &&
	       (!a->hidden || (a->unseen == b->unseen && a->unseen_at == b->unseen_at)) &&
	       x->pc == y->pc && x->off == y->off && x->acc == y->acc && x->priv == y->priv &&
	       (x->off || !x->acc || x->last == y->last) && same_returns(x, y);
}

bool stream_get_place(const struct hs_stream *s, unsigned src, struct hs_code_place *place)
{
	const size_t i = stream_find(s, src);

	if (i == s->count)
		return false;
	const struct hs_track *t = stream_track(s, i);

	*place = (struct hs_code_place){ t->placed, t->since,
		                         t->walk.pc - 2u * (uint64_t)t->walk.acc,
		                         flow_pc(&t->walk) };
	return true;
}

static void begin_guided(struct hs_stream *s, struct hs_track *t)
{
	t->until = s->guide->begin(s->guide->to, t->src, &t->table);
	if (t->until != HS_GUIDE_ADRIFT)
		return;
	t->until = HS_GUIDE_NEVER;
	t->adrift = true;
}

size_t stream_find(const struct hs_stream *s, unsigned src)
{
	size_t i = 0;

	while (i < s->count && stream_track(s, i)->src != src)
		i++;
	return i;
}

size_t stream_find_losing(const struct hs_stream *s)
{
	size_t i = 0;

	while (i < s->count && stream_track(s, i)->state != TRACK_LOSING)
		i++;
	return i;
}

bool stream_select(struct hs_stream *s, unsigned src, bool *fresh)
{
	const size_t i = stream_find(s, src);

	*fresh = i == s->count && i < s->capacity;
	if (*fresh) {
		s->count++;
		memset(stream_track(s, i), 0, s->size);
		stream_track(s, i)->src = (uint16_t)src;
		stream_track(s, i)->table = s->table;
		if (s->guide)
			begin_guided(s, stream_track(s, i));
	}
	s->current = i;
	return i < s->count;
}

struct hs_block *stream_put_event(struct flow_out *out, unsigned kind)
{
	struct hs_block *b = out->p++;

	memset(b, 0, sizeof *b);
	b->kind = (uint8_t)kind;
	return b;
}

void stream_put_hart(struct hs_stream *s, const struct hs_track *t, struct flow_out *out)
{
	if (!s->several || s->hart == t->src)
		return;
	stream_put_event(out, HS_KIND_HART)->arg = t->src;
	s->hart = t->src;
}

void stream_hide(struct hs_track *t, uint64_t at)
{
	t->unseen = 0;
	t->unseen_at = at;
	t->hidden = true;
}

void stream_put_unseen(struct hs_stream *s, struct hs_track *t, unsigned unit, struct flow_out *out)
{
	if (!t->hidden)
		return;
	stream_put_hart(s, t, out);
	struct hs_block *b = stream_put_event(out, HS_KIND_UNSEEN);

	b->value = t->unseen_at;
	b->arg = t->unseen < UINT32_MAX ? (uint32_t)t->unseen : UINT32_MAX;
	b->itype = (uint8_t)unit;
	t->hidden = false;
}

void stream_put_gap(struct hs_stream *s, struct hs_track *t, unsigned unit, struct flow_out *out)
{
	stream_put_hart(s, t, out);
	stream_put_unseen(s, t, unit, out);
	flow_refresh(&t->walk, t->table);
	if (flow_open(&t->walk))
		flow_close(&t->walk, t->table, HS_ITYPE_NONE, out);
	struct hs_block *gap = stream_put_event(out, HS_KIND_GAP);

	gap->value = s->offset;
	gap->arg = s->fault;
	t->state = TRACK_LOST;
	t->adrift = true;
	t->until = HS_GUIDE_NEVER;
	t->walk.acc = 0;
	t->walk.off = 0;
}

size_t stream_lose(struct hs_stream *s, uint64_t *pc)
{
	size_t lost = 0;

	*pc = 0;
	for (size_t i = 0; i < s->count; i++) {
		struct hs_track *t = stream_track(s, i);

		if (t->state != TRACK_SYNCED && t->state != TRACK_TRAPPED &&
		    t->state != TRACK_UNSEEN)
			continue;
		t->state = TRACK_LOSING;
		*pc = flow_pc(&t->walk);
		lost++;
	}
	stream_done(s);
	return lost;
}

bool stream_has_no_code(const struct hs_track *t)
{
	return t->state == TRACK_UNSEEN || hs_bb_at(t->table, t->walk.pc) < HS_BB_FIRST;
}
