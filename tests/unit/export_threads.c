/* Exports: what threads scanned, and texts that threads made, are those of one thread. */
#include "cases.h"

#include <signal.h>
#include <sys/resource.h>

#include <hartscope/views.h>

#include "call_items.h"

#define ROUNDS 12 /* of the same items: enough for threads to begin */
#define DATABASE "export_threads.db"
#define DATABASE_LIMIT 1000000 /* bytes, less than the database has */

struct text {
	char *bytes;
	size_t n, room;
	size_t most; /* writing fails after so many; 0: never */
};

static bool keep(void *context, const void *bytes, size_t n)
{
	struct text *t = context;

	if (t->most && t->n + n > t->most)
		return false;
	if (t->room - t->n < n) {
		t->room = 2 * t->room + n;
		t->bytes = realloc(t->bytes, t->room);
		assert_non_null(t->bytes);
	}
	memcpy(t->bytes + t->n, bytes, n);
	t->n += n;
	return true;
}

struct row {
	const char *format;
	uint32_t depth, threads;
	uint64_t clock_hz;
};

static struct hs_export *begin(const struct row *r, struct hs_program *p, uint32_t threads,
                               struct text *t)
{
	const struct hs_export_options o = { .size = sizeof(o),
		                             .format = r->format,
		                             .depth = r->depth,
		                             .program = p,
		                             .path = DATABASE,
		                             .write = keep,
		                             .context = t,
		                             .clock_hz = r->clock_hz,
		                             .threads = threads };
	struct hs_error e;
	struct hs_export *x;

	assert_int_equal(hs_export_new(&o, &x, &e), HS_OK);
	return x;
}

static void add_items(void *to, const struct hs_block *items, size_t n)
{
	assert_int_equal(hs_export_add(to, items, n), HS_OK);
}

static void add_scan(void *to, struct hs_call_scanner *k, const struct hs_call_scan *scan)
{
	assert_int_equal(hs_export_add_scan(to, k, scan), HS_OK);
}

static void end(struct hs_export *x, struct hs_export_report *r)
{
	assert_int_equal(hs_export_end(x, r), HS_OK);
	hs_export_free(x);
}

/* The items by one thread, then in pieces by several. */
static void compare(const struct row *r, struct hs_program *p, const struct hs_block *items,
                    uint32_t most)
{
	static const struct call_items_taker taker = { add_items, add_scan, NULL };
	struct text one = { .n = 0 }, other = { .n = 0 };
	struct hs_export_report a, b;
	struct hs_export *x = begin(r, p, 1, &one);

	for (unsigned i = 0; i < ROUNDS; i++)
		add_items(x, items, ITEMS);
	end(x, &a);
	x = begin(r, p, r->threads, &other);
	for (unsigned i = 0; i < ROUNDS; i++)
		call_items_scan(p, items, most, &taker, x);
	end(x, &b);
	assert_true(a.instructions > ITEMS && a.calls > ITEMS);
	assert_memory_equal(&a, &b, sizeof(a));
	assert_int_equal(one.n, other.n);
	assert_memory_equal(one.bytes, other.bytes, one.n);
	free(one.bytes);
	free(other.bytes);
}

static const struct row rows[] = {
	{ "chrome", 0, 2, 0 },      { "chrome", 3, 3, 1000 },  { "speedscope", 0, 8, 0 },
	{ "speedscope", 2, 2, 10 }, { "perfetto", 0, 3, 0 },   { "perfetto", 4, 2, 7 },
	{ "callgrind", 0, 2, 0 },   { "callgrind", 2, 2, 0 },  { "folded", 0, 2, 0 },
};

TEST(threads_change_nothing)
{
	static struct hs_block items[ITEMS];
	struct hs_program *p = call_items_program();

	call_items_make(items);
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		for (uint32_t most = 3; most < ITEMS; most *= 17)
			compare(&rows[i], p, items, most);
	hs_program_free(p);
}

