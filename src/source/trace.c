/* Sources: a trace, read in pieces. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <hartscope/registers.h>

#include "core/config.h"
#include "inputs/inputs.h"
#include "recording/recording.h"
#include "source/private.h"
#include "trace/trace.h"
#include "source/source.h"

#define PIECE ((size_t)1 << 18)
#define THREAD_BYTES_MIN 8192u
#define SHARED_PIECES 4u /* that are worth several threads */
#define COUNTED_PIECES 16u

/* ---- reading ------------------------------------------------------------------ */

enum hs_status source_read_bytes(struct source_trace *t, uint8_t *out, size_t cap, size_t *n,
                                 struct hs_error *error)
{
	if (t->slice)
		return source_slice_read(t, out, cap, n, error);
	if (t->perf)
		return source_read_perf(t->perf, out, cap, n, error);
	const enum hs_status status = hs_capture_read(t->capture, out, cap, n, error);

	source_sum_add(t, out, *n, status == HS_END);
	return status;
}

/* Read more bytes into the buffer; at the end of the file eof is set. */
enum hs_status source_refill(struct source_trace *t, struct hs_error *error)
{
	enum hs_status status;

	t->left.p = t->buffer;
	do
		status = source_read_bytes(t, t->buffer, PIECE, &t->left.n, error);
	while (status == HS_OK && !t->left.n);
	t->eof = status == HS_END || status == HS_E_SYSTEM;
	t->bytes += t->left.n;
	return status == HS_END ? HS_OK : status;
}

void source_count_items(struct source_trace *t, const struct hs_block *items, size_t n,
                        enum hs_status status)
{
	for (size_t i = 0; i < n && !t->begun; i++)
		t->begun = source_begins(&items[i]);
	t->items += n + (hs_status_get_class(status) >= HS_CLASS_CALLER);
}

/* Is nothing of a trace known?  Of a part of it, or of a buffer, gaps are enough. */
static bool is_nothing(const struct source_trace *t)
{
	return !t->items || !(t->begun || t->slice || t->perf || t->parts);
}

enum hs_status source_nothing_read(const struct source_trace *t, struct hs_error *error)
{
	struct hs_capture_report report = { .kind = NULL };

	if (t->capture)
		hs_capture_get_report(t->capture, &report);
	if (report.kind && report.kind->certain) /* of a pipe: that was the error before */
		return HS_END;
	if (!t->bytes && t->transport && strcmp(t->transport, "raw") != 0)
		return hs_error_set(error, HS_E_FORMAT, "%s: no byte of a trace is in it as %s%s",
		                    t->name, t->transport,
		                    hs_transport_frames(t->transport)
		                            ? " of this source: 'hartscope dump' shows all sources"
		                            : ": it may be of another transport (--transport)");
	if (!t->bytes)
		return hs_error_set(error, HS_E_FORMAT, "%s is empty: it holds no trace", t->name);
	return hs_error_set(
		error, HS_E_FORMAT,
		"%s: no message synchronises in %llu bytes: nothing can be decoded%s%s"
		"%s%s",
		t->name, (unsigned long long)t->bytes, report.kind ? "; it looks like " : "",
		report.kind ? report.kind->what : "", report.kind ? ": " : "; ",
		report.kind ? report.kind->hint
			    : "it may be of another protocol, transport or SRC (--protocol, "
			      "--transport, --set trTeSrcBits; 'hartscope identify' tries them)");
}

static enum hs_status finish(struct source_trace *t, struct hs_block *out, size_t cap, size_t *n,
                             struct hs_error *error)
{
	if (t->ended)
		return HS_END;
	const enum hs_status status = source_decode_end(t, out, cap, n);

	source_count_items(t, out, *n, HS_OK);
	if (status == HS_FULL)
		return HS_OK;
	if (status != HS_OK) {
		source_set_fault(t, status, error);
		return status;
	}
	t->ended = true;
	if (t->memo)
		hs_memo_flush(t->memo);
	return is_nothing(t) ? source_nothing_read(t, error) : HS_OK;
}

/* Bytes that may be decoded at once: one where each message must be seen on its own, and none past
 * a stop. */
