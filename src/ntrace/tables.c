/* Message and field tables, and the names that people see. */
#include "ntrace/tables.h"

#include "ntrace/nt_message.h"

#define F(f)       { HS_NTF_##f, HS_NTF_COUNT, 0 },
#define W(f, g, v) { HS_NTF_##f, HS_NTF_##g, (v) },
#define HS_NT_MSG(id, name_, tcode, fields, clause_)                       \
	[tcode] = { .name = name_, .clause = "NT " clause_,             \
	            .count = sizeof((struct nt_slot[]){ fields }) /     \
	                     sizeof(struct nt_slot),                    \
	            .slots = { fields } },
const struct nt_layout nt_layouts[NT_TCODES] = {
#include <hartscope/tables/messages.def>
};
#undef HS_NT_MSG

#define HS_NT_MSG_SIFIVE(id, name_, tcode, fields, clause_) \
	[tcode] = { .name = name_, \
		    .clause = "SiFive TCODE " clause_, \
		    .count = sizeof((struct nt_slot[]){ fields }) / sizeof(struct nt_slot), \
		    .slots = { fields } },
static const struct nt_layout more_layouts[NT_TCODES] = {
#include <hartscope/tables/messages.def>
};
#undef HS_NT_MSG_SIFIVE
#undef F
#undef W

const struct nt_layout *nt_layout_of(bool more, unsigned tcode)
{
	return more && more_layouts[tcode].name ? &more_layouts[tcode] : &nt_layouts[tcode];
}

/* Values of CKSRC. */
enum { ICT_CONTROL = 0, ICT_TRIGGER = 8, ICT_CALL = 9, ICT_COUNTERS = 12 };

enum nt_circuit nt_circuit_of(unsigned source, bool more)
{
	if (source == ICT_CONTROL)
		return more ? NT_CIRCUIT_ADDRESS : NT_CIRCUIT_DATA;
	if (source == ICT_COUNTERS)
		return NT_CIRCUIT_DATA;
	if (source < ICT_TRIGGER)
		return NT_CIRCUIT_RESERVED;
	return source == ICT_CALL && more ? NT_CIRCUIT_BOTH : NT_CIRCUIT_ADDRESS;
}

#define HS_NT_FIELD(id, name, bits, limit, clause) [HS_NTF_##id] = { name, clause, bits, limit },
const struct nt_field_row nt_field_rows[HS_NTF_COUNT] = {
#include <hartscope/tables/messages.def>
};
#undef HS_NT_FIELD

/* The layout of a dialect's message; NULL: it has none. */
static const struct nt_layout *layout_in(unsigned dialect, unsigned tcode)
{
	const struct hs_nt_dialect *d = hs_nt_dialect_get(dialect);

	if (tcode >= NT_TCODES)
		return NULL;
	const struct nt_layout *l = nt_layout_of(d && d->more, tcode);

	return l->name ? l : NULL;
}

const char *hs_nt_dialect_msg_name(unsigned dialect, unsigned tcode)
{
	const struct nt_layout *l = layout_in(dialect, tcode);

	if (l)
		return l->name;
	return tcode >= 56 && tcode <= 62 ? "Vendor Defined" : "Reserved"; /* NT Table 8 */
}

const char *hs_nt_msg_name(unsigned tcode)
{
	return hs_nt_dialect_msg_name(HS_NT_DIALECT_V1_0, tcode);
}

const char *hs_nt_dialect_msg_clause(unsigned dialect, unsigned tcode)
{
	const struct nt_layout *l = layout_in(dialect, tcode);

	return l ? l->clause : "NT 6.1";
}

const char *hs_nt_msg_clause(unsigned tcode)
{
	return hs_nt_dialect_msg_clause(HS_NT_DIALECT_V1_0, tcode);
}

const char *hs_nt_field_name(enum hs_nt_field f)
{
	return (unsigned)f < HS_NTF_COUNT ? nt_field_rows[f].name : "?";
}

const char *hs_nt_field_clause(enum hs_nt_field f)
{
	return (unsigned)f < HS_NTF_COUNT ? nt_field_rows[f].clause : "?";
}

unsigned hs_nt_dialect_msg_fields(unsigned dialect, unsigned tcode,
                                  enum hs_nt_field out[HS_NTF_COUNT])
{
	const struct nt_layout *l = layout_in(dialect, tcode);
	unsigned n = 0;

	if (!l)
		return 0;
	for (; n < l->count; n++)
		out[n] = (enum hs_nt_field)l->slots[n].field;
	out[n++] = HS_NTF_TSTAMP;
	return n;
}

unsigned hs_nt_msg_fields(unsigned tcode, enum hs_nt_field out[HS_NTF_COUNT])
{
	return hs_nt_dialect_msg_fields(HS_NT_DIALECT_V1_0, tcode, out);
}

#define HS_NT_DIALECT(id, name, text, ...) [HS_NT_DIALECT_##id] = { name, text, __VA_ARGS__ },
static const struct hs_nt_dialect dialects[HS_NT_DIALECT_COUNT] = {
#include <hartscope/tables/messages.def>
};
#undef HS_NT_DIALECT

const struct hs_nt_dialect *hs_nt_dialect_get(unsigned id)
{
	return id < HS_NT_DIALECT_COUNT ? &dialects[id] : NULL;
}
