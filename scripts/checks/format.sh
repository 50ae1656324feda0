#!/bin/bash
# Format the lines that differ from main with clang-format, as .clang-format says.
#
#   scripts/checks/format.sh           format them in the working tree
#   scripts/checks/format.sh --check   change nothing; an "ok" or "not ok" line
#
# Lines that a change does not touch stay as they are, and so do tables: tests/ and .def files.  A
# clone without git, or without main, has nothing to compare with.
set -u
cd "$(dirname "$0")/../.." || exit 1

rule='lines that differ from main are formatted (make format)'
folders='src include tools plugins firmware examples bench'

skip()
{
	echo "ok - $rule # SKIP $1"
	exit 0
}

command -v git-clang-format >/dev/null || skip 'no git-clang-format (package clang-format)'
git rev-parse --is-inside-work-tree >/dev/null 2>&1 || skip 'not a git clone'
base=
for main in origin/main main; do
	[ -n "$base" ] || base=$(git merge-base HEAD $main 2>/dev/null)
done
[ -n "$base" ] || skip 'this clone has no main'

# shellcheck disable=SC2086  # a list of folders
if [ "${1-}" != --check ]; then
	exec git clang-format --force --extensions c,h "$base" -- $folders
fi
# shellcheck disable=SC2086
diff=$(git clang-format --diff --extensions c,h "$base" -- $folders 2>&1)
if grep -q '^[-+]' <<<"$diff"; then
	sed 's/^/  /' <<<"$diff"
	echo "not ok - $rule"
	exit 1
fi
echo "ok - $rule"
