#!/bin/sh
# scripts/openocd/hartscope.tcl sets trace components up, starts, stops and dumps them through
# memory accesses: against the device model (tests/board), in jimsh and in OpenOCD.
. "$(dirname "$0")/lib.sh"
: "${HARTSCOPE_SOURCE:?the source tree}" "${BOARD_SERVE:?the board}"
BOARD_SOCKET=$dir/socket
export BOARD_SOCKET

need jimsh riscv64-linux-gnu-gcc qemu-riscv64
openocd=openocd
command -v openocd >/dev/null || {
	echo "ok - in OpenOCD # SKIP no openocd"
	openocd=jimsh
}

sink= # the profile of its RAM sink, tests/board/model.h

# await SOCKET: until $server, which makes it, takes connections.
await() {
	waited=0
	while [ ! -S "$1" ] && kill -0 $server 2>/dev/null && [ $waited -lt 1200 ]; do
		sleep 0.05
		waited=$((waited + 1))
	done
}

# board HOST PROTOCOL RECORDING: run the script on standard input; what it prints goes to out.
board() {
	{
		echo "source $HARTSCOPE_SOURCE/tests/board/host.tcl"
		cat
		[ "$1" = jimsh ] || echo shutdown
	} >case.tcl
	rm -f socket dump.trace dump.regs
	# shellcheck disable=SC2086
	"$BOARD_SERVE" socket "$3" "$2" 8 $sink 2>served &
	server=$!
	await socket
	case $1 in
	jimsh) timeout 100 jimsh case.tcl >out 2>&1 ;;
	openocd) timeout 100 openocd -c 'adapter driver dummy' -c 'gdb_port disabled' \
		-c 'telnet_port disabled' -c 'tcl_port disabled' -f case.tcl >out 2>&1 ;;
	esac
	result=$?
	kill $server 2>/dev/null
	wait $server 2>/dev/null
	return $result
}

# The whole sequence: set up with options, start, let the hart run between and after accesses, dump.
sequence() {
	cat <<-EOS
		hartscope find 0x10003000 0x10001000 0x10002000
		hartscope setup $*
		hartscope start
		board_ask go
		hartscope status
		board_ask halt
		board_ask run
		hartscope dump dump
	EOS
}

# The dump decodes to the instructions that the hart executed: all of them, the last or the first.
# decodes TEXT all|tail|head
decodes() {
	if [ "$2" = all ]; then
		exits "$1: equal" 0 "$HARTSCOPE" check --elf sort --registers dump.regs sort.rec \
			dump.trace
		return
	fi
	"$HARTSCOPE" list --format pc --elf sort --registers dump.regs dump.trace >got 2>err
	"$2" -n "$(wc -l <got)" pcs >want
	if cmp -s want got && [ "$(wc -l <got)" -gt 3000 ]; then
		ok "$1: $2"
	else
		bad "$1: $2"
		wc -l got pcs
		cat err
	fi
}

# A sort of few numbers, so that its trace is some 30 KB.
sed 's/#define N 2000/#define N 120/' "$HARTSCOPE_SOURCE/tests/programs/sort.c" >sort.c
riscv64-linux-gnu-gcc -O1 -static -o sort sort.c || { bad 'compiles'; finish; }
exits "record" 0 "$HARTSCOPE" record -q -o sort.rec -- ./sort
"$HARTSCOPE" list --format pc sort.rec >pcs

