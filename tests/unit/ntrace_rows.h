/* N-Trace rows: a program, bytes, and what they say.  The decoder's test reads them from
 * left to right, the encoder's test from right to left.
 *
 * Bytes are worked out by hand from the clauses: MDO in bits 7:2, MSEO in bits 1:0, least
 * significant bits first (NT 3).  The programs are NT 8.4.1 and 8.4.4 as objdump shows them.
 */
#ifndef TESTS_NTRACE_ROWS_H
#define TESTS_NTRACE_ROWS_H

#include <string.h>

#include <hartscope/ntrace.h>

/* NT 8.4.1 */
static const uint8_t two_branches_100[] = {
	0x2e, 0x95,             /* 100 c.add */
	0x63, 0x0f, 0xb5, 0x0e, /* 102 beq 200 */
	0x33, 0x05, 0xb5, 0x00, /* 106 add */
	0x63, 0x0b, 0xb5, 0x1e, /* 10a beq 300 */
	0x2e, 0x95,             /* 10e c.add */
	0x33, 0x05, 0xb5, 0x00, /* 110 add */
	0x02, 0x90,             /* 114 c.ebreak */
};
static const uint8_t two_branches_200[] = { 0x2e, 0x95, 0x02, 0x90 };
static const uint8_t two_branches_300[] = { 0x33, 0x05, 0xb5, 0x00, 0x02, 0x90 };
/* NT 8.4.4 */
static const uint8_t counter_100[] = {
	0x2e, 0x95,             /* 100 c.add */
	0x63, 0x0f, 0xb5, 0x0e, /* 102 beq 200 */
	0x2e, 0x95,             /* 106 c.add */
	0x33, 0x05, 0xb5, 0x00, 0x33, 0x05, 0xb5, 0x00, 0x33, 0x05, 0xb5, 0x00, /* 108 10c 110 */
	0x33, 0x05, 0xb5, 0x00, 0x33, 0x05, 0xb5, 0x00,                         /* 114 118 */
	0x02, 0x90,             /* 11c c.ebreak */
};
static const uint8_t counter_200[] = {
	0x2e, 0x95,             /* 200 c.add */
	0x67, 0x80, 0x00, 0x00, /* 202 ret */
	0x73, 0x00, 0x00, 0x00, /* 206 ecall */
	0x33, 0x05, 0xb5, 0x00, /* 20a add */
	0x73, 0x00, 0x20, 0x10, /* 20e sret */
	0x6f, 0xf0, 0xff, 0xfe, /* 212 jal x0, 200 */
	0x6f, 0x00, 0x00, 0x00, /* 216 jal x0, 216 */
};
static const uint8_t loop_100[] = { 0x63, 0x00, 0x00, 0x00 }; /* beq x0, x0, 100 */

static const struct hs_section two_branches_sections[] = {
	{ 0x100, sizeof two_branches_100, two_branches_100 },
	{ 0x200, sizeof two_branches_200, two_branches_200 },
	{ 0x300, sizeof two_branches_300, two_branches_300 },
};
static const struct hs_section counter_sections[] = {
	{ 0x100, sizeof counter_100, counter_100 },
	{ 0x200, sizeof counter_200, counter_200 },
};
static const struct hs_section loop_sections[] = { { 0x100, sizeof loop_100, loop_100 } };
static const struct hs_image two_branches = { two_branches_sections, 3, { .xlen = 64 }, 0 };
static const struct hs_image counter = { counter_sections, 2, { .xlen = 64 }, 0 };
static const struct hs_image loop = { loop_sections, 1, { .xlen = 64 }, 0 };

#define B(a, n, last, type) \
	{ { (a) }, { (n) }, (last), (type), HS_PRIV_UNKNOWN, 0, 0, HS_KIND_BLOCK }
