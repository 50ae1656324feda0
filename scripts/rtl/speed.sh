#!/bin/bash
# How much slower the checkers make a simulation: the two benches of docs/rtl.md replay rows, with
# and without hartscope_monitor and hartscope_scoreboard.  Prints a row of a table for each
# encoder: processor time of each (median of five, taken in turns), and the ratio.
#
#   speed.sh BUILD ROWS      a build folder; rows of `hartscope export --format port-hex`
set -eu
dpi=$(realpath "$1")/plugins/dpi
rows=$(realpath "$2")
source=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT INT TERM
cd "$work"

# make_bench N PROTOCOL: the Nth bench of docs/rtl.md as with.sv, and without the checkers
make_bench()
{
	awk -v n="$1" '$0 == "```" { on = 0 } on; $0 == "```systemverilog" { on = ++seen == n }' \
		"$source/docs/rtl.md" >with.sv
	sed '/hartscope_row row/,/message_length/d' with.sv >without.sv
	for bench in with without; do
		checkers=$source/plugins/dpi/hartscope
		[ $bench = with ] && checkers="${checkers}_pkg.sv ${checkers}_row.sv
			${checkers}_scoreboard.sv ${checkers}_monitor.sv" || checkers=
		# shellcheck disable=SC2086
		OBJCACHE=$(command -v ccache) verilator --binary --assert -O3 \
			-CFLAGS -O2 -Wno-fatal \
			--Mdir "$2-$bench" --top-module bench \
			"$source/rtl/hs_trace_pkg.sv" $checkers \
			"$source/rtl/hs_$2_pack.sv" "$source/rtl/hs_port_serial.sv" \
			"$source/rtl/hs_message_fifo.sv" "$source/rtl/hs_$2_encoder.sv" \
			"$source/rtl/hs_$2_trace.sv" "$source/rtl/hs_port_replay.sv" \
			$bench.sv -o bench -LDFLAGS "-L$dpi -lhartscope-dpi -Wl,-rpath,$dpi" \
			>log 2>&1 || { tail log >&2; exit 1; }
	done
}

# seconds COMMAND...: processor time
seconds()
{
	local TIMEFORMAT=%U

	{ time "$@" >/dev/null 2>&1; } 2>&1
}

echo '| encoder | without | with both | ratio |'
echo '| --- | ---: | ---: | ---: |'
n=0
for protocol in nt et; do
	n=$((n + 1))
	make_bench $n $protocol
	: >without
	: >with
	for _ in 1 2 3 4 5; do
		for bench in without with; do
			seconds $protocol-$bench/bench "+rows=$rows" >>$bench
		done
	done
	paste <(sort -n without) <(sort -n with) | awk -v text=hs_${protocol}_trace 'NR == 3 {
		printf "| %s | %.2f s | %.2f s | %.2f |\n", text, $1, $2, $2 / $1 }'
done
