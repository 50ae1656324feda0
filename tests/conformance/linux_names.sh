#!/bin/bash
# Names in a recording of Debian's Linux: with the guest's /proc/kallsyms and the file of busybox,
# 99 % of instructions carry the name of a function; what is not the guest's is refused.
set -u
cd "${HARTSCOPE_SOURCE:?}" || exit 1
: "${HARTSCOPE:?the path of the tool}"
build=$(cd "${HARTSCOPE_BUILD:?}" && pwd)
qemu=$build/qemu-new/usr
busybox=$build/linux-guest/root/usr/bin/busybox
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
status=0

skip()
{
	echo "ok - names in a recording of Linux # SKIP $1"
	exit 77
}

. "$HARTSCOPE_SOURCE/tests/conformance/verdict.sh"

# boot INIT [RECORDING]: what the guest's console says is in $work/log
boot()
{
	cat >"$work/qemu" <<-END
	#!/bin/sh
	exec ${2+"$HARTSCOPE" record -q -o "$2" --} "$qemu/bin/qemu-system-riscv64" \\
		-L "$qemu/share/qemu" "\$@"
	END
	chmod +x "$work/qemu" "$1"
	scripts/guests/linux-guest.sh initramfs "$build" "$work/initramfs" "$1" "${modules[@]}" ||
		skip 'no initramfs'
	scripts/guests/linux-guest.sh boot "$build" 400 "$work/initramfs" "$work/qemu" \
		>"$work/log" 2>&1
	grep -q '^last words$' "$work/log"
	verdict "the guest ran to its end" $? "$work/log"
}

# share OPTION...: per cent of instructions with the name of a function, and with that of a file
# only; of the kernel, of busybox, of the firmware
share()
{
	"$HARTSCOPE" stat -q --json --top 1000000 "$@" "$work/rec" >"$work/stat" 2>"$work/notes" ||
		return
	PYTHONPATH=tests/conformance python3 - "$work/stat" <<-'END'
	import json, sys
	from whole import as_numbers
	stat = json.load(open(sys.argv[1]), object_hook=as_numbers)
	all = stat["instructions"]
	no = sum(f["instructions"] for f in stat["functions"] if f["name"] == "(no symbol)")
	file = sum(f["instructions"] for f in stat["functions"]
	           if f["name"].endswith(" (no symbol)") and f["name"] != "(no symbol)")
	print("%.2f %.2f" % (100 * (all - no - file) / all, 100 * file / all))
	END
}

# some OUT OPTION...: a part of the listing, with what complaints there are in $work/notes
some()
{
	local out=$1

	shift
	"$HARTSCOPE" list --from 400000000 --limit 3000 "$@" "$work/rec" >"$out" 2>"$work/notes"
}

# at_least PER-CENT FUNCTIONS
at_least()
{
	awk -v least="$1" -v names="$2" 'BEGIN { exit !(names >= least) }'
}

[ "${HARTSCOPE_SANITIZED:-0}" = 0 ] || skip 'too slow with sanitizers'
out=$(scripts/guests/qemu-new.sh "$build" 2>&1) || skip "$out"
out=$(scripts/guests/linux-guest.sh fetch "$build" linux busybox-static 2>&1) || skip "$out"

modules=()
mkdir "$work/modules" "$work/changed"
for name in test_static_key_base test_static_keys; do
	xz -dc "$build"/linux-guest/root/usr/lib/modules/*/kernel/lib/$name.ko.xz \
		>"$work/modules/$name.ko" || skip 'no modules'
	modules+=("lib/modules/$name.ko=$work/modules/$name.ko")
done

# The kernel is at one address in each boot, so the symbols of another boot are those of this one.
cat >"$work/init" <<'END'
#!/bin/busybox sh
/bin/busybox mount -t proc proc /proc
echo begin
/bin/busybox grep -i ' [tw] ' /proc/kallsyms | /bin/busybox gzip | /bin/busybox base64
echo end
echo last words
/bin/busybox poweroff -f
END
boot "$work/init"
sed -n '/^begin$/,/^end$/p' "$work/log" | sed '1d;$d' | base64 -d 2>"$work/out" |
	gzip -dc >"$work/kallsyms" 2>"$work/out"
[ "$(wc -l <"$work/kallsyms")" -gt 10000 ]
verdict 'the guest gave its symbols' $? "$work/out"

cat >"$work/init" <<'END'
#!/bin/busybox sh
/bin/busybox mount -t proc proc /proc
for i in 1 2 3; do
	/bin/busybox ls / | /bin/busybox wc -l
done
/bin/busybox sh -c '/bin/busybox sleep 0 & /bin/busybox true; wait'
/bin/busybox mount -t sysfs sys /sys
for name in test_static_key_base test_static_keys; do
	/bin/busybox insmod /lib/modules/$name.ko
done
echo begin
/bin/busybox grep -r . /sys/module/test_*/sections
echo end
echo last words
/bin/busybox poweroff -f
END
boot "$work/init" "$work/rec"
"$HARTSCOPE" index "$work/rec" >"$work/out" 2>&1 # for some()
verdict 'its index' $? "$work/out"

