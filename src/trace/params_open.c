/* The parameters of a trace: everything in one call. */
#include <hartscope/capture.h>
#include <hartscope/trace_params.h>

#include "core/config.h"
#include "trace/params_private.h"
#include "trace/trace.h"

/* Settings that decide defaults come before everything else, wherever they are in the list. */
static enum hs_status set_leading(struct hs_trace_params *p,
                                  const struct hs_trace_params_options *o, struct hs_error *error)
{
	enum hs_status status = HS_OK;

	for (size_t i = 0; i < o->setting_count && status == HS_OK; i++)
		if (params_listed(p->protocol->leading, o->settings[i].name))
			status = hs_trace_params_set(p, o->settings[i].name, o->settings[i].value,
			                             error);
	return status;
}

/* What was read before its turn. */
struct files {
	struct hs_registers registers;
	struct hs_perf_cpu cpu;
	bool has_cpu;
};

/* What the trace will say need not be known yet. */
static enum hs_status check_unread(const struct hs_trace_params *p, struct hs_error *error)
{
	const struct codec *codec = p->protocol->codec;

	return codec->check(p->config, CODEC_CHECK_UNREAD, NULL) == HS_OK
	               ? HS_OK
	               : hs_trace_params_check(p, error);
}

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
		status = params_set_registers(p, o->registers, &files->registers, error);
	p->plain = false; /* leading settings have had their turn */
	for (size_t i = 0; i < o->setting_count && status == HS_OK; i++)
		status = hs_trace_params_set(p, o->settings[i].name, o->settings[i].value, error);
	return status == HS_OK ? check_unread(p, error) : status;
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
			status = params_follow_format(p, &files->registers.dump.regs, error);
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
