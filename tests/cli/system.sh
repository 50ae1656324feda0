#!/bin/sh
# encode --system, registers --system: the example of docs/trace-systems.md as it stands there, and
# systems of several harts.
. "$(dirname "$0")/lib.sh"
: "${HARTSCOPE_SOURCE:?the source tree}"
page=$HARTSCOPE_SOURCE/docs/trace-systems.md
loop_rec || exit 1

# The page: its file, each command, and what it prints.
awk 'index($0, "The file `board.system`") { found = 1; next }
	found && /^    / { inside = 1; print substr($0, 5); next }
	inside { exit }' "$page" >board.system
is "the file has four components" 4 "$(grep -c '^\[' board.system)"
awk '/^    \$ hartscope / { inside = 1; n++; print substr($0, 17) >("command" n); next }
	inside && /^    / { print substr($0, 5) >("want" n); next }
	inside && /^$/ { printf "\n" >("want" n); next }
	{ inside = 0 }' "$page"
for n in 1 2 3 4 5; do
	[ -e want$n ] || : >want$n
	line=$(cat command$n)
	# shellcheck disable=SC2086
	exits "$line" 0 "$HARTSCOPE" $line
	is "$line: prints what the page says" "$(cat want$n)" "$(cat out)"
done
is "there are no other commands" no "$([ -e command6 ] && echo yes || echo no)"

# The same trace over pins, and by registers without TRACE.json.
exits "pins hold the same" 0 "$HARTSCOPE" check loop.rec board/pib-0x10004000.trace
rm board/ram-0x10003000.trace.json
exits "by registers" 0 "$HARTSCOPE" check --bin loop.bin@0x1000 --registers \
	board/ram-0x10003000.regs loop.rec board/ram-0x10003000.trace
"$HARTSCOPE" registers --system board.system -o writes
is "sinks first, the encoder last" "[ram [pib [funnel [encoder" \
	"$(sed -n 's/^\(\[[a-z]*\).*/\1/p' writes | tr '\n' ' ' | sed 's/ $//')"
exits "the writes are the system" 0 "$HARTSCOPE" encode -q --system writes -o again loop.rec
is "the writes are the system: the same trace" "$(cksum <board/ram-0x10003000.trace)" \
	"$(cksum <again/ram-0x10003000.trace)"
"$HARTSCOPE" registers --system board.system --json >out
json "registers --system" out
"$HARTSCOPE" encode --system board.system --json -o board loop.rec >out
json "encode --system" out

