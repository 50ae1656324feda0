/* A stream of packets, split by source in one pass: what E-Trace does in the loop. */
#include "etrace/data.h"
#include "etrace/source.h"

#include "core/mem.h"
#include "etrace/et_decoder.h"
#include "etrace/et_reader.h"
#include "etrace/memory.h"
#include "etrace/place.h"
#include "flow/flow.h"

/* ---- start ---------------------------------------------------------------------- */

/* Does @image have code at addresses from @first to @last? */
static bool has_code(const struct hs_image *image, uint64_t first, uint64_t last)
{
	for (size_t i = 0; image && i < image->count; i++) {
		const struct hs_section *s = &image->sections[i];

		if (s->start <= last && s->start + (s->size - 1) >= first)
			return true;
	}
	return false;
}

/* Addresses narrower than XLEN are sign-extended where the program has code at such addresses, and
 * none at those that are the same bits with 0 above them (ADR-0047). */
static void extend_addresses(struct hs_et_decoder *d)
{
	const unsigned width = d->config.iaddress_width;
	const struct hs_image *image = d->stream.table->image;
	const unsigned xlen = image ? image->isa.xlen : 64;
	const uint64_t top = et_ones(xlen);
	const uint64_t sign = (uint64_t)1 << (width - 1);
	bool high = has_code(image, top - (sign - 1), top);
	bool low = has_code(image, sign, et_ones(width));

	for (size_t i = 0; i < d->stream.table_count; i++) {
		image = d->stream.tables[i]->image;
		high = high || has_code(image, top - (sign - 1), top);
		low = low || has_code(image, sign, et_ones(width));
	}
	d->sign = width < xlen && high && !low ? sign : 0;
	d->most = d->sign ? top : et_ones(width);
}

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
	d->sources = sources;
	d->memory = each ? memory : NULL;
	hs_et_reader_init(&d->reader, config);
	d->most = et_ones(own.iaddress_width);
	const enum hs_status started =
		stream_init(&d->stream, table, &sources->track, sizeof *sources, source_count,
	                    own.src_bits != 0);

	if (started == HS_OK)
		extend_addresses(d);
	return started;
}

void hs_et_decoder_programs(struct hs_et_decoder *d, struct hs_bb_table *const *tables,
                            const uint64_t *contexts, size_t count)
{
	stream_set_programs(&d->stream, tables, contexts, count);
	extend_addresses(d);
}

void hs_et_decoder_set_guide(struct hs_et_decoder *d, const struct hs_code_guide *guide)
{
	stream_set_guide(&d->stream, guide);
	d->care = 0;
}

void hs_et_decoder_set_careful(struct hs_et_decoder *d, unsigned care)
{
	d->care = (uint8_t)(d->stream.guide ? 0 : care & HS_ET_CARE_ALL);
}

void hs_et_decoder_set_limit(struct hs_et_decoder *d, uint64_t blocks)
{
	d->stream.limit = blocks ? blocks : HS_MESSAGE_BLOCKS;
}

void hs_et_decoder_expect(struct hs_et_decoder *d, uint32_t src, uint64_t blocks)
{
	stream_expect(&d->stream, src, blocks);
}

bool hs_et_decoder_place(const struct hs_et_decoder *d, uint32_t src, struct hs_code_place *place)
{
	return stream_get_place(&d->stream, src, place);
}

