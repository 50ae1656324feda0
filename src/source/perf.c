/* Sources: the AUX area of a perf.data, one buffer after the other (design/perf-data). */
#include <stdlib.h>
#include <string.h>

#include "core/config.h"
#include "inputs/inputs.h"
#include "source/private.h"

/* A source of the trace (SRC, srcID) and the CPU that it is. */
struct source_perf_id {
	uint64_t id;
	uint32_t cpu;
};

bool source_is_perf(const struct hs_source_options *o)
{
	if (o->trace.p)
		return hs_file_what_bytes(&o->trace, NULL) == HS_FILE_PERF;
	return strcmp(o->path, "-") != 0 && hs_file_what(o->path, NULL) == HS_FILE_PERF;
}

/* ---- harts ------------------------------------------------------------------------- */

static bool add_id(struct source_perf *p, uint64_t id, uint32_t cpu)
{
	struct source_perf_id *more = realloc(p->ids, (p->id_count + 1) * sizeof(*p->ids));

	if (!more)
		return false;
	p->ids = more;
	p->ids[p->id_count++] = (struct source_perf_id){ id, cpu };
	return true;
}

static uint32_t cpu_of(const struct source_perf *p, uint64_t id)
{
	for (size_t i = 0; i < p->id_count; i++)
		if (p->ids[i].id == id)
			return p->ids[i].cpu;
	return (uint32_t)id;
}

/* AUX_OUTPUT_HW_ID of each source; more than a stream can have are not for it. */
#define IDS_MAX 4096

static bool read_ids(struct source_perf *p)
{
	const struct hs_perf_info *info = hs_perf_get_info(p->file);
	struct hs_perf_event e;
	bool good = true;

	for (size_t i = 0; good && i < info->cpu_count && i < IDS_MAX; i++)
		if (info->cpus[i].src_bits || info->framed)
			good = add_id(p, info->cpus[i].src_id, (uint32_t)info->cpus[i].cpu);
	while (good && p->id_count < IDS_MAX && hs_perf_next(p->file, &e, NULL) == HS_OK)
		if (e.type == HS_PERF_AUX_OUTPUT_HW_ID && (e.sample.has & HS_PERF_HAS_CPU))
			good = add_id(p, e.id, e.sample.cpu);
	hs_perf_rewind(p->file);
	return good;
}

/* Threads have numbers that no hart can have: their buffers are counted.  A source of frames is a
 * CPU. */
uint32_t source_buffer_hart(const struct source_perf *p)
{
	struct hs_perf_lane l;

	if (!hs_perf_get_lane(p->file, p->lane, &l))
		return 0;
	if (l.source)
		return cpu_of(p, l.source);
	return l.cpu != HS_PERF_NONE ? l.cpu : (uint32_t)p->lane;
}

size_t source_name_harts(struct source_perf *p, struct hs_block *out, size_t n)
{
	size_t kept = 0;

	if (!n)
		return 0;
	if (!p->named && out[1].kind != HS_KIND_HART)
		out[kept++] = (struct hs_block){ .kind = HS_KIND_HART,
			                         .arg = source_buffer_hart(p) };
	for (size_t i = 1; i <= n; i++) {
		if (out[i].kind == HS_KIND_HART)
			out[i].arg = cpu_of(p, out[i].arg);
		out[kept++] = out[i];
	}
	p->named = true;
	return kept;
}

void source_name_buffer(const struct source_perf *p, struct hs_error *error)
{
	struct hs_error own = *error;
	struct hs_perf_lane l;

	if (!hs_perf_get_lane(p->file, p->lane, &l))
		return;
	hs_error_set(error, own.status, "%s %u: %s", l.cpu != HS_PERF_NONE ? "CPU" : "thread",
	             l.cpu != HS_PERF_NONE ? l.cpu : l.tid, own.text);
}

/* ---- places ------------------------------------------------------------------------- */

uint64_t source_place_perf(void *perf, uint64_t offset)
{
	const struct source_perf *p = perf;

	if (!p->by_time)
		return hs_perf_offset_of(p->file, p->lane, offset);
	/* what happened before the kernel knew of this byte */
	const uint64_t time = hs_perf_time_of(p->file, p->lane, offset);

	return time ? time - 1 : 0;
}

bool source_begins_later(const struct source_perf *p)
{
	struct hs_perf_lane l;

	return hs_perf_get_lane(p->file, p->lane, &l) && l.begin != 0;
}

/* ---- opening and closing -------------------------------------------------------------- */

/* Options that describe bytes of a capture say nothing of a perf.data, which describes its own. */
static enum hs_status check_options(const struct hs_source_options *o, const char *transport,
                                    enum perf_form *form, struct hs_error *error)
{
	struct hs_capture_options c = { .size = sizeof(c) };
	const char *wrong = o->part_count ? "--source" : NULL;

