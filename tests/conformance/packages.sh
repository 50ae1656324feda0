#!/bin/bash
# Packages of Debian.  In short: debian/ names what is installed.  `packages.sh long` (make soak)
# builds them twice in different folders, compares, asks lintian, and installs them in a fresh
# system, where the demonstration, the manual pages and the library work (debian/tests).
: "${HARTSCOPE_SOURCE:?the source folder}"
. "$HARTSCOPE_SOURCE/tests/need.sh"
. "$HARTSCOPE_SOURCE/tests/conformance/packages_report.sh"

cd "$HARTSCOPE_SOURCE" || exit 1
grep -q "^hartscope ($(scripts/packaging/version.sh)-" debian/changelog
report "the version of debian/changelog is that of the library" $?
[ "$(sed -n 's/^#define HS_VERSION_MAJOR //p' include/hartscope/status.h)" = \
	"$(sed -n 's/^Package: libhartscope\([0-9]\)$/\1/p' debian/control)" ]
report "the library's package has the number of its soname" $?
[ "${1:-}" = long ] || exit $failed

[ "$(id -u)" -eq 0 ] || { echo "# SKIP a fresh system needs root"; exit 77; }
need dpkg-buildpackage dh lintian debootstrap git
work=$(mktemp -d -p "${TMPDIR:-/tmp}")
root=$work/root
clean()
{
	umount -q "$root/proc" 2>/dev/null
	rm -rf "$work"
}
trap clean EXIT
export DEB_BUILD_OPTIONS="${DEB_BUILD_OPTIONS:-} parallel=$(nproc)"

scripts/packaging/packages.sh "$work/one" >"$work/log" 2>&1
report "packages are built, from a tarball without git, and the unit tests pass" $? "$work/log"
[ "$failed" -eq 0 ] || exit 1
lintian --fail-on error,warning --allow-root "$work"/one/*.changes >"$work/log" 2>&1
report "lintian has no error or warning" $? "$work/log"
DEB_BUILD_OPTIONS="$DEB_BUILD_OPTIONS nocheck" scripts/packaging/packages.sh "$work/two/in/depth" \
	>"$work/log" 2>&1
report "packages are built in another folder" $? "$work/log"
for package in "$work"/one/*.deb; do
	cmp "$package" "$work/two/in/depth/${package##*/}" >"$work/log" 2>&1
	report "two builds are equal: ${package##*/}" $? "$work/log"
done

# ---- a fresh system ------------------------------------------------------------------------
codename=$(. /etc/os-release && echo "$VERSION_CODENAME")
mirror=$(. scripts/guests/apt-suite.sh && suite_mirror)
[ -n "$mirror" ] || { echo "# SKIP no mirror"; exit 77; }
debootstrap --variant=minbase --include=ca-certificates,man-db,gcc,libc6-dev,pkg-config \
	"$codename" "$root" "$mirror" >"$work/log" 2>&1
report "a fresh $codename" $? "$work/log"
[ "$failed" -eq 0 ] || exit 1
cp /etc/resolv.conf "$root/etc/"
mkdir "$root/packages"
cp "$work"/one/*.deb "$root/packages"
rm "$root"/packages/*dbgsym*
mount -t proc proc "$root/proc"
chroot "$root" sh -c 'export DEBIAN_FRONTEND=noninteractive
	apt-get update -q
	apt-get install -y -q --no-install-recommends /packages/*.deb qemu-user \
		gcc-riscv64-linux-gnu libc6-dev-riscv64-cross libllvm19 \
		python3-numpy' >"$work/log" 2>&1
report "the packages install there" $? "$work/log"
tar -xf "$work"/one/hartscope_*.orig.tar.xz -C "$root" --transform 's|^[^/]*|source|'
cp -r "$work"/one/hartscope-*/debian "$root/source"
for name in $(sed -n 's/^Tests: //p' debian/tests/control); do
	chroot "$root" sh -c "mkdir /tmp/$name && cd /source && AUTOPKGTEST_TMP=/tmp/$name \
		debian/tests/$name" >"$work/log" 2>&1
	report "installed: $name" $? "$work/log"
done
mv "$root/source" "$root/packages" "$work"
chroot "$root" apt-get purge -y -q hartscope libhartscope0 libhartscope-dev hartscope-doc \
	python3-hartscope \
	>"$work/log" 2>&1
report "the packages are removed" $? "$work/log"
left=$(find "$root/usr" "$root/etc" -name '*hartscope*' | head)
[ -z "$left" ]
report "nothing of them is left: $left" $?
exit $failed
