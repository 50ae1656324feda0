#!/bin/sh
# hartscope ctr: records calculated over the program "loop", points, settings, formats, and that a
# trace of a recording gives the records of the recording.
. "$(dirname "$0")/lib.sh"

# Transfers of "loop": 1004 -> 1002 taken, 1004 -> 1006 not taken, 1006 -> 100e call, 100e -> 100a
# return; 8 instructions.
loop_rec

of=loop.rec
# records ARGS...: "SOURCE TARGET TYPE CYCLES" of each, the youngest first, joined with ';'
records() {
	"$HARTSCOPE" ctr "$@" "$of" 2>err | awk '
		/^ +#/ { on = 1; next }
		on { type = $2; for (i = 3; $i !~ /^(-|yes|no)$/; i++) type = type "-" $i
		     printf "%s%s %s %s %s", sep, $(i + 2), $(i + 3), type, $(i + 1); sep = ";" }'
}
ret='0x100e 0x100a return' call='0x1006 0x100e direct-call' taken='0x1004 0x1002 taken-branch' \
	not='0x1004 0x1006 not-taken-branch'
is "at the end" "$ret -;$call -;$taken -" "$(records)"
is "0.1.4 records the same" "$ret -;$call -;$taken -" "$(records --ctr version=0.1.4)"
is "NTBREN" "$ret -;$call -;$not -;$taken -" "$(records --ctr NTBREN=1)"
is "NTBREN, 0.1.4" "$ret -;$call -;$not -;$taken -" "$(records --ctr NTBREN=1 --ctr version=0.1.4)"
is "a filter" "$call -;$taken -" "$(records --ctr RETINH=1)"
is "two filters" "$call -" "$(records --ctr RETINH=1 --ctr TKBRINH=1)"
is "machine mode off" "" "$(records --ctr M=0)"
is "machine mode alone" "$ret -;$call -;$taken -" "$(records --ctr S=0 --ctr U=0)"
is "an instruction a cycle" "$ret 1;$call 3;$taken -" "$(records --ctr cycles=instructions)"
is "a record restarts the count" "$ret 1;$call 1;$not 2;$taken -" \
	"$(records --ctr cycles=instructions --ctr NTBREN=1)"
is "a clock" "$ret 1;$call 1;$not 2;$taken -" \
	"$(records --ctr cycles=time --cycles-per instruction=1 --ctr NTBREN=1)"
is "a clock with more cycles for a call" "$ret 1;$call 5;$not 2;$taken -" \
	"$(records --ctr cycles=time --cycles-per jump=5 --ctr NTBREN=1)"
# A fast profile has calls and returns only; with a cycle each, the return is one after the call.
"$HARTSCOPE" encode -q --protocol etrace --set fast-profile=sources --set \
	cycle-counts=retirements -o loop.te loop.rec
of=loop.te
is "counts of E-Trace" "$ret 1;$call -" "$(records --ctr cycles=counts)"
is "times of E-Trace" "$ret 1;$call -" "$(records --ctr cycles=time)"
of=loop.rec
is "RASEMU: the call has returned" "" "$(records --ctr RASEMU=1)"
is "RASEMU: before it did" "$call -" "$(records --ctr RASEMU=1 --at insn=6)"
is "before the first instruction" "" "$(records --at insn=0)"
is "after 2: the branch has not retired" "" "$(records --at insn=2)"
is "after 3: it has" "$taken -" "$(records --at insn=3)"
is "after all of them" "$ret -;$call -;$taken -" "$(records --at insn=8)"
is "before 1002 runs again" "$taken -" "$(records --at pc=1002,2)"
is "before 100e" "$call -;$taken -" "$(records --at pc=0x100e)"

