/* E-Trace as a row of the table of protocols. */
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <hartscope/etrace.h>
#include <hartscope/qualifier.h>

#include "protocol_private.h"

/* The library's configuration, with the options apart, as people set them. */
struct config {
	struct hs_et_config et;
	uint8_t si_jump, implicit_return, implicit_except, branch_prediction, jump_target_cache, full_address;
	uint8_t context_mark; /* 2: nobody said */
	uint8_t fast_only;    /* itrace_fast_p */
	uint8_t fast_profile; /* AUTO: nobody said */
	/* Of the ingress port and of filters: they leave no mark in packets. */
	struct {
		uint8_t retires, blocks, taken_branches, iretire_width, ilastsize_width, ctype_width, impdef_width, insn_width,
			privilege_reset;
		uint16_t user_width;
		uint8_t comparators, filters, ecause_choice, context, time, excint, ecause, interrupt, privilege, tval, impdef;
	} hart;
};

/* fast_profile: as itrace_fast_p says. */
#define AUTO 3

/* comparators, filters: as many as there are. */
#define UNSAID 0xff

#define P(name, field, max, words, help)                                      \
	{ name, help, words, max, offsetof(struct config, et.field),          \
	  sizeof(((struct config *)0)->et.field) }
#define H(name, field, max, help) \
	{ name, help, NULL, max, offsetof(struct config, hart.field), sizeof(((struct config *)0)->hart.field) }
#define O(name, field, help) { name, help, "false=0 true=1", 1, offsetof(struct config, field), 1 }

