#!/bin/bash
# hartscope gdb: the session of docs/gdb.md with a real GDB, and a client that steps through
# recordings and traces, forwards and backwards, and compares with hartscope list.
#
#   gdb.sh
needs='gdb-multiarch python3'
. "${HARTSCOPE_SOURCE:?the source folder}/tests/conformance/programs.sh"
page=$HARTSCOPE_SOURCE/docs/gdb.md
script=$HARTSCOPE_SOURCE/scripts/gdb/hartscope.py
mkdir bin && ln -s "$HARTSCOPE" bin/hartscope && PATH=$work/bin:$PATH
# a server that is slow to begin, as under sanitizers, is waited for
debugger() { timeout 120 gdb-multiarch -nx -iex 'set remotetimeout 60' "$@"; }

# ---- the page ------------------------------------------------------------------------------
cp "$HARTSCOPE_SOURCE/examples/sort.c" . && $gcc -g -O0 -static sort.c -o sort &&
	hartscope record -q -o sort.rec -- ./sort 300 >out 2>&1
report "examples/sort.c was recorded" $? out
sed -n '/^```text$/,/^```$/p' "$page" | grep -v '^```' >want
sed -n 's/^(gdb) //p' want | sed 's/.*/echo (gdb) &\\n\n&/' >commands
# numbers depend on the compiler and its library
masked() { sed -E 's/0x[0-9a-f]+/N/g; s/[0-9]+/N/g; s/ +/ /g; /^$/d' "$1"; }
debugger -batch -ex 'set width 0' -x "$script" -x commands ./sort 2>&1 \
	</dev/null | grep -v '^\[Inferior' >got
masked want >want.masked
masked got >got.masked
diff want.masked got.masked >out
good=$?
text="docs/gdb.md: its $(grep -c echo commands) commands print what it says"
if [ $good -ne 0 ] && [ "$($gcc -dumpversion)" != 12 ]; then
	ok "$text # SKIP the page has what GCC 12 makes"
else
	report "$text" $good out
fi
python3 -c 'import json, re, sys
blocks = re.findall("```json\n(.*?)```", open(sys.argv[1]).read(), re.S)
assert len(blocks) == 2 and all(json.loads(b)["configurations"] for b in blocks)' "$page"
report "docs/gdb.md: both launch.json are JSON" $?

# ---- editors -------------------------------------------------------------------------------
# The Microsoft extension speaks GDB/MI; -exec reverse-next is a command of the console.
cat >mi <<-EOS
	-target-select remote | hartscope gdb -q - sort.rec
	-break-insert by_text
	-exec-continue
	-exec-next
	-interpreter-exec console "reverse-next"
	-exec-next --reverse
	-stack-list-frames
	-gdb-exit
EOS
debugger -q -i mi -x "$script" ./sort <mi >out 2>&1
[ "$(grep -c '^\*stopped,' out)" -ge 4 ] && grep -q '^^done,stack=.*func="main"' out
report "GDB/MI, as VS Code's cppdbg uses it: forwards and backwards" $? out
gdb=${HARTSCOPE_GDB:-gdb-multiarch}
version=$("$gdb" --version | sed -nE '1s/.* ([0-9]+)\.[0-9.]+.*/\1/p')
if [ "${version:-0}" -lt 14 ]; then
	ok "gdb -i dap # SKIP it needs GDB 14, this is $version (HARTSCOPE_GDB names another one)"
else
	timeout 60 python3 "$HARTSCOPE_SOURCE/tests/conformance/dap.py" "$gdb" "$script" ./sort \
		'| hartscope gdb -q - sort.rec' by_text >out 2>&1
	good=$?
	report "gdb -i dap of GDB $version: $(tail -n 1 out)" $good out
fi

hartscope gdb --help --all >help
sed -n '/^```text$/,/^```$/p' "$HARTSCOPE_SOURCE/docs/cli/gdb.md" | sed '1d;$d' >text
cmp text help >out 2>&1
report "docs/cli/gdb.md has the text of --help --all" $? out

