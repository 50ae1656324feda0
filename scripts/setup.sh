#!/bin/sh
# Install with apt what is missing, and nothing else.
#
#   scripts/setup.sh [--print] SET...     SET: build, demo, test, soak
#
# --print lists the packages of the sets and installs nothing.
set -eu

# meson and ninja build; the libraries are those of docs/adr/0002.
build='gcc libc6-dev meson ninja-build pkg-config libelf-dev libdw-dev libzstd-dev libjansson-dev
libxxhash-dev libiberty-dev libsqlite3-dev python3-cffi libseccomp-dev'
# Optional: libsqlite3, without which export --format sqlite is refused, python3-cffi, without
# which there is no Python module, and libseccomp, without which system calls are not limited.
# Run and show a RISC-V program; libllvm19 disassembles.
demo='qemu-user gcc-riscv64-linux-gnu libc6-dev-riscv64-cross libllvm19'
# cmocka, a bare-metal compiler for rv32, g++ for the headers and, for RISC-V, for programs with
# exceptions and names to show (14 MB to fetch), xz for packed vectors, and an
# independent disassembler that knows Zcmp and Zcmt; qemu-system, another firmware and callgrind for
# the PMU; perf and llvm-bolt read what `hartscope ctr` exports (12 and 198 MB installed, 3 and 37
# MB to fetch); abigail-tools compare the binary interface, clang-format checks lines that a change
# touches; a compiler for s390x makes a host of the other byte order (31 MB to fetch, 105
# installed); jimsh and openocd run scripts/openocd/hartscope.tcl (3 MB to fetch);
# gtkwave makes and reads FST files (3 MB); lcov reads what `hartscope coverage` exports (1 MB);
# protoc reads what `hartscope export --format perfetto` writes (9 MB installed);
# gdb-multiarch steps through recordings (5 MB to fetch, 17 installed);
# openmpi runs hartscope-mpi (12 MB to fetch, 52 installed); chromium shows what `hartscope report
# --html` writes (115 MB to fetch, 374 installed); kcachegrind reads what `hartscope export --format
# callgrind` writes, on a screen in memory (22 MB to fetch, 134 installed); iverilog writes waves
# (2 MB); verilator simulates rtl/ next to the model (9 MB to fetch, 29 installed);
# lld (that of Debian, 14, does not relax) and mold link as on other systems (2 and 5 MB to fetch);
# python3-jsonschema compares JSON with its schema; python3-numpy and python3-pytest test the Python
# module (29 MB installed).
test='libcmocka-dev gcc-riscv64-unknown-elf picolibc-riscv64-unknown-elf g++ g++-riscv64-linux-gnu xz-utils llvm-19 qemu-system-misc opensbi valgrind linux-perf bolt-19
abigail-tools clang-format gcc-s390x-linux-gnu libc6-dev-s390x-cross gdb-multiarch gtkwave jimsh
openocd protobuf-compiler
libopenmpi-dev openmpi-bin lcov chromium iverilog verilator python3-jsonschema python3-numpy python3-pytest
lld-19 mold
zsh fish yosys kcachegrind xvfb dbus-daemon at-spi2-core python3-pyatspi'
# scripts/portability.sh: other compilers (350 MB to fetch) and another architecture of 32 bits.
soak='gcc-11 clang-14 clang-15 clang-16 clang-19 gcc-i686-linux-gnu libc6-dev-i386-cross
gcc-aarch64-linux-gnu libc6-dev-arm64-cross musl-tools
cppcheck clang-tidy debootstrap debhelper dh-python lintian ccache clang libclang-rt-14-dev afl++'

print=no
wanted=
for arg in "$@"; do
	case $arg in
	--print) print=yes ;;
	build) wanted="$wanted $build" ;;
	demo) wanted="$wanted $demo" ;;
	test) wanted="$wanted $test" ;;
	soak) wanted="$wanted $soak" ;;
	*) echo "setup.sh: no set '$arg' (build, demo, test, soak)" >&2; exit 2 ;;
	esac
done

if [ "$print" = yes ]; then
	echo "$wanted" | tr -s ' ' '\n' | sed '/^$/d'
	exit 0
fi

# What other systems call them: Debian, Alpine, Fedora; "-" where a system has none, or has it in
# another package of the list.  Packages of the sets test and soak have Debian's names only.
names='
gcc                        gcc                    gcc
libc6-dev                  musl-dev               glibc-devel
meson                      meson                  meson
ninja-build                samurai                ninja-build
pkg-config                 pkgconf                pkgconf-pkg-config
libelf-dev                 elfutils-dev           elfutils-libelf-devel
libdw-dev                  -                      elfutils-devel
libzstd-dev                zstd-dev               libzstd-devel
libjansson-dev             jansson-dev            jansson-devel
libxxhash-dev              xxhash-dev             xxhash-devel
libiberty-dev              binutils-dev           binutils-devel
libsqlite3-dev             sqlite-dev             sqlite-devel
python3-cffi               py3-cffi               python3-cffi
libseccomp-dev             libseccomp-dev         libseccomp-devel
qemu-user                  qemu-riscv64           qemu-user
gcc-riscv64-linux-gnu      gcc-riscv64            gcc-riscv64-linux-gnu
libc6-dev-riscv64-cross    -                      -
libllvm19                  llvm19-libs            llvm-libs
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
if ! command -v apt-get >/dev/null || ! command -v dpkg-query >/dev/null; then
	like=$(sed -n 's/^ID\(_LIKE\)\{0,1\}=//p' "${OS_RELEASE:-/etc/os-release}" 2>/dev/null |
		tr -d '"' | tr '\n' ' ')
	case " $like" in
	# shellcheck disable=SC2086  # a list of names
	*' alpine '*) echo "setup: install with: apk add $(other_names 2 $wanted)" >&2 ;;
	# shellcheck disable=SC2086
	*' fedora '*) echo "setup: install with: dnf install $(other_names 3 $wanted)" >&2 ;;
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
