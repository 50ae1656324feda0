#!/bin/bash
# A real Linux to run as a guest: Debian's kernel and programs for riscv64.
#
#   scripts/guests/linux-guest.sh fetch BUILD PACKAGE...
#       Packages of the suite trixie into BUILD/linux-guest/root.  "linux" is its kernel, without
#       modules; BUILD/linux-guest/vmlinux is what QEMU's -kernel takes.  NAME+ brings the packages
#       that NAME depends on.  Each is fetched once.  Nothing is installed.  Exits with 77 where the
#       suite cannot be reached.
#   scripts/guests/linux-guest.sh initramfs BUILD OUT INIT [GUEST=HOST...]
#       An archive with INIT as /init, busybox, and the host's files at the guest's paths, with the
#       shared libraries that they need.
#   scripts/guests/linux-guest.sh boot BUILD SECONDS INITRAMFS QEMU [ARGUMENT...]
#       Boot it.  The guest's console is the output; its end, a panic, or the time ends QEMU.
#       APPEND adds to the kernel's command line.
#
# Relative paths are those of the folder where it is called.
set -eu
here=$PWD
cd "$(dirname "$0")/../.."
. scripts/guests/apt-suite.sh
suite=trixie

# from_here PATH
from_here()
{
	case $1 in /*) echo "$1" ;; *) echo "$here/$1" ;; esac
}

# have NAME: a stamp says which packages are there.  A kernel that was fetched without modules is
# fetched again.
have()
{
	[ -e "$guest/have/$1" ] || return 1
	case $1 in linux | linux-image*) [ -d "$guest/root/usr/lib/modules" ] ;; esac
}

# names_of NAME: the packages that it stands for
names_of()
{
	case $1 in
	linux)
		suite_cache depends linux-image-riscv64 | sed -n 's/^ *Depends: //p'
		;;
	*+)
		suite_apt install --simulate --no-install-recommends \
			-o Dir::State::status=/dev/null "${1%+}" | sed -n 's/^Inst \([^ ]*\).*/\1/p'
		;;
	*) echo "$1" ;;
	esac
}

# unpack DEB: of a kernel's modules those that need no device
unpack()
{
	dpkg-deb --fsys-tarfile "$1" |
		tar -x -C "$guest/root" --exclude './usr/lib/modules/*/kernel/[!cl]*' \
			--exclude './usr/share/doc' --exclude './usr/share/man' \
			--keep-directory-symlink
}

fetch()
{
	local name kernel wanted=() missing=() packages=()

	guest=$(cd "$(from_here "$1")" && pwd)/linux-guest
	shift
	mkdir -p "$guest/have" "$guest/root/usr/bin" "$guest/root/usr/lib"
	exec 9>"$guest/lock" # tests that run at the same time want it
	flock 9
	for name; do
		have "$name" || wanted+=("$name")
	done
	[ ${#wanted[@]} -ne 0 ] || return 0
	ln -sfn usr/bin "$guest/root/bin"
	ln -sfn usr/lib "$guest/root/lib"
	suite_open "$guest/apt" $suite 'APT::Architecture "riscv64"' \
		'APT::Architectures { "riscv64"; }'
	for name in "${wanted[@]}"; do
		mapfile -t packages < <(names_of "$name")
		missing+=("${packages[@]}")
	done
	mapfile -t packages < <(printf '%s\n' "${missing[@]}" | sort -u)
	missing=()
	for name in "${packages[@]}"; do
		have "$name" || missing+=("$name")
	done
	if [ ${#missing[@]} -eq 0 ]; then # others brought what these depend on
		(cd "$guest/have" && touch "${wanted[@]}")
		rm -rf "$guest/apt"
		return 0
	fi
	if ! (cd "$guest/apt/get" && suite_apt download "${missing[@]}" >>../log 2>&1); then
		echo "linux-guest: $suite does not give: ${missing[*]}" >&2
		exit 77
	fi
	for name in "$guest"/apt/get/*.deb; do
		unpack "$name"
	done
	kernel=$(cd "$guest" && ls root/boot/vmlinux-* 2>/dev/null | tail -n 1)
	[ -z "$kernel" ] || ln -sfn "$kernel" "$guest/vmlinux"
	(cd "$guest/have" && touch "${missing[@]}" "${wanted[@]}")
	rm -rf "$guest/apt"
	echo "linux-guest: fetched ${missing[*]}"
}

initramfs()
{
	local build out init file files=()

	build=$(from_here "$1")
	out=$(from_here "$2")
	init=$(from_here "$3")
	shift 3
	for file; do
		files+=("${file%%=*}=$(from_here "${file#*=}")")
	done
	scripts/guests/initramfs.py --root "$build/linux-guest/root" "$out" "init=$init" \
		"bin/busybox=$build/linux-guest/root/usr/bin/busybox" "${files[@]}"
}

boot()
{
	local build seconds=$2 archive qemu=$4

	build=$(from_here "$1")
	archive=$(from_here "$3")
	case $qemu in */*) qemu=$(from_here "$qemu") ;; esac
	shift 4
	cd "$here"
	timeout "$seconds" "$qemu" -M virt -m 512M -display none -monitor none \
		-serial stdio -no-reboot \
		-kernel "$build/linux-guest/vmlinux" -initrd "$archive" \
		-append "console=ttyS0 quiet panic=-1 ${APPEND-}" "$@" </dev/null |
		stdbuf -oL tr -d '\r'
	return "${PIPESTATUS[0]}"
}

case ${1-} in
fetch | initramfs | boot) "$@" ;;
*)
	sed -n '2,/^set/s/^# \{0,1\}//p' "$0" >&2
	exit 2
	;;
esac
