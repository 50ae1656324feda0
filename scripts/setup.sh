#!/bin/sh
# Install with apt what is missing, and nothing else.
#
#   scripts/setup.sh [--print] SET...     SET: build, demo, test
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
# python3-jsonschema compares JSON with its schema; python3-numpy and python3-pytest test the Python
# module (29 MB installed).
test='libcmocka-dev gcc-riscv64-unknown-elf picolibc-riscv64-unknown-elf g++ g++-riscv64-linux-gnu xz-utils llvm-19 qemu-system-misc opensbi valgrind linux-perf bolt-19
abigail-tools clang-format gcc-s390x-linux-gnu libc6-dev-s390x-cross gdb-multiarch gtkwave jimsh
openocd protobuf-compiler
libopenmpi-dev openmpi-bin lcov chromium iverilog verilator python3-jsonschema python3-numpy python3-pytest
zsh fish yosys kcachegrind xvfb dbus-daemon at-spi2-core python3-pyatspi'

print=no
wanted=
for arg in "$@"; do
	case $arg in
	--print) print=yes ;;
	build) wanted="$wanted $build" ;;
	demo) wanted="$wanted $demo" ;;
	test) wanted="$wanted $test" ;;
	*) echo "setup.sh: no set '$arg' (build, demo, test)" >&2; exit 2 ;;
	esac
done

if [ "$print" = yes ]; then
	echo "$wanted" | tr -s ' ' '\n' | sed '/^$/d'
	exit 0
fi

if ! command -v apt-get >/dev/null || ! command -v dpkg-query >/dev/null; then
	echo "setup: no apt here; needed are the equivalents of:$wanted" >&2
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
