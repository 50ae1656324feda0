/* Packets with notify: an event where a trigger may have asked for it, and none where our encoder
 * sets notify to say how often a loop ran or which return is meant (design/et-encoder). */
#include "cases.h"

#include <hartscope/etrace.h>

#include "etrace/et_config.h"
#include "etrace/etrace.h"
#include "little.h"
#include "unit/decoders.h"

/* From 0x1000: addi; j 100c; nop; addi; beqz 1018; addi; jal ra, 1020; nop; j 1000; ret */
static const uint32_t code[] = {
	LITTLE32(0x00150513), LITTLE32(0x0080006f), LITTLE32(0x00000013), LITTLE32(0x00250513),
	LITTLE32(0x00050463), LITTLE32(0x00350513), LITTLE32(0x008000ef), LITTLE32(0x00000013),
	LITTLE32(0xfe1ff06f), LITTLE32(0x00008067)
};

/* The reference flow: length, type 2.  Format 3 subformat 0, branch 1, privilege 3 (2 bits), then
 * the address in half-words from bit 7. */
#define START_1000 0x43, 0x73, 0x00, 0x04
#define START_1014 0x43, 0x73, 0x05, 0x04
#define START_101C 0x43, 0x73, 0x07, 0x04
/* Format 2, a difference (31 bits) of 2 or 6 half-words, then notify: it, updiscon and irreport
 * are 1 where the address ends in 0, and so is what is left (ET Format 2 notify). */
#define NOTIFY_2 0x45, 0x0a, 0x00, 0x00, 0x00, 0xfe
#define NOTIFY_6 0x45, 0x1a, 0x00, 0x00, 0x00, 0xfe
/* Format 1: 1 branch, not taken, a difference of 8 half-words, notify. */
#define NOTIFY_BRANCH 0x45, 0x85, 0x08, 0x00, 0x00, 0x80

enum { BY_PLACE, PLAIN_LOOPS, STRICT };

static const struct row {
	const char *name;
	uint8_t mode, returns;
	uint64_t want; /* address of the event, 0: none */
	uint8_t n, bytes[12];
} rows[] = {
	{ "an instruction in order", BY_PLACE, 0, 0x100c, 10, { START_1000, NOTIFY_6 } },
	{ "a jump forwards", BY_PLACE, 0, 0x1004, 10, { START_1000, NOTIFY_2 } },
	{ "a branch", BY_PLACE, 0, 0x1010, 10, { START_1000, NOTIFY_BRANCH } },
	{ "a call forwards", BY_PLACE, 0, 0x1018, 10, { START_1014, NOTIFY_2 } },
	{ "a jump back", BY_PLACE, 0, 0, 10, { START_101C, NOTIFY_2 } },
	{ "a jump back, plain loops", PLAIN_LOOPS, 0, 0x1020, 10, { START_101C, NOTIFY_2 } },
	{ "a jump back, strict", STRICT, 0, 0x1020, 10, { START_101C, NOTIFY_2 } },
	{ "a call, implicit return", BY_PLACE, 1, 0, 10, { START_1014, NOTIFY_2 } },
	{ "a call, implicit return, plain loops", PLAIN_LOOPS, 1, 0, 10,
	  { START_1014, NOTIFY_2 } },
	{ "a call, implicit return, strict", STRICT, 1, 0x1018, 10, { START_1014, NOTIFY_2 } },
	{ "no notify", STRICT, 0, 0, 6, { START_1000, 0x41, 0x1a } },
};

static struct hs_et_config config_of(const struct row *r)
{
	return (struct hs_et_config){ .size = sizeof(struct hs_et_config),
		                      .dialect = HS_ET_DIALECT_REFERENCE,
		                      .iaddress_width = 32, .privilege_width = 2,
		                      .plain_loops = r->mode == PLAIN_LOOPS,
		                      .strict = r->mode == STRICT,
		                      .call_counter_size = r->returns ? 3 : 0,
		                      .options = r->returns ? HS_ET_IMPLICIT_RETURN : 0 };
}

/* @return The address of the event after the start, 0: there is none. */
static uint64_t decode(const struct hs_et_config *c, struct hs_span in)
{
	const struct hs_section section = { 0x1000, sizeof code, (const uint8_t *)code };
	const struct hs_image image = { .sections = &section, .count = 1, .isa = { .xlen = 32 } };
	struct hs_block out[3 * HS_ET_DECODE_ROOM];
	size_t n, end;
	uint64_t found = 0;
	struct hs_et_decoder *d = et_decoder(c, &image);

	assert_int_equal(hs_et_decoder_next(d, &in, out, 2 * HS_ET_DECODE_ROOM, &n), HS_MORE);
	assert_int_equal(hs_et_decoder_end(d, out + n, HS_ET_DECODE_ROOM, &end), HS_OK);
	assert_int_equal(hs_et_decoder_stats(d)->errors, 0);
	for (size_t i = 0; i < n + end; i++) {
		if (out[i].kind != HS_KIND_SYNC || out[i].itype != 6)
			continue;
		assert_int_equal(found, 0);
		assert_int_equal(out[i].arg, 0);
		found = out[i].value;
	}
	return found;
}

TEST_ROWS(received, rows, r)
{
	const struct hs_et_config c = config_of(r);

	assert_int_equal(decode(&c, (struct hs_span){ r->bytes, r->n }), r->want);
}

/* What asks our strict encoder for a report comes back, at each instruction of a block: 1000, the
 * jump at 1004 and its target 100c. */
TEST(there_and_back)
{
	static const struct hs_block blocks[] = {
		{ .iaddr = 0x1000, .iretire = 2, .ilast = 2, .priv = HS_PRIV_M },
		{ .iaddr = 0x1004, .iretire = 2, .ilast = 2, .itype = HS_ITYPE_JUMP_INF,
		  .priv = HS_PRIV_M },
		{ .iaddr = 0x100c, .iretire = 2, .ilast = 2, .priv = HS_PRIV_M },
	};
	const struct row strict = { .mode = STRICT };
	const struct hs_et_config c = config_of(&strict);

	for (size_t at = 1; at < 3; at++) {
		struct hs_block in[4] = { { .kind = HS_KIND_SYNC, .itype = 6 } };
		struct hs_et_encoder *e = &(struct hs_et_encoder){ 0 };
		uint8_t out[5 * HS_ET_ENCODE_ROOM];
		size_t used, n, end;

		for (size_t i = 0; i < 3; i++)
			in[i < at ? i : i + 1] = blocks[i];
		in[at] = (struct hs_block){ .kind = HS_KIND_SYNC, .itype = 6 };
		assert_int_equal(hs_et_encoder_init(e, &c, NULL, 0), HS_OK);
		assert_int_equal(hs_et_encode(e, in, 4, &used, out, 4 * HS_ET_ENCODE_ROOM, &n),
		                 HS_OK);
		assert_int_equal(hs_et_encode_end(e, out + n, HS_ET_ENCODE_ROOM, &end), HS_OK);
		assert_int_equal(decode(&c, (struct hs_span){ out, n + end }), blocks[at].iaddr);
	}
}
