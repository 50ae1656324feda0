/* goto, forwards and back. */
volatile int jumps_sink;

__attribute__((noinline)) static int retry(int n)
{
	int tries = 0;

again:
	tries++;
	if (jumps_sink++ % n)
		goto again;
	if (tries > 3)
		goto fail;
	return tries;
fail:
	jumps_sink--;
	return -tries;
}

int jumps(void)
{
	int s = 0;

	for (int i = 1; i < 9; i++)
		s += retry(i);
	return s;
}
