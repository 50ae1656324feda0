/* Retired blocks to TACIT messages.
 *
 * An address is known one block late: a block that ends in a jump by register or a trap leaves a
 * message waiting, and the next block's first address completes it.
 */
#include "tacit/tacit_encoder.h"

#include "core/mem.h"

/* Where messages are written. */
struct output {
	struct tacit_encoder *e;
	uint8_t *p;
	size_t n;
};

enum hs_status tacit_encoder_init(struct tacit_encoder *e, const struct tacit_config *config)
{
	if (tacit_config_check(config) != HS_OK)
		return HS_E_CONFIG;
	memset(e, 0, sizeof *e);
	memcpy(&e->config, config, sizeof e->config);
	tacit_predictor_init(&e->predictor, config->entries ? config->entries : TACIT_ENTRIES);
	e->waiting.code = TACIT_CODES;
	e->priv = HS_PRIV_UNKNOWN;
	return HS_OK;
}

/* ---- messages ------------------------------------------------------------------- */

static void put_message(struct output *o, const struct tacit_msg *m)
{
	o->n += tacit_write(m, o->p + o->n);
	o->e->messages[m->code]++;
	o->e->since++;
}

static bool predicts(const struct tacit_encoder *e)
{
	return e->config.mode == TACIT_MODE_PREDICT;
}

static uint64_t low_bits(const struct tacit_encoder *e, uint64_t address)
{
	const unsigned bits = tacit_address_bits(&e->config);

	return bits == 64 ? address : address & (((uint64_t)1 << bits) - 1);
}

/* Time since the last message; one that runs back counts as none. */
static uint64_t take_delta(struct tacit_encoder *e, uint64_t time)
{
	const uint64_t delta = time > e->sent ? time - e->sent : 0;

	e->sent += delta;
	return delta;
}

/* Branches as predicted wait until something else is to be said. */
static void put_hits(struct output *o)
{
	struct tacit_msg m = { .code = TACIT_HITS };

	TACIT_GET(&m, COUNT) = o->e->hits;
	if (o->e->hits)
		put_message(o, &m);
	o->e->hits = 0;
}

static void put_timed(struct output *o, unsigned code)
{
	struct tacit_msg m = { .code = (uint8_t)code };

	put_hits(o);
	TACIT_GET(&m, DELTA) = take_delta(o->e, o->e->time);
	put_message(o, &m);
	o->e->reported = true;
	o->e->said = o->e->last;
}

/* A mode that is not known is sent as the lowest. */
static unsigned prv_of(unsigned priv)
{
	return priv == HS_PRIV_S || priv == HS_PRIV_M ? priv : HS_PRIV_U;
}

/* At the time of the last message a SyncEnd is about no instruction more: one that is about the
 * same one again is later. */
static uint64_t time_of_sync(const struct tacit_encoder *e, unsigned code)
{
	const bool ends = code == TACIT_END;

	if (ends && e->reported)
		return e->sent;
	if (e->time > e->sent)
		return e->time;
	return e->sent + (ends && e->last == e->said);
}

static void put_sync(struct output *o, unsigned code, uint64_t address)
{
	struct tacit_encoder *e = o->e;
	struct tacit_msg m = { .code = (uint8_t)code };

	put_hits(o);
	TACIT_GET(&m, PRV) = 0x80u | prv_of(e->priv) << 3;
	TACIT_GET(&m, CTX) = e->context;
	TACIT_GET(&m, CONFIG) = tacit_config_byte(&e->config);
	TACIT_GET(&m, ADDR) = low_bits(e, address) >> 1;
	TACIT_GET(&m, TIME) = time_of_sync(e, code);
	if (code != TACIT_END)
		e->sent = TACIT_GET(&m, TIME);
	if (e->config.fresh && code != TACIT_END)
		tacit_predictor_init(&e->predictor, e->predictor.entries);
	put_message(o, &m);
	e->since = 0;
}

/* ---- at an address -------------------------------------------------------------- */

/* What waited for the address goes out. */
static void put_waiting(struct output *o, uint64_t address, unsigned priv)
{
	struct tacit_encoder *e = o->e;
	struct tacit_msg *m = &e->waiting;

	TACIT_GET(m, PRV) = 0x80u | prv_of(priv) << 3 | prv_of(e->priv);
	TACIT_GET(m, CTX) = e->context;
	TACIT_GET(m, FROM) = low_bits(e, e->from) >> 1;
	TACIT_GET(m, TARGET) = low_bits(e, e->from ^ address) >> 1;
	TACIT_GET(m, DELTA) = take_delta(e, e->event_time);
	put_message(o, m);
	e->said = e->from;
	m->code = TACIT_CODES;
}

static bool can_send(const struct tacit_encoder *e, uint64_t address)
{
	return tacit_extend(address, tacit_address_bits(&e->config)) == address;
}

static void wait(struct output *o, unsigned code, uint64_t from)
{
	struct tacit_encoder *e = o->e;

	put_hits(o);
	e->waiting = (struct tacit_msg){ .code = (uint8_t)code };
	e->from = from;
	e->event_time = e->time;
	e->calls = false;
}

/* ---- at the end of a block ------------------------------------------------------ */

