/* The library inside a simulation (hartscope_dpi.h): rows of the ingress port to messages, checks
 * of the rows, another encoder's bytes against the model's, and back to blocks.
 *
 * Program: 100 c.nop, 102 beq x0,x0,200, 200 c.nop.  Its trace by NT 7.2, 7.5, 7.12. */
#include "cases.h"

#include <unistd.h>

#include <hartscope/block.h>

#include "little.h"
#include "../../plugins/dpi/hartscope_dpi.h"

#define PORT "port.form=block port.ilastsize_width=1 port.interrupt_iaddr=1 "
#define BTM PORT "trTeInstMode=btm "

/* ProgTraceSync SYNC=5 I-CNT=0 F-ADDR=0x80; DirectBranch I-CNT=3; ProgTraceCorrelation EVCODE=0
 * I-CNT=1. */
static const uint8_t trace[] = { 0x24, 0x15, 0x00, 0x0b, 0x0c, 0x0f, 0x84, 0x00, 0x07 };

static int group(void *m, uint64_t cycle, int iretire, int itype, int ilastsize, uint64_t iaddr)
{
	hs_dpi_group(m, 0, iretire, itype, ilastsize, iaddr);
	hs_dpi_shared(m, 0, 0, 3, 0);
	return hs_dpi_clock(m, cycle);
}

static void run(void *m)
{
	assert_int_equal(group(m, 5, 1, HS_ITYPE_NONE, 0, 0x100), HS_OK);
	assert_int_equal(group(m, 8, 2, HS_ITYPE_TAKEN, 1, 0x102), HS_OK);
	assert_int_equal(group(m, 9, 1, HS_ITYPE_NONE, 0, 0x200), HS_OK);
	assert_int_equal(hs_dpi_set(m, "halted", 0, 1), HS_OK);
	assert_int_equal(hs_dpi_clock(m, 12), HS_OK);
	assert_int_equal(hs_dpi_end(m), HS_OK);
}

static void *open_model(const char *parameters)
{
	void *m = hs_dpi_open("ntrace", parameters);

	if (!m)
		fail_msg("%s", hs_dpi_error());
	return m;
}

TEST(messages_of_ntrace)
{
	static const struct {
		int length;
		uint64_t cycle; /* in which the block ended that led to it */
		const char *text;
	} want[] = {
		{ 4, 8, "ProgTraceSync SYNC=5 I-CNT=0 F-ADDR=0x80" },
		{ 2, 8, "DirectBranch I-CNT=3" },
		{ 3, 12, "ProgTraceCorrelation EVCODE=0 CDF=0 I-CNT=1" },
	};
	void *m = open_model(BTM);
	size_t at = 0;

	run(m);
	for (size_t i = 0; i < 3; i++) {
		assert_int_equal(hs_dpi_message(m), want[i].length);
		assert_int_equal(hs_dpi_message_cycle(m), want[i].cycle);
		assert_string_equal(hs_dpi_message_text(m), want[i].text);
		for (int b = 0; b < want[i].length; b++)
			assert_int_equal(hs_dpi_message_byte(m, b), trace[at++]);
		assert_int_equal(hs_dpi_message_byte(m, want[i].length), -1);
	}
	assert_int_equal(hs_dpi_message(m), 0);
	hs_dpi_close(m);
}

/* The other protocol, by ET Format 1 packets and Format 3 subformats 0 and 3: the start at 100, a
 * taken branch (0) and the last address, 100 further on (without bit 0), then ended_rep. */
