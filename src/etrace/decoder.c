/* A stream of packets, split by source in one pass: what E-Trace does in the loop.
 *
 * flow/loop.h, included below, asks for a packet, gives it to its source, and writes gaps.  Here
 * is what is E-Trace's own: reading a packet, its time, accesses of data trace between the packets
 * of instruction trace, and what a fault ends.
 *
 * Invariants: a fault ends only the flow of the source it belongs to; if srcID could not be read
 * that is every source.  The reader's layout is that of the current source's options, since a
 * support packet changes them for its own source only.
 */
#include "etrace/data.h"
#include "etrace/careful.h"

#include "core/mem.h"
#include "etrace/et_decoder.h"
#include "etrace/et_reader.h"
#include "etrace/memory.h"
#include "etrace/place.h"
#include "etrace/et_standard.h"
#include "flow/flow.h"
#include "flow/times.h"

/* ---- start ---------------------------------------------------------------------- */

size_t hs_et_source_memory(const struct hs_et_config *config)
{
	struct hs_et_resolved own;

	return et_config_take(&own, config) == HS_OK ? et_source_stride(&own) : 0;
}

enum hs_status hs_et_decoder_init(struct hs_et_decoder *d, const struct hs_et_config *config,
                                  struct hs_bb_table *table, struct hs_et_source *sources,
                                  size_t source_count, void *memory, size_t bytes)
{
	struct hs_et_resolved own;
	const enum hs_status s = et_config_take(&own, config);

	if (s != HS_OK)
		return s;
	const size_t each = et_source_stride(&own);

	if (each && (!memory || bytes / each < source_count))
		return HS_E_SPACE;
	memset(d, 0, sizeof *d);
	memcpy(&d->config, &own, sizeof d->config);
	d->given = et_options_word(&own);
	d->sources = sources;
	d->stride = each;
	if (et_is_standard(&own) && memory) /* sizes may be others later */
		d->stride = bytes / source_count / 8 * 8;
	d->memory = d->stride ? memory : NULL;
	hs_et_reader_init(&d->reader, config);
	d->most = et_ones(own.iaddress_width);
	const enum hs_status started =
		stream_init(&d->stream, table, &sources->track, sizeof *sources, source_count,
	                    own.src_bits != 0);

	if (started == HS_OK)
		et_extend_addresses(d);
	return started;
}

const struct hs_et_diag *hs_et_decoder_diag(const struct hs_et_decoder *d)
{
	return &d->diag;
}

const struct hs_et_stats *hs_et_decoder_stats(const struct hs_et_decoder *d)
{
	return &d->stats;
}

/* ---- faults --------------------------------------------------------------------- */

/* srcID may not have been read either, so that every source loses synchronisation. */
static void bad_packet(struct hs_et_decoder *d, enum hs_reason reason)
{
	uint64_t pc;

	d->packet.gap = false;
	et_trust_damage(d);
	stream_lose(&d->stream, &pc);
	et_fault(d, reason, pc);
}

void hs_et_decoder_lose(struct hs_et_decoder *d)
{
	uint64_t pc;

	hs_et_reader_lose(&d->reader);
	for (size_t i = 0; i < d->stream.count; i++)
		et_cache_clear(&d->sources[i].tables);
	if (stream_lose(&d->stream, &pc) == 0 || d->stream.fault != HS_OK)
		return;
	memset(&d->packet, 0, sizeof d->packet);
	d->packet.offset = d->reader.offset;
	d->packet.form = HS_ET_FORM_OTHER;
	et_fault(d, HS_REASON_INPUT_LOST, pc);
}

static bool reports_loss(const struct hs_et_decoder *d)
{
	return d->packet.form == HS_ET_FORM_SUPPORT &&
	       d->packet.field[HS_ETF_QUAL_STATUS] == HS_ET_TRACE_LOST;
}

bool et_is_frame_silent(const struct hs_et_decoder *d, const struct hs_track *t)
{
	const struct hs_et_resolved *c = &d->config;

	return c->version == HS_ET_FAST ||
	       (c->time_width && !et_frame_has_time(c) &&
	        (!et_times_are_partial(c) || !t->timed || t->state == TRACK_OFF));
}

