/* What a decoder that has to be sure takes for damage, and one that does not have to does not
 * (hs_decoder_options.care, design/resync). */
#include "cases.h"

#include <hartscope/etrace.h>

#include "etrace/et_config.h"
#include "etrace/et_reader.h"
#include "unit/decoders.h"

/* 0x1000 c.jr ra (ISA manual) */
static const uint8_t code[] = { 0x82, 0x80 };

/* Format 3 subformat 0, branch 1, privilege 3 of 3 bits, address 0x1000 (ET Format 3 subformat 0):
 * 73 00 08.  REFERENCE: a byte of length and type 2 (bits 5 and 6) before it.  STANDARD: a header,
 * srcID 5 of 4 bits, type 2, and the payload from bit 6 on (EE Header). */
#define START 0x43, 0x73, 0x00, 0x08
#define STANDARD_START 0x04, 0xe5, 0x1c, 0x00, 0x02
#define TIMED_START 0x84, 0xe5, 0x1c, 0x00, 0x02
/* Format 3 subformat 3, ienable 1; then ioptions, whose bit 2 is HS_ET_FULL_ADDRESS. */
#define SUPPORT 0x41, 0x1f
#define SUPPORT_FULL 0x42, 0x1f, 0x04

static const struct row {
	const char *name;
	unsigned errors;      /* with all care; without care there are none */
	unsigned sure;        /* the same without HS_ET_CARE_OPTIONS */
	unsigned options;     /* at its end, with all care */
	uint8_t standard, tstamp_bytes, n, bytes[20];
} rows[] = {
	{ "starts", 0, 0, 0, 0, 0, 8, { START, START } },
	{ "a type that no parameter names", 1, 1, 0, 0, 0, 6, { START, 0x21, 0xff } },
	{ "data trace that the caller did not announce", 1, 1, 0, 0, 0, 6, { START, 0x61, 0xff } },
	{ "a time", 0, 0, 0, 1, 1, 11,
	  { STANDARD_START, 0x84, 0x05, 0xe0, 0x1c, 0x00, 0x02 } },
	{ "a time where there are none", 1, 1, 0, 1, 0, 10, { STANDARD_START, TIMED_START } },
	{ "the same options", 0, 0, 0, 0, 0, 8, { SUPPORT, START, SUPPORT } },
	{ "options that the parameters do not have", 1, 0, 0, 0, 0, 7, { START, SUPPORT_FULL } },
	{ "the same twice", 1, 0, HS_ET_FULL_ADDRESS, 0, 0, 10,
	  { START, SUPPORT_FULL, SUPPORT_FULL } },
	{ "the same before the start", 1, 0, HS_ET_FULL_ADDRESS, 0, 0, 10,
	  { SUPPORT_FULL, SUPPORT_FULL, START } },
	{ "other options", 1, 0, 0, 0, 0, 9, { SUPPORT, START, SUPPORT_FULL } },
	{ "other options, and the first ones again", 1, 0, 0, 0, 0, 11,
	  { SUPPORT, START, SUPPORT_FULL, SUPPORT } },
	{ "other options twice", 1, 0, HS_ET_FULL_ADDRESS, 0, 0, 12,
	  { SUPPORT, START, SUPPORT_FULL, SUPPORT_FULL } },
};

