#!/bin/sh
# The examples of docs/captures.md: bytes, commands and what these print are taken from the page.
. "$(dirname "$0")/lib.sh"
page=${HARTSCOPE_SOURCE:?the source tree}/docs/captures.md
loop_rec || exit 1
cp "$HARTSCOPE_SOURCE"/layouts/*.layout .

# The indented lines after the first one that has a text, without the indent.
block() {
	awk -v text="$1" '
		index($0, text) && !found { found = 1; next }
		found && /^    / { inside = 1; print substr($0, 5); next }
		inside { exit }' "$page"
}

# bytes TEXT FILE: the bytes after a text of the page.
bytes() {
	for byte in $(block "$1"); do
		printf '%b' "\\0$(printf %o "0x$byte")"
	done >"$2"
}

# shows WORDS STATUS: the command of the page with these words prints what stands there.
shows() {
	block_of=$(awk -v start="    \$ hartscope $1" '
		index($0, start) == 1 { inside = 1; print substr($0, 7); next }
		inside && /^    / { print substr($0, 5); next }
		inside { exit }' "$page")
	line=$(printf '%s\n' "$block_of" | head -1)
	printf '%s\n' "$block_of" | sed 1d >want
	is "$1: a command" "hartscope" "$(echo "$line" | cut -d ' ' -f 1)"
	# shellcheck disable=SC2086
	exits "$line" "$2" "$HARTSCOPE" ${line#hartscope }
	is "$1: prints what the page says" "$(cat want)" "$(cat out)"
}

bytes 'The memory, dumped from' esp32.bin
is "esp32: 25 bytes" 25 "$(wc -c <esp32.bin | tr -d ' ')"
shows 'dump --protocol etrace --config esp32-c6.layout' 0
shows 'list --protocol etrace --config esp32-c6.layout' 3
has "esp32: what is missing" "part of the input is missing" err

for f in *.layout; do
	exits "$f: encode" 0 "$HARTSCOPE" encode -q --protocol etrace --config "$f" -o a.et loop.rec
	rm -f a.et.json
	exits "$f: check" 0 "$HARTSCOPE" check --protocol etrace --config "$f" \
		--bin loop.bin@0x1000 loop.rec a.et
done

exit $failed
