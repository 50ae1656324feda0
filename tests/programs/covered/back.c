/* setjmp and longjmp. */
#include <setjmp.h>

static jmp_buf place;
static volatile int back_depth;

__attribute__((noinline)) static void deep(int n)
{
	back_depth = n;
	if (n == 3)
		longjmp(place, 1);
	deep(n + 1);
	back_depth--;
}

int back(void)
{
	if (setjmp(place) == 0)
		deep(0);
	else
		back_depth += 10;
	return back_depth;
}
