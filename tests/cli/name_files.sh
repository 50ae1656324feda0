#!/bin/sh
# Names of a dynamically linked program, of its libraries and of what was inlined, against binutils;
# names that are not the file's (design/code-files, design/names).
. "$(dirname "$0")/lib.sh"
for need in gcc g++ addr2line c++filt objcopy strip readelf; do
	command -v riscv64-linux-gnu-$need >/dev/null || {
		echo "ok - names of files # SKIP riscv64-linux-gnu-$need is not installed"
		exit 77
	}
done
export QEMU_LD_PREFIX=/usr/riscv64-linux-gnu
gcc='riscv64-linux-gnu-gcc -O1 -g'
debug_of() { riscv64-linux-gnu-objcopy --only-keep-debug "$1" "$2"; }
build_id() { riscv64-linux-gnu-readelf -n "$1" | sed -n 's/.*Build ID: //p'; }
# the program once, quietly
record() { "$HARTSCOPE" record -q -o "$1.rec" -- "./$1" >/dev/null; }
# the lines of main in a listing, with these options
mains() { "$HARTSCOPE" list "$@" 2>err | grep -c '^main+'; }

cat >shop.c <<'EOS'
#include <stdlib.h>
#include <string.h>
int price(int) __asm__("_RNvCs1234_4shop5price");
int __attribute__((noinline)) price(int x) { return 3 * x + 1; }
static inline __attribute__((always_inline)) int tax(int x) { return x / 5 ^ 5; }
static inline __attribute__((always_inline)) int sum(int x)
{
	return tax(x) +
	       tax(x + 1);
}
int main(int n, char **v)
{
	volatile char *p = malloc(100);

	(void)v;
	memset((void *)p, n, 100);
	int all = price(p[3]) + sum(n);
	free((void *)p);
	return all == 0;
}
EOS
$gcc -o shop shop.c
record shop

# ---- files ------------------------------------------------------------------------
"$HARTSCOPE" list shop.rec >out 2>err
is "nothing to say of files as they ran" "" "$(cat err)"
has "the program's own file is not repeated" '^main+0x0  shop.c:12  {$' out
has "a library" '^malloc+0x0  \[libc.so.6]$' out
has "an entry of the linkage table" '^memset@plt+0x0$' out
is "no name that a library keeps for itself" 0 "$(grep -c '^__libc_malloc+' out)"
has "of Rust" '^shop::price+0x0  shop.c:4 ' out
has "a target" '<shop::price>$' out
"$HARTSCOPE" stat --calls --top 1000 shop.rec >out 2>err
has "stat: a library" ' 1  malloc  \[libc.so.6]$' out
has "stat: the program" ' 1  main$' out
"$HARTSCOPE" stat --calls --top 1000 --json shop.rec >json.out
json "stat" json.out
has "stat: a library in JSON" '"name": "malloc","library": "libc.so.6"' json.out
"$HARTSCOPE" ctr shop.rec >out 2>err
has "ctr: a library" '[0-9a-f] [_a-zA-Z][^ ]* \[libc.so.6]' out
"$HARTSCOPE" list --json shop.rec >json.out 2>err
json "list" json.out
has "a library in JSON" '"function":"malloc","offset":0,"library":"libc.so.6"' json.out
has "a symbol in JSON" '"function":"shop::price","offset":0,"symbol":"_RNvCs1234_4shop5price"' \
	json.out

# ---- functions that were inlined -----------------------------------------------------
$gcc -static -o fixed shop.c
record fixed
"$HARTSCOPE" list --function main fixed.rec >out 2>err
has "in text" '^main+0x[0-9a-f]*  inlined sum > tax  shop.c:5 ' out
"$HARTSCOPE" list --json --function main fixed.rec >json.out 2>err
json "inlined" json.out
has "with their callers" \
	'"inlined":\[{"function":"sum","call_file":"[^"]*shop.c","call_line":17},{"fun' json.out
