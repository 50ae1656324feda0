/* Compares hs_isa_decode() with a disassembler: reads what `objdump -d -M no-aliases` (GNU or
 * LLVM) prints, decodes the same bytes, and wants the same length, kind, registers and target.
 *
 *   isa_dump 32|64|32zc|64zc < DISASSEMBLY
 *
 * Prints each mismatch and counts by kind.  Exit status 1 on a mismatch, 2 when there was
 * nothing to compare. */
#include <inttypes.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <hartscope/image.h>

#define SHOW_MAX 50

struct line {
	uint64_t pc;
	uint8_t bytes[HS_INSN_MAX];
	unsigned n;
	char name[32], operands[160], comment[160];
};

struct run {
	struct hs_isa isa;
	struct hs_insn prev;
	uint64_t prev_end;
	unsigned long counts[HS_INSN_EBREAK + 1], total, pairs, data, bad;
};

static const char *const registers[32] = {
	"zero", "ra", "sp", "gp", "tp", "t0", "t1", "t2", "s0", "s1", "a0", "a1", "a2", "a3", "a4",
	"a5", "a6", "a7", "s2", "s3", "s4", "s5", "s6", "s7", "s8", "s9", "s10", "s11", "t3", "t4",
	"t5", "t6",
};

static int reg(const char *s)
{
	const size_t n = strcspn(s, ",) \t#");

	if (n == 2 && memcmp(s, "fp", 2) == 0)
		return 8;
	for (int i = 0; i < 32; i++)
		if (strlen(registers[i]) == n && memcmp(s, registers[i], n) == 0)
			return i;
	return -1;
}

/* Bytes as GNU prints them (4 or 8 digits: one little-endian number) or as LLVM does
 * (pairs with spaces between, in memory order). */
static bool take_bytes(struct line *l, char *s)
{
	uint8_t number[HS_INSN_MAX];
	bool spaced = false;

	for (l->n = 0; *s; s += 2) {
		while (*s == ' ' && s[1]) {
			spaced = spaced || l->n == 1;
			s++;
		}
		if (*s == ' ' || !*s)
			break;
		char pair[3] = { s[0], s[1], 0 }, *end;

		if (l->n == HS_INSN_MAX)
			return false;
		number[l->n++] = (uint8_t)strtoul(pair, &end, 16);
		if (end != pair + 2)
			return false;
	}
	for (unsigned i = 0; i < l->n; i++)
		l->bytes[i] = number[spaced ? i : l->n - 1 - i];
	return l->n != 0;
}

/* "  pc:\tbytes\tname\toperands # comment", or with blanks for the first tab (LLVM). */
static bool take_line(struct line *l, char *s)
{
	char nothing[1] = "", *end, *field[3] = { nothing, nothing, nothing };
	const char *comment;

	l->pc = strtoull(s, &end, 16);
	if (end == s || *end != ':')
		return false;
	s = end + 1 + strspn(end + 1, " \t");
	s[strcspn(s, "\n")] = 0;
	for (int i = 0; i < 3 && s; i++)
		field[i] = strsep(&s, "\t");
	if (!take_bytes(l, field[0]))
		return false;
	snprintf(l->name, sizeof l->name, "%.*s", (int)strcspn(field[1], " "), field[1]);
	comment = strchr(field[2], '#');
	snprintf(l->comment, sizeof l->comment, "%s", comment ? comment + 1 : "");
	snprintf(l->operands, sizeof l->operands, "%.*s", (int)strcspn(field[2], "#<"), field[2]);
	return true;
}

static const char *last_operand(const struct line *l)
{
	const char *comma = strrchr(l->operands, ',');

	return comma ? comma + 1 + strspn(comma + 1, " ") : l->operands;
}

static uint64_t wrap(const struct run *r, uint64_t v)
{
	return r->isa.xlen == 32 ? v & UINT32_MAX : v;
}

static bool starts(const char *s, const char *with)
{
	return strncmp(s, with, strlen(with)) == 0;
}

