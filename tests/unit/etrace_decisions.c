/* Where the E-Trace encoder reports what, by address and depth, and what the decoder makes of it:
 * loops, returns, synchronisation (ET Algorithm, ET Format 2, ADR-0017, ADR-0045, ADR-0055). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

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
	{ 0x80, CALL, 0x1b0 },    { 0x84, NOP, 0 },
	/* functions */
	{ 0x100, NOP, 0 },        { 0x102, BRANCH, 0x108 }, { 0x106, NOP, 0 },
	{ 0x108, RETURN, 0 },     { 0x120, CALL, 0x108 },   { 0x124, NOP, 0 },
	{ 0x126, RETURN, 0 },     { 0x1a0, CALL, 0x108 },   { 0x1a4, NOP, 0 },
	{ 0x1a6, GOTO, 0 },       { 0x1b0, CALL, 0x120 },   { 0x1b4, RETURN, 0 },
	/* loops, pairs, traps */
	{ 0x130, NOP, 0 },        { 0x132, JUMP, 0x130 },   { 0x150, NOP, 0 },
	{ 0x152, MRET, 0 },       { 0x160, NOP, 0 },        { 0x162, PAIR, 0x170 },
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
 * one after @end. */
#define PATH 24
enum { STOP = 0x1000, LOST, NOTIFY, REQUEST, CONTEXT = 0x2000, END = 0xffff }; /* CONTEXT + n: n */
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
	if (event >= CONTEXT)
		return (struct hs_block){ .kind = HS_KIND_CONTEXT, .value = event - CONTEXT };
	if (event == STOP)
		return (struct hs_block){ .kind = HS_KIND_STOP };
	if (event == LOST)
		return (struct hs_block){ .kind = HS_KIND_GAP, .arg = HS_E_LOST };
	return (struct hs_block){ .kind = HS_KIND_SYNC, .itype = event == NOTIFY ? 6 : 0 };
}

/* @return How many blocks and events. */
static size_t blocks_of(const uint16_t *path, unsigned end, struct hs_block *out)
{
	size_t n = 0;

	for (; path[n] != END; n++) {
		size_t next = n + 1;

		while (path[next] >= STOP && path[next] != END)
			next++;
		const bool last = path[next] == END;

		out[n] = path[n] >= STOP
		                 ? event_of(path[n])
		                 : block_of(path[n], path[next], last ? end : UINT32_MAX);
	}
	return n;
}

/* ---- packets as text ------------------------------------------------------------------------ */

/* S start, T trap, C context, B branches, A an address, I an index, K a count; a support packet by
 * qual_status: N no change, E ended, R ended and reported anyway, L lost, small with ienable 0.  Of
 * branches the map, the oldest one first, 1 not taken; @ and the address; n notify, u updiscon, d
 * the depth, r irets. */
static void print_packet(const struct hs_et_packet *p, bool full, uint64_t *address, char *to)
{
	static const char forms[HS_ET_FORMS] = {
		[HS_ET_FORM_START] = 'S', [HS_ET_FORM_TRAP] = 'T',   [HS_ET_FORM_CONTEXT] = 'C',
		[HS_ET_FORM_FULL] = 'F',  [HS_ET_FORM_BRANCH] = 'B', [HS_ET_FORM_ADDRESS] = 'A',
		[HS_ET_FORM_INDEX] = 'I', [HS_ET_FORM_BRANCH_COUNT] = 'K',
	};
	const uint64_t *f = p->field;
	const unsigned branches = (unsigned)f[HS_ETF_BRANCHES];

	if (p->form == HS_ET_FORM_SUPPORT) {
		sprintf(to, "%c", (f[HS_ETF_IENABLE] ? "NELR" : "nelr")[f[HS_ETF_QUAL_STATUS]]);
		return;
	}
	to += sprintf(to, "%c", forms[p->form]);
	for (unsigned i = 0; i < branches; i++)
		to += sprintf(to, "%u", (unsigned)(f[HS_ETF_BRANCH_MAP] >> i & 1));
	if (hs_et_has(p, HS_ETF_ADDRESS)) {
		if (full || p->form == HS_ET_FORM_START)
			*address = 0;
		*address = (*address + 2 * f[HS_ETF_ADDRESS]) & UINT32_MAX;
		to += sprintf(to, "@%x", (unsigned)*address & 0xfff);
	}
	to += sprintf(to, "%s%s", f[HS_ETF_NOTIFY] ? "n" : "", f[HS_ETF_UPDISCON] ? "u" : "");
	if (f[HS_ETF_IRREPORT])
		to += sprintf(to, "d%u", (unsigned)f[HS_ETF_IRDEPTH]);
	if (f[HS_ETF_IRETS])
		sprintf(to, "r%u", (unsigned)f[HS_ETF_IRETS]);
}

