/* N-Trace as a row of the table of protocols: its parameters. */
#include <stddef.h>
#include <string.h>

#include "device/device.h"
#include "ntrace/ntrace.h"
#include "trace/ntrace.h"

#define P(name, field, max, words, help) \
	{ \
		name, help, words, max, false, offsetof(struct hs_nt_config, field), \
			sizeof(((struct hs_nt_config *)0)->field), 0 \
	}

static const struct hs_param params[] = {
	P("trTeInstMode", inst_mode, 7, "btm=3 htm=6", "branch or history trace messages"),
	P("trTeSrcBits", src_bits, 12, NULL, "bits of SRC in each message; 0: no SRC"),
	P("trTeSrcID", src_id, 4095, NULL, "SRC of the encoder"),
	P("trTeInhibitSrc", inhibit_src, 1, NULL, "1: no SRC although trTeSrcBits is set"),
	P("trTeInstSyncMode", sync_mode, 8, "off=0 messages=1 cycles=2 halfwords=3 bytes=8",
	  "what is counted for periodic synchronisation"),
	P("trTeInstSyncMax", sync_max, 15, NULL, "synchronise each 2^(n+4) of them"),
	P("trTeInstEnSequentialJump", sequential_jump, 1, NULL,
	  "1: targets of lui/auipc and jalr pairs are not sent"),
	P("trTeInstImplicitReturnMode", implicit_return, 3, "off=0 counting=1 partial=2 full=3",
	  "targets of returns that match their call are not sent"),
	P("trTeInstEnRepeatedHistory", repeated_history, 1, NULL,
	  "1: equal full HIST fields are counted"),
	P("trTeInstEnAllJumps", all_jumps, 1, NULL,
	  "1: direct jumps are reported like taken branches"),
	P("trTeInstExtendAddrMSB", extend_addr, 1, NULL,
	  "1: equal top bits of addresses are not sent"),
	P("addressBits", address_bits, 63, NULL,
	  "bits of an address field, whose top bit stands for those above it, 2 to 63 (38 for "
	  "Sv39, 47 for Sv48, 56 for Sv57); 0: as trTeInstExtendAddrMSB says"),
	P("trTeContext", context, 1, NULL, "1: Ownership messages"),
	P("trTsEnable", timestamps, 1, NULL, "1: TSTAMP in each message"),
	P("trTsWidth", tstamp_bits, 64, NULL,
	  "bits of the counter that TSTAMP is of, 1 to 64; 0: 64"),
	P("trTeInstStallEna", stall, 1, NULL,
	  "1: a full queue stalls the hart (encoders in a model)"),
	P("repeatBranch", repeat_branch, 1, NULL,
	  "1: equal branch messages are counted by RepeatBranch"),
	P("callStack", call_stack, 1024, NULL,
	  "calls that the encoder counts, or return addresses that it keeps; 0: 32"),
	P("returnBits", return_bits, 63, NULL,
	  "low bits of an address that mode partial compares; 0: 16"),
	P("reportedCalls", reported_calls, 1, NULL,
	  "1: a return is inferred only when a message before reported its call"),
	P("hrepeatBits", hrepeat_bits, 18, NULL, "bits of HREPEAT and B-CNT, 1 to 18; 0: 18"),
	P("itypeBits", itype_bits, 4, NULL, "width of itype at the ingress port, 3 or 4; 0: 4"),
	P("xlen", xlen, 64, NULL, "32 or 64; 0: 64 (encoder, for trTeInstExtendAddrMSB)"),
	P("dialect", dialect, 3, "rc7=0 1.0=1 reference=2 sifive=3", "which N-Trace it is"),
	P("icntBits", icnt_bits, 22, NULL,
	  "bits of the I-CNT counter, 4 to 22; 0: 22, in dialect reference 30"),
	P("histBits", hist_bits, 31, NULL, "branches that HIST holds, 1 to 31; 0: 31"),
	P("icntFull", icnt_full, 1, "resource=0 sync=1", "how a full I-CNT counter is reported"),
	P("btypePlain", btype_plain, 1, NULL, "1: traps have B-TYPE 1 instead of 2 and 3"),
	P("histAlways", hist_always, 1, NULL, "1: IndirectBranchHist also where HIST is empty"),
	P("startSync", start_sync, 15, NULL, "SYNC of the first message; 0: 5"),
	P("stopEvcode", stop_evcode, 15, NULL, "EVCODE of the last message"),
	P("periodicEvents", periodic_events, 1, NULL,
	  "1: periodic synchronisation is reported as an event, too"),
	{ "messageBlocks", "decode: blocks that a message may mean; more are damage; 0: 2^28", NULL,
	  HS_MESSAGE_BLOCKS, false, offsetof(struct ntrace_config, message_blocks), 8, 0 },
};

