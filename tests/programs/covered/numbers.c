/* Floating point. */
__attribute__((noinline)) static double root(double x)
{
	double r = x;

	if (x <= 0.0)
		return 0.0;
	for (int i = 0; i < 8; i++)
		r = (r + x / r) / 2.0;
	return r;
}

int numbers(void)
{
	double s = 0.0;

	for (int i = -1; i < 7; i++)
		s += root(i * 1.5);
	return (int)(s * 100.0);
}
