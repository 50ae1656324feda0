#!/bin/sh
# scripts/soak/soak.py with steps of its own: in turn, until the time is over, and on from there.
. "$(dirname "$0")/lib.sh"
: "${HARTSCOPE_SOURCE:?the source folder}"
need python3
export HARTSCOPE_SOAK_STEPS="$dir/steps" HARTSCOPE_SOAK_FOLDER="$dir/soak" HARTSCOPE_SOAK_GRACE=1
ledger=soak/ledger.tsv
mkdir room
export TMPDIR="$dir/room" # where steps get a folder each

# random ends the whole run after all others and four of its kind; eternal has a process group of
# its own, and heeds no SIGTERM.
cat >steps <<-'EOS'
	#!/bin/sh
	cd "${0%/*}" || exit 2
	if [ "$1" = --names ]; then
		cat names
		exit
	fi
	echo "$2" >>ran
	: >"$TMPDIR/left"
	case $2 in
	good) printf 'ok - one\nok - two\nok - three # SKIP no need\n' ;;
	bad) printf 'ok - one\nFAIL - two\n'; exit 1 ;;
	silent) exit 1 ;;
	missing) echo '1..0 # SKIP no clang'; exit 77 ;;
	random:*)
		printf 'soak: %s\n' 'seed 7' 'count 5 cases' 'seed 9' 'count 6 cases'
		sleep 0.2
		[ "$(grep -c random ran)" -lt 4 ] || [ "$(grep -vc random ran)" -lt 6 ] || {
			kill -TERM $PPID
			sleep 100
		}
		;;
	eternal) timeout 100 sh -c 'trap : TERM; echo $$ >eternal; while :; do sleep 0.1; done' ;;
	esac
EOS
chmod +x steps

soak() { # soak TEXT STATUS [ARGUMENT]...
	text=$1 want=$2
	shift 2
	rm -f ran
	"$HARTSCOPE_SOURCE/scripts/soak/soak.sh" "$@" >out 2>err </dev/null
	is "$text: exit status" "$want" $?
}

row() { # row TEXT STEP RESULT COUNTS SEEDS: of the first line of a step
	is "$1" "$3|$4|$5" "$(awk -F '\t' -v s="$2" '$1 == s { print $5 "|" $6 "|" $7 }' $ledger |
		head -n 1)"
}

printf '%s 1 fixed\n' good bad silent missing p:q:one p:q:two >names
printf '%s 0 random\n' random:a random:b >>names
export HARTSCOPE_SOAK_MINUTES=5
soak 'in turn, until a signal' 130
is 'each step that is not random once' 'bad good missing p:q:one p:q:two silent' \
	"$(grep -v random ran | sort | tr '\n' ' ' | sed 's/ $//')"
is 'random ones in turn' 'random:a random:b random:a' \
	"$(grep random ran | head -n 3 | tr '\n' ' ' | sed 's/ $//')"
is 'in between' random:a "$(head -n 2 ran | grep random)"
row 'counts of rows' good ok '2 rows, 1 skipped' ''
row 'counts and seeds of its own' random:a ok '11 cases' '7 9'
row 'a step that fails' bad failed '1 rows, 1 wrong' ''
row 'a step that fails without a word' silent failed '' ''
row 'what is missing' missing skipped 'no clang' ''
has 'it goes on after a failure' '^ok - p:q:two' out
has 'what failed is listed' "^soak: failed: bad: $dir/soak/log/bad" out
has 'with the rows' '^  FAIL - two' out
has 'all that failed' '^soak: failed: silent' out

is 'a step that a signal ended' stopped "$(tail -n 1 $ledger | cut -f 5)"

# The next run begins with what failed, then with what is new, then with the oldest.
printf 'new 1 fixed\n' >>names
unset HARTSCOPE_SOAK_MINUTES
soak 'the next run' 1 good bad new p
is 'what failed first, then what never ran' 'bad new good p:q:one p:q:two ' "$(tr '\n' ' ' <ran)"
soak 'all is well' 0 good

# It ends in time.
printf 'eternal 0 fixed\nlong 3600 fixed\n' >names
before=$(date +%s)
HARTSCOPE_SOAK_MINUTES=0.01 soak 'a step that does not end' 0
is 'ends soon after its time' yes \
	"$([ $(($(date +%s) - before)) -le 20 ] && echo yes)"
