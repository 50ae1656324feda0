#!/bin/bash
# What hartscope report says is what a slow count over the lines of hartscope list has: of a
# recording, and of traces of both protocols.
needs=python3
. "${HARTSCOPE_SOURCE:?the source folder}/tests/conformance/programs.sh"
slow=$HARTSCOPE_SOURCE/tests/conformance/report.py
export PYTHONPATH=$HARTSCOPE_SOURCE/tests/conformance # for whole.py

$gcc -g -O1 -fno-optimize-sibling-calls -static "$programs/report.c" -o report 2>out &&
	"$HARTSCOPE" record -q -o report.rec -- ./report >out 2>&1
report "a program was recorded" $? out
"$HARTSCOPE" list --json report.rec >list.json 2>err
for protocol in ntrace etrace; do
	"$HARTSCOPE" encode -q --protocol $protocol -o report.$protocol report.rec 2>out
	report "encoded as $protocol" $? out
done
for from in report.rec report.ntrace report.etrace; do
	"$HARTSCOPE" report -q --top 100000 --json --elf report $from >report.json 2>err &&
		python3 "$slow" list.json report.json >out 2>&1
	good=$?
	report "$from: $(tail -n 1 out)" $good out
done

# Code without a symbol of several libraries: the calls of each are its own, so none has more of
# them than instructions; and where runs part, the library stands next to such code, with the
# beginning of the function where the library's unwind tables have it (those of glibc 2.41 do).
# QEMU 10 maps libraries anywhere, but not in addresses that are reserved.
export QEMU_RESERVED_VA=0x4000000000
printf '%s\n' '#include <stdlib.h>' \
	'int main(int argc, char **argv) { return argc > 1 ? atoi(argv[1]) : 0; }' >shared.c
$gcc -g -O1 shared.c -lm -Wl,--no-as-needed -o shared 2>out &&
	"$HARTSCOPE" record -q -o shared.rec -- ./shared a >out 2>&1 &&
	"$HARTSCOPE" report --top 100000 --json shared.rec >shared.json 2>out && python3 -c '
import json
from whole import as_numbers
rows = json.load(open("shared.json"), object_hook=as_numbers)["functions"]
nameless = [row for row in rows if row["name"] == "(no symbol)" and row["calls"]]
print(len(nameless), [row for row in rows if row["calls"] > row["self"]])
assert len(nameless) > 1 and all(row["calls"] <= row["self"] for row in rows)' >out 2>&1
report "report: code without a symbol, by library" $? out
"$HARTSCOPE" record -q -o other.rec -- ./shared 1 >out 2>&1
unset QEMU_RESERVED_VA
"$HARTSCOPE" diff --startup shared.rec other.rec >out 2>&1
own='(no symbol)'
part=$(sed -n 's/^last in both .* libc\.so\.6:0x\([0-9a-f]*\)+0x.*/\1/p' out)
if [ -n "$part" ] && riscv64-linux-gnu-readelf --debug-dump=frames \
	/usr/riscv64-linux-gnu/lib/libc.so.6 2>err | grep -q " FDE .* pc=0*$part\.\."; then
	own="libc\.so\.6:0x$part+0x[0-9a-f]*"
fi
grep -q "^last in both .* $own  \[libc\.so\.6\]\$" out &&
	grep -q '^  0x[0-9a-f]*  __libc_start_main  \[libc\.so\.6\]$' out
report "diff: code without a symbol, by library" $? out

