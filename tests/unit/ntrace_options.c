/* Options of NT Table 7 and corner cases of NT 8.6, byte by byte, in both directions.
 *
 * Bytes are worked out by hand: MDO in bits 7:2, MSEO in bits 1:0 (NT 3). */
#include "cases.h"

#include "unit/ntrace_run.h"
#include "unit/decoders.h"

#define SYNC_300 0x24, 0x15, 0x00, 0x1b /* ProgTraceSync SYNC=5 I-CNT=0 F-ADDR=0x180 */

static const struct option_row options[] = {
	/* NT 9.1, 9.2: nothing is reported but the history */
	{ "returns and pair inferred", &calls, BOTH, { .implicit_return = 3, .sequential_jump = 1 },
	  { S100, TO_RETURN, FROM_104, FROM_10C, STOP(0) },
	  8, { SYNC_100, 0x84, 0x40, 0x79, 0x0f } },
	/* NT 9.1: both in one message.  A pair that something parts is sent (design/nt-decoder):
	 * I-CNT=4, U-ADDR=0x10, which leads from 300 to 320 */
	{ "a pair that is cut is sent", &calls, ENCODE, { .sequential_jump = 1 },
	  { SYNC(5, 0x300), B(0x300, 2, 2, 0), PAIR(0x304, 2, 2, 14), B(0x320, 2, 2, 0), STOP(0) },
	  11, { SYNC_300, 0x10, 0x41, 0x43, 0x84, 0x40, 0x09, 0x07 } },
	{ "a pair that is not cut, and is sent", &calls, DECODE, { .sequential_jump = 1 },
	  { SYNC(5, 0x300), PAIR(0x300, 4, 2, 14), B(0x320, 2, 2, 0), STOP(0) },
	  11, { SYNC_300, 0x10, 0x41, 0x43, 0x84, 0x40, 0x09, 0x07 } },
	{ "a pair in a message of its own", &calls, BOTH, { .sequential_jump = 1 },
	  { SYNC(5, 0x300), PAIR(0x300, 4, 2, 14), B(0x320, 2, 2, 0), STOP(0) },
	  8, { SYNC_300, 0x84, 0x40, 0x19, 0x07 } },
	{ "returns counted", &calls, BOTH, { .implicit_return = 1, .sequential_jump = 1 },
	  { S100, TO_RETURN, FROM_104, FROM_10C, STOP(0) },
	  8, { SYNC_100, 0x84, 0x40, 0x79, 0x0f } },
	{ "a return that goes elsewhere is reported", &calls, BOTH,
	  { .implicit_return = 3, .sequential_jump = 1 },
	  { S100, TO_RETURN, FROM_10C, STOP(0) },
	  11, { SYNC_100, 0x10, 0x61, 0x1b, 0x84, 0x40, 0x39, 0x0f } },
	{ "partial addresses: 10c is 104 in three bits", &calls, ENCODE,
	  { .implicit_return = 2, .return_bits = 3, .sequential_jump = 1 },
	  { S100, TO_RETURN, FROM_10C, STOP(0) },
	  8, { SYNC_100, 0x84, 0x40, 0x51, 0x0f } },
	{ "a stack of one forgets the outer call", &calls, BOTH,
	  { .implicit_return = 3, .call_stack = 1, .sequential_jump = 1 },
	  { S100, TO_RETURN, FROM_104, FROM_10C, STOP(0) },
	  12, { SYNC_100, 0x10, 0x00, 0x05, 0x1b, 0x84, 0x40, 0x39, 0x0f } },
	/* NT 8.4.4: a counter of 4 bits is full at 8, and a return as predicted takes nothing
	 * away */
	{ "I-CNT full at a return as predicted", &calls, BOTH,
	  { .icnt_bits = 4, .implicit_return = 3 },
	  { SYNC(5, 0x104), FROM_104, B(0x10c, 4, 2, 15), STOP(0) },
	  11, { 0x24, 0x15, 0x08, 0x0b, 0x6c, 0x00, 0x0b, 0x84, 0x40, 0x19, 0x07 } },
	/* a counter of 4 bits holds 15 half-words: 3 + 11 fit, 7 + 10 do not */
	{ "I-CNT holds a block of 11 half-words", &ratified, ENCODE, { .icnt_bits = 4 },
	  { S100, B(0x100, 3, 2, 4), B(0x106, 11, 1, 0), STOP(0) },
	  11, { SYNC_100, 0x6c, 0x80, 0x0f, 0x84, 0x40, 0x01, 0x0b } },
	{ "I-CNT goes out before a block that does not fit", &ratified, ENCODE, { .icnt_bits = 4 },
	  { S100, B(0x100, 3, 2, 4), B(0x106, 4, 2, 0), B(0x10e, 10, 2, 0), STOP(0) },
	  14, { SYNC_100, 0x6c, 0xc0, 0x07, 0x6c, 0x80, 0x0b, 0x84, 0x40, 0x01, 0x0b } },
	/* NT 9.2: "only be treated as inferable if the associated call has already been reported in
	 * an earlier message" */
	{ "returns of calls that no message reported", &calls, BOTH,
	  { .implicit_return = 3, .sequential_jump = 1, .reported_calls = 1 },
	  { S100, TO_RETURN, FROM_104, FROM_10C, STOP(0) },
	  15, { SYNC_100, 0x10, 0x61, 0x0b, 0x10, 0x81, 0x10, 0x1b, 0x84, 0x40, 0x41, 0x0f } },
	{ "nothing inferred", &calls, BOTH, { 0 },
	  { S100, TO_RETURN, FROM_104, FROM_10C, STOP(0) },
	  23, { SYNC_100, 0x10, 0x61, 0x0b, 0x10, 0x81, 0x10, 0x1b, 0x10, 0x21, 0x00, 0x1b,
	        0x10, 0x81, 0x58, 0x13, 0x84, 0x40, 0x19, 0x0f } },
	/* the reference encoder: B-TYPE 0 at a c.ebreak that does not retire, 0x202 */
	{ "B-TYPE 0 before an ebreak", &xyz, BOTH,
	  { .dialect = HS_NT_DIALECT_REFERENCE, .start_sync = 1 },
	  { SYNC(1, 0x200), B(0x200, 1, 1, 1), B(0x100, 2, 2, 0), STOP(0) },
	  11, { 0x24, 0x05, 0x00, 0x13, 0x10, 0x11, 0x00, 0x1b, 0x84, 0x00, 0x0b } },
	/* the reference encoder: a full HIST is sent with its last branch, a message of the last
	 * instruction is the end, I-CNT is not split (design/nt-dialects) */
	{ "a full HIST goes at once", &ratified, BOTH,
	  { .dialect = HS_NT_DIALECT_REFERENCE, .start_sync = 1, .hist_bits = 1 },
	  { SYNC(1, 0x100), B(0x100, 3, 2, 4), B(0x106, 2, 2, 0), STOP(0) },
	  9, { 0x24, 0x05, 0x00, 0x0b, 0x6c, 0x87, 0x84, 0x00, 0x17 } },
	{ "nothing comes after a full HIST", &ratified, BOTH,
	  { .dialect = HS_NT_DIALECT_REFERENCE, .start_sync = 1, .hist_bits = 1 },
	  { SYNC(1, 0x100), B(0x100, 3, 2, 4) },
	  6, { 0x24, 0x05, 0x00, 0x0b, 0x6c, 0x87 } },
	{ "nothing comes after a taken branch, BTM", &loop, BOTH,
	  { .dialect = HS_NT_DIALECT_REFERENCE, .start_sync = 1, .inst_mode = HS_NT_BTM },
	  { SYNC(1, 0x100), B(0x100, 2, 2, 5) },
	  6, { 0x24, 0x05, 0x00, 0x0b, 0x0c, 0x0b } },
	/* IndirectBranch I-CNT=6 U-ADDR=0x182: from 100 to 204, where the jump is */
	{ "a jump that is the last instruction", &calls, ENCODE,
	  { .dialect = HS_NT_DIALECT_REFERENCE, .start_sync = 1 },
	  { SYNC(1, 0x100), B(0x100, 2, 2, 9), B(0x200, 4, 2, 13) },
	  8, { 0x24, 0x05, 0x00, 0x0b, 0x10, 0x61, 0x08, 0x1b } },
	{ "I-CNT of 26 bits", &calls, ENCODE,
	  { .dialect = HS_NT_DIALECT_REFERENCE, .start_sync = 1 },
	  { SYNC(1, 0x100), B(0x100, 0x2000000, 2, 0), STOP(0) },
	  11, { 0x24, 0x05, 0x00, 0x0b, 0x84, 0x00, 0x00, 0x00, 0x00, 0x00, 0x0b } },
	{ "I-CNT that fills 22 bits, in the text", &calls, ENCODE, { 0 },
	  { S100, B(0x100, 0x300000, 2, 0), STOP(0) },
	  14, { SYNC_100, 0x6c, 0x00, 0x00, 0x00, 0x00, 0x0f, 0x84, 0x40, 0x01, 0x07 } },
	/* three calls, a stack of two: the third is found, and then the first in place of the
	 * second */
	{ "a stack that skips a place", &calls, ENCODE,
	  { .dialect = HS_NT_DIALECT_REFERENCE, .start_sync = 1, .implicit_return = 3,
	    .call_stack = 2 },
	  { SYNC(1, 0x100), B(0x100, 2, 2, 9), B(0x200, 2, 2, 9), B(0x300, 2, 2, 9),
	    B(0x400, 2, 2, 13), B(0x304, 2, 2, 13), B(0x204, 2, 2, 13), B(0x104, 2, 2, 0),
	    STOP(0) },
	  15, { 0x24, 0x05, 0x00, 0x0b, 0x10, 0xa1, 0x08, 0x1b, 0x10, 0x21, 0x00, 0x1b, 0x84, 0x00,
	        0x0b } },
	/* trTeInstEnAllJumps */
	{ "all jumps, HTM", &calls, BOTH,
	  { .implicit_return = 3, .sequential_jump = 1, .all_jumps = 1 },
	  { S100, TO_RETURN, FROM_104, FROM_10C, STOP(0) },
	  8, { SYNC_100, 0x84, 0x40, 0x79, 0xff } },
	{ "all jumps, BTM", &calls, BOTH,
	  { .inst_mode = HS_NT_BTM, .implicit_return = 3, .sequential_jump = 1, .all_jumps = 1 },
	  { S100, TO_RETURN, FROM_104, FROM_10C, STOP(0) },
	  17, { SYNC_100, 0x0c, 0x0b, 0x0c, 0x23, 0x0c, 0x0b, 0x0c, 0x23, 0x0c, 0x23, 0x84, 0x00,
	        0x0b } },
	/* rc7, chapter 2: "it is also possible to use reserved itype=7 for that purpose" */
	{ "all jumps, by itype 7", &calls, ENCODE, { .inst_mode = HS_NT_BTM, .all_jumps = 1 },
	  { S100, B(0x100, 2, 2, 7), B(0x200, 2, 2, 0), STOP(0) },
	  9, { SYNC_100, 0x0c, 0x0b, 0x84, 0x00, 0x0b } },
	/* NT 8.7 */
	{ "timestamps: absolute, then relative", &calls, BOTH, { .timestamps = 1 },
	  { S100, TIME(5), TO_RETURN, TIME(5), B(0x104, 2, 2, 0), STOP(0), TIME(9) },
	  14, { 0x24, 0x15, 0x00, 0x09, 0x17, 0x10, 0x61, 0x09, 0x03, 0x84, 0x40, 0x09, 0x05,
	        0x13 } },
	/* NT Table 26: "Trace starts disabled" is the first message, in the forms that encoders
	 * send: I-CNT 0 has a byte or none, TSTAMP counts from nothing (design/nt-dialects) */
	{ "correlation first, 3 bytes", &loop, DECODE, { .inst_mode = HS_NT_BTM },
	  { STOP(4), S100, B(0x100, 2, 2, 5), STOP(0) },
	  12, { 0x84, 0x10, 0x03, SYNC_100, 0x0c, 0x0b, 0x84, 0x00, 0x03 } },
	{ "correlation first, 2 bytes", &loop, DECODE, { .inst_mode = HS_NT_BTM },
	  { STOP(4), S100, B(0x100, 2, 2, 5), STOP(0) },
	  10, { 0x84, 0x13, SYNC_100, 0x0c, 0x0b, 0x84, 0x03 } },
	{ "correlation first, 3 bytes and TSTAMP", &loop, DECODE,
	  { .inst_mode = HS_NT_BTM, .timestamps = 1 },
	  { STOP(4), S100, TIME(5), B(0x100, 2, 2, 5), TIME(6), STOP(0), TIME(7) },
	  16, { 0x84, 0x10, 0x01, 0x27, 0x24, 0x15, 0x00, 0x09, 0x17, 0x0c, 0x09, 0x07, 0x84, 0x00,
	        0x01, 0x07 } },
	{ "correlation first, 2 bytes and TSTAMP", &loop, DECODE,
	  { .inst_mode = HS_NT_BTM, .timestamps = 1 },
	  { STOP(4), S100, TIME(5), B(0x100, 2, 2, 5), TIME(6), STOP(0), TIME(7) },
	  14, { 0x84, 0x11, 0x27, 0x24, 0x15, 0x00, 0x09, 0x17, 0x0c, 0x09, 0x07, 0x84, 0x01,
	        0x07 } },
	{ "correlation first, HIST empty", &calls, DECODE, { 0 },
	  { STOP(4), S100, B(0x100, 2, 2, 9), STOP(0) },
	  12, { 0x84, 0x50, 0x01, 0x07, SYNC_100, 0x84, 0x40, 0x09, 0x07 } },
	{ "correlation first, HIST empty and no I-CNT", &calls, DECODE, { 0 },
	  { STOP(4), S100, B(0x100, 2, 2, 9), STOP(0) },
	  11, { 0x84, 0x51, 0x07, SYNC_100, 0x84, 0x40, 0x09, 0x07 } },
	{ "correlation first, HIST empty, no I-CNT, TSTAMP", &calls, DECODE, { .timestamps = 1 },
	  { STOP(4), S100, TIME(5), B(0x100, 2, 2, 9), STOP(0), TIME(7) },
	  14, { 0x84, 0x51, 0x05, 0x27, 0x24, 0x15, 0x00, 0x09, 0x17, 0x84, 0x40, 0x09, 0x05,
	        0x0b } },
	{ "correlation first, of a halted hart, 2 bytes", &loop, DECODE, { .inst_mode = HS_NT_BTM },
	  { STOP(0), SYNC(3, 0x100), B(0x100, 2, 2, 5), STOP(0) },
	  10, { 0x84, 0x03, 0x24, 0x0d, 0x00, 0x0b, 0x0c, 0x0b, 0x84, 0x03 } },
	/* NT 7.1: PROCESS examples 0x3B2 (scontext 0x1D in VU) and 0xC (M) */
	{ "Ownership after synchronisation", &calls, BOTH, { .context = 1 },
	  { S100, CONTEXT(0x1d, 2, 4), IN_MODE(VU, 0x100, 2, 2, 9), STOP(0) },
	  11, { SYNC_100, 0x08, 0xc8, 0x3b, 0x84, 0x40, 0x09, 0x07 } },
	{ "hcontext goes before scontext", &calls, BOTH, { .context = 1 },
	  { S100, CONTEXT(1, 3, 4), CONTEXT(0x1d, 2, 4), IN_MODE(VU, 0x100, 2, 2, 9), STOP(0) },
	  13, { SYNC_100, 0x08, 0xcf, 0x08, 0xc8, 0x3b, 0x84, 0x40, 0x09, 0x07 } },
	{ "a context after a trap waits for the trap's address", &calls, BOTH, { .context = 1 },
	  { S100, CONTEXT(0, 2, 0), IN_MODE(U, 0x100, 0, 0, 1), CONTEXT(0x1d, 2, 4),
	    IN_MODE(VU, 0x200, 4, 2, 13),
	    STOP(0) },
	  17, { SYNC_100, 0x08, 0x0b, 0x10, 0x09, 0x00, 0x1b, 0x08, 0xc8, 0x3b, 0x84, 0x40, 0x11,
	        0x07 } },
	{ "privilege alone", &calls, DECODE, { .context = 1 },
	  { S100, CONTEXT(0, 0, 3), IN_MODE(M, 0x100, 2, 2, 9), STOP(0) },
	  10, { SYNC_100, 0x08, 0x33, 0x84, 0x40, 0x09, 0x07 } },
	/* NT 7.11 */
	{ "RepeatBranch", &loop, BOTH, { .inst_mode = HS_NT_BTM, .repeat_branch = 1 },
	  { S100, B(0x100, 2, 2, 5), B(0x100, 2, 2, 5), B(0x100, 2, 2, 5), B(0x100, 2, 2, 5),
	    B(0x100, 2, 2, 5), STOP(0) },
	  11, { SYNC_100, 0x0c, 0x0b, 0x78, 0x13, 0x84, 0x00, 0x03 } },
	{ "RepeatBranch counts to its limit", &loop, BOTH,
	  { .inst_mode = HS_NT_BTM, .repeat_branch = 1, .hrepeat_bits = 1 },
	  { S100, B(0x100, 2, 2, 5), B(0x100, 2, 2, 5), B(0x100, 2, 2, 5), STOP(0) },
	  13, { SYNC_100, 0x0c, 0x0b, 0x78, 0x07, 0x0c, 0x0b, 0x84, 0x00, 0x03 } },
	/* NT 7.11: from 20c to 210, then repeated twice.  "Repeat handling" goes back and forth;
	 * "the target address is the same" stays at 210 */
	{ "RepeatBranch with a U-ADDR that is not 0", &calls, DECODE, { 0 },
	  { SYNC(5, 0x20c), B(0x20c, 2, 2, 13), AMBIGUOUS(0x210), B(0x210, 2, 2, 13),
	    B(0x20c, 2, 2, 13), STOP(0) },
	  13, { 0x24, 0x15, 0x18, 0x13, 0x10, 0x21, 0x3b, 0x78, 0x0b, 0x84, 0x40, 0x01, 0x07 } },
	{ "RepeatBranch that keeps the target", &calls, DECODE, { .dialect = HS_NT_DIALECT_SIFIVE },
	  { SYNC(5, 0x20c), B(0x20c, 2, 2, 13), B(0x210, 2, 2, 13), B(0x210, 2, 2, 13), STOP(0) },
	  13, { 0x24, 0x15, 0x18, 0x13, 0x10, 0x21, 0x3b, 0x78, 0x0b, 0x84, 0x40, 0x01, 0x07 } },
	/* NT 9.3 with a history of two branches */
	/* NT 9.3: in place of no message */
	{ "repeated history, HREPEAT 0", &loop, DECODE, { .repeated_history = 1 },
	  { S100, STOP(0) }, 11, { SYNC_100, 0x6c, 0xc9, 0x03, 0x84, 0x40, 0x01, 0x07 } },
	{ "repeated history", &loop, BOTH, { .repeated_history = 1, .hist_bits = 2 },
	  { S100, B(0x100, 2, 2, 5), B(0x100, 2, 2, 5), B(0x100, 2, 2, 5), B(0x100, 2, 2, 5),
	    B(0x100, 2, 2, 5), B(0x100, 2, 2, 5), B(0x100, 2, 2, 5), STOP(0) },
	  12, { SYNC_100, 0x6c, 0xc8, 0x05, 0x0f, 0x84, 0x40, 0x39, 0x0f } },
	/* RCODE 9 in place of 2: 7 branches taken (design/nt-vendor) */
	{ "sifive: branches taken are counted", &loop, BOTH,
	  { .dialect = HS_NT_DIALECT_SIFIVE, .repeated_history = 1, .hist_bits = 2 },
	  { S100, B(0x100, 2, 2, 5), B(0x100, 2, 2, 5), B(0x100, 2, 2, 5), B(0x100, 2, 2, 5),
	    B(0x100, 2, 2, 5), B(0x100, 2, 2, 5), B(0x100, 2, 2, 5), STOP(0) },
	  11, { SYNC_100, 0x6c, 0xe4, 0x07, 0x84, 0x40, 0x39, 0x07 } },
	/* 10 ^ 12 is 6 */
	{ "sifive: timestamps are XORed", &calls, BOTH,
	  { .dialect = HS_NT_DIALECT_SIFIVE, .timestamps = 1 },
	  { S100, TIME(10), B(0x100, 2, 2, 9), STOP(0), TIME(12) },
	  10, { 0x24, 0x15, 0x00, 0x09, 0x2b, 0x84, 0x40, 0x09, 0x05, 0x1b } },
	/* NT 10.1 */
	{ "custom branch, not taken", &xyz, BOTH, { 0 }, { S100, B(0x100, 5, 1, 0), STOP(0) },
	  8, { SYNC_100, 0x84, 0x40, 0x15, 0x07 } },
	{ "custom branch, taken", &xyz, BOTH, { 0 },
	  { S100, B(0x100, 4, 2, 14), B(0x200, 1, 1, 0), STOP(0) },
	  12, { SYNC_100, 0x10, 0x41, 0x00, 0x1b, 0x84, 0x40, 0x05, 0x07 } },
	/* 8.4.4 of the ratified text: a counter of 4 bits; instruction by instruction at the
	 * port */
#define RATIFIED_PORT                                                                            \
	B(0x100, 1, 1, 0), B(0x102, 2, 2, 4), B(0x106, 2, 2, 0), B(0x10a, 2, 2, 0), \
		B(0x10e, 2, 2, 0), \
	B(0x112, 2, 2, 0), B(0x116, 2, 2, 0), B(0x11a, 1, 1, 0)
	{ "ratified 8.4.4, ResourceFull, sent", &ratified, ENCODE,
	  { .dialect = HS_NT_DIALECT_V1_0, .icnt_bits = 4, .start_sync = 3 },
	  { SYNC(3, 0x100), RATIFIED_PORT, STOP(0) },
	  11, { 0x24, 0x0d, 0x00, 0x0b, 0x6c, 0x40, 0x0b, 0x84, 0x40, 0x15, 0x0b } },
	{ "ratified 8.4.4, ResourceFull, read", &ratified, DECODE,
	  { .dialect = HS_NT_DIALECT_V1_0 },
	  { SYNC(3, 0x100), B(0x100, 3, 2, 4), B(0x106, 11, 1, 0), STOP(0) },
	  11, { 0x24, 0x0d, 0x00, 0x0b, 0x6c, 0x40, 0x0b, 0x84, 0x40, 0x15, 0x0b } },
	{ "ratified 8.4.4, SYNC 4 in BTM, sent", &ratified, ENCODE,
	  { .dialect = HS_NT_DIALECT_V1_0, .inst_mode = HS_NT_BTM, .icnt_bits = 4, .start_sync = 3,
	    .icnt_full = HS_NT_ICNT_SYNC },
	  { SYNC(3, 0x100), RATIFIED_PORT, STOP(0) },
	  12, { 0x24, 0x0d, 0x00, 0x0b, 0x24, 0x50, 0x09, 0x24, 0x0b, 0x84, 0x00, 0x17 } },
	{ "ratified 8.4.4, SYNC 4 in BTM, read", &ratified, DECODE,
	  { .dialect = HS_NT_DIALECT_V1_0 },
	  { SYNC(3, 0x100), B(0x100, 3, 2, 4), B(0x106, 11, 1, 0), STOP(0) },
	  12, { 0x24, 0x0d, 0x00, 0x0b, 0x24, 0x50, 0x09, 0x24, 0x0b, 0x84, 0x00, 0x17 } },
	/* NT 7.4, 8.5 */
	{ "messages lost: Error, then SYNC 7", &calls, ENCODE, { 0 },
	  { S100, B(0x100, 2, 2, 9), LOST, B(0x104, 4, 2, 9), STOP(0) },
	  15, { SYNC_100, 0x20, 0x00, 0x07, 0x24, 0x1d, 0x08, 0x0b, 0x84, 0x40, 0x11, 0x07 } },
	/* 7.4: "must be sent immediately prior to a synchronizing message"; "In the above case,
	 * Error Message will be the last message" */
	{ "messages lost, and the trace stops: Error once, and no more", &calls, ENCODE, { 0 },
	  { S100, B(0x100, 2, 2, 9), LOST, STOP(4), STOP(0), LOST, B(0x104, 4, 2, 9), STOP(0) },
	  15, { SYNC_100, 0x20, 0x00, 0x07, 0x24, 0x1d, 0x08, 0x0b, 0x84, 0x40, 0x11, 0x07 } },
	{ "messages lost, and the trace ends: Error is the last", &calls, ENCODE, { 0 },
	  { S100, B(0x100, 2, 2, 9), LOST, STOP(0) }, 7, { SYNC_100, 0x20, 0x00, 0x07 } },
	{ "messages lost, read", &calls, DECODE, { 0 },
	  { S100, GAP(4, HS_E_LOST), SYNC(7, 0x104), B(0x104, 4, 2, 9), STOP(0) },
	  15, { SYNC_100, 0x20, 0x00, 0x07, 0x24, 0x1d, 0x08, 0x0b, 0x84, 0x40, 0x11, 0x07 } },
	/* NT 8.5: markers and restarts */
	{ "trigger, HTM", &calls, BOTH, { 0 },
	  { S100, B(0x100, 2, 2, 9), SYNC(6, 0x200), B(0x200, 4, 2, 13), STOP(0) },
	  14, { SYNC_100, 0x74, 0x18, 0x09, 0x00, 0x11, 0x07, 0x84, 0x40, 0x11, 0x07 } },
	{ "trigger, BTM", &calls, BOTH, { .inst_mode = HS_NT_BTM },
	  { S100, B(0x100, 2, 2, 9), SYNC(0, 0x200), B(0x200, 4, 2, 13), STOP(0) },
	  11, { SYNC_100, 0x24, 0x81, 0x00, 0x13, 0x84, 0x00, 0x13 } },
	{ "reset without a stop", &calls, BOTH, { 0 },
	  { S100, B(0x100, 2, 2, 9), B(0x200, 2, 2, 0), SYNC(1, 0x104), B(0x104, 2, 2, 0),
	    STOP(0) },
	  14, { SYNC_100, 0x74, 0x04, 0x11, 0x08, 0x09, 0x07, 0x84, 0x40, 0x09, 0x07 } },
	{ "power-down and up", &calls, BOTH, { 0 },
	  { S100, B(0x100, 2, 2, 9), STOP(1), SYNC(9, 0x200), B(0x200, 4, 2, 13), STOP(0) },
	  16, { SYNC_100, 0x84, 0x44, 0x09, 0x07, 0x24, 0x25, 0x00, 0x13, 0x84, 0x40, 0x11,
	        0x07 } },
	{ "debug mode and back", &calls, BOTH, { 0 },
	  { S100, B(0x100, 2, 2, 9), STOP(0), SYNC(3, 0x200), B(0x200, 4, 2, 13), STOP(0) },
	  16, { SYNC_100, 0x84, 0x40, 0x09, 0x07, 0x24, 0x0d, 0x00, 0x13, 0x84, 0x40, 0x11,
	        0x07 } },
	/* NT 8.6, Table 26 */
	{ "back to back return", &calls, BOTH, { 0 },
	  { SYNC(5, 0x210), B(0x210, 2, 2, 13), B(0x20c, 2, 2, 13), B(0x10c, 2, 2, 0), STOP(0) },
	  15, { 0x24, 0x15, 0x20, 0x13, 0x10, 0x21, 0x3b, 0x10, 0x21, 0x00, 0x1b, 0x84, 0x40, 0x09,
	        0x07 } },
	{ "back to back exceptions", &calls, BOTH, { 0 },
	  { S100, B(0x100, 0, 0, 1), B(0x200, 0, 0, 1), B(0x208, 2, 2, 9), STOP(0) },
	  15, { SYNC_100, 0x10, 0x09, 0x00, 0x1b, 0x10, 0x09, 0x13, 0x84, 0x40, 0x09, 0x07 } },
	{ "exception at interrupt destination", &calls, BOTH, { 0 },
	  { S100, B(0x100, 0, 0, 2), B(0x200, 0, 0, 1), B(0x208, 2, 2, 9), STOP(0) },
	  15, { SYNC_100, 0x10, 0x0d, 0x00, 0x1b, 0x10, 0x09, 0x13, 0x84, 0x40, 0x09, 0x07 } },
	{ "pending interrupt at start of hart", &calls, BOTH, { .start_sync = 3 },
	  { SYNC(3, 0x100), B(0x100, 0, 0, 2), B(0x200, 4, 2, 13), STOP(0) },
	  12, { 0x24, 0x0d, 0x00, 0x0b, 0x10, 0x0d, 0x00, 0x1b, 0x84, 0x40, 0x11, 0x07 } },
	{ "exception at first instruction", &calls, BOTH, { .start_sync = 3 },
	  { SYNC(3, 0x100), B(0x100, 0, 0, 1), B(0x200, 4, 2, 13), STOP(0) },
	  12, { 0x24, 0x0d, 0x00, 0x0b, 0x10, 0x09, 0x00, 0x1b, 0x84, 0x40, 0x11, 0x07 } },
	{ "trace starts disabled", &calls, BOTH, { 0 },
	  { STOP(4), S100, B(0x100, 2, 2, 9), STOP(0) },
	  12, { 0x84, 0x50, 0x01, 0x07, SYNC_100, 0x84, 0x40, 0x09, 0x07 } },
	{ "hart stops with trace disabled", &calls, BOTH, { 0 },
	  { S100, B(0x100, 2, 2, 9), STOP(4), STOP(0) },
	  12, { SYNC_100, 0x84, 0x50, 0x09, 0x07, 0x84, 0x40, 0x01, 0x07 } },
	{ "trace starts disabled, and the hart stops", &calls, ENCODE, { 0 },
	  { STOP(0), SYNC(3, 0x100), B(0x100, 2, 2, 9), STOP(0) },
	  16, { 0x84, 0x50, 0x01, 0x07, 0x84, 0x40, 0x01, 0x07, 0x24, 0x0d, 0x00, 0x0b,
	        0x84, 0x40, 0x09, 0x07 } },
	{ "disabled twice", &calls, ENCODE, { 0 }, { S100, B(0x100, 2, 2, 9), STOP(4), STOP(4) },
	  8, { SYNC_100, 0x84, 0x50, 0x09, 0x07 } },
	/* Table 25: 1.0 reports nothing where a hart resumes with its trace disabled */
	{ "resumed with trace disabled", &calls, BOTH, { 0 },
	  { S100, B(0x100, 2, 2, 9), STOP(0), STOP(4), STOP(0) },
	  16, { SYNC_100, 0x84, 0x40, 0x09, 0x07, 0x84, 0x50, 0x01, 0x07, 0x84, 0x40, 0x01,
	        0x07 } },
	{ "resumed with trace disabled, ratified", &calls, ENCODE,
	  { .dialect = HS_NT_DIALECT_V1_0 },
	  { S100, B(0x100, 2, 2, 9), STOP(0), STOP(4), STOP(0) },
	  12, { SYNC_100, 0x84, 0x40, 0x09, 0x07, 0x84, 0x40, 0x01, 0x07 } },
	/* the reason of a start that has no event: exit from debug mode, power-up */
	{ "debug mode and back, no event", &calls, ENCODE, { 0 },
	  { S100, B(0x100, 2, 2, 9), STOP(0), B(0x200, 4, 2, 13), STOP(1), B(0x200, 4, 2, 13),
	    STOP(0) },
	  24, { SYNC_100, 0x84, 0x40, 0x09, 0x07, 0x24, 0x0d, 0x00, 0x13, 0x84, 0x44, 0x11, 0x07,
	        0x24, 0x25, 0x00, 0x13, 0x84, 0x40, 0x11, 0x07 } },
	/* Table 25, 0: "If trace is enabled by a trigger SYNC=5 should be used" */
	{ "a trigger while the trace is off", &calls, ENCODE, { 0 },
	  { S100, B(0x100, 2, 2, 9), STOP(4), SYNC(6, 0x200), B(0x200, 4, 2, 13), STOP(0) },
	  16, { SYNC_100, 0x84, 0x50, 0x09, 0x07, 0x24, 0x15, 0x00, 0x13, 0x84, 0x40, 0x11,
	        0x07 } },
	{ "a reset, and a watchpoint at its vector", &calls, ENCODE, { 0 },
	  { S100, B(0x100, 2, 2, 9), SYNC(1, 0x200), SYNC(6, 0x200), B(0x200, 4, 2, 13), STOP(0) },
	  14, { SYNC_100, 0x74, 0x04, 0x09, 0x00, 0x11, 0x07, 0x84, 0x40, 0x11, 0x07 } },
	{ "interrupt right after mret", &calls, BOTH, { 0 },
	  { SYNC(5, 0x32c), B(0x32c, 2, 2, 3), B(0x100, 0, 0, 2), B(0x200, 4, 2, 13), STOP(0) },
	  16, { 0x24, 0x15, 0x58, 0x1b, 0x10, 0x21, 0x58, 0x13, 0x10, 0x0d, 0x00, 0x1b, 0x84, 0x40,
	        0x11, 0x07 } },
	/* ratified 8.6: the trap return, its address with I-CNT 0, then the handler's */
	{ "interrupt right after mret, ratified", &calls, BOTH, { .dialect = HS_NT_DIALECT_V1_0 },
	  { SYNC(5, 0x32c), B(0x32c, 2, 2, 3), B(0x100, 0, 0, 2), B(0x200, 4, 2, 13), STOP(0) },
	  24, { 0x24, 0x15, 0x58, 0x1b, 0x10, 0x21, 0x58, 0x13, 0x74, 0x08, 0x01, 0x00, 0x09, 0x07,
	        0x74, 0xc8, 0x01, 0x00, 0x11, 0x07, 0x84, 0x40, 0x11, 0x07 } },
	{ "interrupt right after mret, ratified, BTM", &calls, BOTH,
	  { .dialect = HS_NT_DIALECT_V1_0, .inst_mode = HS_NT_BTM },
	  { SYNC(5, 0x32c), B(0x32c, 2, 2, 3), B(0x100, 0, 0, 2), B(0x200, 4, 2, 13), STOP(0) },
	  20, { 0x24, 0x15, 0x58, 0x1b, 0x10, 0x21, 0x58, 0x13, 0x24, 0x09, 0x00, 0x0b, 0x30, 0xc8,
	        0x01, 0x00, 0x13, 0x84, 0x00, 0x13 } },
	/* a trap of the first instruction after mret that retires something is as any other */
	{ "interrupt after mret and an instruction, ratified", &calls, BOTH,
	  { .dialect = HS_NT_DIALECT_V1_0 },
	  { SYNC(5, 0x32c), B(0x32c, 2, 2, 3), B(0x320, 2, 2, 2), B(0x200, 4, 2, 13), STOP(0) },
	  15, { 0x24, 0x15, 0x58, 0x1b, 0x10, 0x21, 0x1b, 0x10, 0x2d, 0x40, 0x0b, 0x84, 0x40,
	        0x11, 0x07 } },
};

