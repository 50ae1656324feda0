/* Settings of CTR by name, and the hart that they make. */
#include <string.h>
#include <strings.h>

#include "core/config.h"
#include "ctr_host/ctr_host.h"

#define DEFAULT_DEPTH 32u
#define MODES_1_0 \
	(HS_CTR_BITS(1_0, CONTROL, M) | HS_CTR_BITS(1_0, CONTROL, S) | HS_CTR_BITS(1_0, CONTROL, U))
#define ETEN HS_CTR_BITS(0_1_4, CONTROL, ETEN)

/* ---- by name ------------------------------------------------------------------------- */

/* Modes that can be enabled; their bits are kept inverted, in hs_ctr_settings.disabled. */
static const struct mode {
	const char *name;
	uint8_t priv;
} modes[] = {
	{ "M", HS_PRIV_M },   { "S", HS_PRIV_S },   { "U", HS_PRIV_U },
	{ "VS", HS_PRIV_VS }, { "VU", HS_PRIV_VU },
};
#define MODES (sizeof(modes) / sizeof(*modes))

/* Fields of the control registers, at their places in 1.0, and which registers a name sets. */
enum { MCTL = 1, VSCTL = 2, BOTH = 3 };
static const struct field {
	const char *name;
	uint8_t to;
	uint64_t bit;
} fields[] = {
	{ "MTE", MCTL, HS_CTR_BITS(1_0, CONTROL, MTE) },
	{ "STE", MCTL, HS_CTR_BITS(1_0, CONTROL, STE) },
	{ "VSTE", VSCTL, HS_CTR_BITS(1_0, CONTROL, STE) },
	{ "RASEMU", BOTH, HS_CTR_BITS(1_0, CONTROL, RASEMU) },
	{ "BPFRZ", BOTH, HS_CTR_BITS(1_0, CONTROL, BPFRZ) },
	{ "LCOFIFRZ", BOTH, HS_CTR_BITS(1_0, CONTROL, LCOFIFRZ) },
	{ "ETEN", BOTH, ETEN },
#define HS_CTR_TYPE(id, code, name, filter) { #filter, BOTH, HS_CTR_FILTER(code) },
#include <hartscope/tables/registers.def>
#undef HS_CTR_TYPE
	/* other spellings in 1.0 */
	{ "INDJMPINH", BOTH, HS_CTR_FILTER(HS_CTR_JUMP_IND) },
	{ "DIRJMPINH", BOTH, HS_CTR_FILTER(HS_CTR_JUMP) },
	{ "INDLJMPINH", BOTH, HS_CTR_FILTER(HS_CTR_OTHER_IND) },
	{ "DIRLJMPINH", BOTH, HS_CTR_FILTER(HS_CTR_OTHER) },
};
#define FIELDS (sizeof(fields) / sizeof(*fields))

/* Settings with a list of values; each value's number is its place in the list. */
enum id { VERSION, DEPTH, MODE, CYCLES, CCE, MISP, CONTEXTS, OPTION };
static const struct setting {
	const char *name, *words;
	uint8_t id, option;
} settings[] = {
	{ "version", "0.1.4 1.0", VERSION, 0 },
	{ "depth", "16 32 64 128 256", DEPTH, 0 },
	{ "mode", "U S M", MODE, 0 },
	{ "cycles", "off instructions time counts", CYCLES, 0 },
	{ "cce", "0 1 2 3 4", CCE, 0 },
	{ "predictor", "off bimodal gshare", MISP, 0 },
	{ "contexts", "keep clear swap", CONTEXTS, 0 },
	{ "type6", "0 1", OPTION, HS_CTR_TYPE6 },
	{ "v-as-1.0", "0 1", OPTION, HS_CTR_V_AS_1_0 },
	{ "freeze-as-1.0", "0 1", OPTION, HS_CTR_FREEZE_AS_1_0 },
	{ "ras-no-cc", "0 1", OPTION, HS_CTR_RAS_NO_CC },
};
#define SETTINGS (sizeof(settings) / sizeof(*settings))