# Counters begin as weakly not taken: the first taken branch is mispredicted, and the one that then
# is not taken, too.
misp() { "$HARTSCOPE" ctr --ctr NTBREN=1 "$@" loop.rec | awk '
	/^ +#/ { on = 1; next }
	on { for (i = 3; $i !~ /^(-|yes|no)$/; i++); printf "%s ", $i }'; }
is "MISP is not known" "- - - - " "$(misp)"
is "--predictor bimodal" "no no yes yes " "$(misp --predictor bimodal)"
is "--ctr predictor=gshare" "no no no yes " "$(misp --ctr predictor=gshare)"
is "--predictor off" "- - - - " "$(misp --predictor bimodal --predictor off)"

exits "a point that is not reached" 1 "$HARTSCOPE" ctr --at pc=1004,3 loop.rec
has "a point that is not reached: says so" "pc=1004,3 is not reached" err
exits "the head of the list" 0 "$HARTSCOPE" ctr --ctr depth=16 loop.rec
has "which hart and version" "^hart 0, CTR 1.0: 3 of 16 records, WRPTR 3\$" out
has "how far" "^after 8 instructions" out
exits "--json" 0 "$HARTSCOPE" ctr --json --ctr NTBREN=1 loop.rec
json "--json" out
has "--json: a record" '"source": "0x1004","target": "0x1006","type": 4,"name": "not-taken branch"' out

for words in "--ctr nothing=1" "--predictor tage" "--ctr depth=17" "--ctr RETINH" "--ctr ETEN=1" \
	"--export bolt --context 7" "--ctr contexts=1" "--at insn=" \
	"--at pc=xyz" "--at pc=1002,0" \
	"--at here" "--export nothing" "--export json --at insn=1" "--export json --period 0" \
		"--explain loop.rec" \
	"--export bolt --ctr TKBRINH=1" "--export bolt --ctr RASEMU=1"; do
	# shellcheck disable=SC2086
	exits "$words" 2 "$HARTSCOPE" ctr $words loop.rec
	is "$words: one line" 1 "$(wc -l <err | tr -d ' ')"
done
exits "nothing to replay" 2 "$HARTSCOPE" ctr

"$HARTSCOPE" ctr --help >help
# Samples after 3 and 6 instructions: at 1002 with one record, at 100e with two.
export_to() { "$HARTSCOPE" ctr --export "$1" --period 3 -o out "${2:-loop.rec}" 2>err; }
export_to brstack
is "brstack" "1002  0x1004/0x1002/-/-/-/0 
100e  0x1006/0x100e/-/-/-/0  0x1004/0x1002/-/-/-/0 " "$(sed 's/^ *//' out)"
has "what was written" "2 samples, 3 records" err
"$HARTSCOPE" ctr --export brstack --period 3 --predictor bimodal -o out loop.rec 2>err
is "brstack with predictions" "1002  0x1004/0x1002/M/-/-/0 
100e  0x1006/0x100e/P/-/-/0  0x1004/0x1002/M/-/-/0 " "$(sed 's/^ *//' out)"
"$HARTSCOPE" ctr --export bolt --period 3 --predictor bimodal -o out loop.rec 2>err
is "bolt with mispredictions" "B 1004 1002 2 2
B 1006 100e 1 0" "$(grep B out)"
exits "no sample: exit status" 1 "$HARTSCOPE" ctr --export bolt -q -o none loop.rec
has "no sample: it says why" "no sample: fewer instructions ran than the 10007 of --period" err
[ ! -e none ] && ok "no sample: nothing is written" || bad "no sample: nothing is written"
export_to bolt
is "bolt" "B 1004 1002 2 0
B 1006 100e 1 0
F 1002 1006 1" "$(cat out)"
export_to profgen
is "profgen" "1
1002-1006:1
2
1004->1002:2
1006->100e:1" "$(cat out)"
export_to folded
is "folded" "[unknown] 1
[unknown];[unknown] 1" "$(cat out)"
export_to callchain
is "callchain" "1002 [unknown]
100e [unknown] 1006 [unknown]" "$(awk '/instructions:$/ { if (n++) print line; line = ""; sep = ""; next }
	NF { line = line sep $1 " " $2; sep = " " } END { print line }' out)"
is "callchain: the file, as perf prints it" 3 "$(grep -c ' (\[unknown\])$' out)"
export_to json
json "export json" out
is "export json: samples" 2 "$(grep -c '"instructions"' out)"
is "export json: records" 3 "$(grep -c '"taken branch"\|"direct call"' out)"
"$HARTSCOPE" ctr --export json --period 3 --ctr NTBREN=1 -o out loop.rec 2>err
is "not-taken branches are in JSON" 1 "$(grep -c '"not-taken branch"' out)"
"$HARTSCOPE" ctr --export brstack --period 3 --ctr NTBREN=1 -o out loop.rec 2>err
has "and nowhere else" "left out 1 not-taken" err
is "nor in brstack" "" "$(grep 0x1004/0x1006 out)"
"$HARTSCOPE" ctr -q --export perf-data --period 3 loop.rec >out 2>err
is "--quiet" "" "$(cat err)"
# FROM/TO/PREDICTED/CYCLES/TYPE: PERF_BR_COND is 1, PERF_BR_CALL 4 (linux/perf_event.h).
perf_data() {
	"$HARTSCOPE" ctr -q --export perf-data --period 3 "$@" loop.rec >perf.data 2>err &&
		"$PERF_READ" perf.data
}
at_3='sample ip=1002 pid=1 tid=1 time=3 cpu=0 period=3:' \
	at_6='sample ip=100e pid=1 tid=1 time=6 cpu=0 period=3:'
is "perf-data" "event type=0 config=1 period=3
comm program
$at_3 1004/1002/-/0/1
$at_6 1006/100e/-/0/4 1004/1002/-/0/1" "$(perf_data)"
if command -v perf >/dev/null && perf --version >/dev/null 2>&1; then
	# From 6.2 on there is a field more: whether the branch was speculative.
	case $(perf --version) in
	*' 6.'[01] | *' 6.'[01].*) more= ;;
	*) more=/- ;;
	esac
	is "perf-data, as perf reads it" "1002 0x1004/0x1002/-/-/-/0/COND$more