TEST(packets_of_etrace)
{
	static const char *const want[] = {
		"Support format=3 subformat=3 ienable=1 encoder_mode=0 qual_status=0 ",
		"Synchronisation format=3 subformat=0 branch=1 privilege=3 address=0x80",
		"Branch format=1 branches=1 branch_map=0x0 address=0x80 ",
		"Support format=3 subformat=3 ienable=1 encoder_mode=0 qual_status=1 ",
	};
	void *m = hs_dpi_open("etrace", PORT);

	assert_non_null(m);
	run(m);
	for (size_t i = 0; i < 4; i++) {
		assert_true(hs_dpi_message(m) > 0);
		assert_int_equal(strncmp(hs_dpi_message_text(m), want[i], strlen(want[i])), 0);
	}
	hs_dpi_close(m);
}

/* ---- rows ---- */

static const struct illegal {
	const char *name, *fault;
	int iretire, itype, ilastsize;
	uint64_t iaddr;
	int slot;
} illegal[] = {
	{ "odd address", "PT Table 3.1: iaddr: an odd address (cycle 7, slot 0)", 1, 0, 0, 0x101,
	  0 },
	{ "itype 7", "ET Instruction type (itype) encoding: itype: a reserved itype (cycle 7, slot 0)",
	  1, 7, 0, 0x100, 0 },
	{ "a hole", "ET Instruction Trace Interface: itype: a lower numbered group is free (cycle 7, slot 1)",
	  1, 5, 0, 0x100, 1 },
	{ "a long last instruction",
	  "ET multiple retirement per block: ilastsize: the last instruction is longer than the block "
	  "(cycle 7, slot 0)", 1, 5, 1, 0x100, 0 },
	{ "a wide value", "ET Instruction interface signals: iretire: the value is wider than the "
	                  "signal (cycle 7, slot 0)", 1024, 0, 0, 0x100, 0 },
};

TEST_ROWS(refuses, illegal, row)
{
	void *m = hs_dpi_open("", PORT "port.slots=2");

	assert_non_null(m);
	hs_dpi_group(m, row->slot, row->iretire, row->itype, row->ilastsize, row->iaddr);
	assert_int_not_equal(hs_dpi_clock(m, 7), HS_OK);
	assert_non_null(strstr(hs_dpi_fault(m), row->fault));
	assert_int_equal(hs_dpi_clock(m, 8), HS_OK); /* the row is gone */
	assert_string_equal(hs_dpi_fault(m), "");
	hs_dpi_close(m);
}

TEST(nothing_leads_there)
{
	void *m = hs_dpi_open("", PORT);

	assert_int_equal(group(m, 1, 2, HS_ITYPE_NOT_TAKEN, 1, 0x100), HS_OK);
	assert_int_equal(group(m, 2, 1, HS_ITYPE_NONE, 0, 0x106), HS_E_BLOCK);
	assert_non_null(strstr(hs_dpi_fault(m), "NT 2: iaddr: "));
	assert_non_null(strstr(hs_dpi_fault(m), "(cycle 2)"));
	hs_dpi_close(m);
}

/* Models that share a port are given what it is given, and find what it finds, until the last one
 * is closed. */
