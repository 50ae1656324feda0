/* Everything that runs in user mode, counted by events that children inherit, while tasks move
 * between harts and harts go off and on.  The recorder has the same number. */
#include <stdio.h>
#include <unistd.h>

#include "guest.h"

#define MOVES 10000
#define HOTPLUG 500 /* moves between two changes of a hart */

static void set_online(int cpu, bool online)
{
	char path[64];

	snprintf(path, sizeof(path), "/sys/devices/system/cpu/cpu%d/online", cpu);
	write_file(path, online ? "1" : "0");
}

/* Move from hart to hart, past the one that is off. */
static void move_about(int harts)
{
	int off = 0;

	for (int i = 0; i < MOVES; i++) {
		if (harts > 1 && i % HOTPLUG == 0) {
			if (off)
				set_online(off, true);
			off = i / HOTPLUG % (harts - 1) + 1;
			set_online(off, false);
		}
		if (i % harts != off || harts == 1)
			stay_on(i % harts);
		illegal(1);
		spin(4000);
	}
	if (off)
		set_online(off, true);
}

static int user, faults;

/* Before anything else, so that little is missing. */
void count_all_from_here(void)
{
	struct perf_event_attr u = event_attr(PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS, USER),
		f = event_attr(PERF_TYPE_RAW, FIRMWARE(ILLEGAL_INSN), BOTH);

	u.inherit = f.inherit = 1;
	user = event_open(&u, 0, -1, -1);
	faults = event_open(&f, 0, -1, -1);
	event_enable(user);
	event_enable(faults);
}

void count_all(void)
{
	const int harts = harts_online();

	move_about(harts);
	for (int i = 0; i < 8; i++)
		run_child(1000000, i % harts);
	verdict(event_read(faults).value == MOVES, "all: %d illegal instructions on %d harts: %lu",
	        MOVES, harts, event_read(faults).value);
	verdict(harts_online() == harts, "all: %d harts are on", harts);
	printf("# user instructions %lu\n", event_read(user).value);
}
