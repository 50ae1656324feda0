#!/bin/sh
# Each page of docs/cli has the --help of its command, word for word, and the man page names it.
# docs/third-party.md has each package that a script fetches or installs, scripts/README.md each
# script.
. "$(dirname "$0")/lib.sh"
docs=${HARTSCOPE_SOURCE:?}/docs

# Every command, and each man page that is made of these pages.
man=${HARTSCOPE_BUILD:?}/docs/man
"$HARTSCOPE" help --all >commands
for c in parameters $(sed -n 's/^  \([a-z]*\)  .*/\1/p' commands | grep -v '^version$\|^help$'); do
	"$HARTSCOPE" help "$c" --all >want
	sed -n '/^```text$/,/^```$/p' "$docs/cli/$c.md" | sed '1d;$d' >got
	is "docs/cli/$c.md has the text of help --all" "$(cat want)" "$(cat got)"
	is "docs/cli/$c.md: 80 columns" "" "$(awk 'length > 80' want)"
	has "docs/cli/README.md names $c" "($c.md)" "$docs/cli/README.md"
	page=$(echo "$man/hartscope-$c".[17])
	has "$c has a man page" "^\\.SH NAME" "$page"
	# Each option of --help is a row of it.
	sed -n 's/^  \(-., \|    \)\(--[a-z-]*\).*/\2/p' want | sort -u |
		while read -r option; do
			roff=$(echo "$option" | sed 's/-/\\-/g')
			grep -qF "fB$roff\\fR" "$page" || echo "$option"
		done >missing
	is "the man page of $c has its options" "" "$(cat missing)"
done
# The table of commands has the words of help.
awk '/^  [a-z]+ +/ && !/hartscope/ {
		if (row) print row
		name = $1; $1 = ""; row = name ":" $0; next }
	/^             / && row { $1 = $1; row = row " " $0; next }
	row { print row; row = "" }' commands | sort >want
sed -n 's/^| \[\([a-z]*\)\](.*) | \(.*\) |$/\1: \2/p' "$docs/cli/README.md" | sort >got
is "docs/cli/README.md: what help says" "$(cat want)" "$(cat got)"

if command -v groff >/dev/null; then
	for page in "$man"/*.[157] "$docs"/man/*.1; do
		groff -man -ww -Tutf8 -rLL=80n "$page" >text 2>err
		is "${page##*/}: groff has no warning" "" "$(cat err)"
	done
fi
# Packages of the sets, of other suites, of guests, as source, of npm, and those that findings pin.
(
	cd "$HARTSCOPE_SOURCE" || exit
	scripts=$(echo scripts/*.sh scripts/*/*.sh)
	tr '\n' ' ' <scripts/setup.sh | grep -oE " (build|demo|test|soak)='[^']*'" |
		sed "s/.*='//; s/'//" | tr -d '?'
	scripts/guests/qemu-user.sh --packages
	grep -ohE '"[a-z0-9-]+/\$suite"' $scripts | sed 's/"\(.*\)\/.*/\1/'
	grep -rhoE 'linux-guest.sh fetch "?\$?build"? [a-z0-9+ -]+' tests bench docs |
		sed 's/.*build"\{0,1\} //'
	grep -ohE 'suite_apt source( --[a-z-]+)* [a-z0-9-]+' $scripts | sed 's/.* //'
	grep -ohE '[a-z0-9-]+@(\$version|[0-9][0-9.]*)' $scripts bench/*.sh | sed 's/@.*//'
	grep -ohE "[ '\"=][a-z0-9.+-]+=(\\\$gcc|[0-9:]+[0-9.]+[^ ']*-[0-9])" findings/*.sh |
		sed 's/^.\([^=]*\)=.*/\1/'
) | tr ' |' '\n\n' | grep '^[a-z]' | grep -vxE 'version|binutils' | sort -u >packages
is "packages of scripts are found" yes "$([ "$(wc -l <packages)" -ge 110 ] && echo yes)"
is "docs/third-party.md names each of them" "" "$(while read -r name; do
	grep -qF "\`$name\`" "$docs/third-party.md" || echo "$name"
done <packages)"
changes=$HARTSCOPE_SOURCE/CHANGELOG.md
scripts=$HARTSCOPE_SOURCE/scripts
version=$("$scripts/packaging/version.sh" | sed 's/[.]/[.]/g')
is "CHANGELOG.md begins with this version, or with what comes after it" yes \
	"$(grep -m 1 '^## ' "$changes" | grep -qE "^## ($version |Unreleased\$)" && echo yes)"
has "CHANGELOG.md has this version" "^## $version\( \|$\)" "$changes"
is "CHANGELOG.md has at most 8 KB: lines under Unreleased are folded into a version's" yes \
	"$([ "$(wc -c <"$changes")" -le 8192 ] && echo yes)"
is "scripts/README.md names each script" "" "$(cd "$scripts" && find . -type f ! -name README.md |
	sed 's|.*/||' | grep -v pyc | while read -r name; do
	grep -qF "$name" README.md || echo "$name"
done)"
exits "docs/trace-registers.md is made from the table" 0 \
	"$scripts/docs/trace-registers.py" --check
exits "docs/import.md is made from the table" 0 "$scripts/docs/log-formats.py" --check
exits "docs/port-signals.md is made from the tables" 0 "$scripts/docs/port-signals.py" \
	--check
finish
