#!/bin/sh
# Pairs (source, target) of transfers, as buffers of the last branches have them: what is between is
# what ran.
. "$(dirname "$0")/lib.sh"
need riscv64-linux-gnu-gcc riscv64-linux-gnu-objdump qemu-riscv64 python3
: "${HARTSCOPE_SOURCE:?the source tree}"

sed 's/#define N 2000/#define N 40/' "$HARTSCOPE_SOURCE/tests/programs/sort.c" >sort.c
riscv64-linux-gnu-gcc -O1 -g -static -o sort sort.c || { bad 'compiles'; finish; }
"$HARTSCOPE" record -q -o sort.rec -- ./sort >/dev/null
"$HARTSCOPE" list --format pc sort.rec >pcs
riscv64-linux-gnu-objdump -d sort >code

# The pairs of the PCs, in each form, and what ran from the first source to the last: system calls
# have no pair.
cat >pairs.py <<-EOF
	pcs = [int(line, 16) for line in open("pcs")]
	size = {}
	for line in open("code"):
	    words = line.split("\t")
	    if len(words) > 2 and words[0].endswith(":"):
	        size[int(words[0][:-1], 16)] = len(words[1].replace(" ", "")) // 2
	pairs = [(i, a, b) for i, (a, b) in enumerate(zip(pcs, pcs[1:])) if b != a + size[a]]

	def write(name, part, lines):
	    open(name, "w").writelines(line + "\n" for line in lines)
	    ran = pcs[part[0][0]:part[-1][0] + 1]
	    open(name + ".want", "w").writelines("%x\n" % pc for pc in ran)

	write("plain", pairs, ["%x %x" % p[1:] for p in pairs])
	part = pairs[len(pairs) // 2:][:200]
	write("neorv32", part, ["----\n[%d] SRC: 0x%x -> DST: 0x%x" % p for p in part])
	part = pairs[-200:-168]
	write("perf", part, ["1234 " + " ".join("0x%x/0x%x/P/-/-/1" % p[1:] for p in part[::-1])])
	write("ctr", part, ["sctrctl = 0x3"] + [
	    "ctrsource[%d] = 0x%x ctrtarget[%d] = 0x%x ctrdata[%d] = 0x8005" % (i, a | 1, i, b, i)
	    for i, (_, a, b) in enumerate(part[::-1])])
	part = pairs[-200:-100]
	write("lost", part, ["%x %x" % p[1:] for p in part if p != part[50]])
EOF
python3 pairs.py
for form in plain neorv32 perf ctr; do
	from=
	[ $form != plain ] || from='--from pairs'
	# shellcheck disable=SC2086
	exits "$form" 0 "$HARTSCOPE" import $from --elf sort -o $form.rec $form
	has "$form: no gaps" '^gaps *0$' out
	"$HARTSCOPE" list --format pc $form.rec >got
	is "$form: what is between" "$(cksum <$form.want)" "$(cksum <got)"
done
exits "report" 0 "$HARTSCOPE" report plain.rec
is "report: instructions" "$(wc -l <plain.want | tr -d ' ')" \
	"$(sed -n 's/^instructions *//p' out | tr -d ,)"
exits "coverage" 0 "$HARTSCOPE" coverage plain.rec

# A pair that is missing is a gap, and nothing is invented.
exits "a pair is missing" 0 "$HARTSCOPE" import --from pairs --elf sort -o lost.rec lost
has "a pair is missing: a gap" '^gaps *1$' out
"$HARTSCOPE" list --format pc lost.rec >got
is "a pair is missing: only what ran" "" "$(sort -u lost.want | sort -u got - | comm -13 \
	"$(sort -u lost.want >lost.sorted; echo lost.sorted)" -)"

# Direct jumps that CTR leaves out (sctrctl bit 43, DIRJMPINH) are followed: j 8; nop; nop; ret at
# 0x100.
printf '\157\000\200\000\023\000\000\000\023\000\000\000\147\200\000\000' >jump.bin
cat >filtered <<-EOF
	sctrctl = 0x0000080000000003
	ctrsource[1] = 0x201 ctrtarget[1] = 0x100 ctrdata[1] = 0xd
	ctrsource[0] = 0x10d ctrtarget[0] = 0x100 ctrdata[0] = 0xd
EOF
exits "CTR without direct jumps" 0 "$HARTSCOPE" import --bin jump.bin@0x100 -o filtered.rec filtered
"$HARTSCOPE" list --format pc filtered.rec >got
is "CTR without direct jumps: they are followed" "100 108 10c" "$(tr '\n' ' ' <got | sed 's/ $//')"
sed -i 's/0x0000080000000003/0x3/' filtered
exits "CTR with direct jumps" 0 "$HARTSCOPE" import --force --bin jump.bin@0x100 -o filtered.rec \
	filtered
has "CTR with direct jumps: one is missing" '^gaps *1$' out

# 256 pairs between which the program goes round in a circle (j 0x100), which CTR leaves out.
printf '\157\000\000\000\023\000\000\000' >circle.bin
awk 'BEGIN { print "sctrctl = 0x0000080000000003"
	for (i = 255; i >= 0; i--)
		printf "ctrsource[%d] = 0x105 ctrtarget[%d] = 0x100 ctrdata[%d] = 0xd\n", i, i, i
}' >circle
exits "a circle" 0 "$HARTSCOPE" import --time-limit 2 --bin circle.bin@0x100 -o circle.rec circle

# A trap: the instruction at its source did not retire.
cat >trap <<-EOF
	[0] SRC: 0x10c -> DST: 0x100
	[1] SRC: 0x100 -> DST: 0x108
	[2] SRC: 0x108 -> DST: 0x10c <TRAP_ENTRY>
EOF
exits "a trap" 0 "$HARTSCOPE" import --xlen 32 --bin jump.bin@0x100 -o trap.rec trap
"$HARTSCOPE" list --format pc trap.rec >got
is "a trap: what retired" "10c 100" "$(tr '\n' ' ' <got | sed 's/ $//')"
exits "no program" 2 "$HARTSCOPE" import --from pairs -o none.rec plain
has "no program: why" 'need the program: --elf' err
echo 'hello' >bad
exits "no pairs" 3 "$HARTSCOPE" import --from pairs --elf sort -o bad.rec bad
finish
