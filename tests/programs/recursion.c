/* Recursion of three kinds, each with a function that is not part of it: a function that calls
 * itself twice, two that call each other, and four in a deep circle that is entered at two of
 * them. */
static volatile unsigned leaves;

__attribute__((noinline)) static void leaf(unsigned n)
{
	leaves += n;
}

__attribute__((noinline)) static unsigned fib(unsigned n)
{
	leaf(n);
	return n < 2 ? n : fib(n - 1) + fib(n - 2);
}

static unsigned is_odd(unsigned n);

__attribute__((noinline)) static unsigned is_even(unsigned n)
{
	leaf(n);
	return n == 0 ? 1 : is_odd(n - 1) + (n & 0x400);
}

__attribute__((noinline)) static unsigned is_odd(unsigned n)
{
	return n == 0 ? 0 : is_even(n - 1) + (n & 0x800);
}

static unsigned north(unsigned n);

__attribute__((noinline)) static unsigned west(unsigned n)
{
	return n == 0 ? 0 : north(n - 1) + 1;
}

__attribute__((noinline)) static unsigned south(unsigned n)
{
	leaf(n);
	return n == 0 ? 0 : west(n - 1) + 1;
}

__attribute__((noinline)) static unsigned east(unsigned n)
{
	return n == 0 ? 0 : south(n - 1) + 1;
}

__attribute__((noinline)) static unsigned north(unsigned n)
{
	return n == 0 ? 0 : east(n - 1) + 1;
}

int main(void)
{
	unsigned sum = fib(12) + is_even(25) + is_odd(25);

	sum += north(5000) + south(5003);
	return sum == 0;
}
