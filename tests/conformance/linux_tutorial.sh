#!/bin/sh
# docs/trace-linux.md: its commands print what it says, but for counts and for the rows of tables,
# which are those of one kernel and one boot.
. "${HARTSCOPE_SOURCE:?the source tree}/tests/cli/lib.sh"
. "$HARTSCOPE_SOURCE/tests/cli/page.sh"
[ -z "${HARTSCOPE_SANITIZED-}" ] || {
	echo "ok - docs/trace-linux.md # SKIP too slow with sanitizers"
	exit 77
}
build=$(cd "${HARTSCOPE_BUILD:?the build folder}" && pwd)
ln -s "$build" build
ln -s "$HARTSCOPE_SOURCE/scripts" scripts
{ scripts/guests/qemu-new.sh "$build" &&
	scripts/guests/linux-guest.sh fetch "$build" linux busybox-static; } >log 2>&1 || {
	echo "ok - docs/trace-linux.md # SKIP $(tail -n 1 log)"
	exit 77
}

compared() {
	sed -E '/^ .* %  /d; s/[0-9a-f]{64}/N/g; s/[0-9][0-9,.]*/N/g; s/ +/ /g; s/^ //'
}

run_page docs/trace-linux.md 12
finish