static size_t next_piece(const struct source_trace *t)
{
	const uint64_t at = t->bytes - t->left.n;
	uint64_t n = t->left.n;

	if (n < 2 || source_changes_adrift(t) || (t->by_byte && at >= t->by_byte_from))
		return n ? 1 : 0;
	if (t->by_byte && t->by_byte_from - at < n)
		n = t->by_byte_from - at;
	for (unsigned i = 0; i < 2; i++)
		if (t->stops[i] > at && t->stops[i] - at < n)
			n = t->stops[i] - at;
	return (size_t)n;
}

static enum hs_status decode_left(struct source_trace *t, struct hs_block *out, size_t cap,
                                  size_t *n)
{
	struct hs_span piece = { t->left.p, next_piece(t) };
	const enum hs_status status = source_decode_bytes(t, &piece, out, cap, n);

	t->left.n -= (size_t)(piece.p - t->left.p);
	t->left.p = piece.p;
	return status;
}

/* Must a decoder know of bytes that are missing?  Where pins lost alignment and messages
 * end by MSEO, the bytes say so. */
static bool is_lost(const struct source_trace *t, enum hs_status status)
{
	return status == HS_E_LOST || (status == HS_E_FRAMING && t->protocol->codec->find_ring);
}

static enum hs_status decode_items(struct source_trace *t, struct hs_block *out, size_t cap,
                                   size_t *n, struct hs_error *error)
{
	*n = 0;
	t->reason = HS_REASON_NONE;
	if (!t->left.n && !t->eof && !t->full) {
		const enum hs_status status = source_refill(t, error);

		if (is_lost(t, status))
			source_decode_lose(t);
		if (status != HS_OK)
			return status;
	}
	if (!t->left.n && !t->full)
		return finish(t, out, cap, n, error);
	const enum hs_status status = decode_left(t, out, cap, n);

	t->full = status == HS_FULL; /* one message may give more blocks than fit into @out */
	source_count_items(t, out, *n, status);
	if (status == HS_OK || status == HS_MORE || status == HS_FULL)
		return HS_OK;
	source_set_fault(t, status, error);
	return status;
}

enum hs_status source_decode(struct source_trace *t, struct hs_block *out, size_t cap, size_t *n,
                             struct hs_error *error)
{
	if (!t->perf && !t->parts)
		return decode_items(t, out, cap, n, error);
	const enum hs_status status = decode_items(t, out + 1, cap - 1, n, error);

	*n = t->perf ? source_name_harts(t->perf, out, *n) : source_name_part(t, out, *n);
	if (t->reason != HS_REASON_NONE && error && t->perf)
		source_name_buffer(t->perf, error);
	if (t->parts && error && status != HS_OK && status != HS_END)
		source_name_part_error(t, error);
	return status;
}

/* ---- parts and bytes ------------------------------------------------------------ */

static void free_decoder(struct source_trace *t)
{
	source_parallel_stop(t);
	source_slice_free(t);
	source_free_decoder(t);
	t->memo = NULL;
	source_guide_free(t->guide);
	source_changes_free(t->events);
	t->guide = NULL;
	t->events = NULL;
	hs_reader_free(t->reader);
	t->reader = NULL;
}

enum hs_status source_go_on(struct source_trace *t, struct hs_error *error)
{
	if (!t->perf && (!t->parts || t->parts->now + 1 >= t->parts->count))
		return HS_END;
	if (t->parts) {
		source_keep_counts(t);
		free_decoder(t);
		t->left.n = 0;
		t->eof = false;
	}
	const enum hs_status status = t->perf ? source_next_buffer(t->perf, error)
	                                      : source_next_part(t, error);

	if (status != HS_OK)
		return status;
	if (t->perf) {
		source_keep_counts(t);
		free_decoder(t);
	}
	t->reader_base = 0;
	t->items = 0;
	t->begun = false;
	t->eof = t->eof && t->parts;
	t->ended = t->full = false;
	return HS_OK;
}

enum hs_status hs_source_next_part(struct hs_source *s, struct hs_error *error)
{
	if (s->ops != &source_trace_ops || !s->trace.parts)
		return HS_END;
	return source_go_on(&s->trace, error);
}

enum hs_status hs_source_read(struct hs_source *s, uint8_t *out, size_t cap, size_t *n,
                              struct hs_error *error)
{
	struct hs_span *left = &s->trace.left;

