#!/bin/sh
# make install: what it says, the tool from there with no variable set, and make uninstall.
. "$(dirname "$0")/lib.sh"
: "${HARTSCOPE_SOURCE:?the source folder}"
: "${HARTSCOPE_BUILD:?the build folder}"
need meson
install=$HARTSCOPE_SOURCE/scripts/packaging/install.sh
unset HARTSCOPE_PLUGIN

exits "install" 0 env DESTDIR="$dir/root" "$install" "$HARTSCOPE_BUILD"
prefix=$dir/root$(sed -n 's|^  tool  *\(.*\)/bin .*|\1|p' out | sed "s|^$dir/root||")
for what in tool library headers recorder pkg-config 'man pages' 'scripts, layouts' documents; do
	has "install says where it is: $what" "^  $what.* $dir/root/" out
done
has "install: a DESTDIR needs no ldconfig" "DESTDIR" out

tool=$prefix/bin/hartscope
exits "the installed tool" 0 "$tool" --version
if command -v riscv64-linux-gnu-gcc >/dev/null && command -v qemu-riscv64 >/dev/null; then
	riscv64-linux-gnu-gcc -O2 -static -o echo "$HARTSCOPE_SOURCE/tests/programs/echo.c"
	exits "record with the installed plugin" 0 "$tool" record -q -o echo.rec -- ./echo x
	exits "list with the installed tool" 0 "$tool" list --limit 3 echo.rec
	is "list: instructions" 3 "$(grep -c '^ ' out)"
fi
printf '#!/bin/sh\nexit 1\n' >qemu-system-riscv64
chmod +x qemu-system-riscv64
exits "a machine without QEMU 10" 126 "$tool" record -o m.rec -- ./qemu-system-riscv64
has "what fetches it" "hint: '$prefix/share/hartscope/scripts/qemu-new.sh DIR' fetches a newer" err
exits "which explains itself" 0 "$prefix/share/hartscope/scripts/qemu-new.sh" --help
has "which explains itself" "qemu-new.sh DIR" out
exits "a system without emulators" 1 env PATH=/none HOME=/none HARTSCOPE_CACHE= XDG_CACHE_HOME= \
	"$tool" record --check
has "what builds one" "hint: '$prefix/share/hartscope/scripts/qemu-user.sh' builds one" err
exits "which explains itself" 0 "$prefix/share/hartscope/scripts/qemu-user.sh" --help

for page in hartscope.1 hartscope-list.1 hartscope-recording.5 hartscope-parameters.7; do
	is "$page is installed" 0 "$([ -s "$prefix/share/man/man${page##*.}/$page" ]; echo $?)"
done
for file in README.md docs/captures.md examples/decode.c; do
	is "$file is installed" 0 "$([ -s "$prefix/share/doc/hartscope/$file" ]; echo $?)"
done
# Links in documents lead somewhere.
for page in README.md docs/README.md; do
	page=$prefix/share/doc/hartscope/$page
	grep -o '](\(\.\./\)*[A-Za-z/-]*\.[a-z]*)' "$page" | sed 's/](\(.*\))/\1/' |
		while read -r link; do
			[ -e "${page%/*}/$link" ] || echo "$link"
		done >dangling
	is "${page#"$prefix/"} has no dangling link" "" "$(cat dangling)"
done

exits "uninstall" 0 env DESTDIR="$dir/root" "$install" --remove "$HARTSCOPE_BUILD"
is "uninstall leaves no file" "" "$(find "$dir/root" ! -type d)"
is "uninstall leaves no folder of its own" "" "$(find "$dir/root" -name '*artscope*')"
exits "uninstall twice" 1 env DESTDIR="$dir/root" "$install" --remove "$HARTSCOPE_BUILD"

# Into /usr/local itself, which only these commands see: the tool, the library, the module and the
# manual pages are found with no variable set.
cat >local.sh <<'END'
mount --make-rprivate / && mount -t tmpfs none /usr/local &&
	mount -t tmpfs none /var/cache/ldconfig && mkdir etc &&
	mount -t tmpfs none etc && cp -a /etc/. etc && mount --bind etc /etc || exit 77
unset PYTHONPATH LD_LIBRARY_PATH MANPATH
"$1" "$2" >installed || exit
cat >version.c <<'C'
#include <hartscope/status.h>
#include <stdio.h>
int main(void) { puts(hs_version_string()); }
C
hartscope -V >tool 2>&1
cc -o version version.c $(pkg-config --cflags --libs hartscope) && ./version >program 2>&1
/usr/bin/python3 -c 'import hartscope; print(hartscope.__file__)' >module 2>&1
man -w hartscope-list >page 2>&1
"$1" --remove "$2" >removed
find /usr/local ! -type d -o -name '*artscope*' >left
ldconfig -p | grep hartscope >>left
exit 0
END
unshare -m sh local.sh "$install" "$HARTSCOPE_BUILD" 2>local.err
case $?:$prefix in
0:*/usr/local)
	has "/usr/local: ldconfig ran" "^ldconfig ran" installed
	has "/usr/local: the tool" "^hartscope [0-9]" tool
	if [ -n "${HARTSCOPE_SANITIZED-}" ]; then
		echo "skipped: a sanitizer has to be loaded before the library"
	else
		has "/usr/local: a program that links the library" "^[0-9]" program
		[ -z "$(find "$dir/root" "$HARTSCOPE_BUILD/python" -name _declarations.py)" ] ||
			has "/usr/local: the module of Python" "^/usr/local/lib" module
	fi
	[ -z "$(command -v man)" ] || has "/usr/local: a manual page" "^/usr/local/share/man" page
	is "/usr/local: nothing is left" "" "$(cat left)" ;;
*) echo "ok - /usr/local # SKIP it cannot be replaced by an empty one here" ;;
esac

# A system without apt: setup.sh says what to install there.
mkdir bin
for word in sh sed tr awk echo; do
	ln -s "$(command -v "$word")" bin
done
for row in "alpine:apk add gcc musl-dev .* samurai .* elfutils-dev zstd-dev .* qemu-riscv64" \
	"manjaro:pacman -S gcc meson .* libelf zstd .* riscv64-linux-gnu-gcc llvm-libs$" \
	"rocky:dnf install gcc glibc-devel .* elfutils-devel libzstd-devel .* qemu-user" \
	"void:no apt here; needed are the equivalents of: gcc libc6-dev"; do
	case ${row%%:*} in
	rocky) like='rhel centos fedora' ;;
	manjaro) like=arch ;;
	*) like= ;;
	esac
	printf 'ID="%s"\nID_LIKE="%s"\n' "${row%%:*}" "$like" >os-release
	exits "setup on ${row%%:*}" 0 env OS_RELEASE="$dir/os-release" PATH="$dir/bin" \
		"$HARTSCOPE_SOURCE/scripts/setup.sh" build demo
	has "setup on ${row%%:*} names packages" "^setup: .*${row#*:}" err
done
finish
