#!/bin/sh
# vectors: the published set.  What it says of itself holds: rows are encoded to its bytes, and
# bytes are decoded to its rows, by the commands that its README names; a second codec reads its
# sources.  Of E-Trace, every fourth case is enough (tests/unit/etrace_vectors.c has them all).
. "$(dirname "$0")/lib.sh"
sources=${HARTSCOPE_SOURCE:?}/tests/vectors

exits "vectors -o" 0 "$HARTSCOPE" vectors -q -o set
exits "vectors" 0 "$HARTSCOPE" vectors
cases=$(cat "$sources"/*/*.txt | grep -c '^case ')
is "all cases of the sources" "$cases" "$(find set -name case.txt | wc -l | tr -d ' ')"
has "are listed" "^cases *$cases\$" out
is "and are in the index" "$cases" "$(grep -cE '^\| ([NEP][TE]|RHTI) ' set/index.md)"
exits "vectors --json" 0 "$HARTSCOPE" vectors --json
json "vectors --json" out
is "index.json is the same" "$(cat out)" "$(cat set/index.json)"
sed -n 's/^| [^|]*](\([^)]*\)) |.*/\1/p' set/index.md | while read -r folder; do
	[ -f "set/$folder/trace.bin" ] || echo "$folder"
done >missing
is "each line of the index has its folder" "" "$(cat missing)"
is "README.md is there" "$(cat "$sources/README.md")" "$(cat set/README.md)"
for n in $(grep -o 'All [0-9]* cases' "$sources/README.md" | grep -o '[0-9]*'); do
	echo "$n"
done >said
is "it says how many were reviewed" "$cases" "$(awk '{ n += $1 } END { print n }' said)"

# A file is replaced when the new one is whole: on a full disk the old ones stay.
before=$(find set -type f | sort | xargs cat | cksum)
(trap '' XFSZ; ulimit -f 0; "$HARTSCOPE" vectors -q -o set >/dev/null 2>err)
is "a full disk: an error" yes "$([ $? -ne 0 ] && echo yes || echo no)"
is "a full disk: the old files stay" "$before" "$(find set -type f | sort | xargs cat | cksum)"

# A version for each state of the sources: who changes an expected packet changes VERSION, too.
sum=$(cat "$sources/etrace/packets.txt" "$sources/etrace/rules.txt" "$sources/ntrace/messages.txt" |
	grep -v '^#\|^why' | sha256sum | cut -d' ' -f1)
is "the version is that of these packets" "$(cat "$sources/VERSION") $sum" \
	"$(tail -n 1 "$sources/versions.txt")"

# The second codec of N-Trace, and that it can fail.
exits "the second codec of N-Trace" 0 python3 "$sources/second.py" "$sources/ntrace/messages.txt"
is "has read every case" "$(grep -c '^case' "$sources/ntrace/messages.txt")" "$(grep -c '^ok' out)"
for edit in 's/DirectBranch I-CNT=7 = 0c 1f/DirectBranch I-CNT=6 = 0c 1b/' 's/= 78 0f/= 78 0b/' \
	's/B-TYPE=3 I-CNT=4/B-TYPE=2 I-CNT=4/' \
	's/^run 200 206 return/run 202 206 return/'; do
	sed "$edit" "$sources/ntrace/messages.txt" >changed.txt
	exits "it sees $edit" 1 python3 "$sources/second.py" changed.txt
done

# Rows to bytes, with the commands of README.md, but where rows lack an event, or a counter is
# looked at after each row (tests/unit/ntrace_vectors.c).
find set -name case.txt | LC_ALL=C sort >list
seen=0 encoded=0 decoded=0
while read -r file; do
	d=${file%/case.txt} p=${file#set/}
	p=${p%%/*}
	hart=$(sed -n 's/^trTeSrcID = //p' "$d/parameters.txt")
	set -- --protocol "$p" --config "$d/parameters.txt"
	seen=$((seen + 1))
	[ "$p" = ntrace ] || [ $((seen % 4)) = 0 ] || [ -n "${HARTSCOPE_SOAK:-}" ] || continue
	if grep -q '^use .*encode' "$file" && grep -q '^events *0 ' "$file" &&
		grep -q '^[0-9]' "$d/rows.csv" && ! grep -q icntBits "$d/parameters.txt"; then
		rm -rf x.rec x.bin
		"$HARTSCOPE" import -q --from csv --hart "${hart:-0}" --elf "set/$p/program.elf" \
			-o x.rec "$d/rows.csv" && "$HARTSCOPE" encode -q "$@" -o x.bin x.rec
		cmp -s x.bin "$d/trace.bin" || bad "rows of $d"
		encoded=$((encoded + 1))
	fi
	grep -q '^use .*decode' "$file" && grep -q '^[0-9]' "$d/rows.csv" || continue
	"$HARTSCOPE" list --format pc "$@" --elf "set/$p/program.elf" "$d/trace.bin" >pcs \
		2>/dev/null
	awk -F, 'NR > 1 && $8 == 1 { print $5 }' "$d/rows.csv" >want
	cmp -s pcs want || bad "bytes of $d"
	decoded=$((decoded + 1))
done <list
is "cases were read" "$cases" "$seen"
is "of $encoded, rows were encoded" 1 $((encoded >= 50))
is "of $decoded, bytes were decoded" 1 $((decoded >= 60))

exits "a folder that is there" 2 "$HARTSCOPE" vectors -o set
is "one line" 1 "$(wc -l <err | tr -d ' ')"
exits "a folder in one that is not there" 2 "$HARTSCOPE" vectors -o no/set
finish