	*n = 0;
	if (s->ops != &source_trace_ops || (s->trace.parts && s->trace.ended))
		return HS_END;
	if (left->n) { /* the piece in which a discovery packet was looked for */
		*n = left->n < cap ? left->n : cap;
		memcpy(out, left->p, *n);
		left->p += *n;
		left->n -= *n;
		return HS_OK;
	}
	enum hs_status status = source_read_bytes(&s->trace, out, cap, n, error);

	if (status == HS_END && s->trace.perf)
		status = source_next_buffer(s->trace.perf, error);
	s->trace.bytes += *n;
	s->trace.ended |= s->trace.parts && status == HS_END && s->trace.bytes;
	if (status != HS_END || s->trace.bytes || s->trace.ended)
		return status;
	s->trace.ended = true;
	return source_nothing_read(&s->trace, error);
}

/* ---- the decoder -------------------------------------------------------------- */

uint32_t source_bits(const struct source_trace *t)
{
	for (unsigned i = 0; i < t->protocol->param_count; i++)
		if (strcmp(t->protocol->params[i].name, "trTeSrcBits") == 0)
			return (uint32_t)hs_protocol_get(t->protocol, t->config, i);
	return 0;
}

static enum hs_status guide_decoder(struct source_trace *t, const struct hs_image *image)
{
	const bool one = t->perf && !source_bits(t);
	const uint32_t hart = one ? source_buffer_hart(t->perf) : 0;
	const enum hs_status status =
		source_guide_new(t->changes, image, one ? &hart : NULL, &t->guide);

	const bool adrift = t->perf && (t->perf->by_time || source_begins_later(t->perf));

	if (status != HS_OK)
		return status;
	if (t->perf)
		source_guide_set_map(t->guide, source_place_perf, t->perf, adrift);
	decoder_guide(t->decoder, source_guide_calls(t->guide));
	return t->versions ? source_changes_new(adrift, &t->events) : HS_OK;
}

enum hs_status source_new_decoder(struct hs_source *s, struct hs_error *error)
{
	struct source_trace *t = &s->trace;
	const struct hs_protocol_traits traits = source_traits(t);
	struct hs_image_set set;
	struct hs_image *image = hs_program_image(s->code.set.first);

	image->isa.custom = t->custom;
	image->isa.custom_count = t->custom_count;
	if (traits.has_headers) /* else the harts are those of the program */
		image->isa.pulp = traits.pulp;
	/* the programs of contexts run on the same hart */
	for (size_t i = 0; i < s->code.set.count; i++) {
		struct hs_isa *isa = &hs_program_image(s->code.processes[i])->isa;

		isa->custom = image->isa.custom;
		isa->custom_count = image->isa.custom_count;
		s->code.process_images[i].isa.custom = isa->custom;
		s->code.process_images[i].isa.custom_count = isa->custom_count;
	}
	hs_trace_params_set_default_width(t->params, &image->isa);
	hs_source_get_images(s, &set);
	enum hs_status status = s->code.later_count ? source_new_search(s, image)
	                                            : hs_decoder_new(&t->decoder, t->protocol,
	                                                             t->config, image, &set);

	if (status == HS_OK && t->changes && !t->search)
		status = guide_decoder(t, image);
	if (status == HS_OK)
		source_ask_memo(t);
	return status == HS_OK ? status : hs_error_set(error, status, "%s: %s", t->protocol->name,
	                                               hs_status_text(status));
}

static enum hs_status rewind_trace(struct hs_source *s, struct hs_error *error)
{
	struct source_trace *t = &s->trace;
	const bool decodes = source_decodes(t);
	enum hs_status status = HS_OK;

	if (t->parts)
		status = source_first_part(t, error);
	else if (!t->perf)
		status = hs_capture_rewind(t->capture, error);
	if (status != HS_OK)
		return status;
	if (t->perf)
		source_rewind_perf(t->perf);
	source_sum_restart(t);
	t->threads = s->threads;
	t->left.n = t->count_count = 0;
	t->bytes = t->items = 0;
	t->begun = false;
	t->eof = t->ended = t->full = false;
	free_decoder(t);
	return decodes ? source_new_decoder(s, error) : HS_OK;
}

