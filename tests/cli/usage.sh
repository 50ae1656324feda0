#!/bin/sh
# Every command's --help, usage errors, and their exit status.
. "$(dirname "$0")/lib.sh"

for c in record encode decode dump list stat report annotate traps calls export pmu ctr check \
	crash diff info import explain fsck version; do
	exits "$c --help" 0 "$HARTSCOPE" "$c" --help
	has "$c --help shows how to use it" "^[Uu]sage: hartscope $c" out
	has "$c --help has an example" "^Example:" out
	is "$c --help says nothing on stderr" "" "$(cat err)"
	cp out direct
	exits "help $c" 0 "$HARTSCOPE" help "$c"
	is "help $c is $c --help" "$(cat direct)" "$(cat out)"
	exits "$c with an unknown option" 2 "$HARTSCOPE" "$c" --no-such-option
	is "$c with an unknown option prints nothing" "" "$(cat out)"
done

# --help alone shows what is used most; 80 columns are enough.
"$HARTSCOPE" help >screen
is "help: one screen of 24 lines" 1 $(($(wc -l <screen) <= 24))
is "help: 80 columns" "" "$(awk 'length > 80' screen)"
"$HARTSCOPE" help --all >commands
is "help names every command" "" "$(sed -n 's/^  \([a-z]*\)  .*/\1/p' commands |
	while read -r c; do grep -qw "$c" screen || echo "$c"; done)"
for c in $(sed -n 's/^  \([a-z]*\)  .*/\1/p' commands); do
	"$HARTSCOPE" "$c" --help 2>err | sed '/^Example:/,$d' >few
	is "$c --help: nothing on stderr" "" "$(cat err)"
	"$HARTSCOPE" "$c" --help --all >all
	shown=$(grep -c '^  \(-., \|    \)--' few)
	is "$c --help shows at most 12 options" 1 $((shown <= 12))
	is "$c --help: 80 columns" "" "$(awk 'length > 80' few all)"
	is "$c --help --all has what --help has" "" \
		"$(grep '^  \(-., \|    \)--' few | grep -vxFf all)"
done
# What may be meant, and numbers as people write them.
while IFS='|' read -r words meant; do
	# shellcheck disable=SC2086
	exits "$words" 2 "$HARTSCOPE" $words
	has "$words: $meant" "$meant" err
	is "$words: one line" 1 "$(wc -l <err | tr -d ' ')"
done <<EOS
lsit|did you mean 'list'?
help deocde|did you mean 'decode'?
list --formatt=pc x|no option '--formatt' (did you mean '--format'?)
record --keep-lst 4M -- x|did you mean '--keep-last'?
list --set trTeInstMod=3 --bin x@0 x|nearest names are trTeInstMode,
encode --protocol etrace --set resync_max=3 x|no such\|nearest names are resync-max,
list --limit 1.5 x|--limit needs a number
list --jobs 1k x|--jobs is at most 64, not 1k
record --data=no --help|--data=no: values or addresses
list -j x x|--jobs needs a number, not 'x'
list -j -1 x|--jobs needs a number, not '-1'
list -j 2x x|--jobs needs a number, not '2x'
encode --queue 0 --drain 1 x|--queue needs 1 to
EOS
"$HARTSCOPE" frobnicate 2>far
has "what is nothing like it has no guess" "no command 'frobnicate';" far
exits "-V" 0 "$HARTSCOPE" -V
has "-V: a number" "^hartscope [0-9]" out

exits "help parameters" 0 "$HARTSCOPE" help parameters
has "parameters of ntrace" "^  trTeInstMode " out
has "parameters of etrace" "^  iaddress_width_p " out
exits "help parameters etrace" 0 "$HARTSCOPE" help parameters etrace
is "only those of etrace" 0 "$(grep -c 'histBits' out)"
exits "help parameters of no protocol" 2 "$HARTSCOPE" help parameters morse

for c in encode decode dump list stat report calls pmu ctr check info explain; do
	exits "$c without arguments" 2 "$HARTSCOPE" "$c"
	is "$c without arguments: one line" 1 "$(wc -l <err | tr -d ' ')"
	has "$c without arguments: says who" "^hartscope: " err
	exits "$c with an option in want of a value" 2 "$HARTSCOPE" "$c" x --set
	exits "$c with a file that is not there" 2 "$HARTSCOPE" "$c" nothing-here nothing-here
done

loop_rec
"$HARTSCOPE" encode -q --protocol ntrace -o loop.nt loop.rec
for row in loop.rec:report "$HARTSCOPE:record" loop.nt:identify; do
	exits "a file for a command" 2 "$HARTSCOPE" "${row%:*}"
	has "a file for a command: which shows it" "such as 'hartscope ${row##*:} ${row%:*}'" err
done
exits "no command" 2 "$HARTSCOPE"
is "no command: says so at the end" "hartscope: no command was given" "$(tail -n 1 err)"
exits "version with a word" 2 "$HARTSCOPE" version 2
is "version with a word: says so" "hartscope: version takes no arguments" "$(tail -n 1 err)"
exits "unknown command" 2 "$HARTSCOPE" frobnicate
has "unknown command: what to do" "hartscope help" err
exits "version" 0 "$HARTSCOPE" --version
has "version: a number" "^hartscope [0-9]" out
exits "help" 0 "$HARTSCOPE" help
has "help lists the commands" "^  identify " out

