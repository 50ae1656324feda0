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
finish
