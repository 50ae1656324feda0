#!/bin/bash
# hartscope identify: third-party vectors, our own encodings under random parameters on random
# transports, and what it must refuse.  Right means that the command which it prints decodes to the
# flow that was executed; where it is not right it must not say that it is clear.
#
#   identify.sh [CASES|long]    by default 8, with sanitizers 2, long 200; SEED chooses others
#
# With sanitizers captures and noise are small too, and a program elsewhere is looked for in N-Trace
# only.
set -u
cases=${1-8}
[ "$cases" != long ] || cases=200
[ -z "${HARTSCOPE_SANITIZED-}" ] || cases=2
. "${HARTSCOPE_SOURCE:?the source folder}/tests/need.sh"
need riscv64-linux-gnu-gcc qemu-riscv64
vectors=${HARTSCOPE_VECTORS:-}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
status=0
noise=1048576
rounds=300
if [ -n "${HARTSCOPE_SANITIZED-}" ]; then
	noise=1024
	rounds=24
fi

# Random numbers from 4.  Not $RANDOM: each $(...) would start it anew, by the clock.
awk -v seed="${SEED-1}" 'BEGIN {
	for (x = seed % 2147483646 + 1; n < 100000; n++) {
		x = x * 16807 % 2147483647
		print x
	}
}' >"$work/random"
exec 4<"$work/random"

# random BELOW
random()
{
	local n

	read -r n <&4 && echo $((n % $1))
}

. "$HARTSCOPE_SOURCE/tests/conformance/verdict.sh"

# field NAME: of what identify printed
field()
{
	sed -n "s/^$1  *//p" "$work/said"
}