100e 0x1006/0x100e/-/-/-/0/CALL$more 0x1004/0x1002/-/-/-/0/COND$more" \
		"$(HOME=$dir perf script -i perf.data -F ip,brstack 2>/dev/null | awk 'NF { $1 = $1; print }')"
else
	ok "perf-data, as perf reads it # SKIP no perf"
fi
is "perf-data: 1002, 1004 and 1006 are three cycles" "$at_6 1006/100e/-/3/4 1004/1002/-/0/1" \
	"$(perf_data --ctr cycles=instructions | tail -n 1)"
is "perf-data with predictions" "$at_6 1006/100e/P/0/4 1004/1002/M/0/1" \
	"$(perf_data --predictor bimodal | tail -n 1)"
is "perf-data of call chains" "$at_3 user 1002
$at_6 user 100e 1006" "$(perf_data --ctr RASEMU=1 | tail -n 2)"

exits "formats" 2 "$HARTSCOPE" ctr --export nothing loop.rec
is "formats: each one is read above" "brstack perf-data bolt profgen callchain folded json" \
	"$(sed 's/.*there are: //' err)"
for format in brstack perf-data bolt profgen callchain folded json; do
	has "--help names format $format" "\\b$format\\b" help
done

# Address 0 is one like others: 0 c.nop, 2 c.j 0.
printf '\001\000\375\277' >zero.bin
printf '%s\n' 0 2 0 2 0 2 0 >zero.pcs
"$HARTSCOPE" import --quiet --from pcs --bin zero.bin@0 -o loop.rec zero.pcs
is "a jump to 0" "0x2 0x0 direct-jump -;0x2 0x0 direct-jump -;0x2 0x0 direct-jump -" "$(records)"
is "a jump to 0 lacks nothing" 0 "$("$HARTSCOPE" ctr --json loop.rec | grep -c '"partial": true')"
"$HARTSCOPE" ctr --export bolt --period 5 -o out loop.rec 2>err
is "bolt: a range from 0" "B 2 0 2 0
F 0 2 1" "$(cat out)"
is "bolt: nothing is left out at 0" 0 "$(grep -c "left out" err)"

# 0 csrrw x0, sctrctl, a0; 4 c.j 0.
printf '\163\020\345\024\365\277' >csr.bin
printf '%s\n' 0 4 0 >csr.pcs
"$HARTSCOPE" import --quiet --from pcs --bin csr.bin@0 -o loop.rec csr.pcs
is "a CSR write without its value" "0x4 0x0 direct-jump -" "$(records)"
has "a CSR write without its value: says so" "^hartscope: 2 writes of CTR's CSRs are left out" err
is "a CSR write without its value: JSON" 1 \
	"$("$HARTSCOPE" ctr --json loop.rec 2>err | grep -c '"unknown_writes": 2')"
# 0 sctrclr; 4 c.j 0
printf '\163\000\100\020\365\277' >csr.bin
printf '%s\n' 0 4 0 4 0 >csr.pcs
"$HARTSCOPE" import --quiet --from pcs --bin csr.bin@0 -o loop.rec csr.pcs
is "before SCTRCLR" "0x4 0x0 direct-jump -" "$(records --at insn=2)"
is "after SCTRCLR, in its block" "" "$(records --at insn=3)"
is "after the block" "0x4 0x0 direct-jump -" "$(records --at insn=4)"
is "samples inside of blocks" "0 1" \
	"$("$HARTSCOPE" ctr -q --export json --period 3 loop.rec | grep -c direct)"" $(
	"$HARTSCOPE" ctr -q --export json --period 2 loop.rec | sed -n '/"instructions": 2,/,/]/p' |
		grep -c direct)"

# U -> M by an exception, and a mode that is off: source 0 is partial.
hop_bin
cat >rows.csv <<'EOS'
itype_0,iaddr_0,iretire_0,ilastsize_0,cause,tval,priv
0,100,1,0,0,0,0
5,102,1,1,0,0,0
0,200,1,0,0,0,0
1,202,0,0,2,0,0
0,100,1,0,0,0,3
5,102,1,1,0,0,3
0,200,1,0,0,0,3
EOS
"$HARTSCOPE" import --quiet --from csv --bin hop.bin@0x100 -o loop.rec rows.csv
is "an exception from U to M" "0x102 0x200 taken-branch -;0x202 0x100 exception -;0x102 0x200 taken-branch -" \
	"$(records)"
