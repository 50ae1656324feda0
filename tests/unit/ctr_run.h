/* Rows of the CTR tests: a row is a hart and what happens to it, step by step.  Control and status
 * values are written as in 0.1.4; for 1.0 the runner moves the fields to where that text has them, so
 * that one row is run for both versions, with RV64 and RV32. */
#ifndef CTR_RUN_H
#define CTR_RUN_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include <hartscope/ctr.h>

/* Which versions and XLEN a row is for. */
enum { D64 = 1, D32 = 2, R64 = 4, R32 = 8, DRAFT = D64 | D32, RATIFIED = R64 | R32,
       BOTH = DRAFT | RATIFIED, FILTERS = DRAFT | R64, RV64 = D64 | R64, RV32 = D32 | R32 };

enum harts { FULL, MSU, MU, MONLY, BARE, SMALL, NOSTATE, V39, CCE0, CCE1, CCE2, CCE3, NOCC, A1, A2, A3, A5, A8, A9, RASN };

/* Control bits, 0.1.4. */
#define M_ 1ull
#define S_ 2ull
#define U_ 4ull
#define CLR_ 0x80ull
#define MTE 0x100ull
#define STE 0x200ull
#define RAS 0x400ull
#define BPF 0x800ull
#define LCO 0x1000ull
#define DEPTH_(code) ((uint64_t)(code) << 16)
#define NTBREN (1ull << 36)
#define ETEN (1ull << 38)
#define INH(type) (1ull << (32 + (type)))
#define ALLF 0xff3e00000000ull /* filters but ETEN, bit 39 aside */
/* Status bits, 0.1.4. */
#define WRAP 0x4000ull
#define FROZEN 0x8000ull

enum { PU = HS_PRIV_U, PS = HS_PRIV_S, PM = HS_PRIV_M, VU = HS_PRIV_VU, VS = HS_PRIV_VS, DBG = HS_CTR_DEBUG };
enum reg { MC, SC, VC, ST, MST };

enum op { END, WRITE, READ, ANSWER, RAWW, RAWR, RAWX, JUMP_TO, TRAP_TO, RET_TO, TICKS, ENTRY, INVALID, COUNT, SELECT,
          STATE, CLEAR, MANY, MISSED };
struct step {
	uint8_t op, priv, to, type, cause, xlen;
	uint16_t n;
	uint64_t a, b;
};
#define W(p, r, v) { .op = WRITE, .priv = p, .n = r, .a = v }
#define R(p, r, v) { .op = READ, .priv = p, .n = r, .a = v }
#define X(p, r, what) { .op = ANSWER, .priv = p, .n = r, .type = HS_CTR_##what }
#define RW(p, csr, v) { .op = RAWW, .priv = p, .n = csr, .a = v }
#define RR(p, csr, v) { .op = RAWR, .priv = p, .n = csr, .a = v }
#define RX(p, csr, what) { .op = RAWX, .priv = p, .n = csr, .type = HS_CTR_##what }
#define T(p, t, s, g) { .op = JUMP_TO, .priv = p, .type = t, .a = s, .b = g }
#define TM(p, t, s, g) { .op = JUMP_TO, .priv = p, .type = t, .a = s, .b = g, .cause = 1 }
#define T32(p, t, s, g) { .op = JUMP_TO, .priv = p, .type = t, .a = s, .b = g, .xlen = 32 }
#define EXC(f, t, c, s, g) { .op = TRAP_TO, .priv = f, .to = t, .type = 1, .cause = c, .a = s, .b = g }
#define INT(f, t, c, s, g) { .op = TRAP_TO, .priv = f, .to = t, .type = 2, .cause = c, .a = s, .b = g }
#define XRET(f, t, s, g) { .op = RET_TO, .priv = f, .to = t, .a = s, .b = g }
#define TICK(p, c) { .op = TICKS, .priv = p, .a = c }
#define E(i, s, g, t) { .op = ENTRY, .n = i, .a = s, .b = g, .type = t }
#define NV(i) { .op = INVALID, .n = i }
#define CC(i, valid, cc) { .op = COUNT, .n = i, .type = valid, .a = cc }
#define SEL(ms, v) { .op = SELECT, .n = ms, .a = v }
#define SE(m, h) { .op = STATE, .a = m, .b = h }
#define SCTRCLR(p, what) { .op = CLEAR, .priv = p, .type = HS_CTR_##what }
#define N(p, count) { .op = MANY, .priv = p, .n = count }
#define MISS { .op = MISSED }

struct row {
	const char *name;
	uint8_t where, hart;
	struct step steps[40];
};

