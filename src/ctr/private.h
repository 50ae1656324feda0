/* What the files of this room share: where 0.1.4 and 1.0 put the same things. */
#ifndef HS_CTR_PRIVATE_H
#define HS_CTR_PRIVATE_H

#include <hartscope/ctr.h>

#include "core/mem.h"

#define CTR_BIT(n) (UINT64_C(1) << (n))
#define CTR_ADDRESS (~HS_CTR_BITS(ANY, SOURCE, V)) /* of ctrsource, and of ctrtarget */
#define CTR_TYPE_EXTERNAL_0_1 6 /* ctrdata.TYPE of external traps in draft 0.1 */
#define CTR_UPPER (~(uint64_t)UINT32_MAX)

/* The versions differ in these. */
struct ctr_profile {
	uint64_t m, s, u, mte, ste, rasemu, bpfrz, lcofifrz; /* bits of the control register */
	uint64_t clr, eten;    /* 0 where there is none */
	uint64_t wrap, frozen; /* bits of the status register */
	uint64_t stateen;      /* bit of mstateen0 and hstateen0 */
	uint8_t enable[8];     /* by enum hs_priv: the mode's bit, of vsctl for VS and VU */
	uint8_t codes[5];      /* DEPTH of 16, 32, 64, 128, 256 */
	bool mireg;            /* miselect reaches the entries */
	bool target_only;      /* external traps: modes between source and target have no effect */
};

extern const struct ctr_profile ctr_profiles[2]; /* 1.0, 0.1.4 */

static inline const struct ctr_profile *ctr_profile_of(const struct hs_ctr_config *k)
{
	return &ctr_profiles[k->version == HS_CTR_0_1_4];
}

static inline const struct ctr_profile *ctr_profile(const struct hs_ctr *c)
{
	return ctr_profile_of(&c->config);
}

/* @part: enum hs_ctr_without */
static inline bool ctr_lacks(const struct hs_ctr *c, uint32_t part)
{
	return c->config.without & part;
}

static inline unsigned ctr_depth(const struct hs_ctr *c)
{
	return 16u << (c->depth > 4 ? 4 : c->depth);
}

/* Bits of mctl that software can change, without DEPTH and CLR; those of vsctl lack M and MTE. */
uint64_t ctr_fields(const struct hs_ctr *c);
uint64_t ctr_vs_fields(const struct hs_ctr *c);

/* Could a hart be like this?  @k: with its defaults filled in. */
bool ctr_config_fits(const struct hs_ctr_config *k);

/* control.c: register contents. */
uint64_t ctr_get_control(const struct hs_ctr *c, bool v, bool all);
void ctr_set_control(struct hs_ctr *c, bool v, bool all, bool may_clear, uint64_t value);
uint32_t ctr_get_status(const struct hs_ctr *c);
void ctr_set_status(struct hs_ctr *c, uint64_t value);
uint8_t ctr_nearest_depth(const struct hs_ctr *c, unsigned code);
void ctr_set_depth(struct hs_ctr *c, unsigned code);
uint64_t ctr_get_entry(const struct hs_ctr *c, unsigned index, unsigned which);
void ctr_set_entry(struct hs_ctr *c, unsigned index, unsigned which, uint64_t value, unsigned xlen);
void ctr_zero_entries(struct hs_ctr *c);

/* decide.c: which modes and types are recorded. */
void ctr_decide(const struct hs_ctr *c, struct hs_ctr_decisions *d);

static inline bool ctr_is_virtual(unsigned priv)
{
	return priv == HS_PRIV_VS || priv == HS_PRIV_VU;
}

static inline uint64_t ctr_control(const struct hs_ctr *c, bool v)
{
	return v ? c->vsctl : c->mctl;
}

/* Debug Mode and modes that do not exist are never enabled. */
static inline bool ctr_enabled(const struct hs_ctr *c, unsigned priv)
{
	return priv < 8 && (ctr_control(c, ctr_is_virtual(priv)) & ctr_profile(c)->enable[priv]);
}

/* Transfer Type Filtering: types that are not recorded.  Not-taken branches opt in, others out. */
static inline uint32_t ctr_stopped(uint64_t control)
{
	return (uint32_t)(control >> 32) ^ 1u << HS_CTR_NOT_TAKEN;
}

