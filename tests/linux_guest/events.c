/* Events of perf_event_open. */
#include <err.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "guest.h"

struct perf_event_attr event_attr(uint32_t type, uint64_t config, unsigned who)
{
	struct perf_event_attr a;

	memset(&a, 0, sizeof(a));
	a.size = sizeof(a);
	a.type = type;
	a.config = config;
	a.disabled = 1;
	a.exclude_kernel = !(who & KERNEL);
	a.exclude_user = !(who & USER);
	a.read_format = PERF_FORMAT_TOTAL_TIME_ENABLED | PERF_FORMAT_TOTAL_TIME_RUNNING;
	return a;
}

int event_open(struct perf_event_attr *attr, int pid, int cpu, int group)
{
	const int fd = (int)syscall(SYS_perf_event_open, attr, pid, cpu, group, 0ul);

	if (fd < 0)
		err(2, "perf_event_open, type %u, config %llx", attr->type, attr->config);
	return fd;
}

/* An event of hardware for this task. */
int hardware(uint64_t config, unsigned who)
{
	struct perf_event_attr a = event_attr(PERF_TYPE_HARDWARE, config, who);

	return event_open(&a, 0, -1, -1);
}

void event_enable(int fd)
{
	if (ioctl(fd, PERF_EVENT_IOC_RESET, 0) || ioctl(fd, PERF_EVENT_IOC_ENABLE, 0))
		err(2, "enable");
}

void event_disable(int fd)
{
	if (ioctl(fd, PERF_EVENT_IOC_DISABLE, 0))
		err(2, "disable");
}

struct count event_read(int fd)
{
	struct count c;

	if (read(fd, &c, sizeof(c)) != sizeof(c))
		err(2, "read of an event");
	return c;
}
