#!/bin/sh
# perf.data as kernels write it: CoreSight frames of all CPUs, with threads as contexts; a RAM sink
# that is copied from its start at each stop (design/perf-data).  perf_linux.py makes the files.
. "$(dirname "$0")/lib.sh"
python3 "$(dirname "$0")/perf_linux.py" . || bad "perf_linux.py"

# what FILE...: harts, and which program ran, as in "hart 0: 1 1 3 3 3 2".
what()
{
	"$HARTSCOPE" list "$@" >listing 2>err
	code=$?
	sed -n -e 's/^; hart \([0-9]*\).*/hart \1:/p' -e 's/^; gap.*/gap/p' \
		-e 's/.* li a0, 0x\([0-9]\).*/\1/p' listing | tr '\n' ' ' | sed 's/ $//'
	return $code
}

is "frames: each thread's program on each CPU" "hart 0: 1 1 2 1 hart 5: 2 2 2 2" \
	"$(what k3.data | sed 's/gap //g')"
is "frames: and the kernel's" "hart 0: 1 1 3 3 3 2 1 hart 5: 2 2 2 2" \
	"$(what --elf kernel.elf k3.data)"
exits "frames: nothing is missing" 0 "$HARTSCOPE" list --elf kernel.elf k3.data
is "frames without a barrier" "hart 0: 1 1 3 3 3 2 hart 5: 2 2 2 2" \
	"$(what --elf kernel.elf bare.data)"
is "frames, as said" "$(what --elf kernel.elf k3.data)" \
	"$(what --transport tpiu-frames --elf kernel.elf k3.data)"
exits "bytes that are frames are no messages" 3 "$HARTSCOPE" list --transport raw \
	--elf kernel.elf k3.data
is "a message that is cut at a barrier" "hart 0: 1 1 3 3 3 2 1 hart 5: 2 2 2 2" \
	"$(what --elf kernel.elf cut.data)"
exits "a message that is cut" 3 "$HARTSCOPE" dump cut.data
has "a message that is cut: where" 'CPU 0: offset 0x80 of the buffer: another block' out
exits "a block that begins inside a message" 3 "$HARTSCOPE" dump wrapped.data
is "a block that begins inside a message: what is whole" \
	"ProgTraceCorrelation Ownership ProgTraceSync ProgTraceCorrelation" \
	"$(grep -o 'Ownership\|ProgTrace[A-Z][a-z]*' out | tr '\n' ' ' | sed 's/ $//')"
exits "dump of frames" 0 "$HARTSCOPE" dump k3.data
is "dump: each source" "; buffer of CPU 0, source 0x10 ; buffer of CPU 0, source 0x1a" \
	"$(grep '^; buffer' out | tr '\n' ' ' | sed 's/ $//')"
has "dump: SRC of 12 bits" 'src 5 .*F-ADDR=0x8001' out
exits "info of frames" 0 "$HARTSCOPE" info --json k3.data
json "info" out
has "info: sources" '"source": *26' out
exits "stat of frames" 0 "$HARTSCOPE" stat --by process --elf kernel.elf k3.data
sed -n '/^by process/,/^$/p' out | awk 'NR > 1 && NF { print $1, $5, $6, $7 }' >by
is "stat: processes, also by their threads" \
	"5 a (pid 100) 4 b (pid 200) 1 b (pid 200) 1 a (pid 100)" \
	"$(tr '\n' ' ' <by | sed 's/ $//')"
exits "stat of threads" 0 "$HARTSCOPE" stat --by thread --elf kernel.elf k3.data
has "stat: a thread by its number" ' a-thread (pid 100, tid 101)' out

exits "a sink that is copied from the last stop" 0 "$HARTSCOPE" list --format pc v4.data
cp out want
exits "a sink that is copied from its start" 0 "$HARTSCOPE" list --format pc v3.data
cmp -s out want
is "nothing is decoded twice" 0 $?
has "what is left out is said" 'v3.data: [0-9]* bytes that repeat those before' err
exits "info of what repeats" 0 "$HARTSCOPE" info v3.data
has "info: bytes, gaps, repeated" 'cpu *0 *128 *0 *192' out
exits "bytes that are equal by chance" 0 "$HARTSCOPE" list --format pc chance.data
is "bytes that are equal by chance are decoded" 56 "$(wc -l <out)"

exits "a memory that wrapped" 3 "$HARTSCOPE" dump ring.data
has "a memory that wrapped is said" \
	'offset 0x1518 of the buffer: the memory of the sink wrapped' out
grep -o 'ProgTrace.*' out >got
"$HARTSCOPE" dump --protocol ntrace ring.nt | grep -o 'ProgTrace.*' >want
is "a memory that wrapped: all but what its seam cuts" 1 "$(diff want got | grep -c '^[<>]')"

for option in '--transport uart' '--transport tpiu' '--wrap 16' '--vcd-data x' '--bit 4' \
	'--source 1=ntrace'; do
	# shellcheck disable=SC2086 # words
	exits "$option of a perf.data" 2 "$HARTSCOPE" list --elf a.elf $option v4.data
done

# A recording both ways.
loop_bin
printf '1000\n1002\n1004\n1002\n1004\n1006\n100e\n100a\n' >loop.pcs
"$HARTSCOPE" import -q --from pcs --bin loop.bin@0x1000 -o loop.rec loop.pcs
for set in trTeSrcBits=0 trTeSrcBits=12; do
	for protocol in ntrace etrace; do
		exits "encode, frames, $protocol, $set" 0 "$HARTSCOPE" encode -q --force \
			--protocol $protocol --set $set --perf-data frames -o perf.data loop.rec
		exits "check, $protocol, $set" 0 "$HARTSCOPE" check loop.rec perf.data
		exits "info, $protocol, $set" 0 "$HARTSCOPE" info perf.data
		has "frames, $protocol, $set" 'ID in CoreSight frames' out
	done
done
for words in frames,thread frames,snapshot=4096 every=64; do
	exits "--perf-data $words" 2 "$HARTSCOPE" encode -q --force --perf-data $words \
		-o perf.data loop.rec
done
exit $failed
