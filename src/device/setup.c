/* The writes that bring a device to given registers (TCI 11.2, 11.3). */
#include "device/control.h"
#include "device/device.h"

#include "core/config.h"

/* Sinks and bridges first, then the funnel, the encoder last (TCI 11.2). */
static const uint8_t order[HS_TC_COMPONENTS] = { HS_TC_RAM, HS_TC_PIB, HS_TC_ATB, HS_TC_FUNNEL,
	                                         HS_TC_ENCODER };

/* Steps of a component. */
enum step {
	STEP_RESET,    /* tr??Control = 0 */
	STEP_ACTIVATE, /* tr??Control = 1 */
	STEP_MODE,     /* tr??Control with its settings: others may depend on the mode (TCI 7.1) */
	STEP_SETTINGS, /* every other register */
	STEP_ENABLE,   /* tr??Enable */
	STEP_DATA,     /* trTeDataTracing, where it is wanted */
	STEP_START,    /* trTeInstTracing */
	STEP_END
};

enum hs_status hs_tc_setup_init(struct hs_tc_setup *s, const struct hs_tc_regs *regs,
                                uint32_t components, bool start)
{
	if (!components || components >> HS_TC_COMPONENTS)
		return HS_E_ARG;
	*s = (struct hs_tc_setup){ .regs = *regs, .components = components, .start = start };
	return HS_OK;
}

static bool is_known(const struct hs_tc_setup *s, const struct hs_tc_place *p)
{
	return s->regs.known[p->word / 32] >> p->word % 32 & 1u;
}

/* Registers of the table "Trace Components Reset" (TCI 11.2): 0 unless something is wanted.  The
 * table has no comparators, but one that holds anything may report matches without a filter. */
static bool is_predictable(const struct hs_tc_place *p)
{
	switch (p->reg) {
	case HS_TCR_TE_INST_FEATURES:
	case HS_TCR_TE_INST_FILTERS:
	case HS_TCR_TE_DATA_CONTROL:
	case HS_TCR_TE_DATA_FILTERS:
	case HS_TCR_TE_TRIG_DBG_CONTROL:
	case HS_TCR_TE_TRIG_EXT_IN_CONTROL:
	case HS_TCR_TE_TRIG_EXT_OUT_CONTROL:
	case HS_TCR_TS_CONTROL:
	case HS_TCR_FUNNEL_DIS_INPUT:
	case HS_TCR_TE_COMP_CONTROL:
		return true;
	default:
		return false;
	}
}

/* trTeDataTracing: as trTeInstTracing it goes on once the encoder is enabled. */
enum { DATA_CONTROL = 0x010, DATA_TRACING = 2 };

/* What a tool cannot or should not write: versions, counters, the read pointer. */
static bool is_setting(const struct hs_tc_place *p)
{
	bool writable = false;

	for (unsigned f = tc_fields_begin(p->reg), end = tc_fields_end(p->reg); f < end; f++)
		writable |= hs_tc_field_at(f)->access != HS_TC_RO &&
		            hs_tc_field_at(f)->access != HS_TC_R;
	return p->offset != 0 && writable && p->reg != HS_TCR_RAM_RP_LOW &&
	       p->reg != HS_TCR_RAM_RP_HIGH;
}

/* A filter counts from where trTeFilterControl is written: what it compares with comes before
 * (TCI 6.3), and trTeInstFilters after it.  0 to 3: when a register is written. */
static unsigned turn_of(const struct hs_tc_place *p)
{
	if (p->component != HS_TC_ENCODER)
		return 0;
	if (p->reg == HS_TCR_TE_INST_FILTERS || p->reg == HS_TCR_TE_DATA_FILTERS)
		return 2;
	return p->reg == HS_TCR_TE_FILTER_CONTROL;
}

static void write_place(const struct hs_tc_setup *s, const struct hs_tc_place *p,
                        struct hs_tc_step *out)
{
	*out = (struct hs_tc_step){ .place = *p, .value = s->regs.word[p->word] };
}

/* The next register of the component and turn at or after s->word. */
static bool next_setting(struct hs_tc_setup *s, unsigned component, struct hs_tc_step *out)
{
	struct hs_tc_place p;

	for (; s->turn < 3; s->turn++, s->word = 0) {
		for (; hs_tc_next(s->word, &p); s->word = p.word + 1u) {
			if (p.component != component || !is_setting(&p) || turn_of(&p) != s->turn ||
			    !(is_known(s, &p) || is_predictable(&p)))
				continue;
			s->word = p.word + 1u;
			write_place(s, &p, out);
			if (p.reg == HS_TCR_TE_DATA_CONTROL)
				out->value &= ~(uint32_t)DATA_TRACING;
			return true;
		}
	}
	return false;
}

/* tr??Control with settings and tr??Active; @more: further bits, for which the writer waits. */
static void write_control(const struct hs_tc_setup *s, unsigned component, uint32_t more,
                          struct hs_tc_step *out)
{
	struct hs_tc_place p;

