/* Conditions of several parts. */
volatile int either_sink;

__attribute__((noinline)) static void look(int a, int b, int c)
{
	if (a > b && b > c)
		either_sink += 1;
	if (a < b || c == 3)
		either_sink += 2;
	if ((a == 1 || b == 1) && c != 1)
		either_sink -= 1;
}

int either(void)
{
	for (int i = 0; i < 27; i++)
		look(i / 9, i / 3 % 3, i % 3 + 1);
	return either_sink;
}
