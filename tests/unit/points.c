/* Points of coverage (points.h): counts of messages and rows, and files of them.  Which points a
 * message or row hits is by its fields, by hand. */
#include "cases.h"

#include <errno.h>
#include <sys/stat.h>
#include <unistd.h>

#include <hartscope/encode.h>
#include <hartscope/ntrace.h>

#include "ntrace/nt_message.h"

static struct hs_points *new_counts(void)
{
	struct hs_points *p;

	assert_int_equal(hs_points_new(&p), HS_OK);
	return p;
}

/* Counts of an N-Trace stream: ProgTraceSync SYNC=5, and the message again. */
static struct hs_points *ntrace_counts(void)
{
	const struct hs_protocol *ntrace = hs_protocol_find("ntrace");
	struct hs_message m = { .code = HS_NT_PROG_TRACE_SYNC, .count = 1 };
	void *config = calloc(1, ntrace->config_size);
	struct hs_points *p = new_counts();

	assert_non_null(config);
	hs_protocol_defaults(ntrace, config);
	m.name = "ProgTraceSync";
	m.field[0].name = hs_nt_field_name(HS_NTF_SYNC);
	m.field[0].value = 5;
	assert_int_equal(hs_points_add(p, &m), HS_E_ARG);
	assert_int_equal(hs_points_begin(p, ntrace, config), HS_OK);
	assert_int_equal(hs_points_add(p, &m), HS_OK);
	assert_int_equal(hs_points_add(p, &m), HS_OK);
	free(config);
	return p;
}

/* Two rows of a port: a taken branch and a trap in slots 0 and 1, then a halt. */
static void add_rows(struct hs_points *p)
{
	const struct hs_port_config config = { .slots = 2, .iretire_width = 10 };
	struct hs_port_cycle c = { .halted = 0 };

	assert_int_equal(hs_points_add_cycle(p, &c), HS_E_ARG);
	assert_int_equal(hs_points_begin_port(p, &config), HS_OK);
	c.slot[0].iretire = 2;
	c.slot[0].itype = HS_ITYPE_TAKEN;
	c.slot[1].itype = HS_ITYPE_EXCEPTION;
	assert_int_equal(hs_points_add_cycle(p, &c), HS_OK);
	c = (struct hs_port_cycle){ .halted = 1 };
	assert_int_equal(hs_points_add_cycle(p, &c), HS_OK);
}

static uint64_t hits_of(const struct hs_points *p, const char *set, const char *name)
{
	struct hs_points_set s;
	struct hs_point q;

	for (size_t k = 0; hs_points_get_set(p, k, &s); k++)
		for (size_t i = 0; strcmp(s.name, set) == 0 && hs_points_get(p, k, i, &q); i++)
			if (strcmp(q.name, name) == 0)
				return q.hits;
	fail_msg("no point %s of %s", name, set);
	return 0;
}

static const struct {
	const char *set, *name;
	uint64_t hits;
} want[] = {
	{ "ntrace", "message.ProgTraceSync", 2 },
	{ "ntrace", "sync.SYNC.trace-enable", 2 },
	{ "ntrace", "sync.SYNC.periodic", 0 },
	{ "port", "row.branch-taken", 1 },
	{ "port", "row.exception-nothing-retired", 1 },
	{ "port", "row.exception", 0 },
	{ "port", "row.group-in-slot-1", 1 },
	{ "port", "row.group-in-slot-2", 0 },
	{ "port", "row.halted", 1 },
};

static void check_counts(const struct hs_points *p, uint64_t times)
{
	struct hs_points_set set;
	struct hs_point point;

	for (size_t i = 0; i < sizeof(want) / sizeof(*want); i++)
		assert_int_equal(hits_of(p, want[i].set, want[i].name), times * want[i].hits);
	assert_int_equal(hs_points_sets(p), 2);
	assert_true(hs_points_get_set(p, 0, &set));
	assert_int_equal(set.traces, times);
	assert_int_equal(set.messages, times * 2);
	assert_int_equal(set.hit, 2);
	assert_false(hs_points_get_set(p, 2, &set));
	assert_false(hs_points_get(p, 0, set.count, &point));
	assert_false(hs_points_get(p, 2, 0, &point));
}

