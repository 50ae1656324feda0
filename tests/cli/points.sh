#!/bin/sh
# stat --coverage: which points of a protocol some messages hit.  The points of each trace are
# listed by hand, from the fields that its bytes have.
. "$(dirname "$0")/lib.sh"
tables=${HARTSCOPE_SOURCE:?}/include/hartscope/tables

# hits FILE: the points of a report with their hits, in order of names
hits() {
	sed '1,/^points: /d' "$1" | awk '$1 != "0" { gsub(",", "", $1); print $1, $2 }' | LC_ALL=C sort
}

hop_bin
hop_trace
exits "stat --coverage" 0 "$HARTSCOPE" stat --coverage hop.nt
# ProgTraceSync SYNC=5 I-CNT=0 F-ADDR=0x80, DirectBranch I-CNT=3, ProgTraceCorrelation EVCODE=0
# CDF=0 I-CNT=1
is "its points" "1 field.ProgTraceSync.I-CNT.min
1 form.ProgTraceCorrelation.HIST.absent
1 message.DirectBranch
1 message.ProgTraceCorrelation
1 message.ProgTraceSync
1 sync.SYNC.trace-enable
1 value.CDF.no-history
1 value.EVCODE.debug-mode" "$(hits out)"
of=$(sed '1,/^points: /d' out | grep -c .)
has "how many of how many" "^ *8 *$of *1 *3  ntrace\$" out
while read -r clause name; do
	has "a point for $name" "  message.$name  NT $clause\$" out
done <<EOS
$(sed -n 's/^HS_NT_MSG([A-Z_]*, *"\([^"]*\)",.*"\([0-9.]*\)")$/\2 \1/p' "$tables/messages.def")
EOS
is "messages of the table" "$(grep -c '^HS_NT_MSG(' "$tables/messages.def")" \
	"$(grep -c '  message\.' out)"

# A counter of 4 bits has 3 below its overflow flag (NT Table 10).
"$HARTSCOPE" stat --coverage --set icntBits=4 hop.nt >out
has "a field with its top bit: width depends on the parameters" \
	"^ *0  field.DirectBranch.I-CNT.width" out
"$HARTSCOPE" stat --coverage --set icntBits=3 hop.nt >out 2>err
is "parameters are checked" 2 $?
# DirectBranch I-CNT=7.
printf '\044\025\000\013\014\037\204\000\007' >seven.nt
"$HARTSCOPE" stat --coverage --set icntBits=4 seven.nt >out
has "its top bit" "^ *1  field.DirectBranch.I-CNT.width" out
has "all of its bits" "^ *1  field.DirectBranch.I-CNT.max" out
"$HARTSCOPE" stat --coverage --set icntBits=5 seven.nt >out
has "not with one bit more" "^ *0  field.DirectBranch.I-CNT.max" out

# Error (TCODE 8: ETYPE 0, ECODE 4), then ProgTraceSync SYNC=7; idle; ProgTraceSync SYNC=7.
printf '\040\000\007\044\035\000\013\377\044\035\000\013' >lost.nt
"$HARTSCOPE" stat --coverage lost.nt >out
is "a corner of two messages, and bytes between messages" "1 corner.error-then-sync-7
1 corner.idle-between
1 message.Error
1 value.ECODE.program-trace-lost
1 value.ETYPE.queue-overrun
2 field.ProgTraceSync.I-CNT.min
2 message.ProgTraceSync
2 sync.SYNC.fifo-overrun" "$(hits out)"

