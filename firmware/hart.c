/* What a hart may have beyond the base of the privileged architecture, opened to lower modes. */
#include "fw.h"

/* menvcfg.  Not here: what a supervisor asks for with SBI's FWFT, which is not offered, and the
 * delegation of counters, which belong to the PMU extension. */
#define CBIE (BIT(4) | BIT(5)) /* cbo.inval is neither illegal nor a flush */
#define CBCFE BIT(6)
#define CBZE BIT(7)
#define HIGH_ADUE (1u << 29) /* upper half, menvcfgh on RV32 */
#define HIGH_PBMTE (1u << 30)
#define HIGH_STCE (1u << 31)

/* Access to a CSR that may not exist; probe_entry skips it then. */
#define TRY(insn, csr, v) ({ \
	register reg absent_ __asm__("t6") = 0; \
	__asm__ volatile(#insn " %1, %2" : "+r"(absent_) : "i"(csr), "r"((reg)(v)) : "t5"); })

#define TRY_READ(csr) ({ \
	register reg absent_ __asm__("t6") = 0; \
	reg v_ = 0; \
	__asm__ volatile("csrr %0, %2" : "+&r"(v_), "+r"(absent_) : "i"(csr) : "t5"); \
	v_; })

/* Before the first trap: Smdbltrp and Smrnmi come out of reset such that it would be fatal. */
void hart_allow_traps(void)
{
	csr_write(mtvec, probe_entry);
	csr_write(mscratch, 0);
#if __riscv_xlen == 64
	csr_clear(mstatus, BIT(42)); /* MDT */
#else
	TRY(csrc, 0x310, BIT(10));
#endif
	TRY(csrs, 0x744, BIT(3)); /* mnstatus.NMIE */
	csr_write(mtvec, trap_entry);
}

/* Returns the upper half of menvcfg: the bits that the hart has. */
static uint32_t open_environment(void)
{
	const uint32_t high = HIGH_STCE | HIGH_PBMTE | (machine.svade ? 0 : HIGH_ADUE);

	TRY(csrs, 0x30a, CBIE | CBCFE | CBZE);
#if __riscv_xlen == 64
	TRY(csrs, 0x30a, (reg)high << 32);
	return (uint32_t)(TRY_READ(0x30a) >> 32);
#else
	TRY(csrs, 0x31a, high);
	return TRY_READ(0x31a);
#endif
}

/* mstateen0 to 3: what the hart lacks, and what has no meaning yet, is read-only zero there.
 * hstateen and sstateen become zero (Smstateen, "Usage"). */
#define OPEN_STATE(n) do { \
	TRY(csrw, 0x30c + (n), -1); \
	TRY(csrw, 0x60c + (n), 0); \
	TRY(csrw, 0x10c + (n), 0); \
	if (__riscv_xlen == 32) { \
		TRY(csrw, 0x31c + (n), -1); \
		TRY(csrw, 0x61c + (n), 0); \
	} \
} while (0)

void hart_open(unsigned hart)
{
	csr_write(mtvec, probe_entry);
	TRY(csrs, 0x747, BIT(9)); /* mseccfg.SSEED: supervisors may read seed (Zkr) */
	harts[hart].sstc = open_environment() & HIGH_STCE;
	OPEN_STATE(0);
	OPEN_STATE(1);
	OPEN_STATE(2);
	OPEN_STATE(3);
	csr_write(mtvec, trap_entry);
}
