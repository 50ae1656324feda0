#!/bin/sh
# What is other on a terminal: a pager, colours.
. "$(dirname "$0")/lib.sh"
need python3
terminal=$(dirname "$0")/terminal.py
loop_rec
escape=$(printf '\033\\[')
export TERM=xterm PAGER='cat >paged'
coloured() { is "$1" "$2" "$(grep -q "$escape" "$3" && echo yes || echo no)"; }

"$HARTSCOPE" list loop.rec >plain 2>err
exits "a listing on a terminal" 0 "$terminal" "$HARTSCOPE" list loop.rec
is "goes to the pager" "" "$(cat out)"
is "all of it" "$(cat plain)" "$(sed "s/$escape[0-9;]*m//g" paged)"
coloured "with colours" yes paged
rm -f paged
exits "--no-pager" 0 "$terminal" "$HARTSCOPE" list --no-pager loop.rec
is "is on the terminal" "$(cat plain)" "$(sed "s/$escape[0-9;]*m//g" out)"
coloured "with colours" yes out
is "and in no pager" no "$([ -e paged ] && echo yes || echo no)"
exits "the exit status is the command's" 1 "$terminal" "$HARTSCOPE" list --function none loop.rec
exits "a pager that ends early" 0 env PAGER='head -n 1 >paged' "$terminal" "$HARTSCOPE" \
	list --limit 3 loop.rec
is "a pager that ends early" 1 "$(wc -l <paged | tr -d ' ')"
for none in 'PAGER=' PAGER=cat TERM=dumb; do
	rm -f paged
	exits "$none" 0 env "$none" "$terminal" "$HARTSCOPE" list loop.rec
	is "$none: no pager" "$(cat plain)" "$(sed "s/$escape[0-9;]*m//g" out)"
done
rm -f paged
exits "help of every option" 0 "$terminal" "$HARTSCOPE" list --help --all
has "help of every option" "^Usage: hartscope list" paged

# What is said while the pager shows is said after its end.
exits "notes" 1 env PAGER='cat >/dev/null; sleep 0.2; echo the pager ends' "$terminal" \
	"$HARTSCOPE" list --function none loop.rec
is "notes: after the pager" "the pager ends" "$(sed 's/hartscope: .*/a note/' out | head -n 1)"
has "notes: they are there" "^hartscope: no function that ran is called 'none'" out
exits "help on a terminal" 0 "$terminal" "$HARTSCOPE" help
has "help on a terminal: paged" "^Usage: hartscope COMMAND" paged
rm -f paged
exits "--help on a terminal" 0 "$terminal" "$HARTSCOPE" --help
has "--help on a terminal: paged" "^Usage: hartscope COMMAND" paged

"$HARTSCOPE" list loop.rec >out
coloured "a pipe" no out
"$HARTSCOPE" list --color=always loop.rec >out
coloured "--color=always in a pipe" yes out
NO_COLOR=1 "$HARTSCOPE" list --color always loop.rec >out
coloured "--color=always with NO_COLOR" yes out
for no in --color=never --color=auto; do
	NO_COLOR=$([ $no = --color=auto ] && echo 1) "$terminal" "$HARTSCOPE" list --no-pager $no \
		loop.rec >out
	coloured "a terminal with $no and NO_COLOR or never" no out
done
exits "--color=sometimes" 2 "$HARTSCOPE" list --color=sometimes loop.rec
has "--color=sometimes" "auto, always or never" err
# Progress, which begins after two seconds: the reader of the trace makes it wait for so long.
{
	echo 1000
	yes '1002
1004' | head -n 400000
	echo 1006
} >long.pcs
loop_bin
"$HARTSCOPE" import -q --from pcs --bin loop.bin@0x1000 -o long.rec long.pcs
mkfifo trace
{ head -c 1000; sleep 2.5; cat; } <trace >/dev/null &
exits "encode, with progress" 0 "$terminal" "$HARTSCOPE" encode --set trTeInstMode=btm -o trace \
	long.rec
