/* The clock of flows without time: kinds of instructions by their encodings (ISA manual), cycles of
 * blocks by hand. */
#include "ingress/ingress.h"
#include "cases.h"

#include <hartscope/ingress.h>

static struct hs_clock_config each_kind(void)
{
	struct hs_clock_config c = { .size = sizeof c };

	for (unsigned k = 0; k < HS_CLOCK_KINDS; k++)
		c.cycles[k] = (uint16_t)(10 + k);
	return c;
}

/* ---- kinds ------------------------------------------------------------------------- */

static const struct row {
	const char *name;
	uint32_t bits;
	uint8_t hwords, itype;
	enum hs_clock_kind kind;
} rows[] = {
	{ "addi a0, a0, 1", 0x00150513, 2, 0, HS_CLOCK_INSTRUCTION },
	{ "c.addi a0, 1", 0x0505, 1, 0, HS_CLOCK_INSTRUCTION },
	{ "c.slli a0, 1", 0x0506, 1, 0, HS_CLOCK_INSTRUCTION },
	{ "fence", 0x0ff0000f, 2, 0, HS_CLOCK_INSTRUCTION },
	{ "wfi", 0x10500073, 2, 0, HS_CLOCK_INSTRUCTION },
	{ "ld a0, 0(a1)", 0x0005b503, 2, 0, HS_CLOCK_LOAD },
	{ "flw fa0, 0(a1)", 0x0005a507, 2, 0, HS_CLOCK_LOAD },
	{ "c.lw a2, 0(a1)", 0x4190, 1, 0, HS_CLOCK_LOAD },
	{ "c.lwsp a0, 0(sp)", 0x4502, 1, 0, HS_CLOCK_LOAD },
	{ "c.lbu a0, 0(a1)", 0x8188, 1, 0, HS_CLOCK_LOAD },
	{ "lr.w a0, (a1)", 0x1005a52f, 2, 0, HS_CLOCK_LOAD },
	{ "sd a0, 8(a1)", 0x00a5b423, 2, 0, HS_CLOCK_STORE },
	{ "fsw fa0, 0(a1)", 0x00a5a027, 2, 0, HS_CLOCK_STORE },
	{ "c.sw a2, 0(a1)", 0xc190, 1, 0, HS_CLOCK_STORE },
	{ "c.swsp a0, 0(sp)", 0xc02a, 1, 0, HS_CLOCK_STORE },
	{ "c.sb a0, 0(a1)", 0x8988, 1, 0, HS_CLOCK_STORE },
	{ "sc.w a0, a2, (a1)", 0x18c5a52f, 2, 0, HS_CLOCK_STORE },
	{ "amoadd.w a3, a4, (a1)", 0x00e5a6af, 2, 0, HS_CLOCK_ATOMIC },
	{ "mul a0, a0, a1", 0x02b50533, 2, 0, HS_CLOCK_MULTIPLY },
	{ "mulw a0, a0, a1", 0x02b5053b, 2, 0, HS_CLOCK_MULTIPLY },
	{ "c.mul a0, a1", 0x9d4d, 1, 0, HS_CLOCK_MULTIPLY },
	{ "divu a0, a0, a1", 0x02b55533, 2, 0, HS_CLOCK_DIVIDE },
	{ "remw a0, a0, a1", 0x02b5653b, 2, 0, HS_CLOCK_DIVIDE },
	{ "fadd.s fa0, fa0, fa1", 0x00b57553, 2, 0, HS_CLOCK_FLOAT },
	{ "fmadd.d fa0, fa0, fa1, fa2", 0x62b57543, 2, 0, HS_CLOCK_FLOAT },
	{ "vadd.vv v0, v1, v2", 0x02110057, 2, 0, HS_CLOCK_VECTOR },
	{ "csrr a0, mcause", 0x34202573, 2, 0, HS_CLOCK_CSR },
	{ "csrwi fcsr, 1", 0x0030d073, 2, 0, HS_CLOCK_CSR },
	{ "beq a0, a1, .+8, not taken", 0x00b50463, 2, HS_ITYPE_NOT_TAKEN, HS_CLOCK_BRANCH },
	{ "beq a0, a1, .+8, taken", 0x00b50463, 2, HS_ITYPE_TAKEN, HS_CLOCK_TAKEN },
	{ "c.bnez a0, .+4, taken", 0xe111, 1, HS_ITYPE_TAKEN, HS_CLOCK_TAKEN },
	{ "jal ra, .+8", 0x008000ef, 2, HS_ITYPE_CALL_INF, HS_CLOCK_JUMP },
	{ "c.j .+0", 0xa001, 1, HS_ITYPE_JUMP_INF, HS_CLOCK_JUMP },
	{ "jalr ra, a0", 0x000500e7, 2, HS_ITYPE_CALL_UNINF, HS_CLOCK_INDIRECT },
	{ "c.jr a0", 0x8502, 1, HS_ITYPE_JUMP_UNINF, HS_CLOCK_INDIRECT },
	{ "ret", 0x8082, 1, HS_ITYPE_RETURN, HS_CLOCK_RETURN },
	{ "mret", 0x30200073, 2, HS_ITYPE_XRET, HS_CLOCK_RETURN },
};

