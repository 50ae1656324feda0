#!/bin/sh
# fsck: a row for each kind of damage; what --salvage makes of it is the beginning of the same run.
. "$(dirname "$0")/lib.sh"
need riscv64-linux-gnu-gcc qemu-riscv64 python3
programs=$HARTSCOPE_SOURCE/tests/programs
riscv64-linux-gnu-gcc -O1 -static -pthread "$programs/threads.c" -o threads || exit 1
riscv64-linux-gnu-gcc -O1 -static "$programs/forks.c" -o forks || exit 1
"$HARTSCOPE" record -q -o whole.rec -- ./threads >out 2>&1 || exit 1
"$HARTSCOPE" record -q -o forks.rec -- ./forks 2 >out 2>&1
"$HARTSCOPE" encode -q -o whole.nt whole.rec || exit 1
harts='0 1'
for hart in $harts; do
	"$HARTSCOPE" list --format pc --hart "$hart" whole.rec >want.$hart
done
sums() { cat "$1"/*.zst "$1"/manifest.json | cksum; }
flip() { python3 -c 'import sys
f = open(sys.argv[1], "r+b")
f.seek(int(sys.argv[2])); byte = f.read(1)
f.seek(int(sys.argv[2])); f.write(bytes([byte[0] ^ 4]))' "$@"; }

# begins WHAT: what is salvaged begins each hart as the whole one does, and says that it is cut
begins() {
	has "$1: salvaged: says so" '"end": "cut: salvaged"' saved.rec/manifest.json
	for hart in $harts; do
		"$HARTSCOPE" list --format pc --hart "$hart" saved.rec >have 2>err
		is "$1: hart $hart begins the same" "" \
			"$(head -n "$(wc -l <have)" want.$hart | cmp - have 2>&1)"
		[ "$hart" != "$2" ] || is "$1: all of hart $hart" "$(cksum <want.$hart)" \
			"$(cksum <have)"
	done
}

# damaged WHAT ROW HART: fsck of bad.rec has the row, changes nothing; --salvage has all of a hart
damaged() {
	before=$(sums bad.rec 2>/dev/null)
	exits "$1" 3 "$HARTSCOPE" fsck bad.rec
	has "$1: the row" "$2" out
	has "$1: not whole" '^whole  *no$' out
	rm -rf saved.rec
	exits "$1: salvaged" 3 "$HARTSCOPE" fsck --salvage -o saved.rec bad.rec
	is "$1: nothing is changed" "$before" "$(sums bad.rec 2>/dev/null)"
	begins "$1" "$3"
}

exits "a whole one" 0 "$HARTSCOPE" fsck whole.rec
has "a whole one: files" ' hart-1.zst  good$' out
has "a whole one: streams" ' 1  the end$' out
has "a whole one: says so" '^whole  *yes$' out
exits "--json" 0 "$HARTSCOPE" fsck --json whole.rec
json "--json" out
exits "children" 0 "$HARTSCOPE" fsck forks.rec
has "children: files" ' child-1/hart-0.zst  good$' out
has "children: streams" ' child-1/  *0  the end$' out

new() { rm -rf bad.rec && cp -r whole.rec bad.rec; }
new; flip bad.rec/hart-1.zst 300
damaged 'a bit of a stream' ' hart-1.zst  another checksum$' 0
new; truncate -s 200 bad.rec/hart-0.zst
damaged 'a cut stream' ' 200  .* hart-0.zst  another size$' 1
new; rm bad.rec/hart-1.zst
damaged 'a stream that is missing' ' hart-1.zst  missing$' 0
new; rm bad.rec/manifest.json
damaged 'no manifest.json' ' manifest.json  missing$' 0
new; head -c 100 whole.rec/manifest.json >bad.rec/manifest.json
damaged 'half a manifest.json' ' manifest.json  damaged$' 1
new; cp bad.rec/hart-0.zst bad.rec/hart-99.zst
damaged 'a stream of another recording' ' hart-99.zst  not in manifest.json$' 0
# Only its last checksum: the log may be one block, of which a part says nothing.
new; truncate -s -2 bad.rec/runs.zst
damaged 'a cut log' ' runs.zst  another size$' none
new; touch bad.rec/manifest.new bad.rec/notes
exits 'files of others' 0 "$HARTSCOPE" fsck bad.rec
has 'files of others: left' ' manifest.new  left by a writer that was ended$' out
has 'files of others: foreign' ' notes  not of the recording$' out
new; python3 -c 'import json
m = json.load(open("bad.rec/manifest.json"))
del m["log"]
for hart in m["harts"]:
    del hart["xxh64"]
json.dump(m, open("bad.rec/manifest.json", "w"))'
exits 'an older recording' 0 "$HARTSCOPE" fsck bad.rec
has 'an older recording: has no sums' ' hart-0.zst  no checksum$' out

rm -rf bad.rec saved.rec
cp -r whole.rec bad.rec
truncate -s -1 bad.rec/runs.zst
exits 'a log without its last byte' 3 "$HARTSCOPE" list bad.rec
has 'a log without its last byte: the way out' "damaged .*; 'hartscope fsck' says what" err
exits 'a log without its last byte: quietly' 3 "$HARTSCOPE" fsck -q --salvage -o saved.rec bad.rec
is 'quietly: no table' '' "$(cat out)"
begins 'a log without its last byte' 0

rm -rf bad.rec saved.rec
cp -r forks.rec bad.rec
truncate -s 30 bad.rec/child-1/hart-0.zst
exits 'a child' 3 "$HARTSCOPE" fsck --salvage -o saved.rec bad.rec
has 'a child: the row' ' child-1/hart-0.zst  another size$' out
exits 'a child: the parent is whole' 0 "$HARTSCOPE" stat saved.rec
exits 'a child: it is not' 3 "$HARTSCOPE" stat saved.rec/child-1
exits 'into itself' 2 "$HARTSCOPE" fsck --salvage -o bad.rec bad.rec
has 'into itself: says so' 'needs another name' err
find forks.rec | sort >before
for to in child-3 new child-1/deep ./child-1/../more; do
	exits "into itself: $to" 2 "$HARTSCOPE" fsck --salvage -o forks.rec/$to forks.rec
done
exits 'over its own parent' 2 "$HARTSCOPE" fsck --salvage --force -o forks.rec forks.rec/child-1
is 'into itself: nothing is changed' "$(cat before)" "$(find forks.rec | sort)"
exits 'an older copy is replaced' 3 "$HARTSCOPE" fsck --salvage -o saved.rec bad.rec
new; : >bad.rec/runs.zst
rm -rf saved.rec
exits 'no log' 3 "$HARTSCOPE" fsck --salvage -o saved.rec bad.rec
is 'no log: nothing is left' "" "$(ls -d saved.rec* 2>/dev/null)"

# Somebody else's recording stays somebody else's: what it names is not read without asking.
if command -v setfattr >/dev/null && setfattr -n user.x -v y whole.nt 2>/dev/null; then
	rm -rf bad.rec saved.rec
	cp -r whole.rec bad.rec # a copy is without the mark
	rm bad.rec/hart-1.zst
	"$HARTSCOPE" fsck --salvage -o saved.rec bad.rec >out 2>&1
	is "a stranger's one has no mark" "" "$(getfattr -d saved.rec/manifest.json 2>/dev/null)"
fi

exits "a trace" 0 "$HARTSCOPE" fsck whole.nt
has "a trace: as it was" ' whole.nt  as TRACE.json says$' out
echo >>whole.nt
exits "another trace" 3 "$HARTSCOPE" fsck whole.nt
has "another trace: says so" ' whole.nt  .* bytes, .* says ' out
rm whole.nt.json
exits "a trace without TRACE.json" 1 "$HARTSCOPE" fsck whole.nt
exits "nothing" 2 "$HARTSCOPE" fsck nothing
mkdir folder
exits "no recording" 3 "$HARTSCOPE" fsck folder
exits "--salvage of a trace" 2 "$HARTSCOPE" fsck --salvage -o x whole.nt
exits "--salvage without -o" 2 "$HARTSCOPE" fsck --salvage whole.rec
# After a power cut any of the files may be short, whichever was written last.
echo 'int main(void) { volatile int x = 0; for (int i = 0; i < 3000; i++) x += i % 3; }' >cut.c
riscv64-linux-gnu-gcc -O1 -static cut.c -o cut && "$HARTSCOPE" record -q -o one.rec -- ./cut
python3 "$HARTSCOPE_SOURCE/tests/cli/cut_files.py" one.rec "${HARTSCOPE_CASES:-40}" >out 2>&1
is "files that are cut, alone and in pairs" "" "$(sed '$d' out)"
has "cases" "^[0-9]* cases of [0-9]*, [0-9]* instructions$" out
finish
