/* A stream of messages, split by source in one pass (NT 11.2): what N-Trace does in the loop.
 *
 * flow/loop.h, included below, asks for a message, gives it to its source, and writes gaps.  Here
 * is what is N-Trace's own: reading a message, the three phases of the source (source.h), and what
 * a fault ends.
 *
 * Invariant: a fault ends only the flow of the source it belongs to.  If SRC could not be read
 * that is every source: each writes a gap and waits for its next synchronising message.
 */
#include "ntrace/nt_message.h"
#include "ntrace/source.h"
#include "ntrace/tables.h"

#include "core/mem.h"
#include "flow/flow.h"
#include "ntrace/nt_decoder.h"
#include "ntrace/nt_reader.h"

enum hs_status hs_nt_decoder_init(struct hs_nt_decoder *d, const struct hs_nt_config *config,
                                  struct hs_bb_table *table, struct hs_nt_source *sources,
                                  size_t source_count)
{
	struct hs_nt_config own;
	const enum hs_status s = nt_config_take(&own, config);

	if (s != HS_OK)
		return s;
	memset(d, 0, sizeof *d);
	memcpy(&d->config, &own, sizeof d->config);
	d->dialect = hs_nt_dialect_get(own.dialect);
	d->top = nt_top_of(&own);
	d->top_is_sent = own.extend_addr && !own.address_bits;
	d->sources = sources;
	hs_nt_reader_init(&d->reader, d->config.src_bits);
	hs_nt_reader_set_dialect(&d->reader, own.dialect);
	return stream_init(&d->stream, table, &sources->track, sizeof *sources, source_count,
	                   d->config.src_bits != 0);
}

const struct hs_nt_diag *hs_nt_decoder_diag(const struct hs_nt_decoder *d)
{
	return &d->diag;
}

const struct hs_nt_stats *hs_nt_decoder_stats(const struct hs_nt_decoder *d)
{
	return &d->stats;
}

/* ---- faults --------------------------------------------------------------------- */

/* No message could be read, so that its source is not known: all of them lose synchronisation.
 * A capture may begin inside a message: bytes before the first good one are no error. */
static void bad_message(struct hs_nt_decoder *d, enum hs_status status)
{
	const enum hs_reason reason = status == HS_E_FRAMING ? HS_REASON_FRAMING :
	                              status == HS_E_LONG    ? HS_REASON_LONG
	                                                     : HS_REASON_FIELD;
	uint64_t pc;

	stream_lose(&d->stream, &pc);
	if (d->stream.count || status == HS_E_LONG)
		nt_fault(d, reason, pc);
}

void hs_nt_decoder_lose(struct hs_nt_decoder *d)
{
	uint64_t pc;

	d->reader.held = 0;
	d->reader.skipping = false;
	if (stream_lose(&d->stream, &pc) == 0 || d->stream.fault != HS_OK)
		return;
	memset(&d->msg, 0, sizeof d->msg);
	d->msg.offset = d->reader.offset;
	nt_fault(d, HS_REASON_INPUT_LOST, pc);
}

/* The flow left the code that is known: the addresses of messages say where it comes back. */
static void write_hole(struct hs_nt_decoder *d, struct hs_nt_source *s, struct flow_out *out)
{
	struct hs_walk *w = &s->track.walk;
	const uint64_t at = flow_pc(w);

	if (d->diag.reason == HS_REASON_RETURN_UNSEEN)
		flow_close_jump(w, s->track.table, out);
	stream_put_gap(&d->stream, &s->track, HS_UNSEEN_HALFWORDS, out);
	stream_count(&d->stream, &s->track);
	stream_hide(&s->track, at);
	flow_forget(w);
	nt_source_hide(s);
}

/* Error says when the first message was lost (NT 7.4). */
static void put_error_time(const struct hs_nt_decoder *d, const struct hs_nt_source *s,
                           struct flow_out *out)
{
	const uint64_t stamp = GET(&d->msg, TSTAMP), time = s->track.time;

	if (d->msg.tcode == HS_NT_ERROR && HAS(&d->msg, TSTAMP) && s->track.timed)
		nt_put_event(out, HS_KIND_TIME,
		             d->dialect->tstamp_xor ? time ^ stamp : time + stamp, 0);
}

