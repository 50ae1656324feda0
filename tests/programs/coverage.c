/* Lines and branches of many shapes, for a comparison with gcov (tests/conformance/coverage.sh). */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int calls;

static int collatz(unsigned long n)
{
	int steps = 0;

	while (n != 1) {
		if (n & 1)
			n = 3 * n + 1;
		else
			n /= 2;
		steps++;
	}
	return steps;
}

static int classify(int a, int b, int c)
{
	if (a <= 0 || b <= 0 || c <= 0)
		return -1;
	if (a == b && b == c)
		return 3;
	return a == b || b == c || a == c ? 2 : 1;
}

static const char *name(int k)
{
	switch (k) {
	case 1:
		return "scalene";
	case 2:
		return "isosceles";
	case 3:
		return "equilateral";
	default:
		break;
	}
	return "none";
}

static int never(int x)
{
	if (x > 3)
		return 1;
	for (int i = 0; i < x; i++)
		x += i;
	return x;
}

static void note(const char *text)
{
	if (!text)
		return;
	calls++;
}

static int depth(int n)
{
	return n ? depth(n - 1) + 1 : 0;
}

static int circles(int n)
{
	int sum = 0;

	for (int i = 0; i < n; i++)
		for (int j = 0; j < i; j++)
			sum += i & j; /* one line */
	for (int i = 0; i < n; i++)
		sum -= i;
	return sum;
}

static int dense(int k)
{
	switch (k) {
	case 0:
		return 7;
	case 1:
		note("one");
		break;
	case 2:
		note("two"); /* fall through */
	case 3:
		note("three");
		break;
	case 4:
		return k * k;
	case 5:
	case 6:
		return -k;
	}
	return k;
}

static int search(const int *v, int n, int wanted)
{
	int i;

	for (i = 0; i < n; i++) {
		if (v[i] < 0)
			continue;
		if (v[i] == wanted)
			goto found;
		if (v[i] > 1000)
			break;
	}
	return -1;
found:
	note("found");
	return i;
}

__attribute__((always_inline)) static inline int halved(int n)
{
	int steps = 0;

	while (n > 1) {
		n /= 2;
		steps++;
	}
	note("halved");
	return steps;
}

/* Data among the instructions, which begins as a long instruction would. */
static int over_data(int n)
{
	int r = n + 1;

	__asm__ volatile("j 1f\n\t.half 0xffff, 0xffff\n1:");
	if (r > 2)
		r += 3;
	note("data");
	return r;
}

int main(int argc, char **argv)
{
	static const int v[] = { 4, -1, 8, 15, 16, 23, 42, 2000, 1 };
	int total = 0, i, j;

	for (i = 1; i < 50; i++)
		total += collatz((unsigned long)i);
	for (i = -1; i < 4; i++) {
		for (j = 0; j < 5; j++) {
			int k = classify(i, j, i + j);

			if (k < 0)
				continue;
			if (j == 4 && strcmp(name(k), "isosceles") == 0)
				break;
			total += k;
		}
	}
	do
		total -= 7;
	while (total > 100);
	for (i = 0; i < 9; i++)
		total += dense(i % 6) + depth(i) + circles(i);
	for (i = 0; i < 9; i++)
		total += halved(i) + halved(2 * i); /* 9 times: what it calls is inlined */
	for (i = 0; i < 50; i += 5)
		total += search(v, (int)(sizeof(v) / sizeof(*v)), i % 20 ? i : 42);
	for (i = 0; i < 5; i++)
		total += over_data(i);
	if (argc > 2)
		total = never(total);
	printf("%d %d %s\n", total, calls, argv[0] ? "x" : "y");
	if (total < 0)
		goto out;
	total = total ? total : 1;
	note(NULL);
	if (calls > 1000)
		exit(1);
out:
	return total == 12345;
}
