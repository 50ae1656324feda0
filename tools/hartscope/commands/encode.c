/* hartscope encode: a recording to a trace, as hardware would send it. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <hartscope/etrace.h>
#include <hartscope/registers.h>

#include "commands/encode_job.h"
#include "common/overwrite.h"
#include "common/system.h"

/* clang-format off */
static const struct option_row perf_rows[] = {
	{ "--perf-data", 0, "WORDS",
	  "write a perf.data with a buffer for each hart: cpu or thread, and with commas "
	  "plain (only the PMU's type in AUXTRACE_INFO), type=N (its number, 7), "
	  "noinfo (without it: for perf that does not know the number), "
	  "piece=BYTES (of an AUXTRACE record), snapshot=BYTES and "
	  "every=BYTES (between snapshots)",
	  AS_PARSED(struct encode_options, perf, perf_options_parse), .words = "cpu thread" },
	{ .name = NULL }
};

static const struct option_row idle_rows[] = {
	{ "--idle", 0, "N",
	  "pins: send N idle samples after each message (one byte)",
	  AS_NUMBER(struct encode_options, idle, UINT32_MAX) },
	{ .name = NULL }
};
/* clang-format on */

const struct usage encode_usage = {
	.name = "encode",
	.form = "--protocol ntrace [--set NAME=VALUE]... [--filter TERMS]... [-o TRACE] "
		"REC|FLOW|TRACE",
	.text = "Encodes a recording, or a trace that has a TRACE.json, as a trace.  The parameters are\n"
		"written next to it, to TRACE.json, where other commands read them.  Without -o the\n"
		"trace is next to REC, with the ending .nt; '-o -' writes it to standard output, and no\n"
		"TRACE.json.  Where code changed while it ran, what changed when is written to\n"
		"TRACE.code.  The harts of a recording become one stream with SRC fields.\n\n"
		"With\n"
		"--transport the samples of a trace\n"
		"port, or CoreSight frames with an ID for each hart from 1 on, are written.\n\n"
		"With --queue each hart has a queue of so many bytes, from which --drain bits leave in a\n"
		"cycle: a full one loses messages, which the trace reports as hardware does (N-Trace: Error\n"
		"and a synchronisation; E-Trace: a support packet and one), or stalls the hart with --stall.\n"
		"The size that loses nothing is in stat --rate.\n\n"
		"With --perf-data the harts are CPUs or threads of a perf.data, with a buffer each and what a\n"
		"kernel reports: mappings, processes, switches, changes of code (docs/perf-data.md).\n\n"
		"With --system the harts run in a trace system, and -o is a folder: for each sink it gets\n"
		"what the sink holds, its registers (.regs, for --registers), and TRACE.json.",
	.example = "  hartscope encode --protocol ntrace --set trTeInstMode=htm -o app.nt app.rec\n"
		   "  hartscope encode --protocol etrace -o app.et app.nt\n"
		   "  hartscope encode --protocol etrace --queue 64 --drain 4 -o app.et app.rec\n"
		   "  hartscope encode --transport tpiu --source 0x22=other.et -o both.tpiu "
		   "app.rec\n"
		   "  hartscope encode --perf-data cpu -o perf.data app.rec\n"
		   "  hartscope encode --system board.system -o board app.rec",
	.often =
		"--output --protocol --set --config --filter --hart --queue --perf-data --quiet --json",
	.options = OPTIONS(ROWS(options_output), ROWS(options_protocol),
	                   ROWS_AT(options_filter, struct encode_options, filter),
	                   ROWS(options_config),
	                   ROWS_AT(options_system, struct encode_options, system), ROWS(perf_rows),
	                   ROWS(options_transport), ROWS(idle_rows),
	                   ROWS_AT(options_queue, struct encode_options, queue), ROWS(options_code),
	                   OPTIONS_GUEST, OPTIONS_VIEW, ROWS(options_cycles), ROWS(options_xlen),
	                   ROWS(options_jobs), ROWS(options_json), ROWS(options_force),
	                   ROWS(options_quiet), ROWS(options_reading)),
	.min_args = 1,
	.max_args = 1,
	.next_to = true,
};

