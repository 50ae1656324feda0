/* Parameters from the AUXTRACE_INFO of a perf.data, where it has words for each CPU. */
#include <stdio.h>
#include <string.h>

#include "trace/params_private.h"

/* Are the words that decide how bytes are read those of all CPUs? */
static enum hs_status check_cpus(const struct hs_perf_info *info, const char *path,
                                 struct hs_error *error)
{
	const struct hs_perf_cpu *first = &info->cpus[0];

	for (size_t i = 1; i < info->cpu_count; i++) {
		const struct hs_perf_cpu *c = &info->cpus[i];

		if (c->format != first->format || c->src_bits != first->src_bits ||
		    c->inhibit_src != first->inhibit_src || c->context != first->context)
			return hs_error_set(error, HS_E_UNSUPPORTED,
			                    "%s: the encoders of CPUs %llu and %llu differ", path,
			                    (unsigned long long)first->cpu,
			                    (unsigned long long)c->cpu);
	}
	return HS_OK;
}

static enum hs_status set_number(struct hs_trace_params *p, const char *name, uint64_t value,
                                 struct hs_error *error)
{
	char text[24];

	snprintf(text, sizeof(text), "%llu", (unsigned long long)value);
	return hs_trace_params_set(p, name, text, error);
}

enum hs_status params_set_cpu(struct hs_trace_params *p, const struct hs_perf_cpu *c,
                              struct hs_error *error)
{
	const bool ntrace = strcmp(p->protocol->name, "ntrace") == 0;
	enum hs_status status;

	status = set_number(p, "trTeSrcBits", !ntrace && c->inhibit_src ? 0 : c->src_bits, error);
	if (status == HS_OK && ntrace)
		status = set_number(p, "trTeInhibitSrc", c->inhibit_src, error);
	if (status == HS_OK && ntrace)
		status = set_number(p, "trTeContext", c->context, error);
	return status;
}

/* The protocol of its format, unless something else decided. */
static enum hs_status follow_format(struct hs_trace_params *p, const struct hs_perf_cpu *c,
                                    const char *path, struct hs_error *error)
{
	if (c->format > 1)
		return hs_error_set(error, HS_E_UNSUPPORTED, "%s: no protocol has trTeFormat %llu",
		                    path, (unsigned long long)c->format);
	if (p->protocol_given || !p->plain)
		return HS_OK;
	return params_start(p, c->format == 0 ? "etrace" : "ntrace", error);
}

enum hs_status params_read_perf(struct hs_trace_params *p, const char *path,
                                struct hs_perf_cpu *cpu, bool *has, struct hs_error *error)
{
	struct hs_perf *file;
	enum hs_status status = hs_perf_open(path, &file, error);

	if (status != HS_OK)
		return status;
	const struct hs_perf_info *info = hs_perf_get_info(file);

	*has = info->cpu_count && hs_perf_get_info(file)->riscv;
	if (*has) {
		*cpu = info->cpus[0];
		status = check_cpus(info, path, error);
		if (status == HS_OK)
			status = follow_format(p, cpu, path, error);
	}
	hs_perf_close(file);
	return status;
}
