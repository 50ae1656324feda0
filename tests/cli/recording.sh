#!/bin/sh
# Recordings and flows: import, info, list, stat, encode, decode, check.
. "$(dirname "$0")/lib.sh"
loop_rec
is "import" 0 $?

pcs() { "$HARTSCOPE" list --format pc "$@" | tr '\n' ' ' | sed 's/ $//'; }
is "list of a recording" "$loop_pcs" "$(pcs loop.rec)"
"$HARTSCOPE" import -q --from csv --bin loop.bin@0x1000 -o in.rec - <loop.csv
is "import reads standard input" "$loop_pcs" "$(pcs in.rec)"
exits "import without a format" 0 "$HARTSCOPE" import -o x.rec --bin loop.bin@0x1000 loop.csv
is "whose first line shows it" "$loop_pcs" "$(pcs x.rec)"
exits "import without a name" 2 "$HARTSCOPE" import --from csv loop.csv
sed '4s/1004/10zz/' loop.csv >bad.csv
exits "import of a damaged row" 3 "$HARTSCOPE" import --from csv --bin loop.bin@0x1000 -o bad.rec \
	bad.csv
has "import of a damaged row: which" "line 4" err

"$HARTSCOPE" stat loop.rec >out
has "stat: instructions" "^instructions *8$" out
has "stat: a taken branch" " 1  taken branch" out
has "stat: a branch not taken" " 1  branch not taken" out
has "stat: a call" " 1  inferable call" out
has "stat: a return" " 1  return" out
"$HARTSCOPE" list loop.rec >out 2>err
has "list: taken" "^  0x1004 .*# taken -> 0x1002$" out
has "list: not taken" "^  0x1004 .*# not taken" out
has "list: the call's target" "^  0x1006 .*# -> 0x100e$" out

for mode in btm htm; do
	exits "encode $mode" 0 "$HARTSCOPE" encode --protocol ntrace --set trTeInstMode=$mode \
		-o $mode.nt loop.rec
	has "encode $mode: parameters" "\"trTeInstMode\": \"$mode\"" $mode.nt.json
	has "encode $mode: the recording" '"recording": "loop.rec"' $mode.nt.json
	json "encode $mode: $mode.nt.json" $mode.nt.json
	"$HARTSCOPE" encode --protocol ntrace --set trTeInstMode=$mode -o - loop.rec >pipe.nt
	is "encode $mode to standard output" "$(cksum <$mode.nt)" "$(cksum <pipe.nt)"
	is "list of the trace, without --elf" "$loop_pcs" "$(pcs $mode.nt)"
	is "list of a pipe with --image" "$loop_pcs" "$(pcs --image loop.rec - <pipe.nt)"
	exits "decode $mode" 0 "$HARTSCOPE" decode -o $mode.flow $mode.nt
	exits "check $mode" 0 "$HARTSCOPE" check loop.rec $mode.flow
	has "check $mode: counts" "^equal: 5 blocks, 8 instructions, 0 traps$" out
done
"$HARTSCOPE" encode --protocol ntrace -o /dev/stdout loop.rec >pipe.nt
is "encode to /dev/stdout" "$(cksum <htm.nt)" "$(cksum <pipe.nt)"
# A stream that is closed gives its number to no file: what is printed does not go into that.
"$HARTSCOPE" ctr -q --export json -o open.json loop.rec
for closed in '<&- >&-' '<&- >&- 2>&-' '<&- 2>&-'; do
	rm -f closed.nt* closed.json
	eval "\"$HARTSCOPE\" encode --protocol ntrace --set trTeInstMode=htm -o closed.nt loop.rec $closed"
	is "encode, $closed" "$(cksum <htm.nt)" "$(cksum <closed.nt)"
	eval "\"$HARTSCOPE\" ctr --export json -o closed.json loop.rec $closed"
	is "ctr --export, $closed" "$(cksum <open.json)" "$(cksum <closed.json)"
done >out 2>&1
cat out
for command in 'import --from csv loop.csv' 'fsck --salvage loop.rec' generate vectors \
	'decode htm.nt'; do
	for name in - /dev/stdout; do
		# shellcheck disable=SC2086
		exits "$command -o $name" 2 "$HARTSCOPE" $command -o $name
		has "$command -o $name: says so" 'writes a directory: name it with -o' err
		is "$command -o $name: no folder" '' "$(ls -d ./-* 2>/dev/null)"
	done
	# shellcheck disable=SC2086
	exits "$command, a folder with a slash" 0 "$HARTSCOPE" $command -o slash/
	rm -rf slash
done
mkdir sub
exits "encode into a folder" 0 "$HARTSCOPE" encode --protocol ntrace -o sub/x.nt loop.rec
has "encode into a folder: the way back" '"recording": "../loop.rec"' sub/x.nt.json
is "the recording is found from elsewhere" "$loop_pcs" "$(pcs sub/x.nt)"

