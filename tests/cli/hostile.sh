#!/bin/sh
# Files that somebody else made, to harm: names with control characters, sizes without end.
. "$(dirname "$0")/lib.sh"
need riscv64-linux-gnu-gcc riscv64-linux-gnu-objcopy

# Symbols with the sequences of a terminal: a title, a colour, C1, right to left, a line of ours.
cat >loop.S <<-'EOS'
	.globl _start
	.option rvc
	_start: c.li a0, 2
	turn: c.addi a0, -1
	c.bnez a0, turn
	jal leaf
	.4byte 0x00150513
	.globl leaf
	leaf: ret
EOS
riscv64-linux-gnu-gcc -march=rv64gc -nostdlib -static -Wl,-Ttext=0x1000 -Wl,--no-relax \
	-o plain.elf loop.S 2>err || { bad "the program is built"; cat err; }
first=$(printf '\033]0;owned\007\033[31mred')
second=$(printf '\302\233leaf\342\200\256\r; equal: all')
riscv64-linux-gnu-objcopy --redefine-sym "_start=$first" --redefine-sym "leaf=$second" plain.elf \
	hostile.elf
loop_csv
"$HARTSCOPE" import -q --from csv --elf hostile.elf -o loop.rec loop.csv
is "import" 0 $?
"$HARTSCOPE" encode -q --protocol ntrace -o loop.nt loop.rec

# Nothing but text and newlines.
clean() { # TEXT FILE
	if [ "$(tr -d '\012\040-\176' <"$2" | wc -c)" -eq 0 ]; then
		ok "$1: nothing acts on a terminal"
	else
		bad "$1: nothing acts on a terminal"
		od -c "$2" | head -5
	fi
}
for c in list "list --json" stat "stat --json" "stat --calls" "ctr --at end" "ctr --export folded" \
	"ctr --export callchain --ctr RASEMU=1" "check loop.nt" info; do
	"$HARTSCOPE" $c --elf hostile.elf loop.rec >out 2>err
	[ "${c#*--elf}" = "$c" ] && "$HARTSCOPE" $c loop.rec >>out 2>>err
	clean "$c" out
	clean "$c, errors" err
done
"$HARTSCOPE" list loop.rec >out
has "list: the name is readable" 'x1b\]0;owned.x07.x1b\[31mred' out
"$HARTSCOPE" list "$(printf 'no\033[2J\nsuch file')" >out 2>err
clean "an error's text" err
finish
