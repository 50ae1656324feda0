/* Sources: the same blocks from files and memory, harts, damage, and what errors say. */
#include "source/source.h"
#include "cases.h"

#include <dirent.h>
#include <sys/stat.h>
#include <unistd.h>

#include <hartscope/source.h>

#define ROOM 64

/* ---- a program and a trace, by hand --------------------------------------------- */

/* 0x100 c.nop, 0x102 beq x0,x0,0x200; 0x200 c.nop. */
static const uint8_t low[] = { 0x01, 0x00, 0x63, 0x0f, 0x00, 0x0e };
static const uint8_t high[] = { 0x01, 0x00 };
static const struct hs_section sections[] = { { 0x100, sizeof(low), low },
                                              { 0x200, sizeof(high), high } };
static const struct hs_image image = { .sections = sections, .count = 2, .isa.xlen = 64 };

/* ProgTraceSync SYNC=5 I-CNT=0 F-ADDR=0x80; DirectBranch I-CNT=3; ProgTraceCorrelation EVCODE=0
 * CDF=0 I-CNT=1 (NT 7.5, 7.2, 7.12). */
#define TRACE 0x24, 0x15, 0x00, 0x0b, 0x0c, 0x0f, 0x84, 0x00, 0x07
static const uint8_t trace[] = { TRACE };
/* The same after a damaged one: DirectBranch with I-CNT=2, which ends inside beq. */
static const uint8_t damaged[] = { 0x24, 0x15, 0x00, 0x0b, 0x0c, 0x0b, TRACE };

struct item {
	uint64_t iaddr;
	uint32_t iretire; /* HART: 0 */
	uint8_t kind, itype;
};
#define B(a, n, t) { a, n, HS_KIND_BLOCK, t }
#define HART(n) { n, 0, HS_KIND_HART, 0 }

static const struct item hop[] = { B(0x100, 3, HS_ITYPE_TAKEN), B(0x200, 1, 0) };

/* ---- files ---------------------------------------------------------------------- */

struct folder {
	char path[64], trace[96], json[96], low[96], high[96], rec[96];
};

static void write_file(const char *path, const void *bytes, size_t n)
{
	FILE *f = fopen(path, "wb");

	if (!f || fwrite(bytes, 1, n, f) != n || fclose(f) != 0)
		abort();
}

static int make_folder(void **state)
{
	struct folder *d = calloc(1, sizeof(*d));

	snprintf(d->path, sizeof(d->path), "/tmp/hartscope-test-XXXXXX");
	if (!mkdtemp(d->path))
		abort();
	snprintf(d->trace, sizeof(d->trace), "%s/a.nt", d->path);
	snprintf(d->json, sizeof(d->json), "%s/a.nt.json", d->path);
	snprintf(d->low, sizeof(d->low), "%s/low", d->path);
	snprintf(d->high, sizeof(d->high), "%s/high", d->path);
	snprintf(d->rec, sizeof(d->rec), "%s/a.rec", d->path);
	write_file(d->trace, trace, sizeof(trace));
	write_file(d->low, low, sizeof(low));
	write_file(d->high, high, sizeof(high));
	*state = d;
	return 0;
}

static int remove_folder(void **state)
{
	static const char *const names[] = { "manifest.json", "runs.zst", "hart-0.zst",
	                                     "hart-7.zst" };
	struct folder *d = *state;
	char path[160];

	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
		snprintf(path, sizeof(path), "%s/%s", d->rec, names[i]);
		unlink(path);
	}
	rmdir(d->rec);
	unlink(d->trace);
	unlink(d->json);
	unlink(d->low);
	unlink(d->high);
	rmdir(d->path);
	free(d);
	return 0;
}

/* A case in a folder of its own. */
#define IN_FOLDER(f) TEST_IN(f, make_folder, remove_folder, const struct folder *d)

/* Harts 0 and 7, two blocks and one. */
static void write_recording(const struct folder *d)
{
	static const struct hs_block blocks[] = {
		{ .kind = HS_KIND_HART, .arg = 0 },
		{ .iaddr = 0x100, .iretire = 3, .ilast = 2, .itype = HS_ITYPE_TAKEN },
		{ .kind = HS_KIND_HART, .arg = 7 },
		{ .iaddr = 0x200, .iretire = 1, .ilast = 1 },
		{ .kind = HS_KIND_HART, .arg = 0 },
		{ .iaddr = 0x200, .iretire = 1, .ilast = 1 },
	};
	const struct hs_rec_writer_options o = { .size = sizeof(o), .source = "a test", .xlen = 64,
		                                 .image = &image };
	struct hs_rec_writer *w;

	assert_int_equal(hs_rec_create(d->rec, &o, &w, NULL), HS_OK);
	assert_int_equal(hs_rec_write(w, blocks, sizeof(blocks) / sizeof(*blocks), NULL), HS_OK);
	assert_int_equal(hs_rec_finish(w, true, "the end", NULL), HS_OK);
}

