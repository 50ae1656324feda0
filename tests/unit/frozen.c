/* Numbers that are on disk or part of the binary interface, typed by hand: a row that is inserted
 * or given another number fails here.  New names get new numbers, and a row each. */
#include "cases.h"

#include <hartscope/block.h>
#include <hartscope/port.h>
#include <hartscope/status.h>

#include "recorder/wire.h"
#include "recording/format.h"

#define ROW(name, value) { #name, name, value }

static const struct row {
	const char *name;
	uint64_t is, was;
} rows[] = {
	ROW(HS_OK, 0), ROW(HS_MORE, 1), ROW(HS_FULL, 2), ROW(HS_END, 3), ROW(HS_E_ARG, 4),
	ROW(HS_E_CONFIG, 5), ROW(HS_E_SPACE, 6), ROW(HS_E_FRAMING, 7), ROW(HS_E_LONG, 8),
	ROW(HS_E_FIELD, 9), ROW(HS_E_TRUNCATED, 10), ROW(HS_E_ICNT, 11), ROW(HS_E_HIST, 12),
	ROW(HS_E_FLOW, 13), ROW(HS_E_NOCODE, 14), ROW(HS_E_BLOCK, 15), ROW(HS_E_LOST, 16),
	ROW(HS_E_FORMAT, 17), ROW(HS_E_CUT, 18), ROW(HS_E_DIFFERS, 19), ROW(HS_E_UNSUPPORTED, 20),
	ROW(HS_E_SYSTEM, 21), ROW(HS_E_MEMORY, 22), ROW(HS_E_INTERNAL, 23), ROW(HS_E_SOURCES, 24),
	ROW(HS_E_NOTHING, 25), ROW(HS_E_UNKNOWN, 26), ROW(HS_STATUS_COUNT, 27),

	ROW(HS_CLASS_OK, 0), ROW(HS_CLASS_MORE, 1), ROW(HS_CLASS_CALLER, 2), ROW(HS_CLASS_DATA, 3),
	ROW(HS_CLASS_UNSUPPORTED, 4), ROW(HS_CLASS_SYSTEM, 5), ROW(HS_CLASS_INTERNAL, 6),

	ROW(HS_KIND_BLOCK, 0), ROW(HS_KIND_TRAP, 1), ROW(HS_KIND_HART, 2), ROW(HS_KIND_SYNC, 3),
	ROW(HS_KIND_GAP, 4), ROW(HS_KIND_STOP, 5), ROW(HS_KIND_CONTEXT, 6), ROW(HS_KIND_TIME, 7),
	ROW(HS_KIND_CODE, 8), ROW(HS_KIND_NOTE, 9), ROW(HS_KIND_SOURCE, 10),
	ROW(HS_KIND_TARGET, 11),
	ROW(HS_KIND_CYCLES, 12), ROW(HS_KIND_DATA, 13), ROW(HS_KIND_VALUE, 14),
	ROW(HS_KIND_UNSEEN, 15), ROW(HS_KIND_VERSION, 16), ROW(HS_KIND_PATH, 17),
	ROW(HS_UNSEEN_HALFWORDS, 0), ROW(HS_UNSEEN_BRANCHES, 1),

	ROW(HS_NOTE_SIGNAL, 1), ROW(HS_NOTE_FORK, 2), ROW(HS_NOTE_EXEC, 3), ROW(HS_NOTE_PARTIAL, 4),
	ROW(HS_NOTE_AMBIGUOUS, 5), ROW(HS_NOTE_ACQUISITION, 6), ROW(HS_NOTE_CIRCUIT, 7),
	ROW(HS_NOTE_CIRCUIT_DATA, 8), ROW(HS_NOTE_TRIGGER, 16), ROW(HS_NOTE_USER, 17),

	ROW(HS_ITYPE_NONE, 0), ROW(HS_ITYPE_EXCEPTION, 1), ROW(HS_ITYPE_INTERRUPT, 2),
	ROW(HS_ITYPE_XRET, 3), ROW(HS_ITYPE_NOT_TAKEN, 4), ROW(HS_ITYPE_TAKEN, 5),
	ROW(HS_ITYPE_UNINFERABLE, 6), ROW(HS_ITYPE_RESERVED, 7), ROW(HS_ITYPE_CALL_UNINF, 8),
	ROW(HS_ITYPE_CALL_INF, 9), ROW(HS_ITYPE_TAIL_UNINF, 10), ROW(HS_ITYPE_TAIL_INF, 11),
	ROW(HS_ITYPE_SWAP, 12), ROW(HS_ITYPE_RETURN, 13), ROW(HS_ITYPE_JUMP_UNINF, 14),
	ROW(HS_ITYPE_JUMP_INF, 15),

	ROW(HS_PRIV_U, 0), ROW(HS_PRIV_S, 1), ROW(HS_PRIV_M, 3), ROW(HS_PRIV_VU, 4),
		ROW(HS_PRIV_VS, 5),
	ROW(HS_PRIV_UNKNOWN, 7),

	ROW(HS_ACCESS_LOAD, 0), ROW(HS_ACCESS_STORE, 1), ROW(HS_ACCESS_CSR_RW, 4), ROW(HS_ACCESS_CSR_RS, 5),
	ROW(HS_ACCESS_MULTI_LOAD, 2), ROW(HS_ACCESS_MULTI_STORE, 3), ROW(HS_ACCESS_CAS_FAILED, 7),
	ROW(HS_ACCESS_CSR_RC, 6), ROW(HS_ACCESS_SWAP, 8), ROW(HS_ACCESS_ADD, 9), ROW(HS_ACCESS_AND, 10),
	ROW(HS_ACCESS_OR, 11), ROW(HS_ACCESS_XOR, 12), ROW(HS_ACCESS_MAX, 13), ROW(HS_ACCESS_MIN, 14),
	ROW(HS_ACCESS_SC_FAILED, 15), ROW(HS_ACCESS_WHOLE, 0), ROW(HS_ACCESS_REQUEST, 1),
	ROW(HS_ACCESS_RESPONSE, 2), ROW(HS_ACCESS_HAS_ADDRESS, 1), ROW(HS_ACCESS_HAS_DATA, 2),
	ROW(HS_ACCESS_HAS_OPERAND, 4), ROW(HS_ACCESS_HAS_ERROR, 8),

	/* docs/recording-format.md */
	ROW(HS_REC_WORD_OUTCOMES, 0xe0000000), ROW(HS_REC_OUTCOMES_FULL, 0x08000000),
	ROW(HS_REC_PACKED_RUNS, 1048576),
	ROW(HS_REC_LOG_WIDE, 8), ROW(HS_REC_LOG_WIDE_ALL, 16), ROW(HS_REC_WIDE_RUNS, 16384), ROW(HS_REC_WIDE_MOST, 256),
	ROW(HS_REC_WORD_ESCAPE, 0xf0000000), ROW(HS_REC_ESCAPE_EVENT, 0),
		ROW(HS_REC_ESCAPE_PARTIAL, 1),
	ROW(HS_REC_ESCAPE_RESUME, 2), ROW(HS_REC_ESCAPE_TRAP, 3), ROW(HS_REC_ESCAPE_CUT, 4),
	ROW(HS_REC_WORD(HS_REC_ESCAPE_CUT, 0x1234), 0xf0041234),
	ROW(HS_REC_ESCAPE_ACCESS, 5), ROW(HS_REC_ESCAPE_STAND, 6),
	ROW(HS_REC_EVENT_WORDS, 4), ROW(HS_REC_PARTIAL_WORDS, 0), ROW(HS_REC_RESUME_WORDS, 0),
	ROW(HS_REC_CUT_WORDS, 0), ROW(HS_REC_MOVED_WORDS, 1), ROW(HS_REC_STAND_WORDS, 2), ROW(HS_REC_STAND_ALL, 0xffff),
	ROW(HS_REC_ACCESS_WORDS, 6), ROW(HS_REC_ACCESS_WIDE, 0x400),
	ROW(HS_REC_ACCESS_SIZE(0x7ff), 3), ROW(HS_REC_ACCESS_KNOWN(0x3c0), 15),
	ROW(HS_REC_TRAP_WORDS, 6), ROW(HS_REC_TRAP_ALL, 0xffffffff),
	ROW(HS_REC_LOG_START, 1), ROW(HS_REC_LOG_RUN, 2), ROW(HS_REC_LOG_BLOCK, 3),
		ROW(HS_REC_LOG_MAP, 4),
	ROW(HS_REC_LOG_CODE, 5), ROW(HS_REC_LOG_CHANGED, 6), ROW(HS_REC_LOG_RESUME, 7),
	ROW(HS_REC_LOG_VERSION, 8), ROW(HS_REC_LOG_MOVED, 9), ROW(HS_REC_ESCAPE_MOVED, 7),
	ROW(HS_REC_ESCAPE_ANEW, 8), ROW(HS_REC_ANEW_WORDS, 2), ROW(HS_NOTE_NOT_KEPT, 19),
	ROW(HS_NOTE_CALL, 21), ROW(HS_NOTE_REGISTER, 22), ROW(HS_NOTE_RESULT, 23),
	ROW(HS_REC_PAGE, 4096), ROW(sizeof(struct hs_rec_log_moved), 16),
	ROW(HS_REC_LOG_MAX, 1048576), ROW(HS_REC_LOG_MAGIC, 0x31474f4c54524148),
	ROW(HS_REC_RUN_INSNS, 0xffffff), ROW(HS_REC_RUN_PRIV(UINT32_C(0x5abcdef0)), 2),
	ROW(sizeof(struct hs_block), 16), ROW(sizeof(struct hs_rec_log_head), 8),
	ROW(sizeof(struct hs_rec_log_start), 24), ROW(offsetof(struct hs_rec_log_start, flags), 12),
	ROW(offsetof(struct hs_rec_log_start, jvt), 16),
	ROW(sizeof(struct hs_rec_log_run), 16), ROW(offsetof(struct hs_rec_log_run, insns), 8),
	ROW(offsetof(struct hs_rec_log_run, bytes), 12),
	ROW(sizeof(struct hs_rec_log_map), 24), ROW(offsetof(struct hs_rec_log_map, offset), 16),
	ROW(sizeof(struct hs_rec_log_resume), 16),
		ROW(offsetof(struct hs_rec_log_resume, signal), 4),
	ROW(offsetof(struct hs_rec_log_resume, to), 8),

	/* recorder_wire.h: a plugin and a recorder of one wire version understand each other. */
	ROW(HS_WIRE_VERSION, 1), ROW(HS_WIRE_MAGIC, 0x54524f50),
	ROW(HS_WIRE_PROCESS, 0), ROW(HS_WIRE_HART, 1),
	ROW(HS_WIRE_RUNS, 0), ROW(HS_WIRE_EXIT, 1), ROW(HS_WIRE_EXEC, 2),
	ROW(HS_WIRE_WORDS_AT, 4096), ROW(HS_WIRE_LOG_AT, 4096),
	ROW(HS_WIRE_HART_SIZE, 4096 + 4 * 16 * 32768),
		ROW(HS_WIRE_PROCESS_SIZE, 4096 + 4 * 1048576 + 32768 + 64 * 65536),
	ROW(HS_WIRE_ADDED_AT, 4096 + 4 * 1048576),
	ROW(offsetof(struct hs_wire_hart, outcomes), 16),
		ROW(offsetof(struct hs_wire_hart, instructions), 24),
	ROW(offsetof(struct hs_wire_hart, vcpu), 52),
		ROW(offsetof(struct hs_wire_hart, still.end), 216),
	ROW(offsetof(struct hs_wire_hart, published), 64),
		ROW(offsetof(struct hs_wire_hart, consumed), 128),
	ROW(offsetof(struct hs_wire_hart, memos), 72), ROW(offsetof(struct hs_wire_hart, apart), 80),
		ROW(offsetof(struct hs_wire_hart, outcomes_at), 84),
	ROW(sizeof(struct hs_wire_vcpu), 64),
		ROW(offsetof(struct hs_wire_vcpu, progress), 8),
		ROW(offsetof(struct hs_wire_hart, adding), 88),
	ROW(sizeof(struct hs_wire_process), 1344), ROW(sizeof(struct hs_wire_message), 40),
};

