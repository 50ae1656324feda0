#!/bin/sh
# The program of a recording that was moved, renamed or deleted: one sentence with the way out in
# each command, and the way out.
. "$(dirname "$0")/lib.sh"
need riscv64-linux-gnu-gcc
dir=$(pwd -P)
export QEMU_LD_PREFIX=/usr/riscv64-linux-gnu

cat >work.c <<'EOS'
int __attribute__((noinline)) work(int x) { return 3 * x; }
EOS
cat >main.c <<'EOS'
int work(int);
int main(void)
{
	return work(2) != 6;
}
EOS
riscv64-linux-gnu-gcc -O1 -g -fPIC -shared -o libwork.so work.c &&
	riscv64-linux-gnu-gcc -O1 -g -o app main.c -L. -lwork -Wl,-rpath,. || bad "built"
"$HARTSCOPE" record -q -o app.rec -- ./app
"$HARTSCOPE" encode -q app.rec
"$HARTSCOPE" calls app.rec >calls 2>err
mkdir away && mv app away/app

gone="$dir/app, named by the recording, is not there: .*(--elf FILE says where it is)"
for command in list report calls traps coverage stat pmu ctr info 'export --format folded' \
	'report --html -o page.html' 'coverage --format lcov' 'diff app.rec' gdb \
	'annotate main' 'list --function main'; do
	# shellcheck disable=SC2086  # words
	"$HARTSCOPE" $command app.rec >out 2>err </dev/null
	want=1
	[ "$command" = 'diff app.rec' ] && want=2
	is "$command: one sentence" $want "$(grep -c "$gone" err)"
	is "$command: no wrong advice" 0 "$(grep -c 'compile it with -g' err)"
done
"$HARTSCOPE" list app.nt >out 2>err
is "a trace: one sentence" 1 "$(grep -c "$gone" err)"
"$HARTSCOPE" calls --elf away/app app.rec >out 2>err
is "--elf: names as before" "$(cat calls)" "$(cat out)"
is "--elf: nothing to say" '' "$(cat err)"
mv away/app away/renamed
"$HARTSCOPE" calls --elf away/renamed app.rec >out 2>err
is "--elf of another name, by its build-id: names as before" "$(cat calls)" "$(cat out)"
is "--elf of another name: nothing to say" '' "$(cat err)"
mv away/renamed app && mv libwork.so away/
"$HARTSCOPE" coverage app.rec >out 2>err
has "a library that is gone" "$dir/libwork.so, named by the recording, is not there" err
"$HARTSCOPE" calls --elf away/libwork.so app.rec >out 2>err
is "--elf of a library: names as before" "$(sed 's/  \[.*//' calls)" "$(sed 's/  \[.*//' out)"
# the file has the same build-id, and all its code is other than what ran
cp away/libwork.so libwork.so
riscv64-linux-gnu-objcopy --dump-section .text=text libwork.so
tr '\000-\377' '\001-\377\000' <text >other
riscv64-linux-gnu-objcopy --update-section .text=other libwork.so
"$HARTSCOPE" calls app.rec >out 2>err
same='has the build-id of what ran, and \([0-9]*\) of the \1 bytes that ran are others'
has "other bytes under the same build-id: said" "$dir/libwork.so: $same, .*: it names nothing" err
is "other bytes under the same build-id: no name" 0 "$(grep -c 'work$' out)"
echo 'int nothing;' >libwork.so
"$HARTSCOPE" list app.rec >out 2>err
has "a file that is no program" "$dir/libwork.so: .*: it names nothing" err
finish
