#!/bin/sh
# Recordings, programs and traces that somebody else made name files, lead out of their folder, or
# take the reader over: nothing else is read, opened or started (SECURITY.md).
. "$(dirname "$0")/lib.sh"
need riscv64-linux-gnu-gcc cc
dir=$(pwd -P)
mkdir own other secret

# ---- a program whose debug information names $2, compiled in folder $3
source_of() { # OUT FILE FOLDER
	cat >p.S <<-EOS
		.file 1 "$2"
		.globl _start
		.option rvc
		_start: .loc 1 1
		c.li a0, 2
		turn: c.addi a0, -1
		c.bnez a0, turn
		jal leaf
		.4byte 0x00150513
		leaf: ret
		.section .debug_info,"",@progbits
		.4byte 2f-1f
		1: .2byte 4
		.4byte .Labbrev
		.byte 8, 1
		.4byte .Lline
		.string "$3"
		2:
		.section .debug_line,"",@progbits
		.Lline:
		.section .debug_abbrev,"",@progbits
		.Labbrev: .byte 1, 0x11, 0, 0x10, 0x17, 0x1b, 0x08, 0, 0, 0
	EOS
	riscv64-linux-gnu-gcc -march=rv64gc -nostdlib -static -Wl,-Ttext=0x1000 -Wl,--no-relax \
		-o "$1" p.S || bad "the program is built"
}
source_of own/plain.elf "$dir/own/none.c" "$dir/own"
loop_csv
# A recording of own/plain.elf, written here, and a copy, whose names are those of somebody else.
"$HARTSCOPE" import -q --from csv --elf own/plain.elf -o own/loop.rec loop.csv
is "import" 0 $?
mkdir rec && "$HARTSCOPE" import -q --from csv --elf own/plain.elf -o rec/loop.rec loop.csv
"$HARTSCOPE" list rec/loop.rec >out 2>err
has "a recording that was made here names its program" '^turn+0x0' out
cp -R rec/loop.rec other/
cd other || exit 1
exits "a recording of elsewhere" 0 "$HARTSCOPE" list loop.rec
has "its program is not read" '/own/plain.elf: not read: it is named by a file' err
is "names" 0 "$(grep -c turn out)"
exits "--elf" 0 "$HARTSCOPE" list --elf ../own/plain.elf loop.rec
has "the user names it" '^turn+0x0' out
exits "--allow-paths" 0 "$HARTSCOPE" list --allow-paths loop.rec
has "all names are read" '^turn+0x0' out

# ---- other files than programs, by name
for target in /etc/passwd /dev/zero "$dir/other/fifo" /proc/self/environ; do
	rm -rf bad.rec fifo && cp -R loop.rec bad.rec && mkfifo fifo
	sed -i "s|$dir/own/plain.elf|$target|g" bad.rec/manifest.json
	for command in list stat info report; do
		timeout 20 "$HARTSCOPE" $command --allow-paths bad.rec >out 2>err </dev/null
		is "$command: a recording that names ${target##*/}" 0 $?
		if grep -q 'root:\|PATH=' out err; then bad "its bytes are shown"; fi
	done
done
rm -rf bad.rec fifo

# ---- files of a recording that lead elsewhere
for file in manifest.json runs.zst hart-0.zst; do
	cp -R loop.rec bad.rec
	mv bad.rec/$file ../secret/$file
	ln -s ../../secret/$file bad.rec/$file
	timeout 20 "$HARTSCOPE" list bad.rec >out 2>err </dev/null
	if [ $? -ne 0 ]; then ok "$file leads out"; else bad "$file leads out"; fi
	has "$file: why" "a link that leads out of its folder\|hart-0.zst" err
	rm -rf bad.rec
	cp -R loop.rec bad.rec
	rm bad.rec/$file
	mkfifo bad.rec/$file
	timeout 20 "$HARTSCOPE" list bad.rec >out 2>err </dev/null
	is "$file is a FIFO: it is not waited for" 0 $(($? == 124))
	rm -rf bad.rec
done

# ---- files next to a trace, and a program
exits "parameters without end" 3 timeout 20 "$HARTSCOPE" list --protocol ntrace \
	--config /dev/zero --elf ../own/plain.elf loop.rec/manifest.json
"$HARTSCOPE" encode -q --protocol ntrace -o loop.nt loop.rec
# What is made of somebody's trace does not say in our name which recording to read.
mkdir mine
cp loop.nt mine/his.nt && sed "s|\"loop.rec\"|\"$dir/rec/loop.rec\"|" loop.nt.json >mine/his.nt.json
cd mine || exit 1
exits "a trace of somebody names a recording elsewhere" 2 "$HARTSCOPE" list his.nt
exits "it is encoded again" 0 "$HARTSCOPE" encode -q --protocol etrace --elf ../../own/plain.elf \
	-o ours.et his.nt
