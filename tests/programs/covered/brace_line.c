/* Braces on the line of the name, and the first statement on the line of the brace. */
__attribute__((noinline)) static int low(int v) {
	if (v < 3)
		return v;
	return 3;
}

__attribute__((noinline)) static int high(int v)
{	if (v > 3)
		return v;
	return 3;
}

__attribute__((noinline)) static int one(int v) { return v > 2 ? low(v) : high(v); }

int brace_line(void)
{
	int s = 0;

	for (int i = 0; i < 6; i++)
		s += one(i);
	return s;
}