TEST(counts_of_points)
{
	struct hs_points *p = ntrace_counts();

	add_rows(p);
	check_counts(p, 1);
	hs_points_free(p);
	hs_points_free(NULL);
}

/* ---- files ---- */

static char folder[] = "/tmp/hartscope-points-XXXXXX";

static const char *path_of(const char *name)
{
	static char path[200];

	snprintf(path, sizeof(path), "%s/%s", folder, name);
	return path;
}

TEST(counts_are_read_back_from_a_file)
{
	struct hs_points *p = ntrace_counts();
	struct hs_error e = { 0 };
	struct stat st;

	add_rows(p);
	assert_int_equal(hs_points_write(p, path_of("a"), &e), HS_OK);
	assert_int_equal(hs_points_read(p, path_of("a"), &e), HS_OK);
	check_counts(p, 2);
	hs_points_free(p);
	p = new_counts();
	assert_int_equal(hs_points_read(p, path_of("a"), &e), HS_OK);
	check_counts(p, 1);
	assert_int_equal(hs_points_write(p, path_of("none/a"), &e), HS_E_SYSTEM);
	assert_non_null(strstr(e.text, "none/a: "));
	assert_int_equal(hs_points_read(p, path_of("none"), &e), HS_E_SYSTEM);
	assert_int_equal(errno, ENOENT);
	assert_int_equal(hs_points_read(p, folder, &e), HS_E_SYSTEM);
	assert_int_not_equal(stat(path_of("a.new"), &st), 0);
	check_counts(p, 1);
	hs_points_free(p);
}

#define SETS(n) "{\"coverage\":[{\"set\":\"ntrace\",\"traces\":\"" n "\",\"messages\":\"2\"}],"
#define POINT(set, name, hits) \
	"\"points\":[{\"set\":\"" set "\",\"name\":\"" name "\",\"hits\":" hits "}]}"

static const struct refused {
	const char *text;
	enum hs_status status;
	const char *error;
} refused[] = {
	{ "", HS_E_FORMAT, "no counts of coverage" },
	{ "{", HS_E_FORMAT, "no counts of coverage" },
	{ "[]", HS_E_FORMAT, "no counts of coverage" },
	{ "12\tbranch taken (NT Table 4)\n", HS_E_FORMAT, "no counts of coverage" },
	{ "{\"coverage\":[]}", HS_E_FORMAT, "no counts of coverage" },
	{ SETS("1") POINT("ntrace", "message.Nothing", "\"1\""), HS_E_FIELD,
	  "'message.Nothing' is no point of coverage of ntrace" },
	{ SETS("1") POINT("xtrace", "message.Error", "\"1\""), HS_E_FIELD,
	  "there is no set of points 'xtrace'" },
	{ SETS("1") POINT("etrace", "message.Trap", "\"-1\""), HS_E_FIELD,
	  "what it counts of 'message.Trap' is no number" },
	{ SETS("1") POINT("ntrace", "message.Error", "1.5"), HS_E_FIELD,
	  "what it counts of 'message.Error' is no number" },
	{ SETS("1") POINT("ntrace", "message.Error", "-1"), HS_E_FIELD,
	  "what it counts of 'message.Error' is no number" },
	{ SETS("18446744073709551616") POINT("ntrace", "message.Error", "\"1\""), HS_E_FIELD,
	  "what it counts of 'ntrace' is no number" },
};

/* A file that is refused adds nothing, and no set. */
static void refuses(void **state)
{
	const struct refused *r = *state;
	struct hs_points *p = new_counts();
	struct hs_error e = { 0 };
	FILE *f = fopen(path_of("b"), "w");

	assert_non_null(f);
	fputs(r->text, f);
	fclose(f);
	assert_int_equal(hs_points_read(p, path_of("b"), &e), r->status);
	assert_non_null(strstr(e.text, r->error));
	assert_int_equal(hs_points_sets(p), 0);
	hs_points_free(p);
}

static int remove_folder(void **state)
{
	(void)state;
	unlink(path_of("a"));
	unlink(path_of("b"));
	return rmdir(folder);
}

static int make_folder(void **state)
{
	(void)state;
	return mkdtemp(folder) ? 0 : -1;
}

TESTS
{
	test_around(make_folder, remove_folder);
	for (size_t i = 0; i < COUNT_OF(refused); i++)
		test_add(refused[i].error, refuses, &refused[i]);
}