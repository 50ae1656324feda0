/* What an encoder and a decoder keep from one message to the next, and when they forget it: losses,
 * repeats, times, several sources, code that is not known, streams after their end. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "unit/ntrace_run.h"

static const struct option_row kept[] = {
	/* NT 8.5 has one SYNC for an address: of two markers the last */
	{ "two markers at an address", &calls, ENCODE, { 0 },
	  { S100, B(0x100, 2, 2, 9), SYNC(0, 0x200), SYNC(6, 0x200), B(0x200, 4, 2, 13), STOP(0) },
	  14, { SYNC_100, 0x74, 0x18, 0x09, 0x00, 0x11, 0x07, 0x84, 0x40, 0x11, 0x07 } },
	{ "a reset after a watchpoint", &calls, ENCODE, { 0 },
	  { S100, B(0x100, 2, 2, 9), SYNC(6, 0x200), SYNC(1, 0x200), B(0x200, 4, 2, 13), STOP(0) },
	  14, { SYNC_100, 0x74, 0x04, 0x09, 0x00, 0x11, 0x07, 0x84, 0x40, 0x11, 0x07 } },
	{ "a power-up and a trigger: the reason of the start", &calls, ENCODE, { 0 },
	  { S100, B(0x100, 2, 2, 9), SYNC(9, 0x200), SYNC(0, 0x200), B(0x200, 4, 2, 13), STOP(0) },
	  14, { SYNC_100, 0x74, 0x24, 0x09, 0x00, 0x11, 0x07, 0x84, 0x40, 0x11, 0x07 } },
	/* NT 7.4: what is lost is not sent after Error */
	{ "repeats are lost", &loop, ENCODE, { .inst_mode = HS_NT_BTM, .repeat_branch = 1 },
	  { S100, B(0x100, 2, 2, 5), B(0x100, 2, 2, 5), B(0x100, 2, 2, 5), LOST, B(0x100, 2, 2, 5),
	    B(0x100, 2, 2, 5), STOP(0) },
	  20, { SYNC_100, 0x0c, 0x0b, 0x20, 0x00, 0x07, 0x24, 0x1d, 0x00, 0x0b, 0x0c, 0x0b, 0x78,
	        0x07, 0x84, 0x00, 0x03 } },
	{ "histories are lost", &loop, ENCODE, { .repeated_history = 1, .hist_bits = 2 },
	  { S100, B(0x100, 2, 2, 5), B(0x100, 2, 2, 5), B(0x100, 2, 2, 5), B(0x100, 2, 2, 5),
	    B(0x100, 2, 2, 5), LOST, B(0x100, 2, 2, 5), STOP(0) },
	  15, { SYNC_100, 0x20, 0x00, 0x07, 0x24, 0x1d, 0x00, 0x0b, 0x84, 0x40, 0x09, 0x0f } },
	{ "a jump and a marker are lost", &calls, ENCODE, { 0 },
	  { S100, B(0x100, 2, 2, 14), SYNC(6, 0x200), LOST, B(0x200, 4, 2, 13), B(0x104, 2, 2, 0),
	    STOP(0) },
	  19, { SYNC_100, 0x20, 0x00, 0x07, 0x24, 0x1d, 0x00, 0x13, 0x10, 0x41, 0x08, 0x1b, 0x84,
	        0x40, 0x09, 0x07 } },
	/* NT 8.4.3, 9.2: a call before a ResourceFull was reported by it */
	{ "a return of a call that ResourceFull reported", &calls, ENCODE,
	  { .implicit_return = 3, .reported_calls = 1, .icnt_bits = 4 },
	  { S100, B(0x100, 4, 2, 9), B(0x200, 4, 2, 0), B(0x208, 2, 2, 13), B(0x108, 4, 2, 0),
	    STOP(0) },
	  11, { SYNC_100, 0x6c, 0x00, 0x0b, 0x84, 0x40, 0x19, 0x07 } },
	/* NT Table 4: itypes 8 and 12 call, too */
	{ "a return of an uninferable call", &calls, ENCODE, { .implicit_return = 3 },
	  { S100, B(0x100, 2, 2, 8), B(0x200, 4, 2, 13), B(0x104, 2, 2, 0), STOP(0) },
	  12, { SYNC_100, 0x10, 0x21, 0x00, 0x1b, 0x84, 0x40, 0x19, 0x07 } },
	{ "a return of a co-routine swap", &calls, ENCODE, { .implicit_return = 3 },
	  { S100, B(0x100, 2, 2, 12), B(0x200, 4, 2, 13), B(0x104, 2, 2, 0), STOP(0) },
	  12, { SYNC_100, 0x10, 0x21, 0x00, 0x1b, 0x84, 0x40, 0x19, 0x07 } },
	/* of two calls one was reported: returns 0 and 1 pop both, and only the second is inferred */
	{ "an inner call that no message reported", &calls, ENCODE,
	  { .implicit_return = 3, .reported_calls = 1 },
	  { S100, B(0x100, 2, 2, 8), B(0x200, 2, 2, 9), B(0x300, 2, 2, 13), B(0x204, 2, 2, 13),
	    B(0x104, 2, 2, 0), STOP(0) },
	  15, { SYNC_100, 0x10, 0x21, 0x00, 0x1b, 0x10, 0x41, 0x0b, 0x84, 0x40, 0x11, 0x07 } },
	/* NT 8.7: a message has the time of what led to its address, the next one the time since */
	{ "the time of a jump", &calls, ENCODE, { .timestamps = 1 },
	  { TIME(5), SYNC(5, 0x200), B(0x200, 4, 2, 13), TIME(7), B(0x104, 2, 2, 0), STOP(0) },
	  15, { 0x24, 0x15, 0x00, 0x11, 0x17, 0x10, 0x41, 0x08, 0x19, 0x03, 0x84, 0x40, 0x09, 0x05,
	        0x0b } },
	{ "the time of a branch whose target is never reported", &loop, ENCODE,
	  { .timestamps = 1, .inst_mode = HS_NT_BTM, .sync_mode = HS_NT_SYNC_HALFWORDS },
	  { TIME(5), S100, B(0x100, 16, 2, 5), TIME(9), STOP(0) },
	  12, { 0x24, 0x15, 0x00, 0x09, 0x17, 0x0c, 0x41, 0x03, 0x84, 0x00, 0x01, 0x13 } },
	/* ratified 8.6: the address of the trap return has its time, the handler's the trap's */
	{ "the times of an interrupt right after mret", &calls, ENCODE,
	  { .timestamps = 1, .dialect = HS_NT_DIALECT_V1_0 },
	  { TIME(5), SYNC(5, 0x32c), B(0x32c, 2, 2, 3), TIME(6), B(0x100, 0, 0, 2), TIME(8),
	    B(0x200, 4, 2, 13), STOP(0) },
	  29, { 0x24, 0x15, 0x58, 0x19, 0x17, 0x10, 0x21, 0x58, 0x11, 0x03, 0x74, 0x08, 0x01, 0x00,
	        0x09, 0x05, 0x17, 0x74, 0xc8, 0x01, 0x00, 0x11, 0x05, 0x1b, 0x84, 0x40, 0x11, 0x05,
	        0x0b } },
	/* ADR-0062: full with the third branch, which goes the other way; 5 XOR 6 is 3 */
	{ "sifive: the time of a count", &loop, ENCODE,
	  { .timestamps = 1, .dialect = HS_NT_DIALECT_SIFIVE, .repeated_history = 1,
	    .hist_bits = 2 },
	  { TIME(5), S100, B(0x100, 2, 2, 5), B(0x100, 2, 2, 5), TIME(6), B(0x100, 2, 2, 4),
	    STOP(0) },
	  13, { 0x24, 0x15, 0x00, 0x09, 0x17, 0x6c, 0xa5, 0x0f, 0x84, 0x40, 0x19, 0x09, 0x03 } },
};