	hs_tc_at(component, 0, &p);
	write_place(s, &p, out);
	out->value = (out->value & ~(uint32_t)0xf) | 1 | more;
	out->wait = more;
}

static uint32_t settings_of(const struct hs_tc_setup *s, unsigned component)
{
	struct hs_tc_step w;

	write_control(s, component, 0, &w);
	return w.value;
}

/* False: data trace is not wanted. */
static bool start_data(const struct hs_tc_setup *s, struct hs_tc_step *out)
{
	struct hs_tc_place p;

	hs_tc_at(HS_TC_ENCODER, DATA_CONTROL, &p);
	write_place(s, &p, out);
	return is_known(s, &p) && (out->value & DATA_TRACING);
}

static bool write_step(struct hs_tc_setup *s, unsigned component, struct hs_tc_step *out)
{
	switch (s->step) {
	case STEP_RESET:
	case STEP_ACTIVATE:
		*out = (struct hs_tc_step){ .value = s->step == STEP_ACTIVATE, .wait = 1 };
		return hs_tc_at(component, 0, &out->place);
	case STEP_MODE:
		write_control(s, component, 0, out);
		return settings_of(s, component) != 1;
	case STEP_ENABLE:
		write_control(s, component, 2, out);
		return true;
	case STEP_DATA:
		return component == HS_TC_ENCODER && s->start && start_data(s, out);
	case STEP_START:
		write_control(s, component, 6, out);
		return component == HS_TC_ENCODER && s->start;
	default:
		return false;
	}
}

bool hs_tc_setup_next(struct hs_tc_setup *s, struct hs_tc_step *out)
{
	while (s->at < HS_TC_COMPONENTS) {
		const unsigned component = order[s->at];

		if (s->step == STEP_END || !(s->components >> component & 1u)) {
			s->at++;
			s->step = STEP_RESET;
			continue;
		}
		if (s->step == STEP_SETTINGS) {
			if (next_setting(s, component, out))
				return true;
			s->word = s->turn = 0;
		}
		const bool written = write_step(s, component, out);

		s->step++;
		if (written)
			return true;
	}
	return false;
}

/* ---- parameters to registers ---------------------------------------------------------------- */

static void set_field(struct hs_tc_regs *r, unsigned field, uint32_t value)
{
	tc_put(r, HS_TC_ENCODER, field, value);
}

enum hs_status hs_tc_set_nt_config(struct hs_tc_regs *r, const struct hs_nt_config *config)
{
	struct hs_nt_config c;

	if (base_take_config(&c, sizeof c, config) != HS_OK || hs_nt_config_check(config) != HS_OK)
		return HS_E_CONFIG;
	if (c.sync_mode > HS_NT_SYNC_HALFWORDS)
		return HS_E_UNSUPPORTED;
	set_field(r, HS_TCF_TE_INST_MODE, c.inst_mode ? c.inst_mode : HS_NT_HTM);
	set_field(r, HS_TCF_TE_CONTEXT, c.context);
	set_field(r, HS_TCF_TE_INST_STALL_ENA, c.stall);
	set_field(r, HS_TCF_TE_INHIBIT_SRC, c.inhibit_src);
	set_field(r, HS_TCF_TE_INST_SYNC_MODE, c.sync_mode);
	set_field(r, HS_TCF_TE_INST_SYNC_MAX, c.sync_max);
	set_field(r, HS_TCF_TE_FORMAT, 1);
	set_field(r, HS_TCF_TE_INST_EN_SEQUENTIAL_JUMP, c.sequential_jump);
	set_field(r, HS_TCF_TE_INST_EN_IMPLICIT_RETURN, c.implicit_return != 0);
	set_field(r, HS_TCF_TE_INST_IMPLICIT_RETURN_MODE, c.implicit_return);
	set_field(r, HS_TCF_TE_INST_EN_REPEATED_HISTORY, c.repeated_history);
	set_field(r, HS_TCF_TE_INST_EN_ALL_JUMPS, c.all_jumps);
	set_field(r, HS_TCF_TE_INST_EXTEND_ADDR_MSB, c.extend_addr);
	set_field(r, HS_TCF_TE_SRC_ID, c.src_id);
	set_field(r, HS_TCF_TE_SRC_BITS, c.src_bits);
	set_field(r, HS_TCF_TS_ACTIVE, c.timestamps);
	set_field(r, HS_TCF_TS_ENABLE, c.timestamps);
	set_field(r, HS_TCF_TS_COUNT, c.timestamps);
	set_field(r, HS_TCF_TS_MODE, c.timestamps ? HS_TC_SYSTEM : 0);
	if (c.tstamp_bits) /* for those who read what is printed: a device ignores it */
		set_field(r, HS_TCF_TS_WIDTH, c.tstamp_bits < 63 ? c.tstamp_bits : 63);
	return HS_OK;
}