static unsigned errors_of(const struct row *row, unsigned care, struct hs_et_decoder *d)
{
	const struct hs_et_config c = { .size = sizeof c,
		                        .dialect = row->standard ? HS_ET_DIALECT_STANDARD
		                                                 : HS_ET_DIALECT_REFERENCE,
		                        .src_bits = row->standard ? 4 : 0,
		                        .tstamp_bytes = row->tstamp_bytes };
	const struct hs_section section = { 0x1000, sizeof code, code };
	const struct hs_image image = { .sections = &section, .count = 1, .isa = { .xlen = 64 } };
	static struct hs_et_source source;
	struct hs_block out[HS_ET_DECODE_ROOM];
	struct hs_span in = { row->bytes, row->n };
	static uint64_t memory[4096]; /* for those who end the stream */
	static struct hs_bb_table table;
	unsigned errors = 0;
	size_t n;

	assert_int_equal(hs_bb_init(&table, &image, memory, 64), HS_OK);
	assert_int_equal(hs_et_decoder_init(d, &c, &table, &source, 1, NULL, 0), HS_OK);
	hs_et_decoder_set(d, &(struct hs_decoder_options){ sizeof(struct hs_decoder_options),
		                                           .care = care });
	for (;;) {
		const enum hs_status s =
			hs_et_decoder_next(d, &in, out, HS_ET_DECODE_ROOM, &n);

		if (s == HS_MORE)
			return errors;
		assert_int_equal(s, HS_E_FIELD);
		assert_true(!n || out[n - 1].kind == HS_KIND_GAP); /* 0: before the start */
		errors++;
	}
}

TEST_ROWS(damage, rows, row)
{
	struct hs_et_decoder d;

	assert_int_equal(errors_of(row, HS_ET_CARE_ALL, &d), row->errors);
	assert_int_equal(d.sources->options, row->options);
	assert_int_equal(errors_of(row, HS_ET_CARE_ALL & ~HS_ET_CARE_OPTIONS, &d), row->sure);
	assert_int_equal(errors_of(row, 0, &d), 0);
}

/* After damage one synchronising packet comes: nothing confirms it, and the end says so, with its
 * offset.  A second one confirms the first. */
TEST(nothing_confirms_the_last_one)
{
	static const struct row once = { "", 1, 1, 0, 0, 0, 10, { START, 0x21, 0xff, START } };
	static const struct row twice = { "", 1, 1, 0, 0, 0, 14,
		                          { START, 0x21, 0xff, START, START } };
	struct hs_block out[HS_ET_DECODE_ROOM];
	struct hs_et_decoder d;
	size_t n;

	assert_int_equal(errors_of(&once, HS_ET_CARE_AGREE | HS_ET_CARE_TYPES, &d), 1);
	assert_int_equal(hs_et_decoder_end(&d, out, HS_ET_DECODE_ROOM, &n), HS_E_LOST);
	assert_int_equal(n, 0);
	assert_int_equal(hs_et_decoder_diag(&d)->reason, HS_REASON_UNCONFIRMED);
	assert_int_equal(hs_et_decoder_diag(&d)->packet.offset, 6);
	assert_int_equal(hs_et_decoder_end(&d, out, HS_ET_DECODE_ROOM, &n), HS_OK);
	assert_int_equal(n, 0);
	assert_int_equal(errors_of(&twice, HS_ET_CARE_AGREE | HS_ET_CARE_TYPES, &d), 1);
	assert_int_equal(hs_et_decoder_end(&d, out, HS_ET_DECODE_ROOM, &n), HS_OK);
	assert_int_equal(n, 1); /* its instruction */
}

/* ---- options that change (design/resync) ----------------------------------------------- */

/* 0x1000 c.nop; c.j 0x1000: between two START there is one block. */
static const uint8_t loop[] = { 0x01, 0x00, 0xfd, 0xbf };

/* As SUPPORT_FULL, qual_status 1 (ended_rep). */
#define SUPPORT_END_FULL 0x42, 0x5f, 0x04
/* The same, qual_status 2 (trace_lost). */
#define SUPPORT_LOST_FULL 0x42, 0x9f, 0x04
/* Format 2, the address 0x1000. */
#define ADDRESS 0x42, 0x02, 0x20

