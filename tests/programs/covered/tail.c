/* Calls at the end of functions. */
volatile int tail_sink;

__attribute__((noinline)) static int last(int n)
{
	tail_sink += n;
	return tail_sink;
}

__attribute__((noinline)) static int middle(int n)
{
	if (n & 1)
		return last(n + 1);
	return last(n);
}

__attribute__((noinline)) static int down(int n)
{
	if (n == 0)
		return 0;
	tail_sink++;
	return down(n - 1);
}

int tail(void)
{
	int s = 0;

	for (int i = 0; i < 6; i++)
		s += middle(i) + down(i);
	return s;
}
