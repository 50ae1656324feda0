/* Recordings: words to blocks, by rows; flows written and read back; cuts and damage. */
#include "cases.h"

#include <hartscope/recording.h>

#include "recording/recording.h"
#include "recording_rows.h"

static const struct row rows[] = {
	{ "branch not taken, return, ecall", { 0, 1, 4 }, 3, HS_END,
	  { B(0x1000, 2, 1, 4), B(0x1004, 2, 1, 13), B(0x1020, 2, 2, 1), DONE }, { 0 } },
	{ "branch taken", { 0, 2, 3, 8, 8, 4 }, 5, HS_END,
	  { B(0x1000, 2, 1, 5), B(0x100c, 4, 1, 15), B(0x1012, 1, 1, 15), DONE }, { 0 } },
	{ "linear runs are one block", { 2, 3 }, 2, HS_END, { B(0x100c, 3, 1, 0), DONE }, { 0 } },
	{ "a branch without successor is not known", { 0 }, 1, HS_END,
	  { B(0x1000, 1, 1, 0), DONE }, { 0 } },
	{ "a return without successor neither", { 7 }, 1, HS_END, { DONE }, { 0 } },
	{ "breakpoint does not retire", { 5, 7, 4 }, 3, HS_END,
	  { B(0x1024, 1, 1, 1), B(0x2000, 1, 1, 13), B(0x1020, 2, 2, 1), DONE }, { 0 } },
	{ "fault in a run", { 2, PARTIAL(1), 7, 4 }, 4, HS_END,
	  { B(0x100c, 1, 1, 1), B(0x2000, 1, 1, 13), B(0x1020, 2, 2, 1), DONE }, { 0 } },
	{ "fault at the first instruction", { 3, PARTIAL(0), 4 }, 3, HS_END,
	  { B(0x1010, 0, 0, 1), B(0x1020, 2, 2, 1), DONE }, { 0 } },
	{ "fault in the second of two joined runs", { 2, 3, PARTIAL(0), 4 }, 4, HS_END,
	  { B(0x100c, 2, 1, 1), B(0x1020, 2, 2, 1), DONE }, { 0 } },
	{ "signal after straight code", { 2, SIGNAL_14, 7, 3 }, 8, HS_END,
	  { B(0x100c, 2, 1, 2), NOTE(14, HS_NOTE_SIGNAL), B(0x2000, 1, 1, 13), B(0x1010, 1, 1, 0),
	    DONE },
	  { 0 } },
	{ "signal after a direct jump", { 8, SIGNAL_14, 7, 4 }, 8, HS_END,
	  { B(0x1012, 1, 1, 15), B(0x1012, 0, 0, 2), NOTE(14, HS_NOTE_SIGNAL), B(0x2000, 1, 1, 13),
	    B(0x1020, 2, 2, 1), DONE }, { 0 } },
	{ "signal after a branch, back to the target", { 0, SIGNAL_14, 7, 4 }, 8, HS_END,
	  { B(0x1000, 2, 1, 5), B(0x100c, 0, 0, 2), NOTE(14, HS_NOTE_SIGNAL), B(0x2000, 1, 1, 13),
	    B(0x1020, 2, 2, 1), DONE }, { 0, 0, 0x100c } },
	{ "signal after a branch, back to the next instruction", { 0, SIGNAL_14, 7, 4 }, 8, HS_END,
	  { B(0x1000, 2, 1, 4), B(0x1004, 0, 0, 2), NOTE(14, HS_NOTE_SIGNAL), B(0x2000, 1, 1, 13),
	    B(0x1020, 2, 2, 1), DONE }, { 0, 0, 0x1004 } },
	{ "signal after a branch, never back", { 0, SIGNAL_14, 7, 4 }, 8, HS_END,
	  { B(0x1000, 1, 1, 2), NOTE(14, HS_NOTE_SIGNAL), B(0x2000, 1, 1, 13), B(0x1020, 2, 2, 1),
	    DONE },
	  { 0 } },
	{ "signal after a return, back to its target", { 1, SIGNAL_14, 7, 4 }, 8, HS_END,
	  { B(0x1004, 2, 1, 13), B(0x1024, 0, 0, 2), NOTE(14, HS_NOTE_SIGNAL), B(0x2000, 1, 1, 13),
	    B(0x1020, 2, 2, 1), DONE }, { 0, 0, 0x1024 } },
	{ "only a breakpoint, after joined runs elsewhere", { 2, 3, 8, 9, 4 }, 5, HS_END,
	  { B(0x100c, 4, 1, 15), B(0x1012, 0, 0, 2), B(0x1014, 0, 0, 1), B(0x1020, 2, 2, 1), DONE },
	  { 0 } },
	{ "event inside joined runs", { 2, EVENT(HS_KIND_CODE, 0x1010, 2), 3 }, 7, HS_END,
	  { { .value = 0x1010, .arg = 2, .kind = HS_KIND_CODE }, B(0x100c, 3, 1, 0), DONE },
	  { 0 } },
	{ "trap in a run", { 2, TRAP(1, 0x100e, 0x44, 5, 1), 7, 4 }, 10, HS_END,
	  { B(0x100c, 1, 1, 1), T(0x44, 5), B(0x2000, 1, 1, 13), B(0x1020, 2, 2, 1), DONE },
	  { 0 } },
	{ "trap of an ecall", { 4, TRAP(1, 0x1020, 0, 8, 0), 7, 4 }, 10, HS_END,
	  { B(0x1020, 0, 0, 1), T(0, 8), B(0x2000, 1, 1, 13), B(0x1020, 2, 2, 1), DONE }, { 0 } },
	{ "interrupt after straight code", { 2, TRAP(2, 0x1010, 0, 7, ALL), 7, 4 }, 10, HS_END,
	  { B(0x100c, 2, 1, 2), T(0, 7), B(0x2000, 1, 1, 13), B(0x1020, 2, 2, 1), DONE }, { 0 } },
	{ "interrupt after a taken branch", { 0, TRAP(2, 0x100c, 0, 7, ALL), 7, 4 }, 10, HS_END,
	  { B(0x1000, 2, 1, 5), B(0x100c, 0, 0, 2), T(0, 7), B(0x2000, 1, 1, 13),
	    B(0x1020, 2, 2, 1), DONE },
	  { 0 } },
	{ "exception where a return led", { 1, TRAP(1, 0x6000, 0x6000, 12, ALL), 7, 4 }, 10, HS_END,
	  { B(0x1004, 2, 1, 13), B(0x6000, 0, 0, 1), T(0x6000, 12), B(0x2000, 1, 1, 13),
	    B(0x1020, 2, 2, 1),
	    DONE }, { 0 } },
	{ "two traps at once", { 2, TRAP(1, 0x100e, 4, 5, 1), TRAP(2, 0x2000, 0, 7, ALL), 7, 4 },
	  17, HS_END,
	  { B(0x100c, 1, 1, 1), T(4, 5), B(0x2000, 0, 0, 2), T(0, 7), B(0x2000, 1, 1, 13),
	    B(0x1020, 2, 2, 1),
	    DONE }, { 0 } },
	{ "left in the middle", { 2, CUT(1), 10, 3, 8, 4 }, 6, HS_END,
	  { B(0x100c, 4, 1, 15), B(0x1012, 0, 0, 2), B(0x1020, 2, 2, 1), DONE }, { 0 } },
	{ "accesses before their block", { 2, ACCESS(0, 0, 1, 0), 0x77, 3,
	    ACCESS(1, 2, 3, 1), 0x88, 1, 5, 8, 4 }, 10, HS_END,
	  { DATA(0, 0, 1, 0x77), DATA(1, 2, 3, 0x100000088), VALUE(5, 0), B(0x100c, 4, 1, 15),
	    B(0x1012, 0, 0, 2), B(0x1020, 2, 2, 1), DONE }, { 0 } },
	{ "an atomic of 8 bytes, and then a fault", { 2, ACCESS(9, 3, 7, 0), 0x60, 1, 2, 3, 4,
	    PARTIAL(1), 4 }, 9, HS_END,
	  { DATA(9, 3, 7, 0x60), VALUE(0x200000001, 0), VALUE(0x400000003, 1),
	    B(0x100c, 1, 1, 1), B(0x1020, 2, 2, 1), DONE }, { 0 } },
	{ "an access before an event", { 2, ACCESS(4, 3, 0, 0), EVENT(HS_KIND_CODE, 0x1010, 2),
	    ACCESS(0, 1, 2, 0), 6, 3 }, 10, HS_END,
	  { DATA(4, 3, 0, 0), DATA(0, 1, 2, 0), VALUE(6, 0),
	    { .value = 0x1010, .arg = 2, .kind = HS_KIND_CODE }, B(0x100c, 3, 1, 0), DONE },
	  { 0 } },
	{ "data that does not fit", { 2, ACCESS(0, 0, 2, 0), 0x177 }, 3, HS_E_FORMAT,
	  { B(0x100c, 2, 1, 0), DONE }, { 0 } },
	{ "stands in the middle", { 2, 3, STAND(0, 0x1010) }, 5, HS_END,
	  { B(0x100c, 2, 1, 0), DONE }, { 0 } },
	{ "stands where the branch led", { 0, STAND(0xffff, 0x100c) }, 4, HS_END,
	  { B(0x1000, 2, 1, 5), DONE }, { 0 } },
	{ "stands after straight code, and is reset",
	  { 2, STAND(0xffff, 0x1010), STOP, 0, 1, 4 }, 12, HS_END,
	  { B(0x100c, 2, 1, 0), { .itype = 4, .kind = HS_KIND_STOP }, B(0x1000, 2, 1, 4),
	    B(0x1004, 2, 1, 13), B(0x1020, 2, 2, 1), DONE }, { 0 } },
	{ "is reset, nobody knows where", { 0, STOP, 2, 3 }, 8, HS_END,
	  { B(0x1000, 1, 1, 0), { .itype = 4, .kind = HS_KIND_STOP }, B(0x100c, 3, 1, 0), DONE },
	  { 0 } },
	{ "stands where nothing runs", { STAND(0xffff, 0x100c), 4 }, 4, HS_END,
	  { B(0x1020, 2, 2, 1), DONE }, { 0 } },
	{ "stands past the run", { 2, STAND(3, 0x1012) }, 4, HS_E_FORMAT,
	  { B(0x100c, 2, 1, 0), DONE }, { 0 } },
	{ "stands at an odd address", { 2, STAND(0xffff, 0x1011) }, 4, HS_E_FORMAT,
	  { B(0x100c, 2, 1, 0), DONE }, { 0 } },
	{ "cut inside where it stands", { 3, STAND(0, 0x1010) }, 3, HS_E_CUT,
	  { B(0x1010, 1, 1, 0), DONE }, { 0 } },
	{ "left without a run", { CUT(1) }, 1, HS_E_FORMAT, { DONE }, { 0 } },
	{ "left before it began", { 2, CUT(0) }, 2, HS_E_FORMAT, { B(0x100c, 2, 1, 0), DONE },
	  { 0 } },
	{ "left in the middle for a trap", { 2, CUT(1), TRAP(1, 0x100e, 4, 5, 0) }, 9, HS_E_FORMAT,
	  { DONE },
	  { 0 } },
	{ "trap of no type", { 3, TRAP(3, 0x1010, 0, 5, 0) }, 8, HS_E_FORMAT,
	  { B(0x1010, 1, 1, 0), DONE },
	  { 0 } },
	{ "trap at an odd address", { 3, TRAP(1, 0x1011, 0, 5, 0) }, 8, HS_E_FORMAT,
	  { B(0x1010, 1, 1, 0), DONE }, { 0 } },
	{ "trap past the run", { 3, TRAP(1, 0x1014, 0, 5, 2) }, 8, HS_E_FORMAT,
	  { B(0x1010, 1, 1, 0), DONE },
	  { 0 } },
	{ "cut inside a trap", { 3, TRAP(1, 0x1010, 0, 5, 0) }, 6, HS_E_CUT,
	  { B(0x1010, 1, 1, 0), DONE }, { 0 } },
	{ "cut inside an event", { 4, EVENT(HS_KIND_NOTE, 1, 4) }, 4, HS_E_CUT,
	  { B(0x1020, 2, 2, 1), DONE }, { 0 } },
	{ "unknown run", { 4, 99 }, 2, HS_E_FORMAT, { B(0x1020, 2, 2, 1), DONE }, { 0 } },
	{ "an event of another hart", { 4, EVENT(HS_KIND_HART, 0, 1) }, 6, HS_E_FORMAT,
	  { B(0x1020, 2, 2, 1), DONE }, { 0 } },
	{ "an address in place of blocks", { 4, EVENT(HS_KIND_PATH, 0, 1) }, 6, HS_E_FORMAT,
	  { B(0x1020, 2, 2, 1), DONE }, { 0 } },
	{ "unknown escape", { 4, 0xfabc0000 }, 2, HS_E_FORMAT,
	  { B(0x1020, 2, 2, 1), DONE }, { 0 } },
	{ "a version that the reader did not make", { 4, EVENT(HS_KIND_VERSION, 0x1000, 99) }, 6,
	  HS_E_FORMAT, { B(0x1020, 2, 2, 1), DONE }, { 0 } },
	{ "partial without a run", { PARTIAL(0) }, 1, HS_E_FORMAT, { DONE }, { 0 } },
	{ "partial past the run", { 3, PARTIAL(2) }, 2, HS_E_FORMAT, { B(0x1010, 1, 1, 0), DONE },
	  { 0 } },
	{ "partial inside an instruction", { 4, PARTIAL(1) }, 2, HS_E_FORMAT,
	  { B(0x1020, 2, 2, 1), DONE }, { 0 } },
};

