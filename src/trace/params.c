/* The parameters of a trace: making, setting, asking. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <hartscope/file_kind.h>
#include <hartscope/registers.h>

#include "core/config.h"
#include "device/device.h"
#include "trace/params_private.h"
#include "trace/trace.h"

static enum hs_status no_memory(struct hs_error *error)
{
	return hs_error_set(error, HS_E_MEMORY, "out of memory");
}

/* ---- making ------------------------------------------------------------------- */

enum hs_status params_start(struct hs_trace_params *p, const char *name, struct hs_error *error)
{
	const struct hs_protocol *protocol = hs_protocol_find(name);

	if (!protocol)
		return hs_error_set(error, HS_E_CONFIG,
		                    "no protocol '%.40s'; there are: ntrace, etrace", name);
	void *config = calloc(1, protocol->config_size);
	bool *given = calloc(protocol->param_count, sizeof(*given));

	if (!config || !given) {
		free(config);
		free(given);
		return no_memory(error);
	}
	hs_protocol_defaults(protocol, config);
	free(p->config);
	free(p->given);
	p->protocol = protocol;
	p->config = config;
	p->given = given;
	p->plain = true;
	return HS_OK;
}

enum hs_status hs_trace_params_new(const char *protocol, struct hs_trace_params **params,
                                   struct hs_error *error)
{
	struct hs_trace_params *p = calloc(1, sizeof(*p));

	if (!p)
		return no_memory(error);
	p->protocol_given = protocol != NULL;
	const enum hs_status status = params_start(p, protocol ? protocol : "ntrace", error);

	if (status == HS_OK)
		*params = p;
	else
		hs_trace_params_free(p);
	return status;
}

void hs_trace_params_free(struct hs_trace_params *p)
{
	if (!p)
		return;
	for (size_t i = 0; i < p->process_count; i++)
		free((void *)(uintptr_t)p->processes[i].path);
	free(p->processes);
	params_free_sources(p);
	free(p->transport);
	free(p->vcd_clock);
	free(p->vcd_data);
	free(p->recording);
	free(p->registers);
	free(p->config);
	free(p->given);
	free(p);
}

static enum hs_status replace_text(char **to, const char *text)
{
	char *copy = text ? strdup(text) : NULL;

	if (text && !copy)
		return HS_E_MEMORY;
	free(*to);
	*to = copy;
	return HS_OK;
}

/* Keep a copy of registers. */
static enum hs_status keep_registers(struct hs_trace_params *p, const struct hs_registers *r,
                                     struct hs_error *error)
{
	struct hs_registers *copy = malloc(sizeof(*copy));

	if (!copy)
		return no_memory(error);
	*copy = *r;
	free(p->registers);
	p->registers = copy;
	return HS_OK;
}

static enum hs_status copy_members(struct hs_trace_params *to, const struct hs_trace_params *from)
{
	enum hs_status status = HS_OK;

	memcpy(to->config, from->config, from->protocol->config_size);
	memcpy(to->given, from->given, from->protocol->param_count * sizeof(*to->given));
	to->protocol_given = from->protocol_given;
	to->plain = from->plain;
	to->sync_decided = from->sync_decided;
	to->width_decided = from->width_decided;
	to->width_followed = from->width_followed;
	to->described = from->described;
	to->moving = from->moving;
	to->trace = from->trace;
	to->code = from->code;
	for (size_t i = 0; i < from->process_count && status == HS_OK; i++)
		status = params_add_process(to, &from->processes[i]);
	for (size_t i = 0; i < from->source_count && status == HS_OK; i++)
		status = hs_trace_params_add_source(to, &from->sources[i]);
	if (from->registers && status == HS_OK)
		status = keep_registers(to, from->registers, NULL);
	if (status != HS_OK || replace_text(&to->transport, from->transport) != HS_OK ||
	    replace_text(&to->vcd_clock, from->vcd_clock) != HS_OK ||
	    replace_text(&to->vcd_data, from->vcd_data) != HS_OK)
		return HS_E_MEMORY;
	return replace_text(&to->recording, from->recording);
}

enum hs_status hs_trace_params_copy(const struct hs_trace_params *params,
                                    struct hs_trace_params **copy)
{
	struct hs_trace_params *p;

	if (hs_trace_params_new(params->protocol->name, &p, NULL) != HS_OK)
		return HS_E_MEMORY;
	if (copy_members(p, params) != HS_OK) {
		hs_trace_params_free(p);
		return HS_E_MEMORY;
	}
	*copy = p;
	return HS_OK;
}

enum hs_status params_add_process(struct hs_trace_params *p, const struct hs_rec_process *process)
{
	struct hs_rec_process *more =
		realloc(p->processes, (p->process_count + 1) * sizeof(*p->processes));
	char *path = strdup(process->path);

