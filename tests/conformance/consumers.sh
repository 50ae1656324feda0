#!/bin/bash
# The examples as programs of others: compiled outside the tree, in C and in C++, against an
# installation that pkg-config finds, with the shared library and with the static one; their output
# is known by hand.
needs='pkg-config meson'
. "${HARTSCOPE_SOURCE:?the source folder}/tests/conformance/programs.sh"
: "${HARTSCOPE_BUILD:?the build folder}"

# Two trips of main, each with three calls of outer, which calls inner twice: 6 and 12.
cat >program.c <<'END'
volatile int sink;
__attribute__((noinline)) void inner(void) { sink++; }
__attribute__((noinline)) void outer(void) { inner(); inner(); sink++; }
void _start(void)
{
	for (int trip = 0; trip < 2; trip++)
		for (int i = 0; i < 3; i++)
			outer();
	register long a0 __asm__("a0") = 0, a7 __asm__("a7") = 93;
	__asm__ volatile("ecall" : : "r"(a0), "r"(a7));
}
END
$gcc -O1 -g -static -nostdlib -ffreestanding -fno-optimize-sibling-calls -o program program.c &&
	"$HARTSCOPE" record -q -o program.rec -- ./program >log 2>&1 </dev/null &&
	"$HARTSCOPE" encode -q --protocol ntrace -o program.nt program.rec
report 'a program and its trace' $? log
printf '%8d %s\n' 12 inner 6 outer >want

meson install -C "$HARTSCOPE_BUILD" --no-rebuild --destdir "$work/shared" >log 2>&1
report 'installation' $? log
cp -r shared static
find static -name 'libhartscope.so*' -delete
cp "$HARTSCOPE_SOURCE"/examples/*.c .

# installed KIND: pkg-config finds the installation of this kind
installed()
{
	export PKG_CONFIG_SYSROOT_DIR=$work/$1
	PKG_CONFIG_PATH=$(dirname "$(find "$work/$1" -name hartscope.pc)")
	export PKG_CONFIG_PATH
	LD_LIBRARY_PATH=$(dirname "$PKG_CONFIG_PATH")
	export LD_LIBRARY_PATH
}

# example KIND LANGUAGE COMPILER...
example()
{
	local kind=$1 language=$2 text

	shift 2
	text="count_calls as $language, $kind"
	installed "$kind"
	rm -f count_calls
	# shellcheck disable=SC2046  # words
	"$@" -pedantic -Wall -Wextra -Werror -o count_calls count_calls.c $(pkg-config --cflags \
		hartscope) \
		-x none $(pkg-config $([ "$kind" = shared ] ||
			echo --static) --libs hartscope) >log 2>&1
	report "$text: compiles" $? log
	readelf -d count_calls 2>/dev/null | grep -q 'NEEDED.*libhartscope.so.0'
	[ $? -eq "$([ "$kind" = shared ]; echo $?)" ]
	report "$text: needs the library at run time only where it is shared" $?
	./count_calls program program.nt >out 2>log && head -n 2 out | cmp -s - want
	report "$text: counts 12 and 6 calls" $? out
}

# who_ran LANGUAGE COMPILER...: names from a source, and from a perf.data that has no other file
who_ran()
{
	local language=$1

	shift
	installed shared
	# shellcheck disable=SC2046  # words
	"$@" -pedantic -Wall -Wextra -Werror -o who_ran who_ran.c $(pkg-config --cflags hartscope) \
		-x none $(pkg-config --libs hartscope) >log 2>&1
	report "who_ran as $language: compiles" $? log
	./who_ran program.rec program >out 2>log && grep -q '^ *[1-9][0-9]*  inner$' out
	report "who_ran as $language: a recording" $? out
	./who_ran program.data >out 2>log &&
		grep -q '^ *[1-9][0-9]*  program pid 1000 tid 1000$' out &&
		grep -q '^records: [1-9][0-9]* of processes' out
	report "who_ran as $language: a perf.data" $? out
}

"$HARTSCOPE" encode -q --perf-data cpu -o program.data program.rec
who_ran C cc -std=c11
! command -v g++ >/dev/null || who_ran C++ g++ -x c++ -std=c++11
unset LD_LIBRARY_PATH
for kind in shared static; do
	example $kind C cc -std=c11
	if command -v g++ >/dev/null; then
		example $kind C++ g++ -x c++ -std=c++11
	else
		echo "ok - count_calls as C++, $kind # SKIP no g++"
	fi
done
unset LD_LIBRARY_PATH

"$HARTSCOPE" stat --calls --top 2 --json --elf program program.nt >out
grep -q '"calls": 12,.*"name": "inner"' out && grep -q '"calls": 6,.*"name": "outer"' out
report 'hartscope stat --calls counts the same' $? out

# Firmware links the freestanding part only.
installed static
[ "$(pkg-config --libs hartscope-core | grep -c -- -lhartscope-core)" -eq 1 ] &&
	! pkg-config --static --libs hartscope-core | grep -q 'elf\|dw\|zstd\|jansson'
report 'hartscope-core needs no other library' $?

# Models are in the static library, also where the shared one is installed.
cat >model.c <<'END'
#include <hartscope/ctr.h>

int main(void)
{
	return hs_ctr_version_name(0) == NULL;
}
END
installed shared
# shellcheck disable=SC2046  # words
cc -o model model.c $(pkg-config --cflags --libs hartscope-static) >log 2>&1 && ./model &&
	! readelf -d model | grep -q 'NEEDED.*libhartscope'
report 'hartscope-static has the models' $? log
# shellcheck disable=SC2046  # words
! cc -o model model.c $(pkg-config --cflags --libs hartscope) >log 2>&1
report 'the shared library does not' $? log

version=$(pkg-config --modversion hartscope)
[ "hartscope $version" = "$("$HARTSCOPE" version)" ]
report "pkg-config and the tool have one version, $version" $?
exit $failed
