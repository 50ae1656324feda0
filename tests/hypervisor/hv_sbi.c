/* SBI as the guest sees it: one hart, no memory below GUEST_START, and the PMU of src/pmu. */
#include "guest_counters.h"
#include "hv.h"

#define EID_BASE 0x10u
#define EID_TIME 0x54494d45u
#define EID_IPI 0x735049u
#define EID_RFENCE 0x52464e43u
#define EID_HSM 0x48534du
#define EID_SRST 0x53525354u
#define EID_DBCN 0x4442434eu

static struct hs_sbiret sbi_value(uint64_t v)
{
	return (struct hs_sbiret){ HS_SBI_SUCCESS, v };
}

static struct hs_sbiret sbi_error(enum hs_sbi_error e)
{
	return (struct hs_sbiret){ e, 0 };
}

static struct hs_sbiret base(reg fid, const reg *a)
{
	static const uint32_t eids[] = { EID_BASE, EID_TIME, EID_IPI, EID_RFENCE, EID_HSM, EID_SRST,
	                                 EID_DBCN, HS_PMU_EID };

	if (fid != 3)
		return fid == 0 ? sbi_value(3u << 24) : sbi_value(0);
	for (unsigned i = 0; i < sizeof(eids) / sizeof(eids[0]); i++)
		if (eids[i] == a[0])
			return sbi_value(1);
	return sbi_value(0);
}

/* The host's timer interrupts when the guest's time has come. */
void set_guest_timer(struct vcpu *v, uint64_t when)
{
	v->timer = when != UINT64_MAX;
	v->when = when;
	clear_csr(HVIP, HVIP_VSTIP);
	sbi(EID_TIME, 0, (reg)when, __riscv_xlen == 32 ? (reg)(when >> 32) : 0, 0, 0, 0, 0);
	csr_set(sie, STI);
}

static struct hs_sbiret time(struct vcpu *v, reg fid, const reg *a)
{
	if (fid != 0)
		return sbi_error(HS_SBI_ERR_NOT_SUPPORTED);
	hs_pmu_fw_event(&guest_pmu, &v->pmu, HS_PMU_FW_SET_TIMER, 1);
	set_guest_timer(v, __riscv_xlen == 64 ? a[0] : a[0] | (uint64_t)a[1] << 32);
	return sbi_value(0);
}

/* hart_mask and hart_mask_base (SBI 3.0, 3.1): is it hart 0, or none? */
static bool is_hart_0(reg mask, reg at)
{
	return at == ONES || mask == 0 || (at == 0 && mask == 1);
}

static struct hs_sbiret ipi(struct vcpu *v, reg fid, const reg *a)
{
	if (fid != 0)
		return sbi_error(HS_SBI_ERR_NOT_SUPPORTED);
	if (!is_hart_0(a[0], a[1]))
		return sbi_error(HS_SBI_ERR_INVALID_PARAM);
	hs_pmu_fw_event(&guest_pmu, &v->pmu, HS_PMU_FW_IPI_SENT, 1);
	hs_pmu_fw_event(&guest_pmu, &v->pmu, HS_PMU_FW_IPI_RECEIVED, 1);
	hs_pmu_platform_event(&guest_pmu, &v->pmu, SOFTWARE_INTERRUPT, 1);
	set_csr(HVIP, HVIP_VSSIP);
	return sbi_value(0);
}

static struct hs_sbiret fence(struct vcpu *v, reg fid, const reg *a)
{
	static const enum hs_pmu_firmware sent[] = {
		HS_PMU_FW_FENCE_I_SENT, HS_PMU_FW_SFENCE_VMA_SENT, HS_PMU_FW_SFENCE_VMA_ASID_SENT,
	};

	if (fid > 2)
		return sbi_error(HS_SBI_ERR_NOT_SUPPORTED);
	if (!is_hart_0(a[0], a[1]))
		return sbi_error(HS_SBI_ERR_INVALID_PARAM);
	hs_pmu_fw_event(&guest_pmu, &v->pmu, sent[fid], 1);
	hs_pmu_fw_event(&guest_pmu, &v->pmu, (unsigned)sent[fid] + 1, 1); /* _RECEIVED */
	__asm__ volatile("fence.i\n\t.word 0x22000073"); /* hfence.vvma */
	return sbi_value(0);
}

static struct hs_sbiret hsm(reg fid, const reg *a)
{
	if (fid != 0 && fid != 2)
		return sbi_error(HS_SBI_ERR_NOT_SUPPORTED);
	if (a[0] != 0)
		return sbi_error(HS_SBI_ERR_INVALID_PARAM);
	if (fid == 2)
		return sbi_value(0);
	return sbi_error(guest_memory(a[1], 4) ? HS_SBI_ERR_ALREADY_AVAILABLE :
	                                         HS_SBI_ERR_INVALID_ADDRESS);
}

/* What the guest writes, with addresses of the host; nothing can be read. */
static struct hs_sbiret console(reg fid, const reg *a)
{
	const uint64_t at = __riscv_xlen == 64 ? a[1] : a[1] | (uint64_t)a[2] << 32;
	const void *bytes = guest_memory(at, a[0]);
	struct ret r;

	if (fid == 1 && bytes)
		return sbi_value(0);
	if (fid != 2 && !bytes)
		return sbi_error(HS_SBI_ERR_INVALID_PARAM);
	r = fid == 2 ? sbi(EID_DBCN, 2, a[0], 0, 0, 0, 0, 0) :
	               sbi(EID_DBCN, 0, a[0], (reg)bytes, 0, 0, 0, 0);
	return (struct hs_sbiret){ r.error, r.value };
}

static struct hs_sbiret counters(struct vcpu *v, reg fid, const reg *a)
{
	uint64_t args[HS_PMU_ARGS];
	struct hs_sbiret r;

	for (unsigned i = 0; i < HS_PMU_ARGS; i++)
		args[i] = a[i];
	v->counters.saved.lcofip = get_csr(HVIP) & LCOFI;
	r = hs_pmu_ecall(&guest_pmu, &v->pmu, fid, args);
	deliver_overflow(v);
	return r;
}

static struct hs_sbiret call(struct vcpu *v, uint32_t eid, reg fid, const reg *a)
{
	switch (eid) {
	case EID_BASE: return base(fid, a);
	case EID_TIME: return time(v, fid, a);
	case EID_IPI: return ipi(v, fid, a);
	case EID_RFENCE: return fence(v, fid, a);
	case EID_HSM: return hsm(fid, a);
	case EID_DBCN: return console(fid, a);
	case EID_SRST: end_guest(v, a[1]);
	case HS_PMU_EID: return counters(v, fid, a);
	default: return sbi_error(HS_SBI_ERR_NOT_SUPPORTED);
	}
}

void guest_call(struct vcpu *v)
{
	hs_pmu_fw_event(&guest_pmu, &v->pmu, EVENT_CALL, 1);
	const struct hs_sbiret r = call(v, (uint32_t)v->x[17], v->x[16], &v->x[10]);

	v->x[10] = (reg)r.error;
	v->x[11] = (reg)r.value;
}
