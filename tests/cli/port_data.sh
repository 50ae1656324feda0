#!/bin/sh
# Data accesses of the ingress port: rows with them, and which instruction they are listed with.
. "$(dirname "$0")/lib.sh"

# 1000 cm.push {ra, s0-s1}, -32; 1002 c.sw a0, 0(a1); 1004 cm.popret {ra, s0-s1}, 32 (Zcmp);
# 1006 lr.w a0, (a1); 100a sc.w a0, a0, (a1); 100e csrrs a0, mepc, zero; 1012 ret;
# 1020 c.sw a0, 0(a1), 1022 mret: the handler
printf '\142\270\210\301\142\276\057\245\005\020\057\245\245\030\163\045\020\064\202\200' >code.bin
printf '\1\0\1\0\1\0\1\0\1\0\1\0\210\301\163\0\040\060' >>code.bin

# The first push traps after its second store, which is made again.
cat >data.csv <<'EOS'
itype,priv,cause,iaddr,iretire,ilastsize,dretire,dtype,daddr,dsize,data,data_high
0,3,0,1000,0,0,1,3,7ff8,3,11,0
0,3,0,1000,0,0,1,3,7ff0,3,22,0
1,3,15,1000,0,0,0,0,0,0,0,0
0,3,0,1020,1,0,1,1,5000,2,5,0
3,3,0,1022,2,1,0,0,0,0,0,0
0,3,0,1000,0,0,1,3,7ff8,3,33,0
0,3,0,1000,0,0,1,3,7ff0,3,44,0
0,3,0,1000,1,0,1,3,7fe8,3,55,0
0,3,0,1002,1,0,1,1,6000,2,66,0
0,3,0,1004,0,0,1,2,7ff8,3,33,0
0,3,0,1004,0,0,1,2,7ff0,3,44,0
13,3,0,1004,1,0,1,2,7fe8,3,55,0
0,3,0,1006,2,1,1,0,6000,2,66,0
0,3,0,100a,2,1,1,15,6000,2,0,0
0,3,0,100e,2,1,1,5,341,3,0,80000000
13,3,0,1012,1,0,0,0,0,0,0,0
EOS
exits "rows with accesses" 0 "$HARTSCOPE" import -q --from port --bin code.bin@0x1000 -o data.rec \
	data.csv
"$HARTSCOPE" list --json data.rec >list.json
# pc: accesses of its instruction, or of none
python3 - list.json >got <<'EOS'
import json
import sys

for item in map(json.loads, open(sys.argv[1])):
    made = item.get("accesses") or [item.get("data")]
    if item.get("event") == "data":
        made = [item]
    if isinstance(made[0], dict):
        said = [f"{a['address']}={a.get('data')}" for a in made]
        print(item.get("pc"), *said, made[-1]["access"])
EOS
cat >want <<'EOS'
0x1020 0x5000=0x5 store
0x1000 0x7ff8=0x11 0x7ff0=0x22 0x7ff8=0x33 0x7ff0=0x44 0x7fe8=0x55 multi-memory store
0x1002 0x6000=0x66 store
0x1004 0x7ff8=0x33 0x7ff0=0x44 0x7fe8=0x55 multi-memory load
0x1006 0x6000=0x66 load
0x100a 0x6000=None conditional store failure
0x100e 0x341=0x80000000 CSR read-set
EOS
cmp want got >out 2>&1
is "each access is listed with its instruction" "$(cat want)" "$(cat got)"
"$HARTSCOPE" list data.rec >out
has "as text, too" '# multi-memory load 0x7ff8 = 0x33  # multi-memory load 0x7ff0 = 0x44  # ' out

# The same rows as waves: a signal for each column, which changes before the rising edge.
python3 - data.csv >data.vcd <<'EOS'
import sys

header, *rows = [line.split(",") for line in open(sys.argv[1]).read().split()]
print("$timescale 1ns $end\n$scope module core $end\n$var wire 1 ! clk $end")
for i, name in enumerate(header):
    print(f"$var wire 64 {chr(34 + i)} {name} $end")
