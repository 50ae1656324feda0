#!/bin/sh
# What is left out because something does not fit is said in a sentence, with the way out.
. "$(dirname "$0")/lib.sh"
loop_bin
loop_csv

# Code that is not known: every command that counts or names says so, as list and stat do.
"$HARTSCOPE" import -q --from csv -o nocode.rec loop.csv
for words in list stat report calls 'calls --flat' traps 'annotate f' 'export --format folded' pmu \
	'report --by line' 'diff nocode.rec' coverage 'coverage --format lcov'; do
	# shellcheck disable=SC2086
	exits "no code: $words" 3 "$HARTSCOPE" $words nocode.rec
	has "no code: $words: said" 'the code of \(5\|some\) blocks is not known' err
done
"$HARTSCOPE" coverage nocode.rec >out 2>err
is 'no code: coverage gives no advice on -g' '' "$(grep -e '-g$' err)"
exits 'no code: report --html' 3 "$HARTSCOPE" report --html -o page.html nocode.rec
has 'no code: report --html: said' 'the code of 5 blocks is not known' err

loop_rec
"$HARTSCOPE" coverage loop.rec >out 2>err
has 'coverage without an ELF file: says so' 'no ELF file of the program is known: --elf FILE' err

# More traps that do not return than are kept: a hart traps 300 times from 0x1002.
{
	head -n 1 loop.csv
	seq 300 | sed 's/.*/0,0,0,3,1000,0,0,1,0\n1,2,0,3,1002,0,0,0,0/'
	echo 0,0,0,3,1000,0,0,1,0
} >traps.csv
"$HARTSCOPE" import -q --from csv --bin loop.bin@0x1000 -o traps.rec traps.csv
for words in traps 'stat --traps'; do
	# shellcheck disable=SC2086
	"$HARTSCOPE" $words traps.rec >out 2>err
	has "$words: traps that are not kept" '44 traps are counted as not returned: .* 256 ' err
done

# Calls in more others than a folded stack has: "jal ra, 0" calls itself 600 times.
printf '\357\000\000\000' >self.bin
{
	head -n 1 loop.csv
	seq 600 | sed 's/.*/9,0,0,3,1000,0,0,1,1/'
} >self.csv
"$HARTSCOPE" import -q --from csv --bin self.bin@0x1000 -o self.rec self.csv
"$HARTSCOPE" export --format folded -o self.folded self.rec >out 2>err
is 'folded: nothing is lost' 600 "$(awk '{ n += $NF } END { print n }' self.folded)"
has 'folded: what is deeper than 512 levels' '88 instructions count for a caller' err
"$HARTSCOPE" export --depth 20 --format folded -o self.folded self.rec >out 2>err
is 'folded: with --depth it is asked for' '' "$(grep 'count for a caller' err)"

# Lines of a log that are the program's own.
cat >mixed.log <<-EOS
	core   0: 3 0x0000000000001000 (0x4509) x10 0x0000000000000002
	hello, world
	core   0: 3 0x0000000000001002 (0x157d) x10 0x0000000000000001
EOS
"$HARTSCOPE" import --from spike --bin loop.bin@0x1000 -o mixed.rec mixed.log >out 2>err
has 'import: lines that are not of the log' '^lines not of the log *1$' out
"$HARTSCOPE" encode -q --protocol ntrace -o loop.nt loop.rec

# A list of changes of the code that cannot be read.
echo '{' >loop.nt.code
"$HARTSCOPE" lint --bin loop.bin@0x1000 loop.nt >out 2>err
has 'lint: a damaged TRACE.code' \
	'loop.nt.code:1: .*: the code is taken as one that does not change' err

gcc=riscv64-linux-gnu-gcc
command -v $gcc >/dev/null && command -v qemu-riscv64 >/dev/null || finish
printf 'int main(void)\n{\n\treturn 0;\n}\n' >app.c
$gcc -O1 -g -o app app.c || exit 1
"$HARTSCOPE" record -q -o app.rec -- ./app

# Code that is made at run time: five calls of each of three versions, as the program says.  QEMU 10
# has a page of its own, too, with the system call after each version.
$gcc -O1 -g -static -o selfmod "$HARTSCOPE_SOURCE/tests/programs/selfmod.c" || exit 1
"$HARTSCOPE" record -q -o selfmod.rec -- ./selfmod >out
"$HARTSCOPE" coverage -q selfmod.rec >out 2>err
entries=$("$HARTSCOPE" list --format pc selfmod.rec |
	awk '{ away = length($1) > 8; n += away && !before; before = away } END { print n }')