/* NT 8.2.1, and the address of NT 8.2 with and without extension: F-ADDR of ProgTraceSync.  Then
 * fields of as many bits as design/nt-vendor says. */
static const struct address_row {
	uint64_t address;
	uint8_t extend, field /* addressBits */, n, bytes[12];
} addresses[] = {
	{ 0xffffffffe, 1, 0, 6, { 0xfc, 0xfc, 0xfc, 0xfc, 0xfc, 0x7f } },
	{ 0xfffffffe3ffffffe, 1, 0, 6, { 0xfc, 0xfc, 0xfc, 0xfc, 0x7c, 0xf3 } },
	{ 0x1ffffffffe, 1, 0, 7, { 0xfc, 0xfc, 0xfc, 0xfc, 0xfc, 0xfc, 0x03 } },
	{ 0xbffffffffffffffe, 1, 0, 11,
	  { 0xfc, 0xfc, 0xfc, 0xfc, 0xfc, 0xfc, 0xfc, 0xfc, 0xfc, 0xfc, 0x17 } },
	{ 0xffffffff800031f4, 1, 0, 6, { 0xe8, 0x8c, 0x04, 0x00, 0x00, 0xff } },
	{ 0xffffffff800031f4, 0, 0, 11,
	  { 0xe8, 0x8c, 0x04, 0x00, 0x00, 0xfc, 0xfc, 0xfc, 0xfc, 0xfc, 0x1f } },
	/* 0x7fffffffc00018fa: its low 48 bits, whose top one is 1 */
	{ 0xffffffff800031f4, 0, 48, 8, { 0xe8, 0x8c, 0x04, 0x00, 0x00, 0xfc, 0xfc, 0xff } },
	{ 0xffffffff800031f4, 0, 47, 8, { 0xe8, 0x8c, 0x04, 0x00, 0x00, 0xfc, 0xfc, 0x7f } },
	{ 0xffffffff800031f4, 0, 38, 7, { 0xe8, 0x8c, 0x04, 0x00, 0x00, 0xfc, 0x0f } },
	{ 0xffffffff800031f4, 0, 56, 10,
	  { 0xe8, 0x8c, 0x04, 0x00, 0x00, 0xfc, 0xfc, 0xfc, 0xfc, 0x0f } },
	/* the top bit on the wire is 1, that of the field is 0: not extended */
	{ 0xffffffffe, 0, 48, 6, { 0xfc, 0xfc, 0xfc, 0xfc, 0xfc, 0x7f } },
	{ 0xffffffffe, 1, 48, 6, { 0xfc, 0xfc, 0xfc, 0xfc, 0xfc, 0x7f } },
	{ 0xffffffff800031f4, 1, 48, 8, { 0xe8, 0x8c, 0x04, 0x00, 0x00, 0xfc, 0xfc, 0xff } },
	/* the highest of the lower half, the lowest of the upper one */
	{ 0x7ffffffffe, 0, 39, 7, { 0xfc, 0xfc, 0xfc, 0xfc, 0xfc, 0xfc, 0x0f } },
	{ 0xffffff8000000000, 0, 39, 7, { 0x00, 0x00, 0x00, 0x00, 0x00, 0x00, 0x13 } },
	/* as wide as an address of RV64 is */
	{ 0xffffffff800031f4, 0, 63, 11,
	  { 0xe8, 0x8c, 0x04, 0x00, 0x00, 0xfc, 0xfc, 0xfc, 0xfc, 0xfc, 0x1f } },
};

