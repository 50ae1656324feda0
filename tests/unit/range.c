/* Ranges: positions from text, and items that are cut, by hand. */
#include "cases.h"

#include <hartscope/source.h>

#include "program/program.h"
#include "source/range.h"

/* ---- text ---------------------------------------------------------------------- */

static const struct text_row {
	const char *text;
	enum hs_position_kind kind; /* HS_POSITION_NONE: it is no position */
	uint64_t value, count;
	const char *name;
} texts[] = {
	{ "0", HS_POSITION_INSTRUCTION, 0, 0, "" },
	{ "18446744073709551615", HS_POSITION_INSTRUCTION, UINT64_MAX, 0, "" },
	{ "1e6", HS_POSITION_INSTRUCTION, 1000000, 0, "" },
	{ "2.5k", HS_POSITION_INSTRUCTION, 2500, 0, "" },
	{ "time:3M", HS_POSITION_TIME, 3000000, 0, "" },
	{ "byte:1.5", HS_POSITION_NONE, 0, 0, "" },
	{ "0x1f", HS_POSITION_PC, 0x1f, 0, "" },
	{ "0x1f@3", HS_POSITION_PC, 0x1f, 3, "" },
	{ "0x1f#3", HS_POSITION_PC, 0x1f, 3, "" },
	{ "time:0x20", HS_POSITION_TIME, 32, 0, "" },
	{ "byte:12", HS_POSITION_BYTE, 12, 0, "" },
	{ "insn:0x04d02013@2", HS_POSITION_BITS, 0x04d02013, 2, "" },
	{ "main", HS_POSITION_FUNCTION, 0, 0, "main" },
	{ "main@7", HS_POSITION_FUNCTION, 0, 7, "main" },
	{ "memcpy@plt", HS_POSITION_FUNCTION, 0, 0, "memcpy@plt" },
	{ "memcpy@plt@2", HS_POSITION_FUNCTION, 0, 2, "memcpy@plt" },
	{ "ns::f<int>(int)#2", HS_POSITION_FUNCTION, 0, 2, "ns::f<int>(int)" },
	{ "f@0", HS_POSITION_FUNCTION, 0, 0, "f@0" },
	{ "", HS_POSITION_NONE, 0, 0, "" },
	{ "12x", HS_POSITION_NONE, 0, 0, "" },
	{ "0x", HS_POSITION_NONE, 0, 0, "" },
	{ "0xg", HS_POSITION_NONE, 0, 0, "" },
	{ "time:", HS_POSITION_NONE, 0, 0, "" },
	{ "time:-1", HS_POSITION_NONE, 0, 0, "" },
	{ "byte: 1", HS_POSITION_NONE, 0, 0, "" },
	{ "ecall:64", HS_POSITION_ECALL, 64, 0, "" },
	{ "ecall:0x5d@2", HS_POSITION_ECALL, 93, 2, "" },
	{ "ecall:", HS_POSITION_NONE, 0, 0, "" },
	{ "ecall:write", HS_POSITION_NONE, 0, 0, "" },
};

TEST(check_texts)
{
	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++) {
		const struct text_row *r = &texts[i];
		struct hs_position p = { .kind = HS_POSITION_NONE };
		const enum hs_status s = hs_position_parse(r->text, &p);

		assert_int_equal(s, r->kind == HS_POSITION_NONE ? HS_E_ARG : HS_OK);
		assert_int_equal(p.kind, r->kind);
		assert_int_equal(p.value, r->value);
		assert_int_equal(p.count, r->count);
		assert_string_equal(p.name, r->name);
	}
}

/* ---- items --------------------------------------------------------------------- */

/* @n instructions of two bytes (c.nop) at @a; how the block ends. */
#define B(a, n, t) { .iaddr = (a), .iretire = (n), .ilast = 1, .itype = HS_ITYPE_##t }
#define TRAP(c) { .arg = (c), .kind = HS_KIND_TRAP }
#define TIME(v) { .value = (v), .kind = HS_KIND_TIME }
#define HART(n) { .arg = (n), .kind = HS_KIND_HART, .priv = HS_PRIV_UNKNOWN }
#define CONTEXT(v) { .value = (v), .arg = 2, .kind = HS_KIND_CONTEXT }
#define GAP { .kind = HS_KIND_GAP }
#define LOAD(a) { .value = (a), .kind = HS_KIND_DATA, .ilast = 2 }
#define N(v) { .kind = HS_POSITION_INSTRUCTION, .value = (v) }
#define T(v) { .kind = HS_POSITION_TIME, .value = (v) }
#define PC(v, n) { .kind = HS_POSITION_PC, .value = (v), .count = (n) }
#define MAX 10

