/* A stream of packets, split by source in one pass. */
#include "etrace/source.h"

#include "base/mem.h"

enum hs_status hs_et_decoder_init(struct hs_et_decoder *d, const struct hs_et_config *config,
                                  struct hs_bb_table *table, struct hs_et_source *sources,
                                  size_t source_count)
{
	const enum hs_status s = hs_et_config_check(config);

	if (s != HS_OK)
		return s;
	if (source_count == 0)
		return HS_E_ARG;
	memset(d, 0, sizeof *d);
	memcpy(&d->config, config, sizeof d->config);
	hs_et_reader_init(&d->reader, config);
	stream_init(&d->stream, table, sources, sizeof *sources, source_count, config->src_bits != 0);
	return HS_OK;
}

void hs_et_decoder_programs(struct hs_et_decoder *d, struct hs_bb_table *const *tables,
                            const uint64_t *contexts, size_t count)
{
	d->stream.tables = tables;
	d->stream.contexts = contexts;
	d->stream.table_count = count;
}

const struct hs_et_diag *hs_et_decoder_diag(const struct hs_et_decoder *d)
{
	return &d->diag;
}

const struct hs_et_stats *hs_et_decoder_stats(const struct hs_et_decoder *d)
{
	return &d->stats;
}

/* A call of hs_et_decoder_next(). */
struct job {
	struct hs_et_decoder *d;
	struct hs_span *in;
};

static void blame(void *decoder, const struct flow_fault *f, uint64_t pc)
{
	struct hs_et_decoder *d = ((struct job *)decoder)->d;

	d->diag.status = f->status;
	d->diag.clause = f->clause;
	d->diag.why = f->why;
	d->diag.pc = pc;
	d->diag.packet = d->packet;
	d->stats.errors++;
	stream_blame(&d->stream, f->status, d->packet.offset);
}

static void gap(void *decoder, struct hs_track *t, struct flow_out *out)
{
	struct hs_et_decoder *d = ((struct job *)decoder)->d;
	struct hs_et_source *s = (struct hs_et_source *)t;

	et_draft_lose(d, s);
	stream_put_gap(&d->stream, t, out);
	s->phase = ET_FRESH;
	s->inferred = false;
	if (stream_at_hand(&d->stream, t))
		et_source_sync(d, s, out);
}

/* Read one packet, which may be none of ours; where srcID was not read either every source loses its place. */
static enum hs_status next(void *decoder, struct flow_out *out)
{
	static const struct flow_fault full = { HS_E_SPACE, "EE srcID", "more sources than memory was given for" };
	struct job *j = decoder;
	struct hs_et_decoder *d = j->d;
	const enum hs_status s = hs_et_read(&d->reader, j->in, &d->packet);
	bool fresh;

	(void)out;
	if (s == HS_MORE)
		return s;
	if (s != HS_OK) {
		const struct flow_fault f = { s, et_bad_clause(&d->config, &d->packet), hs_status_text(s) };

		blame(j, &f, stream_lose(&d->stream));
		return HS_OK;
	}
	d->stats.packets[d->packet.form]++;
	d->stats.bytes[d->packet.form] += d->packet.length;
	if (d->packet.form == HS_ET_FORM_OTHER)
		return HS_OK;
	struct hs_track *t = stream_find(&d->stream, d->packet.src, &fresh);

	if (fresh)
		et_source_init(d, (struct hs_et_source *)t);
	if (!t)
		blame(j, &full, 0);
	return HS_OK;
}

static enum hs_status run(void *decoder, struct hs_track *t, struct flow_out *out, struct flow_fault *f)
{
	return et_source_run(((struct job *)decoder)->d, (struct hs_et_source *)t, out, f);
}

static void close(void *decoder, struct hs_track *t, struct flow_out *out)
{
	struct hs_et_decoder *d = ((struct job *)decoder)->d;

	stream_put_hart(&d->stream, t, out);
	et_source_close(d, (struct hs_et_source *)t, out);
}

static const struct stream_ops ops = {
	.room = ET_STEP_ROOM, .next = next, .run = run, .blame = blame, .gap = gap, .close = close,
};

enum hs_status hs_et_decoder_next(struct hs_et_decoder *d, struct hs_span *in,
                                  struct hs_block *out, size_t cap, size_t *n)
{
	struct flow_out sheet = { out, out + cap };
	struct job j = { d, in };

	*n = 0;
	if (cap < HS_ET_DECODE_ROOM)
		return HS_E_SPACE;
	const enum hs_status s = stream_run(&d->stream, &ops, &j, &sheet);

	*n = (size_t)(sheet.p - out);
	return s;
}

enum hs_status hs_et_decoder_end(struct hs_et_decoder *d, struct hs_block *out, size_t cap, size_t *n)
{
	const struct flow_fault cut = { HS_E_TRUNCATED, "EE Header", hs_status_text(HS_E_TRUNCATED) };
	struct flow_out sheet = { out, out + cap };
	struct job j = { d, NULL };

	*n = 0;
	if (cap < HS_ET_DECODE_ROOM)
		return HS_E_SPACE;
	const bool closed = stream_close(&d->stream, &ops, &j, &sheet);

	*n = (size_t)(sheet.p - out);
	if (!closed)
		return HS_FULL;
	if (hs_et_reader_end(&d->reader) == HS_OK)
		return HS_OK;
	d->packet.offset = d->reader.start;
	d->packet.form = HS_ET_FORM_OTHER;
	blame(&j, &cut, 0);
	d->stream.fault = HS_OK;
	d->reader.held = 0;
	return HS_E_TRUNCATED;
}
