#!/bin/sh
# What commands say of captures that do not fit their options: info of each kind of capture;
# after many errors the likeliest reason and the option that helps; which parameter contradicts.
# With sanitizers info of fewer transports.
. "$(dirname "$0")/lib.sh"
need qemu-riscv64 riscv64-linux-gnu-gcc

# A sort of few numbers, and another build of it.
sed 's/#define N 2000/#define N 24/' "${HARTSCOPE_SOURCE:?the source tree}/tests/programs/sort.c" \
	>sort.c
riscv64-linux-gnu-gcc -O1 -static -o sort sort.c &&
	riscv64-linux-gnu-gcc -O2 -static -o other sort.c || { bad 'compiles'; finish; }
"$HARTSCOPE" record -q -o sort.rec -- ./sort >/dev/null
ntrace='--set trTeInstSyncMode=messages --set trTeInstSyncMax=2'
etrace='--set resync-max=2'

# made FILE PROTOCOL OPTION...: a trace without its TRACE.json
made() {
	made=$1 protocol=$2
	shift 2
	eval "sync=\$$protocol"
	# shellcheck disable=SC2154,SC2086
	"$HARTSCOPE" encode -q --protocol $protocol $sync -o "$made" "$@" sort.rec
	rm -f "$made.json"
}

# ---- info of each kind --------------------------------------------------------------------

# info_of FILE PATTERN...: in text and in JSON
info_of() {
	file=$1
	shift
	exits "info of $file" 0 "$HARTSCOPE" info $file
	cp out text
	for pattern; do
		has "info of $file: $pattern" "^$pattern" text
	done
	"$HARTSCOPE" info --json $file >out 2>err
	json "info of $file" out
}

found='raw pins1 pins4 uart-packed manchester-packed tpiu'
known='raw pins8 pins16 pins1-packed pins2-packed pins4-packed tpiu-frames'
if [ -n "${HARTSCOPE_SANITIZED-}" ]; then
	found='raw pins4 tpiu' known=pins2-packed
fi
for protocol in ntrace etrace; do
	for t in $found; do
		made "$protocol.$t" $protocol --transport $t
		info_of $protocol.$t 'kind *capture' "protocol *$protocol" "transport *$t\$" \
			'messages *[1-9]' 'readable *\(99\|100\)[.]'
	done
	# With TRACE.json it is what that says.
	for t in $known; do
		"$HARTSCOPE" encode -q --protocol $protocol --transport $t -o known.$t sort.rec
		info_of known.$t 'parameters *TRACE.json' "protocol *$protocol" \
			"transport *$t\$" 'messages *[1-9]' 'damaged *0'
		rm known.$t known.$t.json
	done
done
exits "info: by form" 0 "$HARTSCOPE" info etrace.raw
has "info: the program decides" "only the form.*'hartscope identify --elf FILE'" err
for dialect in atb encap1 siemens esp32; do
	made $dialect etrace --dialect $dialect
	info_of $dialect 'kind *capture' 'protocol *etrace' 'readable *\(99\|100\)[.]'
done
tail -c 3000 ntrace.raw >ring
head -c 2000 ntrace.raw >>ring
info_of ring 'kind *capture' 'protocol *ntrace' 'messages *[1-9]'
"$HARTSCOPE" encode -q --protocol ntrace --perf-data cpu -o perf.data sort.rec
info_of perf.data 'kind *perf.data'
od -An -v -tu1 -w1 ntrace.pins4 | awk 'BEGIN {
		print "$timescale 1 ns $end\n$var wire 1 ! trc_clk $end"
		print "$var wire 4 \" trc_data [3:0] $end\n$enddefinitions $end"
		for (n = 0; n < 16; n++)
			bits[n] = int(n / 8) % 2 "" int(n / 4) % 2 "" int(n / 2) % 2 "" n % 2
	}
	{ print "#" 10 * NR - 5 "\nb" bits[$1 + 0] " \"\n#" 10 * NR "\n" NR % 2 "!" }' >pins.vcd