exits "what is made of it names none" 2 "$HARTSCOPE" list ours.et
has "what is made of it names none: says so" 'give it with --elf' err
cd .. || exit 1
for file in loop.nt.json loop.nt.code loop.nt.idx; do
	rm -f $file
	mkfifo $file
	timeout 20 "$HARTSCOPE" list --protocol ntrace --elf ../own/plain.elf loop.nt >out 2>err \
		</dev/null
	is "$file is a FIFO: it is not waited for" 0 $(($? == 124))
	rm -f $file
done
mkfifo fifo
timeout 20 "$HARTSCOPE" list --elf fifo loop.rec >out 2>err </dev/null
is "the program is a FIFO" 2 $?
has "why" 'fifo: not a regular file' err
rm fifo
cd ..

# ---- source text
echo 'the launch code is 1234' >secret/keys.c
mkdir -p work/src && echo 'the work of somebody' >work/src/app.c
shows() { # TEXT YES|NO WORD ELF OPTIONS...
	text=$1 want=$2 word=$3 elf=$4
	shift 4
	rm -rf rec/it.rec other/it.rec
	"$HARTSCOPE" import -q --from csv --elf "other/$elf" -o rec/it.rec loop.csv
	cp -R rec/it.rec other/
	(cd other && "$HARTSCOPE" list --elf "$elf" "$@" it.rec >out 2>err)
	if grep -q "$word" other/out; then is "$text" "$want" yes; else is "$text" "$want" no; fi
}
source_of other/far.elf "$dir/secret/keys.c" "$dir/other"
shows "source text of elsewhere" no launch far.elf
shows "with --source-path" yes launch far.elf --source-path ../secret
shows "with --allow-paths" yes launch far.elf --allow-paths
"$HARTSCOPE" list --elf other/far.elf other/it.rec >out 2>err
has "source text below the current folder" 'launch' out
for home in "$dir" "$dir/work"; do
	HOME=$home "$HARTSCOPE" list --elf other/far.elf other/it.rec >out 2>err
	is "not where that is the home, or above it" 0 "$(grep -c launch out)"
	has "not where that is the home: says so" 'keys.c: its text is not shown' err
done
"$HARTSCOPE" list rec/it.rec >out 2>err
has "source text of elsewhere, of a recording that was made here" 'launch' out
source_of other/up.elf "$dir/secret/keys.c" "$dir/other/../secret"
shows "a compile directory with .." no launch up.elf
source_of other/root.elf "$dir/secret/keys.c" /
shows "the compile directory /" no launch root.elf
ln -s "$dir/secret/keys.c" work/src/link.c
source_of other/link.elf "$dir/work/src/link.c" "$dir/work"
shows "a link out of the compile directory" no launch link.elf
source_of other/work.elf "$dir/work/src/app.c" "$dir/work"
shows "the compile directory" yes 'work of somebody' work.elf
source_of other/moved.elf "/builds/somebody/src/app.c" /builds/somebody
shows "--source-path: the last names of a path" yes 'work of somebody' moved.elf \
	--source-path ../work

# ---- a reader that was taken over
if readelf -Ws "$HARTSCOPE" | grep -q __asan_init; then
	echo "skipped: with sanitizers no library is loaded before them"
	finish
fi
cc -shared -fPIC -o attacker.so "${HARTSCOPE_SOURCE:?}/tests/cli/attacker.c" -ldl 2>err ||
	{ bad "the attacker is built"; cat err; }
echo old >secret/old
attack() { # OPTIONS...
	rm -f secret/new secret/link
	(cd other && LD_PRELOAD=$dir/attacker.so ATTACK_READ=$dir/secret/keys.c \
		ATTACK_WRITE=$dir/secret/new ATTACK_OVERWRITE=$dir/secret/old \
		ATTACK_LINK=$dir/secret/link "$HARTSCOPE" stat --elf ../own/plain.elf "$@" \
		loop.rec >out 2>err)
	grep '^attack' other/err >attempts
}
LD_PRELOAD=$dir/attacker.so ATTACK_PROBE=1 "$HARTSCOPE" --version >out
version=$(sed -n 's/^landlock //p' out)
attack --no-sandbox
is "--no-sandbox: nothing is refused" 9 "$(grep -c done attempts)"
attack
for what in run exec socket trace signal; do
	has "$what" "attack: $what: refused" attempts
done
if [ "$version" -gt 0 ]; then
	for what in read write overwrite link; do
		has "$what" "attack: $what: refused" attempts
	done
else
	echo "skipped: this kernel has no Landlock"
fi
has "and the command goes on" '^instructions' other/out
finish
