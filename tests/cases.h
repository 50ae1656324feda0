/* Unit and property tests: cmocka with what it needs, and cases that add themselves.  main() is in
 * cases.c.
 *
 *	TEST(a_loss_is_reported_later) { ... }        a case, "a loss is reported later"
 *	TEST_ROWS(encode, rows, row) { ... *row ... } a case for each row, with the row's .name
 *	TESTS { ... test_add(...) ... }               what comes before them: more cases, fixtures
 *
 * Cases run in the order of the source.  HARTSCOPE_ONLY=PATTERN runs those whose name it fits
 * ("*loss*").  What fails prints a sentence: assert_int_equal(n, 3) "n is 4 (0x4), expected 3". */
#ifndef HS_TESTS_CASES_H
#define HS_TESTS_CASES_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* Elements of an array. */
#define COUNT_OF(array) (sizeof(array) / sizeof(*(array)))

/* Add a case whose state is @row.  @name stays; underscores in it are printed as blanks. */
void test_add(const char *name, CMUnitTestFunction run, const void *row);

/* The same with what is called before and after it, or NULL. */
void test_add_with(const char *name, CMUnitTestFunction run, CMFixtureFunction set_up,
                   CMFixtureFunction tear_down, const void *row);

/* What is called before the first case and after the last one. */
void test_around(CMFixtureFunction set_up, CMFixtureFunction tear_down);

/* The checks below, with their operands as the source has them: what is seen, what is expected.
 * They return where a check holds. */
void test_equal(uintmax_t seen, uintmax_t expected, const char *seen_text,
                const char *expected_text, const char *file, int line);
void test_holds(bool holds, const char *text, const char *sentence, const char *file, int line);
void test_strings_equal(const char *seen, const char *expected, const char *text, const char *file,
                        int line);
void test_bytes_equal(const void *seen, const void *expected, size_t size, const char *text,
                      const char *file, int line);

#undef assert_int_equal
#undef assert_true
#undef assert_false
#undef assert_null
#undef assert_non_null
#undef assert_string_equal
#undef assert_memory_equal
#define assert_int_equal(seen, expected) \
	test_equal(cast_to_largest_integral_type(seen), cast_to_largest_integral_type(expected), \
	           #seen, #expected, __FILE__, __LINE__)
#define assert_true(c) \
	test_holds((c), #c, "is false, expected true", __FILE__, __LINE__)
#define assert_false(c) \
	test_holds(!(c), #c, "is true, expected false", __FILE__, __LINE__)
#define assert_null(c) \
	test_holds((c) == NULL, #c, "is a pointer, expected NULL", __FILE__, __LINE__)
#define assert_non_null(c) \
	test_holds((c) != NULL, #c, "is NULL, expected a pointer", __FILE__, __LINE__)
#define assert_string_equal(seen, expected) \
	test_strings_equal((seen), (expected), #seen, __FILE__, __LINE__)
#define assert_memory_equal(seen, expected, size) \
	test_bytes_equal((seen), (expected), (size), #seen, __FILE__, __LINE__)

#define TESTS TESTS_NUMBER(__COUNTER__)
#define TESTS_NUMBER(n) TESTS_OF_NUMBER(n)
#define TESTS_OF_NUMBER(n) \
	__attribute__((constructor(1000 + (n)))) static void test_cases_##n(void)

#define TEST(function) TEST_FULLY(function, #function, NULL, NULL, NULL)

/* A case with a name of its own. */
#define TEST_NAMED(function, name) TEST_FULLY(function, name, NULL, NULL, NULL)

/* A case with what is called before and after it. */
#define TEST_WITH(function, set_up, tear_down) \
	TEST_FULLY(function, #function, set_up, tear_down, NULL)

#define TEST_FULLY(function, name, set_up, tear_down, row) \
	static void function(void); \
	static void function##_as_case(void **test_state) \
	{ \
		(void)test_state; \
		function(); \
	} \
	TESTS \
	{ \
		test_add_with(name, function##_as_case, set_up, tear_down, row); \
	} \
	static void function(void)

/* A case with a state that @set_up makes; @parameter is declared as a pointer to it. */
#define TEST_IN(function, set_up, tear_down, parameter) \
	TEST_OF_STATE(function, parameter) \
	TESTS \
	{ \
		test_add_with(#function, function##_as_case, set_up, tear_down, NULL); \
	} \
	static void function(parameter)

/* A case for each row of an array: @row points to it. */
#define TEST_ROWS(function, rows, row) \
	TEST_OF_STATE(function, const __typeof__(*(rows)) *row) \
	TEST_TABLE(function##_as_case, rows) \
	static void function(const __typeof__(*(rows)) *row)

#define TEST_OF_STATE(function, parameter) \
	static void function(parameter); \
	static void function##_as_case(void **test_state) \
	{ \
		function(*test_state); \
	}

/* Cases for the rows of an array, which @run gets as its state. */
#define TEST_TABLE(run, rows) \
	TESTS \
	{ \
		for (size_t test_row = 0; test_row < COUNT_OF(rows); test_row++) \
			test_add((rows)[test_row].name, run, &(rows)[test_row]); \
	}

#endif
