/* SBI 3.0: Base, TIME, IPI, RFENCE, HSM, SRST, DBCN; the PMU is src/pmu. */
#include "fw.h"

#define EID_TIME 0x54494d45u
#define EID_IPI 0x735049u
#define EID_RFENCE 0x52464e43u
#define EID_HSM 0x48534du
#define EID_SRST 0x53525354u
#define EID_DBCN 0x4442434eu
#define EID_BASE 0x10u
#define SPEC_VERSION (3u << 24)
#define IMPLEMENTATION 0x4853u /* not a registered number */
#define DBCN_MAX 4096u        /* bytes of one call */

static struct hs_sbiret sbi_value(uint64_t v)
{
	return (struct hs_sbiret){ HS_SBI_SUCCESS, v };
}

static struct hs_sbiret sbi_error(enum hs_sbi_error e)
{
	return (struct hs_sbiret){ e, 0 };
}

/* ---- other harts ------------------------------------------------------------------ */

/* Carry out the requests of other harts; also while this one waits for them. */
void answer_asked(unsigned hart)
{
	const uint32_t asked = __atomic_exchange_n(&harts[hart].asked, 0, __ATOMIC_ACQUIRE);

	if (asked & ASK_IPI) {
		csr_set(mip, MIP_SSIP);
		fw_event(hart, HS_PMU_FW_IPI_RECEIVED);
	}
	if (asked & ASK_FENCE_I) {
		__asm__ volatile("fence.i" : : : "memory");
		fw_event(hart, HS_PMU_FW_FENCE_I_RECEIVED);
	}
	if (asked & (ASK_SFENCE | ASK_SFENCE_ASID)) {
		__asm__ volatile("sfence.vma" : : : "memory");
		fw_event(hart, asked & ASK_SFENCE ?
		         HS_PMU_FW_SFENCE_VMA_RECEIVED : HS_PMU_FW_SFENCE_VMA_ASID_RECEIVED);
	}
	if (asked & ~(uint32_t)ASK_IPI)
		__atomic_store_n(&harts[hart].busy, 0, __ATOMIC_RELEASE);
}

/* hart_mask and hart_mask_base (SBI 3.0, 3.1): a mask of harts; 0 if one of them does not exist. */
static uint32_t chosen_harts(reg mask, reg base)
{
	if (base == (reg)-1)
		return machine.harts;
	if (base >= HARTS || (mask << base) >> base != mask || (mask << base) & ~(reg)machine.harts)
		return 0;
	return (uint32_t)(mask << base);
}

static void ask_hart(unsigned hart, uint32_t what)
{
	__atomic_fetch_or(&harts[hart].asked, what, __ATOMIC_RELEASE);
	raise_msip(hart);
}

/* One fence or start at a time for each target.  A hart that waits carries out requests meanwhile,
 * so that two harts may wait for each other. */
static void wait_until_idle(unsigned hart, unsigned target)
{
	while (__atomic_exchange_n(&harts[target].busy, 1, __ATOMIC_ACQUIRE))
		answer_asked(hart);
}

static void fence_one(unsigned hart, unsigned target, uint32_t what)
{
	wait_until_idle(hart, target);
	ask_hart(target, what);
	while (__atomic_load_n(&harts[target].busy, __ATOMIC_ACQUIRE))
		answer_asked(hart);
}

static struct hs_sbiret send_ipi(unsigned hart, reg mask, reg base)
{
	const uint32_t set = chosen_harts(mask, base);

	if (!set && (mask || base == (reg)-1))
		return sbi_error(HS_SBI_ERR_INVALID_PARAM);
	for (unsigned i = 0; i < HARTS; i++)
		if (set >> i & 1u) {
			fw_event(hart, HS_PMU_FW_IPI_SENT);
			ask_hart(i, ASK_IPI);
		}
	return sbi_value(0);
}

