#!/bin/sh
# README.md: its commands print what it says, but for counts and addresses, which differ with
# compilers; docs/README.md names each document, and no link of a document leads nowhere.
. "$(dirname "$0")/lib.sh"
. "${HARTSCOPE_SOURCE:?the source tree}/tests/cli/page.sh"
need riscv64-linux-gnu-gcc qemu-riscv64
cp -r "$HARTSCOPE_SOURCE/examples" .

compared() {
	sed -E 's/\b(0x)?[0-9a-f]{5}\b/N/g; s/[0-9][0-9,.]*M?/N/g; s/ +/ /g; s/ $//'
}

run_page README.md 9 12

# Documents of a folder are in its index, and links between files lead somewhere.
cd "$HARTSCOPE_SOURCE" || exit 1
is "docs/README.md names each document" "" "$(for name in docs/*.md; do
	[ "$name" = docs/README.md ] || grep -qF "(${name#docs/})" docs/README.md || echo "$name"
done)"
find . -name '*.md' ! -path './build*' ! -path './docs/design/*' -exec awk '
	/^```/ { code = !code }
	!code { while (match($0, /\]\([^)# ]+/)) {
		print FILENAME " " substr($0, RSTART + 2, RLENGTH - 2)
		$0 = substr($0, RSTART + RLENGTH)
	} }' {} + | grep -v ' https*:' | while read -r from to; do
	[ -e "${from%/*}/$to" ] || echo "$from: $to"
done >"$dir/dangling"
is "links lead somewhere" "" "$(cat "$dir/dangling")"
# Bytes 16 to 23 of a PNG are its width and height: 960, 440, as scripts/docs/report-picture.py has
# it.
is "README.md shows a picture" " 0 0 3 192 0 0 1 184" \
	"$(od -A n -t u1 -j 16 -N 8 docs/report.png | tr -s ' ')"
finish