	if (more)
		p->processes = more;
	if (!more || !path) {
		free(path);
		return HS_E_MEMORY;
	}
	p->processes[p->process_count++] =
		(struct hs_rec_process){ process->context, process->bias, path };
	return HS_OK;
}

/* ---- setting ------------------------------------------------------------------ */

bool params_listed(const char *const *list, const char *name)
{
	for (; list && *list; list++)
		if (strcmp(*list, name) == 0)
			return true;
	return false;
}

void params_note_given(struct hs_trace_params *p, const char *name)
{
	const unsigned i = hs_protocol_param(p->protocol, name);

	if (i < p->protocol->param_count)
		p->given[i] = true;
	p->width_decided |= strcmp(name, "iaddress_width_p") == 0;
}

enum hs_status hs_trace_params_set(struct hs_trace_params *p, const char *name, const char *value,
                                   struct hs_error *error)
{
	if (strcmp(name, "discovery") == 0)
		return params_set_discovery_text(p, value, error);
	const enum hs_status status = hs_protocol_set(p->protocol, p->config, name, value, error);

	if (status != HS_OK)
		return status;
	p->sync_decided |= strcmp(name, "trTeInstSyncMode") == 0;
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
	if (hs_protocol_take_registers(p->protocol, p->config, &r->dump.regs) != HS_OK)
		return refuse_registers(p, r, where, error);
	return keep_registers(p, r, error);
}

enum hs_status hs_trace_params_set_registers(struct hs_trace_params *p,
                                             const struct hs_tc_regs *registers,
                                             struct hs_error *error)
{
	const struct hs_registers r = { .dump.regs = *registers };

	return set_registers(p, &r, "", error);
}

/* Without a protocol from elsewhere trTeFormat says which one it is. */
static enum hs_status follow_format(struct hs_trace_params *p, const struct hs_tc_regs *r,
                                    struct hs_error *error)
{
	if (p->protocol_given || !p->plain || !hs_tc_known(r, HS_TC_ENCODER, HS_TCF_TE_FORMAT) ||
	    hs_tc_get(r, HS_TC_ENCODER, HS_TCF_TE_FORMAT) != 0)
		return HS_OK;
	return params_start(p, "etrace", error);
}

static enum hs_status set_registers_of_file(struct hs_trace_params *p, const char *path,
                                            const struct hs_registers *r, struct hs_error *error)
{
	char *where = params_join(path, ": ");

	if (!where)
		return no_memory(error);
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
		status = follow_format(p, &r.dump.regs, error);
	return status == HS_OK ? set_registers_of_file(p, path, &r, error) : status;
}