"$HARTSCOPE" ctr --json --ctr U=0 loop.rec | tr -d '\n ' >out
has "from a mode that is off" '"source":"0x0","target":"0x100","type":1,"name":"exception","misp":false,"partial":true' out
for protocol in "ntrace --set trTeContext=1" etrace; do
	# shellcheck disable=SC2086
	"$HARTSCOPE" encode -q --protocol $protocol -o modes.trace loop.rec
	"$HARTSCOPE" ctr --json --ctr U=0 loop.rec >want
	"$HARTSCOPE" ctr --json --ctr U=0 modes.trace >got
	is "modes of a trace, $protocol" "$(cat want)" "$(cat got)"
	rm -f modes.trace*
done
is "U alone: nothing of M" "0x102 0x200 taken-branch -" "$(records --ctr M=0)"
"$HARTSCOPE" ctr --json --ctr M=0 --ctr MTE=1 --ctr STE=1 loop.rec | tr -d '\n ' >out
has "an external trap" '"source":"0x202","target":"0x0","type":1,"name":"exception","misp":false,"partial":true' out
"$HARTSCOPE" ctr --export brstack --ctr U=0 --period 5 -o out loop.rec 2>err
has "brstack: partial records have the address 0" " 0x0/0x100/-/-/-/0" out

if command -v riscv64-linux-gnu-gcc >/dev/null && command -v qemu-riscv64 >/dev/null; then
	cat >fact.c <<'EOS'
int f(int n) { return n < 2 ? 1 : n * f(n - 1); }
int main(void) { volatile int s = 0; for (int i = 0; i < 50; i++) s += f(i % 9); return s & 1; }
EOS
	riscv64-linux-gnu-gcc -O1 -static -fno-inline fact.c -o fact || exit 1
	"$HARTSCOPE" record -q -o fact.rec -- ./fact >/dev/null
	for protocol in ntrace etrace; do
		"$HARTSCOPE" encode -q --protocol $protocol -o fact.$protocol fact.rec
		for args in "--ctr NTBREN=1 --ctr depth=256" \
			"--at insn=20000 --ctr cycles=instructions" \
			"--ctr RASEMU=1 --at insn=20000" \
			"--ctr version=0.1.4 --ctr DIRCALLINH=1 --at insn=19999"; do
			# shellcheck disable=SC2086
			"$HARTSCOPE" ctr --json $args fact.rec >want
			# shellcheck disable=SC2086
			"$HARTSCOPE" ctr --json $args fact.$protocol >got
			is "$protocol as the recording: $args" "$(cat want)" "$(cat got)"
		done
	done
	# Where the listing does not go on at the next address, there is a record.
	"$HARTSCOPE" list --format json fact.rec | awk -F '"' '
		/"pc":/ { size = $9; gsub(/[^0-9]/, "", size); print substr($6, 3), size }' >pcs
	awk 'function number(text,   v, i) { v = 0
			for (i = 1; i <= length(text); i++) v = 16 * v + index("0123456789abcdef", substr(text, i, 1)) - 1
			return v }
		{ pc = number($1) }
		NR > 1 && pc != from + size { print "0x" last, "0x" $1 }
		{ last = $1; from = pc; size = $2 }' pcs | tail -n 256 >want
	"$HARTSCOPE" ctr --json --ctr depth=256 fact.rec | awk -F '"' '/"source":/ {
		for (i = 1; i <= NF; i++) { if ($i == "source") s = $(i + 2); if ($i == "target") t = $(i + 2) }
		line[n++] = s " " t } END { while (n) print line[--n] }' >got
	is "256 records, as the listing jumps" "$(cat want)" "$(cat got)"
	is "256 of them" 256 "$(wc -l <got | tr -d ' ')"
	"$HARTSCOPE" ctr -q --export perf-data --period 1000 -o perf.data fact.rec &&
		"$PERF_READ" perf.data >out
	has "perf-data names the program's file" '^mmap2 .*/fact$' out
	is "perf-data: samples of a real program" \
		"$("$HARTSCOPE" ctr -q --export brstack --period 1000 fact.rec | grep -c -v PERF_RECORD)" \
		"$(grep -c '^sample' out)"
	# Where f has called itself, the folded stacks say so.
	"$HARTSCOPE" ctr -q --export folded --period 7 -o out fact.rec
	has "f is called by main and by itself" ';main;f;f;f [0-9]*$' out
	is "a sample each 7 instructions" \
		"$("$HARTSCOPE" stat --json fact.rec | tr -d ' \n' |
			sed 's/.*"instructions":\([0-9]*\),"blocks".*/\1/' |
		awk '{ print int(($1 - 1) / 7) }')" "$(awk '{ n += $NF } END { print n }' out)"
else
	ok "a real program # SKIP no riscv64-linux-gnu-gcc or qemu-riscv64"
fi
finish
