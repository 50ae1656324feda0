#!/bin/bash
# Names in the library: every external symbol begins with hs_ or with the private prefix of its
# room, the shared library shows public names only, and every public name is declared in a public
# header.
#
#   scripts/checks/check-namespace.sh FOLDER     a build folder
#
# HARTSCOPE_TREE is the tree to check, by default the one of this script
# (tests/conformance/checks.sh).
set -u
scripts=$(cd "$(dirname "$0")" && pwd)
cd "${HARTSCOPE_TREE:-$scripts/../..}" || exit 1

folder=$1
. "$scripts/verdict.sh"

# Prefixes of names that a room's files share, as alternatives of a pattern; hs_ where it has none.
prefix_of()
{
	local found

	found=$(awk -F ' *[|] *' -v room="$1" '$1 == room { sub(/ +$/, "", $5); gsub(/ /, "|", $5)
		print $5 }' src/rooms.txt)
	echo "${found:-hs_}"
}

# Lines "room symbol" of a static library: the object's name is src_ROOM_file.c.o, and a room's name
# may have an underscore itself.
rooms=$(cd src && printf '%s\n' */ | tr -d / | sort -r | paste -sd '|')
symbols()
{
	nm -g --defined-only -A "$1" | sed -nE "s/.*:src_($rooms)_[^:]*:[0-9a-f]* [A-Z] (.*)/\1 \2/p"
}

for library in core host; do
	archive=$folder/libhartscope-$library.a
	if [ ! -f "$archive" ]; then
		verdict "symbols of $library begin with hs_ or their room's prefix" \
			"$archive was not built"
		continue
	fi
	stray=$(symbols "$archive" | while read -r room name; do
		[[ $name =~ ^(hs_|$(prefix_of "$room")) ]] || echo "$name in src/$room"
	done)
	verdict "symbols of $library begin with hs_ or their room's prefix" "$stray"
done

# The version's own name is absolute; the names of symbols have it after their "@@".
exported=$(nm -D --defined-only "$folder/libhartscope.so" |
	awk '$2 != "A" { sub(/@.*/, "", $3); print $3 }' | sort)
declared=$(grep -ohE '\bhs_[a-z0-9_]+\(' include/hartscope/*.h | tr -d '(' | sort -u)

if [ -z "$exported" ]; then
	verdict 'the shared library shows public names' 'it shows none'
fi
verdict 'each name in the shared library has the version of src/hartscope.map' "$(
	version=$(sed -n 's/ {$//p' src/hartscope.map)
	nm -D --defined-only "$folder/libhartscope.so" | awk '$2 != "A" { print $3 }' |
		grep -v "@@$version$")"
verdict 'the shared library shows hs_ names only' "$(echo "$exported" | grep -v '^hs_')"
verdict 'every public name is in a public header' \
	"$(comm -23 <(echo "$exported") <(echo "$declared"))"

verdict 'each name in src/hartscope.map is exported' "$(comm -13 <(echo "$exported") \
	<(sed -n 's/^\t\(hs_[a-z0-9_]*\);$/\1/p' src/hartscope.map | sort))"

# The other way round: what a header promises exists.
promised=$(cat include/hartscope/*.h | tr '\n' ' ' | grep -oE 'HS_API [^;{]*' |
	sed -E 's/__attribute__.*//' | grep -oE '\bhs_[a-z0-9_]+ *\(' | tr -d '( ' | sort -u)
verdict 'every HS_API declaration has a definition' \
	"$(comm -13 <(echo "$exported") <(echo "$promised"))"

# What the static libraries alone have is in them, and not in the shared one.
models=$(grep -hv "^#" include/hartscope/*.h | tr '\n' ' ' | grep -oE 'HS_STATIC [^;{]*' |
	grep -oE '\bhs_[a-z0-9_]+ *\(' | tr -d '( ' | sort -u)
verdict 'every HS_STATIC declaration has a definition' "$(comm -13 \
	<(nm -g --defined-only "$folder"/libhartscope-{core,host}.a 2>/dev/null |
		awk 'NF == 3 { print $3 }' | sort -u) <(echo "$models" | grep .))"
verdict 'no HS_STATIC function is in the shared library' \
	"$(comm -12 <(echo "$exported") <(echo "$models"))"

# What a comment sends people to is there.
verdict 'public headers speak of public functions' "$(comm -23 \
	<(grep -ohE '\bhs_[a-z0-9_]+\(\)' include/hartscope/*.h | tr -d '()' | sort -u) \
	<({ echo "$exported"; echo "$models"; sed -nE 's/^static inline [^(]*\b(hs_[a-z0-9_]+)\(.*/\1/p' \
		include/hartscope/*.h; } | sort -u))"

# In C++ a struct's name is a type, and in C a macro has no room at all.
text=$(find include -name '*.h' | sort | xargs cat | sed -E 's/\/\*.*\*\///')
verdict 'no struct and function have one name' "$(comm -12 \
	<(grep -oE '^(struct|enum|union) hs_[a-z0-9_]+( \{|;)' <<<"$text" |
		awk '{ sub(/;/, "", $2); print $2 }' | sort -u) \
	<(grep -v '^ \*' <<<"$text" | grep -oE '\bhs_[a-z0-9_]+\(' | tr -d '(' | sort -u))"
verdict 'each macro of a public header begins with HS_' "$(grep -oE '^# *define [A-Za-z0-9_]+' <<<"$text" |
	awk '$2 !~ /^(HS_|HARTSCOPE_)/ { print $2 }')"
exit "$status"
