#!/bin/bash
# Every test, as `make test` and .ci/run want it.  Ends with the line "N passed, N failed"; before
# it, when something could not run here, "N skipped".  Exit status 0 when nothing failed.
#
# What each step runs is in CONTRIBUTING.md.  A step prints one line a check, "ok - TEXT" or "not ok
# - TEXT", and its whole output is in build/test-logs/.  Two lanes of steps run next to each other:
# the release build's, and the sanitizers'.
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
	[ "$skipped" -eq 0 ] || echo "$skipped skipped"
	echo "$passed passed, $failed failed"
	[ "$failed" -eq 0 ]
	exit
}

# The log of a step.
log_of()
{
	echo "$logs/$(echo "$1" | tr -c 'a-z0-9\n' '-').log"
}

# step NAME COMMAND...: run it without a terminal; its status and seconds are next to its log
step()
{
	local log began=$SECONDS status

	log=$(log_of "$1")
	shift
	"$@" >"$log" 2>&1 </dev/null
	status=$?
	echo "$status $((SECONDS - began))" >"$log.new"
	mv "$log.new" "$log.status"
	return "$status"
}

# Count the check lines of a step that has ended; one that failed is printed.  A step that fails
# without saying which check did, or that says nothing, counts as one check.
tally()
{
	local name=$1 log status seconds good bad none

	log=$(log_of "$name")
	read -r status seconds <"$log.status"
	none=$(grep -c '^ok .*# *SKIP' "$log")
	good=$(($(grep -c '^ok ' "$log") - none))
	bad=$(grep -c '^not ok ' "$log")
	[ "$status" -eq 0 ] || [ "$bad" -gt 0 ] || bad=1
	[ $((good + bad + none)) -gt 0 ] || good=1
	passed=$((passed + good)) failed=$((failed + bad)) skipped=$((skipped + none))
	printf '%-44s %5d passed' "$name" "$good"
	[ "$bad" -eq 0 ] || printf ', %d failed' "$bad"
	[ "$none" -eq 0 ] || printf ', %d skipped' "$none"
	printf '  %4d s\n' "$seconds"
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

# await LANE NAME...: tally steps of a lane (its process) in their order, each when it has ended.  A
# lane that ends early has a step that failed; those after it did not run.
await()
{
	local lane=$1 name log

	shift
	for name in "$@"; do
		log=$(log_of "$name")
		while [ ! -e "$log.status" ] && kill -0 "$lane" 2>/dev/null; do
			sleep 0.2
		done
		[ ! -e "$log.status" ] || tally "$name"
	done
}

# suite FOLDER OPTION...: the tests that the options of `meson test` choose
suite()
{
	HARTSCOPE_FUZZ_SECONDS=2 scripts/tests/run-suite.sh "$@" --timeout-multiplier 3
}

# configure OPTION...: the release build
configure()
{
	scripts/configure.sh "$release" --buildtype=release --prefix=/usr/local "$@"
}

# What users build needs few packages; the others are installed next to it.
users_build()
{
	[ -e "$release/build.ninja" ] || configure && scripts/build.sh "$release" /usr/local
}

release_build()
{
	configure -Dtests=enabled && ninja -C "$release" all meson-test-prereq
}

# Most tests record: where the installed emulator loads no plugins, one that does is built first.
emulator()
{
	"$release/tools/hartscope/hartscope" record --check >/dev/null 2>&1 ||
		scripts/guests/qemu-user.sh || return
	echo 'ok - an emulator that loads plugins'
}

release_lane()
{
	step 'include rule' scripts/checks/check-includes.sh
	step 'style rules' scripts/checks/check-style.sh
	step 'format of changed lines' scripts/checks/format.sh --check
	step 'names' scripts/checks/check-namespace.sh "$release"
	step 'specification map' scripts/checks/check-spec-map.sh
	step 'public headers alone' tests/headers/run.sh
	step 'freestanding rooms' tests/freestanding/run.sh
	step 'release tests' suite "$release" --suite property --suite conformance \
		--suite released
}

sanitizer_lane()
{
	step 'sanitizer build' scripts/tests/sanitize-build.sh "$sanitize" &&
		step 'sanitizer tests' suite "$sanitize" --suite unit --suite property \
			--suite fuzz --suite cli --suite sanitized --no-suite released
}

mkdir -p "$logs"
rm -f "$logs"/*.status
no_packages()
{
	echo "not ok - the packages that the tests need are missing"
	failed=1
	finish
}

scripts/setup.sh build || no_packages
scripts/setup.sh demo test &
packages=$!
step 'build for users' users_build
tally 'build for users'
wait "$packages" || no_packages
step 'release build' release_build
built=$?
tally 'release build'
[ "$built" -eq 0 ] || finish
step 'emulator with plugins' emulator
tally 'emulator with plugins'

release_lane &
first=$!
sanitizer_lane &
second=$!
trap 'kill "$first" "$second" 2>/dev/null; exit 1' INT TERM
await "$first" 'include rule' 'style rules' 'format of changed lines' 'names' 'specification map' \
	'public headers alone' \
	'freestanding rooms' 'release tests'
await "$second" 'sanitizer build' 'sanitizer tests'
wait
echo 'slowest tests, in seconds:'
python3 scripts/tests/testlog.py --slowest 10 "$release" "$sanitize" | sed 's/^/  /'
finish
