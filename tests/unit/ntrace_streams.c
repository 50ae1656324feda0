/* What a decoder keeps from one message to the next, and when it forgets it: repeats, several
 * sources, code that is not known, times, streams after their end. */
#include "cases.h"

#include "ntrace/ntrace.h"
#include "unit/ntrace_run.h"

#define HART(n)   { { 0 }, { (n) }, 0, 0, 0, 0, 0, HS_KIND_HART }
#define OPEN(a, n) B(a, n, 2, 0)
/* Messages with SRC: 6 bits of it, so that it has a byte of its own. */
#define SYNC_100_OF(src) 0x24, (src) << 2, 0x15, 0x00, 0x0b
#define SYNC_200_OF(src) 0x24, (src) << 2, 0x15, 0x00, 0x13
/* IndirectBranchHistSync SYNC=2 I-CNT=1 F-ADDR=HIGH02 HIST empty, on the way */
#define MARK_OF(src, high) 0x74, (src) << 2, 0x08, 0x05, 0x04, (high) << 2 | 1, 0x07
/* An interrupt at 100 to 400, where nobody knows code, another to 320 after two half-words. */
#define TO_400       0x10, 0x0d, 0x00, 0x2b
#define FROM_400_320 0x10, 0x2d, 0x40, 0x3b
/* Ownership: scontext 7 in U-mode */
#define OWNER_7 0x08, 0x88, 0x0f

/* 100 j 100 */
static const uint8_t here_100[] = { 0x6f, 0x00, 0x00, 0x00 };
static const struct hs_section here_sections[] = { { 0x100, sizeof here_100, here_100 } };
static const struct hs_image here = { here_sections, 1, { .xlen = 64 }, 0 };