# decodes OUT: the command that identify printed, as a list of addresses
decodes()
{
	local command

	command=$(field command)
	[ -n "$command" ] || return 1
	# shellcheck disable=SC2086
	set -- ${command#hartscope decode}
	"$HARTSCOPE" list --format pc "$@" >"$work/pcs" 2>/dev/null
}

# follows [PROGRAM]: the same as a flow, which is the one that was recorded
follows()
{
	local command recorded=$work/${1-app}.rec

	command=$(field command)
	[ -n "$command" ] || return 1
	# shellcheck disable=SC2086
	set -- ${command#hartscope decode}
	rm -rf "$work/flow"
	"$HARTSCOPE" decode -q -o "$work/flow" "$@" >"$work/out" 2>&1 &&
		"$HARTSCOPE" check "$recorded" "$work/flow" >"$work/out" 2>&1
}

# vector TEXT EXPECTED PROGRAM CAPTURE: the addresses executed; expected may have one more.  The
# boot code from 1000 on is in no program: a decoder of the reference has it, others end with 3.
vector()
{
	local have

	"$HARTSCOPE" identify --elf "$3" "$4" >"$work/said" 2>&1
	decodes
	good=$?
	sed -i '/^10[01].$/d' "$work/pcs"
	have=$(wc -l <"$work/pcs")
	[ $good = 0 ] || { [ $good = 3 ] && grep -q '^10[01].$' "$2"; } &&
		[ "$have" -gt 0 ] && sed '/^10[01].$/d' "$2" >"$work/want" &&
		head -n "$have" "$work/want" | cmp -s - "$work/pcs" &&
		[ $(($(wc -l <"$work/want") - have)) -le 1 ]
	good=$?
	verdict "$1: $(field verdict), $(field settings)" $good
}

# without_rom ELF CAPTURE: without an option list goes on, and says which address has no code; but for the ROM the
# PCs are all there.
without_rom()
{
	local text
	text="$(basename "$(dirname "$2")") $(basename "$2"), without its ROM"

	"$HARTSCOPE" list --format pc --elf "$1" "$2" >"$work/pcs" 2>"$work/said"
	grep -q '^hartscope: .*: this is likely, not clear' "$work/said" &&
		grep -q 'hint: 0x1000 is in no file: a boot ROM is --bin ROM@0x1000' "$work/said"
	verdict "$text: what is missing" $? "$work/said"
	sed 's/^0*//' "$work/expected" | grep -v '^10..$' >"$work/program"
	cmp -s "$work/program" "$work/pcs"
	verdict "$text: PCs" $?
	"$HARTSCOPE" identify --elf "$1" "$2" 2>&1 |
		grep -q 'hint: 0x1000 is in no file: a boot ROM is --bin ROM@0x1000'
	verdict "$text: identify" $?
}

third_party()
{
	local at=$vectors/ntrace-reference f name

	for f in "$at"/*-nex.bin; do
		name=$(basename "$f")
		name=${name%%-*}
		xzcat "$at/$name-pcseq.txt.xz" | sed 's/^0x//; s/,.*//' | tr A-F a-f \
			>"$work/expected"
		vector "$(basename "$f")" "$work/expected" \
			"$(ls "$at/$name.riscv" "$at/$name.elf" 2>/dev/null)" "$f"
	done
	at=$vectors/ntrace-sifive
	xzcat "$at/e31_hello.pcs.xz" >"$work/expected"
	vector e31_hello "$work/expected" "$at/e31_hello.elf" "$at/e31_hello.rtd"
	at=$vectors/etrace-1.1
	for f in "$at"/itype3_*/*.te_inst_raw; do
		name=$(basename "$f" .te_inst_raw)
		zcat "${f%.te_inst_raw}.decoder.trace.gz" >"$work/expected"
		vector "$(basename "$(dirname "$f")") $name" "$work/expected" \
			"$at/elf/$name.riscv" "$f"
		case $f in # the dialect of the others has the ROM
		*/itype3_basic/*) without_rom "$at/elf/$name.riscv" "$f" ;;
		esac
	done
	at=$vectors/etrace-0.026
	for f in "$at"/interrupt.*.pulp; do
		"$HARTSCOPE" identify --elf "$at/interrupt" "$f" >"$work/said" 2>&1
		decodes && [ "$(wc -l <"$work/pcs")" -ge 1644 ]
		good=$?
		verdict "$(basename "$f"): $(field settings)" $good
	done
}

. "$HARTSCOPE_SOURCE/tests/conformance/identify_cases.sh"

# pcs OPTIONS...: the addresses of the capture, as far as it decodes
pcs()
{
	"$HARTSCOPE" list --format pc "$@" --elf "$work/$program" "$work/capture" 2>/dev/null
}

# Is what identify prints the flow that the parameters give?  Of a circular buffer it is with the
# write pointer, in place of the seam that was found.
is_right()
{
	local command

	command=$(field command | sed 's/^hartscope decode//; s/ --elf .*//')
	[ -n "$command" ] || return 1
	if [ -n "$wrap" ]; then
		case $command in
		*'--wrap find'*) command=${command/--wrap find/} ;;
		*) return 1 ;;
		esac
	fi
	# shellcheck disable=SC2086
	pcs $how $wrap >"$work/want"
	# shellcheck disable=SC2086
	pcs $command $wrap >"$work/pcs"
	[ -s "$work/want" ] && cmp -s "$work/want" "$work/pcs"
}

try_case()
{
	local begin=$SECONDS

	"$HARTSCOPE" identify --elf "$work/$program" "$work/capture" >"$work/said" 2>&1
	[ $((SECONDS - begin)) -le "$longest" ] || longest=$((SECONDS - begin))
	asked=$((asked + 1))
	if is_right; then
		right=$((right + 1))
	elif [ "$(field verdict)" = clear ]; then
		echo "  clear, and wrong: $program $how $wrap"
		sed 's/^/    /' "$work/said"
		false_claims=$((false_claims + 1))
	else
		echo "  $(field verdict): $program $how $wrap: found $(field command)"
	fi
}