static inline struct hs_ctr_config ctr_config(unsigned hart, bool ratified, unsigned xlen)
{
	struct hs_ctr_config k = { .size = sizeof(k), .version = ratified ? HS_CTR_1_0 : HS_CTR_0_1_4,
	                           .xlen = (uint8_t)xlen };
	static const uint8_t options[] = { [A1] = 1, [A2] = 2, [A3] = 4, [A5] = 8, [A8] = 16, [A9] = 32, [RASN] = 64 };

	if (hart == MSU || hart == MU || hart == MONLY)
		k.without |= HS_CTR_NO_H;
	if (hart == MU || hart == MONLY)
		k.without |= HS_CTR_NO_S;
	if (hart == MONLY)
		k.without |= HS_CTR_NO_U;
	if (hart == NOSTATE)
		k.without |= HS_CTR_NO_SMSTATEEN;
	if (hart == V39)
		k.va_bits = xlen == 64 ? 39 : 0;
	if (hart == SMALL)
		k.depths = 6;
	if (hart >= CCE0 && hart <= CCE3)
		k.cc_bits = (uint8_t)(12 + hart - CCE0);
	if (hart == BARE || hart == NOCC)
		k.without |= HS_CTR_NO_CC | HS_CTR_NO_MISP | HS_CTR_NO_TYPE;
	if (hart == BARE) {
		k.absent = UINT64_MAX;
		k.without |= HS_CTR_NO_SSCOFPMF;
	}
	if (hart >= A1)
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

	if (reg >= ST)
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

	if (s->n < ST && h->h_halves) /* first, so that a row's CLR and DEPTH act last */
		assert_int_equal(hs_ctr_write(&h->c, &h->env, csr + 1, v >> 32), HS_CTR_OK);
	assert_int_equal(hs_ctr_write(&h->c, &h->env, csr, v), HS_CTR_OK);
}

static inline void ctr_read(struct ctr_hart *h, const struct step *s)
{
	uint64_t want = h->ratified ? ctr_moved(s->n, s->a) : s->a, got, upper = 0;
	const unsigned csr = ctr_numbers[h->ratified][s->n];

	assert_int_equal(hs_ctr_read(&h->c, &h->env, csr, &got), HS_CTR_OK);
	if (s->n < ST && h->h_halves)
		assert_int_equal(hs_ctr_read(&h->c, &h->env, csr + 1, &upper), HS_CTR_OK);
	if (h->xlen == 32 && h->ratified)
		want &= UINT32_MAX;
	assert_int_equal(got | upper << 32, want);
}

static inline void ctr_answer(struct ctr_hart *h, unsigned csr, unsigned want)
{
	const struct hs_ctr before = h->c;
	uint64_t untouched = 0x1234;

	assert_int_equal(hs_ctr_read(&h->c, &h->env, csr, &untouched), want);
	if (want != HS_CTR_OK) {
		assert_int_equal(untouched, 0x1234);
		assert_int_equal(hs_ctr_write(&h->c, &h->env, csr, UINT64_MAX), want);
		assert_memory_equal(&before, &h->c, sizeof(before));
	}
}

static inline void ctr_event(struct ctr_hart *h, const struct step *s)
{
	struct hs_ctr_transfer t = { .source = s->a, .target = s->b, .type = s->type, .from = s->priv, .to = s->to,
	                             .xlen = s->xlen, .to_xlen = s->xlen };

	if (s->op == TRAP_TO) {
		hs_ctr_trap(&h->c, &t, s->cause);
	} else if (s->op == RET_TO) {
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
		const struct step one = T(s->priv, 11, 0x1000 + 2 * i, 0x2000 + 2 * i);

		ctr_event(h, &one);
	}
}

static inline void ctr_compare(struct ctr_hart *h, const struct step *s)
{
	const struct hs_ctr_entry e = hs_ctr_get_entry(&h->c, s->n);

	if (s->op == INVALID) {
		assert_int_equal(e.source & 1, 0);
	} else if (s->op == COUNT) {
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

static inline void ctr_step(struct ctr_hart *h, const struct step *s)
{
	uint64_t got;

	h->env.priv = s->priv;
	switch (s->op) {
	case WRITE: ctr_write(h, s); break;
	case READ: ctr_read(h, s); break;
	case ANSWER: ctr_answer(h, ctr_numbers[h->ratified][s->n], s->type); break;
	case RAWW: assert_int_equal(hs_ctr_write(&h->c, &h->env, s->n, s->a), HS_CTR_OK); break;
	case RAWR:
		assert_int_equal(hs_ctr_read(&h->c, &h->env, s->n, &got), HS_CTR_OK);
		assert_int_equal(got, h->xlen == 32 ? s->a & UINT32_MAX : s->a);
		break;
	case RAWX: ctr_answer(h, s->n, s->type); break;
	case TICKS: hs_ctr_tick(&h->c, s->priv, s->a); break;
	case SELECT:
		*(s->n == 0x350 ? &h->env.miselect : s->n == 0x150 ? &h->env.siselect : &h->env.vsiselect) = s->a;
		break;
	case STATE: h->env.mstateen0 = s->a, h->env.hstateen0 = s->b; break;
	case CLEAR: assert_int_equal(hs_ctr_clear(&h->c, &h->env), s->type); break;
	case MANY: ctr_many(h, s); break;
	case MISSED: hs_ctr_invalidate_cc(&h->c); break;
	case ENTRY: case INVALID: case COUNT: ctr_compare(h, s); break;
	default: ctr_event(h, s); break;
	}
}

static inline struct ctr_hart ctr_hart_of(unsigned hart, bool ratified, unsigned xlen)
{
	struct ctr_hart h = { .ratified = ratified, .xlen = xlen, .h_halves = !ratified && xlen == 32 };
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
		for (const struct step *s = r->steps; s->op != END; s++) {
			print_message("# %s: %s RV%u, step %d\n", r->name, i >= 2 ? "1.0" : "0.1.4", h.xlen,
			              (int)(s - r->steps));
			ctr_step(&h, s);
			assert_int_equal(hs_ctr_check(&h.c), HS_OK);
		}
	}
}

#endif
