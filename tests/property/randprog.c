/* Random programs and walks; see randprog.h. */
#include "core/core.h"
#include "core/image.h"
#include "property/randprog.h"

#include <stdlib.h>
#include <string.h>

uint64_t rng_next(struct rng *r)
{
	r->s ^= r->s >> 12;
	r->s ^= r->s << 25;
	r->s ^= r->s >> 27;
	return r->s * UINT64_C(0x2545f4914f6cdd1d);
}

struct rng rng_start(uint64_t seed)
{
	struct rng r = { seed * 2 + 1 };

	for (int i = 0; i < 4; i++)
		rng_next(&r);
	return r;
}

uint32_t rng_below(struct rng *r, uint32_t n)
{
	return (uint32_t)(((rng_next(r) >> 32) * n) >> 32);
}

bool rng_one_in(struct rng *r, uint32_t n)
{
	return n && rng_below(r, n) == 0;
}

/* ---- programs ------------------------------------------------------------------ */

enum shape {
	LINEAR16, LINEAR32, LINEAR48, LINEAR64, LINEAR_LONG, BRANCH, CBRANCH, JAL, CJ, JALR, CJR,
		CJALR,
	POPRET, TABLE, XRET, ECALL, EBREAK, CEBREAK, PAIR, CUSTOM, SHAPES
};

/* How often each shape appears, in SHAPES' order. */
static const uint8_t weights[SHAPES] = { 20, 20, 2, 1, 1, 14, 10, 5, 4, 4, 2, 2, 2, 2, 1, 2, 1, 1,
                                         4, 1 };

/* One instruction of 32 bits, or two. */
static bool is_wide(enum shape s)
{
	return s == LINEAR32 || s == BRANCH || s == JAL || s == JALR || s == XRET || s == ECALL ||
		s == EBREAK ||
	       s == PAIR || s == CUSTOM;
}

/* Any number, shifted right by @least and up to @n more. */
static uint64_t shifted(struct rng *r, unsigned least, uint32_t n)
{
	const uint64_t number = rng_next(r);

	return number >> (least + rng_below(r, n));
}

/* 16 bits that are a compressed instruction. */
static uint32_t random_quadrant(struct rng *r)
{
	const uint32_t bits = rng_next(r) & 0xfffc;

	return bits | rng_below(r, 3);
}

static enum shape pick_shape(struct rng *r)
{
	unsigned total = 0, at;

	for (unsigned i = 0; i < SHAPES; i++)
		total += weights[i];
	at = rng_below(r, total);
	for (unsigned i = 0; i < SHAPES; i++) {
		if (at < weights[i])
			return (enum shape)i;
		at -= weights[i];
	}
	return LINEAR16;
}

static unsigned shape_hwords(enum shape s, struct rng *r)
{
	switch (s) {
	case LINEAR48: return 3;
	case LINEAR64: return 4;
	case LINEAR_LONG: return 5 + rng_below(r, 7);
	case LINEAR16: case CBRANCH: case CJ: case CJR: case CJALR: case POPRET: case TABLE:
	case CEBREAK: return 1;
	default: return 2;
	}
}

static void put16(uint8_t *p, unsigned v)
{
	p[0] = (uint8_t)v;
	p[1] = (uint8_t)(v >> 8);
}

static void put32(uint8_t *p, uint32_t v)
{
	put16(p, v & 0xffff);
	put16(p + 2, v >> 16);
}

static uint32_t enc_b(int32_t off, uint32_t base)
{
	const uint32_t o = (uint32_t)off;

	return base | (o >> 12 & 1) << 31 | (o >> 5 & 0x3f) << 25 | (o >> 1 & 15) << 8 |
	       (o >> 11 & 1) << 7;
}

static uint32_t enc_j(int32_t off, uint32_t rd)
{
	const uint32_t o = (uint32_t)off;

	return 0x6f | rd << 7 | (o >> 20 & 1) << 31 | (o >> 1 & 0x3ff) << 21 | (o >> 11 & 1) << 20 |
	       (o >> 12 & 0xff) << 12;
}