# Of few cases one may be not found.
own_encodings()
{
	local right=0 asked=0 false_claims=0 longest=0 refused=0

	while [ "$asked" -lt "$cases" ] && [ "$refused" -lt $((4 * cases)) ]; do
		if random_case; then
			try_case
		else
			refused=$((refused + 1))
		fi
	done
	[ "$asked" -eq "$cases" ]
	verdict "$refused sets of parameters were refused" $? "$work/err"
	[ $((asked - right)) -le $(((asked + 19) / 20)) ]
	verdict "$right of $asked random encodings are found in full" $?
	verdict 'where it is not, identify does not say that it is clear' "$false_claims"
	echo "  the longest took $longest s"
}

cat >"$work/app.c" <<'END'
static volatile int sink;
static int fib(int n) { return n < 2 ? n : fib(n - 1) + fib(n - 2); }
static int twice(int n) { return 2 * n; }
static int thrice(int n) { return 3 * n; }
static int (*volatile const table[2])(int) = { twice, thrice };
int main(int argc, char **argv)
{
	(void)argv;
	for (int i = 0; i < ROUNDS; i++)
		sink += table[(i >> argc) & 1](i) + (i % 7 ? fib(i % 9) : 0);
	return 0;
}
END
sed -n '/^static/p' "$work/app.c" >"$work/small.c"
cat >>"$work/small.c" <<'END'
static volatile long cells[16];
void _start(void);
void _start(void)
{
	for (int i = 0; i < 60; i++) {
		sink += table[(i >> 1) & 1](i) + (i % 7 ? fib(i % 9) : 0);
		cells[i & 15] += i;
	}
	register long a7 __asm__("a7") = 93;
	register long a0 __asm__("a0") = 0;
	__asm__ volatile("ecall" : "+r"(a0) : "r"(a7) : "memory");
	__builtin_unreachable();
}
END

# made PROGRAM OPTIONS... -- FLAGS SOURCE: compiled and recorded; without it nothing can be tested.
# What a program does first depends on its environment: it is the same each time.
made()
{
	local program=$1 options=()

	shift
	while [ "$1" != -- ]; do
		options+=("$1")
		shift
	done
	# shellcheck disable=SC2086
	riscv64-linux-gnu-gcc $2 -static -o "$work/$program" "$3" &&
		(cd "$work" && timeout 60 env -i HOME="$HOME" PATH=/usr/bin:/bin setarch -R \
			"$HARTSCOPE" record -q \
			"${options[@]}" -o "$program.rec" -- "./$program") >"$work/out" 2>&1
	good=$?
	verdict "$program was recorded" $good "$work/out"
	[ $good = 0 ] || exit 1
}
bare="-O1 -nostdlib -ffreestanding -Wl,--no-relax"
# The code ends with the call that ends the program: what follows is no code, of no compiler.
bare="$bare -fno-unwind-tables -fno-asynchronous-unwind-tables"
made app -- "-O1 -DROUNDS=$rounds" "$work/app.c"
made small -- "$bare -march=rv32imac -mabi=ilp32" "$work/small.c"
made data --data -- "$bare" "$work/small.c"
made nested -- "$bare" "$HARTSCOPE_SOURCE/tests/programs/nested.S"
made harts -- "-O2 -pthread" "$HARTSCOPE_SOURCE/tests/programs/harts.c"
"$HARTSCOPE" list --format pc "$work/app.rec" >"$work/executed"
own_encodings

# Packets of data trace are announced by the command, which would take them for damage.
data_trace()
{
	"$HARTSCOPE" encode -q --protocol etrace --set data-trace=1 --set trTeSrcBits=4 \
		-o "$work/made" "$work/data.rec" && mv "$work/made" "$work/capture" &&
		rm -f "$work"/made*
	"$HARTSCOPE" identify --elf "$work/data" "$work/capture" >"$work/said" 2>&1 &&
		field command | grep -q -e '--set data-trace=1' && follows data
	verdict 'data trace is in the command' $? "$work/said"
}

