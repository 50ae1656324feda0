#!/bin/bash
# Static analysis of src, tools and plugins: gcc -fanalyzer, cppcheck, clang-tidy.  What
# scripts/checks/analyse-known.txt has, with a reason, is not a finding; anything else is, and ends
# with status 1.  So does a tool that does not find its defect in scripts/checks/analyse-seeded.c.
#
#   scripts/checks/analyse.sh [gcc|cppcheck|clang-tidy]...
set -eu
cd "$(dirname "$0")/../.."

folder=${BUILD:-build}
seeded=scripts/checks/analyse-seeded.c
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
status=0
scripts/configure.sh "$folder" --buildtype=release --prefix=/usr/local -Dtests=enabled

# Files that a build compiles; some are made by it.
ninja --quiet -C "$folder" all
python3 - "$folder" >"$work/files" <<'EOF'
import json, sys

seen = set()
for c in json.load(open(sys.argv[1] + "/compile_commands.json")):
    if c["file"].startswith(("../src/", "../tools/", "../plugins/")) and c["file"] not in seen:
        seen.add(c["file"])
        print(c["file"])
EOF

# judge TOOL: lines "FILE:LINE: ID: TEXT" of standard input, without those that are known
judge()
{
	local tool=$1 found

	sort -u >"$work/found"
	if ! grep -q "^$seeded:" "$work/found"; then
		echo "not ok - $tool: does not find what is in $seeded"
		status=1
		return
	fi
	found=$(grep -v "^$seeded:" "$work/found" | awk -v tool="$tool" '
		FNR == NR { if ($1 == tool) known[$2 ":" $3] = 1; next }
		{ split($1, place, ":"); id = $2; sub(/:$/, "", id) }
		!((place[1] ":" id) in known) { print }' scripts/checks/analyse-known.txt -)
	if [ -z "$found" ]; then
		echo "ok - $tool: $(wc -l <"$work/files") files"
		return
	fi
	printf '%s\n' "$found" | sed 's/^/  /'
	echo "not ok - $tool"
	status=1
}

# Leaks are left to LeakSanitizer in the tests: GCC 12 loses what a structure owns.
run_gcc()
{
	python3 - "$folder" "$seeded" <<'EOF' >"$work/gcc"
import json, os, re, shlex, subprocess, sys
from concurrent.futures import ThreadPoolExecutor

os.chdir(sys.argv[1])
commands = {}
for c in json.load(open("compile_commands.json")):
    if c["file"].startswith(("../src/", "../tools/", "../plugins/")):
        commands.setdefault(c["file"], c["command"])
file, command = next(iter(commands.items()))
command = re.sub(r" -MD -MQ \S+ -MF \S+", "", command)
commands[sys.argv[2]] = command.replace(file, "../" + sys.argv[2])


def analyse(command):
    words = [w for w in shlex.split(command) if w not in ("-Werror", "ccache") and w[:2] != "-O"]
    words[words.index("-o") + 1] = "/dev/null"
    words += ["-O1", "-fanalyzer", "-Wno-analyzer-malloc-leak", "-fdiagnostics-plain-output"]
    return subprocess.run(words, stderr=subprocess.PIPE, text=True).stderr


with ThreadPoolExecutor(os.cpu_count()) as pool:
    for text in pool.map(analyse, commands.values()):
        for m in re.finditer(r"^\.\./(\S+?:\d+):\d+: warning: (.*) \[-W([\w-]+)\]$", text, re.M):
            print("%s: %s: %s" % (m[1], m[3], m[2]))
EOF
	judge gcc <"$work/gcc"
}

run_cppcheck()
{
	# the tables are no files of their own
	cppcheck -q -j "$(nproc)" -Iinclude -Isrc -Itools/hartscope --std=c11 \
		--enable=warning,portability,performance --suppress=unknownMacro \
		--suppress=syntaxError --template='{file}:{line}: {id}: {message}' \
		src tools plugins "$seeded" 2>"$work/cppcheck"
	grep -E '^[a-z].*:[0-9]+: ' "$work/cppcheck" >"$work/lines" || true
	judge cppcheck <"$work/lines"
}

run_clang-tidy()
{
	local checks='-*,bugprone-infinite-loop,bugprone-sizeof-expression,bugprone-posix-return'

	checks+=',bugprone-suspicious-memset-usage,bugprone-suspicious-semicolon'
	checks+=',bugprone-suspicious-string-compare,bugprone-undefined-memory-manipulation'
	checks+=',bugprone-not-null-terminated-result,bugprone-too-small-loop-variable'
	checks+=',bugprone-macro-repeated-side-effects,bugprone-misplaced-widening-cast'
	echo "../$seeded" | cat "$work/files" - >"$work/tidied"
	(cd "$folder" && xargs -P "$(nproc)" -n 8 clang-tidy -p . --quiet --checks="$checks" \
		<"$work/tidied") >"$work/tidy" 2>/dev/null || true
	# paths are from the build's folder; an array's elements may be pointers
	sed -nE -e "/sizeof\(A\*\)'; pointer to aggregate/d" -e "s|^[^:]*\.\./||; s|^$PWD/||" \
		-e 's/^([^:]*:[0-9]*):[0-9]*: (warning|error): (.*) \[([a-z,-]*)\]$/\1: \4: \3/p' \
		"$work/tidy" >"$work/lines"
	judge clang-tidy <"$work/lines"
}

[ $# -gt 0 ] || set -- gcc cppcheck clang-tidy
for tool; do
	if command -v "$tool" >/dev/null; then
		"run_$tool"
	else
		echo "ok - $tool # SKIP no $tool"
	fi
done
exit "$status"
