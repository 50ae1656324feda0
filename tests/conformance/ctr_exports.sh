#!/bin/bash
# What perf, llvm-bolt and llvm-profgen read in the CTR records of a real program equals what our
# JSON says: every branch, the counts, the call chains.  llvm-bolt's program still runs.
interleave=$(realpath "${1:?the program that mixes two recordings}") || exit 1
export LC_ALL=C
bolt=/usr/lib/llvm-19/bin
. "${HARTSCOPE_SOURCE:?the source folder}/tests/conformance/programs.sh"
# perf keeps a cache in HOME, record finds an emulator in the user's.
export XDG_CACHE_HOME=${XDG_CACHE_HOME:-${HOME-}/.cache} HOME=$work

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
			if (match($0, /"cycles": [0-9]+/))
				cycles = substr($0, RSTART + 10, RLENGTH - 10) + 0
			if (cycles > 65535) cycles = 65535
			line = line " " $4 "/" $8 "/-/-/-/" cycles }
		END { put() }' "$1"
}

# awk: the number that hexadecimal digits say.
number='function number(text,   v, i) {
	v = 0
	text = tolower(text)
	for (i = 1; i <= length(text); i++)
		v = 16 * v + index("0123456789abcdef", substr(text, i, 1)) - 1
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

# load_address FILE: where its first segment is mapped
load_address()
{
	readelf -lW "$1" | awk '$1 == "LOAD" { print substr($3, 3); exit }'
}

# in_text FILE: ranges and branches of a profgen file of sort that are outside of .plt, which
# llvm-profgen takes for another program's code: the address there is 1, less the base
in_text()
{
	local first size

	read -r first size < <(readelf -SW sort |
		sed -nE 's/.* \.plt +PROGBITS +([0-9a-f]+) [0-9a-f]+ ([0-9a-f]+) .*/\1 \2/p')
	awk -v plt="${first:-0}" -v size="${size:-0}" -v base="$(load_address sort)" \
		"$number"'BEGIN { first = number(plt) - number(base); end = first + number(size) }
		function outside(a) {
			return a ~ /^ffff/ || (number(a) >= first && number(a) < end)
		}
		/:/ { split($0, f, /->|-|:/); if (!outside(f[1]) && !outside(f[2])) print }' "$1"
}

# counted FILE: the two numbers of a profgen file are those of the ranges and branches after them
counted()
{
	awk '!/:/ { bad += n != 0; n = $1; next } { n-- } END { exit bad || n != 0 }' "$1"
}

# llvm-bolt wants relocations, which leave labels that perf takes for functions.
flags=(-O1 -g -static -fno-inline)
mkdir bolt
$gcc "${flags[@]}" -o sort "$programs/sort.c" &&
	$gcc "${flags[@]}" -Wl,--emit-relocs -o bolt/sort \
		"$programs/sort.c" || exit 1
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
	# Addresses of call chains: those of the program, or, by perf 6.1, from the start of the
	# mapping.
	perf script -i chain.data -F ip 2>/dev/null |
		awk 'BEGIN { RS = "" } { $1 = $1; print }' >got
	start=0
	perf --version | grep -q ' 6\.1\.' &&
		start=$(load_address sort)
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
	grep -q ' sort+0x[0-9a-f]* (.*/sort)$' chain.text
	report "call chains have the file, as perf script prints it" $?
else
	echo "ok - perf # SKIP no perf (linux-perf)"
fi