/* ---- reading -------------------------------------------------------------------- */

static struct hs_source *open_source(const struct hs_source_options *given)
{
	struct hs_source_options o = *given;
	struct hs_source *s = NULL;
	struct hs_error e = { 0 };

	o.size = sizeof(o);
	if (hs_source_open(&o, &s, &e) != HS_OK)
		fail_msg("%s", e.text);
	return s;
}

/* All blocks and harts, a batch of @cap at a time; how many errors there were. */
static size_t read_all(struct hs_source *s, size_t cap, struct item *to, size_t *count,
                       struct hs_error *last)
{
	struct hs_block b[ROOM];
	size_t errors = 0, n;
	enum hs_status status;

	*count = 0;
	do {
		status = hs_source_next(s, b, cap, &n, last);
		errors += status != HS_OK && status != HS_END;
		for (size_t i = 0; i < n; i++) {
			if (b[i].kind != HS_KIND_BLOCK && b[i].kind != HS_KIND_HART)
				continue;
			assert_true(*count < ROOM);
			to[(*count)++] = b[i].kind == HS_KIND_HART
			                         ? (struct item)HART(b[i].arg)
			                         : (struct item)B(b[i].iaddr, b[i].iretire,
			                         b[i].itype);
		}
	} while (status != HS_END);
	assert_int_equal(n, 0);
	return errors;
}

static void expect(struct hs_source *s, size_t cap, const struct item *want, size_t n)
{
	struct item got[ROOM];
	size_t count;

	assert_int_equal(read_all(s, cap, got, &count, NULL), 0);
	assert_int_equal(count, n);
	for (size_t i = 0; i < n; i++) {
		assert_int_equal(got[i].kind, want[i].kind);
		assert_int_equal(got[i].iaddr, want[i].iaddr);
		assert_int_equal(got[i].iretire, want[i].iretire);
		assert_int_equal(got[i].itype, want[i].itype);
	}
}

#define EXPECT(s, cap, want) expect(s, cap, want, sizeof(want) / sizeof(*(want)))
#define CODE(d) \
	{ { .kind = HS_CODE_RAW, .path = (d)->low, .address = 0x100, .has_address = true }, \
	  { .kind = HS_CODE_RAW, .path = (d)->high, .address = 0x200, .has_address = true } }

/* ---- traces --------------------------------------------------------------------- */

IN_FOLDER(trace_from_file_and_memory)
{
	const struct hs_code_file code[] = CODE(d);
	const struct hs_source_options o[] = {
		{ .path = d->trace, .code = code, .code_count = 2 },
		{ .trace = { trace, sizeof(trace) }, .code = code, .code_count = 2 },
	};
	uint64_t total;

	for (size_t i = 0; i < 2; i++)
		for (size_t cap = 1; cap <= ROOM; cap += ROOM - 1) {
			struct hs_source *s = open_source(&o[i]);

			assert_string_equal(hs_source_known(s)->protocol->name, "ntrace");
			assert_null(hs_source_known(s)->info);
			EXPECT(s, cap, hop);
			assert_int_equal(hs_source_bytes(s, &total), 9);
			assert_int_equal(total, 9);
			assert_int_equal(hs_source_rewind(s, NULL), HS_OK);
			EXPECT(s, cap, hop);
			hs_source_close(s);
		}
}

