/* A trace of E-Trace 2.1 that nothing describes: its first packet says what it is
 * (design/et-standard). */
#include "cases.h"

#include <hartscope/etrace.h>

#include "etrace/et_standard.h"
#include "unit/et_support.h"

/* The encapsulation: length, type 2 of 2 bits; support; synchronisation at 0x1000. */
static size_t put_encap(uint8_t *out, unsigned qual, uint64_t said)
{
	uint64_t v = 2u | 0xfu << 2 | 1u << 6 | (uint64_t)qual << 9 | said << 11;
	/* 2, format 3, subformat 0, branch 1, privilege 3 (3 bits), address from bit 10 */
	static const uint8_t sync[] = { 0x04, 0xce, 0x01, 0x20, 0x00 };

	out[0] = 6;
	for (unsigned i = 0; i < 6; i++, v >>= 8)
		out[1 + i] = (uint8_t)v;
	memcpy(out + 7, sync, sizeof sync);
	return 7 + sizeof sync;
}

static const struct beginning {
	const char *name;
	uint64_t said;
	unsigned qual;
	bool want, may_be;
} beginnings[] = {
	{ "nothing is on, as 2.0 says it", 0, 0, false, false },
	{ "a predictor of 16", BRANCH_PREDICTOR | BPRED(4), 0, true, true },
	{ "resync_disabled", RESYNC_DISABLED, 0, true, true },
	{ "time of 16 bits", TIME(1), 0, true, true },
	{ "time of 64 bits", TIME(4), 0, true, true },
	{ "a subformat of 2 bits", F0S(2), 0, true, true },
	{ "a subformat of 1 bit", F0S(1), 0, true, true },
	{ "full addresses", FULL_IADDRESS, 0, true, true },
	{ "irets", IRET_EXT, 0, true, true },
	/* 2.0 says implicit-return, or full-address, with the same bytes */
	{ "sijump, and nothing that 2.0 cannot say", SIJUMP, 0, false, true },
	{ "implicit exceptions", IMPLICIT_EXCEPT, 0, false, true },
	{ "a predictor without a size", BRANCH_PREDICTOR | CACHE(1), 0, false, false },
	{ "packets were lost", BPRED(4), 2, false, false },
};

TEST_ROWS(a_trace_that_says_what_it_is, beginnings, row)
{
	uint8_t bytes[32];
	const struct hs_span in = { bytes, put_encap(bytes, row->qual, row->said) };
	struct hs_et_config c;
	uint32_t word;

	assert_int_equal(hs_et_recognise(&in, true, &c, &word), row->may_be);
	assert_int_equal(hs_et_recognise(&in, false, &c, &word), row->want);
	if (!row->want)
		return;
	assert_int_equal(c.version, HS_ET_2_1);
	hs_et_standard_config(&c, word);
	assert_int_equal(c.bpred_size, row->said >> 20 & 7);
	assert_int_equal(c.sync_mode == HS_ET_SYNC_OFF, row->said == RESYNC_DISABLED);
}

/* 2.0 has denable and doptions where 2.1 has full_iaddress and iret_ext. */
TEST(options_that_may_be_of_data_trace)
{
	/* type 3, and a synchronising packet after it */
	static const uint8_t data[] = { 0x01, 0x03, 0x04, 0xce, 0x01, 0x20, 0x00 };
	const uint64_t said[] = { FULL_IADDRESS, IRET_EXT, RESYNC_DISABLED };
	struct hs_et_config c;
	uint32_t word;

	for (unsigned i = 0; i < 3; i++) {
		uint8_t bytes[32];
		struct hs_span in = { bytes, put_encap(bytes, 0, said[i]) };

		assert_true(hs_et_recognise(&in, false, &c, &word));
		in.n += put_bytes(bytes + in.n, data, sizeof data);
		assert_int_equal(hs_et_recognise(&in, false, &c, &word), i == 2);
	}
	uint8_t bytes[32];
	struct hs_span in = { bytes, put_encap(bytes, 0, SIJUMP) };

	in.n += put_bytes(bytes + in.n, data, sizeof data);
	assert_false(hs_et_recognise(&in, false, &c, &word));
}

