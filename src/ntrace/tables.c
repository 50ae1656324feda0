/* Message and field tables, and the names that people see. */
#include "ntrace/tables.h"

#define F(f)       { HS_NTF_##f, HS_NTF_COUNT, 0 },
#define W(f, g, v) { HS_NTF_##f, HS_NTF_##g, (v) },
#define NT_MSG(id, name_, tcode, fields, clause_)                       \
	[tcode] = { .name = name_, .clause = "NT " clause_,             \
	            .count = sizeof((struct nt_slot[]){ fields }) /     \
	                     sizeof(struct nt_slot),                    \
	            .slots = { fields } },
const struct nt_layout nt_layouts[NT_TCODES] = {
#include <hartscope/nt_messages.def>
};
#undef NT_MSG
#undef F
#undef W

#define NT_FIELD(id, name, bits, limit, clause) [HS_NTF_##id] = { name, clause, bits, limit },
const struct nt_field_row nt_field_rows[HS_NTF_COUNT] = {
#include <hartscope/nt_fields.def>
};
#undef NT_FIELD

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

enum hs_status hs_nt_config_check(const struct hs_nt_config *c)
{
	const bool mode = c->inst_mode == 0 || c->inst_mode == HS_NT_BTM || c->inst_mode == HS_NT_HTM;
	const bool sync = c->sync_mode <= HS_NT_SYNC_HALFWORDS || c->sync_mode == HS_NT_SYNC_BYTES;
	const bool icnt = c->icnt_bits == 0 || (c->icnt_bits >= 4 && c->icnt_bits <= 22);

	if (c->size < sizeof *c)
		return HS_E_CONFIG;
	for (size_t i = sizeof *c; i < c->size; i++)
		if (((const uint8_t *)c)[i])
			return HS_E_CONFIG;
	if (!mode || !sync || !icnt || c->src_bits > 12 || c->src_id >> c->src_bits ||
	    c->sync_max > 15 || c->hist_bits > 31 || c->icnt_full > HS_NT_ICNT_SYNC ||
	    c->start_sync > 15 || c->stop_evcode > 15)
		return HS_E_CONFIG;
	return HS_OK;
}