static void print_packets(const struct hs_et_config *c, struct hs_span in, char *to)
{
	struct hs_et_reader r;
	struct hs_et_packet p;
	uint64_t address = 0;

	assert_int_equal(hs_et_reader_init(&r, c), HS_OK);
	for (*to = 0; hs_et_read(&r, &in, &p) == HS_OK;) {
		to += strlen(to);
		print_packet(&p, c->options & HS_ET_FULL_ADDRESS, &address, to);
		strcat(to, " ");
	}
	assert_int_equal(in.n, 0);
	to[strlen(to) - 1] = 0;
}

/* ---- rows ------------------------------------------------------------------------------------ */

#define C(...) { .size = sizeof(struct hs_et_config), .iaddress_width = 32, __VA_ARGS__ }
#define STACK(...) C(.return_stack_size = 3, .options = HS_ET_IMPLICIT_RETURN, __VA_ARGS__)
#define PRECISE .context = 1, .context_width = 4, .context_precise = 1
#define COUNTER(...) C(.call_counter_size = 3, .options = HS_ET_IMPLICIT_RETURN, __VA_ARGS__)

static const struct row {
	const char *name;
	struct hs_et_config c;
	uint16_t path[PATH], end;
	const char *packets;
} rows[] = {
	{ "in order", C(0),
	  P(0x00, 0x06), 0x08, "N S@0 B1@6 e" },
	/* a second jump back since the last packet is reported (ADR-0017) */
	{ "a loop", C(0),
	  P(0x130, 0x130, 0x130), 0x132, "N S@130 A@132n A@132n A@130 e" },
	{ "a loop, plain", C(.plain_loops = 1),
	  P(0x130, 0x130, 0x130), 0x132, "N S@130 A@130 e" },
	{ "a loop of two jumps", C(0),
	  P(0x180, 0x190, 0x180, 0x190, 0x180), 0x182, "N S@180 A@192n A@192n A@180 e" },
	{ "a loop with a branch", C(0),
	  P(0x10, 0x00, 0x10, 0x00, 0x10), 0x12, "N S@10 B00@10 e" },
	{ "a jump back to its start", C(0),
	  P(0x180, 0x190, 0x180), 0x182, "N S@180 A@192n A@180 e" },
	/* a depth names one return (ADR-0017, ADR-0045) */
	{ "calls and returns", STACK(0),
	  P(0x26, 0x120, 0x108, 0x124, 0x2a), 0x2c, "N S@26 A@120n A@2ad0 e" },
	{ "a call after a return", STACK(0),
	  P(0x2c, 0x108, 0x30, 0x108, 0x34, 0x108, 0x38), 0x3a,
	  "N S@2c A@30nd0 A@34nd0 A@38d0 e" },
	{ "a call after a return, counted", COUNTER(0),
	  P(0x2c, 0x108, 0x30, 0x108, 0x34, 0x108, 0x38), 0x3a,
	  "N S@2c A@30nd0 A@34nd0 A@38d0 e" },
	{ "a call after a return, irets", COUNTER(.iret_ext = 1),
	  P(0x2c, 0x108, 0x30, 0x108, 0x34, 0x108, 0x38), 0x3a, "N S@2c A@38d0r3 e" },
	{ "a call after a return, not inferred", C(0),
	  P(0x2c, 0x108, 0x30, 0x108, 0x34, 0x108, 0x38), 0x3a, "N S@2c A@30 A@34 A@38 r" },
	{ "a return to itself", STACK(0),
	  P(0x2c, 0x108, 0x108, 0x30), 0x34, "N S@2c A@108ud1 S@30 e" },
	{ "a return to itself, strict", STACK(.strict = 1),
	  P(0x2c, 0x108, 0x108, 0x30), 0x34, "N S@2c A@108d1 A@30d0 e" },
	{ "a return to itself, then a synchronisation", STACK(0),
	  P(0x2c, 0x108, REQUEST, 0x108, 0x30, 0x108, 0x34, 0x108, 0x38), 0x3a,
	  "N S@2c A@108n A@108ud1 S@30 A@34nd0 A@38d0 e" },
	/* a target that may have been met has updiscon, and a synchronisation follows (ADR-0045) */
	{ "a return that fails forwards", STACK(0),
	  P(0x2c, 0x108, 0x124, 0x30, 0x108, 0x34, 0x108, 0x38), 0x3a,
	  "N S@2c A@124d1 A@30nd0 A@34nd0 A@38d0 e" },
	{ "a return that fails backwards", STACK(0),
	  P(0x2c, 0x108, 0x100, 0x106, 0x30), 0x34, "N S@2c A@100ud1 S@102 A@30 r" },
	{ "a return that fails after others", STACK(0),
	  P(0x2c, 0x108, 0x30, 0x108, 0x3e), 0x40, "N S@2c A@30nd0 A@3eud1 e" },
	{ "a return that fails after others, counted", COUNTER(0),
	  P(0x2c, 0x108, 0x30, 0x108, 0x3e), 0x40, "N S@2c A@30nd0 A@3eud1 e" },
	{ "a return that fails after others, irets", COUNTER(.iret_ext = 1),
	  P(0x2c, 0x108, 0x30, 0x108, 0x3e), 0x40, "N S@2c A@3ed0r1 r" },
	{ "a return that fails after others, plain", COUNTER(.plain_loops = 1),
	  P(0x2c, 0x108, 0x30, 0x108, 0x34), 0x38, "N S@2c A@30nd0 A@34d0 e" },
	{ "a return that fails after a branch", STACK(0),
	  P(0x22, 0x100, 0x106, 0x3e), 0x40, "N S@22 B1@3eud1 e" },
	{ "a return that fails, and a context", STACK(.context = 1, .context_width = 4),
	  P(0x2c, 0x108, CONTEXT + 5, 0x3e), 0x40, "N S@2c A@3eud1 C e" },
	{ "a return that fails, and a precise context", STACK(PRECISE),
	  P(0x2c, 0x108, CONTEXT + 5, 0x3e), 0x40, "N S@2c A@108n A@3eud1 C e" },
	{ "a return that fails back, and a precise context", STACK(PRECISE),
	  P(0x30, 0x108, CONTEXT + 5, 0x2a, 0x108, 0x34), 0x38,
	  "N S@30 A@108n A@2aud1 C S@2c A@34ud1 e" },
	{ "a return that is a jump's target", STACK(0),
	  P(0x50, 0x1a0, 0x108, 0x1a4, 0x108, 0x54), 0x56, "N S@50 A@108u S@54 e" },
	{ "a return that is a jump's target, irets", COUNTER(.iret_ext = 1),
	  P(0x50, 0x1a0, 0x108, 0x1a4, 0x108, 0x54), 0x56, "N S@50 A@108 A@54d0r1 e" },
	{ "a return that is a jump's target and fails", STACK(0),
	  P(0x50, 0x1a0, 0x108, 0x1a4, 0x108, 0x3e), 0x40, "N S@50 A@108 A@3ed1 r" },
	/* depth 0 also stands for 2^n calls (ADR-0017) */
	{ "a counter that is full", C(.call_counter_size = 1, .options = HS_ET_IMPLICIT_RETURN),
	  P(0x26, 0x120, 0x108, 0x124, 0x2a), 0x2c, "N S@26 A@126nd1 A@2ad0 e" },
	{ "calls beyond a stack", C(.return_stack_size = 1, .options = HS_ET_IMPLICIT_RETURN),
	  P(0x80, 0x1b0, 0x120, 0x108, 0x124, 0x1b4, 0x84), 0x86, "N S@80 A@120n A@84 r" },
	{ "nested calls in a loop", STACK(0),
	  P(0x60, 0x120, 0x108, 0x124, 0x64, 0x60, 0x120, 0x108, 0x124, 0x64, 0x68), 0x6c,
	  "N S@60 B01@68 e" },
	{ "nested calls in a loop without a branch", STACK(0),
	  P(0x68, 0x120, 0x108, 0x124, 0x6c, 0x68, 0x120, 0x108, 0x124, 0x6c), 0x6e,
	  "N S@68 A@6end0 A@120n A@6cd0 e" },
	{ "nested calls in a loop, irets", COUNTER(.iret_ext = 1),
	  P(0x68, 0x120, 0x108, 0x124, 0x6c, 0x68, 0x120, 0x108, 0x124, 0x6c), 0x6e,
	  "N S@68 A@6end0r2 A@120n A@6cd0r2 e" },
	{ "nested calls in a loop, counted", COUNTER(0),
	  P(0x68, 0x120, 0x108, 0x124, 0x6c, 0x68, 0x120, 0x108, 0x124, 0x6c), 0x6e,
	  "N S@68 A@6end0 A@120n A@6cd0 e" },
	/* what came before is reported first (ET Resynchronisation, docs/etrace-additions.md) */
	{ "a synchronisation after a return", STACK(0),
	  P(0x2c, 0x108, REQUEST, 0x30, 0x108, 0x34), 0x38, "N S@2c A@108 S@30 A@34d0 e" },
	{ "a synchronisation after a call", STACK(0),
	  P(0x2c, REQUEST, 0x108, 0x30), 0x34, "N S@2c S@108 A@30 r" },
	{ "a synchronisation after a jump", C(0),
	  P(0x0c, REQUEST, 0x20), 0x22, "N S@c A@e S@20 e" },
	{ "a synchronisation at a branch", C(0),
	  P(0x00, REQUEST, 0x06), 0x08, "N S@0 B1@2 S@6 e" },
	{ "a synchronisation after a jump back", C(0),
	  P(0x180, 0x190, REQUEST, 0x180), 0x182, "N S@180 A@192 S@180 e" },
	{ "a synchronisation in a loop", C(0),
	  P(0x130, REQUEST, 0x130, 0x130), 0x132, "N S@130 A@132 S@130 A@132n A@130 e" },
	/* every 16 half-words, where the flow turns; strict: by instructions (ADR-0055) */
	{ "half-words", C(.sync_mode = HS_ET_SYNC_HALFWORDS),
	  P(0x2c, 0x108, 0x30, 0x108, 0x34, 0x108, 0x38), 0x3a, "N S@2c A@30 A@34 A@38 r" },
	{ "half-words, strict", C(.sync_mode = HS_ET_SYNC_HALFWORDS, .strict = 1),
	  P(0x2c, 0x108, 0x30, 0x108, 0x34, 0x108, 0x38), 0x3a, "N S@2c A@30 A@34 A@38 r" },
	{ "half-words, returns", STACK(.sync_mode = HS_ET_SYNC_HALFWORDS),
	  P(0x2c, 0x108, 0x30, 0x108, 0x34, 0x108, 0x38), 0x3a,
	  "N S@2c A@30nd0 A@34nd0 A@38d0 e" },
	{ "half-words, branches", C(.sync_mode = HS_ET_SYNC_HALFWORDS),
	  P(0x10, 0x00, 0x10, 0x00, 0x10, 0x00, 0x06), 0x08, "N S@10 B001@2 S@6 e" },
	{ "half-words, jumps", C(.sync_mode = HS_ET_SYNC_HALFWORDS),
	  P(0x180, 0x190, 0x180, 0x190, 0x180, 0x190, 0x180), 0x182,
	  "N S@180 A@192n A@192n A@192 S@180 e" },
	{ "packets", C(.sync_mode = HS_ET_SYNC_PACKETS),
	  P(0x0e, 0x0e, 0x0e, 0x0e, 0x0e, 0x0e, 0x0e, 0x0e, 0x0e, 0x0e, 0x0e, 0x0e, 0x0e, 0x0e,
	    0x0e, 0x0e, 0x0e, 0x0e, 0x20), 0x22,
	  "N S@e A@e A@e A@e A@e A@e A@e A@e A@e A@e A@e A@e A@e A@e A@e A@e A@e A@eu S@20 e" },
	{ "half-words, branches, strict", C(.sync_mode = HS_ET_SYNC_HALFWORDS, .strict = 1),
	  P(0x10, 0x00, 0x10, 0x00, 0x10, 0x00, 0x06), 0x08, "N S@10 B00@0 S@2 A@6 e" },
	{ "half-words, no branches, strict", C(.sync_mode = HS_ET_SYNC_HALFWORDS, .strict = 1),
	  P(0x180, 0x190, 0x180, 0x190, 0x180, 0x190, 0x180), 0x182, "N S@180 S@192 A@180 e" },
	{ "half-words, returns, strict", STACK(.sync_mode = HS_ET_SYNC_HALFWORDS, .strict = 1),
	  P(0x68, 0x120, 0x108, 0x124, 0x6c, 0x68, 0x120, 0x108, 0x124, 0x6c), 0x6e,
	  "N S@68 S@126 A@6c r" },
	{ "half-words, nested calls", STACK(.sync_mode = HS_ET_SYNC_HALFWORDS),
	  P(0x68, 0x120, 0x108, 0x124, 0x6c, 0x68, 0x120, 0x108, 0x124, 0x6c), 0x6e,
	  "N S@68 A@6end0 A@120n A@126d1 S@6c e" },
	{ "half-words, a failed return", STACK(.sync_mode = HS_ET_SYNC_HALFWORDS),
	  P(0x68, 0x120, 0x108, 0x124, 0x6c, 0x68, 0x120, 0x108, 0x3e, 0x60, 0x120), 0x124,
	  "N S@68 A@6end0 A@3eud2 S@40 A@60 A@120 e" },
	{ "half-words, jumps that need an address", C(.sync_mode = HS_ET_SYNC_HALFWORDS),
	  P(0x0c, 0x0c, 0x0c, 0x0c, 0x0c, 0x0c, 0x0c, 0x0c, 0x0c, 0x20), 0x22,
	  "N S@c A@c A@c A@c A@c A@c A@c A@c A@e S@c A@20 r" },
	{ "packets, strict", C(.sync_mode = HS_ET_SYNC_PACKETS, .strict = 1),
	  P(0x0e, 0x0e, 0x0e, 0x0e, 0x0e, 0x0e, 0x0e, 0x0e, 0x0e, 0x0e, 0x0e, 0x0e, 0x0e, 0x0e,
	    0x0e, 0x0e, 0x0e, 0x0e, 0x20), 0x22,
	  "N S@e A@e A@e A@e A@e A@e A@e A@e A@e A@e A@e A@e A@e A@e A@e A@e A@e A@eu S@20 e" },
	/* ET sijump */
	{ "a pair", C(.sijump = 1, .options = HS_ET_SIJUMP),
	  P(0x160, 0x170), 0x172, "N S@160 A@170 e" },
	{ "a pair, not inferred", C(.sijump = 1),
	  P(0x160, 0x170), 0x172, "N S@160 A@170 r" },
	{ "a pair after a synchronisation", C(.sijump = 1, .options = HS_ET_SIJUMP),
	  P(0x0e, REQUEST, 0x160, 0x170), 0x172, "N S@e S@160 A@170 e" },
	/* ET Format 2 notify, ADR-0043 */
	{ "a notification", C(0),
	  P(0x00, NOTIFY, 0x06), 0x08, "N S@0 B1@2 S@6 e" },
	{ "a notification, strict", C(.strict = 1),
	  P(0x00, NOTIFY, 0x06), 0x08, "N S@0 B1@6n e" },
	{ "a notification at a jump's target", C(.strict = 1),
	  P(0x0e, NOTIFY, 0x20), 0x22, "N S@e A@20 r" },
	{ "a notification after a return", STACK(.strict = 1),
	  P(0x2c, 0x108, NOTIFY, 0x30), 0x34, "N S@2c A@30nd0 e" },
	/* an index that is not shorter is not used (ADR-0017) */
	{ "cached targets", C(.cache_size = 3, .options = HS_ET_JUMP_TARGET_CACHE),
	  P(0x0e, 0x3e, 0x0e, 0x3e, 0x0e, 0x3e), 0x40, "N S@e A@3e A@e A@3e A@e A@3e r" },
	{ "cached targets and a branch", C(.cache_size = 3, .options = HS_ET_JUMP_TARGET_CACHE),
	  P(0x0e, 0x3e, 0x0e, 0x3e, 0x00, 0x06, 0x100, 0x108, 0x0c), 0x0e,
	  "N S@e A@3e A@e A@3e A@0 B10@c r" },
	/* ET Format 3 subformat 3 */
	{ "a stop after a jump", C(0),
	  P(0x0e, STOP, 0x20), 0x22, "N S@e E S@20 e" },
	{ "a stop at a jump's target", C(0),
	  P(0x0e, 0x10, STOP, 0x20), 0x22, "N S@e A@10 A@12 E S@20 e" },
	{ "full addresses", C(.options = HS_ET_FULL_ADDRESS),
	  P(0x0e, 0x3e, 0x0e), 0x10, "N S@e A@3e A@e r" },
};