/* Without a packet that synchronises, or with one that is none, nothing is known. */
TEST(a_support_packet_is_not_enough)
{
	uint8_t bytes[32];
	struct hs_span in = { bytes, put_encap(bytes, 0, BPRED(4)) };
	struct hs_et_config c;
	uint32_t word;

	in.n = 7;
	assert_false(hs_et_recognise(&in, false, &c, &word));
	in.n = 12;
	bytes[8] = 0xc6; /* format 1 in place of 3 */
	assert_false(hs_et_recognise(&in, false, &c, &word));
	in.n = 0;
	assert_false(hs_et_recognise(&in, false, &c, &word));
	in.n = 14; /* two support packets */
	put_encap(bytes, 0, BPRED(4));
	memcpy(bytes + 7, bytes, 7);
	assert_false(hs_et_recognise(&in, false, &c, &word));
}

/* A difference to an address that nothing gave: type 2, format 2, address +2 half-words. */
TEST(an_address_before_the_first_synchronisation)
{
	static const uint8_t address[] = { 0x02, 0x2a, 0x00 };
	uint8_t bytes[32];
	struct hs_span in = { bytes, put_encap(bytes, 0, BPRED(4)) };
	struct hs_et_config c;
	uint32_t word;

	memmove(bytes + 7 + sizeof address, bytes + 7, in.n - 7);
	put_bytes(bytes + 7, address, sizeof address);
	in.n += sizeof address;
	assert_false(hs_et_recognise(&in, false, &c, &word));
}

/* A trace may begin with the first instruction of a handler: type 2, format 3, subformat 1, branch
 * 1, privilege 3, ecause 2 (6 bits), interrupt 0, thaddr 1, address 0x800 from bit 18, tval 0. */
TEST(a_trace_that_begins_with_a_trap)
{
	static const uint8_t trap[] = { 0x04, 0xde, 0x09, 0x02, 0x20 };
	uint8_t bytes[32];
	struct hs_span in = { bytes, put_encap(bytes, 0, BPRED(4)) };
	struct hs_et_config c;
	uint32_t word;

	in.n = 7 + put_bytes(bytes + 7, trap, sizeof trap);
	assert_true(hs_et_recognise(&in, false, &c, &word));
}

/* Timestamps that the first packet does not have are not looked for. */
TEST(a_timestamp_that_comes_later)
{
	static const uint8_t timed[] = { 0x84, 0x05, 0xce, 0x01, 0x20, 0x00 };
	uint8_t bytes[32];
	struct hs_span in = { bytes, put_encap(bytes, 0, BPRED(4)) };
	struct hs_et_config c;
	uint32_t word;

	assert_true(hs_et_recognise(&in, false, &c, &word));
	in.n += put_bytes(bytes + in.n, timed, sizeof timed);
	assert_false(hs_et_recognise(&in, false, &c, &word));
}

/* Framings of the encapsulation with a predictor of 16: what our encoder writes is recognised. */
static const struct framing {
	const char *name;
	struct hs_et_config c;
	unsigned blocks; /* jumps, of which each is a packet */
	bool want;
} framings[] = {
	{ "standard, 1 jump", C(.bpred_size = 4), 1, true },
	{ "a timestamp of 3 bytes", C(.bpred_size = 4, .tstamp_bytes = 3), 20, true },
	{ "srcID of 4 bits", C(.bpred_size = 4, .src_bits = 4, .src_id = 5), 20, true },
	{ "srcID of 12 bits", C(.bpred_size = 4, .src_bits = 12, .src_id = 5), 20, true },
	/* of 8 packets, 2 are support packets and one synchronises */
	{ "srcID, 7 packets: too little", C(.bpred_size = 4, .src_bits = 4, .src_id = 5), 4,
	  false },
	{ "srcID, 8 packets", C(.bpred_size = 4, .src_bits = 4, .src_id = 5), 5, true },
	{ "srcID, 1 jump: too little", C(.bpred_size = 4, .src_bits = 4, .src_id = 5), 1, false },
	{ "atb", C(.bpred_size = 4, .dialect = HS_ET_DIALECT_ATB), 20, true },
	{ "atb, 1 jump: too little", C(.bpred_size = 4, .dialect = HS_ET_DIALECT_ATB), 1, false },
	{ "encap1", C(.bpred_size = 4, .dialect = HS_ET_DIALECT_ENCAP1), 20, true },
	/* the same bytes as atb with a flow of 2 */
	{ "the reference flow", C(.bpred_size = 4, .dialect = HS_ET_DIALECT_REFERENCE), 20, true },
	/* 16 packets: what the support packet says is of all that come after it */
	{ "times, and three synchronisations",
	  C(.bpred_size = 4, .time = 1, .time_width = 48, .sync_mode = HS_ET_SYNC_PACKETS), 40,
	  true },
	{ "not of the encapsulation", C(.bpred_size = 4, .dialect = HS_ET_DIALECT_NONE), 20,
	  false },
};