#define IN_MODE(mode, a, n, last, type) \
	{ { (a) }, { (n) }, (last), (type), HS_PRIV_##mode, 0, 0, HS_KIND_BLOCK }
#define SYNC(code, a)       { { (a) }, { 0 }, 0, (code), HS_PRIV_UNKNOWN, 0, 0, HS_KIND_SYNC }
#define STOP(code)          { { 0 }, { 0 }, 0, (code), HS_PRIV_UNKNOWN, 0, 0, HS_KIND_STOP }
#define GAP(offset, why)    { { (offset) }, { (why) }, 0, 0, 0, 0, 0, HS_KIND_GAP }
#define UNSEEN(a, n)        { { (a) }, { (n) }, 0, HS_UNSEEN_HALFWORDS, 0, 0, 0, HS_KIND_UNSEEN }
#define CONTEXT(v, format, p) { { (v) }, { (format) }, 0, 0, (p), 0, 0, HS_KIND_CONTEXT }

/* What a row's configuration is, besides the standard one. */
enum { BTM = 1, PLAIN = 2, COUNTER4 = 4, ONE_WAY = 8 /* the encoder does not make these bytes */ };

struct row {
	const char *name;
	const struct hs_image *program;
	unsigned flags;
	struct hs_block items[8]; /* to the first with nothing in it */
	uint8_t errors;
	uint8_t n, bytes[30];
};

#define SYNC_100 0x24, 0x15, 0x00, 0x0b /* ProgTraceSync SYNC=5 I-CNT=0 F-ADDR=0x80 */
#define SYNC_200 0x24, 0x15, 0x00, 0x13
#define S100 SYNC(5, 0x100)
#define S200 SYNC(5, 0x200)

static const struct row rows[] = {
	/* NT 8.4.1, BTM */
	{ "first branch taken", &two_branches, BTM,
	  { S100, B(0x100, 3, 2, 5), B(0x200, 1, 1, 0), STOP(0) }, 0,
	  9, { SYNC_100, 0x0c, 0x0f, 0x84, 0x00, 0x07 } },
	{ "second branch taken", &two_branches, BTM,
	  { S100, B(0x100, 3, 2, 4), B(0x106, 4, 2, 5), B(0x300, 2, 2, 0), STOP(0) }, 0,
	  9, { SYNC_100, 0x0c, 0x1f, 0x84, 0x00, 0x0b } },
	{ "no branch taken", &two_branches, BTM,
	  { S100, B(0x100, 3, 2, 4), B(0x106, 4, 2, 4), B(0x10e, 3, 2, 0), STOP(0) }, 0,
	  7, { SYNC_100, 0x84, 0x00, 0x2b } },
	{ "I-CNT 1: trap, B-TYPE 1", &two_branches, BTM | PLAIN,
	  { S100, B(0x100, 1, 1, 1), B(0x200, 1, 1, 0), STOP(0) }, 0,
	  11, { SYNC_100, 0x10, 0x15, 0x00, 0x1b, 0x84, 0x00, 0x07 } },
	{ "I-CNT 5: interrupt, B-TYPE 3", &two_branches, BTM,
	  { S100, B(0x100, 3, 2, 4), B(0x106, 2, 2, 2), B(0x200, 1, 1, 0), STOP(0) }, 0,
	  11, { SYNC_100, 0x10, 0x5d, 0x00, 0x1b, 0x84, 0x00, 0x07 } },
	{ "I-CNT 0: exception at once, B-TYPE 2", &two_branches, BTM,
	  { S100, B(0x100, 0, 0, 1), B(0x200, 1, 1, 0), STOP(0) }, 0,
	  11, { SYNC_100, 0x10, 0x09, 0x00, 0x1b, 0x84, 0x00, 0x07 } },
	{ "I-CNT 4 is inside an instruction", &two_branches, BTM | ONE_WAY,
	  { S100, B(0x100, 3, 2, 4), GAP(4, HS_E_ICNT) }, 1, 7, { SYNC_100, 0x84, 0x00, 0x13 } },
	{ "I-CNT 6 is inside an instruction", &two_branches, BTM | ONE_WAY,
	  { S100, B(0x100, 3, 2, 4), GAP(4, HS_E_ICNT) }, 1, 7, { SYNC_100, 0x84, 0x00, 0x1b } },
	{ "I-CNT 9 is inside an instruction", &two_branches, BTM | ONE_WAY,
	  { S100, B(0x100, 3, 2, 4), B(0x106, 4, 2, 4), GAP(4, HS_E_ICNT) }, 1,
	  7, { SYNC_100, 0x84, 0x00, 0x27 } },
	{ "ResourceFull: I-CNT inside an instruction", &two_branches, BTM | ONE_WAY,
	  { S100, B(0x100, 3, 2, 4), B(0x106, 4, 2, 5), GAP(6, HS_E_ICNT) }, 1,
	  8, { SYNC_100, 0x0c, 0x1f, 0x6c, 0x43 } },
	{ "DirectBranch not at a branch", &two_branches, BTM | ONE_WAY,
	  { S100, B(0x100, 1, 1, 0), GAP(4, HS_E_ICNT) }, 1, 6, { SYNC_100, 0x0c, 0x07 } },
	{ "decoding resumes at the next sync", &two_branches, BTM | ONE_WAY,
	  { S100, B(0x100, 3, 2, 4), GAP(4, HS_E_ICNT), S100, B(0x100, 3, 2, 5), B(0x200, 1, 1, 0),
	    STOP(0) }, 1,
	  18, { SYNC_100, 0x84, 0x00, 0x13, 0x0c, 0x0f, SYNC_100, 0x0c, 0x0f, 0x84, 0x00, 0x07 } },
	/* NT 8.4.2, HTM */
	{ "HIST 1", &two_branches, 0,
	  { S100, B(0x100, 3, 2, 5), B(0x200, 1, 1, 0), STOP(0) }, 0,
	  8, { SYNC_100, 0x84, 0x40, 0x11, 0x0f } },
	{ "HIST 01", &two_branches, 0,
	  { S100, B(0x100, 3, 2, 4), B(0x106, 4, 2, 5), B(0x300, 2, 2, 0), STOP(0) }, 0,
	  8, { SYNC_100, 0x84, 0x40, 0x25, 0x17 } },
	{ "HIST 00", &two_branches, 0,
	  { S100, B(0x100, 3, 2, 4), B(0x106, 4, 2, 4), B(0x10e, 3, 2, 0), STOP(0) }, 0,
	  8, { SYNC_100, 0x84, 0x40, 0x29, 0x13 } },
	{ "HIST without its stop bit", &two_branches, ONE_WAY,
	  { S100, GAP(4, HS_E_HIST) }, 1, 8, { SYNC_100, 0x84, 0x40, 0x29, 0x03 } },
	{ "HIST with more branches than I-CNT", &two_branches, ONE_WAY,
	  { S100, B(0x100, 3, 2, 5), GAP(4, HS_E_HIST) }, 1, 8,
	  { SYNC_100, 0x84, 0x40, 0x0d, 0x1f } },
	{ "HIST with fewer branches than I-CNT", &two_branches, ONE_WAY,
	  { S100, B(0x100, 3, 2, 4), B(0x106, 4, 2, 0), GAP(4, HS_E_HIST) }, 1,
	  8, { SYNC_100, 0x84, 0x40, 0x1d, 0x0b } },
	{ "HIST goes first by ResourceFull", &two_branches, ONE_WAY,
	  { S100, B(0x100, 3, 2, 5), B(0x200, 1, 1, 0), STOP(0) }, 0,
	  10, { SYNC_100, 0x6c, 0xc7, 0x84, 0x40, 0x11, 0x07 } },
	{ "I-CNT less than HIST led through", &two_branches, ONE_WAY,
	  { S100, B(0x100, 3, 2, 5), GAP(6, HS_E_ICNT) }, 1,
	  10, { SYNC_100, 0x6c, 0xc7, 0x84, 0x40, 0x09, 0x07 } },
	{ "HIST where the program loops without a branch", &counter, ONE_WAY,
	  { SYNC(5, 0x216), B(0x216, 2, 2, 15), B(0x216, 2, 2, 15), B(0x216, 2, 2, 15),
	    B(0x216, 2, 2, 15), B(0x216, 2, 2, 0), GAP(4, HS_E_HIST) }, 1,
	  6, { 0x24, 0x15, 0x2c, 0x13, 0x6c, 0xc7 } },
	/* NT 8.4.4: a counter of 4 bits, reported by SYNC 4 */
	{ "sequential instruction counter", &counter, COUNTER4,
	  { SYNC(3, 0x100), B(0x100, 3, 2, 4), B(0x106, 11, 2, 0), STOP(0) }, 0,
	  14, { 0x24, 0x0d, 0x00, 0x0b, 0x74, 0x10, 0x21, 0x20, 0x09, 0x0b, 0x84, 0x40, 0x19,
	        0x07 } },
	/* NT 7.3, 8.1: 200 XOR 100 = 300, from bit 1 on */
	{ "return", &counter, 0,
	  { S200, B(0x200, 3, 2, 13), B(0x100, 1, 1, 0), STOP(0) }, 0,
	  12, { SYNC_200, 0x10, 0x31, 0x00, 0x1b, 0x84, 0x40, 0x05, 0x07 } },
	{ "sret", &counter, 0,
	  { SYNC(5, 0x20a), B(0x20a, 4, 2, 3), B(0x206, 2, 2, 1), B(0x20a, 2, 2, 0), STOP(0) }, 0,
	  14, { 0x24, 0x15, 0x14, 0x13, 0x10, 0x41, 0x1b, 0x10, 0x29, 0x1b, 0x84, 0x40, 0x09,
	        0x07 } },
	{ "ecall ends the trace", &counter, 0,
	  { SYNC(5, 0x206), B(0x206, 2, 2, 1), STOP(0) }, 0,
	  8, { 0x24, 0x15, 0x0c, 0x13, 0x84, 0x40, 0x09, 0x07 } },
	{ "I-CNT passes a return", &counter, ONE_WAY,
	  { S200, B(0x200, 3, 2, 0), GAP(4, HS_E_ICNT) }, 1, 8,
	  { SYNC_200, 0x84, 0x40, 0x15, 0x07 } },
	{ "target of a return not given", &counter, ONE_WAY,
	  { S200, B(0x200, 3, 2, 0), GAP(4, HS_E_FLOW), SYNC(0, 0x100) }, 1,
	  8, { SYNC_200, 0x24, 0xc1, 0x00, 0x0b } },
	{ "B-TYPE 0 not at a jump", &counter, ONE_WAY,
	  { S200, B(0x200, 1, 1, 0), GAP(4, HS_E_ICNT) }, 1, 8,
	  { SYNC_200, 0x10, 0x11, 0x00, 0x1b } },
	/* a handler at 0x1100, which is not known */
	{ "no code", &two_branches, ONE_WAY,
	  { S100, B(0x100, 1, 1, 2), GAP(8, HS_E_NOCODE), UNSEEN(0x1100, 1), STOP(0) }, 1,
	  11, { SYNC_100, 0x10, 0x1d, 0x00, 0x83, 0x84, 0x00, 0x07 } },
	{ "no code, and back: 0x1100 XOR 0x1300", &two_branches, BTM | ONE_WAY,
	  { S100, B(0x100, 1, 1, 2), GAP(8, HS_E_NOCODE), UNSEEN(0x1100, 5), B(0x200, 1, 1, 0),
	    STOP(0) }, 1,
	  15, { SYNC_100, 0x10, 0x1d, 0x00, 0x83, 0x10, 0x51, 0x00, 0x9b, 0x84, 0x00, 0x07 } },
	{ "no code to the end", &two_branches, BTM | ONE_WAY,
	  { S100, B(0x100, 1, 1, 2), GAP(8, HS_E_NOCODE), UNSEEN(0x1100, 5) }, 1,
	  12, { SYNC_100, 0x10, 0x1d, 0x00, 0x83, 0x10, 0x51, 0x00, 0x0b } },
	/* NT 8.4.2: the counts prove more than the branches */
	{ "the capture ends after I-CNT 9: 3 to the first branch, 6 more", &two_branches, ONE_WAY,
	  { S100, B(0x100, 3, 2, 0), UNSEEN(0x106, 6) }, 0, 7, { SYNC_100, 0x6c, 0x40, 0x0b } },
	{ "the capture ends after I-CNT 1", &two_branches, ONE_WAY,
	  { S100, B(0x100, 1, 1, 0) }, 0, 6, { SYNC_100, 0x6c, 0x43 } },
	{ "the capture ends after I-CNT 3 + 9: a return, 9 more", &counter, ONE_WAY,
	  { S200, B(0x200, 3, 2, 13), UNSEEN(0x206, 9) }, 0,
	  9, { SYNC_200, 0x6c, 0xc3, 0x6c, 0x40, 0x0b } },
	{ "no code, and a message is lost there", &two_branches, BTM | ONE_WAY,
	  { S100, B(0x100, 1, 1, 2), GAP(8, HS_E_NOCODE), UNSEEN(0x1100, 3),
	    GAP(10, HS_E_LOST) }, 2,
	  12, { SYNC_100, 0x10, 0x1d, 0x00, 0x83, 0x0c, 0x0f, 0x20, 0x03 } },
	{ "F-ADDR is not where the flow leads", &two_branches, ONE_WAY,
	  { S100, B(0x100, 1, 1, 0), GAP(4, HS_E_FLOW), SYNC(0, 0x200), B(0x200, 1, 1, 0),
	    STOP(0) }, 1,
	  11, { SYNC_100, 0x24, 0x41, 0x00, 0x13, 0x84, 0x00, 0x07 } },
	/* NT 7 */
	{ "RepeatBranch", &loop, BTM | ONE_WAY,
	  { S100, B(0x100, 2, 2, 5), B(0x100, 2, 2, 5), B(0x100, 2, 2, 5), STOP(0) }, 0,
	  11, { SYNC_100, 0x0c, 0x0b, 0x78, 0x0b, 0x84, 0x00, 0x03 } },
	{ "RepeatBranch repeats nothing", &loop, BTM | ONE_WAY,
	  { S100, GAP(4, HS_E_FLOW) }, 1, 6, { SYNC_100, 0x78, 0x0b } },
	{ "Ownership, vendor and reserved messages pass", &two_branches, BTM | ONE_WAY,
	  { S100, CONTEXT(0, 0, 3), IN_MODE(M, 0x100, 3, 2, 5), IN_MODE(M, 0x200, 1, 1, 0),
	    STOP(0) }, 0,
	  16, { SYNC_100, 0x08, 0x33, 0xe0, 0x03, 0x00, 0x01, 0x07, 0x0c, 0x0f, 0x84, 0x00,
	        0x07 } },
	{ "Error: messages were lost", &two_branches, BTM | ONE_WAY,
	  { S100, B(0x100, 3, 2, 5), GAP(6, HS_E_LOST) }, 1,
	  8, { SYNC_100, 0x0c, 0x0f, 0x20, 0x03 } },
	{ "trace off and on", &two_branches, BTM,
	  { S100, B(0x100, 3, 2, 5), B(0x200, 1, 1, 0), STOP(4), S100, B(0x100, 1, 1, 0), STOP(0) },
	  0,
	  16, { SYNC_100, 0x0c, 0x0f, 0x84, 0x10, 0x07, SYNC_100, 0x84, 0x00, 0x07 } },
	/* NT 3, 3.1, 6 */
	{ "idle bytes", &two_branches, BTM | ONE_WAY,
	  { S100, B(0x100, 3, 2, 5), B(0x200, 1, 1, 0), STOP(0) }, 0,
	  14, { 0xff, 0xff, SYNC_100, 0xff, 0x0c, 0x0f, 0xff, 0xff, 0x84, 0x00, 0x07 } },
	{ "mid-message start is no error", &two_branches, BTM | ONE_WAY,
	  { S100, B(0x100, 3, 2, 5), B(0x200, 1, 1, 0), STOP(0) }, 0,
	  12, { 0x05, 0x00, 0x1b, SYNC_100, 0x0c, 0x0f, 0x84, 0x00, 0x07 } },
	{ "MSEO 10", &two_branches, BTM | ONE_WAY,
	  { S100, B(0x100, 3, 2, 5), GAP(6, HS_E_FRAMING), S100 }, 1,
	  13, { SYNC_100, 0x0c, 0x0f, 0x84, 0x02, 0x07, SYNC_100 } },
	{ "a field too many", &two_branches, BTM | ONE_WAY,
	  { S100, GAP(4, HS_E_FIELD) }, 1, 9, { SYNC_100, 0x0c, 0x0d, 0x01, 0x01, 0x03 } },
	/* NT 7.2: its last instruction is a taken branch, not c.ebreak, and not none */
	{ "DirectBranch ends at c.ebreak", &two_branches, BTM | ONE_WAY,
	  { S100, B(0x100, 3, 2, 4), B(0x106, 4, 2, 4), B(0x10e, 4, 1, 0), GAP(4, HS_E_ICNT) }, 1,
	  6, { SYNC_100, 0x0c, 0x2f } },
	{ "DirectBranch of nothing, where no code is", &two_branches, BTM | ONE_WAY,
	  { S100, B(0x100, 1, 1, 1), GAP(8, HS_E_ICNT) }, 1,
	  10, { SYNC_100, 0x10, 0x15, 0x00, 0x33, 0x0c, 0x03 } },
	{ "I-CNT inside an instruction, after a trigger", &two_branches, BTM | ONE_WAY,
	  { S100, SYNC(6, 0x102), B(0x100, 1, 1, 0), GAP(8, HS_E_ICNT) }, 1,
	  10, { SYNC_100, 0x24, 0x59, 0x04, 0x0b, 0x0c, 0x07 } },
	{ "I-CNT of no bits after EVCODE and CDF, then TSTAMP", &two_branches, BTM | ONE_WAY,
	  { S100, B(0x100, 3, 2, 5), STOP(0) }, 0,
	  9, { SYNC_100, 0x0c, 0x0f, 0x84, 0x01, 0x07 } },
	{ "I-CNT and HIST of no bits", &two_branches, BTM | ONE_WAY,
	  { S100, B(0x100, 3, 2, 5), GAP(6, HS_E_FIELD) }, 1,
	  8, { SYNC_100, 0x0c, 0x0f, 0x84, 0x43 } },
	{ "I-CNT too wide", &two_branches, BTM | ONE_WAY,
	  { S100, GAP(4, HS_E_FIELD) }, 1, 11,
	  { SYNC_100, 0x0c, 0xfc, 0xfc, 0xfc, 0xfc, 0xfc, 0x07 } },
	{ "I-CNT of 30 bits and zeros", &two_branches, BTM | ONE_WAY,
	  { S100, B(0x100, 3, 2, 5) }, 0, 12, { SYNC_100, 0x0c, 0x0c, 0, 0, 0, 0, 0, 0x03 } },
	{ "F-ADDR 0 left off", &two_branches, BTM | ONE_WAY,
	  { SYNC(5, 0), S100, B(0x100, 3, 2, 5) }, 0, 8, { 0x24, 0x17, SYNC_100, 0x0c, 0x0f } },
};

/* How many items a row has. */
static inline size_t row_items(const struct row *r)
{
	size_t n = 0;

	while (n < 8 && (r->items[n].iaddr || r->items[n].iretire || r->items[n].kind))
		n++;
	return n;
}

#endif
