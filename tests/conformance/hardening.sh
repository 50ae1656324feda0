#!/bin/sh
# How the tool and the library are built, by what readelf sees of them.
: "${HARTSCOPE:?the path of the tool}" "${HARTSCOPE_BUILD:?the build folder}"
command -v readelf >/dev/null || { echo "1..0 # SKIP no readelf"; exit 77; }
failed=0

# has TEXT PATTERN OPTIONS FILE
has() {
	if readelf -W $3 "$4" 2>/dev/null | grep -q -e "$2"; then
		echo "ok - ${4##*/}: $1"
	else
		echo "FAIL - ${4##*/}: $1"
		failed=1
	fi
}

if readelf -Ws "$HARTSCOPE" | grep -q __asan_init; then
	echo "1..0 # SKIP a build with sanitizers has its own checks"
	exit 77
fi
for f in "$HARTSCOPE" "$HARTSCOPE_BUILD/libhartscope.so" \
	"$HARTSCOPE_BUILD"/plugins/qemu/hartscope-qemu-*.so; do
	has "tables of the linker are read only" GNU_RELRO -l "$f"
	has "symbols are bound at the start" 'BIND_NOW\|FLAGS_1.*NOW' -d "$f"
	has "the stack is not executed" 'GNU_STACK.*RW ' -l "$f"
done
has "code is at an address of chance" 'Type:.*DYN' -h "$HARTSCOPE"
for f in "$HARTSCOPE" "$HARTSCOPE_BUILD/libhartscope.so"; do
	has "stacks are checked" __stack_chk_fail --dyn-syms "$f"
	has "buffers are checked" '__[a-z]*printf_chk' --dyn-syms "$f"
done
exit $failed
