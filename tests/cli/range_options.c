/* Two threads with marks in both: hints and ecalls. */
static char stack[8192] __attribute__((aligned(16)));
static volatile int done, sink;

static inline __attribute__((always_inline)) long call(long number, long a)
{
	register long a0 __asm__("a0") = a;
	register long a1 __asm__("a1") = 0;
	register long a2 __asm__("a2") = 0;
	register long a7 __asm__("a7") = number;

	__asm__ volatile("ecall" : "+r"(a0) : "r"(a1), "r"(a2), "r"(a7) : "memory");
	return a0;
}

__attribute__((noinline)) int leaf(int n) { return n * 3 + 1; }

__attribute__((noinline)) int work(int n)
{
	int sum = 0;

	for (int i = 0; i < n; i++)
		sum += leaf(i);
	__asm__ volatile(".word 0x04d02013"); /* a hint: slti x0, x0, 77 */
	call(64, 1); /* write() of nothing */
	return sum;
}

__attribute__((noinline, used)) void child(void)
{
	for (int i = 0; i < 4; i++)
		sink = work(3);
	done = 1;
	call(93, 0);
}

/* clone(), as pthread_create() calls it. */
__attribute__((noinline)) void start(void)
{
	register long a0 __asm__("a0") = 0x50f00;
	register long a1 __asm__("a1") = (long)(stack + sizeof(stack));

	__asm__ volatile("li a7, 220\n\tecall\n\tbnez a0, 1f\n\tcall child\n1:"
	                 : "+r"(a0), "+r"(a1)
	                 :
	                 : "a7", "ra", "memory");
}

__attribute__((noreturn)) void _start(void)
{
	sink = work(2);
	start();
	while (!done)
		call(124, 0);
	for (int i = 0; i < 5; i++)
		sink = work(i);
	call(94, 0);
	__builtin_unreachable();
}