static void write_row(const char *dir, const struct row *r)
{
	struct test_log log;

	test_log_start(&log, 64);
	for (size_t i = 0; i < sizeof(program) / sizeof(*program); i++)
		test_log_run(&log, program[i].at, program[i].code, program[i].bytes);
	if (r->resume.to != 0)
		test_log_add(&log, HS_REC_LOG_RESUME, &r->resume, sizeof(r->resume), NULL, 0);
	test_manifest(dir, "recording", 1);
	test_frame(dir, "runs.zst", log.bytes, log.size);
	test_frame(dir, "hart-0.zst", r->words, 4 * r->count);
}

TEST(words_to_blocks)
{
	char room[64];
	const char *dir = test_directory(room);
	struct hs_error error;
	struct hs_rec *rec;

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		write_row(dir, &rows[i]);
		for (size_t cap = 1; cap <= 8; cap++) {
			assert_int_equal(hs_rec_open(dir, &rec, &error), HS_OK);
			read_row(rec, &rows[i], cap);
		}
	}
	test_directory_remove(dir);
}

/* Runs in the place of the program's run 3. */
static const struct {
	uint64_t at;
	uint8_t code[4];
	uint32_t bytes;
} others[] = {
	{ 0x1010, { 0x01, 0x00 }, 2 },             /* 14: as run 3, for another mode */
	{ 0x1010, { 0x09, 0x05 }, 2 },             /* 15: c.addi a0, 2 */
	{ 0x1010, { 0x09, 0x05, 0x09, 0x05 }, 4 }, /* 16: the same, and in the place of run 8 */
};

