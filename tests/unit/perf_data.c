/* perf.data: records, buffers and their gaps, damage, and what a source makes of them.  Files are
 * made by hand (perf_file.h). */
#include "inputs/inputs.h"
#include "cases.h"

#include <unistd.h>

#include <hartscope/capture.h>
#include <hartscope/source.h>

#include "inputs/perf_data.h"
#include "perf_file.h"
#include "recording_files.h"

#define NONE UINT32_MAX

static struct hs_perf *open_file(const struct perf_file *f)
{
	const struct hs_span bytes = { f->bytes, f->n };
	struct hs_error error = { 0 };
	struct hs_perf *p = NULL;

	if (hs_perf_open_memory(&bytes, "a", &p, &error) != HS_OK)
		fail_msg("%s", error.text);
	return p;
}

/* ---- records ---------------------------------------------------------------------- */

TEST(mmap2_and_its_trailer)
{
	struct perf_file f;
	struct hs_perf_event e;

	perf_file_start(&f);
	perf_begin(&f, 10, 2);
	perf_put(&f, 7, 4);
	perf_put(&f, 8, 4);
	perf_put(&f, 0x10000, 8);
	perf_put(&f, 0x2000, 8);
	perf_put(&f, 0x1000, 8);
	perf_put(&f, 0x31, 4);
	perf_put(&f, 0x32, 4);
	perf_put(&f, 0x33, 8);
	perf_put(&f, 0x34, 8);
	perf_put(&f, 5, 4);
	perf_put(&f, 2, 4);
	perf_put_text(&f, "/bin/busybox");
	perf_end_at(&f, 9, 123456789012345, 3);
	perf_file_end(&f);
	struct hs_perf *p = open_file(&f);

	assert_int_equal(hs_perf_next(p, &e, NULL), HS_OK);
	assert_int_equal(e.type, HS_PERF_MMAP2);
	assert_string_equal(e.name, "MMAP2");
	assert_true(e.at == PERF_FILE_BEGIN && e.misc == HS_PERF_MISC_USER);
	assert_true(e.pid == 7 && e.tid == 8 && e.address == 0x10000 && e.length == 0x2000);
	assert_true(e.offset == 0x1000 && e.major == 0x31 && e.minor == 0x32);
	assert_true(e.inode == 0x33 && e.generation == 0x34 && e.protection == 5 && e.flags == 2);
	assert_string_equal(e.text, "/bin/busybox");
	assert_int_equal(e.sample.has, HS_PERF_HAS_TID | HS_PERF_HAS_TIME | HS_PERF_HAS_CPU);
	assert_true(e.sample.tid == 9 && e.sample.time == 123456789012345 && e.sample.cpu == 3);
	assert_int_equal(hs_perf_next(p, &e, NULL), HS_END);
	hs_perf_close(p);
}

TEST(a_build_id_in_place_of_the_inode)
{
	struct perf_file f;
	struct hs_perf_event e;

	perf_file_start(&f);
	perf_begin(&f, 10, 2 | 1 << 14);
	perf_put(&f, 7, 8);
	perf_put(&f, 0x10000, 8);
	perf_put(&f, 0x2000, 8);
	perf_put(&f, 0, 8);
	perf_put(&f, 20, 4);
	for (unsigned i = 0; i < 20; i++)
		perf_put(&f, 0xa0 + i, 1);
	perf_put(&f, 5, 8);
	perf_put_text(&f, "/a");
	perf_end_at(&f, 7, 1, 0);
	perf_file_end(&f);
	struct hs_perf *p = open_file(&f);

	assert_int_equal(hs_perf_next(p, &e, NULL), HS_OK);
	assert_true(e.bytes.n == 20 && e.bytes.p[0] == 0xa0 && e.bytes.p[19] == 0xb3);
	assert_true(e.major == 0 && e.inode == 0 && e.protection == 5);
	assert_string_equal(e.text, "/a");
	hs_perf_close(p);
}

