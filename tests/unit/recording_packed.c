/* Packed streams (HS_REC_WORD_OUTCOMES, design/packed): their blocks are those of the words written
 * plainly. */
#include "cases.h"

#include "recording_packer.h"

#define ANEW(events, before) HS_REC_WORD(HS_REC_ESCAPE_ANEW, events), (before), 0

static const struct packed_row {
	const char *name;
	uint32_t packed[24], plain[32];
	uint32_t n_packed, n_plain;
	enum hs_status end;
} rows[] = {
	{ "the first successor", { 8, 8, OUT(4), 4 }, { 8, 8, 8, 8, 4 }, 4, 5, HS_END },
	{ "the second one", { 0, 1, 0, 2, 0, OUT(12) }, { 0, 1, 0, 2, 0, 1, 0, 2 }, 6, 8, HS_END },
	{ "a number that was foreseen changes nothing", { 0, 1, 0, 2, 0, 1, 0, OUT(2) },
	  { 0, 1, 0, 2, 0, 1, 0, 2 }, 8, 8, HS_END },
	{ "a third one takes the place of the older", { 0, 1, 0, 2, 0, 4, 0, OUT(3), 0, OUT(2) },
	  { 0, 1, 0, 2, 0, 4, 0, 2, 0, 4 }, 10, 10, HS_END },
	{ "an event between", { 8, 8, EVENT(HS_KIND_CODE, 0x1010, 2), OUT(2), 4 },
	  { 8, 8, EVENT(HS_KIND_CODE, 0x1010, 2), 8, 4 }, 9, 9, HS_END },
	{ "words of a trap are no outcomes",
	  { 2, TRAP(1, 0x100e, OUT(2), 5, 1), 7, 2, 7, OUT(2), 4 },
	  { 2, TRAP(1, 0x100e, OUT(2), 5, 1), 7, 2, 7, 2, 4 }, 13, 13, HS_END },
	{ "a page that moves", { MOVED(0), 2, 2, OUT(2), MOVED(1), OUT(2), 4 },
	  { MOVED(0), 2, 2, 2, MOVED(1), 2, 4 }, 9, 9, HS_END },
	{ "runs are forgotten", { 8, 8, OUT(2), ANEW(0, 3), 8, 8, OUT(2) },
	  { 8, 8, 8, 8, 8, 8 }, 9, 6, HS_END },
	{ "forgotten, in place again, what is known is said again",
	  { MOVED(0), 2, ANEW(1, 1), EVENT(HS_KIND_CONTEXT, 5, 2), 2, 2, OUT(2) },
	  { MOVED(0), 2, MOVED(1), 2, 2, 2 }, 14, 8, HS_END },
	{ "as many as a word has", { 8, 8, OUT(0x8000000) },
	  { 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8, 8 },
	  3, 29, HS_END },
	{ "a word of none", { 8, 8, OUT(1), 4 }, { 8, 8, 4 }, 4, 3, HS_END },
	{ "forgotten: no successor", { 8, 8, ANEW(0, 2), OUT(2) }, { 8, 8 }, 6, 2, HS_E_FORMAT },
	{ "no leading one", { 3, OUT(0), 4 }, { 3 }, 3, 1, HS_E_FORMAT },
	{ "before any run", { OUT(2) }, { 0 }, 1, 0, HS_E_FORMAT },
	{ "no first successor", { 3, OUT(2), 4 }, { 3 }, 3, 1, HS_E_FORMAT },
	{ "no second one", { 8, 8, OUT(5), 4 }, { 8, 8, 8 }, 4, 3, HS_E_FORMAT },
	{ "unknown run", { 3, 99, OUT(2) }, { 3, 99 }, 3, 2, HS_E_FORMAT },
};