#define BTM "trTeInstMode=btm "
#define HTM "trTeInstMode=htm "
#define ALL \
	"trTeInstImplicitReturnMode=full trTeInstEnSequentialJump=1 trTeInstExtendAddrMSB=1 " \
	"repeatBranch=1"
#define VARIANTS(m, M) \
	{ m, M }, { m ", implicit return, counting", M "trTeInstImplicitReturnMode=counting" }, \
		{ m ", implicit return, partial", M "trTeInstImplicitReturnMode=partial" }, \
		{ m ", implicit return, full", M "trTeInstImplicitReturnMode=full" }, \
		{ m ", sequential jumps", M "trTeInstEnSequentialJump=1" }, \
		{ m ", extended addresses", M "trTeInstExtendAddrMSB=1" }, \
	{ \
		m ", repeated branches", M "repeatBranch=1" \
	}

static const struct hs_variant variants[] = {
	VARIANTS("BTM", BTM),
	{ "BTM, all", BTM ALL },
	VARIANTS("HTM", HTM),
	{ "HTM, repeated history", HTM "trTeInstEnRepeatedHistory=1" },
	{ "HTM, all", HTM ALL " trTeInstEnRepeatedHistory=1" },
};

/* A lost byte costs the messages up to the next synchronisation: some thousand. */
static void suit_files(struct hs_nt_config *c)
{
	const struct hs_nt_dialect *dialect = hs_nt_dialect_get(c->dialect);

	if (c->sync_mode != HS_NT_SYNC_OFF || !dialect || !dialect->sync_max)
		return;
	c->sync_mode = HS_NT_SYNC_MESSAGES;
	c->sync_max = dialect->sync_max;
}

/* No parameter follows another one. */
static void set_defaults(void *config, enum codec_defaults which)
{
	if (which == CODEC_EACH)
		*(struct ntrace_config *)config =
			(struct ntrace_config){ .nt.size = sizeof(struct hs_nt_config) };
	else if (which == CODEC_OF_FILES)
		suit_files(config);
}

static enum hs_status check(const void *config, enum codec_check what,
                            struct hs_protocol_traits *traits)
{
	const struct hs_nt_config *c = config;
	const struct hs_nt_dialect *dialect = hs_nt_dialect_get(c->dialect);

	(void)what; /* its messages say nothing of the encoder */
	if (traits)
		*traits =
			(struct hs_protocol_traits){ .fields = { .modes = UINT8_MAX },
			                             .timed = c->timestamps,
			                             .ecall_traps = dialect && dialect->ecall_traps,
			                             .only_ecalls = dialect && dialect->btype_zero,
			                             .framed = true };
	return hs_nt_config_check(config);
}

static enum hs_status take_registers(void *config, const struct hs_tc_regs *registers)
{
	return hs_tc_nt_config(registers, config);
}

static enum hs_status put_registers(const void *config, struct hs_tc_regs *registers)
{
	return hs_tc_set_nt_config(registers, config);
}

/* The byte after one whose MSEO is 11 begins a message, whatever was before (NT 3.1). */
static size_t find_cut(const void *config, const struct hs_span *bytes, bool synchronises)
{
	size_t n = bytes->n;

	(void)config;
	if (synchronises)
		return hs_nt_find_sync(bytes);
	while (n && (bytes->p[n - 1] & 3u) != 3u)
		n--;
	return n;
}

static const struct codec codec = {
	.defaults = set_defaults,
	.check = check,
	.take_registers = take_registers,
	.put_registers = put_registers,
	.end = CODEC_END_MSEO,
	.find_cut = find_cut,
	.encoder_new = protocol_nt_encoder_new,
	.encode = protocol_nt_encode,
	.encode_port = protocol_nt_encode_port,
	.encode_end = protocol_nt_encode_end,
	.counts = protocol_nt_counts,
	.diag = protocol_nt_diag,
	.where = protocol_nt_where,
	.decoder = &protocol_nt_decoder,
	.reader = &protocol_nt_reader,
	.lint = &protocol_nt_lint,
	.rules = hs_nt_rules,
};

const struct hs_protocol protocol_ntrace = {
	.name = "ntrace",
	.ending = ".nt",
	.text = "RISC-V N-Trace 1.0 (Nexus messages)",
	.params = params,
	.param_count = sizeof(params) / sizeof(*params),
	.variants = variants,
	.variant_count = sizeof(variants) / sizeof(*variants),
	.config_size = sizeof(struct ntrace_config),
	.encode_room = HS_NT_ENCODE_ROOM,
	.codec = &codec,
};
