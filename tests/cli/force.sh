#!/bin/sh
# What is replaced without a word, and what only with --force: each kind of output, made again in
# the same way, from another input, and with other parameters.
. "$(dirname "$0")/lib.sh"
unset HARTSCOPE_FORCE
loop_rec
cp -r loop.rec other.rec

# refused TEXT WHAT COMMAND...: nothing is changed, and what differs is named; --force replaces it
refused() {
	case=$1 what=$2 output=$3
	shift 3
	find "$output" "$output.json" -type f -exec cksum {} + >before 2>&1
	exits "$case" 2 "$HARTSCOPE" "$@" -o "$output"
	has "$case: says so" "^hartscope: $output exists: $what; --force replaces it\$" err
	find "$output" "$output.json" -type f -exec cksum {} + >after 2>&1
	is "$case: nothing is changed" "$(cat before)" "$(cat after)"
	exits "$case: --force" 0 "$HARTSCOPE" "$@" --force -o "$output"
	find "$output" "$output.json" -type f -exec cksum {} + >after 2>&1
	[ "$(cat before)" != "$(cat after)" ] && ok "$case: --force replaces it" ||
		bad "$case: --force replaces it"
	exits "$case: again" 0 "$HARTSCOPE" "$@" -o "$output"
}

# A program without lines has nothing that could be exported: the older file stays.
for format in lcov gcov-json; do
	echo older >lines.$format
	exits "$format without lines" 1 "$HARTSCOPE" coverage --force --format $format \
		-o lines.$format loop.rec
	has "$format without lines: says so" 'no line information: compile it with -g$' err
	is "$format without lines: the older file" older "$(cat lines.$format)"
done

encode='encode -q --protocol ntrace'
# shellcheck disable=SC2086
exits "a trace" 0 "$HARTSCOPE" $encode loop.rec -o loop.nt
# shellcheck disable=SC2086
exits "the same again" 0 "$HARTSCOPE" $encode loop.rec -o loop.nt
# shellcheck disable=SC2086
exits "an empty HARTSCOPE_FORCE" 2 env HARTSCOPE_FORCE= "$HARTSCOPE" $encode \
	--set trTeInstMode=btm loop.rec -o loop.nt
# shellcheck disable=SC2086
exits "HARTSCOPE_FORCE" 0 env HARTSCOPE_FORCE=1 "$HARTSCOPE" $encode --set trTeInstMode=btm \
	loop.rec -o loop.nt
# shellcheck disable=SC2086
exits "the first one" 0 "$HARTSCOPE" $encode --force loop.rec -o loop.nt
(mkdir below && cd below && "$HARTSCOPE" encode -q --protocol ntrace -o ../loop.nt ../loop.rec)
is "the same recording by another name" 0 $?
# shellcheck disable=SC2086
refused "another mode" 'a trace with other parameters (trTeInstMode is the default there)' loop.nt \
	$encode --set trTeInstMode=btm loop.rec
# shellcheck disable=SC2086
refused "the mode before" 'a trace with other parameters (trTeInstMode is "btm" there)' loop.nt \
	$encode loop.rec
# shellcheck disable=SC2086
refused "another recording" 'a trace of loop\.rec' loop.nt $encode other.rec
# shellcheck disable=SC2086
refused "another transport" 'a trace with another transport (raw)' loop.nt $encode \
	--transport pins4 other.rec
refused "another protocol" 'a trace of ntrace' loop.nt encode -q --protocol etrace \
	other.rec
: >empty
# shellcheck disable=SC2086
exits "an empty file" 0 "$HARTSCOPE" $encode loop.rec -o empty
printf 'notes' >notes
# shellcheck disable=SC2086
refused "a file of another kind" 'it has no TRACE.json, so encode did not write it' notes $encode \
	loop.rec

for ending in json code; do
	echo '{"name":"app"}' >pack.$ending
	# shellcheck disable=SC2086
	exits "pack.$ending of somebody" 2 "$HARTSCOPE" $encode -o pack loop.rec
	has "pack.$ending: says so" "pack.$ending exists: it is no TRACE.$ending, .*--force" err
	is "pack.$ending: stays" '{"name":"app"}' "$(cat pack.$ending)"
	# shellcheck disable=SC2086
	exits "pack.$ending: --force" 0 "$HARTSCOPE" $encode --force -o pack loop.rec
	rm -f pack*
done

cp loop.nt two.nt && cp loop.nt.json two.nt.json
exits "a flow" 0 "$HARTSCOPE" decode -q -o loop.flow loop.nt
exits "the same flow again" 0 "$HARTSCOPE" decode -q -o loop.flow loop.nt
refused "the flow of another trace" 'made by decode loop.nt' loop.flow decode -q two.nt
refused "an import over a flow" 'made by decode two.nt' loop.flow import -q --from csv \
	--bin loop.bin@0x1000 loop.csv
refused "a flow over an import" 'made by import csv loop.csv' other.rec decode -q two.nt
cp -r loop.rec more.rec
refused "what is left of another one" 'made by import csv loop.csv' more.rec \
	fsck --salvage other.rec

printf '\177ELF and more' >program
refused "coverage over a program" 'an ELF file' program coverage -q loop.rec
exits "an export over a stream" 2 "$HARTSCOPE" export -q --format folded -o more.rec/hart-0.zst \
	loop.rec
exits "an export over a stream: nothing is changed" 0 "$HARTSCOPE" fsck more.rec
over=more.rec/manifest.json
cp $over before
exits "coverage over manifest.json" 2 "$HARTSCOPE" coverage -q -o $over loop.rec
has "coverage over manifest.json: says so" \
	"^hartscope: $over exists: a file of a recording; --force replaces it\$" err