TEST_ROWS(framings_that_are_recognised, framings, row)
{
	static struct hs_et_encoder e;
	static uint64_t tables[64];
	static uint8_t bytes[4096];
	struct hs_block jump = { .iretire = 1, .ilast = 1, .itype = HS_ITYPE_JUMP_UNINF };
	struct hs_et_config c;
	struct hs_span in = { bytes, 0 };
	size_t used, n;
	uint32_t word;

	assert_int_equal(hs_et_encoder_init(&e, &row->c, tables, sizeof tables), HS_OK);
	for (unsigned i = 0; i <= row->blocks; i++, in.n += n) {
		jump.iaddr = 0x1000 + 0x1230 * (uint64_t)i;
		assert_int_equal(
			hs_et_encode(&e, &jump, 1, &used, bytes + in.n, sizeof bytes - in.n, &n),
			HS_OK);
	}
	assert_int_equal(hs_et_encode_end(&e, bytes + in.n, sizeof bytes - in.n, &n), HS_OK);
	in.n += n;
	assert_int_equal(hs_et_recognise(&in, false, &c, &word), row->want);
	if (!row->want)
		return;
	assert_int_equal(c.dialect, row->c.dialect == HS_ET_DIALECT_REFERENCE ? HS_ET_DIALECT_ATB
	                                                                      : row->c.dialect);
	assert_int_equal(c.tstamp_bytes, row->c.tstamp_bytes);
	assert_int_equal(c.src_bits, row->c.src_bits);
}

/* Each member of the parameters that a packet says. */
TEST(parameters_of_a_packet)
{
	struct hs_et_config c = C(.time_width = 7);

	/* bits of the word are those of the packet but for the options' (et_support.def) */
	hs_et_standard_config(&c, 0x3fu | 1u << 7 | 3u << 8 | 2u << 11 | 5u << 13 | 10u << 16 |
	                                  6u << 20 | 3u << 23);
	assert_int_equal(c.options, 0x3f);
	assert_int_equal(c.sijump, 1);
	assert_int_equal(c.iret_ext, 1);
	assert_int_equal(c.time, 1);
	assert_int_equal(c.time_width, 48);
	assert_int_equal(c.f0s_width, 2);
	assert_int_equal(c.return_stack_size, 5);
	assert_int_equal(c.call_counter_size, 10);
	assert_int_equal(c.bpred_size, 6);
	assert_int_equal(c.cache_size, 3);
	assert_int_equal(c.sync_mode, HS_ET_SYNC_PACKETS);
	c.sync_mode = HS_ET_SYNC_CYCLES;
	hs_et_standard_config(&c, 0);
	assert_int_equal(c.options | c.iret_ext | c.time | c.f0s_width | c.bpred_size, 0);
	assert_int_equal(c.sijump, 0);
	assert_int_equal(c.time_width, 48); /* there is none: it stays */
	assert_int_equal(c.sync_mode, HS_ET_SYNC_CYCLES);
	hs_et_standard_config(&c, 1u << 6);
	assert_int_equal(c.sync_mode, HS_ET_SYNC_OFF);
}
