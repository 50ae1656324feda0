/* Random parameters of E-Trace. */
#include "etrace/et_config.h"
#include "property/randetrace.h"

/* What a case has: nothing, one of these, all of them, some. */
enum option {
	SIJUMP, RETURN_STACK, CALL_COUNTER, IRETS, ITYPES, EXCEPTION, PREDICTION, CACHE, FULL,
		CONTEXT, TIME,
	OPTIONS
};
enum set { SET_NONE, SET_ONE, SET_ALL, SET_SOME, SETS };

static bool chosen(struct rng *r, uint64_t seed, enum option o)
{
	switch ((enum set)(seed % SETS)) {
	case SET_NONE:
		return false;
	case SET_ONE:
		return seed / SETS % OPTIONS == o;
	case SET_ALL: /* a stack or a counter, with irets or without */
		return (o != RETURN_STACK || seed / SETS % 2) &&
			(o != IRETS || seed / SETS % 4 < 2);
	default:
		return rng_one_in(r, 2);
	}
}

static uint8_t between(struct rng *r, unsigned least, unsigned most)
{
	return (uint8_t)(least + rng_below(r, most - least + 1));
}

/* 2.1 takes the place of 2.0 in a quarter of the seeds: the others keep what they had before it. */
static uint8_t random_version(struct rng *r, uint64_t seed)
{
	const unsigned version = rng_below(r, HS_ET_FAST);

	return version == HS_ET_2_0 && seed % 4 == 3 ? HS_ET_2_1 : (uint8_t)version;
}

static void random_widths(struct rng *r, const struct program *p, struct hs_et_config *c)
{
	c->iaddress_width = rng_one_in(r, 2) ? 64 : between(r, 16, 64);
	c->iaddress_unit = (uint8_t)(1u << (p->wide ? 2 : rng_below(r, 2)));
	c->privilege_width = between(r, 1, 4);
	c->ecause_width = between(r, 1, 16);
	c->context_width = between(r, 1, rng_one_in(r, 2) ? 16 : 64);
	c->time_width = between(r, 1, rng_one_in(r, 2) ? 16 : 64);
	c->f0s_width = between(r, 0, 2);
	c->no_compress = rng_one_in(r, 8);
	c->context_precise = (uint8_t)rng_below(r, 2);
	c->sync_mode = (uint8_t[]){ HS_ET_SYNC_OFF, HS_ET_SYNC_PACKETS, HS_ET_SYNC_HALFWORDS,
	                            HS_ET_SYNC_CYCLES }[rng_below(r, 4)];
	c->sync_max = between(r, 0, 5);
}

/* A handler in the program, of any mode, or none that is known. */
static uint64_t random_vector(struct rng *r, const struct program *p)
{
	const uint64_t addr = p->at[rng_below(r, (uint32_t)p->count)];

	return rng_one_in(r, 4) ? 0 : (addr & ~(uint64_t)3) | (rng_one_in(r, 8) ? rng_below(r, 4)
	                                                       : rng_below(r, 2));
}

/* The size of a table, mostly small: @often or less. */
static uint8_t random_size(struct rng *r, unsigned often, unsigned most)
{
	return between(r, 1, rng_one_in(r, 3) ? most : often);
}

static void random_options(struct rng *r, uint64_t seed, const struct program *p,
                           struct hs_et_config *c)
{
	unsigned o = 0;

	o |= chosen(r, seed, SIJUMP) ? HS_ET_SIJUMP : 0;
	o |= chosen(r, seed, EXCEPTION) ? HS_ET_IMPLICIT_EXCEPT : 0;
	o |= chosen(r, seed, PREDICTION) ? HS_ET_BRANCH_PREDICTION : 0;
	o |= chosen(r, seed, CACHE) ? HS_ET_JUMP_TARGET_CACHE : 0;
	o |= chosen(r, seed, FULL) ? HS_ET_FULL_ADDRESS : 0;
	c->data_trace = rng_one_in(r, 4);
	c->doptions_width = c->data_trace ? between(r, 0, 16) : 0;
	c->sijump = o & HS_ET_SIJUMP || rng_one_in(r, 2);
	c->bpred_size = o & HS_ET_BRANCH_PREDICTION ? random_size(r, 10, HS_ET_BPRED_MAX) : 0;
	c->cache_size = o & HS_ET_JUMP_TARGET_CACHE ? random_size(r, 8, HS_ET_CACHE_MAX) : 0;
	if (chosen(r, seed, RETURN_STACK))
		c->return_stack_size = random_size(r, 5, HS_ET_RETURN_MAX);
	else if (chosen(r, seed, CALL_COUNTER) || chosen(r, seed, IRETS))
		c->call_counter_size = random_size(r, 5, HS_ET_RETURN_MAX);
	if (c->return_stack_size && rng_one_in(r, 4)) /* irdepth has the bits of both */
		c->call_counter_size = random_size(r, 5, HS_ET_RETURN_MAX);
	c->iret_ext = chosen(r, seed, IRETS);
	if (c->return_stack_size || c->call_counter_size)
		o |= HS_ET_IMPLICIT_RETURN;
	else if (chosen(r, seed, ITYPES))
		c->itype_width = 3;
	c->context = chosen(r, seed, CONTEXT);
	c->time = chosen(r, seed, TIME);
	c->options = (uint8_t)o;
	if (o & HS_ET_IMPLICIT_EXCEPT) {
		c->mtvec = random_vector(r, p);
		c->stvec = random_vector(r, p);
		c->vstvec = random_vector(r, p);
	}
}

