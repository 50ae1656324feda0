#!/bin/sh
# --json: what each command prints is as docs/json-schema.json says, also values above 2^53.
here=$(cd "$(dirname "$0")" && pwd)
. "$here/lib.sh"
python=
for one in python3 /usr/bin/python3; do
	[ -n "$python" ] || ! $one -c 'import jsonschema' 2>/dev/null || python=$one
done
if [ -z "$python" ]; then
	echo "skipped: no python3-jsonschema"
	exit 77
fi
if ! command -v riscv64-linux-gnu-gcc >/dev/null; then
	echo "skipped: no riscv64-linux-gnu-gcc"
	exit 77
fi
riscv64-linux-gnu-gcc -g -static -nostdlib -march=rv64gc -o rounds "$here/diff.S" || exit 1
schema=$here/../../docs/json-schema.json

# says NAME COMMAND...: it is to be as the definition NAME says; all are compared at the end
said=0
says() {
	name=$1
	shift
	said=$((said + 1))
	"$HARTSCOPE" "$@" >out 2>err
	[ $? -le 1 ] || cat err
	cp out "said.$said"
	printf '%s\tsaid.%s\t%s\n' "$name" "$said" "$*" >>tried
}

loop_rec
"$HARTSCOPE" encode -q --protocol ntrace -o loop.nt loop.rec
"$HARTSCOPE" encode -q --protocol etrace -o loop.te loop.rec
{ cat loop.nt; printf '\377\024\000\377'; } >bad.nt
cp loop.nt.json bad.nt.json
cat >trap.csv <<-EOS
	itype_0,cause,tval,priv,iaddr_0,context,ctype,iretire_0,ilastsize_0
	0,0,0,0,1000,129,0,1,0
	1,13,0,0,1002,129,0,1,0
	0,0,0,1,1006,129,0,1,1
	3,0,0,1,100e,146,0,1,0
	0,0,0,0,1002,146,0,1,0
EOS
"$HARTSCOPE" import -q --from csv --bin loop.bin@0x1000 -o trap.rec trap.csv

says list list --json loop.rec
says list list --json trap.rec
says list list --json --time loop.rec
says list list --json loop.nt
says list list --json=array trap.rec
says dump dump --json loop.nt
says dump dump --json loop.te
says dump dump --json=array loop.nt
says dump dump --json bad.nt
says lint lint --json loop.nt
says lint lint --json bad.nt
says encode encode --json -o out.nt loop.rec
says decode decode --json -o out.flow loop.nt
says index index --json loop.rec
for file in loop.rec trap.rec loop.nt; do
	says stat stat --json --calls --traps --by mode $file
	says stat stat --json --by process $file
	says stat stat --json --by hart $file
	says report report --json $file
	says report report --json --by mode $file
	says calls calls --json $file
	says coverage coverage --json $file
	says traps traps --json $file
	says pmu pmu --json $file
	says ctr ctr --json $file
	says info info --json $file
done
for file in loop.rec loop.nt loop.csv; do
	says fsck fsck --json $file
done
says stat_coverage stat --coverage --json loop.nt
says vectors vectors --json
says generate generate --json
says stat_coverage stat --coverage --json loop.te bad.nt
"$HARTSCOPE" record -q -o rounds.rec ./rounds || exit 1
echo 'int main(void) { return *(volatile int *)8; }' >died.c
riscv64-linux-gnu-gcc -g -static -o died died.c || exit 1
"$HARTSCOPE" record -q -o died.rec -- ./died 2>err
says crash crash --json died.rec
says 'traps --syscalls' traps --syscalls --json died.rec
says crash crash --json trap.rec
says annotate annotate --json round rounds.rec
says diff diff --json rounds.rec loop.rec
says check check --json loop.rec loop.nt
says check check --json loop.rec trap.rec
"$HARTSCOPE" encode -q --set trTeInstMode=btm -o branches.nt loop.rec
says 'check --packets' check --packets --json loop.nt loop.nt
says 'check --packets' check --packets --json loop.nt branches.nt
says 'check --packets' check --packets --json --resolve loop.nt branches.nt
"$HARTSCOPE" encode -q --set trTeSrcBits=4 -o src.nt loop.rec
says dump dump --json src.nt
says dump dump --json --resolve loop.nt
says dump dump --json --resolve loop.te
says explain explain --json loop.nt 5
says explain explain --json loop.te 5
says diff diff --json loop.rec loop.nt
says diff diff --json loop.rec trap.rec
says identify identify --json --bin loop.bin@0x1000 loop.nt
for i in $(seq 40); do
	echo '1002 1004 1006 100e 100a'
	[ "$i" = 40 ] || echo 1000
