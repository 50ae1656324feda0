/* Devices of QEMU's virt machine, and the four mem functions. */
#include "fw.h"

#define UART 0x10000000ul
#define CLINT 0x2000000ul
#define TEST 0x100000ul

static volatile uint8_t *byte(reg address)
{
	return (volatile uint8_t *)address;
}

static volatile uint32_t *word(reg address)
{
	return (volatile uint32_t *)address;
}

void uart_put(uint8_t c)
{
	while (!(*byte(UART + 5) & 0x20))
		;
	*byte(UART) = c;
}

int uart_get(void)
{
	return *byte(UART + 5) & 1 ? *byte(UART) : -1;
}

/* In two halves, so that no moment has a time that was not asked for. */
void set_timer(unsigned hart, uint64_t when)
{
	*word(CLINT + 0x4004 + 8 * hart) = UINT32_MAX;
	*word(CLINT + 0x4000 + 8 * hart) = (uint32_t)when;
	*word(CLINT + 0x4004 + 8 * hart) = (uint32_t)(when >> 32);
}

void raise_msip(unsigned hart)
{
	__asm__ volatile("fence" : : : "memory");
	*word(CLINT + 4 * hart) = 1;
}

void clear_msip(unsigned hart)
{
	*word(CLINT + 4 * hart) = 0;
	__asm__ volatile("fence" : : : "memory");
}

static void machine_test(uint32_t value)
{
	*word(TEST) = value;
	for (;;)
		__asm__ volatile("wfi");
}

void power_off(bool failure)
{
	machine_test(failure ? 1u << 16 | 0x3333 : 0x5555);
	__builtin_unreachable();
}

void reboot(void)
{
	machine_test(0x7777);
	__builtin_unreachable();
}

void *memcpy(void *restrict to, const void *restrict from, size_t n);
void *memmove(void *to, const void *from, size_t n);
void *memset(void *to, int value, size_t n);
int memcmp(const void *a, const void *b, size_t n);

/* Volatile, or the compiler makes these loops into calls of themselves. */
void *memcpy(void *restrict to, const void *restrict from, size_t n)
{
	volatile uint8_t *t = to;
	const volatile uint8_t *f = from;

	for (size_t i = 0; i < n; i++)
		t[i] = f[i];
	return to;
}

void *memmove(void *to, const void *from, size_t n)
{
	volatile uint8_t *t = to;
	const volatile uint8_t *f = from;

	if ((uintptr_t)to <= (uintptr_t)from)
		return memcpy(to, from, n);
	while (n-- > 0)
		t[n] = f[n];
	return to;
}

void *memset(void *to, int value, size_t n)
{
	volatile uint8_t *t = to;

	for (size_t i = 0; i < n; i++)
		t[i] = (uint8_t)value;
	return to;
}

int memcmp(const void *a, const void *b, size_t n)
{
	const volatile uint8_t *x = a, *y = b;

	for (size_t i = 0; i < n; i++) {
		const int xi = x[i], yi = y[i];

		if (xi != yi)
			return xi - yi;
	}
	return 0;
}
