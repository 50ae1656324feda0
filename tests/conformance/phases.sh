#!/bin/bash
# Equal packets that lead two ways, by what a branch predictor learned meanwhile: the runs that a
# decoder remembers must not be followed where it learned something else (design/memo).  Counts of
# up to 64 branches are remembered, which the sizes of the loop give.
. "${HARTSCOPE_SOURCE:?the source folder}/tests/conformance/programs.sh"

$gcc -O1 -static -o phases "$programs/phases.c" || exit 1
# phases N SETTING...: there and back, and at least 1,000 packets alike
phases()
{
	local n=$1 settings=("${@:2}")

	"$HARTSCOPE" encode -q --protocol etrace --set branch-prediction=1 \
		"${settings[@]/#/--set=}" -o p.et p.rec &&
		"$HARTSCOPE" check p.rec p.et >out 2>&1
	report "$n turns, ${settings[*]}: equal" $? out
	[ "$("$HARTSCOPE" dump p.et | sed -n 's/.*branch_count=//p' | sort | uniq -c | sort -n |
		awk 'END { print $1 + 0 }')" -ge 1000 ]
	report "$n turns, ${settings[*]}: packets alike" $?
}
for n in 17 20 27; do
	"$HARTSCOPE" record -q -o p.rec -- ./phases $n >/dev/null || exit 1
	phases $n bpred_size_p=9
	phases $n bpred_size_p=4 f0s_width_p=1 jump-target-cache=1 cache_size_p=3
	phases $n bpred_size_p=9 version=1.1
done
exit $failed
