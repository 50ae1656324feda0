#!/bin/bash
# Which lines of src/ the tests and the fuzz targets reach.
#
#   scripts/coverage-of-tests.sh [SUITE]...      unit property fuzz cli conformance without
#   scripts/coverage-of-tests.sh --table         once more from what was counted before
#
# build-coverage/unreached.txt lists the lines that nothing reached.  What is counted is written
# when a program ends: a command that Landlock confines to other folders counts nothing.
set -eu
cd "$(dirname "$0")/.."

folder=build-coverage

run_tests()
{
	local suites=("$@")

	[ $# -gt 0 ] || suites=(unit property fuzz cli conformance)
	scripts/configure.sh "$folder" --buildtype=debug -Doptimization=1 -Db_coverage=true \
		-Dtests=enabled
	ninja --quiet -C "$folder" all meson-test-prereq
	find "$folder" -name '*.gcda' -delete
	export HARTSCOPE_FUZZ_SECONDS=${HARTSCOPE_FUZZ_SECONDS:-2}
	scripts/run-suite.sh "$folder" "${suites[@]/#/--suite=}" --timeout-multiplier 10 \
		>"$folder/tests.log" 2>&1 || grep '^not ok' "$folder/tests.log" || true
}

[ "${1:-}" = --table ] || run_tests "$@"
scripts/coverage-table.py "$folder" "$folder/unreached.txt"
