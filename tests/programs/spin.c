/* Computes until somebody ends it. */
#include <stdio.h>

int main(void)
{
	volatile unsigned x = 1;

	puts("spinning");
	fflush(stdout);
	for (;;)
		x = x & 1 ? x * 3 + 1 : x / 2;
}
