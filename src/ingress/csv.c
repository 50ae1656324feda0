/* Rows of the ingress port as CSV: one instruction a row (E-Trace reference flow). */
#include "ingress/lines.h"

#include "core/mem.h"

enum field { ITYPE, CAUSE, TVAL, PRIV, IADDR, CONTEXT, SIJUMP, IRETIRE, ILASTSIZE, FIELDS, OTHER };

static const struct {
	const char *name;
	uint8_t base;
	bool needed;
	uint64_t max;
} fields[FIELDS] = {
	[ITYPE] = { "itype_0", 10, true, 15 },
	[CAUSE] = { "cause", 10, false, UINT32_MAX },
	[TVAL] = { "tval", 16, false, UINT64_MAX },
	[PRIV] = { "priv", 10, false, 7 },
	[IADDR] = { "iaddr_0", 16, true, UINT64_MAX },
	[CONTEXT] = { "context", 10, false, UINT64_MAX },
	[SIJUMP] = { "sijump_0", 10, false, 1 },
	[IRETIRE] = { "iretire_0", 10, true, UINT32_MAX },
	[ILASTSIZE] = { "ilastsize_0", 10, true, 2 },
};

enum hs_status hs_csv_init(struct hs_csv *c, const struct hs_image *image, unsigned xlen)
{
	if (image)
		xlen = image->isa.xlen;
	if (xlen != 0 && xlen != 32 && xlen != 64)
		return HS_E_CONFIG;
	memset(c, 0, sizeof *c);
	c->image = image;
	hs_builder_init(&c->builder, xlen);
	return HS_OK;
}

/* One name of the header, up to the comma. */
static enum hs_status take_name(struct hs_csv *c, struct base_text *t)
{
	uint8_t f = OTHER;

	if (c->columns == HS_CSV_COLUMNS)
		return HS_E_FORMAT;
	if (base_text_skip(t, "itype_1"))
		return HS_E_UNSUPPORTED;
	for (uint8_t i = 0; i < FIELDS && f == OTHER; i++) {
		struct base_text ahead = *t;

		if (base_text_skip(&ahead, fields[i].name) &&
		    (ahead.p == ahead.end || *ahead.p == ',')) {
			f = i;
			*t = ahead;
		}
	}
	base_text_skip_to(t, ',');
	c->column[c->columns++] = f;
	return HS_OK;
}

static enum hs_status take_header(struct hs_csv *c)
{
	struct base_text t = import_text(&c->lines);
	unsigned seen = 0;

	do {
		const enum hs_status status = take_name(c, &t);

		if (status != HS_OK)
			return status;
		const unsigned bit = 1u << c->column[c->columns - 1];
		if (bit != 1u << OTHER && (seen & bit) != 0)
			return HS_E_FORMAT;
		seen |= bit;
	} while (base_text_skip(&t, ","));
	for (unsigned i = 0; i < FIELDS; i++)
		if (fields[i].needed && !(seen >> i & 1u))
			return HS_E_FORMAT;
	return HS_OK;
}

static enum hs_status take_fields(const struct hs_csv *c, uint64_t value[FIELDS])
{
	struct base_text t = import_text(&c->lines);

	memset(value, 0, FIELDS * sizeof *value);
	value[PRIV] = HS_PRIV_UNKNOWN;
	for (unsigned i = 0; i < c->columns; i++) {
		const unsigned f = c->column[i];

		if (i != 0)
			base_text_expect(&t, ",");
		if (f == OTHER) {
			base_text_skip_to(&t, ',');
			continue;
		}
		value[f] = base_text_number(&t, fields[f].base, NULL);
		if (value[f] > fields[f].max)
			return HS_E_FORMAT;
	}
	return t.ok && t.p == t.end ? HS_OK : HS_E_FORMAT;
}

/* The port's privilege has 2 for "reserved", 4 and more for debug and virtual modes, whose
 * numbers differ between versions of E-Trace. */
static uint8_t privilege(uint64_t priv)
{
	return priv <= 3 && priv != 2 ? (uint8_t)priv : HS_PRIV_UNKNOWN;
}

