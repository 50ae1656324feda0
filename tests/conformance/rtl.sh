#!/bin/bash
# The encoders of rtl/ in Verilator, each next to its model: a recording of examples/sort.c and
# random rows, packet by packet equal.  Then with a bug in each of 68 places (tests/rtl/bugs*.txt),
# which the scoreboard finds and names by the clause of what is wrong; and rows that break the rules
# of the port (illegal.txt), which the monitor finds.
#
#   rtl.sh [long]      long: 10^6 random rows of each seed
needs='verilator g++ make'
. "${HARTSCOPE_SOURCE:?the source folder}/tests/conformance/programs.sh"

rows=20000
seeds='1 2'
if [ "${1-}" = long ]; then
	rows=1000000
	seeds='1 2 3 4'
fi
bench=$HARTSCOPE_SOURCE/tests/rtl
cp "$HARTSCOPE_SOURCE"/rtl/*.sv "$HARTSCOPE_SOURCE"/plugins/dpi/*.sv "$bench/bench.sv" .
design='hs_trace_pkg.sv hs_port_serial.sv hs_message_fifo.sv'
ntrace="$design hs_nt_pack.sv hs_nt_encoder.sv hs_nt_trace.sv"
etrace="$design hs_et_pack.sv hs_et_encoder.sv hs_et_trace.sv"
design="$ntrace hs_et_pack.sv hs_et_encoder.sv hs_et_trace.sv"
flags="-L$HARTSCOPE_BUILD/plugins/dpi -lhartscope-dpi -Wl,-rpath,$HARTSCOPE_BUILD/plugins/dpi"

# ---- headers and lint --------

echo '#include "hartscope_dpi.h"' | g++ -std=c++11 -Wall -Wextra -Werror -x c++ -fsyntax-only \
	-I "$HARTSCOPE_SOURCE/plugins/dpi" - 2>err
report "a C++ bench includes hartscope_dpi.h" $? err

# lint TOP FILE... [-GPARAMETER=VALUE]...: no warning
lint()
{
	verilator --lint-only -Wall --top-module "$@" >lint 2>&1
	report "$1: no warning ${*: -1}" $? lint
}
# shellcheck disable=SC2086
{
	lint hs_nt_trace $ntrace "-GHTM=1'b0"
	lint hs_nt_trace $ntrace -GSLOTS=8 "-GSYNC=1'b1" "-GHTM=1'b1"
	lint hs_nt_trace $ntrace -GSLOTS=8 "-GTIME=1'b1" "-GCONTEXT=1'b1" "-GHTM=1'b1" \
		"-GLOSSY=1'b1"
	lint hs_nt_trace $ntrace "-GLOSSY=1'b1" "-GTRCSTATE=1'b1"
	lint hs_et_trace $etrace "-GFULL=1'b0"
	lint hs_et_trace $etrace -GSLOTS=8 "-GSYNC=1'b1" "-GFULL=1'b1"
	lint hs_et_trace $etrace -GSLOTS=8 "-GTIME=1'b1" "-GCONTEXT=1'b1" "-GSYNC=1'b1" \
		"-GLOSSY=1'b1"
	lint hs_et_trace $etrace "-GTRCSTATE=1'b1"
}
for source in replay random; do
	lint hs_port_$source hs_trace_pkg.sv hs_port_$source.sv -GSLOTS=8
done
lint hartscope_lint hartscope_pkg.sv hartscope_lint.sv
checkers='hartscope_pkg.sv hartscope_row.sv hartscope_scoreboard.sv hartscope_monitor.sv
hartscope_coverage.sv'

# ---- seeded bugs --------

python3 "$bench/seed_bugs.py" "$bench/bugs.txt" 2>err &&
	python3 "$bench/seed_bugs.py" "$bench/bugs-trcstate.txt" 2>err
report "the bugs have their places" $? err
sed -i 's/^endpackage/  int bug = 0;\nendpackage/' hs_trace_pkg.sv
argument="\$value\$plusargs(\"bug=%d\", hs_trace_pkg::bug)"
sed -i "s/^  initial begin/&\n    void'($argument);/" bench.sv
# build FOLDER [-GPARAMETER=VALUE]...: the bench
build()
{
	# shellcheck disable=SC2086
	OBJCACHE=$(command -v ccache) verilator --binary --assert -O3 --Mdir "$1" -CFLAGS -O1 \
		--top-module bench "${@:2}" $checkers $design hs_port_replay.sv hs_port_random.sv \
		bench.sv -o bench -LDFLAGS "$flags" >build.log 2>&1
	report "the bench is built: $1" $? build.log
	[ -x "$1/bench" ] || exit 1
}
build obj
build obj-trcstate "-GTRCSTATE=1'b1"

# ---- equal --------

folder=obj
equal() # TEXT ARGUMENT...
{
	local text=$1

	shift
	$folder/bench "$@" >out 2>&1 &&
		[ "$(grep -c '^hartscope: [1-9][0-9]* bytes .* equal$' out)" = 6 ]
	report "$text: equal" $? out
}
$gcc -O2 -static -o sort "$HARTSCOPE_SOURCE/examples/sort.c" &&
	"$HARTSCOPE" record -q -o sort.rec -- ./sort 5 >/dev/null &&
	"$HARTSCOPE" export -q --format port-hex --set port.slots=8 --set port.idle=20 \
		--set port.seed=3 -o rows.hex sort.rec
report "rows of a recording" $?
equal "examples/sort.c" +rows=rows.hex
for seed in $seeds; do
	equal "$rows random rows, seed $seed" +rows=rows.hex +random=$rows +seed="$seed"
done

# Times and contexts of a file, and blocks that are open when the hart stops.
for corner in ntrace-times ntrace-ownership-widest etrace-start-taken; do
	"$HARTSCOPE" generate -q --corner $corner -o corners &&
		"$HARTSCOPE" export -q --format port-hex --set port.slots=8 \
			--set port.time_width=48 --set port.context_width=32 -o corner.hex \
			corners/$corner.rec
	equal "$corner" +rows=corner.hex
done

# With trcstate in place of halted: the same recording, and harts that wait or are not to be seen.
folder=obj-trcstate
"$HARTSCOPE" export -q --format port-hex --set port.slots=8 --set port.trcstate=1 -o state.hex \
	sort.rec
equal "examples/sort.c, trcstate" +rows=state.hex
for seed in $seeds; do
	equal "$rows random rows, trcstate, seed $seed" +rows=rows.hex +random=$rows +seed="$seed"
done

# saved ENCODER PROTOCOL PARAMETER...: the bytes are those of hartscope encode
saved()
{
	local encoder=$1 protocol=$2

	shift 2
	"$HARTSCOPE" encode -q --force --protocol "$protocol" "${@/#/--set=}" -o sort.trace sort.rec
	obj/bench +rows=rows.hex +save=design.hex +encoder="$encoder" >/dev/null 2>&1
	python3 "$bench/same_bytes.py" design.hex sort.trace
	report "$protocol: the bytes are those of hartscope encode" $?
}
saved 0 ntrace trTeInstMode=btm icntBits=12 trTeInstSyncMode=messages trTeInstSyncMax=0
saved 2 etrace dialect=atb strict=1 trTeInstSyncMode=packets resync-max=0

# ---- losses --------

# Of one encoder of each protocol, which the model follows: many reports, each before a
# synchronisation.
obj/bench +rows=rows.hex +save=lossy.hex +encoder=4 >/dev/null 2>&1
awk '/20$/ { n++; if (getline > 0 && $0 !~ /24$/) bad = 1 } END { exit bad || n < 100 }' lossy.hex
report "a full FIFO loses blocks: Error, then ProgTraceSync" $? lossy.hex
obj/bench +rows=rows.hex +save=lossy.hex +encoder=5 >/dev/null 2>&1
awk '/9f..$/ { n++; if (getline > 0 && $0 !~ /([37]|0f)..$/) bad = 1 }
	END { exit bad || n < 100 }' lossy.hex
report "a full FIFO loses blocks: trace_lost, then what synchronises, or the end" $? lossy.hex

# ---- coverage --------

# The bench's counts and those of a trace with the same parameters: of the same messages the same.
cover() # FILE ARGUMENT...
{
	obj/bench +coverage="$1" "${@:2}" >out 2>&1 && [ -s "$1" ]
}
ntrace_points() # FILE...: of the messages
{
	"$HARTSCOPE" stat --coverage "$@" | sed '1,/^points:/d' | grep -v '  row\.'
}
"$HARTSCOPE" encode -q --set trTeInstMode=htm --set trTeInstSyncMode=messages \
	--set trTeInstSyncMax=2 --set icntBits=12 --set histBits=12 -o sort.nt sort.rec &&
	"$HARTSCOPE" stat --coverage --json sort.nt >trace.json && cover bench.json +rows=rows.hex
report "a bench writes what it covers" $? out
ntrace_points sort.nt >want && ntrace_points bench.json >got && cmp -s want got
report "what the encoder's trace of these rows covers" $? got
sum='NR == FNR { hits[$2] = $1; next } { gsub(",", "", $1); print $1 - 2 * hits[$2] }'
ntrace_points bench.json sort.nt >both &&
	[ "$(awk "$sum" <(tr -d , <want) both | sort -u)" = 0 ]
report "merged with the trace's: each point twice" $? both

# Two runs add to one file, as stat adds up two files; a bench adds to what stat printed, too.
cover random.json +rows=rows.hex +random=20000
cp bench.json points && cover points +rows=rows.hex +random=20000
"$HARTSCOPE" stat --coverage bench.json random.json >want
"$HARTSCOPE" stat --coverage points >got && cmp -s want got
report "coverage of two runs is added up" $? got
cp trace.json points && cover points +rows=rows.hex +random=20000
"$HARTSCOPE" stat --coverage points | sort >got
"$HARTSCOPE" stat --coverage random.json trace.json | sort | cmp -s - got
report "a bench adds to the counts of a trace" $? got
# uncovered.txt has what these parameters cannot reach: triggers, losses, low power, optional
# messages, and those of branch trace.  What a single run leaves out is chance.
for seed in 9 10 14 15; do
	cover seed.$seed +rows=rows.hex +random=100000 +seed=$seed
done
missing=$("$HARTSCOPE" stat --coverage bench.json random.json seed.* | sed '1,/^points:/d' |
	awk '$1 == "0" { print $2 }' | paste -sd ,)
[ "$missing" = "$(paste -sd , "$bench/uncovered.txt")" ]
report "not covered: $missing" $?

# ---- found --------

# Rows in which each bug is met first where bugs.txt says.  Verilator calls the functions of an
# expression in another order since 5.006, so that a seed makes other rows.
seed=3
verilator --version | grep -q '^Verilator 5\.006 ' && seed=116
find_bugs() # FOLDER TABLE
{
	while IFS=@ read -r number _ _ _ found; do
		{ "$1/bench" +rows=rows.hex +random=20000 +seed=$seed +bug="$number"; } >out 2>&1
		status=$?
		said=$(sed -nE 's/.*scoreboard: hartscope: (.*)/\1/p' out | head -n 1)
		[ $status != 0 ] && [[ $said =~ ^$found.*\ \(cycle\ [1-9][0-9]*\)$ ]]
		status=$?
		report "bug $number: $said" $status out
	done <"$2"
}
find_bugs obj "$bench/bugs.txt"
find_bugs obj-trcstate "$bench/bugs-trcstate.txt"

# ---- rows that break the rules of the port ------------------------------------------------------

while IFS=@ read -r text groups found; do
	python3 "$bench/row.py" "$groups" >bad.hex
	{ obj/bench +rows=bad.hex +verilator+error+limit+9; } >out 2>&1
	said=$(sed -nE 's/.*Assertion failed in .*monitor.*: hartscope: (.*)/\1/p' out | head -n 1)
	[[ $said =~ ^$found.*\ \(cycle\ [1-9][0-9]*,\ slot\ [01]\)$ ]]
	report "$text: refused by its clause" $? out
done <"$bench/illegal.txt"

# ---- docs/rtl.md --------

# block N LANGUAGE: what stands in docs/rtl.md between the Nth ```LANGUAGE and ```
block()
{
	awk -v n="$1" -v begin="\`\`\`$2" '$0 == "```" { on = 0 } on; $0 == begin { on = ++seen == n }' \
		"$HARTSCOPE_SOURCE/docs/rtl.md"
}
# tutorial N: the Nth bench of docs/rtl.md finds its bug
tutorial()
{
	block "$1" systemverilog >bench.sv
	block "$1" sh | sed "s#^RTL=.*#RTL=$work/share#; s#-- ./app#-- ./app 1#
		s#-lhartscope-dpi#'$flags' -CFLAGS -O0#" >steps
	[ "$(grep -c . bench.sv)" -le 20 ] && [ -s bench.sv ] && [ -s steps ]
	report "bench $1 has at most 20 lines" $?
	{ PATH=$PWD/bin:$PATH OBJCACHE=$(command -v ccache) sh steps; } >out 2>&1
	block "$1" text | sed 1q >want
	want=$(sed 's/ (.*)$//; s/0x[0-9a-f]*/0x[0-9a-f]+/g' want)
	[ -n "$want" ] && grep -qE "$want \(cycle [0-9]+\)$" out
	report "and finds the bug as the tutorial shows it" $? out
}
mkdir tutorial share && cd tutorial || exit 1
cp "$HARTSCOPE_SOURCE"/rtl/*.sv "$HARTSCOPE_SOURCE"/plugins/dpi/*.sv ../share
cp ../sort app
mkdir bin && ln -s "$HARTSCOPE" bin/hartscope
tutorial 1
cp bench.sv ../bench1.sv && cp steps ../steps1
tutorial 2
sed -i 's/^sed .*/cp $RTL\/hs_et_encoder.sv encoder.sv/' steps
{ PATH=$PWD/bin:$PATH OBJCACHE=$(command -v ccache) sh steps; } >out 2>&1 &&
	grep -q '^hartscope: [1-9][0-9]* bytes of trace are equal$' out
