/* What the files of this room share: where 0.1.4 and 1.0 put the same things. */
#ifndef HS_CTR_PRIVATE_H
#define HS_CTR_PRIVATE_H

#include <hartscope/ctr.h>

#include "base/mem.h"

#define CTR_BIT(n) (UINT64_C(1) << (n))

/* Bits that both versions have at the same place. */
#define CTR_S CTR_BIT(1)
#define CTR_BPFRZ CTR_BIT(11)
#define CTR_LCOFIFRZ CTR_BIT(12)
#define CTR_ETEN CTR_BIT(38) /* 0.1.4 alone */
#define CTR_CLR CTR_BIT(7)   /* 0.1.4 alone */
#define CTR_FILTERS UINT64_C(0xff3e00000000)
#define CTR_DEPTH_LSB 16     /* 0.1.4 alone: in the control register */

#define CTR_CCV CTR_BIT(15)
#define CTR_CSRIND CTR_BIT(60) /* mstateen0, hstateen0 (Smcsrind) */

/* What differs between the versions, as data. */
struct ctr_profile {
	uint64_t m, u, mte, ste, rasemu; /* bits of the control register */
	uint64_t clr, eten;              /* 0 where there is none */
	uint64_t wrap, frozen;           /* bits of the status register */
	uint64_t stateen;                /* bit of mstateen0 and hstateen0 */
	uint8_t enable[8];               /* by enum hs_priv: its bit, of vsctl for VS and VU */
	uint8_t codes[5];                /* DEPTH of 16, 32, 64, 128, 256 */
	bool mireg;                      /* miselect reaches the entries */
	bool target_alone;               /* external traps: intervening modes have no say */
};

extern const struct ctr_profile ctr_profiles[2]; /* by enum hs_ctr_version */

static inline const struct ctr_profile *ctr_profile(const struct hs_ctr *c)
{
	return &ctr_profiles[c->config.version == HS_CTR_1_0];
}

static inline unsigned ctr_depth(const struct hs_ctr *c)
{
	return 16u << (c->depth > 4 ? 4 : c->depth);
}

/* Bits of mctl that software can change, DEPTH and CLR aside; vsctl's are without M and MTE. */
uint64_t ctr_fields(const struct hs_ctr *c);
uint64_t ctr_vs_fields(const struct hs_ctr *c);

/* control.c: register contents. */
uint64_t ctr_get_control(const struct hs_ctr *c, bool v, bool all);
void ctr_set_control(struct hs_ctr *c, bool v, bool all, bool may_clear, uint64_t value);
uint32_t ctr_get_status(const struct hs_ctr *c);
void ctr_set_status(struct hs_ctr *c, uint64_t value);
void ctr_set_depth(struct hs_ctr *c, unsigned code);
uint64_t ctr_get_entry(const struct hs_ctr *c, unsigned index, unsigned which);
void ctr_put_entry(struct hs_ctr *c, unsigned index, unsigned which, uint64_t value, unsigned xlen);
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

/* Transfer Type Filtering: types that do not pass.  Not-taken branches opt in, the others opt out. */
static inline uint32_t ctr_stopped(uint64_t control)
{
	return (uint32_t)(control >> 32) ^ 1u << HS_CTR_NOT_TAKEN;
}

/* What every record needs is in line: a transfer takes few nanoseconds. */

/* WARL: all valid addresses, and what is not valid becomes so ("ctrsource").  With XLEN < MXLEN the
 * upper half is 0. */
static inline uint64_t ctr_address(const struct hs_ctr *c, uint64_t pc, unsigned xlen)
{
	const unsigned drop = 64u - c->config.va_bits;

	pc &= ~UINT64_C(1);
	if (xlen == 32 || c->config.xlen == 32)
		return pc & UINT32_MAX;
	if (!c->config.va_bits)
		return pc;
	pc <<= drop & 63;
	return pc >> 63 ? ~(~pc >> (drop & 63)) : pc >> (drop & 63);
}

/* The same, where most harts have nothing to convert. */
static inline uint64_t ctr_recorded(const struct hs_ctr *c, uint64_t pc, unsigned xlen)
{
	return c->decisions.whole && xlen != 32 ? pc & ~UINT64_C(1) : ctr_address(c, pc, xlen);
}

/* Bits of ctrtarget and ctrdata that exist. */
static inline uint64_t ctr_target_mask(const struct hs_ctr *c)
{
	return ~UINT64_C(1) | (c->config.misp ? 1 : 0);
}

static inline uint64_t ctr_data_mask(const struct hs_ctr *c)
{
	uint64_t mask = c->config.type ? 15 : 0;

	if (c->config.options & HS_CTR_PRESERVE)
		mask |= c->config.xlen == 64 ? ~UINT64_C(0xffffffff) | 0x7ff0 : 0x7ff0;
	if (c->config.cc)
		mask |= CTR_CCV | (CTR_BIT(28 + (c->config.cce_bits & 7)) - CTR_BIT(16));
	return mask;
}

static inline uint32_t ctr_cycles_max(unsigned cce_bits)
{
	/* the width of the counter is a table of 1.0, "Cycle Counter Size Options" */
	static const uint8_t bits[] = { 12, 13, 15, 19, 27 };

	return (UINT32_C(1) << bits[cce_bits > 4 ? 4 : cce_bits]) - 1;
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

/* CCV and CC of a record made now; the count starts again. */
static inline uint64_t ctr_take_cycles(struct hs_ctr *c, bool rasemu)
{
	const bool valid = c->ccv && !(rasemu && (c->config.options & HS_CTR_RAS_NO_CC));
	const uint64_t cc = ctr_cc_encode(c->cycles);

	c->cycles = 0;
	c->ccv = true;
	return cc << 16 | (uint64_t)valid << 15;
}

/* cycles.c */

/* RASEMU took @e away. */
void ctr_pop_cycles(struct hs_ctr *c, const struct hs_ctr_entry *e);

/* The same text? */
bool ctr_same(const char *a, const char *b);

#endif
