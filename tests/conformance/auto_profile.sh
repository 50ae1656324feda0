#!/bin/bash
# Profiles of gcc's -fauto-profile, read by gcc: the program's counts are known from its text, and
# gcc has them at the blocks of its own graph.
. "${HARTSCOPE_SOURCE:?the source folder}/tests/conformance/programs.sh"

cat >app.c <<-EOF
	#define ALONE __attribute__((noinline))
	volatile int hits, misses;
	ALONE void rare(void) { hits++; }
	ALONE void often(void) { misses++; }
	static inline __attribute__((always_inline)) void choose(int i)
	{
		if (i % 9 == 0)
			rare();
		else
			often();
	}
	ALONE int lines(int n)
	{
		for (int i = 0; i < n; i++) {
			if (i % 7 == 0)
				rare();
			else
				often();
		}
		return hits;
	}
	ALONE int inlined(int n)
	{
		for (int i = 0; i < n; i++)
			choose(i);
		return misses;
	}
	ALONE int pointed(int n)
	{
		static void (*const which[])(void) = { rare, often, often, often };
		for (int i = 0; i < n; i++) {
			which[(unsigned)i % 4]();
			misses++;
		}
		return misses;
	}
	/* gcc makes a copy of this one for the constants, pieces.constprop.0 */
	ALONE int pieces(int n, int step)
	{
		for (int i = 0; i < n; i += step)
			rare();
		return n + step;
	}
	ALONE int thrice(int n) { return pieces(300, 3) + pieces(300, 3) + pieces(n, 8); }
	ALONE int never(int n) { return n < 0 ? hits : misses; }
	int main(int argc, char **argv)
	{
		if (argc > 5)
			return never(argc);
		return (lines(7000) + inlined(9000) + pointed(400) + thrice(argc * 800)) == 1;
	}
EOF
$gcc -O2 -g -fipa-cp-clone -static -o app app.c &&
	"$HARTSCOPE" record -q -o app.rec -- ./app >/dev/null || exit 1
nm app | grep -q ' pieces$' && nm app | grep -q ' pieces\.constprop'
report "gcc made a copy of pieces" $?
"$HARTSCOPE" export -q --format auto-profile -o app.afdo app.rec
report "export" $?

# compile PROFILE: the graph after gcc read it is in app.c.*.fixup_cfg3
compile()
{
	rm -f app.c.*
	$gcc -O2 -g -fauto-profile="$1" -fdump-tree-fixup_cfg3-blocks-details -c -o app.o app.c \
		2>err
}
compile app.afdo && [ ! -s err ]
report "gcc reads it, and has nothing to say of it" $? err

# function NAME: its part of the graph
function_of() { sed -n "/^;; Function $1 (/,/^}/p" app.c.*.fixup_cfg3; }
# count FUNCTION STATEMENT COUNT: that of the block with a statement, or of its first one
count()
{
	function_of "$1" | awk -v statement="$2" -v wanted="count $3 (auto FDO" '
		/basic block/ { block = $0 }
		index($0, statement) { exit }
		END { print block; exit !index(block, wanted) }' >got
	report "$1: $2: $3 times" $? got
}
count rare 'hits =' 2400
count often 'misses =' 14300
count lines 'rare ();' 1000
count lines 'often ();' 6000
count inlined 'rare ();' 1000
count inlined 'often ();' 8000
count pointed 'misses =' 400
count pieces 'rare ();' 300
function_of never | grep -q 'basic block'
report "never: it is there" $?
! function_of never | grep -q 'auto FDO'
report "never: nothing is known of it" $?
function_of lines | grep -q '^;;    pred:       ENTRY .*count:1 (auto FDO'
report "lines: entered once" $?
function_of pieces | grep -q '^;;    pred:       ENTRY .*count:3 (auto FDO'
report "pieces: entered three times" $?
grep -h -q 'often' <(strings -n 5 app.afdo)
report "names of targets" $?

# a trace gives the same
"$HARTSCOPE" encode -q --protocol ntrace -o app.nt app.rec &&
	"$HARTSCOPE" export -q --format auto-profile -o trace.afdo app.nt && cmp app.afdo trace.afdo
report "of a trace" $?
"$HARTSCOPE" export -q -j 1 --format auto-profile -o one.afdo app.rec && cmp app.afdo one.afdo
report "with one thread" $?
$gcc -O2 -static -o plain app.c && "$HARTSCOPE" record -q -o plain.rec -- ./plain >/dev/null
"$HARTSCOPE" export -q --format auto-profile -o plain.afdo plain.rec 2>err
[ $? = 1 ] && [ ! -e plain.afdo ] && grep -q 'nothing is exported' err
report "without lines: nothing" $? err
exit $failed