report "without it the bytes are equal" $? out
mv ../bench1.sv bench.sv && mv ../steps1 steps

# Without the bug, with what the messages decode to in place of the bytes, and with lint.
other='  hartscope_lint #(.BYTES(MESSAGE_BYTES)) lint (.clk, .rst_n, .message_valid(out_valid),'
other="$other .message(out.bytes), .message_length(out.length));"
sed -i "s/^  hartscope_monitor.*/&\\n$other/" bench.sv
sed -i 's#hartscope_monitor.sv#& $RTL/hartscope_lint.sv#' steps
sed -i 's/^sed .*/cp $RTL\/hs_nt_encoder.sv encoder.sv/' steps
sed -i 's/"trTeInstMode=btm"), /"trTeInstMode=btm elf=app"), .EQUIVALENT(1), /' bench.sv
{ PATH=$PWD/bin:$PATH OBJCACHE=$(command -v ccache) sh steps; } >out 2>&1 &&
	grep -q '^hartscope: [1-9][0-9]* blocks of trace are equal$' out
report "without it the blocks are equal" $? out
# ---- area --------

if command -v yosys >/dev/null; then
	"$HARTSCOPE_SOURCE/scripts/rtl/area.sh" >area 2>err &&
		! grep -q '| 0 |$' area
	report "yosys synthesises the encoders" $? err
	# Flip-flops are those of the design; gates are a matter of its version.
	cut -d '|' -f 2,3 area >now
	cut -d '|' -f 2,3 "$HARTSCOPE_SOURCE/docs/rtl.md" | grep -Fxf now >documented
	cmp -s now documented
	report "as docs/rtl.md has it" $? now
fi
exit $failed
