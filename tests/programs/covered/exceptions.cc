// Exceptions: thrown, caught, passed on.
#include <stdexcept>

static int cleaned;

struct Guard {
	~Guard()
	{
		cleaned++;
	}
};

__attribute__((noinline)) static int parse(int n)
{
	Guard g;

	if (n % 3 == 1)
		throw std::runtime_error("one");
	if (n % 3 == 2)
		throw n;
	return n;
}

__attribute__((noinline)) static int attempt(int n)
{
	try {
		return parse(n);
	} catch (const std::exception &) {
		return -1;
	}
}

extern "C" int exceptions(void)
{
	int s = 0;

	for (int i = 0; i < 9; i++) {
		try {
			s += attempt(i);
		} catch (int n) {
			s -= n;
		}
	}
	return s + cleaned;
}
