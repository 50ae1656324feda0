/* Rows of the CTR tests.  A row is a kind of hart and what happens to it, step by step:
 *
 *	{ "name with the ids of its rules", versions and XLEN, kind of hart, { steps } },
 *
 * Values of control and status registers are written with the fields of 0.1.4 (EN_M,
 * DEPTH_CODE(15), ...).  For 1.0 the runner moves the fields to where that text has them, so
 * that one row runs for both versions, with RV64 and RV32.  CSR_... steps take numbers and
 * values of CSRs as they are. */
#ifndef CTR_RUN_H
#define CTR_RUN_H

#include "cases.h"

#include <hartscope/ctr.h>

/* ---- columns of a row ------------------------------------------------------------------ */

/* Versions and XLEN that a row runs for. */
enum {
	DRAFT_RV64 = 1,
	DRAFT_RV32 = 2,
	RATIFIED_RV64 = 4,
	RATIFIED_RV32 = 8,
	DRAFT = DRAFT_RV64 | DRAFT_RV32,
	RATIFIED = RATIFIED_RV64 | RATIFIED_RV32,
	BOTH = DRAFT | RATIFIED,
	HAS_FILTERS = DRAFT | RATIFIED_RV64, /* on RV32, 1.0 has no upper half to set them in */
	RV64 = DRAFT_RV64 | RATIFIED_RV64,
	RV32 = DRAFT_RV32 | RATIFIED_RV32,
};

/* Kinds of harts: everything, or one thing different. */
enum harts {
	FULL,             /* everything that the version has, depths 16 to 256 */
	NO_H,             /* M, S, U */
	NO_S,             /* M, U */
	ONLY_M,
	BARE,             /* no optional field of any register, no Sscofpmf */
	DEPTHS_32_64,
	NO_SMSTATEEN,
	ADDRESS_39,       /* RV64: virtual addresses of 39 bits, physical ones of 34 */
	ADDRESS_39_PA,    /* RV64: virtual addresses of 39 bits, physical ones as the version has */
	CC_12,            /* CC of 12 bits: no exponent; ... */
	CC_13,
	CC_14,
	CC_15,
	NO_OPTIONAL_DATA, /* neither MISP nor TYPE nor cycle counting */
	OPTION_A1,        /* options of design/ctr */
	OPTION_A2,
	OPTION_A3,
	OPTION_A5,
	OPTION_A8,
	OPTION_A9,
	RAS_WITHOUT_CC,
};

/* Fields of the control registers (0.1.4 "mctrcontrol"). */
#define EN_M 1ull
#define EN_S 2ull
#define EN_U 4ull
#define CLR 0x80ull
#define MTE 0x100ull
#define STE 0x200ull
#define RASEMU 0x400ull
#define BPFRZ 0x800ull
#define LCOFIFRZ 0x1000ull
#define DEPTH_CODE(code) ((uint64_t)(code) << 16) /* 0, 1, 3, 7, 15: 16 to 256 entries */
#define NTBREN (1ull << 36)
#define ETEN (1ull << 38)
#define FILTER(type) (1ull << (32 + (type)))
#define ALL_FILTERS 0xff3e00000000ull /* without ETEN and bit 39 */
/* Fields of the status register (0.1.4 "mctrstatus"). */
#define WRAP 0x4000ull
#define FROZEN 0x8000ull
/* Bits of mstateen0 and hstateen0. */
#define STATEEN_0_1_4 (1ull << 55)
#define STATEEN_1_0 (1ull << 54)
#define CSRIND (1ull << 60)

/* ctrdata.TYPE (0.1.4 and 1.0 "Control Transfer Record Metadata"). */
enum {
	NO_TYPE = 0, EXCEPTION = 1, INTERRUPT = 2, TRET = 3, NOT_TAKEN = 4, TAKEN = 5, TYPE_6 = 6,
	CALL_IND = 8, CALL = 9, JUMP_IND = 10, JUMP = 11, SWAP = 12, RETURN = 13, OTHER_IND = 14,
		OTHER = 15,
};

/* Codes of xcause. */
enum { BREAKPOINT = 3, LCOFI = 13 };

