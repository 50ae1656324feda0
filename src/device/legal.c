/* Which values are legal, and what becomes of others (WARL).
 *
 * Where the text leaves open what an illegal value turns into, the largest legal value not above it
 * is taken, or the smallest one (design/trace-devices): writing all ones finds the largest (TCI
 * 7.1). */
#include "device/control.h"

_Static_assert(HS_TCR_COUNT <= 64, "struct hs_tc_profile, absent");

/* A mode that is not off never turns into off (TCI 6, trTeInstMode). */
static bool keeps_on(unsigned field)
{
	return field == HS_TCF_TE_INST_MODE;
}

static struct tc_legal fixed(const struct hs_tc_field_row *f, uint32_t value)
{
	return (struct tc_legal){ f->rule, f->rule == HS_TC_SET ? (uint32_t)1 << value : 0, value };
}

/* RW bits that every implementation has, and bits that it reports in. */
static bool always_there(const struct hs_tc_field_row *f, unsigned field)
{
	return f->access == HS_TC_RW || f->access == HS_TC_R || f->access == HS_TC_W1 ||
	       field == HS_TCF_TE_EMPTY || field == HS_TCF_RAM_EMPTY;
}

/* Filters and comparators that a profile has. */
static unsigned filters_of(const struct hs_tc_profile *p)
{
	return p->filters ? p->filters : 16;
}

static unsigned comparators_of(const struct hs_tc_profile *p)
{
	return p->comparators ? p->comparators : 8;
}

bool tc_is_absent(const struct hs_tc_profile *p, unsigned reg, unsigned instance)
{
	if (p->absent >> reg & 1u)
		return true;
	if (reg >= HS_TCR_TE_FILTER_CONTROL && reg <= HS_TCR_TE_FILTER_DATA)
		return instance >= filters_of(p);
	return reg >= HS_TCR_TE_COMP_CONTROL && reg <= HS_TCR_TE_COMP_S_HIGH &&
	       instance >= comparators_of(p);
}

/* Numbers of filters and comparators that do not exist cannot be chosen. */
static struct tc_legal of_what_exists(const struct hs_tc_profile *p, unsigned field,
                                      struct tc_legal l)
{
	switch (field) {
	case HS_TCF_TE_INST_FILTERS_MASK:
	case HS_TCF_TE_DATA_FILTERS_MASK:
		l.legal &= ((uint32_t)1 << filters_of(p)) - 1;
		break;
	case HS_TCF_TE_FILTER_COMP1:
	case HS_TCF_TE_FILTER_COMP2:
	case HS_TCF_TE_FILTER_COMP3:
		l.legal &= ((uint32_t)1 << comparators_of(p)) - 1;
		break;
	default:
		break;
	}
	return l;
}

static struct tc_legal limit_of(const struct hs_tc_profile *p, unsigned field);

/* trRamMode: 0 where there is SRAM, 1 where there is system memory. */
static struct tc_legal ram_modes(const struct hs_tc_profile *p)
{
	const uint32_t sram = limit_of(p, HS_TCF_RAM_HAS_SRAM).value;
	const uint32_t smem = limit_of(p, HS_TCF_RAM_HAS_SMEM).value;

	return (struct tc_legal){ HS_TC_SET, sram | smem << 1, !sram };
}

/* The implementation's limit, whatever its state. */
static struct tc_legal limit_of(const struct hs_tc_profile *p, unsigned field)
{
	const struct hs_tc_field_row *f = hs_tc_field_at(field);

	if (p->absent >> f->reg & 1u)
		return fixed(f, 0);
	for (uint32_t i = 0; i < p->limit_count; i++)
		if (p->limits[i].field == field)
			return (struct tc_legal){ f->rule, p->limits[i].legal, p->limits[i].value };
	if (field == HS_TCF_RAM_HAS_SRAM)
		return fixed(f, p->sram_bytes != 0);
	if (field == HS_TCF_RAM_HAS_SMEM)
		return fixed(f, p->sram_bytes == 0);
	if (field == HS_TCF_RAM_MODE)
		return ram_modes(p);
	if (p->tied && !always_there(f, field))
		return fixed(f, f->value);
	return of_what_exists(p, field, (struct tc_legal){ f->rule, f->legal, f->value });
}