static bool is_one_of(const char *name, const char *list)
{
	const size_t n = strlen(name);

	for (const char *p = list; (p = strstr(p, name)) != NULL; p += n)
		if ((p == list || p[-1] == ' ') && (p[n] == ' ' || p[n] == 0))
			return true;
	return false;
}

static void want_direct(const struct run *r, const struct line *l, struct hs_insn *want)
{
	want->target = wrap(r, strtoull(last_operand(l), NULL, 16));
	if (want->kind != HS_INSN_BRANCH)
		want->kind = hs_is_link(want->rd) ? HS_INSN_CALL : HS_INSN_JUMP;
}

/* "rd,offset(rs1)" */
static void want_jalr(const struct line *l, struct hs_insn *want)
{
	const char *paren = strchr(l->operands, '(');

	want->rd = (uint8_t)reg(l->operands);
	want->rs1 = (uint8_t)(paren ? reg(paren + 1) : -1);
	want->offset = (int16_t)strtol(last_operand(l), NULL, 0);
}

/* Table 2 of NT, from the two registers. */
static uint8_t indirect_kind(const struct hs_insn *want)
{
	if (!hs_is_link(want->rd))
		return hs_is_link(want->rs1) ? HS_INSN_RETURN : HS_INSN_JUMP_IND;
	return hs_is_link(want->rs1) && want->rs1 != want->rd ? HS_INSN_SWAP : HS_INSN_CALL_IND;
}

static void want_constant(const struct run *r, const struct line *l, struct hs_insn *want)
{
	const uint32_t imm = (uint32_t)strtoul(last_operand(l), NULL, 0) << 12;

	want->rd = (uint8_t)reg(l->operands);
	want->constant = want->rd != 0 && (imm != 0 || l->n == 4);
	if (!want->constant) {
		want->rd = 0;
		return;
	}
	want->value = (uint64_t)(int64_t)(int32_t)imm;
	if (starts(l->name, "auipc"))
		want->value += l->pc;
	want->value = wrap(r, want->value);
}

static void want_table(const struct line *l, struct hs_insn *want)
{
	want->kind = starts(l->name, "cm.jalt") ? HS_INSN_TABLE_CALL : HS_INSN_TABLE_JUMP;
	want->rd = want->kind == HS_INSN_TABLE_CALL;
	want->index = (uint16_t)strtoul(l->operands, NULL, 0);
}

/* What the disassembler's text says. */
static struct hs_insn wanted(const struct run *r, const struct line *l)
{
	struct hs_insn want = { .hwords = (uint8_t)(l->n / 2), .kind = HS_INSN_LINEAR };

	if (is_one_of(l->name, "beq bne blt bge bltu bgeu c.beqz c.bnez")) {
		want.kind = HS_INSN_BRANCH;
		want_direct(r, l, &want);
	} else if (is_one_of(l->name, "jal c.j c.jal")) {
		want.rd = l->n == 2 ? l->name[3] == 'a' : (uint8_t)reg(l->operands);
		want_direct(r, l, &want);
	} else if (strcmp(l->name, "jalr") == 0) {
		want_jalr(l, &want);
		want.kind = indirect_kind(&want);
	} else if (is_one_of(l->name, "c.jr c.jalr")) {
		want.rd = l->name[3] == 'a';
		want.rs1 = (uint8_t)reg(l->operands);
		want.kind = indirect_kind(&want);
	} else if (is_one_of(l->name, "cm.popret cm.popretz")) {
		want.kind = HS_INSN_RETURN;
	} else if (is_one_of(l->name, "cm.jt cm.jalt")) {
		want_table(l, &want);
	} else if (is_one_of(l->name, "lui auipc c.lui")) {
		want_constant(r, l, &want);
	} else if (is_one_of(l->name, "mret sret uret dret mnret")) {
		want.kind = HS_INSN_XRET;
	} else if (strcmp(l->name, "ecall") == 0) {
		want.kind = HS_INSN_ECALL;
	} else if (is_one_of(l->name, "ebreak c.ebreak")) {
		want.kind = HS_INSN_EBREAK;
	}
	return want;
}