	if (o->capture && base_take_config(&c, sizeof(c), o->capture) != HS_OK)
		return hs_error_set(error, HS_E_CONFIG, "struct hs_capture_options: wrong size");
	transport = c.transport ? c.transport : transport;
	wrong = c.wrap ? "--wrap" : c.period ? "--bit" : wrong;
	wrong = c.vcd_clock || c.vcd_data ? "--vcd-clock, --vcd-data" : wrong;
	*form = transport ? PERF_FORM_RAW : PERF_FORM_FOUND;
	if (transport && strcmp(transport, "tpiu-frames") == 0)
		*form = PERF_FORM_FRAMES;
	else if (transport && strcmp(transport, "raw") != 0)
		return hs_error_set(error, HS_E_CONFIG,
		                    "%s: the buffers of a perf.data hold bytes of encoders (raw) "
		                    "or CoreSight frames (tpiu-frames), not %s",
		                    o->path, transport);
	return wrong ? hs_error_set(error, HS_E_CONFIG,
	                            "%s: %s does not apply: a perf.data describes its buffers",
	                            o->path, wrong)
	             : HS_OK;
}

static enum hs_status open_file(struct source_perf *p, const struct hs_source_options *o,
                                const char *transport, struct hs_error *error)
{
	enum perf_form form = PERF_FORM_FOUND;
	enum hs_status status = check_options(o, transport, &form, error);

	if (status == HS_OK)
		status = hs_perf_open_form(o->path, &o->trace, form, &p->file, error);
	const struct hs_perf_info *info = status == HS_OK ? hs_perf_get_info(p->file) : NULL;
	struct hs_perf_lane first;

	if (status != HS_OK)
		return status;
	if (info->has_auxtrace && !hs_perf_get_info(p->file)->riscv)
		return hs_error_set(error, HS_E_UNSUPPORTED,
		                    "%s: its AUX area is of type %u, not of a RISC-V trace",
		                    o->path, info->auxtrace_type);
	if (!hs_perf_get_lane(p->file, 0, &first))
		return info->damage.status != HS_OK
		               ? hs_error_set(error, info->damage.status, "%s", info->damage.text)
		               : hs_error_set(error, HS_E_FORMAT,
		                              "%s: a perf.data without a trace (AUXTRACE)",
		                              o->path);
	return read_ids(p) ? HS_OK
	                   : hs_error_set(error, HS_E_MEMORY, "%s: out of memory", o->path);
}

enum hs_status source_open_perf(struct source_trace *t, const struct hs_source_options *o,
                                struct hs_error *error)
{
	struct hs_perf_lane l;

	t->in.perf = calloc(1, sizeof(*t->in.perf));
	if (!t->in.perf)
		return hs_error_set(error, HS_E_MEMORY, "%s: out of memory", o->path);
	struct hs_trace_info info;

	hs_trace_params_get_info(t->params, &info);
	const enum hs_status status = open_file(t->in.perf, o, info.transport, error);

	for (size_t i = 0; status == HS_OK && hs_perf_get_lane(t->in.perf->file, i, &l); i++)
		t->in.total += l.bytes;
	const struct hs_protocol_traits traits = source_traits(t);

	t->in.perf->messages = !traits.has_headers;
	if (status != HS_OK || !traits.has_headers)
		return status;
	t->in.perf->align.null_run = traits.null_run;
	t->in.perf->skip = !t->in.perf->align.null_run;
	return status;
}

void source_close_perf(struct source_perf *p)
{
	if (p) {
		hs_perf_close(p->file);
		free(p->ids);
	}
	free(p);
}

void source_rewind_perf(struct source_perf *p)
{
	struct hs_perf_lane l;

	for (size_t i = 0; hs_perf_get_lane(p->file, i, &l); i++)
		hs_perf_rewind_lane(p->file, i);
	p->lane = 0;
	p->given = 0;
	p->named = p->damage_told = p->align.active = false;
	p->open = false;
}

/* ---- reading ---------------------------------------------------------------------------- */

/* Bytes are missing.  In a framing without alignment those after them mean nothing.  Between blocks
 * of frames none are, unless a message was cut. */
static enum hs_status lose(struct source_perf *p, struct hs_perf_gap *gap)
{
	gap->first |= gap->barrier && !p->open;
	p->open = false;
	p->align.active = gap->inside;
	p->align.nulls = 0;
	return HS_E_LOST;
}

enum hs_status source_read_perf(struct source_perf *p, uint8_t *out, size_t cap, size_t *n,
                                struct hs_error *error)
{
	struct hs_perf_gap gap;
	enum hs_status status;

	do {
		gap.first = false;
		status = hs_perf_read(p->file, p->lane, out, cap, n, &gap, error);
		if (status == HS_E_LOST)
			status = lose(p, &gap);
	} while (gap.first || (status == HS_OK && p->align.active && p->skip));
	if (status == HS_OK)
		hs_capture_align(&p->align, out, *n);
	p->given += *n;
	if (status == HS_OK) /* MSEO 11 ends a message of N-Trace */
		p->open = !p->messages || (out[*n - 1] & 3u) != 3;
	return status;
}

enum hs_status source_next_buffer(struct source_perf *p, struct hs_error *error)
{
	const struct hs_error *damage = &hs_perf_get_info(p->file)->damage;
	struct hs_perf_lane l;

	if (hs_perf_get_lane(p->file, p->lane + 1, &l)) {
		p->lane++;
		p->given = 0;
		p->named = p->align.active = p->open = false;
		return HS_OK;
	}
	if (damage->status == HS_OK || p->damage_told)
		return HS_END;
	p->damage_told = true;
	return hs_error_set(error, damage->status, "%s", damage->text);
}
