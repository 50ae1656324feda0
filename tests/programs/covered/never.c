/* What never runs. */
#include <stdlib.h>

volatile int never_flag;

__attribute__((noinline)) static void fail(int code)
{
	never_flag = code;
	exit(code);
}

__attribute__((noinline)) static int unused_way(int x)
{
	if (x > 1000) {
		never_flag = 3;
		fail(x);
	}
	if (never_flag)
		fail(2);
	return x / 2;
}

int never(void)
{
	int s = 0;

	for (int i = 0; i < 5; i++)
		s += unused_way(i);
	return s;
}
