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
# Of code without a symbol only the library is known: where counts are equal its name decides, not
# where it lies in this process.
riscv64-linux-gnu-g++ -O1 -g "$HARTSCOPE_SOURCE/examples/orders.cc" -o libraries
"$HARTSCOPE" record -q -o libraries.rec -- ./libraries >out
"$HARTSCOPE" stat --json --calls --top 100000 libraries.rec | python3 -c '
import json, sys
rows = json.load(sys.stdin)["called"]
for row in rows:
    if row["name"] == "(no symbol)":
        print(1000000 - row["calls"], row["library"])' >have
is "code without a symbol: some libraries are called as often" 1 \
	"$(($(cut -d' ' -f1 have | uniq -d | wc -l) > 0))"
is "in the order of their names" "$(LC_ALL=C sort -k1,1n -k2,2 have)" "$(cat have)"
finish