#define TYPES 128
#define OTHER_PIECE 64

/* Some bytes of each other trace.  False: the output cannot be written; *more: there are others. */
static bool write_others(struct job *j, bool *more)
{
	uint8_t bytes[OTHER_PIECE];
	bool good = true;

	*more = false;
	for (size_t i = 0; good && i < j->other_count; i++) {
		const ssize_t n = read(j->others[i].fd, bytes, sizeof(bytes));

		*more |= n > 0;
		good = n <= 0 || pin_output_put_of(&j->output, j->others[i].id, bytes, (size_t)n);
	}
	return good;
}

bool encode_put(void *lane, const uint8_t *bytes, size_t n)
{
	struct lane *l = lane;
	struct job *j = l->job;
	bool more;

	j->bytes += n;
	for (size_t at = 0; at < n; at += OTHER_PIECE) {
		const size_t piece = j->other_count && n - at > OTHER_PIECE ? OTHER_PIECE : n - at;

		if (!pin_output_put_of(&j->output, l->id, bytes + at, piece) ||
		    (j->other_count && !write_others(j, &more)))
			return false;
		if (!j->other_count)
			break;
	}
	return true;
}

/* In these functions false says that the output cannot be written. */
static bool encode_blocks(const struct job *j, struct lane *l, const struct hs_block *b, size_t n)
{
	for (size_t i = 0; i < n; i++)
		l->blocks += b[i].kind == HS_KIND_BLOCK;
	if (!j->ported)
		return feed_blocks(&l->feed, b, n);
	const bool good = port_blocks(&l->port, b, n);

	if (l->port.error.status != HS_OK)
		l->error = l->port.error;
	return good;
}

/* Encode what the filters let through. */
static bool encode_qualified(struct job *j, struct lane *l, const struct hs_block *b, size_t count)
{
	bool good = true;

	for (size_t at = 0, used, n; good && at < count; at += used) {
		hs_qualify(&l->qualifier, b + at, count - at, &used, l->qualified, READ_BATCH, &n);
		good = encode_blocks(j, l, l->qualified, n);
	}
	return good;
}

static const struct hs_image *image_of(const struct job *j)
{
	if (j->transcodes)
		return hs_program_image(hs_source_program(j->source));
	return j->source ? hs_source_image(j->source) : hs_rec_image(j->rec);
}

static enum hs_status code_of(const struct job *j, uint32_t number, struct hs_section *code)
{
	return j->source ? hs_source_code(j->source, number, code)
	                 : hs_rec_code(j->rec, number, code);
}

bool encode_note_change(struct job *j, struct lane *l, uint32_t number, uint64_t blocks)
{
	struct hs_code_change c = { .hart = l->hart,
		                    .blocks = blocks,
		                    .offset = l->buffer ? perf_output_bytes(l->buffer) : j->bytes };

	if (code_of(j, number, &c.code) == HS_OK && hs_code_changes_add(j->changes, &c) == HS_OK)
		return !l->buffer || perf_output_poke(l->buffer, &c.code);
	hs_error_set(&l->error, HS_E_MEMORY, "out of memory");
	return false;
}

/* Is it more than something to encode? */
static bool is_noted(const struct lane *l, const struct hs_block *item)
{
	return item->kind == HS_KIND_VERSION || (l->buffer && item->kind == HS_KIND_CONTEXT);
}

uint64_t encode_count_blocks(const struct job *j)
{
	uint64_t n = 0;

	for (uint32_t i = 0; i < j->count; i++)
		n += j->lanes[i].blocks;
	return n;
}

/* The clock of a perf.data: that of the recording, or how much is encoded. */
static void set_time(struct job *j, const struct lane *l)
{
	if (l->buffer)
		perf_output_set_time(j->perf, j->timed ? l->time : encode_count_blocks(j));
}

