#!/bin/sh
# encode --filter: the trace holds what the filter lets through, and nothing else.
. "$(dirname "$0")/lib.sh"
loop_bin
loop_csv
"$HARTSCOPE" import -q --from csv --bin loop.bin@0x1000 -o loop.rec loop.csv
"$HARTSCOPE" list --format pc loop.rec >all

# within LOW HIGH: the PCs of the recording between two addresses of four digits
within() { awk -v low="$1" -v high="$2" '$1 "" >= low && $1 "" <= high' all; }

# traced TEXT EXPECTED-FILE FILTER...
traced() {
	text=$1 want=$2
	shift 2
	"$HARTSCOPE" encode -q --protocol ntrace "$@" -o f.nt loop.rec
	"$HARTSCOPE" list --format pc --bin loop.bin@0x1000 f.nt >got
	is "$text" "$(tr '\n' ' ' <"$want")" "$(tr '\n' ' ' <got)"
	exits "$text, check --gaps" 0 "$HARTSCOPE" check -q --gaps --bin loop.bin@0x1000 \
		loop.rec f.nt
}

within 1002 1005 >want
traced "a range, in the middle of blocks" want --filter iaddr=0x1002-0x1005
within 1002 1003 >want
traced "a range of one instruction" want --filter iaddr=0x1002-0x1002
{ within 1000 1001; within 100e 100f; } >want
traced "two ranges" want --filter iaddr=0x1000-0x1001 --filter iaddr=0x100e-0x100f
traced "everything" all --filter iaddr=0-0xffff --set trTeInstMode=btm
: >none
"$HARTSCOPE" encode -q --protocol ntrace --filter priv=U -o f.nt loop.rec
is "nothing qualifies: no bytes" 0 "$(wc -c <f.nt)"
exits "a filter that is none" 2 "$HARTSCOPE" encode --protocol ntrace --filter iaddr -o f.nt \
	loop.rec
has "the message says what it needs" "needs terms such as iaddr=" err

# The encoder has what its parameters say, where they say how much (ET Parameters and Discovery).
"$HARTSCOPE" encode -q --protocol etrace --set comparators_p=2 --set filters_p=2 --filter \
	iaddr=0x1000-0x1001 \
	--filter iaddr=0x100e-0x100f -o f.et loop.rec
{ within 1000 1001; within 100e 100f; } >want
"$HARTSCOPE" list --format pc --protocol etrace --bin loop.bin@0x1000 f.et >got
is "two filters of two" "$(tr '\n' ' ' <want)" "$(tr '\n' ' ' <got)"
exits "two filters of one" 2 "$HARTSCOPE" encode --protocol etrace --set comparators_p=2 --filter \
	iaddr=0x1000-0x1001 \
	--filter iaddr=0x100e-0x100f -o f.et loop.rec
has "two filters of one: which parameters say so" "filters_p" err
exits "no filter by privilege" 2 "$HARTSCOPE" encode --protocol etrace --set filters_p=2 --set \
	filter_privilege_p=0 \
	--filter priv=U -o f.et loop.rec

# The same as registers: both protocols (TCI 6.3).
cat >filter.regs <<-EOS
	trTeInstFilters = 0x2
	trTeFilter1Control = 0x11      # enable, trTeFilterMatchComp1: comparator 0
	trTeComp0Control = 0x1350      # iaddr >= P and iaddr <= S
	trTeComp0PMatchLow = 0x1002
	trTeComp0PMatchHigh = 0
	trTeComp0SMatchLow = 0x1005
	trTeComp0SMatchHigh = 0
EOS
within 1002 1005 >want
traced "filters of registers" want --registers filter.regs
"$HARTSCOPE" encode -q --protocol etrace --registers filter.regs -o f.et loop.rec
"$HARTSCOPE" list --format pc --protocol etrace --bin loop.bin@0x1000 f.et >got
is "filters of registers, E-Trace" "$(tr '\n' ' ' <want)" "$(tr '\n' ' ' <got)"
within 1000 1001 >want
traced "--filter wins over filters of registers" want --registers filter.regs --filter \
	iaddr=0x1000-0x1001
{ cat filter.regs; echo 'trTeInstFilters = 0'; } >off.regs
traced "trTeInstFilters 0: everything" all --registers off.regs
{ cat filter.regs; echo 'trTeInstFilters = 1'; } >off.regs
"$HARTSCOPE" encode -q --protocol ntrace --registers off.regs -o f.nt loop.rec
is "a filter that is not enabled: nothing" 0 "$(wc -c <f.nt)"
echo 'trTeDataFilters = 1' >data.regs
exits "filters of data accesses" 0 "$HARTSCOPE" encode --protocol ntrace --registers data.regs -o \
	f.nt loop.rec
traced "filters of data accesses leave instructions alone" all --registers data.regs
echo 'trTeFilter0Control = 0x1000001' >>data.regs
echo 'trTeInstFilters = 1' >>data.regs
exits "dtype of an instruction" 2 "$HARTSCOPE" encode --protocol ntrace --registers data.regs -o \
	f.nt loop.rec
has "dtype of an instruction: why" "trTeInstFilters ask for data" err
finish