has "encode: per cent and time left" 'encoding: [0-9]* %, [0-9]*:[0-9][0-9] left' out
wait

# Lines of messages are folded at the width of the terminal, between words; in a pipe and as JSON
# they are as they are.
words() { tr -s ' \n' '\n' <"$1"; }
# folded COLUMNS COMMAND...: as in a pipe, and no row wider
folded()
{
	columns=$1
	shift
	"$HARTSCOPE" "$@" >plain 2>err
	"$terminal" sh -c "stty cols $columns && exec \"\$@\"" - env PAGER= "$HARTSCOPE" "$@" >out
	is "$1 on $columns columns: some line is wider" yes \
		"$(awk -v n="$columns" 'length($0) > n { wide = 1 } END { print wide ? "yes" : "no" }' plain)"
	is "$1 on $columns columns: no row is" "" "$(awk -v n="$columns" 'length($0) > n' out)"
	is "$1 on $columns columns: the same words" "$(words plain)" "$(words out)"
}
"$HARTSCOPE" encode -q --protocol etrace -o loop.et loop.rec 2>err
folded 60 dump --wire loop.et
folded 80 dump --wire loop.et
folded 80 explain loop.et 3
folded 50 dump --resolve loop.et
"$HARTSCOPE" dump --json loop.et >plain
"$terminal" env PAGER= "$HARTSCOPE" dump --json loop.et >out
is "dump --json on a terminal" "$(cat plain)" "$(cat out)"
# Names are short on a terminal.
if command -v riscv64-linux-gnu-gcc >/dev/null; then
	names='_ZN3foo3barIiEEvv _ZN3fooltERKS_S1_ _ZN12_GLOBAL__N_14workEi plain'
	{
		printf '.globl _start\n_start:\n'
		for name in $names; do printf '\tcall %s\n' "$name"; done
		printf '\tli a7, 93\n\tecall\n'
		for name in $names; do
			printf '.globl %s\n.type %s, @function\n%s: ret\n.size %s, .-%s\n' \
				"$name" "$name" "$name" "$name" "$name"
		done
	} >names.S
	riscv64-linux-gnu-gcc -static -nostdlib -o names names.S &&
		"$HARTSCOPE" record -q -o names.rec -- ./names >record 2>&1
	shown() { "$terminal" "$HARTSCOPE" report --no-pager --color never "$@" names.rec; }
	shown >out
	for name in 'foo::bar<\.\.\.>' 'foo::operator<' '(anonymous namespace)::work' plain; do
		has "short names: $name" "  $name\$" out
	done
	shown --long-names >out
	has "--long-names" '  void foo::bar<int>()$' out
	"$HARTSCOPE" report names.rec >out
	has "a pipe has whole names" '  void foo::bar<int>()$' out
	# Two runs that part in the first function, and one that dies in it.
	body='bnez a0, 1f; nop; 1: ret'
	sed "s/^\(_ZN3foo3bar.*: \)ret\$/\1$body/" names.S >part.S
	sed 's/^_start:/_start: li a0, 1/' part.S >other.S
	sed 's/^_start:/_start: li a0, 0/' part.S >part0.S
	sed 's/^\(_ZN3foo3bar.*: \)ret$/\1unimp/' names.S >dead.S
	for run in part0 other dead; do
		riscv64-linux-gnu-gcc -static -nostdlib -o $run $run.S &&
			"$HARTSCOPE" record -q -o $run.rec -- ./$run >>record 2>&1
	done
	for command in 'list part0.rec' 'diff --startup part0.rec other.rec' 'crash dead.rec'; do
		of=${command%% *}
		"$terminal" "$HARTSCOPE" $command --no-pager --color never >out
		has "short names: $of" 'foo::bar<\.\.\.>' out
		is "short names: $of: no long ones" 0 "$(grep -c 'foo::bar<int>' out)"
		"$terminal" "$HARTSCOPE" $command --no-pager --color never --long-names >out
		has "--long-names: $of" 'void foo::bar<int>()' out
	done
fi
finish
