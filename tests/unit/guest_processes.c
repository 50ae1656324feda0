/* Process maps: the text of perf script as it is, JSON lines, and which process a context is. */
#include "cases.h"

#include <hartscope/program.h>

#include "guest/guest.h"
#include "guest_elf.h"

#define CODE 0x1000u
#define BLOCK 16u

enum program { SHELL, LIST, LIBRARY, PROGRAMS };

static uint8_t code[PROGRAMS][CODE], elf[PROGRAMS][GUEST_ELF_MAX];
static const uint16_t type[PROGRAMS] = { ET_DYN, ET_DYN, ET_DYN };
static const char *const names[PROGRAMS] = { "root/bin/dash", "root/bin/ls", "root/lib/libc.so.6" };

static int make_programs(void **state)
{
	(void)state;
	for (int i = 0; i < PROGRAMS; i++) {
		guest_elf_code(code[i], CODE, 10u + (uint32_t)i);
		guest_elf_make(&(struct guest_elf){ type[i], 0x400, code[i], CODE }, elf[i]);
	}
	return 0;
}

/* What perf 6.1 prints of sh -c 'ls; (true; sleep 0) & wait', with the addresses of here. */
#define PERF                                                                                       \
	"       perf-exec     0 [-01]     0.000000: PERF_RECORD_COMM: perf-exec:7439/7439\n"       \
	"              sh  7439 [-01] 36502.544469: PERF_RECORD_COMM exec: sh:7439/7439\n"         \
	"              sh  7439 [-01] 36502.544502: PERF_RECORD_MMAP2 7439/7439: "                 \
	"[0x561f0e679000(0x13000) @ 0 fe:00 247230 0]: r-xp /usr/bin/dash\n"                       \
	"              sh  7439 [-01] 36502.544540: PERF_RECORD_MMAP2 7439/7439: "                 \
	"[0x7fcc9d811000(0x2000) @ 0 00:00 0 0]: r-xp [vdso]\n"                                    \
	"              sh  7439 [-01] 36502.545372: PERF_RECORD_MMAP2 7439/7439: "                 \
	"[0x7fcc9d641000(0x156000) @ 0 <0123456789abcdef>]: r-xp /usr/lib/libc.so.6\n"             \
	"              sh  7439 [-01] 36502.545708: PERF_RECORD_FORK(7445:7445):(7439:7439)\n"     \
	"              sh  7439 [-01] 36502.545709: PERF_RECORD_FORK(7439:7440):(7439:7439)\n"     \
	"              ls  7445 [-01] 36502.548146: PERF_RECORD_COMM exec: ls:7445/7445\n"         \
	"              ls  7445 [-01] 36502.548172: PERF_RECORD_MMAP2 7445/7445: "                 \
	"[0x55628f931000(0x16000) @ 0 fe:00 247728 0]: r-xp /usr/bin/ls\n"                         \
	"              ls  7445 [-01] 36502.549427: PERF_RECORD_MMAP2 7445/7445: "                 \
	"[0x7fcffd90c000(0x156000) @ 0 fe:00 332835 0]: r-xp /usr/lib/libc.so.6\n"                 \
	"              ls  7445 [001] 36502.549500:     250000 cycles:  7fcffd90c404 first\n"      \
	"              ls  7445 [-01] 36502.550010: PERF_RECORD_EXIT(7445:7445):(7439:7439)\n"     \
	"              sh  7439 [-01] 36502.560158: PERF_RECORD_EXIT(7439:7439):(7434:7434)\n"

#define PERF_ALONE                                                                                 \
	"              sh  7439 [000] 36502.544469: PERF_RECORD_COMM exec: sh:7439/7439\n"         \
	"              sh  7439 [000] 36502.544502: PERF_RECORD_MMAP 7439/7439: "                  \
	"[0x561f0e679000(0x13000) @ 0]: x /usr/bin/dash\n"                                         \
	"              sh  7439 [000] 36502.544503: PERF_RECORD_MMAP -1/0: "                       \
	"[0xffffffff80000000(0xa00000) @ 0xffffffff80000000]: x [kernel.kallsyms]_text\n"         \
	"              sh  7439 [000] 36502.544504: PERF_RECORD_COMM: a:b c:7439/7440\n"

#define HEAD "{\"format\":\"hartscope-processes\",\"version\":1}\n"

/* Bytes of a program's code run. */
struct run {
	enum program program;
	uint64_t base, context;
	unsigned from, to;
};

