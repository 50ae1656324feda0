/* Exceptions, threads, templates and destructors, for a comparison with gcov
 * (tests/conformance/coverage.sh). */
#include <atomic>
#include <cstdio>
#include <mutex>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

static std::atomic<int> open_guards{0};

struct guard {
	int number;

	explicit guard(int n) : number(n)
	{
		open_guards++;
	}
	~guard()
	{
		open_guards--;
		if (number > 100)
			std::puts("a great one");
	}
};

struct too_deep : std::runtime_error {
	int depth;

	explicit too_deep(int d) : std::runtime_error("too deep"), depth(d) {}
};

static int descend(int depth, int limit)
{
	guard g(depth);

	if (depth == limit)
		throw too_deep(depth);
	const int below = descend(depth + 1, limit);

	return below + depth;
}

static int parse(const std::string &text)
{
	guard first(1), second(2);

	if (text.empty())
		throw std::invalid_argument("no text");
	for (char c : text)
		if (c < '0' || c > '9')
			throw std::out_of_range(std::string("not a digit: ") + c); /* 6 times */
	return std::stoi(text);
} /* 25 times: 8 returns, of which each comes to it twice, and 9 exceptions */

static int careful(const std::string &text)
{
	try {
		return parse(text);
	} catch (const std::invalid_argument &) {
		return -1;
	} catch (const std::out_of_range &e) {
		if (e.what()[0] == 'n')
			return -2;
		return -3;
	}
}

static int again(int n)
{
	int caught = 0;

	for (int i = 0; i < n; i++) {
		try {
			try {
				guard g(i);

				if (i % 3 == 0)
					throw i;
				if (i % 3 == 1)
					descend(0, i);
			} catch (int k) { /* 20 times: 6 ends of the block, 14 exceptions */
				caught += k;
				if (k % 2)
					throw std::logic_error("odd");
				caught++;
			}
		} catch (const std::logic_error &) {
			caught += 1000;
		} catch (const too_deep &e) {
			caught += e.depth;
		} catch (...) {
			caught = -1;
		}
	}
	return caught;
}

/* Exceptions land on the line of the call, which destroys a string there. */
static int temporary(const char *text)
{
	int n = -1;

	try { n = parse(std::string(text) + ""); } catch (const std::exception &) {} /* 5 times */
	return n;
}

static int outer(const char *text)
{
	try {
		const int n = parse(std::string() + text) + parse(std::string("1")); /* 5 times */

		return n;
	} catch (const std::exception &) {
	}
	return 0;
}

static int never_throws(int x) noexcept
{
	return x > 3 ? x : -x;
}

template <typename T> struct stack {
	std::vector<T> items;

	void push(const T &item)
	{
		items.push_back(item);
	}
	T pop()
	{
		if (items.empty())
			throw std::out_of_range("empty");
		T top = items.back();
		items.pop_back();
		return top;
	}
};

template <typename T> static T drain(stack<T> &s)
{
	T sum{};

	try {
		for (;;)
			sum += s.pop();
	} catch (const std::out_of_range &) {
	}
	return sum;
}

static std::mutex lock;
static int total;

static void work(int n)
{
	for (int i = 0; i < n; i++) {
		int got;

		try {
			got = descend(0, i % 7);
		} catch (const too_deep &e) {
			got = e.depth;
		}
		std::lock_guard<std::mutex> held(lock);
		total += got;
	}
}

static void unused()
{
	guard g(1000);

	throw 1;
}

int main(int argc, char **)
{
	std::vector<std::thread> threads;
	stack<int> numbers;
	stack<std::string> texts;

	for (int i = 0; i < 3; i++)
		threads.emplace_back(work, 20 + i);
	for (auto &t : threads)
		t.join();
	for (const char *text : { "12", "", "x", "7", "1y" })
		total += careful(text) + temporary(text) + outer(text); /* 5 times */
	for (int i = 0; i < 10; i++) {
		numbers.push(i);
		texts.push(std::to_string(i));
	}
	auto count = [&](int more) {
		if (more > 2)
			total += more;
		return total;
	};
	count(1);
	count(5);
	total += drain(numbers) + (int)drain(texts).size() + again(20) + never_throws(argc);
	if (argc > 5)
		unused();
	std::printf("%d %d\n", total, open_guards.load()); /* 1 time */
	return 0;
}