static unsigned enc_cb(int32_t off, unsigned base)
{
	const unsigned o = (unsigned)off;

	return base | (o >> 8 & 1) << 12 | (o >> 3 & 3) << 10 | (o >> 6 & 3) << 5 |
	       (o >> 1 & 3) << 3 | (o >> 5 & 1) << 2;
}

static unsigned enc_cj(int32_t off, unsigned base)
{
	const unsigned o = (unsigned)off;

	return base | (o >> 11 & 1) << 12 | (o >> 4 & 1) << 11 | (o >> 8 & 3) << 9 |
	       (o >> 10 & 1) << 8 | (o >> 6 & 1) << 7 | (o >> 7 & 1) << 6 |
	       (o >> 1 & 7) << 3 | (o >> 5 & 1) << 2;
}

/* A direct target within reach, or the next instruction. */
static int32_t pick_offset(const struct program *p, struct rng *r, uint64_t pc, int32_t reach,
                           unsigned hwords)
{
	for (int tries = 0; tries < 24; tries++) {
		const int64_t off = (int64_t)(p->at[rng_below(r, (uint32_t)p->count)] - pc);

		if (off >= -reach && off < reach)
			return (int32_t)off;
	}
	return (int32_t)(2 * hwords);
}

static unsigned pick_reg(struct rng *r)
{
	static const uint8_t regs[] = { 0, 1, 5, 6, 7, 10 };

	return regs[rng_below(r, sizeof regs)];
}

/* Random bytes of a length that do not change the PC. */
static void put_linear(const struct program *p, struct rng *r, uint8_t *at, unsigned hwords)
{
	static const uint8_t low[] = { 0, 0, 0x13, 0x1f, 0x3f };
	struct hs_insn insn;

	do {
		for (unsigned i = 0; i < 2 * hwords; i++)
			at[i] = (uint8_t)rng_next(r);
		if (hwords == 1)
			put16(at, random_quadrant(r));
		else if (hwords <= 4)
			at[0] = (uint8_t)((at[0] & (hwords == 2 ? 0xe0 : hwords == 3 ? 0xc0
			                            : 0x80)) | low[hwords]);
		else
			put16(at, (rng_next(r) & 0x8f80) | (hwords - 5) << 12 | 0x7f);
	} while (hs_isa_decode(&p->image.isa, 0, at, 2 * hwords, &insn) != HS_OK ||
	         insn.kind != HS_INSN_LINEAR || insn.hwords != hwords);
}

/* lui or auipc with the upper part of a target, then jalr with the lower. */
static void put_pair(const struct program *p, struct rng *r, uint8_t *at, uint64_t pc)
{
	const uint64_t target = p->at[rng_below(r, (uint32_t)p->count)];
	const uint32_t off = (uint32_t)(target - pc), low = off & 0xfff;
	const unsigned via = rng_one_in(r, 3) ? 1 : 6;

	put32(at, 0x17 | via << 7 | (off + (low & 0x800) * 2) / 4096 << 12);
	put32(at + 4, 0x67 | pick_reg(r) << 7 | via << 15 | low << 20);
}

/* No two random numbers are drawn in one expression: compilers and hosts differ in which is first,
 * and a seed is to be the same case everywhere. */
