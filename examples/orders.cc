/* Two threads add up orders; some lines are no orders.  docs/where-time-goes.md looks for where the
 * time goes.  With -DBY_NAME customers are found by a map. */
#include <cstdio>
#include <cstring>
#include <stdexcept>
#include <string>
#include <thread>
#include <unordered_map>
#include <vector>

struct customer {
	std::string name;
	int discount;
};

static std::vector<customer> customers;
static std::vector<std::string> lines;

#ifdef BY_NAME
static std::unordered_map<std::string, int> by_name;

static int find_customer(const std::string &name)
{
	return by_name.at(name);
}
#else
static int find_customer(const std::string &name)
{
	for (size_t i = 0; i < customers.size(); i++)
		if (customers[i].name == name)
			return (int)i;
	throw std::out_of_range(name);
}
#endif

static int parse_amount(const char *text)
{
	int n = 0;

	if (!*text)
		throw std::invalid_argument("no amount");
	for (; *text; text++) {
		if (*text < '0' || *text > '9')
			throw std::invalid_argument(text);
		n = 10 * n + *text - '0';
	}
	return n;
}

static int price_of(const std::string &line)
{
	const size_t space = line.find(' ');
	const int who = find_customer(line.substr(0, space));
	const int amount = parse_amount(line.c_str() + (space == line.npos ? line.size() : space + 1));

	return amount * (100 - customers[(size_t)who].discount);
}

struct result {
	long total;
	int refused;
};

static void add_up(size_t from, size_t to, result *r)
{
	for (size_t i = from; i < to; i++) {
		try {
			r->total += price_of(lines[i]);
		} catch (const std::exception &) {
			r->refused++;
		}
	}
}

int main()
{
	result results[2] = {};

	for (int i = 0; i < 200; i++)
		customers.push_back({ "customer" + std::to_string(i), i % 7 });
#ifdef BY_NAME
	for (int i = 0; i < 200; i++)
		by_name[customers[(size_t)i].name] = i;
#endif
	for (int i = 0; i < 1000; i++)
		lines.push_back("customer" + std::to_string(i * 3 % 205) + (i % 50 ? " 12" : " twelve"));
	std::thread first(add_up, 0, 500, &results[0]), second(add_up, 500, 1000, &results[1]);

	first.join();
	second.join();
	printf("%ld, %d refused\n", results[0].total + results[1].total,
	       results[0].refused + results[1].refused);
}