static void put_branch(struct output *o, uint64_t pc, bool taken)
{
	struct tacit_encoder *e = o->e;

	if (!predicts(e)) {
		put_timed(o, taken ? TACIT_TAKEN : TACIT_NOT_TAKEN);
		return;
	}
	const bool hit = tacit_predict(&e->predictor, pc) == taken;

	tacit_learn(&e->predictor, pc, taken);
	e->reported = true;
	e->said = e->last;
	if (hit)
		e->hits++;
	else
		put_timed(o, TACIT_MISS);
}

static void put_end_of_block(struct output *o, const struct hs_block *b)
{
	const uint64_t end = hs_block_end(b), last = end - 2u * (uint64_t)b->ilast;

	switch (b->itype) {
	case HS_ITYPE_NONE:
		break;
	case HS_ITYPE_NOT_TAKEN:
	case HS_ITYPE_TAKEN:
		put_branch(o, last, b->itype == HS_ITYPE_TAKEN);
		break;
	case HS_ITYPE_CALL_INF:
	case HS_ITYPE_TAIL_INF:
	case HS_ITYPE_JUMP_INF:
		if (!predicts(o->e) || !o->e->config.skip_jumps)
			put_timed(o, TACIT_JUMP);
		break;
	case HS_ITYPE_EXCEPTION:
		wait(o, TACIT_EXCEPTION, end);
		break;
	case HS_ITYPE_INTERRUPT:
		wait(o, TACIT_INTERRUPT, end);
		break;
	case HS_ITYPE_XRET:
		wait(o, TACIT_RETURN, last);
		break;
	default:
		wait(o, TACIT_INDIRECT, last);
	}
}

static bool is_block(const struct tacit_encoder *e, const struct hs_block *b)
{
	const bool trap = hs_itype_is_trap(b->itype);

	return !(b->iaddr & 1u) && b->itype <= HS_ITYPE_JUMP_INF && b->itype != HS_ITYPE_RESERVED &&
	       (b->iretire || trap) && can_send(e, b->iaddr) && can_send(e, hs_block_end(b));
}

static enum hs_status put_block(struct output *o, const struct hs_block *b)
{
	struct tacit_encoder *e = o->e;

	if (!is_block(e, b))
		return HS_E_BLOCK;
	if (e->waiting.code != TACIT_CODES)
		put_waiting(o, b->iaddr, b->priv);
	e->priv = b->priv;
	if (!e->running) {
		put_sync(o, TACIT_START, b->iaddr);
		e->retired = false;
	} else if (e->config.sync_max && e->since >= e->config.sync_max) {
		put_sync(o, TACIT_PERIODIC, b->iaddr);
	}
	e->running = true;
	if (b->iretire) {
		e->last = hs_block_end(b) - 2u * (uint64_t)b->ilast;
		e->retired = true;
		e->reported = false;
	}
	put_end_of_block(o, b);
	return HS_OK;
}

/* The last instruction that retired is named; where a message was about it, at the time of that.
 * Where none retired there is none to be named: the stream ends as it is. */
static void stop(struct output *o)
{
	struct tacit_encoder *e = o->e;

	if (e->waiting.code == TACIT_EXCEPTION && e->calls) {
		e->last = e->from;
		e->retired = true;
		e->reported = false;
	}
	e->waiting.code = TACIT_CODES;
	if (e->running && e->retired)
		put_sync(o, TACIT_END, e->last);
	e->running = false;
}

/* Causes of ecall and ebreak (privileged architecture). */
static bool is_call(uint32_t cause)
{
	return cause == 3 || (cause >= 8 && cause <= 11);
}

static enum hs_status put_item(struct output *o, const struct hs_block *b)
{
	struct tacit_encoder *e = o->e;

	switch (b->kind) {
	case HS_KIND_BLOCK:
		return put_block(o, b);
	case HS_KIND_TIME:
		e->time = b->value;
		break;
	case HS_KIND_CONTEXT:
		e->context = b->value;
		break;
	case HS_KIND_TRAP:
		e->calls = is_call(b->arg);
		break;
	default:
		if (b->kind == HS_KIND_GAP || b->kind == HS_KIND_STOP || hs_event_breaks(b))
			stop(o);
	}
	return HS_OK;
}

enum hs_status tacit_encode(struct tacit_encoder *e, const struct hs_block *in, size_t n,
                            size_t *used, uint8_t *out, size_t cap, size_t *len)
{
	struct output o = { e, out, 0 };
	enum hs_status s = HS_OK;

	*len = 0;
	*used = 0;
	if (cap < TACIT_ENCODE_ROOM)
		return HS_E_SPACE;
	while (*used < n && s == HS_OK) {
		s = cap - o.n < TACIT_ENCODE_ROOM ? HS_FULL : put_item(&o, &in[*used]);
		*used += s == HS_OK;
	}
	*len = o.n;
	return s;
}

enum hs_status tacit_encode_port(struct tacit_encoder *e, const struct hs_block *b, uint8_t *out,
                                 size_t cap, size_t *len)
{
	size_t used;
	const enum hs_status s = tacit_encode(e, b, 1, &used, out, cap, len);

	return s == HS_E_SPACE ? HS_FULL : s;
}

enum hs_status tacit_encode_end(struct tacit_encoder *e, uint8_t *out, size_t cap, size_t *len)
{
	struct output o = { e, out, 0 };

	*len = 0;
	if (cap < TACIT_ENCODE_ROOM)
		return HS_E_SPACE;
	stop(&o);
	*len = o.n;
	return HS_OK;
}
