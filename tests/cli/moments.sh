#!/bin/bash
# Code of several moments (--then): which version ran is listed, counted and doubted, and what
# cannot be had with it is refused.
. "$(dirname "$0")/lib.sh"
loop_bin
head -c 6 loop.bin >later.bin # at 1006 a nop in place of the call
printf '\023\000\000\000' >>later.bin
tail -c 6 loop.bin >>later.bin

# The loop eight times, the last four with the nop, as Spike logs it.
turn() { # OPCODE-AT-1006 [PC OPCODE]
	local pc

	for pc in '1000 4509' '1002 157d' '1004 fd7d' '1002 157d' '1004 fd7d' "1006 $1" ${2:+"$2"} \
		'100a 00150513' '100e 8082'; do
		printf 'core   0: 0x%016x (0x%08x) x\n' "0x${pc% *}" "0x${pc#* }"
	done
}
for _ in 1 2 3 4; do turn 008000ef '100e 8082'; done >loop.log
for _ in 1 2 3 4; do turn 00000013; done >>loop.log
exits "a log in which code changes" 0 "$HARTSCOPE" import -q --from spike -o loop.rec loop.log
exits "list of the recording" 0 "$HARTSCOPE" list loop.rec
is "list shows the change at its place" '; other code at 0x1006
  0x1006  00000013  nop' "$(grep -A 1 '^; other' out)"
"$HARTSCOPE" list --format pc loop.rec >want.pcs
code='--bin loop.bin@0x1000 --then --bin later.bin@0x1000'

for mode in htm btm; do
	"$HARTSCOPE" encode -q --protocol ntrace --set trTeInstMode=$mode -o loop.tr loop.rec
	rm loop.tr.code # the moment
	# shellcheck disable=SC2086
	exits "$mode: list" 0 "$HARTSCOPE" list --format pc $code loop.tr
	is "$mode: as it ran" "$(cat want.pcs)" "$(cat out)"
	# shellcheck disable=SC2086
	exits "$mode: list, all" 0 "$HARTSCOPE" list $code loop.tr
	is "$mode: list shows the change between both" \
		'  0x1006  008000ef  jal 0x8                       # -> 0x100e
; other code at 0x1006
  0x1006  00000013  nop' "$(grep -E '^; other|^  0x1006' out | sed -n 4,6p)"
	# shellcheck disable=SC2086
	exits "$mode: stat" 0 "$HARTSCOPE" stat -q $code loop.tr
	has "$mode: stat counts the change" '^code changes  *1$' out
	is "$mode: stat lists the change" \
		'changes of code: hart, bytes, address, version, trace offset
                0                4  0x1006  image 1    0x0' "$(grep -A 1 '^changes' out)"
	is "$mode: no list without rows" 0 "$(grep -c '^where more' out)"
	# shellcheck disable=SC2086
	exits "$mode: stat --json" 0 "$HARTSCOPE" stat -q --json $code loop.tr
	json "$mode: stat" out
	has "$mode: both lists" '"doubts": *\[ *\]' out
	# shellcheck disable=SC2086
	exits "$mode: lint" 0 "$HARTSCOPE" lint $code loop.tr
	has "$mode: lint does not check the flow" 'the flow is not checked' err
	rm loop.tr*
done
exits "with the code of the first moment only" 3 sh -c "
	'$HARTSCOPE' encode -q -o loop.tr loop.rec && rm loop.tr.code &&
	'$HARTSCOPE' list --bin loop.bin@0x1000 loop.tr"

# E-Trace infers calls: the trace does not say which version ran.
"$HARTSCOPE" encode -q --protocol etrace -o loop.et loop.rec
rm loop.et.code
# shellcheck disable=SC2086
exits "in doubt" 3 "$HARTSCOPE" stat -q $code loop.et
is "stat lists the doubt" 'where more than one version fits: times, bytes, address
                1                4  0x1006' "$(grep -A 1 '^where more' out)"
has "stat counts it" '^versions in doubt  *1$' out
# shellcheck disable=SC2086
exits "programs of contexts" 2 "$HARTSCOPE" list $code --process 1:loop.bin loop.et
has "says what is refused" 'code of several moments is one for all contexts' err
finish
