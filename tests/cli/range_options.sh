#!/bin/sh
# Every command with every option of ranges: what it counts is what a slow script counts in a
# listing of the whole (range_options.py).  Two threads with hints and ecalls, also with times, in
# a trace, and a system with processes, threads by perf and modes.
here=$(cd "$(dirname "$0")" && pwd)
. "$here/lib.sh"
gcc=riscv64-linux-gnu-gcc
need $gcc riscv64-linux-gnu-objdump python3 qemu-riscv64
$gcc -O1 -g -static -nostdlib -march=rv64gc -o two "$here/range_options.c" || exit 1
$gcc -g -nostdlib -march=rv64gc -Wl,-Ttext=0x1000 -Wl,-e,user -o shop \
	"$here/range_options.S" || exit 1
"$HARTSCOPE" record -q -o two.rec ./two || exit 1
"$HARTSCOPE" encode -q --cycles-per taken=3 --set trTsEnable=1 -o two.nt two.rec || exit 1
shop_csv
"$HARTSCOPE" import -q --from csv --elf shop -o shop.rec shop.csv || exit 1
"$HARTSCOPE" encode -q --set trTeContext=1 --set trTsEnable=1 -o shop.nt shop.rec || exit 1
# sh runs to time 11, ls to 18, and then a thread of sh.
cat >perf.txt <<-'EOS'
	  sh    12 [000] 7.000000001: PERF_RECORD_COMM exec: sh:12/12
	  sh    12 [000] 7.000000001: PERF_RECORD_FORK(12:14):(12:12)
	  sh    12 [000] 7.000000120: PERF_RECORD_SWITCH_CPU_WIDE OUT next pid/tid:    13/13
	  ls    13 [000] 7.000000120: PERF_RECORD_COMM exec: ls:13/13
	  ls    13 [000] 7.000000190: PERF_RECORD_SWITCH_CPU_WIDE OUT next pid/tid:    12/14
EOS
echo 'function leaf' >known.two
cat >known.shop <<-'EOS'
	function user
	process 0x81 0x81
	process sh 0x81
	process 13 0x92
	thread ls 12 19
	thread 14 19 1000000
	thread 12 0 12
	mode U 0x1000 0x1100
	mode S 0x1100 0x1200
	mode M 0x1200 0x1300
	mode S,M 0x1100 0x1300
EOS
for program in two shop; do
	riscv64-linux-gnu-objdump -d $program |
		sed -n 's/^ *\([0-9a-f]*\):\t\([0-9a-f]*\)[ \t].*/\1 \2/p' >$program.code
done

# The commands.  Each prints what it says of the part; $given is what else it needs.
number() { sed -n "s/.*\"$1\": *\"*\([0-9]*\).*/\1/p" | head -n 1; }
sum() { sed -n "s/.*\"$1\": *\"*\([0-9]*\).*/\1/p" | awk '{ n += $1 } END { print n + 0 }'; }
# shellcheck disable=SC2086  # words
tool() { command=$1; shift; "$HARTSCOPE" $command $given "$@" $file 2>err; }
of_list() { tool list --format pc "$@" | sort; }
of_stat() { tool stat -q --json "$@" | number instructions; }
of_calls() { tool calls -q --json "$@" | number instructions; }
of_report() { tool report -q --json "$@" | number instructions; }
of_pmu() { tool pmu -q --json "$@" | number instructions; }
of_ctr() { tool ctr -q --json "$@" | grep '"reached"' | sum instructions; }
of_traps() { tool traps -q --json "$@" | number trapCount; }
of_coverage() { tool coverage -q --json "$@" | sum instructions_executed; }
of_export() { tool 'export --format folded -o -' -q "$@" | awk '{ n += $NF } END { print n + 0 }'; }
of_annotate() { tool "annotate $function" -q --json "$@" | number instructions; }
# shellcheck disable=SC2086
of_diff() { "$HARTSCOPE" diff -q --json $given "$@" $file $file 2>err | number instructions_b; }
# shellcheck disable=SC2086
of_check() {
	"$HARTSCOPE" check -q $given "$@" $file $file 2>err |
		sed -n 's/^equal: .* blocks, \([0-9]*\) instructions.*/\1/p'
}
# What encode and decode wrote, read without the options.
written() { "$HARTSCOPE" list --format pc "$@" 2>err | sort; }
of_ntrace() { encoded ntrace "$@"; }
of_etrace() { encoded etrace "$@"; }
encoded() {
	protocol=$1
	shift
	rm -f out.tr
	case $file in # a trace says its own protocol where it is read
	*.rec) tool "encode --protocol $protocol" -q -o out.tr "$@" ;;
	*) tool "encode --protocol ntrace" -q -o out.tr "$@" ;;
	esac
	written --elf "$program" out.tr
}
of_decode() {
	rm -rf out.flow
	tool decode -q -o out.flow "$@"
	written out.flow
}

part() {
	text="$file $*"
	python3 "$here/range_options.py" all "$program.code" known."$program" "$@" >part
	read -r count distinct traps inside <part
	pcs=$(sed 1d part | sort)
	if [ -z "$pcs" ]; then
		bad "$text: the part is empty"
		return
	fi
	for name in list stat calls report pmu ctr traps coverage export annotate diff check \
		ntrace etrace decode; do
		want=$count
		case $name in
		list | ntrace | etrace | decode) want=$pcs ;;
		coverage) want=$distinct ;;
		traps) want=$traps ;;
		annotate) want=$inside ;;
		esac
		case $name:$file:$* in
		decode:*.rec:*) continue ;; # it needs no decoding
		annotate:*--function*) continue ;; # its argument
		esac
		[ "$name:$want" = annotate:0 ] && continue
		is "$name: $text" "$want" "$("of_$name" "$@")"
	done
}

