/* hartscope info: what a perf.data holds. */
#include <string.h>

#include "common/tool.h"

#define TYPES 128u /* that have numbers below it; others are counted together */

static void show_buffers(struct report *r, const struct hs_perf *p)
{
	const bool framed = hs_perf_get_info(p)->framed;
	struct hs_perf_lane l;

	report_list(r, "buffers",
	            framed ? "buffers: CPU or thread, bytes, gaps, repeated, ID in "
	                     "CoreSight frames"
	                   : "buffers: CPU or thread, bytes, gaps, repeated");
	for (size_t i = 0; hs_perf_get_lane(p, i, &l); i++) {
		const bool cpu = l.cpu != HS_PERF_NONE;

		report_row(r);
		report_text(r, "of", "", cpu ? "cpu" : "thread");
		report_u32(r, "number", "", cpu ? l.cpu : l.tid);
		report_u64(r, "bytes", "", l.bytes);
		report_u64(r, "gaps", "", l.gaps);
		report_u64(r, "repeated", "", l.repeated);
		if (framed)
			report_u32(r, "source", "", l.source);
		report_row_end(r);
	}
	report_list_end(r);
}

/* The encoders by AUXTRACE_INFO's words. */
static void show_cpus(struct report *r, const struct hs_perf_info *info)
{
	if (!info->cpu_count && !r->json)
		return;
	report_list(r, "encoders", "encoders: CPU, trTeFormat, trTeSrcBits, trTeSrcID");
	for (size_t i = 0; i < info->cpu_count; i++) {
		report_row(r);
		report_u32(r, "cpu", "", info->cpus[i].cpu);
		report_u32(r, "format", "", info->cpus[i].format);
		report_u32(r, "src_bits", "", info->cpus[i].src_bits);
		report_u32(r, "src_id", "", info->cpus[i].src_id);
		report_row_end(r);
	}
	report_list_end(r);
}

static void show_records(struct report *r, struct hs_perf *p)
{
	uint64_t counts[TYPES] = { 0 }, others = 0;
	const char *names[TYPES] = { NULL };
	struct hs_perf_event e;

	while (hs_perf_next(p, &e, NULL) == HS_OK) {
		const bool known = e.type < TYPES && e.name;

		others += !known;
		if (known) {
			counts[e.type]++;
			names[e.type] = e.name;
		}
	}
	report_list(r, "records", "records by type");
	for (unsigned i = 0; i < TYPES; i++) {
		if (!counts[i])
			continue;
		report_row(r);
		report_u64(r, "count", "", counts[i]);
		report_text(r, "name", "", names[i]);
		report_row_end(r);
	}
	report_list_end(r);
	if (others)
		report_u64(r, "unknown_records", "of other types", others);
}

int info_perf(const char *path, bool json)
{
	struct hs_error e = { 0 };
	struct hs_perf *p;
	struct report r;

	if (hs_perf_open(path, &p, &e) != HS_OK)
		return fail(&e);
	const struct hs_perf_info *info = hs_perf_get_info(p);

	report_begin(&r, stdout, json);
	report_text(&r, "kind", "kind", "perf.data");
	report_bool(&r, "pipe", "from a pipe", info->pipe);
	report_bool(&r, "riscv_trace", "RISC-V trace", hs_perf_get_info(p)->riscv);
	if (info->has_auxtrace) {
		report_u32(&r, "auxtrace_type", "type of AUXTRACE", info->auxtrace_type);
		report_u32(&r, "pmu_type", "type of the PMU", info->pmu_type);
	}
	if (info->lost || json)
		report_u64(&r, "lost", "lost records", info->lost);
	show_cpus(&r, info);
	show_buffers(&r, p);
	show_records(&r, p);
	report_end(&r);
	e = info->damage;
	hs_perf_close(p);
	return e.status == HS_OK ? EXIT_GOOD : fail(&e);
}
