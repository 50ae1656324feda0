#!/bin/sh
# The examples of docs/captures.md: bytes, commands and what these print are taken from the page.
. "$(dirname "$0")/lib.sh"
page=${HARTSCOPE_SOURCE:?the source tree}/docs/captures.md
loop_rec || exit 1
cp "$HARTSCOPE_SOURCE"/layouts/*.layout .

# The indented lines after the first one that has a text, without the indent.
block() {
	awk -v text="$1" '
		index($0, text) && !found { found = 1; next }
		found && /^    / { inside = 1; print substr($0, 5); next }
		inside { exit }' "$page"
}

# bytes TEXT FILE: the bytes after a text of the page.
bytes() {
	for byte in $(block "$1"); do
		printf '%b' "\\0$(printf %o "0x$byte")"
	done >"$2"
}

# shows WORDS STATUS: the command of the page with these words prints what stands there.
shows() {
	block_of=$(awk -v start="    \$ hartscope $1" '
		index($0, start) == 1 { inside = 1; print substr($0, 7); next }
		inside && /^    / { print substr($0, 5); next }
		inside { exit }' "$page")
	line=$(printf '%s\n' "$block_of" | head -1)
	printf '%s\n' "$block_of" | sed 1d >want
	is "$1: a command" "hartscope" "$(echo "$line" | cut -d ' ' -f 1)"
	# shellcheck disable=SC2086
	exits "$line" "$2" "$HARTSCOPE" ${line#hartscope }
	is "$1: prints what the page says" "$(cat want)" "$(cat out)"
}

bytes 'The program has no ELF file' page.bin
is "loop.bin is the page's" "$(cksum <loop.bin)" "$(cksum <page.bin)"
bytes 'The memory, dumped from' esp32.bin
is "esp32: 25 bytes" 25 "$(wc -c <esp32.bin | tr -d ' ')"
shows 'dump --protocol etrace --config esp32-c6.layout' 0
shows 'list --protocol etrace --config esp32-c6.layout' 3
has "esp32: what is missing" "part of the input is missing" err

for f in *.layout; do
	case $f in k3* | p550*) protocol=ntrace ;; *) protocol=etrace ;; esac
	exits "$f: encode" 0 "$HARTSCOPE" encode -q --protocol $protocol --config "$f" -o a.et \
		loop.rec
	rm -f a.et.json
	exits "$f: check" 0 "$HARTSCOPE" check --protocol $protocol --config "$f" \
		--bin loop.bin@0x1000 loop.rec a.et
done

# Slots of rv_tracer, the last byte first; what comes before it is 0.  Support; a synchronisation
# at 1004, whose branch is taken; a format 1 of 0 branches, a map of 1 and an address of 1006: the
# branch is not taken, and the 30 bits after it are none; a synchronisation at 1006.
# slot BYTES N: a slot that ends in N bytes
slot() { head -c $((40 - $2)) /dev/zero; printf "$1"; }
{
	slot '\100\037\000\000\000\000\000\000\000\000\202' 11
	slot '\010\002\143\000\000\000\000\000\000\000\000\203' 12
	slot '\200\000\000\000\201\000\000\000\000\000\000\000\000\207' 14
	slot '\010\003\163\000\000\000\000\000\000\000\000\203' 12
} >slots.bin
exits "rv_tracer: branches that are none" 0 "$HARTSCOPE" list --format pc --protocol etrace \
	--dialect rv-tracer --set trTsWidth=8 --bin loop.bin@0x1000 slots.bin
is "rv_tracer: the path ends at the address" "1004 1002 1004 1006" \
	"$(tr '\n' ' ' <out | sed 's/ $//')"

exits "esp32: zeros align memory, not pins" 2 "$HARTSCOPE" encode -q --protocol etrace \
	--config esp32-c6.layout --transport pins4 -o x loop.rec
has "esp32: encode says so" "nothing aligns packets" err

# Types that differ by srcID (EE type).  By hand, source 3 without a type: 03 is the length, 03 the
# srcID,
# 73 00 08 format 3, subformat 0, branch 1, privilege 3, address 0x800.
"$HARTSCOPE" encode -q --protocol etrace --set trTeSrcBits=8 --set trTeSrcID=3 \
	--set layout.type_widths=same,same,same,0 -o a.et loop.rec
od -An -v -tx1 a.et | tr -d '\n' >hex
has "a source without a type: its bytes" "03 03 73 00 08" hex
exits "a source without a type: check" 0 "$HARTSCOPE" check loop.rec a.et
exits "a source without a type: lint" 0 "$HARTSCOPE" lint a.et
exits "a source without a type, taken for one with it" 3 "$HARTSCOPE" list --protocol etrace \
	--set trTeSrcBits=8 --set layout.type_widths=same --bin loop.bin@0x1000 a.et
exits "types in another framing" 2 "$HARTSCOPE" encode -q --protocol etrace --dialect reference \
	--set layout.type_widths=0 -o x loop.rec

# CoreSight frames: the page's bytes, and that encode writes them.
bytes '`both.tpiu` is a capture' both.tpiu
is "both.tpiu: 52 bytes" 52 "$(wc -c <both.tpiu | tr -d ' ')"
shows 'dump --transport tpiu' 0
shows 'list --format pc --bin loop.bin@0x1000 --transport tpiu' 0
"$HARTSCOPE" encode -q --protocol etrace -o hart1.et loop.rec
exits "frames of two protocols" 0 "$HARTSCOPE" encode -q --protocol ntrace --transport tpiu \
	--source 0x22=hart1.et -o again.tpiu loop.rec
is "encode writes the page's bytes" "$(cksum <both.tpiu)" "$(cksum <again.tpiu)"
"$HARTSCOPE" encode -q --protocol ntrace -o hart0.nt loop.rec
rm hart0.nt.json hart1.et.json
for f in hart0.nt hart1.et; do
	bytes "is \`$f\`" page.bin
	is "$f is the page's" "$(cksum <$f)" "$(cksum <page.bin)"
done
shows 'list --format pc --bin loop.bin@0x1000 --source hart1.et' 0
exits "an ID of a hart" 2 "$HARTSCOPE" encode -q --transport tpiu --source 1=hart1.et -o x loop.rec
exits "an ID that frames lack" 2 "$HARTSCOPE" encode -q --transport tpiu --source 0x70=hart1.et \
	-o x loop.rec
exits "sources without frames" 2 "$HARTSCOPE" encode -q --source 2=hart1.et -o x loop.rec
exits "a word that is none" 2 "$HARTSCOPE" dump --transport tpiu --source 1=hart=x both.tpiu
exits "a file that is not there" 2 "$HARTSCOPE" dump --source missing.nt hart0.nt
exits "lint of several" 0 "$HARTSCOPE" lint --transport tpiu --source 1=ntrace,hart=0 \
	--source 0x22=etrace,hart=1 both.tpiu
is "lint of several: each source" "source 0x1, hart 0: source 0x22, hart 1: " \
	"$(grep '^source' out | tr '\n' ' ')"
is "lint of several: each summary" 2 "$(grep -c ' 0 errors' out)"
exits "lint of several: one has findings" 1 "$HARTSCOPE" lint --transport tpiu \
	--source 1=ntrace,trTeSrcBits=4 --source 0x22=etrace both.tpiu
"$HARTSCOPE" lint --json --transport tpiu --source 1=ntrace --source 0x22=etrace both.tpiu >out
json "lint of several" out
# encode keeps the list: no command needs an option.
for c in 'dump' 'list --format pc' 'lint'; do
	# shellcheck disable=SC2086
	"$HARTSCOPE" $c --bin loop.bin@0x1000 --transport tpiu --source 1=ntrace,hart=0 \
		--source 0x22=etrace,hart=1 both.tpiu >want 2>err
	# shellcheck disable=SC2086
	exits "no options: $c" 0 "$HARTSCOPE" $c again.tpiu
	is "no options: $c: the same" "$(cksum <want)" "$(cksum <out)"
done
has "no options: a source is an object" '"id": 34' again.tpiu.json
"$HARTSCOPE" list --format pc --source 0x22=etrace again.tpiu >out 2>err
is "--source replaces the list" 8 "$(wc -l <out | tr -d ' ')"
printf '{"protocol":"ntrace","sources":[{"path":"hart1.et","hart":1,"protocol":"etrace"}]}' \
	>hart0.nt.json
exits "a path in the list" 0 "$HARTSCOPE" list --bin loop.bin@0x1000 --format pc hart0.nt
is "a path in the list: both harts" 16 "$(wc -l <out | tr -d ' ')"
for list in '[{"hart":1}]' '[{"id":300}]' '{}' '[1]'; do
	printf '{"protocol":"ntrace","sources":%s}' "$list" >hart0.nt.json
	exits "a list that is none: $list" 3 "$HARTSCOPE" dump hart0.nt
done
rm hart0.nt.json
"$HARTSCOPE" dump --json --transport tpiu --source 1=ntrace --source 0x22=etrace both.tpiu >out
json "dump of several sources" out
"$HARTSCOPE" decode --json --bin loop.bin@0x1000 --transport tpiu --source 1=ntrace -o a.flow \
	both.tpiu >out
json "decode of one source" out
has "decode: frames" '"frames": *3' out
exits "from a pipe" 2 sh -c '"$HARTSCOPE" dump --transport tpiu - <both.tpiu | cat; cat both.tpiu |
	"$HARTSCOPE" dump --transport tpiu -'

# Frames of 16 sources, each between synchronisations, of none of which anything reads: not packets
# of E-Trace, though each frame has the length of one.
for round in 1 2 3 4 5 6 7 8; do
	for id in 003 005 007 011 013 015 017 021 023 025 027 031 033 035 037 041; do
		printf '\377\377\377\177\'$id
		printf '\201\304\233\006\367\110\031\202\133\206\275\014\161\060\252'
	done
done >others.tpiu
for words in '' '--bin loop.bin@0x1000'; do
	# shellcheck disable=SC2086
	"$HARTSCOPE" identify $words others.tpiu >out 2>err
	is "frames that nothing reads${words:+, with a program}: no command" 0 "$(grep -c ^command out)"
	has "frames that nothing reads: which" 'frames of the sources 0x1, 0x2, .* 0x10;' err
	has "frames that nothing reads: what to do" "decode --transport tpiu --source 0x1=ntrace" err
done
"$HARTSCOPE" identify both.tpiu >out 2>err
has "frames that are too short: which" 'CoreSight frames of the sources 0x1, 0x22;' err

# A long trace of one hart in both protocols: exact; a damaged frame costs what it must.
awk 'BEGIN {
	print "itype_0,cause,tval,priv,iaddr_0,context,ctype,iretire_0,ilastsize_0"
	print "0,0,0,3,1000,0,0,1,0"
	for (i = 0; i < 4000; i++) print "0,0,0,3,1002,0,0,1,0\n5,0,0,3,1004,0,0,1,0"
	print "0,0,0,3,1002,0,0,1,0\n4,0,0,3,1004,0,0,1,0\n0,0,0,3,1006,0,0,1,1"
	print "6,0,0,3,100e,0,0,1,0\n0,0,0,3,100a,0,0,1,1"
}' >long.csv
"$HARTSCOPE" import --quiet --from csv --bin loop.bin@0x1000 -o long.rec long.csv
"$HARTSCOPE" list --format pc long.rec >pcs
sync_ntrace='trTeInstMode=btm --set trTeInstSyncMode=bytes --set trTeInstSyncMax=1'
sync_etrace='trTeInstSyncMode=halfwords --set resync-max=1 --set async-freq=1'
for p in ntrace etrace; do
	eval "sync=\$sync_$p"
	for t in tpiu tpiu-frames; do
		# shellcheck disable=SC2086
		exits "$p in $t: encode" 0 "$HARTSCOPE" encode -q --protocol $p --set $sync \
			--transport $t -o long.$t long.rec
		exits "$p in $t: check" 0 "$HARTSCOPE" check long.rec long.$t
		# two reserved IDs
		at=$(($(wc -c <long.$t) * 2 / 5 / 4 * 4))
		{
			head -c $at long.$t
			printf '\341\341\341\341'
			tail -c +$((at + 5)) long.$t
		} >bad.$t
		cp long.$t.json bad.$t.json
		"$HARTSCOPE" list --format pc bad.$t >out 2>err
		has "$p in $t: damage is reported" "no CoreSight frame can be here" err
		n=$(wc -l <out)
		is "$p in $t: what is before and after is there" yes \
			"$([ "$n" -gt 6500 ] && [ "$n" -lt 8006 ] && echo yes)"
		is "$p in $t: the end of the flow" "$(tail -n 100 pcs | cksum)" \
			"$(tail -n 100 out | cksum)"
	done
	# The newest frames of a buffer of 1024 bytes; its write pointer.
	size=$(wc -c <long.tpiu-frames)
	at=$((size % 1024))
	{
		tail -c $at long.tpiu-frames
		tail -c 1024 long.tpiu-frames | head -c $((1024 - at))
	} >ring
	cp long.tpiu-frames.json ring.json
	"$HARTSCOPE" list --format pc --wrap $at ring >out 2>err
	is "$p in a buffer: more than nothing" yes "$([ "$(wc -l <out)" -gt 20 ] && echo yes)"
	is "$p in a buffer: the end of the flow" "$(tail -n "$(wc -l <out)" pcs | cksum)" \
		"$(cksum <out)"
done

# One pin: found and given bit rates, damage.
for p in ntrace etrace; do
	eval "sync=\$sync_$p"
	for t in uart uart-packed manchester manchester-packed; do
		# shellcheck disable=SC2086
		exits "$p over $t: encode" 0 "$HARTSCOPE" encode -q --protocol $p --set $sync \
			--transport $t --bit 8.68 -o long.$t long.rec
		exits "$p over $t: check" 0 "$HARTSCOPE" check long.rec long.$t
		exits "$p over $t, the bit given: check" 0 "$HARTSCOPE" check --bit 8.68 \
			long.rec long.$t
		at=$(($(wc -c <long.$t) * 2 / 5))
		{
			head -c $at long.$t
			head -c 300 /dev/zero
			tail -c +$((at + 301)) long.$t
		} >bad.$t
		cp long.$t.json bad.$t.json
		"$HARTSCOPE" list --format pc bad.$t >out 2>err
		has "$p over $t: samples of a bit" "samples, 8.6[678] a bit" err
		is "$p over $t: the end of the flow" "$(tail -n 100 pcs | cksum)" \
			"$(tail -n 100 out | cksum)"
	done
done
bytes 'The capture `hop.uart`' hop.uart
is "hop.uart: 31 bytes" 31 "$(wc -c <hop.uart | tr -d ' ')"
hop_bin
shows 'list --format pc --bin hop.bin@0x100 --transport uart-packed' 0
has "hop.uart: its bit" "2.00 a bit, lost 0 times" err
# A value change dump of a pin: 868 units of time a sample.
for t in uart manchester; do
	"$HARTSCOPE" encode -q --transport $t --bit 8 -o pin.s loop.rec
	od -An -v -tu1 -w1 pin.s | awk 'BEGIN {
			print "$timescale 1ns $end $scope module top $end"
			print "$var wire 1 ! swt $end $var wire 1 \" other $end $upscope $end"
			print "$enddefinitions $end"
		}
		$1 % 2 != last || NR == 1 {
			print "#" NR * 868 + (NR % 2) * 60 "\n" $1 % 2 "!"
			last = $1 % 2
		}
		END { print "#" NR * 868 + 90000000 }' >pin.vcd
	exits "$t: a value change dump" 0 "$HARTSCOPE" list --format pc --bin loop.bin@0x1000 \
		--transport $t-vcd --vcd-data swt pin.vcd
	is "$t: a value change dump: its flow" "$loop_pcs" "$(tr '\n' ' ' <out | sed 's/ $//')"
	has "$t: a value change dump: no loss" "lost 0 times" err
	if fst pin.vcd pin.fst; then
		"$HARTSCOPE" list --format pc --bin loop.bin@0x1000 --transport $t-vcd \
			--vcd-data swt pin.fst >out 2>err
		is "$t: an FST file: its flow" "$loop_pcs" "$(tr '\n' ' ' <out | sed 's/ $//')"
		head -c 100 pin.fst >cut.fst
		exits "$t: an FST file that is cut" 3 "$HARTSCOPE" dump --transport $t-vcd \
			--vcd-data swt cut.fst
	fi
done
printf '\0\0\0\0\0\0\0\1\111 and more' >none.fst
exits "FST without fst2vcd" 2 env PATH="$dir/none" "$HARTSCOPE" dump --transport uart-vcd none.fst
has "FST without fst2vcd: what to install" 'install the package gtkwave' err
exits "a dump with samples a bit" 2 "$HARTSCOPE" list --transport uart-vcd --bit 8 pin.vcd
exits "a dump without the signal" 3 "$HARTSCOPE" dump --transport uart-vcd pin.vcd
exits "encode writes no dump" 2 "$HARTSCOPE" encode -q --transport uart-vcd -o x loop.rec
exits "too few samples a bit" 2 "$HARTSCOPE" list --transport uart --bit 1 hop.uart

# Two harts in each transport of both protocols, and in each framing of E-Trace: there and back.
for hart in 0 5; do
	for line in '0000 (0x4509)' '0002 (0x157d)' '0004 (0xfd7d)' '0002 (0x157d)' \
		'0004 (0xfd7d)' '0006 (0x8082)' '0000 (0x4509)'; do
		echo "core   $hart: 3 0x000000008000$line"
	done
done >harts.log
"$HARTSCOPE" import -q -o harts.rec harts.log

# two_harts TEXT OPTION...
two_harts() {
	text=$1
	shift
	"$HARTSCOPE" encode -q -o harts.trace "$@" harts.rec
	exits "two harts: $text" 0 "$HARTSCOPE" check --image harts.rec harts.rec harts.trace
}

for t in raw pins1 pins2 pins4 pins8 pins16 pins1-packed pins2-packed pins4-packed uart \
	uart-packed manchester manchester-packed tpiu tpiu-frames; do
	two_harts "N-Trace, $t" --protocol ntrace --transport $t
	two_harts "E-Trace, $t" --protocol etrace --transport $t
done
# Where each hart has bytes of its own, also with its number, wherever the width of that is from.
echo 'trTeSrcBits = 4' >src.config
echo '{ "set": { "trTeSrcBits": 4 } }' >src.json
echo '{ "trTeSrcBits": 4 }' >outside.json
exits "a parameter outside of set" 2 "$HARTSCOPE" encode -q --config outside.json -o x loop.rec
has "a parameter outside of set: where it belongs" 'parameters are members of "set"' err
for p in ntrace etrace; do
	for given in '--config src.config' '--config src.json' '--set trTeSrcBits=4'; do
		# shellcheck disable=SC2086  # words
		two_harts "$p, $given, frames" --protocol $p $given --transport tpiu
		# shellcheck disable=SC2086
		two_harts "$p, $given, perf.data" --protocol $p $given --perf-data cpu
	done
done
for d in standard atb draft siemens encap1; do
	two_harts "$d" --protocol etrace --dialect $d
done
for d in reference none pulp esp32; do
	exits "two harts: $d has no place for a source" 2 "$HARTSCOPE" encode -q --protocol etrace \
		--dialect $d -o harts.trace harts.rec
	has "two harts: $d: why" 'do not fit the number of sources' err
	two_harts "$d in frames" --protocol etrace --dialect $d --transport tpiu
done

# What identify finds of a value change dump: its samples, with the names that it is given.
"$HARTSCOPE" encode -q --transport pins4 -o a.pins long.rec
od -An -v -tu1 -w1 a.pins | awk 'BEGIN {
		print "$timescale 1 ns $end\n$var wire 1 ! clock $end"
		print "$var wire 4 \" data [3:0] $end\n$enddefinitions $end"
		for (n = 0; n < 16; n++)
			bits[n] = int(n / 8) % 2 "" int(n / 4) % 2 "" int(n / 2) % 2 "" n % 2
	}
	{ print "#" 10 * NR - 5 "\nb" bits[$1 + 0] " \"\n#" 10 * NR "\n" NR % 2 "!" }' >a.vcd
exits "identify a dump" 0 "$HARTSCOPE" identify --bin loop.bin@0x1000 --vcd-clock clock \
	--vcd-data data a.vcd
has "identify a dump: how it came" "transport vcd --vcd-clock clock --vcd-data data" out
exits "identify a dump of other names" 1 "$HARTSCOPE" identify --bin loop.bin@0x1000 a.vcd
has "identify a dump of other names: says what helps" "a value change dump" err

exit $failed