static void close_trace(struct hs_source *s)
{
	struct source_trace *t = &s->trace;

	free_decoder(t);
	source_sum_stop(t);
	hs_capture_close(t->capture);
	source_close_perf(t->perf);
	hs_trace_params_free(t->parts ? t->own_params : t->params);
	source_parts_close(t);
	hs_code_changes_free(t->changes);
	free(t->buffer);
	free(t->counts);
	free(t->name);
	if (t->fd > STDERR_FILENO)
		close(t->fd);
}

/* Several threads are of use where nothing but the bytes and the programs is needed to decode, and
 * where there are some pieces of them. */
static bool may_share(const struct hs_source *s)
{
	const struct source_trace *t = &s->trace;

	/* counting is so fast that a thread is worth it only for some more */
	const uint64_t least =
		(t->memo ? COUNTED_PIECES : SHARED_PIECES) * (uint64_t)s->thread_bytes;

	return !t->perf && !t->parts && !t->search && !t->changes &&
	       (t->total ? t->total >= least : !t->memo);
}

/* One thread decodes what is left. */
static enum hs_status leave_parallel(struct source_trace *t, struct hs_error *error)
{
	const enum hs_status status = source_parallel_end(t, error);

	source_parallel_stop(t);
	t->eof = status == HS_END || status == HS_E_SYSTEM;
	if (is_lost(t, status))
		source_decode_lose(t);
	return status == HS_END ? HS_OK : status;
}

/* The next items, of a perf.data of all its buffers. */
enum hs_status source_view_trace(struct hs_source *s, struct source_room *v, size_t *n,
                                 struct hs_error *error)
{
	struct source_trace *t = &s->trace;
	enum hs_status status;

	*n = 0;
	v->items = v->room;
	if (!source_decodes(t) && source_new_decoder(s, error) != HS_OK)
		return hs_error_set(error, HS_END, "out of memory");
	if (t->slice)
		return source_slice_next(t, v->room, v->cap, n, error);
	if (t->threads > 1 && !t->refers && may_share(s))
		source_parallel_start(s, t->threads);
	t->threads = 0;
	if (t->parallel && source_parallel_next(t, v, n, &status, error))
		return status;
	if (t->parallel)
		return leave_parallel(t, error);
	status = t->events ? source_next_changing(t, v->room, v->cap, n, error)
	                   : source_decode(t, v->room, v->cap, n, error);
	return status == HS_END ? source_go_on(t, error) : status;
}

static enum hs_status next_blocks(struct hs_source *s, struct hs_block *out, size_t cap, size_t *n,
                                  struct hs_error *error)
{
	struct source_room v = { .room = out, .cap = cap };
	const enum hs_status status = source_view_trace(s, &v, n, error);

	if (v.items != out)
		memcpy(out, v.items, *n * sizeof(*out));
	return status;
}

const struct source_ops source_trace_ops = { next_blocks, rewind_trace, close_trace };

/* ---- opening ------------------------------------------------------------------ */

static enum hs_status open_file(struct source_trace *t, const char *path, bool standard,
                                struct hs_error *error)
{
	struct stat st;

	t->fd = standard ? STDIN_FILENO : open(path, O_RDONLY | O_CLOEXEC);
	if (t->fd < 0 || fstat(t->fd, &st) < 0)
		return hs_error_set(error, HS_E_SYSTEM, "%s: %s", path, strerror(errno));
	if (S_ISDIR(st.st_mode))
		return hs_error_set(error, HS_E_FORMAT, "%s: a directory, but not a recording",
		                    path);
	t->total = S_ISREG(st.st_mode) ? (uint64_t)st.st_size : 0;
	return HS_OK;
}

static enum hs_status open_bytes(struct source_trace *t, const struct hs_source_options *o,
                                 struct hs_error *error)
{
	const bool standard = !o->trace.p && strcmp(o->path, "-") == 0;

	t->name = strdup(standard ? "standard input" : o->path);
	t->buffer = malloc(PIECE);
	if (!t->name || !t->buffer)
		return hs_error_set(error, HS_E_MEMORY, "%s: out of memory", o->path);
	if (!o->trace.p)
		return open_file(t, o->path, standard, error);
	t->memory = o->trace;
	t->total = o->trace.n;
	return HS_OK;
}

static enum hs_status find_params(struct source_trace *t, const struct hs_source_options *o,
                                  struct hs_error *error)
{
	const struct hs_trace_params_options po = { .size = sizeof(po),
		                                    .trace = o->trace.p || strcmp(o->path, "-") == 0
		                                                     ? NULL
		                                                     : o->path };
	enum hs_status status;