TEST_ROWS(kind_of_an_instruction, rows, r)
{
	const uint8_t bytes[4] = { (uint8_t)r->bits, (uint8_t)(r->bits >> 8),
		                   (uint8_t)(r->bits >> 16), (uint8_t)(r->bits >> 24) };
	const struct hs_section section = { 0x1000, 2u * r->hwords, bytes };
	const struct hs_image image = { .sections = &section, .count = 1, .isa.xlen = 64 };
	const struct hs_block block = { .iaddr = 0x1000, .iretire = r->hwords, .ilast = r->hwords,
		                        .itype = r->itype };
	const struct hs_clock_config config = each_kind();
	static struct hs_clock c;
	struct hs_block out[2];
	size_t used, n;

	assert_int_equal(hs_clock_init(&c, &config, &image), HS_OK);
	assert_int_equal(hs_clock_run(&c, &block, 1, &used, out, 2, &n), HS_OK);
	assert_int_equal(n, 2);
	assert_int_equal(out[0].kind, HS_KIND_TIME);
	assert_int_equal(out[0].itype, HS_CLOCK_TIME);
	assert_int_equal(out[0].value, 10 + r->kind);
	assert_memory_equal(&out[1], &block, sizeof block);
}

/* ---- blocks ------------------------------------------------------------------------ */

/* 1000 c.lw; 1002 beq .-2; 1006 c.nop; 1008 ecall; 2000 is not known */
static const uint8_t code[] = { 0x90, 0x41, 0xe3, 0x0f, 0xb5, 0xfe, 0x01, 0x00,
	                        0x73, 0x00, 0x00, 0x00 };
static const struct hs_section section = { 0x1000, sizeof code, code };
static const struct hs_image image = { .sections = &section, .count = 1, .isa.xlen = 64 };

#define B(a, n, l, t) { .iaddr = (a), .iretire = (n), .ilast = (l), .itype = (t) }
#define TIME(t) { .kind = HS_KIND_TIME, .value = (t) }
static const struct hs_block flow[] = {
	B(0x1000, 3, 2, HS_ITYPE_TAKEN), B(0x1000, 3, 2, HS_ITYPE_NOT_TAKEN),
	B(0x1006, 3, 2, HS_ITYPE_EXCEPTION), { .kind = HS_KIND_TRAP, .arg = 8 },
	B(0x2000, 5, 2, HS_ITYPE_NONE), B(0x200a, 0, 0, HS_ITYPE_INTERRUPT),
};
enum { FLOW = sizeof flow / sizeof *flow };

