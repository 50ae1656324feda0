#!/bin/sh
# Ranges: each command with each kind of position gives what it gives of a recording that has only
# that part, which a slow script cuts out of a listing (cut.py).
here=$(cd "$(dirname "$0")" && pwd)
. "$here/lib.sh"
if ! command -v riscv64-linux-gnu-gcc >/dev/null || ! command -v python3 >/dev/null; then
	echo "skipped: no riscv64-linux-gnu-gcc or python3"
	exit 77
fi
riscv64-linux-gnu-gcc -O1 -g -static -nostdlib -march=rv64gc -o prog "$here/ranges.c" || exit 1
"$HARTSCOPE" record -q -o prog.rec ./prog || exit 1
"$HARTSCOPE" encode -q -o prog.nt prog.rec || exit 1
"$HARTSCOPE" encode -q --protocol etrace -o prog.te prog.rec || exit 1
"$HARTSCOPE" list --json=array prog.rec >all.json
riscv64-linux-gnu-objdump -d prog | sed -n 's/^ *\([0-9a-f]*\):\t\([0-9a-f]*\) .*/\1 \2/p' >code
work=0x$(riscv64-linux-gnu-nm prog | sed -n 's/^0*\([0-9a-f]*\) T work$/\1/p')

# part TEXT OPTION...: all commands on this part, against a recording of the part
part() {
	what=$1
	shift
	python3 "$here/cut.py" all.json code "$@" >pcs
	if ! [ -s pcs ]; then
		bad "$what: the part is empty"
		return
	fi
	"$HARTSCOPE" list --format pc "$@" prog.rec >got 2>err
	cmp pcs got >out 2>&1
	is "list, $what" 0 $?
	"$HARTSCOPE" list --format pc --elf prog "$@" prog.nt >got 2>err
	cmp pcs got >out 2>&1
	is "list of a trace, $what" 0 $?
	rm -rf cut.rec
	"$HARTSCOPE" import -q --from pcs --elf prog -o cut.rec pcs
	for command in 'stat --calls --by hart' calls ctr 'ctr --json' pmu report traps coverage \
		'export --format folded -o -'; do
		# shellcheck disable=SC2086  # words
		"$HARTSCOPE" $command "$@" prog.rec 2>err | same_words >got
		# shellcheck disable=SC2086
		"$HARTSCOPE" $command cut.rec | same_words >want
		is "$command, $what" "$(cat want)" "$(cat got)"
	done
	for protocol in ntrace etrace; do
		"$HARTSCOPE" encode -q --protocol $protocol -o cut.nt "$@" prog.rec
		"$HARTSCOPE" list --format pc --elf prog cut.nt >got 2>err
		cmp pcs got >out 2>&1
		is "encode, $protocol, $what" 0 $?
	done
	rm -rf cut.flow
	"$HARTSCOPE" decode -q --elf prog -o cut.flow "$@" prog.nt
	"$HARTSCOPE" list --format pc cut.flow >got
	cmp pcs got >out 2>&1
	is "decode, $what" 0 $?
	exits "check, $what" 0 "$HARTSCOPE" check --elf prog "$@" prog.rec prog.nt
	has "check, $what: instructions" "$(wc -l <pcs | tr -d ' ') instructions" out
	exits "check of two traces, $what" 0 "$HARTSCOPE" check --elf prog "$@" prog.nt prog.te
	has "check of two traces, $what: instructions" \
		"$(wc -l <pcs | tr -d ' ') instructions" out
	"$HARTSCOPE" encode -q --protocol etrace --elf prog -o again.te "$@" prog.nt
	"$HARTSCOPE" list --format pc --elf prog again.te >got 2>err
	cmp pcs got >out 2>&1
	is "encode of a trace, $what" 0 $?
}

# A list of PCs has no modes and events, does not say how its last block ended, and not that a
# program exits.
same_words() {
	sed -e '/^events$/,/^$/d' -e '/  branch not taken$/d' -e '/  none$/d' \
		-e 's/  U$/  unknown/' |
		awk '/system call 9[34] / { if (!n++) next; next } { line[++count] = $0 }
			END { for (i = 1; i <= count; i++) {
				if (n && line[i] ~ /^traps +[0-9]+$/) {
					split(line[i], word)
					sub(/[0-9]+$/, word[2] - 1, line[i])
				}
				print line[i] } }'
}