/* Addresses and ASID are not used: a fence may cover more than was asked for. */
static struct hs_sbiret remote_fence(unsigned hart, reg fid, reg mask, reg base)
{
	static const struct { uint32_t ask; enum hs_pmu_firmware sent; } kinds[] = {
		{ ASK_FENCE_I, HS_PMU_FW_FENCE_I_SENT }, { ASK_SFENCE, HS_PMU_FW_SFENCE_VMA_SENT },
		{ ASK_SFENCE_ASID, HS_PMU_FW_SFENCE_VMA_ASID_SENT },
	};
	const uint32_t set = chosen_harts(mask, base);

	if (fid > 2) /* no hypervisor extension is offered */
		return sbi_error(HS_SBI_ERR_NOT_SUPPORTED);
	if (!set && mask)
		return sbi_error(HS_SBI_ERR_INVALID_PARAM);
	for (unsigned i = 0; i < HARTS; i++) {
		if (!(set >> i & 1u))
			continue;
		fw_event(hart, kinds[fid].sent);
		fence_one(hart, i, kinds[fid].ask);
	}
	return sbi_value(0);
}

/* ---- HSM -------------------------------------------------------------------------- */

static struct hs_sbiret hart_start(unsigned hart, reg target, reg address, reg opaque)
{
	uint32_t stopped = HART_STOPPED;

	if (target >= HARTS || !(machine.harts >> target & 1u))
		return sbi_error(HS_SBI_ERR_INVALID_PARAM);
	if (!supervisor_may_access(address, 4) || address & 1)
		return sbi_error(HS_SBI_ERR_INVALID_ADDRESS);
	struct hart *h = &harts[target];

	/* While the hart is stopped and busy, no other hart writes these. */
	wait_until_idle(hart, (unsigned)target);
	if (__atomic_load_n(&h->state, __ATOMIC_ACQUIRE) == HART_STOPPED) {
		h->start_address = address;
		h->start_opaque = opaque;
	}
	const bool mine = __atomic_compare_exchange_n(&h->state, &stopped, HART_START_PENDING,
	                                              false, __ATOMIC_RELEASE,
	                                              __ATOMIC_RELAXED);

	__atomic_store_n(&h->busy, 0, __ATOMIC_RELEASE);
	if (!mine)
		return sbi_error(HS_SBI_ERR_ALREADY_AVAILABLE);
	raise_msip((unsigned)target);
	return sbi_value(0);
}

static struct hs_sbiret hart_status(reg target)
{
	if (target >= HARTS || !(machine.harts >> target & 1u))
		return sbi_error(HS_SBI_ERR_INVALID_PARAM);
	return sbi_value(__atomic_load_n(&harts[target].state, __ATOMIC_ACQUIRE));
}

static struct hs_sbiret hsm(unsigned hart, reg fid, const reg *a)
{
	switch (fid) {
	case 0: return hart_start(hart, a[0], a[1], a[2]);
	case 1:
		hs_pmu_hart_init(&fw_pmu, &harts[hart].pmu, &harts[hart]); /* its counters stop */
		__atomic_store_n(&harts[hart].state, HART_STOPPED, __ATOMIC_RELEASE);
		park_again(hart);
	case 2: return hart_status(a[0]);
	case 3:
		if ((uint32_t)a[0] != 0) /* only the default retentive suspend */
			return sbi_error(HS_SBI_ERR_NOT_SUPPORTED);
		__asm__ volatile("wfi");
		return sbi_value(0);
	default: return sbi_error(HS_SBI_ERR_NOT_SUPPORTED);
	}
}

/* ---- other extensions ------------------------------------------------------------------- */

static bool is_extension(uint32_t eid)
{
	static const uint32_t eids[] = { EID_BASE, EID_TIME, EID_IPI, EID_RFENCE, EID_HSM, EID_SRST,
	                                 EID_DBCN, HS_PMU_EID };

	for (unsigned i = 0; i < sizeof(eids) / sizeof(eids[0]); i++)
		if (eids[i] == eid)
			return true;
	return false;
}

