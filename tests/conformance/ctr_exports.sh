#!/bin/bash
# What perf, llvm-bolt and llvm-profgen read in the CTR records of a real program equals what our
# JSON says: every branch, the counts, the call chains.  llvm-bolt's program still runs.
set -u
: "${HARTSCOPE:?the path of the tool}" "${HARTSCOPE_SOURCE:?the source folder}"
export LC_ALL=C
gcc=riscv64-linux-gnu-gcc
bolt=/usr/lib/llvm-19/bin
for tool in $gcc qemu-riscv64; do
	command -v $tool >/dev/null || { echo "1..0 # SKIP no $tool"; exit 77; }
done
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT INT TERM
cd "$work" || exit 1
export HOME=$work # perf keeps a cache there
failed=0

# report TEXT STATUS
report()
{
	if [ "$2" = 0 ]; then
		echo "ok - $1"
	else
		echo "not ok - $1"
		failed=1
	fi
}

# same TEXT FILE FILE: equal and not empty
same()
{
	[ -s "$2" ] && cmp -s "$2" "$3"
	report "$1" $?
	cmp -s "$2" "$3" || diff "$2" "$3" | head -n 5 | cut -c 1-200
}

# export_to FORMAT FILE ARGS...
export_to()
{
	local format=$1 file=$2
	shift 2
	"$HARTSCOPE" ctr --export "$format" --period 997 -o "$file" "$@" "${recording:-sort.rec}" \
		2>err ||
		{ report "export $format $*" 1; cat err; }
}

# A line of each sample in JSON as perf script prints it: PC, then the taken records.
from_json()
{
	awk -F '"' '
		function put() { if (line != "") print line }
		/"pc":/ { put(); line = substr($8, 3) }
		/"source":/ && !/"type": 4,/ {
			cycles = 0
			if (match($0, /"cycles": [0-9]+/)) cycles = substr($0, RSTART + 10, RLENGTH - 10) + 0
			if (cycles > 65535) cycles = 65535
			line = line " " $4 "/" $8 "/-/-/-/" cycles }
		END { put() }' "$1"
}

# awk: the number that hexadecimal digits say.
number='function number(text,   v, i) {
	v = 0
	text = tolower(text)
	for (i = 1; i <= length(text); i++) v = 16 * v + index("0123456789abcdef", substr(text, i, 1)) - 1
	return v }
'

# The same of what perf script prints: without its seventh field, the kind of the branch.
from_perf()
{
	perf script -i "$1" -F ip,brstack 2>/dev/null | awk 'NF {
		line = $1
		for (i = 2; i <= NF; i++) {
			n = split($i, f, "/")
			line = line " " f[1] "/" f[2] "/" f[3] "/" f[4] "/" f[5] "/" f[6]
		}
		print line }'
}

# llvm-bolt wants relocations, which leave labels that perf takes for functions.
flags=(-O1 -g -static -fno-inline)
mkdir bolt
$gcc "${flags[@]}" -o sort "$HARTSCOPE_SOURCE/tests/programs/sort.c" &&
	$gcc "${flags[@]}" -Wl,--emit-relocs -o bolt/sort \
		"$HARTSCOPE_SOURCE/tests/programs/sort.c" || exit 1
"$HARTSCOPE" record -q -o sort.rec -- ./sort >sort.out || exit 1
"$HARTSCOPE" record -q -o bolt.rec -- bolt/sort >/dev/null || exit 1

if command -v perf >/dev/null && perf --version >/dev/null 2>&1; then
	# Not-taken branches, partial records of system calls, and cycles.
	all=(--ctr NTBREN=1 --ctr STE=1 --ctr MTE=1 --ctr cycles=instructions)
	export_to json all.json "${all[@]}"
	export_to perf-data all.data "${all[@]}"
	from_json all.json >want
	from_perf all.data >got
	same "perf script: $(wc -l <want) samples, $(wc -w <want) words" want got
	grep -q '"type": 4,' all.json
	report "not-taken branches are in our JSON" $?
	# Calls alone, through pointers, have many cycles between them.
	few=(--ctr TKBRINH=1 --ctr DIRCALLINH=1 --ctr RETINH=1 --ctr DIRJUMPINH=1 --ctr \
		INDJUMPINH=1)
	few+=(--ctr INDOJMPINH=1 --ctr INDCALLINH=1 --ctr STE=1 --ctr MTE=1 --ctr \
		cycles=instructions)
	export_to json few.json "${few[@]}"
	export_to perf-data few.data "${few[@]}"
	from_json few.json >want
	from_perf few.data >got
	same "perf script: system calls alone" want got
	awk -F '"cycles": ' 'NF > 1 && $2 + 0 > 65535 { n++ } END { exit !n }' few.json
	report "JSON has counts above 16 bits" $?
	grep -q '/65535$\|/65535 ' got && grep -q '/0x0/' got
	report "perf has them cut, and partial records with the address 0" $?

	perf report -i all.data --header-only >header 2>/dev/null
	grep -q '^# arch : riscv64' header && grep -q '^# contains samples with branch stack' header
	report "perf report --header" $?
	perf report -i all.data --stdio 2>/dev/null | grep -q '\[\.\] down  '
	report "perf report knows the functions" $?

	export_to perf-data chain.data --ctr RASEMU=1
	export_to callchain chain.text
	# perf prints the addresses of call chains from the start of the mapping.
	perf script -i chain.data -F ip 2>/dev/null |
		awk 'BEGIN { RS = "" } { $1 = $1; print }' >got
	start=$(readelf -lW sort | awk '$1 == "LOAD" { print substr($3, 3); exit }')
	awk "$number"'BEGIN { RS = ""; FS = "\n" } {
		for (i = 2; i <= NF; i++) {
			split($i, word, " +|\t")
			for (k = 1; word[k] == ""; k++);
			printf "%s%x", (i > 2 ? " " : ""), number(word[k]) - number(start)
		}
		print "" }' start="$start" chain.text >want
	same "perf script: $(wc -l <want) call chains, $(wc -w <want) frames" want got
	grep -q ' sort+0x' chain.text && perf report -i chain.data --stdio --no-children -g caller \
		2>/dev/null | grep -q -- '--sort'
	report "perf report draws them" $?
