#!/bin/sh
# The text of /proc/PID/maps places the code of a trace: a program that was linked dynamically, its
# libraries and ld.so, none of them at the address in its file.
. "$(dirname "$0")/lib.sh"
need riscv64-linux-gnu-gcc qemu-riscv64 python3

cat >pie.c <<-EOF
	#include <stdio.h>
	int main(void)
	{
		char text[64];
		int n = 0;
		for (int i = 0; i < 9; i++)
			n += snprintf(text, sizeof(text), "%d", i * i);
		return printf("%d\n", n) < 0;
	}
EOF
riscv64-linux-gnu-gcc -O1 -o pie pie.c || { bad 'compiles'; finish; }
"$HARTSCOPE" record -q -o pie.rec -- ./pie >/dev/null
"$HARTSCOPE" list --format pc pie.rec >pcs
"$HARTSCOPE" encode -q --protocol ntrace -o pie.nt pie.rec
"$HARTSCOPE" info --json pie.rec >info.json
rm -rf pie.nt.json
cat >maps.py <<-EOF
	import json
	for m in json.load(open("info.json"))["maps"]:
	    start, end = int(m["start"], 16), int(m["start"], 16) + m["size"]
	    print("%x-%x r-xp %08x 08:01 12   %s" % (start, end, int(m["offset"], 16), m["path"]))
	    print("%x-%x rw-p %08x 08:01 12   %s" % (end, end + 4096, m["size"], m["path"]))
	print("4000800000-4002801000 rw-p 00000000 00:00 0          [stack]")
EOF
python3 maps.py >maps
is "three files were mapped" 3 "$(grep -c r-xp maps)"
for how in '--process-map maps' '--elf maps'; do
	# shellcheck disable=SC2086
	"$HARTSCOPE" list --format pc --protocol ntrace $how pie.nt >got 2>err
	is "list $how" "$(cksum <pcs)" "$(cksum <got)"
done
exits "report" 0 "$HARTSCOPE" report --protocol ntrace --process-map maps --function main pie.nt
has "report: names of the program" ' main  .pie.' out
exits "decode" 0 "$HARTSCOPE" decode -q --protocol ntrace --process-map maps -o pie.flow pie.nt
exits "decode: what was recorded" 0 "$HARTSCOPE" check pie.rec pie.flow

mkdir root
grep r-xp maps | sed 's|^.* /|/|' | while read -r file; do
	mkdir -p "root/elsewhere${file%/*}"
	cp "$file" "root/elsewhere$file"
done
sed 's|  /|  /elsewhere/|' maps >moved
"$HARTSCOPE" list --format pc --protocol ntrace --sysroot root --process-map moved pie.nt >got 2>err
is "--sysroot" "$(cksum <pcs)" "$(cksum <got)"
"$HARTSCOPE" list --format pc --protocol ntrace --process-map moved pie.nt >got 2>err
has "files that are not there" '/elsewhere/.*, which was mapped, is not there' err

# identify knows the program by its maps, and so does what calls it
exits "identify" 0 "$HARTSCOPE" identify --process-map maps pie.nt
has "identify: clear" '^verdict  *clear' out
has "identify: the command has the maps" 'protocol ntrace.* --process-map maps pie.nt' out
exits "identify: files that are elsewhere" 0 \
	"$HARTSCOPE" identify --sysroot root --process-map moved pie.nt
has "identify: files that are elsewhere: clear" '^verdict  *clear' out
has "identify: files that are elsewhere: the command" ' --process-map moved --sysroot root ' out
"$HARTSCOPE" encode -q --protocol etrace -o pie.et pie.rec
rm -rf pie.et.json
"$HARTSCOPE" list --format pc --process-map maps pie.et >got 2>err
is "list, of a trace that nothing describes" "$(cksum <pcs)" "$(cksum <got)"
has "list: what was found" 'read as --protocol etrace.* --process-map maps' err
echo '{"format":"hartscope-processes","version":1}' >lines
exits "identify: no maps" 2 "$HARTSCOPE" identify --process-map lines pie.nt
has "identify: no maps: why" 'lines: --process-map takes the text of a /proc/PID/maps here' err
{ cat maps; echo 'no mapping'; } >bad
exits "a line that is none" 3 "$HARTSCOPE" list --protocol ntrace --process-map bad pie.nt
has "a line that is none: which" 'bad:8: not a line of /proc/PID/maps' err
finish
