/* Branch predictors: two-bit counters, last targets, a stack of calls (design/ctr). */
#include <hartscope/ctr.h>

#include "core/config.h"

#define WEAKLY_TAKEN 2u
#define STRONGLY_TAKEN 3u
#define EVERY_COUNTER_1 0x55 /* a byte of four: weakly not taken */

static void fill_defaults(struct hs_ctr_predictor_config *k)
{
	if (!k->counter_bits)
		k->counter_bits = 12;
	if (!k->history_bits)
		k->history_bits = k->counter_bits;
	if (!k->target_bits)
		k->target_bits = 9;
	if (!k->calls)
		k->calls = 16;
}

enum hs_status hs_ctr_predictor_init(struct hs_ctr_predictor *p,
                                     const struct hs_ctr_predictor_config *config)
{
	struct hs_ctr_predictor_config k;

	if (base_take_config(&k, sizeof(k), config) != HS_OK)
		return HS_E_CONFIG;
	fill_defaults(&k);
	if (k.direction > HS_CTR_GSHARE || k.counter_bits > HS_CTR_COUNTER_BITS ||
	    k.history_bits > k.counter_bits || k.target_bits > HS_CTR_TARGET_BITS ||
	    k.calls > HS_CTR_CALLS)
		return HS_E_CONFIG;
	memset(p, 0, sizeof(*p));
	memset(p->counters, EVERY_COUNTER_1, sizeof(p->counters));
	p->config = k;
	return HS_OK;
}

/* ---- directions ---------------------------------------------------------------------- */

/* Bit 0 of an address is always 0. */
static uint32_t index_of(uint64_t address, unsigned bits)
{
	return (uint32_t)(address >> 1) & ((1u << bits) - 1);
}

static uint32_t counter_of(const struct hs_ctr_predictor *p, uint64_t address)
{
	const uint32_t index = index_of(address, p->config.counter_bits);

	return p->config.direction == HS_CTR_GSHARE ? index ^ p->history : index;
}

static bool missed_branch(struct hs_ctr_predictor *p, uint64_t address, bool taken)
{
	const uint32_t at = counter_of(p, address);
	const unsigned shift = 2 * (at & 3), value = p->counters[at >> 2] >> shift & 3;
	const unsigned next = taken ? value + (value < STRONGLY_TAKEN) : value - (value > 0);

	p->counters[at >> 2] ^= (uint8_t)((value ^ next) << shift);
	p->history = (p->history << 1 | taken) & ((1u << p->config.history_bits) - 1);
	return (value >= WEAKLY_TAKEN) != taken;
}

/* ---- targets ------------------------------------------------------------------------- */

static bool missed_target(struct hs_ctr_predictor *p, const struct hs_ctr_transfer *t)
{
	struct hs_ctr_last_target *last =
		&p->targets[index_of(t->source, p->config.target_bits)];
	const bool hit = last->known && last->source == t->source && last->target == t->target;

	*last = (struct hs_ctr_last_target){ t->source, t->target, true };
	return !hit;
}

/* The oldest call is lost when there is no room. */
static void push_call(struct hs_ctr_predictor *p, uint64_t address)
{
	p->calls[p->top] = address;
	p->top = (uint8_t)((p->top + 1) % p->config.calls);
	if (p->used < p->config.calls)
		p->used++;
}

static bool missed_return(struct hs_ctr_predictor *p, uint64_t target)
{
	uint64_t call;

	if (p->used == 0)
		return true;
	p->used--;
	p->top = (uint8_t)((p->top ? p->top : p->config.calls) - 1);
	call = p->calls[p->top];
	return target != call + 2 && target != call + 4;
}

bool hs_ctr_predictor_missed(struct hs_ctr_predictor *p, const struct hs_ctr_transfer *t)
{
	bool missed = false;

	switch (t->type) {
	case HS_CTR_TAKEN:
	case HS_CTR_NOT_TAKEN:
		return missed_branch(p, t->source, t->type == HS_CTR_TAKEN);
	case HS_CTR_JUMP_IND:
	case HS_CTR_OTHER_IND:
		return missed_target(p, t);
	case HS_CTR_CALL_IND:
		missed = missed_target(p, t);
		break;
	case HS_CTR_RETURN:
		return missed_return(p, t->target);
	case HS_CTR_SWAP:
		missed = missed_return(p, t->target);
		break;
	case HS_CTR_CALL:
		break;
	default:
		return false;
	}
	push_call(p, t->source);
	return missed;
}
