#!/bin/sh
# Fetch speedscope, a viewer of profiles that is a page, from npm's registry into BUILD/speedscope:
#
#   scripts/tests/speedscope.sh BUILD
#
# Nothing is installed.  Exits with 77 where npm is not there or cannot reach the registry.
set -eu
build=$(cd "$1" && pwd)
version=1.25.0 # 0.3 MB
sum=2831f1e0d26df914b477e522d78b8485511495a6af81a0b88158f8b48f9e0d03
exec 9>"$build/speedscope.lock" # tests that run at the same time want it
flock 9
[ ! -e "$build/speedscope/dist/release/index.html" ] || exit 0

command -v npm >/dev/null || { echo "speedscope: no npm" >&2; exit 77; }
get=$build/speedscope.get
rm -rf "$get" "$build/speedscope"
mkdir "$get"
(cd "$get" && timeout 120 npm pack --silent "speedscope@$version" >log 2>&1) ||
	{ echo "speedscope: npm's registry cannot be reached" >&2; exit 77; }
echo "$sum  $get/speedscope-$version.tgz" | sha256sum --check --quiet
tar -xzf "$get/speedscope-$version.tgz" -C "$get"
mv "$get/package" "$build/speedscope"
rm -rf "$get"
