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

# Tasks switch with a return that leads into another one: a count does not see it (NT 9.2).
cat >tasks.c <<'X'
#include <ucontext.h>
static ucontext_t back, task[2];
static volatile unsigned sum;
static char stack[2][65536];
__attribute__((noinline)) static void work(unsigned n, unsigned other)
{
	if (n == 0)
		swapcontext(&task[1 - other], &task[other]);
	else
		work(n - 1, other);
	sum += n;
}
static void run(int other)
{
	for (unsigned n = 1; n < 9; n++)
		work(n, (unsigned)other);
}
int main(void)
{
	for (int i = 0; i < 2; i++) {
		getcontext(&task[i]);
		task[i].uc_stack.ss_sp = stack[i];
		task[i].uc_stack.ss_size = sizeof stack[i];
		task[i].uc_link = &back;
		makecontext(&task[i], (void (*)(void))run, 1, 1 - i);
	}
	swapcontext(&back, &task[0]);
	return 0;
}
X
riscv64-linux-gnu-gcc -O1 -fno-optimize-sibling-calls -static -o tasks tasks.c || exit 1
"$HARTSCOPE" record -q -o tasks.rec -- ./tasks >out 2>&1 || :
[ -s tasks.rec ] || exit 1
for dialect in rc7 1.0 sifive; do
	for mode in btm htm; do
		exits "tasks, $dialect, $mode: encode" 0 "$HARTSCOPE" encode -q \
			--protocol ntrace --set dialect=$dialect --set trTeInstMode=$mode \
			--set trTeInstImplicitReturnMode=counting --set callStack=1023 \
			-o tasks.nt tasks.rec
		exits "tasks, $dialect, $mode: comes back" 0 "$HARTSCOPE" check --elf tasks \
			tasks.rec tasks.nt
		rm -f tasks.nt.json
	done
done
exits 'tasks, P550: encode' 0 "$HARTSCOPE" encode -q --protocol ntrace \
	--config "$HARTSCOPE_SOURCE/layouts/p550.layout" -o tasks.nt tasks.rec
exits 'tasks, P550: comes back' 0 "$HARTSCOPE" check --elf tasks tasks.rec tasks.nt

exits 'more than 1024 calls' 2 "$HARTSCOPE" encode -q --protocol ntrace --set callStack=1025 \
	-o x deep.rec

for size in 5 10; do
	trip "E-Trace, a counter of $size bits" --protocol etrace --set implicit-return=1 \
		--set call_counter_size_p=$size
	trip "E-Trace, a stack of $size bits" --protocol etrace --set implicit-return=1 \
		--set return_stack_size_p=$size
done