TEST(messages_and_bytes)
{
	static const struct {
		uint64_t offset;
		uint32_t length, code;
	} want[] = { { 0, 4, 9 }, { 4, 2, 3 }, { 6, 3, 33 } };
	struct hs_source *s = open_source(&(struct hs_source_options){
		.trace = { trace, sizeof(trace) }, .no_code = true });
	struct hs_message m;
	uint8_t bytes[4096];
	size_t n, sum = 0;

	for (size_t i = 0; i < 3; i++) {
		assert_int_equal(hs_source_message(s, &m, NULL), HS_OK);
		assert_int_equal(m.offset, want[i].offset);
		assert_int_equal(m.length, want[i].length);
		assert_int_equal(m.code, want[i].code);
	}
	assert_int_equal(hs_source_message(s, &m, NULL), HS_END);
	assert_int_equal(hs_source_rewind(s, NULL), HS_OK);
	while (hs_source_read(s, bytes + sum, sizeof(bytes) - sum, &n, NULL) == HS_OK && n)
		sum += n;
	assert_int_equal(sum, 9);
	assert_memory_equal(bytes, trace, 9);
	hs_source_close(s);
}

TEST(message_that_is_cut)
{
	struct hs_source *s = open_source(&(struct hs_source_options){
		.trace = { trace, 5 }, .no_code = true });
	struct hs_error e = { 0 };
	struct hs_message m;

	assert_int_equal(hs_source_message(s, &m, &e), HS_OK);
	assert_int_equal(hs_source_message(s, &m, &e), HS_E_TRUNCATED);
	assert_non_null(strstr(e.text, "offset 0x4: "));
	assert_int_equal(hs_source_message(s, &m, &e), HS_END);
	hs_source_close(s);
}

/* What is made of the messages of a piece, and of all. */
struct listed {
	uint64_t offset[4];
	size_t n;
	enum hs_status error;
};

static const void *no_more; /* to: no more pieces are wanted */

static void begin_listed(void *to, void *made)
{
	(void)to;
	memset(made, 0, sizeof(struct listed));
}

static void list_message(void *to, void *made, const struct hs_message *m)
{
	struct listed *l = made;

	(void)to;
	assert_ptr_equal(m->bytes, NULL);
	l->offset[l->n++] = m->offset;
}

static void list_error(void *to, void *made, const struct hs_error *error)
{
	(void)to;
	((struct listed *)made)->error = error->status;
}

static bool take_listed(void *to, void *made)
{
	if (to == &no_more)
		return false;
	*(struct listed *)to = *(struct listed *)made;
	return true;
}

static void free_listed(void *made)
{
	(void)made;
}

/* All messages at once, of the same trace and of one that is cut. */
TEST(messages_at_once)
{
	static const struct row {
		size_t bytes, room;
		uint32_t threads;
		enum hs_status want, error;
		size_t n;
	} rows[] = {
		{ 9, sizeof(struct listed), 0, HS_OK, HS_OK, 3 },
		{ 9, sizeof(struct listed), 3, HS_OK, HS_OK, 3 },
		{ 5, sizeof(struct listed), 2, HS_OK, HS_E_TRUNCATED, 1 },
		{ 9, 0, 2, HS_E_CONFIG, HS_OK, 0 },
	};

	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++) {
		const struct row *r = &rows[i];
		struct hs_source *s = open_source(&(struct hs_source_options){
			.trace = { trace, r->bytes }, .no_code = true });
		struct listed all = { .n = 0 };
		struct hs_messages_options o = { .size = sizeof(o), .threads = r->threads,
			.room = r->room, .to = &all, .begin = begin_listed,
			.message = list_message, .error = list_error, .take = take_listed,
			.free = free_listed };

		assert_int_equal(hs_source_messages(s, &o, NULL), r->want);
		assert_int_equal(all.n, r->n);
		assert_int_equal(all.error, r->error);
		hs_source_close(s);
		o.to = &no_more;
		s = open_source(&(struct hs_source_options){
			.trace = { trace, r->bytes }, .no_code = true });
		assert_int_equal(hs_source_messages(s, &o, NULL), r->want);
		hs_source_close(s);
	}
}

static void count_item(void *items, const struct hs_block *item)
{
	(void)item;
	++*(size_t *)items;
}

