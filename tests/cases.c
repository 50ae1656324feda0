/* The cases of a test program, and its main(); see cases.h. */
#include "cases.h"

#include <errno.h>
#include <fnmatch.h>

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

/* A number as people read it: hexadecimal as well, from where they differ. */
static const char *number(uintmax_t n, char text[64])
{
	if (n < 10)
		snprintf(text, 64, "%ju", n);
	else if (n > INTMAX_MAX)
		snprintf(text, 64, "%jd (%#jx)", (intmax_t)n, n);
	else
		snprintf(text, 64, "%ju (%#jx)", n, n);
	return text;
}

void test_equal(uintmax_t seen, uintmax_t expected, const char *seen_text,
                const char *expected_text, const char *file, int line)
{
	char is[64], should[64];
	const bool literal = strchr("-0123456789", *expected_text);

	if (seen == expected)
		return;
	print_message("# %s is %s, expected %s%s%s\n", seen_text, number(seen, is),
	              literal ? "" : expected_text, literal ? "" : ", which is ",
	              number(expected, should));
	_fail(file, line);
}

void test_holds(bool holds, const char *text, const char *sentence, const char *file, int line)
{
	if (holds)
		return;
	print_message("# %s %s\n", text, sentence);
	_fail(file, line);
}

void test_strings_equal(const char *seen, const char *expected, const char *text, const char *file,
                        int line)
{
	if (strcmp(seen, expected) == 0)
		return;
	print_message("# %s is \"%s\", expected \"%s\"\n", text, seen, expected);
	_fail(file, line);
}

void test_bytes_equal(const void *seen, const void *expected, size_t size, const char *text,
                      const char *file, int line)
{
	const uint8_t *a = seen, *b = expected;
	size_t i = 0;

	while (i < size && a[i] == b[i])
		i++;
	if (i == size)
		return;
	print_message("# byte %zu of %zu of %s is %#x, expected %#x\n", i, size, text, a[i], b[i]);
	_fail(file, line);
}

int main(void)
{
	const char *only = getenv("HARTSCOPE_ONLY");
	size_t wanted = 0;

	for (size_t i = 0; only && i < count; i++)
		wanted += fnmatch(only, cases[i].name, 0) == 0;
	if (only && wanted == 0) {
		puts("1..0 # SKIP no case fits HARTSCOPE_ONLY");
		return 77;
	}
	if (only)
		cmocka_set_test_filter(only);
	const int failed = _cmocka_run_group_tests(program_invocation_short_name, cases, count,
	                                           before, after);

	for (size_t i = 0; i < count; i++)
		free((void *)(uintptr_t)cases[i].name);
	free(cases);
	return failed;
}