# What is no log of an execution makes no recording.
printf 'this is no log\nnor this\n' >prose
for from in spike csv port port-cycles pcs; do
	exits "import of prose as $from" 3 "$HARTSCOPE" import --from $from --bin loop.bin@0x1000 \
		-o prose.rec prose
	has "import of prose as $from: why" "prose: no execution in the format '$from' is in it" err
done
is "import of prose: nothing is left" "" "$(ls -d prose.rec* 2>/dev/null)"

# The same program, one turn of the loop less.
sed '4,5d' loop.csv >once.csv
"$HARTSCOPE" import -q --from csv --bin loop.bin@0x1000 -o once.rec once.csv
exits "check of different flows" 1 "$HARTSCOPE" check loop.rec once.rec
has "check of different flows: says so" "^different: A is loop.rec, B is once.rec" out
has "check: side A" "^ *A  *0x1000\.\.0x1006  *taken branch" out
has "check: side B" "^ *B  *0x1000\.\.0x1006  *branch not taken" out
head -n 8 loop.csv >short.csv
"$HARTSCOPE" import -q --from csv --bin loop.bin@0x1000 -o short.rec short.csv
exits "check: one ends first" 1 "$HARTSCOPE" check loop.rec short.rec

# A trace is decoded on the way.
"$HARTSCOPE" encode -q --protocol etrace -o loop.et loop.rec
for trace in btm.nt htm.nt loop.et; do
	exits "check of $trace" 0 "$HARTSCOPE" check loop.rec $trace
	has "check of $trace: counts" "^equal: 5 blocks, 8 instructions, 0 traps$" out
	exits "check of $trace, the other way round" 0 "$HARTSCOPE" check $trace htm.flow
	exits "check of $trace and another recording" 1 "$HARTSCOPE" check once.rec $trace
	has "check of $trace: side B" "^ *B  *0x1000\.\.0x1006  *taken branch" out
done
mkdir bare
cp loop.et bare/
exits "check with the protocol and the program" 0 \
	"$HARTSCOPE" check --protocol etrace --bin loop.bin@0x1000 loop.rec bare/loop.et
exits "check without the program" 2 "$HARTSCOPE" check --protocol etrace loop.rec bare/loop.et
{ cat loop.et; printf '\377\377'; } >bare/bad.et
cp loop.et.json bare/bad.et.json
sed -i 's,loop.rec,../loop.rec,' bare/bad.et.json
exits "check of a damaged trace" 3 "$HARTSCOPE" check loop.rec bare/bad.et
has "check of a damaged trace: what is good is compared" \
	"^equal: 5 blocks, 8 instructions, 0 traps$" out
has "check of a damaged trace: where" "offset 0x" err
exits "check of two traces" 0 "$HARTSCOPE" check htm.nt loop.et
has "check of two traces: they are equal" "^equal: " out
exits "list of a hart that is not there" 2 "$HARTSCOPE" list --hart 7 loop.rec
exits "dump of a recording" 2 "$HARTSCOPE" dump loop.rec

# A stream that is not as manifest.json says.
damage() {
	rm -rf damaged.rec
	cp -r loop.rec damaged.rec
}
damaged() { # TEXT PATTERN
	for c in list stat "encode --protocol ntrace -o d.nt"; do
		exits "$c, $1" 3 "$HARTSCOPE" $c damaged.rec
		has "$c, $1: which" "hart 0: the recording was cut short: $2" err
	done
	exits "check, $1" 1 "$HARTSCOPE" check loop.rec damaged.rec
	has "check, $1: which" "hart 0: the recording was cut short: $2" err
	"$HARTSCOPE" info damaged.rec >out
	has "info, $1" "^complete  *no$" out
	has "info, $1: why" "^ended by  *cut: $2" out
}
damage
rm damaged.rec/hart-0.zst
damaged "a stream is missing" "hart-0.zst is missing"
: >damaged.rec/hart-0.zst
damaged "a stream is empty" "hart-0.zst has 0 bytes, manifest.json says "
cat loop.rec/hart-0.zst loop.rec/hart-0.zst >damaged.rec/hart-0.zst
damaged "a stream is longer" "hart-0.zst has [0-9]* bytes, manifest.json says "
head -c 5 loop.rec/hart-0.zst >damaged.rec/hart-0.zst
damaged "a stream ends in a frame" "hart-0.zst has 5 bytes, manifest.json says "
damage
cp loop.rec/hart-0.zst damaged.rec/hart-1.zst
exits "list, a stream of another recording" 3 "$HARTSCOPE" list damaged.rec
has "list, a stream of another recording: which" "hart-1.zst is not in manifest.json" err