/* In SRAM mode addresses are offsets in the SRAM (TCI 7.1). */
static void limit_sram(const struct hs_tc *tc, unsigned field, struct tc_legal *l)
{
	const uint32_t words = (tc->profile.sram_bytes - 4) >> 2;

	switch (field) {
	case HS_TCF_RAM_START_LOW_BITS:
		*l = (struct tc_legal){ HS_TC_BITS, 0, 0 };
		break;
	case HS_TCF_RAM_LIMIT_LOW_BITS:
	case HS_TCF_RAM_WP_LOW_BITS:
	case HS_TCF_RAM_RP_LOW_BITS:
		l->legal &= words;
		l->value &= words;
		break;
	case HS_TCF_RAM_START_HIGH_BITS:
	case HS_TCF_RAM_LIMIT_HIGH_BITS:
	case HS_TCF_RAM_WP_HIGH_BITS:
	case HS_TCF_RAM_RP_HIGH_BITS:
		*l = (struct tc_legal){ HS_TC_BITS, 0, 0 };
		break;
	default:
		break;
	}
}

/* trRamRP and trRamData are for SRAM (TCI 7, typical configurations). */
static void limit_ram(const struct hs_tc *tc, unsigned field, struct tc_legal *l)
{
	if (!tc_field(tc, HS_TC_RAM, HS_TCF_RAM_MODE))
		limit_sram(tc, field, l);
	else if (field == HS_TCF_RAM_RP_LOW_BITS || field == HS_TCF_RAM_RP_HIGH_BITS)
		*l = (struct tc_legal){ HS_TC_BITS, 0, 0 };
}

/* A funnel counts no core clock and makes no messages (TCI 6.1). */
static void limit_funnel(unsigned field, struct tc_legal *l)
{
	if (field == HS_TCF_TS_MODE)
		l->legal &= ~((uint32_t)1 << HS_TC_CORE);
	else if (field == HS_TCF_TS_ENABLE || field == HS_TCF_TS_RUN_IN_DEBUG)
		*l = (struct tc_legal){ HS_TC_SET, 1, 0 };
}

/* TCI 9: TRC_CLK can be centred only in parallel modes. */
static void limit_pib(const struct hs_tc *tc, unsigned field, struct tc_legal *l)
{
	if (field == HS_TCF_PIB_CLK_CENTER && tc_field(tc, HS_TC_PIB, HS_TCF_PIB_MODE) < 8)
		*l = (struct tc_legal){ HS_TC_SET, 1, 0 };
}

/* Nothing is traced while the encoder is disabled (TCI 6, trTeEnable). */
static void limit_encoder(const struct hs_tc *tc, unsigned field, struct tc_legal *l)
{
	if ((field == HS_TCF_TE_INST_TRACING || field == HS_TCF_TE_DATA_TRACING) &&
	    !tc_field(tc, HS_TC_ENCODER, HS_TCF_TE_ENABLE))
		*l = (struct tc_legal){ HS_TC_SET, 1, 0 };
}

/* What the state of a component narrows down further. */
static void limit_state(const struct hs_tc *tc, unsigned component, unsigned field,
                        struct tc_legal *l)
{
	switch (component) {
	case HS_TC_ENCODER:
		limit_encoder(tc, field, l);
		break;
	case HS_TC_FUNNEL:
		limit_funnel(field, l);
		break;
	case HS_TC_RAM:
		limit_ram(tc, field, l);
		break;
	case HS_TC_PIB:
		limit_pib(tc, field, l);
		break;
	default:
		break;
	}
}

