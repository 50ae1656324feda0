/* Corners: a script to a program and its execution.
 *
 * Words of a script, with numbers after ':'; '?N' is a number from 1 to N, by the seed:
 *   base:A                   first: the code begins at A
 *   line:N, wide:N, narrow:N N instructions that only go on; of 32 bits, of 16
 *   taken, not, nots:N       a branch, or branches
 *   loop:N, spin:N, round:N  N times a branch to itself, a jump to itself, a branch and a jump back
 *   jump, jumpr, far         to a known or unknown target, into the other half of addresses
 *   home, homer              a branch, a jump to where the code begins
 *   call, callr, ret, astray a function; a return, and one to another place
 *   swap, pair               two coroutines; auipc and a jump to its target
 *   exc:C, int:C, xret       a trap, and the return from it
 *   tval:T                   the trap value of the next trap (else its address)
 *   access:TYPE:SIZE         an instruction that loads, stores, swaps and so on (enum
 *                            hs_access_type) 2^SIZE bytes; a CSR of the hart's width
 *   mode:P                   the privilege from here on
 *   context:V:FORMAT, weak:V a context (scontext: 2, hcontext: 3), an imprecise one
 *   time:T, sync:C, stop:E, lost, hart:N  events
 */
#include <stdlib.h>
#include <string.h>

#include <hartscope/block.h>

#include "core/access.h"
#include "encode/corner_script.h"

#define HIGH UINT64_C(0xffffffff00000000)

/* xorshift64* */
static uint64_t next_random(struct corner_run *g)
{
	g->seed ^= g->seed >> 12;
	g->seed ^= g->seed << 25;
	g->seed ^= g->seed >> 27;
	return g->seed * UINT64_C(0x2545f4914f6cdd1d);
}

static unsigned below(struct corner_run *g, unsigned n)
{
	return (unsigned)(next_random(g) >> 33) % n;
}

/* ---- code ------------------------------------------------------------------------- */

/* Lay an instruction out at the PC, or find it there. */
static void lay_out(struct corner_run *g, uint32_t bits, unsigned hwords)
{
	const unsigned half = g->pc >> 63 ? 1 : 0;
	const uint64_t at = (g->pc - (half ? HIGH : 0)) - g->base;

	for (unsigned i = 0; i < 2 * hwords; i++) {
		const uint8_t byte = (uint8_t)(bits >> 8 * i);

		if (at + i >= CORNER_CODE ||
		    (g->used[half][at + i] && g->code[half][at + i] != byte)) {
			g->error = "two instructions would be at one place";
			return;
		}
		g->code[half][at + i] = byte;
		g->used[half][at + i] = true;
	}
}

static uint32_t branch_bits(uint32_t o)
{
	return 0x00b51063 | (o >> 12 & 1) << 31 | (o >> 5 & 63) << 25 | (o >> 1 & 15) << 8 |
	       (o >> 11 & 1) << 7;
}

static uint32_t jal_bits(uint32_t o, unsigned rd)
{
	return 0x6f | rd << 7 | (o >> 20 & 1) << 31 | (o >> 1 & 0x3ff) << 21 | (o >> 11 & 1) << 20 |
	       (o >> 12 & 0xff) << 12;
}

/* A place for a function or handler. */
static uint64_t fresh_place(struct corner_run *g)
{
	g->fresh += 0x100 + 2 * below(g, 64);
	return g->fresh + (g->pc >> 63 ? HIGH : 0);
}

/* ---- blocks ----------------------------------------------------------------------- */

static void put_item(struct corner_run *g, const struct hs_block *b)
{
	if (g->n == g->room) {
		const size_t room = g->room ? 2 * g->room : 256;
		struct hs_block *block = realloc(g->block, room * sizeof(*block));

		if (!block) {
			g->error = "out of memory";
			return;
		}
		g->block = block;
		g->room = room;
	}
	g->block[g->n++] = *b;
}

static void end_block(struct corner_run *g, unsigned itype, bool sijump)
{
	g->open.itype = (uint8_t)itype;
	g->open.sijump = sijump;
	if (g->open.iretire || hs_itype_is_trap(itype))
		put_item(g, &g->open);
	g->open = (struct hs_block){ .priv = g->priv & 7 };
}

/* Retire the instruction at the PC, which leads to @next. */
static void retire(struct corner_run *g, uint32_t bits, unsigned hwords, unsigned itype,
                   uint64_t next)
{
	lay_out(g, bits, hwords);
	if (!g->open.iretire)
		g->open.iaddr = g->pc;
	g->open.iretire += hwords;
	g->open.ilast = (uint8_t)hwords;
	g->open.priv = g->priv & 7;
	g->pc = next;
	if (itype)
		end_block(g, itype, false);
}

