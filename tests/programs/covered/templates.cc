// Templates: functions and classes, each for several types.
template <typename T>
__attribute__((noinline)) static T largest(const T *v, int n)
{
	T most = v[0];

	for (int i = 1; i < n; i++)
		if (v[i] > most)
			most = v[i];
	return most;
}

template <typename T, int N>
class Ring {
public:
	void put(T x)
	{
		items[at] = x;
		at = (at + 1) % N;
	}
	T sum() const
	{
		T s{};

		for (int i = 0; i < N; i++)
			s += items[i];
		return s;
	}

private:
	T items[N]{};
	int at = 0;
};

extern "C" int templates(void)
{
	static const int i[] = { 3, 9, 2 };
	static const double d[] = { 1.5, 0.5, 4.5, 2.0 };
	Ring<int, 3> r;
	Ring<long, 5> l;

	for (int k = 0; k < 7; k++) {
		r.put(k);
		l.put(k * k);
	}
	return largest(i, 3) + (int)largest(d, 4) + r.sum() + (int)l.sum();
}