static void put_shape(struct program *p, struct rng *r, enum shape s, uint64_t pc, unsigned hwords)
{
	uint8_t *at = p->code + (pc - p->base);
	uint32_t op;

	switch (s) {
	case BRANCH: {
		static const uint8_t f3[] = { 0, 1, 4, 5, 6, 7 };
		op = 0x63u | (uint32_t)f3[rng_below(r, 6)] << 12;
		op |= rng_below(r, 32) << 15;
		op |= rng_below(r, 32) << 20;
		put32(at, enc_b(pick_offset(p, r, pc, 4096, 2), op));
		break;
	}
	case CBRANCH:
		op = rng_one_in(r, 2) ? 0xc001 : 0xe001;
		op = enc_cb(pick_offset(p, r, pc, 256, 1), op);
		put16(at, op | rng_below(r, 8) << 7);
		break;
	case JAL:
		op = pick_reg(r);
		put32(at, enc_j(pick_offset(p, r, pc, 1 << 20, 2), op));
		break;
	case CJ:
		op = p->image.isa.xlen == 32 && rng_one_in(r, 2) ? 0x2001 : 0xa001;
		put16(at, enc_cj(pick_offset(p, r, pc, 2048, 1), op));
		break;
	case JALR:
		op = 0x67 | pick_reg(r) << 7;
		op |= pick_reg(r) << 15;
		put32(at, op | rng_below(r, 4096) << 20);
		break;
	case CJR: put16(at, 0x8002 | (pick_reg(r) | 1) << 7); break;
	case CJALR: put16(at, 0x9002 | (pick_reg(r) | 1) << 7); break;
	case POPRET: put16(at, p->image.isa.zcmp_zcmt ? (rng_one_in(r, 2) ? 0xbe52 : 0xbc62)
	                   : 0x0001); break;
	case TABLE: put16(at, p->image.isa.zcmp_zcmt ? 0xa002u | rng_below(r, 256) << 2 : 0x0001);
		break;
	case XRET: put32(at, rng_one_in(r, 2) ? 0x30200073 : 0x10200073); break;
	case ECALL: put32(at, 0x73); break;
	case EBREAK: put32(at, 0x100073); break;
	case CEBREAK: put16(at, 0x9002); break;
	case PAIR: put_pair(p, r, at, pc); break;
	/* custom-0, rd 0 */
	case CUSTOM: put32(at, 0x0000000b | (uint32_t)rng_next(r) << 12); break;
	default: put_linear(p, r, at, hwords); break;
	}
}

static bool is_extended(uint64_t address, unsigned field, unsigned xlen)
{
	for (unsigned i = field; field && i + 1 < xlen; i++)
		if ((address >> i & 1) != (address >> (i + 1) & 1))
			return false;
	return true;
}

bool program_fits(const struct program *p, unsigned field)
{
	const uint64_t reach = 1 << 20; /* of a jump that leaves it */

	return is_extended(p->base - reach, field, p->image.isa.xlen) &&
	       is_extended(p->base + p->size + reach, field, p->image.isa.xlen);
}

static uint64_t pick_base(struct rng *r, bool rv32)
{
	static const uint64_t bases[] = { 0x10000, 0x80000000, 0xfffe, 0x7ffffffe000,
	                                  0xffffffff80000000,
	                                  0xffffffffffff0000, 2 };
	const uint64_t base = bases[rng_below(r, sizeof bases / sizeof *bases)];

	return rv32 ? base & 0xffff0002 : base;
}

static void describe(struct program *p, bool rv32)
{
	const unsigned bytes = rv32 ? 4 : 8;
	const uint64_t table = rv32 ? 0x40000000 : 0x4000000000;

	p->sections[0] = (struct hs_section){ p->base, p->size, p->code };
	p->sections[1] = (struct hs_section){ table, 256 * bytes, p->table };
	if (p->base > table) {
		const struct hs_section s = p->sections[0];
		p->sections[0] = p->sections[1];
		p->sections[1] = s;
	}
	p->image.sections = p->sections;
	p->image.count = 2;
	p->image.jvt = table;
}

static void make(struct program *p, struct rng *r, bool wide)
{
	const bool rv32 = rng_one_in(r, 3);
	const size_t want = 8 + rng_below(r, rng_one_in(r, 4) ? PROG_INSNS - 12 : 60);
	enum shape shapes[PROG_INSNS];
	unsigned hwords[PROG_INSNS];
	uint64_t pc;

	memset(p, 0, sizeof *p);
	p->wide = wide;
	p->image.isa.xlen = rv32 ? 32 : 64;
	p->image.isa.zcmp_zcmt = rng_one_in(r, 2);
	p->custom[0] = (struct hs_custom){ 0x00000fff, 0x0000000b };
	p->image.isa.custom = p->custom;
	p->image.isa.custom_count = 1;
	pc = p->base = pick_base(r, rv32) & ~(uint64_t)(wide ? 3 : 0);
	for (p->count = 0; p->count < want; p->count++) {
		enum shape s = pick_shape(r);

		while (wide && !is_wide(s))
			s = pick_shape(r);
		shapes[p->count] = s;
		p->at[p->count] = pc;
		hwords[p->count] = s == PAIR ? 4 : shape_hwords(s, r);
		pc += 2 * hwords[p->count];
	}
	p->size = pc - p->base;
	for (size_t i = 0; i < p->count; i++)
		put_shape(p, r, shapes[i], p->at[i], hwords[i]);
	for (unsigned i = 0; i < 256; i++) {
		const uint64_t target = p->at[rng_below(r, (uint32_t)p->count)];
		for (unsigned b = 0; b < (rv32 ? 4 : 8); b++)
			p->table[i * (rv32 ? 4 : 8) + b] = (uint8_t)(target >> 8 * b);
	}
	describe(p, rv32);
}