static const struct hs_param params[] = {
	P("version", version, 2, "2.0=0 1.1=1 0.026=2", "the text that the stream follows"),
	P("dialect", dialect, HS_ET_DIALECT_COUNT - 1, "standard=0 reference=1 pulp=2 none=3 atb=4 draft=5", "framing, and the bits of ioptions"),
	P("iaddress_width_p", iaddress_width, 64, NULL, "bits of an address"),
	P("iaddress_lsb_p", iaddress_lsb, 2, NULL, "low bits of an address that are not sent"),
	P("privilege_width_p", privilege_width, 4, NULL, "bits of privilege"),
	P("ecause_width_p", ecause_width, 32, NULL, "bits of ecause"),
	P("context_width_p", context_width, 64, NULL, "bits of context"),
	P("time_width_p", time_width, 64, NULL, "bits of time"),
	P("nocontext_p", nocontext, 1, NULL, "1: packets have no context"),
	P("notime_p", notime, 1, NULL, "1: packets have no time"),
	P("notval_p", notval, 1, NULL, "1: packets have no tval (0.026)"),
	P("itype_width_p", itype_width, 4, NULL, "3: blocks say nothing of jumps whose target is in the code (encode)"),
	P("f0s_width_p", f0s_width, 2, NULL, "bits of the subformat of format 0"),
	P("bpred_size_p", bpred_size, HS_ET_BPRED_MAX, NULL, "branch predictor of 2^n entries; 0: none"),
	P("cache_size_p", cache_size, HS_ET_CACHE_MAX, NULL, "jump target cache of 2^n entries; 0: none"),
	P("call_counter_size_p", call_counter_size, HS_ET_RETURN_MAX, NULL, "calls that are counted: 2^n; 0: none"),
	P("return_stack_size_p", return_stack_size, HS_ET_RETURN_MAX, NULL, "return stack of 2^n entries; 0: none"),
	P("sijump_p", sijump, 1, NULL, "1: sequentially inferable jumps are known"),
	P("arch_p", arch, 15, NULL, "version of the architecture"),
	O("full-address", full_address, "full addresses in formats 1 and 2"),
	O("implicit-except", implicit_except, "addresses of trap handlers are not sent"),
	O("si-jump", si_jump, "targets of lui/auipc and jalr pairs are not sent"),
	O("implicit-return", implicit_return, "targets of returns that match their call are not sent"),
	O("branch-prediction", branch_prediction, "branches that go as predicted are counted"),
	O("jump-target-cache", jump_target_cache, "targets that were there before are an index"),
	P("trTeInstSyncMode", sync_mode, 3, "off=0 packets=1 cycles=2 halfwords=3", "what is counted for synchronisation"),
	P("resync-max", sync_max, 20, NULL, "synchronise each 2^(n+4) of them"),
	P("trTeSrcBits", src_bits, 12, NULL, "bits of srcID in each packet; 0: none"),
	P("trTeSrcID", src_id, 4095, NULL, "srcID of the encoder"),
	P("trTsWidth", tstamp_bytes, 8, NULL, "bytes of the encapsulation's timestamp; 0: none"),
	P("context-precise", context_precise, 1, NULL, "1: a new context is a synchronising packet"),
	P("no-compress", no_compress, 1, NULL, "1: payloads at their full length"),
	P("plain-loops", plain_loops, 1, NULL, "1: nothing tells how often a loop without a branch ran"),
	P("negated", negated, 1, NULL, "0.026: 1: an address is last - current"),
	P("type-prefix", type_prefix, 1, NULL, "0.026: 1: payloads begin with a message type of 2 bits"),
	{ "context-mark", "0.026: a context packet behind an address tells that a jump led there",
	  "off=0 on=1 auto=2", 2, offsetof(struct config, context_mark), 1 },
	P("iret_ext", iret_ext, 1, NULL, "1: a count of inferred returns, irets, takes the place of irdepth"),
	P("data-trace", data_trace, 1, NULL, "1: support packets tell of data trace"),
	P("doptions-width", doptions_width, 16, NULL, "bits of doptions in them"),
	P("mtvec", mtvec, UINT64_MAX, NULL, "where handlers of M-mode are, as in the CSR; 0: not known (implicit-except)"),
	P("stvec", stvec, UINT64_MAX, NULL, "the same of S-mode"),
	P("vstvec", vstvec, UINT64_MAX, NULL, "the same of VS-mode"),
	P("full-on-tie", full_on_tie, 1, NULL, "0.026: 1: the full address where both are as short"),
	{ "itrace_fast_p", "1: the encoder has fast profiles alone (0.026)", NULL, 1, offsetof(struct config, fast_only), 1 },
	{ "fast-profile", "experimental: tell no more than where exceptions, calls and returns lead, and from where",
	  "off=0 targets=1 sources=2 auto=3", AUTO, offsetof(struct config, fast_profile), 1 },
	P("cycle-counts", cycles, 2, "off=0 packets=1 retirements=2", "experimental: cycles between packets of fast profiles, or retirements"),
	H("retires_p", retires, 16, "instructions that retire in a cycle"),
	H("blocks_p", blocks, 16, "blocks that retire in a cycle"),
	H("taken_branches_p", taken_branches, 16, "taken branches in a cycle"),
	H("iretire_width_p", iretire_width, 64, "bits of iretire"),
	H("ilastsize_width_p", ilastsize_width, 64, "bits of ilastsize"),
	H("ctype_width_p", ctype_width, 32, "bits of ctype"),
	H("impdef_width_p", impdef_width, 32, "bits of impdef"),
	H("insn_width_p", insn_width, 128, "0.026: bits of insn: 32, 64 or 128"),
	H("privilege_reset_p", privilege_reset, 15, "0.026: privilege authorization after reset"),
	H("user_width_p", user_width, 256, "0.026: bits of the user's filter signals"),
	H("comparators_p", comparators, 16, "comparators; encode --filter is held to this and the next ones where this or filters_p is given"),
	H("filters_p", filters, 16, "filters"),
	H("ecause_choice_p", ecause_choice, 6, "bits of ecause to choose several by"),
	H("filter_context_p", context, 1, "1: filters can ask for the context"),
	H("filter_time_p", time, 1, "1: for the time"),
	H("filter_excint_p", excint, 15, "filters can ask for causes of traps, nested to 2^n; 0: they cannot"),
	H("filter_ecause_p", ecause, 15, "0.026: the same"),
	H("filter_interrupt_p", interrupt, 1, "0.026: 1: filters can ask for interrupts"),
	H("filter_privilege_p", privilege, 1, "1: for the privilege"),
	H("filter_tval_p", tval, 1, "1: for the trap value"),
	H("filter_impdef_p", impdef, 1, "1: for impdef"),
	P("vector-sync", vector_sync, 1, NULL, "0.026: 1: synchronise also behind the jump that a handler begins with"),
};

