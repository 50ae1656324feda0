/* Data trace: which packet a format is, and what its fields mean (ET Data Trace Encoder Output
 * Packets, ET MMA/CAS; design/data-trace). */
#include "etrace/data.h"

/* ---- fields ------------------------------------------------------------------------ */

#define F(f) | 1u << HS_ETDF_##f
#define SET(f, g) F(f)
#define BELOW(f, g, n) F(f)

static const uint32_t fields[HS_ET_DATA_FORMS] = {
#define HS_ET_DATA_PACKET(id, name, slots, clause) [HS_ET_DATA_##id] = 0 slots,
#include <hartscope/tables/messages.def>
#undef HS_ET_DATA_PACKET
};

bool et_data_form_has(unsigned form, enum hs_et_data_field f)
{
	return fields[form] >> f & 1u;
}

static bool has_values(unsigned form)
{
	return et_data_form_has(form, HS_ETDF_DATA) || et_data_form_has(form, HS_ETDF_OPERAND);
}

/* ---- diff and resp ------------------------------------------------------------------ */

unsigned et_data_diff_width(const struct hs_et_data_coder *c, unsigned form)
{
	if (form == HS_ET_DATA_CSR_ADDRESS)
		return c->csr_diff;
	if (!has_values(form))
		return 1;
	if (form == HS_ET_DATA_REVISED_ATOMIC_OPERAND ||
	    (et_data_form_has(form, HS_ETDF_ADDRESS) && form != HS_ET_DATA_ATOMIC_REQUEST))
		return 2;
	return c->narrow_diff ? 1 : 2;
}

static struct et_data_mode both(unsigned code)
{
	static const struct et_data_mode modes[] = {
		{ true, false, ET_DATA_FULL },
		{ true, true, ET_DATA_XOR },
		{ true, true, ET_DATA_FULL },
		{ true, true, ET_DATA_DIFFERENCE },
	};

	return modes[code & 3];
}

/* @narrow: diff has 1 bit. */
static struct et_data_mode only_values(const struct hs_et_data_coder *c, bool narrow, unsigned code)
{
	struct et_data_mode m = { true, false, ET_DATA_FULL };

	if (narrow && code)
		m.coding = c->compression == HS_ET_DATA_XOR ? ET_DATA_XOR : ET_DATA_DIFFERENCE;
	else if (code)
		m = (struct et_data_mode){ code != 2, false,
			                   code == 1 ? ET_DATA_XOR : ET_DATA_DIFFERENCE };
	return m;
}

static struct et_data_mode response(unsigned code)
{
	static const uint8_t codings[] = { ET_DATA_ABSENT, ET_DATA_XOR, ET_DATA_FULL,
		                           ET_DATA_DIFFERENCE };

	return (struct et_data_mode){ true, false, codings[code & 3] };
}

struct et_data_mode et_data_mode(const struct hs_et_data_coder *c, unsigned form, unsigned code)
{
	if (et_data_form_has(form, HS_ETDF_RESP))
		return response(code);
	/* the operand of 2.0 is never compressed */
	if (!has_values(form) || form == HS_ET_DATA_ATOMIC_REQUEST)
		return (struct et_data_mode){ true, code != 0, ET_DATA_ABSENT };
	if (et_data_form_has(form, HS_ETDF_ADDRESS))
		return both(code);
	return only_values(c, et_data_diff_width(c, form) == 1, code);
}

/* ---- the packets of 2.0 -------------------------------------------------------------- */

static unsigned access_form(const struct hs_et_data_coder *c, bool load)
{
	if (load && c->split)
		return c->no_address ? HS_ET_DATA_NONE : HS_ET_DATA_LOAD_REQUEST;
	return c->no_data      ? HS_ET_DATA_ACCESS_ADDRESS
	       : c->no_address ? HS_ET_DATA_ACCESS_DATA
	                       : HS_ET_DATA_ACCESS;
}

static unsigned atomic_form(const struct hs_et_data_coder *c)
{
	if (c->no_data)
		return HS_ET_DATA_ATOMIC_ADDRESS;
	if (c->split)
		return HS_ET_DATA_ATOMIC_REQUEST;
	return c->no_address ? HS_ET_DATA_ATOMIC_DATA : HS_ET_DATA_ATOMIC;
}

