#!/bin/sh
# scripts/guests/qemu-user.sh: what it says, where it keeps what it builds, and what it needs for
# it.  That it builds is tests/conformance/emulator.sh.
. "$(dirname "$0")/lib.sh"
: "${HARTSCOPE_SOURCE:?the source folder}"
need dpkg-query
script=$HARTSCOPE_SOURCE/scripts/guests/qemu-user.sh
export HARTSCOPE_CACHE="$dir/cache"

exits "--help" 0 "$script" --help
has "--help" "qemu-user/VERSION/bin" out
exits "a wrong argument" 1 "$script" folder
exits "--packages" 0 "$script" --packages
has "--packages" "libglib2.0-dev" out

mkdir bin
printf '#!/bin/sh\nexit 1\n' >bin/apt-get
printf '#!/bin/sh\necho installed\n' >bin/dpkg-query
chmod +x bin/apt-get bin/dpkg-query
exits "no mirror" 77 env PATH="$dir/bin:$PATH" "$script"
has "no mirror" "apt names no mirror" err
is "nothing is left" lock "$(ls cache/qemu-user)"

folder=cache/qemu-user/10.0.13/bin
mkdir -p $folder
printf '#!/bin/sh\necho "-plugin  QEMU_PLUGIN  [file=]<file>"\n' >$folder/qemu-riscv64
cp $folder/qemu-riscv64 $folder/qemu-riscv32
chmod +x $folder/*
exits "what is there stays" 0 env PATH="$dir/bin:$PATH" "$script"
is "one line says what it is" \
	"QEMU 10.0.13 with plugins: $dir/$folder/qemu-riscv64, qemu-riscv32" "$(cat out)"
printf '#!/bin/sh\necho "-version"\n' >$folder/qemu-riscv64
exits "one that loads no plugins does not" 77 env PATH="$dir/bin:$PATH" "$script"
finish
