#!/bin/sh
# scripts/guests/qemu-new.sh on a system without the libraries that QEMU needs, with an apt-get and
# packages that are made here: "QEMU" ends with 127 unless it knows where its library is.
. "$(dirname "$0")/lib.sh"
: "${HARTSCOPE_SOURCE:?the source folder}"
need dpkg-deb
script=$HARTSCOPE_SOURCE/scripts/guests/qemu-new.sh
keep=$dir/packages

# package NAME: of the files in the folder tree
package() {
	mkdir -p tree/DEBIAN "$keep"
	printf 'Package: %s\nVersion: 1\nArchitecture: all\nMaintainer: none\nDescription: none\n' \
		"$1" >tree/DEBIAN/control
	dpkg-deb --root-owner-group --build tree "$keep/$1.deb" >/dev/null
	rm -rf tree
}

mkdir -p tree/usr/bin
cat >tree/usr/bin/qemu-system-riscv64 <<'END'
#!/bin/sh
IFS=:
for folder in ${LD_LIBRARY_PATH-}; do
	[ ! -e "$folder/libneeded.so.1" ] || { unset IFS; echo "QEMU with $*"; exit 0; }
done
echo 'libneeded.so.1: cannot open shared object file' >&2
exit 127
END
chmod +x tree/usr/bin/qemu-system-riscv64
cp tree/usr/bin/qemu-system-riscv64 tree/usr/bin/qemu-system-riscv32
package qemu-system-riscv
mkdir -p tree/usr/share/qemu
ln -s ../../lib/firmware.bin tree/usr/share/qemu/firmware.bin
package qemu-system-data
mkdir -p tree/usr/share/doc
package qemu-system-common
mkdir -p tree/usr/lib
echo firmware >tree/usr/lib/firmware.bin
package opensbi
mkdir -p tree/usr/lib/some-linux-gnu
touch tree/usr/lib/some-linux-gnu/libneeded.so.1
package libneeded1

mkdir bin
cat >bin/apt-get <<END
#!/bin/sh
case " \$* " in
*' indextargets '*) echo 'http://localhost/debian some some' ;;
*' --simulate '*)
	echo 'Inst libneeded1 [0] (1 Debian:12/some [all])'
	echo 'Inst qemu-system-riscv (2 Debian:12/some [all])'
	;;
*' download '*)
	while [ "\$1" != download ]; do shift; done
	shift
	for name; do
		cp "$keep/\${name%%[/=]*}.deb" . || exit 100
	done
	;;
esac
END
chmod +x bin/apt-get

PATH=$dir/bin:$PATH
exits "a system without the libraries" 0 "$script" new
qemu=new/qemu-new/usr/bin/qemu-system-riscv64
exits "QEMU" 0 "$qemu" -M virt
is "it gets its arguments" 'QEMU with -M virt' "$(cat out)"
exits "of 32 bits" 0 new/qemu-new/usr/bin/qemu-system-riscv32 -L x
is "its firmware is there" firmware "$(cat new/qemu-new/usr/share/qemu/firmware.bin)"
is "nothing else is left" qemu-new "$(cd new && ls -d -- *[!k])"
rm "$keep"/qemu-*
exits "again: nothing is fetched" 0 "$script" new
rm -f new/qemu-new/usr/lib/some-linux-gnu/libneeded.so.1
exits "a library that is gone: it is fetched again" 77 "$script" new
has "which cannot be done here" "qemu-system-riscv" err

finish