/* The same of the current packet, which may have no time there, or one in its payload. */
static bool is_frame_silent(const struct hs_et_decoder *d, const struct hs_track *t)
{
	return !d->packet.has_tstamp || et_is_frame_silent(d, t) ||
	       (d->config.time_width && !et_frame_has_time(&d->config) &&
	        (hs_et_has(&d->packet, HS_ETF_TIME) || reports_loss(d)));
}

static uint64_t frame_time(const struct hs_et_decoder *d, const struct hs_track *t)
{
	return flow_widen_time(t->time, d->packet.tstamp, 8u * d->config.tstamp_bytes);
}

/* The time that the packet's frame has (EE Timestamp): that of the packet, which is sent after its
 * instructions. */
static void put_frame_time(const struct hs_et_decoder *d, struct hs_et_source *s,
                           struct flow_out *out)
{
	const struct hs_track *t = &s->track;

	if (t->state == TRACK_UNSEEN || is_frame_silent(d, t))
		return;
	const uint64_t time = frame_time(d, t);

	if (t->timed != HS_TIMED || t->time != time)
		et_put_time(s, out, time);
}

/* A packet that says nothing but the time says that of the next one, with few bits of it, in
 * advance: it comes after the instructions of that one.  Where that one has another time, it was a
 * report of its own. */
static __attribute__((noinline)) void put_time_before(const struct hs_et_decoder *d,
                                                      struct hs_et_source *s, struct flow_out *out)
{
	const struct hs_track *t = &s->track;
	const bool full = hs_et_has(&d->packet, HS_ETF_TIME), silent = is_frame_silent(d, t);

	if (full ? et_field(d, HS_ETF_TIME) != t->time : silent || frame_time(d, t) != t->time)
		et_put_time(s, out, t->time);
}

/* The flow left the code that is known: the addresses of packets say where it comes back. */
static void write_hole(struct hs_et_decoder *d, struct hs_et_source *s, struct flow_out *out)
{
	struct hs_walk *w = &s->track.walk;

	if (d->diag.reason == HS_REASON_STATE_UNSEEN) /* what it stands after did retire */
		path_close(w, s->track.table, &s->path, out);
	const uint64_t at = flow_pc(w);

	stream_put_gap(&d->stream, &s->track, HS_UNSEEN_BRANCHES, out);
	stream_count(&d->stream, &s->track);
	et_source_hide(s, at);
}

static void write_gap(struct hs_et_decoder *d, struct hs_et_source *s, bool current,
                      struct flow_out *out)
{
	struct hs_block *keep = out->p;
	const bool doubted = et_is_doubted(s), contradicted = et_trust_fault(d, s, current);

	if (current && !et_doubts_unknown(d, s) && et_enters_unknown(d)) {
		write_hole(d, s, out);
		out->p = doubted ? keep : out->p;
		return;
	}

	et_draft_lose(d, s);
	et_cache_clear(&s->tables); /* what is missing may have filled it */
	if (d->data)
		hs_et_data_lose(&d->data[s - d->sources]);
	stream_put_gap(&d->stream, &s->track, HS_UNSEEN_BRANCHES, out);
	keep = doubted ? keep : out->p;
	et_trust_lose(d, s);
	s->track.timed = false;
	s->phase = ET_FRESH;
	s->inferred = false;
	s->disabled = false;
	if (current && contradicted)
		et_swap_options(d, s);
	/* A synchronising packet that contradicts the flow before it still gives an address. */
	if (current)
		et_source_sync(d, s, out);
	if (current && s->track.state == TRACK_SYNCED)
		put_frame_time(d, s, out);
	if (!et_trust_resume(s))
		out->p = keep;
}

/* A source begins, or another one was the current one. */
static __attribute__((noinline)) void enter_source(struct hs_et_decoder *d, struct hs_et_source *s,
                                                   bool fresh)
{
	if (fresh)
		et_source_init(d, s);
	else
		et_enter_source(d, s);
}