/* What each of the three messages led to; none stands after one that is not in the trace. */
IN_FOLDER(messages_that_are_followed)
{
	static const struct {
		uint64_t end, blocks, halfwords, next;
	} want[] = { { 4, 0, 0, 0x100 }, { 6, 1, 3, 0x200 }, { 9, 1, 1, 0 } };
	const struct hs_code_file code[] = CODE(d);
	struct hs_source *s = open_source(&(struct hs_source_options){
		.trace = { trace, sizeof(trace) }, .code = code, .code_count = 2 });
	struct hs_follower *f;
	struct hs_followed at;
	struct hs_error e = { 0 };
	size_t items = 0;

	assert_int_equal(hs_follower_new(s, 0, count_item, &items, &f), HS_OK);
	for (size_t i = 0; i < 3; i++) {
		assert_int_equal(hs_follower_to(f, want[i].end, &at, &e), HS_OK);
		assert_int_equal(at.blocks, want[i].blocks);
		assert_int_equal(at.halfwords, want[i].halfwords);
		assert_int_equal(at.errors, 0);
		assert_int_equal(at.harts, 1);
		if (want[i].next)
			assert_int_equal(at.next, want[i].next);
	}
	assert_int_equal(at.first.iaddr, 0x200);
	assert_true(items >= 2);
	assert_int_equal(hs_follower_to(f, 100, &at, &e), HS_OK);
	assert_int_equal(at.blocks, 0);
	hs_follower_free(f);
	hs_source_close(s);
}

IN_FOLDER(damage_then_blocks)
{
	const struct hs_code_file code[] = CODE(d);
	struct hs_source *s = open_source(&(struct hs_source_options){
		.trace = { damaged, sizeof(damaged) }, .code = code, .code_count = 2 });
	struct hs_block b[ROOM];
	struct hs_error e = { 0 };
	struct item got[ROOM];
	size_t n, count;
	enum hs_status status;

	do
		status = hs_source_next(s, b, ROOM, &n, &e);
	while (status == HS_OK);
	assert_int_equal(status, HS_E_ICNT);
	assert_int_equal(hs_source_known(s)->reason, HS_REASON_ICNT_IN_INSN);
	assert_non_null(strstr(e.text, "offset 0x4: "));
	assert_int_equal(read_all(s, ROOM, got, &count, &e), 0);
	assert_int_equal(hs_source_known(s)->reason, HS_REASON_NONE);
	assert_true(count >= 2);
	assert_int_equal(got[count - 2].iaddr, 0x100);
	assert_int_equal(got[count - 1].iaddr, 0x200);
	hs_source_close(s);
}

IN_FOLDER(nothing_that_synchronises)
{
	static const uint8_t idle[] = { 0xff, 0xff, 0xff };
	const struct hs_code_file code[] = CODE(d);
	struct hs_source *s = open_source(&(struct hs_source_options){
		.path = "name", .trace = { idle, sizeof(idle) }, .code = code, .code_count = 2 });
	struct hs_error e = { 0 };
	struct item got[ROOM];
	size_t count;

	assert_int_equal(read_all(s, ROOM, got, &count, &e), 1);
	assert_int_equal(count, 0);
	assert_string_equal(e.text,
	                    "name: no message synchronises in 3 bytes: nothing can be decoded; "
	                    "it may be of another protocol, transport or SRC (--protocol, "
	                    "--transport, --set trTeSrcBits; 'hartscope identify' tries them)");
	hs_source_close(s);
}

IN_FOLDER(parameters_of_a_source)
{
	static const char json[] = "{\"protocol\": \"etrace\"}";
	const struct hs_code_file code[] = CODE(d);
	struct hs_source_options o = { .path = d->trace, .no_code = true };
	struct hs_trace_params *params;

	write_file(d->json, json, sizeof(json) - 1);
	struct hs_source *s = open_source(&o);

	assert_string_equal(hs_source_known(s)->protocol->name, "etrace"); /* TRACE.json was read */
	hs_source_close(s);
	assert_int_equal(hs_trace_params_new("ntrace", &params, NULL), HS_OK);
	o = (struct hs_source_options){ .path = d->trace, .params = params, .code = code,
		                        .code_count = 2 };
	s = open_source(&o);
	hs_trace_params_free(params); /* it was copied */
	EXPECT(s, ROOM, hop);
	hs_source_close(s);
}

/* ---- recordings ----------------------------------------------------------------- */

static const struct item both[] = { HART(0), B(0x100, 3, HS_ITYPE_TAKEN), B(0x200, 1, 0), HART(7),
	                            B(0x200, 1, 0) };
static const struct item seventh[] = { B(0x200, 1, 0) };

#define TIME(t) { .value = (t), .itype = HS_CLOCK_TIME, .kind = HS_KIND_TIME }
#define HARTS(n) { .arg = (n), .kind = HS_KIND_HART }
#define FIRST { .iaddr = 0x100, .iretire = 3, .ilast = 2, .itype = HS_ITYPE_TAKEN }
#define LAST { .iaddr = 0x200, .iretire = 1, .ilast = 1 }