# ---- a client ------------------------------------------------------------------------------
client()
{
	timeout 60 python3 "$HARTSCOPE_SOURCE/tests/conformance/gdb.py" "$@" >out 2>&1
	good=$?
	report "$1 $2: $(tail -n 1 out)" $good out
}

hartscope record -q -o small.rec -- ./sort 3 >out 2>&1
hartscope encode -q --protocol ntrace -o small.nt small.rec
hartscope encode -q --protocol etrace -o small.te small.rec
hartscope list --format pc small.rec >small.pcs
addr=$(riscv64-linux-gnu-nm sort | sed -n 's/^0*\([0-9a-f]*\) . by_text$/\1/p')
client steps small.pcs small.rec
client breaks small.pcs "$addr" small.rec
client breaks small.pcs "$addr" --elf sort small.nt
client breaks small.pcs "$addr" --elf sort small.te
client garbage small.rec
cp sort shrinking
client shrinks shrinking "$(riscv64-linux-gnu-objdump -h sort |
	awk '$2 == ".rodata" { print $4 }')" --elf shrinking small.nt
# another build of the program than the trace is of, which has no code with it: said, with the
# clause, and what is missing
$gcc -g -O2 -static sort.c -o other 2>out && mkdir alone && cp small.nt alone
debugger -batch \
	-ex 'target remote | hartscope gdb --elf other - alone/small.nt' -ex continue >out 2>&1
grep -q '^hartscope: offset 0x.*(NT ' out
report "a trace that contradicts its program: says so" $? out
# more open calls than are shown, of 301: said once
cat >deep.c <<-EOS
	int leaf(void) { __asm__ volatile(""); return 1; }
	int down(int n) { return n ? down(n - 1) + 1 : leaf() + 1; }
	int main(void) { return down(299) != 301; }
EOS
$gcc -g -O0 -static deep.c -o deep 2>out && hartscope record -q -o deep.rec -- ./deep >>out 2>&1
debugger -batch -x "$script" \
	-ex 'target remote | hartscope gdb -q - deep.rec' -ex 'break leaf' -ex continue \
	-ex 'backtrace 5' -ex 'backtrace -3' ./deep >out 2>&1 </dev/null
[ "$(grep -c 'outer callers may be missing: 256' out)" = 1 ]
report 'gdb: more calls are open than are shown: says so once' $? out
debugger -batch -x "$script" \
	-ex 'target remote | hartscope gdb -q - small.rec' -ex 'break by_text' -ex continue \
	-ex backtrace ./sort >out 2>&1 </dev/null
grep -q '^#1 ' out && ! grep -q 'may be missing' out
report 'gdb: nothing is missing of a few calls' $? out
# a part: its instructions are all that there is
part=(--from by_text@2 --to by_text@3)
hartscope list --format pc "${part[@]}" small.rec >part.pcs
client steps part.pcs "${part[@]}" small.rec
client steps part.pcs "${part[@]}" --elf sort small.nt
client steps part.pcs "${part[@]}" --elf sort small.te
hartscope gdb -q --from nothing small.rec </dev/null >out 2>&1
[ $? -ne 0 ]
report 'a part that is not there is refused' $? out

# Loaded files: where they are, and what GDB finds in them.
$gcc -g -O0 sort.c -o linked &&
	QEMU_LD_PREFIX=/usr/riscv64-linux-gnu \
		hartscope record -q -o linked.rec -- ./linked 3 >out 2>&1
report 'a program with libraries was recorded' $? out
debugger -batch -ex 'set width 0' -ex 'set sysroot /' \
	-ex 'target remote | hartscope gdb - linked.rec' -ex 'info sharedlibrary' \
	-ex 'break malloc' -ex 'continue' -ex 'info symbol $pc' -ex 'print/x $pc' ./linked \
	>got 2>&1 </dev/null
grep -Eq '^0x[0-9a-f]+ +0x[0-9a-f]+ .*/libc\.so\.6$' got && grep -q '/ld-linux.*\.so' got
report 'GDB lists the files that were loaded' $? got
grep -q '^malloc.* in section .text of .*/libc.so.6' got
report 'a breakpoint in a library is reached' $? got
pc=$(sed -n 's/^\$1 = 0x//p' got)
hartscope list --json --function malloc linked.rec | grep -q "\"pc\":\"0x$pc\".*libc.so.6"
report "it is where list has it: $pc" $? got