/* Tables for all options, so that each may be switched on. */
static void allow_changes(struct rng *r, const struct program *p, struct hs_et_config *c)
{
	c->sijump = 1;
	c->bpred_size = c->bpred_size ? c->bpred_size : random_size(r, 4, 10);
	c->cache_size = c->cache_size ? c->cache_size : random_size(r, 4, 8);
	if (c->itype_width != 3 && !c->return_stack_size && !c->call_counter_size)
		c->return_stack_size = random_size(r, 5, 8);
	if (!c->mtvec)
		c->mtvec = random_vector(r, p);
}

static void random_draft(struct rng *r, uint64_t seed, struct hs_et_config *c)
{
	c->options = chosen(r, seed, FULL) ? HS_ET_FULL_ADDRESS : 0;
	c->context = chosen(r, seed, CONTEXT);
	c->negated = (uint8_t)rng_below(r, 2);
	c->diff_on_tie = (uint8_t)rng_below(r, 2);
	c->notval = (uint8_t)rng_below(r, 2);
	c->context_mark = 1;
	/* without te_support nothing says where a trace stops */
	if (c->dialect == HS_ET_DIALECT_PULP)
		c->dialect = HS_ET_DIALECT_DRAFT;
	c->type_prefix = c->dialect == HS_ET_DIALECT_DRAFT || c->dialect == HS_ET_DIALECT_NONE ||
		rng_one_in(r, 3);
}

/* Has the framing room for srcID, a timestamp, null packets? */
bool et_config_encapsulated(const struct hs_et_config *c)
{
	return c->dialect == HS_ET_DIALECT_STANDARD || c->dialect == HS_ET_DIALECT_ATB ||
		c->dialect == HS_ET_DIALECT_DRAFT;
}

/* Options of a support packet in any order, with bits between them that mean nothing. */
static void random_ioptions(struct rng *r, struct hs_et_layout_config *w)
{
	unsigned left = 2u * HS_ET_FULL_ADDRESS - 1, n = 0;

	while (left && n < HS_ET_IOPTIONS_MAX) {
		const unsigned option = 1u << rng_below(r, 6);

		if (HS_ET_IOPTIONS_MAX - n > 6 && rng_one_in(r, 4))
			w->ioptions[n++] = 0;
		else if (left & option)
			w->ioptions[n++] = (uint8_t)option;
		left &= ~(unsigned)(n ? w->ioptions[n - 1] : 0);
	}
	w->ioptions_width = (uint8_t)n;
}

