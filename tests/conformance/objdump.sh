#!/bin/sh
# Every instruction of real binaries, and every 16-bit encoding there is: length, kind, registers
# and target as an independent disassembler has them (GNU objdump; LLVM's for Zcmp and Zcmt).
#
#   tests/conformance/objdump.sh ISA_DUMP
#
# Prints one "ok" or "not ok" line per input.  HARTSCOPE_VECTORS adds the programs of that folder.
set -u

dump=$1
gnu=riscv64-linux-gnu-objdump
as=riscv64-linux-gnu-as
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0

command -v $gnu >/dev/null || { echo "1..0 # SKIP no $gnu"; exit 77; }

# compare NAME HARTS DISASSEMBLER...: the disassembler's output through isa_dump
compare() {
	name=$1 harts=$2
	shift 2
	"$@" 2>/dev/null | "$dump" "$harts" >"$work/out"
	case $? in
	0) echo "ok - $name: $(tail -1 "$work/out")" ;;
	*) sed 's/^/# /' "$work/out"; echo "not ok - $name"; failed=1 ;;
	esac
}

binary() { # binary NAME HARTS FILE
	[ -e "$3" ] || { echo "ok - $1 # SKIP no $3"; return; }
	compare "$1" "$2" $gnu -d -M no-aliases "$3"
}

# Every 16-bit word, and 32-bit words with the opcodes that matter over-represented.
every_encoding() {
	awk 'BEGIN {
		for (w = 1; w < 65536; w++)
			if (w % 4 != 3)
				printf ".insn 2, 0x%04x\n", w
		srand(1)
		split("99 103 111 115 23 55 19 3", often, " ")
		for (i = 0; i < 200000; i++) {
			op = i % 2 ? often[1 + int(rand() * 8)] : int(rand() * 32) * 4 + 3
			if (op % 32 != 31)
				printf ".insn 4, 0x%04x%04x\n", int(rand() * 65536), int(rand() * 512) * 128 + op
		}
		n = split("000 001 002 102 302 702 7b2 105 104 303 301 202", top, " ")
		for (i = 1; i <= n; i++)
			printf ".insn 4, 0x%s00073\n.insn 4, 0x%s00173\n.insn 4, 0x%s000f3\n", top[i], top[i], top[i]
	}'
}

# The whole encoding space of c.fsdsp, which Zcmp and Zcmt take over.
zc_space() {
	awk 'BEGIN { for (w = 40960; w < 49152; w++) if (w % 4 == 2) printf ".insn 2, 0x%04x\n", w }'
}

assemble() { # assemble FILE ISA-LETTERS XLEN
	case $3$2 in
	32*d*|32g*) abi=ilp32d ;;
	32*) abi=ilp32 ;;
	*g*) abi=lp64d ;;
	*) abi=lp64 ;;
	esac
	$as -march="rv$3$2" -mabi=$abi -o "$work/$1.$3.o" "$work/$1.s"
}

every_encoding >"$work/all.s"
zc_space >"$work/zc.s"
for xlen in 32 64; do
	assemble all gc $xlen
	binary "encodings-rv$xlen" $xlen "$work/all.$xlen.o"
	if command -v llvm-objdump-19 >/dev/null; then
		assemble zc imac $xlen
		compare "zcmp-zcmt-rv$xlen" ${xlen}zc llvm-objdump-19 -d -M no-aliases \
			--mattr=+zcmp,+zcmt,+zca,-d,-zcd "$work/zc.$xlen.o"
	else
		echo "ok - zcmp-zcmt-rv$xlen # SKIP no llvm-objdump-19 (package llvm-19)"
	fi
done

root=/usr/riscv64-linux-gnu/lib
for lib in libc.so.6 ld-linux-riscv64-lp64d.so.1 libm.so.6 libc.a libgcc_s.so.1 libasan.so.8; do
	binary "$lib" 64 "$root/$lib"
done
pico=/usr/lib/picolibc/riscv64-unknown-elf/lib
for lib in rv32imac/ilp32 rv32imafdc/ilp32d rv32im/ilp32 rv64imafdc/lp64d rv64im/lp64; do
	binary "picolibc-${lib%/*}" "$(echo "$lib" | cut -c3-4)" "$pico/$lib/libc.a"
done

if [ -n "${HARTSCOPE_VECTORS:-}" ]; then
	for elf in "$HARTSCOPE_VECTORS"/etrace-1.1/elf/*.riscv; do
		binary "$(basename "$elf")" 64 "$elf"
	done
	binary e31_hello 32 "$HARTSCOPE_VECTORS/ntrace-sifive/e31_hello.elf"
else
	echo "ok - vectors # SKIP HARTSCOPE_VECTORS is not set"
fi
exit $failed
