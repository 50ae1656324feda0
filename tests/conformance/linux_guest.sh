# The Linux guest that is recorded, for what sources this: linux_record.sh, bench/linux.sh.
# $build is the build folder, $work a folder for files.
guest_gcc=riscv64-linux-gnu-gcc
guest_modules='lib/test_static_key_base lib/test_static_keys lib/test_bpf'

# guest_fetch: QEMU, Debian's kernel and programs; says why not
guest_fetch()
{
	local tool

	for tool in $guest_gcc xz; do
		command -v $tool >/dev/null || { echo "no $tool"; return 1; }
	done
	timeout 200 scripts/guests/qemu-new.sh "$build" 2>&1 &&
		timeout 400 scripts/guests/linux-guest.sh fetch "$build" linux busybox-static \
			libc6+ 2>&1
}

# guest_archive: what the guest runs, in $work/initramfs
guest_archive()
{
	local programs=tests/programs name files

	$guest_gcc -O2 -static -pthread $programs/rewrite.c -o "$work/rewrite" &&
		$guest_gcc -O2 $programs/loads.c -o "$work/loads" || return 1
	files=(bin/rewrite="$work/rewrite" bin/loads="$work/loads")
	for name in first second; do # one at the address of the other
		$guest_gcc -O2 -fPIC -shared -Wl,-Ttext-segment=0x60000000 -D${name^^} \
			$programs/library.c -o "$work/$name.so" || return 1
		files+=("lib/$name.so=$work/$name.so")
	done
	for name in $guest_modules; do
		xz -dc "$build"/linux-guest/root/usr/lib/modules/*/kernel/"$name.ko.xz" \
			>"$work/${name##*/}.ko" || return 1
		files+=("lib/modules/${name##*/}.ko=$work/${name##*/}.ko")
	done
	scripts/guests/linux-guest.sh initramfs "$build" "$work/initramfs" \
		tests/linux_guest/record_init "${files[@]}"
}

# guest_emulator FILE [COMMAND...]: a program that is QEMU, run by the command; $guest_arguments are
# its last arguments
guest_arguments=
guest_emulator()
{
	local file=$1 qemu=$build/qemu-new/usr

	shift
	{
		echo '#!/bin/sh'
		echo "exec $* \"$qemu/bin/qemu-system-riscv64\" -L \"$qemu/share/qemu\" \"\$@\" \
			$guest_arguments"
	} >"$file"
	chmod +x "$file"
}