[ "$entries" = 15 ] || [ "$entries" = 18 ] || bad "selfmod: $entries times outside of the program"
has 'coverage: code that was made at run time' "$entries blocks are of code that is not in" err

# Callers that are not known: leave() returns to elsewhere in outer(), 12 of 17 instructions before
# the end.
cat >astray.S <<'EOS'
	.option norelax
	.globl _start
	.type _start, @function
_start:
	jal ra, outer
	.size _start, . - _start
	.type outer, @function
outer:
	jal ra, leave
	ebreak
.Lelse:
	.rept 9
	nop
	.endr
	li a7, 93
	li a0, 0
	ecall
	.size outer, . - outer
	.type leave, @function
leave:
	lla ra, .Lelse
	ret
	.size leave, . - leave
EOS
$gcc -static -nostdlib -o astray astray.S || exit 1
"$HARTSCOPE" record -q -o astray.rec -- ./astray
for words in report calls; do
	exits "not sure: $words" 0 "$HARTSCOPE" $words astray.rec
	has "not sure: $words: how many" '^on a stack that is not sure  *12$' out
	has "not sure: $words: said" '71 % .* ran where the callers are not sure' err
	has "not sure: $words: what it means" 'their totals, callers .* may be wrong there' err
done

# A file that a perf.data maps and that is gone.
"$HARTSCOPE" encode -q --perf-data thread -o perf.data app.rec
rm -f perf.data.json
mv app gone
"$HARTSCOPE" list --limit 1 perf.data >out 2>err
has 'perf.data: a file that is gone' "$PWD/app, which perf.data says was mapped, is not there" err
mv gone app

# A recording that TRACE.json names and that cannot be read.
"$HARTSCOPE" encode -q --protocol ntrace -o app.nt app.rec
echo '{' >app.rec/manifest.json
"$HARTSCOPE" list --limit 1 --elf app app.nt >out 2>err
has 'a damaged recording, with --elf: said' \
	'app.rec, which has the code that ran, cannot be read' err
mv app.rec gone.rec
"$HARTSCOPE" list --limit 1 --elf app app.nt >out 2>err
has 'a recording that is gone, with --elf: said' \
	'app.rec, the recording of this trace, is not there' err
mv gone.rec app.rec

# A program that was cut after its segments.
head -c "$(($(stat -c %s app) - 600))" app >cut
"$HARTSCOPE" list --limit 1 --elf cut app.nt >out 2>err
has 'a program that is cut' 'cut: its table of sections is not in the file' err

# A program that has no path any more: the flow that decode writes cannot name it.
cp app held
exec 3<held
rm held
"$HARTSCOPE" decode -q --elf /dev/fd/3 -o held.flow app.nt >out 2>err
exec 3<&-
has 'decode: a file without a path' '/dev/fd/3: .*: held.flow does not say that it was mapped' err

# A debug file that is damaged.
riscv64-linux-gnu-objcopy --only-keep-debug app app.debug
riscv64-linux-gnu-objcopy --strip-all --add-gnu-debuglink=app.debug app stripped
id=$(readelf -n app | sed -n 's/.*Build ID: \(..\)\(.*\)/\1\/\2/p')
mkdir -p "debug/.build-id/${id%/*}"
head -c 400 app.debug >"debug/.build-id/$id.debug"
"$HARTSCOPE" record -q -o stripped.rec -- ./stripped
"$HARTSCOPE" report --debug-dir debug stripped.rec >out 2>err
has 'a debug file that is cut' "$id.debug: is damaged, or has another build-id" err

# Functions that are inlined in each other: of the 100 that addr2line has, list shows 16.
inlined() {
	echo 'volatile int v;'
	echo '#define I static inline __attribute__((always_inline)) int'
	echo 'I f0(int n) { v++; return n + v; }'
	for i in $(seq "$1"); do
		echo "I f$i(int n) { { int x = n + v; return f$((i - 1))(x); } }"
	done
	echo "int main(void) { return f$1(0) > 100000; }"
}
for depth in 100 300; do
	inlined $depth >deep.c
	$gcc -O1 -g -static -o deep$depth deep.c || exit 1
	"$HARTSCOPE" record -q -o deep$depth.rec -- ./deep$depth
	"$HARTSCOPE" list --json deep$depth.rec >deep$depth.json 2>err
	[ $depth = 100 ] || has "inlined $depth deep: said" 'more than 256 functions' err
