/* Cases that fail, for helpers.sh: what they print. */
#include "cases.h"

TEST(numbers_differ)
{
	int bytes = 12;

	assert_int_equal(bytes, sizeof(uint32_t));
}

TEST(a_number_is_negative)
{
	int found = -1;

	assert_int_equal(found, 3);
}

TEST(a_condition_is_false)
{
	bool ended = false;

	assert_true(ended);
}

TEST(a_pointer_is_null)
{
	const char *name = NULL;

	assert_non_null(name);
}

TEST(strings_differ)
{
	const char *name = "main";

	assert_string_equal(name, "exit");
}

TEST(bytes_differ)
{
	const uint8_t packet[] = { 1, 2, 3 };

	assert_memory_equal(packet, "\1\2\4", 3);
}

TEST(all_is_well)
{
	assert_int_equal(1, 1);
}
