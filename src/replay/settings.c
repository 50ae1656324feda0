/* Settings of CTR by name, and the hart that they make. */
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include <hartscope/ctr_replay.h>

#define BIT(n) (UINT64_C(1) << (n))
#define ETEN BIT(38)
#define FILTERS UINT64_C(0xff3e00000000)

/* Fields of the control registers: where 1.0 has them, and to which registers a person's word goes. */
enum { MCTL = 1, VSCTL = 2, BOTH = 3 };
static const struct field {
	const char *name;
	uint8_t to, bit;
} fields[] = {
	{ "M", MCTL, 2 }, { "S", MCTL, 1 }, { "U", MCTL, 0 }, { "VS", VSCTL, 1 }, { "VU", VSCTL, 0 },
	{ "MTE", MCTL, 9 }, { "STE", MCTL, 8 }, { "VSTE", VSCTL, 8 }, { "RASEMU", BOTH, 7 },
	{ "BPFRZ", BOTH, 11 }, { "LCOFIFRZ", BOTH, 12 }, { "ETEN", BOTH, 38 },
#define HS_CTR_TYPE(id, code, name, filter) { #filter, BOTH, 32 + (code) },
#include <hartscope/tables/ctr_types.def>
#undef HS_CTR_TYPE
	/* 1.0 writes some of them otherwise */
	{ "INDJMPINH", BOTH, 42 }, { "DIRJMPINH", BOTH, 43 }, { "INDLJMPINH", BOTH, 46 },
	{ "DIRLJMPINH", BOTH, 47 },
};
#define FIELDS (sizeof(fields) / sizeof(*fields))

/* Settings with a value of their own. */
enum id { VERSION, DEPTH, MODE, CYCLES, CCE, OPTION };
static const struct setting {
	const char *name, *words; /* the first word is value 0 */
	uint8_t id, option;
} settings[] = {
	{ "version", "0.1.4 1.0", VERSION, 0 },
	{ "depth", "16 32 64 128 256", DEPTH, 0 },
	{ "mode", "U S - M", MODE, 0 },
	{ "cycles", "off instructions time", CYCLES, 0 },
	{ "cce", "0 1 2 3 4", CCE, 0 },
	{ "type6", "0 1", OPTION, HS_CTR_TYPE6 },
	{ "v-as-1.0", "0 1", OPTION, HS_CTR_V_AS_1_0 },
	{ "freeze-as-1.0", "0 1", OPTION, HS_CTR_FREEZE_AS_1_0 },
	{ "ras-no-cc", "0 1", OPTION, HS_CTR_RAS_NO_CC },
};
#define SETTINGS (sizeof(settings) / sizeof(*settings))

void hs_ctr_settings_init(struct hs_ctr_settings *s)
{
	*s = (struct hs_ctr_settings){ .version = HS_CTR_1_0, .depth = 1, .unknown_priv = HS_PRIV_U,
		                       .cce_bits = 4, .control = 7, .vs_control = 3 };
}

/* The place of @value in a list of words, or -1. */
static int word_of(const char *words, const char *value)
{
	const size_t n = strlen(value);
	int i = 0;

	for (const char *w = words; n; i++) {
		const size_t length = strcspn(w, " ");

		if (length == n && strncasecmp(w, value, n) == 0 && *w != '-')
			return i;
		if (!w[length])
			break;
		w += length + 1;
	}
	return -1;
}

static void put(struct hs_ctr_settings *s, const struct setting *row, uint8_t v)
{
	switch (row->id) {
	case VERSION: s->version = v; break;
	case DEPTH:   s->depth = v; break;
	case MODE:    s->unknown_priv = v; break;
	case CYCLES:  s->cycles = v; break;
	case CCE:     s->cce_bits = v; break;
	default:      s->options = (uint8_t)(v ? s->options | row->option : s->options & ~row->option);
	}
}

static void put_field(struct hs_ctr_settings *s, const struct field *f, bool on)
{
	const uint64_t bit = BIT(f->bit);

	if (f->to & MCTL)
		s->control = on ? s->control | bit : s->control & ~bit;
	if (f->to & VSCTL)
		s->vs_control = on ? s->vs_control | bit : s->vs_control & ~bit;
}