/* When the item at place @at of what was read happens: with the block after it, else after the one
 * before. */
static void set_time_at(struct job *j, struct lane *l, size_t at)
{
	for (size_t i = at; j->timed && i < l->reader.n && l->read[i].kind != HS_KIND_BLOCK; i++)
		if (l->read[i].kind == HS_KIND_TIME) {
			l->time = l->read[i].value;
			break;
		}
	for (size_t i = at; j->timed && i-- > 0;)
		if (l->read[i].kind == HS_KIND_TIME) {
			if (l->time < l->read[i].value)
				l->time = l->read[i].value;
			break;
		}
	set_time(j, l);
}

/* Note what comes at place @at of what was read, and encode it if that is to be. */
static bool note_item(struct job *j, struct lane *l, size_t at)
{
	const struct hs_block *item = &l->read[at];

	if (l->buffer)
		set_time_at(j, l, at);
	if (item->kind == HS_KIND_VERSION)
		return l->batch ? encode_keep_change(l, item->arg)
		                : encode_note_change(j, l, item->arg, l->blocks);
	return perf_output_item(l->buffer, item) &&
	       (j->filtered ? encode_qualified(j, l, item, 1) : encode_blocks(j, l, item, 1));
}

bool encode_read(struct job *j, struct lane *l)
{
	bool good = true;

	for (size_t at = 0, end; good && at < l->reader.n; at = end + 1) {
		for (end = at; end < l->reader.n && !is_noted(l, &l->read[end]); end++)
			continue;
		good = j->filtered ? encode_qualified(j, l, l->read + at, end - at)
		                   : encode_blocks(j, l, l->read + at, end - at);
		if (good && end < l->reader.n)
			good = note_item(j, l, end);
	}
	if (!good && !l->batch && l->error.status != HS_OK)
		j->error = l->error;
	return good;
}

bool encode_batch(struct job *j, struct lane *l, bool *ended)
{
	set_time(j, l);
	*ended = j->transcodes ? !encode_fill(&l->reader) : !reader_fill(&l->reader);
	return *ended ? feed_end(&l->feed) : encode_read(j, l);
}

/* ---- set-up ------------------------------------------------------------------- */

static bool has_filter(const struct hs_qualifier_config *c)
{
	bool any = c->off;

	for (unsigned i = 0; i < HS_FILTERS; i++)
		any |= c->filters[i].enable || c->filters[i].data;
	for (unsigned i = 0; i < HS_COMPARATORS; i++)
		any |= c->comparators[i].p_notify || c->comparators[i].s_notify;
	return any;
}

enum hs_status encode_take_filters(struct job *j, const struct encode_options *own)
{
	const struct options *o = &own->shared;
	const struct hs_registers *r = hs_trace_params_registers(j->params);

	j->filter = own->filter;
	if (!r || has_filter(&own->filter) || hs_tc_filters(&r->dump.regs, &j->filter) == HS_OK)
		return HS_OK;
	return hs_error_set(&j->error, HS_E_CONFIG,
	                    "%s: filters of trTeInstFilters ask for data accesses (dtype, dsize, "
	                    "daddr), which instructions do not have", o->params.registers);
}

static enum hs_status open_filter(struct job *j, struct lane *l, uint32_t hart)
{
	const void *config = hs_trace_params_config(j->params);
	const struct hs_image *image = image_of(j);

	if (!j->filter.address_bits && image->isa.xlen == 32)
		j->filter.address_bits = 32;
	if (hs_qualifier_init(&l->qualifier, &j->filter, image) != HS_OK)
		return hs_error_set(&j->error, HS_E_CONFIG, "filters out of range");
	hs_qualifier_set_hart(&l->qualifier, hart);
	j->filtered = has_filter(&j->filter);
	if (!j->protocol->config_filters ||
	    j->protocol->config_filters(config, &j->filter) == HS_OK)
		return HS_OK;
	return hs_error_set(&j->error, HS_E_CONFIG,
	                    "the filters need more than the encoder has by comparators_p, filters_p, "
	                    "filter_*_p and ecause_choice_p");
}

