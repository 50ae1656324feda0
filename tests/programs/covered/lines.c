/* Expressions over several lines. */
__attribute__((noinline)) static int add(int a, int b)
{
	return a + b;
}

__attribute__((noinline)) static int spread(int n)
{
	int r = add(n,
	            add(1,
	                n));

	if (r > 4 &&
	    n < 5)
		r = add(r, 1);
	return r *
	       n;
}

int lines(void)
{
	int s = 0;

	for (int i = 0; i < 9; i++)
		s += spread(i);
	return s;
}
