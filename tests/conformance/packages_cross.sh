#!/bin/bash
# Packages of Debian for another architecture: `packages_cross.sh long [ARCH[:SUITE]]...` (make
# soak; arm64 and riscv64 where none is named).  They are built in a fresh system of this machine
# with that architecture's libraries, as Debian's own cross builds are, installed there, and run
# under qemu-user: the tool gives what this machine's gives, and an example links the library.
# Where the suite's qemu-user is static they also run in a system of that architecture.
: "${HARTSCOPE_SOURCE:?the source folder}"
: "${HARTSCOPE:?the tool}"
. "$HARTSCOPE_SOURCE/tests/need.sh"
. "$HARTSCOPE_SOURCE/tests/conformance/packages_report.sh"
[ "${1:-}" = long ] || { echo '# SKIP only in make soak'; exit 77; }
shift
[ $# -gt 0 ] || set -- arm64 arm64:trixie riscv64
[ "$(id -u)" -eq 0 ] || { echo "# SKIP a fresh system needs root"; exit 77; }
need dpkg-buildpackage dh debootstrap git riscv64-linux-gnu-gcc qemu-riscv64
cd "$HARTSCOPE_SOURCE" || exit 1
work=$(mktemp -d -p "${TMPDIR:-/tmp}")
clean()
{
	umount -q "$work"/*/proc 2>/dev/null
	rm -rf "$work"
}
trap clean EXIT
export DEBIAN_FRONTEND=noninteractive
unset TMPDIR # the systems have none of that name

# field N ARCH: of the row of scripts/packaging/sysroot.sh: 3 is the usual suite, 4 the triplet, 7
# the emulator
field()
{
	awk -v n="$1" -v arch="$2" '$1 == "row" && $2 == arch { print $n }' \
		scripts/packaging/sysroot.sh
}

# results TOOL...: what the tool makes of the recording in this folder, as one file
results()
{
	for protocol in ntrace etrace; do
		"$@" encode -q --protocol $protocol -o trace."$protocol" program.rec &&
			"$@" decode -q -o flow trace.$protocol && "$@" check -q program.rec flow &&
			"$@" list --format pc flow && "$@" dump trace.$protocol || return 1
		rm -rf flow
	done
	"$@" report --allow-paths program.rec &&
		"$@" coverage --allow-paths --format lcov program.rec
}

# mirror_of ARCH SUITE: where it comes from; nothing where that cannot be reached
mirror_of()
{
	(. scripts/guests/apt-suite.sh
		suite_open "$work/apt" "$2" "APT::Architecture \"$1\"" \
			"APT::Architectures { \"$1\"; }" >&2
		suite_mirror) 2>"$work/log"
}

# build ARCH SUITE ROOT MIRROR: the packages, in ROOT/build
build()
{
	local arch=$1 suite=$2 root=$3 mirror=$4

	debootstrap --variant=buildd --include=ca-certificates "$suite" "$root" "$mirror" \
		>"$work/log" 2>&1
	report "$arch: a fresh $suite" $? "$work/log"
	cp /etc/resolv.conf "$root/etc/"
	mount -t proc proc "$root/proc"
	scripts/packaging/packages.sh --source "$root/build" >"$work/log" 2>&1 &&
		chroot "$root" sh -c "cd /build/hartscope-* && dpkg --add-architecture $arch &&
			apt-get update -q &&
			apt-get install -y -q --no-install-recommends crossbuild-essential-$arch \
				qemu-user man-db &&
			apt-get build-dep -y -q --no-install-recommends -a$arch -Pcross,nocheck \
				--arch-only ." >>"$work/log" 2>&1
	report "$arch: what building needs is installed" $? "$work/log"
	chroot "$root" sh -c "cd /build/hartscope-* &&
		DEB_BUILD_OPTIONS='nocheck parallel=$(nproc)' dpkg-buildpackage -us -uc -B \
		-a$arch -Pcross,nocheck" >"$work/log" 2>&1
	report "$arch: packages are built" $? "$work/log"
}

# try ARCH ROOT: install and run them
try()
{
	local arch=$1 root=$2 triplet emulator machine lines

	triplet=$(field 4 "$arch")
	emulator=$(field 7 "$arch")
	machine=${triplet%%-*}
	lines=$(wc -l <"$work/want")
	rm -f "$root"/build/*dbgsym*
	chroot "$root" sh -c "apt-get install -y -q --no-install-recommends /build/*_$arch.deb" \
		>"$work/log" 2>&1
	report "$arch: they install" $? "$work/log"
	chroot "$root" dpkg -L "hartscope:$arch" >"$work/log" 2>&1 &&
		grep -q '^/usr/bin/hartscope$' "$work/log" &&
		chroot "$root" "$triplet-objdump" -f /usr/bin/hartscope >"$work/log" 2>&1 &&
		grep -q "file format elf64-little${machine%64}" "$work/log"
	report "$arch: the tool is of it" $? "$work/log"
	cp -r "$work/here/program.rec" "$root/build/"
	mkdir -p "$root$work/here" && cp "$work/here/program" "$root$work/here" # as it says
	# shellcheck disable=SC2016
	{
		declare -f results
		echo 'cd /build && results "$@"'
	} >"$root/build/results"
	chroot "$root" bash /build/results "$emulator" /usr/bin/hartscope >"$work/there" \
		2>"$work/log"
	report "$arch: it encodes, decodes and lists" $? "$work/log"
	cmp "$work/want" "$work/there" >"$work/log" 2>&1
	report "$arch: $lines lines are those of this machine's tool" $? "$work/log"
	cp examples/who_ran.c "$root/build/"
	chroot "$root" sh -c "cd /build && $triplet-gcc -o example who_ran.c \
		\$($triplet-pkg-config --cflags --libs hartscope) && $emulator ./example" \
		>"$work/log" 2>&1
	[ $? -le 3 ] && grep -qi usage "$work/log"
	report "$arch: an example links the library, and runs" $? "$work/log"
}

# native ARCH SUITE ROOT MIRROR: the same in a system of the architecture, by ROOT's emulator
native()
{
	local arch=$1 suite=$2 mirror=$4 own=$work/native run

	run=(scripts/packaging/emulated.sh "$arch" "$3/usr/bin/$(field 7 "$arch")")
	if "${run[@]}" true 2>"$work/log"; [ $? -eq 77 ]; then
		echo "ok - $arch: a system of its own # SKIP $(tail -n 1 "$work/log")"
		return
	fi
	"${run[@]}" mmdebstrap --quiet --variant=minbase --architectures="$arch" \
		--include=ca-certificates "$suite" "$own" "$mirror" >"$work/log" 2>&1
	report "$arch: a system of its own" $? "$work/log"
	cp /etc/resolv.conf "$own/etc/"
	mkdir -p "$own/build" "$own$work/here"
	cp -r "$3"/build/*_"$arch".deb "$3/build/results" "$work/here/program.rec" "$own/build"
	cp "$work/here/program" "$own$work/here"
	"${run[@]}" chroot "$own" sh -c 'apt-get update -q &&
		apt-get install -y -q --no-install-recommends /build/*.deb libllvm19' \
		>"$work/log" 2>&1
	report "$arch: they install there" $? "$work/log"
	"${run[@]}" chroot "$own" bash /build/results hartscope >"$work/there" 2>"$work/log" &&
		cmp "$work/want" "$work/there" >"$work/log" 2>&1
	report "$arch: the tool's lines are the same there" $? "$work/log"
	rm -rf "$own"
}

mkdir "$work/here"
riscv64-linux-gnu-gcc -O1 -g -static -o "$work/here/program" tests/programs/last.c
(
	cd "$work/here" || exit
	"$HARTSCOPE" record -q -o program.rec -- ./program >/dev/null 2>&1
	cp -r program.rec original
	results "$HARTSCOPE" >"$work/want" 2>"$work/log"
)
report "this machine's tool" $? "$work/log"

for spec; do
	arch=${spec%:*}
	suite=${spec#*:}
	[ "$suite" != "$arch" ] || suite=$(field 3 "$arch")
	[ -n "$(field 3 "$arch")" ] || { echo "FAIL - no such architecture: $arch"; exit 1; }
	mirror=$(mirror_of "$arch" "$suite")
	[ -n "$mirror" ] || { echo "ok - $arch # SKIP $(tail -n 1 "$work/log")"; continue; }
	build "$arch" "$suite" "$work/$arch" "$mirror"
	[ "$failed" -ne 0 ] || try "$arch" "$work/$arch"
	[ "$failed" -ne 0 ] ||
		! file -L "$work/$arch/usr/bin/$(field 7 "$arch")" | grep -q static ||
		native "$arch" "$suite" "$work/$arch" "$mirror"
	umount -q "$work/$arch/proc"
	[ "$failed" -eq 0 ] || exit 1
	rm -rf "${work:?}/$arch"
done
