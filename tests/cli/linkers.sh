#!/bin/sh
# Programs and libraries of each linker that is here: what ran has the names that nm has for it, and
# the same lines ran.  lld and mold put the end of one segment and the begin of the next into one
# page of the file, which is mapped twice (design/code-files).
. "$(dirname "$0")/lib.sh"
need riscv64-linux-gnu-gcc
export QEMU_LD_PREFIX=/usr/riscv64-linux-gnu
mkdir bfd lld mold
for found in riscv64-linux-gnu-ld.bfd:bfd ld.lld-19:lld mold:mold; do
	command -v "${found%:*}" >/dev/null && [ ! -e "${found#*:}/ld" ] &&
		ln -s "$(command -v "${found%:*}")" "${found#*:}/ld"
done

cat >work.c <<'EOS'
const char text[] = "some constant data";
__attribute__((noinline)) int work(int x) { return x * 3 + text[x & 3]; }
EOS
cat >main.c <<'EOS'
int work(int);
int main(void)
{
	int s = 0;
	for (int i = 0; i < 10; i++)
		s += work(i);
	return s == 0;
}
EOS
cat >large.c <<'EOS'
const char large[20000] = { 1, 2, 3 };
const char *one(void) { return large; }
EOS

# lines of main.c and work.c that ran, as lcov has them
lines() {
	"$HARTSCOPE" coverage --format lcov "$@" 2>err |
		awk '/^SF/ { ours = /main\.c|work\.c/ } ours && /^(SF|DA)/'
}
# where nm has work(), in a page
page_offset() { riscv64-linux-gnu-nm "$1" | sed -n 's/^.*\(...\) [Tt] work$/\1/p'; }

# ran LINKER KIND FILE OPTIONS...: build and run app; FILE has work()
ran() {
	linker=$1 kind=$2 file=$3
	shift 3
	name="$linker, $kind"
	[ -e $linker/ld ] || { echo "ok - $name # SKIP it is not installed"; return; }
	riscv64-linux-gnu-gcc -O1 -g -mno-relax -B $linker -o app "$@" >err 2>&1 ||
		{ bad "$name: it is built"; cat err; return; }
	"$HARTSCOPE" record -q -o app.rec -- ./app >/dev/null 2>err
	is "$name: it is recorded" "0 " "$? $(cat err)"
	"$HARTSCOPE" list --function work --limit 1 app.rec >out 2>err
	is "$name: work() is named where nm has it" "work+0x0 $(page_offset $file)" \
		"$(sed -n '1s/ .*//p; 2s/^ *0x[0-9a-f]*\(...\)  .*/\1/p' out | xargs)"
	is "$name: there is nothing to say" "" "$(cat err)"
	lines app.rec >"$linker.lines"
	is "$name: the lines that ran" "$(cat bfd.lines)" "$(cat $linker.lines)"
	others
	rm -rf app.rec
}

# What else reads names of a recording: --elf, an export, a debugger at work().
others() {
	if [ $file = app ]; then
		lines --elf app app.rec >elf.lines
		is "$name: the lines that ran, with --elf" "$(cat bfd.lines)" "$(cat elf.lines)"
	fi
	"$HARTSCOPE" export -q --format folded app.rec >out 2>err
	is "$name: an export has main and work()" yes "$(grep -q 'main;work ' out && echo yes)"
	command -v gdb-multiarch >/dev/null || return
	gdb-multiarch -nx -batch -iex 'set remotetimeout 60' \
		-ex "target remote | $HARTSCOPE gdb - app.rec" \
		-ex 'break *work' -ex continue -ex 'info symbol $pc' -ex kill ./app >out 2>err \
		</dev/null
	is "$name: a breakpoint in a debugger is at work()" "work in section .text" \
		"$(grep '^work' out | sed 's/ of .*//')"
}

ran bfd static app -static main.c work.c
is "lines of the two files that ran" 6 "$(grep -c '^DA:[0-9]*,[1-9]' bfd.lines)"
for linker in bfd lld mold; do
	ran $linker static app -static main.c work.c
	ran $linker "static, more constants" app -static main.c work.c large.c
	ran $linker -no-pie app -no-pie main.c work.c large.c
	ran $linker PIE app main.c work.c
	ran $linker "PIE, more constants" app main.c work.c large.c
	riscv64-linux-gnu-gcc -O1 -g -mno-relax -fPIC -shared -B $linker -o libwork.so \
		work.c large.c
	ran $linker "a library" libwork.so main.c -L. -lwork -Wl,-rpath,.
done
ran lld RELR app -Wl,-z,pack-relative-relocs main.c work.c large.c
finish