# ---- steps -----------------------------------------------------------------------------------
# GDB's steps are what executed: over branches, returns and, with hartscope.py, ecall; of programs
# that are linked with libraries, too, whose files it still lists.
steps()
{
	local what=$1 program=$2 at=$3 i
	shift 3

	hartscope list --format pc --from "$at" --limit 81 "$program.rec" | sed 's/^0x0*//' >want
	set -- "$@" -ex 'set sysroot /' -ex "target remote | hartscope gdb - $program.rec" \
		-ex "tbreak *$at" -ex continue -ex 'print/x $pc'
	for ((i = 0; i < 80; i++)); do
		set -- "$@" -ex stepi -ex 'print/x $pc'
	done
	debugger -batch "./$program" "$@" -ex 'info sharedlibrary' >out 2>&1 \
		</dev/null
	sed -n 's/^\$[0-9]* = 0x//p' out | diff want - >wrong &&
		! grep -q '^Cannot access' out && [ "$(grep -c 'Yes.*\.so' out)" -eq "$libraries" ]
	report "$what: 80 steps are what executed" $? wrong
}

$gcc -O1 -static "$programs/coverage.c" -o shapes && $gcc -O1 "$programs/coverage.c" -o shared &&
	hartscope record -q -o shapes.rec -- ./shapes >out 2>&1 &&
	QEMU_LD_PREFIX=/usr/riscv64-linux-gnu \
		hartscope record -q -o shared.rec -- ./shared >out 2>&1
report 'a program with many branches was recorded' $? out
libraries=0
steps 'static' shapes main
steps 'static, with hartscope.py' shapes main -x "$script"
# The number of a call that ends threads is not next to its ecall from glibc 2.41 on.
calls=write
riscv64-linux-gnu-nm shapes | grep -q ' __internal_syscall_cancel$' && calls=__brk
steps 'over ecall' shapes $calls
[ "$(sed -n 's/^\$[0-9]* = 0x//p' out | wc -l)" -eq 81 ] && ! grep -q 'not available' out
report 'over ecall: the number of the call is known' $? out
steps 'over ecall, with hartscope.py' shapes write -x "$script"
! grep -q 'without hartscope.py' out
report 'with hartscope.py nothing is said of it' $? out
libraries=2
steps 'dynamic' shared main
[ "$(grep -c '^hartscope: without hartscope.py there are no callers' out)" -eq 1 ]
report 'without it GDB says once what it is for' $? out
steps 'dynamic, with hartscope.py' shared main -x "$script"

$gcc -g -O0 -static "$programs/coverage.c" -o shapes &&
	hartscope record -q --force -o shapes.rec -- ./shapes >out 2>&1
hartscope list --json --from collatz@3 --limit 300 shapes.rec >list.json # of 3: seven rounds
python3 - >want <<'END'
import json
lines = [json.loads(row)["line"] for row in open("list.json")]
print(*[b for a, b in zip(lines, lines[1:]) if a != b][:24], sep="\n")
END
set -- -ex 'target remote | hartscope gdb - shapes.rec' -ex 'break collatz' -ex 'ignore 1 2' \
	-ex continue
for ((i = 0; i < 23; i++)); do
	set -- "$@" -ex step
done
debugger -batch -x "$script" "$@" ./shapes >out 2>&1 </dev/null
sed -n 's/^\([0-9]\+\)\t.*/\1/p' out | diff want - >wrong && [ "$(wc -l <want)" -eq 24 ]
report '24 lines of a function, by step' $? wrong

# ---- several harts ----------------------------------------------------------------------------
$gcc -O1 -static -pthread "$programs/threads.c" -o threads &&
	hartscope record -q -o threads.rec -- ./threads >out 2>&1
client threads threads.rec
# an index: the end, and back, without reading what is between
hartscope record -q -o large.rec -- ./sort >out 2>&1
hartscope list --format pc --last 2 large.rec >last.pcs
hartscope index -q large.rec
client end last.pcs large.rec
exit $failed