enum {
	U_MODE = HS_PRIV_U, S_MODE = HS_PRIV_S, M_MODE = HS_PRIV_M,
	VU_MODE = HS_PRIV_VU, VS_MODE = HS_PRIV_VS, DEBUG_MODE = HS_CTR_DEBUG,
};

/* Registers that both versions have, by their level; in 1.0 MSTATUS is STATUS. */
enum reg { MCTL, SCTL, VSCTL, STATUS, MSTATUS };

/* CSRs that rows access by their number (0.1.4 and 1.0 "CSR Listing", Smcsrind, Sscsrind). */
enum {
	CSR_SISELECT = 0x150, CSR_SIREG, CSR_SIREG2, CSR_SIREG3, CSR_SI_RESERVED, CSR_SIREG4,
		CSR_SIREG5,
	CSR_SIREG6,
	CSR_VSISELECT = 0x250, CSR_VSIREG, CSR_VSIREG2, CSR_VSIREG3,
	CSR_MISELECT = 0x350, CSR_MIREG, CSR_MIREG2, CSR_MIREG3, CSR_MI_RESERVED, CSR_MIREG4,
		CSR_MIREG5,
	CSR_MIREG6,
	CSR_SCTRCONTROL = 0x181, CSR_SCTRCONTROLH = 0x182, CSR_VSCTRCONTROL = 0x281,
	CSR_VSCTRCONTROLH = 0x282, CSR_MCTRCONTROL = 0x381, CSR_MCTRCONTROLH = 0x382,
		CSR_MCTRSTATUS = 0x383,
	CSR_SCTRCTL = 0x14e, CSR_SCTRSTATUS = 0x14f, CSR_SCTRDEPTH = 0x15f, CSR_VSCTRCTL = 0x24e,
	CSR_MCTRCTL = 0x34e,
};

/* ---- steps ----------------------------------------------------------------------------- */

enum op {
	OP_END, OP_WRITE, OP_READ, OP_ANSWER, OP_CSR_WRITE, OP_CSR_READ, OP_CSR_ANSWER, OP_TRANSFER,
		OP_TRAP,
	OP_RETURN, OP_CYCLES, OP_ENTRY, OP_INVALID, OP_COUNT, OP_SELECT, OP_STATEEN, OP_SCTRCLR,
		OP_JUMPS,
	OP_MISSED
};

struct step {
	uint8_t op, priv, to, type, cause, xlen, to_xlen;
	uint16_t n;
	uint64_t a, b;
};

/* A mode writes an enum reg; reads it and gets a value; or is refused (OK, ILLEGAL, VIRTUAL,
 * NOT_MINE). */