/* What the run-time files of the reference flow are for beside. */
static const char *const ignored[] = {
	"cycle-accurate", "debug-flags", "file-stem", "ip-version", "object-files", "print-set-pc", "use-rv32-isa", NULL
};

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
	{ "2.0, all", "version=2.0 implicit-except=true si-jump=true sijump_p=1 f0s_width_p=1 " STACK " " PREDICTION
	  " " CACHE },
	{ "0.026", "version=0.026" },
	{ "0.026, full addresses", "version=0.026 full-address=true" },
};

static struct hs_et_config plain(const void *config)
{
	const struct config *c = config;
	struct hs_et_config et = c->et;

	et.options = (uint8_t)(c->si_jump * HS_ET_SIJUMP | c->implicit_return * HS_ET_IMPLICIT_RETURN |
	                       c->implicit_except * HS_ET_IMPLICIT_EXCEPT |
	                       c->branch_prediction * HS_ET_BRANCH_PREDICTION |
	                       c->jump_target_cache * HS_ET_JUMP_TARGET_CACHE |
	                       c->full_address * HS_ET_FULL_ADDRESS);
	et.context_mark = c->context_mark == 1;
	et.fast = c->fast_profile == AUTO ? c->fast_only : c->fast_profile;
	if (et.fast || et.cycles)
		et.version = HS_ET_FAST;
	return et;
}

static void config_init(void *config)
{
	struct config *c = config;

	memset(c, 0, sizeof(*c));
	hs_et_config_init(&c->et, HS_ET_2_0);
	c->context_mark = 2;
	c->fast_profile = AUTO;
	/* ET Discovery: the defaults of its tables */
	c->hart.retires = c->hart.blocks = c->hart.taken_branches = c->hart.ilastsize_width = 1;
	c->hart.ctype_width = c->hart.impdef_width = 1;
	c->hart.comparators = c->hart.filters = UNSAID;
	c->hart.iretire_width = 2;
	c->hart.insn_width = 32;
	c->hart.ecause_choice = 5; /* of a narrower ecause, all bits */
	c->hart.context = c->hart.time = c->hart.excint = c->hart.privilege = c->hart.tval = 1;
}

/* The parameters of the port and of filters as a set (PT Table 3.6, ET Parameters and Discovery). */
static bool hart_good(const struct config *c)
{
	const unsigned insn = c->hart.insn_width;
	const bool causes = c->hart.excint || c->hart.ecause;

	return c->hart.retires && c->hart.blocks && c->hart.taken_branches && c->hart.iretire_width && c->hart.ilastsize_width &&
	       c->hart.ctype_width && c->hart.impdef_width && c->hart.comparators && c->hart.filters &&
	       (c->hart.iretire_width > 7 || c->hart.retires < 1u << c->hart.iretire_width) && /* or iretire overflows */
	       (insn == 32 || insn == 64 || insn == 128) &&
	       (!c->hart.tval || causes) && c->hart.privilege_reset < 1u << c->et.privilege_width;
}

/* Where one of the two numbers is given, the other one is 1 (ET Parameters and Discovery). */
static enum hs_status config_filters(const void *config, const struct hs_qualifier_config *filters)
{
	const struct config *c = config;
	const bool draft = c->et.version == HS_ET_0_026;
	const struct hs_filter_support s = {
		.comparators = c->hart.comparators == UNSAID ? 1 : c->hart.comparators,
		.filters = c->hart.filters == UNSAID ? 1 : c->hart.filters,
		.filter_context = c->hart.context, .filter_privilege = c->hart.privilege, .filter_tval = c->hart.tval,
		.filter_interrupt = draft ? c->hart.interrupt : c->hart.excint != 0,
		.filter_ecause = draft ? c->hart.ecause : c->hart.excint,
		.ecause_choice = c->hart.ecause_choice,
		.user_width = draft ? c->hart.user_width : c->hart.impdef ? c->hart.impdef_width : 0,
	};

	if (c->hart.comparators == UNSAID && c->hart.filters == UNSAID)
		return HS_OK;
	return hs_qualifier_supported(filters, &s);
}

static const char *const leading[] = { "version", "dialect", NULL };

static void config_follow(void *config)
{
	struct hs_et_config *c = &((struct config *)config)->et;
	const enum hs_et_dialect_id dialect = c->dialect;

	hs_et_config_init(c, c->version);
	hs_et_config_dialect(c, dialect);
}

/* An encoder of ours leaves nothing ambiguous, where nobody asked for the figure of the draft alone. */
static void config_sync(void *config)
{
	struct config *c = config;

	if (c->context_mark == 2 && c->et.version == HS_ET_0_026)
		c->context_mark = !c->et.plain_loops;
}

