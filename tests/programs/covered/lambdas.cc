// Lambdas, the library's algorithms, and a range.
#include <algorithm>
#include <vector>

__attribute__((noinline)) static int evens(const std::vector<int> &v)
{
	return (int)std::count_if(v.begin(), v.end(), [](int x) {
		return x % 2 == 0;
	});
}

extern "C" int lambdas(void)
{
	std::vector<int> v;

	for (int i = 0; i < 20; i++)
		v.push_back(i * 7 % 11);
	std::sort(v.begin(), v.end(), [](int a, int b) { return a > b; });
	int s = evens(v);

	for (int x : v)
		if (x > 5)
			s += x;
	return s;
}
