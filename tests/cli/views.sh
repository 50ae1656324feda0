#!/bin/sh
# A small system: two processes, whose code has the same addresses, a kernel and a firmware.
. "$(dirname "$0")/lib.sh"

# As binutils disassembles it:
#   1000 4509      li a0,2        1100 0001      nop       1200 0001      nop
#   1002 157d      add a0,a0,-1   1102 00000073  ecall     1202 30200073  mret
#   1004 00000073  ecall          1106 0001      nop
#   1008 bfed      j 1002         1108 10200073  sret
{
	printf '\011\105\175\025\163\000\000\000\355\277'
	head -c 246 /dev/zero
	printf '\001\000\163\000\000\000\001\000\163\000\040\020'
	head -c 244 /dev/zero
	printf '\001\000\163\000\040\060'
} >shop.bin

shop_csv
"$HARTSCOPE" import -q --from csv --bin shop.bin@0x1000 -o shop.rec shop.csv
is "import" 0 $?
printf '%s\n' '0000000000001100 T handle_call' '0000000000001200 T _end' >System.map

exits "by process" 0 "$HARTSCOPE" stat --by process shop.rec
has "by process: the first" '^ *10  *52.63 %  *2  context 0x81$' out
has "by process: the second" '^ *9  *47.37 %  *1  context 0x92$' out
exits "by process, with a kernel's names" 0 "$HARTSCOPE" stat --by process --kallsyms System.map \
	shop.rec
has "a function of the first" '^ *4  *21.05 %  *1  handle_call  context 0x81$' out
has "the same of the second" '^ *4  *21.05 %  *1  handle_call  context 0x92$' out
exits "by nothing, with a kernel's names" 0 "$HARTSCOPE" stat --kallsyms System.map shop.rec
has "the function of both" '^ *8  *42.11 %  *2  handle_call$' out
exits "by mode" 0 "$HARTSCOPE" stat --by mode shop.rec
has "by mode: U" '^ *7  *36.84 %  U$' out
has "by mode: S" '^ *8  *42.11 %  S$' out
has "by mode: M" '^ *4  *21.05 %  M$' out
exits "by hart" 0 "$HARTSCOPE" stat --by hart shop.rec
has "by hart: the only one" '^ *19  *100.00 %  *0$' out
exits "by what there is not" 2 "$HARTSCOPE" stat --by cpu shop.rec
for by in process thread hart mode; do
	"$HARTSCOPE" stat --json --by $by shop.rec >out
	json "stat --by $by" out
done

"$HARTSCOPE" list --kallsyms System.map --from 17 shop.rec >out
begins='; context 0x92, privilege 1 handle_call+0x8 1108 ;'
is "list: the context where it begins, and its switch" \
	"$begins context 0x81, privilege 1 <no symbol> 1008" \
	"$(sed 's/^  0x\([0-9a-f]*\) .*/\1/' out | tr '\n' ' ' | sed 's/ $//')"
"$HARTSCOPE" list --json --from 17 shop.rec >out
json "list --from" out

# What is selected, and what is not.
pcs() { "$HARTSCOPE" list --format pc "$@" shop.rec | tr '\n' ' ' | sed 's/ $//'; }
is "only a context" '1000 1002 1004 1100 1102 1200 1202 1106 1108' "$(pcs --only 0x92)"
is "only a mode" '1000 1002 1004 1000 1002 1004 1008' "$(pcs --mode U)"
is "only a mode of a context" '1000 1002 1004 1008' "$(pcs --mode U --only 129)"
is "two modes" '1100 1102 1200 1202 1106 1108 1100 1102 1200 1202 1106 1108' "$(pcs --mode S,M)"
is "only what nobody is" '' "$(pcs --only sh)"
exits "a mode that there is not" 2 "$HARTSCOPE" list --mode X shop.rec
exits "no mode" 2 "$HARTSCOPE" list --mode '' shop.rec
exits "stat of a mode" 0 "$HARTSCOPE" stat --mode U --by process shop.rec
has "stat of a mode: instructions" '^instructions  *7$' out
has "stat of a mode: the first" '^ *4  *57.14 %  *2  context 0x81$' out
exits "list of a mode" 0 "$HARTSCOPE" list --mode U shop.rec
has "list of a mode: what is left out" '^; left out: 3 blocks$' out
exits "pmu of a mode" 0 "$HARTSCOPE" pmu --mode M shop.rec
has "pmu of a mode: instructions" '^instructions  *4$' out
exits "ctr of a context" 0 "$HARTSCOPE" ctr --only 0x92 shop.rec

exits "pmu by process" 0 "$HARTSCOPE" pmu --by process --kallsyms System.map shop.rec
has "pmu by process: the first" '^ *10  .*  context 0x81$' out
has "pmu by process: a kernel's function" '^ *4  .*  handle_call$' out
exits "pmu by hart" 0 "$HARTSCOPE" pmu --by hart shop.rec
has "pmu by hart: the only one" '^ *19 .*  *0$' out
exits "ctr with a kernel's names" 0 "$HARTSCOPE" ctr --kallsyms System.map shop.rec
has "ctr with a kernel's names: a trap to it" ' 0x1004  *0x1100 handle_call$' out
exits "folded with a kernel's names" 0 "$HARTSCOPE" ctr -q --export folded --period 1 \
	--kallsyms System.map shop.rec
has "folded with a kernel's names: in the kernel" 'handle_call' out

# With names: those of a map of processes.
cat >processes.json <<-'EOS'
	{"format":"hartscope-processes","version":1}
	{"pid":12,"context":"0x81","name":"sh"}
	{"pid":13,"context":"0x92","name":"ls"}
EOS
exits "by process, with names" 0 "$HARTSCOPE" stat --by process --process-map processes.json \
	shop.rec
