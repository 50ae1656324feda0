/* Each hart in turn runs all cases; the last one switches the machine off. */
#include "payload.h"

#define EID_BASE 0x10u
#define EID_HSM 0x48534du
#define EID_DBCN 0x4442434eu
#define EID_RFENCE 0x52464e43u
#define EID_TIME 0x54494d45u
#define FIRMWARE 0x80000000u
#define STIE ((reg)1 << 5)
#define STATUS_SIE ((reg)1 << 1)
#define LCOFIP ((reg)1 << 13)
#define SSIP ((reg)1 << 1)
#define INTERRUPT ((reg)1 << (__riscv_xlen - 1))

struct seen seen[HARTS];
static volatile reg first_hart;

/* tp holds the hart's number, which a supervisor cannot read from a CSR. */
void __attribute__((interrupt("supervisor"), aligned(4))) on_trap(void);
void on_trap(void)
{
	register reg tp __asm__("tp");
	struct seen *s = &seen[tp];
	const reg cause = csr_read(scause);

	if (cause == (INTERRUPT | 13)) {
		s->scountovf = (uint32_t)csr_read(0xda0);
		csr_clear(sip, LCOFIP);
		s->overflows++;
	} else if (cause == (INTERRUPT | 1)) {
		csr_clear(sip, SSIP);
		s->softwares++;
	} else if (cause == (INTERRUPT | 5)) {
		csr_clear(sie, STIE);
		s->timers++;
	} else if (cause & INTERRUPT) {
		csr_clear(sie, (reg)1 << (cause & 31));
	} else {
		const uint16_t *at = (const uint16_t *)csr_read(sepc);

		s->cause = cause;
		s->exceptions++;
		const reg size = cause == 1 ? 0 : (*at & 3) == 3 ? 4 : 2;

		__asm__ volatile("csrw sepc, %0" : : "r"((reg)at + size));
	}
}

static bool contains(const uint8_t *p, uint32_t size, const char *text, uint32_t n)
{
	for (uint32_t i = 0; i + n <= size; i++) {
		uint32_t k = 0;

		while (k < n && p[i + k] == (uint8_t)text[k])
			k++;
		if (k == n)
			return true;
	}
	return false;
}

/* Memory that is not the supervisor's. */
static void console(unsigned hart)
{
	expect(hart, "console_write from the firmware's memory",
	       sbi(EID_DBCN, 0, 16, FIRMWARE, 0, 0, 0, 0), HS_SBI_ERR_INVALID_PARAM);
	expect(hart, "console_read into the firmware's memory",
	       sbi(EID_DBCN, 1, 16, FIRMWARE, 0, 0, 0, 0), HS_SBI_ERR_INVALID_PARAM);
	if (checks_lengths())
		expect(hart, "console_write of more than there is",
		       sbi(EID_DBCN, 0, ONES, (reg)start_hart, 0, 0, 0, 0),
		       HS_SBI_ERR_INVALID_PARAM);
}

/* What the other extensions must refuse, and fences while other harts wait. */
static void other_extensions(unsigned hart)
{
	expect(hart, "hart_start in the firmware's memory",
	       sbi(EID_HSM, 0, hart, FIRMWARE, 0, 0, 0, 0),
	       HS_SBI_ERR_INVALID_ADDRESS);
	expect(hart, "hart_start of the hart itself",
	       sbi(EID_HSM, 0, hart, (reg)start_hart, 0, 0, 0, 0),
	       HS_SBI_ERR_ALREADY_AVAILABLE);
	check(hart, "hart_get_status: started", sbi(EID_HSM, 2, hart, 0, 0, 0, 0, 0).value == 0);
	if (sbi(EID_BASE, 3, EID_DBCN, 0, 0, 0, 0, 0).value)
		console(hart);
	expect(hart, "remote_fence_i of every hart", sbi(EID_RFENCE, 0, 0, ONES, 0, 0, 0, 0), 0);
	expect(hart, "remote_sfence_vma of every hart", sbi(EID_RFENCE, 1, 0, ONES, 0, ONES, 0, 0),
	       0);
	expect(hart, "remote_fence_i of a hart that is not there",
	       sbi(EID_RFENCE, 0, 1, 62, 0, 0, 0, 0), HS_SBI_ERR_INVALID_PARAM);
	expect(hart, "an extension that is not there", sbi(0x12345678, 0, 0, 0, 0, 0, 0, 0),
	       HS_SBI_ERR_NOT_SUPPORTED);
}

/* A time that has passed interrupts at once. */
static void timer(unsigned hart)
{
	seen[hart].timers = 0;
	csr_set(sie, STIE);
	csr_set(sstatus, STATUS_SIE);
	sbi(EID_TIME, 0, 0, 0, 0, 0, 0, 0);
	for (unsigned n = 0; n < 400000000u && !seen[hart].timers; n++)
		__asm__ volatile("");
	csr_clear(sstatus, STATUS_SIE);
	check(hart, "set_timer: the interrupt came", seen[hart].timers == 1);
	sbi(EID_TIME, 0, ONES, ONES, 0, 0, 0, 0);
}

static void run_here(reg hart)
{
	__asm__ volatile("mv tp, %0" : : "r"(hart));
	other_extensions((unsigned)hart);
	timer((unsigned)hart);
	cases((unsigned)hart);
	counting((unsigned)hart);
}

/* Start the next hart that exists and did not run yet. */
static void start_next(reg hart, reg after)
{
	listen((unsigned)hart);
	for (reg h = after; h < HARTS; h++)
		if (h != first_hart && sbi(EID_HSM, 0, h, (reg)start_hart, h, 0, 0, 0).error == 0)
			answer_mail((unsigned)hart);
	finish((unsigned)hart);
}

void first(reg hart, const uint8_t *fdt)
{
	const uint32_t size = (uint32_t)fdt[4] << 24 | (uint32_t)fdt[5] << 16 |
		(uint32_t)fdt[6] << 8 | fdt[7];

	first_hart = hart;
	find_console();
	print("# SBI PMU payload\n");
	check((unsigned)hart, "the device tree has no riscv,pmu",
	      !contains(fdt, size, "riscv,pmu", 10));
	expect((unsigned)hart, "hart_start of a hart that is not there",
	       sbi(EID_HSM, 0, 4095, (reg)start_hart, 0, 0, 0, 0),
	       HS_SBI_ERR_INVALID_PARAM);
	run_here(hart);
	start_next(hart, 0);
	__builtin_unreachable();
}

void next(reg hart)
{
	__asm__ volatile("mv tp, %0" : : "r"(hart));
	between_harts((unsigned)hart);
	run_here(hart);
	start_next(hart, hart + 1);
	__builtin_unreachable();
}
