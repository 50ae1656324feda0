/* Code that is missing: a random case. */
#include "core/core.h"
#include "cases.h"

#include "etrace/et_config.h"
#include "property/holes.h"

struct holes_case *t;

static void random_nt(struct rng *r)
{
	struct hs_nt_config *c = &t->config.nt;
	const unsigned some = rng_below(r, 4); /* no option, any, all, any */

	*c = (struct hs_nt_config){ .size = sizeof *c };
	c->inst_mode = rng_one_in(r, 2) ? HS_NT_BTM : HS_NT_HTM;
	c->sync_mode = rng_one_in(r, 2) ? HS_NT_SYNC_OFF : HS_NT_SYNC_MESSAGES;
	c->sync_max = (uint8_t)rng_below(r, 4);
	c->icnt_bits = rng_one_in(r, 2) ? 0 : (uint8_t)(5 + rng_below(r, 18));
	c->hist_bits = rng_one_in(r, 2) ? 0 : (uint8_t)(1 + rng_below(r, 31));
	c->icnt_full = (uint8_t)rng_below(r, 2);
	c->dialect = rng_one_in(r, 3) ? HS_NT_DIALECT_V1_0 : HS_NT_DIALECT_RC7;
	c->xlen = t->program.image.isa.xlen;
	if (some == 0)
		return;
	c->sequential_jump = some == 2 || rng_one_in(r, 2);
	c->implicit_return = some == 2 || rng_one_in(r, 2) ? (uint8_t)(1 + rng_below(r, 3)) : 0;
	c->call_stack = (uint8_t)rng_below(r, 33);
	c->return_bits = (uint8_t)(15 + rng_below(r, 30));
	c->repeated_history = some == 2 || rng_one_in(r, 2);
	c->repeat_branch = some == 2 || rng_one_in(r, 2);
	c->all_jumps = some == 2 || rng_one_in(r, 2);
	c->extend_addr = some == 2 || rng_one_in(r, 2);
	c->context = some == 2 || rng_one_in(r, 2);
	c->timestamps = some == 2 || rng_one_in(r, 2);
	if (c->implicit_return == 1)
		c->sequential_jump = 1;
	t->returns = c->implicit_return;
	t->pairs = c->sequential_jump;
}

static void try_random_et(struct rng *r)
{
	struct hs_et_config *c = &t->config.et;
	const unsigned some = rng_below(r, 3); /* no option, any, any */
	unsigned o = 0;

	*c = (struct hs_et_config){ .size = sizeof *c };
	c->version = (uint8_t)(rng_one_in(r, 4) ? HS_ET_1_1 : HS_ET_2_0);
	c->sync_mode = rng_one_in(r, 2) ? HS_ET_SYNC_OFF : HS_ET_SYNC_PACKETS;
	c->sync_max = (uint8_t)rng_below(r, 5);
	c->context = some && rng_one_in(r, 2);
	c->context_precise = c->context;
	if (!some)
		return;
	o |= rng_one_in(r, 2) ? HS_ET_SIJUMP : 0;
	o |= rng_one_in(r, 3) ? HS_ET_BRANCH_PREDICTION : 0;
	o |= rng_one_in(r, 3) ? HS_ET_JUMP_TARGET_CACHE : 0;
	o |= rng_one_in(r, 2) ? HS_ET_FULL_ADDRESS : 0;
	c->sijump = o & HS_ET_SIJUMP;
	c->bpred_size = o & HS_ET_BRANCH_PREDICTION ? (uint8_t)(1 + rng_below(r, 6)) : 0;
	c->cache_size = o & HS_ET_JUMP_TARGET_CACHE ? (uint8_t)(1 + rng_below(r, 6)) : 0;
	if (rng_one_in(r, 2)) {
		o |= HS_ET_IMPLICIT_RETURN;
		*(rng_one_in(r, 2) ? &c->return_stack_size : &c->call_counter_size) =
			(uint8_t)(1 + rng_below(r, 5));
		c->iret_ext = rng_one_in(r, 2);
	}
	c->options = (uint8_t)o;
	t->pairs = o & HS_ET_SIJUMP;
	t->returns = o & HS_ET_IMPLICIT_RETURN;
}

static void random_et(struct rng *r)
{
	do {
		t->returns = t->pairs = false;
		try_random_et(r);
	} while (hs_et_config_resolve(&t->config.et) != HS_OK);
}

