/* Packets that do not fit the configuration or the program: the first fault that a decoder
 * reports. */
#include "cases.h"

#include <hartscope/etrace.h>

#include "etrace/et_config.h"
#include "etrace/etrace.h"
#include "little.h"
#include "unit/decoders.h"

/* 0x1000 c.nop, beq a0,a1,+4, c.nop, c.jr ra (ISA manual) */
static const uint8_t code[] = { 0x01, 0x00, 0x63, 0x02, 0xb5, 0x00, 0x01, 0x00, 0x82, 0x80 };

/* Payloads one after the other, of a 64-bit hart without time and context, with an f0s of one bit.
 * START: format 3, subformat 0, branch 1, privilege 0, address 0x1000 (ET Format 3 subformat 0). */
#define START 0x13, 0x00, 0x08, 0, 0, 0, 0, 0, 0

static const struct row {
	const char *name;
	uint8_t options, ecause_width; /* 0: 6 */
	enum hs_status want;
	uint8_t n, bytes[32];
} rows[] = {
	{ "a start alone", 0, 0, HS_MORE, 9, { START } },
	/* format 0, f0s 0, branch_count 0 (31 branches), branch_fmt 0 (ET Format 0 packets) */
	{ "a count without branch prediction", HS_ET_JUMP_TARGET_CACHE, 0, HS_E_FLOW, 14,
	  { START, 0, 0, 0, 0, 0 } },
	/* the program returns before the second branch */
	{ "a count of branches that are not there", HS_ET_BRANCH_PREDICTION, 0, HS_E_FLOW, 14,
	  { START, 0, 0, 0, 0, 0 } },
	/* branch_fmt 1 is reserved */
	{ "a reserved branch_fmt", HS_ET_BRANCH_PREDICTION, 0, HS_E_FIELD, 14,
	  { START, 0, 0, 0, 0, 0x08 } },
	/* format 0, f0s 1, index 0 of 4 bits, branches 0, irreport and irdepth as the bit before */
	{ "an index of nothing", HS_ET_JUMP_TARGET_CACHE, 0, HS_E_FLOW, 11, { START, 0x04, 0x00 } },
	/* format 3, subformat 1, branch 1, privilege 0, ecause of 33 bits, interrupt 0, thaddr 1,
	 * address 0x1000, tval 0: 170 bits (ET Format 3 subformat 1) */
	{ "ecause of 32 bits", 0, 33, HS_MORE, 31,
	  { START, 0x17, 0xff, 0xff, 0xff, 0xff, 0x04, 0x40 } },
	{ "ecause of 33 bits", 0, 33, HS_E_UNSUPPORTED, 31,
	  { START, 0x17, 0x07, 0, 0, 0, 0x05, 0x40 } },
};

TEST_ROWS(first_fault, rows, row)
{
	struct hs_block out[HS_ET_DECODE_ROOM];
	struct hs_et_config c;
	struct hs_span in = { row->bytes, row->n };
	size_t n;

	c = (struct hs_et_config){ .size = sizeof c, .version = HS_ET_2_0 };
	c.dialect = HS_ET_DIALECT_NONE;
	c.f0s_width = 1;
	c.bpred_size = 4;
	c.cache_size = 4;
	c.ecause_width = row->ecause_width;
	c.options = row->options;
	struct hs_et_decoder *d = et_decoder(&c, CODE_AT(0x1000, code));
	const enum hs_status s = hs_et_decoder_next(d, &in, out, HS_ET_DECODE_ROOM, &n);

	assert_string_equal(hs_status_name(s), hs_status_name(row->want));
	if (s == HS_MORE)
		return;
	assert_int_equal(hs_et_decoder_diag(d)->packet.offset, 9);
	if (row->ecause_width) /* a packet of format 3: the flow continues at its address */
		assert_int_equal(out[--n].kind, HS_KIND_SYNC);
	assert_int_equal(out[n - 1].kind, HS_KIND_GAP);
	assert_int_equal(out[n - 1].arg, row->want);
}

/* ---- packets of the reference flow's framing ------------------------------------------ */

/* A byte with the length and type 2, then START without the bytes that repeat its sign. */
#define FRAMED_START 0x43, 0x13, 0x00, 0x08

