#!/bin/sh
# TACIT: a recording there and back, its parameters, times, and captures without words about them.
. "$(dirname "$0")/lib.sh"
loop_rec
exits "encode" 0 "$HARTSCOPE" encode -q --protocol tacit loop.rec
is "the name of the trace" loop.tacit "$(ls loop.tacit)"
for set in branchMode=target 'branchMode=predict skipJumps=1' \
	'branchMode=predict syncMessages=2'; do
	set -- $set
	"$HARTSCOPE" encode -q --protocol tacit --set "$1" --set "${2:-addressBits=0}" \
		-o t.tacit loop.rec
	"$HARTSCOPE" decode -q -o t.flow t.tacit
	exits "$set: check" 0 "$HARTSCOPE" check loop.rec t.flow
	has "$set: equal" '^equal' out
	rm -rf t.*
done
exits "dump" 0 "$HARTSCOPE" dump loop.tacit
has "dump: the first message" 'SyncStart (TACIT Synchronisation)' out
exits "lint" 0 "$HARTSCOPE" lint loop.tacit
has "lint: nothing" ' 0 errors, 0 warnings, 0 notes' out
exits "report" 0 "$HARTSCOPE" report loop.tacit
has "report: time" '^time ' out
exits "pins" 2 "$HARTSCOPE" encode -q --protocol tacit --transport pins4 -o t.pins loop.rec
has "pins: why" 'needs messages that it can align' err
exits "perf.data" 2 "$HARTSCOPE" encode -q --protocol tacit --perf-data plain -o t.data loop.rec
exits "a parameter" 2 "$HARTSCOPE" encode -q --protocol tacit --set predictorEntries=100 \
	-o t loop.rec
finish