/* Words, and the HS_KIND_VERSION that they give: run numbers, each before the block of its run. */
static const struct version_row {
	const char *name;
	uint32_t words[12];
	uint32_t count, n;
	uint32_t versions[4];
} version_rows[] = {
	{ "what ran first is in the snapshot", { 3, 8, 3, 14, 8, 4 }, 6, 0, { 0 } },
	{ "another code, and again", { 3, 8, 15, 8, 15, 8, 4 }, 7, 1, { 15 } },
	{ "back to the first", { 15, 8, 3, 8, 15, 8, 14, 8, 4 }, 9, 4, { 15, 3, 15, 14 } },
	{ "a longer run changes its neighbour", { 15, 8, 16, 4, 8, 4 }, 6, 3, { 15, 16, 8 } },
	{ "a shorter one keeps it", { 16, 4, 15, 4, 16, 4 }, 6, 1, { 16 } },
	{ "a word of an event is no run", { 3, EVENT(HS_KIND_CODE, 15, 15), 8, 4 }, 8, 0, { 0 } },
	/* Pages 1, 1, 2 and 1 are moved: 16, 16, 1 and 16 runs, whose numbers begin with 17. */
	{ "another page is moved there", { 0, 1, MOVED(2), 7, 0, 1, 4 }, 8, 2, { 49, 0 } },
	{ "changed elsewhere only", { 3, 8, MOVED(0), 15, 8, MOVED(1), 3, 8, 4 }, 11, 1, { 31 } },
};

