/* Which instruction of its last run ended a program, by what the plugin saw of the last fault: the
 * one that accesses the address which was refused, with the registers as they were.  Where two
 * fit, none is named. */
#include <signal.h>
#include <string.h>

#include "recorder/private.h"

#define UNIMP 0xc0001073u /* csrrw x0, cycle, x0 */

/* The last run. */
struct last_run {
	uint64_t start;
	const uint8_t *code;
	uint32_t bytes;
	uint32_t last;      /* of its last instruction, bytes */
	struct hs_insn end; /* the same, where @decoded */
	bool decoded;
};

/* What an instruction accesses. */
struct access {
	unsigned base; /* register */
	int64_t offset;
	bool loads, stores; /* neither: it accesses nothing, or in a way that is not looked at */
};

static unsigned bits(uint32_t insn, unsigned high, unsigned low)
{
	return insn >> low & ((2u << (high - low)) - 1u);
}

/* lw, sw and the like of the rows of C; @row is bits 15:13. */
static struct access short_access(uint32_t i, unsigned row)
{
	struct access a = { .base = 8 + bits(i, 9, 7), .loads = row<4, .stores = row> 4 };
	const bool wide = row % 4 != 2; /* 8 bytes */

	a.offset = bits(i, 12, 10) << 3 |
	           (wide ? bits(i, 6, 5) << 6 : bits(i, 6, 6) << 2 | bits(i, 5, 5) << 6);
	return a;
}

/* Bytes and half-words of Zcb. */
static struct access byte_access(uint32_t i)
{
	const unsigned funct6 = bits(i, 12, 10);
	const bool half = funct6 & 1u;

	return (struct access){ .base = 8 + bits(i, 9, 7),
		                .offset = half ? bits(i, 5, 5) << 1
		                               : bits(i, 5, 5) << 1 | bits(i, 6, 6),
		                .loads = funct6 < 2,
		                .stores = funct6 == 2 || funct6 == 3 };
}

static struct access stack_access(uint32_t i, unsigned row)
{
	const bool wide = row % 4 != 2;
	struct access a = { .base = 2, .loads = row<4, .stores = row> 4 };

	if (a.loads)
		a.offset = bits(i, 12, 12) << 5 | (wide ? bits(i, 6, 5) << 3 | bits(i, 4, 2) << 6
		                                        : bits(i, 6, 4) << 2 | bits(i, 3, 2) << 6);
	else
		a.offset = wide ? bits(i, 12, 10) << 3 | bits(i, 9, 7) << 6
		                : bits(i, 12, 9) << 2 | bits(i, 8, 7) << 6;
	return a;
}

static struct access access_of_16(uint32_t i, unsigned xlen)
{
	unsigned row = bits(i, 15, 13);

	if ((i & 1u) || row == 0 || (row == 4 && (i & 3u) == 2))
		return (struct access){ .base = 0 };
	if (row == 4)
		return byte_access(i);
	if (xlen == 32 && row % 4 == 3)
		row--; /* c.flw, c.fsw: as c.lw, c.sw */
	return (i & 3u) == 0 ? short_access(i, row) : stack_access(i, row);
}

static struct access access_of_32(uint32_t i)
{
	const unsigned opcode = i & 0x7fu, width = bits(i, 14, 12);
	const bool vector = (opcode & 0x5fu) == 0x07 && (width == 0 || width > 4);
	struct access a = { .base = bits(i, 19, 15) };

	if (vector) /* QEMU may be at any of its elements */
		return a;
	a.loads = opcode == 0x03 || opcode == 0x07 || opcode == 0x2f;
	a.stores = opcode == 0x23 || opcode == 0x27 || opcode == 0x2f;
	if (opcode == 0x03 || opcode == 0x07)
		a.offset = (int32_t)i >> 20;
	else if (opcode != 0x2f)
		a.offset = (int32_t)(i & 0xfe000000u) >> 20 | (int32_t)bits(i, 11, 7);
	return a;
}

static uint32_t word_at(const struct last_run *r, uint32_t at)
{
	uint32_t w = 0;

	for (unsigned n = 4; n-- > 0;)
		w = w << 8 | (at + n < r->bytes ? r->code[at + n] : 0u);
	return w;
}

static bool fits(const struct hs_wire_fault *f, const struct access *a, unsigned xlen)
{
	const uint64_t mask = xlen == 32 ? UINT32_MAX : UINT64_MAX;
	const uint64_t address = (f->registers[a->base % 32] + (uint64_t)a->offset) & mask;

	if ((f->how & HS_WIRE_FAULT_LOAD && !a->loads) ||
	    (f->how & HS_WIRE_FAULT_STORE && !a->stores))
		return false;
	if (f->how & HS_WIRE_FAULT_ADDRESS)
		return (f->address & mask) - address < 8; /* it may begin in the page before */
	/* none that there can be */
	return xlen == 64 && (address + (UINT64_C(1) << 47)) >> 48 != 0;
}

