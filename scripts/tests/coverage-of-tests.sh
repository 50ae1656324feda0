#!/bin/bash
# Which lines of src/ the tests and the fuzz targets reach.
#
#   scripts/tests/coverage-of-tests.sh [SUITE]...      unit property fuzz cli conformance without
#   scripts/tests/coverage-of-tests.sh --table         once more from what was counted before
#
# build-coverage/unreached.txt lists the lines that nothing reached.  What is counted is written
# when a program ends, which Landlock would refuse: commands run without it, as in a system that has
# none, and the tests of the sandbox itself fail here.
set -eu
cd "$(dirname "$0")/../.."

folder=build-coverage

run_tests()
{
	local suites=("$@")

	[ $# -gt 0 ] || suites=(unit property fuzz cli conformance)
	scripts/configure.sh "$folder" --buildtype=debug -Doptimization=1 -Db_coverage=true \
		-Dtests=enabled
	ninja --quiet -C "$folder" all meson-test-prereq
	find "$folder" -name '*.gcda' -delete
	cc -shared -fPIC -x c -o "$folder/no-sandbox.so" - <<-'END'
		#define _GNU_SOURCE
		#include <stdarg.h>
		#include <sys/prctl.h>
		#include <sys/syscall.h>
		#include <unistd.h>
		int prctl(int what, ...)
		{
			unsigned long v[4];
			va_list list;

			va_start(list, what);
			for (int i = 0; i < 4; i++)
				v[i] = va_arg(list, unsigned long);
			va_end(list);
			if (what == PR_SET_NO_NEW_PRIVS)
				return -1;
			return (int)syscall(SYS_prctl, what, v[0], v[1], v[2], v[3]);
		}
	END
	export LD_PRELOAD=$PWD/$folder/no-sandbox.so
	export HARTSCOPE_FUZZ_SECONDS=${HARTSCOPE_FUZZ_SECONDS:-2}
	scripts/tests/run-suite.sh "$folder" "${suites[@]/#/--suite=}" --timeout-multiplier 10 \
		>"$folder/tests.log" 2>&1 || grep '^not ok' "$folder/tests.log" || true
	unset LD_PRELOAD
}

[ "${1:-}" = --table ] || run_tests "$@"
scripts/tests/coverage-table.py "$folder" "$folder/unreached.txt"