for protocol in ntrace etrace; do
	for host in jimsh $openocd; do
		sequence $protocol | board $host $protocol sort.rec
		is "$protocol, $host, SRAM ring: the script ends well" 0 $?
		has "$protocol, $host, SRAM ring: its size" 'buffer 0x0 to 0xfff, 4096 bytes' out
		is "$protocol, $host, SRAM ring: all of it" 4096 "$(wc -c <dump.trace | tr -d ' ')"
		has "$protocol, $host, SRAM ring: it wrapped" '^trRamWPLow = 0x0000.*[159d]$' \
			dump.regs
		decodes "$protocol, $host, SRAM ring" tail
	done
	sequence $protocol -smem 0x90000000 0x10000 | board $openocd $protocol sort.rec
	decodes "$protocol, system memory" all
	sequence $protocol -smem 0x490000000 0x2000 | board jimsh $protocol sort.rec
	has "$protocol, system memory above 4 GiB" '^trRamStartHigh = 0x00000004' dump.regs
	is "$protocol, a ring there" 8192 "$(wc -c <dump.trace | tr -d ' ')"
	decodes "$protocol, a ring there" tail
	sequence $protocol -stop -smem 0x90001000 0x2000 | board jimsh $protocol sort.rec
	has "$protocol, stopped when full" '^trRamControl = 0x0000.119' dump.regs
	decodes "$protocol, stopped when full" head
	sequence $protocol -stop -sram 2048 -set '{trTeInstSyncMax 0}' |
		board jimsh $protocol sort.rec
	is "$protocol, a part of the SRAM" 2048 "$(wc -c <dump.trace | tr -d ' ')"
	"$HARTSCOPE" registers --protocol $protocol --sink sram+funnel -o writes
	board jimsh $protocol sort.rec <<-EOS
		hartscope find 0x10001000 0x10002000 0x10003000
		hartscope apply writes
		hartscope dump dump
	EOS
	has "$protocol, the writes of hartscope registers: all of the SRAM" \
		'^trRamLimitLow = 0x00000ffc' dump.regs
	"$HARTSCOPE" registers --protocol $protocol --sink smem:0x90000000-0x900ffffc+funnel \
		--set trTeInstSyncMode=halfwords -o writes
	board $openocd $protocol sort.rec <<-EOS
		hartscope find 0x10001000 0x10002000 0x10003000
		hartscope apply writes
		board_ask run
		hartscope dump dump
	EOS
	decodes "$protocol, the writes of hartscope registers" all
	has "$protocol, its parameters" '^trTeControl = 0x0[01].30' dump.regs
	is "$protocol, its parameters read back as written" 0 "$(grep -c 'note:' out)"
done

# A target as OpenOCD has it: JTAG, a debug module, memory by the system bus (tests/board/jtag.c).
jtag() {
	protocol=$1
	shift
	{
		printf '%s\n' 'adapter driver remote_bitbang' "remote_bitbang host $dir/jtag" \
			'remote_bitbang port 0' 'gdb_port disabled' 'telnet_port disabled' \
			'tcl_port disabled' 'adapter speed 1000' \
			'jtag newtap board cpu -irlen 5 -expected-id 0x10e31913' \
			'target create board.cpu riscv -chain-position board.cpu' \
			'init' 'halt' "source $HARTSCOPE_SOURCE/scripts/openocd/hartscope.tcl"
		sequence "$@" | sed -e 's/^board_ask go/resume/; s/^board_ask halt/halt/' \
			-e '/board_ask run/d'
		echo shutdown
	} >case.cfg
	rm -f jtag dump.trace dump.regs
	"$HARTSCOPE_BUILD/tests/board/board-jtag" jtag sort.rec "$protocol" 2>served &
	server=$!
	await jtag
	timeout 100 openocd -f case.cfg >out 2>&1
	is "$protocol, JTAG: OpenOCD ends well" 0 $?
	wait $server
}
if [ $openocd = openocd ]; then
	jtag ntrace ntrace
	has "JTAG: the write pointer moves while the hart runs" 'trRamWP 0x[1-9]' out
	decodes "ntrace, JTAG: SRAM" tail
	jtag etrace etrace -smem 0x490000000 0x2000
	decodes "etrace, JTAG: memory above 4 GiB" tail
fi

