/* Counts of a task, of a CPU, and of a task with its children. */
#include <unistd.h>

#include "guest.h"

#define WORK 8000000u

/* What a child does is not the task's. */
void count_task(void)
{
	const int fd = hardware(PERF_COUNT_HW_INSTRUCTIONS, USER);

	event_enable(fd);
	spin(WORK);
	run_child(WORK, -1);
	event_disable(fd);
	verdict(is_count(event_read(fd).value, WORK), "task, without its child: %lu of %u",
	        event_read(fd).value, WORK);
	close(fd);
}

/* What runs on a CPU is that CPU's, whichever task it is. */
void count_cpus(void)
{
	const int harts = harts_online();
	struct perf_event_attr a = event_attr(PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS, USER);
	int fd[8];

	for (int cpu = 0; cpu < harts; cpu++) {
		fd[cpu] = event_open(&a, -1, cpu, -1);
		event_enable(fd[cpu]);
	}
	for (int cpu = 0; cpu < harts; cpu++)
		run_child((uint64_t)(cpu + 1) * WORK, cpu);
	for (int cpu = 0; cpu < harts; cpu++) {
		const uint64_t wanted = (uint64_t)(cpu + 1) * WORK;

		event_disable(fd[cpu]);
		verdict(is_count(event_read(fd[cpu]).value, wanted), "CPU %d: %lu of %lu", cpu,
		        event_read(fd[cpu]).value, wanted);
		close(fd[cpu]);
	}
}

void count_forks(void)
{
	struct perf_event_attr a = event_attr(PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS, USER);
	int fd;

	a.inherit = 1;
	fd = event_open(&a, 0, -1, -1);
	event_enable(fd);
	for (unsigned i = 0; i < 5; i++)
		run_child(WORK, (int)i % harts_online());
	event_disable(fd);
	verdict(is_count(event_read(fd).value, 5ul * WORK), "inherited by 5 children: %lu of %u",
	        event_read(fd).value, 5 * WORK);
	close(fd);
}
