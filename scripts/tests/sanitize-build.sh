#!/bin/sh
# Build everything with AddressSanitizer and UndefinedBehaviorSanitizer.  -O1 halves the time that
# -O2 takes to compile, and costs the tests less than that.
#
#   scripts/tests/sanitize-build.sh FOLDER
set -eu
"$(dirname "$0")/../configure.sh" "$1" --buildtype=debugoptimized -Doptimization=1 \
	-Db_sanitize=address,undefined \
	-Db_lundef=false -Dtests=enabled
ninja --quiet -C "$1" all meson-test-prereq