/* Synchronise as it suits files, at the distance that a setting gave. */
void hs_trace_params_set_default_sync(struct hs_trace_params *p)
{
	char distance[320] = "";

	if (p->sync_decided)
		return;
	for (unsigned i = 0; i < p->protocol->param_count; i++)
		if (p->given[i] && strcmp(p->protocol->params[i].name, "trTeInstSyncMax") == 0)
			hs_protocol_value_text(&p->protocol->params[i],
			                       hs_protocol_get(p->protocol, p->config, i), distance,
			                       sizeof(distance));
	p->protocol->codec->defaults(p->config, CODEC_OF_FILES);
	if (*distance)
		hs_protocol_set(p->protocol, p->config, "trTeInstSyncMax", distance, NULL);
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

enum hs_status hs_trace_params_set_transport(struct hs_trace_params *p, const char *transport)
{
	return replace_text(&p->transport, transport);
}

enum hs_status hs_trace_params_set_recording(struct hs_trace_params *p, const char *recording)
{
	return replace_text(&p->recording, recording);
}

/* Would parameter @i with the value of @defaults make them good?  @spare: room for a config. */
static bool is_at_fault(const struct hs_trace_params *p, const void *defaults, void *spare,
                        unsigned i)
{
	const struct hs_param *param = &p->protocol->params[i];
	char value[200];

	if (hs_protocol_get(p->protocol, p->config, i) == hs_protocol_get(p->protocol, defaults, i))
		return false;
	memcpy(spare, p->config, p->protocol->config_size);
	hs_protocol_value_text(param, hs_protocol_get(p->protocol, defaults, i), value,
	                       sizeof(value));
	return hs_protocol_set(p->protocol, spare, param->name, value, NULL) == HS_OK &&
	       hs_protocol_check(p->protocol, spare, NULL) == HS_OK;
}

/* The parameters each of which could be the one that is wrong. */
static void name_faults(const struct hs_trace_params *p, char *text, size_t size)
{
	const size_t bytes = p->protocol->config_size;
	uint8_t *room = calloc(2, bytes);
	size_t n = 0;

	*text = '\0';
	if (!room)
		return;
	hs_protocol_defaults(p->protocol, room);
	for (unsigned i = 0; i < p->protocol->param_count; i++) {
		char value[64];

		if (!is_at_fault(p, room, room + bytes, i))
			continue;
		hs_protocol_value_text(&p->protocol->params[i],
		                       hs_protocol_get(p->protocol, p->config, i), value,
		                       sizeof(value));
		if (n + strlen(p->protocol->params[i].name) + strlen(value) + 8 < size)
			n += (size_t)snprintf(text + n, size - n, "%s%s=%s", n ? " or " : ": ",
			                      p->protocol->params[i].name, value);
	}
	free(room);
}

enum hs_status hs_trace_params_check(const struct hs_trace_params *p, struct hs_error *error)
{
	char faults[300];

	if (hs_protocol_check(p->protocol, p->config, NULL) == HS_OK)
		return HS_OK;
	name_faults(p, faults, sizeof(faults));
	return hs_error_set(error, HS_E_CONFIG,
	                    "%s: parameters out of range or contradicting each other%s",
	                    p->protocol->name, faults);
}

/* ---- everything in one call --------------------------------------------------- */

/* Settings that decide defaults come before everything else, wherever they are in the list; JSON
 * says itself what differs from the defaults. */
static enum hs_status set_leading(struct hs_trace_params *p,
                                  const struct hs_trace_params_options *o, struct hs_error *error)
{
	enum hs_status status = HS_OK;

	for (size_t i = 0; i < o->setting_count && status == HS_OK; i++)
		if (params_listed(p->protocol->leading, o->settings[i].name))
			status = hs_trace_params_set(p, o->settings[i].name, o->settings[i].value,
			                             error);
	p->plain = false;
	return status;
}

/* What was read before its turn. */
struct files {
	struct hs_registers registers;
	struct hs_perf_cpu cpu;
	bool has_cpu;
};

static enum hs_status read_rest(struct hs_trace_params *p, const struct hs_trace_params_options *o,
                                const struct files *files, struct hs_error *error)
{
	enum hs_status status = set_leading(p, o, error);

	if (status == HS_OK && files->has_cpu)
		status = params_set_cpu(p, &files->cpu, error);
	if (status == HS_OK && o->trace && !o->config_count)
		status = hs_trace_params_read_beside(p, o->trace, error);
	for (size_t i = 0; i < o->config_count && status == HS_OK; i++)
		status = hs_trace_params_read_file(p, o->configs[i], error);
	if (status == HS_OK && o->registers)
		status = set_registers_of_file(p, o->registers, &files->registers, error);
	for (size_t i = 0; i < o->setting_count && status == HS_OK; i++)
		status = hs_trace_params_set(p, o->settings[i].name, o->settings[i].value, error);
	return status == HS_OK ? hs_trace_params_check(p, error) : status;
}

/* Registers and a perf.data are read first, since they may decide the protocol, and used in their
 * turn. */
static enum hs_status read_all(struct hs_trace_params *p, const struct hs_trace_params_options *o,
                               struct files *files, struct hs_error *error)
{
	enum hs_status status = HS_OK;

	if (o->trace && hs_file_what(o->trace, NULL) == HS_FILE_PERF)
		status = params_read_perf(p, o->trace, &files->cpu, &files->has_cpu, error);
	if (status == HS_OK && o->registers) {
		status = hs_registers_read(o->registers, &files->registers, error);
		if (status == HS_OK)
			status = follow_format(p, &files->registers.dump.regs, error);
	}
	return status == HS_OK ? read_rest(p, o, files, error) : status;
}

enum hs_status hs_trace_params_open(const struct hs_trace_params_options *options,
                                    struct hs_trace_params **params, struct hs_error *error)
{
	struct hs_trace_params_options o;
	struct hs_trace_params *p;
	enum hs_status status = base_take_config(&o, sizeof(o), options);

	if (status != HS_OK)
		return hs_error_set(error, status,
		                    "hs_trace_params_options: unknown members are set");
	status = hs_trace_params_new(o.protocol, &p, error);
	if (status != HS_OK)
		return status;
	struct files files = { .has_cpu = false };

	status = read_all(p, &o, &files, error);
	if (status == HS_OK)
		*params = p;
	else
		hs_trace_params_free(p);
	return status;
}

/* ---- asking ------------------------------------------------------------------- */

const struct hs_protocol *hs_trace_params_protocol(const struct hs_trace_params *p)
{
	return p->protocol;
}

const struct hs_registers *hs_trace_params_registers(const struct hs_trace_params *p)
{
	return p->registers;
}

const void *hs_trace_params_config(const struct hs_trace_params *p)
{
	return p->config;
}

void *hs_trace_params_edit_config(struct hs_trace_params *p)
{
	return p->config;
}

void hs_trace_params_get_info(const struct hs_trace_params *p, struct hs_trace_info *info)
{
	*info = (struct hs_trace_info){
		p->transport, p->vcd_clock,     p->vcd_data, p->recording,
		p->processes, p->process_count, p->sources,  p->source_count
	};
}
