#!/bin/sh
# CVA6's own rv_tracer: what a model of its RTL sends (cva6.py) is listed without an option.
. "$(dirname "$0")/lib.sh"
need riscv64-linux-gnu-gcc qemu-riscv64 riscv64-linux-gnu-objdump python3
here=$(dirname "$0")

cat >run.c <<'X'
static volatile unsigned sum;
static unsigned twice(unsigned n) { return n & 1 ? n * 2 : n; }
static unsigned (*volatile call)(unsigned) = twice;
int main(void)
{
	for (unsigned i = 0; i < 3000; i++)
		sum += i % 7 < 3 ? call(i) : i % 5 == 0 ? call(sum) + 1 : 2;
	return 0;
}
X
riscv64-linux-gnu-gcc -O1 -static -o run run.c || exit 1
"$HARTSCOPE" record -q -o run.rec -- ./run || exit 1
"$HARTSCOPE" list --format pc -q run.rec >pcs
riscv64-linux-gnu-objdump -d run >text
python3 "$here/cva6_insns.py" text pcs >insns

# The last branches and jumps are in no packet.
cat >part.py <<'X'
"""How many of these PCs, from the first on, are those that ran; and of the rest, are they a run?"""
import sys
ran, got = (open(f).read().split() for f in sys.argv[1:3])
n = next((i for i, (a, b) in enumerate(zip(ran, got)) if a != b), min(len(ran), len(got)))
rest = got[n:]
runs = not rest or any(ran[i:i + len(rest)] == rest
                       for i in range(len(ran) - len(rest), n - 1, -1))
print("all" if n == len(got) and len(ran) - n < 400 else "part" if runs and rest else "other",
      len(ran) - n < 400)
X
for gaps in '' 1 2; do
	# shellcheck disable=SC2086
	python3 "$here/cva6.py" insns $gaps >packets.bin
	exits "gaps ${gaps:-none}: list" 0 "$HARTSCOPE" list --format pc --elf run packets.bin
	cp out got
	has "gaps ${gaps:-none}: what it is read as" \
		'read as --protocol etrace --set dialect=cva6 ' err
	is "gaps ${gaps:-none}: it ran" "all True" "$(python3 part.py pcs got)"
done
exits "times" 0 "$HARTSCOPE" list --time --limit 3 --elf run packets.bin
has "times: of each packet" '^; time' out

# After a slot that is no packet the flow goes on at the next synchronisation.
for bad in 1000 1500; do
	{
		head -c $((40 * bad)) packets.bin
		printf '\200'
		tail -c +$((40 * bad + 2)) packets.bin
	} >damaged
	"$HARTSCOPE" list --format pc -q --protocol etrace --dialect cva6 --elf run damaged \
		>got 2>err
	is "slot $bad is damaged: nothing else ran" "part" \
		"$(python3 part.py pcs got | cut -d ' ' -f 1)"
done

# A trap: 1000 c.nop, 1002 ecall, 1006 c.nop, 1008 lw, 100c c.nop; 2000 c.nop, 2002 beq (taken to
# 2006), 2006 mret.  The RTL is given 0 as the handler's address.
printf '\001\000\163\000\000\000\001\000\003\245\005\000\001\000' >low.bin
printf '\001\000\143\002\000\000\163\000\040\060' >high.bin
cat >traps <<'X'
1000 i 0 0 0
1002 e 0 8 0
2000 i 3 0 0
2002 t 3 0 0
2006 i 3 0 0
1006 i 0 0 0
1008 e 0 13 beef
2000 i 3 0 0
2002 t 3 0 0
2006 i 3 0 0
100c i 0 0 0
100c i 0 0 0
100c i 0 0 0
X
python3 "$here/cva6.py" traps >traps.bin
at='--bin low.bin@0x1000 --bin high.bin@0x2000'
# shellcheck disable=SC2086
exits "traps" 0 "$HARTSCOPE" list --format pc --protocol etrace --dialect cva6 --xlen 32 \
	--set mtvec=0x2000 $at traps.bin
is "traps: what retired" "1000 1002 2000 2002 2006 1006 2000 2002 2006 100c" \
	"$(tr '\n' ' ' <out | sed 's/ $//')"
# shellcheck disable=SC2086
exits "traps: where handlers are is not known" 3 "$HARTSCOPE" list --format pc --protocol etrace \
	--dialect cva6 --set after-damage=soon --xlen 32 $at traps.bin
is "traps: what is known" "1000 1002 1006 100c" "$(tr '\n' ' ' <out | sed 's/ $//')"
exits "encode" 2 "$HARTSCOPE" encode -q --protocol etrace --set dialect=cva6 -o x run.rec
has "encode: why" 'decoded only' err

# With another program only its form is known.
printf '\202\200' >other.bin
exits "another program" 1 "$HARTSCOPE" identify --bin other.bin@0x10000 packets.bin
has "another program: the form" '^verdict *form' out
has "another program: the dialect" 'settings *dialect=cva6' out

finish