/* SplitMix64: its first two outputs for a state of 0. */
TEST(numbers_of_paths)
{
	assert_int_equal(hs_wire_number(0), 0xe220a8397b1dcdaf);
	assert_int_equal(hs_wire_number(1), 0x6e789e6aa1b965f4);
	assert_int_equal(hs_wire_written(1), 0x6e789e6a00000002);
	assert_int_equal(hs_wire_sum_after(0x0102030405060708), 0x0807060504030201);
}

/* By hand: after a leading one, 27 runs at most in a word. */
TEST(words_of_outcomes)
{
	static const struct {
		uint64_t outcomes;
		unsigned n;
		uint32_t words[2];
	} cases[] = {
		{ 1, 0, { 0 } },
		{ 5, 1, { 5 } },
		{ 0xfffffff, 1, { 0xfffffff } },
		{ 0x10000002, 2, { 0x8000001, 2 } },
		{ UINT64_C(0x6000000000001), 2, { 0xc000000, 0x800001 } },
	};

	assert_int_equal(hs_rec_wide_bits(3), 4);
	assert_int_equal(hs_rec_wide_bits(16), 4);
	assert_int_equal(hs_rec_wide_bits(17), 8);
	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		uint32_t words[2] = { 0 };

		assert_int_equal(hs_wire_outcome_words(cases[i].outcomes, words), cases[i].n);
		assert_int_equal(words[0], cases[i].words[0]);
		assert_int_equal(words[1], cases[i].words[1]);
	}
}

