#!/bin/sh
# Debug information that is in other files, that cannot be read, and that is of functions which the
# linker removed: what is shown is what the same program has without that, or a word says why not.
. "$(dirname "$0")/lib.sh"
need riscv64-linux-gnu-gcc riscv64-linux-gnu-addr2line
dir=$(pwd -P)
gcc='riscv64-linux-gnu-gcc -O1 -static'

# ---- split off (.dwo) ------------------------------------------------------------------------
mkdir src there
cat >src/s.c <<'EOS'
static inline __attribute__((always_inline)) int inl(int x)
{
	return x * 7 + 1;
}
__attribute__((noinline)) int leaf(int x)
{
	return inl(x) + inl(x + 2);
}
int main(void)
{
	return leaf(3) == 0;
}
EOS
leaf() { "$HARTSCOPE" list "$@" --function leaf 2>err | sed 's/^  0x[0-9a-f]* //'; }
$gcc -g -o whole src/s.c
at=$(riscv64-linux-gnu-nm whole | sed -n 's/^\(.*\) T leaf$/\1/p')
is "addr2line: what is inlined there" "inl leaf" \
	"$(riscv64-linux-gnu-addr2line -i -f -e whole "$at" | sed -n 'p;n' | xargs)"
"$HARTSCOPE" record -q -o whole.rec -- ./whole
leaf whole.rec >whole.txt
has "without -gsplit-dwarf" 'leaf+0x0  inlined inl  s.c:3' whole.txt
for version in 4 5; do
	rm -rf build && mkdir build
	(cd build && $gcc -gdwarf-$version -gsplit-dwarf -c ../src/s.c && $gcc -o split s.o)
	name="DWARF $version, split"
	"$HARTSCOPE" record -q -o split.rec -- build/split
	leaf split.rec >split.txt
	# objcopy makes a .dwo without the relocations that hold lengths
	lengths=$(riscv64-linux-gnu-objdump --dwarf=info build/s.dwo 2>err |
		awk '/DW_TAG/ { inlined = /inlined_subroutine/ } inlined && /high_pc *: 0$/' | wc -l)
	leaf split.rec >split.txt
	has "$name: what has no length is said" \
		"build/split: its .dwo lacks the lengths of inlined functions ($lengths): " err
	is "$name: nothing else" 1 "$(wc -l <err)"
	(cd there && leaf ../split.rec) >there.txt
	# GCC 14 puts the one without a length first
	if [ "$($gcc -dumpversion)" -lt 14 ]; then
		is "$name: as without" "$(cat whole.txt)" "$(cat split.txt)"
	else
		echo "ok - $name: as without # SKIP an inlined function without a length"
	fi
	is "$name: from elsewhere" "$(cat split.txt)" "$(cat there.txt)"
	"$HARTSCOPE" coverage split.rec >split.txt 2>err
	"$HARTSCOPE" coverage whole.rec >want.txt
	is "$name: coverage" "$(sed 's/^branches:.*//; /  0x/d' want.txt)" \
		"$(sed 's/^branches:.*//; /  0x/d' split.txt)"
	"$HARTSCOPE" record -q -o moved.rec -- build/split && mv build/s.dwo build/kept.dwo
	leaf moved.rec >out
	has "$name, without its .dwo: says so" 'split: its debug information s.dwo is not there' err
	is "$name, without its .dwo: once" 1 "$(grep -c . err)"
	has "$name, without its .dwo: lines" '^leaf+0x0  s.c:3' out
	mkfifo build/s.dwo
	timeout 20 "$HARTSCOPE" list --function leaf moved.rec >out 2>err
	is "$name: a FIFO is not waited for" 0 $?
	has "$name: a FIFO: says so" 's.dwo is not there, or cannot be read' err
	rm -f build/s.dwo && mv build/kept.dwo build/s.dwo
	# of somebody else: what the program names is read below folders of the command line
	rm -rf other && mkdir other && cp -R split.rec other/ && cp build/split other/
	mkdir -p $dir/build/deep && mv build/s.dwo build/deep/ && ln -s deep/s.dwo build/s.dwo
	(cd other && leaf --elf split split.rec >out)
	has "$name, below where it was compiled" 'leaf+0x0  inlined inl  s.c:3' other/out
	mv build/deep/s.dwo there/ && ln -sf ../there/s.dwo build/s.dwo
	(cd other && leaf --elf split split.rec >out)
	has "$name, a link that leads out: not read" 's.dwo is not there, or cannot be read' \
		other/err
	rm -f there/s.dwo
