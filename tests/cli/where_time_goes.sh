#!/bin/sh
# docs/where-time-goes.md: its commands print what it says, but for counts and addresses, which
# differ with compilers and with how threads follow each other.
. "$(dirname "$0")/lib.sh"
. "${HARTSCOPE_SOURCE:?the source tree}/tests/cli/page.sh"
need riscv64-linux-gnu-g++ qemu-riscv64 callgrind_annotate lcov
cp "$HARTSCOPE_SOURCE/examples/orders.cc" .

compared() {
	sed -E 's/0x[0-9a-f]+/N/g; s/\b[0-9a-f]{5}\b/N/g; s/[0-9][0-9,.]*/N/g; s/ +/ /g; s/ $//'
}

run_page docs/where-time-goes.md 18 12
finish
