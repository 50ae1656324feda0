/* The virtual hart moves: its registers, and its counters as bytes, which another host could be
 * given as well. */
#include "hv.h"

#define EID_HSM 0x48534du
#define EID_IPI 0x735049u
#define EID_TIME 0x54494d45u

void *memcpy(void *restrict to, const void *restrict from, size_t n);

static struct {
	struct vcpu *guest; /* not NULL: it waits for hart @to */
	reg to;
	size_t size;
	uint8_t bytes[HS_PMU_SAVED_BYTES];
} move;

static struct {
	unsigned started;
	size_t size;
	uint8_t bytes[HS_PMU_SAVED_BYTES];
} kept;

static reg places[2]; /* the harts that the guest moves between; with one it stays */
static unsigned count, here;

/* What a hart needs before the guest runs there. */
void prepare_hart(void)
{
	put_csr(HEDELEG, BIT(0) | BIT(3) | BIT(8) | BIT(12) | BIT(13) | BIT(15));
	put_csr(HIDELEG, HVIP_VSSIP | HVIP_VSTIP | BIT(10));
	put_csr(HVIEN, LCOFI);
	put_csr(HVIP, 0);
	put_csr(HCOUNTEREN, BIT(1)); /* time; counters come here as virtual instructions */
	csr_write(sie, LCOFI);
	csr_set(sstatus, STATUS_FS); /* the guest has its own */
	map_guest();
}

/* Start the second hart, if there is one. */
void start_moving(reg hart)
{
	places[count++] = hart;
	for (reg h = 0; h < HARTS && count < 2; h++)
		if (h != hart && !sbi(EID_HSM, 0, h, (reg)start_other, h, 0, 0, 0).error)
			places[count++] = h;
}

/* scounteren and senvcfg have no copy for VS: the guest's are the host's. */
#define GUEST_CSRS(X) X(0, VSSTATUS) X(1, VSIE) X(2, VSTVEC) X(3, VSSCRATCH) X(4, VSEPC) \
	X(5, VSCAUSE) X(6, VSTVAL) X(7, VSATP) X(8, SCOUNTEREN) X(9, SENVCFG)

static unsigned count_bits(uint64_t v)
{
	unsigned n = 0;

	for (; v; v &= v - 1)
		n++;
	return n;
}

/* Keep the bytes with most counters that count, first of all those of hardware, for
 * print_saved(). */
static void keep_bytes(const struct hs_pmu_saved *saved)
{
	const uint64_t hardware = ((uint64_t)1 << guest_pmu.config.hw_counters) - 1;
	const unsigned n = count_bits(saved->started) + 32 * count_bits(saved->started & hardware);

	if (n < kept.started)
		return;
	kept.started = n;
	kept.size = move.size;
	memcpy(kept.bytes, move.bytes, move.size);
}

static void save_hart(struct vcpu *v)
{
	struct hs_pmu_saved saved;

	hs_pmu_virtual_leave(&v->counters);
	deliver_overflow(v);
	v->hvip = get_csr(HVIP);
#define X(i, csr) v->csrs[i] = get_csr(csr);
	GUEST_CSRS(X)
#undef X
	save_floats(v->floats);
	hs_pmu_save(&guest_pmu, &v->pmu, &saved);
	move.size = hs_pmu_saved_write(&saved, move.bytes);
	keep_bytes(&saved);
	release_host_counters();
	sbi(EID_TIME, 0, ONES, ONES, 0, 0, 0, 0);
}

/* The counters are made again from the bytes alone. */
static void restore_hart(struct vcpu *v)
{
	struct hs_span in = { move.bytes, move.size };
	struct hs_pmu_saved saved;

	prepare_hart();
#define X(i, csr) put_csr(csr, v->csrs[i]);
	GUEST_CSRS(X)
#undef X
	load_floats(v->floats);
	put_csr(HVIP, v->hvip);
	open_counters(v);
	if (hs_pmu_saved_read(&saved, &in) != HS_OK || in.n != 0)
		panic("the saved bytes cannot be read", in.n);
	if (hs_pmu_restore(&guest_pmu, &v->pmu, &saved) != HS_OK)
		panic("the saved state cannot be restored", saved.num_counters);
	hs_pmu_virtual_enter(&v->counters);
	if (v->timer && !(v->hvip & HVIP_VSTIP))
		set_guest_timer(v, v->when);
	v->moves++;
}

/* Wait for the guest, and let it run here. */
static struct vcpu *receive_guest(reg hart)
{
	struct vcpu *v;

	csr_write(sie, SSI);
	for (;;) {
		v = __atomic_load_n(&move.guest, __ATOMIC_ACQUIRE);
		if (v && move.to == hart)
			break;
		__asm__ volatile("wfi");
		csr_clear(sip, SSI);
	}
	move.guest = NULL;
	restore_hart(v);
	return v;
}

void move_guest(struct vcpu *v)
{
	const unsigned from = here;

	if (count < 2)
		return;
	save_hart(v);
	here ^= 1;
	move.to = places[here];
	__atomic_store_n(&move.guest, v, __ATOMIC_RELEASE);
	sbi(EID_IPI, 0, 1, move.to, 0, 0, 0, 0);
	receive_guest(places[from]);
}

void print_saved(void)
{
	static const char digits[] = "0123456789abcdef";
	char two[] = "..";

	if (!kept.size)
		return;
	print("# saved ");
	for (size_t i = 0; i < kept.size; i++) {
		two[0] = digits[kept.bytes[i] >> 4];
		two[1] = digits[kept.bytes[i] & 15];
		print(two);
	}
	print("\n");
}

void second_hart(reg hart)
{
	run(receive_guest(hart));
}
