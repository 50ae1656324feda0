/* The registers and fields of the Trace Control Interface 1.0 as the tables of its text have them:
 * an independent reading, which shares no line with registers.def.
 *
 * Registers: component (E encoder, F funnel, T both, R RAM sink, P pin interface, A ATB bridge),
 * offset, name ('#' is the number of an instance), instances.  Fields: name, bits, column RW,
 * column Reset, and the values that the description does not reserve ("": none is reserved).  Bits
 * that the tables call reserved, or leave to vendors, have no row. */
#ifndef HS_TESTS_CONTROL_TEXT_H
#define HS_TESTS_CONTROL_TEXT_H

#include <stdbool.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

struct text_field {
	const char *name, *bits, *access, *reset, *values;
};

struct text_register {
	char component;
	uint16_t offset;
	const char *name;
	unsigned instances;
	struct text_field fields[17]; /* up to a row without a name */
};

static const struct text_register text_registers[] = {
	{ 'E', 0x000, "trTeControl", 1, {
		{ "trTeActive", "0", "RW", "0", "" },
		{ "trTeEnable", "1", "RW", "0", "" },
		{ "trTeInstTracing", "2", "RW", "Undef", "" },
		{ "trTeEmpty", "3", "RO", "1", "" },
		{ "trTeInstMode", "6:4", "WARL", "Undef", "" },
		{ "trTeContext", "9", "WARL", "Undef", "" },
		{ "trTeInstTrigEnable", "11", "WARL", "Undef", "" },
		{ "trTeInstStallOrOverflow", "12", "RW1C", "Undef", "" },
		{ "trTeInstStallEna", "13", "WARL", "Undef", "" },
		{ "trTeInhibitSrc", "15", "WARL", "Undef", "" },
		{ "trTeInstSyncMode", "17:16", "WARL", "Undef", "" },
		{ "trTeInstSyncMax", "23:20", "WARL", "Undef", "" },
		{ "trTeFormat", "26:24", "WARL", "Undef", "0 1 7" },
	} },
	{ 'E', 0x004, "trTeImpl", 1, {
		{ "trTeVerMajor", "3:0", "RO", "1", "" },
		{ "trTeVerMinor", "7:4", "RO", "0", "" },
		{ "trTeCompType", "11:8", "RO", "0x1", "1" },
		{ "trTeProtocolMajor", "19:16", "RO", "SD", "" },
		{ "trTeProtocolMinor", "23:20", "RO", "SD", "" },
	} },
	{ 'E', 0x008, "trTeInstFeatures", 1, {
		{ "trTeInstNoAddrDiff", "0", "WARL", "Undef", "" },
		{ "trTeInstNoTrapAddr", "1", "WARL", "Undef", "" },
		{ "trTeInstEnSequentialJump", "2", "WARL", "Undef", "" },
		{ "trTeInstEnImplicitReturn", "3", "WARL", "Undef", "" },
		{ "trTeInstEnBranchPrediction", "4", "WARL", "Undef", "" },
		{ "trTeInstEnJumpTargetCache", "5", "WARL", "Undef", "" },
		{ "trTeInstImplicitReturnMode", "7:6", "WARL", "Undef", "" },
		{ "trTeInstEnRepeatedHistory", "8", "WARL", "Undef", "" },
		{ "trTeInstEnAllJumps", "9", "WARL", "Undef", "" },
		{ "trTeInstExtendAddrMSB", "10", "WARL", "Undef", "" },
		{ "trTeSrcID", "27:16", "WARL", "Undef", "" },
		{ "trTeSrcBits", "31:28", "WARL", "Undef", "0-12" },
	} },
	{ 'E', 0x00c, "trTeInstFilters", 1, {
		{ "trTeInstFilters", "15:0", "WARL", "Undef", "" },
	} },
	{ 'E', 0x010, "trTeDataControl", 1, {
		{ "trTeDataImplemented", "0", "RO", "SD", "" },
		{ "trTeDataTracing", "1", "WARL", "Undef", "" },
		{ "trTeDataTrigEnable", "2", "WARL", "Undef", "" },
		{ "trTeDataStallOrOverflow", "3", "RW1C", "Undef", "" },
		{ "trTeDataStallEna", "4", "WARL", "Undef", "" },
		{ "trTeDataDrop", "5", "RW1C", "Undef", "" },
		{ "trTeDataDropEna", "6", "WARL", "Undef", "" },
		{ "trTeDataNoValue", "16", "WARL", "Undef", "" },
		{ "trTeDataNoAddr", "17", "WARL", "Undef", "" },
		{ "trTeDataAddrCompress", "19:18", "WARL", "Undef", "" },
	} },
	{ 'E', 0x01c, "trTeDataFilters", 1, {
		{ "trTeDataFilters", "15:0", "WARL", "Undef", "" },
	} },
	{ 'T', 0x040, "trTsControl", 1, {
		{ "trTsActive", "0", "WARL", "SD", "" },
		{ "trTsCount", "1", "WARL", "Undef", "" },
		{ "trTsReset", "2", "W1", "--", "" },
		{ "trTsRunInDebug", "3", "WARL", "Undef", "" },
		{ "trTsMode", "6:4", "WARL", "Undef", "" },
		{ "trTsPrescale", "9:8", "WARL", "Undef", "" },
		{ "trTsEnable", "15", "WARL", "Undef", "" },
		{ "trTsWidth", "29:24", "RO", "SD", "" },
	} },
	{ 'T', 0x048, "trTsCounterLow", 1, {
		{ "trTsCounterLow", "31:0", "RO", "0", "" },
	} },
	{ 'T', 0x04c, "trTsCounterHigh", 1, {
		{ "trTsCounterHigh", "31:0", "RO", "0", "" },
	} },
	{ 'E', 0x050, "trTeTrigDbgControl", 1, {
		{ "trTeTrigDbgControl", "31:0", "WARL", "Undef", "" },
	} },
	{ 'E', 0x054, "trTeTrigExtInControl", 1, {
		{ "trTeTrigExtInAction0", "3:0", "WARL", "Undef", "0 2 3 4" },
		{ "trTeTrigExtInAction1", "7:4", "WARL", "Undef", "0 2 3 4" },
		{ "trTeTrigExtInAction2", "11:8", "WARL", "Undef", "0 2 3 4" },
		{ "trTeTrigExtInAction3", "15:12", "WARL", "Undef", "0 2 3 4" },
		{ "trTeTrigExtInAction4", "19:16", "WARL", "Undef", "0 2 3 4" },
		{ "trTeTrigExtInAction5", "23:20", "WARL", "Undef", "0 2 3 4" },
		{ "trTeTrigExtInAction6", "27:24", "WARL", "Undef", "0 2 3 4" },
		{ "trTeTrigExtInAction7", "31:28", "WARL", "Undef", "0 2 3 4" },
	} },
	{ 'E', 0x058, "trTeTrigExtOutControl", 1, {
		{ "trTeTrigExtOutEvent0", "3:0", "WARL", "Undef", "" },
		{ "trTeTrigExtOutEvent1", "7:4", "WARL", "Undef", "" },
		{ "trTeTrigExtOutEvent2", "11:8", "WARL", "Undef", "" },
		{ "trTeTrigExtOutEvent3", "15:12", "WARL", "Undef", "" },
		{ "trTeTrigExtOutEvent4", "19:16", "WARL", "Undef", "" },
		{ "trTeTrigExtOutEvent5", "23:20", "WARL", "Undef", "" },
		{ "trTeTrigExtOutEvent6", "27:24", "WARL", "Undef", "" },
		{ "trTeTrigExtOutEvent7", "31:28", "WARL", "Undef", "" },
	} },
	{ 'E', 0x400, "trTeFilter#Control", 16, {
		{ "trTeFilterEnable", "0", "WARL", "Undef", "" },
		{ "trTeFilterMatchPrivilege", "1", "WARL", "Undef", "" },
		{ "trTeFilterMatchEcause", "2", "WARL", "Undef", "" },
		{ "trTeFilterMatchInterrupt", "3", "WARL", "Undef", "" },
		{ "trTeFilterMatchComp1", "4", "WARL", "Undef", "" },
		{ "trTeFilterComp1", "7:5", "WARL", "Undef", "" },
		{ "trTeFilterMatchComp2", "8", "WARL", "Undef", "" },
		{ "trTeFilterComp2", "11:9", "WARL", "Undef", "" },
		{ "trTeFilterMatchComp3", "12", "WARL", "Undef", "" },
		{ "trTeFilterComp3", "15:13", "WARL", "Undef", "" },
		{ "trTeFilterMatchImpdef", "16", "WARL", "Undef", "" },
		{ "trTeFilterMatchDtype", "24", "WARL", "Undef", "" },
		{ "trTeFilterMatchDsize", "25", "WARL", "Undef", "" },
	} },
	{ 'E', 0x404, "trTeFilter#MatchInst", 16, {
		{ "trTeFilterMatchChoicePrivilege", "7:0", "WARL", "Undef", "" },
		{ "trTeFilterMatchValueInterrupt", "8", "WARL", "Undef", "" },
	} },
	{ 'E', 0x408, "trTeFilter#MatchEcauseLow", 16, {
		{ "trTeFilterMatchChoiceEcauseLow", "31:0", "WARL", "Undef", "" },
	} },
	{ 'E', 0x40c, "trTeFilter#MatchEcauseHigh", 16, {
		{ "trTeFilterMatchChoiceEcauseHigh", "31:0", "WARL", "Undef", "" },
	} },
	{ 'E', 0x410, "trTeFilter#MatchValueImpdef", 16, {
		{ "trTeFilterMatchValueImpdef", "31:0", "WARL", "Undef", "" },
	} },
	{ 'E', 0x414, "trTeFilter#MatchMaskImpdef", 16, {
		{ "trTeFilterMatchMaskImpdef", "31:0", "WARL", "Undef", "" },
	} },
	{ 'E', 0x418, "trTeFilter#MatchData", 16, {
		{ "trTeFilterMatchChoiceDtype", "15:0", "WARL", "Undef", "" },
		{ "trTeFilterMatchChoiceDsize", "23:16", "WARL", "Undef", "" },
	} },
	{ 'E', 0x600, "trTeComp#Control", 8, {
		{ "trTeCompPInput", "1:0", "WARL", "Undef", "" },
		{ "trTeCompSInput", "3:2", "WARL", "Undef", "" },
		{ "trTeCompPFunction", "6:4", "WARL", "Undef", "" },
		{ "trTeCompSFunction", "10:8", "WARL", "Undef", "" },
		{ "trTeCompMatchMode", "13:12", "WARL", "Undef", "" },
		{ "trTeCompPNotify", "14", "WARL", "Undef", "" },
		{ "trTeCompSNotify", "15", "WARL", "Undef", "" },
	} },
	{ 'E', 0x610, "trTeComp#PMatchLow", 8, {
		{ "trTeCompPMatchLow", "31:0", "WARL", "Undef", "" },
	} },
	{ 'E', 0x614, "trTeComp#PMatchHigh", 8, {
		{ "trTeCompPMatchHigh", "31:0", "WARL", "Undef", "" },
	} },
	{ 'E', 0x618, "trTeComp#SMatchLow", 8, {
		{ "trTeCompSMatchLow", "31:0", "WARL", "Undef", "" },
	} },
	{ 'E', 0x61c, "trTeComp#SMatchHigh", 8, {
		{ "trTeCompSMatchHigh", "31:0", "WARL", "Undef", "" },
	} },
	{ 'R', 0x000, "trRamControl", 1, {
		{ "trRamActive", "0", "RW", "0", "" },
		{ "trRamEnable", "1", "RW", "0", "" },
		{ "trRamEmpty", "3", "RO", "1", "" },
		{ "trRamMode", "4", "WARL", "Undef", "" },
		{ "trRamStopOnWrap", "8", "WARL", "Undef", "" },
		{ "trRamMemFormat", "10:9", "WARL", "Undef", "0 3" },
		{ "trRamAsyncFreq", "14:12", "WARL", "Undef", "" },
	} },
	{ 'R', 0x004, "trRamImpl", 1, {
		{ "trRamVerMajor", "3:0", "RO", "1", "" },
		{ "trRamVerMinor", "7:4", "RO", "0", "" },
		{ "trRamCompType", "11:8", "RO", "0x9", "9" },
		{ "trRamHasSRAM", "12", "RO", "SD", "" },
		{ "trRamHasSMEM", "13", "RO", "SD", "" },
	} },
	{ 'R', 0x010, "trRamStartLow", 1, {
		{ "trRamStartLow", "31:2", "WARL", "Undef", "" },
	} },
	{ 'R', 0x014, "trRamStartHigh", 1, {
		{ "trRamStartHigh", "31:0", "WARL", "Undef", "" },
	} },
	{ 'R', 0x018, "trRamLimitLow", 1, {
		{ "trRamLimitLow", "31:2", "WARL", "Undef", "" },
	} },
	{ 'R', 0x01c, "trRamLimitHigh", 1, {
		{ "trRamLimitHigh", "31:0", "WARL", "Undef", "" },
	} },
	{ 'R', 0x020, "trRamWPLow", 1, {
		{ "trRamWrap", "0", "WARL", "Undef", "" },
		{ "trRamWPLow", "31:2", "WARL", "Undef", "" },
	} },
	{ 'R', 0x024, "trRamWPHigh", 1, {
		{ "trRamWPHigh", "31:0", "WARL", "Undef", "" },
	} },
	{ 'R', 0x028, "trRamRPLow", 1, {
		{ "trRamRPLow", "31:2", "WARL", "Undef", "" },
	} },
	{ 'R', 0x02c, "trRamRPHigh", 1, {
		{ "trRamRPHigh", "31:0", "WARL", "Undef", "" },
	} },
	{ 'R', 0x040, "trRamData", 1, {
		{ "trRamData", "31:0", "R or RW", "Undef", "" },
	} },
	{ 'F', 0x000, "trFunnelControl", 1, {
		{ "trFunnelActive", "0", "RW", "0", "" },
		{ "trFunnelEnable", "1", "RW", "0", "" },
		{ "trFunnelEmpty", "3", "RO", "1", "" },
	} },
	{ 'F', 0x004, "trFunnelImpl", 1, {
		{ "trFunnelVerMajor", "3:0", "RO", "1", "" },
		{ "trFunnelVerMinor", "7:4", "RO", "0", "" },
		{ "trFunnelCompType", "11:8", "RO", "0x8", "8" },
	} },
	{ 'F', 0x008, "trFunnelDisInput", 1, {
		{ "trFunnelDisInput", "15:0", "WARL", "Undef", "" },
	} },
	{ 'P', 0x000, "trPibControl", 1, {
		{ "trPibActive", "0", "RW", "0", "" },
		{ "trPibEnable", "1", "RW", "0", "" },
		{ "trPibEmpty", "3", "RO", "1", "" },
		{ "trPibMode", "7:4", "WARL", "Undef", "0 4 5 8-12" },
		{ "trPibClkCenter", "8", "WARL", "Undef", "" },
		{ "trPibCalibrate", "9", "WARL", "Undef", "" },
		{ "trPibAsyncFreq", "14:12", "WARL", "Undef", "" },
		{ "trPibDivider", "31:16", "WARL", "Undef", "" },
	} },
	{ 'P', 0x004, "trPibImpl", 1, {
		{ "trPibVerMajor", "3:0", "RO", "1", "" },
		{ "trPibVerMinor", "7:4", "RO", "0", "" },
		{ "trPibCompType", "11:8", "RO", "0xA", "10" },
	} },
	{ 'A', 0x000, "trAtbBridgeControl", 1, {
		{ "trAtbBridgeActive", "0", "RW", "0", "" },
		{ "trAtbBridgeEnable", "1", "RW", "0", "" },
		{ "trAtbBridgeEmpty", "3", "RO", "1", "" },
		{ "trAtbBridgeID", "14:8", "RW", "Undef", "" },
	} },
	{ 'A', 0x004, "trAtbBridgeImpl", 1, {
		{ "trAtbBridgeVerMajor", "3:0", "RO", "1", "" },
		{ "trAtbBridgeVerMinor", "7:4", "RO", "0", "" },
		{ "trAtbBridgeCompType", "11:8", "RO", "0xE", "14" },
		{ "trAtbBridgeAsyncFreq", "14:12", "WARL", "Undef", "" },
	} },
};

#define TEXT_REGISTERS (sizeof(text_registers) / sizeof(*text_registers))

/* "6:4" or "6" */
static inline unsigned text_msb(const struct text_field *f)
{
	return (unsigned)atoi(f->bits);
}

static inline unsigned text_lsb(const struct text_field *f)
{
	const char *colon = strchr(f->bits, ':');

	return (unsigned)atoi(colon ? colon + 1 : f->bits);
}

/* All ones in the field, moved to bit 0. */
static inline uint32_t text_ones(const struct text_field *f)
{
	uint32_t v = 0;

	for (unsigned i = text_lsb(f); i <= text_msb(f); i++)
		v = v << 1 | 1;
	return v;
}

/* Does the text allow this value: "" any, else a list such as "0 4 8-12"? */
static inline bool text_allows(const struct text_field *f, uint32_t value)
{
	const char *p = f->values;

	if (!*p)
		return value <= text_ones(f);
	while (*p) {
		char *end;
		const unsigned long first = strtoul(p, &end, 10);
		const unsigned long last = *end == '-' ? strtoul(end + 1, &end, 10) : first;

		if (value >= first && value <= last)
			return true;
		p = *end ? end + 1 : end;
	}
	return false;
}

#endif
