/* Message and field tables, and the names that people see. */
#include "ntrace/tables.h"

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

static bool same_text(const char *a, const char *b)
{
	while (*a && *a == *b) {
		a++;
		b++;
	}
	return *a == *b;
}

int hs_nt_dialect_find(const char *name)
{
	for (int i = 0; i < HS_NT_DIALECT_COUNT; i++)
		if (same_text(dialects[i].name, name))
			return i;
	return -1;
}

/* 0, or within bounds */
static bool between(unsigned v, unsigned low, unsigned high)
{
	return v == 0 || (v >= low && v <= high);
}

static bool sizes_good(const struct hs_nt_config *c)
{
	return between(c->icnt_bits, 4, 22) && c->hist_bits <= 31 && between(c->call_stack, 1, 32) &&
	       between(c->return_bits, 2, 63) && between(c->hrepeat_bits, 1, 18) &&
	       c->src_bits <= 12 && c->src_id >> c->src_bits == 0 && c->sync_max <= 15 &&
	       between(c->itype_bits, 3, 4) && (c->xlen == 0 || c->xlen == 32 || c->xlen == 64);
}

/* Values that name something. */
static bool choices_good(const struct hs_nt_config *c)
{
	const bool mode = c->inst_mode == 0 || c->inst_mode == HS_NT_BTM || c->inst_mode == HS_NT_HTM;
	const bool sync = c->sync_mode <= HS_NT_SYNC_HALFWORDS || c->sync_mode == HS_NT_SYNC_BYTES;

	return mode && sync && c->icnt_full <= HS_NT_ICNT_SYNC && c->start_sync <= 15 &&
	       c->stop_evcode <= 15 && c->dialect < HS_NT_DIALECT_COUNT && c->implicit_return <= 3;
}

enum hs_status hs_nt_config_check(const struct hs_nt_config *c)
{
	if (c->size < sizeof *c)
		return HS_E_CONFIG;
	for (size_t i = sizeof *c; i < c->size; i++)
		if (((const uint8_t *)c)[i])
			return HS_E_CONFIG;
	/* NT Table 2: a 3-bit itype tells no calls and returns apart. */
	if (c->implicit_return && c->itype_bits == 3)
		return HS_E_CONFIG;
	return sizes_good(c) && choices_good(c) ? HS_OK : HS_E_CONFIG;
}