	if (!o->params)
		status = hs_trace_params_open(&po, &t->params, error);
	else if (hs_trace_params_copy(o->params, &t->params) == HS_OK)
		status = HS_OK;
	else
		status = hs_error_set(error, HS_E_MEMORY, "out of memory");
	if (status != HS_OK)
		return status;
	t->protocol = hs_trace_params_protocol(t->params);
	t->config = hs_trace_params_config(t->params);
	return HS_OK;
}

/* Transports align messages by MSEO, or packets of the standard encapsulation. */
static enum hs_status fit_protocol(const struct source_trace *t, struct hs_capture_options *c,
                                   struct hs_pin_config *pins, struct hs_error *error)
{
	const struct hs_protocol_traits traits = source_traits(t);
	struct hs_serial_config pin;

	if (!traits.has_headers)
		return HS_OK;
	pins->headers = traits.aligned;
	pins->src_bytes = traits.src_bytes;
	pins->tstamp_bytes = traits.tstamp_bytes;
	if (c->transport && strcmp(c->transport, "raw") != 0 &&
	    !hs_transport_frames(c->transport) &&
	    hs_transport_serial(c->transport, &pin) != HS_OK && !pins->headers)
		return hs_error_set(error, HS_E_CONFIG,
		                    "%s: transport %s needs the standard encapsulation: in this "
		                    "framing nothing aligns packets; give the bytes", t->name,
		                    c->transport);
	c->headers = pins;
	c->null_run = traits.null_run;
	c->find_ring = t->protocol->codec->find_ring;
	c->find_of = t->config;
	return HS_OK;
}

/* Take parameters from a message at the start of the trace, the first piece of it. */
enum hs_status source_discover(struct source_trace *t, struct hs_error *error)
{
	struct hs_discovered d;

	if (!source_traits(t).discovers)
		return HS_OK;
	const enum hs_status status = source_refill(t, error);

	if (status != HS_OK || !t->protocol->codec->find_discovery(t->config, &t->left, &d))
		return status;
	struct hs_error note = { 0 };

	if (hs_trace_params_add_discovery(t->params, d.words, d.count, &note) != HS_OK)
		return hs_error_set(error, HS_E_MEMORY, "out of memory");
	if (note.status != HS_OK)
		hs_error_set(&t->note, note.status, "discovery at offset 0x%llx: %.400s",
		             (unsigned long long)d.offset, note.text);
	return HS_OK;
}

/* What the registers of a RAM sink say of the file. */
static bool find_ram(const struct source_trace *t, struct hs_capture_ram *ram)
{
	const struct hs_registers *registers = hs_trace_params_registers(t->params);
	struct hs_registers_ram r;

	if (!registers || !hs_registers_get_ram(registers, &r))
		return false;
	*ram = (struct hs_capture_ram){ .start = r.start, .limit = r.limit, .wp = r.wp,
		                        .wrapped = r.wrapped, .stopped = r.stop_on_wrap };
	return true;
}

/* The caller's words win over those of TRACE.json. */
enum hs_status source_open_capture(struct source_trace *t, const struct hs_capture_options *given,
                                   int fd, const struct hs_span *memory, unsigned id,
                                   struct hs_error *error)
{
	struct hs_capture_options c = { .size = sizeof(c) };
	struct hs_pin_config pins = { .size = sizeof(pins) };
	struct hs_capture_ram ram;
	struct hs_trace_info info;

	hs_trace_params_get_info(t->params, &info);
	if (given && base_take_config(&c, sizeof(c), given) != HS_OK)
		return hs_error_set(error, HS_E_CONFIG, "struct hs_capture_options: wrong size");
	if (!c.transport)
		c.transport = t->transport ? t->transport : info.transport;
	if (!c.vcd_clock)
		c.vcd_clock = info.vcd_clock;
	if (!c.vcd_data)
		c.vcd_data = info.vcd_data;
	c.src_bits = source_bits(t);
	c.source_id = (uint8_t)id;
	t->transport = c.transport;
	if (find_ram(t, &ram))
		c.ram = &ram;
	const enum hs_status status = fit_protocol(t, &c, &pins, error);

