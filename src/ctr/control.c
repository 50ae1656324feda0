/* Contents of the registers: what a write keeps, and what a read returns. */
#include "ctr/private.h"

unsigned hs_ctr_depth(const struct hs_ctr *c)
{
	return ctr_depth(c);
}

void ctr_zero_entries(struct hs_ctr *c)
{
	memset(c->entries, 0, sizeof(c->entries));
	c->cycles = 0;
	c->ccv = false;
}

/* A5: legal contents that no transfer made, to find software that relies on the old ones. */
static void poison(struct hs_ctr *c, unsigned from, unsigned to)
{
	for (unsigned i = from; i < to; i++) {
		struct hs_ctr_entry *e = &c->entries[i];

		e->source = ctr_address(c, UINT64_C(0x5a5a5a5a5a5a5a5a), c->config.xlen) | 1;
		e->target = ctr_address(c, UINT64_C(0xa5a5a5a5a5a5a5a4), c->config.xlen);
		e->data = UINT64_C(0xa5a5a5a5) & ctr_data_mask(c);
	}
}

/* A7: the largest supported depth whose code is not above; else the smallest. */
uint8_t ctr_nearest_depth(const struct hs_ctr *c, unsigned code)
{
	const struct ctr_profile *p = ctr_profile(c);
	unsigned best = 0;

	while (!(c->config.depths >> best & 1))
		best++; /* hs_ctr_init() made sure that there is one */
	for (unsigned i = best + 1; i < 5; i++)
		if ((c->config.depths >> i & 1) && p->codes[i] <= code)
			best = i;
	return (uint8_t)best;
}

void ctr_set_depth(struct hs_ctr *c, unsigned code)
{
	const unsigned before = hs_ctr_depth(c), old = c->depth;

	c->depth = ctr_nearest_depth(c, code);
	if (c->depth != old && (c->config.options & HS_CTR_POISON)) {
		poison(c, before, hs_ctr_depth(c));
		c->wrptr ^= 0x55;
	}
	c->wrptr &= ctr_depth(c) - 1;
	hs_ctr_refresh(c);
}

/* @v: vsctl, else mctl; @all: with M and MTE, which only machine mode's own CSR has. */
uint64_t ctr_get_control(const struct hs_ctr *c, bool v, bool all)
{
	const struct ctr_profile *p = ctr_profile(c);
	uint64_t value = v ? c->vsctl : c->mctl;

	if (!all)
		value &= ~(p->m | p->mte);
	if (c->config.version == HS_CTR_0_1_4)
		value |= (uint64_t)p->codes[c->depth] << HS_CTR_LSB_0_1_4_CONTROL_DEPTH;
	return value;
}

/* @may_clear: CLR has an effect.  vsctl.CLR has one only with V=1, and its DEPTH never has (0.1.4
 * "vsctrcontrol", A10). */
void ctr_set_control(struct hs_ctr *c, bool v, bool all, bool may_clear, uint64_t value)
{
	const struct ctr_profile *p = ctr_profile(c);
	const uint64_t hidden = all ? 0 : p->m | p->mte;

	if (v)
		c->vsctl = value & ctr_vs_fields(c);
	else
		c->mctl = (c->mctl & hidden) | (value & ctr_fields(c) & ~hidden);
	if (!v && c->config.version == HS_CTR_0_1_4)
		ctr_set_depth(c, (unsigned)HS_CTR_GET(0_1_4, CONTROL, DEPTH, value));
	if ((value & p->clr) && may_clear) {
		ctr_zero_entries(c);
		c->wrptr = 0;
		c->wrap = c->frozen = false;
	}
	c->cycles = 0; /* 1.0 "Cycle Counting"; 0.1.4 asks for CCV=0, which makes CC meaningless */
	c->ccv = false;
	hs_ctr_refresh(c);
}

uint32_t ctr_get_status(const struct hs_ctr *c)
{
	const struct ctr_profile *p = ctr_profile(c);

	return (uint32_t)(c->wrptr | (c->wrap ? p->wrap : 0) | (c->frozen ? p->frozen : 0));
}

void ctr_set_status(struct hs_ctr *c, uint64_t value)
{
	const struct ctr_profile *p = ctr_profile(c);

	c->wrptr = (uint8_t)(value & (ctr_depth(c) - 1));
	c->wrap = value & p->wrap;
	c->frozen = value & p->frozen;
	hs_ctr_refresh(c);
}

/* Status: logical entry X is physical (WRPTR - 1 - X) modulo the depth. */
static unsigned physical(const struct hs_ctr *c, unsigned index)
{
	return (c->wrptr - 1u - index) & (ctr_depth(c) - 1);
}

struct hs_ctr_entry hs_ctr_get_entry(const struct hs_ctr *c, unsigned index)
{
	const struct hs_ctr_entry none = { 0, 0, 0 };

	return index < hs_ctr_depth(c) ? c->entries[physical(c, index)] : none;
}

/* @which: 0 ctrsource, 1 ctrtarget, 2 ctrdata; the others read as zero. */
uint64_t ctr_get_entry(const struct hs_ctr *c, unsigned index, unsigned which)
{
	const struct hs_ctr_entry e = hs_ctr_get_entry(c, index);

	return which == 0 ? e.source : which == 1 ? e.target : which == 2 ? e.data : 0;
}

void ctr_set_entry(struct hs_ctr *c, unsigned index, unsigned which, uint64_t value, unsigned xlen)
{
	struct hs_ctr_entry *e = &c->entries[physical(c, index)];

	if (index >= hs_ctr_depth(c) || which > 2)
		return;
	if (xlen == 32)
		value &= UINT32_MAX;
	if (xlen < c->config.xlen && (c->config.options & HS_CTR_KEEP_UPPER)) {
		value |= ctr_get_entry(c, index, which) & CTR_UPPER;
		xlen = c->config.xlen;
	}
	if (which == 0)
		e->source = ctr_address(c, value, xlen) | (value & 1);
	else if (which == 1)
		e->target = (ctr_address(c, value, xlen) | (value & 1)) & ctr_target_mask(c);
	else
		e->data = value & ctr_data_mask(c);
}

/* "Privilege Mode Transitions", "External Traps": only these records can lack an address. */
static bool may_lack_source(unsigned type)
{
	return type <= HS_CTR_INTERRUPT || type == CTR_TYPE_EXTERNAL_0_1;
}

static bool may_lack_target(unsigned type)
{
	return may_lack_source(type) || type == HS_CTR_TRET;
}

struct hs_ctr_record hs_ctr_decode_entry(const struct hs_ctr_entry *e)
{
	const unsigned type = (unsigned)HS_CTR_GET(ANY, DATA, TYPE, e->data);
	const uint64_t source = e->source & CTR_ADDRESS, target = e->target & CTR_ADDRESS;

	return (struct hs_ctr_record){
		.source = source,
		.target = target,
		.cycles = hs_ctr_cc_decode((unsigned)HS_CTR_GET(ANY, DATA, CC, e->data)),
		.type = (uint8_t)type,
		.valid = e->source & HS_CTR_BITS(ANY, SOURCE, V),
		.misp = e->target & HS_CTR_BITS(ANY, TARGET, MISP),
		.ccv = e->data & HS_CTR_BITS(ANY, DATA, CCV),
		.no_source = source == 0 && may_lack_source(type),
		.no_target = target == 0 && may_lack_target(type),
	};
}