static void check_versions(const char *dir, const struct version_row *row, size_t cap)
{
	const struct hs_block *event = NULL;
	struct hs_rec_stream *s;
	struct hs_error error;
	struct hs_block got[8];
	struct hs_section code;
	struct hs_rec *rec;
	uint32_t seen = 0;
	size_t n;

	assert_int_equal(hs_rec_open(dir, &rec, &error), HS_OK);
	assert_int_equal(hs_rec_stream_open(rec, 0, &s, &error), HS_OK);
	assert_int_equal(hs_rec_stream_follow_versions(s), HS_OK);
	while (hs_rec_stream_next(s, got, cap, &n, &error) == HS_OK)
		for (size_t i = 0; i < n; i++) {
			event = got[i].kind == HS_KIND_VERSION ? &got[i] : NULL;
			if (!event)
				continue;
			if (seen == row->n || event->arg != row->versions[seen])
				fail_msg("%s: version %u", row->name, event->arg);
			assert_int_equal(hs_rec_code(rec, event->arg, &code), HS_OK);
			assert_int_equal(code.start, event->value);
			seen++;
		}
	if (seen != row->n)
		fail_msg("%s: %u versions", row->name, seen);
	assert_int_equal(hs_rec_code(rec, 99, &code), HS_E_ARG);
	hs_rec_stream_close(s);
	hs_rec_close(rec);
}

/* Runs that say another code than was there. */
TEST(runs_that_had_other_code)
{
	char room[64];
	const char *dir = test_directory(room);

	for (size_t i = 0; i < sizeof(version_rows) / sizeof(*version_rows); i++) {
		struct test_log log;

		test_log_start(&log, 64);
		for (size_t k = 0; k < sizeof(program) / sizeof(*program); k++)
			test_log_run(&log, program[k].at, program[k].code, program[k].bytes);
		for (size_t k = 0; k < sizeof(others) / sizeof(*others); k++)
			test_log_run(&log, others[k].at, others[k].code, others[k].bytes);
		log_moves(&log);
		test_manifest(dir, "recording", 1);
		test_frame(dir, "runs.zst", log.bytes, log.size);
		test_frame(dir, "hart-0.zst", version_rows[i].words, 4 * version_rows[i].count);
		for (size_t cap = 1; cap <= 8; cap++)
			check_versions(dir, &version_rows[i], cap);
	}
	test_directory_remove(dir);
}

/* The files of a recording in memory, each in an allocation of its exact size. */
#define FILES 3

