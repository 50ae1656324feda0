#!/bin/sh
# Fetch a newer qemu-system-riscv from Debian's backports into DIR/qemu-new, next to the installed
# one:
#
#   qemu-new.sh DIR
#
# Nothing is installed.  Exits with 77 where that suite cannot be reached.
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
[ ! -x "$build/qemu-new/usr/bin/qemu-system-riscv64" ] || exit 0

state=$build/qemu-new.apt
suite=$(. /etc/os-release && echo "$VERSION_CODENAME")-backports
rm -rf "$build/qemu-new"
suite_open "$state" "$suite"
(cd "$state/get" && suite_apt download "qemu-system-riscv/$suite" "qemu-system-common/$suite" \
	"qemu-system-data/$suite" \
	>>"$state/log" 2>&1) || { echo "qemu-new: $suite has no qemu-system-riscv" >&2; exit 77; }
for package in "$state"/get/*.deb; do
	dpkg-deb -x "$package" "$build/qemu-new"
done
rm -rf "$state"
"$build/qemu-new/usr/bin/qemu-system-riscv64" --version | head -n 1
