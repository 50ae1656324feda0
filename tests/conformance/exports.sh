#!/bin/bash
# hartscope export: what its files say where their own tools read them is what hartscope calls says;
# of recordings and of traces, and with names that mean something to a format.
#
#   exports.sh
needs='riscv64-linux-gnu-g++ riscv64-linux-gnu-objcopy python3 callgrind_annotate protoc valgrind'
. "${HARTSCOPE_SOURCE:?the source folder}/tests/conformance/programs.sh"
compare=$HARTSCOPE_SOURCE/tests/conformance/exports.py

riscv64-linux-gnu-g++ -g -O2 -fno-inline -pthread -static "$programs/stacks.cc" -o plain 2>out &&
	riscv64-linux-gnu-objcopy plain stacks --redefine-sym _ZL7throweri='a;b <script> "c\' \
		--redefine-sym _ZL4leafv=$'d\ne' 2>>out &&
	"$HARTSCOPE" record -q -o stacks.rec -- ./stacks >>out 2>&1 &&
	"$HARTSCOPE" calls -q --json stacks.rec >calls.json
report "a program with hostile names was recorded" $? out
grep -q '"a;b <script>' calls.json && grep -q '"d.u000ae"' calls.json
report "these names ran" $?
"$HARTSCOPE" encode -q --protocol ntrace -o stacks.nt stacks.rec &&
	"$HARTSCOPE" encode -q --protocol etrace -o stacks.te stacks.rec
report "both protocols" $?

# of FORMAT FILE: equal to the tree of calls
of()
{
	python3 "$compare" "$1" calls.json "$2" >out 2>&1
	good=$?
	report "$1: $(tail -n 1 out)" $good out
}

for format in callgrind folded chrome speedscope perfetto sqlite pprof bbv firefox; do
	"$HARTSCOPE" export -q --format $format --interval 10000 -o stacks.$format stacks.rec
	report "$format is written" $?
done
callgrind_annotate --threshold=100 --auto=no stacks.callgrind >stacks.annotated
report "callgrind_annotate reads it" $?
of callgrind stacks.annotated
callgrind_annotate --threshold=100 --auto=no --inclusive=yes stacks.callgrind >stacks.inclusive
of inclusive stacks.inclusive
of edges stacks.callgrind
of folded stacks.folded
of chrome stacks.chrome
of speedscope stacks.speedscope
protoc --decode_raw <stacks.perfetto >out 2>err
report "protoc --decode_raw reads it" $? err
protoc -I"$HARTSCOPE_SOURCE/tests/conformance" --decode=Trace perfetto.proto <stacks.perfetto \
	>stacks.text 2>err
report "protoc reads the messages" $? err
traps=$("$HARTSCOPE" stat -q --traps --top 1000 --json stacks.rec |
	python3 -c 'import json, sys
print(sum(int(t["traps"]) for t in json.load(sys.stdin)["traps_by_cause"]))')
of perfetto "stacks.text,stacks.chrome,$traps"
protoc -I"$HARTSCOPE_SOURCE/tests/conformance" --decode=perftools.profiles.Profile pprof.proto \
	<stacks.pprof >stacks.profile 2>err
report "protoc reads the profile" $? err
of pprof stacks.profile,stacks.folded
of firefox stacks.firefox,stacks.folded
of bbv stacks.bbv,10000
"$HARTSCOPE" export -q --format bbv --interval 3000 --to 30000 -o part.bbv stacks.rec &&
	"$HARTSCOPE" list -q --json --to 30000 stacks.rec >part.json
report "the first vectors, and the listing of their instructions" $?
of vectors part.bbv,part.json,3000
"$HARTSCOPE" export -q -j 1 --format bbv --interval 10000 stacks.rec >out && cmp out stacks.bbv
report "one thread: the same vectors" $?
if command -v babeltrace2 >/dev/null; then
	"$HARTSCOPE" export -q --format ctf -o stacks.ctf stacks.rec 2>out &&
		babeltrace2 --clock-cycles stacks.ctf >stacks.events 2>out && [ ! -s out ]
	report "babeltrace2 reads it" $? out
	of ctf "stacks.events,stacks.chrome,$traps"
	"$HARTSCOPE" export -q --format ctf -o stacks.nt stacks.rec >out 2>&1
	[ $? -eq 2 ] && [ -f stacks.nt ]
	report "a folder of that format replaces no file" $? out
else
	echo 'ok - the Common Trace Format # SKIP no babeltrace2'
fi
of sqlite "stacks.sqlite,$HARTSCOPE_SOURCE/docs/export-database.md,$traps"
for trace in stacks.nt stacks.te; do
	"$HARTSCOPE" export -q --format folded --image stacks.rec --elf stacks $trace >out 2>err &&
		cmp out stacks.folded
	report "$trace: the same stacks" $? err
done
"$HARTSCOPE" export -q --format callgrind --depth 3 -o shallow stacks.rec &&
	[ "$(grep '^summary' shallow)" = "$(grep '^summary' stacks.callgrind)" ]
report "three levels: the same sum" $?
"$HARTSCOPE" export -q --format chrome --clock 1000000 -o clock.json stacks.rec &&
	python3 -c "import json; json.load(open('clock.json'))"
report "a time axis of cycles" $?
"$HARTSCOPE" export -q --format sqlite stacks.rec >out 2>&1
[ $? -eq 2 ] && grep -q "is a file" out
report "a database needs a file" $? out
# Recursion: no function has more than the program, and activations are counted apart as Valgrind
# counts them.
flags="-g -O1 -fno-ipa-cp -fno-ipa-sra -fno-optimize-sibling-calls"
riscv64-linux-gnu-gcc $flags -static "$programs/recursion.c" -o recursion 2>out &&
	gcc $flags "$programs/recursion.c" -o host 2>>out &&
	valgrind -q --tool=callgrind --callgrind-out-file=host.callgrind ./host 2>>out &&
	"$HARTSCOPE" record -q -o recursion.rec -- ./recursion >>out 2>&1 &&
	"$HARTSCOPE" calls -q --json recursion.rec >calls.json &&
	"$HARTSCOPE" export -q --format callgrind -o recursion.callgrind recursion.rec &&
	callgrind_annotate --threshold=100 --auto=no --inclusive=yes recursion.callgrind >annotated
report 'a program that is recursive in several ways was recorded and exported' $? out
of inclusive annotated
of edges recursion.callgrind
of valgrind recursion.callgrind,host.callgrind
exit $failed
