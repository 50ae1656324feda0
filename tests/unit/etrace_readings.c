/* Where the pseudo-code of E-Trace 2.1 contradicts its chapters: both readings (docs/errata.md,
 * ET-20 to ET-25). */
#include "cases.h"

#include <hartscope/etrace.h>

#include "etrace/et_decoder.h"
#include "etrace/etrace.h"
#include "unit/decoders.h"
#include "unit/et_support.h"

/* 0x100 jalr ra, 0x140(x0); 0x140 c.nop, c.nop (ISA manual): a packet of format 2 after the start,
 * and where it leads (ET-24).  The half-words are those of jalr, and of c.nop. */
static const struct jump {
	const char *name;
	uint8_t x0_inferable, n, bytes[4];
	enum hs_status want;
	unsigned hwords;
} jumps[] = {
	/* +0x40 and +0x42 in half-words, from bit 2 on */
	{ "reported", 0, 3, { 0x42, 0x82, 0x00 }, HS_OK, 2 + 1 },
	{ "inferred", 1, 3, { 0x42, 0x82, 0x00 }, HS_OK, 2 + 1 },
	{ "inferred, and one more", 1, 3, { 0x42, 0x86, 0x00 }, HS_OK, 2 + 2 },
	{ "reported, as if it led to the second", 0, 3, { 0x42, 0x86, 0x00 }, HS_OK, 2 + 1 },
	/* 0x144 and on is no code */
	{ "inferred, and elsewhere", 1, 3, { 0x42, 0x96, 0x00 }, HS_E_NOCODE, 2 + 2 },
};

/* jalr ra, 0x140(x0), and without the link, which is no call. */
static const uint8_t by_x0[][4] = { { 0xe7, 0x00, 0x00, 0x14 }, { 0x67, 0x00, 0x00, 0x14 } };

static void jump_by_x0(const struct jump *row, const uint8_t *insn)
{
	static uint8_t code[0x44];
	struct hs_et_config c = plain();
	struct hs_block out[2 * HS_ET_DECODE_ROOM];
	uint8_t bytes[8];
	struct hs_span in = { bytes, 0 };
	enum hs_status s;
	size_t n, more;
	unsigned hwords = 0;

	/* the start at 0x100: address 0x80 from bit 8 on */
	in.n = put_bytes(bytes, (const uint8_t[]){ 0x43, 0x73, 0x80, 0x00 }, 4);
	in.n += put_bytes(bytes + in.n, row->bytes, row->n);
	c.x0_inferable = row->x0_inferable;
	for (unsigned i = 0; i < sizeof code; i += 2)
		code[i] = 0x01; /* c.nop */
	memcpy(code, insn, 4);
	struct hs_et_decoder *d = et_decoder(&c, CODE_AT(0x100, code));

	s = hs_et_decoder_next(d, &in, out, HS_ET_DECODE_ROOM, &n);
	assert_int_equal(s, row->want == HS_OK ? HS_MORE : row->want);
	if (s == HS_MORE)
		assert_int_equal(hs_et_decoder_end(d, out + n, HS_ET_DECODE_ROOM, &more), HS_OK);
	for (size_t i = 0; i < n + (s == HS_MORE ? more : 0); i++)
		hwords += out[i].kind == HS_KIND_BLOCK ? out[i].iretire : 0;
	assert_int_equal(hwords, row->hwords);
}

TEST_ROWS(jumps_by_x0, jumps, row)
{
	jump_by_x0(row, by_x0[0]);
	jump_by_x0(row, by_x0[1]);
}

/* What the opcode says: rs1, and imm, of whose sum bit 0 is not used (ISA manual, jalr).  The
 * packet names 0x142: from 0x140 on one instruction more retires. */
static const struct opcode {
	const char *name;
	uint8_t insn[4];
	unsigned hwords;
} opcodes[] = {
	{ "jalr ra, 0x140(x0)", { 0xe7, 0x00, 0x00, 0x14 }, 2 + 2 },
	{ "jalr ra, 0x141(x0)", { 0xe7, 0x00, 0x10, 0x14 }, 2 + 2 },
	{ "jalr ra, 0x142(x0)", { 0xe7, 0x00, 0x20, 0x14 }, 2 + 1 },
	{ "jalr ra, 0x140(a0)", { 0xe7, 0x00, 0x05, 0x14 }, 2 + 1 },
};

TEST_ROWS(opcodes_of_jumps, opcodes, row)
{
	const struct jump to = { "", 1, 3, { 0x42, 0x86, 0x00 }, HS_OK, row->hwords };

	jump_by_x0(&to, row->insn);
}

/* Of jumps only jalr has its target in the opcode: where mret leads is reported (ISA manual). */
TEST(a_trap_return_is_no_jump_by_x0)
{
	static const uint8_t mret[] = { 0x73, 0x00, 0x20, 0x30 };
	static const struct jump row = { "", 1, 3, { 0x42, 0x86, 0x00 }, HS_OK, 2 + 1 };

	jump_by_x0(&row, mret);
}