void program_make(struct program *p, struct rng *r)
{
	make(p, r, false);
}

void program_make_wide(struct program *p, struct rng *r)
{
	make(p, r, true);
}

#define CALLED 6u /* functions; the first one is the loop */
#define DEEP 44u
#define RET 0x00008067

static void add_word(struct program *p, uint32_t op)
{
	put32(p->code + p->size, op);
	p->at[p->count++] = p->base + p->size;
	p->size += 4;
}

/* The body of a function, which calls those from @first on, if there are @count: a call is the
 * number of its function for now.  @surely: it calls the first of them. */
static void add_body(struct program *p, struct rng *r, unsigned first, unsigned count, bool surely)
{
	const unsigned n = first == count ? 0 : surely ? 1 : 1 + rng_below(r, 4);

	add_word(p, enc_b(8, 0x63));
	add_word(p, 0);
	put_linear(p, r, p->code + p->size - 4, 2);
	for (unsigned i = 0; i < n; i++) {
		if (!surely)
			add_word(p, enc_b(8, 0x63));
		add_word(p, surely ? first : first + rng_below(r, count - first));
	}
}

/* Put the addresses of functions into their calls. */
static void link_calls(struct program *p, const uint64_t *starts, unsigned count)
{
	for (size_t i = 0; i < p->count; i++) {
		uint8_t *at = p->code + (p->at[i] - p->base);
		const uint32_t op = at[0] | (uint32_t)at[1] << 8 | (uint32_t)at[2] << 16 |
		                    (uint32_t)at[3] << 24;

		if (op < count)
			put32(at, enc_j((int32_t)(starts[op] - p->at[i]), 1));
	}
}

void program_make_calls(struct program *p, struct rng *r)
{
	const bool deep = rng_one_in(r, 4);
	const unsigned count = deep ? DEEP : CALLED;
	uint64_t starts[DEEP];

	memset(p, 0, sizeof *p);
	p->wide = p->whole = true;
	p->image.isa.xlen = 64;
	p->base = 0x10000;
	for (unsigned i = 0; i < count; i++) {
		const bool calls_itself = i && !deep && rng_one_in(r, 3);

		starts[i] = p->base + p->size;
		add_body(p, r, calls_itself ? i : i + 1, count, deep);
		add_word(p, i ? RET : enc_j(-(int32_t)p->size, 0));
	}
	link_calls(p, starts, count);
	describe(p, false);
}

bool program_patch(struct program *p, struct rng *r, size_t i)
{
	const uint64_t end = i + 1 < p->count ? p->at[i + 1] : p->base + p->size;
	const unsigned hwords = (unsigned)(end - p->at[i]) / 2;

	for (int tries = 0; tries < 100; tries++) {
		const enum shape s = pick_shape(r);
		const unsigned n = s == PAIR ? 4 : shape_hwords(s, r);

		if (n != hwords || (p->wide && !is_wide(s)))
			continue;
		put_shape(p, r, s, p->at[i], hwords);
		return true;
	}
	return false;
}

/* ---- walks --------------------------------------------------------------------- */

static uint64_t pick_pc(const struct program *p, struct rng *r)
{
	if (!p->whole && rng_one_in(r, 10)) /* anywhere, inside instructions too */
		return (p->base + 2 * rng_below(r, (uint32_t)(p->size / 2))) & ~(uint64_t)(p->wide
				? 3 : 0);
	return p->at[rng_below(r, (uint32_t)p->count)];
}

