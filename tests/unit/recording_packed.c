/* Packed streams (HS_REC_WORD_OUTCOMES, ADR-0136): their blocks are those of the words written
 * plainly. */
#include "recording_rows.h"

#define OUT(bits) (0xe0000000u | (bits)) /* after a leading one */
#define ANEW(events, before) HS_REC_WORD(HS_REC_ESCAPE_ANEW, events), (before), 0
#define BLOCKS 4096u
#define LONGEST 3072u
#define RUNS 400u
#define PLAIN 0u
#define PACKED HS_REC_LOG_PACKED
#define WIDELY (HS_REC_LOG_PACKED | HS_REC_LOG_WIDE)

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

static void write_streams(const char *dir, unsigned flags, bool complete, const uint32_t *words,
                          size_t n)
{
	struct test_log log;

	test_log_start(&log, 64);
	if (flags & HS_REC_LOG_PACKED)
		test_log_packed(&log);
	if (flags & HS_REC_LOG_WIDE)
		test_log_wide(&log);
	for (size_t i = 0; i < sizeof(program) / sizeof(*program); i++)
		test_log_run(&log, program[i].at, program[i].code, program[i].bytes);
	for (size_t i = sizeof(program) / sizeof(*program); i < RUNS; i++) /* to follow one */
		test_log_run(&log, 0x3000 + 4 * i, program[1].code, program[1].bytes);
	log_moves(&log);
	test_manifest(dir, "recording", complete);
	test_frame(dir, "runs.zst", log.bytes, log.size);
	test_frame(dir, "hart-0.zst", words, 4 * n);
}

/* All blocks, with room for @cap at a time; how many there are. */
static size_t read_blocks(const char *dir, size_t cap, struct hs_block *blocks, enum hs_status *end)
{
	struct hs_rec_stream *s;
	struct hs_error error;
	struct hs_rec *rec;
	size_t got, n = 0;

	assert_int_equal(hs_rec_open(dir, &rec, &error), HS_OK);
	assert_int_equal(hs_rec_stream_open(rec, 0, &s, &error), HS_OK);
	do {
		assert_true(n + cap <= BLOCKS);
		*end = hs_rec_stream_next(s, blocks + n, cap, &got, &error);
		n += got;
	} while (*end == HS_OK);
	hs_rec_stream_close(s);
	hs_rec_close(rec);
	return n;
}

static void compare(const char *name, const struct hs_block *a, size_t na,
                    const struct hs_block *b, size_t nb)
{
	for (size_t i = 0; i < na && i < nb; i++)
		if (memcmp(&a[i], &b[i], sizeof(*a)) != 0)
			fail_msg("%s: block %zu is another one", name, i);
	if (na != nb)
		fail_msg("%s: %zu blocks, not %zu", name, na, nb);
}

static struct hs_block have[BLOCKS], want[BLOCKS];

static void check_rows(const struct packed_row *row, size_t count, unsigned flags)
{
	char room[64];
	const char *dir = test_directory(room);
	enum hs_status end;

	for (size_t i = 0; i < count; i++)
		for (size_t cap = 1; cap <= 8; cap++) {
			size_t n, m;

			write_streams(dir, PLAIN, true, row[i].plain, row[i].n_plain);
			m = read_blocks(dir, 8, want, &end);
			write_streams(dir, flags, true, row[i].packed, row[i].n_packed);
			n = read_blocks(dir, cap, have, &end);
			compare(row[i].name, have, n, want, m);
			if (end != row[i].end)
				fail_msg("%s: %s", row[i].name, hs_status_name(end));
		}
	test_directory_remove(dir);
}

static void packed_rows(void **state)
{
	(void)state;
	check_rows(rows, sizeof(rows) / sizeof(*rows), PACKED);
	check_rows(wide_rows, sizeof(wide_rows) / sizeof(*wide_rows), WIDELY);
}

