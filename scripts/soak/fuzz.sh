#!/bin/bash
# Every fuzz target in turn under libFuzzer, with sanitizers, and under AFL++.  Each goes on from
# the inputs of the other one, from tests/fuzz/corpus, and from what earlier runs found.
#
#   HARTSCOPE_FUZZ_SECONDS=600 scripts/soak/fuzz.sh [NAME]...    so long each, 60 without
#   scripts/soak/fuzz.sh --keep [NAME]...    put the smallest of the inputs into tests/fuzz/corpus
#   scripts/soak/fuzz.sh --minimise NAME...  only the inputs that reach what no other one does, of
#                                       targets that are built; each run of a target ends with it
#
# build-fuzz/corpus/NAME has the inputs, minimised; build-fuzz/found what fails, made smaller, by
# the name of target and engine; build-fuzz/results.tsv a line for each run
# (scripts/soak/fuzz-table.py). HARTSCOPE_SEED is the seed of both,
# HARTSCOPE_FUZZ_ENGINES="libfuzzer afl" which ones run; HARTSCOPE_FUZZ_MERGE_SECONDS limits what
# minimises (a minute more than an engine has), and HARTSCOPE_FUZZ_FOLDER is another folder than
# build-fuzz.
set -eu
cd "$(dirname "$0")/../.."

folder=${HARTSCOPE_FUZZ_FOLDER:-build-fuzz}
afl=build-afl
found=$folder/found
corpus_bytes=5120 # of each target in tests/fuzz/corpus
seconds=${HARTSCOPE_FUZZ_SECONDS:-60}
merge_seconds=${HARTSCOPE_FUZZ_MERGE_SECONDS:-$((seconds + 60))}
engines=${HARTSCOPE_FUZZ_ENGINES:-libfuzzer afl}
seed=${HARTSCOPE_SEED:-$(($(od -An -N4 -tu4 /dev/urandom) & 0x7fffffff))}
keep=
only_minimise=
case ${1:-} in
--keep) keep=1; shift ;;
--minimise) only_minimise=1; shift ;;
esac
if [ -z "$only_minimise" ] && ! command -v clang >/dev/null; then
	echo 'fuzz: clang is missing: apt-get install clang libclang-rt-14-dev' >&2
	exit 1
fi
if [[ $engines = *afl* ]] && ! command -v afl-fuzz >/dev/null; then
	echo 'fuzz: AFL++ # SKIP apt-get install afl++'
	engines=${engines/afl/}
fi

names=("$@")

# is_asked NAME: is it one of the targets to run?
is_asked()
{
	[ "${#names[@]}" -eq 0 ] || [[ " ${names[*]} " == *" $1 "* ]]
}

# build FOLDER COMPILER OPTION...: the targets that are asked for, and no other tests of the folder
build()
{
	local here=$1 compiler=$2 targets=() target

	shift 2
	AFL_QUIET=1 CC=$compiler scripts/configure.sh "$here" "$@" -Db_lundef=false
	while read -r target; do
		! is_asked "${target##*/fuzz-}" || targets+=("$target")
	done < <(ninja -C "$here" -t targets all |
		sed -n 's|^\(tests/fuzz/fuzz-[a-z0-9_]*\):.*|\1|p')
	AFL_QUIET=1 ninja --quiet -C "$here" "${targets[@]}"
}

# note ENGINE NAME INPUTS CRASHES HANGS
note()
{
	printf '%s\t%s\t%s\t%s\t%s\t%s\t%s\n' "$1" "$2" "$seed" "$seconds" "$3" "$4" "$5" \
		>>"$folder/results.tsv"
	if [ "$3" -eq 0 ]; then
		echo "not ok - $2, $1: it did not start"
		status=1
	elif [ "$4" -eq 0 ] && [ "$5" -eq 0 ]; then
		echo "ok - $2, $1: $3 inputs"
	else
		echo "not ok - $2, $1: $4 crashes, $5 hangs: see $found"
		status=1
	fi
}

# count GLOB...: of files that exist
count()
{
	find "$@" -maxdepth 0 2>/dev/null | wc -l
}

# minimise NAME: only inputs that reach what no other one does.  A target that is slow keeps all
# that it has: the engine runs each of them, however long that takes.
minimise()
{
	local from=$folder/corpus/$1 bad=0

	rm -rf "$from.new"
	mkdir -p "$from.new"
	timeout -k 5 "$merge_seconds" "$folder/tests/fuzz/fuzz-$1" -merge=1 -timeout=20 \
		-rss_limit_mb=1024 -verbosity=0 "$from.new" "$from" >"$folder/$1.log" 2>&1 || bad=$?
	if [ "$bad" -eq 0 ]; then
		rm -rf "$from"
		mv "$from.new" "$from"
		return
	fi
	rm -rf "$from.new"
	[ "$bad" -ne 124 ] && [ "$bad" -ne 137 ] ||
		echo "fuzz: $1: its inputs were not minimised in $merge_seconds s"
}

# make_smaller NAME: what libFuzzer found, to one that fails as well
make_smaller()
{
	local input

	for input in "$found/$1-libfuzzer-"crash-*; do
		[ -e "$input" ] || continue
		timeout 120 "$folder/tests/fuzz/fuzz-$1" -minimize_crash=1 -max_total_time=60 \
			-exact_artifact_path="$input" "$input" >"$folder/$1.log" 2>&1 || true
	done
}