static void load_files(const char *dir, struct hs_rec_file files[FILES])
{
	static const char *const names[FILES] = { "manifest.json", "runs.zst", "hart-0.zst" };

	for (size_t i = 0; i < FILES; i++) {
		char path[128];
		struct stat st;
		FILE *f;

		snprintf(path, sizeof(path), "%s/%s", dir, names[i]);
		f = fopen(path, "rb");
		assert_non_null(f);
		assert_int_equal(fstat(fileno(f), &st), 0);
		uint8_t *bytes = malloc((size_t)st.st_size);

		assert_int_equal(fread(bytes, 1, (size_t)st.st_size, f), st.st_size);
		fclose(f);
		files[i] = (struct hs_rec_file){ names[i], { bytes, (size_t)st.st_size } };
	}
}

static void free_files(struct hs_rec_file files[FILES])
{
	for (size_t i = 0; i < FILES; i++)
		free((void *)(uintptr_t)files[i].bytes.p);
}

TEST(words_to_blocks_in_memory)
{
	char room[64];
	const char *dir = test_directory(room);
	struct hs_rec_file files[FILES], list[FILES];
	struct hs_error error;
	struct hs_rec *rec;

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		write_row(dir, &rows[i]);
		load_files(dir, files);
		memcpy(list, files, sizeof(list));
		assert_int_equal(hs_rec_open_memory(list, FILES, &rec, &error), HS_OK);
		memset(list, 0, sizeof(list)); /* the array is copied */
		read_row(rec, &rows[i], 3);
		free_files(files);
	}
	test_directory_remove(dir);
}

/* Streams in memory are those whose names are there; their order in the list does not matter. */
TEST(harts_in_memory)
{
	const struct row r = { .words = { 4, 3 }, .count = 2 };
	char room[64];
	const char *dir = test_directory(room);
	struct hs_rec_file files[FILES], list[6];
	struct hs_rec_stream *s;
	struct hs_error error;
	struct hs_block got[4];
	struct hs_rec *rec;
	size_t n;

	write_row(dir, &r);
	load_files(dir, files);
	list[0] = (struct hs_rec_file){ "hart-12.zst", files[2].bytes };
	list[1] = (struct hs_rec_file){ "hart-3.zst", files[2].bytes };
	list[2] = (struct hs_rec_file){ "hart-3.zst.old", files[2].bytes };
	list[3] = (struct hs_rec_file){ "notes", { NULL, 0 } };
	list[4] = files[1];
	list[5] = files[0];
	assert_int_equal(hs_rec_open_memory(list, 6, &rec, &error), HS_OK);
	assert_int_equal(hs_rec_get_info(rec)->harts, 2);
	for (uint32_t i = 0; i < 2; i++) {
		assert_int_equal(hs_rec_stream_open(rec, i, &s, &error), HS_OK);
		assert_int_equal(hs_rec_stream_hart(s), i == 0 ? 3 : 12);
		assert_int_equal(hs_rec_stream_next(s, got, 4, &n, &error), HS_OK);
		assert_int_equal(n, 2);
		assert_int_equal(got[0].iaddr, 0x1020);
		hs_rec_stream_close(s);
	}
	hs_rec_close(rec);
	assert_int_equal(hs_rec_open_memory(list, 5, &rec, &error), HS_E_SYSTEM);
	assert_string_equal(error.text, "manifest.json: not among the files");
	list[4] = files[0];
	assert_int_equal(hs_rec_open_memory(list, 5, &rec, &error), HS_E_SYSTEM);
	assert_string_equal(error.text, "runs.zst: not among the files");
	assert_int_equal(hs_rec_open_memory(NULL, 0, &rec, &error), HS_E_SYSTEM);
	free_files(files);
	test_directory_remove(dir);
}

/* Jumps to a target that the instruction before gives, also where the runs are cut between them;
 * at most @cap blocks at once. */
static void check_sequential(size_t cap)
{
	static const struct {
		uint32_t words[6], count;
		bool marked;
	} sequences[] = {
		{ { 6, 6, 4 }, 3, true },
		{ { 11, 12, 6, 4 }, 4, true },
		{ { 0, 2, 8, 11, 12, 6 }, 6, true },
		{ { 6, CUT(2), 12, 6, 4 }, 5, true },
		{ { 12, 6, 4 }, 3, false },
		{ { 13, 12, 6, 4 }, 4, false },
		{ { 6, CUT(2), 4, 12, 6 }, 5, false },
	};

	for (size_t i = 0; i < sizeof(sequences) / sizeof(*sequences); i++) {
		struct row r = { .count = sequences[i].count };
		struct hs_block got[16] = { 0 };
		enum hs_status status = HS_OK;
		struct hs_rec_stream *s;
		struct hs_error error;
		struct hs_rec *rec;
		size_t n = 0, k = 0;
		char room[64];

		memcpy(r.words, sequences[i].words, sizeof(sequences[i].words));
		write_row(test_directory(room), &r);
		assert_int_equal(hs_rec_open(room, &rec, &error), HS_OK);
		assert_int_equal(hs_rec_stream_open(rec, 0, &s, &error), HS_OK);
		for (size_t m; status == HS_OK && n + cap <= 16; n += m) {
			m = 0;
			status = hs_rec_stream_next(s, got + n, cap, &m, &error);
		}
		assert_int_equal(status, HS_END);
		while (k < n && hs_block_end(&got[k]) != 0x1036)
			k++;
		assert_int_equal(got[k].itype, HS_ITYPE_JUMP_UNINF);
		assert_int_equal(got[k].sijump, sequences[i].marked);
		hs_rec_stream_close(s);
		hs_rec_close(rec);
		test_directory_remove(room);
	}
}

