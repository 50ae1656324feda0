#!/bin/sh
# Build the Debian packages of the last commit in FOLDER:
#
#   scripts/packaging/packages.sh FOLDER
#   scripts/packaging/packages.sh --source FOLDER   only their source, FOLDER/hartscope-VERSION
#
# Needs what debian/control names in Build-Depends.  DEB_BUILD_OPTIONS=nocheck leaves the unit tests
# out.
set -eu
only_source=no
if [ "$1" = --source ]; then
	only_source=yes
	shift
fi
folder=$(mkdir -p "$1" && cd "$1" && pwd)
cd "$(dirname "$0")/../.."
command -v dpkg-buildpackage >/dev/null && command -v dh >/dev/null ||
	{ echo "packages: needs the packages dpkg-dev and debhelper" >&2; exit 1; }
version=$(scripts/packaging/version.sh)
scripts/packaging/dist.sh "$folder"
rm -rf "$folder/hartscope-$version"
mv "$folder/hartscope-$version.tar.xz" "$folder/hartscope_$version.orig.tar.xz"
tar -xf "$folder/hartscope_$version.orig.tar.xz" -C "$folder"
git archive --format=tar HEAD debian | tar -x -C "$folder/hartscope-$version"
cd "$folder/hartscope-$version"
[ "$only_source" = no ] || exit 0
dpkg-buildpackage -us -uc >"$folder/build.log" 2>&1 || {
	tail -n 30 "$folder/build.log" >&2
	exit 1
}
ls "$folder"/*.deb
