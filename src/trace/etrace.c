/* E-Trace as a row of the table of protocols: its parameters by name. */
#include <stddef.h>
#include <stdlib.h>

#include "trace/etrace.h"
#include "trace/trace.h"

#define P(name, field, max, words, help) \
	{ \
		name, help, words, max, false, offsetof(struct etrace_config, et.field), \
			sizeof(((struct etrace_config *)0)->et.field), 0 \
	}
#define D(name, field, max, words, help) \
	{ \
		name, help, words, max, false, offsetof(struct etrace_config, data.field), \
			sizeof(((struct etrace_config *)0)->data.field), 0 \
	}
#define H(name, field, max, help) \
	{ \
		name, help, NULL, max, false, offsetof(struct etrace_config, hart.field), \
			sizeof(((struct etrace_config *)0)->hart.field), 0 \
	}
#define O(name, field, max, words, help) \
	{ \
		name, help, words, max, false, offsetof(struct etrace_config, field), 1, 0 \
	}
#define F(name, field, help) /* a run-time option */ \
	{ \
		name, help, "false=0 true=1", 1, true, offsetof(struct etrace_config, field), 1, 0 \
	}

#define HS_ET_LAYOUT(id, member, least, most, words, help) \
	{ "layout." #member, \
	  help, \
	  "dialect=65535" words, \
	  most, \
	  false, \
	  offsetof(struct etrace_config, layout) + 2 * HS_ET_LAYOUT_##id, \
	  2, \
	  0 },

