#!/bin/bash
# Many programs in one stream: two real ones that share addresses but no code, switched at system
# calls with Ownership messages (N-Trace) or contexts of packets (E-Trace), decode to what was
# recorded, each with its own names.
interleave=$(realpath "${1:?the program that mixes two recordings}") || exit 1
. "${HARTSCOPE_SOURCE:?the source folder}/tests/conformance/programs.sh"

$gcc -O2 -static -o first "$programs/process.c" &&
	$gcc -O2 -static -DSECOND -o second "$programs/process.c" || exit 1
for name in first second; do
	"$HARTSCOPE" record -q -o $name.rec -- ./$name >/dev/null || exit 1
	"$HARTSCOPE" list --format pc $name.rec >$name.pcs
	"$HARTSCOPE" list --format pc --function ${name}_work $name.rec >$name.work
done
"$interleave" first.rec second.rec mixed.rec >mixed.pcs || exit 1
switches=$("$HARTSCOPE" stat --json mixed.rec | tr -d ' \n' |
	sed 's/.*"count":\([0-9]*\),"kind":"context".*/\1/')
[ "$switches" -ge 100 ]
report "$switches switches" $?
[ "$(sort -u first.pcs | comm -12 - <(sort -u second.pcs) | wc -l)" -ge 1000 ]
report "they share addresses" $?

# functions FILE TEXT ARGS...: each program's own functions, by names and PCs
functions()
{
	local file=$1 text=$2 name
	shift 2
	for name in first second; do
		"$HARTSCOPE" list --format pc --function ${name}_work "$@" "$file" >got
		[ -s got ] && cmp -s $name.work got
		report "$text: ${name}_work" $?
	done
	"$HARTSCOPE" list --format pc "$@" "$file" | cmp -s - mixed.pcs
	report "$text: all PCs" $?
	"$HARTSCOPE" stat --json "$@" "$file" | tr -d ' \n' >got
	grep -q "\"instructions\":$(wc -l <mixed.pcs),.*_work" got
	report "$text: counted" $?
}

# clean FILE TEXT ARGS...: lint knows each context's program
clean()
{
	local file=$1 text=$2
	shift 2
	"$HARTSCOPE" lint --severity warning "$@" "$file" >lint 2>&1 && grep -q messages lint
	report "$text: lint" $?
	grep -v -m 3 messages lint
}

processes=(--process 1:first --process 2:second)
for set in trTeInstMode=htm trTeInstMode=btm \
	"trTeInstMode=htm trTeInstSyncMode=messages trTeInstSyncMax=0" \
	"trTeInstMode=btm trTeInstSyncMode=messages trTeInstSyncMax=0 trTeSrcBits=3" \
	dialect=reference "dialect=1.0 trTeInstImplicitReturnMode=full" \
	"trTeInstImplicitReturnMode=full trTeInstEnRepeatedHistory=1 repeatBranch=1 trTeInstEnSequentialJump=1 trTsEnable=1"; do
	settings=(--set trTeContext=1)
	for s in $set; do settings+=(--set "$s"); done
	rm -rf mixed.nt mixed.nt.json mixed.flow
	"$HARTSCOPE" encode -q --protocol ntrace "${settings[@]}" -o mixed.nt mixed.rec &&
		"$HARTSCOPE" decode -q "${processes[@]}" -o mixed.flow mixed.nt &&
		"$HARTSCOPE" check --gaps mixed.rec mixed.flow >out &&
		"$HARTSCOPE" check mixed.rec mixed.flow >out
	good=$?
	report "$set: $(cat out)" $good
	clean mixed.nt "$set" "${processes[@]}"
done

all="f0s_width_p=1 implicit-except=1 si-jump=1 sijump_p=1 implicit-return=1 return_stack_size_p=5"
all="$all branch-prediction=1 bpred_size_p=10 jump-target-cache=1 cache_size_p=7"
for set in version=2.0 "version=2.0 context-precise=1 resync-max=0" \
	"version=1.1 full-address=1 trTeSrcBits=3" \
	"version=2.0 $all context_width_p=2" \
		"version=2.0 $all trTeInstSyncMode=halfwords resync-max=0" \
	version=0.026 "version=0.026 full-address=1 resync-max=0"; do
	settings=(--set nocontext_p=0)
	for s in $set; do settings+=(--set "$s"); done
	rm -rf mixed.et mixed.et.json mixed.flow
	"$HARTSCOPE" encode -q --protocol etrace "${settings[@]}" -o mixed.et mixed.rec &&
		"$HARTSCOPE" decode -q "${processes[@]}" -o mixed.flow mixed.et &&
		"$HARTSCOPE" check mixed.rec mixed.flow >out
	good=$?
	report "etrace, $set: $(cat out)" $good
	"$HARTSCOPE" stat --json mixed.flow | tr -d ' \n' |
		grep -q "\"count\":$switches,\"kind\":\"context\""
	report "etrace, $set: $switches switches" $?
	clean mixed.et "etrace, $set" "${processes[@]}"