/* A field of 48 bits may also come with all bits above 38: those are 1, too. */
TEST(wider_than_its_address)
{
	static const uint8_t bytes[] = { 0x24, 0x15, 0xe8, 0x8c, 0x04, 0x00, 0x00, 0xfc, 0xfc,
		                         0xff };
	const struct hs_nt_config c = { .size = sizeof c, .address_bits = 38 };
	const struct hs_image nothing = { NULL, 0, { .xlen = 64 }, 0 };
	struct hs_span in = { bytes, sizeof bytes };
	struct hs_block out[16];
	size_t n;
	struct hs_nt_decoder *d = nt_decoder(&c, &nothing);

	assert_int_equal(hs_nt_decoder_next(d, &in, out, 16, &n), HS_MORE);
	assert_int_equal(n, 1);
	assert_true(out[0].value == 0xffffffff800031f4);
}

/* What a field of so many bits does not carry is refused. */
TEST(address_too_wide)
{
	static const uint64_t wide[] = { 0x8000000000, 0xffffff7ffffffffe, 0x7fffff8000000000,
		                         0x8000000000000000 };
	const struct hs_nt_config c = { .size = sizeof c, .address_bits = 39 };

	for (size_t i = 0; i < sizeof wide / sizeof *wide; i++) {
		const struct hs_block b = B(wide[i], 1, 1, 0);
		struct hs_nt_encoder e;
		uint8_t bytes[1024];
		size_t used, len;

		assert_int_equal(hs_nt_encoder_init(&e, &c), HS_OK);
		assert_int_equal(hs_nt_encode(&e, &b, 1, &used, bytes, sizeof bytes, &len),
		                 HS_E_BLOCK);
		assert_int_equal(used, 0);
		assert_int_equal(len, 0);
	}
}

