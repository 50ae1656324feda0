#!/bin/sh
# --files, --kallsyms, --modules, --process-map: names by what a guest says and by its code.
. "$(dirname "$0")/lib.sh"
: "${HARTSCOPE_SOURCE:?the source folder}"
gcc=riscv64-linux-gnu-gcc
need $gcc qemu-riscv64
$gcc -O2 -static -o echo "$HARTSCOPE_SOURCE/tests/programs/echo.c" || { bad "compiles"; exit 1; }
printf 'one\n' | "$HARTSCOPE" record -q -o echo.rec -- ./echo 5 >out 2>err
$gcc -O1 -static -o other "$HARTSCOPE_SOURCE/tests/programs/sort.c"
mkdir root && cp echo root/copy && mv echo root/echo # the recording does not find it

# unnamed PATH OPTION...: instructions without any name
unnamed() {
	"$HARTSCOPE" stat -q --top 100000 "$@" 2>err | tr -d , |
		awk '$NF == "symbol)" && $(NF - 1) == "(no" && NF == 6 { n += $1 } END { print n + 0 }'
}

all=$("$HARTSCOPE" stat -q echo.rec | tr -d , | awk '$1 == "instructions" { print $2 }')
is "nothing has a name without files" "$all" "$(unnamed echo.rec)"
is "all has one by a directory" 0 "$(unnamed --files root echo.rec)"
is "no complaint" "" "$(cat err)"
"$HARTSCOPE" stat -q --top 3 --files root echo.rec >expected
for protocol in ntrace etrace; do
	"$HARTSCOPE" encode -q --protocol $protocol -o echo.trace echo.rec
	is "all of a trace: $protocol" 0 "$(unnamed --image echo.rec --files root echo.trace)"
done
exits "a trace that is read once only" 2 sh -c \
	"cat echo.trace | '$HARTSCOPE' stat --protocol etrace --image echo.rec --files root -"
has "says so" "read twice" err

# A stripped program: functions by its unwind information, and by the linkage table, as objdump
# has them.  A recording does not find the file.
mkdir bare lib
$gcc -O2 -o lib/linked "$HARTSCOPE_SOURCE/tests/programs/echo.c"
riscv64-linux-gnu-strip -o bare/linked lib/linked
printf 'one\n' | QEMU_LD_PREFIX=/usr/riscv64-linux-gnu "$HARTSCOPE" record -q -o linked.rec -- \
	./bare/linked 5 >out 2>err
mv bare moved
riscv64-linux-gnu-objdump -d moved/linked >dump
at=$(sed -n 's/^0*\([0-9a-f]*\) <printf@plt>:/\1/p' dump)
"$HARTSCOPE" list --files moved linked.rec >out 2>err
is "a stub where objdump has it" "$at" \
	"$(grep -A 1 '^printf@plt+0x0  \[linked]$' out |
		sed -n 's/^  0x[0-9a-f]*\([0-9a-f]\{3\}\)  .*/\1/p')"
begin=$(riscv64-linux-gnu-nm lib/linked | sed -n 's/^0*\([0-9a-f]*\) T _start$/\1/p')
has "a function without a symbol" "^linked:0x$begin+0x0  \[linked]\$" out

# Debug files, by build-id and by the link that strip leaves; the wrong one is refused.
cross=riscv64-linux-gnu
debug() { # NAME LINKER-OPTION: whole/NAME, its debug file NAME.debug, and NAME without symbols
	$gcc -g -O2 -static "$2" -o "whole/$1" "$HARTSCOPE_SOURCE/tests/programs/echo.c"
	$cross-objcopy --only-keep-debug "whole/$1" "$1.debug"
	$cross-objcopy --strip-all --add-gnu-debuglink="$1.debug" "whole/$1" "gone/$1"
	printf 'one\n' | "$HARTSCOPE" record -q -o "$1.rec" -- "./gone/$1" 5 >out 2>err
}
mkdir whole gone names names/.build-id
debug by_id -Wl,--build-id=sha1
debug by_link -Wl,--build-id=none
mv gone kept
id=$($cross-readelf -n whole/by_id | sed -n 's/.*Build ID: \(..\)\(.*\)/\1\/\2/p')
mkdir "names/.build-id/${id%/*}"
mv by_id.debug "names/.build-id/$id.debug"
"$HARTSCOPE" list --files whole/by_id by_id.rec >expected
is "by the whole file: main and its line" 1 "$(grep -c '^main+0x0  .*echo.c:' expected)"
"$HARTSCOPE" list --files kept/by_id --files names by_id.rec >out 2>err
is "a debug file by build-id" "" "$(diff expected out | head -n 5)"
"$HARTSCOPE" list --files whole/by_link by_link.rec >expected
mv by_link.debug names
"$HARTSCOPE" list --files kept/by_link --files names by_link.rec >out 2>err
is "a debug file by .gnu_debuglink" "" "$(diff expected out | head -n 5)"
echo more >>names/by_link.debug
"$HARTSCOPE" list --files kept/by_link --files names by_link.rec >out 2>err
has "another one is refused" "names/by_link.debug: refused for kept/by_link: its CRC" err
is "and names nothing" 0 "$(grep -c '^main' out)"

exits "another program" 0 "$HARTSCOPE" stat -q --files other echo.rec
is "gives no name" "$all" "$(unnamed --files other echo.rec)"

exits "no file" 2 "$HARTSCOPE" stat --files none echo.rec
has "says which" "^hartscope: none: " err
echo text >text
exits "a file that is none" 3 "$HARTSCOPE" stat --files text echo.rec
has "says what is wanted" "text: neither a RISC-V ELF file with code nor a kernel" err
echo '0000000000000000 T _start' >hidden
exits "hidden addresses" 2 "$HARTSCOPE" stat --kallsyms hidden echo.rec
has "says how to have them" "kptr_restrict" err
exits "not symbols" 3 "$HARTSCOPE" list --limit 1 --system-map text echo.rec
has "says which line" "^hartscope: text:1: " err
exits "not modules" 3 "$HARTSCOPE" list --limit 1 --modules text echo.rec
exits "not processes" 3 "$HARTSCOPE" list --limit 1 --process-map text echo.rec
has "says what they are" "PROCESSES\|perf script" err
exit $failed
