#!/bin/bash
# Run a list of command lines with two builds of the tool, and say where what they print differs.
#
#   scripts/tests/same-output.sh OLD NEW     two build folders
#
# The lines are those of scripts/tests/same-output.txt.  The old build records, for a program of C++
# runs differently each time; each encodes and decodes for itself, in a folder under one name.
# Where the new build does not read what the old one records, each records for itself, programs of C
# only. Compared are exit status, standard output, standard error and the files that a line writes.
# With HARTSCOPE_VECTORS also the captures of others; with HARTSCOPE_LINUX a recording of Linux.
set -u -o pipefail
old=$(realpath "$1") new=$(realpath "$2")
scripts=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$scripts/../.." && pwd)
export LC_ALL=C.UTF-8 HARTSCOPE_FORCE=1
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM

# The lines of the list: braces make several of one, as the shell expands them.
lines()
{
	local line

	grep -v '^#\|^$' "$scripts/same-output.txt" | while IFS= read -r line; do
		eval "printf '%s\n' ${line// /$'\001'}" | tr '\001' ' '
	done
}

# What a line needs that is not there.
lacks()
{
	case $1 in
	*vectors/*) [ -d "${HARTSCOPE_VECTORS-}" ] || echo 'no HARTSCOPE_VECTORS' ;;
	*orders* | *stacks* | *fsck*) [ -z "$own" ] || echo 'another format' ;;
	*linux.rec*) [ -d "${HARTSCOPE_LINUX-}" ] || echo 'no HARTSCOPE_LINUX' ;;
	esac
}

# The programs that both builds record.
programs()
{
	local cc=riscv64-linux-gnu-gcc name

	$cc -O1 -g -static "$root/examples/sort.c" -o "$1/sort" &&
		$cc -O1 -g -nostdlib -static "$root/tests/programs/data.c" -o "$1/data" || return 1
	for name in "$root"/examples/orders.cc "$root"/tests/programs/stacks.cc; do
		riscv64-linux-gnu-g++ -O1 -g -static "$name" -o "$1/$(basename "$name" .cc)" ||
			return 1
	done
	for name in faults selfmod recursion; do
		$cc -O1 -g -static "$root/tests/programs/$name.c" -o "$1/$name" || return 1
	done
}

# run BUILD TO: every line, in $work/at; results go to TO
run()
{
	local build=$1 to=$2 n=0 line

	mkdir "$work/at" "$to" || exit 1
	cd "$work/at" || exit 1
	unset OLDPWD # what a program finds in its environment is the same for both
	cp -r "$work/programs/." .
	[ ! -d "$work/recordings" ] || mv "$work"/recordings/*.rec .
	[ ! -d "${HARTSCOPE_VECTORS-}" ] || ln -s "$HARTSCOPE_VECTORS" vectors
	[ ! -d "${HARTSCOPE_LINUX-}" ] || ln -s "$HARTSCOPE_LINUX" linux.rec
	while IFS= read -r line; do
		n=$((n + 1))
		[ -z "$(lacks "$line")" ] || continue
		[[ $line != "hartscope record -q"* ]] || [ ! -d "$work/recordings" ] || continue
		touch "$work/before"
		# of a long output its sum, and a beginning for people
		(eval "timeout 120 $build/tools/hartscope/$line") 2>"$to/$n.err" </dev/null |
			tee >(head -c 100000 >"$to/$n.out"; cat >/dev/null) | cksum >"$to/$n.sum"
		echo "${PIPESTATUS[0]}" >"$to/$n.status"
		find . -type f -newer "$work/before" ! -path './*.rec/*' ! -path './*.flow/*' \
			-exec sha256sum {} + | sort -k2 >"$to/$n.files"
	done <"$work/lines"
	[ -n "$own" ] || [ -d "$work/recordings" ] ||
		{ mkdir "$work/recordings" && mv ./*.rec "$work/recordings"; }
	cd / && rm -rf "$work/at"
}

mkdir "$work/programs" && programs "$work/programs" || exit 1
lines >"$work/lines"
# names of one length, for $_
ln -s "$old" "$work/build-1" && ln -s "$new" "$work/build-2" || exit 1
"$old/tools/hartscope/hartscope" record -q -o "$work/sort.rec" -- \
	"$work/programs/sort" 4 >"$work/log"
own=
"$new/tools/hartscope/hartscope" info "$work/sort.rec" >/dev/null 2>&1 || own=1
run "$work/build-1" "$work/old"
run "$work/build-2" "$work/new"

differ=0 same=0 without=0 n=0
while IFS= read -r line; do
	n=$((n + 1))
	if [ ! -e "$work/new/$n.status" ]; then
		without=$((without + 1))
		continue
	fi
	bad=
	for part in status sum err files; do
		cmp -s "$work/old/$n.$part" "$work/new/$n.$part" || bad="$bad $part"
	done
	if [ -z "$bad" ]; then
		same=$((same + 1))
		continue
	fi
	differ=$((differ + 1))
	echo "differs in$bad: $line"
	for part in ${bad/sum/out}; do
		diff "$work/old/$n.$part" "$work/new/$n.$part" | sed -n '1,6s/^/  /p' |
			cut -c 1-160
	done
done <"$work/lines"
failing=$(grep -Lx 0 "$work"/old/*.status | wc -l)
echo "$((same + differ)) command lines, $failing of them with another status than 0;" \
	"$without without their input"
echo "$same the same, $differ different"
[ "$differ" = 0 ]
