#!/bin/bash
# What building for another architecture takes: its libraries, from Debian, in a folder.  Nothing is
# installed, and neither root nor a chroot is needed.
#
#   scripts/packaging/sysroot.sh ARCH FOLDER
#       ARCH is Debian's name: s390x, i386, armhf, arm64, riscv64.  FOLDER gets root/ and cross.ini
#       for `meson setup --cross-file`; tests run under qemu-user.  What is there stays.  Exits with
#       77 where the compiler, the emulator or the packages cannot be had.
set -eu
arch=$1
folder=$(mkdir -p "$2" && cd "$2" && pwd)
cd "$(dirname "$0")/../.."
. scripts/guests/apt-suite.sh
packages='libc6-dev libelf-dev libdw-dev libzstd-dev libjansson-dev libxxhash-dev libiberty-dev
libsqlite3-dev libseccomp-dev libcmocka-dev'

# row ARCH SUITE TRIPLET CPU ORDER EMULATOR; bookworm has no riscv64
row()
{
	[ "$1" = "$arch" ] || return 0
	suite_wanted=$2 triplet=$3 cpu=$4 order=$5 emulator=$6
}
triplet=
row s390x bookworm s390x-linux-gnu s390x big qemu-s390x
row i386 bookworm i686-linux-gnu x86 little qemu-i386
row armhf bookworm arm-linux-gnueabihf arm little qemu-arm
row arm64 bookworm aarch64-linux-gnu aarch64 little qemu-aarch64
row riscv64 trixie riscv64-linux-gnu riscv64 little qemu-riscv64
[ -n "$triplet" ] || { echo "sysroot: no row for '$arch'" >&2; exit 2; }
for tool in "$triplet-gcc" "$emulator" pkg-config; do
	command -v "$tool" >/dev/null || { echo "sysroot: no $tool" >&2; exit 77; }
done
# Where Debian puts libraries: i386-linux-gnu has another name than its compiler.
libraries=usr/lib/${triplet/i686/i386}

fetch()
{
	local wanted

	suite_open "$folder/apt" "$suite_wanted" "APT::Architecture \"$arch\"" \
		"APT::Architectures { \"$arch\"; }"
	# shellcheck disable=SC2086  # a list of names
	wanted=$(suite_apt install --simulate --no-install-recommends \
		-o Dir::State::status=/dev/null $packages | sed -n 's/^Inst \([^ ]*\).*/\1/p')
	# shellcheck disable=SC2086
	if ! (cd "$folder/apt/get" && suite_apt download $wanted >>../log 2>&1); then
		echo "sysroot: $suite_wanted does not give the packages of $arch" >&2
		exit 77
	fi
	rm -rf "$folder/root"
	mkdir -p "$folder/root/usr/lib"
	# Both where /lib is a link to /usr/lib, and where packages still have a /lib.
	ln -s usr/lib "$folder/root/lib"
	[ ! -e /lib64 ] || ln -s lib "$folder/root/lib64"
	for deb in "$folder"/apt/get/*.deb; do
		dpkg-deb --fsys-tarfile "$deb" | tar -x -C "$folder/root" --keep-directory-symlink
	done
	rm -rf "$folder/apt" "$folder/root/usr/share/doc" "$folder/root/usr/share/man"
}
[ -e "$folder/cross.ini" ] || fetch

root=$folder/root
ccache=
[ -z "$(command -v ccache)" ] || ccache="'ccache', "
cat >"$folder/cross.ini" <<END
[binaries]
c = [$ccache'$triplet-gcc']
ar = '$triplet-ar'
strip = '$triplet-strip'
pkgconfig = 'pkg-config'
exe_wrapper = ['$emulator', '-L', '$root']
[properties]
needs_exe_wrapper = true
sys_root = '$root'
pkg_config_libdir = '$root/$libraries/pkgconfig:$root/usr/share/pkgconfig'
[built-in options]
c_args = ['--sysroot=$root']
# The compiler's own C library would come first, which may be older than that of the libraries.
c_link_args = ['--sysroot=$root', '-L$root/$libraries']
[host_machine]
system = 'linux'
cpu_family = '$cpu'
cpu = '$cpu'
endian = '$order'
END
