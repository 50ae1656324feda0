#!/bin/sh
# encode --queue, --drain, --stall, --options-at; stat --rate.
. "$(dirname "$0")/lib.sh"
loop_bin
loop_csv
exits "a short recording" 0 "$HARTSCOPE" import --from csv --bin loop.bin@0x1000 \
	-o loop.rec loop.csv

# By hand: 8 instructions, so 8 cycles.  After 3 of them, with the first block: support 41 1f and
# start 43 73 00 04, which a queue must hold; at the end format 1, branches 2, map 2, difference 5,
# 42 09 15, and support with ended_ntr, 42 cf 00, which may wait for room.
cat >reference.conf <<'EOS'
dialect = reference
iaddress_width_p = 32
iaddress_lsb_p = 1
privilege_width_p = 2
ecause_width_p = 5
itype_width_p = 3
trTeInstSyncMode = off
EOS
exits "stat --rate" 0 "$HARTSCOPE" stat --rate --drain 2.5 --protocol etrace \
	--config reference.conf loop.rec
is "queues by pins" "1 6,2 6,4 6,8 6,16 6,--drain 6," "$(
	sed -n '/^smallest/,$p' out | awk '$1 ~ /^[0-9]/ { print $3 " " $2 }' ORS=,)"
has "cycles" "^cycles  *8$" out
has "bytes" "^bytes  *12$" out
has "the first bytes" "^ *3  *6 " out
has "the last bytes" "^ *8  *6 " out
exits "stat --rate --json" 0 "$HARTSCOPE" stat --rate --json --protocol etrace \
	--config reference.conf loop.rec
json "stat --rate" out

# A loop that runs 3000 times.
{
	echo 1000
	i=0
	while [ $i -lt 3000 ]; do
		echo 1002
		echo 1004
		i=$((i + 1))
	done
	echo 1006
} >long.pcs
exits "a long recording" 0 "$HARTSCOPE" import --from pcs --bin loop.bin@0x1000 -o long.rec long.pcs

# of NAME: the number next to it in the last summary
of() { sed -n "s/^$1  *\([0-9,]*\)$/\1/p" out | tr -d ,; }

# more TEXT LEAST NUMBER
more() { if [ "$3" -gt "$2" ]; then ok "$1"; else bad "$1"; fi; }

# lossy PROTOCOL MODE...: a queue that is too small, one that is large enough, one that stalls
# shellcheck disable=SC2086  # encode and slow are words
lossy() {
	protocol=$1
	shift
	encode="encode --protocol $protocol $*"
	slow='--drain 0.25'
	exits "$protocol: without a queue" 0 "$HARTSCOPE" $encode -o whole long.rec
	"$HARTSCOPE" list --format pc long.rec >whole.pcs
	exits "$protocol: the rate" 0 "$HARTSCOPE" stat --rate $slow \
		--protocol "$protocol" "$@" long.rec
	size=$(awk '$3 == "--drain" { print $2 }' out | tr -d ,)
	exits "$protocol: the smallest queue" 0 "$HARTSCOPE" $encode --queue "$size" $slow \
		-o enough long.rec
	is "$protocol: loses nothing" 0 "$(of "times that messages were lost")"
	is "$protocol: is full" "$size" "$(of "most bytes in a queue")"
	is "$protocol: has the same bytes" "$(cksum <whole)" "$(cksum <enough)"
	exits "$protocol: a byte less" 0 "$HARTSCOPE" $encode --queue $((size - 1)) $slow \
		-o less long.rec
	more "$protocol: loses something" 0 "$(of "times that messages were lost")"

	# Of each port of stat --rate: so many bytes lose nothing, one less does.
	"$HARTSCOPE" stat --rate --protocol "$protocol" "$@" long.rec |
		awk '/^smallest/ { inside = 1 } inside && $3 ~ /^[0-9]+$/ { print $3, $2 }' |
		tr -d , >ports
	is "$protocol: five ports" 5 "$(wc -l <ports | tr -d ' ')"
	while read -r pins bytes; do
		for less in 0 1; do
			"$HARTSCOPE" $encode --queue $((bytes - less)) --drain "$pins" -o port \
				long.rec >out
			losses=$(of "times that messages were lost")
			is "$protocol: $pins pins, $bytes bytes less $less: a loss" $less \
				"$((losses > 0))"
		done
	done <ports

	exits "$protocol: a small queue" 0 "$HARTSCOPE" $encode --queue 40 $slow -o small long.rec
	losses=$(of "times that messages were lost")
	more "$protocol: some losses" 3 "$losses"
	exits "$protocol: decode says so" 3 "$HARTSCOPE" decode --bin loop.bin@0x1000 \
		-o small.flow small
	is "$protocol: a gap for each loss" "$losses" "$(of gaps)"
	"$HARTSCOPE" list --format pc --bin loop.bin@0x1000 small.flow >small.pcs 2>err
	is "$protocol: what was lost is missing, and nothing else" 0 \
		"$(diff whole.pcs small.pcs | grep -c '^>')"
	more "$protocol: something is missing" "$(wc -l <small.pcs)" "$(wc -l <whole.pcs)"

	exits "$protocol: stalled" 0 "$HARTSCOPE" $encode --queue 40 $slow --stall \
		-o stalled long.rec
	is "$protocol: no losses" 0 "$(of "times that messages were lost")"
	more "$protocol: the hart waited" 100 "$(of "cycles stalled")"
	is "$protocol: the bytes of an endless queue" "$(cksum <whole)" "$(cksum <stalled)"
	exits "$protocol: --json" 0 "$HARTSCOPE" $encode --json --queue 40 $slow -o small long.rec
	json "$protocol: encode --queue" out
	rm -rf small.flow
}
lossy ntrace --set trTeInstMode=btm
lossy etrace