static struct hs_sbiret base(reg fid, const reg *a)
{
	switch (fid) {
	case 0: return sbi_value(SPEC_VERSION);
	case 1: return sbi_value(IMPLEMENTATION);
	case 2: return sbi_value(1);
	case 3: return sbi_value(is_extension((uint32_t)a[0]));
	case 4: return sbi_value(csr_read(mvendorid));
	case 5: return sbi_value(csr_read(marchid));
	case 6: return sbi_value(csr_read(mimpid));
	default: return sbi_error(HS_SBI_ERR_NOT_SUPPORTED);
	}
}

static struct hs_sbiret time(unsigned hart, reg fid, const reg *a)
{
	if (fid != 0)
		return sbi_error(HS_SBI_ERR_NOT_SUPPORTED);
	fw_event(hart, HS_PMU_FW_SET_TIMER);
	set_timer(hart, __riscv_xlen == 64 ? a[0] : a[0] | (uint64_t)a[1] << 32);
	return sbi_value(0);
}

static struct hs_sbiret srst(reg fid, const reg *a)
{
	if (fid != 0)
		return sbi_error(HS_SBI_ERR_NOT_SUPPORTED);
	if ((uint32_t)a[0] > 2 || (uint32_t)a[1] > 1)
		return sbi_error(HS_SBI_ERR_INVALID_PARAM);
	if ((uint32_t)a[0] == 0)
		power_off((uint32_t)a[1] == 1);
	reboot();
}

static struct hs_sbiret console(reg fid, const reg *a)
{
	const uint64_t address = __riscv_xlen == 64 ? a[1] : a[1] | (uint64_t)a[2] << 32;
	const reg count = a[0] < DBCN_MAX ? a[0] : DBCN_MAX;
	uint8_t *bytes = (uint8_t *)(uintptr_t)address;
	reg n = 0;
	int c;

	if (fid == 2) {
		uart_put((uint8_t)a[0]);
		return sbi_value(0);
	}
	if (fid > 2)
		return sbi_error(HS_SBI_ERR_NOT_SUPPORTED);
	if ((__riscv_xlen == 64 && a[2]) || (a[0] && !supervisor_may_access(address, a[0])))
		return sbi_error(HS_SBI_ERR_INVALID_PARAM);
	if (fid == 0)
		for (; n < count; n++)
			uart_put(bytes[n]);
	else
		for (; n < count && (c = uart_get()) >= 0; n++)
			bytes[n] = (uint8_t)c;
	return sbi_value(n);
}

static struct hs_sbiret pmu(unsigned hart, reg fid, const reg *a)
{
	uint64_t args[HS_PMU_ARGS];

	for (unsigned i = 0; i < HS_PMU_ARGS; i++)
		args[i] = a[i];
	return hs_pmu_ecall(&fw_pmu, &harts[hart].pmu, fid, args);
}

struct hs_sbiret sbi_call(unsigned hart, struct frame *f)
{
	const reg *a = &f->x[10], fid = f->x[16];

	fw_event(hart, FW_EVENT_CALL);
	switch ((uint32_t)f->x[17]) {
	case EID_BASE: return base(fid, a);
	case EID_TIME: return time(hart, fid, a);
	case EID_IPI: return fid == 0 ? send_ipi(hart, a[0],
	                                         a[1]) : sbi_error(HS_SBI_ERR_NOT_SUPPORTED);
	case EID_RFENCE: return remote_fence(hart, fid, a[0], a[1]);
	case EID_HSM: return hsm(hart, fid, a);
	case EID_SRST: return srst(fid, a);
	case EID_DBCN: return console(fid, a);
	case HS_PMU_EID: return pmu(hart, fid, a);
	default: return sbi_error(HS_SBI_ERR_NOT_SUPPORTED);
	}
}
