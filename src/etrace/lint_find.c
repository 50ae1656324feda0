/* What E-Trace's lint looks for, and how it reports one of these. */
#include <stddef.h>

#include "etrace/lint.h"

#define RATIFIED (1u << HS_ET_2_0 | 1u << HS_ET_1_1 | 1u << HS_ET_2_1)
#define DRAFT (1u << HS_ET_0_026)
#define ALL (RATIFIED | DRAFT)

static const struct hs_finding_kind kinds[HS_ET_FIND_COUNT] = {
#define HS_ET_FINDING(id, number, name, severity, versions, clause, text) \
	[number] = { name, clause, text, HS_SEVERITY_##severity, versions },
#include "etrace/et_findings.def"
#undef HS_ET_FINDING
};

const struct hs_finding_kind *hs_et_finding_get_kind(unsigned id)
{
	return id < HS_ET_FIND_COUNT ? &kinds[id] : NULL;
}

#define LINT struct hs_et_lint
#define TEXT reader.config.version
#define MESSAGE packet
#define NO_FIELD HS_ETF_COUNT
#include "flow/lint_put.h"

void et_lint_value(struct hs_et_lint *l, unsigned id, uint64_t value)
{
	struct hs_finding e = of_message(l, id);

	e.value = value;
	put_finding(l, e);
}

void et_lint_packet(struct hs_et_lint *l, unsigned id)
{
	put_finding(l, of_message(l, id));
}

void et_lint_field(struct hs_et_lint *l, unsigned id, enum hs_et_field f)
{
	struct hs_finding e = of_message(l, id);

	e.field = (uint8_t)f;
	e.bit = l->place[f];
	e.value = l->packet.field[f];
	put_finding(l, e);
}

void et_lint_bit(struct hs_et_lint *l, unsigned id, unsigned bit)
{
	struct hs_finding e = of_message(l, id);

	e.bit = (uint16_t)bit;
	put_finding(l, e);
}

void et_lint_byte(struct hs_et_lint *l, unsigned id, uint64_t offset, uint64_t value)
{
	struct hs_finding e = of_message(l, id);

	e.offset = offset;
	e.value = value;
	e.has_message = false;
	put_finding(l, e);
}

void et_lint_pc(struct hs_et_lint *l, unsigned id, uint64_t pc)
{
	struct hs_finding e = of_message(l, id);

	e.pc = pc;
	put_finding(l, e);
}