static const struct framed {
	const char *name;
	uint8_t version;
	enum hs_status want;
	unsigned bit;        /* at fault */
	const char *clause;
	uint8_t n, bytes[16]; /* after a START; another one follows a fault */
} framed[] = {
	/* type 3, and 0 (ET Data trace packets) */
	{ "data trace is skipped", HS_ET_2_0, HS_MORE, 0, NULL, 2, { 0x61, 0xaa } },
	{ "null type is skipped", HS_ET_2_0, HS_MORE, 0, NULL, 3, { 0x02, 0xff, 0xff } },
	/* format 2 has 2 + 63 + 3 bits; bit 72 is not the one before */
	{ "bits behind the last field", HS_ET_2_0, HS_E_FIELD, 68, "ET Packets", 11,
	  { 0x4a, 0x06, 0, 0, 0, 0, 0, 0, 0, 0, 0x01 } },
	/* format 1, branches 3, map 7, address 1: one branch, then a return to where one more may
	 * be */
	{ "more branches than the way has", HS_ET_2_0, HS_E_HIST, 76,
	  "ET Decoder unprocessed_branches", 3,
	  { 0x42, 0x8d, 0x07 } },
	/* format 2, address 0x80: the branch on the way has no bit */
	{ "fewer branches than the way has", HS_ET_2_0, HS_E_HIST, 68, "ET Decoder is_taken_branch",
	  3,
	  { 0x42, 0x02, 0x02 } },
	/* format 3, subformat 0, address 0x4000 */
	{ "a place without code", HS_ET_2_0, HS_E_HIST, 71, "ET Decoder is_taken_branch", 4,
	  { 0x43, 0x13, 0x00, 0x20 } },
	/* format 3, subformat 3, qual_status 2 */
	{ "packets were lost", HS_ET_2_0, HS_E_LOST, 13, "ET Format 3 subformat 3 qual_status", 3,
	  { 0x42, 0x9f, 0x00 } },
	/* te_support: enable 1, qual_status 2 (bits 15 and 16), which is reserved (PT Table 6.4) */
	{ "0.026: qual_status 2", HS_ET_0_026, HS_E_LOST, 17, "ET Format 3 subformat 3 qual_status",
	  4, { 0x03, 0xd0, 0x10, 0xff } },
	{ "0.026: subformat 3 is reserved", HS_ET_0_026, HS_E_FIELD, 2, "PT 6", 2, { 0x41, 0x0f } },
	{ "0.026: data trace is skipped", HS_ET_0_026, HS_MORE, 0, NULL, 2, { 0x61, 0xaa } },
};

static size_t put_bytes(uint8_t *to, size_t n, const uint8_t *bytes, size_t count)
{
	memcpy(to + n, bytes, count);
	return n + count;
}

/* The fault says where; from the next synchronising packet on decoding goes on. */
TEST_ROWS(goes_on, framed, row)
{
	static const uint8_t start[] = { FRAMED_START };
	uint8_t bytes[32];
	struct hs_block out[HS_ET_DECODE_ROOM];
	struct hs_et_config c;
	size_t n, left = put_bytes(bytes, 0, start, sizeof start);

	left = put_bytes(bytes, left, row->bytes, row->n);
	if (row->want != HS_MORE)
		left = put_bytes(bytes, left, start, sizeof start);
	struct hs_span in = { bytes, left };

	c = (struct hs_et_config){ .size = sizeof c, .version = row->version };
	c.dialect = HS_ET_DIALECT_REFERENCE;
	c.notval = row->version == HS_ET_0_026;
	struct hs_et_decoder *d = et_decoder(&c, CODE_AT(0x1000, code));
	enum hs_status s = hs_et_decoder_next(d, &in, out, HS_ET_DECODE_ROOM, &n);

	assert_string_equal(hs_status_name(s), hs_status_name(row->want));
	if (s == HS_MORE) {
		assert_int_equal(hs_et_decoder_stats(d)->packets[HS_ET_FORM_OTHER], 1);
		return;
	}
	assert_int_equal(hs_et_decoder_diag(d)->packet.offset, 4);
	assert_int_equal(hs_et_decoder_diag(d)->packet.bits, row->bit);
	assert_string_equal(hs_et_decoder_diag(d)->clause, row->clause);
	s = hs_et_decoder_next(d, &in, out, HS_ET_DECODE_ROOM, &n);
	assert_int_equal(s, HS_MORE);
	assert_int_equal(in.n, 0);
	assert_int_equal(hs_et_decoder_end(d, out, HS_ET_DECODE_ROOM, &n), HS_OK);
	assert_int_equal(out[n - 1].kind, HS_KIND_BLOCK);
	assert_true(out[n - 1].iaddr == 0x1000);
}