is "coverage over manifest.json: nothing is changed" "$(cksum <before)" "$(cksum <$over)"
exits "coverage over manifest.json: --force" 0 "$HARTSCOPE" coverage -q --force -o $over loop.rec
has "coverage over manifest.json: --force replaces it" '^functions' $over
cp loop.nt.json par.json && cp loop.nt.json par.nt
refused "an export over TRACE.json" 'a file of a trace' par.json export -q --format folded loop.rec
echo '{"format":"hartscope-code","version":1,"harts":1}' >par.code
refused "an export over TRACE.code" 'a file of a trace' par.code export -q --format folded loop.rec
exits "an export over a trace" 2 "$HARTSCOPE" export -q --format folded -o two.nt loop.rec
has "an export over a trace: says so" 'two.nt exists: a trace with its parameters; --force' err
exits "an export over a trace: --force" 0 "$HARTSCOPE" export -q --force --format folded -o two.nt \
	loop.rec
exits "an export over an export" 0 "$HARTSCOPE" export -q --format folded -o folded loop.rec
exits "an export over another one" 0 "$HARTSCOPE" coverage -q -o folded loop.rec

if ! command -v riscv64-linux-gnu-gcc >/dev/null || ! command -v qemu-riscv64 >/dev/null; then
	finish
fi
riscv64-linux-gnu-gcc -O1 -static -o last "$HARTSCOPE_SOURCE/tests/programs/last.c"
# recorded TEXT STATUS PATTERN COMMAND...
recorded() {
	text=$1 status=$2 what=$3
	shift 3
	"$HARTSCOPE" record -q "$@" >out 2>err </dev/null
	is "$text: exit status" "$status" $?
	[ -z "$what" ] || has "$text: says so" "exists: $what; --force replaces it\$" err
}
./last >/dev/null 2>&1
"$HARTSCOPE" record -q -o last.rec ./last >out 2>err
code=$?
# kept TEXT COMMAND...: the recording that was there is last.rec.old, and nothing is left between
kept() {
	kept=$1
	shift
	was=$(cksum <last.rec/manifest.json)
	recorded "$kept" "$code" '' "$@"
	is "$kept: the older one is kept" "$was" "$(cksum <last.rec.old/manifest.json)"
	is "$kept: the new one is there" "last.rec last.rec.old" "$(echo last.rec*)"
	exits "$kept: it is whole" 0 "$HARTSCOPE" fsck last.rec
	exits "$kept: the older one is whole" 0 "$HARTSCOPE" fsck last.rec.old
}
kept "the same program" -o last.rec ./last
exits "on a terminal" "$code" "$(dirname "$0")/terminal.py" "$HARTSCOPE" record -o last.rec ./last
has "on a terminal: where the older one is" \
	'^hartscope: the recording that was there is last.rec.old now$' out
kept "other arguments" -o last.rec ./last more
kept "with its accesses" --data -o last.rec ./last
kept "faults" --exact-faults -o last.rec ./last
echo mine >last.rec/NOTES
kept "a file of the user's" -o last.rec ./last
is "a file of the user's: is in the new one" mine "$(cat last.rec/NOTES)"
was=$(cksum <last.rec.old/manifest.json)
recorded "--force" "$code" '' --force --data -o last.rec ./last
is "--force: none is kept" "$was" "$(cksum <last.rec.old/manifest.json)"
kept "without them again" -o last.rec ./last
recorded "over an import" "$code" '' -o loop.rec ./last
exits "over an import: it is kept" 0 "$HARTSCOPE" list -q loop.rec.old
rm -rf loop.rec && mv loop.rec.old loop.rec
# What is no recording stays, at both names, and the program does not run.
was=$(cksum <last.rec/manifest.json)
for other in folder file link; do
	rm -rf last.rec.old there
	mkdir there && echo mine >there/NOTES
	case $other in
	folder) mv there last.rec.old ;;
	file) echo mine >last.rec.old ;;
	link) cp -R last.rec there/other.rec && ln -s there/other.rec last.rec.old ;;
	esac
	exits "$other at .old" 126 "$HARTSCOPE" record -q -o last.rec ./last
	has "$other at .old: says so" 'last.rec.old: ' err
	is "$other at .old: nothing is changed" "$was" "$(cksum <last.rec/manifest.json)"
	is "$other at .old: it stays" yes \
		"$(cat last.rec.old/NOTES last.rec.old there/other.rec/manifest.json 2>/dev/null |
			grep -q 'mine\|recording' && echo yes)"
	[ ! -e last.rec.new ] && ok "$other at .old: nothing is left" || bad "last.rec.new is left"
done
rm -rf last.rec.old
mkdir plain && echo mine >plain/NOTES
exits "a folder of others" 126 "$HARTSCOPE" record -q -o plain ./last
has "a folder of others: says so" 'plain: exists and is not a recording' err
exits "a folder of others, --force" 126 "$HARTSCOPE" record -q --force -o plain ./last
is "a folder of others: stays" mine "$(cat plain/NOTES)"
recorded "a trace" "$code" '' --encode ntrace -o last.nt ./last
recorded "the same trace" "$code" '' --encode ntrace -o last.nt ./last
recorded "a trace of the other protocol" 126 'a trace of ntrace' --encode etrace -o last.nt ./last
refused "the flow over its recording" 'a recording of ./last' last.rec decode -q --elf last last.nt
finish