/* A layout that is in no dialect, of the dialect's frame or of one without srcID. */
static void random_layout(struct rng *r, struct hs_et_config *c)
{
	struct hs_et_layout_config *w = &c->layout;

	w->given = (1u << HS_ET_LAYOUT_COUNT) - 1;
	w->frame = HS_ET_FRAME_ENCAP;
	if (!et_config_encapsulated(c))
		w->frame = (uint8_t)rng_below(r, HS_ET_FRAME_SLOT);
	w->length_bits = w->frame == HS_ET_FRAME_ENCAP ? 5 : between(r, 4, 8);
	w->type_bits = w->frame == HS_ET_FRAME_BARE ? 0 : between(r, 0, 8);
	if (w->frame >= HS_ET_FRAME_INDEXED)
		w->length_bits = 5;
	if (w->frame == HS_ET_FRAME_HEADER || w->frame == HS_ET_FRAME_JOINED)
		w->type_bits = (uint8_t)rng_below(r, 9u - w->length_bits);
	if (w->frame >= HS_ET_FRAME_INDEXED)
		w->type_bits = w->frame == HS_ET_FRAME_MESSAGE ? between(r, 0, 2) : 0;
	w->trap_tval = rng_one_in(r, 4);
	w->stamp_first = rng_one_in(r, 2);
	if (w->frame == HS_ET_FRAME_MESSAGE) {
		c->src_bits = between(r, 0, 16);
		c->tstamp_bytes = between(r, 0, 8);
	}
	if (w->frame == HS_ET_FRAME_INDEXED) {
		c->anchor_bytes = between(r, 0, 31);
		c->anchor_packets = between(r, 0, 255);
	}
	w->type_inst = (uint8_t)rng_below(r, 1u << w->type_bits);
	w->type_control = (uint8_t)rng_below(r, 1u << w->type_bits);
	w->type_data = (uint8_t)rng_below(r, 1u << w->type_bits);
	w->mode_bits = (uint8_t)rng_below(r, 9);
	w->thaddr = 1;
	w->support = 1;
	w->machine = 3;
	w->padding = (uint8_t)rng_below(r, HS_ET_PADDINGS);
	w->chunk_bytes = between(r, 1, 5);
	random_ioptions(r, w);
}

/* Types of some sources are wider than those of others, or not there. */
static void random_types(struct rng *r, struct hs_et_config *c)
{
	const bool none = c->version != HS_ET_0_026; /* types say which packets are te_inst */

	for (unsigned src = 0; src < 16; src++) {
		const uint64_t width = none && rng_one_in(r, 3) ? 1 : between(r, 4, 9);

		if (rng_one_in(r, 2))
			c->type_widths |= width << 4 * src;
	}
}

/* Readings of the pseudo-code of 2.1 (docs/errata.md, ET-20 to ET-25), of a third of the seeds.
 * They are drawn apart: what else a seed has stays what it was without them. */
static void random_readings(uint64_t seed, struct hs_et_config *c)
{
	struct rng own = rng_start(~seed);

	if (c->version == HS_ET_0_026 || !rng_one_in(&own, 3))
		return;
	c->cache_kept = rng_one_in(&own, 2);
	c->cache_returns = rng_one_in(&own, 2);
	c->sync_resets = c->version == HS_ET_2_1 && rng_one_in(&own, 2);
	c->counter_bits = c->iret_ext && rng_one_in(&own, 2);
}

/* What a standard support packet can say. */
static void fit_standard(struct rng *r, struct hs_et_config *c)
{
	c->bpred_size = c->bpred_size > 7 ? 7 : c->bpred_size;
	c->cache_size = c->cache_size > 7 ? 7 : c->cache_size;
	c->return_stack_size = c->return_stack_size > 7 ? 7 : c->return_stack_size;
	c->time_width = (uint8_t)(16 * between(r, 1, 4));
	c->other_width = rng_one_in(r, 4) ? between(r, 1, 64) : 0;
	c->doptions_width = 0;
	c->layout.given &= ~(1u << HS_ET_LAYOUT_MODE_BITS | 1u << HS_ET_LAYOUT_IOPTIONS |
	                     1u << HS_ET_LAYOUT_DOPTIONS);
}