/* ---- 0.026: an encoder that is disabled ------------------------------------------------- */

/* te_support (PT Table 6.4) with qual_status 0, no change; ended: with 1, ended_rep. */
#define ENABLED 0x02, 0xd0, 0x10
#define DISABLED 0x02, 0xd0, 0x00
#define ENDED 0x03, 0xd0, 0x90, 0x00

/* Two such packets in a row report a loss (design/et-draft); the text has no other word for it. */
static const struct pause {
	const char *name;
	unsigned losses, offset; /* of the last one */
	uint8_t n, bytes[32];
} pauses[] = {
	{ "disabled", 0, 0, 7, { FRAMED_START, DISABLED } },
	{ "disabled twice", 1, 7, 10, { FRAMED_START, DISABLED, DISABLED } },
	{ "disabled twice, then enabled", 1, 7, 17,
	  { FRAMED_START, DISABLED, DISABLED, ENABLED, FRAMED_START } },
	{ "enabled twice", 0, 0, 10, { FRAMED_START, ENABLED, ENABLED } },
	{ "disabled, enabled, disabled", 0, 0, 13, { FRAMED_START, DISABLED, ENABLED, DISABLED } },
	{ "disabled, started, disabled", 0, 0, 18,
	  { FRAMED_START, ENDED, DISABLED, FRAMED_START, DISABLED } },
	{ "disabled twice while off", 1, 11, 14, { FRAMED_START, ENDED, DISABLED, DISABLED } },
	{ "disabled before the first packet", 1, 3, 6, { DISABLED, DISABLED } },
	{ "disabled three times", 1, 7, 13, { FRAMED_START, DISABLED, DISABLED, DISABLED } },
	{ "disabled four times", 2, 13, 16,
	  { FRAMED_START, DISABLED, DISABLED, DISABLED, DISABLED } },
};

TEST_ROWS(loses, pauses, row)
{
	const struct hs_et_config c = { .size = sizeof c, .version = HS_ET_0_026, .notval = 1,
		                        .dialect = HS_ET_DIALECT_REFERENCE };
	struct hs_block out[HS_ET_DECODE_ROOM];
	struct hs_span in = { row->bytes, row->n };
	unsigned losses = 0, gaps = 0;
	enum hs_status s;
	size_t n;
	struct hs_et_decoder *d = et_decoder(&c, CODE_AT(0x1000, code));

	do {
		s = hs_et_decoder_next(d, &in, out, HS_ET_DECODE_ROOM, &n);
		for (size_t i = 0; i < n; i++)
			gaps += out[i].kind == HS_KIND_GAP && out[i].arg == HS_E_LOST;
		losses += s == HS_E_LOST;
		if (s == HS_E_LOST && losses == row->losses)
			assert_int_equal(hs_et_decoder_diag(d)->packet.offset, row->offset);
	} while (s == HS_E_LOST);
	assert_int_equal(s, HS_MORE);
	assert_int_equal(losses, row->losses);
	assert_int_equal(gaps, row->losses);
}

/* ---- a circle ---------------------------------------------------------------------------- */

/* Blocks before the circle is reported, with so much room in each call. */
static size_t circle(const struct hs_image *image, size_t room)
{
	/* START, then format 1 with a full map: 31 branches taken (ET Format 1 packets) */
	static const uint8_t bytes[] = { START, 1, 0, 0, 0, 0 };
	struct hs_block out[3 * HS_ET_DECODE_ROOM];
	struct hs_et_config c;
	struct hs_span in = { bytes, sizeof bytes };
	size_t n, blocks = 0;
	enum hs_status s;

	c = (struct hs_et_config){ .size = sizeof c, .version = HS_ET_2_0 };
	c.dialect = HS_ET_DIALECT_NONE;
	c.f0s_width = 1;
	struct hs_et_decoder *d = et_decoder(&c, image);

	do {
		s = hs_et_decoder_next(d, &in, out, room, &n);
		for (size_t i = 0; i < n; i++)
			blocks += out[i].kind == HS_KIND_BLOCK;
	} while (s == HS_FULL);
	assert_string_equal(hs_status_name(s), hs_status_name(HS_E_FLOW));
	return blocks;
}