# docs/boards.md: its session prints what the page says (but for the bytes that this program makes),
# and its commands on the host take the files.
page=$HARTSCOPE_SOURCE/docs/boards.md
sed -n 's/^    > //p' "$page" >session
is "the page has five lines of a session" 5 "$(wc -l <session | tr -d ' ')"
board $openocd ntrace sort.rec <session
is "the page: the session ends well" 0 $?
awk '/^    > / { inside = 1; next } inside && /^    / { print substr($0, 5); next }
	{ inside = 0 }' "$page" | sed 's/[0-9]* bytes$/N bytes/' >want
sed -n '/^encoder/,/^capture.trace/p' out | grep -v '^Info' | sed 's/[0-9]* bytes$/N bytes/' >got
is "the page: the session prints" "$(cat want)" "$(cat got)"
cp sort app.elf
grep '^    \$ hartscope [ls]' "$page" | sed 's/^    \$ hartscope //; s/ | head$//' >commands
is "the page has two commands" 2 "$(wc -l <commands | tr -d ' ')"
while read -r line; do
	# shellcheck disable=SC2086
	exits "hartscope $line" 0 "$HARTSCOPE" $line
done <commands

# Without files, as an OpenOCD with a small Jim is: dump_image for memory, text for the rest.
{
	echo 'proc dump_image {path from bytes} { hs_say "image $path $from $bytes" }'
	echo 'rename open ""'
	sequence ntrace -smem 0x90000000 0x10000
} | board $openocd ntrace sort.rec
is "no files: the script ends well" 0 $?
has "no files: dump_image" '^image dump.trace 2415919104 [1-9]' out
has "no files: registers" '^trTeControl = 0x0' out
{
	echo 'rename open ""'
	sequence ntrace
} | board jimsh ntrace sort.rec
sed -n '/for dump.regs/,/^words/p' out | sed '1d;$d' >dump.regs
sed '1,/^words/d' out | python3 -c 'import sys, struct
for word in sys.stdin.read().split():
	sys.stdout.buffer.write(struct.pack("<I", int(word, 0)))' >dump.trace
decodes "no files: the words as text" tail

# What can be wrong is said.  refuses TEXT PATTERN: the script on standard input
refuses() {
	board jimsh ntrace sort.rec
	is "$1: exit status" 1 $?
	has "$1: why" "$2" out
}
refuses "no clock" 'at 0x10005000 stays 0: wrong address, or the' <<-EOS
	set hs_timeout 20
	hartscope find 0x10005000
EOS
refuses "a bus error" 'cannot read trTeControl .*0x20000000): bus error' <<-EOS
	hartscope find 0x20000000
EOS
refuses "the other protocol" 'trTeFormat is 1, not 0' <<-EOS
	hartscope find 0x10001000 0x10002000 0x10003000
	hartscope setup etrace
EOS
refuses "no components" 'hartscope find' <<-EOS
	hartscope setup ntrace
EOS
refuses "no such field" 'is named trTeNothing' <<-EOS
	hartscope find 0x10001000 0x10003000
	hartscope setup ntrace -set {trTeNothing 1}
EOS
refuses "no such option" 'no option -ram' <<-EOS
	hartscope find 0x10001000 0x10003000
	hartscope setup ntrace -ram 4
EOS
refuses "one buffer for two sinks" 'several RAM sinks' <<-EOS
	hartscope find 0x10001000 0x10003000 0x10003000
	hartscope setup ntrace -smem 0x90000000 0x1000
EOS
refuses "no such command" 'no command fly' <<-EOS
	hartscope fly
EOS
board jimsh ntrace sort.rec <<-EOS
	hartscope find 0x10001000 0x10002000 0x10003000
	hartscope setup ntrace -set {trTeInstEnBranchPrediction 1 trTeSrcBits 4 trTeSrcID 5}
	hartscope dump dump
EOS
has "WARL: what became of it" 'note: trTeInstEnBranchPrediction is 0, not 1' out
has "a field by name" '^trTeInstFeatures = 0x40050000' dump.regs
has "nothing arrived" 'warning: nothing is in the buffer' out

