#!/bin/bash
# Captures whose contexts name processes, of which some have a program and some have none: identify
# finds how they are read by what is known, and says who ran what and where code is missing; with
# the program of another process nothing is "likely".
interleave=$(realpath "${1:?the program that mixes two recordings}") || exit 1
. "${HARTSCOPE_SOURCE:?the source folder}/tests/conformance/programs.sh"

# first and second lie at the same addresses, first and moved do not; other is no part of them
$gcc -O2 -static -o first "$programs/process.c" &&
	$gcc -O2 -static -DSECOND -o second "$programs/process.c" &&
	$gcc -O2 -static -DSECOND -Wl,-Ttext-segment=0x4000000 -o moved "$programs/process.c" &&
	$gcc -O0 -nostdlib -static -o other -x c - <<-EOF || exit 1
		int a[64];
		static int f(int n) { return n < 2 ? n : f(n - 1) + f(n - 2); }
		static int g(int n)
		{
			int s = 0;
			for (int i = 0; i < n; i++)
				if (a[i] & 1)
					s += f(i);
				else
					a[i]++;
			return s;
		}
		#define G(n) int h##n(int x)                    \\
		{                                               \\
			for (int i = 0; i < x; i++)             \\
				if (g(i) > n)                   \\
					return i;               \\
				else if (f(i) & 1)              \\
					x--;                    \\
			return g(x);                            \\
		}
		G(1) G(2) G(3) G(4) G(5) G(6) G(7) G(8) G(9) G(10) G(11) G(12) G(13) G(14) G(15)
		void _start(void) { for (;;) h1(h2(h3(4))); }
	EOF
for name in first second moved; do
	"$HARTSCOPE" record -q -o $name.rec -- ./$name >/dev/null || exit 1
done
"$interleave" first.rec second.rec mixed.rec >mixed.pcs || exit 1
"$interleave" first.rec moved.rec apart.rec >apart.pcs || exit 1
mkdir gone

# capture NAME REC ARGS...: NAME, without what says how it was made
capture()
{
	local name=$1 rec=$2
	shift 2
	"$HARTSCOPE" encode -q --force -o "$name" "$@" $rec || exit 1
	rm -f "$name.json"
}

# identified TEXT VERDICT SETTINGS ARGS...: the verdict, and the first parameters that were found:
# options that a support packet says come after them where the search began later
identified()
{
	local text=$1 verdict=$2 settings=$3
	shift 3
	"$HARTSCOPE" identify --json "$@" >found 2>err
	[ "$(sed -n 's/.*"verdict": *"\([a-z]*\)".*/\1/p' found)" = "$verdict" ] &&
		{ [ -z "$settings" ] || grep -q "\"settings\": *\"$settings[ \"]" found; }
	report "$text: $verdict${settings:+, $settings}" $? found
}

# ran CONTEXT TEXT: it ran code that is known; missed CONTEXT FIRST LAST TEXT: between these
# addresses nothing of it is
members() { tr -d ' \n' <found | sed 's/.*"'"$1"'":\[\([^]]*\)\].*/\1/; s/},{/}\n{/g'; }
ran()
{
	members contexts | grep "\"context\":\"$1\"" |
		grep -q '"halfwords":[1-9].*"contradicted":0,"unseen":0'
	report "$2: context $1 ran what was given" $? found
}
missed()
{
	local row first last

	row=$(members missing | grep "\"context\":\"$1\"")
	first=$(echo "$row" | sed 's/.*"first":"\([^"]*\)".*/\1/')
	last=$(echo "$row" | sed 's/.*"last":"\([^"]*\)".*/\1/')
	[ "$(echo "$row" | grep -c .)" = 1 ] &&
		[ $((first >= $2 && last <= $3 && first < last)) = 1 ]
	report "$4: context $1 lacks code from $first to $last" $? found
}

# text_of FILE: the addresses of its code
text_of()
{
	riscv64-linux-gnu-readelf -SW "$1" |
		sed -n 's/.* \.text *PROGBITS *\([^ ]*\) [^ ]* \([^ ]*\) .*/0x\1 0x\2/p' |
		while read -r at size; do echo "$((at)) $((at + size))"; done
}
read -r low high <<-EOF
	$(text_of first)
EOF
read -r moved_low moved_high <<-EOF
	$(text_of moved)
EOF