static bool same(const struct hs_insn *a, const struct hs_insn *b)
{
	return a->hwords == b->hwords && a->kind == b->kind && a->target == b->target &&
	       a->value == b->value && a->index == b->index && a->rd == b->rd && a->rs1 == b->rs1 &&
	       a->offset == b->offset && a->constant == b->constant;
}

static void mismatch(struct run *r, const struct line *l, const struct hs_insn *got,
                     const char *why)
{
	if (r->bad++ < SHOW_MAX)
		printf("%" PRIx64 ": %s %s: we have %s, %u half-words, target %" PRIx64
		       ", value %" PRIx64 ", rd %u, rs1 %u, offset %d, index %u: %s\n",
		       l->pc, l->name, l->operands, hs_insn_kind_name(got->kind), got->hwords,
		       got->target, got->value, got->rd, got->rs1, got->offset, got->index, why);
}

/* GNU objdump remembers what auipc and lui put into a register and writes the sum after a
 * jalr: an independent answer for the pairs of NT 9.1. */
static void compare_pair(struct run *r, const struct line *l, const struct hs_insn *got)
{
	uint64_t target;
	char *end;

	if (l->pc != r->prev_end || !hs_isa_sequential(&r->prev, got, r->isa.xlen, &target))
		return;
	const uint64_t said = strtoull(l->comment, &end, 16);
	if (end == l->comment || got->rs1 == 3 ||
	    got->rs1 == 4) /* gp, tp: it does not track them */
		return;
	r->pairs++;
	if (wrap(r, said & ~UINT64_C(1)) != target)
		mismatch(r, l, got, "sequential target");
}

/* ".4byte", "<unknown>": data, or an encoding that the disassembler finds reserved.  It may
 * not change the PC.  (binutils 2.40 does not know mnret, which came later.) */
static void compare_data(struct run *r, const struct line *l)
{
	static const uint8_t mnret[4] = { 0x73, 0x00, 0x20, 0x70 };
	struct hs_insn got;

	r->data++;
	r->prev_end = 0;
	if (hs_isa_decode(&r->isa, l->pc, l->bytes, l->n, &got) != HS_OK ||
	    (l->n == 4 && memcmp(l->bytes, mnret, 4) == 0))
		return;
	if (got.kind != HS_INSN_LINEAR)
		mismatch(r, l, &got, "reserved");
}

static void compare(struct run *r, const struct line *l)
{
	struct hs_insn got;

	if (l->name[0] == '.' || l->name[0] == '<' || l->name[0] == 0) {
		compare_data(r, l);
		return;
	}
	if (hs_isa_decode(&r->isa, l->pc, l->bytes, l->n, &got) != HS_OK) {
		got = (struct hs_insn){ 0 };
		mismatch(r, l, &got, "bytes missing");
		return;
	}
	const struct hs_insn want = wanted(r, l);
	if (!same(&got, &want))
		mismatch(r, l, &got, hs_insn_kind_name(want.kind));
	compare_pair(r, l, &got);
	r->counts[want.kind]++;
	r->total++;
	r->prev = got;
	r->prev_end = l->pc + l->n;
}

int main(int argc, char **argv)
{
	struct run r = { 0 };
	struct line l;
	char *text = NULL;
	size_t size = 0;

	if (argc != 2)
		return 2;
	r.isa.xlen = (uint8_t)(atoi(argv[1]) == 32 ? 32 : 64);
	r.isa.zcmp_zcmt = strstr(argv[1], "zc") != NULL;
	while (getline(&text, &size, stdin) > 0)
		if (take_line(&l, text))
			compare(&r, &l);
	free(text);
	printf("%lu instructions, %lu data, %lu sequential pairs, %lu mismatches;", r.total, r.data,
	       r.pairs, r.bad);
	for (unsigned k = 0; k <= HS_INSN_EBREAK; k++)
		if (r.counts[k])
			printf(" %s %lu", hs_insn_kind_name(k), r.counts[k]);
	printf("\n");
	return r.total == 0 ? 2 : r.bad != 0;
}
