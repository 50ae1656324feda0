/* The moments of timestamps (NT 8.7, 7.4): "in all cases, when an address is provided, the
 * timestamp should reflect the time when an event leading to that address occurred". */
#include "cases.h"

#include "unit/ntrace_run.h"
#include "unit/decoders.h"

/* ProgTraceSync SYNC 5 at 100, time 5. */
#define START 0x24, 0x15, 0x00, 0x09, 0x17
#define LOOP B(0x100, 2, 2, 5)

static const struct option_row rows_of_times[] = {
	/* "the time reported at exception/interrupt handlers reflects the moment when exception or
	 * interrupt was observed": +15, and the stop comes 480 later, 0x1e0 */
	{ "an interrupt at 20, its handler at 500", &calls, ENCODE, { .timestamps = 1 },
	  { TIME(5), B(0x100, 2, 2, 9), TIME(20), B(0x200, 2, 2, 2), TIME(500), B(0x104, 2, 2, 0),
	    STOP(0) },
	  15, { START, 0x10, 0x4d, 0x09, 0x3f, 0x84, 0x40, 0x09, 0x05, 0x80, 0x1f } },
	{ "a return at 20, its target at 500", &calls, ENCODE, { .timestamps = 1 },
	  { TIME(5), B(0x100, 2, 2, 9), TIME(20), B(0x200, 4, 2, 13), TIME(500), B(0x104, 2, 2, 0),
	    STOP(0) },
	  15, { START, 0x10, 0x61, 0x09, 0x3f, 0x84, 0x40, 0x09, 0x05, 0x80, 0x1f } },
	/* a synchronising message: absolute */
	{ "a trigger at the handler: the interrupt's time", &calls, ENCODE,
	  { .timestamps = 1, .inst_mode = HS_NT_BTM },
	  { TIME(5), B(0x100, 2, 2, 9), TIME(20), B(0x200, 2, 2, 2), TIME(30), SYNC(6, 0),
	    TIME(500), B(0x104, 2, 2, 0), STOP(0) },
	  16, { START, 0x30, 0xd8, 0x11, 0x08, 0x09, 0x53, 0x84, 0x00, 0x09, 0x80, 0x1f } },
	{ "a trigger at 20, the next block at 500", &calls, ENCODE,
	  { .timestamps = 1, .inst_mode = HS_NT_BTM },
	  { TIME(5), B(0x100, 2, 2, 9), TIME(20), SYNC(6, 0), TIME(500), B(0x200, 2, 2, 0),
	    STOP(0) },
	  15, { START, 0x24, 0x99, 0x00, 0x11, 0x53, 0x84, 0x00, 0x09, 0x80, 0x1f } },
	/* BTM: after 16 half-words; the last branch is taken at 20, and Ownership is of then */
	{ "DirectBranchSync has the branch's time", &loop, ENCODE,
	  { .timestamps = 1, .inst_mode = HS_NT_BTM, .context = 1, .repeat_branch = 1,
	    .sync_mode = HS_NT_SYNC_HALFWORDS },
	  { TIME(5), LOOP, LOOP, LOOP, LOOP, LOOP, LOOP, LOOP, TIME(20), LOOP, TIME(500), LOOP,
	    STOP(0) },
	  30, { START, 0x08, 0x09, 0x03, 0x0c, 0x09, 0x03, 0x78, 0x19, 0x03, 0x2c, 0x89, 0x00, 0x09,
	        0x53, 0x08, 0x09, 0x03, 0x0c, 0x09, 0x80, 0x1f, 0x84, 0x00, 0x01, 0x03 } },
	/* it waits for the block that it belongs to, and so for its time: +15 */
	{ "Ownership has the time of the next block", &calls, ENCODE,
	  { .timestamps = 1, .context = 1 },
	  { TIME(5), B(0x100, 2, 2, 9), CONTEXT(0x1d, 2, HS_PRIV_UNKNOWN), TIME(20),
	    B(0x200, 4, 2, 13), STOP(0) },
	  17, { START, 0x08, 0x09, 0x03, 0x08, 0x88, 0x39, 0x3f, 0x84, 0x40, 0x19, 0x05, 0x03 } },
	/* what is counted has the time of the last one */
	{ "RepeatBranch has the time of the last branch", &loop, ENCODE,
	  { .timestamps = 1, .inst_mode = HS_NT_BTM, .repeat_branch = 1 },
	  { TIME(5), LOOP, LOOP, TIME(20), LOOP, TIME(500),
	    STOP(0) },
	  16, { START, 0x0c, 0x09, 0x03, 0x78, 0x09, 0x3f, 0x84, 0x00, 0x01, 0x80, 0x1f } },
	{ "RepeatBranch without a time", &loop, DECODE, { .timestamps = 1, .inst_mode = HS_NT_BTM },
	  { S100, TIME(5), LOOP, TIME(20), LOOP, STOP(0), TIME(20) },
	  14, { START, 0x0c, 0x09, 0x3f, 0x78, 0x07, 0x84, 0x00, 0x01, 0x03 } },
	{ "HREPEAT has the time of the last full history", &loop, ENCODE,
	  { .timestamps = 1, .repeated_history = 1, .hist_bits = 1 },
	  { TIME(5), LOOP, LOOP, TIME(20), LOOP, TIME(500),
	    STOP(0) },
	  15, { START, 0x6c, 0xc9, 0x09, 0x3f, 0x84, 0x40, 0x19, 0x0d, 0x80, 0x1f } },
	/* trTeInstSyncMode 2: 15 cycles after the start it is not due, after 16 it is */
	{ "a synchronisation each 16 cycles", &calls, ENCODE, { .sync_mode = HS_NT_SYNC_CYCLES },
	  { TIME(5), B(0x100, 2, 2, 9), TIME(20), B(0x200, 2, 2, 0), TIME(21), B(0x204, 2, 2, 0),
	    STOP(0) },
	  14, { SYNC_100, 0x74, 0x08, 0x11, 0x08, 0x11, 0x07, 0x84, 0x40, 0x09, 0x07 } },
	/* a counter of 8 bits: 0xfd, then 0x102 as the return at 204 synchronises, then 3 more
	 * (design/times) */
	{ "timestamps of a counter that turns over", &calls, DECODE,
	  { .timestamps = 1, .tstamp_bits = 8 },
	  { S100, TIME(0xfd), B(0x100, 2, 2, 9), B(0x200, 4, 2, 13), TIME(0x102), B(0x104, 2, 2, 0),
	    STOP(0), TIME(0x105) },
	  18, { 0x24, 0x15, 0x00, 0x09, 0xf4, 0x0f, 0x74, 0x08, 0x19, 0x08, 0x09, 0x05, 0x0b, 0x84,
	        0x40, 0x09, 0x05, 0x0f } },
	{ "timestamps as a counter of 8 bits has them", &calls, ENCODE,
	  { .timestamps = 1, .tstamp_bits = 8 },
	  { TIME(0x105), B(0x100, 2, 2, 9), TIME(0x20c), B(0x200, 4, 2, 13), STOP(0) },
	  10, { START, 0x84, 0x40, 0x19, 0x05, 0x1f } },
	/* NT 7.4: "corresponds to the moment when the first trace message was dropped" */
	{ "Error has the time of the loss", &calls, ENCODE, { .timestamps = 1 },
	  { TIME(5), B(0x100, 2, 2, 9), TIME(20), LOST, TIME(30), LOST, TIME(500),
	    B(0x104, 4, 2, 9), STOP(0) },
	  20, { START, 0x20, 0x00, 0x05, 0x3f, 0x24, 0x1d, 0x08, 0x09, 0xd0, 0x1f, 0x84, 0x40, 0x11,
	        0x05, 0x03 } },
	{ "Error's own time, and that of the synchronisation", &calls, DECODE, { .timestamps = 1 },
	  { S100, TIME(5), GAP(5, HS_E_LOST), TIME(20), SYNC(7, 0x104), TIME(500),
	    B(0x104, 4, 2, 9), STOP(0), TIME(500) },
	  20, { START, 0x20, 0x00, 0x05, 0x3f, 0x24, 0x1d, 0x08, 0x09, 0xd0, 0x1f, 0x84, 0x40, 0x11,
	        0x05, 0x03 } },
};