static void expect_items(struct hs_source *s, size_t cap, const struct hs_block *want, size_t count)
{
	struct hs_block b[ROOM];
	size_t at = 0, n;

	while (hs_source_next(s, b, cap, &n, NULL) == HS_OK)
		for (size_t i = 0; i < n; i++, at++) {
			assert_true(at < count);
			assert_memory_equal(&b[i], &want[at], sizeof(*b));
		}
	assert_int_equal(at, count);
}

/* With a clock harts are merged: of hart 0 the first two instructions retire in cycles 1 and 2, the
 * last one in 3, hart 7's in 1.  Where branches take 4 cycles: 1, 5, 6 and 1. */
IN_FOLDER(recording_by_time)
{
	static const struct hs_block want[] = { HARTS(7), TIME(1), LAST, HARTS(0), TIME(2), FIRST,
		                                TIME(3), LAST };
	static const struct hs_block slow[] = { TIME(5), FIRST, TIME(6), LAST };
	struct hs_clock_config clock = { .size = sizeof(clock) };
	struct hs_source *hart;

	write_recording(d);
	struct hs_source *s = open_source(
		&(struct hs_source_options){ .path = d->rec, .clock = &clock });

	for (size_t cap = 1; cap <= ROOM; cap++) {
		expect_items(s, cap, want, sizeof(want) / sizeof(*want));
		assert_int_equal(hs_source_rewind(s, NULL), HS_OK);
	}
	hs_source_close(s);
	clock.cycles[HS_CLOCK_TAKEN] = 4;
	s = open_source(&(struct hs_source_options){ .path = d->rec, .clock = &clock });
	assert_int_equal(hs_source_open_hart(s, 0, &hart, NULL), HS_OK);
	expect_items(hart, ROOM, slow, sizeof(slow) / sizeof(*slow));
	hs_source_close(hart);
	hs_source_close(s);
	clock.size = 2;
	assert_int_equal(hs_source_open(&(struct hs_source_options){
		                                .size = sizeof(struct hs_source_options),
		                                .path = d->rec, .clock = &clock }, &s, NULL),
	                 HS_E_CONFIG);
}

/* The files of the harts, as the file system has them. */
static uint64_t stream_bytes(const struct folder *d)
{
	static const char *const names[] = { "hart-0.zst", "hart-7.zst" };
	uint64_t n = 0;

	for (size_t i = 0; i < 2; i++) {
		char path[4096];
		struct stat st;

		snprintf(path, sizeof(path), "%s/%s", d->rec, names[i]);
		assert_int_equal(stat(path, &st), 0);
		n += (uint64_t)st.st_size;
	}
	return n;
}

IN_FOLDER(recording_by_hart)
{
	const uint32_t *harts;
	uint64_t total;
	uint32_t count;

	write_recording(d);
	struct hs_source *s = open_source(&(struct hs_source_options){ .path = d->rec });

	assert_int_equal(hs_source_bytes(s, &total), 0);
	assert_int_equal(total, stream_bytes(d));
	EXPECT(s, 2, both); /* zero: every hart */
	assert_int_equal(hs_source_bytes(s, &total), total);
	assert_int_equal(hs_source_rewind(s, NULL), HS_OK);
	assert_int_equal(hs_source_bytes(s, &total), 0);
	EXPECT(s, ROOM, both);
	assert_int_equal(hs_source_get_harts(s, &harts, &count, NULL), HS_OK);
	assert_int_equal(count, 2);
	assert_int_equal(harts[0], 0);
	assert_int_equal(harts[1], 7);
	assert_null(hs_source_known(s)->protocol);
	assert_int_equal(hs_source_image(s)->count, 2);
	hs_source_close(s);
	s = open_source(&(struct hs_source_options){ .path = d->rec, .one_hart = true });
	EXPECT(s, ROOM, hop);
	assert_int_equal(hs_source_rewind(s, NULL), HS_OK);
	EXPECT(s, ROOM, hop);
	hs_source_close(s);
	s = open_source(&(struct hs_source_options){ .path = d->rec, .one_hart = true, .hart = 7 });
	EXPECT(s, ROOM, seventh);
	hs_source_close(s);
}