TEST(sequential_jump_is_marked)
{
	check_sequential(1);
	check_sequential(8);
}

/* The image is the union of all runs. */
TEST(the_image_is_the_union_of_paths)
{
	const struct row r = { .words = { 4 }, .count = 1 };
	struct hs_error error;
	struct hs_rec *rec;
	char room[64];
	size_t n;

	write_row(test_directory(room), &r);
	assert_int_equal(hs_rec_open(room, &rec, &error), HS_OK);
	assert_int_equal(hs_img_check(hs_rec_image(rec)), HS_OK);
	assert_int_equal(hs_rec_get_info(rec)->entry, 0x1000);
	assert_memory_equal(hs_img_bytes(hs_rec_image(rec), 0x1006, &n), "\x82\x80", 2);
	assert_int_equal(n, 2);
	assert_null(hs_img_bytes(hs_rec_image(rec), 0x1008, &n));
	hs_rec_close(rec);
	test_directory_remove(room);
}

/* Many blocks, some often and some once, events, two harts. */
static struct hs_block flow_item(unsigned i)
{
	if (i % 97 == 0)
		return (struct hs_block)NOTE(i, HS_NOTE_SIGNAL);
	if (i % 89 == 0)
		return (struct hs_block){ .value = i, .arg = HS_E_ICNT, .kind = HS_KIND_GAP };
	return (struct hs_block){ .iaddr = 0x1000 + 8u * (i * 7 % 1013) +
	                          (i % 31 == 0 ? i * 16 : 0),
	                          .iretire = 2 + i % 5, .ilast = 1,
	                          .itype = (uint8_t)(i % 2 ? 5 : 13),
	                          .priv = i % 3 ? HS_PRIV_U
	                          : HS_PRIV_UNKNOWN, .sijump = i % 11 == 0 };
}

#define ITEMS 200000u

/* Write items as @n, if not 0, numbered each in turn. */
static void write_items(struct hs_rec_writer *w, const struct hs_block *items, size_t count,
                        struct hs_rec_numbers *const *numbers, unsigned n)
{
	struct hs_rec_numbered *piece = NULL;
	static unsigned turn;
	struct hs_error error;

	if (!n) {
		assert_int_equal(hs_rec_write(w, items, count, &error), HS_OK);
		return;
	}
	struct hs_rec_numbers *k = numbers[turn++ % n];

	assert_int_equal(hs_rec_number(k, &piece, items, 1), HS_OK);
	hs_rec_numbered_clear(piece); /* of no use, but its block keeps its number */
	assert_int_equal(hs_rec_number(k, &piece, items, count / 2), HS_OK);
	assert_int_equal(hs_rec_number(k, &piece, items + count / 2, count - count / 2), HS_OK);
	assert_int_equal(hs_rec_write_numbered(w, k, piece, &error), HS_OK);
	hs_rec_numbered_free(piece);
}

/* @threads: that number blocks; 0: the writer does. */
static void write_flow(const char *dir, unsigned threads)
{
	const struct hs_rec_writer_options options = { .size = sizeof(options), .program = "p",
		                                       .source = "test", .xlen = 32 };
	const struct hs_block hart = { .arg = 7, .kind = HS_KIND_HART };
	static struct hs_block piece[1000];
	struct hs_rec_numbers *numbers[4];
	struct hs_rec_writer *w;
	struct hs_error error;

	for (unsigned i = 0; i < threads; i++)
		assert_int_equal(hs_rec_numbers_new(&numbers[i]), HS_OK);
	assert_int_equal(hs_rec_create(dir, &options, &w, &error), HS_OK);
	for (unsigned i = 0, n; i < ITEMS; i += n) {
		n = ITEMS - i < i % 1000 + 1 ? ITEMS - i : i % 1000 + 1;
		for (unsigned k = 0; k < n; k++)
			piece[k] = flow_item(i + k);
		write_items(w, piece, n, numbers, threads);
	}
	for (unsigned i = 0; i < threads; i++)
		hs_rec_numbers_free(numbers[i]);
	assert_int_equal(hs_rec_write(w, &hart, 1, &error), HS_OK);
	assert_int_equal(hs_rec_write(w, &(struct hs_block)B(0x10, 1, 1, 0), 1, &error), HS_OK);
	assert_int_equal(hs_rec_finish(w, true, "done", &error), HS_OK);
}

