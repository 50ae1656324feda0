/* Names of data trace packets and their fields. */
#include <hartscope/etrace.h>

#include "etrace/etrace_data.h"

static const struct {
	const char *name, *clause;
	bool hex;
} fields[] = {
#define HS_ET_DATA_FIELD(id, name, hex, clause) { name, clause, hex },
#include "etrace/et_data_fields.def"
#undef HS_ET_DATA_FIELD
};

#define F(f) HS_ETDF_##f,
#define SET(f, g) F(f)
#define BELOW(f, g, n) F(f)

static const struct {
	const char *name, *clause;
	uint8_t fields[HS_ETDF_COUNT + 1]; /* ends at HS_ETDF_COUNT */
} forms[] = {
	[HS_ET_DATA_NONE] = { "?", "?", { HS_ETDF_COUNT } },
#define HS_ET_DATA_PACKET(id, name, slots, clause) \
	[HS_ET_DATA_##id] = { name, clause, { slots HS_ETDF_COUNT } },
#include <hartscope/tables/messages.def>
#undef HS_ET_DATA_PACKET
};

const char *hs_et_data_form_name(unsigned form)
{
	return forms[form < HS_ET_DATA_FORMS ? form : HS_ET_DATA_NONE].name;
}

const char *hs_et_data_form_clause(unsigned form)
{
	return forms[form < HS_ET_DATA_FORMS ? form : HS_ET_DATA_NONE].clause;
}

const char *hs_et_data_field_name(unsigned field)
{
	return field < HS_ETDF_COUNT ? fields[field].name : "?";
}

const char *hs_et_data_field_clause(unsigned field)
{
	return field < HS_ETDF_COUNT ? fields[field].clause : "?";
}

bool hs_et_data_field_hex(unsigned field)
{
	return field < HS_ETDF_COUNT && fields[field].hex;
}

unsigned hs_et_data_form_fields(unsigned form, uint8_t out[HS_ETDF_COUNT])
{
	const uint8_t *in = forms[form < HS_ET_DATA_FORMS ? form : HS_ET_DATA_NONE].fields;
	unsigned n = 0;

	for (; in[n] < HS_ETDF_COUNT; n++)
		out[n] = in[n];
	return n;
}
