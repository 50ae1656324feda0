#!/bin/sh
# docs/walkthrough.md: its files, its bytes and its commands are taken from the page, and what they
# print is compared with it: lines that begin with "hartscope:" with standard error.
. "$(dirname "$0")/lib.sh"
page=${HARTSCOPE_SOURCE:?the source tree}/docs/walkthrough.md
command -v riscv64-unknown-elf-gcc >/dev/null || {
	echo "ok - # SKIP no riscv64-unknown-elf-gcc"
	exit 77
}
cp "$HARTSCOPE_SOURCE"/layouts/esp32-c6.layout .
mkdir bin
ln -s "$HARTSCOPE" bin/hartscope
PATH=$dir/bin:$PATH

# The page as steps: "file NAME", "bytes NAME", "run COMMAND", each with its lines in a file.
awk '
	{ name = "" }
	match($0, /[Tt]he file `[^`]*`/) { kind = "file"; name = substr($0, RSTART, RLENGTH) }
	match($0, /[Tt]he bytes of `[^`]*`/) { kind = "bytes"; name = substr($0, RSTART, RLENGTH) }
	name != "" { gsub(/^[^`]*`|`$/, "", name); expected = kind " " name }
	/^    \$ / { n++; print "run " substr($0, 7) >"steps"; inside = 1; next }
	/^    / {
		if (!inside) {
			n++
			print (expected == "" ? "stray" : expected) >"steps"
			expected = ""
			inside = 1
		}
		print substr($0, 5) >("lines" n)
		next
	}
	{ inside = 0 }' "$page"

# Disassembly is the disassembler's, if there is one.
without_disassembly() {
	sed -E 's/^(  [0-9a-f]{4,}  [0-9a-f]+) .*/\1/'
}

run_step() {
	exits "$1" 0 sh -c "$1"
	grep -v '^hartscope:' lines | without_disassembly >want
	without_disassembly <out >got
	is "$1: prints what the page says" "$(cat want)" "$(cat got)"
	grep '^hartscope:' lines >want || return 0
	is "$1: and notes" "$(cat want)" "$(grep -Fxf want err)"
}

step=0
while read -r kind rest; do
	step=$((step + 1))
	: >lines
	[ ! -e lines$step ] || cat lines$step >lines
	case $kind in
	file) cp lines "$rest" ;;
	bytes)
		for byte in $(cat lines); do
			printf '%b' "\\0$(printf %o "0x$byte")"
		done >"$rest"
		;;
	run) run_step "$rest" ;;
	*) bad "the page has lines that belong to nothing: $(head -1 lines)" ;;
	esac
done <steps
is "the page has its commands" 15 "$(grep -c '^run' steps)"
finish