TEST(text_poke)
{
	struct perf_file f;
	struct hs_perf_event e;

	perf_file_start(&f);
	perf_begin(&f, 20, 1);
	perf_put(&f, UINT64_C(0xffffffff80001000), 8);
	perf_put(&f, 4, 2);
	perf_put(&f, 2, 2);
	perf_put_bytes(&f, "\x13\0\0\0\x82\x80\0\0", 8);
	perf_put(&f, 0, 4);
	perf_end_at(&f, 1, 55, 2);
	perf_file_end(&f);
	struct hs_perf *p = open_file(&f);

	assert_int_equal(hs_perf_next(p, &e, NULL), HS_OK);
	assert_true(e.address == UINT64_C(0xffffffff80001000) && e.sample.time == 55);
	assert_true(e.bytes.n == 4 && e.bytes.p[0] == 0x13);
	assert_true(e.poke.n == 2 && memcmp(e.poke.p, "\x82\x80", 2) == 0);
	hs_perf_close(p);
}

TEST(a_type_without_a_row_is_skipped)
{
	struct perf_file f;
	struct hs_perf_event e;

	perf_pipe_start(&f);
	perf_begin(&f, 99, 0);
	perf_put(&f, 1, 8);
	perf_end(&f);
	perf_begin(&f, 3, 0);
	perf_put(&f, 5, 8);
	perf_put_text(&f, "sh");
	perf_end_at(&f, 5, 1, 0);
	struct hs_perf *p = open_file(&f);

	assert_true(hs_perf_get_info(p)->pipe && hs_perf_get_info(p)->records == 3);
	assert_int_equal(hs_perf_next(p, &e, NULL), HS_OK);
	assert_int_equal(e.type, HS_PERF_HEADER_ATTR);
	assert_int_equal(hs_perf_next(p, &e, NULL), HS_OK);
	assert_null(e.name);
	assert_int_equal(hs_perf_next(p, &e, NULL), HS_OK);
	assert_string_equal(e.text, "sh");
	assert_int_equal(e.sample.time, 1);
	hs_perf_close(p);
}

/* Changed code of no trailer, then an attribute by which it has one in place of its last bytes:
 * damage, and then the end. */
TEST(an_attribute_after_its_records)
{
	struct perf_file f;
	struct hs_perf_event e;
	struct hs_error error = { 0 };
	uint8_t attribute[8 + 128 + 8];

	perf_pipe_start(&f);
	memcpy(attribute, f.bytes + 16, sizeof(attribute));
	f.n = 16;
	perf_begin(&f, HS_PERF_TEXT_POKE, 0);
	perf_put(&f, 0x1000, 8);
	perf_put(&f, 16, 2);
	perf_put(&f, 16, 2);
	for (unsigned i = 0; i < 4; i++)
		perf_put(&f, 0, 8);
	perf_end(&f);
	perf_put_bytes(&f, attribute, sizeof(attribute));
	struct hs_perf *p = open_file(&f);

	assert_int_equal(hs_perf_next(p, &e, &error), HS_E_FORMAT);
	assert_int_equal(hs_perf_get_info(p)->damage.status, HS_E_FORMAT);
	assert_int_equal(hs_perf_next(p, &e, &error), HS_END);
	hs_perf_close(p);
}

/* Two attributes whose records end otherwise: the id, which is last in both, says how. */
TEST(ids_choose_the_attribute)
{
	struct perf_file f;
	struct hs_perf_event e;

	perf_pipe_start(&f);
	perf_set(&f, 24 + 24, 65536 | 4, 8); /* IDENTIFIER, TIME */
	const size_t at = f.n;

	perf_put_bytes(&f, f.bytes + 16, at - 16);
	perf_set(&f, at + 8 + 24, 65536, 8); /* IDENTIFIER */
	perf_set(&f, at + 8 + 128, 78, 8);
	for (unsigned id = 77; id < 79; id++) {
		perf_begin(&f, 12, 0);
		perf_put(&f, 5, 8);
		if (id == 77)
			perf_put(&f, 1000, 8);
		perf_put(&f, id, 8);
		perf_end(&f);
	}
	struct hs_perf *p = open_file(&f);

	for (unsigned i = 0; i < 3; i++)
		assert_int_equal(hs_perf_next(p, &e, NULL), HS_OK);
	assert_true(e.sample.time == 1000 && e.sample.id == 77);
	assert_int_equal(hs_perf_next(p, &e, NULL), HS_OK);
	assert_true(e.sample.has == HS_PERF_HAS_IDENTIFIER && e.sample.id == 78 && e.pid == 5);
	hs_perf_close(p);
}