print("$upscope $end\n$enddefinitions $end")
hexadecimal = ("iaddr", "daddr", "data")
for time, row in enumerate(rows + [["0"] * len(header)]):
    values = [int(v, 16 if n.startswith(hexadecimal) else 10) for n, v in zip(header, row)]
    print(f"#{10 * time}", "0!", sep="\n")
    print(*(f"b{v:b} {chr(34 + i)}" for i, v in enumerate(values)), sep="\n")
    print(f"#{10 * time + 5}", "1!", sep="\n")
EOS
exits "waves with accesses" 0 "$HARTSCOPE" import -q --vcd-clock core.clk --bin code.bin@0x1000 \
	-o waves.rec data.vcd
exits "of the same run" 0 "$HARTSCOPE" check data.rec waves.rec
"$HARTSCOPE" list data.rec >want
"$HARTSCOPE" list waves.rec >got
is "and the same accesses" "$(cat want)" "$(cat got)"

# Through packets of data trace, which come before those of their instructions (ET MMA/CAS).
"$HARTSCOPE" encode -q --protocol etrace --set version=2.1 --set data-trace=1 --set mmacas_ext=1 \
	-o data.et data.rec
"$HARTSCOPE" list --bin code.bin@0x1000 data.et >got
is "the same accesses through E-Trace 2.1" "$(grep '  # ' want)" "$(grep '  # ' got)"

# Support packets of 2.1 say which packets of data trace there are: a dump needs no parameter.
for said in mmacas_ext trTeDataNoAddr trTeDataNoValue; do
	"$HARTSCOPE" encode -q --protocol etrace --set version=2.1 --set data-trace=1 \
		--set $said=1 -o said.et data.rec
	"$HARTSCOPE" dump said.et | grep -v '^;' >want
	cp said.et alone
	"$HARTSCOPE" dump --set data-trace=1 --set version=2.1 --protocol etrace alone |
		grep -v '^;' >got
	is "dump: $said" "$(cat want)" "$(cat got)"
done

# The same as rows again, some of them unified and some split, and listed.
for port in 'accesses=1' 'accesses=4 slots=2 iaddr_lsbs_width=11' 'accesses=2 split=1'; do
	# shellcheck disable=SC2046,SC2086
	"$HARTSCOPE" export -q --format port-csv $(printf ' --set port.%s' $port) data.rec >rows.csv
	exits "rows of $port" 0 "$HARTSCOPE" import -q --from port --bin code.bin@0x1000 \
		-o rows.rec rows.csv
	exits "mean the same" 0 "$HARTSCOPE" check data.rec rows.rec
	"$HARTSCOPE" list data.rec | grep -v '^;' >want
	"$HARTSCOPE" list rows.rec | grep -v '^;' >got
	is "and have the same accesses" "$(cat want)" "$(cat got)"
done
"$HARTSCOPE" export -q --format port-csv data.rec >rows.csv
is "without port.accesses there are none" 0 "$(grep -c dretire rows.csv)"

# A vector store makes several, and not the one of the store in its block:
# 2000 vse32.v v0, (a0); 2004 c.sw a0, 0(a1).
printf '\047\140\005\002\210\301' >vector.bin
cat >vector.csv <<'EOS'
itype,priv,cause,iaddr,iretire,ilastsize,dretire,dtype,daddr,dsize,data,data_high
0,3,0,2000,0,0,1,3,6000,2,7,0
0,3,0,2000,0,0,1,3,6004,2,8,0
0,3,0,2000,3,0,1,1,6008,2,66,0
EOS
"$HARTSCOPE" import -q --from port --bin vector.bin@0x2000 -o vector.rec vector.csv
"$HARTSCOPE" list vector.rec >got
has "a vector store takes those of several" '# multi-memory store 0x6000 = 0x7  # multi[^#]*$' got
has "the store after it has its own" 'sw .*# store 0x6008 = 0x66' got
"$HARTSCOPE" list --from 0x2004 vector.rec >got
has "and keeps it where that is left out" 'sw .*# store 0x6008 = 0x66' got

sed 's/^0,3,0,1006,2,1,1,0/0,3,0,1006,2,1,1,17/' data.csv >bad.csv
exits "a dtype that is none" 3 "$HARTSCOPE" import --from port --bin code.bin@0x1000 -o bad.rec \
	bad.csv
has "by its line and clause" 'line 14: .*dtype.*RHTI Data access type' err
finish