/* trdb's harts are PULP's. */
static void config_isa(const void *config, struct hs_isa *isa)
{
	isa->pulp = ((const struct config *)config)->et.dialect == HS_ET_DIALECT_PULP;
}

static enum hs_status config_check(const void *config)
{
	const struct hs_et_config c = plain(config);

	if (((const struct config *)config)->fast_only && !c.fast)
		return HS_E_CONFIG; /* no delta mode 1 (PT 3.1.4) */
	if (!hart_good(config))
		return HS_E_CONFIG;
	return hs_et_config_check(&c);
}

static enum hs_status config_sources(void *config, uint32_t sources)
{
	struct hs_et_config *c = &((struct config *)config)->et;
	unsigned bits = 0;

	while (bits < 12 && sources > 1u << bits)
		bits++;
	if (sources > 1u << bits || (c->src_bits && c->src_bits < bits))
		return HS_E_CONFIG;
	if (!c->src_bits)
		c->src_bits = (uint8_t)bits;
	return config_check(config);
}

/* ---- trace control registers (ET Control; TCI 6) -------------------------------- */

static uint32_t reg(const struct hs_tc_regs *r, unsigned field)
{
	return hs_tc_get(r, HS_TC_ENCODER, field);
}

static bool reg_known(const struct hs_tc_regs *r, unsigned field)
{
	return hs_tc_known(r, HS_TC_ENCODER, field);
}

/* trTeFormat 0 is E-Trace, and trTeProtocolMajor 0 its version 2.0; trTeInstMode, where it is not 0, is always 7. */
static enum hs_status registers_check(const struct hs_tc_regs *r)
{
	const uint32_t mode = reg(r, HS_TCF_TE_INST_MODE);

	if (reg_known(r, HS_TCF_TE_FORMAT) && (reg(r, HS_TCF_TE_FORMAT) != 0 || (mode != 0 && mode != 7)))
		return HS_E_UNSUPPORTED;
	if (reg_known(r, HS_TCF_TE_PROTOCOL_MAJOR) && reg(r, HS_TCF_TE_PROTOCOL_MAJOR) != 0)
		return HS_E_UNSUPPORTED;
	return reg(r, HS_TCF_TE_SRC_BITS) <= 12 ? HS_OK : HS_E_CONFIG;
}

static void take_features(struct config *c, const struct hs_tc_regs *r)
{
	c->full_address = (uint8_t)reg(r, HS_TCF_TE_INST_NO_ADDR_DIFF);
	c->implicit_except = (uint8_t)reg(r, HS_TCF_TE_INST_NO_TRAP_ADDR);
	c->si_jump = (uint8_t)reg(r, HS_TCF_TE_INST_EN_SEQUENTIAL_JUMP);
	c->implicit_return = (uint8_t)reg(r, HS_TCF_TE_INST_EN_IMPLICIT_RETURN);
	c->branch_prediction = (uint8_t)reg(r, HS_TCF_TE_INST_EN_BRANCH_PREDICTION);
	c->jump_target_cache = (uint8_t)reg(r, HS_TCF_TE_INST_EN_JUMP_TARGET_CACHE);
	c->et.sijump |= c->si_jump;
	c->et.src_bits = reg(r, HS_TCF_TE_INHIBIT_SRC) ? 0 : (uint8_t)reg(r, HS_TCF_TE_SRC_BITS);
	c->et.src_id = (uint16_t)(reg(r, HS_TCF_TE_SRC_ID) & ((1u << c->et.src_bits) - 1));
}

/* What registers do not tell, the sizes of tables above all, other sources give. */
static enum hs_status config_registers(void *config, const struct hs_tc_regs *registers)
{
	const enum hs_status s = registers_check(registers);
	struct config *c = config;

	if (s != HS_OK)
		return s;
	if (reg_known(registers, HS_TCF_TE_INST_SYNC_MODE)) {
		const uint8_t mode = (uint8_t)reg(registers, HS_TCF_TE_INST_SYNC_MODE);

		c->et.sync_mode = mode == 2 ? HS_ET_SYNC_OFF : mode; /* cycles: our encoder does not see them */
		c->et.sync_max = (uint8_t)reg(registers, HS_TCF_TE_INST_SYNC_MAX);
	}
	if (reg_known(registers, HS_TCF_TE_SRC_BITS))
		take_features(c, registers);
	if (reg_known(registers, HS_TCF_TS_ENABLE))
		c->et.tstamp_bytes = reg(registers, HS_TCF_TS_ENABLE)
		                             ? (uint8_t)((reg(registers, HS_TCF_TS_WIDTH) + 7) / 8) : 0;
	return HS_OK;
}