enum hs_status hs_et_decoder_set_data(struct hs_et_decoder *d, struct hs_et_data_coder *data,
                                      size_t count)
{
	if (!d->config.type_widths && !et_has_data_type(&d->config))
		return HS_E_CONFIG;
	if (count < d->stream.capacity)
		return HS_E_ARG;
	d->data = data;
	return HS_OK;
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

/* The clause of a reason; that of a field depends on the packet. */
static const char *clause_of(const struct hs_et_decoder *d, enum hs_reason reason)
{
	if (reason == HS_REASON_FIELD)
		return et_bad_clause(&d->config, &d->packet);
	if (reason == HS_REASON_LOST && d->config.version == HS_ET_FAST)
		return "ADR-0022 Support";
	return hs_reason_et_clause(reason);
}

enum hs_status et_fault(struct hs_et_decoder *d, enum hs_reason reason, uint64_t pc)
{
	const enum hs_status status = hs_reason_status(reason);

	d->diag.status = status;
	d->diag.reason = reason;
	d->diag.clause = clause_of(d, reason);
	d->diag.text = hs_reason_text(reason);
	d->diag.pc = pc;
	d->diag.packet = d->packet;
	d->stats.errors++;
	stream_fail(&d->stream, status, d->packet.offset);
	return status;
}

/* srcID may not have been read either, so that every source loses synchronisation. */
static void bad_packet(struct hs_et_decoder *d, enum hs_reason reason)
{
	uint64_t pc;

	d->packet.gap = false;
	for (size_t i = 0; i < d->stream.count; i++)
		if (d->sources[i].doubt == ET_CHANGED) /* it may be of another source, too */
			d->sources[i].doubt = ET_LOST;
	stream_lose(&d->stream, &pc);
	et_fault(d, reason, pc);
}

void hs_et_decoder_lose(struct hs_et_decoder *d)
{
	uint64_t pc;

	hs_et_reader_lose(&d->reader);
	if (stream_lose(&d->stream, &pc) == 0 || d->stream.fault != HS_OK)
		return;
	memset(&d->packet, 0, sizeof d->packet);
	d->packet.offset = d->reader.offset;
	d->packet.form = HS_ET_FORM_OTHER;
	et_fault(d, HS_REASON_INPUT_LOST, pc);
}

/* The time that the packet's frame has (EE Timestamp), where payloads have none.  It is that of the
 * packet, which is sent after its instructions. */
static void put_frame_time(const struct hs_et_decoder *d, struct hs_et_source *s,
                           struct flow_out *out)
{
	struct hs_track *t = &s->track;
	const uint64_t time = d->packet.tstamp;

	if (t->state == TRACK_UNSEEN)
		return;
	if (!d->packet.has_tstamp || !d->config.tstamp_bytes || d->config.time_width ||
	    d->config.version == HS_ET_FAST || (t->timed && t->time == time))
		return;
	et_put_time(s, out, time);
}

/* ---- doubt ---------------------------------------------------------------------- */

/* May packets begin elsewhere, now that there is this fault? */
static bool shakes_framing(enum hs_reason reason)
{
	return reason != HS_REASON_INPUT_LOST && reason != HS_REASON_LOST &&
	       reason != HS_REASON_OVERRUN;
}

/* The packet led from the synchronising packet before it to its own address: what it wrote begins
 * with its event. */
static void believe(struct hs_et_source *s, struct hs_block *from, struct flow_out *out)
{
	struct hs_block *at = out->p;

	s->doubt = ET_SURE;
	s->withheld = false;
	while (at > from && at[-1].kind != HS_KIND_SYNC)
		at--;
	at -= at > from;
	memmove(from, at, (size_t)(out->p - at) * sizeof(*at));
	out->p = from + (out->p - at);
}

/* Options changed: the next packet that follows the flow synchronises, and is sure, or the change
 * is not. */
static void follow_change(struct hs_et_decoder *d, struct hs_et_source *s, enum hs_status status,
                          struct hs_block *from, struct flow_out *out)
{
	if (et_follows_change(d)) {
		s->doubt = status == HS_OK ? ET_SURE : s->doubt;
		return;
	}
	if (d->packet.form == HS_ET_FORM_SUPPORT || d->packet.form == HS_ET_FORM_CONTEXT)
		return;
	out->p = from;
	if (status == HS_OK || status == HS_FULL)
		et_fail(d, s, HS_REASON_OTHER_OPTIONS);
}

/* A source in doubt wrote from @from on.  @followed: its flow was known before. */
static void doubt_packet(struct hs_et_decoder *d, struct hs_et_source *s, bool followed,
                         enum hs_status status, struct hs_block *from, struct flow_out *out)
{
	const bool synced = status == HS_OK && s->track.state == TRACK_SYNCED;

	if (s->doubt == ET_CHANGED) {
		follow_change(d, s, status, from, out);
		return;
	}
	if (synced && d->packet.form == HS_ET_FORM_START) {
		if (followed && s->doubt == ET_FOLLOWED && et_settle_options(s)) {
			believe(s, from, out);
			return;
		}
		s->doubt = ET_FOLLOWED;
	} else if (status == HS_OK && !synced) {
		s->doubt = ET_LOST;
	}
	if (out->p > from && !s->withheld)
		s->doubted = d->packet.offset;
	s->withheld |= out->p > from;
	out->p = from;
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
	const bool doubted = et_is_doubted(s);
	const bool contradicted =
		shakes_framing(d->diag.reason) && /* a loss says nothing of the options */
		(s->doubt == ET_FOLLOWED ||
	         (s->trial && s->doubt == ET_SURE && d->diag.reason != HS_REASON_OTHER_OPTIONS));

	if (s->doubt == ET_CHANGED && current && et_follows_change(d))
		s->doubt = ET_SURE;
	if (current && !et_doubts_unknown(d, s) && et_enters_unknown(d)) {
		write_hole(d, s, out);
		out->p = doubted ? keep : out->p;
		return;
	}

	et_draft_lose(d, s);
	if (d->data)
		hs_et_data_lose(&d->data[s - d->sources]);
	stream_put_gap(&d->stream, &s->track, HS_UNSEEN_BRANCHES, out);
	keep = doubted ? keep : out->p;
	s->withheld = false;
	if (d->care)
		s->doubt = shakes_framing(d->diag.reason) ? ET_LOST : ET_SURE;
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
	if (s->doubt != ET_SURE) {
		s->doubt = s->track.state == TRACK_SYNCED ? ET_FOLLOWED : ET_LOST;
		out->p = keep;
	}
}

/* Make the source of the current packet the current one.  False: there is no room for it. */
static bool select_source(struct hs_et_decoder *d)
{
	bool fresh;

	if (!stream_select(&d->stream, d->packet.src, &fresh)) {
		et_fault(d, HS_REASON_SOURCES, 0);
		return false;
	}
	struct hs_et_source *s = &d->sources[d->stream.current];

	if (fresh)
		et_source_init(d, s);
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

/* Take options of data trace from a support packet; those that it lacks stay, and both at once are
 * no trace. */
static void follow_doptions(const struct hs_et_decoder *d, struct hs_et_data_coder *c)
{
	const struct hs_et_resolved *r = &d->config;
	uint8_t no_data = c->no_data, no_address = c->no_address;

	for (unsigned i = 0; i < r->doptions_width; i++) {
		const bool on = d->packet.field[HS_ETF_DOPTIONS] >> i & 1u;

		if (r->wire.doptions[i] == HS_ET_DATA_NO_VALUE)
			no_data = on;
		if (r->wire.doptions[i] == HS_ET_DATA_NO_ADDRESS)
			no_address = on;
	}
	if (no_data && no_address)
		return;
	c->no_data = no_data;
	c->no_address = no_address;
}

/* A packet of instruction trace may concern data trace, too. */
static void follow_data(struct hs_et_decoder *d)
{
	struct hs_et_data_coder *c = &d->data[d->stream.current];

	if (d->packet.field[HS_ETF_DLOSS])
		hs_et_data_lose(c);
	if (d->packet.form == HS_ET_FORM_SUPPORT)
		follow_doptions(d, c);
}

/* Packets before this one are missing: a flow that was followed has a gap before it.  False: none
 * was followed, or the packet itself reports a loss. */
static bool lose_before(struct hs_et_decoder *d)
{
	const bool reports = d->packet.form == HS_ET_FORM_SUPPORT &&
	                     d->packet.field[HS_ETF_QUAL_STATUS] == HS_ET_TRACE_LOST;
	uint64_t pc;

	if (!reports && stream_lose(&d->stream, &pc))
		et_fault(d, HS_REASON_INPUT_LOST, pc);
	else
		d->packet.gap = false;
	return d->packet.gap;
}

/* The run-time options of source @src. */
static unsigned options_of(const struct hs_et_decoder *d, unsigned src)
{
	const size_t i = stream_find(&d->stream, src);

	return i < d->stream.count ? d->sources[i].options : d->config.options;
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
	const enum hs_reason damage = status == HS_OK ? et_find_damage(d) : HS_REASON_FIELD;

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
	const unsigned before = s->doubt;
	const bool doubted = et_is_doubted(s), followed = s->track.state == TRACK_SYNCED;

	if (d->has_access) {
		put_access(d, out);
		out->p = doubted ? from : out->p;
		return HS_OK;
	}
	const enum hs_status status = et_source_run(d, s, out);

	stream_count(&d->stream, &s->track);

	if (status == HS_OK) {
		put_frame_time(d, s, out);
		stream_done(&d->stream);
	}
	const size_t written = (size_t)(out->p - from);

	if (before != ET_SURE)
		doubt_packet(d, s, followed, status, from, out);
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

/* Of a source: what was decoded last was not written, since nothing confirmed it; or nothing could
 * be decoded, among other sources that could.  False: it is neither. */
static bool report_source(struct hs_et_decoder *d, struct hs_et_source *s)
{
	if (s->withheld) {
		s->withheld = false;
		report(d, s->doubted, HS_REASON_UNCONFIRMED);
		return true;
	}
	if (!s->unmet || !d->care || !d->stream.several)
		return false;
	report(d, s->unmet - 1, HS_REASON_NEVER_SYNCHRONISED);
	d->packet.src = (uint16_t)s->track.src;
	d->diag.packet = d->packet;
	s->unmet = 0;
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
