/* The version is one: of the headers, the library and the project (version.h). */
#include "cases.h"

#include <hartscope/status.h>

#if HS_VERSION < HS_VERSION_NUMBER(0, 1, 0)
#error "HS_VERSION is a number that the preprocessor can compare"
#endif

TEST(all_say_the_same)
{
	assert_string_equal(hs_version_string(), HARTSCOPE_PROJECT_VERSION);
	assert_string_equal(HS_VERSION_STRING, HARTSCOPE_PROJECT_VERSION);
	assert_int_equal(hs_version(), HS_VERSION);
}

/* By hand. */
TEST(numbers_are_in_order)
{
	assert_int_equal(HS_VERSION_NUMBER(1, 2, 3), 1002003);
	assert_true(HS_VERSION_NUMBER(1, 10, 0) > HS_VERSION_NUMBER(1, 9, 999));
	assert_true(HS_VERSION_NUMBER(2, 0, 0) > HS_VERSION_NUMBER(1, 999, 999));
}
