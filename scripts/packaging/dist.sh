#!/bin/sh
# Make hartscope-VERSION.tar.xz of the last commit in FOLDER; it builds where there is no git.  The
# same commit gives the same bytes.  debian/ is not in it: packages.sh adds it.
#
#   scripts/packaging/dist.sh FOLDER
set -eu
folder=$(mkdir -p "$1" && cd "$1" && pwd)
cd "$(dirname "$0")/../.."
name=hartscope-$(scripts/packaging/version.sh)
if ! git rev-parse --verify -q HEAD >/dev/null 2>&1; then
	echo "dist: this is no git repository" >&2
	exit 1
fi
[ -z "$(git status --porcelain --untracked-files=no)" ] ||
	echo "dist: what is not committed is not in it" >&2
git archive --format=tar --prefix="$name/" HEAD -- . ':(exclude)debian' |
	xz -T1 >"$folder/$name.tar.xz.new"
mv "$folder/$name.tar.xz.new" "$folder/$name.tar.xz"
echo "$folder/$name.tar.xz ($(du -h "$folder/$name.tar.xz" | cut -f1))"