static const struct stream_row {
	const char *name;
	const struct hs_image *program, *of_7; /* of scontext 7; NULL: contexts have no program */
	struct hs_nt_config c;
	unsigned sources;
	enum hs_reason reason; /* of the first fault, and its place */
	uint64_t pc;
	struct hs_block items[16];
	uint8_t n, bytes[40];
} streams[] = {
	/* NT 9.1: the option says that the jump of a pair is left out */
	{ "a pair without the option", &calls, NULL, { 0 }, 1, HS_REASON_ICNT_PAST_JUMP, 0x308,
	  { SYNC(5, 0x300), B(0x300, 4, 2, 0), GAP(4, HS_E_ICNT) },
	  8, { 0x24, 0x15, 0x00, 0x1b, 0x84, 0x40, 0x19, 0x07 } },
	{ "a pair without it, other options on", &calls, NULL,
	  { .implicit_return = 3, .all_jumps = 1 }, 1, HS_REASON_ICNT_PAST_JUMP, 0x308,
	  { SYNC(5, 0x300), B(0x300, 4, 2, 0), GAP(4, HS_E_ICNT) },
	  8, { 0x24, 0x15, 0x00, 0x1b, 0x84, 0x40, 0x19, 0x07 } },
	/* DirectBranchSync SYNC=2 I-CNT=6 F-ADDR=82: a synchronisation may come anywhere */
	{ "a synchronisation after a return as predicted", &calls, NULL,
	  { .inst_mode = HS_NT_BTM, .implicit_return = 3 }, 1, HS_REASON_NONE, 0,
	  { S100, B(0x100, 2, 2, 9), B(0x200, 4, 2, 13), OPEN(0x104, 2), STOP(0) },
	  12, { SYNC_100, 0x2c, 0x88, 0x05, 0x08, 0x0b, 0x84, 0x00, 0x0b } },
	/* NT 7.11: three times, of which the first fails */
	{ "repeats end with a fault", &calls, NULL, { .inst_mode = HS_NT_BTM }, 1,
	  HS_REASON_ICNT_PAST_JUMP, 0x330,
	  { SYNC(5, 0x320), B(0x320, 4, 2, 5), OPEN(0x32c, 2), GAP(6, HS_E_ICNT), S100,
	    B(0x100, 2, 2, 9), STOP(0) },
	  15, { 0x24, 0x15, 0x40, 0x1b, 0x0c, 0x13, 0x78, 0x0f, SYNC_100, 0x84, 0x00, 0x0b } },
	{ "a fault ends what RepeatBranch may repeat", &loop, NULL, { .inst_mode = HS_NT_BTM }, 1,
	  HS_REASON_NO_REPEAT, 0x100,
	  { S100, B(0x100, 2, 2, 5), S100, GAP(10, HS_E_FLOW) },
	  12, { SYNC_100, 0x0c, 0x0b, SYNC_100, 0x78, 0x07 } },
	/* design/nt-vendor: the address before a fault is none to differ from */
	{ "an address after a fault", &two_branches, NULL,
	  { .dialect = HS_NT_DIALECT_SIFIVE, .inst_mode = HS_NT_BTM }, 1,
	  HS_REASON_ICNT_NOT_BRANCH, 0x102, { S100, B(0x100, 1, 1, 0), GAP(4, HS_E_ICNT) },
	  9, { SYNC_100, 0x0c, 0x07, 0x88, 0x38, 0x0f } },
	/* what is open of each source is its own */
	{ "two sources end", &two_branches, NULL, { .src_bits = 6 }, 2, HS_REASON_NONE, 0,
	  { HART(0), S100, HART(1), S200, HART(0), HART(1), HART(0), B(0x100, 1, 1, 0), HART(1),
	    B(0x200, 1, 1, 0) },
	  24, { SYNC_100_OF(0), SYNC_200_OF(1), MARK_OF(0, 2), MARK_OF(1, 4) } },
	{ "two sources end, and one has a count that waits", &two_branches, NULL, { .src_bits = 6 },
	  2, HS_REASON_NONE, 0,
	  { HART(0), S100, HART(1), S200, HART(0), HART(1), HART(0), B(0x100, 1, 1, 0), HART(1),
	    B(0x200, 1, 1, 0) },
	  16, { SYNC_100_OF(0), SYNC_200_OF(1), 0x6c, 0x00, 0x43, 0x6c, 0x04, 0x43 } },
	{ "one source too many", &two_branches, NULL, { .src_bits = 6 }, 1, HS_REASON_SOURCES, 0,
	  { HART(0), S100 }, 10, { SYNC_100_OF(0), SYNC_200_OF(1) } },
	{ "two sources end, and one has nothing open", &two_branches, NULL, { .src_bits = 6 }, 2,
	  HS_REASON_NONE, 0,
	  { HART(0), S100, HART(1), S200, B(0x200, 1, 1, 0) },
	  17, { SYNC_100_OF(0), SYNC_200_OF(1), MARK_OF(1, 4) } },
	{ "three sources end", &two_branches, NULL, { .src_bits = 6 }, 3, HS_REASON_NONE, 0,
	  { HART(0), S100, HART(1), S200, HART(2), S100, HART(0), HART(1), HART(2),
	    HART(0), B(0x100, 1, 1, 0), HART(1), B(0x200, 1, 1, 0), HART(2), B(0x100, 1, 1, 0) },
	  24, { SYNC_100_OF(0), SYNC_200_OF(1), SYNC_100_OF(2), 0x6c, 0x00, 0x43, 0x6c, 0x04, 0x43,
	        0x6c, 0x08, 0x43 } },
	{ "a count that waits, longer than the room", &here, NULL, { 0 }, 1, HS_REASON_NONE, 0,
	  { S100, B(0x100, 2, 2, 15), B(0x100, 2, 2, 15), B(0x100, 2, 2, 15), B(0x100, 2, 2, 15),
	    B(0x100, 2, 2, 15), B(0x100, 2, 2, 15), B(0x100, 2, 2, 15), B(0x100, 2, 2, 15),
	    B(0x100, 2, 2, 15), B(0x100, 2, 2, 15), B(0x100, 2, 2, 15) },
	  7, { SYNC_100, 0x6c, 0x80, 0x17 } },
	/* NT 8.7: TSTAMP of others counts from one of a synchronising message */
	{ "a time that is not known after a fault", &loop, NULL, { .inst_mode = HS_NT_BTM }, 1,
	  HS_REASON_ICNT_IN_INSN, 0x100,
	  { S100, TIME(5), GAP(5, HS_E_ICNT), S100, B(0x100, 2, 2, 5), STOP(0) },
	  18, { 0x24, 0x15, 0x00, 0x09, 0x17, 0x0c, 0x07, SYNC_100, 0x0c, 0x09, 0x07, 0x84, 0x00,
	        0x01, 0x07 } },
	/* design/unmapped: in code that is not known */
	{ "a context makes the code known at an address", &loop, &calls, { 0 }, 1,
	  HS_REASON_NO_CODE, 0x400,
	  { S100, B(0x100, 0, 0, 2), GAP(8, HS_E_NOCODE), CONTEXT(7, 2, 0), UNSEEN(0x400, 2),
	    IN_MODE(U, 0x320, 4, 2, 5), STOP(0) },
	  21, { SYNC_100, TO_400, FROM_400_320, 0x6c, 0x83, OWNER_7, 0x84, 0x40, 0x09, 0x0f } },
	{ "and not after half-words that retired there", &loop, &calls, { .inst_mode = HS_NT_BTM },
	  1, HS_REASON_NO_CODE, 0x400,
	  { S100, B(0x100, 2, 2, 5), B(0x100, 0, 0, 2), GAP(10, HS_E_NOCODE), CONTEXT(7, 2, 0),
	    UNSEEN(0x400, 4), STOP(0) },
	  26, { SYNC_100, 0x0c, 0x0b, TO_400, FROM_400_320, 0x6c, 0x83, OWNER_7, 0x84, 0x00,
	        0x03, 0x10, 0x0d, 0x40, 0x13 } }, /* and the trace is off */
	{ "a return in known code, and no option to leave it out", &calls, NULL, { 0 }, 1,
	  HS_REASON_NO_CODE, 0x400,
	  { S100, B(0x100, 0, 0, 2), GAP(8, HS_E_NOCODE), UNSEEN(0x400, 2), OPEN(0x200, 4),
	    GAP(12, HS_E_ICNT) },
	  16, { SYNC_100, TO_400, 0x10, 0x2d, 0x00, 0x33, 0x84, 0x40, 0x19, 0x07 } },
	{ "a return in known code of a call that was not seen", &calls, NULL,
	  { .implicit_return = 3 }, 1, HS_REASON_NO_CODE, 0x400,
	  { S100, B(0x100, 0, 0, 2), GAP(8, HS_E_NOCODE), UNSEEN(0x400, 2), B(0x200, 4, 2, 13),
	    GAP(12, HS_E_NOCODE), UNSEEN(0x208, 2), STOP(0) },
	  16, { SYNC_100, TO_400, 0x10, 0x2d, 0x00, 0x33, 0x84, 0x40, 0x19, 0x07 } },
	{ "nor after a branch there", &loop, &calls, { 0 }, 1, HS_REASON_NO_CODE, 0x320,
	  { S100, B(0x100, 0, 0, 2), GAP(8, HS_E_NOCODE), CONTEXT(7, 2, 0), UNSEEN(0x320, 2),
	    STOP(0) },
	  19, { SYNC_100, 0x10, 0x0d, 0x40, 0x13, 0x6c, 0x87, 0x6c, 0x83, OWNER_7, 0x84, 0x40, 0x01,
	        0x07 } },
	/* a return whose call is not known, and one after a synchronisation: no call is */
	{ "a synchronisation ends what was not seen", &calls, NULL, { .implicit_return = 3 }, 1,
	  HS_REASON_NO_CODE, 0x400,
	  { S100, B(0x100, 0, 0, 2), GAP(8, HS_E_NOCODE), UNSEEN(0x400, 2),
	    SYNC(9, 0x200), B(0x200, 4, 2, 0), GAP(12, HS_E_ICNT) },
	  16, { SYNC_100, TO_400, 0x24, 0xa5, 0x00, 0x13, 0x84, 0x40, 0x19, 0x07 } },
	/* design/unmapped: five half-words are proven, three of them by a branch */
	{ "a count that waits, in part used", &two_branches, NULL, { 0 }, 1, HS_REASON_NONE, 0,
	  { S100, B(0x100, 3, 2, 4), OPEN(0x106, 2) },
	  9, { SYNC_100, 0x6c, 0x40, 0x07, 0x6c, 0x87 } },
	{ "a count that waits, past a jump", &calls, NULL, { 0 }, 1, HS_REASON_NONE, 0,
	  { S100, B(0x100, 2, 2, 9), OPEN(0x200, 2) }, 7, { SYNC_100, 0x6c, 0x00, 0x07 } },
	/* NT Table 25: messages were lost before it, so that its I-CNT is not from 0x100 on */
	{ "an overrun, and no Error", &two_branches, NULL, { 0 }, 1, HS_REASON_OVERRUN, 0x100,
	  { S100, GAP(4, HS_E_LOST), SYNC(7, 0x200), B(0x200, 1, 1, 0), STOP(0) },
	  14, { SYNC_100, 0x74, 0x1c, 0x05, 0x00, 0x11, 0x07, 0x84, 0x40, 0x05, 0x07 } },
	/* NT 6.2: once a message had HIST, one without it reports that no branch retired */
	{ "a branch without HIST", &calls, NULL, { 0 }, 1, HS_REASON_HIST_TOO_SHORT, 0x328,
	  { SYNC(5, 0x320), B(0x320, 4, 2, 0), GAP(11, HS_E_HIST) },
	  15, { 0x24, 0x15, 0x40, 0x1b, 0x74, 0x08, 0x01, 0x40, 0x19, 0x07, 0xff, 0x10, 0x81, 0x08,
	        0x13 } },
};

