/* Reads, writes, reset and activation (TCI 4.3, 6 to 11). */
#include "device/control.h"
#include "device/device.h"

#include "core/config.h"

uint32_t tc_field(const struct hs_tc *tc, unsigned component, unsigned field)
{
	return tc_extract(hs_tc_field_at(field), tc->regs.word[tc_word(component, field)]);
}

void tc_set(struct hs_tc *tc, unsigned component, unsigned field, uint32_t value)
{
	uint32_t *word = &tc->regs.word[tc_word(component, field)];

	*word = tc_insert(hs_tc_field_at(field), *word, value);
}

uint64_t tc_pair(const struct hs_tc *tc, unsigned component, unsigned field)
{
	const struct hs_tc_field_row *f = hs_tc_field_at(field);
	const uint32_t *word = &tc->regs.word[tc_word(component, field)];

	return (uint64_t)word[1] << 32 | (word[0] & tc_mask(f) << f->lsb);
}

void tc_set_pair(struct hs_tc *tc, unsigned component, unsigned field, uint64_t value)
{
	const struct hs_tc_field_row *f = hs_tc_field_at(field);
	uint32_t *word = &tc->regs.word[tc_word(component, field)];

	word[0] = tc_insert(f, word[0], (uint32_t)value >> f->lsb);
	word[1] = (uint32_t)(value >> 32);
}

static bool present(const struct hs_tc *tc, unsigned component)
{
	return component < HS_TC_COMPONENTS && (tc->profile.components >> component & 1u);
}

bool tc_active(const struct hs_tc *tc, unsigned component)
{
	return present(tc, component) && tc->settle[component] == 0 &&
	       tc_field(tc, component, tc_common_of(component)->active);
}

bool tc_enabled(const struct hs_tc *tc, unsigned component)
{
	return tc_active(tc, component) && tc_field(tc, component, tc_common_of(component)->enable);
}

/* ---- power-up and reset ----------------------------------------------------------- */

/* The value of a field after reset, where the text gives one, and of all in @forced. */
static void reset_fields(struct hs_tc *tc, const struct hs_tc_place *p, bool forced)
{
	for (unsigned f = tc_fields_begin(p->reg), end = tc_fields_end(p->reg); f < end; f++) {
		const struct hs_tc_field_row *row = hs_tc_field_at(f);

		if (row->reset != HS_TC_RESET_U || forced)
			tc->regs.word[p->word] = tc_insert(row, tc->regs.word[p->word],
			                                   tc_legal_of(tc, p->component, f).value);
	}
}

static void undefine_fields(struct hs_tc *tc, const struct hs_tc_place *p, uint32_t bits)
{
	for (unsigned f = tc_fields_begin(p->reg), end = tc_fields_end(p->reg); f < end; f++) {
		const struct hs_tc_field_row *row = hs_tc_field_at(f);
		const uint32_t v = tc_legalize(tc, p->component, f, tc_extract(row, bits));

		if (row->reset == HS_TC_RESET_U && row->access != HS_TC_R)
			tc->regs.word[p->word] = tc_insert(row, tc->regs.word[p->word], v);
	}
}

/* TCI 11.2: fields without a reset value keep theirs, but for tr??Control, which gets its defaults.
 */
static void reset_component(struct hs_tc *tc, unsigned component)
{
	struct hs_tc_place p;

	for (unsigned w = 0; hs_tc_next(w, &p); w = p.word + 1u)
		if (p.component == component)
			reset_fields(tc, &p, p.offset == 0);
	if (component == HS_TC_RAM)
		tc->partial_n = 0;
	if (component == HS_TC_ENCODER || component == HS_TC_FUNNEL)
		tc_time_reset(tc, component);
	tc_settle_fields(tc, component);
}

#define REG(id) ((uint64_t)1 << HS_TCR_##id)

static bool sram_good(uint32_t bytes)
{
	return bytes == 0 ||
	       (bytes >= 8 && bytes <= (uint32_t)1 << 31 && (bytes & (bytes - 1)) == 0);
}

static enum hs_status check_profile(const struct hs_tc *tc)
{
	static const uint64_t controls = REG(TE_CONTROL) | REG(FUNNEL_CONTROL) | REG(RAM_CONTROL) |
	                                 REG(PIB_CONTROL) | REG(ATB_CONTROL);
	const struct hs_tc_profile *p = &tc->profile;
	bool sram, smem;