# "pc main sum tax", ours and addr2line's, which has the innermost first
sed -n 's/.*"pc":"0x\([0-9a-f]*\)".*/\1/p' json.out | sort -u >pcs
sed 's/"call_[a-z]*":[^,}]*//g; s/"file".*//
	s/.*"pc":"0x\([0-9a-f]*\)".*"function":"main"[^[]*\(\[\(.*\)]\)*.*/\1 main \3/
	s/[][{}",:]/ /g; s/function//g; s/  */ /g; s/ $//' json.out | grep ' main' | sort -u >ours
riscv64-linux-gnu-addr2line -a -i -f -e fixed <pcs | awk '
	/^0x/ { if (pc) print pc " " all; sub(/^0x0*/, ""); pc = $1; all = ""; n = 0; next }
	n++ % 2 == 0 { all = $1 (all ? " " all : "") }
	END { print pc " " all }' | sort -u >theirs
is "as addr2line has them" "$(cat theirs)" "$(cat ours)"
is "some of them" yes "$([ "$(grep -c 'main sum tax' ours)" -gt 3 ] && echo yes)"
for name in sum tax; do
	"$HARTSCOPE" annotate --json "$name" fixed.rec >json.out 2>err
	sed -n "s/^\([0-9a-f]*\) main.* $name.*/\1/p; s/^\([0-9a-f]*\) main $name.*/\1/p" theirs |
		sort -u >want
	is "annotate $name: the copies in main, as addr2line has them" "$(cat want)" \
		"$(sed -n 's/.*"pc": *"0x\([0-9a-f]*\)".*"inlined".*/\1/p' json.out | sort -u)"
done
"$HARTSCOPE" annotate tax fixed.rec >out 2>err
has "annotate: into which" '^tax, inlined into main' out

# ---- C++ -------------------------------------------------------------------------------
cat >cart.cc <<'EOS'
#include <stdexcept>
#include <vector>
namespace cart {
template <class T> __attribute__((noinline)) T twice(T x) { return x + x; }
struct item { int n; __attribute__((noinline)) int get(int k) const { return n * k; } };
}
int main()
{
	std::vector<int> v;
	for (int i = 0; i < 5; i++)
		v.push_back(cart::twice(i));
	try {
		throw std::runtime_error("sold out");
	} catch (const std::exception &) {
	}
	return cart::item{ v[2] }.get(2) != 8;
}
EOS
riscv64-linux-gnu-g++ -O1 -g -static -o cart cart.cc
record cart
"$HARTSCOPE" list --json cart.rec >json.out 2>err
json "C++" json.out
sed -n 's/.*"function":"\([^"]*\)","offset":[0-9]*,"symbol":"\([^"]*\)".*/\1\t\2/p' json.out |
	sort -u >both
is "C++: some names" yes "$([ "$(wc -l <both)" -gt 20 ] && echo yes)"
is "C++: as c++filt has them" "" "$(cut -f 2 both | sed 's/@plt$//' | riscv64-linux-gnu-c++filt -i |
	paste - both | awk -F '\t' '{ sub(/@plt$/, "", $2) } $1 != $2')"
get='cart::item::get(int) const'
for name in "$get" cart::item::get _ZNK4cart4item3getEi; do
	is "--function $name" "$get+0x0" \
		"$("$HARTSCOPE" list --function "$name" cart.rec 2>err | sed -n '1s/  .*//p')"
done
is "--function of a template" 'int cart::twice<int>(int)+0x0' \
	"$("$HARTSCOPE" list --function cart::twice cart.rec | sed -n '1s/  .*//p')"
is "--function of another name of it" 'malloc+0x0  [libc.so.6]' \
	"$("$HARTSCOPE" list --function __libc_malloc shop.rec | head -1)"
exits "--function of none" 1 "$HARTSCOPE" list --function cart::none cart.rec
has "says so" "no function that ran is called 'cart::none'" err
"$HARTSCOPE" list --no-demangle --function "_ZNK4cart4item3getEi" cart.rec >out 2>err
has "--no-demangle" '^_ZNK4cart4item3getEi+0x0  cart.cc:5' out
"$HARTSCOPE" stat --top 1000 cart.rec >out 2>err
has "stat: C++" ' 5  int cart::twice<int>(int)$' out

# ---- debug files -----------------------------------------------------------------------
cp shop whole
id=$(build_id shop)
mkdir -p "dbg/.build-id/$(echo "$id" | cut -c 1-2)" .debug by/path
debug_of whole "dbg/.build-id/$(echo "$id" | cut -c 1-2)/$(echo "$id" | cut -c 3-).debug"
riscv64-linux-gnu-strip -o bare whole
record bare
is "stripped: no lines" 0 "$("$HARTSCOPE" list bare.rec | grep -c 'shop.c:')"
"$HARTSCOPE" list --debug-dir dbg bare.rec >out 2>err
has "by build-id" '^main+0x0  shop.c:12 ' out
has "with what was inlined" '  inlined sum > tax  shop.c:5 ' out
$gcc -Wl,--build-id=none -o linked shop.c
debug_of linked linked.debug
riscv64-linux-gnu-strip linked
riscv64-linux-gnu-objcopy --add-gnu-debuglink=linked.debug linked
record linked
has_lines() { "$HARTSCOPE" list "$@" linked.rec 2>err | grep -c '^main+0x0  shop.c:12 '; }
is "by .gnu_debuglink" 1 "$(has_lines)"
mv linked.debug .debug
is "by .gnu_debuglink, in .debug" 1 "$(has_lines)"
mkdir -p "by$PWD"
mv .debug/linked.debug "by$PWD"
is "by .gnu_debuglink, nowhere" 0 "$(has_lines)"
is "by .gnu_debuglink, by the file's path" 1 "$(has_lines --debug-dir none --debug-dir by)"
debug_of whole linked.debug
is "by .gnu_debuglink, of another CRC" 0 "$(has_lines)"

# ---- built again -------------------------------------------------------------------------
sed 's/3 \* x + 1/5 * x + x \/ 3/' shop.c >other.c
$gcc -o shop other.c
is "another build-id: no old name" 0 "$(mains shop.rec)"
has "says so" "shop: was built again after it was recorded: its build-id is $(build_id shop)," err
has "and which one ran" " what ran has $id; it names nothing" err
is "no other file is refused" 1 "$(wc -l <err)"
has "libraries are named" '^malloc+0x0' "$("$HARTSCOPE" list shop.rec >out 2>err; echo out)"
is "given as the program: no old name" 0 "$(mains --elf shop shop.rec)"
is "another build-id: the debug file of the old one" yes \
	"$([ "$(mains --debug-dir dbg shop.rec)" -gt 0 ] && echo yes)"
$gcc -Wl,--build-id=none -o plain shop.c
record plain
is "without build-id" yes "$([ "$(mains plain.rec)" -gt 0 ] && echo yes)"
$gcc -Wl,--build-id=none -o plain other.c
is "without build-id, other bytes: no old name" 0 "$(mains plain.rec)"
has "says so" 'plain: is not the file that ran (built again?): [0-9]* of the [0-9]* bytes' err

# ---- names that would do something --------------------------------------------------------
riscv64-linux-gnu-objcopy --redefine-sym "main=$(printf '\033[31mred')" fixed red
record red
"$HARTSCOPE" list red.rec >out 2>err
has "a terminal's escape sequence" '^\\x1b\[31mred+0x0 ' out
"$HARTSCOPE" list --json red.rec >json.out 2>err
json "a terminal's escape sequence" json.out
is "no escape character" 0 "$(cat out json.out | grep -c "$(printf '\033')")"
finish