/* Run 0 becomes wide: 1, 2 and 4 follow it. */
#define WIDE 0, 1, 0, 2, 0, 4, 0
#define NOT_WIDE 0, 1, 0, 2, 0
static const struct packed_row wide_rows[] = {
	{ "two successors", { NOT_WIDE, OUT(12) }, { NOT_WIDE, 1, 0, 2 }, 6, 8, HS_END },
	{ "a third one: four bits", { WIDE, OUT(0x4801) }, { WIDE, 4, 0, 2, 0, 1 }, 8, 12, HS_END },
	{ "bits in two words", { WIDE, OUT(0x90), OUT(0x81) }, { WIDE, 4, 0, 2, 0, 1 }, 9, 12,
	  HS_END },
	{ "in five, and one of none", { WIDE, OUT(0x90), OUT(2), OUT(1), OUT(4), OUT(8), OUT(3) },
	  { WIDE, 4, 0, 2, 0, 1 }, 13, 12, HS_END },
	{ "the first two keep their order", { WIDE, OUT(0x10), 0, OUT(0x11), 0, OUT(0x12) },
	  { WIDE, 2, 0, 1, 0, 4 }, 12, 12, HS_END },
	{ "a fourth one, last", { WIDE, 8, 0, OUT(0x13) }, { WIDE, 8, 0, 8 }, 10, 10, HS_END },
	{ "foreseen, with its number", { WIDE, 2, 0, OUT(0x13) }, { WIDE, 2, 0 }, 10, 9,
	  HS_E_FORMAT },
	{ "no such successor", { WIDE, OUT(0x13), 4 }, { WIDE }, 9, 7, HS_E_FORMAT },
	{ "too few bits before a number", { WIDE, OUT(9), 4 }, { WIDE }, 9, 7, HS_E_FORMAT },
	{ "before an event", { WIDE, OUT(9), EVENT(HS_KIND_CODE, 0x1010, 2) }, { WIDE }, 13, 7,
	  HS_E_FORMAT },
	{ "at the end", { WIDE, OUT(9) }, { WIDE }, 8, 7, HS_E_FORMAT },
	{ "forgotten, they are not wide", { WIDE, ANEW(0, 7), NOT_WIDE, OUT(12) },
	  { WIDE, NOT_WIDE, 1, 0, 2 }, 16, 15, HS_END },
};

static struct hs_block have[BLOCKS], want[BLOCKS];

static void check_rows(const struct packed_row *row, size_t count, unsigned flags)
{
	char room[64];
	const char *dir = test_directory(room);
	enum hs_status end;

	for (size_t i = 0; i < count; i++)
		for (size_t cap = 1; cap <= 8; cap++) {
			size_t n, m;

			write_streams(dir, NARROW, true, row[i].plain, row[i].n_plain);
			m = read_blocks(dir, 8, want, &end);
			write_streams(dir, flags, true, row[i].packed, row[i].n_packed);
			n = read_blocks(dir, cap, have, &end);
			compare(row[i].name, have, n, want, m);
			if (end != row[i].end)
				fail_msg("%s: %s", row[i].name, hs_status_name(end));
		}
	test_directory_remove(dir);
}

TEST(packed_rows)
{
	check_rows(rows, sizeof(rows) / sizeof(*rows), NARROW);
	check_rows(wide_rows, sizeof(wide_rows) / sizeof(*wide_rows), WIDELY);
}

/* Of every hart, where the log says so; of hart 0 else. */
TEST(wide_harts)
{
	const size_t count = sizeof(wide_rows) / sizeof(*wide_rows);
	char room[64], *dir = test_directory(room);
	enum hs_status end;
	unsigned others = 0;

	for (size_t i = 0; i < count; i++) {
		const struct packed_row *r = &wide_rows[i];
		size_t m, n;

		write_streams(dir, WIDELY | HS_REC_LOG_WIDE_ALL, true, r->packed, r->n_packed);
		m = read_blocks(dir, 8, want, &end);
		n = read_so(dir, &(struct reading){ .cap = 8, .hart = 1 }, have, &end);
		compare(r->name, have, n, want, m);
		write_streams(dir, WIDELY, true, r->packed, r->n_packed);
		n = read_so(dir, &(struct reading){ .cap = 8, .hart = 1 }, have, &end);
		others += n != m || memcmp(have, want, n * sizeof(*have)) != 0;
	}
	assert_true(others > 0); /* without the flag */
	test_directory_remove(dir);
}

/* What is no successor may be the end of a log that was cut. */
TEST(cut_log)
{
	static const uint32_t words[] = { 8, 8, OUT(5), 4 };
	char room[64];
	const char *dir = test_directory(room);
	enum hs_status end;

	write_streams(dir, NARROW, false, words, 4);
	read_blocks(dir, 8, have, &end);
	assert_int_equal(end, HS_E_CUT);
	test_directory_remove(dir);
}