/* A file that cannot grow: the same error, soon, and nothing after what did not fit. */
TEST(writing_fails)
{
	static struct hs_block items[ITEMS];
	struct hs_program *p = call_items_program();

	call_items_make(items);
	for (uint32_t threads = 1; threads <= 4; threads++) {
		const struct row r = { "chrome", 0, threads, 0 };
		struct text t = { .most = 3000000 };
		struct hs_export *x = begin(&r, p, threads, &t);
		enum hs_status s = HS_OK;
		unsigned i = 0;

		for (; i < 10 * ROUNDS && s == HS_OK; i++)
			s = hs_export_add(x, items, ITEMS);
		assert_int_equal(s, HS_E_SYSTEM);
		assert_in_range(i, 2, 10 * ROUNDS - 1);
		assert_in_range(t.n, t.most / 2, t.most);
		hs_export_free(x);
		free(t.bytes);
	}
	hs_program_free(p);
}

/* ---- a database ------------------------------------------------------------------------ */

/* The items @rounds times, until one is refused; what @end gave. */
static enum hs_status make_database(struct hs_program *p, const struct row *r, unsigned rounds,
                                    const struct hs_block *items)
{
	struct hs_export *x = begin(r, p, r->threads, NULL);
	struct hs_export_report report;
	enum hs_status s = HS_OK;

	for (unsigned i = 0; i < rounds && s == HS_OK; i++)
		s = hs_export_add(x, items, ITEMS);
	if (s == HS_OK)
		s = hs_export_end(x, &report);
	hs_export_free(x);
	return s;
}

static void read_whole(const char *path, struct text *t)
{
	FILE *f = fopen(path, "rb");
	char bytes[65536];
	size_t n;

	assert_non_null(f);
	t->n = 0;
	do {
		n = fread(bytes, 1, sizeof(bytes), f);
		assert_true(keep(t, bytes, n));
	} while (n);
	fclose(f);
}

static bool has_sqlite(const struct row *r, struct hs_program *p)
{
	const struct hs_export_options o = { .size = sizeof(o), .format = r->format,
		                             .path = DATABASE, .program = p, .write = keep };
	struct hs_export *x;
	struct hs_error e;
	const enum hs_status s = hs_export_new(&o, &x, &e);

	if (s == HS_OK)
		hs_export_free(x);
	remove(DATABASE);
	return s != HS_E_UNSUPPORTED;
}

/* Of a file that cannot grow. */
static enum hs_status make_too_large(struct hs_program *p, const struct row *r,
                                     const struct hs_block *items)
{
	struct rlimit old, small;

	signal(SIGXFSZ, SIG_IGN);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &old), 0);
	small = old;
	small.rlim_cur = DATABASE_LIMIT;
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
	const enum hs_status s = make_database(p, r, 4 * ROUNDS, items);

	assert_int_equal(setrlimit(RLIMIT_FSIZE, &old), 0);
	remove(DATABASE);
	return s;
}

/* Rows that a thread inserts: the same bytes, or the same error. */
TEST(databases_are_equal)
{
	static struct hs_block items[ITEMS];
	struct text one = { .n = 0 }, other = { .n = 0 };
	struct row r = { "sqlite", 0, 1, 0 };
	struct hs_program *p = call_items_program();
	const bool has = has_sqlite(&r, p);

	call_items_make(items);
	for (; r.threads <= 4 && has; r.threads++) {
		struct text *t = r.threads == 1 ? &one : &other;

		assert_int_equal(make_database(p, &r, 4 * ROUNDS, items), HS_OK);
		read_whole(DATABASE, t);
		remove(DATABASE);
		assert_true(t->n > DATABASE_LIMIT);
		assert_int_equal(one.n, t->n);
		assert_memory_equal(one.bytes, t->bytes, one.n);
		assert_int_equal(make_too_large(p, &r, items), HS_E_SYSTEM);
	}
	free(one.bytes);
	free(other.bytes);
	hs_program_free(p);
	if (!has)
		skip();
}
