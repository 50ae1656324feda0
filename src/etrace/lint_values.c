/* Lint: values of one packet's fields. */
#include "etrace/etrace.h"
#include "etrace/et_standard.h"
#include "etrace/lint.h"

/* Values of ET Table priv that the field can hold. */
static void check_privilege(struct hs_et_lint *l)
{
	const uint64_t priv = et_lint_get(l, HS_ETF_PRIVILEGE);
	const bool machine = priv == l->reader.config.wire.machine;

	if (et_lint_has(l, HS_ETF_PRIVILEGE) && (priv == 2 || priv > 7 || (priv == 7 && !machine)))
		et_lint_field(l, HS_ET_FIND_PRIVILEGE_RESERVED, HS_ETF_PRIVILEGE);
}

/* Exception causes that the privileged architecture reserves, below those for custom use. */
static void check_cause(struct hs_et_lint *l)
{
	const uint64_t cause = et_lint_get(l, HS_ETF_ECAUSE);

	if (!et_lint_has(l, HS_ETF_ECAUSE) || et_lint_get(l, HS_ETF_INTERRUPT))
		return;
	if (cause == 14 || cause == 17 || (cause >= 32 && cause <= 47))
		et_lint_field(l, HS_ET_FIND_ECAUSE_RESERVED, HS_ETF_ECAUSE);
}

static void check_address(struct hs_et_lint *l)
{
	const enum hs_et_field f =
		et_lint_has(l, HS_ETF_TRAP_ADDRESS) ? HS_ETF_TRAP_ADDRESS : HS_ETF_ADDRESS;
	const bool full = l->packet.form == HS_ET_FORM_START || l->packet.form == HS_ET_FORM_FULL ||
	                  (l->packet.form == HS_ET_FORM_TRAP &&
	                   (et_lint_draft(l) || et_lint_get(l, HS_ETF_THADDR)));

	if (full && et_lint_has(l, f) && l->reader.config.iaddress_lsb == 0 &&
	    (et_lint_get(l, f) & 1))
		et_lint_field(l, HS_ET_FIND_ADDRESS_ODD, f);
}

static void check_returns(struct hs_et_lint *l)
{
	const struct hs_et_resolved *c = &l->reader.config;

	if (!et_lint_get(l, HS_ETF_IRREPORT) || c->wire.raw_forms)
		return;
	if (!(c->options & HS_ET_IMPLICIT_RETURN))
		et_lint_field(l, HS_ET_FIND_IRREPORT_DISABLED, HS_ETF_IRREPORT);
	else if (c->return_stack_size && !c->iret_ext &&
	         et_lint_get(l, HS_ETF_IRDEPTH) > (uint64_t)1 << c->return_stack_size)
		et_lint_field(l, HS_ET_FIND_IRDEPTH_OVER, HS_ETF_IRDEPTH);
}

static void check_format_0(struct hs_et_lint *l)
{
	const unsigned options = l->reader.config.options;

	if (l->packet.form == HS_ET_FORM_INDEX && !(options & HS_ET_JUMP_TARGET_CACHE))
		et_lint_field(l, HS_ET_FIND_INDEX_DISABLED, HS_ETF_FORMAT);
	if (l->packet.form != HS_ET_FORM_BRANCH_COUNT)
		return;
	if (!(options & HS_ET_BRANCH_PREDICTION))
		et_lint_field(l, HS_ET_FIND_COUNT_DISABLED, HS_ETF_FORMAT);
	else if (et_lint_get(l, HS_ETF_BRANCH_COUNT) == UINT32_MAX &&
	         et_lint_get(l, HS_ETF_BRANCH_FMT) == 0)
		et_lint_field(l, HS_ET_FIND_COUNT_FULL, HS_ETF_BRANCH_FMT);
}

/* Which options may not be there: enum hs_et_option. */
static unsigned excluded(const struct hs_et_resolved *c)
{
	const bool returns = c->return_stack_size || c->call_counter_size;

	return (c->sijump ? 0u : HS_ET_SIJUMP) | (returns ? 0u : HS_ET_IMPLICIT_RETURN) |
	       (c->bpred_size ? 0u : HS_ET_BRANCH_PREDICTION) |
	       (c->cache_size ? 0u : HS_ET_JUMP_TARGET_CACHE);
}

/* The field of the first of these options. */
static enum hs_et_field field_of(const struct hs_et_lint *l, unsigned options)
{
	if (!et_is_standard(&l->reader.config))
		return HS_ETF_IOPTIONS;
	return options & HS_ET_IMPLICIT_RETURN     ? HS_ETF_IMPLICIT_RETURN
	       : options & HS_ET_BRANCH_PREDICTION ? HS_ETF_BRANCH_PREDICTOR
	                                           : HS_ETF_JUMP_TARGET_CACHE;
}

static void check_options(struct hs_et_lint *l)
{
	const unsigned two = HS_ET_BRANCH_PREDICTION | HS_ET_JUMP_TARGET_CACHE;
	struct hs_et_resolved c = l->reader.config;
	const unsigned options = et_packet_options(&c, &l->packet);

	et_take_options_word(&c, options); /* of 2.1 the packet says the sizes, too */
	const unsigned without = options & excluded(&c);

	if (without)
		et_lint_field(l, HS_ET_FIND_OPTION_UNSUPPORTED, field_of(l, without));
	else if ((options & two) == two && c.f0s_width == 0)
		et_lint_field(l, HS_ET_FIND_OPTIONS_F0S, field_of(l, two));
}

static void check_support(struct hs_et_lint *l)
{
	if (et_lint_get(l, HS_ETF_QUAL_STATUS) == HS_ET_TRACE_LOST)
		et_lint_field(l, HS_ET_FIND_QUAL_RESERVED, HS_ETF_QUAL_STATUS);
	if (et_lint_draft(l))
		return;
	check_options(l);
	if (et_lint_get(l, HS_ETF_DENABLE))
		return;
	if (et_lint_get(l, HS_ETF_DLOSS))
		et_lint_field(l, HS_ET_FIND_DLOSS, HS_ETF_DLOSS);
	if (et_lint_get(l, HS_ETF_DOPTIONS))
		et_lint_field(l, HS_ET_FIND_DOPTIONS, HS_ETF_DOPTIONS);
}

void et_lint_values(struct hs_et_lint *l)
{
	const struct hs_et_resolved *c = &l->reader.config;

	check_privilege(l);
	check_cause(l);
	check_address(l);
	check_returns(l);
	check_format_0(l);
	if (et_lint_get(l, HS_ETF_NOTIFY) && et_lint_get(l, HS_ETF_UPDISCON))
		et_lint_field(l, HS_ET_FIND_NOTIFY_UPDISCON, HS_ETF_UPDISCON);
	if (l->packet.form == HS_ET_FORM_SUPPORT)
		check_support(l);
	if (l->packet.form == HS_ET_FORM_CONTEXT && !c->context_width && !c->time_width)
		et_lint_packet(l, HS_ET_FIND_CONTEXT_EMPTY);
}
