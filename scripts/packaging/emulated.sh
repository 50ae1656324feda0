#!/bin/bash
# Run a command as root where programs of another architecture run, too, such as those of a root
# that mmdebstrap makes:
#
#   scripts/packaging/emulated.sh ARCH QEMU COMMAND [ARG]...
#
# ARCH is Debian's name, riscv64 or arm64; QEMU a statically linked qemu-user of it, which Debian 13
# has.  The kernel knows it (binfmt_misc) in a user namespace with the same users, and nowhere else:
# that ends with the command, whose exit status this has.  77 where the kernel has no such (before
# Linux 6.7).
set -eu
if [ $# -lt 3 ]; then
	sed -n '2,/^set/{/^set/d;s/^# \{0,1\}//p;}' "$0"
	[ "${1:-}" = --help ]
	exit
fi
case $1 in # the name that mmdebstrap looks for, and the machine's number in an ELF file
riscv64) name=qemu-riscv64 machine='\xf3\x00' ;;
arm64) name=qemu-aarch64 machine='\xb7\x00' ;;
*) echo "emulated: no architecture '$1'" >&2; exit 2 ;;
esac
qemu=$(realpath "$2")
shift 2
zeros='\x00\x00\x00\x00\x00\x00\x00\x00\x00'
ones='\xff\xff\xff\xff\xff\xff\xff'
# The head of an ELF file of 64 bits that is little-endian and runs; any system, any kind of it.
rule=":$name:M::\\x7fELF\\x02\\x01\\x01$zeros\\x02\\x00$machine:"
rule+="$ones\\x00$ones\\xff\\xfe\\xff\\xff\\xff:$qemu:F"
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
mkfifo "$work/mapped"

# shellcheck disable=SC2016  # for the shell there
inside='
read -r _ <"$1/mapped"
mount -t proc proc /proc
known=/proc/sys/fs/binfmt_misc
mount -t binfmt_misc none $known && printf %s "$2" >$known/register ||
	{ echo "emulated: the kernel has no binfmt_misc of a user namespace" >&2; exit 77; }
shift 2
exec "$@"'
unshare --user --mount --propagation private --pid --fork --kill-child \
	sh -euc "$inside" inside "$work" "$rule" "$@" &
pid=$!
until [ "$(readlink "/proc/$pid/ns/user")" != "$(readlink /proc/self/ns/user)" ]; do
	kill -0 $pid 2>/dev/null || exit 77
	sleep 0.1
done
echo '0 0 4294967295' >"/proc/$pid/uid_map"
echo '0 0 4294967295' >"/proc/$pid/gid_map"
echo >"$work/mapped"
wait $pid