static void put_event(struct corner_run *g, struct hs_block event)
{
	end_block(g, HS_ITYPE_NONE, false);
	put_item(g, &event);
}

/* ---- words ------------------------------------------------------------------------ */

struct words {
	struct corner_run *g;
	uint64_t n, m; /* the numbers of a word */
};

static void do_base(struct words *w)
{
	w->g->base = w->g->pc = w->n;
	w->g->fresh = w->n + 0x4000;
}

static void go_on(struct corner_run *g, bool wide)
{
	static const uint16_t half[] = { 0x0405, 0x0001, 0x0505, 0x952e };
	static const uint32_t whole[] = { 0x00150513, 0x00b50533, 0x00000013, 0x00250593 };
	const unsigned k = below(g, 4);

	retire(g, wide ? whole[k] : half[k], wide + 1u, 0, g->pc + 2 + 2 * wide);
}

static void do_line(struct words *w)
{
	for (uint64_t i = 0; i < w->n; i++)
		go_on(w->g, below(w->g, 2));
}

static void do_wide(struct words *w)
{
	for (uint64_t i = 0; i < w->n; i++)
		go_on(w->g, true);
}

static void do_narrow(struct words *w)
{
	for (uint64_t i = 0; i < w->n; i++)
		go_on(w->g, false);
}

static void do_taken(struct words *w)
{
	const uint32_t offset = 4 + 2 * (1 + below(w->g, 40));

	retire(w->g, branch_bits(offset), 2, HS_ITYPE_TAKEN, w->g->pc + offset);
}

static void do_not(struct words *w)
{
	retire(w->g, branch_bits(4 + 2 * (1 + below(w->g, 40))), 2, HS_ITYPE_NOT_TAKEN,
	       w->g->pc + 4);
}

static void do_nots(struct words *w)
{
	for (uint64_t i = 0; i < w->n; i++)
		do_not(w);
}

static void do_loop(struct words *w)
{
	for (uint64_t i = 0; i < w->n; i++)
		retire(w->g, branch_bits(0), 2, HS_ITYPE_TAKEN, w->g->pc);
	retire(w->g, branch_bits(0), 2, HS_ITYPE_NOT_TAKEN, w->g->pc + 4);
}

/* A branch that is not taken, and a jump back to it. */
static void do_round(struct words *w)
{
	const uint64_t at = w->g->pc;

	for (uint64_t i = 0; i < w->n; i++) {
		retire(w->g, branch_bits(8), 2, HS_ITYPE_NOT_TAKEN, at + 4);
		retire(w->g, 0x8582, 1, HS_ITYPE_JUMP_UNINF, i + 1 < w->n ? at : at + 6);
	}
}

static void do_spin(struct words *w)
{
	for (uint64_t i = 0; i < w->n; i++)
		retire(w->g, 0x8582, 1, HS_ITYPE_JUMP_UNINF, w->g->pc);
	retire(w->g, 0x8582, 1, HS_ITYPE_JUMP_UNINF, w->g->pc + 2);
}

static void do_jump(struct words *w)
{
	const uint32_t offset = 4 + 2 * (1 + below(w->g, 40));

	retire(w->g, jal_bits(offset, 0), 2, HS_ITYPE_JUMP_INF, w->g->pc + offset);
}

static void do_jumpr(struct words *w)
{
	retire(w->g, 0x8582, 1, HS_ITYPE_JUMP_UNINF, w->g->pc + 2 + 2 * (1 + below(w->g, 40)));
}

static void do_home(struct words *w)
{
	retire(w->g, branch_bits((uint32_t)(w->g->base - w->g->pc)), 2, HS_ITYPE_TAKEN, w->g->base);
}

static void do_homer(struct words *w)
{
	retire(w->g, 0x8582, 1, HS_ITYPE_JUMP_UNINF, w->g->base);
}

static void do_far(struct words *w)
{
	const bool high = w->g->pc >> 63;
	const uint64_t to = high ? w->g->pc - HIGH : w->g->pc + HIGH;

	retire(w->g, 0x8582, 1, HS_ITYPE_JUMP_UNINF, to + 2);
}

static void call(struct words *w, uint32_t bits, unsigned itype, uint64_t to)
{
	struct corner_run *g = w->g;

	if (g->call_depth == CORNER_DEPTH)
		g->error = "too many calls";
	else
		g->calls[g->call_depth++] = g->pc + 4;
	retire(g, bits, 2, itype, to);
}

static void do_call(struct words *w)
{
	const uint64_t to = fresh_place(w->g);

	call(w, jal_bits((uint32_t)(to - w->g->pc), 1), HS_ITYPE_CALL_INF, to);
}

static void do_callr(struct words *w)
{
	call(w, 0x000600e7, HS_ITYPE_CALL_UNINF, fresh_place(w->g));
}

