/* Streams as a whole: what the reader leaves in a packet, several sources. */
#include "cases.h"

#include <hartscope/etrace.h>

#include "etrace/et_config.h"
#include "etrace/et_packet.h"
#include "etrace/et_reader.h"
#include "unit/decoders.h"

/* 0x1000 c.nop (ISA manual) */
static const uint8_t code[] = { 0x01, 0x00 };

/* Format 3 subformat 0, branch 1, privilege 3 of 3 bits, address 0x1000 (ET Format 3 subformat 0)
 * from srcID @id of 4 bits: header, then srcID, type 2, and the payload 73 00 08 from bit 6 on. */
#define START_FROM(id) 0x04, (0xe0 | (id)), 0x1c, 0x00, 0x02
/* The same in the reference framing: a byte of length and type 2. */
#define START_REFERENCE 0x43, 0x73, 0x00, 0x08

static const struct hs_et_config standard = { .size = sizeof standard, .src_bits = 4 };
static const struct hs_et_config reference = { .size = sizeof reference,
	                                       .dialect = HS_ET_DIALECT_REFERENCE };

/* What a packet has not is 0, whatever was there before. */
TEST(rest_is_zero)
{
	static const uint8_t framed[] = { START_FROM(5) }, plain[] = { START_REFERENCE };

	for (unsigned i = 0; i < 2; i++) {
		struct hs_et_packet p, zeroed;
		struct hs_et_reader reader;

		memset(&p, 0xff, sizeof p);
		memset(&zeroed, 0, sizeof zeroed);
		for (unsigned n = 0; n < 2; n++) {
			const uint8_t *bytes = i ? plain : framed;
			struct hs_span in = { bytes, i ? sizeof plain : sizeof framed };

			assert_int_equal(hs_et_reader_init(&reader, i ? &reference : &standard),
			                 HS_OK);
			assert_int_equal(hs_et_read(&reader, &in, n ? &zeroed : &p), HS_OK);
		}
		assert_memory_equal(&p, &zeroed, sizeof p);
		for (unsigned f = 0; f < HS_ETF_COUNT; f++)
			if (!hs_et_has(&p, (enum hs_et_field)f))
				assert_int_equal(p.field[f], 0);
	}
}

/* The fields of a context packet, in wire order (ET Format 3 subformat 2, PT Table 6.3). */
TEST(fields_in_order)
{
	static const uint8_t ratified[] = { HS_ETF_FORMAT, HS_ETF_SUBFORMAT, HS_ETF_PRIVILEGE,
		                            HS_ETF_TIME, HS_ETF_CONTEXT };
	static const uint8_t draft[] = { HS_ETF_FORMAT, HS_ETF_SUBFORMAT, HS_ETF_CONTEXT,
		                         HS_ETF_PRIVILEGE };
	uint8_t *got = malloc(HS_ETF_COUNT);

	assert_int_equal(hs_et_form_fields(HS_ET_2_0, HS_ET_FORM_CONTEXT, got), sizeof ratified);
	assert_memory_equal(got, ratified, sizeof ratified);
	assert_int_equal(hs_et_form_fields(HS_ET_0_026, HS_ET_FORM_CONTEXT, got), sizeof draft);
	assert_memory_equal(got, draft, sizeof draft);
	assert_int_equal(hs_et_form_fields(HS_ET_0_026, HS_ET_FORM_INDEX, got), 0);
	assert_int_equal(hs_et_form_fields(HS_ET_2_0, HS_ET_FORMS, got), 0);
	free(got);
}

/* Bits of fields, from the text: address without its lowest bits, branch_map by branches (ET Format
 * 1 branch_map), the trap's address only where its handler is not known. */
TEST(bits_of_fields)
{
	struct hs_et_config c = { .size = sizeof c, .iaddress_width = 39, .iaddress_unit = 4 };
	struct hs_et_packet p = { .form = HS_ET_FORM_BRANCH };
	static const uint8_t map[][2] = { { 0, 31 }, { 1, 1 }, { 3, 3 }, { 4, 7 }, { 15, 15 },
		                          { 16, 31 } };

	assert_int_equal(hs_et_field_bits(&c, &p, HS_ETF_ADDRESS), 37);
	for (size_t i = 0; i < sizeof map / sizeof *map; i++) {
		p.field[HS_ETF_BRANCHES] = map[i][0];
		assert_int_equal(hs_et_field_bits(&c, &p, HS_ETF_BRANCH_MAP), map[i][1]);
	}
	p.field[HS_ETF_THADDR] = 1;
	assert_int_equal(hs_et_field_bits(&c, &p, HS_ETF_TRAP_ADDRESS), 37);
	c.options = HS_ET_IMPLICIT_EXCEPT;
	assert_int_equal(hs_et_field_bits(&c, &p, HS_ETF_TRAP_ADDRESS), 0);
	assert_int_equal(hs_et_field_bits(&c, &p, HS_ETF_COUNT), 0);
	c.iaddress_unit = 3; /* refused */
	assert_int_equal(hs_et_field_bits(&c, &p, HS_ETF_ADDRESS), 0);
}