TEST(shares_port)
{
	void *port = hs_dpi_open("", PORT), *one = open_model(BTM), *two = open_model(BTM);
	void *wide = open_model(BTM "port.slots=2"), *queued = open_model(BTM "queue.bytes=64");
	void *apart = open_model(BTM);
	int length = 0;

	assert_int_equal(hs_dpi_followed(one), -1);
	assert_int_equal(hs_dpi_follow(one, port), HS_OK);
	assert_int_equal(hs_dpi_follow(two, port), HS_OK);
	assert_int_equal(hs_dpi_follow(one, port), HS_E_CONFIG); /* it does already */
	assert_int_equal(hs_dpi_follow(port, wide), HS_E_CONFIG);
	assert_int_equal(hs_dpi_follow(wide, port), HS_E_CONFIG);
	assert_int_equal(hs_dpi_follow(queued, port), HS_E_CONFIG);
	hs_dpi_close(wide);
	hs_dpi_close(queued);
	assert_int_equal(group(port, 4, 1, HS_ITYPE_NONE, 0, 0x101), HS_E_BLOCK);
	group(apart, 4, 1, HS_ITYPE_NONE, 0, 0x101);
	assert_int_equal(hs_dpi_followed(two), HS_E_BLOCK);
	assert_non_null(strstr(hs_dpi_fault(two), "an odd address (cycle 4, slot 0)"));
	hs_dpi_close(two);
	run(port);
	run(apart);
	assert_int_equal(hs_dpi_followed(one), HS_OK);
	assert_string_equal(hs_dpi_fault(one), "");
	hs_dpi_close(port);
	assert_int_equal(hs_dpi_end(one), HS_OK);
	for (size_t at = 0; at < sizeof(trace); at += (size_t)length) {
		length = hs_dpi_message(one);
		assert_true(length > 0);
		assert_int_equal(hs_dpi_message(apart), length);
		assert_int_equal(hs_dpi_message_cycle(one), hs_dpi_message_cycle(apart));
		for (int i = 0; i < length; i++)
			assert_int_equal(hs_dpi_message_byte(one, i), trace[at + (size_t)i]);
	}
	assert_int_equal(hs_dpi_message_cycle(one), 12);
	hs_dpi_close(one);
	hs_dpi_close(apart);
}

/* A design without room for the messages of a block: Error, and the next one synchronises (NT 7.4,
 * Table 25: SYNC 7).  A block that makes no message is not lost. */
TEST(loses_blocks)
{
	static const char *const want[] = {
		"ProgTraceSync SYNC=5 I-CNT=0 F-ADDR=0x80", "Error ETYPE=0 ECODE=4",
		"ProgTraceSync SYNC=7 I-CNT=0 F-ADDR=0x180", "DirectBranch I-CNT=2",
		"ProgTraceCorrelation EVCODE=0 CDF=0 I-CNT=2",
	};
	void *m = open_model(BTM), *port = hs_dpi_open("", PORT);

	assert_int_equal(group(m, 1, 2, HS_ITYPE_NOT_TAKEN, 1, 0x100), HS_OK);
	assert_int_equal(hs_dpi_no_room(m, 1), HS_OK);
	assert_int_equal(group(m, 2, 1, HS_ITYPE_NONE, 0, 0x104), HS_OK);
	assert_int_equal(group(m, 3, 2, HS_ITYPE_TAKEN, 1, 0x106), HS_OK); /* the same block */
	assert_int_equal(group(m, 4, 2, HS_ITYPE_TAKEN, 1, 0x300), HS_OK);
	assert_int_equal(hs_dpi_no_room(m, 1), HS_OK);
	assert_int_equal(group(m, 5, 2, HS_ITYPE_NOT_TAKEN, 1, 0x400), HS_OK);
	assert_int_equal(hs_dpi_set(m, "halted", 0, 1), HS_OK);
	assert_int_equal(hs_dpi_clock(m, 6), HS_OK);
	assert_int_equal(hs_dpi_end(m), HS_OK);
	for (size_t i = 0; i < sizeof(want) / sizeof(*want); i++) {
		assert_true(hs_dpi_message(m) > 0);
		assert_string_equal(hs_dpi_message_text(m), want[i]);
	}
	assert_int_equal(hs_dpi_message(m), 0);
	hs_dpi_close(m);
	m = open_model(BTM);
	assert_int_equal(hs_dpi_follow(m, port), HS_OK);
	assert_int_equal(hs_dpi_no_room(m, 1), HS_E_CONFIG);
	hs_dpi_close(m);
	hs_dpi_close(port);
}

/* ---- another encoder ---- */

static int give(void *m, const uint8_t *bytes, int n, uint64_t cycle)
{
	uint32_t bits[8] = { 0 };

	for (int i = 0; i < n; i++)
		bits[i / 4] |= (uint32_t)bytes[i] << 8 * (i % 4);
	return hs_dpi_compare(m, bits, n, cycle);
}