# auto PROTOCOL SETTINGS...: every command that decodes uses what is clear, as if it were given, also
# without --auto
auto()
{
	local protocol=$1

	"$HARTSCOPE" encode -q --protocol "$@" --transport pins4 -o "$work/made" "$work/app.rec" &&
		mv "$work/made" "$work/capture" && rm -f "$work"/made*
	"$HARTSCOPE" list --auto --format pc --elf "$work/app" "$work/capture" >"$work/pcs" \
		2>"$work/err"
	cmp -s "$work/pcs" "$work/executed"
	verdict "$protocol, list --auto lists what was executed" $? "$work/err"
	"$HARTSCOPE" list --format pc --elf "$work/app" "$work/capture" 2>"$work/err" |
		cmp -s "$work/executed"
	verdict "$protocol, list does so without it" $? "$work/err"
	grep -q -e ": read as --protocol $protocol .*trTeSrcBits=4 --transport pins4 --elf" \
		"$work/err"
	verdict "$protocol, and prints the options that it found" $? "$work/err"
	rm -rf "$work/flow"
	"$HARTSCOPE" decode -q --auto --elf "$work/app" -o "$work/flow" "$work/capture" \
		>"$work/out" 2>&1 &&
		"$HARTSCOPE" check "$work/app.rec" "$work/flow" >"$work/out" 2>&1
	verdict "$protocol, decode --auto has the flow" $? "$work/out"
	for command in dump stat; do
		"$HARTSCOPE" $command --protocol "$@" --transport pins4 \
			--elf "$work/app" "$work/capture" >"$work/expected" 2>"$work/err"
		"$HARTSCOPE" $command --elf "$work/app" "$work/capture" 2>"$work/err" |
			cmp -s "$work/expected"
		verdict "$protocol, $command without --auto prints the same" $? "$work/err"
	done
	"$HARTSCOPE" lint --auto --elf "$work/app" "$work/capture" >"$work/said" \
		2>"$work/err"
	[ $? -eq 0 ] && grep -q ' 0 errors' "$work/said"
	verdict "$protocol, lint --auto has no findings" $? "$work/said"
}

# --auto, info, and hints.
others()
{
	auto ntrace --set trTeSrcBits=4
	auto etrace --set privilege_width_p=2 --set trTeSrcBits=4
	"$HARTSCOPE" identify --elf "$work/app" --json "$work/capture" >"$work/said" 2>&1 &&
		grep -q '"verdict": "clear"' "$work/said"
	verdict 'identify --json' $?
	"$HARTSCOPE" stat --auto --elf "$work/app" "$work/app.c" >"$work/said" 2>&1
	[ $? -eq 3 ] && grep -q 'auto finds nothing' "$work/said"
	verdict 'stat --auto of a text says that nothing is clear' $?
	"$HARTSCOPE" stat --elf "$work/app" "$work/app.c" >"$work/said" 2>&1
	[ $? -eq 3 ] && grep -q 'not clear what it is: read as --protocol ntrace' "$work/said"
	verdict 'stat of a text says what it is read as' $?
	"$HARTSCOPE" stat --protocol ntrace --elf "$work/app" "$work/capture" >"$work/said" 2>&1
	[ $? -eq 3 ] && [ "$(grep -c 'hint: .*cannot be read.*--protocol' "$work/said")" -eq 1 ]
	verdict 'the wrong protocol gives one hint' $?
	"$HARTSCOPE" encode -q -o "$work/made" "$work/app.rec" && mv "$work/made" "$work/capture" &&
		rm -f "$work"/made*
	"$HARTSCOPE" info "$work/capture" >"$work/said" 2>&1 &&
		grep -q '^protocol  *ntrace' "$work/said" && grep -q '^readable  *100' "$work/said"
	verdict 'info describes a capture' $?
	"$HARTSCOPE" info "$work/app.c" >"$work/said" 2>&1
	[ $? -eq 3 ] && grep -q 'nor a capture' "$work/said"
	verdict 'info of a text: it is none' $?
	data_trace
}
others