/* Registers that an instruction may write: more than it does. */
static uint32_t may_write(uint32_t i)
{
	if ((i & 3u) == 3)
		return 1u << bits(i, 11, 7);
	if ((i & 3u) == 2 && bits(i, 15, 13) == 5) /* Zcmp, or c.fsdsp */
		return UINT32_MAX;
	return 1u << bits(i, 11, 7) | 1u << (8 + bits(i, 4, 2)) | 1u << (8 + bits(i, 9, 7));
}

/* Registers, as far as they are known. */
struct known {
	uint64_t value[32];
	uint32_t is; /* a bit for each */
};

static void set_known(struct known *k, unsigned rd, bool known, uint64_t value)
{
	k->is = known ? k->is | 1u << rd : k->is & ~(1u << rd);
	k->value[rd] = value;
}

/* addi, li, mv, lui and auipc; what others write is not known. */
static void execute(struct known *k, const struct hs_insn *insn, uint32_t i)
{
	const unsigned rd = bits(i, 11, 7), rs1 = bits(i, 19, 15), rs2 = bits(i, 6, 2);
	const unsigned row = bits(i, 15, 13);
	const uint64_t imm = (uint64_t)(int64_t)((int32_t)i >> 20),
		       short_imm = (uint64_t)(int64_t)(int32_t)(rs2 | (bits(i, 12, 12) ? ~31u : 0));
	const struct known old = *k;

	k->is &= ~may_write(i);
	if (insn->constant)
		set_known(k, insn->rd, true, insn->value);
	else if ((i & 0x707fu) == 0x13)
		set_known(k, rd, old.is >> rs1 & 1u, old.value[rs1] + imm);
	else if ((i & 3u) == 1 && row == 0)
		set_known(k, rd, old.is >> rd & 1u, old.value[rd] + short_imm);
	else if ((i & 3u) == 1 && row == 2)
		set_known(k, rd, true, short_imm);
	else if ((i & 3u) == 2 && row == 4 && !bits(i, 12, 12) && rs2)
		set_known(k, rd, old.is >> rs2 & 1u, old.value[rs2]);
	set_known(k, 0, true, 0);
}

/* Had the run come as far as @at, would its registers be others?  What it did not write by then was
 * so when it began. */
static bool contradicts(const struct last_run *r, const struct hs_wire_fault *f,
                        const struct hs_isa *isa, uint32_t at)
{
	struct known k = { .is = UINT32_MAX };
	struct hs_insn insn;

	if (isa->xlen == 32) /* values would have to wrap */
		return false;
	for (uint32_t n = 0; n < at; n += 2 * hs_isa_hwords((uint16_t)word_at(r, n)))
		k.is &= ~may_write(word_at(r, n));
	memcpy(k.value, f->registers, sizeof(k.value));
	set_known(&k, 0, true, 0);
	for (uint32_t n = 0; n < at; n += 2u * insn.hwords) {
		if (hs_isa_decode(isa, r->start + n, r->code + n, r->bytes - n, &insn) != HS_OK)
			return false;
		execute(&k, &insn, word_at(r, n));
	}
	for (unsigned i = 0; i < 32; i++)
		if ((k.is >> i & 1u) && k.value[i] != f->registers[i])
			return true;
	return false;
}

/* The only instruction that fits, in bytes from the start; UINT32_MAX: there is none, or more than
 * one.  *@others: some access memory in ways that are not looked at. */
static uint32_t find_access(const struct last_run *r, const struct hs_wire_fault *f,
                            const struct hs_isa *isa, unsigned *count, bool *others)
{
	const unsigned xlen = isa->xlen == 32 ? 32 : 64;
	uint32_t found = UINT32_MAX, next;

	*count = 0;
	*others = false;
	for (uint32_t at = 0; at < r->bytes; at = next) {
		const uint32_t i = word_at(r, at);
		const struct access a =
			(i & 3u) == 3 ? access_of_32(i) : access_of_16(i & 0xffffu, xlen);

		next = at + 2 * hs_isa_hwords((uint16_t)i);
		*others |= (i & 3u) == 3 && (bits(i, 6, 0) == 0x2f || bits(i, 6, 0) == 0x07 ||
		                             bits(i, 6, 0) == 0x27);
		if ((!a.loads && !a.stores) || !fits(f, &a, xlen) || contradicts(r, f, isa, at))
			continue;
		found = at;
		++*count;
	}
	return *count == 1 ? found : UINT32_MAX;
}

