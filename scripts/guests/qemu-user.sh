#!/bin/sh
# Build qemu-riscv64 and qemu-riscv32 that load plugins, for `hartscope record` on a system whose
# own do not (Debian 13 and newer link them statically), from the source package of Debian's QEMU:
#
#   qemu-user.sh [--packages]
#
# They are put into ~/.cache/hartscope/qemu-user/VERSION/bin, where record finds them
# ($XDG_CACHE_HOME in place of ~/.cache, $HARTSCOPE_CACHE in place of ~/.cache/hartscope).  What is
# there stays; remove the folder to build it again.  HARTSCOPE_QEMU_SUITE names another suite of
# Debian, HARTSCOPE_QEMU_VERSION one of its versions.  40 MB are fetched, which apt checks by the
# archive's key; building takes two minutes of two cores and, meanwhile, 600 MB.  Packages that it
# needs are installed if this is run as root, and named otherwise; --packages lists them.
#
# Exits with 77 where the source package cannot be reached.
set -eu
packages='gcc libc6-dev ninja-build meson pkg-config libglib2.0-dev python3-venv dpkg-dev'
case $#:${1-} in
0:) ;;
1:--packages)
	echo "$packages"
	exit
	;;
*)
	sed -n '2,/^set/{/^set/d;s/^# \{0,1\}//p;}' "$0"
	[ "$1" = --help ]
	exit
	;;
esac
. "$(dirname "$0")/apt-suite.sh"
cache=${HARTSCOPE_CACHE:-${XDG_CACHE_HOME:-$HOME/.cache}/hartscope}/qemu-user
mkdir -p "$cache"
cache=$(cd "$cache" && pwd)
exec 9>"$cache/lock"
flock 9

# report FOLDER: say what is there; false: it loads no plugins here
report()
{
	"$1/bin/qemu-riscv32" --help 2>/dev/null | grep -q '^-plugin ' &&
		"$1/bin/qemu-riscv64" --help 2>/dev/null | grep -q '^-plugin ' &&
		echo "QEMU ${1##*/} with plugins: $1/bin/qemu-riscv64, qemu-riscv32"
}

for folder in "$cache"/[0-9]*; do
	! report "$folder" || exit 0
done

missing=
for package in $packages; do
	[ "$(dpkg-query -W -f='${db:Status-Status}' "$package" 2>/dev/null)" = installed ] ||
		missing="$missing $package"
done
install="apt-get install -y -q --no-install-recommends$missing"
if [ -n "$missing" ] && [ "$(id -u)" -ne 0 ]; then
	echo "qemu-user: run as root: $install" >&2
	exit 1
fi

work=$(mktemp -d "$cache/work.XXXXXX")
trap 'rm -rf "$work"' EXIT
trap 'exit 1' INT TERM HUP
if [ -n "$missing" ]; then
	echo "qemu-user: installing$missing"
	DEBIAN_FRONTEND=noninteractive $install >"$work/log" 2>&1 </dev/null ||
		{ tail -n 5 "$work/log" >&2; exit 1; }
fi

release=$(. /etc/os-release && echo "${VERSION_CODENAME:-sid}")
suite=$release
[ "$release" != bookworm ] || suite=trixie # its own is 7.2, and 10.0 of its backports is incomplete
suite=${HARTSCOPE_QEMU_SUITE:-$suite}
suite_types='deb deb-src'
suite_open "$work/apt" "$suite"

# Configuring QEMU takes meson 1.5; a newer one than the installed is used from its package.
meson_path=
if ! dpkg --compare-versions "$(dpkg-query -W -f='${Version}' meson)" ge 1.5; then
	(cd "$work/apt/get" && suite_apt download "meson/$suite" >>"$work/log" 2>&1) &&
		dpkg-deb -x "$work"/apt/get/meson_*.deb "$work/meson" ||
		{ echo "qemu-user: $suite has no meson 1.5" >&2; exit 77; }
	meson_path=$work/meson/usr/lib/python3/dist-packages
fi

cd "$work"
wanted=qemu/$suite
[ -z "${HARTSCOPE_QEMU_VERSION-}" ] || wanted=qemu=$HARTSCOPE_QEMU_VERSION
suite_apt source "$wanted" >>log 2>&1 </dev/null || {
	tail -n 3 log >&2
	echo "qemu-user: no source package $wanted" >&2
	exit 77
}
source=$(echo "$work"/qemu-*/)
version=$(cat "$source/VERSION")

build()
{
	export PYTHONPATH="$meson_path" # also of the environment that QEMU makes
	"$source/configure" --python=/usr/bin/python3 \
		--target-list=riscv64-linux-user,riscv32-linux-user --enable-plugins \
		--without-default-features --disable-system --disable-tools --disable-docs \
		--disable-install-blobs --disable-debug-info --disable-werror &&
		ninja qemu-riscv64 qemu-riscv32
}
mkdir build
(cd build && build) >>log 2>&1 </dev/null || {
	tail -n 20 log >&2
	echo "qemu-user: QEMU $version cannot be built" >&2
	exit 1
}
mkdir -p done/bin
mv build/qemu-riscv64 build/qemu-riscv32 done/bin
rm -rf "${cache:?}/$version"
mv done "$cache/$version"
report "$cache/$version" || { echo "qemu-user: QEMU $version loads no plugins" >&2; exit 1; }
