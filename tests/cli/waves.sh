#!/bin/sh
# import of waves: the signals of rows that are known, as a value change dump and as FST.
. "$(dirname "$0")/lib.sh"
loop_rec || exit 1

# dump ROWS PREFIX: a value change dump of rows under names
dump() {
	awk -F, -v prefix="$2" '
		function bits(text, base,    v, out, i, d) { # to binary, digit by digit
			if (base == 10)
				text = sprintf("%x", text)
			out = ""
			for (i = 1; i <= length(text); i++) {
				d = index("0123456789abcdef", substr(text, i, 1)) - 1
				out = out int(d / 8) int(d / 4) % 2 int(d / 2) % 2 d % 2
			}
			return out
		}
		NR == 1 {
			print "$timescale 1ns $end\n$scope module tb $end\n$var wire 1 ! clk $end"
			print "$scope module core $end"
			for (i = 1; i <= NF; i++) {
				base[i] = $i ~ /iaddr|tval|instr|pc_|insn/ ? 16 : 10
				print "$var wire 64 " i " " prefix $i " [63:0] $end"
			}
			print "$upscope $end\n$upscope $end\n$enddefinitions $end\n#0\n0!"
			next
		}
		{
			print "#" 10 * NR - 5 "\n1!"
			for (i = 1; i <= NF; i++)
				print "b" bits($i, base[i]) " " i
			print "#" 10 * NR "\n0!"
		}
		END { print "#" 10 * NR + 5 "\n1!" }' "$1"
}

# same NAME RECORDING: the instructions of loop.rec
same() {
	"$HARTSCOPE" list --format pc "$2" >pcs
	is "$1" "$loop_pcs" "$(tr '\n' ' ' <pcs | sed 's/ $//')"
}

dump loop.csv '' >port.vcd
exits "signals by their names" 0 "$HARTSCOPE" import --bin loop.bin@0x1000 -o port.rec port.vcd
has "the format" '^format *waves' out
same "their instructions" port.rec
exits "the same blocks as of rows" 0 "$HARTSCOPE" check loop.rec port.rec
for p in ntrace etrace; do
	"$HARTSCOPE" encode -q --protocol $p -o port.$p port.rec
	exits "through $p" 0 "$HARTSCOPE" check --image port.rec port.rec port.$p
done
"$HARTSCOPE" import -q --from waves-cycles --bin loop.bin@0x1000 -o cycles.rec port.vcd
"$HARTSCOPE" list cycles.rec >times
has "times are edges" '^; time 1$' times
same "the same instructions" cycles.rec

dump loop.csv q_ >other.vcd
exits "other names" 2 "$HARTSCOPE" import --bin loop.bin@0x1000 -o no.rec other.vcd
has "say what is missing" 'none of the signals is declared' err
exits "are given" 0 "$HARTSCOPE" import -q --bin loop.bin@0x1000 --vcd-clock tb.clk \
	--signal itype_0=q_itype_0 --signal iaddr_0=tb.core.q_iaddr_0 --signal priv=core.q_priv \
	--signal iretire_0=q_iretire_0 --signal ilastsize_0=q_ilastsize_0 -o other.rec other.vcd
exits "and mean the same" 0 "$HARTSCOPE" check port.rec other.rec
exits "a path that is not there" 2 "$HARTSCOPE" import --signal iaddr_0=nowhere -o no.rec port.vcd
has "is named" 'no signal nowhere is declared' err
exits "a name that is none" 2 "$HARTSCOPE" import --signal colour=red -o no.rec port.vcd
has "is named, too" '--signal colour=red' err
exits "no such clock" 2 "$HARTSCOPE" import --vcd-clock tick -o no.rec port.vcd
sed 's/iretire_0/retired/' port.vcd >part.vcd
exits "a part of a port" 2 "$HARTSCOPE" import -o no.rec part.vcd
has "and what it takes" 'no port in the dump: it takes iretire' err
cat >few.vcd <<'EOS'
$var wire 1 ! clk $end
$var wire 1 r iretire_0 $end
$var wire 32 a iaddr_0 [31:0] $end
$var wire 3 t itype_0 [2:0] $end
$enddefinitions $end
#0
0!
#5
1!
1r
b1000000000000 a
#10
0!
EOS
exits "an instruction of one bit: it ends" 3 timeout -k 1 20 "$HARTSCOPE" import \
	--signal 'instr_0=iaddr_0[0]' -o no.rec few.vcd
has "and says so" 'rows of the signals: line ' err
sed '40s/.*/?/' port.vcd >bad.vcd
exits "a damaged dump" 3 "$HARTSCOPE" import --bin loop.bin@0x1000 -o bad.rec bad.vcd
has "by its offset" 'bad.vcd: offset 0x[0-9a-f]*: not a change' err

cat >rvfi.csv <<'EOS'
valid,order,insn,trap,intr,mode,ixl,pc_rdata,pc_wdata
0,0,0,0,0,0,0,0,0
1,0,00004509,0,0,3,2,80000000,80000002
0,1,00000073,1,0,3,2,80000002,80000100
1,1,00000073,1,0,3,2,80000002,80000100
1,2,30200073,0,1,3,2,80000100,80000006
EOS
dump rvfi.csv rvfi_ >rvfi.vcd
exits "RVFI" 0 "$HARTSCOPE" import -o rvfi.rec rvfi.vcd
exits "RVFI as rows" 0 "$HARTSCOPE" import -o rows.rec rvfi.csv
exits "are the same" 0 "$HARTSCOPE" check rvfi.rec rows.rec
has "with the opcodes as code" '80000100  30200073  mret' \
	"$("$HARTSCOPE" list rvfi.rec >list; echo list)"