TEST(address_extension)
{
	for (size_t i = 0; i < sizeof addresses / sizeof *addresses; i++) {
		const struct address_row *row = &addresses[i];
		const struct hs_nt_config c = { .size = sizeof c, .extend_addr = row->extend,
			                         .address_bits = row->field };
		const struct hs_block b = B(row->address, 1, 1, 0);
		const struct hs_image nothing = { NULL, 0, { .xlen = 64 }, 0 };
		struct hs_nt_encoder e;
		struct hs_block out[16];
		uint8_t bytes[1024];
		size_t used, len, n;

		assert_int_equal(hs_nt_encoder_init(&e, &c), HS_OK);
		assert_int_equal(hs_nt_encode(&e, &b, 1, &used, bytes, sizeof bytes, &len), HS_OK);
		assert_int_equal(len, row->n + 2);
		assert_memory_equal(bytes + 2, row->bytes, row->n);
		struct hs_span in = { bytes, len };
		struct hs_nt_decoder *d = nt_decoder(&c, &nothing);

		assert_int_equal(hs_nt_decoder_next(d, &in, out, 16, &n), HS_MORE);
		assert_int_equal(n, 1);
		assert_true(out[0].value == row->address);
	}
}

/* NT 9.3: ten full histories of 30 branches, 01 fifteen times, are one message. */
TEST(repeated_pattern)
{
	static const uint8_t want[] = { SYNC_100, 0x6c, 0x48, 0x54, 0x54, 0x54, 0x54, 0x55, 0x2b,
	                                0x84, 0x40, 0x68, 0x25, 0x0b };
	const struct hs_nt_config c = { .size = sizeof c, .repeated_history = 1, .hist_bits = 30 };
	struct hs_nt_counts counts;
	uint8_t bytes[2048];

	assert_int_equal(run_pattern(&c, 301, bytes, sizeof bytes, &counts), sizeof want);
	assert_memory_equal(bytes, want, sizeof want);
}

