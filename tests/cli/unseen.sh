#!/bin/bash
# Code that is not known, and counts beyond the last branch: what a trace proves and does not show.
. "$(dirname "$0")/lib.sh"
loop_bin
loop_csv
"$HARTSCOPE" import --quiet --from csv --bin loop.bin@0x1000 -o loop.rec loop.csv
"$HARTSCOPE" list --format pc loop.rec >all.pcs

# The same with one more turn of the loop.
awk '{ print } NR == 4 { print last; print } { last = $0 }' loop.csv >other.csv
"$HARTSCOPE" import --quiet --from csv --bin loop.bin@0x1000 -o other.rec other.csv

# The function at 100e is not in the program.
head -c 14 loop.bin >cut.bin
grep -v -x -e '100e' all.pcs >want.pcs
for mode in ntrace:htm ntrace:btm etrace; do
	settings=()
	[ "${mode#*:}" = "$mode" ] || settings=(--set "trTeInstMode=${mode#*:}")
	"$HARTSCOPE" encode --quiet --protocol "${mode%:*}" "${settings[@]}" -o loop.tr loop.rec
	exits "$mode, a function is missing" 3 \
		"$HARTSCOPE" list --format pc --bin cut.bin@0x1000 loop.tr
	is "$mode: everything else is listed" "$(cat want.pcs)" "$(cat out)"
	exits "$mode, events" 3 "$HARTSCOPE" list --bin cut.bin@0x1000 loop.tr
	has "$mode: what is missing is counted" '^; .* more retired unseen, from 0x100e$' out
	# What is missing is in gaps, and nothing else.
	exits "$mode, check" 1 "$HARTSCOPE" check -q --bin cut.bin@0x1000 loop.rec loop.tr
	exits "$mode, check --gaps" 0 "$HARTSCOPE" check -q --gaps --bin cut.bin@0x1000 loop.rec \
		loop.tr
	has "$mode: equal outside of gaps" '^equal outside of gaps$' out
	has "$mode: not all" '^gaps  *[1-9]' out
	exits "$mode, check --gaps, nothing missing" 0 "$HARTSCOPE" check -q --gaps loop.rec loop.tr
	has "$mode: all of it" '^equal, in percent  *100.0000$' out
	# The same bytes with another branch: it leads elsewhere, outside of any gap.
	exits "$mode, check --gaps, another flow" 1 "$HARTSCOPE" check -q --gaps \
		--bin cut.bin@0x1000 other.rec loop.tr
	has "$mode: different" '^different outside of gaps' out
	exits "$mode, check --gaps --json" 0 "$HARTSCOPE" check -q --gaps --json \
		--bin cut.bin@0x1000 loop.rec loop.tr
	json "$mode, check" out
	has "$mode: half-words" '"halfwordsEqual": *[1-9]' out
	rm -r loop.tr*
done

# NT 8.4.1: 100 c.add, 102 beq 200; then I-CNT 9 without its branches: ResourceFull (NT 7.8)
printf '\056\225\143\017\265\016\063\005\265\000' >branch.bin
printf '\044\025\000\013\154\100\013' >end.nt
exits "the end of a capture" 0 "$HARTSCOPE" list --protocol ntrace --bin branch.bin@0x100 end.nt
is "its last line" '; 6 half-words more retired unseen, from 0x106' "$(tail -1 out)"
exits "stat" 0 "$HARTSCOPE" stat --quiet --protocol ntrace --bin branch.bin@0x100 end.nt
has "stat: half-words unseen" '^half-words unseen  *6$' out
exits "stat --json" 0 \
	"$HARTSCOPE" stat --quiet --json --protocol ntrace --bin branch.bin@0x100 end.nt
json "stat" out
has "stat --json" '"unseen_halfwords": *6,' out
exits "list --json" 0 "$HARTSCOPE" list --json --protocol ntrace --bin branch.bin@0x100 end.nt
json "list" out
has "list --json" '"event":"unseen".*"value":"0x106","arg":6' out

# E-Trace counts branches: the loop's two, in code that is not known.  Without its last packet, a
# support packet of 4 bytes, the capture ends there (ET Format 1 packets: branches 2).
head -c 2 loop.bin >head.bin
"$HARTSCOPE" encode --quiet --protocol etrace -o loop.et loop.rec
head -c $(($(wc -c <loop.et) - 4)) loop.et >end.et
et="--protocol etrace --bin head.bin@0x1000"
exits "E-Trace: the end of a capture" 3 "$HARTSCOPE" list $et end.et
is "E-Trace: its last line" '; 2 branches more retired unseen, from 0x1002' "$(tail -1 out)"
exits "E-Trace: stat" 3 "$HARTSCOPE" stat --quiet $et end.et
has "E-Trace: branches unseen" '^branches unseen  *2$' out
exits "E-Trace: stat --json" 3 "$HARTSCOPE" stat --quiet --json $et end.et
has "E-Trace: stat --json" '"unseen_branches": *2,' out
exits "E-Trace: list --json" 3 "$HARTSCOPE" list --json $et end.et
json "E-Trace: list --json" out
has "E-Trace: the event" '"event":"unseen".*"value":"0x1002","arg":2' out

# 0x2001 is c.jal to itself in RV32, c.addiw in RV64 (ISA manual, RVC quadrant 1); I-CNT 2
printf '\001\040\001\000' >jal.bin
printf '\044\025\000\013\204\000\013' >jal.nt
exits "--xlen 32" 0 \
	"$HARTSCOPE" list --format pc --protocol ntrace --xlen 32 --bin jal.bin@0x100 jal.nt
is "RV32" '100 100' "$(tr '\n' ' ' <out | sed 's/ $//')"
exits "RV64 without" 0 \
	"$HARTSCOPE" list --format pc --protocol ntrace --bin jal.bin@0x100 jal.nt
is "RV64" '100 102' "$(tr '\n' ' ' <out | sed 's/ $//')"
exits "--xlen 16" 2 "$HARTSCOPE" list --xlen 16 --bin jal.bin@0x100 jal.nt

# --custom is for the programs of --process as well.  Context 1 (Ownership PROCESS 0x22) runs the
# recording: 1000 custom-0, 1004 c.nop; the custom instruction jumps: IndirectBranch I-CNT 2, U-ADDR
# 0 (NT 10.1).
printf '\013\000\000\000\001\000' >custom.bin
printf '1000\n1004\n1000\n1004\n' >custom.pcs
"$HARTSCOPE" import --quiet --from pcs --bin custom.bin@0x1000 --custom 0x7f/0x0b -o custom.rec \
	custom.pcs
printf '\044\025\000\200\000\003' >custom.nt # ProgTraceSync, F-ADDR 0x800
printf '\010\213\020\041\003\204\000\017' >>custom.nt
exits "--custom and --process" 0 \
	"$HARTSCOPE" list --format pc --protocol ntrace --custom 0x7f/0x0b \
	--process 1:custom.rec custom.nt
is "the program of a context has it" '1000 1000 1004' "$(tr '\n' ' ' <out | sed 's/ $//')"
finish