static void event(struct walk *w, unsigned kind, unsigned itype, uint64_t value)
{
	if (w->n == w->cap)
		return;
	memset(&w->out[w->n], 0, sizeof *w->out);
	w->out[w->n].kind = (uint8_t)kind;
	w->out[w->n].itype = (uint8_t)itype;
	w->out[w->n].priv = HS_PRIV_UNKNOWN;
	w->out[w->n++].value = value;
}

static void pick_mode(struct walk *w, struct rng *r)
{
	if (!w->odds->modes)
		return;
	do
		w->priv = (uint8_t)rng_below(r, 8);
	while (!(w->odds->modes >> w->priv & 1));
}

/* What else the block's end does: a trap has a cause, and changes the mode as its return does. */
static void change_mode(struct walk *w, struct rng *r, unsigned itype)
{
	if (!w->odds->modes || itype > HS_ITYPE_XRET || itype == HS_ITYPE_NONE)
		return;
	if (itype != HS_ITYPE_XRET) {
		event(w, HS_KIND_TRAP, 0, itype == HS_ITYPE_EXCEPTION ? shifted(r, 0, 64) : 0);
		if (w->out[w->n - 1].kind == HS_KIND_TRAP)
			w->out[w->n - 1].arg = rng_below(r, 16);
	}
	if (rng_one_in(r, 2))
		pick_mode(w, r);
}

static void finish(struct walk *w, struct rng *r, unsigned itype, uint64_t next)
{
	if (w->n == w->cap)
		return;
	w->open.itype = (uint8_t)itype;
	w->out[w->n++] = w->open;
	change_mode(w, r, itype);
	memset(&w->open, 0, sizeof w->open);
	w->open.priv = w->priv & 7u;
	w->open.iaddr = w->pc = next;
}

/* Where a direct jump or a taken branch leads. */
static uint64_t direct(const struct walk *w, const struct hs_insn *insn)
{
	uint64_t target = insn->target;

	if (insn->kind == HS_INSN_TABLE_JUMP || insn->kind == HS_INSN_TABLE_CALL)
		hs_img_table_target(&w->p->image, insn->index, &target);
	return target;
}

static bool calls(unsigned kind)
{
	return kind == HS_INSN_CALL || kind == HS_INSN_CALL_IND || kind == HS_INSN_TABLE_CALL ||
	       kind == HS_INSN_SWAP;
}

/* Where an indirect jump leads: the stack says, or chance. */
static uint64_t indirect(struct walk *w, struct rng *r, const struct hs_insn *insn)
{
	const bool pops = insn->kind == HS_INSN_RETURN || insn->kind == HS_INSN_SWAP;
	uint64_t target = pick_pc(w->p, r);

	if (pops && w->depth) {
		w->depth--;
		if (w->odds->tidy_returns || !rng_one_in(r, 4))
			target = w->stack[w->depth];
	}
	return target;
}

static void remember_call(struct walk *w, unsigned kind, uint64_t follows)
{
	if (!calls(kind))
		return;
	if (w->depth == WALK_STACK)
		memmove(w->stack, w->stack + 1, --w->depth * sizeof *w->stack);
	w->stack[w->depth++] = follows;
}

/* Which way does the instruction go that ends the open block, of this kind? */
static bool goes_on_taken(struct walk *w, struct rng *r, unsigned kind)
{
	if (!w->odds->steady_one_in)
		return rng_one_in(r, 2);
	w->turned ^= kind == HS_INSN_BRANCH && rng_one_in(r, w->odds->steady_one_in);
	return (w->pc >> 2 & 1) ^ w->turned;
}

