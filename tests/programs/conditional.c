/* Store-conditionals that store and that fail; ends with a bit for each that failed, by its rd. */
#include <stdint.h>

static volatile uint64_t word, other;

static inline long leave(long status)
{
	register long a0 __asm__("a0") = status, a7 __asm__("a7") = 93;

	__asm__ volatile("ecall" : "+r"(a0) : "r"(a7));
	return a0;
}

/* lr of @from, a store of @between to @from, sc of @value to @to. */
#define TRY(width, from, between, to, value)                                                       \
	({                                                                                         \
		long old, failed;                                                                  \
		__asm__ volatile("lr." width " %0, (%2)\n\t"                                       \
		                 "s" width " %3, (%2)\n\t"                                         \
		                 "sc." width " %1, %5, (%4)"                                       \
		                 : "=&r"(old), "=&r"(failed)                                       \
		                 : "r"(from), "r"((long)(between)), "r"(to), "r"((long)(value))    \
		                 : "memory");                                                      \
		failed;                                                                            \
	})

/* The same without a look at rd, and as the last instruction of its block. */
#define TRY_BLIND(between, value)                                                                  \
	__asm__ volatile("lr.w t0, (%0)\n\tsw %1, (%0)\n\tsc.w x0, %2, (%0)\n\tj 1f\n1:"           \
	                 :                                                                         \
	                 : "r"(&word), "r"((long)(between)), "r"((long)(value))                    \
	                 : "t0", "memory")

void _start(void)
{
	long failed = 0;

	failed |= TRY("d", &word, 0, &word, 0x11) << 0;      /* stored what was there: stores */
	failed |= TRY("d", &word, 0x22, &word, 0x33) << 1;   /* changed: fails */
	failed |= TRY("d", &word, 0x22, &other, 0x44) << 2;  /* another address: fails */
	word = 0xffffffff80000001;
	failed |= TRY("w", &word, 0x80000001, &word, 0x55) << 3; /* stores */
	failed |= TRY("w", &word, 0x66, &word, 0x66) << 4;   /* changed to that: fails */
	TRY_BLIND(0x66, 0x77);                               /* stores */
	TRY_BLIND(0x88, 0x99);                               /* fails */
	leave(failed);
}
