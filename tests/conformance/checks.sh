#!/bin/bash
# The checks of scripts/ can fail: each rule has a violation that is seeded into a copy of the tree,
# and the check has to name that rule and no other.
set -u

scripts=$HARTSCOPE_SOURCE/scripts/checks
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
failed=0

# fails RULE CHECK...: in the seeded tree the check says "not ok" of this rule alone
fails()
{
	local rule=$1 found named

	shift
	found=$("$@" 2>&1) && found="$found (exit status 0)"
	named=$(grep '^not ok - ' <<<"$found")
	if [ "$named" = "not ok - $rule" ]; then
		echo "ok - seeded: $rule"
	else
		echo "not ok - seeded: $rule"
		grep -v '^ok' <<<"$found" | head -n 10 | sed 's/^/  /'
		failed=1
	fi
}

passes()
{
	if "$@" >"$work/out" 2>&1; then
		echo "ok - without a seed: ${*##*/}"
	else
		echo "not ok - without a seed: ${*##*/}"
		grep -v '^ok' "$work/out" | head -n 10 | sed 's/^/  /'
		failed=1
	fi
}

# ---- include rule ------------------------------------------------------------------------------

# What the checks read.
mkdir "$work/tree"
(cd "$HARTSCOPE_SOURCE" &&
	cp -r include src tools plugins firmware examples docs scripts tests "$work/tree")
export HARTSCOPE_TREE=$work/tree

# includes RULE FILE LINE: the line is added to a file, which is made when there is none
includes()
{
	local rule=$1 file=$work/tree/$2 line=$3 before=$work/before

	rm -f "$before"
	[ ! -e "$file" ] || cp "$file" "$before"
	echo "$line" >>"$file"
	fails "$rule" "$scripts/check-includes.sh"
	rm "$file"
	[ ! -e "$before" ] || cp "$before" "$file"
}

passes "$scripts/check-includes.sh"
includes 'includes of src/core' src/core/decode.c '#include <stdio.h>'
includes 'includes of src/flow' src/flow/walk.c '#include <hartscope/ntrace.h>'
includes 'includes of src/ntrace' src/ntrace/emit.c '#include <hartscope/etrace.h>'
includes 'includes of src/ntrace' src/ntrace/writer.c '#include "ntrace/source.h"'
includes 'includes of src/ntrace' src/ntrace/reader.c '#include "emit.h"'
includes 'includes of src/ntrace' src/ntrace/tables.h '#include "ntrace/emit.h"'
includes 'includes of src/etrace' src/etrace/decide.h '#include "etrace/payload.h"'
includes 'includes of src/etrace' src/etrace/payload.c '#include "etrace/decide.h"'
includes 'includes of src/counts' src/counts/calls.c '#include "recorder/record.h"'
includes 'includes of src/listing' src/listing/text.c '#include "inputs/capture_private.h"'
includes 'includes of plugins/qemu' plugins/qemu/ring.c '#include <hartscope/program.h>'
includes 'includes of tools/hartscope' tools/hartscope/main.c '#include "source/trace.h"'
includes 'includes of the public headers' include/hartscope/stray.h '/* A header of no room. */'
includes 'includes of the public headers' include/hartscope/image.h '#include <hartscope/flow.h>'
includes 'each file of a protocol has a side' src/ntrace/stray.c '/* Of no side. */'
includes 'docs/architecture.md has each room, and no other' docs/architecture.md \
	'| `src/stray` | nothing | | free |'
includes 'docs/architecture.md has each room, and no other' docs/architecture.md \
	'| `src/pmu` | a second row | | hosted |'

# The rules about the table itself, src/rooms.txt.
# table RULE SED-SCRIPT
table()
{
	local file=$work/tree/src/rooms.txt

	cp "$file" "$work/before"
	sed -i "$2" "$file"
	! cmp -s "$file" "$work/before" || echo "not ok - seeded: $1: '$2' changes nothing"
	fails "$1" "$scripts/check-includes.sh"
	cp "$work/before" "$file"
}

