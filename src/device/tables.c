/* The table of registers and fields, and ways through it. */
#include "device/control.h"
#include "device/device.h"

static const struct hs_tc_reg_row regs[] = {
#define HS_TR_REG(unit, id, name, offset, count, clause, text) \
	{ HS_TC_##unit, count, offset, name, clause, text },
#define HS_TR_FIELD(...)
#include <hartscope/tables/registers.def>
#undef HS_TR_REG
#undef HS_TR_FIELD
};

static const struct hs_tc_field_row fields[] = {
#define HS_TR_REG(...)
#define HS_TR_FIELD(reg, id, name, msb, lsb, access, when, rule, legal, reset, value, values, \
                    text) \
	{ HS_TCR_##reg,        msb,   lsb,   HS_TC_##access, HS_TC_##when, HS_TC_##rule, \
	  HS_TC_RESET_##reset, legal, value, name,           values,       text },
#include <hartscope/tables/registers.def>
#undef HS_TR_REG
#undef HS_TR_FIELD
};

/* The first word of each component. */
enum { FIRST_ENCODER = 0, FIRST_FUNNEL = 448, FIRST_RAM = 468, FIRST_PIB = 485, FIRST_ATB = 487 };

/* Words of each component, and its fields that all components have. */
static const struct component {
	const char *name;
	uint16_t first, words;
	struct tc_common common;
} components[HS_TC_COMPONENTS] = {
	{ "encoder", FIRST_ENCODER, 448, { HS_TCF_TE_ACTIVE, HS_TCF_TE_ENABLE, HS_TCF_TE_EMPTY } },
	{ "funnel",
	  FIRST_FUNNEL,
	  20,
	  { HS_TCF_FUNNEL_ACTIVE, HS_TCF_FUNNEL_ENABLE, HS_TCF_FUNNEL_EMPTY } },
	{ "ram", FIRST_RAM, 17, { HS_TCF_RAM_ACTIVE, HS_TCF_RAM_ENABLE, HS_TCF_RAM_EMPTY } },
	{ "pib", FIRST_PIB, 2, { HS_TCF_PIB_ACTIVE, HS_TCF_PIB_ENABLE, HS_TCF_PIB_EMPTY } },
	{ "atb", FIRST_ATB, 2, { HS_TCF_ATB_ACTIVE, HS_TCF_ATB_ENABLE, HS_TCF_ATB_EMPTY } },
};
_Static_assert(HS_TC_WORDS == 489, "the components' words");

/* The register at each word, plus 1; 0: none. */
#define AT(unit, id, offset, n) [FIRST_##unit + (offset) / 4 + 8 * (n)] = HS_TCR_##id + 1
#define AT_1(unit, id, offset) AT(unit, id, offset, 0)
#define AT_4(unit, id, offset) \
	AT(unit, id, offset, 0), AT(unit, id, offset, 1), AT(unit, id, offset, 2), \
		AT(unit, id, offset, 3)
#define AT_8(unit, id, offset) AT_4(unit, id, offset), AT_4(unit, id, (offset) + 0x80)
#define AT_16(unit, id, offset) AT_8(unit, id, offset), AT_8(unit, id, (offset) + 0x100)
#define IN_ENCODER(id, offset, count) AT_##count(ENCODER, id, offset),
#define IN_FUNNEL(id, offset, count) AT_##count(FUNNEL, id, offset),
#define IN_RAM(id, offset, count) AT_##count(RAM, id, offset),
#define IN_PIB(id, offset, count) AT_##count(PIB, id, offset),
#define IN_ATB(id, offset, count) AT_##count(ATB, id, offset),
#define IN_TS(id, offset, count) IN_ENCODER(id, offset, count) IN_FUNNEL(id, offset, count)
static const uint8_t reg_at_word[HS_TC_WORDS] = {
#define HS_TR_REG(unit, id, name, offset, count, clause, text) IN_##unit(id, offset, count)
#define HS_TR_FIELD(...)
#include <hartscope/tables/registers.def>
#undef HS_TR_REG
#undef HS_TR_FIELD
};

/* The first field of each register: rows are counted, those of registers not. */
enum {
#define HS_TR_REG(unit, id, ...) BEGIN_##id, BEFORE_##id = BEGIN_##id - 1,
#define HS_TR_FIELD(reg, id, ...) NUMBER_##reg##_##id,
#include <hartscope/tables/registers.def>
#undef HS_TR_REG
#undef HS_TR_FIELD
	END_OF_FIELDS
};
_Static_assert((int)END_OF_FIELDS == (int)HS_TCF_COUNT, "every field is counted");

static const uint8_t fields_begin[HS_TCR_COUNT + 1] = {
#define HS_TR_REG(unit, id, ...) BEGIN_##id,
#define HS_TR_FIELD(...)
#include <hartscope/tables/registers.def>
#undef HS_TR_REG
#undef HS_TR_FIELD
	END_OF_FIELDS
};
_Static_assert(HS_TCF_COUNT <= UINT8_MAX, "fields_begin");

const struct hs_tc_reg_row *hs_tc_reg_at(unsigned reg)
{
	return reg < HS_TCR_COUNT ? &regs[reg] : NULL;
}

const struct hs_tc_field_row *hs_tc_field_at(unsigned field)
{
	return field < HS_TCF_COUNT ? &fields[field] : NULL;
}

const char *hs_tc_component_name(unsigned component)
{
	return component < HS_TC_COMPONENTS ? components[component].name : "?";
}

const struct tc_common *tc_common_of(unsigned component)
{
	return &components[component].common;
}

static bool in_component(const struct hs_tc_reg_row *r, unsigned component)
{
	return r->unit == component ||
	       (r->unit == HS_TC_TS && (component == HS_TC_ENCODER || component == HS_TC_FUNNEL));
}

static struct hs_tc_place place_of(unsigned reg, unsigned component, unsigned instance)
{
	const unsigned offset = regs[reg].offset + 0x20u * instance;

	return (struct hs_tc_place){ (uint16_t)reg, (uint8_t)component, (uint8_t)instance,
		                     (uint16_t)offset,
		                     (uint16_t)(components[component].first + offset / 4) };
}

bool hs_tc_at(unsigned component, uint32_t offset, struct hs_tc_place *place)
{
	if (component >= HS_TC_COMPONENTS || offset % 4 ||
	    offset / 4 >= components[component].words)
		return false;
	const unsigned at = reg_at_word[components[component].first + offset / 4];

	if (at == 0)
		return false;
	*place = place_of(at - 1, component, (offset - regs[at - 1].offset) / 0x20);
	return true;
}

bool hs_tc_next(unsigned word, struct hs_tc_place *place)
{
	unsigned c = 0;

	while (word < HS_TC_WORDS && !reg_at_word[word])
		word++;
	if (word >= HS_TC_WORDS)
		return false;
	while (word >= components[c].first + (unsigned)components[c].words)
		c++;
	return hs_tc_at(c, 4 * (word - components[c].first), place);
}

const char *hs_tc_name(const struct hs_tc_place *place, char *text, size_t size)
{
	const struct hs_tc_reg_row *r = hs_tc_reg_at(place->reg);
	size_t n = 0;

	for (const char *p = r ? r->name : ""; *p && n + 1 < size; p++) {
		if (*p != '#') {
			text[n++] = *p;
			continue;
		}
		if (place->instance >= 10)
			text[n++] = (char)('0' + place->instance / 10);
		if (n + 1 < size)
			text[n++] = (char)('0' + place->instance % 10);
	}
	if (size)
		text[n] = '\0';
	return text;
}

bool tc_same_text(const char *a, const char *b)
{
	while (*a && *a == *b) {
		a++;
		b++;
	}
	return *a == *b;
}

/* Does a row's name, where '#' is the number of an instance, give this text? */
static bool name_matches(const char *row, const char *text, size_t n, unsigned *instance)
{
	size_t i = 0;

	*instance = 0;
	for (; *row; row++) {
		if (*row != '#') {
			if (i >= n || text[i++] != *row)
				return false;
			continue;
		}
		const size_t first = i;

		for (; i < n && i < first + 2 && text[i] >= '0' && text[i] <= '9'; i++)
			*instance = 10 * *instance + (unsigned)(text[i] - '0');
		if (i == first || (text[first] == '0' && i > first + 1))
			return false;
	}
	return i == n;
}

/* The component of a register found by name: trTs belongs to what the caller says. */
static unsigned home_of(const struct hs_tc_reg_row *r, unsigned component)
{
	if (r->unit != HS_TC_TS)
		return r->unit;
	return component == HS_TC_FUNNEL ? HS_TC_FUNNEL : HS_TC_ENCODER;
}

bool hs_tc_find(const char *name, size_t length, unsigned component, struct hs_tc_place *place,
                unsigned *field)
{
	unsigned instance;

	for (unsigned i = 0; i < HS_TCR_COUNT; i++) {
		if (!name_matches(regs[i].name, name, length, &instance) ||
		    instance >= regs[i].count)
			continue;
		*place = place_of(i, home_of(&regs[i], component), instance);
		*field = HS_TCF_COUNT;
		return true;
	}
	for (unsigned i = 0; i < HS_TCF_COUNT; i++) {
		if (!name_matches(fields[i].name, name, length, &instance))
			continue;
		*place = place_of(fields[i].reg, home_of(&regs[fields[i].reg], component), 0);
		*field = i;
		return true;
	}
	return false;
}

/* "3=baseline 6=optimized": the word whose number is @value. */
const char *hs_tc_value_word(unsigned field, uint32_t value, size_t *length)
{
	const char *p = field < HS_TCF_COUNT ? fields[field].values : "";

	while (*p) {
		uint32_t v = 0;

		for (; *p >= '0' && *p <= '9'; p++)
			v = 10 * v + (uint32_t)(*p - '0');
		p += *p == '=';
		const char *word = p;

		while (*p && *p != ' ')
			p++;
		*length = (size_t)(p - word);
		if (v == value)
			return word;
		p += *p == ' ';
	}
	return NULL;
}

unsigned tc_fields_begin(unsigned reg)
{
	return fields_begin[reg];
}

unsigned tc_fields_end(unsigned reg)
{
	return fields_begin[reg + 1];
}

uint32_t tc_mask(const struct hs_tc_field_row *f)
{
	return UINT32_MAX >> (31 - (f->msb - f->lsb));
}

uint32_t tc_extract(const struct hs_tc_field_row *f, uint32_t word)
{
	return word >> f->lsb & tc_mask(f);
}

uint32_t tc_insert(const struct hs_tc_field_row *f, uint32_t word, uint32_t value)
{
	const uint32_t mask = tc_mask(f);

	return (word & ~(mask << f->lsb)) | (value & mask) << f->lsb;
}

unsigned tc_word(unsigned component, unsigned field)
{
	return components[component].first + regs[fields[field].reg].offset / 4u;
}

void tc_put(struct hs_tc_regs *r, unsigned component, unsigned field, uint32_t value)
{
	const unsigned word = tc_word(component, field);

	r->word[word] = tc_insert(&fields[field], r->word[word], value);
	r->known[word / 32] |= (uint32_t)1 << word % 32;
}

uint32_t hs_tc_get(const struct hs_tc_regs *r, unsigned component, unsigned field)
{
	if (field >= HS_TCF_COUNT || component >= HS_TC_COMPONENTS ||
	    !in_component(&regs[fields[field].reg], component))
		return 0;
	return tc_extract(&fields[field], r->word[tc_word(component, field)]);
}

bool hs_tc_known(const struct hs_tc_regs *r, unsigned component, unsigned field)
{
	if (field >= HS_TCF_COUNT || component >= HS_TC_COMPONENTS ||
	    !in_component(&regs[fields[field].reg], component))
		return false;
	const unsigned word = tc_word(component, field);

	return r->known[word / 32] >> word % 32 & 1u;
}
