/* Message and field tables, and the names that people see. */
#include "ntrace/tables.h"

#include "base/name.h"

#define F(f)       { HS_NTF_##f, HS_NTF_COUNT, 0 },
#define W(f, g, v) { HS_NTF_##f, HS_NTF_##g, (v) },
#define HS_NT_MSG(id, name_, tcode, fields, clause_)                       \
	[tcode] = { .name = name_, .clause = "NT " clause_,             \
	            .count = sizeof((struct nt_slot[]){ fields }) /     \
	                     sizeof(struct nt_slot),                    \
	            .slots = { fields } },
const struct nt_layout nt_layouts[NT_TCODES] = {
#include <hartscope/tables/nt_messages.def>
};
#undef HS_NT_MSG
#undef F
#undef W

#define HS_NT_FIELD(id, name, bits, limit, clause) [HS_NTF_##id] = { name, clause, bits, limit },
const struct nt_field_row nt_field_rows[HS_NTF_COUNT] = {
#include <hartscope/tables/nt_fields.def>
};
#undef HS_NT_FIELD

const char *hs_nt_msg_name(unsigned tcode)
{
	if (tcode < NT_TCODES && nt_layouts[tcode].name)
		return nt_layouts[tcode].name;
	return tcode >= 56 && tcode <= 62 ? "Vendor Defined" : "Reserved"; /* NT Table 8 */
}

const char *hs_nt_msg_clause(unsigned tcode)
{
	if (tcode < NT_TCODES && nt_layouts[tcode].clause)
		return nt_layouts[tcode].clause;
	return "NT 6.1";
}

const char *hs_nt_field_name(enum hs_nt_field f)
{
	return (unsigned)f < HS_NTF_COUNT ? nt_field_rows[f].name : "?";
}

const char *hs_nt_field_clause(enum hs_nt_field f)
{
	return (unsigned)f < HS_NTF_COUNT ? nt_field_rows[f].clause : "?";
}

unsigned hs_nt_msg_fields(unsigned tcode, enum hs_nt_field out[HS_NTF_COUNT])
{
	unsigned n = 0;

	if (tcode >= NT_TCODES || !nt_layouts[tcode].name)
		return 0;
	for (; n < nt_layouts[tcode].count; n++)
		out[n] = (enum hs_nt_field)nt_layouts[tcode].slots[n].field;
	out[n++] = HS_NTF_TSTAMP;
	return n;
}

#define HS_NT_DIALECT(id, name, text, ...) [HS_NT_DIALECT_##id] = { name, text, __VA_ARGS__ },
static const struct hs_nt_dialect dialects[HS_NT_DIALECT_COUNT] = {
#include <hartscope/tables/nt_dialects.def>
};
#undef HS_NT_DIALECT

const struct hs_nt_dialect *hs_nt_dialect_get(unsigned id)
{
	return id < HS_NT_DIALECT_COUNT ? &dialects[id] : NULL;
}

int hs_nt_dialect_find(const char *name)
{
	return base_find_name(dialects, HS_NT_DIALECT_COUNT, sizeof *dialects, name);
}
