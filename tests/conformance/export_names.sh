#!/bin/bash
# Names of functions in any bytes: what reads an export has each of them, in a form that it shows.
needs='riscv64-linux-gnu-gcc riscv64-linux-gnu-objcopy python3 callgrind_annotate protoc'
. "${HARTSCOPE_SOURCE:?the source folder}/tests/conformance/programs.sh"

cat >names.c <<'END'
#define F(n) __attribute__((noinline)) int n(int x) { __asm__ volatile("" : "+r"(x)); return x; }
F(f1) F(f2) F(f3) F(f4) F(f5) F(f6) F(f7) F(f8) F(f9)
int main(void)
{
	return f1(0) + f2(0) + f3(0) + f4(0) + f5(0) + f6(0) + f7(0) + f8(0) + f9(0);
}
END
$gcc -g -O1 -static names.c -o plain && riscv64-linux-gnu-objcopy plain names \
	--redefine-sym f1=$'new\nline' --redefine-sym 'f2=semi;colon and space' \
	--redefine-sym 'f3=quo"te\back' --redefine-sym f4=$'no\xff\xfeutf8' \
	--redefine-sym 'f5=(1) [x]' --redefine-sym $'f6=uni\xc3\xa9\xe2\x98\x83' \
	--redefine-sym 'f7=com,ma' --redefine-sym $'f8=\e[31m\ttab' --redefine-sym 'f9=%s=$1:2' &&
	"$HARTSCOPE" record -q -o names.rec -- ./names >out 2>&1
report 'a program with names in any bytes was recorded' $? out

for format in callgrind folded chrome speedscope perfetto sqlite pprof firefox gcov-json lcov \
	cobertura perf-data; do
	"$HARTSCOPE" export -q --format $format -o out.$format names.rec >out 2>&1
	report "$format is written" $? out
done
callgrind_annotate --threshold=100 --auto=no out.callgrind >out.annotated 2>out &&
	[ ! -s out ]
report 'callgrind_annotate has no complaint' $? out
protoc -I"$HARTSCOPE_SOURCE/tests/conformance" --decode=Trace perfetto.proto <out.perfetto >out.text
protoc -I"$HARTSCOPE_SOURCE/tests/conformance" --decode=perftools.profiles.Profile pprof.proto \
	<out.pprof >out.profile
if command -v babeltrace2 >/dev/null; then
	"$HARTSCOPE" export -q --format ctf -o out.ctf names.rec >out 2>&1 &&
		babeltrace2 out.ctf >out.events 2>out && [ ! -s out ]
	report 'babeltrace2 has no complaint' $? out
fi
if command -v genhtml >/dev/null; then
	genhtml -q -o html out.lcov >out 2>&1
	report 'genhtml makes pages of it' $? out
fi
if command -v perf >/dev/null && perf --version >/dev/null 2>&1; then
	HOME=$work perf script -i out.perf-data >out 2>&1
	report 'perf reads it' $? out
fi

cat >names.py <<'END'
"""The names of the nine functions, as each format's own reader has them."""
import json
import os
import re
import sqlite3
import sys
from xml.etree import ElementTree

# as text; in JSON a byte that is no UTF-8 is the character of its number
ESCAPED = [r"new\x0aline", "semi;colon and space", 'quo"te\\back', r"no\xff\xfeutf8", "(1) [x]",
           "unié☃", "com,ma", r"\x1b[31m\x09tab", "%s=$1:2"]
RAW = ["new\nline", "semi;colon and space", 'quo"te\\back', "no\xff\xfeutf8", "(1) [x]", "unié☃",
       "com,ma", "\x1b[31m\ttab", "%s=$1:2"]


def lines(path):
    return open(path, encoding="utf-8").read().split("\n")


def load(path):
    return json.load(open(path, encoding="utf-8"))


def text_of(literal):
    """A string of protoc's text format: bytes by octal numbers."""
    return literal.encode("latin-1").decode("unicode_escape").encode("latin-1").decode("utf-8")


found = {
    "callgrind": ({re.sub(r" \[[^]]*\]$", "", row.split("names.c:")[1])
                   for row in lines("out.annotated") if "names.c:" in row}, ESCAPED),
    "folded": ({row.rpartition(" ")[0].rpartition(";")[2] for row in lines("out.folded")},
               [n.replace(";", "_") for n in ESCAPED]),
    "chrome": ({e.get("name") for e in load("out.chrome")["traceEvents"]}, RAW),
    "speedscope": ({f["name"] for f in load("out.speedscope")["shared"]["frames"]}, RAW),
    "perfetto": ({text_of(n) for n in re.findall(r'name: "(.*)"', "\n".join(lines("out.text")))},
                 ESCAPED),
    "pprof": ({text_of(n) for n in re.findall(r'string_table: "(.*)"', "\n".join(lines("out.profile")))},
              ESCAPED),
    "cobertura": ({m.get("name") for m in ElementTree.parse("out.cobertura").iter("method")}, ESCAPED),
    "sqlite": ({row[0] for row in sqlite3.connect("out.sqlite").execute(
        "SELECT name FROM functions")}, RAW[:3] + [ESCAPED[3]] + RAW[4:]),
    "gcov-json": ({f["name"] for f in load("out.gcov-json")["files"][0]["functions"]}, RAW),
    "lcov": ({row.split(",", 1)[1] for row in lines("out.lcov") if row.startswith("FN:")},
             [n.replace(",", "_") for n in ESCAPED]),
}
found["firefox"] = set(load("out.firefox")["threads"][0]["stringArray"]), RAW
if os.path.exists("out.events"):
    found["ctf"] = ({json.loads(n) for n in re.findall(r'name = (".*?"), addr',
                                                       "\n".join(lines("out.events")))}, ESCAPED)
bad = False
for name, (got, want) in found.items():
    missing = [n for n in want if n not in got]
    bad |= bool(missing)
    print(name, "lacks" if missing else "has all", missing or "")
    if missing:
        print(sorted(n for n in got if n and not n.startswith("_"))[:30])
sys.exit(bad)
END
python3 names.py >out 2>&1
report 'each format has nine names' $? out

# Where no code is known, one sentence says that nothing is exported, and no file is left.
echo 'int main(void) { return 0; }' >other.c
$gcc -static -Wl,-Ttext-segment=0x4000000 other.c -o other && mkdir apart &&
	"$HARTSCOPE" encode -q --protocol ntrace -o names.nt names.rec && cp names.nt apart &&
	for format in callgrind folded chrome speedscope perfetto sqlite; do
		"$HARTSCOPE" export --format $format --elf other -o nothing apart/names.nt \
			>out 2>&1 && break
		[ ! -e nothing ] && [ "$(grep -c 'nothing is exported' out)" -eq 1 ] || break
		: >"nothing.$format"
	done
[ -e nothing.sqlite ]
report 'an export of nothing says so, and leaves no file' $? out
exit $failed
