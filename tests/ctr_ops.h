/* Harts with CTR, and what happens to them, made from numbers: random ones in
 * tests/property/ctr_csr.c, the bytes of an input in tests/fuzz/fuzz_ctr.c. */
#ifndef TESTS_CTR_OPS_H
#define TESTS_CTR_OPS_H

#include <hartscope/ctr.h>

/* Where numbers come from: 0..n-1, n at least 1. */
struct ctr_numbers {
	uint32_t (*below)(void *ctx, uint32_t n);
	void *ctx;
};

enum ctr_what { CTR_READ, CTR_WRITE, CTR_CLEAR, CTR_RETIRE, CTR_TRAP, CTR_XRET, CTR_TICK,
                CTR_MISSED };

struct ctr_op {
	enum ctr_what what;
	struct hs_ctr_env env; /* READ, WRITE, CLEAR; TICK: mode */
	unsigned csr;
	uint64_t value;        /* WRITE; TRAP: cause; TICK: cycles */
	struct hs_ctr_transfer t;
};

static inline uint32_t ctr_below(const struct ctr_numbers *s, uint32_t n)
{
	return s->below(s->ctx, n);
}

static inline bool ctr_flip(const struct ctr_numbers *s)
{
	return ctr_below(s, 2);
}

static inline uint64_t ctr_wide(const struct ctr_numbers *s)
{
	static const uint64_t some[] = { 0, 1, 7, 0xff, 0x7fff, 0x8000, UINT32_MAX, UINT64_MAX,
	                                 1ull << 63, 0x3ffffffffe,
		                         0xffffffc000000000, 0xff3e00001f87, 0x10000, 0xf0000 };
	uint64_t v = 0;

	if (ctr_below(s, 4) == 0)
		return some[ctr_below(s, sizeof(some) / sizeof(some[0]))];
	for (unsigned i = 0; i < 4; i++)
		v = v << 16 | ctr_below(s, 0x10000);
	return ctr_flip(s) ? v : v >> ctr_below(s, 64);
}

/* Not without @part, an enum hs_ctr_without. */
static inline bool ctr_hart_has(const struct hs_ctr_config *k, uint32_t part)
{
	return !(k->without & part);
}

/* External traps come with all of their bits (0.1.4 and 1.0 "External Traps"). */
static inline uint64_t ctr_fields_of(const struct ctr_numbers *s, bool ratified)
{
	uint64_t f = ctr_below(s, 3) ? UINT64_MAX : ctr_wide(s);

	if (ratified ? f & 0x300 : f >> 38 & 1)
		f |= 0x300;
	return f;
}

/* What hs_ctr_init() must accept. */
static inline struct hs_ctr_config ctr_any_config(const struct ctr_numbers *s)
{
	static const uint8_t runs[] = { 1, 2, 3, 4, 6, 7, 8, 12, 14, 15, 16, 24, 28, 30, 31 };
	struct hs_ctr_config k = { .size = sizeof(k) };
	const bool ratified = ctr_flip(s);

	k.version = ratified ? HS_CTR_1_0 : HS_CTR_0_1_4;
	k.xlen = ctr_flip(s) ? 64 : 32;
	const unsigned modes = ratified ? 2 + ctr_below(s, 2) : ctr_below(s, 5);

	k.without = (modes > 0 ? 0u : HS_CTR_NO_U) | (modes > 1 ? 0u : HS_CTR_NO_S) |
	            (modes > 2 ? 0u : HS_CTR_NO_H);
	k.without |= ctr_flip(s) ? 0u : HS_CTR_NO_SMSTATEEN;
	k.without |= ctr_flip(s) ? 0u : HS_CTR_NO_SSCOFPMF;
	k.without |= ctr_flip(s) ? 0u : HS_CTR_NO_MISP;
	k.without |= ctr_below(s, 4) ? 0u : HS_CTR_NO_TYPE;
	k.without |= ctr_below(s, 4) ? 0u : HS_CTR_NO_CC;
	k.cc_bits = (uint8_t)(k.without & HS_CTR_NO_CC ? 0 : 12 + ctr_below(s, 5));
	k.depths = (uint8_t)(ratified ? 1 + ctr_below(s, 31) : runs[ctr_below(s, sizeof(runs))]);
	k.va_bits = (uint8_t)(k.xlen == 64 && ctr_flip(s) ? 12 + ctr_below(s, 52) : 0);
	k.pa_bits = (uint8_t)(k.va_bits && ctr_flip(s) ? 12 + ctr_below(s, 51) : 0);
	k.options = (uint8_t)(ratified ? ctr_below(s, 4) * 8 & (HS_CTR_POISON | HS_CTR_RAS_NO_CC) :
	                                 ctr_below(s, 128));
	k.absent = ~ctr_fields_of(s, ratified);
	return k;
}

static inline uint8_t ctr_any_mode(const struct ctr_numbers *s, const struct hs_ctr_config *k)
{
	static const uint8_t modes[] = { HS_PRIV_M, HS_PRIV_U, HS_PRIV_S, HS_PRIV_VS, HS_PRIV_VU };

	const unsigned n = ctr_hart_has(k, HS_CTR_NO_H) ? 5 : ctr_hart_has(k, HS_CTR_NO_S) ? 3 :
	                   ctr_hart_has(k, HS_CTR_NO_U) ? 2 : 1;

	return modes[ctr_below(s, n)];
}

