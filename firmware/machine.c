/* Devices of QEMU's virt machine. */
#include "fw.h"

#define UART 0x10000000ul
#define CLINT 0x2000000ul
#define TEST 0x100000ul

static volatile uint8_t *byte_at(reg address)
{
	return (volatile uint8_t *)address;
}

static volatile uint32_t *word_at(reg address)
{
	return (volatile uint32_t *)address;
}

void uart_put(uint8_t c)
{
	while (!(*byte_at(UART + 5) & 0x20))
		;
	*byte_at(UART) = c;
}

int uart_get(void)
{
	return *byte_at(UART + 5) & 1 ? *byte_at(UART) : -1;
}

/* In two halves; the largest upper half comes first, so that no earlier time is set in between. */
static void set_mtimecmp(unsigned hart, uint64_t when)
{
	*word_at(CLINT + 0x4004 + 8 * hart) = UINT32_MAX;
	*word_at(CLINT + 0x4000 + 8 * hart) = (uint32_t)when;
	*word_at(CLINT + 0x4004 + 8 * hart) = (uint32_t)(when >> 32);
}

uint64_t get_time(void)
{
	uint32_t low, high, again;

	do {
		high = *word_at(CLINT + 0xbffc);
		low = *word_at(CLINT + 0xbff8);
		again = *word_at(CLINT + 0xbffc);
	} while (high != again);
	return (uint64_t)high << 32 | low;
}

static void set_stimecmp(uint64_t when)
{
#if __riscv_xlen == 64
	csr_write(0x14d, when);
#else
	csr_write(0x15d, UINT32_MAX);
	csr_write(0x14d, (reg)when);
	csr_write(0x15d, (reg)(when >> 32));
#endif
}

/* The supervisor's timer: stimecmp, whose interrupt is pending by itself, or mtimecmp. */
void set_timer(unsigned hart, uint64_t when)
{
	if (harts[hart].sstc) {
		set_stimecmp(when);
	} else {
		set_mtimecmp(hart, when);
		csr_clear(mip, MIP_STIP);
		csr_set(mie, MIP_MTIP);
	}
}

void raise_msip(unsigned hart)
{
	__asm__ volatile("fence" : : : "memory");
	*word_at(CLINT + 4 * hart) = 1;
}

void clear_msip(unsigned hart)
{
	*word_at(CLINT + 4 * hart) = 0;
	__asm__ volatile("fence" : : : "memory");
}

static void write_test_device(uint32_t value)
{
	*word_at(TEST) = value;
	for (;;)
		__asm__ volatile("wfi");
}

void power_off(bool failure)
{
	write_test_device(failure ? 1u << 16 | 0x3333 : 0x5555);
	__builtin_unreachable();
}

void reboot(void)
{
	write_test_device(0x7777);
	__builtin_unreachable();
}