# A file that has another checksum than manifest.json says.
xxh64() {
	python3 - "$1" <<-'EOS'
		import ctypes, sys
		xxh64 = ctypes.CDLL('libxxhash.so.0').XXH64
		xxh64.restype, data = ctypes.c_uint64, open(sys.argv[1], 'rb').read()
		print('%016x' % xxh64(data, ctypes.c_size_t(len(data)), ctypes.c_uint64(0)))
	EOS
}
for f in hart-0 runs; do
	damage
	sum=$(xxh64 damaged.rec/$f.zst)
	is "manifest.json has the checksum of $f.zst" 1 "$(grep -c "\"$sum\"" damaged.rec/manifest.json)"
	sed -i "s/\"$sum\"/\"0123456789abcdef\"/" damaged.rec/manifest.json
	for c in list "stat -q" info "encode -q --protocol ntrace -o d.nt"; do
		[ "$f $c" != "hart-0 info" ] || continue # it does not read the streams
		exits "${c%% *}, another checksum of $f.zst" 3 "$HARTSCOPE" $c damaged.rec
		has "${c%% *}, another checksum of $f.zst: which" "$f.zst has another .*checksum" err
	done
done
damage
sed -i '/"xxh64"/d' damaged.rec/manifest.json
sed -i 's/\("bytes": [0-9]*\),/\1/' damaged.rec/manifest.json
exits "list, a recording without checksums" 0 "$HARTSCOPE" list damaged.rec
damage
sed -i 's/"xxh64": "/&x/' damaged.rec/manifest.json
exits "list, a checksum that is none" 3 "$HARTSCOPE" list damaged.rec

# What was there before stays until the new one is whole.
exits "encode over an old trace" 0 "$HARTSCOPE" encode --protocol ntrace -o old.nt loop.rec
old=$(cat old.nt old.nt.json | cksum)
exits "encode of what is no recording" 2 "$HARTSCOPE" encode --protocol etrace -o old.nt nothing.rec
exits "encode of code that is damaged" 3 "$HARTSCOPE" encode --protocol etrace -o new.nt damaged.rec
cp -r loop.rec held.rec
held=$(cat held.rec/* | cksum)
exits "import to what another process writes" 2 \
	flock held.rec "$HARTSCOPE" import -q --from csv --bin loop.bin@0x1000 -o held.rec loop.csv
has "import to what another process writes: why" "another process writes this recording" err
is "import to what another process writes: it is as it was" "$held" "$(cat held.rec/* | cksum)"
exits "import to it later" 0 \
	"$HARTSCOPE" import -q --from csv --bin loop.bin@0x1000 -o held.rec loop.csv
(ulimit -f 0; "$HARTSCOPE" encode -q --protocol etrace -o old.nt loop.rec) 2>err
is "encode that may not write" 2 $?
(trap '' XFSZ; ulimit -f 0; "$HARTSCOPE" encode -q --protocol etrace -o old.nt loop.rec) 2>err
is "encode that cannot write" 2 $?
is "encode that cannot write: nothing is left of it" "old.nt old.nt.json" \
	"$(ls old.nt* | tr '\n' ' ' | sed 's/ $//')"
is "the old trace is as it was" "$old" "$(cat old.nt old.nt.json | cksum)"

# What is in a recording may be a FIFO: nothing waits for its writer.
for f in manifest.json runs.zst hart-0.zst; do
	damage
	rm damaged.rec/$f
	mkfifo damaged.rec/$f
	timeout 10 "$HARTSCOPE" list damaged.rec >out 2>err
	case $? in
	2 | 3) ok "list, $f is a FIFO" ;;
	*) bad "list, $f is a FIFO" ;;
	esac
done

for c in info list stat; do
	"$HARTSCOPE" $c --json loop.rec >out 2>err
	json "$c" out
done
"$HARTSCOPE" check --json loop.rec once.rec >out
json "check of different flows" out
"$HARTSCOPE" check --json loop.rec htm.flow >out
json "check of equal flows" out
"$HARTSCOPE" encode --protocol ntrace --json -o j.nt loop.rec >out
json "encode" out

# The manifest counts other instructions than the streams have.  The one that check takes as the
# reference is the first.
for count in 8 9; do
	damage
	sed -i "s/\"number\": 0,/&\n\"instructions\": $count,/" damaged.rec/manifest.json
	why="a manifest that counts $count of 8 instructions"
	exits "stat, $why" $(((count == 9) * 3)) "$HARTSCOPE" stat -q damaged.rec
	exits "check, $why" $(((count == 9) * 3)) "$HARTSCOPE" check damaged.rec loop.rec
done
has "says how many" 'has 8 instructions, its manifest.json says 9' err
exits "stat of one mode" 0 "$HARTSCOPE" stat -q --mode M damaged.rec
finish
