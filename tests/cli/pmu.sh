#!/bin/sh
# hartscope pmu: counts calculated over the program "hop" in three modes, and against `stat` on a
# real
# program.
. "$(dirname "$0")/lib.sh"

# In U, M, S and U again: c.nop and a taken branch at 0x100, c.nop at 0x200, then an exception, an
# interrupt, an exception, the end.
hop_bin
cat >rows.csv <<'EOS'
itype_0,iaddr_0,iretire_0,ilastsize_0,cause,tval,priv
0,100,1,0,0,0,0
5,102,1,1,0,0,0
0,200,1,0,0,0,0
1,202,0,0,2,0,0
0,100,1,0,0,0,3
5,102,1,1,0,0,3
2,200,1,0,7,0,3
0,100,1,0,0,0,1
5,102,1,1,0,0,1
0,200,1,0,0,0,1
1,202,0,0,5,0,1
0,100,1,0,0,0,0
5,102,1,1,0,0,0
0,200,1,0,0,0,0
EOS
exits "import" 0 "$HARTSCOPE" import --from csv --bin hop.bin@0x100 -o hop.rec rows.csv
exits "pmu" 0 "$HARTSCOPE" pmu hop.rec
squeeze() { tr -s ' ' <out | sed 's/^ //; s/ $//'; }
squeeze >text
for line in "instructions 12" "branches taken 4" "branches not taken 0" "calls 0" "returns 0" \
	"exceptions 2" "interrupts 1" \
	"6 2 0 0 0 1 0 U" "3 1 0 0 0 1 0 S" "3 1 0 0 0 0 1 M" "12 4 0 0 0 2 1 (no symbol)"; do
	has "by hand: $line" "^$line\$" text
done
exits "pmu --json" 0 "$HARTSCOPE" pmu --json hop.rec
json "pmu --json" out
has "JSON has the total" '"instructions": *12\b' out

# A trace gives the same counts as the recording: hop once, without modes.
hop_trace
exits "pmu of a trace" 0 "$HARTSCOPE" pmu --bin hop.bin@0x100 hop.nt
squeeze >text
has "a trace: instructions" "^instructions 3\$" text
has "a trace: the branch" "^branches taken 1\$" text

# The modes of Ownership messages and of E-Trace's packets are those of the recording; without them
# a trace does not say.
for row in "ntrace --set=trTeContext=1" "etrace"; do
	exits "encode: $row" 0 "$HARTSCOPE" encode -q --protocol $row -o modes.trace hop.rec
	exits "pmu: modes of $row" 0 "$HARTSCOPE" pmu -q --protocol $row --bin hop.bin@0x100 \
		modes.trace
	squeeze >text
	for line in "6 2 0 0 0 1 0 U" "3 1 0 0 0 1 0 S" "3 1 0 0 0 0 1 M"; do
		has "modes of $row: $line" "^$line\$" text
	done
done
exits "encode without modes" 0 "$HARTSCOPE" encode -q --protocol ntrace -o modes.trace hop.rec
exits "pmu without modes" 0 "$HARTSCOPE" pmu -q --bin hop.bin@0x100 modes.trace
squeeze >text
has "modes that no message says" "^12 4 0 0 0 2 1 unknown\$" text

# Events by name; one sample in each 5 instructions of a hart: 2 of 12, and 4 of twice as many.
exits "pmu --event" 0 "$HARTSCOPE" pmu --event BRANCH_INSTRUCTIONS --event calls hop.rec
squeeze >text
has "branches are taken or not" "^branches 4\$" text
has "branches in U-mode" "^2 0 U\$" text
is "only these events" 2 "$(sed '/^$/,$d' text | wc -l)"
exits "an event that is not in a trace" 2 "$HARTSCOPE" pmu --event CPU_CYCLES hop.rec
exits "samples of several events" 2 "$HARTSCOPE" pmu --sample 3 --event calls --event returns \
	hop.rec
