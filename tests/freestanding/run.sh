#!/bin/bash
# The F rooms need no C library: for rv64 and rv32 each file compiles without any system header,
# calls nothing but the four mem functions, and has no data that can change; all of them link with
# -nostdlib, and with examples/board_firmware.c; the program of start.c runs.  Without the memo the
# rooms are at most a tenth larger than sizes.txt has them, and a program that does not use it has
# nothing of it.
#
#   tests/freestanding/run.sh [sizes]      sizes: print lines for sizes.txt
set -u
cd "$(dirname "$0")/../.." || exit 1

rooms=$(awk '!/^#/ && $3 == "free" { print $1 }' src/rooms.txt)
allowed='^(memcpy|memmove|memset|memcmp)$'
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
status=0
print_sizes=${1-}

cross=
for candidate in riscv64-unknown-elf riscv64-linux-gnu; do
	[ -n "$cross" ] || ! command -v $candidate-gcc >/dev/null || cross=$candidate
done
if [ -z "$cross" ]; then
	echo 'ok - freestanding rooms # SKIP no riscv64-unknown-elf-gcc'
	exit 0
fi

verdict()
{
	if [ -z "$2" ]; then
		echo "ok - $1"
	else
		printf '  %s\n' "$2"
		echo "not ok - $1"
		status=1
	fi
}

ccache=$(command -v ccache) # or nothing
# The compiler's own headers are the only ones: stdint, stddef, stdbool, limits.
headers=$($cross-gcc -print-file-name=include)
fixed_headers=$($cross-gcc -print-file-name=include-fixed)
compile()
{
	local out=$1 source=$2

	shift 2
	$ccache $cross-gcc "$@" -std=gnu17 -O2 -Wall -Wextra -Werror -ffreestanding -fno-pic \
		-mno-relax -nostdinc \
		-isystem "$headers" -isystem "$fixed_headers" \
		-Iinclude -Isrc -c "$source" -o "$out"
}