enum hs_status encode_open_lane(struct job *j, const struct encode_options *own, struct lane *l,
                                uint32_t hart, bool set_id)
{
	const struct options *o = &own->shared;
	enum hs_status s = HS_OK;

	if (j->transcodes)
		s = encode_open_trace_hart(j, o, hart, &l->source);
	else if (j->source)
		s = hs_source_open_hart(j->source, hart, &l->source, &j->error);
	if (s == HS_OK)
		s = open_filter(j, l, hart);
	if (s != HS_OK)
		return s;
	l->hart = hart;
	l->job = j;
	l->id = (uint8_t)(1 + (l - j->lanes));
	l->reader = (struct block_reader){ .source = l->source,
		                           .damage = &j->damage,
		                           .own = l->read,
		                           .room = j->timed ? TIMED_BATCH : READ_BATCH };
	l->feed = (struct feed){ .protocol = j->protocol,
		                 .image = image_of(j),
		                 .out = j->out,
		                 .put = encode_put,
		                 .to = l,
		                 .damage = &j->damage };
	if (j->perf)
		l->buffer = perf_output_add(j->perf, hart);
	if (j->perf && !l->buffer)
		return hs_error_set(&j->error, HS_E_MEMORY, "out of memory");
	if (l->buffer) {
		l->feed.put = perf_output_put;
		l->feed.to = l->buffer;
	}
	feed_configure(&l->feed, hs_trace_params_config(j->params));
	if (set_id)
		j->protocol->config_hart(hs_trace_params_edit_config(j->params), hart);
	l->feed.encoder =
		calloc(1, j->protocol->encoder_size(hs_trace_params_config(j->params)));
	if (!l->feed.encoder)
		return hs_error_set(&j->error, HS_E_MEMORY, "out of memory");
	s = j->protocol->encoder_init(l->feed.encoder, hs_trace_params_config(j->params));
	if (s == HS_OK && j->ported &&
	    !port_open(&l->port, &l->feed, &own->queue, hs_trace_params_config(j->params)))
		return hs_error_set(&j->error, HS_E_MEMORY, "out of memory");
	if (s == HS_OK || hs_trace_params_check(j->params, &j->error) != HS_OK)
		return s;
	return hs_error_set(&j->error, s, "%s: %s", j->protocol->name, hs_status_text(s));
}

/* Room for the numbers of all harts.  A single hart does without its number where that does not
 * fit. */
static enum hs_status set_sources(struct job *j, uint32_t ids, uint32_t count, bool *set_id)
{
	void *config = hs_trace_params_edit_config(j->params);

	if (j->protocol->config_sources(config, *set_id ? ids : 1) == HS_OK)
		return HS_OK;
	*set_id = count > 1;
	if (!*set_id && j->protocol->config_sources(config, 1) == HS_OK)
		return HS_OK;
	return hs_error_set(&j->error, HS_E_CONFIG,
	                    "%u harts do not fit the number of sources of %s (trTeSrcBits)", ids,
	                    j->protocol->name);
}

enum hs_status encode_prepare_lanes(struct job *j, const struct encode_options *own, uint32_t ids,
                                    uint32_t count, bool *set_id)
{
	const struct options *o = &own->shared;

	hs_trace_params_set_default_width(j->params, &image_of(j)->isa);
	/* of a single hart, options may choose the number; a buffer says itself whose it is */
	const bool own_id = setting_given(o, "trTeSrcID") || o->params.registers;
	const bool framed = hs_transport_frames(o->capture.transport);
	const bool apart = own->perf.given || framed; /* each hart in bytes of its own */

	*set_id = apart ? setting_given(o, "trTeSrcBits") : count > 1 || !own_id;
	if (framed && count + j->other_count > HS_FRAME_SOURCE_MAX)
		return hs_error_set(&j->error, HS_E_CONFIG, "frames have IDs for %u sources",
		                    HS_FRAME_SOURCE_MAX);
	for (size_t i = 0; framed && i < j->other_count; i++)
		if (j->others[i].id <= count)
			return hs_error_set(&j->error, HS_E_CONFIG,
			                    "--source 0x%x: the harts have the IDs 1 to %u",
			                    j->others[i].id, count);

	j->lanes = calloc(count ? count : 1, sizeof(*j->lanes));
	j->out = malloc(FEED_ROOM);
	if (!j->lanes || !j->out || hs_code_changes_new(&j->changes) != HS_OK)
		return hs_error_set(&j->error, HS_E_MEMORY, "out of memory");
	return set_sources(j, apart ? 1 : ids, count, set_id);
}