/* However the bytes are cut, and whichever side is first. */
TEST(equal_bytes)
{
	for (int cut = 0; cut <= (int)sizeof(trace); cut++) {
		void *m = open_model(BTM);

		assert_int_equal(give(m, trace, cut, 6), HS_OK);
		run(m);
		assert_int_equal(give(m, trace + cut, (int)sizeof(trace) - cut, 13), HS_OK);
		assert_int_equal(hs_dpi_compare_end(m), HS_OK);
		assert_int_equal(hs_dpi_compared(m), sizeof(trace));
		assert_string_equal(hs_dpi_difference(m), "");
		hs_dpi_close(m);
	}
}

static const struct different {
	const char *name;
	uint8_t n, bytes[12];
	const char *first; /* line */
} different[] = {
	{ "another I-CNT", 9, { 0x24, 0x15, 0x00, 0x0b, 0x0c, 0x13, 0x84, 0x00, 0x07 },
	  "NT 6.2: I-CNT of DirectBranch is 4, the model has 3 (cycle 8)\n" },
	{ "another SYNC", 9, { 0x24, 0x0d, 0x00, 0x0b, 0x0c, 0x0f, 0x84, 0x00, 0x07 },
	  "NT 6.2: SYNC of ProgTraceSync is 3, the model has 5 (cycle 8)\n" },
	{ "another F-ADDR", 9, { 0x24, 0x15, 0x00, 0x0f, 0x0c, 0x0f, 0x84, 0x00, 0x07 },
	  "NT 8.1: F-ADDR of ProgTraceSync is 0xc0, the model has 0x80 (cycle 8)\n" },
	{ "another message", 7, { 0x24, 0x15, 0x00, 0x0b, 0x84, 0x00, 0x07 },
	  "NT 7.2: the model sends DirectBranch, the design ProgTraceCorrelation (cycle 8)\n" },
	{ "more bytes than needed", 10, { 0x24, 0x15, 0x00, 0x0b, 0x0c, 0x0c, 0x03, 0x84, 0x00, 0x07 },
	  "NT 7.2: DirectBranch has the same fields in other bytes (cycle 8)\n" },
	{ "no end of the message", 9, { 0x24, 0x15, 0x00, 0x0b, 0x0c, 0x0d, 0x84, 0x00, 0x07 },
	  "NT 8.7: DirectBranch has TSTAMP, which the model does not send (cycle 8)\n" },
	{ "a field that is missing", 9, { 0x24, 0x15, 0x00, 0x0b, 0x0f, 0x0f, 0x84, 0x00, 0x07 },
	  "NT 7.2: the design's bytes are no message: " },
	{ "nothing more", 6, { 0x24, 0x15, 0x00, 0x0b, 0x0c, 0x0f },
	  "NT 7.12: the model sends ProgTraceCorrelation, and the design nothing more (cycle 12)\n" },
	{ "a message more", 11, { 0x24, 0x15, 0x00, 0x0b, 0x0c, 0x0f, 0x84, 0x00, 0x07, 0x0c, 0x0f },
	  "the design sends DirectBranch (NT 7.2), and the model nothing more (cycle 12)\n" },
};

TEST_ROWS(finds_difference, different, row)
{
	void *m = open_model(BTM);
	int found = 0;

	run(m);
	/* A byte a cycle: a message is explained when it is whole. */
	for (int i = 0; i < row->n; i++)
		found += give(m, row->bytes + i, 1, 20u + (unsigned)i) == HS_E_DIFFERS;
	found += hs_dpi_compare_end(m) == HS_E_DIFFERS;
	assert_int_equal(found, 1);
	if (strncmp(hs_dpi_difference(m), row->first, strlen(row->first)) != 0)
		fail_msg("%s", hs_dpi_difference(m));
	hs_dpi_close(m);
}

/* ---- the queue ---- */

