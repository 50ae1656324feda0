// Operators, and a static object of a function.
struct Pair {
	int a, b;
	Pair operator+(const Pair &o) const
	{
		return { a + o.a, b + o.b };
	}
	bool operator<(const Pair &o) const
	{
		return a < o.a || (a == o.a && b < o.b);
	}
};

static int next_seed()
{
	static int *seed = new int(5);

	*seed = *seed * 13 % 101;
	return *seed;
}

__attribute__((noinline)) static Pair least(const Pair *v, int n)
{
	Pair p = v[0];

	for (int i = 1; i < n; i++) {
		if (v[i] < p)
			p = v[i];
	}
	return p;
}

extern "C" int operators(void)
{
	Pair v[8];

	for (Pair &p : v)
		p = Pair{ next_seed() % 4, next_seed() };
	const Pair sum = least(v, 8) + v[2];

	return sum.a * 100 + sum.b;
}