TEST(words_of_cpus)
{
	static const uint64_t priv[] = { UINT64_C(9) << 32 | 2, 0, 5, 1, 1, 0, 4, 6,
		                         3, 5, 1, 1, 0, 4, 7 };
	struct perf_file f;

	perf_file_start(&f);
	perf_put_info(&f, 8, priv, 15);
	perf_file_end(&f);
	struct hs_perf *p = open_file(&f);
	const struct hs_perf_info *info = hs_perf_get_info(p);

	assert_true(info->has_auxtrace && info->auxtrace_type == 8 && info->pmu_type == 9);
	assert_true(hs_perf_get_info(p)->riscv);
	assert_int_equal(info->cpu_count, 2);
	assert_true(info->cpus[1].cpu == 3 && info->cpus[1].count == 5);
	assert_true(info->cpus[1].format == 1 && info->cpus[1].context == 1);
	assert_true(info->cpus[1].src_bits == 4 && info->cpus[1].src_id == 7);
	hs_perf_close(p);
}

/* ---- writing ------------------------------------------------------------------------ */

static bool keep_bytes(void *to, const void *bytes, size_t n)
{
	struct perf_file *f = to;

	perf_put_bytes(f, bytes, n);
	return true;
}

/* A record that was written is the one that was made by hand; others are refused. */
TEST(a_record_is_written)
{
	const struct hs_perf_writer_options o = {
		.size = sizeof(o),
		.attr = { .sample_type = 2 | 4 | 128, .flags = HS_PERF_ATTR_SAMPLE_ID_ALL },
	};
	struct hs_perf_event e = {
		.type = HS_PERF_TEXT_POKE, .misc = 1, .address = 0x1000, .old_size = 4,
		.new_size = 2, .bytes = { (const uint8_t *)"abcd", 4 },
		.poke = { (const uint8_t *)"ef", 2 },
		.sample = { .pid = 5, .tid = 5, .time = 77, .cpu = 3 },
	};
	static uint8_t much[UINT16_MAX];
	static struct perf_file want, got;
	struct hs_perf_writer *w;

	perf_begin(&want, 20, 1);
	perf_put(&want, 0x1000, 8);
	perf_put(&want, 4, 2);
	perf_put(&want, 2, 2);
	perf_put_bytes(&want, "abcdef", 6);
	perf_put(&want, 0, 6);
	perf_end_at(&want, 5, 77, 3);
	assert_int_equal(hs_perf_writer_new(&o, &w), HS_OK);
	assert_int_equal(hs_perf_write(w, &e), HS_OK);
	e = (struct hs_perf_event){ .type = HS_PERF_SAMPLE, .bytes = { much, sizeof(much) } };
	assert_int_equal(hs_perf_write(w, &e), HS_E_ARG);
	e.type = 99;
	assert_int_equal(hs_perf_write(w, &e), HS_E_ARG);
	assert_int_equal(hs_perf_writer_end(w, keep_bytes, &got), HS_OK);
	assert_memory_equal(got.bytes + PERF_FILE_BEGIN, want.bytes, want.n);
	hs_perf_writer_free(w);
}

/* ---- buffers ------------------------------------------------------------------------ */

#define TRUNC HS_PERF_AUX_TRUNCATED
#define OVER HS_PERF_AUX_OVERWRITE

/* AUXTRACE records with the letters of @text from @offset on; AUX records with flags.  What comes
 * out: '|' before bytes that may be inside a message, '/' before others after a loss. */