	if (status != HS_OK)
		return status;
	if (c.transport && strcmp(c.transport, "raw") != 0)
		t->total = 0; /* bytes of trace are not bytes of the file */
	return memory && memory->p ? hs_capture_open_memory(memory, t->name, &c, &t->capture, error)
	                           : hs_capture_open(fd, t->name, &c, &t->capture, error);
}

static enum hs_status open_captures(struct source_trace *t, const struct hs_source_options *o,
                                    struct hs_error *error)
{
	const enum hs_status status = source_open_capture(t, o->capture, t->fd, &o->trace, 0,
	                                                  error);

	return status == HS_OK ? source_parts_open(t, o, error) : status;
}

/* Was TRACE.json written here?  Then what it names is the user's choice. */
static bool is_own(const struct hs_source *s)
{
	char *path = NULL;
	const bool own = asprintf(&path, "%s.json", s->trace.name) >= 0 && hs_is_own(path);

	free(path);
	return own;
}

static enum hs_status add_processes(struct hs_source *s, const struct hs_source_options *o,
                                    const struct hs_trace_info *info, bool recorded,
                                    struct hs_error *error)
{
	struct hs_rec *rec = NULL;

	/* what is wrong with the recording is only an error if its code is needed: find_code() */
	const struct source_files named = { info->processes, info->process_count, is_own(s) };

	if (recorded && (named.is_own || hs_program_allows(s->code.program, info->recording)) &&
	    hs_rec_has_processes(info->recording))
		(void)hs_rec_open(info->recording, &rec, NULL);
	const enum hs_status status = source_add_processes(&s->code, o, &named, rec, error);

	hs_rec_close(rec);
	return status;
}

/* The files that a perf.data says were mapped: with several processes, each has a program of its
 * own, whose context is its number. */
static enum hs_status add_maps(struct hs_source *s, const struct hs_source_options *o,
                               struct hs_error *error)
{
	struct source_maps m;
	enum hs_status status = source_read_maps(s, o->sysroot, &m, error);

	for (size_t i = 0; m.one && i < m.count && status == HS_OK; i++)
		status = hs_program_add_elf(s->code.program, m.files[i].path, m.files[i].bias,
		                            error);
	if (status == HS_OK)
		status = source_add_processes(
			&s->code, o, &(struct source_files){ m.files, m.one ? 0 : m.count, true },
			NULL, error);
	source_free_maps(&m);
	return status;
}

/* May the recording that TRACE.json names be read? */
static bool may_read(struct hs_source *s, const struct hs_trace_info *info)
{
	return is_own(s) || hs_program_allows(s->code.program, info->recording);
}

/* The recording that TRACE.json names, which is @there, or why there is none. */
static enum hs_status add_recording(struct hs_source *s, const struct hs_trace_info *info,
                                    bool there, struct hs_error *error)
{
	if (there && !may_read(s, info))
		return hs_error_set(
			error, HS_E_CONFIG,
			"%s: its recording %s is elsewhere, and %s.json was not written here: give "
			"--image, or --allow-paths",
			s->trace.name, info->recording, s->trace.name);
	if (there)
		return source_add_image(&s->code, s->code.program, info->recording, error);
	if (s->trace.perf && hs_program_image(s->code.program)->count)
		return HS_OK;
	if (info->recording)
		return hs_error_set(
			error, HS_E_CONFIG,
			"%s: its recording %s does not exist; give the program with --elf FILE",
			s->trace.name, info->recording);
	return hs_error_set(
		error, HS_E_CONFIG,
		"%s: a trace means nothing without its program; give it with --elf FILE",
		s->trace.name);
}

/* The program: what the caller gave, and what the recording has that TRACE.json names. */
static enum hs_status find_code(struct hs_source *s, const struct hs_source_options *o,
                                const struct hs_trace_info *info, struct hs_error *error)
{
	const bool recorded =
		info->recording && hs_file_what(info->recording, NULL) == HS_FILE_RECORDING;
	const bool maps = s->trace.perf && !o->code_count && !info->process_count && !recorded;
	enum hs_status status;

	if (is_own(s))
		hs_program_trust_sources(s->code.program);
	if (source_has_moments(o)) /* code is one for all contexts */
		status = source_add_moments(&s->code, o, error);
	else
		status = maps ? add_maps(s, o, error) : add_processes(s, o, info, recorded, error);
	if (status != HS_OK)
		return status;
	if (source_has_code(o))
		return info->recording && !source_has_moments(o) && (!recorded || may_read(s, info))
		               ? source_add_recorded(&s->code, o, info->recording, error)
		               : source_add_code(&s->code, o, NULL, error);
	if (!s->code.set.count)
		return add_recording(s, info, recorded, error);
	s->code.set.first = s->code.set.programs[0]; /* the first process begins */
	return HS_OK;
}