static uint32_t highest_of(const uint32_t *harts, uint32_t count)
{
	uint32_t highest = 0;

	for (uint32_t i = 0; i < count; i++)
		highest = harts[i] > highest ? harts[i] : highest;
	return highest;
}

static enum hs_status open_lanes(struct job *j, const struct encode_options *own)
{
	const struct options *o = &own->shared;
	const uint32_t *harts;
	uint32_t count;
	bool set_id;
	enum hs_status s = HS_OK;

	if (j->transcodes && !o->source.one_hart)
		s = read_harts(j->source, &j->trace_harts, &j->error);
	else if (!j->transcodes)
		s = hs_source_get_harts(j->source, &harts, &count, &j->error);
	if (o->source.one_hart) {
		harts = &o->source.hart;
		count = 1;
	} else if (j->transcodes) {
		harts = j->trace_harts.numbers;
		count = j->trace_harts.count;
	}
	if (s == HS_OK)
		s = encode_prepare_lanes(j, own, highest_of(harts, count) + 1, count, &set_id);
	if (s != HS_OK)
		return s;
	if (own->perf.given)
		j->perf = perf_output_open(&own->perf, j->params, j->source, &j->error);
	if (own->perf.given && !j->perf)
		return j->error.status;
	for (uint32_t i = 0; i < count && s == HS_OK; i++) {
		struct lane *l = &j->lanes[j->count++];

		s = encode_open_lane(j, own, l, harts[i], set_id);
	}
	if (s == HS_OK && set_id)
		j->protocol->config_hart(hs_trace_params_edit_config(j->params), 0);
	return s;
}

/* Can a packet say that others were lost?  0.026 without te_support has none (ADR-0098). */
static bool reports_loss(const struct job *j)
{
	struct hs_et_layout_config layout;
	struct hs_et_config c;

	if (hs_protocol_get_etrace(j->protocol, hs_trace_params_config(j->params), &c) != HS_OK ||
	    c.version != HS_ET_0_026)
		return true;
	if (c.layout.given >> HS_ET_LAYOUT_SUPPORT & 1u)
		return c.layout.support;
	return hs_et_layout_of(c.dialect, c.version, &layout) != HS_OK || layout.support;
}

/* --queue, --drain and --stall need each other. */
static enum hs_status check_queue(struct job *j, const struct encode_options *own)
{
	const struct queue_options *q = &own->queue;

	if (q->given != q->drain_given)
		return hs_error_set(&j->error, HS_E_CONFIG, "--queue and --drain need each other");
	if (q->stall && !q->given)
		return hs_error_set(&j->error, HS_E_CONFIG, "--stall needs --queue and --drain");
	if (q->given && !q->stall && !reports_loss(j))
		return hs_error_set(&j->error, HS_E_CONFIG,
		                    "no packet of this dialect says that others were lost "
		                    "(ADR-0098): --queue needs --stall here");
	j->ported = q->given || own->queue.change_count;
	return HS_OK;
}

/* The parameters as for a trace that is read, but TRACE.json does not exist yet. */
enum hs_status encode_configure(struct job *j, const struct encode_options *own)
{
	const struct options *o = &own->shared;
	const enum hs_status s = read_params(o, NULL, &j->params, &j->error);

