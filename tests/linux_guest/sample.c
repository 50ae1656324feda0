/* Samples by overflow: how many, and where. */
#include <err.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "guest.h"

#define PAGE 4096u
#define PAGES 128u /* of the ring; a power of two */
#define PERIOD 40000u
#define SAMPLES 500u

struct samples {
	unsigned n, inside;
	uint64_t events; /* what was counted meanwhile */
};

struct record {
	struct perf_event_header header;
	uint64_t ip; /* of a sample */
};

/* Is an address in spin()?  It has fewer than 64 bytes. */
static bool is_spin(uint64_t ip)
{
	return ip - (uint64_t)spin < 64;
}

static struct samples read_ring(const struct perf_event_mmap_page *ring)
{
	const uint8_t *data = (const uint8_t *)ring + PAGE;
	const uint64_t head = __atomic_load_n(&ring->data_head, __ATOMIC_ACQUIRE);
	struct samples s = { 0 };

	for (uint64_t at = 0; at < head; ) {
		const struct record *r = (const struct record *)(data + at);

		if (r->header.type == PERF_RECORD_SAMPLE) {
			s.n++;
			s.inside += is_spin(r->ip);
		}
		at += r->header.size;
	}
	return s;
}

static struct samples sample_of(uint64_t config, unsigned who)
{
	struct perf_event_attr a = event_attr(PERF_TYPE_HARDWARE, config, who);
	struct perf_event_mmap_page *ring;
	struct samples s;
	int fd;

	a.sample_period = PERIOD;
	a.sample_type = PERF_SAMPLE_IP;
	fd = event_open(&a, 0, -1, -1);
	ring = mmap(NULL, (1 + PAGES) * PAGE, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (ring == MAP_FAILED)
		err(2, "mmap of the ring");
	event_enable(fd);
	if (who & USER)
		spin((uint64_t)PERIOD * SAMPLES);
	else
		for (unsigned i = 0; i < 50000; i++)
			syscall(SYS_getppid);
	event_disable(fd);
	s = read_ring(ring);
	s.events = event_read(fd).value;
	munmap(ring, (1 + PAGES) * PAGE);
	close(fd);
	return s;
}

/* A sample each PERIOD events, and all of them where the work is. */
static void judge(const char *name, uint64_t config, unsigned who)
{
	const struct samples s = sample_of(config, who);
	const unsigned wanted = (unsigned)(s.events / PERIOD);

	if (who & USER)
		verdict(is_near(wanted, SAMPLES, 10), "sampled %s: %lu events of %u", name,
		        s.events, PERIOD * SAMPLES);
	verdict(wanted >= 100 && is_near(s.n, wanted, 10), "sampled %s: %u of %u", name, s.n,
	        wanted);
	verdict(is_near(s.inside, who & USER ? s.n : 0, 10), "sampled %s: %u of %u in the loop",
	        name, s.inside, s.n);
}

/* After an event that only counted, QEMU delays the next overflow of that counter, up to the next
 * switch of tasks (it keeps irq_overflow_left).  The first round pays for it. */
void sample(void)
{
	stay_on(0);
	sample_of(PERF_COUNT_HW_INSTRUCTIONS, USER);
	judge("user instructions", PERF_COUNT_HW_INSTRUCTIONS, USER);
	judge("user cycles", PERF_COUNT_HW_CPU_CYCLES, USER);
	judge("kernel instructions", PERF_COUNT_HW_INSTRUCTIONS, KERNEL);
}