static void take_context(struct hs_csv *c, const uint64_t value[FIELDS], struct hs_blocks *out)
{
	const struct hs_block event = { .value = value[CONTEXT],
		                        .arg = 2, /* scontext, NT Table 12 */
		                        .priv = privilege(value[PRIV]) & 7u,
		                        .kind = HS_KIND_CONTEXT };

	if (value[CONTEXT] == c->context)
		return;
	c->context = value[CONTEXT];
	hs_builder_event(&c->builder, &event, out);
}

static bool has_column(const struct hs_csv *c, enum field field)
{
	for (unsigned i = 0; i < c->columns; i++)
		if (c->column[i] == field)
			return true;
	return false;
}

static enum hs_status take_insn(struct hs_csv *c, const uint64_t value[FIELDS],
                                struct hs_retired *r, struct hs_blocks *out)
{
	const uint8_t hwords = (uint8_t)(1u << value[ILASTSIZE]);
	const uint64_t itype = value[ITYPE];
	const bool trap = hs_itype_is_trap((unsigned)itype);

	*r = (struct hs_retired){ .iaddr = value[IADDR],
		                  .priv = privilege(value[PRIV]),
		                  .itype = trap ? HS_ITYPE_NONE : (uint8_t)itype,
		                  .sijump = value[SIJUMP] != 0 };
	if (c->image && hs_img_insn(c->image, r->iaddr, &r->insn) == HS_OK) {
		r->known = true;
		if (r->insn.hwords != hwords)
			return HS_E_BLOCK;
		if (itype != HS_ITYPE_TAKEN && itype != HS_ITYPE_NOT_TAKEN)
			r->itype = HS_ITYPE_NONE;
	}
	r->insn.hwords = hwords;
	return hs_builder_insn(&c->builder, r, out) == HS_OK ? HS_OK : HS_E_FORMAT;
}

static enum hs_status take_row(struct hs_csv *c, struct hs_blocks *out)
{
	uint64_t value[FIELDS];
	struct hs_retired r = { 0 };
	enum hs_status status = take_fields(c, value);

	if (status != HS_OK)
		return status;
	if (value[IRETIRE] > 1)
		return HS_E_UNSUPPORTED;
	if ((value[IADDR] & 1) != 0 || (c->builder.xlen == 32 && value[IADDR] > UINT32_MAX))
		return HS_E_FORMAT;
	c->builder.offset = c->lines.offset;
	take_context(c, value, out);
	if (value[IRETIRE] == 1)
		status = take_insn(c, value, &r, out);
	if (status != HS_OK)
		return status;
	if (!hs_itype_is_trap((unsigned)value[ITYPE]))
		return HS_OK;
	const struct hs_trap trap = { .epc = value[IADDR],
		                      .tval = value[TVAL],
		                      .cause = (uint32_t)value[CAUSE],
		                      .interrupt = value[ITYPE] == HS_ITYPE_INTERRUPT,
		                      .no_epc = value[IRETIRE] == 1,
		                      .no_cause = !has_column(c, CAUSE),
		                      .priv = privilege(value[PRIV]) };
	hs_builder_trap(&c->builder, &trap, out);
	return HS_OK;
}

static enum hs_status take_line(void *state, struct hs_blocks *out)
{
	struct hs_csv *c = state;

	if (c->lines.cut)
		return HS_E_FORMAT;
	if (c->columns != 0)
		return c->lines.n == 0 ? HS_OK : take_row(c, out);

	const enum hs_status status = take_header(c);
	if (status != HS_OK)
		c->columns = 0;
	return status;
}

enum hs_status hs_csv_feed(struct hs_csv *c, struct hs_span *in, struct hs_blocks *out)
{
	const struct import_importer i = { &c->lines, c, take_line, HS_IMPORT_ROOM };

	return import_feed(&i, in, out);
}

enum hs_status hs_csv_flush(struct hs_csv *c, struct hs_blocks *out)
{
	const struct import_importer i = { &c->lines, c, take_line, HS_IMPORT_ROOM };
	const enum hs_status status = import_flush(&i, out);

	if (status != HS_OK)
		return status;
	hs_builder_flush(&c->builder, out);
	return c->columns == 0 ? HS_E_FORMAT : HS_OK;
}
