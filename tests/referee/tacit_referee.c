/* The second decoder of TACIT. */
#include "referee/tacit_referee.h"

#include <string.h>

static bool refuse(struct tacit_referee *r, const char *why)
{
	if (!r->error)
		r->error = why;
	return false;
}

/* ---- bytes ---------------------------------------------------------------------------- */

static unsigned take_byte(struct tacit_referee *r)
{
	if (r->p == r->end) {
		refuse(r, "the trace ends inside a message");
		return 0x80;
	}
	return *r->p++;
}

/* Seven bits in a byte, the lowest first; the last byte has bit 7. */
static uint64_t take_number(struct tacit_referee *r)
{
	uint64_t value = 0;

	for (unsigned shift = 0; shift < 70; shift += 7) {
		const unsigned byte = take_byte(r);

		value += shift < 64 ? (uint64_t)(byte % 128) << shift : 0;
		if (byte >= 128)
			return value;
	}
	refuse(r, "a number without an end");
	return 0;
}

/* ---- addresses ------------------------------------------------------------------------ */

static uint64_t whole_address(const struct tacit_referee *r, uint64_t bits)
{
	const unsigned n = r->address_bits;

	if (n < 64 && bits >> (n - 1) & 1)
		bits |= ~(uint64_t)0 << n;
	else if (n < 64)
		bits &= ~(~(uint64_t)0 << n);
	return r->xlen == 32 ? bits & 0xffffffffu : bits;
}

static uint64_t take_address(struct tacit_referee *r)
{
	return whole_address(r, take_number(r) * 2);
}

/* ---- instructions --------------------------------------------------------------------- */

static bool get_instr(struct tacit_referee *r, struct instr *i)
{
	return instr_get(r->fetch, r->program, r->xlen, r->pc, i) || refuse(r, "no code");
}

static uint64_t in_xlen(const struct tacit_referee *r, uint64_t address)
{
	return r->xlen == 32 ? address & 0xffffffffu : address;
}

/* The instruction at the PC retires, and the next one is at @to. */
static void retire(struct tacit_referee *r, uint64_t to)
{
	r->report(r->to, TACIT_ITEM_PC, r->pc);
	r->pc = in_xlen(r, to);
}

static bool changes_pc(const struct instr *i)
{
	return i->opcode == BRANCH || i->opcode == JAL || i->opcode == JALR || i->opcode == XRET;
}

/* Pass what does not change the PC, up to what does, or to @stop.  @jumps: and direct jumps. */
static bool step_to(struct tacit_referee *r, struct instr *i, bool jumps, const uint64_t *stop)
{
	for (unsigned n = 0; n < 1000000; n++) {
		if (stop && r->pc == *stop)
			return true;
		if (!get_instr(r, i))
			return false;
		if (changes_pc(i) && !(jumps && i->opcode == JAL))
			return stop ? refuse(r, "the way to the address turns off") : true;
		retire(r, r->pc + (i->opcode == JAL ? (uint64_t)i->imm : i->size));
	}
	return refuse(r, "jumps in a circle");
}

/* ---- the predictor -------------------------------------------------------------------- */

static unsigned char *counter_of(struct tacit_referee *r)
{
	return &r->counters[r->pc / 2 % r->entries];
}

/* What it says of the branch at the PC; what is true teaches it. */
static bool predicted(struct tacit_referee *r, bool right)
{
	unsigned char *c = counter_of(r);
	const bool taken = right == (*c >= 2);

	if (taken)
		*c = *c == 3 ? 3 : *c + 1;
	else
		*c = *c == 0 ? 0 : *c - 1;
	return taken;
}

/* ---- messages ------------------------------------------------------------------------- */

static void pass_time(struct tacit_referee *r, uint64_t delta)
{
	r->time += delta;
	r->report(r->to, TACIT_ITEM_TIME, r->time);
}

static bool branch(struct tacit_referee *r, bool taken)
{
	struct instr i;

	if (!step_to(r, &i, false, NULL))
		return false;
	if (i.opcode != BRANCH)
		return refuse(r, "a branch is reported where there is none");
	r->last = r->pc;
	retire(r, taken ? r->pc + (uint64_t)i.imm : r->pc + i.size);
	return true;
}

static bool guessed(struct tacit_referee *r, bool right)
{
	struct instr i;

	if (!step_to(r, &i, r->skips, NULL))
		return false;
	if (i.opcode != BRANCH)
		return refuse(r, "a predicted branch is reported where there is none");
	r->last = r->pc;
	retire(r, predicted(r, right) ? r->pc + (uint64_t)i.imm : r->pc + i.size);
	return true;
}

/* Kinds 0 and 1, short or long, with their time or count. */
static bool outcome(struct tacit_referee *r, unsigned kind, uint64_t value)
{
	bool good = true;

	if (!r->predicts || kind == 1) {
		good = r->predicts ? guessed(r, false) : branch(r, kind == 0);
		if (good)
			pass_time(r, value);
		return good;
	}
	for (; value && good; value--)
		good = guessed(r, true);
	return good;
}