/* Make the source of the current packet the current one.  False: there is no room for it. */
static inline bool select_source(struct hs_et_decoder *d)
{
	bool fresh;

	if (!stream_select(&d->stream, d->packet.src, &fresh)) {
		et_fault(d, HS_REASON_SOURCES, 0);
		return false;
	}
	struct hs_et_source *s = &d->sources[d->stream.current];

	if (fresh || d->stream.several)
		enter_source(d, s, fresh);
	stream_begin_message(&d->stream, &s->track, d->packet.offset);
	return true;
}

/* What is left of a packet that led out of the known code is still to be followed. */
static void resume(struct hs_et_decoder *d, const struct hs_et_source *s)
{
	if (s && s->track.state == TRACK_UNSEEN)
		d->stream.current = (size_t)(s - d->sources);
	if (d->packet.gap) { /* the gaps were before this packet */
		d->packet.gap = false;
		select_source(d);
	}
}

/* ---- packets -------------------------------------------------------------------- */

/* Decode a packet that is no instruction trace; those that are no data trace either are skipped. */
static void read_access(struct hs_et_decoder *d)
{
	struct hs_et_data_packet p;

	if (d->packet.type != d->config.wire.type_data || !select_source(d))
		return;
	struct hs_et_data_coder *c = &d->data[d->stream.current];

	if (hs_et_read_data(&d->reader, &d->packet, c, &p) == HS_OK) {
		d->stats.data.packets[p.form]++;
		d->stats.data.bytes[p.form] += d->packet.length;
		hs_et_data_decode(c, &p, &d->access);
		d->has_access = true;
	} else {
		hs_et_data_lose(c);
		stream_done(&d->stream);
		if (d->care & HS_ET_CARE_TYPES)
			bad_packet(d, HS_REASON_FIELD);
		else
			et_fault(d, HS_REASON_FIELD, 0);
	}
}

static void put_access(struct hs_et_decoder *d, struct flow_out *out)
{
	out->p += hs_access_put(&d->access, out->p);
	d->has_access = false;
	stream_done(&d->stream);
}

/* A packet of instruction trace may concern data trace, too. */
static void follow_data(struct hs_et_decoder *d)
{
	struct hs_et_data_coder *c = &d->data[d->stream.current];

	if (d->packet.field[HS_ETF_DLOSS])
		hs_et_data_lose(c);
	if (d->packet.form == HS_ET_FORM_SUPPORT)
		hs_et_follow_data(&d->reader, &d->packet, c);
}

/* Packets before this one are missing: a flow that was followed has a gap before it.  False: none
 * was followed, or the packet itself reports a loss. */
static bool lose_before(struct hs_et_decoder *d)
{
	uint64_t pc;

	if (!reports_loss(d) && stream_lose(&d->stream, &pc))
		et_fault(d, HS_REASON_INPUT_LOST, pc);
	else
		d->packet.gap = false;
	return d->packet.gap;
}

/* The run-time options of source @src. */
static unsigned options_of(const struct hs_et_decoder *d, unsigned src)
{
	const size_t i = stream_find(&d->stream, src);

	return i < d->stream.count ? d->sources[i].options : d->given;
}

/* Packets of other kinds have no source. */
static enum hs_status read_message(struct hs_et_decoder *d, struct hs_span *in,
                                   struct flow_out *out)
{
	if (d->recall)
		d->recall(d, in, out);
	const uint8_t *from = in->p;
	enum hs_status status = hs_et_read(&d->reader, in, &d->packet);

	if (status == HS_MORE)
		return status;
	if (d->stream.several)
		status = hs_et_read_again(&d->reader, status, options_of(d, d->packet.src), from,
		                          in, &d->packet);
	const enum hs_reason damage = status != HS_OK ? HS_REASON_FIELD
	                              : d->care       ? et_find_damage(d)
	                                              : HS_REASON_NONE;

	if (damage != HS_REASON_NONE) {
		bad_packet(d, damage);
		return HS_OK;
	}
	d->stats.packets[d->packet.form]++;
	d->stats.bytes[d->packet.form] += d->packet.length;
	if (d->packet.gap && lose_before(d))
		return HS_OK;
	if (d->packet.form != HS_ET_FORM_OTHER) {
		if (select_source(d) && d->data)
			follow_data(d);
	} else if (d->data) {
		read_access(d);
	}
	return HS_OK;
}