part 'numbers' --from 400 --to 1012
part 'up to a number' --to 1000
part 'from a number' --from 1000
part 'the last' --last 150
part 'from a function to the next' --from work --to work
part 'calls by number' --from work@2 --to fib@60
part 'an address to its next time' --from "$work@3" --to "$work"
part 'an instruction to a function' --from insn:0x04d02013@2 --to leaf@16

# Only a function: there is no recording that is the same.
for options in '--function leaf' '--function fib --from work@2' '--function work --to 1007'; do
	# shellcheck disable=SC2086  # words
	python3 "$here/cut.py" all.json code $options >pcs
	# shellcheck disable=SC2086
	"$HARTSCOPE" list --format pc $options prog.rec >got 2>err
	cmp pcs got >out 2>&1
	is "list $options" 0 $?
	for command in stat calls pmu; do
		# shellcheck disable=SC2086
		"$HARTSCOPE" $command --json $options prog.rec >out
		is "$command $options" "$(wc -l <pcs | tr -d ' ')" \
			"$(sed -n 's/.*"instructions": *"*\([0-9]*\).*/\1/p' out | head -1)"
	done
done

# Two halves are the whole, wherever they part; the events, too.
"$HARTSCOPE" list prog.rec | grep -v '^[^ ;]' >whole
for at in 1 2 3 5 77 1003 2000; do
	{
		"$HARTSCOPE" list --to $at prog.rec
		"$HARTSCOPE" list --from $at prog.rec
	} | grep -v '^[^ ;]' >got
	cmp whole got >out 2>&1
	is "two halves at $at" 0 $?
done
bytes=$(wc -c <prog.nt)
"$HARTSCOPE" list --format pc --elf prog prog.nt >all
for at in 1 40 $((bytes / 2)) $((bytes - 40)); do
	"$HARTSCOPE" list --format pc --elf prog --to byte:$at prog.nt >got 2>err
	"$HARTSCOPE" list --format pc --elf prog --from byte:$at prog.nt >>got 2>err
	cmp all got >out 2>&1
	is "two halves of a trace at byte $at" 0 $?
done

# Exact to the message: what a trace has up to there is what is decoded of that many bytes of it.
# Of the last packet an E-Trace decoder knows more when the next one comes, or the end.
for protocol in ntrace etrace; do
	"$HARTSCOPE" encode -q --protocol $protocol -o cut prog.rec
	"$HARTSCOPE" dump cut >messages
	before=0
	for message in 2 3 4 7 12; do
		at=0x$(sed -n ${message}p messages | cut -c 1-8 | tr -d ' ')
		head -c $((at)) cut >part
		"$HARTSCOPE" list --format pc --elf prog --protocol $protocol part 2>err >want
		"$HARTSCOPE" list --format pc --elf prog --to byte:$at cut >got 2>err
		least=$before
		[ $protocol = etrace ] || least=$(wc -l <want)
		head -n "$(wc -l <got)" want | cmp - got >out 2>&1
		is "$protocol: up to message $message at $at" 0 $?
		[ "$(wc -l <got)" -ge "$least" ]
		is "$protocol: up to message $message: all of it" 0 $?
		before=$(wc -l <want)
	done
done

# What is not there.
for command in list stat calls pmu ctr report traps coverage; do
	exits "$command: no such function" 1 "$HARTSCOPE" $command --function wrok prog.rec
	has "$command: the nearest names" \
		"no function that ran is called 'wrok'; the nearest names are work, " err
	exits "$command: from no such function" 1 "$HARTSCOPE" $command --from laef prog.rec
	has "$command: the nearest names to begin at" 'nearest names are leaf, ' err
	exits "$command: a call too many" 1 "$HARTSCOPE" $command --from work@7 prog.rec
	has "$command: how often it ran" "function 'work', is not reached: it ran 6 times" err
	exits "$command: past the end" 1 "$HARTSCOPE" $command --from 999999 prog.rec
	has "$command: how many there are" 'not reached: there are [0-9]* instructions' err
	exits "$command: the end first" 1 "$HARTSCOPE" $command --from work@3 --to work@2 prog.rec
	has "$command: that it is first" 'its end is not after its start' err
	exits "$command: the end's number first" 2 "$HARTSCOPE" $command --from 9 --to 9 prog.rec
	exits "$command: no position" 2 "$HARTSCOPE" $command --from insn: prog.rec
	exits "$command: two kinds of range" 2 "$HARTSCOPE" $command --from 3 --last 4 prog.rec
done
finish