static const struct row {
	const char *name;
	struct hs_position from, to;
	struct hs_block in[MAX], want[MAX];
	unsigned n, wanted;
	enum hs_status check;
} rows[] = {
	{ "all of it", { 0 }, { 0 }, { B(0x100, 3, TAKEN), TIME(1), B(0x100, 3, TAKEN) },
	  { B(0x100, 3, TAKEN), TIME(1), B(0x100, 3, TAKEN) }, 3, 3, HS_OK },
	{ "inside of one block", N(1), N(2), { TIME(1), B(0x100, 3, TAKEN), B(0x100, 3, TAKEN) },
	  { B(0x102, 1, NONE) }, 3, 1, HS_OK },
	{ "from the middle of a block to that of the next", N(1), N(5),
	  { B(0x100, 3, TAKEN), TIME(1), B(0x100, 3, TAKEN) },
	  { B(0x102, 2, TAKEN), TIME(1), B(0x100, 2, NONE) }, 3, 3, HS_OK },
	{ "an event before the first block belongs to it", N(3), N(6),
	  { B(0x100, 3, TAKEN), TIME(1), B(0x100, 3, TAKEN), TIME(2), B(0x100, 3, TAKEN) },
	  { TIME(1), B(0x100, 3, TAKEN) }, 5, 2, HS_OK },
	{ "a trap belongs to the block that it ends", { 0 }, N(3),
	  { B(0x100, 3, EXCEPTION), TRAP(2), B(0x200, 3, XRET) },
	  { B(0x100, 3, EXCEPTION), TRAP(2) }, 3, 2, HS_OK },
	{ "and is not where the range begins", N(3), { 0 },
	  { B(0x100, 3, EXCEPTION), TRAP(2), B(0x200, 3, XRET) }, { B(0x200, 3, XRET) }, 3, 1,
	  HS_OK },
	{ "nor after a block that is cut before its end", { 0 }, N(2),
	  { B(0x100, 3, EXCEPTION), TRAP(2), B(0x200, 3, XRET) }, { B(0x100, 2, NONE) }, 3, 1,
	  HS_OK },
	{ "the context where it begins", N(4), { 0 },
	  { CONTEXT(5), TIME(1), B(0x100, 3, TAKEN), B(0x100, 3, TAKEN) },
	  { CONTEXT(5), B(0x102, 2, TAKEN) }, 4, 2, HS_OK },
	{ "gaps outside", N(3), N(6),
	  { B(0x100, 3, TAKEN), GAP, B(0x100, 3, TAKEN), GAP, B(0x100, 3, TAKEN) },
	  { GAP, B(0x100, 3, TAKEN) }, 5, 2, HS_OK },
	{ "an address to its next time", PC(0x102, 0), PC(0x102, 0),
	  { B(0x100, 3, TAKEN), B(0x100, 3, TAKEN) }, { B(0x102, 2, TAKEN), B(0x100, 1, NONE) },
	  2, 2, HS_OK },
	{ "an address by number", PC(0x102, 2), PC(0x100, 3),
	  { B(0x100, 3, TAKEN), B(0x100, 3, TAKEN), B(0x100, 3, TAKEN) },
	  { B(0x102, 2, TAKEN) }, 3, 1, HS_OK },
	{ "an address inside of an instruction", PC(0x101, 0), { 0 }, { B(0x100, 3, TAKEN) },
	  { TIME(0) }, 1, 0, HS_E_NOTHING },
	{ "a number past the end", N(4), { 0 }, { B(0x100, 3, TAKEN) }, { TIME(0) }, 1, 0,
	  HS_E_NOTHING },
	{ "an end by number past the end", N(2), N(9), { B(0x100, 3, TAKEN) },
	  { B(0x104, 1, TAKEN) }, 1, 1, HS_OK },
	{ "an end that is not reached", { 0 }, PC(0x200, 0), { B(0x100, 3, TAKEN) },
	  { B(0x100, 3, TAKEN) }, 1, 1, HS_E_NOTHING },
	{ "an end before the start", PC(0x104, 0), PC(0x102, 1), { B(0x100, 3, TAKEN) },
	  { TIME(0) }, 1, 0, HS_E_NOTHING },
	{ "times are of each hart", T(10), T(20),
	  { HART(0), TIME(5), B(0x100, 3, TAKEN), TIME(10), B(0x100, 3, TAKEN), HART(1), TIME(19),
	    B(0x100, 1, TAKEN), TIME(20), B(0x100, 3, TAKEN) },
	  { HART(0), TIME(10), B(0x100, 3, TAKEN), HART(1), TIME(19), B(0x100, 1, TAKEN) }, 10, 6,
	  HS_OK },
	{ "numbers are of all harts", N(2), N(4),
	  { HART(0), B(0x100, 3, TAKEN), HART(1), B(0x100, 3, TAKEN) },
	  { HART(0), B(0x104, 1, TAKEN), HART(1), B(0x100, 1, NONE) }, 4, 4, HS_OK },
	{ "an access belongs to its instruction", N(1), N(3),
	  { LOAD(0x10), LOAD(0x20), LOAD(0x30), B(0x180, 3, TAKEN), B(0x100, 3, TAKEN) },
	  { LOAD(0x20), LOAD(0x30), B(0x182, 2, TAKEN) }, 5, 3, HS_OK },
	{ "and one after the end is left out", { 0 }, N(1),
	  { LOAD(0x10), LOAD(0x20), B(0x180, 3, TAKEN) }, { LOAD(0x10), B(0x180, 1, NONE) }, 3, 2,
	  HS_OK },
	{ "code that is not known has no numbers", N(3), { 0 },
	  { B(0x100, 3, TAKEN), B(0x900, 3, TAKEN), B(0x100, 3, TAKEN) },
	  { B(0x900, 3, TAKEN), B(0x100, 3, TAKEN) }, 3, 2, HS_OK },
};

