/* Packed streams (HS_REC_WORD_OUTCOMES, ADR-0136): their blocks are those of the words written
 * plainly. */
#include "recording_rows.h"

#define OUT(bits) (0xe0000000u | (bits)) /* after a leading one */
#define ANEW(events, before) HS_REC_WORD(HS_REC_ESCAPE_ANEW, events), (before), 0
#define BLOCKS 4096u
#define LONGEST 2048u

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

static void write_streams(const char *dir, bool packed, bool complete, const uint32_t *words,
                          size_t n)
{
	struct test_log log;

	test_log_start(&log, 64);
	if (packed)
		test_log_packed(&log);
	for (size_t i = 0; i < sizeof(program) / sizeof(*program); i++)
		test_log_run(&log, program[i].at, program[i].code, program[i].bytes);
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

static void packed_rows(void **state)
{
	char room[64];
	const char *dir = test_directory(room);
	enum hs_status end;

	(void)state;
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		for (size_t cap = 1; cap <= 8; cap++) {
			size_t n, m;

			write_streams(dir, false, true, rows[i].plain, rows[i].n_plain);
			m = read_blocks(dir, 8, want, &end);
			write_streams(dir, true, true, rows[i].packed, rows[i].n_packed);
			n = read_blocks(dir, cap, have, &end);
			compare(rows[i].name, have, n, want, m);
			if (end != rows[i].end)
				fail_msg("%s: %s", rows[i].name, hs_status_name(end));
		}
	test_directory_remove(dir);
}

/* What is no successor may be the end of a log that was cut; without the flag it is no run. */
static void cut_or_plain(void **state)
{
	static const uint32_t words[] = { 8, 8, OUT(5), 4 };
	char room[64];
	const char *dir = test_directory(room);
	enum hs_status end;

	(void)state;
	write_streams(dir, true, false, words, 4);
	read_blocks(dir, 8, have, &end);
	assert_int_equal(end, HS_E_CUT);
	write_streams(dir, false, true, words, 4);
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
	write_streams(dir, true, true, words, sizeof(words) / sizeof(*words));
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
	uint32_t successors[14][2], last, outcomes, n, words[LONGEST + 1];
};

static void pack_flush(struct packer *p)
{
	if (p->outcomes != 1)
		p->words[p->n++] = OUT(p->outcomes);
	p->outcomes = 1;
}

static void pack_word(struct packer *p, uint32_t run, uint32_t longest)
{
	uint32_t *const s = p->last == UINT32_MAX ? NULL : p->successors[p->last];

	p->last = run;
	if (s != NULL && (s[0] == run || s[1] == run)) {
		p->outcomes = 2 * p->outcomes + (s[0] != run);
		if (p->outcomes >> longest != 0)
			pack_flush(p);
		return;
	}
	if (s != NULL) {
		s[1] = s[0];
		s[0] = run;
	}
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
		const uint32_t length = 1 + next_random(&x) % 600;
		const uint32_t most = 1 + next_random(&x) % 14, longest = 1 + round % 27;
		static uint32_t plain[LONGEST];
		enum hs_status end, plain_end;
		uint32_t n = 0;
		size_t m;

		memset(&p, 0xff, sizeof(p));
		p.n = 0;
		p.outcomes = 1;
		for (uint32_t i = 0; i < length; i++) {
			const uint32_t run = next_random(&x) % most;

			plain[n++] = run;
			pack_word(&p, run, longest);
			if (next_random(&x) % 50 != 0)
				continue;
			pack_flush(&p);
			memcpy(plain + n, event, sizeof(event));
			memcpy(p.words + p.n, event, sizeof(event));
			n += 5;
			p.n += 5;
		}
		pack_flush(&p);
		write_streams(dir, false, true, plain, n);
		m = read_blocks(dir, 64, want, &plain_end);
		write_streams(dir, true, true, p.words, p.n);
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