/* Each record needs the functions from here on; they are inline because a transfer takes few
 * nanoseconds. */

/* WARL: holds all valid addresses, and makes others valid ("ctrsource").  With XLEN < MXLEN the
 * upper half is 0. */
static inline uint64_t ctr_address(const struct hs_ctr *c, uint64_t pc, unsigned xlen)
{
	const unsigned cut = c->decisions.cut;

	pc &= CTR_ADDRESS;
	if (xlen == 32 || c->config.xlen == 32)
		return pc & UINT32_MAX;
	pc <<= cut;
	return pc >> 63 ? ~(~pc >> cut) : pc >> cut;
}

/* The same, faster: most harts hold every address without conversion. */
static inline uint64_t ctr_recorded(const struct hs_ctr *c, uint64_t pc, unsigned xlen)
{
	return c->decisions.cut == 0 && xlen != 32 ? pc & CTR_ADDRESS : ctr_address(c, pc, xlen);
}

/* Bits of ctrtarget and ctrdata that exist. */
static inline uint64_t ctr_target_mask(const struct hs_ctr *c)
{
	return CTR_ADDRESS | (!ctr_lacks(c, HS_CTR_NO_MISP) ? HS_CTR_BITS(ANY, TARGET, MISP) : 0);
}

static inline uint64_t ctr_data_mask(const struct hs_ctr *c)
{
	const uint64_t defined = HS_CTR_BITS(ANY, DATA, TYPE) | HS_CTR_BITS(ANY, DATA, CCV) |
	                         HS_CTR_BITS(ANY, DATA, CC);
	uint64_t mask = 0;

	if (!ctr_lacks(c, HS_CTR_NO_TYPE))
		mask |= HS_CTR_BITS(ANY, DATA, TYPE);
	if (c->config.options & HS_CTR_PRESERVE)
		mask |= ~defined & (c->config.xlen == 64 ? UINT64_MAX : UINT32_MAX);
	if (!ctr_lacks(c, HS_CTR_NO_CC))
		mask |= HS_CTR_BITS(ANY, DATA, CCV) |
		        (CTR_BIT(c->config.cc_bits & 31) - 1) << HS_CTR_LSB_ANY_DATA_CC;
	return mask;
}

/* @exponent_bits: those of CC. */
static inline uint32_t ctr_cycles_max(unsigned exponent_bits)
{
	/* the width of the counter is a table of 1.0, "Cycle Counter Size Options" */
	static const uint8_t bits[] = { 12, 13, 15, 19, 27 };

	return (UINT32_C(1) << bits[exponent_bits > 4 ? 4 : exponent_bits]) - 1;
}

static inline unsigned ctr_exponent_bits(const struct hs_ctr_config *k)
{
	return k->cc_bits > 12 ? k->cc_bits - 12u : 0;
}

static inline void ctr_add_cycles(struct hs_ctr *c, uint64_t n)
{
	const uint32_t max = c->decisions.cycles_max;

	c->cycles = n > max - c->cycles ? max : c->cycles + (uint32_t)n;
}

static inline uint32_t ctr_cc_encode(uint32_t n)
{
	unsigned exponent = 0;

	if (__builtin_expect(n < 4096, 1))
		return n;
	while (n >> (exponent + 12))
		exponent++;
	return exponent << 12 | (n >> (exponent - 1) & 0xfff);
}

/* CCV and CC of a record made now; the count restarts. */
static inline uint64_t ctr_restart_cycles(struct hs_ctr *c, bool rasemu)
{
	const bool valid = c->ccv && !(rasemu && (c->config.options & HS_CTR_RAS_NO_CC));
	const uint64_t cc = ctr_cc_encode(c->cycles);

	c->cycles = 0;
	c->ccv = true;
	return cc << HS_CTR_LSB_ANY_DATA_CC | (uint64_t)valid << HS_CTR_LSB_ANY_DATA_CCV;
}

/* cycles.c */

/* RASEMU removed @e. */
void ctr_pop_cycles(struct hs_ctr *c, const struct hs_ctr_entry *e);

#endif
