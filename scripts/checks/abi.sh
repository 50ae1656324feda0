#!/bin/bash
# The binary interface of the frozen tier of the shared library (docs/library.md), as libabigail
# describes it, and the one that is stored in abi/.
#
#   scripts/checks/abi.sh names            the functions of the frozen tier
#   scripts/checks/abi.sh dump TREE FILE   describe the library of a tree
#   scripts/checks/abi.sh compare OLD NEW  what changed; exit status 1 when anything did
#   scripts/checks/abi.sh check            compare the stored description with this tree
#   scripts/checks/abi.sh renew            show what changed, and store this tree's
#
# A description is XML, packed with xz where its name says so.  It has no paths of the machine that
# made it.
set -eu -o pipefail
export LC_ALL=C # one order of files on every machine
root=$(cd "$(dirname "$0")/../.." && pwd)
stored=$root/abi/libhartscope.abi.xz
ccache=$(command -v ccache || true)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# Headers whose functions are the frozen tier, and the rooms that define them.
headers='status block image protocol'
rooms='core flow support trace'

# Exported functions that a header of the tier in tree $1 declares.
names()
{
	local header

	for header in $headers; do
		grep -oE '\bhs_\w+\(' "$1/include/hartscope/$header.h" | tr -d '('
	done | sort -u | grep -Fxf <(sed -n 's/^\t\(hs_.*\);/\1/p' "$1/src/hartscope.map")
}

# Those rooms in one library with debug information, without optimisation: that takes seconds.
library()
{
	mkdir "$work/objects"
	{ echo 'HARTSCOPE_0 { global:' && names "$1" | sed 's/$/;/' && echo 'local: *; };'; } \
		>"$work/frozen.map"
	(
		cd "$1"
		export work ccache
		# shellcheck disable=SC2016  # for the inner shell
		for room in $rooms; do
			[ ! -d "src/$room" ] || printf '%s\0' "src/$room"/*.c
		done | xargs -0 -n 8 -P "$(nproc)" bash -c 'for file; do
			$ccache cc -std=gnu17 -g -O0 -fPIC -fvisibility=hidden -Iinclude -Isrc \
				-c "$file" -o "$work/objects/${file//\//_}.o" || exit 255
		done' bash
		cc -shared -o "$work/libhartscope.so" "$work"/objects/*.o \
			-Wl,-soname,libhartscope.so.0 \
			-Wl,--version-script="$work/frozen.map"
	)
}

dump()
{
	library "$1"
	abidw --no-corpus-path --no-comp-dir-path --no-show-locs --no-elf-needed \
		--no-parameter-names \
		--no-write-default-sizes --exported-interfaces-only --headers-dir "$1/include" \
			--drop-private-types \
		--type-id-style hash --out-file "$work/dump.abi" "$work/libhartscope.so"
	rm -r "$work/objects"
	if [[ $2 == *.xz ]]; then
		xz -9 -T1 <"$work/dump.abi" >"$2"
	else
		cp "$work/dump.abi" "$2"
	fi
}

# The description in a file, unpacked: its name is printed.
plain()
{
	local file

	if [[ $1 == *.xz ]]; then
		file=$(mktemp -p "$work")
		xz -dc "$1" >"$file"
		echo "$file"
	else
		echo "$1"
	fi
}

compare()
{
	abidiff --no-show-locs "$(plain "$1")" "$(plain "$2")" >"$work/report" || {
		cat "$work/report"
		return 1
	}
}

case ${1-} in
names) names "$root" ;;
dump) dump "$2" "$3" ;;
compare) compare "$2" "$3" ;;
check)
	dump "$root" "$work/now.abi"
	compare "$stored" "$work/now.abi" || {
		echo "abi: the interface differs from $stored; if that is meant: make abi (docs/library.md)"
		exit 1
	}
	;;
renew)
	dump "$root" "$work/now.abi.xz"
	[ ! -e "$stored" ] || compare "$stored" "$work/now.abi.xz" || true
	mkdir -p "${stored%/*}"
	cp "$work/now.abi.xz" "$stored"
	;;
*)
	sed -n '2,/^set/s/^# \{0,1\}//p' "$0" >&2
	exit 2
	;;
esac
