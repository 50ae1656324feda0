/* Events that the firmware counts. */
#include <err.h>
#include <pthread.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "guest.h"

#define FENCES 500u
#define FLUSH_ICACHE 259 /* riscv_flush_icache(start, end, flags) */

void count_illegal(void)
{
	struct perf_event_attr a = event_attr(PERF_TYPE_RAW, FIRMWARE(ILLEGAL_INSN), BOTH);
	const int fd = event_open(&a, 0, -1, -1);

	event_enable(fd);
	illegal(1000);
	event_disable(fd);
	verdict(event_read(fd).value == 1000, "firmware event, 1000 illegal instructions: %lu",
	        event_read(fd).value);
	close(fd);
}

static bool over;

static void *stay_busy(void *unused)
{
	(void)unused;
	stay_on(1);
	while (!__atomic_load_n(&over, __ATOMIC_RELAXED))
		spin(4000);
	return NULL;
}

/* The sum of an event over all CPUs. */
static uint64_t read_all(const int *fd, int harts)
{
	uint64_t sum = 0;

	for (int cpu = 0; cpu < harts; cpu++)
		sum += event_read(fd[cpu]).value;
	return sum;
}

/* What harts send, others receive.  The call goes to each hart that may have run this program, at
 * least to the one with the busy thread; a few more come from Linux itself. */
void count_fences(void)
{
	struct perf_event_attr sent = event_attr(PERF_TYPE_RAW, FIRMWARE(FENCE_I_SENT), BOTH),
		received = event_attr(PERF_TYPE_RAW, FIRMWARE(FENCE_I_RECEIVED), BOTH);
	const int harts = harts_online();
	int from[8], to[8];
	pthread_t other;

	if (harts < 2)
		return;
	stay_on(0);
	if (pthread_create(&other, NULL, stay_busy, NULL))
		errx(2, "no thread");
	usleep(20000);
	sent.disabled = received.disabled = 0;
	for (int cpu = 0; cpu < harts; cpu++) {
		to[cpu] = event_open(&received, -1, cpu, -1);
		from[cpu] = event_open(&sent, -1, cpu, -1);
	}
	const uint64_t sent_before = read_all(from, harts),
		got_before = read_all(to, harts), one_before = event_read(to[1]).value;

	for (unsigned i = 0; i < FENCES; i++)
		syscall(FLUSH_ICACHE, 0ul, 4096ul, 0ul);
	const uint64_t s = read_all(from, harts) - sent_before,
		got = read_all(to, harts) - got_before, one = event_read(to[1]).value - one_before;

	__atomic_store_n(&over, true, __ATOMIC_RELAXED);
	pthread_join(other, NULL);
	verdict(s == got && s >= FENCES && s < (uint64_t)harts * FENCES,
	        "firmware event, %u fences: %lu sent, %lu received", FENCES, s, got);
	verdict(one >= FENCES && one < FENCES + 10, "firmware event, %u fences: %lu at hart 1",
	        FENCES, one);
}