else
	echo "ok - perf # SKIP no perf (linux-perf)"
fi

if command -v llvm-profgen-19 >/dev/null; then
	export_to brstack sort.brstack
	export_to profgen sort.raw
	llvm-profgen-19 --binary=sort --perfscript=sort.brstack --skip-symbolization -o theirs.raw \
		>log 2>&1
	same "llvm-profgen makes our profgen file of our brstack: $(wc -l <sort.raw) lines" \
		theirs.raw sort.raw
	llvm-profgen-19 --binary=sort --perfscript=sort.brstack --format=text -o a.prof >log 2>&1
	llvm-profgen-19 --binary=sort --unsymbolized-profile=sort.raw --format=text -o b.prof >log \
		2>&1
	same "llvm-profgen: one profile from both" a.prof b.prof
	grep -q '^sort:[0-9]*:[0-9]*$' b.prof && grep -q '^main:' b.prof
	report "the profile has sort and main" $?
	if command -v perf >/dev/null; then
		export_to perf-data sort.data
		llvm-profgen-19 --binary=sort --perfdata=sort.data --format=text -o c.prof >log 2>&1
		same "llvm-profgen: and from perf.data" a.prof c.prof
	fi
	# Addresses that were not recorded are outside of the program.
	export_to brstack partial --ctr STE=1 --ctr MTE=1
	grep -q '/0x0/' partial && llvm-profgen-19 --binary=sort --perfscript=partial -o d.prof \
		>log 2>&1 && [ -s d.prof ]
	report "llvm-profgen reads partial records" $?
else
	echo "ok - llvm-profgen # SKIP no llvm-profgen-19 (llvm-19)"
fi

if [ -x $bolt/perf2bolt ]; then
	cd bolt || exit 1
	recording=../bolt.rec
	export_to bolt sort.pa
	export_to json sort.json
	$bolt/perf2bolt sort -p sort.pa -pa -o sort.fdata >log 2>&1
	report "perf2bolt" $?
	[ "$(sed -n 's/^PERF2BOLT: read \([0-9]*\) aggregated LBR entries.*/\1/p' log)" = \
		"$(wc -l <sort.pa)" ]
	report "perf2bolt reads $(wc -l <sort.pa) lines" $?
	# Branches, counted by hand from the JSON.
	awk -F '"' '/"source":/ && !/"partial"/ { n[substr($4, 3) " " substr($8, 3)]++ }
		END { for (i in n) print "B", i, n[i], 0 }' sort.json | sort >want
	grep '^B' sort.pa | sort >got
	same "every branch of the JSON, as often" want got
	# llvm-bolt's counts of branches that our file has, by symbol and offset.
	nm sort | awk '$2 ~ /[tT]/ && ($3 == "sort" || $3 == "main" || $3 == "up" || $3 == "down") { print $3, $1 }' >symbols
	awk "$number"'
		FILENAME == "symbols" { base[$1] = number($2); next }
		FILENAME == "sort.pa" { if ($1 == "B") n[number($2) " " number($3)] = $4; next }
		{ sub(/\/1$/, "", $2); sub(/\/1$/, "", $5) }
		$1 == 1 && $4 == 1 && ($2 in base) && ($5 in base) {
			at = base[$2] + number($3) " " base[$5] + number($6)
			if (at in n) print n[at], $8 }' symbols sort.pa sort.fdata >pairs
	[ "$(wc -l <pairs)" -ge 10 ] && awk '$1 != $2 { bad = 1 } END { exit bad }' pairs
	report "llvm-bolt's counts of $(wc -l <pairs) branches are ours" $?
	$bolt/llvm-bolt sort -data sort.fdata -o sort.bolt -reorder-blocks=ext-tsp >log 2>&1 &&
		qemu-riscv64 ./sort.bolt | cmp -s - ../sort.out
	report "llvm-bolt lays the program out anew, and it still runs" $?
else
	echo "ok - llvm-bolt # SKIP no perf2bolt (bolt-19)"
fi
exit $failed