row 'is not ok' eternal stopped '' ''
has 'and says so' '^stopped - eternal' out
is 'no process is left' '' "$(ps -o stat=,args= -p "$(cat eternal)" | grep -v '^Z')"
has 'what was too long' '1 steps are left for the next time: long' out
HARTSCOPE_SOAK_MINUTES=0.01 soak 'what was stopped needs more time' 0
is 'it is not begun again' '' "$(cat ran 2>/dev/null)"

# Those that are named, as often as they are named, and without a limit.
printf '%s 3600 fixed\n' good p:q:one p:q:two >names
soak 'a part of a name' 0 p:q
is 'runs all of them' 'p:q:one p:q:two ' "$(tr '\n' ' ' <ran)"
soak 'a step that is not there' 2 p:q:on
has 'says so' "no step 'p:q:on'" err
soak list 0 list
has 'a group is a row' '^p:q  .* 2 ok' out
has 'with its rows' '^good  .* ok: 2 rows, 1 skipped' out

# A document keeps what this ledger has no run of.
printf '%s 3600 fixed\n' good never elsewhere p:q:one p:q:three p:q:four >names
{
	printf 'above\n<!-- soak-table -->\n'
	printf '| %s | 2026-01-02 03:04 | 12345678 | 5 | ok | 6 rows |\n' good gone elsewhere
	printf '| p:q | 2026-01-02 03:04 | 12345678 | 5 | 1 ok, 1 failed (one), 1 stopped |  |\n'
	printf '<!-- end of soak-table -->\nbelow\n'
} >document.md
HARTSCOPE_SOAK_DOCUMENT=$dir/document.md soak 'a table' 0 --table
has 'of this ledger' '^| good | .* | ok | 2 rows, 1 skipped |$' document.md
has 'of another one' '^| elsewhere | 2026-01-02 03:04 | 12345678 | 5 | ok | 6 rows |$' document.md
has 'of more parts' '^| p:q | .* | 1 ok, 1 failed (one), 1 stopped |  |$' document.md
has 'of none' '^| never | - |  | 0 | not run |  |$' document.md
is 'a step that is no more' '' "$(grep gone document.md)"
is 'what is around it stays' 'above below' "$(sed -n '1p;$p' document.md | paste -sd ' ')"
is 'no folder is left' '' "$(ls room)"

# What cannot run on this machine is no step that was forgotten.
printf 'missing 3600 fixed\n' >names
soak 'what is missing again' 0 missing
HARTSCOPE_SOAK_DOCUMENT=$dir/document.md soak 'a table without it' 0 --table
has 'says why' '^| missing | .* | cannot be had here: no clang |' document.md

# Runs of another folder are as if they had been here: in the order of their dates, once.
printf '%s 3600 fixed\n' good bad >names
{
	printf 'good\t12345678\t2999-01-02 03:04:05\t7\tok\t9 rows\t\n'
	printf 'bad\t12345678\t2020-01-02 03:04:05\t7\tok\t9 rows\t\n'
} >other.tsv
soak 'another ledger' 0 --merge other.tsv
lines=$(wc -l <$ledger)
soak 'and once more' 0 --merge other.tsv
is 'adds nothing then' "$lines" "$(wc -l <$ledger)"
soak list 0 list
has 'a newer run counts' '^good  .* 2999-01-02 03:04 12345678 .* ok: 9 rows' out
has 'an older one does not' '^bad  .* failed: 1 rows, 1 wrong' out

# Sums of the tables; what is not counted there stays.
{
	printf '<!-- totals -->\n| campaign | inputs | crashes | hangs | wrong | leaks | seeds | hours |\n'
	printf '| --- | ---: | ---: | ---: | ---: | ---: | --- | ---: |\n'
	printf '| %s | 1 | 2 | 3 | 4 | 5 | 6 | 7 |\n' damage fuzzing properties 'calls that fail'
	printf '<!-- end of totals -->\n<!-- fuzz-table -->\n| target |\n| --- |\n'
	printf '| elf | 0.500 | 1,000 | 1 | 2 | 10 | 3 | 4 | 7, 8 |\n'
	printf '| ctr | 0.750 | 2,000 | 0 | 0 | 20 | 0 | 0 | 8, 9 |\n'
	printf '| all | 1.250 | 3,000 | 1 | 2 | 30 | 3 | 4 |  |\n<!-- end of fuzz-table -->\n'
	printf '<!-- soak-table -->\n| step |\n| --- |\n<!-- end of soak-table -->\n'
} >document.md
printf '%s 3600 fixed\n' faults:x:one faults:y:one >names
printf 'property:a 0 random\n' >>names
for name in faults:x:one faults:y:one property:a; do
	printf '%s\t1\t2026-01-02 03:04:05\t1800\tok\t1500 hit\t\n' $name