/* M-mode has MXLEN; so have all where that is 32. */
static inline uint8_t ctr_any_xlen(const struct ctr_numbers *s, const struct hs_ctr_config *k,
                                   unsigned mode)
{
	return k->xlen == 64 && mode != HS_PRIV_M && ctr_below(s, 4) == 0 ? 32 : k->xlen;
}

static inline uint64_t ctr_any_selector(const struct ctr_numbers *s)
{
	return ctr_below(s, 8) == 0 ? ctr_wide(s) : 0x200 + ctr_below(s, ctr_flip(s) ? 16 : 258);
}

static inline struct hs_ctr_env ctr_any_env(const struct ctr_numbers *s,
                                            const struct hs_ctr_config *k)
{
	struct hs_ctr_env e = { .priv = ctr_any_mode(s, k), .mstateen0 = UINT64_MAX,
	                        .hstateen0 = UINT64_MAX };

	e.xlen = ctr_any_xlen(s, k, e.priv);
	for (unsigned bit = 54; bit <= 60; bit += bit == 55 ? 5 : 1) {
		e.mstateen0 ^= (uint64_t)(ctr_below(s, 8) == 0) << bit;
		e.hstateen0 ^= (uint64_t)(ctr_below(s, 8) == 0) << bit;
	}
	e.miselect = ctr_any_selector(s);
	e.siselect = ctr_any_selector(s);
	e.vsiselect = ctr_any_selector(s);
	return e;
}

static inline unsigned ctr_any_csr(const struct ctr_numbers *s)
{
	static const uint16_t some[] = { 0x181, 0x182, 0x183, 0x281, 0x282, 0x381, 0x382, 0x383,
	                                 0x14e, 0x14f, 0x15f, 0x24e,
		                         0x34e, 0x150, 0x250, 0x350, 0x154 };
	const unsigned level = 0x150 + 0x100 * ctr_below(s, 3);

	if (ctr_below(s, 3) == 0)
		return level + 1 + ctr_below(s, 7);
	return ctr_below(s, 16) ? some[ctr_below(s, sizeof(some) / sizeof(some[0]))]
		: ctr_below(s, 0x1000);
}

static inline struct hs_ctr_transfer ctr_any_transfer(const struct ctr_numbers *s,
                                                      const struct hs_ctr_config *k)
{
	struct hs_ctr_transfer t = { .source = ctr_wide(s), .target = ctr_wide(s),
	                             .type = (uint8_t)ctr_below(s, 17),
	                             .from = ctr_any_mode(s, k), .to = ctr_any_mode(s, k),
	                             .misp = ctr_flip(s) };

	if (ctr_below(s, 32) == 0)
		t.to = HS_CTR_DEBUG;
	t.xlen = ctr_any_xlen(s, k, t.from);
	t.to_xlen = ctr_any_xlen(s, k, t.to);
	return t;
}

static inline struct ctr_op ctr_any_op(const struct ctr_numbers *s, const struct hs_ctr_config *k)
{
	static const uint8_t weights[] = { CTR_READ, CTR_WRITE, CTR_WRITE, CTR_RETIRE, CTR_RETIRE,
	                                   CTR_RETIRE, CTR_RETIRE,
		                           CTR_RETIRE, CTR_RETIRE, CTR_TRAP, CTR_TRAP, CTR_XRET,
		                           CTR_TICK, CTR_TICK,
		                           CTR_READ, CTR_WRITE, CTR_CLEAR, CTR_MISSED };
	struct ctr_op op = { .what = weights[ctr_below(s, ctr_below(s, 8) ? 16 : 18)] };

	if (op.what <= CTR_CLEAR || op.what == CTR_TICK)
		op.env = ctr_any_env(s, k);
	if (op.what <= CTR_WRITE)
		op.csr = ctr_any_csr(s);
	if (op.what == CTR_WRITE || op.what == CTR_TICK)
		op.value = ctr_wide(s);
	if (op.what == CTR_WRITE && ctr_below(s, 4)) /* most harts record: modes on, FROZEN off */
		op.value = (op.value | 7) & ~UINT64_C(0x80008000);
	if (op.what >= CTR_RETIRE && op.what <= CTR_XRET)
		op.t = ctr_any_transfer(s, k);
	if (op.what == CTR_TRAP) {
		op.t.type = (uint8_t)(1 + ctr_below(s, 2));
		op.value = ctr_below(s, 16) ? ctr_below(s, 16) : op.t.type == 1 ? 3 : 13;
	}
	return op;
}

/* @value: of a READ that answered HS_CTR_OK; else unchanged. */
static inline enum hs_ctr_answer ctr_do(struct hs_ctr *c, const struct ctr_op *op, uint64_t *value)
{
	switch (op->what) {
	case CTR_READ: return hs_ctr_read(c, &op->env, op->csr, value);
	case CTR_WRITE: return hs_ctr_write(c, &op->env, op->csr, op->value);
	case CTR_CLEAR: return hs_ctr_clear(c, &op->env);
	case CTR_RETIRE: hs_ctr_retire(c, &op->t); break;
	case CTR_TRAP: hs_ctr_trap(c, &op->t, op->value); break;
	case CTR_XRET: hs_ctr_xret(c, &op->t); break;
	case CTR_TICK: hs_ctr_tick(c, op->env.priv, op->value); break;
	case CTR_MISSED: hs_ctr_invalidate_cc(c); break;
	}
	return HS_CTR_OK;
}

#endif
