#!/bin/bash
# Profiles of LLVM's -fprofile-sample-use, read by clang and llvm-profdata.  The program's counts
# are known from its text: branch weights in the code that clang makes are these (LLVM adds 1).
needs="clang llvm-profdata"
. "${HARTSCOPE_SOURCE:?the source folder}/tests/conformance/programs.sh"

cat >app.c <<-EOF
	#define ALONE __attribute__((noinline))
	int hits, misses;
	ALONE void rare(int i) { hits += i; }
	ALONE void often(int i) { misses ^= i; }
	static inline __attribute__((always_inline)) void choose(int i)
	{
		if (i % 9 == 0)
			rare(i);
		else
			often(i);
	}
	ALONE int lines(int n)
	{
		for (int i = 0; i < n; i++) {
			if (i % 7 == 0)
				rare(i);
			else
				often(i);
		}
		return hits;
	}
	ALONE int together(int n)
	{
		for (int i = 0; i < n; i++) { if (i % 5 == 0) rare(i); else often(i); }
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
		static void (*const which[])(int) = { rare, often, often, often };
		for (int i = 0; i < n; i++)
			which[(unsigned)i % 4](i);
		return misses;
	}
	ALONE int never(int n) { return n < 0 ? hits : misses; }
	int main(int argc, char **argv)
	{
		if (argc > 5)
			return never(argc);
		return (lines(7000) + together(5000) + inlined(9000) + pointed(400)) == 1;
	}
EOF
for_riscv=(--target=riscv64-linux-gnu -march=rv64gc -mabi=lp64d --gcc-toolchain=/usr)
debug=(-gline-tables-only -fdebug-info-for-profiling)
clang "${for_riscv[@]}" -O2 "${debug[@]}" -c -o app.o app.c 2>err || {
	echo "skip: this clang makes no code for RISC-V: $(head -n 1 err)"
	exit 77
}
$gcc -static -o app app.o && "$HARTSCOPE" record -q -o app.rec -- ./app >/dev/null || exit 1
"$HARTSCOPE" export -q --format autofdo -o app.prof app.rec
report "export" $?

# weights FUNCTION: those of its branches, as clang has them with the profile
clang "${for_riscv[@]}" -O2 "${debug[@]}" -fprofile-sample-use=app.prof -S -emit-llvm -o app.ll \
	app.c 2>err
report "clang reads it" $? err
[ ! -s err ]
report "clang has nothing to say of it" $? err
weights()
{
	sed -n "/^define.* @$1(/,/^}/p" app.ll | sed -n 's/.*!prof \(![0-9]*\).*/\1/p' |
		while read -r number; do
			grep "^$number = .*branch_weights" app.ll |
				sed 's/.*, i32 \([0-9]*\), i32 \([0-9]*\)}/\1 \2/'
		done
}
# branches FUNCTION A B: a branch goes one way A times and the other way B times
branches()
{
	weights "$1" >got
	grep -q "^$(($2 + 1)) $(($3 + 1))\$\|^$(($3 + 1)) $(($2 + 1))\$" got
	report "$1: $2 and $3 times" $? got
}
branches lines 1000 6000
branches together 1000 4000
branches inlined 1000 8000
grep -q '^define.* @never.*!prof' app.ll && [ -z "$(weights never | grep -v '^1 1$')" ]
report "never: no branch was taken" $?

llvm-profdata show --sample app.prof >shown 2>err
report "llvm-profdata reads it" $? err
# function NAME: its part of what llvm-profdata shows
function_of() { sed -n "/^Function: $1:/,/^No inlined\|^}/p" shown; }
grep -q '^Function: rare: [0-9]*, 3100,' shown
report "rare was entered 3,100 times" $? shown
grep -q '^Function: often: [0-9]*, 18300,' shown
report "often was entered 18,300 times" $? shown
function_of lines | grep -q ': 1000, calls: rare:1000' &&
	function_of lines | grep -q ': 6000, calls: often:6000'
report "lines: what it called" $? shown
function_of together | grep -q '\.[0-9]*: 1000, calls: rare:1000' &&
	function_of together | grep -q '\.[0-9]*: 4000, calls: often:4000'
report "together: places of one line by discriminators" $? shown
function_of pointed | grep -q ': 400, calls: .*often:300' &&
	function_of pointed | grep -q ': 400, calls: .*rare:100'
report "pointed: targets of a pointer" $? shown
sed -n '/^Function: inlined:/,/^Function: [^i]/p' shown | grep -q 'choose: 18000, 0, 3'
report "inlined: a function inside" $? shown
grep -q 'Function: never:' shown
[ $? = 1 ]
report "never: it is not there" $?

# a trace gives the same
"$HARTSCOPE" encode -q --protocol ntrace -o app.nt app.rec &&
	"$HARTSCOPE" export -q --format autofdo -o trace.prof app.nt && cmp app.prof trace.prof
report "of a trace" $?
"$HARTSCOPE" export -q -j 1 --format autofdo -o one.prof app.rec && cmp app.prof one.prof
report "with one thread" $?
$gcc -O2 -static -o plain -x c app.c && "$HARTSCOPE" record -q -o plain.rec -- ./plain >/dev/null
"$HARTSCOPE" export -q --format autofdo -o plain.prof plain.rec 2>err
[ $? = 1 ] && [ ! -e plain.prof ] && grep -q 'nothing is exported' err
report "without lines: nothing" $? err
exit $failed
