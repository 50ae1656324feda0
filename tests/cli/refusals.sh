#!/bin/sh
# No command ends with 0 when its input is wrong, and each says why.
. "$(dirname "$0")/lib.sh"
"$HARTSCOPE" help --all | sed -n 's/^  \([a-z]*\)  .*/\1/p' |
	grep -v '^help$\|^version$\|^complete$' >commands
has "there are commands" "^decode$" commands
: >empty
# A ProgTraceSync (NT 7.5) that ends within I-CNT.
printf '\044\025' >garbage
mkdir folder
# refused COMMAND ARGUMENT...: with a status of an error, not of a signal, and with a message; of
# lint it may be a finding
refused() {
	timeout 20 "$HARTSCOPE" "$@" >out 2>err </dev/null
	status=$?
	[ $status -ne 0 ] && [ $status -lt 124 ] && cat out err | grep -q . && return
	# `record` of no program ends as a shell does.
	[ "$1" = record ] && [ $status -ge 126 ] && [ $status -le 127 ] && [ -s err ] && return
	echo "$* ended with $status: $(head -n 1 err)"
}
while read -r c; do
	for bad in no/such/file empty folder garbage --no-such-option '--json=no' \
		'empty empty empty'; do
		# The parameters of bytes that nothing describes are the defaults.
		[ "$c $bad" != "registers garbage" ] || continue
		# shellcheck disable=SC2086
		refused "$c" $bad
	done
done <commands >wrong
is "wrong inputs end no command with 0" "" "$(cat wrong)"
# Numbers of --set, as those of options (design/cli): up to 64 bits, and a 0 in front means nothing.
loop_rec
while IFS='|' read -r written member; do
	exits "--set $written" 0 "$HARTSCOPE" encode -q --protocol etrace --set "$written" \
		-o n.et loop.rec
	has "--set $written: $member" "$member" n.et.json
done <<EOS
resync-max=010|"resync-max": 10\b
resync-max=1e1|"resync-max": 10\b
resync-max=0x0a|"resync-max": 10\b
mtvec=0xffffffff80000000|"mtvec": "0xffffffff80000000"
mtvec=2G|"mtvec": "0x77359400"
EOS
for value in 18446744073709551616 0x1ffffffffffffffff 1.0001 2T 08x ''; do
	exits "--set mtvec=$value" 2 "$HARTSCOPE" encode -q --protocol etrace --set "mtvec=$value" \
		-o n.et loop.rec
done
# Addresses of the program that packets have no room for: the parameter, and what is legal.
for set in ntrace:addressBits=8:0 etrace:iaddress_width_p=8:64; do
	"$HARTSCOPE" encode -q --protocol "${set%%:*}" --set "$(echo "$set" | cut -d : -f 2)" \
		-o n.tr loop.rec 2>err
	has "$set: what can be sent" "addresses that can be sent: .*$(echo "$set" |
		sed 's/.*:\(.*\)=.*:\(.*\)/\1 (\2: all)/')" err
done
# Values wider than their fields, before and after which all is good: no trace, and what is legal.
loop_csv
sed 's/^5,0,0,3,1004,0,0,/1,12,12345678,3,1004,74565,2,/; 5,$s/,3,10/,1,10/' loop.csv >wide.csv
exits "import of values" 0 "$HARTSCOPE" import -q --from csv --bin loop.bin@0x1000 \
	-o wide.rec wide.csv
exits "fields that are as wide" 0 "$HARTSCOPE" encode -q --protocol etrace --set ecause_width_p=4 \
	--set nocontext_p=0 --set context_width_p=17 --set iaddress_width_p=32 \
	--set privilege_width_p=2 -o n.et wide.rec
while IFS='|' read -r settings said; do
	for how in '' '--queue 64 --drain 8' '--jobs 2'; do
		rm -f w.et
		# shellcheck disable=SC2086  # words
		exits "$settings $how" 2 "$HARTSCOPE" encode -q --protocol etrace \
			$(echo "$settings" | sed 's/[^ ]*/--set &/g') $how -o w.et wide.rec
		has "$settings $how: what is legal" "$said" err
		exits "$settings $how: no trace" 1 test -e w.et
	done
done <<EOS
ecause_width_p=3|the cause of a trap, 0xc does not fit: ecause_width_p=3 (legal: 4 to 64)
nocontext_p=0 context_width_p=16|context 0x12345 does not fit: context_width_p=16 (legal: 17 to 64)
iaddress_width_p=20|trap value, 0x12345678 does not fit: iaddress_width_p=20 (legal: 29 to 64)
dialect=esp32|mode S does not fit: privilege_width_p (legal: 3 to 4), layout.machine (legal: 3)
EOS
# A page of a trace of which no block can be read.
printf '\377\377\377\001' >noise
exits "report --html of nothing" 3 "$HARTSCOPE" report -q --html --protocol ntrace \
	--bin loop.bin@0x1000 -o nothing.html noise
exits "a command that is none" 2 "$HARTSCOPE" lits
exits "help on what is none" 2 "$HARTSCOPE" help lits
finish