	if (p->components >> HS_TC_COMPONENTS || !sram_good(p->sram_bytes) || !tc_limits_good(p))
		return HS_E_CONFIG;
	if (p->absent & controls) /* TCI 11.1: each component has its control register */
		return HS_E_CONFIG;
	if (!present(tc, HS_TC_RAM))
		return HS_OK;
	if (p->absent & (REG(RAM_WP_LOW) | REG(RAM_WP_HIGH)) ||
	    (p->sram_bytes && p->absent & REG(RAM_RP_LOW)))
		return HS_E_CONFIG;
	sram = tc_legal_of(tc, HS_TC_RAM, HS_TCF_RAM_HAS_SRAM).value;
	smem = tc_legal_of(tc, HS_TC_RAM, HS_TCF_RAM_HAS_SMEM).value;
	if ((!sram && !smem) || sram != (p->sram_bytes != 0) ||
	    tc_legal_of(tc, HS_TC_RAM, HS_TCF_RAM_MODE).legal != (uint32_t)(sram | smem << 1))
		return HS_E_CONFIG;
	if (tc->memory.sram_size < p->sram_bytes || (sram && !tc->memory.sram) ||
	    (smem && (!tc->memory.ops || !tc->memory.ops->store)))
		return HS_E_SPACE;
	return HS_OK;
}

enum hs_status hs_tc_init(struct hs_tc *tc, const struct hs_tc_profile *profile,
                          const struct hs_tc_memory *memory, uint32_t undef)
{
	struct hs_tc_place p;

	memset(tc, 0, sizeof(*tc));
	if (base_take_config(&tc->profile, sizeof(tc->profile), profile) != HS_OK)
		return HS_E_CONFIG;
	if (tc->profile.components == 0)
		tc->profile.components = 1u << HS_TC_ENCODER | 1u << HS_TC_RAM;
	tc->memory = *memory;
	tc->fill = 0xff;
	const enum hs_status s = check_profile(tc);

	if (s != HS_OK)
		return s;
	for (unsigned w = 0; hs_tc_next(w, &p); w = p.word + 1u) {
		if (!present(tc, p.component) ||
		    (p.instance && tc_is_absent(&tc->profile, p.reg, p.instance)))
			continue;
		reset_fields(tc, &p, true);
		undefine_fields(tc, &p, undef);
		tc->regs.known[p.word / 32] |= (uint32_t)1 << p.word % 32;
	}
	return HS_OK;
}

/* ---- read --------------------------------------------------------------------------- */

static uint32_t read_control(struct hs_tc *tc, const struct hs_tc_place *p)
{
	const uint32_t word = tc->regs.word[p->word];

	if (!tc->settle[p->component])
		return word;
	tc->settle[p->component]--;
	return (word & 1u) ^ 1u; /* the change is still under way */
}

uint32_t hs_tc_read(struct hs_tc *tc, unsigned component, uint32_t offset)
{
	struct hs_tc_place p;

	if (!present(tc, component) || !hs_tc_at(component, offset, &p))
		return 0;
	if (offset == 0)
		return read_control(tc, &p);
	if (!tc_active(tc, component) || tc_is_absent(&tc->profile, p.reg, p.instance))
		return 0;
	return p.reg == HS_TCR_RAM_DATA ? tc_ram_read(tc) : tc->regs.word[p.word];
}

/* ---- write -------------------------------------------------------------------------- */

/* Is the component at work, so that fields of kind IDLE keep their values? */
static bool busy(const struct hs_tc *tc, unsigned component)
{
	return component == HS_TC_RAM ? tc_ram_busy(tc) : tc_enabled(tc, component);
}

static bool kept(const struct hs_tc *tc, unsigned field, bool is_busy)
{
	if (field == HS_TCF_RAM_RP_LOW_BITS || field == HS_TCF_RAM_RP_HIGH_BITS)
		return is_busy && !tc->profile.read_active;
	return is_busy && hs_tc_field_at(field)->when == HS_TC_IDLE;
}

static uint32_t written(const struct hs_tc *tc, unsigned component, unsigned field, uint32_t value,
                        bool is_busy)
{
	const uint32_t old = tc_field(tc, component, field);

	switch (hs_tc_field_at(field)->access) {
	case HS_TC_RW:
	case HS_TC_WARL:
		break;
	case HS_TC_RW1C:
		return old & ~value;
	default:
		return old;
	}
	if (kept(tc, field, is_busy))
		return old;
	if (field == HS_TCF_RAM_WRAP) /* TCI 7: a write clears it */
		value = 0;
	return tc_legalize(tc, component, field, value);
}

/* Field by field, from bit 0 up: what is legal for one may depend on one below. */
static void write_fields(struct hs_tc *tc, const struct hs_tc_place *p, uint32_t value)
{
	const bool is_busy = busy(tc, p->component);

	for (unsigned f = tc_fields_begin(p->reg), end = tc_fields_end(p->reg); f < end; f++) {
		const struct hs_tc_field_row *row = hs_tc_field_at(f);
		const uint32_t v = written(tc, p->component, f, tc_extract(row, value), is_busy);

		tc->regs.word[p->word] = tc_insert(row, tc->regs.word[p->word], v);
	}
	tc_settle_fields(tc, p->component);
}