/* The words of a flow, which are not packed. */
static void write_flow(const char *dir, const uint32_t *words, size_t n)
{
	struct test_log log;

	test_log_start(&log, 64);
	for (uint32_t i = 0; i < 9; i++)
		test_log_add(&log, HS_REC_LOG_BLOCK,
		             (const uint32_t[]){ 0x1000 + 4 * i, 0, 2, 1 | 5 << 8 }, 16, NULL, 0);
	test_manifest(dir, "flow", true);
	test_frame(dir, "runs.zst", log.bytes, log.size);
	test_frame(dir, "hart-0.zst", words, 4 * n);
	test_frame(dir, "hart-1.zst", words, 4 * n);
}

/* Damage costs nothing that is before it: a part of a word; what is no frame. */
TEST(all_before_damage)
{
	static const uint32_t words[] = { 8, 8, 8, 8, 8 };
	char room[64], path[96];
	const char *dir = test_directory(room);
	enum hs_status end;
	FILE *file;

	for (unsigned i = 0; i < 4; i++) {
		if (i % 2)
			write_streams(dir, NARROW, true, words, 5);
		else
			write_flow(dir, words, 5);
		if (i < 2)
			test_frame(dir, "hart-0.zst", words, sizeof(words) - 1);
		snprintf(path, sizeof(path), "%s/hart-0.zst", dir);
		file = fopen(path, "a");
		assert_non_null(file);
		fputs(i < 2 ? "" : "no frame, but bytes", file);
		fclose(file);
		assert_int_equal(read_blocks(dir, 8, have, &end), i < 2 ? 4 : 5);
		assert_int_equal(end, i < 2 ? HS_E_CUT : HS_E_FORMAT);
	}
	test_directory_remove(dir);
}

/* A stream whose beginning was not kept says so, and then what the words before said. */
TEST(begins_anew)
{
	static const uint32_t words[] = { ANEW(1, 77), EVENT(HS_KIND_CONTEXT, 5, 2), 8, 8, OUT(2) };
	char room[64];
	const char *dir = test_directory(room);
	enum hs_status end;

	write_streams(dir, NARROW, true, words, sizeof(words) / sizeof(*words));
	assert_int_equal(read_blocks(dir, 8, have, &end), 5);
	assert_int_equal(end, HS_END);
	assert_int_equal(have[0].kind, HS_KIND_NOTE);
	assert_int_equal(have[0].arg, HS_NOTE_NOT_KEPT);
	assert_int_equal(have[0].value, 77);
	assert_int_equal(have[1].kind, HS_KIND_CONTEXT);
	assert_int_equal(have[1].value, 5);
	for (unsigned i = 2; i < 5; i++)
		assert_int_equal(have[i].iaddr, 0x1012);
	test_directory_remove(dir);
}

/* Of any runs in any order, with events between, @most kinds of them: blocks are the same. */
TEST(any_words)
{
	static const uint32_t event[] = { EVENT(HS_KIND_CODE, 0x1010, 2) };
	static struct packer p;
	char room[64];
	const char *dir = test_directory(room);
	uint64_t x = 1;

	for (unsigned round = 0; round < 300; round++) {
		const uint32_t most = 1 + next_random(&x) % (round % 8 == 7 ? RUNS : 14);
		const uint32_t length = 1 + next_random(&x) % (round % 8 == 7 ? 2500 : 600);
		const uint32_t longest = 1 + round % 27;
		static uint32_t plain[LONGEST];
		enum hs_status end, plain_end;
		uint32_t n = 0;
		size_t m;

		p = (struct packer){ .last = UINT32_MAX, .outcomes = 1, .wide = round % 2 };
		for (uint32_t i = 0; i < length; i++) {
			const uint32_t run = most > 14 && i % 2 ? 0 : next_random(&x) % most;

			plain[n++] = run;
			pack_word(&p, run, longest);
			if (most > 14 || next_random(&x) % 50 != 0)
				continue;
			pack_flush(&p);
			memcpy(plain + n, event, sizeof(event));
			memcpy(p.words + p.n, event, sizeof(event));
			n += 5;
			p.n += 5;
		}
		pack_flush(&p);
		write_streams(dir, NARROW, true, plain, n);
		m = read_blocks(dir, 64, want, &plain_end);
		write_streams(dir, p.wide ? WIDELY : NARROW, true, p.words, p.n);
		compare("any words", have, read_blocks(dir, 1 + round % 61, have, &end), want, m);
		assert_int_equal(end, plain_end);
	}
	test_directory_remove(dir);
}
