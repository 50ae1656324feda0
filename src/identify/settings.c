/* What was found, as NAME=VALUE words. */
#include <stdio.h>

#include "etrace/etrace.h"
#include "identify/private.h"
#include "ntrace/ntrace.h"

struct text {
	char *to;
	size_t n;
};

static void put_value(struct text *t, const char *name, const char *value)
{
	if (t->n < HS_IDENTIFY_TEXT)
		t->n += (size_t)snprintf(t->to + t->n, HS_IDENTIFY_TEXT - t->n, "%s%s=%s",
		                         t->n ? " " : "", name, value);
}

static void put_number(struct text *t, const char *name, unsigned value, unsigned standard)
{
	char number[16];

	if (value == standard)
		return;
	snprintf(number, sizeof(number), "%u", value);
	put_value(t, name, number);
}

static void put_word(struct text *t, const char *name, const char *const *words, unsigned value)
{
	put_value(t, name, words[value]);
}

static void write_ntrace(struct text *t, const struct hs_nt_config *c)
{
	static const char *const returns[] = { "off", "counting", "partial", "full" };

	if (c->dialect != HS_NT_DIALECT_RC7)
		put_value(t, "dialect", hs_nt_dialect_get(c->dialect)->name);
	put_number(t, "trTeSrcBits", c->src_bits, 0);
	if (c->implicit_return)
		put_word(t, "trTeInstImplicitReturnMode", returns, c->implicit_return);
	put_number(t, "trTeInstEnSequentialJump", c->sequential_jump, 0);
	put_number(t, "trTeInstEnAllJumps", c->all_jumps, 0);
	put_number(t, "trTeInstExtendAddrMSB", c->extend_addr, 0);
	put_number(t, "addressBits", c->address_bits, 0);
	put_number(t, "reportedCalls", c->reported_calls, 0);
}

/* What the dialect implies needs no words. */
static void write_dialect(struct text *t, const struct hs_et_config *c, struct hs_et_config *own)
{
	static const char *const versions[] = { "2.0", "1.1", "0.026", NULL, "2.1" };
	static const char *const dialects[] = {
#define HS_ET_DIALECT(id, name, ...) name,
#include <hartscope/tables/messages.def>
#undef HS_ET_DIALECT
	};

	hs_et_config_dialect(own, c->dialect);
	if (own->version != c->version && c->version != HS_ET_FAST)
		put_word(t, "version", versions, c->version);
	if (c->dialect)
		put_word(t, "dialect", dialects, c->dialect);
	hs_et_config_resolve(own);
}

static unsigned log2_of(unsigned unit)
{
	return unit == 4 ? 2 : unit == 2;
}

static void write_options(struct text *t, const struct hs_et_config *c)
{
	static const struct {
		unsigned option;
		const char *name;
	} options[] = {
		{ HS_ET_FULL_ADDRESS, "full-address" },
		{ HS_ET_SIJUMP, "si-jump" },
		{ HS_ET_IMPLICIT_RETURN, "implicit-return" },
		{ HS_ET_BRANCH_PREDICTION, "branch-prediction" },
		{ HS_ET_JUMP_TARGET_CACHE, "jump-target-cache" },
		{ HS_ET_IMPLICIT_EXCEPT, "implicit-except" },
	};
	/* of other versions support packets say it, and nothing depends on the parameter */
	const unsigned shown = c->version == HS_ET_2_1 ? 0xff : ~(unsigned)HS_ET_IMPLICIT_EXCEPT;

	for (size_t i = 0; i < sizeof(options) / sizeof(*options); i++)
		if (c->options & shown & options[i].option)
			put_value(t, options[i].name, "1");
}

static void write_etrace(struct text *t, const struct hs_et_config *given, unsigned xlen)
{
	struct hs_et_config c = *given, own = { .size = sizeof(own) };

	write_dialect(t, given, &own);
	hs_et_config_resolve(&c);
	if (own.iaddress_width == 64) /* the program says it, but where it says so */
		own.iaddress_width = xlen == 32 ? 32 : 64;
	put_number(t, "iaddress_width_p", c.iaddress_width, own.iaddress_width);
	put_number(t, "iaddress_lsb_p", log2_of(c.iaddress_unit), log2_of(own.iaddress_unit));
	put_number(t, "privilege_width_p", c.privilege_width, own.privilege_width);
	put_number(t, "ecause_width_p", c.ecause_width, own.ecause_width);
	put_number(t, "nocontext_p", !c.context, 1);
	if (c.context)
		put_number(t, "context_width_p", c.context_width, own.context_width);
	put_number(t, "notime_p", !c.time, 1);
	if (c.time)
		put_number(t, "time_width_p", c.time_width, own.time_width);
	put_number(t, "notval_p", c.notval, own.notval);
	put_number(t, "f0s_width_p", c.f0s_width, 0);
	put_number(t, "bpred_size_p", c.bpred_size, 0);
	put_number(t, "cache_size_p", c.cache_size, 0);
	put_number(t, "call_counter_size_p", c.call_counter_size, own.call_counter_size);
	put_number(t, "return_stack_size_p", c.return_stack_size, own.return_stack_size);
	put_number(t, "iret_ext", c.iret_ext, 0);
	put_number(t, "sijump_p", c.sijump, 0);
	put_number(t, "trTeSrcBits", c.src_bits, 0);
	put_number(t, "trTsWidth", c.tstamp_bytes, 0);
	put_number(t, "negated", c.negated, own.negated);
	put_number(t, "type-prefix", c.type_prefix, own.type_prefix);
	put_number(t, "vector-sync", c.vector_sync, own.vector_sync);
	put_number(t, "context-mark", c.context_mark, c.version == HS_ET_0_026);
	put_number(t, "data-trace", c.data_trace, 0);
	if (c.version == HS_ET_2_1 && c.sync_mode == HS_ET_SYNC_OFF)
		put_value(t, "trTeInstSyncMode", "off");
	if (c.layout.given >> HS_ET_LAYOUT_KEPT_MAP & 1)
		put_value(t, "layout.kept_map", "0");
	c.options &= (uint8_t)~own.options;
	write_options(t, &c);
}

static void write_tacit(struct text *t, const struct tacit_config *c)
{
	put_number(t, "addressBits", c->address_bits, 0);
	put_number(t, "skipJumps", c->skip_jumps, 0);
}

const char *identify_protocol_name(const struct identify_config *c)
{
	static const char *const names[] = { "ntrace", "etrace", "tacit" };

	return names[c->is];
}

void identify_write_settings(const struct identify_config *c, unsigned xlen,
                             char text[HS_IDENTIFY_TEXT])
{
	struct text t = { text, 0 };

	*text = '\0';
	if (c->is == IDENTIFY_TACIT)
		write_tacit(&t, &c->tacit);
	else if (c->is == IDENTIFY_ETRACE)
		write_etrace(&t, &c->et, xlen);
	else
		write_ntrace(&t, &c->nt);
}
