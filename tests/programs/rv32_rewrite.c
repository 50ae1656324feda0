/* RV32 without a C library: code that is written, run, and written again in one place.
 * Build: -march=rv32imac_zifencei -mabi=ilp32 -static -nostdlib -ffreestanding */
typedef unsigned word;

#define SYS_WRITE 64
#define SYS_EXIT  93
#define SYS_MMAP  222

static long call(long number, long a, long b, long c, long d, long e)
{
	register long a0 __asm__("a0") = a;
	register long a1 __asm__("a1") = b;
	register long a2 __asm__("a2") = c;
	register long a3 __asm__("a3") = d;
	register long a4 __asm__("a4") = e;
	register long a5 __asm__("a5") = 0;
	register long a7 __asm__("a7") = number;

	__asm__ volatile("ecall"
	                 : "+r"(a0)
	                 : "r"(a1), "r"(a2), "r"(a3), "r"(a4), "r"(a5), "r"(a7)
	                 : "memory");
	return a0;
}

/* addi a0, a0, immediate, as often as @times; ret */
static void write_code(volatile word *at, word immediate, word times)
{
	for (word i = 0; i < times; i++)
		*at++ = 0x00050513u | immediate << 20;
	*at = 0x00008067u;
	__asm__ volatile("fence.i" ::: "memory");
}

void _start(void)
{
	/* readable, writable, executable; private, of no file */
	volatile word *const page = (volatile word *)call(SYS_MMAP, 0, 4096, 7, 0x22, -1);
	int (*const function)(int) = (int (*)(int))page;
	int sum = 0;

	for (word round = 0; round < 600; round++) {
		write_code(page, 1 + round % 7, 1 + round % 5);
		for (int i = 0; i < 3; i++)
			sum = function(sum);
	}
	/* The sum over all rounds of 3 * immediate * times. */
	if (sum == 21585)
		call(SYS_WRITE, 1, (long)"sum\n", 4, 0, 0);
	call(SYS_EXIT, sum != 21585, 0, 0, 0, 0);
	__builtin_unreachable();
}
