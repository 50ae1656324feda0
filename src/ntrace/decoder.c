/* A stream of messages, split by source in one pass (NT 11.2). */
#include "ntrace/source.h"
#include "ntrace/tables.h"

#include "base/mem.h"

enum hs_status hs_nt_decoder_init(struct hs_nt_decoder *d, const struct hs_nt_config *config,
                                  struct hs_bb_table *table, struct hs_nt_source *sources,
                                  size_t source_count)
{
	struct hs_nt_config own;
	const enum hs_status s = nt_config_take(&own, config);

	if (s != HS_OK)
		return s;
	if (source_count == 0)
		return HS_E_ARG;
	memset(d, 0, sizeof *d);
	memcpy(&d->config, &own, sizeof d->config);
	hs_nt_reader_init(&d->reader, d->config.src_bits);
	stream_init(&d->stream, table, sources, sizeof *sources, source_count, d->config.src_bits != 0);
	d->dialect = hs_nt_dialect_get(own.dialect);
	return HS_OK;
}

void hs_nt_decoder_programs(struct hs_nt_decoder *d, struct hs_bb_table *const *tables,
                            const uint64_t *contexts, size_t count)
{
	d->stream.tables = tables;
	d->stream.contexts = contexts;
	d->stream.table_count = count;
}

const struct hs_nt_diag *hs_nt_decoder_diag(const struct hs_nt_decoder *d)
{
	return &d->diag;
}

const struct hs_nt_stats *hs_nt_decoder_stats(const struct hs_nt_decoder *d)
{
	return &d->stats;
}

/* A call of hs_nt_decoder_next(). */
struct job {
	struct hs_nt_decoder *d;
	struct hs_span *in;
};

static void blame(void *decoder, const struct flow_fault *f, uint64_t pc)
{
	struct hs_nt_decoder *d = ((struct job *)decoder)->d;

	d->diag.status = f->status;
	d->diag.clause = f->clause;
	d->diag.why = f->why;
	d->diag.pc = pc;
	d->diag.msg = d->msg;
	d->stats.errors++;
	stream_blame(&d->stream, f->status, d->msg.offset);
}

static void gap(void *decoder, struct hs_track *t, struct flow_out *out)
{
	struct hs_nt_decoder *d = ((struct job *)decoder)->d;

	stream_put_gap(&d->stream, t, out);
	flow_forget(&t->walk);
	/* A synchronising message that contradicts what came before still says where we are. */
	if (stream_at_hand(&d->stream, t))
		nt_source_sync(d, (struct hs_nt_source *)t, out);
}

/* No message could be read, so that no one knows whose it was: every source loses its place.
 * A capture may begin in mid-message: what precedes the first good message is no error. */
static void bad_message(struct job *j, enum hs_status status)
{
	const struct flow_fault f = {
		status,
		status == HS_E_FRAMING ? "NT 3.1" : status == HS_E_LONG ? "NT 3" : "NT 6.1",
		hs_status_text(status)
	};
	const uint64_t pc = stream_lose(&j->d->stream);

	if (j->d->stream.count || status == HS_E_LONG)
		blame(j, &f, pc);
}

/* One source, in BTM, between two messages? */
static bool plain_btm(const struct hs_nt_decoder *d)
{
	const struct hs_nt_source *s = d->stream.sources;

	return d->stream.count == 1 && d->config.src_bits == 0 && d->reader.held == 0 &&
	       !d->reader.skipping && s->track.state == TRACK_SYNCED && s->mode == HS_NT_BTM &&
	       s->icnt_full == 0 && s->icnt_used == 0;
}

static enum hs_status next(void *decoder, struct flow_out *out)
{
	static const struct flow_fault full = { HS_E_SPACE, "NT 11.2", "more sources than memory was given for" };
	struct job *j = decoder;
	struct hs_nt_decoder *d = j->d;
	bool fresh;

	if (plain_btm(d) && nt_source_direct(d, d->stream.sources, j->in, out)) {
		d->stream.current = 0;
		return HS_OK;
	}
	const enum hs_status s = hs_nt_read(&d->reader, j->in, &d->msg);
	if (s == HS_MORE)
		return s;
	if (s != HS_OK) {
		bad_message(j, s);
		return HS_OK;
	}
	d->stats.messages[d->msg.tcode]++;
	d->stats.bytes[d->msg.tcode] += d->msg.length;
	struct hs_track *t = stream_find(&d->stream, d->msg.src, &fresh);

	if (fresh)
		nt_source_init(d, (struct hs_nt_source *)t);
	if (!t)
		blame(j, &full, 0);
	return HS_OK;
}

static enum hs_status run(void *decoder, struct hs_track *t, struct flow_out *out, struct flow_fault *f)
{
	return nt_source_run(((struct job *)decoder)->d, (struct hs_nt_source *)t, out, f);
}

static void close(void *decoder, struct hs_track *t, struct flow_out *out)
{
	if (!flow_open(&t->walk))
		return;
	stream_put_hart(&((struct job *)decoder)->d->stream, t, out);
	flow_close(&t->walk, t->table, HS_ITYPE_NONE, out);
}

static const struct stream_ops ops = {
	.room = NT_STEP_ROOM, .next = next, .run = run, .blame = blame, .gap = gap, .close = close,
};

enum hs_status hs_nt_decoder_next(struct hs_nt_decoder *d, struct hs_span *in,
                                  struct hs_block *out, size_t cap, size_t *n)
{
	struct flow_out sheet = { out, out + cap };
	struct job j = { d, in };

	*n = 0;
	if (cap < HS_NT_DECODE_ROOM)
		return HS_E_SPACE;
	const enum hs_status s = stream_run(&d->stream, &ops, &j, &sheet);

	*n = (size_t)(sheet.p - out);
	return s;
}

enum hs_status hs_nt_decoder_end(struct hs_nt_decoder *d, struct hs_block *out, size_t cap,
                                 size_t *n)
{
	const struct flow_fault cut = { HS_E_TRUNCATED, "NT 3.1", hs_status_text(HS_E_TRUNCATED) };
	struct flow_out sheet = { out, out + cap };
	struct job j = { d, NULL };

	*n = 0;
	if (cap < HS_NT_DECODE_ROOM)
		return HS_E_SPACE;
	const bool closed = stream_close(&d->stream, &ops, &j, &sheet);

	*n = (size_t)(sheet.p - out);
	if (!closed)
		return HS_FULL;
	if (hs_nt_reader_end(&d->reader) == HS_OK)
		return HS_OK;
	d->msg.offset = d->reader.start;
	blame(&j, &cut, 0);
	d->stream.fault = HS_OK;
	d->reader.held = 0;
	d->reader.skipping = false;
	return HS_E_TRUNCATED;
}