# What was there stays where the new cannot be written.
rm -f board/*.new
before=$(cat board/* | cksum)
names=$(ls board)
(trap '' XFSZ; ulimit -f 0; "$HARTSCOPE" encode -q --system writes -o board loop.rec) >out 2>err
is "a full disk: exit status" yes "$([ $? -ne 0 ] && echo yes || echo no)"
is "a full disk: the old files stay" "$before" "$(cat board/* | cksum)"
is "a full disk: nothing else is left" "$names" "$(ls board)"

# What is wrong is said with its line.
refused() {
	printf '%b' "$3" >wrong.system
	exits "$1" "${4:-3}" "$HARTSCOPE" encode --system wrong.system -o x loop.rec
	has "$1: why" "$2" err
}
encoder='[encoder 0x10]\ntrTeFormat = 1\ntrTeInstMode = 6\n'
refused "no sink" "wrong.system:1: where its trace goes is missing" "$encoder"
refused "no such base" "wrong.system:1: .*a base that no funnel or sink has" \
	"${encoder}to = 0x20\n[ram 0x30]\n"
refused "two into a sink" "wrong.system:4: another output leads to the same input" \
	"${encoder}[encoder 0x20]\ntrTeInstMode = 6\n[ram 0x30]\n"
refused "a ring" "its trace comes back to it" \
	"${encoder}to = 0x20\n[funnel 0x20]\ntoInput1 = 0x30\n[funnel 0x30]\ntoInput1 = 0x20\n"
refused "a sink sends nothing" "wrong.system:2: only encoders and funnels" '[ram 1]\nto = 2\n'
refused "three outputs" "at most 2 outputs" "${encoder}to = 1\nto = 1\nto = 1\n"
refused "another component's register" "wrong.system:4: this component has no such register" \
	"${encoder}trRamLimitLow = 4\n"
refused "no line" "wrong.system:4: not a section, a register" "${encoder}nonsense\n"
refused "another component's register by name" "wrong.system:4: this component has no such" \
	"${encoder}trPibMode = 4\n[ram]\n"
refused "no section" "wrong.system:1: not a section such as" '[disk 1]\n'
refused "nothing" "no component" '# nothing\n'
refused "mode 0" "trTeInstMode is 0" '[encoder]\ntrTeFormat = 1\n[ram]\n' 2
refused "no such hart" "no hart for it" "${encoder}toInput0 = 0x30\n[encoder 0x11]\ntrTeFormat = 1
trTeInstMode = 6\ntoInput1 = 0x30\ntrTeSrcBits = 4\ntrTeSrcID = 1\n[funnel 0x30]\n[ram 0x40]\n" 2
refused "no SRC" "nothing would keep them apart" "${encoder}toInput0 = 0x30\n[encoder 0x11]
trTeFormat = 1\ntrTeInstMode = 6\ntoInput1 = 0x30\n[funnel 0x30]\n[ram 0x40]\n" 2
refused "both protocols" "trace of both protocols" "${encoder}toInput0 = 0x30\n[encoder 0x11]
trTeFormat = 0\ntrTeInstMode = 7\ntoInput1 = 0x30\n[funnel 0x30]\n[ram 0x40]\n" 2
refused "a bad range" "trRamLimit is below trRamStart" \
	"${encoder}[ram]\ntrRamMode = 1\ntrRamStartLow = 8\ntrRamLimitLow = 4\n" 2
refused "a write pointer outside" "it cannot be enabled" \
	"${encoder}[ram]\ntrRamMode = 1\ntrRamStartLow = 8\ntrRamLimitLow = 16\n" 2
exits "no folder" 2 "$HARTSCOPE" encode --system board.system loop.rec
exits "no file" 2 "$HARTSCOPE" encode --system gone -o x loop.rec

# Several harts: threads of a program, through one funnel, and each through a RAM sink of its own.
for tool in riscv64-linux-gnu-gcc qemu-riscv64; do
	command -v $tool >/dev/null || { echo "ok - # SKIP several harts: no $tool"; finish; }
done
riscv64-linux-gnu-gcc -O1 -static -pthread -o threads \
	"$HARTSCOPE_SOURCE/tests/programs/threads.c" || { bad 'compiles'; finish; }
exits "record" 0 "$HARTSCOPE" record -q -o threads.rec -- ./threads
harts=$("$HARTSCOPE" info threads.rec | sed -nE 's/^harts +//p')
several() {
	echo '[ram 0x9000000]'
	echo "$1" | tr ' ' '\n'
	echo '[funnel 0x9001000]'
	h=0
	while [ "$h" -lt "$harts" ]; do
		printf '[encoder 0x%x000]\nhart = %d\n%b' $((0x1000 + h)) $h "$2"
		printf 'trTeSrcBits = 5\ntrTeSrcID = %d\n' $h
		h=$((h + 1))
	done
}
ntrace='trTeFormat = 1\ntrTeInstMode = 3\ntrTeInstSyncMode = 1\n'
etrace='trTeFormat = 0\ntrTeInstMode = 7\ntrTeInstSyncMode = 1\ntrTeInstSyncMax = 2\n'
system_memory='trRamMode=1 trRamStartLow=0x80000000 trRamWPLow=0x80000000'
several "$system_memory trRamLimitLow=0x803ffffc" "$ntrace" >nt.system
several "$system_memory trRamLimitLow=0x803ffffc" "$etrace" >et.system
for protocol in nt et; do
	exits "$protocol: $harts harts, a funnel" 0 "$HARTSCOPE" encode --system $protocol.system \
		-o $protocol threads.rec
	exits "$protocol: decode" 0 "$HARTSCOPE" decode -q --registers $protocol/*.regs \
		-o $protocol.flow $protocol/*.trace
	exits "$protocol: every hart is whole" 0 "$HARTSCOPE" check threads.rec $protocol.flow
done
# A buffer that wrapped: what it holds is the end of each hart.
several "$system_memory trRamLimitLow=0x8000fffc trRamAsyncFreq=2" "$etrace" >et.system
several "$system_memory trRamLimitLow=0x80001ffc" "$ntrace" >nt.system
for protocol in nt et; do
	exits "$protocol: wrapped" 0 "$HARTSCOPE" encode -q --system $protocol.system -o wrapped \
		threads.rec
	longest=$((harts - 2)) # the others end earlier, and are overwritten
	"$HARTSCOPE" list --format pc --hart $longest --registers wrapped/*.regs wrapped/*.trace \
		>got 2>err
	has "$protocol: wrapped: where it begins" 'RAM sink: .*, wrapped' err
	is "$protocol: wrapped: not nothing" yes "$([ "$(wc -l <got)" -gt 5 ] && echo yes)"
	"$HARTSCOPE" list --format pc --hart $longest threads.rec | tail -n "$(wc -l <got)" >want
	is "$protocol: wrapped: the end of a hart" "$(cksum <want)" "$(cksum <got)"
done
# A sink that stops when it is full: harts go on without trace, or are stalled for good.
several "$system_memory trRamLimitLow=0x80000ffc trRamStopOnWrap=1" \
	"${ntrace}trTeInstStallEna = 1\n" >full.system
exits "full: stalled" 0 "$HARTSCOPE" encode --system full.system -o full threads.rec
has "full: stalled for good" '  stalled for good$' out
is "full: the buffer" 4096 "$(wc -c <full/ram-0x9000000.trace)"
exits "full: the last message is cut" 3 "$HARTSCOPE" list --format pc --hart 0 --registers \
	full/ram-0x9000000.regs full/ram-0x9000000.trace
"$HARTSCOPE" list --format pc --hart 0 threads.rec | head -n "$(wc -l <out)" >want
is "full: the start of hart 0" "$(cksum <want)" "$(cksum <out)"
finish
