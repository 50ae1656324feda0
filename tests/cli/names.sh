#!/bin/sh
# Functions and source lines of a listing against binutils' addr2line.
. "$(dirname "$0")/lib.sh"
source=$(cd "$OLDPWD" && cd "$(dirname "$0")" && pwd)/names.c
for need in riscv64-linux-gnu-gcc riscv64-linux-gnu-addr2line riscv64-linux-gnu-objdump \
	qemu-riscv64; do
	command -v $need >/dev/null || { echo "ok - names # SKIP $need is not installed"; exit 77; }
done

# binutils' answer for each PC of a file: "pc function line"
binutils() {
	sed 's/^/0x/' "$2" | riscv64-linux-gnu-addr2line -f -e "$1" | paste -d' ' - - |
		sed 's/ (discriminator [0-9]*)//; s/ .*:/ /' | paste -d' ' "$2" -
}

# ours, from the listing as JSON
ours() {
	sed -n 's/.*"pc":"0x\([0-9a-f]*\)".*"function":"\([^"]*\)".*"line":\([0-9]*\).*/\1 \2 \3/p' "$1" |
		sort -u
}

check() {
	name=$1
	shift
	riscv64-linux-gnu-gcc -g -nostdlib -static "$@" "$source" -o "$name" || exit 1
	"$HARTSCOPE" record -q -o "$name.rec" -- "./$name"
	is "$name: the program's own exit status" 0 $?
	"$HARTSCOPE" list --json "$name.rec" >"$name.json" 2>err
	json "$name" "$name.json"
	"$HARTSCOPE" list --format pc "$name.rec" | sort -u >"$name.pcs"
	ours "$name.json" >"$name.ours"
	binutils "$name" "$name.pcs" | sort -u >"$name.theirs"
	is "$name: some PCs" yes "$([ "$(wc -l <"$name.pcs")" -gt 20 ] && echo yes)"
	if cmp -s "$name.ours" "$name.theirs"; then
		ok "$name: functions and lines as binutils has them"
	else
		bad "$name: functions and lines as binutils has them"
		diff "$name.ours" "$name.theirs" | head -20
	fi
}

check rv64-o0 -O0
check rv64-o1 -O1 -fno-inline
check rv64-o2-dwarf4 -O2 -gdwarf-4 -fno-inline -fno-ipa-cp -fno-ipa-sra
check rv32 -O1 -march=rv32imac -mabi=ilp32 -ffreestanding -fno-inline

# Line 0 is of no source line (DWARF 5, 6.2.2): Clang has it where it moved code.
cat >zero.c <<'end'
void _start(void)
{
	asm volatile("nop\n\t.loc 0 0\n\tslti zero, zero, 7");
	asm volatile("li a7, 93\n\tli a0, 0\n\tecall");
}
end
if command -v clang >/dev/null; then
	clang --target=riscv64-linux-gnu -march=rv64gc -mno-relax -g -O1 -c zero.c -o zero.o &&
		riscv64-linux-gnu-ld -o zero zero.o || exit 1
	"$HARTSCOPE" record -q -o zero.rec -- ./zero
	"$HARTSCOPE" report --by line zero.rec >out
	is "an instruction of no line is not of line 0" "0 3" \
		"$(grep -c 'zero\.c:0' out) $(awk '/zero\.c:4/ { print $1 }' out)"
else
	echo "ok - an instruction of no line # SKIP clang is not installed"
fi

# Without symbols of its own kind the names are gone, the listing is not.
riscv64-linux-gnu-strip -o stripped rv64-o1
"$HARTSCOPE" record -q -o stripped.rec -- ./stripped
is "stripped: the same number of instructions" \
	"$("$HARTSCOPE" list --format pc rv64-o1.rec | wc -l)" \
	"$("$HARTSCOPE" list --format pc stripped.rec | wc -l)"

# A program that was compiled outside of its source's folder: of a recording that was made here its
# text is read; of that of somebody else not unasked, and a note says why.
mkdir far near
cp "$source" far/names.c
(cd near && riscv64-linux-gnu-gcc -g -nostdlib -static -O1 "$dir/far/names.c" -o away) || exit 1
"$HARTSCOPE" record -q -o near/away.rec -- near/away
cp -R near/away.rec near/other.rec # without the mark of who made it
cd near || exit 1
for command in list 'annotate _start'; do
	# shellcheck disable=SC2086  # words
	"$HARTSCOPE" $command away.rec >out 2>err
	is "$command, compiled elsewhere, recorded here: no note" '' "$(cat err)"
	has "$command, compiled elsewhere, recorded here: text" 'names.c:[0-9]*  *[^ ]' out
	# shellcheck disable=SC2086
	"$HARTSCOPE" $command --elf away other.rec >out 2>err
	is "$command, compiled elsewhere: one note" 1 \
		"$(grep -c 'names.c: its text is not shown: .*--source-path DIR' err)"
	# shellcheck disable=SC2086
	"$HARTSCOPE" $command --source-path ../far --elf away other.rec >out 2>err
	is "$command, --source-path: none" 0 "$(grep -c 'not shown' err)"
done
finish