/* TCI 6: what happened before does not count any more. */
static void encoder_enabled(struct hs_tc *tc)
{
	tc_set(tc, HS_TC_ENCODER, HS_TCF_TE_INST_STALL_OR_OVERFLOW, 0);
	tc_set(tc, HS_TC_ENCODER, HS_TCF_TE_DATA_STALL_OR_OVERFLOW, 0);
	tc_set(tc, HS_TC_ENCODER, HS_TCF_TE_DATA_DROP, 0);
}

static void write_active(struct hs_tc *tc, const struct hs_tc_place *p, uint32_t value)
{
	const bool was = tc_enabled(tc, p->component);
	const bool traced = tc_field(tc, HS_TC_ENCODER, HS_TCF_TE_INST_TRACING);

	write_fields(tc, p, value);
	const bool is = tc_enabled(tc, p->component);

	if (p->component == HS_TC_ENCODER) {
		if (is && !was)
			encoder_enabled(tc);
		const bool now = tc_field(tc, HS_TC_ENCODER, HS_TCF_TE_INST_TRACING);

		tc_set(tc, HS_TC_ENCODER, HS_TCF_TE_INST_TRACING, traced);
		tc_set_tracing(tc, now);
	}
	if (p->component == HS_TC_RAM && is && !was && !tc_ram_can_start(tc))
		tc_set(tc, HS_TC_RAM, HS_TCF_RAM_ENABLE, 0);
	if (p->component == HS_TC_RAM && was && !is)
		tc_ram_flush(tc);
}

/* TCI 11.2: until the component is active only tr??Active may be written. */
static void write_control(struct hs_tc *tc, const struct hs_tc_place *p, uint32_t value)
{
	const unsigned active = tc_common_of(p->component)->active;
	const bool was = tc_field(tc, p->component, active), is = value & 1u;

	if (tc->settle[p->component])
		return;
	if (was && is) {
		write_active(tc, p, value);
		return;
	}
	if (was != is)
		tc->settle[p->component] = tc->profile.settle;
	if (was && p->component == HS_TC_ENCODER)
		tc_set_tracing(tc, false);
	reset_component(tc, p->component);
	tc_set(tc, p->component, active, is);
}

static void write_ts(struct hs_tc *tc, const struct hs_tc_place *p, uint32_t value)
{
	const struct hs_tc_field_row *reset = hs_tc_field_at(HS_TCF_TS_RESET);

	write_fields(tc, p, value);
	const uint32_t mode = tc_field(tc, p->component, HS_TCF_TS_MODE);
	const bool internal = mode == HS_TC_SYSTEM || mode == HS_TC_CORE;

	if ((tc_extract(reset, value) && internal) || !tc_field(tc, p->component, HS_TCF_TS_ACTIVE))
		tc_time_reset(tc, p->component);
}

void hs_tc_write(struct hs_tc *tc, unsigned component, uint32_t offset, uint32_t value)
{
	struct hs_tc_place p;

	if (!present(tc, component) || !hs_tc_at(component, offset, &p))
		return;
	if (offset == 0)
		write_control(tc, &p, value);
	else if (!tc_active(tc, component))
		return;
	else if (tc_is_absent(&tc->profile, p.reg, p.instance))
		return;
	else if (p.reg == HS_TCR_RAM_DATA)
		tc_ram_write(tc, value);
	else if (p.reg == HS_TCR_TS_CONTROL)
		write_ts(tc, &p, value);
	else
		write_fields(tc, &p, value);
}

/* ---- pairs ---------------------------------------------------------------------------- */

static bool ends_in(const char *text, const char *end)
{
	size_t n = 0, m = 0;

	while (text[n])
		n++;
	while (end[m])
		m++;
	return n >= m && memcmp(text + n - m, end, m) == 0;
}

static bool is_pair(const struct hs_tc *tc, unsigned component, uint32_t offset)
{
	struct hs_tc_place p;

	return present(tc, component) && offset % 8 == 0 && hs_tc_at(component, offset, &p) &&
	       ends_in(hs_tc_reg_at(p.reg)->name, "Low") && hs_tc_at(component, offset + 4, &p) &&
	       ends_in(hs_tc_reg_at(p.reg)->name, "High");
}

enum hs_status hs_tc_read64(struct hs_tc *tc, unsigned component, uint32_t offset, uint64_t *value)
{
	if (!is_pair(tc, component, offset))
		return HS_E_ARG;
	*value = hs_tc_read(tc, component, offset);
	*value |= (uint64_t)hs_tc_read(tc, component, offset + 4) << 32;
	return HS_OK;
}

enum hs_status hs_tc_write64(struct hs_tc *tc, unsigned component, uint32_t offset, uint64_t value)
{
	if (!is_pair(tc, component, offset))
		return HS_E_ARG;
	hs_tc_write(tc, component, offset, (uint32_t)value);
	hs_tc_write(tc, component, offset + 4, (uint32_t)(value >> 32));
	return HS_OK;
}