static bool direct(struct tacit_referee *r, uint64_t delta)
{
	struct instr i;

	if (!step_to(r, &i, false, NULL))
		return false;
	if (i.opcode != JAL)
		return refuse(r, "a direct jump is reported where there is none");
	r->last = r->pc;
	retire(r, r->pc + (uint64_t)i.imm);
	pass_time(r, delta);
	return true;
}

static bool by_register(struct tacit_referee *r)
{
	const uint64_t change = take_number(r) * 2, delta = take_number(r);
	struct instr i;

	if (r->error || !step_to(r, &i, r->predicts && r->skips, NULL))
		return false;
	if (i.opcode != JALR)
		return refuse(r, "a jump by register is reported where there is none");
	r->last = r->pc;
	retire(r, whole_address(r, r->pc ^ change));
	pass_time(r, delta);
	return true;
}

static bool trap(struct tacit_referee *r, unsigned kind)
{
	const unsigned prv = take_byte(r), to = prv / 8 % 8;
	const bool returns = kind == 4;
	const uint64_t ctx = returns && to == 0 ? take_number(r) : 0;
	const uint64_t from = take_address(r), change = take_number(r) * 2, delta = take_number(r);
	struct instr i;

	if (r->error || (kind != 1 && kind != 2 && kind != 4) || prv / 64 != 2)
		return refuse(r, "a trap that is none");
	if (!step_to(r, &i, r->predicts && r->skips, &from))
		return false;
	const bool code = instr_get(r->fetch, r->program, r->xlen, r->pc, &i);

	if (returns && (!code || i.opcode != XRET))
		return refuse(r, "a return is reported where there is none");
	if (returns || (kind == 1 && code && (i.opcode == ECALL || i.opcode == EBREAK)))
		retire(r, r->pc + i.size);
	r->last = returns ? from : 1;
	r->report(r->to, TACIT_ITEM_TRAP, kind);
	pass_time(r, delta);
	r->report(r->to, TACIT_ITEM_PRIV, to);
	if (returns && to == 0)
		r->report(r->to, TACIT_ITEM_CTX, ctx);
	r->pc = whole_address(r, from ^ change);
	return true;
}

static bool configure(struct tacit_referee *r, unsigned config)
{
	const unsigned entries = config >= 128 ? 64u << (config / 4 % 32) : config / 4 * 64;

	if (config % 4 == 1 || config % 4 == 3)
		return refuse(r, "a mode that is none");
	r->predicts = config % 4 == 2;
	if (r->predicts && (!r->begun || r->fresh)) {
		r->entries = entries;
		memset(r->counters, 1, sizeof(r->counters));
		r->begun = true;
	}
	return true;
}

static bool end(struct tacit_referee *r, uint64_t at, uint64_t time)
{
	struct instr i;

	if (at != r->last || time != r->time) {
		if (!step_to(r, &i, r->predicts && r->skips, &at) || !get_instr(r, &i))
			return false;
		retire(r, r->pc + i.size);
	}
	r->on = false;
	r->report(r->to, TACIT_ITEM_STOP, 0);
	return true;
}

static bool synchronise(struct tacit_referee *r, unsigned kind)
{
	const unsigned prv = take_byte(r);
	const uint64_t ctx = take_number(r);
	const unsigned config = take_byte(r);
	const uint64_t at = take_address(r), time = take_number(r);
	struct instr i;

	if (r->error || prv / 64 != 2 || prv % 8)
		return refuse(r, "PRV of a synchronisation");
	if (kind == 3)
		return end(r, at, time);
	if (kind != 1 && kind != 2)
		return refuse(r, "a synchronisation that is none");
	if (!configure(r, config))
		return false;
	if (kind == 2 && !r->on)
		return refuse(r, "a mark while trace is off");
	if (kind == 2) {
		r->time = time;
		return step_to(r, &i, r->predicts && r->skips, &at);
	}
	if (r->on)
		r->report(r->to, TACIT_ITEM_STOP, 0);
	r->on = true;
	r->pc = at;
	r->last = 1;
	r->time = time;
	r->report(r->to, TACIT_ITEM_PRIV, prv / 8 % 8);
	r->report(r->to, TACIT_ITEM_CTX, ctx);
	return true;
}

static bool message(struct tacit_referee *r)
{
	const unsigned first = take_byte(r), kind = first / 4 % 8, more = first / 32;

	if (first % 4 != 2 && !r->on)
		return refuse(r, "a message while trace is off");
	if (first % 4 == 3)
		return direct(r, first / 4);
	if (first % 4 != 2)
		return outcome(r, first % 4, first / 4);
	if (kind == 5)
		return synchronise(r, more);
	if (!r->on)
		return refuse(r, "a message while trace is off");
	if (kind == 4)
		return trap(r, more);
	if (more || kind > 4)
		return refuse(r, "a header that is none");
	if (kind == 2)
		return by_register(r);
	const uint64_t value = take_number(r);

	if (value < 64)
		return refuse(r, "the long form where the short one fits");
	return kind == 3 ? direct(r, value) : outcome(r, kind, value);
}

bool tacit_referee_run(struct tacit_referee *r, const uint8_t *bytes, size_t n)
{
	r->p = bytes;
	r->end = bytes + n;
	while (r->p < r->end && !r->error)
		if (!message(r))
			return false;
	return !r->error;
}
