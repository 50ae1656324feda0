/* The cases of a test program, and its main(); see cases.h. */
#include "cases.h"

#include <errno.h>

static struct CMUnitTest *cases;
static size_t count;
static CMFixtureFunction before, after;

void test_add_with(const char *name, CMUnitTestFunction run, CMFixtureFunction set_up,
                   CMFixtureFunction tear_down, const void *row)
{
	char *words = strdup(name);

	cases = realloc(cases, (count + 1) * sizeof *cases);
	if (!cases || !words)
		abort();
	for (char *p = words; *p; p++)
		*p = *p == '_' ? ' ' : *p;
	cases[count++] = (struct CMUnitTest){ words, run, set_up, tear_down,
		                              (void *)(uintptr_t)row };
}

void test_add(const char *name, CMUnitTestFunction run, const void *row)
{
	test_add_with(name, run, NULL, NULL, row);
}

void test_around(CMFixtureFunction set_up, CMFixtureFunction tear_down)
{
	before = set_up;
	after = tear_down;
}

int main(void)
{
	const char *only = getenv("HARTSCOPE_ONLY");

	if (only)
		cmocka_set_test_filter(only);
	const int failed = _cmocka_run_group_tests(program_invocation_short_name, cases, count,
	                                           before, after);

	for (size_t i = 0; i < count; i++)
		free((void *)(uintptr_t)cases[i].name);
	free(cases);
	return failed;
}