/* Code that the protocol's dialect has before each program, unless a file has it. */
static enum hs_status add_boot(struct hs_source *s, struct hs_error *error)
{
	const struct source_trace *t = &s->trace;
	const struct hs_image *boot = source_traits(t).boot;
	size_t n;

	if (!boot || hs_img_bytes(hs_program_image(s->code.program), boot->sections[0].start, &n))
		return HS_OK;
	return hs_program_add_image(s->code.program, boot, error);
}

static enum hs_status read_changes(struct source_trace *t, const char *path, struct hs_error *error)
{
	char *stem;
	enum hs_status status = hs_trace_params_find_code(t->params, path, &stem, error);

	if (status == HS_OK && stem)
		status = hs_code_changes_read_beside(stem, &t->changes, error);
	free(stem);
	return status;
}

/* Which records they were nobody knows. */
static void note_lost(struct hs_source *s)
{
	const struct source_trace *t = &s->trace;
	const uint64_t lost = t->perf ? hs_perf_get_info(t->perf->file)->lost : 0;
	if (!lost)
		return;
	(void)hs_program_add_note(
		s->code.program,
		"%s: the kernel had no room for %llu records: files that were mapped, threads, "
		"and losses of the trace may be missing (perf record -m PAGES makes room)",
		t->name, (unsigned long long)lost);
}

/* TEXT_POKE says what TRACE.code does, also where that is @missing (HS_E_CUT). */
static enum hs_status read_pokes(struct source_trace *t, enum hs_status missing,
                                 struct hs_error *error)
{
	const enum hs_status status = source_read_pokes(t->perf, &t->changes);

	if (status == HS_E_UNSUPPORTED)
		return hs_error_set(error, status,
		                    "%s: its code changes more than 1,048,576 times (TEXT_POKE): "
		                    "record a shorter part",
		                    t->name);
	if (status != HS_OK)
		return hs_error_set(error, status, "%s: out of memory", t->name);
	return t->changes ? HS_OK : missing;
}

enum hs_status source_open_trace(struct hs_source *s, const struct hs_source_options *o,
                                 struct hs_error *error)
{
	struct source_trace *t = &s->trace;
	struct hs_trace_info info;

	s->ops = &source_trace_ops;
	t->fd = -1;
	t->versions = o->versions;
	t->threads = o->threads;
	s->thread_bytes = o->thread_bytes ? o->thread_bytes : SOURCE_THREAD_BYTES;
	s->thread_bytes = s->thread_bytes < THREAD_BYTES_MIN ? THREAD_BYTES_MIN : s->thread_bytes;
	t->custom = o->custom;
	t->custom_count = o->custom_count;
	enum hs_status status = open_bytes(t, o, error);

	if (status == HS_OK)
		status = find_params(t, o, error);
	if (status != HS_OK)
		return status;
	hs_trace_params_get_info(t->params, &info);
	status = source_is_perf(o) ? source_open_perf(t, o, error) : open_captures(t, o, error);
	if (status == HS_OK)
		status = source_discover(t, error);
	if (status != HS_OK || o->no_code)
		return status;
	if (!o->trace.p && strcmp(o->path, "-") != 0 && !source_has_moments(o))
		status = read_changes(t, o->path, error);
	if (t->perf && !t->changes && (status == HS_OK || status == HS_E_CUT))
		status = read_pokes(t, status, error);
	if (status == HS_OK)
		status = find_code(s, o, &info, error);
	note_lost(s);
	if (status == HS_OK)
		status = add_boot(s, error);
	if ((t->changes || s->code.later_count) && t->versions)
		source_set_versions(&s->code, source_changed_code, t);
	if (status == HS_OK)
		status = source_new_decoder(s, error);
	return status == HS_OK ? source_find_seam(s, error) : status;
}
