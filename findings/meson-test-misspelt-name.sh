#!/bin/bash
# meson 1.0.1 and cmocka 1.1.5 (Debian 12): a test that does not exist is asked for.
#
# Expected: an error, as pytest (exit status 5) and a missing target of make give: a job that runs a
#           test that was renamed, or a suite with a typing error, fails.
# Seen:     `meson test NAME` and `meson test --suite NAME` print "No suitable tests defined." and
#           end with status 0.  A test program whose cmocka_set_test_filter() fits no case prints
#           "0 test(s) run" and ends with status 0, although its only case fails.
#
# Needs gcc, ninja, pkg-config and python3.
# Exit status 0: as seen; 1: it changed.
set -eu
work=$(mktemp -d) && trap 'rm -rf "$work"' EXIT && cd "$work"
apt-get download -q meson=1.0.1-5 libcmocka0=1.1.5-2.1 libcmocka-dev=1.1.5-2.1 >/dev/null 2>&1
for deb in *.deb; do
	dpkg-deb -x "$deb" root
	dpkg-deb -f "$deb" Package Version
done
cat >failing.c <<'END'
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

static void fails(void **state)
{
	(void)state;
	fail();
}

int main(int argc, char **argv)
{
	const struct CMUnitTest tests[] = { cmocka_unit_test(fails) };

	if (argc > 1)
		cmocka_set_test_filter(argv[1]);
	return cmocka_run_group_tests(tests, NULL, NULL);
}
END
lib=$(dirname root/usr/lib/*/libcmocka.so.0)
gcc -Iroot/usr/include failing.c -o failing "$lib"/libcmocka.so.0
cat >meson.build <<'END'
project('p')
test('failing', find_program('failing'), suite: 'unit')
END
meson() { PYTHONPATH=$work/root/usr/lib/python3/dist-packages python3 root/usr/bin/meson "$@"; }
export LD_LIBRARY_PATH=$work/$lib
meson setup build >log 2>&1 || { cat log; exit 2; }
# run NAME COMMAND...: its exit status
run()
{
	local name=$1 status=0

	shift
	"$@" >out 2>&1 || status=$?
	echo "$name: status $status"
}
{
	run 'meson test failing' meson test -C build failing
	run 'meson test faling' meson test -C build faling
	run 'meson test --suite unti' meson test -C build --suite unti
	run 'cmocka, filter fails' ./failing fails
	run 'cmocka, filter fial*' ./failing 'fial*'
} | tee said
[ "$(cat said)" = "meson test failing: status 1
meson test faling: status 0
meson test --suite unti: status 0
cmocka, filter fails: status 1
cmocka, filter fial*: status 0" ] || { echo 'it changed'; exit 1; }