exits "samples of nothing" 2 "$HARTSCOPE" pmu --sample 0 hop.rec
exits "pmu --sample of an event" 0 "$HARTSCOPE" pmu --sample 3 --event branches hop.rec
squeeze >text
has "a sample in 3 branches of 4" "^samples 1\$" text
for id in 1 2; do
	"$HARTSCOPE" encode -q --protocol ntrace --set trTeContext=1 --set trTeSrcBits=2 \
		--set trTeSrcID=$id -o $id.nt hop.rec
done
cat 1.nt 2.nt 2.nt >harts.nt
exits "pmu --by-hart" 0 "$HARTSCOPE" pmu --set trTeSrcBits=2 --by-hart --sample 5 \
	--bin hop.bin@0x100 harts.nt
squeeze >text
has "hart 1" "^12 4 0 0 0 2 1 1\$" text
has "hart 2" "^24 8 0 0 0 4 2 2\$" text
is "there is no hart 0" 0 "$(grep -c '^0 0 0 0 0 0 0 0$' text)"
has "samples of both harts" "^samples 6\$" text
exits "pmu --by-hart --json" 0 "$HARTSCOPE" pmu --json --by-hart --sample 5 hop.rec
json "pmu --by-hart" out

if command -v riscv64-linux-gnu-gcc >/dev/null && command -v qemu-riscv64 >/dev/null; then
	cat >fact.c <<'EOS'
int f(int n) { return n < 2 ? 1 : n * f(n - 1); }
int main(void) { volatile int s = 0; for (int i = 0; i < 50; i++) s += f(i % 9); return s & 1; }
EOS
	riscv64-linux-gnu-gcc -O1 -static -fno-inline fact.c -o fact || exit 1
	"$HARTSCOPE" record -q -o fact.rec -- ./fact >/dev/null
	"$HARTSCOPE" stat --top 1000 fact.rec >stat.txt
	"$HARTSCOPE" pmu --top 1000 fact.rec >pmu.txt
	same() { is "as stat has it: $1" "$(sed -n "$2" stat.txt | tr -d ' ,')" \
		"$(sed -n "$3" pmu.txt | tr -d ' ,')"; }
	same instructions 's/^instructions  *//p' 's/^instructions  *//p'
	same "taken branches" 's/ *taken branch$//p' 's/^branches taken  *//p'
	same "branches not taken" 's/ *branch not taken$//p' 's/^branches not taken  *//p'
	same returns 's/ *return$//p' 's/^returns  *//p'
	same exceptions 's/^exceptions  *//p' 's/^exceptions  *//p'
	sed '1,/^hottest/d' stat.txt | awk '{ print $1, $NF }' | sort >stat.functions
	sed '1,/^by function/d' pmu.txt | awk '$1 != "0" { print $1, $NF }' | sort >pmu.functions
	is "as stat has it: instructions of every function" "$(cat stat.functions)" \
		"$(cat pmu.functions)"
	"$HARTSCOPE" pmu --sample 100 --event instructions --top 1000 fact.rec >samples.txt
	is "a sample in 100 instructions" \
		$(($(sed -n 's/^instructions  *//p' samples.txt | tr -d ,) / 100)) \
		"$(sed -n 's/^samples  *\([0-9,]*\)$/\1/p' samples.txt | tr -d ,)"
	is "samples add up" "$(sed -n 's/^samples  *\([0-9,]*\)$/\1/p' samples.txt | tr -d ,)" \
		"$(sed '1,/^samples by/d; s/,//g' samples.txt |
			awk '{ n += $1 } END { print n }')"
	is "functions: main calls f 50 times" 50 \
		"$(sed '1,/^by function/d' pmu.txt | awk '$NF == "main" { print $4 }')"
else
	ok "a real program # SKIP no riscv64-linux-gnu-gcc or qemu-riscv64"
fi
finish
