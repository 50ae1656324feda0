/* Names, from the tables.  A switch over 64 bits would need a helper function on rv32, so that the
 * switches are over what is left of a number that fits. */
#include "pmu/pmu.h"

const char *hs_sbi_error_name(int64_t error)
{
	if (error != (int32_t)error)
		return "?";
	switch ((int32_t)error) {
#define HS_SBI(name, value) case value: return #name;
#include <hartscope/tables/perf.def>
#undef HS_SBI
	default: return "?";
	}
}

const char *hs_pmu_function_name(uint64_t fid)
{
	if (fid != (uint32_t)fid)
		return "?";
	switch ((uint32_t)fid) {
#define HS_PMU_FUNCTION(id, name, fid, since) case fid: return name;
#include <hartscope/tables/perf.def>
#undef HS_PMU_FUNCTION
	default: return "?";
	}
}

static const char *general_name(uint32_t code)
{
	switch (code) {
#define HS_PMU_GENERAL(name, code) \
	case code: \
		return #name;
#include <hartscope/tables/perf.def>
	default:
		return "?";
	}
}

static const char *firmware_name(uint32_t code)
{
	switch (code) {
#define HS_PMU_FIRMWARE(name, code) \
	case code: \
		return #name;
#include <hartscope/tables/perf.def>
	default:
		return code == HS_PMU_FW_PLATFORM ? "PLATFORM" : "?";
	}
}

const char *hs_pmu_event_name(uint32_t event_idx)
{
	const uint32_t code = event_idx & 0xffffu;

	switch (event_idx >> 16) {
	case HS_PMU_TYPE_GENERAL:
		return general_name(code);
	case HS_PMU_TYPE_FIRMWARE:
		return firmware_name(code);
	default: return "?";
	}
}