/* Four bytes of room; a byte leaves every other cycle.  ProgTraceSync and DirectBranch go through
 * while it is empty; the next DirectBranch waits for them: the row after it is given again. */
TEST(a_full_queue_stalls)
{
	void *m = open_model(BTM "trTeInstStallEna=1 queue.bytes=4 queue.drain_bits=4");
	unsigned waited = 0;

	assert_int_equal(group(m, 0, 1, HS_ITYPE_NONE, 0, 0x100), HS_OK);
	assert_int_equal(group(m, 1, 2, HS_ITYPE_TAKEN, 1, 0x102), HS_OK);
	assert_int_equal(group(m, 2, 2, HS_ITYPE_TAKEN, 1, 0x200), HS_OK);
	assert_int_equal(group(m, 3, 1, HS_ITYPE_NONE, 0, 0x300), HS_OK);
	while (group(m, 4 + waited, 1, HS_ITYPE_NONE, 0, 0x302) == HS_FULL)
		waited++;
	/* 6 bytes at cycle 2; 2 more have room when 2 are left, at 10. */
	assert_int_equal(waited, 6);
	assert_int_equal(hs_dpi_end(m), HS_OK);
	hs_dpi_close(m);
}

/* ---- coverage ---- */

static uint64_t hits_of(void *m, const char *name)
{
	for (int i = 0; i < hs_dpi_cover_points(m); i++)
		if (strcmp(hs_dpi_cover_name(m, i), name) == 0)
			return hs_dpi_cover_hits(m, i);
	fail_msg("no point %s", name);
	return 0;
}

TEST(points_are_covered)
{
	static const struct {
		const char *name;
		uint64_t hits;
	} want[] = {
		{ "row.branch-taken (NT Table 4)", 1 },
		{ "row.branch-not-taken (NT Table 4)", 0 },
		{ "row.group-that-ends-no-block (ET Instruction Trace Interface)", 2 },
		{ "row.last-instruction-of-32-bits (ET multiple retirement per block)", 1 },
		{ "row.halted (PT Table 3.4)", 1 },
		{ "sync.SYNC.trace-enable (NT 8.5)", 1 },
		{ "sync.SYNC.periodic (NT 8.5)", 0 },
		{ "field.ProgTraceSync.I-CNT.min (NT 6.2)", 1 },
		{ "field.DirectBranch.I-CNT.min (NT 6.2)", 0 },
		{ "value.EVCODE.debug-mode (NT 7.12)", 1 },
		{ "message.DirectBranch (NT 7.2)", 1 },
		{ "message.IndirectBranch (NT 7.3)", 0 },
		{ "corner.idle-between (NT 3.1)", 0 },
	};
	char path[] = "/tmp/hartscope-dpi-XXXXXX";

	close(mkstemp(path));
	for (unsigned times = 1; times <= 3; times++) {
		void *m = open_model(BTM);

		assert_int_equal(hs_dpi_cover_merge(m, path), HS_E_ARG);
		assert_int_equal(hs_dpi_cover(m), HS_OK);
		run(m);
		for (size_t i = 0; i < sizeof(want) / sizeof(*want); i++)
			assert_int_equal(hits_of(m, want[i].name), want[i].hits);
		assert_int_equal(hs_dpi_cover_merge(m, path), HS_OK);
		assert_int_equal(hits_of(m, want[0].name), times);
		assert_int_equal(hs_dpi_cover_merge(m, "/nowhere/points"), HS_E_SYSTEM);
		assert_non_null(strstr(hs_dpi_error(), "/nowhere/points: "));
		assert_int_equal(hs_dpi_cover_hits(m, hs_dpi_cover_points(m)), 0);
		hs_dpi_close(m);
	}
	unlink(path);
}

/* ---- decoder ---- */

