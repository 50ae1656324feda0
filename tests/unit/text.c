/* Numbers as people write them, and names that are near, by hand. */
#include "cases.h"

#include <hartscope/status.h>

#define NONE UINT64_C(0x5a5a5a5a5a5a5a5a) /* what is kept on an error */

static const struct number_row {
	const char *text;
	unsigned unit;
	uint64_t value; /* NONE: it is no number */
} numbers[] = {
	{ "0", 1000, 0 },
	{ "007", 1000, 7 },
	{ "18446744073709551615", 1000, UINT64_MAX },
	{ "18446744073709551616", 1000, NONE },
	{ "0x1F", 1000, 31 },
	{ "0xffffffffffffffff", 1000, UINT64_MAX },
	{ "0x00000000000000000001", 1000, 1 },
	{ "0x10000000000000000", 1000, NONE },
	{ "2k", 1000, 2000 },
	{ "2K", 1024, 2048 },
	{ "3M", 1000, 3000000 },
	{ "64M", 1024, 67108864 },
	{ "2G", 1000, 2000000000 },
	{ "1.5k", 1000, 1500 },
	{ "1.5k", 1024, 1536 },
	{ "0.5k", 1024, 512 },
	{ "0.3k", 1024, NONE }, /* 307.2 */
	{ "1e6", 1000, 1000000 },
	{ "1E6", 1024, 1000000 },
	{ "2.5e3", 1000, 2500 },
	{ "1.50e1", 1000, 15 },
	{ "2.0", 1000, 2 },
	{ "1.5", 1000, NONE },
	{ "1e19", 1000, UINT64_C(10000000000000000000) },
	{ "2e19", 1000, NONE },
	{ "0e99", 1000, 0 },
	{ "1e400", 1000, NONE },
	{ "18446744073709551615k", 1000, NONE },
	{ "", 1000, NONE },
	{ "k", 1000, NONE },
	{ ".5k", 1000, NONE },
	{ "1..5k", 1000, NONE },
	{ "-1", 1000, NONE },
	{ "+1", 1000, NONE },
	{ " 1", 1000, NONE },
	{ "1 ", 1000, NONE },
	{ "1kk", 1000, NONE },
	{ "1kB", 1000, NONE },
	{ "1e", 1000, NONE },
	{ "1e+3", 1000, NONE },
	{ "0x", 1000, NONE },
	{ "0x1k", 1000, NONE },
	{ "many", 1000, NONE },
};

TEST(check_numbers)
{
	for (size_t i = 0; i < sizeof(numbers) / sizeof(*numbers); i++) {
		const struct number_row *r = &numbers[i];
		uint64_t value = NONE;

		assert_int_equal(hs_text_number(r->text, r->unit, &value),
		                 r->value == NONE ? HS_E_ARG : HS_OK);
		assert_int_equal(value, r->value);
	}
}

static const struct near_row {
	const char *wanted, *name;
	unsigned distance;
} nears[] = {
	{ "list", "list", 0 }, { "List", "list", 1 },      { "lst", "list", 2 },
	{ "lsit", "list", 2 }, { "--form", "--format", 1 }, { "--formt", "--format", 2 },
	{ "", "list", 5 },     { "lint", "list", 2 },
};

TEST(check_distances)
{
	for (size_t i = 0; i < sizeof(nears) / sizeof(*nears); i++)
		assert_int_equal(hs_text_distance(nears[i].wanted, nears[i].name),
		                 nears[i].distance);
}