# The examples in C, with their own loads and stores (tests/board/trap.h): firmware, and a Linux
# process that maps a file as its device.
if [ -x "$HARTSCOPE_BUILD/tests/board/board-linux" ]; then
	truncate -s $((0x90100000)) device
	traced() {
		"$HARTSCOPE_BUILD/tests/board/board-linux" sort.rec "$protocol" device 0x10001000 \
			"$@" >out 2>err
	}
	for protocol in ntrace etrace; do
		"$HARTSCOPE_BUILD/tests/board/board-firmware" sort.rec $protocol dump >out
		is "$protocol, examples/board_firmware.c" "begin 0, end 0" "$(cat out)"
		decodes "$protocol, examples/board_firmware.c" tail
		settings='[encoder];trTeFormat=0;trTeInstMode=6;trTeInstSyncMode=1'
		[ $protocol = etrace ] || settings=$(echo "$settings" | sed 's/=0/=1/')
		settings="$settings;trTeInstSyncMax=2"
		traced 0x10002000 0x10003000 dump ./sort "$settings;[ram];trRamAsyncFreq=2"
		is "$protocol, examples/board_linux.c: SRAM" 0 $?
		decodes "$protocol, examples/board_linux.c: SRAM" tail
		traced 0x10002000 0x10003000 dump ./sort "$settings" 0x90000000 0x100000
		is "$protocol, examples/board_linux.c: memory" 0 $?
		decodes "$protocol, examples/board_linux.c: memory" all
	done
	traced 0x10002000 0x10005000 dump ./sort
	has "board_linux: no clock" 'trRamControl: tr??Active does not change' err
	traced 0x10003000 0x10002000 dump ./sort
	has "board_linux: another component" 'trRamControl: tr??Impl is not that' err
	traced 0x10002000 0x10003000 dump ./sort '[encoder];trTeFormat=1;trTeInstMode=6'
	has "board_linux: another protocol" 'trTeControl: it reads back as' err
	traced 0x10002000 0x10003000 dump ./sort 'trTeNothing=1'
	has "board_linux: no such register" 'a setting is not a register' err
else
	echo "ok - examples in C # SKIP their accesses are only trapped on x86-64"
fi

sink=minimal-smem
refuses "the buffer is elsewhere" '0x80000000 to *0x8000ffff, outside of what -smem allows' <<-EOS
	hartscope find 0x10001000 0x10002000 0x10003000
	hartscope setup ntrace -smem 0x90000000 0x1000
EOS
sink=old
refuses "before ratification" 'has version 0.0 *(trRamImpl 0x0000.9.0), 1.0 is supported' <<-EOS
	hartscope find 0x10003000
EOS
sink=

# SiFive's components of version 0: found, set up, read out; the registers decode the trace.
sink=sifive
sifive() {
	cat <<-EOS
		hartscope find 0x18000 0x100000
		hartscope setup ntrace $*
		hartscope start
		board_ask go
		hartscope status
		board_ask halt
		board_ask run
		hartscope dump dump
	EOS
}
sifive -smem 0x490000000 0x10000 -set '{tsEnable 1 tsBranch 3}' | board $openocd ntrace sort.rec
is "SiFive's version 0: the script ends well" 0 $?
has "SiFive's version 0: the encoder" "SiFive's N-Trace of version 0, teInstruction 1, 6, 7" out
has "SiFive's version 0: the funnel is the sink" 'funnel0 at 0x18000: SBA' out
is "SiFive's version 0: no setting is refused" 0 "$(grep -c '^note' out)"
has "SiFive's version 0: a section" '^\[encoder0 0x100000\]' dump.regs
has "SiFive's version 0: the upper half" '^teSinkBaseHigh = 0x00000004' dump.regs
decodes "SiFive's version 0, system memory" all
exits "SiFive's version 0: times" 0 "$HARTSCOPE" dump --json --registers dump.regs dump.trace
has "SiFive's version 0: times" '"TSTAMP": *"*[1-9]' out
sifive -smem 0x90000000 0x2000 | board jimsh ntrace sort.rec
is "SiFive's version 0: a ring" 8192 "$(wc -c <dump.trace | tr -d ' ')"
decodes "SiFive's version 0, a ring" tail
sifive -stop -smem 0x90000000 0x1000 | board jimsh ntrace sort.rec
is "SiFive's version 0: it stops when full" 4096 "$(wc -c <dump.trace | tr -d ' ')"
refuses "SiFive's version 0: no memory" 'setup needs -smem' <<-EOS
	hartscope find 0x100000 0x18000
	hartscope setup ntrace