TEST(flow_comes_back)
{
	static struct hs_block got[1000];
	struct hs_rec_stream *s;
	struct hs_error error;
	struct hs_rec *rec;
	char room[64];
	unsigned i = 0;
	size_t n;

	test_directory(room);
	rmdir(room);
	write_flow(room, 0);
	assert_int_equal(hs_rec_open(room, &rec, &error), HS_OK);
	assert_int_equal(hs_rec_get_info(rec)->xlen, 32);
	assert_int_equal(hs_rec_get_info(rec)->harts, 2);
	assert_string_equal(hs_rec_get_info(rec)->kind, "flow");
	assert_int_equal(hs_rec_stream_open(rec, 0, &s, &error), HS_OK);
	while (hs_rec_stream_next(s, got, 1000, &n, &error) == HS_OK)
		for (size_t k = 0; k < n; k++, i++) {
			const struct hs_block want = flow_item(i);

			assert_true(hs_block_equal(&got[k], &want));
		}
	assert_int_equal(i, ITEMS);
	hs_rec_stream_close(s);
	assert_int_equal(hs_rec_stream_open(rec, 1, &s, &error), HS_OK);
	assert_int_equal(hs_rec_stream_hart(s), 7);
	hs_rec_stream_close(s);
	assert_int_equal(hs_rec_stream_open(rec, 2, &s, &error), HS_E_ARG);
	hs_rec_close(rec);
	test_directory_remove(room);
}

/* Blocks that threads number are written as the writer writes them, byte for byte. */
TEST(flow_of_threads)
{
	struct hs_rec_file one[FILES], several[FILES];
	char room[64];

	test_directory(room);
	rmdir(room);
	write_flow(room, 0);
	load_files(room, one);
	for (unsigned threads = 1; threads <= 4; threads++) {
		write_flow(room, threads);
		load_files(room, several);
		for (unsigned i = 0; i < FILES; i++) {
			assert_int_equal(several[i].bytes.n, one[i].bytes.n);
			assert_memory_equal(several[i].bytes.p, one[i].bytes.p, one[i].bytes.n);
		}
		free_files(several);
	}
	free_files(one);
	test_directory_remove(room);
}

/* Any prefix of the file is a cut recording: the blocks before the cut are the same. */
TEST(cut_anywhere)
{
	const struct row r = { .words = { 0, 1, 4, 0, 2, 3, 8, 8 }, .count = 8 };
	uint8_t bytes[256];
	char room[64], path[128];
	size_t size;
	FILE *f;

	write_row(test_directory(room), &r);
	test_manifest(room, "recording", 0);
	snprintf(path, sizeof(path), "%s/hart-0.zst", room);
	f = fopen(path, "rb");
	size = fread(bytes, 1, sizeof(bytes), f);
	fclose(f);
	for (size_t cut = 0; cut <= size; cut++) {
		struct hs_rec_stream *s;
		struct hs_block got[16];
		struct hs_error error;
		struct hs_rec *rec;
		size_t n;

		test_file(room, "hart-0.zst", bytes, cut);
		assert_int_equal(hs_rec_open(room, &rec, &error), HS_OK);
		assert_false(hs_rec_get_info(rec)->complete);
		assert_int_equal(hs_rec_stream_open(rec, 0, &s, &error), HS_OK);
		assert_int_equal(hs_rec_stream_next(s, got, 16, &n, &error), HS_E_CUT);
		if (n > 0)
			assert_int_equal(got[0].iaddr, 0x1000);
		if (cut == size)
			assert_int_equal(n, 6);
		hs_rec_stream_close(s);
		hs_rec_close(rec);
	}
	test_directory_remove(room);
}

/* What the format does not have is damage: a log up to there is read where it may have been cut. */
TEST(record_of_no_type)
{
	static const enum hs_status ends[] = { HS_OK, HS_E_FORMAT };
	struct test_log log;
	struct hs_error error;
	char room[64];

	test_log_start(&log, 64);
	test_log_run(&log, program[0].at, program[0].code, program[0].bytes);
	test_log_add(&log, HS_REC_LOG_MOVED + 1, "12345678", 8, NULL, 0);
	test_directory(room);
	test_frame(room, "runs.zst", log.bytes, log.size);
	test_frame(room, "hart-0.zst", "", 0);
	for (int complete = 0; complete < 2; complete++) {
		struct hs_rec *rec = NULL;

		test_manifest(room, "recording", complete);
		assert_int_equal(hs_rec_open(room, &rec, &error), ends[complete]);
		hs_rec_close(rec);
	}
	test_directory_remove(room);
}

