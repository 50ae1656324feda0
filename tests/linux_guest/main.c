/* The first program of the guest: counts and samples of perf_event_open, on what is below Linux.
 * Rows are named on the kernel's command line, after "--". */
#include <err.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/klog.h>
#include <sys/mount.h>
#include <sys/reboot.h>
#include <termios.h>
#include <unistd.h>

#include "guest.h"

#define READ_ALL 3 /* of klogctl() */

static const struct {
	const char *name;
	void (*run)(void);
} rows[] = {
	{ "modes", count_modes }, { "group", count_group }, { "multiplexed", count_multiplexed },
	{ "illegal", count_illegal }, { "fences", count_fences }, { "task", count_task },
	{ "cpus", count_cpus }, { "forks", count_forks }, { "sample", sample },
	{ "all", count_all },
};

/* The lines of the kernel's log about the firmware. */
static void print_log(void)
{
	static char log[1 << 18];
	const int n = klogctl(READ_ALL, log, sizeof(log) - 1);

	log[n < 0 ? 0 : n] = 0;
	for (char *line = strtok(log, "\n"); line; line = strtok(NULL, "\n"))
		if (strstr(line, "reserved mem:") || strstr(line, "riscv-pmu-sbi"))
			printf("# %s\n", line);
}

static bool is_wanted(int n, char **names, const char *name)
{
	for (int i = 0; i < n; i++)
		if (strcmp(names[i], name) == 0)
			return true;
	return false;
}

static void run_rows(int n, char **names)
{
	for (unsigned i = 0; i < sizeof(rows) / sizeof(rows[0]); i++)
		if (is_wanted(n, names, rows[i].name))
			rows[i].run();
}

int main(int argc, char **argv)
{
	if (getpid() != 1) { /* the work of another program: a number of instructions */
		spin(strtoul(argc > 1 ? argv[1] : "0", NULL, 10));
		return 0;
	}
	if (is_wanted(argc - 1, argv + 1, "all"))
		count_all_from_here();
	if (mount("none", "/proc", "proc", 0, NULL) || mount("none", "/sys", "sysfs", 0, NULL))
		err(2, "mount");
	/* otherwise the kernel lowers the rate of samples when an interrupt takes long */
	write_file("/proc/sys/kernel/perf_cpu_time_max_percent", "0");
	print_log();
	printf("user space: %d harts\n", harts_online());
	if (harts_online() > 1)
		sleep(3); /* until the other harts are quiet: QEMU counts their instructions, too */
	run_rows(argc - 1, argv + 1);
	puts("# end");
	fflush(stdout);
	tcdrain(STDOUT_FILENO); /* a UART without interrupts takes its time */
	return reboot(RB_POWER_OFF);
}