static const struct hs_param params[] = {
	P("version", version, HS_ET_2_1, "2.0=0 1.1=1 0.026=2 2.1=4",
	  "version of the specification"),
	P("dialect", dialect, HS_ET_DIALECT_COUNT - 1,
	  "standard=0 reference=1 pulp=2 none=3 atb=4 draft=5 encap1=6 siemens=7 esp32=8 "
	  "rv-tracer=9 qemu=10 cva6=11",
	  "framing, and the bits of ioptions"),
	P("iaddress_width_p", iaddress_width, 64, NULL, "bits of an address"),
	O("iaddress_lsb_p", iaddress_lsb, 2, NULL,
	  "low bits of addresses that are not sent; 3: design/et-layouts"),
	P("privilege_width_p", privilege_width, 4, NULL, "bits of privilege"),
	P("ecause_width_p", ecause_width, 64, NULL, "bits of ecause"),
	P("context_width_p", context_width, 64, NULL, "bits of context"),
	P("time_width_p", time_width, 64, NULL, "bits of time"),
	O("nocontext_p", nocontext, 1, NULL, "1: packets have no context"),
	O("notime_p", notime, 1, NULL, "1: packets have no time"),
	P("notval_p", notval, 1, NULL, "1: packets have no tval (0.026)"),
	P("itype_width_p", itype_width, 4, NULL,
	  "3: the port does not report direct jumps (encode)"),
	P("f0s_width_p", f0s_width, 2, NULL, "bits of the subformat of format 0"),
	P("bpred_size_p", bpred_size, HS_ET_BPRED_MAX, NULL,
	  "branch predictor of 2^n entries; 0: none"),
	P("cache_size_p", cache_size, HS_ET_CACHE_MAX, NULL,
	  "jump target cache of 2^n entries; 0: none"),
	P("call_counter_size_p", call_counter_size, HS_ET_RETURN_MAX, NULL,
	  "counter for 2^n nested calls; 0: none"),
	P("return_stack_size_p", return_stack_size, HS_ET_RETURN_MAX, NULL,
	  "return stack of 2^n entries; 0: none"),
	P("sijump_p", sijump, 1, NULL, "1: the encoder knows sequentially inferable jumps"),
	P("arch_p", arch, 15, NULL, "version of the architecture"),
	F("full-address", full_address, "full addresses in formats 1 and 2"),
	F("implicit-except", implicit_except, "addresses of trap handlers are not sent"),
	F("si-jump", si_jump, "targets of lui/auipc and jalr pairs are not sent"),
	F("implicit-return", implicit_return,
	  "targets of returns that match their call are not sent"),
	F("branch-prediction", branch_prediction, "only count branches that go as predicted"),
	F("jump-target-cache", jump_target_cache, "targets in the cache are sent as its index"),
	P("trTeInstSyncMode", sync_mode, 3, "off=0 packets=1 cycles=2 halfwords=3",
	  "what is counted for synchronisation"),
	P("resync-max", sync_max, 20, NULL, "synchronise each 2^(n+4) of them"),
	P("trTeSrcBits", src_bits, 16, NULL, "bits of srcID in each packet; 0: none"),
	P("trTeSrcID", src_id, 0xffff, NULL, "srcID of the encoder"),
	P("trTsWidth", tstamp_bytes, 8, NULL,
	  "bytes of the encapsulation's timestamp, or of a message's time tag; 0: none"),
	P("async-freq", async_freq, 7, NULL,
	  "a synchronisation sequence each 2^(n+6) bytes of the encapsulation; 0: none"),
	P("flow", flow, 3, NULL, "flow of the encapsulation's header (encode)"),
	P("anchor-bytes", anchor_bytes, 31, NULL,
	  "layout.frame=indexed: after so many bytes of 0 a packet begins; 0: not known"),
	P("anchor-packets", anchor_packets, 255, NULL,
	  "layout.frame=indexed: such bytes after each so many packets (encode); 0: none"),
	P("trTeInstStallEna", stall, 1, NULL,
	  "1: a full queue stalls the hart (encoders in a model)"),
	P("context-precise", context_precise, 1, NULL, "1: a new context synchronises"),
	P("no-compress", no_compress, 1, NULL, "1: payloads at their full length"),
	P("strict", strict, 1, NULL, "1: the packets of the text's figure and no others"),
	O("after-damage", leniency.after_damage, ETRACE_STRICT, "sure=0 soon=1 strict=2",
	  "decode goes on where two synchronising packets agree, from the first one on, or takes "
	  "code and options that are not known for damage, too"),
	O("other-packets", leniency.other_packets, 1, "damage=0 skip=1",
	  "decode: packets of types that no parameter names"),
	{ "message-blocks", "decode: blocks that a packet may mean; more are damage; 0: 2^28", NULL,
	  HS_MESSAGE_BLOCKS, false, offsetof(struct etrace_config, leniency.message_blocks), 8, 0 },
	P("plain-loops", plain_loops, 1, NULL,
	  "1: how often a loop without a branch ran is not reported"),
	P("negated", negated, 1, NULL, "0.026: 1: an address is last - current"),
	P("type-prefix", type_prefix, 1, NULL,
	  "0.026: 1: payloads begin with a message type of 2 bits"),
	O("context-mark", context_mark, ETRACE_MARK_AUTO, "off=0 on=1 auto=2",
	  "0.026: a context packet after an address says that a jump led there"),
	P("iret_ext", iret_ext, 1, NULL,
	  "1: a count of inferred returns, irets, in place of irdepth"),
	P("support-other", other_width, 64, NULL,
	  "2.1: bits of \"other\" at the end of a support packet"),
	P("sync-resets", sync_resets, 1, "said=0 always=1",
	  "2.1: synchronising packets reset calls and predictions as resync_disabled says, or "
	  "always (ET-20)"),
	P("cache-kept", cache_kept, 1, NULL,
	  "1: synchronising packets do not empty the jump target cache (ET-21)"),
	P("cache-returns", cache_returns, 1, NULL,
	  "1: targets of inferred returns enter the jump target cache (ET-22)"),
	P("x0-jumps", x0_inferable, 1, "reported=0 inferable=1",
	  "decode: targets of jalr with rs1 = x0 (ET-24)"),
	P("counter-bits", counter_bits, 1, NULL,
	  "1: the call counter has 2^n bits, not 2^n calls; with iret_ext (ET-25)"),
	P("data-trace", data_trace, 1, NULL, "1: packets of data trace, and doptions for them"),
	P("doptions-width", doptions_width, 16, NULL, "bits of doptions"),
	D("data-split", split, 1, NULL, "data trace: 1: split loads and atomics"),
	D("trTeDataNoValue", no_data, 1, NULL, "data trace: 1: only addresses"),
	D("trTeDataNoAddr", no_address, 1, NULL, "data trace: 1: only data"),
	D("data-full-address", full_address, 1, NULL, "data trace: 1: no address is a difference"),
	D("data-load-store", load_store, 1, NULL, "data trace: 1: only unified loads and stores"),
	D("data_width_p", data_width, 64, NULL, "data trace: bits of data: 8, 16, 32, 64"),
	D("daddress_width_p", daddress_width, 64, NULL, "data trace: bits of an address"),
	D("lrid_width_p", lrid_width, HS_ET_LRID_MAX, NULL,
	  "data trace: bits of a request's number"),
	D("data-csr-width", csr_width, 64, NULL, "data trace: bits of a CSR: 32, 64"),
	D("data-compression", compression, 2, "both=0 xor=1 difference=2",
	  "data trace: how data is compressed"),
	D("data-narrow-diff", narrow_diff, 1, NULL, "data trace: 1: diff has 1 bit where it can"),
	D("data-csr-subtype", csr_subtype_width, 3, NULL,
	  "data trace: bits of subtype of a CSR's address packet: 2, 3"),
	D("data-csr-diff", csr_diff, 1, NULL, "data trace: 1: that packet has diff"),
	D("data-sc-failures", sc_failures, 1, NULL,
	  "data trace: 1: failed conditional stores are reported with data too"),
	D("data-full-value", full_data, 1, NULL, "data trace: 1: no data is compressed"),
	D("mmacas_ext", mmacas_ext, 1, NULL,
	  "data trace: 1: packets of the MMA/CAS extension in place of those of 2.0"),
	D("dtype_width_p", dtype_width, 4, NULL,
	  "data trace: bits of dtype, 1 to 4; with mmacas_ext they give the bits of format"),
	P("mtvec", mtvec, UINT64_MAX, NULL,
	  "the CSR, for handlers of M-mode; 0: not known (implicit-except)"),
	P("stvec", stvec, UINT64_MAX, NULL, "the CSR, for handlers of S-mode"),
	P("vstvec", vstvec, UINT64_MAX, NULL, "the CSR, for handlers of VS-mode"),
	O("full-on-tie", full_on_tie, 1, NULL,
	  "0.026: 1: send the full address when both are equally short"),
	O("itrace_fast_p", fast_only, 1, NULL, "1: the encoder only has fast profiles (0.026)"),
	O("fast-profile", fast_profile, ETRACE_FAST_AUTO, "off=0 targets=1 sources=2 auto=3",
	  "experimental: only report the targets of exceptions, calls and returns, and sources"),
	P("cycle-counts", cycles, 2, "off=0 packets=1 retirements=2",
	  "experimental: cycles between packets of fast profiles, or retirements"),
	H("retires_p", retires, 16, "instructions that retire in a cycle"),
	H("blocks_p", blocks, 16, "blocks that retire in a cycle"),
	H("taken_branches_p", taken_branches, 16, "taken branches in a cycle"),
	H("iretire_width_p", iretire_width, 64, "bits of iretire"),
	H("ilastsize_width_p", ilastsize_width, 64, "bits of ilastsize"),
	H("ctype_width_p", ctype_width, 32, "bits of ctype"),
	H("impdef_width_p", impdef_width, 32, "bits of impdef"),
	H("insn_width_p", insn_width, 128, "0.026: bits of insn: 32, 64 or 128"),
	H("privilege_reset_p", privilege_reset, 15, "0.026: privilege authorization after reset"),
	H("user_width_p", user_width, 256, "0.026: bits of user-defined filter signals"),
	H("comparators_p", comparators, 16,
	  "comparators; when this or filters_p is given, encode --filter checks against them"),
	H("filters_p", filters, 16, "filters"),
	H("ecause_choice_p", ecause_choice, 6, "bits of ecause that can choose several causes"),
	H("filter_context_p", context, 1, "1: filters can compare the context"),
	H("filter_time_p", time, 1, "1: filters can compare the time"),
	H("filter_excint_p", excint, 15,
	  "filters can compare causes of traps, nested to 2^n; 0: they cannot"),
	H("filter_ecause_p", ecause, 15, "0.026: as filter_excint_p"),
	H("filter_interrupt_p", interrupt, 1, "0.026: 1: filters can select interrupts"),
	H("filter_privilege_p", privilege, 1, "1: filters can compare the privilege"),
	H("filter_tval_p", tval, 1, "1: filters can compare the trap value"),
	H("filter_impdef_p", impdef, 1, "1: filters can compare impdef"),
	H("dblock_width_p", dblock_width, 64, "data trace: bits of dblock"),
	H("dsize_width_p", dsize_width, 64, "data trace: bits of dsize"),
	H("iaddr_lsbs_width_p", iaddr_lsbs_width, 64, "data trace: bits of iaddr_lsbs"),
	H("lresp_width_p", lresp_width, 64, "data trace: bits of lresp"),
	H("ldata_width_p", ldata_width, 512, "data trace: bits of ldata"),
	H("sdata_width_p", sdata_width, 512, "data trace: bits of sdata"),
	O("pulp-isa", pulp_isa, 2, "off=0 on=1 dialect=2",
	  "instructions of PULP, such as p.beqimm; dialect: those of pulp have them"),
	O("boot-code", boot, 2, "none=0 spike=1 dialect=2",
	  "code before the program: Spike's reset vector; dialect: reference has it"),
	O("discovery-packet", describe, 1, NULL,
	  "0.026: 1: the first packet is the discovery record (encode)"),
	P("vector-sync", vector_sync, 1, NULL,
	  "0.026: 1: also synchronise after the jump that a handler begins with"),
#include <hartscope/tables/messages.def>
	{ "layout.ioptions", "bits of ioptions from the lowest, separated by commas",
	  "dialect=15 none=14 unused=13 si-jump=1 implicit-return=2 implicit-except=3 "
	  "branch-prediction=4 jump-target-cache=5 full-address=6",
	  UINT64_MAX, false, offsetof(struct etrace_config, ioptions), 8, 4 },
	{ "layout.doptions", "the same of doptions; without doptions-width its length counts",
	  "dialect=15 none=14 unused=13 no-data=1 no-addr=2 full-address=3", UINT64_MAX, false,
	  offsetof(struct etrace_config, doptions), 8, 4 },
	{ "layout.type_widths",
	  "bits of type of each srcID from 0, separated by commas, where they differ",
	  "same=15 0=1 1=2 2=3 3=4 4=5 5=6 6=7 7=8 8=9", UINT64_MAX, false,
	  offsetof(struct etrace_config, type_widths), 8, 4 },
};
#undef HS_ET_LAYOUT