TEST_ROWS(keeps_its_number, rows, r)
{
	assert_int_equal(r->is, r->was);
}

/* Each name of status.def and words.def has a row above: what is not frozen today would be free to
 * move tomorrow. */
TEST(every_name_has_a_row)
{
	static const char *const names[] = {
#define HS_STATUS(name, number, cls, text) "HS_" #name,
#include <hartscope/tables/status.def>
#undef HS_STATUS
#define REC_ESCAPE(NAME, ...) "HS_REC_ESCAPE_" #NAME, "HS_REC_" #NAME "_WORDS",
#include "recording/words.def"
	};

	for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++) {
		size_t at = 0;

		while (at < sizeof(rows) / sizeof(rows[0]) && strcmp(rows[at].name, names[i]) != 0)
			at++;
		if (at == sizeof(rows) / sizeof(rows[0]))
			fail_msg("%s has no row in tests/unit/frozen.c", names[i]);
	}
}

/* docs/recording-format.md: a row for each escape, with the most words that follow it. */
TEST(the_page_has_each_escape)
{
	static const struct {
		const char *row;
		unsigned long words;
	} escapes[] = {
#define REC_ESCAPE(NAME, number, words, flows, name, ...) { "\n| " #number " " #name " | ", words },
#include "recording/words.def"
	};
	FILE *f = fopen(HARTSCOPE_SOURCE "/docs/recording-format.md", "r");
	char page[1 << 16];

	assert_non_null(f);
	page[fread(page, 1, sizeof(page) - 1, f)] = 0;
	fclose(f);
	for (size_t i = 0; i < sizeof(escapes) / sizeof(escapes[0]); i++) {
		const char *words = strstr(page, escapes[i].row);

		if (words == NULL)
			fail_msg("no row:%s", escapes[i].row);
		words += strlen(escapes[i].row);
		if (strncmp(words, "0 to ", 5) == 0)
			words += 5;
		assert_int_equal(strtoul(words, NULL, 10), escapes[i].words);
	}
}