	if (s != HS_OK)
		return s;
	hs_trace_params_set_default_sync(j->params);
	j->protocol = hs_trace_params_protocol(j->params);
	if (check_queue(j, own) != HS_OK)
		return j->error.status;
	return own->queue.stall
	               ? hs_protocol_set(j->protocol, hs_trace_params_edit_config(j->params),
	                                 "trTeInstStallEna", "1", &j->error)
	               : HS_OK;
}

static enum hs_status open_recording(struct job *j, const struct encode_options *own)
{
	const struct options *o = &own->shared;
	struct hs_source_options so = recording_options(o, o->args[0]);

	j->timed = o->source.clock ||
	           j->protocol->config_is_timed(hs_trace_params_config(j->params));
	so.clock = j->timed ? &o->store.clock : NULL;
	so.no_code = !o->range.given && !so.guest_count;

	struct hs_rec *rec;

	j->transcodes = encode_is_trace(so.path);
	if (j->transcodes)
		return encode_open_trace(j, own);
	if (o->source.code_count)
		return hs_error_set(&j->error, HS_E_CONFIG,
		                    "--elf and the like are for a trace; a recording has its code");
	if (!is_recording(so.path)) { /* a trace would be a source, too; this says what is wrong */
		const enum hs_status s = hs_rec_open(so.path, &rec, &j->error);

		if (s != HS_OK)
			return s;
		hs_rec_close(rec);
	}
	const enum hs_status s = hs_source_open(&so, &j->source, &j->error);

	if (s == HS_OK)
		verify_source(o, j->source, so.path);
	return s == HS_OK ? range_set(o, so.path, j->source, &j->error) : s;
}

void encode_close(struct job *j)
{
	for (uint32_t i = 0; i < j->count; i++) {
		hs_source_close(j->lanes[i].source);
		port_close(&j->lanes[i].port);
		free(j->lanes[i].feed.encoder);
	}
	for (size_t i = 0; i < j->other_count; i++)
		close(j->others[i].fd);
	pin_output_close(&j->output);
	perf_output_close(j->perf);
	free(j->lanes);
	free(j->out);
	free(j->trace_harts.numbers);
	hs_trace_params_free(j->params);
	hs_code_changes_free(j->changes);
	hs_source_close(j->source);
	new_file_discard(&j->file);
}

/* ---- result ------------------------------------------------------------------- */

/* What the queues of all harts did. */
static void report_queue(struct report *r, const struct job *j)
{
	uint64_t cycles = 0, stalled = 0, losses = 0, data = 0, peak = 0;

	for (uint32_t i = 0; i < j->count; i++) {
		const struct port *p = &j->lanes[i].port;

		cycles += p->clock.now;
		stalled += p->stalled;
		losses += p->losses;
		data += p->data_lost;
		peak = p->queue.peak > peak ? p->queue.peak : peak;
	}
	report_u64(r, "cycles", "cycles", cycles);
	report_u64(r, "stalled_cycles", "cycles stalled", stalled);
	report_u64(r, "losses", "times that messages were lost", losses);
	if (data)
		report_u64(r, "accesses_lost", "accesses lost", data);
	report_u64(r, "queue_peak", "most bytes in a queue", peak);
}

/* Of the trace: of a perf.data those in its buffers. */
static uint64_t count_bytes(const struct job *j)
{
	uint64_t n = j->bytes;

	for (uint32_t i = 0; i < j->count; i++)
		n += j->lanes[i].buffer ? perf_output_bytes(j->lanes[i].buffer) : 0;
	return n;
}