static const struct lane_row {
	const char *name;
	struct { uint64_t offset; const char *text; } pieces[4];
	struct { uint64_t offset, size, flags; } aux[4];
	const char *out;
} lane_rows[] = {
	{ "one piece", { { 0, "abcdefgh" } }, { { 0, 0, 0 } }, "abcdefgh" },
	{ "padding by the next one", { { 0, "abc" }, { 3, "defgh" } }, { { 0, 0, 0 } }, "abcdefgh" },
	{ "padding by AUX", { { 0, "abc" } }, { { 0, 3, 0 } }, "abc" },
	{ "padding of the last by AUX", { { 0, "abcdefgh" }, { 8, "i" } },
	  { { 0, 8, 0 }, { 8, 1, 0 } }, "abcdefghi" },
	{ "bytes not stored", { { 0, "abcdefgh" }, { 16, "ijklmnop" } }, { { 0, 0, 0 } },
	  "abcdefgh|ijklmnop" },
	{ "it begins later", { { 8, "abcdefgh" } }, { { 0, 0, 0 } }, "|abcdefgh" },
	{ "snapshots overlap", { { 8, "abcdefgh" }, { 12, "efghijkl" } }, { { 0, 16, OVER } },
	  "|abcdefghijkl" },
	{ "a snapshot again", { { 8, "abcdefgh" }, { 8, "abcdefgh" } }, { { 0, 0, 0 } },
	  "|abcdefgh" },
	{ "another session at the same offsets", { { 0, "abcdefgh" }, { 0, "ijklmnop" } },
	  { { 0, 0, 0 } }, "abcdefgh|ijklmnop" },
	{ "truncated", { { 0, "abcdefghijklmnop" } }, { { 0, 8, TRUNC } }, "abcdefgh/ijklmnop" },
	{ "truncated in the middle", { { 0, "abcdefghijklmnop" } }, { { 4, 4, TRUNC } },
	  "abcd|efgh/ijklmnop" },
	{ "truncated twice in a row", { { 0, "abcdefgh" } }, { { 0, 4, TRUNC }, { 4, 4, TRUNC } },
	  "abcd|efgh/" },
	{ "partial at the end", { { 0, "abcdefgh" } }, { { 0, 8, HS_PERF_AUX_PARTIAL } },
	  "abcdefgh/" },
};

static size_t read_lane(struct hs_perf *p, size_t lane, char *out)
{
	struct hs_perf_gap gap;
	struct hs_error error;
	enum hs_status s;
	size_t n = 0, some;

	for (;;) {
		s = hs_perf_read(p, lane, (uint8_t *)out + n, 3, &some, &gap, &error);
		n += some;
		if (s == HS_E_LOST)
			out[n++] = gap.inside ? '|' : '/';
		else if (s != HS_OK)
			break;
	}
	assert_int_equal(s, HS_END);
	out[n] = '\0';
	return n;
}

static void make_lane(const struct lane_row *r, struct perf_file *f, struct perf_who who)
{
	perf_file_start(f);
	for (size_t i = 0; i < 4 && r->aux[i].size; i++)
		perf_put_aux(f, who, r->aux[i].offset, r->aux[i].size, r->aux[i].flags, 10 + i);
	for (size_t i = 0; i < 4 && r->pieces[i].text; i++)
		perf_put_auxtrace(f, who.cpu, who.cpu == NONE ? who.tid : NONE,
		                  r->pieces[i].offset, r->pieces[i].text,
		                  strlen(r->pieces[i].text));
	perf_file_end(f);
}

TEST_ROWS(a_lane, lane_rows, r)
{
	static const struct perf_who whose[] = { { 2, 700 }, { NONE, 700 } };
	struct hs_perf_lane lane;
	struct perf_file f;
	char out[256];

	for (size_t i = 0; i < 2; i++) {
		make_lane(r, &f, whose[i]);
		struct hs_perf *p = open_file(&f);

		assert_true(hs_perf_get_lane(p, 0, &lane));
		assert_false(hs_perf_get_lane(p, 1, &lane));
		assert_true(lane.cpu == whose[i].cpu);
		read_lane(p, 0, out);
		assert_string_equal(out, r->out);
		hs_perf_rewind_lane(p, 0);
		read_lane(p, 0, out);
		assert_string_equal(out, r->out);
		hs_perf_close(p);
	}
}