/* NT 7.4, 8.7: TSTAMP of Error counts from a message that did get out. */
TEST(dropped_messages_do_not_count)
{
	static const struct hs_block items[] = { TIME(5), B(0x100, 2, 2, 9), TIME(20),
		                                 B(0x200, 4, 2, 13), TIME(30),
		                                 B(0x104, 2, 2, 9), TIME(40), B(0x204, 2, 2, 13) };
	static const uint8_t want[] = { START, 0x20, 0x00, 0x05, 0x67, /* 30: 25 after 5 */
		                        0x24, 0x1d, 0x08, 0x11, 0xa3 };
	const struct hs_nt_config c = { .size = sizeof c, .timestamps = 1 };
	uint8_t bytes[HS_NT_ENCODE_ROOM + 64];
	struct hs_nt_encoder e;
	size_t len, n = 0;

	assert_int_equal(hs_nt_encoder_init(&e, &c), HS_OK);
	for (size_t i = 0; i < 8; i++) {
		const bool room = i != 5;
		const enum hs_status s = hs_nt_encode_port(&e, &items[i], bytes + n,
		                                           room ? 64 : 2, &len);

		assert_int_equal(s, room ? HS_OK : HS_E_LOST);
		n += len;
	}
	assert_int_equal(n, sizeof want);
	assert_memory_equal(bytes, want, sizeof want);
}

/* One half-word after 100 the flow is at 102; ProgTraceSync says 200 at 500.  Decoding resumes
 * there, with the time that it says, and relative times count from it: +6 (NT 8.7). */
TEST(synchronisation_that_resumes)
{
	static const uint8_t bytes[] = { START, 0x24, 0x41, 0x00, 0x11, 0xd0, 0x1f,
		                         0x84, 0x00, 0x05, 0x1b };
	static const struct hs_block want[] = { SYNC(0, 0x200), TIME(500), B(0x200, 1, 1, 0),
		                                STOP(0), TIME(506) };
	const struct hs_nt_config c = { .size = sizeof c, .timestamps = 1, .inst_mode = HS_NT_BTM };
	struct hs_span in = { bytes, sizeof bytes };
	struct hs_block out[64];
	size_t gap = 0, n, more;
	struct hs_nt_decoder *d = nt_decoder(&c, &two_branches);

	assert_int_equal(hs_nt_decoder_next(d, &in, out, 64, &n), HS_E_FLOW);
	assert_int_equal(hs_nt_decoder_diag(d)->reason, HS_REASON_FADDR_ELSEWHERE);
	assert_int_equal(hs_nt_decoder_next(d, &in, out + n, 64 - n, &more), HS_MORE);
	n += more;
	while (gap < n && out[gap].kind != HS_KIND_GAP)
		gap++;
	assert_int_equal(n - gap - 1, sizeof want / sizeof *want);
	for (size_t i = 0; i < sizeof want / sizeof *want; i++) {
		const struct hs_block *b = &out[gap + 1 + i];

		assert_int_equal(b->kind, want[i].kind);
		assert_int_equal(b->value, want[i].value);
		assert_int_equal(b->arg, want[i].arg);
	}
}

OPTION_ROWS(rows_of_times)
