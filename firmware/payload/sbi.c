/* SBI calls, and one line for each case. */
#include "payload.h"

#define EID_BASE 0x10u
#define EID_DBCN 0x4442434eu
#define EID_SRST 0x53525354u
#define LEGACY_PUTCHAR 1u
#define LCOFIE ((reg)1 << 13)
#define OPENSBI 1u /* its implementation ID */

static bool has_console;
static unsigned passed, failed;

struct ret sbi(reg eid, reg fid, reg x0, reg x1, reg x2, reg x3, reg x4, reg x5)
{
	register reg a0 __asm__("a0") = x0, a1 __asm__("a1") = x1, a2 __asm__("a2") = x2,
		a3 __asm__("a3") = x3;
	register reg a4 __asm__("a4") = x4, a5 __asm__("a5") = x5, a6 __asm__("a6") = fid,
		a7 __asm__("a7") = eid;

	__asm__ volatile("ecall" : "+r"(a0), "+r"(a1) : "r"(a2), "r"(a3), "r"(a4), "r"(a5), "r"(a6),
	                 "r"(a7) : "memory");
	return (struct ret){ (long)a0, a1 };
}

struct ret pmu(reg fid, reg a0, reg a1, reg a2, reg a3)
{
	return sbi(HS_PMU_EID, fid, a0, a1, a2, a3, ONES, ONES);
}

struct ret config(reg base, reg mask, reg flags, reg event, uint64_t data)
{
	return sbi(HS_PMU_EID, HS_PMU_COUNTER_CONFIG_MATCHING, base, mask, flags, event, (reg)data,
	           __riscv_xlen == 32 ? (reg)(data >> 32) : ONES);
}

struct ret start(reg base, reg mask, reg flags, uint64_t initial)
{
	return sbi(HS_PMU_EID, HS_PMU_COUNTER_START, base, mask, flags, (reg)initial,
	           __riscv_xlen == 32 ? (reg)(initial >> 32) : ONES, ONES);
}

struct ret stop(reg base, reg mask, reg flags)
{
	return pmu(HS_PMU_COUNTER_STOP, base, mask, flags, ONES);
}

void find_console(void)
{
	has_console = sbi(EID_BASE, 3, EID_DBCN, 0, 0, 0, 0, 0).value != 0;
}

/* OpenSBI 1.6 reads and writes memory of any length that it is given, until it ends. */
bool checks_lengths(void)
{
	return sbi(EID_BASE, 1, 0, 0, 0, 0, 0, 0).value != OPENSBI;
}

static void put_char(char c)
{
	if (has_console)
		sbi(EID_DBCN, 2, (reg)c, 0, 0, 0, 0, 0);
	else
		sbi(LEGACY_PUTCHAR, 0, (reg)c, 0, 0, 0, 0, 0);
}

void print(const char *text)
{
	while (*text)
		put_char(*text++);
}

void print_number(long n)
{
	char digits[24];
	unsigned i = sizeof(digits) - 1;
	unsigned long left = n < 0 ? 0 - (unsigned long)n : (unsigned long)n;

	digits[i] = 0;
	do {
		digits[--i] = (char)('0' + left % 10);
		left /= 10;
	} while (left);
	if (n < 0)
		digits[--i] = '-';
	print(digits + i);
}

/* QEMU 10.0.11 to 10.0.13 have no LCOFIE in mie, sie and vsie: no overflow interrupts. */
bool enable_overflows(void)
{
	csr_set(sie, LCOFIE);
	if (csr_read(sie) & LCOFIE)
		return true;
	print("ok - overflow # SKIP LCOFIE is read-only 0\n");
	return false;
}

void check(unsigned hart, const char *name, bool good)
{
	*(good ? &passed : &failed) += 1;
	print(good ? "ok - hart " : "not ok - hart ");
	print_number(hart);
	print(": ");
	print(name);
	print("\n");
}

void expect(unsigned hart, const char *name, struct ret r, long error)
{
	check(hart, name, r.error == error);
	if (r.error != error) {
		print("#   error ");
		print_number(r.error);
		print(", expected ");
		print_number(error);
		print("\n");
	}
}

void finish(unsigned hart)
{
	(void)hart;
	print("# ");
	print_number(passed);
	print(" passed, ");
	print_number(failed);
	print(" failed\n");
	for (;;)
		sbi(EID_SRST, 0, 0, failed != 0, 0, 0, 0, 0);
}