/* Write the program to a file of a name with XXXXXX at its end. */
static void write_program(char *path)
{
	uint8_t code[0x102] = { 0x01, 0x00, 0x63, 0x0f, 0x00, 0x0e };
	const int fd = mkstemp(path);

	code[0x100] = 0x01;
	assert_int_equal(write(fd, code, sizeof(code)), sizeof(code));
	close(fd);
}

TEST(what_was_encoded_is_decoded)
{
	static const struct {
		uint64_t iaddr;
		int iretire, itype;
	} want[] = { { 0x100, 3, HS_ITYPE_TAKEN }, { 0x200, 1, HS_ITYPE_NONE } };
	uint32_t bits[8] = { 0 };
	int kind, iretire, itype, got = 0;
	uint64_t iaddr;
	char path[] = "/tmp/hartscope-dpi-XXXXXX", parameters[64];

	write_program(path);
	snprintf(parameters, sizeof(parameters), "bin=%s@0x100", path);
	void *d = hs_dpi_decoder_open("ntrace", parameters);

	unlink(path);
	assert_non_null(d);
	memcpy(bits, trace, sizeof(trace));
	for (size_t i = 0; i < sizeof(bits) / sizeof(*bits); i++)
		bits[i] = LITTLE32(bits[i]);
	assert_int_equal(hs_dpi_decode(d, bits, sizeof(trace)), HS_OK);
	hs_dpi_decode_end(d);
	while (hs_dpi_block(d, &kind, &iaddr, &iretire, &itype) == 1) {
		if (kind != HS_KIND_BLOCK)
			continue;
		assert_in_range(got, 0, 1);
		assert_int_equal(iaddr, want[got].iaddr);
		assert_int_equal(iretire, want[got].iretire);
		assert_int_equal(itype, want[got].itype);
		got++;
	}
	assert_int_equal(got, 2);
	hs_dpi_decoder_close(d);
}

/* Bytes that differ from the model's, and what they lead to. */
static const struct equivalent {
	const char *name;
	uint8_t n, bytes[16];
	const char *difference; /* NULL: they lead to the same blocks */
} equivalent[] = {
	{ "the model's bytes", 9, { 0x24, 0x15, 0x00, 0x0b, 0x0c, 0x0f, 0x84, 0x00, 0x07 }, NULL },
	{ "a synchronisation more", 13,
	  { 0x24, 0x15, 0x00, 0x0b, 0x0c, 0x0f, 0x24, 0x09, 0x00, 0x13, 0x84, 0x00, 0x07 }, NULL },
	{ "from another address on", 9,
	  { 0x24, 0x15, 0x04, 0x0b, 0x0c, 0x0b, 0x84, 0x00, 0x07 },
	  "block 0: the design's trace leads to 0x102, 2 half-words, taken branch, the port had "
	  "0x100, 3 half-words, taken branch (cycle 8)" },
	{ "an I-CNT that ends inside an instruction", 9,
	  { 0x24, 0x15, 0x00, 0x0b, 0x0c, 0x0b, 0x84, 0x00, 0x07 },
	  "block 0: the design's trace cannot be followed: " },
	{ "it stops early", 7, { 0x24, 0x15, 0x00, 0x0b, 0x84, 0x00, 0x0f },
	  "block 0: the design's trace leads to 0x100, 3 half-words, " },
	{ "it does not end", 6, { 0x24, 0x15, 0x00, 0x0b, 0x0c, 0x0f },
	  "block 1: the design's trace leads to nothing, the port had 0x200, 1 half-words, none "
	  "(cycle 12)" },
};