static void decide(void **state)
{
	const struct row *row = *state;
	static struct hs_et_encoder e;
	static uint64_t tables[64], memory[4096];
	static struct hs_et_source source;
	struct hs_block in[PATH], out[PATH + HS_ET_DECODE_ROOM];
	uint8_t bytes[8 * HS_ET_ENCODE_ROOM];
	char text[1024];
	const size_t n = blocks_of(row->path, row->end, in);
	struct hs_bb_table table;
	struct hs_et_decoder d;
	size_t used, len, end, got, k = 0;

	assemble();
	assert_int_equal(hs_et_encoder_init(&e, &row->c, tables, sizeof tables), HS_OK);
	assert_int_equal(hs_et_encode(&e, in, n, &used, bytes, sizeof bytes, &len), HS_OK);
	assert_int_equal(used, n);
	assert_int_equal(hs_et_encode_end(&e, bytes + len, sizeof bytes - len, &end), HS_OK);
	struct hs_span span = { bytes, len + end };

	print_packets(&row->c, span, text);
	assert_string_equal(text, row->packets);
	if (row->c.plain_loops || row->c.strict) /* loops may have two meanings (ADR-0017) */
		return;
	assert_int_equal(hs_bb_init(&table, &image, memory, 64), HS_OK);
	assert_int_equal(hs_et_decoder_init(&d, &row->c, &table, &source, 1, tables, sizeof tables),
	                 HS_OK);
	if (hs_et_decoder_next(&d, &span, out, sizeof out / sizeof *out, &got) != HS_MORE)
		fail_msg("%s", hs_et_decoder_diag(&d)->text);
	for (size_t i = 0; i < got; i++) {
		if (out[i].kind != HS_KIND_BLOCK)
			continue;
		while (k < n && in[k].kind != HS_KIND_BLOCK)
			k++;
		assert_true(k < n);
		if (!hs_block_equal(&out[i], &in[k]))
			fail_msg("block %zu: want %llx+%u %u, got %llx+%u %u", k,
			         (unsigned long long)in[k].iaddr, in[k].iretire, in[k].itype,
			         (unsigned long long)out[i].iaddr, out[i].iretire, out[i].itype);
		k++;
	}
	assert_int_equal(k, n);
}

int main(void)
{
	enum { ROWS = sizeof rows / sizeof *rows };
	struct CMUnitTest tests[ROWS];

	for (size_t i = 0; i < ROWS; i++)
		tests[i] = (struct CMUnitTest){ rows[i].name, decide, NULL, NULL,
			                        (void *)(uintptr_t)&rows[i] };
	return cmocka_run_group_tests_name("etrace_decisions", tests, NULL, NULL);
}