/* 0x1000 beq a0,a1,+4, four c.j +2, c.j -8: what is written before does not depend on where the
 * output was cut. */
TEST(a_circle_however_output_is_cut)
{
	static const uint8_t jumps[] = { 0x63, 0x02, 0xb5, 0x00, 0x09, 0xa0, 0x09, 0xa0, 0x09, 0xa0,
	                                 0x09, 0xa0, 0xe5, 0xbf };
	const struct hs_section section = { 0x1000, sizeof jumps, jumps };
	const struct hs_image image = { .sections = &section, .count = 1, .isa = { .xlen = 64 } };
	const size_t want = circle(&image, 3 * HS_ET_DECODE_ROOM);

	assert_in_range(want, 5, 2 * HS_ET_DECODE_ROOM);
	for (size_t room = HS_ET_DECODE_ROOM; room < 3 * HS_ET_DECODE_ROOM; room++)
		assert_int_equal(circle(&image, room), want);
}

/* The same with 200 jumps, more than the table holds: it ends nevertheless. */
TEST(wide_circle)
{
	static uint16_t jumps[2 + 200 + 1] = { LITTLE16(0x0263), LITTLE16(0x00b5) };
	const struct hs_section section = { 0x1000, sizeof jumps, (const uint8_t *)jumps };
	const struct hs_image image = { .sections = &section, .count = 1, .isa = { .xlen = 64 } };

	for (unsigned i = 2; i < 202; i++)
		jumps[i] = LITTLE16(0xa009); /* c.j +2 */
	jumps[202] = LITTLE16(0xbd85); /* c.j -400 */
	assert_in_range(circle(&image, HS_ET_DECODE_ROOM), 200, 2u << 20);
}

/* 0x1000 c.j 0: START, and the same address once more (format 2, ET Format 2 packets), then the
 * stream ends without a support packet.  Both jumps retired. */
TEST(last_jump_of_a_circle)
{
	static const uint8_t jump[] = { 0x01, 0xa0 };
	static const uint8_t bytes[] = { START, 0x02, 0, 0, 0, 0, 0, 0, 0, 0 };
	static const struct hs_block want = { { 0x1000 }, { 1 }, 1, HS_ITYPE_JUMP_INF, HS_PRIV_U,
	                                      0, 0, HS_KIND_BLOCK };
	const struct hs_et_config c = { .size = sizeof c, .version = HS_ET_2_0,
	                                .dialect = HS_ET_DIALECT_NONE };
	struct hs_block out[HS_ET_DECODE_ROOM];
	struct hs_span in = { bytes, sizeof bytes };
	size_t n;
	struct hs_et_decoder *d = et_decoder(&c, CODE_AT(0x1000, jump));

	assert_int_equal(hs_et_decoder_next(d, &in, out, HS_ET_DECODE_ROOM, &n), HS_MORE);
	assert_int_equal(n, 2);
	assert_int_equal(out[0].kind, HS_KIND_SYNC);
	assert_true(hs_block_equal(&out[1], &want));
	assert_int_equal(hs_et_decoder_end(d, out, HS_ET_DECODE_ROOM, &n), HS_OK);
	assert_int_equal(n, 1);
	assert_true(hs_block_equal(&out[0], &want));
}

/* ---- another privilege ------------------------------------------------------------------- */

/* 0x1000 c.nop; uret: synchronised at 0x1000 in privilege 7, then at 0x1002 in privilege 2 (both
 * reserved, ET Table priv).  "te_inst.privilege == privilege or is_return_from_trap(last_pc)" (ET
 * Decoder): not where the uret is met first, but where it led.  c.nop, uret, uret. */