TEST_ROWS(compares_blocks, equivalent, row)
{
	char path[] = "/tmp/hartscope-dpi-XXXXXX", parameters[200];
	int found = 0;

	write_program(path);
	snprintf(parameters, sizeof(parameters), BTM "bin=%s@0x100", path);
	for (int first = 0; first < 2; first++) {
		void *m = open_model(parameters);

		assert_int_equal(hs_dpi_compare_blocks(m), HS_OK);
		if (first)
			found += give(m, row->bytes, row->n, 5) == HS_E_DIFFERS;
		run(m);
		if (!first)
			found += give(m, row->bytes, row->n, 30) == HS_E_DIFFERS;
		found += hs_dpi_compare_end(m) == HS_E_DIFFERS;
		if (row->difference) {
			assert_non_null(strstr(hs_dpi_difference(m), row->difference));
		} else {
			assert_string_equal(hs_dpi_difference(m), "");
			assert_int_equal(hs_dpi_compared(m), 2);
		}
		hs_dpi_close(m);
	}
	unlink(path);
	assert_int_equal(found, row->difference ? 2 : 0);
}

/* ---- lint ---- */

static const struct linted {
	const char *name;
	uint8_t n, bytes[12];
	int severity; /* of the first finding; 0: none */
	const char *text;
} linted[] = {
	{ "nothing is forbidden", 9, { 0x24, 0x15, 0x00, 0x0b, 0x0c, 0x0f, 0x84, 0x00, 0x07 }, 0, "" },
	{ "zeros above an address", 10, { 0x24, 0x15, 0x00, 0x08, 0x03, 0x0c, 0x0f, 0x84, 0x00, 0x07 },
	  3, "NT 8.1: F-ADDR: the address has high-order zeros, which must be suppressed" },
	{ "a reserved TCODE", 8, { 0x24, 0x15, 0x00, 0x0b, 0x14, 0x03, 0x0c, 0x0f }, 3,
	  "NT 6.1: TCODE is reserved" },
	{ "the end of a message is missing", 5, { 0x24, 0x15, 0x00, 0x0b, 0x0c }, 2,
	  "NT 3.1: the stream ends before the message does" },
};

TEST_ROWS(lints, linted, row)
{
	void *l = hs_dpi_lint_open("ntrace", BTM);
	int severity = 0;

	assert_non_null(l);
	for (int i = 0; i < row->n && !severity; i++) {
		const uint32_t bits = row->bytes[i];

		assert_int_equal(hs_dpi_lint(l, &bits, 1), HS_OK);
		severity = hs_dpi_lint_next(l);
	}
	hs_dpi_lint_end(l);
	if (!severity)
		severity = hs_dpi_lint_next(l);
	assert_int_equal(severity, row->severity);
	assert_int_equal(strncmp(hs_dpi_lint_text(l), row->text, strlen(row->text)), 0);
	hs_dpi_lint_close(l);
}

/* ---- parameters ---- */

static const struct refused {
	const char *name, *protocol, *parameters, *error;
} refused[] = {
	{ "protocol", "jtag", "", "jtag" },
	{ "no value", "ntrace", "trTeInstMode", "'trTeInstMode' is not NAME=VALUE" },
	{ "parameter", "ntrace", "colour=red", "colour" },
	{ "value", "ntrace", "trTeInstMode=big", "big" },
	{ "port", "ntrace", "port.colour=1", "port.colour" },
	{ "value of a port", "", "port.slots=many", "port.slots=many" },
	{ "width", "", "port.slots=9", "width" },
	{ "only a port", "", "trTeInstMode=btm", "trTeInstMode" },
	{ "queue", "ntrace", "queue.colour=1", "queue.colour" },
	{ "value of a queue", "ntrace", "queue.bytes=1k", "queue.bytes=1k" },
	{ "program", "ntrace", "elf=/nowhere", "/nowhere" },
	{ "raw program", "ntrace", "bin=/nowhere", "PATH@ADDRESS" },
};

TEST_ROWS(refuses_parameters, refused, row)
{
	assert_null(hs_dpi_open(row->protocol, row->parameters));
	assert_non_null(strstr(hs_dpi_error(), row->error));
	assert_null(hs_dpi_decoder_open(row->protocol, row->parameters));
	assert_null(hs_dpi_lint_open(row->protocol, row->parameters));
}