static void walk(struct rng *r)
{
	struct walk_odds odds = walk_odds_random(r, 5);

	if (t->etrace) {
		odds.reset_one_in = odds.trigger_one_in = 0;
		odds.plain_stack = odds.no_custom = true;
		odds.context_one_in = t->config.et.context ? 1 + rng_below(r, 40) : 0;
	} else {
		odds.tidy_returns = t->config.nt.implicit_return == 1;
		odds.context_one_in = t->config.nt.context ? 1 + rng_below(r, 40) : 0;
		odds.time_one_in = t->config.nt.timestamps ? 1 + rng_below(r, 10) : 0;
	}
	t->n = walk_random(&t->program, r, 1 + rng_below(r, rng_one_in(r, 8) ? 3000 : 300), &odds,
	                   t->blocks, BLOCKS);
}

/* Blocks cut to what the I-CNT counter holds. */
static void split(void)
{
	const unsigned bits = !t->etrace && t->config.nt.icnt_bits ? t->config.nt.icnt_bits : 22;

	t->piece_count = walk_split(&t->program, t->blocks, t->n, 1u << (bits - 1), t->pieces,
	                            COUNT_OF(t->pieces), NULL);
}

static enum hs_status encode_part(size_t at, size_t *used, size_t room, size_t *len)
{
	uint8_t *to = t->trace + t->length;

	if (t->etrace)
		return hs_et_encode(&t->encoder.et, t->pieces + at, t->piece_count - at, used, to,
		                    room, len);
	return hs_nt_encode(&t->encoder.nt, t->pieces + at, t->piece_count - at, used, to, room,
	                    len);
}

static void encode(void)
{
	size_t used, len;

	if (t->etrace)
		assert_int_equal(hs_et_encoder_init(&t->encoder.et, &t->config.et,
		                                    t->encoder_tables, sizeof t->encoder_tables),
		                 HS_OK);
	else
		assert_int_equal(hs_nt_encoder_init(&t->encoder.nt, &t->config.nt), HS_OK);
	t->length = 0;
	for (size_t at = 0; at < t->piece_count; at += used) {
		const enum hs_status s = encode_part(at, &used, TRACE - t->length, &len);

		assert_true(s == HS_OK || (s == HS_FULL && used));
		t->length += len;
	}
	if (t->etrace)
		assert_int_equal(hs_et_encode_end(&t->encoder.et, t->trace + t->length,
		                                  TRACE - t->length, &len), HS_OK);
	else
		assert_int_equal(hs_nt_encode_end(&t->encoder.nt, t->trace + t->length,
		                                  TRACE - t->length, &len), HS_OK);
	t->length += len;
}

/* Cut @hole out of the sections, of which there is room for one more. */
static void cut(const struct range *hole)
{
	struct hs_section *s = t->sections;
	size_t i = 0;

	while (i < t->image.count && s[i].start + s[i].size <= hole->start)
		i++;
	const struct hs_section old = s[i];
	const uint64_t end = old.start + old.size;

	memmove(s + i + 2, s + i + 1, (t->image.count - i - 1) * sizeof *s);
	s[i] = (struct hs_section){ old.start, hole->start - old.start, old.bytes };
	s[i + 1] = (struct hs_section){ hole->end, end - hole->end,
		                        old.bytes + (hole->end - old.start) };
	t->image.count++;
	for (size_t k = 0; k < t->image.count; k++) {
		if (s[k].size)
			continue;
		memmove(s + k, s + k + 1, (t->image.count - k - 1) * sizeof *s);
		t->image.count--;
		k--;
	}
}

static void make_holes(struct rng *r)
{
	const struct program *p = &t->program;
	uint64_t from = p->base;

	t->image = p->image;
	memcpy(t->sections, p->sections, sizeof p->sections);
	t->image.sections = t->sections;
	t->hole_count = 0;
	for (unsigned i = 1 + rng_below(r, HOLES); i && from < p->base + p->size; i--) {
		const uint64_t left = p->base + p->size - from;
		struct range *hole = &t->holes[t->hole_count++];

		hole->start = from + 2 * rng_below(r, (uint32_t)(left / 2));
		const uint64_t most = p->base + p->size - hole->start;
		const uint64_t size = 2 + 2 * rng_below(r, rng_one_in(r, 3) ? 40 : 8);

		hole->end = hole->start + (size < most ? size : most);
		cut(hole);
		from = hole->end + 2;
	}
	assert_int_equal(hs_img_check(&t->image), HS_OK);
}

void holes_make(struct rng *r)
{
	t->returns = t->pairs = false;
	program_make(&t->program, r);
	if (t->etrace)
		random_et(r);
	else
		random_nt(r);
	walk(r);
	split();
	encode();
	make_holes(r);
}
