#!/bin/bash
# Debian's Linux as a capture from hardware has it: nobody knows when its code changed, and there
# are images of it: its memory before boot and when it powered off, and a third one of when its
# first process ran (design/code-versions).  What is decoded outside of the gaps that are reported
# is what ran, and that is at least 99.9 % of it.
#
#   linux_images.sh [long]    for scripts/soak/soak.sh: 1 and 4 harts, both protocols (minutes)
set -u
cd "${HARTSCOPE_SOURCE:?}" || exit 1
. tests/conformance/trip.sh
build=$(cd "${HARTSCOPE_BUILD:?}" && pwd)
qemu=$build/qemu-new/usr
ram=0x80000000
kernel=0xffffffff80000000 # of the kernel's image, which is 2 MiB behind the start of memory
least=99.9

skip()
{
	echo "ok - Linux with images of before and after # SKIP $1"
	exit 77
}

# record HARTS: to $work/boot.rec, and memory to $work/before.ram, middle.ram and after.ram
record()
{
	rm -rf "$work/boot.rec" "$work/qmp"
	cat >"$work/recorded" <<-END
	#!/bin/sh
	exec "$HARTSCOPE" record -q -o "$work/boot.rec" -- "$qemu/bin/qemu-system-riscv64" \\
		-L "$qemu/share/qemu" "\$@"
	END
	chmod +x "$work/recorded"
	timeout 500 scripts/guests/qemu-memory.py "$work/qmp" $ram 0x4000000 "$work/before.ram" \
		"$work/after.ram" "$work/middle.ram" "$work/log" 'first words' \
		>"$work/memory.log" 2>&1 &
	local monitor=$!

	APPEND=nokaslr scripts/guests/linux-guest.sh boot "$build" 400 "$work/initramfs" \
		"$work/recorded" -smp "$1" -S -no-shutdown \
		-qmp "unix:$work/qmp,server=on,wait=off" >"$work/log" 2>&1
	wait $monitor
	verdict "$1 harts: memory before, meanwhile and after" $? "$work/memory.log"
	grep -q '^last words$' "$work/log"
	verdict "$1 harts: the guest ran to its end" $? "$work/log"
	for name in before middle after; do
		tail -c +2097153 "$work/$name.ram" >"$work/$name.kernel"
	done
}

# check_images NAME IMAGE...: with these images of memory, in the order of time
check_images()
{
	local name=$1 image code=() share

	shift
	for image; do
		[ ${#code[@]} = 0 ] || code+=(--then)
		code+=(--bin "$work/$image.ram@$ram" --bin "$work/$image.kernel@$kernel")
		[ ${#code[@]} != 4 ] ||
			code+=(--elf "$build/linux-guest/root/usr/bin/busybox")
	done
	"$HARTSCOPE" check -q --gaps "${code[@]}" "$work/boot.rec" "$work/trace" >"$work/out" \
		2>"$work/errors"
	# 3: the recording is cut, by the monitor that took the last image, and nothing else
	[ $? -eq 3 ] && grep -q '^equal outside' "$work/out" &&
		grep -q '"end": "cut: the machine was stopped by its monitor"' \
			"$work/boot.rec/manifest.json"
	good=$?
	verdict "$name, images of $*: $(head -n 1 "$work/out")" $good "$work/out"
	share=$(sed -n 's/^equal, in percent *//p' "$work/out")
	awk -v s="${share:-0}" -v l=$least 'BEGIN { exit s + 0 < l }'
	verdict "$name, images of $*: ${share:-no} % are equal" $? "$work/out"
}

# compare NAME PROTOCOL [SETTING...]: of the flow that the images give, $least % are what ran, and
# nothing else is
compare()
{
	local name=$1 protocol=$2 settings=() s

	shift 2
	for s; do
		settings+=(--set "$s")
	done
	rm -f "$work/trace"*
	"$HARTSCOPE" encode -q --protocol "$protocol" "${settings[@]}" -o "$work/trace" \
		"$work/boot.rec" >"$work/out" 2>&1
	rm -f "$work/trace.code" # the moments, and that there were any
	python3 - "$work/trace.json" <<-'END'
		import json, sys
		parameters = json.load(open(sys.argv[1]))
		parameters.pop('code', None)
		json.dump(parameters, open(sys.argv[1], 'w'))
	END
	name="$name, $protocol${*:+ $*}"
	check_images "$name" before after
	check_images "$name" before middle after
}

[ "${HARTSCOPE_SANITIZED:-0}" = 0 ] || skip 'too slow with sanitizers'
command -v python3 >/dev/null || skip 'no python3'
out=$(timeout 200 scripts/guests/qemu-new.sh "$build" 2>&1) || skip "$out"
out=$(timeout 400 scripts/guests/linux-guest.sh fetch "$build" linux busybox-static 2>&1) ||
	skip "$out"
scripts/guests/linux-guest.sh initramfs "$build" "$work/initramfs" tests/linux_guest/images_init ||
	skip 'no initramfs'
for harts in 1 4; do
	record $harts
	compare "$harts harts" ntrace trTeInstSyncMode=messages trTeInstSyncMax=4
	compare "$harts harts" etrace resync-max=2
done
exit $status