TEST(reserved_privileges)
{
	static const uint8_t uret[] = { 0x01, 0x00, 0x73, 0x00, 0x20, 0x00 };
	static const uint8_t bytes[] = { 0xf3, 0, 0x08, 0, 0, 0, 0, 0, 0, 0x53, 0x01, 0x08, 0, 0,
	                                 0, 0, 0, 0 };
	const struct hs_et_config c = { .size = sizeof c, .version = HS_ET_2_0,
	                                .dialect = HS_ET_DIALECT_NONE };
	struct hs_block out[2 * HS_ET_DECODE_ROOM];
	struct hs_span in = { bytes, sizeof bytes };
	unsigned hwords = 0;
	size_t n, last;
	struct hs_et_decoder *d = et_decoder(&c, CODE_AT(0x1000, uret));

	assert_int_equal(hs_et_decoder_next(d, &in, out, HS_ET_DECODE_ROOM, &n), HS_MORE);
	assert_int_equal(hs_et_decoder_end(d, out + n, HS_ET_DECODE_ROOM, &last), HS_OK);
	for (size_t i = 0; i < n + last; i++)
		hwords += out[i].kind == HS_KIND_BLOCK ? out[i].iretire : 0;
	assert_int_equal(hwords, 5);
}

/* ---- a pair that synchronisation cuts ----------------------------------------------------- */

/* 0x1000 auipc t1,0; jr 8(t1); c.nop (ISA manual): the second packet names the jump, the third its
 * target. */
TEST(parted_pair)
{
	static const uint8_t pair[] = { 0x17, 0x03, 0x00, 0x00, 0x67, 0x00, 0x83, 0x00, 0x01,
	                                0x00 };
	static const uint8_t bytes[] = { START, 0x13, 0x02, 0x08, 0, 0, 0, 0, 0, 0, 0x13, 0x04,
	                                 0x08, 0, 0, 0, 0, 0, 0 };
	static const struct hs_block want = { { 0x1000 }, { 4 }, 2, HS_ITYPE_JUMP_UNINF, HS_PRIV_U,
	                                      1, 0, HS_KIND_BLOCK };
	struct hs_block out[HS_ET_DECODE_ROOM];
	const struct hs_et_config c = { .size = sizeof c, .version = HS_ET_2_0,
	                                .dialect = HS_ET_DIALECT_NONE };
	struct hs_span in = { bytes, sizeof bytes };
	size_t n;
	struct hs_et_decoder *d = et_decoder(&c, CODE_AT(0x1000, pair));

	assert_int_equal(hs_et_decoder_next(d, &in, out, HS_ET_DECODE_ROOM, &n), HS_MORE);
	assert_int_equal(n, 2);
	assert_int_equal(out[0].kind, HS_KIND_SYNC);
	assert_true(hs_block_equal(&out[1], &want));
}

/* ET Decoder is_sequential_jump: with the option, a decoder that followed to the jump infers its
 * target, 0x1008; one that starts there takes the next address, 0x100a, for it. */
static uint64_t first_after_pair(bool lost)
{
	static const uint8_t pair[] = { 0x17, 0x03, 0x00, 0x00, 0x67, 0x00, 0x83, 0x00, 0x01,
	                                0x00, 0x01, 0x00 };
	static const uint8_t bytes[] = { START, 0x13, 0x02, 0x08, 0, 0, 0, 0, 0, 0, 0x0e, 0, 0, 0,
	                                 0, 0, 0, 0, 0 };
	struct hs_block out[HS_ET_DECODE_ROOM];
	const struct hs_et_config c = { .size = sizeof c, .version = HS_ET_2_0, .sijump = 1,
	                                .options = HS_ET_SIJUMP, .dialect = HS_ET_DIALECT_NONE };
	struct hs_span in = { bytes, sizeof bytes - 18 };
	size_t n;
	struct hs_et_decoder *d = et_decoder(&c, CODE_AT(0x1000, pair));

	assert_int_equal(hs_et_decoder_next(d, &in, out, HS_ET_DECODE_ROOM, &n), HS_MORE);
	if (lost) {
		hs_et_decoder_lose(d);
		assert_int_equal(hs_et_decoder_next(d, &in, out, HS_ET_DECODE_ROOM, &n),
		                 HS_E_LOST);
	}
	in = (struct hs_span){ bytes + sizeof bytes - 18, 18 };
	assert_int_equal(hs_et_decoder_next(d, &in, out, HS_ET_DECODE_ROOM, &n), HS_MORE);
	assert_int_equal(hs_et_decoder_end(d, out, HS_ET_DECODE_ROOM, &n), HS_OK);
	assert_int_equal(n, 1);
	return out[0].iaddr;
}

