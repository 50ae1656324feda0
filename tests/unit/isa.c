/* What one instruction does to the PC: one row per line of NT Table 2 and per encoding that
 * looks like one of these.  Encodings and targets come from GNU as and objdump 2.40; those
 * of Zcmp and Zcmt from the figures of the ratified extensions. */
#include "cases.h"

#include <hartscope/image.h>

enum harts { H64, H32, H64_ZC, H32_ZC, H32_PULP, H_DEFAULT };

static const struct hs_isa harts[] = {
	[H64] = { .xlen = 64 },
	[H32] = { .xlen = 32 },
	[H64_ZC] = { .xlen = 64, .zcmp_zcmt = true },
	[H32_ZC] = { .xlen = 32, .zcmp_zcmt = true },
	[H32_PULP] = { .xlen = 32, .pulp = true },
	[H_DEFAULT] = { 0 },
};

static const struct row {
	const char *name;
	uint8_t hart;
	uint64_t pc;
	uint32_t code;
	uint8_t hwords, kind, itype4, itype3;
	uint64_t target; /* of a direct jump; of auipc and lui the value */
	uint8_t rd, rs1;
	int16_t offset;
} rows[] = {
	/* conditional branches: 4 when not taken */
	{ "beq forward", H64, 0x0, 0x04208063, 2, HS_INSN_BRANCH, 4, 4, 0x40, 0, 0, 0 },
	{ "bne backward, wraps", H64, 0x4, 0x80b51063, 2, HS_INSN_BRANCH, 4, 4, 0xfffffffffffff004,
	  0, 0, 0 },
	{ "bne backward, wraps at 32 bits", H32, 0x4, 0x80b51063, 2, HS_INSN_BRANCH, 4, 4,
	  0xfffff004, 0, 0, 0 },
	{ "blt furthest", H64, 0x8, 0x7e20cbe3, 2, HS_INSN_BRANCH, 4, 4, 0xffe, 0, 0, 0 },
	{ "bge", H64, 0xc, 0xfe20dae3, 2, HS_INSN_BRANCH, 4, 4, 0, 0, 0, 0 },
	{ "bltu", H64, 0x10, 0xfe20e8e3, 2, HS_INSN_BRANCH, 4, 4, 0, 0, 0, 0 },
	{ "bgeu", H64, 0x14, 0xffeff6e3, 2, HS_INSN_BRANCH, 4, 4, 0, 0, 0, 0 },
	{ "c.beqz", H64, 0x90, 0xd825, 1, HS_INSN_BRANCH, 4, 4, 0, 0, 0, 0 },
	{ "c.bnez", H64, 0x92, 0xef9d, 1, HS_INSN_BRANCH, 4, 4, 0xd0, 0, 0, 0 },
	{ "branch funct3 2 reserved", H32, 0x0, 0x0420a063, 2, HS_INSN_LINEAR, 0, 0, 0, 0, 0, 0 },
	{ "branch funct3 3 reserved", H32, 0x0, 0x0420b063, 2, HS_INSN_LINEAR, 0, 0, 0, 0, 0, 0 },
	{ "p.beqimm", H32_PULP, 0x0, 0x0420a063, 2, HS_INSN_BRANCH, 4, 4, 0x40, 0, 0, 0 },
	{ "p.bneimm", H32_PULP, 0x0, 0x0420b063, 2, HS_INSN_BRANCH, 4, 4, 0x40, 0, 0, 0 },
	/* environment calls, breakpoints, trap returns */
	{ "ecall", H64, 0x64, 0x00000073, 2, HS_INSN_ECALL, 1, 1, 0, 0, 0, 0 },
	{ "ebreak", H64, 0x68, 0x00100073, 2, HS_INSN_EBREAK, 1, 1, 0, 0, 0, 0 },
	{ "c.ebreak", H64, 0xa6, 0x9002, 1, HS_INSN_EBREAK, 1, 1, 0, 0, 0, 0 },
	{ "mret", H64, 0x6c, 0x30200073, 2, HS_INSN_XRET, 3, 3, 0, 0, 0, 0 },
	{ "sret", H64, 0x70, 0x10200073, 2, HS_INSN_XRET, 3, 3, 0, 0, 0, 0 },
	{ "uret", H64, 0x74, 0x00200073, 2, HS_INSN_XRET, 3, 3, 0, 0, 0, 0 },
	{ "dret", H64, 0x78, 0x7b200073, 2, HS_INSN_XRET, 3, 3, 0, 0, 0, 0 },
	{ "mnret", H64, 0x78, 0x70200073, 2, HS_INSN_XRET, 3, 3, 0, 0, 0, 0 },
	/* jal */
	{ "jal x0", H64, 0x18, 0x7e90006f, 2, HS_INSN_JUMP, 15, 0, 0x1000, 0, 0, 0 },
	{ "jal x1", H64, 0x1c, 0x064000ef, 2, HS_INSN_CALL, 9, 0, 0x80, 1, 0, 0 },
	{ "jal x5", H64, 0x20, 0xf61ff2ef, 2, HS_INSN_CALL, 9, 0, 0xffffffffffffff80, 5, 0, 0 },
	{ "jal x7", H64, 0x24, 0x7dbff3ef, 2, HS_INSN_JUMP, 15, 0, 0xffffe, 7, 0, 0 },
	{ "jal wraps at 32 bits", H32, 0x4, 0xf7dff06f, 2, HS_INSN_JUMP, 15, 0, 0xffffff80, 0, 0,
	  0 },
	{ "c.j forward", H64, 0x8c, 0xa895, 1, HS_INSN_JUMP, 15, 0, 0x100, 0, 0, 0 },
	{ "c.j backward", H64, 0x8e, 0xbf8d, 1, HS_INSN_JUMP, 15, 0, 0, 0, 0, 0 },
	{ "c.jal", H32, 0x0, 0x2801, 1, HS_INSN_CALL, 9, 0, 0x10, 1, 0, 0 },
	{ "c.jal backward", H32, 0x2, 0x3001, 1, HS_INSN_CALL, 9, 0, 0xfffff802, 1, 0, 0 },
	{ "c.addiw in the place of c.jal", H64, 0x0, 0x2085, 1, HS_INSN_LINEAR, 0, 0, 0, 0, 0, 0 },
	{ "xlen 0 is 64", H_DEFAULT, 0x0, 0x2085, 1, HS_INSN_LINEAR, 0, 0, 0, 0, 0, 0 },
	/* jalr */
	{ "jalr x0, x10", H64, 0, 0x00050067, 2, HS_INSN_JUMP_IND, 14, 6, 0, 0, 10, 0 },
	{ "jalr x7, x6", H64, 0, 0x000303e7, 2, HS_INSN_JUMP_IND, 14, 6, 0, 7, 6, 0 },
	{ "jalr x1, x10", H64, 0, 0x800500e7, 2, HS_INSN_CALL_IND, 8, 6, 0, 1, 10, -2048 },
	{ "jalr x5, x10", H64, 0, 0x7ff502e7, 2, HS_INSN_CALL_IND, 8, 6, 0, 5, 10, 2047 },
	{ "jalr x1, x1", H64, 0, 0x000080e7, 2, HS_INSN_CALL_IND, 8, 6, 0, 1, 1, 0 },
	{ "jalr x5, x5", H64, 0, 0x004282e7, 2, HS_INSN_CALL_IND, 8, 6, 0, 5, 5, 4 },
	{ "jalr x1, x5", H64, 0, 0x000280e7, 2, HS_INSN_SWAP, 12, 6, 0, 1, 5, 0 },
	{ "jalr x5, x1", H64, 0, 0x000082e7, 2, HS_INSN_SWAP, 12, 6, 0, 5, 1, 0 },
	{ "jalr x0, x1", H64, 0, 0x00008067, 2, HS_INSN_RETURN, 13, 6, 0, 0, 1, 0 },
	{ "jalr x0, x5", H64, 0, 0x00028067, 2, HS_INSN_RETURN, 13, 6, 0, 0, 5, 0 },
	{ "jalr x7, x5", H64, 0, 0x000283e7, 2, HS_INSN_RETURN, 13, 6, 0, 7, 5, 0 },
	{ "jalr funct3 1 reserved", H64, 0, 0x00009067, 2, HS_INSN_LINEAR, 0, 0, 0, 0, 0, 0 },
	{ "c.jr x1", H64, 0, 0x8082, 1, HS_INSN_RETURN, 13, 6, 0, 0, 1, 0 },
	{ "c.jr x5", H64, 0, 0x8282, 1, HS_INSN_RETURN, 13, 6, 0, 0, 5, 0 },
	{ "c.jr x10", H64, 0, 0x8502, 1, HS_INSN_JUMP_IND, 14, 6, 0, 0, 10, 0 },
	{ "c.jr x0 reserved", H64, 0, 0x8002, 1, HS_INSN_LINEAR, 0, 0, 0, 0, 0, 0 },
	{ "c.jalr x1", H64, 0, 0x9082, 1, HS_INSN_CALL_IND, 8, 6, 0, 1, 1, 0 },
	{ "c.jalr x5", H64, 0, 0x9282, 1, HS_INSN_SWAP, 12, 6, 0, 1, 5, 0 },
	{ "c.jalr x10", H64, 0, 0x9502, 1, HS_INSN_CALL_IND, 8, 6, 0, 1, 10, 0 },
	/* Zcmt: index in bits 9:2; 0..31 is cm.jt.  cm.jt: ratified Table, 11; rc7: 0 */
	{ "cm.jt 0", H32_ZC, 0, 0xa002, 1, HS_INSN_TABLE_JUMP, 11, 0, 0, 0, 0, 0 },
	{ "cm.jt 31", H64_ZC, 0, 0xa07e, 1, HS_INSN_TABLE_JUMP, 11, 0, 0, 0, 0, 31 },
	{ "cm.jalt 32", H32_ZC, 0, 0xa082, 1, HS_INSN_TABLE_CALL, 9, 0, 0, 1, 0, 32 },
	{ "cm.jalt 255", H64_ZC, 0, 0xa3fe, 1, HS_INSN_TABLE_CALL, 9, 0, 0, 1, 0, 255 },
	{ "c.fsdsp in the place of cm.jt", H64, 0, 0xa002, 1, HS_INSN_LINEAR, 0, 0, 0, 0, 0, 0 },
	/* Zcmp: the picojpeg example has b8fa for cm.push and bcfa for cm.popretz */
	{ "cm.popretz {ra, s0-s11}", H32_ZC, 0, 0xbcfa, 1, HS_INSN_RETURN, 13, 6, 0, 0, 0, 0 },
	{ "cm.popret {ra, s0-s11}", H64_ZC, 0, 0xbefa, 1, HS_INSN_RETURN, 13, 6, 0, 0, 0, 0 },
	{ "cm.popret {ra}", H32_ZC, 0, 0xbe42, 1, HS_INSN_RETURN, 13, 6, 0, 0, 0, 0 },
	{ "cm.popret rlist 3 reserved", H32_ZC, 0, 0xbe32, 1, HS_INSN_LINEAR, 0, 0, 0, 0, 0, 0 },
	{ "cm.popretz rlist 0 reserved", H32_ZC, 0, 0xbc02, 1, HS_INSN_LINEAR, 0, 0, 0, 0, 0, 0 },
	{ "cm.push", H32_ZC, 0, 0xb8fa, 1, HS_INSN_LINEAR, 0, 0, 0, 0, 0, 0 },
	{ "cm.pop", H32_ZC, 0, 0xbafa, 1, HS_INSN_LINEAR, 0, 0, 0, 0, 0, 0 },
	{ "cm.mvsa01", H32_ZC, 0, 0xac22, 1, HS_INSN_LINEAR, 0, 0, 0, 0, 0, 0 },
	{ "c.fsdsp in the place of cm.popret", H64, 0, 0xbefa, 1, HS_INSN_LINEAR, 0, 0, 0, 0, 0,
	  0 },
	/* constants */
	{ "auipc", H64, 0x58, 0x00001297, 2, HS_INSN_LINEAR, 0, 0, 0x1058, 5, 0, 0 },
	{ "auipc backward", H64, 0x54, 0xfffff297, 2, HS_INSN_LINEAR, 0, 0, 0xfffffffffffff054, 5,
	  0, 0 },
	{ "auipc wraps at 32 bits", H32, 0x8, 0xfffff297, 2, HS_INSN_LINEAR, 0, 0, 0xfffff008, 5, 0,
	  0 },
	{ "lui", H64, 0, 0x123452b7, 2, HS_INSN_LINEAR, 0, 0, 0x12345000, 5, 0, 0 },
	{ "lui is signed", H64, 0, 0x800002b7, 2, HS_INSN_LINEAR, 0, 0, 0xffffffff80000000, 5, 0,
	  0 },
	{ "lui, 32 bits", H32, 0, 0x800002b7, 2, HS_INSN_LINEAR, 0, 0, 0x80000000, 5, 0, 0 },
	{ "c.lui", H64, 0, 0x62fd, 1, HS_INSN_LINEAR, 0, 0, 0x1f000, 5, 0, 0 },
	{ "c.lui is signed", H64, 0, 0x7281, 1, HS_INSN_LINEAR, 0, 0, 0xfffffffffffe0000, 5, 0, 0 },
	{ "c.lui is signed, 32 bits", H32, 0, 0x7281, 1, HS_INSN_LINEAR, 0, 0, 0xfffe0000, 5, 0,
	  0 },
	{ "lui x0 is a hint", H64, 0, 0x12345037, 2, HS_INSN_LINEAR, 0, 0, 0, 0, 0, 0 },
	{ "auipc x0 is a hint", H64, 0x40, 0x00001017, 2, HS_INSN_LINEAR, 0, 0, 0, 0, 0, 0 },
	{ "c.addi16sp is no c.lui", H64, 0, 0x7101, 1, HS_INSN_LINEAR, 0, 0, 0, 0, 0, 0 },
	{ "c.lui of 0 is reserved", H64, 0, 0x6281, 1, HS_INSN_LINEAR, 0, 0, 0, 0, 0, 0 },
	/* everything else */
	{ "wfi", H64, 0, 0x10500073, 2, HS_INSN_LINEAR, 0, 0, 0, 0, 0, 0 },
	{ "fence", H64, 0, 0x0ff0000f, 2, HS_INSN_LINEAR, 0, 0, 0, 0, 0, 0 },
	{ "fence.i", H64, 0, 0x0000100f, 2, HS_INSN_LINEAR, 0, 0, 0, 0, 0, 0 },
	{ "csrrw", H64, 0, 0x30009073, 2, HS_INSN_LINEAR, 0, 0, 0, 0, 0, 0 },
	{ "c.nop", H64, 0, 0x0001, 1, HS_INSN_LINEAR, 0, 0, 0, 0, 0, 0 },
	{ "c.mv", H64, 0, 0x808a, 1, HS_INSN_LINEAR, 0, 0, 0, 0, 0, 0 },
	{ "c.add", H64, 0, 0x908a, 1, HS_INSN_LINEAR, 0, 0, 0, 0, 0, 0 },
	{ "c.li", H64, 0, 0x4085, 1, HS_INSN_LINEAR, 0, 0, 0, 0, 0, 0 },
	{ "all zeros, illegal", H64, 0, 0x0000, 1, HS_INSN_LINEAR, 0, 0, 0, 0, 0, 0 },
	{ "48 bits", H64, 0, 0x0063001f, 3, HS_INSN_LINEAR, 0, 0, 0, 0, 0, 0 },
	{ "64 bits", H64, 0, 0x0067003f, 4, HS_INSN_LINEAR, 0, 0, 0, 0, 0, 0 },
};