if command -v llvm-profgen-19 >/dev/null; then
	export_to brstack sort.brstack
	export_to profgen sort.raw
	llvm-profgen-19 --binary=sort --perfscript=sort.brstack --skip-symbolization -o theirs.raw \
		>log 2>&1
	in_text sort.raw >ours.text
	in_text theirs.raw >theirs.text
	same "llvm-profgen makes our profgen file of our brstack: $(wc -l <sort.raw) lines" \
		theirs.text ours.text
	counted sort.raw
	report "a profgen file says how many lines follow" $?
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
	"$HARTSCOPE" ctr --help >log && grep -q " $bolt/perf2bolt app -p app.pa -pa" log
	report "the help names perf2bolt where Debian has it" $? log
	recording=../bolt.rec
	export_to bolt sort.pa
	export_to json sort.json
	$bolt/perf2bolt sort -p sort.pa -pa -o sort.fdata >log 2>&1
	report "perf2bolt" $?
	[ "$(sed -n 's/^PERF2BOLT: read \([0-9]*\) aggregated LBR entries.*/\1/p' log)" = \
		"$(wc -l <sort.pa)" ]
	good=$?
	report "perf2bolt reads $(wc -l <sort.pa) lines" $good
	# Branches, counted by hand from the JSON.
	awk -F '"' '/"source":/ && !/"partial"/ { n[substr($4, 3) " " substr($8, 3)]++ }
		END { for (i in n) print "B", i, n[i], 0 }' sort.json | sort >want
	grep '^B' sort.pa | sort >got
	same "every branch of the JSON, as often" want got
	# llvm-bolt's counts of branches that our file has, by symbol and offset.
	nm sort | awk '$2 ~ /[tT]/ && $3 ~ /^(sort|main|up|down)$/ { print $3, $1 }' >symbols
	awk "$number"'
		FILENAME == "symbols" { base[$1] = number($2); next }
		FILENAME == "sort.pa" { if ($1 == "B") n[number($2) " " number($3)] = $4; next }
		{ sub(/\/1$/, "", $2); sub(/\/1$/, "", $5) }
		$1 == 1 && $4 == 1 && ($2 in base) && ($5 in base) {
			at = base[$2] + number($3) " " base[$5] + number($6)
			if (at in n) print n[at], $8 }' symbols sort.pa sort.fdata >pairs
	[ "$(wc -l <pairs)" -ge 10 ] && awk '$1 != $2 { bad = 1 } END { exit bad }' pairs
	good=$?
	report "llvm-bolt's counts of $(wc -l <pairs) branches are ours" $good
	# Of a static program with glibc 2.41 llvm-bolt 19 makes one that does not run, also without
	# counts.
	export QEMU_LD_PREFIX=${QEMU_LD_PREFIX:-/usr/riscv64-linux-gnu}
	$gcc -O1 -g -fno-inline -Wl,--emit-relocs -o shared "$programs/sort.c" &&
		"$HARTSCOPE" record -q -o ../shared.rec -- ./shared >/dev/null
	recording=../shared.rec
	export_to bolt shared.pa
	$bolt/perf2bolt shared -p shared.pa -pa -o shared.fdata >log 2>&1 &&
		$bolt/llvm-bolt shared -data shared.fdata -o shared.bolt -reorder-blocks=ext-tsp \
			>log 2>&1 &&
		qemu-riscv64 ./shared.bolt | cmp -s - ../sort.out &&
		grep -q 'functions in the binary .* have non-empty execution profile' log
	report "llvm-bolt lays the program out anew, and it still runs" $? log
else
	echo "ok - llvm-bolt # SKIP no perf2bolt (bolt-19)"
fi
cd "$work" || exit 1

# ---- two processes that share addresses, with predictions ------------------------------

# Samples of JSON: context, PC, records with M or P.
processes_from_json()
{
	awk -F '"' '
		function put() { if (line != "") print line }
		/"pc":/ { put(); line = substr($8, 3) " " substr($12, 3) }
		/"source":/ { line = line " " $4 "/" $8 "/" (/"misp": true/ ? "M" : "P") "/-/-/0" }
		END { put() }' "$1"
}

processes_from_perf()
{
	perf script -i "$1" -F pid,ip,brstack 2>/dev/null | awk 'NF {
		line = $1 " " $2
		for (i = 3; i <= NF; i++) {
			n = split($i, f, "/")
			line = line " " f[1] "/" f[2] "/" f[3] "/" f[4] "/" f[5] "/" f[6]
		}
		print line }'
}

for name in first second; do
	define=
	[ $name = first ] || define=-DSECOND
	# shellcheck disable=SC2086
	$gcc "${flags[@]}" $define -o $name \
		"$programs/process.c" &&
		riscv64-linux-gnu-strip -w -N '$x*' $name && # perf takes them for functions
		"$HARTSCOPE" record -q -o $name.rec -- ./$name >/dev/null || exit 1
done
"$interleave" first.rec second.rec mixed.rec >/dev/null || exit 1
recording=mixed.rec
export_to perf-data mixed.data --predictor gshare
export_to json mixed.json --predictor gshare
processes_from_json mixed.json >want
[ "$(cut -d ' ' -f 1 want | sort -u | paste -sd ' ')" = "1 2" ] && grep -q /M/ want &&
	grep -q /P/ want
report "samples of two contexts, with M and P" $?

if command -v perf >/dev/null && perf --version >/dev/null 2>&1; then
	processes_from_perf mixed.data >got
	same "perf script: $(wc -l <want) samples of two processes" want got
	perf script -i mixed.data -F comm,pid,ip,sym 2>/dev/null |
		awk 'NF { print $1, $2; if ($4 ~ /_work/) print $1, $4 }' | sort -u >got
	printf '%s\n' 'first 1' 'first first_work' 'second 2' 'second second_work' >want
	same "perf script: each process has its name, and its own functions" want got
	perf report -i mixed.data --stdio --sort comm,symbol_from 2>/dev/null |
		awk '$3 == "[.]" && $4 ~ /_work/ { print $2, $4 }' | sort -u >got
	grep _work want >want.work
	same "perf report, too" want.work got
else
	echo "ok - perf: processes # SKIP no perf (linux-perf)"