/* A kind or itype after the last one here would have a name. */
TEST(no_kind_is_without_a_row)
{
	assert_string_not_equal(hs_kind_name(HS_KIND_UNSEEN), "?");
	assert_string_equal(hs_kind_name(HS_KIND_PATH + 1), "?");
	assert_string_not_equal(hs_itype_name(HS_ITYPE_JUMP_INF), "?");
	assert_string_equal(hs_itype_name(HS_ITYPE_JUMP_INF + 1), "?");
}

/* docs/recording-format.md: a block or event in 4 words. */
TEST(a_packed_block_keeps_its_layout)
{
	const struct hs_block b = { .iaddr = 0x1122334455667788, .iretire = 0x99aabbcc, .ilast = 2,
		                    .itype = 13, .priv = HS_PRIV_VS, .sijump = 1, .kind = 9 };
	const uint32_t words[] = { 0x55667788, 0x11223344, 0x99aabbcc, 0x090d0d02 };
	uint32_t packed[4];
	struct hs_block back;

	hs_rec_block_pack(&b, packed);
	for (size_t i = 0; i < 4; i++)
		assert_int_equal(packed[i], words[i]);
	memset(&back, 0xff, sizeof(back)); /* what was in it does not stay */
	hs_rec_block_unpack(words, &back);
	assert_memory_equal(&back, &b, sizeof(b));
}