static const struct change {
	const char *name;
	uint8_t options, sync; /* of the parameters */
	uint8_t errors, blocks; /* blocks: that are written */
	uint8_t end; /* options at the end */
	uint8_t n, bytes[40];
} changed[] = {
	{ "options that the parameters do not name", 0, 1, 0, 1, HS_ET_FULL_ADDRESS, 11,
	  { SUPPORT_FULL, START, START } },
	{ "options change", 0, 1, 0, 4, HS_ET_FULL_ADDRESS, 25,
	  { SUPPORT, START, START, SUPPORT_FULL, START, START, START } },
	{ "options change twice", 0, 1, 0, 3, 0, 21,
	  { START, SUPPORT_FULL, START, START, SUPPORT, START } },
	{ "options change, and the encoder is off", 0, 1, 1, 2, HS_ET_FULL_ADDRESS, 29,
	  { SUPPORT, START, 0x42, 0x0f, 0x04, START, START, START, START, START } },
	{ "options change back at once", 0, 1, 0, 2, 0, 17,
	  { START, SUPPORT_FULL, SUPPORT, START, START } },
	{ "other options where the trace ends", 0, 1, 1, 2, 0, 15,
	  { START, SUPPORT_END_FULL, START, START } },
	{ "other options than the parameters name", HS_ET_FULL_ADDRESS, 1, 1, 2, 0, 26,
	  { SUPPORT, START, START, START, START, START, START } },
	{ "those that the parameters name, and others", HS_ET_FULL_ADDRESS, 1, 0, 1, 0, 13,
	  { SUPPORT_FULL, SUPPORT, START, START } },
	{ "other options, and no synchronising packet", HS_ET_FULL_ADDRESS, 1, 1, 1, 0, 25,
	  { SUPPORT, ADDRESS, START, START, START, START, START } },
	{ "options change, and the trace has a loss", 0, 1, 1, 2, HS_ET_FULL_ADDRESS, 18,
	  { START, SUPPORT_FULL, START, SUPPORT_LOST_FULL, START } },
	{ "no synchronising packet after the change", 0, 1, 1, 2, HS_ET_FULL_ADDRESS, 30,
	  { START, SUPPORT_FULL, ADDRESS, START, START, START, START, START } },
	{ "a flow that contradicts the change", 0, 1, 2, 3, 0, 40,
	  { START, SUPPORT_FULL, ADDRESS, START, 0x41, 0x02, START, START, START, START, START,
	    START } },
};

/* One decoder, as the tool has it, with this much memory for its tables. */
static void start_decoder(struct hs_et_decoder *d, const struct hs_et_config *c,
                          struct hs_bb_table *program, struct hs_et_source *sources, size_t count,
                          void *tables, size_t bytes)
{
	assert_int_equal(hs_et_decoder_init(d, c, program, sources, count, tables, bytes), HS_OK);
	const struct hs_decoder_options o = { .size = sizeof o,
		                              .care = HS_ET_CARE_AGREE | HS_ET_CARE_TYPES };

	assert_int_equal(hs_et_decoder_set(d, &o), HS_OK);
}

static void start_loop(struct hs_et_decoder *d, const struct hs_et_config *c,
                       struct hs_et_source *sources, size_t count)
{
	static const struct hs_section section = { 0x1000, sizeof loop, loop };
	static const struct hs_image image = { .sections = &section, .count = 1,
		                               .isa = { .xlen = 64 } };

	start_decoder(d, c, table_of(&image), sources, count, NULL, 0);
}

TEST_ROWS(change, changed, row)
{
	const struct hs_et_config c = { .size = sizeof c, .dialect = HS_ET_DIALECT_REFERENCE,
		                        .options = row->options,
		                        .sync_mode = row->sync ? HS_ET_SYNC_PACKETS
		                                               : HS_ET_SYNC_OFF };
	struct hs_block out[HS_ET_DECODE_ROOM];
	struct hs_span in = { row->bytes, row->n };
	struct hs_et_source source;
	struct hs_et_decoder d;
	unsigned errors = 0, blocks = 0;
	enum hs_status s = HS_OK;
	size_t n;

	start_loop(&d, &c, &source, 1);
	while (s != HS_MORE) {
		s = hs_et_decoder_next(&d, &in, out, HS_ET_DECODE_ROOM, &n);
		errors += s != HS_MORE && s != HS_FULL;
		for (size_t i = 0; i < n; i++)
			blocks += out[i].kind == HS_KIND_BLOCK;
	}
	assert_int_equal(errors, row->errors);
	assert_int_equal(blocks, row->blocks);
	assert_int_equal(source.options, row->end);
}

