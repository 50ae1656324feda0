/* The parameters of a trace: setting and checking. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <hartscope/trace_params.h>

#include "device/device.h"
#include "trace/params_private.h"
#include "trace/trace.h"

enum hs_status hs_trace_params_set(struct hs_trace_params *p, const char *name, const char *value,
                                   struct hs_error *error)
{
	if (strcmp(name, "discovery") == 0)
		return params_set_discovery_text(p, value, error);
	const enum hs_status status = hs_protocol_set(p->protocol, p->config, name, value, error);

	if (status != HS_OK)
		return status;
	params_note_given(p, name);
	p->plain = p->plain && params_listed(p->protocol->leading, name);
	if (p->plain)
		p->protocol->codec->defaults(p->config, CODEC_FOLLOWING);
	return HS_OK;
}

uint64_t hs_trace_params_number(const struct hs_trace_params *p, const char *name)
{
	return hs_protocol_number(p->protocol, p->config, name);
}

bool hs_trace_params_chose(const struct hs_trace_params *p, const char *name)
{
	const unsigned i = hs_protocol_param(p->protocol, name);

	return i < p->protocol->param_count &&
	       (p->given[i] || hs_protocol_get(p->protocol, p->config, i) != 0);
}

/* Why a protocol refuses registers. */
static enum hs_status refuse_registers(const struct hs_trace_params *p,
                                       const struct hs_registers *r, const char *where,
                                       struct hs_error *error)
{
	char version[200];

	if (!hs_tc_is_supported(&r->dump.regs, HS_TC_ENCODER)) {
		hs_registers_version_text(r, HS_TC_ENCODER, version, sizeof(version));
		return hs_error_set(error, HS_E_CONFIG, "%s%s", where, version);
	}
	return hs_error_set(error, HS_E_CONFIG,
	                    "%sthese registers are not those of %s: see "
	                    "trTeFormat, trTeProtocolMajor, trTeInstMode and trTeSrcBits",
	                    where, p->protocol->name);
}

static enum hs_status set_registers(struct hs_trace_params *p, const struct hs_registers *r,
                                    const char *where, struct hs_error *error)
{
	p->plain = false;
	p->sync_decided = true;
	if (r->sifive &&
	    hs_protocol_set(p->protocol, p->config, "dialect", "sifive", NULL) != HS_OK)
		return hs_error_set(error, HS_E_CONFIG,
		                    "%sthese registers are of SiFive's N-Trace, not of %s", where,
		                    p->protocol->name);
	if (hs_protocol_take_registers(p->protocol, p->config, &r->dump.regs) != HS_OK)
		return refuse_registers(p, r, where, error);
	return params_keep_registers(p, r, error);
}

enum hs_status hs_trace_params_set_registers(struct hs_trace_params *p,
                                             const struct hs_tc_regs *registers,
                                             struct hs_error *error)
{
	const struct hs_registers r = { .dump.regs = *registers };

	return set_registers(p, &r, "", error);
}

enum hs_status params_follow_format(struct hs_trace_params *p, const struct hs_tc_regs *r,
                                    struct hs_error *error)
{
	if (p->protocol_given || !p->plain || !hs_tc_known(r, HS_TC_ENCODER, HS_TCF_TE_FORMAT) ||
	    hs_tc_get(r, HS_TC_ENCODER, HS_TCF_TE_FORMAT) != 0)
		return HS_OK;
	return params_start(p, "etrace", error);
}

enum hs_status params_set_registers(struct hs_trace_params *p, const char *path,
                                    const struct hs_registers *r, struct hs_error *error)
{
	char *where = params_join(path, ": ");

	if (!where)
		return hs_error_set(error, HS_E_MEMORY, "out of memory");
	enum hs_status status = r->count ? set_registers(p, r, where, error) : HS_OK;

	if (status == HS_OK)
		status = params_set_info(p, r, where, error);
	free(where);
	return status;
}

enum hs_status hs_trace_params_read_registers(struct hs_trace_params *p, const char *path,
                                              struct hs_error *error)
{
	struct hs_registers r;
	enum hs_status status = hs_registers_read(path, &r, error);

	if (status == HS_OK)
		status = params_follow_format(p, &r.dump.regs, error);
	return status == HS_OK ? params_set_registers(p, path, &r, error) : status;
}

/* Synchronise as it suits files, at the distance that a setting gave. */
void hs_trace_params_set_default_sync(struct hs_trace_params *p)
{
	static const char *const names[] = { "trTeInstSyncMode", "trTeInstSyncMax" };
	char own[2][320] = { "", "" };
	bool given = false;

	if (p->sync_decided)
		return;
	for (unsigned k = 0; k < 2; k++) {
		const unsigned i = hs_protocol_param(p->protocol, names[k]);

		given |= i < p->protocol->param_count && p->given[i];
		if (given && i < p->protocol->param_count)
			hs_protocol_value_text(&p->protocol->params[i],
			                       hs_protocol_get(p->protocol, p->config, i), own[k],
			                       sizeof(own[k]));
	}
	p->protocol->codec->defaults(p->config, CODEC_OF_FILES);
	for (unsigned k = 0; k < 2; k++)
		if (*own[k])
			hs_protocol_set(p->protocol, p->config, names[k], own[k], NULL);
}

void hs_trace_params_set_default_width(struct hs_trace_params *p, const struct hs_isa *isa)
{
	if (!p->width_decided)
		protocol_set_width(p->protocol, p->config, isa);
	p->width_followed = true;
}

/* Did anything say what parameter @i is? */
static bool is_assumed(const struct hs_trace_params *p, unsigned i)
{
	const char *name = p->protocol->params[i].name;
	const bool width = strcmp(name, "iaddress_width_p") == 0;

	return params_listed(p->protocol->shaping, name) && !p->given[i] &&
	       !(width && p->width_followed);
}

bool hs_trace_params_get_assumed(const struct hs_trace_params *p, char *text, size_t size)
{
	size_t n = 0;

	*text = '\0';
	for (unsigned i = 0; i < p->protocol->param_count && !p->described; i++) {
		const struct hs_param *param = &p->protocol->params[i];
		char value[64];

		if (!is_assumed(p, i) || n + sizeof(value) + strlen(param->name) + 3 > size)
			continue;
		hs_protocol_value_text(param, hs_protocol_get(p->protocol, p->config, i), value,
		                       sizeof(value));
		n += (size_t)snprintf(text + n, size - n, "%s%s=%s", n ? " " : "", param->name,
		                      value);
	}
	return n;
}

enum hs_status hs_trace_params_check(const struct hs_trace_params *p, struct hs_error *error)
{
	char faults[400];

	if (hs_protocol_check(p->protocol, p->config, NULL) == HS_OK)
		return HS_OK;
	params_say_faults(p, faults, sizeof(faults));
	return hs_error_set(error, HS_E_CONFIG,
	                    "%s: parameters out of range or contradicting each other: %s",
	                    p->protocol->name, faults);
}
