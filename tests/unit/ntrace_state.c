/* What an encoder keeps from one message to the next, and when it forgets it: losses, repeats,
 * times, contexts, histories. */
#include "cases.h"

#include "ntrace/ntrace.h"
#include "unit/ntrace_run.h"
#include "unit/decoders.h"

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
	/* blocks are missing where nothing says so: the trace was off in between (NT 8.6) */
	{ "another address after a block", &calls, ENCODE, { 0 },
	  { S100, B(0x100, 2, 2, 0), B(0x200, 4, 2, 13), STOP(0) },
	  16, { SYNC_100, 0x84, 0x50, 0x09, 0x07, 0x24, 0x15, 0x00, 0x13, 0x84, 0x40, 0x11,
	        0x07 } },
	{ "another address after a branch that was not taken", &loop, ENCODE, { 0 },
	  { S100, B(0x100, 2, 2, 4), B(0x100, 2, 2, 5), STOP(0) },
	  16, { SYNC_100, 0x84, 0x50, 0x09, 0x0b, SYNC_100, 0x84, 0x40, 0x09, 0x0f } },
	/* a counter of 4 bits holds 15 half-words: 5 + 10 fit, 6 + 10 do not */
	{ "I-CNT holds all that it can", &ratified, ENCODE, { .icnt_bits = 4 },
	  { S100, B(0x100, 3, 2, 4), B(0x106, 2, 2, 0), B(0x10a, 10, 2, 0), STOP(0) },
	  11, { SYNC_100, 0x6c, 0xc0, 0x0f, 0x84, 0x40, 0x01, 0x0b } },
	{ "I-CNT does not hold one more", &ratified, ENCODE, { .icnt_bits = 4 },
	  { S100, B(0x100, 3, 2, 4), B(0x106, 3, 2, 0), B(0x10c, 10, 2, 0), STOP(0) },
	  14, { SYNC_100, 0x6c, 0x80, 0x07, 0x6c, 0x80, 0x0b, 0x84, 0x40, 0x01, 0x0b } },
	/* NT 7.11: what repeats comes before the message that ends it */
	{ "repeats before a full counter", &loop, ENCODE,
	  { .inst_mode = HS_NT_BTM, .repeat_branch = 1, .icnt_bits = 4 },
	  { S100, B(0x100, 2, 2, 5), B(0x100, 2, 2, 5), B(0x100, 2, 2, 5), B(0x100, 8, 2, 0),
	    STOP(0) },
	  14, { SYNC_100, 0x0c, 0x0b, 0x78, 0x0b, 0x6c, 0x00, 0x0b, 0x84, 0x00, 0x03 } },
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
	/* NT 9.2: a count does not see that a return leads to another task */
	{ "counting: a return that leads elsewhere", &calls, ENCODE, { .implicit_return = 1 },
	  { S100, B(0x100, 4, 2, 9), B(0x200, 4, 2, 13), B(0x100, 2, 2, 0), STOP(0) },
	  14, { SYNC_100, 0x74, 0x08, 0x21, 0x00, 0x09, 0x07, 0x84, 0x40, 0x09, 0x07 } },
	{ "the same in BTM", &calls, ENCODE, { .implicit_return = 1, .inst_mode = HS_NT_BTM },
	  { S100, B(0x100, 4, 2, 9), B(0x200, 4, 2, 13), B(0x100, 2, 2, 0), STOP(0) },
	  12, { SYNC_100, 0x30, 0x08, 0x21, 0x00, 0x0b, 0x84, 0x00, 0x0b } },
	/* of two calls one was reported: returns 0 and 1 pop both, only the second is inferred */
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
	/* NT 9.3: a history that is counted has the time of its last repetition */
	{ "the time of a history", &loop, ENCODE,
	  { .timestamps = 1, .repeated_history = 1, .hist_bits = 2 },
	  { TIME(5), S100, B(0x100, 2, 2, 5), B(0x100, 2, 2, 5), TIME(6), B(0x100, 2, 2, 5),
	    TIME(8), STOP(0) },
	  14, { 0x24, 0x15, 0x00, 0x09, 0x17, 0x6c, 0xc4, 0x05, 0x07, 0x84, 0x40, 0x19, 0x0d,
	        0x0b } },
	{ "sifive: the time of a count that goes on", &loop, ENCODE,
	  { .timestamps = 1, .dialect = HS_NT_DIALECT_SIFIVE, .repeated_history = 1,
	    .hist_bits = 2 },
	  { TIME(5), S100, B(0x100, 2, 2, 5), B(0x100, 2, 2, 5), TIME(6), B(0x100, 2, 2, 5),
	    TIME(7), B(0x100, 2, 2, 5), TIME(9), B(0x100, 2, 2, 4), STOP(0) },
	  14, { 0x24, 0x15, 0x00, 0x09, 0x17, 0x6c, 0x24, 0x05, 0x0b, 0x84, 0x40, 0x29, 0x09,
	        0x3b } },
	/* design/nt-vendor: full with the third branch, which goes the other way; 5 XOR 6 is 3 */
	{ "sifive: the time of a count", &loop, ENCODE,
	  { .timestamps = 1, .dialect = HS_NT_DIALECT_SIFIVE, .repeated_history = 1,
	    .hist_bits = 2 },
	  { TIME(5), S100, B(0x100, 2, 2, 5), B(0x100, 2, 2, 5), TIME(6), B(0x100, 2, 2, 4),
	    STOP(0) },
	  13, { 0x24, 0x15, 0x00, 0x09, 0x17, 0x6c, 0xa5, 0x0f, 0x84, 0x40, 0x19, 0x09, 0x03 } },
};