#define NO_WORD (-1)

/* The place of @value in a list of words, or NO_WORD. */
static int word_of(const char *words, const char *value)
{
	const size_t n = strlen(value);
	int i = 0;

	for (const char *w = words; n; i++) {
		const size_t length = strcspn(w, " ");

		if (length == n && strncasecmp(w, value, n) == 0)
			return i;
		if (!w[length])
			break;
		w += length + 1;
	}
	return NO_WORD;
}

static void set_value(struct hs_ctr_settings *s, const struct setting *row, unsigned v)
{
	static const uint8_t versions[] = { HS_CTR_0_1_4, HS_CTR_1_0 };
	static const uint8_t privs[] = { HS_PRIV_U, HS_PRIV_S, HS_PRIV_M };

	switch (row->id) {
	case VERSION:
		s->version = versions[v];
		break;
	case DEPTH:
		s->depth = (uint16_t)(16u << v);
		break;
	case MODE:
		s->unknown_priv = privs[v];
		break;
	case CYCLES:
		s->cycles = (uint8_t)v;
		break;
	case CCE:
		s->cc_bits = (uint16_t)(12 + v);
		break;
	case MISP:
		s->misp = (uint8_t)v;
		break;
	case CONTEXTS:
		s->contexts = (uint8_t)v;
		break;
	default:
		s->options = (uint16_t)(v ? s->options | row->option : s->options & ~row->option);
	}
}

static void set_field(struct hs_ctr_settings *s, const struct field *f, bool on)
{
	if (f->to & MCTL)
		s->control = on ? s->control | f->bit : s->control & ~f->bit;
	if (f->to & VSCTL)
		s->vs_control = on ? s->vs_control | f->bit : s->vs_control & ~f->bit;
}

static void set_mode(struct hs_ctr_settings *s, const struct mode *m, bool on)
{
	const unsigned bit = 1u << m->priv;

	s->disabled = (uint16_t)(on ? s->disabled & ~bit : s->disabled | bit);
}

static const struct setting *find_setting(const char *name)
{
	for (size_t i = 0; i < SETTINGS; i++)
		if (strcasecmp(settings[i].name, name) == 0)
			return &settings[i];
	return NULL;
}

static const struct field *find_field(const char *name)
{
	for (size_t i = 0; i < FIELDS; i++)
		if (strcasecmp(fields[i].name, name) == 0)
			return &fields[i];
	return NULL;
}

static const struct mode *find_mode(const char *name)
{
	for (size_t i = 0; i < MODES; i++)
		if (strcasecmp(modes[i].name, name) == 0)
			return &modes[i];
	return NULL;
}

static enum hs_status set_by_name(struct hs_ctr_settings *s, const char *name, const char *value,
                                  struct hs_error *error)
{
	const struct setting *setting = find_setting(name);
	const struct field *field = find_field(name);
	const struct mode *mode = find_mode(name);
	const int v = word_of(setting ? setting->words : "0 1", value);

	if (!setting && !field && !mode)
		return hs_error_set(
			error, HS_E_CONFIG,
			"CTR has no setting '%s'; there are version, depth, mode, "
			"cycles, cce, predictor, contexts and the fields of the control "
			"register, such as RASEMU or TKBRINH",
			name);
	if (v == NO_WORD && setting)
		return hs_error_set(error, HS_E_CONFIG, "%s is one of: %s; not '%s'", setting->name,
		                    setting->words, value);
	if (v == NO_WORD)
		return hs_error_set(error, HS_E_CONFIG, "%s is 0 or 1, not '%s'",
		                    field ? field->name : mode->name, value);
	if (setting)
		set_value(s, setting, (unsigned)v);
	else if (field)
		set_field(s, field, v);
	else
		set_mode(s, mode, v);
	return HS_OK;
}