static void config_hart(void *config, uint32_t hart)
{
	((struct config *)config)->et.src_id = (uint16_t)hart;
}

/* The reference flow runs its programs behind Spike's reset vector: auipc t0, 0; addi a1, t0, 32;
 * csrr a0, mhartid; ld t0, 24(t0); jr t0. */
static const struct hs_image *config_boot(const void *config)
{
	static const uint8_t words[] = { 0x97, 0x02, 0, 0, 0x93, 0x85, 0x02, 0x02, 0x73, 0x25, 0x40, 0xf1,
		                         0x83, 0xb2, 0x82, 0x01, 0x67, 0x80, 0x02, 0 };
	static const struct hs_section section = { 0x1000, sizeof(words), words };
	static const struct hs_image image = { .sections = &section, .count = 1 };

	return ((const struct config *)config)->et.dialect == HS_ET_DIALECT_REFERENCE ? &image : NULL;
}

/* ---- encoder ------------------------------------------------------------------ */

static enum hs_status encoder_init(void *encoder, const void *config)
{
	const struct hs_et_config c = plain(config);

	return hs_et_encoder_init(encoder, &c);
}

static enum hs_status encode(void *encoder, const struct hs_block *in, size_t n, size_t *used,
                             uint8_t *out, size_t cap, size_t *len)
{
	return hs_et_encode(encoder, in, n, used, out, cap, len);
}

static enum hs_status encode_end(void *encoder, uint8_t *out, size_t cap, size_t *len)
{
	return hs_et_encode_end(encoder, out, cap, len);
}

static unsigned counts(unsigned version, const uint64_t *packets, const uint64_t *bytes,
                       struct hs_message_count *out, unsigned cap)
{
	unsigned n = 0;

	for (unsigned f = 0; f < HS_ET_FORMS && n < cap; f++)
		if (packets[f])
			out[n++] = (struct hs_message_count){ hs_et_form_name(version, f), packets[f], bytes[f] };
	return n;
}

static unsigned encoder_counts(const void *encoder, struct hs_message_count *out, unsigned cap)
{
	const struct hs_et_encoder *e = encoder;

	return counts(e->config.version, e->packets, e->bytes, out, cap);
}

/* ---- decoder ------------------------------------------------------------------ */

struct decoder {
	struct hs_et_decoder et;
	struct protocol_memory memory;
};

static void decoder_free(void *decoder)
{
	if (decoder)
		protocol_memory_free(&((struct decoder *)decoder)->memory);
	free(decoder);
}

static enum hs_status decoder_new(void **decoder, const void *config, const struct hs_image *image,
                                  const struct hs_image_set *set)
{
	const struct hs_et_config c = plain(config);
	const size_t sources = (size_t)1 << (c.src_bits <= 12 ? c.src_bits : 12);
	struct decoder *d = calloc(1, sizeof(*d));
	enum hs_status s = HS_E_MEMORY;

	if (!d)
		return s;
	s = protocol_memory_new(&d->memory, image, set, sources, sizeof(struct hs_et_source));
	if (s == HS_OK)
		s = hs_et_decoder_init(&d->et, &c, &d->memory.table, d->memory.sources, sources);
	if (s == HS_OK && d->memory.table_count)
		hs_et_decoder_programs(&d->et, d->memory.tables, set->contexts, set->count);
	if (s == HS_OK)
		*decoder = d;
	else
		decoder_free(d);
	return s;
}

static enum hs_status decode(void *decoder, const uint8_t **bytes, size_t *n, struct hs_block *out,
                             size_t cap, size_t *count)
{
	return hs_et_decoder_next(&((struct decoder *)decoder)->et, bytes, n, out, cap, count);
}

static enum hs_status decode_end(void *decoder, struct hs_block *out, size_t cap, size_t *count)
{
	return hs_et_decoder_end(&((struct decoder *)decoder)->et, out, cap, count);
}