void random_et_config(struct rng *r, uint64_t seed, const struct et_case *of,
                      struct hs_et_config *c)
{
	/* with srcID, then without */
	static const uint8_t dialects[] = { HS_ET_DIALECT_STANDARD, HS_ET_DIALECT_ATB,
	                                    HS_ET_DIALECT_DRAFT,
		                            HS_ET_DIALECT_REFERENCE, HS_ET_DIALECT_PULP,
		                            HS_ET_DIALECT_NONE, HS_ET_DIALECT_ENCAP1,
		                            HS_ET_DIALECT_ESP32, HS_ET_DIALECT_SIEMENS };
	do {
		*c = (struct hs_et_config){ .size = sizeof *c, .version = random_version(r, seed) };
		c->dialect = dialects[rng_below(r, of->several ? 3 : 9)];
		random_widths(r, of->program, c);
		if (c->version == HS_ET_0_026)
			random_draft(r, seed, c);
		else
			random_options(r, seed, of->program, c);
		if (of->changes && c->version != HS_ET_0_026)
			allow_changes(r, of->program, c);
		if (et_config_encapsulated(c)) {
			c->src_bits = of->several ? between(r, 3, 16) : between(r, 0, 16);
			c->tstamp_bytes = rng_one_in(r, 2) ? 0 : between(r, 1, 8);
			c->async_freq = rng_one_in(r, 4) ? between(r, 1, 7) : 0;
			if (c->src_bits && rng_one_in(r, 3))
				random_types(r, c);
		}
		if (c->dialect == HS_ET_DIALECT_SIEMENS) {
			c->src_bits = between(r, 0, 16);
			c->tstamp_bytes = rng_one_in(r, 2) ? 0 : between(r, 1, 8);
		}
		if (c->dialect == HS_ET_DIALECT_ESP32) {
			c->anchor_bytes = rng_one_in(r, 4) ? 0 : between(r, 1, 31);
			c->anchor_packets = rng_one_in(r, 2) ? 128 : between(r, 0, 20);
			/* without thaddr some traps are losses: etrace_layout.c */
			c->layout.given = 1u << HS_ET_LAYOUT_THADDR;
			c->layout.thaddr = 1;
		}
		if (rng_one_in(r, 3))
			random_layout(r, c);
		if (c->version == HS_ET_2_1)
			fit_standard(r, c);
		random_readings(seed, c);
	} while (hs_et_config_resolve(c) != HS_OK);
}

uint8_t et_config_privileges(const struct hs_et_config *c)
{
	const unsigned few = 1u << HS_PRIV_U | 1u << HS_PRIV_S;

	if (c->dialect == HS_ET_DIALECT_ESP32 && c->layout.machine != 3) /* it is 1 */
		return 1u << HS_PRIV_U | 1u << HS_PRIV_M;
	if (c->privilege_width == 1)
		return few;
	if (c->privilege_width == 2)
		return few | 1u << HS_PRIV_M;
	return few | 1u << HS_PRIV_M | 1u << HS_PRIV_VU | 1u << HS_PRIV_VS;
}

void narrow_itype(struct hs_block *b)
{
	if (b->kind != HS_KIND_BLOCK || b->itype < HS_ITYPE_CALL_UNINF)
		return;
	b->itype = hs_itype_uninferable(b->itype) ? HS_ITYPE_UNINFERABLE : HS_ITYPE_NONE;
}

/* Returns are left out, by a stack of 2 to 64 addresses. */
static void random_returns(struct rng *r, struct hs_et_config *c)
{
	const uint8_t size = (uint8_t)(1 + rng_below(r, 6));

	c->options |= HS_ET_IMPLICIT_RETURN;
	if (rng_one_in(r, 3))
		c->call_counter_size = size;
	else
		c->return_stack_size = size;
	c->iret_ext = (uint8_t)rng_one_in(r, 3);
}

/* Small tables, whose entries branches and targets share. */
static void random_tables(struct rng *r, struct hs_et_config *c)
{
	c->f0s_width = (uint8_t)rng_below(r, 2);
	c->cache_returns = (uint8_t)rng_one_in(r, 4);
	if (rng_one_in(r, 3)) {
		c->options |= HS_ET_BRANCH_PREDICTION;
		c->bpred_size = (uint8_t)(1 + rng_below(r, rng_one_in(r, 2) ? 3 : 10));
	}
	if ((c->f0s_width || !c->bpred_size) && rng_one_in(r, 2)) {
		c->options |= HS_ET_JUMP_TARGET_CACHE;
		c->cache_size = (uint8_t)(1 + rng_below(r, rng_one_in(r, 2) ? 3 : 10));
	}
}

void random_et_remembered(struct rng *r, struct hs_et_config *c)
{
	*c = (struct hs_et_config){ .size = sizeof *c, .itype_width = c->itype_width,
	                            .sync_mode = c->sync_mode, .sync_max = c->sync_max };
	c->sijump = (uint8_t)rng_below(r, 2);
	c->options = (uint8_t)((c->sijump ? HS_ET_SIJUMP : 0u) |
	                       (rng_one_in(r, 3) ? HS_ET_FULL_ADDRESS : 0u));
	c->plain_loops = (uint8_t)rng_below(r, 2);
	if (rng_one_in(r, 2))
		random_returns(r, c);
	if (rng_one_in(r, 2))
		random_tables(r, c);
	if (rng_one_in(r, 2))
		c->src_bits = between(r, 1, 16);
	if (rng_one_in(r, 2))
		c->tstamp_bytes = between(r, 1, 8);
	c->time = rng_one_in(r, 4);
	c->time_width = c->time ? 64 : 0;
}