/* jalr ra, -64(x0) at -128: the end of the address space (ISA manual). */
static const struct top {
	const char *name;
	uint8_t xlen;
	uint64_t base;
} tops[] = {
	{ "of 32 bits", 32, 0xffffff80 },
	{ "of 64 bits", 64, 0xffffffffffffff80 },
};

TEST_ROWS(jumps_by_x0_at_the_top, tops, row)
{
	static uint8_t code[0x44] = { 0xe7, 0x00, 0x00, 0xfc };
	/* the start: -0x40 half-words from bit 8 on; then +0x42 of them, and two c.nop */
	static const uint8_t bytes[] = { 0x43, 0x73, 0xc0, 0xff, 0x42, 0x86, 0x00 };
	const struct hs_section section = { row->base, sizeof code, code };
	const struct hs_image image = { &section, 1, { .xlen = row->xlen }, 0 };
	struct hs_span in = { bytes, sizeof bytes };
	struct hs_et_config c = plain();
	struct hs_block out[2 * HS_ET_DECODE_ROOM];
	unsigned hwords = 0;
	size_t n, more;

	code[0x40] = code[0x42] = 0x01; /* c.nop */
	c.x0_inferable = 1;
	c.iaddress_width = row->xlen;
	struct hs_et_decoder *d = et_decoder(&c, &image);

	assert_int_equal(hs_et_decoder_next(d, &in, out, HS_ET_DECODE_ROOM, &n), HS_MORE);
	assert_int_equal(hs_et_decoder_end(d, out + n, HS_ET_DECODE_ROOM, &more), HS_OK);
	for (size_t i = 0; i < n + more; i++)
		hwords += out[i].kind == HS_KIND_BLOCK ? out[i].iretire : 0;
	assert_int_equal(hwords, 2 + 2);
}

/* Calls one in another, and the returns from them: how many a counter infers (ET-25). */
static const struct depth {
	const char *name;
	uint8_t size, bits;
	unsigned calls, reported;
} depths[] = {
	{ "2 calls", 1, 0, 2, 0 }, { "2 calls, and 1", 1, 0, 3, 1 },
	{ "2 bits", 1, 1, 3, 0 },  { "2 bits, and 1 call", 1, 1, 4, 1 },
	{ "4 bits", 2, 1, 15, 0 }, { "4 bits, and 1 call", 2, 1, 16, 1 },
};

TEST_ROWS(calls_a_counter_counts, depths, row)
{
	struct hs_block b = { .iretire = 2, .ilast = 2, .priv = HS_PRIV_M };
	static struct hs_et_encoder e;
	static uint64_t tables[64];
	static uint8_t bytes[64 * HS_ET_ENCODE_ROOM];
	struct hs_et_config c = plain();
	size_t used, n;

	c.options = HS_ET_IMPLICIT_RETURN;
	c.call_counter_size = row->size;
	c.counter_bits = row->bits;
	c.iret_ext = 1;
	assert_int_equal(hs_et_encoder_init(&e, &c, tables, sizeof tables), HS_OK);
	for (unsigned i = 0; i < 2 * row->calls; i++) {
		const unsigned depth = i < row->calls ? i : 2 * row->calls - i;

		b.itype = i < row->calls ? HS_ITYPE_CALL_INF : HS_ITYPE_RETURN;
		b.iaddr = 0x1000 + 0x100 * (uint64_t)depth + 4 * (i >= row->calls);
		assert_int_equal(hs_et_encode(&e, &b, 1, &used, bytes, sizeof bytes, &n), HS_OK);
	}
	b.itype = HS_ITYPE_NONE;
	b.iaddr = 0x1004;
	assert_int_equal(hs_et_encode(&e, &b, 1, &used, bytes, sizeof bytes, &n), HS_OK);
	b.iaddr = 0x1008;
	assert_int_equal(hs_et_encode(&e, &b, 1, &used, bytes, sizeof bytes, &n), HS_OK);
	assert_int_equal(hs_et_encoder_stats(&e)->packets[HS_ET_FORM_ADDRESS], row->reported);
}

/* A counter of n bits of size, or of n calls (ET-25): what it has memory for. */
static const struct counter {
	const char *name;
	struct hs_et_config c;
	size_t want;
} counters[] = {
	{ "2^3 calls", C(.call_counter_size = 3), 8 * 8 },
	{ "2^3 bits", C(.call_counter_size = 3, .counter_bits = 1, .iret_ext = 1), 8 * 256 },
	{ "2^15 bits, as many as are needed",
	  C(.call_counter_size = 15, .counter_bits = 1, .iret_ext = 1), 8 * 65536 },
	{ "a stack next to it",
	  C(.return_stack_size = 2, .call_counter_size = 3, .counter_bits = 1), 8 * 4 },
	{ "irdepth has no room for it",
	  C(.call_counter_size = 3, .counter_bits = 1, .options = HS_ET_IMPLICIT_RETURN), 0 },
};

TEST_ROWS(memory_of_a_counter, counters, row)
{
	assert_int_equal(hs_et_source_memory(&row->c), row->want);
	assert_int_equal(hs_et_encoder_memory(&row->c), row->want);
}