/* Other names in the run-time files of the reference flow. */
static const char *const ignored[] = { "cycle-accurate", "debug-flags",
	                               "file-stem",      "ip-version",
	                               "object-files",   "print-set-pc",
	                               "use-rv32-isa",   NULL };

/* Tables of 32 return addresses, 1024 branches and 128 targets where an option needs one. */
#define COUNTER "implicit-return=true call_counter_size_p=5 return_stack_size_p=0"
#define STACK "implicit-return=true return_stack_size_p=5 call_counter_size_p=0"
#define PREDICTION "branch-prediction=true bpred_size_p=10"
#define CACHE "jump-target-cache=true cache_size_p=7"

static const struct hs_variant variants[] = {
	{ "2.0", "version=2.0" },
	{ "2.0, full addresses", "version=2.0 full-address=true" },
	{ "2.0, implicit return, counter", "version=2.0 " COUNTER },
	{ "2.0, implicit return, stack", "version=2.0 " STACK },
	{ "2.0, implicit exception", "version=2.0 implicit-except=true" },
	{ "2.0, sequential jumps", "version=2.0 si-jump=true sijump_p=1" },
	{ "2.0, branch prediction", "version=2.0 " PREDICTION },
	{ "2.0, jump target cache", "version=2.0 " CACHE },
	{ "2.0, all",
	  "version=2.0 implicit-except=true si-jump=true sijump_p=1 f0s_width_p=1 " STACK
	  " " PREDICTION " " CACHE },
	{ "0.026", "version=0.026" },
	{ "0.026, full addresses", "version=0.026 full-address=true" },
};

