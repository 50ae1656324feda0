/* A program that loads and stores known values at known places: what record --data must say of it
 * is in tests/cli/data.sh. */
#include <stdint.h>

volatile uint8_t bytes[8];
volatile uint16_t half;
volatile uint32_t word, amo = 5;
volatile uint64_t big = 0x1122334455667788;

static inline void leave(long status)
{
	register long a7 __asm__("a7") = 93;
	register long a0 __asm__("a0") = status;

	__asm__ volatile("ecall" ::"r"(a7), "r"(a0) : "memory");
}

void _start(void)
{
	uint32_t want = 100;

	for (unsigned i = 0; i < 8; i++)
		bytes[i] = (uint8_t)(0x10 + i);
	half = 0xbeef;
	word = 0xdeadbeef;
	big ^= word;
	__atomic_fetch_add(&amo, 7, __ATOMIC_RELAXED);
	__atomic_exchange_n(&amo, 100, __ATOMIC_RELAXED);
	__atomic_compare_exchange_n(&amo, &want, 7, 0, __ATOMIC_RELAXED, __ATOMIC_RELAXED);
	leave(word == 0xdeadbeef ? 0 : 1);
}