EOS
refuses "SiFive's version 0: another protocol" 'version 0 send N-Trace' <<-EOS
	hartscope find 0x100000 0x18000
	hartscope setup etrace -smem 0x90000000 0x1000
EOS
sink=

# Encoders of ESP32s (tests/board/esp32.tcl): the command that the script prints lists the memory,
# of a ring that did not wrap, and of one that did.
cp "$HARTSCOPE_SOURCE"/layouts/esp32-*.layout .
cat >esp32.c <<-EOF
	int work(int n) { int s = 0; while (n--) s += n & 3 ? n & 5 : s; return s; }
	void _start(void)
	{
		register long a0 __asm__("a0") = work(6000) == 77, a7 __asm__("a7") = 93;
		__asm__ volatile("ecall" : : "r"(a0), "r"(a7));
	}
EOF
riscv64-linux-gnu-gcc -march=rv32imac -mabi=ilp32 -O1 -nostdlib -static -o app.elf esp32.c
exits "ESP32: record" 0 "$HARTSCOPE" record -q -o esp32.rec -- ./app.elf
"$HARTSCOPE" list --format pc esp32.rec >esp32.pcs
# esp32 CHIP ENCODER BYTES LEAST WORDS...: more than LEAST instructions are listed
esp32() {
	chip=$1 encoder=$2 bytes=$3 least=$4
	shift 4
	cat >case.tcl <<-EOF
		set esp32_model $encoder
		source $HARTSCOPE_SOURCE/tests/board/esp32.tcl
		source $HARTSCOPE_SOURCE/scripts/openocd/hartscope.tcl
		source $HARTSCOPE_SOURCE/scripts/openocd/boards/esp32.tcl
		esp32_trace chip $chip
		esp32_trace setup 0x40840000 $bytes $*
		esp32_trace start
		esp32_trace dump esp32
		foreach offset {0x24 0x28 0x30 0x34 0x3c 0x44} {
			set value [hartscope_read [expr {\$esp32_model + \$offset}]]
			puts [format "%s %#x" \$offset \$value]
		}
	EOF
	ESP32_PACKETS=esp32.et jimsh case.tcl >out 2>&1
	is "ESP32-$chip, $bytes bytes $*: the script ends well" 0 $?
	command=$(sed -n 's/^hartscope list/list --format pc/p' out)
	# shellcheck disable=SC2086
	"$HARTSCOPE" $command >got 2>err
	tail -n "$(wc -l <got)" esp32.pcs >want
	cmp -s got want && [ "$(wc -l <got)" -gt "$least" ]
	is "ESP32-$chip, $bytes bytes $*: it lists what ran" 0 $?
}
esp32_encode() { # LAYOUT SETTING...
	"$HARTSCOPE" encode -q --force --protocol etrace --config "$@" --set resync-max=1 \
		-o esp32.et esp32.rec
	is "ESP32: encode with $*" 0 $?
	rm -f esp32.et.json
}
mtvec=0x40800000
esp32_encode esp32-c6.layout
esp32 c6 0x600c0000 0x4000 30000
for chip in c6 h2 h21; do
	esp32 $chip 0x600c0000 0x400 3000
	has "ESP32-$chip: a ring that wrapped" '--wrap [1-9]' out
	has "ESP32-$chip: its clock" '^0x28 0x1' out
	has "ESP32-$chip: nothing where others have CONFIG" '^0x24 0$' out