fi

for context in 1 2; do
	name=$([ $context = 1 ] && echo first || echo second)
	export_to brstack $name.brstack --predictor gshare --context $context
	export_to bolt $name.pa --predictor gshare --context $context
	if command -v llvm-profgen-19 >/dev/null && command -v perf >/dev/null; then
		llvm-profgen-19 --binary=$name --perfscript=$name.brstack --format=text -o a.prof \
			>log 2>&1
		llvm-profgen-19 --binary=$name --pid=$context --perfdata=mixed.data --format=text \
			-o b.prof >log 2>&1
		same "llvm-profgen --pid=$context: as of our samples of that context" a.prof b.prof
		grep -q "^${name}_work:" b.prof
		report "the profile has ${name}_work" $?
	else
		echo "ok - llvm-profgen: processes # SKIP no llvm-profgen-19 (llvm-19), or no perf"
	fi
	if [ -x $bolt/perf2bolt ] && command -v perf >/dev/null; then
		# Of perf.data, perf2bolt also counts branches that fall through.
		$bolt/perf2bolt $name -p $name.pa -pa -o a.fdata >log 2>&1
		$bolt/perf2bolt $name -p mixed.data -o b.fdata >log 2>&1
		report "perf2bolt: perf.data of two processes" $?
		[ -s a.fdata ] && [ -z "$(comm -23 <(sort a.fdata) <(sort b.fdata))" ]
		good=$?
		report "perf2bolt: $(wc -l <a.fdata) counts of $name, as of our own" $good
		awk '$1 == 1 && $7 > 0 { n++ } END { exit !n }' b.fdata
		report "perf2bolt: mispredictions" $?
	else
		echo "ok - perf2bolt: processes # SKIP no perf2bolt (bolt-19), or no perf"
	fi
done
rm -f mixed.pa
"$HARTSCOPE" ctr --export bolt --period 997 -o mixed.pa "${recording:-sort.rec}" 2>err
[ $? -eq 1 ] && grep -q 'left out [0-9]* samples of other programs' err && [ ! -e mixed.pa ]
report "one program: others are left out, and nothing is left" $? err

# A process has records of its own: those that it has alone.  Where contexts share them it has
# others.
"$HARTSCOPE" ctr -q --export bolt --period 1 first.rec |
	awk '$1 == "B" { print "0x" $2, "0x" $3 }' | sort >alone
strangers()
{
	"$HARTSCOPE" ctr -q --export json --period 31 --ctr "contexts=$1" mixed.rec | awk -F '"' '
		/"pc":/ { first = $8 == "0x1" }
		/"source":/ && !/"partial"/ && first { print $4, $8 }' | sort -u |
		comm -23 - alone | wc -l
}
[ "$(strangers swap)" = 0 ] && [ "$(strangers keep)" -ge 10 ]
report "contexts=swap: no record of the other process" $?

# ---- the kernel --------------------------------------------------------------------------

qemu=${HARTSCOPE_BUILD:-none}/qemu-new/usr
if [ -x "$qemu/bin/qemu-system-riscv64" ] && command -v riscv64-unknown-elf-gcc >/dev/null &&
	command -v perf >/dev/null; then
	"$HARTSCOPE_SOURCE/tests/ctr_guest/build.sh" timer 64 timer.elf &&
		timeout 100 "$HARTSCOPE" record -q -o machine.rec -- \
			"$qemu/bin/qemu-system-riscv64" -L "$qemu/share/qemu" -M virt \
			-display none -serial none -monitor none -audio none \
			-cpu max,smctr=on,ssctr=on -bios none -kernel timer.elf </dev/null >log 2>&1
	report "a machine" $?
	recording=machine.rec
	export_to perf-data machine.data
	perf script -i machine.data -F misc,sym 2>/dev/null | awk 'NF { print $1 }' | sort -u >got
	echo K >want
	same "perf script: samples of M and S are of the kernel" want got
	for function in leaf mix main; do
		perf script -i machine.data -F misc,ip,sym 2>/dev/null |
			grep -q "^K .* $function\$"
		report "perf script: the kernel's $function" $?
	done
	perf script -i machine.data -F ip,brstacksym 2>/dev/null |
		grep -q ' mix+0x[0-9a-f]*/leaf+0x0/'
	report "perf script: branches of the kernel by name" $?
	export_to perf-data chain.data --ctr RASEMU=1
	perf script -i chain.data -F ip,sym 2>/dev/null | awk 'BEGIN { RS = "" }
		$2 == "leaf" && $4 == "mix" && $6 == "main" { n++ } END { exit !n }'
	report "perf script: call chains of the kernel" $?
else
	echo "ok - perf: the kernel # SKIP no QEMU 10 (guests/qemu-new.sh), compiler or perf"
fi
exit $failed
