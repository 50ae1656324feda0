/* Statements that are macros. */
#define EACH(i, n) for (int i = 0; i < (n); i++)
#define MORE(x, y) \
	do {       \
		if (y) \
			(x) += (y); \
	} while (0)

volatile int macros_sink;

__attribute__((noinline)) static int grow(int n)
{
	int s = 0;

	EACH(i, n)
		MORE(s, macros_sink + i);
	return s;
}

int macros(void)
{
	return grow(5) + grow(0) + grow(3);
}