/* Any beginning of a file opens, or says why not; its bytes are a beginning of those of all. */
TEST_ROWS(every_cut, lane_rows, r)
{
	struct hs_error error;
	struct perf_file f;
	struct hs_perf *p;
	char all[256], some[256];

	make_lane(r, &f, (struct perf_who){ 0, 1 });
	p = open_file(&f);
	read_lane(p, 0, all);
	hs_perf_close(p);
	for (size_t n = 0; n < f.n; n++) {
		uint8_t *copy = malloc(n ? n : 1);
		const struct hs_span bytes = { copy, n };
		struct hs_perf_lane lane;
		struct hs_perf_event e;

		memcpy(copy, f.bytes, n);
		if (hs_perf_open_memory(&bytes, "a", &p, &error) == HS_OK) {
			if (hs_perf_get_lane(p, 0, &lane)) {
				read_lane(p, 0, some);
				assert_memory_equal(some, all, strcspn(some, "/|"));
			}
			while (hs_perf_next(p, &e, &error) == HS_OK)
				continue;
			assert_true(n < PERF_FILE_BEGIN ||
			            hs_perf_get_info(p)->damage.status == HS_E_TRUNCATED);
			hs_perf_close(p);
		}
		free(copy);
	}
}

TEST(lanes_in_order)
{
	struct hs_perf_lane lane;
	struct perf_file f;
	char out[64];

	perf_file_start(&f);
	perf_put_auxtrace(&f, 3, NONE, 0, "ijklmnop", 8);
	perf_put_auxtrace(&f, 1, NONE, 0, "abcdefgh", 8);
	perf_put_auxtrace(&f, 3, NONE, 8, "qrstuvwx", 8);
	perf_file_end(&f);
	struct hs_perf *p = open_file(&f);

	assert_true(hs_perf_get_lane(p, 0, &lane) && lane.cpu == 1 && lane.bytes == 8);
	assert_true(hs_perf_get_lane(p, 1, &lane) && lane.cpu == 3 && lane.bytes == 16);
	read_lane(p, 1, out);
	assert_string_equal(out, "ijklmnopqrstuvwx");
	hs_perf_close(p);
}

TEST(times_of_bytes)
{
	const struct perf_who who = { 0, 1 };
	struct perf_file f;

	perf_file_start(&f);
	perf_put_aux(&f, who, 0, 4, 0, 100);
	perf_put_aux(&f, who, 4, 8, 0, 200);
	perf_put_auxtrace(&f, 0, NONE, 0, "abcdefghijkl", 12);
	perf_put_aux(&f, who, 32, 4, 0, 300);
	perf_put_auxtrace(&f, 0, NONE, 32, "abcd", 4);
	perf_file_end(&f);
	struct hs_perf *p = open_file(&f);

	assert_true(hs_perf_time_of(p, 0, 0) == 100 && hs_perf_time_of(p, 0, 3) == 100);
	assert_true(hs_perf_time_of(p, 0, 4) == 200 && hs_perf_time_of(p, 0, 11) == 200);
	assert_true(hs_perf_time_of(p, 0, 12) == 300 && hs_perf_offset_of(p, 0, 12) == 32);
	assert_true(hs_perf_time_of(p, 0, 16) == UINT64_MAX);
	hs_perf_close(p);
}

/* ---- damage ------------------------------------------------------------------------- */

