#!/bin/sh
# A file that is no trace, where a trace is wanted: an error with a hint, never nothing.
. "$(dirname "$0")/lib.sh"
hop_bin
hop_trace
: >empty
printf 'some words that are no trace at all\n' >words
printf 'some words' | gzip >words.gz
printf '$date today $end\n$timescale 1ns $end\n' >waves

# refused TEXT PATTERN FILE COMMAND...
refused()
{
	why=$1 pattern=$2 file=$3
	shift 3
	exits "$why: $1" 3 "$HARTSCOPE" "$@" "$file"
	"$HARTSCOPE" "$@" "$file" >out 2>&1
	has "$why: $1 says so" "$pattern" out
}

for p in ntrace etrace; do
	for c in 'list --bin hop.bin@0x100' 'stat --bin hop.bin@0x100' \
		'decode --bin hop.bin@0x100 -o flow' dump lint; do
		# shellcheck disable=SC2086
		set -- $c --protocol $p
		refused "$p, an empty file" 'empty.*holds no trace' empty "$@"
		refused "$p, an ELF file" 'is an ELF file.*--elf' "$HARTSCOPE" "$@"
		refused "$p, a compressed file" 'is compressed.*gunzip' words.gz "$@"
		refused "$p, a value change dump" '--transport vcd' waves "$@"
	done
done
for c in 'list --bin hop.bin@0x100' dump; do
	exits "a broken perf.data through a pipe: $c" 3 sh -c \
		"printf 'PERFILE2 and more' | '$HARTSCOPE' $c --protocol ntrace - 2>&1"
	has "says why" '/dev/stdin: a header of ' out
	exits "an ELF file through a pipe: $c" 3 sh -c \
		"cat '$HARTSCOPE' | '$HARTSCOPE' $c --protocol etrace - 2>&1"
	has "says what to do" 'is an ELF file.*--elf' out
done
exits "an empty pipe" 3 sh -c "\"$HARTSCOPE\" list --bin hop.bin@0x100 - <empty"
"$HARTSCOPE" list --protocol etrace --bin hop.bin@0x100 words >out 2>&1
has "text of which nothing can be decoded" 'looks like text' out
printf '\211PNG\r\n\032\n and a picture' >picture
printf 'PK\003\004 and an archive' >archive
for c in 'list --bin hop.bin@0x100' dump identify info; do
	# shellcheck disable=SC2086
	set -- $c
	refused 'an empty file' 'empty.*holds no trace' empty "$@"
	refused 'a picture' 'is a picture.*bytes of the trace' picture "$@"
	refused 'a zip archive' 'is a zip archive.*unzip' archive "$@"
done
# A part of the program is missing: which address, and how it is given.
tail -c 2 hop.bin >end.bin
"$HARTSCOPE" list --bin end.bin@0x200 hop.nt >out 2>err
is "code that is missing" 3 $?
has "code that is missing: where" "hint: 0x100 is in no file: a boot ROM is --bin ROM@0x100" err

printf ':10000000011000000010CD000000000000000000F2\n:00000001FF\n' >ihex
printf 'S00600004844521B\nS1130000285F245F2212226A000424290008237C2A\n' >srec
refused 'Intel HEX' 'is Intel HEX, .*objcopy -I ihex' ihex identify
refused 'S-records' 'is S-records, .*objcopy -I srec' srec identify
refused 'an ELF file' 'is an ELF file.*--elf' "$HARTSCOPE" identify
exits 'a text: identify' 1 "$HARTSCOPE" identify words
has 'says that it is nothing known' 'no protocol that is known' err

