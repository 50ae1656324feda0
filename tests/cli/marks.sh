#!/bin/sh
# record --from and --to: the recording is the part of a whole one that the marks say, instruction
# by instruction; what the program does is as without.
. "$(dirname "$0")/lib.sh"
: "${HARTSCOPE_SOURCE:?the source folder}"
gcc=riscv64-linux-gnu-gcc
need $gcc qemu-riscv64
source=$HARTSCOPE_SOURCE/tests/programs/marks.c
$gcc -O1 -static "$source" -o fixed || exit 1
$gcc -O1 -static-pie -fPIE "$source" -o moved || $gcc -O1 -pie -fPIE "$source" -o moved || exit 1

# A whole recording: PCs, and instructions with their bytes.
"$HARTSCOPE" record -q -o whole.rec -- ./fixed >/dev/null
"$HARTSCOPE" list --format pc whole.rec >whole
"$HARTSCOPE" list whole.rec >whole.text
sed -nE 's/^ *(0x[0-9a-f]+  [0-9a-f]{4,8} .*)/\1/p' whole.text >whole.insns
work=$(sed -n '/^work+0x0$/{n;s/^ *0x\([0-9a-f]*\) .*/\1/p}' whole.text | sort -u)
[ -n "$work" ] || { bad 'the program has its marks'; exit 1; }

# hint N, write N: the line of whole with the Nth hint 77, with the ecall of the Nth write()
hint() {
	awk '/  04d02013 / { print NR }' whole.insns | sed -n "$1p"
}

write() {
	awk '/ li a7, 0x40$/ { w = 1 } /  00000073 / { if (w) print NR; w = 0 }' whole.insns |
		sed -n "$1p"
}

# line PC N: the line of whole where PC comes the Nth time
line() {
	grep -nx "$1" whole | sed -n "$2p" | cut -d : -f 1
}

# part TEXT FROM TO MARKS...: recorded with MARKS it is lines FROM to TO - 1 of whole; 0: to the end
part() {
	text=$1 from=$2 to=$3
	shift 3
	printf 'ab' >want.out
	"$HARTSCOPE" record -q -o part.rec "$@" -- ./fixed >out 2>err
	is "$text: exit status" 5 $?
	is "$text: output" ab "$(cat out)"
	"$HARTSCOPE" list --format pc part.rec >part
	if [ "$to" = 0 ]; then
		tail -n "+$from" whole >want
	else
		sed -n "$from,$((to - 1))p" whole >want
	fi
	if cmp -s want part && [ -s part ]; then
		ok "$text: $(wc -l <part) instructions"
	else
		bad "$text: $(wc -l <part) instructions, not $(wc -l <want)"
		diff want part | head -n 6
	fi
	has "$text: count" "\"instructions\": $(wc -l <want)" part.rec/manifest.json
	has "$text: complete" '"complete": true' part.rec/manifest.json
	case "$*" in
	*--to*#* | *--exact*) ;; # record counts from where it began
	*)
		"$HARTSCOPE" list --format pc "$@" whole.rec >listed 2>err
		cmp -s want listed
		is "$text: as a range of the whole recording" 0 $?
		;;
	esac
}

part 'from a symbol' "$(line "$work" 1)" 0 --from work
part 'from a symbol, the third time' "$(line "$work" 3)" 0 --from work#3
part 'from an address to an address' "$(line "$work" 2)" "$(line "$work" 9)" \
	--from "0x$work#2" --to "0x$work#7"
part 'from an instruction' "$(hint 1)" 0 --from insn:0x04d02013
part 'to an instruction, the second time' 1 "$(hint 2)" --to insn:0x04d02013#2
part 'from a system call' "$(write 1)" 0 --from ecall:64
part 'from the second system call' "$(write 2)" 0 --from ecall:64#2
part 'between two system calls' "$(write 1)" "$(write 2)" --from ecall:64 --to ecall:64
part 'with probes for faults' "$(line "$work" 4)" "$(line "$work" 6)" --exact-faults \
	--from work#4 --to work#2
has 'the end says so' '"end": "mark"' part.rec/manifest.json

# A program that is loaded elsewhere than its file says.
"$HARTSCOPE" record -q -o moved.rec --from work#2 --to work -- ./moved >/dev/null 2>&1
is 'a moved program' 1 "$("$HARTSCOPE" list moved.rec | grep -c '^work+0x0$')"
has 'a moved program: the mark ends it' '"end": "mark"' moved.rec/manifest.json

# Data accesses of the part only.  QEMU 10 places a stack anew each time: against the first address.
from_first() {
	python3 -c 'import re, sys
text = sys.stdin.read()
access = r"(# [a-z ]+) 0x([0-9a-f]+)"
first = int(re.search(access, text).group(2), 16)
def place(m):
    offset = int(m.group(2), 16) - first
    return "%s first%+d" % (m.group(1), offset) if abs(offset) < 65536 else m.group(0)
print(re.sub(access, place, text), end="")'
}
"$HARTSCOPE" record -q --data -o data.rec -- ./fixed >/dev/null
"$HARTSCOPE" list --function work data.rec | grep '#' | sed -n '1,400p' | from_first >whole.data
"$HARTSCOPE" record -q --data --from work --to work#2 -o part.rec -- ./fixed >/dev/null
"$HARTSCOPE" list --function work part.rec | grep '#' | from_first >part.data
n=$(wc -l <part.data)
is 'data: accesses of the first call' "$(head -n "$n" whole.data)" "$(cat part.data)"
[ "$n" -gt 10 ] && ok 'data: there are some' || bad 'data: there are some'

# Only the child comes to its mark.
"$HARTSCOPE" record -q -o fork.rec --from insn:0x04e02013 -- ./fixed child >/dev/null 2>err
has 'the child is recorded' '"instructions": [1-9]' fork.rec/child-1/manifest.json
has 'its parent is not' '"instructions": 0' fork.rec/manifest.json
is 'nothing is recorded: a message' \
	'hartscope record: --from was not reached: nothing is recorded' \
	"$(cat err)"

# In both protocols; also where hart 0 executes nothing, and the flow has hart 1 only.
$gcc -O1 -static "$HARTSCOPE_SOURCE/tests/programs/marks_thread.c" -o thread || exit 1
"$HARTSCOPE" record -q -o part.rec --from work --to work#6 -- ./fixed >/dev/null
"$HARTSCOPE" record -q -o second.rec --from work --to end -- ./thread
has 'a thread at its marks: the first one executes nothing' '"instructions": 0' \
	second.rec/manifest.json
for protocol in ntrace etrace; do
	for rec in part.rec second.rec; do
		"$HARTSCOPE" encode -q --protocol $protocol -o part.trace $rec
		"$HARTSCOPE" decode -q -o part.flow part.trace
		exits "$protocol, $rec: equal" 0 "$HARTSCOPE" check $rec part.flow
		exits "$protocol, $rec: no difference" 0 "$HARTSCOPE" diff part.flow $rec
		rm -rf part.trace part.trace.* part.flow TRACE.json
	done
done

# What is no mark.
for mark in 0x1001 insn: insn:zz ecall: work#0 'work#' '' 0x1000#99999999999; do
	exits "--from '$mark' is refused" 2 "$HARTSCOPE" record -q --from "$mark" -- ./fixed
	has "--from '$mark': says what marks are" 'insn:BITS or ecall:NUMBER' err
done
exits 'an unknown symbol' 126 "$HARTSCOPE" record -q --from nowhere -- ./fixed
has 'an unknown symbol: says which' 'has no symbol nowhere' err
exit $failed