/* A file with a COMM and eight bytes of trace, in which a number is replaced. */
static const struct damage_row {
	const char *name;
	size_t at;
	unsigned size;
	uint64_t value;
	enum hs_status open;   /* hs_perf_open_memory() */
	enum hs_status damage; /* of its records */
	const char *text;
} damage_rows[] = {
	{ "as it is", 0, 0, 0, HS_OK, HS_OK, "" },
	{ "no magic", 0, 1, 'p', HS_E_FORMAT, HS_OK, "not a perf.data" },
	{ "big-endian", 0, 8, UINT64_C(0x50455246494c4532), HS_E_UNSUPPORTED, HS_OK,
	  "big-endian" },
	{ "the old magic", 0, 8, UINT64_C(0x454c494646524550), HS_E_UNSUPPORTED, HS_OK,
	  "2011" },
	{ "a header of 103 bytes", 8, 8, 103, HS_E_FORMAT, HS_OK, "header of 103" },
	{ "attributes of 8 bytes", 16, 8, 8, HS_E_FORMAT, HS_OK, "attributes" },
	{ "attributes outside", 24, 8, UINT64_MAX, HS_E_FORMAT, HS_OK, "attributes" },
	{ "ids outside", 104 + 128 + 8, 8, 16, HS_OK, HS_OK, "" },
	{ "ids of half a word", 104 + 128 + 8, 8, 4, HS_E_FORMAT, HS_OK, "ids" },
	{ "records outside", 40, 8, 1 << 20, HS_E_FORMAT, HS_OK, "records" },
	{ "the recorder was killed", 48, 8, 0, HS_OK, HS_OK, "" },
	{ "more records than the file has", 48, 8, 1 << 20, HS_OK, HS_E_TRUNCATED, "ends inside" },
	{ "a record of 7 bytes", PERF_FILE_BEGIN + 6, 2, 7, HS_OK, HS_E_FORMAT, "0xf8: a record of" },
	{ "a COMM of 12 bytes", PERF_FILE_BEGIN + 6, 2, 12, HS_OK, HS_E_FORMAT, "shorter" },
	{ "bytes of trace that are not there", PERF_FILE_BEGIN + 48 + 8, 8, 16, HS_OK,
	  HS_E_TRUNCATED, "0x128" },
	{ "as many as there can be", PERF_FILE_BEGIN + 48 + 8, 8, UINT64_MAX, HS_OK,
	  HS_E_TRUNCATED, "0x128" },
	{ "an offset past the end", PERF_FILE_BEGIN + 48 + 16, 8, UINT64_MAX, HS_OK, HS_E_FORMAT,
	  "contradict" },
	{ "compressed records", PERF_FILE_BEGIN, 4, 81, HS_E_UNSUPPORTED, HS_OK, "compressed" },
};

TEST_ROWS(damage, damage_rows, r)
{
	struct hs_error error = { 0 };
	struct hs_perf_event e;
	struct perf_file f;
	struct hs_perf *p;

	perf_file_start(&f);
	perf_begin(&f, 3, 0);
	perf_put(&f, 5, 8);
	perf_put_text(&f, "sh");
	perf_end_at(&f, 5, 1, 0);
	perf_put_auxtrace(&f, 0, NONE, 0, "abcdefgh", 8);
	perf_file_end(&f);
	perf_set(&f, r->at, r->value, r->size);
	const struct hs_span bytes = { f.bytes, f.n };

	assert_int_equal(hs_perf_open_memory(&bytes, "a", &p, &error), r->open);
	if (r->open != HS_OK) {
		assert_non_null(strstr(error.text, r->text));
		return;
	}
	assert_int_equal(hs_perf_get_info(p)->damage.status, r->damage);
	enum hs_status s;

	do
		s = hs_perf_next(p, &e, &error);
	while (s == HS_OK);
	assert_int_equal(s, r->damage == HS_OK ? HS_END : r->damage);
	assert_int_equal(hs_perf_next(p, &e, &error), HS_END);
	assert_non_null(strstr(error.text, r->text));
	hs_perf_close(p);
}

/* ---- a source ------------------------------------------------------------------------- */

/* 0x100 c.nop, 0x102 beq x0,x0,0x200; 0x200 c.nop. */
static const uint8_t code[0x102] = { 0x01, 0x00, 0x63, 0x0f, 0x00, 0x0e, [0x100] = 0x01 };

