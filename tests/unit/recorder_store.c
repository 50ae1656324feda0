/* Bytes that only grow: what is read is what was added, wherever it is by then. */
#include "cases.h"

#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "recorder/private.h"

#define ALL (5u * RECORDER_STORE_ROOM)

static char folder[] = "store-XXXXXX";
static uint8_t *all;

static int set_up(void **state)
{
	uint32_t random = 1;

	(void)state;
	all = malloc(ALL);
	for (size_t i = 0; all != NULL && i < ALL; i++)
		all[i] = (uint8_t)((random = random * 1664525u + 1013904223u) >> 24);
	return all == NULL || mkdtemp(folder) == NULL ? -1 : 0;
}

static int tear_down(void **state)
{
	(void)state;
	free(all);
	return rmdir(folder); /* fails where a file has a name */
}

static void add_all(struct recorder_store *s)
{
	size_t n;

	for (size_t at = recorder_store_size(s); at < ALL; at += n) {
		n = 1 + at * 2654435761u % 70000;
		n = n < ALL - at ? n : ALL - at;
		assert_true(recorder_store_add(s, all + at, n));
		assert_int_equal(recorder_store_size(s), at + n);
	}
}

static void expect(const struct recorder_store *s, uint64_t at, size_t n)
{
	uint8_t *got = malloc(n + 1);

	assert_non_null(got);
	assert_true(recorder_store_read(s, at, got, n));
	assert_memory_equal(got, all + at, n);
	assert_false(recorder_store_read(s, ALL - n + 1, got, n));
	free(got);
}

static void expect_all(const struct recorder_store *s)
{
	uint8_t byte;

	expect(s, 0, ALL);
	for (uint64_t at = 0; at + 5000 < ALL; at += 4999)
		expect(s, at, 5000);
	for (uint64_t at = 1; s->filed > at && at < 9; at++)
		expect(s, s->filed - at, 8); /* on both sides, or next to where memory begins */
	assert_false(recorder_store_read(s, UINT64_MAX, &byte, 1));
	assert_true(recorder_store_read(s, ALL, &byte, 0));
}

static int open_folder(void)
{
	const int dir = open(folder, O_RDONLY | O_DIRECTORY);

	assert_true(dir >= 0);
	return dir;
}

TEST(in_a_file)
{
	const int dir = open_folder();
	struct recorder_store s;
	struct stat st;
	uint8_t byte;

	recorder_store_init(&s, dir);
	add_all(&s);
	expect_all(&s);
	assert_true(s.room <= RECORDER_STORE_ROOM);
	assert_int_equal(fstat(s.fd, &st), 0);
	assert_int_equal(st.st_nlink, 0);
	assert_int_equal(ftruncate(s.fd, 10), 0); /* by somebody else */
	assert_false(recorder_store_read(&s, 10, &byte, 1));
	recorder_store_close(&s);
	close(dir);
}

/* A few bytes need no file. */
TEST(a_few)
{
	const int dir = open_folder();
	struct recorder_store s;
	uint8_t got[7];

	recorder_store_init(&s, dir);
	assert_true(recorder_store_add(&s, all, 7));
	assert_true(recorder_store_read(&s, 0, got, 7));
	assert_memory_equal(got, all, 7);
	assert_int_equal(s.fd, -1);
	recorder_store_close(&s);
	close(dir);
}

TEST(in_memory)
{
	struct recorder_store s;

	recorder_store_init(&s, -1);
	add_all(&s);
	expect_all(&s);
	assert_int_equal(s.filed, 0);
	recorder_store_close(&s);
}

/* The disk is full for a while: memory takes its place, and is given back. */
TEST(memory_takes_the_place_of_a_full_disk)
{
	const struct rlimit one = { RECORDER_STORE_ROOM + 4096, RLIM_INFINITY };
	const int dir = open_folder();
	struct recorder_store s;
	struct rlimit before;
	uint64_t filed;
	struct stat st;

	assert_true(signal(SIGXFSZ, SIG_IGN) != SIG_ERR);
	assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &one), 0);
	recorder_store_init(&s, dir);
	add_all(&s);
	expect_all(&s);
	filed = s.filed;
	assert_in_range(filed, 1, one.rlim_cur);
	assert_int_equal(fstat(s.fd, &st), 0);
	assert_int_equal(st.st_size, filed); /* the disk has no part that is not used */
	assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
	for (unsigned i = 0; s.filed == filed && i < 1000; i++)
		assert_true(recorder_store_add(&s, all, RECORDER_STORE_ROOM));
	assert_true(s.filed > filed);
	recorder_store_close(&s);
	close(dir);
}

TESTS
{
	test_around(set_up, tear_down);
}
