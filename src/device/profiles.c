/* The implementations that come with the library, as limits to the table. */
#include "device/control.h"
#include "device/device.h"

#define COUNT(a) (sizeof(a) / sizeof((a)[0]))

#define ONLY(field, v) \
	{ \
		HS_TCF_##field, (uint32_t)1 << (v), (v) \
	} /* hard coded, rule SET */
#define FIXED(field, v) \
	{ \
		HS_TCF_##field, 0, (v) \
	} /* hard coded, rule BITS */
#define SOME(field, legal, v) \
	{ \
		HS_TCF_##field, (legal), (v) \
	}
#define REG(id) ((uint64_t)1 << HS_TCR_##id)

/* Data trace, which N-Trace 1.0 does not have, and filters of it. */
#define NO_DATA (REG(TE_DATA_CONTROL) | REG(TE_DATA_FILTERS) | REG(TE_FILTER_DATA))
#define NO_DATA_FILTERS \
	ONLY(TE_FILTER_MATCH_DTYPE, 0), ONLY(TE_FILTER_MATCH_DSIZE, 0), \
		SOME(TE_COMP_P_INPUT, 0x7, 0), SOME(TE_COMP_S_INPUT, 0x7, 0)

static const struct hs_tc_limit full[] = {
	SOME(TE_INST_MODE, 0x49, 0), /* BTM and HTM (NT Table 7) */
	ONLY(TE_FORMAT, 1),
	ONLY(TE_VER_MAJOR, 1),
	ONLY(TE_VER_MINOR, 0),
	ONLY(TE_PROTOCOL_MAJOR, 1),
	ONLY(TE_PROTOCOL_MINOR, 0),
	/* NT Table 7: not applicable */
	ONLY(TE_INST_NO_ADDR_DIFF, 0),
	ONLY(TE_INST_NO_TRAP_ADDR, 0),
	ONLY(TE_INST_EN_BRANCH_PREDICTION, 0),
	ONLY(TE_INST_EN_JUMP_TARGET_CACHE, 0),
	SOME(TS_MODE, 0x1f, 0),
	FIXED(TS_WIDTH, 48),
	/* Two trigger outputs, without vendor's events. */
	SOME(TE_TRIG_EXT_OUT_EVENT0, 0x3, 0),
	SOME(TE_TRIG_EXT_OUT_EVENT1, 0x3, 0),
	FIXED(TE_TRIG_EXT_OUT_EVENT2, 0),
	FIXED(TE_TRIG_EXT_OUT_EVENT3, 0),
	FIXED(TE_TRIG_EXT_OUT_EVENT4, 0),
	FIXED(TE_TRIG_EXT_OUT_EVENT5, 0),
	FIXED(TE_TRIG_EXT_OUT_EVENT6, 0),
	FIXED(TE_TRIG_EXT_OUT_EVENT7, 0),
	/* Two trigger inputs. */
	ONLY(TE_TRIG_EXT_IN_ACTION2, 0),
	ONLY(TE_TRIG_EXT_IN_ACTION3, 0),
	ONLY(TE_TRIG_EXT_IN_ACTION4, 0),
	ONLY(TE_TRIG_EXT_IN_ACTION5, 0),
	ONLY(TE_TRIG_EXT_IN_ACTION6, 0),
	ONLY(TE_TRIG_EXT_IN_ACTION7, 0),
	ONLY(RAM_VER_MAJOR, 1),
	ONLY(RAM_VER_MINOR, 0),
	ONLY(RAM_HAS_SRAM, 1),
	ONLY(RAM_HAS_SMEM, 1),
	ONLY(RAM_MEM_FORMAT, 0),
	ONLY(RAM_ASYNC_FREQ, 0), /* N-Trace defines no alignment packets */
	ONLY(FUNNEL_VER_MAJOR, 1),
	ONLY(FUNNEL_VER_MINOR, 0),
	ONLY(PIB_VER_MAJOR, 1),
	ONLY(PIB_VER_MINOR, 0),
	ONLY(PIB_ASYNC_FREQ, 0),
	ONLY(ATB_ASYNC_FREQ, 0),
	SOME(PIB_DIVIDER, 0xff, 0xff), /* the slowest clock is safe (TCI 9) */
	NO_DATA_FILTERS,
};

/* ET Control: what is not applicable, hard coded as it says (trTeInstMode as of 2.1: errata.md,
 * TCI-1). */
#define ETRACE \
	ONLY(TE_INST_MODE, 6), ONLY(TE_CONTEXT, 0), ONLY(TE_FORMAT, 0), ONLY(TE_VER_MAJOR, 1), \
		ONLY(TE_VER_MINOR, 0), ONLY(TE_PROTOCOL_MAJOR, 0), ONLY(TE_PROTOCOL_MINOR, 0), \
		ONLY(TE_INST_IMPLICIT_RETURN_MODE, 0), ONLY(TE_INST_EN_REPEATED_HISTORY, 0), \
		ONLY(TE_INST_EN_ALL_JUMPS, 0), ONLY(TE_INST_EXTEND_ADDR_MSB, 0), \
		SOME(TS_MODE, 0x1f, 0), FIXED(TS_WIDTH, 48), ONLY(RAM_VER_MAJOR, 1), \
		ONLY(RAM_VER_MINOR, 0), ONLY(RAM_HAS_SRAM, 1), ONLY(RAM_HAS_SMEM, 1), \
		ONLY(RAM_MEM_FORMAT, 0), ONLY(FUNNEL_VER_MAJOR, 1), ONLY(FUNNEL_VER_MINOR, 0), \
		ONLY(PIB_VER_MAJOR, 1), ONLY(PIB_VER_MINOR, 0), SOME(PIB_DIVIDER, 0xff, 0xff), \
		ONLY(ATB_VER_MAJOR, 1), ONLY(ATB_VER_MINOR, 0)

