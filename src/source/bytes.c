/* Sources: the bytes of a trace: of a capture, a perf.data, or a slice of a file. */
#include <string.h>
#include <unistd.h>

#include <hartscope/trace_params.h>

#include "core/config.h"
#include "source/private.h"

#define START_BYTES 4096 /* in which a trace may say what it is */

/* ---- reading -------------------------------------------------------------------- */

uint32_t source_bits(const struct source_trace *t)
{
	return (uint32_t)hs_protocol_number(t->protocol, t->config, "trTeSrcBits");
}

enum hs_status source_read_at(const struct source_trace *t, uint64_t offset, uint8_t *to, size_t n,
                              struct hs_error *error)
{
	if (t->in.memory.p) {
		memcpy(to, t->in.memory.p + offset, n);
		return HS_OK;
	}
	while (n) {
		const ssize_t got = pread(t->in.fd, to, n, (off_t)offset);

		if (got <= 0)
			return hs_error_set(error, HS_E_SYSTEM, "%s: cannot be read at 0x%llx",
			                    t->in.name, (unsigned long long)offset);
		to += got;
		offset += (uint64_t)got;
		n -= (size_t)got;
	}
	return HS_OK;
}

static enum hs_status read_slice(struct source_trace *t, uint8_t *out, size_t cap, size_t *n,
                                 struct hs_error *error)
{
	struct source_window *w = &t->window;
	const uint64_t left = w->limit - w->at;
	enum hs_status status;

	*n = left < cap ? (size_t)left : cap;
	status = *n ? source_read_at(t, w->at, out, *n, error) : HS_END;
	w->at += *n;
	return status;
}

enum hs_status source_read_bytes(struct source_trace *t, uint8_t *out, size_t cap, size_t *n,
                                 struct hs_error *error)
{
	if (t->slice)
		return read_slice(t, out, cap, n, error);
	if (t->in.perf)
		return source_read_perf(t->in.perf, out, cap, n, error);
	const enum hs_status status = hs_capture_read(t->in.capture, out, cap, n, error);

	source_sum_add(t, out, *n, status == HS_END);
	return status;
}

/* Read more bytes into the buffer; at the end of the file eof is set. */
enum hs_status source_refill(struct source_trace *t, struct hs_error *error)
{
	enum hs_status status;

	t->in.left.p = t->in.buffer;
	do
		status = source_read_bytes(t, t->in.buffer, SOURCE_PIECE, &t->in.left.n, error);
	while (status == HS_OK && !t->in.left.n);
	t->in.eof = status == HS_END || status == HS_E_SYSTEM;
	t->in.bytes += t->in.left.n;
	return status == HS_END ? HS_OK : status;
}

/* ---- opening -------------------------------------------------------------------- */

/* Its bytes come as they are. */
static enum hs_status refuse_transport(const struct source_trace *t,
                                       const struct hs_capture_options *c, struct hs_error *error)
{
	if (!c->transport || strcmp(c->transport, "raw") == 0 || hs_transport_frames(c->transport))
		return HS_OK;
	return hs_error_set(error, HS_E_CONFIG,
	                    "%s: transport %s needs messages that it can align: %s has none",
	                    t->in.name, c->transport, t->protocol->name);
}

/* Transports align messages by MSEO, or packets of the standard encapsulation. */
static enum hs_status fit_protocol(const struct source_trace *t, struct hs_capture_options *c,
                                   struct hs_pin_config *pins, struct hs_error *error)
{
	const struct hs_protocol_traits traits = source_traits(t);
	struct hs_serial_config pin;

	if (traits.unaligned)
		return refuse_transport(t, c, error);
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
		                    "framing nothing aligns packets: dialect (legal: standard, "
		                    "atb, draft, encap1), or give the bytes",
		                    t->in.name, c->transport);
	c->headers = pins;
	c->null_run = traits.null_run;
	c->find_ring = t->protocol->codec->find_ring;
	c->find_of = t->config;
	return HS_OK;
}

/* The file's first bytes, where they are those of the trace. */
static struct hs_span look_at_start(const struct source_trace *t, uint8_t *room, size_t size)
{
	ssize_t n;

	if (t->transport && strcmp(t->transport, "raw") != 0)
		return (struct hs_span){ room, 0 };
	if (t->in.memory.p)
		return (struct hs_span){ t->in.memory.p,
			                 t->in.memory.n < size ? t->in.memory.n : size };
	n = t->in.total ? pread(t->in.fd, room, size, 0) : 0;
	return (struct hs_span){ room, n > 0 ? (size_t)n : 0 };
}

/* Where nothing says what the trace is, it may say so itself. */
static void recognise(struct source_trace *t)
{
	uint8_t room[START_BYTES];
	const struct hs_span start = look_at_start(t, room, sizeof(room));

	if (t->in.perf || !hs_trace_params_recognise(t->params, &start))
		return;
	t->protocol = hs_trace_params_protocol(t->params);
	t->config = hs_trace_params_config(t->params);
}

static enum hs_status take_discovery(struct source_trace *t, const struct hs_discovered *d,
                                     struct hs_error *error)
{
	struct hs_error note = { 0 };

	if (hs_trace_params_add_discovery(t->params, d->words, d->count, &note) != HS_OK)
		return hs_error_set(error, HS_E_MEMORY, "out of memory");
	if (note.status != HS_OK)
		hs_error_set(&t->diag.note, note.status, "discovery at offset 0x%llx: %.400s",
		             (unsigned long long)d->offset, note.text);
	return HS_OK;
}

/* What the trace did not say is known by now, or is not. */
static enum hs_status check_known(const struct source_trace *t, struct hs_error *error)
{
	struct hs_error e;
	const enum hs_status status = hs_trace_params_check(t->params, &e);

	return status == HS_OK ? status
	                       : hs_error_set(error, status,
	                                      "%s: %.400s; its first 0x%zx bytes do not say more",
	                                      t->in.name, e.text, t->in.left.n);
}

/* Take parameters from a message at the start of the trace, the first piece of it. */
enum hs_status source_discover(struct source_trace *t, struct hs_error *error)
{
	struct hs_discovered d;

	recognise(t);
	if (!source_traits(t).discovers)
		return HS_OK;
	enum hs_status status = source_refill(t, error);

	if (status == HS_OK &&
	    t->protocol->codec->find_discovery(hs_trace_params_edit_config(t->params), &t->in.left,
	                                       CODEC_KNOWN_CONFIG, &d))
		status = take_discovery(t, &d, error);
	return status == HS_OK ? check_known(t, error) : status;
}

/* What the registers of a RAM sink say of the file. */
static bool find_ram(const struct source_trace *t, struct hs_capture_ram *ram)
{
	const struct hs_registers *registers = hs_trace_params_registers(t->params);
	struct hs_registers_ram r;

	if (!registers || !hs_registers_get_ram(registers, &r))
		return false;
	*ram = (struct hs_capture_ram){ .start = r.start,
		                        .limit = r.limit,
		                        .wp = r.wp,
		                        .wrapped = r.wrapped,
		                        .stopped = r.stop_on_wrap };
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
		t->in.total = 0; /* bytes of trace are not bytes of the file */
	return memory && memory->p
	               ? hs_capture_open_memory(memory, t->in.name, &c, &t->in.capture, error)
	               : hs_capture_open(fd, t->in.name, &c, &t->in.capture, error);
}
