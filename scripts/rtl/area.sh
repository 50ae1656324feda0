#!/bin/bash
# Area of the encoders in rtl/, by yosys: flip-flops, and gates of two inputs (NAND, NOR) and
# inverters, as rows of a table.  yosys 0.23 and 0.52 (Debian's) know no import: they read each name
# of the package with the package before it.
#
#   area.sh [RTL]      the folder of the sources (rtl)
set -u
ulimit -v 4000000 # yosys may take all there is of a source that does not suit it
rtl=${1:-$(dirname "$0")/../../rtl}
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT INT TERM

# package_names: its types and constants, as A|B
package_names()
{
	sed 's,//.*,,' "$rtl/hs_trace_pkg.sv" | grep -oE '\b([a-z_]+_t|[A-Z][A-Z0-9_]+)\b' |
		sort -u | paste -sd '|'
}

# area TEXT MODULE [PARAMETER VALUE]...: one row
area()
{
	local text=$1 module=$2 parameters=

	shift 2
	while [ $# -ge 2 ]; do
		parameters="$parameters -chparam $1 $2"
		shift 2
	done
	sed -E "/^  import hs_trace_pkg/d; s/\b($(package_names))\b/hs_trace_pkg::&/g" \
		"$rtl/$module.sv" >"$work/$module.sv"
	timeout 120 yosys -q -p "read_verilog -sv $rtl/hs_trace_pkg.sv $work/$module.sv
		hierarchy -top $module$parameters
		synth -flatten; abc -g cmos2; tee -o $work/stat stat" >"$work/log" 2>&1 &&
		! grep -qiE 'no driver|implicitly declared' "$work/log" ||
		{ cat "$work/log" >&2; exit 1; }
	awk -v text="$text" '/DFF/ { flops += $2 } /\$_(NAND|NOR|NOT)_/ { gates += $2 }
		END { printf "| %s | %d | %d |\n", text, flops, gates }' "$work/stat"
}

command -v yosys >/dev/null || { echo "yosys is not installed" >&2; exit 1; }
area 'hs_nt_encoder, branch messages' hs_nt_encoder
area 'hs_nt_encoder, history messages' hs_nt_encoder HTM "1'b1"
area 'hs_nt_encoder, history messages, TIME' hs_nt_encoder HTM "1'b1" TIME "1'b1"
area 'hs_nt_encoder, history messages, CONTEXT' hs_nt_encoder HTM "1'b1" CONTEXT "1'b1"
area 'hs_nt_encoder, history messages, LOSSY' hs_nt_encoder HTM "1'b1" LOSSY "1'b1"
area 'hs_nt_encoder, history messages, TRCSTATE' hs_nt_encoder HTM "1'b1" TRCSTATE "1'b1"
area 'hs_et_encoder, differential addresses' hs_et_encoder
area 'hs_et_encoder, full addresses' hs_et_encoder FULL "1'b1"
area 'hs_et_encoder, differential addresses, LOSSY' hs_et_encoder LOSSY "1'b1"
area 'hs_et_encoder, differential addresses, TIME, CONTEXT' hs_et_encoder TIME "1'b1" CONTEXT "1'b1"
area 'hs_et_pack' hs_et_pack
area 'hs_et_pack, TIME, CONTEXT' hs_et_pack TIME "1'b1" CONTEXT "1'b1"
area 'hs_nt_pack' hs_nt_pack
area 'hs_nt_pack, TIME' hs_nt_pack TIME "1'b1"
area 'hs_message_fifo, 8 messages' hs_message_fifo
area 'hs_port_serial, 2 groups' hs_port_serial