static void retire(struct walk *w, struct rng *r, const struct hs_insn *insn)
{
	const uint64_t follows = w->pc + 2 * insn->hwords;
	const bool taken = goes_on_taken(w, r, insn->kind);
	uint64_t target, popped;
	bool pair, stays;

	pair = w->open.iretire && hs_isa_sequential(&w->before, insn, w->p->image.isa.xlen,
	                                            &target);
	w->open.iretire += insn->hwords;
	w->open.ilast = insn->hwords;
	w->before = *insn;
	switch (insn->kind) {
	case HS_INSN_LINEAR:
		w->pc = follows;
		break;
	case HS_INSN_BRANCH:
		finish(w, r, taken ? HS_ITYPE_TAKEN : HS_ITYPE_NOT_TAKEN, taken ? direct(w, insn)
		       : follows);
		break;
	case HS_INSN_JUMP: case HS_INSN_CALL: case HS_INSN_TABLE_JUMP: case HS_INSN_TABLE_CALL:
		remember_call(w, insn->kind, follows);
		finish(w, r, hs_isa_itype4(insn->kind, true), direct(w, insn));
		break;
	case HS_INSN_ECALL:
		finish(w, r, HS_ITYPE_EXCEPTION, rng_one_in(r, 2) ? follows : pick_pc(w->p, r));
		break;
	case HS_INSN_CUSTOM:
		popped = pick_pc(w->p, r);
		/* to the next address is no change of flow */
		if (taken && popped != follows && !w->odds->no_custom)
			finish(w, r, HS_ITYPE_JUMP_UNINF, popped);
		else
			w->pc = follows;
		break;
	default:
		stays = w->odds->plain_stack &&
			(insn->kind == HS_INSN_SWAP || (pair && insn->kind == HS_INSN_RETURN));
		/* else a pair uses the stack all the same */
		popped = stays ? pick_pc(w->p, r) : indirect(w, r, insn);
		if (!stays)
			remember_call(w, insn->kind, follows);
		w->open.sijump = pair;
		finish(w, r, hs_isa_itype4(insn->kind, true), pair ? target : popped);
		break;
	}
}

/* One instruction, or a trap in its place.  @last: the trace ends soon, no more surprises. */
static void trap_between(struct walk *w, struct rng *r)
{
	const uint64_t handler = pick_pc(w->p, r);

	finish(w, r, HS_ITYPE_EXCEPTION + rng_below(r, 2), handler);
}

static void step(struct walk *w, struct rng *r, bool last)
{
	struct hs_insn insn;
	const bool code = hs_img_insn(&w->p->image, w->pc, &insn) == HS_OK;

	if (!code || insn.kind == HS_INSN_EBREAK)
		finish(w, r, HS_ITYPE_EXCEPTION, pick_pc(w->p, r));
	else if (!last && rng_one_in(r, w->odds->trap_one_in))
		trap_between(w, r);
	else
		retire(w, r, &insn);
}

/* The last block was a trap or a custom jump whose target was not reached: no trace reports it. */
static bool unfinished(const struct walk *w)
{
	size_t n = w->n;
	struct hs_insn insn;

	if (w->open.iretire || w->odds->loose_ends)
		return false;
	while (n && w->out[n - 1].kind != HS_KIND_BLOCK && w->out[n - 1].kind != HS_KIND_STOP &&
	       w->out[n - 1].kind != HS_KIND_SYNC)
		n--;
	const struct hs_block *b = n ? &w->out[n - 1] : NULL;
	if (!b || b->kind != HS_KIND_BLOCK)
		return true;
	if (b->itype == HS_ITYPE_JUMP_UNINF &&
	    hs_img_insn(&w->p->image, hs_block_end(b) - 2 * b->ilast, &insn) == HS_OK)
		return insn.kind == HS_INSN_CUSTOM;
	if (b->itype != HS_ITYPE_EXCEPTION && b->itype != HS_ITYPE_INTERRUPT)
		return false;
	return b->ilast == 0 || b->itype == HS_ITYPE_INTERRUPT ||
	       hs_img_insn(&w->p->image, hs_block_end(b) - 2 * b->ilast, &insn) != HS_OK ||
	       insn.kind != HS_INSN_ECALL;
}

/* The flow ends here and goes on elsewhere; an event says why. */
static void stop(struct walk *w, struct rng *r, unsigned kind, unsigned itype)
{
	if (w->open.iretire)
		finish(w, r, HS_ITYPE_NONE, 0);
	event(w, kind, itype, 0);
	w->depth = 0;
	w->open.iaddr = w->pc = pick_pc(w->p, r);
}