/* c.nop at 0x100 to 0x17f, c.lw at 0x180 to 0x1ff, c.nop at 0x200 to 0x27f. */
static uint8_t code[0x180];
static struct hs_section section = { .start = 0x100, .bytes = code, .size = sizeof(code) };

static struct hs_program *new_program(void)
{
	const struct hs_image image = { .isa = { .xlen = 64 }, .sections = &section, .count = 1 };
	struct hs_program *p;

	for (size_t i = 0; i < sizeof(code); i += 2) {
		const bool load = i >= 0x80 && i < 0x100;

		code[i] = load ? 0x00 : 0x01;
		code[i + 1] = load ? 0x41 : 0x00;
	}
	assert_int_equal(hs_program_new(&p), HS_OK);
	assert_int_equal(hs_program_add_image(p, &image, NULL), HS_OK);
	return p;
}

/* Give the items one by one, with room for @cap. */
static size_t run(struct hs_range *range, const struct row *r, size_t cap, struct hs_block *out)
{
	enum hs_status s = HS_OK;
	size_t used, n, all = 0;

	for (unsigned i = 0; i <= r->n && s != HS_END; i++) {
		const struct hs_block *in = i < r->n ? &r->in[i] : NULL;
		size_t given = in != NULL;

		if (!in)
			hs_range_end(range);
		do {
			s = hs_range_take(range, in, given, &used, out + all, cap, &n);
			in += used;
			given -= used;
			all += n;
			assert_true(all <= MAX);
		} while (s == HS_FULL);
	}
	assert_int_equal(s, HS_END);
	return all;
}

TEST(check_rows)
{
	struct hs_program *program = new_program();

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		const struct hs_range_options o = { .size = sizeof(o), .program = program,
			                            .from = rows[i].from, .to = rows[i].to };
		struct hs_block out[2 * MAX];
		struct hs_range *range;

		print_message("%s\n", rows[i].name);
		assert_int_equal(hs_range_new(&o, &range), HS_OK);
		for (size_t cap = 1; cap <= MAX; cap += 3) {
			hs_range_restart(range, 0);
			assert_int_equal(run(range, &rows[i], cap, out), rows[i].wanted);
			for (unsigned k = 0; k < rows[i].wanted; k++)
				assert_true(hs_block_equal(&out[k], &rows[i].want[k]));
			assert_int_equal(hs_range_check(range, NULL), rows[i].check);
		}
		hs_range_free(range);
	}
	hs_program_free(program);
}

TEST(check_options)
{
	const struct hs_range_options none = { .size = sizeof(none) };
	struct hs_range *range;

	assert_int_equal(hs_range_new(&none, &range), HS_E_CONFIG);
	hs_range_free(NULL);
}
