#!/bin/bash
# Eight harts in one stream (N-Trace 11.2): split by SRC in one pass, each one decodes to what was
# recorded; a message that names its hart costs that hart alone.
. "${HARTSCOPE_SOURCE:?the source folder}/tests/conformance/programs.sh"

$gcc -O2 -static -pthread -o harts "$programs/harts.c" || exit 1
"$HARTSCOPE" record -q -o h.rec -- ./harts >/dev/null || exit 1
grep -q '"number": 7' h.rec/manifest.json && ! grep -q '"number": 8' h.rec/manifest.json
report "eight harts" $?
for h in 0 1 2 3 4 5 6 7; do
	"$HARTSCOPE" list --format pc --hart $h h.rec >want.$h
done

# encode SETTINGS...
encode()
{
	local settings=() s

	for s in "$@"; do settings+=(--set "$s"); done
	rm -rf h.nt h.nt.json h.flow
	"$HARTSCOPE" encode -q --protocol ntrace ${settings[@]+"${settings[@]}"} -o h.nt h.rec
}

for mode in htm btm; do
	for set in "" trTsEnable=1 trTeInstImplicitReturnMode=full \
		"trTsEnable=1 trTeInstImplicitReturnMode=full" \
		trTeSrcBits=5 "trTeInstSyncMode=messages trTeInstSyncMax=1"; do
		# shellcheck disable=SC2086
		encode trTeInstMode=$mode $set &&
			"$HARTSCOPE" decode -q -o h.flow h.nt &&
				"$HARTSCOPE" check h.rec h.flow >out
		good=$?
		report "$mode $set: $(cat out)" $good
		"$HARTSCOPE" check h.rec h.nt | cmp -s - out
		report "$mode $set: the same of the trace" $?
	done
	encode trTeInstMode=$mode
	grep -q '"trTeSrcBits": 3' h.nt.json
	report "$mode: three bits of SRC by themselves" $?
	for h in 0 1 2 3 4 5 6 7; do
		[ -s want.$h ] && "$HARTSCOPE" list --format pc --hart $h h.nt | cmp -s - want.$h
		report "$mode: PCs of hart $h" $?
	done
	# In the order of the stream, with a mark where the hart changes.
	"$HARTSCOPE" list --format json h.nt >out
	for h in 0 3 7; do
		sed -n "s/^{\"hart\":$h,\"pc\":\"0x\([0-9a-f]*\)\".*/\1/p" out | cmp -s - want.$h
		report "$mode: hart $h among the others" $?
	done
	[ "$(grep -c '"event":"hart"' out)" -gt 8 ]
	report "$mode: harts take turns" $?
done

# A trace with more harts than the other side has, and one whose harts 3 and 4 are exchanged: the
# first of them in
# the order of the flow is shown, wherever the trace has it.
"$HARTSCOPE" decode -q --hart 0 -o zero.flow h.nt
"$HARTSCOPE" check zero.flow h.nt >out 2>&1
[ $? -eq 1 ] && grep -q 'h.nt has hart [1-7], zero.flow does not' out
report 'check: a hart that the other side lacks' $?
"$HARTSCOPE" decode -q -o swapped.flow h.nt &&
	mv swapped.flow/hart-3.zst t && mv swapped.flow/hart-4.zst swapped.flow/hart-3.zst &&
		mv t swapped.flow/hart-4.zst
for sides in 'swapped.flow h.nt' 'h.nt swapped.flow'; do
	# shellcheck disable=SC2086
	"$HARTSCOPE" check --json $sides >out
	[ $? -eq 1 ] && grep -q '"hart": 3,' out
	report "check $sides: the first hart that differs" $?
done

# byte OFFSET, patch OFFSET VALUE
byte() { od -An -tu1 -j "$1" -N 1 h.nt | tr -d ' '; }
patch() { printf "\\$(printf '%03o' "$2")" | dd of=h.nt bs=1 seek="$1" conv=notrunc 2>/dev/null; }

# only_lost HART: what is listed of a hart was recorded, in order, but for what is missing
only_lost()
{
	"$HARTSCOPE" list --format pc --hart "$1" h.nt >got 2>/dev/null
	! diff --speed-large-files want."$1" got | grep -q '^>'
}

gaps() { "$HARTSCOPE" list --hart "$1" h.nt 2>/dev/null | grep -c '^; gap'; }

# find PATTERN [N]: the offset of the fortieth such message of hart 3, or the Nth
find()
{
	"$HARTSCOPE" dump h.nt >dump
	offset=$(awk '$3 == "src" && $4 == 3 && /'"$1"'/ && ++n == '"${2:-40}"' { print $1 }' dump)
	[ -n "$offset" ] || { echo "not ok - no message to damage"; exit 1; }
	where=$((0x$offset))
}

# I-CNT one less than it was: no branch ends there.  The message can be read, and names hart 3.
encode trTeInstMode=btm trTeInstSyncMode=messages trTeInstSyncMax=2
find 'DirectBranch .* I-CNT=[0-9]*[13579]$' 15 # GCC 14's loop has none of them
patch $((where + 1)) $(($(byte $((where + 1))) & ~32))
"$HARTSCOPE" decode -q -o h.flow h.nt 2>err
[ $? = 3 ] && grep -q "offset 0x$offset" err
good=$?
report "an impossible I-CNT: $(head -n 1 err)" $good
for h in 0 1 2 4 5 6 7; do
	"$HARTSCOPE" list --format pc --hart $h h.nt 2>/dev/null | cmp -s - want.$h
	report "damage to hart 3: hart $h is whole" $?
done
only_lost 3 && [ "$(gaps 3)" = 1 ] && [ $((4 * $(wc -l <got))) -gt $((3 * $(wc -l <want.3))) ]
good=$?
report "damage to hart 3: one gap, $(wc -l <got) of $(wc -l <want.3) PCs" $good

# What cannot be read as a message may be two that ran into each other, or have lost its SRC: it
# may be anybody's.  Each hart has a gap, and goes on.
for damage in "a field too many" "MSEO 10"; do
	encode trTeInstMode=htm trTsEnable=1 trTeInstSyncMode=messages trTeInstSyncMax=2
	find 'ResourceFull.* RCODE=1 '
	case $damage in
	MSEO*) patch $where $(($(byte $where) | 2)) ;;
	*) patch $((where + 3)) $(($(byte $((where + 3))) & ~3 | 1)) ;;
	esac
	"$HARTSCOPE" decode -q -o h.flow h.nt 2>err
	[ $? = 3 ] && grep -q "offset 0x$offset" err
	good=$?
	report "$damage: $(head -n 1 err)" $good
	for h in 0 1 2 3 4 5 6 7; do
		only_lost $h && [ "$(gaps $h)" -le 1 ]
		good=$?
		report "$damage: hart $h, $(wc -l <got) of $(wc -l <want.$h) PCs" $good
	done
	[ "$(gaps 3)" = 1 ]
	report "$damage: hart 3 has a gap" $?
done
exit $failed
