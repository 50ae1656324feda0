/* Exports: what threads scanned, and texts that threads made, are those of one thread. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <hartscope/exports.h>

#include "call_items.h"

#define ROUNDS 12 /* of the same items: enough for threads to begin */

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

static void threads_change_nothing(void **state)
{
	static struct hs_block items[ITEMS];
	struct hs_program *p = call_items_program();

	(void)state;
	call_items_make(items);
	for (size_t i = 0; i < sizeof(rows) / sizeof(*rows); i++)
		for (uint32_t most = 3; most < ITEMS; most *= 17)
			compare(&rows[i], p, items, most);
	hs_program_free(p);
}

/* A file that cannot grow: the same error, soon, and nothing after what did not fit. */
static void writing_fails(void **state)
{
	static struct hs_block items[ITEMS];
	struct hs_program *p = call_items_program();

	(void)state;
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

int main(void)
{
	const struct CMUnitTest tests[] = {
		cmocka_unit_test(threads_change_nothing),
		cmocka_unit_test(writing_fails),
	};

	return cmocka_run_group_tests_name("export_threads", tests, NULL, NULL);
}
