/* Dumps of SiFive's registers of version 0: read as those of 1.0 that mean the same
 * (design/trace-devices). */
#include <string.h>

#include "core/text.h"
#include "device/device.h"
#include "trace/registers_sifive.h"

/* ---- the table ---------------------------------------------------------------------- */

/* Units: both is a sum. */
enum { ENCODER0 = SIFIVE_ENCODER, FUNNEL0 = SIFIVE_FUNNEL, SIFIVE = ENCODER0 | FUNNEL0 };

static const struct reg {
	uint8_t unit;
	uint16_t offset;
	const char *name;
} regs[] = {
#define HS_SF_REG(unit, id, name, offset, text) { unit, offset, name },
#define HS_SF_FIELD(...)
#include "trace/sifive_registers.def"
#undef HS_SF_REG
#undef HS_SF_FIELD
};

/* Offsets of registers, and places of fields: the offset, the lowest bit, how many bits. */
enum {
#define HS_SF_REG(unit, id, name, offset, text) SF_AT_##id = (offset),
#define HS_SF_FIELD(reg, id, name, msb, lsb, values, text) \
	SF_##id = SF_AT_##reg << 16 | (lsb) << 8 | ((msb) - (lsb) + 1),
#include "trace/sifive_registers.def"
#undef HS_SF_REG
#undef HS_SF_FIELD
};

static uint32_t field_of(const struct sifive_registers *s, unsigned field)
{
	return s->word[field >> 18] >> (field >> 8 & 31) & UINT32_MAX >> (32 - (field & 63));
}

static bool known(const struct sifive_registers *s, unsigned offset)
{
	return s->known >> offset / 4 & 1u;
}

/* ---- reading ------------------------------------------------------------------------ */

bool sifive_section(struct sifive_registers *s, const char *line, size_t length)
{
	struct base_text t = base_text_of(line, length);
	uint8_t unit;

	base_text_skip_blanks(&t);
	if (base_text_skip(&t, "[encoder0"))
		unit = ENCODER0;
	else if (base_text_skip(&t, "[funnel0"))
		unit = FUNNEL0;
	else
		return false;
	base_text_skip_blanks(&t);
	*s = (struct sifive_registers){ .unit = unit };
	if (!base_text_peek(&t, ']'))
		s->base = base_text_number_0x(&t);
	base_text_expect(&t, "]");
	return t.ok;
}

/* The offset of a register by its name, or by its address; UINT64_MAX: there is none. */
static uint64_t take_offset(const struct sifive_registers *s, struct base_text *t)
{
	if (base_digit(*t->p) < 10)
		return base_text_number_0x(t) - s->base;
	for (size_t i = 0; i < sizeof(regs) / sizeof(*regs); i++) {
		const size_t n = strlen(regs[i].name);
		struct base_text after = *t;

		if (!base_text_skip(&after, regs[i].name) || !strchr(" \t=:", t->p[n]))
			continue;
		*t = after;
		return regs[i].offset;
	}
	return UINT64_MAX;
}

static bool has_register(const struct sifive_registers *s, uint64_t offset)
{
	for (size_t i = 0; i < sizeof(regs) / sizeof(*regs); i++)
		if (regs[i].offset == offset && (regs[i].unit & s->unit))
			return true;
	return false;
}

enum hs_status sifive_line(struct sifive_registers *s, const char *line, size_t length)
{
	const char *comment = memchr(line, '#', length);
	struct base_text t = base_text_of(line, comment ? (size_t)(comment - line) : length);

	base_text_skip_blanks(&t);
	if (base_text_at_end(&t) || *t.p == '\r')
		return HS_OK;
	const uint64_t offset = take_offset(s, &t);

	if (offset == UINT64_MAX)
		return memchr(line, '=', length) ? HS_E_UNSUPPORTED : HS_E_FORMAT;
	base_text_skip_blanks(&t);
	if (!base_text_skip(&t, "="))
		base_text_expect(&t, ":");
	base_text_skip_blanks(&t);
	const uint64_t value = base_text_number_0x(&t);

	base_text_skip_blanks(&t);
	base_text_skip(&t, "\r");
	if (!base_text_at_end(&t) || value > UINT32_MAX)
		return HS_E_FORMAT;
	if (!has_register(s, offset))
		return HS_E_UNSUPPORTED;
	s->word[offset / 4] = (uint32_t)value;
	s->known |= UINT32_C(1) << offset / 4;
	return HS_OK;
}

/* ---- as registers of 1.0 ------------------------------------------------------------ */

static void put_encoder(struct hs_tc_regs *to, unsigned field, uint32_t value)
{
	tc_put(to, HS_TC_ENCODER, field, value);
}

/* A register that was read, and one of 1.0 with a field of the same meaning. */
static const struct same {
	uint16_t offset;
	uint16_t to;
	uint32_t from;
} same[] = {
#define SAME(reg, from, to) \
	{ \
		SF_AT_##reg, HS_TCF_##to, SF_##from \
	}
	SAME(TE_CONTROL, TE_ACTIVE, TE_ACTIVE),
	SAME(TE_CONTROL, TE_ENABLE, TE_ENABLE),
	SAME(TE_CONTROL, TE_TRACING, TE_INST_TRACING),
	SAME(TE_CONTROL, TE_EMPTY, TE_EMPTY),
	SAME(TE_CONTROL, TE_STALL_OR_OVERFLOW, TE_INST_STALL_OR_OVERFLOW),
	SAME(TE_CONTROL, TE_STALL_ENABLE, TE_INST_STALL_ENA),
	SAME(TE_CONTROL, TE_INHIBIT_SRC, TE_INHIBIT_SRC),
	SAME(TE_IMPL, TE_SRC_ID, TE_SRC_ID),
	SAME(TE_IMPL, TE_SRC_BITS, TE_SRC_BITS),
	SAME(TS_CONTROL, TS_ACTIVE, TS_ACTIVE),
	SAME(TS_CONTROL, TS_ENABLE, TS_ENABLE),
	SAME(TS_CONTROL, TS_WIDTH, TS_WIDTH),
#undef SAME
};

