/* From reset to the supervisor, and harts that wait to be started. */
#include "fw.h"

#define INFO_MAGIC 0x4942534fu /* fw_dynamic_info, as QEMU passes it */
#define NEXT_DEFAULT 0x80200000ul
#define MODE_S 1u
/* Calls from VS, guest page faults, virtual instructions; read-only zero without H. */
#define GUEST_TRAPS (BIT(10) | BIT(20) | BIT(21) | BIT(22) | BIT(23))

struct hart harts[HARTS];
struct hs_pmu fw_pmu;
struct machine machine;

/* Memory of the supervisor: everything after the firmware. */
bool supervisor_may_access(uint64_t address, uint64_t length)
{
	return address >= FW_START + FW_SIZE && address < machine.ram_end &&
	       length <= machine.ram_end - address;
}

/* PMP: lower modes may access everything except the firmware.  Entries that are not locked do not
 * apply to machine mode. */
static void protect_firmware(void)
{
	csr_write(pmpaddr0, FW_START >> 2 | ((FW_SIZE >> 3) - 1));
	csr_write(pmpaddr1, -1);
	csr_write(pmpcfg0, 0x1f18); /* 1: NAPOT RWX; 0: NAPOT */
	__asm__ volatile("sfence.vma" : : : "memory");
}

/* Faults that a supervisor handles are delegated; illegal instructions and access faults come to
 * the firmware, which counts them and passes them on (trap.c). */
static void delegate_traps(void)
{
	csr_write(mideleg, MIP_SSIP | MIP_STIP | MIP_SEIP |
	          (fw_pmu.config.sscofpmf ? MIP_LCOFIP : 0));
	csr_write(medeleg, BIT(0) | BIT(3) | BIT(8) | BIT(12) | BIT(13) | BIT(15) | GUEST_TRAPS);
	csr_write(mie, MIP_MSIP);
	csr_write(mip, 0);
}

/* The initial state of a hart in the supervisor (SBI 3.0, 9.1). */
static __attribute__((noreturn)) void start_supervisor(unsigned hart, reg address, reg opaque)
{
	protect_firmware();
	hart_open(hart);
	pmu_hart_start(hart);
	delegate_traps();
	set_timer(hart, UINT64_MAX);
	csr_write(satp, 0);
	csr_clear(mstatus, BIT(1) | BIT(3) | BIT(7) | BIT(12) | BIT(17));
	csr_set(mstatus, BIT(11)); /* MPP is S */
	enter(hart, opaque, address);
}

void boot(reg hart, void *fdt, const reg *info)
{
	reg next = NEXT_DEFAULT;

	if (info && info[0] == INFO_MAGIC && info[3] == MODE_S)
		next = info[2];
	hart_allow_traps();
	if (!pmu_probe(fdt) || !fdt_read(fdt, &machine) || !fdt_reserve(fdt, &machine) ||
	    !supervisor_may_access(next, 4))
		power_off(true);
	for (unsigned i = 0; i < HARTS; i++)
		harts[i].state = HART_STOPPED;
	harts[hart].state = HART_STARTED;
	__atomic_store_n(&boot_done, 1, __ATOMIC_RELEASE);
	start_supervisor((unsigned)hart, next, (reg)fdt);
}

/* A stopped hart sleeps until hart_start raises its software interrupt. */
void park(reg hart)
{
	struct hart *h = &harts[hart];

	hart_allow_traps();
	csr_write(mie, MIP_MSIP); /* wakes wfi; mstatus.MIE is clear */
	while (__atomic_load_n(&h->state, __ATOMIC_ACQUIRE) != HART_START_PENDING) {
		__asm__ volatile("wfi");
		clear_msip((unsigned)hart);
		answer_asked((unsigned)hart);
	}
	const reg address = h->start_address, opaque = h->start_opaque;

	__atomic_store_n(&h->state, HART_STARTED, __ATOMIC_RELEASE);
	start_supervisor((unsigned)hart, address, opaque);
}