/* BTM of cores before N-Trace reports direct jumps: the error says what to set. */
TEST(all_jumps_is_named)
{
	static const uint8_t bytes[] = { SYNC_100, 0x0c, 0x0b };
	const struct hs_nt_config c = { .size = sizeof c, .dialect = HS_NT_DIALECT_SIFIVE };
	struct hs_span in = { bytes, sizeof bytes };
	struct hs_block out[16];
	size_t n;
	struct hs_nt_decoder *d = nt_decoder(&c, &calls);

	assert_int_equal(hs_nt_decoder_next(d, &in, out, 16, &n), HS_E_ICNT);
	assert_int_equal(hs_nt_decoder_diag(d)->reason, HS_REASON_ICNT_AT_JUMP);
	assert_non_null(strstr(hs_nt_decoder_diag(d)->text, "trTeInstEnAllJumps=1"));
}

/* A queue that drains one byte a block: with stall the trace is whole, without it every loss
 * is reported by Error and SYNC 7, and all that is decoded did run. */
static struct {
	uint8_t trace[4096];
	size_t n, queued;
	unsigned stalls, losses;
} port;

static void drain(size_t bytes)
{
	port.queued -= port.queued < bytes ? port.queued : bytes;
}

static void run_port(struct hs_nt_encoder *e, const struct hs_block *b, size_t queue)
{
	enum hs_status s;
	size_t len;

	do {
		drain(1);
		s = hs_nt_encode_port(e, b, port.trace + port.n, queue - port.queued, &len);
		port.n += len;
		port.queued += len;
		port.stalls += s == HS_FULL;
	} while (s == HS_FULL);
	port.losses += s == HS_E_LOST;
}