info_of pins.vcd 'kind *capture' 'protocol *ntrace' 'transport *vcd'
fst pins.vcd pins.fst && info_of pins.fst 'kind *capture\|kind *waves'
printf '[ram]\ntrRamWPLow = 0x90000010\n' >regs
info_of regs 'kind *registers' 'registers *1'

# Logs, rows and waves of docs/import.md.
python3 - "$HARTSCOPE_SOURCE/docs/import.md" <<-'END'
	import re, sys
	page = open(sys.argv[1]).read()
	for name, text in re.findall(r"^\$ cat (\S+)\n(.*?)^\$ ", page, re.S | re.M):
	    open(name, "w").write(text)
END
for f in *.log *.dasm *.csv; do
	case $f in
	dv.csv) format=riscv-dv ;;
	rvfi.dasm) format=cva6 ;;
	whisper.csv) format=whisper-csv ;;
	*) format=${f%.*} ;;
	esac
	info_of $f 'kind *log' "format *$format\$" "command *hartscope import --from $format "
done
info_of port.vcd 'kind *waves' 'command *hartscope import --from waves '

# ---- many errors --------------------------------------------------------------------------

# many TEXT PATTERN COMMAND...: one hint
many() {
	text=$1 pattern=$2
	shift 2
	"$@" >out 2>err </dev/null
	case $? in
	1 | 3) ok "$text: an error" ;;
	*) bad "$text: an error" ;;
	esac
	has "$text: the hint" "$pattern.*identify" err
	is "$text: one hint" 1 "$(grep -c identify err)"
}

# The wrong protocol, of each command that decodes.
for c in 'decode -q -o out.flow' list index stat 'stat --calls' calls report traps pmu ctr \
	'annotate main' coverage 'export --format folded -o out.folded' gdb 'diff sort.rec' \
	'check sort.rec'; do
	many "N-Trace as E-Trace: ${c%% -*}" '--protocol, --transport' \
		"$HARTSCOPE" $c --elf sort --protocol etrace ntrace.raw
	many "E-Trace as N-Trace: ${c%% -*}" '--protocol, --transport' \
		"$HARTSCOPE" $c --elf sort --protocol ntrace etrace.raw
	rm -rf out.flow ntrace.raw.idx etrace.raw.idx
done
for c in dump lint; do
	many "E-Trace as N-Trace: $c" '--protocol, --transport' \
		"$HARTSCOPE" $c --protocol ntrace etrace.raw
	many "samples as bytes: $c" '--protocol, --transport' \
		"$HARTSCOPE" $c --protocol ntrace ntrace.pins4
done

# wrong TEXT PATTERN PROTOCOL ENCODE-OPTIONS DECODE-OPTIONS...: other parameters than the encoder's
wrong() {
	text=$1 pattern=$2 protocol=$3 options=$4
	shift 4
	# shellcheck disable=SC2086
	made wrong.trace $protocol $options
	many "$text" "$pattern" "$HARTSCOPE" stat --protocol $protocol "$@" wrong.trace
}

wrong 'SRC' trTeSrcBits ntrace '' --elf sort --set trTeSrcBits=12
wrong 'srcID' trTeSrcBits etrace '' --elf sort --set trTeSrcBits=8
wrong 'no srcID' trTeSrcBits etrace '--set trTeSrcBits=8' --elf sort
wrong 'a transport' '--transport' ntrace '--transport pins4' --elf sort
wrong 'frames' '--transport' etrace '--transport tpiu' --elf sort
wrong 'another place' '--elf FILE+OFFSET' ntrace '' --elf sort+0x100000
wrong 'another place, E-Trace' '--elf FILE+OFFSET' etrace '' --elf sort+0x100000
wrong 'another build' 'another build of it' ntrace '' --elf other
wrong 'another build, E-Trace' 'another build of it' etrace '' --elf other
many 'another build: lint' 'another build of it' "$HARTSCOPE" lint --protocol ntrace --elf other ntrace.raw
many 'SRC: dump' trTeSrcBits "$HARTSCOPE" dump --protocol ntrace --set trTeSrcBits=4 ntrace.raw
wrong 'direct jumps' 'trTeInstEnAllJumps=1' ntrace \
	'--set trTeInstMode=btm --set trTeInstEnAllJumps=1' --elf sort