static void message_of(const struct hs_et_config *c, const struct hs_et_packet *p, struct hs_message *m)
{
	uint8_t fields[HS_ETF_COUNT];
	const unsigned n = hs_et_form_fields(c->version, p->form, fields);

	*m = (struct hs_message){ .offset = p->offset, .length = p->length, .code = p->form, .source = p->src,
		                  .has_source = c->src_bits != 0, .name = hs_et_form_name(c->version, p->form),
		                  .clause = hs_et_form_clause(c->version, p->form) };
	for (unsigned i = 0; i < n && m->count < HS_MESSAGE_FIELDS; i++)
		if (hs_et_has(p, fields[i]))
			m->field[m->count++] = (struct hs_message_field){ hs_et_field_name(fields[i]),
				hs_et_field_clause(fields[i]), p->field[fields[i]], hs_et_field_hex(fields[i]) };
}

static void decoder_diag(const void *decoder, enum hs_status s, struct hs_error *error)
{
	const struct decoder *d = decoder;
	const struct hs_et_diag *g = hs_et_decoder_diag(&d->et);
	struct hs_message m;
	char fields[256];

	message_of(&d->et.config, &g->packet, &m);
	protocol_message_text(&m, fields, sizeof(fields));
	hs_error_set(error, s, "offset 0x%llx bit %u: %s (%s): %s%s, pc 0x%llx",
	             (unsigned long long)g->packet.offset, g->packet.bits, g->why ? g->why : hs_status_text(s),
	             g->clause ? g->clause : hs_status_name(s), m.name, fields,
	             (unsigned long long)g->pc);
}

static unsigned decoder_counts(const void *decoder, struct hs_message_count *out, unsigned cap)
{
	const struct decoder *d = decoder;
	const struct hs_et_stats *t = hs_et_decoder_stats(&d->et);

	return counts(d->et.config.version, t->packets, t->bytes, out, cap);
}

/* ---- reader ------------------------------------------------------------------- */

static enum hs_status reader_new(void **reader, const void *config)
{
	const struct hs_et_config c = plain(config);
	struct hs_et_reader *r = calloc(1, sizeof(*r));

	if (!r)
		return HS_E_MEMORY;
	hs_et_reader_init(r, &c);
	*reader = r;
	return HS_OK;
}

static enum hs_status read_packet(void *reader, const uint8_t **bytes, size_t *n, struct hs_message *m)
{
	struct hs_et_reader *r = reader;
	struct hs_et_packet p = { 0 };
	const enum hs_status s = hs_et_read(r, bytes, n, &p);

	if (s == HS_OK && p.form == HS_ET_SUPPORT)
		hs_et_reader_options(r, hs_et_packet_options(&r->config, &p));
	if (s != HS_MORE)
		message_of(&r->config, &p, m);
	return s;
}

static enum hs_status read_end(const void *reader, uint64_t *offset)
{
	const struct hs_et_reader *r = reader;

	*offset = r->start;
	return hs_et_reader_end(r);
}

const struct hs_protocol protocol_etrace = {
	.name = "etrace",
	.text = "RISC-V E-Trace 2.0 and 1.1, and the draft 0.026",
	.params = params,
	.param_count = sizeof(params) / sizeof(*params),
	.ignored = ignored,
	.variants = variants,
	.variant_count = sizeof(variants) / sizeof(*variants),
	.config_size = sizeof(struct config),
	.encoder_size = sizeof(struct hs_et_encoder),
	.encode_room = HS_ET_ENCODE_ROOM,
	.source_limit = 1u << 12,
	.config_init = config_init,
	.config_follow = config_follow,
	.leading = leading,
	.config_sync = config_sync,
	.config_isa = config_isa,
	.config_check = config_check,
	.config_filters = config_filters,
	.config_sources = config_sources,
	.config_registers = config_registers,
	.config_boot = config_boot,
	.config_hart = config_hart,
	.encoder_init = encoder_init,
	.encode = encode,
	.encode_end = encode_end,
	.encoder_counts = encoder_counts,
	.decoder_new = decoder_new,
	.decoder_free = decoder_free,
	.decode = decode,
	.decode_end = decode_end,
	.decoder_diag = decoder_diag,
	.decoder_counts = decoder_counts,
	.reader_new = reader_new,
	.reader_free = free,
	.read = read_packet,
	.read_end = read_end,
};