static void surprises(struct walk *w, struct rng *r)
{
	const struct walk_odds *o = w->odds;
	static const uint8_t evcodes[] = { 0, 1, 4 };

	if (rng_one_in(r, o->stop_one_in) && !unfinished(w))
		stop(w, r, HS_KIND_STOP, evcodes[rng_below(r, 3)]);
	if (rng_one_in(r, o->lost_one_in) && w->n + 2 < w->cap) {
		stop(w, r, HS_KIND_GAP, 0);
		w->out[w->n - 1].arg = HS_E_LOST;
	}
	if (rng_one_in(r, o->reset_one_in) && !unfinished(w) && w->n &&
	    w->out[w->n - 1].kind == HS_KIND_BLOCK)
		stop(w, r, HS_KIND_SYNC, 1);
	if (w->open.iretire) /* events come before the block that they concern */
		return;
	if (rng_one_in(r, o->trigger_one_in) && w->n && w->out[w->n - 1].kind == HS_KIND_BLOCK)
		event(w, HS_KIND_SYNC, rng_one_in(r, 2) ? 0 : 6, 0);
	if (rng_one_in(r, o->context_one_in)) {
		event(w, HS_KIND_CONTEXT, 0, shifted(r, 5, 59));
		if (w->n < w->cap) {
			w->out[w->n - 1].arg = (uint8_t[]){ 0, 2, 3 }[rng_below(r, 3)];
			w->out[w->n - 1].priv = (uint8_t[]){ 0, 1, 3, 4, 5 }[rng_below(r, 5)];
		}
	}
	if (rng_one_in(r, o->time_one_in))
		event(w, HS_KIND_TIME, 0, w->time += shifted(r, 20, 44));
}

struct walk_odds walk_odds_random(struct rng *r, uint32_t stops_one_in)
{
	return (struct walk_odds){
		.trap_one_in = rng_one_in(r, 3) ? 0 : 1 + rng_below(r, 60),
		.stop_one_in = rng_one_in(r, stops_one_in) ? 1 + rng_below(r, 200) : 0,
		.reset_one_in = rng_one_in(r, 6) ? 1 + rng_below(r, 200) : 0,
		.trigger_one_in = rng_one_in(r, 6) ? 1 + rng_below(r, 100) : 0,
	};
}

size_t walk_random(const struct program *p, struct rng *r, size_t steps,
                   const struct walk_odds *odds, struct hs_block *out, size_t cap)
{
	struct walk w = { .p = p, .odds = odds, .out = out, .cap = cap - 8 };

	w.priv = HS_PRIV_UNKNOWN;
	pick_mode(&w, r);
	w.open.priv = w.priv & 7u;
	w.open.iaddr = w.pc = pick_pc(p, r);
	for (size_t i = 0; i < steps && w.n + 1 < w.cap; i++) {
		step(&w, r, false);
		surprises(&w, r);
	}
	w.cap = cap;
	for (int tries = 0; unfinished(&w); tries++) {
		if (w.n + 2 >= cap || tries == 64) { /* a program of nothing but traps: give none */
			w.n = 0;
			break;
		}
		step(&w, r, true);
	}
	if (w.open.iretire && w.n)
		finish(&w, r, HS_ITYPE_NONE, 0);
	return w.n;
}

size_t walk_split(const struct program *p, const struct hs_block *in, size_t n, uint32_t limit,
                  struct hs_block *out, size_t cap, size_t *first)
{
	size_t at = 0;

	for (size_t i = 0; i < n; i++) {
		size_t pieces = 1;

		if (at == cap)
			abort();
		if (first)
			first[i] = at;
		out[at] = in[i];
		if (in[i].kind == HS_KIND_BLOCK && limit &&
		    hs_block_split(&p->image, &in[i], limit, out + at, cap - at, &pieces) != HS_OK)
			abort();
		at += pieces;
	}
	if (first)
		first[n] = at;
	return at;
}