hop_bin
hop_trace
while IFS='|' read -r text words; do
	# shellcheck disable=SC2086
	exits "$text" 2 "$HARTSCOPE" list $words
	is "$text: one line" 1 "$(wc -l <err | tr -d ' ')"
done <<EOS
unknown parameter|--set noSuchName=1 --bin hop.bin@0x100 hop.nt
value that is no value|--set trTeInstMode=often --bin hop.bin@0x100 hop.nt
value out of range|--set trTeSrcBits=13 --bin hop.bin@0x100 hop.nt
setting without a value|--set trTeSrcBits --bin hop.bin@0x100 hop.nt
iaddress_lsb_p 3|--protocol etrace --set iaddress_lsb_p=3 --bin hop.bin@0x100 hop.nt
unknown protocol|--protocol morse --bin hop.bin@0x100 hop.nt
unknown format|--format xml --bin hop.bin@0x100 hop.nt
raw binary without an address|--bin hop.bin hop.nt
no program|hop.nt
limit that is no number|--limit many --bin hop.bin@0x100 hop.nt
parameters that are not there|--config nothing.json --bin hop.bin@0x100 hop.nt
two programs at one place|--bin hop.bin@0x100 --bin hop.bin@0x110 hop.nt
not a RISC-V program|--elf /bin/sh hop.nt
EOS
for limit in 3 3e0 0.003k 0x3; do
	is "--limit $limit" 3 "$("$HARTSCOPE" list --format pc --limit $limit --bin hop.bin@0x100 \
		hop.nt 2>err | wc -l | tr -d ' ')"
done
# Output that is lost is an error, wherever it was flushed; a reader that has enough is none.
if [ -e /dev/full ]; then
	loop_rec
	for words in -V --help 'help parameters' 'list --help' 'list loop.rec' 'stat loop.rec' \
		'coverage loop.rec' 'calls loop.rec' 'complete li' 'dump hop.nt' 'lint --kinds'; do
		# shellcheck disable=SC2086
		"$HARTSCOPE" $words >/dev/full 2>err
		is "$words to a full disk is an error" 2 $?
		has "$words to a full disk: said" "cannot be written\|cannot write" err
	done
	for words in 'help parameters' 'lint --kinds' 'coverage loop.rec'; do
		# shellcheck disable=SC2086
		{ "$HARTSCOPE" $words 2>err; echo $? >status; } | true
		is "$words to a reader that left" "" "$(grep 'cannot be' err)"
	done
fi
# Commands in groups: what is wanted first is first.
is "help: the first commands" "record list report" \
	"$(echo $(sed -n 's/^  \([a-z]\{1,\}\)  .*/\1/p' commands | head -n 3))"
is "help: groups" 6 "$(grep -c '^[A-Z].*:$' commands)"
has "help: a group" '^Hardware traces:$' commands
is "help: the group of fsck" "Large and damaged files:" \
	"$(awk '/:$/ { group = $0 } /^  fsck / { print group }' commands)"
# What --by can be is in the message.
loop_rec
exits "report --by func" 2 "$HARTSCOPE" report --by func loop.rec
has "report --by func" \
	"function, line, inline, library, access, hart, mode, process or thread, not 'func' (did you mean" err
exits "vectors" 0 "$HARTSCOPE" vectors
has "vectors: its version" '^version  *[0-9]*$' out
# The file that could not be written is named.
mkdir small
if mount -t tmpfs -o size=4k none small 2>/dev/null; then
	"$HARTSCOPE" export -q --format sqlite -o small/loop.db loop.rec 2>err
	is "sqlite on a full disk" 2 $?
	has "sqlite on a full disk: its name" \
		'^hartscope: small/loop.db.*\(cannot be written\|No space\)' err
	rm -f small/*
	yes '1002
1004' | head -n 40000 >long.pcs
	"$HARTSCOPE" import -q --from pcs --bin loop.bin@0x1000 -o long.rec long.pcs
	"$HARTSCOPE" encode -q --set trTeInstMode=btm -o small/long.nt long.rec 2>err
	is "encode on a full disk" 2 $?
	has "encode on a full disk: its name" '^hartscope: small/long.nt.new: No space left' err
	umount small
else
	echo 'ok - sqlite on a full disk # SKIP cannot mount a small file system'
fi
# A library that is there and cannot be loaded is not called missing.
(ulimit -v 300000; "$HARTSCOPE" list --limit 1 loop.rec >out 2>err)
is "list with little memory: no word of an installation" 0 "$(grep -c 'not installed' err)"
# scripts/guests/linux-guest.sh takes paths from where it is called.
if [ -n "${HARTSCOPE_SOURCE-}" ] && command -v python3 >/dev/null; then
	mkdir -p build/linux-guest/root/usr/bin
	printf '#!/bin/sh\n' | tee init >build/linux-guest/root/usr/bin/busybox
	exits "linux-guest.sh initramfs" 0 \
		"$HARTSCOPE_SOURCE/scripts/guests/linux-guest.sh" initramfs \
		build guest.cpio.gz init etc/motd=init
	is "linux-guest.sh initramfs: OUT is here" yes "$([ -s guest.cpio.gz ] && echo yes)"
fi
finish
