/* A stream of TACIT messages: what TACIT does in the loop of decoders. */
#include "tacit/tacit_decoder.h"

#include "core/mem.h"
#include "flow/core.h"
#include "flow/flow.h"
#include "tacit/source.h"

enum hs_status tacit_decoder_init(struct tacit_decoder *d, const struct tacit_config *config,
                                  struct hs_bb_table *table, struct tacit_source *source)
{
	if (tacit_config_check(config) != HS_OK)
		return HS_E_CONFIG;
	memset(d, 0, sizeof *d);
	memcpy(&d->config, config, sizeof d->config);
	d->sources = source;
	return stream_init(&d->stream, table, &source->track, sizeof *source, 1, false);
}

void tacit_decoder_set(struct tacit_decoder *d, const struct hs_decoder_options *o)
{
	stream_set_options(&d->stream, o);
}

bool tacit_source_same(const struct tacit_source *a, const struct tacit_source *b)
{
	return stream_same_track(&a->track, &b->track) && a->context == b->context &&
	       a->last == b->last && a->predicts == b->predicts && a->learned == b->learned &&
	       (!a->predicts || memcmp(&a->predictor, &b->predictor, sizeof a->predictor) == 0);
}

/* ---- faults --------------------------------------------------------------------- */

/* A capture may begin inside a message: bytes before the first good one are no error. */
static void bad_message(struct tacit_decoder *d)
{
	uint64_t pc;

	d->msg.length = 0;
	stream_lose(&d->stream, &pc);
	if (!d->stream.count)
		return;
	tacit_fault(d, NULL, HS_REASON_FIELD);
	d->diag.pc = pc;
}

void tacit_decoder_lose(struct tacit_decoder *d)
{
	uint64_t pc;

	d->reader.held = 0;
	d->reader.skipping = true;
	if (stream_lose(&d->stream, &pc) == 0 || d->stream.fault != HS_OK)
		return;
	memset(&d->msg, 0, sizeof d->msg);
	d->msg.offset = d->reader.offset;
	tacit_fault(d, NULL, HS_REASON_INPUT_LOST);
	d->diag.pc = pc;
}

static void write_gap(struct tacit_decoder *d, struct tacit_source *s, bool current,
                      struct flow_out *out)
{
	const bool hole = current && (d->diag.reason == HS_REASON_NO_CODE ||
	                              d->diag.reason == HS_REASON_STATE_UNSEEN);
	const uint64_t at = flow_pc(&s->track.walk);

	stream_put_gap(&d->stream, &s->track, HS_UNSEEN_BRANCHES, out);
	s->begun = false;
	s->learned = false;
	s->jumps = (struct hs_jumps){ 0 };
	stream_count(&d->stream, &s->track);
	if (hole) {
		stream_hide(&s->track, at);
		s->track.state = TRACK_UNSEEN;
		return;
	}
	flow_set_priv(&s->track.walk, HS_PRIV_UNKNOWN);
	s->track.timed = false;
}

/* Of a message that cannot be taken for what it says of the predictor nothing more is to be had. */
static bool is_of_predictor(enum hs_reason reason)
{
	return reason == HS_REASON_MODE || reason == HS_REASON_TABLES;
}

/* What the message at fault still says, now that the gap is written: it is followed once more. */
static void resume(struct tacit_decoder *d, const struct tacit_source *s)
{
	if (s && (s->track.state == TRACK_UNSEEN ||
	          (tacit_synchronises(d->msg.code) && !is_of_predictor(d->diag.reason))))
		d->stream.current = (size_t)(s - d->sources);
}

/* ---- messages ------------------------------------------------------------------- */

static enum hs_status read_message(struct tacit_decoder *d, struct hs_span *in,
                                   const struct flow_out *out)
{
	const enum hs_status status = tacit_read(&d->reader, in, &d->msg);
	bool fresh;

	(void)out;
	if (status == HS_MORE)
		return status;
	if (status != HS_OK) {
		bad_message(d);
		return HS_OK;
	}
	d->messages[d->msg.code]++;
	d->bytes[d->msg.code] += d->msg.length;
	stream_select(&d->stream, 0, &fresh);
	stream_begin_message(&d->stream, &d->sources->track, d->msg.offset);
	d->sources->begun = false;
	d->sources->jumps = (struct hs_jumps){ 0 };
	return HS_OK;
}

static enum hs_status follow_message(struct tacit_decoder *d, struct tacit_source *s,
                                     struct flow_out *out)
{
	const struct hs_block *from = out->p;
	const enum hs_status status = tacit_follow(d, s, out);

	stream_count(&d->stream, &s->track);
	if (status == HS_OK)
		stream_done(&d->stream);
	if (status != HS_FULL)
		return HS_OK;
	if (stream_may_go_on(&d->stream, (size_t)(out->p - from)))
		return HS_FULL;
	tacit_fault(d, s, HS_REASON_BLOCKS_LIMIT);
	return HS_OK;
}

/* ---- the loop ------------------------------------------------------------------- */

static bool close_source(struct tacit_decoder *d, struct tacit_source *s, struct flow_out *out)
{
	if (out->end - out->p < TACIT_STEP_ROOM)
		return false;
	stream_put_unseen(&d->stream, &s->track, HS_UNSEEN_BRANCHES, out);
	if (flow_open(&s->track.walk))
		flow_close(&s->track.walk, s->track.table, HS_ITYPE_NONE, out);
	return true;
}

static enum hs_status end_stream(struct tacit_decoder *d)
{
	if (tacit_reader_end(&d->reader) == HS_OK)
		return HS_OK;
	d->msg.offset = d->reader.start;
	d->msg.length = 0;
	tacit_fault(d, NULL, HS_REASON_TRUNCATED);
	stream_end_fault(&d->stream);
	d->reader.held = 0;
	return HS_E_TRUNCATED;
}

#define DECODER struct tacit_decoder
#define SOURCE struct tacit_source
#define DECODE_ROOM TACIT_DECODE_ROOM
#define STEP_ROOM TACIT_STEP_ROOM
#define WITHOUT_MEMO
#include "flow/loop.h"

enum hs_status tacit_decode(struct tacit_decoder *d, struct hs_span *in, struct hs_block *out,
                            size_t cap, size_t *n)
{
	return decode(d, in, out, cap, n);
}

enum hs_status tacit_decode_end(struct tacit_decoder *d, struct hs_block *out, size_t cap,
                                size_t *n)
{
	return decode(d, NULL, out, cap, n);
}