static bool constant(const struct row *r)
{
	return r->kind == HS_INSN_LINEAR && r->rd != 0;
}

static bool table(const struct row *r)
{
	return r->kind == HS_INSN_TABLE_JUMP || r->kind == HS_INSN_TABLE_CALL;
}

TEST_ROWS(decoded, rows, r)
{
	const size_t n = 2u * r->hwords;
	struct hs_insn insn, before;
	uint8_t *bytes = calloc(1, n);

	for (size_t i = 0; i < n && i < 4; i++)
		bytes[i] = (uint8_t)(r->code >> (8 * i));
	memset(&insn, 0xa5, sizeof insn);
	before = insn;
	for (size_t cut = 0; cut < n; cut++) {
		assert_int_equal(hs_isa_decode(&harts[r->hart], r->pc, bytes, cut, &insn), HS_MORE);
		assert_memory_equal(&insn, &before, sizeof insn);
	}
	assert_int_equal(hs_isa_decode(&harts[r->hart], r->pc, bytes, n, &insn), HS_OK);
	free(bytes);

	assert_int_equal(insn.hwords, r->hwords);
	assert_int_equal(insn.kind, r->kind);
	assert_int_equal(insn.target, constant(r) ? 0 : r->target);
	assert_int_equal(insn.value, constant(r) ? r->target : 0);
	assert_int_equal(insn.constant, constant(r));
	assert_int_equal(insn.rd, r->rd);
	assert_int_equal(insn.rs1, r->rs1);
	assert_int_equal(insn.offset, table(r) ? 0 : r->offset);
	assert_int_equal(insn.index, table(r) ? r->offset : 0);
	assert_int_equal(hs_isa_itype4(insn.kind, false), r->itype4);
	assert_int_equal(hs_isa_itype3(insn.kind, false), r->itype3);
	assert_int_equal(hs_isa_itype4(insn.kind, true), r->kind == HS_INSN_BRANCH ? 5 : r->itype4);
	assert_int_equal(hs_isa_itype3(insn.kind, true), r->kind == HS_INSN_BRANCH ? 5 : r->itype3);
}