#define WRITE(mode, reg, v) { .op = OP_WRITE, .priv = mode, .n = reg, .a = v }
#define READS(mode, reg, v) { .op = OP_READ, .priv = mode, .n = reg, .a = v }
#define ANSWERS(mode, reg, what) \
	{ .op = OP_ANSWER, .priv = mode, .n = reg, .type = HS_CTR_##what }
/* The same of a CSR's number. */
#define CSR_WRITE(mode, csr, v) { .op = OP_CSR_WRITE, .priv = mode, .n = csr, .a = v }
#define CSR_READS(mode, csr, v) { .op = OP_CSR_READ, .priv = mode, .n = csr, .a = v }
#define CSR_ANSWERS(mode, csr, what) \
	{ .op = OP_CSR_ANSWER, .priv = mode, .n = csr, .type = HS_CTR_##what }
#define SCTRCLR(mode, what) { .op = OP_SCTRCLR, .priv = mode, .type = HS_CTR_##what }

/* A transfer within a mode; predicted wrongly; with XLEN 32. */
#define TRANSFER(mode, t, source, target) \
	{ .op = OP_TRANSFER, .priv = mode, .type = t, .a = source, .b = target }
#define MISPREDICTED(mode, t, source, target) \
	{ .op = OP_TRANSFER, .priv = mode, .type = t, .a = source, .b = target, .cause = 1 }
#define TRANSFER_RV32(mode, t, source, target) \
	{ .op = OP_TRANSFER, .priv = mode, .type = t, .a = source, .b = target, .xlen = 32 }
/* @count direct jumps: 0x1000 to 0x2000, 0x1002 to 0x2002, ... */
#define JUMPS(mode, count) { .op = OP_JUMPS, .priv = mode, .n = count }

/* Changes of mode.  @code: of xcause. */
#define EXCEPTION_TO(from, mode, code, epc, handler) \
	{ .op = OP_TRAP, .priv = from, .to = mode, .type = EXCEPTION, .cause = code, \
	  .a = epc, .b = handler }
#define INTERRUPT_TO(from, mode, code, epc, handler) \
	{ .op = OP_TRAP, .priv = from, .to = mode, .type = INTERRUPT, .cause = code, \
	  .a = epc, .b = handler }
#define TRAP_RETURN(from, mode, source, target) \
	{ .op = OP_RETURN, .priv = from, .to = mode, .a = source, .b = target }

#define MISPREDICTED_RETURN(from, mode, source, target) \
	{ .op = OP_RETURN, .priv = from, .to = mode, .a = source, .b = target, .cause = 1 }

/* Changes of mode that change XLEN too. */
#define EXCEPTION_OF_RV32(from, mode, epc, handler) \
	{ .op = OP_TRAP, .priv = from, .to = mode, .type = EXCEPTION, .a = epc, .b = handler, \
	  .xlen = 32, .to_xlen = 64 }
#define RETURN_TO_RV32(from, mode, source, target) \
	{ .op = OP_RETURN, .priv = from, .to = mode, .a = source, .b = target, \
	  .xlen = 64, .to_xlen = 32 }

#define CYCLES(mode, count) { .op = OP_CYCLES, .priv = mode, .a = count }
#define CYCLES_MISSED { .op = OP_MISSED }

/* Logical entry @i: valid with these fields; not valid; with this CCV and CC. */
#define ENTRY(i, source, target, t) { .op = OP_ENTRY, .n = i, .a = source, .b = target, .type = t }
#define INVALID(i) { .op = OP_INVALID, .n = i }
#define COUNT(i, ccv, cc) { .op = OP_COUNT, .n = i, .type = ccv, .a = cc }

/* What the simulator holds: a selector (CSR_SISELECT, ...); mstateen0 and hstateen0. */
#define SELECT(selector, v) { .op = OP_SELECT, .n = selector, .a = v }
#define STATEEN(m, h) { .op = OP_STATEEN, .a = m, .b = h }

struct row {
	const char *name;
	uint8_t where, hart;
	struct step steps[40];
};

static inline struct hs_ctr_config ctr_config(unsigned hart, bool ratified, unsigned xlen)
{
	struct hs_ctr_config k = { .size = sizeof(k), .xlen = (uint8_t)xlen,
	                           .version = ratified ? HS_CTR_1_0 : HS_CTR_0_1_4 };
	static const uint8_t options[] = { [OPTION_A1] = 1, [OPTION_A2] = 2, [OPTION_A3] = 4,
	                                   [OPTION_A5] = 8, [OPTION_A8] = 16, [OPTION_A9] = 32,
	                                   [RAS_WITHOUT_CC] = 64 };

	if (hart == NO_H || hart == NO_S || hart == ONLY_M)
		k.without |= HS_CTR_NO_H;
	if (hart == NO_S || hart == ONLY_M)
		k.without |= HS_CTR_NO_S;
	if (hart == ONLY_M)
		k.without |= HS_CTR_NO_U;
	if (hart == NO_SMSTATEEN)
		k.without |= HS_CTR_NO_SMSTATEEN;
	if (hart == ADDRESS_39)
		k.va_bits = xlen == 64 ? 39 : 0, k.pa_bits = xlen == 64 ? 34 : 0;
	if (hart == ADDRESS_39_PA)
		k.va_bits = xlen == 64 ? 39 : 0;
	if (hart == DEPTHS_32_64)
		k.depths = 6;
	if (hart >= CC_12 && hart <= CC_15)
		k.cc_bits = (uint8_t)(12 + hart - CC_12);
	if (hart == BARE || hart == NO_OPTIONAL_DATA)
		k.without |= HS_CTR_NO_CC | HS_CTR_NO_MISP | HS_CTR_NO_TYPE;
	if (hart == BARE) {
		k.absent = UINT64_MAX;
		k.without |= HS_CTR_NO_SSCOFPMF;
	}
	if (hart >= OPTION_A1)
		k.options = options[hart];
	return k;
}

static const uint16_t ctr_numbers[2][5] = {
	{ 0x381, 0x181, 0x281, 0x183, 0x383 }, { 0x34e, 0x14e, 0x24e, 0x14f, 0x14f } };

/* The fields of 0.1.4 where 1.0 has them. */
static inline uint64_t ctr_moved(unsigned reg, uint64_t v)
{
	static const uint8_t to[] = { 2, 1, 0, [8] = 9, 8, 7, 11, 12 };
	uint64_t out = v & 0xffffffbf00000000ull;

	if (reg >= STATUS)
		return (v & 0xff) | (v & FROZEN) << 16;
	for (unsigned i = 0; i <= 12; i++)
		if ((v >> i & 1) && (i < 3 || i > 7))
			out |= 1ull << to[i];
	return out;
}

struct ctr_hart {
	struct hs_ctr c;
	struct hs_ctr_env env;
	bool ratified, h_halves;
	unsigned xlen;
};

static inline void ctr_write(struct ctr_hart *h, const struct step *s)
{
	const uint64_t v = h->ratified ? ctr_moved(s->n, s->a) : s->a;
	const unsigned csr = ctr_numbers[h->ratified][s->n];

	if (s->n < STATUS && h->h_halves) /* first, so that a row's CLR and DEPTH act last */
		assert_int_equal(hs_ctr_write(&h->c, &h->env, csr + 1, v >> 32), HS_CTR_OK);
	assert_int_equal(hs_ctr_write(&h->c, &h->env, csr, v), HS_CTR_OK);
}

static inline void ctr_read(struct ctr_hart *h, const struct step *s)
{
	uint64_t want = h->ratified ? ctr_moved(s->n, s->a) : s->a, got, upper = 0;
	const unsigned csr = ctr_numbers[h->ratified][s->n];

	assert_int_equal(hs_ctr_read(&h->c, &h->env, csr, &got), HS_CTR_OK);
	if (s->n < STATUS && h->h_halves)
		assert_int_equal(hs_ctr_read(&h->c, &h->env, csr + 1, &upper), HS_CTR_OK);
	if (h->xlen == 32 && h->ratified)
		want &= UINT32_MAX;
	assert_int_equal(got | upper << 32, want);
}

static inline void ctr_answer(struct ctr_hart *h, unsigned csr, unsigned want)
{
	const struct hs_ctr before = h->c;
	uint64_t untouched = 0x1234;

	assert_int_equal(hs_ctr_access(&h->c, &h->env, csr), want);
	assert_int_equal(hs_ctr_read(&h->c, &h->env, csr, &untouched), want);
	if (want != HS_CTR_OK) {
		assert_int_equal(untouched, 0x1234);
		assert_int_equal(hs_ctr_write(&h->c, &h->env, csr, UINT64_MAX), want);
		assert_memory_equal(&before, &h->c, sizeof(before));
	}
}

static inline void ctr_event(struct ctr_hart *h, const struct step *s)
{
	struct hs_ctr_transfer t = { .source = s->a, .target = s->b, .type = s->type,
	                             .from = s->priv, .to = s->to,
	                             .xlen = s->xlen,
	                             .to_xlen = s->to_xlen ? s->to_xlen : s->xlen };

	if (s->op == OP_TRAP) {
		hs_ctr_trap(&h->c, &t, s->cause);
	} else if (s->op == OP_RETURN) {
		t.misp = s->cause;
		hs_ctr_xret(&h->c, &t);
	} else {
		t.misp = s->cause;
		hs_ctr_retire(&h->c, &t);
	}
}

/* Transfers 0x1000 to 0x2000, 0x1002 to 0x2002, ...: direct jumps. */
static inline void ctr_many(struct ctr_hart *h, const struct step *s)
{
	for (unsigned i = 0; i < s->n; i++) {
		const struct step one = TRANSFER(s->priv, JUMP, 0x1000 + 2 * i, 0x2000 + 2 * i);

		ctr_event(h, &one);
	}
}

static inline void ctr_compare(struct ctr_hart *h, const struct step *s)
{
	const struct hs_ctr_entry e = hs_ctr_get_entry(&h->c, s->n);

	if (s->op == OP_INVALID) {
		assert_int_equal(e.source & 1, 0);
	} else if (s->op == OP_COUNT) {
		assert_int_equal(e.data >> 15 & 1, s->type);
		assert_int_equal(e.data >> 16, s->a);
	} else {
		assert_int_equal(e.source, s->a | 1);
		assert_int_equal(e.target, s->b);
		if (!(h->c.config.without & HS_CTR_NO_TYPE))
			assert_int_equal(e.data & 15, s->type);
		else
			assert_int_equal(e.data, 0);
	}
}

static inline void ctr_select(struct hs_ctr_env *env, unsigned selector, uint64_t value)
{
	switch (selector) {
	case CSR_SISELECT: env->siselect = value; break;
	case CSR_VSISELECT: env->vsiselect = value; break;
	default: env->miselect = value;
	}
}

static inline void ctr_step(struct ctr_hart *h, const struct step *s)
{
	uint64_t got;

	h->env.priv = s->priv;
	switch (s->op) {
	case OP_WRITE: ctr_write(h, s); break;
	case OP_READ: ctr_read(h, s); break;
	case OP_ANSWER: ctr_answer(h, ctr_numbers[h->ratified][s->n], s->type); break;
	case OP_CSR_WRITE:
		assert_int_equal(hs_ctr_write(&h->c, &h->env, s->n, s->a), HS_CTR_OK);
		break;
	case OP_CSR_READ:
		assert_int_equal(hs_ctr_read(&h->c, &h->env, s->n, &got), HS_CTR_OK);
		assert_int_equal(got, h->xlen == 32 ? s->a & UINT32_MAX : s->a);
		break;
	case OP_CSR_ANSWER: ctr_answer(h, s->n, s->type); break;
	case OP_CYCLES: hs_ctr_tick(&h->c, s->priv, s->a); break;
	case OP_SELECT:
		ctr_select(&h->env, s->n, s->a);
		break;
	case OP_STATEEN: h->env.mstateen0 = s->a, h->env.hstateen0 = s->b; break;
	case OP_SCTRCLR:
		assert_int_equal(hs_ctr_may_clear(&h->c, &h->env), s->type);
		assert_int_equal(hs_ctr_clear(&h->c, &h->env), s->type);
		break;
	case OP_JUMPS: ctr_many(h, s); break;
	case OP_MISSED: hs_ctr_invalidate_cc(&h->c); break;
	case OP_ENTRY:
	case OP_INVALID:
	case OP_COUNT:
		ctr_compare(h, s);
		break;
	default: ctr_event(h, s); break;
	}
}

static inline struct ctr_hart ctr_hart_of(unsigned hart, bool ratified, unsigned xlen)
{
	struct ctr_hart h = { .ratified = ratified, .xlen = xlen, .h_halves = !ratified &&
	                      xlen == 32 };
	const struct hs_ctr_config k = ctr_config(hart, ratified, xlen);

	h.env.mstateen0 = h.env.hstateen0 = UINT64_MAX;
	assert_int_equal(hs_ctr_init(&h.c, &k), HS_OK);
	return h;
}

static inline void ctr_run_row(void **state)
{
	const struct row *r = *state;

	for (unsigned i = 0; i < 4; i++) {
		struct ctr_hart h;

		if (!(r->where >> i & 1))
			continue;
		h = ctr_hart_of(r->hart, i >= 2, i & 1 ? 32 : 64);
		for (const struct step *s = r->steps; s->op != OP_END; s++) {
			print_message("# %s: %s RV%u, step %d\n", r->name, i >= 2 ? "1.0" : "0.1.4",
			              h.xlen,
			              (int)(s - r->steps));
			ctr_step(&h, s);
			assert_int_equal(hs_ctr_check(&h.c), HS_OK);
		}
	}
}

#endif
