# Recordings there and back, for tests that source this.  $work is their folder; $status becomes 1
# where something is not as it should be.
: "${HARTSCOPE:?the path of the tool}" "${HARTSCOPE_SOURCE:?the source folder}"
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
trap 'exit 1' INT TERM
status=0
. "$HARTSCOPE_SOURCE/tests/need.sh"
. "$HARTSCOPE_SOURCE/tests/conformance/verdict.sh"

# complete NAME: is the recording $work/NAME.rec?
complete()
{
	grep -q '"complete": true, *$' "$work/$1.rec/manifest.json"
	verdict "$1: the recording is complete" $? "$work/$1.rec/manifest.json"
}

# trip NAME PROTOCOL [SETTING...]: $work/NAME.rec as a trace, which stays in $work/trace, and back
trip()
{
	local name=$1 protocol=$2 settings=() s good

	shift 2
	for s; do
		settings+=(--set "$s")
	done
	rm -rf "$work/trace"* "$work/flow"
	"$HARTSCOPE" encode -q --protocol "$protocol" "${settings[@]}" -o "$work/trace" \
		"$work/$name.rec" >"$work/out" 2>&1 &&
		"$HARTSCOPE" decode -q -o "$work/flow" "$work/trace" >"$work/out" 2>&1 &&
		"$HARTSCOPE" check "$work/$name.rec" "$work/flow" >"$work/out" 2>&1
	good=$?
	verdict "$name, $protocol${*:+ $*}: $(head -n 1 "$work/out")" $good "$work/out"
}

# Settings of every kind, for trip_all.
all_ntrace=(trTeInstEnSequentialJump=1 trTeInstImplicitReturnMode=full trTeInstEnRepeatedHistory=1
	trTeInstEnAllJumps=1 trTeInstExtendAddrMSB=1 trTeContext=1 trTsEnable=1 repeatBranch=1)
all_etrace=(full-address=true implicit-return=true return_stack_size_p=4 implicit-except=true
	si-jump=true sijump_p=1 branch-prediction=true bpred_size_p=8 jump-target-cache=true
	cache_size_p=6 f0s_width_p=1 nocontext_p=0 notime_p=0)

# trip_all NAME: both protocols with few and with all options, and with contexts
trip_all()
{
	trip "$1" ntrace
	trip "$1" ntrace trTeInstMode=btm trTeContext=1
	trip "$1" ntrace "${all_ntrace[@]}"
	trip "$1" ntrace dialect=1.0 "${all_ntrace[@]}" trTeInstSyncMode=messages \
		trTeInstSyncMax=2
	trip "$1" etrace
	trip "$1" etrace nocontext_p=0 context_width_p=44
	trip "$1" etrace "${all_etrace[@]}"
	trip "$1" etrace version=1.1 implicit-return=true call_counter_size_p=3 \
		trTeInstSyncMode=packets resync-max=3
	trip "$1" etrace version=0.026
}
