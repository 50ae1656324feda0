#!/bin/bash
# Every fuzz target under libFuzzer.  Inputs that it finds stay in build-fuzz/corpus/NAME, so that
# the next run goes on from there; what fails is in build-fuzz/crash-*.
#
#   HARTSCOPE_FUZZ_SECONDS=600 scripts/fuzz.sh [NAME]...
set -eu
cd "$(dirname "$0")/.."

folder=build-fuzz
seconds=${HARTSCOPE_FUZZ_SECONDS:-60}
if ! command -v clang >/dev/null; then
	echo 'fuzz: clang is missing: apt-get install clang libclang-rt-14-dev' >&2
	exit 1
fi

# The generated corpus of `make test` gives the first inputs; gcc builds it.
scripts/configure.sh build --buildtype=release --prefix=/usr/local -Dtests=enabled
ninja --quiet -C build meson-test-prereq
CC=clang scripts/configure.sh "$folder" --buildtype=debugoptimized -Dfuzzers=true \
	-Dc_args=-fsanitize=fuzzer-no-link -Db_sanitize=address,undefined -Db_lundef=false
# The targets, and not the other tests of the folder.
mapfile -t targets < <(ninja -C "$folder" -t targets all |
	sed -n 's|^\(tests/fuzz/fuzz-[a-z0-9_]*\):.*|\1|p')
ninja --quiet -C "$folder" "${targets[@]}"

status=0
for program in "$folder"/tests/fuzz/fuzz-*; do
	if [ ! -f "$program" ] || [ ! -x "$program" ]; then
		continue
	fi
	name=${program##*/fuzz-}
	[ $# -eq 0 ] || [[ " $* " == *" $name "* ]] || continue
	mkdir -p "$folder/corpus/$name"
	build/tests/fuzz/"fuzz-$name" --write "$folder/corpus/$name"
	build/tests/fuzz/"fuzz-$name" --words "$folder/$name.dict"
	words=() # libFuzzer refuses an empty list
	[ ! -s "$folder/$name.dict" ] || words=(-dict="$folder/$name.dict")
	if "$program" "${words[@]}" -max_total_time="$seconds" -timeout=20 -rss_limit_mb=512 \
		-verbosity=0 \
		-print_final_stats=1 -artifact_prefix="$folder/crash-$name-" \
			"$folder/corpus/$name" \
		>"$folder/$name.log" 2>&1; then
		echo "ok - $name: $(sed -n 's/^stat::number_of_executed_units: *//p' "$folder/$name.log") inputs"
	else
		tail -n 30 "$folder/$name.log"
		echo "not ok - $name: see $folder/$name.log"
		status=1
	fi
done
exit "$status"
