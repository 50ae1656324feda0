#!/bin/sh
# Fetch a newer qemu-system-riscv, on Debian 12 from its backports, into DIR/qemu-new, next to the
# installed one, with its firmware, and the shared libraries that it needs and the system has not:
#
#   qemu-new.sh DIR
#
# HARTSCOPE_QEMU_SUITE names another suite, such as trixie-backports with its 11.1; what is in
# DIR/qemu-new stays, whatever it is.  Nothing is installed.  Exits with 77 where the suite cannot
# be reached.
set -eu
if [ $# -ne 1 ] || [ "${1#-}" != "$1" ]; then
	sed -n '2,/^set/{s/^# \{0,1\}//p;}' "$0"
	[ "${1:-}" = --help ]
	exit
fi
mkdir -p "$1"
build=$(cd "$1" && pwd)
. "$(dirname "$0")/apt-suite.sh"
exec 9>"$build/qemu-new.lock" # tests that run at the same time want it
flock 9

top=$build/qemu-new
state=$build/qemu-new.apt
release=$(. /etc/os-release && echo "$VERSION_CODENAME")
suite=$release-backports
[ "$release" = bookworm ] || suite=$release # 10.0 or newer itself, and what was tested
suite=${HARTSCOPE_QEMU_SUITE:-$suite}
emulators='qemu-system-riscv64 qemu-system-riscv32'

# The system may have lost libraries since it was fetched.
runs()
{
	[ -x "$top/usr/bin/qemu-system-riscv64" ] &&
		"$top/usr/bin/qemu-system-riscv64" --version >/dev/null 2>&1
}

# download PACKAGE...
download()
{
	(cd "$state/get" && suite_apt download "$@" >>"$state/log" 2>&1)
}

# A script in the place of each emulator, which says where the libraries are.
wrap()
{
	folders=$(find "$top" -name '*.so.*' -path '*/lib/*' -printf '%h\n' | sort -u |
		paste -s -d :)
	for name in $emulators; do
		mv "$top/usr/bin/$name" "$top/usr/lib/$name"
		cat >"$top/usr/bin/$name" <<-END
			#!/bin/sh
			export LD_LIBRARY_PATH="$folders\${LD_LIBRARY_PATH:+:\$LD_LIBRARY_PATH}"
			exec "$top/usr/lib/$name" "\$@"
		END
		chmod +x "$top/usr/bin/$name"
	done
}

unpack()
{
	for package in "$state"/get/*.deb; do
		dpkg-deb -x "$package" "$top"
		rm "$package"
	done
}

! runs || exit 0
rm -rf "$top"
suite_open "$state" "$suite $release"
# opensbi is the firmware that qemu-system-data has links to.
download opensbi "qemu-system-riscv/$suite" "qemu-system-common/$suite" \
	"qemu-system-data/$suite" ||
	{ echo "qemu-new: $suite has no qemu-system-riscv" >&2; exit 77; }
unpack
if ! runs; then
	# shellcheck disable=SC2046  # a list of packages
	download $(suite_libraries "$suite" qemu-system-riscv) && unpack && wrap
fi
runs || {
	echo "qemu-new: it does not run: $("$top/usr/bin/qemu-system-riscv64" --version 2>&1)" >&2
	exit 1
}
rm -rf "$state"
"$top/usr/bin/qemu-system-riscv64" --version | head -n 1