# E-Trace: support, start, format 2 and support, as tests/vectors/etrace ("straight code") has them
# by hand.
printf '\101\037\103\163\026\004\101\022\101\117' >line.te
et="--protocol etrace --dialect reference --set iaddress_width_p=32 --set privilege_width_p=2"
# shellcheck disable=SC2086
exits "stat --coverage of E-Trace" 0 "$HARTSCOPE" stat --coverage $et line.te
is "its points" "1 corner.start-after-support
1 field.Address.irreport.min
1 field.Address.notify.min
1 field.Address.updiscon.min
1 field.Support.ienable.max
1 field.Support.ienable.min
1 field.Synchronisation.branch.max
1 message.Address
1 message.Synchronisation
1 value.privilege.M
1 value.qual_status.ended-rep
1 value.qual_status.no-change
2 message.Support" "$(hits out | grep -v 'Address.irdepth\|encoder_mode')"
for table in et_packets; do
	rows=$HARTSCOPE_SOURCE/src/etrace/$table.def
	is "packets of $table" "$(grep -c '^HS_ET_PACKET(' "$rows")" \
		"$(grep -c '  message\.' out)"
done

# Counts of several runs.
"$HARTSCOPE" stat --coverage hop.nt lost.nt >both
"$HARTSCOPE" stat --coverage --json hop.nt >hop.json
json "stat --coverage --json" hop.json
"$HARTSCOPE" stat --coverage --json lost.nt >lost.json
exits "counts of before" 0 "$HARTSCOPE" stat --coverage hop.json lost.json
is "two traces are the sum of two results" "$(cat both)" "$(cat out)"
exits "a trace and a result" 0 "$HARTSCOPE" stat --coverage lost.json hop.nt
is "in any order" "$(cat both)" "$(cat out)"
has "traces are counted" "  2 *6  ntrace\$" both
"$HARTSCOPE" stat --coverage --json hop.json lost.json >sum.json
exits "a result of results" 0 "$HARTSCOPE" stat --coverage sum.json
is "is the same" "$(cat both)" "$(cat out)"
# shellcheck disable=SC2086
"$HARTSCOPE" stat --coverage --json $et line.te >line.json
exits "two protocols" 0 "$HARTSCOPE" stat --coverage line.json hop.json
has "one has its set" "  ntrace\$" out
has "the other one, too" "  etrace\$" out
sed 's/message.ProgTraceSync/message.Nothing/' hop.json >other.json
exits "a point that there is not" 3 "$HARTSCOPE" stat --coverage other.json
has "is named" "message.Nothing" err
printf '12\tbranch taken (NT Table 4)\n' >old.counts
exits "counts that are no JSON" 3 "$HARTSCOPE" stat --coverage --protocol ntrace old.counts

# For coverage tools: the interchange form of UCIS, whose bins are the points.
SOURCE_DATE_EPOCH=1000000000 "$HARTSCOPE" stat --coverage --format ucis line.json hop.json >sum.xml
"$HARTSCOPE" stat --coverage --json line.json hop.json >sum.json
python3 "$(dirname "$0")/ucis.py" sum.xml sum.json >out 2>&1
is "UCIS: elements, attributes and counts" "same" "$(cat out)"
has "UCIS: when it was written" 'writtenTime="2001-09-09T01:46:40Z"' sum.xml
exits "another format" 2 "$HARTSCOPE" stat --coverage --format xml hop.json
has "another format: what there is" "--format ucis" err
exits "two forms" 2 "$HARTSCOPE" stat --coverage --format ucis --json hop.json
exits "--format without --coverage" 2 "$HARTSCOPE" stat --format ucis --bin hop.bin@0x100 hop.nt

# What it refuses.
loop_rec
exits "a recording" 2 "$HARTSCOPE" stat --coverage loop.rec
has "a recording: what it needs" "encode it first" err
exits "two traces without --coverage" 2 "$HARTSCOPE" stat --bin hop.bin@0x100 hop.nt lost.nt
is "two traces: one line" 1 "$(wc -l <err | tr -d ' ')"
exits "no such file" 2 "$HARTSCOPE" stat --coverage nothing-here
printf '\044\025\000\013\024\000' >bad.nt
exits "a damaged trace" 3 "$HARTSCOPE" stat --coverage bad.nt
has "what is good counts" "^ *1  message.ProgTraceSync" out
finish