done | tr ' ' '\n' | sed '1i1000' >turns.pcs
"$HARTSCOPE" import -q --from pcs --bin loop.bin@0x1000 -o turns.rec turns.pcs
btm='encode -q --set trTeInstMode=btm'
"$HARTSCOPE" $btm -o turns.nt turns.rec && mv turns.nt alone.nt
says identify identify --json --bin loop.bin@0x1000 alone.nt
has "identify: what it is" '"protocol": "ntrace"' out
says identify identify --json alone.nt
says info info --json alone.nt
has "info: the form of a capture" '"settings": ' out
"$HARTSCOPE" $btm --transport tpiu --source 5=alone.nt -o turns.tpiu turns.rec &&
	mv turns.tpiu alone.tpiu
says identify identify --json --bin loop.bin@0x1000 alone.tpiu
has "identify: another source" '"source": 5' out
says info info --json alone.tpiu
has "info: another source" '"source": 5' out
says info info --json loop.csv
says registers registers --json --protocol ntrace
says 'record --check' record --check --json
# What the reader of a profile asks: of strings each is greater than the number.
"$HARTSCOPE" report --json loop.rec >out
"$HARTSCOPE" report loop.rec >text
"$python" -c '
import json
rows = json.load(open("out"))["functions"]
print(sum(row["total"] > 9 for row in rows), sum(row["calls"] for row in rows))' >counts
is "counts are compared and added as numbers" \
	"$(awk '/^functions/ { on = 1; next } !NF { on = 0 }
		on { n += $4 > 9; calls += $7 } END { print n + 0, calls }' text)" "$(cat counts)"
says import import --json --from csv --bin loop.bin@0x1000 -o again.rec loop.csv

# Values above 2^53, where readers of numbers round: 0xffffffff80001000 / 2.
for pc in $loop_pcs; do echo "ffffffff8000$pc"; done >high.pcs
"$HARTSCOPE" import -q --from pcs --bin loop.bin@0xffffffff80001000 -o high.rec high.pcs
"$HARTSCOPE" encode -q -o high.nt high.rec
says dump dump --json high.nt
has "a field above 2^53: as a string" '"F-ADDR":"9223372035781036032"' out
for file in high.rec high.nt; do
	says list list --json $file
	has "an address: as a string" '"pc":"0xffffffff80001000"' out
	says report report --json $file
	says calls calls --json $file
done

# One type for each member, which is of the three.
"$python" - "$schema" >found <<-'EOS'
	import json, sys
	def integers(at, path):
	    if isinstance(at, dict):
	        if "integer" in (at.get("type"), *(at.get("type") or ())) and \
	                path[-1:] not in (["u32"], ["u64"]):
	            yield "/".join(path)
	        if "oneOf" in at or "anyOf" in at:
	            yield "/".join(path)
	        for key, value in at.items():
	            yield from integers(value, path + [key])
	schema = json.load(open(sys.argv[1], encoding="utf-8"))["definitions"]
	assert schema["u32"]["maximum"] == 2**32 - 1 and schema["u64"]["maximum"] == 2**64 - 1
	print("\n".join(integers(schema, [])))
EOS
is "the schema has one type for each number" '' "$(cat found)"
has "a count is a number" '"trapCount": 0' "$(grep -l trapCount said.* | head -n 1)"

# Every command that has --json was tried.
for command in $("$HARTSCOPE" help --all | sed -n 's/^  \([a-z]*\)  .*/\1/p'); do
	if "$HARTSCOPE" "$command" --help 2>err | grep -q '^      --json'; then
		grep -q "^$command	" tried
		is "$command --json was tried" 0 $?
	fi
done

# What is no such output is refused: this test can fail.
echo '{"pc":4096}' >wrong
printf 'list\twrong\tanother output\n' >refused
"$python" "$here/json_says.py" "$schema" refused >found
is "another output is refused" 1 "$(grep -c '^FAIL - another output' found)"
"$python" "$here/json_says.py" "$schema" tried || failed=1
finish
