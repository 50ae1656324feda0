/* What holds for every hart with CTR whatever happens to it, written from the text of 0.1.4 and 1.0
 * without the room's own tables.  A law that is broken says so and aborts. */
#ifndef TESTS_CTR_LAWS_H
#define TESTS_CTR_LAWS_H

#include <stdio.h>
#include <stdlib.h>

#include "ctr_ops.h"

#define CTR_LAW(holds) \
	do { \
		if (!(holds)) { \
			printf("not ok - %s:%d: %s\n", __FILE__, __LINE__, #holds); \
			fflush(stdout); \
			abort(); \
		} \
	} while (0)

/* Registers as software sees them from M-mode; what only M-mode sees is in mctl. */
struct ctr_view {
	uint64_t mctl, vsctl, sctl;
	unsigned depth, wrptr; /* entries */
	bool wrap, frozen;
	struct hs_ctr_entry e[HS_CTR_ENTRIES];
};

/* "mctrcontrol", "mctrctl": bits that exist. */
static inline uint64_t ctr_law_fields(const struct hs_ctr_config *k)
{
	const uint64_t filters = 0xff3e00000000;
	const bool s = ctr_hart_has(k, HS_CTR_NO_S);

	if (k->version == HS_CTR_0_1_4)
		return 1u | (s ? 2u : 0) | (ctr_hart_has(k, HS_CTR_NO_U) ? 4u : 0) |
		       (~k->absent & (filters | 1ull << 38 | 0x1d00 | (s ? 0x200u : 0)));
	return 7u | 0x800 | (ctr_hart_has(k, HS_CTR_NO_SSCOFPMF) ? 0x1000u : 0) |
	       (~k->absent & (0x1b80 | (k->xlen == 64 ? filters : 0)));
}

/* Those that only the machine level shows: M and MTE. */
static inline uint64_t ctr_law_hidden(const struct hs_ctr_config *k)
{
	return k->version == HS_CTR_0_1_4 ? 0x101 : 0x204;
}

static inline uint64_t ctr_law_see(const struct hs_ctr *c, unsigned csr)
{
	const struct hs_ctr_env m = { .priv = HS_PRIV_M };
	uint64_t value = 0;

	CTR_LAW(hs_ctr_read(c, &m, csr, &value) == HS_CTR_OK);
	CTR_LAW(c->config.xlen == 64 || value <= UINT32_MAX);
	return value;
}

/* A control register with its upper half, which RV32 has only in 0.1.4. */
static inline uint64_t ctr_law_see_control(const struct hs_ctr *c, unsigned draft,
                                           unsigned ratified)
{
	if (c->config.version == HS_CTR_1_0)
		return ctr_law_see(c, ratified);
	return ctr_law_see(c, draft) | (c->config.xlen == 32 ? ctr_law_see(c, draft + 1) << 32 : 0);
}

/* DEPTH as read; it must name a depth that is supported. */
static inline unsigned ctr_law_depth(const struct hs_ctr *c, unsigned code)
{
	static const uint8_t codes[] = { 0, 1, 3, 7, 15 };

	for (unsigned i = 0; i < 5; i++)
		if ((c->config.version == HS_CTR_0_1_4 ? codes[i] : i) == code &&
		    (c->config.depths >> i & 1))
			return 16u << i;
	CTR_LAW(!"depth is supported");
	return 0;
}

static inline void ctr_law_status(const struct hs_ctr *c, struct ctr_view *v)
{
	const bool draft = c->config.version == HS_CTR_0_1_4;
	const uint64_t status = ctr_law_see(c, draft ? 0x383 : 0x14f), wrap = draft ? 0x4000 : 0;
	const uint64_t frozen = draft ? 0x8000 : 0x80000000;

	CTR_LAW(!(status & ~(0xff | wrap | frozen)));
	CTR_LAW(!draft || !ctr_hart_has(&c->config, HS_CTR_NO_S) ||
	        ctr_law_see(c, 0x183) == status);
	v->wrptr = status & 0xff;
	v->wrap = status & wrap;
	v->frozen = status & frozen;
	CTR_LAW(v->wrptr < v->depth);
}

/* "ctrsource": every valid address, and only such: bits above the highest are like it. */
static inline void ctr_law_address(const struct hs_ctr_config *k, uint64_t a)
{
	const unsigned pa = k->pa_bits ? k->pa_bits : k->version == HS_CTR_1_0 ? 56 : 0;
	const unsigned bits = k->va_bits && pa >= k->va_bits ? pa + 1 : k->va_bits;
	const uint64_t above = bits ? a >> (bits - 1) : 0;

	if (k->xlen == 32)
		CTR_LAW(a <= UINT32_MAX);
	else if (a > UINT32_MAX) /* XLEN < MXLEN zero-extends */
		CTR_LAW(!bits || above == 0 || above == UINT64_MAX >> (bits - 1));
}

static inline void ctr_law_entry(const struct hs_ctr_config *k, const struct hs_ctr_entry *e)
{
	uint64_t data = ctr_hart_has(k, HS_CTR_NO_TYPE) ? 0xf : 0;

	if (ctr_hart_has(k, HS_CTR_NO_CC))
		data |= 0x8000 | ((1ull << k->cc_bits) - 1) << 16;
	if (k->options & HS_CTR_PRESERVE)
		data |= k->xlen == 64 ? 0xffffffff00007ff0 : 0x7ff0;
	ctr_law_address(k, e->source);
	ctr_law_address(k, e->target);
	CTR_LAW(ctr_hart_has(k, HS_CTR_NO_MISP) || !(e->target & 1));
	CTR_LAW(!(e->data & ~data));
}

/* The laws of a state; @v is what software sees. */
static inline void ctr_law_state(const struct hs_ctr *c, struct ctr_view *v)
{
	const struct hs_ctr_config *k = &c->config;
	const bool draft = k->version == HS_CTR_0_1_4;
	const uint64_t code = draft ? 0xf0000 : 0, all = ctr_law_fields(k) | code;

	v->mctl = ctr_law_see_control(c, 0x381, 0x34e);
	v->vsctl = ctr_hart_has(k, HS_CTR_NO_H) ? ctr_law_see_control(c, 0x281, 0x24e)
		: v->mctl & code;
	v->sctl = ctr_hart_has(k, HS_CTR_NO_S) ? ctr_law_see_control(c, 0x181, 0x14e)
		: v->mctl & ~ctr_law_hidden(k);
	CTR_LAW(!(v->mctl & ~all));
	CTR_LAW(v->sctl == (v->mctl & ~ctr_law_hidden(k)));
	CTR_LAW(!(v->vsctl & ~(all & ~ctr_law_hidden(k))));
	CTR_LAW((v->vsctl & code) == (v->mctl & code));
	v->depth = ctr_law_depth(c, (unsigned)(draft ? v->mctl >> 16 & 15 : ctr_law_see(c, 0x15f)));
	CTR_LAW(v->depth == hs_ctr_depth(c));
	ctr_law_status(c, v);
	for (unsigned i = 0; i < HS_CTR_ENTRIES; i++) {
		v->e[i] = hs_ctr_get_entry(c, i);
		ctr_law_entry(k, &v->e[i]);
		CTR_LAW(i < v->depth || !(v->e[i].source | v->e[i].target | v->e[i].data));
	}
}

#endif
