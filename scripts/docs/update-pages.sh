#!/bin/sh
# Run the commands of the pages that tests run, and put what they print into the pages.
#
#   scripts/docs/update-pages.sh [TEST]...     tests/cli/TEST.sh; all of them without one
set -eu
cd "$(dirname "$0")/../.."
[ $# -gt 0 ] || set -- $(grep -l '^run_page ' tests/cli/*.sh | sed 's|.*/\(.*\)\.sh|\1|')
HARTSCOPE_UPDATE=1 meson test -C build "$@"
git diff --stat -- README.md docs