IN_FOLDER(harts_next_to_each_other)
{
	struct hs_source *zero, *seven, *again;
	struct hs_block b[ROOM];
	struct hs_error e = { 0 };
	size_t n;

	write_recording(d);
	struct hs_source *s = open_source(&(struct hs_source_options){ .path = d->rec });

	assert_int_equal(hs_source_open_hart(s, 7, &seven, &e), HS_OK);
	assert_int_equal(hs_source_open_hart(seven, 0, &zero, &e), HS_OK);
	do
		assert_int_equal(hs_source_next(zero, b, 1, &n, &e), HS_OK);
	while (!n);
	assert_int_equal(b[0].iaddr, 0x100);
	EXPECT(seven, ROOM, seventh);
	assert_int_equal(hs_source_open_hart(s, 0, &again, &e), HS_OK);
	EXPECT(again, ROOM, hop);
	EXPECT(zero, ROOM, seventh); /* its second block */
	assert_ptr_equal(hs_source_known(zero)->program, hs_source_known(s)->program);
	assert_int_equal(hs_source_open_hart(s, 5, &zero, &e), HS_E_ARG);
	assert_string_equal(e.text, "no hart 5: the recording has 2");
	hs_source_close(again);
	hs_source_close(zero);
	hs_source_close(seven);
	hs_source_close(s);
}

/* A trace is opened again for a hart, also where the caller's options are gone. */
IN_FOLDER(harts_of_a_trace)
{
	struct hs_code_file code[] = CODE(d);
	const char *thread = strdup("0");
	struct hs_selection select = { .threads = &thread, .thread_count = 1 };
	char path[4096];
	struct hs_source *zero, *five;
	struct hs_block b[ROOM];
	struct hs_error e = { 0 };
	size_t n;

	snprintf(path, sizeof(path), "%s", d->trace);
	struct hs_source *s = open_source(&(struct hs_source_options){
		.path = path, .code = code, .code_count = 2, .select = &select });

	free((void *)(uintptr_t)thread);
	memset(path, 0, sizeof(path));
	memset(code, 0, sizeof(code));
	memset(&select, 0, sizeof(select));
	assert_int_equal(hs_source_open_hart(s, 0, &zero, &e), HS_OK);
	assert_int_equal(hs_source_open_hart(s, 5, &five, &e), HS_OK);
	EXPECT(zero, ROOM, hop);
	EXPECT(s, ROOM, hop);
	while (hs_source_next(five, b, ROOM, &n, &e) == HS_OK)
		assert_int_equal(n, 0);
	assert_int_equal(e.status, HS_E_FORMAT);
	assert_string_equal(e.text, "no hart 5: the highest in the trace is 0");
	hs_source_close(five);
	hs_source_close(zero);
	hs_source_close(s);
}

/* Threads of this process. */
static unsigned count_threads(void)
{
	unsigned n = 0;
	DIR *d = opendir("/proc/self/task");

	assert_non_null(d);
	for (const struct dirent *e = readdir(d); e; e = readdir(d))
		n += e->d_name[0] != '.';
	closedir(d);
	return n;
}

/* Read a hart of @s far enough for a thread to read ahead; how many threads there are then. */
static unsigned read_hart(struct hs_source *s)
{
	static struct hs_block b[4096];
	const unsigned before = count_threads();
	struct hs_source *hart;
	struct hs_error e = { 0 };
	uint64_t read = 0;
	size_t n;

	assert_int_equal(hs_source_open_hart(s, 0, &hart, &e), HS_OK);
	while (read < 100000) {
		assert_int_equal(hs_source_next(hart, b, 4096, &n, &e), HS_OK);
		read += n;
	}
	const unsigned threads = count_threads() - before;

	while (hs_source_next(hart, b, 4096, &n, &e) == HS_OK)
		read += n;
	assert_int_equal(read, 200000);
	hs_source_close(hart);
	return threads;
}

/* A thread reads ahead, unless the caller's threads are to do that. */
IN_FOLDER(limited_readers)
{
	const struct hs_rec_writer_options o = { .size = sizeof(o), .source = "a test", .xlen = 64,
		                                 .image = &image };
	static const struct hs_block loop[] = {
		{ .iaddr = 0x100, .iretire = 3, .ilast = 2, .itype = HS_ITYPE_TAKEN },
		{ .iaddr = 0x200, .iretire = 1, .ilast = 1, .itype = HS_ITYPE_INTERRUPT },
	};
	struct hs_rec_writer *w;

	assert_int_equal(hs_rec_create(d->rec, &o, &w, NULL), HS_OK);
	for (unsigned i = 0; i < 100000; i++)
		assert_int_equal(hs_rec_write(w, loop, 2, NULL), HS_OK);
	assert_int_equal(hs_rec_finish(w, true, "the end", NULL), HS_OK);
	struct hs_source *s = open_source(
		&(struct hs_source_options){ .path = d->rec, .threads = 3 });

	assert_int_equal(read_hart(s), 1);
	hs_source_limit_readers(s, 1);
	assert_int_equal(read_hart(s), 1);
	hs_source_limit_readers(s, 0);
	assert_int_equal(read_hart(s), 0);
	hs_source_limit_readers(s, 5); /* it does not become more */
	assert_int_equal(read_hart(s), 0);
	hs_source_close(s);
}