static enum hs_status follow_message(struct hs_et_decoder *d, struct hs_et_source *s,
                                     struct flow_out *out)
{
	struct hs_block *from = out->p;
	const unsigned before = s->trust.doubt;
	const bool doubted = et_is_doubted(s), followed = s->track.state == TRACK_SYNCED;

	if (d->has_access) {
		put_access(d, out);
		out->p = doubted ? from : out->p;
		return HS_OK;
	}
	if (s->track.timed == HS_TIMED_NEXT)
		put_time_before(d, s, out);
	const enum hs_status status = et_source_run(d, s, out);

	stream_count(&d->stream, &s->track);

	if (status == HS_OK) {
		if (d->packet.has_tstamp)
			put_frame_time(d, s, out);
		stream_done(&d->stream);
	}
	const size_t written = (size_t)(out->p - from);

	if (before != ET_SURE)
		et_trust_packet(d, s, followed, status, from, out);
	if (status != HS_FULL)
		return HS_OK;
	if (stream_may_go_on(&d->stream, written))
		return doubted ? HS_OK : HS_FULL;
	et_fail(d, s, HS_REASON_BLOCKS_LIMIT);
	return HS_OK;
}

/* ---- the end -------------------------------------------------------------------- */

/* At the end something is wrong with what came at @offset. */
static void report(struct hs_et_decoder *d, uint64_t offset, enum hs_reason reason)
{
	memset(&d->packet, 0, sizeof(d->packet));
	d->packet.offset = offset;
	d->packet.form = HS_ET_FORM_OTHER;
	et_fault(d, reason, 0);
	stream_end_fault(&d->stream);
}

/* False: there is nothing to report of the source. */
static bool report_source(struct hs_et_decoder *d, struct hs_et_source *s)
{
	uint64_t offset;
	const enum hs_reason reason = et_trust_end(d, s, &offset);

	if (reason == HS_REASON_NONE)
		return false;
	report(d, offset, reason);
	if (reason == HS_REASON_NEVER_SYNCHRONISED) {
		d->packet.src = (uint16_t)s->track.src;
		d->diag.packet = d->packet;
	}
	return true;
}

static bool report_sources(struct hs_et_decoder *d)
{
	for (size_t i = 0; i < d->stream.count; i++)
		if (report_source(d, &d->sources[i]))
			return true;
	return false;
}

static enum hs_status end_stream(struct hs_et_decoder *d)
{
	if (report_sources(d))
		return d->diag.status;
	if (hs_et_reader_end(&d->reader) == HS_OK)
		return HS_OK;
	d->packet.offset = d->reader.start;
	d->packet.form = HS_ET_FORM_OTHER;
	et_fault(d, HS_REASON_TRUNCATED, 0);
	stream_end_fault(&d->stream);
	d->reader.held = 0;
	return HS_E_TRUNCATED;
}

/* ---- the loop ------------------------------------------------------------------- */

static bool close_source(struct hs_et_decoder *d, struct hs_et_source *s, struct flow_out *out)
{
	if (et_is_doubted(s))
		return true;
	if (out->end - out->p < ET_STEP_ROOM)
		return false;
	stream_put_hart(&d->stream, &s->track, out);
	et_source_close(d, s, out);
	return true;
}

#define DECODER struct hs_et_decoder
#define SOURCE struct hs_et_source
#define DECODE_ROOM HS_ET_DECODE_ROOM
#define STEP_ROOM ET_STEP_ROOM
#include "flow/loop.h"

enum hs_status hs_et_decoder_next(struct hs_et_decoder *d, struct hs_span *in, struct hs_block *out,
                                  size_t cap, size_t *n)
{
	return decode(d, in, out, cap, n);
}

enum hs_status hs_et_decoder_end(struct hs_et_decoder *d, struct hs_block *out, size_t cap,
                                 size_t *n)
{
	d->reader.ending |= cap >= HS_ET_DECODE_ROOM;
	return decode(d, NULL, out, cap, n);
}
