/* Runs each of the programs whose coverage is compared with gcov's
 * (tests/conformance/coverage_levels.sh). */
#include <stdio.h>

#define PROGRAMS(X) \
	X(back) X(bits) X(brace_line) X(chain) X(constructors) X(early) X(either) \
	X(exceptions) X(first_if) X(header) X(header_too) X(jumps) X(lambdas) X(lines) \
	X(loops) X(macros) X(matrix) X(nested) X(nested_catch) X(never) X(numbers) \
	X(operators) X(pointers) X(recursive) X(sorting) X(tail) X(templates) X(text) \
	X(varied) X(ways_out)

#define DECLARE(name) int name(void);
PROGRAMS(DECLARE)

static const struct {
	const char *name;
	int (*run)(void);
} programs[] = {
#define ROW(name) { #name, name },
	PROGRAMS(ROW)
};

int main(void)
{
	for (unsigned i = 0; i < sizeof(programs) / sizeof(*programs); i++)
		printf("%s %d\n", programs[i].name, programs[i].run());
	return 0;
}
