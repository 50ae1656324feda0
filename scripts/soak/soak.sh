#!/bin/bash
# The steps of `make soak`: long forms of tests, other builds and hosts, each call that goes wrong,
# random programs and fuzzing from new seeds.  scripts/soak/soak.py, which has the other arguments
# and says what they do, runs one after the other until the minutes are over.
#
#   scripts/soak/soak.sh --names       NAME SECONDS fixed|random: roughly how long each takes
#   scripts/soak/soak.sh --run NAME    runs one; "soak: count N WHAT" and "soak: seed N" are for the
#                                 ledger, 77 and "# SKIP WHY" say that something is missing
set -eu -o pipefail
export HARTSCOPE_SOAK_FROM=$PWD # paths of the command line are from here
cd "$(dirname "$0")/../.."

export HARTSCOPE_FORCE=1 # as tests/meson.build has it
sanitized=build-sanitize
release=$PWD/${BUILD:-build}
random_seconds=${HARTSCOPE_STEP_SECONDS:-60} # of a property
export HARTSCOPE_FUZZ_SECONDS=${HARTSCOPE_FUZZ_SECONDS:-30}

# long forms of tests/conformance, with minutes on two cores with other work
long_forms='emulator:6 parts:4 garbage:5 jobs:10 identify:5 user_mode:4 roundtrip:20 far:4
hypervisor:3 linux:6 linux_tutorial:7 linux_images:15 rtl:20 packages:20 packages_cross:60'

random_names()
{
	local file

	for file in tests/fuzz/fuzz_*.c; do
		file=${file##*/fuzz_}
		echo "fuzz:${file%.c} $((2 * HARTSCOPE_FUZZ_SECONDS + 30)) random"
	done >"$work/fuzz"
	sed -n "/^property_tests = /,/^]/s/^  '\(.*\)',$/\1/p" tests/property/meson.build |
		sed "s/.*/property:& $((random_seconds + 10)) random/" |
		paste -d '\n' - "$work/fuzz" | grep .
}

names()
{
	local form mode

	work=$(mktemp -d)
	random_names
	rm -rf "$work"
	printf '%s 900 fixed\n' analyse:{gcc,cppcheck,clang-tidy} build:{lto,clang}
	printf '%s 2400 fixed\n' debian:{bookworm,trixie} machines:trixie other:{released,sanitized}
	printf '%s 1200 fixed\n' portability:{musl,compilers,i386,s390x,arm64,riscv64}
	for mode in errors leaks short kills signals memory late; do
		python3 tests/faults/commands.py "$mode" | sed "s/.*/faults:$mode:& 30 fixed/"
	done
	for form in $long_forms; do
		echo "${form%:*} $((60 * ${form#*:})) fixed"
	done
	printf '%s 900 fixed\n' linux_record:{1,4} record_attack threads:{api,unproven,chunks}
	printf '%s 600 random\n' campaign:{ntrace_damage,etrace_damage,trips} mutants
}

# release_build [TARGET]...: of the release build
release_build()
{
	[ -e "$release/build.ninja" ] || scripts/configure.sh "$release" --buildtype=release \
		--prefix=/usr/local -Dtests=enabled
	ninja --quiet -C "$release" all "$@"
	export HARTSCOPE_SOURCE=$PWD HARTSCOPE_BUILD=$release
	export HARTSCOPE=$release/tools/hartscope/hartscope
}

# sum PATTERN WHAT: a line for the ledger with all numbers of the output that the pattern has
sum()
{
	sed -n "s/$1/\1/p" "$TMPDIR/out" | awk -v what="$2" '{ n += $1 }
		END { if (n) print "soak: count", n, what }'
}

# new_seed: one that no run had
new_seed()
{
	HARTSCOPE_SEED=$(($(od -An -N4 -tu4 /dev/urandom) & 0x7fffffff))
	export HARTSCOPE_SEED
	echo "soak: seed $HARTSCOPE_SEED"
}

# build_step NAME WHICH OPTION...: what is linked and begins with one of WHICH, warnings as errors,
# by another compiler or with other options; the core's tests run
build_step()
{
	local name=$1 which=$2

	shift 2
	scripts/configure.sh "build-$name" --buildtype=release --prefix=/usr/local \
		-Dtests=enabled "$@"
	# shellcheck disable=SC2046  # names of targets
	ninja --quiet -C "build-$name" $(ninja -C "build-$name" -t targets all |
		sed -n 's#: c_LINKER.*##p' | grep -E "^($which)")
	scripts/tests/run-suite.sh "build-$name" --suite unit
}

build()
{
	case $1 in
	lto) build_step lto 'tools|lib|plugins|tests/unit' -Db_lto=true ;; # to link takes seconds
	clang)
		need clang
		CC=clang build_step clang .
		;;
	esac
}

