#!/bin/bash
# Other compilers, C libraries and hosts: each builds the library and the tool, with warnings as
# errors, and runs what it can.  A part of `make soak`.
#
#   scripts/soak/portability.sh [compilers | musl | ARCH]...
#
# compilers  every gcc-10 to gcc-14 and clang-14 to clang-19 that is installed, and newer ones
# musl       the free rooms and their unit tests, with musl-gcc: scripts/soak/musl.sh
# ARCH       s390x (big-endian), i386, armhf (32 bits), arm64, riscv64: sysroot.sh, and the tests
#            under qemu-user: unit and property, then recordings and traces made here are
#            read there with the same results, and files written there are equal byte by byte
#
# Without arguments: compilers, musl, s390x, i386, arm64 and riscv64.  HARTSCOPE_CASES shortens the property tests.
set -eu
cd "$(dirname "$0")/../.."
source=$PWD
build=$(mkdir -p "${BUILD:-build}" && cd "${BUILD:-build}" && pwd)
folder=$build/portability
mkdir -p "$folder"
status=0
originals= # what make_originals gave

# verdict TEXT STATUS [LOG]
verdict()
{
	if [ "$2" -eq 0 ]; then
		echo "ok - $1"
		return
	fi
	echo "not ok - $1"
	status=1
	[ -z "${3:-}" ] || { grep '^not ok' "$3" || tail -n 20 "$3"; } | sed 's/^/  /'
}

# configure FOLDER MESON_OPTION...
configure()
{
	scripts/configure.sh "$1" --buildtype=release --prefix=/usr/local -Dmpi=disabled \
		-Dpython-module=disabled "${@:2}"
}

# targets FOLDER PATTERN: those of ninja that match, with the program and the libraries
targets()
{
	ninja -C "$1" -t targets all | sed -n "s#^\($2\):.*#\1#p"
}

row_compilers()
{
	local compiler into

	for compiler in $(compgen -c | grep -xE '(gcc-1[0-9]|clang-(1[4-9]|2[0-9]))' | sort -uV); do
		into=$folder/$compiler
		if CC=$compiler configure "$into" -Dtests=disabled >"$into.log" 2>&1 &&
			ninja --quiet -C "$into" >>"$into.log" 2>&1 &&
			! grep -q 'warning:' "$into.log" &&
			"$into/tools/hartscope/hartscope" version >>"$into.log" 2>&1; then
			verdict "$("$compiler" --version | head -n 1)" 0
		else
			verdict "$compiler" 1 "$into.log"
		fi
		rm -rf "$into"
	done
}

# A program that runs for a few thousand instructions: its recording and its traces by this host's
# tool are what other hosts read.
make_originals()
{
	[ -z "$originals" ] || return "$originals"
	originals=77
	command -v riscv64-linux-gnu-gcc >/dev/null && command -v qemu-riscv64 >/dev/null ||
		return 77
	originals=1
	build_here || return 1
	rm -rf "$folder/here" "$folder/program" "$folder/program.rec"
	riscv64-linux-gnu-gcc -O1 -g -static -o "$folder/program" tests/programs/last.c &&
		HARTSCOPE_PLUGIN=$build/plugins/qemu \
			"$build/tools/hartscope/hartscope" record -q -o "$folder/program.rec" \
			-- "$folder/program" >/dev/null &&
		"$source/scripts/soak/portability.sh" --files "$folder/here" \
			"$build/tools/hartscope/hartscope" &&
		originals=0
}

# build_here: this host's tool, also where nothing was built
build_here()
{
	[ -e "$build/build.ninja" ] || scripts/configure.sh "$build" --buildtype=release \
		--prefix=/usr/local -Dtests=enabled || return 1
	# shellcheck disable=SC2046  # a list of targets
	ninja --quiet -C "$build" tools/hartscope/hartscope $(ninja -C "$build" -t targets all |
		sed -n 's|^\(plugins/qemu/[^/]*\.so\):.*|\1|p')
}

# make_files FOLDER TOOL...: all kinds of files, and what commands say of the recording.  As a
# program of its own (--files), which ends where one of the commands fails.
make_files()
{
	local to=$1 protocol

	shift
	rm -rf "$to"
	mkdir -p "$to/out"
	cd "$to"
	for protocol in ntrace etrace; do
		"$@" encode -q --protocol $protocol -o $protocol ../program.rec
		"$@" index $protocol >out/$protocol.index
		"$@" decode -q -o $protocol.flow $protocol
		"$@" list --format pc $protocol >out/$protocol.pcs
		"$@" list --format pc $protocol.flow >out/$protocol.flow.pcs
		"$@" dump $protocol >out/$protocol.dump
		"$@" stat --json $protocol >out/$protocol.stat
	done
	"$@" list --format pc ../program.rec >out/recording.pcs
	"$@" list --json --limit 1000 ../program.rec >recording.json
	sed 's/"text":"[^"]*"//' recording.json >out/recording.json # LLVM is not everywhere
	rm recording.json
	"$@" info --json ../program.rec >out/info
	"$@" coverage --format lcov ../program.rec >out/coverage
	"$@" report ../program.rec >out/report
	cd "$source"
}