done >other.tsv
soak 'what is to be added up' 0 --merge other.tsv
HARTSCOPE_SOAK_DOCUMENT=$dir/document.md soak 'sums' 0 --table
has 'of fuzzing, with its seeds' '^| fuzzing | 3,030 | 4 | 6 | 4 | 5 | 3 | 1.2 |$' document.md
has 'of properties' '^| properties | 1,500 | 2 | 3 | 4 | 5 | 6 | 0.5 |$' document.md
has 'of calls that fail' '^| calls that fail | 3,000 | 2 | 3 | 4 | 5 | 6 | 1.0 |$' document.md
has 'of what has no table' '^| damage | 1 | 2 | 3 | 4 | 5 | 6 | 7 |$' document.md

# Runs of fuzzing are added to what a document has of their target, once.
printf '%s\t%s\t%s\t36\t%s\t%s\t%s\n' libfuzzer elf 8 100 1 0 afl elf 8 1000 0 0 \
	afl ctr 9 5 0 2 >results.tsv
{
	printf '<!-- fuzz-table -->\n'
	printf '| elf | 0.500 | 1,000 | 0 | 0 | 1 | 0 | 0 | 7 |\n<!-- end of fuzz-table -->\n'
} >document.md
export HARTSCOPE_SOAK_DOCUMENT="$dir/document.md" HARTSCOPE_FUZZ_RESULTS="$dir/results.tsv"
"$HARTSCOPE_SOURCE/scripts/soak/fuzz-table.py" --write
has 'runs of a new seed' '^| elf | 0.520 | 1,100 | 1 | 0 | 1,001 | 0 | 0 | 7, 8 |' document.md
has 'a new target' '^| ctr | 0.010 | 0 | 0 | 0 | 5 | 0 | 2 | 9 |' document.md
cp document.md once
"$HARTSCOPE_SOURCE/scripts/soak/fuzz-table.py" --write
is 'they are added once' "$(cat once)" "$(cat document.md)"

# What minimises the inputs of a fuzz target ends in time, and leaves them as they were.
mkdir -p fuzz/tests/fuzz fuzz/corpus/slow fuzz/corpus/quick
printf '%s\n' '#!/bin/sh' 'while [ "$#" -gt 2 ]; do shift; done; : >"$1/fewer"' \
	>fuzz/tests/fuzz/fuzz-quick
{ cat fuzz/tests/fuzz/fuzz-quick; echo 'trap : TERM; while :; do sleep 1; done'; } \
	>fuzz/tests/fuzz/fuzz-slow
chmod +x fuzz/tests/fuzz/fuzz-*
touch fuzz/corpus/slow/one fuzz/corpus/quick/one
HARTSCOPE_FUZZ_FOLDER=$dir/fuzz HARTSCOPE_FUZZ_MERGE_SECONDS=1 \
	exits 'inputs that are minimised in time or not' 0 \
	timeout 60 "$HARTSCOPE_SOURCE/scripts/soak/fuzz.sh" --minimise slow quick
is 'those of the slow one stay as they were' 'quick quick/fewer slow slow/one' \
	"$(find fuzz/corpus/* | sed 's,fuzz/corpus/,,' | sort | paste -sd ' ')"
has 'it says so' '^fuzz: slow: its inputs were not minimised in 1 s$' out

# The files that hosts compare (scripts/soak/portability.sh): without a tool they are not compared.
BUILD=$dir/build "$HARTSCOPE_SOURCE/scripts/soak/portability.sh" --files "$dir/files" false 2>err
is 'files that a tool cannot write' 1 $?

exit $failed