read -r names files <<<"$(share --kallsyms "$work/kallsyms" --files "$busybox")"
at_least 99 "${names:-0}"
verdict "named by kallsyms and busybox only: ${names-} % by function, ${files-} % by file" $? \
	"$work/notes"
[ ! -s "$work/notes" ]
verdict 'nothing is refused' $? "$work/notes"

# Modules: their files name what the kernel's symbols would (nm's values where the sections are),
# and nothing where other code was: the memory in which the first was initialised is the second's.
sed -n '/^begin$/,/^end$/p' "$work/log" | tr -d '\r' | sed '1d;$d' >"$work/sections"
at=$(sed -n 's/.*test_static_keys\/sections\/.text:0x//p' "$work/sections")
riscv64-linux-gnu-nm "$work/modules/test_static_keys.ko" |
	awk '$3 ~ /^[a-z_]*_key_[a-z_]*$/ && $2 == "t"' |
	while read -r value _ name; do
		printf '%016x t %s\t[test_static_keys]\n' "$((0x$at + 0x$value))" "$name"
	done >"$work/symbols"
awk '{ print $3 }' "$work/symbols" >"$work/functions"
sed -n 's/.*test_static_keys\/sections\/.exit.text:0x\(.*\)/\1 d the_end\t[test_static_keys]/p' \
	"$work/sections" >>"$work/symbols"
cat "$work/kallsyms" "$work/symbols" >"$work/all"
functions()
{
	"$HARTSCOPE" stat -q --top 1000000 "$@" "$work/rec" 2>"$work/notes" |
		sed 's/  \[[^ ]*]$//' | awk '$2 ~ /%$/ || $3 == "%" { print $1, $NF }' |
		grep -w -F -f "$work/functions" |
		sort -k 2
}
functions --kallsyms "$work/all" >"$work/expected"
functions --files "$work/modules" --modules "$work/sections" >"$work/out"
# The kernel's symbols also count what the first module executed there.
join -j 2 "$work/expected" "$work/out" | awk '$3 > $2 { exit 1 }' && [ ! -s "$work/notes" ] &&
	cmp <(awk '{ print $2 }' "$work/expected") <(awk '{ print $2 }' "$work/out") >>"$work/notes"
fit=$?
found=$(wc -l <"$work/expected")
[ "$fit" -eq 0 ] && [ "$found" -gt 10 ]
verdict "$found functions of a module by its file as by the kernel" $? "$work/notes"
cp "$work"/modules/* "$work/changed"
head -c 65536 /dev/zero | tr '\0' 'x' |
	dd of="$work/changed/test_static_keys.ko" bs=1 seek=64 count=576 conv=notrunc status=none
some "$work/out" --files "$work/changed" --modules "$work/sections"
grep -q 'test_static_keys.ko: refused at 0x' "$work/notes"
verdict 'a module with other code is refused' $? "$work/notes"

# A System.map of a kernel that moved: 64 MiB below where it ran.
python3 -c '
import sys
for line in sys.stdin:
    address, rest = line.split(" ", 1)
    print("%016x %s" % (int(address, 16) - 0x4000000, rest), end="")' \
	<"$work/kallsyms" >"$work/System.map"
some "$work/expected" --kallsyms "$work/kallsyms"
some "$work/moved" --system-map "$work/System.map"
grep -q '^[a-z_]' "$work/expected" && cmp "$work/expected" "$work/moved" >"$work/out"
verdict 'the same by symbols of a kernel that moved' $? "$work/out"

# Symbols of a kernel whose functions are elsewhere: no address is right.
paste -d ' ' <(cut -d ' ' -f 1 "$work/kallsyms" | awk '{ print substr($0, 1, 15) "7" }') \
	<(cut -d ' ' -f 2- "$work/kallsyms") >"$work/other"
some "$work/out" --kallsyms "$work/other"
! grep -q '^[a-z_]' "$work/out" && grep -q "symbols are refused" "$work/notes"
verdict 'the symbols of another kernel are refused' $? "$work/notes"

# Another build of busybox: a part of its code differs.
cp "$busybox" "$work/busybox"
chmod u+w "$work/busybox"
head -c 65536 /dev/zero | tr '\0' 'x' |
	dd of="$work/busybox" bs=65536 seek=4 conv=notrunc status=none
some "$work/out" --files "$work/busybox"
grep -q 'busybox: refused at 0x' "$work/notes"
verdict 'another build of busybox is refused' $? "$work/notes"
exit $status