wrong 'returns' 'parameters of the encoder' ntrace '--set trTeInstImplicitReturnMode=full' \
	--elf sort
wrong 'widths of addresses' 'iaddress_width_p' etrace '' --elf sort --set iaddress_width_p=32

# ---- parameters that contradict each other ------------------------------------------------

# names TEXT PATTERN OPTION...
names() {
	text=$1 pattern=$2
	shift 2
	exits "$text" 2 "$HARTSCOPE" list --elf sort "$@" ntrace.raw
	has "$text: named" "contradicting each other: $pattern\$" err
}
names 'an ID without bits' 'trTeSrcID=3 (legal: 0) or trTeSrcBits=0 (legal: 2 to 12)' \
	--set trTeSrcID=3
names 'a mode without a table' \
	'branch-prediction=true (legal: false) or bpred_size_p=0 (legal: 1 to 15)' \
	--protocol etrace --set branch-prediction=true
names 'a framing without srcID' \
	'trTeSrcBits=4 (legal: 0) or layout.frame=dialect (legal: encapsulation, message)' \
	--protocol etrace --dialect reference --set trTeSrcBits=4
exits "a file of the other protocol" 2 "$HARTSCOPE" list --elf sort \
	--config "$HARTSCOPE_SOURCE/layouts/esp32-c6.layout" esp32
has "a file of the other protocol: says which" "but etrace has: --protocol etrace" err

# ---- options that a trace starts without ---------------------------------------------------

# lacks TEXT OPTION...: parameters name options that are off in etrace.raw.  The error says what to
# set, and both ways give the whole trace.
lacks() {
	lacking=$1 off=
	shift
	for option in "$@"; do
		off="$off--set $option=false "
	done
	on=$(printf -- '--set %s=true ' "$@")
	# shellcheck disable=SC2086
	exits "$lacking: an error" 3 "$HARTSCOPE" list --format pc --elf sort --protocol etrace \
		$on etrace.raw
	has "$lacking: named" \
		"without options .* name: ${off% }, or --set after-damage=soon\$" err
	for way in "$off" "$on--set after-damage=soon"; do
		# shellcheck disable=SC2086
		exits "$lacking: $way" 0 "$HARTSCOPE" list --format pc --elf sort \
			--protocol etrace $way etrace.raw
		is "$lacking: all of it" "$all" "$(cksum <out)"
	done
}
exits "its own options" 0 "$HARTSCOPE" list --format pc --elf sort --protocol etrace etrace.raw
all=$(cksum <out)
lacks 'full addresses' full-address
lacks 'two' implicit-except full-address
sizes='--set sijump_p=1 --set return_stack_size_p=4 --set f0s_width_p=1 --set bpred_size_p=4
	--set cache_size_p=4'
exits "all six of them" 3 "$HARTSCOPE" list --elf sort --protocol etrace $sizes --set si-jump=1 \
	--set implicit-return=1 --set implicit-except=1 --set branch-prediction=1 \
	--set jump-target-cache=1 --set full-address=1 etrace.raw
has "all six of them: named" "si-jump=false .* full-address=false, or --set after-damage=soon\$" err

# needs OPTION SETTING PARAMETERS: the trace starts with options that need parameters
needs() {
	made needs.trace etrace --set f0s_width_p=1 --set "$1=true" "$2"
	exits "$1: an error" 3 "$HARTSCOPE" list --format pc --elf sort --protocol etrace \
		needs.trace
	is "$1: named once" 1 "$(grep -c "; the trace has $1, which needs $3\$" err)"
	exits "$1: with them" 0 "$HARTSCOPE" list --format pc --elf sort --protocol etrace \
		--set f0s_width_p=1 "$2" needs.trace
	is "$1: all of it" "$all" "$(cksum <out)"
}
needs implicit-return --set=return_stack_size_p=4 'return_stack_size_p or call_counter_size_p'
needs branch-prediction --set=bpred_size_p=4 bpred_size_p
needs jump-target-cache --set=cache_size_p=4 cache_size_p
made needs.trace etrace --set f0s_width_p=1 --set bpred_size_p=4 --set cache_size_p=4 \
	--set branch-prediction=true --set jump-target-cache=true
