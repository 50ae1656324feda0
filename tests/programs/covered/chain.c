/* A chain of conditions. */
__attribute__((noinline)) static int grade(int points)
{
	if (points > 90)
		return 1;
	else if (points > 70)
		return 2;
	else if (points > 50)
		return 3;
	return 6;
}

volatile int chain_sink;

int chain(void)
{
	for (int i = 0; i < 100; i += 7)
		chain_sink += grade(i);
	return chain_sink;
}
