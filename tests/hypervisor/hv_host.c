/* The host's counters, of the firmware's SBI PMU, which count in VS and VU only.
 *
 * One of them counts each event and filter that the guest has.  Where the guest's overflow is to
 * interrupt, its value is written so that it overflows at the same moment; what it lacks then is
 * added to what is read.  QEMU has one counter that can overflow for each event, and cycle and
 * instret for a second filter. */
#include "hv.h"

#define SLOTS 4
#define EVENT_NUMBER (~(HS_PMU_EVENT_OF | HS_PMU_EVENT_INH))
#define FOR_GUESTS (HS_PMU_CFG_SET_MINH | HS_PMU_CFG_SET_SINH | HS_PMU_CFG_SET_UINH)

static struct {
	reg fixed[3];      /* logical counters: of cycle, - and instret */
	reg general;       /* a mask of those that can overflow */
} found;

static struct slot {
	uint64_t event;    /* 0: free */
	uint64_t add;      /* to the counter's value */
	reg counter;       /* a logical counter */
	unsigned csr;
	bool overflows;
} slots[SLOTS];

/* When the guest's counters overflow: the host's count of then. */
static struct {
	uint64_t event, at;
} armed[32];

void find_host_counters(void)
{
	const reg n = pmu(HS_PMU_NUM_COUNTERS, 0, 0, 0, 0).value;

	for (reg i = 0; i < n && i < __riscv_xlen; i++) {
		const struct ret r = pmu(HS_PMU_COUNTER_GET_INFO, i, 0, 0, 0);
		const unsigned csr = r.value & 0xfff;

		if (r.error || r.value >> (__riscv_xlen - 1))
			continue;
		if (csr == 0xc00 || csr == 0xc02)
			found.fixed[csr & 3] = i;
		else
			found.general |= (reg)1 << i;
	}
}

#define HIGH (__riscv_xlen == 64 ? 0xc00 : 0xc80)
#define GET(n) case n: \
	return __riscv_xlen == 64 ? get_csr(0xc00 + n) : \
		get_csr(0xc00 + n) | (uint64_t)get_csr(HIGH + n) << 32;

/* The guest does not run: no carry comes between the halves. */
static uint64_t read_csr(unsigned csr)
{
	switch (csr & 31) {
	GET(0) GET(2) GET(3) GET(4) GET(5) GET(6) GET(7) GET(8) GET(9) GET(10) GET(11) GET(12)
	GET(13) GET(14) GET(15) GET(16) GET(17) GET(18)
	default: panic("the host has no such counter", csr);
	}
}

static uint64_t read_slot(const struct slot *s)
{
	return read_csr(s->csr) + s->add;
}

/* The guest's U and S are VU and VS of the host. */
static reg flags_of(uint64_t event)
{
	return FOR_GUESTS | HS_PMU_CFG_CLEAR_VALUE | HS_PMU_CFG_AUTO_START |
	       (event & HS_PMU_EVENT_UINH ? HS_PMU_CFG_SET_VUINH : 0) |
	       (event & HS_PMU_EVENT_SINH ? HS_PMU_CFG_SET_VSINH : 0);
}

static bool is_general_taken(uint64_t event)
{
	for (unsigned i = 0; i < SLOTS; i++)
		if (slots[i].overflows && !((slots[i].event ^ event) & EVENT_NUMBER))
			return true;
	return false;
}

static void open_slot(struct slot *s, uint64_t event)
{
	const reg number = (reg)(event & EVENT_NUMBER);
	const bool overflows = !is_general_taken(event);
	const reg fixed = found.fixed[number == HS_PMU_HW_CPU_CYCLES ? 0 : 2];
	const struct ret r = overflows ? config(0, found.general, flags_of(event), number, 0) :
	                                 config(fixed, 1, flags_of(event), number, 0);

	if (r.error)
		panic("the host counts no event", (reg)event);
	*s = (struct slot){ .event = event, .counter = r.value, .overflows = overflows };
	s->csr = pmu(HS_PMU_COUNTER_GET_INFO, r.value, 0, 0, 0).value & 0xfff;
}

/* The event of the guest's counter @n as the library asks for it. */
static uint64_t event_of(const struct hs_pmu_soft *guest, unsigned n)
{
	const uint64_t event = guest->event[n] & ~HS_PMU_EVENT_OF;

	return n >= 3 ? event : event | (n == 0 ? HS_PMU_HW_CPU_CYCLES : HS_PMU_HW_INSTRUCTIONS);
}

static bool is_used(const struct hs_pmu_soft *guest, uint64_t event)
{
	for (unsigned n = 0; n < 32; n++)
		if (guest->running >> n & 1u && event_of(guest, n) == event)
			return true;
	return false;
}

static void close_slot(struct slot *s)
{
	if (s->event)
		stop(s->counter, 1, HS_PMU_STOP_RESET);
	*s = (struct slot){ 0 };
}

/* A new event: those that no counter of the guest counts any more make room. */
static void close_unused(const struct hs_pmu_soft *guest)
{
	for (unsigned i = 0; i < SLOTS; i++)
		if (!is_used(guest, slots[i].event))
			close_slot(&slots[i]);
}

static struct slot *slot_of(const struct vcpu *v, uint64_t event)
{
	struct slot *unused = NULL;

	for (unsigned i = 0; i < SLOTS; i++)
		if (slots[i].event == event)
			return &slots[i];
	close_unused(&v->counters.saved);
	for (unsigned i = 0; i < SLOTS; i++)
		if (!slots[i].event)
			unused = &slots[i];
	if (!unused)
		panic("too many events for the host", (reg)event);
	open_slot(unused, event);
	return unused;
}

static uint64_t count(void *ctx, uint64_t event)
{
	return read_slot(slot_of(ctx, event));
}

/* How often the event of @s happens before the next overflow of the guest; 0: there is none. */
static uint64_t next_overflow(const struct slot *s, uint64_t now)
{
	uint64_t least = 0;

	for (unsigned n = 0; n < 32; n++)
		if (armed[n].event == s->event && armed[n].at - now - 1 < least - 1)
			least = armed[n].at - now;
	return least;
}

/* Have the counter of @s overflow at the next of the guest's overflows. */
static void set_slot(struct slot *s)
{
	uint64_t now, left;

	stop(s->counter, 1, 0);
	now = read_slot(s);
	left = next_overflow(s, now);
	s->add = now + left;
	start(s->counter, 1, HS_PMU_START_SET_INIT_VALUE, 0 - left);
}

static void arm(void *ctx, unsigned n, uint64_t event, uint64_t left)
{
	struct slot *s = slot_of(ctx, event);

	armed[n].event = left ? event : 0;
	armed[n].at = read_slot(s) + left;
	if (s->overflows)
		set_slot(s);
}

/* The guest leaves this hart. */
void release_host_counters(void)
{
	for (unsigned i = 0; i < SLOTS; i++)
		close_slot(&slots[i]);
}

const struct hs_pmu_host host = { .size = sizeof(host), .count = count, .arm = arm };