static bool read_run(struct recorder_hart *h, struct last_run *r)
{
	const struct hs_rec_log_run *run = recorder_log_run(h->process, h->at.last_run);
	const struct hs_isa isa = rec_log_isa(&h->process->store.log);
	uint32_t next;

	if (run == NULL || !h->at.open)
		return false;
	*r = (struct last_run){ run->start, (const uint8_t *)(run + 1), run->bytes, 0, { 0 }, 0 };
	for (uint32_t at = 0; at < r->bytes; at = next) {
		next = at + 2 * hs_isa_hwords((uint16_t)word_at(r, at));
		r->last = at;
	}
	r->decoded = hs_isa_decode(&isa, r->start + r->last, r->code + r->last, r->bytes - r->last,
	                           &r->end) == HS_OK;
	return true;
}

static bool is_indirect(const struct last_run *r)
{
	return r->decoded && (r->end.kind == HS_INSN_JUMP_IND || r->end.kind == HS_INSN_CALL_IND ||
	                      r->end.kind == HS_INSN_RETURN || r->end.kind == HS_INSN_SWAP);
}

/* Is it the only thread that the program had? */
static bool is_alone(const struct recorder_hart *h)
{
	return h->process->harts == h && h->next == NULL;
}

/* Was it this hart that the fault struck? */
static bool is_of(const struct hs_wire_fault *f, const struct recorder_hart *h)
{
	return f->vcpu == 0 ? is_alone(h) : f->vcpu == h->wire->vcpu + 1;
}

/* Translation ends at an instruction that there is not. */
static bool is_illegal(const struct recorder_hart *h, const struct last_run *r)
{
	const uint32_t i = word_at(r, r->last);

	return (i & 0xffffu) == 0 || i == UNIMP ||
	       (is_alone(h) && (!r->decoded || r->end.kind == HS_INSN_LINEAR));
}

/* Of a jump to where there is no code the emulator finds out by itself: nothing is refused then. */
static bool jumped_away(const struct last_run *r, const struct hs_wire_fault *f, unsigned count,
                        bool others)
{
	return is_indirect(r) &&
	       (f->signal == 0 || (!count && !others && (f->how & HS_WIRE_FAULT_REGISTERS)));
}

/* The hart stands before an instruction, which did not retire.  Where nothing of the run did, it is
 * an exception: else no block would say where it was. */
static unsigned stand(uint32_t *words, uint32_t hwords, uint64_t pc)
{
	if (hwords == 0) {
		words[0] = HS_REC_WORD(HS_REC_ESCAPE_PARTIAL, 0);
		return 1;
	}
	words[0] = HS_REC_WORD(HS_REC_ESCAPE_STAND, hwords);
	words[1] = (uint32_t)pc;
	words[2] = (uint32_t)(pc >> 32);
	return 1 + HS_REC_STAND_WORDS;
}

static unsigned words_of(struct recorder_hart *h, const struct last_run *r, uint32_t *words)
{
	const struct hs_wire_fault f = h->process->wire->fault;
	const struct hs_isa isa = rec_log_isa(&h->process->store.log);
	uint32_t at = r->last;
	unsigned count = 0;
	bool others = false;

	if (h->process->death.signal == SIGILL) {
		if (!is_illegal(h, r))
			return 0;
	} else {
		if ((f.how & HS_WIRE_FAULT_SENT) || (f.signal != 0 && !is_of(&f, h)) ||
		    (h->process->death.signal != SIGSEGV && h->process->death.signal != SIGBUS))
			return 0;
		at = f.signal == (uint32_t)h->process->death.signal
		             ? find_access(r, &f, &isa, &count, &others)
		             : UINT32_MAX;
		if (h->process->death.signal == SIGSEGV && is_alone(h) &&
		    jumped_away(r, &f, count, others))
			return stand(words, HS_REC_STAND_ALL, 0); /* where is not known */
		if (at == UINT32_MAX || !(f.how & HS_WIRE_FAULT_CODE) ||
		    !(f.how & HS_WIRE_FAULT_REGISTERS))
			return 0;
	}
	if (h->process->death.signal != SIGILL && (f.how & HS_WIRE_FAULT_ADDRESS)) {
		h->process->death.address = f.address;
		h->process->death.has_address = true;
	}
	return stand(words, at / 2, r->start + at);
}

bool recorder_fault_elsewhere(const struct recorder_hart *h)
{
	const struct hs_wire_fault *f = &h->process->wire->fault;

	return f->signal != 0 && f->signal == (uint32_t)h->process->death.signal && !is_of(f, h);
}

unsigned recorder_fault_words(struct recorder_hart *h, uint32_t words[1 + HS_REC_STAND_WORDS])
{
	struct last_run r;
	unsigned n = 0;

	pthread_mutex_lock(&h->process->store.lock);
	if (h->process->machine == NULL && read_run(h, &r))
		n = words_of(h, &r, words);
	pthread_mutex_unlock(&h->process->store.lock);
	return n;
}
