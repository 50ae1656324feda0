#!/bin/bash
# The profile of a fast profile's stream is that of the full trace (PT 7.2, design/et-draft): calls,
# returns and traps of every function, and with sources every edge of the call graph, for real
# programs in every framing.
needs=python3
. "${HARTSCOPE_SOURCE:?the source folder}/tests/conformance/programs.sh"
export PYTHONPATH=$HARTSCOPE_SOURCE/tests/conformance # for whole.py

cat >compare.py <<'EOS'
"""compare.py MODE FULL FAST: two outputs of stat --json; what differs, or a line of figures."""
import json
import sys

from whole import as_numbers

mode = sys.argv[1]
full, fast = (json.load(open(path), object_hook=as_numbers) for path in sys.argv[2:4])
for o in (full, fast):  # a function that only calls is there for its edges alone
    o["called"] = [f for f in o["called"] if f["calls"] or f["returns"] or f["traps"]]
keys = ["calls", "returns", "traps", "called"] + (["call_graph"] if mode == "sources" else [])
bad = [k for k in keys if full[k] != fast[k]]
inferred = sum(e["inferred"] for e in fast["call_graph"])
if inferred != (0 if mode == "sources" else fast["calls"]):
    bad.append("inferred")
if full["calls"] < 100 or fast["instructions"] != 0:
    bad.append("instructions")
print("differs: " + " ".join(bad) if bad else "%d calls, %d returns, %d traps, %d functions, %d edges" %
      (full["calls"], full["returns"], full["traps"], len(full["called"]), len(full["call_graph"])))
sys.exit(bool(bad))
EOS

# profile TRACE OUTPUT
profile()
{
	"$HARTSCOPE" stat -q --json --calls --top 4000000000 "$1" >"$2"
}

# same NAME MODE SETTINGS...: the fast profile against the full trace
same()
{
	local name=$1 mode=$2 settings=() s
	shift 2
	for s in "$@"; do
		settings+=(--set "$s")
	done
	rm -f fast.te fast.te.json
	if "$HARTSCOPE" encode -q --protocol etrace --set "fast-profile=$mode" \
		${settings[@]+"${settings[@]}"} \
		-o fast.te "$name.rec" && profile fast.te fast.json &&
			python3 compare.py "$mode" full.json fast.json >out; then
		echo "ok - $name, $mode $*: $(cat out), $(stat -c %s fast.te) bytes"
	else
		echo "not ok - $name, $mode $*"
		cat out
		failed=1
	fi
}

# program NAME FLAGS... -- ARGS...: record it, and the profile of its full trace
program()
{
	local name=$1 flags=()
	shift
	while [ "$1" != -- ]; do
		flags+=("$1")
		shift
	done
	shift
	$gcc -O2 ${flags[@]+"${flags[@]}"} -o "$name" "$programs/$name.c" ||
		{ echo "not ok - $name: does not compile"; exit 1; }
	"$HARTSCOPE" record -q -o "$name.rec" -- "./$name" "$@" >/dev/null 2>&1 </dev/null
	[ -f "$name.rec/manifest.json" ] || { echo "not ok - $name: no recording"; exit 1; }
	"$HARTSCOPE" encode -q --protocol etrace -o full.te "$name.rec" &&
		profile full.te full.json ||
		{ echo "not ok - $name: no full trace"; exit 1; }
}

program sort -static -- 2
for mode in targets sources; do
	same sort $mode
	for dialect in reference none draft; do
		same sort $mode dialect=$dialect
	done
	same sort $mode cycle-counts=packets
	same sort $mode cycle-counts=retirements no-compress=1
	same sort $mode resync-max=0
	same sort $mode trTeInstSyncMode=halfwords resync-max=4 iaddress_lsb_p=0
done
same sort targets itrace_fast_p=1
program threads -static -pthread --
same threads targets
same threads sources
program signals -static --
same signals targets
same signals sources
exit $failed
