/* What ranges are cut from. */
static volatile int sink;
__attribute__((noinline)) int leaf(int n) { return n * 3 + 1; }
__attribute__((noinline)) int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
__attribute__((noinline)) int work(int n)
{
	int sum = 0;

	for (int i = 0; i < n; i++)
		sum += leaf(i);
	__asm__ volatile(".word 0x04d02013"); /* a hint: slti x0, x0, 77 */
	return sum;
}
__attribute__((noreturn)) void _start(void)
{
	for (int i = 0; i < 6; i++)
		sink = work(5) + fib(6);
	register long a0 __asm__("a0") = 0;
	register long a7 __asm__("a7") = 93;
	__asm__ volatile("ecall" ::"r"(a0), "r"(a7));
	__builtin_unreachable();
}
