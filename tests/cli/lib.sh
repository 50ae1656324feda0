# Shared by tests/cli/*.sh: checks, and fixtures that are written out by hand.
# $HARTSCOPE is the tool, $JSON_CHECK a program that accepts JSON on its standard input.
set -u
: "${HARTSCOPE:?the path of the tool}"
. "$(dirname "$0")/../need.sh"
dir=$(mktemp -d) || exit 1
trap 'rm -rf "$dir"' EXIT INT TERM
cd "$dir" || exit 1
unset NO_COLOR
failed=0

ok() { ! wanted "$1" || echo "ok - $1"; }
bad() {
	wanted "$1" || return 0
	echo "FAIL - $1"
	failed=1
}

# is TEXT EXPECTED ACTUAL
is() {
	if [ "$2" = "$3" ]; then
		ok "$1"
	else
		bad "$1"
		! wanted "$1" || printf '  expected: %s\n  got:      %s\n' "$2" "$3"
	fi
}

# exits TEXT STATUS COMMAND...   (output goes to out and err)
exits() {
	text=$1 want=$2
	shift 2
	"$@" >out 2>err </dev/null
	set -- $?
	is "$text: exit status" "$want" "$1"
	[ "$1" = "$want" ] || ! wanted "$text: exit status" ||
		sed 's/^/  of stderr: /' err | head -5
}

# has TEXT PATTERN FILE
has() {
	if grep -q -e "$2" "$3"; then
		ok "$1"
	else
		bad "$1"
		wanted "$1" || return 0
		echo "  expected: a line like '$2' in $3, which begins with:"
		sed 's/^/  /' "$3" | head -20
	fi
}

# json TEXT FILE
json() {
	if "$JSON_CHECK" <"$2"; then ok "$1: JSON"; else
		bad "$1: JSON"
		! wanted "$1: JSON" ||
			echo "  expected: JSON in $2, which begins with: $(head -c 200 "$2")"
	fi
}

# Program "loop" at 0x1000, as binutils disassembles it:
#   1000 4509      li a0,2           1006 008000ef  jal 100e
#   1002 157d      add a0,a0,-1      100a 00150513  add a0,a0,1
#   1004 fd7d      bnez a0,1002      100e 8082      ret
loop_bin() {
	printf '\011\105\175\025\175\375\357\000\200\000\023\005\025\000\202\200' >loop.bin
}

# What it executes, as ingress rows of the E-Trace reference flow (3-bit itype).
loop_csv() {
	cat >loop.csv <<-EOS
		itype_0,cause,tval,priv,iaddr_0,context,ctype,iretire_0,ilastsize_0
		0,0,0,3,1000,0,0,1,0
		0,0,0,3,1002,0,0,1,0
		5,0,0,3,1004,0,0,1,0
		0,0,0,3,1002,0,0,1,0
		4,0,0,3,1004,0,0,1,0
		0,0,0,3,1006,0,0,1,1
		6,0,0,3,100e,0,0,1,0
		0,0,0,3,100a,0,0,1,1
	EOS
}
loop_pcs='1000 1002 1004 1002 1004 1006 100e 100a'

loop_rec() {
	loop_bin
	loop_csv
	"$HARTSCOPE" import --quiet --from csv --bin loop.bin@0x1000 -o loop.rec loop.csv
}

# Program "hop": 0x100 c.nop, 0x102 beq x0,x0,0x200, 0x200 c.nop.
hop_bin() {
	{
		printf '\001\000\143\017\000\016'
		dd if=/dev/zero bs=1 count=250 2>/dev/null
		printf '\001\000'
	} >hop.bin
}

# ProgTraceSync SYNC=5 I-CNT=0 F-ADDR=0x80, DirectBranch I-CNT=3, and
# ProgTraceCorrelation EVCODE=0 CDF=0 I-CNT=1 (N-Trace 7.2, 7.5, 7.12).
hop_trace() {
	printf '\044\025\000\013\014\017\204\000\007' >hop.nt
}

# Two processes, whose code has the same addresses (1000 and on), a kernel (1100) and a firmware
# (1200).
# Context 129 calls the kernel, which calls the firmware and then changes to context 146; that one
# does the same, and 129 goes on where it was.
shop_csv() {
	cat >shop.csv <<-EOS
		itype_0,cause,tval,priv,iaddr_0,context,ctype,iretire_0,ilastsize_0
		0,0,0,0,1000,129,0,1,0
		0,0,0,0,1002,129,0,1,0
		1,8,0,0,1004,129,0,1,1
		0,0,0,1,1100,129,0,1,0
		1,9,0,1,1102,129,0,1,1
		0,0,0,3,1200,129,0,1,0
		3,0,0,3,1202,129,0,1,1
		0,0,0,1,1106,129,0,1,0
		3,0,0,1,1108,146,0,1,1
		0,0,0,0,1000,146,0,1,0
		0,0,0,0,1002,146,0,1,0
		1,8,0,0,1004,146,0,1,1
		0,0,0,1,1100,146,0,1,0
		1,9,0,1,1102,146,0,1,1
		0,0,0,3,1200,146,0,1,0
		3,0,0,3,1202,146,0,1,1
		0,0,0,1,1106,146,0,1,0
		3,0,0,1,1108,129,0,1,1
		0,0,0,0,1008,129,0,1,0
	EOS
}

finish() {
	[ -z "${HARTSCOPE_ONLY-}" ] || [ -n "${any_wanted-}" ] ||
		{ echo "1..0 # SKIP no check fits HARTSCOPE_ONLY"; exit 77; }
	exit $failed
}

# fst FILE.vcd FILE.fst: the same waves as FST; false without gtkwave.
fst() {
	if command -v vcd2fst >/dev/null && command -v fst2vcd >/dev/null; then
		vcd2fst -v "$1" -f "$2" >/dev/null
		return
	fi
	echo "ok - $2 # SKIP no gtkwave"
	return 1
}