# read_originals TOOL...: what this host wrote, read by the other one
read_originals()
{
	local at=$folder/here protocol

	for protocol in ntrace etrace; do
		(cd "$at" && "$@" list --format pc $protocol.flow) |
			cmp - "$at/out/$protocol.flow.pcs" || return 1
		(cd "$at" && "$@" list --format pc $protocol) | cmp - "$at/out/$protocol.pcs" ||
			return 1
	done
}

row_musl()
{
	local code=0

	scripts/soak/musl.sh "$folder/musl" >"$folder/musl.log" 2>&1 || code=$?
	grep '^ok' "$folder/musl.log" || true
	if [ "$code" -eq 77 ]; then
		echo "ok - musl # SKIP $(tail -n 1 "$folder/musl.log")"
	elif [ "$code" -ne 0 ]; then
		verdict "musl" "$code" "$folder/musl.log"
	fi
}

row_arch()
{
	local arch=$1 into=$folder/$1 code=0 wrapper

	scripts/packaging/sysroot.sh "$arch" "$into" >"$into.log" 2>&1 || code=$?
	if [ "$code" -eq 77 ]; then
		echo "ok - $arch # SKIP $(tail -n 1 "$into.log")"
		return
	fi
	verdict "$arch: the libraries" "$code" "$into.log"
	[ "$code" -eq 0 ] || return 0
	# shellcheck disable=SC2046  # names of targets
	configure "$into/build" --cross-file "$into/cross.ini" -Dtests=enabled >"$into.log" 2>&1 &&
		ninja --quiet -C "$into/build" >>"$into.log" 2>&1 \
			tools/hartscope/hartscope \
			$(targets "$into/build" 'libhartscope\.so[0-9.]*') \
			$(targets "$into/build" 'tests/unit/unit-[a-z0-9_]*') \
			$(targets "$into/build" 'tests/property/property-[a-z0-9_]*') || code=$?
	verdict "$arch: build" "$code" "$into.log"
	[ "$code" -eq 0 ] || return 0
	scripts/tests/run-suite.sh "$into/build" --suite unit --timeout-multiplier 10 \
		>"$into.log" 2>&1 || code=$?
	verdict "$arch: $(grep -c '^ok' "$into.log") rows of the unit tests" "$code" "$into.log"
	code=0
	HARTSCOPE_CASES=${HARTSCOPE_CASES:-200} scripts/tests/run-suite.sh "$into/build" \
		--suite property --timeout-multiplier 10 >"$into.log" 2>&1 || code=$?
	verdict "$arch: $(grep -c '^ok' "$into.log") rows of the property tests" "$code" "$into.log"
	code=0
	make_originals >"$into.log" 2>&1 || code=$?
	if [ "$code" -eq 77 ]; then
		echo "ok - $arch: files of the other host # SKIP no program for RISC-V"
		return
	fi
	verdict "$arch: this host's files" "$code" "$into.log"
	[ "$code" -eq 0 ] || return 0
	wrapper=$(sed -n "s/^exe_wrapper = \['\(.*\)'\]/\1/p" "$into/cross.ini" | sed "s/', '/ /g")
	# shellcheck disable=SC2086  # words of a command
	set -- $wrapper "$into/build/tools/hartscope/hartscope"
	read_originals "$@" >"$into.log" 2>&1 || code=$?
	verdict "$arch: reads this host's recording, flows and traces" "$code" "$into.log"
	code=0
	"$source/scripts/soak/portability.sh" --files "$folder/there" "$@" >"$into.log" 2>&1 &&
		diff -r "$folder/here" "$folder/there" >"$into.log" 2>&1 || code=$?
	verdict "$arch: writes the same $(find "$folder/here" -type f | wc -l) files" "$code" \
		"$into.log"
}

if [ "${1:-}" = --files ]; then
	shift
	make_files "$@"
	exit
fi
[ $# -gt 0 ] || set -- compilers musl s390x i386 arm64 riscv64
for row; do
	case $row in
	compilers | musl) "row_$row" ;;
	*) row_arch "$row" ;;
	esac
done
exit $status
