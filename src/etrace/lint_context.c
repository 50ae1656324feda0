/* Lint: privilege, time, context and address of one source over several packets. */
#include "etrace/etrace.h"
#include "etrace/lint.h"

static bool changes(const struct hs_et_lint *l, const struct hs_et_lint_source *s)
{
	return et_lint_get(l, HS_ETF_PRIVILEGE) != s->priv ||
	       et_lint_get(l, HS_ETF_CONTEXT) != s->context ||
	       (et_lint_has(l, HS_ETF_TIME) && et_lint_get(l, HS_ETF_TIME) != s->time);
}

static void check_time(struct hs_et_lint *l, struct hs_et_lint_source *s)
{
	const unsigned bits = l->reader.config.time_width;
	const uint64_t now = et_lint_get(l, HS_ETF_TIME);

	if (!et_lint_has(l, HS_ETF_TIME))
		return;
	if (s->timed && bits > 1 && ((now - s->time) >> (bits - 1) & 1))
		et_lint_field(l, HS_ET_FIND_TIME_BACK, HS_ETF_TIME);
	s->timed = true;
	s->time = now;
}

static void check_context_packet(struct hs_et_lint *l, const struct hs_et_lint_source *s)
{
	const struct hs_et_resolved *c = &l->reader.config;

	if (!s->contexted || s->state != ET_LINT_ON || !(c->context_width || c->time_width))
		return;
	if (et_lint_get(l, HS_ETF_PRIVILEGE) != s->priv)
		et_lint_field(l, HS_ET_FIND_CONTEXT_PRIVILEGE, HS_ETF_PRIVILEGE);
	else if (!changes(l, s))
		et_lint_packet(l, HS_ET_FIND_CONTEXT_SAME);
}

/* ecause 8 to 11 are ecalls from U, S, VS and M (ET Table priv has their numbers). */
static void check_ecall(struct hs_et_lint *l, const struct hs_et_lint_source *s)
{
	static const uint8_t from[4] = { 0, 1, 6, 3 };
	const struct hs_et_resolved *c = &l->reader.config;
	const uint64_t cause = et_lint_get(l, HS_ETF_ECAUSE);
	const bool known = s->contexted && s->state == ET_LINT_ON;
	const uint64_t priv =
		et_lint_get(l, HS_ETF_THADDR) ? s->priv : et_lint_get(l, HS_ETF_PRIVILEGE);

	if (et_lint_get(l, HS_ETF_INTERRUPT) || cause < 8 || cause > 11 || c->ecause_width < 6 ||
	    c->privilege_width < 3 || (et_lint_get(l, HS_ETF_THADDR) && !known))
		return;
	if (cause == 11 && priv == c->wire.machine)
		return;
	if (priv != from[cause - 8] && !(cause == 8 && priv == 5)) /* VU */
		et_lint_field(l, HS_ET_FIND_ECALL_PRIVILEGE, HS_ETF_ECAUSE);
}

/* ---- addresses of 0.026 --------------------------------------------------------------- */

/* Bits of an address field that sign extension cannot restore. */
static unsigned significant(uint64_t v, unsigned width)
{
	const bool sign = v >> (width - 1) & 1;
	unsigned n = width;

	while (n > 1 && (v >> (n - 2) & 1) == sign)
		n--;
	return n;
}

/* A full address that takes more bytes than the difference would (PT 6, Table 6.1). */
static void check_full(struct hs_et_lint *l, const struct hs_et_lint_source *s)
{
	const struct hs_et_resolved *c = &l->reader.config;
	const unsigned width = c->iaddress_width - c->iaddress_lsb;
	const uint64_t full = et_lint_get(l, HS_ETF_ADDRESS);
	const uint64_t differs =
		(c->negated ? s->address - full : full - s->address) & et_ones(width);
	const unsigned before = l->place[HS_ETF_ADDRESS] + l->payload;

	if (s->state == ET_LINT_ON && (before + significant(full, width) + 7) / 8 >
	                                      (before + significant(differs, width) + 7) / 8)
		et_lint_field(l, HS_ET_FIND_FULL_LONGER, HS_ETF_ADDRESS);
}

static void take_address(struct hs_et_lint *l, struct hs_et_lint_source *s)
{
	const struct hs_et_resolved *c = &l->reader.config;
	const uint64_t a = et_lint_get(l, HS_ETF_ADDRESS);
	const bool differs =
		l->packet.form == HS_ET_FORM_BRANCH ||
		(l->packet.form == HS_ET_FORM_ADDRESS && !(c->options & HS_ET_FULL_ADDRESS));

	if (!et_lint_draft(l) || !et_lint_has(l, HS_ETF_ADDRESS))
		return;
	if (l->packet.form == HS_ET_FORM_FULL && !(c->options & HS_ET_FULL_ADDRESS))
		check_full(l, s);
	s->address = !differs ? a : c->negated ? s->address - a : s->address + a;
}

void et_lint_context(struct hs_et_lint *l, struct hs_et_lint_source *s)
{
	take_address(l, s);
	if (l->packet.form == HS_ET_FORM_CONTEXT)
		check_context_packet(l, s);
	if (l->packet.form == HS_ET_FORM_TRAP && !et_lint_draft(l))
		check_ecall(l, s);
	check_time(l, s);
	if (!et_lint_has(l, HS_ETF_PRIVILEGE))
		return;
	s->contexted = true;
	s->priv = (uint8_t)et_lint_get(l, HS_ETF_PRIVILEGE);
	s->context = et_lint_get(l, HS_ETF_CONTEXT);
}