TEST(pair_that_was_followed)
{
	assert_int_equal(first_after_pair(false), 0x1008);
}

TEST(pair_after_a_loss)
{
	assert_int_equal(first_after_pair(true), 0x100a);
}

/* ---- handlers that the decoder knows ------------------------------------------------------- */

/* Where a handler is by xtvec (the privileged architecture: BASE, MODE 0 direct, 1 vectored, others
 * reserved), in the privilege that the packet has (ET Table priv). */
static const struct handler {
	const char *name;
	uint64_t mtvec, stvec, vstvec;
	uint8_t machine; /* 0: 3 */
	uint8_t privilege, ecause, interrupt;
	uint64_t want; /* 0: not known */
} handlers[] = {
	{ "M-mode, direct", 0x1000, 0, 0, 0, 3, 5, 1, 0x1000 },
	{ "M-mode, vectored: an interrupt", 0x1001, 0, 0, 0, 3, 5, 1, 0x1014 },
	{ "M-mode, vectored: an exception", 0x1001, 0, 0, 0, 3, 5, 0, 0x1000 },
	{ "M-mode, mode 2", 0x1002, 0, 0, 0, 3, 5, 0, 0 },
	{ "M-mode, mode 3", 0x1003, 0, 0, 0, 3, 5, 0, 0 },
	{ "M-mode, not given", 0, 0x1000, 0x1000, 0, 3, 5, 0, 0 },
	{ "M-mode is 7", 0x1000, 0, 0, 7, 7, 5, 0, 0x1000 },
	{ "M-mode is not 7", 0x1000, 0, 0, 0, 7, 5, 0, 0 },
	{ "S-mode", 0x1000, 0x2000, 0x3000, 0, 1, 5, 0, 0x2000 },
	{ "VS-mode", 0x1000, 0x2000, 0x3001, 0, 6, 3, 1, 0x300c },
	{ "U-mode has no handlers", 0x1000, 0x2000, 0x3000, 0, 0, 5, 0, 0 },
};

/* format 3, subformat 1, branch 1, privilege; ecause of 6 bits, interrupt, thaddr 1; tval 0, and no
 * address (ET Format 3 subformat 1, Implicit exception mode). */
TEST_ROWS(known_handler, handlers, h)
{
	const uint8_t bytes[10] = { (uint8_t)(0x17 | h->privilege << 5),
		                    (uint8_t)(0x80 | h->interrupt << 6 | h->ecause) };
	struct hs_et_config c = { .size = sizeof c, .dialect = HS_ET_DIALECT_NONE,
		                  .options = HS_ET_IMPLICIT_EXCEPT };
	struct hs_block out[HS_ET_DECODE_ROOM];
	struct hs_span in = { bytes, sizeof bytes };
	size_t n;

	c.mtvec = h->mtvec;
	c.stvec = h->stvec;
	c.vstvec = h->vstvec;
	if (h->machine) {
		c.layout.given = 1u << HS_ET_LAYOUT_MACHINE;
		c.layout.machine = h->machine;
	}
	struct hs_et_decoder *d = et_decoder(&c, CODE_AT(0x1000, code));

	hs_et_decoder_next(d, &in, out, HS_ET_DECODE_ROOM, &n);
	if (h->want == 0) {
		assert_int_equal(hs_et_decoder_diag(d)->reason, HS_REASON_NO_HANDLER);
		return;
	}
	assert_int_equal(out[0].kind, HS_KIND_SYNC);
	assert_int_equal(out[0].itype, 5);
	assert_int_equal(out[0].arg, 0);
	assert_true(out[0].value == h->want);
	assert_int_equal(out[1].kind, HS_KIND_TRAP);
	assert_int_equal(out[1].arg, h->ecause);
}
