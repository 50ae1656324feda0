#!/bin/bash
# The tests that take as long as they are given: random programs, and the fuzz targets, under the
# sanitizers, with seeds that no run had before.  First, once, Linux on the firmware in all its
# forms, and in VS-mode, and recordings of Linux and of programs.  Half of the minutes are of
# libFuzzer and AFL++, each target in turn (ADR-0246); docs/reliability.md gets their table.
#
#   HARTSCOPE_SOAK_MINUTES=60 scripts/soak.sh
#   scripts/soak.sh fuzz         only libFuzzer and AFL++, all of the minutes
set -eu
cd "$(dirname "$0")/.."

export HARTSCOPE_FORCE=1 # as tests/meson.build has it
folder=build-sanitize
minutes=${HARTSCOPE_SOAK_MINUTES:-60}
end=$((SECONDS + 60 * minutes))

# fuzz MINUTES: both engines over all targets
fuzz()
{
	local targets

	if ! command -v clang >/dev/null; then
		echo 'soak: fuzz # SKIP no clang'
		return
	fi
	targets=$(find tests/fuzz -name 'fuzz_*.c' | wc -l)
	bad=0
	HARTSCOPE_FUZZ_SECONDS=$((60 * $1 / (2 * targets) + 1)) scripts/fuzz.sh || bad=$?
	scripts/fuzz-table.py --write
	return "$bad"
}

if [ "${1:-}" = fuzz ]; then
	fuzz "$minutes"
	exit
fi

scripts/sanitize-build.sh "$folder"

# long_form NAME: the long form of a conformance test, without sanitizers
long_form()
{
	bad=0
	echo "soak: $1"
	HARTSCOPE_SOURCE=$PWD HARTSCOPE_BUILD=$release \
		HARTSCOPE=$release/tools/hartscope/hartscope "tests/conformance/$1.sh" long ||
		bad=$?
	[ "$bad" -eq 0 ] || [ "$bad" -eq 77 ]
}

# other_build NAME OPTION...: the tool and the core's tests, warnings as errors, by another compiler
# or with other options
other_build()
{
	local name=$1

	shift
	echo "soak: build $name"
	scripts/configure.sh "build-$name" --buildtype=release --prefix=/usr/local \
		-Dtests=enabled "$@"
	ninja --quiet -C "build-$name" all meson-test-prereq
	scripts/run-suite.sh "build-$name" --suite unit >"build-$name/soak.log" 2>&1 || {
		grep '^not ok' "build-$name/soak.log"
		exit 1
	}
}

scripts/analyse.sh
other_build lto -Db_lto=true
if command -v clang >/dev/null; then
	CC=clang other_build clang
else
	echo 'soak: build clang # SKIP no clang'
fi

# Other compilers, and hosts of the other byte order and of 32 bits (ADR-0239).
scripts/portability.sh

release=$PWD/${BUILD:-build}
ninja --quiet -C "$release" bench/bench-rusage
# Every call of the commands goes wrong once (ADR-0219).
ninja --quiet -C "$release" tools/hartscope/hartscope tests/faults/inject \
	tests/faults/steady tests/faults/libfail-allocation.so
lsan=$(cc -print-file-name=liblsan.so)
case $lsan in /*) export LEAK_SANITIZER=$lsan ;; esac
for mode in errors leaks short kills signals memory late; do
	echo "soak: faults, $mode"
	HARTSCOPE=$release/tools/hartscope/hartscope INJECT=$release/tests/faults/inject \
		STEADY=$release/tests/faults/steady \
		FAIL_ALLOCATION=$release/tests/faults/libfail-allocation.so \
		tests/faults/faults.py $mode
done
echo 'soak: record_attack'
HARTSCOPE_SOURCE=$PWD HARTSCOPE_LONG=1 HARTSCOPE=$release/tools/hartscope/hartscope \
	tests/cli/record_attack.sh
long_form linux
long_form hypervisor
long_form linux_record
long_form linux_images
long_form linux_tutorial
long_form user_mode
long_form identify
long_form parts
long_form roundtrip
long_form jobs
long_form far
long_form garbage
long_form rtl
long_form packages
long_form packages_cross

fuzz $((minutes / 2))

while [ "$SECONDS" -lt "$end" ]; do
	HARTSCOPE_SEED=$(od -An -N6 -tu8 /dev/urandom | tr -d ' ')
	export HARTSCOPE_SEED HARTSCOPE_FUZZ_SECONDS=300 HARTSCOPE_CASES=200000
	echo "soak: seed $HARTSCOPE_SEED, $(((end - SECONDS) / 60)) minutes left"
	scripts/run-suite.sh "$folder" --suite property --suite fuzz --timeout-multiplier 20 \
		>"$folder/soak.log" 2>&1 || {
		grep '^not ok' "$folder/soak.log"
		echo "soak: failed with HARTSCOPE_SEED=$HARTSCOPE_SEED; all of it: $folder/soak.log"
		exit 1
	}
	grep '^ok' "$folder/soak.log"
done
