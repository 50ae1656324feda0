#!/bin/bash
# Run a command on the last commit under another release of Debian, as root in a root of its own:
#
#   scripts/packaging/on-debian.sh RELEASE COMMAND [ARG]...
#   scripts/packaging/on-debian.sh trixie make test
#
# The root is build/debian-RELEASE, made by mmdebstrap (40 s) and kept for the next time with what
# was installed and built there; remove the folder to begin anew.  The commit is in its
# /root/hartscope, HARTSCOPE_VECTORS next to it.  Mounts and processes end with the command, whose
# exit status this has; 77 where such a root cannot be made.  10 GB of disk have to be free.
set -eu
if [ $# -lt 2 ] || [ "${1#-}" != "$1" ]; then
	sed -n '2,/^set/{/^set/d;s/^# \{0,1\}//p;}' "$0"
	[ "${1:-}" = --help ]
	exit
fi
cd "$(dirname "$0")/../.."
release=$1
shift
mkdir -p "${BUILD:-build}"
top=$(cd "${BUILD:-build}" && pwd)/debian-$release

skip()
{
	echo "on-debian: $*" >&2
	exit 77
}
[ "$(id -u)" -eq 0 ] || skip "run as root"
command -v mmdebstrap >/dev/null || skip "no mmdebstrap (scripts/setup.sh soak)"
[ "$(df --output=avail -k "${top%/*}" | tail -n 1)" -gt 10000000 ] || skip "10 GB are not free"
exec 9>"$top.lock"
flock 9

# The mirror is the one that this system's packages come from.
if [ ! -e "$top/root" ]; then
	. scripts/guests/apt-suite.sh
	rm -rf --one-file-system "$top"
	mmdebstrap --quiet --variant=minbase --include=ca-certificates,git,make,python3 \
		"$release" "$top.new" "$(suite_mirror)" || {
		rm -rf --one-file-system "$top.new"
		skip "no root of $release"
	}
	echo 'APT::Keep-Downloaded-Packages "false";' >"$top.new/etc/apt/apt.conf.d/90keep"
	mv "$top.new" "$top"
fi
cp -L /etc/resolv.conf "$top/etc/resolv.conf"
clone=$top/root/hartscope
[ -e "$clone" ] || git clone --quiet --no-checkout . "$clone"
git -C "$clone" fetch --quiet --force "$PWD" HEAD
git -C "$clone" checkout --quiet --force --detach FETCH_HEAD
git -C "$clone" clean --quiet -fd

# inside TOP VECTORS COMMAND...: in a mount and a process namespace of its own
inside='
top=$1 vectors=$2
shift 2
mount -t proc proc "$top/proc"
mount -t sysfs -o ro sys "$top/sys"
mount --rbind /dev "$top/dev"
mount -t tmpfs -o size=4g tmp "$top/tmp"
if [ -n "$vectors" ]; then
	mkdir -p "$top/root/vectors"
	mount --bind -o ro "$vectors" "$top/root/vectors"
	set -- HARTSCOPE_VECTORS=/root/vectors "$@"
fi
exec env -i HOME=/root USER=root LANG=C.UTF-8 TERM="${TERM:-dumb}" \
	PATH=/usr/sbin:/usr/bin:/sbin:/bin \
	chroot "$top" /bin/sh -c '\''cd /root/hartscope && exec env "$@"'\'' sh "$@"
'
exec unshare --mount --propagation private --pid --fork --kill-child \
	sh -eu -c "$inside" inside "$top" "${HARTSCOPE_VECTORS-}" "$@"
