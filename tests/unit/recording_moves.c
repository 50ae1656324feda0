/* Recordings of machines whose pages of code are at several addresses (design/rec-machines). */
#include "cases.h"

#include "recording_rows.h"

static const struct row move_rows[] = {
	{ "a page elsewhere, and back", { MOVED(0), 0, 1, MOVED(1), 4 }, 7, HS_END,
	  { B(0x5000, 2, 1, 4), B(0x5004, 2, 1, 13), B(0x1020, 2, 2, 1), DONE }, { 0 } },
	{ "joined there", { MOVED(0), 0, 2, 3, 8, 8, 4 }, 8, HS_END,
	  { B(0x5000, 2, 1, 5), B(0x500c, 4, 1, 15), B(0x5012, 1, 1, 15), B(0x5012, 0, 0, 2),
	    B(0x5020, 2, 2, 1), DONE }, { 0 } },
	{ "no run before it is back", { MOVED(0), MOVED(1), 0, 1, 4 }, 7, HS_END,
	  { B(0x1000, 2, 1, 4), B(0x1004, 2, 1, 13), B(0x1020, 2, 2, 1), DONE }, { 0 } },
	{ "the run before keeps its place", { MOVED(0), 1, MOVED(3), 1, 4 }, 7, HS_END,
	  { B(0x5004, 2, 1, 13), B(0x6004, 2, 1, 13), B(0x6020, 2, 2, 1), DONE }, { 0 } },
	{ "another page stays", { MOVED(0), 1, 7, 4 }, 5, HS_END,
	  { B(0x5004, 2, 1, 13), B(0x2000, 1, 1, 13), B(0x5020, 2, 2, 1), DONE }, { 0 } },
	{ "trap there", { MOVED(0), 2, TRAP(1, 0x500e, 0x44, 5, 1), 7, 4 }, 12, HS_END,
	  { B(0x500c, 1, 1, 1), T(0x44, 5), B(0x2000, 1, 1, 13), B(0x5020, 2, 2, 1), DONE },
	  { 0 } },
	{ "no such move", { 4, MOVED(4), 4 }, 4, HS_E_FORMAT, { B(0x1020, 2, 2, 1), DONE }, { 0 } },
	{ "a move without its number", { 4, HS_REC_WORD(7, 0) }, 2, HS_E_CUT,
	  { B(0x1020, 2, 2, 1), DONE }, { 0 } },
};

/* The words are what the rows say, and the snapshot has the code of each address. */
TEST(harts_move_between_streams)
{
	char room[64];
	const char *dir = test_directory(room);
	struct hs_error error;
	struct hs_rec *rec;
	struct test_log log;
	size_t n;

	test_log_start(&log, 64);
	for (size_t k = 0; k < sizeof(program) / sizeof(*program); k++)
		test_log_run(&log, program[k].at, program[k].code, program[k].bytes);
	log_moves(&log);
	test_manifest(dir, "recording", 1);
	test_frame(dir, "runs.zst", log.bytes, log.size);
	for (size_t i = 0; i < sizeof(move_rows) / sizeof(*move_rows); i++) {
		test_frame(dir, "hart-0.zst", move_rows[i].words, 4 * move_rows[i].count);
		for (size_t cap = 1; cap <= 8; cap++) {
			assert_int_equal(hs_rec_open(dir, &rec, &error), HS_OK);
			assert_memory_equal(hs_img_bytes(hs_rec_image(rec), 0x5004, &n),
			                    program[1].code, 4);
			read_row(rec, &move_rows[i], cap);
		}
	}
	test_directory_remove(dir);
}

/* Records that no reader takes. */
TEST(bad_moves)
{
	static const struct hs_rec_log_moved bad[] = { { 0x1002, 0x5000 }, { 0x1000, 0x5800 },
		                                       { 0x1000, UINT64_C(0) - 4096 } };
	char room[64];
	const char *dir = test_directory(room);
	struct hs_error error;
	struct hs_rec *rec;

	test_manifest(dir, "recording", 1);
	test_frame(dir, "hart-0.zst", "", 0);
	for (size_t i = 0; i < sizeof(bad) / sizeof(*bad); i++) {
		struct test_log log;

		test_log_start(&log, 64);
		test_log_run(&log, 0x1ffe, "\x73\x00\x00\x00", 4); /* does not fit at the end */
		test_log_add(&log, HS_REC_LOG_MOVED, &bad[i], sizeof(bad[i]), NULL, 0);
		test_frame(dir, "runs.zst", log.bytes, log.size);
		assert_int_equal(hs_rec_open(dir, &rec, &error), HS_E_FORMAT);
	}
	test_directory_remove(dir);
}