done
for name in first second; do # nothing is known of the other context
	context=$([ $name = first ] && echo 1 || echo 2)
	clean mixed.et "etrace, $name alone" --process "$context:$name"
	clean mixed.nt "$name alone" --process "$context:$name"
done
functions mixed.et "etrace" "${processes[@]}"

functions mixed.nt "trace" "${processes[@]}"
functions mixed.flow "flow, nothing repeated"
functions mixed.rec "recording, nothing repeated"
functions mixed.nt "trace, by its recording"
mv mixed.rec away.rec
"$HARTSCOPE" list --format pc --function second_work --process 1:first.rec --process \
	0x2:second.rec mixed.nt |
	cmp -s - second.work
report "recordings as programs" $?
sed 's/"recording": "[^"]*"/"processes": [{ "context": 1, "path": "first" }, { "context": "0x2", "path": "second" }]/' \
	mixed.nt.json >new && mv new mixed.nt.json
mkdir -p elsewhere && (cd elsewhere && "$HARTSCOPE" list --format pc ../mixed.nt) |
	cmp -s - mixed.pcs
report "programs named in TRACE.json" $?
clean mixed.nt "programs named in TRACE.json"

# Code without a context is common: a context without a program has it, and one with a program has
# both.  Where it would overlap a program it is not.
$gcc -O2 -static -DSECOND -Wl,-Ttext-segment=0x4000000 -o moved "$programs/process.c" || exit 1
"$HARTSCOPE" record -q -o moved.rec -- ./moved >/dev/null || exit 1
"$interleave" first.rec moved.rec common.rec >common.pcs || exit 1
"$HARTSCOPE" encode -q --protocol ntrace --set trTeContext=1 -o common.nt common.rec
"$HARTSCOPE" encode -q --protocol etrace --set nocontext_p=0 -o common.et common.rec
mv common.rec away-too.rec
for trace in common.nt common.et; do
	for code in "--process 1:first --elf moved" "--process 2:moved --elf first" \
		"--process 1:first --process 2:first --elf moved"; do
		# shellcheck disable=SC2086
		"$HARTSCOPE" list --format pc $code $trace 2>/dev/null | cmp -s - common.pcs
		report "$trace: $code" $?
	done
	"$HARTSCOPE" report --top 9 --process 1:first --elf moved $trace >out
	grep -q first_work out && grep -q second_work out
	report "$trace: report of both" $?
done
"$HARTSCOPE" list --format pc --process 1:first --elf second mixed.nt 2>/dev/null |
	comm -13 <(sort -u first.pcs) <(sort -u) | grep -c . >out
[ "$(cat out)" = 0 ]
report "code that overlaps is not common" $?

# The wrong way round nothing fits, and that is damage, not another flow.
"$HARTSCOPE" decode -q --process 2:first --process 1:second -o wrong.flow mixed.nt 2>/dev/null
[ $? = 3 ]
report "programs exchanged" $?
"$HARTSCOPE" lint --process 2:first --process 1:second mixed.nt >lint
[ $? = 1 ] && grep -q 'error    flow-' lint
report "programs exchanged: lint" $?
for bad in 1: 0x10000000000000000:first; do
	"$HARTSCOPE" list --process $bad mixed.nt >/dev/null 2>err
	[ $? = 2 ] && grep -q 'CONTEXT:FILE' err
	report "--process $bad" $?
done
for who in first x:first; do # no context is a number: a process
	"$HARTSCOPE" list --process $who mixed.nt >/dev/null 2>err
	[ $? = 1 ] && grep -q "nothing ran in process '$who'" err
	report "--process $who" $?
done
"$HARTSCOPE" list --process 1:gone mixed.nt >/dev/null 2>err
[ $? = 2 ] && grep -q 'gone' err
report "a program that is not there" $?
exit $failed