# Through a queue that is never full come the same bytes: where ecalls do not retire (1.0), and
# where the dialect has no message for a trap.  c.nop, ecall, c.nop; ProgTraceSync, IndirectBranch
# B-TYPE 2 to 0x106 with I-CNT 3, after the ecall, or 1, before it; ProgTraceCorrelation.
printf '\001\000\163\000\000\000\001\000' >call.bin
printf '\044\025\000\013\020\071\017\204\000\007' >after.nt
printf '\044\025\000\013\020\031\017\204\000\007' >before.nt
for at in after before; do
	"$HARTSCOPE" decode -q --bin call.bin@0x100 -o $at.flow $at.nt
	for dialect in rc7 1.0 reference; do
		"$HARTSCOPE" encode -q --dialect $dialect -o straight $at.flow 2>err
		straight=$?
		exits "trap $at an ecall, $dialect" $straight "$HARTSCOPE" encode -q \
			--dialect $dialect --queue 1000 --drain 800 -o queued $at.flow
		is "trap $at an ecall, $dialect: bytes" "$(cksum <straight)" "$(cksum <queued)"
	done
	# E-Trace reports causes: that of an ecall is known from the instruction (design/blocks).
	exits "cause $at an ecall" 0 "$HARTSCOPE" encode -q --protocol etrace -o straight $at.flow
	exits "cause $at an ecall, queued" 0 "$HARTSCOPE" encode -q --protocol etrace \
		--queue 1000 --drain 800 -o queued $at.flow
	is "cause $at an ecall: bytes" "$(cksum <straight)" "$(cksum <queued)"
	exits "cause $at an ecall: dump" 0 "$HARTSCOPE" dump --protocol etrace straight
	is "cause $at an ecall: of U-mode, where no mode is known" 8 \
		"$(sed -n 's/.* ecause=\([0-9]*\) .*/\1/p' out)"
done

# Another clock: 2999 branches are taken, of 9 cycles each; 3003 instructions take one.
exits "a slower hart" 0 "$HARTSCOPE" stat --rate --cycles-per taken=9 long.rec
has "its cycles" "^cycles  *29,994$" out

# Options change: the support packets say so, and the blocks are the same.
exits "--options-at" 0 "$HARTSCOPE" encode --protocol etrace --set bpred_size_p=4 \
	--options-at 4000:full-address=true --options-at 2000:branch-prediction=true \
	-o changes.et long.rec
exits "dump" 0 "$HARTSCOPE" dump changes.et
is "options in support packets" "0x0 0x8 0x28 0x28" "$(
	sed -n 's/.*Support .*ioptions=\(0x[0-9a-f]*\).*/\1/p' out | tr '\n' ' ' | sed 's/ $//')"
exits "the blocks are the same" 0 "$HARTSCOPE" check long.rec changes.et

# What cannot be is said.
exits "a queue that nothing leaves" 2 "$HARTSCOPE" encode --queue 40 -o x long.rec
has "--queue needs --drain" "queue and --drain need each other" err
exits "nothing a cycle" 2 "$HARTSCOPE" encode --queue 40 --drain 0 -o x long.rec
has "--drain is a number" "drain needs bits in a cycle" err
exits "stall without a queue" 2 "$HARTSCOPE" encode --stall -o x long.rec
has "--stall needs a queue" "stall needs --queue" err
exits "an option without a table" 2 "$HARTSCOPE" encode --protocol etrace \
	--options-at 5:branch-prediction=true -o x long.rec
has "the encoder lacks it" "no table for it" err
exits "no option" 2 "$HARTSCOPE" encode --protocol etrace --options-at 5:version=1.1 \
	-o x long.rec
has "the version stays" "version cannot change" err
exits "N-Trace has none" 2 "$HARTSCOPE" encode --options-at 5:trTeInstMode=btm -o x long.rec
has "the mode stays" "cannot change while ntrace" err
exits "0.026 has none" 2 "$HARTSCOPE" encode --protocol etrace --set version=0.026 \
	--options-at 5:full-address=true -o x long.rec
has "no packet says so" "cannot say so" err
exits "no cycle" 2 "$HARTSCOPE" encode --protocol etrace --options-at full-address=true \
	-o x long.rec
has "CYCLE is needed" "needs CYCLE:NAME=VALUE" err
# Where no packet says that others were lost, a queue may not lose any.
exits "pulp, a queue that may lose" 2 "$HARTSCOPE" encode --protocol etrace --dialect pulp \
	--queue 64 --drain 4 -o pulp.et loop.rec
has "why, and what to do" "needs --stall" err
exits "no te_support, a queue that may lose" 2 "$HARTSCOPE" encode --protocol etrace \
	--dialect draft --set layout.support=0 --queue 64 --drain 4 -o pulp.et loop.rec
exits "pulp, a queue that stalls the hart" 0 "$HARTSCOPE" encode --protocol etrace --dialect pulp \
	--queue 64 --drain 4 --stall -o pulp.et loop.rec
exit "$failed"
