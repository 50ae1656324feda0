/* Addresses of fewer bits than XLEN (ET Parameters and Discovery, iaddress_width_p; ADR-0047):
 * encoded, and decoded to where the program is. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <hartscope/etrace.h>

/* 0: c.nop, jalr x0, 0(x5).  6: the same. */
static const uint8_t code[] = { 0x01, 0x00, 0x67, 0x80, 0x02, 0x00,
	                        0x01, 0x00, 0x67, 0x80, 0x02, 0x00 };

static const struct row {
	const char *name;
	uint64_t at;     /* of the code */
	uint8_t xlen, width;
	enum hs_status want; /* of the encoder */
} rows[] = {
	{ "40 bits, the top half of 64", 0xffffffff80000000, 64, 40, HS_OK },
	{ "32 bits, the top half of 64", 0xffffffff80000000, 64, 32, HS_OK },
	{ "31 bits cannot have it", 0xffffffff80000000, 64, 31, HS_E_BLOCK },
	{ "39 bits, Sv39's top half", 0xffffffc000000000, 64, 39, HS_OK },
	{ "38 bits cannot have it", 0xffffffc000000000, 64, 38, HS_E_BLOCK },
	{ "8 bits, the last page", 0xffffffffffffff80, 64, 8, HS_OK },
	{ "32 bits, no sign", 0x80000000, 64, 32, HS_OK },
	{ "32 bits of RV32", 0x80000000, 32, 32, HS_OK },
	{ "16 bits of RV32, the top half", 0xffff8000, 32, 16, HS_OK },
	{ "16 bits cannot have it", 0xffff7000, 32, 16, HS_E_BLOCK },
	{ "40 bits, low", 0x10000, 64, 40, HS_OK },
	{ "64 bits", 0xffffffff80000000, 64, 64, HS_OK },
};

/* Four jumps there and back. */
static void make_blocks(const struct row *r, struct hs_block b[4])
{
	for (unsigned i = 0; i < 4; i++)
		b[i] = (struct hs_block){ .iaddr = r->at + (i % 2 ? 6 : 0), .iretire = 3,
			                  .ilast = 2, .itype = HS_ITYPE_JUMP_UNINF,
			                  .priv = HS_PRIV_S };
}

static void decode(const struct row *r, const struct hs_et_config *c, struct hs_span in)
{
	const struct hs_section section = { r->at, sizeof code, code };
	const struct hs_image image = { .sections = &section, .count = 1,
		                        .isa = { .xlen = r->xlen } };
	static struct hs_et_source source;
	struct hs_block want[4], out[2 * HS_ET_DECODE_ROOM];
	uint64_t memory[4096];
	struct hs_bb_table table;
	struct hs_et_decoder d;
	size_t n, rest, blocks = 0;

	make_blocks(r, want);
	want[3].itype = HS_ITYPE_NONE; /* no packet says where the last one led */
	assert_int_equal(hs_bb_init(&table, &image, memory, 64), HS_OK);
	assert_int_equal(hs_et_decoder_init(&d, c, &table, &source, 1, NULL, 0), HS_OK);
	assert_int_equal(hs_et_decoder_next(&d, &in, out, HS_ET_DECODE_ROOM, &n), HS_MORE);
	assert_int_equal(hs_et_decoder_end(&d, out + n, HS_ET_DECODE_ROOM, &rest), HS_OK);
	for (size_t i = 0; i < n + rest; i++) {
		if (out[i].kind != HS_KIND_BLOCK)
			continue;
		assert_true(blocks < 4);
		assert_true(out[i].iaddr == want[blocks].iaddr);
		assert_int_equal(out[i].iretire, 3);
		blocks++;
	}
	assert_int_equal(blocks, 4);
}

static void width(void **state)
{
	const struct row *r = *state;
	const struct hs_et_config c = { .size = sizeof c, .iaddress_width = r->width };
	static struct hs_et_encoder e;
	uint8_t out[3 * HS_ET_ENCODE_ROOM];
	struct hs_block in[4];
	size_t used, len, end;

	make_blocks(r, in);
	assert_int_equal(hs_et_encoder_init(&e, &c, NULL, 0), HS_OK);
	assert_int_equal(hs_et_encode(&e, in, 4, &used, out, 2 * HS_ET_ENCODE_ROOM, &len), r->want);
	if (r->want != HS_OK)
		return;
	assert_int_equal(hs_et_encode_end(&e, out + len, HS_ET_ENCODE_ROOM, &end), HS_OK);
	decode(r, &c, (struct hs_span){ out, len + end });
}

int main(void)
{
	enum { ROWS = sizeof rows / sizeof *rows };
	struct CMUnitTest tests[ROWS];

	for (size_t i = 0; i < ROWS; i++)
		tests[i] = (struct CMUnitTest){ rows[i].name, width, NULL, NULL,
			                        (void *)(uintptr_t)&rows[i] };
	return _cmocka_run_group_tests("etrace_widths", tests, ROWS, NULL, NULL);
}