has "with names: the first" '^ *10  *52.63 %  *2  sh (pid 12)$' out
has "with names: the second" '^ *9  *47.37 %  *1  ls (pid 13)$' out
"$HARTSCOPE" stat --json --by process --process-map processes.json shop.rec >out
json "stat --by process, with names" out
has "with names, as JSON" '"process": "ls","context": "0x92","pid": 13' out
exits "list with names" 0 "$HARTSCOPE" list --process-map processes.json shop.rec
has "list with names: a switch" '^; context 0x92, privilege 1: ls (pid 13)$' out
is "only a name" '1000 1002 1004' "$(pcs --only ls --mode U --process-map processes.json)"
is "only a number" '1000 1002 1004 1008' "$(pcs --only 12 --mode U --process-map processes.json)"
exits "a call chain with names" 0 "$HARTSCOPE" ctr -q --export callchain --period 1 \
	--process-map processes.json shop.rec
has "a call chain with names: who" '^ls 13 ' out

# Threads: by the switches of perf's text, whose times a conversion makes those of the trace.  sh
# runs to time 11, ls to 18, and then a thread of sh.
"$HARTSCOPE" encode -q --protocol ntrace --set trTeContext=1 --set trTsEnable=1 -o shop.nt shop.rec
cat >perf.txt <<-'EOS'
	  sh    12 [000] 7.000000001: PERF_RECORD_COMM exec: sh:12/12
	  sh    12 [000] 7.000000001: PERF_RECORD_FORK(12:14):(12:12)
	  sh    12 [000] 7.000000120: PERF_RECORD_SWITCH_CPU_WIDE OUT next pid/tid:    13/13
	  ls    13 [000] 7.000000120: PERF_RECORD_COMM exec: ls:13/13
	  ls    13 [000] 7.000000190: PERF_RECORD_SWITCH_CPU_WIDE OUT next pid/tid:    12/14
EOS
threads() { "$HARTSCOPE" "$@" --by thread --process-map perf.txt --bin shop.bin@0x1000 shop.nt; }
exits "by thread" 0 threads stat --time-conv 7000000000,10,0
has "by thread: the first" '^ *9  *47.37 %  *1  sh (pid 12, tid 12)$' out
has "by thread: the second" '^ *9  *47.37 %  *1  ls (pid 13, tid 13)$' out
has "by thread: the third, by its parent's name" '^ *1  *5.26 %  *1  sh (pid 12, tid 14)$' out
exits "pmu by thread" 0 threads pmu --time-conv 7000000000,10,0
has "pmu by thread: the third" '^ *1 .*  sh (pid 12, tid 14)$' out
threads stat --json --time-conv 7000000000,10,0 >out
json "stat --by thread" out
has "by thread, as JSON" '"pid": 12,"tid": 14' out
exits "by thread without a conversion" 0 threads stat
has "says so" "2 switches of threads are not used" err
exits "a conversion without a multiplier" 2 threads stat --time-conv 7

# The same of a perf.data that has it all: TIME_CONV, and the processes in their contexts.
"$HARTSCOPE" encode -q --protocol ntrace --set trTeContext=1 --set trTsEnable=1 --perf-data cpu \
	-o shop.data shop.rec
for by in process thread; do
	exits "by $by of a perf.data" 0 "$HARTSCOPE" stat --by $by shop.data
	has "the first" '^ *10  *52.63 %  *2  ctx-81 (pid 1001' out
	has "the second" '^ *9  *47.37 %  *1  ctx-92 (pid 1002' out
done
exits "pmu of a perf.data" 0 "$HARTSCOPE" pmu --by thread shop.data
has "pmu of a perf.data: the second" '^ *9 .*  ctx-92 (pid 1002, tid 1002)$' out
exits "ctr of a perf.data" 0 "$HARTSCOPE" ctr shop.data
"$HARTSCOPE" ctr shop.rec >expected
is "as of the recording" "$(cat expected)" "$(cat out)"

exits "calls with a kernel's names" 0 "$HARTSCOPE" stat --calls --kallsyms System.map shop.rec
has "calls with a kernel's names: traps to it" '^ *0  *2  *2  handle_call$' out

# Traps, of which the firmware's are inside the kernel's.
exits "traps" 0 "$HARTSCOPE" stat --traps --kallsyms System.map shop.rec
has "traps: of processes" '^ *8  *2  *1  U -> S  environment call from U-mode  handle_call$' out
has "traps: the second process came by a return" '^returns without trap 1$' out
has "traps: of the kernel" '^ *4  *2  *2  S -> M  environment call from S-mode  (no symbol)$' out
"$HARTSCOPE" stat --traps --json shop.rec >out
json "stat --traps" out


# Traps one by one: the kernel's call of the firmware is inside of the process's.
exits "traps" 0 "$HARTSCOPE" traps --kallsyms System.map shop.rec
has "traps: how many" '^traps  *4$' out
has "traps: handled until the second process's end" \
	'^ *3  *0  U -> S  environment call from U-mode  handle_call.* 0x1004 .* 15 handled$' out
has "traps: inside of it" \
	'^ *5  *0  S -> M  environment call from S-mode .* 0x1102  handle_call+0x2  *2 handled$' out
has "traps: one that did not return" '^ *12  *0  U -> S .* 0x1004 .*  -$' out
exits "traps --json" 0 "$HARTSCOPE" traps --json --top 2 shop.rec
json "traps" out
is "traps --top" 2 "$(grep -c '"epc"' out)"
exits "list" 0 "$HARTSCOPE" list shop.rec
has "list: where a trap struck, and its modes" \
	'^; trap: cause 9 .*, value 0x0, epc 0x1102, S -> M$' out
exit $failed