/* The decoder and its sources are in memory that was used before. */
static struct {
	struct hs_nt_decoder d;
	struct hs_nt_source sources[3];
	struct hs_bb_table table, of_7;
	uint64_t memory[2][1024];
	struct hs_block out[32];
	size_t n;
	enum hs_reason reason;
	uint64_t pc;
} t;

static void take_fault(enum hs_status s)
{
	if (s == HS_FULL || s == HS_MORE || s == HS_OK || t.reason != HS_REASON_NONE)
		return;
	t.reason = hs_nt_decoder_diag(&t.d)->reason;
	t.pc = hs_nt_decoder_diag(&t.d)->pc;
}

static void decode_stream(const struct stream_row *row, size_t room)
{
	static const uint64_t seven = 7;
	struct hs_bb_table *const tables[] = { &t.of_7 };
	struct hs_nt_config c = row->c;
	struct hs_span in = { row->bytes, row->n };
	enum hs_status s;
	size_t n;

	c.size = sizeof c;
	t.n = 0;
	t.reason = HS_REASON_NONE;
	t.pc = 0;
	assert_int_equal(hs_bb_init(&t.table, row->program, t.memory[0], 64), HS_OK);
	assert_int_equal(hs_nt_decoder_init(&t.d, &c, &t.table, t.sources, row->sources), HS_OK);
	const struct hs_decoder_options programs = {
		.size = sizeof programs, .count = 1, .tables = tables, .contexts = &seven
	};

	if (row->of_7) {
		assert_int_equal(hs_bb_init(&t.of_7, row->of_7, t.memory[1], 64), HS_OK);
		hs_nt_decoder_set(&t.d, &programs);
	}
	do {
		assert_true(t.n + room <= 32);
		s = hs_nt_decoder_next(&t.d, &in, t.out + t.n, room, &n);
		t.n += n;
		take_fault(s);
	} while (s != HS_MORE);
	do {
		assert_true(t.n + room <= 32);
		s = hs_nt_decoder_end(&t.d, t.out + t.n, room, &n);
		t.n += n;
	} while (s == HS_FULL);
	assert_int_equal(s, HS_OK);
}

