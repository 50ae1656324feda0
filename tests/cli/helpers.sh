#!/bin/sh
# What tests share: a check that fails prints a sentence, HARTSCOPE_ONLY chooses checks.
. "$(dirname "$0")/lib.sh"
unset HARTSCOPE_ONLY
: "${FAILING:?a program whose cases fail}"

# case NAME SENTENCE: of a program of C
case_says() {
	HARTSCOPE_ONLY=$1 "$FAILING" >out 2>&1
	is "C: $1: one case ran" 1 "$(grep -c '^not ok\|^ok' out)"
	has "C: $1: its sentence" "^# $2\$" out
}
case_says 'numbers*' 'bytes is 12 (0xc), expected sizeof(uint32_t), which is 4'
case_says '*negative' 'found is -1 (0xffffffffffffffff), expected 3'
case_says '*condition*' 'ended is false, expected true'
case_says '*pointer*' 'name is NULL, expected a pointer'
case_says 'strings differ' 'name is "main", expected "exit"'
case_says 'bytes*' 'byte 2 of 3 of packet is 0x3, expected 0x4'
HARTSCOPE_ONLY='all*' "$FAILING" >out 2>&1
is "C: only what is well" 0 $?
HARTSCOPE_ONLY='no such' "$FAILING" >out 2>&1
is "C: no case fits" 77 $?

# shell_says HELPER PATTERN STATUS TEXT: what the checks of $checks print
shell_says() {
	exits "$1: $2" "$3" env HARTSCOPE_ONLY="$2" \
		sh -c ". '$HARTSCOPE_SOURCE/tests/$1'; $checks" \
		"$HARTSCOPE_SOURCE/tests/cli/helpers.sh"
	is "$1: $2: what it prints" "$4" "$(cat out)"
}

checks='ok first
is second 1 2
exits third 3 sh -c "echo no such thing >&2; exit 4"
echo line >file
has fourth "^other" file
finish'
shell_says cli/lib.sh first 0 'ok - first'
shell_says cli/lib.sh 'no such' 77 '1..0 # SKIP no check fits HARTSCOPE_ONLY'
shell_says cli/lib.sh 'sec*' 1 'FAIL - second
  expected: 1
  got:      2'
shell_says cli/lib.sh 'third*' 1 'FAIL - third: exit status
  expected: 3
  got:      4
  of stderr: no such thing'
shell_says cli/lib.sh '*rth' 1 "FAIL - fourth
  expected: a line like '^other' in file, which begins with:
  line"

echo why >why
checks="verdict first 0; verdict second 7 $dir/why; exit \$status"
shell_says conformance/verdict.sh 'sec*' 1 'not ok - second
  expected: status 0; got: 7, and why has:
  why'
checks="status=0; $checks"
shell_says conformance/verdict.sh first 0 'ok - first'
finish