static enum hs_status take_settings(struct hs_ctr_settings *own,
                                    const struct hs_ctr_settings *given, struct hs_error *error)
{
	if (base_take_config(own, sizeof(*own), given) != HS_OK)
		return hs_error_set(error, HS_E_CONFIG, "settings that this library does not know");
	return HS_OK;
}

enum hs_status hs_ctr_settings_set(struct hs_ctr_settings *s, const char *name, const char *value,
                                   struct hs_error *error)
{
	struct hs_ctr_settings own;
	enum hs_status status = take_settings(&own, s, error);

	if (status == HS_OK)
		status = set_by_name(&own, name, value, error);
	if (status != HS_OK)
		return status;
	base_give_config(s, &own);
	return HS_OK;
}

/* ---- the hart ---------------------------------------------------------------------- */

/* Fields that both versions have, at different places in the control register. */
static const struct {
	uint64_t ratified, draft;
} moved[] = {
#define ROW(name) \
	{ \
		HS_CTR_BITS(1_0, CONTROL, name), HS_CTR_BITS(0_1_4, CONTROL, name) \
	}
	ROW(M), ROW(S), ROW(U), ROW(RASEMU), ROW(STE), ROW(MTE), ROW(BPFRZ), ROW(LCOFIFRZ),
#undef ROW
};

static uint64_t as_draft(uint64_t v)
{
	uint64_t out = v & (HS_CTR_FILTERS | ETEN);

	for (size_t i = 0; i < sizeof(moved) / sizeof(*moved); i++)
		if (v & moved[i].ratified)
			out |= moved[i].draft;
	return out;
}

/* DEPTH of 0.1.4 for a number of entries, at its place in the control register. */
static uint64_t draft_depth(unsigned entries)
{
	switch (entries) {
#define HS_CTR_DEPTH(entries, draft, ratified) \
	case entries: \
		return (uint64_t)(draft) << HS_CTR_LSB_0_1_4_CONTROL_DEPTH;
#include "ctr/ctr_depths.def"
#undef HS_CTR_DEPTH
	default:
		return 0;
	}
}

static bool is_depth(unsigned entries)
{
	return entries >= 16 && entries <= HS_CTR_ENTRIES && !(entries & (entries - 1));
}

/* The mode bits of 1.0 for a control register: @s and @u are VS and VU for the guest's. */
static uint64_t enabled_modes(const struct hs_ctr_settings *s, unsigned supervisor, unsigned user)
{
	uint64_t bits = 0;

	if (!(s->disabled >> supervisor & 1))
		bits |= HS_CTR_BITS(1_0, CONTROL, S);
	if (!(s->disabled >> user & 1))
		bits |= HS_CTR_BITS(1_0, CONTROL, U);
	if (supervisor == HS_PRIV_S && !(s->disabled >> HS_PRIV_M & 1))
		bits |= HS_CTR_BITS(1_0, CONTROL, M);
	return bits;
}

/* Write a control register as machine mode would; false if it does not hold all of @value then. */
static bool write_control(struct hs_ctr *c, const char *name, const char *upper, uint64_t value)
{
	const struct hs_ctr_env env = { .priv = HS_PRIV_M };
	const enum hs_ctr_version v = (enum hs_ctr_version)c->config.version;
	const unsigned csr = hs_ctr_csr_number(v, name);
	const unsigned half = upper ? hs_ctr_csr_number(v, upper) : 0;
	uint64_t read = 0, high = 0;

	if (c->config.xlen == 32 && half) {
		if (hs_ctr_write(c, &env, half, value >> 32) != HS_CTR_OK ||
		    hs_ctr_read(c, &env, half, &high) != HS_CTR_OK)
			return false;
	}
	if (hs_ctr_write(c, &env, csr, value) != HS_CTR_OK ||
	    hs_ctr_read(c, &env, csr, &read) != HS_CTR_OK)
		return false;
	return (read | high << 32) == value;
}