static void compare_stream(const struct stream_row *row)
{
	size_t n = 0;

	for (; n < 16 && (row->items[n].value || row->items[n].kind); n++) {
		if (n >= t.n || !hs_block_equal(&row->items[n], &t.out[n]))
			fail_msg("item %zu of %zu: %s %llx+%u itype %u", n, t.n,
			         hs_kind_name(t.out[n].kind), (unsigned long long)t.out[n].value,
			         t.out[n].arg, t.out[n].itype);
	}
	assert_int_equal(t.n, n);
	assert_int_equal(t.reason, row->reason);
	assert_int_equal(t.pc, row->pc);
}

TEST_ROWS(stream, streams, row)
{
	for (size_t room = HS_NT_DECODE_ROOM; room <= 10; room++) {
		decode_stream(row, room);
		compare_stream(row);
	}
}

/* ---- a decoder that is used again ----------------------------------------------------- */

static enum hs_status decode_bytes(const uint8_t *bytes, size_t length)
{
	struct hs_span in = { bytes, length };

	return hs_nt_decoder_next(&t.d, &in, t.out, 32, &t.n);
}

static void start_again(const struct hs_nt_config *c)
{
	assert_int_equal(hs_bb_init(&t.table, &loop, t.memory[0], 64), HS_OK);
	assert_int_equal(hs_nt_decoder_init(&t.d, c, &t.table, t.sources, 1), HS_OK);
}

/* Branches before the first synchronisation are skipped, whatever the memory held before. */
TEST(nothing_is_known_at_first)
{
	static const uint8_t bytes[] = { SYNC_100, 0x0c, 0x0b, 0x0c, 0x0b, 0x0c, 0x0b };
	const struct hs_nt_config c = { .size = sizeof c, .inst_mode = HS_NT_BTM };

	start_again(&c);
	assert_int_equal(decode_bytes(bytes, sizeof bytes), HS_MORE);
	assert_int_equal(t.n, 4);
	start_again(&c);
	assert_int_equal(decode_bytes(bytes + 4, sizeof bytes - 4), HS_MORE);
	assert_int_equal(t.n, 0);
	assert_int_equal(hs_nt_decoder_stats(&t.d)->skipped, 3);
}