done
esp32_encode esp32-p4.layout
esp32 p4 0x3ff04000 0x4000 30000
for chip in c5:0x600c0000 c61:0x600c0000 h4:0x60000000 p4:0x3ff04000 s31:0x2d000000; do
	esp32 ${chip%:*} ${chip#*:} 0x400 3000
	has "ESP32-${chip%:*}: a ring that wrapped" '--wrap [1-9]' out
	has "ESP32-${chip%:*}: its clock" '^0x44 0x1' out
	has "ESP32-${chip%:*}: addresses are differences" '^0x24 0$' out
	has "ESP32-${chip%:*}: it synchronises" '^0x3c 0x2000400' out
done
esp32 p4 0x3ff04000 0x400 3000 -notify 0x40801234
has "ESP32-p4 -notify: a comparator with notify" '^0x30 0x20' out
has "ESP32-p4 -notify: its address" '^0x34 0x40801234' out
esp32_encode esp32-p4.layout --set full-address=true --set implicit-except=true --set mtvec=$mtvec
esp32 c5 0x600c0000 0x400 3000 -full -implicit $mtvec
has "ESP32-c5 -full -implicit: CONFIG" '^0x24 0x30' out
has "ESP32-c5 -full -implicit: the command" "full-address=true --set implicit-except=true" out
for words in 'chip c7' 'chip c6 1' 'setup 0x40840000 0x400' \
	'chip c6; esp32_trace setup 0x40840000 64 -full'; do
	cat >case.tcl <<-EOF
		set esp32_model 0x600c0000
		source $HARTSCOPE_SOURCE/tests/board/esp32.tcl
		source $HARTSCOPE_SOURCE/scripts/openocd/hartscope.tcl
		source $HARTSCOPE_SOURCE/scripts/openocd/boards/esp32.tcl
		esp32_trace $words
	EOF
	exits "ESP32, $words" 1 jimsh case.tcl
done

# A trace that is running is stopped before it is set up again.
board jimsh ntrace sort.rec <<-EOS
	hartscope find 0x10001000 0x10002000 0x10003000
	hartscope setup ntrace
	hartscope start
	board_ask go
	hartscope status
	hartscope setup ntrace -smem 0x90000000 0x10000
	hartscope start
	board_ask halt
	board_ask run
	hartscope dump dump
EOS
is "set up again while it runs: the script ends well" 0 $?
decodes "set up again while it runs" tail

# Threads on harts of their own, through one funnel: each encoder has a source.
riscv64-linux-gnu-gcc -O1 -static -pthread -o threads \
	"$HARTSCOPE_SOURCE/tests/programs/threads.c" || { bad 'compiles'; finish; }
exits "record threads" 0 "$HARTSCOPE" record -q -o threads.rec -- ./threads
harts=$("$HARTSCOPE" info threads.rec | sed -nE 's/^harts +//p')
encoders=$(n=0; while [ $n -lt "$harts" ]; do printf '0x100%x1000 ' $n; n=$((n + 1)); done)
for protocol in ntrace etrace; do
	board jimsh $protocol threads.rec <<-EOS
		hartscope find $encoders 0x10002000 0x10003000
		hartscope setup $protocol -smem 0x90000000 0x100000
		hartscope start
		board_ask run
		hartscope dump dump
	EOS
	is "$protocol, several harts: the script ends well" 0 $?
	has "$protocol, several harts: sources" '^trTeInstFeatures = 0x40020000' dump.regs
	exits "$protocol, several harts: decode" 0 "$HARTSCOPE" decode -q --elf threads \
		--registers dump.regs -o $protocol.flow dump.trace
	exits "$protocol, several harts: equal" 0 "$HARTSCOPE" check threads.rec $protocol.flow
done
finish
