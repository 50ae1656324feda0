/* What is to be made: its parameters, and whether they go together. */
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include <hartscope/etrace.h>
#include <hartscope/trace_params.h>

#include "core/config.h"
#include "device/device.h"
#include "encode/private.h"
#include "trace/trace.h"

enum hs_status encode_open_params(const struct hs_trace_params_options *options,
                                  struct hs_trace_params **params, struct hs_error *error)
{
	struct hs_trace_params *own;
	enum hs_status s = hs_trace_params_open(options, &own, error);

	if (s != HS_OK)
		return s;
	s = hs_trace_params_check(own, error);
	if (s == HS_OK)
		*params = own;
	else
		hs_trace_params_free(own);
	return s;
}

/* Can a packet say that others were lost?  0.026 without te_support has none (design/et-draft). */
static bool reports_loss(const struct hs_encode *e)
{
	struct hs_et_layout_config layout;
	struct hs_et_config c;

	if (hs_protocol_get_etrace(e->protocol, hs_trace_params_config(e->params), &c) != HS_OK ||
	    c.version != HS_ET_0_026)
		return true;
	if (c.layout.given >> HS_ET_LAYOUT_SUPPORT & 1u)
		return c.layout.support;
	return hs_et_layout_of(c.dialect, c.version, &layout) != HS_OK || layout.support;
}

static enum hs_status set_up_queue(struct hs_encode *e)
{
	e->queued = e->o.queue || e->o.change_count;
	if (e->o.queue && !e->o.stall && !reports_loss(e))
		return hs_error_set(&e->error, HS_E_CONFIG,
		                    "no packet of this dialect says that others were lost "
		                    "(design/et-draft): --queue needs --stall here");
	return e->o.stall ? hs_protocol_set(e->protocol, hs_trace_params_edit_config(e->params),
	                                    "trTeInstStallEna", "1", &e->error)
	                  : HS_OK;
}

/* One buffer for all harts is no thread's, and of no hart are the last bytes in it. */
static enum hs_status check_perf(struct hs_encode *e)
{
	const struct hs_encode_perf *p = e->o.perf;

	if (p->every && !p->snapshot)
		return hs_error_set(&e->error, HS_E_CONFIG,
		                    "--perf-data: every=BYTES needs snapshot=BYTES");
	if (p->frames && (p->threads || p->snapshot))
		return hs_error_set(&e->error, HS_E_CONFIG,
		                    "--perf-data: frames has neither thread nor snapshot");
	if (strcmp(e->protocol->name, "tacit") == 0)
		return hs_error_set(&e->error, HS_E_CONFIG, "--perf-data: no kernel takes tacit");
	return HS_OK;
}

static enum hs_status set_up_transport(struct hs_encode *e)
{
	struct hs_pin_config *pins = &e->pins.headers;
	const char *name = e->o.transport;

	if (e->o.perf && name && strcmp(name, "raw") != 0)
		return hs_error_set(
			&e->error, HS_E_CONFIG,
			"--perf-data holds the bytes of encoders: neither --transport nor "
			"--system");
	if (e->o.perf && check_perf(e) != HS_OK)
		return HS_E_CONFIG;
	if (e->o.other_count && !hs_transport_frames(name))
		return hs_error_set(&e->error, HS_E_CONFIG,
		                    "encode takes --source only with CoreSight frames");
	if (!name || strcmp(name, "raw") == 0 || hs_transport_frames(name))
		return HS_OK;
	struct hs_protocol_traits traits;

	hs_protocol_check(e->protocol, hs_trace_params_config(e->params), &traits);
	if (traits.unaligned)
		return hs_error_set(&e->error, HS_E_CONFIG,
		                    "transport %s needs messages that it can align: %s has none",
		                    name, e->protocol->name);
	if (!traits.has_headers)
		return HS_OK;
	pins->headers = traits.aligned;
	pins->src_bytes = traits.src_bytes;
	pins->tstamp_bytes = traits.tstamp_bytes;
	if (pins->headers)
		return HS_OK;
	return hs_error_set(&e->error, HS_E_CONFIG,
	                    "transport %s needs the standard encapsulation: in this framing "
	                    "nothing aligns packets: dialect (legal: standard, atb, draft, encap1)",
	                    name);
}

static enum hs_status open_others(struct hs_encode *e)
{
	e->apart.others = calloc(e->o.other_count + 1, sizeof(*e->apart.others));
	if (!e->apart.others)
		return encode_no_memory(&e->error);
	for (size_t i = 0; i < e->o.other_count; i++) {
		const struct hs_source_part *from = &e->o.others[i];
		const int fd = open(from->path, O_RDONLY | O_CLOEXEC);

		if (fd < 0)
			return hs_error_set(&e->error, HS_E_SYSTEM, "%s: %s", from->path,
			                    strerror(errno));
		e->apart.others[e->apart.other_count++] =
			(struct encode_other){ from->id, from->path, fd };
	}
	return HS_OK;
}

static bool has_filter(const struct hs_qualifier_config *c)
{
	bool any = c->off;

	for (unsigned i = 0; i < HS_FILTERS; i++)
		any |= c->filters[i].enable || c->filters[i].data;
	for (unsigned i = 0; i < HS_COMPARATORS; i++)
		any |= c->comparators[i].p_notify || c->comparators[i].s_notify;
	return any;
}

/* The filters of a dump of registers, unless the options say what is traced. */
static enum hs_status set_up_filters(struct hs_encode *e)
{
	const struct hs_registers *r = hs_trace_params_registers(e->params);

	e->filter.size = sizeof(e->filter);
	if (e->o.filter && base_take_config(&e->filter, sizeof(e->filter), e->o.filter) != HS_OK)
		return hs_error_set(&e->error, HS_E_CONFIG, "filters that this library lacks");
	if (r && !has_filter(&e->filter) && hs_tc_filters(&r->dump.regs, &e->filter) != HS_OK)
		return hs_error_set(
			&e->error, HS_E_CONFIG,
			"%s: filters of trTeInstFilters ask for data accesses (dtype, dsize, "
			"daddr), which instructions do not have",
			e->o.params->registers);
	e->filtered = has_filter(&e->filter);
	return HS_OK;
}

enum hs_status encode_set_up(struct hs_encode *e)
{
	struct hs_trace_params_options po;
	enum hs_status s = base_take_config(&po, sizeof(po), e->o.params);

	if (s != HS_OK)
		return hs_error_set(&e->error, s, "parameters that this library lacks");
	po.trace = NULL; /* it does not exist yet */
	s = encode_open_params(&po, &e->params, &e->error);
	if (s != HS_OK)
		return s;
	hs_trace_params_set_default_sync(e->params);
	e->protocol = hs_trace_params_protocol(e->params);
	s = set_up_queue(e);
	if (s == HS_OK)
		s = set_up_transport(e);
	if (s == HS_OK)
		s = open_others(e);
	return s == HS_OK ? set_up_filters(e) : s;
}
