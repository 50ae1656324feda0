/* The parameters of a trace: making, copying, keeping, asking. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <hartscope/trace_params.h>

#include "trace/params_private.h"
#include "trace/trace.h"

static enum hs_status no_memory(struct hs_error *error)
{
	return hs_error_set(error, HS_E_MEMORY, "out of memory");
}

/* ---- making ------------------------------------------------------------------- */

static enum hs_status refuse_protocol(const char *name, struct hs_error *error)
{
	const struct hs_protocol *p = hs_protocol_at(0);
	char all[80] = "";

	for (unsigned i = 1; p; p = hs_protocol_at(i++))
		snprintf(all + strlen(all), sizeof(all) - strlen(all), "%s%s", *all ? ", " : "",
		         p->name);
	return hs_error_set(error, HS_E_CONFIG, "no protocol '%.40s'; there are: %s", name, all);
}

enum hs_status params_start(struct hs_trace_params *p, const char *name, struct hs_error *error)
{
	const struct hs_protocol *protocol = hs_protocol_find(name);

	if (!protocol)
		return refuse_protocol(name, error);
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

void params_free_sources(struct hs_trace_params *p)
{
	for (size_t i = 0; i < p->source_count; i++) {
		free((void *)(uintptr_t)p->sources[i].path);
		hs_trace_params_free((void *)(uintptr_t)p->sources[i].params);
	}
	free(p->sources);
	p->sources = NULL;
	p->source_count = 0;
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

enum hs_status params_keep_registers(struct hs_trace_params *p, const struct hs_registers *r,
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
		status = params_keep_registers(to, from->registers, NULL);
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

enum hs_status hs_trace_params_add_source(struct hs_trace_params *p,
                                          const struct hs_source_part *part)
{
	struct hs_source_part own = { .id = part->id, .hart = part->hart };
	struct hs_trace_params *params = NULL;
	struct hs_source_part *more =
		realloc(p->sources, (p->source_count + 1) * sizeof(*p->sources));

	if (!more)
		return HS_E_MEMORY;
	p->sources = more;
	if (part->path) {
		own.path = strdup(part->path);
		if (!own.path)
			return HS_E_MEMORY;
	}
	if (part->params && hs_trace_params_copy(part->params, &params) != HS_OK) {
		free((void *)(uintptr_t)own.path);
		return HS_E_MEMORY;
	}
	own.params = params;
	p->sources[p->source_count++] = own;
	return HS_OK;
}

/* ---- keeping ------------------------------------------------------------------ */

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

enum hs_status hs_trace_params_set_transport(struct hs_trace_params *p, const char *transport)
{
	return replace_text(&p->transport, transport);
}

enum hs_status hs_trace_params_set_recording(struct hs_trace_params *p, const char *recording)
{
	return replace_text(&p->recording, recording);
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