# Recursion once: main has all calls of fib, fib itself 176 of 177.
"$HARTSCOPE" report --callers fib report.rec >out 2>&1
[ "$(awk '$NF == "fib" || $NF == "main" { print $(NF - 1), $NF }' out)" = '1 main
176 fib' ]
report "report --callers: a recursive function" $? out
"$HARTSCOPE" report --callees sum report.rec >out 2>&1
[ "$(awk '$NF == "next" { print $(NF - 1) }' out)" = 100 ]
report "report --callees" $? out
"$HARTSCOPE" report --callees nothing report.rec >out 2>&1
[ $? -eq 2 ] && grep -q "no function that ran is called 'nothing'" out
report "report --callees of no function" $? out

# The same sums by line, library and hart; lines of sum() by what annotate has of it.
for by in line library hart mode thread; do
	"$HARTSCOPE" report --by $by --top 100000 --json report.rec >by.json 2>err
	python3 -c 'import json, sys
from whole import as_numbers
r = json.load(open("by.json"), object_hook=as_numbers)
rows = [row for key in ("lines", "libraries", "groups") for row in r.get(key, [])]
sys.exit(sum(row["self"] for row in rows) != r["instructions"] or not rows)' >out 2>&1
	report "report --by $by: all instructions" $? out
done
# A function that exists only inside of others: each command says into which.
printf '%s\n' 'static inline __attribute__((always_inline)) int twice(int x) { return 2 * x; }' \
	'int main(int argc, char **argv) { (void)argv; return twice(argc) - 2; }' >inside.c
$gcc -g -O1 -static inside.c -o inside && "$HARTSCOPE" record -q -o inside.rec -- ./inside >out 2>&1
for asked in 'list --function twice' 'stat --from twice@2' \
	'report --callers twice'; do
	# shellcheck disable=SC2086
	"$HARTSCOPE" $asked inside.rec >out 2>&1
	grep -q "it is inlined, for example into 'main'" out
	report "$asked: says where it is inlined" $? out
done
# A name that nothing has: only the complaint, no heading of a list that is empty.
for form in '' --json; do
	# shellcheck disable=SC2086
	"$HARTSCOPE" report $form --callees main --callers mian inside.rec >out 2>err
	[ $? -eq 2 ] && [ ! -s out ] &&
		grep -q "no function that ran is called 'mian' (did you mean 'main'?)" err
	report "report --callers with an unknown name $form" $? err
done
# A source that is there, and may not be read since somebody else made the recording (a copy is
# without the mark), is named once, with the option that shows it.
mkdir -p apart/program && cp inside.c apart && ln -s ../inside.c apart/program/inside.c &&
	(cd apart/program && $gcc -g -O1 -static inside.c -o inside &&
		"$HARTSCOPE" record -q -o own.rec -- ./inside >out 2>&1
		"$HARTSCOPE" list --function main own.rec >out 2>err
		grep -q 'int main(' out && [ ! -s err ] && cp -R own.rec inside.rec
		"$HARTSCOPE" list --function main --elf inside inside.rec >out 2>err
		[ "$(grep -c 'inside.c: its text is not shown: .*--source-path' err)" -eq 1 ] &&
			! grep -q 'int main(' out &&
			"$HARTSCOPE" list --function main --elf inside --source-path .. \
				inside.rec >out 2>err &&
			grep -q 'int main(' out && ! grep -q 'not shown' err)
report "a source that may not be read is named" $? apart/program/err
# Functions that were inlined, and into which: what addr2line says of each address.
$gcc -g -O2 -static "$HARTSCOPE_SOURCE/examples/sort.c" -o sort 2>out &&
	"$HARTSCOPE" record -q -o sort.rec -- ./sort 20 >out 2>&1 &&
	"$HARTSCOPE" list --format pc sort.rec 2>out | sort | uniq -c >pcs &&
	awk '{ print $2 }' pcs | riscv64-linux-gnu-addr2line -a -f -i -e sort >frames &&
	"$HARTSCOPE" report --by inline --top 100000 --json sort.rec >inline.json 2>err
python3 - >out 2>&1 <<'END'
import collections, json, re
from whole import as_numbers
ran = {int(pc, 16): int(n) for n, pc in map(str.split, open("pcs"))}
frames, at = {}, None
for line in open("frames", encoding="utf-8"):
    if line.startswith("0x"):
        at = frames.setdefault(int(line, 16), [])
    elif not re.search(r":[0-9?]+( \(discriminator \d+\))?$", line):
        at.append(line.strip())
theirs = collections.Counter()
for pc, names in frames.items():
    if len(names) > 1:
        theirs[names[0], names[-1]] += ran[pc]
data = json.load(open("inline.json", encoding="utf-8"), object_hook=as_numbers)
ours = collections.Counter()
for row in data["inlined"]:
    if "inlinedInto" in row:  # ".constprop.0" is no name of the source
        ours[row["function"], row["inlinedInto"].split(".")[0]] += row["self"]
print(ours, theirs)
assert ours == theirs and len(ours) > 2
assert sum(row["self"] for row in data["inlined"]) == data["instructions"] == sum(ran.values())
END
report "report --by inline: as addr2line has it" $? out
"$HARTSCOPE" annotate --json sum report.rec >annotate.json 2>err
"$HARTSCOPE" annotate --json main report.rec >annotate-main.json 2>err
python3 - >out 2>&1 <<'END'
import collections, json
from whole import as_numbers
listed, ends = collections.Counter(), collections.Counter()
for line in open("list.json", encoding="utf-8"):
    at = json.loads(line.strip().rstrip(",")) if '"function":"sum"' in line else {}
    listed[at.get("pc")] += 1
    ends[at.get("pc"), at.get("end")] += 1
del listed[None]
rows = json.load(open("annotate.json", encoding="utf-8"), object_hook=as_numbers)["code"]
assert {row["pc"]: row["count"] for row in rows} == listed and len(rows) > 10
branches = [row for row in rows if "taken" in row]
for row in branches:
    assert row["taken"] == ends[row["pc"], "taken branch"]
    assert row["notTaken"] == ends[row["pc"], "branch not taken"]
jumps = json.load(open("annotate-main.json", encoding="utf-8"), object_hook=as_numbers)["jumps"]
assert [(j["function"], j["count"]) for j in jumps] == [("next", 5)], jumps
assert len(branches) == 3 and all("line" in row for row in rows)
END
report "annotate: counts and branches are those of list" $? out
"$HARTSCOPE" annotate --source-path "$HARTSCOPE_SOURCE/tests/programs" sum report.rec >out 2>err
cp out annotate.out
grep -q 'if (next() % 4 == 0)' out &&
	grep -Eq '\*taken [0-9]+ \([0-9.]+ %\),  not' out && ! grep -q ' $' out
report "annotate: source and branches" $? out
# Where jumps lead, by address and name, is what objdump says of the same instructions.
riscv64-linux-gnu-objdump -d --no-show-raw-insn report >objdump.out 2>err &&
	python3 - >out 2>&1 <<'END'
import re
jump = re.compile(r"^ *(?:\d+ +[0-9.]+ % +)?(?:0x)?([0-9a-f]+):? +\S.* ?\b(?:0x)?([0-9a-f]{4,}) <(.*?)>")
def read(name):
    found = filter(None, map(jump.match, map(str.expandtabs, open(name))))
    return {m[1]: (m[1], m[2], re.sub(r"^sum(?=\+)", "", m[3])) for m in found}
ours, theirs = read("annotate.out"), read("objdump.out")
print(ours, [theirs.get(at) for at in ours])
assert len(ours) == 6 and all(theirs[at] == jump for at, jump in ours.items())
END
report "annotate: targets of jumps are objdump's" $? out
"$HARTSCOPE" annotate nothing report.rec >out 2>&1
[ $? -eq 1 ] && grep -q "no function that ran" out
report "annotate of no function" $? out
"$HARTSCOPE" annotate mian report.rec >out 2>&1
grep -q "'mian' (did you mean 'main'?)" out
report "annotate of a name that is nearly one" $? out

# calls --flat has the totals of report; each instruction takes two cycles, and so do all calls.
"$HARTSCOPE" calls --flat --cycles-per instruction=2 --json report.rec >flat.json 2>err
python3 - >out 2>&1 <<'END'
import json
from whole import as_numbers
flat = json.load(open("flat.json"), object_hook=as_numbers)
want = {f["name"]: f for f in json.load(open("report.json"), object_hook=as_numbers)["functions"]}
assert flat["time"] == 2 * flat["instructions"]
for row in flat["calls"]:
    assert row["totalTime"] == 2 * row["total"] and row["selfTime"] == 2 * row["self"], row
    assert (row["total"], row["calls"]) == (want[row["name"]]["total"], want[row["name"]]["calls"])
assert len(flat["calls"]) > 50
END
report "calls --flat: totals and times" $? out
exit $failed