static void print_summary(const struct job *j, const char *trace, const struct encode_options *own)
{
	const struct options *o = &own->shared;
	struct hs_message_count sum[TYPES], v[TYPES];
	struct report r;
	unsigned n = 0;

	for (uint32_t i = 0; i < j->count; i++)
		n = hs_message_counts_add(
			sum, n, TYPES, v,
			j->protocol->encoder_counts(j->lanes[i].feed.encoder, v, TYPES));
	report_begin(&r, stdout, o->json);
	report_text(&r, "trace", "trace", trace);
	report_text(&r, "protocol", "protocol", j->protocol->name);
	report_u32(&r, "harts", "harts", j->count);
	report_u64(&r, "blocks", "blocks", encode_count_blocks(j));
	report_u64(&r, "bytes", "bytes", count_bytes(j));
	if (j->output.on)
		report_u64(&r, "sample_bytes", "bytes of samples", j->output.bytes);
	if (own->queue.given)
		report_queue(&r, j);
	report_list(&r, "messages", "messages by type");
	for (unsigned i = 0; i < n; i++) {
		report_row(&r);
		report_u64(&r, "count", "", sum[i].messages);
		report_text(&r, "name", "", sum[i].name);
		report_row_end(&r);
	}
	report_list_end(&r);
	report_end(&r);
}

/* The sources of frames: the harts, and the traces that were added, with the parameters next to
 * them. */
static enum hs_status add_sources(struct job *j, const struct options *o)
{
	struct hs_trace_params *own = NULL;
	enum hs_status s = hs_trace_params_copy(j->params, &own);

	for (uint32_t i = 0; i < j->count && s == HS_OK; i++) {
		const struct hs_source_part part = { .id = (uint8_t)(i + 1),
			                             .hart = i,
			                             .params = own };

		s = hs_trace_params_add_source(j->params, &part);
	}
	hs_trace_params_free(own);
	for (size_t i = 0; i < j->other_count && s == HS_OK; i++) {
		struct hs_trace_params_options po = { .size = sizeof(po) };
		struct hs_source_part part = { .hart = (uint32_t)(j->count + i) };

		own = NULL;
		if (!part_of_output(o->parts.at[i], &part.id, &po.trace))
			return HS_E_CONFIG;
		s = hs_trace_params_open(&po, &own, &j->error);
		part.params = own;
		if (s == HS_OK)
			s = hs_trace_params_add_source(j->params, &part);
		hs_trace_params_free(own);
	}
	return s;
}

/* May the recording that TRACE.json names be read?  What we write counts as the user's own words,
 * and so must not repeat those of somebody else (ADR-0221). */
static bool may_name(const struct job *j, const char *trace, const char *recording)
{
	char *json = with_ending(trace, "", ".json");
	const bool own = json && hs_is_own(json);

	free(json);
	return own || hs_program_allows(hs_source_program(j->source), recording);
}

/* What TRACE.json names as the recording. */
static const char *recording_of(const struct job *j, const struct options *o)
{
	struct hs_trace_info info;

	if (!j->transcodes)
		return o->args[0];
	hs_trace_params_get_info(hs_source_params(j->source), &info);
	return info.recording && may_name(j, o->args[0], info.recording) ? info.recording : NULL;
}

static enum hs_status write_params(struct job *j, const char *trace, const struct options *o)
{
	if (hs_transport_frames(o->capture.transport) && add_sources(j, o) != HS_OK)
		return hs_error_set(&j->error, HS_E_MEMORY, "out of memory");
	if (hs_trace_params_set_recording(j->params, recording_of(j, o)) != HS_OK ||
	    hs_trace_params_set_transport(j->params, o->capture.transport) != HS_OK)
		return hs_error_set(&j->error, HS_E_MEMORY, "out of memory");
	return hs_trace_params_write_beside(j->params, trace, &j->error);
}

int encode_finish(struct job *j, const char *trace, const struct encode_options *own)
{
	const struct options *o = &own->shared;

	if (strcmp(trace, "-") == 0)
		return damage_exit(&j->damage);
	hs_code_changes_set_harts(j->changes, j->count);
	const char *stem = new_file_stem(&j->file);

	if (hs_code_changes_write_beside(j->changes, stem, &j->error) != HS_OK ||
	    write_params(j, stem, o) != HS_OK)
		return fail(&j->error);
	if (!new_file_commit(&j->file))
		return EXIT_USAGE;
	if (!o->quiet || o->json)
		print_summary(j, trace, own);
	return damage_exit(&j->damage);
}

