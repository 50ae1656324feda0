/* What N-Trace's lint looks for, and how it reports one of these. */
#include <stddef.h>

#include "ntrace/lint.h"

#define RC7 (1u << HS_NT_DIALECT_RC7 | 1u << HS_NT_DIALECT_REFERENCE | 1u << HS_NT_DIALECT_SIFIVE)
#define V1_0 (1u << HS_NT_DIALECT_V1_0)
#define BOTH (RC7 | V1_0)
#define STRICT (1u << HS_NT_DIALECT_RC7 | V1_0)

static const struct hs_finding_kind kinds[HS_NT_FIND_COUNT] = {
#define HS_NT_FINDING(id, name, severity, dialects, clause, text) \
	{ name, clause, text, HS_SEVERITY_##severity, dialects },
#include "ntrace/nt_findings.def"
#undef HS_NT_FINDING
};

const struct hs_finding_kind *hs_nt_finding_get_kind(unsigned id)
{
	return id < HS_NT_FIND_COUNT ? &kinds[id] : NULL;
}

#define LINT struct hs_nt_lint
#define TEXT config.dialect
#define MESSAGE msg
#define NO_FIELD HS_NTF_COUNT
#include "flow/lint_put.h"

void nt_lint_put(struct hs_nt_lint *l, unsigned id)
{
	put_finding(l, of_message(l, id));
}

void nt_lint_field(struct hs_nt_lint *l, unsigned id, enum hs_nt_field f)
{
	struct hs_finding e = of_message(l, id);

	e.field = (uint8_t)f;
	e.value = f < HS_NTF_COUNT ? l->msg.field[f] : 0;
	put_finding(l, e);
}

void nt_lint_byte(struct hs_nt_lint *l, unsigned id, uint64_t offset)
{
	struct hs_finding e = of_message(l, id);

	e.offset = offset;
	e.has_message = false;
	put_finding(l, e);
}

void nt_lint_pc(struct hs_nt_lint *l, unsigned id, uint64_t pc)
{
	struct hs_finding e = of_message(l, id);

	e.pc = pc;
	put_finding(l, e);
}