struct tc_legal tc_legal_of(const struct hs_tc *tc, unsigned component, unsigned field)
{
	struct tc_legal l = limit_of(&tc->profile, field);

	limit_state(tc, component, field, &l);
	return l;
}

static bool is_member(uint32_t set, uint32_t value)
{
	return value < 32 && (set >> value & 1u);
}

/* The largest member not above @value, from @least on; else the smallest one from there. */
static uint32_t nearest(uint32_t set, uint32_t value, uint32_t least)
{
	for (uint32_t v = value < 31 ? value : 31; v >= least && v <= 31; v--)
		if (set >> v & 1u)
			return v;
	for (uint32_t v = least; v < 32; v++)
		if (set >> v & 1u)
			return v;
	return 0;
}

static uint32_t made_legal(const struct tc_legal *l, unsigned field, uint32_t value)
{
	if (l->rule == HS_TC_BITS)
		return (value & l->legal) | (l->value & ~l->legal);
	if (is_member(l->legal, value))
		return value;
	return nearest(l->legal, value, value && keeps_on(field) && l->legal != 1);
}

uint32_t tc_legalize(const struct hs_tc *tc, unsigned component, unsigned field, uint32_t value)
{
	const struct tc_legal l = tc_legal_of(tc, component, field);

	return made_legal(&l, field, value);
}

/* Software may be able to set fewer values than the sink's pointers take by themselves. */
static bool moves(unsigned field)
{
	return field == HS_TCF_RAM_WP_LOW_BITS || field == HS_TCF_RAM_WP_HIGH_BITS ||
	       field == HS_TCF_RAM_RP_LOW_BITS || field == HS_TCF_RAM_RP_HIGH_BITS;
}

static void settle_field(struct hs_tc *tc, unsigned component, unsigned field)
{
	const struct hs_tc_field_row *f = hs_tc_field_at(field);
	struct tc_legal l = limit_of(&tc->profile, field);

	if (moves(field)) /* where they are absent, the mode makes them 0 */
		l = (struct tc_legal){ f->rule, f->legal, f->value };
	limit_state(tc, component, field, &l);
	tc_set(tc, component, field, made_legal(&l, field, tc_field(tc, component, field)));
}

void tc_settle_fields(struct hs_tc *tc, unsigned component)
{
	static const uint16_t dependent[] = {
		HS_TCF_TE_INST_TRACING,     HS_TCF_TE_DATA_TRACING,     HS_TCF_PIB_CLK_CENTER,
		HS_TCF_RAM_START_LOW_BITS,  HS_TCF_RAM_START_HIGH_BITS, HS_TCF_RAM_LIMIT_LOW_BITS,
		HS_TCF_RAM_LIMIT_HIGH_BITS, HS_TCF_RAM_WP_LOW_BITS,     HS_TCF_RAM_WP_HIGH_BITS,
		HS_TCF_RAM_RP_LOW_BITS,     HS_TCF_RAM_RP_HIGH_BITS,
	};

	for (size_t i = 0; i < sizeof(dependent) / sizeof(*dependent); i++) {
		if (hs_tc_reg_at(hs_tc_field_at(dependent[i])->reg)->unit == component)
			settle_field(tc, component, dependent[i]);
	}
}

static bool limit_good(const struct hs_tc_limit *l)
{
	const struct hs_tc_field_row *f = hs_tc_field_at(l->field);

	if (!f || (l->legal & ~f->legal) || l->value > tc_mask(f))
		return false;
	if (f->rule == HS_TC_BITS)
		return true;
	return is_member(l->legal, l->value);
}

bool tc_limits_good(const struct hs_tc_profile *p)
{
	if (p->filters > 16 || p->comparators > 8)
		return false;
	for (uint32_t i = 0; i < p->limit_count; i++)
		if (!limit_good(&p->limits[i]))
			return false;
	return true;
}
