/* Recursion. */
__attribute__((noinline)) static int ackermann(int m, int n)
{
	if (m == 0)
		return n + 1;
	if (n == 0)
		return ackermann(m - 1, 1);
	return ackermann(m - 1, ackermann(m, n - 1));
}

__attribute__((noinline)) static int hanoi(int n)
{
	return n ? hanoi(n - 1) + 1 + hanoi(n - 1) : 0;
}

int recursive(void)
{
	return ackermann(2, 3) + hanoi(5);
}
