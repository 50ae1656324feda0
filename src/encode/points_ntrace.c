/* Points of coverage of N-Trace, from the tables of its codec. */
#include <stdio.h>
#include <string.h>

#include "ntrace/ntrace.h"
#include "encode/points_private.h"

#define TCODES 64u

/* Fields that a message has only where another one says so. */
#define F(f)
#define W(f, g, v) HS_NTF_##f + 1,
#define HS_NT_MSG(id, name, tcode, fields, clause) [tcode] = { fields 0 },
static const uint8_t optional[TCODES][4] = {
#define HS_NT_MSG_SIFIVE HS_NT_MSG
#include <hartscope/tables/messages.def>
};
#undef HS_NT_MSG_SIFIVE
#undef HS_NT_MSG
#undef F
#undef W

#define HS_NT_FIELD(id, name, bits, limit, clause) { bits, limit },
static const struct {
	uint8_t bits, limit;
} widths[HS_NTF_COUNT] = {
#include <hartscope/tables/messages.def>
};
#undef HS_NT_FIELD

static const struct {
	uint8_t field, shift, bits, value;
	const char *name, *clause;
} values[] = {
#define HS_NT_VALUE(field, shift, bits, value, name, clause) \
	{ HS_NTF_##field, shift, bits, value, name, "NT " clause },
#include "encode/nt_values.def"
#undef HS_NT_VALUE
};

/* Its values have names, in nt_values.def, or are those of a vendor. */
static bool has_names(enum hs_nt_field f)
{
	if (f == HS_NTF_CKSRC || f == HS_NTF_CKDF)
		return true;
	for (size_t i = 0; i < sizeof(values) / sizeof(*values); i++)
		if (values[i].field == f)
			return true;
	return false;
}

/* The least value that the texts allow: HIST has its stop bit (NT 8.3), a count counts something
 * (NT 7.2, 7.8, 7.11). */
static uint64_t least(unsigned tcode, enum hs_nt_field f)
{
	const bool branch = tcode == HS_NT_DIRECT_BRANCH || tcode == HS_NT_DIRECT_BRANCH_SYNC;

	if (f == HS_NTF_HREPEAT)
		return 2;
	return f == HS_NTF_HIST || f == HS_NTF_BCNT || (f == HS_NTF_ICNT && branch);
}

/* Addresses and data: no program has every value of them. */
static bool is_any_value(enum hs_nt_field f)
{
	return f == HS_NTF_FADDR || f == HS_NTF_UADDR || widths[f].limit == 64;
}

unsigned points_ntrace_bits(const struct points *p, const struct point *q,
                            const struct hs_message *m)
{
	uint64_t rcode = 0;

	switch (q->id) {
	case HS_NTF_ICNT: /* its top bit is the overflow flag (NT Table 10) */
		return p->icnt_bits - 1u;
	case HS_NTF_HIST:
		return p->hist_bits + 1u;
	case HS_NTF_RDATA:
		points_field(m, hs_nt_field_name(HS_NTF_RCODE), &rcode);
		return rcode ? p->hist_bits + 1u : p->icnt_bits;
	case HS_NTF_HREPEAT:
	case HS_NTF_BCNT:
		return p->repeat_bits;
	case HS_NTF_FADDR:
	case HS_NTF_UADDR:
		return p->xlen - 1u;
	default:
		return widths[q->id].limit;
	}
}

struct message {
	unsigned tcode;
	const char *name;
};

static void put_field(struct points *p, const char *group, enum point_rule rule,
                      const struct message *m, enum hs_nt_field f, const char *what)
{
	char clause[POINT_CLAUSE];

	bool ours = strncmp(hs_nt_field_clause(f), "design/", 7) == 0;

	snprintf(clause, sizeof(clause), "%s%s", ours ? "" : "NT ", hs_nt_field_clause(f));
	struct point *q = points_put(p, group, rule, clause, "%s.%s.%s.%s", group, m->name,
	                             hs_nt_field_name(f), what);

	if (!q)
		return;
	q->code = m->tcode;
	q->field = hs_nt_field_name(f);
	q->id = (uint8_t)f;
	q->value = least(m->tcode, f);
}

static void put_limits(struct points *p, const struct message *m, enum hs_nt_field f)
{
	if (f != HS_NTF_RDATA) /* what RDATA has is HIST or I-CNT */
		put_field(p, "field", POINT_MIN, m, f, "min");
	if (!widths[f].bits)
		put_field(p, "field", POINT_WIDTH, m, f, "width");
	if (!is_any_value(f))
		put_field(p, "field", POINT_MAX, m, f, "max");
}

static void put_message(struct points *p, unsigned dialect, unsigned tcode)
{
	const struct message m = { tcode, hs_nt_dialect_msg_name(dialect, tcode) };
	enum hs_nt_field fields[HS_NTF_COUNT];
	const unsigned n = hs_nt_dialect_msg_fields(dialect, tcode, fields);
	struct point *q =
		points_put(p, "message", POINT_MESSAGE, hs_nt_dialect_msg_clause(dialect, tcode),
	                   "message.%s", m.name);

	if (q)
		q->code = tcode;
	for (const uint8_t *f = optional[tcode]; *f; f++) {
		put_field(p, "form", POINT_PRESENT, &m, (enum hs_nt_field)(*f - 1), "present");
		put_field(p, "form", POINT_ABSENT, &m, (enum hs_nt_field)(*f - 1), "absent");
	}
	for (unsigned i = 0; i < n; i++)
		if (fields[i] != HS_NTF_TSTAMP && !has_names(fields[i]))
			put_limits(p, &m, fields[i]);
}

bool points_ntrace(struct points *p, unsigned dialect)
{
	enum hs_nt_field fields[HS_NTF_COUNT];

	for (unsigned t = 0; t < TCODES; t++)
		if (hs_nt_dialect_msg_fields(dialect, t, fields))
			put_message(p, dialect, t);
	for (size_t i = 0; i < sizeof(values) / sizeof(*values); i++) {
		const char *name = hs_nt_field_name(values[i].field);
		const char *group = values[i].field == HS_NTF_SYNC ? "sync" : "value";
		struct point *q = points_put(p, group, POINT_VALUE, values[i].clause, "%s.%s.%s",
		                             group, name, values[i].name);

		if (!q)
			break;
		q->field = name;
		q->shift = values[i].shift;
		q->bits = values[i].bits;
		q->value = values[i].value;
	}
	points_ntrace_corners(p);
	return !p->failed;
}
