#!/bin/sh
# The worked example of docs/etrace.md, an encoder in no dialect: its file, its bytes, its commands
# and what they print are taken from the page.
. "$(dirname "$0")/lib.sh"
page=${HARTSCOPE_SOURCE:?the source tree}/docs/etrace.md
loop_rec || exit 1

# The indented lines after the first one that has a text, without the indent.
block() {
	awk -v text="$1" '
		index($0, text) && !found { found = 1; next }
		found && /^    / { inside = 1; print substr($0, 5); next }
		inside { exit }' "$page"
}

block 'The file `acme.scf`' >acme.scf
is "the file has 13 parameters" 13 "$(grep -c = acme.scf)"
for byte in $(block 'What lies in the trace buffer'); do
	printf '%b' "\\0$(printf %o "0x$byte")"
done >capture.bin
is "17 bytes" 17 "$(wc -c <capture.bin | tr -d ' ')"

# Run the commands of the page and compare what they print.
for command in dump list; do
	block_of=$(awk -v start="    $ hartscope $command " '
		index($0, start) == 1 && /acme/ { inside = 1; print substr($0, 7); next }
		inside && /^    / { print substr($0, 5); next }
		inside { exit }' "$page")
	line=$(printf '%s\n' "$block_of" | head -1)
	printf '%s\n' "$block_of" | sed 1d >want
	is "$command: a command" "hartscope $command" "$(echo "$line" | cut -d ' ' -f 1-2)"
	# shellcheck disable=SC2086
	exits "$line" 0 "$HARTSCOPE" ${line#hartscope }
	is "$command prints what the page says" "$(cat want)" "$(cat out)"
done

# There and back: the file, then TRACE.json.
exits "encode" 0 "$HARTSCOPE" encode -q --protocol etrace --config acme.scf --set \
	full-address=true -o acme.et loop.rec
exits "check by TRACE.json" 0 "$HARTSCOPE" check --bin loop.bin@0x1000 loop.rec acme.et
rm acme.et.json
exits "check by the file" 0 "$HARTSCOPE" check --protocol etrace --config acme.scf \
	--bin loop.bin@0x1000 loop.rec acme.et
is "the same packet begins both" "021f20" "$(od -An -tx1 -N3 acme.et | tr -d ' \n')"

exit $failed