#define DASH_AT UINT64_C(0x561f0e679000)
#define SHELL_LIBC_AT UINT64_C(0x7fcc9d641000)
#define LS_AT UINT64_C(0x55628f931000)
#define LS_LIBC_AT UINT64_C(0x7fcffd90c000)
#define SOME 0, 128

static const struct row {
	const char *name, *map;
	enum program files[3];
	size_t file_count;
	struct run runs[4]; /* ends at to == 0 */
	struct {
		uint64_t context, moment;
		uint32_t pid;
		const char *name;
	} tasks[4];         /* ends at context == 0 */
	struct {
		uint64_t context, addr;
		const char *label;
	} places[4];        /* ends at addr == 0 */
	const char *note;   /* part of the first one; NULL: there is none */
} rows[] = {
	{ "perf text, by addresses only", PERF, { SHELL }, 0,
	  { { SHELL, DASH_AT, 0x81234, SOME }, { LIST, LS_AT, 0x85678, SOME },
	    { LIBRARY, LS_LIBC_AT, 0x85678, SOME } },
	  { { 0x81234, 0, 0, "sh" }, { 0x85678, 0, 7445, "ls" } },
	  { { 0x81234, DASH_AT + 0x404, "dash (no symbol)" },
	    { 0x85678, LS_LIBC_AT + 0x404, "libc.so.6 (no symbol)" },
	    { 0x85678, DASH_AT + 0x404, NULL } },
	  "1 of 2 contexts could not be" }, /* or the child, before its exec */
	{ "perf text, with files", PERF, { SHELL, LIST, LIBRARY }, 3,
	  { { SHELL, DASH_AT, 0x81234, SOME }, { LIST, LS_AT, 0x85678, SOME },
	    { LIBRARY, LS_LIBC_AT, 0x85678, 0, BLOCK } },
	  { { 0x81234, 0, 0, "sh" }, { 0x85678, 0, 7445, "ls" } },
	  { { 0x81234, DASH_AT + 0x404, "first" }, { 0x85678, LS_LIBC_AT + 0x404, "first" } },
	  "1 of 2" },
	{ "perf text, without the fork", PERF_ALONE, { SHELL }, 1,
	  { { SHELL, DASH_AT, 0x81234, SOME } }, { { 0x81234, 0, 7439, "sh" } },
	  { { 0x81234, DASH_AT + 0x404, "first" } }, NULL },
	{ "perf text, contexts are pids", PERF, { SHELL }, 0,
	  { { SHELL, DASH_AT, 7439, SOME } }, { { 7439, 0, 7439, "sh" } },
	  { { 7439, DASH_AT + 0x404, "dash (no symbol)" } }, NULL },
	{ "a fork that runs what its parent has", PERF, { SHELL }, 0,
	  { { LIBRARY, SHELL_LIBC_AT, 0x81234, SOME }, { LIBRARY, SHELL_LIBC_AT, 0x85678, SOME } },
	  { { 0x81234, 0, 0, "sh" }, { 0x85678, 0, 0, "sh" } }, { { 0 } },
	  "2 of 2 contexts could not be linked to one process of the map, the first is 0x81234" },
	{ "code that is in no map", PERF, { SHELL }, 0,
	  { { SHELL, 0x10000, 0x81234, SOME } }, { { 0 } }, { { 0x81234, 0x10404, NULL } },
	  "1 of 1 contexts" },
	{ "the map has another file than the code's", PERF, { SHELL }, 1,
	  { { LIST, DASH_AT, 0x81234, SOME } }, { { 0 } },
	  { { 0x81234, DASH_AT + 0x404, NULL } }, "1 of 1 contexts" },
	{ "JSON with contexts",
	  HEAD "{\"context\":\"0x81234\",\"pid\":12,\"tid\":12,\"name\":\"sh\",\"maps\":["
	       "{\"address\":\"0x10000\",\"size\":4096,\"offset\":0,\"file\":\"/bin/dash\"}]}\n"
	       "{\"context\":33,\"name\":\"kernel's\"}\n",
	  { SHELL }, 0, { { SHELL, 0xfc00, 0x81234, 0xc00, 0xc40 } },
	  { { 0x81234, 0, 12, "sh" }, { 33, 0, 0, "kernel's" }, { 34, 0, 0, NULL } },
	  { { 0x81234, 0x10c00, "dash (no symbol)" } }, NULL },
	{ "JSON with moments",
	  HEAD "{\"context\":5,\"moment\":100,\"pid\":12,\"name\":\"sh\"}\n"
	       "{\"pid\":12,\"exit\":true}\n"
	       "{\"context\":5,\"moment\":200,\"pid\":13,\"name\":\"ls\"}\n",
	  { SHELL }, 0, { { SHELL, 0, 5, SOME } },
	  { { 5, 99, 0, NULL }, { 5, 100, 12, "sh" }, { 5, 199, 12, "sh" }, { 5, 200, 13, "ls" } },
	  { { 0 } }, NULL },
	{ "JSON: the map has another file than the code's",
	  HEAD "{\"context\":5,\"pid\":12,\"name\":\"sh\",\"maps\":[{\"address\":0,\"size\":8192,"
	       "\"file\":\"/bin/dash\"}]}\n", { SHELL, LIST }, 2, { { LIST, 0, 5, SOME } },
	  { { 5, 0, 12, "sh" } }, { { 5, 0x404, "first" } },
	  "root/bin/dash: refused at 0x0 of context 0x5, where the process map has it: "
	  "8 of 8 blocks" },
};