nt="--protocol ntrace --set trTeContext=1 --set trTeInstSyncMode=messages --set trTeInstSyncMax=2"
htm="$nt --set trTsEnable=1 --set trTeInstEnRepeatedHistory=1"
btm="$nt --set trTeInstMode=btm"
et="--protocol etrace --set nocontext_p=0 --set resync-max=2"
full="$et --set full-address=1"
while IFS='|' read -r options settings wrong; do
	# shellcheck disable=SC2086
	capture mixed.trace mixed.rec $options
	# shellcheck disable=SC2086
	capture apart.trace apart.rec $options
	mv ./*.rec gone # nothing else than what is given is there
	text=${settings:-none}
	identified "$text, both" clear "$settings" --process 1:first --process 2:second mixed.trace
	ran 0x1 "$text, both"
	ran 0x2 "$text, both"
	[ -z "$(members missing)" ]
	report "$text, both: nothing is missing" $?
	identified "$text, first" likely "$settings" --process 1:first mixed.trace
	ran 0x1 "$text, first"
	missed 0x2 "$low" "$high" "$text, first"
	identified "$text, second" likely "$settings" --process 2:second mixed.trace
	ran 0x2 "$text, second"
	missed 0x1 "$low" "$high" "$text, second"
	identified "$text, one of several" likely "$settings" --elf first apart.trace
	ran 0x1 "$text, one of several"
	missed 0x2 "$moved_low" "$moved_high" "$text, one of several"
	identified "$text, the other" likely "$settings" --elf moved apart.trace
	missed 0x1 "$low" "$high" "$text, the other"
	[ "$wrong" = no ] || for wrong in "--process 1:other" "--elf other"; do
		# shellcheck disable=SC2086
		"$HARTSCOPE" identify --json $wrong mixed.trace >found 2>/dev/null
		grep -q '"verdict": *"\(form\|none\)"' found
		report "$text, $wrong: not even likely" $? found
		# of E-Trace the context's field itself is not found then
		[ "$wrong,${settings%% *}" = "--process 1:other,dialect=sifive" ] || continue
		members contexts | grep '"context":"0x1"' | grep -q '"contradicted":[1-9]'
		report "$text, $wrong: it is context 0x1 that contradicts" $? found
	done
	mv gone/*.rec .
done <<-EOF
	$btm --dialect 1.0 --set trTeSrcBits=4 --set trTeSrcID=3|dialect=1.0 trTeSrcBits=4|no
	$htm --dialect sifive --set trTeSrcBits=2|dialect=sifive trTeSrcBits=2|yes
	$btm --set trTeInstEnAllJumps=1|trTeInstEnAllJumps=1|no
	$et|nocontext_p=0|yes
	$full --set context_width_p=8 --dialect atb|dialect=atb nocontext_p=0 context_width_p=8|no
EOF

# N-Trace counts half-words: the program of the other process is contradicted, too
# shellcheck disable=SC2086
capture mixed.trace mixed.rec $htm --dialect sifive
capture apart.trace apart.rec $nt
mv ./*.rec gone
for wrong in "--process 1:second" "--process 9:first" "--process 1:first --process 2:first"; do
	# shellcheck disable=SC2086
	identified "$wrong" form "" $wrong mixed.trace
done

# the text of /proc/PID/maps, of a process or of all
maps() { printf '%x-%x r-xp 00000000 08:01 12   %s\n' $2 $(($2 + 0x60000)) "$PWD/$1"; }
maps first 0x10000 >first.maps
identified "maps of a process" likely "dialect=sifive" --process 1:first.maps mixed.trace
ran 0x1 "maps of a process"
missed 0x2 "$low" "$high" "maps of a process"
maps moved 0x4000000 >all.maps
identified "maps of all" likely "" --elf all.maps apart.trace
ran 0x2 "maps of all"
missed 0x1 "$low" "$high" "maps of all"
{ cat first.maps && cat all.maps; } >both.maps
identified "maps of both" clear "" --elf both.maps apart.trace

# the command that it prints, and --auto, give what ran
"$HARTSCOPE" identify --process 1:first --process 2:second mixed.trace >text 2>/dev/null
command=$(sed -n 's/^command *hartscope decode //p' text)
# shellcheck disable=SC2086
"$HARTSCOPE" list --format pc $command 2>/dev/null | cmp -s - mixed.pcs
report "the command" $? text
"$HARTSCOPE" list --auto --format pc --process 1:first --process 2:second mixed.trace 2>err |
	cmp -s - mixed.pcs
report "--auto: what ran" $? err
[ "$(wc -l <err)" = 1 ] && grep -q 'read as --protocol ntrace --set dialect=sifive' err
report "--auto: one line" $? err
"$HARTSCOPE" list --auto --format pc --process 1:first mixed.trace 2>err >pcs
[ -s pcs ] && [ -z "$(sort -u pcs | comm -23 - <(sort -u mixed.pcs))" ]
report "--auto with one of them" $? err
! grep -q addressBits err
report "--auto with one of them: no hint at addresses of the other" $? err
exit $failed