/* Every block of the loop is the same: count those that come back, and the gaps. */
static void read_port(unsigned *blocks, unsigned *gaps, unsigned *overruns)
{
	const struct hs_nt_config c = { .size = sizeof c };
	struct hs_span in = { port.trace, port.n };
	struct hs_block out[64];
	enum hs_status s;
	size_t n;

	*blocks = *gaps = *overruns = 0;
	struct hs_nt_decoder *d = nt_decoder(&c, &loop);

	do {
		s = hs_nt_decoder_next(d, &in, out, 64, &n);
		for (size_t i = 0; i < n; i++) {
			*blocks += out[i].kind == HS_KIND_BLOCK && out[i].itype == HS_ITYPE_TAKEN;
			*gaps += out[i].kind == HS_KIND_GAP && out[i].arg == HS_E_LOST;
			*overruns += out[i].kind == HS_KIND_SYNC && out[i].itype == 7;
		}
	} while (s == HS_FULL || s == HS_E_LOST);
	assert_int_equal(s, HS_MORE);
}

TEST(what_does_not_fit_is_lost)
{
	static const struct hs_block b = B(0x100, 2, 2, 5);
	unsigned blocks, gaps, overruns;

	for (unsigned stall = 0; stall < 2; stall++) {
		const struct hs_nt_config c = { .size = sizeof c, .inst_mode = HS_NT_BTM,
			                        .stall = (uint8_t)stall };
		struct hs_nt_encoder e;

		memset(&port, 0, sizeof port);
		assert_int_equal(hs_nt_encoder_init(&e, &c), HS_OK);
		for (int i = 0; i < 200; i++)
			run_port(&e, &b, 24);
		read_port(&blocks, &gaps, &overruns);
		if (stall) {
			assert_true(port.stalls > 20);
			assert_int_equal(port.losses, 0);
			assert_int_equal(blocks, 200);
			assert_int_equal(gaps + overruns, 0);
		} else {
			assert_int_equal(port.stalls, 0);
			assert_true(port.losses > 20);
			assert_true(blocks > 20 && blocks < 200 - port.losses + 1);
			assert_true(gaps > 1);
			assert_true(gaps == overruns || gaps == overruns + 1);
		}
	}
}

OPTION_ROWS(options)