/* 1.0 "sctrdepth" */
static void write_depth(struct hs_ctr *c, unsigned entries)
{
	const struct hs_ctr_env env = { .priv = HS_PRIV_M };
	uint64_t code = 0;

	while (16u << code < entries)
		code++;
	hs_ctr_write(c, &env, hs_ctr_csr_number(HS_CTR_1_0, "sctrdepth"), code);
}

static bool write_controls(struct hs_ctr *c, const struct hs_ctr_settings *s)
{
	const uint64_t control = s->control | enabled_modes(s, HS_PRIV_S, HS_PRIV_U);
	const uint64_t guest = s->vs_control | enabled_modes(s, HS_PRIV_VS, HS_PRIV_VU);
	const uint64_t depth = draft_depth(s->depth);

	if (s->version == HS_CTR_0_1_4)
		return write_control(c, "mctrcontrol", "mctrcontrolh", as_draft(control) | depth) &&
		       write_control(c, "vsctrcontrol", "vsctrcontrolh", as_draft(guest) | depth);
	write_depth(c, s->depth);
	return write_control(c, "vsctrctl", NULL, guest) &&
	       write_control(c, "mctrctl", NULL, control);
}

static struct hs_ctr_config config_of(const struct hs_ctr_settings *s, unsigned xlen)
{
	const bool cc = s->cycles != HS_CTR_CYCLES_OFF;

	return (struct hs_ctr_config){
		.size = sizeof(struct hs_ctr_config),
		.version = s->version,
		.xlen = (uint8_t)xlen,
		.without = HS_CTR_NO_SMSTATEEN | (s->misp ? 0u : HS_CTR_NO_MISP) |
		           (cc ? 0u : HS_CTR_NO_CC),
		.options = s->options,
		.cc_bits = (uint8_t)(cc ? s->cc_bits : 0),
	};
}

/* Settings that no version has: false.  Fills in the defaults. */
static bool complete_settings(struct hs_ctr_settings *s)
{
	if (s->version == HS_CTR_ANY)
		s->version = HS_CTR_1_0;
	if (s->depth == 0)
		s->depth = DEFAULT_DEPTH;
	if ((s->control | s->vs_control) & MODES_1_0)
		return false;
	return s->version <= HS_CTR_0_1_4 && is_depth(s->depth) &&
	       s->cycles <= HS_CTR_CYCLES_COUNTS && s->cc_bits <= 16 &&
	       s->misp <= HS_CTR_MISP_CALLER && s->contexts <= HS_CTR_CONTEXTS_SWAP;
}

enum hs_status hs_ctr_settings_make(const struct hs_ctr_settings *given, unsigned xlen,
                                    struct hs_ctr *ctr, struct hs_error *error)
{
	struct hs_ctr_settings s;
	struct hs_ctr_config k;
	struct hs_ctr c;

	if (take_settings(&s, given, error) != HS_OK)
		return HS_E_CONFIG;
	if (!complete_settings(&s))
		return hs_error_set(error, HS_E_CONFIG,
		                    "no such version, depth or other setting of CTR");
	const bool draft = s.version == HS_CTR_0_1_4;

	if (!draft && ((s.control | s.vs_control) & ETEN))
		return hs_error_set(error, HS_E_CONFIG, "ETEN exists only in 0.1.4");
	k = config_of(&s, xlen);
	if (hs_ctr_init(&c, &k) != HS_OK)
		return hs_error_set(error, HS_E_CONFIG, "%s",
		                    draft ? "no such hart has CTR 0.1.4"
		                          : "type6, v-as-1.0 and freeze-as-1.0 are only for 0.1.4");
	if (!write_controls(&c, &s))
		return hs_error_set(
			error, HS_E_CONFIG, "%s",
			xlen == 32 && !draft
				? "1.0 has no filters on RV32: their half of the register does "
				  "not exist"
				: "a field of the control register cannot be set");
	*ctr = c;
	return HS_OK;
}
