/* A flow: what a source has, as a recording on disk. */
#include <stdlib.h>

#include <hartscope/record.h>

#include "core/config.h"
#include "recording/recording.h"
#include "source/source.h"

struct hs_flow_writer {
	struct hs_flow_options o;
	struct hs_rec_writer *writer; /* NULL: blocks are only counted */
	struct hs_flow_counts own, *counts; /* those of the options, or its own */
	struct hs_error error;
};

/* ---- beginning and end ---------------------------------------------------------------- */

static enum hs_status code_of(void *source, uint32_t number, struct hs_section *code)
{
	return hs_source_code(source, number, code);
}

static enum hs_status create(struct hs_flow_writer *w, struct hs_error *e)
{
	struct hs_source *source = w->o.source;
	struct hs_program *program = hs_source_program(source);
	struct hs_rec_writer_options wo = {
		.size = sizeof(wo),
		.xlen = hs_program_image(program)->isa.xlen,
		.program = hs_source_known(source)->program_path,
		.source = w->o.made_by,
		.versions = code_of,
		.versions_of = source,
		.threads = w->o.threads,
	};

	wo.processes = hs_source_processes(source, &wo.process_count);
	if (w->o.bare)
		return hs_rec_create(w->o.path, &wo, &w->writer, e);
	return hs_rec_create_of(w->o.path, program, &wo,
	                        &(struct hs_rec_notes){ w->o.report, w->o.to }, &w->writer, e);
}

enum hs_status hs_flow_create(const struct hs_flow_options *options, struct hs_flow_writer **flow,
                              struct hs_error *error)
{
	struct hs_flow_writer *w = calloc(1, sizeof(*w));
	enum hs_status s = HS_OK;

	*flow = NULL;
	if (!w)
		return hs_error_set(error, HS_E_MEMORY, "out of memory");
	if (base_take_config(&w->o, sizeof(w->o), options) != HS_OK || !w->o.source)
		s = hs_error_set(error, HS_E_CONFIG,
		                 "struct hs_flow_options: wrong size, or no source");
	else if (w->o.path)
		s = create(w, error);
	w->counts = w->o.counts ? w->o.counts : &w->own;
	*w->counts = (struct hs_flow_counts){ 0 };
	if (s == HS_OK)
		*flow = w;
	else
		free(w);
	return s;
}

enum hs_status hs_flow_finish(struct hs_flow_writer *w, enum hs_flow_end how, const char *end,
                              struct hs_error *error)
{
	enum hs_status s = HS_OK;

	if (!w)
		return HS_OK;
	if (how == HS_FLOW_DISCARD)
		hs_rec_discard(w->writer);
	else if (w->writer)
		s = hs_rec_finish(w->writer, how == HS_FLOW_WHOLE, end, error);
	free(w);
	return s;
}

/* ---- items ---------------------------------------------------------------------------- */

/* Fetched ahead: items come from the cache of the core that made them. */
#define FETCHED 2048

static void count_items(struct hs_flow_counts *c, const struct hs_block *b, size_t n)
{
	uint64_t events = 0, gaps = 0;

	for (size_t i = 0; i < n; i++) {
		__builtin_prefetch((const char *)&b[i] + FETCHED);
		events += b[i].kind != HS_KIND_BLOCK;
		gaps += b[i].kind == HS_KIND_GAP;
	}
	c->blocks += n - events;
	c->gaps += gaps;
}

enum hs_status hs_flow_write(struct hs_flow_writer *w, const struct hs_block *items, size_t n,
                             struct hs_error *error)
{
	count_items(w->counts, items, n);
	return w->writer ? hs_rec_write(w->writer, items, n, error) : HS_OK;
}

enum hs_status hs_flow_add_part(struct hs_flow_writer *w, const char *path, struct hs_error *error)
{
	return w->writer ? hs_rec_add_part(w->writer, path, error) : HS_OK;
}

/* ---- what threads do ---------------------------------------------------------------- */

/* The share of one thread. */
struct flow_worker {
	struct hs_rec_numbers *numbers; /* NULL: blocks are only counted */
};

struct flow_share {
	struct hs_flow_counts counts;
	struct hs_rec_numbered *items;
};

static void *begin_share(void *to)
{
	const struct hs_flow_writer *w = to;
	struct flow_worker *worker = calloc(1, sizeof(*worker));

	if (worker && w->writer && hs_rec_numbers_new(&worker->numbers) != HS_OK) {
		free(worker);
		return NULL;
	}
	return worker;
}

static void end_share(void *worker)
{
	struct flow_worker *w = worker;

	hs_rec_numbers_free(w->numbers);
	free(w);
}

static bool add_share(void *worker, void **share, const struct hs_block *b, size_t n)
{
	const struct flow_worker *w = worker;

	if (!*share)
		*share = calloc(1, sizeof(struct flow_share));
	struct flow_share *s = *share;

	if (!s)
		return false;
	count_items(&s->counts, b, n);
	return !w->numbers || hs_rec_number(w->numbers, &s->items, b, n) == HS_OK;
}

static void take_share(void *to, void *worker, const void *share)
{
	const struct flow_worker *w = worker;
	const struct flow_share *s = share;
	struct hs_flow_writer *flow = to;

	flow->counts->blocks += s->counts.blocks;
	flow->counts->gaps += s->counts.gaps;
	if (s->items && flow->error.status == HS_OK)
		hs_rec_write_numbered(flow->writer, w->numbers, s->items, &flow->error);
}

static void clear_share(void *share)
{
	struct flow_share *s = share;

	s->counts = (struct hs_flow_counts){ 0 };
	if (s->items)
		hs_rec_numbered_clear(s->items);
}

static void free_share(void *share)
{
	struct flow_share *s = share;

	hs_rec_numbered_free(s->items);
	free(s);
}

/* ---- a source ------------------------------------------------------------------------- */

static bool is_stopped(const struct hs_flow_writer *w, uint64_t items)
{
	return w->o.stop && w->o.stop(w->o.to, items);
}

/* Some items, or none.  HS_END: there are no more. */
static enum hs_status read_some(struct hs_flow_writer *w, uint64_t *done)
{
	const struct hs_block *items;
	struct hs_error e = { 0 };
	size_t n = 0;
	const enum hs_status s = hs_source_view(w->o.source, &items, &n, &e);

	if (s != HS_OK && s != HS_END && w->o.report)
		w->o.report(w->o.to, &e);
	if (n && w->error.status == HS_OK)
		hs_flow_write(w, items, n, &w->error);
	*done += n;
	return s;
}

enum hs_status hs_flow_read(struct hs_flow_writer *w, struct hs_error *error)
{
	const struct hs_source_work work = {
		.to = w,
		.begin = begin_share,
		.end = end_share,
		.add = add_share,
		.take = take_share,
		.clear = clear_share,
		.free = free_share,
	};
	enum hs_status s = HS_OK;
	uint64_t done = 0;
	bool stopped = false;

	source_share(w->o.source, &work);
	while (s != HS_END && !stopped && w->error.status == HS_OK) {
		s = read_some(w, &done);
		stopped = is_stopped(w, done);
	}
	if (w->error.status != HS_OK)
		return hs_error_set(error, w->error.status, "%s", w->error.text);
	return stopped ? hs_error_set(error, HS_E_CUT, "stopped") : HS_OK;
}
