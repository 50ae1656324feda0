/* Loops of each kind. */
__attribute__((noinline)) static int sum_to(int n)
{
	int s = 0;

	for (int i = 0; i < n; i++)
		s += i * i;
	return s;
}

__attribute__((noinline)) static int halve(unsigned n)
{
	int steps = 0;

	while (n) {
		n >>= 1;
		steps++;
	}
	return steps;
}

__attribute__((noinline)) static int digits(unsigned n)
{
	int d = 0;

	do {
		d++;
		n /= 10;
	} while (n);
	return d;
}

int loops(void)
{
	int s = 0;

	for (int i = 0; i < 12; i++)
		s += sum_to(i) + halve((unsigned)i) + digits((unsigned)i * 37u);
	return s;
}