# Every command that takes a capture, a recording or a flow, with every kind of file: its status,
# and what the last lines say.  Of a text only what it gives shows that it is no trace.  With
# sanitizers, where a command takes ten times as long, each kind once and noise with each command,
# a quarter of it.
code='--bin hop.bin@0x100'
# shellcheck disable=SC2086
"$HARTSCOPE" decode -q $code -o hop.flow hop.nt
printf '{ "protocol": "ntrace", "set": {} }\n' >json
printf '\324\303\262\241\002\000\004\000 packets of a network' >pcap
printf '\n\r\r\n\034\000\000\000 packets of a network' >pcapng
cp "$HARTSCOPE" elf
mkdir folder
head -c 100000 /dev/zero >zeros
tr '\0' '\377' <zeros >ones
"$HARTSCOPE" index -q $code hop.nt
"$HARTSCOPE" stat -q --part 1/2 --work parts $code hop.nt
cp hop.nt.idx idx
cp parts/*1* part
# No pattern in it, and the same each time: multiples of a prime's root (mod 2^31 - 1).
awk -v most=$([ -z "${HARTSCOPE_SANITIZED-}" ] && echo 20000 || echo 5000) 'BEGIN {
	for (x = 1; n < most; n++) {
		x = x * 16807 % 2147483647
		printf "%02x", int(x / 8192) % 256
	}
}' | sed 's/../\\x&/g' | xargs -0 printf >noise
while read -r kind says; do
	while read -r status command; do
		case ${HARTSCOPE_SANITIZED-}:$kind:$command in
		:* | *:noise:* | *:stat*) ;;
		*) continue ;;
		esac
		case $command in
		info*) [ $kind != elf ] || continue ;;
		esac
		case $kind:$command in
		zeros:registers* | ones:registers* | noise:registers*)
			continue ;; # it only looks for another kind of file there
		noise:identify* | noise:lint* | noise:check*) status=1 ;;
		folder:import* | folder:identify* | folder:registers* | folder:*--auto*) status=2 ;;
		words:identify* | words:lint* | words:check* | empty:check*) status=1 ;;
		folder:* | *:import*) status=3 ;;
		esac
		rm -rf out.*
		# shellcheck disable=SC2086
		exits "$kind: $command" "$status" "$HARTSCOPE" $command $kind
		has "$kind: $command: says why" "$says" err
	done <<-EOS
		3 encode -q -o out.nt
		3 decode -q $code -o out.flow
		3 dump
		3 lint
		3 list $code
		3 list --auto $code
		3 index $code
		3 stat $code
		3 stat --calls $code
		3 calls $code
		3 report $code
		3 annotate $code 0x100
		3 coverage $code
		3 export --format folded $code -o out.folded
		3 gdb $code
		3 diff $code hop.flow
		3 traps $code
		3 pmu $code
		3 ctr $code
		3 check $code hop.flow
		3 info
		3 identify
		3 identify $code
		3 registers
		3 import --from spike $code -o out.rec
	EOS
done <<-'EOS'
	empty is empty
	picture a picture
	archive a zip archive
	elf an ELF file
	words text
	json JSON
	pcap a capture of network packets
	pcapng a capture of network packets
	folder folder
	zeros blank
	ones blank
	noise identify\|MSEO order\|not a recording\|no protocol\|no execution
	idx an index of hartscope
	part a part of hartscope
EOS

# Bytes that are all the same are only where a trace begins, or ends.
{
	head -c 9000 ones
	cat hop.nt
	head -c 9000 ones
} >idle
for c in "list --format pc $code" dump lint info; do
	# shellcheck disable=SC2086
	exits "idle around a trace: ${c%% *}" 0 "$HARTSCOPE" $c idle
done
# shellcheck disable=SC2086
"$HARTSCOPE" list --format pc $code idle >out
is "idle around a trace: its flow" "100 102 200" "$(tr '\n' ' ' <out | sed 's/ $//')"

# In parts: the file is refused at once, or merge says what is wrong with all of it.
while read -r kind says; do
	# shellcheck disable=SC2086
	for c in "stat --part 1/2 $code" "merge stat --parts 2 $code"; do
		refused "$kind" "$says" $kind $c
	done
done <<-'EOS'
	picture a picture
	elf an ELF file
	zeros blank
EOS
# shellcheck disable=SC2086
for n in 1 2; do
	exits "noise: part $n" 0 "$HARTSCOPE" stat --part $n/2 $code noise
done
# shellcheck disable=SC2086
refused "noise, merged" "errors are messages that cannot be read.*identify" noise merge stat \
	--parts 2 $code
exits "an empty file: a part" 2 "$HARTSCOPE" stat --part 1/2 --bin hop.bin@0x100 empty
has "an empty file: a part: says why" 'that is not empty' err
finish