/* ---- an encoder whose messages did not get out ------------------------------------------ */

/* Contexts and the privilege are the hart's: the next synchronisation reports them (NT 7.1). */
TEST(contexts_outlive_what_is_unsent)
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

/* design/nt-vendor: branches that went the same way are sent before the next one, which did not. */
TEST(a_count_that_ends)
{
	static const struct hs_block items[] = { B(0x100, 2, 2, 5), B(0x100, 2, 2, 5),
		                                 B(0x100, 2, 2, 5), B(0x100, 2, 2, 4) };
	const struct hs_nt_config c = { .size = sizeof c, .dialect = HS_NT_DIALECT_SIFIVE,
		                        .repeated_history = 1, .hist_bits = 2 };
	uint8_t bytes[4 * HS_NT_ENCODE_ROOM];
	struct hs_nt_encoder e;
	size_t used, len;

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
	/* 31 branches not taken, twice and three times, then 30 and one that is: what was counted
	 * stays */
	{ "a history that was counted twice", HS_NT_DIALECT_RC7,
	  { { 123, 123 }, { 200, 100 } }, 4 },
	{ "a history that was counted three times", HS_NT_DIALECT_RC7,
	  { { 154, 154 }, { 200, 100 } }, 4 },
	{ "loops of 14, of 15 and of 14", HS_NT_DIALECT_RC7,
	  { { 14, 280 }, { 15, 300 }, { 14, 280 } }, 3 },
};

#define BRANCHES 2000

TEST_ROWS(loops_repeat, loops, row)
{
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
	struct hs_nt_decoder *d = nt_decoder(&c, &any);

	assert_int_equal(hs_nt_decoder_next(d, &trace, out, 2 * BRANCHES + 8, &got), HS_MORE);
	assert_int_equal(got, n + 2);
	for (size_t i = 0; i < n; i++)
		if (!hs_block_equal(&in[i], &out[i + 1]))
			fail_msg("block %zu", i);
	assert_int_equal(hs_nt_encoder_stats(&e)->messages[HS_NT_RESOURCE_FULL], row->messages);
}

/* 170 branches of a loop of 14.  62 are two histories, of which 6 stay; in the reference encoder 25
 * and twice 28 more fill HIST, and at last it has 30, of which nobody looks at 28. */
static const struct counted_row {
	const char *name;
	uint8_t dialect, times;
} counted[] = {
	{ "a shorter history is counted before a branch is added", HS_NT_DIALECT_RC7, 6 },
	{ "a shorter history is counted when HIST is full", HS_NT_DIALECT_REFERENCE, 5 },
};

TEST_ROWS(shorter_histories_are_counted, counted, row)
{
	const struct hs_nt_config c = { .size = sizeof c, .dialect = row->dialect,
		                        .repeated_history = 1 };
	uint8_t bytes[4 * HS_NT_ENCODE_ROOM];
	struct hs_nt_encoder e;
	size_t at = 0, used, len;

	assert_int_equal(hs_nt_encoder_init(&e, &c), HS_OK);
	for (unsigned i = 0; i < 170; i++, at += len) {
		const struct hs_block loop_of_14[] = { B(0x100, 2, 2, i % 14 ? 4 : 5),
			                               B(0x104, 2, 2, 15) };

		assert_int_equal(hs_nt_encode(&e, loop_of_14, 2, &used, bytes + at,
		                              sizeof bytes - at, &len), HS_OK);
	}
	assert_int_equal(hs_nt_encode_end(&e, bytes + at, sizeof bytes - at, &len), HS_OK);
	assert_int_equal(bytes[4], 0x6c); /* 4 bytes of ProgTraceSync, then 7 up to RDATA */
	assert_int_equal(bytes[11] >> 2, row->times);
}

OPTION_ROWS(kept)