static void do_ret(struct words *w)
{
	struct corner_run *g = w->g;
	const uint64_t to = g->call_depth ? g->calls[--g->call_depth] : fresh_place(g);

	retire(g, 0x8082, 1, HS_ITYPE_RETURN, to);
}

static void do_astray(struct words *w)
{
	struct corner_run *g = w->g;

	g->call_depth -= g->call_depth > 0;
	retire(g, 0x8082, 1, HS_ITYPE_RETURN, fresh_place(g));
}

static void do_swap(struct words *w)
{
	retire(w->g, 0x000082e7, 2, HS_ITYPE_SWAP, fresh_place(w->g));
}

static void do_pair(struct words *w)
{
	const uint64_t at = w->g->pc;

	retire(w->g, 0x00000397, 2, 0, at + 4);
	retire(w->g, 0x01038067, 2, 0, at + 16);
	end_block(w->g, HS_ITYPE_JUMP_UNINF, true);
}

static void trap(struct words *w, unsigned itype)
{
	struct corner_run *g = w->g;
	const struct hs_block why = { .value = g->has_tval ? g->tval : g->pc,
		                      .arg = (uint32_t)w->n,
		                      .kind = HS_KIND_TRAP,
		                      .priv = g->priv & 7 };

	g->has_tval = false;
	if (!g->open.iretire)
		g->open = (struct hs_block){ .iaddr = g->pc, .priv = g->priv & 7 };
	end_block(g, itype, false);
	put_item(g, &why);
	if (g->trap_depth == CORNER_DEPTH) {
		g->error = "too many traps";
		return;
	}
	g->modes[g->trap_depth] = g->priv;
	g->traps[g->trap_depth++] = g->pc;
	g->pc = fresh_place(g);
	g->priv = HS_PRIV_M;
}

static void do_tval(struct words *w)
{
	w->g->tval = w->n;
	w->g->has_tval = true;
}

static void do_exc(struct words *w)
{
	trap(w, HS_ITYPE_EXCEPTION);
}

static void do_int(struct words *w)
{
	trap(w, HS_ITYPE_INTERRUPT);
}

static void do_xret(struct words *w)
{
	struct corner_run *g = w->g;
	const bool inside = g->trap_depth > 0;
	const uint64_t to = inside ? g->traps[--g->trap_depth] : fresh_place(g);

	retire(g, 0x30200073, 2, HS_ITYPE_XRET, to);
	if (inside)
		g->priv = g->modes[g->trap_depth];
}

/* Bits of the instruction that makes an access.  One of several is that of a vector of one
 * element. */
static uint32_t access_bits(const struct hs_access *a)
{
	static const uint8_t operation[] = { 1, 0, 12, 8, 4, 20, 16, 3 }; /* of atomics */
	const uint32_t size = (uint32_t)a->size << 12;

	if (a->type == HS_ACCESS_MULTI_LOAD || a->type == HS_ACCESS_MULTI_STORE)
		return (a->type == HS_ACCESS_MULTI_LOAD ? 0x02050007u : 0x02050027u) |
		       (a->size ? (a->size + 4u) << 12 : 0); /* vle and vse of v0, (a0) */
	if (a->type == HS_ACCESS_CAS_FAILED)
		return 0x28b5052f | size; /* amocas a0, a1, (a0) */
	if (a->type == HS_ACCESS_LOAD)
		return 0x00050503 | size;
	if (a->type == HS_ACCESS_STORE)
		return 0x00b50023 | size;
	if (hs_access_is_csr(a->type))
		return 0x00058573 | (uint32_t)a->address << 20 | ((a->type & 3u) + 1) << 12;
	return 0x00b5052f | (uint32_t)operation[a->type & 7u] << 27 | size;
}

static void do_access(struct words *w)
{
	struct corner_run *g = w->g;
	const uint64_t all = UINT64_MAX >> (64 - (8u << (w->m & 3)));
	struct hs_access a = { .type = w->n & 15,
		               .size = w->m & 3,
		               .known = HS_ACCESS_HAS_ADDRESS | HS_ACCESS_HAS_DATA };
	struct hs_block items[HS_ACCESS_ITEMS];
	const bool csr = hs_access_is_csr(a.type);

	a.address = csr ? 0x340 : 0x80000000 + 8 * (uint64_t)below(g, 0x1000);
	a.data = next_random(g) & all;
	if (a.type == HS_ACCESS_CAS_FAILED) { /* the operand only */
		a.data = 0;
		a.known = HS_ACCESS_HAS_ADDRESS;
	}
	if (csr || hs_access_is_atomic(a.type)) {
		a.known |= HS_ACCESS_HAS_OPERAND;
		a.operand = next_random(g) & all;
	}
	if (hs_access_check(&a) != HS_OK) {
		g->error = "a script has an access that there is not";
		return;
	}
	const unsigned n = hs_access_put(&a, items);

	for (unsigned i = 0; i < n; i++)
		put_event(g, items[i]);
	retire(g, access_bits(&a), 2, 0, g->pc + 4);
}

