#!/bin/sh
# Each public header compiles alone, as C11 and as C++11, that of C++ as C++17, without a warning.
set -u
cd "$(dirname "$0")/../.." || exit 1

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
status=0
cxx=
for candidate in g++ clang++; do
	[ -n "$cxx" ] || ! command -v $candidate >/dev/null || cxx=$candidate
done

# alone HEADER LANGUAGE COMPILER...: a file with two includes of it, so that guards are seen too
alone()
{
	name=$1 language=$2
	shift 2
	printf '#include <hartscope/%s>\n#include <hartscope/%s>\nextern int used;\nint used;\n' \
		"$name" "$name" >"$work/$name.$language"
	if "$@" -Iinclude -pedantic -Wall -Wextra -Werror -fsyntax-only "$work/$name.$language"; \
		then
		echo "ok - $name as $language"
	else
		echo "not ok - $name as $language"
		status=1
	fi
}

for header in include/hartscope/*.h; do
	name=${header##*/}
	alone "$name" c "${CC:-cc}" -std=c11
	if [ -n "$cxx" ]; then
		alone "$name" cc "$cxx" -std=c++11
	else
		echo "ok - $name as cc # SKIP no C++ compiler"
	fi
done
if [ -n "$cxx" ]; then
	alone hartscope.hpp cc "$cxx" -std=c++17
fi

# A <string.h> that comes after it defines these functions inline, for packages: no macro renames
# them then.
if printf '#include "core/mem.h"\n#if defined memset || defined memcpy\n#error\n#endif\n' |
	"${CC:-cc}" -Isrc -fsyntax-only -x c - 2>"$work/log"; then
	echo 'ok - src/core/mem.h has no macros where there is a C library'
else
	echo 'not ok - src/core/mem.h has no macros where there is a C library'
	status=1
fi
exit "$status"