/* ProgTraceSync SYNC=5 I-CNT=0 F-ADDR=0x80; DirectBranch I-CNT=3; ProgTraceCorrelation EVCODE=0
 * CDF=0 I-CNT=1 (NT 7.5, 7.2, 7.12). */
static const uint8_t trace[] = { 0x24, 0x15, 0x00, 0x0b, 0x0c, 0x0f, 0x84, 0x00, 0x07 };

#define ERRORS 2048

/* Decode a file; items as text: "h1 b100 b200 g ". */
static void decode(const struct perf_file *f, char *out, size_t size, char *errors)
{
	char room[64], path[96];
	const char *dir = test_directory(room);
	struct hs_error error = { 0 };
	struct hs_source *s;
	enum hs_status status;
	size_t n, notes = 0;

	snprintf(path, sizeof(path), "%s/code", dir);
	FILE *file = fopen(path, "wb");

	if (!file || fwrite(code, 1, sizeof(code), file) != sizeof(code) || fclose(file) != 0)
		abort();
	const struct hs_code_file code_file = { .kind = HS_CODE_RAW, .path = path,
		                                .address = 0x100, .has_address = true };
	const struct hs_source_options o = { .size = sizeof(o), .trace = { f->bytes, f->n },
		                             .code = &code_file, .code_count = 1 };

	*out = *errors = '\0';
	if (hs_source_open(&o, &s, &error) != HS_OK)
		fail_msg("%s", error.text);
	do {
		struct hs_block b[64];

		status = hs_source_next(s, b, 64, &n, &error);
		for (size_t i = 0; i < n; i++) {
			char *to = out + strlen(out);
			const size_t left = size - strlen(out);

			if (b[i].kind == HS_KIND_BLOCK)
				snprintf(to, left, "b%llx ", (unsigned long long)b[i].iaddr);
			else if (b[i].kind == HS_KIND_HART)
				snprintf(to, left, "h%u ", b[i].arg);
			else if (b[i].kind == HS_KIND_GAP)
				snprintf(to, left, "gap ");
		}
		if (status != HS_OK && status != HS_END)
			snprintf(errors + strlen(errors), ERRORS - strlen(errors), "%s\n",
			         error.text);
	} while (status != HS_END);
	struct hs_program *program = hs_source_known(s)->program;

	for (const char *note; (note = hs_program_note(program, notes)); notes++)
		snprintf(errors + strlen(errors), ERRORS - strlen(errors), "%s\n", note);
	hs_source_close(s);
	unlink(path);
	rmdir(dir);
}

TEST(two_cpus)
{
	struct perf_file f;
	char out[256], errors[ERRORS];

	perf_file_start(&f);
	perf_put_info(&f, 7, (const uint64_t[]){ 9 }, 1);
	perf_put_auxtrace(&f, 5, NONE, 0, trace, sizeof(trace));
	perf_put_aux(&f, (struct perf_who){ 5, 1 }, 0, sizeof(trace), 0, 1);
	perf_put_auxtrace(&f, 2, NONE, 0, trace, sizeof(trace));
	perf_put_aux(&f, (struct perf_who){ 2, 1 }, 0, sizeof(trace), 0, 1);
	perf_file_end(&f);
	decode(&f, out, sizeof(out), errors);
	assert_string_equal(out, "h2 b100 b200 h5 b100 b200 ");
	assert_string_equal(errors, "");
}

/* Records that the kernel had no room for (PERF_RECORD_LOST: id, count) may be of any kind. */
TEST(lost_records_are_said)
{
	struct perf_file f;
	char out[256], errors[ERRORS];

	perf_file_start(&f);
	perf_put_auxtrace(&f, 2, NONE, 0, trace, sizeof(trace));
	perf_put_aux(&f, (struct perf_who){ 2, 1 }, 0, sizeof(trace), 0, 1);
	for (unsigned i = 0; i < 2; i++) {
		perf_begin(&f, 2, 0);
		perf_put(&f, 1, 8);
		perf_put(&f, 20 + i, 8);
		perf_end_at(&f, 1, 1, 2);
	}
	perf_file_end(&f);
	struct hs_perf *p = open_file(&f);

	assert_int_equal(hs_perf_get_info(p)->lost, 41);
	hs_perf_close(p);
	decode(&f, out, sizeof(out), errors);
	assert_string_equal(out, "h2 b100 b200 ");
	assert_non_null(strstr(errors, "the kernel had no room for 41 records"));
}