/* Modes are 6 and 7 of HTM, 3 of BTM; periodic synchronisation counts 2^(n+5) messages, and 2^(n+4)
 * in 1.0. */
static void put_control(struct hs_tc_regs *to, const struct sifive_registers *s)
{
	const uint32_t mode = field_of(s, SF_TE_INSTRUCTION), max = field_of(s, SF_TE_SYNC_MAX_BTM);

	put_encoder(to, HS_TCF_TE_FORMAT, 1);
	put_encoder(to, HS_TCF_TE_INST_MODE, mode == 3 ? HS_NT_BTM : mode ? HS_NT_HTM : 0);
	put_encoder(to, HS_TCF_TE_CONTEXT, field_of(s, SF_TE_INSTRUMENTATION) >> 1);
	put_encoder(to, HS_TCF_TE_INST_SYNC_MODE, max == 15 ? 0 : HS_NT_SYNC_MESSAGES);
	put_encoder(to, HS_TCF_TE_INST_SYNC_MAX, max == 15 ? 0 : max + 1);
}

/* Calls are counted and full histories are, too: no bit says so. */
static void put_impl(struct hs_tc_regs *to)
{
	put_encoder(to, HS_TCF_TE_VER_MAJOR, 1);
	put_encoder(to, HS_TCF_TE_COMP_TYPE, 1);
	put_encoder(to, HS_TCF_TE_PROTOCOL_MAJOR, 1);
	put_encoder(to, HS_TCF_TE_INST_EN_IMPLICIT_RETURN, 1);
	put_encoder(to, HS_TCF_TE_INST_IMPLICIT_RETURN_MODE, 1);
	put_encoder(to, HS_TCF_TE_INST_EN_REPEATED_HISTORY, 1);
}

static void put_address(struct hs_tc_regs *to, unsigned low, unsigned high, uint64_t address)
{
	tc_put(to, HS_TC_RAM, low, (uint32_t)address >> 2);
	tc_put(to, HS_TC_RAM, high, (uint32_t)(address >> 32));
}

/* The sink in system memory; its limit is the address of a word of sinkBytes. */
static void put_sink(struct hs_tc_regs *to, const struct sifive_registers *s)
{
	const bool funnel = s->unit == FUNNEL0;
	const uint64_t high = (uint64_t)field_of(s, SF_SINK_BASE_HIGH_BITS) << 32;
	const uint32_t last = (4u << field_of(s, SF_TF_SINK_BYTES)) - 4;

	if (!known(s, SF_AT_SINK_LIMIT) || !known(s, SF_AT_SINK_WP) ||
	    !(funnel || field_of(s, SF_TE_HAS_SBA)))
		return;
	tc_put(to, HS_TC_RAM, HS_TCF_RAM_VER_MAJOR, 1);
	tc_put(to, HS_TC_RAM, HS_TCF_RAM_COMP_TYPE, 9);
	tc_put(to, HS_TC_RAM, HS_TCF_RAM_HAS_SMEM, 1);
	tc_put(to, HS_TC_RAM, HS_TCF_RAM_MODE, 1);
	tc_put(to, HS_TC_RAM, HS_TCF_RAM_ENABLE, field_of(s, SF_TE_ENABLE));
	tc_put(to, HS_TC_RAM, HS_TCF_RAM_EMPTY, !known(s, 0) || field_of(s, SF_TE_EMPTY));
	tc_put(to, HS_TC_RAM, HS_TCF_RAM_STOP_ON_WRAP,
	       field_of(s, funnel ? SF_TF_STOP_ON_WRAP : SF_TE_STOP_ON_WRAP));
	put_address(to, HS_TCF_RAM_START_LOW_BITS, HS_TCF_RAM_START_HIGH_BITS,
	            high | field_of(s, SF_SINK_BASE_BITS) << 2);
	put_address(to, HS_TCF_RAM_LIMIT_LOW_BITS, HS_TCF_RAM_LIMIT_HIGH_BITS,
	            (high | field_of(s, SF_SINK_LIMIT_BITS) << 2) + last);
	put_address(to, HS_TCF_RAM_WP_LOW_BITS, HS_TCF_RAM_WP_HIGH_BITS,
	            high | field_of(s, SF_SINK_WP_BITS) << 2);
	tc_put(to, HS_TC_RAM, HS_TCF_RAM_WRAP, field_of(s, SF_SINK_WRAPPED));
}

static void put_all(struct hs_tc_regs *to, const struct sifive_registers *s)
{
	for (size_t i = 0; i < sizeof(same) / sizeof(*same); i++)
		if (known(s, same[i].offset))
			put_encoder(to, same[i].to, field_of(s, same[i].from));
	if (known(s, SF_AT_TE_CONTROL))
		put_control(to, s);
	if (known(s, SF_AT_TE_IMPL))
		put_impl(to);
}

bool sifive_end(struct sifive_registers *s, struct hs_registers *r)
{
	const uint8_t unit = s->unit;

	if (!unit)
		return true;
	if (unit == ENCODER0)
		put_all(&r->dump.regs, s);
	put_sink(&r->dump.regs, s);
	s->unit = 0;
	r->sifive |= unit;
	r->dump.base[unit == ENCODER0 ? HS_TC_ENCODER : HS_TC_RAM] = s->base;
	return field_of(s, SF_TE_VERSION) == 0;
}