static void do_mode(struct words *w)
{
	end_block(w->g, HS_ITYPE_NONE, false);
	w->g->priv = (uint8_t)w->n & 7;
}

static void do_context(struct words *w)
{
	put_event(w->g, (struct hs_block){ .value = w->n,
	                                   .arg = (uint32_t)w->m,
	                                   .priv = w->g->priv & 7,
	                                   .itype = 2,
	                                   .kind = HS_KIND_CONTEXT });
}

/* The same as an imprecise one of E-Trace (ET Context type). */
static void do_weak(struct words *w)
{
	put_event(w->g, (struct hs_block){ .value = w->n,
	                                   .priv = w->g->priv & 7,
	                                   .itype = 1,
	                                   .kind = HS_KIND_CONTEXT });
}

static void do_time(struct words *w)
{
	put_event(w->g, (struct hs_block){ .value = w->n, .kind = HS_KIND_TIME });
}

static void do_sync(struct words *w)
{
	put_event(w->g, (struct hs_block){ .itype = (uint8_t)w->n, .kind = HS_KIND_SYNC });
}

static void do_stop(struct words *w)
{
	put_event(w->g, (struct hs_block){ .itype = (uint8_t)w->n, .kind = HS_KIND_STOP });
}

static void do_lost(struct words *w)
{
	put_event(w->g, (struct hs_block){ .arg = HS_E_LOST, .kind = HS_KIND_GAP });
}

static void do_hart(struct words *w)
{
	put_event(w->g, (struct hs_block){ .arg = (uint32_t)w->n, .kind = HS_KIND_HART });
}

static const struct {
	const char *word;
	void (*run)(struct words *w);
} table[] = {
	{ "line", do_line },     { "taken", do_taken },   { "not", do_not },
	{ "nots", do_nots },     { "round", do_round },   { "loop", do_loop },
	{ "spin", do_spin },     { "jump", do_jump },     { "jumpr", do_jumpr },
	{ "far", do_far },       { "call", do_call },     { "callr", do_callr },
	{ "ret", do_ret },       { "astray", do_astray }, { "swap", do_swap },
	{ "pair", do_pair },     { "exc", do_exc },       { "int", do_int },
	{ "xret", do_xret },     { "mode", do_mode },     { "context", do_context },
	{ "weak", do_weak },     { "time", do_time },     { "sync", do_sync },
	{ "stop", do_stop },     { "lost", do_lost },     { "hart", do_hart },
	{ "access", do_access }, { "base", do_base },     { "wide", do_wide },
	{ "narrow", do_narrow }, { "home", do_home },     { "homer", do_homer },
	{ "tval", do_tval },
};

static uint64_t number_of(struct corner_run *g, const char **at)
{
	char *end = NULL;
	uint64_t v = 0;

	if (**at != ':')
		return 1;
	const bool any = (*at)[1] == '?';

	v = strtoull(*at + 1 + any, &end, 0);
	*at = end;
	return any ? 1 + below(g, (unsigned)v) : v;
}

/* The word at @*at, and past it. */
static void do_word(struct corner_run *g, const char **at)
{
	const size_t n = strcspn(*at, " :");
	const char *word = *at;
	struct words w = { .g = g };

	*at += n;
	w.n = number_of(g, at);
	w.m = number_of(g, at);
	for (size_t i = 0; i < sizeof(table) / sizeof(*table); i++)
		if (strlen(table[i].word) == n && strncmp(table[i].word, word, n) == 0) {
			table[i].run(&w);
			return;
		}
	g->error = "a script has a word that there is not";
}

bool encode_run_corner(struct corner_run *g, const char *script, uint64_t seed)
{
	*g = (struct corner_run){ .seed = seed * 2 + 1, .priv = HS_PRIV_M };
	for (int i = 0; i < 4; i++)
		next_random(g);
	g->base = 0x10000 + 0x1000 * (uint64_t)below(g, 0x1000);
	g->fresh = g->base + 0x4000;
	g->pc = g->base;
	g->open.priv = HS_PRIV_M;
	for (const char *at = script; *at && !g->error;) {
		if (*at == ' ')
			at++;
		else
			do_word(g, &at);
	}
	end_block(g, HS_ITYPE_NONE, false);
	g->sections[0] = (struct hs_section){ g->base, CORNER_CODE, g->code[0] };
	g->sections[1] = (struct hs_section){ g->base + HIGH, CORNER_CODE, g->code[1] };
	return !g->error;
}
