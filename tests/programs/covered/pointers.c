/* Functions by pointers, and a list. */
#include <stddef.h>

struct node {
	struct node *next;
	int value;
};

static int twice(int x)
{
	return 2 * x;
}

static int square(int x)
{
	return x * x;
}

__attribute__((noinline)) static int walk(const struct node *n, int (*each)(int))
{
	int s = 0;

	for (; n; n = n->next)
		s += each(n->value);
	return s;
}

int pointers(void)
{
	struct node c = { NULL, 3 }, b = { &c, 2 }, a = { &b, 1 };

	return walk(&a, twice) + walk(&b, square);
}
