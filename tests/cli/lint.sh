#!/bin/sh
# hartscope lint on streams written by hand (NT 3.1, 7) and on what encode writes.
. "$(dirname "$0")/lib.sh"

# ProgTraceSync SYNC=5 F-ADDR=0x80, DirectBranch I-CNT=3, ProgTraceCorrelation EVCODE=0 I-CNT=1.
printf '\044\025\000\013\014\017\204\000\007' >good.nt
exits "a clean stream" 0 "$HARTSCOPE" lint good.nt
is "its summary" "9 bytes, 3 messages: 0 errors, 0 warnings, 0 notes" "$(cat out)"

# The same with I-CNT 0 in DirectBranch, and MSEO 10 in the last message.
printf '\044\025\000\013\014\003\204\002\007' >bad.nt
exits "a stream with findings" 1 "$HARTSCOPE" lint bad.nt
has "the kind, its place and clause" \
	'^ *4  error    direct-branch-icnt-0: DirectBranch I-CNT=0x0: .*(NT 8.4)$' out
has "a kind of bytes" '^ *7  error    mseo-10-after-00: ' out
has "the summary" '^9 bytes, 2 messages: 2 errors, 0 warnings, 0 notes$' out
exits "JSON" 1 "$HARTSCOPE" lint --json bad.nt
json "findings" out
has "a finding as JSON" \
	'"offset":4,"kind":"direct-branch-icnt-0","severity":"error","clause":"NT 8.4"' out
exits "JSON of a clean stream" 0 "$HARTSCOPE" lint --json good.nt
json "no findings" out

printf '\044\025\000\013\014\003\014\003\014\003\204\000\007' >many.nt
exits "three of a kind" 1 "$HARTSCOPE" lint --max 1 many.nt
is "one shown" 1 "$(grep -c 'error    direct-branch-icnt-0' out)"
has "three counted" '^direct-branch-icnt-0: 3 in all, 1 shown$' out

# Standard input, and a rule of one text: SYNC 5 after EVCODE 0.
printf '\044\025\000\013\204\000\007\044\025\000\013\204\000\007' >again.nt
exits "rc7 forbids SYNC 5 after debug mode" 1 "$HARTSCOPE" lint again.nt
exits "1.0 does not" 0 "$HARTSCOPE" lint --dialect 1.0 again.nt
"$HARTSCOPE" lint - <bad.nt >out 2>err
is "standard input" 1 $?

tables=${HARTSCOPE_SOURCE:?}/src
exits "kinds" 0 "$HARTSCOPE" lint --kinds
has "a kind in the table" '^hist-without-stop-bit  *error  *both  *NT 8.3 ' out
is "a row each" \
	"$(grep -c '^HS_NT_FINDING(' "$tables/ntrace/nt_findings.def")" "$(wc -l <out)"
exits "kinds as JSON" 0 "$HARTSCOPE" lint --kinds --json
json "kinds" out

exits "no trace" 2 "$HARTSCOPE" lint
exits "no such file" 2 "$HARTSCOPE" lint none.nt
exits "no such dialect" 2 "$HARTSCOPE" lint --dialect none good.nt

# What is left out: a kind, or all below a severity.  Only notes are no failure.
exits "a kind is ignored" 1 "$HARTSCOPE" lint --ignore direct-branch-icnt-0 bad.nt
has "and not counted" '^9 bytes, 2 messages: 1 errors, 0 warnings, 0 notes; 1 left out$' out
exits "two kinds are ignored" \
	0 "$HARTSCOPE" lint --ignore direct-branch-icnt-0 --ignore mseo-10-after-00 bad.nt
is "nothing shown" "9 bytes, 2 messages: 0 errors, 0 warnings, 0 notes; 2 left out" "$(cat out)"
exits "no such kind" 2 "$HARTSCOPE" lint --ignore none bad.nt
exits "no such severity" 2 "$HARTSCOPE" lint --severity none bad.nt
exits "errors" 1 "$HARTSCOPE" lint --severity error bad.nt
printf '\044\025\000\013\014\017' >open.nt
exits "only a note" 0 "$HARTSCOPE" lint open.nt
has "the note" ' note     stream-ends-while-on: ' out
exits "no notes" 0 "$HARTSCOPE" lint --severity warning open.nt
is "the note is left out" \
	"6 bytes, 2 messages: 0 errors, 0 warnings, 0 notes; 1 left out" "$(cat out)"

# E-Trace, the reference flow's framing: support (1f 00), synchronisation at 0x1000, support
# ended_rep (5f 00), which may come once.
printf '\101\037\103\163\000\010\101\137' >good.et
et="lint --protocol etrace --dialect reference"
exits "E-Trace: a clean stream" 0 "$HARTSCOPE" $et good.et
is "E-Trace: its summary" "8 bytes, 3 messages: 0 errors, 0 warnings, 0 notes" "$(cat out)"
printf '\101\037\103\163\000\010\101\137\101\137' >bad.et
exits "E-Trace: ended twice" 1 "$HARTSCOPE" $et bad.et
has "E-Trace: the kind, its bit and clause" \
	'^ *8  error    ended-while-off: Support .*\[qual_status\], bit 6 (ET Format 3 subformat 3 qual_status)$' out