/* Where a stream ends, each of its sources has its last block: srcID 5, then 6. */
TEST(all_sources_end)
{
	static const uint8_t bytes[] = { START_FROM(5), START_FROM(6) };
	static const struct { uint8_t kind; uint32_t arg; } want[] = {
		{ HS_KIND_HART, 5 }, { HS_KIND_BLOCK, 1 }, { HS_KIND_HART, 6 }, { HS_KIND_BLOCK, 1 },
	};
	const struct hs_section section = { 0x1000, sizeof code, code };
	const struct hs_image image = { .sections = &section, .count = 1, .isa = { .xlen = 64 } };
	static struct hs_et_source sources[2];
	uint64_t memory[4096];
	struct hs_block out[2 * HS_ET_DECODE_ROOM];
	struct hs_span in = { bytes, sizeof bytes };
	struct hs_bb_table table;
	struct hs_et_decoder d;
	size_t n;

	assert_int_equal(hs_bb_init(&table, &image, memory, 64), HS_OK);
	assert_int_equal(hs_et_decoder_init(&d, &standard, &table, sources, 2, NULL, 0), HS_OK);
	assert_int_equal(hs_et_decoder_next(&d, &in, out, 2 * HS_ET_DECODE_ROOM, &n), HS_MORE);
	assert_int_equal(hs_et_decoder_end(&d, out, 2 * HS_ET_DECODE_ROOM, &n), HS_OK);
	assert_int_equal(n, 4);
	for (unsigned i = 0; i < 4; i++) {
		assert_int_equal(out[i].kind, want[i].kind);
		assert_int_equal(out[i].kind == HS_KIND_BLOCK ? out[i].iretire : out[i].arg,
		                 want[i].arg);
	}
}

/* Where there is no room, nothing was written, and the count says so. */
TEST(no_room)
{
	const struct hs_block block = { .iaddr = 0x1000, .iretire = 1, .ilast = 1 };
	struct hs_block out[HS_ET_DECODE_ROOM];
	struct hs_span in = { code, 0 };
	struct hs_et_encoder e;
	uint8_t bytes[8];
	size_t n = 9, used = 9;
	struct hs_et_decoder *d = et_decoder(&reference, CODE_AT(0x1000, code));

	assert_int_equal(hs_et_decoder_next(d, &in, out, HS_ET_DECODE_ROOM - 1, &n), HS_E_SPACE);
	assert_int_equal(n, 0);
	n = 9;
	assert_int_equal(hs_et_decoder_end(d, out, HS_ET_DECODE_ROOM - 1, &n), HS_E_SPACE);
	assert_int_equal(n, 0);
	assert_int_equal(hs_et_encoder_init(&e, &reference, NULL, 0), HS_OK);
	n = 9;
	assert_int_equal(hs_et_encode(&e, &block, 1, &used, bytes, sizeof bytes, &n), HS_E_SPACE);
	assert_int_equal(n + used, 0);
	n = 9;
	assert_int_equal(hs_et_encode_end(&e, bytes, sizeof bytes, &n), HS_E_SPACE);
	assert_int_equal(n, 0);
}

/* ---- context packets ------------------------------------------------------------------------ */

/* Reference framing, context of 8 bits between privilege and address: a start in context 5; the
 * trace ends (ienable 0, qual_status 1); a trap with ecause 2, thaddr 0; context 6 (ET Format 3
 * subformats 0, 3, 1 and 2). */
#define START_5 0x44, 0x73, 0x05, 0x00, 0x08
#define ENDED 0x41, 0x4f
#define TRAP_5 0x45, 0x77, 0x05, 0x02, 0x00, 0x08
#define CONTEXT_6 0x42, 0x3b, 0x03

static const struct context {
	const char *name;
	uint8_t n, bytes[16];
	unsigned contexts; /* events */
	uint64_t last;
} contexts[] = {
	{ "a context", 8, { START_5, CONTEXT_6 }, 2, 6 },
	{ "a context after the end", 10, { START_5, ENDED, CONTEXT_6 }, 1, 5 },
	{ "a context after a trap", 14, { START_5, TRAP_5, CONTEXT_6 }, 2, 6 },
	{ "a context before the start", 8, { CONTEXT_6, START_5 }, 1, 5 },
};

TEST_ROWS(context, contexts, row)
{
	const struct hs_et_config c = { .size = sizeof c, .dialect = HS_ET_DIALECT_REFERENCE,
		                        .context = 1, .context_width = 8 };
	uint64_t last = 0;
	struct hs_block out[HS_ET_DECODE_ROOM];
	struct hs_span in = { row->bytes, row->n };
	unsigned seen = 0;
	size_t n;
	struct hs_et_decoder *d = et_decoder(&c, CODE_AT(0x1000, code));

	assert_int_equal(hs_et_decoder_next(d, &in, out, HS_ET_DECODE_ROOM, &n), HS_MORE);
	for (size_t i = 0; i < n; i++) {
		if (out[i].kind != HS_KIND_CONTEXT)
			continue;
		seen++;
		last = out[i].value;
	}
	assert_int_equal(seen, row->contexts);
	assert_int_equal(last, row->last);
}