/* What is no successor may be the end of a log that was cut; without the flag it is no run. */
static void cut_or_plain(void **state)
{
	static const uint32_t words[] = { 8, 8, OUT(5), 4 };
	char room[64];
	const char *dir = test_directory(room);
	enum hs_status end;

	(void)state;
	write_streams(dir, PACKED, false, words, 4);
	read_blocks(dir, 8, have, &end);
	assert_int_equal(end, HS_E_CUT);
	write_streams(dir, PLAIN, true, words, 4);
	assert_int_equal(read_blocks(dir, 8, have, &end), 2);
	assert_int_equal(end, HS_E_FORMAT);
	test_directory_remove(dir);
}

/* A stream whose beginning was not kept says so, and then what the words before said. */
static void begins_anew(void **state)
{
	static const uint32_t words[] = { ANEW(1, 77), EVENT(HS_KIND_CONTEXT, 5, 2), 8, 8, OUT(2) };
	char room[64];
	const char *dir = test_directory(room);
	enum hs_status end;

	(void)state;
	write_streams(dir, PACKED, true, words, sizeof(words) / sizeof(*words));
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

/* A packer as docs/recording-format.md says it. */
struct packer {
	struct {
		uint32_t n, runs[256];
		bool wide;
	} successors[RUNS];
	uint32_t last, outcomes, n, words[8 * LONGEST];
	bool wide;
};

static void pack_flush(struct packer *p)
{
	if (p->outcomes != 1)
		p->words[p->n++] = OUT(p->outcomes);
	p->outcomes = 1;
}

static void pack_bits(struct packer *p, uint32_t code, unsigned bits, uint32_t longest)
{
	while (bits-- > 0) {
		p->outcomes = 2 * p->outcomes + (code >> bits & 1u);
		if (p->outcomes >> longest != 0)
			pack_flush(p);
	}
}

/* The run was not foreseen after @last. */
static void pack_learn(struct packer *p, uint32_t last, uint32_t run)
{
	uint32_t *const runs = p->successors[last].runs, *const n = &p->successors[last].n;

	p->successors[last].wide |= p->wide && *n == 2;
	if (p->successors[last].wide) {
		if (*n < 256)
			runs[(*n)++] = run;
		return;
	}
	runs[1] = runs[0];
	runs[0] = run;
	*n += *n < 2;
}

static void pack_word(struct packer *p, uint32_t run, uint32_t longest)
{
	const uint32_t last = p->last;

	p->last = run;
	for (uint32_t i = 0; last != UINT32_MAX && i < p->successors[last].n; i++)
		if (p->successors[last].runs[i] == run) {
			pack_bits(p, i,
			          !p->successors[last].wide    ? 1 :
			          p->successors[last].n <= 16 ? 4 :
			                                        8,
			          longest);
			return;
		}
	if (last != UINT32_MAX)
		pack_learn(p, last, run);
	pack_flush(p);
	p->words[p->n++] = run;
}

static uint32_t next_random(uint64_t *x)
{
	*x = *x * 6364136223846793005u + 1442695040888963407u;
	return (uint32_t)(*x >> 33);
}

/* Of any runs in any order, with events between, @most kinds of them: blocks are the same. */
static void any_words(void **state)
{
	static const uint32_t event[] = { EVENT(HS_KIND_CODE, 0x1010, 2) };
	static struct packer p;
	char room[64];
	const char *dir = test_directory(room);
	uint64_t x = 1;

	(void)state;
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
		write_streams(dir, PLAIN, true, plain, n);
		m = read_blocks(dir, 64, want, &plain_end);
		write_streams(dir, p.wide ? WIDELY : PACKED, true, p.words, p.n);
		compare("any words", have, read_blocks(dir, 1 + round % 61, have, &end), want, m);
		assert_int_equal(end, plain_end);
	}
	test_directory_remove(dir);
}

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(packed_rows),
		cmocka_unit_test(cut_or_plain),
		cmocka_unit_test(begins_anew),
		cmocka_unit_test(any_words),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
