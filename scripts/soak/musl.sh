#!/bin/bash
# The free rooms with another C library: compiled by musl-gcc, warnings as errors, and linked
# statically with each unit test that needs nothing but them.  cmocka is compiled from Debian's
# source, as its library is of the other C library.  A row of scripts/soak/portability.sh.
#
#   scripts/soak/musl.sh FOLDER     exits with 77 where musl-gcc or the source cannot be had
set -eu
folder=$(mkdir -p "$1" && cd "$1" && pwd)
cd "$(dirname "$0")/../.."
. scripts/guests/apt-suite.sh
command -v musl-gcc >/dev/null || { echo "musl: no musl-gcc"; exit 77; }
rooms=$(awk '!/^#/ && $3 == "free" { print $1 }' src/rooms.txt)
least=70 # unit tests that need the free rooms only

fetch()
{
	# shellcheck disable=SC1091
	suite_open "$folder/apt" "$(. /etc/os-release && echo "$VERSION_CODENAME")"
	sed 's/^deb /deb-src /' "$suite_state/sources.list" >"$folder/sources"
	cat "$folder/sources" >>"$suite_state/sources.list"
	suite_apt update >"$suite_state/log" 2>&1
	(cd "$folder" && suite_apt source --download-only cmocka >>"$suite_state/log" 2>&1) ||
		{ echo "musl: no source of cmocka"; exit 77; }
	mkdir -p "$folder/cmocka"
	tar -xf "$folder"/cmocka_*.orig.tar.xz -C "$folder/cmocka" --strip-components 1
	rm -rf "$suite_state"
}
[ -e "$folder/cmocka/src/cmocka.c" ] || fetch

rm -rf "$folder/objects" "$folder/tests"
mkdir -p "$folder/objects" "$folder/tests"
for name in STDINT_H INTTYPES_H MALLOC_H SIGNAL_H SETJMP_H STRINGS_H TIME_H STRUCT_TIMESPEC \
	CLOCK_GETTIME; do
	echo "#define HAVE_$name 1"
done >"$folder/config.h"
echo '#define UINTPTR_T_DEFINED 1' >>"$folder/config.h"
musl-gcc -DHAVE_CONFIG_H -D_GNU_SOURCE -I"$folder" -I"$folder/cmocka/include" \
	-c "$folder/cmocka/src/cmocka.c" -o "$folder/cmocka.o"

for room in $rooms; do
	for file in src/"$room"/*.c; do
		echo "$file $folder/objects/${room}_$(basename "$file" .c).o"
	done
done | xargs -P "$(nproc)" -L 1 sh -c 'musl-gcc -std=gnu17 -O2 -Wall -Wextra -Werror \
	-ffreestanding -fbuiltin -Iinclude -Isrc -c "$0" -o "$1"'
echo "ok - musl: $(find "$folder/objects" -name '*.o' | wc -l) files of the free rooms"
ar rcs "$folder/core.a" "$folder"/objects/*.o

version=$(scripts/packaging/version.sh)
sed -n "s/^  '\([a-z_0-9]*\)',/\1/p" tests/unit/meson.build |
	xargs -P "$(nproc)" -I{} sh -c 'musl-gcc -std=gnu17 -O1 -D_GNU_SOURCE \
		-DHARTSCOPE_PROJECT_VERSION=\"'"$version"'\" -DHARTSCOPE_SOURCE=\"'"$PWD"'\" \
		-Iinclude -Isrc -Itests -Itests/unit -I'"$folder"'/cmocka/include \
		tests/unit/{}.c tests/cases.c '"$folder/core.a $folder"'/cmocka.o \
		'"$folder"'/core.a -static \
		-o '"$folder"'/tests/{} 2>/dev/null || true'
count=0
for test in "$folder"/tests/*; do
	"$test" >"$folder/log" 2>&1 || {
		tail -n 20 "$folder/log"
		echo "not ok - musl: ${test##*/}"
		exit 1
	}
	count=$((count + 1))
done
[ "$count" -ge "$least" ] || { echo "not ok - musl: $count unit tests link, not $least"; exit 1; }
echo "ok - musl: $count unit tests of the free rooms"
