#!/bin/sh
# One path for each source file, from any folder, whatever the compiler was called with: against
# addr2line and realpath (design/names).
. "$(dirname "$0")/lib.sh"
need riscv64-linux-gnu-gcc riscv64-linux-gnu-addr2line
dir=$(pwd -P)
gcc='riscv64-linux-gnu-gcc -O0 -static'

# ---- what compilers write ------------------------------------------------------------------
mkdir -p proj/src proj/inc proj/build/deep proj/build2 else
cat >proj/inc/h.h <<'EOS'
static inline int of_header(int x)
{
	return x + 1;
}
EOS
cat >proj/src/m.c <<'EOS'
#include "../inc/h.h"
int main(void)
{
	return of_header(-1); /* the text */
}
EOS
file_of() {
	"$HARTSCOPE" list --function $1 --limit 1 --json ../app.rec 2>&1 |
		sed -n 's/.*"file":"\([^"]*\)".*/\1/p'
}
# compiled FOLDER SOURCE OPTIONS...: app, and what is said of main and of_header
compiled() {
	name="$*" folder=$1 source=$2
	shift 2
	(cd $folder && $gcc "$@" -o $dir/app $source) 2>err ||
		{ bad "$name: built"; cat err; return; }
	"$HARTSCOPE" record -q -o app.rec -- ./app
	cd else || exit 1
	at=$(riscv64-linux-gnu-nm ../app | sed -n 's/^\(.*\) T main$/\1/p')
	main=$(realpath -ms "$(riscv64-linux-gnu-addr2line -e ../app $at | sed 's/:.*//')")
	is "$name: main is where addr2line has it" "$main" "$(file_of main)"
	is "$name: the file that is included" "$dir/${folder%%/*}/inc/h.h" "$(file_of of_header)"
	"$HARTSCOPE" list --function main ../app.rec >out 2>err
	has "$name: its text is shown" 'the text' out
	is "$name: nothing is said" '' "$(cat err)"
	"$HARTSCOPE" coverage --format lcov ../app.rec >out 2>err
	is "$name: lcov's files" "SF:$dir/${folder%%/*}/inc/h.h SF:$main" "$(grep ^SF out | xargs)"
	cd "$dir" || exit 1
}
for version in 2 3 4 5; do
	compiled proj src/m.c -gdwarf-$version
	compiled proj/build ../src/m.c -gdwarf-$version
	compiled proj/build/deep ../.././src//m.c -gdwarf-$version
	compiled proj $dir/proj/build/../src/m.c -gdwarf-$version
done
compiled proj/build ../src/m.c -g -flto
compiled proj/build ../src/m.c -g -gsplit-dwarf
compiled proj/build ../src/m.c -g -O1 -fno-inline
compiled proj/src m.c -g -gz
ln -s "$dir/proj" linked
compiled linked/build ../src/m.c -g
if command -v clang >/dev/null && command -v ld.lld-19 >/dev/null; then
	mkdir -p lld && ln -s "$(command -v ld.lld-19)" lld/ld
	for version in 4 5; do
		(cd proj/build && clang --target=riscv64-linux-gnu -march=rv64gc -mno-relax \
			-gdwarf-$version -O0 -c ../src/m.c -o $dir/proj/src/clang.o) 2>err ||
			bad "clang: it is built"
		compiled proj/src clang.o
	done
fi
# the folder of the compilation is not said: a path as it is, from where it leads
(cd proj && $gcc -g -fdebug-prefix-map=$dir/proj=. -o ../app src/m.c)
"$HARTSCOPE" record -q -o app.rec -- ./app
(cd proj && "$HARTSCOPE" list --function main ../app.rec >../out 2>../err)
has "a folder that the build hides: the text is shown where it is right" 'the text' out
is "a folder that the build hides: its path" "SF:inc/h.h SF:src/m.c" \
	"$("$HARTSCOPE" coverage --format lcov app.rec 2>err | grep ^SF | xargs)"

# ---- two files of one relative name, and one file of two -----------------------------------
mkdir -p x/src x/b y/src y/b
cat >x/src/m.c <<'EOS'
#include "../../proj/inc/h.h"
int fx(int x)
{
	if (x > 5)
		return 9;
	return of_header(x);
}
EOS
cat >y/src/m.c <<'EOS'
#include "../../proj/inc/h.h"
int fx(int);
int main(void)
{
	int s = 0;
	s += fx(1);
	s += fx(2);
	return s != of_header(4);
}
EOS
for version in 4 5; do
	for f in x y; do
		(cd $f/b && $gcc -gdwarf-$version -c ../src/m.c)
	done
	$gcc -o app x/b/m.o y/b/m.o
	"$HARTSCOPE" record -q -o app.rec -- ./app
	name="DWARF $version: two files of one name"
	"$HARTSCOPE" coverage --format lcov app.rec >out
	is "$name, one header" "SF:$dir/proj/inc/h.h SF:$dir/x/src/m.c SF:$dir/y/src/m.c" \
		"$(grep ^SF out | xargs)"
	is "$name: lines that did not run, of gcov" "DA:5,0" "$(grep '^DA:[0-9]*,0$' out)"
	"$HARTSCOPE" coverage --format gcov-json app.rec >out
	is "$name: gcov-json" 3 "$(grep -o '"file": "/[^"]*"' out | sort -u | wc -l)"
	"$HARTSCOPE" export --format callgrind -o app.cg app.rec 2>err
	is "$name: callgrind" 3 "$(grep -o ") $dir/.*[ch]\$" app.cg | sort -u | wc -l)"
	"$HARTSCOPE" annotate fx app.rec >out 2>err
	has "$name: annotate fx" 'if (x > 5)' out
	"$HARTSCOPE" report --html -o app.html app.rec 2>err
	for text in 'if (x > 5)' 's += fx(2);' 'return x + 1;'; do
		has "$name: the page has '$text'" "$text" app.html
	done
done

# ---- paths of Windows ------------------------------------------------------------------------
for path in 'C:\\proj\\fw\\src\\m.c' C:/proj/fw/src/m.c 'C:\\proj\\fw\\build\\..\\src\\m.c'; do
	printf '%s\n' '#line 1 "'"$path"'"' >w.c
	sed 's/of_header(-1)/0/; /include/d' proj/src/m.c >m.c && cat m.c >>w.c
	mkdir -p win/src && cp m.c win/src/
	$gcc -g -o app w.c
	"$HARTSCOPE" record -q -o app.rec -- ./app
	"$HARTSCOPE" list --source-path win --function main app.rec >out 2>err
	has "$path: --source-path finds its text" 'the text' out
	is "$path: its path" SF:C:/proj/fw/src/m.c \
		"$("$HARTSCOPE" coverage --format lcov app.rec 2>err | grep ^SF)"
done
finish
