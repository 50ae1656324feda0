/* Counts by mode, in a group, and of more events than there are counters. */
#include <err.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "guest.h"

#define WORK 8000000u
#define CALLS 20000u
#define MANY 6 /* the hart has three counters, one of which has only cycles */

static const struct {
	const char *name;
	uint64_t config;
} events[] = {
	{ "cycles", PERF_COUNT_HW_CPU_CYCLES }, { "instructions", PERF_COUNT_HW_INSTRUCTIONS },
};

static void call_kernel(void)
{
	for (unsigned i = 0; i < CALLS; i++)
		syscall(SYS_getppid);
}

static void spin_work(void)
{
	spin(WORK);
}

/* What an event counts in user mode and in the kernel while @work runs. */
static void count_both(uint64_t config, void (*work)(void), uint64_t *user, uint64_t *kernel)
{
	const int u = hardware(config, USER), k = hardware(config, KERNEL);

	event_enable(u);
	event_enable(k);
	work();
	event_disable(k);
	event_disable(u);
	*user = event_read(u).value;
	*kernel = event_read(k).value;
	close(u);
	close(k);
}

/* Work in user mode is in one count, and work in the kernel in the other. */
void count_modes(void)
{
	uint64_t u, k;

	for (unsigned i = 0; i < 2; i++) {
		count_both(events[i].config, spin_work, &u, &k);
		verdict(is_count(u, WORK), "%s, user work, user mode: %lu of %u", events[i].name,
		        u, WORK);
		verdict(k > 0 && k < WORK / 10, "%s, user work, kernel mode: %lu", events[i].name,
		        k);
		count_both(events[i].config, call_kernel, &u, &k);
		verdict(u >= CALLS * 3 && u < CALLS * 30, "%s, %u system calls, user mode: %lu",
		        events[i].name, CALLS, u);
		verdict(k > CALLS * 50, "%s, %u system calls, kernel mode: %lu", events[i].name,
		        CALLS, k);
	}
}

/* One group: with -icount a cycle is an instruction, so that the parts add up to the whole. */
void count_group(void)
{
	struct perf_event_attr a = event_attr(PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS, USER);
	struct { uint64_t n, enabled, running, user, kernel, cycles; } g;
	int leader;

	a.read_format |= PERF_FORMAT_GROUP;
	leader = event_open(&a, 0, -1, -1);
	a.disabled = 0;
	a.exclude_user = 1;
	a.exclude_kernel = 0;
	const int kernel = event_open(&a, 0, -1, leader);

	a.exclude_user = 0;
	a.config = PERF_COUNT_HW_CPU_CYCLES;
	const int cycles = event_open(&a, 0, -1, leader);

	event_enable(leader);
	spin(WORK);
	call_kernel();
	event_disable(leader);
	if (read(leader, &g, sizeof(g)) != sizeof(g))
		err(2, "read of a group");
	verdict(g.n == 3 && g.running == g.enabled, "group: %lu events at once", g.n);
	verdict(is_near(g.user + g.kernel, g.cycles, 1), "group: user %lu + kernel %lu = both %lu",
	        g.user, g.kernel, g.cycles);
	close(cycles);
	close(kernel);
	close(leader);
}

/* Each event counts a part of the time, and its scaled count is near the whole. */
void count_multiplexed(void)
{
	const uint64_t work = 15ul * WORK;
	uint64_t low = UINT64_MAX, high = 0;
	unsigned shared = 0;
	int fd[MANY];

	for (unsigned i = 0; i < MANY; i++)
		fd[i] = hardware(PERF_COUNT_HW_INSTRUCTIONS, USER);
	for (unsigned i = 0; i < MANY; i++)
		event_enable(fd[i]);
	spin(work);
	for (unsigned i = 0; i < MANY; i++) {
		event_disable(fd[i]);
		const struct count c = event_read(fd[i]);
		const double share = (double)c.running / (double)c.enabled;
		const uint64_t scaled = share > 0 ? (uint64_t)((double)c.value / share) : 0;

		shared += share < 1;
		low = scaled < low ? scaled : low;
		high = scaled > high ? scaled : high;
		close(fd[i]);
	}
	verdict(shared >= 3, "multiplexed: %u of %u events shared counters", shared, MANY);
	verdict(is_near(low, work, 10) && is_near(high, work, 10),
	        "multiplexed: scaled counts from %lu to %lu of %lu", low, high, work);
}
