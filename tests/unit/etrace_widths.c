/* Addresses of fewer bits than XLEN (ET Parameters and Discovery, iaddress_width_p;
 * design/et-layouts): encoded, and decoded to where the program is. */
#include "cases.h"
#include "unit/decoders.h"

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
	{ "16 bits, the last instruction they have", 0xfff6, 64, 16, HS_OK },
	{ "16 bits, one past it", 0xfff8, 64, 16, HS_E_BLOCK },
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
	struct hs_block want[4], out[2 * HS_ET_DECODE_ROOM];
	size_t n, rest, blocks = 0;

	make_blocks(r, want);
	want[3].itype = HS_ITYPE_NONE; /* no packet says where the last one led */
	struct hs_et_decoder *d = et_decoder(c, &image);

	assert_int_equal(hs_et_decoder_next(d, &in, out, HS_ET_DECODE_ROOM, &n), HS_MORE);
	assert_int_equal(hs_et_decoder_end(d, out + n, HS_ET_DECODE_ROOM, &rest), HS_OK);
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

TEST_ROWS(width, rows, r)
{
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

/* Is an address of 32 bits, the top one 1, extended by its sign?  It is where code lies in the top
 * half and none at what the bits are without a sign. */
static const struct place {
	const char *name;
	uint64_t at[2]; /* 12 bytes of code each; 0: none */
	bool apart;     /* the second is another program's */
	bool extended;
} places[] = {
	{ "code in the top half", { 0xffffffff80000000 }, false, true },
	{ "its last bytes", { 0xfffffffffffffff4 }, false, true },
	{ "only the last byte is in the top half", { 0xffffffff7ffffff5 }, false, true },
	{ "the last byte before the top half", { 0xffffffff7ffffff4 }, false, false },
	{ "code without a sign", { 0x80000000 }, false, false },
	{ "both", { 0xffffffff80000000, 0x80000000 }, false, false },
	{ "both, the one without a sign by a byte", { 0xffffffff80000000, 0x7ffffff5 }, false,
	  false },
	{ "code right before", { 0xffffffff80000000, 0x7ffffff4 }, false, true },
	{ "both, the one without a sign at its end", { 0xffffffff80000000, 0xffffffff }, false,
	  false },
	{ "code right after", { 0xffffffff80000000, 0x100000000 }, false, true },
	{ "code in the top half of another program", { 0x1000, 0xffffffff80000000 }, true, true },
	{ "the first byte of its top half", { 0x1000, 0xffffffff7ffffff5 }, true, true },
	{ "another program right before the top half", { 0x1000, 0xffffffff7ffffff4 }, true,
	  false },
	{ "another program without a sign", { 0xffffffff80000000, 0x80000000 }, true, false },
};

/* format 3, subformat 0, branch 1, privilege 0, address 0x80000004 / 2, its sign (ET Format 3
 * subformat 0): the event of the start has the address. */
TEST_ROWS(extended, places, p)
{
	static const uint8_t start[] = { 0x13, 0x02, 0x00, 0x00, 0xc0 };
	const unsigned both = p->at[1] && !p->apart ? 2 : 1;
	const struct hs_section sections[2][2] = {
		{ { p->at[both - 1], 12, code }, { p->at[0], 12, code } },
		{ { p->at[1], 12, code } },
	};
	const struct hs_image images[2] = {
		{ .sections = sections[0], .count = both, .isa = { .xlen = 64 } },
		{ .sections = sections[1], .count = 1, .isa = { .xlen = 64 } },
	};
	const struct hs_et_config c = { .size = sizeof c, .dialect = HS_ET_DIALECT_NONE,
	                                .iaddress_width = 32 };
	static const uint64_t contexts[2] = { 0, 1 };
	static struct hs_et_source source;
	static uint64_t memory[2][4096];
	struct hs_block out[HS_ET_DECODE_ROOM];
	struct hs_span in = { start, sizeof start };
	struct hs_bb_table table[2], *programs[2] = { &table[0], &table[1] };
	struct hs_et_decoder d;
	size_t n;

	for (unsigned i = 0; i < 2; i++)
		assert_int_equal(hs_bb_init(&table[i], &images[i], memory[i], 64), HS_OK);
	assert_int_equal(hs_et_decoder_init(&d, &c, &table[0], &source, 1, NULL, 0), HS_OK);
	if (p->apart)
		hs_et_decoder_set(&d, &(struct hs_decoder_options){
			sizeof(struct hs_decoder_options), 2,
			.tables = programs, .contexts = contexts
		});
	hs_et_decoder_next(&d, &in, out, HS_ET_DECODE_ROOM, &n);
	assert_true(n > 0 && out[0].kind == HS_KIND_SYNC);
	assert_true(out[0].value == (p->extended ? 0xffffffff80000004 : 0x80000004));
}