# debian RELEASE: in a root of that release, the demonstration, and record, encode, decode and check
# in both protocols with all options
debian()
{
	scripts/packaging/on-debian.sh "$1" make demo
	# shellcheck disable=SC2016  # for the shell there
	scripts/packaging/on-debian.sh "$1" sh -c 'export HARTSCOPE_SOURCE=$PWD
		export HARTSCOPE_BUILD=$PWD/build HARTSCOPE=$PWD/build/tools/hartscope/hartscope
		tests/conformance/emulator.sh long'
}

# machines RELEASE: in a root of it, tests that record machines under the QEMU of its backports
machines()
{
	scripts/packaging/on-debian.sh "$1" sh -ec "scripts/setup.sh build demo test
		scripts/configure.sh build --buildtype=release --prefix=/usr/local -Dtests=enabled
		ninja --quiet -C build all meson-test-prereq
		rm -rf build/qemu-new
		HARTSCOPE_QEMU_SUITE=$1-backports scripts/guests/qemu-new.sh build
		meson test -C build --no-rebuild --timeout-multiplier 5 system-record linux-record \
			hypervisor ctr-replay
		rm -rf build/qemu-new"
}

# faults MODE:COMMAND: every call of a command line goes wrong once (design/tests)
faults()
{
	local lsan

	release_build tests/faults/{inject,steady,libfail-allocation.so}
	export INJECT=$release/tests/faults/inject STEADY=$release/tests/faults/steady
	export FAIL_ALLOCATION=$release/tests/faults/libfail-allocation.so
	export HARTSCOPE_FAULTS_SECONDS=600 # below other jobs a run of 1 s took more than 60
	lsan=$(cc -print-file-name=liblsan.so)
	case $lsan in /*) export LEAK_SANITIZER=$lsan ;; esac
	bad=0
	tests/faults/faults.py "${1%%:*}" "${1#*:}" | tee "$TMPDIR/out" || bad=$?
	sum '.*calls, \([0-9]*\) runs hit one, .*' hit
	return "$bad"
}

fuzz()
{
	new_seed
	bad=0
	if command -v clang >/dev/null; then
		scripts/soak/fuzz.sh "$1" | tee "$TMPDIR/out" || bad=$?
		sum '^.*ok - .*: \([0-9]*\) inputs$' inputs
		return "$bad"
	fi
	sanitized_build "tests/fuzz/fuzz-$1" # without an engine that sees what an input reaches
	"$sanitized/tests/fuzz/fuzz-$1"
}

sanitized_build()
{
	[ -e $sanitized/build.ninja ] || scripts/configure.sh $sanitized \
		--buildtype=debugoptimized -Doptimization=1 -Db_sanitize=address,undefined \
		-Db_lundef=false -Dtests=enabled
	ninja --quiet -C $sanitized "$@"
	export HARTSCOPE_SANITIZED=1 CMOCKA_MESSAGE_OUTPUT=TAP
	export ASAN_OPTIONS=abort_on_error=1:max_allocation_size_mb=1024
	export UBSAN_OPTIONS=halt_on_error=1:abort_on_error=1:print_stacktrace=1
}

# property NAME: more and more cases, each time from a new seed
property()
{
	local began

	sanitized_build "tests/property/property-$1"
	export HARTSCOPE_CASES=50
	SECONDS=0
	while [ "$SECONDS" -lt "$random_seconds" ]; do
		began=$SECONDS
		new_seed
		"$sanitized/tests/property/property-$1" | tee "$TMPDIR/out"
		sum '^# \([0-9]*\) cases$' cases
		[ $((SECONDS - began)) -gt $((random_seconds / 8)) ] ||
			HARTSCOPE_CASES=$((2 * HARTSCOPE_CASES))
	done
}

# campaign NAME: ten times as many cases as an attack had (docs/reliability.md), from a new seed
campaign()
{
	local cases

	case $1 in
	ntrace_damage) cases=135000 ;; # of 8 damages
	etrace_damage) cases=70000 ;;  # of 16
	trips) cases=30000 ;;
	esac
	release_build "tests/property/property-$1"
	new_seed
	HARTSCOPE_CASES=$cases CMOCKA_MESSAGE_OUTPUT=TAP \
		"$release/tests/property/property-$1" | tee "$TMPDIR/out"
	sum '^# \([0-9]*\) cases$' cases
}

# other BUILD: the tests that `make test` runs in the other one only (tests/meson.build)
other()
{
	case $1 in
	released)
		release_build meson-test-prereq
		scripts/tests/run-suite.sh "$release" --timeout-multiplier 3 --suite unit \
			--suite fuzz --suite cli --no-suite released
		;;
	sanitized)
		sanitized_build all meson-test-prereq
		scripts/tests/run-suite.sh $sanitized --timeout-multiplier 3 --suite conformance \
			--suite released --no-suite sanitized
		;;
	esac
}

# mutants: mutated files of all kinds, given to commands with sanitizers
mutants()
{
	sanitized_build tools/hartscope/hartscope
	mkdir -p build-soak/mutants # those that fail
	cd build-soak/mutants
	../../scripts/soak/mutants.py "../../$sanitized/tools/hartscope/hartscope" \
		"${HARTSCOPE_MUTANT_SECONDS:-540}"
}

# threads NAME: with ThreadSanitizer, tests that call from several threads, and threads of ours
threads()
{
	local build=build-tsan

	[ -e $build/build.ninja ] || scripts/configure.sh $build --buildtype=debugoptimized \
		-Doptimization=1 -Db_sanitize=thread -Db_lundef=false -Dtests=enabled
	export TSAN_OPTIONS=halt_on_error=1 HARTSCOPE_SANITIZED=1 CMOCKA_MESSAGE_OUTPUT=TAP
	case $1 in
	api)
		ninja --quiet -C $build tests/api/api
		$build/tests/api/api
		;;
	unproven)
		ninja --quiet -C $build tests/property/property-unproven
		$build/tests/property/property-unproven
		;;
	chunks)
		release_build # which records
		ninja --quiet -C $build tests/conformance/threads tests/conformance/places
		tests/conformance/threads.sh $build/tests/conformance/threads \
			$build/tests/conformance/places
		;;
	esac
}

# linux_record HARTS
linux_record()
{
	release_build
	tests/conformance/linux_record.sh long "$1"
}

record_attack()
{
	release_build tests/cli/libother-plugin.so
	OTHER_PLUGIN_FILE=$release/tests/cli/libother-plugin.so HARTSCOPE_LONG=1 \
		tests/cli/record_attack.sh
}

# run NAME
run()
{
	. tests/need.sh
	case $1 in
	analyse:*) scripts/checks/analyse.sh "${1#*:}" ;;
	portability:*) scripts/soak/portability.sh "${1#*:}" ;;
	*:*) "${1%%:*}" "${1#*:}" ;;
	record_attack | mutants) "$1" ;;
	*)
		release_build bench/bench-rusage
		"tests/conformance/$1.sh" long
		;;
	esac
}

case ${1:-} in
--names) names ;;
--run) run "$2" ;;
*) exec scripts/soak/soak.py "$@" ;;
esac; exit # all of this is read before a step runs: the file may change meanwhile
