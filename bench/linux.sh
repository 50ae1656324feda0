#!/bin/bash
# Measure recording, encoding, decoding and checking of Debian's Linux with several programs (the
# guest of tests/conformance/linux_record.sh), and print tables, as docs/performance.md has them.
#
#   bench/linux.sh FOLDER [short]     the build folder; only recording, of 1 hart
#
# Plain QEMU and the recorder run in turn, three times each, on 1 and 4 harts: two minutes on two
# idle cores, half a minute where it is short.  Times are CPU time, all threads together; what else
# runs meanwhile takes caches from the recorder, so that its figures are higher then.
set -eu -o pipefail
export HARTSCOPE_FORCE=1 # the same names for each kind of trace
cd "$(dirname "$0")/.."
export LC_ALL=C
build=$(cd "$1" && pwd)
work=$build/bench-work
tool=$build/tools/hartscope/hartscope
rusage=$build/bench/bench-rusage
short=${2-}
. bench/common.sh
. tests/conformance/linux_guest.sh

# codec PROTOCOL TEXT [SETTING...]: a row, from recording to trace and back, and checked
codec()
{
	local protocol=$1 text=$2 s settings=() bytes

	shift 2
	for s; do
		settings+=(--set "$s")
	done
	say "$text"
	rm -rf "$work"/linux.trace* "$work/linux.flow"
	forget encode decode check
	cost encode "$tool" encode -q --protocol "$protocol" "${settings[@]}" \
		-o "$work/linux.trace" "$work/linux.rec"
	cost decode "$tool" decode -q -o "$work/linux.flow" "$work/linux.trace"
	cost check "$tool" check "$work/linux.rec" "$work/linux.flow"
	bytes=$(stat -c %s "$work/linux.trace")
	printf '| %s | %s | %s | %s | %s | %s | %s |\n' "$text" "$(calc %.1f "$bytes / 1e6")" \
		"$(calc %.4f "$bytes / $instructions")" \
		"$(calc %.2f "100 * $(stat -c %s "$work/linux.trace.code") / $bytes")" \
		"$(best encode.cpu)" "$(best decode.cpu)" "$(best check.cpu)"
}

# boots HARTS: plain and recorded, in turn; the last recording stays
boots()
{
	export HARTS=$1
	for i in 1 2 3; do
		say "$HARTS harts, boot $i of 3"
		rm -rf "$work/linux.rec"
		cost "plain-$HARTS" boot_plain
		cost "record-$HARTS" boot_recorded
	done
}

measure()
{
	forget plain-{1,4} record-{1,4}
	read -r load _ </proc/loadavg
	[ -n "$short" ] || boots 4
	boots 1
	instructions=$(sed -nE 's/.*"instructions": ([0-9]+).*/\1/p' \
		"$work/linux.rec/manifest.json" | head -n 1)
	kib=$(du -sk "$work/linux.rec" | cut -f 1)
	[ -z "$short" ] || return 0
	ntrace=$(codec ntrace 'N-Trace HTM, contexts' trTeContext=1)
	etrace=$(codec etrace 'E-Trace, contexts' nocontext_p=0 context_width_p=44)
}

# recorded HARTS TEXT: a row
recorded()
{
	figure "linux-$1.cpu_ratio" "$(ratio "plain-$1" "record-$1" cpu)"
	printf '| %s | %s | %s | %s | %s |\n' "$2" "$(best "plain-$1.cpu")" \
		"$(best "record-$1.cpu")" "$(ratio "plain-$1" "record-$1" cpu)" \
		"$(ratio "plain-$1" "record-$1" wall)"
}

report()
{
	cat <<-END
	Debian's kernel boots on QEMU 10, which runs a shell loop, libraries mapped in a loop,
	code that is written as it runs, four programs side by side, modules that patch the
	kernel: $(calc %.2f "$instructions / 1e9") * 10^9 instructions on one hart, load $load before.

	| Linux | plain QEMU, CPU s | recorded | ratio | of the wall clock |
	| --- | ---: | ---: | ---: | ---: |
	$(recorded 1 '1 hart')
	$([ -n "$short" ] || recorded 4 '4 harts')

	The recording of one hart takes $(calc %.0f "$kib / 1024") MiB on disk, $(calc %.3f \
		"8 * 1024 * $kib / $instructions") bits an instruction.

	END
	[ -n "$short" ] || cat <<-END
	| one hart | trace, MB | bytes/instruction | TRACE.code, % | encode, s | decode, s | check |
	| --- | ---: | ---: | ---: | ---: | ---: | ---: |
	$ntrace
	$etrace
	END
}

mkdir -p "$work"
out=$(guest_fetch) || {
	echo "bench: no Linux: $out" >&2
	exit 77
}
guest_archive
ninja --quiet -C "$build" bench/bench-rusage
guest_emulator "$work/plain"
guest_emulator "$work/recorded" "$tool" record -q -o "$work/linux.rec" --
for name in plain recorded; do
	cat >"$work/boot_$name" <<-END
	#!/bin/sh
	APPEND='-- 2' exec scripts/guests/linux-guest.sh boot "$build" 120 "$work/initramfs" \\
		"$work/$name" -smp "\$HARTS"
	END
	chmod +x "$work/boot_$name"
done
PATH=$work:$PATH
measure
report
