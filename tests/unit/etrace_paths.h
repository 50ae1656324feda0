/* A program and ways through it, as the blocks that an encoder takes. */
#ifndef TESTS_ETRACE_PATHS_H
#define TESTS_ETRACE_PATHS_H

#include "cases.h"

#include <hartscope/etrace.h>

/* ---- the program -------------------------------------------------------------------- */

enum op { NOP, JUMP, CALL, BRANCH, RETURN, GOTO, INVOKE, PAIR, MRET };

/* Calls and returns use ra, other jumps a1 (ISA manual). */
static const struct {
	uint16_t at;
	uint8_t op;
	uint16_t to;
} program[] = {
	{ 0x00, NOP, 0 },         { 0x02, BRANCH, 0x10 },   { 0x06, NOP, 0 },
	{ 0x08, CALL, 0x100 },    { 0x0c, NOP, 0 },         { 0x0e, GOTO, 0 },
	{ 0x10, NOP, 0 },         { 0x12, JUMP, 0x00 },     { 0x16, NOP, 0 },
	{ 0x20, NOP, 0 },         { 0x22, CALL, 0x100 },    { 0x26, CALL, 0x120 },
	{ 0x2a, NOP, 0 },         { 0x2c, CALL, 0x108 },    { 0x30, CALL, 0x108 },
	{ 0x34, CALL, 0x108 },    { 0x38, NOP, 0 },         { 0x3a, BRANCH, 0x20 },
	{ 0x3e, NOP, 0 },         { 0x40, GOTO, 0 },        { 0x50, CALL, 0x1a0 },
	{ 0x54, NOP, 0 },         { 0x56, GOTO, 0 },        { 0x60, CALL, 0x120 },
	{ 0x64, BRANCH, 0x60 },   { 0x68, CALL, 0x120 },    { 0x6c, NOP, 0 },
	{ 0x6e, JUMP, 0x68 },
	{ 0x80, CALL, 0x1b0 },    { 0x84, NOP, 0 },         { 0x90, CALL, 0x108 },
	{ 0x94, JUMP, 0x90 },     { 0x98, CALL, 0x108 },    { 0x9c, JUMP, 0x130 },
	/* functions */
	{ 0x100, NOP, 0 },        { 0x102, BRANCH, 0x108 }, { 0x106, NOP, 0 },
	{ 0x108, RETURN, 0 },     { 0x120, CALL, 0x108 },   { 0x124, NOP, 0 },
	{ 0x126, RETURN, 0 },     { 0x1a0, CALL, 0x108 },   { 0x1a4, NOP, 0 },
	{ 0x1a6, GOTO, 0 },       { 0x1b0, CALL, 0x120 },   { 0x1b4, RETURN, 0 },
	/* loops, pairs, traps */
	{ 0x130, NOP, 0 },        { 0x132, JUMP, 0x130 },   { 0x150, NOP, 0 },
	{ 0x148, JUMP, 0x150 },   { 0x152, MRET, 0 },
	{ 0x160, NOP, 0 },        { 0x162, PAIR, 0x170 },   { 0x1c0, JUMP, 0x16 },
	{ 0x1c4, JUMP, 0x10 },
	{ 0x170, NOP, 0 },        { 0x172, GOTO, 0 },       { 0x180, NOP, 0 },
	{ 0x182, JUMP, 0x190 },   { 0x186, NOP, 0 },        { 0x190, NOP, 0 },
	{ 0x192, JUMP, 0x180 },
};

static uint8_t code[0x200];
static const struct hs_section section = { 0x1000, sizeof code, code };
static const struct hs_image image = { .sections = &section, .count = 1, .isa = { .xlen = 32 } };

static void put_insn(unsigned at, uint32_t insn, unsigned bytes)
{
	for (unsigned i = 0; i < bytes; i++)
		code[at + i] = (uint8_t)(insn >> 8 * i);
}

static uint32_t jal(int32_t by, unsigned rd)
{
	const uint32_t v = (uint32_t)by;

	return (v >> 20 & 1) << 31 | (v >> 1 & 0x3ff) << 21 | (v >> 11 & 1) << 20 |
	       (v >> 12 & 0xff) << 12 | rd << 7 | 0x6f;
}

/* beq a0, a1 */
static uint32_t beq(int32_t by)
{
	const uint32_t v = (uint32_t)by;

	return (v >> 12 & 1) << 31 | (v >> 5 & 0x3f) << 25 | 11 << 20 | 10 << 15 |
	       (v >> 1 & 15) << 8 | (v >> 11 & 1) << 7 | 0x63;
}

static void assemble(void)
{
	memset(code, 0, sizeof code); /* defined illegal */
	for (size_t i = 0; i < sizeof program / sizeof *program; i++) {
		const unsigned at = program[i].at;
		const int32_t by = (int32_t)program[i].to - (int32_t)at;

		switch ((enum op)program[i].op) {
		case NOP: put_insn(at, 0x0001, 2); break;
		case JUMP: put_insn(at, jal(by, 0), 4); break;
		case CALL: put_insn(at, jal(by, 1), 4); break;
		case BRANCH: put_insn(at, beq(by), 4); break;
		case RETURN: put_insn(at, 0x8082, 2); break;
		case GOTO: put_insn(at, 0x8582, 2); break;
		case INVOKE: put_insn(at, 0x9582, 2); break;
		case PAIR: /* auipc t1, 0; jr to(t1) */
			put_insn(at, 0x00000317, 4);
			put_insn(at + 4, (uint32_t)by << 20 | 6 << 15 | 0x67, 4);
			break;
		case MRET: put_insn(at, 0x30200073, 4); break;
		}
	}
}

