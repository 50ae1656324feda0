#!/bin/bash
# Every test, as `make test` and .ci/run want it.  Ends with the line "N passed, N failed" and, when
# something could not run here, ", N skipped".  Exit status 0 when nothing failed.
#
# What each step runs is in CONTRIBUTING.md.  A step prints one line a check, "ok - TEXT" or
# "not ok - TEXT", and its whole output is in build/test-logs/.
set -u
cd "$(dirname "$0")/.." || exit 1
export LC_ALL=C
unset HARTSCOPE_SEED HARTSCOPE_CASES HARTSCOPE_FUZZ_CASE

release=build
sanitize=build-sanitize
logs=$release/test-logs
passed=0 failed=0 skipped=0

finish()
{
	local line="$passed passed, $failed failed"

	[ "$skipped" -eq 0 ] || line="$line, $skipped skipped"
	echo "$line"
	[ "$failed" -eq 0 ]
	exit
}

# Count the check lines in a log; one that failed is printed.  A step that fails without saying
# which check did, or that says nothing, counts as one check.
tally()
{
	local name=$1 status=$2 log=$3 good bad none

	none=$(grep -c '^ok .*# *SKIP' "$log")
	good=$(($(grep -c '^ok ' "$log") - none))
	bad=$(grep -c '^not ok ' "$log")
	[ "$status" -eq 0 ] || [ "$bad" -gt 0 ] || bad=1
	[ $((good + bad + none)) -gt 0 ] || good=1
	passed=$((passed + good)) failed=$((failed + bad)) skipped=$((skipped + none))
	printf '%-44s %5d passed' "$name" "$good"
	[ "$bad" -eq 0 ] || printf ', %d failed' "$bad"
	[ "$none" -eq 0 ] || printf ', %d skipped' "$none"
	printf '  %4d s\n' "$((SECONDS - began))"
	grep '^ok .*# *SKIP' "$log" | sed 's/^ok /  skipped /'
	if [ "$bad" -gt 0 ]; then
		if grep -q '^not ok ' "$log"; then
			grep '^not ok ' "$log" | head -n 20 | sed 's/^/  /'
		else
			tail -n 30 "$log" | sed 's/^/  | /'
		fi
		echo "  all of it: $log"
	fi
}

# step NAME COMMAND...: run it without a terminal and count its checks.
step()
{
	local name=$1 log status

	shift
	log=$logs/$(echo "$name" | tr -c 'a-z0-9\n' '-').log
	began=$SECONDS
	"$@" >"$log" 2>&1 </dev/null
	status=$?
	tally "$name" "$status" "$log"
	return "$status"
}

# Sanitizers see more in a fuzz target than a fast run does, so they get more of the time.
suite()
{
	HARTSCOPE_FUZZ_SECONDS=$2 scripts/run-suite.sh "$1"
}

compile()
{
	local folder=$1

	shift
	scripts/configure.sh "$folder" "$@" && ninja -C "$folder" all meson-test-prereq
}

mkdir -p "$logs"
began=$SECONDS
if ! scripts/setup.sh build demo test; then
	echo "not ok - the packages that the tests need are missing"
	failed=1
	finish
fi

step 'release build' compile "$release" --buildtype=release --prefix=/usr/local -Dtests=enabled || finish
step 'include rule' scripts/check-includes.sh
step 'style rules' scripts/check-style.sh
step 'names' scripts/check-namespace.sh "$release"
step 'specification map' scripts/check-spec-map.sh
step 'public headers alone' tests/headers/run.sh
step 'freestanding rooms' tests/freestanding/run.sh
step 'release tests' suite "$release" 3
step 'sanitizer build' compile "$sanitize" --buildtype=debugoptimized -Db_sanitize=address,undefined \
	-Db_lundef=false -Dtests=enabled && step 'sanitizer tests' suite "$sanitize" 15
finish