mkdir empty
printf '\0\0\0\0\0\0\0\1\111 and more' >none.fst
exits "FST without fst2vcd" 2 env PATH="$dir/empty" "$HARTSCOPE" import -o no.rec none.fst
has "says what to install" 'install the package gtkwave' err
if fst port.vcd port.fst; then
	exits "FST" 0 "$HARTSCOPE" import --bin loop.bin@0x1000 -o fst.rec port.fst
	exits "is the same" 0 "$HARTSCOPE" check port.rec fst.rec
	head -c 200 port.fst >cut.fst
	exits "FST that is cut" 3 "$HARTSCOPE" import --bin loop.bin@0x1000 -o no.rec cut.fst
	has "is an error" 'cut.fst: fst2vcd could not read' err
fi

# What a simulator writes, as VCD and as FST: names of its own, x where the core stalls.
if command -v iverilog >/dev/null; then
	echo 24 15 00 83 70 81 15 1b 84 40 09 07 >bytes
	exits "a simulation is built" 0 iverilog -o tb.vvp \
		"${HARTSCOPE_SOURCE:?}/tests/cli/trace_port.v"
	vvp -n tb.vvp -vcd >/dev/null
	! command -v fst2vcd >/dev/null || vvp -n tb.vvp -fst >/dev/null
	for f in dump.*; do
		exits "$f of a simulator: import" 0 "$HARTSCOPE" import -q --vcd-clock tb.clk \
			--signal iaddr_0=tb.core.commit_pc --signal instr_0=commit_insn \
			--signal iretire_0=core.commit_valid -o $f.rec $f
		same "$f of a simulator: its instructions" $f.rec
		set -- -q --vcd-clock tb.clk --signal 'iaddr_0=core.pc[0]' --signal instr_0=insn.q
		for valid in 'valid!' 'tb.core.\valid!' 'both[0]'; do
			exits "$f of a simulator: $valid" 0 "$HARTSCOPE" import "$@" \
				--signal "iretire_0=$valid" -o names.rec $f
			same "$f of a simulator: $valid: its instructions" names.rec
		done
		for transport in vcd uart-vcd; do
			signal=
			[ $transport = vcd ] || signal='--vcd-data swt'
			# shellcheck disable=SC2086
			exits "$f of a simulator: $transport" 0 "$HARTSCOPE" list --format pc \
				--bin loop.bin@0x1000 --transport $transport $signal $f
			is "$f of a simulator: $transport: its flow" "$loop_pcs" \
				"$(tr '\n' ' ' <out | sed 's/ $//')"
		done
	done
else
	echo "ok - waves of a simulator # SKIP no iverilog"
fi
# x and z (design/port).  unknown NAME ROW...: a dump of rows, iretire, iaddr and instr in binary.
unknown() {
	name=$1
	shift
	{
		echo '$timescale 1ns $end $scope module core $end $var wire 1 ! clk $end'
		echo '$var wire 1 r iretire $end $var wire 32 a iaddr [31:0] $end'
		echo '$var wire 32 i instr [31:0] $end $upscope $end $enddefinitions $end'
		t=0
		for row; do
			echo "$row" | { read -r retire iaddr instr
				echo "#$t 0! ${retire}r b$iaddr a b$instr i #$((t + 5)) 1!"; }
			t=$((t + 10))
		done
		echo "#$t 0!"
	} >"$name.vcd"
}
nothing='x x x'
li='1 1000000000000 100010100001001'                      # 1000: c.li a0, 2
add='1 1000000000010 xxxxxxxxxxxxxxxx0001010101111101'    # 1002: c.addi a0, -1
half='1 1000000000100 xxxxxxxxxxxxxxxx0000010100010011'   # 1004: an addi, half of it x
nop='1 1000000001000 10011'                               # 1008: nop

unknown start "$nothing" "$nothing" "$li" "$add" "$nop"
exits "x before the port is driven" 0 "$HARTSCOPE" import -q --xlen 32 -o start.rec start.vcd
"$HARTSCOPE" list --format pc start.rec >pcs
is "x before the port is driven, and in half of the bus" "1000 1002 1008" \
	"$(tr '\n' ' ' <pcs | sed 's/ $//')"
for what in "instr:$half" "iaddr:1 x 10011" "iretire:z 1000000000100 10011"; do
	signal=${what%%:*}
	unknown x "$li" "$add" "${what#*:}" "$nop"
	exits "x in $signal" 3 "$HARTSCOPE" import -q --force --xlen 32 -o x.rec x.vcd
	has "x in $signal: the error" \
		"^hartscope: x.vcd: rows of the signals: line 4: $signal: x or z" err
	"$HARTSCOPE" list x.rec >out
	has "x in $signal: the gap" '^; gap: .*: a value is x or z where it says what ran)' out
	"$HARTSCOPE" list --format pc x.rec >pcs
	is "x in $signal: what ran" "1000 1002 1008" "$(tr '\n' ' ' <pcs | sed 's/ $//')"
done
sed 's/ r iretire/ r rvfi_valid/; s/iaddr \[/rvfi_pc_rdata [/; s/instr \[/rvfi_insn [/' x.vcd \
	>rvfi_x.vcd
exits "x in rvfi_valid" 3 "$HARTSCOPE" import -q --xlen 32 -o rvfi_x.rec rvfi_x.vcd
has "x in rvfi_valid: the error" 'line 4: whether something retired is x or z' err

finish