/* ---- blocks of a path ------------------------------------------------------------------- */

/* A path: where each block begins; a block ends with the next instruction that can jump, the last
 * one after an address that is given.  Events: CONTEXT + n, OPTIONS + n: what they become; before
 * TRAP, an interrupt, a block has one instruction. */
#define PATH 192
enum { STOP = 0x1000, LOST, NOTIFY, REQUEST, TRAP, CONTEXT = 0x2000, OPTIONS = 0x3000 };
#define END 0xffff
#define P(...) { __VA_ARGS__, END }

static unsigned size_of(unsigned op)
{
	return op == NOP || op == RETURN || op == GOTO || op == INVOKE ? 2 : op == PAIR ? 8 : 4;
}

static unsigned find_insn(unsigned at)
{
	unsigned i = 0;

	while (i < sizeof program / sizeof *program && program[i].at != at)
		i++;
	assert_true(i < sizeof program / sizeof *program);
	return i;
}

static uint8_t itype_of(unsigned op, bool taken)
{
	static const uint8_t of[] = {
		[JUMP] = HS_ITYPE_JUMP_INF,   [CALL] = HS_ITYPE_CALL_INF,
		[RETURN] = HS_ITYPE_RETURN,   [GOTO] = HS_ITYPE_JUMP_UNINF,
		[INVOKE] = HS_ITYPE_CALL_UNINF, [PAIR] = HS_ITYPE_JUMP_UNINF,
		[MRET] = HS_ITYPE_XRET,
	};

	return op == BRANCH ? taken ? HS_ITYPE_TAKEN : HS_ITYPE_NOT_TAKEN : of[op];
}

/* The block from @from on.  @next: where the next one begins, or @stop, where this one ends. */
static struct hs_block block_of(unsigned from, unsigned next, unsigned stop)
{
	struct hs_block b = { .iaddr = 0x1000 + from, .priv = HS_PRIV_M };
	unsigned at = from, op = NOP, i = 0;

	while (op == NOP && at != stop) {
		i = find_insn(at);
		op = program[i].op;
		at += size_of(op);
		b.ilast = (uint8_t)(op == PAIR ? 2 : size_of(op) / 2);
	}
	b.iretire = (at - from) / 2;
	if (op == NOP)
		return b;
	b.sijump = op == PAIR;
	b.itype = itype_of(op, next == program[i].to);
	return b;
}

static struct hs_block event_of(unsigned event)
{
	if (event >= OPTIONS) /* for the caller */
		return (struct hs_block){ .kind = HS_KIND_NOTE, .arg = event - OPTIONS };
	if (event >= CONTEXT)
		return (struct hs_block){ .kind = HS_KIND_CONTEXT, .value = event - CONTEXT };
	switch (event) {
	case STOP: return (struct hs_block){ .kind = HS_KIND_STOP };
	case LOST: return (struct hs_block){ .kind = HS_KIND_GAP, .arg = HS_E_LOST };
	case TRAP: return (struct hs_block){ .kind = HS_KIND_TRAP, .arg = 7 };
	case NOTIFY: return (struct hs_block){ .kind = HS_KIND_SYNC, .itype = 6 };
	default: return (struct hs_block){ .kind = HS_KIND_SYNC };
	}
}

/* The block at @path, which ends before @end where nothing comes next. */
static struct hs_block block_at(const uint16_t *path, unsigned end)
{
	const uint16_t *next = path + 1;
	struct hs_block b;

	if (*next == TRAP) {
		b = block_of(*path, 0, *path + 2u);
		b.itype = HS_ITYPE_INTERRUPT;
		return b;
	}
	while (*next >= STOP && *next != END)
		next++;
	return block_of(*path, *next, *next == END ? end : UINT32_MAX);
}

/* @return How many blocks and events. */
static size_t blocks_of(const uint16_t *path, unsigned end, struct hs_block *out)
{
	size_t n = 0;

	for (; path[n] != END; n++)
		out[n] = path[n] >= STOP ? event_of(path[n]) : block_at(path + n, end);
	return n;
}

/* Encode them.  @return How many bytes. */
static size_t encode_path(const struct hs_et_config *c, const struct hs_block *in, size_t n,
                          uint8_t *bytes, size_t room)
{
	static uint64_t tables[64];
	struct hs_et_encoder e;
	size_t used, len, at = 0;

	assert_int_equal(hs_et_encoder_init(&e, c, tables, sizeof tables), HS_OK);
	for (size_t i = 0; i < n; i++, at += len) {
		if (in[i].kind == HS_KIND_NOTE)
			assert_int_equal(hs_et_encoder_set_options(&e, in[i].arg), HS_OK);
		assert_int_equal(hs_et_encode(&e, &in[i], 1, &used, bytes + at, room - at, &len),
		                 HS_OK);
	}
	assert_int_equal(hs_et_encode_end(&e, bytes + at, room - at, &len), HS_OK);
	return at + len;
}

#define PATH_BYTES (PATH * 8 + 2 * HS_ET_ENCODE_ROOM)

#endif