/* ISA manual, "Expanded Instruction-Length Encoding": bits of the first half-word. */
TEST(lengths_of_instructions)
{
	static const struct { uint16_t first; unsigned hwords; } row[] = {
		{ 0x0000, 1 }, { 0xfffc, 1 }, { 0xfffd, 1 }, { 0xfffe, 1 },
		{ 0x0003, 2 }, { 0xffef, 2 }, { 0xffeb, 2 }, { 0x0073, 2 },
		{ 0x001f, 3 }, { 0xffdf, 3 }, { 0x003f, 4 }, { 0xffbf, 4 },
		{ 0x007f, 5 }, { 0x107f, 6 }, { 0x207f, 7 }, { 0x307f, 8 },
		{ 0x407f, 9 }, { 0x507f, 10 }, { 0x607f, 11 }, { 0x6fff, 11 },
		{ 0x707f, 12 }, { 0xffff, 12 }, { 0x8fff, 5 },
	};

	for (size_t i = 0; i < sizeof row / sizeof row[0]; i++)
		assert_int_equal(hs_isa_hwords(row[i].first), row[i].hwords);
}

/* NT 9.1.  A pair is two encodings at @pc; target 0 with sequential false. */
static const struct pair {
	const char *name;
	uint8_t hart;
	uint64_t pc;
	uint32_t first, jump;
	bool sequential;
	uint64_t target;
} pairs[] = {
	{ "auipc x5, jalr x0 4(x5)", H64, 0x1000, 0x00001297, 0x00428067, true, 0x2004 },
	{ "auipc x1, jalr x1 -2048(x1)", H64, 0x80000000, 0x00001097, 0x800080e7, true,
	  0x80000800 },
	{ "auipc x6, jalr x1 0(x6)", H64, 0x80000000, 0x00001317, 0x000300e7, true, 0x80001000 },
	{ "lui x5, c.jr x5", H64, 0, 0x123452b7, 0x8282, true, 0x12345000 },
	{ "lui x10 negative, c.jalr x10", H64, 0, 0x80000537, 0x9502, true, 0xffffffff80000000 },
	{ "lui x10 negative, 32 bits", H32, 0, 0x80000537, 0x9502, true, 0x80000000 },
	{ "c.lui x5, c.jr x5", H64, 0, 0x62fd, 0x8282, true, 0x1f000 },
	{ "c.lui x5, jalr x7 1(x5): bit 0 cleared", H64, 0, 0x62fd, 0x001283e7, true, 0x1f000 },
	{ "c.lui x5, c.jalr x5 (swap)", H32, 0, 0x62fd, 0x9282, true, 0x1f000 },
	{ "target wraps at 32 bits", H32, 0xfffff000, 0x00001297, 0x00428067, true, 0x4 },
	{ "lui x5, jalr through x6", H64, 0, 0x123452b7, 0x000303e7, false, 0 },
	{ "lui x0, jalr through x0", H64, 0, 0x12345037, 0x00000067, false, 0 },
	{ "c.li x5, c.jr x5", H64, 0, 0x4285, 0x8282, false, 0 },
	{ "c.addi16sp, c.jr x2", H64, 0, 0x7101, 0x8102, false, 0 },
	{ "lui x1, cm.popret", H32_ZC, 0, 0x123450b7, 0xbe42, false, 0 },
	{ "lui x5, jal x5", H64, 0, 0x123452b7, 0xf61ff2ef, false, 0 },
	{ "lui x1, mret", H64, 0, 0x123450b7, 0x30200073, false, 0 },
	{ "jal x5, c.jr x5", H64, 0, 0xf61ff2ef, 0x8282, false, 0 },
};

