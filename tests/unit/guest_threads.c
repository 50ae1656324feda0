/* Which thread a hart runs: by the switches of perf, whose times become those of the trace; and
 * which process a context is by them. */
#include "cases.h"

#include <hartscope/program.h>

#include "guest/guest.h"

/* As perf script --show-task-events --show-switch-events prints them. */
static const char text[] =
	"  sh  12 [000] 5.000000100: PERF_RECORD_COMM exec: sh:12/12\n"
	"  sh  12 [000] 5.000000120: PERF_RECORD_FORK(12:13):(12:12)\n"
	"  sh  12 [000] 5.000000130: PERF_RECORD_COMM: worker:12/13\n"
	"  sh  12 [000] 5.000000200: PERF_RECORD_SWITCH_CPU_WIDE OUT  next pid/tid: 12/13   \n"
	"  worker  13 [000] 5.000000200: PERF_RECORD_SWITCH_CPU_WIDE IN   prev pid/tid:  12/12\n"
	"  a b  20 [001] 5.000000250: PERF_RECORD_SWITCH_CPU_WIDE IN   prev pid/tid: 0/0 \n"
	"  worker  13 [000] 5.000000300: PERF_RECORD_SWITCH OUT preempt\n"
	"  sh  12 [000] 5.000000400: PERF_RECORD_SWITCH IN\n"
	"  sh  12 [000] 5.000000500: PERF_RECORD_COMM exec: ls:12/12\n";

#define START UINT64_C(5000000000)

static struct hs_guest *guest_of(const struct hs_guest_clock *clock)
{
	const struct hs_guest_file file = { HS_GUEST_PROCESSES, "perf.txt",
		                            { (const uint8_t *)text, strlen(text) } };
	struct hs_error error;
	struct hs_guest *g;

	assert_int_equal(hs_guest_new(&g), HS_OK);
	if (clock)
		assert_int_equal(hs_guest_set_clock(g, clock), HS_OK);
	if (hs_guest_add(g, &file, &error) != HS_OK)
		fail_msg("%s", error.text);
	return g;
}

static const struct row {
	const char *name;
	struct hs_guest_clock clock; /* multiplier 0: none */
	uint32_t hart;
	uint64_t moment;
	uint32_t pid, tid; /* tid 0: nobody is known */
	const char *comm;
} rows[] = {
	{ "before the first switch", { START, 1, 0 }, 0, 99, 0, 0, NULL },
	{ "from an exec on", { START, 1, 0 }, 0, 100, 12, 12, "sh" },
	{ "up to a switch", { START, 1, 0 }, 0, 199, 12, 12, "sh" },
	{ "a thread with a name of its own", { START, 1, 0 }, 0, 200, 12, 13, "worker" },
	{ "nobody after a switch to nobody", { START, 1, 0 }, 0, 300, 0, 0, NULL },
	{ "a switch without the other", { START, 1, 0 }, 0, 400, 12, 12, "sh" },
	{ "the same thread with another program", { START, 1, 0 }, 0, 500, 12, 12, "ls" },
	{ "another hart", { START, 1, 0 }, 1, 250, 0, 20, NULL },
	{ "another hart, before", { START, 1, 0 }, 1, 249, 0, 0, NULL },
	{ "a hart that perf did not see", { START, 1, 0 }, 2, 500, 0, 0, NULL },
	/* 10 MHz: 100 ns a tick; 200 ns after the zero is tick 2 */
	{ "ticks of 100 ns", { START, 100, 0 }, 0, 2, 12, 13, "worker" },
	{ "a tick before", { START, 100, 0 }, 0, 1, 12, 12, "sh" },
	/* 3/2 ns a tick: 134 * 3 >> 1 = 201, 133 * 3 >> 1 = 199 */
	{ "ticks of 1.5 ns", { START, 3, 1 }, 0, 134, 12, 13, "worker" },
	{ "ticks of 1.5 ns, before", { START, 3, 1 }, 0, 133, 12, 12, "sh" },
	{ "all was before the trace", { START + 1000, 1, 0 }, 0, 0, 12, 12, "ls" },
	{ "without a clock", { 0, 0, 0 }, 0, 200, 0, 0, NULL },
};

TEST_ROWS(finds, rows, r)
{
	struct hs_guest *g = guest_of(r->clock.multiplier ? &r->clock : NULL);
	const struct hs_guest_at at = { .hart = r->hart, .has_hart = true, .moment = r->moment,
		                        .has_moment = true };
	const char *note;

	assert_int_equal(hs_guest_settle(g, NULL), HS_OK);
	const struct hs_guest_task *t = hs_guest_find_thread(g, &at);

	assert_int_equal(t != NULL, r->tid != 0);
	if (t) {
		assert_int_equal(t->tid, r->tid);
		assert_int_equal(t->pid, r->pid);
		assert_int_equal(t->name != NULL, r->comm != NULL);
	}
	if (t && r->comm)
		assert_string_equal(t->name, r->comm);
	note = hs_guest_note(g, 0);
	assert_int_equal(note && strstr(note, "5 switches of threads are not used"),
	                 !r->clock.multiplier);
	hs_guest_free(g);
}

/* A context in which a process runs by the switches is the process's; what runs there for a moment
 * too long, as times are not exact, does not matter.  After exec it is the new process. */
TEST(a_process_by_its_switches)
{
	static const uint8_t code[64] = { 1 };
	const struct hs_section section = { 0x10000, sizeof(code), code };
	const struct hs_image image = { .isa.xlen = 64, .sections = &section, .count = 1 };
	const struct hs_guest_code where = { .image = &image };
	static const uint64_t moments[] = { 110, 150, 180, 210, 420, 430, 440, 460 };
	struct hs_guest *g = guest_of(&(struct hs_guest_clock){ START, 1, 0 });
	const struct hs_guest_task *t;

	for (unsigned i = 0; i < 8; i++) {
		const struct hs_block items[] = {
			{ .kind = HS_KIND_TIME, .value = moments[i] },
			{ .kind = HS_KIND_CONTEXT, .arg = 2, .value = 0x81234 },
			{ .iaddr = 0x10000 + 2 * i, .iretire = 1, .priv = HS_PRIV_U },
		};

		assert_int_equal(hs_guest_observe(g, &where, items, 3), HS_OK);
	}
	assert_int_equal(hs_guest_settle(g, NULL), HS_OK);
	t = hs_guest_find_task(g, &(struct hs_guest_at){ .context = 0x81234,
	                                                 .has_context = true });
	assert_non_null(t);
	assert_int_equal(t->pid, 12);
	assert_string_equal(t->name, "sh");
	hs_guest_free(g);
}

TEST(by_number)
{
	struct hs_guest *g = guest_of(NULL);
	const struct hs_guest_task *t;

	assert_int_equal(hs_guest_settle(g, NULL), HS_OK);
	t = hs_guest_find_thread(g, &(struct hs_guest_at){ .context = 13, .has_context = true });
	assert_non_null(t);
	assert_int_equal(t->tid, 13);
	t = hs_guest_find_thread(g, &(struct hs_guest_at){ .context = 14, .has_context = true });
	assert_null(t);
	hs_guest_free(g);
}

TEST(wrong_switches_are_refused)
{
	struct hs_guest *g;

	assert_int_equal(hs_guest_new(&g), HS_OK);
	assert_int_equal(hs_guest_set_clock(g, &(struct hs_guest_clock){ 0, 0, 0 }), HS_E_ARG);
	assert_int_equal(hs_guest_set_clock(g, &(struct hs_guest_clock){ 0, 1, 32 }), HS_E_ARG);
	hs_guest_free(g);
}