exits "E-Trace: as JSON" 1 "$HARTSCOPE" $et --json bad.et
json "E-Trace: findings" out
has "E-Trace: a finding as JSON" \
	'"offset":8,"kind":"ended-while-off","severity":"error".*"field":"qual_status","bit":6' out
exits "E-Trace: ignored" 0 "$HARTSCOPE" $et --ignore ended-while-off bad.et
printf '\101\037\101\037' >twice.et
exits "E-Trace: only a note" 0 "$HARTSCOPE" $et twice.et
has "E-Trace: the note" ' note     support-unchanged: ' out
exits "E-Trace: no notes" 0 "$HARTSCOPE" $et --severity error twice.et
exits "E-Trace: packets that no text has" 2 "$HARTSCOPE" $et --set fast-profile=targets good.et
exits "E-Trace: kinds" 0 "$HARTSCOPE" lint --protocol etrace --kinds
is "E-Trace: a row each" \
	"$(grep -c '^HS_ET_FINDING(' "$tables/etrace/et_findings.def")" "$(wc -l <out)"
exits "E-Trace: errors of a text" 0 "$HARTSCOPE" lint --protocol etrace --kinds --severity error
is "E-Trace: without notes" 0 "$(grep -c " note " out)"
exits "no such protocol" 2 "$HARTSCOPE" lint --protocol none --kinds

loop_bin
loop_csv
"$HARTSCOPE" import --from csv --bin loop.bin@0x1000 -o loop.rec loop.csv >out 2>err
for mode in btm htm; do
	for dialect in rc7 1.0; do
		"$HARTSCOPE" encode --protocol ntrace --dialect $dialect --set trTeInstMode=$mode \
			-o loop.nt loop.rec >out 2>err
		exits "our encoder, $mode, $dialect" 0 "$HARTSCOPE" lint loop.nt
	done
done

for version in 2.0 1.1 0.026; do
	"$HARTSCOPE" encode --protocol etrace --set version=$version -o loop.et loop.rec >out 2>err
	exits "our encoder, E-Trace $version" 0 "$HARTSCOPE" lint loop.et
done

# The program contradicts the trace: DirectBranch I-CNT 1 from 0x1000 is a li, no branch.
printf '\044\025\000\203\014\007\204\000\007' >flow.nt
exits "a flow without its program" 0 "$HARTSCOPE" lint flow.nt
exits "a flow with its program" 1 "$HARTSCOPE" lint --bin loop.bin@0x1000 flow.nt
has "the program's finding" \
	'^ *4  error    flow-icnt-not-at-branch: DirectBranch I-CNT=0x1: .*, pc 0x1002 (NT 7.2)$' out

# c.nop, ecall, c.nop; ProgTraceSync, IndirectBranch B-TYPE 2 with I-CNT 3 to 0x106, and the end:
# the ecall retires in rc7 (Table 2), and never in the ratified text (8.4).
printf '\001\000\163\000\000\000\001\000' >call.bin
printf '\044\025\000\013\020\071\017\204\000\007' >call.nt
"$HARTSCOPE" decode -q --bin call.bin@0x100 -o call.flow call.nt
for mode in btm htm; do
	for dialect in rc7 1.0; do
		"$HARTSCOPE" encode -q --dialect $dialect --set trTeInstMode=$mode \
			-o again.nt call.flow >out 2>err
		exits "ecall, $mode, $dialect" 0 "$HARTSCOPE" lint --bin call.bin@0x100 again.nt
		"$HARTSCOPE" dump again.nt >dumped
		has "ecall, $mode, $dialect: what is counted" \
			"B-TYPE=2 I-CNT=$([ $dialect = rc7 ] && echo 3 || echo 1) " dumped
		exits "ecall, $mode, $dialect: check" 0 "$HARTSCOPE" check --bin call.bin@0x100 \
			call.flow again.nt
		is "ecall, $mode, $dialect: what check says of it" "$([ $dialect = rc7 ] || echo 1)" \
			"$(sed -n 's/ ecall or ebreak .* on one side only.*//p' out)"
	done
done

# What the program was at its start contradicts what came later.
printf '%s\n' '{"format":"hartscope-code","version":1,"harts":1}' \
	'{"hart":0,"blocks":1,"offset":"4","address":"0x1000","code":"0100"}' >flow.nt.code
exits "a flow through code that changes" 0 "$HARTSCOPE" lint --bin loop.bin@0x1000 flow.nt
has "the flow is not checked" "its code changes" err
rm flow.nt.code
exits "the program is not there" 2 "$HARTSCOPE" lint --elf none.elf flow.nt
finish
