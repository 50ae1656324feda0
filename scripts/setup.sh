#!/bin/sh
# Install with apt what is missing, and nothing else.
#
#   scripts/setup.sh [--print] SET...     SET: build, demo, test, soak
#
# --print lists the packages of the sets and installs nothing.  Of names with '|' between them the
# first that apt knows is taken; one that ends with '?' only if apt knows it.
set -eu

# meson and ninja build; the libraries are those of docs/design/build.md.
build='gcc libc6-dev meson ninja-build pkg-config libelf-dev libdw-dev libzstd-dev libjansson-dev
libxxhash-dev libiberty-dev libsqlite3-dev python3-cffi libseccomp-dev'
# Optional: libsqlite3, without which export --format sqlite is refused, python3-cffi, without
# which there is no Python module, and libseccomp, without which system calls are not limited.
# Run and show a RISC-V program; libllvm19 disassembles.
demo='qemu-user gcc-riscv64-linux-gnu libc6-dev-riscv64-cross libllvm19'
# scripts/guests/qemu-user.sh: for the demonstration where that qemu-user loads no plugins, and for
# tests.
here=${0%/*}
[ "$here" != "$0" ] || here=.
emulator=$("$here/guests/qemu-user.sh" --packages)
# cmocka, a bare-metal compiler for rv32, g++ for the headers and, for RISC-V, for programs with
# exceptions and names to show (14 MB to fetch), xz for packed vectors, and an
# independent disassembler that knows Zcmp and Zcmt; qemu-system, another firmware and callgrind for
# the PMU; perf and llvm-bolt read what `hartscope ctr` exports (12 and 198 MB installed, 3 and 37
# MB to fetch); abigail-tools compare the binary interface, clang-format checks lines that a change
# touches; a compiler for s390x makes a host of the other byte order (31 MB to fetch, 105
# installed); jimsh and openocd run scripts/openocd/hartscope.tcl (3 MB to fetch);
# gtkwave makes and reads FST files (3 MB); lcov reads what `hartscope coverage` exports (1 MB);
# protoc reads what `hartscope export --format perfetto` writes (9 MB installed), babeltrace2
# `--format ctf` (3 MB);
# gdb-multiarch steps through recordings (5 MB to fetch, 17 installed);
# openmpi runs hartscope-mpi (12 MB to fetch, 52 installed); chromium shows what `hartscope report
# --html` writes (115 MB to fetch, 374 installed); kcachegrind reads what `hartscope export --format
# callgrind` writes, on a screen in memory (22 MB to fetch, 134 installed); iverilog writes waves
# (2 MB); verilator simulates rtl/ next to the model (9 MB to fetch, 29 installed);
# lld (that of Debian, 14, does not relax) and mold link as on other systems (2 and 5 MB to fetch);
# python3-jsonschema compares JSON with its schema; python3-numpy and python3-pytest test the Python
# module (29 MB installed); python3-nbclient and python3-ipykernel run its notebook (5 MB to
# fetch, 24 installed); python3-mesonpy and pip build a wheel of it (1 MB).
test='libcmocka-dev gcc-riscv64-unknown-elf picolibc-riscv64-unknown-elf g++ g++-riscv64-linux-gnu xz-utils llvm-19 qemu-system-misc opensbi valgrind linux-perf bolt-19
abigail-tools clang-format gcc-s390x-linux-gnu libc6-dev-s390x-cross gdb-multiarch gtkwave jimsh
openocd protobuf-compiler babeltrace2
libbz2-dev libopenmpi-dev openmpi-bin lcov chromium iverilog verilator python3-jsonschema python3-numpy python3-pytest
python3-nbclient python3-ipykernel python3-mesonpy python3-pip python3-venv
lld-19 mold
zsh fish yosys kcachegrind xvfb dbus-daemon at-spi2-core python3-pyatspi'
# scripts/soak/portability.sh: other compilers (350 MB to fetch) and another architecture of 32
# bits.
soak='gcc-11? clang-14? clang-15? clang-16?
clang-17? clang-19 gcc-i686-linux-gnu libc6-dev-i386-cross
gcc-aarch64-linux-gnu libc6-dev-arm64-cross musl-tools
cppcheck clang-tidy debootstrap mmdebstrap debhelper dh-python lintian ccache clang
libclang-rt-14-dev|libclang-rt-19-dev afl++'

# Do programs of the installed qemu-user load plugins?  Those of Debian 13 do not.
loads_plugins()
{
	! command -v qemu-riscv64 >/dev/null || qemu-riscv64 --help | grep -q '^-plugin '
}

# Does apt know a package?  Where it has no lists yet, it may.
known()
{
	! apt-cache show --no-all-versions dpkg >/dev/null 2>&1 ||
		apt-cache show --no-all-versions "$1" >/dev/null 2>&1
}

# resolve NAME...: one name for each; see the top
resolve()
{
	for package; do
		case $package in
		*\?) ! known "${package%\?}" || echo "${package%\?}" ;;
		*\|*) known "${package%%|*}" && echo "${package%%|*}" || echo "${package#*|}" ;;
		*) echo "$package" ;;
		esac
	done
}

print=no
wanted='' demo_wanted=no
for arg in "$@"; do
	case $arg in
	--print) print=yes ;;
	build) wanted="$wanted $build" ;;
	demo)
		wanted="$wanted $demo"
		demo_wanted=yes
		;;
	test) wanted="$wanted $test $emulator" ;;
	soak) wanted="$wanted $soak" ;;
	*) echo "setup.sh: no set '$arg' (build, demo, test, soak)" >&2; exit 2 ;;
	esac
done

has_apt=no
if command -v apt-get >/dev/null && command -v dpkg-query >/dev/null; then
	has_apt=yes
	[ $demo_wanted = no ] || loads_plugins || wanted="$wanted $emulator"
	# shellcheck disable=SC2046,SC2086  # lists of names
	wanted=$(echo $(resolve $wanted))
fi

if [ "$print" = yes ]; then
	echo "$wanted" | tr -s ' ' '\n' | sed '/^$/d'
	exit 0
fi

# What other systems call them: Debian, Alpine, Fedora, Arch; "-" where a system has none, or has it
# in another package of the list.  Packages of the sets test and soak have Debian's names only.
names='
gcc                        gcc                    gcc                    gcc
libc6-dev                  musl-dev               glibc-devel            -
meson                      meson                  meson                  meson
ninja-build                samurai                ninja-build            ninja
pkg-config                 pkgconf                pkgconf-pkg-config     pkgconf
libelf-dev                 elfutils-dev           elfutils-libelf-devel  libelf
libdw-dev                  -                      elfutils-devel         -
libzstd-dev                zstd-dev               libzstd-devel          zstd
libjansson-dev             jansson-dev            jansson-devel          jansson
libxxhash-dev              xxhash-dev             xxhash-devel           xxhash
libiberty-dev              binutils-dev           binutils-devel         binutils
libsqlite3-dev             sqlite-dev             sqlite-devel           sqlite
python3-cffi               py3-cffi               python3-cffi           python-cffi
libseccomp-dev             libseccomp-dev         libseccomp-devel       libseccomp
qemu-user                  qemu-riscv64           qemu-user              qemu-user
gcc-riscv64-linux-gnu      gcc-riscv64            gcc-riscv64-linux-gnu  riscv64-linux-gnu-gcc
libc6-dev-riscv64-cross    -                      -                      -
libllvm19                  llvm19-libs            llvm-libs              llvm-libs
'

# other_names COLUMN NAME...: the names of a column; those without a row stay as they are
other_names()
{
	column=$1
	shift
	for package; do
		echo "$names" | awk -v debian="$package" -v column="$column" '
			$1 == debian { found = 1; if ($column != "-") print $column }
			END { if (!found) print debian }'
	done | tr '\n' ' ' | sed 's/ $//'
}

# A system without apt: say what to install there, by its os-release.
if [ $has_apt = no ]; then
	like=$(sed -n 's/^ID\(_LIKE\)\{0,1\}=//p' "${OS_RELEASE:-/etc/os-release}" 2>/dev/null |
		tr -d '"' | tr '\n' ' ')
	case " $like" in
	# shellcheck disable=SC2086  # a list of names
	*' alpine '*) echo "setup: install with: apk add $(other_names 2 $wanted)" >&2 ;;
	# shellcheck disable=SC2086
	*' fedora '*) echo "setup: install with: dnf install $(other_names 3 $wanted)" >&2 ;;
	# shellcheck disable=SC2086
	*' arch '*) echo "setup: install with: pacman -S $(other_names 4 $wanted)" >&2 ;;
	*) echo "setup: no apt here; needed are the equivalents of:$wanted" >&2 ;;
	esac
	exit 0
fi

installed()
{
	[ "$(dpkg-query -W -f='${db:Status-Status}' "$1" 2>/dev/null)" = installed ]
}

missing=
for package in $wanted; do
	installed "$package" || missing="$missing $package"
done
[ -n "$missing" ] || exit 0

if [ "$(id -u)" -ne 0 ]; then
	echo "setup: run as root: apt-get install --no-install-recommends$missing" >&2
	exit 1
fi

echo "setup: installing$missing"
log=$(mktemp)
export DEBIAN_FRONTEND=noninteractive
# Old package lists are often good enough; they are renewed only when an installation fails.
install()
{
	# shellcheck disable=SC2086  # a list of names
	apt-get install -y -q --no-install-recommends $missing >>"$log" 2>&1 </dev/null
}
if ! install && ! { apt-get update -q >>"$log" 2>&1 && install; }; then
	tail -n 20 "$log" >&2
	echo "setup: apt-get failed; its whole output is in $log" >&2
	exit 1
fi
rm -f "$log"
