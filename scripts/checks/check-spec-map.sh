#!/bin/bash
# docs/spec-map.md is true: the files that it names exist, functions and tests are in the file that
# its row names (spec_names.py); each case of tests/vectors/etrace is quoted (those of many lengths
# together).  Each rule of CTR that it lists is in the name of a test, as each rule in a name is
# listed.  Rules of a group are numbered without a gap.
#
# HARTSCOPE_TREE is the tree to check, by default the one of this script
# (tests/conformance/checks.sh).
set -u
scripts=$(cd "$(dirname "$0")" && pwd)
cd "${HARTSCOPE_TREE:-$scripts/../..}" || exit 1
export LC_ALL=C

map=docs/spec-map.md
tests='tests/unit/ctr.c tests/unit/ctr_entries.c tests/unit/ctr_behavior.c tests/unit/ctr_cycles.c
	tests/unit/ctr_model.c tests/property/ctr_transitions.c'
id='(REG|STA|IND|ENT|SE|QUA|PMT|EXT|TTF|CYC|RAS|FRZ|DIS|RV32|V1)-[0-9][0-9]|\bA[0-9]+\b'
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
. "$scripts/verdict.sh"

verdict 'files that the specification map names exist' "$(
	grep -oE '`(src|include|tests|scripts|docs|firmware|plugins|tools)/[A-Za-z0-9_./-]*`' "$map" | tr -d '`' | sort -u |
	while read -r path; do
		[ -e "$path" ] || echo "$path"
	done)"

python3 "$scripts/spec_names.py" || status=1

# The chapters on E-Trace's packets.
sed -n '/^## Processor Trace 0.026-DRAFT, chapters 5/,/^## SBI/p' "$map" >"$work/etrace"
sed -n 's/^case //p' tests/vectors/etrace/*.txt >"$work/cases"
verdict 'each case that was worked by hand is named' "$(
	grep -oE '"[^"]*"' "$work/etrace" | tr -d '"' >"$work/quoted"
	grep -vE '^(draft: )?[0-9]+ branches$' "$work/cases" | grep -vxFf "$work/quoted")"

# "REG-01 to REG-05" is five rules.
expand()
{
	awk '{
		while (match($0, /[A-Z0-9]+-[0-9][0-9] to [A-Z0-9]+-[0-9][0-9]/)) {
			n = split(substr($0, RSTART, RLENGTH), word, /-| to /)
			for (i = word[2] + 0; n == 4 && i <= word[4] + 0; i++)
				printf "%s-%02d\n", word[1], i
			$0 = substr($0, RSTART + RLENGTH)
		}
	}'
}

sed -n '/^## CTR/,/^## [^C]/p' "$map" | grep '^|' | tee "$work/rows" | expand >"$work/listed.all"
grep -oE "$id" "$work/rows" >>"$work/listed.all"
sort -u "$work/listed.all" >"$work/listed"
# Names are the first string of a row or test, and those of arrays that hold nothing else.
# shellcheck disable=SC2086
sed -nE '/^\t*\{ "|TTF\("|"QUA-|^TEST_NAMED\(/p' $tests | grep -oE '"[^"]*"' | grep -oE "$id" |
	sort -u >"$work/shown"

verdict 'each rule of CTR that is listed has a test with its name' \
	"$(comm -23 "$work/listed" "$work/shown")"
verdict 'each rule of CTR that a test names is listed' "$(comm -13 "$work/listed" "$work/shown")"
verdict 'no number of a group of CTR is missing' "$(grep -- - "$work/listed" | awk -F- '
	$2 + 0 != last[$1] + 1 { print "before " $0 }
	{ last[$1] = $2 + 0 }')"
verdict 'the map lists rules' "$([ "$(wc -l <"$work/listed")" -gt 150 ] || wc -l <"$work/listed")"
exit "$status"