# The limits are seeded into a copy of the script.
# limit RULE SED-SCRIPT
limit()
{
	sed "$2" "$scripts/check-includes.sh" >"$work/tree/scripts/checks/seeded.sh"
	cp "$scripts/verdict.sh" "$work/tree/scripts/checks"
	fails "$1" bash "$work/tree/scripts/checks/seeded.sh"
}

table 'no circle between rooms' '/^core /s/free   |/& ingress/'
table 'no circle between rooms' '/^support /s/hosted | core/& program/'
table 'includes of src/calls' '/^calls /s/core support program |/core support |/'
table 'nothing in src/ sees a room where the way ends' '/^counts /s/hosted | core/& listing/'
limit 'no room above 12 % of src/, no protocol above 5 %' \
	's/^largest_protocol=18/largest_protocol=5/'
limit 'no room above 3 % of src/, no protocol above 18 %' 's/^largest=12/largest=3/'
mkdir "$work/tree/src/stray"
echo '/* A room without a row. */' >"$work/tree/src/stray/stray.c"
found=$("$scripts/check-includes.sh" | grep '^not ok')
rm -r "$work/tree/src/stray"
if [ "$(wc -l <<<"$found")" -eq 1 ] && grep -q 'src/stray has no row' <<<"$found"; then
	echo 'ok - seeded: a room without a row'
else
	echo 'not ok - seeded: a room without a row'
	failed=1
fi

# ---- specification map --------------------------------------------------------------------------

# mapped RULE FILE SED-SCRIPT
mapped()
{
	local file=$work/tree/$2

	cp "$file" "$work/before"
	sed -i "$3" "$file"
	! cmp -s "$file" "$work/before" || echo "not ok - seeded: $1: '$3' changes nothing in $2"
	fails "$1" "$scripts/check-spec-map.sh"
	cp "$work/before" "$file"
}

map=docs/spec-map.md
code="names of the map's code are in the file or chapter that the row names"
tests="names of the map's tests are in the file or chapter that the row names"
passes "$scripts/check-spec-map.sh"
mapped 'files that the specification map names exist' $map \
	's|`tests/cli/transport.sh`|`tests/cli/transports.sh`|'
mapped "$code" $map 's|`put_byte()` in `src/transport/sender.c`|`put_byte()` in `src/transport/receiver.c`|'
mapped "$code" $map 's|`hs_nt_read()`|`hs_nt_reads()`|'
mapped "$code" $map 's|`pmu_selector()`|`et_width()`|'
mapped "$code" $map 's|`HS_COMPARATORS`|`HS_COMPARATORS_MOST`|'
mapped "$code" $map 's|`limit_pib()`|`limit_pibs()`|'
mapped "$tests" $map 's|rows "sret"|rows "sret that is no row"|'
mapped "$tests" $map 's|"binary encoding"|"decimal encoding"|'
mapped "$tests" $map 's|gap 4 |gap 40 |'
mapped "$tests" $map 's|sink "triggers"|sink "trigger_happy"|'
mapped "$tests" $map 's|port row "reset"|port row "resets"|'
mapped "$tests" $map 's|`long_message`|`longer_message`|'
mapped "$tests" $map 's|fault "data trace is skipped"|fault "null packets"|'
mapped 'kinds of lint in the map are those of the table, by clause' $map 's/| `bcnt-0`, /| /'
mapped 'kinds of lint in the map are those of the table, by clause' $map \
	's/^| 5 | `btm-/| 7.11 | `btm-/'
mapped 'each chapter of the map is known to scripts/checks/spec_names.py' $map \
	's/^## SBI PMU/## Another PMU/'
mapped 'each case that was worked by hand is named' tests/vectors/etrace/rules.txt '$a case seeded'
mapped 'each rule of CTR that is listed has a test with its name' tests/unit/ctr.c \
	's/"REG-06/"REG06/'
mapped 'each rule of CTR that a test names is listed' $map 's/QUA-06/QUA-05/g'

# ---- style ---------------------------------------------------------------------------------------

# A tree of one clean file, and no finding allowed.
export HARTSCOPE_TREE=$work/style
export HARTSCOPE_RATCHET=$work/ratchet
mkdir -p "$HARTSCOPE_TREE/src/room"
: >"$HARTSCOPE_RATCHET"
style_file=$HARTSCOPE_TREE/src/room/file.c

