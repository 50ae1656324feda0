#!/bin/sh
# docs/walkthrough.md: its commands print what it says.
. "$(dirname "$0")/lib.sh"
. "${HARTSCOPE_SOURCE:?the source tree}/tests/cli/page.sh"
need riscv64-unknown-elf-gcc
cp "$HARTSCOPE_SOURCE"/layouts/esp32-c6.layout .

# Disassembly is the disassembler's, if there is one.
compared() {
	sed -E 's/^(  0x[0-9a-f]{4,}  [0-9a-f]+) .*/\1/'
}

run_page docs/walkthrough.md 16
# The same files are installed, and help says how they are read.
for file in app.S capture.pins capture.trace capture.regs ring.trace esp32.bin both.tpiu; do
	is "examples/captures/$file" 0 \
		"$(cmp -s $file "$HARTSCOPE_SOURCE/examples/captures/$file"; echo $?)"
done
exits "help capture" 0 "$HARTSCOPE" help capture
sed -n '/# /{n;s/^  hartscope //p}' out >commands
is "help capture: every sample" 5 "$(wc -l <commands | tr -d ' ')"
cd "$HARTSCOPE_SOURCE/examples/captures" || exit 1
while read -r words; do
	# shellcheck disable=SC2086
	is "$words: listed" 0 "$("$HARTSCOPE" $words 2>/dev/null | grep -q 'again+0x0'; echo $?)"
done <"$dir/commands"
cd "$dir" || exit 1
finish