done
insn=$(grep '"f100"' deep100.json | tail -n 1)
pc=$(echo "$insn" | sed 's/.*"pc":"\([^"]*\)".*/\1/')
left=$(echo "$insn" | sed -n 's/.*"inlined_left_out":\([0-9]*\).*/\1/p')
is 'inlined 100 deep: as addr2line' "$(riscv64-linux-gnu-addr2line -i -f -e deep100 "$pc" |
	grep -c '^f[0-9]')" "$(($(echo "$insn" | grep -o call_line | wc -l) + left))"

# Names of 9000 characters that differ in the last one: formats that merge by name keep them apart.
name=$(printf '%09000d' 0 | tr 0 n)
cat >long.c <<-EOS
	#define F __attribute__((noinline)) int
	F ${name}1(int n) { __asm__(""); return n + 1; }
	F ${name}2(int n) { __asm__(""); return n + ${name}1(n) + 1; }
	int main(void) { int n = 0; while (n < 9999) n = ${name}2(${name}1(n)); return 0; }
EOS
$gcc -O1 -g -static -o long long.c || exit 1
"$HARTSCOPE" record -q -o long.rec -- ./long
for words in 'export --format folded' 'export --format callgrind' 'export --format chrome' \
	'export --format speedscope' 'coverage --format lcov' 'coverage --format gcov-json' \
	'ctr --period 7 --export folded' 'ctr --period 7 --export callchain'; do
	# shellcheck disable=SC2086
	"$HARTSCOPE" $words -q -o long.out long.rec 2>err
	is "long names: $words" 2 "$(tr -cs n12 '\n' <long.out | awk 'length == 9001' |
		sort -u | wc -l)"
done

for words in 'report --json --top 999' 'calls --json' 'coverage --json'; do
	# shellcheck disable=SC2086
	"$HARTSCOPE" $words -q long.rec >long.out 2>err
	[ "$(tr -cs n12 '\n' <long.out | awk 'length == 9001' | sort -u | wc -l)" = 2 ] &&
		ok "long names: $words" || bad "long names: $words"
done

# Targets of an indirect call: eight are shown, of twelve.
{
	for i in 0 1 2 3 4 5 6 7 8 9 10 11; do
		echo "__attribute__((noinline)) int t$i(int n) { __asm__(\"\"); return n + $i; }"
	done
	echo 'int (*const to[])(int) = { t0, t1, t2, t3, t4, t5, t6, t7, t8, t9, t10, t11 };'
	echo 'int main(void) { int n = 0; for (int i = 0; i < 12; i++) n = to[i](n); return n != 66; }'
} >many.c
$gcc -O1 -g -static -o many many.c && "$HARTSCOPE" record -q -o many.rec -- ./many
"$HARTSCOPE" annotate main many.rec >out 2>err
has 'annotate: targets that are not shown' 'to 4 more targets (--json has them)' out
is 'annotate --json has all targets' 12 "$("$HARTSCOPE" annotate --json main many.rec |
	grep -o '"function": "t[0-9]*"' | sort -u | wc -l)"

# A page whose source text is too much: the line of the hottest function has 5 MB.
{
	echo '__attribute__((noinline)) int hot(int n)'
	printf '{ for (int i = 0; i < 99999; i++) __asm__(""); return n; } /* %05000000d */\n' 0
} >hot.c
printf 'int hot(int n);\nint main(int argc, char **argv)\n{\n\treturn !hot(argc);\n}\n' >main.c
$gcc -O1 -g -o page hot.c main.c || exit 1
"$HARTSCOPE" record -q -o page.rec -- ./page
"$HARTSCOPE" report -q --html -o page.html page.rec 2>err
has 'the page: how many files have lines' '"sourceCount":2' page.html
is 'the page: how many it has' 1 "$(grep -o '"file":"[^"]*\.c"' page.html | wc -l)"
finish