/* What was cut off is reported once; another stream may follow. */
TEST(a_stream_after_one_that_was_cut)
{
	static const uint8_t bytes[] = { SYNC_100, 0x0c, 0x0b, 0x84, 0x00, 0x03, 0x24, 0x15 };
	const struct hs_nt_config c = { .size = sizeof c, .inst_mode = HS_NT_BTM };

	start_again(&c);
	for (unsigned i = 0; i < 3; i++) {
		assert_int_equal(decode_bytes(bytes, sizeof bytes), HS_MORE);
		assert_int_equal(t.n, 3);
		assert_int_equal(hs_nt_decoder_end(&t.d, t.out, 32, &t.n), HS_E_TRUNCATED);
		assert_int_equal(hs_nt_decoder_diag(&t.d)->msg.offset, 11 * i + 9);
		assert_int_equal(hs_nt_decoder_end(&t.d, t.out, 32, &t.n), HS_OK);
		assert_int_equal(t.n, 0);
	}
	assert_int_equal(hs_nt_decoder_stats(&t.d)->errors, 3);
}

/* Input that was lost inside a message: the next byte begins one. */
TEST(input_is_lost)
{
	static const uint8_t bytes[] = { SYNC_100, 0x0c, SYNC_100, 0x0c, 0x0b };
	const struct hs_nt_config c = { .size = sizeof c, .inst_mode = HS_NT_BTM };

	start_again(&c);
	assert_int_equal(decode_bytes(bytes, 5), HS_MORE);
	hs_nt_decoder_lose(&t.d);
	assert_int_equal(decode_bytes(bytes + 5, 0), HS_E_LOST);
	assert_int_equal(decode_bytes(bytes + 5, sizeof bytes - 5), HS_MORE);
	assert_int_equal(t.n, 2);
	assert_int_equal(t.out[1].iaddr, 0x100);
}

/* Too little room for a step: nothing is written. */
TEST(too_little_room)
{
	static const uint8_t bytes[] = { SYNC_100 };
	const struct hs_nt_config c = { .size = sizeof c };
	struct hs_span in = { bytes, sizeof bytes };
	size_t n = 9;

	start_again(&c);
	assert_int_equal(hs_nt_decoder_next(&t.d, &in, t.out, HS_NT_DECODE_ROOM - 1, &n),
	                 HS_E_SPACE);
	assert_int_equal(n, 0);
	assert_int_equal(in.n, sizeof bytes);
	n = 9;
	assert_int_equal(hs_nt_decoder_end(&t.d, t.out, HS_NT_DECODE_ROOM - 1, &n), HS_E_SPACE);
	assert_int_equal(n, 0);
}

/* A message of a run of branches has what a message has that was read by itself. */
TEST(the_message_at_fault)
{
	static const uint8_t bytes[] = { SYNC_100, 0x0c, 0x0b, SYNC_100, 0x0c, 0x07 };
	const struct hs_nt_config c = { .size = sizeof c, .inst_mode = HS_NT_BTM };
	struct hs_nt_msg in_run;

	start_again(&c);
	assert_int_equal(decode_bytes(bytes, sizeof bytes), HS_E_ICNT);
	in_run = hs_nt_decoder_diag(&t.d)->msg;
	start_again(&c);
	assert_int_equal(decode_bytes(bytes, sizeof bytes - 1), HS_MORE);
	assert_int_equal(decode_bytes(bytes + sizeof bytes - 1, 1), HS_E_ICNT);
	const struct hs_nt_msg *by_itself = &hs_nt_decoder_diag(&t.d)->msg;

	assert_int_equal(in_run.offset, by_itself->offset);
	assert_int_equal(in_run.length, by_itself->length);
	assert_int_equal(in_run.tcode, by_itself->tcode);
	assert_int_equal(in_run.present, by_itself->present);
	assert_int_equal(in_run.addr_bits, by_itself->addr_bits);
	assert_int_equal(in_run.field[HS_NTF_ICNT], 1);
}

/* RepeatBranch repeats a branch of a run. */
TEST(a_repeat_after_a_run)
{
	static const uint8_t bytes[] = { SYNC_100, 0x0c, 0x0b, 0x0c, 0x0b, 0x78, 0x0f };
	const struct hs_nt_config c = { .size = sizeof c, .inst_mode = HS_NT_BTM };

	start_again(&c);
	assert_int_equal(decode_bytes(bytes, sizeof bytes), HS_MORE);
	assert_int_equal(t.n, 1 + 2 + 3);
}
