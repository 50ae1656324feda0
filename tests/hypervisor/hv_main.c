/* From the firmware to the guest, and the loop around it. */
#include "hv.h"

#define EID_SRST 0x53525354u
#define SHUTDOWN_FAILED 1

void *memcpy(void *restrict to, const void *restrict from, size_t n);

extern const uint8_t guest_image[], guest_image_end[];

static struct vcpu guest;

static __attribute__((noreturn)) void stop_machine(reg reason)
{
	for (;;)
		sbi(EID_SRST, 0, 0, reason, 0, 0, 0, 0);
}

void panic(const char *why, reg what)
{
	print("not ok - hypervisor: ");
	print(why);
	print(" ");
	print_number((long)what);
	print("\n");
	stop_machine(SHUTDOWN_FAILED);
}

void end_guest(const struct vcpu *v, reg reason)
{
	print("# hypervisor: ");
	print_number((long)v->exits);
	print(" exits, ");
	print_number((long)v->moves);
	print(" moves\n");
	print_saved();
	stop_machine(reason);
}

static uint32_t fdt_size(const uint8_t *fdt)
{
	return (uint32_t)fdt[4] << 24 | (uint32_t)fdt[5] << 16 | (uint32_t)fdt[6] << 8 | fdt[7];
}

/* The guest's program and device tree, and its registers (SBI 3.0, 9.1). */
static void load_guest(struct vcpu *v, const uint8_t *fdt)
{
	const size_t size = (size_t)(guest_image_end - guest_image);

	if (!GUEST_LOADED) {
		memcpy(guest_memory(GUEST_START, size), guest_image, size);
		memcpy(guest_memory(GUEST_FDT, fdt_size(fdt)), fdt, fdt_size(fdt));
	}
	v->pc = GUEST_START;
	v->x[10] = 0; /* its hart */
	v->x[11] = GUEST_FDT;
	v->supervisor = true;
}

void run(struct vcpu *v)
{
	for (;;) {
		set_csr(HSTATUS, HSTATUS_SPV);
		csr_clear(sstatus, STATUS_SPP);
		if (v->supervisor)
			csr_set(sstatus, STATUS_SPP);
		enter_guest(v);
		v->supervisor = csr_read(sstatus) & STATUS_SPP;
		v->exits++;
		handle_exit(v);
	}
}

void first_hart(reg hart, const uint8_t *fdt)
{
	find_console();
	find_host_counters();
	load_guest(&guest, fdt);
	open_counters(&guest);
	start_moving(hart);
	prepare_hart();
	hs_pmu_virtual_enter(&guest.counters);
	run(&guest);
}