clean()
{
	printf '/* A file. */\nint f(int a)\n{\n\tif (a == 1)\n\t\treturn 2;\n\treturn a;\n}\n'
}

lines_of()
{
	local i

	for ((i = 0; i < $1; i++)); do
		echo "$2"
	done
}

# style RULE: the file is what comes from standard input
style()
{
	cat >"$style_file"
	fails "$1: 1 found, 0 allowed" "$scripts/check-style.sh"
}

clean >"$style_file"
passes "$scripts/check-style.sh"
style 'no function above 80 lines' < <(clean; printf 'int g(void)\n{\n'; lines_of 79 '	f(1);'; \
	echo '}')
style 'no file above 800 lines' < <(clean; lines_of 794 'extern int v;')
style 'tabs indent, and no line ends in space' < <(clean; echo 'int v; ')
style 'tabs indent, and no line ends in space' < <(clean; printf \
	'int g(void)\n{\n    return f(1);\n}\n')
style 'a comment begins each file' < <(echo 'int v;'; clean)
style 'no line above 100 columns, no row above 120' < <(clean; printf '\t%093d\n' 0)
style 'no assignment in a condition' < <(clean; printf \
	'int g(int a)\n{\n\tif ((a = f(1)))\n\t\treturn 1;\n}\n')
style 'no assignment in a condition' < <(clean; printf \
	'int g(int a)\n{\n\twhile (f(2) &&\n\t       (a = f(1)) > 2)\n\t\t;\n}\n')
style 'a static function says what it takes, puts, finds or gets' < <(clean; echo \
	'static int *find(int a);')
style "comments and texts have the field's words" < <(clean; echo \
	'/* The packet tells the mode. */')
style "comments and texts have the field's words" < <(clean; echo \
	'char *s = "the bytes behind it";')
clean >"$style_file"
echo '# Words at hand.' >"$HARTSCOPE_TREE/src/room/script.sh"
fails "comments and texts have the field's words: 1 found, 0 allowed" "$scripts/check-style.sh"
rm "$HARTSCOPE_TREE/src/room/script.sh"
mkdir -p "$HARTSCOPE_TREE/docs/design"
# What is no prose may have any words: code, quotes, links, and what a script writes.
printf '%s\n' 'A row "behind a loss" of `fuzz-seam`, [a page](told.md).' '' '    tells one' '' \
	'```text' 'unseen' '```' '' '<!-- table -->' '| seam |' '<!-- end of table -->' \
	>"$HARTSCOPE_TREE/docs/page.md"
passes "$scripts/check-style.sh"
for words in 'The packet tells the mode.' 'A bit comes in place\nof a byte.' \
	'- What follows is the time.' '| a row | of the seam |' 'One `bit` behind another `one`.'; do
	printf '%b\n' "$words" >"$HARTSCOPE_TREE/docs/design/page.md"
	fails "documents have the field's words: 1 found, 0 allowed" "$scripts/check-style.sh"
done
rm -r "$HARTSCOPE_TREE/docs"
printf 'verdict "$(head -n 1 out)" $%s\n' '?' >"$HARTSCOPE_TREE/src/room/script.sh"
fails 'no status is read after $() in its command: 1 found, 0 allowed' "$scripts/check-style.sh"
echo '#!/bin/sh' >"$HARTSCOPE_TREE/src/room/script.sh"
fails 'what begins with #! can be run: 1 found, 0 allowed' "$scripts/check-style.sh"
rm "$HARTSCOPE_TREE/src/room/script.sh"
printf '#\n1 no assignment in a condition\n' >"$HARTSCOPE_RATCHET"
{ clean; printf 'int g(int a)\n{\n\tif ((a = 1))\n\t\treturn 1;\n}\n'; } >"$style_file"
passes "$scripts/check-style.sh"
{ clean; printf 'int g(int a)\n{\n\tif ((a = 1) || (a == 3 && (a = 2)))\n\t\treturn 1;\n\tif ((a = 1))\n\t\treturn 1;\n}\n'; } \
	>"$style_file"
fails 'no assignment in a condition: 2 found, 1 allowed' "$scripts/check-style.sh"
unset HARTSCOPE_TREE HARTSCOPE_RATCHET