static unsigned old_form(const struct hs_et_data_coder *c, unsigned format)
{
	const bool responds = c->split && !c->no_data;

	switch (format) {
	case ET_DATA_LOAD:
	case ET_DATA_LOAD + 1:
		return access_form(c, true);
	case ET_DATA_STORE:
	case ET_DATA_STORE + 1:
		return access_form(c, false);
	case ET_DATA_LOAD_RESPONSE:
		return responds ? HS_ET_DATA_LOAD_RESPONSE : HS_ET_DATA_NONE;
	case ET_DATA_CSR:
		return c->no_data ? HS_ET_DATA_CSR_ADDRESS : HS_ET_DATA_CSR;
	case ET_DATA_ATOMIC:
		return atomic_form(c);
	default:
		return responds ? HS_ET_DATA_ATOMIC_RESPONSE : HS_ET_DATA_NONE;
	}
}

/* ---- the packets of the extension ---------------------------------------------------- */

unsigned et_data_format_width(const struct hs_et_data_coder *c)
{
	static const uint8_t clog2[] = { 0, 0, 1, 2, 2 };

	if (!c->mmacas_ext)
		return c->load_store ? 2 : 3;
	return c->split ? 2 : clog2[c->dtype_width];
}

unsigned et_data_subformat_width(const struct hs_et_data_coder *c, unsigned format)
{
	if (!c->mmacas_ext || format == ET_DATA_PHASE)
		return 0;
	return format == ET_DATA_OPERATION ? 4 : 2;
}

unsigned et_data_type(unsigned format, unsigned subformat)
{
	return format == ET_DATA_OPERATION ? subformat : 2 * format + (subformat >> 1);
}

/* A split load whose address or data is left out is in one phase, so it has the unified packet. */
static unsigned revised_access_form(const struct hs_et_data_coder *c, unsigned type)
{
	if (c->no_data)
		return HS_ET_DATA_REVISED_ACCESS_ADDRESS;
	if (c->no_address)
		return HS_ET_DATA_REVISED_ACCESS_DATA;
	return c->split && hs_access_is_load(type) ? HS_ET_DATA_REVISED_REQUEST
	                                           : HS_ET_DATA_REVISED_ACCESS;
}

static unsigned revised_atomic_form(const struct hs_et_data_coder *c, unsigned type)
{
	if (c->no_data || type == HS_ACCESS_SC_FAILED)
		return HS_ET_DATA_REVISED_ATOMIC_ADDRESS;
	if (type == HS_ACCESS_CAS_FAILED)
		return HS_ET_DATA_REVISED_CAS_FAILURE;
	if (c->no_address)
		return c->split ? HS_ET_DATA_REVISED_ATOMIC_OPERAND
		                : HS_ET_DATA_REVISED_ATOMIC_DATA;
	return c->split ? HS_ET_DATA_REVISED_ATOMIC_REQUEST : HS_ET_DATA_REVISED_ATOMIC;
}

static unsigned revised_form(const struct hs_et_data_coder *c, unsigned format, unsigned subformat)
{
	const unsigned type = et_data_type(format, subformat);

	if (format == ET_DATA_PHASE)
		return c->split && !c->no_data ? HS_ET_DATA_REVISED_RESPONSE : HS_ET_DATA_NONE;
	if (type >> c->dtype_width)
		return HS_ET_DATA_NONE;
	if (format != ET_DATA_OPERATION)
		return revised_access_form(c, type);
	if (hs_access_is_csr(type))
		return c->no_data ? HS_ET_DATA_REVISED_CSR_ADDRESS : HS_ET_DATA_REVISED_CSR;
	return hs_access_is_atomic(type) ? revised_atomic_form(c, type) : HS_ET_DATA_NONE;
}

unsigned et_data_form(const struct hs_et_data_coder *c, unsigned format, unsigned subformat)
{
	return c->mmacas_ext ? revised_form(c, format, subformat) : old_form(c, format);
}