exits "two that need the subformat" 3 "$HARTSCOPE" list --elf sort --protocol etrace \
	--set bpred_size_p=4 --set cache_size_p=4 needs.trace
has "two that need the subformat: named" \
	'has branch-prediction and jump-target-cache, which need f0s_width_p$' err

# ---- what is not there --------------------------------------------------------------------

exits "no such hart" 3 "$HARTSCOPE" list --elf sort --hart 7 --protocol ntrace ntrace.raw
has "no such hart: says so" 'no hart 7: the highest in the trace is 0' err
exits "this hart" 0 "$HARTSCOPE" list --elf sort --hart 0 --format pc --protocol ntrace ntrace.raw
exits "no such source" 3 "$HARTSCOPE" list --elf sort --transport tpiu --source 9 ntrace.tpiu
has "no such source: says so" "no byte of a trace is in it .* of this source" err
exits "no samples of it" 3 "$HARTSCOPE" list --elf sort --transport manchester ntrace.raw
has "no samples of it: says so" 'another \(transport (\|protocol, transport .*\)--transport' err
: >empty
for t in pins4 uart tpiu; do
	exits "an empty file: $t" 3 "$HARTSCOPE" list --elf sort --transport $t empty
	has "an empty file: $t: says so" 'empty is empty' err
done
"$HARTSCOPE" encode -q --protocol ntrace --set trTeInstMode=htm -o known sort.rec
exits "TRACE.json of another protocol" 2 "$HARTSCOPE" list --protocol etrace known
has "TRACE.json of another protocol: says so" \
	'of a trace of ntrace, not of etrace: leave --protocol out' err

# ---- a server of a debugger -----------------------------------------------------------------

"$HARTSCOPE" gdb --listen "$dir/socket" sort.rec 2>served &
server=$!
python3 - "$dir/socket" >out 2>&1 <<'END'
"""A scan, a browser with a packet in its body, and then a debugger, which alone is answered."""
import socket
import sys
import time


def connect():
    for _ in range(100):
        s = socket.socket(socket.AF_UNIX)
        s.settimeout(20)
        try:
            s.connect(sys.argv[1])
            return s
        except OSError:
            time.sleep(0.1)
    sys.exit("no server")


connect().close()
web = connect()
web.sendall(b"POST / HTTP/1.1\r\nContent-Length: 5\r\n\r\n$?#3f")
print("web", web.recv(100))
gdb = connect()
gdb.sendall(b"+$?#3f")
reply = b""
while b"#" not in reply:
    reply += gdb.recv(100)
print("gdb", reply[:3])
gdb.sendall(b"+$k#6b")
END
wait $server
is "gdb --listen: what is no debugger gets nothing" "web b''" "$(sed -n 1p out)"
has "gdb --listen: the debugger after it is served" "^gdb b'+\$[TS]'" out
is "gdb --listen: what was closed is said" 2 "$(grep -c "no debugger's was closed" served)"
# Port 0 is any that is free: which one is said.
"$HARTSCOPE" gdb --listen 0 sort.rec 2>served &
server=$!
python3 - served >out 2>&1 <<'END'
import re
import socket
import sys
import time

for _ in range(300):
    said = re.search(r"waiting for a debugger at (\d+)\n", open(sys.argv[1]).read())
    if said:
        break
    time.sleep(0.1)
gdb = socket.create_connection(("127.0.0.1", int(said[1])), timeout=20)
gdb.sendall(b"+$?#3f")
reply = b""
while b"#" not in reply:
    reply += gdb.recv(100)
print("gdb", int(said[1]) > 0, reply[:3])
gdb.sendall(b"+$k#6b")
END
wait $server
has "gdb --listen 0: at the port that it says" "^gdb True b'+\$[TS]'" out
exits "xlen of another program" 2 \
	"$HARTSCOPE" encode -q --protocol ntrace --set xlen=32 -o x.nt sort.rec
has "xlen of another program: which it is" 'xlen=32: the program is of 64 bits (legal: 0, 64)' err

finish
