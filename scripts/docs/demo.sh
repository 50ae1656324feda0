#!/bin/bash
# The demonstration of `make demo`: what one program executed, from recording to listing.
#
#   scripts/docs/demo.sh FOLDER     the build folder; everything made is in FOLDER/demo/
#
# With HARTSCOPE=PATH that tool is shown, and FOLDER is any folder.
set -eu -o pipefail
cd "$(dirname "$0")/../.."

source=$PWD
tool=${HARTSCOPE:-$PWD/$1/tools/hartscope/hartscope}
work=$1/demo
bold='' plain=''
if [ -t 1 ]; then
	bold=$(printf '\033[1m') plain=$(printf '\033[0m')
fi

# Show a command as a reader would type it, then run it.
run()
{
	printf '\n%s$ %s%s\n' "$bold" "$*" "$plain"
	"$@"
}

hartscope()
{
	"$tool" "$@"
}

title()
{
	printf '\n%s-- %s%s\n' "$bold" "$1" "$plain"
}

# The first lines of a command that has more to say.
first()
{
	local lines=$1

	shift
	printf '\n%s$ %s | head -n %d%s\n' "$bold" "$*" "$lines" "$plain"
	# The reader leaves early; what the writer then says of the broken pipe is no failure.
	"$@" 2>&1 | head -n "$lines" || [ "${PIPESTATUS[1]}" -eq 0 ]
}

rm -rf "$work"
mkdir -p "$work"
cp -r examples "$work/examples"
cd "$work"

if ! hartscope record --check >/dev/null 2>&1; then
	title 'An emulator that loads plugins: the packaged one does not'
	run "$source/scripts/guests/qemu-user.sh"
fi

title 'A RISC-V program'
run riscv64-linux-gnu-gcc -O2 -g -static examples/sort.c -o sort

title 'Record every instruction that it executes'
run hartscope record -o sort.rec -- ./sort

title 'Encode the recording as N-Trace, as a hart would report it'
run hartscope encode --protocol ntrace -o sort.nt sort.rec

title 'Decode the bytes with nothing but the program'
run hartscope decode --elf sort -o sort.flow sort.nt

title 'Compare what was decoded with what was recorded, block by block'
run hartscope check sort.rec sort.flow

title 'What the trace holds'
run hartscope stat --elf sort sort.nt | tee stat.txt

title 'What ran in main, with its source'
first 40 hartscope list --elf sort --function main sort.nt

# fact NAME: its value in what stat printed
fact()
{
	sed -n "s|^$1   *||p" stat.txt
}

title 'In short'
cat <<END
recorded  $(fact instructions) instructions of examples/sort.c under qemu-riscv64
encoded   $(fact bytes) bytes of N-Trace HTM, $(fact bits/instruction) bits an instruction
decoded   $(fact blocks) blocks, equal to the recording
hottest   $(sed '1,/^hottest functions/d' stat.txt | awk 'NR <= 3 { printf "%s %s %%   ", $5, $2 }')
END
printf '\nEverything is in %s/: sort (program), sort.rec, sort.nt, sort.flow.\n' "$work"
