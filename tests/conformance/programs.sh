# For tests that record programs, which source this: it skips without a compiler, QEMU and the tools
# that $needs names, and goes to a folder that is theirs ($work).  $failed becomes 1 where something
# is not as it should be.
# shellcheck shell=bash disable=SC2034
set -u
: "${HARTSCOPE:?the path of the tool}" "${HARTSCOPE_SOURCE:?the source folder}"
. "$HARTSCOPE_SOURCE/tests/need.sh"
programs=$HARTSCOPE_SOURCE/tests/programs
gcc=riscv64-linux-gnu-gcc
need $gcc qemu-riscv64 ${needs-}
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT INT TERM
cd "$work" || exit 1
failed=0

ok() { ! wanted "$1" || echo "ok - $1"; }
bad()
{
	wanted "$1" || return 0
	echo "not ok - $1"
	failed=1
}

# report TEXT STATUS [FILE]: what the file says where the status is not 0
report()
{
	if [ "$2" -eq 0 ]; then
		ok "$1"
	else
		bad "$1"
		wanted "$1" || return 0
		echo "  expected: status 0; got: $2${3:+, and ${3##*/} has:}"
		[ -z "${3-}" ] || head -n 10 "$3" | sed 's/^/  /'
	fi
}
