#!/bin/sh
# What the kernel does for a program is not in the flow: system calls by their number, signals, and
# the fault that ends it.
here=$(cd "$(dirname "$0")" && pwd)
. "$here/lib.sh"
gcc=riscv64-linux-gnu-gcc
need $gcc qemu-riscv64 riscv64-linux-gnu-objdump

cat >calls.c <<'X'
#include <signal.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>
static volatile int n;
static void handler(int s)
{
	n += s;
}
int main(void)
{
	signal(SIGUSR1, handler);
	raise(SIGUSR1);
	register long a0 __asm__("a0") = 1, a2 __asm__("a2") = 2, a7 __asm__("a7") = 64;
	register const char *a1 __asm__("a1") = "x\n";
	__asm__ volatile("li a7, 64\n\tecall" : "+r"(a0) : "r"(a1), "r"(a2), "r"(a7) : "memory");
	mmap(0, 4096, PROT_READ, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	return chdir("/") + getppid() < 0;
}
X
$gcc -O1 -g -static -o calls calls.c || exit 1
"$HARTSCOPE" record -q -o calls.rec -- ./calls >out

# The witness is the emulator's own list.
qemu-riscv64 -strace ./calls 2>&1 >out | tee strace |
	sed -n 's/^[0-9]* \([a-z0-9_]*\)(.*/\1/p' | sort | uniq -c >want
exits 'traps' 0 "$HARTSCOPE" traps calls.rec
sed -n '/^traps: retired/,/^$/s/.*system call [0-9]* (\([a-z0-9_]*\)).*/\1/p' out |
	grep -v rt_sigreturn | sort | uniq -c >have
grep -v rt_sigreturn want >wanted
is 'every system call has its name' "$(cat wanted)" "$(cat have)"
has 'its number' 'U  system call 64 (write)  (kernel)  0x' out
has 'a signal, and its handler' 'system call 131 (tgkill), signal 10  handler  0x' out
is 'no system call is an exception' 0 "$(grep -c 'exception' out)"
exits 'traps --json' 0 "$HARTSCOPE" traps --json calls.rec
json 'traps --json' out
exits 'traps --syscalls' 0 "$HARTSCOPE" traps --syscalls calls.rec
sed -n '/^system calls and signals:/,/^$/s/^ *[0-9,]* *0  \([a-z0-9_]*\)(.*) = .*/\1/p' out |
	grep -v rt_sigreturn | sort | uniq -c >have
is 'traps --syscalls: every one has its name' "$(cat wanted)" "$(cat have)"
# Arguments and results, where they are the same in each run, and written the same way.
sed -n 's/^[0-9]* \(brk\|mprotect\|write\)(/\1(/p' strace |
	sed 's/NULL/0/g; s/0x0*\([0-9a-f]\)/0x\1/g; s/PROT_READ/0x1/; s/, */,/g' >want
sed -n 's/^ *[0-9,]* *0  \(\(brk\|mprotect\|write\)(.*) = [^ ]*\)  .*/\1/p' out |
	sed 's/, */,/g' >have
is 'traps --syscalls: arguments and results' "$(cat want)" "$(cat have)"
has 'traps --syscalls: an error' 'set_robust_list(0x[0-9a-f]*, 24) = -1 ENOSYS  ' out
has 'traps --syscalls: the last one' 'exit_group(0) = ?  _exit$' out
has 'traps --syscalls: errors are counted' '^ *1 *1  system call 99 (set_robust_list)  ' out
line=$(grep -n 'mmap(' calls.c | cut -d: -f1)
has 'traps --syscalls: who called' \
	"^ *[0-9,]* *0  mmap(0, 4096, 0x1, 0x22, -1, 0) = 0x[0-9a-f]*  main  calls.c:$line\$" out
has 'traps --syscalls: a signal' 'tgkill([0-9, ]*10) = 0, signal 10  handler  main  calls.c:' out
has 'traps --syscalls: by caller' "^ *1 *0  system call 222 (mmap)  main  calls.c:$line\$" out
exits 'traps --json' 0 "$HARTSCOPE" traps --json calls.rec
has 'traps --json: the number' '"systemCall": 64,"name": "system call 64 (write)"' out

cat >fault.c <<'X'
int sum(int *p, int n)
{
	int s = 0;

	for (int i = 0; i < n; i++)
		s += p[i];
	return s;
}
int main(void)
{
	return sum((int *)8, 3);
}
X
$gcc -O1 -g -static -fno-inline -o fault fault.c || exit 1
at=$(riscv64-linux-gnu-objdump -d fault --disassemble=sum |
	sed -n 's/^ *\([0-9a-f]*\):.*\tlw\t.*/\1/p')
# The instruction is known by the address that it accesses.
for how in '' --exact-faults; do
	# shellcheck disable=SC2086
	"$HARTSCOPE" record -q --force $how -o fault.rec -- ./fault 2>err
	is "a fault $how" 139 $?
	exits "list --last $how" 0 "$HARTSCOPE" list --last 4 fault.rec
	has "list --last $how: the instruction that faulted is the last line" \
		"^; 0x$at  lw .*  did not retire: signal 11" out
	is "list --last $how: and it is last" "; 0x$at" \
		"$(tail -n 1 out | cut -c 1-$((4 + ${#at})))"
	exits "a part has no end $how" 0 "$HARTSCOPE" list --limit 3 fault.rec
	is "a part has no end $how" 0 "$(grep -c 'did not retire' out)"
	exits "traps $how" 0 "$HARTSCOPE" traps fault.rec
	has "traps $how: has it" "U  signal 11  (the program ended)  0x$at  sum+0x" out
	is "traps $how: nothing more is said" '' "$(cat err)"
done
"$HARTSCOPE" record -q --force -o fault.rec -- ./fault 2>err
has 'the address is in the manifest' '"end": "signal 11, address 0x8"' fault.rec/manifest.json
exits 'info' 0 "$HARTSCOPE" info fault.rec
has 'info: what says more' "'hartscope crash fault.rec' says what it died of" err
for protocol in ntrace etrace; do
	"$HARTSCOPE" encode -q --force --protocol $protocol -o fault.tr fault.rec
	"$HARTSCOPE" decode -q --force --elf fault -o fault.flow fault.tr
	exits "$protocol has the same end" 0 "$HARTSCOPE" check fault.rec fault.flow
done
# Where two instructions may have done it, none is named.
cat >doubt.c <<'X'
int main(void)
{
	__asm__ volatile("li a5, 64\n\tld a5, 0(a5)\n\tld a5, 0(a5)" ::: "a5");
	return 0;
}
X
$gcc -O1 -g -static -o doubt doubt.c || exit 1
"$HARTSCOPE" record -q -o doubt.rec -- ./doubt 2>err
is 'a fault of two' 139 $?
exits 'of two: list --last' 0 "$HARTSCOPE" list --last 4 doubt.rec
has 'of two: the way to the instruction' \
	'signal 11, at an instruction that record --exact-faults says' out
"$HARTSCOPE" traps doubt.rec >out 2>err
has 'of two: traps' "signal 11 ended the program: 'hartscope crash' says where" err
is 'of two: no place' '' "$(grep 'signal 11' out)"
exits 'of two: crash' 0 "$HARTSCOPE" crash doubt.rec
has 'of two: crash' '^instruction  *one of the last block: record --exact-faults says which' out
is 'of two: crash has both' 2 "$(grep -c '^  0x[0-9a-f]*  ld a5, 0x0(a5)' out)"
# A block that an ebreak ends, which was not reached: it is not where the program ended.
cat >null.c <<'X'
int main(void)
{
	__asm__ volatile("lw a5, 0(zero)\n\tebreak" ::: "a5");
	return 0;
}
X
$gcc -O1 -g -static -o null null.c || exit 1
at=$(riscv64-linux-gnu-objdump -d null --disassemble=main |
	sed -n 's/^ *\([0-9a-f]*\):.*\tlw\ta5,0(zero).*/\1/p')
"$HARTSCOPE" record -q -o null.rec -- ./null 2>err
is 'before an ebreak' 139 $?
exits 'before an ebreak: traps' 0 "$HARTSCOPE" traps null.rec
has 'before an ebreak: the place' "signal 11  (the program ended)  0x$at  main+0x" out
"$HARTSCOPE" record -q --force --exact-faults -o null.rec -- ./null 2>err
exits 'before an ebreak, exact: traps' 0 "$HARTSCOPE" traps null.rec
has 'before an ebreak, exact: the place' "signal 11  (the program ended)  0x$at  main+0x" out
# On a terminal: how much it was, and what comes next.
if command -v python3 >/dev/null; then
	"$here/terminal.py" "$HARTSCOPE" record -o said.rec -- ./calls >out
	has 'record: its summary' '^hartscope: said.rec: [0-9]*,[0-9]* instructions, 1 hart, .* s$' out
	has 'record: what comes next' '^hartscope: next: hartscope report said.rec$' out
	"$here/terminal.py" "$HARTSCOPE" record -o died.rec -- ./fault >out
	has 'record: what comes next after a crash' \
		'^hartscope: next: hartscope crash died.rec$' out
fi
finish