# noise KEY BYTES: the same each time
noise()
{
	head -c "$2" /dev/zero | openssl enc -aes-128-ctr -K "$1" -iv 00 2>/dev/null
}

# What it must refuse.
for program in "" "--elf $work/app"; do
	noise 00 $noise >"$work/noise"
	# shellcheck disable=SC2086
	timeout 120 "$HARTSCOPE" identify $program "$work/noise" >"$work/said" 2>&1
	[ $? -eq 1 ] && [ "$(field verdict)" = none ]
	verdict "$noise bytes of noise are nothing ${program:+with a program}" $?
	for key in 01 02 03; do
		noise $key $((noise / 512)) >"$work/noise"
		# shellcheck disable=SC2086
		timeout 120 "$HARTSCOPE" identify $program "$work/noise" >"$work/said" 2>&1
		[ $? -eq 1 ] && [ "$(field verdict)" = none ]
		verdict "noise $key is nothing ${program:+with a program}" $? "$work/said"
	done
	for byte in 000 377; do
		head -c $noise /dev/zero | tr '\000' "\\$byte" >"$work/blank"
		# shellcheck disable=SC2086
		"$HARTSCOPE" identify $program "$work/blank" >"$work/said" 2>&1
		[ $? -eq 3 ] && grep -q 'is blank' "$work/said"
		verdict "bytes of 0$byte are blank ${program:+with a program}" $? "$work/said"
	done
done
sed -i 's/fib(i % 9)/fib(i % 11) - i/' "$work/app.c"
riscv64-linux-gnu-gcc -O2 -static -DROUNDS=$((rounds * 2 / 3)) -o "$work/other" "$work/app.c"
riscv64-linux-gnu-objcopy --change-addresses 0x200000 "$work/app" "$work/moved" 2>/dev/null

# elsewhere PROTOCOL SETTING...: another program, and the program where it did not run
elsewhere()
{
	local status protocol=$1 said

	"$HARTSCOPE" encode -q --protocol "$@" -o "$work/made" "$work/app.rec" &&
		mv "$work/made" "$work/capture" && rm -f "$work"/made*
	"$HARTSCOPE" identify --elf "$work/other" "$work/capture" >"$work/said" 2>&1
	status=$?
	said=$(tail -n 1 "$work/said" | sed 's/.*it reads/it reads/')
	[ $status -eq 1 ] && grep -q "reads as $protocol.* of [0-9]* segments [0-9]* contradict" \
		"$work/said"
	verdict "$protocol, another program: $said" $?
	"$HARTSCOPE" identify --elf "$work/moved" "$work/capture" >"$work/said" 2>&1
	[ "$(field 'program moved by')" = -0x200000 ] && follows
	status=$?
	said=$(field 'program moved by')
	verdict "$protocol, a program that was loaded elsewhere: by $said" $status
}

# The beginning of the only segment is missing: the program contradicts nothing.
"$HARTSCOPE" encode -q --set trTeInstSyncMode=off -o "$work/made" "$work/app.rec" &&
	tail -c +101 "$work/made" >"$work/capture" && rm -f "$work"/made*
"$HARTSCOPE" identify --elf "$work/app" "$work/capture" >"$work/said" 2>&1
[ $? -eq 1 ] && grep -q 'reads as ntrace, but no message synchronises' "$work/said"
verdict 'without a synchronisation it says so' $? "$work/said"
elsewhere ntrace --set trTeInstSyncMode=messages --set trTeInstSyncMax=1
[ -n "${HARTSCOPE_SANITIZED-}" ] ||
	elsewhere etrace --set trTeInstSyncMode=packets --set resync-max=1