static void run(struct hs_guest *g, const struct run *r)
{
	const struct hs_block context = { .kind = HS_KIND_CONTEXT, .arg = 2, .value = r->context };
	const struct hs_section section = { r->base + 0x400, CODE, code[r->program] };
	const struct hs_image image = { .isa.xlen = 64, .sections = &section, .count = 1 };
	const struct hs_guest_code where = { .image = &image };

	assert_int_equal(hs_guest_observe(g, &where, &context, 1), HS_OK);
	for (unsigned at = r->from; at < r->to; at += BLOCK) {
		const struct hs_block b = { .iaddr = r->base + 0x400 + at, .iretire = BLOCK / 2,
			                    .ilast = 1, .priv = HS_PRIV_U };

		assert_int_equal(hs_guest_observe(g, &where, &b, 1), HS_OK);
	}
}

static struct hs_guest *guest_of(const struct row *r)
{
	const struct hs_guest_file map = { HS_GUEST_PROCESSES, "map",
		                           { (const uint8_t *)r->map, strlen(r->map) } };
	struct hs_error error;
	struct hs_guest *g;

	assert_int_equal(hs_guest_new(&g), HS_OK);
	if (hs_guest_add(g, &map, &error) != HS_OK)
		fail_msg("%s", error.text);
	for (size_t i = 0; i < r->file_count; i++)
		assert_int_equal(hs_guest_add(g, &(struct hs_guest_file){
			HS_GUEST_CODE, names[r->files[i]],
			{ elf[r->files[i]], GUEST_ELF_CODE + CODE } }, NULL), HS_OK);
	for (size_t i = 0; i < 4 && r->runs[i].to; i++)
		run(g, &r->runs[i]);
	assert_int_equal(hs_guest_settle(g, NULL), HS_OK);
	return g;
}

static void expect_tasks(struct hs_guest *g, const struct row *r)
{
	for (size_t i = 0; i < 4 && r->tasks[i].context; i++) {
		const struct hs_guest_task *t = hs_guest_find_task(
			g, &(struct hs_guest_at){ .context = r->tasks[i].context,
			                          .has_context = true,
			                          .moment = r->tasks[i].moment,
			                          .has_moment = r->tasks[i].moment != 0 });

		assert_int_equal(t != NULL, r->tasks[i].name != NULL);
		if (!t)
			continue;
		assert_string_equal(t->name, r->tasks[i].name);
		assert_int_equal(t->pid, r->tasks[i].pid);
		assert_true(t->context == r->tasks[i].context);
	}
}

TEST_ROWS(links, rows, r)
{
	struct hs_guest *g = guest_of(r);
	const char *note = hs_guest_note(g, 0);

	expect_tasks(g, r);
	for (size_t i = 0; i < 4 && r->places[i].addr; i++) {
		const struct hs_guest_at at = { .context = r->places[i].context,
			                        .has_context = true, .priv = HS_PRIV_U };
		struct hs_guest_place p;

		hs_guest_find_place(g, &at, r->places[i].addr, &p);
		if (!r->places[i].label)
			assert_null(p.label);
		else if (!p.label || strcmp(p.label, r->places[i].label) != 0)
			fail_msg("%s at %llx, not %s", p.label ? p.label : "nothing",
			         (unsigned long long)r->places[i].addr, r->places[i].label);
	}
	if ((note != NULL) != (r->note != NULL) || (note && !strstr(note, r->note)))
		fail_msg("%s", note ? note : "no note");
	hs_guest_free(g);
}