# ---- names ---------------------------------------------------------------------------------------

# A small library with the file names that the check reads.
mkdir -p "$work/names/src/flow" "$work/names/src/core" "$work/names/include/hartscope" \
	"$work/names/build"
cp "$HARTSCOPE_SOURCE/src/rooms.txt" "$work/names/src"
export HARTSCOPE_TREE=$work/names
# This map shows every hs_ name: what is not declared is found, too.
open_map()
{
	printf '%s\n' 'HARTSCOPE_0 {' 'global:' '	hs_*;' "${@/#/	}" 'local:' '	*;' '};' \
		>"$work/names/src/hartscope.map"
}
open_map

# library CORE-SOURCE SHARED-SOURCE MAP: archives and the shared library
library()
{
	(
		cd "$work/names/build" && rm -f ./*.a ./*.so
		echo "$1" | cc -x c -c -o src_flow_walk.c.o - &&
			ar rc libhartscope-core.a src_flow_walk.c.o &&
			ar rc libhartscope-host.a src_flow_walk.c.o
		echo "$2" | cc -x c -shared -fPIC -Wl,--version-script="$3" -o libhartscope.so -
	)
}

names()
{
	fails "$1" "$scripts/check-namespace.sh" build
}

header=$work/names/include/hartscope/flow.h
map=$work/names/src/hartscope.map
good='int hs_f(void){return 0;}'
echo 'HS_API int hs_f(void);' >"$header"
library "$good" "$good" "$map"
passes "$scripts/check-namespace.sh" build
library "int stray(void){return 0;} $good" "$good" "$map"
found=$("$scripts/check-namespace.sh" build | grep -c \
	"^not ok - symbols of .* begin with hs_ or their room's prefix")
[ "$found" -eq 2 ] && echo 'ok - seeded: a stray symbol' ||
	{ echo 'not ok - seeded: a stray symbol'; failed=1; }
printf 'HARTSCOPE_0 { global: hs_*; other; local: *; };\n' >"$work/open.map"
sed 's/{/ {/; s/  {/ {/; s/; /;\n/g; s/ {/ {\n/' "$work/open.map" >"$work/names/src/hartscope.map"
echo 'HS_API int hs_f(void); int other(void);' >"$header"
library "$good" "$good int other(void){return 0;}" "$work/open.map"
found=$("$scripts/check-namespace.sh" build | grep '^not ok' | head -n 1)
[ "$found" = 'not ok - the shared library shows hs_ names only' ] &&
	echo 'ok - seeded: a name without hs_' ||
	{ echo "not ok - seeded: a name without hs_: $found"; failed=1; }
open_map
echo 'HS_API int hs_f(void);' >"$header"
library "$good" "$good int hs_g(void){return 0;}" "$map"
names 'every public name is in a public header'
echo 'HS_API int hs_f(void); HS_API int hs_g(void);' >"$header"
library "$good" "$good" "$map"
names 'every HS_API declaration has a definition'
echo 'HS_API int hs_f(void);' >"$header"
open_map 'hs_g;'
library "$good" "$good" "$map"
names 'each name in src/hartscope.map is exported'
open_map
printf 'OTHER_1 { global: hs_*; local: *; };\n' >"$work/other.map"
library "$good" "$good" "$work/other.map"
names 'each name in the shared library has the version of src/hartscope.map'
library "$good" "$good" "$map"
echo 'HS_API int hs_f(void); HS_STATIC int hs_g(void);' >"$header"
library "$good" "$good" "$map"
names 'every HS_STATIC declaration has a definition'
echo 'HS_STATIC int hs_f(void);' >"$header"
library "$good" "$good" "$map"
names 'no HS_STATIC function is in the shared library'
echo 'HS_API int hs_f(void);' >"$header"
printf '/* As hs_gone(). */\nHS_API int hs_f(void);\n' >"$header"
names 'public headers speak of public functions'
printf 'HS_API int hs_f(void);\nstruct hs_f {\n\tint a;\n};\n' >"$header"
names 'no struct and function have one name'
printf 'HS_API int hs_f(void);\n#define ROOM 2\n' >"$header"
names 'each macro of a public header begins with HS_'
exit "$failed"