static const struct hs_tc_limit etrace[] = { ETRACE, NO_DATA_FILTERS };

/* With data trace (ET Control, applicability MD and OD): no triggers, none dropped for instruction
 * trace, no address as an exclusive or, which no packet has. */
static const struct hs_tc_limit etrace_data[] = {
	ETRACE,
	ONLY(TE_DATA_IMPLEMENTED, 1),
	ONLY(TE_DATA_TRIG_ENABLE, 0),
	ONLY(TE_DATA_DROP_ENA, 0),
	SOME(TE_DATA_ADDR_COMPRESS, 0xd, 0),
};

static const struct hs_tc_limit minimal[] = {
	ONLY(TE_INST_MODE, 6),
	ONLY(TE_INST_SYNC_MODE, 1),
	ONLY(TE_INST_SYNC_MAX, 4),
	SOME(TE_INST_STALL_OR_OVERFLOW, 0x3, 0), /* required by NT Table 7 */
	ONLY(TE_FORMAT, 1),
	ONLY(TE_PROTOCOL_MAJOR, 1),
	ONLY(RAM_HAS_SRAM, 1),
	ONLY(RAM_MODE, 0),
	SOME(RAM_WRAP, 0x3, 0),
	FIXED(RAM_LIMIT_LOW_BITS, 0xffc >> 2),
	SOME(RAM_WP_LOW_BITS, 0xffc >> 2, 0),
	SOME(RAM_RP_LOW_BITS, 0xffc >> 2, 0),
};

#define SMEM_START 0x80000000u
#define SMEM_BYTES 0x10000u

static const struct hs_tc_limit minimal_smem[] = {
	ONLY(TE_INST_MODE, 6),
	ONLY(TE_INST_SYNC_MODE, 1),
	ONLY(TE_INST_SYNC_MAX, 4),
	SOME(TE_INST_STALL_OR_OVERFLOW, 0x3, 0),
	ONLY(TE_FORMAT, 1),
	ONLY(TE_PROTOCOL_MAJOR, 1),
	ONLY(RAM_HAS_SMEM, 1),
	ONLY(RAM_MODE, 1),
	SOME(RAM_WRAP, 0x3, 0),
	FIXED(RAM_START_LOW_BITS, SMEM_START >> 2),
	FIXED(RAM_LIMIT_LOW_BITS, (SMEM_START + SMEM_BYTES - 4) >> 2),
	SOME(RAM_WP_LOW_BITS, (SMEM_BYTES - 4) >> 2, SMEM_START >> 2),
};

static const struct hs_tc_profile profiles[] = {
	{ .size = sizeof(struct hs_tc_profile),
	  .name = "full",
	  .limits = full,
	  .limit_count = COUNT(full),
	  .components = (1u << HS_TC_COMPONENTS) - 1,
	  .absent = NO_DATA | REG(TE_TRIG_DBG_CONTROL),
	  .sram_bytes = 4096,
	  .settle = 1,
	  .read_active = true,
	  .data_write = true },
	{ .size = sizeof(struct hs_tc_profile),
	  .name = "etrace",
	  .limits = etrace,
	  .limit_count = COUNT(etrace),
	  .components = (1u << HS_TC_COMPONENTS) - 1,
	  .absent = NO_DATA | REG(TE_TRIG_DBG_CONTROL) | REG(TE_TRIG_EXT_IN_CONTROL) |
	            REG(TE_TRIG_EXT_OUT_CONTROL),
	  .sram_bytes = 4096,
	  .settle = 1,
	  .read_active = true },
	{ .size = sizeof(struct hs_tc_profile),
	  .name = "etrace-data",
	  .limits = etrace_data,
	  .limit_count = COUNT(etrace_data),
	  .components = (1u << HS_TC_COMPONENTS) - 1,
	  .absent = REG(TE_TRIG_DBG_CONTROL) | REG(TE_TRIG_EXT_IN_CONTROL) |
	            REG(TE_TRIG_EXT_OUT_CONTROL),
	  .sram_bytes = 4096,
	  .settle = 1,
	  .read_active = true },
	{ .size = sizeof(struct hs_tc_profile),
	  .name = "minimal",
	  .limits = minimal,
	  .limit_count = COUNT(minimal),
	  .components = 1u << HS_TC_ENCODER | 1u << HS_TC_RAM,
	  .sram_bytes = 4096,
	  .tied = true },
	{ .size = sizeof(struct hs_tc_profile),
	  .name = "minimal-smem",
	  .limits = minimal_smem,
	  .limit_count = COUNT(minimal_smem),
	  .components = 1u << HS_TC_ENCODER | 1u << HS_TC_RAM,
	  .tied = true },
};

const struct hs_tc_profile *hs_tc_profile_at(unsigned index)
{
	return index < COUNT(profiles) ? &profiles[index] : NULL;
}

const struct hs_tc_profile *hs_tc_profile_find(const char *name)
{
	for (size_t i = 0; i < COUNT(profiles); i++)
		if (tc_same_text(profiles[i].name, name))
			return &profiles[i];
	return NULL;
}