static const struct {
	const char *name, *manifest;
	enum hs_status status;
} manifests[] = {
	{ "not JSON", "{", HS_E_FORMAT },
	{ "another format", "{\"format\": \"x\", \"version\": 1}", HS_E_FORMAT },
	{ "no version", "{\"format\": \"hartscope-recording\"}", HS_E_FORMAT },
	{ "version 0", "{\"format\": \"hartscope-recording\", \"version\": 0}", HS_E_UNSUPPORTED },
	{ "version 2", "{\"format\": \"hartscope-recording\", \"version\": 2}", HS_E_UNSUPPORTED },
	{ "version 8", "{\"format\": \"hartscope-recording\", \"version\": 8}", HS_E_UNSUPPORTED },
	{ "nothing but the version", "{\"format\": \"hartscope-recording\", \"version\": 1}",
	  HS_OK },
};

TEST(wrong_manifests)
{
	const struct row r = { .words = { 4 }, .count = 1 };
	char room[64];

	write_row(test_directory(room), &r);
	for (size_t i = 0; i < sizeof(manifests) / sizeof(*manifests); i++) {
		struct hs_rec *rec = NULL;
		struct hs_error error;

		test_file(room, "manifest.json", manifests[i].manifest,
		          strlen(manifests[i].manifest));
		if (hs_rec_open(room, &rec, &error) != manifests[i].status)
			fail_msg("%s", manifests[i].name);
		if (manifests[i].status == HS_E_UNSUPPORTED) /* the way out */
			assert_non_null(strstr(error.text, "record again"));
		hs_rec_close(rec);
	}
	test_directory_remove(room);
}

/* What a writer's options mean: zero is good, and a newer caller's unknown members must be zero. */
TEST(writer_options)
{
	struct {
		struct hs_rec_writer_options o;
		uint64_t later;
	} newer = { { .size = sizeof(newer) }, 1 };
	const struct hs_rec_writer_options zero = { .size = sizeof(zero) }, small = { .size = 4 };
	const struct hs_rec_writer_options bad = { .size = sizeof(bad), .xlen = 16 };
	const struct hs_image image = { .isa = { .xlen = 32 } };
	const struct hs_rec_writer_options of_image = { .size = sizeof(of_image), .image = &image };
	const struct hs_rec_process process = { .context = 7, .path = "/prog/hello" };
	const struct hs_rec_writer_options of_process = { .size = sizeof(of_process),
		                                          .processes = &process,
		                                          .process_count = 1 };
	const struct {
		const struct hs_rec_writer_options *o;
		enum hs_status status;
		uint8_t xlen;
	} cases[] = {
		{ NULL, HS_OK, 64 }, { &zero, HS_OK, 64 }, { &small, HS_OK, 64 },
			{ &of_image, HS_OK, 32 }, { &of_process, HS_OK, 64 },
		{ &bad, HS_E_CONFIG, 0 }, { &newer.o, HS_E_CONFIG, 0 },
	};
	struct hs_rec_writer *w;
	struct hs_error error;
	struct hs_rec *rec;
	char room[64];

	test_directory(room);
	test_manifest(room, "flow", 1);
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		assert_int_equal(hs_rec_create(room, cases[i].o, &w, &error), cases[i].status);
		if (cases[i].status != HS_OK)
			continue;
		assert_int_equal(hs_rec_finish(w, true, "done", &error), HS_OK);
		assert_true(hs_rec_has_processes(room) == (cases[i].o == &of_process));
		assert_int_equal(hs_rec_open(room, &rec, &error), HS_OK);
		assert_int_equal(hs_rec_get_info(rec)->xlen, cases[i].xlen);
		assert_string_equal(hs_rec_get_info(rec)->program, "");
		assert_true(hs_rec_get_info(rec)->complete);
		hs_rec_close(rec);
	}
	test_directory_remove(room);
}

/* The version that a writer writes, and the names of its files, as docs/recording-format.md has
 * them. */
TEST(manifest_is_version_1)
{
	static const char *const texts[] = { "\"format\": \"hartscope-recording\"",
	                                     "\"version\": 1,",
		                             "\"kind\": \"flow\"", "\"file\": \"hart-0.zst\"" };
	struct hs_rec_file files[FILES];
	struct hs_rec_writer *w;
	struct hs_error error;
	char room[64];

	test_directory(room);
	test_manifest(room, "flow", 1);
	assert_int_equal(hs_rec_create(room, NULL, &w, &error), HS_OK);
	assert_int_equal(hs_rec_finish(w, true, "done", &error), HS_OK);
	load_files(room, files);
	for (size_t i = 0; i < sizeof(texts) / sizeof(*texts); i++)
		assert_non_null(memmem(files[0].bytes.p, files[0].bytes.n, texts[i],
		                       strlen(texts[i])));
	free_files(files);
	test_directory_remove(room);
}
