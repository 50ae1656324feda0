#!/bin/sh
# Fetch a newer qemu-system-riscv from Debian's backports into BUILD/qemu-new, next to the installed
# one:
#
#   scripts/qemu-new.sh BUILD
#
# Nothing is installed; apt's own lists and settings are used with a copy of the source that has the
# backports suite.  Exits with 77 where that suite cannot be reached.
set -eu
build=$(cd "$1" && pwd)
exec 9>"$build/qemu-new.lock" # tests that run at the same time want it
flock 9
[ ! -x "$build/qemu-new/usr/bin/qemu-system-riscv64" ] || exit 0

state=$build/qemu-new.apt
rm -rf "$state" "$build/qemu-new"
mkdir -p "$state/lists/partial" "$state/cache/archives/partial" "$state/get"
suite=$(. /etc/os-release && echo "$VERSION_CODENAME")-backports

# The mirror is the one that main packages come from.
mirror=$(apt-get indextargets --format '$(SITE) $(RELEASE) $(CODENAME)' 2>/dev/null |
	grep -v -- '-\|security' |
	awk 'NR == 1 { print $1 }')
if [ -z "$mirror" ]; then
	echo 'qemu-new: apt names no mirror' >&2
	exit 77
fi
echo "deb [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] $mirror $suite main" \
	>"$state/sources.list"

apt()
{
	apt-get -q -o Dir::Etc::SourceList="$state/sources.list" -o \
		Dir::Etc::SourceParts=/dev/null \
		-o Dir::State::Lists="$state/lists" -o Dir::Cache="$state/cache" -o \
			APT::Sandbox::User=root "$@"
}

if ! apt update >"$state/log" 2>&1 || grep -q '^[EW]:.*Failed' "$state/log"; then
	echo "qemu-new: $suite cannot be reached" >&2
	exit 77
fi
(cd "$state/get" && apt download "qemu-system-riscv/$suite" "qemu-system-common/$suite" \
	"qemu-system-data/$suite" \
	>>"$state/log" 2>&1) || { echo "qemu-new: $suite has no qemu-system-riscv" >&2; exit 77; }
for package in "$state"/get/*.deb; do
	dpkg-deb -x "$package" "$build/qemu-new"
done
rm -rf "$state"
"$build/qemu-new/usr/bin/qemu-system-riscv64" --version | head -n 1