# moved OFFSET PROTOCOL PROGRAM VERDICT: the options say that the program is where it is not.  By
# default few messages synchronise.
moved()
{
	"$HARTSCOPE" encode -q --protocol "$2" -o "$work/made" "$work/$3.rec" &&
		mv "$work/made" "$work/capture" && rm -f "$work"/made*
	"$HARTSCOPE" identify --elf "$work/$3+$1" "$work/capture" >"$work/said" 2>&1
	[ "$(field 'program moved by')" = "-$1" ] && [ "$(field verdict)" = "$4" ] && follows "$3"
	verdict "$2, $3, --elf FILE+$1 is said to be wrong" $? "$work/said"
}
moved 0x2 ntrace app clear
moved 0x1002 ntrace small clear

# Sizes that differ where calls are deeper than the smallest of them only, and contradict nothing.
if [ -z "${HARTSCOPE_SANITIZED-}" ]; then
	program=nested wrap=
	how='--protocol etrace --set trTeInstSyncMode=packets --set resync-max=1'
	how="$how --set trTeSrcBits=10 --set iaddress_width_p=24 --set privilege_width_p=2"
	how="$how --set nocontext_p=0 --set context_width_p=5"
	how="$how --set implicit-return=1 --set call_counter_size_p=7"
	# shellcheck disable=SC2086
	"$HARTSCOPE" encode -q $how -o "$work/made" "$work/nested.rec" &&
		mv "$work/made" "$work/capture" && rm -f "$work"/made*
	"$HARTSCOPE" identify --elf "$work/nested" "$work/capture" >"$work/said" 2>&1
	[ "$(field 'not decided')" = return_stack_size ] && is_right
	verdict 'sizes of returns that explain as much: the flow that most have' $? "$work/said"
fi

# A source of frames that has no trace is named, too.
noise 04 400 >"$work/noise"
"$HARTSCOPE" encode -q --transport tpiu --source "5=$work/noise" -o "$work/made" "$work/app.rec" &&
	mv "$work/made" "$work/capture" && rm -f "$work"/made*
"$HARTSCOPE" identify --elf "$work/app" "$work/capture" >"$work/said" 2>&1
[ $? -eq 0 ] && [ "$(field verdict)" = likely ] && [ "$(field source | tr '\n' ' ')" = '1 5 ' ] &&
	[ "$(field protocol | tr '\n' ' ')" = 'ntrace unknown ' ] &&
	[ "$(field command | grep -o -e '--source 0x[0-9]')" = '--source 0x1' ] && follows
verdict 'two harts, one of them with noise: both are named' $? "$work/said"
if [ -z "${HARTSCOPE_SANITIZED-}" ]; then
	moved 0x1002 etrace small likely # no trap shows how wide causes are
	moved 0x4000 etrace app clear
	tail -c +2001 "$work/capture" >"$work/cut"
	"$HARTSCOPE" identify --elf "$work/app" "$work/cut" >"$work/said" 2>&1
	[ "$(field verdict)" = likely ] && [ "$(field transport)" = raw ] &&
		[ "$(field settings)" = defaults ]
	verdict 'etrace that begins inside a trace with few synchronisations' $? "$work/said"
fi

# late PROTOCOL BYTES MODE: so many are missing, and the next synchronisation comes soon
late()
{
	"$HARTSCOPE" encode -q --protocol "$1" --set trTeInstSyncMode="$3" -o "$work/made" \
		"$work/app.rec" && tail -c +$(($2 + 1)) "$work/made" >"$work/capture" &&
		rm -f "$work"/made*
	"$HARTSCOPE" identify --elf "$work/app" "$work/capture" >"$work/said" 2>&1
	[ "$(field verdict)" = likely ] && [ "$(field settings)" = defaults ]
	verdict "$1, $2 bytes of its beginning are missing: not clear" $? "$work/said"
}
late etrace 9 packets
late etrace 16 packets
late ntrace 9 messages

if [ -d "$vectors/ntrace-reference" ]; then
	third_party
else
	echo 'ok - vectors # SKIP HARTSCOPE_VECTORS names no folder with ntrace-reference/'
fi
exit $status
