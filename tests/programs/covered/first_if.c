/* A function that begins with a condition. */
__attribute__((noinline)) static int risky(int v)
{
	/* the first statement */
	if (v == 99)
		__builtin_trap();
	return v + 1;
}

int first_if(void)
{
	int s = 0;

	for (int i = 0; i < 6; i++)
		s += risky(i);
	return s;
}