static const char *const leading[] = { "version", "dialect", NULL };

static const char *const shaping[] = { "version",        "dialect",           "iaddress_width_p",
	                               "iaddress_lsb_p", "privilege_width_p", "ecause_width_p",
	                               "nocontext_p",    "notime_p",          NULL };

static const struct codec codec = {
	.defaults = protocol_et_defaults,
	.check = protocol_et_check,
	.take_registers = protocol_et_take_registers,
	.put_registers = protocol_et_put_registers,
	.take_discovery = protocol_et_take_discovery,
	.find_discovery = protocol_et_find_discovery,
	.end = CODEC_END_LENGTH,
	.find_cut = protocol_et_find_cut,
	.find_ring = protocol_et_find_ring,
	.encoder_new = protocol_et_encoder_new,
	.encode = protocol_et_encode,
	.encode_port = protocol_et_encode_port,
	.encode_end = protocol_et_encode_end,
	.set_options = protocol_et_set_options,
	.counts = protocol_et_counts,
	.diag = protocol_et_diag,
	.where = protocol_et_where,
	.decoder = &protocol_et_decoder,
	.reader = &protocol_et_reader,
	.lint = &protocol_et_lint,
	.rules = hs_et_rules,
	.narrow_address = "iaddress_width_p",
};

const struct hs_protocol protocol_etrace = {
	.name = "etrace",
	.ending = ".et",
	.text = "RISC-V E-Trace 2.1, 2.0 and 1.1, and the draft 0.026",
	.params = params,
	.param_count = sizeof(params) / sizeof(*params),
	.ignored = ignored,
	.leading = leading,
	.shaping = shaping,
	.variants = variants,
	.variant_count = sizeof(variants) / sizeof(*variants),
	.config_size = sizeof(struct etrace_config),
	.encode_room = HS_ET_ENCODE_ROOM + HS_ET_PACKET_MAX,
	.codec = &codec,
};

enum hs_status hs_protocol_get_etrace(const struct hs_protocol *p, const void *config,
                                      struct hs_et_config *et)
{
	if (p != &protocol_etrace)
		return HS_E_ARG;
	*et = protocol_et_plain(config);
	return HS_OK;
}

enum hs_status hs_protocol_get_etrace_data(const struct hs_protocol *p, const void *config,
                                           struct hs_et_data_config *data)
{
	if (p != &protocol_etrace)
		return HS_E_ARG;
	*data = ((const struct etrace_config *)config)->data;
	return HS_OK;
}
