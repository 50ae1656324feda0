/* One side of a comparison, and its items of one hart after the other. */
#include <stdlib.h>

#include "commands/check_side.h"

/* ---- opening ------------------------------------------------------------------ */

static enum hs_status find_harts(struct side *s, struct hs_error *e)
{
	struct hs_rec_stream *stream;

	s->hart_count = hs_rec_get_info(s->rec)->harts;
	s->harts = calloc((size_t)s->hart_count + 1, sizeof(*s->harts));
	if (!s->harts)
		return hs_error_set(e, HS_E_MEMORY, "out of memory");
	for (uint32_t i = 0; i < s->hart_count; i++) {
		if (hs_rec_stream_open(s->rec, i, &stream, e) != HS_OK)
			return e->status;
		s->harts[i] = hs_rec_stream_hart(stream);
		hs_rec_stream_close(stream);
	}
	return HS_OK;
}

static enum hs_status open_recording(struct side *s, struct hs_error *e)
{
	const enum hs_status status = hs_rec_open(s->path, &s->rec, e);

	if (status != HS_OK)
		return status;
	if (hs_program_new(&s->program) != HS_OK)
		return hs_error_set(e, HS_E_MEMORY, "out of memory");
	if (hs_rec_get_info(s->rec)->program && *hs_rec_get_info(s->rec)->program)
		(void)hs_program_add_symbols(s->program, hs_rec_get_info(s->rec)->program, 0, NULL);
	if (hs_program_add_image(s->program, hs_rec_image(s->rec), e) != HS_OK)
		return e->status;
	return find_harts(s, e);
}

enum hs_status side_open(struct side *s, const struct options *o, const char *path, struct hs_error *e)
{
	struct hs_source_options so = o->source;

	s->path = path;
	if (hs_is_recording(path))
		return open_recording(s, e);
	so.path = path;
	so.names = true;
	return hs_source_open(&so, &s->source, e);
}

void side_close(struct side *s)
{
	hs_rec_stream_close(s->stream);
	hs_profile_free(s->profile);
	hs_source_close(s->source);
	hs_program_free(s->program);
	if (s->rec)
		free(s->harts);
	hs_rec_close(s->rec);
}

void side_meet(struct side *trace, const struct side *known)
{
	trace->harts = known->harts;
	trace->hart_count = known->hart_count;
}

enum hs_status side_count(struct side *s)
{
	const struct hs_source_options so = { .path = s->path, .hart = HS_ALL_HARTS };

	if (hs_rec_get_info(s->rec)->process_count && hs_source_open(&so, &s->source, NULL) != HS_OK)
		s->source = NULL; /* then instructions are counted by the snapshot alone */
	return hs_profile_new(s->source ? hs_source_program(s->source) : s->program,
	                      s->source ? hs_source_programs(s->source) : NULL, &s->profile);
}

struct hs_program *side_program(const struct side *s)
{
	return s->rec ? s->program : hs_source_program(s->source);
}

/* ---- reading ------------------------------------------------------------------ */

static enum hs_status start_recording(struct side *s, struct hs_error *e)
{
	for (uint32_t i = 0; i < s->hart_count; i++)
		if (s->harts[i] == s->hart || s->hart_count == 1)
			return hs_rec_stream_open(s->rec, i, &s->stream, e);
	return hs_error_set(e, HS_E_DIFFERS, "%s has no hart %u", s->path, s->hart);
}

enum hs_status side_start(struct side *s, uint32_t hart, struct hs_error *e)
{
	s->i = s->n = 0;
	s->over = false;
	s->hart = hart;
	if (s->rec) {
		hs_rec_stream_close(s->stream);
		s->stream = NULL;
		return start_recording(s, e);
	}
	s->now = UINT32_MAX;
	s->again = s->read;
	s->read = true;
	return s->again ? hs_source_rewind(s->source, e) : HS_OK;
}

/* Items of another hart come. */
static void turn(struct side *s, uint32_t hart)
{
	bool known = s->hart_count == 1 && s->now == UINT32_MAX;

	if (known)
		s->hart = hart;
	for (uint32_t i = 0; i < s->hart_count && s->hart_count > 1; i++)
		known |= s->harts[i] == hart;
	if (!known && hart != s->hart) {
		s->strange = true;
		s->stranger = hart;
	}
	s->now = hart;
}

static void keep_hart(struct side *s)
{
	size_t kept = 0;

	for (size_t i = 0; i < s->n; i++) {
		if (s->v[i].kind == HS_KIND_HART)
			turn(s, s->v[i].arg);
		else if (s->now == UINT32_MAX || s->now == s->hart)
			s->v[kept++] = s->v[i];
	}
	s->n = kept;
}

static enum hs_status read_some(struct side *s, struct hs_error *e)
{
	if (s->rec)
		return hs_rec_stream_next(s->stream, s->v, SIDE_BATCH, &s->n, e);
	const enum hs_status status = hs_source_next(s->source, s->v, SIDE_BATCH, &s->n, e);

	keep_hart(s);
	return status;
}

static void refill(struct side *s, struct damage *damage)
{
	struct hs_error e = { 0 };

	s->i = s->n = 0;
	while (!s->n && !s->over) {
		const enum hs_status status = read_some(s, &e);

		/* a stream of a recording ends with damage, a trace goes on behind it */
		s->over = status == HS_END || (s->rec && status != HS_OK);
		if (status != HS_OK && status != HS_END && !s->again)
			damage_add(damage, &e);
		if (s->profile)
			hs_profile_add(s->profile, s->v, s->n);
	}
}

static bool compared(const struct hs_block *b)
{
	return b->kind == HS_KIND_BLOCK || b->kind == HS_KIND_TRAP || b->kind == HS_KIND_GAP;
}

const struct hs_block *side_peek(struct side *s, struct damage *damage)
{
	for (;;) {
		while (s->i < s->n && !compared(&s->v[s->i]))
			s->i++;
		if (s->i < s->n)
			return &s->v[s->i];
		if (s->over)
			return NULL;
		refill(s, damage);
	}
}