# so_far BYTES: how many instructions come from the first bytes of the trace
so_far() {
	head -c "$1" $file >cut.nt
	cp $file.json cut.nt.json
	# shellcheck disable=SC2086
	"$HARTSCOPE" list --format pc $given cut.nt 2>err | wc -l
}

program=two function=leaf given='' file=two.rec
"$HARTSCOPE" list --json $given $file >all
pc=0x$(riscv64-linux-gnu-nm two | sed -n 's/^0*\([0-9a-f]*\) T leaf$/\1/p')
part --from 100 --to 400
part --last 300
part --from work@2 --to leaf@9
part --from "$pc@3" --to "$pc"
part --from insn:0x04d02013@2 --to insn:0x04d02013@4
part --from ecall:64@2 --to ecall:64@5
part --to ecall:220
part --function leaf
part --hart 1
part --thread 1
part --thread 0 --from work@2 --to ecall:94
part --thread 1 --function work

file=two.nt given='--elf two'
"$HARTSCOPE" list --json $given $file >all
part --from time:100 --to time:400
part --from ecall:64@3
# Bytes, where messages begin: the bytes before them, as a trace of their own, have so many.
"$HARTSCOPE" dump --json $file | sed -n 's/.*"offset": *"*\([0-9]*\).*/\1/p' >offsets
first=$(sed -n 10p offsets) second=$(sed -n 40p offsets)
for bytes in "$first" "$second"; do
	echo "byte $bytes $(so_far "$bytes")" >>known.two
done
part --from "byte:$first" --to "byte:$second"
part --thread 1
part --function work

# perf's times are a trace's; a recording has the same by its contexts.
program=shop function=user file=shop.nt
given='--elf shop --process-map perf.txt --time-conv 7000000000,10,0'
"$HARTSCOPE" list --json --elf shop $file >all
part --thread ls
part --thread 14
part --thread 12 --mode U
part --process 13
part --process sh --from 2
part --process 0x81 --mode S,M
part --mode U
part --function handle_call

# What is not there is said, by each command.
# shellcheck disable=SC2086  # words
for command in list stat calls report pmu ctr traps coverage 'export --format folded -o -' \
	'annotate user' 'encode --protocol ntrace -o out.tr' 'decode -o out.flow'; do
	for option in '--thread nobody' '--process nobody' '--function nobody'; do
		[ "$option" != '--function nobody' ] || command=${command% user} # annotate: its own
		"$HARTSCOPE" $command $option $given $file >out 2>err
		is "$command $option: exit status" 1 $?
		has "$command $option: says so" 'nobody' err
		is "$command $option: prints nothing else" 0 "$(wc -c <out)"
	done
done
# shellcheck disable=SC2086
for command in check diff; do
	exits "$command --thread nobody" 1 "$HARTSCOPE" $command --thread nobody $given $file $file
	has "$command --thread nobody: says so" "nothing ran in thread 'nobody'" err
	has "$command --thread nobody: what did" "'hartscope report --by thread' lists" err
	exits "$command --function nobody" 1 "$HARTSCOPE" $command --function nobody $given \
		$file $file
	has "$command --function nobody: says so" "no function that ran is called 'nobody'" err
done
# Nor is an older file replaced by an empty one.
"$HARTSCOPE" decode -q --elf two -o old.flow two.nt
files=$(ls -A old.flow | wc -l)
for command in 'export --format sqlite -o old' 'report --html -o old' 'coverage -o old' \
	'export --format port-csv -o old' 'decode --elf two -o old.flow'; do
	echo old >old
	case $command in decode*) file=two.nt ;; *) file=two.rec ;; esac
	# shellcheck disable=SC2086
	exits "$command: nothing there" 1 "$HARTSCOPE" $command --from nobody $file
	is "$command: the old file stays" "old $files" "$(cat old) $(ls -A old.flow | wc -l)"
done
exits 'a name of C++' 1 "$HARTSCOPE" list --from 'laef(int)' two.rec
has 'a name of C++: without its parameters' 'the nearest names are leaf' err
exits 'no such ecall' 1 "$HARTSCOPE" list --from ecall:65 two.rec
has 'no such ecall: says so' 'an ecall with number 65, is not reached: it ran 0 times' err

# A number that no instruction puts into a7.
cat >moved.S <<-'EOS'
	.globl _start
	_start: li a0, 93
	mv a7, a0
	ecall
EOS
$gcc -nostdlib -static -march=rv64gc -o moved moved.S
"$HARTSCOPE" record -q -o moved.rec ./moved
exits 'a number that is not known' 1 "$HARTSCOPE" list --from ecall:93 moved.rec
has 'a number that is not known: says so' 'the numbers of 1 ecalls are not known' err
exits 'a process that is no file' 2 "$HARTSCOPE" list --process 7: two.rec
exits 'a command without processes' 2 "$HARTSCOPE" dump --process sh two.nt
finish
