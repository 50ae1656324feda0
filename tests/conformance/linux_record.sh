#!/bin/bash
# Debian's Linux, recorded as a whole machine: it patches its own text, and its processes share
# pages at different addresses.  The recording is complete, and a trace of it in either protocol
# decodes to the same blocks and traps without an error.
#
#   linux_record.sh [long]    long is for scripts/soak.sh: 4 harts, every mode, with contexts
set -u
cd "${HARTSCOPE_SOURCE:?}" || exit 1
: "${HARTSCOPE:?the path of the tool}"
build=$(cd "${HARTSCOPE_BUILD:?}" && pwd)
form=${1-short}
qemu=$build/qemu-new/usr
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
status=0

skip()
{
	echo "ok - recordings of Linux # SKIP $1"
	exit 77
}

# verdict TEXT CONDITION FILE
verdict()
{
	if [ "$2" -eq 0 ]; then
		echo "ok - $1"
	else
		echo "not ok - $1"
		head -n 8 "$3" | sed 's/^/  /'
		status=1
	fi
}

# record HARTS: to $work/rec
record()
{
	rm -rf "$work/rec"
	scripts/linux-guest.sh boot "$build" 400 "$work/initramfs" "$work/recorded" -smp "$1" \
		>"$work/log" 2>&1
	grep -q '^last words$' "$work/log"
	verdict "$1 harts: the guest ran to its end" $? "$work/log"
	grep -q '"complete": true, *$' "$work/rec/manifest.json"
	verdict "$1 harts: the recording is complete" $? "$work/rec/manifest.json"
}

# trip PROTOCOL [SETTING...]: there and back
trip()
{
	local protocol=$1 settings=() s good

	shift
	for s; do
		settings+=(--set "$s")
	done
	rm -rf "$work/trace"* "$work/flow"
	"$HARTSCOPE" encode -q --protocol "$protocol" "${settings[@]}" -o "$work/trace" \
		"$work/rec" >"$work/out" 2>&1 &&
		"$HARTSCOPE" decode -q -o "$work/flow" "$work/trace" >"$work/out" 2>&1 &&
		"$HARTSCOPE" check "$work/rec" "$work/flow" >"$work/out" 2>&1
	good=$?
	verdict "$protocol $*: $(head -n 1 "$work/out")" $good "$work/out"
}

[ "${HARTSCOPE_SANITIZED:-0}" = 0 ] || skip 'too slow with sanitizers'
out=$(scripts/qemu-new.sh "$build" 2>&1) || skip "$out"
out=$(scripts/linux-guest.sh fetch "$build" linux busybox-static 2>&1) || skip "$out"
cat >"$work/init" <<'END'
#!/bin/busybox sh
/bin/busybox mount -t proc proc /proc
/bin/busybox mount -t devtmpfs dev /dev
for i in 1 2 3; do
	/bin/busybox ls / | /bin/busybox wc -l
done
/bin/busybox sh -c '/bin/busybox sleep 0 & /bin/busybox true; wait'
echo last words
/bin/busybox poweroff -f
END
chmod +x "$work/init"
scripts/linux-guest.sh initramfs "$build" "$work/initramfs" "$work/init" || skip 'no initramfs'

cat >"$work/recorded" <<END
#!/bin/sh
exec "$HARTSCOPE" record -q -o "$work/rec" -- "$qemu/bin/qemu-system-riscv64" \\
	-L "$qemu/share/qemu" "\$@"
END
chmod +x "$work/recorded"

record 1
grep -q '"codeChanged"' "$work/rec/manifest.json"
verdict 'code changed while it ran' $? "$work/rec/manifest.json"
trip ntrace
trip etrace
if [ "$form" = long ]; then
	trip ntrace trTeInstMode=btm trTeContext=1
	trip etrace nocontext_p=0 context_width_p=44 implicit-return=true return_stack_size_p=4
	record 4
	trip ntrace trTeContext=1
	trip etrace
fi
exit $status
