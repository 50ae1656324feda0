#!/bin/sh
# Calls that nest deeper than 1000: returns are left out as far as the encoder counts.
. "$(dirname "$0")/lib.sh"
need riscv64-linux-gnu-gcc qemu-riscv64

cat >deep.c <<'X'
static volatile unsigned sum;
__attribute__((noinline)) static unsigned down(unsigned n)
{
	unsigned below = n ? down(n - 1) : 1;

	sum += below;
	return below + n;
}
int main(void)
{
	return (down(1000) + down(1500)) & 1;
}
X
riscv64-linux-gnu-gcc -O1 -fno-optimize-sibling-calls -static -o deep deep.c || exit 1
"$HARTSCOPE" record -q -o deep.rec -- ./deep >out 2>&1 || :
[ -s deep.rec ] || exit 1

# trip NAME OPTION...: both ways, read by one thread and by two
trip() {
	name=$1
	shift
	exits "$name: encode" 0 "$HARTSCOPE" encode -q "$@" -o deep.trace deep.rec
	exits "$name: comes back" 0 "$HARTSCOPE" check --elf deep deep.rec deep.trace
	exits "$name: with 2 threads" 0 "$HARTSCOPE" check --jobs 2 --elf deep deep.rec \
		deep.trace
	rm -f deep.trace.json
}

# Messages for jumps whose target the trace has.
jumps() { "$HARTSCOPE" dump --protocol ntrace "$@" deep.trace | grep -c ' IndirectBranch'; }

# down() has 1001 and 1501 frames.  An encoder that counts n calls reports the returns of all but
# the innermost n: 969 and 1469 for 32, none and 478 for 1023.
# No synchronisation on the way: an encoder forgets its calls there.
counting='--protocol ntrace --set trTeInstImplicitReturnMode=counting --set trTeInstSyncMode=off'
# shellcheck disable=SC2086
trip 'N-Trace, 32 calls' $counting
few=$(jumps --set trTeInstImplicitReturnMode=counting)
# shellcheck disable=SC2086
trip 'N-Trace, 1023 calls' $counting --set callStack=1023
many=$(jumps --set trTeInstImplicitReturnMode=counting)
is 'N-Trace: 969 + 1469 - 478 returns less' 1960 $((few - many))
for mode in partial full; do
	trip "N-Trace, 1023 addresses, $mode" --protocol ntrace --set callStack=1023 \
		--set trTeInstImplicitReturnMode=$mode
done
trip 'P550' --protocol ntrace --config "$HARTSCOPE_SOURCE/layouts/p550.layout"
exits 'more than 1024 calls' 2 "$HARTSCOPE" encode -q --protocol ntrace --set callStack=1025 \
	-o x deep.rec

for size in 5 10; do
	trip "E-Trace, a counter of $size bits" --protocol etrace --set implicit-return=1 \
		--set call_counter_size_p=$size
	trip "E-Trace, a stack of $size bits" --protocol etrace --set implicit-return=1 \
		--set return_stack_size_p=$size
done
