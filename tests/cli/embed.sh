#!/bin/sh
# docs/embed.md: its programs compile, and its commands print what it says, but for counts.
. "$(dirname "$0")/lib.sh"
. "${HARTSCOPE_SOURCE:?the source tree}/tests/cli/page.sh"
need riscv64-linux-gnu-gcc qemu-riscv64 pkg-config c++ riscv64-unknown-elf-gcc
[ -z "${HARTSCOPE_SANITIZED-}" ] || {
	echo "ok - docs/embed.md # SKIP its programs are built without sanitizers"
	exit 77
}
cp "$HARTSCOPE_SOURCE"/examples/sort.c "$HARTSCOPE_SOURCE"/examples/who_ran.c \
	"$HARTSCOPE_SOURCE"/examples/count_calls.c .
ln -s "$HARTSCOPE_SOURCE" hartscope
# As if it were installed.
export PKG_CONFIG_PATH="${HARTSCOPE_BUILD:?the build folder}/meson-uninstalled"
export LIBRARY_PATH="$HARTSCOPE_BUILD" CPATH="$HARTSCOPE_SOURCE/include"
export LD_LIBRARY_PATH="$HARTSCOPE_BUILD"

compared() {
	sed -E 's/[0-9][0-9,.]*/N/g; s/ +/ /g; s/^ //'
}

run_page docs/embed.md 18 12
finish