/* The times of the blocks, however few items fit at a time. */
static void expect_times(const struct hs_clock_config *config, const uint64_t *want)
{
	for (size_t cap = 2; cap < 8; cap++) {
		static struct hs_clock c;
		struct hs_block out[8];
		size_t at = 0, times = 0, items = 0, used, n;

		assert_int_equal(hs_clock_init(&c, config, &image), HS_OK);
		do {
			const enum hs_status s =
				hs_clock_run(&c, flow + at, FLOW - at, &used, out, cap, &n);

			at += used;
			assert_int_equal(s, at < FLOW ? HS_FULL : HS_OK);
			for (size_t i = 0; i < n; i++) {
				if (out[i].kind == HS_KIND_TIME)
					assert_int_equal(out[i].value, want[times++]);
				else
					assert_memory_equal(&out[i], &flow[items++], sizeof *out);
			}
		} while (at < FLOW);
		assert_int_equal(times, 5);
		assert_int_equal(items, FLOW);
	}
}

TEST(a_cycle_each)
{
	/* 2; 2; 2 and no code: 5 half-words are 2.5 instructions of 4 bytes, begun are 3; 0 */
	static const uint64_t want[] = { 2, 4, 6, 9, 9 };

	expect_times(NULL, want);
}

TEST(cycles_by_kind)
{
	struct hs_clock_config config = { .size = sizeof config };
	/* 7 + 20; 7 + 3; 3 + 3, then 100 for the trap; 3 * 3; 0 */
	static const uint64_t want[] = { 27, 37, 43, 152, 152 };

	config.cycles[HS_CLOCK_INSTRUCTION] = 3;
	config.cycles[HS_CLOCK_LOAD] = 7;
	config.cycles[HS_CLOCK_TAKEN] = 20;
	config.cycles[HS_CLOCK_TRAP] = 100;
	expect_times(&config, want);
}

TEST(a_flow_keeps_its_times)
{
	static const struct hs_block in[] = { TIME(500), B(0x1000, 3, 2, HS_ITYPE_TAKEN),
		B(0x1000, 3, 2, HS_ITYPE_NOT_TAKEN), TIME(502), B(0x1006, 1, 1, 0) };
	static struct hs_clock c;
	struct hs_block out[10];
	size_t used, n;

	assert_int_equal(hs_clock_init(&c, NULL, &image), HS_OK);
	assert_int_equal(hs_clock_run(&c, in, 5, &used, out, 10, &n), HS_OK);
	assert_int_equal(n, 5);
	assert_memory_equal(out, in, sizeof in);
	assert_int_equal(c.time, 502);
}

/* Code that changed takes as long as what is there now. */
TEST(code_changes)
{
	uint8_t bytes[] = { 0x90, 0x41, 0x01, 0x00 }; /* c.lw; c.nop */
	const struct hs_section s = { 0x1000, sizeof bytes, bytes };
	const struct hs_image own = { .sections = &s, .count = 1, .isa.xlen = 64 };
	const struct hs_block b = B(0x1000, 2, 1, 0);
	const struct hs_block changed = { .kind = HS_KIND_CODE, .value = 0x1000, .arg = 2 };
	struct hs_clock_config config = { .size = sizeof config };
	static struct hs_clock c;
	struct hs_block out[4];
	size_t used, n;

	config.cycles[HS_CLOCK_LOAD] = 9;
	assert_int_equal(hs_clock_init(&c, &config, &own), HS_OK);
	hs_clock_run(&c, &b, 1, &used, out, 4, &n);
	assert_int_equal(c.time, 10);
	bytes[0] = 0x01;
	bytes[1] = 0x00;
	hs_clock_run(&c, &changed, 1, &used, out, 4, &n);
	hs_clock_run(&c, &b, 1, &used, out, 4, &n);
	assert_int_equal(c.time, 12);
}

TEST(names_of_kinds)
{
	struct hs_clock_config config = { .size = 2 };
	static struct hs_clock c;

	assert_string_equal(hs_clock_kind_name(HS_CLOCK_LOAD), "load");
	assert_string_equal(hs_clock_kind_name(HS_CLOCK_KINDS), "?");
	assert_string_equal(hs_clock_kind_text(HS_CLOCK_KINDS), "?");
	assert_int_equal(hs_clock_init(&c, &config, &image), HS_E_CONFIG);
}