static struct hs_insn decode(unsigned hart, uint64_t pc, uint32_t code)
{
	const uint8_t bytes[4] = { (uint8_t)code, (uint8_t)(code >> 8), (uint8_t)(code >> 16),
		                   (uint8_t)(code >> 24) };
	struct hs_insn insn;

	assert_int_equal(hs_isa_decode(&harts[hart], pc, bytes, 4, &insn), HS_OK);
	return insn;
}

TEST_ROWS(sequential, pairs, p)
{
	const struct hs_insn first = decode(p->hart, p->pc, p->first);
	const struct hs_insn jump = decode(p->hart, p->pc + 2u * first.hwords, p->jump);
	uint64_t target = 0;

	assert_int_equal(hs_isa_sequential(&first, &jump, harts[p->hart].xlen, &target),
	                 p->sequential);
	assert_int_equal(target, p->target);
}

/* Ratified text, itype 10 and 11: only jumps with rd = x0 write no link. */
TEST(no_link)
{
	static const struct { uint8_t hart; uint32_t code; bool nolink; } row[] = {
		{ H64, 0x7e90006f, true }, { H64, 0x7dbff3ef, false }, { H64, 0x064000ef, false },
		{ H64, 0xa895, true }, { H64, 0x00050067, true }, { H64, 0x000303e7, false },
		{ H64, 0x8502, true }, { H64, 0x9502, false }, { H32_ZC, 0xa002, true },
		{ H32_ZC, 0xa082, false }, { H64, 0x0001, false }, { H64, 0x30200073, false },
		{ H64, 0x04208063, false },
	};

	for (size_t i = 0; i < sizeof row / sizeof row[0]; i++)
		assert_int_equal(decode(row[i].hart, 0x1000, row[i].code).nolink, row[i].nolink);
}