enum hs_status hs_ctr_settings_set(struct hs_ctr_settings *s, const char *name, const char *value,
                                   struct hs_error *error)
{
	for (size_t i = 0; i < SETTINGS; i++) {
		const int v = word_of(settings[i].words, value);

		if (strcasecmp(settings[i].name, name) != 0)
			continue;
		if (v < 0)
			return hs_error_set(error, HS_E_CONFIG, "%s is one of: %s; not '%s'", settings[i].name,
			                    settings[i].id == MODE ? "U S M" : settings[i].words, value);
		put(s, &settings[i], (uint8_t)v);
		return HS_OK;
	}
	for (size_t i = 0; i < FIELDS; i++) {
		const int v = word_of("0 1", value);

		if (strcasecmp(fields[i].name, name) != 0)
			continue;
		if (v < 0)
			return hs_error_set(error, HS_E_CONFIG, "%s is 0 or 1, not '%s'", fields[i].name, value);
		put_field(s, &fields[i], v);
		return HS_OK;
	}
	return hs_error_set(error, HS_E_CONFIG, "CTR has no setting '%s'; there are version, depth, mode, cycles, "
	                                        "cce and the fields of the control register, such as RASEMU or TKBRINH",
	                    name);
}

/* ---- the hart ---------------------------------------------------------------------- */

/* Fields of 1.0's register where 0.1.4 has them. */
static uint64_t as_draft(uint64_t v)
{
	static const uint8_t to[] = { 2, 1, 0, [7] = 10, 9, 8, [11] = 11, 12 };
	uint64_t out = v & (FILTERS | ETEN);

	for (unsigned i = 0; i < sizeof(to); i++)
		if ((i < 3 || i > 6) && i != 10 && (v >> i & 1))
			out |= BIT(to[i]);
	return out;
}

/* Write a control register as machine mode would; false where it does not take all of @value. */
static bool write_control(struct hs_ctr *c, const char *name, const char *upper, uint64_t value)
{
	const struct hs_ctr_env env = { .priv = HS_PRIV_M };
	const enum hs_ctr_version v = (enum hs_ctr_version)c->config.version;
	const unsigned csr = hs_ctr_csr_number(v, name), half = upper ? hs_ctr_csr_number(v, upper) : 0;
	uint64_t read = 0, high = 0;

	if (c->config.xlen == 32 && half) {
		if (hs_ctr_write(c, &env, half, value >> 32) != HS_CTR_OK ||
		    hs_ctr_read(c, &env, half, &high) != HS_CTR_OK)
			return false;
	}
	if (hs_ctr_write(c, &env, csr, value) != HS_CTR_OK || hs_ctr_read(c, &env, csr, &read) != HS_CTR_OK)
		return false;
	return (read | high << 32) == value;
}

static struct hs_ctr_config config_of(const struct hs_ctr_settings *s, unsigned xlen)
{
	struct hs_ctr_config k = { .version = s->version, .xlen = (uint8_t)xlen, .u = true, .s = true,
		                   .h = true, .sscofpmf = true, .type = true, .depths = (uint8_t)(1u << s->depth),
		                   .options = s->options, .fields = HS_CTR_ALL_FIELDS };

	k.cc = s->cycles != HS_CTR_CYCLES_OFF;
	k.cce_bits = k.cc ? s->cce_bits : 0;
	return k;
}

enum hs_status hs_ctr_settings_make(const struct hs_ctr_settings *s, unsigned xlen, struct hs_ctr *ctr,
                                    struct hs_error *error)
{
	static const uint64_t codes[] = { 0, 1, 3, 7, 15 };
	const bool draft = s->version == HS_CTR_0_1_4;
	struct hs_ctr_config k;
	struct hs_ctr c;
	bool good;

	if (s->version > HS_CTR_1_0 || s->depth > 4)
		return hs_error_set(error, HS_E_CONFIG, "no such version or depth of CTR");
	k = config_of(s, xlen);
	if (!draft && ((s->control | s->vs_control) & ETEN))
		return hs_error_set(error, HS_E_CONFIG, "ETEN is in 0.1.4 alone");
	if (hs_ctr_init(&c, &k) != HS_OK)
		return hs_error_set(error, HS_E_CONFIG, "%s", draft ? "no such hart has CTR 0.1.4"
		                    : "type6, v-as-1.0 and freeze-as-1.0 are for 0.1.4 alone");
	if (draft) {
		const uint64_t depth = codes[s->depth] << 16;

		good = write_control(&c, "vsctrcontrol", "vsctrcontrolh", as_draft(s->vs_control) | depth) &&
		       write_control(&c, "mctrcontrol", "mctrcontrolh", as_draft(s->control) | depth);
	} else {
		good = write_control(&c, "vsctrctl", NULL, s->vs_control) &&
		       write_control(&c, "mctrctl", NULL, s->control);
	}
	if (!good)
		return hs_error_set(error, HS_E_CONFIG, xlen == 32 && !draft
		                    ? "1.0 has no filters on RV32: their half of the register does not exist"
		                    : "a field of the control register cannot be set");
	*ctr = c;
	return HS_OK;
}
