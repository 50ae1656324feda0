#!/bin/bash
# The rules of CONTRIBUTING.md that a program can see: length of functions, files and lines, tabs,
# names, words.
#
# HARTSCOPE_TREE is the tree to check, by default the one of this script
# (tests/conformance/checks.sh).
set -u
scripts=$(cd "$(dirname "$0")" && pwd)
cd "${HARTSCOPE_TREE:-$scripts/../..}" || exit 1
exec python3 "$scripts/style.py" "${HARTSCOPE_RATCHET:-$scripts/style-ratchet.txt}"