enum hs_status encode_check_transport(struct job *j, const struct encode_options *own)
{
	const struct options *o = &own->shared;
	const struct hs_protocol *protocol = hs_trace_params_protocol(j->params);
	const char *name = o->capture.transport;

	if (own->perf.given && (own->system || (name && strcmp(name, "raw") != 0)))
		return hs_error_set(&j->error, HS_E_CONFIG,
		                    "--perf-data holds the bytes of encoders: neither --transport nor "
		                    "--system");
	if (o->parts.count && !hs_transport_frames(name))
		return hs_error_set(&j->error, HS_E_CONFIG,
		                    "encode takes --source only with CoreSight frames");
	if (!name || strcmp(name, "raw") == 0 || !protocol->config_headers ||
	    hs_transport_frames(name))
		return HS_OK;
	struct hs_pin_config *pins = &j->output.headers;

	pins->headers = protocol->config_headers(hs_trace_params_config(j->params),
	                                         &pins->src_bytes, &pins->tstamp_bytes);
	if (pins->headers)
		return HS_OK;
	return hs_error_set(&j->error, HS_E_CONFIG,
	                    "transport %s needs the standard encapsulation: in this framing "
	                    "nothing aligns packets", name);
}

/* A recording of a program has the files that it mapped. */
static bool begin_perf(struct job *j)
{
	return !j->perf || perf_output_begin(j->perf, hs_source_info(j->source)->map_count == 0,
	                                     j->timed);
}

static bool open_others(struct job *j, const struct options *o)
{
	for (size_t i = 0; i < o->parts.count; i++) {
		struct other *other = &j->others[j->other_count];
		const char *path;

		if (!part_of_output(o->parts.at[i], &other->id, &path))
			return false;
		other->fd = open(path, O_RDONLY | O_CLOEXEC);
		if (other->fd < 0) {
			complain("%s: %s", path, strerror(errno));
			return false;
		}
		j->other_count++;
	}
	return true;
}

/* What is left of the other traces. */
static bool end_others(struct job *j)
{
	bool more = j->other_count, good = true;

	while (more && good)
		good = write_others(j, &more);
	return good;
}

static int run(struct job *j, const char *trace, const struct encode_options *own)
{
	const struct options *o = &own->shared;

	if (encode_configure(j, own) != HS_OK || encode_check_transport(j, own) != HS_OK)
		return fail(&j->error);
	if (!open_others(j, o))
		return EXIT_USAGE;
	if (encode_take_filters(j, own) != HS_OK || open_recording(j, own) != HS_OK ||
	    open_lanes(j, own) != HS_OK)
		return fail_file(o->args[0], &j->error);
	if (!overwrite_trace(trace, j->params, o->capture.transport, recording_of(j, o)) ||
	    !new_file_open_trace(&j->file, trace))
		return EXIT_USAGE;
	j->output.idle = own->idle;
	if (!pin_output_open(&j->output, o, j->file.fd) || !begin_perf(j) || !encode_all(j, o) ||
	    !end_others(j) || !pin_output_end(&j->output) ||
	    (j->perf && !perf_output_end(j->perf, j->file.fd)))
		return j->error.status != HS_OK ? fail(&j->error) : EXIT_USAGE;
	return encode_finish(j, trace, own);
}

int cmd_encode(int argc, char **argv)
{
	struct job j = { .file.fd = -1 };
	struct encode_options own = ENCODE_OPTIONS;
	struct options *o = &own.shared;
	char *trace;
	int status;

	if (!options_parse(&encode_usage, argc, argv, o, &status))
		return status;
	o->range.given |= o->source.select != NULL; /* what is not there is said of all harts */
	if (own.system)
		return encode_system(o, own.system);
	trace = o->output ? strdup(o->output) : with_ending(o->args[0], ".rec", ".nt");
	if (!trace) {
		complain("out of memory");
		return EXIT_USAGE;
	}
	status = run(&j, trace, &own);
	encode_close(&j);
	free(trace);
	return status;
}
