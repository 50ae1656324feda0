#!/bin/bash
# Anything may be given to the decoders: random bytes, zeros, 0xFF, and a good trace whose every
# 1000th byte is wrong, as N-Trace and as E-Trace in two framings.  They end, say what is wrong in
# few lines, keep what is readable, and need 16 MiB more than a good trace at most.  10 MB of each;
# 4 MB with sanitizers; 100 MB in the long form.
#
#   tests/conformance/garbage.sh [long]
#
# bench-rusage, in the build folder, writes "seconds user system kibibytes" of a command.
rusage=$HARTSCOPE_BUILD/bench/bench-rusage
. "${HARTSCOPE_SOURCE:?the source folder}/tests/conformance/programs.sh"
size=10000000
[ "${1-}" != long ] || size=100000000
if [ -n "${HARTSCOPE_SANITIZED-}" ]; then
	size=4000000
fi

# decode NAME [OPTION]...: exit status 3, a few lines of errors, little memory
decode()
{
	local name=$1 status memory
	shift

	rm -rf flow
	timeout 300 "$rusage" cost "$HARTSCOPE" decode -q --elf sort "$@" -o flow "$name" >out \
		2>err </dev/null
	status=$?
	memory=$(awk '{ print $4 }' cost)
	if grep -q 'Sanitizer\|runtime error' err; then
		bad "$name: sanitizer report"
		head -n 20 err
	elif [ "$status" -ne 3 ]; then
		bad "$name: exit status $status, not 3"
		head -n 3 err
	elif [ ! -s err ] || [ "$(wc -l <err)" -gt 40 ]; then
		bad "$name: $(wc -l <err) lines of errors"
	elif [ "$memory" -gt "$limit" ]; then
		bad "$name: $memory KiB, more than $limit"
	else
		ok "$name, $(wc -c <"$name") bytes: $(tail -n 1 err | sed 's/^hartscope: //' | cut -c 1-60), $((memory / 1024)) MiB"
	fi
}

count() { "$HARTSCOPE" stat --json flow | tr -d ' \n' | sed "s/.*\"$1\":\([0-9]*\).*/\1/"; }

# campaign NAME [OPTION]...: a good trace of these options, garbage, and the two mixed
campaign()
{
	local kind=$1 name blocks gaps
	shift

	"$HARTSCOPE" encode -q "$@" -o good sort.rec
	# Python comes with Meson.  The same bytes everywhere.
	python3 - good $size "$kind" <<-'END'
		import random, sys
		good, size, kind = open(sys.argv[1], 'rb').read(), int(sys.argv[2]), sys.argv[3]
		whole = (good * (size // len(good) + 1))[:size]
		open(kind + '-good', 'wb').write(whole)
		open(kind + '-random', 'wb').write(random.Random(1).randbytes(size))
		# One other byte: blank files are refused.
		open(kind + '-zeros', 'wb').write(bytes(size - 1) + b'\1')
		open(kind + '-ones', 'wb').write(b'\xff' * (size - 1) + b'\0')
		data = bytearray(whole)
		for i in range(999, size, 1000):
		    data[i] ^= 0x10
		open(kind + '-flipped', 'wb').write(data)
	END
	timeout 300 "$rusage" cost "$HARTSCOPE" decode -q --elf sort "$@" -o flow "$kind-good" \
		>out 2>&1 </dev/null
	limit=$(($(awk '{ print $4 }' cost) + 16384)) # KiB
	rm -rf flow
	for name in random zeros ones flipped; do
		decode "$kind-$name" "$@"
	done
	blocks=$(count blocks)
	gaps=$(count gaps)
	if [ "$blocks" -gt 1000 ] && [ "$gaps" -gt 10 ]; then
		ok "$kind-flipped: $blocks blocks between $gaps gaps"
	else
		bad "$kind-flipped: $blocks blocks, $gaps gaps"
	fi
	rm -f "$kind"-*
}

$gcc -O2 -static "$HARTSCOPE_SOURCE/examples/sort.c" -o sort ||
	{ bad 'sort: does not compile'; exit 1; }
"$HARTSCOPE" record -q -o sort.rec -- ./sort 600 >/dev/null
campaign ntrace --protocol ntrace --set trTeInstSyncMode=messages --set trTeInstSyncMax=2
campaign etrace --protocol etrace --set resync-max=2
campaign etrace-reference --protocol etrace --set resync-max=2 --dialect reference \
	--set implicit-return=true --set return_stack_size_p=4 --set branch-prediction=true --set \
		bpred_size_p=6
exit $failed
