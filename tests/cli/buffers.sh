#!/bin/sh
# What RAM sinks leave, in both protocols: rings and linear buffers with a dump of their registers
# and without, and the buffers of two harts next to each other, each with its own registers.
. "$(dirname "$0")/lib.sh"
need qemu-riscv64 riscv64-linux-gnu-gcc

# One program, run twice, as two harts; in the same environment each time, as what a program does
# first depends on it, and a seam is found by what is around it.  QEMU 10 maps a stack
# anywhere, but not in addresses that are reserved.
riscv64-linux-gnu-gcc -O1 -static -o sort "${HARTSCOPE_SOURCE:?the source tree}/examples/sort.c" ||
	{ bad 'compiles'; finish; }
for run in zero:40 one:70; do
	env -i HOME="$HOME" PATH=/usr/bin:/bin QEMU_RESERVED_VA=0x4000000000 setarch -R \
		"$HARTSCOPE" record -q -o ${run%:*}.rec -- ./sort ${run#*:} >/dev/null
	"$HARTSCOPE" list --format pc ${run%:*}.rec >${run%:*}.rec.pcs
done

# sink NAME TRACE START BYTES: what a RAM sink of so many bytes has after TRACE, whose words are 4
# bytes, and its registers: NAME.trace, NAME.regs.  Byte n is at n modulo BYTES (TCI 7.1).
sink() {
	cp "$2" padded
	while [ $(($(wc -c <padded) % 4)) -ne 0 ]; do
		printf "$idle" >>padded
	done
	all=$(wc -c <padded)
	pointer=$((all % $4)) wrapped=1
	if [ "$all" -lt "$4" ]; then
		wrapped=0
		cp padded $1.trace
	else
		{
			tail -c $pointer padded
			tail -c $4 padded | head -c $(($4 - pointer))
		} >$1.trace
	fi
	cat >$1.regs <<-EOS
		[encoder]
		trTeControl = $control
		[ram]
		trRamControl = 0x19
		trRamStartLow = $(printf 0x%x $3)
		trRamLimitLow = $(printf 0x%x $(($3 + $4 - 4)))
		trRamWPLow = $(printf 0x%x $(($3 + pointer + wrapped)))
	EOS
}

# ends TEXT RECORDING LEAST: out has the end of what it executed, at least so many instructions
ends() {
	n=$(wc -l <out)
	is "$1: the end of the flow" "$(tail -n "$n" "$2.pcs" | cksum)" "$(cksum <out)"
	is "$1: more than $3 instructions" yes "$([ "$n" -gt "$3" ] && echo yes)"
}

# part TEXT RECORDING: out is a part of what it executed, as the bytes around a seam are left out
part() {
	if python3 -c 'import sys
got, all = (b"\n" + open(name, "rb").read() for name in sys.argv[1:])
sys.exit(got not in all or got.count(b"\n") < 1000)' out "$2.pcs"; then
		ok "$1: a part of the flow"
	else
		bad "$1: a part of the flow"
	fi
}

for protocol in ntrace etrace; do
	# trTeFormat, trTeInstMode, trTeEnable and trTeActive: after a stop (TCI 6.1).
	if [ $protocol = ntrace ]; then
		control=0x01000031 idle='\377'
		options='--set trTeInstMode=btm --set trTeInstSyncMode=bytes --set trTeInstSyncMax=1'
	else
		control=0x00000071 idle='\000'
		options='--set trTeInstSyncMode=halfwords --set resync-max=1 --set async-freq=1'
	fi
	for hart in zero one; do
		# shellcheck disable=SC2086
		"$HARTSCOPE" encode -q --protocol $protocol $options -o $hart.enc $hart.rec
		rm $hart.enc.json
	done
	code='--elf sort'
	list="list --format pc $code"

	sink linear zero.enc 0x80000000 1048576
	# shellcheck disable=SC2086
	exits "$protocol, linear, registers" 0 "$HARTSCOPE" $list --registers linear.regs \
		linear.trace
	ends "$protocol, linear, registers" zero.rec 9000
	has "$protocol, linear, registers: not wrapped" 'write pointer 0x.*, not wrapped' err
	# All of the memory was read: what is after the write pointer is not trace.
	{ cat linear.trace; head -c 1048576 /dev/urandom; } | head -c 1048576 >more.trace
	# shellcheck disable=SC2086
	exits "$protocol, linear, all of its memory" 0 "$HARTSCOPE" $list --registers linear.regs \
		more.trace
	ends "$protocol, linear, all of its memory" zero.rec 9000
	sink first zero.enc 0x80000000 4096
	# Its seam is not where the memory ends: the search would not see it.
	size=3584
	seam=$(($(wc -c <one.enc) % size))
	[ $seam -gt 64 ] && [ $seam -lt $((size - 64)) ] || size=3072
	sink second one.enc 0x80001000 $size
	for ring in first:zero second:one; do
		name=${ring%:*} rec=${ring#*:}.rec
		# shellcheck disable=SC2086
		exits "$protocol, ring $name, registers" 0 "$HARTSCOPE" $list \
			--registers $name.regs $name.trace
		ends "$protocol, ring $name, registers" $rec 1000
		# shellcheck disable=SC2086
		"$HARTSCOPE" $list --protocol $protocol --wrap find $name.trace >out 2>err
		has "$protocol, ring $name, found: where" 'circular buffer begins at 0x' err
		part "$protocol, ring $name, found" $rec
	done

	# One dump of the memory, in which the buffers of two harts are next to each other.
	cat first.trace second.trace >both
	head -c 4096 both >hart0
	tail -c +4097 both >hart1
	# shellcheck disable=SC2086
	exits "$protocol, two harts" 0 "$HARTSCOPE" decode -q $code --registers first.regs \
		--source hart1=registers=second.regs,hart=1 -o both.flow hart0
	for hart in 0:zero 1:one; do
		"$HARTSCOPE" list --format pc --hart ${hart%:*} both.flow >out
		ends "$protocol, two harts: hart ${hart%:*}" ${hart#*:}.rec 1000
	done
	rm -r both.flow
	# shellcheck disable=SC2086
	exits "$protocol, two harts, found" 0 "$HARTSCOPE" decode -q $code --protocol $protocol \
		--wrap find --source hart1=hart=1 -o both.flow hart0
	for hart in 0:zero 1:one; do
		"$HARTSCOPE" list --format pc --hart ${hart%:*} both.flow >out
		part "$protocol, two harts, found: hart ${hart%:*}" ${hart#*:}.rec
	done
	rm -r both.flow
done
exits "registers of a source without a file" 2 "$HARTSCOPE" list --elf sort \
	--source hart1=registers= hart0
has "registers of a source without a file: says so" "'registers=' is not understood" err
finish