done
# ---- in a package (.dwp), which libdw reads since elfutils 0.191 --------------------------------
dwp=$(command -v llvm-dwp || command -v llvm-dwp-19)
# shellcheck disable=SC2086  # one DWARF that LLVM 14 and 19 pack
if [ -n "$dwp" ] && (rm -rf build && mkdir build && cd build &&
	$gcc -gdwarf-4 -gsplit-dwarf -c ../src/s.c && $gcc -o split s.o &&
	timeout 20 "$dwp" -e split -o package) 2>err; then
	"$HARTSCOPE" record -q -o split.rec -- build/split
	leaf split.rec >want
	mv build/package build/split.dwp && rm build/s.dwo
	leaf split.rec >out
	if pkg-config --atleast-version=0.191 libdw; then
		has "its .dwo" '  inlined inl  s.c:3' want
		is "a package: as its .dwo" "$(cat want)" "$(cat out)"
		has "a package: what has no length is said" 'its .dwo lacks the lengths' err
	else
		has "a package: what it needs" 's.dwo is not there.* a .dwp needs elfutils 0.191' err
	fi
	rm build/split.dwp && mkfifo build/split.dwp
	timeout 20 "$HARTSCOPE" list --function leaf split.rec >out 2>err
	is "a package that is a FIFO is not waited for" 0 $?
else
	echo "ok - a package # SKIP there is no llvm-dwp"
fi

# ---- that cannot be read -----------------------------------------------------------------------
if riscv64-linux-gnu-objcopy --compress-debug-sections=zstd whole zstd 2>/dev/null; then
	"$HARTSCOPE" record -q -o zstd.rec -- ./zstd
	leaf zstd.rec >out
	if grep -q 's.c:3' out; then ok "zstd: read"; else
		has "zstd: says so" 'zstd: its debug information cannot be read: .*objcopy' err
		"$HARTSCOPE" coverage zstd.rec >out 2>err
		is "zstd: coverage has no wrong advice" 0 "$(grep -c 'compile it with -g' err)"
		has "zstd: coverage says so" 'compressed with zstd' err
	fi
	riscv64-linux-gnu-objcopy --decompress-debug-sections zstd
	is "zstd: what the message says helps" "$(cat whole.txt)" "$(leaf zstd.rec)"
else
	echo "ok - zstd # SKIP objcopy has none"
fi
for section in info line; do
	head -c 4096 /dev/zero >zeros
	riscv64-linux-gnu-objcopy --update-section .debug_$section=zeros whole damaged
	"$HARTSCOPE" record -q -o damaged.rec -- ./damaged
	leaf damaged.rec >out
	has ".debug_$section is damaged: says so" 'damaged: .*cannot be read: ' err
done

# ---- removed by the linker ---------------------------------------------------------------------
dead='int dead(int x)
{
	if (x & 1)
		sink = 3;
	sink += x;
	for (int i = 0; i < x; i++)
		sink ^= helper(i);
	return helper(x) + helper(x + 1);
}'
live='int live(int x)
{
	int s = 1;
	for (int i = 0; i < x; i++)
		s += i;
	return s;
}'
mkdir lld
command -v ld.lld-19 >/dev/null && ln -s "$(command -v ld.lld-19)" lld/ld
# gone NAME: live() is at 0, dead() was removed; FN and DA are of live() only
gone() {
	name=$1
	riscv64-linux-gnu-nm z.elf | grep -q '^0* T live$' || { bad "$name: live is at 0"; return; }
	riscv64-linux-gnu-nm -n z.elf | sed -n 's/^\(.*\) T live$/\1/p' >z.pcs
	"$HARTSCOPE" import -q --from pcs --elf z.elf -o z.rec z.pcs 2>err
	"$HARTSCOPE" coverage --format lcov z.rec >z.info 2>err
	line=$(grep -n '^int live' z.c | cut -d: -f1)
	first=$(grep -n '^int dead' z.c | cut -d: -f1)
	has "$name: where it is declared" "^FN:$line,live\$" z.info
	is "$name: no line of what was removed" '' "$(awk -F'[:,]' -v a="$first" \
		'/^DA/ && $2 >= a && $2 < a + 9' z.info | xargs)"
	"$HARTSCOPE" list z.rec >out 2>err
	is "$name: nor of what was inlined into it" 0 "$(grep -c '^DA:4,' z.info)"
	has "$name: the first instruction" "^live+0x0  z.c:$((line + 1)) " out
}
for order in "$dead$live" "$live$dead"; do
	[ "$order" = "$dead$live" ] && which="removed first" || which="removed last"
	cat >z.c <<-EOS
		int sink;
		static inline __attribute__((always_inline)) int helper(int x)
		{
			return x * 7 + 1;
		}
		$(echo "$order" | sed 's/^}int/}\nint/')
		void _start(void)
		{
			volatile int r = live(3);
			(void)r;
			for (;;)
				;
		}
	EOS
	for options in '-O0 -gdwarf-5' '-O1 -gdwarf-4' '-O0 -g -mno-relax' '-O1 -g -mno-relax' \
		'-O0 -g -mno-relax -B lld' '-O1 -g -mno-relax -B lld'; do
		case $options in *lld) [ -e lld/ld ] || continue ;; esac
		riscv64-linux-gnu-gcc $options -ffunction-sections -fno-pie -static -nostdlib \
			-Wl,--gc-sections -Wl,--build-id=none -Wl,-Ttext=0 -Wl,-e,_start \
			-o z.elf z.c 2>err || { bad "$which, $options: built"; cat err; }
		gone "$which, $options"
	done
done
finish