run_libfuzzer()
{
	local name=$1 inputs

	rm -f "$found/$name-libfuzzer-"*
	"$folder/tests/fuzz/fuzz-$name" "${words[@]/#/-dict=}" -max_total_time="$seconds" \
		-seed="$seed" -timeout=20 -rss_limit_mb=1024 -verbosity=0 -print_final_stats=1 \
		-artifact_prefix="$found/$name-libfuzzer-" "$folder/corpus/$name" \
		>"$folder/$name.log" 2>&1 || tail -n 30 "$folder/$name.log"
	inputs=$(sed -n 's/^stat::number_of_executed_units: *//p' "$folder/$name.log")
	note libfuzzer "$name" "${inputs:-0}" \
		"$(count "$found/$name-libfuzzer-"{crash,leak,oom}-*)" \
		"$(count "$found/$name-libfuzzer-"timeout-*)"
	make_smaller "$name"
}

# stat KEY FILE: of AFL++'s fuzzer_stats
stat_of()
{
	sed -n "s/^$1 *: *//p" "$2" 2>/dev/null
}

run_afl()
{
	local name=$1 out=$afl/out/$1 stats library=() input

	rm -rf "$out" "$found/$name-afl-"*
	mkdir -p "$afl/out"
	[ ! -e "build/tests/fuzz/edit-$name.so" ] ||
		library=(AFL_CUSTOM_MUTATOR_LIBRARY="$PWD/build/tests/fuzz/edit-$name.so")
	env AFL_NO_UI=1 AFL_SKIP_CRASHES=1 AFL_SKIP_CPUFREQ=1 AFL_NO_AFFINITY=1 AFL_QUIET=1 \
		AFL_I_DONT_CARE_ABOUT_MISSING_CRASHES=1 "${library[@]}" \
		afl-fuzz -V "$seconds" -s "$seed" -t 20000 -i "$folder/corpus/$name" -o "$out" \
		"${words[@]/#/-x}" -- "$afl/tests/fuzz/fuzz-$name" >"$afl/$name.log" 2>&1 ||
		tail -n 30 "$afl/$name.log"
	stats=$out/default/fuzzer_stats
	for input in "$out"/default/{crashes,hangs}/id*; do
		[ -e "$input" ] || continue
		cp "$input" "$found/$name-afl-$(basename "$input" | tr ':,' '--')"
	done
	note afl "$name" "$(stat_of execs_done "$stats" | grep . || echo 0)" \
		"$(count "$out"/default/crashes/id*)" "$(count "$out"/default/hangs/id*)"
	cp "$out"/default/queue/id* "$folder/corpus/$name/" 2>/dev/null || true
}

# keep_corpus NAME: the smallest inputs first, up to corpus_bytes
keep_corpus()
{
	local files=() total=0 size file

	while read -r size file; do
		total=$((total + size + 2))
		[ "$total" -le "$corpus_bytes" ] || break
		files+=("$file")
	done < <(find "$folder/corpus/$1" -type f -size +0 -printf '%s %p\n' | sort -n)
	[ "${#files[@]}" -gt 0 ] || return 0
	mkdir -p tests/fuzz/corpus
	"build/tests/fuzz/fuzz-$1" --pack "tests/fuzz/corpus/$1.corpus" "${files[@]}"
	echo "kept ${#files[@]} inputs of $1"
}

run_target()
{
	local name=$1 words=() engine kept=()

	mkdir -p "$folder/corpus/$name"
	[ ! -e "tests/fuzz/corpus/$name.corpus" ] || kept=("tests/fuzz/corpus/$name.corpus")
	"build/tests/fuzz/fuzz-$name" --write "$folder/corpus/$name" "${kept[@]}"
	"build/tests/fuzz/fuzz-$name" --words "$folder/$name.dict"
	[ ! -s "$folder/$name.dict" ] || words=("$folder/$name.dict") # an empty one is refused
	for engine in $engines; do
		"run_$engine" "$name"
	done
	minimise "$name"
}

if [ -n "$only_minimise" ]; then
	for name in "${names[@]}"; do
		minimise "$name"
	done
	exit
fi

# gcc builds what writes the first inputs, and the changes of inputs that AFL++ loads.
scripts/configure.sh build --buildtype=release --prefix=/usr/local -Dtests=enabled
own=()
while read -r program name; do
	! is_asked "$name" || own+=("$program")
done < <(ninja -C build -t targets all | sed -nE \
	's/^(tests\/fuzz\/(fuzz-([a-z0-9_]+)|edit-([a-z0-9_]+)\.so)):.*/\1 \3\4/p')
ninja --quiet -C build "${own[@]}"
if [ -n "$keep" ]; then
	for program in build/tests/fuzz/fuzz-*; do
		name=${program##*/fuzz-}
		[ ! -d "$folder/corpus/$name" ] || ! is_asked "$name" || keep_corpus "$name"
	done
	exit
fi

build "$folder" clang --buildtype=debugoptimized -Dfuzzers=libfuzzer \
	-Dc_args=-fsanitize=fuzzer-no-link -Db_sanitize=address,undefined
[[ $engines != *afl* ]] || build "$afl" afl-clang-fast --buildtype=release -Dfuzzers=afl

status=0
mkdir -p "$found"
for program in "$folder"/tests/fuzz/fuzz-*; do
	if [ ! -f "$program" ] || [ ! -x "$program" ]; then
		continue
	fi
	name=${program##*/fuzz-}
	! is_asked "$name" || run_target "$name"
done
exit "$status"