/* ---- streams ------------------------------------------------------------------------ */

#define HART(n)   { { 0 }, { (n) }, 0, 0, 0, 0, HS_KIND_HART }
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

static const struct stream_row {
	const char *name;
	const struct hs_image *program, *of_7; /* of scontext 7; NULL: contexts have no program */
	struct hs_nt_config c;
	unsigned sources;
	enum hs_reason reason; /* of the first fault, and its place */
	uint64_t pc;
	struct hs_block items[14];
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
	/* ADR-0068: in code that is not known */
	{ "a context makes the code known at an address", &loop, &calls, { 0 }, 1,
	  HS_REASON_NO_CODE, 0x400,
	  { S100, B(0x100, 0, 0, 2), GAP(8, HS_E_NOCODE), CONTEXT(7, 2, 0), UNSEEN(0x400, 2),
	    IN_MODE(U, 0x320, 4, 2, 5), STOP(0) },
	  21, { SYNC_100, TO_400, FROM_400_320, 0x6c, 0x83, OWNER_7, 0x84, 0x40, 0x09, 0x0f } },
	{ "and not after half-words that retired there", &loop, &calls, { .inst_mode = HS_NT_BTM },
	  1, HS_REASON_NO_CODE, 0x400,
	  { S100, B(0x100, 2, 2, 5), B(0x100, 0, 0, 2), GAP(10, HS_E_NOCODE), CONTEXT(7, 2, 0),
	    UNSEEN(0x400, 4), STOP(0) },
	  22, { SYNC_100, 0x0c, 0x0b, TO_400, FROM_400_320, 0x6c, 0x83, OWNER_7, 0x84, 0x00,
	        0x03 } },
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
	/* ADR-0069: five half-words are proven, three of them by a branch */
	{ "a count that waits, in part used", &two_branches, NULL, { 0 }, 1, HS_REASON_NONE, 0,
	  { S100, B(0x100, 3, 2, 4), OPEN(0x106, 2) },
	  9, { SYNC_100, 0x6c, 0x40, 0x07, 0x6c, 0x87 } },
	{ "a count that waits, past a jump", &calls, NULL, { 0 }, 1, HS_REASON_NONE, 0,
	  { S100, B(0x100, 2, 2, 9), OPEN(0x200, 2) }, 7, { SYNC_100, 0x6c, 0x00, 0x07 } },
	/* NT Table 25: after an overrun the flow goes on elsewhere */
	{ "an overrun, and no Error", &two_branches, NULL, { 0 }, 1, HS_REASON_NONE, 0,
	  { S100, B(0x100, 1, 1, 0), SYNC(7, 0x200), B(0x200, 1, 1, 0), STOP(0) },
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
	struct hs_nt_source sources[2];
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
	if (row->of_7) {
		assert_int_equal(hs_bb_init(&t.of_7, row->of_7, t.memory[1], 64), HS_OK);
		hs_nt_decoder_programs(&t.d, tables, &seven, 1);
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

	for (; n < 14 && (row->items[n].value || row->items[n].kind); n++) {
		if (n >= t.n || !hs_block_equal(&row->items[n], &t.out[n]))
			fail_msg("item %zu of %zu: %s %llx+%u itype %u", n, t.n,
			         hs_kind_name(t.out[n].kind), (unsigned long long)t.out[n].value,
			         t.out[n].arg, t.out[n].itype);
	}
	assert_int_equal(t.n, n);
	assert_int_equal(t.reason, row->reason);
	assert_int_equal(t.pc, row->pc);
}

static void stream(void **state)
{
	const struct stream_row *row = *state;

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
static void nothing_is_known_at_first(void **state)
{
	static const uint8_t bytes[] = { SYNC_100, 0x0c, 0x0b, 0x0c, 0x0b, 0x0c, 0x0b };
	const struct hs_nt_config c = { .size = sizeof c, .inst_mode = HS_NT_BTM };

	(void)state;
	start_again(&c);
	assert_int_equal(decode_bytes(bytes, sizeof bytes), HS_MORE);
	assert_int_equal(t.n, 4);
	start_again(&c);
	assert_int_equal(decode_bytes(bytes + 4, sizeof bytes - 4), HS_MORE);
	assert_int_equal(t.n, 0);
	assert_int_equal(hs_nt_decoder_stats(&t.d)->skipped, 3);
}

/* What was cut off is reported once; another stream may follow. */
static void a_stream_after_one_that_was_cut(void **state)
{
	static const uint8_t bytes[] = { SYNC_100, 0x0c, 0x0b, 0x84, 0x00, 0x03, 0x24, 0x15 };
	const struct hs_nt_config c = { .size = sizeof c, .inst_mode = HS_NT_BTM };

	(void)state;
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

/* A message of a run of branches has what a message has that was read by itself. */
static void the_message_at_fault(void **state)
{
	static const uint8_t bytes[] = { SYNC_100, 0x0c, 0x0b, SYNC_100, 0x0c, 0x07 };
	const struct hs_nt_config c = { .size = sizeof c, .inst_mode = HS_NT_BTM };
	struct hs_nt_msg in_run;

	(void)state;
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
static void a_repeat_after_a_run(void **state)
{
	static const uint8_t bytes[] = { SYNC_100, 0x0c, 0x0b, 0x0c, 0x0b, 0x78, 0x0f };
	const struct hs_nt_config c = { .size = sizeof c, .inst_mode = HS_NT_BTM };

	(void)state;
	start_again(&c);
	assert_int_equal(decode_bytes(bytes, sizeof bytes), HS_MORE);
	assert_int_equal(t.n, 1 + 2 + 3);
}

/* ---- an encoder whose messages did not get out ------------------------------------------ */

/* Contexts and the privilege are the hart's: the next synchronisation reports them (NT 7.1). */
static void contexts_outlive_what_is_unsent(void **state)
{
	static const struct hs_block items[] = {
		B(0x100, 2, 2, 9), CONTEXT(0x1d, 2, 4), CONTEXT(1, 3, 4),
		IN_MODE(VU, 0x200, 4, 2, 13), IN_MODE(VU, 0x104, 2, 2, 0),
	};
	/* Error ECODE=0c; SYNC 7 at 104; hcontext 1, then scontext 1d, both in VU */
	static const uint8_t want[] = { 0x20, 0x00, 0x0f, 0x24, 0x1d, 0x08, 0x0b, 0x08, 0xcf,
		                        0x08, 0xc8, 0x3b };
	const struct hs_nt_config c = { .size = sizeof c, .context = 1 };
	struct hs_nt_encoder e, before;
	uint8_t bytes[8 * HS_NT_ENCODE_ROOM];
	size_t used, len;

	(void)state;
	assert_int_equal(hs_nt_encoder_init(&e, &c), HS_OK);
	assert_int_equal(hs_nt_encode(&e, items, 1, &used, bytes, sizeof bytes, &len), HS_OK);
	before = e;
	assert_int_equal(hs_nt_encode(&e, items + 1, 3, &used, bytes, sizeof bytes, &len), HS_OK);
	hs_nt_encoder_unsent(&e, &before);
	assert_int_equal(hs_nt_encode(&e, items + 4, 1, &used, bytes, sizeof bytes, &len), HS_OK);
	for (size_t i = 0; i < sizeof want && i < len; i++)
		if (bytes[i] != want[i])
			fail_msg("byte %zu: %02x, not %02x", i, bytes[i], want[i]);
	assert_int_equal(len, sizeof want);
}

/* ADR-0062: branches that went the same way are sent before the next one, which did not. */
static void a_count_that_ends(void **state)
{
	static const struct hs_block items[] = { B(0x100, 2, 2, 5), B(0x100, 2, 2, 5),
		                                 B(0x100, 2, 2, 5), B(0x100, 2, 2, 4) };
	const struct hs_nt_config c = { .size = sizeof c, .dialect = HS_NT_DIALECT_SIFIVE,
		                        .repeated_history = 1, .hist_bits = 2 };
	uint8_t bytes[4 * HS_NT_ENCODE_ROOM];
	struct hs_nt_encoder e;
	size_t used, len;

	(void)state;
	assert_int_equal(hs_nt_encoder_init(&e, &c), HS_OK);
	assert_int_equal(hs_nt_encode(&e, items, 3, &used, bytes, sizeof bytes, &len), HS_OK);
	assert_int_equal(len, 4);
	assert_int_equal(hs_nt_encode(&e, items + 3, 1, &used, bytes, sizeof bytes, &len), HS_OK);
	assert_int_equal(len, 2);
	assert_int_equal(bytes[1], 0xe7); /* RCODE 9, three */
}

/* ---- histories that repeat (NT 9.3) ----------------------------------------------------- */

/* 100 beq 104, 104 j 100: any history. */
static const uint8_t any_100[] = { 0x63, 0x02, 0x00, 0x00, 0x6f, 0xf0, 0xdf, 0xff };
static const struct hs_section any_sections[] = { { 0x100, sizeof any_100, any_100 } };
static const struct hs_image any = { any_sections, 1, { .xlen = 64 }, 0 };

/* Parts of an execution: in each a loop of some branches, of which the first is taken. */
static const struct loop_row {
	const char *name;
	uint8_t dialect;
	struct { unsigned period, branches; } parts[4];
	unsigned messages; /* ResourceFull */
} loops[] = {
	/* histories of 28, 30, 24 and 27 branches hold whole loops of so many */
	{ "loops of 14", HS_NT_DIALECT_RC7, { { 14, 1400 } }, 1 },
	{ "loops of 28", HS_NT_DIALECT_RC7, { { 28, 1400 } }, 1 },
	{ "loops of 15", HS_NT_DIALECT_RC7, { { 15, 1400 } }, 1 },
	{ "loops of 8", HS_NT_DIALECT_RC7, { { 8, 1400 } }, 1 },
	{ "loops of 27", HS_NT_DIALECT_RC7, { { 27, 1400 } }, 1 },
	{ "loops of 31, a whole history", HS_NT_DIALECT_RC7, { { 31, 1400 } }, 1 },
	/* and there is none for 29: 45 histories of 31, and the rest */
	{ "loops of 29", HS_NT_DIALECT_RC7, { { 29, 1400 } }, 45 },
	{ "the reference encoder: loops of 28", HS_NT_DIALECT_REFERENCE, { { 28, 1400 } }, 1 },
	{ "the reference encoder: loops of 8", HS_NT_DIALECT_REFERENCE, { { 8, 1400 } }, 45 },
	/* full histories that were counted, then others that begin with a shorter one */
	{ "loops of 31, then of 14", HS_NT_DIALECT_RC7, { { 31, 310 }, { 14, 1400 } }, 2 },
	{ "loops of 14, then of 31", HS_NT_DIALECT_RC7, { { 14, 1400 }, { 31, 310 } }, 2 },
	{ "loops of 14, of 15 and of 14", HS_NT_DIALECT_RC7,
	  { { 14, 280 }, { 15, 300 }, { 14, 280 } }, 3 },
};

#define BRANCHES 2000

static void loops_repeat(void **state)
{
	const struct loop_row *row = *state;
	const struct hs_nt_config c = { .size = sizeof c, .dialect = row->dialect,
		                        .repeated_history = 1, .start_sync = 5 };
	static struct hs_block in[2 * BRANCHES], out[2 * BRANCHES + 8];
	static uint8_t bytes[8192];
	struct hs_nt_encoder e;
	size_t n = 0, used, len, end, got;

	for (unsigned p = 0; p < 4 && row->parts[p].period; p++)
		for (unsigned i = 0; i < row->parts[p].branches; i++) {
			const unsigned type = i % row->parts[p].period ? 4 : 5;

			in[n++] = (struct hs_block)B(0x100, 2, 2, type);
			in[n++] = (struct hs_block)B(0x104, 2, 2, 15);
		}
	assert_int_equal(hs_nt_encoder_init(&e, &c), HS_OK);
	assert_int_equal(hs_nt_encode(&e, in, n, &used, bytes, sizeof bytes, &len), HS_OK);
	assert_int_equal(hs_nt_encode_end(&e, bytes + len, sizeof bytes - len, &end), HS_OK);
	struct hs_span trace = { bytes, len + end };

	assert_int_equal(hs_bb_init(&t.table, &any, t.memory[0], 64), HS_OK);
	assert_int_equal(hs_nt_decoder_init(&t.d, &c, &t.table, t.sources, 1), HS_OK);
	assert_int_equal(hs_nt_decoder_next(&t.d, &trace, out, 2 * BRANCHES + 8, &got), HS_MORE);
	assert_int_equal(got, n + 2);
	for (size_t i = 0; i < n; i++)
		if (!hs_block_equal(&in[i], &out[i + 1]))
			fail_msg("block %zu", i);
	assert_int_equal(hs_nt_encoder_stats(&e)->messages[HS_NT_RESOURCE_FULL], row->messages);
}

int main(void)
{
	enum { STREAMS = sizeof streams / sizeof *streams, LOOPS = sizeof loops / sizeof *loops };
	struct CMUnitTest more[STREAMS + LOOPS + 6] = {
		cmocka_unit_test(nothing_is_known_at_first),
		cmocka_unit_test(a_stream_after_one_that_was_cut),
		cmocka_unit_test(the_message_at_fault),
		cmocka_unit_test(a_repeat_after_a_run),
		cmocka_unit_test(contexts_outlive_what_is_unsent),
		cmocka_unit_test(a_count_that_ends),
	};
	size_t n = 6;

	for (size_t i = 0; i < STREAMS; i++)
		more[n++] = (struct CMUnitTest){ streams[i].name, stream, NULL, NULL,
			                         (void *)(uintptr_t)&streams[i] };
	for (size_t i = 0; i < LOOPS; i++)
		more[n++] = (struct CMUnitTest){ loops[i].name, loops_repeat, NULL, NULL,
			                         (void *)(uintptr_t)&loops[i] };
	return RUN_ROWS("ntrace_state", kept, more);
}