# compile_room_file FOLDER SOURCE FLAGS...: an object with the room's name
compile_room_file()
{
	local dir=$1 object=${2#src/}

	shift
	object=${object/\//_}
	compile "$dir/${object%.c}.o" "$@"
}
export -f compile compile_room_file
export ccache cross headers fixed_headers

# Names that a relocatable object takes from elsewhere, with the files that do.
outside()
{
	$cross-nm -u "$1" | awk '{ print $2 }' | grep -vE "$allowed" | while read -r name; do
		echo "$name, used by $($cross-nm -A -u "$2"/*.o | grep -wF "$name" |
			sed 's|:.*||; s|.*/||; s|\.o$||' | tr '\n' ' ')"
	done
}

# Sections that a program could write to, and their sizes.
writable()
{
	$cross-size -A "$1" | awk \
		'/^\.(data|bss|sdata|sbss|tdata|tbss|init_array)/ && $2 > 0 { print $1, $2, "bytes" }'
	$cross-nm "$1" | awk '$2 == "C" || $2 == "c" { print $3, "is common" }'
}

# What is only there for a memo (design/memo), and a pattern of its names.
memo='flow_memo.o flow_memo_calls.o ntrace_recall.o ntrace_recall_count.o etrace_recall.o'
memo+=' etrace_recall_tables.o'
memo_names=' (hs_memo_|flow_memo_|flow_calls_|nt_count_|et_(own_of|replay|stamps)|hs_[a-z]+_decoder_set_memo)'

# text FOLDER: bytes of code and constants of the rooms, without the memo
text()
{
	local files=()

	for file in "$1"/*.o; do
		[[ " $memo " = *" $(basename "$file") "* ]] || files+=("$file")
	done
	$cross-size -B "${files[@]}" | awk 'NR > 1 { sum += $1 } END { print sum }'
}

# size NAME FOLDER: at most 10 % more than it was
size()
{
	local now before compiler

	compiler=$($cross-gcc -dumpversion)
	now=$(text "$2")
	if [ -n "$print_sizes" ]; then
		echo "$1 ${compiler%%.*} $now"
		return
	fi
	before=$(awk -v name="$1" -v compiler="${compiler%%.*}" \
		'$1 == name && $2 == compiler { print $3 }' tests/freestanding/sizes.txt)
	if [ -z "$before" ]; then
		echo "ok - $1: the size of the rooms # SKIP sizes.txt has none of GCC $compiler"
		return
	fi
	verdict "$1: $now bytes without the memo, at most 10 % more than $before" \
		"$([ "$now" -le $((before * 11 / 10)) ] || echo "renew sizes.txt, and say why")"
}

# without_memo NAME FOLDER FLAGS...: a linker takes the memo only for who sets one
without_memo()
{
	local name=$1 dir=$2 has=()

	shift 2
	$cross-ar rcs "$dir/rooms.a" "$dir"/*.o
	for flag in '' -DWITH_MEMO; do
		# shellcheck disable=SC2086
		compile "$work/decode.o" tests/freestanding/decode.c "$@" $flag &&
			compile "$work/mem.o" firmware/mem.c "$@" &&
			$cross-gcc "$@" -nostdlib -static -no-pie "$work/decode.o" "$work/mem.o" \
				"$dir/rooms.a" -o "$work/decode.elf" || {
			verdict "$name: decoders without a memo" 'they do not link'
			return
		}
		has+=("$($cross-nm "$work/decode.elf" | grep -cE "$memo_names")")
	done
	verdict "$name: decoders without a memo have nothing of it, with one ${has[1]} names" \
		"$([ "${has[0]}" -eq 0 ] && [ "${has[1]}" -gt 8 ] || echo "${has[0]} without")"
}

# check NAME FLAGS...: one architecture
check()
{
	local name=$1 dir=$work/$1 sources=() n

	shift
	mkdir "$dir"
	for room in $rooms; do
		sources+=(src/"$room"/*.c)
	done
	# shellcheck disable=SC2016  # for the inner shell
	printf '%s\0' "${sources[@]}" | xargs -0 -n 1 -P "$(nproc)" bash -c \
		'compile_room_file "$0" "${@: -1}" "${@:1:$#-1}"' "$dir" "$@"
	n=$(find "$dir" -name '*.o' | wc -l)
	verdict "$name: $n of ${#sources[@]} files compile without system headers" \
		"$([ "$n" -eq "${#sources[@]}" ] || echo "$((${#sources[@]} - n)) do not")"
	[ "$n" -eq "${#sources[@]}" ] || return
	if ! $cross-gcc "$@" -nostdlib -r "$dir"/*.o -o "$work/$name.rooms"; then
		verdict "$name: link with -nostdlib -r" 'the linker failed'
		return
	fi
	verdict "$name: undefined are memcpy, memmove, memset, memcmp at most" \
		"$(outside "$work/$name.rooms" "$dir")"
	verdict "$name: no data that can change" "$(writable "$work/$name.rooms")"
	size "$name" "$dir"
	without_memo "$name" "$dir" "$@"
	if compile "$work/board.o" examples/board.c "$@" &&
	   compile "$work/board_firmware.o" examples/board_firmware.c "$@"; then
		verdict "$name: the example for firmware compiles without system headers" ''
		run "$name" "$@"
	else
		verdict "$name: the example for firmware compiles without system headers" 'it does not'
	fi
}

run()
{
	local name=$1 program=$work/$1.elf qemu=qemu-${1%%i*}

	shift
	qemu=${qemu/rv/riscv}
	if ! compile "$work/start.o" tests/freestanding/start.c "$@" ||
	   ! compile "$work/mem.o" firmware/mem.c "$@" ||
	   ! $cross-gcc "$@" -nostdlib -static -no-pie -Wl,-Tbss=0x800000 "$work/start.o" \
	   	"$work/mem.o" "$work/board.o" "$work/board_firmware.o" "$work/$name.rooms" \
	   	-o "$program"; then
		verdict "$name: link a program with -nostdlib" 'it does not link'
		return
	fi
	verdict "$name: link a program with -nostdlib" ''
	if ! command -v "$qemu" >/dev/null; then
		echo "ok - $name: the program runs # SKIP no $qemu"
		return
	fi
	"$qemu" "$program"
	verdict "$name: the program runs" "$(code=$?; [ $code -eq 0 ] || echo "check $code failed")"
}

# traps NAME FLAGS...: with a trap wherever C has no meaning (overflow, shifts, alignment, bounds,
# null), and nothing else: no runtime, no data.  A program that adds one to the largest number ends
# by such a trap, so that they are there.
traps()
{
	local name=$1 qemu=qemu-${1%%i*} status

	qemu=${qemu/rv/riscv}
	check "$@" -fsanitize=undefined -fsanitize-undefined-trap-on-error
	shift
	command -v "$qemu" >/dev/null || return
	cat >"$work/overflow.c" <<-'EOF'
		volatile int most = 0x7fffffff;
		void _start(void);
		void _start(void)
		{
			volatile int more = most + 1;
			register long a0 __asm__("a0") = more != 0;
			register long a7 __asm__("a7") = 94;

			__asm__ volatile("ecall" : : "r"(a0), "r"(a7));
			__builtin_unreachable();
		}
	EOF
	compile "$work/overflow.o" "$work/overflow.c" "$@" -fsanitize=undefined \
		-fsanitize-undefined-trap-on-error &&
		$cross-gcc "$@" -nostdlib -static -no-pie "$work/overflow.o" -o "$work/overflow"
	status=$({ "$qemu" "$work/overflow"; echo $?; } 2>/dev/null)
	verdict "$name: an overflow traps" "$([ $status -gt 128 ] || echo "status $status")"
}

check rv64imac -march=rv64imac -mabi=lp64 -mcmodel=medany
check rv32imac -march=rv32imac -mabi=ilp32
traps rv64imac_traps -march=rv64imac -mabi=lp64 -mcmodel=medany
exit "$status"