/* As SUPPORT of 2.1: what the bits from sijump on say (ET Standard Support Packet format): a jump
 * target cache of 2 entries, in use; nothing. */
#define SUPPORT_CACHE 0x46, 0x1f, 0x10, 0x00, 0x00, 0x01, 0x00
#define SUPPORT_NOTHING 0x46, 0x1f, 0x00, 0x00, 0x00, 0x00, 0x00

/* Format 2, the address +0; format 0, index 0 of the cache. */
#define AGAIN 0x41, 0x02
#define INDEX_0 0x41, 0x00

/* A flow that contradicts sizes: those before are back, with tables of these sizes, and packets are
 * read as under them.  The first address is refused, as none that synchronises came after the
 * change; the second is not known.  Until as many packets agree again the change is a rival. */
TEST(a_flow_that_contradicts_sizes)
{
	static const uint8_t bytes[] = { SUPPORT_CACHE, START, START, SUPPORT_NOTHING, ADDRESS,
		                         START, ADDRESS, START, START, START, START, START,
		                         AGAIN, INDEX_0 };
	const struct hs_et_config c = { .size = sizeof c,
		                        .version = HS_ET_2_1,
		                        .dialect = HS_ET_DIALECT_REFERENCE };
	static struct hs_et_source source;
	static uint64_t tables[2];
	struct hs_block out[HS_ET_DECODE_ROOM];
	const size_t after =
		5 * sizeof((uint8_t[]){ START }) + sizeof((uint8_t[]){ AGAIN, INDEX_0 });
	struct hs_span in = { bytes, sizeof bytes - after };
	struct hs_et_decoder d;
	unsigned errors = 0;
	enum hs_status s;
	size_t n;

	start_decoder(&d, &c, table_of(CODE_AT(0x1000, code)), &source, 1, tables, sizeof tables);
	for (unsigned part = 0; part < 2; part++) {
		do {
			s = hs_et_decoder_next(&d, &in, out, HS_ET_DECODE_ROOM, &n);
			errors += s != HS_MORE && s != HS_FULL;
		} while (s != HS_MORE);
		assert_int_equal(source.options & HS_ET_JUMP_TARGET_CACHE, HS_ET_JUMP_TARGET_CACHE);
		assert_int_equal(hs_et_reader_options(&d.reader), source.options);
		if (part == 0)
			assert_int_equal(source.trust.rival, 0);
		in.n = part == 0 ? after : 0;
	}
	assert_int_equal(errors, 2);
	assert_int_equal(source.tables.targets, 2);
	assert_int_equal(source.tables.cache[0], 0x1000 + 1);
}

/* A source that no synchronising packet comes for, among others that are decoded. */
TEST(never_synchronised)
{
	static const uint8_t bytes[] = { STANDARD_START, 0x04, 0xa4, 0x00, 0x08, 0x00,
		                         STANDARD_START };
	const struct hs_et_config c = { .size = sizeof c, .src_bits = 4 };
	struct hs_block out[HS_ET_DECODE_ROOM];
	struct hs_span in = { bytes, sizeof bytes };
	struct hs_et_source sources[2];
	struct hs_et_decoder d;
	size_t n;

	start_loop(&d, &c, sources, 2);
	assert_int_equal(hs_et_decoder_next(&d, &in, out, HS_ET_DECODE_ROOM, &n), HS_MORE);
	assert_int_equal(hs_et_decoder_end(&d, out, HS_ET_DECODE_ROOM, &n), HS_E_LOST);
	assert_int_equal(hs_et_decoder_diag(&d)->reason, HS_REASON_NEVER_SYNCHRONISED);
	assert_int_equal(hs_et_decoder_diag(&d)->packet.offset, sizeof(uint8_t[5]));
	assert_int_equal(hs_et_decoder_diag(&d)->packet.src, 4);
	assert_int_equal(hs_et_decoder_end(&d, out, HS_ET_DECODE_ROOM, &n), HS_OK);
}
