/* Points of coverage of E-Trace, from the tables of its codec. */
#include <string.h>

#include "etrace/etrace.h"
#include "encode/points_private.h"

/* Fields that a packet has only where another one says so: the first of each condition. */
struct optional {
	uint8_t field, other;
};

#define F(f)
#define FROM(f, g, n) { HS_ETF_##f + 1, HS_ETF_##g },
#define NOT(f, g) { HS_ETF_##f + 1, HS_ETF_##g },
#define HS_ET_PACKET(id, name, format, subformat, slots, clause) \
	[HS_ET_FORM_##id] = { slots{ 0, 0 } },
static const struct optional ratified[HS_ET_FORMS][16] = {
#include "etrace/et_packets.def"
};
static const struct optional draft[HS_ET_FORMS][16] = {
#include "etrace/et_packets_0_026.def"
};
static const struct optional fast[HS_ET_FORMS][16] = {
#include "etrace/et_packets_fast.def"
};
#undef HS_ET_PACKET
#undef F
#undef FROM
#undef NOT

static const struct {
	uint8_t field, shift, bits, value;
	const char *name, *clause;
} values[] = {
#define HS_ET_VALUE(field, shift, bits, value, name, clause) \
	{ HS_ETF_##field, shift, bits, value, name, clause },
#include "encode/et_values.def"
#undef HS_ET_VALUE
};

static bool has_names(unsigned f)
{
	for (size_t i = 0; i < sizeof(values) / sizeof(*values); i++)
		if (values[i].field == f)
			return true;
	return false;
}

/* Fields that only say which packet it is, and two that are points of their own: causes, and irets
 * (design/et-returns). */
static bool is_fixed(unsigned f)
{
	return f == HS_ETF_MSG_TYPE || f == HS_ETF_CONTROL_CODE || f == HS_ETF_SUPPORT_TYPE ||
	       f == HS_ETF_FORMAT || f == HS_ETF_SUBFORMAT || f == HS_ETF_F0S ||
	       f == HS_ETF_ECAUSE || f == HS_ETF_DISCOVERY || f == HS_ETF_IRETS;
}

void points_etrace_widths(struct points *p)
{
	const struct hs_et_packet none = { 0 };

	for (unsigned f = 0; f < HS_ETF_COUNT; f++)
		p->widths[f] = (uint8_t)hs_et_field_bits(&p->etrace, &none, f);
}

/* A few widths depend on a field before. */
unsigned points_etrace_bits(const struct points *p, const struct point *q,
                            const struct hs_message *m)
{
	static const uint8_t others[][2] = {
		{ HS_ETF_BRANCH_MAP, HS_ETF_BRANCHES },
		{ HS_ETF_SOURCE, HS_ETF_SOURCE_SIZE },
		{ HS_ETF_CYCLES, HS_ETF_CYCLE_SIZE },
	};
	struct hs_et_packet packet = { .form = (uint8_t)m->code };

	for (size_t i = 0; i < sizeof(others) / sizeof(*others); i++)
		if (others[i][0] == q->id &&
		    points_field(m, hs_et_field_name(others[i][1]), &packet.field[others[i][1]]))
			return hs_et_field_bits(&p->etrace, &packet, q->id);
	return p->widths[q->id];
}

struct packet {
	unsigned form;
	const char *name;
};

static void put_field(struct points *p, const char *group, enum point_rule rule,
                      const struct packet *m, unsigned f, const char *what)
{
	struct point *q = points_put(p, group, rule, hs_et_field_clause(f), "%s.%s.%s.%s", group,
	                             m->name, hs_et_field_name(f), what);

	if (!q)
		return;
	q->code = m->form;
	q->field = hs_et_field_name(f);
	q->id = (uint8_t)f;
}

/* One bit has two values; of what is shown in hexadecimal, only branch_map has them all. */
static void put_limits(struct points *p, const struct packet *m, unsigned f)
{
	const bool bit = f == HS_ETF_BRANCH || f == HS_ETF_INTERRUPT || f == HS_ETF_THADDR ||
	                 f == HS_ETF_IENABLE || f == HS_ETF_DENABLE || f == HS_ETF_DLOSS ||
	                 f == HS_ETF_NOTIFY || f == HS_ETF_UPDISCON || f == HS_ETF_IRREPORT ||
	                 (f >= HS_ETF_SIJUMP && f <= HS_ETF_IRET_EXT) ||
	                 (f >= HS_ETF_MMACAS_EXT && f <= HS_ETF_FULL_DATA);

	put_field(p, "field", POINT_MIN, m, f, "min");
	if (!bit)
		put_field(p, "field", POINT_WIDTH, m, f, "width");
	if (bit || f == HS_ETF_BRANCH_MAP || !hs_et_field_hex(f))
		put_field(p, "field", POINT_MAX, m, f, "max");
}

static void put_forms(struct points *p, const struct packet *m, const struct optional *o)
{
	unsigned other = HS_ETF_COUNT;

	for (; o->field; o++) {
		if (o->other == other)
			continue;
		other = o->other;
		put_field(p, "form", POINT_PRESENT, m, o->field - 1u, "present");
		put_field(p, "form", POINT_ABSENT, m, o->field - 1u, "absent");
	}
}

static void put_packet(struct points *p, unsigned version, unsigned form, uint64_t *fields)
{
	const struct optional(*table)[16] = version == HS_ET_0_026  ? draft
	                                    : version == HS_ET_FAST ? fast
	                                                            : ratified;
	const struct packet m = { form, hs_et_form_name(version, form) };
	uint8_t list[HS_ETF_COUNT];
	const unsigned n = hs_et_form_fields(version, form, list);
	struct point *q = points_put(p, "message", POINT_MESSAGE, hs_et_form_clause(version, form),
	                             "message.%s", m.name);

	if (q)
		q->code = form;
	put_forms(p, &m, table[form]);
	for (unsigned i = 0; i < n; i++) {
		*fields |= UINT64_C(1) << list[i];
		if (!is_fixed(list[i]) && !has_names(list[i]))
			put_limits(p, &m, list[i]);
	}
}

static void put_values(struct points *p, uint64_t fields)
{
	for (size_t i = 0; i < sizeof(values) / sizeof(*values); i++) {
		const char *name = hs_et_field_name(values[i].field);

		if (!(fields >> values[i].field & 1))
			continue;
		struct point *q = points_put(p, "value", POINT_VALUE, values[i].clause,
		                             "value.%s.%s", name, values[i].name);
		if (!q)
			return;
		q->field = name;
		q->shift = values[i].shift;
		q->bits = values[i].bits;
		q->value = values[i].value;
	}
}

static void put_causes(struct points *p, bool interrupt)
{
	for (uint32_t cause = 0; cause < 64; cause++) {
		if (!hs_trap_cause_name(interrupt, cause))
			continue;
		struct point *q = points_put(p, "cause", POINT_CAUSE, "ET Format 3 subformat 1",
		                             "cause.%s.%s", interrupt ? "interrupt" : "exception",
		                             hs_trap_cause_name(interrupt, cause));
		if (!q)
			return;
		q->field = hs_et_field_name(HS_ETF_ECAUSE);
		q->bits = interrupt;
		q->value = cause;
	}
}

static void put_data(struct points *p)
{
	for (unsigned form = 0; form < HS_ET_DATA_FORMS; form++) {
		const char *name = hs_et_data_form_name(form);
		uint8_t fields[HS_ETDF_COUNT];

		if (!hs_et_data_form_fields(form, fields))
			continue;
		struct point *q = points_put(p, "data", POINT_MESSAGE, hs_et_data_form_clause(form),
		                             "data.%s", name);

		if (!q)
			return;
		q->code = HS_ET_FORM_OTHER;
		q->message = name;
	}
}

/* What support packets of 2.1 have more; its other packets are those of 2.0. */
static void put_standard(struct points *p)
{
	const struct packet m = { HS_ET_FORM_SUPPORT,
		                  hs_et_form_name(HS_ET_2_1, HS_ET_FORM_SUPPORT) };

	for (unsigned f = HS_ETF_SIJUMP; f < HS_ETF_COUNT; f++)
		put_limits(p, &m, f);
}

bool points_etrace(struct points *p, unsigned version)
{
	uint8_t list[HS_ETF_COUNT];
	uint64_t fields = 0;

	for (unsigned form = 0; form < HS_ET_FORMS; form++)
		if (hs_et_form_fields(version, form, list))
			put_packet(p, version, form, &fields);
	put_values(p, fields);
	if (fields >> HS_ETF_ECAUSE & 1) {
		put_causes(p, false);
		put_causes(p, true);
	}
	if (version == HS_ET_2_0) {
		put_standard(p);
		put_data(p);
	}
	points_etrace_corners(p);
	return !p->failed;
}