static void write_gap(struct hs_nt_decoder *d, struct hs_nt_source *s, bool current,
                      struct flow_out *out)
{
	if (current && nt_enters_unknown(d)) {
		write_hole(d, s, out);
		return;
	}
	stream_put_gap(&d->stream, &s->track, HS_UNSEEN_HALFWORDS, out);
	if (current)
		put_error_time(d, s, out);
	flow_forget(&s->track.walk);
	flow_set_priv(&s->track.walk, HS_PRIV_UNKNOWN);
	s->track.timed = false;
	s->ref_known = false;
	s->phase = NT_BEGIN;
	/* A synchronising message that contradicts the flow before it still gives an address. */
	if (current && nt_source_sync(d, s, out))
		nt_add_time(d, s, out);
}

/* What is left of a message that led out of the known code is still to be followed. */
static void resume(struct hs_nt_decoder *d, const struct hs_nt_source *s)
{
	if (s && s->phase == NT_REST)
		d->stream.current = (size_t)(s - d->sources);
}

/* ---- messages ------------------------------------------------------------------- */

/* One source, in BTM, between two messages? */
static bool in_plain_btm(const struct hs_nt_decoder *d)
{
	const struct hs_nt_source *s = d->sources;

	return d->stream.count == 1 && !d->stream.guide && s->track.state == TRACK_SYNCED &&
	       s->mode == HS_NT_BTM; /* in which no I-CNT waits */
}

static enum hs_status read_message(struct hs_nt_decoder *d, struct hs_span *in,
                                   struct flow_out *out)
{
	bool fresh;

	if (d->recall)
		d->recall(d, in, out);
	if (in_plain_btm(d) && nt_source_branches(d, d->sources, in, out)) {
		d->stream.current = 0;
		return HS_OK;
	}
	if (d->pending.from && d->reader.offset == d->pending.end)
		return HS_OK; /* the window ends here */
	const enum hs_status status = hs_nt_read(&d->reader, in, &d->msg);

	if (status == HS_MORE)
		return status;
	if (status != HS_OK) {
		bad_message(d, status);
		return HS_OK;
	}
	d->stats.messages[d->msg.tcode]++;
	d->stats.bytes[d->msg.tcode] += d->msg.length;
	if (!stream_select(&d->stream, d->msg.src, &fresh))
		nt_fault(d, HS_REASON_SOURCES, 0);
	else if (fresh)
		nt_source_init(d, &d->sources[d->stream.current]);
	if (d->stream.current < d->stream.count)
		stream_begin_message(&d->stream, &d->sources[d->stream.current].track,
		                     d->msg.offset);
	return HS_OK;
}

static enum hs_status follow_message(struct hs_nt_decoder *d, struct hs_nt_source *s,
                                     struct flow_out *out)
{
	const struct hs_block *from = out->p;
	const enum hs_status status = nt_source_run(d, s, out);

	stream_count(&d->stream, &s->track);

	if (status == HS_OK)
		stream_done(&d->stream);
	if (status != HS_FULL)
		return HS_OK;
	if (stream_may_go_on(&d->stream, (size_t)(out->p - from)))
		return HS_FULL;
	s->phase = NT_BEGIN;
	s->track.state = TRACK_LOSING;
	nt_fault(d, HS_REASON_BLOCKS_LIMIT, flow_pc(&s->track.walk));
	return HS_OK;
}

/* ---- the loop ------------------------------------------------------------------- */

static enum hs_status end_stream(struct hs_nt_decoder *d)
{
	if (hs_nt_reader_end(&d->reader) == HS_OK)
		return HS_OK;
	nt_fault(d, HS_REASON_TRUNCATED, 0);
	stream_end_fault(&d->stream);
	d->reader.held = 0;
	d->reader.skipping = false;
	return HS_E_TRUNCATED;
}

#define DECODER struct hs_nt_decoder
#define SOURCE struct hs_nt_source
#define DECODE_ROOM HS_NT_DECODE_ROOM
#define STEP_ROOM NT_STEP_ROOM
#define close_source nt_source_close
#include "flow/loop.h"

enum hs_status hs_nt_decoder_next(struct hs_nt_decoder *d, struct hs_span *in, struct hs_block *out,
                                  size_t cap, size_t *n)
{
	return decode(d, in, out, cap, n);
}

enum hs_status hs_nt_decoder_end(struct hs_nt_decoder *d, struct hs_block *out, size_t cap,
                                 size_t *n)
{
	return decode(d, NULL, out, cap, n);
}