/* A snapshot that begins inside a message, which ends with its first byte of MSEO 3; then the
 * kernel lost bytes inside a message, and begins with a new one. */
TEST(a_snapshot_and_a_loss)
{
	uint8_t bytes[2 + 2 * sizeof(trace)] = { 0x00, 0x0b };
	const struct perf_who who = { 0, 1 };
	struct perf_file f;
	char out[256], errors[ERRORS];

	memcpy(bytes + 2, trace, sizeof(trace));
	memcpy(bytes + 2 + 6 + 1, trace, sizeof(trace)); /* one byte of the third message */
	perf_file_start(&f);
	perf_put_auxtrace(&f, 0, NONE, 0x1000, bytes, 9 + sizeof(trace));
	perf_put_aux(&f, who, 0x1000, 9, TRUNC, 1);
	perf_put_aux(&f, who, 0x1009, sizeof(trace), 0, 2);
	perf_file_end(&f);
	decode(&f, out, sizeof(out), errors);
	assert_string_equal(out, "h0 b100 gap b100 b200 ");
	assert_non_null(strstr(errors, "CPU 0: offset 0x1009 of the buffer: AUX: truncated"));
}

/* Bytes after a loss are read by another reader; where they end is said from the buffer's start. */
TEST(a_cut_after_a_loss)
{
	uint8_t bytes[2 * sizeof(trace)];
	const struct perf_who who = { 0, 1 };
	struct hs_message m = { 0 };
	struct perf_file f;
	struct hs_error error;
	struct hs_source *s;
	enum hs_status status;

	memcpy(bytes, trace, sizeof(trace));
	memcpy(bytes + sizeof(trace), trace, sizeof(trace));
	perf_file_start(&f);
	perf_put_auxtrace(&f, 0, NONE, 0x1000, bytes, sizeof(bytes) - 1);
	perf_put_aux(&f, who, 0x1000, sizeof(trace), TRUNC, 1);
	perf_put_aux(&f, who, 0x1000 + sizeof(trace), sizeof(trace) - 1, 0, 2);
	perf_file_end(&f);
	const struct hs_source_options o = { .size = sizeof(o),
		                             .no_code = true,
		                             .trace = { f.bytes, f.n } };

	assert_int_equal(hs_source_open(&o, &s, &error), HS_OK);
	do
		status = hs_source_message(s, &m, &error);
	while (status == HS_OK || status == HS_E_LOST);
	assert_int_equal(status, HS_E_TRUNCATED);
	assert_non_null(strstr(error.text, "offset 0xf:"));
	hs_source_close(s);
}

TEST(other_traces_are_refused)
{
	struct perf_file f;
	struct hs_source *s;
	struct hs_error error;

	perf_file_start(&f);
	perf_put_info(&f, 1, (const uint64_t[]){ 9 }, 1); /* Intel PT */
	perf_put_auxtrace(&f, 0, NONE, 0, trace, sizeof(trace));
	perf_file_end(&f);
	const struct hs_source_options o = { .size = sizeof(o), .trace = { f.bytes, f.n } };

	assert_int_equal(hs_source_open(&o, &s, &error), HS_E_UNSUPPORTED);
	assert_non_null(strstr(error.text, "type 1"));
	f.n = PERF_FILE_BEGIN;
	perf_file_end(&f);
	const struct hs_source_options none = { .size = sizeof(o), .trace = { f.bytes, f.n } };

	assert_int_equal(hs_source_open(&none, &s, &error), HS_E_FORMAT);
	assert_non_null(strstr(error.text, "AUXTRACE"));
}