TEST(kind_names)
{
	for (unsigned i = 0; i <= HS_INSN_CUSTOM; i++)
		assert_true(strlen(hs_insn_kind_name(i)) > 2);
	assert_string_equal(hs_insn_kind_name(HS_INSN_BRANCH), "branch");
	assert_string_equal(hs_insn_kind_name(HS_INSN_CUSTOM + 1), "?");
	assert_int_equal(hs_isa_itype4(HS_INSN_CUSTOM + 1, true), 0);
	assert_int_equal(hs_isa_itype3(~0u, true), 0);
}

/* NT 10.1: an instruction that the caller describes; before all others, of any length. */
TEST(custom_instructions_come_first)
{
	static const struct hs_custom list[] = { { 0x0000007f, 0x0000000b }, { 0xffff, 0x952e } };
	static const struct { uint8_t bytes[4]; uint8_t kind, hwords; } insns[] = {
		{ { 0x0b, 0x12, 0x34, 0x56 }, HS_INSN_CUSTOM, 2 }, /* custom-0 */
		{ { 0x2b, 0x12, 0x34, 0x56 }, HS_INSN_LINEAR, 2 }, /* custom-1 */
		{ { 0x2e, 0x95, 0, 0 }, HS_INSN_CUSTOM, 1 },
		{ { 0x63, 0x00, 0x00, 0x00 }, HS_INSN_BRANCH, 2 },
	};
	const struct hs_isa isa = { .xlen = 64, .custom = list, .custom_count = 2 };

	for (size_t i = 0; i < sizeof insns / sizeof *insns; i++) {
		struct hs_insn insn;

		assert_int_equal(hs_isa_decode(&isa, 0x100, insns[i].bytes, 4, &insn), HS_OK);
		assert_int_equal(insn.kind, insns[i].kind);
		assert_int_equal(insn.hwords, insns[i].hwords);
	}
	assert_int_equal(hs_isa_itype4(HS_INSN_CUSTOM, true), HS_ITYPE_JUMP_UNINF);
	assert_int_equal(hs_isa_itype4(HS_INSN_CUSTOM, false), HS_ITYPE_NONE);
	assert_int_equal(hs_isa_itype3(HS_INSN_CUSTOM, true), HS_ITYPE_UNINFERABLE);
}