static const struct {
	const char *text;
	enum hs_status status;
	const char *message; /* part of it */
} bad_rows[] = {
	{ "", HS_E_FORMAT, "no processes" },
	{ "7f4b2000-7f4b3000 r-xp 00000000 08:01 12 /bin/ls\n", HS_E_FORMAT, "no processes" },
	{ "sh 7 [000] 1.0: PERF_RECORD_COMM exec: sh\n", HS_E_FORMAT, "x:1: " },
	{ "sh 7 [000] 1.0: PERF_RECORD_MMAP2 7/7: [0x1000(0x0) @ 0 0:0 0 0]: r-xp /a\n",
	  HS_E_FORMAT, "x:1: " },
	{ "sh 7 [000] 1.0: PERF_RECORD_MMAP2 7/7: [0x1000(0x10) @ 0 0:0 0 0]: r-xp\n", HS_E_FORMAT,
	  "x:1: " },
	{ "sh 7 [000] 1.0: PERF_RECORD_FORK(7:7):7\n", HS_E_FORMAT, "x:1: " },
	{ HEAD, HS_OK, "" },
	{ "{\"format\":\"other\",\"version\":1}\n", HS_E_FORMAT, "x:1: " },
	{ "{\"format\":\"hartscope-processes\",\"version\":2}\n", HS_E_UNSUPPORTED, "x:1: " },
	{ HEAD "{\"name\":\"neither pid nor context\"}\n", HS_E_FORMAT, "x:2: " },
	{ HEAD "{\"pid\":-1}\n", HS_E_FORMAT, "x:2: " },
	{ HEAD "{\"pid\":4294967296}\n", HS_E_FORMAT, "x:2: " },
	{ HEAD "{\"pid\":1,\"name\":3}\n", HS_E_FORMAT, "x:2: " },
	{ HEAD "{\"pid\":1,\"maps\":[{\"address\":1,\"size\":0,\"file\":\"a\"}]}\n", HS_E_FORMAT,
	  "x:2: " },
	{ HEAD "{\"pid\":1,\"maps\":[{\"address\":1,\"size\":1}]}\n", HS_E_FORMAT, "x:2: " },
	{ HEAD "{\"pid\":1}\nnot JSON\n", HS_E_FORMAT, "x:3: " },
};

TEST(bad_maps_are_refused)
{
	for (size_t i = 0; i < sizeof(bad_rows) / sizeof(*bad_rows); i++) {
		const struct hs_guest_file file = {
			HS_GUEST_PROCESSES, "x",
			{ (const uint8_t *)bad_rows[i].text, strlen(bad_rows[i].text) } };
		struct hs_error error = { 0 };
		struct hs_guest *g;

		assert_int_equal(hs_guest_new(&g), HS_OK);
		if (hs_guest_add(g, &file, &error) != bad_rows[i].status ||
		    !strstr(error.text, bad_rows[i].message))
			fail_msg("'%s' gives '%s'", bad_rows[i].text, error.text);
		hs_guest_free(g);
	}
}

TEST(bad_records_are_refused)
{
	struct hs_guest_record r = { .size = sizeof(r), .event = HS_GUEST_MAP, .pid = 1 };
	struct hs_guest *g;

	assert_int_equal(hs_guest_new(&g), HS_OK);
	assert_int_equal(hs_guest_add_record(g, &r), HS_E_ARG); /* no file */
	r.file = "a";
	assert_int_equal(hs_guest_add_record(g, &r), HS_E_ARG); /* no bytes */
	r.length = 2;
	r.start = UINT64_MAX;
	assert_int_equal(hs_guest_add_record(g, &r), HS_E_ARG); /* past 2^64 */
	r.start = UINT64_MAX - 1;
	assert_int_equal(hs_guest_add_record(g, &r), HS_OK);
	r.event = (enum hs_guest_event)9;
	assert_int_equal(hs_guest_add_record(g, &r), HS_E_ARG);
	r.size = 2;
	assert_int_equal(hs_guest_add_record(g, &r), HS_E_CONFIG);
	hs_guest_free(g);
}

TESTS
{
	test_around(make_programs, NULL);
}