static void *load_file(const char *folder, const char *name, struct hs_rec_file *file)
{
	char path[160];
	uint8_t *bytes = malloc(4096);

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	FILE *f = fopen(path, "rb");

	if (!f || !bytes)
		abort();
	*file = (struct hs_rec_file){ name, { bytes, fread(bytes, 1, 4096, f) } };
	fclose(f);
	return bytes;
}

IN_FOLDER(recording_in_memory)
{
	static const char *const names[] = { "manifest.json", "runs.zst", "hart-0.zst",
	                                     "hart-7.zst" };
	struct hs_rec_file files[4];
	void *bytes[4];

	write_recording(d);
	for (size_t i = 0; i < 4; i++)
		bytes[i] = load_file(d->rec, names[i], &files[i]);
	struct hs_source *s = open_source(&(struct hs_source_options){ .files = files,
			.file_count = 4 });

	EXPECT(s, ROOM, both);
	hs_source_close(s);
	for (size_t i = 0; i < 4; i++)
		free(bytes[i]);
}

/* A stream without its end is damage of that hart; the other one is read. */
IN_FOLDER(recording_that_is_cut)
{
	struct hs_error e = { 0 };
	struct item got[ROOM];
	char path[160];
	size_t count;

	write_recording(d);
	snprintf(path, sizeof(path), "%s/hart-0.zst", d->rec);
	assert_int_equal(truncate(path, 5), 0);
	struct hs_source *s = open_source(&(struct hs_source_options){ .path = d->rec });

	assert_int_equal(read_all(s, ROOM, got, &count, &e), 1);
	assert_true(e.text[0] != '\0');
	assert_int_equal(got[count - 2].kind, HS_KIND_HART);
	assert_int_equal(got[count - 2].iaddr, 7);
	assert_int_equal(got[count - 1].iaddr, 0x200);
	hs_source_close(s);
}

/* ---- what cannot be opened ------------------------------------------------------ */

IN_FOLDER(open_errors)
{
	const struct hs_code_file code[] = CODE(d), missing = { .path = "/nowhere/elf" };
	const struct hs_capture_options capture =
		{ .size = sizeof(capture), .transport = "pigeon" };
	const struct {
		struct hs_source_options o;
		enum hs_status status;
		const char *text;
	} v[] = {
		{ { .path = "/nowhere/a.nt" }, HS_E_SYSTEM, "/nowhere/a.nt: No such file" },
		{ { .path = d->path }, HS_E_FORMAT, "manifest.json: missing" },
		{ { .path = d->trace }, HS_E_CONFIG, "give it with --elf FILE" },
		{ { .path = d->trace, .code = &missing, .code_count = 1 }, HS_E_SYSTEM,
		  "/nowhere/elf" },
		{ { .path = d->trace, .code = code, .code_count = 2, .capture = &capture },
		  HS_E_CONFIG,
		  "no transport 'pigeon'" },
		{ { .path = d->rec, .one_hart = true, .hart = 3 }, HS_E_ARG, "no hart 3" },
		{ { .path = NULL }, HS_E_ARG, "neither a path nor bytes" },
		{ { .size = 3, .path = d->trace }, HS_E_CONFIG, "unknown members" },
	};

	write_recording(d);
	for (size_t i = 0; i < sizeof(v) / sizeof(*v); i++) {
		struct hs_source_options o = v[i].o;
		struct hs_source *s = NULL;
		struct hs_error e = { 0 };

		o.size = o.size ? o.size : sizeof(o);
		assert_int_equal(hs_source_open(&o, &s, &e), v[i].status);
		assert_null(s);
		if (!strstr(e.text, v[i].text))
			fail_msg("'%s' is not in: %s", v[i].text, e.text);
	}
}
